// hunt_internal.h: what the parts of a hunt share.
#pragma once

#include "hunt.h"
#include "tickproof/layout.h"

/// A side that did not come to the log's end by itself.
typedef struct HuntTrouble {
    bool     is_there;
    bool     is_stuck;  ///< it was ended for its slowness; else it crashed
    bool     has_tick;
    uint64_t tick;      ///< the one whose step it did not come back from
    char     what[TP_MESSAGE_SIZE]; ///< as it was said
} HuntTrouble;

typedef struct HuntWork {
    const HuntAsk *ask;
    Hunt          *hunt;
    SideAnswer     whole[2];      ///< of the whole log
    bool           owns_whole[2];
    SideAnswer     states[2];     ///< of the bad tick, with the states around it
    HuntTrouble    trouble[2];
    const tp_world *world;        ///< that names the fields; NULL: not here
    tp_layout      layout;        ///< when `world` is there
    tp_trace_comparison comparison;
    // The first differing field.
    bool           has_field;
    tp_difference  field;
    size_t         field_size;    ///< canonical bytes
} HuntWork;

/// Sets verdict and message. False, so that a step can end with it.
bool hunt_say(HuntWork *work, tp_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *hunt_name(const HuntWork *work, unsigned side);

/// Gets both sidecars, as far as they are to be had. False: said so.
bool hunt_gather(HuntWork *work);
/// The world here that the log's rules fit, for names.
void hunt_find_world(HuntWork *work);

/// Asks both sides for the states around the bad tick, until they come to it again, and fills the finding with what differs.
void hunt_explain(HuntWork *work);
/// Describes what differs between two states. False: nothing.
bool hunt_fields(HuntWork *work, const tp_trace_state *a, const tp_trace_state *b);
/// The row of a tick, and when the field was written before it. In a process of its own: the world may do anything.
void hunt_tell_row(HuntWork *work, uint64_t tick);
void hunt_tell_last_write(HuntWork *work, uint64_t tick);
