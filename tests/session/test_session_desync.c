// test_session_desync.c: a world that is another one here. The bad tick is the right one, the sim stands right after it, and nothing moves any more.
#include <criterion/criterion.h>
#include <string.h>

#include "noisyworld.h"
#include "session_rig.h"

static const uint8_t slots[] = { 0 };

typedef struct {
    RigClient client;
    tp_sim   *authority;
} Pair;

static Pair pair_of(const tp_world *world, uint32_t window, uint32_t slot_count)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.window = window;
    options.slots = slots;
    options.slot_count = slot_count;
    return (Pair){ rig_client(world, 2, 3, &options), rig_sim(&noisyworld, 2, 3, 0) };
}

static void close_pair(Pair *pair)
{
    tp_sim_destroy(pair->authority);
    rig_close(&pair->client);
}

static tp_session_status advance(Pair *pair, uint32_t handles, tp_error *error)
{
    rig_give(&pair->client, handles, 1);
    return tp_session_advance(pair->client.session, NULL, error);
}

static RigRow decide(Pair *pair, uint8_t other)
{
    uint8_t inputs[2] = { 1, other };
    return rig_decide(pair->authority, inputs, 0, NULL);
}

// The root of the bad tick as the wrong world has it.
static tp_hash128 wrong_root(uint8_t before, uint8_t at)
{
    tp_sim *wrong = rig_sim(&noisyworld_wrong, 2, 3, 0);
    RigRow  row = { .size = 0 };
    for (uint32_t tick = 0; tick <= NOISYWORLD_WRONG_TICK; tick++) {
        uint8_t inputs[2] = { 1, tick == NOISYWORLD_WRONG_TICK ? at : before };
        row = rig_decide(wrong, inputs, 0, NULL);
    }
    tp_sim_destroy(wrong);
    return row.root;
}

static void expect_frozen(Pair *pair, uint32_t handles, tp_hash128 own)
{
    tp_session_desync desync;
    tp_session_result result;
    tp_error          error;
    cr_assert(tp_session_get_desync(pair->client.session, &desync));
    cr_expect_eq(desync.tick, NOISYWORLD_WRONG_TICK);
    cr_expect_not(desync.is_fault);
    cr_expect(tp_hash128_equal(desync.own_root, own));
    cr_expect_not(tp_hash128_equal(desync.root, own));
    cr_expect_eq(tp_sim_tick(pair->client.sim), NOISYWORLD_WRONG_TICK + 1);
    cr_expect_eq(tp_session_tick(pair->client.session), NOISYWORLD_WRONG_TICK + 1);
    cr_expect_eq(tp_session_confirmed_tick(pair->client.session), NOISYWORLD_WRONG_TICK);
    cr_expect(tp_hash128_equal(tp_sim_root(pair->client.sim), own), "the sim stands right after the bad tick");
    for (uint32_t i = 0; i < 3; i++) {
        RigRow row = decide(pair, 2);
        cr_expect_eq(rig_confirm(&pair->client, &row), TP_SESSION_DESYNCED);
        cr_expect_eq(advance(pair, handles, &error), TP_SESSION_DESYNCED);
        cr_expect_str_eq(error.text, "tick 60 has another root here than the confirmed one: get the state anew, then reset");
        cr_expect_eq(tp_session_settle(pair->client.session, &result, &error), TP_SESSION_DESYNCED);
        cr_expect_eq(result.frames, 0);
        cr_expect_eq(tp_sim_tick(pair->client.sim), NOISYWORLD_WRONG_TICK + 1);
    }
}

// `ahead` ticks are guesses while rows come in; the other plays 2, and `at` at the bad tick, which is a wrong guess when that is another.
static void run_to_desync(Pair *pair, uint32_t ahead, uint8_t at, bool with_roots_late)
{
    tp_error error;
    for (uint32_t i = 0; i < ahead; i++) {
        cr_assert_eq(advance(pair, 1, &error), TP_SESSION_OK);
    }
    for (uint32_t tick = 0; tick < NOISYWORLD_WRONG_TICK; tick++) {
        RigRow row = decide(pair, 2);
        cr_assert_eq(tp_session_confirm(pair->client.session, row.tick, row.bytes, row.size, with_roots_late ? NULL : &row.root, NULL), TP_SESSION_OK);
        cr_assert_eq(advance(pair, 1, &error), TP_SESSION_OK, "no false alarm at tick %u: %s", tick, error.text);
    }
    RigRow row = decide(pair, at);
    cr_assert_eq(rig_confirm(&pair->client, &row), TP_SESSION_OK);
    cr_assert_eq(advance(pair, 1, &error), TP_SESSION_DESYNCED);
}

Test(session_desync, a_right_guess)
{
    Pair pair = pair_of(&noisyworld_wrong, 8, 1);
    run_to_desync(&pair, 5, 2, false);
    expect_frozen(&pair, 1, wrong_root(2, 2));
    close_pair(&pair);
}

Test(session_desync, a_right_guess_whose_root_is_looked_back_for)
{
    Pair pair = pair_of(&noisyworld_wrong, 8, 1);
    run_to_desync(&pair, 5, 2, true);
    expect_frozen(&pair, 1, wrong_root(2, 2));
    close_pair(&pair);
}

Test(session_desync, a_wrong_guess)
{
    Pair pair = pair_of(&noisyworld_wrong, 8, 1);
    run_to_desync(&pair, 5, 4, false);
    expect_frozen(&pair, 1, wrong_root(2, 4));
    close_pair(&pair);
}

Test(session_desync, the_newest_guess)
{
    Pair pair = pair_of(&noisyworld_wrong, 8, 1);
    run_to_desync(&pair, 0, 2, false);
    expect_frozen(&pair, 1, wrong_root(2, 2));
    close_pair(&pair);
}

Test(session_desync, a_spectator)
{
    Pair     pair = pair_of(&noisyworld_wrong, 0, 0);
    tp_error error;
    for (uint32_t tick = 0; tick <= NOISYWORLD_WRONG_TICK; tick++) {
        RigRow row = decide(&pair, 2);
        cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
        cr_assert_eq(advance(&pair, 0, &error), tick < NOISYWORLD_WRONG_TICK ? TP_SESSION_OK : TP_SESSION_DESYNCED);
    }
    tp_hash128        own = wrong_root(2, 2);
    tp_session_desync desync;
    cr_assert(tp_session_get_desync(pair.client.session, &desync));
    cr_expect(tp_hash128_equal(desync.own_root, own));
    cr_expect_eq(desync.tick, NOISYWORLD_WRONG_TICK);
    close_pair(&pair);
}

// a guess that was wrong has another root, and that is no desync. The same rows again, in the right world.
Test(session_desync, no_false_alarm)
{
    Pair     pair = pair_of(&noisyworld, 8, 1);
    tp_error error;
    for (uint32_t tick = 0; tick < 2000; tick++) {
        if (tick > 6) {
            RigRow row = decide(&pair, (uint8_t)(tick * 7 / 3 % 5));
            cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
        }
        cr_assert_eq(advance(&pair, 1, &error), TP_SESSION_OK, "%s", error.text);
    }
    tp_session_statistics statistics;
    tp_session_get_statistics(pair.client.session, &statistics);
    cr_expect_gt(statistics.rollbacks, 1000);
    close_pair(&pair);
}

// A confirmed tick that faults here.
Test(session_desync, a_fault_of_the_truth)
{
    Pair     pair = pair_of(&noisyworld, 8, 1);
    tp_error error;
    uint8_t  row[16] = { 3, 0, NOISYWORLD_DANGER, NOISYWORLD_DANGER };
    cr_assert_eq(advance(&pair, 1, &error), TP_SESSION_OK);
    cr_assert_eq(advance(&pair, 1, &error), TP_SESSION_OK);
    tp_hash128 root = { 1, 2 };
    cr_assert_eq(tp_session_confirm(pair.client.session, 0, row, tp_row_size_fixed(2, 1), &root, &error), TP_SESSION_OK);
    cr_expect_eq(advance(&pair, 1, &error), TP_SESSION_DESYNCED);
    cr_expect_not_null(strstr(error.text, "tick 0 was confirmed, and faults here: "), "%s", error.text);
    tp_session_desync desync;
    cr_assert(tp_session_get_desync(pair.client.session, &desync));
    cr_expect(desync.is_fault && desync.tick == 0);
    cr_expect(tp_hash128_equal(desync.own_root, tp_sim_fault_root(pair.client.sim)));
    cr_expect_eq(tp_session_tick(pair.client.session), 0, "the sim stands before it");
    close_pair(&pair);
}

Test(session_desync, a_reset_goes_on)
{
    Pair     pair = pair_of(&noisyworld_wrong, 8, 1);
    uint8_t  state[1024];
    size_t   size;
    tp_error error;
    run_to_desync(&pair, 5, 2, false);
    // The true state at an earlier tick: the wrong world is right until it counts otherwise again.
    Pair fresh = pair_of(&noisyworld, 8, 1);
    cr_assert(tp_sim_encode(pair.authority, state, sizeof(state), &size));
    cr_assert(tp_sim_decode(pair.client.sim, state, size, 10, 0, 0, &error));
    cr_assert_eq(tp_session_reset(pair.client.session, &error), TP_SESSION_OK);
    tp_session_desync desync;
    cr_expect_not(tp_session_get_desync(pair.client.session, &desync));
    cr_assert(tp_sim_decode(fresh.authority, state, size, 10, 0, 0, &error));
    for (uint32_t i = 0; i < 20; i++) {
        RigRow row = decide(&fresh, (uint8_t)(i / 3));
        cr_assert_eq(advance(&pair, 1, &error), TP_SESSION_OK, "%s", error.text);
        cr_assert_eq(rig_confirm(&pair.client, &row), TP_SESSION_OK);
    }
    cr_assert_eq(tp_session_settle(pair.client.session, NULL, &error), TP_SESSION_OK, "%s", error.text);
    cr_expect_eq(tp_session_confirmed_tick(pair.client.session), 30);
    close_pair(&pair);
    close_pair(&fresh);
}
