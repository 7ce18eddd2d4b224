// fault.h: how a deterministic step stops. A fault ends one world at one tick and leaves every other world
// of the process alone; it is never an abort. Checked arithmetic, a world's asserts and a world's own rules
// raise faults; the host runs a step inside a guard and learns what happened.
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define TP_NORETURN [[noreturn]]
#else
#define TP_NORETURN _Noreturn
#endif

/// Numbers are written into diagnostics and are never reused.
typedef enum tp_fault_code {
    TP_FAULT_NONE           = 0,
    TP_FAULT_OVERFLOW       = 1, ///< a result does not fit its type
    TP_FAULT_DIVIDE_BY_ZERO = 2,
    TP_FAULT_DOMAIN         = 3, ///< an argument outside an operation's domain (square root of a negative)
    TP_FAULT_ASSERT         = 4, ///< an invariant of sim or of a world did not hold
    TP_FAULT_INDEX          = 5, ///< an index or handle that a rule needs does not resolve
    TP_FAULT_WORLD          = 6, ///< a world's own rule stopped it, or its step returned a status
    TP_FAULT_CAPACITY       = 7, ///< a stated maximum was reached where the rule says stop
} tp_fault_code;

/// Which operation and where: diagnostics for people, never part of a root. The strings are static, or the sim's own where the host found
/// the fault (a write that was not told of, changed floating point) or a piped world said it: valid until the sim's destroy.
typedef struct tp_fault {
    tp_fault_code code;
    const char   *what;
    const char   *file;
    int           line;
} tp_fault;

/// One armed guard of this thread. Guards nest; the innermost takes the fault.
typedef struct tp_guard {
    jmp_buf          place;
    tp_fault         fault;
    struct tp_guard *outer;
} tp_guard;

/// Text of a code, such as "overflow"; "unknown fault" for a number outside the list.
const char *tp_fault_name(tp_fault_code code);

/// Leaves the step by a jump to this thread's innermost guard. With no guard armed it prints one line to
/// standard error and aborts, since then no host is there to contain it. Frames between the guard and here
/// are abandoned: nothing in them may own memory or a lock. Worlds in C++ return a status from their step
/// instead, since a jump skips destructors.
TP_NORETURN void tp_fault_raise(tp_fault_code code, const char *what, const char *file, int line);

#define TP_FAULT(code, what) tp_fault_raise((code), (what), __FILE__, __LINE__)

/// A world's assert: on in every build, faults the world and not the process.
#define TP_ASSERT(condition)                                                   \
    do {                                                                       \
        if (!(condition)) {                                                    \
            tp_fault_raise(TP_FAULT_ASSERT, #condition, __FILE__, __LINE__);   \
        }                                                                      \
    } while (0)

/// Arms `guard` for this thread. Use as
///     tp_guard_push(&guard);
///     if (setjmp(guard.place) == 0) { ...steps...; tp_guard_pop(&guard); } else { ...guard.fault... }
/// The jump has already popped the guard. Variables changed after setjmp and read after the jump must be
/// volatile or live outside the frame.
void tp_guard_push(tp_guard *guard);
void tp_guard_pop(tp_guard *guard);

/// Runs `body(argument)` inside a guard. True when it returned; false when it faulted, with `*fault` filled
/// (`fault` may be NULL).
bool tp_guard_run(void (*body)(void *argument), void *argument, tp_fault *fault);

#ifdef __cplusplus
}
#endif
