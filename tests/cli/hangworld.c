// hangworld.c: a world for the tests of the command line, in a shared library: it counts, and at a tick that its config
// names it does what no world may: never return, crash, or fault. Recorded with an end before that tick the log is fine;
// the environment variable HANGWORLD makes the very same log go wrong, as a broken build would.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tickproof/world.h"

#define COUNTER_FIELDS(S, F, A, H)         \
    F(S, u64, count, "ticks", TP_ANY)      \
    F(S, u64, sum, "units", TP_ANY)
TP_STRUCT(Counter, COUNTER_FIELDS)
TP_TABLE(counter_fields, Counter, COUNTER_FIELDS)

#define INPUT_FIELDS(S, F, A, H)                                        \
    F(S, u64, big, "units", TP_ANY)                                     \
    F(S, fx, half, "units", TP_RANGE(-65536, 65536))                    \
    F(S, u8, mode, "mode", TP_ENUM(3, modes))                           \
    A(S, u8, pair, 3, "units", TP_RANGE(0, 9))
static const char *const modes[] = { "calm", "quick", "wild" };
TP_STRUCT(Input, INPUT_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)

static const tp_section     sections[] = { TP_SECTION("counter", Counter, counter_fields, NULL, 1, TP_SIM) };
static const tp_record_type input = TP_RECORD("input", Input, input_fields, "every kind of value");
static const tp_record_type commands[] = { TP_RECORD_BYTES("raw", 8, "bytes that are added") };
static const tp_config_item config[] = { { "fault_tick", "ticks", "the step that faults; 0 for none", 0, 0, 1000000 } };

static void init(void *state, tp_context *context)
{
    Counter *counter = tp_section_at(context, state, 0);
    counter->sum = context->setup->seed;
}

static void misbehave(uint64_t tick)
{
    const char *how = getenv("HANGWORLD");
    if (how == NULL || tick != 50) {
        return;
    }
    if (strcmp(how, "crash") == 0) {
        raise(SIGABRT); // not SIGSEGV, which a sanitizer's build takes for itself
    }
    for (volatile int i = 1; strcmp(how, "hang") == 0 && i != 0;) {
    }
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    Counter     *counter = tp_section_at(context, state, 0);
    const Input *inputs = tick->inputs;
    const char  *how = getenv("HANGWORLD");
    misbehave(tick->tick);
    if (tick->tick > 0 && (int64_t)tick->tick == context->setup->config[0]) {
        TP_FAULT(TP_FAULT_WORLD, "the config asked for it");
    }
    counter->count++;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        counter->sum += inputs[slot].big + (uint32_t)inputs[slot].half.raw + inputs[slot].mode + inputs[slot].pair[2];
    }
    for (uint32_t i = 0; i < tick->command_count; i++) {
        counter->sum += tick->commands[i].size + tick->commands[i].type;
    }
    counter->sum += how != NULL && strcmp(how, "diverge") == 0 && tick->tick == 50 ? 1 : 0;
    return TP_STEP_OK;
}

static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "hangworld", .revision = 1, .text = "counts, or does not come back",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 4, .players_standard = 2,
    .config = config, .config_count = 1, .sections = sections, .section_count = 1, .input = &input, .commands = commands, .command_count = 1,
    .init = init, .step = step,
};

// What a library can do to the process that loads it: code of its own runs before and after any question is asked.
__attribute__((constructor)) static void on_load(void)
{
    const char *how = getenv("HANGWORLD");
    if (how != NULL && strcmp(how, "exit-on-load") == 0) {
        _Exit(0);
    }
    for (volatile int i = 1; how != NULL && strcmp(how, "hang-on-load") == 0 && i != 0;) {
    }
}

__attribute__((destructor)) static void on_unload(void)
{
    const char *how = getenv("HANGWORLD");
    if (how != NULL && strcmp(how, "exit-on-unload") == 0) {
        _Exit(0);
    }
}

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}
