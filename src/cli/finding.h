// finding.h: what a hunt found, for people and machines: one way to print it for compare, bisect, perturb, minimise and lint.
#pragma once

#include <stdio.h>

#include "tickproof/trace.h"

enum { FINDING_SIDES_MAX = TP_TRACE_SIDES_MAX };

/// A line that declares something: see place.h. Unknown: empty path.
typedef struct FindingPlace {
    char     path[512];
    uint32_t line; ///< from 1
} FindingPlace;

typedef struct FindingValue {
    const char *side;
    char        value[64]; ///< in the field's unit; empty: not known
    uint32_t    group;     ///< sides of one group agree
} FindingValue;

/// One thing that was looked at, and what it came to. What is not known is zero or empty.
typedef struct Finding {
    const char  *subject;  ///< a log, a library; JUnit's name of the case
    const char  *aspect;   ///< what was done with it: an axis ("aslr=off"), a pair of sides; may be NULL
    tp_verdict   verdict;
    bool         is_skipped; ///< not looked at, and why is the message: never counted as good
    char         message[TP_MESSAGE_SIZE]; ///< one line
    char         cause[64];  ///< class of the cause: "uninitialised memory", "addresses", ...
    bool         has_tick;
    uint64_t     tick;
    char         section[TP_NAME_SIZE_MAX + 1];
    char         field[128];
    uint64_t     differing_fields;
    uint32_t     value_count;
    FindingValue values[FINDING_SIDES_MAX];
    bool         has_last_write;
    uint64_t     last_write_tick; ///< last tick before `tick` that changed the field
    char        *inputs; ///< the tick's row as JSON, as `cat` prints it; owned; may be NULL
    FindingPlace place;
    uint64_t     offset; ///< byte offset in the subject, 0: none
} Finding;

typedef enum { FINDING_TEXT, FINDING_JSON, FINDING_JUNIT, FINDING_SARIF, FINDING_GITHUB } FindingFormat;

/// False: no such format.
bool finding_format_of(const char *name, FindingFormat *format);

/// All of one command's findings. `command` is "tickproof bisect" and the like. Text is up to each command, but finding_text prints one
/// finding the usual way.
void finding_write(FILE *out, FindingFormat format, const char *command, const Finding *findings, size_t count);
void finding_text(FILE *out, const Finding *finding);
void finding_finish(Finding *finding);
/// The most serious verdict; skipped ones do not count. VERIFIED for none.
tp_verdict finding_worst(const Finding *findings, size_t count);
