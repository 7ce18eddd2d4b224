// tickclock.h: whole ticks out of real time, in integer nanoseconds. It never reads a clock: the caller passes the time.
//
// Tick k is due at start + k * 1e9 / rate, computed without accumulating a rounding error, so 60 Hz is 60 Hz after a
// year. At most `catch_up_max` ticks are released per call; a backlog beyond that is dropped by moving the start, and
// counted, so that a host can report what was lost instead of losing it silently.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_tickclock {
    int64_t  start_ns;      ///< when tick 0 of the current stretch was due
    uint64_t released;      ///< ticks released since start_ns
    uint32_t rate_hz;
    uint32_t catch_up_max;
    uint64_t ticks_total;   ///< ticks released in all
    uint64_t dropped_total; ///< ticks that were due and never released
    uint64_t hitches;       ///< calls that dropped
} tp_tickclock;

/// Ticks one call releases when its caller does not say otherwise.
enum { TP_CATCH_UP_TICKS = 5 };

/// First tick is due one period after now_ns. rate_hz 1 to 100,000, catch_up_max at least 1.
void tp_tickclock_init(tp_tickclock *clock, uint32_t rate_hz, uint32_t catch_up_max, int64_t now_ns);
/// How many ticks to run now, 0 to catch_up_max. Time that goes backwards gives 0.
uint32_t tp_tickclock_advance(tp_tickclock *clock, int64_t now_ns);
/// When the next tick is due, for a timer.
int64_t tp_tickclock_next_ns(const tp_tickclock *clock);
/// Position between the last released tick and the next in 1/65536, 0 to 65535: for drawing only.
uint32_t tp_tickclock_alpha(const tp_tickclock *clock, int64_t now_ns);

#ifdef __cplusplus
}
#endif
