// alloccount.h: every call of the allocator of the program that links alloccount.c, counted while it is on. Not under sanitizers, which
// bring an allocator of their own.
#pragma once

#include <stdbool.h>
#include <stdint.h>

extern volatile uint64_t alloccount_calls;
extern volatile bool     alloccount_is_on;
