// jsonin.c: before cJSON sees the text, every number outside a string becomes a string that starts with a byte
// which no legal string can hold, so that its digits survive.
#include "jsonin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

#define NUMBER_MARK '\x01'
enum { FIXED_DIGITS_MAX = 40, KEYS_FEW = 64 };

static int line_at(const char *text, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset; i++) {
        line += text[i] == '\n';
    }
    return line;
}

static bool is_number_letter(char letter)
{
    return letter != '\0' && strchr("+-.0123456789eE", letter) != NULL;
}

typedef struct {
    const char *text;
    size_t      size, at;
    char       *out;
    size_t      used;
    tp_error   *error;
} Quoter;

static int column_at(const char *text, size_t offset)
{
    int column = 1;
    while (offset > 0 && text[--offset] != '\n') {
        column++;
    }
    return column;
}

static bool is_escape(const Quoter *quoter, const char *escape)
{
    size_t length = strlen(escape);
    return quoter->size - quoter->at >= length && memcmp(quoter->text + quoter->at, escape, length) == 0;
}

static bool refuse_letter(const Quoter *quoter)
{
    return tp_error_set(quoter->error, "a control character is not legal here");
}

// Copies a string with its quotes. False, said so, when it holds what JSON forbids.
static bool copy_string(Quoter *quoter)
{
    size_t start = quoter->at;
    quoter->out[quoter->used++] = quoter->text[quoter->at++];
    while (quoter->at < quoter->size) {
        char letter = quoter->text[quoter->at];
        if ((unsigned char)letter < 0x20) {
            return refuse_letter(quoter);
        }
        // The mark could also come in as an escape.
        if (quoter->at == start + 1 && is_escape(quoter, "\\u0001")) {
            return refuse_letter(quoter);
        }
        // Strings end at a zero here: one inside would make two different texts equal.
        if (is_escape(quoter, "\\u0000")) {
            return tp_error_set(quoter->error, "column %d: \\u0000 is not legal here; leave it out", column_at(quoter->text, quoter->at));
        }
        quoter->out[quoter->used++] = letter;
        quoter->at++;
        if (letter == '"') {
            return true;
        }
        if (letter == '\\' && quoter->at < quoter->size) {
            quoter->out[quoter->used++] = quoter->text[quoter->at++];
        }
    }
    return true; // cJSON finds the missing quote
}

// Behind what cJSON takes for white space.
static bool is_colon_next(const Quoter *quoter)
{
    size_t at = quoter->at;
    while (at < quoter->size && quoter->text[at] != '\0' && (unsigned char)quoter->text[at] <= ' ') {
        at++;
    }
    return at < quoter->size && quoter->text[at] == ':';
}

static size_t skip_digits(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
static bool is_json_number(const char *text, size_t size)
{
    size_t at = size > 0 && text[0] == '-' ? 1 : 0;
    size_t whole = skip_digits(text + at, size - at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) {
        return false;
    }
    at += whole;
    if (at < size && text[at] == '.') {
        size_t fraction = skip_digits(text + at + 1, size - at - 1);
        if (fraction == 0) {
            return false;
        }
        at += 1 + fraction;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at += at + 1 < size && (text[at + 1] == '+' || text[at + 1] == '-') ? 2 : 1;
        size_t exponent = skip_digits(text + at, size - at);
        return exponent > 0 && at + exponent == size;
    }
    return at == size;
}

static bool refuse_number(const Quoter *quoter, size_t start, const char *what)
{
    size_t shown = quoter->at - start < 60 ? quoter->at - start : 60;
    return tp_error_set(quoter->error, "%.*s: %s", (int)shown, quoter->text + start, what);
}

// False, said so, when it is none, or a key: as a string it would pass for a name that begins with the mark.
static bool copy_number(Quoter *quoter)
{
    size_t start = quoter->at;
    quoter->out[quoter->used++] = '"';
    quoter->out[quoter->used++] = NUMBER_MARK;
    while (quoter->at < quoter->size && is_number_letter(quoter->text[quoter->at])) {
        quoter->out[quoter->used++] = quoter->text[quoter->at++];
    }
    quoter->out[quoter->used++] = '"';
    if (is_colon_next(quoter)) {
        return refuse_number(quoter, start, "a key is a string; put it in quotes");
    }
    return is_json_number(quoter->text + start, quoter->at - start) || refuse_number(quoter, start, "this is no number as JSON writes them");
}

// False: said so, and `at` is there.
static bool quote_numbers(Quoter *quoter)
{
    while (quoter->at < quoter->size) {
        char letter = quoter->text[quoter->at];
        if (letter == '"') {
            if (!copy_string(quoter)) {
                return false;
            }
        } else if (letter == '-' || (letter >= '0' && letter <= '9')) {
            if (!copy_number(quoter)) {
                return false;
            }
        } else if (letter == '\0') {
            return refuse_letter(quoter);
        } else if (letter >= 'a' && letter <= 'z') {
            // A word such as true: as a whole, so that an e in it starts no number.
            while (quoter->at < quoter->size && quoter->text[quoter->at] >= 'a' && quoter->text[quoter->at] <= 'z') {
                quoter->out[quoter->used++] = quoter->text[quoter->at++];
            }
        } else {
            quoter->out[quoter->used++] = letter;
            quoter->at++;
        }
    }
    return true;
}

cJSON *jsonin_parse(const char *text, size_t size, int *line, tp_error *error)
{
    Quoter quoter = { .text = text, .size = size, .error = error };
    *line = 1;
    if (size > SIZE_MAX / 4 - 1) {
        tp_error_set(error, "too long");
        return NULL;
    }
    quoter.out = malloc(size * 4 + 1); // a digit becomes a quote, a mark, itself and a quote
    if (quoter.out == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    cJSON *item = NULL;
    if (!quote_numbers(&quoter)) {
        *line = line_at(text, quoter.at);
    } else {
        const char *end = quoter.out;
        quoter.out[quoter.used] = '\0';
        item = cJSON_ParseWithLengthOpts(quoter.out, quoter.used + 1, &end, true);
        if (item == NULL) {
            *line = line_at(quoter.out, (size_t)(end - quoter.out));
            tp_error_set(error, "this is not JSON: a bracket, quote, comma or value is missing or too much");
        }
    }
    free(quoter.out);
    return item;
}

bool jsonin_is_number(const cJSON *item)
{
    return cJSON_IsString(item) && item->valuestring[0] == NUMBER_MARK;
}

bool jsonin_is_text(const cJSON *item)
{
    return cJSON_IsString(item) && item->valuestring[0] != NUMBER_MARK;
}

const char *jsonin_text(const cJSON *item)
{
    static char text[80];
    if (cJSON_IsString(item)) {
        bool is_number = jsonin_is_number(item);
        snprintf(text, sizeof(text), is_number ? "%.60s" : "\"%.60s\"", item->valuestring + (is_number ? 1 : 0));
        return text;
    }
    if (item == NULL) {
        return "nothing";
    }
    if (cJSON_IsObject(item)) {
        return "an object";
    }
    if (cJSON_IsArray(item)) {
        return "an array";
    }
    return cJSON_IsNull(item) ? "null" : cJSON_IsTrue(item) ? "true" : "false";
}

bool jsonin_u64(const cJSON *item, uint64_t *out)
{
    return jsonin_is_number(item) && strspn(item->valuestring + 1, "0123456789") == strlen(item->valuestring + 1) &&
           args_parse_u64(item->valuestring + 1, out);
}

bool jsonin_i64(const cJSON *item, int64_t *out)
{
    return jsonin_is_number(item) && args_parse_i64(item->valuestring + 1, out);
}

// Doubles the decimal fraction once per binary digit: what is carried out is the digit. All that is left over
// must be zero, or the number has more digits than fixed point can hold.
static bool fraction_bits(const char *digits, unsigned fraction, uint64_t *bits)
{
    unsigned char rest[FIXED_DIGITS_MAX];
    size_t        count = strlen(digits);
    if (count > FIXED_DIGITS_MAX || strspn(digits, "0123456789") != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        rest[i] = (unsigned char)(digits[i] - '0');
    }
    *bits = 0;
    for (unsigned b = 0; b < fraction; b++) {
        unsigned carry = 0;
        for (size_t i = count; i-- > 0;) {
            unsigned twice = rest[i] * 2u + carry;
            rest[i] = (unsigned char)(twice % 10);
            carry = twice / 10;
        }
        *bits = *bits << 1 | carry;
    }
    for (size_t i = 0; i < count; i++) {
        if (rest[i] != 0) {
            return false;
        }
    }
    return true;
}

bool jsonin_fixed(const cJSON *item, unsigned fraction, int64_t *raw)
{
    char     text[96];
    uint64_t whole = 0;
    uint64_t bits = 0;
    if (!jsonin_is_number(item) || strlen(item->valuestring) > sizeof(text)) {
        return false;
    }
    strcpy(text, item->valuestring + 1);
    bool  is_negative = text[0] == '-';
    char *digits = text + (is_negative ? 1 : 0);
    char *point = strchr(digits, '.');
    if (point != NULL) {
        *point = '\0';
        if (point[1] == '\0' || !fraction_bits(point + 1, fraction, &bits)) {
            return false;
        }
    }
    uint64_t limit = UINT64_C(1) << (63 - fraction);
    if (strspn(digits, "0123456789") != strlen(digits) || !args_parse_u64(digits, &whole) || whole > limit) {
        return false;
    }
    uint64_t magnitude = (whole << fraction) + bits;
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return false;
    }
    *raw = is_negative ? (int64_t)(UINT64_C(0) - magnitude) : (int64_t)magnitude;
    return true;
}

static int hex_digit(char letter)
{
    static const char digits[] = "0123456789abcdef";
    char              lower = letter >= 'A' && letter <= 'F' ? (char)(letter - 'A' + 'a') : letter;
    const char       *found = lower == '\0' ? NULL : strchr(digits, lower);
    return found == NULL ? -1 : (int)(found - digits);
}

bool jsonin_hex(const cJSON *item, uint8_t *bytes, size_t capacity, size_t *size)
{
    if (!jsonin_is_text(item) || strlen(item->valuestring) % 2 != 0 || strlen(item->valuestring) / 2 > capacity) {
        return false;
    }
    *size = strlen(item->valuestring) / 2;
    for (size_t i = 0; i < *size; i++) {
        int high = hex_digit(item->valuestring[2 * i]);
        int low = hex_digit(item->valuestring[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

typedef struct {
    const char *key;
    size_t      index;
} IndexedKey;

static int by_key(const void *a, const void *b)
{
    const IndexedKey *one = a;
    const IndexedKey *other = b;
    int               order = strcmp(one->key, other->key);
    return order != 0 ? order : (one->index > other->index) - (one->index < other->index);
}

// Of equal keys, which stand side by side, those whose first comes first.
static const char *first_twice(IndexedKey *keys, size_t count)
{
    const IndexedKey *found = NULL;
    qsort(keys, count, sizeof(*keys), by_key);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(keys[i - 1].key, keys[i].key) == 0 && (found == NULL || keys[i - 1].index < found->index)) {
            found = &keys[i - 1];
        }
    }
    return found == NULL ? NULL : found->key;
}

// Takes no memory, and time that grows with the square.
static const char *twice_of_few(const cJSON *object)
{
    for (const cJSON *one = object->child; one != NULL; one = one->next) {
        for (const cJSON *other = one->next; other != NULL; other = other->next) {
            if (one->string != NULL && strcmp(one->string, other->string) == 0) {
                return one->string;
            }
        }
    }
    return NULL;
}

const char *jsonin_twice(const cJSON *object)
{
    size_t count = 0;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        count += item->string != NULL;
    }
    IndexedKey *keys = count <= KEYS_FEW ? NULL : malloc(count * sizeof(*keys));
    if (keys == NULL) {
        return twice_of_few(object); // also without memory: late is better than wrong
    }
    count = 0;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (item->string != NULL) {
            keys[count] = (IndexedKey){ item->string, count };
            count++;
        }
    }
    const char *twice = first_twice(keys, count);
    free(keys);
    return twice;
}

int jsonin_line_of_key(const char *text, size_t size, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i + length + 2 <= size; i++) {
        if (text[i] == '"' && text[i + length + 1] == '"' && memcmp(text + i + 1, key, length) == 0) {
            return line_at(text, i);
        }
    }
    return 1;
}
