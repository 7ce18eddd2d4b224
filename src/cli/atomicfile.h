// atomicfile.h: a file that is under its name whole and durable, or not at all. For what is made from something else in one go and is worth
// nothing as a half (sealed, signed, repaired logs, keys); files.h has the file that is read while it grows.
#pragma once

#include <sys/types.h>

#include "tickproof/layout.h"

/// The bytes go to a file without a name in the same folder, or, where the file system has none, to a hidden one beside
/// (".NAME.PID.N", which a kill leaves behind). Only commit gives the name. All-zero is none.
typedef struct {
    int   fd;          ///< open for reading and writing, so that what was written can be read back; the caller writes to it
    int   folder;      // of the name, open
    char *name;        // in that folder, behind all links
    char  hidden[64];  // empty: the file has no name yet
    bool  is_open;
    bool  may_replace;
} AtomicFile;

/// Nothing is under `path` yet, or an old file, which stays until the commit; that is refused without `may_replace`. A link is followed
/// and stays a link. Standard output, pipes, devices and directories are refused. `mode`: of a new file, less the umask; one that
/// is replaced keeps its own. False with what is wrong and what to do; nothing is then left behind, and `file` is none.
bool atomicfile_create(AtomicFile *file, const char *path, mode_t mode, bool may_replace, tp_error *error);
/// Writes all of it. False: what the system said.
bool atomicfile_write(AtomicFile *file, const void *bytes, size_t size, tp_error *error);
/// Syncs the bytes, gives them the name in one step, syncs the folder. Without `may_replace` a file that took the name
/// meanwhile is refused and stays. False: the name is as it was, but for a folder that cannot be synced, which the text says.
/// Closes the file in any case.
bool atomicfile_commit(AtomicFile *file, tp_error *error);
/// Throws away what was written. Harmless on none and after a commit.
void atomicfile_abandon(AtomicFile *file);
