// alloccount.c: the allocator's names, with the C library's own behind them.
#include "alloccount.h"

#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void  __libc_free(void *memory);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void  free(void *memory);

volatile uint64_t alloccount_calls;
volatile bool     alloccount_is_on;

void *malloc(size_t size)
{
    alloccount_calls += alloccount_is_on ? 1 : 0;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    alloccount_calls += alloccount_is_on ? 1 : 0;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    alloccount_calls += alloccount_is_on ? 1 : 0;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    alloccount_calls += alloccount_is_on ? 1 : 0;
    return __libc_memalign(alignment, size);
}

void free(void *memory)
{
    alloccount_calls += alloccount_is_on ? 1 : 0;
    __libc_free(memory);
}
