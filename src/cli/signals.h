// signals.h: one wish to stop, or two. Somebody's Ctrl-C, or `timeout`, can deliver one wish as two signals (to the process and to its
// group); only a signal that comes a while after the first one is a second wish.
#pragma once

#include <stdbool.h>

enum { SIGNALS_APART_MS = 300 };

/// For signal handlers: counts a signal. True from the second wish on.
bool signals_is_second(void);
