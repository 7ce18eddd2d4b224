// bad_world.c: worlds that break the contract, each by one flag: -DUNCOVERED, -DBAD_RANGE, -DOTHER_ABI.
#include <tickproof/world.h>

typedef struct {
    uint32_t count;
    uint8_t  flag;
#ifdef UNCOVERED
    uint8_t gap[3]; // what a compiler's padding would be
#else
    uint8_t reserved[3];
#endif
} State;

static const tp_field fields[] = {
#ifdef BAD_RANGE
    { "count", "count", TP_TYPE_U32, 1, 0, 4, TP_RANGE(-1, 10) },
#else
    { "count", "count", TP_TYPE_U32, 1, 0, 4, TP_ANY },
#endif
    { "flag", "flag", TP_TYPE_U8, 1, 4, 1, TP_BOOL },
#ifndef UNCOVERED
    { "reserved", "zero", TP_TYPE_U8, 3, 5, 3, TP_ZERO },
#endif
};
static const tp_section sections[] = { TP_SECTION("state", State, fields, NULL, 1, TP_SIM) };

static void init(void *state, tp_context *context)
{
    (void)state;
    (void)context;
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    State *s = state;
    (void)tick;
    (void)context;
    s->count += 1;
    return TP_STEP_OK;
}

static const tp_world world = {
    .struct_size = sizeof(tp_world),
#ifdef OTHER_ABI
    .abi = TP_WORLD_ABI + 1,
#else
    .abi = TP_WORLD_ABI,
#endif
    .name = "bad", .revision = 1, .text = "breaks the contract on request", .tick_rate_hz = 60,
    .sections = sections, .section_count = 1, .init = init, .step = step,
};

const tp_world *tickproof_world(void)
{
    return &world;
}
