// The bot: where it goes, that it goes at all, and what its latency is made of.
#include <criterion/criterion.h>

#include "fighter_rig.h"

static FighterLook look(int32_t x, int32_t goal_x)
{
    return (FighterLook){ .x = FIGHTER_RAW(x), .goal_x = FIGHTER_RAW(goal_x), .has_goal = true };
}

Test(fighter_bot, goes_for_its_goal)
{
    FighterLook left = look(50, -20);
    FighterLook right = look(-50, 20);
    cr_assert_eq(fighter_bot_head(&left, 1), -1);
    cr_assert_eq(fighter_bot_head(&right, -1), 1);
}

Test(fighter_bot, runs_through_its_goal)
{
    FighterLook close = look(50, 45);
    cr_assert_eq(fighter_bot_head(&close, 1), 1);
    cr_assert_eq(fighter_bot_head(&close, -1), -1);
}

Test(fighter_bot, turns_before_a_wall)
{
    FighterLook left = look(-198, -200);
    FighterLook right = look(198, 200);
    cr_assert_eq(fighter_bot_head(&left, -1), 1);
    cr_assert_eq(fighter_bot_head(&right, 1), -1);
}

// Goal: the nearest that somebody plays; of two as near the lower slot; nobody is nobody.
Test(fighter_bot, sees_the_nearest)
{
    Rig rig;
    rig_open(&rig, 5, 1);
    rig_step(&rig);
    tp_view view = tp_sim_view(rig.sim);
    FighterLook seen = fighter_bot_look(&view, 2);
    cr_assert_eq(seen.goal_x, rig.state.fighters[1].x.raw);
    rig_set_present(&rig, 1, false);
    rig_step(&rig);
    view = tp_sim_view(rig.sim);
    seen = fighter_bot_look(&view, 2);
    cr_assert_eq(seen.goal_x, rig.state.fighters[3].x.raw);
    memset(rig.presence, 0, sizeof(rig.presence));
    rig_set_present(&rig, 2, true);
    rig_step(&rig);
    view = tp_sim_view(rig.sim);
    seen = fighter_bot_look(&view, 2);
    cr_assert(!seen.has_goal);
    rig_close(&rig);
}

// Goal: pads are always in range, everybody moves, nobody stays in one place for longer than its latency and a moment, and
// everybody jumps.
static void play_minutes(uint32_t players, uint64_t seed, uint32_t delay_ticks)
{
    Rig rig;
    tp_fx last_x[FIGHTER_PLAYERS_MAX] = { 0 };
    uint32_t still[FIGHTER_PLAYERS_MAX] = { 0 };
    uint32_t jumps[FIGHTER_PLAYERS_MAX] = { 0 };
    rig_open(&rig, players, seed);
    rig_seat_bots(&rig, seed, delay_ticks);
    for (uint32_t tick = 0; tick < 3600; tick++) {
        rig_step(&rig); // refuses a pad out of range
        for (uint32_t i = 0; i < players; i++) {
            const Fighter *fighter = &rig.state.fighters[i];
            still[i] = tp_fx_equal(fighter->x, last_x[i]) && fighter->label != FIGHTER_LABEL_AIRBORNE ? still[i] + 1 : 0;
            cr_assert_leq(still[i], delay_ticks + 5, "%u players, seed %llu, slot %u, tick %u", players, (unsigned long long)seed, i, tick);
            jumps[i] += fighter->velocity_y.raw == FIGHTER_JUMP_RAW;
            last_x[i] = fighter->x;
        }
    }
    for (uint32_t i = 0; i < players; i++) {
        cr_assert_gt(jumps[i], 20, "slot %u", i);
    }
    rig_close(&rig);
}

Test(fighter_bot, keeps_moving_alone) { play_minutes(1, 5, 0); }
Test(fighter_bot, keeps_moving_in_two) { play_minutes(2, 6, 0); }
Test(fighter_bot, keeps_moving_late) { play_minutes(2, 7, 15); }
Test(fighter_bot, keeps_moving_very_late) { play_minutes(4, 8, FIGHTER_BOT_DELAY_MAX); }
Test(fighter_bot, keeps_moving_in_a_crowd) { play_minutes(100, 9, 6); }

// Goal: two bots do meet: they spend much of their time close to each other.
Test(fighter_bot, meets_the_other)
{
    Rig rig;
    uint32_t close = 0;
    rig_open(&rig, 2, 3);
    rig_seat_bots(&rig, 3, 6);
    for (uint32_t tick = 0; tick < 3600; tick++) {
        rig_step(&rig);
        int32_t apart = rig.state.fighters[0].x.raw - rig.state.fighters[1].x.raw;
        close += apart < FIGHTER_RAW(40) && apart > FIGHTER_RAW(-40);
    }
    cr_assert_gt(close, 1800, "%u of 3600 ticks", close);
    rig_close(&rig);
}

// Goal: latency is nothing but latency: for as long as it lasts the bot does nothing, and then it acts on old views.
Test(fighter_bot, latency)
{
    Rig rig;
    rig_open(&rig, 2, 3);
    rig_seat_bots(&rig, 3, 20);
    for (uint32_t tick = 0; tick < 20; tick++) {
        rig_step(&rig);
        cr_assert_eq(rig.pads[0].stick_x, 0);
        cr_assert_eq(rig.pads[0].buttons, 0);
    }
    rig_step(&rig);
    cr_assert_neq(rig.pads[0].stick_x, 0);
    rig_close(&rig);
}

Test(fighter_bot, latency_has_a_limit)
{
    Rig rig;
    rig_open(&rig, 1, 3);
    rig_seat_bots(&rig, 3, 1000000);
    rig_steps(&rig, FIGHTER_BOT_DELAY_MAX + 1);
    cr_assert_neq(rig.pads[0].stick_x, 0);
    rig_close(&rig);
}

Test(fighter_bot, same_seed_same_match)
{
    tp_hash128 roots[3];
    for (uint32_t round = 0; round < 3; round++) {
        Rig rig;
        rig_open(&rig, 6, 3);
        rig_seat_bots(&rig, round == 2 ? 4 : 3, 6);
        rig_steps(&rig, 2000);
        roots[round] = tp_sim_root(rig.sim);
        rig_close(&rig);
    }
    cr_assert(tp_hash128_equal(roots[0], roots[1]));
    cr_assert(!tp_hash128_equal(roots[0], roots[2]), "another seed is another player");
}
