// fields.h: declare a state struct once, as a field table, and everything else follows from it: the C struct,
// the canonical little-endian encoding, validation of foreign bytes, roots, field-level differences, the JSON
// dump and the layout fingerprint.
//
// A table is a macro that lists rows and takes the row macros as parameters (every line but the last ends in a
// backslash, left out here):
//
//     #define BALL_FIELDS(S, F, A, H)
//         F(S, fx,  x,     "units",      TP_RANGE(-200 * 65536, 200 * 65536))
//         F(S, fx,  y,     "units",      TP_ANY)
//         A(S, u16, hits,  4, "count",   TP_ANY)
//         H(S, BlockHandle, target,      "blocks")
//     TP_STRUCT(Ball, BALL_FIELDS)                  // in the header: typedef struct { ... } Ball;
//     TP_TABLE(ball_fields, Ball, BALL_FIELDS)      // in one source: static const tp_field ball_fields[]
//
// F is one value, A an array of a constant length, H a handle into a pool (a typed struct per pool; the text
// names the section of the pool's slots). Every value is aligned to the size of its scalar on every ABI, so
// the C layout is the same everywhere; tp_layout_create refuses a struct with a byte that no row covers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tickproof/fx.h"
#include "tickproof/trig.h"

#ifdef __cplusplus
extern "C" {
#define TP_ALIGNAS alignas
#else
#define TP_ALIGNAS _Alignas
#endif

/// Scalar types of a row. Numbers enter the layout fingerprint and are never reused.
typedef enum tp_field_type {
    TP_TYPE_U8     = 1,
    TP_TYPE_U16    = 2,
    TP_TYPE_U32    = 3,
    TP_TYPE_U64    = 4,
    TP_TYPE_I8     = 5,
    TP_TYPE_I16    = 6,
    TP_TYPE_I32    = 7,
    TP_TYPE_I64    = 8,
    TP_TYPE_FX     = 9,  ///< tp_fx, Q16.16 in 32 bits
    TP_TYPE_FX64   = 10, ///< tp_fx64, Q32.32 in 64 bits
    TP_TYPE_ANGLE  = 11, ///< tp_angle, 16-bit binary angle
    TP_TYPE_HANDLE = 12, ///< {u32 index, u32 generation}
} tp_field_type;

/// What a foreign value must satisfy before any step may see it.
typedef enum tp_range_kind {
    TP_RANGE_ANY    = 0, ///< every bit pattern is legal
    TP_RANGE_MINMAX = 1, ///< min <= value <= max; raw bits for fixed point
    TP_RANGE_ENUM   = 2, ///< 0 <= value < max; `names[value]` is its text
    TP_RANGE_INDEX  = 3, ///< below the element count of section `target`
    TP_RANGE_HANDLE = 4, ///< null {0,0} or an index below the count of section `target`
    TP_RANGE_LINK   = 5, ///< at most the element count of section `target` (an end marker is allowed)
} tp_range_kind;

typedef struct tp_range {
    tp_range_kind      kind;
    int64_t            min;    ///< inclusive; for TP_TYPE_U64 compared as unsigned
    int64_t            max;    ///< inclusive for MINMAX, exclusive for ENUM
    const char *const *names;  ///< ENUM: max texts
    const char        *target; ///< INDEX, HANDLE, LINK: section name
} tp_range;

/// One row. `offset` and `size` are what the C compiler chose; layout creation holds them against the rule.
typedef struct tp_field {
    const char   *name;
    const char   *unit;   ///< "ticks", "units", "units/tick", "count", "flags", ...: for people, not in the fingerprint
    tp_field_type type;
    uint32_t      count;  ///< values in the row, at least 1
    uint32_t      offset; ///< bytes from the start of the struct
    uint32_t      size;   ///< bytes of the whole row in the struct
    tp_range      range;
} tp_field;

#define TP_ANY { TP_RANGE_ANY, 0, 0, NULL, NULL }
#define TP_RANGE(low, high) { TP_RANGE_MINMAX, (int64_t)(low), (int64_t)(high), NULL, NULL }
#define TP_BOOL { TP_RANGE_MINMAX, 0, 1, NULL, NULL }
#define TP_ZERO { TP_RANGE_MINMAX, 0, 0, NULL, NULL } ///< explicit padding: always zero
#define TP_ENUM(count, texts) { TP_RANGE_ENUM, 0, (int64_t)(count), (texts), NULL }
#define TP_INDEX_OF(section) { TP_RANGE_INDEX, 0, 0, NULL, (section) }
#define TP_LINK_OF(section) { TP_RANGE_LINK, 0, 0, NULL, (section) }

#define TP_C_u8 uint8_t
#define TP_C_u16 uint16_t
#define TP_C_u32 uint32_t
#define TP_C_u64 uint64_t
#define TP_C_i8 int8_t
#define TP_C_i16 int16_t
#define TP_C_i32 int32_t
#define TP_C_i64 int64_t
#define TP_C_fx tp_fx
#define TP_C_fx64 tp_fx64
#define TP_C_angle tp_angle

#define TP_T_u8 TP_TYPE_U8
#define TP_T_u16 TP_TYPE_U16
#define TP_T_u32 TP_TYPE_U32
#define TP_T_u64 TP_TYPE_U64
#define TP_T_i8 TP_TYPE_I8
#define TP_T_i16 TP_TYPE_I16
#define TP_T_i32 TP_TYPE_I32
#define TP_T_i64 TP_TYPE_I64
#define TP_T_fx TP_TYPE_FX
#define TP_T_fx64 TP_TYPE_FX64
#define TP_T_angle TP_TYPE_ANGLE

#define TP_MEMBER_F(S, type, name, unit, ...) TP_ALIGNAS(sizeof(TP_C_##type)) TP_C_##type name;
#define TP_MEMBER_A(S, type, name, count, unit, ...) TP_ALIGNAS(sizeof(TP_C_##type)) TP_C_##type name[count];
#define TP_MEMBER_H(S, type, name, section) TP_ALIGNAS(4) type name;

#define TP_ROW_F(S, type, name, unit, ...) \
    { #name, unit, TP_T_##type, 1, (uint32_t)offsetof(S, name), (uint32_t)sizeof(((S *)0)->name), __VA_ARGS__ },
#define TP_ROW_A(S, type, name, count, unit, ...) \
    { #name, unit, TP_T_##type, (count), (uint32_t)offsetof(S, name), (uint32_t)sizeof(((S *)0)->name), __VA_ARGS__ },
#define TP_ROW_H(S, type, name, section)                                                                  \
    { #name, "handle", TP_TYPE_HANDLE, 1, (uint32_t)offsetof(S, name), (uint32_t)sizeof(((S *)0)->name), \
      { TP_RANGE_HANDLE, 0, 0, NULL, (section) } },

/// The struct a table declares.
#define TP_STRUCT(Name, FIELDS)                             \
    typedef struct Name {                                   \
        FIELDS(Name, TP_MEMBER_F, TP_MEMBER_A, TP_MEMBER_H) \
    } Name;

/// The rows of a table, for one source file.
#define TP_TABLE(variable, Name, FIELDS) \
    static const tp_field variable[] = { FIELDS(Name, TP_ROW_F, TP_ROW_A, TP_ROW_H) };

#define TP_COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/// A handle of any pool, for code that only looks at bytes.
typedef struct tp_handle {
    uint32_t index;
    uint32_t generation;
} tp_handle;

#ifdef __cplusplus
}
#endif
