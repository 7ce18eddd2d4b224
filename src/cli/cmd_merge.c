// cmd_merge.c: `tickproof merge`: the reports of all shards of a batch become the report of the whole. It is success only when every shard is there
// once and whole, all are of one batch, and every log in it was verified.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "shardreport.h"

static const char help[] =
    "Usage: tickproof merge [FLAG]... REPORT...\n"
    "Puts together what 'tickproof verify --shard I/N --report F' wrote for every I from 1 to N, and prints what verifying all of\n"
    "it in one go would have printed. A REPORT is a file, a directory (its *.jsonl at any depth), a pattern in quotes, or an\n"
    "@LIST of paths.\n"
    "\n"
    "      --format F         text (usual), json (one object per file, one line each), junit, sarif or github\n"
    "  -q, --quiet            print only what is not verified, and no sums\n"
    "\n"
    "The exit code is the most serious verdict of all logs. When the reports are not those of one whole batch nothing is\n"
    "printed, and it is 5 for a shard that is missing, 4 for a report that is torn, 3 for one that was changed, and 2 for one that\n"
    "is there twice, of another batch, or no report.\n";

enum { FLAG_FORMAT = ARGS_LONG };

static const struct option flags[] = {
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "quiet", no_argument, NULL, 'q' },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    const ReportFormat *format;
    bool                is_quiet;
    PathList            paths;
    ShardHead           head;                 // what all have in common
    const char         *names[SHARDS_MAX + 1]; // of the report of each shard, by number
    uint64_t            bytes;                // of all reports
    Results             results;
    uint64_t           *sizes;                // of each log
    ReportTotals        totals;
} Merge;

// VERIFIED, or what is wrong with the file's name and its first line; said so.
static tp_verdict look_at(Merge *merge, const char *path, ShardHead *head)
{
    tp_error    error;
    struct stat status;
    FILE       *file = fopen(path, "re");
    if (file == NULL || fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        cli_fail(TP_USAGE, "%s: opening the report: %s", path, file == NULL ? strerror(errno) : "it is no file");
        if (file != NULL) {
            fclose(file);
        }
        return TP_USAGE;
    }
    tp_verdict verdict = shardreport_read_head(file, head, &error);
    fclose(file);
    merge->bytes += (uint64_t)status.st_size;
    if (verdict != TP_VERIFIED) {
        cli_fail((int)verdict, "%s: reading the report: %s", path, error.text);
    }
    return verdict;
}

static const char *difference(const ShardHead *a, const ShardHead *b)
{
    if (a->shard.count != b->shard.count) {
        return "it is of another number of shards";
    }
    if (memcmp(a->question, b->question, sizeof(a->question)) != 0) {
        return "its flags, worlds or version of the program were others";
    }
    if (a->files != b->files || memcmp(a->list, b->list, sizeof(a->list)) != 0 || a->operands_failed != b->operands_failed) {
        return "its list of logs, their order or their sizes were others";
    }
    return NULL;
}

static tp_verdict take_head(Merge *merge, const char *path)
{
    ShardHead  head = { 0 };
    tp_verdict verdict = look_at(merge, path, &head);
    if (verdict != TP_VERIFIED) {
        return verdict;
    }
    if (merge->head.shard.count == 0) {
        merge->head = head;
    }
    const char *other = difference(&merge->head, &head);
    if (other != NULL) {
        cli_fail(TP_USAGE, "%s: the report is of another batch than %s: %s", path, merge->paths.items[0], other);
        return TP_USAGE;
    }
    const char **name = &merge->names[head.shard.number];
    if (*name != NULL) {
        cli_fail(TP_USAGE, "%s: shard %u of %u is here twice: %s is it, too; give one of them", path, head.shard.number, head.shard.count, *name);
        return TP_USAGE;
    }
    *name = path;
    return TP_VERIFIED;
}

static tp_verdict find_missing(const Merge *merge)
{
    tp_verdict verdict = TP_VERIFIED;
    uint32_t   count = merge->head.shard.count;
    for (uint32_t i = 1; i <= count; i++) {
        if (merge->names[i] == NULL) {
            verdict = TP_INCOMPLETE;
            cli_fail(TP_INCOMPLETE, "merge: shard %u of %u is missing: give its report, or run 'tickproof verify --shard %u/%u --report' again", i, count, i, count);
        }
    }
    return verdict;
}

static bool take_line(void *to, ShardLine *line, tp_error *error)
{
    Merge     *merge = to;
    BatchFile *file = line->index < merge->results.count ? &merge->results.files[line->index] : NULL;
    if (file == NULL || file->path != NULL) {
        free(line->path);
        return tp_error_set(error, file == NULL ? "its log is beyond the end of the list" : "its log is there twice");
    }
    *file = line->file;
    file->path = line->path;
    merge->sizes[line->index] = line->size;
    results_touch(&merge->results);
    return true;
}

static tp_verdict take_report(Merge *merge, const char *path)
{
    tp_error         error;
    ShardHead        head = { 0 };
    uint64_t         milliseconds = 0;
    const ShardLines lines = { .to = merge, .line = take_line };
    FILE            *file = fopen(path, "re");
    if (file == NULL) {
        return (tp_verdict)cli_fail(TP_USAGE, "%s: opening the report: %s", path, strerror(errno));
    }
    tp_verdict verdict = shardreport_read(file, &head, &lines, &milliseconds, &error);
    fclose(file);
    if (verdict == TP_VERIFIED && (difference(&merge->head, &head) != NULL || merge->names[head.shard.number] != path)) {
        verdict = TP_CORRUPT;
        tp_error_set(&error, "line 1: it changed while it was read");
    }
    if (verdict != TP_VERIFIED) {
        cli_fail((int)verdict, "%s: reading the report: %s", path, error.text);
    }
    merge->totals.seconds += (double)milliseconds / 1000;
    return verdict;
}

// All shards are there, and so every log must be: held against what every shard says of the whole list.
static tp_verdict check_list(Merge *merge)
{
    uint8_t        list[SHARD_HASH_SIZE];
    ShardListHash *hash = shard_list_begin();
    size_t         missing = 0;
    for (size_t i = 0; hash != NULL && i < merge->results.count; i++) {
        const BatchFile *file = results_at(&merge->results, i);
        missing += file->path == NULL ? 1 : 0;
        shard_list_add(hash, file->path == NULL ? "" : file->path, merge->sizes[i]);
    }
    if (hash == NULL) {
        return (tp_verdict)cli_fail(TP_INTERNAL, "merge: out of memory");
    }
    shard_list_end(hash, list);
    if (missing > 0) {
        return (tp_verdict)cli_fail(TP_INCOMPLETE, "merge: %zu of %zu logs are in no report, though every shard is there: verify all shards again", missing,
                                    merge->results.count);
    }
    if (memcmp(list, merge->head.list, sizeof(list)) != 0) {
        return (tp_verdict)cli_fail(TP_CORRUPT, "merge: the logs in the reports are not those of the list that they name: verify all shards again");
    }
    return TP_VERIFIED;
}

static tp_verdict take_heads(Merge *merge)
{
    tp_verdict verdict = TP_VERIFIED;
    for (size_t i = 0; i < merge->paths.count; i++) {
        verdict = tp_verdict_worst(verdict, take_head(merge, merge->paths.items[i]));
    }
    return verdict == TP_VERIFIED ? find_missing(merge) : verdict;
}

static tp_verdict take_reports(Merge *merge)
{
    tp_verdict verdict = TP_VERIFIED;
    // A line of a report is longer than this, so no number in a head takes more memory than the reports have bytes.
    if (merge->head.files > merge->bytes / 256 + 1) {
        return (tp_verdict)cli_fail(TP_INCOMPLETE, "merge: the reports are too small to have all %llu logs of the batch", (unsigned long long)merge->head.files);
    }
    merge->sizes = calloc(merge->head.files + 1, sizeof(*merge->sizes));
    if (merge->sizes == NULL || !results_open(&merge->results, (size_t)merge->head.files)) {
        return (tp_verdict)cli_fail(TP_INTERNAL, "merge: out of memory");
    }
    for (uint32_t i = 1; i <= merge->head.shard.count; i++) {
        verdict = tp_verdict_worst(verdict, take_report(merge, merge->names[i]));
    }
    return verdict == TP_VERIFIED ? check_list(merge) : verdict;
}

static tp_verdict print_all(Merge *merge)
{
    tp_verdict          worst = merge->head.operands_failed > 0 ? TP_USAGE : TP_VERIFIED;
    const ReportFormat *format = merge->format;
    for (size_t i = 0; i < merge->results.count; i++) {
        const BatchFile *file = results_at(&merge->results, i);
        report_count(&merge->totals, file);
        worst = tp_verdict_worst(worst, file->report.verdict);
        if (format->file != NULL && (!merge->is_quiet || file->report.verdict != TP_VERIFIED)) {
            format->file(stdout, file);
        }
    }
    if (format->end != NULL && !(format == &report_text && merge->is_quiet)) {
        format->end(stdout, &merge->results, &merge->totals);
    }
    return worst;
}

static void finish(Merge *merge)
{
    for (size_t i = 0; i < merge->results.count; i++) {
        free((char *)(uintptr_t)results_at(&merge->results, i)->path);
    }
    results_close(&merge->results);
    free(merge->sizes);
    files_finish(&merge->paths);
}

static int merge_reports(Merge *merge, char **operands, int count)
{
    tp_verdict verdict = TP_VERIFIED;
    for (int i = 0; i < count; i++) {
        verdict = files_expand_ending(&merge->paths, operands[i], ".jsonl") ? verdict : TP_USAGE;
    }
    verdict = verdict == TP_VERIFIED ? take_heads(merge) : verdict;
    verdict = verdict == TP_VERIFIED ? take_reports(merge) : verdict;
    verdict = verdict == TP_VERIFIED ? print_all(merge) : verdict;
    finish(merge);
    return (int)verdict;
}

static int run(int argc, char **argv)
{
    static Merge merge;
    merge.format = &report_text;
    for (int flag = args_next("merge", argc, argv, ":qh", flags); flag != ARGS_END; flag = args_next("merge", argc, argv, ":qh", flags)) {
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case 'q': merge.is_quiet = true; break;
        case FLAG_FORMAT:
            merge.format = report_format(optarg);
            if (merge.format == NULL) {
                return TP_USAGE;
            }
            break;
        default: return TP_USAGE;
        }
    }
    if (optind == argc) {
        return cli_usage("merge", "REPORT is missing");
    }
    return merge_reports(&merge, argv + optind, argc - optind);
}

const Command command_merge = { "merge", "put the reports of a batch's shards together", help, run };
