// deadlines.c: the heap.
#include "deadlines.h"

#include <assert.h>
#include <stdlib.h>

bool deadlines_init(Deadlines *deadlines, uint32_t capacity)
{
    *deadlines = (Deadlines){ .capacity = capacity };
    deadlines->items = calloc(capacity > 0 ? capacity : 1, sizeof(*deadlines->items));
    return deadlines->items != NULL;
}

void deadlines_finish(Deadlines *deadlines)
{
    free(deadlines->items);
    *deadlines = (Deadlines){ 0 };
}

static bool is_before(const Deadline *a, const Deadline *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->room < b->room;
}

static void swap(Deadline *a, Deadline *b)
{
    Deadline held = *a;
    *a = *b;
    *b = held;
}

static void sink(Deadlines *deadlines, uint32_t at)
{
    for (;;) {
        uint32_t first = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < deadlines->count; child++) {
            if (is_before(&deadlines->items[child], &deadlines->items[first])) {
                first = child;
            }
        }
        if (first == at) {
            return;
        }
        swap(&deadlines->items[at], &deadlines->items[first]);
        at = first;
    }
}

// Where it comes to rest.
static uint32_t rise(Deadlines *deadlines, uint32_t at)
{
    while (at > 0 && is_before(&deadlines->items[at], &deadlines->items[(at - 1) / 2])) {
        swap(&deadlines->items[at], &deadlines->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    return at;
}

void deadlines_push(Deadlines *deadlines, Deadline deadline)
{
    assert(deadlines->count < deadlines->capacity);
    deadlines->items[deadlines->count] = deadline;
    rise(deadlines, deadlines->count++);
}

// The first one is asked for most.
static uint32_t find(const Deadlines *deadlines, uint32_t room)
{
    uint32_t at = 0;
    while (at < deadlines->count && deadlines->items[at].room != room) {
        at++;
    }
    return at;
}

bool deadlines_move(Deadlines *deadlines, uint32_t room, int64_t due_ns)
{
    uint32_t at = find(deadlines, room);
    if (at == deadlines->count) {
        return false;
    }
    deadlines->items[at].due_ns = due_ns;
    sink(deadlines, rise(deadlines, at));
    return true;
}

bool deadlines_remove(Deadlines *deadlines, uint32_t room)
{
    uint32_t at = find(deadlines, room);
    if (at == deadlines->count) {
        return false;
    }
    deadlines->items[at] = deadlines->items[--deadlines->count];
    if (at < deadlines->count) {
        sink(deadlines, rise(deadlines, at));
    }
    return true;
}
