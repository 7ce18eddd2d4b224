// test_session_local.c: everybody is here: the session is direct stepping, and nothing else.
#include <criterion/criterion.h>
#include <string.h>

#include "fighter.h"
#include "noisyworld.h"
#include "realm.h"
#include "runner.h"
#include "session_rig.h"
#include "testworld.h"

static const uint8_t slots[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static tp_session_options local(uint32_t slot_count, uint32_t delay)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.is_local = true;
    options.keeps_roots = true;
    options.slots = slots;
    options.slot_count = slot_count;
    options.delay = delay;
    return options;
}

typedef struct {
    uint64_t confirmed, others;
} Heard;

static void hear(void *to, const tp_session_event *event)
{
    Heard *heard = to;
    heard->confirmed += event->kind == TP_SESSION_CONFIRMED && !event->was_predicted ? 1 : 0;
    heard->others += event->kind != TP_SESSION_CONFIRMED || event->was_predicted ? 1 : 0;
}

enum { FRAMES = 300, DELAY_MAX = 3 };

// 003-41: 300 frames at 1, 2, 4 and 8 players, each root compared.
static void expect_same(const tp_world *world, uint32_t players, uint32_t delay)
{
    Heard              heard = { 0, 0 };
    uint64_t           events = 0;
    tp_session_options options = local(players, delay);
    options.event = hear;
    options.event_to = &heard;
    RigClient client = rig_client(world, players, 5, &options);
    tp_sim   *straight = rig_sim(world, players, 5, 0);
    tp_pcg32  random = tp_pcg32_make(players, 7);
    uint8_t   queue[DELAY_MAX + 1][8 * TP_INPUT_SIZE_MAX];
    bool      present[8] = { true, true, true, true, true, true, true, true };
    uint32_t  size = tp_sim_layout(straight)->input_size;
    for (uint32_t slot = 0; slot < players; slot++) {
        for (uint32_t i = 0; i < delay; i++) {
            tp_input_neutral(tp_sim_layout(straight), queue[i] + slot * size);
        }
    }
    for (uint64_t tick = 0; tick < FRAMES; tick++) {
        tp_session_result result;
        uint8_t           row[RIG_ROW_MAX];
        for (uint32_t slot = 0; slot < players; slot++) {
            _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX] = { 0 };
            rig_input(world, &random, native);
            cr_assert_eq(tp_session_input(client.session, slot, native, NULL), TP_SESSION_OK);
            rig_encode(world, native, queue[(tick + delay) % (DELAY_MAX + 1)] + slot * size);
        }
        cr_assert_eq(tp_session_advance(client.session, &result, NULL), TP_SESSION_OK);
        cr_assert(result.frames == 1 && result.rolled_back == 0 && result.confirmed == 1 && result.advanced && !result.stalled && result.took_inputs);
        tp_hash128 root = rig_step(straight, row, rig_row(straight, present, queue[tick % (DELAY_MAX + 1)], NULL, row));
        tp_hash128 own;
        cr_assert(tp_session_root(client.session, tick, &own));
        cr_assert(tp_hash128_equal(own, root), "%s, %u players, delay %u: tick %llu", world->name, players, delay, (unsigned long long)tick);
        events += tp_sim_view(straight).event_count;
    }
    cr_expect_eq(heard.confirmed, events);
    cr_expect_eq(heard.others, 0);
    cr_expect_eq(tp_session_confirmed_tick(client.session), FRAMES);
    tp_sim_destroy(straight);
    rig_close(&client);
}

static void expect_same_for_all(const tp_world *world)
{
    static const uint32_t players[] = { 1, 2, 4, 8 };
    for (uint32_t i = 0; i < 4; i++) {
        expect_same(world, players[i], 0);
        expect_same(world, players[i], DELAY_MAX);
    }
}

Test(session_local, testworld_is_direct_stepping)
{
    expect_same_for_all(&testworld_flat);
}

Test(session_local, runner_is_direct_stepping)
{
    expect_same_for_all(&runner_world);
}

Test(session_local, fighter_is_direct_stepping)
{
    expect_same_for_all(&fighter_world);
}

Test(session_local, realm_is_direct_stepping, .timeout = 300)
{
    expect_same_for_all(&realm_world);
}

Test(session_local, slots_of_nobody_are_absent)
{
    tp_session_options options = local(2, 0);
    options.slots = slots + 1;
    RigClient            client = rig_client(&noisyworld, 4, 5, &options);
    tp_sim              *straight = rig_sim(&noisyworld, 4, 5, 0);
    static const uint8_t inputs[4] = { 9, 9, 9, 9 };
    RigRow               row = rig_decide(straight, inputs, 1 | 8, NULL);
    rig_give(&client, 2, 9);
    cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    cr_expect(tp_hash128_equal(tp_sim_root(client.sim), row.root));
    tp_sim_destroy(straight);
    rig_close(&client);
}

Test(session_local, a_fault_stops_it)
{
    tp_session_options options = local(2, 0);
    RigClient          client = rig_client(&noisyworld, 2, 5, &options);
    tp_session_result  result;
    tp_error           error;
    rig_give(&client, 2, 1);
    cr_assert_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    tp_hash128 root = tp_sim_root(client.sim);
    for (uint32_t i = 0; i < 3; i++) {
        rig_give(&client, 2, NOISYWORLD_DANGER);
        cr_expect_eq(tp_session_advance(client.session, &result, &error), TP_SESSION_FAULTED);
        cr_expect_not_null(strstr(error.text, "two in danger"), "%s", error.text);
        cr_expect_eq(result.frames, 0);
        cr_expect_eq(tp_session_tick(client.session), 1);
        cr_expect(tp_hash128_equal(root, tp_sim_root(client.sim)));
    }
    cr_expect_eq(tp_session_reset(client.session, &error), TP_SESSION_REFUSED, "it stands at its fault");
    rig_close(&client);
}

Test(session_local, takes_no_rows)
{
    tp_session_options options = local(1, 0);
    RigClient          client = rig_client(&noisyworld, 2, 5, &options);
    tp_error           error;
    uint8_t            row[5] = { 1 };
    cr_expect_eq(tp_session_confirm(client.session, 0, row, sizeof(row), NULL, &error), TP_SESSION_REFUSED);
    cr_expect_str_eq(error.text, "tick 0: a local session's ticks are final by themselves");
    cr_expect_eq(tp_session_settle(client.session, NULL, &error), TP_SESSION_OK);
    cr_expect_eq(tp_session_tick(client.session), 0);
    rig_close(&client);
}
