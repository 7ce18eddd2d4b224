// The state as a host keeps it: the contract, counts, saves, the generator, far ticks, and that play reaches everything.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fighter_data.h"
#include "fighter_rig.h"

Test(fighter_state, world_keeps_the_contract)
{
    tp_error error = { "" };
    cr_assert(tp_world_check(&fighter_world, &error), "%s", error.text);
    cr_assert_eq(tp_record_size(fighter_world.input), 6);
}

// Goal: the six canonical bytes of a pad.
Test(fighter_state, input_bytes)
{
    const FighterInput pad = { .buttons = 0x0113, .stick_x = -127, .stick_y = 1, .c_x = -1, .c_y = 127 };
    const uint8_t expected[6] = { 0x13, 0x01, 0x81, 0x01, 0xff, 0x7f };
    uint8_t bytes[6];
    tp_record_encode(fighter_world.input, &pad, bytes);
    cr_assert_eq(memcmp(bytes, expected, sizeof(bytes)), 0);
}

// Goal: whatever the number of fighters, zero included: steps, roots that change, saves that load.
Test(fighter_state, any_number_of_fighters)
{
    static const uint32_t counts[] = { 0, 1, 2, 8, 64, 99, 100 };
    for (size_t k = 0; k < TP_COUNT_OF(counts); k++) {
        Rig rig;
        Rig loaded;
        rig_open(&rig, counts[k], 4);
        rig_open(&loaded, counts[k], 4);
        tp_hash128 before = tp_sim_root(rig.sim);
        for (uint32_t tick = 0; tick < 400; tick++) {
            rig_play_script(&rig, tick);
            rig_step(&rig);
            tp_hash128 after = tp_sim_root(rig.sim);
            cr_assert(!tp_hash128_equal(before, after));
            before = after;
        }
        size_t capacity = tp_sim_encoded_max(rig.sim);
        uint8_t *bytes = malloc(capacity);
        size_t size = 0;
        tp_error error = { "" };
        cr_assert(tp_sim_encode(rig.sim, bytes, capacity, &size));
        cr_assert_eq(size, 40 + 104 * counts[k] + 16 + 32 * 16);
        cr_assert(tp_sim_decode(loaded.sim, bytes, size, 400, tp_sim_input_leaf(rig.sim), tp_sim_event_leaf(rig.sim), &error), "%s",
                  error.text);
        cr_assert(tp_hash128_equal(before, tp_sim_root(loaded.sim)), "%u fighters", counts[k]);
        free(bytes);
        rig_close(&rig);
        rig_close(&loaded);
    }
}

// Goal: one input for each fighter, no more and no less: anything else is an error that changes nothing.
Test(fighter_state, wrong_counts_are_refused)
{
    Rig rig;
    Rig other;
    rig_open(&rig, 3, 1);
    rig_steps(&rig, 5);
    Fighter before[3];
    memcpy(before, rig.state.fighters, sizeof(before));
    tp_hash128 root = tp_sim_root(rig.sim);
    for (uint32_t players = 0; players <= 8; players++) {
        uint8_t row[64];
        tp_error error = { "" };
        if (players == 3) {
            continue;
        }
        rig_open(&other, players, 1);
        size_t size = rig_row(&other, row, sizeof(row));
        cr_assert_eq(tp_sim_step_bytes(rig.sim, row, size, &error), TP_SIM_REFUSED, "%u inputs for 3 fighters", players);
        cr_assert_neq(error.text[0], '\0');
        rig_close(&other);
    }
    uint8_t row[64];
    tp_error error = { "" };
    size_t size = rig_row(&rig, row, sizeof(row));
    cr_assert_eq(tp_sim_step_bytes(rig.sim, row, size - 1, &error), TP_SIM_REFUSED);
    row[0] |= 8; // a fourth slot
    cr_assert_eq(tp_sim_step_bytes(rig.sim, row, size, &error), TP_SIM_REFUSED);
    cr_assert_eq(tp_sim_tick(rig.sim), 5);
    cr_assert_eq(memcmp(before, rig.state.fighters, sizeof(before)), 0);
    cr_assert(tp_hash128_equal(root, tp_sim_root(rig.sim)));
    rig_step(&rig);
    rig_close(&rig);
}

Test(fighter_state, loaded_equals_never_saved)
{
    for (uint32_t at_tick = 0; at_tick < 1200; at_tick += 97) {
        Rig rig;
        Rig twin;
        uint8_t bytes[4096];
        size_t size = 0;
        tp_error error = { "" };
        rig_open(&rig, 6, 8);
        rig_open(&twin, 6, 8);
        for (uint32_t tick = 0; tick < at_tick + 300; tick++) {
            if (tick == at_tick) {
                cr_assert(tp_sim_encode(rig.sim, bytes, sizeof(bytes), &size));
                cr_assert(tp_sim_decode(twin.sim, bytes, size, tick, tp_sim_input_leaf(rig.sim), tp_sim_event_leaf(rig.sim), &error),
                          "tick %u: %s", tick, error.text);
            }
            rig_play_script(&rig, tick);
            rig_step(&rig);
            if (tick >= at_tick) {
                rig_play_script(&twin, tick);
                rig_step(&twin);
                tp_hash128 root = tp_sim_root(rig.sim);
                cr_assert(tp_hash128_equal(root, tp_sim_root(twin.sim)), "saved at %u, tick %u", at_tick, tick);
            }
        }
        rig_close(&rig);
        rig_close(&twin);
    }
}

Test(fighter_state, restored_equals_never_left)
{
    Rig rig = { .players = 4 };
    tp_error error = { "" };
    rig.config = rig_config();
    tp_setup setup = { .seed = 5, .players = 4, .tick_rate_hz = 60, .config = rig.config.items };
    tp_sim_options options = { .ring_capacity = 16 };
    rig.sim = tp_sim_create(&fighter_world, &setup, &options, &error);
    cr_assert_not_null(rig.sim, "%s", error.text);
    tp_hash128 roots[900];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t tick = (uint32_t)tp_sim_tick(rig.sim); tick < 900; tick++) {
            cr_assert(tick != 200 || round == 1 || tp_sim_snapshot(rig.sim));
            rig_play_script(&rig, tick);
            rig_step(&rig);
            tp_hash128 root = tp_sim_root(rig.sim);
            cr_assert(round == 0 || tp_hash128_equal(root, roots[tick]), "tick %u", tick);
            roots[tick] = root;
        }
        cr_assert(round == 1 || tp_sim_restore(rig.sim, 200));
    }
    rig_close(&rig);
}

// Goal: the generator is state: one flipped bit is another root, at once and for good.
Test(fighter_state, every_bit_of_the_generator_is_in_the_root)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_steps(&rig, 10);
    tp_hash128 before = tp_sim_root(rig.sim);
    for (uint32_t bit = 0; bit < 64; bit++) {
        FighterMatch *match = tp_sim_state(rig.sim);
        match->rng ^= UINT64_C(1) << bit;
        cr_assert(!tp_hash128_equal(before, tp_sim_root(rig.sim)), "bit %u", bit);
        match = tp_sim_state(rig.sim);
        match->rng ^= UINT64_C(1) << bit;
        cr_assert(tp_hash128_equal(before, tp_sim_root(rig.sim)));
    }
    rig_close(&rig);
}

// Goal: one step of xorshift64* a tick, whatever anybody does; going back and stepping again gives the same words.
Test(fighter_state, generator_steps_once_a_tick)
{
    Rig rig;
    rig_open(&rig, 5, 77);
    tp_xorshift64s expected = tp_xorshift64s_from_seed(77);
    cr_assert_eq(rig.state.match->rng, expected.state);
    for (uint32_t tick = 0; tick < 1000; tick++) {
        rig_play_script(&rig, tick);
        rig_step(&rig);
        (void)tp_xorshift64s_next_u64(&expected);
        cr_assert_eq(rig.state.match->rng, expected.state, "tick %u", tick);
    }
    rig_close(&rig);
}

// Goal: seeds side by side are different matches; with `seed | 1` 2 and 3 would be the same.
Test(fighter_state, neighbouring_seeds_differ)
{
    for (uint64_t seed = 0; seed < 64; seed++) {
        Rig one;
        Rig two;
        rig_open(&one, 0, seed);
        rig_open(&two, 0, seed + 1);
        cr_assert_neq(one.state.match->rng, two.state.match->rng);
        rig_close(&one);
        rig_close(&two);
    }
}

// Goal: tick numbers past 32 bits do not disturb a match. The frame of the game it follows has 32 bits and stops there.
Test(fighter_state, far_ticks)
{
    Rig near;
    Rig far;
    uint8_t bytes[4096];
    size_t size = 0;
    tp_error error = { "" };
    rig_open(&near, 2, 1);
    rig_open(&far, 2, 1);
    rig_steps(&near, 3);
    cr_assert(tp_sim_encode(near.sim, bytes, sizeof(bytes), &size));
    cr_assert(tp_sim_decode(far.sim, bytes, size, UINT32_MAX - 99, 0, 0, &error), "%s", error.text);
    for (uint32_t tick = 0; tick < 200; tick++) {
        near.pads[0] = far.pads[0] = rig_script(1, tick);
        rig_step(&near);
        rig_step(&far);
        cr_assert_eq(memcmp(near.state.fighters, far.state.fighters, 2 * sizeof(Fighter)), 0);
        cr_assert(!tp_hash128_equal(tp_sim_root(near.sim), tp_sim_root(far.sim)), "the tick is in the root");
    }
    cr_assert_eq(tp_sim_tick(far.sim), (uint64_t)UINT32_MAX + 101);
    rig_close(&near);
    rig_close(&far);
}

// Goal: the rules count ticks, so another rate is the same states.
Test(fighter_state, any_rate)
{
    Rig usual;
    Rig fast = { .players = 2, .config = rig_config() };
    tp_setup setup = { .seed = 1, .players = 2, .tick_rate_hz = 120, .config = fast.config.items };
    tp_error error = { "" };
    fast.sim = tp_sim_create(&fighter_world, &setup, NULL, &error);
    cr_assert_not_null(fast.sim, "%s", error.text);
    rig_open(&usual, 2, 1);
    for (uint32_t tick = 0; tick < 500; tick++) {
        rig_play_script(&usual, tick);
        rig_play_script(&fast, tick);
        rig_step(&usual);
        rig_step(&fast);
    }
    cr_assert_eq(memcmp(tp_sim_state(usual.sim), tp_sim_state(fast.sim), tp_sim_layout(usual.sim)->block_size), 0);
    rig_close(&usual);
    rig_close(&fast);
}

// Goal: without `predict` the host repeats a pad, held jump and all.
Test(fighter_state, prediction_repeats_the_pad)
{
    FighterInput last = { .buttons = FIGHTER_BUTTON_JUMP, .stick_x = -40 };
    FighterInput guess = { 0 };
    tp_input_predict(&fighter_world, &last, &guess);
    cr_assert_eq(memcmp(&last, &guess, sizeof(last)), 0);
}

// Goal: every item of the config is part of the rules, has an effect, and nothing outside of its range is taken.
static tp_hash128 root_with(FighterConfig item, int64_t value)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_PROJECTILES] = 2;
    config.items[FIGHTER_CONFIG_STOCKS] = 1;
    config.items[FIGHTER_CONFIG_TIME_S] = 20;
    config.items[FIGHTER_CONFIG_REMATCH_S] = 1;
    config.items[item] = value;
    rig_open_with(&rig, 8, 5, config);
    for (uint64_t tick = 0; tick < 3000; tick++) {
        rig_play_lively(&rig, 3, tick);
        rig_step(&rig);
    }
    tp_hash128 sum = tp_fnv128_start(); // of what the fighters do, not of the rules in the root
    sum = tp_fnv128_add(sum, (const uint8_t *)rig.state.fighters, 8 * sizeof(Fighter));
    sum = tp_fnv128_add(sum, (const uint8_t *)rig.state.match, sizeof(FighterMatch));
    rig_close(&rig);
    return sum;
}

Test(fighter_state, every_config_item_counts)
{
    static const int64_t others[FIGHTER_CONFIG_COUNT][2] = {
        { 1, 2 }, { 0, 1 }, { 1, 2 }, { 20, 15 }, { 1, 2 }, { 100, 50 }, { 1, 4 },
        { 0, 1 }, { 1, 2 }, { 2, 0 }, { 0, 1 }, { 1, 2 }, { 2, 0 }, { 0, 1 }, { 1, 2 },
    };
    for (uint32_t i = 0; i < FIGHTER_CONFIG_COUNT; i++) {
        tp_hash128 one = root_with((FighterConfig)i, others[i][0]);
        cr_assert(tp_hash128_equal(one, root_with((FighterConfig)i, others[i][0])));
        cr_assert(!tp_hash128_equal(one, root_with((FighterConfig)i, others[i][1])), "%s has no effect", fighter_world.config[i].name);
    }
}

Test(fighter_state, config_outside_its_range_is_refused)
{
    for (uint32_t i = 0; i < FIGHTER_CONFIG_COUNT; i++) {
        for (int side = 0; side < 2; side++) {
            RigConfig config = rig_config();
            tp_error error = { "" };
            const tp_config_item *item = &fighter_world.config[i];
            config.items[i] = side == 0 ? item->min - 1 : item->max + 1;
            tp_setup setup = { .players = 2, .tick_rate_hz = 60, .config = config.items };
            cr_assert_null(tp_sim_create(&fighter_world, &setup, NULL, &error), "%s", item->name);
            cr_assert_not_null(strstr(error.text, item->name), "%s", error.text);
        }
    }
}

// Goal: the tables are part of the rules: each is content, and no number of them is outside of it.
Test(fighter_state, tables_are_content)
{
    cr_assert_eq(fighter_world.content_count, 3);
    const size_t sizes[] = { sizeof(fighter_kinds), sizeof(fighter_strikes), sizeof(fighter_stages) };
    const void *const tables[] = { fighter_kinds, fighter_strikes, fighter_stages };
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(fighter_world.content[i].data, tables[i]);
        cr_assert_eq(fighter_world.content[i].size, sizes[i]);
        cr_assert_eq(fighter_world.content[i].value_size, 4);
        cr_assert_eq(sizes[i] % 4, 0);
    }
}

// Goal: a hundred fighters do the same things in one tick, and no event of it is dropped.
Test(fighter_state, full_ticks_of_events)
{
    Rig rig;
    rig_open(&rig, FIGHTER_PLAYERS_MAX, 1);
    rig_steps(&rig, 2);
    for (uint32_t i = 0; i < FIGHTER_PLAYERS_MAX; i++) {
        rig.pads[i].buttons = FIGHTER_BUTTON_JUMP;
    }
    rig_steps(&rig, 60);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_JUMPED], 100);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_LANDED], 100);
    for (uint32_t i = 0; i < FIGHTER_PLAYERS_MAX; i++) {
        rig.state.fighters[i].y.raw = FIGHTER_RAW(500);
        rig.state.fighters[i].surface = 0;
        rig.state.fighters[i].action = FIGHTER_ACTION_AIR;
    }
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_KO), 100);
    memset(rig.presence, 0, sizeof(rig.presence));
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_LEFT), 100);
    cr_assert_eq(tp_sim_view(rig.sim).events_dropped, 0);
    rig_close(&rig);
}
