// server_log.c: files, provenance and the recorder thread.
#include "server_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ticker.h"

#if defined(__linux__)
#include <sys/resource.h>
#endif

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#elif defined(__riscv)
#define ARCHITECTURE "riscv"
#else
#define ARCHITECTURE "other"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { OWN_ITEMS = 6 };

// Hundreds of logs fall due for the disk at the same moment: the ticks come first. Where the system has no such thing, ticks
// and recorders are equals.
static void give_way(void)
{
#if defined(__linux__)
    setpriority(PRIO_PROCESS, (id_t)gettid(), SERVER_RECORDER_NICE);
#endif
}

static void record(void *self)
{
    ServerLog *log = self;
    give_way();
    if (log->directory >= 0) {
        // A file that is synced and whose name is not is lost with the directory.
        fsync(log->directory);
        close(log->directory);
        log->directory = -1;
    }
    while (tp_writer_back(log->writer)) {
    }
    log->cpu_ns = ticker_thread_cpu_ns();
    atomic_store_explicit(&log->is_drained, true, memory_order_release);
    log->drained(log->to);
}

static void add_item(tp_provenance *items, uint32_t *count, const char *key, const char *value)
{
    if (value != NULL) {
        items[(*count)++] = (tp_provenance){ .key = key, .key_size = strlen(key), .value = value, .value_size = strlen(value) };
    }
}

static bool starts_with(const tp_provenance *item, const char *text)
{
    size_t size = strlen(text);
    return item->key_size >= size && memcmp(item->key, text, size) == 0;
}

// The match and its players are the same ones; build and compiler are not.
static uint32_t fill_provenance(tp_provenance items[OWN_ITEMS + SERVER_PROVENANCE_COPIED], const ServerLogOptions *options)
{
    uint32_t      count = 0;
    size_t        offset = 0;
    tp_provenance item;
    add_item(items, &count, "build", options->build);
    add_item(items, &count, "compiler", COMPILER);
    add_item(items, &count, "architecture", ARCHITECTURE);
    add_item(items, &count, "room", options->room);
    add_item(items, &count, "source", options->source);
    const tp_ident *ident = options->ident;
    while (ident != NULL && count < OWN_ITEMS + SERVER_PROVENANCE_COPIED && tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        if (starts_with(&item, "slot.") || (item.key_size == 5 && starts_with(&item, "match"))) {
            items[count++] = item;
        }
    }
    return count;
}

// DIRECTORY/ROOM.tpr; number 2 and on: DIRECTORY/ROOM.2.tpr, ...
static bool make_path(ServerLog *log, const ServerLogOptions *options, uint32_t number, tp_error *error)
{
    char loop[32] = "";
    char count[32] = "";
    if (options->loop > 1) {
        snprintf(loop, sizeof(loop), ".loop%u", options->loop);
    }
    if (number > 1) {
        snprintf(count, sizeof(count), ".%u", number);
    }
    int size = snprintf(log->path, sizeof(log->path), "%s/%s%s%s.tpr", options->directory, options->room, loop, count);
    if (size < 0 || (size_t)size >= sizeof(log->path)) {
        return tp_error_set(error, "the path of its own log is longer than %d bytes: give a shorter --record directory", SERVER_PATH_SIZE - 1);
    }
    return true;
}

// A server that starts again finds its logs of before: they stay, and the new ones get the next number.
static bool open_new(ServerLog *log, const ServerLogOptions *options, tp_error *error)
{
    for (uint32_t number = 1; number <= SERVER_LOG_NUMBERS; number++) {
        if (!make_path(log, options, number, error)) {
            return false;
        }
        log->file = open(log->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (log->file >= 0) {
            return true;
        }
        if (errno != EEXIST) {
            return tp_error_set(error, "making its own log %.150s: %s", log->path, strerror(errno));
        }
    }
    return tp_error_set(error, "making its own log: %.150s and all before it are there already: move them or give another --record directory", log->path);
}

static bool open_files(ServerLog *log, const ServerLogOptions *options, tp_error *error)
{
    log->directory = -1;
    if (!open_new(log, options, error)) {
        return false;
    }
    if (options->durability != TP_DURABLE_NONE) {
        log->directory = open(options->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return true;
}

static void close_files(ServerLog *log)
{
    if (log->directory >= 0) {
        close(log->directory);
    }
    close(log->file);
    log->directory = log->file = -1;
}

static bool start_writer(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, tp_error *error)
{
    tp_provenance     items[OWN_ITEMS + SERVER_PROVENANCE_COPIED];
    tp_writer_options writer_options;
    tp_writer_options_standard(&writer_options);
    writer_options.durability = options->durability;
    writer_options.provenance = items;
    writer_options.provenance_count = fill_provenance(items, options);
    if (options->ident != NULL) {
        writer_options.sequence = options->ident->sequence;
        memcpy(writer_options.predecessor, options->ident->predecessor, TP_LOG_CHAIN_SIZE);
    }
    log->sink = tp_sink_of_fd(&log->file);
    log->writer = tp_writer_create(&log->sink, sim, &writer_options, true, error);
    return log->writer != NULL;
}

static bool start_thread(ServerLog *log, tp_error *error)
{
    uv_thread_options_t thread_options = { .flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = SERVER_RECORDER_STACK };
    int                 status = uv_thread_create_ex(&log->thread, &thread_options, record, log);
    return status == 0 || tp_error_set(error, "starting the recorder thread: %s", uv_strerror(status));
}

bool server_log_open(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, tp_error *error)
{
    memset(log, 0, sizeof(*log));
    log->drained = options->drained;
    log->to = options->to;
    if (!open_files(log, options, error)) {
        return false;
    }
    if (start_writer(log, sim, options, error) && start_thread(log, error)) {
        return true;
    }
    tp_writer_destroy(log->writer);
    log->writer = NULL;
    unlink(log->path); // made a moment ago and still empty
    close_files(log);
    return false;
}

bool server_log_is_open(const ServerLog *log)
{
    return log->writer != NULL;
}

bool server_log_tick(ServerLog *log, tp_sim *sim, const tp_row *row)
{
    return tp_writer_tick(log->writer, sim, row);
}

bool server_log_fault(ServerLog *log, tp_sim *sim, const tp_row *row)
{
    return tp_writer_fault(log->writer, sim, row);
}

bool server_log_gap(ServerLog *log, tp_sim *sim, uint64_t first, tp_gap_cause cause)
{
    return tp_writer_gap(log->writer, sim, first, cause);
}

void server_log_finish(ServerLog *log, tp_sim *sim, tp_end_reason reason)
{
    if (!log->is_finished) {
        log->is_finished = true;
        tp_writer_finish(log->writer, sim, reason); // a failure shows in server_log_error
    }
}

void server_log_note(ServerLog *log, const char *text, size_t size)
{
    if (!log->is_finished) {
        (void)tp_writer_note(log->writer, TP_NOTE_TEXT, text, size); // a remark that does not fit costs nothing else
    }
}

const char *server_log_error(const ServerLog *log)
{
    return tp_writer_error(log->writer);
}

uint64_t server_log_durable_tick(const ServerLog *log)
{
    return tp_writer_durable_tick(log->writer);
}

bool server_log_is_drained(const ServerLog *log)
{
    return atomic_load_explicit(&log->is_drained, memory_order_acquire);
}

uint64_t server_log_close(ServerLog *log)
{
    uv_thread_join(&log->thread);
    uint64_t bytes = tp_writer_bytes(log->writer);
    tp_writer_destroy(log->writer);
    log->writer = NULL;
    close_files(log);
    return bytes;
}
