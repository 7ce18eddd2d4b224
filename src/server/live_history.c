// live_history.c: a ring of ticks over a ring of bytes.
#include "live_history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static HistoryTick *place_of(const History *history, uint64_t tick)
{
    return &history->ticks[tick % history->capacity];
}

void history_finish(History *history)
{
    free(history->ticks);
    free(history->bytes);
    memset(history, 0, sizeof(*history));
}

void history_begin(History *history, uint64_t tick)
{
    history->first = history->end = tick;
    history->next = 0;
}

static bool is_kept(const History *history, uint64_t tick)
{
    return tick >= history->first && tick < history->end;
}

bool history_get(const History *history, uint64_t tick, const uint8_t **row, size_t *size, tp_hash128 *root)
{
    if (!is_kept(history, tick)) {
        return false;
    }
    const HistoryTick *kept = place_of(history, tick);
    *row = history->bytes + kept->at;
    *size = kept->size;
    *root = kept->root;
    return true;
}

// Where a row of this size can stand: the oldest ticks are dropped until nothing of theirs is in its way.
static bool make_place(History *history, size_t size)
{
    if (size > history->size) {
        return false;
    }
    if (history->next + size > history->size) {
        // Rows from here to the end of the ring are the oldest ones: they go before the ring begins anew.
        while (history->first < history->end && place_of(history, history->first)->at >= history->next) {
            history->first += 1;
        }
        history->next = 0;
    }
    while (history->first < history->end) {
        const HistoryTick *oldest = place_of(history, history->first);
        bool               is_clear = oldest->at >= history->next + size || oldest->at + oldest->size <= history->next;
        if (is_clear && history->end - history->first < history->capacity) {
            break;
        }
        history->first += 1;
    }
    return true;
}

void history_add(History *history, uint64_t tick, const uint8_t *row, size_t size, tp_hash128 root)
{
    if (history->capacity == 0) {
        history->first = history->end = tick + 1;
        return;
    }
    assert(tick == history->end);
    if (!make_place(history, size)) {
        history_begin(history, tick + 1);
        return;
    }
    *place_of(history, tick) = (HistoryTick){ .root = root, .at = history->next, .size = (uint32_t)size };
    memcpy(history->bytes + history->next, row, size);
    history->next += size;
    history->end = tick + 1;
}

bool history_reserve(History *history, uint32_t ticks, size_t row_size, size_t spare)
{
    size_t size = (size_t)ticks * row_size + spare;
    if (history->capacity >= ticks && history->size >= size) {
        return true;
    }
    History larger = { .capacity = ticks > history->capacity ? ticks : history->capacity, .size = size > history->size ? size : history->size };
    larger.ticks = calloc(larger.capacity, sizeof(*larger.ticks));
    larger.bytes = malloc(larger.size > 0 ? larger.size : 1);
    if (larger.ticks == NULL || larger.bytes == NULL) {
        history_finish(&larger);
        return false;
    }
    history_begin(&larger, history->first);
    for (uint64_t tick = history->first; tick < history->end; tick++) {
        const uint8_t *row;
        size_t         row_bytes;
        tp_hash128     root;
        if (history_get(history, tick, &row, &row_bytes, &root)) {
            history_add(&larger, tick, row, row_bytes, root);
        }
    }
    uint64_t end = history->end;
    history_finish(history);
    *history = larger;
    if (history->end != end) {
        history_begin(history, end);
    }
    return true;
}
