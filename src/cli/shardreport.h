// shardreport.h: what one machine found of its part of a batch, as a file of JSON lines: a head that names the whole, a line for each log, and
// an end that counts them and carries a hash over all before it. Without that end a report is torn, and a torn one counts for nothing.
#pragma once

#include "batchid.h"
#include "report.h"
#include "reportline.h"
#include "shard.h"

/// What must be the same in all reports of one batch, but for `shard.number`.
typedef struct {
    Shard    shard;
    uint64_t files;    ///< of the whole batch
    uint64_t operands_failed; ///< operands that stood for nothing: they make a batch usage (2) at best
    uint8_t  list[SHARD_HASH_SIZE];
    uint8_t  question[BATCHID_SIZE];
} ShardHead;

typedef struct ShardWriter ShardWriter;

/// Makes the file, or takes the place of an older report there; any other file is refused. It is torn until shardreport_end. NULL: said so.
ShardWriter *shardreport_create(const char *path, const ShardHead *head);
/// `index` in the whole list. Failures are remembered until the end.
void shardreport_add(ShardWriter *writer, uint64_t index, uint64_t size, const BatchFile *file);
/// Counts, hash, and to the disk. Frees the writer. False, said so: the file is not whole.
bool shardreport_end(ShardWriter *writer, double seconds);
/// Leaves the file torn.
void shardreport_abandon(ShardWriter *writer);

/// One log's line. `path` is owned by whoever is given it.
typedef struct {
    uint64_t  index, size;
    char     *path;
    BatchFile file; // its path is NULL
} ShardLine;

typedef struct {
    void *to;
    /// Called for each line in order. False stops; `error` says why, and it is the report that is wrong.
    bool (*line)(void *to, ShardLine *line, tp_error *error);
} ShardLines;

/// The first line alone. VERIFIED, or what is wrong, for which `error` names the place and what to do.
tp_verdict shardreport_read_head(FILE *file, ShardHead *head, tp_error *error);
/// All of it, checked against its end. What `lines` was given counts only when the answer is VERIFIED: torn is TRUNCATED, anything else CORRUPT.
tp_verdict shardreport_read(FILE *file, ShardHead *head, const ShardLines *lines, uint64_t *milliseconds, tp_error *error);
