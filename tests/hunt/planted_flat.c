// planted_flat.c: the yard as a flat world.
#include "planted.h"

TP_TABLE(yard_fields, Yard, YARD_FIELDS)
TP_TABLE(cart_fields, Cart, CART_FIELDS)
TP_TABLE(tally_fields, Tally, TALLY_FIELDS)
TP_TABLE(driver_fields, Driver, DRIVER_FIELDS)
TP_TABLE(near_fields, Near, NEAR_FIELDS)

enum { YARD, CART, TALLY, DRIVER, NEAR };
static const tp_section sections[] = {
    TP_SECTION("yard", Yard, yard_fields, NULL, 1, TP_SIM),
    TP_SECTION("carts", Cart, cart_fields, NULL, CARTS, TP_SIM),
    TP_SECTION("tally", Tally, tally_fields, NULL, 1, TP_SIM),
    TP_SECTION("drivers", Driver, driver_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    TP_SECTION("near", Near, near_fields, NULL, 1, TP_DERIVED),
};

static Scene scene_of(void *state, tp_context *context, tp_pcg32 *dice, uint64_t tick)
{
    const Yard *yard = tp_section_at(context, state, YARD);
    *dice = (tp_pcg32){ yard->dice_state, yard->dice_increment };
    return (Scene){ .setup = context->setup, .dice = dice, .carts = tp_section_at(context, state, CART), .tick = tick,
                    .tally = tp_section_at(context, state, TALLY), .near = tp_section_at(context, state, NEAR) };
}

// What was counted once is kept up to date by every step; only who comes from an encoding counts again.
static void rebuild(void *state, tp_context *context)
{
    Near *near = tp_section_at(context, state, NEAR);
    if (!IS_PLANTED(STALE)) {
        near->carts = yard_count_near(tp_section_at(context, state, CART));
    }
}

static void keep_dice(void *state, tp_context *context, const tp_pcg32 *dice)
{
    Yard *yard = tp_section_at(context, state, YARD);
    *yard = (Yard){ dice->state, dice->increment };
}

static void init(void *state, tp_context *context)
{
    tp_pcg32 dice;
    Scene    scene = scene_of(state, context, &dice, 0);
    dice = tp_pcg32_make(context->setup->seed, 7);
    Near *near = tp_section_at(context, state, NEAR);
    yard_start(&scene, tp_section_at(context, state, DRIVER), tp_section_at(context, state, TALLY));
    near->carts = yard_count_near(scene.carts);
    keep_dice(state, context, &dice);
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    tp_pcg32 dice;
    Scene    scene = scene_of(state, context, &dice, tick->tick);
    Near *near = tp_section_at(context, state, NEAR);
    near->carts += (uint64_t)yard_step(&scene, tp_section_at(context, state, DRIVER), tp_section_at(context, state, TALLY), tick);
    keep_dice(state, context, &dice);
    return TP_STEP_OK;
}

static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "yard", .revision = 1, .text = "carts, and a chore for everything that may differ",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 4, .players_standard = 2,
    .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &yard_push,
    .init = init, .step = step, .rebuild = rebuild, .observer = &yard_watcher, .bot = &yard_bot,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}
