// batch_split.c: see batch_split.h.
#include "batch_split.h"

#include <stdlib.h>
#include <string.h>

Split *split_create(size_t job, const tp_predecessor *predecessor)
{
    Split *split = calloc(1, sizeof(*split));
    if (split == NULL) {
        return NULL;
    }
    // Pages that no segment needs are never touched.
    split->segments = calloc(CHILD_CUTS_MAX + 1, sizeof(*split->segments));
    if (split->segments == NULL) {
        free(split);
        return NULL;
    }
    split->job = job;
    split->count = 1;
    if (predecessor != NULL) {
        split->has_predecessor = true;
        split->predecessor = *predecessor;
    }
    return split;
}

void split_destroy(Split *split)
{
    if (split != NULL) {
        free(split->segments);
        free(split);
    }
}

void split_take_cuts(Split *split, const ChildCell *cell)
{
    uint32_t count = atomic_load_explicit(&cell->cut_count, memory_order_acquire);
    for (; count <= CHILD_CUTS_MAX && split->count <= count; split->count++) {
        tp_cut cut = cell->cuts[split->count - 1];
        split->segments[split->count - 1].last = cut;
        split->segments[split->count].first = cut;
    }
}

void split_take_reading(Split *split, const ChildCell *cell)
{
    split->running--;
    split->is_read = true;
    split_take_cuts(split, cell);
    if (atomic_load(&cell->is_done) != 0) {
        split->reading = cell->reading;
    }
    split->is_broken = split->is_broken || !split->reading.is_whole;
}

void split_take_segment(Split *split, uint32_t segment, const ChildCell *cell)
{
    split->running--;
    if (atomic_load(&cell->is_done) != 0) {
        split->segments[segment] = cell->segment;
        split->stepped += cell->segment.report.stepped;
    }
    split->is_broken = split->is_broken || !split->segments[segment].is_done;
}

bool split_has_ready(const Split *split)
{
    return !split->is_broken && split->started + (split->is_read ? 0 : 1) < split->count;
}

bool split_is_over(const Split *split, bool is_stopping)
{
    return split->running == 0 && (is_stopping || split->is_broken || (split->is_read && split->started == split->count));
}

bool split_conclude(Split *split, const BatchOptions *options, bool is_stopping, tp_report *report)
{
    tp_verify_options verify;
    tp_verify_options_standard(&verify);
    verify.trusted_key = options->trusted_key;
    bool is_finished = !split->is_broken && split->is_read && split->started == split->count;
    if (!is_finished && !is_stopping) {
        return false;
    }
    for (uint32_t i = 0; !is_finished && i < split->count; i++) {
        split->segments[i].is_stopped = !split->segments[i].is_done;
        split->reading.is_stopped = true;
    }
    return tp_verify_merge(&verify, &split->reading, split->segments, split->count, report);
}
