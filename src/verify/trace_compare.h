// trace_compare.h: what the two halves of comparing sidecars share: trace_compare.c walks along the ticks, trace_compare_why.c says what was found.
#pragma once

#include "tickproof/trace.h"

enum { SIDES = TP_TRACE_SIDES_MAX };
#define NO_GROUP UINT32_MAX

// What a side says of one tick. A world that takes a row here and refuses it there has come apart as much as by its root.
typedef enum { ANSWER_NONE, ANSWER_ROOT, ANSWER_FAULT, ANSWER_REFUSED } AnswerKind;

typedef struct {
    AnswerKind     kind;
    const uint8_t *root; // of a refusal: NULL
} Answer;

typedef struct {
    const tp_trace *trace;
    uint64_t        first, rows_end; // ticks of its rows
    uint64_t        end;             // one more when the tick after its last row is answered, too: by a fault or a refusal
    uint64_t        gap;             // first gap that does not lie before the tick looked at
    bool            is_tracked;      // with group 0 up to now, or not seen on the bad tick
} Line;

typedef struct {
    tp_trace_comparison *to;
    Line      lines[SIDES];
    Answer    answers[SIDES]; // of one tick
    uint32_t  count;
    uint32_t  width;          // bytes of a root that all sides have
    bool      has_other_logs;
    bool      has_bad;
    bool      has_draws;      // draws differed on `draws_tick`, while the roots did not
    uint64_t  draws_tick;
} Compare;

/// Adds to the comparison's one line.
void trace_compare_say(tp_trace_comparison *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// A log may carry no roots at all; one without a row still has that of its fault.
bool trace_compare_has_roots(const tp_trace *trace);
const tp_trace_row *trace_compare_row(const Line *line, uint64_t tick);
/// After the last tick: the verdict, causes, section and words. `layout` may be NULL.
void trace_compare_conclude(Compare *compare, const tp_layout *layout);
