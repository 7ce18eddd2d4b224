// ferry.c: a whole world. Everybody pushes one ferry; whoever stands on it when it lands scores.
#include <tickproof/pool.h>
#include <tickproof/world.h>

#define FERRY_FIELDS(S, F, A, H)                                   \
    F(S, fx, x, "units", TP_RANGE(-100 * 65536, 100 * 65536))      \
    F(S, fx, speed, "units/tick", TP_RANGE(-4 * 65536, 4 * 65536)) \
    F(S, u32, landings, "count", TP_ANY)
#define CREW_FIELDS(S, F, A, H) F(S, u32, score, "points", TP_ANY)
#define INPUT_FIELDS(S, F, A, H) F(S, i8, push, "stick", TP_RANGE(-127, 127))
#define LANDED_FIELDS(S, F, A, H) F(S, fx, x, "units", TP_ANY)

TP_STRUCT(Ferry, FERRY_FIELDS)
TP_STRUCT(Crew, CREW_FIELDS)
TP_STRUCT(Input, INPUT_FIELDS)
TP_STRUCT(Landed, LANDED_FIELDS)
TP_TABLE(ferry_fields, Ferry, FERRY_FIELDS)
TP_TABLE(crew_fields, Crew, CREW_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)
TP_TABLE(landed_fields, Landed, LANDED_FIELDS)

enum { FERRY, CREW };
static const tp_section sections[] = {
    TP_SECTION("ferry", Ferry, ferry_fields, NULL, 1, TP_SIM),
    TP_SECTION("crew", Crew, crew_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
};
static const tp_record_type input = TP_RECORD("input", Input, input_fields, "how hard to push");
static const tp_record_type events[] = { TP_RECORD("landed", Landed, landed_fields, "the ferry reached a bank") };

static void ferry_init(void *state, tp_context *context)
{
    Ferry *ferry = tp_section_at(context, state, FERRY);
    ferry->speed = tp_fx_raw((int32_t)(context->setup->seed % 1000));
}

static tp_step_result ferry_step(void *state, const tp_tick *tick, tp_context *context)
{
    Ferry       *ferry = tp_section_at(context, state, FERRY);
    Crew        *crew = tp_section_at(context, state, CREW);
    const Input *inputs = tick->inputs;
    const tp_fx  most = tp_fx_from_int(4), bank = tp_fx_from_int(100);
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        ferry->speed = tp_fx_add(ferry->speed, tp_fx_raw(inputs[slot].push * 16)); // absent slots push with 0
    }
    ferry->speed = tp_fx_clamp(ferry->speed, tp_fx_neg(most), most);
    tp_fx x = tp_fx_add(ferry->x, ferry->speed);
    ferry->x = tp_fx_clamp(x, tp_fx_neg(bank), bank);
    if (x.raw != ferry->x.raw) {
        Landed landed = { ferry->x };
        tp_emit(context, 0, &landed);
        ferry->landings += 1;
        ferry->speed = tp_fx_raw(0);
        for (uint32_t slot = 0; slot < tick->players; slot++) {
            crew[slot].score += tp_tick_present(tick, slot) ? 1 : 0;
        }
    }
    return TP_STEP_OK;
}

static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "ferry", .revision = 1, .text = "one ferry, many crews",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 16, .players_standard = 2,
    .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &input,
    .events = events, .event_count = 1, .events_max = 1, .init = ferry_init, .step = ferry_step,
};

const tp_world *tickproof_world(void)
{
    return &world;
}
