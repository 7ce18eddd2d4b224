// atomicfile.c: see atomicfile.h. All is done relative to the folder as it was opened, so a folder that moves meanwhile takes the file along.
#include "atomicfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

enum { NAMES_TRIED = 1000 };

static bool open_folder(AtomicFile *file, const char *path, tp_error *error)
{
    char *whole = files_follow_links(path, error);
    if (whole == NULL) {
        return false;
    }
    char *slash = strrchr(whole, '/');
    file->name = strdup(slash == NULL ? whole : slash + 1);
    if (slash != NULL) {
        slash[1] = '\0';
    }
    file->folder = open(slash == NULL ? "." : whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int reason = errno;
    free(whole);
    if (file->name == NULL) {
        return tp_error_set(error, "out of memory");
    }
    if (file->folder < 0) {
        return tp_error_set(error, "opening its folder: %s", strerror(reason));
    }
    return file->name[0] != '\0' || tp_error_set(error, "it is a folder; give the name of a file");
}

// What has the name now. `*mode` becomes that of a file that may be replaced.
static bool look_at_name(const AtomicFile *file, mode_t *mode, tp_error *error)
{
    struct stat status;
    if (fstatat(file->folder, file->name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT || tp_error_set(error, "%s", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return tp_error_set(error, "it is there and no file; give the name of a file");
    }
    if (!file->may_replace) {
        return tp_error_set(error, "it exists; give --force to replace it");
    }
    *mode = status.st_mode & 0777;
    return true;
}

// The next free hidden name. `make` gives it to something; false with errno set.
static bool take_hidden_name(AtomicFile *file, bool (*make)(AtomicFile *, mode_t), mode_t mode)
{
    for (int i = 0; i < NAMES_TRIED; i++) {
        snprintf(file->hidden, sizeof(file->hidden), ".%.24s.%ld.%d", file->name, (long)getpid(), i);
        if (make(file, mode)) {
            return true;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    file->hidden[0] = '\0';
    return false;
}

static bool make_hidden(AtomicFile *file, mode_t mode)
{
    file->fd = openat(file->folder, file->hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    return file->fd >= 0;
}

// A file without a name gets its first one through its descriptor, which needs /proc.
static bool link_to(const AtomicFile *file, const char *name)
{
    char own[64];
    snprintf(own, sizeof(own), "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, own, file->folder, name, AT_SYMLINK_FOLLOW) == 0;
}

static bool link_hidden(AtomicFile *file, mode_t mode)
{
    (void)mode;
    return link_to(file, file->hidden);
}

static bool open_nameless(AtomicFile *file, mode_t mode)
{
#if defined(O_TMPFILE) && !defined(ATOMICFILE_HAS_NO_NAMELESS)
    if (access("/proc/self/fd", X_OK) == 0) {
        file->fd = openat(file->folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
    }
#else
    (void)mode;
#endif
    return file->fd >= 0;
}

static bool create(AtomicFile *file, const char *path, mode_t mode, tp_error *error)
{
    mode_t kept = (mode_t)-1;
    if (strcmp(path, "-") == 0) {
        return tp_error_set(error, "it is written whole or not at all, which standard output cannot be; give the name of a file");
    }
    if (!open_folder(file, path, error) || !look_at_name(file, &kept, error)) {
        return false;
    }
    if (!open_nameless(file, mode) && !take_hidden_name(file, make_hidden, mode)) {
        return tp_error_set(error, "making a file in its folder: %s", strerror(errno));
    }
    if (kept != (mode_t)-1) {
        fchmod(file->fd, kept); // where modes mean nothing this fails, and matters as little
    }
    return true;
}

bool atomicfile_create(AtomicFile *file, const char *path, mode_t mode, bool may_replace, tp_error *error)
{
    *file = (AtomicFile){ .fd = -1, .folder = -1, .is_open = true, .may_replace = may_replace };
    if (create(file, path, mode, error)) {
        return true;
    }
    atomicfile_abandon(file);
    return false;
}

bool atomicfile_write(AtomicFile *file, const void *bytes, size_t size, tp_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(file->fd, (const char *)bytes + done, size - done);
        if (put < 0 && errno != EINTR) {
            return tp_error_set(error, "%s", strerror(errno));
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool refuse_taken(tp_error *error)
{
    return tp_error_set(error, "%s", errno == EEXIST ? "somebody else made it meanwhile; give --force to replace it" : strerror(errno));
}

// Nothing may be there, also not since we looked.
static bool take_free_name(AtomicFile *file, tp_error *error)
{
    if (file->hidden[0] == '\0') {
        return link_to(file, file->name) || refuse_taken(error);
    }
    if (renameat2(file->folder, file->hidden, file->folder, file->name, RENAME_NOREPLACE) == 0) {
        file->hidden[0] = '\0';
        return true;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return refuse_taken(error);
    }
    // The old way: two names for a moment, both whole; abandoning takes away the hidden one.
    return linkat(file->folder, file->hidden, file->folder, file->name, 0) == 0 || refuse_taken(error);
}

static bool take_name(AtomicFile *file, tp_error *error)
{
    mode_t mode;
    if (!file->may_replace) {
        return take_free_name(file, error);
    }
    if (!look_at_name(file, &mode, error)) { // a rename asks nobody what it replaces
        return false;
    }
    bool is_named = file->hidden[0] != '\0' || take_hidden_name(file, link_hidden, 0);
    if (!is_named || renameat(file->folder, file->hidden, file->folder, file->name) != 0) {
        return tp_error_set(error, "%s", strerror(errno));
    }
    file->hidden[0] = '\0';
    return true;
}

bool atomicfile_commit(AtomicFile *file, tp_error *error)
{
    bool is_fine = fsync(file->fd) == 0 || tp_error_set(error, "making it durable: %s", strerror(errno));
    is_fine = is_fine && take_name(file, error);
    // The name in its folder is data, too. Some file systems have no such sync and say EINVAL.
    if (is_fine && fsync(file->folder) != 0 && errno != EINVAL) {
        is_fine = tp_error_set(error, "it has its name, but its folder could not be synced: %s", strerror(errno));
    }
    atomicfile_abandon(file);
    return is_fine;
}

void atomicfile_abandon(AtomicFile *file)
{
    if (!file->is_open) {
        return;
    }
    if (file->hidden[0] != '\0') {
        unlinkat(file->folder, file->hidden, 0);
    }
    if (file->fd >= 0) {
        close(file->fd);
    }
    if (file->folder >= 0) {
        close(file->folder);
    }
    free(file->name);
    *file = (AtomicFile){ .fd = -1, .folder = -1 };
}
