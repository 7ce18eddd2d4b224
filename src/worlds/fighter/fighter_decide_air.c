// fighter_decide_air.c: what a pad starts in the air and at a ledge. Nobody turns round here, but to recover.
#include "fighter_decide.h"

// Held sticks must not jump or fall fast again: what counts is the tick in which the stick gets there.
static bool is_fresh_up(const FighterChoice *choice)
{
    return choice->wish.push_y && choice->wish.stick_y > 0 && choice->fighter->last_stick_y <= FIGHTER_PUSH;
}

static bool is_fresh_down(const FighterChoice *choice)
{
    return choice->wish.push_y && choice->wish.stick_y < 0 && choice->fighter->last_stick_y >= -FIGHTER_PUSH;
}

bool fighter_decide_air_jump(const FighterChoice *choice)
{
    bool is_asked = choice->wish.jump || is_fresh_up(choice);
    if (!is_asked || choice->fighter->jumps_left == 0) {
        return false;
    }
    choice->fighter->jumps_left--;
    fighter_decide_take_off(choice, choice->kind->air_jump_speed);
    return true;
}

static bool start_sideways(const FighterChoice *choice, int32_t way)
{
    bool is_forward = way * fighter_action_side(choice->fighter) > 0;
    fighter_decide_start(choice, is_forward ? FIGHTER_ACTION_AERIAL_FORWARD : FIGHTER_ACTION_AERIAL_BACK);
    return true;
}

bool fighter_decide_aerial_flick(const FighterChoice *choice)
{
    if (choice->wish.c_x != 0) {
        return start_sideways(choice, choice->wish.c_x);
    }
    if (choice->wish.c_y != 0) {
        fighter_decide_start(choice, choice->wish.c_y > 0 ? FIGHTER_ACTION_AERIAL_UP : FIGHTER_ACTION_AERIAL_DOWN);
        return true;
    }
    return false;
}

bool fighter_decide_aerial(const FighterChoice *choice)
{
    static const FighterAction actions[] = {
        [FIGHTER_AIM_NONE] = FIGHTER_ACTION_AERIAL_NEUTRAL,
        [FIGHTER_AIM_UP]   = FIGHTER_ACTION_AERIAL_UP,
        [FIGHTER_AIM_DOWN] = FIGHTER_ACTION_AERIAL_DOWN,
    };
    FighterAim aim = fighter_decide_aim(&choice->wish);
    if (!choice->wish.attack) {
        return false;
    }
    if (aim == FIGHTER_AIM_SIDE) {
        return start_sideways(choice, choice->wish.stick_x);
    }
    fighter_decide_start(choice, actions[aim]);
    return true;
}

// The way it goes is read in the first tick of its own motion (fighter_move.c); until then it hovers.
bool fighter_decide_air_dodge(const FighterChoice *choice)
{
    if (!choice->wish.shield) {
        return false;
    }
    choice->fighter->is_fast_falling = 0;
    choice->fighter->velocity_x = tp_fx_raw(0);
    choice->fighter->velocity_y = tp_fx_raw(0);
    fighter_decide_start(choice, FIGHTER_ACTION_AIR_DODGE);
    return true;
}

bool fighter_decide_fast_fall(const FighterChoice *choice)
{
    Fighter *fighter = choice->fighter;
    if (fighter->surface != 0 || fighter->velocity_y.raw >= 0 || fighter->is_fast_falling != 0 || !is_fresh_down(choice)) {
        return false;
    }
    fighter->is_fast_falling = 1;
    return true;
}

bool fighter_decide_stay_stunned(const FighterChoice *choice)
{
    return choice->fighter->lag_ticks > 0;
}

bool fighter_decide_shake_off(const FighterChoice *choice)
{
    if (!choice->wish.push_x) {
        return false;
    }
    fighter_decide_start(choice, FIGHTER_ACTION_AIR);
    return true;
}

void fighter_decide_let_go(const FighterChoice *choice)
{
    choice->fighter->ledge_wait_ticks = FIGHTER_LEDGE_WAIT_TICKS;
    fighter_decide_start(choice, FIGHTER_ACTION_AIR);
}

bool fighter_decide_ledge(const FighterChoice *choice)
{
    FighterAim aim = fighter_decide_aim(&choice->wish);
    bool is_forward = aim == FIGHTER_AIM_SIDE && choice->wish.forward > 0;
    if (choice->fighter->action_tick < FIGHTER_LEDGE_TICKS_MIN) {
        return false;
    }
    if (choice->wish.jump) {
        choice->fighter->ledge_wait_ticks = FIGHTER_LEDGE_WAIT_TICKS;
        fighter_decide_take_off(choice, choice->kind->jump_speed);
        return true;
    }
    if (aim == FIGHTER_AIM_UP || is_forward) {
        fighter_decide_start(choice, FIGHTER_ACTION_LEDGE_CLIMB);
        return true;
    }
    if (aim != FIGHTER_AIM_NONE) {
        fighter_decide_let_go(choice);
        return true;
    }
    return false;
}

void fighter_decide_move_off(const FighterChoice *choice)
{
    fighter_action_rest(choice->step, choice->slot);
    choice->fighter->guard_ticks = FIGHTER_RETURN_GUARD;
}

bool fighter_decide_return(const FighterChoice *choice)
{
    if (!fighter_decide_is_stirred(&choice->wish)) {
        return false;
    }
    fighter_decide_move_off(choice);
    return true;
}
