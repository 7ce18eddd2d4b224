// slp_text.c: the part of Shift-JIS that names are made of.
#include "slp_text.h"

#include <stdbool.h>
#include <string.h>

enum { UNKNOWN = 0xFFFD };

typedef struct {
    char  *out;
    size_t capacity, used;
} Out;

// False when there is no room.
static bool put(Out *out, uint32_t point)
{
    uint8_t bytes[4];
    size_t  size = 0;
    if (point < 0x20 || point == 0x7F) {
        point = UNKNOWN;
    }
    if (point < 0x80) {
        bytes[size++] = (uint8_t)point;
    } else if (point < 0x800) {
        bytes[size++] = (uint8_t)(0xC0 | point >> 6);
    } else if (point < 0x10000) {
        bytes[size++] = (uint8_t)(0xE0 | point >> 12);
        bytes[size++] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    } else {
        bytes[size++] = (uint8_t)(0xF0 | point >> 18);
        bytes[size++] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
        bytes[size++] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    }
    if (point >= 0x80) {
        bytes[size++] = (uint8_t)(0x80 | (point & 0x3F));
    }
    if (out->used + size >= out->capacity) {
        return false;
    }
    memcpy(out->out + out->used, bytes, size);
    out->used += size;
    out->out[out->used] = '\0';
    return true;
}

// Signs of row 81 that have a plain twin.
static uint32_t sign_of(uint8_t low)
{
    static const struct {
        uint8_t low;
        char    plain;
    } signs[] = {
        { 0x40, ' ' }, { 0x43, ',' }, { 0x44, '.' }, { 0x46, ':' }, { 0x47, ';' }, { 0x48, '?' }, { 0x49, '!' }, { 0x4F, '^' }, { 0x51, '_' },
        { 0x5E, '/' }, { 0x60, '~' }, { 0x62, '|' }, { 0x65, '`' }, { 0x66, '\'' }, { 0x68, '"' }, { 0x69, '(' }, { 0x6A, ')' }, { 0x6D, '[' },
        { 0x6E, ']' }, { 0x6F, '{' }, { 0x70, '}' }, { 0x7B, '+' }, { 0x7C, '-' }, { 0x81, '=' }, { 0x83, '<' }, { 0x84, '>' }, { 0x90, '$' },
        { 0x93, '%' }, { 0x94, '#' }, { 0x95, '&' }, { 0x96, '*' }, { 0x97, '@' },
    };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (signs[i].low == low) {
            return (uint32_t)signs[i].plain;
        }
    }
    return low == 0x5B ? 0x30FC : UNKNOWN; // the long vowel of kana
}

static bool is_between(uint8_t value, uint8_t first, uint8_t last)
{
    return value >= first && value <= last;
}

static uint32_t double_byte(uint8_t high, uint8_t low)
{
    if (high == 0x81) {
        return sign_of(low);
    }
    if (high == 0x82 && is_between(low, 0x4F, 0x58)) {
        return '0' + (uint32_t)(low - 0x4F);
    }
    if (high == 0x82 && is_between(low, 0x60, 0x79)) {
        return 'A' + (uint32_t)(low - 0x60);
    }
    if (high == 0x82 && is_between(low, 0x81, 0x9A)) {
        return 'a' + (uint32_t)(low - 0x81);
    }
    if (high == 0x82 && is_between(low, 0x9F, 0xF1)) {
        return 0x3041 + (uint32_t)(low - 0x9F); // hiragana
    }
    if (high == 0x83 && is_between(low, 0x40, 0x96) && low != 0x7F) {
        return 0x30A1 + (uint32_t)(low - 0x40) - (low > 0x7F ? 1 : 0); // katakana; 7F is no second byte
    }
    return UNKNOWN;
}

void slp_text_of_shift_jis(const uint8_t *bytes, size_t size, char *out, size_t capacity)
{
    Out to = { out, capacity, 0 };
    out[0] = '\0';
    for (size_t at = 0; at < size && bytes[at] != 0; at++) {
        uint8_t  high = bytes[at];
        uint32_t point = high;
        if (is_between(high, 0xA1, 0xDF)) {
            point = 0xFF61 + (uint32_t)(high - 0xA1); // katakana of half width
        } else if (high >= 0x80) {
            bool has_low = at + 1 < size && bytes[at + 1] >= 0x40;
            point = has_low ? double_byte(high, bytes[at + 1]) : UNKNOWN;
            at += has_low ? 1 : 0;
        }
        if (!put(&to, point)) {
            return;
        }
    }
}

// One character; *used is the bytes it took. What is not legal takes one.
static uint32_t read_utf8(const uint8_t *bytes, size_t size, size_t *used)
{
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint8_t  first = bytes[0];
    size_t   length = first < 0x80 ? 1 : first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 && first < 0xE0 ? 2 : 0;
    uint32_t point = length == 1 ? first : first & (0x7Fu >> length);
    *used = 1;
    for (size_t i = 1; i < length; i++) {
        if (i >= size || (bytes[i] & 0xC0) != 0x80) {
            return UNKNOWN;
        }
        point = point << 6 | (bytes[i] & 0x3F);
    }
    if (length == 0 || point < least[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
        return UNKNOWN;
    }
    *used = length;
    return point;
}

void slp_text_of_utf8(const uint8_t *bytes, size_t size, char *out, size_t capacity)
{
    Out    to = { out, capacity, 0 };
    size_t used = 0;
    out[0] = '\0';
    for (size_t at = 0; at < size && bytes[at] != 0; at += used) {
        if (!put(&to, read_utf8(bytes + at, size - at, &used))) {
            return;
        }
    }
}
