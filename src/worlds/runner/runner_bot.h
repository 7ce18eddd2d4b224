// runner_bot.h: a player made of code. It looks at the lanes blocked right now and at the two nearest rows, trusts
// its body's real place and not the lane it is on the way to, leaves itself 30 % when it can, prefers a lane
// that is good for the row after next, and takes coins when that costs nothing.
#pragma once

#include "runner_eye.h"

#include "tickproof/rng.h"

enum {
    RUNNER_BOT_DELAY_MAX      = 60, ///< ticks of latency; more is cut to this
    RUNNER_BOT_MARGIN_PERCENT = 30,
};

/// Latency is pure: the bot acts on what it saw `delay_ticks` ago, knows only its own presses since, and does not
/// make up for the difference.
typedef struct RunnerBot {
    tp_pcg32  generator;
    RunnerEye seen[RUNNER_BOT_DELAY_MAX + 1]; ///< ring of the last delay_ticks + 1 looks
    uint64_t  looks;
    uint32_t  slot;
    uint32_t  delay_ticks;
    uint32_t  ticks_since_press;
    uint32_t  confirm_wait_ticks;
    uint32_t  aim_lane;  ///< where its presses will have taken it
    uint32_t  goal_lane; ///< where it wants to be
} RunnerBot;

extern const tp_bot_type runner_bot;

/// The lane the bot wants to be in, given what it sees.
uint32_t runner_bot_choose(const RunnerEye *eye, uint32_t aim_lane);
