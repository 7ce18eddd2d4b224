// fuzz_report.c: foreign bytes as a shard's report, and each of their lines as an entry of a journal with the hash redone (or nothing would ever get
// past it). What is taken is written again, and must come back as the same text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "journal.h"
#include "reportline.h"
#include "shardreport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                   \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "fuzz_report: %s does not hold\n", #condition);  \
            abort();                                                         \
        }                                                                    \
    } while (0)

static char *write_again(const BatchFile *file)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *memory = open_memstream(&text, &size);
    REQUIRE(memory != NULL);
    fputs("{\"a\":1", memory);
    reportline_put(memory, file);
    fputc('}', memory);
    fclose(memory);
    REQUIRE(size < REPORTLINE_SIZE_MAX && memchr(text, '\n', size) == NULL);
    return text;
}

static void hold_against_itself(const BatchFile *file)
{
    tp_error  error;
    BatchFile again = { .path = "x" };
    char     *text = write_again(file);
    cJSON    *object = reportline_parse(text, strlen(text), &error);
    REQUIRE(object != NULL && reportline_take(object, &again, &error));
    char *twice = write_again(&again);
    REQUIRE(strcmp(text, twice) == 0);
    REQUIRE(file->report.verdict != TP_VERIFIED || file->report.checked == file->report.recorded);
    cJSON_Delete(object);
    free(text);
    free(twice);
}

static bool take_line(void *to, ShardLine *line, tp_error *error)
{
    size_t *lines = to;
    REQUIRE(line->path != NULL && line->path[0] != '\0' && strlen(line->path) <= REPORTLINE_PATH_MAX);
    hold_against_itself(&line->file);
    free(line->path);
    return ++*lines < 1000 || tp_error_set(error, "enough");
}

static void read_report(const uint8_t *data, size_t size)
{
    size_t           count = 0;
    uint64_t         milliseconds = 0;
    ShardHead        head = { 0 };
    tp_error         error = { "" };
    const ShardLines lines = { .to = &count, .line = take_line };
    FILE            *file = fmemopen((void *)(uintptr_t)data, size, "r");
    REQUIRE(file != NULL);
    tp_verdict verdict = shardreport_read(file, &head, &lines, &milliseconds, &error);
    fclose(file);
    REQUIRE(verdict == TP_VERIFIED || (error.text[0] != '\0' && strchr(error.text, '\n') == NULL));
    REQUIRE(verdict != TP_VERIFIED || (head.shard.number >= 1 && head.shard.number <= head.shard.count));
}

static void read_entry(const uint8_t *data, size_t size)
{
    JournalEntry entry;
    BatchFile    file = { 0 };
    uint8_t      hash[REPORTLINE_HASH_SIZE];
    char         digits[2 * REPORTLINE_HASH_SIZE + 1];
    char        *line = malloc(size + REPORTLINE_SEAL_SIZE + 1);
    REQUIRE(line != NULL);
    memcpy(line, data, size);
    crypto_generichash(hash, sizeof(hash), data, size, NULL, 0);
    sodium_bin2hex(digits, sizeof(digits), hash, sizeof(hash));
    snprintf(line + size, REPORTLINE_SEAL_SIZE + 1, ",\"hash\":\"%s\"}", digits);
    if (journal_take_line(line, size + REPORTLINE_SEAL_SIZE, &entry, &file)) {
        hold_against_itself(&file);
        free(entry.path);
    }
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 20) {
        return 0;
    }
    read_report(data, size);
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t         length = end == NULL ? size - at : (size_t)(end - data) - at;
        // With the hash that it has, and as the body of a new one.
        read_entry(data + at, length);
        read_entry(data + at, length > REPORTLINE_SEAL_SIZE ? length - REPORTLINE_SEAL_SIZE : length);
        read_entry(data + at, length > 0 ? length - 1 : 0);
        at += length + 1;
    }
    return 0;
}
