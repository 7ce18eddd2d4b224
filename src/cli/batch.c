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

#include "batch_split.h"
#include "cli.h"
#include "series.h"
#include "signals.h"

enum { POLL_NS = 20 * 1000 * 1000, BUDGET_GRACE_S = 2 };
// Each segment makes its world anew, which costs as much as a thousand steps of a large one: so there are few of them, of nearly equal bytes.
enum { SEGMENTS_PER_PROCESS = 2, BYTES_PER_TICK_MIN = 8 };

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
    bool       has_before; // the file before it in its series is in this batch, and it waits for it
    uint64_t   size;
} Job;

// One child at a time.
typedef struct {
    pid_t      pid; // 0: free
    size_t     job;
    ChildTask  task;
    Split     *split;    // NULL: the whole log
    uint32_t   segment;
    ChildCell *cell;
    uint64_t   last_beat;
    double     last_change;
    bool       is_killed, is_overdue; // for its step's time, for the budget
} Worker;

typedef struct {
    const BatchOptions *options;
    BatchFile          *files;
    Job                *jobs;
    size_t              count;
    uint32_t           *order;        // of the work: indices of jobs
    size_t              first;        // in `order`: all before it are started or done
    SeriesItem         *series;       // sorted
    size_t              series_count;
    uint64_t            startable;    // bytes of the waiting logs that wait for no other
    Worker             *workers;
    uint32_t            worker_count;
    Split             **splits;       // in work; at most one for each worker
    uint32_t            split_count;
    bool                has_failed;  // for fail-fast
    bool                is_spent;    // the budget
    size_t              finished, told;
    uint64_t            stepped;     // in those that are finished: asking the reports would bring all of them into memory
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

bool batch_is_stopping(void)
{
    return stop_flag != NULL && *stop_flag;
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
    Job              *job = &batch->jobs[index];
    const BatchHooks *hooks = batch->options->hooks;
    if (job->is_open) {
        files_close_log(&job->file);
        job->is_open = false;
    }
    if (hooks != NULL && hooks->finished != NULL) {
        hooks->finished(hooks->to, index, &batch->files[index]);
    }
    if (job->state == JOB_WAITING) {
        batch->startable -= job->has_before ? 0 : job->size;
    }
    job->state = JOB_DONE;
    batch->finished++;
    batch->stepped += batch->files[index].report.stepped;
    batch->has_failed = batch->has_failed || batch->files[index].report.verdict != TP_VERIFIED;
    *stop_flag = *stop_flag || (batch->options->fails_fast && batch->has_failed);
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
    job->size = files_log_size(&job->file);
    batch->startable += job->size;
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
    size_t            count = 0;
    const SeriesItem *before = series_find(batch->series, batch->series_count, &job->rules_id, job->sequence - 1, &count);
    *is_pending = false;
    for (size_t i = 0; i < count; i++) {
        const Job       *other = &batch->jobs[before[i].index];
        const BatchFile *file = &batch->files[before[i].index];
        if (other->state != JOB_DONE) {
            *is_pending = true;
        } else if (file->report.verdict == TP_VERIFIED && file->report.has_end && file->report.end_reason == TP_END_ROTATED &&
                   memcmp(file->report.chain, job->predecessor, TP_LOG_CHAIN_SIZE) == 0) {
            *is_pending = false;
            return file;
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
    const BatchOptions *options = batch->options;
    uint64_t            pieces = (uint64_t)options->processes * SEGMENTS_PER_PROCESS;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read the report
    signal(SIGINT, SIG_IGN);          // a terminal sends it to all of us: the parent passes it on through the flag
    signal(SIGTERM, SIG_IGN);
    switch (worker->task) {
    case CHILD_WHOLE: child_verify(worker->cell, &job->file, options, predecessor, stop_flag); break;
    case CHILD_READS: child_read(worker->cell, &job->file, job->size / (pieces < CHILD_CUTS_MAX ? pieces : CHILD_CUTS_MAX), options->segment_ticks, stop_flag); break;
    case CHILD_SEGMENT: child_segment(worker->cell, &job->file, options, predecessor, stop_flag); break;
    }
    _exit(0);
}

// Of the worker's task, segment and split. False: said in errno.
static bool start_child(Batch *batch, Worker *worker, size_t index, const tp_predecessor *predecessor)
{
    Job *job = &batch->jobs[index];
    memset(worker->cell, 0, offsetof(ChildCell, cuts));
    if (worker->task == CHILD_SEGMENT) {
        worker->cell->segment = worker->split->segments[worker->segment];
    }
    pid_t pid = fork();
    if (pid == 0) {
        become_child(batch, worker, job, predecessor);
    }
    if (pid < 0) {
        return false;
    }
    worker->pid = pid;
    worker->job = index;
    worker->last_beat = 0;
    worker->last_change = cli_seconds();
    worker->is_killed = worker->is_overdue = false;
    if (job->state == JOB_WAITING) {
        batch->startable -= job->has_before ? 0 : job->size;
        job->state = JOB_RUNNING;
    }
    return true;
}

static void start_whole(Batch *batch, Worker *worker, size_t index, const tp_predecessor *predecessor)
{
    worker->task = CHILD_WHOLE;
    worker->split = NULL;
    if (!start_child(batch, worker, index, predecessor)) {
        conclude(&batch->files[index], TP_INTERNAL, "starting a process: %s", strerror(errno));
        finish_job(batch, index);
    }
}

// A log is split when it is more than one process's share of what could be started now: then the others would wait for it at the end.
static bool is_worth_splitting(const Batch *batch, const Job *job)
{
    const BatchOptions *options = batch->options;
    uint64_t            others = batch->startable - (job->has_before ? 0 : job->size);
    bool is_possible = options->processes > 1 && options->segment_ticks > 0 && !options->follow && !options->proves && options->from == 0 &&
                       options->to == UINT64_MAX && job->file.fd >= 0 && job->has_ident;
    return is_possible && job->size / BYTES_PER_TICK_MIN >= options->segment_ticks && batch->split_count < batch->worker_count &&
           job->size > others / (options->processes - 1);
}

// The reading first: it is what says where the segments are.
static bool start_split(Batch *batch, Worker *worker, size_t index, const tp_predecessor *predecessor)
{
    Split *split = split_create(index, predecessor);
    if (split == NULL) {
        return false;
    }
    worker->task = CHILD_READS;
    worker->split = split;
    if (!start_child(batch, worker, index, NULL)) {
        split_destroy(split);
        return false;
    }
    split->running = 1;
    batch->splits[batch->split_count++] = split;
    return true;
}

static void start_job(Batch *batch, Worker *worker, size_t index, const BatchFile *before)
{
    tp_error         error;
    Job             *job = &batch->jobs[index];
    tp_predecessor   predecessor = { 0 };
    const BatchHooks *hooks = batch->options->hooks;
    if (hooks != NULL && hooks->known != NULL && hooks->known(hooks->to, index, before != NULL, &batch->files[index])) {
        finish_job(batch, index);
        return;
    }
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
    const tp_predecessor *given = before == NULL ? NULL : &predecessor;
    if (!is_worth_splitting(batch, job) || !start_split(batch, worker, index, given)) {
        start_whole(batch, worker, index, given);
    }
}

static void start_segment(Batch *batch, Worker *worker, Split *split)
{
    worker->task = CHILD_SEGMENT;
    worker->split = split;
    worker->segment = split->started;
    if (start_child(batch, worker, split->job, split->has_predecessor ? &split->predecessor : NULL)) {
        split->started++;
        split->running++;
    } else {
        split->is_broken = true;
    }
}

static void skip_job(Batch *batch, size_t index)
{
    bool is_fast = batch->options->fails_fast && batch->has_failed && is_stop_wanted == 0;
    if (batch->is_spent) {
        conclude(&batch->files[index], TP_INCOMPLETE, "not read: the budget of %u s was spent before (--budget)", batch->options->budget_s);
        finish_job(batch, index);
        return;
    }
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

static void start_segments(Batch *batch)
{
    for (uint32_t i = 0; i < batch->split_count && !*stop_flag; i++) {
        Worker *worker = free_worker(batch);
        while (worker != NULL && split_has_ready(batch->splits[i])) {
            start_segment(batch, worker, batch->splits[i]);
            worker = free_worker(batch);
        }
    }
}

static void start_jobs(Batch *batch)
{
    while (batch->first < batch->count && batch->jobs[batch->order[batch->first]].state != JOB_WAITING) {
        batch->first++;
    }
    for (size_t place = batch->first; place < batch->count; place++) {
        size_t index = batch->order[place];
        Job   *job = &batch->jobs[index];
        if (job->state != JOB_WAITING) {
            continue;
        }
        if (*stop_flag) {
            skip_job(batch, index);
            continue;
        }
        Worker *worker = free_worker(batch);
        if (worker == NULL) {
            return;
        }
        bool             is_pending = false;
        const BatchFile *before = job->has_before ? find_predecessor(batch, job, &is_pending) : NULL;
        if (!is_pending) {
            start_job(batch, worker, index, before);
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
    if (worker->is_overdue) {
        conclude(file, TP_INCOMPLETE, "%s went on when the budget of %u s was spent (--budget)", where, batch->options->budget_s);
    } else if (worker->is_killed) {
        conclude(file, TP_INCOMPLETE, "%s took longer than %u s; --step-timeout gives it more", where, batch->options->step_timeout_s);
    } else if (WIFSIGNALED(status)) {
        conclude(file, TP_INTERNAL, "its process died of signal %d (%s) in the %s", WTERMSIG(status), strsignal(WTERMSIG(status)), where);
    } else {
        conclude(file, TP_INTERNAL, "its process ended with code %d and no report in the %s", WEXITSTATUS(status), where);
    }
}

// An interruption has the budget's name when that is what it was.
static void name_budget(const Batch *batch, BatchFile *file)
{
    if (batch->is_spent && file->report.verdict == TP_INCOMPLETE && strncmp(file->report.message, "interrupted", 11) == 0) {
        conclude(file, TP_INCOMPLETE, "the budget of %u s was spent on the way (--budget)", batch->options->budget_s);
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
    name_budget(batch, file);
    finish_job(batch, worker->job);
}

static void take_result(Batch *batch, Worker *worker, int status)
{
    worker->pid = 0;
    if (worker->task == CHILD_WHOLE) {
        take_report(batch, worker, status);
    } else if (worker->task == CHILD_READS) {
        split_take_reading(worker->split, worker->cell);
    } else {
        split_take_segment(worker->split, worker->segment, worker->cell);
    }
}

// What a broken split still has in work is of no use to anybody.
static void drop_segments(Batch *batch, const Split *split)
{
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        if (batch->workers[i].pid != 0 && batch->workers[i].split == split) {
            kill(batch->workers[i].pid, SIGKILL);
        }
    }
}

// The answer, or one piece that gives it. False: no worker is free.
static bool conclude_split(Batch *batch, Split *split)
{
    BatchFile *file = &batch->files[split->job];
    if (split_conclude(split, batch->options, *stop_flag, &file->report)) {
        name_budget(batch, file);
        finish_job(batch, split->job);
        return true;
    }
    Worker *worker = free_worker(batch);
    if (worker != NULL) {
        start_whole(batch, worker, split->job, split->has_predecessor ? &split->predecessor : NULL);
    }
    return worker != NULL;
}

static void conclude_splits(Batch *batch)
{
    for (uint32_t i = batch->split_count; i-- > 0;) {
        Split *split = batch->splits[i];
        if (split->is_broken && split->running > 0) {
            drop_segments(batch, split);
        } else if (split_is_over(split, *stop_flag) && conclude_split(batch, split)) {
            split_destroy(split);
            batch->split_count--;
            memmove(&batch->splits[i], &batch->splits[i + 1], (batch->split_count - i) * sizeof(*batch->splits)); // in the order of their start
        }
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
    bool is_overdue = batch->is_spent && now - batch->options->start > (double)batch->options->budget_s + BUDGET_GRACE_S;
    if (is_late || is_overdue || is_stop_urgent != 0) {
        worker->is_killed = is_late;
        worker->is_overdue = is_overdue;
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
            take_result(batch, worker, status);
        } else {
            watch(batch, worker);
            if (worker->task == CHILD_READS) {
                split_take_cuts(worker->split, worker->cell);
            }
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
    uint64_t ticks = batch->stepped;
    if (!batch->options->shows_progress || now - batch->last_progress < 0.25) {
        return;
    }
    batch->last_progress = now;
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        ticks += batch->workers[i].pid == 0 ? 0 : atomic_load_explicit(&batch->workers[i].cell->ticks_done, memory_order_relaxed);
    }
    for (uint32_t i = 0; i < batch->split_count; i++) {
        ticks += batch->splits[i]->stepped;
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

static void check_budget(Batch *batch)
{
    double budget = (double)batch->options->budget_s;
    if (budget > 0 && !*stop_flag && cli_seconds() - batch->options->start >= budget) {
        batch->is_spent = true;
        *stop_flag = true;
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
        check_budget(batch);
        conclude_splits(batch);
        start_segments(batch);
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
    batch->splits = calloc(batch->worker_count, sizeof(Split *));
    batch->jobs = calloc(batch->count, sizeof(*batch->jobs));
    batch->order = calloc(batch->count, sizeof(*batch->order));
    batch->series = calloc(batch->count, sizeof(*batch->series));
    if ((void *)stop_flag == MAP_FAILED || (void *)cells == MAP_FAILED || batch->workers == NULL || batch->splits == NULL || batch->jobs == NULL ||
        batch->order == NULL || batch->series == NULL) {
        cli_fail(TP_INTERNAL, "verify: out of memory");
        return false;
    }
    for (uint32_t i = 0; i < batch->worker_count; i++) {
        batch->workers[i].cell = &cells[i];
    }
    return true;
}

static const Job *jobs_to_order; // for qsort's comparison

static int compare_sizes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    uint64_t left_size = jobs_to_order[left].size;
    uint64_t right_size = jobs_to_order[right].size;
    if (left_size != right_size) {
        return left_size > right_size ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

// Who waits for whom, and who comes first: the largest, so that no long one is left when all others are done. A single process has nothing to
// gain by that, and reports come sooner in the order of the list.
static void plan_work(Batch *batch)
{
    size_t found = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const Job *job = &batch->jobs[i];
        batch->order[i] = (uint32_t)i;
        if (job->has_ident) {
            batch->series[batch->series_count++] = (SeriesItem){ .rules_id = job->rules_id, .sequence = job->sequence, .index = (uint32_t)i };
        }
    }
    series_sort(batch->series, batch->series_count);
    for (size_t i = 0; i < batch->count; i++) {
        Job *job = &batch->jobs[i];
        job->has_before = job->has_ident && job->sequence > 0 && job->state == JOB_WAITING &&
                          series_find(batch->series, batch->series_count, &job->rules_id, job->sequence - 1, &found) != NULL;
        batch->startable -= job->has_before ? job->size : 0;
    }
    if (batch->options->processes > 1 && !batch->options->follow) {
        jobs_to_order = batch->jobs;
        qsort(batch->order, batch->count, sizeof(*batch->order), compare_sizes);
    }
}

static void look_at_all(Batch *batch)
{
    const BatchHooks *hooks = batch->options->hooks;
    for (size_t i = 0; i < batch->count; i++) {
        look_at(batch, i);
        if (hooks != NULL && hooks->looked != NULL) {
            hooks->looked(hooks->to, i);
        }
    }
    plan_work(batch);
}

bool batch_run(BatchFile *files, size_t count, const BatchOptions *options, void (*done)(void *to, const BatchFile *file), void *to)
{
    Batch batch = { .options = options, .files = files, .count = count, .done = done, .to = to };
    bool  splits = options->segment_ticks > 0 && !options->follow;
    batch.worker_count = splits || options->processes < count ? options->processes : (uint32_t)count;
    bool is_fine = make_workers(&batch);
    if (is_fine) {
        set_handlers();
        look_at_all(&batch);
        work(&batch);
    }
    free(batch.workers);
    free(batch.splits);
    free(batch.jobs);
    free(batch.order);
    free(batch.series);
    return is_fine;
}
