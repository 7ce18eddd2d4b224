// rowjson.c: rows to lines of JSON and back. Values go through no floating point.
#include "rowjson.h"

#include <assert.h>
#include <string.h>

#include "bytes.h"
#include "textout.h"

static const char *const origin_names[4] = { "received", "repeated", "neutral", "bot" };

const char *rowjson_origin_name(unsigned origin)
{
    return origin_names[origin & 3];
}

void rowjson_clear(RowBuffer *row)
{
    memset(row->presence, 0, sizeof(row->presence));
    memset(row->origins, 0, sizeof(row->origins));
    memset(row->inputs, 0, sizeof(row->inputs));
    row->command_count = 0;
    row->command_bytes_used = 0;
}

tp_row rowjson_row(const RowBuffer *row)
{
    return (tp_row){ row->presence, row->origins, row->inputs, row->command_count, row->commands };
}

void rowjson_take_slot(RowBuffer *row, uint32_t slot, tp_origin origin)
{
    row->presence[slot / 8] |= (uint8_t)(1u << (slot % 8));
    row->origins[slot / 4] |= (uint8_t)((unsigned)origin << (2 * (slot % 4)));
}

static bool is_reserved(const char *name)
{
    return strcmp(name, "slot") == 0 || strcmp(name, "origin") == 0 || strcmp(name, "hex") == 0;
}

bool rowjson_has_plain_fields(const tp_world *world)
{
    for (uint32_t i = 0; world->input != NULL && i < world->input->field_count; i++) {
        if (is_reserved(world->input->fields[i].name)) {
            return false;
        }
    }
    return world->input != NULL;
}

// Bytes of one value; whether it is signed.
static uint32_t type_size(tp_field_type type, bool *is_signed)
{
    *is_signed = false;
    switch (type) {
    case TP_TYPE_I8: *is_signed = true; return 1;
    case TP_TYPE_U8: return 1;
    case TP_TYPE_I16: *is_signed = true; return 2;
    case TP_TYPE_U16:
    case TP_TYPE_ANGLE: return 2;
    case TP_TYPE_I32:
    case TP_TYPE_FX: *is_signed = true; return 4;
    case TP_TYPE_U32: return 4;
    case TP_TYPE_I64:
    case TP_TYPE_FX64: *is_signed = true; return 8;
    case TP_TYPE_U64:
    case TP_TYPE_HANDLE: return 8;
    }
    return 0;
}

static void put_value(uint8_t *bytes, uint32_t size, uint64_t bits)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(bits >> (8 * i));
    }
}

static bool read_enum(const tp_field *field, const cJSON *item, uint64_t *bits)
{
    for (int64_t i = 0; jsonin_is_text(item) && i < field->range.max; i++) {
        if (strcmp(field->range.names[i], item->valuestring) == 0) {
            *bits = (uint64_t)i;
            return true;
        }
    }
    return jsonin_u64(item, bits);
}

static bool read_handle(const cJSON *item, uint64_t *bits)
{
    uint64_t index = 0;
    uint64_t generation = 0;
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2 || !jsonin_u64(item->child, &index) ||
        !jsonin_u64(item->child->next, &generation) || index > UINT32_MAX || generation > UINT32_MAX) {
        return false;
    }
    *bits = index | generation << 32;
    return true;
}

static bool read_bits(const tp_field *field, const cJSON *item, bool is_signed, uint64_t *bits)
{
    int64_t number = 0;
    bool    is_read;
    if (field->range.kind == TP_RANGE_ENUM) {
        return read_enum(field, item, bits);
    }
    if (field->type == TP_TYPE_HANDLE) {
        return read_handle(item, bits);
    }
    if (!is_signed) {
        return jsonin_u64(item, bits);
    }
    if (field->type == TP_TYPE_FX || field->type == TP_TYPE_FX64) {
        is_read = jsonin_fixed(item, field->type == TP_TYPE_FX ? 16 : 32, &number);
    } else {
        is_read = jsonin_i64(item, &number);
    }
    *bits = (uint64_t)number;
    return is_read;
}

static bool fits_type(uint32_t size, bool is_signed, uint64_t bits)
{
    if (size == 8) {
        return true;
    }
    if (!is_signed) {
        return bits >> (8 * size) == 0;
    }
    int64_t limit = INT64_C(1) << (8 * size - 1);
    int64_t value = (int64_t)bits;
    return value >= -limit && value < limit;
}

static bool is_in_range(const tp_field *field, bool is_signed, uint64_t bits)
{
    const tp_range *range = &field->range;
    if (range->kind == TP_RANGE_ENUM) {
        return bits < (uint64_t)range->max;
    }
    if (range->kind != TP_RANGE_MINMAX) {
        return true; // references have no target here; the step checks what it needs
    }
    if (field->type == TP_TYPE_U64) {
        return bits >= (uint64_t)range->min && bits <= (uint64_t)range->max;
    }
    if (is_signed) {
        return (int64_t)bits >= range->min && (int64_t)bits <= range->max;
    }
    return (int64_t)bits >= range->min && (int64_t)bits <= range->max && bits <= INT64_MAX;
}

static const char *type_refusal(const tp_field *field)
{
    if (field->range.kind == TP_RANGE_ENUM) {
        return "is none of its names";
    }
    if (field->type == TP_TYPE_FX) {
        return "is not a multiple of 1/65536";
    }
    if (field->type == TP_TYPE_FX64) {
        return "is not a multiple of 1/4294967296";
    }
    return field->type == TP_TYPE_HANDLE ? "is not [index, generation]" : "is not a whole number that fits it";
}

static bool refuse_value(const tp_field *field, const cJSON *item, const char *what, tp_error *error)
{
    if (field->range.kind == TP_RANGE_MINMAX && field->type != TP_TYPE_FX && field->type != TP_TYPE_FX64) {
        return tp_error_set(error, "%s: %s %s; give %lld to %lld", field->name, jsonin_text(item), what, (long long)field->range.min,
                            (long long)field->range.max);
    }
    return tp_error_set(error, "%s: %s %s", field->name, jsonin_text(item), what);
}

static bool read_value(const tp_field *field, const cJSON *item, uint8_t *bytes, tp_error *error)
{
    bool     is_signed = false;
    uint32_t size = type_size(field->type, &is_signed);
    uint64_t bits = 0;
    if (!read_bits(field, item, is_signed, &bits) || !fits_type(size, is_signed, bits)) {
        return refuse_value(field, item, type_refusal(field), error);
    }
    if (!is_in_range(field, is_signed, bits)) {
        return refuse_value(field, item, "is out of range", error);
    }
    put_value(bytes, size, bits);
    return true;
}

static uint64_t get_value(const uint8_t *bytes, uint32_t size, bool is_signed)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++) {
        bits |= (uint64_t)bytes[i] << (8 * i);
    }
    bool is_negative = is_signed && bytes[size - 1] >= 0x80;
    return is_negative && size < 8 ? bits | UINT64_MAX << (8 * size) : bits;
}

// Values that came as bytes are held to the same ranges as those that came by name.
static bool check_hex(const tp_record_type *type, const uint8_t *bytes, tp_error *error)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        bool            is_signed = false;
        uint32_t        size = type_size(field->type, &is_signed);
        for (uint32_t k = 0; k < field->count; k++, bytes += size) {
            if (!is_in_range(field, is_signed, get_value(bytes, size, is_signed))) {
                return tp_error_set(error, "hex: field '%s' is out of range; 'tickproof worlds' shows the ranges", field->name);
            }
        }
    }
    return true;
}

static bool read_field(const tp_field *field, const cJSON *item, uint8_t *bytes, tp_error *error)
{
    bool     is_signed = false;
    uint32_t size = type_size(field->type, &is_signed);
    if (field->count == 1) {
        return read_value(field, item, bytes, error);
    }
    if (!cJSON_IsArray(item) || (uint32_t)cJSON_GetArraySize(item) != field->count) {
        return tp_error_set(error, "%s: needs an array of %u values", field->name, field->count);
    }
    for (const cJSON *value = item->child; value != NULL; value = value->next, bytes += size) {
        if (!read_value(field, value, bytes, error)) {
            return false;
        }
    }
    return true;
}

// Puts one named field into canonical bytes that already hold the neutral values.
static bool read_named(const tp_record_type *type, const cJSON *item, uint8_t *bytes, tp_error *error)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        bool     is_signed = false;
        uint32_t size = type_size(type->fields[i].type, &is_signed) * type->fields[i].count;
        if (strcmp(type->fields[i].name, item->string) == 0) {
            return read_field(&type->fields[i], item, bytes, error);
        }
        bytes += size;
    }
    return tp_error_set(error, "%.60s: '%s' has no such field", item->string, type->name);
}

static bool check_object(const cJSON *object, tp_error *error)
{
    if (!cJSON_IsObject(object)) {
        return tp_error_set(error, "needs an object, not %s", jsonin_text(object));
    }
    const char *twice = jsonin_twice(object);
    return twice == NULL || tp_error_set(error, "%.60s: it is given twice", twice);
}

static bool read_origin(const cJSON *item, tp_origin *origin, tp_error *error)
{
    for (unsigned i = 0; jsonin_is_text(item) && i < 4; i++) {
        if (strcmp(item->valuestring, origin_names[i]) == 0) {
            *origin = (tp_origin)i;
            return true;
        }
    }
    return tp_error_set(error, "origin: %s is not one; give received, repeated, neutral or bot", jsonin_text(item));
}

static bool read_slot_member(const tp_layout *layout, const cJSON *item, uint8_t *input, tp_origin *origin, tp_error *error)
{
    if (strcmp(item->string, "slot") == 0) {
        return true;
    }
    if (strcmp(item->string, "origin") == 0) {
        return read_origin(item, origin, error);
    }
    if (layout->world->input == NULL) {
        return tp_error_set(error, "%.60s: world '%s' has no inputs", item->string, layout->world->name);
    }
    if (strcmp(item->string, "hex") == 0) {
        size_t size = 0;
        if (!jsonin_hex(item, input, layout->input_size, &size) || size != layout->input_size) {
            return tp_error_set(error, "hex: needs the %u bytes of an input in hexadecimal", layout->input_size);
        }
        return check_hex(layout->world->input, input, error);
    }
    return read_named(layout->world->input, item, input, error);
}

static bool read_slot(const tp_layout *layout, const cJSON *object, RowBuffer *row, tp_error *error)
{
    uint64_t  slot = 0;
    tp_origin origin = TP_ORIGIN_RECEIVED;
    if (!check_object(object, error)) {
        return false;
    }
    if (!jsonin_u64(cJSON_GetObjectItemCaseSensitive(object, "slot"), &slot) || slot >= layout->setup.players) {
        return tp_error_set(error, "slot: needs a number below %u, the number of players", layout->setup.players);
    }
    if (((row->presence[slot / 8] >> (slot % 8)) & 1) != 0) {
        return tp_error_set(error, "slot: %u is listed twice", (unsigned)slot);
    }
    uint8_t *input = row->inputs + (size_t)slot * layout->input_size;
    tp_input_neutral(layout, input);
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (!read_slot_member(layout, item, input, &origin, error)) {
            return false;
        }
    }
    rowjson_take_slot(row, (uint32_t)slot, origin);
    return true;
}

static bool read_source(const tp_layout *layout, const cJSON *item, uint32_t *source, tp_error *error)
{
    uint64_t slot = 0;
    if (jsonin_is_text(item) && strcmp(item->valuestring, "host") == 0) {
        *source = TP_SOURCE_HOST;
        return true;
    }
    if (!jsonin_u64(item, &slot) || slot >= layout->setup.players) {
        return tp_error_set(error, "source: needs \"host\" or a slot below %u", layout->setup.players);
    }
    *source = (uint32_t)slot;
    return true;
}

static const tp_record_type *read_command_type(const tp_world *world, const cJSON *item, uint16_t *number, tp_error *error)
{
    uint64_t given = 0;
    bool     is_number = jsonin_u64(item, &given);
    for (uint32_t i = 0; i < world->command_count; i++) {
        if (is_number ? given == i : jsonin_is_text(item) && strcmp(world->commands[i].name, item->valuestring) == 0) {
            *number = (uint16_t)i;
            return &world->commands[i];
        }
    }
    tp_error_set(error, "type: world '%s' has no command %s", world->name, jsonin_text(item));
    return NULL;
}

// Puts a command's fields into its canonical bytes, which are zero.
static bool read_fields(const tp_record_type *type, const cJSON *fields, uint8_t *bytes, tp_error *error)
{
    tp_error inner;
    if (!cJSON_IsObject(fields)) {
        return tp_error_set(error, "fields: needs an object, not %s", jsonin_text(fields));
    }
    bool is_fine = check_object(fields, &inner);
    for (const cJSON *item = fields->child; item != NULL && is_fine; item = item->next) {
        is_fine = read_named(type, item, bytes, &inner);
    }
    return is_fine || tp_error_set(error, "fields.%.200s", inner.text);
}

static bool read_command_hex(const tp_record_type *type, const cJSON *hex, uint8_t *bytes, size_t capacity, size_t *size, tp_error *error)
{
    if (!jsonin_hex(hex, bytes, capacity, size)) {
        return tp_error_set(error, "hex: needs at most %zu bytes in hexadecimal", capacity);
    }
    if (type->field_count == 0) {
        return true;
    }
    if (*size != tp_record_size(type)) {
        return tp_error_set(error, "hex: needs the %zu bytes of command '%s' in hexadecimal", (size_t)tp_record_size(type), type->name);
    }
    return check_hex(type, bytes, error);
}

static bool read_payload(const tp_record_type *type, const cJSON *object, uint8_t *bytes, size_t capacity, size_t *size, tp_error *error)
{
    const cJSON *fields = cJSON_GetObjectItemCaseSensitive(object, "fields");
    const cJSON *hex = cJSON_GetObjectItemCaseSensitive(object, "hex");
    *size = 0;
    if (hex != NULL && fields != NULL) {
        return tp_error_set(error, "hex: fields are given, too; keep one");
    }
    if (hex != NULL) {
        return read_command_hex(type, hex, bytes, capacity, size, error);
    }
    if (type->field_count == 0) {
        bool is_empty = fields == NULL || (cJSON_IsObject(fields) && fields->child == NULL);
        return is_empty || tp_error_set(error, "fields: command '%s' has none; give hex", type->name);
    }
    *size = tp_record_size(type);
    if (*size > capacity) {
        return tp_error_set(error, "fields: the commands of one tick take at most %d bytes", TP_COMMAND_BYTES_MAX);
    }
    memset(bytes, 0, *size);
    return fields == NULL || read_fields(type, fields, bytes, error);
}

static bool check_command_keys(const cJSON *object, tp_error *error)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (strcmp(item->string, "source") != 0 && strcmp(item->string, "type") != 0 && strcmp(item->string, "fields") != 0 &&
            strcmp(item->string, "hex") != 0) {
            return tp_error_set(error, "%.60s: unknown key; a command has source, type, and fields or hex", item->string);
        }
    }
    return true;
}

static bool read_command(const tp_layout *layout, const cJSON *object, RowBuffer *row, tp_error *error)
{
    assert(row->command_count < TP_COMMANDS_MAX);
    if (!check_object(object, error) || !check_command_keys(object, error)) {
        return false;
    }
    tp_command           *command = &row->commands[row->command_count];
    size_t                left = sizeof(row->command_bytes) - row->command_bytes_used;
    size_t                capacity = left < TP_COMMAND_SIZE_MAX ? left : TP_COMMAND_SIZE_MAX;
    uint8_t              *bytes = row->command_bytes + row->command_bytes_used;
    size_t                size = 0;
    const tp_record_type *type = read_command_type(layout->world, cJSON_GetObjectItemCaseSensitive(object, "type"), &command->type, error);
    if (type == NULL || !read_source(layout, cJSON_GetObjectItemCaseSensitive(object, "source"), &command->source, error) ||
        !read_payload(type, object, bytes, capacity, &size, error)) {
        return false;
    }
    command->size = (uint16_t)size;
    command->data = bytes;
    row->command_bytes_used += size;
    row->command_count += 1;
    return true;
}

bool rowjson_read_command(const tp_layout *layout, const cJSON *object, RowBuffer *row, tp_error *error)
{
    rowjson_clear(row);
    return read_command(layout, object, row, error);
}

typedef bool (*ReadElement)(const tp_layout *layout, const cJSON *object, RowBuffer *row, tp_error *error);

static bool read_array(const tp_layout *layout, const cJSON *array, ReadElement read, RowBuffer *row, tp_error *error)
{
    unsigned index = 0;
    if (!cJSON_IsArray(array)) {
        return tp_error_set(error, "%s: needs an array", array->string);
    }
    for (const cJSON *item = array->child; item != NULL; item = item->next, index++) {
        tp_error inner;
        if (!cJSON_IsObject(item)) {
            return tp_error_set(error, "%s[%u]: needs an object, not %s", array->string, index, jsonin_text(item));
        }
        if (!read(layout, item, row, &inner)) {
            return tp_error_set(error, "%s[%u].%.200s", array->string, index, inner.text);
        }
    }
    return true;
}

bool rowjson_read(const tp_layout *layout, const cJSON *line, RowBuffer *row, uint64_t *tick, tp_error *error)
{
    rowjson_clear(row);
    if (!check_object(line, error)) {
        return false;
    }
    if (!jsonin_u64(cJSON_GetObjectItemCaseSensitive(line, "tick"), tick)) {
        return tp_error_set(error, "tick: needs a whole number");
    }
    if (layout == NULL) {
        return true;
    }
    for (const cJSON *item = line->child; item != NULL; item = item->next) {
        bool is_fine = true;
        if (strcmp(item->string, "slots") == 0) {
            is_fine = read_array(layout, item, read_slot, row, error);
        } else if (strcmp(item->string, "commands") == 0) {
            is_fine = cJSON_GetArraySize(item) <= TP_COMMANDS_MAX
                          ? read_array(layout, item, read_command, row, error)
                          : tp_error_set(error, "commands: %d are given; a tick has at most %d", cJSON_GetArraySize(item), TP_COMMANDS_MAX);
        } else if (strcmp(item->string, "tick") != 0 && strcmp(item->string, "root") != 0 && strcmp(item->string, "fault") != 0) {
            is_fine = tp_error_set(error, "%.60s: unknown key; a line has tick, slots, commands and root", item->string);
        }
        if (!is_fine) {
            return false;
        }
    }
    return true;
}

// Passes an object's members on without its braces, behind a comma: the last letter is always held back.
typedef struct {
    FILE *out;
    bool  is_started, has_held;
    char  held;
} MemberSink;

static void put_members(void *to, const char *text, size_t size)
{
    MemberSink *members = to;
    for (size_t i = 0; i < size; i++) {
        if (!members->is_started) {
            members->is_started = true;
            continue;
        }
        if (members->has_held) {
            fputc(members->held, members->out);
        } else if (text[i] != '}') {
            fputc(',', members->out);
        }
        members->held = text[i];
        members->has_held = true;
    }
}

static void print_slot(FILE *out, const tp_world *world, const uint8_t *input, uint32_t input_size)
{
    if (world != NULL && rowjson_has_plain_fields(world)) {
        MemberSink members = { .out = out };
        tp_record_json(world->input, input, put_members, &members);
    } else {
        textout_hex_member(out, false, "hex", input, input_size);
    }
}

static void print_slots(FILE *out, const tp_ident *ident, const tp_world *world, const tp_log_row *row)
{
    bool is_first = true;
    for (uint32_t slot = 0; slot < ident->players; slot++) {
        if (((row->presence[slot / 8] >> (slot % 8)) & 1) == 0) {
            continue;
        }
        fprintf(out, "%s{\"slot\":%u,\"origin\":\"%s\"", is_first ? "" : ",", slot,
                rowjson_origin_name((unsigned)row->origins[slot / 4] >> (2 * (slot % 4))));
        print_slot(out, world, row->inputs + (size_t)slot * ident->input_size, ident->input_size);
        fputc('}', out);
        is_first = false;
    }
}

static void print_command(FILE *out, const tp_world *world, const tp_command *command, bool is_first)
{
    const tp_record_type *type = world != NULL && command->type < world->command_count ? &world->commands[command->type] : NULL;
    fputs(is_first ? "{\"source\":" : ",{\"source\":", out);
    if (command->source == TP_SOURCE_HOST) {
        fputs("\"host\"", out);
    } else {
        fprintf(out, "%u", command->source);
    }
    if (type == NULL) {
        textout_u64_member(out, false, "type", command->type);
    } else {
        textout_json_member(out, false, "type", type->name);
    }
    if (type != NULL && type->field_count > 0 && tp_record_size(type) == command->size) {
        textout_key(out, false, "fields");
        tp_record_json(type, command->data, textout_sink, out);
    } else if (command->size > 0) {
        textout_hex_member(out, false, "hex", command->data, command->size);
    }
    fputc('}', out);
}

void rowjson_print(FILE *out, const tp_ident *ident, const tp_world *world, const tp_log_row *row, const uint8_t *fault_root)
{
    uint32_t   offset = 0;
    tp_command command;
    fprintf(out, "{\"tick\":%llu,\"slots\":[", (unsigned long long)row->tick);
    print_slots(out, ident, world, row);
    fputs("],\"commands\":[", out);
    for (bool is_first = true; tp_log_command_next(row, &offset, &command); is_first = false) {
        print_command(out, world, &command, is_first);
    }
    fputc(']', out);
    if (fault_root != NULL) {
        textout_hex_member(out, false, "fault", fault_root, 16);
    } else if (row->root_size > 0) {
        textout_hex_member(out, false, "root", row->root, row->root_size);
    }
    fputs("}\n", out);
}
