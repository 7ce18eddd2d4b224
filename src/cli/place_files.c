// place_files.c: walking a tree of sources.
#include "place_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_source(const char *name)
{
    static const char *const endings[] = { ".c", ".h", ".cc", ".cpp", ".hpp" };
    const char              *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(PlaceFiles *files, char *path)
{
    if (files->count == PLACE_FILES_MAX) {
        free(path);
        return false;
    }
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 64 : files->capacity * 2;
        char **paths = realloc(files->paths, capacity * sizeof(*paths));
        if (paths == NULL) {
            free(path);
            return false;
        }
        files->paths = paths;
        files->capacity = capacity;
    }
    files->paths[files->count++] = path;
    return true;
}

static char *join(const char *directory, const char *name)
{
    char  *path = NULL;
    size_t size = strlen(directory);
    while (size > 1 && directory[size - 1] == '/') {
        size -= 1;
    }
    if (strcmp(directory, ".") == 0) {
        return strdup(name);
    }
    const char *slash = size > 0 && directory[size - 1] == '/' ? "" : "/";
    return asprintf(&path, "%.*s%s%s", (int)size, directory, slash, name) < 0 ? NULL : path;
}

static bool walk(PlaceFiles *files, const char *directory, unsigned depth);

// Takes `path`.
static bool take(PlaceFiles *files, char *path, const char *name, unsigned depth)
{
    struct stat status;
    if (path == NULL) {
        return false;
    }
    bool is_there = lstat(path, &status) == 0;
    if (is_there && S_ISREG(status.st_mode) && is_source(name) && status.st_size <= PLACE_FILE_SIZE_MAX) {
        return add(files, path);
    }
    bool is_good = !is_there || !S_ISDIR(status.st_mode) || depth + 1 >= PLACE_DEPTH_MAX || walk(files, path, depth + 1);
    free(path);
    return is_good;
}

// A folder below that cannot be opened is left out; the first one must be there.
static bool walk(PlaceFiles *files, const char *directory, unsigned depth)
{
    DIR *stream = opendir(directory);
    bool is_good = stream != NULL || depth > 0;
    while (is_good && stream != NULL) {
        struct dirent *entry = readdir(stream);
        if (entry == NULL) {
            break;
        }
        is_good = entry->d_name[0] == '.' || take(files, join(directory, entry->d_name), entry->d_name, depth);
    }
    if (stream != NULL) {
        closedir(stream);
    }
    return is_good;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool place_files_list(PlaceFiles *files, const char *directory)
{
    *files = (PlaceFiles){ 0 };
    if (!walk(files, directory, 0)) {
        return false;
    }
    if (files->count > 1) {
        qsort(files->paths, files->count, sizeof(*files->paths), compare_paths);
    }
    return true;
}

void place_files_finish(PlaceFiles *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->paths[i]);
    }
    free(files->paths);
    *files = (PlaceFiles){ 0 };
}

char *place_files_read(const char *path, size_t *size)
{
    struct stat status;
    char       *bytes = NULL;
    int         fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *size = 0;
    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= PLACE_FILE_SIZE_MAX) {
        bytes = malloc((size_t)status.st_size + 1);
    }
    ssize_t got = bytes == NULL ? 0 : 1;
    while (got > 0 && *size < (size_t)status.st_size) {
        got = read(fd, bytes + *size, (size_t)status.st_size - *size);
        *size += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    return bytes;
}
