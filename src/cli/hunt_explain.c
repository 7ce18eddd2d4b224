// hunt_explain.c: a bad tick is known; what it did is asked for. The states before and after it come from the same runs whose hashes are
// compared again, so that a side which does not repeat itself is seen, and two runs are never mixed.
#include "hunt_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const tp_trace_row *row_at(const tp_trace *trace, uint64_t tick)
{
    return trace != NULL && tick >= trace->first_tick && tick - trace->first_tick < trace->count ? &trace->rows[tick - trace->first_tick] : NULL;
}

static tp_known known(bool is_equal)
{
    return is_equal ? TP_YES : TP_NO;
}

// Whether two runs of one side came to the same ticks as far as both go.
static bool repeats(const tp_trace *a, const tp_trace *b)
{
    uint64_t count = a->count < b->count ? a->count : b->count;
    for (uint64_t i = 0; i < count; i++) {
        if (memcmp(a->rows[i].root, b->rows[i].root, sizeof(a->rows[i].root)) != 0) {
            return false;
        }
    }
    return true;
}

static void finish_states(HuntWork *work)
{
    side_answer_finish(&work->states[0]);
    side_answer_finish(&work->states[1]);
}

static bool ask_states(HuntWork *work, const uint64_t *states, uint32_t count, uint64_t to)
{
    SideAsk ask = { .log = work->ask->log, .log_size = work->ask->log_size, .to = to, .states = states, .state_count = count };
    finish_states(work);
    return side_run_two(work->ask->sides, &ask, work->states);
}

// True when the sides came apart again, at this tick or an earlier one, which is then the bad one.
static bool ask_again(HuntWork *work)
{
    Hunt          *hunt = work->hunt;
    const uint64_t tick = work->comparison.bad_tick;
    const uint64_t states[2] = { tick, tick + 1 };
    if (!ask_states(work, states, 2, tick)) {
        return false;
    }
    const tp_trace *pair[2] = { work->states[0].trace, work->states[1].trace };
    for (unsigned i = 0; i < 2; i++) {
        hunt->is_unrepeatable[i] = hunt->is_unrepeatable[i] || !repeats(hunt->traces[i], pair[i]);
    }
    tp_trace_comparison again;
    tp_trace_compare(pair, 2, work->world != NULL ? &work->layout : NULL, false, &again);
    if (again.verdict != TP_DIVERGED) {
        return false;
    }
    bool is_same_tick = again.bad_tick == tick;
    work->comparison = again;
    return is_same_tick;
}

static void tell_draws(HuntWork *work)
{
    Hunt           *hunt = work->hunt;
    const tp_trace *a = hunt->traces[0];
    const tp_trace *b = hunt->traces[1];
    uint64_t        tick = work->comparison.bad_tick;
    hunt->draws_equal = work->comparison.draws_equal;
    for (unsigned i = 0; i < 2; i++) {
        const tp_trace_row *row = row_at(work->states[i].trace, tick);
        row = row == NULL ? row_at(hunt->traces[i], tick) : row;
        hunt->draws[i] = row == NULL ? 0 : row->draws;
    }
    for (uint64_t at = a->first_tick; !hunt->has_draw_tick && at <= tick; at++) {
        const tp_trace_row *left = row_at(a, at);
        const tp_trace_row *right = row_at(b, at);
        if (left != NULL && right != NULL && (left->draws != right->draws || left->draw_digest != right->draw_digest)) {
            hunt->has_draw_tick = true;
            hunt->draw_tick = at;
        }
    }
}

static void tell_values(HuntWork *work, const char *a, const char *b)
{
    const char *const texts[2] = { a, b };
    Finding          *finding = &work->hunt->finding;
    finding->value_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        finding->values[i] = (FindingValue){ .side = hunt_name(work, i), .group = i };
        snprintf(finding->values[i].value, sizeof(finding->values[i].value), "%s", texts[i]);
    }
}

static const char *end_of(const tp_trace *trace, uint64_t tick)
{
    bool is_here = trace->first_tick + trace->count == tick;
    if (is_here && trace->end == TP_TRACE_END_FAULT) {
        return "faults";
    }
    return is_here && trace->end == TP_TRACE_END_REFUSED ? "refuses the tick" : "goes on";
}

static void explain_fault(HuntWork *work)
{
    const tp_trace *const *traces = work->hunt->traces;
    uint64_t               tick = work->comparison.bad_tick;
    const char            *ends[2] = { end_of(traces[0], tick), end_of(traces[1], tick) };
    unsigned               side = strcmp(ends[0], "goes on") == 0 ? 1 : 0;
    work->hunt->is_fault = true;
    tell_values(work, ends[0], ends[1]);
    if (strcmp(ends[0], ends[1]) == 0) {
        hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": both sides fault in its step, but not in the same way", tick);
        return;
    }
    hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": %s %s, and %s %s: %.120s", tick, hunt_name(work, side), ends[side], hunt_name(work, 1 - side), ends[1 - side],
             traces[side]->end_text);
}

// States differ under equal roots where a world hashes less than it saves, and before the first tick. Where they began to is looked for in
// runs that keep as many states as one can. Returns the steps after which they first differ, and leaves both answers with them.
static uint64_t descend(HuntWork *work, uint64_t differing)
{
    uint64_t equal = work->hunt->traces[0]->first_tick; // where nothing was stepped, they may differ, too
    while (equal < differing) {
        uint64_t steps[TP_TRACE_STATES_MAX];
        uint32_t count = 0;
        uint64_t stride = (differing - equal) / (TP_TRACE_STATES_MAX - 1) + 1;
        for (uint64_t at = equal; at < differing && count < TP_TRACE_STATES_MAX; at += stride) {
            steps[count++] = at;
        }
        if (!ask_states(work, steps, count, differing - 1)) {
            return differing;
        }
        uint64_t from = equal;
        uint64_t to = differing;
        for (uint32_t i = 0; i < count; i++) {
            const tp_trace_state *a = tp_trace_state_at(work->states[0].trace, steps[i]);
            const tp_trace_state *b = tp_trace_state_at(work->states[1].trace, steps[i]);
            bool is_equal = a != NULL && b != NULL && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
            if (a != NULL && b != NULL && !is_equal) {
                to = steps[i];
                break;
            }
            from = is_equal ? steps[i] + 1 : from;
        }
        if (from == equal && to == differing) {
            break;
        }
        equal = from;
        differing = to;
    }
    return differing;
}

static void explain_earlier(HuntWork *work, uint64_t differing)
{
    Finding *finding = &work->hunt->finding;
    uint64_t shown = work->comparison.bad_tick;
    uint64_t steps = descend(work, differing);
    uint64_t asked[1] = { steps };
    ask_states(work, asked, 1, shown);
    const tp_trace_state *a = work->states[0].trace == NULL ? NULL : tp_trace_state_at(work->states[0].trace, steps);
    const tp_trace_state *b = work->states[1].trace == NULL ? NULL : tp_trace_state_at(work->states[1].trace, steps);
    if (a == NULL || b == NULL || !hunt_fields(work, a, b)) {
        hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": the states differ before its step already, and not again when asked for", shown);
        return;
    }
    bool is_start = steps == work->hunt->traces[0]->first_tick;
    finding->tick = is_start ? steps : steps - 1;
    work->hunt->states_equal_before = known(!is_start);
    tell_values(work, work->field.left, work->field.right);
    hunt_say(work, TP_DIVERGED, "%s %" PRIu64 ": %s is %s in %s and %s in %s; %s tick %" PRIu64, is_start ? "before the first step, of tick" : "tick", finding->tick,
             finding->field, work->field.left, hunt_name(work, 0), work->field.right, hunt_name(work, 1),
             is_start ? "the root shows it at" : "the world's own hash does not cover it, and the root shows it only at", shown);
}

static void explain_field(HuntWork *work, uint64_t tick)
{
    Finding *finding = &work->hunt->finding;
    char     more[48] = "";
    tell_values(work, work->field.left, work->field.right);
    if (finding->differing_fields > 1) {
        snprintf(more, sizeof(more), "; %" PRIu64 " %s differ", finding->differing_fields, work->field.field == NULL ? "bytes" : "fields");
    }
    hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": %s is %s in %s and %s in %s%s", tick, finding->field, work->field.left, hunt_name(work, 0), work->field.right,
             hunt_name(work, 1), more);
}

static void explain_beside(HuntWork *work, uint64_t tick)
{
    const Hunt *hunt = work->hunt;
    const char *what = hunt->inputs_equal == TP_NO   ? "the inputs that were stepped differ"
                       : hunt->events_equal == TP_NO ? "the events differ"
                                                     : "the hashes of it differ all the same: the world's own hash tells more than its saved bytes do";
    snprintf(work->hunt->finding.section, sizeof(work->hunt->finding.section), "%s", hunt->inputs_equal == TP_NO ? "inputs" : hunt->events_equal == TP_NO ? "events" : "");
    hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": the state is equal; %s", tick, what);
}

static void explain_states(HuntWork *work, uint64_t tick)
{
    Hunt                 *hunt = work->hunt;
    const tp_trace_state *before[2], *after[2];
    for (unsigned i = 0; i < 2; i++) {
        before[i] = tp_trace_state_at(work->states[i].trace, tick);
        after[i] = tp_trace_state_at(work->states[i].trace, tick + 1);
    }
    if (before[0] != NULL && before[1] != NULL) {
        hunt->states_equal_before = known(before[0]->size == before[1]->size && memcmp(before[0]->bytes, before[1]->bytes, before[0]->size) == 0);
    }
    if (hunt->states_equal_before == TP_NO) {
        explain_earlier(work, tick);
        return;
    }
    if (after[0] == NULL || after[1] == NULL) {
        hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": the roots differ, and the states were not to be had", tick);
        return;
    }
    bool has_fields = hunt_fields(work, after[0], after[1]);
    hunt->states_equal_after = known(!has_fields);
    if (has_fields) {
        explain_field(work, tick);
    } else {
        explain_beside(work, tick);
    }
}

static void explain_unrepeatable(HuntWork *work)
{
    const Hunt *hunt = work->hunt;
    uint64_t    tick = work->comparison.bad_tick;
    for (unsigned i = 0; i < 2; i++) {
        if (work->states[i].result != SIDE_DONE) {
            hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": the roots differ; asked for its states, %s: %.160s", tick, hunt_name(work, i), work->states[i].message);
            return;
        }
    }
    const char *who = hunt->is_unrepeatable[0] && hunt->is_unrepeatable[1] ? "both sides" : hunt_name(work, hunt->is_unrepeatable[0] ? 0 : 1);
    hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": the roots differ, but not when run again: %s cannot repeat what it did; 'tickproof perturb' looks for the cause", tick, who);
}

// Asking again what has just not come back would wait for its time once more.
static bool is_stuck(const HuntWork *work)
{
    return work->states[0].result == SIDE_STUCK || work->states[1].result == SIDE_STUCK;
}

void hunt_explain(HuntWork *work)
{
    Hunt    *hunt = work->hunt;
    Finding *finding = &hunt->finding;
    bool     is_found = false;
    finding->verdict = TP_DIVERGED;
    for (unsigned i = 0; !work->comparison.is_fault && !is_found && i < HUNT_RUNS_MAX && !is_stuck(work); i++) {
        is_found = ask_again(work);
    }
    uint64_t tick = work->comparison.bad_tick;
    finding->has_tick = true;
    finding->tick = tick;
    hunt->inputs_equal = work->comparison.inputs_equal;
    hunt->events_equal = work->comparison.events_equal;
    tell_draws(work);
    if (work->comparison.is_fault) {
        explain_fault(work);
    } else if (!is_found) {
        explain_unrepeatable(work);
    } else {
        explain_states(work, tick);
    }
    hunt_tell_row(work, finding->tick);
    hunt_tell_last_write(work, finding->tick);
}
