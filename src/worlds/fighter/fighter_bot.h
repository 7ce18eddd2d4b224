// fighter_bot.h: a player made of code. It runs at the nearest fighter that somebody plays, through it and back, and
// jumps now and then. With nobody to go for it walks up and down the stage.
#pragma once

#include "fighter_state.h"

#include "tickproof/rng.h"

enum {
    FIGHTER_BOT_DELAY_MAX = 60, ///< ticks of latency; more is cut to this
    FIGHTER_BOT_NEAR      = 12, ///< units: closer than this it runs on as it does, or it would stop where the other one is
    FIGHTER_BOT_MARGIN    = 6,  ///< units from a wall at which it turns round
};

/// What a bot keeps of a tick.
typedef struct FighterLook {
    int32_t x;          ///< Q16.16 units
    int32_t goal_x;     ///< of the nearest other fighter somebody plays, the lower slot of two as near
    bool    has_goal;
} FighterLook;

/// Latency is pure: the bot acts on what it saw `delay_ticks` ago and does not make up for the difference.
typedef struct FighterBot {
    tp_pcg32    generator;
    FighterLook seen[FIGHTER_BOT_DELAY_MAX + 1]; ///< ring of the last delay_ticks + 1 looks
    uint64_t    looks;
    uint32_t    slot;
    uint32_t    delay_ticks;
    int32_t     heading;    ///< -1 or 1
    int32_t     stick;      ///< how far it pushes, 80 to 127
    uint32_t    pace_ticks; ///< until it changes its mind about the stick, and about the way when it has no goal
    uint32_t    jump_wait_ticks;
    uint32_t    jump_hold_ticks;
} FighterBot;

extern const tp_bot_type fighter_bot;

/// What the fighter in `slot` sees.
FighterLook fighter_bot_look(const tp_view *view, uint32_t slot);
/// The way to go, given what it sees and the way it goes: -1 or 1.
int32_t     fighter_bot_head(const FighterLook *look, int32_t heading);
