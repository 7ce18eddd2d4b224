#include <criterion/criterion.h>
#include <signal.h>

#include "tickproof/fault.h"

static void raise_overflow(void *argument)
{
    *(int *)argument += 1;
    TP_FAULT(TP_FAULT_OVERFLOW, "too much");
}

static void finish(void *argument)
{
    *(int *)argument += 1;
}

static void nest(void *argument)
{
    tp_fault inner;
    if (!tp_guard_run(raise_overflow, argument, &inner) && inner.code == TP_FAULT_OVERFLOW) {
        *(int *)argument += 10;
    }
    TP_ASSERT(*(int *)argument < 0);
}

Test(fault, guard_tells_code_text_and_place)
{
    int      calls = 0;
    tp_fault fault = { .code = TP_FAULT_NONE };
    cr_assert_not(tp_guard_run(raise_overflow, &calls, &fault));
    cr_assert_eq(calls, 1);
    cr_assert_eq(fault.code, TP_FAULT_OVERFLOW);
    cr_assert_str_eq(fault.what, "too much");
    cr_assert_gt(fault.line, 0);
}

Test(fault, body_that_finishes_is_no_fault)
{
    int calls = 0;
    cr_assert(tp_guard_run(finish, &calls, NULL));
    cr_assert_eq(calls, 1);
}

// Goal: the innermost guard takes a fault, and the outer one is armed again afterwards.
Test(fault, guards_nest)
{
    int      calls = 0;
    tp_fault fault;
    cr_assert_not(tp_guard_run(nest, &calls, &fault));
    cr_assert_eq(calls, 11);
    cr_assert_eq(fault.code, TP_FAULT_ASSERT);
    cr_assert_str_eq(fault.what, "*(int *)argument < 0");
}

Test(fault, outside_any_guard_aborts, .signal = SIGABRT)
{
    TP_FAULT(TP_FAULT_WORLD, "nobody holds this");
}

Test(fault, every_code_has_a_name)
{
    for (int code = 0; code <= TP_FAULT_CAPACITY; code++) {
        cr_assert_str_neq(tp_fault_name((tp_fault_code)code), "unknown fault");
    }
    cr_assert_str_eq(tp_fault_name((tp_fault_code)99), "unknown fault");
}
