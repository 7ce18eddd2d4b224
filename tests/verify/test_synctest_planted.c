// test_synctest_planted.c: worlds with one bug each, and for each strength whether it has to see that bug, at which tick and in which field.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "planted_worlds.h"
#include "synctest_support.h"

enum { TICKS = 60 };

// Tick at which a strength has to see it; NEVER where it cannot.
enum { NEVER = -1, AT = PLANTED_FROM, BEHIND = PLANTED_FROM + 1 };

typedef struct {
    PlantedBug             bug;
    int                    copy, bytes;
    tp_synctest_difference difference;
    const char            *field;
} Expected;

// The process strength is held against the same list by tests/cli/synctest.sh, with processes.
static const Expected expected[] = {
    { PLANTED_NONE, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
    { PLANTED_COUNTER, AT, AT, TP_SYNCTEST_STATE, "game.score" },
    { PLANTED_RANDOM, AT, AT, TP_SYNCTEST_STATE, "game.drawn" },
    { PLANTED_FREE_STATIC, AT, AT, TP_SYNCTEST_STATE, "game.place" },
    // A copy brings derived sections back as they were: nothing is rebuilt.
    { PLANTED_FREE_DERIVED, NEVER, BEHIND, TP_SYNCTEST_DERIVED, "free.order[0]" },
    { PLANTED_UNBUILT, NEVER, BEHIND, TP_SYNCTEST_DERIVED, "cache.gain" },
    { PLANTED_ADDRESS, AT, AT, TP_SYNCTEST_STATE, "game.place" },
    { PLANTED_CLOCK, AT, AT, TP_SYNCTEST_STATE, "game.stamp" },
    { PLANTED_EVENT_ONCE, AT, AT, TP_SYNCTEST_EVENT, "event 0" },
    { PLANTED_EVENT_LATE, AT, AT, TP_SYNCTEST_EVENT, "event 0, beep.when" },
    // One process, one seed: only another process has another one.
    { PLANTED_ORDER, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
    // A copy has the gaps, too.
    { PLANTED_GAP, NEVER, BEHIND, TP_SYNCTEST_GAP, "byte 0 of a gap between sections" },
    { PLANTED_INIT, 0, 0, TP_SYNCTEST_STATE, "game.stamp" },
    { PLANTED_FAULT, AT, AT, TP_SYNCTEST_FAULT, "fault" },
    { PLANTED_CRASH, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
    { PLANTED_HANG, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
    // It is set by the time that it shows, whichever world of this process is asked.
    { PLANTED_STICKY, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
    { PLANTED_MEMO, AT, AT, TP_SYNCTEST_STATE, "game.place" },
    // The straight run was the first to step each tick, with its true inputs, and all that comes later remembers those.
    { PLANTED_MEMO_RING, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
    { PLANTED_EXIT, NEVER, NEVER, TP_SYNCTEST_EQUAL, "" },
};

static void check_case(const tp_synctest_case *one, const Expected *wanted)
{
    int tick = one->strength == TP_STRENGTH_COPY ? wanted->copy : wanted->bytes;
    if (tick == NEVER) {
        cr_expect_eq(one->verdict, TP_VERIFIED, "bug %d: %s", (int)wanted->bug, one->message);
        return;
    }
    const tp_synctest_finding *finding = &one->finding;
    cr_expect_eq(one->verdict, TP_DIVERGED, "bug %d, %s, distance %u: not seen", (int)wanted->bug, tp_strength_name(one->strength), one->distance);
    cr_expect_eq(finding->bad_tick, (uint64_t)tick, "bug %d: %s", (int)wanted->bug, finding->text);
    cr_expect_eq(finding->difference, wanted->difference, "bug %d: %s", (int)wanted->bug, finding->text);
    cr_expect_str_eq(finding->field, wanted->field, "bug %d: %s", (int)wanted->bug, finding->text);
    cr_expect_str_neq(finding->expected, finding->actual, "bug %d: %s", (int)wanted->bug, finding->text);
    cr_expect_eq(finding->is_first_state, wanted->bug == PLANTED_INIT);
    cr_expect(finding->restored_at <= finding->bad_tick && finding->bad_tick - finding->restored_at <= one->distance);
}

static SyncRun planted_run(const tp_world *world, int64_t bug, int64_t *config)
{
    SyncRun run = syncrun_standard(world);
    config[0] = bug;
    config[1] = PLANTED_FROM;
    run.config = config;
    run.ticks = TICKS;
    planted_forget();
    return run;
}

// Goal: all cases of one run, which stir each other's statics.
Test(synctest_planted, together)
{
    int64_t config[2];
    cr_assert_eq(TP_COUNT_OF(expected), PLANTED_COUNT);
    for (uint32_t i = 0; i < TP_COUNT_OF(expected); i++) {
        SyncRun     run = planted_run(&planted_flat, expected[i].bug, config);
        SyncOutcome outcome = syncrun_do(&run);
        cr_assert_eq(outcome.report.case_count, 16);
        for (uint32_t c = 0; c < outcome.report.case_count; c++) {
            check_case(&outcome.cases[c], &expected[i]);
        }
    }
}

// Goal: each distance sees each bug without the others' help.
Test(synctest_planted, alone)
{
    int64_t config[2];
    for (uint32_t i = 0; i < TP_COUNT_OF(expected); i++) {
        for (uint32_t strength = 0; strength < 2; strength++) {
            for (uint32_t distance = 1; distance <= 8; distance++) {
                SyncRun run = planted_run(&planted_flat, expected[i].bug, config);
                run.options = (tp_synctest_options){ .strengths = 1u << strength, .distance_first = distance, .distance_last = distance };
                SyncOutcome outcome = syncrun_do(&run);
                cr_assert_eq(outcome.report.case_count, 1);
                check_case(&outcome.cases[0], &expected[i]);
            }
        }
    }
}

// Goal: the window of a far larger distance sees them, too.
Test(synctest_planted, distance_30)
{
    int64_t config[2];
    for (uint32_t i = 0; i < TP_COUNT_OF(expected); i++) {
        SyncRun run = planted_run(&planted_flat, expected[i].bug, config);
        run.ticks = 100; // what shows after a restore shows at its distance
        run.options.distance_first = run.options.distance_last = 30;
        SyncOutcome outcome = syncrun_do(&run);
        check_case(&outcome.cases[0], &expected[i]);
        check_case(&outcome.cases[1], &expected[i]);
    }
}

// Goal: an opaque world without field names: the byte of what it saves.
Test(synctest_planted, opaque)
{
    int64_t     config[2];
    SyncRun     run = planted_run(&planted_opaque, PLANTED_OPAQUE_NONE, config);
    SyncOutcome outcome = syncrun_do(&run);
    cr_expect_eq(outcome.report.verdict, TP_VERIFIED, "%s", outcome.report.message);
    run = planted_run(&planted_opaque, PLANTED_OPAQUE_UNSAVED, config);
    outcome = syncrun_do(&run);
    for (uint32_t c = 0; c < outcome.report.case_count; c++) {
        const tp_synctest_finding *finding = &outcome.cases[c].finding;
        cr_expect_eq(outcome.cases[c].verdict, TP_DIVERGED);
        cr_expect_eq(finding->bad_tick, PLANTED_FROM, "%s", finding->text);
        cr_expect_str_eq(finding->field, "byte 8 of the saved state", "%s", finding->text);
    }
}

// Goal: what a world keeps for good is seen only where that world is made anew for every state.
Test(synctest_planted, opaque_sticky)
{
    int64_t     config[2];
    SyncRun     run = planted_run(&planted_opaque, PLANTED_OPAQUE_STICKY, config);
    SyncOutcome outcome = syncrun_do(&run);
    cr_assert_eq(outcome.report.case_count, 16);
    for (uint32_t c = 0; c < outcome.report.case_count; c++) {
        const tp_synctest_case *one = &outcome.cases[c];
        cr_expect_eq(one->verdict, one->strength == TP_STRENGTH_COPY ? TP_VERIFIED : TP_DIVERGED, "%s", one->message);
        cr_expect(one->strength == TP_STRENGTH_COPY || one->finding.bad_tick == PLANTED_FROM, "%s", one->message);
    }
}

// Goal: memory that load took and never wrote. What a copy finds there depends on what was there before, so nothing is asked of it.
Test(synctest_planted, opaque_unwritten)
{
    int64_t     config[2];
    SyncRun     run = planted_run(&planted_opaque, PLANTED_OPAQUE_UNWRITTEN, config);
    run.options.strengths = 1u << TP_STRENGTH_BYTES;
    SyncOutcome outcome = syncrun_do(&run);
    for (uint32_t c = 0; c < outcome.report.case_count; c++) {
        const tp_synctest_finding *finding = &outcome.cases[c].finding;
        cr_expect_eq(outcome.cases[c].verdict, TP_DIVERGED);
        cr_expect_eq(finding->bad_tick, PLANTED_FROM, "%s", finding->text);
        cr_expect_eq(finding->difference, TP_SYNCTEST_STATE, "%s", finding->text);
    }
}

// Served in this process, but with all statics forgotten before each request, as in one that has just begun.
static bool forgetful_carry(void *to, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size, tp_error *error)
{
    planted_forget();
    return nearend_carry(to, request, size, answer, answer_size, error);
}

static SyncOutcome run_process(int64_t bug, int64_t *config)
{
    SyncRun run = planted_run(&planted_flat, bug, config);
    NearEnd end = { .world = run.world, .setup = { .seed = run.seed, .players = run.players, .tick_rate_hz = 60, .config = config } };
    run.options.strengths = 1u << TP_STRENGTH_PROCESS;
    run.options.carry = forgetful_carry;
    run.options.carry_to = &end;
    SyncOutcome outcome = syncrun_do(&run);
    free(end.answer);
    return outcome;
}

// Goal: a memo by tick is right as long as nobody guesses wrong. Nothing but the guess sees it, however many ticks it remembers.
Test(synctest_planted, process_guesses)
{
    static const PlantedBug bugs[] = { PLANTED_MEMO, PLANTED_MEMO_RING };
    int64_t                 config[2];
    for (uint32_t i = 0; i < TP_COUNT_OF(bugs); i++) {
        SyncOutcome outcome = run_process(bugs[i], config);
        cr_assert_eq(outcome.report.case_count, 8);
        for (uint32_t c = 0; c < outcome.report.case_count; c++) {
            const tp_synctest_finding *finding = &outcome.cases[c].finding;
            cr_expect_eq(outcome.cases[c].verdict, TP_DIVERGED, "bug %d", (int)bugs[i]);
            cr_expect(finding->is_guessed, "%s", finding->text);
            cr_expect_eq(finding->bad_tick, PLANTED_FROM, "%s", finding->text);
            cr_expect_str_eq(finding->field, "game.place", "%s", finding->text);
        }
    }
}

// Goal: what is right without statics is right after guesses, and every tick of every case was guessed.
Test(synctest_planted, every_tick_is_guessed)
{
    int64_t     config[2];
    SyncOutcome outcome = run_process(PLANTED_NONE, config);
    for (uint32_t c = 0; c < outcome.report.case_count; c++) {
        cr_expect_eq(outcome.cases[c].verdict, TP_VERIFIED, "%s", outcome.cases[c].message);
        cr_expect_eq(outcome.cases[c].guesses, TICKS);
    }
    SyncRun run = planted_run(&planted_flat, PLANTED_NONE, config);
    run.is_idle = true; // the tick before and doing nothing are both right, so something is pressed
    outcome = syncrun_do(&run);
    for (uint32_t c = 0; c < outcome.report.case_count; c++) {
        uint64_t distance = outcome.cases[c].distance;
        cr_expect_eq(outcome.cases[c].verdict, TP_VERIFIED, "%s", outcome.cases[c].message);
        // The first D ticks have all before them guessed, the others D more than themselves.
        cr_expect_eq(outcome.cases[c].guesses, distance * (distance + 1) / 2 + (TICKS - distance) * (distance + 1));
    }
}

// Goal: a world that its own save mends is seen by the run that never saves it: at once by its hash, else at the end.
Test(synctest_planted, opaque_tidy)
{
    const tp_world *const worlds[] = { &planted_opaque, &planted_opaque_hashed };
    int64_t               config[2];
    for (uint32_t i = 0; i < TP_COUNT_OF(worlds); i++) {
        SyncRun     run = planted_run(worlds[i], PLANTED_OPAQUE_TIDY, config);
        SyncOutcome outcome = syncrun_do(&run);
        const tp_synctest_unsaved *unsaved = &outcome.report.unsaved;
        cr_expect_eq(outcome.report.verdict, TP_DIVERGED, "%s", worlds[i]->name);
        cr_expect_eq(unsaved->verdict, TP_DIVERGED);
        cr_expect_eq(unsaved->has_hash, i == 1);
        cr_expect_eq(unsaved->finding.bad_tick, i == 1 ? PLANTED_FROM : TICKS - 1, "%s", unsaved->message);
        cr_expect_eq(unsaved->comparisons, i == 1 ? PLANTED_FROM + 1 : 1);
        cr_expect_str_eq(unsaved->finding.field, "byte 8 of the saved state", "%s", unsaved->message);
        cr_expect_str_eq(outcome.report.message, unsaved->message);
        for (uint32_t c = 0; c < outcome.report.case_count; c++) {
            cr_expect_eq(outcome.cases[c].verdict, TP_VERIFIED, "%s: all others are saved", outcome.cases[c].message);
        }
        run = planted_run(worlds[i], PLANTED_OPAQUE_NONE, config);
        outcome = syncrun_do(&run);
        cr_expect_eq(outcome.report.verdict, TP_VERIFIED, "%s", outcome.report.message);
        cr_expect_eq(outcome.report.unsaved.ticks, TICKS);
        cr_expect_eq(outcome.report.unsaved.comparisons, i == 1 ? TICKS + 1 : 1);
    }
}
