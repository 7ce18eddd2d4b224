// server_log_repair.c: the recorder thread: it writes, and after a failure it cuts the file, finds out whether the disk takes bytes
// again, and, when the run ends meanwhile, tries once more to give the log an end.
//
// How much of a failed write reached the file is not known, so the file is read again, and nothing but whole records stays. What it had
// taken before must be there: a file that is damaged further up is left as it is.
#include "server_log_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ticker.h"
#include "urgency.h"

// What came of the failure is said behind its own text, which stays.
__attribute__((format(printf, 2, 3))) static void say(ServerLog *log, const char *format, ...)
{
    char    text[TP_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *failure = tp_writer_error(log->writer);
    uv_mutex_lock(&log->mutex);
    snprintf(log->error, sizeof(log->error), "%s; %s", failure != NULL ? failure : "the log has failed", text);
    uv_mutex_unlock(&log->mutex);
}

// The file up to `limit` only: what was not made durable may read well and be lost all the same.
typedef struct CappedFile {
    int      file;
    uint64_t limit;
} CappedFile;

static int64_t capped_read(void *self, uint64_t offset, void *buffer, size_t size)
{
    CappedFile *capped = self;
    uint64_t    left = capped->limit > offset ? capped->limit - offset : 0;
    tp_source   source = tp_source_of_fd(&capped->file);
    return source.read_at(source.self, offset, buffer, left < size ? (size_t)left : size);
}

static int64_t capped_size(void *self)
{
    CappedFile *capped = self;
    tp_source   source = tp_source_of_fd(&capped->file);
    int64_t     size = source.size(source.self);
    return size >= 0 && (uint64_t)size > capped->limit ? (int64_t)capped->limit : size;
}

// Without what a log begins with there is no log: that much is kept, and written again, since the system may have dropped it.
static uint64_t durable_bytes(const ServerLog *log)
{
    return log->failure.durable_bytes > log->start_bytes ? log->failure.durable_bytes : log->start_bytes;
}

static bool write_start_again(const ServerLog *log)
{
    size_t   size = (size_t)log->start_bytes;
    uint8_t *bytes = malloc(size);
    bool     is_good = bytes != NULL && pread(log->file, bytes, size, 0) == (ssize_t)size && pwrite(log->file, bytes, size, 0) == (ssize_t)size;
    free(bytes);
    return is_good;
}

static void watch_epoch(void *to, const tp_ident *ident, const tp_log_record *record)
{
    ServerLog *log = to;
    if (record->type == TP_LOG_IDENT) {
        log->epoch_base = server_log_epoch_of(ident);
    }
}

static bool recover(ServerLog *log)
{
    tp_error      error;
    bool          is_sync = log->failure.is_sync;
    uint64_t      taken = !is_sync ? log->failure.whole_bytes : durable_bytes(log);
    CappedFile    capped = { .file = log->file, .limit = is_sync ? taken : INT64_MAX };
    tp_source     source = { .self = &capped, .read_at = capped_read, .size = capped_size };
    tp_recovery_finish(&log->recovery);
    tp_log_status status = tp_log_recover_watched(&source, watch_epoch, log, &log->recovery, &error);
    if (status != TP_LOG_OK) {
        log->is_lost = status != TP_LOG_IO && status != TP_LOG_NO_MEMORY;
        say(log, "reading it again: %.200s", error.text);
        return false;
    }
    if (log->recovery.status == TP_LOG_CORRUPT && log->recovery.good_size < taken) {
        log->is_lost = true;
        say(log, "it is damaged at offset %" PRIu64 ", before what failed: it is left as it is", log->recovery.good_size);
        return false;
    }
    return true;
}

bool server_log_cut(ServerLog *log)
{
    server_log_drop_next(log); // its predecessor was not ended
    if (log->is_lost || log->is_cut) {
        return log->is_cut;
    }
    if (!recover(log)) {
        return false;
    }
    uint64_t size = log->recovery.good_size;
    errno = 0;
    bool must_write = log->failure.is_sync && log->failure.durable_bytes < log->start_bytes;
    if ((must_write && !write_start_again(log)) || ftruncate(log->file, (off_t)size) != 0 || (log->durability != TP_DURABLE_NONE && fsync(log->file) != 0) ||
        lseek(log->file, (off_t)size, SEEK_SET) < 0) {
        say(log, "cutting it to %" PRIu64 " bytes, behind its last whole record: %s", size, strerror(errno));
        return false;
    }
    log->is_cut = true;
    say(log, "it ends before tick %" PRIu64 ", behind a whole record", log->recovery.next_tick);
    return true;
}

// Whether the disk really takes what is to come: zeroes behind the last record, which are cut off again. A crash meanwhile leaves a torn
// log like any other.
static bool probe(ServerLog *log)
{
    static const uint8_t zeroes[16384];
    if (!server_log_cut(log)) {
        return false;
    }
    uint64_t start = log->recovery.good_size;
    uint64_t end = start + log->probe_size;
    uint64_t at = start;
    errno = 0;
    while (at < end) {
        size_t  size = end - at < sizeof(zeroes) ? (size_t)(end - at) : sizeof(zeroes);
        ssize_t taken = pwrite(log->file, zeroes, size, (off_t)at);
        if (taken < 0 && errno == EINTR) {
            continue;
        }
        if (taken <= 0) {
            break;
        }
        at += (uint64_t)taken;
    }
    int  reason = errno;
    bool is_taken = at == end && (log->durability == TP_DURABLE_NONE || log->sink.sync(log->sink.self));
    reason = at == end ? errno : reason;
    if (ftruncate(log->file, (off_t)start) != 0) {
        log->is_cut = false;
        say(log, "cutting it to %" PRIu64 " bytes, behind its last whole record: %s", start, strerror(errno));
        return false;
    }
    if (!is_taken) {
        say(log, "it ends before tick %" PRIu64 ", and the disk still takes no more: %s", log->recovery.next_tick,
            reason == 0 ? "no reason was given" : strerror(reason));
    }
    return is_taken;
}

// The sim at the run's end, made again of what server_log_finish kept. NULL with the reason.
static tp_sim *last_sim(ServerLog *log, tp_error *error)
{
    const ServerLogLast *last = &log->last;
    if (last->state == NULL) {
        tp_error_set(error, "the last state could not be kept");
        return NULL;
    }
    tp_sim *sim = server_log_make_sim(&log->world, error);
    if (sim != NULL && !tp_sim_decode(sim, last->state, last->size, last->tick, last->input_leaf, last->event_leaf, error)) {
        tp_sim_destroy(sim);
        return NULL;
    }
    return sim;
}

static bool write_end(ServerLog *log, tp_sim *sim, uint64_t *gap_ticks, tp_error *error)
{
    static const char fault[] = "the world faulted while the log could not be written";
    log->sink.next = NULL; // no rotation any more
    log->sink.turn = NULL;
    log->rotate_ticks = 0;
    tp_writer *writer = server_log_go_on(log, sim, false, gap_ticks, error);
    if (writer == NULL) {
        return false;
    }
    bool is_untold_fault = log->last.reason == TP_END_FAULT && !log->recovery.has_fault;
    bool is_good = (!is_untold_fault || tp_writer_note(writer, TP_NOTE_TEXT, fault, sizeof(fault) - 1)) &&
                   tp_writer_finish(writer, sim, is_untold_fault ? TP_END_STOPPED : log->last.reason);
    if (!is_good) {
        tp_error_set(error, "%.200s", tp_writer_error(writer) != NULL ? tp_writer_error(writer) : "no reason was given");
    }
    tp_writer_destroy(writer);
    return is_good;
}

static void try_last(ServerLog *log)
{
    tp_error error = { "" };
    uint64_t gap_ticks = 0;
    if (!probe(log)) {
        return; // what is said already is how it ends
    }
    tp_sim *sim = last_sim(log, &error);
    if (sim != NULL && write_end(log, sim, &gap_ticks, &error)) {
        say(log, "%" PRIu64 " ticks are missing at its end, where a GAP admits them", gap_ticks);
    } else {
        log->is_cut = false;
        if (server_log_cut(log)) {
            say(log, "it ends before tick %" PRIu64 " without END: %.120s", log->recovery.next_tick, error.text);
        }
    }
    tp_sim_destroy(sim);
}

static void set_phase(ServerLog *log, ServerLogPhase from, ServerLogPhase to)
{
    uv_mutex_lock(&log->mutex);
    log->phase = log->phase == from ? to : log->phase; // a finish may have come meanwhile
    uv_mutex_unlock(&log->mutex);
}

static ServerLogPhase await_phase(ServerLog *log)
{
    uv_mutex_lock(&log->mutex);
    while (log->phase == SERVER_LOG_RESTING || log->phase == SERVER_LOG_READY) {
        uv_cond_wait(&log->changed, &log->mutex);
    }
    ServerLogPhase phase = log->phase;
    uv_mutex_unlock(&log->mutex);
    return phase;
}

// After the writer's buffers are empty and no more will come. True when there is a new writer to serve.
static bool repair(ServerLog *log)
{
    bool has_repaired = false;
    for (;;) {
        switch (await_phase(log)) {
        case SERVER_LOG_CUTTING:
            log->is_cut = false;
            server_log_cut(log);
            set_phase(log, SERVER_LOG_CUTTING, SERVER_LOG_RESTING);
            has_repaired = true;
            break;
        case SERVER_LOG_PROBING:
            set_phase(log, SERVER_LOG_PROBING, probe(log) ? SERVER_LOG_READY : SERVER_LOG_RESTING);
            break;
        case SERVER_LOG_LAST:
            log->is_cut = log->is_cut && has_repaired;
            try_last(log);
            return false;
        case SERVER_LOG_WRITING:
        case SERVER_LOG_RESTING:
        case SERVER_LOG_READY:
        default: return has_repaired;
        }
    }
}

void server_log_record(void *self)
{
    ServerLog        *log = self;
    tp_writer_failure failure;
    urgency_give_way(SERVER_RECORDER_NICE); // hundreds of logs fall due for the disk at the same moment
    if (log->durability != TP_DURABLE_NONE) {
        server_log_sync_directory(log->path);
    }
    do {
        while (tp_writer_back(log->writer)) {
        }
    } while (repair(log));
    uv_mutex_lock(&log->mutex);
    bool was_well = log->phase == SERVER_LOG_WRITING;
    uv_mutex_unlock(&log->mutex);
    if (was_well && tp_writer_has_failed(log->writer, &failure)) {
        log->failure = failure; // it failed at its very end
        log->is_cut = false;
        server_log_cut(log);
    }
    log->cpu_ns = ticker_thread_cpu_ns();
    atomic_store_explicit(&log->is_drained, true, memory_order_release);
    log->drained(log->to);
}
