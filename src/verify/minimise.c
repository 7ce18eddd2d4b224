// minimise.c: the order of the passes. What removes most for one trial comes first, since trials of a long run are the slow ones.
#include "minimise_internal.h"

#include <stdlib.h>

enum { ROUNDS_MAX = 16 };

typedef struct {
    const char *name;
    bool (*run)(MinimiseSearch *search);
    bool takes_ticks; // not with keep_ticks
} MinimisePass;

static const MinimisePass passes[] = {
    { "tail", minimise_tail, false },   { "blocks", minimise_blocks, false }, { "items", minimise_items, false }, { "presence", minimise_presence, false },
    { "ticks", minimise_ticks, true },  { "runs", minimise_runs, false },     { "values", minimise_values, false },
};

// Every pass again until none finds anything: what one takes away is often what another one was held up by.
static void search_all(MinimiseSearch *search)
{
    bool has_changed = true;
    for (int round = 0; round < ROUNDS_MAX && has_changed && !search->is_over; round++) {
        has_changed = false;
        for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]) && !search->is_over; i++) {
            bool is_left_out = passes[i].takes_ticks && search->options->keep_ticks;
            search->report->pass = passes[i].name;
            has_changed = (!is_left_out && passes[i].run(search)) || has_changed;
        }
    }
}

// The same inputs, some times over. Checks are made of the result even when the search was stopped.
static bool is_reliable(MinimiseSearch *search)
{
    uint32_t good = 0, bad = 0;
    search->report->pass = "check";
    for (uint32_t i = 0; i < TP_MINIMISE_CHECKS; i++) {
        tp_trial answer = minimise_check(search);
        if (answer != TP_TRIAL_YES && answer != TP_TRIAL_NO) {
            return good == i;
        }
        good += answer == TP_TRIAL_YES;
        bad += answer == TP_TRIAL_NO;
    }
    if (bad == TP_MINIMISE_CHECKS && search->report->trials == TP_MINIMISE_CHECKS) {
        minimise_over(search, TP_MINIMISE_SAME);
    }
    return bad == 0;
}

static void be_unreliable(MinimiseSearch *search, bool is_result)
{
    if (search->report->end != TP_MINIMISE_SAME) {
        search->report->end = TP_MINIMISE_UNRELIABLE;
        search->report->is_result_unreliable = is_result;
    }
}

static void run(MinimiseSearch *search)
{
    if (!is_reliable(search)) {
        be_unreliable(search, false);
        return;
    }
    if (search->is_exact && search->bad_tick < search->best->ticks) {
        tp_inputs_cut(search->best, search->bad_tick + 1);
    }
    search_all(search);
    bool can_check = search->report->end != TP_MINIMISE_FAILED && search->report->end != TP_MINIMISE_NO_MEMORY;
    if (can_check && !is_reliable(search)) {
        be_unreliable(search, true);
    }
}

void tp_minimise(tp_inputs *inputs, const tp_minimise_options *options, tp_minimise_report *report)
{
    MinimiseSearch search = { .options = options, .report = report, .best = inputs, .bad_tick = UINT64_MAX };
    *report = (tp_minimise_report){ .end = TP_MINIMISE_SMALLEST, .bad_tick = UINT64_MAX, .before = tp_inputs_count(inputs), .pass = "" };
    run(&search);
    report->after = tp_inputs_count(inputs);
    report->bad_tick = search.bad_tick;
    free(search.memory.places);
    tp_inputs_finish(&search.work);
}
