// journal_line.c: one entry of a journal as a line, and back.
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "reportline.h"
#include "textout.h"

static void make_seal(const char *line, size_t size, uint8_t hash[REPORTLINE_HASH_SIZE])
{
    crypto_generichash(hash, REPORTLINE_HASH_SIZE, (const uint8_t *)line, size, NULL, 0);
}

// The line's own hash stands at its end, so most damage is found without parsing anything.
static bool is_seal_right(const char *line, size_t size)
{
    uint8_t made[REPORTLINE_HASH_SIZE];
    char    digits[2 * REPORTLINE_HASH_SIZE + 1];
    if (size < REPORTLINE_SEAL_SIZE + 2) {
        return false;
    }
    const char *seal = line + size - REPORTLINE_SEAL_SIZE;
    make_seal(line, size - REPORTLINE_SEAL_SIZE, made);
    sodium_bin2hex(digits, sizeof(digits), made, sizeof(made));
    return memcmp(seal, ",\"hash\":\"", 9) == 0 && memcmp(seal + 9, digits, 2 * REPORTLINE_HASH_SIZE) == 0 && memcmp(line + size - 2, "\"}", 2) == 0;
}

bool journal_take_line(const char *line, size_t size, JournalEntry *entry, BatchFile *file)
{
    tp_error error;
    uint64_t predecessor = 0;
    *entry = (JournalEntry){ 0 };
    cJSON *object = is_seal_right(line, size) ? reportline_parse(line, size, &error) : NULL;
    if (object != NULL) {
        entry->path = reportline_take_text(object, "path", REPORTLINE_PATH_MAX);
    }
    bool is_good = entry->path != NULL && reportline_take_u64(object, "size", UINT64_MAX, &entry->size) &&
                   reportline_take_u64(object, "modified_ns", UINT64_MAX, &entry->modified_ns) &&
                   reportline_take_u64(object, "predecessor", 1, &predecessor) && reportline_take_hash(object, "content", entry->content) &&
                   reportline_take(object, file, &error);
    entry->has_predecessor = predecessor == 1;
    cJSON_Delete(object);
    if (!is_good) {
        free(entry->path);
        entry->path = NULL;
    }
    return is_good;
}

void journal_put_line(FILE *memory, char **text, const size_t *size, const JournalEntry *entry, const BatchFile *file)
{
    uint8_t hash[REPORTLINE_HASH_SIZE];
    fputc('{', memory);
    reportline_put_text(memory, true, "path", file->path);
    textout_u64_member(memory, false, "size", entry->size);
    textout_u64_member(memory, false, "modified_ns", entry->modified_ns);
    textout_u64_member(memory, false, "predecessor", entry->has_predecessor ? 1 : 0);
    textout_hex_member(memory, false, "content", entry->content, sizeof(entry->content));
    reportline_put(memory, file);
    // A flush shows what is there so far.
    if (fflush(memory) == 0) {
        make_seal(*text, *size, hash);
        textout_hex_member(memory, false, "hash", hash, sizeof(hash));
        fputs("}\n", memory);
    }
}
