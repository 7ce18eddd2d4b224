// logqueue.h: lines on their way to a descriptor that may not take them: a pipe whose reader sleeps, a terminal that is held. Who puts a
// line in never waits; a thread of the queue's own writes. What does not fit is dropped and counted, and the next line that fits comes
// behind one that says how many are missing.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    LOGQUEUE_LINES_MAX = 4096,    ///< that wait to be written
    LOGQUEUE_BYTES_MAX = 4194304, ///< likewise
    LOGQUEUE_FINISH_MS = 1000,    ///< what a program gives the lines that still wait at its end
};

typedef struct LogQueue LogQueue;

typedef struct LogQueueOptions {
    int    fd;                    ///< written to, never closed. The process must ignore SIGPIPE
    size_t lines_max, bytes_max;  ///< 0: those above
    /// Prints a line that says that so many are missing before the next one. Called inside put and finish.
    void (*missing)(FILE *out, void *to, uint64_t count);
    void  *missing_to;
} LogQueueOptions;

/// NULL: out of memory, or no thread.
LogQueue *logqueue_create(const LogQueueOptions *options);
/// Whole lines, each with its newline; copied. One thread's call. Lines that cannot be written any more, since nobody is at the other
/// end, are thrown away. `text` NULL: a line that there was no memory for counts as dropped.
void      logqueue_put(LogQueue *queue, const char *text, size_t size);
/// Waits until all is written, at most so long. True: it is, and the queue is gone. False: the thread is stuck; it keeps the queue, and
/// goes with the process. Whatever else is written to the descriptor may get stuck as well.
bool      logqueue_finish(LogQueue *queue, uint32_t wait_ms);
