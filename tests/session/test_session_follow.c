// test_session_follow.c: those who only step what is confirmed: spectators, and players in lockstep.
#include <criterion/criterion.h>
#include <string.h>

#include "noisyworld.h"
#include "session_rig.h"

static const uint8_t all_slots[] = { 0, 1, 2, 3 };

static tp_session_options options_of(const uint8_t *slots, uint32_t slot_count, uint32_t delay)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.window = 0;
    options.delay = delay;
    options.slots = slots;
    options.slot_count = slot_count;
    return options;
}

static RigRow decide(tp_sim *authority, uint8_t value)
{
    uint8_t inputs[4] = { value, value, value, value };
    return rig_decide(authority, inputs, 0, NULL);
}

static tp_session_result advance(RigClient *client)
{
    tp_session_result result;
    tp_error          error;
    cr_assert_eq(tp_session_advance(client->session, &result, &error), TP_SESSION_OK, "%s", error.text);
    return result;
}

Test(session_follow, a_spectator_plays_one_tick_per_advance)
{
    tp_session_options options = options_of(NULL, 0, 0);
    options.window = 8; // is not looked at: no ring is needed
    RigClient client = { .sim = rig_sim(&noisyworld, 4, 3, 0) };
    client.session = tp_session_create(client.sim, &options, NULL);
    cr_assert_not_null(client.session);
    tp_sim *authority = rig_sim(&noisyworld, 4, 3, 0);
    cr_expect(advance(&client).stalled);
    for (uint32_t i = 0; i < 6; i++) {
        RigRow row = decide(authority, 2);
        cr_assert_eq(rig_confirm(&client, &row), TP_SESSION_OK);
    }
    tp_session_result result;
    cr_assert_eq(tp_session_settle(client.session, &result, NULL), TP_SESSION_OK);
    cr_expect_eq(result.frames, 0, "settle steps nothing");
    for (uint32_t i = 0; i < 6; i++) {
        result = advance(&client);
        cr_expect(result.frames == 1 && result.confirmed == 1 && result.advanced && !result.stalled && !result.took_inputs);
    }
    cr_expect(advance(&client).stalled);
    cr_expect(tp_hash128_equal(tp_sim_root(authority), tp_sim_root(client.sim)));
    tp_session_statistics statistics;
    tp_session_get_statistics(client.session, &statistics);
    cr_expect(statistics.catch_ups == 0 && statistics.stalls == 2 && statistics.ticks == 6);
    tp_sim_destroy(authority);
    rig_close(&client);
}

Test(session_follow, a_spectator_that_is_behind_hurries)
{
    tp_session_options options = options_of(NULL, 0, 0);
    options.catch_up = 3;
    options.catch_up_from = 5;
    RigClient client = rig_client(&noisyworld, 4, 3, &options);
    tp_sim   *authority = rig_sim(&noisyworld, 4, 3, 0);
    for (uint32_t i = 0; i < 12; i++) {
        RigRow row = decide(authority, 2);
        cr_assert_eq(rig_confirm(&client, &row), TP_SESSION_OK);
    }
    static const uint32_t frames[] = { 3, 3, 3, 1, 1, 1, 0 }; // 12, 9, 6 wait, then 3
    for (uint32_t i = 0; i < 7; i++) {
        cr_expect_eq(advance(&client).frames, frames[i], "advance %u", i);
    }
    tp_session_statistics statistics;
    tp_session_get_statistics(client.session, &statistics);
    cr_expect_eq(statistics.catch_ups, 3);
    tp_sim_destroy(authority);
    rig_close(&client);
}

// An authority that waits for everybody's input (the policy stall) and clients in lockstep: nobody may wait for the other for ever. Messages take
// one round; so many ticks are done in so many rounds.
static uint64_t play_lockstep(uint32_t delay, uint32_t rounds)
{
    RigClient          client[2];
    tp_sim            *authority = rig_sim(&noisyworld, 2, 3, 0);
    static uint8_t     given[2][200];
    uint64_t           given_end[2] = { 0, 0 };
    for (uint32_t i = 0; i < 2; i++) {
        tp_session_options options = options_of(all_slots + i, 1, delay);
        client[i] = rig_client(&noisyworld, 2, 3, &options);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t first;
            uint8_t  bytes[100];
            rig_give(&client[i], 1, (uint8_t)((round + i) % 8));
            (void)advance(&client[i]);
            uint32_t count = tp_session_unconfirmed(client[i].session, 0, &first, bytes, 100);
            for (uint32_t k = 0; k < count && first + k < 200; k++) {
                given[i][first + k] = bytes[k];
            }
            given_end[i] = count > 0 ? first + count : given_end[i];
        }
        while (tp_sim_tick(authority) < given_end[0] && tp_sim_tick(authority) < given_end[1]) {
            uint64_t tick = tp_sim_tick(authority);
            uint8_t  inputs[2] = { given[0][tick], given[1][tick] };
            RigRow   row = rig_decide(authority, inputs, 0, NULL);
            cr_assert(rig_confirm(&client[0], &row) == TP_SESSION_OK && rig_confirm(&client[1], &row) == TP_SESSION_OK);
        }
    }
    tp_session_statistics statistics;
    tp_session_get_statistics(client[0].session, &statistics);
    cr_expect_eq(statistics.late, 0);
    cr_expect_eq(statistics.rollbacks, 0);
    cr_expect_eq(statistics.predicted, 0);
    uint64_t done = tp_session_tick(client[1].session);
    for (uint32_t i = 0; i < 2; i++) {
        rig_close(&client[i]);
    }
    tp_sim_destroy(authority);
    return done;
}

Test(session_follow, lockstep_does_not_wait_for_itself)
{
    cr_expect_geq(play_lockstep(0, 60), 58);
    cr_expect_geq(play_lockstep(3, 60), 58);
}

Test(session_follow, a_stalled_lockstep_sends_its_inputs_once)
{
    tp_session_options options = options_of(all_slots, 1, 2);
    RigClient          client = rig_client(&noisyworld, 2, 3, &options);
    uint64_t           first;
    uint8_t            bytes[16];
    for (uint8_t i = 1; i < 5; i++) {
        rig_give(&client, 1, i);
        tp_session_result result = advance(&client);
        cr_expect(result.stalled && !result.advanced && result.frames == 0);
        cr_expect_eq(result.took_inputs, i == 1);
        cr_expect_eq(result.input_tick, 2);
    }
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, bytes, 16), 3);
    cr_expect(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 1);
    rig_close(&client);
}

// What the authority put in the place of a late input counts, in lockstep, too.
Test(session_follow, lockstep_counts_late_inputs)
{
    tp_session_options options = options_of(all_slots, 1, 0);
    RigClient          client = rig_client(&noisyworld, 4, 3, &options);
    tp_sim            *authority = rig_sim(&noisyworld, 4, 3, 0);
    tp_session_statistics statistics;
    rig_give(&client, 1, 7);
    (void)advance(&client);
    RigRow row = decide(authority, 1);
    cr_assert_eq(rig_confirm(&client, &row), TP_SESSION_OK);
    uint64_t first;
    uint8_t  byte;
    cr_expect_eq(tp_session_unconfirmed(client.session, 0, &first, &byte, 1), 0, "nobody needs it any more, though it is not stepped");
    rig_give(&client, 1, 2);
    tp_session_result result = advance(&client);
    cr_expect(result.advanced && result.took_inputs && result.input_tick == 1);
    tp_session_get_statistics(client.session, &statistics);
    cr_expect_eq(statistics.late, 1);
    tp_sim_destroy(authority);
    rig_close(&client);
}

// The room is over: what waits is played to its end, however much it is.
static void expect_drained(uint32_t slot_count, uint32_t window, bool is_wrong)
{
    tp_session_options options = options_of(all_slots, slot_count, 0);
    options.window = window;
    RigClient         client = rig_client(&noisyworld, 4, 3, &options);
    tp_sim           *authority = rig_sim(&noisyworld, 4, 3, 0);
    tp_session_result result;
    for (uint32_t i = 0; i < 20; i++) {
        RigRow row = decide(authority, (uint8_t)(i % 5));
        row.root.lo ^= is_wrong && i == 11 ? 1 : 0;
        cr_assert_eq(rig_confirm(&client, &row), TP_SESSION_OK);
    }
    cr_expect_eq(tp_session_drain(client.session, &result, NULL), is_wrong ? TP_SESSION_DESYNCED : TP_SESSION_OK);
    cr_expect_eq(result.confirmed, is_wrong ? 11 : 20);
    cr_expect_eq(tp_sim_tick(client.sim), is_wrong ? 12 : 20);
    cr_expect_eq(tp_session_drain(client.session, &result, NULL), is_wrong ? TP_SESSION_DESYNCED : TP_SESSION_OK);
    cr_expect_eq(result.frames, 0);
    tp_sim_destroy(authority);
    rig_close(&client);
}

Test(session_follow, drained_to_the_end)
{
    expect_drained(0, 0, false);
    expect_drained(2, 0, false);
    expect_drained(2, 8, false);
    expect_drained(0, 0, true);
    expect_drained(2, 0, true);
    expect_drained(2, 8, true);
}
