// test_channel.c: channels over every weather: each message comes once, in order and unchanged; memory has its bounds; and the checker that says so finds
// what is planted.
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel_internal.h"
#include "channel_rig.h"

#ifndef CHANNEL_SCHEDULES
#define CHANNEL_SCHEDULES 3000
#endif

static ChannelRig rig;

static const ChannelOptions usual = { .out_max = 262144, .held_max = 256 };

TestSuite(channel, .timeout = 200);

static uint32_t below(uint64_t *dice, uint32_t bound)
{
    return (uint32_t)((tp_splitmix64_next(dice) >> 32) % bound);
}

static ChannelRigTraffic draw_traffic(uint64_t *dice)
{
    switch (below(dice, 4)) {
    case 0: return (ChannelRigTraffic){ .count = below(dice, 200), .size_min = 1, .size_max = 60, .every_us = 16667 };
    case 1: return (ChannelRigTraffic){ .count = below(dice, 300), .size_min = 20, .size_max = 400, .every_us = 1000 + below(dice, 30000) };
    case 2: return (ChannelRigTraffic){ .count = below(dice, 200), .size_min = 1200, .size_max = 1200 };
    default: return (ChannelRigTraffic){ .count = below(dice, 400), .size_min = 1, .size_max = 1200, .every_us = below(dice, 3000) };
    }
}

static WeatherOptions draw_weather(uint64_t *dice)
{
    static const uint32_t losses[] = { 0, 0, 10000, 50000, 100000, 200000, 300000 };
    WeatherOptions        weather = { .seed = tp_splitmix64_next(dice), .latency_us = below(dice, 150000) };
    weather.jitter_us = below(dice, 2) == 0 ? 0 : below(dice, 50000);
    weather.loss_ppm = losses[below(dice, 7)];
    weather.duplicate_ppm = below(dice, 3) == 0 ? below(dice, 200000) : 0;
    weather.reorder_ppm = below(dice, 3) == 0 ? below(dice, 300000) : 0;
    return weather;
}

static void draw_partitions(uint64_t *dice, ChannelRig *drawn)
{
    for (uint32_t i = below(dice, 4) == 0 ? 2 : 0; i > 0; i--) {
        uint64_t from_us = 1000000 + below(dice, 4000000);
        uint64_t to_us = from_us + below(dice, 2000000);
        cr_assert(weather_partition(&drawn->there, from_us, to_us));
        if (below(dice, 2) == 0) {
            cr_assert(weather_partition(&drawn->back, from_us, to_us));
        }
    }
}

// Everything drawn from one number, so that the number alone repeats it.
static void open_drawn(ChannelRig *drawn, uint64_t seed)
{
    uint64_t       dice = seed;
    WeatherOptions weather = draw_weather(&dice);
    ChannelOptions options = { .out_max = below(&dice, 3) == 0 ? 4000 : 65536 + below(&dice, 500000), .held_max = 1u << below(&dice, 11) };
    channel_rig_open(drawn, &weather, &options);
    drawn->client_side.traffic = draw_traffic(&dice);
    drawn->server_side.traffic = draw_traffic(&dice);
    draw_partitions(&dice, drawn);
    // Numbers go round without anybody noticing.
    if (below(&dice, 4) == 0) {
        channel_rig_start_at(drawn, UINT32_MAX - below(&dice, 30));
    }
}

Test(channel, everything_comes_once_in_order_in_any_weather)
{
    uint64_t messages = 0, datagrams = 0, losses = 0;
    for (uint64_t seed = 1; seed <= CHANNEL_SCHEDULES; seed++) {
        open_drawn(&rig, seed);
        cr_assert(channel_rig_run(&rig, UINT64_C(300000000)), "seed %" PRIu64 ": %s", seed, rig.failure);
        messages += rig.client.messages_in + rig.server.messages_in;
        datagrams += rig.client.datagrams_out + rig.server.datagrams_out;
        losses += rig.client.losses + rig.server.losses;
        if (rig.client.own_id == rig.first_id) { // else datagrams for an earlier one still came
            cr_assert_eq(rig.client.malformed + rig.server.malformed, 0, "seed %" PRIu64, seed);
        }
        channel_rig_close(&rig);
    }
    printf("channel: %d schedules, %" PRIu64 " messages in %" PRIu64 " datagrams, %" PRIu64 " messages found lost\n", CHANNEL_SCHEDULES, messages, datagrams, losses);
    cr_assert_gt(losses, CHANNEL_SCHEDULES, "hardly anything got lost: the weather is too good to test anything");
}

// Goal: the checker is one. Each planted fault is found within a few schedules.
static void expect_found(ChannelRigPlant plant)
{
    uint32_t found = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        open_drawn(&rig, seed);
        rig.plant = plant;
        rig.client_side.traffic = (ChannelRigTraffic){ .count = 100, .size_min = 300, .size_max = 1000, .every_us = 5000 };
        found += channel_rig_run(&rig, UINT64_C(60000000)) ? 0 : 1;
        channel_rig_close(&rig);
    }
    printf("channel: plant %d found in %u of 40 schedules\n", (int)plant, found);
    cr_assert_gt(found, 10);
}

Test(channel, a_false_acknowledgement_is_found)
{
    expect_found(CHANNEL_RIG_FALSE_ACK);
}

Test(channel, a_channel_that_sends_nothing_again_is_found)
{
    expect_found(CHANNEL_RIG_NO_RESENDING);
}

Test(channel, a_changed_bit_is_found)
{
    expect_found(CHANNEL_RIG_BIT);
}

static int compare_u32(const void *left, const void *right)
{
    uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    return one < other ? -1 : one > other;
}

// Goal: at 60 a second a lost datagram costs the time to the next one, not a round trip.
static void measure_play(uint32_t loss_ppm, uint32_t p99_most_us)
{
    enum { COUNT = 3000, LATENCY_US = 40000 };
    WeatherOptions weather = { .seed = 7, .latency_us = LATENCY_US, .jitter_us = 2000, .loss_ppm = loss_ppm };
    channel_rig_open(&rig, &weather, &usual);
    rig.client_side.traffic = (ChannelRigTraffic){ .count = COUNT, .size_min = 27, .size_max = 40, .every_us = 16667 };
    rig.server_side.traffic = (ChannelRigTraffic){ .count = COUNT, .size_min = 52, .size_max = 90, .every_us = 16667 };
    cr_assert(channel_rig_run(&rig, UINT64_C(120000000)), "%s", rig.failure);
    uint32_t *delay_us = rig.client_side.delay_us;
    qsort(delay_us, COUNT, sizeof(*delay_us), compare_u32);
    printf("channel: 60 Hz, 40 ms one way, loss %2u %%: p50 %5.1f ms, p99 %5.1f ms, most %5.1f ms; %3" PRIu64 " bytes a datagram, %.2f datagrams a tick\n", loss_ppm / 10000,
           delay_us[COUNT / 2] / 1000.0, delay_us[COUNT * 99 / 100] / 1000.0, delay_us[COUNT - 1] / 1000.0, rig.bytes_back / rig.server.datagrams_out,
           (double)rig.server.datagrams_out / COUNT);
    cr_assert_leq(delay_us[COUNT / 2], LATENCY_US + 3000);
    cr_assert_leq(delay_us[COUNT * 99 / 100], p99_most_us);
    channel_rig_close(&rig);
}

Test(channel, a_loss_in_play_costs_no_round_trip)
{
    measure_play(0, 43000);
    measure_play(10000, 62000);
    measure_play(50000, 80000);
    measure_play(200000, 130000);
    measure_play(300000, 160000);
}

static uint64_t bulk_per_second(uint32_t latency_us, uint32_t loss_ppm)
{
    WeatherOptions weather = { .seed = 11, .latency_us = latency_us, .jitter_us = latency_us / 20, .loss_ppm = loss_ppm };
    ChannelOptions options = { .out_max = 4000000, .held_max = 1024 };
    channel_rig_open(&rig, &weather, &options);
    rig.server_side.traffic = (ChannelRigTraffic){ .count = 3000, .size_min = 1200, .size_max = 1200 };
    cr_assert(channel_rig_run(&rig, UINT64_C(900000000)), "%s", rig.failure);
    uint64_t took_us = rig.client_side.last_us - rig.client_side.first_us;
    uint64_t rate = UINT64_C(3000) * 1200 * 1000000 / (took_us > 0 ? took_us : 1);
    printf("channel: bulk, %3u ms one way, loss %2u %%: %6" PRIu64 " KiB/s, %.3f of what was sent\n", latency_us / 1000, loss_ppm / 10000, rate / 1024,
           3000.0 * 1200 / (double)rig.bytes_back);
    channel_rig_close(&rig);
    return rate;
}

Test(channel, bulk_fills_the_line_and_survives_losses)
{
    cr_assert_gt(bulk_per_second(1000, 0), 10000000);
    cr_assert_gt(bulk_per_second(20000, 0), 5000000);
    cr_assert_gt(bulk_per_second(20000, 10000), 200000);
    cr_assert_gt(bulk_per_second(50000, 0), 2000000);
    cr_assert_gt(bulk_per_second(50000, 50000), 50000);
    cr_assert_gt(bulk_per_second(50000, 300000), 20000);
}

static void run_until_over(ChannelRig *closing, uint64_t most_us)
{
    uint64_t until_us = closing->now_us + most_us;
    while ((closing->client.state != CHANNEL_OVER || closing->server.state != CHANNEL_OVER) && closing->now_us < until_us) {
        channel_rig_step(closing, until_us);
    }
    channel_rig_pump(closing);
}

// Goal: whoever closes, what he said before comes, the other side knows soon, and nobody waits longer than he should.
Test(channel, an_orderly_end_delivers_what_was_said)
{
    uint32_t heard = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        WeatherOptions weather = { .seed = seed, .latency_us = 10000, .jitter_us = 3000, .loss_ppm = (uint32_t)(seed % 4) * 50000 };
        channel_rig_open(&rig, &weather, &usual);
        rig.client_side.traffic = (ChannelRigTraffic){ .count = 20, .size_min = 10, .size_max = 700 };
        rig.server_side.traffic = (ChannelRigTraffic){ .count = 20, .size_min = 10, .size_max = 700 };
        while (!rig.has_server || rig.server_side.sent < 20) {
            channel_rig_step(&rig, UINT64_MAX);
        }
        Channel *closer = seed % 2 == 0 ? &rig.client : &rig.server;
        Channel *other = seed % 2 == 0 ? &rig.server : &rig.client;
        channel_close(closer, false, rig.now_us);
        channel_close(closer, true, rig.now_us); // again is fine
        run_until_over(&rig, CHANNEL_CLOSE_US + 100000);
        cr_assert_eq(closer->state, CHANNEL_OVER, "seed %" PRIu64, seed);
        cr_assert_eq(closer->end, CHANNEL_CLOSED);
        bool has_heard = other->state == CHANNEL_OVER && other->end == CHANNEL_GONE;
        heard += has_heard ? 1 : 0;
        cr_assert(!has_heard || (seed % 2 == 0 ? rig.server_side.got : rig.client_side.got) == 20, "seed %" PRIu64 ": it ended before all had come", seed);
        cr_assert_str_eq(rig.failure, "");
        channel_rig_close(&rig);
    }
    cr_assert_gt(heard, 270, "only %u of 300 heard of the end", heard);
}

Test(channel, a_cut_throws_away_what_waits)
{
    WeatherOptions weather = { .seed = 3, .latency_us = 10000 };
    channel_rig_open(&rig, &weather, &usual);
    rig.server_side.traffic = (ChannelRigTraffic){ .count = 150, .size_min = 1200, .size_max = 1200 };
    while (!rig.has_server || rig.server_side.sent < 150) {
        channel_rig_step(&rig, UINT64_MAX);
    }
    channel_close(&rig.server, true, rig.now_us);
    cr_assert_eq(rig.server.waiting, 0);
    run_until_over(&rig, CHANNEL_CLOSE_US);
    cr_assert_eq(rig.client.state, CHANNEL_OVER);
    cr_assert_eq(rig.client.end, CHANNEL_CUT);
    cr_assert_lt(rig.client_side.got, 150);
    channel_rig_close(&rig);
}

Test(channel, who_closes_before_it_stands_is_over_at_once)
{
    WeatherOptions weather = { .seed = 3, .latency_us = 10000 };
    channel_rig_open(&rig, &weather, &usual);
    channel_close(&rig.client, false, rig.now_us);
    cr_assert_eq(rig.client.state, CHANNEL_OVER);
    cr_assert_eq(channel_due_us(&rig.client, rig.now_us), CHANNEL_NEVER);
    channel_rig_close(&rig);
}

// Goal: a server that was started anew says so, and the client does not wait for what will never come.
Test(channel, a_server_that_knows_nothing_of_it_says_so)
{
    WeatherOptions weather = { .seed = 5, .latency_us = 5000 };
    channel_rig_open(&rig, &weather, &usual);
    rig.client_side.traffic = (ChannelRigTraffic){ .count = 10, .size_min = 10, .size_max = 10, .every_us = 20000 };
    while (rig.server_side.got < 5) {
        channel_rig_step(&rig, UINT64_MAX);
    }
    rig.has_server = false;
    uint64_t before_us = rig.now_us;
    while (rig.client.state != CHANNEL_OVER) {
        channel_rig_step(&rig, UINT64_MAX);
    }
    cr_assert_eq(rig.client.end, CHANNEL_CUT);
    cr_assert_lt(rig.now_us - before_us, 100000);
    channel_rig_close(&rig);
}

// Goal: one that asks long enough that its cookie gets too old asks for another one, and everything comes.
Test(channel, a_cookie_that_got_too_old_is_asked_for_anew)
{
    WeatherOptions weather = { .seed = 5, .latency_us = 5000 };
    channel_rig_open(&rig, &weather, &usual);
    rig.client_side.traffic = (ChannelRigTraffic){ .count = 30, .size_min = 10, .size_max = 500 };
    uint64_t id = rig.client.own_id;
    while (rig.client.state != CHANNEL_GREETING) {
        channel_rig_step(&rig, UINT64_MAX);
    }
    cr_assert(channel_door_init(&rig.door)); // as after a restart: another key
    cr_assert(channel_rig_run(&rig, UINT64_C(20000000)), "%s", rig.failure);
    cr_assert_neq(rig.client.own_id, id);
    channel_rig_close(&rig);
}

static void nobody_hears(void *to, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    *(uint32_t *)to += 1;
}

// Goal: whoever does not have the connection's id reaches nothing, and what is malformed changes nothing.
Test(channel, strangers_and_damage_change_nothing)
{
    WeatherOptions weather = { .seed = 9, .latency_us = 5000 };
    uint32_t       heard = 0;
    uint64_t       dice = 1;
    channel_rig_open(&rig, &weather, &usual);
    rig.client_side.traffic = rig.server_side.traffic = (ChannelRigTraffic){ .count = 400, .size_min = 10, .size_max = 500, .every_us = 3000 };
    while (rig.server_side.got < 50) {
        channel_rig_step(&rig, UINT64_MAX);
    }
    uint8_t good[CHANNEL_DATAGRAM_MAX], bytes[CHANNEL_DATAGRAM_MAX];
    ChannelDatagram datagram = { .kind = CHANNEL_FIN, .id = rig.server.own_id, .number = rig.client.number + 1, .seen = rig.client.seen,
                                 .next = rig.client.next, .fin_end = rig.client.end_number, .fin_cuts = true };
    size_t size = channel_wire_head(good, &datagram);
    for (uint32_t i = 0; i < 64; i++) {
        memcpy(bytes, good, size);
        bytes[1 + i / 8] ^= (uint8_t)(1 << i % 8);
        cr_assert_not(channel_receive(&rig.server, rig.now_us, bytes, size, nobody_hears, &heard), "bit %u of the id", i);
    }
    for (size_t cut = 0; cut < size; cut++) {
        cr_assert_not(channel_receive(&rig.server, rig.now_us, good, cut, nobody_hears, &heard));
    }
    for (uint32_t i = 0; i < 20000; i++) {
        size_t length = below(&dice, CHANNEL_DATAGRAM_MAX);
        for (size_t at = 0; at < length; at++) {
            bytes[at] = (uint8_t)tp_splitmix64_next(&dice);
        }
        channel_receive(&rig.server, rig.now_us, bytes, length, nobody_hears, &heard);
        channel_receive(&rig.client, rig.now_us, bytes, length, nobody_hears, &heard);
    }
    // Acknowledges what was never sent.
    datagram.kind = CHANNEL_DATA;
    datagram.next = rig.server.fresh + 1;
    cr_assert_not(channel_receive(&rig.server, rig.now_us, bytes, channel_wire_head(bytes, &datagram), nobody_hears, &heard));
    datagram.next = rig.client.next;
    datagram.seen = rig.server.number + 1;
    cr_assert_not(channel_receive(&rig.server, rig.now_us, bytes, channel_wire_head(bytes, &datagram), nobody_hears, &heard));
    cr_assert_eq(heard, 0);
    cr_assert_gt(rig.server.malformed, 20000);
    cr_assert(channel_rig_run(&rig, UINT64_C(60000000)), "%s", rig.failure);
    cr_assert(channel_receive(&rig.server, rig.now_us, good, size, nobody_hears, &heard), "the same with the right id ends it");
    cr_assert_eq(rig.server.state, CHANNEL_OVER);
    channel_rig_close(&rig);
}

// Goal: messages that come long before their turn have a bound, and then no place; none of it is acknowledged, so none is lost.
Test(channel, what_comes_too_early_is_bounded)
{
    Channel        channel;
    ChannelOptions options = { .out_max = 4096, .held_max = 8 };
    uint32_t       heard = 0;
    channel_init_server(&channel, 1, 2, &options, 0);
    for (uint32_t number = 1; number < 2000; number++) {
        uint8_t         bytes[64];
        ChannelDatagram datagram = { .kind = CHANNEL_DATA, .id = 2, .number = number };
        size_t          size = channel_wire_head(bytes, &datagram);
        const uint8_t   run[] = { (uint8_t)number, (uint8_t)(number >> 8), 0, 0, 1, 1, 0, 77 };
        memcpy(bytes + size, run, sizeof(run));
        cr_assert(channel_receive(&channel, number, bytes, size + sizeof(run), nobody_hears, &heard));
        cr_assert_leq(channel.held_capacity, 8);
    }
    cr_assert_eq(channel.held_count, 7);
    cr_assert_eq(heard, 0);
    uint8_t         out[CHANNEL_DATAGRAM_MAX];
    ChannelDatagram answer;
    cr_assert(channel_wire_read(out, channel_next(&channel, 3000, out), &answer));
    cr_assert_eq(answer.next, 0);
    cr_assert_eq(answer.mask_size, 1);
    cr_assert_eq(answer.mask[0], 0x7F);
    channel_trim(&channel, 0);
    cr_assert_eq(channel.held_count, 7, "what lies there stays");
    channel_finish(&channel);
}

Test(channel, a_full_queue_says_so_and_keeps_what_it_has)
{
    Channel        channel;
    ChannelOptions options = { .out_max = 3000, .held_max = 8 };
    uint8_t        bytes[CHANNEL_MESSAGE_MAX] = { 0 };
    channel_init_server(&channel, 1, 2, &options, 0);
    cr_assert_eq(channel_send(&channel, bytes, 1200), CHANNEL_SENT);
    cr_assert_eq(channel_send(&channel, bytes, 1200), CHANNEL_SENT);
    cr_assert_eq(channel_send(&channel, bytes, 1200), CHANNEL_FULL);
    cr_assert_eq(channel.waiting, 2 * (1200 + CHANNEL_MESSAGE_COST));
    cr_assert_eq(channel_send(&channel, bytes, 500), CHANNEL_SENT);
    channel_finish(&channel);
}

// Goal: once everything has its size, nothing is taken from the heap any more; and a quiet channel gives it back.
Test(channel, memory_stays_where_it_is_and_is_given_back)
{
    WeatherOptions weather = { .seed = 9, .latency_us = 20000, .jitter_us = 10000, .loss_ppm = 100000 };
    channel_rig_open(&rig, &weather, &usual);
    rig.client_side.traffic = rig.server_side.traffic = (ChannelRigTraffic){ .count = 2000, .size_min = 100, .size_max = 300, .every_us = 5000 };
    while (rig.client_side.got < 1000) {
        channel_rig_step(&rig, UINT64_MAX);
    }
    cr_assert_leq(rig.server.ring_capacity, 65536);
    cr_assert_leq(rig.server.entry_capacity, 512);
    cr_assert(channel_rig_run(&rig, UINT64_C(60000000)), "%s", rig.failure);
    channel_trim(&rig.server, 1);
    cr_assert_eq(rig.server.ring_capacity + rig.server.entry_capacity + rig.server.held_capacity, 0);
    rig.server_side.traffic.count += 50;
    rig.client_side.traffic.count += 50;
    cr_assert(channel_rig_run(&rig, UINT64_C(60000000)), "%s", rig.failure);
    channel_rig_close(&rig);
}

// The door.

static ChannelKnock knock(ChannelDoor *door, uint64_t now_us, const char *address, const uint8_t *bytes, size_t size, uint64_t *cookie, size_t *answer_size)
{
    uint8_t  answer[CHANNEL_DATAGRAM_MAX];
    uint64_t client_id = 0;
    *answer_size = 0;
    ChannelKnock   knocked = channel_door_knock(door, now_us, (const uint8_t *)address, strlen(address), bytes, size, &client_id, cookie, answer, answer_size);
    ChannelDatagram datagram;
    if (knocked == CHANNEL_KNOCK_ANSWER) {
        cr_assert(channel_wire_read(answer, *answer_size, &datagram));
        *cookie = datagram.cookie;
    }
    return knocked;
}

// Goal: a forged address costs the server nothing, and brings its owner less than was sent.
Test(channel, the_door_keeps_nothing_and_answers_with_less)
{
    ChannelDoor door, before;
    uint8_t     bytes[CHANNEL_DATAGRAM_MAX];
    uint64_t    cookie = 0, other = 0;
    size_t      answer_size = 0;
    cr_assert(channel_door_init(&door));
    before = door;
    size_t size = channel_wire_open(bytes, 77, 0);
    cr_assert_eq(size, CHANNEL_OPEN_SIZE);
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(knock(&door, i, "here", bytes, size, &cookie, &answer_size), CHANNEL_KNOCK_ANSWER);
        cr_assert_lt(answer_size, size);
    }
    cr_assert_eq(memcmp(&door, &before, sizeof(door)), 0, "it keeps nothing");
    cr_assert_eq(knock(&door, 0, "here", bytes, size - 1, &cookie, &answer_size), CHANNEL_KNOCK_NOTHING, "an OPEN that is too short gets no answer");
    bytes[100] = 1;
    cr_assert_eq(knock(&door, 0, "here", bytes, size, &cookie, &answer_size), CHANNEL_KNOCK_NOTHING);

    size = channel_wire_open(bytes, 77, cookie);
    cr_assert_eq(knock(&door, 0, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_OPEN);
    cr_assert_eq(other, cookie);
    cr_assert_eq(knock(&door, 0, "there", bytes, size, &other, &answer_size), CHANNEL_KNOCK_NOTHING, "another address");
    cr_assert_eq(knock(&door, CHANNEL_DOOR_US, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_OPEN, "the next window");
    cr_assert_eq(knock(&door, 2 * (uint64_t)CHANNEL_DOOR_US, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_NOTHING, "too old");
    size = channel_wire_open(bytes, 78, cookie);
    cr_assert_eq(knock(&door, 0, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_NOTHING, "another client");
    size = channel_wire_open(bytes, 77, cookie ^ 1);
    cr_assert_eq(knock(&door, 0, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_NOTHING, "made up");
}

// Goal: an OPEN that was under way when its connection ended does not begin it again.
Test(channel, the_door_remembers_what_has_ended)
{
    ChannelDoor door;
    uint8_t     bytes[CHANNEL_DATAGRAM_MAX];
    uint64_t    cookie = 0, other = 0;
    size_t      answer_size = 0;
    cr_assert(channel_door_init(&door));
    size_t size = channel_wire_open(bytes, 77, 0);
    knock(&door, 0, "here", bytes, size, &cookie, &answer_size);
    channel_door_note_old(&door, cookie);
    size = channel_wire_open(bytes, 77, cookie);
    cr_assert_eq(knock(&door, 0, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_NOTHING);
    for (uint64_t i = 1; i <= CHANNEL_DOOR_OLD_KEPT; i++) {
        channel_door_note_old(&door, i + (i == cookie ? 1000 : 0));
    }
    cr_assert_eq(knock(&door, 0, "here", bytes, size, &other, &answer_size), CHANNEL_KNOCK_OPEN, "it remembers so many and no more");
}

// Wire: what is written is read, and each byte of a head matters or is refused.
Test(channel, datagrams_read_as_they_were_written)
{
    uint8_t         bytes[CHANNEL_DATAGRAM_MAX];
    const uint8_t   mask[] = { 0x01, 0x00, 0x80 };
    ChannelDatagram got, datagram = { .kind = CHANNEL_FIN, .id = UINT64_C(0x1122334455667788), .number = 9, .seen = 8, .delay = 7, .next = 6, .mask = mask, .mask_size = 3,
                                      .fin_end = 5 };
    size_t size = channel_wire_head(bytes, &datagram);
    cr_assert_eq(size, CHANNEL_HEAD_SIZE + 3 + CHANNEL_FIN_SIZE);
    cr_assert(channel_wire_read(bytes, size, &got));
    cr_assert_eq(got.id, datagram.id);
    cr_assert_eq(got.number, 9);
    cr_assert_eq(got.seen, 8);
    cr_assert_eq(got.delay, 7);
    cr_assert_eq(got.next, 6);
    cr_assert_eq(got.mask_size, 3);
    cr_assert_eq(memcmp(got.mask, mask, 3), 0);
    cr_assert_eq(got.fin_end, 5);
    cr_assert_not(got.fin_cuts);
    cr_assert_not(got.is_cut);
    bytes[CHANNEL_HEAD_SIZE + 2] = 0;
    cr_assert_not(channel_wire_read(bytes, size, &got), "a mask ends with something, or is cut");
    bytes[CHANNEL_HEAD_SIZE + 2] = 1;
    bytes[size - 1] = 2;
    cr_assert_not(channel_wire_read(bytes, size, &got));
    const struct { uint8_t run[10]; size_t size; bool is_good; } runs[] = {
        { { 1, 0, 0, 0, 1, 1, 0, 9 }, 8, true },        { { 1, 0, 0, 0, 0, 1, 0, 9 }, 8, false }, { { 1, 0, 0, 0, 1, 0, 0, 9 }, 8, false },
        { { 1, 0, 0, 0, 1, 2, 0, 9 }, 8, false },       { { 1, 0, 0, 0, 2, 1, 0, 9 }, 8, false }, { { 1, 0, 0, 0, 1, 1, 0, 9, 0 }, 9, false },
        { { 1, 0, 0, 0, 1, 0xB1, 0x04, 9 }, 8, false }, { { 1, 0, 0, 0 }, 4, false },             { { 0 }, 0, true },
    };
    datagram.kind = CHANNEL_DATA;
    size = channel_wire_head(bytes, &datagram);
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        memcpy(bytes + size, runs[i].run, runs[i].size);
        cr_assert_eq(channel_wire_read(bytes, size + runs[i].size, &got), runs[i].is_good, "run %zu", i);
    }
}

static void ignore_message(void *to, const uint8_t *bytes, size_t size)
{
    (void)to;
    (void)bytes;
    (void)size;
}

// Goal: what is not acknowledged goes along again with each new message, the oldest first, all of it up to 16 and never more.
Test(channel, every_datagram_has_what_is_unacknowledged_up_to_a_cap)
{
    ChannelOptions options = { .out_max = 65536, .held_max = 64 };
    uint8_t        bytes[CHANNEL_DATAGRAM_MAX], word[4] = { 0 };
    Channel        channel;
    channel_init_server(&channel, 5, 6, &options, 1000000);
    ChannelDatagram hello = { .kind = CHANNEL_DATA, .id = 6, .number = 1 };
    channel_receive(&channel, 1000000, bytes, channel_wire_head(bytes, &hello), ignore_message, NULL);
    for (uint32_t i = 0; i < 40; i++) {
        ChannelDatagram datagram = { .kind = CHANNEL_OPEN };
        uint32_t        number = 0, wanted = 0;
        const uint8_t  *message = NULL;
        uint16_t        message_size = 0;
        cr_assert_eq(channel_send(&channel, word, sizeof(word)), CHANNEL_SENT);
        size_t size = channel_next(&channel, 1000000 + i * 1000, bytes);
        cr_assert(channel_wire_read(bytes, size, &datagram));
        cr_assert_eq(datagram.message_count, (i < CHANNEL_COPIES ? i : CHANNEL_COPIES) + 1, "datagram %u", i);
        ChannelRuns runs = channel_wire_runs(&datagram);
        while (channel_wire_next(&runs, &number, &message, &message_size)) {
            cr_assert_eq(number, wanted < CHANNEL_COPIES && wanted < i ? wanted : i);
            wanted += 1;
        }
    }
    channel_finish(&channel);
}
