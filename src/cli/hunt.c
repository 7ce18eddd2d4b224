// hunt.c: two sides of one log, from the question to the finding.
#include "hunt_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool hunt_say(HuntWork *work, tp_verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(work->hunt->finding.message, sizeof(work->hunt->finding.message), format, arguments);
    va_end(arguments);
    work->hunt->finding.verdict = verdict;
    return false;
}

const char *hunt_name(const HuntWork *work, unsigned side)
{
    return work->ask->sides[side]->name;
}

void hunt_find_world(HuntWork *work)
{
    const tp_trace *trace = work->hunt->traces[0] != NULL ? work->hunt->traces[0] : work->hunt->traces[1];
    if (trace == NULL || work->ask->worlds == NULL) {
        return;
    }
    const tp_ident *ident = &trace->ident;
    const tp_world *world = worlds_search(work->ask->worlds, ident->world, ident->revision);
    tp_setup        setup = { ident->seed, ident->players, ident->tick_rate_hz, ident->config_values };
    tp_error        error;
    // A world of other tables would give other names to the same bytes.
    bool is_fitting = world != NULL && world->config_count == ident->config_count && tp_layout_init(&work->layout, world, &setup, &error) &&
                      tp_hash128_equal(tp_layout_fingerprint(&work->layout, ident->algorithm), ident->fingerprint);
    work->world = is_fitting ? world : NULL;
}

static bool has_got_past(const tp_trace *trace, uint64_t tick)
{
    return trace != NULL && (trace->first_tick + trace->count > tick || (trace->first_tick + trace->count == tick && trace->end == TP_TRACE_END_FAULT));
}

// Neither side's hashes differ as far as both go, but one of them has not come back.
static bool conclude_trouble(HuntWork *work)
{
    const HuntTrouble *trouble = work->trouble;
    unsigned           side = !trouble[0].is_there || (trouble[1].is_there && trouble[1].has_tick && (!trouble[0].has_tick || trouble[1].tick < trouble[0].tick)) ? 1 : 0;
    const HuntTrouble *first = &trouble[side];
    const char        *verb = first->is_stuck ? "does not come back" : "ends before it has said anything";
    Finding           *finding = &work->hunt->finding;
    if (!first->has_tick) {
        return hunt_say(work, first->is_stuck ? TP_INCOMPLETE : TP_INTERNAL, "%s %s: %.200s", hunt_name(work, side), verb, first->what);
    }
    finding->has_tick = true;
    finding->tick = first->tick;
    bool is_others = has_got_past(work->hunt->traces[1 - side], first->tick);
    hunt_tell_row(work, first->tick);
    if (first->is_stuck || !is_others) {
        return hunt_say(work, first->is_stuck ? TP_INCOMPLETE : TP_INTERNAL, "tick %" PRIu64 ": %s %s from its step, %s; equal before: %.160s", first->tick,
                        hunt_name(work, side), first->is_stuck ? "does not come back" : "crashes and does not come back",
                        is_others ? "and the other side does" : "and the other side does not either", first->what);
    }
    return hunt_say(work, TP_DIVERGED, "tick %" PRIu64 ": %s crashes in its step and %s does not; equal before: %.160s", first->tick, hunt_name(work, side),
                    hunt_name(work, 1 - side), first->what);
}

static bool compare(HuntWork *work)
{
    const tp_trace *const *traces = work->hunt->traces;
    if (traces[0] == NULL || traces[1] == NULL) {
        return conclude_trouble(work);
    }
    tp_trace_compare(traces, 2, work->world != NULL ? &work->layout : NULL, false, &work->comparison);
    const tp_trace_comparison *comparison = &work->comparison;
    work->hunt->compared = comparison->compared;
    if (comparison->verdict == TP_DIVERGED) {
        hunt_explain(work);
        return true;
    }
    if (work->trouble[0].is_there || work->trouble[1].is_there) {
        return conclude_trouble(work);
    }
    hunt_say(work, comparison->verdict, "%s", comparison->message);
    return comparison->verdict == TP_VERIFIED;
}

static void keep_traces(HuntWork *work)
{
    for (unsigned i = 0; i < 2; i++) {
        work->hunt->traces[i] = work->whole[i].trace;
    }
}

bool hunt_run(const HuntAsk *ask, Hunt *hunt)
{
    HuntWork *work = calloc(1, sizeof(*work));
    *hunt = (Hunt){ .work = work, .finding = { .subject = ask->log_name, .aspect = ask->sides[1]->name, .verdict = TP_INTERNAL } };
    if (work == NULL) {
        snprintf(hunt->finding.message, sizeof(hunt->finding.message), "out of memory");
        return false;
    }
    work->ask = ask;
    work->hunt = hunt;
    if (!hunt_gather(work)) {
        keep_traces(work);
        return false;
    }
    keep_traces(work);
    hunt_find_world(work);
    compare(work);
    return hunt->finding.verdict == TP_VERIFIED || hunt->finding.verdict == TP_DIVERGED;
}

void hunt_finish(Hunt *hunt)
{
    for (unsigned i = 0; hunt->work != NULL && i < 2; i++) {
        if (hunt->work->owns_whole[i]) {
            side_answer_finish(&hunt->work->whole[i]);
        }
        side_answer_finish(&hunt->work->states[i]);
    }
    free(hunt->work);
    free(hunt->fields);
    finding_finish(&hunt->finding);
    *hunt = (Hunt){ 0 };
}

bool hunt_locate(const uint8_t *log, size_t size, const Side *a, const Side *b, WorldSet *worlds, const char *source_dir, SideAnswer answers[2],
                 Finding *finding)
{
    Hunt    hunt;
    HuntAsk ask = { .log = log, .log_size = size, .sides = { a, b }, .worlds = worlds, .source_dir = source_dir, .answers = answers };
    bool    is_known = hunt_run(&ask, &hunt);
    // The finding outlives the rest: what it owns goes with it.
    *finding = hunt.finding;
    hunt.finding = (Finding){ 0 };
    hunt_finish(&hunt);
    return is_known;
}
