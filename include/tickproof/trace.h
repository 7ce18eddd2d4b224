// trace.h: the sidecar, `.tpt`: what a run came to on one machine, tick by tick, in hashes. One machine writes it, another one compares,
// and no state is shipped. The bytes are described in replays/TRACE.md. Nothing is printed here and no process is started.
#pragma once

#include "tickproof/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_TRACE_VERSION    = 1,
    TP_TRACE_ROOT_SIZE  = 8,         ///< most bytes of a root that a sidecar keeps
    TP_TRACE_TEXTS_MAX  = 64,        ///< items about the machine
    TP_TRACE_STATES_MAX = 16,        ///< states in one sidecar
    TP_TRACE_TICKS_MAX  = 1 << 25,   ///< ticks in one sidecar: 155 hours at 60 Hz
    TP_TRACE_SIDES_MAX  = 64,        ///< sidecars of one comparison
};

/// What one tick came to. `input` and `event` are the low halves of the leaves that the root is made of, so equal inputs and
/// equal (most often no) events give equal numbers in every tick. Draws are all that tp_rng's generators gave out during the step,
/// in order; a world with a generator of its own has none.
typedef struct tp_trace_row {
    uint8_t  root[TP_TRACE_ROOT_SIZE];
    uint32_t input, event;
    uint32_t draws;       ///< how many, at most 2^32 - 1
    uint32_t draw_digest; ///< 0 without draws
} tp_trace_row;

/// One item about the machine or the run: "arch" "s390x", "compiler" "gcc 12.2.0 -O2", "build", "numerics", "perturb", "host".
typedef struct tp_trace_text {
    char key[32];
    char value[224];
} tp_trace_text;

/// The leaves behind a root: those of the state, then input leaf and event leaf.
typedef struct tp_trace_leaves {
    uint64_t        steps; ///< done; the tick before is the one that they are of
    uint32_t        count;
    const uint64_t *leaves;
} tp_trace_leaves;

/// A canonical state (an opaque world's saved bytes).
typedef struct tp_trace_state {
    uint64_t       steps; ///< done
    size_t         size;
    const uint8_t *bytes;
} tp_trace_state;

typedef enum tp_trace_end {
    TP_TRACE_END_LOG     = 1, ///< the log's own end was reached
    TP_TRACE_END_FAULT   = 2, ///< the step of the tick after the last row faulted
    TP_TRACE_END_LIMIT   = 3, ///< the tick that was asked for
    TP_TRACE_END_STOPPED = 4, ///< interrupted
    TP_TRACE_END_REFUSED = 5, ///< the world does not take the log's next row, or a keyframe after a gap
    TP_TRACE_END_BROKEN  = 6, ///< the log is torn or damaged there
} tp_trace_end;

/// A sidecar in memory. Everything is owned by it.
typedef struct tp_trace {
    bool           is_recorded; ///< made of a log's own claims, nothing was stepped: no leaves between, no draws, no states
    bool           has_end;     ///< false: the file was cut off
    tp_trace_end   end;
    char           end_text[160];   ///< of FAULT, REFUSED and BROKEN: which
    uint8_t        fault_root[TP_TRACE_ROOT_SIZE]; ///< of FAULT
    tp_ident       ident;       ///< of the log; without provenance
    uint8_t        chain[TP_LOG_CHAIN_SIZE]; ///< over the records that were read up to the last row: equal for equal logs, however long
    bool           has_chain;
    uint32_t       text_count;
    tp_trace_text  texts[TP_TRACE_TEXTS_MAX];
    uint32_t       root_size;   ///< bytes of each root that mean something: 8; 0 when a log carries none
    uint64_t       first_tick;
    uint64_t       count;       ///< rows; row i is tick first_tick + i
    tp_trace_row  *rows;
    uint64_t       gap_count;   ///< ticks that a log left out: their rows are zero
    uint64_t      *gaps;        ///< pairs: first tick, ticks
    uint32_t       leaves_count;
    tp_trace_leaves *leaves;    ///< by `steps`
    uint32_t       state_count;
    tp_trace_state states[TP_TRACE_STATES_MAX];
    void          *memory;      ///< what the pointers above point into, beside rows
} tp_trace;

typedef struct tp_trace_options {
    const tp_world *(*find_world)(void *to, const char *name, uint32_t revision);
    void *find_to;
    uint64_t to;           ///< last tick to step; UINT64_MAX: to the end
    uint32_t leaves_ticks; ///< leaves at multiples of this many steps, and at `to`; 0: none; 64
    const uint64_t *states; ///< steps done at which the state is kept, ascending
    uint32_t state_count;
    uint32_t text_count;
    const tp_trace_text *texts;
    const tp_sim_options *sim; ///< NULL: standard; the algorithm is the log's
    const volatile bool *stop; ///< may be NULL
    void (*progress)(void *to, uint64_t ticks, uint64_t offset); ///< every 1,024 ticks; may be NULL
    void  *progress_to;
    /// Called before a row is stepped (finished false) and after it, before anything is hashed (true). May be NULL. For what must not change a
    /// result: an observer, a snapshot that is restored, a state that is encoded and decoded again. It may do all of this with the sim.
    void (*each_tick)(void *to, tp_sim *sim, uint64_t tick, bool is_finished);
    void  *each_to;
} tp_trace_options;

/// To the end, leaves every 64 ticks.
void tp_trace_options_standard(tp_trace_options *options);

/// Steps the log on this machine and writes the sidecar to `sink`. What the log claims is not looked at: an answer is this
/// machine's own. VERIFIED: the whole log was stepped, a fault included; else what stopped it, and the sidecar up to there is good:
/// INCOMPATIBLE (nothing was written), CORRUPT, TRUNCATED, INCOMPLETE, or INTERNAL (memory; the sink refused). `message` says which.
tp_verdict tp_trace_log(const tp_source *log, const tp_trace_options *options, const tp_sink *sink, char message[TP_MESSAGE_SIZE]);

/// A sidecar of what a log claims, without stepping: `is_recorded`. NULL with the reason.
tp_trace *tp_trace_of_log(const tp_source *log, tp_error *error);

/// Reads a sidecar; every byte of it is foreign. NULL with the reason; `*verdict` (may be NULL) is then CORRUPT, INCOMPATIBLE (another
/// version) or INTERNAL. A file that was cut off gives what is whole in it, with has_end false.
tp_trace *tp_trace_read(const uint8_t *bytes, size_t size, tp_verdict *verdict, tp_error *error);
void      tp_trace_destroy(tp_trace *trace);
/// The value of a text, or NULL.
const char *tp_trace_text_of(const tp_trace *trace, const char *key);
const tp_trace_state  *tp_trace_state_at(const tp_trace *trace, uint64_t steps);
const tp_trace_leaves *tp_trace_leaves_at(const tp_trace *trace, uint64_t steps);

// Comparing.

/// One of the sidecars of a comparison.
typedef struct tp_trace_side {
    bool     has_left;   ///< it is not with the others to the end
    uint64_t bad_tick;   ///< first tick on which it was not with its group any more
    uint32_t group;      ///< at the comparison's bad_tick: 0 is the largest group (of equally large ones, the first side's); UINT32_MAX: it does not have that tick
    uint64_t compared;   ///< ticks of it that were held against another side's
} tp_trace_side;

typedef struct tp_trace_comparison {
    tp_verdict verdict; ///< VERIFIED: all agree on every tick of the log; DIVERGED; INCOMPLETE: agree as far as all go; INCOMPATIBLE: other logs or rules
    char       message[TP_MESSAGE_SIZE]; ///< one line
    uint32_t   side_count;
    tp_trace_side sides[TP_TRACE_SIDES_MAX];
    uint64_t   first_tick;
    uint64_t   compared;  ///< ticks that every side has
    // DIVERGED.
    uint64_t   bad_tick;
    bool       is_fault;  ///< at bad_tick some side faults and another does not, or with another root
    uint32_t   group_count;
    bool       has_majority; ///< more than half of the sides are in group 0
    tp_known   inputs_equal, events_equal, draws_equal; ///< at bad_tick, over all sides that know
    char       section[TP_NAME_SIZE_MAX + 1]; ///< first that differs at `section_steps`, "input" and "events" included; empty when unknown
    uint64_t   section_steps;
} tp_trace_comparison;

/// Compares 2 to TP_TRACE_SIDES_MAX sidecars of one log. `layout` (may be NULL) names the sections of leaves; without it a leaf is named by its
/// number. Rules must be equal; of two whole logs the chain must be, too, unless `other_logs`: two peers' logs of one match.
void tp_trace_compare(const tp_trace *const *traces, uint32_t count, const tp_layout *layout, bool other_logs, tp_trace_comparison *comparison);

#ifdef __cplusplus
}
#endif
