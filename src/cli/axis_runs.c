// axis_runs.c: other runs in this process: one before, or several beside. What they leave behind, or do meanwhile, must change nothing.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_internal.h"
#include "files.h"

typedef struct {
    uint8_t *bytes;
    size_t   size, capacity;
} Buffer;

typedef struct {
    pthread_t        thread;
    bool             is_started;
    AxisRuns        *runs;
    uint32_t         number;
    tp_trace_options options;
    Buffer           sidecar;
    tp_verdict       verdict;
    char             message[TP_MESSAGE_SIZE];
} Other;

// How far each run is, so that they go tick by tick beside each other. A run that is over waits for nobody and is waited for by nobody.
enum { WAITS_MAX = 100, TOGETHER_TICKS = 16 };
#define IS_OVER UINT64_MAX

struct AxisRuns {
    LogFile          file;
    tp_trace_options options; ///< the caller's, without its hooks
    bool             is_going;
    uint32_t         count; ///< other threads
    _Atomic uint64_t places[AXIS_THREADS_MAX]; ///< ticks that each run has begun; 0 is this thread's
    Other            others[AXIS_THREADS_MAX];
};

static bool keep_bytes(void *self, const uint8_t *bytes, size_t size)
{
    Buffer *buffer = self;
    if (size > buffer->capacity - buffer->size) {
        size_t   capacity = (buffer->capacity + size) * 2;
        uint8_t *grown = realloc(buffer->bytes, capacity);
        if (grown == NULL) {
            return false;
        }
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}

// A log that ends early, or in a fault, was stepped all the same.
static bool was_stepped(tp_verdict verdict)
{
    return verdict == TP_VERIFIED || verdict == TP_TRUNCATED || verdict == TP_CORRUPT || verdict == TP_INCOMPLETE;
}

static tp_trace_options plain_options(const tp_trace_options *options)
{
    tp_trace_options plain;
    tp_trace_options_standard(&plain);
    plain.find_world = options->find_world;
    plain.find_to = options->find_to;
    plain.stop = options->stop;
    plain.to = options->to;
    plain.leaves_ticks = options->leaves_ticks;
    plain.text_count = options->text_count;
    plain.texts = options->texts;
    return plain;
}

static bool step_earlier(AxisState *state, const tp_trace_options *options)
{
    LogFile          file = { .fd = -1 };
    tp_error         error;
    Buffer           unused = { 0 };
    tp_sink          sink = { .self = &unused, .write = keep_bytes };
    char             message[TP_MESSAGE_SIZE];
    tp_trace_options plain = plain_options(options);
    if (!files_open_log(&file, state->earlier, &error)) {
        axis_fail(state, "before=%.100s: opening the log: %.120s", state->earlier, error.text);
        return false;
    }
    plain.to = UINT64_MAX;
    tp_verdict verdict = tp_trace_log(&file.source, &plain, &sink, message);
    files_close_log(&file);
    free(unused.bytes);
    if (!was_stepped(verdict)) {
        axis_fail(state, "before=%.100s: %.140s", state->earlier, message);
        return false;
    }
    return true;
}

static bool open_beside(AxisState *state, const tp_trace_options *options)
{
    tp_error  error;
    AxisRuns *runs = calloc(1, sizeof(*runs));
    state->runs = runs;
    if (runs == NULL) {
        axis_fail(state, "threads: out of memory");
        return false;
    }
    runs->options = plain_options(options);
    if (!files_open_log(&runs->file, state->beside, &error)) {
        axis_fail(state, "threads: %.100s: opening the log: %.120s", state->beside, error.text);
        free(runs);
        state->runs = NULL;
        return false;
    }
    runs->count = state->threads - 1;
    return true;
}

bool axis_runs_begin(AxisState *state, const tp_trace_options *options)
{
    if (state->earlier != NULL && !step_earlier(state, options)) {
        return false;
    }
    return state->threads == 0 || open_beside(state, options);
}

static bool is_behind(AxisRuns *runs, uint64_t place)
{
    for (uint32_t i = 0; i <= runs->count; i++) {
        if (atomic_load_explicit(&runs->places[i], memory_order_acquire) < place) {
            return true;
        }
    }
    return false;
}

// Waits for those that have not come as far. At first as long as they need to make their worlds; later now and then and not for ever: where
// processors are few and busy, each wait costs every thread a turn.
static void keep_step(AxisRuns *runs, uint32_t number)
{
    uint64_t place = atomic_fetch_add(&runs->places[number], 1) + 1;
    sched_yield();
    if (place % TOGETHER_TICKS != 1) {
        return;
    }
    for (int waits = 0; (place == 1 || waits < WAITS_MAX) && is_behind(runs, place); waits++) {
        sched_yield();
    }
}

static void each_beside(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    Other *other = to;
    (void)sim;
    (void)tick;
    if (!is_finished) {
        keep_step(other->runs, other->number);
    }
}

static void *step_beside(void *argument)
{
    Other  *other = argument;
    tp_sink sink = { .self = &other->sidecar, .write = keep_bytes };
    other->verdict = tp_trace_log(&other->runs->file.source, &other->options, &sink, other->message);
    atomic_store(&other->runs->places[other->number], IS_OVER);
    return NULL;
}

static void start_others(AxisState *state)
{
    AxisRuns *runs = state->runs;
    runs->is_going = true;
    for (uint32_t i = 0; i < runs->count; i++) {
        Other *other = &runs->others[i];
        other->runs = runs;
        other->number = i + 1;
        other->options = runs->options;
        other->options.each_tick = each_beside;
        other->options.each_to = other;
        other->is_started = pthread_create(&other->thread, NULL, step_beside, other) == 0;
        if (!other->is_started) {
            runs->places[i + 1] = IS_OVER;
            axis_fail(state, "threads: the system gives no further thread");
        }
    }
}

void axis_runs_tick(AxisState *state)
{
    if (state->runs == NULL) {
        return;
    }
    if (!state->runs->is_going) {
        start_others(state); // not earlier: this thread's world is made by itself
    }
    keep_step(state->runs, 0);
}

static void write_sidecar(AxisState *state, uint32_t number, const Other *other)
{
    char  path[4096];
    snprintf(path, sizeof(path), "%s.%u.tpt", state->beside, number);
    FILE *out = fopen(path, "wb");
    bool  is_written = out != NULL && fwrite(other->sidecar.bytes, 1, other->sidecar.size, out) == other->sidecar.size;
    if ((out != NULL && fclose(out) != 0) || !is_written) {
        axis_fail(state, "threads: %.200s: writing the sidecar failed", path);
    }
}

void axis_runs_conclude(AxisState *state)
{
    AxisRuns *runs = state->runs;
    if (runs != NULL) {
        runs->places[0] = IS_OVER;
    }
    for (uint32_t i = 0; runs != NULL && runs->is_going && i < runs->count; i++) {
        Other *other = &runs->others[i];
        if (!other->is_started) {
            continue;
        }
        pthread_join(other->thread, NULL);
        other->is_started = false;
        if (was_stepped(other->verdict)) {
            write_sidecar(state, i + 1, other);
        } else {
            axis_fail(state, "threads: thread %u: %.180s", i + 1, other->message);
        }
    }
}

void axis_runs_finish(AxisState *state)
{
    if (state->runs == NULL) {
        return;
    }
    axis_runs_conclude(state);
    for (uint32_t i = 0; i < state->runs->count; i++) {
        free(state->runs->others[i].sidecar.bytes);
    }
    files_close_log(&state->runs->file);
    free(state->runs);
    state->runs = NULL;
}
