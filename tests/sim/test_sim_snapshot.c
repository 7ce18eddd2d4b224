#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testworld.h"

static tp_sim *make(const tp_world *world, uint32_t ring)
{
    tp_setup       setup = testworld_setup(world, 3, 5);
    tp_sim_options options = { .ring_capacity = ring };
    tp_error       error = { "" };
    tp_sim        *sim = tp_sim_create(world, &setup, &options, &error);
    cr_assert_not_null(sim, "%s", error.text);
    return sim;
}

static void step(tp_sim *sim, uint64_t tick)
{
    TestScript script;
    tp_error   error = { "" };
    tp_row     row = testworld_row(sim, &script, tick);
    cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK, "%s", error.text);
}

// Goal: rolled back and stepped again equals never rolled back, at every distance.
static void roll_back(const tp_world *world)
{
    tp_sim    *straight = make(world, 0);
    tp_sim    *rolled = make(world, 8);
    tp_hash128 roots[200];
    for (uint64_t tick = 0; tick < 200; tick++) {
        step(straight, tick);
        roots[tick] = tp_sim_root(straight);
    }
    for (uint64_t tick = 0; tick < 200; tick++) {
        cr_assert(tp_sim_snapshot(rolled));
        step(rolled, tick);
        uint64_t distance = tick % 8;
        if (tick >= distance && tick > 8) {
            cr_assert(tp_sim_restore(rolled, tick - distance));
            cr_assert(tp_hash128_equal(tp_sim_root(rolled), roots[tick - distance - 1]), "the root of the tick before continues");
            for (uint64_t again = tick - distance; again <= tick; again++) {
                step(rolled, again);
            }
        }
        cr_assert(tp_hash128_equal(tp_sim_root(rolled), roots[tick]), "tick %d", (int)tick);
    }
    tp_sim_destroy(straight);
    tp_sim_destroy(rolled);
}

Test(sim_snapshot, rolled_back_equals_never_rolled_back)
{
    roll_back(&testworld_flat);
    roll_back(&testworld_opaque);
}

Test(sim_snapshot, restore_of_what_is_not_kept_changes_nothing)
{
    tp_sim *sim = make(&testworld_flat, 2);
    for (uint64_t tick = 0; tick < 5; tick++) {
        cr_assert(tp_sim_snapshot(sim));
        step(sim, tick);
    }
    tp_hash128 root = tp_sim_root(sim);
    cr_assert_not(tp_sim_restore(sim, 2), "the ring of two keeps 3 and 4");
    cr_assert(tp_hash128_equal(root, tp_sim_root(sim)));
    cr_assert_eq(tp_sim_snapshot_size(sim, 2), 0);
    cr_assert_eq(tp_sim_snapshot_size(sim, 3), tp_sim_layout(sim)->block_size);
    cr_assert(tp_sim_restore(sim, 3));
    cr_assert_eq(tp_sim_tick(sim), 3);
    tp_sim_destroy(sim);
}

// Goal: snapshots of an opaque world have the length of their own state.
Test(sim_snapshot, lengths_vary_with_the_state)
{
    tp_sim *sim = make(&testworld_opaque, 64);
    size_t  sizes[2] = { SIZE_MAX, 0 };
    for (uint64_t tick = 0; tick < 60; tick++) {
        cr_assert(tp_sim_snapshot(sim));
        size_t size = tp_sim_snapshot_size(sim, tick);
        sizes[0] = size < sizes[0] ? size : sizes[0];
        sizes[1] = size > sizes[1] ? size : sizes[1];
        step(sim, tick);
    }
    cr_assert_lt(sizes[0], sizes[1]);
    tp_sim_destroy(sim);
}

// Goal: encoded, memory poisoned, decoded in another sim, and the next ticks agree, events and free lists included.
static void reload(const tp_world *world)
{
    tp_sim  *saved = make(world, 0);
    uint8_t *bytes = malloc(tp_sim_encoded_max(saved));
    size_t   size = 0;
    tp_error error = { "" };
    for (uint64_t tick = 0; tick < 300; tick++) {
        step(saved, tick);
        if (tick % 23 != 0) {
            continue;
        }
        tp_sim *loaded = make(world, 0);
        cr_assert(tp_sim_encode(saved, bytes, tp_sim_encoded_max(saved), &size));
        cr_assert(tp_sim_decode(loaded, bytes, size, tick + 1, tp_sim_input_leaf(saved), tp_sim_event_leaf(saved), &error), "%s", error.text);
        cr_assert(tp_hash128_equal(tp_sim_root(loaded), tp_sim_root(saved)));
        tp_sim *twin = make(world, 0);
        for (uint64_t again = 0; again <= tick; again++) {
            step(twin, again);
        }
        for (uint64_t ahead = tick + 1; ahead < tick + 20; ahead++) {
            step(loaded, ahead);
            step(twin, ahead);
            cr_assert(tp_hash128_equal(tp_sim_root(loaded), tp_sim_root(twin)));
        }
        tp_sim_destroy(loaded);
        tp_sim_destroy(twin);
    }
    free(bytes);
    tp_sim_destroy(saved);
}

Test(sim_snapshot, loaded_equals_never_saved)
{
    reload(&testworld_flat);
    reload(&testworld_opaque);
}

Test(sim_snapshot, refused_bytes_leave_the_sim_as_it_was)
{
    const tp_world *worlds[] = { &testworld_flat, &testworld_opaque };
    for (int i = 0; i < 2; i++) {
        tp_sim    *sim = make(worlds[i], 0);
        uint8_t   *bytes = malloc(tp_sim_encoded_max(sim));
        size_t     size = 0;
        tp_error   error;
        step(sim, 0);
        tp_hash128 root = tp_sim_root(sim);
        cr_assert(tp_sim_encode(sim, bytes, tp_sim_encoded_max(sim), &size));
        cr_assert_not(tp_sim_decode(sim, bytes, size - 1, 1, 0, 0, &error));
        memset(bytes, 0xFF, size);
        cr_assert_not(tp_sim_decode(sim, bytes, size, 1, 0, 0, &error));
        cr_assert_eq(tp_sim_tick(sim), 1);
        cr_assert(tp_hash128_equal(root, tp_sim_root(sim)));
        free(bytes);
        tp_sim_destroy(sim);
    }
}
