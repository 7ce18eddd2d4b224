// machines_windows.h: what the verifier's rooms use of POSIX and C17 and Windows' C library lacks, in a dozen lines. It is included before every
// file of that machine's build, so that the rooms themselves need to know of no Windows.
#pragma once

#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#define fdatasync _commit

// Moves the descriptor's position, on which nothing relies. The descriptor must be a binary one.
static inline ssize_t pread(int fd, void *buffer, size_t size, long long offset)
{
    return _lseeki64(fd, offset, 0) < 0 ? -1 : _read(fd, buffer, size < INT32_MAX ? (unsigned)size : INT32_MAX);
}

// Whatever it gives is given back to free(), which rules _aligned_malloc out. malloc aligns to 16 bytes here, and that is all that is needed: the
// 64 asked for are for speed.
static inline void *aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    return malloc(size);
}
