// fighter_move.c: velocities. `velocity_*` is what a fighter does itself: the stick, friction, gravity, or the ticks of an action's own
// motion; `launch_*` is what the last blow still gives. Both are only added together when fighter_collide.c moves the fighter.
// Whatever has a sign in x is rounded toward zero, so that the mirror image of a match is the match of the mirror images.
#include "fighter_action.h"

enum {
    LAUNCH_BRAKE = 3342, ///< 0.051 units a tick of a launch's length
    DIAGONAL = 46341,    ///< the square root of 1/2
};

static int32_t toward(int32_t value, int32_t target, int32_t by)
{
    if (value < target) {
        return target - value > by ? value + by : target;
    }
    return value - target > by ? value - by : target;
}

static tp_fx scaled(int32_t stick, int32_t speed)
{
    tp_fx whole = tp_fx_from_int(stick);
    tp_fx part = tp_fx_div_int(whole, FIGHTER_STICK_MAX);
    return tp_fx_mul_sym(part, tp_fx_raw(speed));
}

// Faster than the stick asks for, on the side it asks for, is slowed by the air only.
static void drift(Fighter *fighter, const FighterKind *kind, int32_t stick)
{
    int32_t target = scaled(stick, kind->air_speed).raw;
    int32_t now = fighter->velocity_x.raw;
    bool is_slowed = target == 0 || (target > 0 && now > target) || (target < 0 && now < target);
    fighter->velocity_x = tp_fx_raw(toward(now, target, is_slowed ? kind->air_friction : kind->air_acceleration));
}

static void fall(Fighter *fighter, const FighterKind *kind)
{
    bool is_stunned = fighter->action == FIGHTER_ACTION_HITSTUN || fighter->action == FIGHTER_ACTION_TUMBLE;
    bool is_flung = is_stunned && (fighter->launch_x.raw != 0 || fighter->launch_y.raw != 0);
    int32_t gravity = is_flung ? kind->stun_gravity : kind->gravity;
    int32_t lowest = is_flung ? -kind->stun_fall_speed : -kind->fall_speed;
    int32_t slower = fighter->velocity_y.raw - gravity;
    fighter->velocity_y = tp_fx_raw(slower < lowest ? lowest : slower);
    if (fighter->is_fast_falling != 0 && !is_stunned) {
        fighter->velocity_y = tp_fx_raw(-kind->fast_fall_speed);
    }
}

static void steer_ground(Fighter *fighter, const FighterKind *kind, const FighterInput *pad, FighterSteer steer)
{
    int32_t side = fighter_action_side(fighter);
    int32_t now = fighter->velocity_x.raw;
    int32_t next = toward(now, 0, kind->friction);
    if (steer == FIGHTER_STEER_WALK) {
        next = toward(now, scaled(pad->stick_x, kind->walk_speed).raw, kind->ground_acceleration);
    } else if (steer == FIGHTER_STEER_DASH) {
        next = side * kind->dash_speed;
    } else if (steer == FIGHTER_STEER_RUN) {
        next = toward(now, side * kind->run_speed, kind->ground_acceleration);
    } else if (steer == FIGHTER_STEER_KEEP) {
        next = now;
    }
    fighter->velocity_x = tp_fx_raw(next);
    fighter->velocity_y = tp_fx_raw(0);
}

static void steer_air(Fighter *fighter, const FighterKind *kind, const FighterInput *pad, FighterSteer steer)
{
    bool tumbles_on = fighter->action == FIGHTER_ACTION_TUMBLE && fighter->lag_ticks == 0;
    bool drifts = steer == FIGHTER_STEER_DRIFT || steer == FIGHTER_STEER_HOVER || tumbles_on;
    drift(fighter, kind, drifts ? pad->stick_x : 0);
    fall(fighter, kind);
}

static int32_t direction(int32_t stick)
{
    return (stick > FIGHTER_TILT) - (stick < -FIGHTER_TILT);
}

// One of eight ways, or none; as far each way.
static void begin_dodge(Fighter *fighter, const FighterInput *pad, int32_t speed)
{
    int32_t x = direction(pad->stick_x);
    int32_t y = direction(pad->stick_y);
    int32_t part = x != 0 && y != 0 ? tp_fx_mul_sym(tp_fx_raw(speed), tp_fx_raw(DIAGONAL)).raw : speed;
    fighter->velocity_x = tp_fx_raw(x * part);
    fighter->velocity_y = tp_fx_raw(y * part);
}

// An action's own motion, which nothing steers. An air dodge keeps the way it began with.
static void move_by_itself(Fighter *fighter, const FighterFrames *frames, const FighterInput *pad, int32_t tick)
{
    if (fighter->action == FIGHTER_ACTION_AIR_DODGE) {
        if (tick == frames->move_first) {
            begin_dodge(fighter, pad, frames->move_x);
        }
        return;
    }
    if (frames->move_y > 0) {
        fighter->surface = 0;
    }
    fighter->velocity_x = tp_fx_raw(fighter_action_side(fighter) * frames->move_x);
    fighter->velocity_y = tp_fx_raw(fighter->surface != 0 ? 0 : frames->move_y);
}

// A launch loses its length and keeps its direction; on the ground it is a slide like any other.
static void brake(Fighter *fighter, const FighterKind *kind)
{
    int64_t x = fighter->launch_x.raw;
    int64_t y = fighter->launch_y.raw;
    int64_t by = fighter->surface != 0 ? kind->friction : LAUNCH_BRAKE;
    int64_t length = tp_isqrt_u64((uint64_t)(x * x + y * y));
    int64_t rest = length > by ? length - by : 0;
    fighter->launch_x = tp_fx_raw(length == 0 ? 0 : (int32_t)(x * rest / length));
    fighter->launch_y = tp_fx_raw(length == 0 ? 0 : (int32_t)(y * rest / length));
}

static void stand_still(Fighter *fighter)
{
    fighter->velocity_x = tp_fx_raw(0);
    fighter->velocity_y = tp_fx_raw(0);
}

static void accelerate(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    const FighterFrames *frames = fighter_action_frames(step, slot);
    const FighterInput *pad = &step->pads[slot];
    FighterSteer steer = (FighterSteer)fighter_action_rule((FighterAction)fighter->action)->steer;
    int32_t tick = fighter->action_tick + 1; // layer 3 counts it
    bool moves_by_itself = frames->move_first > 0 && tick >= frames->move_first && tick <= frames->move_last;
    if (steer == FIGHTER_STEER_STILL) {
        stand_still(fighter);
        return;
    }
    if (moves_by_itself) {
        move_by_itself(fighter, frames, pad, tick);
    } else if (steer == FIGHTER_STEER_HOVER && tick < frames->move_first) {
        stand_still(fighter);
    } else if (fighter->surface != 0) {
        steer_ground(fighter, step->kinds[slot], pad, steer);
    } else {
        steer_air(fighter, step->kinds[slot], pad, steer);
    }
    brake(fighter, step->kinds[slot]);
}

void fighter_move_accelerate(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        bool is_on_stage = fighter_action_is_on_stage((FighterAction)step->state.fighters[i].action);
        if (is_on_stage && !step->is_frozen[i]) {
            accelerate(step, i);
        }
    }
}
