// serverconfig_flags.c: what flags add to a config, in the file's terms.
#include "serverconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

// Gives up the newest room.
static bool drop_room(ServerConfig *config)
{
    free(config->rooms[config->room_count - 1].items);
    config->room_count--;
    return false;
}

static bool out_of_memory(ServerConfigError *error)
{
    snprintf(error->text, sizeof(error->text), "out of memory");
    return false;
}

bool serverconfig_add_listen(ServerConfig *config, const char *address, ServerConfigError *error)
{
    if (!serverconfig_is_address(address)) {
        snprintf(error->text, sizeof(error->text), "--listen: '%s': not a listen address; write numbers such as 127.0.0.1:7777 or [::1]:7777",
                 address);
        return false;
    }
    if (config->listen_count == SERVER_LISTENERS_MAX) {
        snprintf(error->text, sizeof(error->text), "--listen: '%s': %d addresses are the most; leave some out", address, SERVER_LISTENERS_MAX);
        return false;
    }
    snprintf(config->listen[config->listen_count++], SERVERCONFIG_ADDRESS_SIZE, "%s", address);
    config->lines[KEY_LISTEN] = SERVERCONFIG_NO_LINE;
    return true;
}

bool serverconfig_set_udp(ServerConfig *config, const char *address, ServerConfigError *error)
{
    if (!serverconfig_is_address(address)) {
        snprintf(error->text, sizeof(error->text), "--udp: '%s': not an address in numbers; write it as 127.0.0.1:7777 or [::1]:7777", address);
        return false;
    }
    if (config->lines[KEY_UDP] != 0) {
        snprintf(error->text, sizeof(error->text), "--udp: '%s' and '%s': give one address", config->udp, address);
        return false;
    }
    snprintf(config->udp, SERVERCONFIG_ADDRESS_SIZE, "%s", address);
    config->lines[KEY_UDP] = SERVERCONFIG_NO_LINE;
    return true;
}

bool serverconfig_set_http(ServerConfig *config, const char *address, ServerConfigError *error)
{
    if (!serverconfig_is_address(address)) {
        snprintf(error->text, sizeof(error->text), "--http: '%s': not an address in numbers; write it as 127.0.0.1:7780 or [::1]:7780", address);
        return false;
    }
    if (config->lines[KEY_HTTP] != 0) {
        snprintf(error->text, sizeof(error->text), "--http: '%s' and '%s': give one address", config->http.listen, address);
        return false;
    }
    snprintf(config->http.listen, SERVERCONFIG_ADDRESS_SIZE, "%s", address);
    config->lines[KEY_HTTP] = SERVERCONFIG_NO_LINE;
    return true;
}

bool serverconfig_add_recorded(ServerConfig *config, const char *path, ServerPace pace, uint32_t loops, ServerConfigError *error)
{
    ServerConfigRoom *room = serverconfig_add_room(config);
    if (room == NULL) {
        return out_of_memory(error);
    }
    room->source = SERVER_RECORDED;
    room->log = serverconfig_text(config, "%s", path);
    room->flag = serverconfig_text(config, "--recorded %s", path);
    room->pace = (uint32_t)pace;
    room->loops = loops;
    return (room->log != NULL && room->flag != NULL) || (drop_room(config), out_of_memory(error));
}

static bool add_item(ServerConfig *config, ServerConfigRoom *room, const char *name, const char *value, ServerConfigError *error)
{
    int64_t number = 0;
    if (room->items == NULL) {
        room->items = calloc(TP_CONFIG_ITEMS_MAX, sizeof(*room->items));
        if (room->items == NULL) {
            return out_of_memory(error);
        }
    }
    if (!args_parse_i64(value, &number)) {
        return serverconfig_refuse(config, room, NULL, error, "config.%.80s: '%.80s': not a whole number of at most 64 bits", name, value);
    }
    for (uint32_t i = 0; i < room->item_count; i++) {
        if (strcmp(room->items[i].name, name) == 0) {
            return serverconfig_refuse(config, room, NULL, error, "config.%.80s: it is given twice; keep one", name);
        }
    }
    if (room->item_count == TP_CONFIG_ITEMS_MAX) {
        return serverconfig_refuse(config, room, NULL, error, "config.%.80s: more than %d items, which no world has", name, TP_CONFIG_ITEMS_MAX);
    }
    room->items[room->item_count++] = (ServerConfigItem){ .name = name, .value = number, .line = SERVERCONFIG_NO_LINE };
    room->lines[KEY_CONFIG] = SERVERCONFIG_NO_LINE;
    return true;
}

static bool refuse_unknown(const ServerConfig *config, const ServerConfigRoom *room, const char *name, ServerConfigError *error)
{
    char        list[256] = "";
    size_t      used = 0;
    const char *near = serverconfig_nearest_key(PLACE_LIVE, name);
    const char *item = near != NULL && strcmp(near, serverconfig_keys[KEY_CONFIG].name) == 0 ? ".ITEM" : "";
    if (near != NULL && serverconfig_find_key(PLACE_LIVE, near)->is_of_flag) {
        return serverconfig_refuse(config, room, NULL, error, "%.80s: there is no such key; did you mean %s%s?", name, near, item);
    }
    for (int i = 0; i < KEY_COUNT && used < sizeof(list); i++) {
        const ServerConfigKey *key = &serverconfig_keys[i];
        if (key->is_of_flag) {
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s%s", used == 0 ? "" : ", ", key->name,
                                     key->type == TYPE_ITEMS ? ".ITEM" : "");
        }
    }
    return serverconfig_refuse(config, room, NULL, error, "%.80s: there is no such key; here are %s", name, list);
}

static bool take_path(ServerConfig *config, ServerConfigRoom *room, const ServerConfigKey *key, const char *value, ServerConfigError *error)
{
    if (value[0] == '\0' || strlen(value) >= SERVER_PATH_SIZE) {
        return serverconfig_refuse(config, room, key, error, "'%.80s': %s; give a path", value, value[0] == '\0' ? "empty" : "too long");
    }
    const char *path = serverconfig_path(config, "", value);
    memcpy((char *)room + key->offset, &path, sizeof(path));
    return path != NULL || out_of_memory(error);
}

static bool take_pair(ServerConfig *config, ServerConfigRoom *room, char *pair, ServerConfigError *error)
{
    char  wrong[256];
    char *value = strchr(pair, '=');
    if (value == NULL) {
        return serverconfig_refuse(config, room, NULL, error, "'%.80s': not KEY=VALUE; write it as seed=7", pair);
    }
    *value++ = '\0';
    if (strncmp(pair, "config.", 7) == 0) {
        return add_item(config, room, pair + 7, value, error);
    }
    const ServerConfigKey *key = serverconfig_find_key(PLACE_LIVE, pair);
    if (key == NULL || !key->is_of_flag || key->type == TYPE_ITEMS) {
        return refuse_unknown(config, room, pair, error);
    }
    int *line = &room->lines[key - serverconfig_keys];
    if (*line != 0) {
        return serverconfig_refuse(config, room, key, error, "it is given twice; keep one");
    }
    *line = SERVERCONFIG_NO_LINE;
    if (key->type == TYPE_PATH) {
        return take_path(config, room, key, value, error);
    }
    return serverconfig_set(key, room, value, wrong, sizeof(wrong)) ||
           serverconfig_refuse(config, room, key, error, "%.80s: %s", value, wrong);
}

// `words` is cut in place, and named by what is taken from it.
static bool take_spec(ServerConfig *config, ServerConfigRoom *room, char *words, ServerConfigError *error)
{
    char *next = strchr(words, ',');
    char *world = strchr(words, '=');
    if (next != NULL) {
        *next++ = '\0';
    }
    if (world == NULL || (next != NULL && world > next) || world[1] == '\0') {
        return serverconfig_refuse(config, room, NULL, error, "not a live room; write NAME=WORLD, then ,KEY=VALUE as often as needed");
    }
    *world++ = '\0';
    room->name = words;
    room->world_name = world;
    if (!serverconfig_is_name(room->name)) {
        char range[160];
        serverconfig_describe_key(&serverconfig_keys[KEY_NAME], range, sizeof(range));
        return serverconfig_refuse(config, room, &serverconfig_keys[KEY_NAME], error, "'%.80s': not a room's name; give %s", room->name, range);
    }
    while (next != NULL) {
        char *pair = next;
        next = strchr(pair, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (!take_pair(config, room, pair, error)) {
            return false;
        }
    }
    return true;
}

bool serverconfig_add_live(ServerConfig *config, const char *spec, ServerConfigError *error)
{
    ServerConfigRoom *room = serverconfig_add_room(config);
    if (room == NULL) {
        return out_of_memory(error);
    }
    char *words = serverconfig_text(config, "%s", spec);
    room->source = SERVER_LIVE;
    room->flag = serverconfig_text(config, "--live %s", spec);
    if (words == NULL || room->flag == NULL) {
        drop_room(config);
        return out_of_memory(error);
    }
    return take_spec(config, room, words, error) || drop_room(config);
}

// Numbers and choices of the server and its limits.
static void override_plain(ServerConfig *config, const ServerConfig *flags)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        const ServerConfigKey *key = &serverconfig_keys[i];
        bool is_limit = key->places == PLACE_LIMITS;
        if (flags->lines[i] == 0 || (key->type != TYPE_U32 && key->type != TYPE_CHOICE) || (!is_limit && key->places != PLACE_SERVER)) {
            continue;
        }
        char       *to = is_limit ? (char *)&config->limits : (char *)config;
        const char *from = is_limit ? (const char *)&flags->limits : (const char *)flags;
        memcpy(to + key->offset, from + key->offset, sizeof(uint32_t));
        config->lines[i] = SERVERCONFIG_NO_LINE;
    }
}

static bool override_record(ServerConfig *config, const ServerConfig *flags)
{
    if (flags->lines[KEY_DURABILITY] != 0) {
        config->record.durability = flags->record.durability;
        config->lines[KEY_DURABILITY] = SERVERCONFIG_NO_LINE;
    }
    if (flags->record.directory != NULL) {
        config->record.directory = serverconfig_text(config, "%s", flags->record.directory);
        config->lines[KEY_DIRECTORY] = SERVERCONFIG_NO_LINE;
        return config->record.directory != NULL;
    }
    return true;
}

bool serverconfig_override(ServerConfig *config, ServerConfig *flags, ServerConfigError *error)
{
    override_plain(config, flags);
    if (flags->listen_count > 0) {
        memcpy(config->listen, flags->listen, sizeof(config->listen));
        config->listen_count = flags->listen_count;
        config->lines[KEY_LISTEN] = SERVERCONFIG_NO_LINE;
    }
    if (flags->lines[KEY_UDP] != 0) {
        memcpy(config->udp, flags->udp, sizeof(config->udp));
        config->lines[KEY_UDP] = SERVERCONFIG_NO_LINE;
    }
    if (flags->lines[KEY_HTTP] != 0) {
        memcpy(config->http.listen, flags->http.listen, sizeof(config->http.listen));
        config->lines[KEY_HTTP] = SERVERCONFIG_NO_LINE;
    }
    if (flags->udp_key != NULL) {
        config->udp_key = flags->udp_key; // an argument of the command line
        config->lines[KEY_UDP_KEY] = SERVERCONFIG_NO_LINE;
    }
    if (flags->token_issuer != NULL) {
        config->token_issuer = flags->token_issuer;
        config->lines[KEY_TOKEN_ISSUER] = SERVERCONFIG_NO_LINE;
    }
    if (flags->token_server != NULL) {
        config->token_server = flags->token_server;
        config->lines[KEY_TOKEN_SERVER] = SERVERCONFIG_NO_LINE;
    }
    if (flags->admin_key_file != NULL) {
        config->admin_key_file = flags->admin_key_file; // an argument of the command line
        config->lines[KEY_ADMIN_KEY_FILE] = SERVERCONFIG_NO_LINE;
    }
    if (flags->sign_key != NULL) {
        config->sign_key = flags->sign_key; // likewise
        config->lines[KEY_SIGN_KEY] = SERVERCONFIG_NO_LINE;
    }
    if (!override_record(config, flags)) {
        return out_of_memory(error);
    }
    for (uint32_t i = 0; i < flags->room_count; i++) {
        ServerConfigRoom *room = serverconfig_add_room(config);
        if (room == NULL) {
            return out_of_memory(error);
        }
        // The texts stay with `flags`, which must live as long; the items move.
        *room = flags->rooms[i];
        flags->rooms[i].items = NULL;
    }
    flags->room_count = 0;
    return true;
}
