// trace_run.c: steps a log and says what it comes to. Rows, commands and keyframes are the log's; every hash is this machine's own.
#include "trace_format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "tickproof/rng.h"

enum { PROGRESS_TICKS = 1024 };

typedef struct {
    const tp_trace_options *options;
    tp_reader      *reader;
    const tp_ident *ident;
    tp_sim         *sim;
    TraceWriter    *writer;
    uint64_t       *leaves;
    uint32_t        leaves_capacity;
    uint32_t        next_state;   // of options->states
    uint64_t        missing;
    bool            is_started, is_after_gap, is_over;
    tp_rng_watch    watch;
    uint8_t         chain[TP_LOG_CHAIN_SIZE];
    bool            has_chain;
    tp_trace_end    end;
    uint8_t         fault_root[TP_TRACE_ROOT_SIZE];
    char            end_text[sizeof(((tp_trace *)0)->end_text)];
    tp_verdict      verdict;
    char           *message;
} Run;

void tp_trace_options_standard(tp_trace_options *options)
{
    memset(options, 0, sizeof(*options));
    options->to = UINT64_MAX;
    options->leaves_ticks = 64;
}

__attribute__((format(printf, 4, 5))) static void stop(Run *run, tp_verdict verdict, tp_trace_end end, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->message, TP_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
    snprintf(run->end_text, sizeof(run->end_text), "%s", run->message);
    run->verdict = verdict;
    run->end = end;
    run->is_over = true;
}

static void stop_reading(Run *run, tp_log_status status)
{
    tp_verdict verdict = status == TP_LOG_TRUNCATED || status == TP_LOG_WAIT ? TP_TRUNCATED
                       : status == TP_LOG_UNAUTHENTIC                        ? TP_UNAUTHENTIC
                       : status == TP_LOG_UNSUPPORTED                        ? TP_INCOMPATIBLE
                       : status == TP_LOG_IO || status == TP_LOG_NO_MEMORY   ? TP_INTERNAL
                                                                             : TP_CORRUPT;
    stop(run, verdict, TP_TRACE_END_BROKEN, "offset %" PRIu64 ": reading the log: %s", tp_reader_offset(run->reader), tp_reader_message(run->reader));
}

static void write_leaves(Run *run)
{
    uint32_t count = tp_sim_leaves(run->sim, run->leaves, run->leaves_capacity);
    if (count + 2 > run->leaves_capacity) {
        uint64_t *grown = realloc(run->leaves, ((size_t)count + 2) * sizeof(*grown));
        if (grown == NULL) {
            stop(run, TP_INTERNAL, TP_TRACE_END_STOPPED, "out of memory");
            return;
        }
        run->leaves = grown;
        run->leaves_capacity = count + 2;
        tp_sim_leaves(run->sim, run->leaves, run->leaves_capacity);
    }
    trace_writer_leaves(run->writer, tp_sim_tick(run->sim), run->leaves, count + 2);
}

static void write_state(Run *run)
{
    size_t   most = tp_sim_encoded_max(run->sim);
    size_t   size = 0;
    uint8_t *bytes = malloc(most + 1);
    if (bytes == NULL || !tp_sim_encode(run->sim, bytes, most, &size)) {
        stop(run, TP_INTERNAL, TP_TRACE_END_STOPPED, "the state after %" PRIu64 " steps cannot be saved", tp_sim_tick(run->sim));
    } else {
        trace_writer_state(run->writer, tp_sim_tick(run->sim), bytes, size);
    }
    free(bytes);
}

// The state is asked for by steps done; one that a log jumps over is not to be had.
static void write_state_if_asked(Run *run)
{
    const tp_trace_options *options = run->options;
    while (run->next_state < options->state_count && options->states[run->next_state] < tp_sim_tick(run->sim)) {
        run->next_state += 1;
    }
    if (run->next_state < options->state_count && options->states[run->next_state] == tp_sim_tick(run->sim)) {
        run->next_state += 1;
        write_state(run);
    }
}

static void write_row(Run *run, uint64_t tick)
{
    const tp_trace_options *options = run->options;
    tp_trace_row            row = { .input = (uint32_t)tp_sim_input_leaf(run->sim), .event = (uint32_t)tp_sim_event_leaf(run->sim) };
    uint8_t                 root[16];
    tp_hash128_to_bytes(tp_sim_root(run->sim), root);
    memcpy(row.root, root, sizeof(row.root));
    row.draws = run->watch.draws < UINT32_MAX ? (uint32_t)run->watch.draws : UINT32_MAX;
    row.draw_digest = (uint32_t)(run->watch.digest >> 32);
    trace_writer_row(run->writer, tick, &row);
    if (!tp_sim_is_sound(run->sim)) {
        stop(run, TP_INTERNAL, TP_TRACE_END_STOPPED, "tick %" PRIu64 ": world '%s' could not save or hash its state", tick, run->ident->world);
        return;
    }
    if (options->leaves_ticks > 0 && (tp_sim_tick(run->sim) % options->leaves_ticks == 0 || tick == options->to)) {
        write_leaves(run);
    }
    write_state_if_asked(run);
}

static void take_fault(Run *run, uint64_t tick)
{
    uint8_t         root[16];
    const tp_fault *fault = tp_sim_fault(run->sim);
    tp_hash128_to_bytes(tp_sim_fault_root(run->sim), root);
    memcpy(run->fault_root, root, sizeof(run->fault_root));
    stop(run, TP_VERIFIED, TP_TRACE_END_FAULT, "tick %" PRIu64 ": the step faults: %s", tick, fault != NULL && fault->what != NULL ? fault->what : "it returned a fault");
}

static void step_row(Run *run, const tp_log_row *row)
{
    const tp_trace_options *options = run->options;
    tp_error                error;
    if (options->each_tick != NULL) {
        options->each_tick(options->each_to, run->sim, row->tick, false);
    }
    run->watch = (tp_rng_watch){ 0 };
    tp_rng_watch_draws(&run->watch);
    tp_sim_status status = tp_sim_step_bytes(run->sim, row->bytes, row->size, &error);
    tp_rng_watch_draws(NULL);
    if (status == TP_SIM_REFUSED) {
        stop(run, TP_CORRUPT, TP_TRACE_END_REFUSED, "tick %" PRIu64 ": the world refuses the row: %.200s", row->tick, error.text);
        return;
    }
    if (options->each_tick != NULL) {
        options->each_tick(options->each_to, run->sim, row->tick, true);
    }
    if (status == TP_SIM_FAULTED) {
        take_fault(run, row->tick);
    } else {
        write_row(run, row->tick);
    }
}

static bool is_stopped(const Run *run)
{
    return run->options->stop != NULL && *run->options->stop;
}

static void take_rows(Run *run, const tp_log_record *record)
{
    const tp_trace_options *options = run->options;
    tp_log_row              row;
    for (tp_log_rows rows = tp_log_rows_of(run->ident, record); !run->is_over && tp_log_rows_next(&rows, &row);) {
        if (row.tick > options->to) {
            stop(run, TP_VERIFIED, TP_TRACE_END_LIMIT, "up to tick %" PRIu64 ", as asked", options->to);
        } else if (is_stopped(run)) {
            stop(run, TP_INCOMPLETE, TP_TRACE_END_STOPPED, "stopped before tick %" PRIu64, row.tick);
        } else if (trace_writer_rows(run->writer) == TP_TRACE_TICKS_MAX) {
            stop(run, TP_INCOMPLETE, TP_TRACE_END_LIMIT, "a sidecar holds %d ticks, and no more", TP_TRACE_TICKS_MAX);
        } else {
            step_row(run, &row);
            if (options->progress != NULL && row.tick % PROGRESS_TICKS == 0) {
                options->progress(options->progress_to, trace_writer_rows(run->writer), record->offset);
            }
        }
    }
}

// Needed where the sim does not already stand: at the start of a later file of a series, and after a gap.
static void take_key(Run *run, const tp_log_record *record)
{
    tp_error   error;
    tp_log_key key = tp_log_parse_key(record);
    bool       is_needed = run->is_after_gap || (!run->is_started && run->ident->sequence > 0);
    run->is_after_gap = false;
    if (is_needed && !tp_sim_decode(run->sim, key.state, key.state_size, record->tick, key.input_leaf, key.event_leaf, &error)) {
        stop(run, TP_CORRUPT, TP_TRACE_END_REFUSED, "offset %" PRIu64 ": the world refuses the keyframe: %.200s", record->offset, error.text);
        return;
    }
    if (is_needed || !run->is_started) {
        write_state_if_asked(run);
    }
    run->is_started = true;
}

static void take_gap(Run *run, const tp_log_record *record)
{
    tp_log_gap gap = tp_log_parse_gap(record);
    run->is_after_gap = true;
    run->missing += gap.last - gap.first + 1;
    if (run->missing > TRACE_GAP_MAX || gap.last - gap.first >= TRACE_GAP_MAX) {
        stop(run, TP_INCOMPLETE, TP_TRACE_END_LIMIT, "a sidecar holds %d missing ticks, and no more", TRACE_GAP_MAX);
    } else if (gap.first <= run->options->to) {
        trace_writer_gap(run->writer, gap.first, gap.last - gap.first + 1);
    } else {
        stop(run, TP_VERIFIED, TP_TRACE_END_LIMIT, "up to tick %" PRIu64 ", as asked", run->options->to);
    }
}

static void take_record(Run *run, const tp_log_record *record)
{
    switch (record->type) {
    case TP_LOG_KEY: take_key(run, record); break;
    case TP_LOG_GAP: take_gap(run, record); break;
    case TP_LOG_TICKS:
    case TP_LOG_FAULT: take_rows(run, record); break;
    default: break;
    }
    // What the log goes on with behind the last row is nothing that was stepped.
    memcpy(run->chain, tp_reader_chain(run->reader), sizeof(run->chain));
    run->has_chain = true;
}

static void follow(Run *run)
{
    tp_log_record record;
    while (!run->is_over) {
        tp_log_status status = tp_reader_next(run->reader, &record);
        if (status == TP_LOG_DONE) {
            stop(run, TP_VERIFIED, TP_TRACE_END_LOG, "all of the log's %" PRIu64 " ticks", trace_writer_rows(run->writer));
            run->end_text[0] = '\0';
        } else if (status != TP_LOG_OK) {
            stop_reading(run, status);
        } else {
            take_record(run, &record);
        }
    }
}

static bool begin(Run *run, const tp_sink *sink)
{
    const tp_trace_options *options = run->options;
    tp_log_record           record;
    tp_error                error;
    tp_log_status           status = tp_reader_next(run->reader, &record);
    if (status != TP_LOG_OK) {
        stop_reading(run, status);
        return false;
    }
    run->ident = tp_reader_ident(run->reader);
    const tp_world *world = options->find_world == NULL ? NULL : options->find_world(options->find_to, run->ident->world, run->ident->revision);
    run->sim = tp_sim_of_ident(run->ident, world, options->sim, &error);
    if (run->sim == NULL) {
        stop(run, TP_INCOMPATIBLE, TP_TRACE_END_STOPPED, "%s", error.text);
        return false;
    }
    run->writer = trace_writer_create(sink);
    if (run->writer == NULL) {
        stop(run, TP_INTERNAL, TP_TRACE_END_STOPPED, "out of memory");
        return false;
    }
    trace_writer_ident(run->writer, run->ident);
    for (uint32_t i = 0; i < options->text_count && i < TP_TRACE_TEXTS_MAX; i++) {
        trace_writer_text(run->writer, &options->texts[i]);
    }
    return true;
}

tp_verdict tp_trace_log(const tp_source *log, const tp_trace_options *options, const tp_sink *sink, char message[TP_MESSAGE_SIZE])
{
    Run           run = { .options = options, .message = message, .verdict = TP_INTERNAL };
    tp_log_status status = tp_reader_open(log, NULL, &run.reader);
    message[0] = '\0';
    if (run.reader == NULL) {
        snprintf(message, TP_MESSAGE_SIZE, "out of memory");
        return TP_INTERNAL;
    }
    if (status != TP_LOG_OK) {
        stop_reading(&run, status);
    } else if (begin(&run, sink)) {
        follow(&run);
        if (!trace_writer_end(run.writer, run.end, run.fault_root, run.has_chain ? run.chain : NULL, run.end_text)) {
            snprintf(message, TP_MESSAGE_SIZE, "writing the sidecar failed");
            run.verdict = TP_INTERNAL;
        }
    }
    trace_writer_destroy(run.writer);
    tp_sim_destroy(run.sim);
    tp_reader_close(run.reader);
    free(run.leaves);
    return run.verdict;
}
