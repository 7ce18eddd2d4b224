// fault.c: the guard stack of a thread and the jump out of a step.
#include "tickproof/fault.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local tp_guard *guard_innermost;

const char *tp_fault_name(tp_fault_code code)
{
    switch (code) {
    case TP_FAULT_NONE: return "no fault";
    case TP_FAULT_OVERFLOW: return "overflow";
    case TP_FAULT_DIVIDE_BY_ZERO: return "divide by zero";
    case TP_FAULT_DOMAIN: return "domain";
    case TP_FAULT_ASSERT: return "assert";
    case TP_FAULT_INDEX: return "index";
    case TP_FAULT_WORLD: return "world";
    case TP_FAULT_CAPACITY: return "capacity";
    }
    return "unknown fault";
}

_Noreturn void tp_fault_raise(tp_fault_code code, const char *what, const char *file, int line)
{
    tp_guard *guard = guard_innermost;
    if (guard == NULL) {
        fprintf(stderr, "tickproof: fault outside any guard: %s: %s (%s:%d)\n", tp_fault_name(code), what, file, line);
        abort();
    }
    guard->fault = (tp_fault){ .code = code, .what = what, .file = file, .line = line };
    guard_innermost = guard->outer;
    longjmp(guard->place, 1);
}

void tp_guard_push(tp_guard *guard)
{
    guard->fault = (tp_fault){ .code = TP_FAULT_NONE };
    guard->outer = guard_innermost;
    guard_innermost = guard;
}

void tp_guard_pop(tp_guard *guard)
{
    guard_innermost = guard->outer;
}

bool tp_guard_run(void (*body)(void *argument), void *argument, tp_fault *fault)
{
    tp_guard guard;
    tp_guard_push(&guard);
    if (setjmp(guard.place) == 0) {
        body(argument);
        tp_guard_pop(&guard);
        return true;
    }
    if (fault != NULL) {
        *fault = guard.fault;
    }
    return false;
}
