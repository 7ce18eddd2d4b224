// axis_set.c: the list of axes that a process knows, their values, and the hooks that they hang in.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "axis_internal.h"
#include "cli.h"

const char axis_help[] =
    "      block=BYTES      the state's block lies so far behind a multiple of 64; a multiple of 16, up to 1048576\n"
    "      slack=BYTE       what no world may read (gaps between sections, around the block, unused parts of buffers) holds this\n"
    "      stack=BYTE       the unused stack below each step holds this\n"
    "      heap=BYTE        what the heap gives out and takes back holds this\n"
    "      place=BYTES      what comes from the heap lies so much further on\n"
    "      locale=NAME      the process has this locale; 'comma': one made for the purpose, with a comma for a decimal point\n"
    "      tz=ZONE          the process has this time zone, as TZ has it\n"
    "      rounding=MODE    floating point rounds up, down or to zero inside the world's calls\n"
    "      denormals=flush  floating point takes denormal numbers for zero there\n"
    "      restore=TICKS    every so many ticks the world is stepped with other inputs, and its snapshot brought back\n"
    "      carry=SEED       the same at random ticks, and the state comes back from its encoding\n"
    "      observer=on      the world's observer, bots and description look on, and the state is encoded after every tick\n"
    "      touch=all        the host takes every byte of the block for changed in every tick\n"
    "      threads=N:FILE   N - 1 other threads step the log FILE at the same time; what they come to is FILE.1.tpt, ...\n"
    "      before=FILE      the log FILE is stepped first, in the same process\n"
    "      strict[=FILE]    what a step asks of the system is noted: clock, entropy, files, locale, environment, threads, memory\n"
    "      clock=SECONDS    the clock is so far off, with a sign; 'frozen': it stands still\n"
    "      entropy=fixed    the system's random bytes are always the same\n"
    "      schedule=SEED    threads that the world makes start with small delays\n"
    "      pad=TEXT         nothing: makes command lines equally long, so that addresses on the stack are\n"
    "  BYTE and SEED are decimal or 0x hexadecimal. The last four but pad, and strict, need libtickproof-strict.so loaded before the\n"
    "  program (LD_PRELOAD); 'tickproof perturb' does that.\n";

void axis_fail(AxisState *state, const char *format, ...)
{
    va_list arguments;
    if (state->has_failed) {
        return;
    }
    state->has_failed = true;
    va_start(arguments, format);
    vsnprintf(state->failure, sizeof(state->failure), format, arguments);
    va_end(arguments);
}

bool axis_not_here(const char *argument, const char *why)
{
    cli_fail(TP_USAGE, "--perturb %s: " AXIS_NOT_HERE ": %s", argument, why);
    return false;
}

static bool refuse(const char *argument, const char *wanted)
{
    cli_fail(TP_USAGE, "--perturb %s: give %s; see 'tickproof trace --help'", argument, wanted);
    return false;
}

static bool take_byte(const char *argument, const char *value, bool *has, uint8_t *out)
{
    uint64_t number = 0;
    if (!args_parse_u64(value, &number) || number > 0xFF) {
        return refuse(argument, "a byte, such as 0xA5");
    }
    *has = true;
    *out = (uint8_t)number;
    return true;
}

static bool take_block(AxisState *state, const char *argument, const char *value)
{
    uint64_t number = 0;
    if (!args_parse_u64(value, &number) || number > 1 << 20 || number % 16 != 0) {
        return refuse(argument, "a multiple of 16 up to 1048576");
    }
    state->probe.block_offset = (uint32_t)number;
    return true;
}

static bool take_slack(AxisState *state, const char *argument, const char *value)
{
    return take_byte(argument, value, &state->probe.has_fill, &state->probe.fill);
}

static bool take_stack(AxisState *state, const char *argument, const char *value)
{
    return take_byte(argument, value, &state->has_stack, &state->stack);
}

static bool take_heap(AxisState *state, const char *argument, const char *value)
{
    return take_byte(argument, value, &state->has_heap, &state->heap) && axis_memory_heap(state, argument, state->heap);
}

static bool take_place(AxisState *state, const char *argument, const char *value)
{
    uint64_t number = 0;
    if (!args_parse_u64(value, &number) || number == 0 || number > 1 << 24) {
        return refuse(argument, "1 to 16777216 bytes");
    }
    state->place = (size_t)number;
    return true;
}

static bool take_locale(AxisState *state, const char *argument, const char *value)
{
    (void)state;
    return axis_locale_take(argument, value);
}

static bool take_zone(AxisState *state, const char *argument, const char *value)
{
    (void)state;
    (void)argument;
    return axis_zone_take(value);
}

static bool take_flush(AxisState *state, const char *argument, const char *value)
{
    return strcmp(value, "flush") == 0 ? axis_flush_take(state, argument) : refuse(argument, "flush");
}

static bool take_restore(AxisState *state, const char *argument, const char *value)
{
    uint64_t number = 0;
    if (!args_parse_u64(value, &number) || number == 0 || number > 1 << 30) {
        return refuse(argument, "1 to 1073741824 ticks");
    }
    state->restore_ticks = (uint32_t)number;
    return true;
}

static bool take_carry(AxisState *state, const char *argument, const char *value)
{
    state->has_carry = true;
    return args_parse_u64(value, &state->carry_seed) || refuse(argument, "a seed");
}

static bool take_observer(AxisState *state, const char *argument, const char *value)
{
    state->observes = true;
    return strcmp(value, "on") == 0 || refuse(argument, "on");
}

static bool take_touch(AxisState *state, const char *argument, const char *value)
{
    state->lends = true;
    return strcmp(value, "all") == 0 || refuse(argument, "all");
}

static bool is_there(const char *argument, const char *path)
{
    if (access(path, R_OK) != 0) {
        cli_fail(TP_USAGE, "--perturb %s: opening the log: %s", argument, strerror(errno));
        return false;
    }
    return true;
}

static bool take_threads(AxisState *state, const char *argument, const char *value)
{
    char        count[8] = "";
    uint64_t    number = 0;
    const char *colon = strchr(value, ':');
    if (colon != NULL && colon[1] != '\0' && (size_t)(colon - value) < sizeof(count)) {
        memcpy(count, value, (size_t)(colon - value));
    }
    if (!args_parse_u64(count, &number) || number < 2 || number > AXIS_THREADS_MAX) {
        return refuse(argument, "2 to 16 threads and a log, such as 4:match.tpr");
    }
    state->threads = (uint32_t)number;
    state->beside = colon + 1;
    return is_there(argument, state->beside);
}

static bool take_before(AxisState *state, const char *argument, const char *value)
{
    state->earlier = value;
    return value[0] != '\0' ? is_there(argument, value) : refuse(argument, "a log");
}

static bool take_strict(AxisState *state, const char *argument, const char *value)
{
    return axis_strict_record(state, argument, value[0] == '\0' ? NULL : value);
}

static bool take_clock(AxisState *state, const char *argument, const char *value)
{
    (void)state;
    return axis_strict_clock(argument, value);
}

static bool take_entropy(AxisState *state, const char *argument, const char *value)
{
    (void)state;
    return strcmp(value, "fixed") == 0 ? axis_strict_entropy(argument) : refuse(argument, "fixed");
}

static bool take_schedule(AxisState *state, const char *argument, const char *value)
{
    uint64_t seed = 0;
    (void)state;
    return args_parse_u64(value, &seed) ? axis_strict_schedule(argument, seed) : refuse(argument, "a seed");
}

static bool take_pad(AxisState *state, const char *argument, const char *value)
{
    (void)state;
    (void)argument;
    (void)value;
    return true;
}

static const struct {
    const char *name;
    bool (*take)(AxisState *state, const char *argument, const char *value);
} axes[] = {
    { "block", take_block },       { "slack", take_slack },     { "stack", take_stack },       { "heap", take_heap },
    { "place", take_place },       { "locale", take_locale },   { "tz", take_zone },           { "rounding", axis_rounding_take },
    { "denormals", take_flush },   { "restore", take_restore }, { "carry", take_carry },       { "observer", take_observer },
    { "touch", take_touch },       { "threads", take_threads }, { "before", take_before },     { "strict", take_strict },
    { "clock", take_clock },       { "entropy", take_entropy }, { "schedule", take_schedule }, { "pad", take_pad },
};

bool axis_add(AxisSet *set, const char *argument)
{
    size_t      length = strcspn(argument, "=");
    const char *value = argument[length] == '=' ? argument + length + 1 : "";
    // Always the same allocation, whatever the axes: what comes from the heap later lies where it lies in every other run.
    set->state = set->state != NULL ? set->state : calloc(1, sizeof(*set->state));
    if (set->state == NULL) {
        cli_fail(TP_INTERNAL, "--perturb: out of memory");
        return false;
    }
    set->is_used = true;
    for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
        if (strlen(axes[i].name) == length && memcmp(axes[i].name, argument, length) == 0) {
            return axes[i].take(set->state, argument, value);
        }
    }
    cli_fail(TP_USAGE, "--perturb %s: there is no such axis; 'tickproof trace --help' lists them", argument);
    return false;
}

void axis_before_world(AxisSet *set)
{
    if (set->is_used) {
        axis_memory_begin(set->state);
    }
}

// The array is this function's own, so that it lies where the frames of the world's function will.
static __attribute__((noinline)) void before_call(void *to, bool is_step, uint64_t tick)
{
    enum { WORDS = 8192 };
    AxisState        *state = to;
    volatile uint64_t unused[WORDS];
    axis_memory_stir(state);
    if (is_step) {
        axis_strict_enter(tick);
    }
    axis_float_enter(state);
    if (state->has_stack) {
        uint64_t word = state->stack * UINT64_C(0x0101010101010101);
        for (size_t i = 0; i < WORDS; i++) {
            unused[i] = word;
        }
        (void)unused[WORDS - 1];
    }
}

static void after_call(void *to, bool is_step, uint64_t tick)
{
    AxisState *state = to;
    (void)tick;
    axis_float_leave(state);
    if (is_step) {
        axis_strict_leave();
    }
}

static void each_tick(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    AxisState *state = to;
    if (is_finished) {
        axis_state_after(state, sim);
    } else {
        axis_runs_tick(state);
        axis_state_before(state, sim, tick);
    }
    if (state->each_tick != NULL) {
        state->each_tick(state->each_to, sim, tick, is_finished);
    }
}

void axis_prepare(AxisSet *set, tp_trace_options *options)
{
    AxisState *state = set->state;
    if (!set->is_used) {
        return;
    }
    if (!axis_runs_begin(state, options)) {
        return; // said at the end
    }
    set->sim = options->sim != NULL ? *options->sim : (tp_sim_options){ 0 };
    state->probe.before = before_call;
    state->probe.after = after_call;
    state->probe.to = state;
    state->each_tick = options->each_tick;
    state->each_to = options->each_to;
    set->sim.probe = &state->probe;
    axis_state_prepare(state, set);
    options->sim = &set->sim;
    options->each_tick = each_tick;
    options->each_to = state;
}

bool axis_conclude(AxisSet *set)
{
    AxisState *state = set->state;
    if (!set->is_used) {
        return true;
    }
    axis_runs_conclude(state);
    axis_strict_conclude(state);
    if (state->has_failed) {
        cli_fail(TP_INTERNAL, "--perturb: %s", state->failure);
    }
    return !state->has_failed;
}

void axis_finish(AxisSet *set)
{
    if (set->state != NULL) {
        axis_runs_finish(set->state);
        axis_state_finish(set->state);
        axis_memory_finish(set->state);
        free(set->state);
    }
    *set = (AxisSet){ 0 };
}
