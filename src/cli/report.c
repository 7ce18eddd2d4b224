// report.c: sums over reports.
#include "report.h"

const tp_verdict report_verdicts[REPORT_VERDICTS] = {
    TP_VERIFIED,     TP_DIVERGED,     TP_USAGE,        TP_CORRUPT,  TP_TRUNCATED,
    TP_INCOMPLETE,   TP_INCOMPATIBLE, TP_UNVERIFIABLE, TP_UNAUTHENTIC, TP_INTERNAL,
};

void report_count(ReportTotals *totals, const BatchFile *file)
{
    totals->files++;
    totals->checked += file->report.checked;
    totals->recorded += file->report.recorded;
    totals->stepped += file->report.stepped;
    totals->unsigned_files += file->report.verdict == TP_VERIFIED && !file->report.is_end_signed ? 1 : 0;
    for (int i = 0; i < REPORT_VERDICTS; i++) {
        totals->verdicts[i] += report_verdicts[i] == file->report.verdict ? 1 : 0;
    }
}
