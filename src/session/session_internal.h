// session_internal.h: what a session is made of. README.md says how the parts work together.
#pragma once

#include <string.h>

#include "bytes.h"
#include "session_plant.h"
#include "tickproof/session.h"

#define SESSION_NO_TICK UINT64_MAX
#define SESSION_NONE UINT32_MAX

enum { SESSION_MEMO_NONE, SESSION_MEMO_SAME, SESSION_MEMO_OTHER }; // whether an input predicts itself

/// A confirmed row that waits to be taken in.
typedef struct {
    size_t     offset; // of its bytes in SessionRows.bytes
    size_t     size;
    bool       has_root;
    tp_hash128 root;
} SessionRow;

/// Those of ticks `confirmed`, `confirmed` + 1, ... Their bytes lie in one ring, each row in one piece.
typedef struct {
    SessionRow *rows; // TP_SESSION_CONFIRMED_MAX
    uint32_t    first, count;
    uint8_t    *bytes;
    size_t      capacity, end;
} SessionRows;

/// Indexes into tp_session.kept.
typedef struct {
    uint32_t first, last; // SESSION_NONE: empty
} SessionEventList;

/// An event that was told as PREDICTED.
typedef struct {
    uint32_t type, size;
    uint32_t next;
    uint32_t position; // among the events of its tick, while these are matched
} SessionKept;

/// A tick that was stepped as a guess. Its place lives until the tick is confirmed, however often it is guessed again.
typedef struct {
    uint64_t         tick; // SESSION_NO_TICK: free
    uint8_t         *row;  // presence, then inputs, as it was stepped last
    bool             has_root, has_lost_events;
    tp_hash128       root;
    SessionEventList now;   // of its last guess, in order
    SessionEventList stale; // of earlier guesses only: told, and perhaps they will happen all the same
} SessionGuess;

typedef struct {
    uint64_t   tick; // SESSION_NO_TICK: none
    tp_hash128 root;
} SessionRoot;

struct tp_session {
    tp_sim           *sim;
    const tp_world   *world;
    const tp_layout  *layout;
    void            (*tell)(void *to, const tp_session_event *event);
    void             *tell_to;
    bool              is_local, is_following, keeps_roots;
    uint32_t          window; // 0 unless the session predicts
    uint32_t          delay;
    uint32_t          catch_up, catch_up_from;
    uint32_t          players, slot_count;
    uint8_t           slots[TP_PLAYERS_MAX];
    uint8_t           own_presence[(TP_PLAYERS_MAX + 7) / 8];
    size_t            input_size, presence_size, inputs_offset, row_size; // inputs_offset: in a log's row. row_size: presence and inputs alone

    // Ticks below `confirmed` are final; those from there to `present` are guesses.
    uint64_t          confirmed, present;
    bool              is_guess_faulty; // the guess of the present faults, until more is confirmed
    bool              wants_roots;     // the last confirmed row came with a root, so the next ones will
    tp_session_status frozen;
    tp_error          why; // of `frozen`
    bool              has_desync;
    tp_session_desync desync;
    tp_session_result *result; // of the call under way
    tp_session_statistics statistics;

    SessionRows   rows;
    SessionGuess *guesses; // window of them, by tick; NULL without
    uint8_t      *base;    // presence and inputs of the last confirmed tick: what guesses begin from
    SessionRoot  *roots;   // TP_SESSION_ROOTS, by tick

    // Own inputs that were given for ticks own_first to own_end - 1. own_first is never below `confirmed`, so own_capacity ticks fit always.
    uint8_t  *own; // slot_count * own_capacity inputs, by handle, then tick
    uint64_t  own_first, own_end;
    uint32_t  own_capacity;
    uint8_t  *given; // for the next advance, by handle
    bool     *is_given;
    uint8_t  *last_own; // the last one that was taken, by handle

    // The world's prediction of each slot, remembered: most inputs predict themselves.
    uint8_t *memo; // per slot: an input, and what is predicted after it
    uint8_t *memo_state; // SESSION_MEMO_
    void    *native, *predicted; // one native input struct each

    SessionKept *kept;
    uint8_t     *kept_data; // kept_stride bytes each
    size_t       kept_stride;
    uint32_t     kept_count, kept_free; // kept_free: the first of the free ones

    int32_t  leads[TP_SESSION_ADVICE_TICKS];
    uint32_t lead_count, lead_next;
};

static inline bool session_has_bit(const uint8_t *bits, uint32_t slot)
{
    return ((bits[slot / 8] >> (slot % 8)) & 1) != 0;
}

static inline SessionGuess *session_guess_at(const tp_session *session, uint64_t tick)
{
    return &session->guesses[tick % session->window];
}

/// Stops the session at where the sim stands. Returns false.
bool session_freeze(tp_session *session, tp_session_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// session_rows.c: the queue of confirmed rows.

const SessionRow *session_rows_front(const tp_session *session);
const uint8_t    *session_rows_bytes(const tp_session *session, const SessionRow *row);
void              session_rows_pop(tp_session *session);
void              session_rows_clear(tp_session *session);
size_t            session_rows_budget(const tp_layout *layout);

// session_confirm.c: what was confirmed becomes final.

/// Takes in everything that waits, going back if a guess was wrong. False: frozen.
bool session_take_confirmed(tp_session *session);
/// Steps the first row that waits; the sim stands at its tick. False: frozen.
bool session_step_confirmed(tp_session *session);
/// Steps `tick`, where the sim stands, as a guess. False: it was not stepped, since the session is frozen or the guess faults.
bool session_step_guess(tp_session *session, uint64_t tick, bool is_newest);
void session_keep_root(tp_session *session, uint64_t tick, tp_hash128 root);
void session_forget_guesses(tp_session *session);

// session_inputs.c: own inputs and predicted ones.

void session_inputs_begin(tp_session *session);
bool session_inputs_missing(const tp_session *session, uint32_t *handle);
/// The given inputs become those of present + delay, unless these are given.
void session_inputs_take(tp_session *session);
/// Fills presence and inputs of a tick that nobody has confirmed.
void session_inputs_guess(tp_session *session, uint64_t tick, uint8_t *row);
/// Input of an own slot for a tick; NULL when none was given.
const uint8_t *session_inputs_own(const tp_session *session, uint32_t handle, uint64_t tick);
/// Counts what was guessed wrongly or came late. `row` is a log's.
void session_inputs_compare(tp_session *session, uint64_t tick, const uint8_t *row);
/// Forgets own inputs for ticks below `confirmed`.
void session_inputs_drop(tp_session *session);

// session_events.c: each is called right after the sim stepped that tick, or confirmed a guess; nothing happens when nobody listens.

void session_events_guessed(tp_session *session, SessionGuess *guess);
void session_events_guess_confirmed(tp_session *session, SessionGuess *guess);
/// `guess` NULL: the tick was never guessed.
void session_events_confirmed(tp_session *session, SessionGuess *guess);
void session_events_retract(tp_session *session, SessionGuess *guess);
