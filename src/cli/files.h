// files.h: from operands to paths, from paths to bytes, and the file a new log goes to.
#pragma once

#include "tickproof/replay.h"

/// Owned strings in order.
typedef struct {
    char **items;
    size_t count, capacity;
} PathList;

/// Adds what one operand stands for: a directory's *.tpr files at any depth in byte order, the lines of an @list, what matches a pattern that
/// no file has as its name (in byte order, too), or the operand itself. In a directory only regular files count, and links to them: a pipe there would hold a batch for ever. A
/// link to nothing is added, so that its report says so. False: said so (nothing there, or nothing matched).
bool files_expand(PathList *list, const char *operand);
/// The same with a directory's files of another ending, such as ".tpt".
bool files_expand_ending(PathList *list, const char *operand, const char *ending);
bool files_add(PathList *list, const char *path);
void files_finish(PathList *list);

/// A whole file in memory; "-" is standard input. NULL: `error` says why. Free it.
uint8_t *files_read_all(const char *path, size_t size_max, size_t *size, tp_error *error);

/// Bytes of a log: a file that may be growing, or a pipe or standard input read to its end, of which at most
/// LOG_PIPE_SIZE_MAX bytes are taken.
enum { LOG_PIPE_SIZE_MAX = 1 << 30 };
typedef struct {
    tp_source        source;
    int              fd;
    tp_memory_source memory;
    uint8_t         *bytes;
} LogFile;

/// False: `error` says why; directories, devices and sockets are no logs. `file` must not move until it is closed.
bool files_open_log(LogFile *file, const char *path, tp_error *error);
void files_close_log(LogFile *file);
uint64_t files_log_size(const LogFile *file);

/// Where the bytes of a new file go until its end.
typedef enum {
    NEW_FILE_NONE,
    NEW_FILE_STDOUT,
    NEW_FILE_THROUGH,  ///< a pipe or character device that was there: opened, and left as it is
    NEW_FILE_IN_PLACE, ///< nothing was there: made under its own name, so that it can be read while it grows
    NEW_FILE_BESIDE,   ///< a file was there, which stays until this one takes its name at the end
} NewFileKind;

typedef struct {
    NewFileKind kind;
    int         fd;     // -1: none
    char       *path;   // without links; NULL but for the last two kinds
    char       *hidden; // BESIDE only
    bool        is_stdout; // the same file as standard output, under whatever name
} NewFile;

/// "-" is standard output. A link is followed and stays a link. An existing file is refused without `may_replace`; what is neither
/// a file, a pipe nor a character device is always refused. Waits for a pipe's reader.
bool files_create(NewFile *file, const char *path, bool may_replace, tp_error *error);
/// Makes the bytes durable, then the name. After a false an IN_PLACE file stays and a BESIDE one is gone; `file` is closed.
bool files_commit(NewFile *file, tp_error *error);
/// Closes what was cut off: an IN_PLACE file stays as it is. Harmless after commit.
void files_keep(NewFile *file);
/// Removes what was written, as far as that is possible. Harmless after commit and keep.
void files_abandon(NewFile *file);

/// The path a name stands for when its last part is a link, also one to nothing. NULL: `error` says why. Free it.
char *files_follow_links(const char *path, tp_error *error);

/// Takes as many open files as the system grants anyway: rooms and connections are files, too.
void files_raise_limit(void);
