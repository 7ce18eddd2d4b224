// strict_entropy.c: numbers that nobody can repeat, and files, which may be such numbers.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "strict_calls.h"

static void fill_fixed(void *out, size_t size)
{
    unsigned char *bytes = out;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)strict_fixed_number();
    }
}

STRICT_WRAP(ssize_t, getrandom, (void *out, size_t size, unsigned flags))
{
    STRICT_NEXT(ssize_t, getrandom, (void *, size_t, unsigned))
    strict_note(STRICT_ENTROPY, "getrandom", NULL);
    if (strict_settings.is_entropy_fixed) {
        fill_fixed(out, size);
        return (ssize_t)size;
    }
    return next(out, size, flags);
}

STRICT_WRAP(int, getentropy, (void *out, size_t size))
{
    STRICT_NEXT(int, getentropy, (void *, size_t))
    strict_note(STRICT_ENTROPY, "getentropy", NULL);
    if (strict_settings.is_entropy_fixed && size <= 256) {
        fill_fixed(out, size);
        return 0;
    }
    return next(out, size);
}

// Newer C libraries have these; a program that calls them finds them there.
STRICT_WRAP(uint32_t, arc4random, (void))
{
    strict_note(STRICT_ENTROPY, "arc4random", NULL);
    if (strict_settings.is_entropy_fixed) {
        return (uint32_t)strict_fixed_number();
    }
    STRICT_NEXT(uint32_t, arc4random, (void))
    return next();
}

STRICT_WRAP(uint32_t, arc4random_uniform, (uint32_t bound))
{
    strict_note(STRICT_ENTROPY, "arc4random_uniform", NULL);
    if (strict_settings.is_entropy_fixed) {
        return bound < 2 ? 0 : (uint32_t)(strict_fixed_number() % bound);
    }
    STRICT_NEXT(uint32_t, arc4random_uniform, (uint32_t))
    return next(bound);
}

STRICT_WRAP(void, arc4random_buf, (void *out, size_t size))
{
    strict_note(STRICT_ENTROPY, "arc4random_buf", NULL);
    if (strict_settings.is_entropy_fixed) {
        fill_fixed(out, size);
        return;
    }
    STRICT_NEXT(void, arc4random_buf, (void *, size_t))
    next(out, size);
}

// The C library's own generators repeat themselves, but are one for the whole process and another in every C library.
STRICT_NOTED(STRICT_ENTROPY, NULL, int, rand, (void), ())
STRICT_NOTED(STRICT_ENTROPY, NULL, int, rand_r, (unsigned *seed), (seed))
STRICT_NOTED(STRICT_ENTROPY, NULL, long, random, (void), ())
STRICT_NOTED(STRICT_ENTROPY, NULL, double, drand48, (void), ())
STRICT_NOTED(STRICT_ENTROPY, NULL, long, lrand48, (void), ())
STRICT_NOTED(STRICT_ENTROPY, NULL, long, mrand48, (void), ())

static bool is_entropy(const char *path)
{
    return path != NULL && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0 || strcmp(path, "/dev/hwrng") == 0 ||
                            strncmp(path, "/proc/sys/kernel/random/", 24) == 0);
}

// Notes the file, and says which one is opened instead.
static const char *note_path(const char *function, const char *path)
{
    strict_note(is_entropy(path) ? STRICT_ENTROPY : STRICT_FILES, function, path);
    return strict_settings.is_entropy_fixed && is_entropy(path) ? "/dev/zero" : path;
}

static mode_t mode_of(int flags, va_list arguments)
{
#ifdef O_TMPFILE
    bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
#else
    bool has_mode = (flags & O_CREAT) != 0;
#endif
    return has_mode ? (mode_t)va_arg(arguments, unsigned) : 0;
}

#define WRAP_OPEN(name)                                          \
    STRICT_WRAP(int, name, (const char *path, int flags, ...))   \
    {                                                            \
        STRICT_NEXT(int, name, (const char *, int, ...))         \
        va_list arguments;                                       \
        va_start(arguments, flags);                              \
        mode_t mode = mode_of(flags, arguments);                 \
        va_end(arguments);                                       \
        return next(note_path(#name, path), flags, mode);        \
    }

#define WRAP_OPENAT(name)                                                    \
    STRICT_WRAP(int, name, (int folder, const char *path, int flags, ...))   \
    {                                                                        \
        STRICT_NEXT(int, name, (int, const char *, int, ...))                \
        va_list arguments;                                                   \
        va_start(arguments, flags);                                          \
        mode_t mode = mode_of(flags, arguments);                             \
        va_end(arguments);                                                   \
        return next(folder, note_path(#name, path), flags, mode);            \
    }

#define WRAP_FOPEN(name)                                                     \
    STRICT_WRAP(FILE *, name, (const char *path, const char *mode))          \
    {                                                                        \
        STRICT_NEXT(FILE *, name, (const char *, const char *))              \
        return next(note_path(#name, path), mode);                           \
    }

WRAP_OPEN(open)
WRAP_OPENAT(openat)
WRAP_FOPEN(fopen)
#if defined(__GLIBC__)
WRAP_OPEN(open64)
WRAP_OPENAT(openat64)
WRAP_FOPEN(fopen64)
STRICT_NOTED(STRICT_FILES, path, int, __open_2, (const char *path, int flags), (path, flags))
STRICT_NOTED(STRICT_FILES, path, int, __open64_2, (const char *path, int flags), (path, flags))
#endif
STRICT_NOTED(STRICT_FILES, path, DIR *, opendir, (const char *path), (path))
STRICT_NOTED(STRICT_FILES, path, int, access, (const char *path, int mode), (path, mode))
STRICT_NOTED(STRICT_FILES, path, ssize_t, readlink, (const char *path, char *out, size_t size), (path, out, size))
STRICT_NOTED(STRICT_FILES, NULL, char *, getcwd, (char *out, size_t size), (out, size))
STRICT_NOTED(STRICT_FILES, path, int, chdir, (const char *path), (path))
STRICT_NOTED(STRICT_FILES, NULL, int, socket, (int domain, int type, int protocol), (domain, type, protocol))

// Before 2.33 these were other functions of the GNU C library; where there is none, nobody calls it.
#define WRAP_STAT(name) STRICT_NOTED(STRICT_FILES, path, int, name, (const char *path, void *out), (path, out))
WRAP_STAT(stat)
WRAP_STAT(lstat)
#if defined(__GLIBC__)
WRAP_STAT(stat64)
WRAP_STAT(lstat64)
STRICT_NOTED(STRICT_FILES, path, int, fstatat64, (int folder, const char *path, void *out, int flags), (folder, path, out, flags))
#endif
STRICT_NOTED(STRICT_FILES, path, int, fstatat, (int folder, const char *path, void *out, int flags), (folder, path, out, flags))
