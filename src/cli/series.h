// series.h: which files of a list may be of one rotated series: those of the same rules, by their place in the series.
#pragma once

#include <stddef.h>

#include "tickproof/replay.h"

typedef struct {
    tp_hash128 rules_id;
    uint32_t   sequence;
    uint32_t   index; ///< in the list
} SeriesItem;

/// Puts items in order: by rules, then sequence, then index.
void series_sort(SeriesItem *items, size_t count);
/// Of sorted items: the first of those with these rules and this sequence, and how many follow one another. NULL: none.
const SeriesItem *series_find(const SeriesItem *items, size_t count, const tp_hash128 *rules_id, uint32_t sequence, size_t *found);
