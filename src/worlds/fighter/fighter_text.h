// fighter_text.h: the state in one line for people.
#pragma once

#include "tickproof/world.h"

enum { FIGHTER_TEXT_FIGHTERS = 8 }; ///< more are counted instead of named

/// The match and its clock, then who is here: slot, kind, lives left and damage, cut to `size` with its terminator.
///     "match 1, 3:12: slot 0 vale 3 x 42.5 %, slot 1 wisp out"
///     "match 1, 0:20: 100 here, 87 with lives, 12 in the air"
///     "match 2, 4:05, won by slot 1: slot 0 vale out, slot 1 wisp 1 x 88.0 %"
/// "waiting, nobody here" before the first match. The clock counts up; empty slots are left out.
void fighter_text_describe(const tp_view *view, char *text, size_t size);
