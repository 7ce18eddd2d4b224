// sim.h: one running world: its block, guard, events, roots, snapshots and the fixed-timestep clock. The host
// steps it with rows of inputs; it knows no files, sockets or clocks.
#pragma once

#include "tickproof/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What binds a run beside its inputs, as the log keeps it (canonical `rules` bytes) and as every root carries it (`id`).
typedef struct tp_rules {
    tp_hash_algorithm algorithm;
    tp_hash128        id;
    uint32_t          size;
    uint8_t           bytes[16384];
} tp_rules;

/// Builds the canonical rules of a layout. False when they do not fit, with the reason.
bool tp_rules_init(tp_rules *rules, const tp_layout *layout, tp_hash_algorithm algorithm, tp_error *error);

/// One tick as a host gives it and a log keeps it. Commands hold canonical bytes here (`data` little-endian), not native
/// structs. All arrays are borrowed for the call.
typedef struct tp_row {
    const uint8_t    *presence; ///< ceil(players / 8) bytes, unused bits zero
    const uint8_t    *origins;  ///< ceil(players / 4) bytes, two bits a slot; NULL: all received
    const uint8_t    *inputs;   ///< players * input_size canonical bytes, absent slots zero
    uint32_t          command_count;
    const tp_command *commands;
} tp_row;

typedef enum tp_sim_status {
    TP_SIM_OK      = 0, ///< the tick was done
    TP_SIM_FAULTED = 1, ///< the step faulted: the state is the one before this tick, and no more ticks will run
    TP_SIM_REFUSED = 2, ///< the row is not legal for this world: `error` says what; nothing changed
} tp_sim_status;

typedef struct tp_sim tp_sim;

/// What a correct world cannot notice, for hunting one that does. Everything zero changes nothing.
typedef struct tp_sim_probe {
    uint32_t block_offset; ///< bytes that a flat world's block lies behind a multiple of 64; a multiple of 16, up to 1 MiB
    /// Memory that no world may read is filled with this: the block's gaps between sections and 64 bytes on both its sides, and what the
    /// structs of inputs, commands and events do not use of their buffers.
    bool     has_fill;
    uint8_t  fill;
    /// Around each call of the world's init, rebuild and step, as near as it gets: what `before` leaves on the stack is what the world finds there.
    /// `after` comes also when the call faulted. Either may be NULL. Neither may fault.
    void   (*before)(void *to, bool is_step, uint64_t tick);
    void   (*after)(void *to, bool is_step, uint64_t tick);
    void    *to;
} tp_sim_probe;

typedef struct tp_sim_options {
    tp_hash_algorithm algorithm;      ///< 0: XXH3
    uint32_t          ring_capacity;  ///< snapshots kept by tp_sim_snapshot; 0: none
    uint32_t          recover_ticks;  ///< distance of the internal snapshots a fault is recovered from; 0: 64
    /// Of a world with TP_WORLD_TRACKS_WRITES: each step is held against a copy of the block from before it, and a world that changed a
    /// byte of a page which it did not tell of (tp_touch) faults with TP_FAULT_ASSERT; the fault names section, element and byte. For
    /// tests: it costs a copy and a comparison of the whole block per tick. Without the flag nothing is checked.
    bool              check_touched;
    /// Of a flat world as of an opaque one: a step that leaves rounding, flushing or traps of floating point other than it found them faults with
    /// TP_FAULT_WORLD, init is refused, and they are put back. Always on for opaque worlds. Costs two readings of the controls per step.
    bool              check_floats;
    const tp_sim_probe *probe; ///< NULL: nothing is probed. Outlives the sim
} tp_sim_options;

/// Makes a world and its initial state. All memory it will ever use is taken here. NULL with the reason (refused world or
/// setup, out of memory, fault or bad state in init).
tp_sim *tp_sim_create(const tp_world *world, const tp_setup *setup, const tp_sim_options *options, tp_error *error);
void    tp_sim_destroy(tp_sim *sim);

/// One tick. Checks the row (ranges, presence, command types and sizes), decodes it, steps inside a guard. Does not
/// compute the root: ask for it.
tp_sim_status tp_sim_step(tp_sim *sim, const tp_row *row, tp_error *error);

/// The same for a row as a log keeps it: canonical bytes from presence on, without root. `size` is exact.
tp_sim_status tp_sim_step_bytes(tp_sim *sim, const uint8_t *row, size_t size, tp_error *error);

/// False once an opaque world has failed to save or to hash its state: roots since then mean nothing, and neither a recorder nor a
/// verifier may count them. Ask after tp_sim_root.
bool             tp_sim_is_sound(const tp_sim *sim);
const tp_layout *tp_sim_layout(const tp_sim *sim);
const tp_rules  *tp_sim_rules(const tp_sim *sim);
uint64_t         tp_sim_tick(const tp_sim *sim);    ///< steps done
bool             tp_sim_is_faulted(const tp_sim *sim);
const tp_fault  *tp_sim_fault(const tp_sim *sim);   ///< diagnostics of the fault; its text may be the sim's own, so valid until destroy
/// Whether the fault is that of check_touched: the world changed bytes that it did not tell of.
bool             tp_sim_has_untold(const tp_sim *sim);
tp_view          tp_sim_view(const tp_sim *sim);    ///< valid until the next step; no events after a fault, a decode or a restore
/// The world's own line about the current state. False when it has none, or faults over it.
bool             tp_sim_describe(const tp_sim *sim, char *text, size_t size);
/// The block or instance, for tests and planted faults only; whoever changes it asks for it again before the next root. The pointer may be
/// kept, so from the first call on what the world tells of its writes is not enough, and this sim hashes and copies everything.
void            *tp_sim_state(tp_sim *sim);

/// Root of the last finished tick (the start root before the first), computed at most once per tick.
tp_hash128 tp_sim_root(tp_sim *sim);
/// Root of the tick that faulted.
tp_hash128 tp_sim_fault_root(tp_sim *sim);
/// The leaves behind tp_sim_root: the state's, then input leaf, then event leaf. Returns the count of state leaves; fills
/// at most `capacity` of count + 2.
uint32_t   tp_sim_leaves(tp_sim *sim, uint64_t *leaves, uint32_t capacity);
uint64_t   tp_sim_input_leaf(const tp_sim *sim);
uint64_t   tp_sim_event_leaf(tp_sim *sim);
/// Section and piece of a state leaf: "players", or "state" for an opaque world.
const char *tp_sim_leaf_name(const tp_sim *sim, uint32_t leaf);

/// A root from its parts, for readers and tests. Zero when there are more than TP_ROOT_LEAVES_MAX state leaves, which no world has.
tp_hash128 tp_root_combine(tp_hash_algorithm algorithm, tp_hash128 rules_id, uint64_t tick, const uint64_t *state_leaves,
                           uint32_t count, uint64_t input_leaf, uint64_t event_leaf);
enum { TP_ROOT_LEAVES_MAX = TP_STATE_SIZE_MAX / TP_LEAF_SIZE + TP_SECTIONS_MAX };
#define TP_ROOT_TICK_START UINT64_MAX
#define TP_FAULT_LEAF UINT64_C(0x00544C5541465054) ///< the bytes "TPFAULT\0" read little-endian

// Canonical state, for keyframes and for joining late.

/// Upper bound of tp_sim_encode's size, constant for the sim.
size_t tp_sim_encoded_max(const tp_sim *sim);
/// Writes the canonical state; *size is what was written. False when it does not fit or an opaque save fails.
bool   tp_sim_encode(const tp_sim *sim, uint8_t *bytes, size_t capacity, size_t *size);
/// Replaces the state by foreign bytes at `tick` steps done. Every range is checked, then validate and rebuild run. The parts
/// beside the state of the last tick's root are given, so that tp_sim_root continues. On failure the sim is as it was.
bool   tp_sim_decode(tp_sim *sim, const uint8_t *bytes, size_t size, uint64_t tick, uint64_t input_leaf,
                     uint64_t event_leaf, tp_error *error);

// Snapshot ring: raw copies inside this process, never foreign bytes.

/// Keeps the current state under its tick, replacing the oldest when full. False without a ring. Of a world that tells its writes only those
/// pages are copied that differ from what the place held before.
bool tp_sim_snapshot(tp_sim *sim);
/// Goes back to the snapshot of `tick` steps done. False when the ring has none: nothing changed.
bool tp_sim_restore(tp_sim *sim, uint64_t tick);
/// Bytes of the snapshot of `tick`, 0 when there is none.
size_t tp_sim_snapshot_size(const tp_sim *sim, uint64_t tick);
uint32_t tp_sim_ring_capacity(const tp_sim *sim); ///< snapshots the ring has room for

/// Size in bytes of a row for P slots of input size I, without commands, without root: presence, origins, inputs, 2.
uint32_t tp_row_size_fixed(uint32_t players, uint32_t input_size);
/// Encodes a row; returns its size or 0 when it does not fit.
size_t   tp_row_encode(const tp_layout *layout, const tp_row *row, uint8_t *bytes, size_t capacity);

#ifdef __cplusplus
}
#endif
