// files.c: operands, whole files, and files that appear at once.
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { DEPTH_MAX = 64, READ_STEP = 65536 };

bool files_add(PathList *list, const char *path)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        char **grown = realloc(list->items, capacity * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        return false;
    }
    list->items[list->count++] = copy;
    return true;
}

void files_finish(PathList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (PathList){ 0 };
}

static bool is_log_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".tpr") == 0;
}

// Links to directories are not followed: one that points upwards would never end.
static bool walk(PathList *list, const char *folder, int depth)
{
    DIR *directory = opendir(folder);
    if (directory == NULL || depth > DEPTH_MAX) {
        cli_fail(TP_USAGE, "%s: opening the directory: %s", folder, directory == NULL ? strerror(errno) : "too many levels");
        if (directory != NULL) {
            closedir(directory);
        }
        return false;
    }
    bool is_fine = true;
    bool has_slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    for (struct dirent *entry = readdir(directory); entry != NULL && is_fine; entry = readdir(directory)) {
        char        path[4096];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (snprintf(path, sizeof(path), "%s%s%s", folder, has_slash ? "" : "/", entry->d_name) >= (int)sizeof(path) || lstat(path, &status) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            is_fine = walk(list, path, depth + 1);
        } else if (is_log_name(entry->d_name)) {
            is_fine = files_add(list, path);
        }
    }
    closedir(directory);
    return is_fine;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool expand_directory(PathList *list, const char *folder)
{
    size_t before = list->count;
    if (!walk(list, folder, 0)) {
        return false;
    }
    if (list->count == before) {
        cli_fail(TP_USAGE, "%s: looking for logs: no file below it ends in .tpr", folder);
        return false;
    }
    qsort(list->items + before, list->count - before, sizeof(char *), by_bytes);
    return true;
}

static bool expand_list(PathList *list, const char *path)
{
    tp_error error;
    size_t   size = 0;
    char    *text = (char *)files_read_all(path, 64u << 20, &size, &error);
    if (text == NULL) {
        cli_fail(TP_USAGE, "%s: reading the list of logs: %s", path, error.text);
        return false;
    }
    size_t before = list->count;
    bool   is_fine = true;
    for (size_t at = 0; at < size && is_fine;) {
        size_t length = strcspn(text + at, "\n");
        text[at + length] = '\0';
        size_t shown = length > 0 && text[at + length - 1] == '\r' ? length - 1 : length;
        text[at + shown] = '\0';
        is_fine = shown == 0 || files_add(list, text + at);
        at += length + 1;
    }
    free(text);
    if (is_fine && list->count == before) {
        cli_fail(TP_USAGE, "%s: reading the list of logs: it names none; write one path a line", path);
        return false;
    }
    return is_fine;
}

bool files_expand(PathList *list, const char *operand)
{
    struct stat status;
    if (operand[0] == '@' && operand[1] != '\0') {
        return expand_list(list, operand + 1);
    }
    if (strcmp(operand, "-") != 0 && stat(operand, &status) == 0 && S_ISDIR(status.st_mode)) {
        return expand_directory(list, operand);
    }
    return files_add(list, operand); // whether it can be opened is told in its place among the reports
}

static uint8_t *read_descriptor(int fd, size_t size_max, size_t *size, tp_error *error)
{
    uint8_t *bytes = NULL;
    size_t   capacity = 0;
    *size = 0;
    for (;;) {
        if (capacity - *size < READ_STEP + 1) {
            capacity = capacity == 0 ? 2 * (size_t)READ_STEP : capacity * 2;
            uint8_t *grown = realloc(bytes, capacity);
            if (grown == NULL) {
                tp_error_set(error, "out of memory");
                break;
            }
            bytes = grown;
        }
        ssize_t got = read(fd, bytes + *size, READ_STEP);
        if (got == 0) {
            bytes[*size] = '\0';
            return bytes;
        }
        if (got < 0 && errno != EINTR) {
            tp_error_set(error, "%s", strerror(errno));
            break;
        }
        *size += got > 0 ? (size_t)got : 0;
        if (*size > size_max) {
            tp_error_set(error, "larger than the limit of %zu bytes", size_max);
            break;
        }
    }
    free(bytes);
    return NULL;
}

uint8_t *files_read_all(const char *path, size_t size_max, size_t *size, tp_error *error)
{
    bool is_input = strcmp(path, "-") == 0;
    int  fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        tp_error_set(error, "%s", strerror(errno));
        return NULL;
    }
    uint8_t *bytes = read_descriptor(fd, size_max, size, error);
    if (!is_input) {
        close(fd);
    }
    return bytes;
}

bool files_open_log(LogFile *file, const char *path, tp_error *error)
{
    struct stat status;
    *file = (LogFile){ .fd = -1 };
    if (strcmp(path, "-") != 0) {
        // Without O_NONBLOCK a pipe without a writer would hold us before anything could be said.
        file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file->fd < 0 || fstat(file->fd, &status) != 0) {
            return tp_error_set(error, "%s", strerror(errno));
        }
        if (S_ISREG(status.st_mode)) {
            file->source = tp_source_of_fd(&file->fd);
            return true;
        }
        close(file->fd);
        file->fd = -1;
        if (S_ISDIR(status.st_mode)) {
            return tp_error_set(error, "it is a directory");
        }
    }
    file->bytes = files_read_all(path, SIZE_MAX / 4, &file->memory.size, error);
    file->memory.bytes = file->bytes;
    file->source = tp_source_of_memory(&file->memory);
    return file->bytes != NULL;
}

void files_close_log(LogFile *file)
{
    if (file->fd >= 0) {
        close(file->fd);
    }
    free(file->bytes);
    *file = (LogFile){ .fd = -1 };
}

uint64_t files_log_size(const LogFile *file)
{
    int64_t size = file->source.size(file->source.self);
    return size < 0 ? 0 : (uint64_t)size;
}

static bool create_hidden(NewFile *file, tp_error *error)
{
    const char *slash = strrchr(file->path, '/');
    const char *name = slash == NULL ? file->path : slash + 1;
    int         folder = (int)(name - file->path);
    if (*name == '\0') {
        return tp_error_set(error, "it names no file");
    }
    if (asprintf(&file->hidden, "%.*s.%s.XXXXXX", folder, file->path, name) < 0) {
        file->hidden = NULL;
        return tp_error_set(error, "out of memory");
    }
    file->fd = mkostemp(file->hidden, O_CLOEXEC);
    if (file->fd < 0) {
        free(file->hidden);
        file->hidden = NULL;
        return tp_error_set(error, "%s", strerror(errno));
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file->fd, 0666 & ~mask); // mkostemp makes it private, which a log need not be
    return true;
}

bool files_create(NewFile *file, const char *path, bool may_replace, tp_error *error)
{
    struct stat status;
    *file = (NewFile){ .fd = -1, .may_replace = may_replace };
    if (strcmp(path, "-") == 0) {
        file->fd = STDOUT_FILENO;
        return true;
    }
    if (!may_replace && lstat(path, &status) == 0) {
        return tp_error_set(error, "it exists; give --force to replace it");
    }
    file->path = strdup(path);
    if (file->path == NULL) {
        return tp_error_set(error, "out of memory");
    }
    if (create_hidden(file, error)) {
        return true;
    }
    files_abandon(file);
    return false;
}

// The name in its folder is data, too: without this it may be lost with the power.
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char       *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    int         fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static bool take_name(const NewFile *file)
{
    if (file->may_replace) {
        return rename(file->hidden, file->path) == 0;
    }
    // A link fails when the name has been taken since; a rename would replace what stands there.
    if (link(file->hidden, file->path) == 0) {
        unlink(file->hidden);
        return true;
    }
    bool has_no_links = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
    return has_no_links && access(file->path, F_OK) != 0 && rename(file->hidden, file->path) == 0;
}

bool files_commit(NewFile *file, tp_error *error)
{
    if (file->hidden == NULL) {
        return true;
    }
    if (fsync(file->fd) != 0 || !take_name(file)) {
        tp_error_set(error, "%s", strerror(errno));
        files_abandon(file);
        return false;
    }
    close(file->fd);
    sync_folder(file->path);
    free(file->hidden);
    free(file->path);
    *file = (NewFile){ .fd = -1 };
    return true;
}

void files_abandon(NewFile *file)
{
    if (file->hidden != NULL) {
        close(file->fd);
        unlink(file->hidden);
    }
    free(file->hidden);
    free(file->path);
    *file = (NewFile){ .fd = -1 };
}
