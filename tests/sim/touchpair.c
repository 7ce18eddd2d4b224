#include "touchpair.h"

#include <criterion/criterion.h>
#include <string.h>

tp_setup touchpair_setup(uint64_t seed)
{
    return (tp_setup){ .seed = seed, .players = TOUCHWORLD_PLAYERS, .tick_rate_hz = 60 };
}

static tp_sim *make(const tp_world *world, uint64_t seed)
{
    tp_setup       setup = touchpair_setup(seed);
    tp_sim_options options = { .ring_capacity = TOUCHPAIR_RING, .recover_ticks = TOUCHPAIR_RECOVER };
    tp_error       error = { "" };
    tp_sim        *sim = tp_sim_create(world, &setup, &options, &error);
    cr_assert_not_null(sim, "%s", error.text);
    return sim;
}

TouchPair touchpair_make(uint64_t seed)
{
    TouchPair pair = { .told = make(&touchworld, seed), .whole = make(&touchworld_whole, seed) };
    cr_assert(pair.told->touch.is_on);
    cr_assert_not(pair.whole->touch.is_on);
    return pair;
}

void touchpair_finish(TouchPair *pair)
{
    tp_sim_destroy(pair->told);
    tp_sim_destroy(pair->whole);
}

tp_sim_status touchpair_step(TouchPair *pair, uint8_t action, uint8_t place)
{
    uint8_t       bytes[1 + 2 * TOUCHWORLD_PLAYERS];
    tp_row        row = touchworld_row(bytes, action, place);
    tp_error      error = { "" };
    tp_sim_status status = tp_sim_step(pair->told, &row, &error);
    cr_assert_eq(tp_sim_step(pair->whole, &row, &error), status, "%s", error.text);
    return status;
}

static void check_rings(const TouchPair *pair)
{
    for (uint32_t i = 0; i < pair->told->ring_capacity; i++) {
        const SimSnapshot *told = &pair->told->ring[i];
        const SimSnapshot *whole = &pair->whole->ring[i];
        cr_assert_eq(told->is_set, whole->is_set);
        if (told->is_set) {
            cr_assert_eq(told->tick, whole->tick);
            cr_assert_eq(told->input_leaf, whole->input_leaf);
            cr_assert_eq(told->event_leaf, whole->event_leaf);
            cr_assert_eq(told->size, whole->size);
            cr_assert_eq(memcmp(told->bytes, whole->bytes, whole->size), 0, "the snapshot of tick %d", (int)told->tick);
        }
    }
}

void touchpair_check_equal(TouchPair *pair, bool is_hashed)
{
    enum { LEAVES_MAX = 64 };
    tp_sim  *told = pair->told;
    tp_sim  *whole = pair->whole;
    uint64_t tick = tp_sim_tick(told);
    cr_assert_eq(tick, tp_sim_tick(whole));
    cr_assert_eq(memcmp(told->state, whole->state, whole->layout.block_size), 0, "tick %d", (int)tick);
    cr_assert_eq(tp_sim_is_faulted(told), tp_sim_is_faulted(whole));
    check_rings(pair);
    if (!is_hashed) {
        return;
    }
    uint64_t leaves[2][LEAVES_MAX];
    uint32_t count = tp_sim_leaves(told, leaves[0], LEAVES_MAX);
    cr_assert_eq(tp_sim_leaves(whole, leaves[1], LEAVES_MAX), count);
    cr_assert_lt(count + 2, LEAVES_MAX);
    cr_assert_arr_eq(leaves[0], leaves[1], (count + 2) * sizeof(uint64_t), "tick %d", (int)tick);
    cr_assert(tp_hash128_equal(tp_sim_root(told), tp_sim_root(whole)), "tick %d", (int)tick);
    cr_assert(tp_hash128_equal(tp_sim_fault_root(told), tp_sim_fault_root(whole)), "tick %d", (int)tick);
}

static bool is_in(const tp_sim *sim, uint32_t map, uint32_t page)
{
    const uint8_t *bits = (const uint8_t *)(sim->touch.maps + (size_t)map * sim->touch.words);
    return (bits[page / 8] >> (page % 8) & 1) != 0;
}

static void check_snapshot(const tp_sim *sim, const SimSnapshot *snapshot)
{
    const uint8_t *state = sim->state;
    for (uint32_t page = 0; page < sim->touch.pages; page++) {
        size_t offset = (size_t)page * TP_TOUCH_PAGE;
        size_t left = sim->layout.block_size - offset;
        size_t size = left < TP_TOUCH_PAGE ? left : TP_TOUCH_PAGE;
        bool   is_known = is_in(sim, SIM_MAP_TOLD, page) || is_in(sim, snapshot->map, page);
        cr_assert(is_known || memcmp(state + offset, snapshot->bytes + offset, size) == 0, "map %u has lost page %u", snapshot->map, page);
    }
}

void touchpair_check_maps(const tp_sim *sim)
{
    const tp_layout *layout = &sim->layout;
    uint32_t         leaf = 0;
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        for (size_t at = 0; at < layout->section_canonical_size[i]; at += TP_LEAF_SIZE, leaf++) {
            size_t left = layout->section_canonical_size[i] - at;
            size_t size = left < TP_LEAF_SIZE ? left : TP_LEAF_SIZE;
            size_t offset = layout->section_offset[i] + at;
            bool   is_known = false;
            for (size_t page = offset / TP_TOUCH_PAGE; page <= (offset + size - 1) / TP_TOUCH_PAGE; page++) {
                is_known = is_known || is_in(sim, SIM_MAP_TOLD, (uint32_t)page) || is_in(sim, SIM_MAP_LEAVES, (uint32_t)page);
            }
            uint64_t hash = tp_hash64(sim->rules.algorithm, (const uint8_t *)sim->state + offset, size);
            cr_assert(is_known || hash == sim->leaves[leaf], "leaf %u is stale and nobody knows", leaf);
        }
    }
    check_snapshot(sim, &sim->recover);
    for (uint32_t i = 0; i < sim->ring_capacity; i++) {
        check_snapshot(sim, &sim->ring[i]);
    }
}
