// ticker.h: one absolute deadline on a libuv loop, in nanoseconds of the monotonic clock.
//
// uv_timer counts whole milliseconds, which turns 60 Hz into 62.5 Hz. On Linux a timerfd, polled by the loop, wakes it at
// the nanosecond that was asked for, as near as the scheduler allows. Elsewhere a uv_timer sleeps to the millisecond before
// and the rest of it is spent turning the loop, which costs up to one millisecond of a core per wake-up.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#if defined(__linux__) && !defined(TICKER_WITHOUT_TIMERFD)
#define TICKER_HAS_TIMERFD 1
#else
#define TICKER_HAS_TIMERFD 0
#endif

/// Must not move while it is open.
typedef struct Ticker {
    void (*due)(void *to); ///< runs inside the loop; must end with ticker_arm or ticker_disarm
    void *to;
#if TICKER_HAS_TIMERFD
    int       fd;
    uv_poll_t handle;
#else
    int64_t    deadline_ns;
    uv_timer_t handle;
#endif
} Ticker;

/// The monotonic clock that deadlines are in: the one place where the server reads a clock.
int64_t ticker_now_ns(void);
/// What the calling thread has used of a core.
int64_t ticker_thread_cpu_ns(void);

/// 0, or a negative libuv error with nothing left open.
int  ticker_open(Ticker *ticker, uv_loop_t *loop, void (*due)(void *to), void *to);
/// A deadline in the past is due at the loop's next turn. Replaces an earlier deadline.
void ticker_arm(Ticker *ticker, int64_t deadline_ns);
void ticker_disarm(Ticker *ticker);
/// The loop must turn once more before it can be closed.
void ticker_close(Ticker *ticker);
