// log_sealed_frame.c: takes the records of a frame apart into columns. Beside like bytes lying together it leaves out what follows from others: sizes
// of nothing, ticks that go on, and of LEAVES the input leaf and the root.
#include "log_sealed_frame.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

const uint32_t sealed_types[SEALED_TYPES] = {
    TP_LOG_IDENT, TP_LOG_KEY, TP_LOG_TICKS, TP_LOG_LEAVES, TP_LOG_FAULT, TP_LOG_NOTE, TP_LOG_SEAL, TP_LOG_GAP, TP_LOG_RESUME, TP_LOG_INDEX, TP_LOG_END,
};

bool sealed_bytes_reserve(SealedBytes *to, size_t capacity)
{
    if (capacity <= to->capacity) {
        return true;
    }
    size_t   grown = capacity < 4096 ? 4096 : capacity;
    uint8_t *bytes = realloc(to->bytes, grown);
    if (bytes == NULL) {
        return false;
    }
    to->bytes = bytes;
    to->capacity = grown;
    return true;
}

bool sealed_bytes_add(SealedBytes *to, const void *bytes, size_t size)
{
    if (size == 0) {
        return true;
    }
    if (size > to->capacity - to->size && !sealed_bytes_reserve(to, (to->size + size) + (to->size + size) / 2)) {
        return false;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return true;
}

void sealed_frame_clear(SealedFrame *frame)
{
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        frame->columns[i].size = 0;
        frame->columns[i].at = 0;
    }
    frame->row.size = 0;
    frame->records = 0;
    frame->expected_tick = 0;
    frame->raw_size = 0;
    frame->has_key = false;
    frame->leaves_width = 0;
}

void sealed_frame_free(SealedFrame *frame)
{
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        free(frame->columns[i].bytes);
    }
    free(frame->row.bytes);
    free(frame->leaves.bytes);
    *frame = (SealedFrame){ 0 };
}

uint64_t sealed_tick_guess(uint64_t expected, uint32_t type)
{
    return type == TP_LOG_LEAVES ? expected - 1 : expected;
}

uint64_t sealed_tick_after(uint64_t tick, uint32_t type, const uint8_t *payload, uint32_t size)
{
    return type == TP_LOG_LEAVES ? tick + 1 : type == TP_LOG_TICKS && size >= LOG_TICKS_FIXED ? tick + bytes_get_u16(payload) : tick;
}

bool sealed_row_remember(SealedFrame *frame, const LogRowShape *shape, const uint8_t *row, size_t size)
{
    size_t behind = shape->presence_size + shape->origins_size;
    frame->row.size = 0;
    return sealed_bytes_add(&frame->row, row, shape->presence_size) && sealed_bytes_add(&frame->row, row + behind, size - behind);
}

void sealed_leaves_input(const SealedFrame *frame, const SealedShape *shape, uint8_t *leaves, uint32_t size)
{
    if (size < 16 || size % 8 != 0 || frame->row.size == 0) {
        return;
    }
    uint8_t *leaf = leaves + size - 16;
    bytes_put_u64(leaf, bytes_get_u64(leaf) ^ tp_hash64(shape->algorithm, frame->row.bytes, frame->row.size));
}

void sealed_leaves_root(SealedFrame *frame, const SealedShape *shape, uint64_t tick, const uint8_t *leaves, uint32_t size, uint8_t root[LOG_ROOT_SIZE])
{
    uint32_t count = size / 8;
    if (size % 8 != 0 || count < 2 || size > TP_LOG_LEAVES_MAX || frame->leaves.capacity < TP_LOG_LEAVES_MAX) {
        return;
    }
    uint64_t *values = (uint64_t *)(void *)frame->leaves.bytes;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = bytes_get_u64(leaves + (size_t)i * 8);
    }
    uint8_t    guess[LOG_ROOT_SIZE];
    tp_hash128 hash = tp_root_combine(shape->algorithm, shape->rules_id, tick, values, count - 2, values[count - 2], values[count - 1]);
    tp_hash128_to_bytes(hash, guess);
    for (int i = 0; i < LOG_ROOT_SIZE; i++) {
        root[i] ^= guess[i];
    }
}

static bool add_number(SealedBytes *to, uint64_t number)
{
    uint8_t bytes[10];
    size_t  size = 0;
    for (; number >= 0x80; number >>= 7) {
        bytes[size++] = (uint8_t)(number | 0x80);
    }
    bytes[size++] = (uint8_t)number;
    return sealed_bytes_add(to, bytes, size);
}

// The distance goes both ways: small ones of either sign become small numbers.
static bool add_head(SealedFrame *frame, const tp_log_record *record)
{
    SealedBytes *heads = &frame->columns[TP_SEAL_HEADS];
    uint64_t     distance = record->tick - sealed_tick_guess(frame->expected_tick, record->type);
    uint8_t      code = 0;
    while (sealed_types[code] != record->type) {
        code++; // the reader has let no other type through
    }
    return sealed_bytes_add(heads, &code, 1) && add_number(heads, record->size) && add_number(heads, distance << 1 ^ (distance >> 63 != 0 ? UINT64_MAX : 0));
}

static bool add_rows(SealedFrame *frame, const SealedShape *shape, const tp_log_record *record)
{
    SealedBytes *columns = frame->columns;
    size_t       at = LOG_TICKS_FIXED;
    uint32_t     count = bytes_get_u16(record->payload);
    bool         is_good = sealed_bytes_add(&columns[TP_SEAL_REST], record->payload, LOG_TICKS_FIXED);
    tp_log_row   row = { 0 };
    for (uint32_t i = 0; i < count && is_good; i++) {
        (void)log_row_split(&shape->row, record->payload + at, record->size - at, record->payload[2], &row); // it was checked
        is_good = sealed_bytes_add(&columns[TP_SEAL_SLOTS], row.presence, shape->row.presence_size + shape->row.origins_size) &&
                  sealed_bytes_add(&columns[TP_SEAL_INPUTS], row.inputs, shape->row.inputs_size) &&
                  sealed_bytes_add(&columns[TP_SEAL_COMMANDS], row.commands - 2, 2 + (size_t)row.commands_size) &&
                  sealed_bytes_add(&columns[TP_SEAL_ROOTS], row.root, row.root_size);
        at += row.size + row.root_size;
    }
    return is_good && sealed_row_remember(frame, &shape->row, row.bytes, row.size);
}

static bool add_leaves(SealedFrame *frame, const SealedShape *shape, const tp_log_record *record)
{
    SealedBytes *rest = &frame->columns[TP_SEAL_REST];
    SealedBytes *leaves = &frame->columns[TP_SEAL_LEAVES];
    uint32_t     size = record->size - LOG_LEAVES_FIXED;
    if (!sealed_bytes_reserve(&frame->leaves, TP_LOG_LEAVES_MAX) || !sealed_bytes_add(rest, record->payload, LOG_LEAVES_FIXED) ||
        !sealed_bytes_add(leaves, record->payload + LOG_LEAVES_FIXED, size)) {
        return false;
    }
    sealed_leaves_root(frame, shape, record->tick, record->payload + LOG_LEAVES_FIXED, size, rest->bytes + rest->size - LOG_LEAVES_FIXED);
    sealed_leaves_input(frame, shape, leaves->bytes + leaves->size - size, size);
    frame->leaves_width = frame->leaves_width == 0 || frame->leaves_width == size ? size : SEALED_WIDTH_MAX + 1;
    return true;
}

static bool add_key(SealedFrame *frame, const tp_log_record *record)
{
    frame->has_key = true;
    return sealed_bytes_add(&frame->columns[TP_SEAL_REST], record->payload, LOG_KEY_FIXED) &&
           sealed_bytes_add(&frame->columns[TP_SEAL_STATES], record->payload + LOG_KEY_FIXED, record->size - LOG_KEY_FIXED);
}

bool sealed_frame_add(SealedFrame *frame, const SealedShape *shape, const tp_log_record *record)
{
    if (!add_head(frame, record)) {
        return false;
    }
    frame->expected_tick = sealed_tick_after(record->tick, record->type, record->payload, record->size);
    frame->raw_size += (size_t)record->size + LOG_FRAME_SIZE;
    frame->records++;
    return record->type == TP_LOG_TICKS    ? add_rows(frame, shape, record)
           : record->type == TP_LOG_LEAVES ? add_leaves(frame, shape, record)
           : record->type == TP_LOG_KEY    ? add_key(frame, record)
                                           : sealed_bytes_add(&frame->columns[TP_SEAL_REST], record->payload, record->size);
}
