// noisyworld.c: see noisyworld.h.
#include "noisyworld.h"

TP_TABLE(input_fields, NoisyInput, NOISYWORLD_INPUT_FIELDS)
TP_TABLE(total_fields, NoisyTotal, NOISYWORLD_TOTAL_FIELDS)
TP_TABLE(shout_fields, NoisyShout, NOISYWORLD_SHOUT_FIELDS)

static const tp_section     sections[] = { TP_SECTION("totals", NoisyTotal, total_fields, NULL, NOISYWORLD_PLAYERS, TP_SIM) };
static const tp_record_type input_type = TP_RECORD("input", NoisyInput, input_fields, "how often to shout, how loud, and danger");
static const tp_record_type commands[] = { TP_RECORD_BYTES("hush", 512, "one total less") };
static const tp_record_type events[] = {
    TP_RECORD("shout", NoisyShout, shout_fields, "somebody shouted"),
    TP_RECORD_EMPTY("tick", "every tenth tick"),
};

static void init(void *state, tp_context *context)
{
    NoisyTotal *totals = tp_section_at(context, state, 0);
    totals[0].shouts = context->setup->seed % 5;
}

static void shout(NoisyTotal *totals, uint32_t slot, uint8_t bits, tp_context *context)
{
    NoisyShout event = { .slot = slot, .loud = (bits & NOISYWORLD_LOUD) != 0 ? (uint32_t)totals[0].shouts : 0 };
    for (uint32_t i = 0; i < (uint32_t)(bits & NOISYWORLD_COUNT); i++) {
        tp_emit(context, NOISYWORLD_EVENT_SHOUT, &event);
        totals[slot % NOISYWORLD_PLAYERS].shouts += 1;
        totals[0].shouts += 1 + (bits >> 4);
    }
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    NoisyTotal       *totals = tp_section_at(context, state, 0);
    const NoisyInput *inputs = tick->inputs;
    uint32_t          danger = 0;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        if (tp_tick_present(tick, slot)) {
            shout(totals, slot, inputs[slot].bits, context);
            danger += (inputs[slot].bits & NOISYWORLD_DANGER) != 0 ? 1 : 0;
        }
    }
    if (danger > 1) {
        TP_FAULT(TP_FAULT_WORLD, "two in danger");
    }
    if (tick->tick % 10 == 0) {
        tp_emit(context, NOISYWORLD_EVENT_TICK, NULL);
    }
    totals[0].shouts -= tick->command_count > 0 && totals[0].shouts > 0 ? 1 : 0;
    return TP_STEP_OK;
}

static tp_step_result step_wrong(void *state, const tp_tick *tick, tp_context *context)
{
    NoisyTotal *totals = tp_section_at(context, state, 0);
    totals[1].shouts += tick->tick >= NOISYWORLD_WRONG_TICK ? 1 : 0;
    return step(state, tick, context);
}

#define NOISYWORLD(function)                                                                                                             \
    {                                                                                                                                    \
        .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "noisy", .revision = 1, .text = "events and faults for tests",     \
        .tick_rate_hz = 60, .players_min = 0, .players_max = NOISYWORLD_PLAYERS, .players_standard = 2, .sections = sections,            \
        .section_count = TP_COUNT_OF(sections), .input = &input_type, .commands = commands, .command_count = TP_COUNT_OF(commands),      \
        .events = events, .event_count = TP_COUNT_OF(events), .events_max = NOISYWORLD_EVENTS_MAX, .init = init, .step = function,       \
    }

const tp_world noisyworld = NOISYWORLD(step);
const tp_world noisyworld_wrong = NOISYWORLD(step_wrong);
