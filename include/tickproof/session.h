// session.h: what a client plays with: it shows the present although the server's word on it is still under way. A session
// predicts, steps ahead of what is confirmed, goes back when a guess was wrong, and delivers every event once. It holds no
// socket and reads no clock: inputs, confirmed ticks and the moments to step are given to it.
//
// A *tick* t is the step from the state with t steps done to the one with t + 1. *Confirmed*: what tick t was stepped with is final, since the
// server said so (or, in a local session, since everybody is here). The *present* is the sim's tick, at most `window` ticks further.
// Every call leaves the sim at the present, so whoever draws may look at any time. (The events in tp_sim_view are those of the last step, or
// none when a settle had to look back: events are for the session's own callback.)
//
// Three ways to play. *Local*: everybody is here, each advance is final. *Predicting* (window above 0, with players): the present runs ahead of
// what is confirmed. *Following* (window 0, or no players): only confirmed ticks are stepped, so the present is the first tick that is not confirmed.
// A follower with players is lockstep; one without, a spectator.
//
// Nothing here allocates after tp_session_create, whatever the network does; a world that allocates by itself (an opaque one) does so on.
#pragma once

#include "tickproof/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_SESSION_WINDOW         = 8,   ///< the usual window: 133 ms at 60 Hz
    TP_SESSION_WINDOW_MAX     = 120, ///< ticks that may be predicted
    TP_SESSION_DELAY_MAX      = 60,  ///< ticks of input delay
    TP_SESSION_CONFIRMED_MAX  = 1024, ///< confirmed ticks that may wait to be stepped (a spectator behind, a client that was asleep)
    TP_SESSION_ROOTS          = 256, ///< confirmed ticks whose own roots are still known
    TP_SESSION_ADVICE_TICKS   = 30,  ///< over which leads are averaged
};

typedef struct tp_session tp_session;

typedef enum tp_session_event_kind {
    TP_SESSION_PREDICTED = 1, ///< happened on a tick that is a guess so far: for what must be heard at once
    TP_SESSION_CONFIRMED = 2, ///< is final. `was_predicted`: PREDICTED told of the very same one before
    TP_SESSION_RETRACTED = 3, ///< PREDICTED told of it and it did not happen
} tp_session_event_kind;

/// An event of the world, told once as CONFIRMED when it happened, at most once as PREDICTED before. Told from inside
/// tp_session_advance, _settle, _drain and _reset, ticks ascending within each kind; RETRACTED ones of a tick before the CONFIRMED ones of it. Two events
/// are the same when tick, type and bytes are; equal ones of a tick are counted. Whether a PREDICTED one happened is said when its tick is confirmed,
/// not before: guesses may come and go in between, and each PREDICTED is followed by exactly one CONFIRMED with `was_predicted`, or one
/// RETRACTED (or neither, when the session ends first). The callback calls no function of the session.
typedef struct tp_session_event {
    tp_session_event_kind kind;
    bool                  was_predicted;
    tp_event              event; ///< `data` is the native struct, valid during the call
} tp_session_event;

typedef struct tp_session_options {
    uint32_t       window;      ///< ticks that may be predicted, 0 (nothing ever is: a follower) to TP_SESSION_WINDOW_MAX; not looked at without players
    uint32_t       delay;       ///< ticks from giving an input to the tick that it is for, 0 to TP_SESSION_DELAY_MAX
    bool           is_local;    ///< everybody is here: every slot of `slots` is present, a tick is final once stepped, nothing is ever rolled back
    uint32_t       slot_count;  ///< of this machine's players; 0: a spectator. A local session needs at least one
    const uint8_t *slots;       ///< ascending. Handle h is slots[h]: players of one machine stand together, whoever joined first
    uint32_t       catch_up;    ///< followers: at most so many ticks per advance while further behind than `catch_up_from`; 4
    uint32_t       catch_up_from; ///< confirmed ticks that wait before a follower hurries; 6
    bool           keeps_roots; ///< computes the root of every confirmed tick, also when none came with it (a local session computes none without)
    void (*event)(void *to, const tp_session_event *event); ///< NULL: events are nobody's, and not kept
    void  *event_to;
} tp_session_options;

void tp_session_options_standard(tp_session_options *options); ///< window 8, delay 0, a spectator
/// Ring capacity that the sim of a session with this window must have been made with (tp_sim_options.ring_capacity), at least: the states from
/// the first tick that is not confirmed to the present. Local sessions and followers need none.
uint32_t tp_session_ring(uint32_t window);

/// `sim` stands at the first tick, all before it counts as confirmed. It is borrowed until destroy, and stepped by the session only. NULL with
/// the reason: window, delay or slots out of bounds, a ring too small, a local session without players, a faulted sim, out of memory.
tp_session *tp_session_create(tp_sim *sim, const tp_session_options *options, tp_error *error);
void        tp_session_destroy(tp_session *session);

typedef enum tp_session_status {
    TP_SESSION_OK       = 0,
    TP_SESSION_REFUSED  = 1, ///< the call made no sense (unknown handle, missing input, tick not the next one, a sim that somebody else moved):
                             ///< `error`; the world is untouched
    TP_SESSION_DESYNCED = 2, ///< a confirmed tick has another root here, or faulted here: the session is frozen, see tp_session_desync
    TP_SESSION_FAULTED  = 3, ///< a local session's world faulted; no more ticks will run
    TP_SESSION_BROKEN   = 4, ///< a snapshot that must be there is not, a row was refused by the world, or an opaque world cannot save: this session
                             ///< stands still until tp_session_reset
} tp_session_status;

const char *tp_session_status_name(tp_session_status status); ///< "ok", "refused", ...

/// What one call did to the sim.
typedef struct tp_session_result {
    uint32_t frames;      ///< steps in all, those of a rollback included
    uint32_t rolled_back; ///< ticks that were taken back; 0: none
    uint32_t confirmed;   ///< ticks that became final
    bool     advanced;    ///< the present is one tick further, or more: what is confirmed was ahead of it
    bool     stalled;     ///< nothing was stepped ahead: `window` ticks are guesses already, or the guess would fault (a follower: nothing is there to play)
    bool     took_inputs; ///< the inputs given became those of tick `input_tick`. False: that tick has its inputs already, and these were dropped
    uint64_t input_tick;  ///< present + delay as they stood when inputs were taken; set whenever there are players
} tp_session_result;

/// The input of a player for the next advance; `input` is a native struct, brought into range as the server would. Given twice before an
/// advance, the last one counts. REFUSED: no such handle.
tp_session_status tp_session_input(tp_session *session, uint32_t handle, const void *input, tp_error *error);

/// One tick further. Every handle needs its input, else REFUSED and nothing happens but that inputs given stay given. Then, in this order:
///   1. What was confirmed is taken in, going back if a guess was wrong. The present stays where it is, or goes where what is confirmed leads if that is
///      further. A follower steps one confirmed tick, or up to `catch_up` while more than `catch_up_from` wait.
///   2. The inputs given become those of tick present + delay, if it has none yet: they are in tp_session_unconfirmed from here on and never change.
///      This is done when the present cannot move, too: the server may be waiting for just these inputs. So a stalled advance takes inputs once per
///      tick, and drops them the next times (took_inputs). Afterwards every handle needs an input again.
///   3. The present is stepped, as a guess: own slots with the inputs they were given for that tick, the others with what the world predicts from
///      their last confirmed input, again for each tick; whoever is absent stays absent; no commands. Not by a follower, and not when `window` ticks are
///      guesses already: `stalled`. A guess that faults is not made: the present stays (or falls back to) there until more is confirmed.
/// Lockstep with delay 0 therefore moves one tick per round trip: the input of the present goes out, its row comes back, and is stepped. With delay d
/// the inputs of d further ticks are out by then.
tp_session_status tp_session_advance(tp_session *session, tp_session_result *result, tp_error *error);
/// Only part 1 of an advance, for whoever is not due to advance and wants to know. Followers and local sessions do nothing.
tp_session_status tp_session_settle(tp_session *session, tp_session_result *result, tp_error *error);

/// Takes in everything that was confirmed, also what a spectator or lockstep would play later: for when the room is over, and nobody advances any
/// more. At most TP_SESSION_ROOTS ticks a call, so that the root of each is still known afterwards: call it until nothing waits.
tp_session_status tp_session_drain(tp_session *session, tp_session_result *result, tp_error *error);

/// What the server stepped `tick` with: canonical row bytes as a log keeps them, without root; ticks come in order, each once (one that came
/// already is ignored). `root` NULL: nothing to compare. Copied; used by the next advance or settle. REFUSED: a tick is missing before it, more than
/// TP_SESSION_CONFIRMED_MAX (or more bytes than there is room for: ticks without commands, and some full of them) wait, bytes that cannot be a row of
/// this world, or a local session. Frozen sessions answer their status.
tp_session_status tp_session_confirm(tp_session *session, uint64_t tick, const uint8_t *row, size_t size, const tp_hash128 *root, tp_error *error);

/// The state was replaced from outside (tp_sim_decode on the session's sim): whatever was predicted or waits to be stepped is forgotten, events told
/// as PREDICTED are retracted, and the given inputs for later ticks stay (all are forgotten when it went back further than they reach). Ends a desync
/// and every other standstill. The sim stands at its new first tick. REFUSED: it still stands at a fault.
tp_session_status tp_session_reset(tp_session *session, tp_error *error);

/// Inputs of a handle that are not confirmed yet, for sending them again and again until they are: canonical bytes of consecutive ticks
/// *first, *first + 1, ... Returns how many, at most `capacity` inputs (the oldest ones); those of ticks given to tp_session_confirm are never among them.
uint32_t tp_session_unconfirmed(const tp_session *session, uint32_t handle, uint64_t *first, uint8_t *bytes, uint32_t capacity);

/// Changes the input delay from the next advance on. Longer: for the ticks between the last input goes on as the world predicts it (a stick stays
/// where it is, a press is not pressed again), and so do the first `delay` ticks of all, from the neutral input. Shorter: as many of the inputs to
/// come are dropped, since those ticks have theirs already. What a tick was given never changes. False: out of bounds.
bool     tp_session_set_delay(tp_session *session, uint32_t delay);
uint32_t tp_session_delay(const tp_session *session);

tp_sim  *tp_session_sim(tp_session *session);
uint64_t tp_session_tick(const tp_session *session);            ///< the present: the next tick to step
uint64_t tp_session_confirmed_tick(const tp_session *session);  ///< ticks below are final and were stepped as such
uint64_t tp_session_waiting(const tp_session *session);         ///< confirmed ticks that were given and not taken in yet
/// Own root of a confirmed tick, while it is one of the last TP_SESSION_ROOTS. False: not known.
bool     tp_session_root(const tp_session *session, uint64_t tick, tp_hash128 *root);

/// Why a session is DESYNCED. The sim stands right after the bad tick as it was stepped here (or before it, when it faulted), and the ring is left
/// as it was: nothing moves any more, until tp_session_reset.
typedef struct tp_session_desync {
    uint64_t   tick;
    tp_hash128 root, own_root;
    bool       is_fault; ///< it faulted here; own_root is the fault's
} tp_session_desync;
bool tp_session_get_desync(const tp_session *session, tp_session_desync *desync);

// Time. A client's present must be as far ahead of the server's as its inputs need to arrive in time: no less, or they are late; no
// more, or everybody sees guesses. What knows is the server: how many ticks before they were needed they came.

/// The server's word (TIMING): the least lead of this client's inputs lately, in ticks; below 0 when some came too late, which must count, too.
void tp_session_note_lead(tp_session *session, int32_t lead);
/// By how many ticks this client should be slower (above 0: let so many ticks' time pass without advancing) or faster (below 0: advance so many
/// times extra) over the next second to have `wanted` ticks of lead, from the average of the last TP_SESSION_ADVICE_TICKS notes, rounded to the
/// nearest tick. 0: nothing was noted, or it is fine as it is. Says the same thing once: after another answer than 0 the average begins anew.
int32_t tp_session_advice(tp_session *session, int32_t wanted);

typedef struct tp_session_statistics {
    uint64_t ticks;          ///< that the present went further
    uint64_t frames;         ///< steps in all
    uint64_t rollbacks;      ///< times that ticks were taken back: a guess was wrong, or its events could not all be kept
    uint64_t rolled_back;    ///< ticks stepped again for that
    uint32_t rollback_max;   ///< deepest, in ticks
    uint64_t rollback_depths[TP_SESSION_WINDOW_MAX + 1]; ///< how often each depth
    uint64_t stalls;         ///< advances that did not
    uint64_t predicted;      ///< inputs of others on ticks that had been guessed when they were confirmed
    uint64_t mispredicted;   ///< of those, wrongly guessed ones
    uint64_t late;           ///< own inputs that the server did not step: the row has another one for that slot
    uint64_t events_predicted, events_confirmed, events_retracted;
    uint64_t events_lost;    ///< guessed events that were not told, since more than can be kept happened: only CONFIRMED tells of those
    uint64_t guess_faults;   ///< guesses that were not made since the world faults on them
    uint64_t catch_ups;      ///< advances of a follower that were more than one tick
} tp_session_statistics;
void tp_session_get_statistics(const tp_session *session, tp_session_statistics *statistics);

#ifdef __cplusplus
}
#endif
