// server_log_files.c: names, files and their directory; the sink that the recorder writes through.
#include "server_log_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool server_log_path(char path[SERVER_PATH_SIZE], const char *base, ServerLogName name)
{
    char number[32] = "";
    char part[32] = "";
    if (name.number > 1) {
        snprintf(number, sizeof(number), ".%u", name.number);
    }
    if (name.part > 0) {
        snprintf(part, sizeof(part), ".part%0*u", SERVER_LOG_PART_DIGITS, name.part);
    }
    int size = snprintf(path, SERVER_PATH_SIZE, "%s%s%s.tpr", base, number, part);
    return size >= 0 && size < SERVER_PATH_SIZE;
}

// A decimal number without a sign, at most nine digits; moves behind it. 0 when there is none.
static uint32_t take_number(const char **text)
{
    uint32_t value = 0;
    int      digits = 0;
    while (**text >= '0' && **text <= '9' && digits < 9) {
        value = value * 10 + (uint32_t)(**text - '0');
        *text += 1;
        digits++;
    }
    return value;
}

// Only what server_log_path writes is a name: it is written again and compared.
static bool parse_name(const char *rest, ServerLogName *name)
{
    const char *at = rest;
    char        again[SERVER_PATH_SIZE];
    *name = (ServerLogName){ .number = 1 };
    if (at[0] == '.' && at[1] >= '0' && at[1] <= '9') {
        at++;
        name->number = take_number(&at);
    }
    if (strncmp(at, ".part", 5) == 0) {
        at += 5;
        name->part = take_number(&at);
    }
    return strlen(rest) < 64 && server_log_path(again, "", *name) && strcmp(again, rest) == 0;
}

static bool is_newer(ServerLogName a, ServerLogName b)
{
    return a.number > b.number || (a.number == b.number && a.part > b.part);
}

// The part of a path before its last slash: a log's directory. The caller frees it.
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

// Room "a" finds "a.2.tpr", which may be the first log of room "a.2": what a log says of itself counts. One that is torn before it could say so is
// whose its name says.
static bool is_of_room(const char *directory, const char *file_name, const char *room)
{
    char path[SERVER_PATH_SIZE];
    bool is_its = true;
    int  size = snprintf(path, sizeof(path), "%s/%s", directory, file_name);
    int  file = size > 0 && (size_t)size < sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return true; // whoever opens it next says why
    }
    tp_source      source = tp_source_of_fd(&file);
    tp_reader     *reader = NULL;
    tp_provenance  item;
    size_t         offset = 0;
    (void)tp_reader_open(&source, &(tp_reader_options){ .skip_chain = true }, &reader);
    const tp_ident *ident = reader != NULL ? tp_reader_ident(reader) : NULL;
    while (ident != NULL && tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        if (item.key_size == 4 && memcmp(item.key, "room", 4) == 0) {
            is_its = item.value_size == strlen(room) && memcmp(item.value, room, item.value_size) == 0;
        }
    }
    tp_reader_close(reader);
    close(file);
    return is_its;
}

bool server_log_find_newest(const char *base, ServerLogName *newest, tp_error *error)
{
    const char *slash = strrchr(base, '/');
    const char *stem = slash == NULL ? base : slash + 1;
    char       *directory = directory_of(base);
    DIR        *listing = directory == NULL ? NULL : opendir(directory);
    *newest = (ServerLogName){ 0 };
    if (listing == NULL) {
        tp_error_set(error, "looking for its logs in %.150s: %s", directory == NULL ? base : directory, strerror(errno));
        free(directory);
        return false;
    }
    size_t size = strlen(stem);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        ServerLogName name;
        if (strncmp(entry->d_name, stem, size) == 0 && parse_name(entry->d_name + size, &name) && is_newer(name, *newest) &&
            is_of_room(directory, entry->d_name, stem)) {
            *newest = name;
        }
    }
    closedir(listing);
    free(directory);
    return true;
}

bool server_log_lock(int file)
{
    // Where the file system has no locks, nobody is kept out.
    return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

int server_log_create(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0 && !server_log_lock(file)) {
        close(file);
        errno = EBUSY;
        return -1;
    }
    return file;
}

void server_log_sync_directory(const char *path)
{
    // A file that is synced and whose name is not is lost with the directory.
    char *directory = directory_of(path);
    int   file = directory == NULL ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(directory);
}

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
    tp_sink sink = tp_sink_of_fd(&file);
    return sink.write(sink.self, bytes, size);
}

static bool sync_file(int file)
{
    tp_sink sink = tp_sink_of_fd(&file);
    return sink.sync(sink.self);
}

static bool sink_write(void *self, const uint8_t *bytes, size_t size)
{
    ServerLog *log = self;
    return write_all(log->file, bytes, size);
}

static bool sink_sync(void *self)
{
    ServerLog *log = self;
    return sync_file(log->file);
}

void server_log_drop_next(ServerLog *log)
{
    if (log->next_file >= 0) {
        unlink(log->next_path);
        close(log->next_file);
        log->next_file = -1;
    }
}

static bool sink_next(void *self, uint32_t sequence, const uint8_t *bytes, size_t size, bool wants_sync)
{
    ServerLog    *log = self;
    ServerLogName name = { .number = log->number, .part = sequence + 1 };
    if (!server_log_path(log->next_path, log->base, name)) {
        errno = ENAMETOOLONG;
        return false;
    }
    log->next_file = server_log_create(log->next_path);
    if (log->next_file < 0) {
        return false;
    }
    if (write_all(log->next_file, bytes, size) && (!wants_sync || sync_file(log->next_file))) {
        if (wants_sync) {
            server_log_sync_directory(log->next_path);
        }
        return true;
    }
    int reason = errno;
    server_log_drop_next(log);
    errno = reason;
    return false;
}

static void sink_turn(void *self)
{
    ServerLog *log = self;
    off_t      size = lseek(log->file, 0, SEEK_CUR);
    log->ended_bytes += size > 0 ? (uint64_t)size : 0;
    close(log->file);
    log->file = log->next_file;
    log->next_file = -1;
    log->start_bytes = 0;
    uv_mutex_lock(&log->mutex);
    memcpy(log->turned_path, log->next_path, sizeof(log->turned_path));
    log->has_turned = true;
    uv_mutex_unlock(&log->mutex);
}

tp_sink server_log_sink(ServerLog *log)
{
    bool rotates = log->rotate_ticks > 0;
    return (tp_sink){
        .self = log,
        .write = sink_write,
        .sync = sink_sync,
        .next = rotates ? sink_next : NULL,
        .turn = rotates ? sink_turn : NULL,
    };
}
