#include <criterion/criterion.h>
#include <string.h>

#include "testworld.h"

static tp_row fault_row(tp_sim *sim, TestScript *script, uint64_t tick)
{
    tp_row row = testworld_row(sim, script, tick);
    script->command = (tp_command){ .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
    row.command_count = 1;
    row.commands = &script->command;
    return row;
}

// Goal: after a fault the state is exactly the one before the tick, whatever the distance to the last copy.
Test(sim_fault, state_before_the_fault_comes_back)
{
    for (uint64_t ticks = 0; ticks < 150; ticks += 7) {
        tp_sim    *sim = testworld_run(&testworld_flat, 3, 5, ticks);
        tp_sim    *twin = testworld_run(&testworld_flat, 3, 5, ticks);
        TestScript script;
        tp_error   error;
        tp_row     row = fault_row(sim, &script, ticks);
        cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_FAULTED);
        cr_assert_str_eq(error.text, "world: told to stop");
        cr_assert(tp_sim_is_faulted(sim));
        cr_assert_eq(tp_sim_tick(sim), ticks);
        cr_assert(tp_hash128_equal(tp_sim_root(sim), tp_sim_root(twin)), "%d ticks", (int)ticks);
        cr_assert_arr_eq((uint8_t *)tp_sim_state(sim), (uint8_t *)tp_sim_state(twin), tp_sim_layout(sim)->block_size);
        cr_assert_eq(tp_sim_view(sim).event_count, 0, "the events of the last tick are gone, at every distance alike");
        cr_assert_eq(tp_sim_event_leaf(sim), tp_sim_event_leaf(twin), "their leaf is not");
        cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_REFUSED, "no more ticks after a fault");
        tp_sim_destroy(sim);
        tp_sim_destroy(twin);
    }
}

Test(sim_fault, fault_root_binds_tick_state_and_inputs)
{
    tp_sim    *sims[3];
    tp_hash128 roots[3];
    for (int i = 0; i < 3; i++) {
        TestScript script;
        tp_error   error;
        sims[i] = testworld_run(&testworld_flat, 3, 5, i == 2 ? 81 : 80);
        tp_row row = fault_row(sims[i], &script, 80);
        script.inputs[0] ^= i == 1 ? 4 : 0;
        cr_assert_eq(tp_sim_step(sims[i], &row, &error), TP_SIM_FAULTED);
        roots[i] = tp_sim_fault_root(sims[i]);
    }
    cr_assert_not(tp_hash128_equal(roots[0], roots[1]), "another input");
    cr_assert_not(tp_hash128_equal(roots[0], roots[2]), "another tick");
    cr_assert_not(tp_hash128_equal(roots[0], tp_sim_root(sims[0])));
    for (int i = 0; i < 3; i++) {
        tp_sim_destroy(sims[i]);
    }
}

// Goal: one world's fault leaves its neighbours alone.
Test(sim_fault, other_worlds_go_on)
{
    tp_sim    *sim = testworld_run(&testworld_flat, 3, 5, 10);
    tp_sim    *other = testworld_run(&testworld_flat, 3, 5, 10);
    TestScript script;
    tp_error   error;
    tp_row     row = fault_row(sim, &script, 10);
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_FAULTED);
    row = testworld_row(other, &script, 10);
    cr_assert_eq(tp_sim_step(other, &row, &error), TP_SIM_OK);
    tp_sim_destroy(sim);
    tp_sim_destroy(other);
}

// Goal: an opaque world faults by a returned status, and comes back through its own save and load.
Test(sim_fault, opaque_world_returns_its_fault)
{
    tp_sim    *sim = testworld_run(&testworld_opaque, 2, 5, 100);
    tp_sim    *twin = testworld_run(&testworld_opaque, 2, 5, 100);
    TestScript script;
    tp_error   error;
    tp_row     row = testworld_row(sim, &script, 40);
    script.inputs[0] = 7;
    script.inputs[2] = 1; // the first slot faults after it has changed the chain
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_FAULTED);
    cr_assert(tp_hash128_equal(tp_sim_root(sim), tp_sim_root(twin)));
    tp_sim_destroy(sim);
    tp_sim_destroy(twin);
}

// Goal: a journal full of commands is a new copy, not a lost row.
Test(sim_fault, comes_back_past_many_commands)
{
    static uint8_t data[64];
    tp_command     commands[TP_COMMANDS_MAX];
    tp_sim        *sims[2] = { testworld_run(&testworld_flat, 1, 5, 0), testworld_run(&testworld_flat, 1, 5, 0) };
    TestScript     script;
    tp_error       error;
    for (int i = 0; i < TP_COMMANDS_MAX; i++) {
        commands[i] = (tp_command){ .source = 0, .type = TESTWORLD_COMMAND_TEXT, .size = sizeof(data), .data = data };
    }
    for (uint64_t tick = 0; tick < 40; tick++) {
        for (int i = 0; i < 2; i++) {
            tp_row row = testworld_row(sims[i], &script, tick);
            row.command_count = TP_COMMANDS_MAX;
            row.commands = commands;
            cr_assert_eq(tp_sim_step(sims[i], &row, &error), TP_SIM_OK, "%s", error.text);
        }
    }
    tp_row row = fault_row(sims[0], &script, 40);
    cr_assert_eq(tp_sim_step(sims[0], &row, &error), TP_SIM_FAULTED);
    cr_assert(tp_hash128_equal(tp_sim_root(sims[0]), tp_sim_root(sims[1])));
    tp_sim_destroy(sims[0]);
    tp_sim_destroy(sims[1]);
}
