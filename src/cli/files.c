// files.c: operands, whole files, and new ones.
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { DEPTH_MAX = 64, READ_STEP = 65536, LINKS_MAX = 40, LINK_SIZE_MAX = 4096 };

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

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name);
    size_t size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

// Whether an entry called *.tpr is a log: `status` is that of the entry itself. What a link points to decides.
static bool is_log_file(const char *path, struct stat *status)
{
    if (S_ISLNK(status->st_mode) && stat(path, status) != 0) {
        return true; // to nothing: leaving it out would pass over a log that is missing
    }
    return S_ISREG(status->st_mode);
}

// What a desync has left, among a server's logs: a copy of one that ends where it happened, for `tickproof diff`. Named itself, it is looked into.
static bool is_bundle(const char *name)
{
    static const char *const endings[] = { ".desync", ".desync.part" };
    size_t                   size = strlen(name);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t length = strlen(endings[i]);
        if (size > length && strcmp(name + size - length, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Nothing that might be a log is passed over without a word: who counts on a whole folder has to know.
static void say_left_out(const char *path, const char *why)
{
    cli_fail(TP_USAGE, "%s: left out: %s", path, why);
}

// Links to directories are not followed: one that points upwards would never end.
static bool walk(PathList *list, const char *folder, const char *ending, int depth)
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
        if (snprintf(path, sizeof(path), "%s%s%s", folder, has_slash ? "" : "/", entry->d_name) >= (int)sizeof(path)) {
            cli_fail(TP_USAGE, "%s: looking for logs: a path in it is longer than %zu bytes; name a directory nearer to it", folder, sizeof(path) - 1);
            is_fine = false;
            continue;
        }
        if (lstat(path, &status) != 0) {
            is_fine = errno == ENOENT || cli_fail(TP_USAGE, "%s: looking for logs: %s", path, strerror(errno)) == TP_VERIFIED; // gone since: it never was there
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            is_fine = is_bundle(entry->d_name) || walk(list, path, ending, depth + 1);
        } else if (has_ending(entry->d_name, ending) && is_log_file(path, &status)) {
            is_fine = files_add(list, path);
        } else if (S_ISLNK(status.st_mode) && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            say_left_out(path, "a link to a directory; name it itself to have what is in it");
        } else if (has_ending(entry->d_name, ending)) {
            say_left_out(path, S_ISDIR(status.st_mode) ? "a link to a directory; name it itself to have what is in it" : "it is neither a file nor a link to one");
        }
    }
    closedir(directory);
    return is_fine;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool expand_directory(PathList *list, const char *folder, const char *ending)
{
    size_t before = list->count;
    if (!walk(list, folder, ending, 0)) {
        return false;
    }
    if (list->count == before) {
        cli_fail(TP_USAGE, "%s: looking for logs: no file below it ends in %s", folder, ending);
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

// What matches a pattern, each as if it had been given itself. The pattern is one only because no such file is there.
static bool expand_pattern(PathList *list, const char *pattern, const char *ending)
{
    glob_t found = { 0 };
    int    code = glob(pattern, GLOB_ERR | GLOB_NOSORT, NULL, &found);
    bool   is_fine = code == 0;
    if (code == GLOB_NOMATCH) {
        cli_fail(TP_USAGE, "%s: looking for logs: no such file, and nothing that matches it", pattern);
    } else if (code != 0) {
        cli_fail(TP_USAGE, "%s: looking for logs: %s", pattern, code == GLOB_NOSPACE ? "out of memory" : strerror(errno));
    } else {
        qsort(found.gl_pathv, found.gl_pathc, sizeof(char *), by_bytes); // not by the locale
    }
    for (size_t i = 0; is_fine && i < found.gl_pathc; i++) {
        struct stat status;
        bool        is_directory = stat(found.gl_pathv[i], &status) == 0 && S_ISDIR(status.st_mode);
        is_fine = is_directory ? expand_directory(list, found.gl_pathv[i], ending) : files_add(list, found.gl_pathv[i]);
    }
    globfree(&found);
    return is_fine;
}

bool files_expand(PathList *list, const char *operand)
{
    return files_expand_ending(list, operand, ".tpr");
}

bool files_expand_ending(PathList *list, const char *operand, const char *ending)
{
    struct stat status;
    if (operand[0] == '@' && operand[1] != '\0') {
        return expand_list(list, operand + 1);
    }
    if (strcmp(operand, "-") != 0 && stat(operand, &status) == 0 && S_ISDIR(status.st_mode)) {
        return expand_directory(list, operand, ending);
    }
    if (strpbrk(operand, "*?[") != NULL && lstat(operand, &status) != 0) {
        return expand_pattern(list, operand, ending);
    }
    return files_add(list, operand); // whether it can be opened is told in its place among the reports
}

static uint8_t *read_descriptor(int fd, size_t size_max, size_t *size, tp_error *error)
{
    uint8_t *bytes = NULL;
    size_t   capacity = 0;
    size_t   capacity_max = size_max + 2 * (size_t)READ_STEP; // the step that goes above the limit still fits
    *size = 0;
    for (;;) {
        if (capacity - *size < READ_STEP + 1) {
            capacity = capacity == 0 ? 2 * (size_t)READ_STEP : capacity > capacity_max / 2 ? capacity_max : capacity * 2;
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

static const char *kind_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR: return "a directory";
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    case S_IFSOCK: return "a socket";
    default: return "no file";
    }
}

// A pipe has an end but no size, so all of it is kept.
static bool read_pipe(LogFile *file, const char *path, tp_error *error)
{
    file->bytes = files_read_all(path, LOG_PIPE_SIZE_MAX, &file->memory.size, error);
    if (file->bytes == NULL && file->memory.size > LOG_PIPE_SIZE_MAX) {
        return tp_error_set(error, "a pipe is read into memory, and this is more than 1 GiB; write it to a file first and give its name");
    }
    file->memory.bytes = file->bytes;
    file->source = tp_source_of_memory(&file->memory);
    return file->bytes != NULL;
}

static bool open_regular(LogFile *file, const char *path, tp_error *error)
{
    struct stat status;
    // Should a pipe have taken the name since we looked, opening must not wait for its writer.
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0 || fstat(file->fd, &status) != 0) {
        return tp_error_set(error, "%s", strerror(errno));
    }
    file->source = tp_source_of_fd(&file->fd);
    return S_ISREG(status.st_mode) || tp_error_set(error, "it became another file while it was opened");
}

bool files_open_log(LogFile *file, const char *path, tp_error *error)
{
    struct stat status;
    *file = (LogFile){ .fd = -1 };
    bool is_input = strcmp(path, "-") == 0;
    // By name and before opening: opening alone wakes a pipe's writer, and does more than that to some devices.
    if ((is_input ? fstat(STDIN_FILENO, &status) : stat(path, &status)) != 0) {
        return tp_error_set(error, "%s", strerror(errno));
    }
    if (S_ISFIFO(status.st_mode) || (is_input && (S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode)))) {
        return read_pipe(file, path, error);
    }
    if (!S_ISREG(status.st_mode)) {
        return tp_error_set(error, "it is %s, not a log", kind_name(status.st_mode));
    }
    if (open_regular(file, path, error)) {
        return true;
    }
    files_close_log(file);
    return false;
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

char *files_follow_links(const char *path, tp_error *error)
{
    char *found = strdup(path);
    for (int i = 0; found != NULL && i < LINKS_MAX; i++) {
        char    target[LINK_SIZE_MAX];
        ssize_t size = readlink(found, target, sizeof(target));
        if (size < 0) {
            return found; // no link; what else is wrong with it shows when it is opened
        }
        const char *slash = strrchr(found, '/');
        int         folder = target[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - found);
        char       *next = NULL;
        if (size == (ssize_t)sizeof(target) || asprintf(&next, "%.*s%.*s", folder, found, (int)size, target) < 0) {
            next = NULL;
        }
        free(found);
        found = next;
    }
    tp_error_set(error, "%s", strerror(found == NULL ? ENOMEM : ELOOP));
    free(found);
    return NULL;
}

// `mode` is that of the file whose name it will take.
static bool create_beside(NewFile *file, mode_t mode, tp_error *error)
{
    const char *slash = strrchr(file->path, '/');
    const char *name = slash == NULL ? file->path : slash + 1;
    int         folder = (int)(name - file->path);
    file->kind = NEW_FILE_BESIDE;
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
    fchmod(file->fd, mode & 0777); // mkostemp makes it private; where modes mean nothing this fails, and matters as little
    return true;
}

static bool create_in_place(NewFile *file, tp_error *error)
{
    file->kind = NEW_FILE_IN_PLACE;
    file->fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file->fd >= 0 || tp_error_set(error, "%s", errno == EEXIST ? "it exists; give --force to replace it" : strerror(errno));
}

static bool open_through(NewFile *file, const char *path, tp_error *error)
{
    struct stat status;
    struct stat output;
    file->kind = NEW_FILE_THROUGH;
    file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->fd < 0 || fstat(file->fd, &status) != 0) {
        return tp_error_set(error, "%s", strerror(errno));
    }
    file->is_stdout = fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == status.st_dev && output.st_ino == status.st_ino;
    return true;
}

static bool create(NewFile *file, const char *path, bool may_replace, tp_error *error)
{
    struct stat status;
    bool        is_there = stat(path, &status) == 0;
    if (is_there && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))) {
        return open_through(file, path, error);
    }
    if (is_there && !S_ISREG(status.st_mode)) {
        return tp_error_set(error, "it is %s", kind_name(status.st_mode));
    }
    if (is_there && !may_replace) {
        return tp_error_set(error, "it exists; give --force to replace it");
    }
    file->path = files_follow_links(path, error);
    if (file->path == NULL) {
        return false;
    }
    return is_there ? create_beside(file, status.st_mode, error) : create_in_place(file, error);
}

bool files_create(NewFile *file, const char *path, bool may_replace, tp_error *error)
{
    *file = (NewFile){ .fd = -1 };
    if (strcmp(path, "-") == 0) {
        *file = (NewFile){ .kind = NEW_FILE_STDOUT, .fd = STDOUT_FILENO, .is_stdout = true };
        return true;
    }
    if (create(file, path, may_replace, error)) {
        return true;
    }
    files_keep(file);
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

// A rename asks nobody what it replaces: it must still be a file, or gone.
static bool take_name(const NewFile *file, tp_error *error)
{
    struct stat status;
    if (lstat(file->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return tp_error_set(error, "it is no longer a file");
    }
    return rename(file->hidden, file->path) == 0 || tp_error_set(error, "%s", strerror(errno));
}

bool files_commit(NewFile *file, tp_error *error)
{
    bool is_fine = true;
    if (file->kind == NEW_FILE_IN_PLACE || file->kind == NEW_FILE_BESIDE) {
        is_fine = fsync(file->fd) == 0 || tp_error_set(error, "%s", strerror(errno));
    }
    if (is_fine && file->kind == NEW_FILE_BESIDE) {
        is_fine = take_name(file, error);
    }
    if (is_fine && file->path != NULL) {
        sync_folder(file->path);
        free(file->hidden);
        file->hidden = NULL;
    }
    files_keep(file);
    return is_fine;
}

void files_keep(NewFile *file)
{
    if (file->hidden != NULL) {
        unlink(file->hidden);
    }
    if (file->fd >= 0 && file->kind != NEW_FILE_STDOUT) {
        close(file->fd);
    }
    free(file->hidden);
    free(file->path);
    *file = (NewFile){ .fd = -1 };
}

void files_abandon(NewFile *file)
{
    struct stat ours;
    struct stat named;
    // Only ours: somebody may have moved it away and put another in its place.
    if (file->kind == NEW_FILE_IN_PLACE && file->fd >= 0 && fstat(file->fd, &ours) == 0 && lstat(file->path, &named) == 0 &&
        ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) {
        unlink(file->path);
    }
    files_keep(file);
}

void files_raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}
