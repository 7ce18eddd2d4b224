// strict_surround.c: locale, environment, threads, the process itself, and memory.
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "strict_calls.h"

STRICT_NOTED(STRICT_LOCALE, name, char *, setlocale, (int category, const char *name), (category, name))
STRICT_NOTED(STRICT_LOCALE, NULL, struct lconv *, localeconv, (void), ())
STRICT_NOTED(STRICT_LOCALE, name, locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base))
STRICT_NOTED(STRICT_LOCALE, NULL, locale_t, uselocale, (locale_t locale), (locale))
STRICT_NOTED(STRICT_LOCALE, NULL, int, strcoll, (const char *left, const char *right), (left, right))
STRICT_NOTED(STRICT_LOCALE, text, double, strtod, (const char *text, char **end), (text, end))
STRICT_NOTED(STRICT_LOCALE, text, float, strtof, (const char *text, char **end), (text, end))
STRICT_NOTED(STRICT_LOCALE, text, double, atof, (const char *text), (text))
STRICT_NOTED(STRICT_LOCALE, NULL, int, toupper, (int letter), (letter))
STRICT_NOTED(STRICT_LOCALE, NULL, int, tolower, (int letter), (letter))
#if defined(__GLIBC__)
STRICT_NOTED(STRICT_LOCALE, NULL, const unsigned short **, __ctype_b_loc, (void), ())
// An optimised tolower or toupper is a look into these tables.
STRICT_NOTED(STRICT_LOCALE, NULL, const int **, __ctype_tolower_loc, (void), ())
STRICT_NOTED(STRICT_LOCALE, NULL, const int **, __ctype_toupper_loc, (void), ())
#endif

// Only a decimal point or a grouping comes from the locale.
static bool is_of_locale(const char *format)
{
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        at += 1;
        size_t flags = strspn(at, "#0- +'*.0123456789hlLqjzt$");
        if (memchr(at, '\'', flags) != NULL || (at[flags] != '\0' && strchr("fFeEgGaA", at[flags]) != NULL)) {
            return true;
        }
        at += flags + (at[flags] != '\0' ? 1 : 0);
    }
    return false;
}

static void note_format(const char *function, const char *format)
{
    if (strict_is_inside() && is_of_locale(format)) {
        strict_note(STRICT_LOCALE, function, format);
    }
}

STRICT_WRAP(int, vsnprintf, (char *out, size_t size, const char *format, va_list arguments))
{
    STRICT_NEXT(int, vsnprintf, (char *, size_t, const char *, va_list))
    note_format("vsnprintf", format);
    return next(out, size, format, arguments);
}

STRICT_WRAP(int, snprintf, (char *out, size_t size, const char *format, ...))
{
    STRICT_NEXT(int, vsnprintf, (char *, size_t, const char *, va_list))
    va_list arguments;
    note_format("snprintf", format);
    va_start(arguments, format);
    int result = next(out, size, format, arguments);
    va_end(arguments);
    return result;
}

STRICT_WRAP(int, sprintf, (char *out, const char *format, ...))
{
    STRICT_NEXT(int, vsprintf, (char *, const char *, va_list))
    va_list arguments;
    note_format("sprintf", format);
    va_start(arguments, format);
    int result = next(out, format, arguments);
    va_end(arguments);
    return result;
}

#if defined(__GLIBC__)
STRICT_WRAP(int, __snprintf_chk, (char *out, size_t size, int flag, size_t room, const char *format, ...))
{
    STRICT_NEXT(int, __vsnprintf_chk, (char *, size_t, int, size_t, const char *, va_list))
    va_list arguments;
    note_format("snprintf", format);
    va_start(arguments, format);
    int result = next(out, size, flag, room, format, arguments);
    va_end(arguments);
    return result;
}

STRICT_WRAP(int, __sprintf_chk, (char *out, int flag, size_t room, const char *format, ...))
{
    STRICT_NEXT(int, __vsprintf_chk, (char *, int, size_t, const char *, va_list))
    va_list arguments;
    note_format("sprintf", format);
    va_start(arguments, format);
    int result = next(out, flag, room, format, arguments);
    va_end(arguments);
    return result;
}
#endif

STRICT_NOTED(STRICT_ENVIRONMENT, name, char *, getenv, (const char *name), (name))
STRICT_NOTED(STRICT_ENVIRONMENT, name, char *, secure_getenv, (const char *name), (name))
STRICT_NOTED(STRICT_ENVIRONMENT, name, int, setenv, (const char *name, const char *value, int replaces), (name, value, replaces))

// How many processors there are is another machine's business.
STRICT_NOTED(STRICT_THREADS, NULL, long, sysconf, (int what), (what))
STRICT_NOTED(STRICT_THREADS, NULL, int, sched_getcpu, (void), ())
STRICT_NOTED(STRICT_PROCESS, NULL, pid_t, getppid, (void), ())
STRICT_NOTED(STRICT_PROCESS, NULL, pid_t, gettid, (void), ())
STRICT_NOTED(STRICT_PROCESS, NULL, uid_t, getuid, (void), ())

// Seeds are made of it.
STRICT_WRAP(pid_t, getpid, (void))
{
    STRICT_NEXT(pid_t, getpid, (void))
    strict_note(STRICT_PROCESS, "getpid", NULL);
    return strict_settings.is_entropy_fixed && strict_is_inside() ? 4242 : next();
}

STRICT_NOTED(STRICT_PROCESS, NULL, int, gethostname, (char *out, size_t size), (out, size))

typedef struct {
    void *(*body)(void *argument);
    void   *argument;
    bool     is_inside;
    uint64_t tick, delay_ns;
} Start;

static void *begin(void *argument)
{
    Start start = *(Start *)argument;
    free(argument);
    if (start.delay_ns > 0) {
        struct timespec pause = { .tv_nsec = (long)start.delay_ns };
        nanosleep(&pause, NULL);
    }
    if (start.is_inside) {
        tickproof_strict_interface.enter(start.tick);
    }
    return start.body(start.argument);
}

static uint64_t delay_of_next(void)
{
    enum { DELAY_MAX_NS = 400000 };
    if (!strict_settings.delays_threads) {
        return 0;
    }
    return (strict_fixed_number() ^ strict_settings.schedule_seed * UINT64_C(0x2545f4914f6cdd1d)) % DELAY_MAX_NS;
}

STRICT_WRAP(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *argument), void *argument))
{
    STRICT_NEXT(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
    strict_note(STRICT_THREADS, "pthread_create", NULL);
    Start *start = strict_is_inside() ? malloc(sizeof(*start)) : NULL;
    if (start == NULL) {
        return next(thread, attributes, body, argument); // the host's own, or no memory, which the C library says better
    }
    *start = (Start){ body, argument, true, strict_tick(), delay_of_next() };
    int result = next(thread, attributes, begin, start);
    if (result != 0) {
        free(start);
    }
    return result;
}

STRICT_NOTED(STRICT_THREADS, NULL, int, thrd_create, (void *thread, int (*body)(void *argument), void *argument), (thread, body, argument))

// The C library asks for memory before anything can be looked up, so its own names are used.
#if defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

STRICT_WRAP(void *, malloc, (size_t size))
{
    strict_note(STRICT_MEMORY, "malloc", NULL);
    return __libc_malloc(size);
}

STRICT_WRAP(void *, calloc, (size_t count, size_t size))
{
    strict_note(STRICT_MEMORY, "calloc", NULL);
    return __libc_calloc(count, size);
}

STRICT_WRAP(void *, realloc, (void *memory, size_t size))
{
    strict_note(STRICT_MEMORY, "realloc", NULL);
    return __libc_realloc(memory, size);
}
#endif
