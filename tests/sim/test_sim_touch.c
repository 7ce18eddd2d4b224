// Hashing and copying only what a step told of, held against hashing and copying everything.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tickproof/rng.h"
#include "touchpair.h"

enum { SEEDS = 12, MOVES = 500 };

typedef struct {
    TouchPair pair;
    tp_pcg32  rng;
    uint8_t  *bytes; // canonical state kept at some time
    size_t    size;
    uint64_t  tick, input_leaf, event_leaf;
    uint32_t  faults, restores, decodes;
} Schedule;

static uint32_t draw(Schedule *schedule, uint32_t bound)
{
    return tp_pcg32_below(&schedule->rng, bound);
}

static void move_step(Schedule *schedule)
{
    uint32_t kind = draw(schedule, 40);
    uint8_t  action = kind < 3 ? TOUCHWORLD_BURST : kind < 10 ? TOUCHWORLD_NOTE : kind == 39 ? TOUCHWORLD_FAULT : 0;
    uint8_t  place = (uint8_t)draw(schedule, 16);
    if (!tp_sim_is_faulted(schedule->pair.told)) {
        tp_sim_status status = touchpair_step(&schedule->pair, action, place);
        cr_assert_eq(status, action == TOUCHWORLD_FAULT ? TP_SIM_FAULTED : TP_SIM_OK);
        schedule->faults += status == TP_SIM_FAULTED ? 1 : 0;
    }
}

static void move_snapshot(Schedule *schedule)
{
    cr_assert(tp_sim_snapshot(schedule->pair.told));
    cr_assert(tp_sim_snapshot(schedule->pair.whole));
}

static void move_restore(Schedule *schedule)
{
    tp_sim            *told = schedule->pair.told;
    const SimSnapshot *snapshot = &told->ring[draw(schedule, told->ring_capacity)];
    if (snapshot->is_set) {
        uint64_t tick = snapshot->tick;
        cr_assert(tp_sim_restore(told, tick));
        cr_assert(tp_sim_restore(schedule->pair.whole, tick));
        schedule->restores += 1;
    }
}

static void move_encode(Schedule *schedule)
{
    tp_sim *told = schedule->pair.told;
    cr_assert(tp_sim_encode(told, schedule->bytes, tp_sim_encoded_max(told), &schedule->size));
    schedule->tick = tp_sim_tick(told);
    schedule->input_leaf = tp_sim_input_leaf(told);
    schedule->event_leaf = tp_sim_event_leaf(told);
}

static void move_decode(Schedule *schedule)
{
    tp_error error = { "" };
    tp_sim  *sims[] = { schedule->pair.told, schedule->pair.whole };
    for (int i = 0; schedule->size > 0 && i < 2; i++) {
        cr_assert_not(tp_sim_decode(sims[i], schedule->bytes, schedule->size - 1, 1, 0, 0, &error));
        cr_assert(tp_sim_decode(sims[i], schedule->bytes, schedule->size, schedule->tick, schedule->input_leaf, schedule->event_leaf, &error),
                  "%s", error.text);
        schedule->decodes += 1;
    }
}

static void move(Schedule *schedule)
{
    uint32_t kind = draw(schedule, 100);
    if (kind < 55) {
        move_step(schedule);
    } else if (kind < 78) {
        move_snapshot(schedule);
    } else if (kind < 94) {
        move_restore(schedule);
    } else if (kind < 97) {
        move_encode(schedule);
    } else {
        move_decode(schedule);
    }
}

// `before` may change the pair first.
static void run_schedule(uint64_t seed, void (*before)(TouchPair *pair), Schedule *schedule)
{
    *schedule = (Schedule){ .pair = touchpair_make(seed), .rng = tp_pcg32_make(seed, 1) };
    schedule->bytes = malloc(tp_sim_encoded_max(schedule->pair.told));
    if (before != NULL) {
        before(&schedule->pair);
    }
    for (int i = 0; i < MOVES; i++) {
        move(schedule);
        touchpair_check_maps(schedule->pair.told);
        bool is_hashed = draw(schedule, 3) == 0;
        touchpair_check_equal(&schedule->pair, is_hashed);
        touchpair_check_maps(schedule->pair.told);
    }
    free(schedule->bytes);
    touchpair_finish(&schedule->pair);
}

Test(sim_touch, any_schedule_equals_whole)
{
    Schedule all = { .faults = 0 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Schedule schedule;
        run_schedule(seed, NULL, &schedule);
        all.faults += schedule.faults;
        all.restores += schedule.restores;
        all.decodes += schedule.decodes;
    }
    cr_assert_gt(all.faults, SEEDS, "the schedules do not come to what they are for");
    cr_assert_gt(all.restores, 30 * SEEDS);
    cr_assert_gt(all.decodes, 2 * SEEDS);
}

static void use_encoder(TouchPair *pair)
{
    pair->told->layout.is_native_canonical = false;
}

// Goal: on a machine whose bytes are not the canonical ones, clean leaves may be skipped the same way.
Test(sim_touch, any_schedule_equals_whole_by_the_encoder)
{
    Schedule schedule;
    run_schedule(77, use_encoder, &schedule);
}

static void lend(TouchPair *pair)
{
    (void)tp_sim_state(pair->told);
}

Test(sim_touch, any_schedule_equals_whole_when_lent)
{
    Schedule schedule;
    run_schedule(78, lend, &schedule);
}

// Goal: the pointer may be kept, so what is written through it ticks later, and told by nobody, is in roots and snapshots.
Test(sim_touch, lent_block_is_never_believed)
{
    TouchPair pair = touchpair_make(4);
    uint8_t  *blocks[] = { tp_sim_state(pair.told), tp_sim_state(pair.whole) };
    for (int i = 0; i < 20; i++) {
        touchpair_step(&pair, 0, 0);
        blocks[0][100000 + 5000 * i] ^= 1;
        blocks[1][100000 + 5000 * i] ^= 1;
        cr_assert(tp_sim_snapshot(pair.told));
        cr_assert(tp_sim_snapshot(pair.whole));
        touchpair_check_equal(&pair, true);
        blocks[0][100001 + 5000 * i] ^= 1;
        blocks[1][100001 + 5000 * i] ^= 1;
        if (i % 4 == 3) {
            cr_assert(tp_sim_restore(pair.told, tp_sim_tick(pair.told) - 2));
            cr_assert(tp_sim_restore(pair.whole, tp_sim_tick(pair.whole) - 2));
        }
    }
    touchpair_check_equal(&pair, true);
    touchpair_finish(&pair);
}

// Goal: work is really left out. What was spoiled where nothing changes stays spoiled; where something changes it is put right.
Test(sim_touch, clean_leaves_are_not_hashed_again)
{
    TouchPair pair = touchpair_make(5);
    touchpair_step(&pair, 0, 0);
    (void)tp_sim_root(pair.told);
    uint32_t count = pair.told->leaf_count;
    for (uint32_t i = 0; i < count; i++) {
        pair.told->leaves[i] ^= 1;
    }
    touchpair_step(&pair, 0, 0);
    (void)tp_sim_root(pair.told);
    (void)tp_sim_root(pair.whole);
    uint32_t hashed = 0;
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(pair.told->leaves[i] | 1, pair.whole->leaves[i] | 1, "spoiled in one bit, or hashed again");
        hashed += pair.told->leaves[i] == pair.whole->leaves[i] ? 1 : 0;
    }
    cr_assert_geq(hashed, 2, "head and tail change in every step");
    cr_assert_leq(hashed, 2 + 6 + 2 + 1, "six cells and their marks are in no more leaves than this");
    cr_assert_lt(hashed, count);
    touchpair_finish(&pair);
}

static uint32_t count_copied(const tp_sim *sim, const SimSnapshot *snapshot, uint8_t spoil)
{
    uint32_t copied = 0;
    for (uint32_t page = 0; page < sim->touch.pages; page++) {
        copied += snapshot->bytes[(size_t)page * TP_TOUCH_PAGE] != spoil ? 1 : 0;
    }
    return copied;
}

// Goal: the second snapshot into a place copies a few pages, and so does going back to it.
Test(sim_touch, clean_pages_are_not_copied_again)
{
    enum { SPOIL = 0xEE, FEW = 40 };
    TouchPair    pair = touchpair_make(6);
    tp_sim      *sim = pair.told;
    SimSnapshot *place = &sim->ring[0];
    for (int i = 0; i <= TOUCHPAIR_RING; i++) {
        memset(place->bytes, SPOIL, i == TOUCHPAIR_RING ? sim->layout.block_size : 0);
        cr_assert(tp_sim_snapshot(sim));
        touchpair_step(&pair, 0, 0);
    }
    uint32_t copied = count_copied(sim, place, SPOIL);
    cr_assert_geq(copied, 2);
    cr_assert_leq(copied, TOUCHPAIR_RING * FEW);
    cr_assert_lt(copied, sim->touch.pages);

    // The recover snapshot takes its turns the same way.
    memset(sim->recover.bytes, SPOIL, sim->layout.block_size);
    for (int i = 0; i < TOUCHPAIR_RECOVER; i++) {
        touchpair_step(&pair, 0, 0);
    }
    copied = count_copied(sim, &sim->recover, SPOIL);
    cr_assert_geq(copied, 2);
    cr_assert_lt(copied, sim->touch.pages);

    cr_assert(tp_sim_snapshot(sim));
    touchpair_step(&pair, 0, 0);
    uint8_t *block = sim->state;
    uint8_t  kept = block[128 * TP_TOUCH_PAGE];
    block[128 * TP_TOUCH_PAGE] ^= 1; // told by nobody, in a page that nothing wrote
    cr_assert(tp_sim_restore(sim, tp_sim_tick(sim) - 1));
    cr_assert_eq(block[128 * TP_TOUCH_PAGE], kept ^ 1, "a page that did not change was copied back");

    // What has just come back is what its place holds: keeping it again copies nothing.
    place = &sim->ring[(sim->ring_next + TOUCHPAIR_RING - 1) % TOUCHPAIR_RING];
    cr_assert_eq(place->tick, tp_sim_tick(sim));
    memset(place->bytes, SPOIL, sim->layout.block_size);
    cr_assert(tp_sim_snapshot(sim));
    cr_assert_eq(count_copied(sim, place, SPOIL), 0);
    touchpair_finish(&pair);
}
