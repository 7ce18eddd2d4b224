// serverconfig_read.c: a configuration file's bytes into the plain struct. Keys are held against the table; what needs more than the
// table (a world, another room, a file) comes later.
#include "serverconfig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsonin.h"
#include "jsonlines.h"

typedef struct {
    ServerConfig      *config;
    const char        *folder;
    ServerConfigError *error;
} Reader;

/// An object of the file that is being read.
typedef struct {
    Reader  *reader;
    unsigned place;
    char     path[48]; // "", or with a dot at its end: "limits.", "rooms[2].record."
    void    *to;       // the struct of the place
    int     *lines;
} Object;

static bool refuse_at(const Reader *reader, int line, const char *path, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool refuse_at(const Reader *reader, int line, const char *path, const char *key, const char *format, ...)
{
    char   *text = reader->error->text;
    size_t  size = sizeof(reader->error->text);
    va_list arguments;
    size_t  used = (size_t)snprintf(text, size, "%.400s:%d: %s%.80s%s", reader->config->name, line, path, key, *path != '\0' || *key != '\0' ? ": " : "");
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    return false;
}

// A member whose value is not what its key takes.
static bool refuse_value(const Object *object, const ServerConfigKey *key, const cJSON *item, const char *what)
{
    char range[160];
    serverconfig_describe_key(key, range, sizeof(range));
    return refuse_at(object->reader, jsonlines_of(item), object->path, key->name, "%s: %s; give %s", jsonin_text(item), what, range);
}

static bool out_of_memory(const Object *object)
{
    return refuse_at(object->reader, 1, "", "", "out of memory");
}

static bool refuse_unknown(const Object *object, const cJSON *item)
{
    const char *other = object->place == PLACE_LIVE ? "recorded" : "live";
    unsigned    other_place = object->place == PLACE_LIVE ? PLACE_RECORDED : object->place == PLACE_RECORDED ? PLACE_LIVE : 0;
    int         line = jsonlines_of(item);
    const char *near = serverconfig_nearest_key(object->place, item->string);
    if (serverconfig_find_key(other_place, item->string) != NULL) {
        return refuse_at(object->reader, line, object->path, item->string, "only a %s room has this; leave it out", other);
    }
    if (near != NULL) {
        return refuse_at(object->reader, line, object->path, item->string, "there is no such key; did you mean \"%s\"?", near);
    }
    char   list[512] = "";
    size_t used = 0;
    for (int i = 0; i < KEY_COUNT && used < sizeof(list); i++) {
        if ((serverconfig_keys[i].places & object->place) != 0) {
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used == 0 ? "" : ", ", serverconfig_keys[i].name);
        }
    }
    return refuse_at(object->reader, line, object->path, item->string, "there is no such key; here are %s", list);
}

static bool take_text(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    if (!jsonin_is_text(item)) {
        return refuse_value(object, key, item, "not a string");
    }
    if (item->valuestring[0] == '\0') {
        return refuse_value(object, key, item, "empty");
    }
    if (key->type == TYPE_NAME && !serverconfig_is_name(item->valuestring)) {
        return refuse_value(object, key, item, "not a room's name");
    }
    ServerConfig *config = object->reader->config;
    const char   *text = key->type == TYPE_PATH ? serverconfig_path(config, object->reader->folder, item->valuestring)
                                                : serverconfig_text(config, "%s", item->valuestring);
    if (text != NULL && strlen(text) >= SERVER_PATH_SIZE) {
        return refuse_at(object->reader, jsonlines_of(item), object->path, key->name, "longer than %d bytes; give a shorter path",
                         SERVER_PATH_SIZE - 1);
    }
    memcpy((char *)object->to + key->offset, &text, sizeof(text));
    return text != NULL || out_of_memory(object);
}

static bool take_plain(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    char wrong[256];
    bool is_choice = key->type == TYPE_CHOICE;
    if (is_choice && !jsonin_is_text(item)) {
        return refuse_value(object, key, item, "not a string");
    }
    if (!is_choice && !jsonin_is_number(item)) {
        return refuse_value(object, key, item, "not a whole number");
    }
    const char *text = item->valuestring + (is_choice ? 0 : 1); // without jsonin's mark
    if (!serverconfig_set(key, object->to, text, wrong, sizeof(wrong))) {
        return refuse_at(object->reader, jsonlines_of(item), object->path, key->name, "%s: %s", jsonin_text(item), wrong);
    }
    return true;
}

static bool take_address(const Object *object, const char *path, const cJSON *item)
{
    ServerConfig *config = object->reader->config;
    int           line = jsonlines_of(item);
    if (!jsonin_is_text(item) || !serverconfig_is_address(item->valuestring)) {
        return refuse_at(object->reader, line, path, "", "%s: not a listen address; write numbers such as \"127.0.0.1:7777\" or \"[::1]:7777\"",
                         jsonin_text(item));
    }
    if (config->listen_count == SERVER_LISTENERS_MAX) {
        return refuse_at(object->reader, line, path, "", "%d addresses are the most; leave some out", SERVER_LISTENERS_MAX);
    }
    snprintf(config->listen[config->listen_count++], SERVERCONFIG_ADDRESS_SIZE, "%s", item->valuestring);
    return true;
}

static bool take_listen(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    char path[32];
    if (jsonin_is_text(item)) {
        return take_address(object, key->name, item);
    }
    if (!cJSON_IsArray(item)) {
        return refuse_value(object, key, item, "neither a string nor an array");
    }
    if (item->child == NULL) {
        return refuse_value(object, key, item, "empty");
    }
    uint32_t index = 0;
    for (const cJSON *one = item->child; one != NULL; one = one->next) {
        snprintf(path, sizeof(path), "%s[%u]", key->name, index++);
        if (!take_address(object, path, one)) {
            return false;
        }
    }
    return true;
}

static bool take_udp(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    if (!jsonin_is_text(item)) {
        return refuse_value(object, key, item, "not a string");
    }
    if (!serverconfig_is_address(item->valuestring)) {
        return refuse_value(object, key, item, "not an address in numbers");
    }
    snprintf((char *)object->to + key->offset, SERVERCONFIG_ADDRESS_SIZE, "%s", item->valuestring);
    return true;
}

static bool take_names(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    const char **names = (const char **)((char *)object->to + key->offset);
    uint32_t    *count = (uint32_t *)(names + SERVERCONFIG_NAMES_MAX);
    char         path[64];
    if (!cJSON_IsArray(item)) {
        return refuse_value(object, key, item, "not an array");
    }
    for (const cJSON *one = item->child; one != NULL; one = one->next) {
        snprintf(path, sizeof(path), "%s%s[%u]", object->path, key->name, *count);
        if (*count == SERVERCONFIG_NAMES_MAX) {
            return refuse_at(object->reader, jsonlines_of(one), path, "", "%d are the most; leave some out", SERVERCONFIG_NAMES_MAX);
        }
        if (!jsonin_is_text(one) || !serverconfig_is_web_name(one->valuestring, key == &serverconfig_keys[KEY_HTTP_ORIGINS])) {
            return refuse_at(object->reader, jsonlines_of(one), path, "", "%s: %s", jsonin_text(one),
                             key == &serverconfig_keys[KEY_HTTP_ORIGINS] ? "not an origin; write it as \"https://play.example.org\", with nothing behind the host or port"
                                                                         : "not a host; write it as \"play.example.org\" or \"play.example.org:8443\"");
        }
        names[*count] = serverconfig_text(object->reader->config, "%s", one->valuestring);
        if (names[*count] == NULL) {
            return out_of_memory(object);
        }
        *count += 1;
    }
    return true;
}

static bool take_bool(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    uint32_t value = cJSON_IsTrue(item);
    memcpy((char *)object->to + key->offset, &value, sizeof(value));
    return cJSON_IsBool(item) || refuse_value(object, key, item, "neither true nor false");
}

static bool take_worlds(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    ServerConfig *config = object->reader->config;
    char          path[32];
    if (!cJSON_IsArray(item)) {
        return refuse_value(object, key, item, "not an array");
    }
    for (const cJSON *one = item->child; one != NULL; one = one->next) {
        snprintf(path, sizeof(path), "%s[%u]", key->name, config->world_count);
        if (config->world_count == WORLDS_LOADED_MAX) {
            return refuse_at(object->reader, jsonlines_of(one), path, "", "%d libraries are the most; leave some out", WORLDS_LOADED_MAX);
        }
        size_t size = jsonin_is_text(one) ? strlen(one->valuestring) : 0;
        if (size == 0 || (strchr(one->valuestring, '/') == NULL && (size < 4 || strcmp(one->valuestring + size - 3, ".so") != 0))) {
            return refuse_at(object->reader, jsonlines_of(one), path, "", "%s: not a library's path; it has a '/' or ends in .so", jsonin_text(one));
        }
        const char *text = serverconfig_path(config, object->reader->folder, one->valuestring);
        if (text == NULL) {
            return out_of_memory(object);
        }
        config->world_lines[config->world_count] = jsonlines_of(one);
        config->worlds[config->world_count++] = text;
    }
    return true;
}

// Items in the order of their names: two of a name stand side by side then, the later one behind.
static int by_name(const void *a, const void *b)
{
    const ServerConfigItem *one = a;
    const ServerConfigItem *other = b;
    int                     order = strcmp(one->name, other->name);
    return order != 0 ? order : one->line < other->line ? -1 : one->line > other->line;
}

static bool take_items(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    ServerConfigRoom *room = object->to;
    char              path[80];
    snprintf(path, sizeof(path), "%s%s.", object->path, key->name);
    if (!cJSON_IsObject(item)) {
        return refuse_value(object, key, item, "not an object");
    }
    if (cJSON_GetArraySize(item) > TP_CONFIG_ITEMS_MAX) {
        return refuse_at(object->reader, jsonlines_of(item), object->path, key->name, "more than %d items, which no world has; leave some out",
                         TP_CONFIG_ITEMS_MAX);
    }
    room->items = calloc(TP_CONFIG_ITEMS_MAX, sizeof(*room->items));
    if (room->items == NULL) {
        return out_of_memory(object);
    }
    for (const cJSON *one = item->child; one != NULL; one = one->next) {
        ServerConfigItem *taken = &room->items[room->item_count];
        taken->line = jsonlines_of(one);
        taken->name = serverconfig_text(object->reader->config, "%s", one->string);
        if (taken->name == NULL) {
            return out_of_memory(object);
        }
        if (!jsonin_i64(one, &taken->value)) {
            return refuse_at(object->reader, taken->line, path, one->string, "%s: not a whole number of at most 64 bits", jsonin_text(one));
        }
        room->item_count++;
    }
    qsort(room->items, room->item_count, sizeof(*room->items), by_name);
    for (uint32_t i = 1; i < room->item_count; i++) {
        if (strcmp(room->items[i - 1].name, room->items[i].name) == 0) {
            return refuse_at(object->reader, room->items[i].line, path, room->items[i].name, "it is given twice; keep one");
        }
    }
    return true;
}

static bool take_object(Object *object, const cJSON *item);

static bool take_part(const Object *owner, const ServerConfigKey *key, const cJSON *item, unsigned place, void *to)
{
    Object object = { .reader = owner->reader, .place = place, .to = to, .lines = owner->lines };
    if (!cJSON_IsObject(item)) {
        return refuse_value(owner, key, item, "not an object");
    }
    snprintf(object.path, sizeof(object.path), "%.30s%s.", owner->path, key->name);
    return take_object(&object, item);
}

static bool take_record(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    bool is_room = (key->places & PLACE_SERVER) == 0;
    if (!is_room) {
        return take_part(object, key, item, PLACE_RECORD, &object->reader->config->record);
    }
    ServerConfigRecord *record = &((ServerConfigRoom *)object->to)->record;
    if (cJSON_IsBool(item)) {
        record->is_off = cJSON_IsFalse(item);
        return true;
    }
    return cJSON_IsObject(item) ? take_part(object, key, item, PLACE_RECORD, record)
                                : refuse_value(object, key, item, "neither true, false nor an object");
}

// The kind of a room decides which keys it has, wherever it stands among them.
static bool find_source(Object *object, const cJSON *item)
{
    const ServerConfigKey *key = &serverconfig_keys[KEY_SOURCE];
    const cJSON           *source = NULL;
    for (const cJSON *one = item->child; one != NULL && source == NULL; one = one->next) {
        source = strcmp(one->string, key->name) == 0 ? one : NULL;
    }
    if (source == NULL) {
        return refuse_at(object->reader, jsonlines_of(item), object->path, key->name, "it is missing; give recorded or live");
    }
    if (!take_plain(object, key, source)) {
        return false;
    }
    object->place = ((ServerConfigRoom *)object->to)->source == SERVER_LIVE ? PLACE_LIVE : PLACE_RECORDED;
    return true;
}

static bool take_room(Reader *reader, const cJSON *item, uint32_t index)
{
    Object object = { .reader = reader, .place = PLACE_RECORDED | PLACE_LIVE };
    snprintf(object.path, sizeof(object.path), "rooms[%u]", index);
    if (!cJSON_IsObject(item)) {
        return refuse_at(reader, jsonlines_of(item), object.path, "", "%s: not an object; write {\"source\": ...}", jsonin_text(item));
    }
    if (index == SERVER_ROOMS_MAX) {
        return refuse_at(reader, jsonlines_of(item), object.path, "", "more than %d rooms; run several servers", SERVER_ROOMS_MAX);
    }
    ServerConfigRoom *room = serverconfig_add_room(reader->config);
    if (room == NULL) {
        return out_of_memory(&object);
    }
    room->index = index;
    room->line = jsonlines_of(item);
    object.to = room;
    object.lines = room->lines;
    strcat(object.path, ".");
    return find_source(&object, item) && take_object(&object, item);
}

static bool take_rooms(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    uint32_t index = 0;
    if (!cJSON_IsArray(item)) {
        return refuse_value(object, key, item, "not an array");
    }
    for (const cJSON *one = item->child; one != NULL; one = one->next) {
        if (!take_room(object->reader, one, index++)) {
            return false;
        }
    }
    return true;
}

static bool take_member(const Object *object, const ServerConfigKey *key, const cJSON *item)
{
    switch (key->type) {
    case TYPE_U32:
    case TYPE_U64:
    case TYPE_SLOTS:
    case TYPE_CHOICE: return take_plain(object, key, item);
    case TYPE_TEXT:
    case TYPE_NAME:
    case TYPE_PATH: return take_text(object, key, item);
    case TYPE_LISTEN: return take_listen(object, key, item);
    case TYPE_ADDRESS: return take_udp(object, key, item);
    case TYPE_BOOL: return take_bool(object, key, item);
    case TYPE_WORLDS: return take_worlds(object, key, item);
    case TYPE_RECORD: return take_record(object, key, item);
    case TYPE_LIMITS: return take_part(object, key, item, PLACE_LIMITS, &object->reader->config->limits);
    case TYPE_HTTP: return take_part(object, key, item, PLACE_HTTP, &object->reader->config->http);
    case TYPE_NAMES: return take_names(object, key, item);
    case TYPE_ITEMS: return take_items(object, key, item);
    case TYPE_ROOMS: return take_rooms(object, key, item);
    }
    return false;
}

static bool is_required(const Object *object, const ServerConfigKey *key)
{
    bool is_live_name = key == &serverconfig_keys[KEY_NAME] && object->place == PLACE_LIVE;
    return (key->places & object->place) != 0 && (key->is_required || is_live_name);
}

// The members of an object, each at most once, then whether one is missing. An unknown key is refused before the next one is looked
// at, so what is walked is never much longer than the table.
static bool take_object(Object *object, const cJSON *item)
{
    for (const cJSON *one = item->child; one != NULL; one = one->next) {
        const ServerConfigKey *key = serverconfig_find_key(object->place, one->string);
        if (key == NULL) {
            return refuse_unknown(object, one);
        }
        int *line = &object->lines[key - serverconfig_keys];
        if (*line != 0) {
            return refuse_at(object->reader, jsonlines_of(one), object->path, key->name, "it is given twice; keep one");
        }
        *line = jsonlines_of(one);
        if (!take_member(object, key, one)) {
            return false;
        }
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        if (is_required(object, &serverconfig_keys[i]) && object->lines[i] == 0) {
            char range[160];
            serverconfig_describe_key(&serverconfig_keys[i], range, sizeof(range));
            return refuse_at(object->reader, jsonlines_of(item), object->path, serverconfig_keys[i].name, "it is missing; give %s", range);
        }
    }
    return true;
}

static bool take_file(Reader *reader, const cJSON *root)
{
    Object object = { .reader = reader, .place = PLACE_SERVER, .to = reader->config, .lines = reader->config->lines };
    if (!cJSON_IsObject(root)) {
        return refuse_at(reader, jsonlines_of(root), "", "", "%s is not an object; write {\"rooms\": [...]}", jsonin_text(root));
    }
    return take_object(&object, root);
}

static bool is_blank(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') {
        at++;
    }
    return at == size;
}

bool serverconfig_read(ServerConfig *config, const char *name, const char *folder, const char *text, size_t size, ServerConfigError *error)
{
    Reader   reader = { .config = config, .folder = folder, .error = error };
    tp_error wrong;
    int      line = 1;
    config->name = name;
    if (size > SERVER_CONFIG_BYTES_MAX) {
        return refuse_at(&reader, 1, "", "", "larger than %d bytes; split it over several servers", SERVER_CONFIG_BYTES_MAX);
    }
    config->name = serverconfig_text(config, "%s", name);
    if (config->name == NULL) {
        config->name = "";
        return refuse_at(&reader, 1, "", "", "out of memory");
    }
    if (is_blank(text, size)) {
        return refuse_at(&reader, 1, "", "", "it is empty; write {\"rooms\": [...]}");
    }
    cJSON *root = jsonlines_check(text, size, SERVER_CONFIG_DEPTH_MAX, &line, &wrong) ? jsonin_parse(text, size, &line, &wrong) : NULL;
    if (root == NULL) {
        return refuse_at(&reader, line, "", "", "%s", wrong.text);
    }
    bool is_fine = jsonlines_mark(root, text, size) ? take_file(&reader, root) : refuse_at(&reader, 1, "", "", "this is not JSON");
    cJSON_Delete(root);
    return is_fine;
}
