// perturb_cause.c: from the runs that flip to what they flip on. A world that comes to something else in a plain repeat says nothing along any axis,
// so there what may change from run to run is held still, one thing after another, until it repeats itself.
#include <stdlib.h>
#include <string.h>

#include "perturb.h"

const char *perturb_cause_name(PerturbCause cause)
{
    switch (cause) {
    case PERTURB_CAUSE_ENTROPY: return "randomness";
    case PERTURB_CAUSE_UNINITIALISED: return "uninitialised memory";
    case PERTURB_CAUSE_ALLOCATOR: return "allocator contents";
    case PERTURB_CAUSE_ADDRESSES: return "addresses";
    case PERTURB_CAUSE_LAYOUT: return "address-space layout";
    case PERTURB_CAUSE_CLOCK: return "clock";
    case PERTURB_CAUSE_LOCALE: return "locale";
    case PERTURB_CAUSE_ZONE: return "time zone";
    case PERTURB_CAUSE_DIRECTORY: return "working directory";
    case PERTURB_CAUSE_ENVIRONMENT: return "environment";
    case PERTURB_CAUSE_LEAK: return "state leaking between runs";
    case PERTURB_CAUSE_SNAPSHOT: return "state outside the snapshot";
    case PERTURB_CAUSE_CACHE: return "stale cache or incomplete encoding";
    case PERTURB_CAUSE_UNTOLD: return "writes that were not told";
    case PERTURB_CAUSE_OBSERVER: return "observer writes";
    case PERTURB_CAUSE_THREADS: return "threads or shared state";
    case PERTURB_CAUSE_FLOAT: return "floating-point environment";
    case PERTURB_CAUSE_BUILD: return "build";
    case PERTURB_CAUSE_MACHINE: return "machine";
    case PERTURB_CAUSE_RECORDED: return "other than recorded";
    case PERTURB_CAUSE_NONE: break;
    }
    return "";
}

static bool is_on(const PerturbRun *run, const char *axis)
{
    return strcmp(run->axis->name, axis) == 0;
}

static bool is_same_outcome(const PerturbRun *a, const PerturbRun *b)
{
    if (a->answer.trace == NULL || b->answer.trace == NULL) {
        return false;
    }
    tp_trace_comparison *comparison = calloc(1, sizeof(*comparison));
    const tp_trace      *traces[2] = { a->answer.trace, b->answer.trace };
    if (comparison == NULL) {
        return false;
    }
    tp_trace_compare(traces, 2, NULL, false, comparison);
    bool is_same = comparison->verdict == TP_VERIFIED || comparison->verdict == TP_INCOMPLETE;
    free(comparison);
    return is_same;
}

// Filling moves things about, too. Where all fillings come to one and the same thing, that is what flips and not what was filled in.
static void tell_fill_from_place(PerturbWork *work, const char *axis)
{
    const PerturbRun *first = NULL;
    bool              differ = false;
    size_t            count = 0;
    for (size_t i = 0; i < work->run_count; i++) {
        const PerturbRun *run = &work->runs[i];
        if (is_on(run, axis) && (run->result == PERTURB_FLIPS || run->result == PERTURB_SAME)) {
            differ = differ || run->result == PERTURB_SAME || (first != NULL && !is_same_outcome(first, run));
            first = first == NULL ? run : first;
            count += 1;
        }
    }
    for (size_t i = 0; count > 1 && !differ && i < work->run_count; i++) {
        if (is_on(&work->runs[i], axis)) {
            work->runs[i].cause = PERTURB_CAUSE_ADDRESSES;
        }
    }
}

// Another heap moves everything that comes from it. Where moving alone is enough, and filling is not, contents have no part in it.
static void tell_allocator_from_place(PerturbWork *work)
{
    bool moves = false;
    bool fills = false;
    for (size_t i = 0; i < work->run_count; i++) {
        const PerturbRun *run = &work->runs[i];
        moves = moves || (run->result == PERTURB_FLIPS && (is_on(run, "place") || is_on(run, "aslr")));
        fills = fills || (run->result == PERTURB_FLIPS && is_on(run, "heap") && run->cause == PERTURB_CAUSE_ALLOCATOR);
    }
    for (size_t i = 0; moves && !fills && i < work->run_count; i++) {
        if (is_on(&work->runs[i], "allocator")) {
            work->runs[i].cause = PERTURB_CAUSE_ADDRESSES;
        }
    }
}

// Some axes are set by variables. Where more variables are enough to flip it, those of another axis are, too, and say nothing of what they
// mean; what fills memory within the process is no variable.
static void tell_variables_from_meaning(PerturbWork *work)
{
    bool counts = false;
    bool fills = false;
    for (size_t i = 0; i < work->run_count; i++) {
        const PerturbRun *run = &work->runs[i];
        counts = counts || (run->result == PERTURB_FLIPS && is_on(run, "environment") && strstr(run->name, "large") != NULL);
        fills = fills || (run->result == PERTURB_FLIPS && is_on(run, "heap"));
    }
    for (size_t i = 0; counts && i < work->run_count; i++) {
        PerturbRun *run = &work->runs[i];
        bool        is_variable = is_on(run, "clock") || is_on(run, "locale") || is_on(run, "tz") || (is_on(run, "allocator") && !fills);
        run->cause = run->result == PERTURB_FLIPS && is_variable ? PERTURB_CAUSE_ENVIRONMENT : run->cause;
    }
}

static bool any_flips(const PerturbWork *work, const char *axis)
{
    for (size_t i = 0; i < work->run_count; i++) {
        if (is_on(&work->runs[i], axis) && work->runs[i].result == PERTURB_FLIPS) {
            return true;
        }
    }
    return false;
}

// Two runs with the same held still.
static bool is_steady(PerturbWork *work, const char *first, const char *second, bool is_one_processor)
{
    PerturbRun *pair = calloc(2, sizeof(*pair));
    bool        is_equal = pair != NULL;
    for (int again = 0; is_equal && again < 2; again++) { // twice: two may agree by chance
        for (int i = 0; i < 2; i++) {
            perturb_run_make(work, &pair[i], perturb_axis_find("repeat", 6), "held still", first, second);
            if (is_one_processor) {
                pair[i].side.prepare = perturb_here_one_processor;
            }
        }
        is_equal = perturb_run_agree(work, &pair[0], &pair[1]);
        perturb_run_finish(&pair[0]);
        perturb_run_finish(&pair[1]);
    }
    free(pair);
    return is_equal;
}

static bool calls(const PerturbWork *work, const char *kind, const char *function)
{
    for (size_t i = 0; i < work->call_count; i++) {
        if (strcmp(work->calls[i].kind, kind) == 0 && (function == NULL || strcmp(work->calls[i].function, function) == 0)) {
            return true;
        }
    }
    return false;
}

// Holding still did not help, so what its steps call has to tell.
static PerturbCause blame_calls(PerturbWork *work)
{
    char *text = work->repeat_text;
    perturb_strict_run(work);
    if (calls(work, "clock", "rdtsc") || calls(work, "clock", "rdtscp")) {
        snprintf(text, sizeof(work->repeat_text), "it reads the processor's time stamp counter, which nothing holds still");
        return PERTURB_CAUSE_CLOCK;
    }
    if (calls(work, "threads", "pthread_create") || calls(work, "threads", "thrd_create")) {
        snprintf(text, sizeof(work->repeat_text), "nothing that was held still makes it repeat itself, and its steps make threads, whose order may count");
        return PERTURB_CAUSE_THREADS;
    }
    snprintf(text, sizeof(work->repeat_text), "%s",
             work->can_pin ? "clock, random numbers, addresses and processors held still do not make it repeat itself; a time stamp counter cannot be held still"
                           : "addresses change in every run on this system, so they may be what it depends on");
    return work->can_pin ? PERTURB_CAUSE_ENTROPY : PERTURB_CAUSE_LAYOUT;
}

static PerturbCause hold_still(PerturbWork *work)
{
    char *text = work->repeat_text;
    if (work->no_strict == NULL && is_steady(work, "clock=frozen", NULL, false)) {
        snprintf(text, sizeof(work->repeat_text), "it repeats itself when the clock stands still");
        return PERTURB_CAUSE_CLOCK;
    }
    if (work->no_strict == NULL && is_steady(work, "entropy=fixed", NULL, false)) {
        snprintf(text, sizeof(work->repeat_text), "it repeats itself when the system's random numbers and the number of the process are always the same");
        return PERTURB_CAUSE_ENTROPY;
    }
    if (is_steady(work, NULL, NULL, true)) {
        snprintf(text, sizeof(work->repeat_text), "it repeats itself on one processor");
        return PERTURB_CAUSE_THREADS;
    }
    if (work->no_strict == NULL && is_steady(work, "clock=frozen", "entropy=fixed", false)) {
        snprintf(text, sizeof(work->repeat_text), "it repeats itself when the clock stands still and random numbers are always the same: it uses both");
        return PERTURB_CAUSE_ENTROPY;
    }
    return blame_calls(work);
}

static void judge_repeats(PerturbWork *work)
{
    work->repeat_flips = any_flips(work, "repeat");
    if (!work->repeat_flips) {
        return;
    }
    PerturbCause cause = hold_still(work);
    for (size_t i = 0; i < work->run_count; i++) {
        PerturbRun *run = &work->runs[i];
        if (run->result == PERTURB_FLIPS && is_on(run, "repeat")) {
            run->cause = cause;
        } else if (run->result == PERTURB_FLIPS) {
            run->is_noise = true;
        }
    }
}

void perturb_conclude(PerturbWork *work)
{
    tell_fill_from_place(work, "slack");
    tell_fill_from_place(work, "stack");
    tell_fill_from_place(work, "heap");
    tell_allocator_from_place(work);
    tell_variables_from_meaning(work);
    judge_repeats(work);
    work->cause = PERTURB_CAUSE_NONE;
    for (size_t i = 0; i < work->run_count; i++) {
        const PerturbRun *run = &work->runs[i];
        // A crash says less about where than a run that came to something else.
        bool is_better = run->cause < work->cause || (run->cause == work->cause && !work->runs[work->cause_run].has_tick && run->has_tick);
        if (run->result == PERTURB_FLIPS && !run->is_noise && (work->cause == PERTURB_CAUSE_NONE || is_better)) {
            work->cause = run->cause;
            work->cause_run = i;
        }
    }
}
