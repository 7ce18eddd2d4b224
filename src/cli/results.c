// results.c: a shared mapping, because giving its memory back loses nothing.
#include "results.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"

// Below the first number a file is not worth it. Above the second memory is given back: a read here and there may bring 64 KiB each.
enum { FEW = 256, TOUCHED_MAX = 16 };

// A file without a name, of this size, or -1. Its blocks are taken at once: a full disk found later would be a signal, not an error.
static int create_hidden(size_t size)
{
    char        name[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof(name), "%s/tickproof.XXXXXX", folder == NULL || folder[0] == '\0' ? "/tmp" : folder);
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    unlink(name);
    if (posix_fallocate(fd, 0, (off_t)size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

bool results_open(Results *results, size_t count)
{
    size_t size = (count == 0 ? 1 : count) * sizeof(BatchFile);
    int    fd = count <= FEW ? -1 : create_hidden(size);
    // Without a file it is shared memory, which can be given back to the system as well, but stays memory.
    void *files = mmap(NULL, size, PROT_READ | PROT_WRITE, fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (fd >= 0) {
        close(fd);
    }
    if (files == MAP_FAILED) {
        cli_fail(TP_INTERNAL, "verify: no memory for the reports of %zu files", count);
        return false;
    }
    madvise(files, size, MADV_DONTFORK);
    *results = (Results){ .files = files, .count = count };
    return true;
}

void results_close(Results *results)
{
    if (results->files != NULL) {
        munmap(results->files, (results->count == 0 ? 1 : results->count) * sizeof(BatchFile));
    }
    *results = (Results){ 0 };
}

void results_touch(Results *results)
{
    if (++results->touched >= TOUCHED_MAX) {
        results->touched = 0;
        madvise(results->files, results->count * sizeof(BatchFile), MADV_DONTNEED);
    }
}

const BatchFile *results_at(Results *results, size_t index)
{
    results_touch(results);
    return &results->files[index];
}
