// hunt_row.c: what the bad tick was made from, as `cat` prints it, and who changed the field last before it.
#include "hunt_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rowjson.h"

enum { REPLAY_SECONDS = 120 }; // for the last writer; then it stays unknown

// Rows of the log in order, with the keyframes between them.
typedef struct {
    tp_memory_source memory;
    tp_source        source;
    tp_reader       *reader;
    tp_log_record    record;
    tp_log_rows      rows;
    bool             has_rows;
} RowWalk;

static bool walk_open(RowWalk *walk, const HuntAsk *ask)
{
    tp_reader_options options = { .skip_chain = true };
    walk->memory = (tp_memory_source){ ask->log, ask->log_size };
    walk->source = tp_source_of_memory(&walk->memory);
    walk->reader = NULL;
    walk->has_rows = false;
    return tp_reader_open(&walk->source, &options, &walk->reader) == TP_LOG_OK;
}

// The next row, or the next KEY: then `*is_key`. False at the end.
static bool walk_next(RowWalk *walk, tp_log_row *row, bool *is_key)
{
    *is_key = false;
    for (;;) {
        if (walk->has_rows && tp_log_rows_next(&walk->rows, row)) {
            return true;
        }
        walk->has_rows = false;
        if (tp_reader_next(walk->reader, &walk->record) != TP_LOG_OK) {
            return false;
        }
        if (walk->record.type == TP_LOG_KEY) {
            *is_key = true;
            return true;
        }
        if (walk->record.type == TP_LOG_TICKS || walk->record.type == TP_LOG_FAULT) {
            walk->rows = tp_log_rows_of(tp_reader_ident(walk->reader), &walk->record);
            walk->has_rows = true;
        }
    }
}

static char *row_text(const HuntWork *work, const RowWalk *walk, const tp_log_row *row)
{
    char       *text = NULL;
    size_t      size = 0;
    FILE       *out = open_memstream(&text, &size);
    const void *fault = walk->record.type == TP_LOG_FAULT ? walk->record.payload : NULL;
    if (out == NULL) {
        return NULL;
    }
    rowjson_print(out, tp_reader_ident(walk->reader), work->world, row, fault);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    if (size > 0 && text[size - 1] == '\n') {
        text[size - 1] = '\0';
    }
    return text;
}

void hunt_tell_row(HuntWork *work, uint64_t tick)
{
    RowWalk    walk;
    tp_log_row row;
    bool       is_key = false;
    Finding   *finding = &work->hunt->finding;
    bool       is_open = walk_open(&walk, work->ask);
    while (is_open && finding->inputs == NULL && walk_next(&walk, &row, &is_key)) {
        if (!is_key && row.tick >= tick) {
            finding->inputs = row.tick == tick ? row_text(work, &walk, &row) : NULL;
            break;
        }
    }
    tp_reader_close(walk.reader);
}

// In a process of its own.

// The bytes of the field now.
typedef struct {
    uint8_t bytes[8];
    size_t  size; // 0: not to be had
} FieldBytes;

typedef struct {
    const HuntWork *work;
    tp_sim         *sim;
    uint8_t        *encoded;  // opaque worlds only
    size_t          capacity;
} Watch;

// What a pipe carries to the parent.
typedef struct {
    bool     is_known, is_written;
    uint64_t tick;
} Written;

// A flat world's field lies in its block, where looking costs nothing; an opaque one's in what it saves.
static FieldBytes field_now(const Watch *watch)
{
    const HuntWork *work = watch->work;
    FieldBytes      now = { .size = work->field_size };
    if (work->world->opaque == NULL) {
        const tp_section *section = &work->world->sections[work->field.section];
        tp_view           view = tp_sim_view(watch->sim);
        size_t            offset = (size_t)work->field.element * section->element_size + work->field.field->offset + (size_t)work->field.value * now.size;
        memcpy(now.bytes, (const uint8_t *)tp_view_section(&view, work->field.section) + offset, now.size);
        return now;
    }
    size_t size = 0;
    if (tp_sim_encode(watch->sim, watch->encoded, watch->capacity, &size) && work->field.offset + now.size <= size) {
        memcpy(now.bytes, watch->encoded + work->field.offset, now.size);
    } else {
        now.size = 0;
    }
    return now;
}

static bool take_key(Watch *watch, const tp_log_record *record, bool is_first)
{
    tp_log_key key = tp_log_parse_key(record);
    // The first state of a whole log is what init makes here; a key that the sim stands at changes nothing.
    if ((is_first && record->tick == 0) || tp_sim_tick(watch->sim) == record->tick) {
        return true;
    }
    return tp_sim_decode(watch->sim, key.state, key.state_size, record->tick, key.input_leaf, key.event_leaf, NULL);
}

static bool is_same_run(const HuntWork *work, tp_sim *sim, uint64_t tick)
{
    const tp_trace *trace = work->hunt->traces[0];
    uint8_t         root[16];
    if (tick < trace->first_tick || tick - trace->first_tick >= trace->count) {
        return false;
    }
    tp_hash128_to_bytes(tp_sim_root(sim), root);
    return memcmp(root, trace->rows[tick - trace->first_tick].root, TP_TRACE_ROOT_SIZE) == 0;
}

// Steps up to `tick` and notes each change. What it says counts only if this process came to the same bits as the first side.
static void watch_rows(Watch *watch, RowWalk *walk, uint64_t tick, Written *written)
{
    tp_log_row row;
    bool       is_key = false;
    bool       is_first = true;
    bool       is_good = true;
    FieldBytes before = field_now(watch);
    while (is_good && walk_next(walk, &row, &is_key) && (is_key || row.tick < tick)) {
        is_good = is_key ? take_key(watch, &walk->record, is_first) : tp_sim_step_bytes(watch->sim, row.bytes, row.size, NULL) == TP_SIM_OK;
        is_first = false;
        FieldBytes now = is_good ? field_now(watch) : before;
        if (!is_key && (now.size != before.size || memcmp(now.bytes, before.bytes, now.size) != 0)) {
            written->is_written = true;
            written->tick = row.tick;
        }
        before = now;
    }
    written->is_known = is_good && tp_sim_tick(watch->sim) == tick && (tick == 0 || is_same_run(watch->work, watch->sim, tick - 1));
}

static void look_in_child(const HuntWork *work, uint64_t tick, int out)
{
    RowWalk walk;
    Watch   watch = { .work = work };
    Written written = { 0 };
    int     nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    static const int guarded[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    // Whatever happens to the world here, nobody is told but that the last writer is not known.
    for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
        signal(guarded[i], SIG_DFL);
    }
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    alarm(REPLAY_SECONDS);
    if (walk_open(&walk, work->ask)) {
        tp_log_record record;
        bool          has_ident = tp_reader_next(walk.reader, &record) == TP_LOG_OK;
        watch.sim = has_ident ? tp_sim_of_ident(tp_reader_ident(walk.reader), work->world, NULL, NULL) : NULL;
    }
    watch.capacity = watch.sim == NULL ? 0 : tp_sim_encoded_max(watch.sim);
    watch.encoded = malloc(watch.capacity + 1);
    if (watch.sim != NULL && watch.encoded != NULL) {
        watch_rows(&watch, &walk, tick, &written);
    }
    _exit(write(out, &written, sizeof(written)) == (ssize_t)sizeof(written) ? 0 : 1);
}

static bool read_written(int fd, Written *written)
{
    size_t got = 0;
    while (got < sizeof(*written)) {
        ssize_t taken = read(fd, (uint8_t *)written + got, sizeof(*written) - got);
        if (taken == 0 || (taken < 0 && errno != EINTR)) {
            return false;
        }
        got += taken > 0 ? (size_t)taken : 0;
    }
    return written->is_known;
}

void hunt_tell_last_write(HuntWork *work, uint64_t tick)
{
    int     ends[2];
    Written written = { 0 };
    if (!work->has_field || work->field.field == NULL || work->world == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        look_in_child(work, tick, ends[1]);
    }
    close(ends[1]);
    bool is_known = child > 0 && read_written(ends[0], &written);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (is_known) {
        work->hunt->written_before = written.is_written ? TP_YES : TP_NO;
        work->hunt->finding.has_last_write = written.is_written;
        work->hunt->finding.last_write_tick = written.tick;
    }
}
