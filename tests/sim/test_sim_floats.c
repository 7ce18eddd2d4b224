// A world that changes how floating point works for the whole thread is found at the tick where it does, and the controls are what they were.
#include <criterion/criterion.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "sim_floats.h"
#include "tickproof/sim.h"

enum { BAD_TICK = 5 };
typedef enum { KEEP, ROUND, FLUSH, ROUND_AND_FAULT, TRAP } Way;
static Way  step_way, init_way, save_way;
static bool puts_back;

static void flush_subnormals(void)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
#elif defined(__aarch64__)
    sim_floats_restore(sim_floats_now() | UINT64_C(1) << 24);
#else
    fesetround(FE_DOWNWARD); // as good as anything else
#endif
}

// The x87 traps at its next instruction, which is not the world's any more.
static void trap_what_was_raised(void)
{
#if defined(__x86_64__)
    volatile long double zero = 0, quotient = 0;
    quotient = 1 / zero;
    (void)quotient;
    feenableexcept(FE_DIVBYZERO);
#endif
}

static void go(Way way)
{
    if (way == TRAP) {
        trap_what_was_raised();
    }
    if (way == ROUND || way == ROUND_AND_FAULT) {
        fesetround(FE_UPWARD);
    } else if (way == FLUSH) {
        flush_subnormals();
    }
    if (way == ROUND_AND_FAULT) {
        TP_FAULT(TP_FAULT_WORLD, "its own fault");
    }
}

static void init(void *state, tp_context *context)
{
    (void)state, (void)context;
    go(init_way);
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    (void)context;
    *(uint64_t *)state += 1;
    if (tick->tick == BAD_TICK) {
        go(step_way);
        if (puts_back) {
            fesetround(FE_TONEAREST);
        }
    }
    return TP_STEP_OK;
}

static size_t size_max(const tp_setup *setup)
{
    (void)setup;
    return 8;
}

static void *create(const tp_setup *setup)
{
    (void)setup;
    return calloc(1, 8);
}

static bool save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    go(save_way);
    *size = 8;
    memcpy(bytes, instance, 8);
    return capacity >= 8;
}

static bool load(void *instance, const void *bytes, size_t size)
{
    go(save_way);
    if (size == 8) {
        memcpy(instance, bytes, 8);
    }
    return size == 8;
}

static const tp_opaque  opaque = { .size_max = size_max, .create = create, .destroy = free, .save = save, .load = load };
static const tp_field   fields[] = { { "ticks", "ticks", TP_TYPE_U64, 1, 0, 8, TP_ANY } };
static const tp_section sections[] = { { "state", fields, 1, 8, NULL, 1, TP_SIM } };
static const tp_world   opaque_world = { .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "floats", .tick_rate_hz = 60, .opaque = &opaque,
                                       .init = init, .step = step };
static const tp_world   flat_world = { .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "floats", .tick_rate_hz = 60, .sections = sections,
                                     .section_count = 1, .init = init, .step = step };

static void reset(void)
{
    step_way = init_way = save_way = KEEP;
    puts_back = false;
    fesetround(FE_TONEAREST);
}

// Steps ten ticks; returns the tick of the fault, or 10. The sim is the caller's.
static uint64_t run(const tp_world *world, bool check, tp_sim **sim)
{
    tp_setup       setup = { .tick_rate_hz = 60 };
    tp_sim_options options = { .check_floats = check };
    tp_error       error = { "" };
    tp_row         row = { 0 };
    *sim = tp_sim_create(world, &setup, &options, &error);
    cr_assert_not_null(*sim, "%s", error.text);
    for (int i = 0; i < 10 && tp_sim_step(*sim, &row, &error) == TP_SIM_OK; i++) {
    }
    return tp_sim_tick(*sim);
}

static void expect_fault(const tp_world *world, bool check, const char *text)
{
    tp_sim  *sim = NULL;
    uint64_t before = sim_floats_now();
    cr_assert_eq(run(world, check, &sim), BAD_TICK);
    cr_assert_not_null(strstr(tp_sim_fault(sim)->what, text), "%s", tp_sim_fault(sim)->what);
    cr_assert_eq(tp_sim_fault(sim)->code, TP_FAULT_WORLD);
    cr_assert_eq(sim_floats_now(), before, "the controls are not what they were");
    tp_sim_destroy(sim);
}

Test(sim_floats, rounding_is_found, .init = reset)
{
    step_way = ROUND;
    expect_fault(&opaque_world, false, "rounding is upward, it was to nearest");
    expect_fault(&flat_world, true, "rounding is upward, it was to nearest");
}

Test(sim_floats, flushing_is_found, .init = reset)
{
    step_way = FLUSH;
#if defined(__SSE__)
    expect_fault(&opaque_world, false, "subnormal results are made zero (FTZ)");
#else
    expect_fault(&opaque_world, false, "it changed floating point for everybody");
#endif
}

#if defined(__x86_64__)
// Goal: a world that lets exceptions trap stops itself, and not everybody who puts its controls back.
Test(sim_floats, traps_are_found, .init = reset)
{
    step_way = TRAP;
    expect_fault(&opaque_world, false, "other exceptions trap");
    expect_fault(&flat_world, true, "other exceptions trap");
}
#endif

// Goal: a world that faults by itself keeps its own fault, but not what it did to everybody else.
Test(sim_floats, fault_of_its_own_puts_back_too, .init = reset)
{
    step_way = ROUND_AND_FAULT;
    expect_fault(&opaque_world, false, "its own fault");
}

Test(sim_floats, who_puts_back_is_left_alone, .init = reset)
{
    tp_sim *sim = NULL;
    step_way = ROUND;
    puts_back = true;
    cr_assert_eq(run(&opaque_world, false, &sim), 10);
    tp_sim_destroy(sim);
}

Test(sim_floats, flat_worlds_are_checked_on_request, .init = reset)
{
    tp_sim *sim = NULL;
    step_way = ROUND;
    cr_assert_eq(run(&flat_world, false, &sim), 10);
    cr_assert_eq(fegetround(), FE_UPWARD, "then nobody looks");
    tp_sim_destroy(sim);
    reset();
}

// Goal: what was there before the world is nobody's fault: a driver's setting, or a probe's.
Test(sim_floats, what_was_so_before_is_kept, .init = reset)
{
    tp_sim *sim = NULL;
    fesetround(FE_TOWARDZERO);
    cr_assert_eq(run(&opaque_world, false, &sim), 10);
    cr_assert_eq(fegetround(), FE_TOWARDZERO);
    tp_sim_destroy(sim);
    reset();
}

Test(sim_floats, init_is_refused, .init = reset)
{
    tp_setup setup = { .tick_rate_hz = 60 };
    tp_error error = { "" };
    init_way = ROUND;
    cr_assert_null(tp_sim_create(&opaque_world, &setup, NULL, &error));
    cr_assert_not_null(strstr(error.text, "in init: it changed floating point for everybody: rounding is upward"), "%s", error.text);
    cr_assert_eq(fegetround(), FE_TONEAREST);
}

// Goal: an engine may do as it likes while it saves and loads.
Test(sim_floats, save_and_load_are_put_back, .init = reset)
{
    tp_sim  *sim = NULL;
    uint8_t  bytes[8];
    size_t   size = 0;
    tp_error error;
    save_way = ROUND;
    cr_assert_eq(run(&opaque_world, false, &sim), 10);
    cr_assert(tp_sim_encode(sim, bytes, sizeof(bytes), &size));
    cr_assert(tp_sim_decode(sim, bytes, size, 3, 0, 0, &error));
    cr_assert_eq(fegetround(), FE_TONEAREST);
    tp_sim_destroy(sim);
}
