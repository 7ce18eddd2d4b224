// jsonlines.h: on which line each value of a parsed JSON text stands. cJSON does not say, and looking for a key's name finds the
// first of many. No files, no memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "tickproof/layout.h"

/// Before parsing: brackets at most `depth_max` deep, and no escaped NUL, which would end a string early for whoever reads it with
/// C. False: the reason, and its line from 1. Whether the rest is JSON is not asked.
bool jsonlines_check(const char *text, size_t size, int depth_max, int *line, tp_error *error);

/// Walks the text beside the tree that jsonin_parse made of it and marks every item with its line: a member's is its key's.
/// The mark lies in `valueint`, which has no other use here since jsonin keeps numbers as text. False: text and tree do not belong
/// together.
bool jsonlines_mark(cJSON *root, const char *text, size_t size);
/// Line (from 1) of an item of a marked tree.
int  jsonlines_of(const cJSON *item);
