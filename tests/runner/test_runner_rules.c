// One runner on the course: turning, sliding, coins, near misses, crashes, scores, restarts.
#include <criterion/criterion.h>

#include "runner_rig.h"

// A match under way with an empty course.
static void open_clear(Rig *rig, uint32_t players)
{
    rig_open(rig, players, 1, NULL);
    rig_step(rig);
    rig_clear_course(rig);
}

Test(runner_rules, starts_at_once)
{
    Rig rig;
    rig_open(&rig, 1, 1, NULL);
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_STARTED), 1);
    cr_assert_eq(((const RunnerStarted *)rig_event(&rig, RUNNER_EVENT_STARTED))->run, 1);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_RUNNING);
    rig_close(&rig);
}

Test(runner_rules, turn_is_reported_with_its_place)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.inputs[0] = RUNNER_EDGE_LEFT;
    rig_step(&rig);
    const RunnerLaneChanged *changed = rig_event(&rig, RUNNER_EVENT_LANE_CHANGED);
    cr_assert_not_null(changed);
    cr_assert_eq(changed->from, 1);
    cr_assert_eq(changed->to, 0);
    cr_assert_eq(changed->x.raw, runner_lane_x(1));
    rig_close(&rig);
}

Test(runner_rules, turn_into_the_wall_is_nothing)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.inputs[0] = RUNNER_EDGE_RIGHT;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_LANE_CHANGED), 1);
    rig.inputs[0] = RUNNER_EDGE_RIGHT;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_LANE_CHANGED), 0);
    cr_assert_eq(rig.state.runners[0].lane, 2);
    rig_close(&rig);
}

Test(runner_rules, turns_both_ways_cancel)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.inputs[0] = RUNNER_EDGE_LEFT | RUNNER_EDGE_RIGHT;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_LANE_CHANGED), 0);
    cr_assert_eq(rig.state.runners[0].lane, 1);
    rig_close(&rig);
}

Test(runner_rules, no_edge_is_no_turn)
{
    Rig rig;
    open_clear(&rig, 1);
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_LANE_CHANGED), 0);
    rig_close(&rig);
}

// Goal: a key held for 60 ticks is one press: the device gives one edge and the prediction gives none.
Test(runner_rules, held_key_is_one_lane)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.inputs[0] = RUNNER_EDGE_RIGHT;
    RunnerInput held = { RUNNER_EDGE_RIGHT };
    uint32_t turns = 0;
    for (uint32_t i = 0; i < 60; i++) {
        rig_step(&rig);
        turns += rig_event_count(&rig, RUNNER_EVENT_LANE_CHANGED);
        RunnerInput guess;
        runner_world.predict(&held, &guess);
        rig.inputs[0] = guess.edges;
    }
    cr_assert_eq(turns, 1);
    rig_close(&rig);
}

Test(runner_rules, slide_takes_its_time)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.inputs[0] = RUNNER_EDGE_LEFT;
    uint32_t ticks = 0;
    do {
        rig_step(&rig);
        ticks++;
    } while (rig.state.runners[0].x.raw != runner_lane_x(0));
    cr_assert_eq(ticks, 14, "0.11 s are 13.2 ticks");
    rig_close(&rig);
}

Test(runner_rules, slide_turns_round_in_the_middle)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.inputs[0] = RUNNER_EDGE_LEFT;
    rig_steps(&rig, 7);
    int32_t middle = rig.state.runners[0].x.raw;
    cr_assert_eq(middle, runner_lane_x(1) - 7 * RUNNER_SLIDE_RAW);
    rig.inputs[0] = RUNNER_EDGE_RIGHT;
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].x.raw, middle + RUNNER_SLIDE_RAW);
    rig_steps(&rig, 10);
    cr_assert_eq(rig.state.runners[0].x.raw, runner_lane_x(1));
    rig_close(&rig);
}

static uint32_t take_coins(Rig *rig, uint32_t count)
{
    uint32_t points = 0;
    for (uint32_t i = 0; i < count; i++) {
        rig_put(rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(500));
        rig_step(rig);
        const RunnerCoinTaken *coin = rig_event(rig, RUNNER_EVENT_COIN);
        cr_assert_not_null(coin);
        cr_assert_eq(coin->points, 25 * coin->combo);
        cr_assert_eq(coin->x.raw, runner_lane_x(1));
        points += coin->points;
    }
    return points;
}

Test(runner_rules, three_coins)
{
    Rig rig;
    open_clear(&rig, 1);
    cr_assert_eq(take_coins(&rig, 3), 25 + 50 + 75);
    cr_assert_eq(rig.state.runners[0].bonus, 150);
    rig_close(&rig);
}

Test(runner_rules, combo_stays_at_eight)
{
    Rig rig;
    open_clear(&rig, 1);
    cr_assert_eq(take_coins(&rig, 18), 25 * 36 + 10 * 200);
    cr_assert_eq(rig.state.runners[0].combo, 8);
    rig_close(&rig);
}

Test(runner_rules, missed_coin_ends_the_combo_only)
{
    Rig rig;
    open_clear(&rig, 1);
    take_coins(&rig, 2);
    rig_put(&rig, RUNNER_KIND_COIN, 0, RUNNER_RAW(719));
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_COIN_MISSED), 1);
    cr_assert_eq(rig.state.runners[0].combo, 0);
    cr_assert_eq(rig.state.runners[0].bonus, 75);
    cr_assert_eq(rig.state.entities.head->live, 0);
    rig_close(&rig);
}

Test(runner_rules, score_is_exact)
{
    Rig rig;
    open_clear(&rig, 1);
    uint64_t distance = rig.state.runners[0].distance;
    for (uint32_t i = 0; i < 5000; i++) {
        distance += (uint64_t)rig_advance(&rig);
        rig.state.game->row_countdown.raw = RUNNER_RAW(1000);
        rig_step(&rig);
        const Runner *runner = &rig.state.runners[0];
        cr_assert_eq(runner->distance, distance);
        cr_assert_eq(runner->score, runner->bonus + distance / 65536 / 10);
        cr_assert_eq(runner->best, runner->score);
    }
    rig_close(&rig);
}

// A block beside a runner that stands `gap` units from its lane's centre, until it has left the board.
static uint32_t pass_block(Rig *rig, int32_t gap)
{
    uint32_t near_misses = 0;
    rig->state.runners[0].x.raw = runner_lane_x(0) + RUNNER_RAW(gap);
    rig->state.runners[0].lane = 1;
    uint32_t block = rig_put(rig, RUNNER_KIND_BLOCK, 0, RUNNER_RAW(515));
    while (rig->state.entities.slots[block].generation % 2 == 1) {
        rig->state.runners[0].x.raw = runner_lane_x(0) + RUNNER_RAW(gap);
        rig->state.game->row_countdown.raw = RUNNER_RAW(1000);
        rig_step(rig);
        near_misses += rig_event_count(rig, RUNNER_EVENT_NEAR_MISS);
    }
    return near_misses;
}

// A runner forced to a place slides on by one tick before it is looked at.
Test(runner_rules, near_miss_is_paid_once)
{
    Rig rig;
    open_clear(&rig, 1);
    cr_assert_eq(pass_block(&rig, 80), 1);
    cr_assert_eq(rig.state.runners[0].bonus, 5);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_RUNNING);
    rig_close(&rig);
}

Test(runner_rules, near_miss_has_a_limit)
{
    Rig rig;
    open_clear(&rig, 1);
    cr_assert_eq(pass_block(&rig, 102), 1, "102 and a tick's slide are below 112");
    cr_assert_eq(pass_block(&rig, 103), 0, "103 and a tick's slide are above 112");
    cr_assert_eq(pass_block(&rig, 120), 0);
    rig_close(&rig);
}

// Goal: a runner close to a block when it draws level, who then runs into the same block, gets the crash and no pay.
Test(runner_rules, no_near_miss_for_the_block_that_kills)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.state.runners[0].lane = 0;
    rig.state.runners[0].x.raw = runner_lane_x(0) + RUNNER_RAW(110);
    uint32_t block = rig_put(&rig, RUNNER_KIND_BLOCK, 0, RUNNER_RAW(518));
    rig_step(&rig);
    cr_assert_eq(rig.state.entities.slots[block].grazed, 1, "it was close when the block drew level");
    uint32_t near_misses = 0;
    uint32_t crashes = 0;
    for (uint32_t i = 0; i < 150; i++) {
        rig_step(&rig);
        near_misses += rig_event_count(&rig, RUNNER_EVENT_NEAR_MISS);
        crashes += rig_event_count(&rig, RUNNER_EVENT_CRASHED);
    }
    cr_assert_eq(crashes, 1);
    cr_assert_eq(near_misses, 0);
    cr_assert_eq(rig.state.runners[0].bonus, 0);
    rig_close(&rig);
}

Test(runner_rules, crash_ends_the_run)
{
    Rig rig;
    open_clear(&rig, 1);
    take_coins(&rig, 1);
    rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(470));
    rig_step(&rig);
    const RunnerPlace *place = rig_event(&rig, RUNNER_EVENT_CRASHED);
    cr_assert_not_null(place);
    cr_assert_eq(place->x.raw, runner_lane_x(1));
    cr_assert_eq(place->y.raw, RUNNER_RAW(520));
    cr_assert_eq(rig.state.runners[0].combo, 0);
    cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_OVER);
    rig_close(&rig);
}

Test(runner_rules, touching_edges_do_not_crash)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.state.runners[0].x.raw = runner_lane_x(0) + RUNNER_RAW(74);
    rig.state.runners[0].lane = 0;
    rig.inputs[0] = RUNNER_EDGE_RIGHT;
    rig_put(&rig, RUNNER_KIND_BLOCK, 0, RUNNER_RAW(500));
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].status, RUNNER_STATUS_RUNNING);
    rig_close(&rig);
}

// Goal: a coin and a crash in one tick both count, wherever they lie in the pool.
static void coin_and_block(bool coin_first, Runner *out)
{
    Rig rig;
    open_clear(&rig, 1);
    if (coin_first) {
        rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(490));
        rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(480));
    } else {
        rig_put(&rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(480));
        rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(490));
    }
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_COIN), 1);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_CRASHED), 1);
    *out = rig.state.runners[0];
    rig_close(&rig);
}

Test(runner_rules, pool_order_decides_nothing)
{
    Runner first;
    Runner second;
    coin_and_block(true, &first);
    coin_and_block(false, &second);
    cr_assert_arr_eq(&first, &second, sizeof(first));
    cr_assert_eq(first.bonus, 25);
    cr_assert_geq(first.score, 25);
}

static void crash(Rig *rig)
{
    rig_clear_course(rig);
    rig_put(rig, RUNNER_KIND_BLOCK, 1, RUNNER_RAW(500));
    rig_step(rig);
    cr_assert_eq(rig->state.game->phase, RUNNER_PHASE_OVER);
}

Test(runner_rules, dead_course_drifts)
{
    Rig rig;
    open_clear(&rig, 1);
    crash(&rig);
    uint32_t coin = rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(510));
    int32_t before = rig.state.entities.slots[coin].y.raw;
    int32_t advance = rig_advance(&rig);
    Runner dead = rig.state.runners[0];
    uint64_t clock = rig.state.game->course_tick;
    rig.inputs[0] = RUNNER_EDGE_LEFT;
    rig_step(&rig);
    cr_assert_eq(rig.state.entities.slots[coin].y.raw - before, advance * 35 / 100);
    rig_steps(&rig, 400);
    cr_assert_arr_eq(&rig.state.runners[0], &dead, sizeof(dead), "no score, no turn, no coin for the dead");
    cr_assert_eq(rig.state.game->course_tick, clock);
    cr_assert_eq(rig.state.entities.head->live, 0, "what lay on the course has left it in silence");
    rig_close(&rig);
}

Test(runner_rules, restart_waits_and_keeps)
{
    Rig rig;
    open_clear(&rig, 1);
    take_coins(&rig, 5);
    crash(&rig);
    uint32_t best = rig.state.runners[0].best;
    cr_assert_geq(best, 25 * 15);
    for (uint32_t i = 0; i < RUNNER_CONFIRM_TICKS; i++) {
        rig.inputs[0] = RUNNER_EDGE_CONFIRM;
        rig_step(&rig);
        cr_assert_eq(rig.state.game->phase, RUNNER_PHASE_OVER, "too early after %u ticks", i);
    }
    uint64_t increment = rig.state.game->rng_increment;
    tp_pcg32 current = { rig.state.game->rng_state, increment };
    rig.inputs[0] = RUNNER_EDGE_CONFIRM;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, RUNNER_EVENT_STARTED), 1);
    cr_assert_eq(rig.state.game->run, 2);
    cr_assert_eq(rig.state.game->course_tick, 1);
    cr_assert_eq(rig.state.runners[0].best, best);
    cr_assert_eq(rig.state.runners[0].bonus, 0);
    cr_assert_eq(rig.state.runners[0].lane, 1);
    uint32_t stream = tp_pcg32_next(&current);
    cr_assert_eq(rig.state.game->rng_increment, (uint64_t)stream * 2 + 1, "the next stream comes from the present one");
    rig_close(&rig);
}

// Goal: the second run starts from a cleared pool, not a fresh one: it uses the slots in another order, and handles
// of the first stay dead.
Test(runner_rules, restart_clears_the_pool)
{
    Rig rig;
    open_clear(&rig, 1);
    uint32_t first = rig_put(&rig, RUNNER_KIND_COIN, 0, RUNNER_RAW(100));
    rig_put(&rig, RUNNER_KIND_COIN, 0, RUNNER_RAW(50));
    RunnerEntityHandle old = runner_entity_handle_at(&rig.state.entities, first);
    crash(&rig);
    rig_steps(&rig, RUNNER_CONFIRM_TICKS);
    rig.inputs[0] = RUNNER_EDGE_CONFIRM;
    rig_step(&rig);
    cr_assert_eq(rig.state.entities.head->live, 0);
    cr_assert_not(runner_entity_contains(&rig.state.entities, old));
    cr_assert_gt(rig.state.entities.slots[first].generation, 1);
    rig_close(&rig);
}

// Goal: two runs of a match by a bot that plays blind enough to die, to the bit.
Test(runner_rules, golden_two_runs)
{
    Rig rig;
    rig_open(&rig, 1, 2024, NULL);
    rig_seat_bots(&rig, 5, 30);
    uint32_t crash_ticks[2] = { 0, 0 };
    while (rig.state.game->run < 2 || rig.state.game->phase != RUNNER_PHASE_OVER) {
        rig_step(&rig);
        if (rig_event_count(&rig, RUNNER_EVENT_CRASHED) == 1) {
            crash_ticks[rig.state.game->run - 1] = (uint32_t)tp_sim_tick(rig.sim);
        }
        cr_assert_lt(tp_sim_tick(rig.sim), 40000);
    }
    const RunnerGame *game = rig.state.game;
    bool is_golden = crash_ticks[0] == 2871 && crash_ticks[1] == 7675 && game->rng_state == UINT64_C(0xc124c2ffa7c52364) &&
                     rig.state.runners[0].best == 3396;
    cr_assert(is_golden, "actual: %u, %u, 0x%016llx, %u", crash_ticks[0], crash_ticks[1],
              (unsigned long long)game->rng_state, rig.state.runners[0].best);
    rig_close(&rig);
}
