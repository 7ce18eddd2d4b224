// planted_worlds.h: a flat and an opaque world that are well as they are, and that the config item `bug` makes break the contract, each in one
// way that real code does. From tick `from` on the bug shows; what it hides builds up earlier. Built into the tests and as libraries.
#pragma once

#include "tickproof/world.h"

enum { PLANTED_FROM = 40 };

typedef enum {
    PLANTED_NONE,
    PLANTED_COUNTER,      // a static counter steers the state
    PLANTED_RANDOM,       // the generator is a static
    PLANTED_FREE_STATIC,  // a static head of a free list
    PLANTED_FREE_DERIVED, // the free list is derived, and rebuilt in another order than it had
    PLANTED_UNBUILT,      // a derived value that the step sets and rebuild does not
    PLANTED_ADDRESS,      // where the state lies steers it
    PLANTED_CLOCK,        // the step reads a clock
    PLANTED_EVENT_ONCE,   // an event is reported the first time that its tick is stepped, and never again
    PLANTED_EVENT_LATE,   // an event waits in a static until the next step
    PLANTED_ORDER,        // iteration by a hash that every process seeds for itself
    PLANTED_GAP,          // something is kept between two sections
    PLANTED_INIT,         // init reads a clock
    PLANTED_FAULT,        // faults on a tick that it has stepped before
    PLANTED_CRASH,        // crashes when its first step is one that shows: in another process only
    PLANTED_HANG,         // the same, and does not return
    PLANTED_STICKY,       // a static that is set for good half way to `from`
    PLANTED_MEMO,         // what the inputs of the last tick come to is kept by its number, and not by the inputs
    PLANTED_MEMO_RING,    // the same of the last 64 ticks
    PLANTED_EXIT,         // ends the process, as if all were well, when its first step is one that shows
    PLANTED_COUNT,
} PlantedBug;

typedef enum {
    PLANTED_OPAQUE_NONE,
    PLANTED_OPAQUE_UNSAVED,   // a value that save leaves out
    PLANTED_OPAQUE_UNWRITTEN, // load takes memory for a value and does not write it
    PLANTED_OPAQUE_STICKY,    // a flag that is set for good half way to `from`, and not saved
    PLANTED_OPAQUE_TIDY,      // save tidies up, and the step depends on how untidy it is
    PLANTED_OPAQUE_COUNT,
} PlantedOpaqueBug;

extern const tp_world planted_flat;
extern const tp_world planted_opaque;
extern const tp_world planted_opaque_hashed; ///< the same with a hash of its own

/// All statics as in a process that has just begun.
void planted_forget(void);
