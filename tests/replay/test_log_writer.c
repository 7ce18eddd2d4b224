// test_log_writer.c: what the writer puts into a file, and when.
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "log_fixture.h"
#include "log_mutate.h"

static tp_memory_sink written;
static LogMutate      records;

static void record(const LogFixture *fixture)
{
    written = fixture_log(fixture);
    cr_assert(log_mutate_load(&records, written.bytes, written.size));
}

static void forget(void)
{
    log_mutate_finish(&records);
    free(written.bytes);
    written = (tp_memory_sink){ 0 };
}

static size_t count_of(uint32_t type)
{
    size_t count = 0;
    for (size_t i = 0; i < records.count; i++) {
        count += records.records[i].type == type ? 1 : 0;
    }
    return count;
}

TestSuite(log_writer, .fini = forget, .timeout = 60);

Test(log_writer, everything_reads_back)
{
    LogFixture fixture = fixture_standard();
    record(&fixture);
    LogReading reading = fixture_read(written.bytes, written.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    cr_assert_eq(reading.ticks, 121);
    cr_assert_gt(reading.commands, 0);
    cr_assert_not(reading.is_signed);
    cr_assert_eq(records.records[0].type, TP_LOG_IDENT);
    cr_assert_eq(records.records[1].type, TP_LOG_KEY);
    cr_assert_eq(records.records[records.count - 2].type, TP_LOG_INDEX);
    cr_assert_eq(records.records[records.count - 1].type, TP_LOG_END);
    cr_assert_eq(count_of(TP_LOG_KEY), 4); // 0, 50, 79 after the gap, 100
    cr_assert_eq(count_of(TP_LOG_LEAVES), 4); // 32, 64, 96, 128
    cr_assert_eq(count_of(TP_LOG_SEAL), 3); // 60, 120, the end
    cr_assert_eq(count_of(TP_LOG_GAP), 1);
    cr_assert_eq(count_of(TP_LOG_NOTE), 1);
}

// Goal: what a row holds is what was given to the step, and its root is the sim's.
Test(log_writer, rows_hold_what_the_world_stepped_on)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    record(&fixture);
    tp_memory_source memory = { written.bytes, written.size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_reader       *reader = NULL;
    tp_log_record    given;
    tp_error         error;
    tp_sim          *sim = fixture_sim(&fixture);
    cr_assert_eq(tp_reader_open(&source, NULL, &reader), TP_LOG_OK);
    const tp_ident *ident = tp_reader_ident(reader);
    cr_assert_str_eq(ident->world, "testflat");
    cr_assert_eq(ident->players, 3);
    cr_assert_eq(ident->seed, 7);
    cr_assert_eq(ident->config_count, 2);
    cr_assert_str_eq(ident->config_names[0], "balls");
    cr_assert_eq(ident->config_values[0], 8);
    cr_assert(tp_hash128_equal(ident->rules.id, tp_sim_rules(sim)->id));
    tp_provenance item;
    size_t        offset = 0;
    cr_assert(tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item));
    cr_assert_eq(item.key_size, 5);
    cr_assert_eq(memcmp(item.key, "build", 5), 0);
    cr_assert_eq(memcmp(item.value, "test", 4), 0);
    cr_assert(tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item));
    cr_assert_not(tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item));
    while (tp_reader_next(reader, &given) == TP_LOG_OK) {
        tp_log_rows rows = tp_log_rows_of(ident, &given);
        tp_log_row  row;
        while (tp_log_rows_next(&rows, &row)) {
            uint8_t root[16];
            cr_assert_eq(row.tick, tp_sim_tick(sim));
            cr_assert_eq(tp_sim_step_bytes(sim, row.bytes, row.size, &error), TP_SIM_OK, "%s", error.text);
            tp_hash128_to_bytes(tp_sim_root(sim), root);
            cr_assert_eq(row.root_size, 8);
            cr_assert_eq(memcmp(root, row.root, row.root_size), 0);
        }
        if (given.type == TP_LOG_KEY) {
            tp_log_key key = tp_log_parse_key(&given);
            uint8_t    state[4096];
            size_t     size = 0;
            cr_assert(tp_sim_encode(sim, state, sizeof(state), &size));
            cr_assert_eq(size, key.state_size);
            cr_assert_eq(memcmp(state, key.state, size), 0);
            cr_assert(key.has_root);
            cr_assert(tp_hash128_equal(key.root, tp_sim_root(sim)));
        } else if (given.type == TP_LOG_LEAVES) {
            tp_log_leaves leaves = tp_log_parse_leaves(&given);
            uint64_t      expected[64];
            uint32_t      count = tp_sim_leaves(sim, expected, 64);
            cr_assert_eq(leaves.count, count + 2);
            for (uint32_t i = 0; i < leaves.count; i++) {
                uint64_t value = 0;
                for (int b = 7; b >= 0; b--) {
                    value = value << 8 | leaves.leaves[i * 8 + (uint32_t)b];
                }
                cr_assert_eq(value, expected[i]);
            }
            cr_assert(tp_hash128_equal(leaves.root, tp_sim_root(sim)));
        } else if (given.type == TP_LOG_END) {
            cr_assert(tp_hash128_equal(tp_log_parse_end(&given).root, tp_sim_root(sim)));
        }
    }
    cr_assert_eq(tp_sim_tick(sim), fixture.ticks);
    tp_reader_close(reader);
    tp_sim_destroy(sim);
}

Test(log_writer, golden)
{
    static const struct {
        const char *name;
        bool        is_opaque;
        uint32_t    root_size;
        uint32_t    algorithm;
        size_t      size;
        uint64_t    hash;
    } rows[] = {
        { "flat", false, 8, 1, 5884, 0x58efccb0ecba14a4 },
        { "flat, no roots", false, 0, 1, 4372, 0x4abf6ec1a2cc5aa1 },
        { "flat, whole roots", false, 16, 1, 6852, 0x832dda94c7154213 },
        { "flat, fnv", false, 8, 2, 5884, 0x4d0c93fd491b1141 },
        { "opaque", true, 8, 1, 4696, 0xd4e8bb6bcd0d81ac },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        LogFixture fixture = fixture_standard();
        fixture.world = rows[i].is_opaque ? &testworld_opaque : &testworld_flat;
        fixture.writer.root_size = rows[i].root_size;
        fixture.algorithm = (tp_hash_algorithm)rows[i].algorithm;
        fixture.writer.sign_key = fixture_sign_key();
        record(&fixture);
        uint64_t hash = tp_hash64(TP_HASH_XXH3, written.bytes, written.size);
        cr_expect(hash == rows[i].hash && written.size == rows[i].size,
                  "the row is now { \"%s\", %s, %u, %u, %zu, 0x%016" PRIx64 " },", rows[i].name,
                  rows[i].is_opaque ? "true" : "false", (unsigned)rows[i].root_size, (unsigned)rows[i].algorithm,
                  written.size, hash);
        cr_expect_eq(fixture_read(written.bytes, written.size).status, TP_LOG_DONE);
        forget();
    }
}

Test(log_writer, threaded_is_the_same_file)
{
    LogFixture fixture = fixture_standard();
    fixture.ticks = 2000;
    tp_memory_sink plain = fixture_log(&fixture);
    fixture.is_threaded = true;
    record(&fixture);
    cr_assert_eq(plain.size, written.size);
    cr_assert_eq(memcmp(plain.bytes, written.bytes, plain.size), 0);
    free(plain.bytes);
}

Test(log_writer, without_roots_there_are_no_checksums_at_all)
{
    LogFixture fixture = fixture_standard();
    fixture.writer.root_size = 0;
    record(&fixture);
    cr_assert_eq(fixture_read(written.bytes, written.size).status, TP_LOG_DONE);
    cr_assert_eq(count_of(TP_LOG_LEAVES), 0);
    for (size_t i = 0; i < records.count; i++) {
        const LogMutateRecord *r = &records.records[i];
        cr_assert(r->type != TP_LOG_KEY || (r->payload[40] & 1) == 0);
        cr_assert(r->type != TP_LOG_TICKS || r->payload[2] == 0);
    }
}

Test(log_writer, a_fault_ends_the_run)
{
    LogFixture fixture = fixture_standard();
    fixture.fault_at = 45;
    fixture.gap_ticks = 0;
    record(&fixture);
    LogReading reading = fixture_read(written.bytes, written.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    cr_assert_eq(reading.ticks, 45);
    size_t fault = log_mutate_find(&records, TP_LOG_FAULT, 0);
    cr_assert_lt(fault, records.count);
    cr_assert_eq(records.records[fault].tick, 45);
    const LogMutateRecord *note = &records.records[fault + 1];
    cr_assert_eq(note->type, TP_LOG_NOTE);
    cr_assert_eq(note->payload[0], TP_NOTE_FAULT);
    cr_assert(memmem(note->payload, note->size, "told to stop", 12) != NULL);
    cr_assert_eq(records.records[records.count - 1].payload[0], TP_END_FAULT);
}

Test(log_writer, a_gap_is_followed_by_an_unproven_key)
{
    LogFixture fixture = fixture_standard();
    record(&fixture);
    size_t gap = log_mutate_find(&records, TP_LOG_GAP, 0);
    const LogMutateRecord *key = &records.records[gap + 1];
    cr_assert_eq(records.records[gap].tick, 70);
    cr_assert_eq(records.records[gap].payload[8], 78);
    cr_assert_eq(key->type, TP_LOG_KEY);
    cr_assert_eq(key->tick, 79);
    cr_assert_eq(key->payload[40], 3);
}

Test(log_writer, missing_ticks_are_refused_until_admitted)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    tp_sink    sink = tp_sink_of_memory(&written);
    tp_error   error;
    tp_sim    *sim = fixture_sim(&fixture);
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    cr_assert(fixture_step(&fixture, sim, writer));
    cr_assert(fixture_step(&fixture, sim, NULL));
    cr_assert_not(fixture_step(&fixture, sim, writer));
    cr_assert(strstr(tp_writer_error(writer), "needs the one after") != NULL, "%s", tp_writer_error(writer));
    cr_assert_not(tp_writer_gap(writer, sim, 2, TP_GAP_OTHER), "the gap starts at 1");
    cr_assert(tp_writer_gap(writer, sim, 1, TP_GAP_OTHER));
    cr_assert(fixture_step(&fixture, sim, writer));
    cr_assert_not(tp_writer_finish(writer, sim, TP_END_FAULT), "nothing faulted");
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    cr_assert_eq(fixture_read(written.bytes, written.size).status, TP_LOG_TRUNCATED);
}

Test(log_writer, rotated_files_name_their_predecessor)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    tp_memory_sink first = { 0 };
    tp_sink        sink = tp_sink_of_memory(&first);
    tp_error       error = { "" };
    tp_sim        *sim = fixture_sim(&fixture);
    tp_writer     *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    while (tp_sim_tick(sim) < 40) {
        cr_assert(fixture_step(&fixture, sim, writer));
    }
    cr_assert(tp_writer_finish(writer, sim, TP_END_ROTATED));
    tp_writer_options options = fixture.writer;
    options.sequence = 1;
    memcpy(options.predecessor, tp_writer_chain(writer), sizeof(options.predecessor));
    cr_assert_eq(memcmp(first.bytes + first.size - 4 - 272 + 128, options.predecessor, 32), 0);
    tp_writer_destroy(writer);

    sink = tp_sink_of_memory(&written);
    cr_assert(tp_writer_create(&sink, sim, &fixture.writer, false, &error) == NULL, "sequence 0 starts at tick 0");
    writer = tp_writer_create(&sink, sim, &options, false, &error);
    cr_assert(writer != NULL, "%s", error.text);
    cr_assert_eq(tp_writer_durable_tick(writer), 40);
    while (tp_sim_tick(sim) < 80) {
        cr_assert(fixture_step(&fixture, sim, writer));
    }
    cr_assert(tp_writer_finish(writer, sim, TP_END_COMPLETED));
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    LogReading one = fixture_read(first.bytes, first.size);
    LogReading two = fixture_read(written.bytes, written.size);
    cr_assert_eq(one.status, TP_LOG_DONE, "%s", one.message);
    cr_assert_eq(two.status, TP_LOG_DONE, "%s", two.message);
    cr_assert_eq(one.ticks + two.ticks, 80);
    free(first.bytes);
}

typedef struct CountingSink {
    tp_memory_sink memory;
    uint32_t       writes, syncs;
    uint32_t       fail_write, fail_sync; ///< this one fails, counted from 1; 0: none
    size_t         takes;                 ///< bytes that the failing write takes all the same
} CountingSink;

static bool counting_write(void *self, const uint8_t *bytes, size_t size)
{
    CountingSink *counting = self;
    tp_sink       inner = tp_sink_of_memory(&counting->memory);
    counting->writes++;
    if (counting->writes == counting->fail_write) {
        size_t taken = counting->takes < size ? counting->takes : size - 1;
        inner.write(inner.self, bytes, taken);
        errno = ENOSPC;
        return false;
    }
    cr_assert(counting->fail_write == 0 || counting->writes < counting->fail_write, "a write after a failure");
    return inner.write(inner.self, bytes, size);
}

static bool counting_sync(void *self)
{
    CountingSink *counting = self;
    counting->syncs++;
    errno = EIO;
    return counting->syncs != counting->fail_sync;
}

static bool run_into(const LogFixture *fixture, CountingSink *counting, uint64_t *durable, bool *has_reason)
{
    tp_sink    sink = { counting, counting_write, counting_sync };
    tp_error   error = { "" };
    tp_sim    *sim = fixture_sim(fixture);
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture->writer, false, &error);
    bool       is_good = writer != NULL;
    *durable = 0;
    while (is_good && tp_sim_tick(sim) < fixture->ticks) {
        is_good = fixture_step(fixture, sim, writer);
    }
    if (writer != NULL) {
        bool is_finished = tp_writer_finish(writer, sim, TP_END_COMPLETED);
        cr_assert(is_good || !is_finished);
        is_good = is_finished;
        *has_reason = tp_writer_error(writer) != NULL &&
                      (strstr(tp_writer_error(writer), "No space left") != NULL ||
                       strstr(tp_writer_error(writer), "durable") != NULL);
        *durable = tp_writer_durable_tick(writer);
        tp_writer_destroy(writer);
    } else {
        *has_reason = strstr(error.text, "No space left") != NULL;
    }
    tp_sim_destroy(sim);
    return is_good;
}

Test(log_writer, durability_decides_when_a_tick_is_safe)
{
    static const struct {
        tp_durability durability;
        uint32_t      syncs;
    } rows[] = {
        { TP_DURABLE_NONE, 0 },
        { TP_DURABLE_INTERVAL, 13 }, // every 10 of 121, and the end
        { TP_DURABLE_SEAL, 3 },      // 60, 120, the end
        { TP_DURABLE_TICK, 122 },
    };
    for (size_t i = 0; i < 4; i++) {
        LogFixture   fixture = fixture_standard();
        CountingSink counting = { .writes = 0 };
        uint64_t     durable = 0;
        bool         has_reason = false;
        fixture.gap_ticks = 0;
        fixture.ticks = 121;
        fixture.writer.durability = rows[i].durability;
        fixture.writer.durable_ticks = 10;
        cr_assert(run_into(&fixture, &counting, &durable, &has_reason));
        cr_assert_eq(counting.syncs, rows[i].syncs, "durability %d: %u syncs", (int)rows[i].durability, counting.syncs);
        cr_assert_eq(durable, 121);
        cr_assert_eq(fixture_read(counting.memory.bytes, counting.memory.size).status, TP_LOG_DONE);
        free(counting.memory.bytes);
    }
}

// Goal: a tick is not called durable before its sync.
Test(log_writer, durable_tick_waits_for_the_sync)
{
    LogFixture   fixture = fixture_standard();
    CountingSink counting = { .writes = 0 };
    tp_sink      sink = { &counting, counting_write, counting_sync };
    tp_error     error;
    fixture.gap_ticks = 0;
    fixture.writer.durability = TP_DURABLE_INTERVAL;
    fixture.writer.durable_ticks = 10;
    tp_sim    *sim = fixture_sim(&fixture);
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    for (uint64_t tick = 1; tick <= 25; tick++) {
        cr_assert(fixture_step(&fixture, sim, writer));
        cr_assert(tp_writer_flush(writer));
        cr_assert_eq(tp_writer_durable_tick(writer), tick / 10 * 10);
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    free(counting.memory.bytes);
}

// Goal: whichever write fails and however much of it was taken, the run is told, nothing is written after, and what is there
// reads as a good prefix.
Test(log_writer, every_write_can_fail)
{
    LogFixture   fixture = fixture_standard();
    CountingSink whole = { .writes = 0 };
    uint64_t     durable = 0;
    bool         has_reason = false;
    cr_assert(run_into(&fixture, &whole, &durable, &has_reason));
    for (uint32_t fail = 1; fail <= whole.writes; fail++) {
        static const size_t takes[] = { 0, 1, 27, 40, 1000000 };
        for (size_t t = 0; t < sizeof(takes) / sizeof(takes[0]); t++) {
            CountingSink counting = { .fail_write = fail, .takes = takes[t] };
            cr_assert_not(run_into(&fixture, &counting, &durable, &has_reason));
            cr_assert(has_reason);
            LogReading reading = fixture_read(counting.memory.bytes, counting.memory.size);
            cr_assert_eq(reading.status, TP_LOG_TRUNCATED, "%s", reading.message);
            cr_assert_geq(reading.ticks, durable > 79 ? durable - 9 : durable > 70 ? 70 : durable);
            cr_assert(counting.memory.size == 0 ||
                      memcmp(counting.memory.bytes, whole.memory.bytes, counting.memory.size) == 0);
            free(counting.memory.bytes);
        }
    }
    free(whole.memory.bytes);
}

static void *run_back(void *argument)
{
    while (tp_writer_back(argument)) {
    }
    return NULL;
}

// Goal: a back that fails never blocks the front, and the front is told sooner or later.
Test(log_writer, a_failing_back_thread)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    for (uint32_t fail = 1; fail < 20; fail++) {
        CountingSink counting = { .fail_write = fail, .takes = fail };
        tp_sink      sink = { &counting, counting_write, counting_sync };
        tp_error     error;
        pthread_t    thread;
        bool         is_good = true;
        tp_sim      *sim = fixture_sim(&fixture);
        tp_writer   *writer = tp_writer_create(&sink, sim, &fixture.writer, true, &error);
        pthread_create(&thread, NULL, run_back, writer);
        while (tp_sim_tick(sim) < 40000 && is_good) {
            is_good = fixture_step(&fixture, sim, writer);
        }
        cr_assert_not(is_good);
        cr_assert_not(tp_writer_finish(writer, sim, TP_END_COMPLETED));
        pthread_join(thread, NULL);
        cr_assert(strstr(tp_writer_error(writer), "No space left") != NULL, "%s", tp_writer_error(writer));
        LogReading reading = fixture_read(counting.memory.bytes, counting.memory.size);
        cr_assert_eq(reading.status, TP_LOG_TRUNCATED, "%s", reading.message);
        tp_writer_destroy(writer);
        tp_sim_destroy(sim);
        free(counting.memory.bytes);
    }
}

Test(log_writer, every_sync_can_fail)
{
    LogFixture fixture = fixture_standard();
    fixture.writer.durability = TP_DURABLE_SEAL;
    for (uint32_t fail = 1; fail <= 3; fail++) {
        CountingSink counting = { .fail_sync = fail };
        uint64_t     durable = 0;
        bool         has_reason = false;
        cr_assert_not(run_into(&fixture, &counting, &durable, &has_reason));
        cr_assert(has_reason);
        cr_assert_eq(durable, (fail - 1) * 60);
        free(counting.memory.bytes);
    }
}

// Goal: a run is cut where its buffer ends, and the largest legal rows come back whole.
Test(log_writer, rows_full_of_commands)
{
    LogFixture fixture = fixture_standard();
    tp_sink    sink = tp_sink_of_memory(&written);
    tp_error   error;
    tp_sim    *sim = fixture_sim(&fixture);
    fixture.writer.run_ticks = 256;
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    static uint8_t    text[64];
    static tp_command commands[TP_COMMANDS_MAX];
    for (size_t i = 0; i < TP_COMMANDS_MAX; i++) {
        commands[i] = (tp_command){ .source = i % 2 == 0 ? TP_SOURCE_HOST : 1, .type = TESTWORLD_COMMAND_TEXT, .size = 64,
                                    .data = text };
    }
    for (uint64_t tick = 0; tick < 40; tick++) {
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        row.command_count = TP_COMMANDS_MAX;
        row.commands = commands;
        cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK, "%s", error.text);
        cr_assert(tp_writer_tick(writer, sim, &row), "%s", tp_writer_error(writer));
    }
    cr_assert(tp_writer_finish(writer, sim, TP_END_STOPPED));
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    LogReading reading = fixture_read(written.bytes, written.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    cr_assert_eq(reading.ticks, 40);
    cr_assert_eq(reading.commands, 40 * TP_COMMANDS_MAX);
}

Test(log_writer, bad_options_are_refused_with_a_reason)
{
    LogFixture        fixture = fixture_standard();
    tp_sink           sink = tp_sink_of_memory(&written);
    tp_error          error;
    tp_sim           *sim = fixture_sim(&fixture);
    tp_provenance     twice[] = { { "a", 1, "1", 1 }, { "a", 1, "2", 1 } };
    tp_writer_options bad[8];
    for (size_t i = 0; i < 8; i++) {
        bad[i] = fixture.writer;
    }
    bad[0].run_ticks = 0;
    bad[1].run_ticks = 257;
    bad[2].root_size = 3;
    bad[3].root_size = 17;
    bad[4].sequence = 1;
    bad[5].predecessor[3] = 1;
    bad[6].durability = TP_DURABLE_INTERVAL;
    bad[6].durable_ticks = 0;
    bad[7].provenance = twice;
    bad[7].provenance_count = 2;
    for (size_t i = 0; i < 8; i++) {
        error.text[0] = '\0';
        cr_assert(tp_writer_create(&sink, sim, &bad[i], false, &error) == NULL, "options %zu", i);
        cr_assert(error.text[0] != '\0');
    }
    cr_assert_eq(written.size, 0);
    tp_sim_destroy(sim);
}
