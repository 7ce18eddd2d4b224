// shardreport.c: writing.
#include "shardreport.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "shardreport_format.h"
#include "textout.h"

struct ShardWriter {
    int                      fd;
    char                    *path;
    int                      failure; // errno of the first
    crypto_generichash_state hash;
    ReportTotals             totals;
};

// Every line is made in memory first, and both hashed and written from there.
static void write_line(ShardWriter *writer, const char *text, size_t size)
{
    crypto_generichash_update(&writer->hash, (const uint8_t *)text, size);
    while (size > 0 && writer->failure == 0) {
        ssize_t written = write(writer->fd, text, size);
        if (written < 0 && errno != EINTR) {
            writer->failure = errno;
        } else if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
}

static void finish_line(ShardWriter *writer, FILE *line, char **text, size_t *size)
{
    if (line == NULL || fclose(line) != 0 || *text == NULL) {
        writer->failure = ENOMEM;
    } else {
        write_line(writer, *text, *size);
    }
    free(*text);
}

static FILE *begin_line(char **text, size_t *size)
{
    *text = NULL;
    return open_memstream(text, size);
}

// Nothing is lost by replacing an older report; anything else may be what somebody needs.
static bool may_replace(int fd, const struct stat *status)
{
    char    head[sizeof(SHARDREPORT_MAGIC) - 1];
    ssize_t got = pread(fd, head, sizeof(head), 0);
    return S_ISREG(status->st_mode) && (status->st_size == 0 || (got == (ssize_t)sizeof(head) && memcmp(head, SHARDREPORT_MAGIC, sizeof(head)) == 0));
}

static int open_new(const char *path)
{
    struct stat status;
    struct stat before;
    // By name first: opening alone does something to pipes and devices.
    if (stat(path, &before) == 0 && !S_ISREG(before.st_mode)) {
        cli_fail(TP_USAGE, "%s: --report: it is no file", path);
        return -1;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd < 0 || fstat(fd, &status) != 0) {
        cli_fail(TP_USAGE, "%s: --report: making the file: %s", path, strerror(errno));
    } else if (!may_replace(fd, &status)) {
        cli_fail(TP_USAGE, "%s: --report: a file is there that is no report; give another name", path);
    } else if (ftruncate(fd, 0) != 0) {
        cli_fail(TP_USAGE, "%s: --report: emptying the older report: %s", path, strerror(errno));
    } else {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static void write_head(ShardWriter *writer, const ShardHead *head)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *line = begin_line(&text, &size);
    if (line != NULL) {
        fputs(SHARDREPORT_MAGIC "1", line);
        textout_json_member(line, false, "version", TP_VERSION);
        textout_u64_member(line, false, "shard", head->shard.number);
        textout_u64_member(line, false, "shards", head->shard.count);
        textout_u64_member(line, false, "files", head->files);
        textout_u64_member(line, false, "operands_failed", head->operands_failed);
        textout_hex_member(line, false, "list", head->list, sizeof(head->list));
        textout_hex_member(line, false, "question", head->question, sizeof(head->question));
        fputs("}\n", line);
    }
    finish_line(writer, line, &text, &size);
}

ShardWriter *shardreport_create(const char *path, const ShardHead *head)
{
    ShardWriter *writer = calloc(1, sizeof(*writer));
    char        *copy = strdup(path);
    int          fd = writer == NULL || copy == NULL ? -1 : open_new(path);
    if (fd < 0) {
        free(writer);
        free(copy);
        return NULL;
    }
    writer->fd = fd;
    writer->path = copy;
    crypto_generichash_init(&writer->hash, NULL, 0, REPORTLINE_HASH_SIZE);
    write_head(writer, head);
    return writer;
}

void shardreport_add(ShardWriter *writer, uint64_t index, uint64_t size, const BatchFile *file)
{
    char  *text = NULL;
    size_t text_size = 0;
    FILE  *line = begin_line(&text, &text_size);
    report_count(&writer->totals, file);
    if (line != NULL) {
        fputc('{', line);
        textout_u64_member(line, true, "index", index);
        textout_u64_member(line, false, "size", size);
        reportline_put_text(line, false, "path", file->path);
        reportline_put(line, file);
        fputs("}\n", line);
    }
    finish_line(writer, line, &text, &text_size);
}

static void write_end(ShardWriter *writer, double seconds)
{
    char    *text = NULL;
    size_t   size = 0;
    uint8_t  hash[REPORTLINE_HASH_SIZE];
    uint64_t counts[SHARDREPORT_COUNTS];
    FILE    *line = begin_line(&text, &size);
    shardreport_counts(&writer->totals, counts);
    if (line != NULL) {
        fputs("{\"end\":true", line);
        for (size_t i = 0; i < SHARDREPORT_COUNTS; i++) {
            textout_u64_member(line, false, shardreport_count_name(i), counts[i]);
        }
        textout_u64_member(line, false, "milliseconds", seconds <= 0 ? 0 : (uint64_t)(seconds * 1000));
    }
    finish_line(writer, line, &text, &size);
    crypto_generichash_final(&writer->hash, hash, sizeof(hash));
    line = begin_line(&text, &size);
    if (line != NULL) {
        textout_hex_member(line, false, "hash", hash, sizeof(hash));
        fputs("}\n", line);
    }
    crypto_generichash_init(&writer->hash, NULL, 0, REPORTLINE_HASH_SIZE); // of no more use, but a line is always hashed
    finish_line(writer, line, &text, &size);
}

bool shardreport_end(ShardWriter *writer, double seconds)
{
    write_end(writer, seconds);
    if (writer->failure == 0 && fsync(writer->fd) != 0) {
        writer->failure = errno;
    }
    bool is_fine = writer->failure == 0;
    if (!is_fine) {
        cli_fail(TP_USAGE, "%s: --report: writing: %s; the report is torn", writer->path, strerror(writer->failure));
    }
    shardreport_abandon(writer);
    return is_fine;
}

void shardreport_abandon(ShardWriter *writer)
{
    if (writer != NULL) {
        close(writer->fd);
        free(writer->path);
        free(writer);
    }
}
