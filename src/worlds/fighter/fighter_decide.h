// fighter_decide.h: what a pad may start, as small rules. fighter_decide.c says which rules hold in which action and in what order; the first
// one that starts something ends the search.
#pragma once

#include "fighter_action.h"

/// One fighter that decides.
typedef struct FighterChoice {
    FighterStep       *step;
    uint32_t           slot;
    Fighter           *fighter;
    const FighterKind *kind;
    FighterWish        wish;
} FighterChoice;

/// True when it started something.
typedef bool (*FighterRule)(const FighterChoice *choice);

enum {
    FIGHTER_SHIELD_TICKS_MIN = 4,   ///< a shield stays up for so long
    FIGHTER_LEDGE_TICKS_MIN  = 8,   ///< a ledge is held for so long, or the stick that caught it would leave it
    FIGHTER_LEDGE_WAIT_TICKS = 30,  ///< until somebody who let go may hold on again
};

/// The stick's longer way, if it is past FIGHTER_TILT there; upright when both are as long.
typedef enum FighterAim { FIGHTER_AIM_NONE, FIGHTER_AIM_SIDE, FIGHTER_AIM_UP, FIGHTER_AIM_DOWN } FighterAim;
FighterAim fighter_decide_aim(const FighterWish *wish);

void fighter_decide_start(const FighterChoice *choice, FighterAction action);
/// Looks the way of the sign; 0 leaves it.
void fighter_decide_face(const FighterChoice *choice, int32_t way);
/// Leaves ground, ledge or air upwards: AIR and JUMPED.
void fighter_decide_take_off(const FighterChoice *choice, int32_t speed);
/// Any press, or either stick past FIGHTER_TILT or flicked.
bool fighter_decide_is_stirred(const FighterWish *wish);

// fighter_decide_ground.c

bool fighter_decide_smash(const FighterChoice *choice); ///< C-stick
bool fighter_decide_grab(const FighterChoice *choice);
bool fighter_decide_special(const FighterChoice *choice); ///< in the air as well
bool fighter_decide_strike(const FighterChoice *choice);
bool fighter_decide_jump(const FighterChoice *choice);
bool fighter_decide_shield(const FighterChoice *choice);
bool fighter_decide_drop(const FighterChoice *choice);
bool fighter_decide_dash(const FighterChoice *choice);
bool fighter_decide_stand(const FighterChoice *choice);   ///< IDLE, WALK or CROUCH
bool fighter_decide_run_on(const FighterChoice *choice);  ///< what ends a run
bool fighter_decide_squat(const FighterChoice *choice);   ///< what replaces a take-off
bool fighter_decide_dodge(const FighterChoice *choice);   ///< out of a shield
bool fighter_decide_shield_grab(const FighterChoice *choice);
bool fighter_decide_lower_shield(const FighterChoice *choice);
bool fighter_decide_throw(const FighterChoice *choice);
bool fighter_decide_get_up(const FighterChoice *choice);

// fighter_decide_air.c

bool fighter_decide_air_jump(const FighterChoice *choice);
bool fighter_decide_aerial_flick(const FighterChoice *choice); ///< C-stick
bool fighter_decide_aerial(const FighterChoice *choice);
bool fighter_decide_air_dodge(const FighterChoice *choice);
bool fighter_decide_fast_fall(const FighterChoice *choice);
bool fighter_decide_stay_stunned(const FighterChoice *choice); ///< starts nothing, and nothing else may
bool fighter_decide_shake_off(const FighterChoice *choice);    ///< a push sideways ends a tumble
bool fighter_decide_ledge(const FighterChoice *choice);
bool fighter_decide_return(const FighterChoice *choice);
void fighter_decide_move_off(const FighterChoice *choice); ///< from where fighters come back
void fighter_decide_let_go(const FighterChoice *choice); ///< of a ledge
