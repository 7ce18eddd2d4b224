// realm_text.h: the state in one line for people.
#pragma once

#include "tickproof/world.h"

/// "tick 3000, 4 of 4 players alive, best score 120, 31 landblocks, 3 preparing, 40 creatures", cut to `size` with its terminator.
void realm_text_describe(const tp_view *view, char *text, size_t size);
