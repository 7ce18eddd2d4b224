// log_source.c: bytes to read from: memory and file descriptors.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tickproof/replay.h"

static int64_t memory_read_at(void *self, uint64_t offset, void *buffer, size_t size)
{
    const tp_memory_source *memory = self;
    if (offset >= memory->size) {
        return 0;
    }
    size_t left = memory->size - (size_t)offset;
    size_t taken = size < left ? size : left;
    memcpy(buffer, memory->bytes + offset, taken);
    return (int64_t)taken;
}

static int64_t memory_size(void *self)
{
    const tp_memory_source *memory = self;
    return (int64_t)memory->size;
}

tp_source tp_source_of_memory(tp_memory_source *memory)
{
    return (tp_source){ .self = memory, .read_at = memory_read_at, .size = memory_size };
}

static int64_t fd_read_at(void *self, uint64_t offset, void *buffer, size_t size)
{
    int fd = *(const int *)self;
    size_t taken = 0;
    while (taken < size) {
        ssize_t got = pread(fd, (uint8_t *)buffer + taken, size - taken, (off_t)(offset + taken));
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return -1;
        }
        if (got == 0) {
            break;
        }
        taken += (size_t)got;
    }
    return (int64_t)taken;
}

static int64_t fd_size(void *self)
{
    struct stat status;
    if (fstat(*(const int *)self, &status) != 0) {
        return -1;
    }
    return (int64_t)status.st_size;
}

tp_source tp_source_of_fd(int *fd)
{
    return (tp_source){ .self = fd, .read_at = fd_read_at, .size = fd_size };
}
