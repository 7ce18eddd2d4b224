// compare.h: what the parts of `tickproof compare` share: sides as they were read, and how they are shown.
#pragma once

#include <stdio.h>

#include "finding.h"

/// One operand.
typedef struct {
    const char *path;
    tp_trace   *trace;  ///< NULL: it could not be read, and why is the message
    tp_verdict  verdict;
    char        message[TP_MESSAGE_SIZE];
    char        label[128];  ///< "x86_64 gcc 12.2.0"; its path where another side has the same
    char        about[700];  ///< all that it says of its machine
} CompareSide;

/// Sides that are held against each other: at most TP_TRACE_SIDES_MAX that could be read.
typedef struct {
    CompareSide        *sides[TP_TRACE_SIDES_MAX];
    uint32_t            count;
    tp_trace_comparison result;
} CompareVote;

/// Reads a sidecar, or a log for what it claims. "-" is standard input.
void compare_read(CompareSide *side, const char *path);
/// Labels that tell the sides of one comparison apart.
void compare_label(CompareVote *vote);

/// For people.
void compare_print(FILE *out, const CompareVote *vote);
/// "x86_64 gcc 12.2.0, s390x gcc 12.2.0 | aarch64 gcc 12.2.0"; then later leavers and who is not there.
void compare_groups(const CompareVote *vote, char *text, size_t size);
/// One finding for each side. They borrow from the vote.
void compare_findings(const CompareVote *vote, Finding *findings);

/// A sidecar's contents as lines of JSON, in the order in which TRACE.md describes them.
void compare_show(FILE *out, const tp_trace *trace);
