// fighter_action.h: what each action lets happen, one row an action, for the files that steer, move and land fighters. Its length and
// its numbers are the kind's (FighterFrames).
#pragma once

#include "fighter_step.h"

/// How the velocity follows the stick while no ticks of the action's own motion (move_first to move_last) run.
typedef enum FighterSteer {
    FIGHTER_STEER_STILL = 0, ///< no velocity at all
    FIGHTER_STEER_SLIDE,     ///< friction only, the ground's or the air's
    FIGHTER_STEER_KEEP,      ///< nothing slows it on the ground
    FIGHTER_STEER_WALK,
    FIGHTER_STEER_DASH,
    FIGHTER_STEER_RUN,
    FIGHTER_STEER_DRIFT,     ///< toward what the stick asks for in the air; SLIDE on the ground
    FIGHTER_STEER_HOVER,     ///< still before its own motion, DRIFT after it
} FighterSteer;

/// How it ends by itself.
typedef enum FighterLength {
    FIGHTER_LENGTH_OPEN = 0, ///< it does not
    FIGHTER_LENGTH_TICKS,    ///< FighterFrames.ticks
    FIGHTER_LENGTH_SQUAT,    ///< jump_squat_ticks
    FIGHTER_LENGTH_LAG,      ///< when lag_ticks are over
} FighterLength;

/// What coming down to a surface makes of it.
typedef enum FighterLanding {
    FIGHTER_LANDING_LAG = 0, ///< LAND
    FIGHTER_LANDING_STAY,    ///< goes on
    FIGHTER_LANDING_LIE,     ///< TECH or DOWN
} FighterLanding;

/// Which of the rules in fighter_decide.c the pad has.
typedef enum FighterPadRules {
    FIGHTER_PAD_NONE = 0,
    FIGHTER_PAD_STAND, ///< everything there is on the ground
    FIGHTER_PAD_DASH,
    FIGHTER_PAD_RUN,
    FIGHTER_PAD_TURN,
    FIGHTER_PAD_SQUAT,
    FIGHTER_PAD_SHIELD,
    FIGHTER_PAD_HOLD,
    FIGHTER_PAD_LIE,
    FIGHTER_PAD_AIR,   ///< everything there is in the air
    FIGHTER_PAD_FALL,  ///< fast fall
    FIGHTER_PAD_TUMBLE, ///< once the stun is over
    FIGHTER_PAD_LEDGE,
    FIGHTER_PAD_RETURN,
    FIGHTER_PAD_COUNT,
} FighterPadRules;

typedef struct FighterActionRule {
    uint8_t steer, length, landing, pad;
    bool    keeps_footing;    ///< stops at the end of a surface; the others go over it
    bool    catches_ledges;
    bool    is_guarded;       ///< in all its ticks
} FighterActionRule;

const FighterActionRule *fighter_action_rule(FighterAction action);

/// -1 or 1: the way it looks.
static inline int32_t fighter_action_side(const Fighter *fighter)
{
    return fighter->facing == FIGHTER_FACING_LEFT ? -1 : 1;
}
