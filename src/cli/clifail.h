// clifail.h: how a program says in one line that something is wrong. Names and values in it are foreign: whatever they hold, it stays
// one line, and no terminal acts on it.
#pragma once

#include <stdarg.h>

/// PROGRAM: PLACE: TEXT on standard error, after what stands on standard output.
void clifail_print(const char *program, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/// What the following failures are about, said before their text: "rooms.json:3: worlds[0]". NULL: nothing. Borrowed until the next
/// call. For what is said by functions that know nothing of the place.
void clifail_set_place(const char *place);
