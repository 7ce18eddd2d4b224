// minimise_log.c: inputs as logs: quickly and without stepping for a trial, stepped and with roots for the result.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "machine.h"
#include "minimise_work.h"

enum { LEAVES_EACH_MAX = 4096, RECORD_TIMEOUT_S = 120, SLICE_MS = 100, STILL_RECOVER_TICKS = 4096 };

static tp_step_result stand_still(void *state, const tp_tick *tick, tp_context *context)
{
    (void)state;
    (void)tick;
    (void)context;
    return TP_STEP_OK;
}

// A world that was compiled earlier ends before this program's tp_world does.
static void copy_world(tp_world *to, const tp_world *from)
{
    size_t size = from->struct_size < sizeof(*to) ? from->struct_size : sizeof(*to);
    memset(to, 0, sizeof(*to));
    memcpy(to, from, size);
    to->step = stand_still;
}

bool minimiselog_open(MinimiseWork *work, tp_error *error)
{
    tp_sim_options options = { .ring_capacity = 1, .recover_ticks = STILL_RECOVER_TICKS };
    copy_world(&work->still.world, work->world);
    work->still.sim = tp_sim_of_ident(work->ident, &work->still.world, &options, error);
    return work->still.sim != NULL && (tp_sim_snapshot(work->still.sim) || tp_error_set(error, "the world's start state cannot be saved"));
}

void minimiselog_close(MinimiseWork *work)
{
    tp_sim_destroy(work->still.sim);
    work->still.sim = NULL;
}

// Steps all rows. False: one is refused, or the writer says no.
static bool step_rows(tp_sim *sim, tp_writer *writer, const tp_inputs *inputs)
{
    tp_command commands[TP_COMMANDS_MAX];
    tp_row     row;
    for (uint64_t tick = 0; tick < inputs->ticks; tick++) {
        tp_inputs_row(inputs, tick, commands, &row);
        tp_sim_status status = tp_sim_step(sim, &row, NULL);
        if (status == TP_SIM_FAULTED) {
            return tp_writer_fault(writer, sim, &row) && tp_writer_finish(writer, sim, TP_END_FAULT);
        }
        if (status != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            return false;
        }
    }
    return tp_writer_finish(writer, sim, TP_END_COMPLETED);
}

static bool write_log(tp_sim *sim, const tp_inputs *inputs, const tp_writer_options *options, uint8_t **bytes, size_t *size)
{
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_writer     *writer = tp_writer_create(&sink, sim, options, false, NULL);
    bool           is_done = writer != NULL && step_rows(sim, writer, inputs);
    tp_writer_destroy(writer);
    if (!is_done) {
        free(memory.bytes);
        memory = (tp_memory_sink){ 0 };
    }
    *bytes = memory.bytes;
    *size = memory.size;
    return is_done;
}

bool minimiselog_make(MinimiseWork *work, const tp_inputs *inputs, uint8_t **bytes, size_t *size)
{
    tp_writer_options options;
    tp_writer_options_standard(&options);
    options.run_ticks = TP_LOG_ROWS_MAX;
    options.root_size = options.leaves_ticks = options.key_ticks = options.seal_ticks = 0;
    options.durability = TP_DURABLE_NONE;
    options.no_index = true;
    return tp_sim_restore(work->still.sim, 0) && write_log(work->still.sim, inputs, &options, bytes, size);
}

// Something of its own process.

static bool read_all(MinimiseWork *work, int in, double until, uint8_t **bytes, size_t *size)
{
    size_t capacity = 0;
    for (;;) {
        struct pollfd ready = { .fd = in, .events = POLLIN };
        int           count = poll(&ready, 1, SLICE_MS);
        if ((side_is_stopped() && !work->is_interrupted) || (until > 0 && cli_seconds() > until)) {
            return false;
        }
        if (count <= 0) {
            continue;
        }
        if (capacity - *size < 4096) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            uint8_t *grown = realloc(*bytes, capacity);
            if (grown == NULL) {
                return false;
            }
            *bytes = grown;
        }
        ssize_t taken = read(in, *bytes + *size, capacity - *size);
        if (taken == 0) {
            return true;
        }
        if (taken < 0 && errno != EINTR) {
            return false;
        }
        *size += taken > 0 ? (size_t)taken : 0;
    }
}

bool minimise_apart(MinimiseWork *work, void (*serve)(MinimiseWork *work, const void *with, int out), const void *with, uint32_t timeout_s, uint8_t **bytes,
                    size_t *size)
{
    int fds[2];
    int status = 0;
    *bytes = NULL;
    *size = 0;
    if (pipe(fds) != 0) {
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(fds[0]);
        static const int crashes[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
        signal(SIGINT, SIG_IGN); // the parent ends it
        prctl(PR_SET_PDEATHSIG, SIGKILL); // also when it is ended itself: a world that hangs would stay for ever
        for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
            signal(crashes[i], SIG_DFL);
        }
        serve(work, with, fds[1]);
        _exit(0);
    }
    close(fds[1]);
    bool is_done = child > 0 && read_all(work, fds[0], timeout_s == 0 ? 0 : cli_seconds() + timeout_s, bytes, size);
    close(fds[0]);
    if (child > 0) {
        if (!is_done) {
            kill(child, SIGKILL);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return is_done && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void put_all(int out, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t taken = write(out, bytes, size);
        if (taken < 0 && errno != EINTR) {
            _exit(1);
        }
        bytes += taken > 0 ? taken : 0;
        size -= taken > 0 ? (size_t)taken : 0;
    }
}

static tp_provenance item(const char *key, const char *value)
{
    return (tp_provenance){ key, strlen(key), value, strlen(value) };
}

static void serve_record(MinimiseWork *work, const void *with, int out)
{
    const tp_inputs  *inputs = with;
    const char       *hash = worlds_hash(&work->world_set, work->world);
    tp_sim           *sim = tp_sim_of_ident(work->ident, work->world, NULL, NULL);
    tp_provenance     provenance[4] = { item("compiler", machine_compiler()), item("build", "tickproof " TP_VERSION), item("architecture", machine_architecture()) };
    tp_writer_options options;
    uint8_t          *bytes = NULL;
    size_t            size = 0;
    tp_writer_options_standard(&options);
    options.durability = TP_DURABLE_NONE;
    options.leaves_ticks = inputs->ticks <= LEAVES_EACH_MAX ? 1 : options.leaves_ticks;
    options.provenance = provenance;
    options.provenance_count = 3;
    if (hash != NULL) {
        provenance[options.provenance_count++] = item("world.hash", hash);
    }
    if (sim == NULL || !write_log(sim, inputs, &options, &bytes, &size)) {
        _exit(1);
    }
    put_all(out, bytes, size);
}

bool minimiselog_record(MinimiseWork *work, const tp_inputs *inputs, uint8_t **bytes, size_t *size, bool *has_roots)
{
    *has_roots = minimise_apart(work, serve_record, inputs, RECORD_TIMEOUT_S, bytes, size);
    if (*has_roots) {
        return true;
    }
    free(*bytes);
    return minimiselog_make(work, inputs, bytes, size);
}

bool minimiselog_write(const MinimiseWork *work, const char *path, const uint8_t *bytes, size_t size)
{
    tp_error error;
    NewFile  file;
    if (!files_create(&file, path, work->may_replace, &error)) {
        cli_fail(TP_USAGE, "%s: making the file: %s", path, error.text);
        return false;
    }
    int     fd = file.kind == NEW_FILE_STDOUT ? STDOUT_FILENO : file.fd;
    tp_sink sink = tp_sink_of_fd(&fd);
    if (!sink.write(sink.self, bytes, size)) {
        cli_fail(TP_INCOMPLETE, "%s: writing: %s", path, strerror(errno));
        files_abandon(&file);
        return false;
    }
    if (!files_commit(&file, &error)) {
        cli_fail(TP_INCOMPLETE, "%s: writing: %s", path, error.text);
        return false;
    }
    return true;
}
