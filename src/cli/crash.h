// crash.h: what is said when a world takes this program with it. A world in a library runs in this process in every command but `verify`.
#pragma once

#include <stdint.h>

/// From here on a crash or an abort says one line and ends the program with 70, instead of with a signal and nothing said. Sanitizers keep
/// their reports of crashes.
void crash_guard(void);

/// From here on the line says that this tick was being stepped.
void crash_at_tick(uint64_t tick);
