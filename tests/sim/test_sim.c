#include <criterion/criterion.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "testworld.h"

static void step(tp_sim *sim, uint64_t tick)
{
    TestScript script;
    tp_error   error = { "" };
    tp_row     row = testworld_row(sim, &script, tick);
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK, "%s", error.text);
}

static void equal_roots(const tp_world *world, uint32_t players)
{
    tp_sim *a = testworld_run(world, players, 5, 0);
    tp_sim *b = testworld_run(world, players, 5, 0);
    tp_sim *other = testworld_run(world, players, 6, 0);
    cr_assert_not(tp_hash128_equal(tp_sim_root(a), tp_sim_root(other)), "the seed is in every root");
    for (uint64_t tick = 0; tick < 500; tick++) {
        step(a, tick);
        step(b, tick);
        cr_assert(tp_hash128_equal(tp_sim_root(a), tp_sim_root(b)), "tick %d", (int)tick);
    }
    tp_sim_destroy(a);
    tp_sim_destroy(b);
    tp_sim_destroy(other);
}

Test(sim, same_inputs_same_roots)
{
    equal_roots(&testworld_flat, 0);
    equal_roots(&testworld_flat, 1);
    equal_roots(&testworld_flat, 16);
    equal_roots(&testworld_opaque, 2);
}

// Goal: the root is made of exactly the leaves that are shown, by the documented formula.
Test(sim, root_is_the_documented_hash_of_its_leaves)
{
    tp_sim *sim = testworld_run(&testworld_flat, 3, 5, 40);
    uint64_t leaves[64];
    uint32_t count = tp_sim_leaves(sim, leaves, 64);
    tp_hash128 root = tp_root_combine(TP_HASH_XXH3, tp_sim_rules(sim)->id, 39, leaves, count, leaves[count], leaves[count + 1]);
    cr_assert(tp_hash128_equal(root, tp_sim_root(sim)));
    cr_assert_eq(leaves[count], tp_sim_input_leaf(sim));
    cr_assert_eq(leaves[count + 1], tp_sim_event_leaf(sim));
    cr_assert_str_eq(tp_sim_leaf_name(sim, 0), "game");
    cr_assert_str_eq(tp_sim_leaf_name(sim, 3), "balls");
    cr_assert_str_eq(tp_sim_leaf_name(sim, count), "inputs");
    tp_sim_destroy(sim);
}

// Goal: every single bit of a sim section, and no bit of a derived one, moves the root.
Test(sim, every_bit_of_the_state_is_in_the_root)
{
    tp_sim          *sim = testworld_run(&testworld_flat, 2, 5, 40);
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t         *block = tp_sim_state(sim);
    tp_hash128       good = tp_sim_root(sim);
    for (uint32_t bit = 0; bit < layout->block_size * 8; bit++) {
        block = tp_sim_state(sim);
        block[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        bool is_sim = bit / 8 < layout->section_offset[TESTWORLD_CACHE];
        cr_assert_eq(!tp_hash128_equal(good, tp_sim_root(sim)), is_sim, "byte %u", bit / 8);
        block = tp_sim_state(sim);
        block[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    cr_assert(tp_hash128_equal(good, tp_sim_root(sim)));
    tp_sim_destroy(sim);
}

// Goal: an input that changes nothing in the state still changes the root of its tick, and of no later one.
Test(sim, input_without_effect_moves_one_root)
{
    tp_sim    *a = testworld_run(&testworld_flat, 2, 5, 10);
    tp_sim    *b = testworld_run(&testworld_flat, 2, 5, 10);
    TestScript script;
    tp_error   error;
    tp_row     row = testworld_row(a, &script, 13);
    cr_assert_eq(tp_sim_step(a, &row, &error), TP_SIM_OK);
    script.inputs[2] |= 4; // a button the world ignores, and slot 1 is not in the history
    cr_assert_eq(tp_sim_step(b, &row, &error), TP_SIM_OK);
    cr_assert_not(tp_hash128_equal(tp_sim_root(a), tp_sim_root(b)));
    step(a, 11);
    step(b, 11);
    cr_assert(tp_hash128_equal(tp_sim_root(a), tp_sim_root(b)));
    tp_sim_destroy(a);
    tp_sim_destroy(b);
}

// Goal: where an input came from is never in a root.
Test(sim, origin_moves_no_root)
{
    tp_sim    *a = testworld_run(&testworld_flat, 2, 5, 10);
    tp_sim    *b = testworld_run(&testworld_flat, 2, 5, 10);
    TestScript script;
    tp_error   error;
    tp_row     row = testworld_row(a, &script, 13);
    cr_assert_eq(tp_sim_step(a, &row, &error), TP_SIM_OK);
    script.origins[0] ^= 0x0F;
    cr_assert_eq(tp_sim_step(b, &row, &error), TP_SIM_OK);
    cr_assert(tp_hash128_equal(tp_sim_root(a), tp_sim_root(b)));
    tp_sim_destroy(a);
    tp_sim_destroy(b);
}

static void refuse(tp_sim *sim, const tp_row *row, const char *expected)
{
    tp_error   error = { "" };
    tp_hash128 before = tp_sim_root(sim);
    cr_assert_eq(tp_sim_step(sim, row, &error), TP_SIM_REFUSED);
    cr_assert_not_null(strstr(error.text, expected), "'%s' does not say '%s'", error.text, expected);
    cr_assert(tp_hash128_equal(before, tp_sim_root(sim)), "a refused row changes nothing");
}

Test(sim, illegal_rows_are_refused_and_change_nothing)
{
    tp_sim    *sim = testworld_run(&testworld_flat, 2, 5, 10);
    uint8_t    presence[1] = { 3 };
    uint8_t    inputs[4] = { 0 };
    uint8_t    data[65] = { 0 };
    tp_command command = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_TEXT, .size = 65, .data = data };
    tp_row     row = { .presence = presence, .inputs = inputs };

    inputs[1] = 0x80;
    refuse(sim, &row, "slot 0: input.stick is -128");
    inputs[1] = 0;
    presence[0] = 7;
    refuse(sim, &row, "presence has bits past slot 1");
    presence[0] = 1;
    inputs[2] = 1;
    refuse(sim, &row, "slot 1 is absent but has an input");
    inputs[2] = 0;
    row.command_count = 1;
    row.commands = &command;
    refuse(sim, &row, "command 'text' of 65 bytes: at most 64");
    command.size = 7;
    command.type = TESTWORLD_COMMAND_KICK;
    refuse(sim, &row, "command 'kick' of 7 bytes: 8");
    command.size = 8;
    bytes_put_u32(data, 200);
    refuse(sim, &row, "kick.slot is 200");
    command.type = 3;
    refuse(sim, &row, "command type 3: the world has 3");
    command.type = TESTWORLD_COMMAND_TEXT;
    command.source = 2;
    refuse(sim, &row, "from slot 2 of 2");
    cr_assert_eq(tp_sim_tick(sim), 10);
    tp_sim_destroy(sim);
}

// Goal: stepping on encoded rows is stepping on rows.
Test(sim, row_bytes_equal_rows)
{
    tp_sim  *a = testworld_run(&testworld_flat, 5, 5, 0);
    tp_sim  *b = testworld_run(&testworld_flat, 5, 5, 0);
    uint8_t  bytes[4096];
    tp_error error;
    for (uint64_t tick = 0; tick < 200; tick++) {
        TestScript script;
        tp_row     row = testworld_row(a, &script, tick);
        size_t     size = tp_row_encode(tp_sim_layout(a), &row, bytes, sizeof(bytes));
        cr_assert_gt(size, 0);
        cr_assert_eq(tp_sim_step(a, &row, &error), TP_SIM_OK);
        cr_assert_eq(tp_sim_step_bytes(b, bytes, size, &error), TP_SIM_OK, "%s", error.text);
        cr_assert(tp_hash128_equal(tp_sim_root(a), tp_sim_root(b)));
        cr_assert_eq(tp_sim_step_bytes(b, bytes, size - 1, &error), TP_SIM_REFUSED);
        cr_assert_eq(tp_sim_step_bytes(b, bytes, size + 1, &error), TP_SIM_REFUSED);
    }
    tp_sim_destroy(a);
    tp_sim_destroy(b);
}

// Goal: one event too many is dropped and counted, and the count is in the root.
Test(sim, dropped_events_are_counted)
{
    tp_sim     *sim = testworld_run(&testworld_flat, 16, 5, 0);
    TestPlayer *players = (TestPlayer *)(void *)((uint8_t *)tp_sim_state(sim) + tp_sim_layout(sim)->section_offset[TESTWORLD_PLAYERS]);
    TestScript  script;
    tp_error    error;
    for (uint32_t i = 0; i < 16; i++) {
        players[i].x.raw = 6553600;
        players[i].speed.raw = 65536;
    }
    tp_row row = testworld_row(sim, &script, 20);
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK);
    tp_view view = tp_sim_view(sim);
    cr_assert_eq(view.event_count, 8);
    cr_assert_gt(view.events_dropped, 0);
    cr_assert_eq(view.events[0].type, TESTWORLD_EVENT_BOUNCE);
    cr_assert_eq(view.events[0].tick, 0);
    tp_sim_destroy(sim);
}

// Goal: nothing is allocated per tick. mallinfo2 counts every block of this process.
Test(sim, steps_without_allocating)
{
    tp_sim *sim = testworld_run(&testworld_flat, 4, 5, 10);
    step(sim, 10);
    tp_sim_root(sim);
    struct mallinfo2 before = mallinfo2();
    for (uint64_t tick = 11; tick < 2000; tick++) {
        step(sim, tick);
        tp_sim_root(sim);
    }
    struct mallinfo2 after = mallinfo2();
    cr_assert_eq(before.uordblks, after.uordblks);
    tp_sim_destroy(sim);
}

Test(sim, rules_bind_every_number_of_the_setup)
{
    tp_setup  setup = testworld_setup(&testworld_flat, 2, 9);
    int64_t   config[] = { 8, 5 };
    tp_rules *rules = malloc(2 * sizeof(tp_rules));
    tp_layout layout;
    tp_error  error;
    setup.config = config;
    cr_assert(tp_layout_init(&layout, &testworld_flat, &setup, &error));
    cr_assert(tp_rules_init(&rules[0], &layout, TP_HASH_XXH3, &error));
    for (int change = 0; change < 5; change++) {
        tp_setup other = setup;
        int64_t  numbers[] = { 8, 5 };
        other.config = numbers;
        other.seed += change == 0;
        other.players += change == 1;
        other.tick_rate_hz += change == 2;
        numbers[1] += change == 3;
        tp_hash_algorithm algorithm = change == 4 ? TP_HASH_FNV1A128 : TP_HASH_XXH3;
        cr_assert(tp_layout_init(&layout, &testworld_flat, &other, &error));
        cr_assert(tp_rules_init(&rules[1], &layout, algorithm, &error));
        cr_assert_not(tp_hash128_equal(rules[0].id, rules[1].id), "change %d", change);
    }
    free(rules);
}
