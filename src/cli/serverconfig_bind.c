// serverconfig_bind.c: what one entry alone cannot tell: names that come twice, how many rooms there are in all, what a world takes.
#include "serverconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ServerConfigKey *key_of(ServerConfigKeyId id)
{
    return &serverconfig_keys[id];
}

static bool check_total(const ServerConfig *config, ServerConfigError *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        total += room->lines[KEY_ROOM_COUNT] != 0 ? room->count : 1;
        if (total > SERVER_ROOMS_MAX) {
            return serverconfig_refuse(config, room, room->lines[KEY_ROOM_COUNT] != 0 ? key_of(KEY_ROOM_COUNT) : NULL, error,
                                       "with it there are more than %d rooms; run several servers", SERVER_ROOMS_MAX);
        }
    }
    return true;
}

typedef struct {
    char     name[SERVER_ROOM_NAME_SIZE];
    uint32_t room;
} Named;

static int by_name(const void *a, const void *b)
{
    const Named *one = a;
    const Named *other = b;
    int          order = strcmp(one->name, other->name);
    return order != 0 ? order : one->room < other->room ? -1 : one->room > other->room;
}

// The first entry, in order, with a name that an earlier one has.
static bool refuse_twice(const ServerConfig *config, const Named *names, size_t count, ServerConfigError *error)
{
    const Named *twice = NULL;
    const Named *first = NULL;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1].name, names[i].name) == 0 && (twice == NULL || names[i].room < twice->room)) {
            first = &names[i - 1];
            twice = &names[i];
        }
    }
    if (twice == NULL) {
        return true;
    }
    char place[SERVERCONFIG_ERROR_SIZE / 2];
    serverconfig_place(config, &config->rooms[first->room], key_of(KEY_NAME), place, sizeof(place));
    return serverconfig_refuse(config, &config->rooms[twice->room], key_of(KEY_NAME), error, "'%s': another room has this name (%s); give each its own",
                               twice->name, place);
}

static bool check_names(const ServerConfig *config, ServerConfigError *error)
{
    Named *names = calloc(serverconfig_room_total(config) + 1, sizeof(*names));
    size_t count = 0;
    if (names == NULL) {
        snprintf(error->text, sizeof(error->text), "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        uint32_t                copies = room->name == NULL ? 0 : room->lines[KEY_ROOM_COUNT] != 0 ? room->count : 1;
        for (uint32_t number = 0; number < copies; number++) {
            serverconfig_room_name(room, number, names[count].name);
            names[count++].room = i;
        }
    }
    qsort(names, count, sizeof(*names), by_name);
    bool is_fine = refuse_twice(config, names, count, error);
    free(names);
    return is_fine;
}

static bool check_listen(const ServerConfig *config, ServerConfigError *error)
{
    for (uint32_t i = 0; i < config->listen_count; i++) {
        const char *address = config->listen[i];
        for (uint32_t other = 0; other < i; other++) {
            if (strcmp(address, config->listen[other]) == 0 && strcmp(strrchr(address, ':'), ":0") != 0) {
                return serverconfig_refuse(config, NULL, key_of(KEY_LISTEN), error, "%s: it is given twice; keep one", address);
            }
        }
    }
    return true;
}

// Without a key datagrams can be sent in anybody's name, so they are taken from this machine only.
static bool check_udp(const ServerConfig *config, ServerConfigError *error)
{
    if (config->udp_key != NULL && config->udp[0] == '\0') {
        return serverconfig_refuse(config, NULL, key_of(KEY_UDP_KEY), error, "%s: no datagrams are taken; give an address for them with \"udp\" or --udp, or no key",
                                   config->udp_key);
    }
    if ((config->token_issuer == NULL) != (config->token_server == NULL)) {
        bool is_issuer = config->token_issuer != NULL;
        return serverconfig_refuse(config, NULL, key_of(is_issuer ? KEY_TOKEN_ISSUER : KEY_TOKEN_SERVER), error, "%s: token_issuer and token_server go together; give both",
                                   is_issuer ? config->token_issuer : config->token_server);
    }
    if (config->udp[0] == '\0' || config->udp_key != NULL || serverconfig_is_loopback(config->udp)) {
        return true;
    }
    return serverconfig_refuse(config, NULL, key_of(KEY_UDP), error, "%s: without a key (udp_key) datagrams are taken on loopback addresses only; give 127.0.0.1:PORT or [::1]:PORT",
                               config->udp);
}

static uint32_t limit_of(const ServerConfig *config, ServerConfigKeyId id)
{
    uint32_t value;
    memcpy(&value, (const char *)&config->limits + key_of(id)->offset, sizeof(value));
    return value > 0 ? value : (uint32_t)key_of(id)->usual;
}

// What one client may keep waiting is part of what all may.
static bool check_queues(const ServerConfig *config, ServerConfigError *error)
{
    uint32_t queue = limit_of(config, KEY_QUEUE);
    uint32_t total = limit_of(config, KEY_TOTAL);
    if (queue <= total) {
        return true;
    }
    if (config->lines[KEY_QUEUE] != 0) {
        return serverconfig_refuse(config, NULL, key_of(KEY_QUEUE), error,
                                   "%u: more for one client than send_total_bytes has for all of a thread, %u; give less, or more there", queue, total);
    }
    return serverconfig_refuse(config, NULL, key_of(KEY_TOTAL), error,
                               "%u: less for all clients of a thread than send_queue_bytes has for one, %u; give more, or less there", total, queue);
}

static bool has_directory(const ServerConfig *config)
{
    bool is_there = config->record.directory != NULL;
    for (uint32_t i = 0; i < config->room_count; i++) {
        is_there = is_there || config->rooms[i].record.directory != NULL;
    }
    return is_there;
}

static bool check_durability(const ServerConfig *config, ServerConfigError *error)
{
    if (config->lines[KEY_DURABILITY] == 0 || has_directory(config)) {
        return true;
    }
    return serverconfig_refuse(config, NULL, key_of(KEY_DURABILITY), error,
                               "nothing is recorded; give \"directory\" in \"record\" or --record DIR, or leave it out");
}

// Whoever gives a key means logs that prove something: none at all would be found out too late.
static bool check_sign_key(const ServerConfig *config, ServerConfigError *error)
{
    if (config->sign_key == NULL || has_directory(config)) {
        return true;
    }
    return serverconfig_refuse(config, NULL, key_of(KEY_SIGN_KEY), error,
                               "nothing is recorded, so nothing is signed; give \"directory\" in \"record\" or --record DIR, or leave it out");
}

static bool refuse_item(const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigItem *item, ServerConfigError *error,
                        const char *what)
{
    // The item's own line, not the one of "config".
    ServerConfigRoom there = *room;
    char             place[SERVERCONFIG_ERROR_SIZE / 2];
    there.lines[KEY_CONFIG] = item->line;
    serverconfig_place(config, &there, key_of(KEY_CONFIG), place, sizeof(place));
    snprintf(error->text, sizeof(error->text), "%s.%.80s: %s", place, item->name, what);
    return false;
}

static void describe_items(const tp_world *world, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "the world '%s' has no such item; it has", world->name);
    for (uint32_t i = 0; i < world->config_count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s %s", i == 0 ? "" : ",", world->config[i].name);
    }
    if (world->config_count == 0) {
        snprintf(text, size, "the world '%s' has no config at all; leave it out", world->name);
    }
}

static bool bind_item(const ServerConfig *config, ServerConfigRoom *room, const ServerConfigItem *item, ServerConfigError *error)
{
    char            text[512];
    const tp_world *world = room->world;
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *known = &world->config[i];
        if (strcmp(known->name, item->name) != 0) {
            continue;
        }
        if (item->value < known->min || item->value > known->max) {
            snprintf(text, sizeof(text), "%lld: out of range; give %lld to %lld %s", (long long)item->value, (long long)known->min,
                     (long long)known->max, known->unit == NULL ? "" : known->unit);
            return refuse_item(config, room, item, error, text);
        }
        room->values[i] = item->value;
        return true;
    }
    describe_items(world, text, sizeof(text));
    return refuse_item(config, room, item, error, text);
}

static bool bind_items(const ServerConfig *config, ServerConfigRoom *room, ServerConfigError *error)
{
    if (room->item_count == 0) {
        return true;
    }
    room->values = calloc(TP_CONFIG_ITEMS_MAX, sizeof(*room->values));
    if (room->values == NULL) {
        return serverconfig_refuse(config, room, NULL, error, "out of memory");
    }
    for (uint32_t i = 0; i < room->world->config_count; i++) {
        room->values[i] = room->world->config[i].standard;
    }
    for (uint32_t i = 0; i < room->item_count; i++) {
        if (!bind_item(config, room, &room->items[i], error)) {
            return false;
        }
    }
    return true;
}

static bool bind_players(const ServerConfig *config, ServerConfigRoom *room, ServerConfigError *error)
{
    const tp_world *world = room->world;
    uint32_t        fewest = world->players_min > 0 ? world->players_min : 1;
    int64_t         wanted = room->players_wanted;
    if (room->lines[KEY_PLAYERS] == 0) {
        return true;
    }
    if (wanted >= fewest && wanted <= world->players_max) {
        room->players = (uint32_t)wanted;
        return true;
    }
    if (world->players_min == 0) {
        return serverconfig_refuse(config, room, key_of(KEY_PLAYERS), error, "%lld: a live room takes 1 to %u, though the world '%s' also runs with none",
                                   (long long)wanted, world->players_max, world->name);
    }
    return serverconfig_refuse(config, room, key_of(KEY_PLAYERS), error, "%lld: the world '%s' takes %u to %u", (long long)wanted, world->name,
                               fewest, world->players_max);
}

static bool bind_live(const ServerConfig *config, ServerConfigRoom *room, ServerConfigError *error)
{
    const tp_world *world = room->world;
    if (!bind_players(config, room, error)) {
        return false;
    }
    uint32_t players = room->players > 0 ? room->players : world->players_standard;
    if (room->start_players > players) {
        return serverconfig_refuse(config, room, key_of(KEY_START_PLAYERS), error, "%u: the room has %u slots; give 0 to %u", room->start_players,
                                   players, players);
    }
    if (room->lines[KEY_STALL] != 0 && room->missing != SERVER_MISSING_STALL) {
        return serverconfig_refuse(config, room, key_of(KEY_STALL), error, "only a room that stalls waits; give missing stall, or leave it out");
    }
    if (room->lines[KEY_ROOM_COUNT] != 0 && room->seed > UINT64_MAX - (room->count - 1)) {
        return serverconfig_refuse(config, room, key_of(KEY_SEED), error, "%llu: the seeds of %u rooms go above 64 bits; give a smaller one",
                                   (unsigned long long)room->seed, room->count);
    }
    return bind_items(config, room, error);
}

// The room's own word, else the server's, else by what the room waits for.
static tp_durability durability_of(const ServerConfig *config, const ServerConfigRoom *room)
{
    if (room->lines[KEY_DURABILITY] != 0) {
        return (tp_durability)room->record.durability;
    }
    if (config->lines[KEY_DURABILITY] != 0) {
        return (tp_durability)config->record.durability;
    }
    return room->source == SERVER_RECORDED && room->pace == SERVER_FAST ? TP_DURABLE_NONE : TP_DURABLE_INTERVAL;
}

// What a room's own log is to do, though there is none.
static bool bind_series(const ServerConfig *config, const ServerConfigRoom *room, ServerConfigError *error)
{
    if (room->record_dir != NULL || room->source != SERVER_LIVE) {
        return true;
    }
    if (room->rotate_ticks > 0) {
        return serverconfig_refuse(config, room, key_of(KEY_ROTATE_TICKS), error,
                                   "the room is not recorded, so no file would follow another; give a directory to record into, or leave it out");
    }
    if (room->lines[KEY_RESUME] != 0 && room->is_resumed != 0) {
        return serverconfig_refuse(config, room, key_of(KEY_RESUME), error,
                                   "the room is not recorded, so there is nothing to go on with; give a directory to record into, or leave it out");
    }
    return true;
}

static bool bind_record(const ServerConfig *config, ServerConfigRoom *room, ServerConfigError *error)
{
    bool is_wanted = room->lines[KEY_ROOM_RECORD] != 0 && !room->record.is_off;
    room->durability = durability_of(config, room);
    room->record_dir = room->record.is_off ? NULL : room->record.directory != NULL ? room->record.directory : config->record.directory;
    if (is_wanted && room->record_dir == NULL) {
        return serverconfig_refuse(config, room, key_of(KEY_ROOM_RECORD), error,
                                   "it says no directory, and nor does the server's record; give \"directory\" in one of them");
    }
    return bind_series(config, room, error);
}

static bool bind_room(const ServerConfig *config, ServerConfigRoom *room, ServerConfigError *error,
                      const tp_world *(*find_world)(void *to, const char *name, uint32_t revision), void *find_to)
{
    if (room->source == SERVER_LIVE) {
        room->world = find_world(find_to, room->world_name, 0);
        if (room->world == NULL) {
            return serverconfig_refuse(config, room, key_of(KEY_WORLD), error,
                                       "'%.80s': there is no such world here; 'tickproof worlds' lists the built-in ones, worlds and --world name libraries",
                                       room->world_name);
        }
        if (!bind_live(config, room, error)) {
            return false;
        }
    }
    return bind_record(config, room, error);
}

bool serverconfig_bind(ServerConfig *config, const tp_world *(*find_world)(void *to, const char *name, uint32_t revision), void *find_to,
                       ServerConfigError *error)
{
    if (!check_total(config, error) || !check_names(config, error) || !check_listen(config, error) || !check_udp(config, error) ||
        !check_queues(config, error) || !check_durability(config, error) || !check_sign_key(config, error)) {
        return false;
    }
    if (config->listen_count == 0 && serverconfig_live_count(config) > 0) {
        snprintf(config->listen[config->listen_count++], SERVERCONFIG_ADDRESS_SIZE, "%s", SERVERCONFIG_LISTEN_STANDARD);
    }
    for (uint32_t i = 0; i < config->room_count; i++) {
        if (!bind_room(config, &config->rooms[i], error, find_world, find_to)) {
            return false;
        }
    }
    return true;
}
