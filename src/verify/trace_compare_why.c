// trace_compare_why.c: what a comparison of sidecars came to: what differed on the bad tick beside the root, in which section of the state, and
// in words; or what keeps an agreement from being one over the whole log.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace_compare.h"

// What sides know of one thing at the bad tick, and whether it is the same.
typedef struct {
    uint32_t knowing;
    uint64_t first;
    bool     is_other;
} Same;

static void note(Same *same, uint64_t value)
{
    same->first = same->knowing == 0 ? value : same->first;
    same->is_other = same->is_other || value != same->first;
    same->knowing += 1;
}

static tp_known known_of(const Same *same)
{
    return same->knowing < 2 ? TP_UNKNOWN : same->is_other ? TP_NO : TP_YES;
}

// A log says what went in, and neither what came out nor what was drawn.
static void compare_causes(Compare *compare)
{
    tp_trace_comparison *to = compare->to;
    Same inputs = { 0 }, events = { 0 }, draws = { 0 };
    for (uint32_t i = 0; i < compare->count; i++) {
        const Line *line = &compare->lines[i];
        if (to->sides[i].group == NO_GROUP || to->bad_tick >= line->rows_end) {
            continue;
        }
        const tp_trace_row *row = trace_compare_row(line, to->bad_tick);
        note(&inputs, row->input);
        if (!line->trace->is_recorded) {
            note(&events, row->event);
            note(&draws, (uint64_t)row->draws << 32 | row->draw_digest);
        }
    }
    to->inputs_equal = known_of(&inputs);
    to->events_equal = known_of(&events);
    to->draws_equal = known_of(&draws);
}

static void name_leaf(const tp_layout *layout, uint32_t leaf, uint32_t state_leaves, char name[TP_NAME_SIZE_MAX + 1])
{
    uint32_t first = 0;
    for (uint32_t i = 0; layout != NULL && layout->world->opaque == NULL && i < layout->world->section_count; i++) {
        first += (layout->section_canonical_size[i] + TP_LEAF_SIZE - 1) / TP_LEAF_SIZE;
        if (leaf < first) {
            snprintf(name, TP_NAME_SIZE_MAX + 1, "%s", layout->world->sections[i].name);
            return;
        }
    }
    bool is_opaque = layout != NULL && layout->world->opaque != NULL;
    snprintf(name, TP_NAME_SIZE_MAX + 1, is_opaque && state_leaves <= 1 ? "state" : is_opaque ? "state %" PRIu32 : "leaf %" PRIu32, leaf);
}

// False when these leaves do not differ in anything that belongs to the bad tick.
static bool name_section(const tp_layout *layout, const tp_trace_leaves *a, const tp_trace_leaves *b, bool is_bad_tick, char name[TP_NAME_SIZE_MAX + 1])
{
    uint32_t a_state = a->count < 2 ? 0 : a->count - 2;
    uint32_t b_state = b->count < 2 ? 0 : b->count - 2;
    uint32_t shorter = a_state < b_state ? a_state : b_state;
    uint32_t leaf = 0;
    while (leaf < shorter && a->leaves[leaf] == b->leaves[leaf]) {
        leaf++;
    }
    if (leaf < shorter || a_state != b_state) {
        name_leaf(layout, leaf, a_state > b_state ? a_state : b_state, name);
        return true;
    }
    // Inputs and events of a later tick say nothing about this one.
    for (uint32_t i = 0; is_bad_tick && i < 2 && a->count >= 2; i++) {
        if (a->leaves[a_state + i] != b->leaves[b_state + i]) {
            snprintf(name, TP_NAME_SIZE_MAX + 1, "%s", i == 0 ? "inputs" : "events");
            return true;
        }
    }
    return false;
}

// The first leaves behind the bad tick that both have and that differ.
static void find_section(Compare *compare, const tp_layout *layout, const tp_trace *a, const tp_trace *b)
{
    tp_trace_comparison *to = compare->to;
    char     name[TP_NAME_SIZE_MAX + 1];
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->leaves_count; i++) {
        const tp_trace_leaves *left = &a->leaves[i];
        while (k < b->leaves_count && b->leaves[k].steps < left->steps) {
            k++;
        }
        if (to->section[0] != '\0' && left->steps >= to->section_steps) {
            return;
        }
        if (k < b->leaves_count && b->leaves[k].steps == left->steps && left->steps > to->bad_tick &&
            name_section(layout, left, &b->leaves[k], left->steps == to->bad_tick + 1, name)) {
            memcpy(to->section, name, sizeof(name));
            to->section_steps = left->steps;
            return;
        }
    }
}

static void find_sections(Compare *compare, const tp_layout *layout)
{
    const tp_trace_side *sides = compare->to->sides;
    for (uint32_t i = 0; i < compare->count; i++) {
        for (uint32_t k = i + 1; k < compare->count; k++) {
            if (sides[i].group != NO_GROUP && sides[k].group != NO_GROUP && sides[i].group != sides[k].group) {
                find_section(compare, layout, compare->lines[i].trace, compare->lines[k].trace);
            }
        }
    }
}

// Words.

static void say_vote(Compare *compare)
{
    tp_trace_comparison *to = compare->to;
    uint32_t voting = 0, agreeing = 0;
    for (uint32_t i = 0; i < compare->count; i++) {
        voting += to->sides[i].group != NO_GROUP ? 1 : 0;
        agreeing += to->sides[i].group == 0 ? 1 : 0;
    }
    trace_compare_say(to, "first bad tick is %" PRIu64 ": ", to->bad_tick);
    if (to->group_count == voting) {
        trace_compare_say(to, voting == 2 ? "the two differ" : "no two of %" PRIu32 " agree", voting);
    } else {
        trace_compare_say(to, "%" PRIu32 " of %" PRIu32 " agree%s", agreeing, voting, to->has_majority ? "" : ", no majority");
    }
    trace_compare_say(to, to->is_fault ? "; some fault there" : "");
    for (uint32_t i = 0; i < compare->count; i++) {
        if (compare->lines[i].trace->has_end && compare->lines[i].trace->end == TP_TRACE_END_REFUSED && compare->lines[i].rows_end == to->bad_tick) {
            trace_compare_say(to, "; side %" PRIu32 " refuses what the log has there", i + 1);
            return;
        }
    }
}

static void say_why(Compare *compare)
{
    tp_trace_comparison *to = compare->to;
    static const char *const inputs[] = { "", "; inputs differ", "; inputs are equal" };
    static const char *const events[] = { "", "; events differ", "; events are equal" };
    static const char *const draws[] = { "", "; draws differ: the generators were used another way", "; draws are equal" };
    bool is_doubtful = to->inputs_equal == TP_NO && !compare->has_other_logs;
    trace_compare_say(to, "%s%s%s%s", inputs[to->inputs_equal], is_doubtful ? ", so these may be of different logs" : "", events[to->events_equal], draws[to->draws_equal]);
    if (compare->has_draws) {
        trace_compare_say(to, "; draws differ since tick %" PRIu64 ", where the roots did not yet", compare->draws_tick);
    }
    if (to->section[0] != '\0') {
        trace_compare_say(to, "; section '%s' differs after tick %" PRIu64, to->section, to->section_steps - 1);
    } else if (to->inputs_equal != TP_NO) {
        trace_compare_say(to, "; section not known: from there on no leaves that two sides have differ");
    }
}

static const char *end_name(const tp_trace *trace)
{
    static const char *const names[] = { "", "it reaches its log's end", "it ends in a fault", "it ends where it was asked to", "it was stopped",
                                         "the world refuses what comes next", "its log is torn or damaged there" };
    return !trace->has_end ? "it was cut off" : trace->end <= TP_TRACE_END_BROKEN ? names[trace->end] : "it ends";
}

static bool is_whole(const tp_trace *trace)
{
    return trace->has_end && (trace->end == TP_TRACE_END_LOG || trace->end == TP_TRACE_END_FAULT);
}

// The ticks that a side answers.
static uint64_t answers_in(const Line *line)
{
    uint64_t count = line->end - line->first;
    for (uint64_t i = 0; line->end > line->first && i < line->trace->gap_count; i++) {
        count -= line->trace->gaps[i * 2 + 1] < count ? line->trace->gaps[i * 2 + 1] : count;
    }
    return count;
}

// The side that most likely keeps an agreement from being whole: one that is not itself, else the one with the fewest ticks.
static uint32_t shortest_of(const Compare *compare)
{
    uint32_t shortest = 0;
    for (uint32_t i = 0; i < compare->count; i++) {
        if (!is_whole(compare->lines[i].trace)) {
            return i;
        }
        shortest = answers_in(&compare->lines[i]) < answers_in(&compare->lines[shortest]) ? i : shortest;
    }
    return shortest;
}

// What keeps an agreement from being one over the whole log.
static void conclude_agreement(Compare *compare)
{
    tp_trace_comparison *to = compare->to;
    to->verdict = TP_INCOMPLETE;
    for (uint32_t i = 0; i < compare->count; i++) {
        const Line *line = &compare->lines[i];
        if (!trace_compare_has_roots(line->trace)) {
            trace_compare_say(to, "side %" PRIu32 " carries no checksums, so it cannot be compared", i + 1);
            return;
        }
    }
    if (to->compared == 0) {
        trace_compare_say(to, "no tick was compared: there is none that every side has");
        return;
    }
    uint32_t    shortest = shortest_of(compare);
    const Line *line = &compare->lines[shortest];
    bool        is_all = is_whole(line->trace);
    for (uint32_t i = 0; i < compare->count; i++) {
        is_all = is_all && answers_in(&compare->lines[i]) == to->compared;
    }
    if (!is_all) {
        trace_compare_say(to, "they agree on the %" PRIu64 " ticks that every side has; side %" PRIu32 " has %" PRIu64 ": %s", to->compared, shortest + 1, answers_in(line),
            end_name(line->trace));
        return;
    }
    to->verdict = TP_VERIFIED;
    trace_compare_say(to, compare->count == 2 ? "both agree" : "all %" PRIu32 " agree", compare->count);
    trace_compare_say(to, " on all %" PRIu64 " ticks", to->compared);
}

void trace_compare_conclude(Compare *compare, const tp_layout *layout)
{
    tp_trace_comparison *to = compare->to;
    if (compare->has_bad) {
        to->verdict = TP_DIVERGED;
        compare_causes(compare);
        find_sections(compare, layout);
        say_vote(compare);
        say_why(compare);
        return;
    }
    conclude_agreement(compare);
    if (compare->has_draws) {
        trace_compare_say(to, "; draws differ since tick %" PRIu64 ", though no root does: something draws whose state is not hashed", compare->draws_tick);
    }
}
