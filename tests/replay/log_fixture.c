// log_fixture.c: see log_fixture.h.
#include "log_fixture.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sodium.h>
#include <string.h>

static const tp_provenance provenance[] = {
    { "build", 5, "test", 4 },
    { "match", 5, "fixture", 7 },
};

LogFixture fixture_standard(void)
{
    LogFixture fixture = {
        .world = &testworld_flat,
        .players = 3,
        .seed = 7,
        .ticks = 130,
        .algorithm = TP_HASH_XXH3,
        .note_at = 21,
        .gap_first = 70,
        .gap_ticks = 9,
        .reason = TP_END_COMPLETED,
    };
    tp_writer_options_standard(&fixture.writer);
    fixture.writer.run_ticks = 16;
    fixture.writer.leaves_ticks = 32;
    fixture.writer.key_ticks = 50;
    fixture.writer.seal_ticks = 60;
    fixture.writer.durability = TP_DURABLE_NONE;
    fixture.writer.provenance = provenance;
    fixture.writer.provenance_count = 2;
    return fixture;
}

const uint8_t *fixture_sign_key(void)
{
    static uint8_t secret[crypto_sign_SECRETKEYBYTES];
    uint8_t        public[crypto_sign_PUBLICKEYBYTES];
    uint8_t        seed[crypto_sign_SEEDBYTES] = { 1, 2, 3 };
    crypto_sign_seed_keypair(public, secret, seed);
    return secret;
}

tp_sim *fixture_sim(const LogFixture *fixture)
{
    tp_setup       setup = testworld_setup(fixture->world, fixture->players, fixture->seed);
    tp_sim_options options = { .algorithm = fixture->algorithm };
    tp_error       error = { "" };
    tp_sim        *sim = tp_sim_create(fixture->world, &setup, &options, &error);
    cr_assert(sim != NULL, "%s", error.text);
    return sim;
}

static void *run_back(void *argument)
{
    while (tp_writer_back(argument)) {
    }
    return NULL;
}

bool fixture_step(const LogFixture *fixture, tp_sim *sim, tp_writer *writer)
{
    TestScript script;
    tp_error   error = { "" };
    uint64_t   tick = tp_sim_tick(sim);
    tp_row     row = testworld_row(sim, &script, tick);
    tp_command stop = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT, .size = 0, .data = "" };
    if (fixture->fault_at != 0 && tick == fixture->fault_at) {
        row.command_count = 1;
        row.commands = &stop;
        cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_FAULTED);
        return writer == NULL || tp_writer_fault(writer, sim, &row);
    }
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK, "%s", error.text);
    bool is_lost = fixture->gap_ticks > 0 && tick >= fixture->gap_first && tick < fixture->gap_first + fixture->gap_ticks;
    if (writer == NULL) {
        return true;
    }
    if (is_lost) {
        return tick + 1 < fixture->gap_first + fixture->gap_ticks ||
               tp_writer_gap(writer, sim, fixture->gap_first, TP_GAP_OVERLOAD);
    }
    return tp_writer_tick(writer, sim, &row);
}

tp_memory_sink fixture_log(const LogFixture *fixture)
{
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_error       error = { "" };
    tp_sim        *sim = fixture_sim(fixture);
    pthread_t      thread;
    tp_writer     *writer = tp_writer_create(&sink, sim, &fixture->writer, fixture->is_threaded, &error);
    cr_assert(writer != NULL, "%s", error.text);
    if (fixture->is_threaded) {
        cr_assert_eq(pthread_create(&thread, NULL, run_back, writer), 0);
    }
    while (tp_sim_tick(sim) < fixture->ticks && !tp_sim_is_faulted(sim)) {
        if (fixture->note_at != 0 && tp_sim_tick(sim) == fixture->note_at) {
            cr_assert(tp_writer_note(writer, TP_NOTE_TEXT, "a note", 6));
        }
        cr_assert(fixture_step(fixture, sim, writer), "tick %llu: %s", (unsigned long long)tp_sim_tick(sim),
                  tp_writer_error(writer) == NULL ? "no reason" : tp_writer_error(writer));
    }
    if (fixture->is_unfinished) {
        cr_assert(tp_writer_abandon(writer));
    } else {
        cr_assert(tp_writer_finish(writer, sim, fixture->reason), "%s", tp_writer_error(writer));
    }
    if (fixture->is_threaded) {
        pthread_join(thread, NULL);
    }
    cr_assert(tp_writer_error(writer) == NULL, "%s", tp_writer_error(writer));
    cr_assert_eq(tp_writer_bytes(writer), memory.size);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    return memory;
}

tp_log_status fixture_drain(tp_reader *reader, LogReading *reading)
{
    tp_log_record record;
    tp_log_status status = tp_reader_next(reader, &record);
    while (status == TP_LOG_OK) {
        tp_log_rows rows = tp_log_rows_of(tp_reader_ident(reader), &record);
        tp_log_row  row;
        uint32_t    count = 0;
        while (tp_log_rows_next(&rows, &row)) {
            tp_command command;
            uint32_t   offset = 0;
            uint32_t   commands = 0;
            while (tp_log_command_next(&row, &offset, &command)) {
                commands++;
            }
            cr_assert_eq(commands, row.command_count);
            reading->commands += record.type == TP_LOG_TICKS ? commands : 0;
            count++;
        }
        cr_assert_eq(count, rows.count, "a checked record must give all its rows");
        reading->ticks += record.type == TP_LOG_TICKS ? count : 0;
        reading->records++;
        status = tp_reader_next(reader, &record);
    }
    return status;
}

LogReading fixture_read_with(const uint8_t *bytes, size_t size, const tp_reader_options *options)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_reader       *reader = NULL;
    LogReading       reading = { 0 };
    tp_log_status    opened = tp_reader_open(&source, options, &reader);
    cr_assert(reader != NULL);
    reading.status = fixture_drain(reader, &reading);
    cr_assert(opened == TP_LOG_OK || opened == reading.status);
    cr_assert_eq(reading.ticks, tp_reader_ticks(reader));
    cr_assert_eq(reading.commands, tp_reader_counts(reader)->commands);
    reading.offset = tp_reader_offset(reader);
    reading.is_signed = tp_reader_is_signed(reader, NULL);
    memcpy(reading.chain, tp_reader_chain(reader), sizeof(reading.chain));
    snprintf(reading.message, sizeof(reading.message), "%s", tp_reader_message(reader));
    tp_reader_close(reader);
    return reading;
}

LogReading fixture_read(const uint8_t *bytes, size_t size)
{
    return fixture_read_with(bytes, size, NULL);
}
