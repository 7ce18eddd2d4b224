// test_reportline.c: a report as a line and back; a shard's whole report, where no bit may be another; who gets which files.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal.h"
#include "reportline.h"
#include "shard.h"
#include "shardreport.h"

enum { LOGS = 5 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 16;
}

// Every byte another, and the choices legal: what is not carried over differs.
static BatchFile make_file(uint64_t seed, bool has_proof)
{
    BatchFile file = { .path = "logs/one.tpr", .has_proof = has_proof };
    uint8_t  *bytes = (uint8_t *)&file.report;
    for (size_t i = 0; i < sizeof(file.report); i++) {
        bytes[i] = (uint8_t)(next_random(&seed) | 1);
    }
    tp_report *report = &file.report;
    report->verdict = TP_DIVERGED;
    report->end_reason = TP_END_ROTATED;
    report->gap_cause = TP_GAP_OVERLOAD;
    report->log_status = TP_LOG_CORRUPT;
    report->inputs_equal = TP_NO;
    report->events_equal = TP_YES;
    report->root_size = 7;
    report->checked = 5;
    report->recorded = 6;
    report->has_end = report->has_fault = report->is_signed = report->is_end_signed = report->is_trusted = true;
    snprintf(report->message, sizeof(report->message), "first \"bad\" tick %llu: \xC3\xA4\\", (unsigned long long)seed);
    snprintf(report->world, sizeof(report->world), "runner");
    snprintf(report->section, sizeof(report->section), "players");
    snprintf(report->field, sizeof(report->field), "players[1].\xFFlane");
    snprintf(report->field_expected, sizeof(report->field_expected), "line\nbreak");
    snprintf(report->field_actual, sizeof(report->field_actual), "\x01");
    for (int i = 0; i < 10 && has_proof; i++) {
        file.proof.tried_kind[i] = file.proof.caught_kind[i] = next_random(&seed);
    }
    file.proof.tried = has_proof ? UINT64_MAX : 0;
    file.proof.caught = has_proof ? 3 : 0;
    file.proof.seed = has_proof ? 4 : 0;
    snprintf(file.proof.survivor, sizeof(file.proof.survivor), "%s", has_proof ? "inputs" : "");
    return file;
}

// Not inlined: gcc 12 would take the address of `text`, which the stream has, for one that outlives it.
static __attribute__((noinline)) char *line_of(const BatchFile *file)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *memory = open_memstream(&text, &size);
    fputs("{\"a\":1", memory);
    reportline_put(memory, file);
    fputc('}', memory);
    fclose(memory);
    return text;
}

static bool take(const char *line, BatchFile *file)
{
    tp_error error;
    cJSON   *object = reportline_parse(line, strlen(line), &error);
    bool     is_good = object != NULL && reportline_take(object, file, &error);
    cJSON_Delete(object);
    return is_good;
}

// A number or text that the table forgets is found by the bytes it leaves; test_batch.py asks the header for the names of all.
static size_t count_differing(const BatchFile *a, const BatchFile *b)
{
    const uint8_t *left = (const uint8_t *)&a->report;
    const uint8_t *right = (const uint8_t *)&b->report;
    size_t         count = 0;
    size_t         run = 0;
    for (size_t i = 0; i < sizeof(a->report); i++) {
        run = left[i] != right[i] && right[i] == 0 ? run + 1 : 0;
        count = run > count ? run : count;
    }
    return count;
}

// Goal: nothing of a report is lost on the way through a line.
Test(reportline, comes_back_as_it_was)
{
    for (uint64_t seed = 1; seed < 200; seed++) {
        BatchFile file = make_file(seed, seed % 2 == 0);
        BatchFile back = { .path = file.path };
        char     *line = line_of(&file);
        cr_assert(strchr(line, '\n') == NULL);
        cr_assert(take(line, &back));
        char *again = line_of(&back);
        cr_assert_str_eq(line, again);
        cr_assert_eq(back.report.suspect_tick, file.report.suspect_tick);
        cr_assert_str_eq(back.report.field, file.report.field);
        cr_assert_str_eq(back.report.field_expected, file.report.field_expected);
        cr_assert_eq(memcmp(back.report.actual_root, file.report.actual_root, 16), 0);
        // Texts end at their zero: the longest is what may be left, and only padding (less than 8 bytes) besides.
        memset(file.report.message, 0, sizeof(file.report.message));
        memset(file.report.world, 0, sizeof(file.report.world));
        memset(file.report.section, 0, sizeof(file.report.section));
        memset(file.report.field, 0, sizeof(file.report.field));
        memset(file.report.field_expected, 0, sizeof(file.report.field_expected));
        memset(file.report.field_actual, 0, sizeof(file.report.field_actual));
        cr_assert_lt(count_differing(&file, &back), 8, "a member of tp_report is not in the table of reportline.c");
        free(line);
        free(again);
    }
}

// Goal: a line that lacks a member, has one twice, one more, or a value that no verification comes to, is none.
Test(reportline, refuses_what_is_no_report)
{
    static const char *const changes[][2] = {
        { "\"verdict\":1", "\"verdict\":9" }, { "\"verdict\":1", "\"verdict\":0" }, { "\"verdict\":1", "\"verdict\":\"1\"" }, { "\"verdict\":1,", "" },
        { "\"end_reason\":4", "\"end_reason\":5" }, { "\"root_size\":7", "\"root_size\":17" }, { "\"inputs_equal\":1", "\"inputs_equal\":3" },
        { "\"has_end\":true", "\"has_end\":1" }, { "\"checked\":5", "\"checked\":7" }, { "\"recorded\":6", "\"recorded\":18446744073709551616" },
        { "\"world\":\"runner\"", "\"world\":\"runner\",\"world\":\"runner\"" }, { "\"world\":\"runner\"", "\"world\":\"runner\",\"more\":1" },
        { "\"world\":\"runner\"", "\"world\":\"a name that is much longer than the names of worlds, sections and fields can be\"" },
        { "\"gap_cause\":3", "\"gap_cause\":-3" }, { "\"log_status\":4", "\"log_status\":9" }, { "\"report\":{", "\"report\":[" },
        { "\"chain\":\"", "\"chain\":\"0" }, { "\"section\":\"players\"", "\"section.hex\":\"00\"" },
    };
    BatchFile file = make_file(7, false);
    BatchFile back;
    char     *line = line_of(&file);
    cr_assert(take(line, &back));
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        static char changed[16384];
        cr_assert(strstr(line, changes[i][0]) != NULL, "%s", changes[i][0]);
        size_t at = (size_t)(strstr(line, changes[i][0]) - line);
        snprintf(changed, sizeof(changed), "%.*s%s%s", (int)at, line, changes[i][1], line + at + strlen(changes[i][0]));
        cr_assert_not(take(changed, &back), "%s", changes[i][1]);
    }
    free(line);
}

typedef struct {
    size_t lines;
} Seen;

static bool see_line(void *to, ShardLine *line, tp_error *error)
{
    Seen *seen = to;
    (void)error;
    seen->lines++;
    free(line->path);
    return true;
}

static tp_verdict read_bytes(const uint8_t *bytes, size_t size, tp_error *error)
{
    Seen             seen = { 0 };
    const ShardLines lines = { .to = &seen, .line = see_line };
    ShardHead        head = { 0 };
    uint64_t         milliseconds = 0;
    FILE            *file = fmemopen((void *)(uintptr_t)bytes, size, "r");
    tp_verdict       verdict = shardreport_read(file, &head, &lines, &milliseconds, error);
    fclose(file);
    cr_assert(verdict != TP_VERIFIED || (seen.lines == LOGS && head.shard.number == 2 && head.files == 9 && milliseconds == 1500));
    return verdict;
}

static uint8_t *make_report(size_t *size)
{
    char      path[] = "/tmp/reportline.XXXXXX";
    int       fd = mkstemp(path);
    ShardHead head = { .shard = { 2, 3 }, .files = 9, .list = { 1 }, .question = { 2 } };
    cr_assert_geq(fd, 0);
    ShardWriter *writer = shardreport_create(path, &head);
    cr_assert_not_null(writer);
    for (uint64_t i = 0; i < LOGS; i++) {
        BatchFile file = make_file(i, i == 1);
        shardreport_add(writer, i, 100 + i, &file);
    }
    cr_assert(shardreport_end(writer, 1.5));
    struct stat status;
    fstat(fd, &status);
    uint8_t *bytes = malloc((size_t)status.st_size + 1);
    *size = (size_t)status.st_size;
    cr_assert_eq(pread(fd, bytes, *size, 0), status.st_size);
    close(fd);
    unlink(path);
    return bytes;
}

// Goal: every cut is torn, and every bit that is another is found.
Test(reportline, a_report_is_whole_or_none, .timeout = 300)
{
    tp_error error;
    size_t   size = 0;
    uint8_t *bytes = make_report(&size);
    cr_assert_eq(read_bytes(bytes, size, &error), TP_VERIFIED);
    for (size_t cut = 1; cut < size; cut++) {
        cr_assert_eq(read_bytes(bytes, cut, &error), TP_TRUNCATED, "cut at %zu: %s", cut, error.text);
    }
    for (size_t i = 0; i < size; i++) {
        uint8_t before = bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (uint8_t)(before ^ (1 << bit));
            cr_assert_neq(read_bytes(bytes, size, &error), TP_VERIFIED, "byte %zu, bit %d", i, bit);
            cr_assert(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
        }
        bytes[i] = before;
    }
    bytes[size] = '\n';
    cr_assert_eq(read_bytes(bytes, size + 1, &error), TP_CORRUPT);
    free(bytes);
}

// Goal: a report takes the place of a report, and of nothing else.
Test(reportline, replaces_only_reports)
{
    char      path[] = "/tmp/reportline.XXXXXX";
    int       fd = mkstemp(path);
    ShardHead head = { .shard = { 1, 1 } };
    for (int i = 0; i < 2; i++) {
        ShardWriter *writer = shardreport_create(path, &head);
        cr_assert_not_null(writer);
        shardreport_abandon(writer);
    }
    cr_assert_eq(ftruncate(fd, 0), 0);
    cr_assert_eq(pwrite(fd, "TICKPROOF", 9, 0), 9);
    cr_assert_null(shardreport_create(path, &head));
    cr_assert_null(shardreport_create("/dev/null", &head));
    cr_assert_null(shardreport_create("/tmp", &head));
    char left[16] = "";
    cr_assert_eq(pread(fd, left, sizeof(left), 0), 9);
    cr_assert_str_eq(left, "TICKPROOF");
    close(fd);
    unlink(path);
}

// Goal: an entry of a journal comes back, and not when one bit of it is another.
Test(reportline, an_entry_is_whole_or_none)
{
    char        *text = NULL;
    size_t       size = 0;
    FILE        *memory = open_memstream(&text, &size);
    BatchFile    file = make_file(3, true);
    BatchFile    back = { 0 };
    JournalEntry entry = { .size = 77, .modified_ns = 1234567890123456789u, .content = { 5 }, .has_predecessor = true };
    JournalEntry found;
    file.path = "odd\xFF\nname.tpr";
    journal_put_line(memory, &text, &size, &entry, &file);
    fclose(memory);
    cr_assert_eq(text[--size], '\n');
    cr_assert(journal_take_line(text, size, &found, &back));
    cr_assert_str_eq(found.path, file.path);
    cr_assert(found.size == 77 && found.modified_ns == entry.modified_ns && found.content[0] == 5 && found.has_predecessor);
    cr_assert_eq(back.report.bad_tick, file.report.bad_tick);
    free(found.path);
    for (size_t i = 0; i < size * 8; i++) {
        text[i / 8] = (char)(text[i / 8] ^ (1 << (i % 8)));
        cr_assert_not(journal_take_line(text, size, &found, &back), "bit %zu", i);
        cr_assert_null(found.path);
        text[i / 8] = (char)(text[i / 8] ^ (1 << (i % 8)));
    }
    for (size_t cut = 0; cut < size; cut++) {
        cr_assert_not(journal_take_line(text, cut, &found, &back));
    }
    free(text);
}

Test(reportline, parts_of_a_whole)
{
    static const char *const wrong[] = { "", "1", "/", "1/", "/2", "0/2", "3/2", "1/1025", "-1/2", "1/2/3", "1 /2", "1/2 ", "12345678901234567/2", "a/b" };
    Shard                    shard = { 0 };
    cr_assert(shard_parse("2/4", &shard) && shard.number == 2 && shard.count == 4);
    cr_assert(shard_parse("1024/1024", &shard));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cr_assert_not(shard_parse(wrong[i], &shard), "'%s'", wrong[i]);
    }
}

// Goal: every file is somebody's, the same one's each time, and nobody has more than the largest file above another.
Test(reportline, sizes_are_balanced)
{
    char     folder[] = "/tmp/reportline.XXXXXX";
    PathList paths = { 0 };
    uint64_t random = 11;
    cr_assert_not_null(mkdtemp(folder));
    for (int i = 0; i < 60; i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%d", folder, i);
        FILE *file = fopen(path, "w");
        cr_assert(file != NULL && ftruncate(fileno(file), (off_t)(next_random(&random) % 100000)) == 0);
        fclose(file);
        files_add(&paths, path);
    }
    files_add(&paths, "/no/such/file");
    for (uint32_t count = 1; count <= 8; count++) {
        ShardPlan plan;
        ShardPlan again;
        uint64_t  loads[9] = { 0 };
        cr_assert(shard_plan(&plan, &paths, count) && shard_plan(&again, &paths, count));
        cr_assert_eq(memcmp(plan.shards, again.shards, plan.count * sizeof(*plan.shards)), 0);
        cr_assert_eq(memcmp(plan.list, again.list, sizeof(plan.list)), 0);
        for (size_t i = 0; i < plan.count; i++) {
            cr_assert(plan.shards[i] >= 1 && plan.shards[i] <= count);
            loads[plan.shards[i]] += plan.sizes[i];
        }
        for (uint32_t i = 1; i <= count; i++) {
            cr_assert_leq(loads[i], loads[1] + 100000);
            cr_assert_leq(loads[1], loads[i] + 100000);
        }
        shard_plan_finish(&plan);
        shard_plan_finish(&again);
    }
    // Another order is another list.
    ShardPlan plan;
    ShardPlan other;
    cr_assert(shard_plan(&plan, &paths, 1));
    char *first = paths.items[0];
    paths.items[0] = paths.items[1];
    paths.items[1] = first;
    cr_assert(shard_plan(&other, &paths, 1));
    cr_assert_neq(memcmp(plan.list, other.list, sizeof(plan.list)), 0);
    shard_plan_finish(&plan);
    shard_plan_finish(&other);
    for (size_t i = 0; i < paths.count; i++) {
        unlink(paths.items[i]);
    }
    rmdir(folder);
    files_finish(&paths);
}
