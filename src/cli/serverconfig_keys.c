// serverconfig_keys.c: the table.
#include "serverconfig_keys.h"

#include <stdio.h>
#include <string.h>

#include "serverconfig.h"

static const ServerConfigChoice log_formats[] = { { "text", 0 }, { "json", 1 }, { NULL, 0 } };
static const ServerConfigChoice tokens[] = { { "required", 0 }, { "optional", 1 }, { NULL, 0 } };
static const ServerConfigChoice durabilities[] = {
    { "none", TP_DURABLE_NONE }, { "interval", TP_DURABLE_INTERVAL }, { "seal", TP_DURABLE_SEAL }, { "tick", TP_DURABLE_TICK }, { NULL, 0 },
};
static const ServerConfigChoice sources[] = { { "recorded", SERVER_RECORDED }, { "live", SERVER_LIVE }, { NULL, 0 } };
static const ServerConfigChoice paces[] = { { "real-time", SERVER_REAL_TIME }, { "as-fast-as-possible", SERVER_FAST }, { NULL, 0 } };
static const ServerConfigChoice hashes[] = { { "xxh3", TP_HASH_XXH3 }, { "fnv1a128", TP_HASH_FNV1A128 }, { NULL, 0 } };
static const ServerConfigChoice missings[] = {
    { "repeat", SERVER_MISSING_REPEAT }, { "neutral", SERVER_MISSING_NEUTRAL }, { "stall", SERVER_MISSING_STALL }, { NULL, 0 },
};
static const ServerConfigChoice empties[] = {
    { "pause", SERVER_EMPTY_PAUSE }, { "run", SERVER_EMPTY_RUN }, { "end", SERVER_EMPTY_END }, { NULL, 0 },
};
static const ServerConfigChoice desyncs[] = {
    { "resync", SERVER_DESYNC_RESYNC }, { "kick", SERVER_DESYNC_KICK }, { "halt", SERVER_DESYNC_HALT }, { "log", SERVER_DESYNC_LOG }, { NULL, 0 },
};

#define SERVER_FIELD(field) offsetof(ServerConfig, field)
#define RECORD_FIELD(field) offsetof(ServerConfigRecord, field)
#define LIMIT_FIELD(field) offsetof(ServerNetLimits, field)
#define HTTP_FIELD(field) offsetof(ServerConfigHttp, field)
#define ROOM_FIELD(field) offsetof(ServerConfigRoom, field)

enum { ROOM = PLACE_RECORDED | PLACE_LIVE };

const ServerConfigKey serverconfig_keys[] = {
    [KEY_LISTEN] = { "listen", PLACE_SERVER, TYPE_LISTEN, .standard = SERVERCONFIG_LISTEN_STANDARD " with live rooms", .flag = "--listen" },
    [KEY_UDP] = { "udp", PLACE_SERVER, TYPE_ADDRESS, SERVER_FIELD(udp), .standard = "no datagrams are taken", .flag = "--udp" },
    [KEY_UDP_KEY] = { "udp_key", PLACE_SERVER, TYPE_PATH, SERVER_FIELD(udp_key), .standard = "datagrams are not secured", .flag = "--udp-key" },
    [KEY_TOKEN_ISSUER] = { "token_issuer", PLACE_SERVER, TYPE_PATH, SERVER_FIELD(token_issuer), .standard = "join tokens mean nothing",
                           .flag = "--token-issuer" },
    [KEY_TOKEN_SERVER] = { "token_server", PLACE_SERVER, TYPE_TEXT, SERVER_FIELD(token_server), .standard = "none", .flag = "--token-server" },
    [KEY_TOKENS] = { "tokens", PLACE_SERVER, TYPE_CHOICE, SERVER_FIELD(tokens), .choices = tokens, .standard = "required", .flag = "--tokens" },
    [KEY_HTTP] = { "http", PLACE_SERVER, TYPE_HTTP, .standard = "no HTTP is spoken", .flag = "--http" },
    [KEY_ADMIN_KEY_FILE] = { "admin_key_file", PLACE_SERVER, TYPE_PATH, SERVER_FIELD(admin_key_file), .standard = "nobody is an administrator",
                             .flag = "--admin-key-file" },
    [KEY_SIGN_KEY] = { "sign_key", PLACE_SERVER, TYPE_PATH, SERVER_FIELD(sign_key), .standard = "logs are not signed", .flag = "--sign-key" },
    [KEY_THREADS] = { "threads", PLACE_SERVER, TYPE_U32, SERVER_FIELD(threads), .min = 1, .max = SERVER_THREADS_MAX, .standard = "one per core",
                      .flag = "--threads" },
    [KEY_STATUS_EVERY] = { "status_every", PLACE_SERVER, TYPE_U32, SERVER_FIELD(status_every), .max = SERVER_STATUS_SECONDS_MAX,
                           .flag = "--status-every" },
    [KEY_LOG_FORMAT] = { "log", PLACE_SERVER, TYPE_CHOICE, SERVER_FIELD(log), .choices = log_formats, .standard = "text",
                         .flag = "--json-log" },
    [KEY_WORLDS] = { "worlds", PLACE_SERVER, TYPE_WORLDS, .standard = "the built-in ones" },
    [KEY_RECORD] = { "record", PLACE_SERVER, TYPE_RECORD, .standard = "nothing is recorded" },
    [KEY_LIMITS] = { "limits", PLACE_SERVER, TYPE_LIMITS, .standard = "the usual ones" },
    [KEY_STOP_MS] = { "stop_ms", PLACE_SERVER, TYPE_U32, SERVER_FIELD(stop_ms), .min = 1, .max = SERVER_STOP_MS_MAX, .usual = SERVER_STOP_MS },
    [KEY_ROOMS] = { "rooms", PLACE_SERVER, TYPE_ROOMS, .standard = "none" },

    [KEY_HTTP_LISTEN] = { "listen", PLACE_HTTP, TYPE_ADDRESS, HTTP_FIELD(listen), .is_required = true, .flag = "--http" },
    [KEY_HTTP_HOSTS] = { "hosts", PLACE_HTTP, TYPE_NAMES, HTTP_FIELD(hosts), .standard = "the address, and localhost for a loopback one" },
    [KEY_HTTP_ORIGINS] = { "origins", PLACE_HTTP, TYPE_NAMES, HTTP_FIELD(origins), .standard = "its own" },
    [KEY_HTTP_CONNECTIONS] = { "connections", PLACE_HTTP, TYPE_U32, HTTP_FIELD(connections), .min = 1, .max = 65536, .usual = 256 },
    [KEY_HTTP_PER_ADDRESS] = { "connections_per_address", PLACE_HTTP, TYPE_U32, HTTP_FIELD(connections_per_address), .min = 1, .max = 65536, .usual = 64 },
    [KEY_HTTP_REQUESTS] = { "requests_per_second", PLACE_HTTP, TYPE_U32, HTTP_FIELD(requests_per_second), .min = 1, .max = 1000000, .usual = 100 },
    [KEY_HTTP_HEADER] = { "header_bytes", PLACE_HTTP, TYPE_U32, HTTP_FIELD(header_bytes), .min = 1024, .max = 1048576, .usual = 8192 },
    [KEY_HTTP_BODY] = { "body_bytes", PLACE_HTTP, TYPE_U32, HTTP_FIELD(body_bytes), .min = 1024, .max = 268435456, .usual = 1048576 },
    [KEY_HTTP_REQUEST_MS] = { "request_ms", PLACE_HTTP, TYPE_U32, HTTP_FIELD(request_ms), .min = 100, .max = 3600000, .usual = 10000 },
    [KEY_HTTP_IDLE_MS] = { "idle_ms", PLACE_HTTP, TYPE_U32, HTTP_FIELD(idle_ms), .min = 1000, .max = 3600000, .usual = 15000 },

    [KEY_DIRECTORY] = { "directory", PLACE_RECORD, TYPE_PATH, RECORD_FIELD(directory), .standard = "the server's", .flag = "--record" },
    [KEY_DURABILITY] = { "durability", PLACE_RECORD, TYPE_CHOICE, RECORD_FIELD(durability), .choices = durabilities,
                         .standard = "interval", .flag = "--durability" },

    [KEY_CONNECTIONS] = { "connections", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(connections), .min = 1, .max = SERVER_CONNECTIONS_MAX,
                          .usual = SERVER_CONNECTIONS, .flag = "--max-connections" },
    [KEY_PER_ADDRESS] = { "connections_per_address", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(connections_per_address), .min = 1,
                          .max = SERVER_CONNECTIONS_MAX, .usual = SERVER_CONNECTIONS_PER_ADDRESS, .flag = "--max-per-address" },
    [KEY_MESSAGES] = { "messages_per_second", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(messages_per_second), .min = 1,
                       .max = SERVER_MESSAGES_PER_SECOND_MAX, .usual = SERVER_MESSAGES_PER_SECOND, .flag = "--messages-per-second" },
    [KEY_QUEUE] = { "send_queue_bytes", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(send_queue_bytes), .min = SERVER_SEND_QUEUE_BYTES_MIN,
                    .max = SERVER_SEND_QUEUE_BYTES_MAX, .usual = SERVER_SEND_QUEUE_BYTES, .flag = "--send-queue-bytes" },
    [KEY_TOTAL] = { "send_total_bytes", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(send_total_bytes), .min = SERVER_SEND_TOTAL_BYTES_MIN,
                    .max = SERVER_SEND_TOTAL_BYTES_MAX, .usual = SERVER_SEND_TOTAL_BYTES, .flag = "--send-total-bytes" },
    [KEY_SILENCE] = { "silence_ms", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(silence_ms), .min = SERVER_SILENCE_MS_MIN,
                      .max = SERVER_SILENCE_MS_MAX, .usual = SERVER_SILENCE_MS, .flag = "--silence-ms" },
    [KEY_WATCHERS] = { "watchers", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(watchers), .min = 1, .max = SERVER_WATCHERS_MAX, .usual = SERVER_WATCHERS,
                       .flag = "--watchers" },
    [KEY_JOIN_BYTES] = { "join_bytes_per_tick", PLACE_LIMITS, TYPE_U32, LIMIT_FIELD(join_bytes_per_tick), .min = SERVER_JOIN_BYTES_PER_TICK_MIN,
                         .max = SERVER_JOIN_BYTES_PER_TICK_MAX, .usual = SERVER_JOIN_BYTES_PER_TICK, .flag = "--join-bytes-per-tick" },

    [KEY_SOURCE] = { "source", ROOM, TYPE_CHOICE, ROOM_FIELD(source), .is_required = true, .choices = sources },
    [KEY_NAME] = { "name", ROOM, TYPE_NAME, ROOM_FIELD(name), .standard = "recorded: from the log's file" },
    [KEY_LOG] = { "log", PLACE_RECORDED, TYPE_PATH, ROOM_FIELD(log), .is_required = true },
    [KEY_PACE] = { "pace", PLACE_RECORDED, TYPE_CHOICE, ROOM_FIELD(pace), .choices = paces, .standard = "real-time" },
    [KEY_LOOPS] = { "loops", PLACE_RECORDED, TYPE_U32, ROOM_FIELD(loops), .min = 1, .max = SERVER_LOOPS_MAX, .usual = 1 },
    [KEY_WORLD] = { "world", PLACE_LIVE, TYPE_TEXT, ROOM_FIELD(world_name), .is_required = true },
    [KEY_PLAYERS] = { "players", PLACE_LIVE, TYPE_SLOTS, ROOM_FIELD(players_wanted), .is_of_flag = true,
                      .standard = "the world's usual number" },
    [KEY_SEED] = { "seed", PLACE_LIVE, TYPE_U64, ROOM_FIELD(seed), .is_of_flag = true, .max = UINT64_MAX },
    [KEY_TICK_RATE] = { "tick_rate_hz", PLACE_LIVE, TYPE_U32, ROOM_FIELD(tick_rate_hz), .is_of_flag = true, .min = 1,
                        .max = SERVER_TICK_RATE_MAX, .standard = "the world's" },
    [KEY_CONFIG] = { "config", PLACE_LIVE, TYPE_ITEMS, .is_of_flag = true, .standard = "the world's" },
    [KEY_HASH] = { "hash", PLACE_LIVE, TYPE_CHOICE, ROOM_FIELD(algorithm), .is_of_flag = true, .choices = hashes, .standard = "xxh3" },
    [KEY_MISSING] = { "missing", PLACE_LIVE, TYPE_CHOICE, ROOM_FIELD(missing), .is_of_flag = true, .choices = missings, .standard = "repeat" },
    [KEY_STALL] = { "stall_ms", PLACE_LIVE, TYPE_U32, ROOM_FIELD(stall_ms), .is_of_flag = true, .min = 1, .max = SERVER_STALL_MS_MAX,
                    .usual = SERVER_STALL_MS },
    [KEY_WHEN_EMPTY] = { "when_empty", PLACE_LIVE, TYPE_CHOICE, ROOM_FIELD(when_empty), .is_of_flag = true, .choices = empties,
                         .standard = "pause" },
    [KEY_START_PLAYERS] = { "start_players", PLACE_LIVE, TYPE_U32, ROOM_FIELD(start_players), .is_of_flag = true, .max = UINT32_MAX },
    [KEY_TICKS] = { "ticks", PLACE_LIVE, TYPE_U64, ROOM_FIELD(ticks), .is_of_flag = true, .max = UINT64_MAX },
    [KEY_ON_DESYNC] = { "on_desync", PLACE_LIVE, TYPE_CHOICE, ROOM_FIELD(on_desync), .is_of_flag = true, .choices = desyncs, .standard = "resync" },
    [KEY_REPORT_TICKS] = { "report_ticks", PLACE_LIVE, TYPE_U32, ROOM_FIELD(report_ticks), .is_of_flag = true, .max = SERVER_REPORT_TICKS_MAX,
                           .usual = SERVER_REPORT_TICKS },
    [KEY_REJOIN_SECONDS] = { "rejoin_seconds", PLACE_LIVE, TYPE_U32, ROOM_FIELD(rejoin_seconds), .is_of_flag = true,
                             .max = SERVER_REJOIN_SECONDS_MAX, .usual = SERVER_REJOIN_SECONDS },
    [KEY_DESYNC_DIR] = { "desync_dir", PLACE_LIVE, TYPE_PATH, ROOM_FIELD(desync_dir), .is_of_flag = true, .standard = "where the room is recorded" },
    [KEY_ROTATE_TICKS] = { "rotate_ticks", PLACE_LIVE, TYPE_U64, ROOM_FIELD(rotate_ticks), .is_of_flag = true, .max = UINT64_MAX },
    [KEY_RESUME] = { "resume", PLACE_LIVE, TYPE_BOOL, ROOM_FIELD(is_resumed), .is_of_flag = true, .standard = "true" },
    [KEY_ROOM_COUNT] = { "count", PLACE_LIVE, TYPE_U32, ROOM_FIELD(count), .is_of_flag = true, .min = 1, .max = SERVER_ROOM_COUNT_MAX,
                         .standard = "one room, called NAME" },
    [KEY_ROOM_RECORD] = { "record", ROOM, TYPE_RECORD, .standard = "the server's" },
};

_Static_assert(sizeof(serverconfig_keys) / sizeof(serverconfig_keys[0]) == KEY_COUNT, "the table has another length than its list of keys");
const ServerConfigKey *serverconfig_find_key(unsigned places, const char *name)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if ((serverconfig_keys[i].places & places) != 0 && strcmp(serverconfig_keys[i].name, name) == 0) {
            return &serverconfig_keys[i];
        }
    }
    return NULL;
}

enum { NEAR_MAX = 32 }; // letters of a name that is worth a guess

// Letters to add, leave out or change to come from one word to the other.
static unsigned distance(const char *from, const char *to)
{
    unsigned row[NEAR_MAX + 1];
    size_t   size = strlen(to);
    for (size_t i = 0; i <= size; i++) {
        row[i] = (unsigned)i;
    }
    for (size_t at = 0; from[at] != '\0'; at++) {
        unsigned corner = row[0];
        row[0] = (unsigned)at + 1;
        for (size_t i = 0; i < size; i++) {
            unsigned changed = corner + (from[at] != to[i]);
            unsigned shorter = (row[i] < row[i + 1] ? row[i] : row[i + 1]) + 1;
            corner = row[i + 1];
            row[i + 1] = changed < shorter ? changed : shorter;
        }
    }
    return row[size];
}

const char *serverconfig_nearest_key(unsigned places, const char *name)
{
    size_t      size = strlen(name);
    const char *nearest = NULL;
    unsigned    best = size < 6 ? 3 : 4; // too far
    if (size > NEAR_MAX) {
        return NULL;
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        const ServerConfigKey *key = &serverconfig_keys[i];
        unsigned far = (key->places & places) != 0 ? distance(name, key->name) : best;
        if (far < best && far < size) {
            best = far;
            nearest = key->name;
        }
    }
    return nearest;
}

static void describe_choices(const ServerConfigKey *key, char *text, size_t size)
{
    size_t used = 0;
    for (const ServerConfigChoice *choice = key->choices; choice->name != NULL && used < size; choice++) {
        const char *before = choice == key->choices ? "" : choice[1].name == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, choice->name);
    }
}

void serverconfig_describe_key(const ServerConfigKey *key, char *text, size_t size)
{
    switch (key->type) {
    case TYPE_U32:
        // What the world takes is said once the world is known.
        if (key->max == UINT32_MAX) {
            snprintf(text, size, "%llu or more", (unsigned long long)key->min);
            break;
        }
        // fall through
    case TYPE_U64: snprintf(text, size, "%llu to %llu", (unsigned long long)key->min, (unsigned long long)key->max); break;
    case TYPE_SLOTS: snprintf(text, size, "1 to %d", TP_PLAYERS_MAX); break; // and what the world takes is said once it is known
    case TYPE_CHOICE: describe_choices(key, text, size); break;
    case TYPE_TEXT: snprintf(text, size, "a string"); break;
    case TYPE_NAME: snprintf(text, size, "1 to %d letters of a-z A-Z 0-9 _ - . without a leading dot", SERVERCONFIG_NAME_MAX); break;
    case TYPE_PATH: snprintf(text, size, "a path"); break;
    case TYPE_LISTEN: snprintf(text, size, "an address such as \"127.0.0.1:7777\" or \"[::1]:7777\", or an array of them"); break;
    case TYPE_ADDRESS: snprintf(text, size, "an address such as \"127.0.0.1:7777\" or \"[::1]:7777\""); break;
    case TYPE_BOOL: snprintf(text, size, "true or false"); break;
    case TYPE_WORLDS: snprintf(text, size, "an array of paths such as [\"./ferry.so\"]"); break;
    case TYPE_RECORD:
        snprintf(text, size, "%san object such as {\"directory\": \"logs\"}", (key->places & PLACE_SERVER) != 0 ? "" : "true, false or ");
        break;
    case TYPE_HTTP: snprintf(text, size, "an object such as {\"listen\": \"127.0.0.1:7780\"}"); break;
    case TYPE_NAMES: snprintf(text, size, "an array of texts"); break;
    case TYPE_LIMITS: snprintf(text, size, "an object such as {\"connections\": 100}"); break;
    case TYPE_ITEMS: snprintf(text, size, "an object of whole numbers such as {\"ITEM\": 5}"); break;
    case TYPE_ROOMS: snprintf(text, size, "an array of objects such as [{\"source\": \"live\", ...}]"); break;
    }
}

void serverconfig_describe_usual(const ServerConfigKey *key, char *text, size_t size)
{
    if (key->standard != NULL) {
        snprintf(text, size, "%s", key->standard);
    } else {
        snprintf(text, size, "%llu", (unsigned long long)key->usual);
    }
}
