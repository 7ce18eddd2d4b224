// event_queue.c: the ring.
#include "event_queue.h"

#include <stdlib.h>

bool event_queue_init(EventQueue *queue, uint32_t shared, uint32_t reserved)
{
    *queue = (EventQueue){ .capacity = shared + reserved, .reserved = reserved };
    queue->events = calloc(queue->capacity, sizeof(*queue->events));
    if (queue->events == NULL) {
        return false;
    }
    if (uv_mutex_init(&queue->mutex) != 0) {
        free(queue->events);
        queue->events = NULL;
        return false;
    }
    return true;
}

void event_queue_finish(EventQueue *queue)
{
    if (queue->events != NULL) {
        uv_mutex_destroy(&queue->mutex);
        free(queue->events);
        queue->events = NULL;
    }
}

void event_queue_push(EventQueue *queue, const ServerEvent *event, bool is_kept)
{
    uv_mutex_lock(&queue->mutex);
    uint32_t limit = is_kept ? queue->capacity : queue->capacity - queue->reserved;
    if (queue->count < limit) {
        queue->events[(queue->first + queue->count) % queue->capacity] = *event;
        queue->count += 1;
        // A kept event that found its place stays reserved for nobody else.
        queue->reserved -= is_kept && queue->reserved > 0 ? 1 : 0;
    } else {
        queue->dropped += 1;
    }
    uv_mutex_unlock(&queue->mutex);
}

bool event_queue_pop(EventQueue *queue, ServerEvent *event)
{
    uv_mutex_lock(&queue->mutex);
    bool has_one = queue->count > 0;
    if (has_one) {
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->count -= 1;
    }
    uv_mutex_unlock(&queue->mutex);
    return has_one;
}

uint64_t event_queue_dropped(EventQueue *queue)
{
    uv_mutex_lock(&queue->mutex);
    uint64_t dropped = queue->dropped;
    uv_mutex_unlock(&queue->mutex);
    return dropped;
}
