// perturb_run.c: the base run, the runs along the axes, and what each came to beside the base.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "axis_internal.h"
#include "cli.h"
#include "perturb.h"

static SideAsk ask_for(const PerturbWork *work, const PerturbRun *run)
{
    const PerturbLog *log = &work->logs[run->is_other_log ? 1 : 0];
    return (SideAsk){ .log = log->bytes, .log_size = log->size, .to = UINT64_MAX, .leaves_ticks = 64 };
}

void perturb_run_finish(PerturbRun *run)
{
    side_answer_finish(&run->answer);
    free(run->environment);
    run->environment = NULL;
}

static void take_world(PerturbWork *work, const tp_trace *trace)
{
    const tp_ident *ident = &trace->ident;
    tp_setup        setup = { .seed = ident->seed, .players = ident->players, .tick_rate_hz = ident->tick_rate_hz, .config = ident->config_values };
    tp_error        error;
    work->world = worlds_search(&work->world_set, ident->world, ident->revision);
    if (work->world != NULL && work->world->config_count == ident->config_count) {
        work->has_layout = tp_layout_init(&work->layout, work->world, &setup, &error);
    }
}

int perturb_run_bases(PerturbWork *work)
{
    int code = TP_VERIFIED;
    for (size_t i = 0; i < work->log_count; i++) {
        PerturbRun *base = &work->bases[i];
        double      start = cli_seconds();
        perturb_run_make(work, base, perturb_axis_find("base", 4), "", NULL, NULL);
        base->is_other_log = i == 1;
        SideAsk ask = ask_for(work, base);
        if (!side_run(&base->side, &ask, &base->answer)) {
            int own = base->answer.result == SIDE_FAILED && base->answer.code != 0 ? base->answer.code : base->answer.result == SIDE_STOPPED ? TP_INCOMPLETE : TP_INTERNAL;
            return cli_fail(own, "perturb: %s: the base run: %s", work->logs[i].path, base->answer.message);
        }
        double took = cli_seconds() - start;
        work->timeout_s = work->timeout_s > 0 ? work->timeout_s : (uint32_t)(took * 20) + 30;
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)base->answer.code);
    }
    take_world(work, work->bases[0].answer.trace);
    return code;
}

static void flip(PerturbRun *run, const char *why)
{
    run->result = PERTURB_FLIPS;
    snprintf(run->why, sizeof(run->why), "%s", why);
}

static void take_comparison(PerturbRun *run, const tp_trace_comparison *comparison)
{
    if (comparison->verdict == TP_DIVERGED) {
        flip(run, comparison->message);
        run->has_tick = true;
        run->tick = comparison->bad_tick;
        snprintf(run->section, sizeof(run->section), "%s", comparison->section);
    } else if (comparison->verdict == TP_VERIFIED) {
        run->result = PERTURB_SAME;
    } else {
        run->result = comparison->verdict == TP_INCOMPLETE ? PERTURB_SAME : PERTURB_FAILED;
        snprintf(run->why, sizeof(run->why), "%s", comparison->message);
    }
}

static void compare(const PerturbWork *work, PerturbRun *run, const tp_trace *a, const tp_trace *b)
{
    tp_trace_comparison *comparison = calloc(1, sizeof(*comparison));
    if (comparison == NULL) {
        run->result = PERTURB_FAILED;
        snprintf(run->why, sizeof(run->why), "out of memory");
        return;
    }
    const tp_trace *traces[2] = { a, b };
    tp_trace_compare(traces, 2, work->has_layout ? &work->layout : NULL, false, comparison);
    take_comparison(run, comparison);
    // A run that stops early agrees as far as it goes, and still is another run.
    if (run->result == PERTURB_SAME && (a->count != b->count || a->end != b->end)) {
        uint64_t ticks = a->count < b->count ? a->count : b->count;
        flip(run, "one run ends before the other");
        run->has_tick = true;
        run->tick = a->first_tick + ticks;
    }
    free(comparison);
}

// What the other threads of a run came to lies in files beside the log's copy.
static void compare_threads(const PerturbWork *work, PerturbRun *run)
{
    const tp_trace *base = work->bases[0].answer.trace;
    for (int i = 1; i < AXIS_THREADS_MAX && run->result == PERTURB_SAME; i++) {
        char     path[sizeof(work->logs[0].copy) + 16];
        tp_error error;
        size_t   size = 0;
        snprintf(path, sizeof(path), "%s.%d.tpt", work->logs[0].copy, i);
        uint8_t  *bytes = files_read_all(path, (size_t)1 << 30, &size, &error);
        tp_trace *trace = bytes == NULL ? NULL : tp_trace_read(bytes, size, NULL, &error);
        if (trace != NULL) {
            compare(work, run, base, trace);
        } else if (bytes != NULL) {
            run->result = PERTURB_FAILED;
            snprintf(run->why, sizeof(run->why), "thread %d: %s", i, error.text);
        }
        tp_trace_destroy(trace);
        free(bytes);
        remove(path);
    }
}

// What the process said on standard error, without what stands before it.
static const char *said(const char *message, const char *mark)
{
    const char *found = strstr(message, mark);
    return found == NULL ? NULL : found + strlen(mark);
}

// The axis could not do its work. A state that cannot be saved, or is refused by the world that saved it, is what it looks for.
static bool judge_problem(PerturbRun *run)
{
    const char *problem = said(run->answer.message, "tickproof: --perturb: ");
    if (run->answer.result != SIDE_FAILED || run->answer.code != TP_INTERNAL || problem == NULL) {
        return false;
    }
    bool is_world = strncmp(problem, "restore:", 8) == 0 || strncmp(problem, "carry:", 6) == 0 || strncmp(problem, "observer:", 9) == 0;
    flip(run, problem);
    run->result = is_world ? PERTURB_FLIPS : PERTURB_FAILED;
    return true;
}

static void judge_done(PerturbWork *work, PerturbRun *run)
{
    const char *base_name = run->is_other_log ? "the other log" : "the log";
    const PerturbRun *base = &work->bases[run->is_other_log ? 1 : 0];
    compare(work, run, base->answer.trace, run->answer.trace);
    if (run->result == PERTURB_FAILED && run->why[0] == '\0') {
        snprintf(run->why, sizeof(run->why), "it cannot be compared with the base run of %s", base_name);
    }
    if (strcmp(run->axis->name, "threads") == 0) {
        compare_threads(work, run);
    }
}

static void judge(PerturbWork *work, PerturbRun *run)
{
    const char *missing = said(run->answer.message, AXIS_NOT_HERE ": ");
    switch (run->answer.result) {
    case SIDE_DONE: judge_done(work, run); break;
    case SIDE_SKIPPED:
        run->result = PERTURB_SKIPPED;
        snprintf(run->why, sizeof(run->why), "this system does not have it");
        break;
    case SIDE_STOPPED:
        run->result = PERTURB_SKIPPED;
        snprintf(run->why, sizeof(run->why), "interrupted");
        break;
    case SIDE_STUCK:
        // A machine that has much else to do is slow, too: this is no difference, and nothing good either.
        run->result = PERTURB_FAILED;
        snprintf(run->why, sizeof(run->why), "%.300s; --timeout gives it longer", run->answer.message);
        break;
    case SIDE_CRASHED:
        flip(run, run->answer.message);
        if (run->answer.trace != NULL) {
            run->has_tick = true;
            run->tick = run->answer.trace->first_tick + run->answer.trace->count;
        }
        break;
    case SIDE_FAILED:
        if (judge_problem(run)) {
            break;
        }
        run->result = missing != NULL ? PERTURB_SKIPPED : PERTURB_FAILED;
        snprintf(run->why, sizeof(run->why), "%s", missing != NULL ? missing : run->answer.message);
        break;
    }
}

// Threads of a run take what processors there are, and a run on one processor should have it.
static bool is_alone(const PerturbRun *run)
{
    return strcmp(run->axis->name, "threads") == 0 || run->side.command != NULL;
}

static void skip_interrupted(PerturbRun *run)
{
    run->result = PERTURB_SKIPPED;
    snprintf(run->why, sizeof(run->why), "interrupted");
}

static void show_progress(const PerturbWork *work, size_t done)
{
    if (work->shows_progress) {
        fprintf(stderr, "\r%zu of %zu runs%s", done, work->run_count, done == work->run_count ? "\r\033[K" : "");
    }
}

static PerturbRun *next_due(const PerturbWork *work, size_t from)
{
    for (size_t i = from; i < work->run_count; i++) {
        if (work->runs[i].result == PERTURB_NOT_RUN) {
            return &work->runs[i];
        }
    }
    return NULL;
}

static void run_one(PerturbWork *work, PerturbRun *run)
{
    SideAsk ask = ask_for(work, run);
    (void)side_run(&run->side, &ask, &run->answer);
    judge(work, run);
}

static void run_two(PerturbWork *work, PerturbRun *a, PerturbRun *b)
{
    const Side *sides[2] = { &a->side, &b->side };
    SideAnswer  answers[2];
    SideAsk     ask = ask_for(work, a);
    (void)side_run_two(sides, &ask, answers);
    a->answer = answers[0];
    b->answer = answers[1];
    judge(work, a);
    judge(work, b);
}

void perturb_run_all(PerturbWork *work)
{
    for (PerturbRun *run = next_due(work, 0); run != NULL; run = next_due(work, 0)) {
        size_t      place = (size_t)(run - work->runs);
        PerturbRun *other = is_alone(run) ? NULL : next_due(work, place + 1);
        show_progress(work, place);
        if (side_is_stopped()) {
            skip_interrupted(run);
        } else if (other != NULL && !is_alone(other) && other->is_other_log == run->is_other_log) {
            run_two(work, run, other);
        } else {
            run_one(work, run);
        }
    }
    show_progress(work, work->run_count);
}

bool perturb_run_agree(PerturbWork *work, PerturbRun *a, PerturbRun *b)
{
    const Side *sides[2] = { &a->side, &b->side };
    SideAnswer  answers[2];
    SideAsk     ask = ask_for(work, a);
    bool        is_done = side_run_two(sides, &ask, answers);
    a->answer = answers[0];
    b->answer = answers[1];
    if (!is_done) {
        return false;
    }
    compare(work, b, a->answer.trace, b->answer.trace);
    return b->result == PERTURB_SAME;
}
