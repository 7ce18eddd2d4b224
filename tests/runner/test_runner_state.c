// The state as a host keeps it: the contract, config, saves, predictions, roots, the small pool.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "runner_rig.h"
#include "runner_step.h"

Test(runner_state, world_keeps_the_contract)
{
    tp_error error = { "" };
    cr_assert(tp_world_check(&runner_world, &error), "%s", error.text);
}

Test(runner_state, other_rates_are_refused)
{
    tp_error error = { "" };
    tp_setup setup = { .players = 1, .tick_rate_hz = 60 };
    cr_assert_null(tp_sim_create(&runner_world, &setup, NULL, &error));
    cr_assert_not_null(strstr(error.text, "120"), "%s", error.text);
}

Test(runner_state, predicted_edges_are_none)
{
    RunnerInput last = { RUNNER_EDGE_LEFT | RUNNER_EDGE_CONFIRM };
    RunnerInput guess = { 0xff };
    runner_world.predict(&last, &guess);
    cr_assert_eq(guess.edges, 0);
}

Test(runner_state, border_keeps_known_edges)
{
    RunnerInput wild = { 0xfd };
    runner_world.sanitise(&wild);
    cr_assert_eq(wild.edges, RUNNER_EDGE_LEFT | RUNNER_EDGE_CONFIRM);
}

Test(runner_state, line_for_people)
{
    Rig rig;
    rig_open(&rig, 2, 1, NULL);
    rig_steps(&rig, 130);
    tp_view view = tp_sim_view(rig.sim);
    char text[120];
    runner_world.describe(&view, text, sizeof(text));
    cr_assert_str_eq(text, "run 1 running 1.0 s at 100%, 2 of 2 alive, scores 28 28, best 28");
    char cut[10];
    runner_world.describe(&view, cut, sizeof(cut));
    cr_assert_str_eq(cut, "run 1 run");
    rig_close(&rig);
}

static void save_load_twin(uint32_t players, uint32_t delay_ticks, uint32_t at_tick)
{
    Rig rig;
    Rig twin;
    rig_open(&rig, players, 8, NULL);
    rig_open(&twin, players, 8, NULL);
    rig_seat_bots(&rig, 1, delay_ticks);
    rig_steps(&rig, at_tick);
    size_t capacity = tp_sim_encoded_max(rig.sim);
    uint8_t *bytes = malloc(capacity);
    size_t size = 0;
    tp_error error = { "" };
    cr_assert(tp_sim_encode(rig.sim, bytes, capacity, &size));
    cr_assert(tp_sim_decode(twin.sim, bytes, size, at_tick, tp_sim_input_leaf(rig.sim), tp_sim_event_leaf(rig.sim), &error),
              "tick %u: %s", at_tick, error.text);
    free(bytes);
    twin.has_bots = true;
    memcpy(twin.bots, rig.bots, sizeof(rig.bots));
    for (uint32_t i = 0; i < 400; i++) {
        rig_step(&rig);
        rig_step(&twin);
        tp_hash128 root = tp_sim_root(rig.sim);
        cr_assert(tp_hash128_equal(root, tp_sim_root(twin.sim)), "saved at %u, tick %u", at_tick, i);
    }
    rig_close(&rig);
    rig_close(&twin);
}

// Goal: a loaded match goes on as the one that was never saved, in every phase: opening, play, drift, later runs.
Test(runner_state, loaded_equals_never_saved)
{
    for (uint32_t at_tick = 0; at_tick < 6000; at_tick += 487) {
        save_load_twin(1, 30, at_tick);
        save_load_twin(4, 20, at_tick);
    }
}

// Goal: every state that play makes is one that a decoder accepts, with seats changing all the time.
Test(runner_state, every_state_of_play_is_valid)
{
    Rig rig;
    rig_open(&rig, 8, 21, NULL);
    rig_seat_bots(&rig, 4, 25);
    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    tp_pcg32 seats = tp_pcg32_make(1, 1);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t seat = tp_pcg32_below(&seats, 400);
        if (seat < 8) {
            rig.presence[0] = (uint8_t)(rig.presence[0] ^ 1u << seat);
        }
        if (seat == 399) {
            rig.presence[0] = 0;
        }
        rig_step(&rig);
        const char *wrong = runner_world.validate(tp_sim_state(rig.sim), &context);
        cr_assert_null(wrong, "tick %u: %s", i, wrong);
    }
    cr_assert_gt(rig.state.game->run, 5);
    rig_close(&rig);
}

// Goal: a full pool drops what it cannot hold and nothing else: the stream of draws is that of a roomy pool.
Test(runner_state, small_pool_has_the_same_stream)
{
    const int64_t small[RUNNER_CONFIG_COUNT] = { 4, 55, 7000, 1800 };
    const int64_t standard[RUNNER_CONFIG_COUNT] = { 48, 55, 7000, 1800 };
    Rig tight;
    Rig roomy;
    rig_open(&tight, 1, 6, small);
    rig_open(&roomy, 1, 6, standard);
    rig_seat_bots(&tight, 1, 0);
    rig_seat_bots(&roomy, 1, 0);
    for (uint32_t i = 0; i < 12000; i++) {
        rig_step(&tight);
        rig_step(&roomy);
        cr_assert_eq(tight.state.game->rng_state, roomy.state.game->rng_state, "tick %u", i);
    }
    cr_assert_gt(tight.state.game->spawns_dropped, 50);
    cr_assert_eq(roomy.state.game->spawns_dropped, 0);
    cr_assert_eq(tight.state.game->run, 1);
    rig_close(&tight);
    rig_close(&roomy);
}

Test(runner_state, restored_equals_never_left)
{
    tp_error error = { "" };
    tp_setup setup = { .seed = 5, .players = 2, .tick_rate_hz = 120 };
    tp_sim_options options = { .ring_capacity = 16 };
    tp_sim *sim = tp_sim_create(&runner_world, &setup, &options, &error);
    cr_assert_not_null(sim, "%s", error.text);
    const uint8_t presence = 3;
    tp_hash128 roots[1200];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = (uint32_t)tp_sim_tick(sim); i < 1200; i++) {
            const uint8_t inputs[2] = {
                i % 97 == 0 ? RUNNER_EDGE_LEFT : 0,
                i % 61 == 0 ? RUNNER_EDGE_RIGHT | RUNNER_EDGE_CONFIRM : 0,
            };
            if (i == 300 && round == 0) {
                cr_assert(tp_sim_snapshot(sim));
            }
            tp_row row = { .presence = &presence, .inputs = inputs };
            cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK);
            tp_hash128 root = tp_sim_root(sim);
            cr_assert(round == 0 || tp_hash128_equal(root, roots[i]), "tick %u", i);
            roots[i] = root;
        }
        cr_assert(round == 1 || tp_sim_restore(sim, 300));
    }
    tp_sim_destroy(sim);
}

Test(runner_state, seeds_differ)
{
    Rig one;
    Rig two;
    rig_open(&one, 1, 2, NULL);
    rig_open(&two, 1, 3, NULL);
    rig_steps(&one, 1000);
    rig_steps(&two, 1000);
    cr_assert_neq(one.state.game->rng_state, two.state.game->rng_state);
    rig_close(&one);
    rig_close(&two);
}

Test(runner_state, last_run_is_the_last)
{
    Rig rig;
    rig_open(&rig, 1, 2, NULL);
    rig.state.game->run = UINT32_MAX;
    rig.state.game->phase = RUNNER_PHASE_READY;
    tp_row row = { .presence = rig.presence, .inputs = rig.inputs };
    tp_error error;
    cr_assert_eq(tp_sim_step(rig.sim, &row, &error), TP_SIM_FAULTED);
    cr_assert_eq(tp_sim_fault(rig.sim)->code, TP_FAULT_CAPACITY);
    rig_close(&rig);
}
