// test_ticker.c: a deadline wakes the loop when it is due, never before.
#include <criterion/criterion.h>

#include "ticker.h"

typedef struct {
    uv_loop_t loop;
    Ticker    ticker;
    int64_t   next_ns;
    int       left;
    int       early;
} Metronome;

static void on_due(void *to)
{
    Metronome *metronome = to;
    metronome->early += ticker_now_ns() < metronome->next_ns ? 1 : 0;
    metronome->next_ns += 2500000;
    metronome->left -= 1;
    if (metronome->left > 0) {
        ticker_arm(&metronome->ticker, metronome->next_ns);
    } else {
        ticker_disarm(&metronome->ticker);
        ticker_close(&metronome->ticker);
    }
}

// Goal: periods of 2.5 ms, which a timer of whole milliseconds cannot keep, neither drift nor come early.
Test(ticker, keeps_a_period_of_half_milliseconds, .timeout = 30)
{
    Metronome metronome = { .left = 40 };
    cr_assert_eq(uv_loop_init(&metronome.loop), 0);
    cr_assert_eq(ticker_open(&metronome.ticker, &metronome.loop, on_due, &metronome), 0);
    int64_t start_ns = ticker_now_ns();
    metronome.next_ns = start_ns + 2500000;
    ticker_arm(&metronome.ticker, metronome.next_ns);
    uv_run(&metronome.loop, UV_RUN_DEFAULT);
    int64_t spent_ns = ticker_now_ns() - start_ns;
    cr_assert_eq(metronome.early, 0);
    cr_assert_geq(spent_ns, 100000000);
    cr_assert_lt(spent_ns, 1000000000, "%lld ns", (long long)spent_ns);
    cr_assert_eq(uv_loop_close(&metronome.loop), 0);
}
