// signals.c: see signals.h. Only async-signal-safe calls.
#include "signals.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static _Atomic int64_t first_ms; // 0: none yet

bool signals_is_second(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now_ms = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000 + 1;
    int64_t none = 0;
    if (atomic_compare_exchange_strong(&first_ms, &none, now_ms)) {
        return false;
    }
    return now_ms - first_ms >= SIGNALS_APART_MS;
}
