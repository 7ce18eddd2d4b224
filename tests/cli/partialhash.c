// partialhash.c: an opaque world whose own hash leaves out a part of what it saves. Built with -DPLANTED that part is another one from tick 25 on, and
// what is hashed takes it up at tick 200. With -DPLANTED_INIT its first state is another one.
#include <stdlib.h>
#include <string.h>

#include "tickproof/world.h"

#define NUMBERS_FIELDS(S, F, A, H) F(S, u8, force, "stick", TP_ANY)
TP_STRUCT(Numbers, NUMBERS_FIELDS)
TP_TABLE(numbers_fields, Numbers, NUMBERS_FIELDS)

typedef struct {
    unsigned char seen, hidden, forces;
} State;

static size_t size_max(const tp_setup *setup)
{
    (void)setup;
    return sizeof(State);
}

static void *create(const tp_setup *setup)
{
    (void)setup;
    return calloc(1, sizeof(State));
}

static bool save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    *size = sizeof(State);
    if (capacity < sizeof(State)) {
        return false;
    }
    memcpy(bytes, instance, sizeof(State));
    return true;
}

static bool load(void *instance, const void *bytes, size_t size)
{
    if (size != sizeof(State)) {
        return false;
    }
    memcpy(instance, bytes, size);
    return true;
}

static uint64_t hash(const void *instance, tp_hash_algorithm algorithm)
{
    const State *state = instance;
    (void)algorithm;
    return (uint64_t)state->seen << 8 | state->forces;
}

static void world_init(void *instance, tp_context *context)
{
    State *state = instance;
    (void)context;
#ifdef PLANTED_INIT
    state->seen = 9;
#else
    state->seen = 1;
#endif
}

static tp_step_result world_step(void *instance, const tp_tick *tick, tp_context *context)
{
    State         *state = instance;
    const Numbers *numbers = tick->inputs;
    (void)context;
    state->forces = (unsigned char)(state->forces + numbers[0].force);
#ifdef PLANTED
    state->hidden = tick->tick >= 25 ? 7 : 0;
#endif
    if (tick->tick == 200) {
        state->seen = (unsigned char)(state->seen + state->hidden);
    }
    return TP_STEP_OK;
}

static const tp_opaque      opaque = { size_max, create, free, save, load, hash };
static const tp_record_type input = TP_RECORD("numbers", Numbers, numbers_fields, "what is added");

static const tp_world world = {
    .struct_size = sizeof(tp_world),
    .abi = TP_WORLD_ABI,
    .name = "partialhash",
    .revision = 1,
    .text = "a part of it is not hashed",
    .tick_rate_hz = 60,
    .players_min = 1,
    .players_max = 1,
    .players_standard = 1,
    .input = &input,
    .opaque = &opaque,
    .init = world_init,
    .step = world_step,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}
