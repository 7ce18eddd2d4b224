// verify_batch.h: one run of `tickproof verify` over its files: which of them are this shard's, what a journal knows already, and where the
// answers go.
#pragma once

#include "report.h"
#include "shard.h"

typedef struct {
    BatchOptions        batch;
    const ReportFormat *format;
    bool                is_quiet;
    Shard               shard;       ///< count 0: all files
    const char         *report_path; ///< of the shard report, or NULL
    const char         *resume_path; ///< of the journal, or NULL
    uint64_t            operands_failed; ///< stood for no file, and said so
} VerifyBatch;

/// Verifies and prints. Returns the exit code: the most serious verdict, and never success when something that was asked for is missing.
int verify_batch(VerifyBatch *batch, const PathList *paths);
