// jsonlines.c: the text again, by the tree that was made of it.
#include "jsonlines.h"

#include <string.h>

typedef struct {
    const char *text;
    size_t      size, at;
    int         line; // of `at`, from 1
} Walk;

static void step(Walk *walk)
{
    walk->line += walk->text[walk->at] == '\n';
    walk->at++;
}

// From the opening quote behind the closing one, or to the end of the text. True: an escaped NUL is in it.
static bool skip_string(Walk *walk)
{
    bool has_nul = false;
    step(walk);
    while (walk->at < walk->size && walk->text[walk->at] != '"') {
        if (walk->text[walk->at] == '\\') {
            has_nul = has_nul || (walk->size - walk->at >= 6 && memcmp(walk->text + walk->at, "\\u0000", 6) == 0);
            step(walk);
        }
        if (walk->at < walk->size) {
            step(walk);
        }
    }
    if (walk->at < walk->size) {
        step(walk);
    }
    return has_nul;
}

bool jsonlines_check(const char *text, size_t size, int depth_max, int *line, tp_error *error)
{
    Walk walk = { .text = text, .size = size, .line = 1 };
    int  depth = 0;
    while (walk.at < size) {
        char letter = text[walk.at];
        *line = walk.line;
        if (letter == '"') {
            if (skip_string(&walk)) {
                return tp_error_set(error, "\\u0000 is not legal here");
            }
            continue;
        }
        depth += letter == '{' || letter == '[' ? 1 : letter == '}' || letter == ']' ? -1 : 0;
        if (depth > depth_max) {
            return tp_error_set(error, "brackets are nested deeper than %d", depth_max);
        }
        step(&walk);
    }
    return true;
}

// What cJSON takes for white space.
static void skip_space(Walk *walk)
{
    while (walk->at < walk->size && (unsigned char)walk->text[walk->at] <= ' ') {
        step(walk);
    }
}

static bool take(Walk *walk, char letter)
{
    skip_space(walk);
    if (walk->at < walk->size && walk->text[walk->at] == letter) {
        step(walk);
        return true;
    }
    return false;
}

// A string, or a number or word up to what ends one.
static void skip_scalar(Walk *walk)
{
    skip_space(walk);
    if (walk->at < walk->size && walk->text[walk->at] == '"') {
        skip_string(walk);
        return;
    }
    while (walk->at < walk->size && (unsigned char)walk->text[walk->at] > ' ' && strchr(",:]}", walk->text[walk->at]) == NULL) {
        step(walk);
    }
}

// Recursive, since the depth was checked.
static bool mark(Walk *walk, cJSON *item)
{
    bool is_object = cJSON_IsObject(item);
    if (!is_object && !cJSON_IsArray(item)) {
        skip_scalar(walk);
        return true;
    }
    if (!take(walk, is_object ? '{' : '[')) {
        return false;
    }
    for (cJSON *child = item->child; child != NULL; child = child->next) {
        skip_space(walk);
        child->valueint = walk->line;
        if (is_object) {
            skip_scalar(walk);
            if (!take(walk, ':')) {
                return false;
            }
        }
        if (!mark(walk, child) || (child->next != NULL && !take(walk, ','))) {
            return false;
        }
    }
    return take(walk, is_object ? '}' : ']');
}

bool jsonlines_mark(cJSON *root, const char *text, size_t size)
{
    Walk walk = { .text = text, .size = size, .line = 1 };
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        walk.at = 3; // cJSON passes over the byte order mark that some editors write
    }
    skip_space(&walk);
    root->valueint = walk.line;
    bool is_whole = mark(&walk, root);
    skip_space(&walk);
    return is_whole && walk.at == size;
}

int jsonlines_of(const cJSON *item)
{
    return item->valueint;
}
