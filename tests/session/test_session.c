// test_session.c: the contract of each call, errors first: whatever is refused leaves the world as it was.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "noisyworld.h"
#include "session_rig.h"
#include "testworld.h"

static const uint8_t slots[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static tp_session_options options_of(uint32_t window, uint32_t slot_count)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.window = window;
    options.slots = slots;
    options.slot_count = slot_count;
    return options;
}

static void expect_refused(const tp_session_options *options, uint32_t ring, const char *text)
{
    tp_sim  *sim = rig_sim(&noisyworld, 4, 1, ring);
    tp_error error = { "" };
    cr_expect_null(tp_session_create(sim, options, &error));
    cr_expect_not_null(strstr(error.text, text), "'%s' is not in '%s'", text, error.text);
    tp_sim_destroy(sim);
}

Test(session, standard_options)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    cr_expect_eq(options.window, 8);
    cr_expect_eq(options.delay, 0);
    cr_expect_eq(options.slot_count, 0);
    cr_expect_eq(tp_session_ring(8), 9);
    cr_expect_eq(tp_session_ring(0), 0);
    cr_expect_str_eq(tp_session_status_name(TP_SESSION_BROKEN), "broken");
    cr_expect_str_eq(tp_session_status_name((tp_session_status)99), "unknown status");
}

Test(session, create_names_what_is_wrong)
{
    static const uint8_t twice[] = { 1, 1 };
    tp_session_options   options = options_of(TP_SESSION_WINDOW_MAX + 1, 1);
    expect_refused(&options, 200, "a window of 121 ticks: at most 120");
    options = options_of(8, 1);
    expect_refused(&options, 8, "needs a sim with a ring of 9 snapshots, this one has 8");
    options.delay = TP_SESSION_DELAY_MAX + 1;
    expect_refused(&options, 9, "a delay of 61 ticks: at most 60");
    options = options_of(8, 5);
    expect_refused(&options, 9, "5 slots in a world of 4");
    options = options_of(8, 2);
    options.slots = twice;
    expect_refused(&options, 9, "slot 1 after slot 1");
    options.slots = slots + 3;
    expect_refused(&options, 9, "slot 4: the world has 4");
    options.slots = NULL;
    expect_refused(&options, 9, "slots is NULL");
    options = options_of(0, 0);
    options.catch_up = 0;
    expect_refused(&options, 0, "catch_up is 0");
    options = options_of(0, 0);
    options.is_local = true;
    expect_refused(&options, 0, "a local session without players");
}

Test(session, a_window_at_its_bound)
{
    tp_session_options options = options_of(TP_SESSION_WINDOW_MAX, 4);
    options.delay = TP_SESSION_DELAY_MAX;
    RigClient         client = rig_client(&noisyworld, 4, 1, &options);
    tp_session_result result;
    for (uint32_t i = 0; i < TP_SESSION_WINDOW_MAX + 10; i++) {
        rig_give(&client, 4, 1);
        cr_assert_eq(tp_session_advance(client.session, &result, NULL), TP_SESSION_OK);
        cr_assert_eq(result.stalled, i >= TP_SESSION_WINDOW_MAX);
    }
    uint64_t first;
    uint8_t  bytes[400];
    // The last advance that took inputs stood at tick 120: they are those of tick 180.
    cr_expect_eq(tp_session_unconfirmed(client.session, 3, &first, bytes, 400), TP_SESSION_WINDOW_MAX + TP_SESSION_DELAY_MAX + 1);
    cr_expect_eq(first, 0);
    cr_expect_eq(tp_session_unconfirmed(client.session, 4, &first, bytes, 400), 0, "an unknown handle has nothing to send");
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 7), 7);
    rig_close(&client);
}

// 003-44: missing input, unknown handle: an error, and the same state.
Test(session, errors_leave_the_world_untouched)
{
    tp_session_options options = options_of(8, 2);
    RigClient          client = rig_client(&noisyworld, 4, 1, &options);
    tp_session_result  result;
    tp_error           error;
    NoisyInput         input = { .bits = 3 };
    rig_give(&client, 2, 2);
    cr_assert_eq(tp_session_advance(client.session, &result, &error), TP_SESSION_OK);
    tp_hash128 root = tp_sim_root(client.sim);
    cr_expect_eq(tp_session_input(client.session, 2, &input, &error), TP_SESSION_REFUSED);
    cr_expect_str_eq(error.text, "handle 2: this session has 2, numbered from 0");
    cr_expect_eq(tp_session_input(client.session, 1, &input, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_advance(client.session, &result, &error), TP_SESSION_REFUSED);
    cr_expect_str_eq(error.text, "handle 0 has no input for this advance: give one by tp_session_input");
    cr_expect_eq(result.frames, 0);
    cr_expect(tp_hash128_equal(root, tp_sim_root(client.sim)));
    // What was given before the error stays given.
    cr_expect_eq(tp_session_input(client.session, 0, &input, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_advance(client.session, &result, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_tick(client.session), 2);
    rig_close(&client);
}

Test(session, the_last_input_given_counts)
{
    tp_session_options options = options_of(8, 1);
    RigClient          client = rig_client(&noisyworld, 2, 1, &options);
    uint64_t           first;
    uint8_t            byte;
    rig_give(&client, 1, 2);
    rig_give(&client, 1, 5);
    cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, &byte, 1), 1);
    cr_expect_eq(byte, 5);
    rig_close(&client);
}

Test(session, inputs_are_brought_into_range)
{
    tp_session_options options = options_of(8, 1);
    RigClient          client = rig_client(&testworld_flat, 2, 1, &options);
    TestInput          input = { .buttons = 200, .stick = -128 };
    uint64_t           first;
    uint8_t            bytes[2];
    cr_assert_eq(tp_session_input(client.session, 0, &input, NULL), TP_SESSION_OK);
    cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 1), 1);
    cr_expect_eq(bytes[0], 7);
    cr_expect_eq((int8_t)bytes[1], -127);
    rig_close(&client);
}

static void expect_confirm(RigClient *client, const RigRow *row, size_t size, tp_session_status status, const char *text)
{
    tp_error error = { "" };
    cr_expect_eq(tp_session_confirm(client->session, row->tick, row->bytes, size, &row->root, &error), status);
    cr_expect_not_null(strstr(error.text, text), "'%s' is not in '%s'", text, error.text);
}

Test(session, confirm_takes_rows_in_order)
{
    tp_session_options options = options_of(8, 1);
    RigClient          client = rig_client(&noisyworld, 3, 1, &options);
    tp_sim            *authority = rig_sim(&noisyworld, 3, 1, 0);
    static const uint8_t inputs[3] = { 1, 2, 3 };
    tp_command hush = { .source = TP_SOURCE_HOST, .type = 0, .size = 5, .data = "quiet" };
    RigRow     first = rig_decide(authority, inputs, 0, &hush);
    RigRow     second = rig_decide(authority, inputs, 0, NULL);
    expect_confirm(&client, &second, second.size, TP_SESSION_REFUSED, "tick 1 was confirmed, but not yet tick 0");
    expect_confirm(&client, &first, 4, TP_SESSION_REFUSED, "tick 0: a row of 4 bytes: at least 7");
    for (size_t size = 7; size < first.size; size++) {
        expect_confirm(&client, &first, size, TP_SESSION_REFUSED, "does not fit 3 slots");
    }
    expect_confirm(&client, &first, first.size + 1, TP_SESSION_REFUSED, "does not fit 3 slots");
    RigRow wrong = first;
    wrong.bytes[0] |= 8;
    expect_confirm(&client, &wrong, wrong.size, TP_SESSION_REFUSED, "presence has bits past slot 2");
    wrong = first;
    wrong.bytes[first.size - 14] = 2; // the high half of the count
    expect_confirm(&client, &wrong, wrong.size, TP_SESSION_REFUSED, "commands in one tick, the limit is");
    expect_confirm(&client, &first, first.size, TP_SESSION_OK, "");
    expect_confirm(&client, &first, first.size, TP_SESSION_OK, ""); // came already
    cr_expect_eq(tp_session_waiting(client.session), 1);
    expect_confirm(&client, &second, second.size, TP_SESSION_OK, "");
    cr_expect_eq(tp_session_settle(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_confirmed_tick(client.session), 2);
    cr_expect_eq(tp_session_tick(client.session), 2, "the present goes where what is confirmed leads");
    expect_confirm(&client, &second, second.size, TP_SESSION_OK, "");
    tp_sim_destroy(authority);
    rig_close(&client);
}

Test(session, confirm_holds_so_many_ticks)
{
    tp_session_options options = options_of(8, 1);
    RigClient          client = rig_client(&noisyworld, 3, 1, &options);
    tp_sim            *authority = rig_sim(&noisyworld, 3, 1, 0);
    static const uint8_t inputs[3] = { 1, 0, 1 };
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < TP_SESSION_CONFIRMED_MAX; i++) {
            RigRow row = rig_decide(authority, inputs, 0, NULL);
            cr_assert_eq(rig_confirm(&client, &row), TP_SESSION_OK);
        }
        RigRow more = rig_decide(authority, inputs, 0, NULL);
        expect_confirm(&client, &more, more.size, TP_SESSION_REFUSED, "1024 confirmed ticks wait already: advance or settle first");
        cr_expect_eq(tp_session_settle(client.session, NULL, NULL), TP_SESSION_OK);
        cr_expect_eq(rig_confirm(&client, &more), TP_SESSION_OK);
        cr_expect_eq(tp_session_settle(client.session, NULL, NULL), TP_SESSION_OK);
    }
    cr_expect_eq(tp_session_confirmed_tick(client.session), 3 * (TP_SESSION_CONFIRMED_MAX + 1));
    // Roots of the last ticks are known, older ones are not.
    tp_hash128 root;
    uint64_t   end = tp_session_confirmed_tick(client.session);
    cr_expect(tp_session_root(client.session, end - TP_SESSION_ROOTS, &root));
    cr_expect_not(tp_session_root(client.session, end - TP_SESSION_ROOTS - 1, &root));
    cr_expect_not(tp_session_root(client.session, end, &root));
    cr_expect_not(tp_session_root(client.session, UINT64_MAX, &root));
    tp_sim_destroy(authority);
    rig_close(&client);
}

// Rows full of commands: some fit, the next is refused by name, and all that were taken come out whole, whatever the order of sizes.
Test(session, confirm_holds_so_many_bytes)
{
    enum { FULL_COMMANDS = 126, FULL_SIZE = 512 };
    tp_session_options options = options_of(8, 1);
    RigClient          client = rig_client(&noisyworld, 3, 1, &options);
    tp_sim            *authority = rig_sim(&noisyworld, 3, 1, 0);
    static uint8_t     text[FULL_SIZE];
    static uint8_t     bytes[7 + FULL_COMMANDS * (FULL_SIZE + 8)];
    static tp_command  commands[FULL_COMMANDS];
    static const uint8_t presence[1] = { 7 };
    static const uint8_t inputs[3] = { 1, 2, 0 };
    bool                 was_refused = false;
    for (uint32_t i = 0; i < FULL_COMMANDS; i++) {
        commands[i] = (tp_command){ .source = TP_SOURCE_HOST, .size = FULL_SIZE, .data = text };
    }
    for (uint64_t tick = 0; tick < 300; tick++) {
        memset(text, (int)tick, sizeof(text));
        tp_row     row = { .presence = presence, .inputs = inputs, .commands = commands, .command_count = tick % 3 == 0 ? (uint32_t)(tick * 37 % 127) : 0 };
        size_t     size = tp_row_encode(tp_sim_layout(authority), &row, bytes, sizeof(bytes));
        tp_hash128 root = rig_step(authority, bytes, size);
        tp_error   error;
        if (tp_session_confirm(client.session, tick, bytes, size, &root, &error) != TP_SESSION_OK) {
            was_refused = true;
            cr_assert_not_null(strstr(error.text, "with their commands fill the"), "%s", error.text);
            cr_assert_geq(tp_session_waiting(client.session), 4);
            cr_assert_eq(tp_session_settle(client.session, NULL, &error), TP_SESSION_OK, "%s", error.text);
            cr_assert_eq(tp_session_confirm(client.session, tick, bytes, size, &root, &error), TP_SESSION_OK, "%s", error.text);
        }
        if (tick % 5 == 4) {
            // A spectator's way of taking one at a time would leave the ring in other shapes: the soak does that.
            cr_assert_leq(tp_session_waiting(client.session), 300);
        }
    }
    cr_expect(was_refused);
    cr_expect_eq(tp_session_settle(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_confirmed_tick(client.session), 300);
    tp_sim_destroy(authority);
    rig_close(&client);
}

// The byte ring of a follower is emptied from the front while it is filled behind.
Test(session, waiting_rows_go_around)
{
    enum { COMMANDS = 100, SIZE = 512 };
    tp_session_options   options = options_of(0, 0);
    RigClient            client = rig_client(&noisyworld, 3, 1, &options);
    tp_sim              *authority = rig_sim(&noisyworld, 3, 1, 0);
    static uint8_t       text[SIZE];
    static uint8_t       bytes[7 + COMMANDS * (SIZE + 8)];
    static tp_command    commands[COMMANDS];
    static const uint8_t presence[1] = { 7 };
    static const uint8_t inputs[3] = { 1, 2, 0 };
    uint32_t             refused = 0;
    for (uint32_t i = 0; i < COMMANDS; i++) {
        commands[i] = (tp_command){ .source = TP_SOURCE_HOST, .size = SIZE, .data = text };
    }
    for (uint64_t tick = 0; tick < 2000; tick++) {
        memset(text, (int)tick, sizeof(text));
        tp_row     row = { .presence = presence, .inputs = inputs, .commands = commands, .command_count = (uint32_t)(tick * tick * 31 % (COMMANDS + 1)) };
        size_t     size = tp_row_encode(tp_sim_layout(authority), &row, bytes, sizeof(bytes));
        tp_hash128 root = rig_step(authority, bytes, size);
        tp_error   error;
        while (tp_session_confirm(client.session, tick, bytes, size, &root, NULL) != TP_SESSION_OK) {
            refused += 1;
            cr_assert_geq(tp_session_waiting(client.session), 3);
            cr_assert_eq(tp_session_advance(client.session, NULL, &error), TP_SESSION_OK, "%s", error.text);
        }
    }
    cr_expect_gt(refused, 100);
    while (tp_session_waiting(client.session) > 0) {
        cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    }
    cr_expect(tp_hash128_equal(tp_sim_root(client.sim), tp_sim_root(authority)));
    tp_sim_destroy(authority);
    rig_close(&client);
}

Test(session, a_sim_that_somebody_moved_is_refused)
{
    tp_session_options options = options_of(8, 1);
    RigClient          client = rig_client(&noisyworld, 2, 1, &options);
    tp_error           error;
    rig_give(&client, 1, 1);
    cr_assert_eq(tp_session_advance(client.session, NULL, &error), TP_SESSION_OK);
    static const uint8_t inputs[2] = { 0, 0 };
    (void)rig_decide(client.sim, inputs, 0, NULL);
    rig_give(&client, 1, 1);
    cr_expect_eq(tp_session_advance(client.session, NULL, &error), TP_SESSION_REFUSED);
    cr_expect_str_eq(error.text, "the sim stands at tick 2 and the session at tick 1: whoever replaces the state calls tp_session_reset");
    cr_expect_eq(tp_session_settle(client.session, NULL, &error), TP_SESSION_REFUSED);
    cr_expect_eq(tp_session_reset(client.session, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_advance(client.session, NULL, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_confirmed_tick(client.session), 2);
    rig_close(&client);
}

Test(session, a_world_without_inputs_can_be_watched)
{
    tp_session_options options = options_of(8, 0);
    RigClient          client = rig_client(&noisyworld, 0, 1, &options);
    tp_sim            *authority = rig_sim(&noisyworld, 0, 1, 0);
    RigRow             row = rig_decide(authority, NULL, 0, NULL);
    cr_expect_eq(rig_confirm(&client, &row), TP_SESSION_OK);
    cr_expect_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect(tp_hash128_equal(tp_sim_root(client.sim), row.root));
    tp_sim_destroy(authority);
    rig_close(&client);
}
