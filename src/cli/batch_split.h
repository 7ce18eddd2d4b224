// batch_split.h: one log that several processes verify: which segments there are, what has become of them, and when they are the answer. Knows
// nothing of processes.
#pragma once

#include "batch_child.h"

typedef struct {
    size_t         job;
    bool           has_predecessor;
    tp_predecessor predecessor;
    tp_segment    *segments;
    uint32_t       count, started, running; ///< `running` counts the reading, too
    bool           is_read;    ///< the reading has ended: all segments are known
    bool           is_broken;  ///< something is not clean, or a process died: one piece decides
    tp_reading     reading;
    uint64_t       stepped;    ///< by segments that have ended
} Split;

/// NULL: out of memory.
Split *split_create(size_t job, const tp_predecessor *predecessor);
void   split_destroy(Split *split);

/// Takes what the reading has found so far.
void split_take_cuts(Split *split, const ChildCell *cell);
/// The reading's process has ended, with or without a result.
void split_take_reading(Split *split, const ChildCell *cell);
/// A segment's process has ended, with or without a result.
void split_take_segment(Split *split, uint32_t segment, const ChildCell *cell);
/// True when a segment can be started: its end is known.
bool split_has_ready(const Split *split);
/// Nothing runs and nothing more will.
bool split_is_over(const Split *split, bool is_stopping);
/// Once it is over. False: one piece decides. While everything stops, what was not finished is incomplete.
bool split_conclude(Split *split, const BatchOptions *options, bool is_stopping, tp_report *report);
