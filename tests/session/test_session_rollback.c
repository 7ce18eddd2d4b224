// test_session_rollback.c: guesses, going back and stalling, each alone and by hand; the network of session_soak.c has them all at once.
#include <criterion/criterion.h>
#include <string.h>

#include "noisyworld.h"
#include "session_rig.h"
#include "testworld.h"

static const uint8_t slot_zero[] = { 0 };

static tp_session_options options_of(uint32_t window, uint32_t delay)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.window = window;
    options.delay = delay;
    options.slots = slot_zero;
    options.slot_count = 1;
    return options;
}

typedef struct {
    RigClient client;
    tp_sim   *authority;
} Pair;

static Pair pair_of(const tp_world *world, uint32_t window, uint32_t delay)
{
    tp_session_options options = options_of(window, delay);
    return (Pair){ rig_client(world, 2, 3, &options), rig_sim(world, 2, 3, 0) };
}

static void close_pair(Pair *pair)
{
    tp_sim_destroy(pair->authority);
    rig_close(&pair->client);
}

static tp_session_result advance(Pair *pair, uint8_t input)
{
    tp_session_result result;
    tp_error          error;
    rig_give(&pair->client, 1, input);
    cr_assert_eq(tp_session_advance(pair->client.session, &result, &error), TP_SESSION_OK, "%s", error.text);
    return result;
}

// The authority's next tick: slot 0 plays `own`, slot 1 `other`.
static void decide(Pair *pair, uint8_t own, uint8_t other)
{
    uint8_t inputs[2] = { own, other };
    RigRow  row = rig_decide(pair->authority, inputs, 0, NULL);
    cr_assert_eq(rig_confirm(&pair->client, &row), TP_SESSION_OK);
}

static tp_session_statistics statistics_of(const Pair *pair)
{
    tp_session_statistics statistics;
    tp_session_get_statistics(pair->client.session, &statistics);
    return statistics;
}

Test(session_rollback, a_right_guess_costs_nothing)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    decide(&pair, 1, 2); // while nothing is known of the other: it is ahead of the present
    advance(&pair, 1);
    for (uint32_t i = 0; i < 20; i++) {
        decide(&pair, 1, 2);
        tp_session_result result = advance(&pair, 1);
        cr_assert(result.frames == 1 && result.rolled_back == 0 && result.confirmed == 1 && result.advanced && !result.stalled);
    }
    cr_expect_eq(statistics_of(&pair).rollbacks, 0);
    cr_expect_eq(statistics_of(&pair).predicted, 20);
    cr_expect_eq(statistics_of(&pair).mispredicted, 0);
    close_pair(&pair);
}

Test(session_rollback, a_wrong_guess_is_stepped_again)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    decide(&pair, 1, 2);
    for (uint32_t i = 0; i < 6; i++) {
        advance(&pair, 1); // ticks 1 to 6 are guesses
    }
    decide(&pair, 1, 2); // right
    decide(&pair, 1, 5); // wrong: tick 2
    tp_session_result result = advance(&pair, 1);
    cr_expect_eq(result.confirmed, 2);
    cr_expect_eq(result.rolled_back, 5, "ticks 2 to 6");
    cr_expect_eq(result.frames, 6, "those, and one new");
    cr_expect_eq(tp_session_tick(pair.client.session), 8);
    cr_expect_eq(tp_session_confirmed_tick(pair.client.session), 3);
    tp_session_statistics statistics = statistics_of(&pair);
    cr_expect_eq(statistics.rollbacks, 1);
    cr_expect_eq(statistics.rollback_max, 5);
    cr_expect_eq(statistics.rollback_depths[5], 1);
    cr_expect_eq(statistics.mispredicted, 1);
    // The present is what a straight run with the other still at 5 comes to.
    uint8_t inputs[2] = { 1, 5 };
    while (tp_sim_tick(pair.authority) < 8) {
        (void)rig_decide(pair.authority, inputs, 0, NULL);
    }
    cr_expect(tp_hash128_equal(tp_sim_root(pair.authority), tp_sim_root(pair.client.sim)));
    close_pair(&pair);
}

// 003-50: what the authority recorded for a late input is final here, too.
Test(session_rollback, a_late_input_gives_way_to_the_record)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    decide(&pair, 1, 0);
    advance(&pair, 4);
    advance(&pair, 6);
    decide(&pair, 1, 0); // it did not have our 4
    decide(&pair, 6, 0);
    tp_session_result result;
    cr_assert_eq(tp_session_settle(pair.client.session, &result, NULL), TP_SESSION_OK);
    cr_expect_eq(result.rolled_back, 2);
    cr_expect_eq(statistics_of(&pair).late, 1);
    cr_expect(tp_hash128_equal(tp_sim_root(pair.authority), tp_sim_root(pair.client.sim)));
    close_pair(&pair);
}

// 003-45: "not this tick" is a success, takes its input once, and draws the last good state.
Test(session_rollback, a_full_window_stalls)
{
    Pair pair = pair_of(&noisyworld, 3, 0);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert(advance(&pair, 1).advanced);
    }
    tp_hash128        root = tp_sim_root(pair.client.sim);
    tp_session_result result = advance(&pair, 7);
    cr_expect(result.stalled && !result.advanced && result.frames == 0);
    cr_expect(result.took_inputs && result.input_tick == 3, "what waits for the present goes out");
    result = advance(&pair, 4);
    cr_expect(result.stalled && !result.took_inputs && result.input_tick == 3, "once");
    cr_expect(tp_hash128_equal(root, tp_sim_root(pair.client.sim)));
    uint64_t first;
    uint8_t  bytes[8];
    cr_expect_eq(tp_session_unconfirmed(pair.client.session, 0, &first, bytes, 8), 4);
    cr_expect_eq(bytes[3], 7);
    decide(&pair, 1, 0);
    result = advance(&pair, 4);
    cr_expect(result.advanced && !result.stalled && !result.took_inputs);
    cr_expect_eq(statistics_of(&pair).stalls, 2);
    close_pair(&pair);
}

// 003-43: a stalled call that also went back has stepped frames and made no way.
Test(session_rollback, a_stall_with_a_late_input)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    decide(&pair, 0, 0);
    advance(&pair, 0);
    advance(&pair, NOISYWORLD_DANGER); // tick 2
    advance(&pair, 0);
    decide(&pair, 0, NOISYWORLD_DANGER); // tick 1 was another one, and the other would still be in danger at tick 2
    tp_session_result result = advance(&pair, 0);
    cr_expect_eq(result.rolled_back, 3);
    cr_expect_eq(result.frames, 1);
    cr_expect_eq(result.confirmed, 1);
    cr_expect(result.stalled && !result.advanced);
    close_pair(&pair);
}

// An absent slot stays absent in a guess, and coming or going is a wrong guess.
Test(session_rollback, presence_is_guessed_as_it_was)
{
    Pair    pair = pair_of(&noisyworld, 8, 0);
    uint8_t inputs[2] = { 1, 3 };
    RigRow  row = rig_decide(pair.authority, inputs, 2, NULL);
    cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    advance(&pair, 1);
    row = rig_decide(pair.authority, inputs, 2, NULL);
    cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    cr_expect_eq(advance(&pair, 1).rolled_back, 0);
    row = rig_decide(pair.authority, inputs, 0, NULL); // here it comes
    cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    cr_expect_eq(advance(&pair, 1).rolled_back, 1);
    cr_expect_eq(statistics_of(&pair).mispredicted, 1);
    row = rig_decide(pair.authority, inputs, 0, NULL);
    cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    cr_expect_eq(advance(&pair, 1).rolled_back, 0, "and it stays, with its input");
    row = rig_decide(pair.authority, inputs, 1, NULL); // our own slot is gone
    cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    cr_expect_eq(advance(&pair, 1).rolled_back, 1);
    close_pair(&pair);
}

Test(session_rollback, commands_are_never_guessed)
{
    Pair       pair = pair_of(&noisyworld, 8, 0);
    tp_command hush = { .source = TP_SOURCE_HOST, .type = 0, .size = 0, .data = "" };
    uint8_t    inputs[2] = { 1, 0 };
    decide(&pair, 1, 0);
    advance(&pair, 1);
    RigRow row = rig_decide(pair.authority, inputs, 0, &hush);
    cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    cr_expect_eq(advance(&pair, 1).rolled_back, 1);
    close_pair(&pair);
}

// The predictor is asked once for each tick that is guessed: a press is one press, and its guess is not pressed.
Test(session_rollback, the_worlds_predictor_guesses)
{
    Pair      pair = pair_of(&testworld_flat, 8, 0);
    TestInput own = { .stick = 1 };
    uint8_t   inputs[4] = { 0, 1, 1, 50 }; // the other presses, and holds the stick
    uint8_t   held[4] = { 0, 1, 0, 50 };
    bool      present[2] = { true, true };
    uint8_t   bytes[RIG_ROW_MAX];
    size_t    size = rig_row(pair.authority, present, inputs, NULL, bytes);
    tp_hash128 root = rig_step(pair.authority, bytes, size);
    cr_assert_eq(tp_session_confirm(pair.client.session, 0, bytes, size, &root, NULL), TP_SESSION_OK);
    for (uint64_t tick = 1; tick < 4; tick++) {
        cr_assert_eq(tp_session_input(pair.client.session, 0, &own, NULL), TP_SESSION_OK);
        cr_assert_eq(tp_session_advance(pair.client.session, NULL, NULL), TP_SESSION_OK);
        rig_step(pair.authority, bytes, rig_row(pair.authority, present, held, NULL, bytes));
        cr_expect(tp_hash128_equal(tp_sim_root(pair.authority), tp_sim_root(pair.client.sim)), "tick %llu", (unsigned long long)tick);
    }
    close_pair(&pair);
}

// A client that was asleep: more is confirmed than it ever guessed.
Test(session_rollback, the_present_follows_what_is_confirmed)
{
    Pair pair = pair_of(&noisyworld, 4, 2);
    advance(&pair, 1);
    advance(&pair, 2);
    for (uint32_t i = 0; i < 50; i++) {
        decide(&pair, 3, 3);
    }
    tp_session_result result = advance(&pair, 5);
    cr_expect_eq(result.confirmed, 50);
    cr_expect_eq(result.rolled_back, 2);
    cr_expect_eq(result.frames, 51);
    cr_expect_eq(tp_session_tick(pair.client.session), 51);
    cr_expect(result.advanced && result.took_inputs && result.input_tick == 52);
    uint64_t first;
    uint8_t  bytes[8];
    cr_expect_eq(tp_session_unconfirmed(pair.client.session, 0, &first, bytes, 8), 3);
    cr_expect_eq(first, 50);
    cr_expect(bytes[0] == 2 && bytes[1] == 2 && bytes[2] == 5, "what was given last goes on for the ticks between");
    close_pair(&pair);
}

// A guess that faults is not made; the truth goes on.
Test(session_rollback, a_guess_that_faults_is_not_made)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    decide(&pair, 0, NOISYWORLD_DANGER);
    advance(&pair, 0); // both steps tick 0 and guesses tick 1
    advance(&pair, 0);
    tp_hash128        root = tp_sim_root(pair.client.sim);
    tp_session_result result = advance(&pair, NOISYWORLD_DANGER);
    cr_expect(result.stalled && !result.advanced && result.took_inputs);
    cr_expect_not(tp_sim_is_faulted(pair.client.sim));
    cr_expect(tp_hash128_equal(root, tp_sim_root(pair.client.sim)));
    result = advance(&pair, 0);
    cr_expect(result.stalled && result.frames == 0, "it is not tried again while nothing new is known");
    cr_expect_eq(statistics_of(&pair).guess_faults, 1);
    decide(&pair, 0, 1); // the other is out of danger
    result = advance(&pair, 0);
    cr_expect(result.advanced);
    cr_expect_eq(tp_session_tick(pair.client.session), 4);
    close_pair(&pair);
}

Test(session_rollback, a_fault_while_guessing_again_lets_the_present_fall)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    decide(&pair, 0, 0);
    advance(&pair, 0);
    advance(&pair, NOISYWORLD_DANGER); // tick 2
    advance(&pair, 0);
    advance(&pair, 0);
    cr_assert_eq(tp_session_tick(pair.client.session), 5);
    decide(&pair, 0, NOISYWORLD_DANGER); // tick 1: the other is in danger, and so it would be at tick 2
    tp_session_result result;
    cr_assert_eq(tp_session_settle(pair.client.session, &result, NULL), TP_SESSION_OK);
    cr_expect_eq(result.rolled_back, 4);
    cr_expect_eq(tp_session_tick(pair.client.session), 2);
    cr_expect_eq(tp_sim_tick(pair.client.sim), 2);
    decide(&pair, NOISYWORLD_DANGER, 0);
    for (uint32_t i = 0; i < 3; i++) {
        result = advance(&pair, 0);
        cr_expect(result.advanced && (result.took_inputs == (i == 2)), "inputs that were given stay given");
    }
    decide(&pair, 0, 0);
    decide(&pair, 0, 0);
    cr_expect_eq(tp_session_settle(pair.client.session, &result, NULL), TP_SESSION_OK);
    cr_expect_eq(tp_session_confirmed_tick(pair.client.session), 5);
    close_pair(&pair);
}

// 003-49: a snapshot that is not there breaks this session, and nothing else.
Test(session_rollback, a_missing_snapshot_breaks_the_session_alone)
{
    Pair pair = pair_of(&noisyworld, 8, 0);
    Pair other = pair_of(&noisyworld, 8, 0);
    decide(&pair, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        advance(&pair, 0);
        advance(&other, 0);
    }
    uint8_t    state[1024];
    size_t     size;
    tp_error   error;
    tp_hash128 root = tp_sim_root(pair.client.sim);
    cr_assert(tp_sim_encode(pair.client.sim, state, sizeof(state), &size));
    cr_assert(tp_sim_decode(pair.client.sim, state, size, 4, tp_sim_input_leaf(pair.client.sim), tp_sim_event_leaf(pair.client.sim), &error));
    tp_sim_snapshot(pair.client.sim);
    decide(&pair, 0, 5);
    rig_give(&pair.client, 1, 0);
    tp_session_result result;
    cr_expect_eq(tp_session_advance(pair.client.session, &result, &error), TP_SESSION_BROKEN);
    cr_expect_str_eq(error.text, "tick 1: the snapshot that must be there to go back to is not");
    cr_expect(tp_hash128_equal(root, tp_sim_root(pair.client.sim)), "the world stands where it stood");
    cr_expect_eq(tp_session_settle(pair.client.session, &result, &error), TP_SESSION_BROKEN, "and stays so");
    cr_expect_eq(tp_session_confirm(pair.client.session, 2, state, 1, NULL, &error), TP_SESSION_BROKEN);
    tp_session_desync desync;
    cr_expect_not(tp_session_get_desync(pair.client.session, &desync));
    cr_expect(advance(&other, 0).advanced);
    cr_expect_eq(tp_session_reset(pair.client.session, &error), TP_SESSION_OK);
    cr_expect(advance(&pair, 0).advanced, "a state that is whole again can be played on from");
    close_pair(&pair);
    close_pair(&other);
}

Test(session_rollback, a_row_that_the_world_refuses_breaks_it)
{
    Pair     pair = pair_of(&testworld_flat, 8, 0);
    uint8_t  row[16] = { 3, 0, 9 /* buttons: 0 to 7 */ };
    tp_error error;
    size_t   size = tp_row_size_fixed(2, 2);
    cr_assert_eq(tp_session_confirm(pair.client.session, 0, row, size, NULL, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_settle(pair.client.session, NULL, &error), TP_SESSION_BROKEN);
    cr_expect_not_null(strstr(error.text, "tick 0: the world refuses the confirmed row: slot 0"), "%s", error.text);
    close_pair(&pair);
}

// 003-70: handles follow the machine, slots the room.
Test(session_rollback, several_players_of_one_machine)
{
    static const uint8_t slots[] = { 1, 3 };
    tp_session_options   options = options_of(8, 0);
    options.slots = slots;
    options.slot_count = 2;
    RigClient client = rig_client(&noisyworld, 4, 3, &options);
    tp_sim   *authority = rig_sim(&noisyworld, 4, 3, 0);
    for (uint32_t i = 0; i < 5; i++) {
        uint8_t    inputs[4] = { 0, 1, 0, 2 };
        NoisyInput first = { .bits = 1 };
        NoisyInput second = { .bits = 2 };
        (void)rig_decide(authority, inputs, 1 | 4, NULL);
        cr_assert_eq(tp_session_input(client.session, 1, &second, NULL), TP_SESSION_OK);
        cr_assert_eq(tp_session_input(client.session, 0, &first, NULL), TP_SESSION_OK);
        cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
        cr_expect(tp_hash128_equal(tp_sim_root(authority), tp_sim_root(client.sim)));
    }
    uint64_t first;
    uint8_t  bytes[8];
    cr_expect_eq(tp_session_unconfirmed(client.session, 1, &first, bytes, 8), 5);
    cr_expect_eq(bytes[4], 2);
    tp_sim_destroy(authority);
    rig_close(&client);
}

// Roots that were not computed while guessing are when they are asked for: the present is left and found again.
Test(session_rollback, roots_of_guesses_are_looked_back_for)
{
    Pair       pair = pair_of(&noisyworld, 8, 0);
    tp_hash128 own;
    decide(&pair, 0, 0);
    cr_assert_eq(tp_session_settle(pair.client.session, NULL, NULL), TP_SESSION_OK);
    uint8_t quiet[2] = { 0, 0 };
    RigRow  rows[6];
    for (uint32_t i = 0; i < 6; i++) {
        rows[i] = rig_decide(pair.authority, quiet, 0, NULL);
        // Without a root to compare with there is no reason for one.
        cr_assert_eq(i > 1 ? TP_SESSION_OK : tp_session_confirm(pair.client.session, rows[i].tick, rows[i].bytes, rows[i].size, NULL, NULL), TP_SESSION_OK);
        advance(&pair, 0);
    }
    tp_hash128 present = tp_sim_root(pair.client.sim);
    cr_expect_not(tp_session_root(pair.client.session, 1, &own));
    for (uint32_t i = 2; i < 6; i++) {
        cr_assert_eq(rig_confirm(&pair.client, &rows[i]), TP_SESSION_OK);
    }
    tp_session_result result;
    cr_assert_eq(tp_session_settle(pair.client.session, &result, NULL), TP_SESSION_OK);
    cr_expect(result.confirmed == 4 && result.frames == 0);
    cr_expect(tp_session_root(pair.client.session, 5, &own) && tp_hash128_equal(own, rows[4].root));
    cr_expect(tp_hash128_equal(present, tp_sim_root(pair.client.sim)));
    cr_expect(advance(&pair, 0).advanced);
    close_pair(&pair);
}
