// fighter_launch.c: what a blow does to a body: damage, how far it flies, how long it is frozen and stunned, and how the victim bends its way.
#include "fighter_combat.h"

#include "tickproof/trig.h"

enum {
    ANGLE_SPECIAL   = 361, // low for a weak blow against somebody who stands, else 44
    ANGLE_STRONG    = 44,
    WEAK_KNOCKBACK  = 32,
    BEND_ANGLE      = 3277, // 18 degrees of 65536 to the turn: 3276.8
    STICK_FINE      = 256,  // steps of a stick's unit while its length is measured
    KNOCKBACK_SHIFT = 24,   // fraction of a knockback on its way
};

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// With u the damage before and s after staling, v the whole percent of the victim, w its weight, G growth / 100 and b base:
//     ((0.05 u (s + v) + 0.1 (s + v)) * 200 / (w + 100) * 1.4 + 18) * G + b
//   = ((s + v) (u + 2) * 14 / (w + 100) + 18) * G + b
// (Melee's, as ssbwiki.com has it on its page Knockback)
// then times percent / 100, at most 2500. The product comes before every division, in 64 bits: with 999 for u, s, v, growth 1000, percent 1000 and
// no weight it is below 2^57. Each division drops less than 2^-24, so that the result is the exact one's 16 bits or one less.
tp_fx fighter_launch_knockback(const FighterStrike *strike, tp_fx unstaled, tp_fx staled, tp_fx victim, int32_t weight, int32_t percent)
{
    int64_t whole = (int64_t)tp_fx_floor(victim) * 65536;
    int64_t grown = (whole + staled.raw) * ((int64_t)unstaled.raw + FIGHTER_RAW(2)) * 14 / (weight + 100);
    int64_t fine = grown / (1 << (32 - KNOCKBACK_SHIFT)) + (INT64_C(18) << KNOCKBACK_SHIFT);
    int64_t knockback = fine * strike->growth / 100 + ((int64_t)strike->base << KNOCKBACK_SHIFT);
    int64_t scaled = knockback * percent / 100 / (1 << (KNOCKBACK_SHIFT - 16));
    return tp_fx_narrow(lesser(scaled, FIGHTER_RAW(FIGHTER_KNOCKBACK_MAX)));
}

tp_fx fighter_launch_staled(const Fighter *fighter, FighterAction action, tp_fx damage)
{
    int32_t percent = 100;
    for (int32_t i = 0; i < FIGHTER_STALE_COUNT; i++) {
        percent -= fighter->stale[i] == (uint32_t)action + 1 ? FIGHTER_STALE_COUNT - i : 0;
    }
    return tp_fx_narrow((int64_t)damage.raw * percent / 100);
}

void fighter_launch_remember(Fighter *fighter, FighterAction action)
{
    for (uint32_t i = FIGHTER_STALE_COUNT - 1; i > 0; i--) {
        fighter->stale[i] = fighter->stale[i - 1];
    }
    fighter->stale[0] = (uint8_t)(action + 1);
}

uint16_t fighter_launch_hitlag(tp_fx damage)
{
    return (uint16_t)lesser(tp_fx_floor(damage) / 3 + 3, FIGHTER_HITLAG_MAX);
}

static int32_t degrees_of(const FighterBlow *blow, bool is_grounded)
{
    if (blow->strike->angle != ANGLE_SPECIAL) {
        return blow->strike->angle;
    }
    return is_grounded && blow->knockback.raw < FIGHTER_RAW(WEAK_KNOCKBACK) ? 0 : ANGLE_STRONG;
}

// 0.03 units a tick for each knockback, so at most 75. Who stands and is struck down bounces with four fifths of it.
static void set_launch(Fighter *fighter, const FighterBlow *blow)
{
    bool is_grounded = fighter->surface != 0;
    int32_t degrees = degrees_of(blow, is_grounded);
    tp_angle angle = tp_angle_from_degrees(degrees);
    tp_fx speed = tp_fx_narrow((int64_t)blow->knockback.raw * 3 / 100);
    tp_fx forward = tp_fx_mul_sym(speed, tp_cos(angle));
    tp_fx up = tp_fx_mul_sym(speed, tp_sin(angle));
    fighter->launch_x.raw = blow->facing == FIGHTER_FACING_LEFT ? -forward.raw : forward.raw;
    fighter->launch_y.raw = is_grounded && up.raw < 0 ? (int32_t)((int64_t)up.raw * -4 / 5) : up.raw;
    fighter->is_launched = 1;
}

void fighter_launch_apply(FighterStep *step, uint32_t slot, const FighterBlow *blow)
{
    Fighter *fighter = &step->state.fighters[slot];
    bool does_tumble = blow->knockback.raw >= FIGHTER_RAW(FIGHTER_TUMBLE_KNOCKBACK);
    int64_t stun = (int64_t)blow->knockback.raw * 2 / 5 / 65536;
    fighter_grab_release(step, slot);
    fighter_action_start(step, slot, does_tumble ? FIGHTER_ACTION_TUMBLE : FIGHTER_ACTION_HITSTUN);
    fighter->damage.raw = (int32_t)lesser((int64_t)fighter->damage.raw + blow->damage.raw, FIGHTER_RAW(FIGHTER_DAMAGE_MAX));
    fighter->lag_ticks = (uint16_t)(stun > 1 ? stun : 1);
    fighter->hitlag_ticks = fighter_launch_hitlag(blow->damage);
    step->is_fresh[slot] = true;
    fighter->guard_ticks = 0;
    fighter->velocity_x.raw = 0;
    fighter->velocity_y.raw = 0;
    fighter->is_fast_falling = 0;
    fighter->is_guard_spent = 0;
    fighter->last_hit_by = (uint8_t)(blow->by + 1);
    fighter->facing = blow->facing == FIGHTER_FACING_LEFT ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT;
    set_launch(fighter, blow);
    if (does_tumble) {
        fighter->surface = 0;
    }
}

// How much of the stick lies across the launch, times 18 degrees: positive turns counter-clockwise. Mirrored arguments give the
// mirrored turn, since every quotient is cut toward zero. The largest product is 2^23 * 2^8 * 2^8 * 2^12.
static int32_t bend_of(int64_t launch_x, int64_t launch_y, const FighterInput *pad)
{
    int64_t stick_x = pad->stick_x;
    int64_t stick_y = pad->stick_y;
    uint64_t stick_squared = (uint64_t)(stick_x * stick_x + stick_y * stick_y);
    int64_t stick = tp_isqrt_u64(stick_squared * (STICK_FINE * STICK_FINE));
    int64_t speed = tp_isqrt_u64((uint64_t)(launch_x * launch_x + launch_y * launch_y));
    int64_t length = stick > FIGHTER_STICK_MAX * STICK_FINE ? stick : FIGHTER_STICK_MAX * STICK_FINE;
    if (speed == 0) {
        return 0;
    }
    int64_t bend = (launch_x * stick_y - launch_y * stick_x) * STICK_FINE * BEND_ANGLE / (speed * length);
    return fighter_clamped(bend, BEND_ANGLE);
}

void fighter_launch_begin(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    int64_t x = fighter->launch_x.raw;
    int64_t y = fighter->launch_y.raw;
    tp_angle bend = tp_angle_raw((uint16_t)bend_of(x, y, &step->pads[slot]));
    int64_t cosine = tp_cos(bend).raw;
    int64_t sine = tp_sin(bend).raw;
    fighter->launch_x.raw = fighter_clamped((x * cosine - y * sine) / 65536, FIGHTER_RAW(FIGHTER_SPEED_MAX));
    fighter->launch_y.raw = fighter_clamped((x * sine + y * cosine) / 65536, FIGHTER_RAW(FIGHTER_SPEED_MAX));
    fighter->is_launched = 0;
    if (fighter->surface != 0 && fighter->launch_y.raw > 0) {
        fighter->surface = 0;
    } else if (fighter->surface != 0) {
        fighter->launch_y.raw = 0;
    }
}
