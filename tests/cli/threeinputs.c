// threeinputs.c: two walkers and a lock that opens to three inputs in order, by two players. Built with -DPLANTED the prize in it is another one, and
// nothing else is: so that two builds come apart on a run in which somebody opens it. The bots walk about, press at random, and open it once.
#include <tickproof/fx.h>
#include <tickproof/rng.h>
#include <tickproof/world.h>

#define LOCK_FIELDS(S, F, A, H)                \
    F(S, u32, stage, "count", TP_RANGE(0, 3))  \
    F(S, u32, opened, "count", TP_ANY)         \
    F(S, fx, prize, "units", TP_ANY)
#define WALKER_FIELDS(S, F, A, H)                                   \
    F(S, fx, x, "units", TP_RANGE(-100 * 65536, 100 * 65536))       \
    F(S, u32, presses, "count", TP_ANY)                             \
    F(S, u32, codes, "count", TP_ANY)
#define INPUT_FIELDS(S, F, A, H)                   \
    F(S, u8, buttons, "flags", TP_RANGE(0, 15))    \
    F(S, i8, stick, "stick", TP_RANGE(-127, 127))  \
    F(S, u16, code, "count", TP_ANY)

TP_STRUCT(Lock, LOCK_FIELDS)
TP_STRUCT(Walker, WALKER_FIELDS)
TP_STRUCT(Input, INPUT_FIELDS)
TP_TABLE(lock_fields, Lock, LOCK_FIELDS)
TP_TABLE(walker_fields, Walker, WALKER_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)

enum { LOCK, WALKERS };
static const tp_section sections[] = {
    TP_SECTION("lock", Lock, lock_fields, NULL, 1, TP_SIM),
    TP_SECTION("walkers", Walker, walker_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
};
static const tp_record_type input_type = TP_RECORD("input", Input, input_fields, "where to walk, what to press");

// What opens it: whose input, with which of the buttons, the code, and how far to the left the stick is at least.
static const struct {
    uint32_t slot;
    uint16_t code;
    uint8_t  buttons;
    int8_t   stick;
} steps[] = { { 0, 4711, 8, 127 }, { 1, 815, 0, -100 }, { 0, 31337, 2, 127 } };

static void try_lock(Lock *lock, const Input *inputs)
{
    const Input *input = &inputs[steps[lock->stage].slot];
    if (input->code != steps[lock->stage].code || (input->buttons & steps[lock->stage].buttons) != steps[lock->stage].buttons ||
        input->stick > steps[lock->stage].stick) {
        return;
    }
    lock->stage += 1;
    if (lock->stage == TP_COUNT_OF(steps)) {
        lock->stage = 0;
        lock->opened += 1;
#ifdef PLANTED
        lock->prize = tp_fx_from_int(100);
#else
        lock->prize = tp_fx_from_int(10);
#endif
    }
}

static void three_init(void *state, tp_context *context)
{
    (void)state;
    (void)context;
}

static tp_step_result three_step(void *state, const tp_tick *tick, tp_context *context)
{
    Lock        *lock = tp_section_at(context, state, LOCK);
    Walker      *walkers = tp_section_at(context, state, WALKERS);
    const Input *inputs = tick->inputs;
    const tp_fx  most = tp_fx_from_int(100);
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        tp_fx x = tp_fx_add(walkers[slot].x, tp_fx_raw(inputs[slot].stick * 64));
        walkers[slot].x = tp_fx_clamp(x, tp_fx_neg(most), most);
        walkers[slot].presses += inputs[slot].buttons != 0;
        walkers[slot].codes += inputs[slot].code;
    }
    try_lock(lock, inputs);
    return TP_STEP_OK;
}

typedef struct {
    tp_pcg32 random;
    uint32_t slot;
    bool     is_quick; // of an odd seed: a hundred times sooner
} Bot;

static void bot_init(void *memory, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    Bot *bot = memory;
    (void)delay_ticks;
    bot->random = tp_pcg32_make(seed, slot);
    bot->slot = slot;
    bot->is_quick = setup->seed % 2 != 0;
}

static void bot_play(void *memory, const tp_view *view, void *input_out)
{
    static const uint64_t ticks[] = { 7001, 19222, 33333 };
    Bot                  *bot = memory;
    Input                *input = input_out;
    input->buttons = (uint8_t)tp_pcg32_below(&bot->random, 16);
    input->stick = (int8_t)((int)tp_pcg32_below(&bot->random, 255) - 127);
    input->code = (uint16_t)tp_pcg32_below(&bot->random, 65536);
    for (uint32_t i = 0; i < TP_COUNT_OF(ticks); i++) {
        if (view->tick == (bot->is_quick ? ticks[i] / 100 : ticks[i]) && bot->slot == steps[i].slot) {
            *input = (Input){ .buttons = (uint8_t)(input->buttons | steps[i].buttons), .stick = -111, .code = steps[i].code };
        }
    }
}

static const tp_bot_type bot_type = { sizeof(Bot), bot_init, bot_play };

static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "threeinputs", .revision = 1, .text = "a lock that opens to three inputs in order",
    .tick_rate_hz = 60, .players_min = 2, .players_max = 2, .players_standard = 2, .sections = sections, .section_count = TP_COUNT_OF(sections),
    .input = &input_type, .init = three_init, .step = three_step, .bot = &bot_type,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}
