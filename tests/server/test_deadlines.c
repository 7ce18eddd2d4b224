// test_deadlines.c: the heap against the obvious.
#include <criterion/criterion.h>

#include "deadlines.h"

static Deadline take_first(Deadlines *deadlines)
{
    cr_assert_gt(deadlines->count, 0);
    Deadline first = deadlines->items[0];
    cr_assert(deadlines_remove(deadlines, first.room));
    return first;
}

Test(deadlines, come_out_in_total_order)
{
    Deadlines deadlines;
    uint64_t  random = 12345;
    cr_assert(deadlines_init(&deadlines, 500));
    for (uint32_t i = 0; i < 500; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        deadlines_push(&deadlines, (Deadline){ .due_ns = (int64_t)(random >> 58), .room = i });
    }
    Deadline last = take_first(&deadlines);
    while (deadlines.count > 0) {
        Deadline next = take_first(&deadlines);
        cr_assert(last.due_ns < next.due_ns || (last.due_ns == next.due_ns && last.room < next.room));
        last = next;
    }
    deadlines_finish(&deadlines);
}

Test(deadlines, replaced_first_finds_its_place)
{
    Deadlines deadlines;
    cr_assert(deadlines_init(&deadlines, 3));
    for (uint32_t i = 0; i < 3; i++) {
        deadlines_push(&deadlines, (Deadline){ .due_ns = 10 + i, .room = i });
    }
    cr_assert(deadlines_move(&deadlines, deadlines.items[0].room, 100));
    cr_assert_eq(take_first(&deadlines).room, 1);
    cr_assert_eq(take_first(&deadlines).room, 2);
    cr_assert_eq(take_first(&deadlines).room, 0);
    deadlines_finish(&deadlines);
}

Test(deadlines, none_is_fine)
{
    Deadlines deadlines;
    cr_assert(deadlines_init(&deadlines, 0));
    deadlines_finish(&deadlines);
}

// Goal: a deadline that moves, forward or back, keeps the order.
Test(deadlines, move)
{
    enum { COUNT = 50 };
    Deadlines deadlines;
    uint64_t  random = 3;
    cr_assert(deadlines_init(&deadlines, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) {
        deadlines_push(&deadlines, (Deadline){ .due_ns = (int64_t)i * 10, .room = i });
    }
    for (int i = 0; i < 1000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        deadlines_move(&deadlines, (uint32_t)(random >> 33) % COUNT, (int64_t)(random >> 40) % 700);
    }
    deadlines_move(&deadlines, COUNT + 5, 1); // nobody's
    int64_t last_ns = -1;
    for (uint32_t i = 0; i < COUNT; i++) {
        Deadline first = take_first(&deadlines);
        cr_assert_geq(first.due_ns, last_ns);
        last_ns = first.due_ns;
    }
    cr_assert_eq(deadlines.count, 0);
    deadlines_finish(&deadlines);
}

// Goal: whichever one is taken out, the others come in their order, and what is not there is not taken out.
Test(deadlines, remove)
{
    enum { COUNT = 60, ROUNDS = 200 };
    uint64_t random = 11;
    for (int round = 0; round < ROUNDS; round++) {
        Deadlines deadlines;
        bool      is_in[COUNT] = { false };
        cr_assert(deadlines_init(&deadlines, COUNT));
        for (uint32_t i = 0; i < COUNT; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            deadlines_push(&deadlines, (Deadline){ .due_ns = (int64_t)(random >> 57), .room = i });
            is_in[i] = true;
        }
        uint32_t left = COUNT;
        for (int i = 0; i < 45; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint32_t room = (uint32_t)(random >> 33) % COUNT;
            cr_assert_eq(deadlines_remove(&deadlines, room), is_in[room]);
            left -= is_in[room] ? 1 : 0;
            is_in[room] = false;
            cr_assert_eq(deadlines.count, left);
        }
        cr_assert_not(deadlines_remove(&deadlines, COUNT + 1));
        Deadline last = { .due_ns = -1 };
        for (; left > 0; left--) {
            Deadline next = take_first(&deadlines);
            cr_assert(is_in[next.room], "room %u was taken out", next.room);
            is_in[next.room] = false;
            cr_assert(last.due_ns < next.due_ns || (last.due_ns == next.due_ns && last.room < next.room));
            last = next;
        }
        cr_assert_eq(deadlines.count, 0);
        deadlines_finish(&deadlines);
    }
}
