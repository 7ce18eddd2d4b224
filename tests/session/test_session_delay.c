// test_session_delay.c: X-46. What an input is for is decided when it is given, and never again.
#include <criterion/criterion.h>

#include "noisyworld.h"
#include "session_rig.h"
#include "testworld.h"

static const uint8_t slots[] = { 0 };

static RigClient client_of(const tp_world *world, uint32_t delay)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.window = 60;
    options.delay = delay;
    options.slots = slots;
    options.slot_count = 1;
    return rig_client(world, 2, 3, &options);
}

static tp_session_result give(RigClient *client, uint8_t value)
{
    tp_session_result result;
    rig_give(client, 1, value);
    cr_assert_eq(tp_session_advance(client->session, &result, NULL), TP_SESSION_OK);
    return result;
}

static void expect_given(const RigClient *client, const uint8_t *wanted, uint32_t count)
{
    uint64_t first;
    uint8_t  bytes[128];
    cr_assert_eq(tp_session_unconfirmed(client->session, 0, &first, bytes, 128), count);
    cr_assert_eq(first, 0);
    cr_expect_arr_eq(bytes, wanted, count);
}

Test(session_delay, the_first_ticks_are_neutral)
{
    static const uint8_t wanted[] = { 0, 0, 0, 5, 6 };
    RigClient            client = client_of(&noisyworld, 3);
    cr_expect_eq(give(&client, 5).input_tick, 3);
    give(&client, 6);
    expect_given(&client, wanted, 5);
    rig_close(&client);
}

Test(session_delay, longer_repeats_and_shorter_drops)
{
    static const uint8_t wanted[] = { 1, 2, 2, 2, 3, 4, 7 };
    RigClient            client = client_of(&noisyworld, 0);
    give(&client, 1);
    give(&client, 2);
    cr_expect(tp_session_set_delay(client.session, 2));
    cr_expect_eq(tp_session_delay(client.session), 2);
    cr_expect_eq(give(&client, 3).input_tick, 4); // at tick 2: ticks 2 and 3 repeat
    cr_expect_eq(give(&client, 4).input_tick, 5);
    cr_expect(tp_session_set_delay(client.session, 0));
    cr_expect_not(give(&client, 5).took_inputs, "tick 4 has its input");
    cr_expect_not(give(&client, 6).took_inputs, "and tick 5");
    cr_expect(give(&client, 7).took_inputs);
    expect_given(&client, wanted, 7);
    cr_expect_eq(tp_session_tick(client.session), 7);
    rig_close(&client);
}

// What was given is what is stepped, after every change.
Test(session_delay, the_world_steps_what_was_given)
{
    RigClient client = client_of(&noisyworld, 0);
    tp_sim   *straight = rig_sim(&noisyworld, 2, 3, 0);
    uint64_t  first;
    uint8_t   bytes[128];
    for (uint32_t i = 0; i < 40; i++) {
        cr_assert(tp_session_set_delay(client.session, i * 7 % 11));
        give(&client, (uint8_t)(i % 8));
    }
    uint32_t count = tp_session_unconfirmed(client.session, 0, &first, bytes, 128);
    cr_assert_geq(count, 40);
    for (uint32_t i = 0; i < 40; i++) {
        uint8_t inputs[2] = { bytes[i], 0 };
        (void)rig_decide(straight, inputs, 2, NULL);
    }
    cr_expect(tp_hash128_equal(tp_sim_root(straight), tp_sim_root(client.sim)));
    tp_sim_destroy(straight);
    rig_close(&client);
}

// A press that is repeated to fill a gap is not pressed again where the world says so.
Test(session_delay, a_gap_is_filled_as_the_world_predicts)
{
    RigClient client = client_of(&testworld_flat, 0);
    TestInput press = { .buttons = 1, .stick = 30 };
    uint64_t  first;
    uint8_t   bytes[16];
    cr_assert_eq(tp_session_input(client.session, 0, &press, NULL), TP_SESSION_OK);
    cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    cr_assert(tp_session_set_delay(client.session, 2));
    cr_assert_eq(tp_session_input(client.session, 0, &press, NULL), TP_SESSION_OK);
    cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 8), 4);
    static const uint8_t wanted[] = { 1, 30, 0, 30, 0, 30, 1, 30 };
    cr_expect_arr_eq(bytes, wanted, sizeof(wanted));
    rig_close(&client);
}

Test(session_delay, bounds)
{
    RigClient client = client_of(&noisyworld, 4);
    cr_expect_not(tp_session_set_delay(client.session, TP_SESSION_DELAY_MAX + 1));
    cr_expect_eq(tp_session_delay(client.session), 4);
    cr_expect(tp_session_set_delay(client.session, TP_SESSION_DELAY_MAX));
    rig_close(&client);
}

// Inputs that were given for later ticks outlive a reset forwards; after one back to before them all is new.
Test(session_delay, reset_keeps_what_is_for_later)
{
    RigClient client = client_of(&noisyworld, 5);
    uint8_t   state[1024];
    uint64_t  first;
    uint8_t   bytes[128];
    size_t    size;
    for (uint8_t i = 0; i < 4; i++) {
        give(&client, (uint8_t)(i + 1)); // ticks 5 to 8
    }
    cr_assert(tp_sim_encode(client.sim, state, sizeof(state), &size));
    cr_assert(tp_sim_decode(client.sim, state, size, 6, 0, 0, NULL));
    cr_assert_eq(tp_session_reset(client.session, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 128), 3);
    cr_expect(first == 6 && bytes[0] == 2 && bytes[2] == 4);
    cr_expect_eq(give(&client, 7).input_tick, 11);
    cr_assert(tp_sim_decode(client.sim, state, size, 3, 0, 0, NULL));
    cr_assert_eq(tp_session_reset(client.session, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 128), 0);
    cr_expect_eq(give(&client, 6).input_tick, 8);
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 128), 6);
    cr_expect_eq(first, 3);
    rig_close(&client);
}
