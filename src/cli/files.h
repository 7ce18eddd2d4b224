// files.h: from operands to paths, from paths to bytes, and files that appear whole or not at all.
#pragma once

#include "tickproof/replay.h"

/// Owned strings in order.
typedef struct {
    char **items;
    size_t count, capacity;
} PathList;

/// Adds what one operand stands for: a directory's *.tpr files at any depth in byte order, the lines of an @list, or
/// the operand itself. False: said so (nothing there, or nothing matched).
bool files_expand(PathList *list, const char *operand);
bool files_add(PathList *list, const char *path);
void files_finish(PathList *list);

/// A whole file in memory; "-" is standard input. NULL: `error` says why. Free it.
uint8_t *files_read_all(const char *path, size_t size_max, size_t *size, tp_error *error);

/// Bytes of a log: a file that may be growing, or standard input read to its end.
typedef struct {
    tp_source        source;
    int              fd;
    tp_memory_source memory;
    uint8_t         *bytes;
} LogFile;

/// False: `error` says why. `file` must not move until it is closed.
bool files_open_log(LogFile *file, const char *path, tp_error *error);
void files_close_log(LogFile *file);
uint64_t files_log_size(const LogFile *file);

/// A file that is written beside its place under another name and takes its own at the end.
typedef struct {
    int   fd; // -1: none
    char *path;
    char *hidden; // NULL: the path is standard output
    bool  may_replace;
} NewFile;

/// "-" is standard output. An existing file is refused here without `may_replace`, and once more at the end.
bool files_create(NewFile *file, const char *path, bool may_replace, tp_error *error);
/// Makes the bytes durable, then the name. After a false the hidden file is gone.
bool files_commit(NewFile *file, tp_error *error);
/// Removes what was written. Harmless after commit.
void files_abandon(NewFile *file);
