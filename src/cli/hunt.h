// hunt.h: where two ways to run one log come apart: the first bad tick, then section, field and both values, what the tick was made
// from, and who wrote there last. Every question is asked of the sides in processes of their own; this process only compares what they say.
#pragma once

#include "finding.h"
#include "side.h"
#include "worlds.h"

enum {
    HUNT_FIELDS_MAX = 1024, ///< differing fields that are kept; all are counted
    HUNT_RUNS_MAX   = 4,    ///< times that the states are asked for, of sides that do not repeat themselves
};

/// One field that differs after the bad tick.
typedef struct HuntField {
    char place[128]; ///< "players[1].lane", "byte 112"
    char values[2][64];
} HuntField;

/// What is looked for. Everything is borrowed.
typedef struct HuntAsk {
    const uint8_t *log;
    size_t         log_size;
    const char    *log_name;   ///< the finding's subject
    const Side    *sides[2];
    WorldSet      *worlds;     ///< where the log's world is looked for: names of fields and the last writer need it; may be NULL
    const char    *source_dir; ///< where the field's line is looked for; may be NULL
    uint32_t       fields_max; ///< how many differing fields to keep beside the first
    SideAnswer    *answers;    ///< two, both of the whole log: then these are compared instead of asking anew. NULL: both are asked
} HuntAsk;

/// What is known of the tick beside the finding.
typedef struct Hunt {
    Finding    finding;
    tp_known   inputs_equal, events_equal, states_equal_before, states_equal_after;
    tp_known   draws_equal;
    uint32_t   draws[2];         ///< generator calls of each side in that tick
    bool       has_draw_tick;    ///< the sides drew otherwise from this tick on, which may be before the states differ
    uint64_t   draw_tick;
    bool       is_fault;         ///< at this tick one side faults and the other does not, or otherwise
    bool       is_unrepeatable[2]; ///< the side came to other bits when it was asked again
    uint64_t   compared;         ///< ticks that both have and that are equal
    tp_known   written_before;   ///< whether some tick before this one changed the field; which one is in the finding
    uint32_t   field_count;      ///< kept
    HuntField *fields;           ///< owned
    const tp_trace *traces[2];   ///< of the whole log, as far as each side got; NULL: none. Valid until the finish
    struct HuntWork *work;       ///< owned
} Hunt;

/// Runs the sides, compares, and fills `hunt`, whose `finding` says it all: VERIFIED when they agree, DIVERGED (a fault or crash of one side
/// alone included), else why it could not be found out. True when it could, whatever was found. Finish `hunt` in any case.
bool hunt_run(const HuntAsk *ask, Hunt *hunt);
void hunt_finish(Hunt *hunt);

/// The same for who wants no more than the finding. `answers` may be NULL, and stay the caller's.
bool hunt_locate(const uint8_t *log, size_t size, const Side *a, const Side *b, WorldSet *worlds, const char *source_dir, SideAnswer answers[2],
                 Finding *finding);
