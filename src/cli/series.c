// series.c: a sorted list and a search by halves.
#include "series.h"

#include <stdlib.h>
#include <string.h>

static int compare_rules(const tp_hash128 *a, const tp_hash128 *b)
{
    return memcmp(a, b, sizeof(*a));
}

static int compare(const void *a, const void *b)
{
    const SeriesItem *left = a;
    const SeriesItem *right = b;
    int               by_rules = compare_rules(&left->rules_id, &right->rules_id);
    if (by_rules != 0) {
        return by_rules;
    }
    if (left->sequence != right->sequence) {
        return left->sequence < right->sequence ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

void series_sort(SeriesItem *items, size_t count)
{
    qsort(items, count, sizeof(*items), compare);
}

const SeriesItem *series_find(const SeriesItem *items, size_t count, const tp_hash128 *rules_id, uint32_t sequence, size_t *found)
{
    const SeriesItem sought = { .rules_id = *rules_id, .sequence = sequence, .index = 0 };
    size_t           low = 0;
    size_t           high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&items[middle], &sought) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *found = 0;
    while (low + *found < count && items[low + *found].sequence == sequence && compare_rules(&items[low + *found].rules_id, rules_id) == 0) {
        (*found)++;
    }
    return *found == 0 ? NULL : &items[low];
}
