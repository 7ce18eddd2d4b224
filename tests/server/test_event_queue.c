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
