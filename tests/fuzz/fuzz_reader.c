// fuzz_reader.c: foreign bytes as a replay log. Each input is read as it is, read again with all checksums redone (or nothing
// would ever get past the first CRC), followed byte by piece, recovered, and what reads whole is seeked and taken apart.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_mutate.h"
#include "tickproof/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                   \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "fuzz_reader: %s does not hold\n", #condition);  \
            abort();                                                         \
        }                                                                    \
    } while (0)

typedef struct Outcome {
    tp_log_status status;
    uint64_t      offset, ticks, records, commands;
    uint64_t      key_offset, key_tick; // of the last KEY
    uint8_t       chain[TP_LOG_CHAIN_SIZE];
} Outcome;

static volatile uint8_t touched;

static void touch(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
    }
    touched = sum;
}

static void walk_rows(const tp_ident *ident, const tp_log_record *record, Outcome *outcome)
{
    tp_log_rows rows = tp_log_rows_of(ident, record);
    tp_log_row  row;
    uint32_t    count = 0;
    while (tp_log_rows_next(&rows, &row)) {
        tp_command command;
        uint32_t   offset = 0;
        uint32_t   commands = 0;
        touch(row.bytes, row.size);
        touch(row.root, row.root_size);
        while (tp_log_command_next(&row, &offset, &command)) {
            touch(command.data, command.size);
            commands++;
        }
        REQUIRE(commands == row.command_count);
        outcome->commands += record->type == TP_LOG_TICKS ? commands : 0;
        count++;
    }
    REQUIRE(count == rows.count);
    outcome->ticks += record->type == TP_LOG_TICKS ? count : 0;
}

static void take_apart(const tp_ident *ident, const tp_log_record *record, Outcome *outcome)
{
    touch(record->payload, record->size);
    if (record->type == TP_LOG_TICKS || record->type == TP_LOG_FAULT) {
        walk_rows(ident, record, outcome);
    } else if (record->type == TP_LOG_KEY) {
        tp_log_key key = tp_log_parse_key(record);
        touch(key.state, key.state_size);
        outcome->key_offset = record->offset;
        outcome->key_tick = record->tick;
    } else if (record->type == TP_LOG_LEAVES) {
        tp_log_leaves leaves = tp_log_parse_leaves(record);
        touch(leaves.leaves, (size_t)leaves.count * 8);
    } else if (record->type == TP_LOG_NOTE) {
        tp_log_note note = tp_log_parse_note(record);
        touch((const uint8_t *)note.text, note.size);
    } else if (record->type == TP_LOG_RESUME || record->type == TP_LOG_IDENT) {
        tp_log_resume  resume = { .provenance = ident->provenance, .provenance_size = ident->provenance_size };
        tp_provenance  item;
        size_t         offset = 0;
        if (record->type == TP_LOG_RESUME) {
            resume = tp_log_parse_resume(record);
        }
        while (tp_provenance_next(resume.provenance, resume.provenance_size, &offset, &item)) {
            touch((const uint8_t *)item.key, item.key_size);
            touch((const uint8_t *)item.value, item.value_size);
        }
    }
}

static Outcome drain(tp_reader *reader, Outcome outcome)
{
    tp_log_record record;
    outcome.status = tp_reader_next(reader, &record);
    while (outcome.status == TP_LOG_OK) {
        outcome.records++;
        take_apart(tp_reader_ident(reader), &record, &outcome);
        outcome.status = tp_reader_next(reader, &record);
    }
    outcome.offset = tp_reader_offset(reader);
    memcpy(outcome.chain, tp_reader_chain(reader), sizeof(outcome.chain));
    return outcome;
}

static Outcome read_whole(const uint8_t *data, size_t size)
{
    tp_memory_source memory = { data, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_reader       *reader = NULL;
    tp_log_status    opened = tp_reader_open(&source, NULL, &reader);
    REQUIRE(reader != NULL);
    Outcome outcome = drain(reader, (Outcome){ .status = TP_LOG_OK });
    REQUIRE(opened == TP_LOG_OK || opened == outcome.status);
    REQUIRE(outcome.status != TP_LOG_OK && outcome.status != TP_LOG_WAIT && outcome.status != TP_LOG_IO);
    REQUIRE(outcome.ticks == tp_reader_ticks(reader));
    REQUIRE(outcome.offset <= size);
    REQUIRE(outcome.status == TP_LOG_DONE || tp_reader_message(reader)[0] != '\0');
    REQUIRE(outcome.status != TP_LOG_DONE || outcome.offset == size);
    tp_reader_close(reader);
    return outcome;
}

static void follow(const uint8_t *data, size_t size, const Outcome *whole)
{
    tp_reader_options options = { .follow = true };
    tp_memory_source  memory = { data, 0 };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader        *reader = NULL;
    Outcome           outcome = { .status = TP_LOG_OK };
    tp_reader_open(&source, &options, &reader);
    REQUIRE(reader != NULL);
    for (size_t step = 0; step <= 8 && (outcome.status == TP_LOG_OK || outcome.status == TP_LOG_WAIT); step++) {
        memory.size = size / 8 * step + (step == 8 ? size % 8 : 0);
        outcome = drain(reader, outcome);
    }
    // A piece that ends in zeroes waits where the whole says more, so only good endings must be equal.
    if (whole->status == TP_LOG_DONE && outcome.status == TP_LOG_DONE) {
        REQUIRE(outcome.records == whole->records && outcome.commands == whole->commands);
        REQUIRE(memcmp(outcome.chain, whole->chain, sizeof(outcome.chain)) == 0);
    }
    REQUIRE(whole->status != TP_LOG_TRUNCATED || outcome.status == TP_LOG_WAIT || outcome.status == TP_LOG_DONE ||
            outcome.status == TP_LOG_CORRUPT);
    tp_reader_close(reader);
}

static void seek(const uint8_t *data, size_t size, const Outcome *whole)
{
    tp_reader_options options = { .skip_chain = true };
    tp_memory_source  memory = { data, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader        *reader = NULL;
    tp_log_record     record;
    tp_reader_open(&source, &options, &reader);
    REQUIRE(tp_reader_seek(reader, whole->key_offset, whole->key_tick) == TP_LOG_OK);
    REQUIRE(tp_reader_next(reader, &record) == TP_LOG_OK);
    REQUIRE(record.type == TP_LOG_KEY && record.tick == whole->key_tick);
    Outcome outcome = drain(reader, (Outcome){ .status = TP_LOG_OK });
    REQUIRE(whole->status != TP_LOG_DONE || outcome.status == TP_LOG_DONE);
    // Any other place may be asked for; it must only be survived.
    tp_reader_seek(reader, whole->key_offset + 1, whole->key_tick);
    drain(reader, (Outcome){ .status = TP_LOG_OK });
    tp_reader_close(reader);
}

static void recover(const uint8_t *data, size_t size, const Outcome *whole)
{
    tp_memory_source memory = { data, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_recovery      recovery;
    tp_error         error;
    if (tp_log_recover(&source, &recovery, &error) == TP_LOG_OK) {
        REQUIRE(recovery.status == whole->status);
        REQUIRE(recovery.good_size <= size && recovery.good_size + recovery.cut_bytes == size);
        Outcome kept = read_whole(data, recovery.good_size);
        REQUIRE(kept.records == recovery.records && kept.offset == recovery.good_size);
        REQUIRE(memcmp(kept.chain, recovery.chain, sizeof(kept.chain)) == 0);
    }
    tp_recovery_finish(&recovery);
}

static void one(const uint8_t *data, size_t size)
{
    Outcome whole = read_whole(data, size);
    follow(data, size, &whole);
    recover(data, size, &whole);
    if (whole.key_offset != 0) {
        seek(data, size, &whole);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    one(data, size);
    uint8_t *repaired = malloc(size + 1);
    REQUIRE(repaired != NULL);
    if (size > 0) {
        memcpy(repaired, data, size);
    }
    // The magic, too: no coverage lies in guessing it.
    if (size >= 16) {
        memcpy(repaired, "\x89TPR\r\n\x1a\n\1\0\0\0\0\0\0\0", 16);
    }
    log_mutate_repair(repaired, size);
    one(repaired, size);

    // Where the bytes are whole records, totals and offsets redone as well reach what lies behind END's checks.
    LogMutate list;
    if (log_mutate_load(&list, repaired, size)) {
        size_t   forged_size = 0;
        uint8_t *forged = log_mutate_save(&list, LOG_MUTATE_ALL, &forged_size);
        one(forged, forged_size);
        free(forged);
        log_mutate_finish(&list);
    }
    free(repaired);
    return 0;
}
