// shardreport_format.h: what the writer and the reader of shard reports must agree on.
#pragma once

#include "report.h"

#define SHARDREPORT_MAGIC "{\"tickproof_report\":"
enum { SHARDREPORT_COUNTS = 4 + REPORT_VERDICTS };

/// Numbers of the last line: files, ticks checked, recorded and stepped, then files by verdict.
void        shardreport_counts(const ReportTotals *totals, uint64_t counts[SHARDREPORT_COUNTS]);
const char *shardreport_count_name(size_t position);
