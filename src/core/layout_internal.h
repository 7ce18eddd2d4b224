// layout_internal.h: what the sources of the layout share.
#pragma once

#include <string.h>

#include "tickproof/layout.h"

/// Bytes of one value of a type, 0 for a number that is no type; a handle counts as its two words.
static inline uint32_t layout_value_size(tp_field_type type)
{
    static const uint8_t sizes[] = {
        [TP_TYPE_U8] = 1, [TP_TYPE_I8] = 1, [TP_TYPE_U16] = 2, [TP_TYPE_I16] = 2, [TP_TYPE_ANGLE] = 2, [TP_TYPE_U32] = 4,
        [TP_TYPE_I32] = 4, [TP_TYPE_FX] = 4, [TP_TYPE_U64] = 8, [TP_TYPE_I64] = 8, [TP_TYPE_FX64] = 8, [TP_TYPE_HANDLE] = 8,
    };
    return (unsigned)type < sizeof(sizes) ? sizes[type] : 0;
}

/// What a value of the type is aligned to: its own size, 4 for a handle.
static inline uint32_t layout_value_align(tp_field_type type)
{
    return type == TP_TYPE_HANDLE ? 4 : layout_value_size(type);
}

static inline bool layout_type_is_signed(tp_field_type type)
{
    return type == TP_TYPE_I8 || type == TP_TYPE_I16 || type == TP_TYPE_I32 || type == TP_TYPE_I64 || type == TP_TYPE_FX ||
           type == TP_TYPE_FX64;
}

/// Canonical bytes of one struct.
uint32_t layout_fields_size(const tp_field *fields, uint32_t count);

static inline uint64_t layout_sign_extend(uint64_t bits, uint32_t size)
{
    if (size == 8) {
        return bits;
    }
    uint64_t sign = UINT64_C(1) << (size * 8 - 1);
    return (bits ^ sign) - sign;
}

/// Reads one native value as 64 bits, sign-extended when the type is signed. A handle: index | generation << 32.
static inline uint64_t layout_value_load(tp_field_type type, const void *place)
{
    uint32_t size = layout_value_size(type);
    uint64_t bits = 0;
    if (type == TP_TYPE_HANDLE) {
        uint32_t words[2];
        memcpy(words, place, sizeof(words));
        return (uint64_t)words[0] | (uint64_t)words[1] << 32;
    }
    if (size == 1) {
        bits = *(const uint8_t *)place;
    } else if (size == 2) {
        uint16_t value;
        memcpy(&value, place, sizeof(value));
        bits = value;
    } else if (size == 4) {
        uint32_t value;
        memcpy(&value, place, sizeof(value));
        bits = value;
    } else {
        memcpy(&bits, place, sizeof(bits));
    }
    return layout_type_is_signed(type) ? layout_sign_extend(bits, size) : bits;
}

void     layout_value_store(tp_field_type type, void *place, uint64_t bits);
/// The same for little-endian bytes.
uint64_t layout_value_get(tp_field_type type, const uint8_t *bytes);
void     layout_value_put(tp_field_type type, uint8_t *bytes, uint64_t bits);

void layout_fields_encode(const tp_field *fields, uint32_t count, const void *native, uint8_t *bytes);
void layout_fields_decode(const tp_field *fields, uint32_t count, const uint8_t *bytes, void *native);

/// NULL when the value is in range, else a static text. `target_count` is what the range's target holds.
const char *layout_value_check(const tp_field *field, uint64_t bits, uint32_t target_count);
/// Element count of the section named `name`; 0 when there is none.
uint32_t layout_target_count(const tp_layout *layout, const char *name);

/// Value with its unit, as people read it.
void layout_value_text(const tp_field *field, uint64_t bits, char *text, size_t size);
