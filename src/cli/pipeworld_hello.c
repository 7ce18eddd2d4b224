// pipeworld_hello.c: see pipeworld_hello.h.
#include "pipeworld_hello.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsonin.h"
#include "jsonlines.h"

enum { DEPTH_MAX = 8 };

// Where in the object something is wrong: "events[2].fields[0].type".
typedef struct {
    PipeHello *hello;
    tp_error  *error;
    char       place[160];
} Reading;

static bool refuse(const Reading *reading, const char *key, const cJSON *item, const char *wanted)
{
    return tp_error_set(reading->error, "%s%s%s is %.60s: %s", reading->place, reading->place[0] == '\0' ? "" : ".", key, jsonin_text(item), wanted);
}

static void *take(PipeHello *hello, size_t count, size_t size)
{
    if (hello->memory_count == hello->memory_capacity) {
        size_t capacity = hello->memory_capacity * 2 + 16;
        void **memory = realloc(hello->memory, capacity * sizeof(*memory));
        if (memory == NULL) {
            return NULL;
        }
        hello->memory = memory;
        hello->memory_capacity = capacity;
    }
    void *bytes = calloc(count == 0 ? 1 : count, size);
    if (bytes != NULL) {
        hello->memory[hello->memory_count++] = bytes;
    }
    return bytes;
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

// Every key is one of the list, and none comes twice.
static bool check_keys(const Reading *reading, const cJSON *object, const char *const *keys)
{
    const char *twice = cJSON_IsObject(object) ? jsonin_twice(object) : NULL;
    if (!cJSON_IsObject(object)) {
        return tp_error_set(reading->error, "%s is %.60s: an object is wanted", reading->place[0] == '\0' ? "the answer" : reading->place, jsonin_text(object));
    }
    if (twice != NULL) {
        return tp_error_set(reading->error, "%s: key '%.40s' comes twice", reading->place, twice);
    }
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], item->string) != 0) {
            i++;
        }
        if (keys[i] == NULL) {
            return tp_error_set(reading->error, "%s: there is no key '%.40s'", reading->place[0] == '\0' ? "the object" : reading->place, item->string);
        }
    }
    return true;
}

// A text that may be absent.
static bool read_text(const Reading *reading, const cJSON *object, const char *key, const char **text)
{
    const cJSON *item = member(object, key);
    *text = item == NULL ? "" : item->valuestring;
    for (const char *at = *text; item != NULL && jsonin_is_text(item) && *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7F) {
            return refuse(reading, key, item, "a control character is in it");
        }
    }
    return item == NULL || (jsonin_is_text(item) && strlen(*text) <= 200) || refuse(reading, key, item, "a text of at most 200 bytes is wanted");
}

static bool read_name(const Reading *reading, const cJSON *object, const char **text)
{
    return read_text(reading, object, "name", text) && (**text != '\0' || refuse(reading, "name", member(object, "name"), "a name is wanted"));
}

// A number that may be absent when `standard` is within the range.
static bool read_u32(const Reading *reading, const cJSON *object, const char *key, uint32_t standard, uint32_t min, uint32_t max, uint32_t *out)
{
    const cJSON *item = member(object, key);
    uint64_t     value = standard;
    if ((item != NULL && !jsonin_u64(item, &value)) || value < min || value > max) {
        char wanted[64];
        snprintf(wanted, sizeof(wanted), "a whole number of %u to %u is wanted", min, max);
        return refuse(reading, key, item, wanted);
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_i64(const Reading *reading, const cJSON *object, const char *key, int64_t standard, int64_t *out)
{
    const cJSON *item = member(object, key);
    *out = standard;
    return item == NULL || jsonin_i64(item, out) || refuse(reading, key, item, "a whole number of 64 bits is wanted");
}

// The list under a key: `*count` items, none when the key is absent.
static bool read_list(const Reading *reading, const cJSON *object, const char *key, uint32_t max, const cJSON **list, uint32_t *count)
{
    const cJSON *item = member(object, key);
    *list = item;
    *count = 0;
    if (item == NULL) {
        return true;
    }
    int size = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : -1;
    if (size < 0 || (uint32_t)size > max) {
        char wanted[64];
        snprintf(wanted, sizeof(wanted), "a list of at most %u is wanted", max);
        return refuse(reading, key, item, wanted);
    }
    *count = (uint32_t)size;
    return true;
}

typedef struct {
    const char   *name;
    tp_field_type type;
    uint32_t      size;
} TypeName;

static const TypeName *find_type(const cJSON *item)
{
    static const TypeName types[] = {
        { "u8", TP_TYPE_U8, 1 },   { "u16", TP_TYPE_U16, 2 }, { "u32", TP_TYPE_U32, 4 },     { "u64", TP_TYPE_U64, 8 },
        { "i8", TP_TYPE_I8, 1 },   { "i16", TP_TYPE_I16, 2 }, { "i32", TP_TYPE_I32, 4 },     { "i64", TP_TYPE_I64, 8 },
        { "fx", TP_TYPE_FX, 4 },   { "fx64", TP_TYPE_FX64, 8 }, { "angle", TP_TYPE_ANGLE, 2 }, { "handle", TP_TYPE_HANDLE, 8 },
    };
    for (size_t i = 0; jsonin_is_text(item) && i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].name, item->valuestring) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

// These are printed as they are, in JSON, too.
static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < 0x20 || *text > 0x7E) {
            return false;
        }
    }
    return true;
}

static bool read_enum(const Reading *reading, const cJSON *object, tp_range *range)
{
    const cJSON *list = NULL;
    uint32_t     count = 0;
    if (!read_list(reading, object, "enum", PIPEHELLO_NAMES_MAX, &list, &count)) {
        return false;
    }
    const char **names = take(reading->hello, count, sizeof(*names));
    if (names == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    uint32_t i = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!jsonin_is_text(item) || strlen(item->valuestring) > TP_NAME_SIZE_MAX || !is_plain(item->valuestring)) {
            return refuse(reading, "enum", item, "short texts of plain letters are wanted");
        }
        names[i++] = item->valuestring;
    }
    *range = (tp_range){ .kind = TP_RANGE_ENUM, .max = count, .names = names };
    return true;
}

static bool read_range(const Reading *reading, const cJSON *object, tp_range *range)
{
    static const struct {
        const char   *key;
        tp_range_kind kind;
    } targets[] = { { "index", TP_RANGE_INDEX }, { "link", TP_RANGE_LINK }, { "handle", TP_RANGE_HANDLE } };
    bool     has_ends = member(object, "min") != NULL || member(object, "max") != NULL;
    unsigned kinds = (has_ends ? 1 : 0) + (member(object, "enum") != NULL ? 1 : 0);
    for (size_t i = 0; i < 3; i++) {
        const char *target = NULL;
        if (!read_text(reading, object, targets[i].key, &target)) {
            return false;
        }
        if (*target != '\0') {
            *range = (tp_range){ .kind = targets[i].kind, .target = target };
            kinds++;
        }
    }
    if (kinds > 1 || has_ends != (member(object, "min") != NULL && member(object, "max") != NULL)) {
        return tp_error_set(reading->error, "%s: give min and max, or enum, or index, link or handle, or none of them", reading->place);
    }
    if (has_ends) {
        range->kind = TP_RANGE_MINMAX;
        return read_i64(reading, object, "min", 0, &range->min) && read_i64(reading, object, "max", 0, &range->max);
    }
    return member(object, "enum") == NULL || read_enum(reading, object, range);
}

static bool read_field(const Reading *reading, const cJSON *object, tp_field *field, uint32_t *offset)
{
    static const char *const keys[] = { "name", "type", "unit", "count", "min", "max", "enum", "index", "link", "handle", NULL };
    const TypeName          *type = find_type(member(object, "type"));
    if (!check_keys(reading, object, keys) || !read_name(reading, object, &field->name) || !read_text(reading, object, "unit", &field->unit)) {
        return false;
    }
    if (type == NULL) {
        return refuse(reading, "type", member(object, "type"), "u8 to u64, i8 to i64, fx, fx64, angle or handle is wanted");
    }
    if (!read_u32(reading, object, "count", 1, 1, TP_STATE_SIZE_MAX / type->size, &field->count) || !read_range(reading, object, &field->range)) {
        return false;
    }
    field->type = type->type;
    field->offset = *offset;
    field->size = type->size * field->count;
    if (field->size > TP_STATE_SIZE_MAX - *offset) {
        return tp_error_set(reading->error, "%s: the struct is larger than %d bytes", reading->place, TP_STATE_SIZE_MAX);
    }
    *offset += field->size;
    return true;
}

// The rows under "fields", and the bytes that they take: that of the struct, since it has no gaps.
static bool read_fields(Reading *reading, const cJSON *object, const tp_field **fields, uint32_t *count, uint32_t *size)
{
    const cJSON *list = NULL;
    size_t       place = strlen(reading->place);
    uint32_t     i = 0;
    *size = 0;
    if (!read_list(reading, object, "fields", PIPEHELLO_FIELDS_MAX, &list, count)) {
        return false;
    }
    tp_field *rows = take(reading->hello, *count, sizeof(*rows));
    if (rows == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    *fields = *count > 0 ? rows : NULL;
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL; item = item->next, i++) {
        snprintf(reading->place + place, sizeof(reading->place) - place, ".fields[%u]", i);
        if (!read_field(reading, item, &rows[i], size)) {
            return false;
        }
    }
    reading->place[place] = '\0';
    return true;
}

// Raw bytes of an input are one row of them, since an input needs rows.
static bool make_bytes_row(Reading *reading, uint32_t size, tp_record_type *type)
{
    tp_field *row = take(reading->hello, 1, sizeof(*row));
    if (row == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    *row = (tp_field){ .name = "bytes", .unit = "bytes", .type = TP_TYPE_U8, .count = size, .size = size };
    type->fields = row;
    type->field_count = 1;
    type->struct_size = size;
    return true;
}

static bool read_record(Reading *reading, const cJSON *object, bool is_input, uint32_t raw_max, tp_record_type *type)
{
    static const char *const keys[] = { "name", "text", "fields", "bytes", NULL };
    uint32_t                 raw = 0;
    if (!check_keys(reading, object, keys) || !read_text(reading, object, "name", &type->name) || !read_text(reading, object, "text", &type->text) ||
        !read_fields(reading, object, &type->fields, &type->field_count, &type->struct_size) ||
        !read_u32(reading, object, "bytes", 0, 0, raw_max, &raw)) {
        return false;
    }
    if (raw > 0 && type->field_count > 0) {
        return tp_error_set(reading->error, "%s: it has fields or bytes, not both", reading->place);
    }
    type->name = is_input && *type->name == '\0' ? "input" : type->name;
    if (raw > 0 && is_input) {
        return make_bytes_row(reading, raw, type);
    }
    type->size_max = raw;
    return true;
}

static bool read_records(Reading *reading, const char *key, uint32_t raw_max, const tp_record_type **records, uint32_t *count)
{
    const cJSON *list = NULL;
    uint32_t     i = 0;
    if (!read_list(reading, reading->hello->root, key, PIPEHELLO_LISTS_MAX, &list, count)) {
        return false;
    }
    tp_record_type *types = take(reading->hello, *count, sizeof(*types));
    if (types == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    *records = types;
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL; item = item->next, i++) {
        snprintf(reading->place, sizeof(reading->place), "%s[%u]", key, i);
        if (!read_record(reading, item, false, raw_max, &types[i])) {
            return false;
        }
    }
    reading->place[0] = '\0';
    return true;
}

static bool read_input(Reading *reading)
{
    const cJSON    *object = member(reading->hello->root, "input");
    tp_record_type *type = take(reading->hello, 1, sizeof(*type));
    if (object == NULL || type == NULL) {
        return object == NULL || tp_error_set(reading->error, "out of memory");
    }
    snprintf(reading->place, sizeof(reading->place), "input");
    reading->hello->world.input = type;
    bool is_good = read_record(reading, object, true, TP_INPUT_SIZE_MAX, type);
    reading->place[0] = is_good ? '\0' : reading->place[0];
    return is_good;
}

static bool read_section(Reading *reading, const cJSON *object, tp_section *section)
{
    static const char *const keys[] = { "name", "count", "fields", NULL };
    const cJSON             *count = member(object, "count");
    if (!check_keys(reading, object, keys) || !read_name(reading, object, &section->name) ||
        !read_fields(reading, object, &section->fields, &section->field_count, &section->element_size)) {
        return false;
    }
    if (count != NULL && jsonin_is_text(count)) {
        section->count_key = count->valuestring;
        return true;
    }
    return read_u32(reading, object, "count", 1, 0, TP_STATE_SIZE_MAX, &section->count);
}

static bool read_sections(Reading *reading)
{
    tp_world    *world = &reading->hello->world;
    const cJSON *list = NULL;
    uint32_t     i = 0;
    if (!read_list(reading, reading->hello->root, "sections", TP_SECTIONS_MAX, &list, &world->section_count)) {
        return false;
    }
    tp_section *sections = take(reading->hello, world->section_count, sizeof(*sections));
    if (sections == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    world->sections = sections;
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL; item = item->next, i++) {
        snprintf(reading->place, sizeof(reading->place), "sections[%u]", i);
        if (!read_section(reading, item, &sections[i])) {
            return false;
        }
    }
    reading->place[0] = '\0';
    return true;
}

static bool read_config_item(Reading *reading, const cJSON *object, tp_config_item *item)
{
    static const char *const keys[] = { "name", "unit", "text", "standard", "min", "max", NULL };
    return check_keys(reading, object, keys) && read_name(reading, object, &item->name) && read_text(reading, object, "unit", &item->unit) &&
           read_text(reading, object, "text", &item->text) && read_i64(reading, object, "standard", 0, &item->standard) &&
           read_i64(reading, object, "min", INT64_MIN, &item->min) && read_i64(reading, object, "max", INT64_MAX, &item->max);
}

static bool read_config(Reading *reading)
{
    tp_world    *world = &reading->hello->world;
    const cJSON *list = NULL;
    uint32_t     i = 0;
    if (!read_list(reading, reading->hello->root, "config", TP_CONFIG_ITEMS_MAX, &list, &world->config_count)) {
        return false;
    }
    tp_config_item *items = take(reading->hello, world->config_count, sizeof(*items));
    if (items == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    world->config = items;
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL; item = item->next, i++) {
        snprintf(reading->place, sizeof(reading->place), "config[%u]", i);
        if (!read_config_item(reading, item, &items[i])) {
            return false;
        }
    }
    reading->place[0] = '\0';
    return true;
}

// The world hashes its content itself; the hash is what is bound into the rules.
static bool read_content_item(Reading *reading, const cJSON *object, tp_content *content)
{
    static const char *const keys[] = { "name", "hash", NULL };
    uint8_t                 *bytes = take(reading->hello, PIPEHELLO_CONTENT_MAX, 1);
    if (bytes == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    if (!check_keys(reading, object, keys) || !read_name(reading, object, &content->name)) {
        return false;
    }
    if (!jsonin_hex(member(object, "hash"), bytes, PIPEHELLO_CONTENT_MAX, &content->size) || content->size == 0) {
        return refuse(reading, "hash", member(object, "hash"), "1 to 64 bytes in hexadecimal are wanted");
    }
    content->data = bytes;
    content->value_size = 1;
    return true;
}

static bool read_content(Reading *reading)
{
    tp_world    *world = &reading->hello->world;
    const cJSON *list = NULL;
    uint32_t     i = 0;
    if (!read_list(reading, reading->hello->root, "content", PIPEHELLO_LISTS_MAX, &list, &world->content_count)) {
        return false;
    }
    tp_content *items = take(reading->hello, world->content_count, sizeof(*items));
    if (items == NULL) {
        return tp_error_set(reading->error, "out of memory");
    }
    world->content = items;
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL; item = item->next, i++) {
        snprintf(reading->place, sizeof(reading->place), "content[%u]", i);
        if (!read_content_item(reading, item, &items[i])) {
            return false;
        }
    }
    reading->place[0] = '\0';
    return true;
}

static bool read_players(Reading *reading)
{
    static const char *const keys[] = { "min", "max", "standard", NULL };
    tp_world                *world = &reading->hello->world;
    const cJSON             *object = member(reading->hello->root, "players");
    if (object == NULL) {
        return true;
    }
    snprintf(reading->place, sizeof(reading->place), "players");
    bool is_good = check_keys(reading, object, keys) && read_u32(reading, object, "max", 0, 0, TP_PLAYERS_MAX, &world->players_max) &&
                   read_u32(reading, object, "min", 0, 0, TP_PLAYERS_MAX, &world->players_min) &&
                   read_u32(reading, object, "standard", world->players_max, 0, TP_PLAYERS_MAX, &world->players_standard);
    reading->place[0] = is_good ? '\0' : reading->place[0];
    return is_good;
}

static bool read_flags(const Reading *reading)
{
    PipeHello   *hello = reading->hello;
    const cJSON *checksum = member(hello->root, "checksum");
    const char  *build = NULL;
    if (checksum != NULL && !cJSON_IsBool(checksum)) {
        return refuse(reading, "checksum", checksum, "true or false is wanted");
    }
    hello->has_checksum = cJSON_IsTrue(checksum);
    if (!read_text(reading, hello->root, "build", &build) || strlen(build) > PIPEHELLO_BUILD_MAX) {
        return refuse(reading, "build", member(hello->root, "build"), "a text of at most 39 bytes is wanted");
    }
    snprintf(hello->build, sizeof(hello->build), "%s", build);
    return true;
}

static bool read_world(Reading *reading)
{
    static const char *const keys[] = { "protocol", "name",   "revision", "text",   "tick_rate", "players", "state_max", "input", "commands",
                                        "events",   "events_max", "config",   "sections", "content",   "checksum", "build",   NULL };
    PipeHello               *hello = reading->hello;
    tp_world                *world = &hello->world;
    uint32_t                 protocol = 0;
    uint32_t                 state_max = 0;
    // The version comes first: of another one nothing else may be believed, not even that a key is wrong.
    if (!cJSON_IsObject(hello->root) || !read_u32(reading, hello->root, "protocol", 0, PIPEHELLO_VERSION, PIPEHELLO_VERSION, &protocol)) {
        return cJSON_IsObject(hello->root) ? false : tp_error_set(reading->error, "the answer is %.60s: an object is wanted", jsonin_text(hello->root));
    }
    bool is_good = check_keys(reading, hello->root, keys) && read_name(reading, hello->root, &world->name) &&
                   read_text(reading, hello->root, "text", &world->text) &&
                   read_u32(reading, hello->root, "revision", 1, 0, UINT32_MAX, &world->revision) &&
                   read_u32(reading, hello->root, "tick_rate", 60, 1, 100000, &world->tick_rate_hz) &&
                   read_u32(reading, hello->root, "state_max", 0, 1, TP_STATE_SIZE_MAX, &state_max) &&
                   read_u32(reading, hello->root, "events_max", 0, 0, TP_EVENTS_MAX, &world->events_max) && read_players(reading) &&
                   read_input(reading) && read_records(reading, "commands", TP_COMMAND_SIZE_MAX, &world->commands, &world->command_count) &&
                   read_records(reading, "events", 0, &world->events, &world->event_count) && read_config(reading) && read_sections(reading) &&
                   read_content(reading) && read_flags(reading);
    hello->state_max = state_max;
    return is_good;
}

bool pipehello_read(PipeHello *hello, const char *text, size_t size, tp_error *error)
{
    tp_error reason;
    int      line = 1;
    *hello = (PipeHello){ .world = { .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI } };
    if (size > PIPEHELLO_SIZE_MAX) {
        return tp_error_set(error, "%zu bytes, at most %d are taken", size, PIPEHELLO_SIZE_MAX);
    }
    hello->root = jsonlines_check(text, size, DEPTH_MAX, &line, &reason) ? jsonin_parse(text, size, &line, &reason) : NULL;
    if (hello->root == NULL) {
        return tp_error_set(error, "line %d: %.150s", line, reason.text);
    }
    Reading reading = { .hello = hello, .error = error };
    if (!read_world(&reading)) {
        pipehello_finish(hello);
        return false;
    }
    return true;
}

void pipehello_finish(PipeHello *hello)
{
    for (size_t i = 0; i < hello->memory_count; i++) {
        free(hello->memory[i]);
    }
    free(hello->memory);
    cJSON_Delete(hello->root);
    *hello = (PipeHello){ 0 };
}
