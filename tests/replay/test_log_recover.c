// test_log_recover.c: what is left of a log after a crash, and going on with it.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "log_fixture.h"
#include "log_mutate.h"

TestSuite(log_recover, .timeout = 120);

static tp_log_status recover(const uint8_t *bytes, size_t size, tp_recovery *recovery, tp_error *error)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    error->text[0] = '\0';
    return tp_log_recover(&source, recovery, error);
}

// Goal: a log that is cut anywhere can be gone on with, and the finished result reads clean, has the roots of a run that was
// never cut, and tells what happened.
Test(log_recover, cut_anywhere_resume_and_finish)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink whole = fixture_log(&fixture);
    fixture.gap_ticks = 0;
    size_t resumed = 0;
    for (size_t cut = 0; cut < whole.size; cut += 7) {
        tp_recovery   recovery;
        tp_error      error;
        tp_log_status status = recover(whole.bytes, cut, &recovery, &error);
        if (status != TP_LOG_OK) {
            cr_assert_eq(status, TP_LOG_TRUNCATED);
            cr_assert(error.text[0] != '\0');
            cr_assert_lt(cut, 28 + 32 + 400 + 32 + 48 + 600, "there is a KEY by now");
            continue;
        }
        cr_assert_eq(recovery.good_size + recovery.cut_bytes, cut);
        tp_memory_sink file = { malloc(recovery.good_size), recovery.good_size, recovery.good_size };
        memcpy(file.bytes, whole.bytes, recovery.good_size);
        tp_sink sink = tp_sink_of_memory(&file);
        tp_sim *sim = fixture_sim(&fixture);
        while (tp_sim_tick(sim) < recovery.next_tick) {
            fixture_step(&fixture, sim, NULL);
        }
        tp_writer *writer = tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error);
        cr_assert(writer != NULL, "%s", error.text);
        while (tp_sim_tick(sim) < fixture.ticks) {
            cr_assert(fixture_step(&fixture, sim, writer), "%s", tp_writer_error(writer));
        }
        cr_assert(tp_writer_finish(writer, sim, TP_END_COMPLETED));
        LogReading reading = fixture_read(file.bytes, file.size);
        cr_assert_eq(reading.status, TP_LOG_DONE, "cut at %zu: %s", cut, reading.message);
        LogMutate list;
        cr_assert(log_mutate_load(&list, file.bytes, file.size));
        size_t at = log_mutate_find(&list, TP_LOG_RESUME, 0);
        cr_assert_lt(at, list.count);
        cr_assert_eq(list.records[at].tick, recovery.next_tick);
        uint8_t root[16];
        tp_hash128_to_bytes(tp_sim_root(sim), root);
        cr_assert_eq(memcmp(list.records[list.count - 1].payload + 88, root, 16), 0);
        log_mutate_finish(&list);
        tp_writer_destroy(writer);
        tp_sim_destroy(sim);
        tp_recovery_finish(&recovery);
        free(file.bytes);
        resumed++;
    }
    cr_assert_gt(resumed, 100);
    free(whole.bytes);
}

Test(log_recover, a_finished_log_is_left_alone)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink whole = fixture_log(&fixture);
    tp_recovery    recovery;
    tp_error       error;
    tp_sink        sink = tp_sink_of_memory(&whole);
    tp_sim        *sim = fixture_sim(&fixture);
    cr_assert_eq(recover(whole.bytes, whole.size, &recovery, &error), TP_LOG_OK);
    cr_assert(recovery.is_ended);
    cr_assert_eq(recovery.status, TP_LOG_DONE);
    cr_assert_eq(recovery.good_size, whole.size);
    cr_assert_eq(recovery.cut_bytes, 0);
    cr_assert(tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error) == NULL);
    cr_assert(strstr(error.text, "END") != NULL);
    tp_recovery_finish(&recovery);
    tp_sim_destroy(sim);
    free(whole.bytes);
}

Test(log_recover, another_world_cannot_go_on)
{
    LogFixture fixture = fixture_standard();
    fixture.is_unfinished = true;
    tp_memory_sink whole = fixture_log(&fixture);
    tp_recovery    recovery;
    tp_error       error;
    tp_sink        sink = tp_sink_of_memory(&whole);
    cr_assert_eq(recover(whole.bytes, whole.size, &recovery, &error), TP_LOG_OK);
    fixture.seed++;
    tp_sim *sim = fixture_sim(&fixture);
    cr_assert(tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error) == NULL);
    cr_assert(strstr(error.text, "not the one of the log") != NULL, "%s", error.text);
    tp_sim_destroy(sim);
    fixture.seed--;
    sim = fixture_sim(&fixture);
    cr_assert(tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error) == NULL, "it is at tick 0");
    tp_sim_destroy(sim);
    tp_recovery_finish(&recovery);
    free(whole.bytes);
}

// Goal: a recorder that lost the file's end while the run went on resumes with RESUME, GAP, KEY.
Test(log_recover, the_run_went_on_without_the_recorder)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    fixture.is_unfinished = true;
    fixture.ticks = 60;
    tp_memory_sink whole = fixture_log(&fixture);
    tp_recovery    recovery;
    tp_error       error;
    whole.size -= 3;
    cr_assert_eq(recover(whole.bytes, whole.size, &recovery, &error), TP_LOG_OK);
    cr_assert_lt(recovery.good_size, whole.size);
    whole.size = recovery.good_size;
    tp_sink sink = tp_sink_of_memory(&whole);
    tp_sim *sim = fixture_sim(&fixture);
    while (tp_sim_tick(sim) < 90) {
        fixture_step(&fixture, sim, NULL);
    }
    tp_writer *writer = tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error);
    cr_assert(writer != NULL, "%s", error.text);
    cr_assert_not(fixture_step(&fixture, sim, writer), "the gap must be admitted first");
    cr_assert(tp_writer_gap(writer, sim, recovery.next_tick, TP_GAP_STORAGE_FULL));
    cr_assert(fixture_step(&fixture, sim, writer));
    cr_assert(tp_writer_finish(writer, sim, TP_END_STOPPED));
    LogReading reading = fixture_read(whole.bytes, whole.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    cr_assert_eq(reading.ticks, recovery.next_tick + 1);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    tp_recovery_finish(&recovery);
    free(whole.bytes);
}

// Goal: the places where a cut may not rest: after a GAP without its KEY, and after an INDEX without its END.
Test(log_recover, gap_and_index_at_the_end_are_cut)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink whole = fixture_log(&fixture);
    LogMutate      list;
    cr_assert(log_mutate_load(&list, whole.bytes, whole.size));
    static const uint32_t types[] = { TP_LOG_GAP, TP_LOG_INDEX };
    for (size_t t = 0; t < 2; t++) {
        size_t number = log_mutate_find(&list, types[t], 0);
        size_t start = TP_LOG_HEADER_SIZE;
        for (size_t i = 0; i < number; i++) {
            start += list.records[i].size + 32;
        }
        tp_recovery recovery;
        tp_error    error;
        cr_assert_eq(recover(whole.bytes, start + list.records[number].size + 32 + 5, &recovery, &error), TP_LOG_OK);
        cr_assert_eq(recovery.good_size, start);
        cr_assert_eq(recovery.records, number);
        cr_assert_eq(recovery.status, TP_LOG_TRUNCATED);
        tp_recovery_finish(&recovery);
    }
    log_mutate_finish(&list);
    free(whole.bytes);
}

Test(log_recover, a_fault_can_only_be_finished)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    fixture.fault_at = 33;
    fixture.is_unfinished = true;
    tp_memory_sink whole = fixture_log(&fixture);
    tp_recovery    recovery;
    tp_error       error;
    cr_assert_eq(recover(whole.bytes, whole.size, &recovery, &error), TP_LOG_OK);
    cr_assert(recovery.has_fault);
    cr_assert_eq(recovery.next_tick, 33);
    tp_sink sink = tp_sink_of_memory(&whole);
    tp_sim *sim = fixture_sim(&fixture);
    while (tp_sim_tick(sim) < 33) {
        fixture_step(&fixture, sim, NULL);
    }
    tp_writer *writer = tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error);
    cr_assert(writer != NULL, "%s", error.text);
    fixture.fault_at = 0;
    cr_assert_not(fixture_step(&fixture, sim, writer));
    cr_assert(tp_writer_finish(writer, sim, TP_END_STOPPED), "%s", tp_writer_error(writer));
    LogReading reading = fixture_read(whole.bytes, whole.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    tp_recovery_finish(&recovery);
    free(whole.bytes);
}

Test(log_recover, damage_in_the_middle_is_told)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink whole = fixture_log(&fixture);
    tp_recovery    recovery;
    tp_error       error;
    whole.bytes[whole.size / 2] ^= 0x10;
    cr_assert_eq(recover(whole.bytes, whole.size, &recovery, &error), TP_LOG_OK);
    cr_assert_eq(recovery.status, TP_LOG_CORRUPT);
    cr_assert_leq(recovery.good_size, whole.size / 2);
    tp_recovery_finish(&recovery);
    free(whole.bytes);
}
