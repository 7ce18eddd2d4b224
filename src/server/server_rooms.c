// server_rooms.c: adding rooms: names, bounds, memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server_internal.h"

void server_room_options_standard(ServerRoomOptions *options)
{
    *options = (ServerRoomOptions){ .loops = 1, .durability = TP_DURABLE_INTERVAL };
}

static bool has_name(const Server *server, const char *name)
{
    for (uint32_t i = 0; i < server->room_count; i++) {
        if (strcmp(server->rooms[i]->result.name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Rooms whose names begin like this: a number above them is most likely free at once.
static uint32_t count_names(const Server *server, const char *start)
{
    uint32_t count = 0;
    size_t   size = strlen(start);
    for (uint32_t i = 0; i < server->room_count; i++) {
        count += strncmp(server->rooms[i]->result.name, start, size) == 0 ? 1 : 0;
    }
    return count;
}

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

static bool is_name_letter(char letter)
{
    return letter != '\0' && strchr(NAME_LETTERS, letter) != NULL;
}

// A room's name names its own log, too, so it has only letters that are harmless in a path: the file's name without ".tpr",
// others as '_', and never a leading dot.
static void make_name(const Server *server, const char *wish, char name[SERVER_ROOM_NAME_SIZE])
{
    const char *slash = strrchr(wish, '/');
    const char *base = slash != NULL ? slash + 1 : wish;
    char        letters[SERVER_ROOM_NAME_SIZE - 8] = "room";
    size_t      size = strlen(base);
    size = size > 4 && strcmp(base + size - 4, ".tpr") == 0 ? size - 4 : size;
    size = size < sizeof(letters) ? size : sizeof(letters) - 1;
    for (size_t i = 0; i < size; i++) {
        letters[i] = is_name_letter(base[i]) && (i > 0 || base[i] != '.') ? base[i] : '_';
    }
    if (size > 0) {
        letters[size] = '\0';
    }
    snprintf(name, SERVER_ROOM_NAME_SIZE, "%s", letters);
    for (uint32_t number = count_names(server, letters) + 1; has_name(server, name); number++) {
        snprintf(name, SERVER_ROOM_NAME_SIZE, "%s-%u", letters, number);
    }
}

static bool grow(Server *server)
{
    if (server->room_count < server->room_capacity) {
        return true;
    }
    uint32_t capacity = server->room_capacity > 0 ? server->room_capacity * 2 : 16;
    Room   **rooms = realloc(server->rooms, capacity * sizeof(*rooms));
    if (rooms == NULL) {
        return false;
    }
    server->rooms = rooms;
    char **dirs = realloc(server->record_dirs, capacity * sizeof(*dirs));
    if (dirs == NULL) {
        return false;
    }
    server->record_dirs = dirs;
    server->room_capacity = capacity;
    return true;
}

static bool has_place(const Server *server, tp_error *error)
{
    return server->room_count < SERVER_ROOMS_MAX || tp_error_set(error, "more than %d rooms: run several servers", SERVER_ROOMS_MAX);
}

static bool check_room(const Server *server, const ServerRoomOptions *options, tp_error *error)
{
    if (!has_place(server, error)) {
        return false;
    }
    if (strlen(options->path) >= SERVER_PATH_SIZE) {
        return tp_error_set(error, "the path is longer than %d bytes", SERVER_PATH_SIZE - 1);
    }
    if (options->loops == 0 || options->loops > SERVER_LOOPS_MAX) {
        return tp_error_set(error, "%u runs of a log: give 1 to %d", options->loops, SERVER_LOOPS_MAX);
    }
    return true;
}

// With its place in the arrays, but not in it yet. NULL: out of memory.
static Room *make_room(Server *server, const char *record_dir, tp_durability durability)
{
    Room *room = grow(server) ? calloc(1, sizeof(*room)) : NULL;
    char *kept = record_dir != NULL && room != NULL ? strdup(record_dir) : NULL;
    if (room == NULL || (record_dir != NULL && kept == NULL)) {
        free(room);
        return NULL;
    }
    room->record_dir = server->record_dirs[server->room_count] = kept;
    room->durability = durability;
    room->source.file = -1;
    return room;
}

static void add_room(Server *server, Room *room)
{
    server->rooms[server->room_count++] = room;
}

bool server_add_recorded(Server *server, const ServerRoomOptions *options, tp_error *error)
{
    if (!check_room(server, options, error)) {
        return false;
    }
    Room *room = make_room(server, options->record_dir, options->durability);
    if (room == NULL) {
        return tp_error_set(error, "out of memory");
    }
    make_name(server, options->name != NULL ? options->name : options->path, room->result.name);
    memcpy(room->result.path, options->path, strlen(options->path) + 1);
    room->result.pace = options->pace;
    room->loops_wanted = options->loops;
    add_room(server, room);
    return true;
}

void server_live_options_standard(ServerLiveOptions *options)
{
    *options = (ServerLiveOptions){ .durability = TP_DURABLE_INTERVAL };
}

// A live room's name is what clients ask for, so it is taken as it is or not at all.
static bool check_name(const Server *server, const char *name, tp_error *error)
{
    size_t size = strlen(name);
    if (size == 0 || size >= SERVER_ROOM_NAME_SIZE || name[0] == '.' || strspn(name, NAME_LETTERS) != size) {
        return tp_error_set(error, "'%.80s' is no room's name: 1 to %d letters a-z A-Z 0-9 _ - . and no dot first", name, SERVER_ROOM_NAME_SIZE - 1);
    }
    return !has_name(server, name) || tp_error_set(error, "there is a room '%s' already: give another name", name);
}

// Numbers that have a most; 0 and UINT32_MAX have meanings of their own.
static bool check_most(const char *name, uint32_t value, uint32_t most, tp_error *error)
{
    return value <= most || value == UINT32_MAX || tp_error_set(error, "%s: %u is more than %u", name, value, most);
}

bool server_add_live(Server *server, const ServerLiveOptions *options, tp_error *error)
{
    if (!has_place(server, error) || !check_name(server, options->name, error)) {
        return false;
    }
    if (options->stall_ms > SERVER_STALL_MS_MAX) {
        return tp_error_set(error, "stall_ms: %u is more than %d", options->stall_ms, SERVER_STALL_MS_MAX);
    }
    if (!check_most("report_ticks", options->report_ticks, SERVER_REPORT_TICKS_MAX, error) ||
        !check_most("rejoin_seconds", options->rejoin_seconds, SERVER_REJOIN_SECONDS_MAX, error)) {
        return false;
    }
    uint32_t players = options->players > 0 ? options->players : options->world->players_standard;
    if (options->start_players > players) {
        return tp_error_set(error, "start_players: %u, but the room has %u slots: it would never begin", options->start_players, players);
    }
    Room *room = make_room(server, options->record_dir, options->durability);
    if (room == NULL) {
        return tp_error_set(error, "out of memory");
    }
    if (!live_create(room, options, error)) {
        free(server->record_dirs[server->room_count]);
        free(room);
        return false;
    }
    snprintf(room->result.name, sizeof(room->result.name), "%s", options->name);
    room->result.source = SERVER_LIVE;
    room->result.pace = SERVER_REAL_TIME;
    room->loops_wanted = 1;
    room->live->number = server->room_count;
    room_publish(room, options->world->name, room->live->options.tick_rate_hz, room->live->players);
    add_room(server, room);
    return true;
}
