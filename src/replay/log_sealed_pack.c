// log_sealed_pack.c: columns to packed bytes and back. Packing tries what could help and keeps the smallest; a column that does not shrink is stored.
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "bytes.h"
#include "log_sealed.h"

enum { WINDOW_LOG_MIN = 10, WINDOW_LOG_MAX = 27 };

typedef struct {
    SealedMode mode;
    uint32_t   filter;
} Way;

// The first way that nothing beats is taken, so the cheap ones stand in front.
static const Way ways_plain[] = { { SEALED_ZSTD, 0 } };
static const Way ways_slots[] = { { SEALED_ZSTD, SEALED_TRANSPOSED }, { SEALED_ZSTD, SEALED_TRANSPOSED | SEALED_XOR_ROWS }, { SEALED_ZSTD, 0 } };
static const Way ways_inputs[] = {
    { SEALED_ZSTD, 0 }, { SEALED_ZSTD, SEALED_TRANSPOSED }, { SEALED_ZSTD, SEALED_TRANSPOSED | SEALED_XOR_ROWS },
    { SEALED_ZSTD, SEALED_TRANSPOSED | SEALED_SUBTRACT_ROWS }, { SEALED_ZSTD, SEALED_XOR_ROWS }, { SEALED_ZSTD, SEALED_SUBTRACT_ROWS },
};
static const Way ways_leaves[] = { { SEALED_ZSTD, 0 }, { SEALED_ZSTD, SEALED_TRANSPOSED }, { SEALED_ZSTD, SEALED_TRANSPOSED | SEALED_XOR_ROWS }, { SEALED_ZSTD, SEALED_XOR_ROWS } };
static const Way ways_states[] = { { SEALED_ZSTD, 0 }, { SEALED_ZSTD_AFTER, 0 }, { SEALED_ZSTD, SEALED_XOR_STATE } };

#define WAYS(list) { list, sizeof(list) / sizeof((list)[0]) }
static const struct {
    const Way *ways;
    size_t     count;
} ways_of[TP_SEAL_COLUMNS] = {
    [TP_SEAL_HEADS] = WAYS(ways_plain), [TP_SEAL_SLOTS] = WAYS(ways_slots),   [TP_SEAL_INPUTS] = WAYS(ways_inputs), [TP_SEAL_COMMANDS] = WAYS(ways_plain),
    [TP_SEAL_ROOTS] = WAYS(ways_plain), [TP_SEAL_LEAVES] = WAYS(ways_leaves), [TP_SEAL_STATES] = WAYS(ways_states), [TP_SEAL_REST] = WAYS(ways_plain),
};

static bool needs_state(Way way)
{
    return way.mode == SEALED_ZSTD_AFTER || (way.filter & SEALED_XOR_STATE) != 0;
}

static void xor_state(uint8_t *bytes, size_t size, const SealedBytes *state)
{
    size_t both = size < state->size ? size : state->size;
    for (size_t i = 0; i < both; i++) {
        bytes[i] ^= state->bytes[i];
    }
}

void sealed_packer_free(SealedPacker *packer)
{
    ZSTD_freeCCtx(packer->context);
    free(packer->filtered.bytes);
    free(packer->trial.bytes);
    free(packer->best.bytes);
    free(packer->out.bytes);
    free(packer->state.bytes);
    *packer = (SealedPacker){ .level = packer->level };
}

// Both the state before and this one have to be in the window, or the first could not be looked into.
static int window_log(size_t size)
{
    int log = WINDOW_LOG_MIN;
    while (log < WINDOW_LOG_MAX && ((size_t)1 << log) < size) {
        log++;
    }
    return log;
}

// The filtered bytes to `trial`.
static bool compress(SealedPacker *packer, SealedMode mode)
{
    ZSTD_CCtx *context = packer->context;
    size_t     size = packer->filtered.size;
    if (!sealed_bytes_reserve(&packer->trial, ZSTD_compressBound(size)) || ZSTD_isError(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, packer->level))) {
        return false;
    }
    if (mode == SEALED_ZSTD_AFTER && (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log(packer->state.size + size))) ||
                                      ZSTD_isError(ZSTD_CCtx_refPrefix(context, packer->state.bytes, packer->state.size)))) {
        return false;
    }
    packer->trial.size = ZSTD_compress2(context, packer->trial.bytes, packer->trial.capacity, packer->filtered.bytes, size);
    return !ZSTD_isError(packer->trial.size);
}

static bool try_way(SealedPacker *packer, Way way, const SealedBytes *column, size_t width)
{
    if (!sealed_bytes_reserve(&packer->filtered, column->size)) {
        return false;
    }
    sealed_filter(way.filter, width, column->bytes, packer->filtered.bytes, column->size);
    packer->filtered.size = column->size;
    if ((way.filter & SEALED_XOR_STATE) != 0) {
        xor_state(packer->filtered.bytes, column->size, &packer->state);
    }
    return compress(packer, way.mode);
}

static void keep_trial(SealedPacker *packer)
{
    SealedBytes old = packer->best;
    packer->best = packer->trial;
    packer->trial = old;
}

// The best form into `best`; a column that no way makes smaller is stored.
static bool pack_column(SealedPacker *packer, int index, const SealedBytes *column, size_t width, Way *chosen)
{
    *chosen = (Way){ SEALED_STORED, 0 };
    packer->best.size = 0;
    if (!sealed_bytes_add(&packer->best, column->bytes, column->size)) {
        return false;
    }
    for (size_t i = 0; i < ways_of[index].count && column->size > 0; i++) {
        Way way = ways_of[index].ways[i];
        bool has_room = packer->has_state && packer->state.size > 0 && packer->depth < SEALED_DEPTH_MAX;
        if ((needs_state(way) && !has_room) || (width == 0 && i > 0 && index != TP_SEAL_STATES)) {
            continue;
        }
        if (!try_way(packer, way, column, width)) {
            return false;
        }
        if (packer->trial.size < packer->best.size) {
            keep_trial(packer);
            *chosen = way;
        }
    }
    return true;
}

static size_t width_of(const SealedShape *shape, const SealedFrame *frame, int index)
{
    size_t width = index == TP_SEAL_SLOTS    ? shape->row.presence_size + shape->row.origins_size
                   : index == TP_SEAL_INPUTS ? shape->row.inputs_size
                   : index == TP_SEAL_LEAVES ? frame->leaves_width
                                             : 0;
    return width > SEALED_WIDTH_MAX ? 0 : width;
}

static bool remember_state(SealedPacker *packer, const SealedFrame *frame, bool is_after)
{
    packer->depth = is_after ? packer->depth + 1 : 0;
    packer->has_state = frame->has_key;
    packer->state.size = 0;
    return sealed_bytes_add(&packer->state, frame->columns[TP_SEAL_STATES].bytes, frame->columns[TP_SEAL_STATES].size);
}

bool sealed_pack(SealedPacker *packer, const SealedShape *shape, const SealedFrame *frame, tp_seal_counts *counts)
{
    uint8_t head[SEALED_FRAME_HEAD] = { 0 };
    bool    is_after = false;
    if (packer->context == NULL && (packer->context = ZSTD_createCCtx()) == NULL) {
        return false;
    }
    packer->out.size = 0;
    if (!sealed_bytes_add(&packer->out, head, sizeof(head))) {
        return false;
    }
    bytes_put_u32(head, frame->records);
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        const SealedBytes *column = &frame->columns[i];
        uint8_t           *at = head + SEALED_FRAME_FIXED + i * SEALED_COLUMN_HEAD;
        size_t             width = width_of(shape, frame, i);
        Way                way;
        if (!pack_column(packer, i, column, width, &way) || !sealed_bytes_add(&packer->out, packer->best.bytes, packer->best.size)) {
            return false;
        }
        is_after = is_after || needs_state(way);
        at[0] = (uint8_t)way.mode;
        at[1] = (uint8_t)way.filter;
        bytes_put_u16(at + 2, (uint16_t)((way.filter & ~SEALED_XOR_STATE) == 0 ? 0 : width));
        bytes_put_u32(at + 4, (uint32_t)column->size);
        bytes_put_u32(at + 8, (uint32_t)packer->best.size);
        counts->raw[i] += column->size;
        counts->packed[i] += packer->best.size;
    }
    memcpy(packer->out.bytes, head, sizeof(head));
    return remember_state(packer, frame, is_after);
}
