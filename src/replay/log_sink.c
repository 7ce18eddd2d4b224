// log_sink.c: places for bytes to go: memory and file descriptors.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tickproof/replay.h"

static bool memory_write(void *self, const uint8_t *bytes, size_t size)
{
    tp_memory_sink *memory = self;
    if (size == 0) {
        return true; // there may be no memory yet, and nothing may be added to its address
    }
    if (size > memory->capacity - memory->size) {
        size_t capacity = memory->capacity < 4096 ? 4096 : memory->capacity;
        while (capacity - memory->size < size) {
            if (capacity > SIZE_MAX / 2) {
                errno = ENOMEM;
                return false;
            }
            capacity *= 2;
        }
        uint8_t *grown = realloc(memory->bytes, capacity);
        if (grown == NULL) {
            errno = ENOMEM;
            return false;
        }
        memory->bytes = grown;
        memory->capacity = capacity;
    }
    memcpy(memory->bytes + memory->size, bytes, size);
    memory->size += size;
    return true;
}

tp_sink tp_sink_of_memory(tp_memory_sink *memory)
{
    return (tp_sink){ .self = memory, .write = memory_write, .sync = NULL };
}

static bool fd_write(void *self, const uint8_t *bytes, size_t size)
{
    int fd = *(const int *)self;
    while (size > 0) {
        ssize_t taken = write(fd, bytes, size);
        if (taken < 0) {
            if (errno == EINTR) {
                continue;
            }
            return false;
        }
        if (taken == 0) {
            // A device that takes nothing and reports nothing would keep us here for ever.
            errno = EIO;
            return false;
        }
        bytes += taken;
        size -= (size_t)taken;
    }
    return true;
}

static bool fd_sync(void *self)
{
    int result;
    do {
        result = fdatasync(*(const int *)self);
    } while (result != 0 && errno == EINTR);
    // A pipe or a terminal has nothing to make durable; that is no failure.
    return result == 0 || errno == EINVAL || errno == EROFS;
}

tp_sink tp_sink_of_fd(int *fd)
{
    return (tp_sink){ .self = fd, .write = fd_write, .sync = fd_sync };
}
