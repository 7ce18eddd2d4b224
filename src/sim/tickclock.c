// tickclock.c: absolute deadlines in integer nanoseconds.
#include "tickproof/tickclock.h"

#define NANOSECONDS INT64_C(1000000000)

// k * 1e9 / rate without a product that could overflow: whole seconds and the rest apart.
static int64_t span_ns(uint64_t ticks, uint32_t rate_hz)
{
    return (int64_t)(ticks / rate_hz) * NANOSECONDS + (int64_t)(ticks % rate_hz) * NANOSECONDS / rate_hz;
}

void tp_tickclock_init(tp_tickclock *clock, uint32_t rate_hz, uint32_t catch_up_max, int64_t now_ns)
{
    *clock = (tp_tickclock){ .start_ns = now_ns, .rate_hz = rate_hz, .catch_up_max = catch_up_max };
}

int64_t tp_tickclock_next_ns(const tp_tickclock *clock)
{
    return clock->start_ns + span_ns(clock->released + 1, clock->rate_hz);
}

// Ticks due in a span, the inverse of span_ns: the largest k with span_ns(k) <= span.
static uint64_t ticks_in(int64_t span, uint32_t rate_hz)
{
    uint64_t seconds = (uint64_t)(span / NANOSECONDS);
    uint64_t rest = (uint64_t)(span % NANOSECONDS);
    // span_ns rounds down, so a tick is due when k * 1e9 < (rest + 1) * rate.
    return seconds * rate_hz + ((rest + 1) * rate_hz - 1) / (uint64_t)NANOSECONDS;
}

uint32_t tp_tickclock_advance(tp_tickclock *clock, int64_t now_ns)
{
    if (now_ns < tp_tickclock_next_ns(clock)) {
        return 0;
    }
    uint64_t due = ticks_in(now_ns - clock->start_ns, clock->rate_hz) - clock->released;
    uint32_t run = due < clock->catch_up_max ? (uint32_t)due : clock->catch_up_max;
    clock->ticks_total += run;
    if (due > run) {
        // The backlog is dropped by counting it as past: the phase of the ticks stays, and no error adds up.
        clock->dropped_total += due - run;
        clock->hitches += 1;
    }
    clock->released += due;
    return run;
}

uint32_t tp_tickclock_alpha(const tp_tickclock *clock, int64_t now_ns)
{
    int64_t from = clock->start_ns + span_ns(clock->released, clock->rate_hz);
    int64_t to = tp_tickclock_next_ns(clock);
    if (now_ns <= from) {
        return 0;
    }
    return now_ns >= to ? 65535 : (uint32_t)((now_ns - from) * 65536 / (to - from));
}
