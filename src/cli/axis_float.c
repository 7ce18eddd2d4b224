// axis_float.c: the floating-point environment inside the world's calls. The host's own stays what it is.
#include <string.h>

#include "axis_internal.h"
#include "cli.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

bool axis_rounding_take(AxisState *state, const char *argument, const char *value)
{
    static const struct {
        const char *name;
        int         mode;
    } modes[] = {
#ifdef FE_UPWARD
        { "up", FE_UPWARD },
#endif
#ifdef FE_DOWNWARD
        { "down", FE_DOWNWARD },
#endif
#ifdef FE_TOWARDZERO
        { "zero", FE_TOWARDZERO },
#endif
        { NULL, 0 },
    };
    for (size_t i = 0; modes[i].name != NULL; i++) {
        if (strcmp(value, modes[i].name) == 0) {
            state->has_rounding = true;
            state->rounding = modes[i].mode;
            return true;
        }
    }
    if (strcmp(value, "up") == 0 || strcmp(value, "down") == 0 || strcmp(value, "zero") == 0) {
        return axis_not_here(argument, "this machine rounds to nearest only");
    }
    cli_fail(TP_USAGE, "--perturb %s: give up, down or zero", argument);
    return false;
}

bool axis_flush_take(AxisState *state, const char *argument)
{
#if defined(__SSE__) || defined(__aarch64__)
    (void)argument;
    state->is_flushing = true;
    return true;
#else
    (void)state;
    return axis_not_here(argument, "this machine's floating point has no such mode, or none that this program knows");
#endif
}

static void flush_denormals(void)
{
#if defined(__SSE__)
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
    _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= UINT64_C(1) << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

void axis_float_enter(AxisState *state)
{
    if (!state->has_rounding && !state->is_flushing) {
        return;
    }
    fegetenv(&state->before_call);
    if (state->has_rounding) {
        fesetround(state->rounding);
    }
    if (state->is_flushing) {
        flush_denormals();
    }
}

void axis_float_leave(AxisState *state)
{
    if (state->has_rounding || state->is_flushing) {
        fesetenv(&state->before_call);
    }
}
