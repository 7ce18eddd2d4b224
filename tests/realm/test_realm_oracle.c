// After any sequence of streaming the world is the one that is built at once in its final state; and before it is at rest, what is active is already
// that. A few seeds run here. TICKPROOF_ORACLE_SEED=n repeats one of them, step by step; TICKPROOF_ORACLE_SCHEDULES=n runs seeds 0 to n - 1;
// TICKPROOF_ORACLE_NO_SHRINK=1 leaves failing ones as long as they are.
#include <criterion/criterion.h>

#include "realm_oracle.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLICES = 4, SABOTAGED = 16 };
#if defined(__SANITIZE_ADDRESS__)
enum { SCHEDULES = 60 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SCHEDULES = 60 };
#else
enum { SCHEDULES = 600 };
#endif
#else
enum { SCHEDULES = 600 };
#endif

static bool number_from(const char *name, uint64_t *value)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') {
        return false;
    }
    *value = strtoull(text, NULL, 10);
    return true;
}

// Says everything that is needed to see it again, on the shortest schedule that still fails.
static void report(const OracleOptions *options, OracleStep *steps, uint32_t count, const char *wrong)
{
    char         shorter[ORACLE_TEXT_SIZE];
    OracleCounts counts = { 0 };
    oracle_print(options);
    fprintf(stderr, "seed %llu, %s\n", (unsigned long long)options->seed, wrong);
    if (getenv("TICKPROOF_ORACLE_NO_SHRINK") != NULL) {
        return;
    }
    fprintf(stderr, "the same with fewer steps:\n");
    count = oracle_shrink(options, steps, count);
    oracle_run(options, steps, count, true, &counts, shorter);
    fprintf(stderr, "%s\n", shorter);
}

static bool run_seed(uint64_t seed, bool is_loud, OracleCounts *counts)
{
    char          wrong[ORACLE_TEXT_SIZE];
    OracleStep    steps[ORACLE_STEPS_MAX];
    OracleOptions options = oracle_options(seed);
    uint32_t      count = oracle_draw(&options, steps);
    if (is_loud) {
        oracle_print(&options);
    }
    bool is_good = oracle_run(&options, steps, count, is_loud, counts, wrong);
    if (!is_good) {
        report(&options, steps, count, wrong);
    }
    return is_good;
}

static void run_slice(uint32_t slice)
{
    uint64_t     one = 0, schedules = SCHEDULES;
    OracleCounts counts = { 0 };
    if (number_from("TICKPROOF_ORACLE_SEED", &one)) {
        cr_assert(slice != one % SLICES || run_seed(one, true, &counts), "seed %llu fails", (unsigned long long)one);
        return;
    }
    number_from("TICKPROOF_ORACLE_SCHEDULES", &schedules);
    uint32_t failed = 0;
    for (uint64_t seed = slice; seed < schedules; seed += SLICES) {
        failed += !run_seed(seed, false, &counts);
    }
    fprintf(stderr, "slice %u of %llu schedules: %llu steps, %llu calls, %llu commits, %llu cancels (%llu by limits), %llu demotions, "
            "%llu withdrawals, %llu waits, %llu changes, %llu looks (%llu at rest), %llu twins, %llu misuses, %llu resets\n", slice,
            (unsigned long long)schedules, (unsigned long long)counts.steps, (unsigned long long)counts.partial,
            (unsigned long long)counts.commits, (unsigned long long)counts.cancels, (unsigned long long)counts.limits,
            (unsigned long long)counts.demotions, (unsigned long long)counts.withdrawals, (unsigned long long)counts.waits,
            (unsigned long long)counts.changes, (unsigned long long)counts.looks, (unsigned long long)counts.rests,
            (unsigned long long)counts.twins, (unsigned long long)counts.misuses, (unsigned long long)counts.resets);
    cr_assert_eq(failed, 0, "%u schedules failed", failed);
    uint64_t run = schedules / SLICES;
    cr_assert_geq(counts.commits, 5 * run, "too little happened to prove anything");
    cr_assert_geq(counts.changes, 10 * run, "too little happened to prove anything");
    cr_assert_geq(counts.looks, 3 * run, "too little was compared to prove anything");
}

Test(realm_oracle, slice_0) { run_slice(0); }
Test(realm_oracle, slice_1) { run_slice(1); }
Test(realm_oracle, slice_2) { run_slice(2); }
Test(realm_oracle, slice_3) { run_slice(3); }

// Goal: whatever part of the oracle is meant to see it, none of these goes unnoticed.
Test(realm_oracle, what_is_done_behind_its_back_is_noticed)
{
    for (uint32_t sabotage = SABOTAGE_NONE + 1; sabotage < SABOTAGE_COUNT; sabotage++) {
        uint32_t noticed = 0;
        for (uint64_t seed = 0; seed < SABOTAGED; seed++) {
            char          wrong[ORACLE_TEXT_SIZE];
            OracleStep    steps[ORACLE_STEPS_MAX];
            OracleCounts  counts = { 0 };
            OracleOptions options = oracle_options(seed);
            options.sabotage = (OracleSabotage)sabotage;
            options.is_audited = true;
            uint32_t count = oracle_draw(&options, steps);
            noticed += !oracle_run(&options, steps, count, false, &counts, wrong);
        }
        fprintf(stderr, "sabotage %u: noticed in %u of %u schedules\n", sabotage, noticed, (unsigned)SABOTAGED);
        // A twin is only there when the schedule saves one in its second half, and some schedules have hardly an owner or a landblock.
        cr_assert_geq(noticed, sabotage == SABOTAGE_TWIN ? SABOTAGED / 8 : SABOTAGED / 2, "sabotage %u was noticed in %u schedules", sabotage,
                      noticed);
    }
}

// Goal: what is reported is short: of a schedule that fails whatever its steps are, next to nothing is left.
Test(realm_oracle, a_failing_schedule_becomes_short)
{
    char          wrong[ORACLE_TEXT_SIZE];
    OracleStep    steps[ORACLE_STEPS_MAX];
    OracleCounts  counts = { 0 };
    OracleOptions options = oracle_options(1);
    options.sabotage = SABOTAGE_EXTRA;
    uint32_t count = oracle_draw(&options, steps);
    cr_assert_gt(count, 50);
    count = oracle_shrink(&options, steps, count);
    cr_assert_leq(count, 3, "%u steps are left", count);
    cr_assert_not(oracle_run(&options, steps, count, false, &counts, wrong), "what is left does not fail");
}
