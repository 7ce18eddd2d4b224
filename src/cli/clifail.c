// clifail.c: see clifail.h.
#include "clifail.h"

#include <stdio.h>
#include <string.h>

#include "textout.h"

static const char *current_place;

void clifail_set_place(const char *place)
{
    current_place = place;
}

void clifail_print(const char *program, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof(text), format, arguments);
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    if (current_place != NULL) {
        textout_safe(stderr, current_place, strlen(current_place));
        fputs(": ", stderr);
    }
    textout_safe(stderr, text, strlen(text));
    fputc('\n', stderr);
}
