// trace_compare.c: sidecars against each other: the first tick on which not all that have it agree, who agrees with whom there, and who
// leaves later. Everything in a sidecar is foreign, also what its ticks are called. What the hashes say about why is trace_compare_why.c's.
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace_compare.h"

void trace_compare_say(tp_trace_comparison *to, const char *format, ...)
{
    size_t  used = strlen(to->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->message + used, sizeof(to->message) - used, format, arguments);
    va_end(arguments);
}

static void refuse(tp_trace_comparison *to, uint32_t side, const char *what)
{
    to->verdict = TP_INCOMPATIBLE;
    trace_compare_say(to, "side %" PRIu32 " %s, so they cannot be compared", side + 1, what);
}

// Both saw the end of their log, so both chain values are over all of it.
static bool has_other_log(const tp_trace *a, const tp_trace *b)
{
    bool are_whole = a->has_end && b->has_end && a->has_chain && b->has_chain && a->end == b->end && a->end == TP_TRACE_END_LOG;
    return are_whole && memcmp(a->chain, b->chain, sizeof(a->chain)) != 0;
}

static bool is_same_run(const tp_trace *const *traces, uint32_t count, bool other_logs, tp_trace_comparison *to)
{
    const tp_trace *first = traces[0];
    for (uint32_t i = 1; i < count; i++) {
        const tp_trace *other = traces[i];
        if (strcmp(first->ident.world, other->ident.world) != 0) {
            refuse(to, i, "is of another world than side 1");
        } else if (!tp_hash128_equal(first->ident.rules.id, other->ident.rules.id)) {
            refuse(to, i, "is of other rules than side 1 (revision, tables, seed, players, config or content)");
        } else if (!other_logs && (first->ident.sequence != other->ident.sequence || first->first_tick != other->first_tick)) {
            refuse(to, i, "is of another file of the series than side 1");
        }
        for (uint32_t k = 0; to->verdict == TP_VERIFIED && !other_logs && k < i; k++) {
            if (has_other_log(traces[k], other)) {
                refuse(to, i, "is of another log than one before it");
            }
        }
        if (to->verdict != TP_VERIFIED) {
            return false;
        }
    }
    return true;
}

bool trace_compare_has_roots(const tp_trace *trace)
{
    return trace->root_size > 0 || trace->count == 0;
}

static Line line_of(const tp_trace *trace)
{
    Line     line = { .trace = trace, .first = trace->first_tick };
    uint64_t most = trace->first_tick < UINT64_MAX - 1 ? UINT64_MAX - 1 - trace->first_tick : 0; // a foreign tick may be the last one there is
    line.rows_end = trace->first_tick + (trace->count < most ? trace->count : most);
    bool is_answered = trace->first_tick < UINT64_MAX - 1 && trace->has_end && (trace->end == TP_TRACE_END_FAULT || trace->end == TP_TRACE_END_REFUSED);
    line.end = line.rows_end + (is_answered ? 1 : 0);
    if (!trace_compare_has_roots(trace)) {
        line.end = line.rows_end = line.first;
    }
    return line;
}

// Ticks are asked for in rising order.
static bool is_gap(Line *line, uint64_t tick)
{
    const tp_trace *trace = line->trace;
    while (line->gap < trace->gap_count && tick >= trace->gaps[line->gap * 2] && tick - trace->gaps[line->gap * 2] >= trace->gaps[line->gap * 2 + 1]) {
        line->gap += 1;
    }
    return line->gap < trace->gap_count && tick >= trace->gaps[line->gap * 2];
}

static Answer answer_of(Line *line, uint64_t tick)
{
    const tp_trace *trace = line->trace;
    if (tick < line->first || tick >= line->end) {
        return (Answer){ ANSWER_NONE, NULL };
    }
    if (tick < line->rows_end) {
        return is_gap(line, tick) ? (Answer){ ANSWER_NONE, NULL } : (Answer){ ANSWER_ROOT, trace->rows[tick - line->first].root };
    }
    return trace->end == TP_TRACE_END_FAULT ? (Answer){ ANSWER_FAULT, trace->fault_root } : (Answer){ ANSWER_REFUSED, NULL };
}

static bool is_equal(const Compare *compare, Answer a, Answer b)
{
    return a.kind == b.kind && (a.kind == ANSWER_REFUSED || memcmp(a.root, b.root, compare->width) == 0);
}

// The sides that are asked and answer, in groups that agree: 0 is the largest, of equally large ones the one of the first side. The others
// get NO_GROUP. Returns how many groups there are.
static uint32_t group_sides(const Compare *compare, const bool *is_asked, uint32_t groups[SIDES], uint32_t sizes[SIDES])
{
    uint32_t found = 0, leaders[SIDES];
    for (uint32_t i = 0; i < compare->count; i++) {
        uint32_t group = 0;
        groups[i] = NO_GROUP;
        if (!is_asked[i] || compare->answers[i].kind == ANSWER_NONE) {
            continue;
        }
        while (group < found && !is_equal(compare, compare->answers[leaders[group]], compare->answers[i])) {
            group++;
        }
        if (group == found) {
            sizes[found] = 0;
            leaders[found++] = i;
        }
        groups[i] = group;
        sizes[group] += 1;
    }
    return found;
}

// Renumbers by size, largest first; equally large ones keep their order.
static void sort_groups(uint32_t count, uint32_t groups[SIDES], uint32_t sizes[SIDES], uint32_t group_count)
{
    uint32_t places[SIDES], sorted[SIDES];
    for (uint32_t i = 0; i < group_count; i++) {
        places[i] = 0;
        for (uint32_t k = 0; k < group_count; k++) {
            places[i] += sizes[k] > sizes[i] || (sizes[k] == sizes[i] && k < i) ? 1 : 0;
        }
        sorted[places[i]] = sizes[i];
    }
    memcpy(sizes, sorted, group_count * sizeof(*sizes));
    for (uint32_t i = 0; i < count; i++) {
        groups[i] = groups[i] == NO_GROUP ? NO_GROUP : places[groups[i]];
    }
}

static void leave(Compare *compare, uint32_t side, uint64_t tick)
{
    compare->lines[side].is_tracked = false;
    compare->to->sides[side].has_left = true;
    compare->to->sides[side].bad_tick = tick;
}

static void come_apart(Compare *compare, uint64_t tick)
{
    tp_trace_comparison *to = compare->to;
    bool     is_asked[SIDES];
    bool     is_tracked[SIDES];
    uint32_t groups[SIDES], sizes[SIDES];
    for (uint32_t i = 0; i < compare->count; i++) {
        is_asked[i] = is_tracked[i] = compare->lines[i].is_tracked;
    }
    uint32_t found = group_sides(compare, is_asked, groups, sizes);
    sort_groups(compare->count, groups, sizes, found);
    for (uint32_t i = 0; i < compare->count; i++) {
        if (!compare->has_bad) {
            to->sides[i].group = groups[i];
            to->is_fault = to->is_fault || compare->answers[i].kind == ANSWER_FAULT;
        }
        if (is_tracked[i] && groups[i] != NO_GROUP && groups[i] != 0) {
            leave(compare, i, tick);
        }
    }
    if (!compare->has_bad) {
        compare->has_bad = true;
        to->bad_tick = tick;
        to->group_count = found;
        to->has_majority = sizes[0] * 2 > compare->count;
    }
}

const tp_trace_row *trace_compare_row(const Line *line, uint64_t tick)
{
    return &line->trace->rows[tick - line->first];
}

// A log does not say what was drawn.
static void look_at_draws(Compare *compare, uint64_t tick)
{
    const tp_trace_row *first = NULL;
    for (uint32_t i = 0; i < compare->count && !compare->has_draws; i++) {
        const Line *line = &compare->lines[i];
        if (line->trace->is_recorded || compare->answers[i].kind != ANSWER_ROOT) {
            continue;
        }
        const tp_trace_row *row = trace_compare_row(line, tick);
        first = first == NULL ? row : first;
        compare->has_draws = row->draws != first->draws || row->draw_digest != first->draw_digest;
    }
    compare->draws_tick = tick;
}

static void compare_tick(Compare *compare, uint64_t tick)
{
    tp_trace_comparison *to = compare->to;
    uint32_t answering = 0, tracked = 0, first = NO_GROUP;
    bool     do_agree = true;
    for (uint32_t i = 0; i < compare->count; i++) {
        compare->answers[i] = answer_of(&compare->lines[i], tick);
        bool is_here = compare->answers[i].kind != ANSWER_NONE;
        answering += is_here ? 1 : 0;
        if (is_here && compare->lines[i].is_tracked) {
            tracked++;
            first = first == NO_GROUP ? i : first;
            do_agree = do_agree && is_equal(compare, compare->answers[first], compare->answers[i]);
        }
    }
    to->compared += answering == compare->count ? 1 : 0;
    for (uint32_t i = 0; tracked > 1 && i < compare->count; i++) {
        to->sides[i].compared += compare->lines[i].is_tracked && compare->answers[i].kind != ANSWER_NONE ? 1 : 0;
    }
    if (!do_agree) {
        come_apart(compare, tick);
    } else if (!compare->has_bad && !compare->has_draws) {
        look_at_draws(compare, tick);
    }
}

// The next tick at which a side begins or ends; nothing else changes how many there are, and between sides there may be years.
static uint64_t next_border(const Compare *compare, uint64_t tick, uint32_t *here)
{
    uint64_t border = UINT64_MAX;
    *here = 0;
    for (uint32_t i = 0; i < compare->count; i++) {
        const Line *line = &compare->lines[i];
        *here += tick >= line->first && tick < line->end ? 1 : 0;
        border = line->first > tick && line->first < border ? line->first : border;
        border = line->end > tick && line->end < border ? line->end : border;
    }
    return border;
}

static void compare_all(Compare *compare)
{
    uint32_t here = 0;
    for (uint64_t tick = compare->to->first_tick; tick != UINT64_MAX;) {
        uint64_t border = next_border(compare, tick, &here);
        for (; here > 1 && tick < border; tick++) {
            compare_tick(compare, tick);
        }
        tick = border;
    }
}

void tp_trace_compare(const tp_trace *const *traces, uint32_t count, const tp_layout *layout, bool other_logs, tp_trace_comparison *comparison)
{
    *comparison = (tp_trace_comparison){ .side_count = count };
    if (count < 2 || count > TP_TRACE_SIDES_MAX) {
        comparison->side_count = 0;
        comparison->verdict = TP_USAGE;
        trace_compare_say(comparison, "2 to %d sidecars can be compared, not %" PRIu32, TP_TRACE_SIDES_MAX, count);
        return;
    }
    if (!is_same_run(traces, count, other_logs, comparison)) {
        return;
    }
    Compare compare = { .to = comparison, .count = count, .width = TP_TRACE_ROOT_SIZE, .has_other_logs = other_logs };
    comparison->first_tick = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = traces[i]->root_size;
        compare.lines[i] = line_of(traces[i]);
        compare.lines[i].is_tracked = true;
        compare.width = width > 0 && width < compare.width ? width : compare.width;
        comparison->first_tick = traces[i]->first_tick < comparison->first_tick ? traces[i]->first_tick : comparison->first_tick;
        comparison->sides[i].group = 0;
    }
    compare_all(&compare);
    trace_compare_conclude(&compare, layout);
    assert(comparison->message[0] != '\0');
}
