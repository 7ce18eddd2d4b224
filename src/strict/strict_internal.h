// strict_internal.h: what the wrappers of strict_calls.c ask of strict.c.
#pragma once

#include "strict.h"

/// Which setting a clock, a source of entropy or a thread has to obey.
extern StrictSettings strict_settings;

/// Notes a call, when this thread is inside a step. `detail` may be NULL.
void strict_note(StrictKind kind, const char *function, const char *detail);
/// This thread is inside a step.
bool strict_is_inside(void);
/// Of the step that this thread is inside.
uint64_t strict_tick(void);
/// The next definition of a function behind this library's. Ends the process when there is none, which no C library gets to.
void *strict_next(const char *name);

/// Numbers that are the same in every run.
uint64_t strict_fixed_number(void);

// strict_counter.c: rdtsc and rdtscp, which are no calls. The processor can be told to trap them.
bool strict_counter_is_had(void);
void strict_counter_trap(void);
void strict_counter_release(void);
