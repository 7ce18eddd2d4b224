// lateness.h: how late ticks began, as a histogram of fixed size: buckets grow with the value, so every percentile is known
// to one part in sixteen, from a nanosecond to hours, without keeping samples.
#pragma once

#include <stdint.h>

enum { LATENESS_BUCKETS = 976 };

typedef struct Lateness {
    uint64_t count;
    int64_t  max_ns;
    uint64_t buckets[LATENESS_BUCKETS];
} Lateness;

/// A time below zero counts as zero.
void lateness_add(Lateness *lateness, int64_t late_ns);
/// Adds another one's samples.
void lateness_merge(Lateness *lateness, const Lateness *other);
/// Samples that were at most so late, as far as buckets tell: none that was later counts.
uint64_t lateness_within(const Lateness *lateness, int64_t late_ns);
/// Upper bound of the bucket that `per_mille` of all samples reach (500: the median), at most the maximum. 0 without any.
int64_t lateness_percentile_ns(const Lateness *lateness, uint32_t per_mille);
