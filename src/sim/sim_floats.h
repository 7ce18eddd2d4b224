// sim_floats.h: the floating-point controls of this thread: rounding, flushing of subnormal numbers, traps, and the x87's precision. A step that
// changes them changes what every later step of this thread comes to, also those of other worlds. No floating point is computed here.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Everything of the controls that changes a result, without the flags that say what has happened. 0 where they cannot be read.
static inline uint64_t sim_floats_now(void)
{
#if defined(__x86_64__) || defined(__SSE__)
    uint32_t sse;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (sse & 0xFFC0u) | (uint64_t)x87 << 32;
#elif defined(__i386__)
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32;
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#elif defined(__arm__) && defined(__ARM_FP)
    uint32_t control;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(control));
    return control & 0x07FFFF00u;
#elif defined(__riscv) && defined(__riscv_flen)
    unsigned long mode;
    __asm__ volatile("frrm %0" : "=r"(mode));
    return mode;
#elif defined(__s390x__)
    uint64_t control;
    __asm__ volatile("efpc %0" : "=d"(control));
    return control & 0xF8000077u;
#else
    return 0;
#endif
}

/// Sets what sim_floats_now gave.
void sim_floats_restore(uint64_t controls);

/// "rounding is upward, it was to nearest" and the like: the first that differs.
void sim_floats_describe(uint64_t before, uint64_t after, char *text, size_t size);
