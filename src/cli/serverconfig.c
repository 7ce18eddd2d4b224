// serverconfig.c: the config's memory, its places in words, and what is common to a file and to flags.
#include "serverconfig.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

char *serverconfig_keep(ServerConfig *config, char *text)
{
    if (text != NULL && config->text_count == config->text_capacity) {
        size_t capacity = config->text_capacity > 0 ? config->text_capacity * 2 : 64;
        char **grown = realloc(config->texts, capacity * sizeof(*grown));
        if (grown == NULL) {
            free(text);
            return NULL;
        }
        config->texts = grown;
        config->text_capacity = capacity;
    }
    if (text != NULL) {
        config->texts[config->text_count++] = text;
    }
    return text;
}

char *serverconfig_text(ServerConfig *config, const char *format, ...)
{
    char   *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    return serverconfig_keep(config, text);
}

const char *serverconfig_path(ServerConfig *config, const char *folder, const char *path)
{
    // A leading '@' would mean a list of paths to whoever expands it.
    const char *before = path[0] == '/' ? "" : folder[0] == '\0' && path[0] == '@' ? "./" : folder;
    return serverconfig_text(config, "%s%s", before, path);
}

ServerConfigRoom *serverconfig_add_room(ServerConfig *config)
{
    if (config->room_count == config->room_capacity) {
        uint32_t          capacity = config->room_capacity > 0 ? config->room_capacity * 2 : 16;
        ServerConfigRoom *grown = realloc(config->rooms, capacity * sizeof(*grown));
        if (grown == NULL) {
            return NULL;
        }
        config->rooms = grown;
        config->room_capacity = capacity;
    }
    ServerConfigRoom *room = &config->rooms[config->room_count++];
    *room = (ServerConfigRoom){
        .loops = 1, .algorithm = TP_HASH_XXH3, .report_ticks = SERVER_REPORT_TICKS, .rejoin_seconds = SERVER_REJOIN_SECONDS, .is_resumed = 1,
    };
    return room;
}

static void finish_room(ServerConfigRoom *room)
{
    free(room->items);
    free(room->values);
}

void serverconfig_finish(ServerConfig *config)
{
    for (uint32_t i = 0; i < config->room_count; i++) {
        finish_room(&config->rooms[i]);
    }
    for (size_t i = 0; i < config->text_count; i++) {
        free(config->texts[i]);
    }
    free(config->rooms);
    free(config->texts);
    *config = (ServerConfig){ 0 };
}

bool serverconfig_is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t            size = strlen(name);
    return size > 0 && size <= SERVERCONFIG_NAME_MAX && name[0] != '.' && strspn(name, letters) == size;
}

bool serverconfig_is_address(const char *address)
{
    char        host[SERVERCONFIG_ADDRESS_SIZE];
    uint8_t     bytes[16];
    uint64_t    port = 0;
    const char *colon = strrchr(address, ':');
    if (colon == NULL || strlen(address) >= sizeof(host) || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
        !args_parse_u64(colon + 1, &port) || port > 65535) {
        return false;
    }
    bool   is_six = address[0] == '[';
    size_t size = (size_t)(colon - address);
    if (is_six && (size < 2 || address[size - 1] != ']')) {
        return false;
    }
    snprintf(host, sizeof(host), "%.*s", (int)(is_six ? size - 2 : size), address + (is_six ? 1 : 0));
    return inet_pton(is_six ? AF_INET6 : AF_INET, host, bytes) == 1;
}

bool serverconfig_is_loopback(const char *address)
{
    return serverconfig_is_address(address) && (strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]:", 6) == 0);
}

// RFC 6454's serialisation has nothing behind the port, and a Host has no more.
bool serverconfig_is_web_name(const char *text, bool is_origin)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    if (is_origin) {
        size_t scheme = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
        if (scheme == 0) {
            return false;
        }
        text += scheme;
    }
    size_t size = text[0] == '[' ? strspn(text + 1, "0123456789abcdefABCDEF:.") + 2 : strspn(text, letters);
    if (size < (text[0] == '[' ? 4u : 1u) || size > 200 || (text[0] == '[' && (strlen(text) < size || text[size - 1] != ']'))) {
        return false;
    }
    size_t digits = text[size] == ':' ? strspn(text + size + 1, "0123456789") : 0;
    return text[size] == '\0' || (digits >= 1 && digits <= 5 && text[size + 1 + digits] == '\0');
}

static int line_of(const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigKey *key)
{
    const int *lines = room != NULL ? room->lines : config->lines;
    int        line = key != NULL ? lines[key - serverconfig_keys] : 0;
    return line > 0 ? line : room != NULL && room->line > 0 ? room->line : 1;
}

// What the key's object is called inside its room or the server's object.
static const char *owner_of(const ServerConfigKey *key)
{
    return key == NULL ? "" : (key->places & PLACE_RECORD) != 0 ? "record." : (key->places & PLACE_LIMITS) != 0 ? "limits." : (key->places & PLACE_HTTP) != 0 ? "http." : "";
}

void serverconfig_place(const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigKey *key, char *place, size_t size)
{
    const char *name = key != NULL ? key->name : "";
    if (room != NULL && room->flag != NULL) {
        snprintf(place, size, "%.400s%s%s%s", room->flag, key != NULL ? ": " : "", owner_of(key), name);
    } else if (room != NULL) {
        snprintf(place, size, "%.400s:%d: rooms[%u]%s%s%s", config->name, line_of(config, room, key), room->index, key != NULL ? "." : "",
                 owner_of(key), name);
    } else if (key != NULL && key->flag != NULL && config->lines[key - serverconfig_keys] == SERVERCONFIG_NO_LINE) {
        snprintf(place, size, "%s", key->flag);
    } else if (config->name == NULL) {
        snprintf(place, size, "%s%s", owner_of(key), name);
    } else {
        snprintf(place, size, "%.400s:%d: %s%s", config->name, line_of(config, NULL, key), owner_of(key), name);
    }
}

bool serverconfig_refuse(const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigKey *key, ServerConfigError *error,
                         const char *format, ...)
{
    va_list arguments;
    serverconfig_place(config, room, key, error->text, sizeof(error->text));
    size_t used = strlen(error->text);
    used += (size_t)snprintf(error->text + used, sizeof(error->text) - used, ": ");
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof(error->text) - used, format, arguments);
    va_end(arguments);
    return false;
}

static bool set_choice(const ServerConfigKey *key, void *field, const char *text)
{
    for (const ServerConfigChoice *choice = key->choices; choice->name != NULL; choice++) {
        if (strcmp(choice->name, text) == 0) {
            memcpy(field, &choice->value, sizeof(choice->value));
            return true;
        }
    }
    return false;
}

static bool set_number(const ServerConfigKey *key, void *field, const char *text)
{
    uint64_t value = 0;
    if (!args_parse_u64(text, &value) || value < key->min || value > key->max) {
        return false;
    }
    uint32_t small = (uint32_t)value;
    memcpy(field, key->type == TYPE_U64 ? (void *)&value : (void *)&small, key->type == TYPE_U64 ? sizeof(value) : sizeof(small));
    return true;
}

// Any whole number: which of them are right, the world knows.
static bool set_slots(void *field, const char *text)
{
    uint64_t magnitude = 0;
    int64_t  value = 0;
    if (args_parse_u64(text, &magnitude) && magnitude <= INT64_MAX) {
        value = (int64_t)magnitude;
    } else if (!args_parse_i64(text, &value)) {
        return false;
    }
    memcpy(field, &value, sizeof(value));
    return true;
}

static bool set_bool(void *field, const char *text)
{
    uint32_t value = strcmp(text, "true") == 0;
    memcpy(field, &value, sizeof(value));
    return value != 0 || strcmp(text, "false") == 0;
}

static bool set_field(const ServerConfigKey *key, void *field, const char *text)
{
    if (key->type == TYPE_BOOL) {
        return set_bool(field, text);
    }
    return key->type == TYPE_CHOICE ? set_choice(key, field, text) : key->type == TYPE_SLOTS ? set_slots(field, text) : set_number(key, field, text);
}

bool serverconfig_set(const ServerConfigKey *key, void *to, const char *text, char *wrong, size_t size)
{
    char range[160];
    bool is_choice = key->type == TYPE_CHOICE || key->type == TYPE_BOOL;
    if (set_field(key, (char *)to + key->offset, text)) {
        return true;
    }
    bool is_number = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    serverconfig_describe_key(key, range, sizeof(range));
    snprintf(wrong, size, "%s; give %s", is_choice ? "no such choice" : is_number ? "out of range" : "not a whole number", range);
    return false;
}

void serverconfig_room_name(const ServerConfigRoom *room, uint32_t number, char name[SERVER_ROOM_NAME_SIZE])
{
    if (room->lines[KEY_ROOM_COUNT] != 0) {
        snprintf(name, SERVER_ROOM_NAME_SIZE, "%s-%u", room->name, number + 1);
    } else {
        snprintf(name, SERVER_ROOM_NAME_SIZE, "%s", room->name);
    }
}

static uint32_t rooms_of(const ServerConfigRoom *room)
{
    return room->lines[KEY_ROOM_COUNT] != 0 ? room->count : 1;
}

uint32_t serverconfig_live_count(const ServerConfig *config)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < config->room_count; i++) {
        count += config->rooms[i].source == SERVER_LIVE ? rooms_of(&config->rooms[i]) : 0;
    }
    return count;
}

uint64_t serverconfig_room_total(const ServerConfig *config)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < config->room_count; i++) {
        count += rooms_of(&config->rooms[i]);
    }
    return count;
}
