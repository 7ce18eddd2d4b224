// layout_codec.c: values, structs and whole states to and from canonical little-endian bytes, by the rows alone.
#include "layout_internal.h"

#include <string.h>

#include "bytes.h"

uint32_t layout_fields_size(const tp_field *fields, uint32_t count)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += layout_value_size(fields[i].type) * fields[i].count;
    }
    return size;
}

void layout_value_store(tp_field_type type, void *place, uint64_t bits)
{
    uint32_t size = layout_value_size(type);
    if (type == TP_TYPE_HANDLE) {
        uint32_t words[2] = { (uint32_t)bits, (uint32_t)(bits >> 32) };
        memcpy(place, words, sizeof(words));
    } else if (size == 1) {
        *(uint8_t *)place = (uint8_t)bits;
    } else if (size == 2) {
        uint16_t value = (uint16_t)bits;
        memcpy(place, &value, sizeof(value));
    } else if (size == 4) {
        uint32_t value = (uint32_t)bits;
        memcpy(place, &value, sizeof(value));
    } else {
        memcpy(place, &bits, sizeof(bits));
    }
}

uint64_t layout_value_get(tp_field_type type, const uint8_t *bytes)
{
    uint32_t size = layout_value_size(type);
    uint64_t bits = size == 1 ? bytes[0] : size == 2 ? bytes_get_u16(bytes) : size == 4 ? bytes_get_u32(bytes) : bytes_get_u64(bytes);
    return layout_type_is_signed(type) ? layout_sign_extend(bits, size) : bits;
}

void layout_value_put(tp_field_type type, uint8_t *bytes, uint64_t bits)
{
    switch (layout_value_size(type)) {
    case 1: bytes[0] = (uint8_t)bits; break;
    case 2: bytes_put_u16(bytes, (uint16_t)bits); break;
    case 4: bytes_put_u32(bytes, (uint32_t)bits); break;
    default: bytes_put_u64(bytes, bits); break;
    }
}

void layout_fields_encode(const tp_field *fields, uint32_t count, const void *native, uint8_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *place = (const unsigned char *)native + fields[i].offset;
        uint32_t             size = layout_value_size(fields[i].type);
        for (uint32_t k = 0; k < fields[i].count; k++) {
            layout_value_put(fields[i].type, bytes, layout_value_load(fields[i].type, place));
            place += size;
            bytes += size;
        }
    }
}

void layout_fields_decode(const tp_field *fields, uint32_t count, const uint8_t *bytes, void *native)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *place = (unsigned char *)native + fields[i].offset;
        uint32_t       size = layout_value_size(fields[i].type);
        for (uint32_t k = 0; k < fields[i].count; k++) {
            layout_value_store(fields[i].type, place, layout_value_get(fields[i].type, bytes));
            place += size;
            bytes += size;
        }
    }
}

static bool is_in_minmax(const tp_field *field, uint64_t bits)
{
    const tp_range *range = &field->range;
    if (field->type == TP_TYPE_U64) {
        return bits >= (uint64_t)range->min && bits <= (uint64_t)range->max;
    }
    // The load has sign-extended, and every other type's values fit a signed 64-bit number.
    return (int64_t)bits >= range->min && (int64_t)bits <= range->max;
}

const char *layout_value_check(const tp_field *field, uint64_t bits, uint32_t target_count)
{
    const tp_range *range = &field->range;
    switch (range->kind) {
    case TP_RANGE_ANY:
        return NULL;
    case TP_RANGE_MINMAX:
        return is_in_minmax(field, bits) ? NULL : "out of its range";
    case TP_RANGE_ENUM:
        return bits < (uint64_t)range->max ? NULL : "not a value of its enum";
    case TP_RANGE_INDEX:
        return bits < target_count ? NULL : "an index past its section";
    case TP_RANGE_LINK:
        return bits <= target_count ? NULL : "a link past its section";
    case TP_RANGE_HANDLE:
        return bits == 0 || (uint32_t)bits < target_count ? NULL : "a handle past its pool";
    }
    return "of no known range";
}

uint32_t layout_target_count(const tp_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        if (strcmp(layout->world->sections[i].name, name) == 0) {
            return layout->section_count[i];
        }
    }
    return 0;
}

void tp_layout_encode_section(const tp_layout *layout, uint32_t section, const void *state, uint8_t *bytes)
{
    const tp_section    *type = &layout->world->sections[section];
    const unsigned char *element = (const unsigned char *)state + layout->section_offset[section];
    if (layout->section_canonical_size[section] == 0) {
        return;
    }
    for (uint32_t i = 0; i < layout->section_count[section]; i++) {
        layout_fields_encode(type->fields, type->field_count, element, bytes);
        element += type->element_size;
        bytes += type->element_size; // no gaps: checked when the layout was made
    }
}

void tp_layout_encode(const tp_layout *layout, const void *state, uint8_t *bytes)
{
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        tp_layout_encode_section(layout, i, state, bytes);
        bytes += layout->section_canonical_size[i];
    }
}

// Links and indices of 32 bits are most of what a big state has: one comparison each. False: look closer at the row.
static bool are_links_good(const tp_field *field, const tp_section *type, const unsigned char *element, uint32_t count, uint32_t target)
{
    if (field->type != TP_TYPE_U32 || (field->range.kind != TP_RANGE_LINK && field->range.kind != TP_RANGE_INDEX)) {
        return false;
    }
    uint64_t most = (uint64_t)target + (field->range.kind == TP_RANGE_LINK);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *place = element + (size_t)i * type->element_size + field->offset;
        for (uint32_t k = 0; k < field->count; k++, place += sizeof(uint32_t)) {
            uint32_t value;
            memcpy(&value, place, sizeof(value));
            if (value >= most) {
                return false;
            }
        }
    }
    return true;
}

static bool check_section(const tp_layout *layout, uint32_t section, const void *state, tp_error *error)
{
    const tp_section    *type = &layout->world->sections[section];
    const unsigned char *element = (const unsigned char *)state + layout->section_offset[section];
    for (uint32_t f = 0; f < type->field_count; f++) {
        const tp_field *field = &type->fields[f];
        if (field->range.kind == TP_RANGE_ANY) {
            continue;
        }
        uint32_t target = field->range.target != NULL ? layout_target_count(layout, field->range.target) : 0;
        uint32_t size = layout_value_size(field->type);
        if (are_links_good(field, type, element, layout->section_count[section], target)) {
            continue;
        }
        for (uint32_t i = 0; i < layout->section_count[section]; i++) {
            const unsigned char *place = element + (size_t)i * type->element_size + field->offset;
            for (uint32_t k = 0; k < field->count; k++) {
                uint64_t    bits = layout_value_load(field->type, place + (size_t)k * size);
                const char *wrong = layout_value_check(field, bits, target);
                if (wrong != NULL) {
                    char text[64];
                    layout_value_text(field, bits, text, sizeof(text));
                    return tp_error_set(error, "%s[%u].%s is %s: %s", type->name, i, field->name, text, wrong);
                }
            }
        }
    }
    return true;
}

typedef struct {
    const tp_layout *layout;
    void            *state;
    const char      *wrong;
} AcceptArguments;

static void accept_body(void *argument)
{
    AcceptArguments *accept = argument;
    const tp_world  *world = accept->layout->world;
    tp_context       context = tp_layout_context(accept->layout);
    if (world->validate != NULL) {
        accept->wrong = world->validate(accept->state, &context);
    }
    if (accept->wrong == NULL && world->rebuild != NULL) {
        world->rebuild(accept->state, &context);
    }
}

bool tp_layout_decode(const tp_layout *layout, const uint8_t *bytes, size_t size, void *state, tp_error *error)
{
    const tp_world *world = layout->world;
    memset(state, 0, layout->block_size);
    if (size != layout->canonical_size) {
        return tp_error_set(error, "a state has %u bytes here, not %zu", layout->canonical_size, size);
    }
    for (uint32_t s = 0; s < world->section_count; s++) {
        const tp_section *type = &world->sections[s];
        unsigned char    *element = (unsigned char *)state + layout->section_offset[s];
        if (type->membership != TP_SIM) {
            continue;
        }
        if (layout->is_native_canonical) {
            // The block's bytes are the canonical ones; the rows, which every other machine goes by, are the oracle in the tests.
            memcpy(element, bytes, layout->section_canonical_size[s]);
            bytes += layout->section_canonical_size[s];
            continue;
        }
        for (uint32_t i = 0; i < layout->section_count[s]; i++) {
            layout_fields_decode(type->fields, type->field_count, bytes, element);
            element += type->element_size;
            bytes += type->element_size;
        }
    }
    bool is_good = true;
    for (uint32_t s = 0; is_good && s < world->section_count; s++) {
        if (world->sections[s].membership == TP_SIM) {
            is_good = check_section(layout, s, state, error);
        }
    }
    AcceptArguments accept = { .layout = layout, .state = state };
    tp_fault        fault;
    if (is_good && !tp_guard_run(accept_body, &accept, &fault)) {
        is_good = tp_error_set(error, "the world faulted on the state: %s", fault.what);
    } else if (is_good && accept.wrong != NULL) {
        is_good = tp_error_set(error, "the world refuses the state: %s", accept.wrong);
    }
    if (!is_good) {
        memset(state, 0, layout->block_size);
    }
    return is_good;
}

uint32_t tp_record_size(const tp_record_type *type)
{
    return layout_fields_size(type->fields, type->field_count);
}

void tp_record_encode(const tp_record_type *type, const void *native, uint8_t *bytes)
{
    if (!BYTES_IS_LITTLE) {
        layout_fields_encode(type->fields, type->field_count, native, bytes);
    } else if (type->struct_size > 0) {
        memcpy(bytes, native, type->struct_size);
    }
}

// A value that fits a signed number, by one jump: every input of every tick comes through here. False: it is of a type that does not.
static inline bool load_signed(tp_field_type type, const unsigned char *place, int64_t *value)
{
#define LOAD(type)                           \
    {                                        \
        type number;                         \
        memcpy(&number, place, sizeof(number)); \
        *value = number;                     \
        return true;                         \
    }
    switch (type) {
    case TP_TYPE_U8: LOAD(uint8_t)
    case TP_TYPE_I8: LOAD(int8_t)
    case TP_TYPE_ANGLE:
    case TP_TYPE_U16: LOAD(uint16_t)
    case TP_TYPE_I16: LOAD(int16_t)
    case TP_TYPE_U32: LOAD(uint32_t)
    case TP_TYPE_FX:
    case TP_TYPE_I32: LOAD(int32_t)
    case TP_TYPE_FX64:
    case TP_TYPE_I64: LOAD(int64_t)
    case TP_TYPE_U64:
    case TP_TYPE_HANDLE: break;
    }
#undef LOAD
    return false;
}

static bool check_field(const tp_record_type *type, const tp_field *field, const unsigned char *place, tp_error *error)
{
    uint32_t size = layout_value_size(field->type);
    for (uint32_t k = 0; k < field->count; k++) {
        uint64_t    bits = layout_value_load(field->type, place + k * size);
        const char *wrong = layout_value_check(field, bits, 0);
        if (wrong != NULL) {
            char text[64];
            layout_value_text(field, bits, text, sizeof(text));
            return tp_error_set(error, "%s.%s is %s: %s", type->name, field->name, text, wrong);
        }
    }
    return true;
}

bool tp_record_decode(const tp_record_type *type, const uint8_t *bytes, void *native, tp_error *error)
{
    // Rows stand in the order of their offsets and leave no gap, so little-endian memory already is the encoding.
    if (BYTES_IS_LITTLE && type->struct_size > 0) {
        memcpy(native, bytes, type->struct_size);
    } else {
        layout_fields_decode(type->fields, type->field_count, bytes, native);
    }
    for (uint32_t f = 0; f < type->field_count; f++) {
        const tp_field      *field = &type->fields[f];
        const unsigned char *place = (const unsigned char *)native + field->offset;
        int64_t              value;
        bool is_usual = field->range.kind == TP_RANGE_MINMAX && field->count == 1 && load_signed(field->type, place, &value) &&
                        value >= field->range.min && value <= field->range.max;
        if (!is_usual && field->range.kind != TP_RANGE_ANY && !check_field(type, field, place, error)) {
            return false;
        }
    }
    return true;
}

static uint64_t clamp_value(const tp_field *field, uint64_t bits)
{
    const tp_range *range = &field->range;
    if (layout_value_check(field, bits, 0) == NULL) {
        return bits;
    }
    if (range->kind == TP_RANGE_ENUM) {
        return (uint64_t)range->max - 1;
    }
    bool is_low = field->type == TP_TYPE_U64 ? bits < (uint64_t)range->min : (int64_t)bits < range->min;
    return (uint64_t)(is_low ? range->min : range->max);
}

void tp_record_clamp(const tp_record_type *type, void *native)
{
    for (uint32_t f = 0; f < type->field_count; f++) {
        const tp_field *field = &type->fields[f];
        uint32_t        size = layout_value_size(field->type);
        for (uint32_t k = 0; k < field->count; k++) {
            unsigned char *place = (unsigned char *)native + field->offset + k * size;
            layout_value_store(field->type, place, clamp_value(field, layout_value_load(field->type, place)));
        }
    }
}

typedef struct {
    const tp_world *world;
    const void     *last;
    void           *input;
} InputCall;

static void sanitise_body(void *argument)
{
    InputCall *call = argument;
    call->world->sanitise(call->input);
}

static void predict_body(void *argument)
{
    InputCall *call = argument;
    call->world->predict(call->last, call->input);
}

// These run at the border, outside any step, so a fault of theirs is caught here: the host's own rule serves instead.
void tp_input_sanitise(const tp_world *world, void *input)
{
    InputCall call = { .world = world, .input = input };
    bool      is_done = world->sanitise != NULL && tp_guard_run(sanitise_body, &call, NULL);
    if (!is_done && world->input != NULL) {
        tp_record_clamp(world->input, input);
    }
}

void tp_input_neutral(const tp_layout *layout, uint8_t *bytes)
{
    // Every scalar takes at least its canonical size in the struct, and at most eight times that with its alignment.
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX * 16] = { 0 };
    const tp_world      *world = layout->world;
    if (world->input == NULL || world->input->struct_size > sizeof(native)) {
        return;
    }
    tp_input_sanitise(world, native);
    tp_record_encode(world->input, native, bytes);
}

void tp_input_predict(const tp_world *world, const void *last, void *out)
{
    InputCall call = { .world = world, .last = last, .input = out };
    bool      is_done = world->predict != NULL && tp_guard_run(predict_body, &call, NULL);
    if (!is_done && world->input != NULL) {
        memcpy(out, last, world->input->struct_size);
    }
}
