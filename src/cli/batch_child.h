// batch_child.h: the part of a verification that runs in its own process, and the memory it shares with the parent.
#pragma once

#include <stdatomic.h>

#include "batch.h"
#include "files.h"

/// READING is the file's time: a disk may be slow, and a followed log waits. Everything else is the world's: making, stepping, saving, hashing,
/// loading, and a step timeout holds for it.
typedef enum { CHILD_READING = 0, CHILD_STARTING = 1, CHILD_STEPPING = 2, CHILD_KEEPING = 3 } ChildActivity;

/// What a child is for.
typedef enum { CHILD_WHOLE, CHILD_READS, CHILD_SEGMENT } ChildTask;

enum { CHILD_CUTS_MAX = 1023 };

/// Shared memory. The parent only reads it; the report counts once `is_done` is set, or the process is gone.
typedef struct {
    _Atomic uint64_t beat; ///< rises with every change of the others
    _Atomic uint64_t tick; ///< being stepped, or stepped last
    _Atomic uint64_t ticks_done;
    _Atomic int      activity;
    _Atomic int      is_done;
    tp_report        report;
    int              has_proof;
    tp_proof         proof;
    tp_reading       reading;  ///< of child_read
    tp_segment       segment;  ///< of child_segment: its cuts are set before the fork
    _Atomic uint32_t cut_count;
    tp_cut           cuts[CHILD_CUTS_MAX]; ///< of child_read, as they are found: the last member, and not cleared
} ChildCell;

/// Verifies one log and fills the cell. Called in the child; `file` is what was open before the fork.
void child_verify(ChildCell *cell, LogFile *file, const BatchOptions *options, const tp_predecessor *predecessor, const volatile bool *stop);

/// Reads a log without stepping it, and gives cuts at least so far apart.
void child_read(ChildCell *cell, LogFile *file, uint64_t cut_bytes, uint64_t cut_ticks, const volatile bool *stop);
/// Steps the cell's segment.
void child_segment(ChildCell *cell, LogFile *file, const BatchOptions *options, const tp_predecessor *predecessor, const volatile bool *stop);
