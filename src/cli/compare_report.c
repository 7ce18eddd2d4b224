// compare_report.c: what a comparison came to, for people, and as findings for everybody else.
#include "compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "textout.h"

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t  used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static bool is_there(const CompareVote *vote, uint32_t side)
{
    return vote->result.sides[side].group < vote->result.group_count;
}

static const char *end_name(const tp_trace *trace)
{
    static const char *const names[] = { "", "to the log's end", "and a fault", "as far as was asked", "and then it was stopped", "and then the world refuses the log",
                                         "and then the log is torn or damaged" };
    return !trace->has_end ? "and then it is cut off" : trace->end <= TP_TRACE_END_BROKEN ? names[trace->end] : "";
}

static uint64_t row_count(const tp_trace *trace)
{
    uint64_t count = trace->count;
    for (uint64_t i = 0; i < trace->gap_count; i++) {
        count -= trace->gaps[i * 2 + 1];
    }
    return count;
}

void compare_groups(const CompareVote *vote, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t group = 0; group < vote->result.group_count; group++) {
        const char *between = group == 0 ? "" : " | ";
        for (uint32_t i = 0; i < vote->count; i++) {
            if (vote->result.sides[i].group == group) {
                append(text, size, "%s%s", between, vote->sides[i]->label);
                between = ", ";
            }
        }
    }
}

// What a side says of the bad tick.
static void value_of(const CompareVote *vote, uint32_t side, char *text, size_t size)
{
    const tp_trace *trace = vote->sides[side]->trace;
    uint64_t        row = vote->result.bad_tick - trace->first_tick;
    bool            is_row = row < trace->count;
    const uint8_t  *root = is_row ? trace->rows[row].root : trace->fault_root;
    snprintf(text, size, "%s", is_row ? "" : trace->end == TP_TRACE_END_FAULT ? "fault " : "refused");
    for (uint32_t i = 0; (is_row || trace->end == TP_TRACE_END_FAULT) && i < trace->root_size; i++) {
        append(text, size, "%02x", root[i]);
    }
}

static void put_side(FILE *out, const CompareSide *side)
{
    const tp_trace *trace = side->trace;
    textout_safe(out, side->path, strlen(side->path));
    fputs(": ", out);
    textout_safe(out, side->about, strlen(side->about));
    fprintf(out, "; %" PRIu64 " ticks from %" PRIu64 " %s\n", row_count(trace), trace->first_tick, end_name(trace));
}

static void print_group(FILE *out, const CompareVote *vote, uint32_t group)
{
    char     value[80] = "";
    uint32_t sides = 0;
    for (uint32_t i = 0; i < vote->count; i++) {
        if (vote->result.sides[i].group == group && sides++ == 0) {
            value_of(vote, i, value, sizeof(value));
        }
    }
    fprintf(out, "  %" PRIu32 " of %" PRIu32 " say %s:", sides, vote->count, value);
    const char *between = " ";
    for (uint32_t i = 0; i < vote->count; i++) {
        if (vote->result.sides[i].group == group) {
            fputs(between, out);
            textout_safe(out, vote->sides[i]->label, strlen(vote->sides[i]->label));
            between = ", ";
        }
    }
    fputc('\n', out);
}

static void print_others(FILE *out, const CompareVote *vote)
{
    const tp_trace_comparison *result = &vote->result;
    for (uint32_t i = 0; i < vote->count; i++) {
        const char *format = result->sides[i].has_left && result->sides[i].bad_tick != result->bad_tick ? " leaves later, at tick %" PRIu64 "\n"
                           : !is_there(vote, i)                                                        ? " does not have tick %" PRIu64 "\n"
                                                                                                       : NULL;
        if (format != NULL) {
            fputs("  ", out);
            textout_safe(out, vote->sides[i]->label, strlen(vote->sides[i]->label));
            fprintf(out, format, result->sides[i].has_left ? result->sides[i].bad_tick : result->bad_tick);
        }
    }
}

void compare_print(FILE *out, const CompareVote *vote)
{
    const tp_trace_comparison *result = &vote->result;
    for (uint32_t i = 0; i < vote->count; i++) {
        put_side(out, vote->sides[i]);
    }
    fprintf(out, "%s: %s\n", tp_verdict_name(result->verdict), result->message);
    if (result->verdict == TP_DIVERGED) {
        for (uint32_t group = 0; group < result->group_count; group++) {
            print_group(out, vote, group);
        }
        print_others(out, vote);
    }
}

// A side that stayed with the majority is fine; without one nobody is.
static tp_verdict verdict_of(const CompareVote *vote, uint32_t side)
{
    const tp_trace_comparison *result = &vote->result;
    const tp_trace            *trace = vote->sides[side]->trace;
    if (result->verdict == TP_DIVERGED && (result->sides[side].has_left || (!result->has_majority && is_there(vote, side)))) {
        return TP_DIVERGED;
    }
    if (result->verdict != TP_DIVERGED && result->verdict != TP_INCOMPLETE) {
        return result->verdict;
    }
    bool     is_answered = trace->has_end && trace->end == TP_TRACE_END_FAULT;
    bool     is_whole = trace->has_end && (trace->end == TP_TRACE_END_LOG || is_answered);
    uint64_t ticks = row_count(trace) + (is_answered ? 1 : 0);
    return is_whole && ticks > 0 && result->sides[side].compared == ticks ? TP_VERIFIED : TP_INCOMPLETE;
}

static void fill_divergence(const CompareVote *vote, uint32_t side, Finding *finding)
{
    const tp_trace_comparison *result = &vote->result;
    char                       groups[1024];
    finding->has_tick = true;
    finding->tick = result->sides[side].has_left ? result->sides[side].bad_tick : result->bad_tick;
    if (finding->tick != result->bad_tick) {
        snprintf(finding->message, sizeof(finding->message), "it leaves the others at tick %" PRIu64 "; ", finding->tick);
    } else {
        snprintf(finding->section, sizeof(finding->section), "%s", result->section);
    }
    compare_groups(vote, groups, sizeof(groups));
    append(finding->message, sizeof(finding->message), "%s; %s", result->message, groups);
    for (uint32_t i = 0; i < vote->count; i++) {
        if (is_there(vote, i)) {
            FindingValue *value = &finding->values[finding->value_count++];
            value->side = vote->sides[i]->label;
            value->group = result->sides[i].group;
            value_of(vote, i, value->value, sizeof(value->value));
        }
    }
}

// Every side can be held against some other one to its end while no tick beyond the shortest is one that all have. A report of
// nothing but passes would then belie the exit code.
static bool does_nobody_lack(const CompareVote *vote)
{
    for (uint32_t i = 0; i < vote->count; i++) {
        if (verdict_of(vote, i) != TP_VERIFIED) {
            return false;
        }
    }
    return true;
}

void compare_findings(const CompareVote *vote, Finding *findings)
{
    bool is_incomplete = vote->result.verdict == TP_INCOMPLETE && does_nobody_lack(vote);
    for (uint32_t i = 0; i < vote->count; i++) {
        Finding *finding = &findings[i];
        *finding = (Finding){ .subject = vote->sides[i]->path, .aspect = vote->sides[i]->label, .verdict = is_incomplete ? TP_INCOMPLETE : verdict_of(vote, i) };
        if (strcmp(finding->subject, finding->aspect) == 0) {
            finding->aspect = NULL;
        }
        if (finding->verdict == TP_DIVERGED) {
            fill_divergence(vote, i, finding);
        } else if (vote->result.verdict == TP_DIVERGED) {
            snprintf(finding->message, sizeof(finding->message), finding->verdict == TP_VERIFIED ? "it is with the majority to its end" :
                     "it does not have every tick; as far as it goes it is with the others");
        } else {
            snprintf(finding->message, sizeof(finding->message), "%s", vote->result.message);
        }
    }
}
