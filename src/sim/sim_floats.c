// sim_floats.c: see sim_floats.h.
#include "sim_floats.h"

#include <stdio.h>

#include "sim_internal.h"

bool sim_floats_put_back(tp_sim *sim)
{
    char change[100];
    sim_floats_describe(sim->floats_before, sim_floats_now(), change, sizeof(change));
    snprintf(sim->floats_text, sizeof(sim->floats_text), "it changed floating point for everybody: %s; put it back where it is changed", change);
    sim_floats_restore(sim->floats_before);
    return false;
}

// Where a world lets an exception trap that had been raised before, the next instruction of the x87 traps, and fldcw is one: what was
// raised is forgotten first. It is in no result.
#define LOAD_X87 "fnclex\n\tfldcw %0"

void sim_floats_restore(uint64_t controls)
{
#if defined(__x86_64__) || defined(__SSE__)
    uint32_t sse;
    uint16_t x87 = (uint16_t)(controls >> 32);
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    sse = (sse & ~0xFFC0u) | (uint32_t)controls;
    __asm__ volatile("ldmxcsr %0" : : "m"(sse));
    __asm__ volatile(LOAD_X87 : : "m"(x87));
#elif defined(__i386__)
    uint16_t x87 = (uint16_t)(controls >> 32);
    __asm__ volatile(LOAD_X87 : : "m"(x87));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(controls));
#elif defined(__arm__) && defined(__ARM_FP)
    uint32_t control;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(control));
    control = (control & ~0x07FFFF00u) | (uint32_t)controls;
    __asm__ volatile("vmsr fpscr, %0" : : "r"(control));
#elif defined(__riscv) && defined(__riscv_flen)
    __asm__ volatile("fsrm %0" : : "r"((unsigned long)controls));
#elif defined(__s390x__)
    uint64_t control;
    __asm__ volatile("efpc %0" : "=d"(control));
    control = (control & ~UINT64_C(0xF8000077)) | controls;
    __asm__ volatile("sfpc %0" : : "d"(control));
#else
    (void)controls;
#endif
}

#if defined(__x86_64__) || defined(__SSE__) || defined(__i386__)
enum { SSE_ROUNDING = 13, X87_ROUNDING = 32 + 10, X87_PRECISION = 32 + 8 };

static const char *rounding_name(unsigned bits)
{
    static const char *const names[] = { "to nearest", "downward", "upward", "toward zero" };
    return names[bits & 3];
}

void sim_floats_describe(uint64_t before, uint64_t after, char *text, size_t size)
{
    uint64_t changed = before ^ after;
    unsigned shift = (changed >> SSE_ROUNDING & 3) != 0 ? SSE_ROUNDING : X87_ROUNDING;
    if ((changed >> shift & 3) != 0) {
        snprintf(text, size, "rounding is %s, it was %s", rounding_name((unsigned)(after >> shift)), rounding_name((unsigned)(before >> shift)));
    } else if ((changed & 0x8000) != 0) {
        snprintf(text, size, "subnormal results are %s", (after & 0x8000) != 0 ? "made zero (FTZ)" : "kept, they were made zero");
    } else if ((changed & 0x0040) != 0) {
        snprintf(text, size, "subnormal operands are %s", (after & 0x0040) != 0 ? "read as zero (DAZ)" : "kept, they were read as zero");
    } else if ((changed >> X87_PRECISION & 3) != 0) {
        snprintf(text, size, "the x87's precision is another");
    } else {
        snprintf(text, size, "other exceptions trap");
    }
}
#elif defined(__aarch64__) || (defined(__arm__) && defined(__ARM_FP))
void sim_floats_describe(uint64_t before, uint64_t after, char *text, size_t size)
{
    static const char *const names[] = { "to nearest", "upward", "downward", "toward zero" };
    uint64_t                 changed = before ^ after;
    if ((changed >> 22 & 3) != 0) {
        snprintf(text, size, "rounding is %s, it was %s", names[after >> 22 & 3], names[before >> 22 & 3]);
    } else if ((changed >> 24 & 1) != 0) {
        snprintf(text, size, "subnormal numbers are %s", (after >> 24 & 1) != 0 ? "made zero (FZ)" : "kept, they were made zero");
    } else {
        snprintf(text, size, "its control word is 0x%llx, it was 0x%llx", (unsigned long long)after, (unsigned long long)before);
    }
}
#else
void sim_floats_describe(uint64_t before, uint64_t after, char *text, size_t size)
{
    snprintf(text, size, "its control word is 0x%llx, it was 0x%llx", (unsigned long long)after, (unsigned long long)before);
}
#endif
