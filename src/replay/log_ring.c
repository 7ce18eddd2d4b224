// log_ring.c: the ring of log_ring.h, by one mutex and one condition. No thread is made here.
#include "log_ring.h"

#include <stdlib.h>
#include <string.h>

bool log_ring_init(LogRing *ring, size_t capacity, bool is_threaded)
{
    memset(ring, 0, sizeof(*ring));
    ring->capacity = capacity;
    ring->count = !is_threaded ? 1 : capacity > LOG_RING_BIG ? LOG_RING_BUFFERS_BIG : LOG_RING_BUFFERS;
    for (uint32_t i = 0; i < ring->count; i++) {
        ring->buffers[i].bytes = malloc(capacity);
        if (ring->buffers[i].bytes == NULL) {
            log_ring_finish(ring);
            return false;
        }
    }
    if (pthread_mutex_init(&ring->mutex, NULL) != 0) {
        log_ring_finish(ring);
        return false;
    }
    if (pthread_cond_init(&ring->changed, NULL) != 0) {
        pthread_mutex_destroy(&ring->mutex);
        log_ring_finish(ring);
        return false;
    }
    ring->is_made = true;
    return true;
}

void log_ring_finish(LogRing *ring)
{
    if (ring->is_made) {
        pthread_cond_destroy(&ring->changed);
        pthread_mutex_destroy(&ring->mutex);
        ring->is_made = false;
    }
    for (uint32_t i = 0; i < ring->count; i++) {
        free(ring->buffers[i].bytes);
        ring->buffers[i].bytes = NULL;
    }
}

void log_ring_lock(const LogRing *ring)
{
    // Readers of published values have a const writer; the lock is the one part of it that they change.
    pthread_mutex_lock((pthread_mutex_t *)&ring->mutex);
}

void log_ring_unlock(const LogRing *ring)
{
    pthread_mutex_unlock((pthread_mutex_t *)&ring->mutex);
}

// A wake-up is a system call that the tick thread pays for, so it happens only when somebody sleeps, and after the mutex is free: the
// woken thread would otherwise wait for it at once.
static void wake(LogRing *ring, bool is_wanted)
{
    log_ring_unlock(ring);
    if (is_wanted) {
        pthread_cond_broadcast(&ring->changed);
    }
}

LogBuffer *log_ring_acquire(LogRing *ring)
{
    if (ring->full == ring->count) {
        log_ring_lock(ring);
        ring->is_front_waiting = true;
        while (ring->full == ring->count) {
            pthread_cond_wait(&ring->changed, &ring->mutex);
        }
        ring->is_front_waiting = false;
        log_ring_unlock(ring);
    }
    LogBuffer *buffer = &ring->buffers[ring->head];
    buffer->size = 0;
    buffer->has_header = false;
    buffer->wants_sync = false;
    buffer->ends_at = buffer->rotates_at = 0;
    buffer->has_key_twice = false;
    return buffer;
}

bool log_ring_is_busy(const LogRing *ring)
{
    return ring->full > 0;
}

void log_ring_submit(LogRing *ring)
{
    log_ring_lock(ring);
    ring->head = (ring->head + 1) % ring->count;
    ring->full++;
    wake(ring, ring->is_back_waiting);
}

void log_ring_close(LogRing *ring)
{
    log_ring_lock(ring);
    ring->is_closed = true;
    wake(ring, true);
}

LogBuffer *log_ring_take(LogRing *ring)
{
    log_ring_lock(ring);
    ring->is_back_waiting = true;
    while (ring->full == 0 && !ring->is_closed) {
        pthread_cond_wait(&ring->changed, &ring->mutex);
    }
    ring->is_back_waiting = false;
    LogBuffer *buffer = ring->full > 0 ? &ring->buffers[ring->tail] : NULL;
    log_ring_unlock(ring);
    return buffer;
}

void log_ring_release(LogRing *ring)
{
    log_ring_lock(ring);
    ring->tail = (ring->tail + 1) % ring->count;
    ring->full--;
    wake(ring, ring->is_front_waiting);
}
