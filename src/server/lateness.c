// lateness.c: sixteen buckets per power of two.
#include "lateness.h"

enum { SUB_BITS = 4, SUB_BUCKETS = 1 << SUB_BITS };

static uint32_t bucket_of(uint64_t value)
{
    if (value < SUB_BUCKETS) {
        return (uint32_t)value;
    }
    uint32_t exponent = 63 - (uint32_t)__builtin_clzll(value);
    uint32_t sub = (uint32_t)(value >> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
    return (exponent - SUB_BITS + 1) * SUB_BUCKETS + sub;
}

// 63 is the largest exponent, so its last bucket is the last of all.
_Static_assert((63 - SUB_BITS + 1) * SUB_BUCKETS + SUB_BUCKETS == LATENESS_BUCKETS, "LATENESS_BUCKETS must cover 64 bits");

static uint64_t last_value_of(uint32_t bucket)
{
    if (bucket < SUB_BUCKETS) {
        return bucket;
    }
    uint32_t shift = bucket / SUB_BUCKETS - 1;
    uint64_t first = (uint64_t)(SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
    return first + ((uint64_t)1 << shift) - 1;
}

void lateness_add(Lateness *lateness, int64_t late_ns)
{
    int64_t value = late_ns > 0 ? late_ns : 0;
    lateness->count += 1;
    lateness->max_ns = value > lateness->max_ns ? value : lateness->max_ns;
    lateness->buckets[bucket_of((uint64_t)value)] += 1;
}

void lateness_merge(Lateness *lateness, const Lateness *other)
{
    lateness->count += other->count;
    lateness->max_ns = other->max_ns > lateness->max_ns ? other->max_ns : lateness->max_ns;
    for (uint32_t i = 0; i < LATENESS_BUCKETS; i++) {
        lateness->buckets[i] += other->buckets[i];
    }
}

int64_t lateness_percentile_ns(const Lateness *lateness, uint32_t per_mille)
{
    // The smallest rank that is at least this share of all samples.
    uint64_t rank = lateness->count / 1000 * per_mille + (lateness->count % 1000 * per_mille + 999) / 1000;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < LATENESS_BUCKETS && lateness->count > 0; i++) {
        seen += lateness->buckets[i];
        if (seen >= rank && lateness->buckets[i] > 0) {
            uint64_t value = last_value_of(i);
            return value < (uint64_t)lateness->max_ns ? (int64_t)value : lateness->max_ns;
        }
    }
    return lateness->max_ns;
}

uint64_t lateness_within(const Lateness *lateness, int64_t late_ns)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < LATENESS_BUCKETS && last_value_of(i) <= (uint64_t)late_ns; i++) {
        count += lateness->buckets[i];
    }
    return count;
}
