// weather.h: one direction of a simulated line: what is put in comes out later, changed in nothing but time, or not at all. No socket and no
// clock: time is a parameter in microseconds and never goes back. The same options, times and sizes give the same weather.
//
// A line of datagrams loses, doubles and overtakes. A line that keeps order (as TCP does) loses nothing: what would have been lost comes a round
// trip later, and everything behind it waits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/rng.h"

enum {
    WEATHER_SIZE_MAX       = 1265, ///< bytes of one item: a datagram, sealed or not, or a message
    WEATHER_ITEMS          = 4096, ///< under way at once, when nothing else is said
    WEATHER_PARTITIONS_MAX = 8,
    WEATHER_PPM            = 1000000,
};

#define WEATHER_NEVER UINT64_MAX

typedef struct WeatherOptions {
    uint64_t seed;
    uint32_t latency_us;    ///< one way
    uint32_t jitter_us;     ///< up to so much more, evenly
    uint32_t loss_ppm;      ///< of a million; likewise below
    uint32_t duplicate_ppm; ///< comes twice, the second time with a jitter of its own
    uint32_t reorder_ppm;   ///< held back by up to a latency, a jitter and a millisecond more, so that others overtake it
    uint32_t items_max;     ///< 0: WEATHER_ITEMS
    bool     keeps_order;
} WeatherOptions;

typedef struct WeatherItem {
    uint64_t due_us, order; ///< of equal due times the one put first comes first
    uint16_t size;
    uint8_t  bytes[WEATHER_SIZE_MAX];
} WeatherItem;

/// All zero is not open. Grows by doubling up to items_max, and never shrinks.
typedef struct Weather {
    WeatherOptions options;
    tp_pcg32       dice;
    WeatherItem   *items;
    uint32_t      *heap; ///< of indexes into items; behind `count` of them: those that are free
    uint32_t       count, capacity;
    uint64_t       order, last_due_us;
    struct { uint64_t from_us, to_us; } partitions[WEATHER_PARTITIONS_MAX];
    uint32_t       partition_count;
    uint64_t       put, lost, duplicated, delayed, full; ///< counts; `full`: no place was left
} Weather;

/// `stream` tells the directions of one line apart. Allocates nothing yet.
void weather_init(Weather *weather, const WeatherOptions *options, uint64_t stream);
void weather_finish(Weather *weather);
/// Nothing passes from `from_us` on and before `to_us`: what is put then, or would come then, is lost. Where order is kept it comes later.
/// False when there are WEATHER_PARTITIONS_MAX already.
bool weather_partition(Weather *weather, uint64_t from_us, uint64_t to_us);
/// Copies 1 to WEATHER_SIZE_MAX bytes. False when items_max are under way (or memory is out): nothing was taken. A line of datagrams loses it
/// then, and counts it; where order is kept the caller has to take the oldest early, with WEATHER_NEVER as the time.
bool weather_put(Weather *weather, uint64_t now_us, const uint8_t *bytes, size_t size);
/// The next that has come by now; false when there is none. Borrowed until the next put or take.
bool weather_take(Weather *weather, uint64_t now_us, const uint8_t **bytes, size_t *size);
/// When the next comes; WEATHER_NEVER when nothing is under way.
uint64_t weather_due_us(const Weather *weather);
