// weather.c: a heap by time of arrival.
#include "weather.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 16, HELD_BACK_US = 1000 };

void weather_init(Weather *weather, const WeatherOptions *options, uint64_t stream)
{
    *weather = (Weather){ .options = *options, .dice = tp_pcg32_make(options->seed, stream) };
    if (weather->options.items_max == 0) {
        weather->options.items_max = WEATHER_ITEMS;
    }
}

void weather_finish(Weather *weather)
{
    free(weather->items);
    free(weather->heap);
    *weather = (Weather){ 0 };
}

bool weather_partition(Weather *weather, uint64_t from_us, uint64_t to_us)
{
    assert(from_us <= to_us);
    if (weather->partition_count == WEATHER_PARTITIONS_MAX) {
        return false;
    }
    weather->partitions[weather->partition_count].from_us = from_us;
    weather->partitions[weather->partition_count].to_us = to_us;
    weather->partition_count += 1;
    return true;
}

// The time at which the line is there again, when it is cut at this one; else the time itself.
static uint64_t after_partitions(const Weather *weather, uint64_t time_us)
{
    for (uint32_t again = 0; again < weather->partition_count; again++) { // one may end inside another
        for (uint32_t i = 0; i < weather->partition_count; i++) {
            if (time_us >= weather->partitions[i].from_us && time_us < weather->partitions[i].to_us) {
                time_us = weather->partitions[i].to_us;
            }
        }
    }
    return time_us;
}

static bool grow(Weather *weather)
{
    uint32_t capacity = weather->capacity > 0 ? weather->capacity * 2 : CAPACITY_FIRST;
    capacity = capacity < weather->options.items_max ? capacity : weather->options.items_max;
    if (capacity <= weather->capacity) {
        return false;
    }
    WeatherItem *items = realloc(weather->items, capacity * sizeof(*items));
    weather->items = items != NULL ? items : weather->items;
    uint32_t *heap = items != NULL ? realloc(weather->heap, capacity * sizeof(*heap)) : NULL;
    if (heap == NULL) {
        return false; // the larger items do no harm
    }
    weather->heap = heap;
    for (uint32_t i = weather->capacity; i < capacity; i++) {
        heap[i] = i;
    }
    weather->capacity = capacity;
    return true;
}

static bool is_before(const Weather *weather, uint32_t left, uint32_t right)
{
    const WeatherItem *one = &weather->items[weather->heap[left]];
    const WeatherItem *other = &weather->items[weather->heap[right]];
    return one->due_us != other->due_us ? one->due_us < other->due_us : one->order < other->order;
}

static void swap(Weather *weather, uint32_t left, uint32_t right)
{
    uint32_t kept = weather->heap[left];
    weather->heap[left] = weather->heap[right];
    weather->heap[right] = kept;
}

static void add(Weather *weather, uint64_t due_us, const uint8_t *bytes, size_t size)
{
    WeatherItem *item = &weather->items[weather->heap[weather->count]];
    item->due_us = due_us;
    item->order = weather->order++;
    item->size = (uint16_t)size;
    memcpy(item->bytes, bytes, size);
    for (uint32_t at = weather->count++; at > 0 && is_before(weather, at, (at - 1) / 2); at = (at - 1) / 2) {
        swap(weather, at, (at - 1) / 2);
    }
}

// Every item draws as often, so that a rate that is changed changes nothing but what it is about.
typedef struct Draw {
    bool     is_lost, is_double, is_held;
    uint32_t jitter_us, second_jitter_us, held_us;
} Draw;

static Draw draw(Weather *weather)
{
    const WeatherOptions *options = &weather->options;
    Draw                  drawn;
    drawn.is_lost = tp_pcg32_below(&weather->dice, WEATHER_PPM) < options->loss_ppm;
    drawn.is_double = tp_pcg32_below(&weather->dice, WEATHER_PPM) < options->duplicate_ppm;
    drawn.is_held = tp_pcg32_below(&weather->dice, WEATHER_PPM) < options->reorder_ppm;
    drawn.jitter_us = tp_pcg32_below(&weather->dice, options->jitter_us + 1);
    drawn.second_jitter_us = tp_pcg32_below(&weather->dice, options->jitter_us + 1);
    drawn.held_us = 1 + tp_pcg32_below(&weather->dice, options->latency_us + options->jitter_us + HELD_BACK_US);
    return drawn;
}

static bool put_in_order(Weather *weather, uint64_t now_us, const uint8_t *bytes, size_t size)
{
    Draw     drawn = draw(weather);
    uint64_t round_trip_us = 2 * (uint64_t)weather->options.latency_us + weather->options.jitter_us;
    uint64_t due_us = after_partitions(weather, now_us) + weather->options.latency_us + drawn.jitter_us;
    due_us = after_partitions(weather, due_us + (drawn.is_lost ? round_trip_us : 0));
    due_us = due_us > weather->last_due_us ? due_us : weather->last_due_us;
    weather->delayed += drawn.is_lost ? 1 : 0;
    weather->last_due_us = due_us;
    add(weather, due_us, bytes, size);
    return true;
}

bool weather_put(Weather *weather, uint64_t now_us, const uint8_t *bytes, size_t size)
{
    assert(size >= 1 && size <= WEATHER_SIZE_MAX);
    if (weather->count == weather->capacity && !grow(weather)) {
        weather->full += 1;
        return false;
    }
    weather->put += 1;
    if (weather->options.keeps_order) {
        return put_in_order(weather, now_us, bytes, size);
    }
    Draw     drawn = draw(weather);
    uint64_t due_us = now_us + weather->options.latency_us + drawn.jitter_us + (drawn.is_held ? drawn.held_us : 0);
    bool     is_cut = after_partitions(weather, now_us) != now_us || after_partitions(weather, due_us) != due_us;
    if (drawn.is_lost || is_cut) {
        weather->lost += 1;
        return true;
    }
    weather->delayed += drawn.is_held ? 1 : 0;
    add(weather, due_us, bytes, size);
    due_us = now_us + weather->options.latency_us + drawn.second_jitter_us;
    if (drawn.is_double && after_partitions(weather, due_us) == due_us && (weather->count < weather->capacity || grow(weather))) {
        weather->duplicated += 1;
        add(weather, due_us, bytes, size);
    }
    return true;
}

static void sink(Weather *weather)
{
    for (uint32_t at = 0;;) {
        uint32_t least = at;
        uint32_t child = 2 * at + 1;
        least = child < weather->count && is_before(weather, child, least) ? child : least;
        least = child + 1 < weather->count && is_before(weather, child + 1, least) ? child + 1 : least;
        if (least == at) {
            return;
        }
        swap(weather, at, least);
        at = least;
    }
}

bool weather_take(Weather *weather, uint64_t now_us, const uint8_t **bytes, size_t *size)
{
    if (weather->count == 0 || weather->items[weather->heap[0]].due_us > now_us) {
        return false;
    }
    const WeatherItem *item = &weather->items[weather->heap[0]];
    *bytes = item->bytes;
    *size = item->size;
    weather->count -= 1;
    swap(weather, 0, weather->count);
    sink(weather);
    return true;
}

uint64_t weather_due_us(const Weather *weather)
{
    return weather->count > 0 ? weather->items[weather->heap[0]].due_us : WEATHER_NEVER;
}
