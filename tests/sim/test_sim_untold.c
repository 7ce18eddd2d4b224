// A world that leaves one write untold: found by the check, by synctest, and without them by its root.
#include <criterion/criterion.h>
#include <string.h>

#include "tickproof/synctest.h"
#include "touchpair.h"

enum { UNTOLD_STEP = 30, TICKS = 60 };

static tp_sim *make(const tp_world *world, int64_t untold, bool is_checked)
{
    const int64_t  values[TOUCHWORLD_CONFIG_COUNT] = { 15000, 2, 0, 1, untold };
    tp_setup       setup = touchpair_setup(8);
    tp_sim_options options = { .ring_capacity = 4, .recover_ticks = 7, .check_touched = is_checked };
    tp_error       error = { "" };
    setup.config = values;
    tp_sim *sim = tp_sim_create(world, &setup, &options, &error);
    cr_assert_not_null(sim, "%s", error.text);
    return sim;
}

// A burst one step before the lie tells of the page that the lie is in: what was told of another step must not excuse it.
static tp_sim_status step(tp_sim *sim, uint64_t tick, tp_error *error)
{
    uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS];
    tp_row  row = touchworld_row(bytes, tick % 7 == 0 ? TOUCHWORLD_BURST : 0, (uint8_t)(tick / 7 * 2));
    return tp_sim_step(sim, &row, error);
}

Test(sim_untold, check_names_the_write)
{
    tp_error error = { "" };
    tp_sim  *liar = make(&touchworld, UNTOLD_STEP, true);
    tp_sim  *whole = make(&touchworld_whole, UNTOLD_STEP, true);
    for (uint64_t tick = 0; tick + 1 < UNTOLD_STEP; tick++) {
        cr_assert_eq(step(liar, tick, &error), TP_SIM_OK, "%s", error.text);
        cr_assert_eq(step(whole, tick, &error), TP_SIM_OK, "%s", error.text);
    }
    cr_assert_not(tp_sim_has_untold(liar));
    cr_assert_eq(step(liar, UNTOLD_STEP - 1, &error), TP_SIM_FAULTED);
    cr_assert(tp_sim_has_untold(liar));
    cr_assert_eq(tp_sim_fault(liar)->code, TP_FAULT_ASSERT);
    cr_assert_str_eq(tp_sim_fault(liar)->what,
                     "section 'cells', element 7500, byte 0: the step changed it and did not tell: call tp_touch where it is written");
    cr_assert_str_eq(error.text, "assert: section 'cells', element 7500, byte 0: the step changed it and did not tell: call tp_touch where it is written");
    cr_assert_eq(tp_sim_tick(liar), UNTOLD_STEP - 1, "the state is the one before");
    cr_assert(tp_hash128_equal(tp_sim_root(liar), tp_sim_root(whole)));
    tp_sim_destroy(liar);

    // Without the promise there is nothing to check.
    cr_assert_eq(step(whole, UNTOLD_STEP - 1, &error), TP_SIM_OK);
    cr_assert_not(tp_sim_has_untold(whole));
    tp_sim_destroy(whole);
}

// Goal: a fault of the world's own is not taken for one of the check, and an honest world passes it.
Test(sim_untold, honest_world_is_clean)
{
    tp_error error = { "" };
    tp_sim  *sim = make(&touchworld, 0, true);
    tp_sim  *whole = make(&touchworld_whole, 0, false);
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        cr_assert_eq(step(sim, tick, &error), TP_SIM_OK, "%s", error.text);
        cr_assert_eq(step(whole, tick, &error), TP_SIM_OK);
        cr_assert(tp_hash128_equal(tp_sim_root(sim), tp_sim_root(whole)));
    }
    uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS];
    tp_row  row = touchworld_row(bytes, TOUCHWORLD_FAULT, 0);
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_FAULTED);
    cr_assert_not(tp_sim_has_untold(sim));
    cr_assert_eq(tp_sim_fault(sim)->code, TP_FAULT_WORLD);
    tp_sim_destroy(sim);
    tp_sim_destroy(whole);
}

// Goal: nothing hides the lie: believed, it makes another root than the full hash from that tick on.
Test(sim_untold, unchecked_lie_makes_another_root)
{
    tp_error error;
    tp_sim  *liar = make(&touchworld, UNTOLD_STEP, false);
    tp_sim  *whole = make(&touchworld_whole, UNTOLD_STEP, false);
    for (uint64_t tick = 0; tick < UNTOLD_STEP; tick++) {
        cr_assert_eq(step(liar, tick, &error), TP_SIM_OK);
        cr_assert_eq(step(whole, tick, &error), TP_SIM_OK);
        bool is_equal = tp_hash128_equal(tp_sim_root(liar), tp_sim_root(whole));
        cr_assert_eq(is_equal, tick + 1 < UNTOLD_STEP, "tick %d", (int)tick);
    }
    cr_assert_eq(memcmp(liar->state, whole->state, whole->layout.block_size), 0, "the state itself is the same");
    tp_sim_destroy(liar);
    tp_sim_destroy(whole);
}

static void run_synctest(int64_t untold, tp_synctest_report *report, tp_synctest_case cases[8])
{
    tp_error            error = { "" };
    tp_synctest_options options;
    tp_sim             *straight = make(&touchworld, untold, false);
    tp_synctest_options_standard(&options);
    options.distance_last = 3;
    tp_synctest *test = tp_synctest_create(straight, &options, &error);
    cr_assert_not_null(test, "%s", error.text);
    bool goes_on = true;
    for (uint64_t tick = 0; goes_on && tick < TICKS; tick++) {
        uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS];
        uint8_t packed[64];
        tp_row  row = touchworld_row(bytes, 0, 0);
        size_t  size = tp_row_encode(tp_sim_layout(straight), &row, packed, sizeof(packed));
        cr_assert_eq(tp_sim_step(straight, &row, &error), TP_SIM_OK);
        goes_on = tp_synctest_tick(test, packed, size);
    }
    tp_synctest_finish(test, report);
    cr_assert_leq(report->case_count, 8);
    memcpy(cases, report->cases, report->case_count * sizeof(*cases));
    tp_synctest_destroy(test);
    tp_sim_destroy(straight);
}

Test(sim_untold, synctest_names_the_write)
{
    tp_synctest_report report;
    tp_synctest_case   cases[8];
    run_synctest(UNTOLD_STEP, &report, cases);
    cr_assert_eq(report.verdict, TP_DIVERGED);
    cr_assert_eq(report.case_count, 6);
    for (uint32_t i = 0; i < report.case_count; i++) {
        const tp_synctest_finding *finding = &cases[i].finding;
        cr_assert_eq(cases[i].verdict, TP_DIVERGED);
        cr_assert_eq(finding->bad_tick, UNTOLD_STEP - 1, "%s", finding->text);
        cr_assert_not_null(strstr(finding->text, "section 'cells', element 7500, byte 0: the step changed it and did not tell"), "%s", finding->text);
        cr_assert_neq(memcmp(finding->expected_root, finding->actual_root, 16), 0);
    }
    run_synctest(0, &report, cases);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
}
