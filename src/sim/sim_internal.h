// sim_internal.h: what one running world is made of.
#pragma once

#include "bytes.h"
#include "sim_floats.h"
#include "tickproof/sim.h"

// What is known of the writes of a world with TP_WORLD_TRACKS_WRITES. There is one map of a bit per page of the block for `told` and one for
// each thing made from the block earlier: the state leaves, the recover snapshot, every place of the ring.
//
//     Invariant: a page in neither `told` nor the map of a thing is, byte for byte, what the thing was made from.
//
// A map may hold more pages than differ, never fewer. Each operation keeps it so:
//     step     the world adds to `told`; nothing else is done per step
//     spread   `told` is added to every map and emptied, before any map is read
//     leaves   hashes the leaves with a page in their map, then empties that map
//     save     copies the pages in the snapshot's map into it, then empties that map
//     load     copies the same pages back. They are all that the block changes by, so they are added to every other map; then its own is
//              emptied. Going back and forth therefore costs what was changed in between, not the state
//     else     init, decode, a fault (whose step may have written before it could tell) and a block that was lent out fill every map
// A snapshot without is_set still has bytes and a map, and the invariant holds of it.
typedef struct {
    bool      is_on;      // the world tells, and the maps are there
    bool      is_lent;    // tp_sim_state gave the block away: it may change at any time
    bool      is_pending; // a step has run since the last spread
    uint32_t  pages;      // of the block, the last one may be short
    uint32_t  words;      // of one map
    uint32_t  map_count;
    uint64_t *maps;       // map_count of them one after another, in the order of SIM_MAP_
    uint8_t  *before;     // check_touched: the block as it was before the step; NULL: off
    char      untold[256]; // what check_touched has found
} SimTouch;

enum { SIM_MAP_TOLD, SIM_MAP_LEAVES, SIM_MAP_RECOVER, SIM_MAP_RING };

// A raw copy of the state at a tick, with the two leaves that the state does not hold.
typedef struct {
    bool     is_set;
    uint64_t tick;
    uint64_t input_leaf, event_leaf;
    size_t   size;
    uint8_t *bytes; // state_capacity of them
    uint32_t map;   // SIM_MAP_RECOVER, or SIM_MAP_RING and on
} SimSnapshot;

struct tp_sim {
    const tp_world *world;
    tp_layout       layout;
    tp_rules        rules;
    tp_context      context;
    void           *state;          // flat: the block. Opaque: the instance
    uint8_t        *state_memory;   // flat: what the block lies in
    tp_sim_probe    probe;
    size_t          state_capacity; // bytes a snapshot may take
    uint64_t        tick;           // steps done

    // The last tick's leaves. Input and event leaves are hashed when asked for, from the two byte buffers.
    uint8_t  *input_bytes; // presence, inputs, command count, commands
    size_t    input_bytes_size, input_bytes_capacity;
    uint64_t  input_leaf, event_leaf;
    bool      is_input_leaf_known, is_event_leaf_known;
    uint64_t *leaves; // state leaves, then room for the other two
    uint32_t  leaf_count, leaf_capacity;
    bool      are_leaves_known, is_root_known;
    tp_hash128 root;
    uint8_t  *root_bytes; // what the root is hashed over

    // Native forms lent to the step.
    uint8_t    *inputs;
    tp_command *commands;
    uint8_t    *command_bytes; // native structs of this tick's commands, 16-aligned
    tp_command *parsed;        // commands of a row given as bytes

    tp_event *events;
    uint8_t  *event_structs;
    uint32_t  event_stride;
    uint32_t  event_count, events_dropped;
    uint8_t  *event_bytes; // canonical

    uint8_t *scratch; // canonical bytes of one section, or an opaque world's saved bytes
    size_t   scratch_capacity;

    // A fault leaves a half-done state: the one before it comes back from this copy by stepping the journal.
    SimSnapshot recover;
    uint32_t    recover_ticks;
    uint8_t    *journal; // u32 size, row bytes, ...
    size_t      journal_size, journal_capacity;

    SimSnapshot *ring;
    uint32_t     ring_capacity, ring_next;
    SimTouch     touch;

    bool     checks_floats;
    uint64_t floats_before; // the controls when the world was called
    char     floats_text[200];

    tp_guard guard;
    bool     has_lost_state; // an opaque world could not save: roots since then mean nothing
    bool     is_faulted;
    tp_fault fault;
    uint64_t fault_input_leaf;
};

/// Commands need 16-aligned native structs one after another.
enum { SIM_COMMAND_ALIGN = 16 };

/// sim_probe.c: the block's memory, zero or as the probe has it.
bool sim_probe_take_block(tp_sim *sim);
/// The same for memory whose bytes mean nothing until they are written.
void sim_probe_fill(const tp_sim *sim, void *memory, size_t size);
/// Around a world's own calls. Inlined in every build, so that the probe's frame lies where the world's will: a call between would keep the top
/// of the world's frame from what the probe leaves there.
static inline __attribute__((always_inline)) void sim_probe_before(const tp_sim *sim, bool is_step)
{
    if (sim->probe.before != NULL) {
        sim->probe.before(sim->probe.to, is_step, sim->tick);
    }
}
static inline __attribute__((always_inline)) void sim_probe_after(const tp_sim *sim, bool is_step)
{
    if (sim->probe.after != NULL) {
        sim->probe.after(sim->probe.to, is_step, sim->tick);
    }
}

/// Says in floats_text what is other than floats_before, and puts it back. Always false.
bool sim_floats_put_back(tp_sim *sim);
/// Around a world's init and step. False from the second: the world changed how floating point works, floats_text says what; it is put back.
static inline __attribute__((always_inline)) void sim_floats_note(tp_sim *sim)
{
    if (sim->checks_floats) {
        sim->floats_before = sim_floats_now();
    }
}
static inline __attribute__((always_inline)) bool sim_floats_are_kept(tp_sim *sim)
{
    return !sim->checks_floats || sim_floats_now() == sim->floats_before || sim_floats_put_back(sim);
}
/// Checks a row and fills the native forms and input_bytes. False changes nothing that a later step could see.
bool sim_row_accept(tp_sim *sim, const tp_row *row, tp_error *error);
/// Keeps an accepted row as the bytes its input leaf is hashed over.
void sim_row_keep(tp_sim *sim, const tp_row *row);
/// Splits row bytes; commands point into them and into sim->parsed.
bool sim_row_parse(tp_sim *sim, const uint8_t *bytes, size_t size, tp_row *row, tp_error *error);

/// A call into an opaque world's own functions. They may fault like a step, and a fault there must stay as small.
typedef struct {
    tp_sim     *sim;
    void       *bytes;
    const void *foreign;
    size_t      capacity, size;
    uint64_t    hash;
    bool        is_good;
} OpaqueCall;
/// Runs `body(call)` inside a guard. False when it faulted or left is_good unset.
bool sim_opaque_guarded(OpaqueCall *call, void (*body)(void *call));
bool sim_opaque_save(tp_sim *sim, void *bytes, size_t capacity, size_t *size);
bool sim_opaque_load(tp_sim *sim, const void *bytes, size_t size);
bool sim_opaque_hash(tp_sim *sim, uint64_t *hash);

void sim_forget_roots(tp_sim *sim);
bool sim_state_save(tp_sim *sim, SimSnapshot *snapshot);
bool sim_state_load(tp_sim *sim, const SimSnapshot *snapshot);
uint64_t sim_input_leaf_now(tp_sim *sim);
uint64_t sim_event_leaf_now(tp_sim *sim);

// What the world tells of its writes: sim_touch.c.

/// Takes the maps and, for the check, the copy. Nothing is taken, and nothing is on, for a world that does not promise to tell.
bool sim_touch_take(tp_sim *sim, bool is_checked);
void sim_touch_free(tp_sim *sim);
/// From here on the step tells. After init, which need not.
void sim_touch_begin(tp_sim *sim);
/// Anything may have changed.
void sim_touch_all(tp_sim *sim);
/// Around every step. False from the second: the world left a write out, and sim->fault says where.
void sim_touch_before_step(tp_sim *sim);
bool sim_touch_after_step(tp_sim *sim);
/// Brings every map up to date; sim_touch_is_clean reads them as they are.
void sim_touch_spread(tp_sim *sim);
/// Whether the bytes of the block have not changed since the leaves were hashed. Never of a world that does not tell.
bool sim_touch_is_clean(const tp_sim *sim, size_t offset, size_t size);
void sim_touch_leaves_done(tp_sim *sim);
/// The block into the snapshot's bytes and back: whole, or what its map holds.
void sim_touch_save(tp_sim *sim, const SimSnapshot *snapshot);
void sim_touch_load(tp_sim *sim, const SimSnapshot *snapshot);
