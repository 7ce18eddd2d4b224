// reportline.h: a file's whole report as one line of JSON, and back, bit for bit: what shard reports and journals are made of. The
// line is for this program; the format json is for everybody else.
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "batch.h"

enum {
    REPORTLINE_SIZE_MAX = 65536, ///< of any line in a shard report or journal
    REPORTLINE_PATH_MAX = 8192,  ///< letters of a path: twice as many digits, and the rest, fit into a line
    REPORTLINE_HASH_SIZE = 32,
    REPORTLINE_SEAL_SIZE = 9 + 2 * REPORTLINE_HASH_SIZE + 2, ///< ,"hash":"..."}
};

/// "key":"text", or "key.hex":"digits" when the text has control characters or is not UTF-8.
void reportline_put_text(FILE *out, bool is_first, const char *key, const char *text);
/// Of an object; the text must fit, too. NULL: it is not there, or not such a text. Free it.
char *reportline_take_text(const cJSON *object, const char *key, size_t size_max);

/// ,"report":{...} and, when there is one, ,"proof":{...}.
void reportline_put(FILE *out, const BatchFile *file);
/// The same from an object's members; `file->path` stays. Foreign: each field must be there, and be one that a verification can come to. False: `error` says
/// which is not.
bool reportline_take(const cJSON *object, BatchFile *file, tp_error *error);

/// One line without its end as an object whose keys are all different, or NULL: `error` says what it is instead.
cJSON *reportline_parse(const char *line, size_t size, tp_error *error);
/// Whether the number is there and fits.
bool reportline_take_u64(const cJSON *object, const char *key, uint64_t max, uint64_t *value);
bool reportline_take_hash(const cJSON *object, const char *key, uint8_t hash[REPORTLINE_HASH_SIZE]);

/// Reads a file by lines of bounded size.
typedef struct {
    FILE  *file;
    size_t number; ///< of the last line, from 1
    size_t offset; ///< of its first byte
    size_t size;   ///< without its end
    bool   is_long; ///< longer than REPORTLINE_SIZE_MAX
    bool   is_torn; ///< the file ends in it
    char   text[REPORTLINE_SIZE_MAX + 2];
} ReportLines;

/// False at the end of the file. A long or torn line is true once, and then false for ever.
bool reportline_next(ReportLines *lines);
