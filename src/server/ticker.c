// ticker.c: the timerfd and its replacement.
#include "ticker.h"

#include <time.h>

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { NANOSECONDS_PER_MILLISECOND = 1000000, NANOSECONDS_PER_SECOND = 1000000000 };

int64_t ticker_now_ns(void)
{
    return (int64_t)uv_hrtime();
}

int64_t ticker_thread_cpu_ns(void)
{
    struct timespec used = { 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
}

#if TICKER_HAS_TIMERFD

#include <sys/timerfd.h>
#include <unistd.h>

// The expiry count is not read: setting the timer again, which `due` always does, clears it and saves a system call.
static void on_readable(uv_poll_t *handle, int status, int events)
{
    (void)status;
    (void)events;
    Ticker *ticker = handle->data;
    ticker->due(ticker->to);
}

int ticker_open(Ticker *ticker, uv_loop_t *loop, void (*due)(void *to), void *to)
{
    *ticker = (Ticker){ .due = due, .to = to };
    ticker->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (ticker->fd < 0) {
        return uv_translate_sys_error(errno);
    }
    int status = uv_poll_init(loop, &ticker->handle, ticker->fd);
    if (status < 0) {
        close(ticker->fd);
        return status;
    }
    ticker->handle.data = ticker;
    return uv_poll_start(&ticker->handle, UV_READABLE, on_readable);
}

static void set_timer(Ticker *ticker, int64_t deadline_ns)
{
    struct itimerspec when = { 0 };
    when.it_value.tv_sec = deadline_ns / NANOSECONDS_PER_SECOND;
    when.it_value.tv_nsec = deadline_ns % NANOSECONDS_PER_SECOND;
    int status = timerfd_settime(ticker->fd, TFD_TIMER_ABSTIME, &when, NULL);
    assert(status == 0);
    (void)status;
}

void ticker_arm(Ticker *ticker, int64_t deadline_ns)
{
    set_timer(ticker, deadline_ns > 0 ? deadline_ns : 1); // all zero would disarm it
}

void ticker_disarm(Ticker *ticker)
{
    set_timer(ticker, 0);
}

static void on_closed(uv_handle_t *handle)
{
    Ticker *ticker = handle->data;
    close(ticker->fd);
}

void ticker_close(Ticker *ticker)
{
    uv_close((uv_handle_t *)&ticker->handle, on_closed);
}

#else

static void on_timer(uv_timer_t *handle);

static void start_timer(Ticker *ticker)
{
    int64_t  left = ticker->deadline_ns - ticker_now_ns();
    uint64_t sleep_ms = left > 0 ? (uint64_t)(left / NANOSECONDS_PER_MILLISECOND) : 0;
    uv_update_time(ticker->handle.loop);
    uv_timer_start(&ticker->handle, on_timer, sleep_ms, 0);
}

static void on_timer(uv_timer_t *handle)
{
    Ticker *ticker = handle->data;
    if (ticker_now_ns() < ticker->deadline_ns) {
        start_timer(ticker);
        return;
    }
    ticker->due(ticker->to);
}

int ticker_open(Ticker *ticker, uv_loop_t *loop, void (*due)(void *to), void *to)
{
    *ticker = (Ticker){ .due = due, .to = to };
    int status = uv_timer_init(loop, &ticker->handle);
    ticker->handle.data = ticker;
    return status;
}

void ticker_arm(Ticker *ticker, int64_t deadline_ns)
{
    ticker->deadline_ns = deadline_ns;
    start_timer(ticker);
}

void ticker_disarm(Ticker *ticker)
{
    uv_timer_stop(&ticker->handle);
}

void ticker_close(Ticker *ticker)
{
    uv_close((uv_handle_t *)&ticker->handle, NULL);
}

#endif
