// diff_bundle_read.c: from a bundle's directory to checked bytes. A bundle may come from anybody: names are looked up in a list, sizes are
// bounded, and nothing but regular files is opened.
#include "diff_bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "jsonin.h"

enum { JSON_SIZE_MAX = 4194304, STATE_FILE_MAX = TP_STATE_SIZE_MAX + 1048576 };

static const char *const known_files[] = { BUNDLE_RULES, BUNDLE_SERVER_STATE, BUNDLE_SERVER_RAW, BUNDLE_CLIENT_STATE, BUNDLE_CLIENT_RAW,
                                           BUNDLE_DIFF, BUNDLE_LEAVES, BUNDLE_INPUTS, BUNDLE_LOG };
enum { KNOWN_FILES = sizeof(known_files) / sizeof(known_files[0]) };

static bool refuse(BundleRead *bundle, int code, const char *file, const char *what)
{
    bundle->code = cli_fail(code, "%s/%s: %s", bundle->path, file, what);
    return false;
}

static bool damaged(BundleRead *bundle, const char *file, const char *what)
{
    return refuse(bundle, TP_CORRUPT, file, what);
}

bool diff_bundle_is(const char *operand)
{
    struct stat status;
    const char *name = strrchr(operand, '/');
    return strcmp(name == NULL ? operand : name + 1, BUNDLE_JSON) == 0 || (stat(operand, &status) == 0 && S_ISDIR(status.st_mode));
}

const char *diff_bundle_file(const BundleRead *bundle, const char *name)
{
    static char path[4096 + 64];
    snprintf(path, sizeof(path), "%.4095s/%s", bundle->path, name);
    return path;
}

static int open_file(const BundleRead *bundle, const char *name, uint64_t *size)
{
    struct stat status;
    int         fd = open(diff_bundle_file(bundle, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        errno = EINVAL; // a pipe would hold us for ever
        return -1;
    }
    *size = fd >= 0 ? (uint64_t)status.st_size : 0;
    return fd;
}

static bool read_fully(int fd, uint8_t *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, bytes + done, size - done, (off_t)(offset + done));
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

// A file whole in memory, with a zero behind it. NULL: said so.
static uint8_t *read_file(BundleRead *bundle, const char *name, uint64_t size_max, size_t *size)
{
    uint64_t file_size = 0;
    int      fd = open_file(bundle, name, &file_size);
    if (fd < 0) {
        damaged(bundle, name, errno == EINVAL ? "it is no regular file" : strerror(errno));
        return NULL;
    }
    uint8_t *bytes = file_size <= size_max ? malloc((size_t)file_size + 1) : NULL;
    bool     is_read = bytes != NULL && read_fully(fd, bytes, (size_t)file_size, 0);
    close(fd);
    if (!is_read) {
        damaged(bundle, name, file_size > size_max ? "it is larger than any legal one" : bytes == NULL ? "out of memory" : "it could not be read");
        free(bytes);
        return NULL;
    }
    bytes[file_size] = 0;
    *size = (size_t)file_size;
    return bytes;
}

static void hash_bytes(const uint8_t *bytes, size_t size, uint8_t digest[BUNDLE_HASH_SIZE])
{
    crypto_generichash(digest, BUNDLE_HASH_SIZE, bytes, size, NULL, 0);
}

static bool has_tail(const uint8_t *text, size_t size)
{
    return size >= BUNDLE_TAIL_SIZE && memcmp(text + size - BUNDLE_TAIL_SIZE, ",\"blake2b\":\"", 12) == 0 && memcmp(text + size - 3, "\"}\n", 3) == 0;
}

// Whether the last bytes are the hash of those before them.
static bool has_good_tail(const uint8_t *text, size_t size)
{
    uint8_t digest[BUNDLE_HASH_SIZE];
    char    hex[2 * BUNDLE_HASH_SIZE + 1];
    if (!has_tail(text, size)) {
        return false;
    }
    hash_bytes(text, size - BUNDLE_TAIL_SIZE, digest);
    sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
    return memcmp(text + size - BUNDLE_TAIL_SIZE + 12, hex, 64) == 0;
}

static bool parse_json(BundleRead *bundle, const uint8_t *text, size_t size)
{
    static const char head[] = "{\"format\":\"" BUNDLE_FORMAT "\",";
    tp_error          error;
    int               line = 0;
    uint64_t          version = 0;
    bool              has_head = size >= sizeof(head) && memcmp(text, head, sizeof(head) - 1) == 0;
    if (!has_head && !has_tail(text, size)) {
        return refuse(bundle, TP_USAGE, BUNDLE_JSON, "it is not the file of a desync bundle");
    }
    if (!has_head || !has_good_tail(text, size)) {
        return damaged(bundle, BUNDLE_JSON, "its bytes do not have the hash that stands at its end");
    }
    bundle->json = jsonin_parse((const char *)text, size, &line, &error);
    if (bundle->json == NULL || jsonin_twice(bundle->json) != NULL) {
        return damaged(bundle, BUNDLE_JSON, bundle->json == NULL ? error.text : "a key comes twice");
    }
    if (!jsonin_u64(cJSON_GetObjectItemCaseSensitive(bundle->json, "version"), &version) || version != BUNDLE_VERSION) {
        return refuse(bundle, TP_INCOMPATIBLE, BUNDLE_JSON, "it has another format version than 1, which this program reads");
    }
    return true;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return jsonin_is_text(item) ? item->valuestring : NULL;
}

static bool hex_of(const cJSON *object, const char *key, uint8_t *bytes, size_t wanted)
{
    size_t size = 0;
    return jsonin_hex(cJSON_GetObjectItemCaseSensitive(object, key), bytes, wanted, &size) && size == wanted;
}

// A leaf stands as a number in hexadecimal, its highest digit first.
static bool leaf_of(const cJSON *object, const char *key, uint64_t *leaf)
{
    uint8_t bytes[8];
    *leaf = 0;
    if (!hex_of(object, key, bytes, sizeof(bytes))) {
        return false;
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        *leaf = *leaf << 8 | bytes[i];
    }
    return true;
}

static bool read_side(BundleRead *bundle, const char *key, BundleReadSide *side)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(bundle->json, key);
    uint8_t      root[16];
    if (!cJSON_IsObject(object) || !hex_of(object, "root", root, sizeof(root)) || !leaf_of(object, "input_leaf", &side->input_leaf) ||
        !leaf_of(object, "event_leaf", &side->event_leaf)) {
        return damaged(bundle, BUNDLE_JSON, "a side needs root, input_leaf and event_leaf in hexadecimal");
    }
    side->claimed = tp_hash128_from_bytes(root);
    side->build = text_of(object, "build");
    side->why = text_of(object, "why");
    side->file = text_of(object, "state");
    return true;
}

static bool read_room(BundleRead *bundle)
{
    const cJSON *slot = cJSON_GetObjectItemCaseSensitive(bundle->json, "slot");
    bundle->room = text_of(bundle->json, "room");
    bundle->address = text_of(bundle->json, "address");
    bundle->policy = text_of(bundle->json, "policy");
    bundle->has_slot = jsonin_is_number(slot);
    bool is_good = bundle->room != NULL && jsonin_u64(cJSON_GetObjectItemCaseSensitive(bundle->json, "tick"), &bundle->tick) &&
                   bundle->tick < UINT64_MAX - 1 && jsonin_u64(cJSON_GetObjectItemCaseSensitive(bundle->json, "durable"), &bundle->durable) &&
                   (!bundle->has_slot || jsonin_u64(slot, &bundle->slot));
    return is_good || damaged(bundle, BUNDLE_JSON, "room, tick, slot or durable is missing or no such thing");
}

static int known_file(const char *name)
{
    for (int i = 0; name != NULL && i < KNOWN_FILES; i++) {
        if (strcmp(name, known_files[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_list(BundleRead *bundle, BundleListed listed[KNOWN_FILES])
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(bundle->json, "files");
    for (const cJSON *item = cJSON_IsArray(files) ? files->child : NULL; item != NULL; item = item->next) {
        int which = known_file(text_of(item, "name"));
        if (which < 0 || listed[which].is_listed) {
            return damaged(bundle, BUNDLE_JSON, "files: it names a file twice, or one that no bundle has");
        }
        listed[which].is_listed = true;
        if (!jsonin_u64(cJSON_GetObjectItemCaseSensitive(item, "size"), &listed[which].size) ||
            !hex_of(item, "blake2b", listed[which].digest, BUNDLE_HASH_SIZE)) {
            return damaged(bundle, BUNDLE_JSON, "files: a file needs size and blake2b");
        }
    }
    return true;
}

static bool hash_file(int fd, uint64_t size, uint8_t digest[BUNDLE_HASH_SIZE])
{
    crypto_generichash_state hash;
    uint8_t                  bytes[16384];
    crypto_generichash_init(&hash, NULL, 0, BUNDLE_HASH_SIZE);
    for (uint64_t done = 0; done < size;) {
        size_t piece = size - done < sizeof(bytes) ? (size_t)(size - done) : sizeof(bytes);
        if (!read_fully(fd, bytes, piece, done)) {
            return false;
        }
        crypto_generichash_update(&hash, bytes, piece);
        done += piece;
    }
    crypto_generichash_final(&hash, digest, BUNDLE_HASH_SIZE);
    return true;
}

static bool check_file(BundleRead *bundle, const char *name, const BundleListed *listed)
{
    uint8_t  digest[BUNDLE_HASH_SIZE];
    uint64_t size = 0;
    int      fd = open_file(bundle, name, &size);
    if (fd < 0) {
        return damaged(bundle, name, errno == EINVAL ? "it is no regular file" : strerror(errno));
    }
    bool is_hashed = size == listed->size && hash_file(fd, size, digest);
    close(fd);
    if (size != listed->size) {
        return damaged(bundle, name, size < listed->size ? "it is shorter than bundle.json says" : "it is longer than bundle.json says");
    }
    return (is_hashed && memcmp(digest, listed->digest, sizeof(digest)) == 0) || damaged(bundle, name, "its bytes do not have the hash that bundle.json says");
}

static bool check_files(BundleRead *bundle)
{
    BundleListed listed[KNOWN_FILES] = { 0 };
    if (!read_list(bundle, listed)) {
        return false;
    }
    for (int i = 0; i < KNOWN_FILES; i++) {
        if (listed[i].is_listed && !check_file(bundle, known_files[i], &listed[i])) {
            return false;
        }
    }
    bool has_all = listed[known_file(BUNDLE_RULES)].is_listed && listed[known_file(BUNDLE_INPUTS)].is_listed;
    const char *states[] = { bundle->server.file, bundle->client.file };
    for (int i = 0; i < 2; i++) {
        has_all = has_all && (states[i] == NULL || (known_file(states[i]) >= 0 && listed[known_file(states[i])].is_listed));
    }
    uint64_t size = 0;
    bundle->log = listed[known_file(BUNDLE_LOG)].is_listed ? open_file(bundle, BUNDLE_LOG, &size) : -1;
    return has_all || damaged(bundle, BUNDLE_JSON, "files: rules, inputs or a state are not in it");
}

static bool read_rules(BundleRead *bundle)
{
    tp_error error;
    size_t   size = 0;
    uint8_t *bytes = read_file(bundle, BUNDLE_RULES, sizeof(bundle->ident->rules.bytes), &size);
    bundle->ident = bytes != NULL ? malloc(sizeof(*bundle->ident)) : NULL;
    bool is_good = bundle->ident != NULL && tp_ident_of_rules(bytes, size, bundle->ident, &error);
    free(bytes);
    if (bundle->ident == NULL && bundle->code == 0) {
        return refuse(bundle, TP_INTERNAL, BUNDLE_RULES, "out of memory");
    }
    return is_good || bundle->code != 0 ? is_good : damaged(bundle, BUNDLE_RULES, error.text);
}

// The KEY of a state's own log. NULL, or what is wrong.
static const char *take_key(const BundleRead *bundle, tp_reader *reader, BundleReadSide *side)
{
    tp_log_record record;
    tp_log_status status;
    while ((status = tp_reader_next(reader, &record)) == TP_LOG_OK) {
        if (record.type == TP_LOG_TICKS || (record.type == TP_LOG_KEY && side->state != NULL)) {
            return "it holds more than one state";
        }
        if (record.type != TP_LOG_KEY) {
            continue;
        }
        tp_log_key key = tp_log_parse_key(&record);
        side->state = malloc((size_t)key.state_size + 1);
        if (side->state == NULL) {
            return "out of memory";
        }
        memcpy(side->state, key.state, key.state_size);
        side->size = key.state_size;
        if (record.tick != bundle->tick + 1 || key.input_leaf != side->input_leaf || key.event_leaf != side->event_leaf ||
            !tp_hash128_equal(tp_reader_ident(reader)->rules.id, bundle->ident->rules.id)) {
            return "it is a state of another tick or of other rules than the bundle's, or has other leaves";
        }
    }
    return status == TP_LOG_DONE && side->state != NULL ? NULL : tp_reader_message(reader);
}

static bool read_state(BundleRead *bundle, BundleReadSide *side)
{
    size_t           size = 0;
    tp_reader       *reader = NULL;
    tp_memory_source memory = { 0 };
    if (side->file == NULL) {
        return true;
    }
    uint8_t *bytes = read_file(bundle, side->file, STATE_FILE_MAX, &size);
    if (bytes == NULL || strcmp(side->file, BUNDLE_CLIENT_RAW) == 0 || strcmp(side->file, BUNDLE_SERVER_RAW) == 0) {
        side->state = bytes;
        side->size = size;
        return bytes != NULL;
    }
    memory = (tp_memory_source){ bytes, size };
    tp_source   source = tp_source_of_memory(&memory);
    const char *wrong = tp_reader_open(&source, NULL, &reader) == TP_LOG_OK ? take_key(bundle, reader, side) : "it is no log of a state";
    bool        is_good = wrong == NULL || damaged(bundle, side->file, wrong);
    tp_reader_close(reader);
    free(bytes);
    return is_good;
}

// bundle.json given instead of its directory.
static bool cut_name(const char *operand, char *path, size_t size)
{
    const char *name = strrchr(operand, '/');
    int         used = snprintf(path, size, "%s", operand);
    if (used < 0 || (size_t)used >= size) {
        return false;
    }
    if (strcmp(name == NULL ? operand : name + 1, BUNDLE_JSON) == 0) {
        snprintf(path, size, "%.*s", name == NULL ? 1 : (int)(name - operand), name == NULL ? "." : operand);
    }
    while (strlen(path) > 1 && path[strlen(path) - 1] == '/') {
        path[strlen(path) - 1] = '\0';
    }
    return true;
}

bool diff_bundle_open(BundleRead *bundle, const char *operand)
{
    static char path[4096];
    struct stat status;
    size_t      size = 0;
    *bundle = (BundleRead){ .path = path, .log = -1 };
    if (!cut_name(operand, path, sizeof(path)) || sodium_init() < 0) {
        bundle->code = cli_fail(TP_USAGE, "%.200s: opening the bundle: the path is too long", operand);
        return false;
    }
    if (lstat(diff_bundle_file(bundle, BUNDLE_JSON), &status) != 0) {
        return refuse(bundle, TP_USAGE, BUNDLE_JSON, "there is none: the directory is not a desync bundle");
    }
    uint8_t *text = read_file(bundle, BUNDLE_JSON, JSON_SIZE_MAX, &size);
    bool     is_good = text != NULL && parse_json(bundle, text, size);
    free(text);
    return is_good && read_room(bundle) && read_side(bundle, "server", &bundle->server) && read_side(bundle, "client", &bundle->client) &&
           check_files(bundle) && read_rules(bundle) && read_state(bundle, &bundle->server) && read_state(bundle, &bundle->client);
}

void diff_bundle_finish(BundleRead *bundle)
{
    if (bundle->log >= 0) {
        close(bundle->log);
    }
    free(bundle->server.state);
    free(bundle->client.state);
    free(bundle->ident);
    cJSON_Delete(bundle->json);
}
