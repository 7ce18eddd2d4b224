// fighter_text.h: the state in one line for people.
#pragma once

#include "tickproof/world.h"

/// "2 of 2 here, 1 walking, 1 in the air", cut to `size` with its terminator. Empty slots' fighters are left out.
void fighter_text_describe(const tp_view *view, char *text, size_t size);
