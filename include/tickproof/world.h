// world.h: the contract between a world and the host. A world is a plain struct and a step function; the host
// keeps its bytes, snapshots, checksums, records and verifies them.
//
// A world may be compiled in, or be a shared library that exports `const tp_world *tickproof_world(void)`.
// The contract in one paragraph: step is a pure function of (state, inputs, commands). It reads nothing else, keeps
// nothing elsewhere, allocates nothing (flat worlds), and the same arguments give the same bytes on every
// machine. What it reports goes out as events; what it cannot go on with is a fault.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/checksum.h"
#include "tickproof/fault.h"
#include "tickproof/fields.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raised whenever a member of a struct of this page changes its place, its type or its meaning, or goes. A world built against
/// another number is refused by name before anything of it runs. The number is in every root, so it stays where it can: members may
/// be appended without raising it to the structs that the host makes (tp_context, tp_tick, tp_view) and to tp_world, whose
/// struct_size says how far the world's own copy reaches.
#define TP_WORLD_ABI 1u

// Bounds of what a world may declare. Each is checked by tp_world_check with a message that names it.
enum {
    TP_PLAYERS_MAX        = 128,
    TP_INPUT_SIZE_MAX     = 64,     ///< canonical bytes of one slot's input
    TP_SECTIONS_MAX       = 64,
    TP_CONFIG_ITEMS_MAX   = 64,
    TP_COMMANDS_MAX       = 256,    ///< commands of one tick
    TP_COMMAND_SIZE_MAX   = 4096,   ///< bytes of one command
    TP_COMMAND_BYTES_MAX  = 65536,  ///< bytes of all commands of one tick
    TP_EVENT_SIZE_MAX     = 256,    ///< canonical bytes of one event
    TP_EVENTS_MAX         = 4096,   ///< events of one tick
    TP_NAME_SIZE_MAX      = 63,     ///< letters of any name: a-z, 0-9, '_', '-', '.'
    TP_STATE_SIZE_MAX     = 64 * 1024 * 1024,
    TP_LEAF_SIZE          = 16384,  ///< canonical bytes of state behind one leaf
    TP_TOUCH_PAGE         = 1024,   ///< bytes of the block behind one bit of what a step touched
};

/// A named number of a match: part of the rules, in every root. Sections may take their count from one.
typedef struct tp_config_item {
    const char *name;
    const char *unit;
    const char *text; ///< one line of help
    int64_t     standard;
    int64_t     min, max; ///< inclusive
} tp_config_item;

/// What one match is made from. `config` has one value per config item of the world, in its order.
typedef struct tp_setup {
    uint64_t       seed;
    uint32_t       players; ///< slots; whether one is taken at a tick is `presence`
    uint32_t       tick_rate_hz;
    const int64_t *config;
} tp_setup;

typedef enum tp_membership {
    TP_SIM     = 0, ///< in snapshot, keyframe and root
    TP_DERIVED = 1, ///< in the snapshot only; `rebuild` makes it again after every decode
} tp_membership;

/// An array of structs inside the flat block. The count is `count`, or the config item `count_key`, or the
/// number of players when `count_key` is TP_COUNT_PLAYERS.
typedef struct tp_section {
    const char     *name;
    const tp_field *fields;
    uint32_t        field_count;
    uint32_t        element_size; ///< sizeof the struct
    const char     *count_key;    ///< NULL: `count`
    uint32_t        count;
    tp_membership   membership;
} tp_section;

#define TP_COUNT_PLAYERS "players"
#define TP_SECTION(name, Struct, fields, count_key, count, membership) \
    { (name), (fields), TP_COUNT_OF(fields), (uint32_t)sizeof(Struct), (count_key), (count), (membership) }

/// A struct with a table that is not state: an input, an event, a command's payload.
typedef struct tp_record_type {
    const char     *name;
    const tp_field *fields;      ///< NULL with field_count 0: no fixed shape (commands of raw bytes)
    uint32_t        field_count;
    uint32_t        struct_size;
    uint32_t        size_max;    ///< commands without fields: most bytes; else ignored
    const char     *text;        ///< one line of help
} tp_record_type;

#define TP_RECORD(name, Struct, fields, text) { (name), (fields), TP_COUNT_OF(fields), (uint32_t)sizeof(Struct), 0, (text) }
#define TP_RECORD_EMPTY(name, text) { (name), NULL, 0, 0, 0, (text) }
#define TP_RECORD_BYTES(name, size_max, text) { (name), NULL, 0, 0, (size_max), (text) }

/// Content that the rules depend on (tables, maps): hashed into the rules as little-endian values.
typedef struct tp_content {
    const char *name;
    const void *data;
    size_t      size;       ///< bytes
    uint32_t    value_size; ///< 1, 2, 4 or 8: size of one value, for the byte order
} tp_content;

/// Something that did not come through a slot: an administrator, content arrival, a join. Part of the tick's
/// leaf, in the order given.
typedef struct tp_command {
    uint32_t    source; ///< slot number, or TP_SOURCE_HOST
    uint16_t    type;   ///< index into the world's `commands`
    uint16_t    size;   ///< bytes
    const void *data;   ///< with fields: the native struct; else raw bytes. Valid during the step
} tp_command;

#define TP_SOURCE_HOST UINT32_C(0xFFFFFFFF)

/// Where an input came from: recorded beside it, never in a root.
typedef enum tp_origin {
    TP_ORIGIN_RECEIVED = 0,
    TP_ORIGIN_REPEATED = 1,
    TP_ORIGIN_NEUTRAL  = 2,
    TP_ORIGIN_BOT      = 3,
} tp_origin;

/// Everything one tick is a function of, beside the state.
typedef struct tp_tick {
    uint64_t          tick;     ///< number of steps before this one
    uint32_t          players;
    const uint8_t    *presence; ///< bit (slot % 8) of byte (slot / 8): the slot is taken
    const void       *inputs;   ///< `players` native input structs, decoded and in range; absent slots are zero
    uint32_t          command_count;
    const tp_command *commands;
} tp_tick;

static inline bool tp_tick_present(const tp_tick *tick, uint32_t slot)
{
    return ((tick->presence[slot / 8] >> (slot % 8)) & 1) != 0;
}

/// One event of one tick. `data` is the native struct of the event's type.
typedef struct tp_event {
    uint64_t    tick;
    uint32_t    type; ///< index into the world's `events`
    uint32_t    size; ///< bytes at data
    const void *data; ///< valid until the next step
} tp_event;

/// What the host lends to a step. Opaque worlds get it, too.
typedef struct tp_context tp_context;
struct tp_context {
    const tp_setup *setup;
    const uint32_t *section_offset; ///< flat worlds: byte offset of each section in the block
    const uint32_t *section_count;  ///< elements of each section
    /// Reports an event; copies `data`. False when the tick already has `events_max` events: the newest is
    /// dropped and counted, and both counts are in the tick's event leaf. A world that can lose one keeps its
    /// own count in the state.
    bool (*emit)(tp_context *context, uint32_t type, const void *data);
    void *host;
    // Appended; written by tp_touch alone. Bit (page % 8) of byte (page / 8) is set when the step has told of a write into that page.
    unsigned char *touched;    ///< NULL: the host does not want to know
    const void    *block;      ///< the flat block that pages are counted in
    size_t         block_size; ///< bytes
};

static inline bool tp_emit(tp_context *context, uint32_t type, const void *data)
{
    return context->emit(context, type, data);
}

/// Tells the host that the step is about to change these bytes of its block, or has just changed them; needed of a world that
/// promises TP_WORLD_TRACKS_WRITES, allowed to every other. Cheap enough to be called for each struct that is written. What lies
/// outside of the block is left out, so any address and size may be given. Too much told costs time, too little makes roots wrong.
static inline void tp_touch(tp_context *context, const void *memory, size_t size)
{
    if (context->touched == NULL || size == 0) {
        return;
    }
    uintptr_t block = (uintptr_t)context->block;
    uintptr_t block_end = block + context->block_size;
    uintptr_t begin = (uintptr_t)memory;
    uintptr_t end = size < UINTPTR_MAX - begin ? begin + size : UINTPTR_MAX;
    begin = begin > block ? begin : block;
    end = end < block_end ? end : block_end;
    if (begin >= end) {
        return;
    }
    size_t last = (size_t)(end - 1 - block) / TP_TOUCH_PAGE;
    for (size_t page = (size_t)(begin - block) / TP_TOUCH_PAGE; page <= last; page++) {
        context->touched[page / 8] = (unsigned char)(context->touched[page / 8] | 1u << (page % 8));
    }
}

/// First element of a section inside a flat block.
static inline void *tp_section_at(const tp_context *context, void *state, uint32_t section)
{
    return (unsigned char *)state + context->section_offset[section];
}

static inline const void *tp_section_at_const(const tp_context *context, const void *state, uint32_t section)
{
    return (const unsigned char *)state + context->section_offset[section];
}

/// A finished tick, for observers, bots and printers: nothing of it can be changed.
typedef struct tp_view {
    const tp_setup *setup;
    const uint32_t *section_offset;
    const uint32_t *section_count;
    uint64_t        tick;  ///< steps done; the events are those of step tick - 1
    const void     *state; ///< flat: the block. Opaque: the instance, for the world's own functions only
    uint32_t        event_count;
    uint32_t        events_dropped;
    const tp_event *events;
} tp_view;

static inline const void *tp_view_section(const tp_view *view, uint32_t section)
{
    return (const unsigned char *)view->state + view->section_offset[section];
}

/// What a person would hear or feel: output of an observer, in fixed point, the same on every machine.
typedef enum tp_cue_kind { TP_CUE_SOUND = 0, TP_CUE_SHAKE = 1, TP_CUE_PARTICLES = 2 } tp_cue_kind;

typedef struct tp_cue {
    uint64_t    tick;
    tp_cue_kind kind;
    const char *name;   ///< "coin", "crash", ...: static
    uint32_t    slot;   ///< whose; TP_SOURCE_HOST for everybody's
    uint32_t    voice;  ///< SOUND: which copy of the recording plays
    uint32_t    count;  ///< PARTICLES: how many were made
    tp_fx       volume; ///< SOUND: 0..1
    tp_fx       pitch;  ///< SOUND: rate of the recording, 1 = as recorded
    tp_fx       amount; ///< SHAKE: the strength after the kick; PARTICLES: speed
    tp_fx       x, y;   ///< units
} tp_cue;

/// An observer: particles, shake, audio. Its memory is its own, outside the state; with or without it every
/// root is the same. `tick` is called once per finished tick in order, with what to hear going to `sink`.
typedef struct tp_observer_type {
    const char *name;
    uint32_t    size; ///< bytes of observer memory; the caller gives it zeroed and aligned to 16
    void (*init)(void *observer, const tp_setup *setup);
    void (*tick)(void *observer, const tp_view *view, void (*sink)(void *to, const tp_cue *cue), void *to);
} tp_observer_type;

/// A player made of code. It sees what a person sees, a view; `delay_ticks` is pure reaction latency.
typedef struct tp_bot_type {
    uint32_t size; ///< bytes of bot memory per slot; the caller gives it zeroed and aligned to 16
    void (*init)(void *bot, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks);
    void (*play)(void *bot, const tp_view *view, void *input_out); ///< fills one native input struct
} tp_bot_type;

/// The host's memory access for a world that cannot be flat. Every function works on the instance that
/// `create` made; a snapshot is whatever `save` writes, at most `size_max` bytes and canonical: equal worlds write
/// equal bytes on every machine that is meant to agree.
///
/// Floats are welcome, but their controls are everybody's: rounding, flushing of subnormal numbers, traps. init and step must leave them as they
/// find them: else init is refused and a step faults. What the other functions do to them is put back.
///
/// A section table is optional. With one, what `save` writes is the canonical encoding of its sections, little-endian and without gaps
/// (tp_record_encode writes one struct), and reports then name fields instead of bytes. The table names bytes and no more: it is in
/// no root and no fingerprint, nothing is checked by it, and a saved state of another size is taken as bytes. Sections are then all TP_SIM.
typedef struct tp_opaque {
    size_t (*size_max)(const tp_setup *setup);
    /// NULL: out of memory.
    void *(*create)(const tp_setup *setup);
    void (*destroy)(void *instance);
    /// False: does not fit `capacity`, nothing promised about the bytes.
    bool (*save)(const void *instance, void *bytes, size_t capacity, size_t *size);
    /// False: the bytes are not a state of this world; the instance is as it was. The bytes are foreign.
    bool (*load)(void *instance, const void *bytes, size_t size);
    /// NULL: the host hashes what save writes. Else a hash of the whole state that changes when save's bytes do.
    uint64_t (*hash)(const void *instance, tp_hash_algorithm algorithm);
} tp_opaque;

/// What a world promises, bits of tp_world.flags.
enum {
    /// Flat worlds: step tells by tp_touch every byte of the block that it changes, gaps and derived sections included; init, rebuild and
    /// validate need not. The host then hashes and copies no more than what changed. It believes the world: tp_sim_options.check_touched
    /// and `tickproof synctest` find one that leaves a write out. The promise is in no root: the same world without it has the same ones.
    TP_WORLD_TRACKS_WRITES = 1,
};

typedef enum tp_step_result { TP_STEP_OK = 0, TP_STEP_FAULT = 1 } tp_step_result;

typedef struct tp_world {
    uint32_t struct_size; ///< sizeof(tp_world) as the world was compiled
    uint32_t abi;         ///< TP_WORLD_ABI as the world was compiled

    const char *name;
    uint32_t    revision; ///< raised whenever the same inputs may give other states
    const char *text;     ///< one line

    uint32_t tick_rate_hz; ///< the usual rate
    uint32_t players_min, players_max, players_standard;

    const tp_config_item *config;
    uint32_t              config_count;
    const tp_section     *sections; ///< of an opaque world: what its saved bytes are, or none; see tp_opaque
    uint32_t              section_count;
    const tp_record_type *input;    ///< one slot's input; required when players_max > 0
    const tp_record_type *commands;
    uint32_t              command_count;
    const tp_record_type *events;
    uint32_t              event_count;
    uint32_t              events_max; ///< most events one tick can keep
    const tp_content     *content;
    uint32_t              content_count;
    const tp_opaque      *opaque; ///< NULL: flat

    /// Makes the state before the first tick from a zeroed block (flat) or a fresh instance (opaque). May fault.
    void (*init)(void *state, tp_context *context);
    /// One tick. C worlds fault by tp_fault_raise and return TP_STEP_OK; others may return TP_STEP_FAULT.
    tp_step_result (*step)(void *state, const tp_tick *tick, tp_context *context);

    // Optional, NULL when absent.

    /// After every decode of foreign bytes, when all ranges already hold and before any step: NULL, or a static text
    /// of what is wrong. Must be safe for any in-range state.
    const char *(*validate)(const void *state, const tp_context *context);
    /// Makes derived sections again from sim sections.
    void (*rebuild)(void *state, tp_context *context);
    /// Native input struct guessed for a tick whose input has not come, from the last one known. NULL: repeat it.
    /// A world with edge inputs (a press counts once) must give one, or one press becomes many.
    void (*predict)(const void *last, void *out);
    /// Brings a device's or a client's input into range at the border, before it is recorded. NULL: values out
    /// of their field's range are clamped to it.
    void (*sanitise)(void *input);
    /// One line for people about a state ("score 1,204, best 3,310"), cut to `size` with its terminator.
    void (*describe)(const tp_view *view, char *text, size_t size);
    const tp_observer_type *observer;
    const tp_bot_type      *bot;

    // Appended: a world compiled earlier ends above, and has zero here. Read it by tp_world_flags.
    uint32_t flags; ///< TP_WORLD_TRACKS_WRITES, or 0
    uint32_t reserved; ///< zero: no padding whose bytes nobody set
} tp_world;

/// Bytes of the shortest tp_world that is taken: up to `flags`.
#define TP_WORLD_SIZE_MIN ((uint32_t)offsetof(tp_world, flags))

/// The world's flags, 0 when it was compiled before there were any.
static inline uint32_t tp_world_flags(const tp_world *world)
{
    return world->struct_size >= offsetof(tp_world, flags) + sizeof(world->flags) ? world->flags : 0;
}

/// The name a shared library exports its world under.
#define TP_WORLD_SYMBOL "tickproof_world"
typedef const tp_world *(*tp_world_function)(void);

#ifdef __cplusplus
}
#endif
