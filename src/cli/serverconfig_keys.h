// serverconfig_keys.h: every key of a configuration, with its place, type, range and what holds without it. The parser, --live and the
// test that holds the manual page against all this read the same table.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where a key may stand. A key of both kinds of rooms has both bits.
enum {
    PLACE_SERVER   = 1,
    PLACE_RECORD   = 2,
    PLACE_LIMITS   = 4,
    PLACE_RECORDED = 8,
    PLACE_LIVE     = 16,
    PLACE_HTTP     = 32,
};

typedef enum ServerConfigKeyId {
    KEY_LISTEN, KEY_UDP, KEY_UDP_KEY, KEY_TOKEN_ISSUER, KEY_TOKEN_SERVER, KEY_TOKENS, KEY_HTTP, KEY_ADMIN_KEY_FILE, KEY_SIGN_KEY, KEY_THREADS, KEY_STATUS_EVERY, KEY_LOG_FORMAT, KEY_WORLDS, KEY_RECORD, KEY_LIMITS, KEY_STOP_MS, KEY_ROOMS,
    KEY_DIRECTORY, KEY_DURABILITY,
    KEY_CONNECTIONS, KEY_PER_ADDRESS, KEY_MESSAGES, KEY_QUEUE, KEY_TOTAL, KEY_SILENCE, KEY_WATCHERS, KEY_JOIN_BYTES,
    KEY_HTTP_LISTEN, KEY_HTTP_HOSTS, KEY_HTTP_ORIGINS, KEY_HTTP_CONNECTIONS, KEY_HTTP_PER_ADDRESS, KEY_HTTP_REQUESTS, KEY_HTTP_HEADER, KEY_HTTP_BODY,
    KEY_HTTP_REQUEST_MS, KEY_HTTP_IDLE_MS,
    KEY_SOURCE, KEY_NAME, KEY_LOG, KEY_PACE, KEY_LOOPS,
    KEY_WORLD, KEY_PLAYERS, KEY_SEED, KEY_TICK_RATE, KEY_CONFIG, KEY_HASH, KEY_MISSING, KEY_STALL, KEY_WHEN_EMPTY, KEY_START_PLAYERS,
    KEY_TICKS, KEY_ON_DESYNC, KEY_REPORT_TICKS, KEY_REJOIN_SECONDS, KEY_DESYNC_DIR, KEY_ROTATE_TICKS, KEY_RESUME, KEY_ROOM_COUNT, KEY_ROOM_RECORD,
    KEY_COUNT,
} ServerConfigKeyId;

typedef enum ServerConfigType {
    TYPE_U32,     ///< whole number, min to max
    TYPE_U64,
    TYPE_SLOTS,   ///< an int64_t: any whole number, since what is right depends on the world
    TYPE_CHOICE,  ///< one of `choices`, kept as its value
    TYPE_TEXT,
    TYPE_NAME,    ///< of a room
    TYPE_PATH,    ///< relative to the file
    TYPE_LISTEN,  ///< an address or an array of them
    TYPE_ADDRESS, ///< one address, kept in the struct
    TYPE_BOOL,    ///< true or false, kept as a uint32_t
    TYPE_WORLDS,  ///< an array of paths
    TYPE_RECORD,  ///< an object; of a room also true or false
    TYPE_LIMITS,  ///< an object
    TYPE_HTTP,    ///< an object
    TYPE_NAMES,   ///< an array of texts, and their count behind it
    TYPE_ITEMS,   ///< an object of whole numbers
    TYPE_ROOMS,   ///< an array of objects
} ServerConfigType;

typedef struct ServerConfigChoice {
    const char *name; ///< NULL ends the list
    uint32_t    value;
} ServerConfigChoice;

typedef struct ServerConfigKey {
    const char      *name;
    unsigned         places;
    ServerConfigType type;
    size_t           offset;     ///< of the field, in the struct of the place
    bool             is_required;
    bool             is_of_flag; ///< --live takes it
    const char      *flag;       ///< of the server and its limits: the flag that says the same. NULL: none
    uint64_t         min, max;   ///< numbers
    const ServerConfigChoice *choices;
    uint64_t         usual;      ///< numbers: what holds when it is not given
    const char      *standard;   ///< the same in words, where it is no number
} ServerConfigKey;

/// By ServerConfigKeyId, KEY_COUNT of them.
extern const ServerConfigKey serverconfig_keys[];

/// The key of one of these places with the name, or NULL.
const ServerConfigKey *serverconfig_find_key(unsigned places, const char *name);
/// The known name that `name` was most likely meant to be, or NULL.
const char *serverconfig_nearest_key(unsigned places, const char *name);
/// What a value may be, in words: "1 to 64", "text or json", "an object".
void serverconfig_describe_key(const ServerConfigKey *key, char *text, size_t size);
/// What holds without it, in words: "5000", "one per core".
void serverconfig_describe_usual(const ServerConfigKey *key, char *text, size_t size);
