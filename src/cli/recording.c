// recording.c: the loop of everything that makes a new log.
#include "recording.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "crash.h"
#include "textout.h"

enum { PROGRESS_TICKS = 1024 };

// Progress stands on one line of a terminal, and nowhere else.
typedef struct {
    bool     is_shown;
    double   start, last;
    uint64_t first, goal;
} Progress;

static void show_progress(Progress *progress, uint64_t tick)
{
    double now = cli_seconds();
    if (!progress->is_shown || tick % PROGRESS_TICKS != 0 || now - progress->last < 0.2) {
        return;
    }
    progress->last = now;
    double rate = (double)(tick - progress->first) / (now - progress->start + 1e-9);
    fprintf(stderr, "\rtick %llu, %.0f ticks/s", (unsigned long long)tick, rate);
    if (progress->goal != UINT64_MAX && rate > 0) {
        fprintf(stderr, ", %.0f s left", (double)(progress->goal - tick) / rate);
    }
    fputs("   ", stderr);
}

static void note_fault(const Recording *recording)
{
    const tp_fault *fault = tp_sim_fault(recording->sim);
    const char     *slash = fault->file == NULL ? NULL : strrchr(fault->file, '/');
    char            text[512];
    // Only the file's own name: where the sources lay when they were compiled says nothing about the run.
    snprintf(text, sizeof(text), "%s: %s (%s:%d)", tp_fault_name(fault->code), fault->what == NULL ? "" : fault->what,
             fault->file == NULL ? "?" : slash == NULL ? fault->file : slash + 1, fault->line);
    cli_fail(TP_VERIFIED, "tick %llu: the world faulted: %s", (unsigned long long)tp_sim_tick(recording->sim), text);
}

// One tick; `*is_over` when it was the last.
static RecordingResult step(const Recording *recording, RowBuffer *buffer, bool *is_over)
{
    tp_error    error;
    uint64_t    tick = tp_sim_tick(recording->sim);
    InputResult found = inputsource_next(recording->inputs, recording->sim, buffer);
    *is_over = found != INPUT_ROW;
    if (found != INPUT_ROW && recording->stop != NULL && *recording->stop) {
        return RECORDING_STOPPED;
    }
    if (found == INPUT_END && !recording->ends_with_inputs) {
        cli_fail(TP_USAGE, "%s: the inputs end before tick %llu, but --ticks asks for %llu; leave --ticks out to run as far as they go",
                 inputsource_name(recording->inputs), (unsigned long long)tick, (unsigned long long)recording->ticks);
        return RECORDING_FAILED;
    }
    if (found == INPUT_END && tick == 0) {
        inputsource_refuse_empty(recording->inputs);
        return RECORDING_FAILED;
    }
    if (found != INPUT_ROW) {
        return found == INPUT_END ? RECORDING_DONE : RECORDING_FAILED;
    }
    tp_row row = rowjson_row(buffer);
    switch (tp_sim_step(recording->sim, &row, &error)) {
    case TP_SIM_OK:
        if (recording->writer != NULL && !tp_writer_tick(recording->writer, recording->sim, &row)) {
            *is_over = true;
            return RECORDING_UNWRITTEN;
        }
        return RECORDING_DONE;
    case TP_SIM_FAULTED:
        *is_over = true;
        if (recording->writer != NULL && !tp_writer_fault(recording->writer, recording->sim, &row)) {
            return RECORDING_UNWRITTEN;
        }
        note_fault(recording);
        return RECORDING_FAULTED;
    case TP_SIM_REFUSED:
        break;
    }
    *is_over = true;
    inputsource_refused(recording->inputs, tick, error.text);
    return RECORDING_FAILED;
}

static RecordingResult step_all(const Recording *recording, RowBuffer *buffer)
{
    RecordingResult result = RECORDING_DONE;
    bool            is_over = false;
    double          now = cli_seconds();
    Progress        progress = { isatty(STDERR_FILENO) != 0, now, now, tp_sim_tick(recording->sim), recording->ticks };
    while (!is_over && tp_sim_tick(recording->sim) < recording->ticks) {
        if (recording->stop != NULL && *recording->stop) {
            result = RECORDING_STOPPED;
            break;
        }
        result = step(recording, buffer, &is_over);
        show_progress(&progress, tp_sim_tick(recording->sim));
    }
    if (progress.last != progress.start) {
        fputs("\r\033[K", stderr);
    }
    return result;
}

static tp_end_reason reason_of(RecordingResult result)
{
    return result == RECORDING_FAULTED ? TP_END_FAULT : result == RECORDING_STOPPED ? TP_END_STOPPED : TP_END_COMPLETED;
}

RecordingResult recording_run(const Recording *recording)
{
    crash_guard();
    RowBuffer *buffer = malloc(sizeof(*buffer));
    if (buffer == NULL) {
        cli_fail(TP_INTERNAL, "out of memory");
        return RECORDING_FAILED;
    }
    RecordingResult result = step_all(recording, buffer);
    free(buffer);
    if (recording->writer == NULL || result == RECORDING_UNWRITTEN) {
        return result;
    }
    // What was recorded before something else failed goes to the file, but no END: nobody ended this run on purpose.
    bool is_written = result == RECORDING_FAILED ? tp_writer_abandon(recording->writer)
                                                 : tp_writer_finish(recording->writer, recording->sim, reason_of(result));
    return is_written || result == RECORDING_FAILED ? result : RECORDING_UNWRITTEN;
}

static bool sink_write(void *self, const uint8_t *bytes, size_t size)
{
    RecordingSink *sink = self;
    bool     is_written = sink->inner.write(sink->inner.self, bytes, size);
    sink->has_failed = sink->has_failed || !is_written;
    return is_written;
}

static bool sink_sync(void *self)
{
    RecordingSink *sink = self;
    bool     is_durable = sink->inner.sync(sink->inner.self);
    sink->has_failed = sink->has_failed || !is_durable;
    return is_durable;
}

tp_sink recording_sink(RecordingSink *sink, int *fd)
{
    *sink = (RecordingSink){ .inner = tp_sink_of_fd(fd) };
    return (tp_sink){ sink, sink_write, sink_sync };
}

static volatile bool stop_asked;

static void on_signal(int number)
{
    (void)number;
    stop_asked = true;
}

// No SA_RESTART: a wait for the next line of inputs must end, too.
void recording_catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

const volatile bool *recording_stop_asked(void)
{
    return &stop_asked;
}

void recording_print(FILE *out, tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    uint64_t         ticks = tp_sim_tick(sim);
    uint64_t         rate = layout->setup.tick_rate_hz;
    uint64_t         ms = ticks / rate * 1000 + ticks % rate * 1000 / rate;
    uint8_t          root[16];
    char             text[512];
    tp_hash128_to_bytes(tp_sim_root(sim), root);
    fprintf(out, "%s revision %u, seed %llu, %u players: ", layout->world->name, layout->world->revision, (unsigned long long)layout->setup.seed,
            layout->setup.players);
    if (tp_sim_describe(sim, text, sizeof(text))) {
        fprintf(out, "%s; ", text);
    }
    fprintf(out, "%llu ticks, %llu.%03llu s at %llu ticks/s, root ", (unsigned long long)ticks, (unsigned long long)(ms / 1000),
            (unsigned long long)(ms % 1000), (unsigned long long)rate);
    textout_hex(out, root, sizeof(root));
}
