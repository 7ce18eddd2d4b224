// synctest_internal.h: what a SyncTest keeps of the straight run, and of each strength at each distance.
#pragma once

#include "bytes.h"
#include "tickproof/synctest.h"

/// Sizes that hold for every state of one world and setup.
typedef struct {
    const tp_layout *layout;
    size_t           state_max; // canonical bytes, at most
    size_t           rest_size; // bytes of the block that are in no canonical encoding: derived sections, and gaps between sections
    size_t           event_max;
} SyncShape;

/// What two runs are held against each other by, tick for tick, without their bytes.
typedef struct {
    uint8_t  root[16]; // of the last tick; of the tick that faulted, when one did
    uint64_t state_hash; // of the canonical bytes themselves: an opaque world may have a root by its own hash
    uint64_t rest_hash;
    uint32_t fault_code; // 0: none
} SyncMark;

/// A state and the tick that led to it.
typedef struct {
    uint64_t tick; // steps done: after a fault those before it
    uint64_t input_leaf, event_leaf;
    SyncMark mark;
    bool     has_events; // not of a state that was restored
    size_t   state_size, event_size;
    uint8_t *state, *rest;
    uint8_t *events; // as the event leaf is hashed over them: count, dropped, then type, size and bytes of each
} SyncImage;

SyncShape sync_shape_of(const tp_sim *sim);
bool      sync_image_init(SyncImage *image, const SyncShape *shape);
void      sync_image_finish(SyncImage *image);
/// False: the world could not save its state, or not hash it.
bool      sync_image_take(SyncImage *image, const SyncShape *shape, tp_sim *sim);
bool      sync_mark_equal(const SyncMark *a, const SyncMark *b);

/// True when equal. Else fills difference, roots, section, field, values and count of the finding.
bool sync_image_compare(const SyncShape *shape, const SyncImage *expected, const SyncImage *actual, tp_synctest_finding *finding);
/// Words a finding whose parts are all there. `result` is NULL for one of no strength.
void sync_finding_text(const tp_synctest_case *result, tp_synctest_finding *finding);

/// Overwrites the sim's memory, then decodes. False with the world's reason.
bool sync_restore(tp_sim *sim, const SyncShape *shape, const uint8_t *state, size_t size, uint64_t tick, uint64_t input_leaf,
                  uint64_t event_leaf, tp_error *error);

typedef struct {
    uint8_t *bytes;
    size_t   size, capacity;
} SyncBuffer;

/// Room for `capacity` bytes; what was in it may be gone. False: out of memory.
bool sync_buffer_reserve(SyncBuffer *buffer, size_t capacity);

/// One strength at one distance.
typedef struct {
    tp_synctest_case *result;
    tp_sim           *sim;         // COPY and BYTES: the world that lives on
    uint64_t          restored_at; // where it was put back to last
    uint32_t         *counts;      // comparisons of `distance` ticks from `unsettled` on, by tick modulo distance
    uint64_t          unsettled;   // first tick whose count may still rise
    bool              is_over;
} SyncCase;

struct tp_synctest {
    tp_synctest_options options;
    tp_sim             *straight;
    SyncShape           shape;
    uint32_t            window;  // ticks that can be gone back: two more than the largest distance, for what is guessed
    SyncImage          *images;  // window + 1, by position modulo: the state with so many steps done (one more behind a fault)
    SyncBuffer         *rows;    // window, by tick modulo
    uint64_t            start;   // first tick of this piece
    uint64_t            next;    // tick that comes next
    uint64_t            far_next;  // state that the process strength restores next
    bool                is_ended;  // by a fault
    bool                is_failed; // the straight run itself; the report says how
    SyncImage           scratch;
    SyncBuffer          request;
    SyncBuffer          guess;   // a row without commands
    tp_sim             *unsaved; // an opaque world that is only stepped; NULL: none, or that is over
    uint8_t            *neutral; // canonical bytes of the input of somebody who does nothing
    uint8_t            *changed; // bits of the canonical state that were ever another than a tick before
    SyncCase           *cases;
    tp_synctest_case   *results;
    tp_synctest_report  report;
};

static inline SyncImage *sync_image_at(tp_synctest *test, uint64_t position)
{
    return &test->images[position % (test->window + 1)];
}

static inline SyncBuffer *sync_row_at(tp_synctest *test, uint64_t tick)
{
    return &test->rows[tick % test->window];
}

/// Puts the case at the start of a piece. False: out of memory; a world that comes to another state is a finding.
bool sync_case_start(tp_synctest *test, SyncCase *one);
/// COPY and BYTES: goes back from the tick that the straight run has just done.
void sync_case_tick(tp_synctest *test, SyncCase *one, uint64_t tick);
/// COPY and BYTES: no more ticks come in this piece: settles all counts.
void sync_case_end(tp_synctest *test, SyncCase *one);
/// The count of `unsettled`, which should be `due`, will not rise any more.
void sync_case_settle(SyncCase *one, uint64_t due);
/// The finding is complete but for its text: ends the case with it.
void sync_case_diverge(SyncCase *one);
void sync_case_fail(SyncCase *one, tp_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// The world refuses a state or a row that was its own: ends the case with that.
void sync_case_refuse(SyncCase *one, uint64_t tick, bool is_restored_state, const char *why);
/// Whether a tick that was stepped again is to be compared; counts it then.
bool sync_case_counts(tp_synctest *test, SyncCase *one, uint64_t tick);

/// Writes a row into `guess` that is legal and another than that of `tick`: the row before, predicted, else nobody doing anything, else
/// everybody doing something. False: there is no other (nobody can play), and `guess` does what the tick does.
bool sync_guess_make(tp_synctest *test, uint64_t tick);

/// Whether the caller wants no more of it.
static inline bool sync_is_stopped(const tp_synctest *test)
{
    return test->options.stop != NULL && *test->options.stop;
}

/// Ends the case as one that was interrupted at this tick.
void sync_case_interrupt(SyncCase *one, uint64_t tick);

/// A world with a memory of its own that is stepped beside the straight run and never saved. False: out of memory.
bool sync_unsaved_start(tp_synctest *test);
void sync_unsaved_tick(tp_synctest *test, uint64_t tick);
/// No more ticks come in this piece: saves it once.
void sync_unsaved_end(tp_synctest *test);

/// PROCESS, all distances at once: goes on from every state that has the largest distance of ticks behind it, or from all when `is_end`.
void sync_process_run(tp_synctest *test, bool is_end);
