// verify_batch.c: see verify_batch.h.
#include "verify_batch.h"

#include <stdlib.h>
#include <string.h>

#include "batchid.h"
#include "cli.h"
#include "journal.h"
#include "shardreport.h"

typedef struct {
    VerifyBatch    *batch;
    const PathList *paths;
    Results         results;
    ReportTotals    totals;
    tp_verdict      worst;
    ShardPlan       plan;    // empty without shards and report
    uint32_t       *indices; // of each of our files in the list; NULL: all are ours
    size_t          told;
    ShardWriter    *writer;
    Journal        *journal;
} Run;

static size_t index_of(const Run *run, size_t position)
{
    return run->indices == NULL ? position : run->indices[position];
}

static bool knows(void *to, size_t index, bool has_predecessor, BatchFile *file)
{
    Run *run = to;
    return run->journal != NULL && journal_knows(run->journal, index, has_predecessor, file);
}

static void touch(void *to, size_t index)
{
    Run *run = to;
    (void)index;
    results_touch(&run->results);
}

static void finish(void *to, size_t index, BatchFile *file)
{
    Run *run = to;
    if (run->journal != NULL) {
        journal_add(run->journal, index, file);
    }
    results_touch(&run->results);
}

static void take_report(void *to, const BatchFile *file)
{
    Run                *run = to;
    const ReportFormat *format = run->batch->format;
    size_t              index = index_of(run, run->told++);
    report_count(&run->totals, file);
    run->worst = tp_verdict_worst(run->worst, file->report.verdict);
    if (run->writer != NULL) {
        shardreport_add(run->writer, index, run->plan.sizes[index], file);
    }
    if (format->file != NULL && (!run->batch->is_quiet || file->report.verdict != TP_VERIFIED)) {
        format->file(stdout, file);
    }
    results_touch(&run->results);
}

// Which files are ours, when not all are.
static bool select_files(Run *run, size_t *count)
{
    const VerifyBatch *batch = run->batch;
    *count = run->paths->count;
    if (batch->shard.count == 0 && batch->report_path == NULL) {
        return true;
    }
    if (!shard_plan(&run->plan, run->paths, batch->shard.count == 0 ? 1 : batch->shard.count)) {
        return false;
    }
    if (batch->shard.count == 0) {
        return true;
    }
    run->indices = malloc((run->paths->count + 1) * sizeof(*run->indices));
    if (run->indices == NULL) {
        cli_fail(TP_INTERNAL, "verify: out of memory");
        return false;
    }
    *count = 0;
    for (size_t i = 0; i < run->paths->count; i++) {
        if (run->plan.shards[i] == batch->shard.number) {
            run->indices[(*count)++] = (uint32_t)i;
        }
    }
    run->totals.shard = batch->shard.number;
    run->totals.shards = batch->shard.count;
    run->totals.files_of_all_shards = run->paths->count;
    return true;
}

static bool open_report(Run *run)
{
    const VerifyBatch *batch = run->batch;
    ShardHead          head = { .shard = batch->shard, .files = run->paths->count, .operands_failed = batch->operands_failed };
    if (batch->report_path == NULL) {
        return true;
    }
    if (head.shard.count == 0) {
        head.shard = (Shard){ .number = 1, .count = 1 };
    }
    memcpy(head.list, run->plan.list, sizeof(head.list));
    if (!batchid_make(&batch->batch, false, head.question)) {
        return false;
    }
    run->writer = shardreport_create(batch->report_path, &head);
    return run->writer != NULL;
}

static bool open_journal(Run *run, size_t count)
{
    uint8_t question[BATCHID_SIZE];
    if (run->batch->resume_path == NULL) {
        return true;
    }
    if (!batchid_make(&run->batch->batch, true, question)) {
        return false;
    }
    run->journal = journal_open(run->batch->resume_path, question, count);
    return run->journal != NULL;
}

static bool open_results(Run *run, size_t count)
{
    if (!results_open(&run->results, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        run->results.files[i].path = run->paths->items[index_of(run, i)];
        results_touch(&run->results);
    }
    return true;
}

static bool run_batch(Run *run, size_t count)
{
    const BatchHooks hooks = { .to = run, .known = knows, .looked = touch, .finished = finish };
    BatchOptions     options = run->batch->batch;
    options.hooks = &hooks;
    // A shard may have nothing to do: there are fewer files, or fewer series, than shards.
    return count == 0 || batch_run(run->results.files, count, &options, take_report, run);
}

static void print_end(Run *run)
{
    const ReportFormat *format = run->batch->format;
    bool                is_text = format == &report_text;
    if (run->journal != NULL) {
        run->totals.files_known = journal_count_known(run->journal);
        run->totals.ticks_known = journal_ticks_known(run->journal);
    }
    if (format->end != NULL && !(is_text && run->batch->is_quiet)) {
        format->end(stdout, &run->results, &run->totals);
    }
}

static tp_verdict verify(Run *run)
{
    size_t count = 0;
    if (!select_files(run, &count)) {
        return TP_INTERNAL;
    }
    if (!open_report(run) || !open_journal(run, count)) {
        return TP_USAGE;
    }
    if (!open_results(run, count) || !run_batch(run, count)) {
        return TP_INTERNAL;
    }
    run->totals.seconds = cli_seconds() - run->batch->batch.start;
    print_end(run);
    if (run->writer != NULL) {
        bool is_whole = shardreport_end(run->writer, run->totals.seconds);
        run->writer = NULL;
        run->worst = is_whole ? run->worst : tp_verdict_worst(run->worst, TP_USAGE);
    }
    return run->worst;
}

int verify_batch(VerifyBatch *batch, const PathList *paths)
{
    Run        run = { .batch = batch, .paths = paths };
    tp_verdict verdict = verify(&run);
    shardreport_abandon(run.writer);
    if (!journal_close(run.journal)) {
        verdict = tp_verdict_worst(verdict, TP_USAGE);
    }
    results_close(&run.results);
    shard_plan_finish(&run.plan);
    free(run.indices);
    return (int)verdict;
}
