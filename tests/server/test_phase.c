// test_phase.c: where in a period rooms begin.
#include <stdlib.h>

#include <criterion/criterion.h>

#include "phase.h"
#include "server_limits.h"

static const int64_t SECOND_NS = 1000000000;

// Goal: whenever a room begins, it begins less than a period ago, so that its first tick is neither late nor a period away.
Test(phase, begins_within_the_period)
{
    static const uint32_t rates[] = { 1, 7, 60, 144, 1000, 100000 };
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        for (int64_t now_ns = 5 * SECOND_NS; now_ns < 7 * SECOND_NS; now_ns += 12345678) {
            for (uint32_t place = 0; place < 500; place += 499) {
                int64_t start_ns = phase_start_ns(now_ns, rates[i], place, 500);
                cr_assert_leq(start_ns, now_ns);
                cr_assert_lt(now_ns - start_ns, SECOND_NS / rates[i] + 2, "%u Hz at %lld", rates[i], (long long)now_ns);
            }
        }
    }
}

// Goal: rooms of one phase that began at different times fall due together, to the nanosecond that a period is cut to, also after an hour.
Test(phase, is_kept_whenever_a_room_begins)
{
    int64_t early_ns = phase_start_ns(10 * SECOND_NS + 1, 60, 100, 500);
    int64_t late_ns = phase_start_ns(3611 * SECOND_NS + 777777777, 60, 100, 500);
    int64_t ticks = ((late_ns - early_ns) * 60 + SECOND_NS / 2) / SECOND_NS;
    int64_t due_ns = early_ns + ticks * SECOND_NS / 60;
    cr_assert_leq(llabs(due_ns - late_ns), 2, "%lld ns apart", (long long)(due_ns - late_ns));
}

// Goal: rooms that wake in one moment are spread: no step of the phases has more than its share.
Test(phase, spreads_rooms_evenly)
{
    enum { ROOMS = 500, STEPS = 17 };
    uint32_t counts[STEPS] = { 0 };
    int64_t  first_ns = phase_start_ns(8 * SECOND_NS, 60, 0, ROOMS);
    for (uint32_t place = 0; place < ROOMS; place++) {
        int64_t into_ns = (phase_start_ns(8 * SECOND_NS, 60, place, ROOMS) - first_ns + SECOND_NS) % (SECOND_NS / 60);
        int64_t step = (into_ns + SERVER_PHASE_NS / 2) / SERVER_PHASE_NS % STEPS;
        cr_assert_lt(step, STEPS);
        counts[step] += 1;
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        cr_assert_leq(counts[step], ROOMS / 16 + 1, "%u rooms in step %u", counts[step], step);
    }
}

// Goal: a period shorter than a step has one phase.
Test(phase, fast_rooms_share_one)
{
    cr_assert_eq(phase_start_ns(8 * SECOND_NS, 2000, 0, 4), phase_start_ns(8 * SECOND_NS, 2000, 3, 4));
}
