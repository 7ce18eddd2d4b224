// Fails the 1st, 2nd, 3rd... call to the system, and the same of allocations, while a bundle is written, until it is written: each time nothing is
// left of it, and nothing is lost. The linker puts the calls here (--wrap).
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bundle_scene.h"
#include "testworld.h"

typedef enum { FAIL_NOTHING, FAIL_CALLS, FAIL_MEMORY } FailKind;
static FailKind kind;
static uint64_t calls_left; // until the one that fails
static bool     has_failed;

static bool fails(FailKind asked)
{
    if (kind != asked || has_failed || --calls_left > 0) {
        return false;
    }
    has_failed = true;
    errno = asked == FAIL_CALLS ? ENOSPC : ENOMEM;
    return true;
}

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (fails(FAIL_CALLS)) {
        // A disk fills up in the middle of a write: half of it is there.
        if (size > 1 && __real_write(fd, bytes, size / 2) < 0) {
            return -1;
        }
        errno = ENOSPC;
        return -1;
    }
    return __real_write(fd, bytes, size);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    return fails(FAIL_CALLS) ? -1 : __real_fsync(fd);
}

// With 64-bit file offsets the C library calls it by its second name on some machines.
int __wrap_openat(int directory, const char *path, int flags, mode_t mode);
int __wrap_openat64(int directory, const char *path, int flags, mode_t mode);
int __wrap_openat(int directory, const char *path, int flags, mode_t mode)
{
    return fails(FAIL_CALLS) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}
int __wrap_openat64(int directory, const char *path, int flags, mode_t mode)
{
    return __wrap_openat(directory, path, flags, mode);
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails(FAIL_CALLS) ? -1 : __real_mkdir(path, mode);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    return fails(FAIL_CALLS) ? -1 : __real_rename(from, to);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return fails(FAIL_MEMORY) ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return fails(FAIL_MEMORY) ? NULL : __real_calloc(count, size);
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(FAIL_MEMORY) ? NULL : __real_aligned_alloc(alignment, size);
}

static int count_entries(const char *path)
{
    int  count = 0;
    DIR *names = opendir(path);
    for (struct dirent *entry; names != NULL && (entry = readdir(names)) != NULL;) {
        count += entry->d_name[0] != '.' ? 1 : 0;
    }
    if (names != NULL) {
        closedir(names);
    }
    return count;
}

static void remove_tree(const char *path)
{
    char command[400];
    snprintf(command, sizeof(command), "rm -rf '%s'", path);
    cr_assert_eq(system(command), 0);
}

static void fail_each(FailKind wanted, uint64_t least)
{
    BundleScene scene;
    char        directory[] = "/tmp/tickproof-bundle-XXXXXX";
    uint64_t    nth = 0;
    bool        is_good = false;
    cr_assert_not_null(mkdtemp(directory));
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 400, 400, directory);
    bundle_scene_plant(&scene, "players", 1, "presses", 0, 1);
    cr_assert(bundle_scene_claim(&scene));
    for (nth = 1; !is_good && nth < 2000; nth++) {
        BundleResult result;
        tp_error     error = { "" };
        kind = wanted;
        calls_left = nth;
        has_failed = false;
        is_good = bundle_write(&scene.options, &result, &error);
        kind = FAIL_NOTHING;
        int entries = count_entries(scene.options.directory);
        if (!is_good) {
            cr_assert(has_failed);
            cr_assert_eq(entries, 0, "call %llu: something was left", (unsigned long long)nth);
            cr_assert(error.text[0] != '\0' && result.path[0] == '\0');
            cr_assert_not_null(strstr(result.text, "slot 1 came to another state at tick 399"));
            cr_assert(wanted != FAIL_CALLS || strstr(result.text, "players[1].presses") != NULL);
            continue;
        }
        cr_assert_eq(entries, 1);
        if (has_failed) {
            // What was not there for want of memory, or a name that is not synced, is no reason to lose the bundle.
            remove_tree(scene.options.directory);
            is_good = false;
        }
    }
    cr_assert(is_good && nth > least, "%llu failures", (unsigned long long)nth);
    bundle_scene_close(&scene);
    remove_tree(directory);
}

Test(bundle_faults, every_call)
{
    fail_each(FAIL_CALLS, 25);
}

Test(bundle_faults, every_allocation)
{
    fail_each(FAIL_MEMORY, 10);
}
