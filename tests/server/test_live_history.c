// test_live_history.c: the ring of rows against a list that keeps everything.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "live_history.h"

static uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *random >> 33;
}

// What tick t was, without keeping it: its size is in the list, its bytes and root follow from it.
static void fill(uint8_t *row, size_t size, uint64_t tick)
{
    for (size_t i = 0; i < size; i++) {
        row[i] = (uint8_t)(tick * 31 + i * 7 + size);
    }
}

static tp_hash128 root_of(uint64_t tick)
{
    return (tp_hash128){ tick * 3, tick ^ 0x5A5A };
}

static bool is_as_added(const History *history, uint64_t tick, size_t size)
{
    uint8_t        expected[600];
    const uint8_t *row = NULL;
    size_t         got = 0;
    tp_hash128     root;
    if (!history_get(history, tick, &row, &got, &root)) {
        return false;
    }
    fill(expected, size, tick);
    cr_assert_eq(got, size, "tick %u", (unsigned)tick);
    cr_assert_arr_eq(row, expected, size);
    cr_assert(tp_hash128_equal(root, root_of(tick)));
    return true;
}

static void add(History *history, uint64_t tick, size_t size)
{
    uint8_t row[600];
    fill(row, size, tick);
    history_add(history, tick, row, size, root_of(tick));
}

// Goal: zeroed it keeps nothing, takes everything, and knows where it stands.
Test(live_history, zeroed_keeps_nothing)
{
    History        history = { 0 };
    const uint8_t *row;
    size_t         size;
    tp_hash128     root;
    add(&history, 41, 9);
    cr_assert_not(history_get(&history, 41, &row, &size, &root));
    cr_assert_eq(history.end, 42);
    cr_assert(history_reserve(&history, 4, 10, 0));
    add(&history, 42, 9);
    cr_assert(is_as_added(&history, 42, 9));
    cr_assert_not(history_get(&history, 43, &row, &size, &root));
    history_finish(&history);
}

// Goal: rows of one size: exactly as many as there is room for, the newest ones, whole, whatever the ring's end is at.
Test(live_history, keeps_the_newest_of_one_size)
{
    for (size_t spare = 0; spare < 12; spare++) {
        History history = { 0 };
        cr_assert(history_reserve(&history, 16, 10, spare));
        for (uint64_t tick = 0; tick < 100; tick++) {
            add(&history, tick, 10);
            uint64_t first = tick < 16 ? 0 : tick - 15;
            cr_assert_eq(history.first, first, "spare %u, tick %u: first %u", (unsigned)spare, (unsigned)tick, (unsigned)history.first);
            for (uint64_t back = first; back <= tick; back++) {
                cr_assert(is_as_added(&history, back, 10));
            }
        }
        history_finish(&history);
    }
}

// Goal: a row larger than everything is not kept, nor what was before it; what comes after is.
Test(live_history, too_large_a_row)
{
    History history = { 0 };
    cr_assert(history_reserve(&history, 8, 10, 0));
    add(&history, 0, 10);
    add(&history, 1, 80);
    cr_assert(is_as_added(&history, 1, 80), "just fits");
    cr_assert_eq(history.first, 1);
    add(&history, 2, 81);
    cr_assert_eq(history.first, 3);
    cr_assert_eq(history.end, 3);
    add(&history, 3, 5);
    cr_assert(is_as_added(&history, 3, 5));
    history_finish(&history);
}

// Goal: more room costs nothing that is kept; less is never made of it, in neither of the two.
Test(live_history, grows_and_never_shrinks)
{
    History history = { 0 };
    cr_assert(history_reserve(&history, 100, 10, 0));
    for (uint64_t tick = 0; tick < 250; tick++) {
        add(&history, tick, 10);
    }
    cr_assert_eq(history.first, 150);
    cr_assert(history_reserve(&history, 50, 400, 0), "fewer ticks of more bytes");
    cr_assert_geq(history.capacity, 100);
    cr_assert(history_reserve(&history, 120, 1, 0), "more ticks of fewer bytes");
    cr_assert_geq(history.size, 20000);
    cr_assert_eq(history.first, 150);
    for (uint64_t tick = 150; tick < 250; tick++) {
        cr_assert(is_as_added(&history, tick, 10));
    }
    for (uint64_t tick = 250; tick < 270; tick++) {
        add(&history, tick, 10);
    }
    cr_assert_eq(history.first, 150);
    add(&history, 270, 10);
    cr_assert_eq(history.first, 151);
    history_finish(&history);
}

typedef struct {
    uint32_t ticks, row_size, spare;
} Plan;

// As small as it can be kept: what the ring may drop for a row of this size, and no more.
static void run_plan(uint64_t seed, Plan plan)
{
    enum { STEPS = 4000 };
    static uint16_t sizes[STEPS];
    History         history = { 0 };
    uint64_t        random = seed;
    uint64_t        begun = 0;
    uint64_t        total = 0;
    cr_assert(history_reserve(&history, plan.ticks, plan.row_size, plan.spare));
    for (uint64_t tick = 0; tick < STEPS; tick++) {
        uint64_t draw = next_random(&random) % 1000;
        if (draw == 0) {
            history_begin(&history, tick);
            begun = tick;
        } else if (draw < 4) {
            plan.ticks += (uint32_t)(next_random(&random) % 20);
            plan.spare += (uint32_t)(next_random(&random) % 100);
            cr_assert(history_reserve(&history, plan.ticks, plan.row_size, plan.spare));
        }
        bool is_large = next_random(&random) % 50 == 0;
        sizes[tick] = (uint16_t)(1 + next_random(&random) % (is_large ? 500 : plan.row_size));
        add(&history, tick, sizes[tick]);
        total += sizes[tick];
        // Against the list: nothing outside of first..end, everything inside, the newest one always, no more than there is room for.
        uint64_t bytes = 0;
        cr_assert_eq(history.end, tick + 1);
        cr_assert_geq(history.first, begun);
        cr_assert_leq(history.end - history.first, history.capacity);
        cr_assert_eq(history.first == tick + 1, sizes[tick] > history.size, "seed %u, tick %u", (unsigned)seed, (unsigned)tick);
        for (uint64_t back = history.first; back <= tick; back++) {
            cr_assert(is_as_added(&history, back, sizes[back]), "seed %u: tick %u of %u", (unsigned)seed, (unsigned)back, (unsigned)tick);
            bytes += sizes[back];
        }
        cr_assert_leq(bytes, history.size);
        cr_assert_not(is_as_added(&history, tick + 1, 1));
        cr_assert(history.first == 0 || !is_as_added(&history, history.first - 1, 1));
    }
    cr_assert_gt(total, 0);
    history_finish(&history);
}

// Goal: thousands of rows of all sizes in rings of all sizes, with rings that grow and begin anew on the way.
Test(live_history, random_against_a_list, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t random = seed;
        Plan     plan = { .ticks = 1 + (uint32_t)(next_random(&random) % 60), .row_size = 1 + (uint32_t)(next_random(&random) % 40),
                          .spare = (uint32_t)(next_random(&random) % 300) };
        run_plan(seed, plan);
    }
}
