// log_sealed_unpack.c: packed bytes to columns. They are foreign, though their hash holds: sizes are held against each other before memory is taken,
// and a column unpacks to exactly its size or not at all.
#include <string.h>

#include <zstd.h>

#include "bytes.h"
#include "log_sealed.h"

typedef struct {
    uint32_t mode, filter, width, raw_size, packed_size;
} Column;

static Column column_at(const uint8_t *head, int index)
{
    const uint8_t *at = head + SEALED_FRAME_FIXED + index * SEALED_COLUMN_HEAD;
    return (Column){ at[0], at[1], bytes_get_u16(at + 2), bytes_get_u32(at + 4), bytes_get_u32(at + 8) };
}

static const char *check_column(const Column *column, int index, bool has_state)
{
    uint32_t by_row = column->filter & (SEALED_XOR_ROWS | SEALED_SUBTRACT_ROWS | SEALED_TRANSPOSED);
    bool     is_after = column->mode == SEALED_ZSTD_AFTER || (column->filter & SEALED_XOR_STATE) != 0;
    if (column->mode > SEALED_ZSTD_AFTER || column->filter != (by_row | (column->filter & SEALED_XOR_STATE))) {
        return "a column is packed in an unknown way";
    }
    if ((column->filter & SEALED_XOR_ROWS) != 0 && (column->filter & SEALED_SUBTRACT_ROWS) != 0) {
        return "a column is packed in two ways that exclude each other";
    }
    if ((by_row != 0) != (column->width != 0)) {
        return "a column's width and way of packing do not fit";
    }
    if (is_after && (index != TP_SEAL_STATES || !has_state)) {
        return "a column needs a state that is not there";
    }
    return column->mode == SEALED_STORED && column->packed_size != column->raw_size ? "a stored column has two sizes" : NULL;
}

// All sizes of a frame, before anything is taken for them.
static const char *check_head(const uint8_t *packed, size_t size, size_t raw_size, bool has_state)
{
    uint64_t raw_sum = 0;
    uint64_t packed_sum = SEALED_FRAME_HEAD;
    if (size < SEALED_FRAME_HEAD) {
        return "it is shorter than its head";
    }
    if (bytes_get_u32(packed) == 0 || (uint64_t)bytes_get_u32(packed) * LOG_FRAME_SIZE > raw_size || bytes_get_u32(packed + 4) != 0) {
        return "its count of records does not fit its size";
    }
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        Column      column = column_at(packed, i);
        const char *wrong = check_column(&column, i, has_state);
        if (wrong != NULL) {
            return wrong;
        }
        raw_sum += column.raw_size;
        packed_sum += column.packed_size;
    }
    return raw_sum > raw_size ? "its columns are larger than its records" : packed_sum != size ? "its columns do not fill it" : NULL;
}

static bool decompress(ZSTD_DCtx *context, const Column *column, const uint8_t *packed, const SealedBytes *state, uint8_t *to)
{
    if (column->mode == SEALED_STORED) {
        memcpy(to, packed, column->raw_size);
        return true;
    }
    if (ZSTD_isError(ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)) ||
        (column->mode == SEALED_ZSTD_AFTER && ZSTD_isError(ZSTD_DCtx_refPrefix(context, state->bytes, state->size)))) {
        return false;
    }
    return ZSTD_decompressDCtx(context, to, column->raw_size, packed, column->packed_size) == column->raw_size;
}

static const char *unpack_column(ZSTD_DCtx *context, const Column *column, const uint8_t *packed, const SealedBytes *state, SealedBytes *to,
                                 SealedBytes *scratch, bool *no_memory)
{
    bool         is_by_row = column->width != 0;
    SealedBytes *target = is_by_row ? scratch : to;
    if (column->raw_size == 0) {
        return column->packed_size == 0 ? NULL : "an empty column takes room";
    }
    if (!sealed_bytes_reserve(to, column->raw_size) || !sealed_bytes_reserve(target, column->raw_size)) {
        *no_memory = true;
        return "out of memory";
    }
    if (!decompress(context, column, packed, state, target->bytes)) {
        return "a column does not unpack to its size";
    }
    for (size_t i = 0; (column->filter & SEALED_XOR_STATE) != 0 && i < column->raw_size && i < state->size; i++) {
        target->bytes[i] ^= state->bytes[i];
    }
    if (is_by_row) {
        sealed_unfilter(column->filter, column->width, scratch->bytes, to->bytes, column->raw_size);
    }
    to->size = column->raw_size;
    return NULL;
}

const char *sealed_unpack(void *context, const uint8_t *packed, size_t size, size_t raw_size, const SealedBytes *state, bool only_state,
                          SealedFrame *frame, SealedBytes *scratch, bool *no_memory)
{
    *no_memory = false;
    sealed_frame_clear(frame);
    const char *wrong = check_head(packed, size, raw_size, state != NULL);
    size_t      at = SEALED_FRAME_HEAD;
    for (int i = 0; i < TP_SEAL_COLUMNS && wrong == NULL; i++) {
        Column column = column_at(packed, i);
        if (!only_state || i == TP_SEAL_STATES) {
            wrong = unpack_column(context, &column, packed + at, state, &frame->columns[i], scratch, no_memory);
        }
        at += column.packed_size;
    }
    frame->records = wrong == NULL ? bytes_get_u32(packed) : 0;
    return wrong;
}
