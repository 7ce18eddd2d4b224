// event_queue.h: events on their way from a worker thread to the main thread: a ring with a lock that is taken once per event,
// never per tick.
#pragma once

#include <uv.h>

#include "server.h"

typedef struct EventQueue {
    uv_mutex_t   mutex;
    ServerEvent *events; ///< capacity of them
    uint32_t     capacity, reserved, first, count;
    uint64_t     dropped;
} EventQueue;

/// `shared` places are for whoever comes, `reserved` ones are kept for events that may not be lost: of those exactly so many may come at
/// most. False when out of memory.
bool event_queue_init(EventQueue *queue, uint32_t shared, uint32_t reserved);
void event_queue_finish(EventQueue *queue);
/// Copies the event. With `is_kept` there is always a place; else a full queue drops and counts it.
void event_queue_push(EventQueue *queue, const ServerEvent *event, bool is_kept);
/// False when empty.
bool     event_queue_pop(EventQueue *queue, ServerEvent *event);
uint64_t event_queue_dropped(EventQueue *queue);
