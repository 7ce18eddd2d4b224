// jsonin.h: JSON from people and files, parsed by cJSON. Numbers are kept as their text, because cJSON would turn
// them into floating point, which has no room for 64 bits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "tickproof/layout.h"

/// NULL when it is not exactly one JSON value: `error` says what, `line` (from 1) where.
/// \u0000 is refused: no string or key is cut short by one. Free with cJSON_Delete.
cJSON *jsonin_parse(const char *text, size_t size, int *line, tp_error *error);

bool        jsonin_is_number(const cJSON *item);
bool        jsonin_is_text(const cJSON *item);
/// The number as it was written, the string in quotes, "true", "null", "an object", "an array" or, for NULL, "nothing":
/// for messages. Valid until the next call.
const char *jsonin_text(const cJSON *item);

/// False: not a whole number, or it does not fit.
bool jsonin_u64(const cJSON *item, uint64_t *out);
bool jsonin_i64(const cJSON *item, int64_t *out);
/// A decimal that fixed point with `fraction` binary digits holds exactly, as raw bits.
bool jsonin_fixed(const cJSON *item, unsigned fraction, int64_t *raw);
/// Two hexadecimal digits a byte. False: not such a string, or more than `capacity` bytes.
bool jsonin_hex(const cJSON *item, uint8_t *bytes, size_t capacity, size_t *size);

/// The first key that comes twice, or NULL. Objects are foreign: a hundred thousand keys take no more than a moment.
const char *jsonin_twice(const cJSON *object);
/// Line (from 1) where the key first stands in quotes; 1 when it does not.
int jsonin_line_of_key(const char *text, size_t size, const char *key);
