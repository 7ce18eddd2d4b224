// test_log_reader.c: logs that are torn, damaged, growing or somebody else's.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_fixture.h"
#include "log_mutate.h"

static tp_memory_sink whole;
static LogMutate      records;
static uint8_t       *copy;

static void start(const LogFixture *fixture)
{
    whole = fixture_log(fixture);
    cr_assert(log_mutate_load(&records, whole.bytes, whole.size));
    // One more byte than any test needs, so that a copy of no bytes is memory, too.
    copy = malloc(2 * whole.size + 65536);
    memcpy(copy, whole.bytes, whole.size);
}

static void start_standard(void)
{
    LogFixture fixture = fixture_standard();
    start(&fixture);
}

static void stop(void)
{
    log_mutate_finish(&records);
    free(whole.bytes);
    free(copy);
}

TestSuite(log_reader, .init = start_standard, .fini = stop, .timeout = 120);

// Ticks of the records that end at or before `size`; `*is_edge` when one ends exactly there.
static uint64_t ticks_before(size_t size, bool *is_edge)
{
    uint64_t ticks = 0;
    size_t   at = TP_LOG_HEADER_SIZE;
    *is_edge = size == at;
    for (size_t i = 0; i < records.count; i++) {
        at += (size_t)records.records[i].size + 32;
        if (at > size) {
            break;
        }
        *is_edge = at == size;
        ticks += records.records[i].type == TP_LOG_TICKS ? bytes_get_u16(records.records[i].payload) : 0;
    }
    return ticks;
}

static size_t offset_of(size_t number)
{
    size_t at = TP_LOG_HEADER_SIZE;
    for (size_t i = 0; i < number; i++) {
        at += (size_t)records.records[i].size + 32;
    }
    return at;
}

Test(log_reader, cut_at_every_byte_is_truncated_and_keeps_the_prefix)
{
    for (size_t size = 0; size < whole.size; size++) {
        // A block of the exact size, so that the sanitizer sees one byte too many.
        uint8_t *cut = malloc(size + (size == 0 ? 1 : 0));
        memcpy(cut, whole.bytes, size);
        bool       is_edge = false;
        uint64_t   ticks = ticks_before(size, &is_edge);
        LogReading reading = fixture_read(cut, size);
        cr_assert_eq(reading.status, TP_LOG_TRUNCATED, "cut at %zu: %s", size, reading.message);
        cr_assert_eq(reading.ticks, ticks, "cut at %zu", size);
        free(cut);
    }
}

// Goal: what a crash leaves behind when the file's size was kept and its last blocks were not: zeroes from some point on.
Test(log_reader, cut_and_filled_with_zeroes_is_truncated)
{
    static const size_t tails[] = { 1, 3, 4, 28, 100, 4096, 20000 };
    for (size_t size = 0; size < whole.size; size++) {
        for (size_t t = 0; t < sizeof(tails) / sizeof(tails[0]); t++) {
            bool     is_edge = false;
            uint64_t ticks = ticks_before(size, &is_edge);
            memset(copy + size, 0, tails[t]);
            LogReading reading = fixture_read(copy, size + tails[t]);
            // The zeroes may be what the file had there anyway, so a record more can be whole.
            cr_assert_eq(reading.status, TP_LOG_TRUNCATED, "cut at %zu, %zu zeroes: %s", size, tails[t], reading.message);
            cr_assert_geq(reading.ticks, ticks);
            memcpy(copy + size, whole.bytes + size, whole.size - size < tails[t] ? whole.size - size : tails[t]);
        }
    }
}

Test(log_reader, a_flipped_bit_anywhere_is_refused)
{
    for (size_t at = 0; at < whole.size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            copy[at] ^= (uint8_t)(1 << bit);
            LogReading reading = fixture_read(copy, whole.size);
            cr_assert_neq(reading.status, TP_LOG_DONE, "byte %zu bit %d", at, bit);
            // Truncated only where a size that lies points past the end, or where the very last CRC became shorter.
            cr_assert(reading.status == TP_LOG_CORRUPT || at + 4 >= whole.size, "byte %zu bit %d: %s", at, bit,
                      reading.message);
            copy[at] ^= (uint8_t)(1 << bit);
        }
    }
}

Test(log_reader, damage_names_its_offset_and_what_follows)
{
    size_t third = offset_of(3);
    copy[third + 40] ^= 1;
    LogReading reading = fixture_read(copy, whole.size);
    cr_assert_eq(reading.status, TP_LOG_CORRUPT);
    cr_assert_eq(reading.offset, third);
    char expected[64];
    snprintf(expected, sizeof(expected), "a record follows at offset %zu", offset_of(4));
    cr_assert(strstr(reading.message, expected) != NULL, "%s", reading.message);
}

static bool is_row_byte_free(const tp_ident *ident, const LogMutateRecord *record, size_t offset)
{
    tp_log_record given = { .type = record->type, .tick = record->tick, .payload = record->payload, .size = record->size };
    tp_log_rows   rows = tp_log_rows_of(ident, &given);
    tp_log_row    row;
    if (offset < rows.offset) {
        return false;
    }
    while (tp_log_rows_next(&rows, &row)) {
        size_t from = (size_t)(row.bytes - record->payload);
        if (offset >= from + row.size + row.root_size) {
            continue;
        }
        size_t count_at = (size_t)(row.commands - record->payload) - 2;
        if (offset < count_at) {
            return true; // presence, origins and inputs: the step will tell
        }
        if (offset < count_at + 2) {
            return false;
        }
        if (offset >= from + row.size) {
            return true; // root
        }
        tp_command command;
        uint32_t   at = 0;
        while (tp_log_command_next(&row, &at, &command)) {
            size_t end = count_at + 2 + at;
            size_t head = end - command.size - 8;
            if (offset >= head && offset < end) {
                return offset < head + 6 || offset >= head + 8; // not the size
            }
        }
        return false;
    }
    return false;
}

// Bytes that only a re-simulation or a person can judge.
static bool is_free(const tp_ident *ident, const LogMutateRecord *record, size_t offset)
{
    switch (record->type) {
    case TP_LOG_IDENT: return offset >= 56 + bytes_get_u32(record->payload) + 2;
    case TP_LOG_KEY: return (offset >= 8 && offset < 40 && (record->tick > 0 || offset < 24)) || offset >= 48;
    case TP_LOG_TICKS:
    case TP_LOG_FAULT:
        return (record->type == TP_LOG_FAULT && offset < 16) || is_row_byte_free(ident, record, offset);
    case TP_LOG_LEAVES: return offset < 16 || offset >= 20;
    case TP_LOG_NOTE: return offset >= 4;
    case TP_LOG_GAP: return offset == 16; // the cause
    case TP_LOG_RESUME: return offset >= 16;
    default: return false;
    }
}

static tp_reader *open_whole(tp_memory_source *memory)
{
    *memory = (tp_memory_source){ whole.bytes, whole.size };
    tp_source  source = tp_source_of_memory(memory);
    tp_reader *reader = NULL;
    cr_assert_eq(tp_reader_open(&source, NULL, &reader), TP_LOG_OK);
    return reader;
}

static void flip_every_bit_and_repair(bool allows_free)
{
    tp_memory_source memory;
    tp_reader       *reader = open_whole(&memory);
    size_t           number = 0;
    size_t           accepted = 0;
    for (size_t at = 0; at < whole.size; at++) {
        while (number + 1 < records.count && at >= offset_of(number + 1)) {
            number++;
        }
        size_t start_at = offset_of(number) + 28;
        bool   is_payload = at >= start_at && at < start_at + records.records[number].size;
        bool   may_pass = allows_free && is_payload && is_free(tp_reader_ident(reader), &records.records[number], at - start_at);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, whole.bytes, whole.size);
            copy[at] ^= (uint8_t)(1 << bit);
            log_mutate_repair(copy, whole.size);
            if (memcmp(copy, whole.bytes, whole.size) == 0) {
                continue; // a checksum, and it is redone
            }
            LogReading reading = fixture_read(copy, whole.size);
            cr_assert(may_pass || reading.status != TP_LOG_DONE, "byte %zu bit %d: record %zu, payload byte %zu", at, bit,
                      number, at - start_at);
            accepted += reading.status == TP_LOG_DONE ? 1 : 0;
        }
    }
    cr_assert(!allows_free || accepted > 1000, "the repair does not repair: %zu", accepted);
    tp_reader_close(reader);
}

// Goal: no field goes unchecked, also for somebody who can redo every checksum.
Test(log_reader, a_flipped_bit_with_all_checksums_redone)
{
    flip_every_bit_and_repair(true);
}

Test(log_reader, a_flipped_bit_with_all_checksums_redone_after_a_fault)
{
    stop();
    LogFixture fixture = fixture_standard();
    fixture.fault_at = 60;
    fixture.gap_ticks = 0;
    start(&fixture);
    flip_every_bit_and_repair(true);
}

// Goal: with a signature, nothing at all can be changed.
Test(log_reader, a_flipped_bit_under_a_signature)
{
    stop();
    LogFixture fixture = fixture_standard();
    fixture.writer.sign_key = fixture_sign_key();
    fixture.writer.seal_ticks = 0;
    fixture.ticks = 12;
    fixture.note_at = 3;
    fixture.gap_first = 6;
    fixture.gap_ticks = 2;
    start(&fixture);
    LogReading reading = fixture_read(whole.bytes, whole.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    cr_assert(reading.is_signed);
    flip_every_bit_and_repair(false);
}

Test(log_reader, a_chain_that_does_not_hold_is_unauthentic)
{
    // Record 2 is TICKS: change the input of slot 1, which is there, and redo only its CRC.
    size_t at = offset_of(2);
    copy[at + 28 + 4 + 2 + 2] ^= 4;
    uint32_t size = bytes_get_u32(copy + at + 12);
    bytes_put_u32(copy + at + 28 + size, crc32c(0, copy + at + 28, size));
    LogReading reading = fixture_read(copy, whole.size);
    cr_assert_eq(reading.status, TP_LOG_UNAUTHENTIC, "%s", reading.message);
    cr_assert_eq(reading.offset, offset_of(log_mutate_find(&records, TP_LOG_SEAL, 0)));
    tp_reader_options options = { .skip_chain = true };
    cr_assert_eq(fixture_read_with(copy, whole.size, &options).status, TP_LOG_DONE, "a second pass does not look at it");
}

Test(log_reader, a_signature_that_does_not_hold_is_unauthentic)
{
    stop();
    LogFixture fixture = fixture_standard();
    fixture.writer.sign_key = fixture_sign_key();
    start(&fixture);
    size_t seal = offset_of(log_mutate_find(&records, TP_LOG_SEAL, 0));
    copy[seal + 28 + 90] ^= 1;
    bytes_put_u32(copy + seal + 28 + 152, crc32c(0, copy + seal + 28, 152));
    cr_assert_eq(fixture_read(copy, whole.size).status, TP_LOG_UNAUTHENTIC);
    uint8_t          key[32];
    tp_memory_source memory;
    tp_reader       *reader = open_whole(&memory);
    LogReading       reading = { 0 };
    cr_assert_not(tp_reader_is_signed(reader, key));
    cr_assert_eq(fixture_drain(reader, &reading), TP_LOG_DONE);
    cr_assert(tp_reader_is_signed(reader, key));
    cr_assert_eq(memcmp(key, fixture_sign_key() + 32, 32), 0);
    tp_reader_close(reader);
}

Test(log_reader, sizes_that_lie_are_harmless)
{
    static const uint32_t sizes[] = { 0, 1, 3, 47, 49, 0x0FFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFE0, 0xFFFFFFF0, 0xFFFFFFFF };
    for (size_t i = 0; i < records.count; i++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            size_t at = offset_of(i);
            memcpy(copy, whole.bytes, whole.size);
            bytes_put_u32(copy + at + 12, sizes[s]);
            bytes_put_u32(copy + at + 24, crc32c(0, copy + at, 24));
            LogReading reading = fixture_read(copy, whole.size);
            cr_assert(reading.status == TP_LOG_CORRUPT || reading.status == TP_LOG_TRUNCATED);
            cr_assert_eq(reading.offset, at);
            // A torn record is one that could be legal; a size over the bound never is.
            cr_assert(sizes[s] <= TP_LOG_KEY_MAX || reading.status == TP_LOG_CORRUPT);
        }
    }
}

// Goal: feeding a file byte by byte gives the same records as reading it whole, with WAIT in between and nothing else.
Test(log_reader, following_byte_by_byte_equals_reading_whole)
{
    tp_reader_options options = { .follow = true };
    tp_memory_source  memory = { whole.bytes, 0 };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader        *reader = NULL;
    LogReading        followed = { 0 };
    LogReading        expected = fixture_read(whole.bytes, whole.size);
    cr_assert_eq(tp_reader_open(&source, &options, &reader), TP_LOG_WAIT);
    cr_assert(tp_reader_ident(reader) == NULL);
    for (size_t size = 0; size < whole.size; size++) {
        bool is_edge = false;
        memory.size = size;
        cr_assert_eq(fixture_drain(reader, &followed), TP_LOG_WAIT, "at %zu: %s", size, tp_reader_message(reader));
        cr_assert_eq(followed.ticks, ticks_before(size, &is_edge));
    }
    memory.size = whole.size;
    cr_assert_eq(fixture_drain(reader, &followed), TP_LOG_DONE);
    cr_assert_eq(followed.records, expected.records);
    cr_assert_eq(followed.ticks, expected.ticks);
    cr_assert_eq(memcmp(tp_reader_chain(reader), expected.chain, 32), 0);
    tp_reader_close(reader);
}

// Goal: a hole that is filled later is waited for, and is not remembered as it was.
Test(log_reader, following_waits_for_a_hole_to_be_filled)
{
    size_t            at = offset_of(4) + 10;
    tp_reader_options options = { .follow = true };
    tp_memory_source  memory = { copy, whole.size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader        *reader = NULL;
    LogReading        reading = { 0 };
    memset(copy + at, 0, whole.size - at);
    cr_assert_eq(tp_reader_open(&source, &options, &reader), TP_LOG_OK);
    cr_assert_eq(fixture_drain(reader, &reading), TP_LOG_WAIT);
    cr_assert_eq(reading.records, 4);
    memcpy(copy + at, whole.bytes + at, whole.size - at);
    cr_assert_eq(fixture_drain(reader, &reading), TP_LOG_DONE);
    tp_reader_close(reader);
}

Test(log_reader, nothing_may_follow_end)
{
    memset(copy + whole.size, 0, 5000);
    copy[whole.size + 4999] = 1;
    LogReading reading = fixture_read(copy, whole.size + 5000);
    cr_assert_eq(reading.status, TP_LOG_CORRUPT);
    cr_assert_eq(reading.offset, whole.size);
    reading = fixture_read(copy, whole.size + 4999);
    cr_assert_eq(reading.status, TP_LOG_TRUNCATED, "zeroes are a torn tail there, too");
    cr_assert_eq(reading.ticks, 121);
    cr_assert_eq(reading.offset, whole.size);
    memcpy(copy + whole.size, whole.bytes, whole.size);
    cr_assert_eq(fixture_read(copy, 2 * whole.size).status, TP_LOG_CORRUPT);
}

Test(log_reader, other_files_are_not_logs)
{
    static const char *const others[] = { "x", "PK\3\4", "{\"a\":1}", "\x89PNG\r\n\x1a\n and then some more bytes of it, enough" };
    for (size_t i = 0; i < 4; i++) {
        LogReading reading = fixture_read((const uint8_t *)others[i], strlen(others[i]));
        cr_assert_eq(reading.status, TP_LOG_CORRUPT, "%zu", i);
        cr_assert_eq(reading.offset, 0);
        cr_assert(strstr(reading.message, "not a replay log") != NULL, "%s", reading.message);
    }
    // A text transfer that turns CR LF into LF is caught by the magic.
    memmove(copy + 4, copy + 5, whole.size - 5);
    cr_assert_eq(fixture_read(copy, whole.size - 1).status, TP_LOG_CORRUPT);
}

Test(log_reader, other_versions_and_containers_are_unsupported)
{
    bytes_put_u16(copy + 8, 2);
    bytes_put_u32(copy + 24, crc32c(0, copy, 24));
    cr_assert_eq(fixture_read(copy, whole.size).status, TP_LOG_UNSUPPORTED);
    memcpy(copy, whole.bytes, whole.size);
    bytes_put_u32(copy + 12, 2);
    bytes_put_u32(copy + 24, crc32c(0, copy, 24));
    cr_assert_eq(fixture_read(copy, whole.size).status, TP_LOG_UNSUPPORTED);
    // Container 1 is a sealed file, which these records are not.
    bytes_put_u32(copy + 12, 1);
    bytes_put_u32(copy + 24, crc32c(0, copy, 24));
    cr_assert_eq(fixture_read(copy, whole.size).status, TP_LOG_CORRUPT);
}

// Goal: every KEY that INDEX names can be gone to, and what follows is what a whole reading gives there.
Test(log_reader, seeking_to_every_key)
{
    tp_reader_options options = { .skip_chain = true };
    for (size_t i = 0; i < records.count; i++) {
        if (records.records[i].type != TP_LOG_KEY) {
            continue;
        }
        tp_memory_source memory = { whole.bytes, whole.size };
        tp_source        source = tp_source_of_memory(&memory);
        tp_reader       *reader = NULL;
        tp_log_record    record;
        LogReading       reading = { 0 };
        cr_assert_eq(tp_reader_open(&source, &options, &reader), TP_LOG_OK);
        cr_assert_eq(tp_reader_seek(reader, offset_of(i), records.records[i].tick), TP_LOG_OK);
        cr_assert_eq(tp_reader_next(reader, &record), TP_LOG_OK, "%s", tp_reader_message(reader));
        cr_assert_eq(record.type, TP_LOG_KEY);
        cr_assert_eq(record.tick, records.records[i].tick);
        cr_assert_eq(fixture_drain(reader, &reading), TP_LOG_DONE, "%s", tp_reader_message(reader));
        cr_assert_eq(reading.records, records.count - i - 1);
        // Also from the end back again; and a place without a KEY is refused.
        cr_assert_eq(tp_reader_seek(reader, offset_of(1), records.records[1].tick), TP_LOG_OK);
        cr_assert_eq(tp_reader_next(reader, &record), TP_LOG_OK);
        cr_assert_eq(tp_reader_seek(reader, offset_of(2), records.records[2].tick), TP_LOG_OK);
        cr_assert_eq(tp_reader_next(reader, &record), TP_LOG_CORRUPT);
        tp_reader_close(reader);
    }
    tp_memory_source memory;
    tp_reader       *reader = open_whole(&memory);
    cr_assert_neq(tp_reader_seek(reader, offset_of(1), 0), TP_LOG_OK, "a reader with a chain cannot jump");
    tp_reader_close(reader);
}

Test(log_reader, a_file_descriptor_reads_like_memory)
{
    FILE *file = tmpfile();
    int   fd = fileno(file);
    tp_sink sink = tp_sink_of_fd(&fd);
    cr_assert(sink.write(sink.self, whole.bytes, whole.size));
    cr_assert(sink.sync(sink.self));
    tp_source  source = tp_source_of_fd(&fd);
    tp_reader *reader = NULL;
    LogReading reading = { 0 };
    cr_assert_eq(tp_reader_open(&source, NULL, &reader), TP_LOG_OK);
    cr_assert_eq(fixture_drain(reader, &reading), TP_LOG_DONE);
    cr_assert_eq(reading.records, records.count);
    tp_reader_close(reader);
    fclose(file);
    fd = -1;
    cr_assert_eq(tp_reader_open(&source, NULL, &reader), TP_LOG_IO);
    cr_assert(strlen(tp_reader_message(reader)) > 0);
    tp_reader_close(reader);
}
