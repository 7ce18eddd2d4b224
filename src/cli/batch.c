// batch.c: the parent's side: which file next, which process has been silent for too long, what a dead one means.
#include "batch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "batch_child.h"
#include "cli.h"
#include "signals.h"

enum { POLL_NS = 20 * 1000 * 1000 };

typedef enum { JOB_WAITING, JOB_RUNNING, JOB_DONE } JobState;

typedef struct {
    JobState   state;
    // From IDENT, for series of rotated files.
    bool       has_ident;
    tp_hash128 rules_id;
    uint32_t   sequence;
    uint8_t    predecessor[TP_LOG_CHAIN_SIZE];
    LogFile    file;
    bool       is_open;
} Job;

// One child at a time.
typedef struct {
    pid_t      pid; // 0: free
    size_t     job;
    ChildCell *cell;
    uint64_t   last_beat;
    double     last_change;
    bool       is_killed;
} Worker;

typedef struct {
    const BatchOptions *options;
    BatchFile          *files;
    Job                *jobs;
    size_t              count;
    Worker             *workers;
    uint32_t            worker_count;
    bool                has_failed;  // for fail-fast
    size_t              finished, told;
    double              last_progress;
    bool                is_progress_shown;
    void (*done)(void *to, const BatchFile *file);
    void *to;
} Batch;

// Shared with the children: a signal to the parent alone must reach them, too.
static volatile bool *stop_flag;
static volatile sig_atomic_t is_stop_wanted, is_stop_urgent;

static void on_signal(int number)
{
    (void)number;
    *stop_flag = true;
    is_stop_wanted = 1;
    if (signals_is_second()) {
        is_stop_urgent = 1;
    }
}

// The only use of this signal is to wake the parent.
static void on_child(int number)
{
    (void)number;
}

// The library says nothing through its exit code: whoever ends the process early never reaches the byte.
static void try_child(const BatchOptions *options, int out)
{
    static WorldSet worlds;
    for (size_t i = 0; i < options->world_count; i++) {
        if (worlds_add(&worlds, options->worlds[i]) == NULL) {
            (void)!write(out, "n", 1);
            _exit(0);
        }
    }
    (void)!write(out, "y", 1);
    _exit(0);
}

bool batch_try_worlds(const BatchOptions *options)
{
    int ends[2];
    if (options->world_count == 0) {
        return true;
    }
    fflush(stdout);
    if (pipe(ends) != 0) {
        return cli_fail(TP_INTERNAL, "trying out the worlds: %s", strerror(errno)) == TP_VERIFIED;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        try_child(options, ends[1]);
    }
    close(ends[1]);
    char          answer = '\0';
    struct pollfd ready = { .fd = ends[0], .events = POLLIN };
    int           wait_ms = options->step_timeout_s > 0 ? (int)options->step_timeout_s * 1000 : -1;
    int           seen = pid < 0 ? -1 : poll(&ready, 1, wait_ms);
    bool          is_answered = seen > 0 && read(ends[0], &answer, 1) == 1;
    int           status = 0;
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    if (!is_answered && seen == 0) {
        cli_fail(TP_USAGE, "--world: loading did not end within %u s: mend the library, or give --step-timeout", options->step_timeout_s);
    } else if (!is_answered) {
        cli_fail(TP_USAGE, "--world: loading crashed or ended the process instead of giving a world: mend the library");
    }
    return answer == 'y';
}

const char *batch_name(const BatchFile *file)
{
    return strcmp(file->path, "-") == 0 ? "standard input" : file->path;
}

static void conclude(BatchFile *file, tp_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void conclude(BatchFile *file, tp_verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file->report.message, sizeof(file->report.message), format, arguments);
    va_end(arguments);
    file->report.verdict = verdict;
}

static void finish_job(Batch *batch, size_t index)
{
    Job *job = &batch->jobs[index];
    if (job->is_open) {
        files_close_log(&job->file);
        job->is_open = false;
    }
    job->state = JOB_DONE;
    batch->finished++;
    batch->has_failed = batch->has_failed || batch->files[index].report.verdict != TP_VERIFIED;
}

// What the order of work needs to know about a file. A file that cannot be opened is finished here.
static void look_at(Batch *batch, size_t index)
{
    tp_error          error;
    Job              *job = &batch->jobs[index];
    BatchFile        *file = &batch->files[index];
    tp_reader_options reader_options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    if (!files_open_log(&job->file, file->path, &error)) {
        files_close_log(&job->file);
        conclude(file, TP_USAGE, "opening the log: %s", error.text);
        cli_fail(TP_USAGE, "%s: %s", batch_name(file), file->report.message);
        finish_job(batch, index);
        return;
    }
    tp_reader_open(&job->file.source, &reader_options, &reader);
    const tp_ident *ident = reader == NULL ? NULL : tp_reader_ident(reader);
    if (ident != NULL) {
        job->has_ident = true;
        job->rules_id = ident->rules.id;
        job->sequence = ident->sequence;
        memcpy(job->predecessor, ident->predecessor, sizeof(job->predecessor));
    }
    tp_reader_close(reader);
    // Standard input cannot be opened again; files can, and thousands of them would take all descriptors.
    if (job->file.fd >= 0) {
        files_close_log(&job->file);
    } else {
        job->is_open = true;
    }
}

// The file before this one in its series, if it is here. NULL, and `*is_pending` while it may still turn up.
static const BatchFile *find_predecessor(const Batch *batch, const Job *job, bool *is_pending)
{
    *is_pending = false;
    for (size_t i = 0; i < batch->count; i++) {
        const Job       *other = &batch->jobs[i];
        const tp_report *report = &batch->files[i].report;
        if (other == job || !other->has_ident || other->sequence + 1 != job->sequence || !tp_hash128_equal(other->rules_id, job->rules_id)) {
            continue;
        }
        if (other->state != JOB_DONE) {
            *is_pending = true;
        } else if (report->verdict == TP_VERIFIED && report->has_end && report->end_reason == TP_END_ROTATED &&
                   memcmp(report->chain, job->predecessor, TP_LOG_CHAIN_SIZE) == 0) {
            *is_pending = false;
            return &batch->files[i];
        }
    }
    return NULL;
}

static tp_predecessor predecessor_of(const BatchFile *file)
{
    tp_predecessor predecessor = { .next_tick = file->report.next_tick, .sequence = file->report.sequence };
    memcpy(predecessor.chain, file->report.chain, sizeof(predecessor.chain));
    memcpy(predecessor.root, file->report.final_root, sizeof(predecessor.root));
    return predecessor;
}

static void become_child(Batch *batch, Worker *worker, Job *job, const tp_predecessor *predecessor)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read the report
    signal(SIGINT, SIG_IGN);          // a terminal sends it to all of us: the parent passes it on through the flag
    signal(SIGTERM, SIG_IGN);
    child_verify(worker->cell, &job->file, batch->options, predecessor, stop_flag);
    _exit(0);
}

static void start_job(Batch *batch, Worker *worker, size_t index, const BatchFile *before)
{
    tp_error       error;
    Job           *job = &batch->jobs[index];
    tp_predecessor predecessor = { 0 };
    if (!job->is_open && !files_open_log(&job->file, batch->files[index].path, &error)) {
        files_close_log(&job->file);
        conclude(&batch->files[index], TP_USAGE, "opening the log: %s", error.text);
        finish_job(batch, index);
        return;
    }
    job->is_open = true;
    if (before != NULL) {
        predecessor = predecessor_of(before);
    }
    memset(worker->cell, 0, sizeof(*worker->cell));
    pid_t pid = fork();
    if (pid == 0) {
        become_child(batch, worker, job, before == NULL ? NULL : &predecessor);
    }
    if (pid < 0) {
        conclude(&batch->files[index], TP_INTERNAL, "starting a process: %s", strerror(errno));
        finish_job(batch, index);
        return;
    }
    *worker = (Worker){ .pid = pid, .job = index, .cell = worker->cell, .last_change = cli_seconds() };
    job->state = JOB_RUNNING;
}

static void skip_job(Batch *batch, size_t index)
{
    bool is_fast = batch->options->fails_fast && batch->has_failed && is_stop_wanted == 0;
    conclude(&batch->files[index], TP_INCOMPLETE, is_fast ? "not read: another log failed first (--fail-fast)" : "interrupted before it was read");
    finish_job(batch, index);
}

static Worker *free_worker(Batch *batch)
{
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        if (batch->workers[i].pid == 0) {
            return &batch->workers[i];
        }
    }
    return NULL;
}

static void start_jobs(Batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        Job *job = &batch->jobs[i];
        if (job->state != JOB_WAITING) {
            continue;
        }
        if (*stop_flag) {
            skip_job(batch, i);
            continue;
        }
        Worker *worker = free_worker(batch);
        if (worker == NULL) {
            return;
        }
        bool             is_pending = false;
        const BatchFile *before = job->has_ident && job->sequence > 0 ? find_predecessor(batch, job, &is_pending) : NULL;
        if (!is_pending) {
            start_job(batch, worker, i, before);
        }
    }
}

// How much a log holds when its own process did not live to say it.
static void count_recorded(BatchFile *file)
{
    tp_error          error;
    LogFile           log;
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    if (strcmp(file->path, "-") != 0 && files_open_log(&log, file->path, &error)) {
        tp_log_status status = tp_reader_open(&log.source, &options, &reader);
        while (reader != NULL && status == TP_LOG_OK) {
            status = tp_reader_next(reader, &record);
        }
        if (reader != NULL) {
            file->report.recorded = tp_reader_ticks(reader);
            file->report.next_tick = tp_reader_next_tick(reader);
        }
        tp_reader_close(reader);
        files_close_log(&log);
    }
}

static void describe_activity(const ChildCell *cell, char *text, size_t size)
{
    unsigned long long tick = atomic_load(&cell->tick);
    switch ((ChildActivity)atomic_load(&cell->activity)) {
    case CHILD_STARTING: snprintf(text, size, "making of the first state"); return;
    case CHILD_STEPPING: snprintf(text, size, "step of tick %llu", tick); return;
    case CHILD_KEEPING: snprintf(text, size, "saving or hashing of the state after tick %llu", tick); return;
    case CHILD_READING: break;
    }
    if (atomic_load(&cell->ticks_done) == 0) {
        snprintf(text, size, "reading before the first tick");
    } else {
        snprintf(text, size, "reading after tick %llu", tick);
    }
}

static void explain_death(Batch *batch, const Worker *worker, int status)
{
    BatchFile *file = &batch->files[worker->job];
    char       where[64];
    describe_activity(worker->cell, where, sizeof(where));
    count_recorded(file);
    if (worker->is_killed) {
        conclude(file, TP_INCOMPLETE, "%s took longer than %u s; --step-timeout gives it more", where, batch->options->step_timeout_s);
    } else if (WIFSIGNALED(status)) {
        conclude(file, TP_INTERNAL, "its process died of signal %d (%s) in the %s", WTERMSIG(status), strsignal(WTERMSIG(status)), where);
    } else {
        conclude(file, TP_INTERNAL, "its process ended with code %d and no report in the %s", WEXITSTATUS(status), where);
    }
}

static void take_report(Batch *batch, Worker *worker, int status)
{
    BatchFile       *file = &batch->files[worker->job];
    const ChildCell *cell = worker->cell;
    file->report = cell->report;
    file->has_proof = cell->has_proof != 0;
    file->proof = cell->proof;
    if (atomic_load(&cell->is_done) == 0) {
        explain_death(batch, worker, status);
    } else if (file->report.verdict == TP_INCOMPATIBLE && file->report.recorded == 0) {
        count_recorded(file); // verification ended before the first row, and a report always says of how many
    }
    worker->pid = 0;
    finish_job(batch, worker->job);
    if (batch->options->fails_fast && batch->has_failed) {
        *stop_flag = true;
    }
}

static void watch(const Batch *batch, Worker *worker)
{
    uint64_t beat = atomic_load_explicit(&worker->cell->beat, memory_order_acquire);
    double   now = cli_seconds();
    if (beat != worker->last_beat) {
        worker->last_beat = beat;
        worker->last_change = now;
    }
    bool is_busy = atomic_load(&worker->cell->activity) != CHILD_READING;
    bool is_late = batch->options->step_timeout_s > 0 && is_busy && now - worker->last_change > (double)batch->options->step_timeout_s;
    if (is_late || is_stop_urgent != 0) {
        worker->is_killed = is_late;
        kill(worker->pid, SIGKILL);
    }
}

static void reap(Batch *batch)
{
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        Worker *worker = &batch->workers[i];
        int     status = 0;
        if (worker->pid == 0) {
            continue;
        }
        if (waitpid(worker->pid, &status, WNOHANG) == worker->pid) {
            take_report(batch, worker, status);
        } else {
            watch(batch, worker);
        }
    }
}

static void hide_progress(Batch *batch)
{
    if (batch->is_progress_shown) {
        fputs("\r\033[K", stderr);
        batch->is_progress_shown = false;
    }
}

static void show_progress(Batch *batch)
{
    double   now = cli_seconds();
    uint64_t ticks = 0;
    if (!batch->options->shows_progress || now - batch->last_progress < 0.25) {
        return;
    }
    batch->last_progress = now;
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        ticks += batch->workers[i].pid == 0 ? 0 : atomic_load_explicit(&batch->workers[i].cell->ticks_done, memory_order_relaxed);
    }
    for (size_t i = 0; i < batch->count; i++) {
        ticks += batch->jobs[i].state == JOB_DONE ? batch->files[i].report.stepped : 0;
    }
    fprintf(stderr, "\r%zu of %zu files, %llu ticks", batch->finished, batch->count, (unsigned long long)ticks);
    batch->is_progress_shown = true;
}

static void tell(Batch *batch)
{
    while (batch->told < batch->count && batch->jobs[batch->told].state == JOB_DONE) {
        hide_progress(batch);
        batch->done(batch->to, &batch->files[batch->told++]);
        fflush(stdout);
    }
}

static void work(Batch *batch)
{
    sigset_t              child;
    const struct timespec pause = { .tv_nsec = POLL_NS };
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (batch->told < batch->count) {
        reap(batch);
        start_jobs(batch);
        tell(batch);
        if (batch->finished < batch->count) {
            show_progress(batch);
            sigtimedwait(&child, NULL, &pause); // sleeps until a child ends; the clock is for those that do not
        }
    }
    hide_progress(batch);
}

// Handlers without SA_RESTART, so that a signal ends a wait.
static void set_handlers(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigset_t         child;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_child;
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
}

static bool make_workers(Batch *batch)
{
    size_t bytes = sizeof(ChildCell) * batch->worker_count;
    stop_flag = mmap(NULL, sizeof(*stop_flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ChildCell *cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    batch->workers = calloc(batch->worker_count, sizeof(*batch->workers));
    batch->jobs = calloc(batch->count, sizeof(*batch->jobs));
    if ((void *)stop_flag == MAP_FAILED || (void *)cells == MAP_FAILED || batch->workers == NULL || batch->jobs == NULL) {
        cli_fail(TP_INTERNAL, "verify: out of memory");
        return false;
    }
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        batch->workers[i].cell = &cells[i];
    }
    return true;
}

bool batch_run(BatchFile *files, size_t count, const BatchOptions *options, void (*done)(void *to, const BatchFile *file), void *to)
{
    Batch batch = { .options = options, .files = files, .count = count, .done = done, .to = to };
    batch.worker_count = options->processes < count ? options->processes : (uint32_t)count;
    bool is_fine = make_workers(&batch);
    if (is_fine) {
        set_handlers();
        for (size_t i = 0; i < count; i++) {
            look_at(&batch, i);
        }
        *stop_flag = *stop_flag || (options->fails_fast && batch.has_failed);
        work(&batch);
    }
    free(batch.workers);
    free(batch.jobs);
    return is_fine;
}
