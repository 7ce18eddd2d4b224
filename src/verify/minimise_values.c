// minimise_values.c: what is left of the inputs, field by field toward neutral: a stick that need not be at 117 is at 58.
#include "minimise_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECORDS_MAX = 256, // above it each field is only tried in all records at once
    REFUSED_MAX = 7,   // halvings in vain, from the first on: a value that counts for what it is, not for how large it is
};

// The bytes that one value stands in: of a record (all its ticks) or of a command. One of a kind is changed at a time.
typedef struct {
    MinimiseSearch       *search;
    const tp_record_type *type;
    const uint8_t        *neutral;
    void                 *native; // room for one struct
    const MinimiseItem   *item;   // NULL: all records
} MinimiseValue;

// One scalar inside those bytes.
typedef struct {
    const tp_field *field;
    uint32_t        offset, size;
} MinimiseScalar;

static uint32_t scalar_size(tp_field_type type)
{
    switch (type) {
    case TP_TYPE_U8:
    case TP_TYPE_I8: return 1;
    case TP_TYPE_U16:
    case TP_TYPE_I16:
    case TP_TYPE_ANGLE: return 2;
    case TP_TYPE_U32:
    case TP_TYPE_I32:
    case TP_TYPE_FX: return 4;
    case TP_TYPE_U64:
    case TP_TYPE_I64:
    case TP_TYPE_FX64:
    case TP_TYPE_HANDLE: return 8;
    }
    return 0;
}

static bool is_signed(tp_field_type type)
{
    return type == TP_TYPE_I8 || type == TP_TYPE_I16 || type == TP_TYPE_I32 || type == TP_TYPE_I64 || type == TP_TYPE_FX || type == TP_TYPE_FX64;
}

static uint64_t load(const uint8_t *bytes, const MinimiseScalar *scalar)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < scalar->size; i++) {
        bits |= (uint64_t)bytes[scalar->offset + i] << (8 * i);
    }
    uint64_t sign = scalar->size < 8 && is_signed(scalar->field->type) ? UINT64_C(1) << (scalar->size * 8 - 1) : 0;
    return (bits ^ sign) - sign;
}

static void store(uint8_t *bytes, const MinimiseScalar *scalar, uint64_t bits)
{
    for (uint32_t i = 0; i < scalar->size; i++) {
        bytes[scalar->offset + i] = (uint8_t)(bits >> (8 * i));
    }
}

static tp_input_command *find_command(const tp_inputs *inputs, uint32_t id)
{
    for (uint32_t i = 0; i < inputs->command_count; i++) {
        if (inputs->commands[i].id == id) {
            return &inputs->commands[i];
        }
    }
    return NULL;
}

// The value's bytes in the best; NULL: it is not there any more.
static const uint8_t *bytes_of(const MinimiseValue *value)
{
    const tp_inputs    *best = value->search->best;
    const MinimiseItem *item = value->item;
    if (item->kind == MINIMISE_COMMAND) {
        const tp_input_command *command = find_command(best, item->which);
        return command == NULL ? NULL : best->data + command->data;
    }
    return item->first < best->ticks ? minimise_cell(best, item->first, item->which) : NULL;
}

static void store_in_record(tp_inputs *inputs, const MinimiseItem *item, const MinimiseScalar *scalar, uint64_t bits)
{
    for (uint64_t tick = item->first; tick < item->first + item->ticks && tick < inputs->ticks; tick++) {
        store(minimise_cell(inputs, tick, item->which), scalar, bits);
    }
}

// Tries the value with these bits. Bits that the world would not take are not tried.
static bool try_bits(const MinimiseValue *value, const MinimiseScalar *scalar, uint64_t bits)
{
    MinimiseSearch     *search = value->search;
    const MinimiseItem *item = value->item;
    if (!minimise_begin(search)) {
        return false;
    }
    uint8_t *bytes;
    if (item->kind == MINIMISE_COMMAND) {
        bytes = search->work.data + find_command(&search->work, item->which)->data;
        store(bytes, scalar, bits);
    } else {
        bytes = minimise_cell(&search->work, item->first, item->which);
        store_in_record(&search->work, item, scalar, bits);
    }
    return tp_record_decode(value->type, bytes, value->native, NULL) && minimise_try(search);
}

static bool has_bits(const tp_field *field)
{
    return strcmp(field->unit, "flags") == 0 || strcmp(field->unit, "bits") == 0 || strcmp(field->unit, "buttons") == 0;
}

// Single bits that are not as in neutral. True when any could be.
static bool clear_bits(const MinimiseValue *value, const MinimiseScalar *scalar)
{
    bool           has_changed = false;
    const uint64_t neutral = load(value->neutral, scalar);
    for (uint32_t bit = 0; bit < scalar->size * 8; bit++) {
        const uint8_t *bytes = bytes_of(value);
        uint64_t       now = bytes == NULL ? neutral : load(bytes, scalar);
        if (((now ^ neutral) >> bit & 1) != 0) {
            has_changed = try_bits(value, scalar, now ^ UINT64_C(1) << bit) || has_changed;
        }
    }
    return has_changed;
}

// The distance from neutral, halved until it may not be less. A world that takes only some values between is met half-way.
static bool come_nearer(const MinimiseValue *value, const MinimiseScalar *scalar, uint64_t now)
{
    bool           has_changed = false;
    const uint64_t neutral = load(value->neutral, scalar);
    bool           is_below = is_signed(scalar->field->type) ? (int64_t)now < (int64_t)neutral : now < neutral;
    uint64_t       with = is_below ? neutral - now : now - neutral, without = 0;
    for (int refused = 0; with - without > 1 && refused < REFUSED_MAX && bytes_of(value) != NULL && !value->search->is_over;) {
        uint64_t middle = without + (with - without) / 2;
        if (try_bits(value, scalar, is_below ? neutral - middle : neutral + middle)) {
            with = middle;
            has_changed = true;
        } else {
            without = middle;
            refused += has_changed ? 0 : 1;
        }
    }
    return has_changed;
}

static bool simplify_scalar(const MinimiseValue *value, const MinimiseScalar *scalar)
{
    const uint8_t *bytes = bytes_of(value);
    uint64_t       neutral = load(value->neutral, scalar);
    if (bytes == NULL || load(bytes, scalar) == neutral) {
        return false;
    }
    uint64_t now = load(bytes, scalar);
    if (try_bits(value, scalar, neutral)) {
        return true;
    }
    if (scalar->field->type == TP_TYPE_HANDLE) {
        return false;
    }
    return has_bits(scalar->field) ? clear_bits(value, scalar) : come_nearer(value, scalar, now);
}

// The same field of all records. True when that was a change that holds.
static bool try_field_of_all(const MinimiseValue *value, const MinimiseScalar *scalar, const MinimiseItems *records)
{
    bool     is_other = false;
    uint64_t neutral = load(value->neutral, scalar);
    if (!minimise_begin(value->search)) {
        return false;
    }
    for (size_t i = 0; i < records->count; i++) {
        const MinimiseItem *item = &records->items[i];
        if (item->first < value->search->best->ticks) {
            is_other = is_other || load(minimise_cell(&value->search->work, item->first, item->which), scalar) != neutral;
            store_in_record(&value->search->work, item, scalar, neutral);
        }
    }
    return is_other && minimise_try(value->search);
}

static bool each_scalar(const MinimiseValue *value, const MinimiseItems *records)
{
    bool           has_changed = false;
    MinimiseScalar scalar = { .offset = 0 };
    for (uint32_t f = 0; f < value->type->field_count; f++) {
        scalar.field = &value->type->fields[f];
        scalar.size = scalar_size(scalar.field->type);
        for (uint32_t i = 0; i < scalar.field->count && !value->search->is_over; i++) {
            has_changed = (records != NULL ? try_field_of_all(value, &scalar, records) : simplify_scalar(value, &scalar)) || has_changed;
            scalar.offset += scalar.size;
        }
    }
    return has_changed;
}

static bool simplify_records(MinimiseSearch *search, MinimiseItems *records)
{
    const tp_record_type *type = search->options->layout->world->input;
    MinimiseValue         value = { .search = search, .type = type, .neutral = search->best->neutral };
    if (search->best->players == 0 || type == NULL || !minimise_list_records(search, records)) {
        return false;
    }
    value.native = malloc((size_t)type->struct_size + 1);
    if (value.native == NULL) {
        minimise_over(search, TP_MINIMISE_NO_MEMORY);
        return false;
    }
    bool has_changed = each_scalar(&value, records);
    for (size_t i = 0; i < records->count && records->count <= RECORDS_MAX; i++) {
        value.item = &records->items[i];
        has_changed = each_scalar(&value, NULL) || has_changed;
    }
    free(value.native);
    return has_changed;
}

static bool simplify_command(MinimiseSearch *search, uint32_t id, const tp_record_type *type)
{
    MinimiseItem  item = { .kind = MINIMISE_COMMAND, .which = id };
    MinimiseValue value = { .search = search, .type = type, .native = calloc(1, (size_t)type->struct_size + 1), .item = &item };
    uint8_t      *neutral = calloc(1, (size_t)tp_record_size(type) + 1);
    bool          has_changed = false;
    if (value.native == NULL || neutral == NULL) {
        minimise_over(search, TP_MINIMISE_NO_MEMORY);
    } else {
        tp_record_clamp(type, value.native);
        tp_record_encode(type, value.native, neutral);
        value.neutral = neutral;
        has_changed = each_scalar(&value, NULL);
    }
    free(value.native);
    free(neutral);
    return has_changed;
}

// Commands of raw bytes have no fields: they stay as they are.
static bool simplify_commands(MinimiseSearch *search)
{
    const tp_world *world = search->options->layout->world;
    bool            has_changed = false;
    if (search->best->command_count > RECORDS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < search->best->command_count && !search->is_over; i++) {
        const tp_input_command *command = &search->best->commands[i];
        if (command->type < world->command_count && world->commands[command->type].field_count > 0) {
            has_changed = simplify_command(search, command->id, &world->commands[command->type]) || has_changed;
        }
    }
    return has_changed;
}

bool minimise_values(MinimiseSearch *search)
{
    MinimiseItems records = { 0 };
    bool          has_changed = simplify_records(search, &records);
    free(records.items);
    return simplify_commands(search) || has_changed;
}
