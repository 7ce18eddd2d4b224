// strict_clock.c: clocks and time zones. The processor's time (clock, times) can stand still, but is not shifted.
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "strict_calls.h"

enum { FROZEN_S = 1000000000 };

static bool moves(void)
{
    return strict_settings.is_clock_frozen || strict_settings.clock_shift_s != 0;
}

static time_t moved(time_t seconds)
{
    return strict_settings.is_clock_frozen ? FROZEN_S : seconds + (time_t)strict_settings.clock_shift_s;
}

static long moved_part(long part)
{
    return strict_settings.is_clock_frozen ? 0 : part;
}

STRICT_WRAP(int, clock_gettime, (clockid_t clock, struct timespec *out))
{
    STRICT_NEXT(int, clock_gettime, (clockid_t, struct timespec *))
    strict_note(STRICT_CLOCK, "clock_gettime", NULL);
    int result = next(clock, out);
    if (result == 0 && moves()) {
        *out = (struct timespec){ .tv_sec = moved(out->tv_sec), .tv_nsec = moved_part(out->tv_nsec) };
    }
    return result;
}

STRICT_WRAP(int, timespec_get, (struct timespec *out, int base))
{
    STRICT_NEXT(int, timespec_get, (struct timespec *, int))
    strict_note(STRICT_CLOCK, "timespec_get", NULL);
    int result = next(out, base);
    if (result != 0 && moves()) {
        *out = (struct timespec){ .tv_sec = moved(out->tv_sec), .tv_nsec = moved_part(out->tv_nsec) };
    }
    return result;
}

STRICT_WRAP(int, gettimeofday, (struct timeval *out, void *zone))
{
    STRICT_NEXT(int, gettimeofday, (struct timeval *, void *))
    strict_note(STRICT_CLOCK, "gettimeofday", NULL);
    int result = next(out, zone);
    if (result == 0 && out != NULL && moves()) {
        *out = (struct timeval){ .tv_sec = moved(out->tv_sec), .tv_usec = moved_part(out->tv_usec) };
    }
    return result;
}

STRICT_WRAP(time_t, time, (time_t *out))
{
    STRICT_NEXT(time_t, time, (time_t *))
    strict_note(STRICT_CLOCK, "time", NULL);
    time_t now = moved(next(NULL));
    if (out != NULL) {
        *out = now;
    }
    return now;
}

STRICT_WRAP(clock_t, clock, (void))
{
    STRICT_NEXT(clock_t, clock, (void))
    strict_note(STRICT_CLOCK, "clock", NULL);
    return strict_settings.is_clock_frozen ? 0 : next();
}

STRICT_WRAP(clock_t, times, (struct tms *out))
{
    STRICT_NEXT(clock_t, times, (struct tms *))
    strict_note(STRICT_CLOCK, "times", NULL);
    clock_t now = next(out);
    return strict_settings.is_clock_frozen ? 0 : now;
}

STRICT_NOTED(STRICT_ZONE, NULL, struct tm *, localtime, (const time_t *time), (time))
STRICT_NOTED(STRICT_ZONE, NULL, struct tm *, localtime_r, (const time_t *time, struct tm *out), (time, out))
STRICT_NOTED(STRICT_ZONE, NULL, time_t, mktime, (struct tm *time), (time))
STRICT_NOTED(STRICT_ZONE, NULL, char *, ctime, (const time_t *time), (time))
STRICT_NOTED(STRICT_ZONE, NULL, char *, ctime_r, (const time_t *time, char *out), (time, out))
STRICT_NOTED(STRICT_ZONE, NULL, size_t, strftime, (char *out, size_t size, const char *format, const struct tm *time), (out, size, format, time))
