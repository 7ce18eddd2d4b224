// test_lateness.c: percentiles of known samples.
#include <criterion/criterion.h>

#include "lateness.h"

Test(lateness, small_values_are_exact)
{
    Lateness lateness = { 0 };
    for (int64_t i = 1; i <= 10; i++) {
        lateness_add(&lateness, i);
    }
    cr_assert_eq(lateness_percentile_ns(&lateness, 500), 5);
    cr_assert_eq(lateness_percentile_ns(&lateness, 990), 10);
    cr_assert_eq(lateness.max_ns, 10);
}

// Goal: a percentile is never below the truth, and at most one part in sixteen above it.
Test(lateness, large_values_are_near)
{
    static Lateness lateness;
    for (int64_t i = 1; i <= 100000; i++) {
        lateness_add(&lateness, i * 1000);
    }
    int64_t median = lateness_percentile_ns(&lateness, 500);
    int64_t high = lateness_percentile_ns(&lateness, 990);
    cr_assert(median >= 50000000 && median <= 50000000 + 50000000 / 16, "%lld", (long long)median);
    cr_assert(high >= 99000000 && high <= 100000000, "%lld", (long long)high);
}

Test(lateness, extremes)
{
    Lateness lateness = { 0 };
    cr_assert_eq(lateness_percentile_ns(&lateness, 500), 0);
    lateness_add(&lateness, -5);
    lateness_add(&lateness, INT64_MAX);
    cr_assert_eq(lateness_percentile_ns(&lateness, 500), 0);
    cr_assert_eq(lateness_percentile_ns(&lateness, 1000), INT64_MAX);
}

// Goal: two histograms put together are one of all samples.
Test(lateness, merged_is_as_if_counted_together)
{
    static Lateness odd, even, all;
    for (int64_t i = 1; i <= 5000; i++) {
        lateness_add(i % 2 == 0 ? &even : &odd, i * i);
        lateness_add(&all, i * i);
    }
    lateness_merge(&odd, &even);
    cr_assert_eq(odd.count, all.count);
    cr_assert_eq(odd.max_ns, all.max_ns);
    cr_assert_arr_eq(odd.buckets, all.buckets, sizeof(all.buckets));
}
