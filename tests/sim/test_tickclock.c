#include <criterion/criterion.h>

#include "tickproof/tickclock.h"

#define SECOND INT64_C(1000000000)

// Goal: how often the host looks at the clock does not change how many ticks there are.
Test(tickclock, ticks_per_second_do_not_depend_on_the_frame_rate)
{
    const int rates[] = { 30, 60, 144, 1000, 7 * 60 };
    for (int i = 0; i < 5; i++) {
        tp_tickclock clock;
        uint64_t     ticks = 0;
        tp_tickclock_init(&clock, 60, TP_CATCH_UP_TICKS, 0);
        for (int64_t frame = 1; frame <= rates[i] * INT64_C(100); frame++) {
            ticks += tp_tickclock_advance(&clock, frame * SECOND / rates[i]);
        }
        cr_assert_eq(ticks, 6000, "%d frames per second gave %d", rates[i], (int)ticks);
        cr_assert_eq(clock.dropped_total, 0);
    }
}

// Goal: a hitch of one second at 60 Hz runs five ticks, keeps no backlog, and says that 55 were lost.
Test(tickclock, hitch_runs_five_and_counts_the_rest)
{
    tp_tickclock clock;
    tp_tickclock_init(&clock, 60, TP_CATCH_UP_TICKS, 0);
    cr_assert_eq(tp_tickclock_advance(&clock, SECOND), 5);
    cr_assert_eq(clock.dropped_total, 55);
    cr_assert_eq(clock.hitches, 1);
    cr_assert_eq(tp_tickclock_advance(&clock, SECOND), 0, "no backlog");
    cr_assert_eq(tp_tickclock_advance(&clock, SECOND + SECOND / 60 + 1), 1, "and the phase is kept");
}

Test(tickclock, exactly_five_due_drops_nothing)
{
    tp_tickclock clock;
    tp_tickclock_init(&clock, 60, TP_CATCH_UP_TICKS, 0);
    cr_assert_eq(tp_tickclock_advance(&clock, 5 * SECOND / 60 + 5000000), 5);
    cr_assert_eq(clock.dropped_total, 0);
    cr_assert_eq(tp_tickclock_advance(&clock, SECOND / 10), 1, "the fraction was kept");
}

// Goal: no rounding error adds up: after a year at 60 Hz the deadline is exact.
Test(tickclock, does_not_drift)
{
    tp_tickclock clock;
    int64_t      year = INT64_C(365) * 86400 * SECOND;
    tp_tickclock_init(&clock, 60, 1, 0);
    tp_tickclock_advance(&clock, year);
    cr_assert_eq(tp_tickclock_next_ns(&clock), year + SECOND / 60);
    cr_assert_eq(clock.dropped_total + clock.ticks_total, UINT64_C(365) * 86400 * 60);
}

Test(tickclock, never_early_and_never_skips_a_deadline)
{
    const uint32_t rates[] = { 1, 3, 7, 60, 120, 144, 1000, 99999 };
    for (int i = 0; i < 8; i++) {
        tp_tickclock clock;
        tp_tickclock_init(&clock, rates[i], 1, 12345);
        for (int k = 0; k < 10000; k++) {
            int64_t due = tp_tickclock_next_ns(&clock);
            cr_assert_eq(tp_tickclock_advance(&clock, due - 1), 0);
            cr_assert_eq(tp_tickclock_advance(&clock, due), 1);
        }
        cr_assert_eq(clock.dropped_total, 0);
    }
}

Test(tickclock, time_going_backwards_gives_nothing)
{
    tp_tickclock clock;
    tp_tickclock_init(&clock, 60, 5, SECOND);
    cr_assert_eq(tp_tickclock_advance(&clock, 0), 0);
    cr_assert_eq(tp_tickclock_advance(&clock, -SECOND), 0);
    cr_assert_eq(tp_tickclock_advance(&clock, SECOND + SECOND / 60 + 1), 1);
}

Test(tickclock, alpha_runs_from_zero_to_just_below_one)
{
    tp_tickclock clock;
    tp_tickclock_init(&clock, 50, 5, 0);
    cr_assert_eq(tp_tickclock_alpha(&clock, 0), 0);
    cr_assert_eq(tp_tickclock_alpha(&clock, 10000000), 32768);
    cr_assert_eq(tp_tickclock_alpha(&clock, SECOND), 65535);
    cr_assert_eq(tp_tickclock_alpha(&clock, -5), 0);
}
