// test_synctest.c: worlds that are well pass, every tick is compared as often as promised, and a test that leaves something out says so.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "fighter.h"
#include "runner.h"
#include "synctest_support.h"
#include "testworld.h"

static uint64_t due(uint64_t ticks, uint64_t distance)
{
    return ticks < distance ? ticks * (ticks + 1) / 2 : ticks * distance - distance * (distance - 1) / 2;
}

static void check_clean(const SyncOutcome *outcome, uint64_t ticks)
{
    cr_assert_eq(outcome->report.verdict, TP_VERIFIED, "%s", outcome->report.message);
    cr_assert_eq(outcome->report.ticks, ticks);
    for (uint32_t i = 0; i < outcome->report.case_count; i++) {
        const tp_synctest_case *one = &outcome->cases[i];
        cr_assert_eq(one->comparisons, due(ticks, one->distance), "%s, distance %u", tp_strength_name(one->strength), one->distance);
        cr_assert_eq(one->comparisons_due, one->comparisons);
        cr_assert_eq(one->compared_min, 1);
        cr_assert_eq(one->compared_max, ticks < one->distance ? ticks : one->distance);
        cr_assert_eq(one->restores, ticks);
        cr_assert_eq(one->continued, one->strength == TP_STRENGTH_PROCESS ? 0 : ticks);
    }
}

static SyncOutcome run_all_strengths(SyncRun *run)
{
    NearEnd end = { .world = run->world,
                    .setup = { .seed = run->seed, .players = run->players, .tick_rate_hz = run->world->tick_rate_hz, .config = run->config } };
    run->options.strengths = (1u << TP_STRENGTH_COUNT) - 1;
    run->options.carry = nearend_carry;
    run->options.carry_to = &end;
    SyncOutcome outcome = syncrun_do(run);
    free(end.answer);
    return outcome;
}

static void run_players(const tp_world *world, bool is_bot)
{
    static const uint32_t counts[] = { 1, 2, 4, 8 };
    for (uint32_t i = 0; i < TP_COUNT_OF(counts); i++) {
        SyncRun run = syncrun_standard(world);
        run.players = counts[i];
        run.is_bot = is_bot;
        SyncOutcome outcome = run_all_strengths(&run);
        check_clean(&outcome, run.ticks);
        cr_expect_eq(outcome.report.case_count, 24);
        cr_expect_gt(outcome.report.active_ticks, 0, "nobody moved");
        cr_expect(outcome.report.changed_fields > 0 && outcome.report.changed_fields < outcome.report.fields);
    }
}

Test(synctest, runner_script)
{
    run_players(&runner_world, false);
}

Test(synctest, runner_bots)
{
    run_players(&runner_world, true);
}

Test(synctest, fighter_script)
{
    run_players(&fighter_world, false);
}

Test(synctest, fighter_bots)
{
    run_players(&fighter_world, true);
}

Test(synctest, distance_60)
{
    SyncRun run = syncrun_standard(&runner_world);
    run.options.distance_first = run.options.distance_last = 60;
    SyncOutcome outcome = run_all_strengths(&run);
    check_clean(&outcome, run.ticks);
}

// Goal: runs that are shorter than the distance, down to one tick, whose only tick is first and last.
Test(synctest, short_runs)
{
    for (uint64_t ticks = 1; ticks <= 9; ticks++) {
        SyncRun run = syncrun_standard(&testworld_flat);
        run.ticks = ticks;
        SyncOutcome outcome = run_all_strengths(&run);
        check_clean(&outcome, ticks);
    }
}

Test(synctest, no_tick_is_incomplete)
{
    SyncRun run = syncrun_standard(&testworld_flat);
    run.ticks = 0;
    SyncOutcome outcome = run_all_strengths(&run);
    cr_expect_eq(outcome.report.verdict, TP_INCOMPLETE);
    for (uint32_t i = 0; i < outcome.report.case_count; i++) {
        cr_expect_eq(outcome.cases[i].verdict, TP_INCOMPLETE);
    }
}

Test(synctest, worlds_of_the_tests)
{
    SyncRun     flat = syncrun_standard(&testworld_flat);
    SyncOutcome outcome = run_all_strengths(&flat);
    check_clean(&outcome, flat.ticks);
    SyncRun opaque = syncrun_standard(&testworld_opaque);
    outcome = run_all_strengths(&opaque);
    check_clean(&outcome, outcome.report.ticks);
    cr_expect(outcome.report.has_fault, "the script presses all its buttons, which is a fault");
    cr_expect_gt(outcome.report.ticks, 30);
    cr_expect_eq(outcome.report.fields, 0, "an opaque world has no fields");
}

Test(synctest, nobody_moves)
{
    SyncRun run = syncrun_standard(&testworld_flat);
    run.is_idle = true;
    SyncOutcome outcome = run_all_strengths(&run);
    check_clean(&outcome, run.ticks);
    cr_expect_eq(outcome.report.active_ticks, 0);
}

// Commands, presence that changes, and a fault at the end, by rows of the test world's own script.
static tp_synctest *run_rows(tp_sim *sim, const tp_synctest_options *options, uint64_t ticks, uint64_t fault_tick)
{
    tp_error     error;
    tp_synctest *test = tp_synctest_create(sim, options, &error);
    cr_assert_not_null(test, "%s", error.text);
    for (uint64_t tick = 0; tick < ticks; tick++) {
        uint8_t    bytes[1024];
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        tp_command fault = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
        if (tick == fault_tick) {
            row.command_count = 1;
            row.commands = &fault;
        }
        size_t size = tp_row_encode(tp_sim_layout(sim), &row, bytes, sizeof(bytes));
        cr_assert_neq(tp_sim_step_bytes(sim, bytes, size, &error), TP_SIM_REFUSED, "%s", error.text);
        bool goes_on = tp_synctest_tick(test, bytes, size);
        cr_assert(goes_on);
    }
    return test;
}

static tp_synctest_options near_options(NearEnd *end)
{
    tp_synctest_options options;
    tp_synctest_options_standard(&options);
    *end = (NearEnd){ .world = &testworld_flat, .setup = testworld_setup(&testworld_flat, 3, 5) };
    options.strengths = (1u << TP_STRENGTH_COUNT) - 1;
    options.carry = nearend_carry;
    options.carry_to = end;
    return options;
}

// Goal: a tick that faults has to fault again, from the same state, in every strength; it is compared like any other.
Test(synctest, a_fault_is_compared)
{
    NearEnd             end;
    tp_error            error;
    tp_synctest_report  report;
    tp_synctest_options options = near_options(&end);
    tp_sim             *sim = tp_sim_create(&testworld_flat, &end.setup, NULL, &error);
    tp_synctest        *test = run_rows(sim, &options, 101, 100);
    cr_expect_not(tp_synctest_tick(test, (const uint8_t *)"", 0), "nothing comes after a fault");
    tp_synctest_finish(test, &report);
    cr_expect_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_expect(report.has_fault);
    cr_expect_eq(report.fault_tick, 100);
    cr_expect_eq(report.ticks, 101);
    for (uint32_t i = 0; i < report.case_count; i++) {
        cr_expect_eq(report.cases[i].comparisons, due(101, report.cases[i].distance));
    }
    tp_synctest_destroy(test);
    tp_sim_destroy(sim);
    free(end.answer);
}

// Goal: a run that goes on elsewhere, as a log does after a gap, is tested in pieces that know nothing of each other.
Test(synctest, pieces)
{
    NearEnd             end;
    tp_error            error;
    tp_synctest_report  report;
    tp_synctest_options options = near_options(&end);
    tp_sim             *sim = tp_sim_create(&testworld_flat, &end.setup, NULL, &error);
    tp_synctest        *test = run_rows(sim, &options, 20, UINT64_MAX);
    size_t              size = 0;
    uint8_t            *bytes = malloc(tp_sim_encoded_max(sim));
    cr_assert(tp_sim_encode(sim, bytes, tp_sim_encoded_max(sim), &size));
    cr_assert(tp_sim_decode(sim, bytes, size, 500, 1, 2, &error));
    tp_synctest_jump(test);
    for (uint64_t tick = 500; tick < 505; tick++) {
        uint8_t    row_bytes[1024];
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        size_t     row_size = tp_row_encode(tp_sim_layout(sim), &row, row_bytes, sizeof(row_bytes));
        cr_assert_eq(tp_sim_step_bytes(sim, row_bytes, row_size, &error), TP_SIM_OK);
        cr_assert(tp_synctest_tick(test, row_bytes, row_size));
    }
    tp_synctest_finish(test, &report);
    cr_expect_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_expect_eq(report.pieces, 2);
    cr_expect_eq(report.ticks, 25);
    for (uint32_t i = 0; i < report.case_count; i++) {
        cr_expect_eq(report.cases[i].comparisons, due(20, report.cases[i].distance) + due(5, report.cases[i].distance));
        cr_expect_eq(report.cases[i].restores, 25);
    }
    tp_synctest_destroy(test);
    tp_sim_destroy(sim);
    free(bytes);
    free(end.answer);
}

// Faults of the test itself.

static bool skip_one(void *to, tp_strength strength, uint32_t distance, uint64_t tick)
{
    (void)strength;
    (void)distance;
    return tick == *(const uint64_t *)to;
}

// Goal: one tick that goes uncompared, wherever it is, makes every case incomplete.
Test(synctest, a_tick_left_out)
{
    static const uint64_t left_out[] = { 0, 1, 150, 298, 299 };
    for (uint32_t i = 0; i < TP_COUNT_OF(left_out); i++) {
        SyncRun  run = syncrun_standard(&testworld_flat);
        uint64_t tick = left_out[i];
        run.options.skips = skip_one;
        run.options.skips_to = &tick;
        SyncOutcome outcome = run_all_strengths(&run);
        cr_expect_eq(outcome.report.verdict, TP_INCOMPLETE, "tick %llu: %s", (unsigned long long)tick, outcome.report.message);
        for (uint32_t c = 0; c < outcome.report.case_count; c++) {
            char text[40];
            snprintf(text, sizeof(text), "tick %llu was compared 0 times", (unsigned long long)tick);
            cr_expect_eq(outcome.cases[c].verdict, TP_INCOMPLETE);
            cr_expect_not_null(strstr(outcome.cases[c].message, text), "%s", outcome.cases[c].message);
        }
    }
}

static SyncOutcome run_spoiled(void (*spoil)(uint8_t *answer, size_t *size))
{
    SyncRun run = syncrun_standard(&testworld_flat);
    NearEnd end = { .world = run.world, .setup = testworld_setup(run.world, run.players, run.seed), .spoil = spoil };
    run.options.strengths = 1u << TP_STRENGTH_PROCESS;
    run.options.carry = nearend_carry;
    run.options.carry_to = &end;
    SyncOutcome outcome = syncrun_do(&run);
    free(end.answer);
    return outcome;
}

static void claim_nothing(uint8_t *answer, size_t *size)
{
    bytes_put_u32(answer + 4, 0);
    bytes_put_u16(answer + 8, 0);
    *size = 10;
}

// Goal: an answer without a single tick is well-formed, and its ticks are missed.
Test(synctest, far_end_that_steps_nothing)
{
    SyncOutcome outcome = run_spoiled(claim_nothing);
    cr_expect_eq(outcome.report.verdict, TP_INCOMPLETE, "%s", outcome.report.message);
}

static void flip_first_root(uint8_t *answer, size_t *size)
{
    (void)size;
    answer[10 + 36] ^= 1; // of the first tick stepped
}

static void flip_last_byte(uint8_t *answer, size_t *size)
{
    answer[*size - 1] ^= 1; // of a derived section
}

static void cut(uint8_t *answer, size_t *size)
{
    (void)answer;
    *size -= 1;
}

Test(synctest, far_end_that_lies)
{
    SyncOutcome outcome = run_spoiled(flip_first_root);
    cr_expect_eq(outcome.report.verdict, TP_DIVERGED, "%s", outcome.report.message);
    for (uint32_t i = 0; i < outcome.report.case_count; i++) {
        cr_expect_eq(outcome.cases[i].finding.difference, TP_SYNCTEST_ROOT);
        cr_expect_eq(outcome.cases[i].finding.bad_tick, 0, "%s", outcome.cases[i].message);
    }
    outcome = run_spoiled(flip_last_byte);
    cr_expect_eq(outcome.report.verdict, TP_DIVERGED, "%s", outcome.report.message);
    outcome = run_spoiled(cut);
    cr_expect_eq(outcome.report.verdict, TP_INTERNAL, "%s", outcome.report.message);
    cr_expect_not_null(strstr(outcome.report.message, "no answer"), "%s", outcome.report.message);
}

static bool refuse_to_carry(void *to, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size, tp_error *error)
{
    (void)to;
    (void)request;
    (void)size;
    (void)answer;
    (void)answer_size;
    return tp_error_set(error, "nobody is there");
}

Test(synctest, carrier_that_fails)
{
    SyncRun run = syncrun_standard(&testworld_flat);
    run.options.strengths = 1u << TP_STRENGTH_PROCESS | 1u << TP_STRENGTH_COPY;
    run.options.carry = refuse_to_carry;
    SyncOutcome outcome = syncrun_do(&run);
    cr_expect_eq(outcome.report.verdict, TP_INTERNAL);
    for (uint32_t i = 0; i < outcome.report.case_count; i++) {
        bool is_far = outcome.cases[i].strength == TP_STRENGTH_PROCESS;
        cr_expect_eq(outcome.cases[i].verdict, is_far ? TP_INTERNAL : TP_VERIFIED, "%s", outcome.cases[i].message);
    }
}

static void change_straight(tp_sim *straight, uint64_t tick)
{
    if (tick == 200) {
        TestGame *game = tp_sim_state(straight); // the first section
        game->kicks += 1;
    }
}

// Goal: a difference that is put into the straight run itself is found at exactly that tick, as that field, in every case.
Test(synctest, field_is_named)
{
    SyncRun run = syncrun_standard(&testworld_flat);
    run.before_step = change_straight;
    SyncOutcome outcome = run_all_strengths(&run);
    cr_expect_eq(outcome.report.verdict, TP_DIVERGED);
    for (uint32_t i = 0; i < outcome.report.case_count; i++) {
        const tp_synctest_finding *finding = &outcome.cases[i].finding;
        cr_expect_eq(finding->bad_tick, 200, "%s", finding->text);
        cr_expect_str_eq(finding->field, "game.kicks", "%s", finding->text);
        cr_expect_str_eq(finding->section, "game");
        cr_expect_str_eq(finding->expected, "1 count");
        cr_expect_str_eq(finding->actual, "0 count");
        cr_expect_eq(finding->differing_fields, 1);
        cr_expect_neq(memcmp(finding->expected_root, finding->actual_root, 16), 0);
    }
}

static volatile bool is_stopped;

static void stop_at(tp_sim *straight, uint64_t tick)
{
    (void)straight;
    is_stopped = tick >= 100;
}

// Goal: a wish to stop that comes while a tick is tested leaves no case verified and calls none diverged.
Test(synctest, stopped)
{
    SyncRun run = syncrun_standard(&testworld_flat);
    is_stopped = false;
    run.before_step = stop_at;
    run.options.stop = &is_stopped;
    SyncOutcome outcome = run_all_strengths(&run);
    cr_expect_eq(outcome.report.verdict, TP_INCOMPLETE, "%s", outcome.report.message);
    cr_expect_eq(outcome.report.ticks, 101, "no case stands, so the run ends");
    for (uint32_t i = 0; i < outcome.report.case_count; i++) {
        cr_expect_eq(outcome.cases[i].verdict, TP_INCOMPLETE);
        cr_expect_not_null(strstr(outcome.cases[i].message, "interrupted"), "%s", outcome.cases[i].message);
    }
}

// Goal: what would not fit is refused before any of it is taken.
Test(synctest, memory_is_limited)
{
    tp_error            error;
    tp_synctest_options options;
    tp_setup            setup = { .seed = 1, .players = 8, .tick_rate_hz = fighter_world.tick_rate_hz };
    tp_sim             *sim = tp_sim_create(&fighter_world, &setup, NULL, &error);
    cr_assert_not_null(sim, "%s", error.text);
    tp_synctest_options_standard(&options);
    cr_expect_lt(tp_synctest_memory(sim, NULL), TP_SYNCTEST_MEMORY_MAX);
    uint64_t before = tp_synctest_memory(sim, &options);
    options.distance_last = 9;
    cr_expect_gt(tp_synctest_memory(sim, &options), before + 11 * tp_sim_encoded_max(sim));
    tp_sim_destroy(sim);
    setup.players = 100;
    sim = tp_sim_create(&fighter_world, &setup, NULL, &error);
    cr_assert_not_null(sim, "%s", error.text);
    options.distance_last = 1000;
    cr_expect_null(tp_synctest_create(sim, &options, &error));
    cr_expect_not_null(strstr(error.text, "MiB"), "%s", error.text);
    tp_sim_destroy(sim);
}

// Goal: a step that the caller kept to itself is not a run that was compared.
Test(synctest, a_step_that_was_not_shown)
{
    tp_error           error;
    tp_synctest_report report;
    TestScript         script;
    uint8_t            bytes[1024];
    tp_setup           setup = testworld_setup(&testworld_flat, 2, 1);
    tp_sim            *sim = tp_sim_create(&testworld_flat, &setup, NULL, &error);
    tp_synctest       *test = tp_synctest_create(sim, NULL, &error);
    size_t             size = 0;
    for (uint64_t tick = 0; tick < 2; tick++) {
        tp_row row = testworld_row(sim, &script, tick);
        size = tp_row_encode(tp_sim_layout(sim), &row, bytes, sizeof(bytes));
        cr_assert_eq(tp_sim_step_bytes(sim, bytes, size, &error), TP_SIM_OK);
    }
    cr_expect_not(tp_synctest_tick(test, bytes, size));
    tp_synctest_finish(test, &report);
    cr_expect_eq(report.verdict, TP_INTERNAL, "%s", report.message);
    tp_synctest_destroy(test);
    tp_sim_destroy(sim);
}

Test(synctest, options_are_checked)
{
    static const tp_synctest_options wrong[] = {
        { .strengths = 1, .distance_first = 0, .distance_last = 8 },
        { .strengths = 1, .distance_first = 8, .distance_last = 7 },
        { .strengths = 1, .distance_first = 1, .distance_last = TP_SYNCTEST_DISTANCE_MAX + 1 },
        { .strengths = 0, .distance_first = 1, .distance_last = 8 },
        { .strengths = 8, .distance_first = 1, .distance_last = 8 },
        { .strengths = 1u << TP_STRENGTH_PROCESS, .distance_first = 1, .distance_last = 8 },
    };
    tp_error error;
    tp_setup setup = testworld_setup(&testworld_flat, 2, 1);
    tp_sim  *sim = tp_sim_create(&testworld_flat, &setup, NULL, &error);
    for (uint32_t i = 0; i < TP_COUNT_OF(wrong); i++) {
        error.text[0] = '\0';
        cr_expect_null(tp_synctest_create(sim, &wrong[i], &error));
        cr_expect_str_neq(error.text, "");
    }
    tp_sim_destroy(sim);
}

// Goal: a request is foreign to the far end: cut anywhere, or with a bit changed, it gives a refusal or an answer, and never more.
Test(synctest, requests_are_checked)
{
    static uint8_t      kept[65536];
    tp_error            error;
    NearEnd             end;
    tp_synctest_options options = near_options(&end);
    (void)options;
    uint8_t *answer = NULL;
    size_t   answer_size = 0;
    tp_sim  *sim = tp_sim_create(&testworld_flat, &end.setup, NULL, &error);
    size_t   state_size = 0;
    // A request without rows: head, state, one mark.
    bytes_put_u32(kept, UINT32_C(0x51535054));
    bytes_put_u32(kept + 4, 0);
    memset(kept + 8, 0, 24);
    cr_assert(tp_sim_encode(sim, kept + 44, sizeof(kept) - 44, &state_size));
    bytes_put_u64(kept + 32, state_size);
    bytes_put_u32(kept + 40, 0);
    size_t size = 44 + state_size + 36;
    memset(kept + 44 + state_size, 0, 36);
    for (size_t cut_size = 0; cut_size < size; cut_size++) {
        cr_assert_not(tp_synctest_serve(sim, kept, cut_size, &answer, &answer_size, &error), "%zu bytes", cut_size);
    }
    for (size_t bit = 0; bit < size * 8; bit += 3) {
        kept[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (tp_synctest_serve(sim, kept, size, &answer, &answer_size, &error)) {
            free(answer);
        }
        kept[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    cr_assert(tp_synctest_serve(sim, kept, size, &answer, &answer_size, &error), "%s", error.text);
    free(answer);
    tp_sim_destroy(sim);
}
