// The numbers of the course: speed, fairness floor, gap, plateau, and the stream of draws behind the rows.
#include <criterion/criterion.h>

#include <stdio.h>

#include "runner_rig.h"

#include "runner_plan.h"
#include "runner_table.h"

static int32_t raw(double number)
{
    return (int32_t)(number * 65536 + 0.5);
}

Test(runner_plan, board)
{
    cr_assert_eq(RUNNER_FIELD_WIDTH, RUNNER_LANES * RUNNER_LANE_WIDTH);
    cr_assert_eq(RUNNER_FIELD_HEIGHT, 640);
    cr_assert_eq(RUNNER_HIT_X, 74);
    cr_assert_eq(RUNNER_HIT_Y, 52);
    cr_assert_lt(RUNNER_NEAR_X, RUNNER_LANE_WIDTH);
    cr_assert_eq(runner_lane_x(0), RUNNER_RAW(60));
    cr_assert_eq(runner_lane_x(2), RUNNER_RAW(300));
    cr_assert_eq(runner_world.tick_rate_hz, 120);
}

Test(runner_plan, speed_rises_to_its_cap)
{
    cr_assert_eq(runner_plan_speed(0, 100), RUNNER_RAW(260));
    cr_assert_eq(runner_plan_speed(30 * 120, 100), RUNNER_RAW(440));
    cr_assert_eq(runner_plan_speed(60 * 120, 100), RUNNER_RAW(620));
    cr_assert_eq(runner_plan_speed(UINT64_MAX / 2, 100), RUNNER_RAW(620));
    cr_assert_eq(runner_plan_speed(7200, 200), RUNNER_RAW(1240));
    for (uint64_t tick = 1; tick <= 8000; tick++) {
        cr_assert_geq(runner_plan_speed(tick, 100), runner_plan_speed(tick - 1, 100));
    }
    cr_assert_lt(runner_plan_advance(RUNNER_RAW(620)), raw(5.1667));
    cr_assert_lt(runner_plan_advance(RUNNER_RAW(1240)), RUNNER_RAW(RUNNER_HIT_Y), "a block must not jump over a runner");
}

// Goal: the published curve, within 0.0001 s: its four decimals, three roundings of ours and the straight lines between
// whole seconds.
Test(runner_plan, gap_follows_the_curve)
{
    static const struct { uint64_t second; double speed, floor, gap; } rows[] = {
        { 0, 260, 0.6200, 0.8500 }, { 7, 302, 0.5644, 0.8030 },   { 30, 440, 0.4564, 0.6391 },
        { 60, 620, 0.3877, 0.5022 }, { 120, 620, 0.3877, 0.4551 }, { 240, 620, 0.3877, 0.4479 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t tick = rows[i].second * 120;
        int32_t speed = runner_plan_speed(tick, 100);
        cr_assert_eq(speed, raw(rows[i].speed));
        cr_assert_leq(runner_distance(runner_plan_floor(speed), raw(rows[i].floor)), raw(0.0001));
        cr_assert_leq(runner_distance(runner_plan_gap(tick, 100), raw(rows[i].gap)), raw(0.0001));
    }
}

Test(runner_plan, gap_keeps_its_margin_for_an_hour)
{
    static const uint32_t percents[] = { 50, 100, 137, 200 };
    for (size_t i = 0; i < 4; i++) {
        for (uint64_t tick = 0; tick <= 3600 * 120; tick++) {
            int32_t least = runner_plan_floor(runner_plan_speed(tick, percents[i])) + RUNNER_MARGIN_RAW;
            cr_assert_geq(runner_plan_gap(tick, percents[i]), least);
        }
    }
}

// Goal: the end of the decay is a stated tick, not an accident of a number format.
Test(runner_plan, gap_reaches_its_plateau)
{
    int32_t flat = runner_plan_floor(RUNNER_RAW(620)) + RUNNER_MARGIN_RAW;
    cr_assert_gt(runner_plan_gap(RUNNER_GAP_PLATEAU_TICK - 1, 100), flat);
    for (uint64_t tick = RUNNER_GAP_PLATEAU_TICK; tick <= 3600 * 120; tick++) {
        cr_assert_eq(runner_plan_gap(tick, 100), flat);
    }
    cr_assert_eq(runner_plan_gap(UINT64_MAX / 4, 100), flat);
}

// Goal: the table is a decay: each second keeps e^(-1/30) of the one before, and 30 s keep 1/e.
Test(runner_plan, decay_table_decays)
{
    cr_assert_eq(runner_decay_table[0], UINT32_C(1) << 31);
    cr_assert_eq(runner_decay_table[30], 790015084);
    for (uint32_t i = 0; i < RUNNER_DECAY_SECONDS; i++) {
        int64_t expected = (int64_t)runner_decay_table[i] * 2077080760 / 2147483648;
        int64_t error = expected - runner_decay_table[i + 1];
        cr_assert(error >= -1 && error <= 1, "second %u: off by %lld", i, (long long)error);
    }
    for (uint64_t tick = 1; tick < 330 * 120; tick++) {
        cr_assert_leq(runner_decay_at(tick), runner_decay_at(tick - 1));
    }
    cr_assert_eq(runner_decay_at(UINT64_MAX), 0);
}

// Goal: a gap is laid down for the speed it will be played at: measured at the runners, no two rows come closer
// than the floor of that moment, and never closer than 228 units.
Test(runner_plan, rows_arrive_fairly)
{
    Rig rig;
    rig_open(&rig, 1, 3, NULL);
    rig_seat_bots(&rig, 3, 0);
    uint64_t last_arrival = 0;
    int32_t last_y = 0;
    uint32_t arrivals = 0;
    for (uint64_t tick = 0; tick < 90 * 120; tick++) {
        rig_step(&rig);
        RunnerEye eye = { 0 };
        tp_view view = tp_sim_view(rig.sim);
        eye = runner_eye_look(&view, 0);
        if (eye.row_count > 1) {
            cr_assert_geq(eye.rows[0].y - eye.rows[1].y, RUNNER_RAW(228));
        }
        int32_t y = INT32_MIN;
        for (uint32_t i = 0; i < eye.row_count && y == INT32_MIN; i++) {
            y = eye.rows[i].blocks != 0 ? eye.rows[i].y : INT32_MIN;
        }
        if (y >= RUNNER_RAW(RUNNER_PLAYER_Y) && last_y < RUNNER_RAW(RUNNER_PLAYER_Y)) {
            int32_t least = runner_plan_floor(runner_plan_speed(tick, 100));
            int64_t interval = (int64_t)(tick - last_arrival) * 65536 / 120;
            cr_assert(last_arrival == 0 || interval >= least, "tick %llu", (unsigned long long)tick);
            last_arrival = tick;
            arrivals++;
        }
        last_y = y;
    }
    cr_assert_gt(arrivals, 120);
    rig_close(&rig);
}

Test(runner_plan, second_block_grows_likelier)
{
    cr_assert_eq(runner_plan_second_block_chance(0), 838861);
    cr_assert_eq(runner_plan_second_block_chance(7200), 838861 + 8388608);
    cr_assert_eq(runner_plan_second_block_chance(UINT64_MAX / 2), 838861 + 8388608);
}

static uint32_t draws_of_row(uint64_t course_tick, int64_t coin_percent, uint8_t *row)
{
    const int64_t config[RUNNER_CONFIG_COUNT] = { 48, coin_percent, 7000, 1800 };
    const tp_setup setup = { .config = config };
    RunnerGame game = { .course_tick = course_tick };
    runner_plan_seed(&game, 42);
    tp_pcg32 twin = { game.rng_state, game.rng_increment };
    *row = runner_plan_row(&game, &setup);
    for (uint32_t draws = 0; draws < 10; draws++) {
        if (twin.state == game.rng_state) {
            return draws;
        }
        tp_pcg32_next(&twin);
    }
    return UINT32_MAX;
}

// Goal: how many draws a row takes is part of the rules: 2 of the shuffle, 1 for the second block after the grace time,
// 1 for the coin unless it is certain, 1 for its lane if there is one, also when only one lane is free.
Test(runner_plan, draws_are_counted)
{
    uint8_t row = 0;
    cr_assert_eq(draws_of_row(0, 0, &row), 2);
    cr_assert_eq(draws_of_row(839, 0, &row), 2);
    cr_assert_eq(draws_of_row(840, 0, &row), 3);
    cr_assert_eq(draws_of_row(0, 100, &row), 3);
    cr_assert_eq(draws_of_row(840, 100, &row), 4);
    uint32_t with_coin = draws_of_row(840, 55, &row);
    cr_assert_eq(with_coin, (row & RUNNER_ROW_COIN) != 0 ? 5 : 4);
}

Test(runner_plan, golden_rows)
{
    static const uint8_t golden[24] = { 2, 4, 12, 10, 20, 12, 17, 4, 21, 5, 10, 20, 4, 5, 1, 1, 14, 10, 5, 2, 6, 5, 6, 5 };
    const int64_t config[RUNNER_CONFIG_COUNT] = { 48, 55, 7000, 1800 };
    const tp_setup setup = { .config = config };
    RunnerGame game = { 0 };
    runner_plan_seed(&game, 0xC0FFEE);
    char actual[24 * 6 + 1] = "";
    bool is_equal = true;
    for (uint32_t i = 0; i < 24; i++) {
        game.course_tick = i * 400;
        uint8_t row = runner_plan_row(&game, &setup);
        is_equal = is_equal && row == golden[i];
        cr_assert(runner_row_is_legal(row));
        snprintf(actual + strlen(actual), 7, "%u, ", row);
    }
    cr_assert(is_equal, "actual rows: %s", actual);
    cr_assert_eq(game.rng_state, UINT64_C(0x26879876d5117c47), "actual state: %llx", (unsigned long long)game.rng_state);
}

// Goal: the first block leaves time to get out of its way, whatever the seed.
Test(runner_plan, opening_lead)
{
    for (uint64_t seed = 0; seed < 64; seed++) {
        Rig rig;
        rig_open(&rig, 1, seed, NULL);
        rig_steps(&rig, 215);
        cr_assert_eq(rig.state.game->rows_laid, 0);
        rig_step(&rig);
        cr_assert_eq(rig.state.game->rows_laid, 1, "the first row is laid 1.8 s in");
        uint32_t ticks = 0;
        for (; ticks < 400; ticks++) {
            tp_view view = tp_sim_view(rig.sim);
            RunnerEye eye = runner_eye_look(&view, 0);
            if (eye.rows[0].y > RUNNER_RAW(RUNNER_PLAYER_Y - RUNNER_HIT_Y)) {
                break;
            }
            rig_step(&rig);
        }
        cr_assert(ticks > 220 && ticks < 235, "contact %u ticks after the row was laid", ticks);
        rig_close(&rig);
    }
}
