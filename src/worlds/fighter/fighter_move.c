// fighter_move.c: how fighters move. Whether a fighter stood on the floor is asked before it moves: that decides whether it may jump
// and whether gravity has it, so there is no gravity in the tick of a take-off.
#include "fighter_step.h"

static const tp_fx gravity = TP_FX_RAW(FIGHTER_GRAVITY_RAW);
static const tp_fx full_speed = TP_FX_RAW(FIGHTER_SPEED_RAW);
static const tp_fx jump_speed = TP_FX_RAW(FIGHTER_JUMP_RAW);

static bool is_on_floor(const FighterStage *stage, const Fighter *fighter)
{
    return !tp_fx_less(stage->floor, fighter->y);
}

FighterLabel fighter_move_label(const FighterStage *stage, const Fighter *fighter)
{
    if (!is_on_floor(stage, fighter)) {
        return FIGHTER_LABEL_AIRBORNE;
    }
    return fighter->velocity_x.raw != 0 ? FIGHTER_LABEL_WALK : FIGHTER_LABEL_IDLE;
}

// Both roundings go toward zero: a stick to the left is exactly as fast as the same stick to the right.
static void steer(Fighter *fighter, int8_t stick_x)
{
    tp_fx stick = tp_fx_from_int(stick_x);
    tp_fx direction = tp_fx_div_int(stick, FIGHTER_STICK_MAX);
    fighter->velocity_x = tp_fx_mul_sym(direction, full_speed);
    if (stick_x != 0) {
        fighter->facing = stick_x < 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT;
    }
}

void fighter_move_steer(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        steer(fighter, step->inputs[i].stick_x);
        bool wants_to_jump = (step->inputs[i].buttons & FIGHTER_BUTTON_JUMP) != 0 && fighter->seat == FIGHTER_SEAT_PLAYING;
        if (wants_to_jump && is_on_floor(step->state.stage, fighter)) {
            fighter->velocity_y = jump_speed;
            fighter_report(step, FIGHTER_EVENT_JUMPED, i);
        }
    }
}

void fighter_move_integrate(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        step->from_x[i] = fighter->x;
        if (!is_on_floor(step->state.stage, fighter)) {
            fighter->velocity_y = tp_fx_sub(fighter->velocity_y, gravity);
        }
        fighter->x = tp_fx_add(fighter->x, fighter->velocity_x);
        fighter->y = tp_fx_add(fighter->y, fighter->velocity_y);
    }
}

// At the floor or below it. A full jump comes down to 0 exactly, with 8 units a tick still downwards: that is a landing, too.
// True when the fighter landed.
static bool meet_floor(const FighterStage *stage, Fighter *fighter)
{
    if (!is_on_floor(stage, fighter)) {
        return false;
    }
    fighter->y = stage->floor;
    fighter->velocity_y = tp_fx_max(fighter->velocity_y, tp_fx_raw(0));
    return fighter->label == FIGHTER_LABEL_AIRBORNE; // of the tick before: labels come last
}

// At a wall or past it. True when the fighter was not there before.
static bool meet_walls(const FighterStage *stage, Fighter *fighter, tp_fx from_x)
{
    fighter->x = tp_fx_clamp(fighter->x, stage->left, stage->right);
    if (!tp_fx_equal(fighter->x, stage->left) && !tp_fx_equal(fighter->x, stage->right)) {
        return false;
    }
    fighter->velocity_x = tp_fx_raw(0);
    return !tp_fx_equal(fighter->x, from_x);
}

void fighter_move_collide(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        bool has_met_wall = meet_walls(step->state.stage, fighter, step->from_x[i]);
        bool has_landed = meet_floor(step->state.stage, fighter);
        if (has_met_wall) {
            fighter_report(step, FIGHTER_EVENT_WALL, i);
        }
        if (has_landed) {
            fighter_report(step, FIGHTER_EVENT_LANDED, i);
        }
    }
}

void fighter_move_resolve(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        fighter->label = (uint8_t)fighter_move_label(step->state.stage, fighter);
    }
}
