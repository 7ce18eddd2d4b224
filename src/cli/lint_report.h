// lint_report.h: from operands to results, and what is printed of them.
#pragma once

#include <stdio.h>

#include "finding.h"
#include "lint_scan.h"

enum { LINT_ALLOWED_MAX = 256 };

/// --allow KIND[=SYMBOL]. A star at the symbol's end stands for any rest.
typedef struct LintAllow {
    LintKind    kind;
    const char *symbol; ///< NULL: any
    bool        is_used;
} LintAllow;

/// One ELF file, or a member of an archive, or what could not be read.
typedef struct LintResult {
    char      *subject;  ///< "world.so", "rooms.a(step.o)"
    tp_verdict verdict;  ///< DIVERGED: there are errors (or warnings, when they count as such); CORRUPT, INCOMPATIBLE, USAGE, INTERNAL: `message`
    char       message[TP_MESSAGE_SIZE];
    LintObject object;   ///< zero when nothing could be read
    uint64_t   levels[3]; ///< findings by LintLevel, without those allowed
    uint64_t   allowed;
} LintResult;

typedef struct LintRun {
    LintAllow   allowed[LINT_ALLOWED_MAX];
    size_t      allowed_count;
    bool        is_strict;
    LintResult *results;
    size_t      count, capacity;
} LintRun;

/// Looks through one operand: a file, or each member of an archive. False: out of memory.
bool lint_run_file(LintRun *run, const char *path);
void lint_run_finish(LintRun *run);
tp_verdict lint_run_worst(const LintRun *run);

/// "sin: import, in step+0x1c and 2 more places: WHY; ADVICE", in one line.
void lint_report_line(const LintFinding *finding, char text[TP_MESSAGE_SIZE]);
/// "x86-64 library, 7 functions, 412 bytes of code: 1 error, 2 warnings"
void lint_report_totals(const LintResult *result, char text[TP_MESSAGE_SIZE]);
void lint_report_write(FILE *out, FindingFormat format, const LintRun *run);
void lint_report_ci(FILE *out, FindingFormat format, const LintRun *run);

extern const char *const lint_level_names[3];
