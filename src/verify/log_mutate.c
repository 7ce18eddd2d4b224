// log_mutate.c: see log_mutate.h.
#include "log_mutate.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "tickproof/replay.h"

enum { HEADER = 28, HEAD = 28, FRAME = 32, CHAIN = 32 };

static void *need(void *memory)
{
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void chain_start(uint8_t chain[CHAIN])
{
    crypto_generichash(chain, CHAIN, (const uint8_t *)"tickproof chain 1", 17, NULL, 0);
}

static void chain_add(uint8_t chain[CHAIN], const uint8_t *head, const uint8_t *payload, uint32_t size)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, CHAIN);
    crypto_generichash_update(&state, chain, CHAIN);
    crypto_generichash_update(&state, head + 8, 4);
    crypto_generichash_update(&state, head + 16, 8);
    crypto_generichash_update(&state, head + 12, 4);
    crypto_generichash_update(&state, payload, size);
    crypto_generichash_final(&state, chain, CHAIN);
}

// Whether a whole record is at `at`.
static bool is_record(const uint8_t *bytes, size_t size, size_t at)
{
    return at <= size && size - at >= FRAME && bytes_get_u32(bytes + at + 12) <= size - at - FRAME;
}

void log_mutate_repair(uint8_t *bytes, size_t size)
{
    uint8_t chain[CHAIN];
    uint8_t marker[CHAIN];
    chain_start(chain);
    if (size < HEADER) {
        return;
    }
    memcpy(marker, bytes + 16, 8);
    if (is_record(bytes, size, HEADER)) {
        crypto_generichash(marker, CHAIN, bytes + HEADER + HEAD, bytes_get_u32(bytes + HEADER + 12), NULL, 0);
        memcpy(bytes + 16, marker, 8);
    }
    bytes_put_u32(bytes + 24, crc32c(0, bytes, 24));
    size_t at = HEADER;
    while (is_record(bytes, size, at)) {
        uint8_t *head = bytes + at;
        uint8_t *payload = head + HEAD;
        uint32_t type = bytes_get_u32(head + 8);
        uint32_t length = bytes_get_u32(head + 12);
        memcpy(head, marker, 8);
        bytes_put_u32(head + 24, crc32c(0, head, 24));
        if (type == TP_LOG_SEAL && length >= CHAIN) {
            memcpy(payload, chain, CHAIN);
        } else if (type == TP_LOG_END && length >= 128 + CHAIN) {
            memcpy(payload + 128, chain, CHAIN);
        }
        bytes_put_u32(payload + length, crc32c(0, payload, length));
        chain_add(chain, head, payload, length);
        at += (size_t)length + FRAME;
    }
    if (size - at >= HEAD) {
        memcpy(bytes + at, marker, 8);
        bytes_put_u32(bytes + at + 24, crc32c(0, bytes + at, 24));
    }
}

void log_mutate_insert(LogMutate *mutate, size_t at, uint32_t type, uint64_t tick, const void *payload, uint32_t size)
{
    mutate->records = need(realloc(mutate->records, (mutate->count + 1) * sizeof(LogMutateRecord)));
    memmove(mutate->records + at + 1, mutate->records + at, (mutate->count - at) * sizeof(LogMutateRecord));
    uint8_t *copy = need(malloc(size + 1u));
    if (size > 0) {
        memcpy(copy, payload, size);
    }
    mutate->records[at] = (LogMutateRecord){ .type = type, .tick = tick, .payload = copy, .size = size };
    mutate->count++;
}

void log_mutate_delete(LogMutate *mutate, size_t at)
{
    free(mutate->records[at].payload);
    mutate->count--;
    memmove(mutate->records + at, mutate->records + at + 1, (mutate->count - at) * sizeof(LogMutateRecord));
}

void log_mutate_replace(LogMutate *mutate, size_t at, const void *payload, uint32_t size)
{
    LogMutateRecord old = mutate->records[at];
    log_mutate_insert(mutate, at, old.type, old.tick, payload, size);
    log_mutate_delete(mutate, at + 1);
}

size_t log_mutate_find(const LogMutate *mutate, uint32_t type, size_t from)
{
    while (from < mutate->count && mutate->records[from].type != type) {
        from++;
    }
    return from;
}

bool log_mutate_load(LogMutate *mutate, const uint8_t *bytes, size_t size)
{
    size_t at = HEADER;
    memset(mutate, 0, sizeof(*mutate));
    while (is_record(bytes, size, at)) {
        const uint8_t *head = bytes + at;
        uint32_t length = bytes_get_u32(head + 12);
        log_mutate_insert(mutate, mutate->count, bytes_get_u32(head + 8), bytes_get_u64(head + 16), head + HEAD, length);
        at += (size_t)length + FRAME;
    }
    if (at != size) {
        log_mutate_finish(mutate);
        return false;
    }
    return true;
}

void log_mutate_finish(LogMutate *mutate)
{
    for (size_t i = 0; i < mutate->count; i++) {
        free(mutate->records[i].payload);
    }
    free(mutate->records);
    memset(mutate, 0, sizeof(*mutate));
}

typedef struct Totals {
    uint64_t records, ticks, counts[8]; // in END's order
    uint32_t players, input_size, algorithm;
    uint8_t  rules_id[16];
} Totals;

static void read_rules(Totals *totals, const LogMutateRecord *ident)
{
    if (ident->size < 56 + 44 || bytes_get_u32(ident->payload) > ident->size - 56) {
        return;
    }
    const uint8_t *rules = ident->payload + 56;
    totals->players = bytes_get_u32(rules + 32);
    totals->input_size = bytes_get_u16(rules + 40);
    totals->algorithm = rules[42];
    if (totals->algorithm == TP_HASH_XXH3 || totals->algorithm == TP_HASH_FNV1A128) {
        tp_hash128_to_bytes(tp_hash128_of((tp_hash_algorithm)totals->algorithm, rules, bytes_get_u32(ident->payload)),
                            totals->rules_id);
    }
}

static void count_rows(Totals *totals, const LogMutateRecord *record)
{
    BytesReader reader = bytes_reader(record->payload, record->size);
    uint32_t rows = bytes_read_u16(&reader);
    uint32_t root_size = bytes_read_u8(&reader);
    bytes_read_u8(&reader);
    size_t fixed = (totals->players + 7) / 8 + (totals->players + 3) / 4 + (size_t)totals->players * totals->input_size;
    totals->ticks += rows;
    for (uint32_t i = 0; i < rows && !reader.failed; i++) {
        bytes_read_span(&reader, fixed);
        uint32_t commands = bytes_read_u16(&reader);
        totals->counts[7] += commands;
        for (uint32_t c = 0; c < commands && !reader.failed; c++) {
            bytes_read_span(&reader, 6);
            bytes_read_span(&reader, bytes_read_u16(&reader));
        }
        bytes_read_span(&reader, root_size);
    }
}

static void count_record(Totals *totals, const LogMutateRecord *record)
{
    static const uint32_t counted[7] = { TP_LOG_KEY,  TP_LOG_TICKS, TP_LOG_LEAVES, TP_LOG_NOTE,
                                         TP_LOG_SEAL, TP_LOG_GAP,   TP_LOG_RESUME };
    totals->records++;
    for (size_t i = 0; i < 7; i++) {
        totals->counts[i] += counted[i] == record->type ? 1 : 0;
    }
    if (record->type == TP_LOG_IDENT) {
        read_rules(totals, record);
    } else if (record->type == TP_LOG_TICKS) {
        count_rows(totals, record);
    }
}

static void fix_counts(const Totals *totals, LogMutateRecord *record)
{
    if (record->type == TP_LOG_SEAL && record->size >= 48) {
        bytes_put_u64(record->payload + 32, totals->ticks);
        bytes_put_u64(record->payload + 40, totals->records);
    } else if (record->type == TP_LOG_END && record->size >= 88) {
        bytes_put_u64(record->payload + 8, totals->ticks);
        bytes_put_u64(record->payload + 16, totals->records);
        for (size_t i = 0; i < 8; i++) {
            bytes_put_u64(record->payload + 24 + 8 * i, totals->counts[i]);
        }
    }
}

// INDEX is built anew from the KEYs before it, so its size may change; it comes after all KEYs.
static void fix_offsets(LogMutate *mutate)
{
    uint64_t at = HEADER;
    uint64_t last_key = 0;
    uint64_t index = 0;
    uint32_t keys = 0;
    uint8_t *entries = need(malloc(4 + 16 * mutate->count));
    for (size_t i = 0; i < mutate->count; i++) {
        LogMutateRecord *record = &mutate->records[i];
        if (record->type == TP_LOG_KEY && record->size >= 8) {
            bytes_put_u64(record->payload, last_key);
            last_key = at;
            bytes_put_u64(entries + 4 + 16 * (size_t)keys, record->tick);
            bytes_put_u64(entries + 4 + 16 * (size_t)keys + 8, at);
            keys++;
        } else if (record->type == TP_LOG_INDEX) {
            bytes_put_u32(entries, keys);
            log_mutate_replace(mutate, i, entries, 4 + 16 * keys);
            index = at;
        } else if (record->type == TP_LOG_END && record->size >= 128) {
            bytes_put_u64(record->payload + 120, index);
        }
        at += mutate->records[i].size + (uint64_t)FRAME;
    }
    free(entries);
}

uint8_t *log_mutate_save(LogMutate *mutate, unsigned fix, size_t *size)
{
    Totals totals = { 0 };
    *size = HEADER;
    if ((fix & LOG_MUTATE_OFFSETS) != 0) {
        fix_offsets(mutate);
    }
    for (size_t i = 0; i < mutate->count; i++) {
        LogMutateRecord *record = &mutate->records[i];
        if ((fix & LOG_MUTATE_COUNTS) != 0) {
            fix_counts(&totals, record);
        }
        count_record(&totals, record);
        bool has_algorithm = totals.algorithm == TP_HASH_XXH3 || totals.algorithm == TP_HASH_FNV1A128;
        if ((fix & LOG_MUTATE_BINDING) != 0 && record->type == TP_LOG_END && record->size >= 120 && has_algorithm) {
            uint8_t bound[120];
            memcpy(bound, totals.rules_id, 16);
            memcpy(bound + 16, record->payload, 104);
            tp_hash128_to_bytes(tp_hash128_of((tp_hash_algorithm)totals.algorithm, bound, sizeof(bound)),
                                record->payload + 104);
        }
        *size += (size_t)record->size + FRAME;
    }
    uint8_t *bytes = need(calloc(1, *size));
    memcpy(bytes, "\x89TPR\r\n\x1a\n", 8);
    bytes_put_u16(bytes + 8, TP_LOG_VERSION);
    size_t at = HEADER;
    for (size_t i = 0; i < mutate->count; i++) {
        const LogMutateRecord *record = &mutate->records[i];
        bytes_put_u32(bytes + at + 8, record->type);
        bytes_put_u32(bytes + at + 12, record->size);
        bytes_put_u64(bytes + at + 16, record->tick);
        if (record->size > 0) {
            memcpy(bytes + at + HEAD, record->payload, record->size);
        }
        at += (size_t)record->size + FRAME;
    }
    log_mutate_repair(bytes, *size);
    return bytes;
}
