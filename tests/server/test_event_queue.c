// test_event_queue.c: what a full queue drops, and what it never drops.
#include <criterion/criterion.h>

#include "event_queue.h"

Test(event_queue, full_queue_drops_all_but_last_events)
{
    EventQueue  queue;
    ServerEvent event = { .kind = SERVER_EVENT_ROOM_LATE };
    cr_assert(event_queue_init(&queue, SERVER_EVENTS_MAX, 2));
    for (uint64_t i = 0; i < SERVER_EVENTS_MAX + 5; i++) {
        event.tick = i;
        event_queue_push(&queue, &event, false);
    }
    cr_assert_eq(event_queue_dropped(&queue), 5);
    event.kind = SERVER_EVENT_ROOM_DONE;
    event_queue_push(&queue, &event, true);
    event_queue_push(&queue, &event, true);
    for (uint64_t i = 0; i < SERVER_EVENTS_MAX; i++) {
        cr_assert(event_queue_pop(&queue, &event));
        cr_assert_eq(event.tick, i);
    }
    cr_assert(event_queue_pop(&queue, &event));
    cr_assert_eq(event.kind, SERVER_EVENT_ROOM_DONE);
    cr_assert(event_queue_pop(&queue, &event));
    cr_assert_not(event_queue_pop(&queue, &event));
    event_queue_finish(&queue);
}

// Goal: kept events that come more often than there are places for them take others' places, and what finds none is dropped and counted: nothing
// that waits is written over.
Test(event_queue, more_kept_events_than_places)
{
    enum { SHARED = 8, RESERVED = 2, CAPACITY = SHARED + RESERVED, MORE = 5 };
    EventQueue  queue;
    ServerEvent event = { .kind = SERVER_EVENT_RECORD_FAILED };
    cr_assert(event_queue_init(&queue, SHARED, RESERVED));
    for (uint64_t i = 0; i < RESERVED + MORE; i++) {
        event_queue_push(&queue, &event, true);
        cr_assert(event_queue_pop(&queue, &event));
    }
    for (uint64_t i = 0; i < CAPACITY + MORE; i++) {
        event = (ServerEvent){ .kind = SERVER_EVENT_ROOM_CHAT, .tick = i };
        event_queue_push(&queue, &event, i % 2 == 0);
    }
    cr_assert_eq(event_queue_dropped(&queue), MORE);
    for (uint64_t i = 0; i < CAPACITY; i++) {
        cr_assert(event_queue_pop(&queue, &event));
        cr_assert_eq(event.tick, i);
    }
    cr_assert_not(event_queue_pop(&queue, &event));
    event_queue_finish(&queue);
}
