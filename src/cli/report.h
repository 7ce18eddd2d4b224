// report.h: reports of verified files for people and machines. Nothing but the last line of the text has times, so
// that two runs over the same files print the same.
#pragma once

#include <stdio.h>

#include "results.h"

enum { REPORT_VERDICTS = 10 };
/// Every verdict once, by number.
extern const tp_verdict report_verdicts[REPORT_VERDICTS];

/// What a batch came to.
typedef struct {
    size_t   files;
    size_t   verdicts[REPORT_VERDICTS]; ///< by position in report_verdicts
    size_t   unsigned_files; ///< verified, and nobody's signature says whose they are
    uint64_t checked, recorded, stepped;
    // Only the text's last lines have these.
    double   seconds;
    size_t   files_known;        ///< from a journal, and not verified now
    uint64_t ticks_known;        ///< stepped for those, some time before
    uint32_t shard, shards;      ///< this part of how many; 0: the whole
    size_t   files_of_all_shards;
} ReportTotals;

void report_count(ReportTotals *totals, const BatchFile *file);

/// One format. `file` and `end` print; each may be NULL.
typedef struct {
    const char *name;
    void (*file)(FILE *out, const BatchFile *file);
    /// After the last file. All files are given once more, for formats whose head needs their sums.
    void (*end)(FILE *out, Results *results, const ReportTotals *totals);
} ReportFormat;

/// A format by the name that --format takes. NULL: there is none, and said so.
const ReportFormat *report_format(const char *name);

extern const ReportFormat report_text;
extern const ReportFormat report_json;
extern const ReportFormat report_junit;
extern const ReportFormat report_sarif;
extern const ReportFormat report_github;
