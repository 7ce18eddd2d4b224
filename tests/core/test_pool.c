#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tickproof/checksum.h"
#include "tickproof/pool.h"
#include "tickproof/rng.h"

#define THING_FIELDS(S, F, A, H) F(S, i32, value, "count", TP_ANY) F(S, u32, spare, "count", TP_ANY)
TP_POOL_DECLARE(Thing, thing, THING_FIELDS, "things")

enum { SLOTS_MAX = 65536 };

typedef struct {
    tp_pool_head head;
    Thing        slots[8];
} Small;

static ThingPool small_pool(Small *small, uint32_t capacity)
{
    ThingPool pool = { &small->head, small->slots, capacity };
    memset(small, 0xA5, sizeof(*small)); // init must not depend on what was there
    thing_pool_init(&pool);
    return pool;
}

static ThingHandle make(ThingPool *pool, int32_t value)
{
    ThingHandle handle = thing_create(pool);
    Thing      *thing = thing_get(pool, handle);
    if (thing != NULL) {
        thing->value = value;
    }
    return handle;
}

static tp_hash128 hash_of(const ThingPool *pool)
{
    uint8_t bytes[sizeof(Small)];
    memcpy(bytes, pool->head, sizeof(*pool->head));
    memcpy(bytes + sizeof(*pool->head), pool->slots, pool->capacity * sizeof(Thing));
    return tp_hash128_of(TP_HASH_FNV1A128, bytes, sizeof(*pool->head) + pool->capacity * sizeof(Thing));
}

Test(pool, stale_handle_does_not_resolve_to_the_new_occupant)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 4);
    ThingHandle old = make(&pool, 1);
    thing_destroy(&pool, old);
    ThingHandle new = make(&pool, 2);
    cr_assert_eq(old.index, new.index);
    cr_assert_null(thing_get(&pool, old));
    cr_assert_eq(thing_get(&pool, new)->value, 2);
}

Test(pool, fresh_pool_hands_out_ascending_indices_of_generation_one)
{
    Small     small;
    ThingPool pool = small_pool(&small, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ThingHandle handle = thing_create(&pool);
        cr_assert_eq(handle.index, i);
        cr_assert_eq(handle.generation, 1);
    }
    cr_assert_eq(pool.head->live, 4);
}

// Goal: generation 0 is never handed out, so {0, 0} means none even while slot 0 is live.
Test(pool, null_handle_never_resolves)
{
    Small     small;
    ThingPool pool = small_pool(&small, 4);
    make(&pool, 7);
    cr_assert_null(thing_get(&pool, thing_none()));
    cr_assert_not(thing_contains(&pool, thing_none()));
}

Test(pool, generation_counts_both_births_and_deaths)
{
    Small     small;
    ThingPool pool = small_pool(&small, 1);
    for (uint32_t k = 0; k < 100; k++) {
        ThingHandle handle = thing_create(&pool);
        cr_assert_eq(handle.generation, 2 * k + 1);
        cr_assert(thing_destroy(&pool, handle));
        cr_assert_eq(pool.slots[0].generation, 2 * k + 2);
    }
}

Test(pool, full_pool_changes_nothing)
{
    Small     small;
    ThingPool pool = small_pool(&small, 2);
    make(&pool, 1);
    ThingHandle second = make(&pool, 2);
    Small       before = small;
    cr_assert(thing_handle_equal(thing_create(&pool), thing_none()));
    cr_assert_arr_eq(&before, &small, sizeof(small));
    thing_destroy(&pool, second);
    cr_assert_eq(thing_create(&pool).index, 1);
}

Test(pool, bad_destroys_are_no_ops)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 4);
    ThingHandle live = make(&pool, 1);
    ThingHandle stale = make(&pool, 2);
    thing_destroy(&pool, stale);
    Small before = small;
    cr_assert_not(thing_destroy(&pool, stale), "double");
    cr_assert_not(thing_destroy(&pool, thing_none()), "null");
    cr_assert_not(thing_destroy(&pool, (ThingHandle){ 4, 1 }), "past the end");
    cr_assert_not(thing_destroy(&pool, (ThingHandle){ UINT32_MAX, 1 }), "far past the end");
    cr_assert_not(thing_destroy(&pool, (ThingHandle){ live.index, live.generation + 2 }), "from the future");
    cr_assert_arr_eq(&before, &small, sizeof(small));
}

Test(pool, last_freed_is_first_reused)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 4);
    ThingHandle a = make(&pool, 1);
    ThingHandle b = make(&pool, 2);
    ThingHandle c = make(&pool, 3);
    thing_destroy(&pool, a);
    thing_destroy(&pool, b);
    thing_destroy(&pool, c);
    cr_assert_eq(thing_create(&pool).index, c.index);
    cr_assert_eq(thing_create(&pool).index, b.index);
    cr_assert_eq(thing_create(&pool).index, a.index);
}

// Goal: an even generation never resolves, not even when it equals the slot's.
Test(pool, forged_handles_resolve_to_nothing)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 4);
    ThingHandle dead = make(&pool, 1);
    thing_destroy(&pool, dead);
    make(&pool, 5);
    make(&pool, 6);
    uint32_t found = 0;
    for (uint32_t index = 0; index < 8; index++) {
        for (uint32_t generation = 0; generation < 8; generation++) {
            ThingHandle handle = { index, generation };
            cr_assert_eq(thing_contains(&pool, handle), thing_get(&pool, handle) != NULL);
            found += thing_contains(&pool, handle) ? 1 : 0;
        }
    }
    cr_assert_eq(found, 2, "exactly the two live handles resolve");
}

Test(pool, iterates_by_ascending_index)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 8);
    ThingHandle handles[6];
    for (int32_t i = 0; i < 6; i++) {
        handles[i] = make(&pool, i);
    }
    thing_destroy(&pool, handles[2]);
    thing_destroy(&pool, handles[4]);
    uint32_t seen = 0;
    for (uint32_t i = thing_first(&pool); i < pool.capacity; i = thing_after(&pool, i)) {
        seen = seen * 10 + i;
        cr_assert_not_null(thing_get(&pool, thing_handle_at(&pool, i)));
    }
    cr_assert_eq(seen, 135, "0, 1, 3 and 5 in that order (read as digits)");
}

Test(pool, destroying_while_iterating_skips_what_is_gone)
{
    Small     small;
    ThingPool pool = small_pool(&small, 4);
    for (int32_t i = 0; i < 4; i++) {
        make(&pool, i);
    }
    int32_t sum = 0;
    for (uint32_t i = thing_first(&pool); i < pool.capacity; i = thing_after(&pool, i)) {
        sum += pool.slots[i].value;
        if (i == 1) {
            thing_destroy(&pool, thing_handle_at(&pool, 1)); // current
            thing_destroy(&pool, thing_handle_at(&pool, 0)); // earlier
            thing_destroy(&pool, thing_handle_at(&pool, 2)); // later
        }
    }
    cr_assert_eq(sum, 0 + 1 + 3);
    cr_assert_eq(pool.head->live, 1);
}

// Goal: the rule for spawning inside a loop: visited in the same pass exactly when the index is ahead.
Test(pool, created_while_iterating_is_visited_if_ahead)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 8);
    ThingHandle handles[4];
    for (int32_t i = 0; i < 4; i++) {
        handles[i] = make(&pool, i);
    }
    thing_destroy(&pool, handles[0]);
    thing_destroy(&pool, handles[3]); // the free list is now 3, 0, 4, 5, ...
    uint32_t visited = 0;
    for (uint32_t i = thing_first(&pool); i < pool.capacity; i = thing_after(&pool, i)) {
        visited |= 1u << i;
        if (i == 1) {
            cr_assert_eq(make(&pool, 10).index, 3, "ahead of the cursor");
            cr_assert_eq(make(&pool, 11).index, 0, "behind it");
        }
    }
    cr_assert_eq(visited, 1u << 1 | 1u << 2 | 1u << 3);
}

Test(pool, clear_leaves_the_free_list_descending)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 4);
    ThingHandle handles[4];
    for (int32_t i = 0; i < 4; i++) {
        handles[i] = make(&pool, i);
    }
    thing_clear(&pool);
    cr_assert_eq(pool.head->live, 0);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_null(thing_get(&pool, handles[i]), "old handles stay dead");
        cr_assert_eq(thing_create(&pool).index, 3 - i);
    }
}

Test(pool, cleared_is_not_fresh)
{
    Small     one;
    Small     two;
    ThingPool fresh = small_pool(&one, 4);
    ThingPool cleared = small_pool(&two, 4);
    make(&cleared, 1);
    thing_clear(&cleared);
    cr_assert_not(tp_hash128_equal(hash_of(&fresh), hash_of(&cleared)));
}

// Goal: no handle is ever valid twice: a slot retires before its generation wraps.
Test(pool, slot_retires_before_the_generation_wraps)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 2);
    ThingHandle first = make(&pool, 1);
    thing_destroy(&pool, first);
    pool.slots[0].generation = TP_POOL_GENERATION_LAST - 1;
    ThingHandle last = make(&pool, 2);
    cr_assert_eq(last.index, 0);
    cr_assert_eq(last.generation, TP_POOL_GENERATION_LAST);
    cr_assert(thing_destroy(&pool, last));
    cr_assert_eq(pool.head->retired, 1);
    cr_assert_eq(make(&pool, 3).index, 1, "the retired slot is out of the list");
    cr_assert(thing_handle_equal(thing_create(&pool), thing_none()));
    cr_assert_null(thing_get(&pool, first));
    cr_assert_null(thing_get(&pool, last));
    cr_assert_null(thing_pool_validate(&pool));
    thing_clear(&pool);
    cr_assert_eq(pool.head->retired, 1, "clear does not bring it back");
}

static void fill_and_drain(uint32_t capacity)
{
    tp_pool_head head;
    Thing       *slots = calloc(capacity + 1, sizeof(Thing));
    ThingPool    pool = { &head, slots, capacity };
    thing_pool_init(&pool);
    for (uint32_t i = 0; i < capacity; i++) {
        cr_assert_eq(thing_create(&pool).index, i);
    }
    cr_assert(thing_handle_equal(thing_create(&pool), thing_none()));
    for (uint32_t i = 0; i < capacity; i++) {
        cr_assert(thing_destroy(&pool, (ThingHandle){ i, 1 }));
    }
    cr_assert_eq(head.live, 0);
    cr_assert_null(thing_pool_validate(&pool));
    free(slots);
}

Test(pool, capacities_at_the_edges)
{
    fill_and_drain(0);
    fill_and_drain(1);
    fill_and_drain(65535);
    fill_and_drain(SLOTS_MAX);
}

Test(pool, live_count_holds_through_churn)
{
    Small       small;
    ThingPool   pool = small_pool(&small, 8);
    ThingHandle handles[8] = { { 0, 0 } };
    tp_pcg32    rng = tp_pcg32_make(1, 1);
    for (int step = 0; step < 10000; step++) {
        uint32_t at = tp_pcg32_below(&rng, 8);
        if (thing_contains(&pool, handles[at])) {
            thing_destroy(&pool, handles[at]);
        } else {
            handles[at] = make(&pool, step);
        }
        uint32_t counted = 0;
        for (uint32_t i = thing_first(&pool); i < pool.capacity; i = thing_after(&pool, i)) {
            counted++;
        }
        cr_assert_eq(counted, pool.head->live);
        cr_assert_null(thing_pool_validate(&pool));
    }
}

// Goal: freed slots are zeroed, so two histories that end alike are the same bytes.
Test(pool, stale_values_do_not_show)
{
    Small     one;
    Small     two;
    ThingPool a = small_pool(&one, 4);
    ThingPool b = small_pool(&two, 4);
    thing_destroy(&a, make(&a, 111));
    thing_destroy(&b, make(&b, 222));
    cr_assert_arr_eq(&one.slots, &two.slots, 4 * sizeof(Thing));
    cr_assert(tp_hash128_equal(hash_of(&a), hash_of(&b)));
}

// Goal: free-list order is state: it decides the next indices.
Test(pool, order_of_frees_changes_the_hash)
{
    Small       one;
    Small       two;
    ThingPool   a = small_pool(&one, 4);
    ThingPool   b = small_pool(&two, 4);
    ThingHandle a0 = make(&a, 1);
    ThingHandle a1 = make(&a, 1);
    ThingHandle b0 = make(&b, 1);
    ThingHandle b1 = make(&b, 1);
    thing_destroy(&a, a0);
    thing_destroy(&a, a1);
    thing_destroy(&b, b1);
    thing_destroy(&b, b0);
    cr_assert_not(tp_hash128_equal(hash_of(&a), hash_of(&b)));
}

Test(pool, copy_is_a_snapshot)
{
    Small     small;
    ThingPool pool = small_pool(&small, 4);
    make(&pool, 1);
    thing_destroy(&pool, make(&pool, 2));
    Small       saved = small;
    ThingHandle expected = make(&pool, 3);
    make(&pool, 4);
    small = saved;
    cr_assert(thing_handle_equal(make(&pool, 3), expected));
}

// Goal: what validate exists for: each kind of forged pool is refused.
Test(pool, validate_refuses_forged_pools)
{
    Small     small;
    ThingPool pool = small_pool(&small, 4);
    make(&pool, 1);
    make(&pool, 2);
    Small good = small;
    cr_assert_null(thing_pool_validate(&pool));

    small.head.live = 3;
    cr_assert_str_eq(thing_pool_validate(&pool), "the count of live slots is wrong");
    small = good;
    small.slots[2].next_free = 2;
    cr_assert_str_eq(thing_pool_validate(&pool), "the free list does not end", "a cycle");
    small = good;
    small.head.free_head = 0;
    cr_assert_str_eq(thing_pool_validate(&pool), "the free list holds a slot that is not free");
    small = good;
    small.head.free_head = 3;
    cr_assert_str_eq(thing_pool_validate(&pool), "the free list ends too early");
    small = good;
    small.slots[3].value = 5;
    cr_assert_str_eq(thing_pool_validate(&pool), "a free slot's value is not zero");
    small = good;
    small.slots[0].next_free = 1;
    cr_assert_str_eq(thing_pool_validate(&pool), "a live slot has a link");
    small = good;
    small.head.retired = 1;
    cr_assert_str_eq(thing_pool_validate(&pool), "the count of retired slots is wrong");
    small = good;
    small.slots[0].generation = UINT32_MAX;
    cr_assert_str_eq(thing_pool_validate(&pool), "a slot's generation is past the last");
}
