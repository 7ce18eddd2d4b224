// minimise_synctest.c: a trial by SyncTest: one world that comes to other bits when it goes back. Each in a process of its own, since what such
// a world keeps beside its state would otherwise be there in the next trial, too.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "minimise_work.h"

enum { DISTANCE_LAST = 8, COMMAND_HEAD = 8 };

// What comes through the pipe.
typedef struct {
    tp_verdict verdict;
    bool       ended_early; // at `last_tick`, where the case saw it
    uint64_t   last_tick;
    char       text[TP_MESSAGE_SIZE];
} SyncAnswer;

typedef struct {
    const tp_inputs *inputs;
    tp_strength      strength;
    uint32_t         distance;
} SyncAsk;

// Steps until the case has seen something. False: out of memory or a row that is refused.
static bool step_all(tp_sim *sim, tp_synctest *test, const tp_inputs *inputs, SyncAnswer *answer)
{
    const tp_layout *layout = tp_sim_layout(sim);
    size_t           capacity = tp_row_size_fixed(layout->setup.players, layout->input_size) + TP_COMMAND_BYTES_MAX + (size_t)TP_COMMANDS_MAX * COMMAND_HEAD;
    uint8_t         *bytes = malloc(capacity);
    tp_command       commands[TP_COMMANDS_MAX];
    tp_row           row;
    bool             is_good = bytes != NULL;
    for (uint64_t tick = 0; tick < inputs->ticks && is_good && !answer->ended_early && !tp_sim_is_faulted(sim); tick++) {
        tp_inputs_row(inputs, tick, commands, &row);
        size_t size = tp_row_encode(layout, &row, bytes, capacity);
        is_good = tp_sim_step_bytes(sim, bytes, size, NULL) != TP_SIM_REFUSED;
        answer->last_tick = tick;
        answer->ended_early = is_good && !tp_synctest_tick(test, bytes, size);
    }
    free(bytes);
    return is_good;
}

static void conclude(tp_synctest *test, SyncAnswer *answer)
{
    tp_synctest_report report;
    tp_synctest_finish(test, &report);
    answer->verdict = report.verdict;
    answer->ended_early = answer->ended_early && report.case_count > 0 && report.cases[0].verdict == TP_DIVERGED;
    snprintf(answer->text, sizeof(answer->text), "%s", report.message);
}

static void serve(MinimiseWork *work, const void *with, int out)
{
    const SyncAsk      *ask = with;
    SyncAnswer          answer = { .verdict = TP_INTERNAL };
    tp_synctest_options options;
    tp_error            error = { "" };
    tp_synctest_options_standard(&options);
    options.strengths = 1u << ask->strength;
    options.distance_first = options.distance_last = ask->distance;
    tp_sim      *sim = tp_sim_of_ident(work->ident, work->world, NULL, &error);
    tp_synctest *test = sim == NULL ? NULL : tp_synctest_create(sim, &options, &error);
    if (test == NULL) {
        snprintf(answer.text, sizeof(answer.text), "%s", error.text);
    } else if (step_all(sim, test, ask->inputs, &answer)) {
        conclude(test, &answer);
    }
    if (write(out, &answer, sizeof(answer)) != (ssize_t)sizeof(answer)) {
        _exit(1);
    }
}

// One case. INTERNAL in the answer when the process did not come back.
static void ask_case(MinimiseWork *work, const tp_inputs *inputs, tp_strength strength, uint32_t distance, SyncAnswer *answer)
{
    SyncAsk  ask = { inputs, strength, distance };
    uint8_t *bytes = NULL;
    size_t   size = 0;
    *answer = (SyncAnswer){ .verdict = TP_INTERNAL, .text = "the world crashes or hangs when it goes back" };
    if (minimise_apart(work, serve, &ask, work->timeout_s, &bytes, &size) && size == sizeof(*answer)) {
        memcpy(answer, bytes, sizeof(*answer));
    }
    free(bytes);
}

static tp_trial judge(MinimiseWork *work, const SyncAnswer *answer, tp_minimise_trial *trial)
{
    if (side_is_stopped()) {
        work->is_interrupted = true;
        return TP_TRIAL_STOPPED;
    }
    if (answer->verdict != TP_DIVERGED) {
        return TP_TRIAL_NO;
    }
    work->has_come_apart = true;
    trial->bad_tick = answer->ended_early ? answer->last_tick : UINT64_MAX;
    snprintf(work->synctest_text, sizeof(work->synctest_text), "%s", answer->text);
    return TP_TRIAL_YES;
}

// The first case that fails is the one that all further trials ask for: at one distance a trial takes a fraction of what all eight do.
static tp_trial find_case(MinimiseWork *work, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    SyncAnswer answer;
    for (uint32_t distance = 1; distance <= DISTANCE_LAST; distance++) {
        for (uint32_t strength = TP_STRENGTH_COPY; strength <= TP_STRENGTH_BYTES; strength++) {
            ask_case(work, inputs, (tp_strength)strength, distance, &answer);
            tp_trial found = judge(work, &answer, trial);
            if (found == TP_TRIAL_YES) {
                work->strength = (tp_strength)strength;
                work->distance = distance;
                work->has_case = true;
            }
            if (answer.verdict == TP_INTERNAL && found == TP_TRIAL_NO) {
                snprintf(work->failure, sizeof(work->failure), "SyncTest in %s at distance %u: %.240s", tp_strength_name(strength), distance, answer.text);
                return TP_TRIAL_FAILED;
            }
            if (found != TP_TRIAL_NO) {
                return found;
            }
        }
    }
    return TP_TRIAL_NO;
}

tp_trial minimisesync_trial(void *to, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    MinimiseWork *work = to;
    SyncAnswer    answer;
    if (side_is_stopped() || (!trial->is_check && work->deadline > 0 && cli_seconds() > work->deadline)) {
        work->is_interrupted = side_is_stopped();
        work->is_out_of_time = !work->is_interrupted;
        return TP_TRIAL_STOPPED;
    }
    if (!work->has_case) {
        return find_case(work, inputs, trial);
    }
    ask_case(work, inputs, work->strength, work->distance, &answer);
    return judge(work, &answer, trial);
}
