// synctest.h: proves that a world which goes back to an earlier state and steps the same ticks again comes to the same bits, as every
// rollback, late join and replay needs it to. The host steps one run straight on, and shows each finished tick; the test goes back
// and compares. Nothing is printed, no file is read and no process is started here.
//
// In the strengths inside this process, for every tick T of the run and every distance D, the state before tick T - D + 1 is restored (that
// before the first tick where the run is too young), and the D ticks up to T are stepped again. So the last tick is compared once, and one
// with D - 1 ticks behind it D times. The tested world also lives a life of its own at each distance: it steps a tick, goes back, steps again
// and goes on from there, for the whole run, as a client with rollback would. What it keeps beside its state is never put right.
//
// In the process strength every state of the run is restored once, in a process that has stepped nothing, and the ticks after it are stepped
// up to the largest distance; distance D is the first D of them, since starting again would do the very same. So the first tick is compared
// once, and one with D - 1 ticks before it D times.
//
// Two more things are done that nothing of a true run would do, since a client that rolls back does them:
//   guesses   In copy and bytes, after the ticks up to T were stepped again, the world goes back one tick further than the distance and steps all
//             ticks up to T with other inputs: those of the tick before as the world predicts them, where these were right those of people who do
//             nothing, else of people who all press something; never with commands. Then the state before T comes back and T is stepped
//             with its true row, and compared. In process a further process steps each state's first tick with such inputs, goes back and
//             steps the true row. What the guess itself comes to, a fault included, is compared with nothing.
//   unsaved   Of an opaque world one more is only stepped. Its root is held against the straight run's, which is saved after every tick: each tick
//             when the world has its own `hash`, else at the end only, since a root would need a save. At the end its saved state is, too.
//
// Either way N ticks make N * D - D * (D - 1) / 2 comparisons (N * (N + 1) / 2 when N is below D), each of root, fault, input leaf, events
// byte by byte, the canonical state, and what of the block lies outside of it (derived sections, as rebuilt or as kept). The test counts
// them, tick by tick, and a run in which one went uncompared is INCOMPLETE, whatever else came out.
#pragma once

#include "tickproof/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a state comes back. What each cannot see stands in src/verify/README.md.
typedef enum tp_strength {
    TP_STRENGTH_COPY    = 0, ///< the host's snapshot: the block as it was, derived sections included
    TP_STRENGTH_BYTES   = 1, ///< canonical bytes, decoded by a world made anew whose memory held something else: ranges, validate, rebuild
    TP_STRENGTH_PROCESS = 2, ///< the same bytes, in a process that has stepped nothing so far
} tp_strength;
enum { TP_STRENGTH_COUNT = 3, TP_SYNCTEST_DISTANCE_MAX = 1000 };
#define TP_SYNCTEST_MEMORY_MAX (UINT64_C(2) << 30) ///< bytes that a test may need

/// "copy", "bytes", "process"; NULL past the last.
const char *tp_strength_name(uint32_t strength);

/// Carries one request to a process that calls tp_synctest_serve with it, and its answer back. One request at a time, from tp_synctest_tick,
/// _jump and _finish. The strength is worth as much as that process is fresh: it must not have stepped anything before. `*answer` stays the
/// carrier's and is valid until the next call. False with the reason: the strength ends as INTERNAL.
typedef bool (*tp_synctest_carrier)(void *to, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size,
                                    tp_error *error);

typedef struct tp_synctest_options {
    uint32_t strengths;                  ///< bit 1 << strength
    uint32_t distance_first, distance_last; ///< 1 to TP_SYNCTEST_DISTANCE_MAX
    tp_synctest_carrier carry;           ///< needed for TP_STRENGTH_PROCESS
    void               *carry_to;
    const volatile bool *stop; ///< true: what is not compared yet is left, and INCOMPLETE. May be NULL
    /// True leaves a comparison out: for planting a fault in the test itself, which its counts must then show. May be NULL.
    bool (*skips)(void *to, tp_strength strength, uint32_t distance, uint64_t tick);
    void  *skips_to;
} tp_synctest_options;

/// Copy and bytes, distances 1 to 8.
void tp_synctest_options_standard(tp_synctest_options *options);

/// What came out differently.
typedef enum tp_synctest_difference {
    TP_SYNCTEST_EQUAL   = 0,
    TP_SYNCTEST_FAULT   = 1, ///< one run faulted and the other did not, or for another reason
    TP_SYNCTEST_INPUT   = 2, ///< the input leaf
    TP_SYNCTEST_STATE   = 3, ///< a field of the canonical state, or a byte of an opaque one
    TP_SYNCTEST_EVENT   = 4, ///< the events of the tick, while the state is equal
    TP_SYNCTEST_DERIVED = 5, ///< a derived section, while the canonical state is equal
    TP_SYNCTEST_GAP     = 6, ///< bytes of the block between its sections, which no world may write
    TP_SYNCTEST_ROOT    = 7, ///< the root alone: the hash of an opaque world
    TP_SYNCTEST_REFUSED = 8, ///< the world does not take its own state back, or not the row that it took before
} tp_synctest_difference;

/// "state", "events", ...
const char *tp_synctest_difference_name(tp_synctest_difference difference);

/// The first mismatch of one strength and distance. All ticks are numbers of steps done before them.
typedef struct tp_synctest_finding {
    tp_synctest_difference difference;
    uint64_t bad_tick;    ///< the earliest tick that came out otherwise
    uint64_t restored_at; ///< the first tick that was stepped again
    bool     is_restored_state; ///< differs already as it came back, before bad_tick was stepped
    bool     is_first_state;    ///< nothing came back: a second init made another first state
    bool     is_continued; ///< not when stepping again, but on the tick after that
    bool     is_guessed;   ///< not when stepping again, but after other inputs had been guessed for it first
    bool     is_unsaved;   ///< not when stepping again, but in the run that is never saved
    uint8_t  expected_root[16], actual_root[16]; ///< of the straight run, of the other
    char     section[TP_NAME_SIZE_MAX + 1];
    char     field[128]; ///< place: "players[1].lane", "event 0, coin.slot", "byte 12 of the saved state"
    char     expected[64], actual[64];
    uint64_t differing_fields; ///< of the state or the derived sections, in all
    char     text[TP_MESSAGE_SIZE]; ///< one line with all of this
} tp_synctest_finding;

/// One strength at one distance. It ends at its first mismatch; the others go on.
typedef struct tp_synctest_case {
    tp_strength strength;
    uint32_t    distance;
    tp_verdict  verdict;     ///< VERIFIED, DIVERGED, INCOMPLETE or INTERNAL
    char        message[TP_MESSAGE_SIZE]; ///< empty when verified
    uint64_t    restores;    ///< states brought back, each compared as it came
    uint64_t    comparisons; ///< ticks stepped again and compared
    uint64_t    comparisons_due; ///< what the formula asks for the ticks whose count was final: all, unless the case ended early
    uint64_t    compared_min, compared_max; ///< per tick whose count was final
    uint64_t    continued;   ///< further ticks, stepped on from what was stepped again, and compared
    uint64_t    guesses;     ///< ticks stepped with other inputs than theirs
    tp_synctest_finding finding;
} tp_synctest_case;

/// The run of an opaque world that is never saved.
typedef struct tp_synctest_unsaved {
    bool       is_done;  ///< false for a flat world, which has no save
    bool       has_hash; ///< compared after every tick; else at the end of each piece only
    tp_verdict verdict;
    char       message[TP_MESSAGE_SIZE];
    uint64_t   ticks, comparisons;
    tp_synctest_finding finding;
} tp_synctest_unsaved;

typedef struct tp_synctest_report {
    tp_verdict verdict; ///< the most serious of the cases; INCOMPLETE when there was no tick
    char       message[TP_MESSAGE_SIZE];
    uint64_t   first_tick, ticks; ///< of the straight run; a tick that faulted counts
    bool       has_fault;
    uint64_t   fault_tick;
    uint64_t   pieces;       ///< runs without a jump: 1, more for a log with gaps
    uint64_t   active_ticks; ///< with an input that was not neutral, or a command
    uint64_t   changed_fields, fields; ///< scalars of the state that ever changed, of all; of an opaque world nothing is known
    uint64_t   steps;        ///< steps done again in this process, guesses included
    tp_synctest_unsaved unsaved;
    uint32_t   case_count;
    const tp_synctest_case *cases; ///< by strength, then distance
} tp_synctest_report;

typedef struct tp_synctest tp_synctest;

/// Bytes that a test with these options (NULL: the standard ones) takes for states, about: each distance keeps a ring of its own in copy, so
/// distances 1 to D take about D * D / 2 states.
uint64_t tp_synctest_memory(const tp_sim *straight, const tp_synctest_options *options);

/// A test of the run that `straight` will do. The sim stays the caller's, is only read, and outlives the test. All memory is taken here,
/// and none when it would be above TP_SYNCTEST_MEMORY_MAX. NULL with the reason. The first state that ticks may be tested from is the sim's at this moment.
tp_synctest *tp_synctest_create(tp_sim *straight, const tp_synctest_options *options, tp_error *error);
/// After `straight` was stepped with this row (canonical bytes as tp_sim_step_bytes takes them), and finished or faulted: goes back from there in
/// every case that still stands. False when no case does, or nothing was tested because the sim does not stand one tick further.
bool         tp_synctest_tick(tp_synctest *test, const uint8_t *row, size_t size);
/// `straight` stands at another place than its last step brought it to (a gap in a log): what comes is tested from here on.
void         tp_synctest_jump(tp_synctest *test);
/// Does what the process strength still has to do, checks the counts and concludes. Once. The report points into the test.
void         tp_synctest_finish(tp_synctest *test, tp_synctest_report *report);
void         tp_synctest_destroy(tp_synctest *test);

/// The far end of a carrier: `sim` is the same world in the state of its init, which has stepped nothing. Poisons its memory, restores,
/// steps, and gives the answer, to be freed by the caller. False with the reason when the request is none or memory is short; a
/// world that refuses is an answer.
bool tp_synctest_serve(tp_sim *sim, const uint8_t *request, size_t size, uint8_t **answer, size_t *answer_size, tp_error *error);

/// Fills the heap's free small pieces with a pattern, so that a world of its own heap which reads what it never wrote reads that.
void tp_synctest_dirty_heap(void);

#ifdef __cplusplus
}
#endif
