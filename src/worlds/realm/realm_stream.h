// realm_stream.h: which landblocks there are: the server's publisher. Once a tick it looks where the players are, begins what is missing around
// them, demotes and withdraws what they left behind, and spends the tick's work units on the drafts that are open. What is published comes from
// realm_generate, or waits until a command says that it has arrived.
//
// Distances are in landblocks, the larger of x and y. Within the config's ring of a player a landblock is wanted; beyond ring + 1 of
// everybody it is demoted, beyond ring + 2 withdrawn: a player who turns back at a border changes nothing. Where there is not room for all of it, what
// is nearer comes and what is farther goes.
#pragma once

#include "realm_engine.h"

enum {
    REALM_STREAM_OPEN_MAX     = 64, ///< drafts this publisher has open at once; the config's number when that is smaller
    REALM_STREAM_ARRIVALS_MAX = 64, ///< contents that came and are not active yet; one more, and the oldest is forgotten
    REALM_STREAM_RELOADS_MAX  = 16, ///< reloads that wait; one more is refused
    REALM_STREAM_VARIANTS_MAX = 64, ///< landblocks known to be past variant 0; one more, and the oldest is forgotten
    REALM_STREAM_RESCAN_TICKS = 4,  ///< least ticks between two looks at what is missing
    REALM_STREAM_SWEEP_BLOCKS = 16, ///< landblocks looked at in a tick for being left behind
};

#define REALM_STREAM_FIELDS(S, F, A, H)                                                     \
    F(S, u64, runtime, "name", TP_ANY)                                                      \
    A(S, u64, open_generation, REALM_STREAM_OPEN_MAX, "generation", REALM_NUMBER_RANGE)     \
    A(S, u64, open_previous, REALM_STREAM_OPEN_MAX, "generation", REALM_NUMBER_RANGE)       \
    F(S, u32, open, "count", TP_RANGE(0, REALM_STREAM_OPEN_MAX))                            \
    F(S, u32, rescan_ticks, "ticks", TP_RANGE(0, REALM_STREAM_RESCAN_TICKS))                \
    F(S, u32, sweep_cursor, "block", TP_ANY)                                                \
    F(S, u32, units_last, "units", TP_ANY)                                                  \
    F(S, u32, begun, "count", TP_ANY)                                                       \
    F(S, u32, committed, "count", TP_ANY)                                                   \
    F(S, u32, ended, "count", TP_ANY)                                                       \
    F(S, u32, rejected, "count", TP_ANY)                                                    \
    F(S, u32, failed, "count", TP_ANY)                                                      \
    F(S, u32, evicted, "count", TP_ANY)                                                     \
    F(S, u32, arrivals_forgotten, "count", TP_ANY)                                          \
    F(S, u32, reloads_refused, "count", TP_ANY)                                             \
    F(S, u8, is_dirty, "flag", TP_BOOL)                                                     \
    F(S, u8, padding, "zero", TP_ZERO)                                                      \
    F(S, u8, fail_stage, "0 none, 1 admission, 2 staging", TP_RANGE(0, 2))                  \
    F(S, u8, arrivals, "count", TP_RANGE(0, REALM_STREAM_ARRIVALS_MAX))                     \
    F(S, u8, reloads, "count", TP_RANGE(0, REALM_STREAM_RELOADS_MAX))                       \
    F(S, u8, variants, "count", TP_RANGE(0, REALM_STREAM_VARIANTS_MAX))                     \
    F(S, u8, eyes, "count", TP_RANGE(0, REALM_PLAYERS_MAX))                                 \
    F(S, u8, is_stuck, "flag", TP_BOOL)                                                     \
    A(S, u32, open_draft, REALM_STREAM_OPEN_MAX, "draft", TP_INDEX_OF("drafts"))            \
    A(S, u32, open_draft_generation, REALM_STREAM_OPEN_MAX, "generation", TP_ANY)           \
    A(S, u16, open_prefix, REALM_STREAM_OPEN_MAX, "landblock", TP_ANY)                      \
    A(S, u16, open_variant, REALM_STREAM_OPEN_MAX, "variant", TP_ANY)                       \
    A(S, u16, eye_prefix, REALM_PLAYERS_MAX, "landblock", TP_ANY)                           \
    A(S, u16, arrival_prefix, REALM_STREAM_ARRIVALS_MAX, "landblock", TP_ANY)               \
    A(S, u16, reload_prefix, REALM_STREAM_RELOADS_MAX, "landblock", TP_ANY)                 \
    A(S, u16, variant_prefix, REALM_STREAM_VARIANTS_MAX, "landblock", TP_ANY)               \
    A(S, u16, variant_number, REALM_STREAM_VARIANTS_MAX, "variant", TP_ANY)
/// Lists are in the order their entries came, the rest of each array is zero. `open_...` are the drafts of this publisher: their tickets (with
/// `runtime`), handles, and the variant that is published; how far publication is stands in the draft's leaf. `ended`: drafts that went
/// without this publisher's doing: deadline, limits, demotion. `rejected`: cancelled because the engine called their content wrong. `failed`:
/// cancelled by a command. `evicted`: landblocks withdrawn early, and drafts cancelled, for want of room for what is nearer or older. `is_dirty`: look for
/// what is missing as soon as `rescan_ticks` are over. `is_stuck`: the oldest draft waits for
/// room alone; nothing that is not nearer begins until it moves on or ends. `eye_prefix`: where the players were
/// when it last looked.
TP_STRUCT(RealmStream, REALM_STREAM_FIELDS)
_Static_assert(sizeof(RealmStream) % 8 == 0, "RealmStream needs padding at its end");

/// The landblocks around which the land exists: those of players, in order of slots. One twice is the same as once.
typedef struct RealmStreamEyes {
    uint32_t count;
    uint16_t prefixes[REALM_PLAYERS_MAX];
} RealmStreamEyes;

/// An empty stream needs no more than a zeroed section. The pointer below is that section of the state that `engine` has open; every write
/// is told to the host.
///
/// One tick: left landblocks go, missing ones begin, and at most `work_units` of the config are spent. Call it after realm_engine_tick.
void realm_stream_tick(RealmEngine *engine, RealmStream *stream, const RealmStreamEyes *eyes);

/// Commands, before the tick's realm_stream_tick. False: ignored: outside of the land, or not what the text says.
/// Content of a landblock arrived. Counts for the next generation of it that is committed. Ignored unless the config has `arrival` 1.
bool realm_stream_command_content(RealmEngine *engine, RealmStream *stream, uint16_t prefix);
/// An active landblock is to be prepared again, as its next variant. False as well when REALM_STREAM_RELOADS_MAX wait.
bool realm_stream_command_reload(RealmEngine *engine, RealmStream *stream, uint16_t prefix);
/// The next publication fails: stage 0 right after its admission, 1 when all of it is staged. A second command replaces the first.
bool realm_stream_command_fail(RealmEngine *engine, RealmStream *stream, uint8_t stage);

/// The landblock of a place is there in full: one can stand in it.
bool realm_stream_is_ready(const RealmEngine *engine, uint16_t prefix);
/// Landblocks between two, or to the nearest of the eyes: UINT32_MAX without eyes.
uint32_t realm_stream_distance(uint16_t a, uint16_t b);
uint32_t realm_stream_eyes_distance(const RealmStreamEyes *eyes, uint16_t prefix);

/// NULL, or what is wrong with the section of a state whose ranges hold: counts, zeroes behind the lists, two entries for one landblock.
const char *realm_stream_validate(const RealmStream *stream);
