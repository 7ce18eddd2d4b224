// bundle.c: the directory of a bundle: looks first, so that what differs is known whatever the disk does, then file by file, then the name.
#include "bundle_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void bundle_plain(const char *text, char *plain, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < size; text++) {
        plain[used++] = *text >= 0x20 && *text <= 0x7E ? *text : '?';
    }
    plain[used] = '\0';
}

BundleFile *bundle_begin(Bundle *bundle, const char *name)
{
    bundle_file_open(bundle->file, bundle->directory, name);
    return bundle->file;
}

bool bundle_end(Bundle *bundle)
{
    BundleFile *file = bundle->file;
    if (!bundle_file_close(file)) {
        return tp_error_set(bundle->error, "%.120s: writing %s: %s", bundle->part, file->name, strerror(file->error));
    }
    BundleEntry *entry = &bundle->entries[bundle->entry_count++];
    *entry = (BundleEntry){ .name = file->name, .size = file->size };
    memcpy(entry->digest, file->digest, sizeof(entry->digest));
    return true;
}

static bool write_rules(Bundle *bundle)
{
    bundle_file_put(bundle_begin(bundle, BUNDLE_RULES), bundle->ident->rules.bytes, bundle->ident->rules.size);
    return bundle_end(bundle);
}

// The directory that bundles go to, with those above it.
static bool make_directories(const char *path, tp_error *error)
{
    char   part[SERVER_PATH_SIZE];
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof(part)) {
        return tp_error_set(error, "%.100s: the path of the bundles' directory must have 1 to %d bytes", path, SERVER_PATH_SIZE - 1);
    }
    for (size_t i = 1; i <= size; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (mkdir(part, 0755) != 0 && errno != EEXIST) {
                return tp_error_set(error, "%.160s: making the directory: %s", part, strerror(errno));
            }
        }
    }
    return true;
}

// ROOM.tickT.slotS[.NUMBER].desync. A room's name is a file's name already; nothing else may become part of a path.
static bool make_name(const BundleOptions *options, uint32_t number, char path[SERVER_PATH_SIZE])
{
    char room[SERVER_ROOM_NAME_SIZE], slot[32], count[16] = "";
    size_t used = 0;
    for (const char *at = options->room; *at != '\0' && used + 1 < sizeof(room); at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '-' || *at == '_' ||
                        (*at == '.' && used > 0);
        room[used++] = is_plain ? *at : '_';
    }
    room[used] = '\0';
    snprintf(slot, sizeof(slot), options->slot == TP_SOURCE_HOST ? "watcher" : "slot%" PRIu32, options->slot);
    if (number > 1) {
        snprintf(count, sizeof(count), ".%" PRIu32, number);
    }
    int size = snprintf(path, SERVER_PATH_SIZE, "%s/%s.tick%" PRIu64 ".%s%s.desync", options->directory, room, options->tick, slot, count);
    return size > 0 && size + (int)strlen(".part") < SERVER_PATH_SIZE;
}

// Takes the first name that neither a bundle nor a half-made one has. Making the directory is what claims it.
static bool claim(Bundle *bundle)
{
    BundleResult *result = bundle->result;
    struct stat   status;
    for (uint32_t number = 1; number <= BUNDLE_NUMBER_MAX; number++) {
        if (!make_name(bundle->options, number, result->path)) {
            return tp_error_set(bundle->error, "%.120s: the path of a bundle in it would have more than %d bytes", bundle->options->directory,
                                SERVER_PATH_SIZE - 1);
        }
        memcpy(bundle->part, result->path, strlen(result->path) + 1);
        memcpy(bundle->part + strlen(result->path), ".part", sizeof(".part"));
        if (lstat(result->path, &status) == 0) {
            continue;
        }
        bool is_made = mkdir(bundle->part, 0755) == 0;
        if (is_made && lstat(result->path, &status) != 0) {
            return true;
        }
        if (is_made) {
            rmdir(bundle->part); // another thread finished one of this name between the two looks
        } else if (errno != EEXIST) {
            return tp_error_set(bundle->error, "%.160s: making the directory: %s", bundle->part, strerror(errno));
        }
    }
    return tp_error_set(bundle->error, "%.120s: it has %d bundles of this room, tick and slot already", bundle->options->directory, BUNDLE_NUMBER_MAX);
}

static void remove_part(Bundle *bundle)
{
    static const char *const names[] = { BUNDLE_JSON, BUNDLE_RULES, BUNDLE_SERVER_STATE, BUNDLE_SERVER_RAW, BUNDLE_CLIENT_STATE, BUNDLE_CLIENT_RAW,
                                         BUNDLE_DIFF, BUNDLE_LEAVES, BUNDLE_INPUTS, BUNDLE_LOG };
    for (size_t i = 0; bundle->directory >= 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        unlinkat(bundle->directory, names[i], 0);
    }
    rmdir(bundle->part);
}

static bool sync_directory(const char *path)
{
    int  fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_good = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    int  kept = errno;
    if (fd >= 0) {
        close(fd);
    }
    errno = kept;
    return is_good;
}

static bool publish(Bundle *bundle)
{
    BundleResult *result = bundle->result;
    if (fsync(bundle->directory) != 0 && errno != EINVAL) {
        return tp_error_set(bundle->error, "%.160s: syncing: %s", bundle->part, strerror(errno));
    }
    if (rename(bundle->part, result->path) != 0) {
        return tp_error_set(bundle->error, "%.160s: giving the bundle its name: %s", bundle->part, strerror(errno));
    }
    // It is whole and has its name. Should the name not be on the disk after a failure of the machine, so be it.
    sync_directory(bundle->options->directory);
    return true;
}

static bool write_files(Bundle *bundle)
{
    return write_rules(bundle) && bundle_write_states(bundle) && bundle_write_diff(bundle) && bundle_write_leaves(bundle) &&
           bundle_write_inputs(bundle) && bundle_write_log(bundle) && bundle_write_json(bundle);
}

static bool write_directory(Bundle *bundle)
{
    if (!make_directories(bundle->options->directory, bundle->error) || !claim(bundle)) {
        return false;
    }
    bundle->directory = open(bundle->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_good = bundle->directory >= 0 || tp_error_set(bundle->error, "%.160s: opening the directory: %s", bundle->part, strerror(errno));
    is_good = is_good && write_files(bundle) && publish(bundle);
    if (!is_good) {
        remove_part(bundle);
    }
    if (bundle->directory >= 0) {
        close(bundle->directory);
    }
    return is_good;
}

static bool prepare(Bundle *bundle)
{
    const BundleOptions *options = bundle->options;
    tp_error             error = { "" };
    bundle->ident = malloc(sizeof(*bundle->ident));
    // The state of the hash wants its own alignment.
    bundle->file = aligned_alloc(64, (sizeof(*bundle->file) + 63) / 64 * 64);
    if (bundle->ident == NULL || bundle->file == NULL || sodium_init() < 0) {
        return tp_error_set(bundle->error, "out of memory for a bundle");
    }
    if (!tp_ident_of_rules(options->rules->bytes, options->rules->size, bundle->ident, &error)) {
        return tp_error_set(bundle->error, "the rules of a bundle: %.200s", error.text);
    }
    bundle->sim = tp_sim_of_ident(bundle->ident, options->world, NULL, &error);
    if (bundle->sim == NULL) {
        return tp_error_set(bundle->error, "the world of a bundle: %.200s", error.text);
    }
    bundle->layout = tp_sim_layout(bundle->sim);
    return true;
}

static bool look_at(Bundle *bundle, BundleLook *look, const BundleSide *side)
{
    return bundle_look(look, bundle->sim, side->state, side->size, bundle->options->tick, side->root, side->input_leaf, side->event_leaf) ||
           tp_error_set(bundle->error, "out of memory for a state of a bundle");
}

static void describe(Bundle *bundle)
{
    const BundleOptions *options = bundle->options;
    BundleResult        *result = bundle->result;
    bundle->finding = bundle_find(bundle->layout, &bundle->server, &bundle->client);
    bundle_describe(bundle->layout, &bundle->finding, &bundle->server, &bundle->client, bundle->describe, sizeof(bundle->describe));
    const BundleSide *missing = options->server.state == NULL ? &options->server : &options->client;
    if (!bundle->finding.has_states && missing->why != NULL) {
        size_t used = strlen(bundle->describe);
        snprintf(bundle->describe + used, sizeof(bundle->describe) - used, ": %s", missing->why);
    }
    if (bundle->finding.count > 0) {
        const tp_difference *first = &bundle->finding.first;
        snprintf(result->section, sizeof(result->section), "%s", bundle_section(bundle->layout, first));
        snprintf(result->field, sizeof(result->field), "%s", first->place);
        snprintf(result->server_value, sizeof(result->server_value), "%s", first->left);
        snprintf(result->client_value, sizeof(result->client_value), "%s", first->right);
    }
    result->differing_fields = bundle->finding.count;
}

// Said in any case, with as much as is known by then.
static void summarise(const Bundle *bundle)
{
    const BundleOptions *options = bundle->options;
    char                 slot[32], room[SERVER_ROOM_NAME_SIZE], line[512];
    snprintf(slot, sizeof(slot), options->slot == TP_SOURCE_HOST ? "a watcher" : "slot %" PRIu32, options->slot);
    bundle_plain(options->room, room, sizeof(room));
    snprintf(line, sizeof(line), "room '%s': %s came to another state at tick %" PRIu64 ": %.350s", room, slot, options->tick, bundle->describe);
    bundle_plain(line, bundle->result->text, sizeof(bundle->result->text));
}

bool bundle_write(const BundleOptions *options, BundleResult *result, tp_error *error)
{
    tp_error unused;
    Bundle   bundle = { .options = options, .result = result, .error = error != NULL ? error : &unused, .directory = -1 };
    memset(result, 0, sizeof(*result));
    snprintf(bundle.describe, sizeof(bundle.describe), "the states were not compared");
    bool is_good = prepare(&bundle) && look_at(&bundle, &bundle.server, &options->server) && look_at(&bundle, &bundle.client, &options->client);
    if (is_good) {
        describe(&bundle);
    }
    summarise(&bundle);
    is_good = is_good && write_directory(&bundle);
    if (!is_good) {
        result->path[0] = '\0'; // there is no such directory
    }
    bundle_look_finish(&bundle.server);
    bundle_look_finish(&bundle.client);
    tp_sim_destroy(bundle.sim);
    free(bundle.file);
    free(bundle.ident);
    return is_good;
}
