// runner_text.h: the state in one line for people.
#pragma once

#include "tickproof/world.h"

/// "run 2 running 41.3 s at 100%, 1 of 2 alive, scores 1204 980, best 3310", cut to `size` with its terminator.
void runner_text_describe(const tp_view *view, char *text, size_t size);
