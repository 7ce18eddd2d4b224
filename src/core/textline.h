// textline.h: one line of text put together piece by piece into the caller's memory, without the C library's formatting, so that rooms without I/O
// stay free of locales. What does not fit is cut; the line always ends in its terminator.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct TextLine {
    char  *text;
    size_t size; ///< bytes at text, at least 1
    size_t used; ///< letters so far, always below size
} TextLine;

void textline_add(TextLine *line, const char *text);
/// Decimal, with zeros in front up to `digits` of them (at most 20); 1 for none.
void textline_add_number(TextLine *line, uint64_t number, uint32_t digits);
