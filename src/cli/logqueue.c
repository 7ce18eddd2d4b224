// logqueue.c: a ring of bytes, and the thread that empties it.
#include "logqueue.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WRITE_MAX = 65536 };

struct LogQueue {
    LogQueueOptions options;
    pthread_mutex_t lock;
    pthread_cond_t  filled;  // there is something to write, or nothing will come any more
    pthread_cond_t  emptied; // something was written
    pthread_t       thread;
    char           *bytes;
    size_t          first, size; // of what waits; it may go round the end
    size_t          lines;
    uint64_t        missing;
    bool            is_closed; // nothing more is put in
    bool            is_broken; // nothing can be written any more
};

// Until all is written, or it cannot be. False: it cannot.
static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd wait = { .fd = fd, .events = POLLOUT }; // somebody else's setting of what the descriptor stands for
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static size_t count_lines(const char *bytes, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == '\n' ? 1 : 0;
    }
    return count;
}

// One stretch of the ring. It stays in its place, and counts, until it is written: nobody writes over what is not free. With the lock
// held, which is let go meanwhile.
static void write_some(LogQueue *queue)
{
    const char *bytes = queue->bytes + queue->first;
    size_t      size = queue->options.bytes_max - queue->first;
    size = size < queue->size ? size : queue->size;
    size = size < WRITE_MAX ? size : WRITE_MAX;
    pthread_mutex_unlock(&queue->lock);
    bool   is_written = write_all(queue->options.fd, bytes, size);
    size_t lines = count_lines(bytes, size);
    pthread_mutex_lock(&queue->lock);
    queue->first = (queue->first + size) % queue->options.bytes_max;
    queue->size -= size;
    queue->lines -= lines;
    if (!is_written) {
        queue->is_broken = true;
        queue->size = queue->lines = 0;
    }
    pthread_cond_signal(&queue->emptied);
}

static void *run(void *argument)
{
    LogQueue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    while (!queue->is_closed || queue->size > 0) {
        if (queue->size > 0) {
            write_some(queue);
        } else {
            pthread_cond_wait(&queue->filled, &queue->lock);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

// Signals are for the threads that were there before.
static bool start(LogQueue *queue)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&queue->thread, NULL, run, queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static void destroy(LogQueue *queue)
{
    pthread_cond_destroy(&queue->filled);
    pthread_cond_destroy(&queue->emptied);
    pthread_mutex_destroy(&queue->lock);
    free(queue->bytes);
    free(queue);
}

LogQueue *logqueue_create(const LogQueueOptions *options)
{
    pthread_condattr_t monotonic;
    LogQueue          *queue = calloc(1, sizeof(*queue));
    if (queue == NULL) {
        return NULL;
    }
    queue->options = *options;
    queue->options.lines_max = options->lines_max > 0 ? options->lines_max : LOGQUEUE_LINES_MAX;
    queue->options.bytes_max = options->bytes_max > 0 ? options->bytes_max : LOGQUEUE_BYTES_MAX;
    queue->bytes = malloc(queue->options.bytes_max); // the system gives what is touched
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->filled, NULL);
    pthread_cond_init(&queue->emptied, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (queue->bytes == NULL || !start(queue)) {
        destroy(queue);
        return NULL;
    }
    return queue;
}

static bool has_room(const LogQueue *queue, size_t lines, size_t size)
{
    return queue->lines + lines <= queue->options.lines_max && size <= queue->options.bytes_max - queue->size;
}

static void append(LogQueue *queue, const char *text, size_t size, size_t lines)
{
    size_t at = (queue->first + queue->size) % queue->options.bytes_max;
    size_t before_end = queue->options.bytes_max - at;
    size_t first = size < before_end ? size : before_end;
    assert(has_room(queue, lines, size));
    memcpy(queue->bytes + at, text, first);
    memcpy(queue->bytes, text + first, size - first);
    queue->size += size;
    queue->lines += lines;
    pthread_cond_signal(&queue->filled);
}

// The line about missing ones, when there are some and it fits with so much behind it. False: it does not.
static bool append_missing(LogQueue *queue, size_t lines, size_t size)
{
    char  *text = NULL;
    size_t used = 0;
    if (queue->missing == 0) {
        return has_room(queue, lines, size);
    }
    FILE *out = open_memstream(&text, &used);
    if (out == NULL) {
        return false;
    }
    queue->options.missing(out, queue->options.missing_to, queue->missing);
    bool is_printed = fclose(out) == 0;
    bool is_fitting = is_printed && has_room(queue, lines + count_lines(text, used), size + used);
    if (is_fitting) {
        append(queue, text, used, count_lines(text, used));
        queue->missing = 0;
    }
    free(text);
    return is_fitting;
}

void logqueue_put(LogQueue *queue, const char *text, size_t size)
{
    size_t lines = text != NULL ? count_lines(text, size) : 1;
    pthread_mutex_lock(&queue->lock);
    if (queue->is_broken) {
        // nobody reads
    } else if (text != NULL && append_missing(queue, lines, size)) {
        append(queue, text, size, lines);
    } else {
        queue->missing += lines;
    }
    pthread_mutex_unlock(&queue->lock);
}

static struct timespec in_ms(uint32_t wait_ms)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += wait_ms / 1000;
    time.tv_nsec += (long)(wait_ms % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec += 1;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

bool logqueue_finish(LogQueue *queue, uint32_t wait_ms)
{
    struct timespec until = in_ms(wait_ms);
    bool            is_late = false;
    pthread_mutex_lock(&queue->lock);
    // Lines that are missing at the very end are said, too: as soon as that fits.
    while (!queue->is_broken && !is_late && ((queue->missing > 0 && !append_missing(queue, 0, 0)) || queue->size > 0)) {
        is_late = pthread_cond_timedwait(&queue->emptied, &queue->lock, &until) == ETIMEDOUT;
    }
    bool is_written = queue->is_broken || queue->size == 0;
    queue->is_closed = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
    if (!is_written) {
        pthread_detach(queue->thread);
        return false;
    }
    pthread_join(queue->thread, NULL);
    destroy(queue);
    return true;
}
