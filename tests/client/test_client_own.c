// What a client says of its own world: reports, a planted desync, and the state that the server asks for.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fake_server.h"
#include "tickproof/rng.h"

static Message wanted(uint64_t tick)
{
    return (Message){ .type = MESSAGE_WANTED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = tick };
}

Test(client_own, roots_are_reported_as_joined_asks)
{
    Fake fake;
    for (uint16_t every = 0; every < 3; every++) {
        fake_open(&fake, &testworld_flat, 40);
        fake.report = (uint16_t)(every * 5);
        fake_join(&fake, 2);
        for (int i = 0; i < 23; i++) {
            fake_confirm(&fake);
        }
        cr_assert_eq(fake.reports, every == 0 ? 0 : every == 1 ? 5 : 3, "%u", fake.reports);
        if (every > 0) {
            cr_assert_eq(fake.reported.tick, 60);
            cr_assert(fake.reported.room == FAKE_ROOM && fake.reported.epoch == FAKE_EPOCH);
        }
        fake_close(&fake);
    }
}

// Goal: one bit that is changed on purpose is a desync at that very tick, and the state that goes out differs in one field from the server's.
static void check_planted(uint64_t seed)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    cr_assert_not(tp_client_room_plant(fake.room, 39, seed));
    cr_assert(tp_client_room_plant(fake.room, 45, seed));
    for (int i = 0; i < 6; i++) {
        fake_confirm(&fake);
    }
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_DESYNC);
    cr_assert_eq(event->event.tick, 45);
    cr_assert(fake.reports == 1 && fake.reported.tick == 45, "it is reported at once, whatever JOINED asks");
    cr_assert(tp_hash128_equal(fake.reported.body.report.root, event->event.own_root));
    cr_assert_not(tp_hash128_equal(event->event.own_root, event->event.root));

    Message message = wanted(45);
    cr_assert(fake_give(&fake, &message));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_ASKED)->event.tick, 45);
    Message own = fake_sent(&fake, 0, MESSAGE_OWN_STATE);
    cr_assert(own.tick == 45 && tp_hash128_equal(own.body.own_state.root, fake.reported.body.report.root));
    cr_assert(own.body.own_state.input_leaf == tp_sim_input_leaf(fake.sim) && own.body.own_state.event_leaf == tp_sim_event_leaf(fake.sim));
    cr_assert(own.body.own_state.build.size > 7 && memcmp(own.body.own_state.build.text, "test 1,", 7) == 0);
    for (uint64_t now = 0; fake.own_size < fake.own_total && now < 100; now++) {
        tp_client_pulse(fake.client, now * 10);
    }
    uint8_t state[4000], mine[4000];
    size_t  size = ZSTD_decompress(state, sizeof(state), fake.own, fake.own_size);
    size_t  my_size = 0;
    cr_assert_eq(size, own.body.own_state.size);
    cr_assert(tp_sim_encode(fake.sim, mine, sizeof(mine), &my_size) && size == my_size);
    // The server stands at the very tick, so the difference is the bit.
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits += (uint32_t)__builtin_popcount(state[i] ^ mine[i]);
    }
    cr_assert_eq(bits, 1);
    // And a reader takes it: it is the client's root.
    tp_error error;
    cr_assert(tp_sim_decode(fake.sim, state, size, 46, own.body.own_state.input_leaf, own.body.own_state.event_leaf, &error), "%s", error.text);
    cr_assert(tp_hash128_equal(tp_sim_root(fake.sim), own.body.own_state.root));
    fake_close(&fake);
}

Test(client_own, a_planted_bit_is_found_by_tick_and_field)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        check_planted(seed);
    }
}

Test(client_own, not_every_world_can_be_planted)
{
    Fake fake;
    fake_open(&fake, &testworld_opaque, 40);
    fake_join(&fake, 2);
    cr_assert_not(tp_client_room_plant(fake.room, 45, 1));
    fake_close(&fake);
}

// Goal: the state stays as it was at the bad tick, whatever comes; also once another one has come in between.
Test(client_own, the_state_is_frozen_until_it_is_sent)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    tp_client_room_plant(fake.room, 40, 3);
    fake_confirm(&fake);
    fake_confirm(&fake);
    Message message = wanted(40);
    cr_assert(fake_give(&fake, &message));
    cr_assert(fake_give_state(&fake));
    fake_expect(&fake, TP_CLIENT_REWOUND);
    tp_client_pulse(fake.client, 5);
    cr_assert(fake.own_size > 0 && fake.own_size == fake.own_total);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "WANTED of room 7: the state after tick 40 was not said to differ");
    fake_close(&fake);
}

Test(client_own, only_what_was_reported_can_be_wanted)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    fake_confirm(&fake);
    Message message = wanted(40);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "was not said to differ");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    tp_client_room_plant(fake.room, 40, 3);
    fake_confirm(&fake);
    message = wanted(41);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "was not said to differ");
    fake_close(&fake);
}

// Goal: of a world that faulted here alone the state before goes out, with the mark of a fault.
Test(client_own, a_fault_here_sends_the_state_before_it)
{
    Fake       fake;
    uint8_t    row[64];
    TestScript script;
    fake_open(&fake, &testworld_flat, 20);
    fake_join(&fake, 2);
    tp_row     scripted = testworld_row(fake.sim, &script, 20);
    tp_command fault = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
    scripted.commands = &fault;
    scripted.command_count = 1;
    Message message = { .type = MESSAGE_CONFIRMED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = 20 };
    message.body.confirmed.parts = 1;
    message.body.confirmed.size = (uint16_t)tp_row_encode(tp_sim_layout(fake.sim), &scripted, row, sizeof(row));
    message.body.confirmed.bytes = row;
    cr_assert(fake_give(&fake, &message));
    cr_assert(fake.reports == 1 && fake.reported.tick == 20);
    cr_assert(tp_hash128_equal(fake.reported.body.report.root, tp_sim_fault_root(tp_client_room_sim(fake.room))));
    message = wanted(20);
    cr_assert(fake_give(&fake, &message));
    Message own = fake_sent(&fake, 0, MESSAGE_OWN_STATE);
    cr_assert_eq(own.body.own_state.event_leaf, TP_FAULT_LEAF);
    tp_client_pulse(fake.client, 0);
    uint8_t state[4000], mine[4000];
    size_t  my_size = 0;
    cr_assert(tp_sim_encode(fake.sim, mine, sizeof(mine), &my_size));
    cr_assert_eq(ZSTD_decompress(state, sizeof(state), fake.own, fake.own_size), my_size);
    cr_assert_eq(memcmp(state, mine, my_size), 0);
    // And the next state ends it.
    cr_assert(fake_give_state(&fake));
    fake_expect(&fake, TP_CLIENT_REWOUND);
    cr_assert(fake_confirm(&fake));
    fake_expect(&fake, TP_CLIENT_CONFIRMED);
    fake_close(&fake);
}

// The pace. A world that no compressor makes smaller.

#define NOISE_FIELDS(S, F, A, H) A(S, u64, noise, 4096, "bits", TP_ANY)
TP_STRUCT(Noise, NOISE_FIELDS)
TP_TABLE(noise_fields, Noise, NOISE_FIELDS)
static const tp_section noise_sections[] = { TP_SECTION("noise", Noise, noise_fields, NULL, 1, TP_SIM) };

static void noise_init(void *state, tp_context *context)
{
    Noise   *noise = tp_section_at(context, state, 0);
    uint64_t seed = context->setup->seed;
    for (uint32_t i = 0; i < 4096; i++) {
        noise->noise[i] = tp_splitmix64_next(&seed);
    }
}

static tp_step_result noise_step(void *state, const tp_tick *tick, tp_context *context)
{
    Noise *noise = tp_section_at(context, state, 0);
    noise->noise[tick->tick % 4096] += 1;
    return TP_STEP_OK;
}

static tp_world noise_world(void)
{
    return (tp_world){
        .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "noise", .revision = 1, .text = "has no pattern", .tick_rate_hz = 60,
        .players_max = 16, .players_standard = 2, .sections = noise_sections, .section_count = 1, .input = testworld_flat.input,
        .init = noise_init, .step = noise_step,
    };
}

static size_t unsent;

static size_t tell_unsent(void *to)
{
    (void)to;
    return unsent;
}

Test(client_own, a_large_state_goes_out_bit_by_bit)
{
    Fake     fake;
    tp_world world = noise_world();
    fake_open(&fake, &world, 300);
    cr_assert(fake_join(&fake, 2));
    fake_expect(&fake, TP_CLIENT_JOINED);
    tp_client_room_plant(fake.room, 300, 3);
    fake_confirm(&fake);
    Message message = wanted(300);
    cr_assert(fake_give(&fake, &message));
    cr_assert_eq(fake.own_size, 0, "nothing goes out by itself");
    cr_assert_gt(fake.own_total, 32768);
    tp_client_pulse(fake.client, 1000);
    uint32_t first = fake.own_size;
    cr_assert(first > 14000 && first <= 16384);
    tp_client_pulse(fake.client, 1000);
    tp_client_pulse(fake.client, 900);
    cr_assert_eq(fake.own_size, first, "no time has gone by");
    tp_client_pulse(fake.client, 910);
    uint32_t second = fake.own_size - first;
    cr_assert(second > 14000 && second <= 16384 + 2000);
    tp_client_pulse(fake.client, 60000);
    cr_assert_eq(fake.own_size, fake.own_total, "the rest, which is less than may go at once");
    fake_close(&fake);
}

// Goal: while the connection does not take what it has, nothing is added; leaving forgets the rest.
Test(client_own, it_waits_for_the_connection)
{
    Fake     fake;
    tp_error error;
    fake_open(&fake, &testworld_flat, 40);
    tp_client_destroy(fake.client);
    tp_client_options options = fake_options(&fake);
    options.unsent = tell_unsent;
    fake.client = tp_client_create(&options, &error);
    fake_join(&fake, 2);
    tp_client_room_plant(fake.room, 40, 3);
    fake_confirm(&fake);
    Message message = wanted(40);
    fake_give(&fake, &message);
    unsent = 65537;
    tp_client_pulse(fake.client, 10);
    cr_assert_eq(fake.own_size, 0);
    cr_assert(fake_give(&fake, &message), "asked again, it begins again");
    cr_assert_eq(fake.own_size, 0);
    unsent = 0;
    tp_client_pulse(fake.client, 20);
    cr_assert_eq(fake.own_size, fake.own_total);
    fake_give(&fake, &message);
    tp_client_leave(fake.room);
    uint32_t sent = fake.sent_count;
    tp_client_pulse(fake.client, 30);
    cr_assert_eq(fake.sent_count, sent);
    fake_close(&fake);
}
