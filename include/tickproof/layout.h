// layout.h: what follows from a world's tables for one setup: sizes and offsets by one rule for every ABI, the
// canonical encoding, range checks, differences, JSON and the fingerprint. No heap: the caller keeps the layout.
#pragma once

#include "tickproof/world.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TP_ERROR_SIZE = 256 };

/// Text of a refusal: one line without a newline, always terminated.
typedef struct tp_error {
    char text[TP_ERROR_SIZE];
} tp_error;

/// Formats into the error; returns false so that a check can `return tp_error_set(...)`. `error` may be NULL.
bool tp_error_set(tp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Sizes and offsets of one setup. Sections start at multiples of 8; gaps between them are zero and belong to no
/// encoding. Canonical bytes are the sim sections one after another in table order, little-endian, without gaps.
typedef struct tp_layout {
    const tp_world *world;
    tp_setup        setup;
    int64_t         config[TP_CONFIG_ITEMS_MAX]; ///< setup.config points here
    uint32_t        section_offset[TP_SECTIONS_MAX];
    uint32_t        section_count[TP_SECTIONS_MAX];
    uint32_t        section_canonical_size[TP_SECTIONS_MAX]; ///< bytes of the whole section; 0 for derived
    uint32_t        block_size;     ///< flat: bytes of the block, a multiple of 8
    uint32_t        canonical_size; ///< bytes of the encoding; opaque: of a saved state that the section table names, 0 without one
    uint32_t        leaf_count;     ///< state leaves; an opaque world's are counted per state
    uint32_t        input_size;     ///< canonical bytes of one slot's input
    bool            is_native_canonical; ///< this machine's block bytes are the canonical bytes
} tp_layout;

/// Holds a world against the contract, without a setup: ABI, names, counts, bounds, tables that cover every
/// byte, ranges that fit their types, required functions. False with the reason.
bool tp_world_check(const tp_world *world, tp_error *error);

/// Checks the world and the setup (players, tick rate, every config value in range), then computes the layout.
/// setup->config NULL means the standard values. The layout holds its own copy of the setup. On failure it is zeroed.
bool tp_layout_init(tp_layout *layout, const tp_world *world, const tp_setup *setup, tp_error *error);

/// Names, types and counts of sections, inputs, commands and events: 128 bits that two builds must share. Never
/// offsets or units. For an opaque world: its name, input, commands and events, and never its sections.
tp_hash128 tp_layout_fingerprint(const tp_layout *layout, tp_hash_algorithm algorithm);

/// Context and view as functions of a layout. `host` and `emit` are the caller's.
tp_context tp_layout_context(const tp_layout *layout);

// Encoding of the flat state. `bytes` has canonical_size bytes.

/// Encodes by the rows, whatever the machine.
void tp_layout_encode(const tp_layout *layout, const void *state, uint8_t *bytes);
/// Encodes one section (0 bytes for a derived one). `bytes` has section_canonical_size[section] bytes.
void tp_layout_encode_section(const tp_layout *layout, uint32_t section, const void *state, uint8_t *bytes);
/// Decodes foreign bytes: zeroes the block, decodes, checks every range, runs validate, then rebuild. False with the
/// place and the reason; the block is then zero. Never faults: a fault in validate or rebuild is a refusal.
bool tp_layout_decode(const tp_layout *layout, const uint8_t *bytes, size_t size, void *state, tp_error *error);

// Records: inputs, events, commands with fields.

/// Canonical bytes of one struct of this type.
uint32_t tp_record_size(const tp_record_type *type);
void     tp_record_encode(const tp_record_type *type, const void *native, uint8_t *bytes);
/// False when a value is out of range (handles and indices have no target here and are not checked); the struct has the values all
/// the same, so that a border can bring them into range.
bool     tp_record_decode(const tp_record_type *type, const uint8_t *bytes, void *native, tp_error *error);
/// Clamps every ranged value of a native struct into its range.
void     tp_record_clamp(const tp_record_type *type, void *native);
/// The world's border: its `sanitise`, or the clamp.
void     tp_input_sanitise(const tp_world *world, void *input);
/// Canonical bytes of the input that means nothing was done: zero, brought into range.
void     tp_input_neutral(const tp_layout *layout, uint8_t *bytes);
/// The world's `predict`, or a copy.
void     tp_input_predict(const tp_world *world, const void *last, void *out);

// Differences and text.

/// Whether a canonical state of `size` bytes is what the section table says, so that the functions below may be given it. Always true of
/// a flat world's; of an opaque world's when it has a table and this state has its size.
bool tp_layout_names(const tp_layout *layout, size_t size);

/// One scalar that differs between two canonical states.
typedef struct tp_difference {
    uint32_t        section, element, value; ///< `value` counts inside an array row
    const tp_field *field;                   ///< NULL for an opaque state
    size_t          offset;                  ///< canonical byte offset
    char            place[128];              ///< "players[1].lane", "entities[3].y", "byte 112"
    char            left[64], right[64];     ///< values in the field's unit: "1.5 units (98304)"
} tp_difference;

/// First difference in table order of two encodings of canonical_size bytes; false when equal.
bool tp_layout_difference(const tp_layout *layout, const uint8_t *left, const uint8_t *right, tp_difference *difference);
/// All differences in order; `each` returns false to stop. Returns how many were given to it.
uint64_t tp_layout_differences(const tp_layout *layout, const uint8_t *left, const uint8_t *right,
                               bool (*each)(void *to, const tp_difference *difference), void *to);

/// Receives pieces of text.
typedef void (*tp_text_sink)(void *to, const char *text, size_t size);
/// A state's canonical bytes as one JSON object: {"section":[{"field":value,...},...],...}; sections of constant
/// count 1 are objects. All numbers are exact, fixed point included (1.5); a handle is [index, generation]; an enum is its text.
void tp_layout_json(const tp_layout *layout, const uint8_t *bytes, tp_text_sink sink, void *to);
/// One struct as a JSON object, the same way.
void tp_record_json(const tp_record_type *type, const uint8_t *bytes, tp_text_sink sink, void *to);

#ifdef __cplusplus
}
#endif
