// place_files.h: the C and C++ files under a directory, in the order of their names. Links are not followed, and names that begin with
// a dot are left out.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    PLACE_FILES_MAX     = 20000,
    PLACE_FILE_SIZE_MAX = 4 * 1024 * 1024, ///< a larger file is left out
    PLACE_DEPTH_MAX     = 64,
};

typedef struct PlaceFiles {
    char **paths; ///< with the directory before them, but for "."
    size_t count, capacity;
} PlaceFiles;

/// False: not a directory, more than PLACE_FILES_MAX files, or out of memory. Finish it in any case.
bool place_files_list(PlaceFiles *files, const char *directory);
void place_files_finish(PlaceFiles *files);

/// A file's bytes, or NULL. Free it.
char *place_files_read(const char *path, size_t *size);
