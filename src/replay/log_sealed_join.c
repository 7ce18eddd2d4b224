// log_sealed_join.c: puts the records of a frame together again. Columns are foreign bytes: nothing is taken that a column does not have,
// and nothing is put where the frame ends.
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_sealed_frame.h"

// Where the next bytes go: never behind `end`.
typedef struct {
    uint8_t *at, *end;
} Target;

static bool move(SealedBytes *column, size_t size, Target *to)
{
    if (size > column->size - column->at || size > (size_t)(to->end - to->at)) {
        return false;
    }
    if (size > 0) {
        memcpy(to->at, column->bytes + column->at, size);
    }
    column->at += size;
    to->at += size;
    return true;
}

static bool take_number(SealedBytes *column, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 64 && column->at < column->size; shift += 7) {
        uint8_t byte = column->bytes[column->at++];
        *number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

static bool join_commands(SealedBytes *column, Target *to)
{
    if (!move(column, 2, to)) {
        return false;
    }
    uint32_t count = bytes_get_u16(to->at - 2);
    for (uint32_t i = 0; i < count; i++) {
        if (!move(column, LOG_COMMAND_HEAD, to) || !move(column, bytes_get_u16(to->at - 2), to)) {
            return false;
        }
    }
    return true;
}

static bool join_rows(SealedFrame *frame, const SealedShape *shape, Target *to)
{
    SealedBytes *columns = frame->columns;
    uint8_t     *payload = to->at;
    uint8_t     *row = NULL;
    size_t       size = 0;
    if (!move(&columns[TP_SEAL_REST], LOG_TICKS_FIXED, to)) {
        return false;
    }
    for (uint32_t i = 0, count = bytes_get_u16(payload); i < count; i++) {
        row = to->at;
        if (!move(&columns[TP_SEAL_SLOTS], shape->row.presence_size + shape->row.origins_size, to) ||
            !move(&columns[TP_SEAL_INPUTS], shape->row.inputs_size, to) || !join_commands(&columns[TP_SEAL_COMMANDS], to)) {
            return false;
        }
        size = (size_t)(to->at - row);
        if (!move(&columns[TP_SEAL_ROOTS], payload[2], to)) {
            return false;
        }
    }
    return row != NULL && sealed_row_remember(frame, &shape->row, row, size);
}

static bool join_leaves(SealedFrame *frame, const SealedShape *shape, uint64_t tick, uint32_t size, Target *to)
{
    uint8_t *payload = to->at;
    if (size < LOG_LEAVES_FIXED || size > TP_LOG_LEAVES_MAX || !sealed_bytes_reserve(&frame->leaves, TP_LOG_LEAVES_MAX) ||
        !move(&frame->columns[TP_SEAL_REST], LOG_LEAVES_FIXED, to) || !move(&frame->columns[TP_SEAL_LEAVES], size - LOG_LEAVES_FIXED, to)) {
        return false;
    }
    sealed_leaves_input(frame, shape, payload + LOG_LEAVES_FIXED, size - LOG_LEAVES_FIXED);
    sealed_leaves_root(frame, shape, tick, payload + LOG_LEAVES_FIXED, size - LOG_LEAVES_FIXED, payload);
    return true;
}

static bool join_payload(SealedFrame *frame, const SealedShape *shape, uint32_t type, uint64_t tick, uint32_t size, Target *to)
{
    SealedBytes *rest = &frame->columns[TP_SEAL_REST];
    if (type == TP_LOG_TICKS) {
        return join_rows(frame, shape, to);
    }
    if (type == TP_LOG_LEAVES) {
        return join_leaves(frame, shape, tick, size, to);
    }
    if (type == TP_LOG_KEY) {
        return size >= LOG_KEY_FIXED && move(rest, LOG_KEY_FIXED, to) && move(&frame->columns[TP_SEAL_STATES], size - LOG_KEY_FIXED, to);
    }
    return move(rest, size, to);
}

static bool join_record(SealedFrame *frame, const SealedShape *shape, const uint8_t *marker, Target *to)
{
    SealedBytes *heads = &frame->columns[TP_SEAL_HEADS];
    uint64_t     size = 0;
    uint64_t     distance = 0;
    if (heads->at == heads->size || heads->bytes[heads->at] >= SEALED_TYPES) {
        return false;
    }
    uint32_t type = sealed_types[heads->bytes[heads->at++]];
    if (!take_number(heads, &size) || !take_number(heads, &distance) || size > SEALED_FRAME_MAX ||
        size + LOG_FRAME_SIZE > (uint64_t)(to->end - to->at)) {
        return false;
    }
    uint64_t tick = sealed_tick_guess(frame->expected_tick, type) + (distance >> 1 ^ ((distance & 1) != 0 ? UINT64_MAX : 0));
    log_format_put_head(to->at, marker, type, (uint32_t)size, tick);
    uint8_t *payload = to->at + TP_LOG_RECORD_HEAD;
    Target   inside = { payload, payload + size };
    if (!join_payload(frame, shape, type, tick, (uint32_t)size, &inside) || inside.at != inside.end) {
        return false;
    }
    bytes_put_u32(payload + size, crc32c(0, payload, (size_t)size));
    frame->expected_tick = sealed_tick_after(tick, type, payload, (uint32_t)size);
    to->at = payload + size + LOG_CRC_SIZE;
    return true;
}

const char *sealed_frame_join(SealedFrame *frame, const SealedShape *shape, const uint8_t marker[LOG_MARKER_SIZE], uint8_t *raw, size_t raw_size)
{
    Target to = { raw, raw + raw_size };
    frame->expected_tick = 0;
    frame->row.size = 0;
    for (uint32_t i = 0; i < frame->records; i++) {
        if (!join_record(frame, shape, marker, &to)) {
            return "its records do not come together from its columns";
        }
    }
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        if (frame->columns[i].at != frame->columns[i].size) {
            return "a column has more than its records take";
        }
    }
    return to.at == to.end ? NULL : "its records are shorter than the table says";
}
