// Rotated files: alone incomplete, with their predecessors verified.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "log_mutate.h"
#include "testrecording.h"

typedef struct {
    uint8_t *bytes[2];
    size_t   size[2];
} Series;

static void run(tp_sim *sim, tp_writer *writer, uint64_t from, uint64_t to)
{
    for (uint64_t tick = from; tick < to; tick++) {
        TestScript script;
        tp_error   error = { "" };
        tp_row     row = testworld_row(sim, &script, tick);
        cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK, "%s", error.text);
        cr_assert(tp_writer_tick(writer, sim, &row));
    }
}

static Series make_series(const tp_world *world)
{
    Series            series = { .size = { 0, 0 } };
    tp_setup          setup = testworld_setup(world, 2, 9);
    tp_error          error = { "" };
    tp_memory_sink    memory[2] = { { 0 }, { 0 } };
    tp_writer_options options;
    tp_sim           *sim = tp_sim_create(world, &setup, NULL, &error);
    tp_writer_options_standard(&options);
    for (int i = 0; i < 2; i++) {
        tp_sink    sink = tp_sink_of_memory(&memory[i]);
        tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
        cr_assert_not_null(writer, "%s", error.text);
        run(sim, writer, (uint64_t)i * 130, (uint64_t)i * 130 + 130);
        cr_assert(tp_writer_finish(writer, sim, i == 0 ? TP_END_ROTATED : TP_END_COMPLETED));
        options.sequence = 1;
        memcpy(options.predecessor, tp_writer_chain(writer), TP_LOG_CHAIN_SIZE);
        tp_writer_destroy(writer);
        series.bytes[i] = memory[i].bytes;
        series.size[i] = memory[i].size;
    }
    tp_sim_destroy(sim);
    return series;
}

static tp_report verify_after(const Series *series, const tp_predecessor *predecessor)
{
    tp_memory_source  memory = { series->bytes[1], series->size[1] };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.predecessor = predecessor;
    tp_verify_log(&source, &options, &report);
    return report;
}

static void check_series(const tp_world *world)
{
    Series    series = make_series(world);
    tp_report first = recording_verify(series.bytes[0], series.size[0]);
    cr_assert_eq(first.verdict, TP_VERIFIED, "%s", first.message);
    cr_assert_eq(first.end_reason, TP_END_ROTATED);

    tp_report alone = verify_after(&series, NULL);
    cr_assert_eq(alone.verdict, TP_INCOMPLETE, "%s", alone.message);
    cr_assert_eq(alone.checked, 130, "every tick was checked, but from a state that nothing proves");
    cr_assert_not_null(strstr(alone.message, "sequence 0"));

    tp_predecessor predecessor = { .next_tick = first.next_tick, .sequence = first.sequence };
    memcpy(predecessor.chain, first.chain, sizeof(predecessor.chain));
    memcpy(predecessor.root, first.final_root, sizeof(predecessor.root));
    tp_report together = verify_after(&series, &predecessor);
    cr_assert_eq(together.verdict, TP_VERIFIED, "%s", together.message);
    cr_assert_eq(together.first_tick, 130);

    predecessor.chain[0] ^= 1;
    cr_assert_eq(verify_after(&series, &predecessor).verdict, TP_INCOMPLETE, "another file's chain");
    predecessor.chain[0] ^= 1;
    predecessor.root[0] ^= 1;
    cr_assert_eq(verify_after(&series, &predecessor).verdict, TP_INCOMPLETE, "another state");
    free(series.bytes[0]);
    free(series.bytes[1]);
}

Test(verify_series, with_predecessors_it_verifies)
{
    check_series(&testworld_flat);
    check_series(&testworld_opaque);
}

// Goal: the admitted loss of ticks is never more than incomplete.
Test(verify_series, gap_is_incomplete)
{
    tp_setup          setup = testworld_setup(&testworld_flat, 2, 9);
    tp_error          error = { "" };
    tp_memory_sink    memory = { 0 };
    tp_sink           sink = tp_sink_of_memory(&memory);
    tp_writer_options options;
    tp_sim           *sim = tp_sim_create(&testworld_flat, &setup, NULL, &error);
    tp_writer_options_standard(&options);
    tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
    run(sim, writer, 0, 50);
    for (uint64_t tick = 50; tick < 60; tick++) {
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK);
    }
    cr_assert(tp_writer_gap(writer, sim, 50, TP_GAP_STORAGE_FULL));
    run(sim, writer, 60, 100);
    cr_assert(tp_writer_finish(writer, sim, TP_END_COMPLETED));
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    tp_report report = recording_verify(memory.bytes, memory.size);
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    cr_assert_eq(report.gaps, 1);
    cr_assert_eq(report.missing_ticks, 10);
    cr_assert_eq(report.checked, 90);
    cr_assert_eq(report.recorded, 90);
    free(memory.bytes);
}
