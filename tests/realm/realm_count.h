// realm_count.h: calls of the allocator while something runs. Sanitizers bring an allocator of their own: there the number is always 0.
#pragma once

#include <stdint.h>

#ifdef REALM_UNCOUNTED
static inline void realm_count_begin(void)
{
}
static inline uint64_t realm_count_end(void)
{
    return 0;
}
#else
#include "alloccount.h"

static inline void realm_count_begin(void)
{
    alloccount_calls = 0;
    alloccount_is_on = true;
}
static inline uint64_t realm_count_end(void)
{
    alloccount_is_on = false;
    return alloccount_calls;
}
#endif
