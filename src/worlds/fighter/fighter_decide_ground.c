// fighter_decide_ground.c: what a pad starts on the ground. Only here does a fighter turn round: with its feet, or to strike the other way.
#include "fighter_decide.h"

static bool start_facing(const FighterChoice *choice, int32_t way, FighterAction action)
{
    fighter_decide_face(choice, way);
    fighter_decide_start(choice, action);
    return true;
}

static bool is_tilted_sideways(const FighterWish *wish)
{
    return wish->stick_x > FIGHTER_TILT || wish->stick_x < -FIGHTER_TILT;
}

bool fighter_decide_smash(const FighterChoice *choice)
{
    if (choice->wish.c_x != 0) {
        return start_facing(choice, choice->wish.c_x, FIGHTER_ACTION_SMASH_FORWARD);
    }
    if (choice->wish.c_y != 0) {
        return start_facing(choice, 0, choice->wish.c_y > 0 ? FIGHTER_ACTION_SMASH_UP : FIGHTER_ACTION_SMASH_DOWN);
    }
    return false;
}

bool fighter_decide_grab(const FighterChoice *choice)
{
    return choice->wish.grab && start_facing(choice, 0, FIGHTER_ACTION_GRAB);
}

static bool start_recovery(const FighterChoice *choice)
{
    Fighter *fighter = choice->fighter;
    fighter->surface = 0;
    fighter->is_fast_falling = 0;
    fighter->velocity_x = tp_fx_raw(0);
    fighter->velocity_y = tp_fx_raw(0);
    return start_facing(choice, is_tilted_sideways(&choice->wish) ? choice->wish.stick_x : 0, FIGHTER_ACTION_RECOVERY);
}

bool fighter_decide_special(const FighterChoice *choice)
{
    if (!choice->wish.special) {
        return false;
    }
    if (choice->wish.stick_y > FIGHTER_TILT) {
        return start_recovery(choice);
    }
    bool turns = choice->fighter->surface != 0 && is_tilted_sideways(&choice->wish);
    return start_facing(choice, turns ? choice->wish.stick_x : 0, FIGHTER_ACTION_SHOOT);
}

// Dashing and running know no tilts: what is no push is the dash attack.
bool fighter_decide_strike(const FighterChoice *choice)
{
    const FighterWish *wish = &choice->wish;
    bool runs = choice->fighter->action == FIGHTER_ACTION_DASH || choice->fighter->action == FIGHTER_ACTION_RUN;
    FighterAim aim = fighter_decide_aim(wish);
    bool is_push = aim == FIGHTER_AIM_SIDE ? wish->push_x : wish->push_y;
    if (!wish->attack) {
        return false;
    }
    if (runs && (aim == FIGHTER_AIM_NONE || !is_push)) {
        return start_facing(choice, 0, FIGHTER_ACTION_DASH_ATTACK);
    }
    switch (aim) {
    case FIGHTER_AIM_SIDE:
        return start_facing(choice, wish->stick_x, is_push ? FIGHTER_ACTION_SMASH_FORWARD : FIGHTER_ACTION_TILT_FORWARD);
    case FIGHTER_AIM_UP:
        return start_facing(choice, 0, is_push ? FIGHTER_ACTION_SMASH_UP : FIGHTER_ACTION_TILT_UP);
    case FIGHTER_AIM_DOWN:
        return start_facing(choice, 0, is_push ? FIGHTER_ACTION_SMASH_DOWN : FIGHTER_ACTION_TILT_DOWN);
    case FIGHTER_AIM_NONE:
        break;
    }
    return start_facing(choice, 0, FIGHTER_ACTION_JAB);
}

bool fighter_decide_jump(const FighterChoice *choice)
{
    bool is_tap = choice->wish.push_y && choice->wish.stick_y > 0;
    return (choice->wish.jump || is_tap) && start_facing(choice, 0, FIGHTER_ACTION_JUMP_SQUAT);
}

bool fighter_decide_shield(const FighterChoice *choice)
{
    return choice->wish.shield_held && choice->fighter->shield.raw > 0 && start_facing(choice, 0, FIGHTER_ACTION_SHIELD);
}

static bool is_push_down(const FighterWish *wish)
{
    return wish->push_y && fighter_decide_aim(wish) == FIGHTER_AIM_DOWN;
}

bool fighter_decide_drop(const FighterChoice *choice)
{
    Fighter *fighter = choice->fighter;
    if (!is_push_down(&choice->wish) || fighter->surface == 0) {
        return false;
    }
    if (choice->step->stage->surfaces[fighter->surface - 1].kind != FIGHTER_SURFACE_PLATFORM) {
        return false;
    }
    fighter->dropping = fighter->surface;
    fighter->surface = 0;
    return start_facing(choice, 0, FIGHTER_ACTION_AIR);
}

// Within a dash only a push to the other side is a new one.
bool fighter_decide_dash(const FighterChoice *choice)
{
    bool is_push = choice->wish.push_x && fighter_decide_aim(&choice->wish) == FIGHTER_AIM_SIDE;
    bool is_on = choice->fighter->action == FIGHTER_ACTION_DASH && choice->wish.forward > 0;
    return is_push && !is_on && start_facing(choice, choice->wish.stick_x, FIGHTER_ACTION_DASH);
}

// A strike whose pad is free again is not cut short by a pad that nobody touches.
bool fighter_decide_stand(const FighterChoice *choice)
{
    FighterAction now = (FighterAction)choice->fighter->action;
    FighterAction next = FIGHTER_ACTION_IDLE;
    if (fighter_decide_aim(&choice->wish) == FIGHTER_AIM_DOWN) {
        next = FIGHTER_ACTION_CROUCH;
    } else if (is_tilted_sideways(&choice->wish)) {
        next = FIGHTER_ACTION_WALK;
        fighter_decide_face(choice, choice->wish.stick_x);
    }
    bool rests = now == FIGHTER_ACTION_WALK || now == FIGHTER_ACTION_CROUCH;
    return next != now && (next != FIGHTER_ACTION_IDLE || rests) && start_facing(choice, 0, next);
}

bool fighter_decide_run_on(const FighterChoice *choice)
{
    if (fighter_decide_aim(&choice->wish) == FIGHTER_AIM_DOWN) {
        return start_facing(choice, 0, FIGHTER_ACTION_CROUCH);
    }
    if (choice->wish.forward < -FIGHTER_TILT) {
        return start_facing(choice, choice->wish.stick_x, FIGHTER_ACTION_TURN);
    }
    return choice->wish.forward <= FIGHTER_TILT && start_facing(choice, 0, FIGHTER_ACTION_IDLE);
}

// The stick that jumps may still turn out to be the one that strikes or recovers.
bool fighter_decide_squat(const FighterChoice *choice)
{
    bool strikes = choice->wish.attack && fighter_decide_aim(&choice->wish) == FIGHTER_AIM_UP;
    if (strikes || choice->wish.c_y > 0) {
        return start_facing(choice, 0, FIGHTER_ACTION_SMASH_UP);
    }
    return choice->wish.special && choice->wish.stick_y > FIGHTER_TILT && start_recovery(choice);
}

bool fighter_decide_dodge(const FighterChoice *choice)
{
    const FighterWish *wish = &choice->wish;
    bool is_push = wish->push_x && fighter_decide_aim(wish) == FIGHTER_AIM_SIDE;
    int32_t way = wish->c_x != 0 ? wish->c_x : is_push ? wish->stick_x : 0;
    if (is_push_down(wish) || wish->c_y < 0) {
        return start_facing(choice, 0, FIGHTER_ACTION_SPOT_DODGE);
    }
    bool is_forward = way * fighter_action_side(choice->fighter) > 0;
    return way != 0 && start_facing(choice, 0, is_forward ? FIGHTER_ACTION_ROLL_FORWARD : FIGHTER_ACTION_ROLL_BACK);
}

bool fighter_decide_shield_grab(const FighterChoice *choice)
{
    return (choice->wish.attack || choice->wish.grab) && start_facing(choice, 0, FIGHTER_ACTION_GRAB);
}

bool fighter_decide_lower_shield(const FighterChoice *choice)
{
    bool is_long_up = choice->fighter->action_tick >= FIGHTER_SHIELD_TICKS_MIN;
    return !choice->wish.shield_held && is_long_up && start_facing(choice, 0, FIGHTER_ACTION_IDLE);
}

static FighterAction aimed_throw(const FighterChoice *choice)
{
    const FighterWish *wish = &choice->wish;
    FighterAim aim = fighter_decide_aim(wish);
    if (wish->c_x != 0 || (wish->c_y == 0 && aim == FIGHTER_AIM_SIDE)) {
        int32_t way = wish->c_x != 0 ? wish->c_x : wish->stick_x;
        return way * fighter_action_side(choice->fighter) > 0 ? FIGHTER_ACTION_THROW_FORWARD : FIGHTER_ACTION_THROW_BACK;
    }
    if (wish->c_y > 0 || (wish->c_y == 0 && aim == FIGHTER_AIM_UP)) {
        return FIGHTER_ACTION_THROW_UP;
    }
    return wish->c_y < 0 || aim == FIGHTER_AIM_DOWN ? FIGHTER_ACTION_THROW_DOWN : FIGHTER_ACTION_GRAB_HOLD;
}

bool fighter_decide_throw(const FighterChoice *choice)
{
    FighterAction action = aimed_throw(choice);
    if (action == FIGHTER_ACTION_GRAB_HOLD) {
        return false;
    }
    choice->fighter->lag_ticks = 0; // what is left of the hold does not matter any more
    return start_facing(choice, 0, action);
}

bool fighter_decide_get_up(const FighterChoice *choice)
{
    return fighter_decide_is_stirred(&choice->wish) && start_facing(choice, 0, FIGHTER_ACTION_GET_UP);
}
