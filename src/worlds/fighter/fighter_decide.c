// fighter_decide.c: layer 1 after the pads are read: actions that have run their length give way to what follows, and in the same tick
// the pad may start something else.
#include "fighter_decide.h"

static const FighterRule stand_rules[] = {
    fighter_decide_smash, fighter_decide_grab, fighter_decide_special, fighter_decide_strike, fighter_decide_jump,
    fighter_decide_shield, fighter_decide_drop, fighter_decide_dash, fighter_decide_stand, NULL,
};
static const FighterRule dash_rules[] = {
    fighter_decide_smash, fighter_decide_grab, fighter_decide_special, fighter_decide_strike, fighter_decide_jump,
    fighter_decide_shield, fighter_decide_dash, NULL,
};
static const FighterRule run_rules[] = {
    fighter_decide_smash, fighter_decide_grab, fighter_decide_special, fighter_decide_strike, fighter_decide_jump,
    fighter_decide_shield, fighter_decide_drop, fighter_decide_run_on, NULL,
};
static const FighterRule turn_rules[] = { fighter_decide_jump, NULL };
static const FighterRule squat_rules[] = { fighter_decide_squat, NULL };
static const FighterRule shield_rules[] = {
    fighter_decide_shield_grab, fighter_decide_jump, fighter_decide_dodge, fighter_decide_lower_shield, NULL,
};
static const FighterRule hold_rules[] = { fighter_decide_throw, NULL };
static const FighterRule lie_rules[] = { fighter_decide_get_up, NULL };
static const FighterRule air_rules[] = {
    fighter_decide_aerial_flick, fighter_decide_special, fighter_decide_aerial, fighter_decide_air_dodge, fighter_decide_air_jump,
    fighter_decide_fast_fall, NULL,
};
static const FighterRule fall_rules[] = { fighter_decide_fast_fall, NULL };
// Shield is for the landing (TECH) here, not for a dodge.
static const FighterRule tumble_rules[] = {
    fighter_decide_stay_stunned, fighter_decide_aerial_flick, fighter_decide_special, fighter_decide_aerial, fighter_decide_air_jump,
    fighter_decide_shake_off, NULL,
};
static const FighterRule ledge_rules[] = { fighter_decide_ledge, NULL };
static const FighterRule return_rules[] = { fighter_decide_return, NULL };
static const FighterRule no_rules[] = { NULL };

static const FighterRule *const pad_rules[FIGHTER_PAD_COUNT] = {
    [FIGHTER_PAD_NONE]   = no_rules,
    [FIGHTER_PAD_STAND]  = stand_rules,
    [FIGHTER_PAD_DASH]   = dash_rules,
    [FIGHTER_PAD_RUN]    = run_rules,
    [FIGHTER_PAD_TURN]   = turn_rules,
    [FIGHTER_PAD_SQUAT]  = squat_rules,
    [FIGHTER_PAD_SHIELD] = shield_rules,
    [FIGHTER_PAD_HOLD]   = hold_rules,
    [FIGHTER_PAD_LIE]    = lie_rules,
    [FIGHTER_PAD_AIR]    = air_rules,
    [FIGHTER_PAD_FALL]   = fall_rules,
    [FIGHTER_PAD_TUMBLE] = tumble_rules,
    [FIGHTER_PAD_LEDGE]  = ledge_rules,
    [FIGHTER_PAD_RETURN] = return_rules,
};

FighterAim fighter_decide_aim(const FighterWish *wish)
{
    int32_t side = wish->stick_x < 0 ? -wish->stick_x : wish->stick_x;
    int32_t upright = wish->stick_y < 0 ? -wish->stick_y : wish->stick_y;
    if (upright > FIGHTER_TILT && upright >= side) {
        return wish->stick_y < 0 ? FIGHTER_AIM_DOWN : FIGHTER_AIM_UP;
    }
    return side > FIGHTER_TILT ? FIGHTER_AIM_SIDE : FIGHTER_AIM_NONE;
}

void fighter_decide_start(const FighterChoice *choice, FighterAction action)
{
    fighter_action_start(choice->step, choice->slot, action);
}

void fighter_decide_face(const FighterChoice *choice, int32_t way)
{
    if (way != 0) {
        choice->fighter->facing = way < 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT;
    }
}

// Gravity takes its part later in this same tick; it is given beforehand, so that the first move is the whole speed.
void fighter_decide_take_off(const FighterChoice *choice, int32_t speed)
{
    choice->fighter->surface = 0;
    choice->fighter->is_fast_falling = 0;
    choice->fighter->velocity_y = tp_fx_raw(speed + choice->kind->gravity);
    fighter_decide_start(choice, FIGHTER_ACTION_AIR);
    fighter_report(choice->step, FIGHTER_EVENT_JUMPED, choice->slot);
}

bool fighter_decide_is_stirred(const FighterWish *wish)
{
    bool is_pressed = wish->jump || wish->attack || wish->shield || wish->grab || wish->special;
    return is_pressed || wish->c_x != 0 || wish->c_y != 0 || fighter_decide_aim(wish) != FIGHTER_AIM_NONE;
}

static bool has_ended(const FighterChoice *choice)
{
    const Fighter *fighter = choice->fighter;
    int32_t ticks = fighter_action_frames(choice->step, choice->slot)->ticks;
    switch ((FighterLength)fighter_action_rule((FighterAction)fighter->action)->length) {
    case FIGHTER_LENGTH_OPEN:
        return false;
    case FIGHTER_LENGTH_TICKS:
        return fighter->action_tick >= ticks;
    case FIGHTER_LENGTH_SQUAT:
        return fighter->action_tick >= choice->kind->jump_squat_ticks;
    case FIGHTER_LENGTH_LAG:
        return fighter->lag_ticks == 0;
    }
    return false;
}

// A dash goes on as a run, and a turn as a dash, while the stick is held that way.
static void follow_stick(const FighterChoice *choice, FighterAction action)
{
    if (choice->wish.forward > FIGHTER_TILT) {
        fighter_decide_start(choice, action);
    } else {
        fighter_action_rest(choice->step, choice->slot);
    }
}

static void leave_squat(const FighterChoice *choice)
{
    bool is_held = choice->wish.jump_held || choice->wish.stick_y > FIGHTER_PUSH;
    fighter_decide_take_off(choice, is_held ? choice->kind->jump_speed : choice->kind->short_hop_speed);
}

// A shield that is held is up again at once: nothing but what a shield lets one do is open then.
static void leave_shield_stun(const FighterChoice *choice)
{
    if (choice->wish.shield_held) {
        fighter_decide_start(choice, FIGHTER_ACTION_SHIELD);
    } else {
        fighter_action_rest(choice->step, choice->slot);
    }
}

static void come_back(const FighterChoice *choice)
{
    fighter_decide_start(choice, FIGHTER_ACTION_RESPAWN);
    fighter_report(choice->step, FIGHTER_EVENT_RESPAWNED, choice->slot);
}

static void follow(const FighterChoice *choice)
{
    switch ((int)choice->fighter->action) {
    case FIGHTER_ACTION_KO:
        come_back(choice);
        return;
    case FIGHTER_ACTION_RESPAWN:
        fighter_decide_move_off(choice);
        return;
    case FIGHTER_ACTION_DASH:
        follow_stick(choice, FIGHTER_ACTION_RUN);
        return;
    case FIGHTER_ACTION_TURN:
        follow_stick(choice, FIGHTER_ACTION_DASH);
        return;
    case FIGHTER_ACTION_JUMP_SQUAT:
        leave_squat(choice);
        return;
    case FIGHTER_ACTION_AIR_DODGE:
    case FIGHTER_ACTION_RECOVERY:
        fighter_decide_start(choice, FIGHTER_ACTION_HELPLESS);
        return;
    case FIGHTER_ACTION_LEDGE_HANG:
        fighter_decide_let_go(choice);
        return;
    case FIGHTER_ACTION_LEDGE_CLIMB:
        fighter_ledge_stand(choice->step, choice->slot);
        return;
    case FIGHTER_ACTION_DOWN:
        fighter_decide_start(choice, FIGHTER_ACTION_GET_UP);
        return;
    case FIGHTER_ACTION_SHIELD_STUN:
        leave_shield_stun(choice);
        return;
    default:
        fighter_action_rest(choice->step, choice->slot);
        return;
    }
}

// The rules of where it is, once the pad may end the action; before that those of the action.
static const FighterRule *rules_of(const FighterChoice *choice)
{
    int32_t free_tick = fighter_action_frames(choice->step, choice->slot)->free_tick;
    if (free_tick > 0 && choice->fighter->action_tick + 1 >= free_tick) {
        return choice->fighter->surface != 0 ? stand_rules : air_rules;
    }
    return pad_rules[fighter_action_rule((FighterAction)choice->fighter->action)->pad];
}

static void decide(FighterStep *step, uint32_t slot)
{
    FighterChoice choice = { .step = step, .slot = slot, .fighter = &step->state.fighters[slot], .kind = step->kinds[slot] };
    choice.wish = fighter_pad_wish(step, slot);
    if (has_ended(&choice)) {
        follow(&choice);
    }
    for (const FighterRule *rule = rules_of(&choice); *rule != NULL; rule++) {
        if ((*rule)(&choice)) {
            return;
        }
    }
}

void fighter_decide(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        if (!step->is_frozen[i]) {
            decide(step, i);
        }
    }
}
