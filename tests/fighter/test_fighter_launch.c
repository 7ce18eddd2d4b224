// The formula of knockback against exact fractions in 128 bits, launches, their bending, staling, and what a blow does to a body.
#include <criterion/criterion.h>

#include "fighter_combat.h"
#include "fighter_rig.h"

#include "tickproof/trig.h"

__extension__ typedef __int128 Wide128;

static const tp_fx zero;

static FighterStrike strike_of(int32_t base, int32_t growth)
{
    return (FighterStrike){ .base = base, .growth = growth };
}

static tp_fx units(int32_t value)
{
    return (tp_fx){ FIGHTER_RAW(value) };
}

// ((s + v) (u + 2) 14 / (w + 100) + 18) growth / 100 + base, times percent / 100, over one denominator, cut once at the end.
static int64_t exact(const FighterStrike *strike, tp_fx u, tp_fx s, tp_fx v, int32_t weight, int32_t percent)
{
    Wide128 sum = (Wide128)(v.raw / 65536) * 65536 + s.raw;
    Wide128 product = sum * ((Wide128)u.raw + 131072) * 14;
    Wide128 one = (Wide128)1 << 32;
    Wide128 over = (product + 18 * one * (weight + 100)) * strike->growth + (Wide128)strike->base * 100 * one * (weight + 100);
    Wide128 result = over * percent / ((Wide128)10000 * (weight + 100) * 65536);
    return result > FIGHTER_RAW(FIGHTER_KNOCKBACK_MAX) ? FIGHTER_RAW(FIGHTER_KNOCKBACK_MAX) : (int64_t)result;
}

// Goal: the two examples of the formula's page, 56.4 and 140.4, to the last bit.
Test(fighter_launch, examples)
{
    FighterStrike strike = strike_of(30, 100);
    cr_assert_eq(fighter_launch_knockback(&strike, units(10), units(10), zero, 100, 100).raw, (int32_t)(564 * INT64_C(65536) / 10));
    cr_assert_eq(fighter_launch_knockback(&strike, units(10), units(10), units(100), 100, 100).raw, (int32_t)(1404 * INT64_C(65536) / 10));
}

// Goal: the largest product: 50 x 1049 leaves 16 bits, its third power of ten more than 32; the result is the cap, and below the cap it is exact.
Test(fighter_launch, extreme)
{
    FighterStrike strike = strike_of(30, 300);
    cr_assert_eq(fighter_launch_knockback(&strike, units(50), units(50), units(999), 100, 100).raw, FIGHTER_RAW(2500));
    tp_fx part = fighter_launch_knockback(&strike, units(50), units(50), units(999), 100, 10);
    int64_t expected = exact(&strike, units(50), units(50), units(999), 100, 10); // 1153.9
    cr_assert(part.raw > FIGHTER_RAW(1153) && part.raw < FIGHTER_RAW(1154), "%d", (int)part.raw);
    cr_assert(part.raw == expected || part.raw == expected - 1);
    strike = strike_of(2500, 1000);
    cr_assert_eq(fighter_launch_knockback(&strike, units(999), units(999), units(999), 0, 1000).raw, FIGHTER_RAW(2500));
}

// Goal: over all arguments the exact number cut to 16 bits, or one bit less: never more, never wrapped.
Test(fighter_launch, formula)
{
    tp_pcg32 noise = tp_pcg32_make(3, 1);
    uint32_t less = 0;
    uint32_t capped = 0;
    for (uint32_t i = 0; i < 300000; i++) {
        uint32_t scale = i % 3;
        int32_t base = (int32_t)tp_pcg32_below(&noise, 201);
        int32_t growth = (int32_t)tp_pcg32_below(&noise, scale == 2 ? 1001 : 301);
        FighterStrike strike = strike_of(base, growth);
        tp_fx u = { (int32_t)tp_pcg32_below(&noise, FIGHTER_RAW(scale == 0 ? 20 : 999)) };
        tp_fx s = { (int32_t)((int64_t)u.raw * (55 + tp_pcg32_below(&noise, 46)) / 100) };
        tp_fx v = { (int32_t)tp_pcg32_below(&noise, FIGHTER_RAW(scale == 0 ? 200 : 999) + 1) };
        int32_t weight = (int32_t)tp_pcg32_below(&noise, 300);
        int32_t percent = 1 + (int32_t)tp_pcg32_below(&noise, scale == 2 ? 1000 : 200);
        int64_t expected = exact(&strike, u, s, v, weight, percent);
        int64_t got = fighter_launch_knockback(&strike, u, s, v, weight, percent).raw;
        cr_assert(got == expected || got == expected - 1, "case %u: %lld, expected %lld", i, (long long)got, (long long)expected);
        less += got != expected;
        capped += got == FIGHTER_RAW(2500);
    }
    cr_assert_lt(less, 60000, "%u are one bit less", less);
    cr_assert(capped > 10000 && capped < 290000, "%u capped", capped);
}

// Goal: only the whole percent of the victim counts.
Test(fighter_launch, whole_percent)
{
    FighterStrike strike = strike_of(30, 100);
    tp_fx almost = { FIGHTER_RAW(42) + 65535 };
    cr_assert_eq(fighter_launch_knockback(&strike, units(10), units(10), almost, 100, 100).raw,
                 fighter_launch_knockback(&strike, units(10), units(10), units(42), 100, 100).raw);
}

Test(fighter_launch, staling)
{
    static const int32_t percents[] = { 100, 91, 83, 76, 70, 65, 61, 58, 56, 55, 55, 55 };
    Fighter fighter = { 0 };
    for (size_t i = 0; i < TP_COUNT_OF(percents); i++) {
        int64_t expected = FIGHTER_RAW(12) * (int64_t)percents[i] / 100;
        cr_assert_eq(fighter_launch_staled(&fighter, FIGHTER_ACTION_JAB, units(12)).raw, (int32_t)expected, "%zu", i);
        cr_assert_eq(fighter_launch_staled(&fighter, FIGHTER_ACTION_SHOOT, units(12)).raw, FIGHTER_RAW(12));
        fighter_launch_remember(&fighter, FIGHTER_ACTION_JAB);
    }
    for (int i = 0; i < FIGHTER_STALE_COUNT; i++) { // nine others, and it is as new
        fighter_launch_remember(&fighter, FIGHTER_ACTION_TILT_UP);
    }
    cr_assert_eq(fighter_launch_staled(&fighter, FIGHTER_ACTION_JAB, units(12)).raw, FIGHTER_RAW(12));
}

Test(fighter_launch, hitlag)
{
    cr_assert_eq(fighter_launch_hitlag(zero), 3);
    cr_assert_eq(fighter_launch_hitlag((tp_fx){ FIGHTER_RAW(3) - 1 }), 3);
    cr_assert_eq(fighter_launch_hitlag(units(3)), 4);
    cr_assert_eq(fighter_launch_hitlag(units(16)), 8);
    cr_assert_eq(fighter_launch_hitlag(units(51)), 20);
    cr_assert_eq(fighter_launch_hitlag(units(999)), 20);
}

// ---- Bending

typedef struct Bender {
    Fighter     fighter;
    FighterStep step;
} Bender;

static void bend(Bender *bender, int32_t x, int32_t y, int8_t stick_x, int8_t stick_y)
{
    *bender = (Bender){ .fighter = { .launch_x = { x }, .launch_y = { y }, .is_launched = 1, .action = FIGHTER_ACTION_TUMBLE } };
    bender->step.state.fighters = &bender->fighter;
    bender->step.state.fighter_count = 1;
    bender->step.pads[0] = (FighterInput){ .stick_x = stick_x, .stick_y = stick_y };
    fighter_launch_begin(&bender->step, 0);
    cr_assert_eq(bender->fighter.is_launched, 0);
}

static int32_t turned(const Bender *bender, int32_t x, int32_t y)
{
    return tp_angle_difference(tp_atan2(bender->fighter.launch_y, bender->fighter.launch_x), tp_atan2((tp_fx){ y }, (tp_fx){ x }));
}

// Goal: the whole stick across is 18 degrees, half of it 9, along it nothing; a diagonal is no longer than straight.
Test(fighter_launch, bends_by_the_stick_across)
{
    Bender bender;
    int32_t fast = FIGHTER_RAW(4);
    bend(&bender, fast, 0, 0, 127);
    cr_assert(turned(&bender, fast, 0) >= 3274 && turned(&bender, fast, 0) <= 3279, "%d", (int)turned(&bender, fast, 0));
    bend(&bender, fast, 0, 0, -127);
    cr_assert(turned(&bender, fast, 0) <= -3274 && turned(&bender, fast, 0) >= -3279);
    bend(&bender, fast, 0, 0, 64);
    cr_assert(turned(&bender, fast, 0) >= 1647 && turned(&bender, fast, 0) <= 1655, "%d", (int)turned(&bender, fast, 0));
    bend(&bender, fast, 0, 127, 0);
    cr_assert_eq(bender.fighter.launch_x.raw, fast);
    cr_assert_eq(bender.fighter.launch_y.raw, 0);
    bend(&bender, fast, 0, -127, 127); // 45 degrees of it across: 18 / sqrt 2 = 12.73 degrees
    cr_assert(turned(&bender, fast, 0) >= 2313 && turned(&bender, fast, 0) <= 2321, "%d", (int)turned(&bender, fast, 0));
    bend(&bender, 0, 0, 127, 127);
    cr_assert_eq(bender.fighter.launch_x.raw, 0);
}

// Goal: bending keeps the speed, never turns by more than 18 degrees, and is the same in the mirror for every launch and stick.
Test(fighter_launch, bends_alike_in_the_mirror)
{
    tp_pcg32 noise = tp_pcg32_make(3, 2);
    for (uint32_t i = 0; i < 100000; i++) {
        int32_t size = i % 2 == 0 ? FIGHTER_RAW(53) : 300; // both ways: 75 in length
        int32_t x = (int32_t)tp_pcg32_below(&noise, 2 * (uint32_t)size + 1) - size;
        int32_t y = (int32_t)tp_pcg32_below(&noise, 2 * (uint32_t)size + 1) - size;
        int8_t stick_x = (int8_t)((int32_t)tp_pcg32_below(&noise, 255) - 127);
        int8_t stick_y = (int8_t)((int32_t)tp_pcg32_below(&noise, 255) - 127);
        Bender bender;
        Bender image;
        bend(&bender, x, y, stick_x, stick_y);
        bend(&image, -x, y, (int8_t)-stick_x, stick_y);
        cr_assert_eq(bender.fighter.launch_x.raw, -image.fighter.launch_x.raw, "case %u", i);
        cr_assert_eq(bender.fighter.launch_y.raw, image.fighter.launch_y.raw, "case %u", i);
        int64_t before = (int64_t)x * x + (int64_t)y * y;
        int64_t after = (int64_t)bender.fighter.launch_x.raw * bender.fighter.launch_x.raw +
                        (int64_t)bender.fighter.launch_y.raw * bender.fighter.launch_y.raw;
        int64_t slack = before / 16384 + 8 * (int64_t)tp_isqrt_u64((uint64_t)before) + 16;
        cr_assert(after < before + slack && after > before - slack, "case %u", i);
        cr_assert(size == 300 || before < FIGHTER_RAW(1) * (int64_t)FIGHTER_RAW(1) ||
                  (turned(&bender, x, y) <= 3281 && turned(&bender, x, y) >= -3281), "case %u", i);
    }
}

// ---- Blows in a match

// A VALE that jabs a standing one at 12 units in the hall.
static void open_duel(Rig *rig, int32_t damage, int64_t percent)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    config.items[FIGHTER_CONFIG_LAUNCH_PERCENT] = percent;
    config.items[FIGHTER_CONFIG_FIGHTER_1 + 1] = FIGHTER_KIND_VALE;
    rig_open_with(rig, 2, 1, config);
    rig_step(rig);
    rig_stand(rig, 0, -FIGHTER_RAW(10), 0, FIGHTER_FACING_RIGHT);
    rig_stand(rig, 1, FIGHTER_RAW(10), 0, FIGHTER_FACING_LEFT);
    rig->state.fighters[1].damage.raw = FIGHTER_RAW(damage);
}

static const FighterImpact *strike_once(Rig *rig, FighterInput pad)
{
    rig->pads[0] = pad;
    rig_step(rig);
    rig->pads[0] = (FighterInput){ 0 };
    for (int i = 0; i < 60 && rig_event_count(rig, FIGHTER_EVENT_HIT) == 0; i++) {
        rig_step(rig);
    }
    const FighterImpact *impact = rig_impact(rig, FIGHTER_EVENT_HIT);
    cr_assert_not_null(impact, "nobody was hit");
    return impact;
}

static const FighterInput smash = { .c_x = 127 };

// Goal: a hit of n ticks of hitlag freezes both for exactly the next n, then the victim flies and the owner goes on.
Test(fighter_launch, freezes_both_then_launches)
{
    Rig rig;
    open_duel(&rig, 30, 100);
    const FighterImpact *impact = strike_once(&rig, smash);
    const Fighter *owner = &rig.state.fighters[0];
    const Fighter *victim = &rig.state.fighters[1];
    cr_assert_eq(impact->slot, 1);
    cr_assert_eq(impact->by, 1);
    cr_assert_eq(victim->damage.raw, FIGHTER_RAW(30) + impact->damage.raw);
    uint32_t hitlag = fighter_launch_hitlag(impact->damage);
    uint32_t owner_tick = owner->action_tick;
    int32_t x = victim->x.raw;
    cr_assert_eq(victim->hitlag_ticks, hitlag);
    cr_assert_eq(owner->hitlag_ticks, hitlag);
    cr_assert_eq(victim->is_launched, 1);
    uint32_t stun = victim->lag_ticks;
    cr_assert_eq(stun, (uint32_t)((int64_t)impact->knockback.raw * 2 / 5 / 65536));
    for (uint32_t i = 0; i < hitlag; i++) {
        cr_assert_eq(victim->x.raw, x, "moved in tick %u of %u", i, hitlag);
        cr_assert_eq(owner->action_tick, owner_tick);
        cr_assert_eq(victim->lag_ticks, stun);
        rig_step(&rig);
    }
    cr_assert_eq(victim->is_launched, 0);
    cr_assert_eq(victim->x.raw, x);
    cr_assert_gt(victim->launch_x.raw, 0);
    rig_step(&rig);
    cr_assert_gt(victim->x.raw, x);
    cr_assert_eq(owner->action_tick, owner_tick + 1);
    cr_assert_eq(victim->facing, FIGHTER_FACING_LEFT, "it looks at who struck it");
    rig_close(&rig);
}

// Goal: from 80 on a blow makes somebody tumble; below it is stun.
Test(fighter_launch, tumbles_from_eighty)
{
    bool has_tumbled = false;
    bool has_not = false;
    for (int32_t damage = 0; damage < 120; damage += 5) {
        Rig rig;
        open_duel(&rig, damage, 100);
        const FighterImpact *impact = strike_once(&rig, smash);
        bool does_tumble = impact->knockback.raw >= FIGHTER_RAW(80);
        cr_assert_eq(rig.state.fighters[1].action, does_tumble ? FIGHTER_ACTION_TUMBLE : FIGHTER_ACTION_HITSTUN, "%d percent", (int)damage);
        has_tumbled |= does_tumble;
        has_not |= !does_tumble;
        rig_close(&rig);
    }
    cr_assert(has_tumbled && has_not);
}

// Goal: the whole of launch_percent, and the cap, in a match: nobody faults at 1000 percent, and the fall is counted in the same tick.
Test(fighter_launch, strongest_blow)
{
    Rig rig;
    open_duel(&rig, 999, 1000);
    const FighterImpact *impact = strike_once(&rig, smash);
    cr_assert_eq(impact->knockback.raw, FIGHTER_RAW(2500));
    cr_assert_eq(rig.state.fighters[1].damage.raw, FIGHTER_RAW(999), "damage stops at 999");
    for (int i = 0; i < 200 && rig.seen[FIGHTER_EVENT_KO] == 0; i++) {
        rig_step(&rig);
        rig_check(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_KO], 1);
    cr_assert_eq(rig.state.fighters[0].kos, 1);
    cr_assert_eq(rig.state.fighters[1].falls, 1);
    cr_assert_eq(rig.state.fighters[1].stocks, 3);
    rig_close(&rig);
}

// Goal: angle 361 is level for a weak blow at somebody who stands, 44 degrees for a strong one; who stands and is struck down bounces up.
Test(fighter_launch, angles)
{
    static const struct { int32_t angle, knockback; bool stands; int32_t degrees; } cases[] = {
        { 361, 31, true, 0 }, { 361, 32, true, 44 }, { 361, 31, false, 44 }, { 90, 50, true, 90 }, { 270, 50, false, 270 }, { 180, 50, true, 180 },
    };
    for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
        Rig rig;
        open_duel(&rig, 0, 100);
        tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
        FighterStep step = { .state = rig.state, .context = &context };
        FighterStrike strike = { .angle = cases[i].angle };
        FighterBlow blow = { .strike = &strike, .facing = FIGHTER_FACING_RIGHT, .damage = units(5), .knockback = units(cases[i].knockback) };
        Fighter *victim = &rig.state.fighters[1];
        if (!cases[i].stands) {
            victim->surface = 0;
        }
        fighter_launch_apply(&step, 1, &blow);
        int32_t angle = tp_atan2(victim->launch_y, victim->launch_x).raw;
        cr_assert_leq(abs(tp_angle_difference(tp_angle_raw((uint16_t)angle), tp_angle_from_degrees(cases[i].degrees))), 3, "case %zu", i);
        rig_close(&rig);
    }
}

Test(fighter_launch, bounces)
{
    Rig rig;
    open_duel(&rig, 0, 100);
    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    FighterStep step = { .state = rig.state, .context = &context };
    FighterStrike strike = { .angle = 270 };
    FighterBlow blow = { .strike = &strike, .facing = FIGHTER_FACING_RIGHT, .damage = units(5), .knockback = units(50) };
    fighter_launch_apply(&step, 1, &blow);
    cr_assert_eq(rig.state.fighters[1].launch_y.raw, FIGHTER_RAW(3) / 2 * 4 / 5);
    rig_close(&rig);
}

static void open_three(Rig *rig)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        config.items[FIGHTER_CONFIG_FIGHTER_1 + i] = FIGHTER_KIND_VALE;
    }
    rig_open_with(rig, 3, 1, config);
    rig_step(rig);
}

// Goal: of two equal blows at one fighter in one tick the lower slot's launches, from whichever side; the damage of both counts.
Test(fighter_launch, equal_blows)
{
    for (uint32_t left = 0; left < 3; left += 2) {
        Rig rig;
        open_three(&rig);
        rig_stand(&rig, 1, 0, 0, FIGHTER_FACING_LEFT);
        rig_stand(&rig, left, -FIGHTER_RAW(22), 0, FIGHTER_FACING_RIGHT);
        rig_stand(&rig, 2 - left, FIGHTER_RAW(22), 0, FIGHTER_FACING_LEFT);
        rig_poise(&rig, 0, FIGHTER_ACTION_SMASH_FORWARD);
        rig_poise(&rig, 2, FIGHTER_ACTION_SMASH_FORWARD);
        rig_step(&rig);
        const FighterImpact *impact = rig_impact(&rig, FIGHTER_EVENT_HIT);
        cr_assert_not_null(impact);
        cr_assert_eq(impact->damage.raw, 2 * fighter_strikes[fighter_kinds[0].actions[FIGHTER_ACTION_SMASH_FORWARD].first_strike].damage);
        cr_assert_eq(impact->by, 1, "left %u", left);
        cr_assert_eq(rig.state.fighters[1].launch_x.raw > 0, left == 0);
        rig_close(&rig);
    }
}

// Goal: who strikes weakly in the tick in which it is struck hard is frozen for as long as the hard blow says.
Test(fighter_launch, longer_freeze_counts)
{
    Rig rig;
    open_three(&rig);
    rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
    rig_stand(&rig, 1, FIGHTER_RAW(20), 0, FIGHTER_FACING_LEFT);
    rig_stand(&rig, 2, -FIGHTER_RAW(22), 0, FIGHTER_FACING_RIGHT);
    rig_poise(&rig, 0, FIGHTER_ACTION_JAB);
    rig_poise(&rig, 2, FIGHTER_ACTION_SMASH_FORWARD);
    rig_step(&rig);
    const FighterImpact *hard = rig_impact_of(&rig, FIGHTER_EVENT_HIT, 0);
    const FighterImpact *weak = rig_impact_of(&rig, FIGHTER_EVENT_HIT, 1);
    cr_assert(hard != NULL && weak != NULL);
    cr_assert_lt(fighter_launch_hitlag(weak->damage), fighter_launch_hitlag(hard->damage));
    cr_assert_eq(rig.state.fighters[0].hitlag_ticks, fighter_launch_hitlag(hard->damage));
    rig_close(&rig);
}

// Goal: the weakest blow stuns for a tick.
Test(fighter_launch, weakest_stun)
{
    static const struct { int32_t knockback, stun; } rows[] = { { 0, 1 }, { 2, 1 }, { 5, 2 }, { 2500, FIGHTER_STUN_MAX } };
    for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
        Rig rig;
        open_duel(&rig, 0, 100);
        tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
        FighterStep step = { .state = rig.state, .context = &context };
        FighterStrike strike = { .angle = 45 };
        FighterBlow blow = { .strike = &strike, .facing = FIGHTER_FACING_RIGHT, .damage = units(1), .knockback = units(rows[i].knockback) };
        fighter_launch_apply(&step, 1, &blow);
        cr_assert_eq(rig.state.fighters[1].lag_ticks, rows[i].stun, "row %zu", i);
        rig_close(&rig);
    }
}
