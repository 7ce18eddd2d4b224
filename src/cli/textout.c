// textout.c: strings in JSON, XML and on terminals; bytes as hexadecimal.
#include "textout.h"

#include <string.h>

// Bytes of the UTF-8 sequence at the start, 0 when it is none. Overlong forms and surrogates are none.
static size_t sequence_size(const unsigned char *text, size_t size)
{
    unsigned char first = text[0];
    size_t        length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : (first & 0xF0) == 0xE0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
    if (length == 0 || length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool is_overlong = (first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90);
    bool is_surrogate = (first == 0xED && text[1] >= 0xA0) || (first == 0xF4 && text[1] >= 0x90);
    return is_overlong || is_surrogate ? 0 : length;
}

void textout_json(FILE *out, const char *text, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size;) {
        const unsigned char *at = (const unsigned char *)text + i;
        size_t               length = sequence_size(at, size - i);
        if (length == 0) {
            fputs("\\ufffd", out);
            i += 1;
            continue;
        }
        if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7F) {
            fprintf(out, "\\u%04x", *at);
        } else {
            fwrite(at, 1, length, out);
        }
        i += length;
    }
    fputc('"', out);
}

void textout_key(FILE *out, bool is_first, const char *key)
{
    fprintf(out, "%s\"%s\":", is_first ? "" : ",", key);
}

void textout_json_member(FILE *out, bool is_first, const char *key, const char *text)
{
    textout_key(out, is_first, key);
    textout_json(out, text, strlen(text));
}

void textout_u64_member(FILE *out, bool is_first, const char *key, uint64_t value)
{
    textout_key(out, is_first, key);
    fprintf(out, "%llu", (unsigned long long)value);
}

void textout_bool_member(FILE *out, bool is_first, const char *key, bool value)
{
    textout_key(out, is_first, key);
    fputs(value ? "true" : "false", out);
}

void textout_hex_member(FILE *out, bool is_first, const char *key, const uint8_t *bytes, size_t size)
{
    textout_key(out, is_first, key);
    fputc('"', out);
    textout_hex(out, bytes, size);
    fputc('"', out);
}

void textout_hex(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        fputc(digits[bytes[i] >> 4], out);
        fputc(digits[bytes[i] & 15], out);
    }
}

// Some terminals act on the controls from U+0080 to U+009F as well. Those of writing direction (U+202A to U+202E, U+2066 to U+2069) and the two
// line ends U+2028 and U+2029 make a line read as another one.
static bool is_control(const unsigned char *text, size_t length)
{
    bool is_direction = length == 3 && text[0] == 0xE2 && ((text[1] == 0x80 && text[2] >= 0xA8 && text[2] <= 0xAE) || (text[1] == 0x81 && text[2] >= 0xA6 && text[2] <= 0xA9));
    return text[0] < 0x20 || text[0] == 0x7F || (length == 2 && text[0] == 0xC2 && text[1] < 0xA0) || is_direction;
}

size_t textout_letter(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t               length = sequence_size(at, size);
    return length > 0 && !is_control(at, length) ? length : 0;
}

void textout_safe(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = textout_letter(text + i, size - i);
        if (length > 0) {
            fwrite(text + i, 1, length, out);
            i += length;
        } else {
            fprintf(out, "\\x%02x", (unsigned char)text[i]);
            i += 1;
        }
    }
}

// XML 1.0 has no way at all to write most control characters, U+FFFE and U+FFFF.
static bool can_be_xml(const char *text, size_t length)
{
    bool is_no_letter = length == 3 && (memcmp(text, "\xEF\xBF\xBE", 3) == 0 || memcmp(text, "\xEF\xBF\xBF", 3) == 0);
    return length != 0 && (unsigned char)text[0] >= 0x20 && !is_no_letter;
}

void textout_xml(FILE *out, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        size_t length = sequence_size((const unsigned char *)text + i, size - i);
        switch (text[i]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            if (can_be_xml(text + i, length)) {
                fwrite(text + i, 1, length, out);
            } else {
                fputc('?', out);
            }
        }
        i += length == 0 ? 1 : length;
    }
}

void textout_sink(void *file, const char *text, size_t size)
{
    fwrite(text, 1, size, file);
}

void textout_fx(FILE *out, int32_t raw)
{
    uint64_t magnitude = raw < 0 ? (uint64_t)-(int64_t)raw : (uint64_t)raw;
    uint64_t rest = magnitude & 0xFFFF;
    fprintf(out, "%s%llu", raw < 0 ? "-" : "", (unsigned long long)(magnitude >> 16));
    fputs(rest != 0 ? "." : "", out);
    // Each digit takes one factor of two away, so this ends.
    while (rest != 0) {
        rest *= 10;
        fputc((int)('0' + (rest >> 16)), out);
        rest &= 0xFFFF;
    }
}
