// serverconfig_files.c: see serverconfig_files.h.
#include "serverconfig_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "clifail.h"
#include "files.h"

static bool refuse(const ServerConfig *config, const ServerConfigRoom *room, ServerConfigKeyId key, const char *what, const char *why)
{
    ServerConfigError error;
    if (room != NULL && room->flag != NULL && key == KEY_LOG) {
        serverconfig_refuse(config, room, NULL, &error, "%s", why); // the flag says which
    } else {
        serverconfig_refuse(config, room, &serverconfig_keys[key], &error, "%.400s: %s", what, why);
    }
    cli_fail(TP_USAGE, "%s", error.text);
    return false;
}

bool serverconfig_load(ServerConfig *config, const char *path)
{
    ServerConfigError wrong;
    tp_error          error;
    size_t            size = 0;
    char             *text = (char *)files_read_all(path, SERVER_CONFIG_BYTES_MAX, &size, &error);
    if (text == NULL) {
        cli_fail(TP_USAGE, "%s: reading the configuration: %s", path, error.text);
        return false;
    }
    const char *slash = strrchr(path, '/');
    char       *folder = NULL;
    bool        is_read = asprintf(&folder, "%.*s", slash == NULL ? 0 : (int)(slash + 1 - path), path) >= 0;
    if (!is_read) {
        cli_fail(TP_INTERNAL, "%s: reading the configuration: out of memory", path);
    } else {
        is_read = serverconfig_read(config, strcmp(path, "-") == 0 ? "standard input" : path, folder, text, size, &wrong);
        free(folder);
        if (!is_read) {
            cli_fail(TP_USAGE, "%s", wrong.text);
        }
    }
    free(text);
    return is_read;
}

bool serverconfig_load_worlds(const ServerConfig *config, WorldSet *worlds)
{
    char place[SERVERCONFIG_ERROR_SIZE];
    for (uint32_t i = 0; i < config->world_count; i++) {
        snprintf(place, sizeof(place), "%.400s:%d: worlds[%u]", config->name, config->world_lines[i], i);
        clifail_set_place(place);
        bool is_loaded = worlds_add(worlds, config->worlds[i]) != NULL;
        clifail_set_place(NULL);
        if (!is_loaded) {
            return false;
        }
    }
    return true;
}

static bool can_open(const ServerConfig *config, const ServerConfigRoom *room)
{
    LogFile  file;
    tp_error error;
    if (!files_open_log(&file, room->log, &error)) {
        return refuse(config, room, KEY_LOG, room->log, error.text);
    }
    files_close_log(&file);
    return true;
}

// A room per log, all with what the entry says.
static bool add_logs(ServerConfig *to, const ServerConfig *config, const ServerConfigRoom *room)
{
    char     place[SERVERCONFIG_ERROR_SIZE];
    PathList logs = { 0 };
    serverconfig_place(config, room, &serverconfig_keys[KEY_LOG], place, sizeof(place));
    clifail_set_place(place);
    bool is_fine = files_expand(&logs, room->log);
    clifail_set_place(NULL);
    for (size_t i = 0; i < logs.count && is_fine; i++) {
        ServerConfigRoom *added = serverconfig_add_room(to);
        const char       *log = serverconfig_text(to, "%s", logs.items[i]);
        if (added == NULL || log == NULL) {
            is_fine = refuse(config, room, KEY_LOG, room->log, "out of memory");
            break;
        }
        *added = *room;
        added->log = log;
        is_fine = can_open(config, added);
    }
    files_finish(&logs);
    return is_fine;
}

static bool expand_room(ServerConfig *to, ServerConfig *config, ServerConfigRoom *room)
{
    struct stat about;
    bool        is_recorded = room->source == SERVER_RECORDED;
    if (is_recorded && stat(room->log, &about) != 0) {
        return refuse(config, room, KEY_LOG, room->log, strerror(errno));
    }
    if (is_recorded && S_ISDIR(about.st_mode)) {
        return room->name != NULL ? refuse(config, room, KEY_NAME, room->name, "a directory's rooms are named after its logs; leave it out")
                                  : add_logs(to, config, room);
    }
    if (is_recorded && !S_ISREG(about.st_mode)) {
        return refuse(config, room, KEY_LOG, room->log, "neither a file nor a directory");
    }
    if (is_recorded && !can_open(config, room)) {
        return false;
    }
    ServerConfigRoom *added = serverconfig_add_room(to);
    if (added == NULL) {
        cli_fail(TP_INTERNAL, "reading the configuration: out of memory");
        return false;
    }
    *added = *room;
    room->items = NULL; // they moved
    room->values = NULL;
    return true;
}

bool serverconfig_expand(ServerConfig *config)
{
    ServerConfig wide = { 0 };
    bool         is_fine = true;
    for (uint32_t i = 0; i < config->room_count && is_fine; i++) {
        is_fine = expand_room(&wide, config, &config->rooms[i]);
    }
    // The old rooms are given back with the new texts, and the new rooms take their place.
    ServerConfigRoom *rooms = config->rooms;
    uint32_t          count = config->room_count;
    config->rooms = wide.rooms;
    config->room_count = wide.room_count;
    config->room_capacity = wide.room_capacity;
    wide.rooms = rooms;
    wide.room_count = count;
    for (size_t i = 0; i < wide.text_count; i++) {
        is_fine = serverconfig_keep(config, wide.texts[i]) != NULL && is_fine;
    }
    wide.text_count = 0;
    serverconfig_finish(&wide);
    return is_fine;
}

static bool check_head(const ServerConfig *config, const ServerConfigRoom *room, WorldSet *worlds, const tp_source *source)
{
    tp_reader_options options = { .follow = false };
    tp_reader        *reader = NULL;
    tp_error          error;
    bool              is_fine = true;
    if (tp_reader_open(source, &options, &reader) != TP_LOG_OK) {
        is_fine = refuse(config, room, KEY_LOG, room->log, reader != NULL ? tp_reader_message(reader) : "out of memory");
    } else {
        const tp_ident *ident = tp_reader_ident(reader);
        tp_sim         *sim = tp_sim_of_ident(ident, worlds_search(worlds, ident->world, ident->revision), NULL, &error);
        is_fine = sim != NULL || refuse(config, room, KEY_LOG, room->log, error.text);
        tp_sim_destroy(sim);
    }
    tp_reader_close(reader);
    return is_fine;
}

bool serverconfig_check_logs(const ServerConfig *config, WorldSet *worlds)
{
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        LogFile                 file;
        tp_error                error;
        if (room->source != SERVER_RECORDED) {
            continue;
        }
        if (!files_open_log(&file, room->log, &error)) {
            return refuse(config, room, KEY_LOG, room->log, error.text);
        }
        bool is_fine = check_head(config, room, worlds, &file.source);
        files_close_log(&file);
        if (!is_fine) {
            return false;
        }
    }
    return true;
}

// Whether the directory could be made: it is there, or what it would stand in is. NULL: it could.
static const char *why_not(const char *path)
{
    struct stat about;
    char        parent[SERVER_PATH_SIZE];
    if (stat(path, &about) == 0) {
        return !S_ISDIR(about.st_mode) ? "it is no directory" : access(path, W_OK | X_OK) != 0 ? strerror(errno) : NULL;
    }
    if (errno != ENOENT) {
        return strerror(errno);
    }
    snprintf(parent, sizeof(parent), "%s", path);
    size_t size = strlen(parent);
    while (size > 0 && parent[size - 1] == '/') {
        parent[--size] = '\0';
    }
    char *slash = strrchr(parent, '/');
    if (slash != NULL) {
        slash[1] = '\0';
    }
    return access(slash != NULL ? parent : ".", W_OK | X_OK) != 0 ? strerror(errno) : NULL;
}

static const char *make(const char *path)
{
    struct stat about;
    if (mkdir(path, 0755) == 0 || (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        return NULL;
    }
    return strerror(errno);
}

// One directory, unless it is the one before. False: said so.
static bool take_dir(const ServerConfig *config, const ServerConfigRoom *room, ServerConfigKeyId key, const char *path, const char **last, bool is_check)
{
    if (path == NULL || (*last != NULL && strcmp(*last, path) == 0)) {
        return true;
    }
    *last = path;
    const char *wrong = is_check ? why_not(path) : make(path);
    if (wrong == NULL) {
        return true;
    }
    char text[256];
    snprintf(text, sizeof(text), "%s; give a directory that can be written", wrong);
    return refuse(config, room, key, path, text);
}

bool serverconfig_record_dirs(const ServerConfig *config, bool is_check)
{
    const char *last = NULL, *last_desync = NULL;
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        const ServerConfigRoom *owner = room->record.directory != NULL ? room : NULL;
        if (!take_dir(config, owner, KEY_DIRECTORY, room->record_dir, &last, is_check) ||
            !take_dir(config, room, KEY_DESYNC_DIR, room->desync_dir, &last_desync, is_check)) {
            return false;
        }
    }
    return true;
}

bool serverconfig_read_admin_key(const ServerConfig *config, char key[KEYFILE_KEY_SIZE])
{
    tp_error error;
    key[0] = '\0';
    return config->admin_key_file == NULL || keyfile_read(config->admin_key_file, key, &error) ||
           refuse(config, NULL, KEY_ADMIN_KEY_FILE, config->admin_key_file, error.text);
}

bool serverconfig_read_sign_key(const ServerConfig *config, uint8_t key[TP_SECRET_KEY_SIZE], bool *has_key)
{
    tp_error error;
    *has_key = config->sign_key != NULL;
    return !*has_key || secretkey_read(config->sign_key, key, &error) || refuse(config, NULL, KEY_SIGN_KEY, config->sign_key, error.text);
}

bool serverconfig_read_udp_key(const ServerConfig *config, uint8_t key[TP_SECRET_KEY_SIZE], bool *has_key)
{
    tp_error error;
    *has_key = config->udp_key != NULL;
    return !*has_key || secretkey_read(config->udp_key, key, &error) || refuse(config, NULL, KEY_UDP_KEY, config->udp_key, error.text);
}

bool serverconfig_read_token_issuer(const ServerConfig *config, uint8_t key[TP_PUBLIC_KEY_SIZE], bool *has_key)
{
    tp_error error;
    *has_key = config->token_issuer != NULL;
    return !*has_key || secretkey_read_public(config->token_issuer, key, &error) ||
           refuse(config, NULL, KEY_TOKEN_ISSUER, config->token_issuer, error.text);
}
