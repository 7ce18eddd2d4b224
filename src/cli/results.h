// results.h: the reports of a batch of any size. They lie in a file without a name, so that a process with ten thousand of them is no larger
// than one with ten.
#pragma once

#include "batch.h"

/// Fill with results_open. `files` is an array as any other, for batch_run; a process that is forked later does not have it, so
/// that no world that writes where it should not reaches another log's report.
typedef struct {
    BatchFile *files;
    size_t     count;
    size_t     touched; // since memory was last given back
} Results;

/// All-zero reports. False: said so.
bool results_open(Results *results, size_t count);
void results_close(Results *results);
/// One was read or written: now and then what is in memory is given back. Addresses stay, and so does what lies there.
void results_touch(Results *results);
/// Touches, too. Borrowed until results_close.
const BatchFile *results_at(Results *results, size_t index);
