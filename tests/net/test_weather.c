// test_weather.c: the same seed is the same weather, rates are what they say, and lines keep their promises at every bound.
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "weather.h"

TestSuite(weather, .timeout = 60);

enum { ITEMS = 20000 };

static uint32_t number_of(const uint8_t *bytes)
{
    uint32_t number = 0;
    memcpy(&number, bytes, sizeof(number));
    return number;
}

typedef struct Seen {
    uint32_t count, twice, behind; // `behind`: came after a higher number
    uint64_t digest;
    uint64_t least_us, most_us; // on the way
    uint8_t  times[ITEMS];
} Seen;

static Seen seen;

// One item each millisecond; what comes is noted.
static void run(const WeatherOptions *options, uint64_t stream, Weather *weather)
{
    uint32_t highest = 0;
    memset(&seen, 0, sizeof(seen));
    seen.least_us = UINT64_MAX;
    weather_init(weather, options, stream);
    for (uint32_t i = 0; i < ITEMS + 10000; i++) {
        const uint8_t *bytes = NULL;
        size_t         size = 0;
        uint64_t       now_us = (uint64_t)i * 1000;
        while (weather_take(weather, now_us, &bytes, &size)) {
            uint32_t number = number_of(bytes);
            uint64_t way_us = now_us - (uint64_t)number * 1000;
            cr_assert_eq(size, 4 + number % 50);
            seen.behind += number < highest ? 1 : 0;
            highest = number > highest ? number : highest;
            seen.twice += seen.times[number]++ > 0 ? 1 : 0;
            seen.count += 1;
            seen.digest = (seen.digest ^ number ^ now_us) * UINT64_C(1099511628211);
            seen.least_us = way_us < seen.least_us ? way_us : seen.least_us;
            seen.most_us = way_us > seen.most_us ? way_us : seen.most_us;
        }
        if (i < ITEMS) {
            uint8_t item[64] = { 0 };
            memcpy(item, &i, sizeof(i));
            cr_assert(weather_put(weather, now_us, item, 4 + i % 50));
        }
    }
    cr_assert_eq(weather->count, 0);
    cr_assert_eq(weather_due_us(weather), WEATHER_NEVER);
    cr_assert_eq(seen.count, ITEMS - weather->lost + weather->duplicated);
    cr_assert_eq(seen.twice, weather->duplicated);
}

static void expect_about(uint64_t got, uint64_t ppm)
{
    uint64_t wanted = ITEMS * ppm / WEATHER_PPM;
    cr_assert(got * 10 > wanted * 9 && got * 10 < wanted * 11, "%" PRIu64 " instead of about %" PRIu64, got, wanted);
}

Test(weather, rates_are_what_they_say)
{
    WeatherOptions options = { .seed = 4, .latency_us = 50000, .jitter_us = 8000, .loss_ppm = 100000, .duplicate_ppm = 50000, .reorder_ppm = 30000 };
    Weather        weather;
    run(&options, 1, &weather);
    expect_about(weather.lost, 100000);
    expect_about(weather.duplicated, 45000); // of those that are not lost
    expect_about(weather.delayed, 27000);
    cr_assert_geq(seen.least_us, 50000);
    cr_assert_leq(seen.most_us, 50000 + 8000 + 50000 + 8000 + 2000);
    cr_assert_gt(seen.behind, 1000, "with a jitter of eight items there is overtaking");
    weather_finish(&weather);
}

Test(weather, good_weather_changes_nothing)
{
    WeatherOptions options = { .seed = 4, .latency_us = 20000 };
    Weather        weather;
    run(&options, 1, &weather);
    cr_assert_eq(seen.count, ITEMS);
    cr_assert_eq(seen.behind + seen.twice, 0);
    cr_assert_eq(seen.least_us, 20000);
    cr_assert_eq(seen.most_us, 20000);
    weather_finish(&weather);
}

Test(weather, a_seed_is_a_weather)
{
    WeatherOptions options = { .seed = 5, .latency_us = 30000, .jitter_us = 20000, .loss_ppm = 20000, .duplicate_ppm = 20000, .reorder_ppm = 20000 };
    Weather        weather;
    uint64_t       digest = 0;
    run(&options, 1, &weather);
    weather_finish(&weather);
    digest = seen.digest;
    run(&options, 1, &weather);
    weather_finish(&weather);
    cr_assert_eq(seen.digest, digest);
    run(&options, 2, &weather);
    weather_finish(&weather);
    cr_assert_neq(seen.digest, digest, "another direction has its own");
    options.seed = 6;
    run(&options, 1, &weather);
    weather_finish(&weather);
    cr_assert_neq(seen.digest, digest);
}

Test(weather, an_orderly_line_loses_nothing_and_nobody_overtakes)
{
    WeatherOptions options = { .seed = 4, .latency_us = 50000, .jitter_us = 30000, .loss_ppm = 100000, .duplicate_ppm = 50000, .reorder_ppm = 30000,
                               .keeps_order = true };
    Weather        weather;
    run(&options, 1, &weather);
    cr_assert_eq(seen.count, ITEMS);
    cr_assert_eq(seen.behind + seen.twice, 0);
    expect_about(weather.delayed, 100000);
    cr_assert_gt(seen.most_us, 50000 + 2 * 50000, "a loss costs a round trip");
    weather_finish(&weather);
}

static uint32_t put_number(Weather *weather, uint64_t now_us, uint32_t number)
{
    return weather_put(weather, now_us, (const uint8_t *)&number, sizeof(number)) ? 1 : 0;
}

static uint32_t take_all(Weather *weather, uint64_t now_us, uint32_t *last)
{
    const uint8_t *bytes = NULL;
    size_t         size = 0;
    uint32_t       count = 0;
    while (weather_take(weather, now_us, &bytes, &size)) {
        *last = number_of(bytes);
        count += 1;
    }
    return count;
}

Test(weather, nothing_passes_a_partition)
{
    WeatherOptions options = { .seed = 1, .latency_us = 1000 };
    Weather        weather;
    uint32_t       last = 0;
    weather_init(&weather, &options, 1);
    cr_assert(weather_partition(&weather, 10000, 20000));
    put_number(&weather, 8999, 1);  // comes before it
    put_number(&weather, 9000, 2);  // would come at its first moment
    put_number(&weather, 15000, 3); // in the midst of it
    put_number(&weather, 19999, 4); // would come behind it, and was not there to leave
    put_number(&weather, 20000, 5);
    cr_assert_eq(take_all(&weather, 19999, &last), 1);
    cr_assert_eq(last, 1);
    cr_assert_eq(take_all(&weather, 30000, &last), 1);
    cr_assert_eq(last, 5);
    cr_assert_eq(weather.lost, 3);
    weather_finish(&weather);
}

Test(weather, an_orderly_line_waits_for_the_end_of_partitions)
{
    WeatherOptions options = { .seed = 1, .latency_us = 1000, .keeps_order = true };
    Weather        weather;
    uint32_t       last = 0;
    weather_init(&weather, &options, 1);
    cr_assert(weather_partition(&weather, 19000, 30000)); // begins in the other one
    cr_assert(weather_partition(&weather, 10000, 20000));
    put_number(&weather, 8000, 1);
    put_number(&weather, 9000, 2);
    put_number(&weather, 15000, 3);
    cr_assert_eq(take_all(&weather, 29999, &last), 1);
    cr_assert_eq(take_all(&weather, 30000, &last), 1);
    cr_assert_eq(last, 2);
    cr_assert_eq(take_all(&weather, 31000, &last), 1);
    cr_assert_eq(last, 3);
    for (uint32_t i = 2; i < WEATHER_PARTITIONS_MAX; i++) {
        cr_assert(weather_partition(&weather, 40000 + i, 40000 + i));
    }
    cr_assert_not(weather_partition(&weather, 1, 2));
    weather_finish(&weather);
}

Test(weather, so_many_are_under_way_and_no_more)
{
    WeatherOptions options = { .seed = 1, .latency_us = 1000, .duplicate_ppm = WEATHER_PPM, .items_max = 21 };
    Weather        weather;
    uint32_t       last = 0, taken = 0;
    weather_init(&weather, &options, 1);
    for (uint32_t i = 0; i < 30; i++) {
        taken += put_number(&weather, 0, i);
    }
    cr_assert_eq(taken, 11, "each comes twice, and of the last there is place for one");
    cr_assert_eq(weather.full, 19);
    cr_assert_eq(weather.capacity, 21);
    cr_assert_eq(take_all(&weather, 1000, &last), 21);
    cr_assert_eq(put_number(&weather, 1000, 1), 1);
    weather_finish(&weather);

    options = (WeatherOptions){ .seed = 1, .latency_us = 1000000, .items_max = 2, .keeps_order = true };
    const uint8_t *bytes = NULL;
    size_t         size = 0;
    weather_init(&weather, &options, 1);
    cr_assert_eq(put_number(&weather, 0, 1) + put_number(&weather, 0, 2) + put_number(&weather, 0, 3), 2);
    cr_assert(weather_take(&weather, WEATHER_NEVER, &bytes, &size), "the oldest is taken early");
    cr_assert_eq(number_of(bytes), 1);
    cr_assert_eq(put_number(&weather, 0, 3), 1);
    weather_finish(&weather);
}

// Goal: the oracle of all rates: items drawn one by one agree with a plain list sorted by time, through many sizes of the heap.
Test(weather, comes_in_the_order_of_time_then_of_putting)
{
    WeatherOptions options = { .seed = 12, .latency_us = 3, .jitter_us = 5 };
    Weather        weather;
    weather_init(&weather, &options, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(put_number(&weather, i / 100, i), 1);
    }
    uint64_t before_us = 0;
    uint32_t last_of_time = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t       due_us = weather_due_us(&weather);
        const uint8_t *bytes = NULL;
        size_t         size = 0;
        cr_assert_geq(due_us, before_us);
        cr_assert_not(weather_take(&weather, due_us - 1, &bytes, &size));
        cr_assert(weather_take(&weather, due_us, &bytes, &size));
        uint32_t number = number_of(bytes);
        cr_assert(due_us > before_us || number > last_of_time, "of one time, in the order of putting");
        before_us = due_us;
        last_of_time = number;
    }
    weather_finish(&weather);
}
