// report.h: reports of verified files for people and machines. Nothing but the last line of the text has times, so
// that two runs over the same files print the same.
#pragma once

#include <stdio.h>

#include "batch.h"

enum { REPORT_VERDICTS = 10 };
/// Every verdict once, by number.
extern const tp_verdict report_verdicts[REPORT_VERDICTS];

/// What a batch came to.
typedef struct {
    size_t   files;
    size_t   verdicts[REPORT_VERDICTS]; ///< by position in report_verdicts
    uint64_t checked, recorded, stepped;
    double   seconds;
} ReportTotals;

void report_count(ReportTotals *totals, const BatchFile *file);

/// One format. `file` and `end` print; each may be NULL.
typedef struct {
    const char *name;
    void (*file)(FILE *out, const BatchFile *file);
    /// After the last file. All files are given once more, for formats whose head needs their sums.
    void (*end)(FILE *out, const BatchFile *files, size_t count, const ReportTotals *totals);
} ReportFormat;

extern const ReportFormat report_text;
extern const ReportFormat report_json;
extern const ReportFormat report_junit;
extern const ReportFormat report_sarif;
extern const ReportFormat report_github;
