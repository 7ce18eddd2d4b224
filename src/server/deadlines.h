// deadlines.h: which real-time room of a thread is due first. A binary heap, so that a thread with a thousand rooms does
// not look at all of them at every wake-up.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct Deadline {
    int64_t  due_ns;
    uint32_t room; ///< breaks ties, so the order is total
} Deadline;

typedef struct Deadlines {
    Deadline *items; ///< `capacity` of them, items[0] is due first
    uint32_t  count;
    uint32_t  capacity;
} Deadlines;

/// False when out of memory. Holds one deadline per room; capacity 0 is fine.
bool deadlines_init(Deadlines *deadlines, uint32_t capacity);
void deadlines_finish(Deadlines *deadlines);
/// Must not be full.
void deadlines_push(Deadlines *deadlines, Deadline deadline);
/// Another time for a room that is in it; false when it is not. Looks through all of them, the earliest one first; likewise remove.
bool deadlines_move(Deadlines *deadlines, uint32_t room, int64_t due_ns);
bool deadlines_remove(Deadlines *deadlines, uint32_t room);
