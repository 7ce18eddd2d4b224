// live_history.h: what a live room was stepped with lately: rows and roots by tick, for who joined a moment ago, watches with a delay, or reports a
// root. The oldest give way to the newest. No tick allocates.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/checksum.h"

typedef struct HistoryTick {
    tp_hash128 root;
    size_t     at;   ///< in the bytes
    uint32_t   size; ///< of the row
} HistoryTick;

/// Zeroed: keeps nothing.
typedef struct History {
    HistoryTick *ticks;      ///< tick t stands at t % capacity
    uint32_t     capacity;
    uint64_t     first, end; ///< ticks that are kept: first to end - 1
    uint8_t     *bytes;      ///< a ring of whole rows: none is cut in two
    size_t       size, next; ///< of the ring; where the next row goes
} History;

/// Room for `ticks` ticks of rows of `row_size` bytes and `spare` bytes more. What is kept stays. False: out of memory, and as it was.
bool history_reserve(History *history, uint32_t ticks, size_t row_size, size_t spare);
void history_finish(History *history);
/// Everything before `tick` is forgotten; it is the next to be added.
void history_begin(History *history, uint64_t tick);
/// The next tick. A row that is larger than all of the bytes is not kept, and neither is what was before it.
void history_add(History *history, uint64_t tick, const uint8_t *row, size_t size, tp_hash128 root);
/// False: not kept.
bool history_get(const History *history, uint64_t tick, const uint8_t **row, size_t *size, tp_hash128 *root);
