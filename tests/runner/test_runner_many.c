// Several runners on one course: who gets a coin, who is hit, who may join, when a run ends.
#include <criterion/criterion.h>

#include "runner_rig.h"

static void open_clear(Rig *rig, uint32_t players)
{
    rig_open(rig, players, 1, NULL);
    rig_step(rig);
    rig_clear_course(rig);
}

static uint32_t contest(Rig *rig)
{
    rig_put(rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(500));
    rig_step(rig);
    cr_assert_eq(rig_event_count(rig, RUNNER_EVENT_COIN), 1, "a coin goes to one runner");
    return ((const RunnerCoinTaken *)rig_event(rig, RUNNER_EVENT_COIN))->slot;
}

// A place that the tick's slide does not change: the runner's lane is under it, or it is moved back by a slide.
static void place(Rig *rig, uint32_t slot, int32_t units_right_of_middle)
{
    rig->state.runners[slot].lane = 2;
    rig->state.runners[slot].x.raw = runner_lane_x(1) + RUNNER_RAW(units_right_of_middle) - RUNNER_SLIDE_RAW;
}

Test(runner_many, nearest_takes_the_coin)
{
    Rig rig;
    open_clear(&rig, 3);
    place(&rig, 0, 20);
    place(&rig, 1, 11);
    place(&rig, 2, 12);
    rig.state.runners[1].score = 500;
    rig.state.runners[1].best = 500;
    cr_assert_eq(contest(&rig), 1, "the distance counts before the score");
    rig_close(&rig);
}

Test(runner_many, equally_near_the_lower_score_takes_it)
{
    Rig rig;
    open_clear(&rig, 3);
    rig.state.runners[0].bonus = 30;
    rig.state.runners[1].bonus = 10;
    rig.state.runners[2].bonus = 20;
    rig_step(&rig);
    cr_assert_eq(contest(&rig), 1);
    cr_assert_eq(rig.state.runners[1].bonus, 35);
    cr_assert_eq(contest(&rig), 2, "35 is no longer the lowest");
    rig_close(&rig);
}

// Goal: full ties go round by one slot a tick, so that over eight ticks everybody has one.
Test(runner_many, full_ties_go_round)
{
    Rig rig;
    open_clear(&rig, 8);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t slot = 0; slot < 8; slot++) {
            rig.state.runners[slot].score = 0;
        }
        uint32_t expected = (uint32_t)(rig.state.game->course_tick % 8);
        uint32_t slot = contest(&rig);
        cr_assert_eq(slot, expected);
        taken |= 1u << slot;
    }
    cr_assert_eq(taken, 0xff);
    rig_close(&rig);
}

// Goal: a contest is decided by the scores the tick began with, so two coins in one tick go to the same runner in
// whatever order the pool has them.
Test(runner_many, contests_of_one_tick_do_not_feed_each_other)
{
    Rig rig;
    open_clear(&rig, 2);
    rig.state.runners[1].bonus = 10;
    rig_step(&rig);
    rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(500));
    rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(510));
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].bonus, 25 + 50);
    cr_assert_eq(rig.state.runners[1].bonus, 10);
    rig_close(&rig);
}

Test(runner_many, taken_coin_is_nobodys_miss)
{
    Rig rig;
    open_clear(&rig, 2);
    rig.state.runners[1].combo = 4;
    rig.state.runners[1].lane = 0;
    rig.state.runners[1].x.raw = runner_lane_x(0);
    rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(500));
    rig_steps(&rig, 100);
    cr_assert_eq(rig.state.runners[0].combo, 1);
    cr_assert_eq(rig.state.runners[1].combo, 4);
    rig_put(&rig, RUNNER_KIND_COIN, 2, RUNNER_RAW(719));
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_COIN_MISSED), 2);
    cr_assert_eq(rig.state.runners[0].combo + rig.state.runners[1].combo, 0);
    rig_close(&rig);
}

Test(runner_many, block_hits_everybody_in_its_way)
{
    Rig rig;
    open_clear(&rig, 8);
    rig.state.runners[3].lane = 0;
    rig.state.runners[3].x.raw = runner_lane_x(0);
    rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(500));
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_CRASHED), 7);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_RUNNING, "the course goes on for the last one");
    cr_assert_eq(rig.state.runners[3].status, RUNNER_STATUS_RUNNING);
    rig_close(&rig);
}

Test(runner_many, dead_wait_until_all_are)
{
    Rig rig;
    open_clear(&rig, 2);
    rig.state.runners[1].lane = 0;
    rig.state.runners[1].x.raw = runner_lane_x(0);
    rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(500));
    rig_step(&rig);
    for (uint32_t i = 0; i < 200; i++) {
        rig.inputs[0] = RUNNER_EDGE_CONFIRM;
        rig.state.game->row_countdown.raw = RUNNER_RAW(1000);
        rig_step(&rig);
    }
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_CRASHED);
    cr_assert_eq(rig.state.game->run, 1);
    rig_put(&rig, RUNNER_KIND_BLOCK, 0, RUNNER_RAW(500));
    rig_step(&rig);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_OVER);
    rig_steps(&rig, RUNNER_CONFIRM_TICKS);
    rig.inputs[0] = RUNNER_EDGE_CONFIRM;
    rig_step(&rig);
    cr_assert_eq(rig.state.game->run, 2);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_RUNNING);
    cr_assert_eq(rig.state.runners[1].status, RUNNER_STATUS_RUNNING);
    rig_close(&rig);
}

Test(runner_many, nobody_here_is_no_course)
{
    Rig rig;
    rig_open(&rig, 4, 1, NULL);
    rig.presence[0] = 0;
    rig_steps(&rig, 300);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_READY);
    cr_assert_eq(rig.state.game->run, 0);
    rig.presence[0] = 4;
    rig_step(&rig);
    cr_assert_eq(rig.state.game->run, 1);
    cr_assert_eq(rig.state.runners[2].status, RUNNER_STATUS_RUNNING);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_ABSENT);
    rig_steps(&rig, 300);
    rig.presence[0] = 0;
    rig_step(&rig);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_READY, "the last one took the course along");
    cr_assert_eq(rig.state.entities.head->live, 0);
    rig_close(&rig);
}

// Goal: who comes to a course under way plays at once, from zero, and cannot be hit by what it could not see.
Test(runner_many, late_joiner_is_shielded)
{
    Rig rig;
    rig_open(&rig, 2, 1, NULL);
    rig.presence[0] = 1;
    rig_step(&rig);
    rig_clear_course(&rig);
    rig_steps(&rig, 10);
    rig.presence[0] = 3;
    rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(480));
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_CRASHED);
    cr_assert_eq(rig.state.runners[1].status, RUNNER_STATUS_RUNNING);
    cr_assert_eq(rig.state.runners[1].shield_ticks, RUNNER_SHIELD_TICKS - 1);
    for (uint32_t i = 1; i < RUNNER_SHIELD_TICKS - 1; i++) {
        rig.state.game->row_countdown.raw = RUNNER_RAW(1000);
        rig_step(&rig);
        cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_NEAR_MISS), 0);
    }
    rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(500));
    cr_assert_eq(rig.state.runners[1].shield_ticks, 1);
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[1].status, RUNNER_STATUS_CRASHED, "the shield ends");
    rig_close(&rig);
}

// Goal: leaving and coming back does not undo a crash.
Test(runner_many, one_life_per_slot_and_run)
{
    Rig rig;
    open_clear(&rig, 2);
    rig.state.runners[1].lane = 0;
    rig.state.runners[1].x.raw = runner_lane_x(0);
    rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(500));
    rig_step(&rig);
    rig.presence[0] = 2;
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_ABSENT);
    cr_assert_eq(rig.state.runners[0].best, 0, "the slot's next owner starts from nothing");
    rig.presence[0] = 3;
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_WAITING);
    rig.presence[0] = 1;
    rig_step(&rig);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_OVER, "nobody who is here lives");
    rig_steps(&rig, RUNNER_CONFIRM_TICKS);
    rig.inputs[0] = RUNNER_EDGE_CONFIRM;
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_RUNNING);
    rig_close(&rig);
}

Test(runner_many, near_miss_is_not_inherited)
{
    Rig rig;
    open_clear(&rig, 2);
    uint32_t block = rig_put(&rig, RUNNER_KIND_BLOCK, 0, RUNNER_RAW(540));
    rig.state.entities.slots[block].grazed = 3;
    rig.presence[0] = 1;
    rig_step(&rig);
    cr_assert_eq(rig.state.entities.slots[block].grazed, 1);
    rig_close(&rig);
}

// Goal: the place in the seat order is worth nothing: the same two people in swapped seats have the same run, as long as
// they are not equal in everything, which is what turns are for.
Test(runner_many, seats_are_equal)
{
    Rig left;
    Rig right;
    rig_open(&left, 2, 77, NULL);
    rig_open(&right, 2, 77, NULL);
    tp_pcg32 hands = tp_pcg32_make(9, 9);
    uint32_t coins = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        if (left.state.runners[0].score == left.state.runners[1].score) {
            left.state.runners[0].bonus += 3;
            right.state.runners[1].bonus += 3;
        }
        uint32_t presses = tp_pcg32_below(&hands, 40);
        uint8_t first = presses < 5 ? (uint8_t)presses : 0;
        uint8_t second = presses >= 5 && presses < 10 ? (uint8_t)(presses - 5) : 0;
        left.inputs[0] = right.inputs[1] = first;
        left.inputs[1] = right.inputs[0] = second;
        rig_step(&left);
        rig_step(&right);
        coins += rig_event_count(&left, RUNNER_EVENT_COIN);
        cr_assert_arr_eq(&left.state.runners[0], &right.state.runners[1], sizeof(Runner), "tick %u", i);
        cr_assert_arr_eq(&left.state.runners[1], &right.state.runners[0], sizeof(Runner), "tick %u", i);
    }
    cr_assert_gt(coins, 3);
    cr_assert_gt(left.state.game->run, 2);
    rig_close(&left);
    rig_close(&right);
}

Test(runner_many, alone_is_the_same_in_any_match_size)
{
    Rig one;
    Rig eight;
    rig_open(&one, 1, 5, NULL);
    rig_open(&eight, 8, 5, NULL);
    eight.presence[0] = 1;
    rig_seat_bots(&one, 3, 12);
    rig_seat_bots(&eight, 3, 12);
    for (uint32_t i = 0; i < 8000; i++) {
        rig_step(&one);
        rig_step(&eight);
        cr_assert_arr_eq(one.state.runners, eight.state.runners, sizeof(Runner));
        cr_assert_arr_eq(one.state.game, eight.state.game, sizeof(RunnerGame));
    }
    rig_close(&one);
    rig_close(&eight);
}
