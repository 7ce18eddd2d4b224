// Layer 5 as a whole: trades, several blows at one body, windows and parts, who is not struck, and the order of slots.
#include <criterion/criterion.h>

#include <stdio.h>

#include "fighter_combat.h"
#include "fighter_rig.h"

// The rules of combat as they are, built here so that every test of two capsules is counted. The archive's copy is not linked beside it.
static uint64_t capsule_tests;

static bool counted_sweep(const FighterCapsule *a, const FighterPose *a_pose, const FighterCapsule *b, const FighterPose *b_pose)
{
    capsule_tests++;
    return fighter_reach_sweep(a, a_pose, b, b_pose);
}

#define fighter_reach_sweep counted_sweep
#include "fighter_combat.c"
#undef fighter_reach_sweep

static const FighterInput neutral;
static const FighterInput attack = { .buttons = FIGHTER_BUTTON_ATTACK };
static const FighterInput smash_right = { .c_x = 127 };
static const FighterInput smash_left = { .c_x = -127 };

static void open_hall(Rig *rig, uint32_t players, FighterKindName kind)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    for (uint32_t i = 0; i < FIGHTER_CONFIG_FIGHTERS; i++) {
        config.items[FIGHTER_CONFIG_FIGHTER_1 + i] = kind;
    }
    rig_open_with(rig, players, 1, config);
    rig_step(rig);
    for (uint32_t i = 0; i < players; i++) { // out of everybody's way
        rig_stand(rig, i, FIGHTER_RAW(-195 + 3 * (int32_t)i), 0, FIGHTER_FACING_RIGHT);
    }
}

static void stand(Rig *rig, uint32_t slot, int32_t x, FighterFacing facing)
{
    rig_stand(rig, slot, FIGHTER_RAW(x), 0, facing);
}

static uint32_t step_until(Rig *rig, FighterEvent type, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        rig_step(rig);
        for (uint32_t k = 0; k < rig->players; k++) {
            rig->pads[k] = neutral;
        }
        if (rig_event_count(rig, type) > 0) {
            return i + 1;
        }
    }
    return 0;
}

// Goal: two that strike each other in the same tick both are hit, and both fly away from each other exactly alike.
Test(fighter_combat, trade)
{
    Rig rig;
    open_hall(&rig, 2, FIGHTER_KIND_VALE);
    stand(&rig, 0, -14, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 14, FIGHTER_FACING_LEFT);
    rig.pads[0] = smash_right;
    rig.pads[1] = smash_left;
    cr_assert_neq(step_until(&rig, FIGHTER_EVENT_HIT, 60), 0);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_HIT), 2);
    for (int i = 0; i < 60; i++) {
        rig_step(&rig);
        cr_assert_eq(rig.state.fighters[0].x.raw, -rig.state.fighters[1].x.raw);
        cr_assert_eq(rig.state.fighters[0].y.raw, rig.state.fighters[1].y.raw);
        cr_assert_eq(rig.state.fighters[0].damage.raw, rig.state.fighters[1].damage.raw);
    }
    cr_assert_lt(rig.state.fighters[0].x.raw, -FIGHTER_RAW(14));
    rig_close(&rig);
}

// Goal: a strike begins in its first tick and not before, and one part strikes the same fighter once.
Test(fighter_combat, window)
{
    Rig rig;
    open_hall(&rig, 2, FIGHTER_KIND_VALE);
    const FighterFrames *frames = &fighter_kinds[FIGHTER_KIND_VALE].actions[FIGHTER_ACTION_TILT_FORWARD];
    stand(&rig, 0, -12, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 12, FIGHTER_FACING_LEFT);
    rig.pads[0].stick_x = 60;
    rig_steps(&rig, 1);
    stand(&rig, 0, -12, FIGHTER_FACING_RIGHT);
    rig.pads[0].buttons = FIGHTER_BUTTON_ATTACK;
    uint32_t ticks = step_until(&rig, FIGHTER_EVENT_HIT, 60);
    cr_assert_eq(ticks, (uint32_t)fighter_strikes[frames->first_strike].first_tick);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_TILT_FORWARD);
    cr_assert_eq(rig.state.fighters[0].struck[0], 2, "slot 1 and nobody else");
    rig_steps(&rig, 60);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 1);
    rig_close(&rig);
}

// Goal: an action of two parts strikes somebody who stays twice.
Test(fighter_combat, parts)
{
    Rig rig;
    open_hall(&rig, 2, FIGHTER_KIND_VALE);
    stand(&rig, 0, -8, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 8, FIGHTER_FACING_LEFT);
    rig.pads[0] = attack;
    cr_assert_neq(step_until(&rig, FIGHTER_EVENT_HIT, 30), 0);
    uint8_t part = rig.state.fighters[0].strike_part;
    for (int i = 0; i < 30 && rig.seen[FIGHTER_EVENT_HIT] < 2; i++) {
        stand(&rig, 1, 8, FIGHTER_FACING_LEFT); // holds still whatever hits it
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 2);
    cr_assert_eq(rig.state.fighters[0].strike_part, part + 1);
    rig_close(&rig);
}

// Goal: two blows at one body in one tick: one event, the damage of both, the launch and the owner of the stronger one.
Test(fighter_combat, two_at_one)
{
    for (uint32_t weak = 0; weak < 3; weak += 2) { // the weaker one below and above the stronger one's slot
        Rig rig;
        uint32_t strong = 2 - weak;
        open_hall(&rig, 3, FIGHTER_KIND_VALE);
        stand(&rig, 1, 0, FIGHTER_FACING_LEFT);
        stand(&rig, weak, -26, FIGHTER_FACING_RIGHT);
        stand(&rig, strong, 26, FIGHTER_FACING_LEFT);
        for (int i = 0; i < 6; i++) { // the weaker one has struck so often that it is stale
            fighter_launch_remember(&rig.state.fighters[weak], FIGHTER_ACTION_SMASH_FORWARD);
        }
        rig.pads[weak] = smash_right;
        rig.pads[strong] = smash_left;
        cr_assert_neq(step_until(&rig, FIGHTER_EVENT_HIT, 60), 0);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_HIT), 1);
        const FighterImpact *impact = rig_impact(&rig, FIGHTER_EVENT_HIT);
        cr_assert_eq(impact->slot, 1);
        cr_assert_eq(impact->by, strong + 1);
        tp_fx fresh = { fighter_strikes[fighter_kinds[0].actions[FIGHTER_ACTION_SMASH_FORWARD].first_strike].damage };
        Fighter stale = { 0 };
        for (int i = 0; i < 6; i++) {
            fighter_launch_remember(&stale, FIGHTER_ACTION_SMASH_FORWARD);
        }
        cr_assert_eq(impact->damage.raw, fresh.raw + fighter_launch_staled(&stale, FIGHTER_ACTION_SMASH_FORWARD, fresh).raw);
        cr_assert_lt(rig.state.fighters[1].launch_x.raw, 0, "the stronger one strikes to the left");
        rig_close(&rig);
    }
}

// Goal: the one tie of slots: equal blows from both sides, the lower slot's launches.
Test(fighter_combat, tie_goes_to_the_lower_slot)
{
    for (uint32_t left = 0; left < 3; left += 2) {
        Rig rig;
        open_hall(&rig, 3, FIGHTER_KIND_VALE);
        stand(&rig, 1, 0, FIGHTER_FACING_LEFT);
        stand(&rig, left, -26, FIGHTER_FACING_RIGHT);
        stand(&rig, 2 - left, 26, FIGHTER_FACING_LEFT);
        for (uint32_t k = 0; k < FIGHTER_HURTS; k++) { // the body is not its own mirror image; both strikes must meet it all the same
            cr_assert_gt(fighter_kinds[0].hurts[k].radius, 0);
        }
        rig.pads[left] = smash_right;
        rig.pads[2 - left] = smash_left;
        cr_assert_neq(step_until(&rig, FIGHTER_EVENT_HIT, 60), 0);
        cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_HIT)->by, 1);
        rig_close(&rig);
    }
}

// Goal: an attacker that is struck in the tick of its own strike still has struck, is stunned, and has used its strike up.
Test(fighter_combat, struck_attackers_count)
{
    Rig rig;
    open_hall(&rig, 2, FIGHTER_KIND_VALE);
    stand(&rig, 0, -14, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 14, FIGHTER_FACING_LEFT);
    rig.pads[0] = smash_right;
    rig.pads[1] = smash_left;
    cr_assert_neq(step_until(&rig, FIGHTER_EVENT_HIT, 60), 0);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(rig.state.fighters[i].stale[0], FIGHTER_ACTION_SMASH_FORWARD + 1);
        cr_assert_eq(rig.state.fighters[i].struck[0], 0, "a new action has struck nobody");
        cr_assert(rig.state.fighters[i].action == FIGHTER_ACTION_HITSTUN || rig.state.fighters[i].action == FIGHTER_ACTION_TUMBLE);
    }
    rig_close(&rig);
}

// Goal: nobody is struck while guarded, by its own strike, past the reach, or twice while frozen.
Test(fighter_combat, not_struck)
{
    for (int how = 0; how < 3; how++) {
        Rig rig;
        open_hall(&rig, 2, FIGHTER_KIND_VALE);
        stand(&rig, 0, -14, FIGHTER_FACING_RIGHT);
        stand(&rig, 1, how == 2 ? 60 : 14, FIGHTER_FACING_LEFT);
        rig.state.fighters[1].guard_ticks = how == 0 ? 100 : 0;
        rig.pads[0] = how == 1 ? smash_left : smash_right;
        cr_assert_eq(step_until(&rig, FIGHTER_EVENT_HIT, 60), 0, "%d", how);
        rig_close(&rig);
    }
}

// Goal: of a tick's damage nothing is lost and nothing invented: the sum of the events is the sum of the damages, over a lively crowd that nobody
// leaves, until the first falls out.
Test(fighter_combat, damage_adds_up)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STOCKS] = 99;
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    rig_open_with(&rig, 16, 1, config);
    uint32_t hits = 0;
    for (uint64_t tick = 0; tick < 6000; tick++) {
        int64_t before[16];
        for (uint32_t i = 0; i < 16; i++) {
            before[i] = rig.state.fighters[i].damage.raw;
        }
        rig_play_lively(&rig, 8, tick);
        rig_step(&rig);
        tp_view view = tp_sim_view(rig.sim);
        for (uint32_t i = 0; i < view.event_count; i++) {
            const FighterImpact *impact = view.events[i].data;
            bool is_damage = view.events[i].type == FIGHTER_EVENT_HIT || view.events[i].type == FIGHTER_EVENT_THROWN;
            before[is_damage ? impact->slot : 0] += is_damage ? impact->damage.raw : 0;
            hits += is_damage;
        }
        for (uint32_t i = 0; i < 16; i++) {
            int64_t expected = before[i] < FIGHTER_RAW(999) ? before[i] : FIGHTER_RAW(999);
            bool has_fallen = rig.state.fighters[i].action == FIGHTER_ACTION_KO || rig.state.fighters[i].action == FIGHTER_ACTION_OUT;
            cr_assert(has_fallen || rig.state.fighters[i].damage.raw == expected, "tick %u, slot %u", (unsigned)tick, i);
        }
    }
    cr_assert_gt(hits, 1000);
    rig_close(&rig);
}

// Goal: a crowd is no square of itself: a hundred fighters on one spot, all striking at nothing, and everybody at once.
Test(fighter_combat, hundred_on_one_spot)
{
    Rig rig;
    open_hall(&rig, 100, FIGHTER_KIND_BOAR);
    for (uint32_t i = 0; i < 100; i++) {
        stand(&rig, i, 0, i % 2 == 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT);
        rig.pads[i] = i % 2 == 0 ? smash_left : smash_right;
    }
    cr_assert_neq(step_until(&rig, FIGHTER_EVENT_HIT, 60), 0);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_HIT), 100);
    cr_assert_eq(rig_impact_of(&rig, FIGHTER_EVENT_HIT, 50)->damage.raw, FIGHTER_RAW(999));
    for (int i = 0; i < 300; i++) {
        rig_step(&rig);
        rig_check(&rig);
    }
    rig_close(&rig);
}

// Goal: what a crowd costs grows with those who fight, not with its square: boxes spare most of the 30,000 pairs of capsules that a hundred have.
Test(fighter_combat, crowd_is_cheap)
{
    Rig rig;
    RigConfig config = rig_config();
    uint64_t most = 0;
    config.items[FIGHTER_CONFIG_STOCKS] = 99;
    rig_open_with(&rig, 100, 1, config);
    capsule_tests = 0;
    for (uint64_t tick = 0; tick < 1200; tick++) {
        uint64_t before = capsule_tests;
        rig_play_lively(&rig, 8, tick);
        rig_step(&rig);
        most = capsule_tests - before > most ? capsule_tests - before : most;
    }
    printf("fighter_combat: a hundred: %llu capsule tests a tick, %llu at most, %llu hits\n", (unsigned long long)(capsule_tests / 1200),
           (unsigned long long)most, (unsigned long long)rig.seen[FIGHTER_EVENT_HIT]);
    cr_assert_gt(rig.seen[FIGHTER_EVENT_HIT], 1000);
    cr_assert_leq(capsule_tests / 1200, 500);
    cr_assert_leq(most, 10000);
    rig_close(&rig);
}
