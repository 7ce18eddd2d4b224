// serverconfig.h: what tickproofd is to run, as plain data: from the bytes of a configuration file, and from flags. Nothing here opens
// a file, a socket or a library; serverconfig_files.h goes on from where this ends.
//
// Every refusal is one line that names the place: "rooms.json:14: rooms[2].players: 300: the world 'runner' takes 1 to 8".
#pragma once

#include "server.h"
#include "serverconfig_keys.h"
#include "worlds.h"

enum {
    SERVERCONFIG_NAME_MAX     = SERVER_ROOM_NAME_SIZE - 9, ///< letters of a room's name: the server keeps eight for a number of its own
    SERVERCONFIG_ADDRESS_SIZE = 64,       ///< of a listen address with its terminator
    SERVERCONFIG_ERROR_SIZE   = 2048,
    SERVERCONFIG_NAMES_MAX    = 16,       ///< of hosts, and of origins
    SERVERCONFIG_NO_LINE      = -1,       ///< in place of a line: given by a flag
};

#define SERVERCONFIG_LISTEN_STANDARD "127.0.0.1:7777"

typedef struct ServerConfigError {
    char text[SERVERCONFIG_ERROR_SIZE];
} ServerConfigError;

/// One value of a world's config: taken as a number, held against the world later.
typedef struct ServerConfigItem {
    const char *name;
    int64_t     value;
    int         line;
} ServerConfigItem;

typedef struct ServerConfigRecord {
    bool        is_off;     ///< "record": false
    const char *directory;  ///< NULL: not said here
    uint32_t    durability; ///< when lines[KEY_DURABILITY] says that it was given
} ServerConfigRecord;

/// One entry of "rooms", or what a flag stands for. `lines` has the line of every key that was given, 0 for the others.
typedef struct ServerConfigRoom {
    uint32_t    source;     ///< a ServerSource
    const char *flag;       ///< the flag with its argument; NULL: an entry of the file
    uint32_t    index;      ///< in the file's "rooms"
    int         line;
    int         lines[KEY_COUNT];
    const char *log;        ///< recorded: a log or a directory
    const char *name;       ///< recorded: may be NULL
    uint32_t    pace, loops;
    const char *world_name;
    int64_t     players_wanted; ///< as given
    uint32_t    tick_rate_hz, algorithm, missing, stall_ms, when_empty, start_players, count;
    uint64_t    seed, ticks;
    uint32_t    on_desync, report_ticks, rejoin_seconds, is_resumed; ///< report_ticks and rejoin_seconds 0: none at all
    const char *desync_dir;     ///< NULL: where the room is recorded
    uint64_t    rotate_ticks;
    ServerConfigItem *items;
    uint32_t    item_count;
    ServerConfigRecord record;
    // serverconfig_bind fills these.
    const tp_world *world;
    uint32_t        players; ///< 0: the world's usual number
    int64_t        *values; ///< of the world's config items; NULL: the usual ones
    const char     *record_dir; ///< NULL: none
    tp_durability   durability;
} ServerConfigRoom;

typedef struct ServerConfigHttp {
    char        listen[SERVERCONFIG_ADDRESS_SIZE]; ///< empty: no HTTP
    const char *hosts[SERVERCONFIG_NAMES_MAX];
    uint32_t    host_count; ///< right behind its array, likewise below
    const char *origins[SERVERCONFIG_NAMES_MAX];
    uint32_t    origin_count;
    uint32_t    connections, connections_per_address, requests_per_second, header_bytes, body_bytes, request_ms, idle_ms; ///< 0: the usual
} ServerConfigHttp;

typedef struct ServerConfig {
    const char *name;       ///< of the file, for messages. NULL: there is none
    int         lines[KEY_COUNT];
    char        listen[SERVER_LISTENERS_MAX][SERVERCONFIG_ADDRESS_SIZE];
    uint32_t    listen_count;
    char        udp[SERVERCONFIG_ADDRESS_SIZE]; ///< empty: no datagrams
    ServerConfigHttp http;
    const char *udp_key;        ///< a file; NULL: datagrams are not secured
    const char *token_issuer, *token_server; ///< a file, a name; NULL: none
    uint32_t    tokens;         ///< 0: required, 1: optional
    const char *admin_key_file; ///< NULL: nobody is an administrator
    const char *sign_key;       ///< a file; NULL: the rooms' own logs are not signed
    uint32_t    threads, status_every, log, stop_ms; ///< 0: the usual
    ServerNetLimits limits;
    ServerConfigRecord record;
    const char *worlds[WORLDS_LOADED_MAX]; ///< libraries
    int         world_lines[WORLDS_LOADED_MAX];
    uint32_t    world_count;
    ServerConfigRoom *rooms;
    uint32_t    room_count, room_capacity;
    char      **texts;      ///< every string above
    size_t      text_count, text_capacity;
} ServerConfig;

/// Reads a whole file's bytes into a zeroed config. `name` is for messages, `folder` stands before relative paths: empty, or ending
/// in '/'. False with the first thing that is wrong; finish the config in any case. It keeps nothing of the arguments.
bool serverconfig_read(ServerConfig *config, const char *name, const char *folder, const char *text, size_t size, ServerConfigError *error);

// What flags say. Each leaves the config as it was on false, with the reason.

/// NAME=WORLD[,KEY=VALUE]...
bool serverconfig_add_live(ServerConfig *config, const char *spec, ServerConfigError *error);
/// A log, as --recorded gives it.
bool serverconfig_add_recorded(ServerConfig *config, const char *path, ServerPace pace, uint32_t loops, ServerConfigError *error);
bool serverconfig_add_listen(ServerConfig *config, const char *address, ServerConfigError *error);
bool serverconfig_set_udp(ServerConfig *config, const char *address, ServerConfigError *error);
bool serverconfig_set_http(ServerConfig *config, const char *address, ServerConfigError *error);
/// What one config says for the whole server replaces what another says: flags are read into `flags`, and win. The rooms of `flags`
/// are added behind, and `flags` is left with nothing but what has to be finished.
bool serverconfig_override(ServerConfig *config, ServerConfig *flags, ServerConfigError *error);

/// The rest that needs no files: names, numbers of rooms, and what the worlds say to players, config items and the like. Fills what
/// rooms need to be made. `find_world` as in server.h.
bool serverconfig_bind(ServerConfig *config, const tp_world *(*find_world)(void *to, const char *name, uint32_t revision), void *find_to,
                       ServerConfigError *error);

/// Live rooms, and all rooms as far as directories of logs have been replaced by what is in them.
uint32_t serverconfig_live_count(const ServerConfig *config);
uint64_t serverconfig_room_total(const ServerConfig *config);
/// The n-th name of a live room: NAME, or NAME-1 and so on.
void     serverconfig_room_name(const ServerConfigRoom *room, uint32_t number, char name[SERVER_ROOM_NAME_SIZE]);

void serverconfig_finish(ServerConfig *config);

// For the files of this type, and serverconfig_files.c.

/// A formatted copy that lives as long as the config. NULL: out of memory.
char *serverconfig_text(ServerConfig *config, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Gives the config a string of the heap. NULL when it was, or for want of memory, and then it is freed.
char *serverconfig_keep(ServerConfig *config, char *text);
/// A path of the file: as it is when it is absolute, else behind the folder.
const char *serverconfig_path(ServerConfig *config, const char *folder, const char *path);
/// A new room with what is usual. NULL: out of memory.
ServerConfigRoom *serverconfig_add_room(ServerConfig *config);
bool serverconfig_is_name(const char *name);
/// "127.0.0.1:7777" or "[::1]:7777": numbers only.
bool serverconfig_is_address(const char *address);
/// A host with or without a port, or with `is_origin` http:// or https:// in front of one.
bool serverconfig_is_web_name(const char *text, bool is_origin);
/// An address of this machine to itself: what datagrams are taken on.
bool serverconfig_is_loopback(const char *address);
/// "FILE:LINE: rooms[2]" or the flag, for what is said about a room. With a key, ".key" and its line, too.
void serverconfig_place(const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigKey *key, char *place, size_t size);
/// Writes the place and what is wrong; returns false. `room` NULL: the server's own; `key` NULL: the room as a whole.
bool serverconfig_refuse(const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigKey *key, ServerConfigError *error,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
/// A number or word into the field that a key names inside `to`. False with what would be right, for a message.
bool serverconfig_set(const ServerConfigKey *key, void *to, const char *text, char *wrong, size_t size);
