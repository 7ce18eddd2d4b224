// synctest_case.c: one strength at one distance: going back inside this process, and the counts that say what was compared.
#include "synctest_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sync_case_fail(SyncCase *one, tp_verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(one->result->message, sizeof(one->result->message), format, arguments);
    va_end(arguments);
    one->result->verdict = verdict;
    one->is_over = true;
}

void sync_case_diverge(SyncCase *one)
{
    tp_synctest_finding *finding = &one->result->finding;
    sync_finding_text(one->result, finding);
    sync_case_fail(one, TP_DIVERGED, "%s", finding->text);
}

void sync_case_interrupt(SyncCase *one, uint64_t tick)
{
    sync_case_fail(one, TP_INCOMPLETE, "%s, distance %u: tick %llu: interrupted; what was compared until then was equal",
                   tp_strength_name((uint32_t)one->result->strength), one->result->distance, (unsigned long long)tick);
}

static void fail_saving(SyncCase *one, uint64_t tick)
{
    sync_case_fail(one, TP_INTERNAL, "%s, distance %u: tick %llu: the world could not save or hash its state",
                   tp_strength_name((uint32_t)one->result->strength), one->result->distance, (unsigned long long)tick);
}

// A finding about `tick`, as far as its place is known.
static tp_synctest_finding finding_at(const SyncCase *one, uint64_t tick)
{
    return (tp_synctest_finding){ .bad_tick = tick, .restored_at = one->restored_at };
}

void sync_case_refuse(SyncCase *one, uint64_t tick, bool is_restored_state, const char *why)
{
    tp_synctest_finding *finding = &one->result->finding;
    *finding = (tp_synctest_finding){ .difference = TP_SYNCTEST_REFUSED, .bad_tick = tick, .restored_at = one->restored_at,
                                      .is_restored_state = is_restored_state };
    snprintf(finding->field, sizeof(finding->field), "refusal");
    snprintf(finding->expected, sizeof(finding->expected), "none");
    snprintf(finding->actual, sizeof(finding->actual), "%.60s", why);
    snprintf(finding->text, sizeof(finding->text), "%s, distance %u: tick %llu: the world refuses %s: %.250s",
             tp_strength_name((uint32_t)one->result->strength), one->result->distance, (unsigned long long)tick,
             is_restored_state ? "the state that it was itself in before" : "the inputs that it took before", why);
    sync_case_fail(one, TP_DIVERGED, "%s", finding->text);
}

// The counts.

static uint32_t *count_of(SyncCase *one, uint64_t tick)
{
    return &one->counts[tick % one->result->distance];
}

void sync_case_settle(SyncCase *one, uint64_t due)
{
    tp_synctest_case *result = one->result;
    uint64_t          tick = one->unsettled++;
    uint32_t          count = *count_of(one, tick);
    *count_of(one, tick) = 0; // the place of a tick that comes
    result->compared_min = count < result->compared_min ? count : result->compared_min;
    result->compared_max = count > result->compared_max ? count : result->compared_max;
    result->comparisons_due += due;
    if (count != due) {
        sync_case_fail(one, TP_INCOMPLETE, "%s, distance %u: tick %llu was compared %u times instead of %llu: the test itself is at fault",
                       tp_strength_name((uint32_t)result->strength), result->distance, (unsigned long long)tick, count, (unsigned long long)due);
    }
}

void sync_case_end(tp_synctest *test, SyncCase *one)
{
    while (!one->is_over && one->unsettled < test->next) {
        sync_case_settle(one, test->next - one->unsettled);
    }
}

bool sync_case_counts(tp_synctest *test, SyncCase *one, uint64_t tick)
{
    const tp_synctest_options *options = &test->options;
    if (options->skips != NULL && options->skips(options->skips_to, one->result->strength, one->result->distance, tick)) {
        return false;
    }
    *count_of(one, tick) += 1;
    one->result->comparisons += 1;
    return true;
}

// Inside this process.

static tp_sim *make_sim(tp_synctest *test, uint32_t ring_capacity)
{
    tp_error         error;
    const tp_layout *layout = test->shape.layout;
    tp_sim_options   options = { .algorithm = tp_sim_rules(test->straight)->algorithm, .ring_capacity = ring_capacity,
                                 .check_touched = true };
    tp_synctest_dirty_heap();
    return tp_sim_create(layout->world, &layout->setup, &options, &error);
}

// Holds a state that has just come back, before `tick`, against the straight run's; `is_first`: one that init has just made.
static bool compare_restored(tp_synctest *test, SyncCase *one, tp_sim *sim, uint64_t tick, bool is_first)
{
    tp_synctest_finding finding = finding_at(one, tick);
    if (!sync_image_take(&test->scratch, &test->shape, sim)) {
        fail_saving(one, tick);
        return false;
    }
    test->scratch.has_events = false;
    if (sync_image_compare(&test->shape, sync_image_at(test, tick), &test->scratch, &finding)) {
        return true;
    }
    finding.is_restored_state = true;
    finding.is_first_state = is_first;
    one->result->finding = finding;
    sync_case_diverge(one);
    return false;
}

static bool restore_bytes(tp_synctest *test, SyncCase *one, uint64_t tick)
{
    tp_error         error;
    const SyncImage *image = sync_image_at(test, tick);
    one->restored_at = tick;
    if (!sync_restore(one->sim, &test->shape, image->state, image->state_size, image->tick, image->input_leaf, image->event_leaf, &error)) {
        sync_case_refuse(one, tick, true, error.text);
        return false;
    }
    one->result->restores += 1;
    return compare_restored(test, one, one->sim, tick, false);
}

// The world promised to tell what it writes and did not: named at once, since roots and snapshots of such a world mean nothing.
static void fail_untold(tp_synctest *test, SyncCase *one, uint64_t tick)
{
    tp_synctest_finding *finding = &one->result->finding;
    *finding = finding_at(one, tick);
    finding->difference = TP_SYNCTEST_FAULT;
    memcpy(finding->expected_root, sync_image_at(test, tick + 1)->mark.root, sizeof(finding->expected_root));
    tp_hash128_to_bytes(tp_sim_fault_root(one->sim), finding->actual_root);
    snprintf(finding->field, sizeof(finding->field), "tp_touch");
    snprintf(finding->expected, sizeof(finding->expected), "told");
    snprintf(finding->actual, sizeof(finding->actual), "untold");
    snprintf(finding->text, sizeof(finding->text), "%s, distance %u: tick %llu: %.230s", tp_strength_name((uint32_t)one->result->strength),
             one->result->distance, (unsigned long long)tick, tp_sim_fault(one->sim)->what);
    sync_case_fail(one, TP_DIVERGED, "%s", finding->text);
}

// Steps one tick and takes its image into scratch.
static bool step_again(tp_synctest *test, SyncCase *one, tp_sim *sim, uint64_t tick)
{
    tp_error          error;
    const SyncBuffer *row = sync_row_at(test, tick);
    test->report.steps += 1;
    if (tp_sim_step_bytes(sim, row->bytes, row->size, &error) == TP_SIM_REFUSED) {
        if (!tp_sim_is_sound(sim)) {
            fail_saving(one, tick);
        } else {
            sync_case_refuse(one, tick, false, error.text);
        }
        return false;
    }
    if (tp_sim_has_untold(sim)) {
        fail_untold(test, one, tick);
        return false;
    }
    if (!sync_image_take(&test->scratch, &test->shape, sim)) {
        fail_saving(one, tick);
        return false;
    }
    return true;
}

// All ticks from where it was restored up to `last`.
static bool resimulate(tp_synctest *test, SyncCase *one, tp_sim *sim, uint64_t last)
{
    for (uint64_t tick = one->restored_at; tick <= last; tick++) {
        tp_synctest_finding finding = finding_at(one, tick);
        if (sync_is_stopped(test)) {
            sync_case_interrupt(one, tick);
            return false;
        }
        if (!step_again(test, one, sim, tick)) {
            return false;
        }
        if (sync_case_counts(test, one, tick) && !sync_image_compare(&test->shape, sync_image_at(test, tick + 1), &test->scratch, &finding)) {
            one->result->finding = finding;
            sync_case_diverge(one);
            return false;
        }
        if (one->result->strength == TP_STRENGTH_COPY && !tp_sim_is_faulted(sim) && !tp_sim_snapshot(sim)) {
            fail_saving(one, tick + 1);
            return false;
        }
    }
    return true;
}

// The world that lives on does the newest tick before it goes back, as a client does that did not know better. What is found here
// counts when going back finds nothing: `*finding` waits until then.
static bool go_on(tp_synctest *test, SyncCase *one, uint64_t tick, tp_synctest_finding *finding)
{
    *finding = finding_at(one, tick);
    if (!step_again(test, one, one->sim, tick)) {
        return false;
    }
    one->result->continued += 1;
    if (sync_image_compare(&test->shape, sync_image_at(test, tick + 1), &test->scratch, finding)) {
        finding->difference = TP_SYNCTEST_EQUAL;
    }
    finding->is_continued = true;
    return true;
}

static bool restore_copy(tp_synctest *test, SyncCase *one, uint64_t tick)
{
    one->restored_at = tick;
    if (!tp_sim_restore(one->sim, tick)) {
        sync_case_fail(one, TP_INTERNAL, "copy, distance %u: tick %llu: the world does not take its own snapshot back", one->result->distance,
                       (unsigned long long)tick);
        return false;
    }
    one->result->restores += 1;
    return compare_restored(test, one, one->sim, tick, false);
}

static bool go_back_copy(tp_synctest *test, SyncCase *one, uint64_t first, uint64_t last)
{
    return restore_copy(test, one, first) && resimulate(test, one, one->sim, last);
}

static bool go_back_bytes(tp_synctest *test, SyncCase *one, uint64_t first, uint64_t last)
{
    tp_sim *sim = make_sim(test, 0);
    if (sim == NULL) {
        sync_case_fail(one, TP_INTERNAL, "bytes, distance %u: tick %llu: the world cannot be made a second time, or memory is short",
                       one->result->distance, (unsigned long long)first);
        return false;
    }
    tp_sim_destroy(one->sim);
    one->sim = sim;
    return restore_bytes(test, one, first) && resimulate(test, one, sim, last);
}

// Steps every tick from `first` on with other inputs than its own. A guess that faults or is refused ends the wrong way early, and is no finding;
// false only for one that leaves a write untold, which is wrong whatever the inputs are.
static bool step_wrong(tp_synctest *test, SyncCase *one, uint64_t first, uint64_t last)
{
    tp_sim_status status = TP_SIM_OK;
    for (uint64_t tick = first; tick <= last && status == TP_SIM_OK; tick++) {
        tp_error error;
        bool     is_wrong = sync_guess_make(test, tick);
        status = tp_sim_step_bytes(one->sim, test->guess.bytes, test->guess.size, &error);
        test->report.steps += status == TP_SIM_REFUSED ? 0 : 1;
        one->result->guesses += is_wrong && status != TP_SIM_REFUSED ? 1 : 0;
        if (tp_sim_has_untold(one->sim)) {
            fail_untold(test, one, tick);
            return false;
        }
    }
    return true;
}

// The world that lives on is led astray from one tick before where it went back to, so that what a world remembers of one tick only is of another
// one when the guess of the last comes; then that last one's own state and inputs follow. `tick` is the newest, which it stands behind.
static bool guess_and_mend(tp_synctest *test, SyncCase *one, uint64_t tick)
{
    bool (*restore)(tp_synctest *, SyncCase *, uint64_t) = one->result->strength == TP_STRENGTH_COPY ? restore_copy : restore_bytes;
    uint32_t distance = one->result->distance;
    uint64_t restores = one->result->restores;
    uint64_t from = tick - test->start < distance ? test->start : tick - distance;
    bool is_good = restore(test, one, from);
    if (is_good) {
        is_good = step_wrong(test, one, from, tick) && restore(test, one, tick);
    }
    one->result->restores = restores; // they count those that the distance asks for
    if (!is_good || !step_again(test, one, one->sim, tick)) {
        return false;
    }
    tp_synctest_finding finding = finding_at(one, tick);
    finding.is_guessed = true;
    if (!sync_image_compare(&test->shape, sync_image_at(test, tick + 1), &test->scratch, &finding)) {
        one->result->finding = finding;
        sync_case_diverge(one);
        return false;
    }
    return true;
}

bool sync_case_start(tp_synctest *test, SyncCase *one)
{
    uint64_t start = test->start;
    uint64_t restores = one->result->restores;
    one->unsettled = start;
    one->restored_at = start;
    memset(one->counts, 0, one->result->distance * sizeof(*one->counts));
    if (one->is_over || one->result->strength == TP_STRENGTH_PROCESS) {
        return true;
    }
    tp_sim_destroy(one->sim);
    one->sim = make_sim(test, one->result->strength == TP_STRENGTH_COPY ? one->result->distance + 2 : 0);
    if (one->sim == NULL) {
        return false;
    }
    // Before tick 0 the two inits are compared; anywhere else the state can only come from the straight run.
    bool is_good = start == 0 ? compare_restored(test, one, one->sim, 0, true) : restore_bytes(test, one, start);
    if (is_good && one->result->strength == TP_STRENGTH_COPY && !tp_sim_snapshot(one->sim)) {
        fail_saving(one, start);
    }
    one->result->restores = restores; // nothing has come back yet
    return true;
}

void sync_case_tick(tp_synctest *test, SyncCase *one, uint64_t tick)
{
    uint32_t            distance = one->result->distance;
    uint64_t            first = tick - test->start < distance ? test->start : tick - distance + 1;
    tp_synctest_finding finding = { 0 };
    assert(one->unsettled == first);
    if (!go_on(test, one, tick, &finding)) {
        return;
    }
    bool is_good = one->result->strength == TP_STRENGTH_COPY ? go_back_copy(test, one, first, tick) : go_back_bytes(test, one, first, tick);
    if (is_good && finding.difference != TP_SYNCTEST_EQUAL) {
        one->result->finding = finding;
        sync_case_diverge(one);
    } else if (is_good && guess_and_mend(test, one, tick) && tick + 1 - one->unsettled == distance) {
        sync_case_settle(one, distance);
    }
}
