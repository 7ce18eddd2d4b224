// minimise_sides.c: a trial by two processes: both step the candidate, and what they come to is compared.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "minimise_work.h"

enum { TRIAL_TIMEOUT_MIN_S = 2, TRIAL_TIMEOUT_TIMES = 5 };

static void name_side(MinimiseWork *work, int side, const char *name)
{
    snprintf(work->names[side], sizeof(work->names[side]), "%s", name);
    work->sides[side].name = work->names[side];
    work->sides[side].timeout_s = work->timeout_s;
}

static void give_worlds(MinimiseWork *work, int side, size_t first, size_t count)
{
    work->sides[side].worlds = work->worlds + first;
    work->sides[side].world_count = count;
}

static bool say_what_is_missing(void)
{
    cli_usage("minimise", "what does the log come apart from? Give a second side: --with COMMAND, --world A.so --world B.so, --perturb AXIS, or --synctest; to cut "
                          "it behind the tick that differs from its own record, --against-record");
    return false;
}

bool minimisesides_open(MinimiseWork *work)
{
    size_t ways = (work->with_count > 0) + (work->perturb != NULL) + work->is_synctest + work->against_record;
    give_worlds(work, 0, 0, work->world_count);
    give_worlds(work, 1, 0, work->world_count);
    name_side(work, 0, "here");
    if (ways > 1) {
        cli_usage("minimise", "--with, --perturb, --synctest and --against-record exclude each other");
        return false;
    }
    if (work->with_count == 2) {
        name_side(work, 0, work->with[0]);
        work->sides[0].command = work->with[0];
    }
    if (work->with_count > 0) {
        name_side(work, 1, work->with[work->with_count - 1]);
        work->sides[1].command = work->with[work->with_count - 1];
    } else if (work->perturb != NULL) {
        name_side(work, 1, work->perturb);
        work->perturb_flags[0] = "--perturb";
        work->perturb_flags[1] = work->perturb;
        work->sides[1].flags = work->perturb_flags;
        work->sides[1].flag_count = 2;
    } else if (ways == 0 && work->world_count == 2) {
        name_side(work, 0, work->worlds[0]);
        name_side(work, 1, work->worlds[1]);
        give_worlds(work, 0, 0, 1);
        give_worlds(work, 1, 1, 1);
    } else if (ways == 0) {
        return say_what_is_missing();
    }
    return true;
}

// Both are there: the first tick on which they are not the same. UINT64_MAX: there is none.
static uint64_t first_difference(const tp_trace *a, const tp_trace *b)
{
    uint64_t common = a->count < b->count ? a->count : b->count;
    for (uint64_t i = 0; i < common; i++) {
        if (memcmp(a->rows[i].root, b->rows[i].root, sizeof(a->rows[i].root)) != 0) {
            return a->first_tick + i;
        }
    }
    bool is_same_fault = a->end != TP_TRACE_END_FAULT || memcmp(a->fault_root, b->fault_root, sizeof(a->fault_root)) == 0;
    return a->count == b->count && a->end == b->end && is_same_fault ? UINT64_MAX : a->first_tick + common;
}

static bool is_gone(const SideAnswer *answer)
{
    return answer->result == SIDE_CRASHED || answer->result == SIDE_STUCK;
}

// The tick that a process said it was in when it ended, in words: the only ones that it had left.
static uint64_t tick_said(const SideAnswer *answer)
{
    const char *text = strstr(answer->message, "step of tick ");
    return text == NULL ? UINT64_MAX : strtoull(text + strlen("step of tick "), NULL, 10);
}

static tp_trial fail(MinimiseWork *work, const char *side, const char *text)
{
    snprintf(work->failure, sizeof(work->failure), "%.120s: %.240s", side, text);
    return TP_TRIAL_FAILED;
}

// Neither side has anything to compare, which is no agreement. Of a candidate it is a plain NO.
static tp_trial fail_both(MinimiseWork *work, const SideAnswer answers[2])
{
    bool is_stuck = answers[0].result == SIDE_STUCK || answers[1].result == SIDE_STUCK;
    work->failure_verdict = is_stuck ? TP_INCOMPLETE : TP_INTERNAL;
    snprintf(work->failure, sizeof(work->failure), "neither side comes to the end of the log: %.50s: %.90s; %.50s: %.90s", work->sides[0].name, answers[0].message,
             work->sides[1].name, answers[1].message);
    return TP_TRIAL_FAILED;
}

static tp_trial judge(MinimiseWork *work, const SideAnswer answers[2], tp_minimise_trial *trial)
{
    for (int i = 0; i < 2; i++) {
        if (answers[i].result == SIDE_STOPPED) {
            work->is_interrupted = true;
            return TP_TRIAL_STOPPED;
        }
        bool is_silent = answers[i].result == SIDE_STUCK && !answers[i].has_spoken;
        if (answers[i].result == SIDE_FAILED || answers[i].result == SIDE_SKIPPED || is_silent) {
            work->failure_verdict = side_verdict(&answers[i]);
            return fail(work, work->sides[i].name, answers[i].message);
        }
    }
    if (is_gone(&answers[0]) && is_gone(&answers[1]) && !work->has_come_apart) {
        return fail_both(work, answers);
    }
    if (is_gone(&answers[0]) || is_gone(&answers[1])) {
        trial->bad_tick = tick_said(&answers[is_gone(&answers[0]) ? 0 : 1]);
        trial->is_exact = trial->bad_tick != UINT64_MAX;
        return is_gone(&answers[0]) != is_gone(&answers[1]) ? TP_TRIAL_YES : TP_TRIAL_NO;
    }
    trial->bad_tick = first_difference(answers[0].trace, answers[1].trace);
    return trial->bad_tick != UINT64_MAX ? TP_TRIAL_YES : TP_TRIAL_NO;
}

// A candidate that hangs is waited for no longer than a good one may reasonably take.
static void set_timeouts(MinimiseWork *work, const tp_minimise_trial *trial)
{
    double   fair = work->first_seconds * TRIAL_TIMEOUT_TIMES + TRIAL_TIMEOUT_MIN_S;
    uint32_t timeout = work->has_tried && !trial->is_check && (work->timeout_s == 0 || fair < work->timeout_s) ? (uint32_t)fair : work->timeout_s;
    work->sides[0].timeout_s = work->sides[1].timeout_s = timeout;
}

static bool is_time_over(MinimiseWork *work, const tp_minimise_trial *trial)
{
    work->is_interrupted = work->is_interrupted || side_is_stopped();
    work->is_out_of_time = work->is_out_of_time || (!trial->is_check && work->deadline > 0 && cli_seconds() > work->deadline);
    return work->is_interrupted || (work->is_out_of_time && !trial->is_check);
}

static tp_trial compare(MinimiseWork *work, const uint8_t *log, size_t size, tp_minimise_trial *trial)
{
    const Side *sides[2] = { &work->sides[0], &work->sides[1] };
    SideAsk     ask = { .log = log, .log_size = size, .to = UINT64_MAX };
    SideAnswer  answers[2];
    double      start = cli_seconds();
    set_timeouts(work, trial);
    (void)side_run_two(sides, &ask, answers);
    tp_trial found = judge(work, answers, trial);
    if (!work->has_tried) {
        work->has_tried = true;
        bool is_stuck = answers[0].result == SIDE_STUCK || answers[1].result == SIDE_STUCK;
        work->first_seconds = is_stuck ? 0 : cli_seconds() - start;
    }
    side_answer_finish(&answers[0]);
    side_answer_finish(&answers[1]);
    return found;
}

static bool is_same_field(const MinimiseField *a, const MinimiseField *b)
{
    return a->is_known == b->is_known && strcmp(a->place, b->place) == 0;
}

// With --same-field: what differs is what differed first.
static tp_trial look_at_field(MinimiseWork *work, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    MinimiseDifference difference;
    tp_inputs          cut = { 0 };
    bool               is_first = work->first_field.place[0] == '\0';
    if (trial->bad_tick == UINT64_MAX || !tp_inputs_copy(&cut, inputs)) {
        return fail(work, "--same-field", "which tick it is cannot be told, so neither which field; leave the flag out");
    }
    tp_inputs_cut(&cut, trial->bad_tick + 1);
    bool is_described = minimisesides_describe(work, &cut, &difference);
    tp_inputs_finish(&cut);
    if (!is_described || (is_first && !difference.field.is_known)) {
        return is_first ? fail(work, "--same-field", "no field differs, or none can be named; leave the flag out") : TP_TRIAL_NO;
    }
    if (is_first) {
        work->first_field = difference.field;
    }
    return is_same_field(&work->first_field, &difference.field) ? TP_TRIAL_YES : TP_TRIAL_NO;
}

tp_trial minimisesides_trial(void *to, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    MinimiseWork *work = to;
    uint8_t      *log = NULL;
    size_t        size = 0;
    if (is_time_over(work, trial)) {
        return TP_TRIAL_STOPPED;
    }
    if (!minimiselog_make(work, inputs, &log, &size)) {
        return TP_TRIAL_NO; // the world does not take a row
    }
    tp_trial found = compare(work, log, size, trial);
    work->has_come_apart = work->has_come_apart || found == TP_TRIAL_YES;
    free(log);
    return found == TP_TRIAL_YES && work->same_field ? look_at_field(work, inputs, trial) : found;
}

// The result, looked at more closely.

typedef struct {
    const tp_layout *layout;
    MinimiseField   *field;
    const uint8_t   *expected;
    size_t           size;
} FieldSearch;

static bool take_difference(void *to, const tp_difference *difference)
{
    FieldSearch   *search = to;
    MinimiseField *field = search->field;
    field->differing_fields += 1;
    if (field->is_known) {
        return true;
    }
    field->is_known = true;
    snprintf(field->place, sizeof(field->place), "%s", difference->place);
    if (search->layout->world->opaque == NULL) {
        snprintf(field->section, sizeof(field->section), "%s", search->layout->world->sections[difference->section].name);
    }
    snprintf(field->values[0], sizeof(field->values[0]), "%s", difference->left);
    snprintf(field->values[1], sizeof(field->values[1]), "%s", difference->right);
    field->offset = difference->offset;
    field->size = difference->field == NULL ? 1 : difference->field->size / difference->field->count;
    if (field->offset + field->size <= search->size && field->size <= sizeof(field->expected)) {
        memcpy(field->expected, search->expected + field->offset, field->size);
    }
    return true;
}

static void take_field(MinimiseWork *work, const SideAnswer answers[2], uint64_t steps, MinimiseField *field)
{
    const tp_trace_state *left = answers[0].trace == NULL ? NULL : tp_trace_state_at(answers[0].trace, steps);
    const tp_trace_state *right = answers[1].trace == NULL ? NULL : tp_trace_state_at(answers[1].trace, steps);
    if (left == NULL || right == NULL) {
        return;
    }
    FieldSearch search = { &work->layout, field, left->bytes, left->size };
    if (work->layout.world->opaque == NULL && left->size == work->layout.canonical_size && right->size == left->size) {
        tp_layout_differences(&work->layout, left->bytes, right->bytes, take_difference, &search);
        return;
    }
    size_t common = left->size < right->size ? left->size : right->size;
    for (size_t i = 0; i < common; i++) {
        if (left->bytes[i] != right->bytes[i]) {
            tp_difference difference = { .offset = i };
            snprintf(difference.place, sizeof(difference.place), "byte %zu", i);
            snprintf(difference.left, sizeof(difference.left), "0x%02x", left->bytes[i]);
            snprintf(difference.right, sizeof(difference.right), "0x%02x", right->bytes[i]);
            take_difference(&search, &difference);
        }
    }
}

static void take_root(const tp_trace *trace, uint64_t tick, MinimiseDifference *difference)
{
    if (trace == NULL) {
        return;
    }
    uint64_t row = tick - trace->first_tick;
    difference->has_fault = trace->end == TP_TRACE_END_FAULT && row == trace->count;
    difference->has_root = difference->has_fault || row < trace->count;
    if (difference->has_root) {
        memcpy(difference->root, difference->has_fault ? trace->fault_root : trace->rows[row].root, sizeof(difference->root));
    }
}

static void put_in_words(const MinimiseWork *work, const SideAnswer answers[2], MinimiseDifference *difference)
{
    for (int i = 0; i < 2; i++) {
        if (is_gone(&answers[i])) {
            snprintf(difference->text, sizeof(difference->text), "%s %s: %.200s", work->sides[i].name, answers[i].result == SIDE_STUCK ? "does not come back" : "crashes",
                     answers[i].message);
            return;
        }
    }
    bool faults[2] = { answers[0].trace->end == TP_TRACE_END_FAULT, answers[1].trace->end == TP_TRACE_END_FAULT };
    if (faults[0] || faults[1]) {
        int i = faults[0] ? 0 : 1;
        snprintf(difference->text, sizeof(difference->text), "%s faults%s: %.160s", work->sides[i].name, faults[0] && faults[1] ? ", and the other otherwise" : " alone",
                 answers[i].trace->end_text);
    } else if (difference->field.is_known) {
        snprintf(difference->text, sizeof(difference->text), "%s: %s (%s), %s (%s)", difference->field.place, difference->field.values[0], work->sides[0].name,
                 difference->field.values[1], work->sides[1].name);
    } else {
        snprintf(difference->text, sizeof(difference->text), "other roots of equal states: the events differ");
    }
}

bool minimisesides_describe(MinimiseWork *work, const tp_inputs *inputs, MinimiseDifference *difference)
{
    const Side *sides[2] = { &work->sides[0], &work->sides[1] };
    uint64_t    steps = inputs->ticks;
    SideAnswer  answers[2];
    uint8_t    *log = NULL;
    size_t      size = 0;
    *difference = (MinimiseDifference){ 0 };
    if (!minimiselog_make(work, inputs, &log, &size)) {
        return false;
    }
    SideAsk           ask = { .log = log, .log_size = size, .to = UINT64_MAX, .states = &steps, .state_count = 1 };
    tp_minimise_trial trial = { .is_check = true, .bad_tick = UINT64_MAX, .is_exact = true };
    work->sides[0].timeout_s = work->sides[1].timeout_s = work->timeout_s;
    (void)side_run_two(sides, &ask, answers);
    bool is_there = judge(work, answers, &trial) == TP_TRIAL_YES;
    if (is_there) {
        difference->has_tick = true;
        difference->tick = trial.bad_tick == UINT64_MAX ? inputs->ticks - 1 : trial.bad_tick;
        take_root(answers[0].trace, difference->tick, difference);
        take_field(work, answers, steps, &difference->field);
        put_in_words(work, answers, difference);
    }
    side_answer_finish(&answers[0]);
    side_answer_finish(&answers[1]);
    free(log);
    return is_there;
}

// What the log claims against what it comes to here.

bool minimisesides_record(MinimiseWork *work, uint64_t *bad_tick)
{
    tp_memory_source memory = { work->log, work->log_size };
    tp_source        source = tp_source_of_memory(&memory);
    SideAsk          ask = { .log = work->log, .log_size = work->log_size, .to = UINT64_MAX };
    SideAnswer       answer;
    tp_error         error = { "" };
    tp_trace        *claimed = tp_trace_of_log(&source, &error);
    (void)side_run(&work->sides[0], &ask, &answer);
    if (claimed == NULL || claimed->root_size == 0) {
        fail(work, work->path, claimed == NULL ? error.text : "the log carries no roots");
    } else if (answer.result != SIDE_DONE) {
        fail(work, work->sides[0].name, answer.message);
    } else {
        uint64_t found = UINT64_MAX;
        for (uint64_t i = 0; i < claimed->count && i < answer.trace->count && found == UINT64_MAX; i++) {
            bool is_same = memcmp(claimed->rows[i].root, answer.trace->rows[i].root, claimed->root_size) == 0;
            found = is_same ? UINT64_MAX : claimed->first_tick + i;
        }
        *bad_tick = found == UINT64_MAX && claimed->count != answer.trace->count ? claimed->first_tick + (claimed->count < answer.trace->count ? claimed->count : answer.trace->count) : found;
        work->is_whole_log = claimed->has_end && claimed->gap_count == 0;
    }
    bool is_found = work->failure[0] == '\0' && *bad_tick != UINT64_MAX;
    tp_trace_destroy(claimed);
    side_answer_finish(&answer);
    return is_found;
}
