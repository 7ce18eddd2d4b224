// shardreport_read.c: reading, which trusts nothing before the last line, whose hash covers every byte before itself.
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "shardreport.h"
#include "shardreport_format.h"

typedef struct {
    ReportLines             *lines;
    const ShardLines        *to;
    crypto_generichash_state hash;
    ReportTotals             totals;
    tp_error                *error;
    uint64_t                *milliseconds;
} Reading;

void shardreport_counts(const ReportTotals *totals, uint64_t counts[SHARDREPORT_COUNTS])
{
    counts[0] = totals->files;
    counts[1] = totals->checked;
    counts[2] = totals->recorded;
    counts[3] = totals->stepped;
    for (int i = 0; i < REPORT_VERDICTS; i++) {
        counts[4 + i] = totals->verdicts[i];
    }
}

const char *shardreport_count_name(size_t position)
{
    static const char *const names[4] = { "files", "checked", "recorded", "stepped" };
    return position < 4 ? names[position] : tp_verdict_name(report_verdicts[position - 4]);
}

static tp_verdict refuse(tp_error *error, tp_verdict verdict, const ReportLines *lines, const char *what)
{
    tp_error_set(error, "line %zu: %s", lines->number, what);
    return verdict;
}

static bool take_head(const cJSON *object, ShardHead *head)
{
    uint64_t numbers[4];
    bool     is_good = reportline_take_u64(object, "shard", SHARDS_MAX, &numbers[0]) && reportline_take_u64(object, "shards", SHARDS_MAX, &numbers[1]) &&
                   reportline_take_u64(object, "files", SHARD_FILES_MAX, &numbers[2]) &&
                   reportline_take_u64(object, "operands_failed", UINT32_MAX, &numbers[3]) &&
                   reportline_take_hash(object, "list", head->list) && reportline_take_hash(object, "question", head->question);
    if (!is_good || numbers[0] < 1 || numbers[0] > numbers[1]) {
        return false;
    }
    head->shard = (Shard){ .number = (uint32_t)numbers[0], .count = (uint32_t)numbers[1] };
    head->files = numbers[2];
    head->operands_failed = numbers[3];
    return true;
}

static tp_verdict read_head(ReportLines *lines, ShardHead *head, tp_error *error)
{
    uint64_t version = 0;
    if (!reportline_next(lines)) {
        tp_error_set(error, "it is empty: its verification never began, or did not get far");
        return TP_TRUNCATED;
    }
    if (lines->size < sizeof(SHARDREPORT_MAGIC) - 1 || memcmp(lines->text, SHARDREPORT_MAGIC, sizeof(SHARDREPORT_MAGIC) - 1) != 0) {
        bool is_beginning = lines->is_torn && lines->size < sizeof(SHARDREPORT_MAGIC) && memcmp(lines->text, SHARDREPORT_MAGIC, lines->size) == 0;
        return refuse(error, is_beginning ? TP_TRUNCATED : TP_USAGE, lines, is_beginning ? "it ends in its head" : "it is no report of 'tickproof verify --report'");
    }
    if (lines->is_torn) {
        return refuse(error, TP_TRUNCATED, lines, "it ends in its head");
    }
    cJSON     *object = reportline_parse(lines->text, lines->size, error);
    tp_verdict verdict = TP_VERIFIED;
    if (object == NULL) {
        verdict = refuse(error, TP_CORRUPT, lines, "its head is damaged");
    } else if (!reportline_take_u64(object, "tickproof_report", UINT64_MAX, &version) || version != 1) {
        verdict = refuse(error, TP_INCOMPATIBLE, lines, "its format has another version than 1: merge it with the program that wrote it");
    } else if (!take_head(object, head)) {
        verdict = refuse(error, TP_CORRUPT, lines, "its head is damaged");
    }
    cJSON_Delete(object);
    return verdict;
}

tp_verdict shardreport_read_head(FILE *file, ShardHead *head, tp_error *error)
{
    ReportLines *lines = calloc(1, sizeof(*lines));
    if (lines == NULL) {
        tp_error_set(error, "out of memory");
        return TP_INTERNAL;
    }
    lines->file = file;
    tp_verdict verdict = read_head(lines, head, error);
    free(lines);
    return verdict;
}

static void hash_line(Reading *reading)
{
    reading->lines->text[reading->lines->size] = '\n';
    crypto_generichash_update(&reading->hash, (const uint8_t *)reading->lines->text, reading->lines->size + 1);
    reading->lines->text[reading->lines->size] = '\0';
}

static tp_verdict take_line(Reading *reading, const cJSON *object)
{
    ShardLine line = { 0 };
    tp_error  why;
    line.path = reportline_take_text(object, "path", REPORTLINE_PATH_MAX);
    bool is_good = line.path != NULL && line.path[0] != '\0' && reportline_take_u64(object, "index", SHARD_FILES_MAX, &line.index) &&
                   reportline_take_u64(object, "size", UINT64_MAX, &line.size);
    size_t members = (size_t)cJSON_GetArraySize(object);
    if (!is_good) {
        free(line.path);
        return refuse(reading->error, TP_CORRUPT, reading->lines, "it has no path, index or size");
    }
    if (!reportline_take(object, &line.file, &why) || members != (line.file.has_proof ? 5u : 4u)) {
        free(line.path);
        return refuse(reading->error, TP_CORRUPT, reading->lines, members > 5 || members < 4 ? "it has other members than a report has" : why.text);
    }
    report_count(&reading->totals, &line.file);
    // The path is the receiver's.
    if (!reading->to->line(reading->to->to, &line, &why)) {
        return refuse(reading->error, TP_CORRUPT, reading->lines, why.text);
    }
    return TP_VERIFIED;
}

// As text: another way to write the same hash would be a change, too.
static bool is_hash_right(Reading *reading)
{
    uint8_t     made[REPORTLINE_HASH_SIZE];
    char        digits[2 * REPORTLINE_HASH_SIZE + 1];
    size_t      size = reading->lines->size;
    if (size < REPORTLINE_SEAL_SIZE) {
        return false;
    }
    const char *seal = reading->lines->text + size - REPORTLINE_SEAL_SIZE;
    crypto_generichash_update(&reading->hash, (const uint8_t *)reading->lines->text, size - REPORTLINE_SEAL_SIZE);
    crypto_generichash_final(&reading->hash, made, sizeof(made));
    sodium_bin2hex(digits, sizeof(digits), made, sizeof(made));
    return memcmp(seal, ",\"hash\":\"", 9) == 0 && memcmp(seal + 9, digits, 2 * REPORTLINE_HASH_SIZE) == 0 && memcmp(seal + REPORTLINE_SEAL_SIZE - 2, "\"}", 2) == 0;
}

static tp_verdict take_end(Reading *reading, const cJSON *object)
{
    uint64_t counts[SHARDREPORT_COUNTS];
    uint64_t said = 0;
    if (!is_hash_right(reading)) {
        return refuse(reading->error, TP_CORRUPT, reading->lines, "the hash over the report does not hold: something in it was changed");
    }
    shardreport_counts(&reading->totals, counts);
    for (size_t i = 0; i < SHARDREPORT_COUNTS; i++) {
        if (!reportline_take_u64(object, shardreport_count_name(i), UINT64_MAX, &said) || said != counts[i]) {
            return refuse(reading->error, TP_CORRUPT, reading->lines, "its counts are not those of its lines");
        }
    }
    if (!reportline_take_u64(object, "milliseconds", UINT64_MAX, reading->milliseconds)) {
        return refuse(reading->error, TP_CORRUPT, reading->lines, "it has no time");
    }
    if (reportline_next(reading->lines)) {
        return refuse(reading->error, TP_CORRUPT, reading->lines, "something follows its end");
    }
    return TP_VERIFIED;
}

static tp_verdict read_lines(Reading *reading)
{
    ReportLines *lines = reading->lines;
    for (;;) {
        hash_line(reading); // the one before: of the last line only a part belongs to the hash
        if (!reportline_next(lines)) {
            return refuse(reading->error, TP_TRUNCATED, lines, "the report is torn: its end is missing, so its verification never finished");
        }
        if (lines->is_torn) {
            return refuse(reading->error, TP_TRUNCATED, lines, "the report is torn: it ends in this line, so its verification never finished");
        }
        if (lines->is_long) {
            return refuse(reading->error, TP_CORRUPT, lines, "it is longer than a line of a report can be");
        }
        cJSON *object = reportline_parse(lines->text, lines->size, reading->error);
        if (object == NULL) {
            return refuse(reading->error, TP_CORRUPT, lines, "it is damaged");
        }
        bool is_end = cJSON_GetObjectItemCaseSensitive(object, "end") != NULL;
        tp_verdict verdict = is_end ? take_end(reading, object) : take_line(reading, object);
        cJSON_Delete(object);
        if (is_end || verdict != TP_VERIFIED) {
            return verdict;
        }
    }
}

tp_verdict shardreport_read(FILE *file, ShardHead *head, const ShardLines *lines, uint64_t *milliseconds, tp_error *error)
{
    Reading reading = { .lines = calloc(1, sizeof(*reading.lines)), .to = lines, .error = error, .milliseconds = milliseconds };
    if (reading.lines == NULL) {
        tp_error_set(error, "out of memory");
        return TP_INTERNAL;
    }
    reading.lines->file = file;
    crypto_generichash_init(&reading.hash, NULL, 0, REPORTLINE_HASH_SIZE);
    tp_verdict verdict = read_head(reading.lines, head, error);
    if (verdict == TP_VERIFIED) {
        verdict = read_lines(&reading);
    }
    free(reading.lines);
    return verdict;
}
