// Parts of a log: --from, --to, and a file that is still growing.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testrecording.h"

static tp_report verify_range(const uint8_t *bytes, size_t size, uint64_t from, uint64_t to)
{
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.from = from;
    options.to = to;
    tp_verify_log(&source, &options, &report);
    return report;
}

Test(verify_range, parts_are_incomplete_with_their_coverage)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    uint8_t  *bytes = recording_make(&recording, &size);
    tp_report report = verify_range(bytes, size, 0, 99);
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    cr_assert_eq(report.checked, 100);
    cr_assert_eq(report.recorded, 300);
    report = verify_range(bytes, size, 250, UINT64_MAX);
    cr_assert_eq(report.verdict, TP_INCOMPLETE);
    cr_assert_eq(report.checked, 50);
    cr_assert_eq(report.stepped, 100, "from the keyframe at 200 on");
    report = verify_range(bytes, size, 150, 160);
    cr_assert_eq(report.checked, 11);
    report = verify_range(bytes, size, 0, 299);
    cr_assert_eq(report.verdict, TP_VERIFIED, "everything asked for is everything there is");
    report = verify_range(bytes, size, 1000, UINT64_MAX);
    cr_assert_eq(report.verdict, TP_INCOMPLETE);
    cr_assert_eq(report.checked, 0);
    free(bytes);
}

static void plant(tp_sim *sim)
{
    ((uint8_t *)tp_sim_state(sim))[16] ^= 1; // kicks
}

Test(verify_range, divergence_outside_the_range_is_not_looked_for)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.plant_tick = 120;
    recording.plant = plant;
    uint8_t *bytes = recording_make(&recording, &size);
    cr_assert_eq(verify_range(bytes, size, 0, UINT64_MAX).bad_tick, 120);
    cr_assert_eq(verify_range(bytes, size, 0, 110).verdict, TP_INCOMPLETE);
    cr_assert_eq(verify_range(bytes, size, 210, UINT64_MAX).verdict, TP_INCOMPLETE, "the keyframe at 200 has the same fault in it");
    cr_assert_eq(verify_range(bytes, size, 110, UINT64_MAX).bad_tick, 120);
    free(bytes);
}

typedef struct {
    tp_memory_source memory;
    size_t           whole;
    size_t           step;
    uint64_t         waits;
} Growing;

static bool grow(void *to)
{
    Growing *growing = to;
    growing->waits += 1;
    if (growing->memory.size == growing->whole) {
        return false;
    }
    size_t left = growing->whole - growing->memory.size;
    growing->memory.size += left < growing->step ? left : growing->step;
    return true;
}

static tp_report follow(const uint8_t *bytes, size_t size, size_t step, size_t first)
{
    Growing           growing = { .memory = { bytes, first }, .whole = size, .step = step };
    tp_source         source = tp_source_of_memory(&growing.memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.follow = true;
    options.wait = grow;
    options.wait_to = &growing;
    tp_verify_log(&source, &options, &report);
    cr_assert_gt(growing.waits, 0);
    return report;
}

static bool shrink(void *to)
{
    Growing *growing = to;
    growing->waits += 1;
    growing->memory.size = 200;
    return growing->waits < 10;
}

// Goal: a followed file that is cut under the reader is said to be so, instead of being waited for.
Test(verify_range, followed_file_that_shrinks_is_corrupt)
{
    Recording         recording = recording_standard();
    size_t            size = 0;
    uint8_t          *bytes = recording_make(&recording, &size);
    Growing           growing = { .memory = { bytes, size / 2 }, .whole = size };
    tp_source         source = tp_source_of_memory(&growing.memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.follow = true;
    options.wait = shrink;
    options.wait_to = &growing;
    tp_verify_log(&source, &options, &report);
    cr_assert_eq(report.verdict, TP_CORRUPT, "%s: %s", tp_verdict_name(report.verdict), report.message);
    cr_assert_not_null(strstr(report.message, "the file has shrunk to 200 bytes"), "%s", report.message);
    free(bytes);
}

Test(verify_range, follows_a_growing_file_to_its_end)
{
    Recording    recording = recording_standard();
    size_t       size = 0;
    uint8_t     *bytes = recording_make(&recording, &size);
    const size_t steps[] = { 1, 7, 100, 4096 };
    for (int i = 0; i < 4; i++) {
        tp_report report = follow(bytes, size, steps[i], 0);
        cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
        cr_assert_eq(report.checked, 300);
    }
    tp_report report = follow(bytes, size - 10, 100, 50);
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    cr_assert_eq(report.checked, 300, "still growing: everything so far matched");
    free(bytes);
}
