// textline.c: see textline.h.
#include "textline.h"

void textline_add(TextLine *line, const char *text)
{
    while (*text != '\0' && line->used + 1 < line->size) {
        line->text[line->used] = *text;
        line->used++;
        text++;
    }
    line->text[line->used] = '\0';
}

void textline_add_number(TextLine *line, uint64_t number, uint32_t digits)
{
    char     text[21] = { 0 };
    uint32_t first = sizeof(text) - 1;
    do {
        first--;
        text[first] = (char)('0' + number % 10);
        number /= 10;
    } while (first > 0 && (number > 0 || sizeof(text) - 1 - first < digits));
    textline_add(line, text + first);
}
