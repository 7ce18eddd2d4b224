// layout_text.c: states and records as people read them: values with units, differences, JSON.
#include "layout_internal.h"

#include <stdio.h>
#include <string.h>

#include "bytes.h"

// Exact decimal of a fixed-point number with `fraction` bits: multiplying the rest by ten ends, since each
// digit removes one factor of two.
static void fixed_text(int64_t raw, uint32_t fraction, char *text, size_t size)
{
    uint64_t magnitude = raw < 0 ? UINT64_C(0) - (uint64_t)raw : (uint64_t)raw;
    uint64_t mask = (UINT64_C(1) << fraction) - 1;
    uint64_t rest = magnitude & mask;
    int      used = snprintf(text, size, "%s%llu", raw < 0 ? "-" : "", (unsigned long long)(magnitude >> fraction));
    if (rest != 0 && (size_t)used + 1 < size) {
        text[used++] = '.';
    }
    while (rest != 0 && (size_t)used + 1 < size) {
        rest *= 10;
        text[used++] = (char)('0' + (rest >> fraction));
        rest &= mask;
    }
    text[used] = '\0';
}

// The number alone, as JSON wants it.
static void number_text(const tp_field *field, uint64_t bits, char *text, size_t size)
{
    switch (field->type) {
    case TP_TYPE_FX: fixed_text((int64_t)bits, 16, text, size); return;
    case TP_TYPE_FX64: fixed_text((int64_t)bits, 32, text, size); return;
    case TP_TYPE_HANDLE: snprintf(text, size, "[%u,%u]", (unsigned)(uint32_t)bits, (unsigned)(bits >> 32)); return;
    case TP_TYPE_I8:
    case TP_TYPE_I16:
    case TP_TYPE_I32:
    case TP_TYPE_I64: snprintf(text, size, "%lld", (long long)bits); return;
    case TP_TYPE_U8:
    case TP_TYPE_U16:
    case TP_TYPE_U32:
    case TP_TYPE_U64:
    case TP_TYPE_ANGLE: break;
    }
    snprintf(text, size, "%llu", (unsigned long long)bits);
}

void layout_value_text(const tp_field *field, uint64_t bits, char *text, size_t size)
{
    char number[64];
    number_text(field, bits, number, sizeof(number));
    const char *unit = field->unit != NULL ? field->unit : "";
    if (field->range.kind == TP_RANGE_ENUM && bits < (uint64_t)field->range.max) {
        snprintf(text, size, "%s (%s)", field->range.names[bits], number);
    } else if (field->type == TP_TYPE_FX || field->type == TP_TYPE_FX64) {
        snprintf(text, size, "%s %s (raw %lld)", number, unit, (long long)bits);
    } else if (unit[0] != '\0' && field->type != TP_TYPE_HANDLE) {
        snprintf(text, size, "%s %s", number, unit);
    } else {
        snprintf(text, size, "%s", number);
    }
}

static bool is_single(const tp_section *section)
{
    return section->count_key == NULL && section->count == 1;
}

static void fill_difference(const tp_section *section, const tp_field *field, uint64_t left, uint64_t right,
                            tp_difference *difference)
{
    char element[16] = "";
    char value[16] = "";
    if (!is_single(section)) {
        snprintf(element, sizeof(element), "[%u]", difference->element);
    }
    if (field->count > 1) {
        snprintf(value, sizeof(value), "[%u]", difference->value);
    }
    difference->field = field;
    snprintf(difference->place, sizeof(difference->place), "%s%s.%s%s", section->name, element, field->name, value);
    layout_value_text(field, left, difference->left, sizeof(difference->left));
    layout_value_text(field, right, difference->right, sizeof(difference->right));
}

uint64_t tp_layout_differences(const tp_layout *layout, const uint8_t *left, const uint8_t *right,
                               bool (*each)(void *to, const tp_difference *difference), void *to)
{
    const tp_world *world = layout->world;
    uint64_t        given = 0;
    size_t          offset = 0;
    for (uint32_t s = 0; s < world->section_count; s++) {
        const tp_section *section = &world->sections[s];
        if (layout->section_canonical_size[s] == 0 ||
            memcmp(left + offset, right + offset, layout->section_canonical_size[s]) == 0) {
            offset += layout->section_canonical_size[s];
            continue;
        }
        for (uint32_t e = 0; e < layout->section_count[s]; e++) {
            for (uint32_t f = 0; f < section->field_count; f++) {
                const tp_field *field = &section->fields[f];
                uint32_t        size = layout_value_size(field->type);
                for (uint32_t k = 0; k < field->count; k++, offset += size) {
                    if (memcmp(left + offset, right + offset, size) == 0) {
                        continue;
                    }
                    tp_difference difference = { .section = s, .element = e, .value = k, .offset = offset };
                    fill_difference(section, field, layout_value_get(field->type, left + offset),
                                    layout_value_get(field->type, right + offset), &difference);
                    given++;
                    if (!each(to, &difference)) {
                        return given;
                    }
                }
            }
        }
    }
    return given;
}

static bool keep_first(void *to, const tp_difference *difference)
{
    *(tp_difference *)to = *difference;
    return false;
}

bool tp_layout_difference(const tp_layout *layout, const uint8_t *left, const uint8_t *right, tp_difference *difference)
{
    return tp_layout_differences(layout, left, right, keep_first, difference) > 0;
}

typedef struct {
    tp_text_sink sink;
    void        *to;
} Out;

static void put(const Out *out, const char *text)
{
    out->sink(out->to, text, strlen(text));
}

static void put_value(const Out *out, const tp_field *field, const uint8_t *bytes)
{
    char     text[80];
    uint64_t bits = layout_value_get(field->type, bytes);
    if (field->range.kind == TP_RANGE_ENUM && bits < (uint64_t)field->range.max) {
        put(out, "\"");
        put(out, field->range.names[bits]); // letters only: checked with the world
        put(out, "\"");
        return;
    }
    number_text(field, bits, text, sizeof(text));
    put(out, text);
}

static void put_struct(const Out *out, const tp_field *fields, uint32_t count, const uint8_t *bytes)
{
    put(out, "{");
    for (uint32_t f = 0; f < count; f++) {
        uint32_t size = layout_value_size(fields[f].type);
        put(out, f == 0 ? "\"" : ",\"");
        put(out, fields[f].name);
        put(out, "\":");
        put(out, fields[f].count > 1 ? "[" : "");
        for (uint32_t k = 0; k < fields[f].count; k++, bytes += size) {
            put(out, k == 0 ? "" : ",");
            put_value(out, &fields[f], bytes);
        }
        put(out, fields[f].count > 1 ? "]" : "");
    }
    put(out, "}");
}

void tp_record_json(const tp_record_type *type, const uint8_t *bytes, tp_text_sink sink, void *to)
{
    Out out = { sink, to };
    put_struct(&out, type->fields, type->field_count, bytes);
}

void tp_layout_json(const tp_layout *layout, const uint8_t *bytes, tp_text_sink sink, void *to)
{
    const tp_world *world = layout->world;
    Out             out = { sink, to };
    bool            is_first = true;
    put(&out, "{");
    for (uint32_t s = 0; s < world->section_count; s++) {
        const tp_section *section = &world->sections[s];
        if (section->membership != TP_SIM) {
            continue;
        }
        put(&out, is_first ? "\"" : ",\"");
        is_first = false;
        put(&out, section->name);
        put(&out, is_single(section) ? "\":" : "\":[");
        for (uint32_t e = 0; e < layout->section_count[s]; e++) {
            put(&out, e == 0 ? "" : ",");
            put_struct(&out, section->fields, section->field_count, bytes);
            bytes += section->element_size;
        }
        put(&out, is_single(section) ? "" : "]");
    }
    put(&out, "}");
}
