// log_ring.h: a small fixed ring of buffers between a writer's front and its back. The front fills one buffer at a time and
// hands it over; the back takes them in order. When every buffer is handed over and the back is behind, the front waits:
// a log never drops what it was given. Without a second thread the same ring has one buffer and nobody waits.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOG_RING_BUFFERS     = 4,
    LOG_RING_BUFFERS_BIG = 2,               ///< when one holds more than LOG_RING_BIG
    LOG_RING_BIG         = 4 * 1024 * 1024, ///< bytes
};

/// Bytes of whole records with the parts that only the back knows left open.
typedef struct LogBuffer {
    uint8_t *bytes;
    size_t   size;
    bool     has_header;   ///< starts with the file header, which is complete
    bool     wants_sync;
    size_t   ends_at;      ///< with a rotation: where INDEX (if any) and END of the old file start
    size_t   rotates_at;   ///< and where the next file's header does, which IDENT and KEY follow to the end; 0: no rotation
    bool     has_key_twice; ///< with a rotation: the old file has a KEY of that tick already
    uint64_t next_tick;    ///< first tick that is neither in this buffer nor in one before
} LogBuffer;

typedef struct LogRing {
    LogBuffer       buffers[LOG_RING_BUFFERS];
    size_t          capacity; ///< bytes of each
    uint32_t        count, head, tail;
    _Atomic uint32_t full; ///< buffers handed over and not yet released; changed under the mutex, read anywhere
    bool            is_front_waiting, is_back_waiting;
    bool            is_closed;
    bool            is_made;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
} LogRing;

/// False when out of memory; the ring is then finished.
bool log_ring_init(LogRing *ring, size_t capacity, bool is_threaded);
void log_ring_finish(LogRing *ring);

/// Front: whether the back still has a buffer that was handed over.
bool log_ring_is_busy(const LogRing *ring);
/// Front: an empty buffer to fill, waiting for one.
LogBuffer *log_ring_acquire(LogRing *ring);
/// Front: hands the acquired buffer over.
void log_ring_submit(LogRing *ring);
/// Front: no more buffers will come.
void log_ring_close(LogRing *ring);
/// Back: the next full buffer, waiting for one; NULL when the ring is closed and empty.
LogBuffer *log_ring_take(LogRing *ring);
/// Back: the taken buffer is empty again.
void log_ring_release(LogRing *ring);

/// The same lock guards what the two halves publish to each other.
void log_ring_lock(const LogRing *ring);
void log_ring_unlock(const LogRing *ring);
