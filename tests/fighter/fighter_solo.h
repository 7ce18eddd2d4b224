// fighter_solo.h: a few fighters for one layer of the tick at a time, without a match around them: what a rule does to numbers that no match
// would bring it.
#pragma once

#include "fighter_action.h"

enum { SOLO_FIGHTERS_MAX = 8 };

typedef struct Solo {
    FighterStep  step;
    Fighter      fighters[SOLO_FIGHTERS_MAX];
    FighterMatch match;
    tp_context   context;
    uint32_t     events[FIGHTER_EVENT_COUNT]; // reported since the last solo_clear
} Solo;

/// Everybody in the air at the middle of the stage, at rest, looking right, with all jumps.
void solo_open(Solo *solo, uint32_t count, const FighterStage *stage, const FighterKind *kind);
void solo_clear(Solo *solo);
/// Puts a fighter in the air there, with that velocity.
void solo_throw(Solo *solo, uint32_t slot, int64_t x, int64_t y, int64_t dx, int64_t dy);
/// One tick's layers 1 to 4 and the pad kept, as fighter_step runs them.
void solo_tick(Solo *solo);
