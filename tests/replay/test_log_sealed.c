// test_log_sealed.c: a log in its small form: the same to every reader, whole or refused, and the raw bytes back.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "log_fixture.h"
#include "reseal.h"

TestSuite(log_sealed, .timeout = 170);

static tp_memory_sink seal(const tp_memory_sink *raw, int level, tp_seal_counts *counts)
{
    tp_memory_source memory = { raw->bytes, raw->size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_memory_sink   made = { 0 };
    tp_sink          sink = tp_sink_of_memory(&made);
    tp_seal_options  options = { .level = level };
    tp_error         error = { "" };
    cr_assert_eq(tp_seal_log(&source, &sink, &options, counts, &error), TP_LOG_OK, "%s", error.text);
    cr_assert_eq(counts->sealed_size, made.size);
    cr_assert_eq(counts->raw_size, raw->size);
    return made;
}

static tp_memory_sink unseal(const uint8_t *bytes, size_t size)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_memory_sink   made = { 0 };
    tp_sink          sink = tp_sink_of_memory(&made);
    tp_error         error = { "" };
    cr_assert_eq(tp_unseal_log(&source, &sink, &error), TP_LOG_OK, "%s", error.text);
    return made;
}

// A log and its sealed form are one to a reader, and the raw bytes come back.
static void hold_both(const tp_memory_sink *raw, int level)
{
    tp_seal_counts   counts;
    tp_error         error = { "" };
    tp_memory_sink   made = seal(raw, level, &counts);
    tp_memory_sink   back = unseal(made.bytes, made.size);
    tp_memory_source first = { made.bytes, made.size };
    tp_memory_source second = { raw->bytes, raw->size };
    tp_source        sealed_source = tp_source_of_memory(&first);
    tp_source        raw_source = tp_source_of_memory(&second);
    cr_assert_eq(back.size, raw->size);
    cr_assert_eq(memcmp(back.bytes, raw->bytes, raw->size), 0);
    cr_assert_eq(tp_sealed_compare(&sealed_source, &raw_source, &error), TP_LOG_OK, "%s", error.text);
    cr_assert_eq(tp_log_container(&sealed_source), 1);
    cr_assert_eq(tp_log_container(&raw_source), 0);
    LogReading a = fixture_read(raw->bytes, raw->size);
    LogReading b = fixture_read(made.bytes, made.size);
    cr_assert_eq(a.status, TP_LOG_DONE);
    cr_assert_eq(b.status, TP_LOG_DONE, "%s", b.message);
    cr_assert(a.offset == b.offset && a.ticks == b.ticks && a.records == b.records && a.commands == b.commands && a.is_signed == b.is_signed);
    cr_assert_eq(memcmp(a.chain, b.chain, sizeof(a.chain)), 0);
    cr_assert_eq(counts.ticks, a.ticks);
    free(made.bytes);
    free(back.bytes);
}

static void hold_fixture(const LogFixture *fixture, int level)
{
    tp_memory_sink raw = fixture_log(fixture);
    hold_both(&raw, level);
    free(raw.bytes);
}

// Goal: every kind of record goes in and comes out, at every level.
Test(log_sealed, is_the_same_log)
{
    LogFixture fixture = fixture_standard();
    for (int level = 1; level <= TP_SEAL_LEVEL_MAX; level += 3) {
        hold_fixture(&fixture, level);
    }
    fixture.writer.sign_key = fixture_sign_key();
    hold_fixture(&fixture, 0);
    fixture.algorithm = TP_HASH_FNV1A128;
    hold_fixture(&fixture, 0);
    fixture.writer.no_index = true;
    fixture.writer.root_size = 16;
    fixture.writer.leaves_ticks = 1;
    hold_fixture(&fixture, 0);
    fixture.writer.root_size = 0;
    fixture.writer.leaves_ticks = 0;
    fixture.writer.run_ticks = 1;
    hold_fixture(&fixture, 0);
    fixture.ticks = 0;
    fixture.note_at = fixture.gap_ticks = 0;
    hold_fixture(&fixture, 0);
}

Test(log_sealed, holds_a_fault)
{
    LogFixture fixture = fixture_standard();
    fixture.fault_at = 100;
    fixture.reason = TP_END_FAULT;
    hold_fixture(&fixture, 0);
}

// Goal: a KEY every tick makes frames that lean on those before: from any of them, reading goes on as in the raw log.
Test(log_sealed, goes_on_at_every_key)
{
    LogFixture fixture = fixture_standard();
    fixture.writer.key_ticks = 1;
    tp_memory_sink raw = fixture_log(&fixture);
    tp_seal_counts counts;
    tp_memory_sink made = seal(&raw, 0, &counts);
    hold_both(&raw, 0);
    cr_assert_gt(counts.frames, 100);
    tp_memory_source  memories[2] = { { raw.bytes, raw.size }, { made.bytes, made.size } };
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *readers[2] = { NULL, NULL };
    uint64_t          offsets[256];
    uint64_t          ticks[256];
    size_t            count = 0;
    for (int i = 0; i < 2; i++) {
        tp_source source = tp_source_of_memory(&memories[i]);
        cr_assert_eq(tp_reader_open(&source, &options, &readers[i]), TP_LOG_OK);
    }
    tp_log_record records[2];
    while (tp_reader_next(readers[0], &records[0]) == TP_LOG_OK) {
        if (records[0].type == TP_LOG_KEY && count < 256) {
            offsets[count] = records[0].offset;
            ticks[count++] = records[0].tick;
        }
    }
    tp_reader_close(readers[0]);
    tp_source source = tp_source_of_memory(&memories[0]);
    cr_assert_eq(tp_reader_open(&source, &options, &readers[0]), TP_LOG_OK);
    // Back and forth, so that what is remembered is rarely what is wanted.
    for (size_t i = 0; i < count; i++) {
        size_t key = i % 2 == 0 ? (i * 37) % count : count - 1 - (i * 13) % count;
        for (int j = 0; j < 2; j++) {
            cr_assert_eq(tp_reader_seek(readers[j], offsets[key], ticks[key]), TP_LOG_OK);
            cr_assert_eq(tp_reader_next(readers[j], &records[j]), TP_LOG_OK, "%s", tp_reader_message(readers[j]));
        }
        cr_assert_eq(records[0].size, records[1].size);
        cr_assert_eq(memcmp(records[0].payload, records[1].payload, records[0].size), 0);
    }
    tp_reader_close(readers[0]);
    tp_reader_close(readers[1]);
    free(raw.bytes);
    free(made.bytes);
}

static tp_memory_sink small_signed(tp_memory_sink *raw)
{
    LogFixture fixture = fixture_standard();
    fixture.writer.sign_key = fixture_sign_key();
    fixture.writer.key_ticks = 40;
    *raw = fixture_log(&fixture);
    tp_seal_counts counts;
    return seal(raw, 0, &counts);
}

static void is_refused(const uint8_t *bytes, size_t size, size_t at)
{
    LogReading reading = fixture_read(bytes, size);
    cr_assert_neq(reading.status, TP_LOG_DONE, "at %zu", at);
    cr_assert(reading.status == TP_LOG_CORRUPT || reading.status == TP_LOG_TRUNCATED || reading.status == TP_LOG_UNSUPPORTED, "at %zu: %d %s", at,
              (int)reading.status, reading.message);
    // A reader that looks at no chain must not get through, either: only the container's hashes are between it and the damage.
    tp_reader_options options = { .skip_chain = true };
    reading = fixture_read_with(bytes, size, &options);
    cr_assert_neq(reading.status, TP_LOG_DONE, "without the chain, at %zu", at);
}

// Goal: no bit of the file is outside what is checked.
Test(log_sealed, no_flipped_bit_goes_through)
{
    tp_memory_sink raw;
    tp_memory_sink made = small_signed(&raw);
    for (size_t at = 0; at < made.size; at++) {
        // All bits of what is small and decides everything, one of each byte between.
        bool is_edge = at < 256 || at + 512 > made.size;
        for (int bit = 0; bit < 8; bit++) {
            if (is_edge || bit == (int)(at % 8)) {
                made.bytes[at] ^= (uint8_t)(1 << bit);
                is_refused(made.bytes, made.size, at);
                made.bytes[at] ^= (uint8_t)(1 << bit);
            }
        }
    }
    cr_assert_eq(fixture_read(made.bytes, made.size).status, TP_LOG_DONE);
    free(raw.bytes);
    free(made.bytes);
}

Test(log_sealed, no_cut_and_no_addition_goes_through)
{
    tp_memory_sink raw;
    tp_memory_sink made = small_signed(&raw);
    for (size_t size = 0; size < made.size; size++) {
        is_refused(made.bytes, size, size);
    }
    uint8_t *longer = calloc(1, made.size + 100);
    memcpy(longer, made.bytes, made.size);
    is_refused(longer, made.size + 1, made.size);
    is_refused(longer, made.size + 100, made.size);
    free(longer);
    free(raw.bytes);
    free(made.bytes);
}

// Goal: hashes redone make a container that holds; then the log's own chain is what does not.
Test(log_sealed, redone_hashes_do_not_help)
{
    tp_memory_sink raw;
    tp_memory_sink made = small_signed(&raw);
    size_t         through = 0;
    size_t         unauthentic = 0;
    for (size_t at = 28; at < made.size; at++) {
        uint8_t *changed = malloc(made.size);
        memcpy(changed, made.bytes, made.size);
        changed[at] ^= (uint8_t)(1 << at % 8);
        reseal_redo(changed, made.size);
        LogReading reading = fixture_read(changed, made.size);
        if (reading.status == TP_LOG_DONE) {
            // A byte that packing does not need, or one of a hash, which was redone: then it must be the same log.
            tp_memory_sink back = unseal(changed, made.size);
            cr_assert(back.size == raw.size && memcmp(back.bytes, raw.bytes, raw.size) == 0, "at %zu", at);
            free(back.bytes);
            through++;
        }
        unauthentic += reading.status == TP_LOG_UNAUTHENTIC ? 1 : 0;
        free(changed);
    }
    cr_assert_gt(through, 0); // hashes at least
    cr_assert_gt(unauthentic, 0, "roots are stored as they are, and one that is changed comes as far as the chain");
    free(raw.bytes);
    free(made.bytes);
}

static tp_log_status try_to_seal(const uint8_t *bytes, size_t size)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_memory_sink   made = { 0 };
    tp_sink          sink = tp_sink_of_memory(&made);
    tp_seal_counts   counts;
    tp_error         error = { "" };
    tp_log_status    status = tp_seal_log(&source, &sink, NULL, &counts, &error);
    cr_assert(status == TP_LOG_OK || error.text[0] != '\0');
    free(made.bytes);
    return status;
}

Test(log_sealed, only_whole_raw_logs_are_sealed)
{
    tp_memory_sink raw;
    tp_memory_sink made = small_signed(&raw);
    cr_assert_eq(try_to_seal(made.bytes, made.size), TP_LOG_UNSUPPORTED);
    cr_assert_eq(try_to_seal(raw.bytes, raw.size - 100), TP_LOG_TRUNCATED);
    cr_assert_eq(try_to_seal(raw.bytes, 10), TP_LOG_TRUNCATED);
    raw.bytes[raw.size / 2] ^= 1;
    cr_assert_eq(try_to_seal(raw.bytes, raw.size), TP_LOG_CORRUPT);
    raw.bytes[raw.size / 2] ^= 1;
    tp_memory_source memory = { raw.bytes, raw.size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_memory_source sealed_memory = { made.bytes, made.size };
    tp_source        sealed_source = tp_source_of_memory(&sealed_memory);
    tp_memory_sink   out = { 0 };
    tp_sink          sink = tp_sink_of_memory(&out);
    tp_recovery      recovery;
    tp_error         error;
    cr_assert_eq(tp_unseal_log(&source, &sink, &error), TP_LOG_UNSUPPORTED);
    cr_assert_eq(tp_log_recover(&sealed_source, &recovery, &error), TP_LOG_UNSUPPORTED, "its offsets are another file's");
    // The comparison is what stands between a bug and the only copy: it has to see one byte.
    raw.bytes[raw.size - 300] ^= 1;
    cr_assert_eq(tp_sealed_compare(&sealed_source, &source, &error), TP_LOG_CORRUPT);
    free(out.bytes);
    free(raw.bytes);
    free(made.bytes);
}

// Goal: a stretch without KEYs is cut into frames of some MiB.
Test(log_sealed, long_stretches_are_split)
{
    enum { NOTES = 200, NOTE_SIZE = 65000 };
    LogFixture         fixture = fixture_standard();
    tp_memory_sink     raw = { 0 };
    tp_sink            sink = tp_sink_of_memory(&raw);
    tp_sim            *sim = fixture_sim(&fixture);
    tp_error           error;
    tp_writer         *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    char              *text = malloc(NOTE_SIZE);
    cr_assert_not_null(writer, "%s", error.text);
    for (int i = 0; i < NOTES; i++) {
        memset(text, 'a' + i % 26, NOTE_SIZE);
        cr_assert(tp_writer_note(writer, TP_NOTE_TEXT, text, NOTE_SIZE));
        cr_assert(fixture_step(&fixture, sim, writer));
    }
    cr_assert(tp_writer_finish(writer, sim, TP_END_STOPPED));
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    tp_seal_counts counts;
    tp_memory_sink made = seal(&raw, 3, &counts);
    cr_assert_geq(counts.frames, 3);
    hold_both(&raw, 3);
    free(text);
    free(raw.bytes);
    free(made.bytes);
}
