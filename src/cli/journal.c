// journal.c: what is kept of a journal in memory is where its entries are; the entries themselves are read again when they are asked for.
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "reportline.h"

#define MAGIC "{\"tickproof_journal\":"
enum { HEAD_SIZE_MAX = 512, LOCK_TRIES = 50 };

typedef struct {
    uint64_t key;    // of the path
    uint64_t offset; // of the line in the file
    uint32_t size;
    uint32_t number; // a later one counts
} Place;

// What a file was when its verification began.
typedef struct {
    uint64_t size, modified_ns;
    bool     is_noted, has_predecessor, is_known;
} Note;

struct Journal {
    int      fd;
    char    *path;
    Place   *places;
    size_t   place_count, place_capacity;
    Note    *notes;
    size_t   note_count;
    size_t   known;
    uint64_t known_ticks;
    int      failure; // errno of the first
};

static uint64_t key_of(const char *path)
{
    uint8_t bytes[16];
    uint64_t key = 0;
    crypto_generichash(bytes, sizeof(bytes), (const uint8_t *)path, strlen(path), NULL, 0);
    memcpy(&key, bytes, sizeof(key));
    return key;
}

static bool stat_file(const char *path, uint64_t *size, uint64_t *modified_ns)
{
    struct stat status;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    *size = (uint64_t)status.st_size;
    *modified_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return true;
}

static bool keep_place(Journal *journal, const char *path, const ReportLines *lines)
{
    if (journal->place_count == journal->place_capacity) {
        size_t capacity = journal->place_capacity == 0 ? 256 : journal->place_capacity * 2;
        Place *grown = realloc(journal->places, capacity * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        journal->places = grown;
        journal->place_capacity = capacity;
    }
    journal->places[journal->place_count++] =
        (Place){ .key = key_of(path), .offset = lines->offset, .size = (uint32_t)lines->size, .number = (uint32_t)lines->number };
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const Place *left = a;
    const Place *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

// Lines that do not hold are passed over: what they were about is verified again.
static bool read_entries(Journal *journal, ReportLines *lines)
{
    JournalEntry entry;
    BatchFile    file;
    bool         is_fine = true;
    while (is_fine && reportline_next(lines) && !lines->is_long && !lines->is_torn) {
        if (journal_take_line(lines->text, lines->size, &entry, &file)) {
            is_fine = keep_place(journal, entry.path, lines);
            free(entry.path);
        }
    }
    if (journal->place_count > 0) {
        qsort(journal->places, journal->place_count, sizeof(Place), compare_places);
    }
    return is_fine;
}

static bool write_all(Journal *journal, const char *text, size_t size)
{
    while (size > 0 && journal->failure == 0) {
        ssize_t written = write(journal->fd, text, size);
        if (written < 0 && errno != EINTR) {
            journal->failure = errno;
        } else if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return journal->failure == 0;
}

static void make_head(char *head, size_t size, const uint8_t question[BATCHID_SIZE])
{
    char digits[2 * BATCHID_SIZE + 1];
    sodium_bin2hex(digits, sizeof(digits), question, BATCHID_SIZE);
    snprintf(head, size, MAGIC "1,\"version\":\"%s\",\"question\":\"%s\"}", TP_VERSION, digits);
}

static bool begin_anew(Journal *journal, const char *head)
{
    if (ftruncate(journal->fd, 0) != 0) {
        journal->failure = errno;
    }
    write_all(journal, head, strlen(head));
    if (!write_all(journal, "\n", 1)) {
        cli_fail(TP_USAGE, "%s: --resume: writing: %s", journal->path, strerror(journal->failure));
    }
    return journal->failure == 0;
}

// A line that was torn off must not swallow the one that is added next.
static bool end_last_line(Journal *journal)
{
    char  last = '\n';
    off_t size = lseek(journal->fd, 0, SEEK_END);
    return size <= 0 || pread(journal->fd, &last, 1, size - 1) != 1 || last == '\n' || write_all(journal, "\n", 1);
}

static bool take_file(Journal *journal, ReportLines *lines, const char *head)
{
    if (!reportline_next(lines)) {
        return begin_anew(journal, head);
    }
    size_t magic_size = strlen(MAGIC);
    bool   is_ours = lines->size >= magic_size && memcmp(lines->text, MAGIC, magic_size) == 0;
    if (lines->is_torn && lines->size < strlen(head) && memcmp(lines->text, head, lines->size) == 0) {
        return begin_anew(journal, head); // it was killed while it wrote the head
    }
    if (!is_ours || lines->is_torn) {
        cli_fail(TP_USAGE, "%s: --resume: a file is there that is no journal; give another name", journal->path);
        return false;
    }
    if (strcmp(lines->text, head) != 0) {
        cli_fail(TP_USAGE, "%s: --resume: this journal is of other flags, worlds or another build of this program; remove it to begin anew, or give another name", journal->path);
        return false;
    }
    if (!read_entries(journal, lines)) {
        cli_fail(TP_INTERNAL, "%s: --resume: out of memory", journal->path);
        return false;
    }
    return end_last_line(journal);
}

// The processes of a batch that was killed a moment ago still have the file.
static bool lock(int fd)
{
    const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        nanosleep(&pause, NULL);
    }
    return false;
}

static bool open_file(Journal *journal)
{
    struct stat status;
    if (stat(journal->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        cli_fail(TP_USAGE, "%s: --resume: it is no file", journal->path);
        return false;
    }
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (journal->fd < 0) {
        cli_fail(TP_USAGE, "%s: --resume: opening the journal: %s", journal->path, strerror(errno));
        return false;
    }
    if (!lock(journal->fd)) {
        cli_fail(TP_USAGE, "%s: --resume: another batch is writing to this journal; wait for it, or give another name", journal->path);
        return false;
    }
    return true;
}

Journal *journal_open(const char *path, const uint8_t question[BATCHID_SIZE], size_t count)
{
    char         head[HEAD_SIZE_MAX];
    Journal     *journal = calloc(1, sizeof(*journal));
    ReportLines *lines = calloc(1, sizeof(*lines));
    bool         is_fine = false;
    if (journal != NULL && lines != NULL) {
        *journal = (Journal){ .fd = -1, .path = strdup(path), .notes = calloc(count + 1, sizeof(*journal->notes)), .note_count = count };
        make_head(head, sizeof(head), question);
        if (journal->path != NULL && journal->notes != NULL && open_file(journal)) {
            int copy = dup(journal->fd);
            lines->file = copy < 0 ? NULL : fdopen(copy, "r");
            is_fine = lines->file != NULL && take_file(journal, lines, head);
            if (lines->file != NULL) {
                fclose(lines->file);
            }
        }
    }
    free(lines);
    if (!is_fine) {
        journal_close(journal);
        return NULL;
    }
    return journal;
}

// The last entry of this name, read from the file. False: there is none.
static bool find_entry(const Journal *journal, const char *path, JournalEntry *entry, BatchFile *file)
{
    uint64_t key = key_of(path);
    size_t   low = 0;
    size_t   high = journal->place_count;
    char    *line = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (journal->places[middle].key <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // `low` is behind the last one of this key.
    if (low == 0 || journal->places[low - 1].key != key) {
        return false;
    }
    const Place *place = &journal->places[low - 1];
    line = malloc(place->size + 1);
    bool is_read = line != NULL && pread(journal->fd, line, place->size, (off_t)place->offset) == (ssize_t)place->size;
    if (is_read) {
        line[place->size] = '\0';
    }
    bool is_found = is_read && journal_take_line(line, place->size, entry, file);
    if (is_found && strcmp(entry->path, path) != 0) {
        free(entry->path);
        is_found = false;
    }
    free(line);
    return is_found;
}

bool journal_knows(Journal *journal, size_t index, bool has_predecessor, BatchFile *file)
{
    JournalEntry entry;
    BatchFile    found = { .path = file->path };
    Note        *note = &journal->notes[index];
    uint8_t      content[BATCHID_SIZE];
    note->is_noted = stat_file(file->path, &note->size, &note->modified_ns);
    note->has_predecessor = has_predecessor;
    if (!note->is_noted || !find_entry(journal, file->path, &entry, &found)) {
        return false;
    }
    // Size and time only save reading what has changed: the bytes decide.
    bool is_same = entry.size == note->size && entry.modified_ns == note->modified_ns && entry.has_predecessor == has_predecessor &&
                   batchid_of_file(file->path, content) && memcmp(content, entry.content, sizeof(content)) == 0;
    free(entry.path);
    if (is_same) {
        *file = found;
        note->is_known = true;
        journal->known++;
        journal->known_ticks += found.report.stepped;
    }
    return is_same;
}

static bool is_for_good(tp_verdict verdict)
{
    switch (verdict) {
    case TP_VERIFIED:
    case TP_DIVERGED:
    case TP_CORRUPT:
    case TP_TRUNCATED:
    case TP_INCOMPATIBLE:
    case TP_UNVERIFIABLE:
    case TP_UNAUTHENTIC: return true;
    case TP_INCOMPLETE:
    case TP_USAGE:
    case TP_INTERNAL: return false;
    }
    return false;
}

static void write_entry(Journal *journal, const Note *note, const uint8_t content[BATCHID_SIZE], const BatchFile *file)
{
    char        *text = NULL;
    size_t       size = 0;
    FILE        *line = open_memstream(&text, &size);
    JournalEntry entry = { .size = note->size, .modified_ns = note->modified_ns, .has_predecessor = note->has_predecessor };
    memcpy(entry.content, content, sizeof(entry.content));
    if (line != NULL) {
        journal_put_line(line, &text, &size, &entry, file);
    }
    if (line == NULL || fclose(line) != 0) {
        journal->failure = journal->failure == 0 ? ENOMEM : journal->failure;
    } else {
        write_all(journal, text, size); // in one piece: whoever is killed meanwhile leaves a whole line, or a torn one
    }
    free(text);
}

void journal_add(Journal *journal, size_t index, const BatchFile *file)
{
    const Note *note = &journal->notes[index];
    uint64_t    size = 0;
    uint64_t    modified_ns = 0;
    uint8_t     content[BATCHID_SIZE];
    bool        is_final = is_for_good(file->report.verdict) && (file->report.verdict == TP_VERIFIED || !batch_is_stopping());
    if (!note->is_noted || note->is_known || !is_final || strlen(file->path) > REPORTLINE_PATH_MAX) {
        return;
    }
    bool is_same = stat_file(file->path, &size, &modified_ns) && size == note->size && modified_ns == note->modified_ns &&
                   batchid_of_file(file->path, content);
    if (is_same) {
        write_entry(journal, note, content, file);
    }
}

size_t journal_count_known(const Journal *journal)
{
    return journal->known;
}

uint64_t journal_ticks_known(const Journal *journal)
{
    return journal->known_ticks;
}

bool journal_close(Journal *journal)
{
    bool is_fine = true;
    if (journal == NULL) {
        return true;
    }
    if (journal->fd >= 0) {
        if (fsync(journal->fd) != 0 && journal->failure == 0) {
            journal->failure = errno;
        }
        close(journal->fd);
    }
    if (journal->failure != 0) {
        cli_fail(TP_USAGE, "%s: --resume: writing: %s; what is missing there will be verified again", journal->path, strerror(journal->failure));
        is_fine = false;
    }
    free(journal->places);
    free(journal->notes);
    free(journal->path);
    free(journal);
    return is_fine;
}
