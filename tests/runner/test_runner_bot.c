// How the bot chooses, one look at a time, and what its latency is made of.
#include <criterion/criterion.h>

#include "runner_rig.h"

#include "runner_plan.h"

static RunnerEye look(uint32_t lane, uint32_t row_count, RunnerEyeRow first, RunnerEyeRow second)
{
    return (RunnerEye){
        .rows = { first, second }, .row_count = row_count, .x = runner_lane_x(lane), .lane = (uint8_t)lane,
        .advance = runner_plan_advance(RUNNER_RAW(440)), .phase = RUNNER_PHASE_RUNNING, .status = RUNNER_STATUS_RUNNING,
    };
}

static const RunnerEyeRow no_row;

Test(runner_bot, empty_course_is_no_reason_to_move)
{
    for (uint32_t lane = 0; lane < 3; lane++) {
        RunnerEye eye = look(lane, 0, no_row, no_row);
        cr_assert_eq(runner_bot_choose(&eye, lane), lane);
    }
}

Test(runner_bot, leaves_a_blocked_lane)
{
    RunnerEye eye = look(1, 1, (RunnerEyeRow){ RUNNER_RAW(200), 3, 0 }, no_row);
    cr_assert_eq(runner_bot_choose(&eye, 1), 2);
    eye = look(2, 1, (RunnerEyeRow){ RUNNER_RAW(200), 6, 0 }, no_row);
    cr_assert_eq(runner_bot_choose(&eye, 2), 0);
}

Test(runner_bot, does_not_run_into_a_block_beside_it)
{
    RunnerEye eye = look(0, 2, (RunnerEyeRow){ RUNNER_RAW(520), 2, 0 }, (RunnerEyeRow){ RUNNER_RAW(240), 1, 0 });
    cr_assert_eq(runner_bot_choose(&eye, 0), 0, "the next row blocks lane 0, but lane 1 is closed right now");
    eye.rows[0].y = RUNNER_RAW(573);
    eye.rows[0] = eye.rows[1];
    eye.row_count = 1;
    cr_assert_eq(runner_bot_choose(&eye, 0), 1, "and now it is open");
}

// Goal: it trusts its body: on the way from lane 0 to 1, a block beside it in lane 0 still counts.
Test(runner_bot, uses_its_real_place)
{
    RunnerEye eye = look(1, 2, (RunnerEyeRow){ RUNNER_RAW(520), 4, 0 }, (RunnerEyeRow){ RUNNER_RAW(240), 2, 0 });
    eye.x = runner_lane_x(0) + RUNNER_RAW(40);
    cr_assert_eq(runner_bot_choose(&eye, 1), 0, "lane 0 is 40 units away");
    eye.x = runner_lane_x(1) + RUNNER_RAW(40);
    eye.rows[0].blocks = 1;
    cr_assert_eq(runner_bot_choose(&eye, 1), 2, "lane 2 is 80 units away and open");
}

// Goal: it does not begin what it cannot finish: 14 ticks of sliding want 19 before the row arrives.
Test(runner_bot, refuses_a_late_move_for_a_coin)
{
    int32_t advance = runner_plan_advance(RUNNER_RAW(440));
    int32_t contact = RUNNER_RAW(RUNNER_PLAYER_Y - RUNNER_HIT_Y);
    RunnerEyeRow row = { contact - 18 * advance, 2, 4 };
    RunnerEye eye = look(0, 1, row, no_row);
    cr_assert_eq(runner_bot_choose(&eye, 0), 0, "the coin lies beyond a block that comes too soon");
    eye.rows[0].y = RUNNER_RAW(0);
    cr_assert_eq(runner_bot_choose(&eye, 0), 2, "from afar it goes there");
}

Test(runner_bot, prefers_a_lane_good_for_the_row_after)
{
    RunnerEye eye = look(1, 2, (RunnerEyeRow){ RUNNER_RAW(300), 2, 0 }, (RunnerEyeRow){ RUNNER_RAW(30), 3, 0 });
    cr_assert_eq(runner_bot_choose(&eye, 1), 2);
    eye.rows[1].blocks = 6;
    cr_assert_eq(runner_bot_choose(&eye, 1), 0);
}

Test(runner_bot, takes_a_coin_when_comfortable)
{
    RunnerEye eye = look(1, 1, (RunnerEyeRow){ RUNNER_RAW(250), 1, 4 }, no_row);
    cr_assert_eq(runner_bot_choose(&eye, 1), 2);
    eye = look(1, 2, (RunnerEyeRow){ RUNNER_RAW(250), 1, 4 }, (RunnerEyeRow){ RUNNER_RAW(0), 6, 0 });
    cr_assert_eq(runner_bot_choose(&eye, 1), 1, "not when the row after would be two lanes away");
}

// Goal: latency is a shift in time and nothing else: with delay d the first press comes d ticks later.
Test(runner_bot, latency_is_pure)
{
    uint32_t first_press[2] = { 0, 0 };
    const uint32_t delays[2] = { 0, 25 };
    for (uint32_t k = 0; k < 2; k++) {
        Rig rig;
        rig_open(&rig, 1, 9, NULL);
        rig_seat_bots(&rig, 9, delays[k]);
        while (rig_event_count(&rig, RUNNER_EVENT_LANE_CHANGED) == 0) {
            rig_step(&rig);
            cr_assert_lt(tp_sim_tick(rig.sim), 3000);
        }
        first_press[k] = (uint32_t)tp_sim_tick(rig.sim);
        rig_close(&rig);
    }
    cr_assert_eq(first_press[1], first_press[0] + 25);
}

Test(runner_bot, begins_again_after_a_crash)
{
    Rig rig;
    rig_open(&rig, 3, 9, NULL);
    rig_seat_bots(&rig, 9, 40);
    rig_steps(&rig, 20000);
    cr_assert_gt(rig.state.game->run, 5);
    rig_close(&rig);
}

Test(runner_bot, same_seed_same_game)
{
    tp_hash128 roots[2];
    for (uint32_t k = 0; k < 2; k++) {
        Rig rig;
        rig_open(&rig, 2, 31, NULL);
        rig_seat_bots(&rig, 17, 20);
        rig_steps(&rig, 20000);
        roots[k] = tp_sim_root(rig.sim);
        rig_close(&rig);
    }
    cr_assert(tp_hash128_equal(roots[0], roots[1]));
}
