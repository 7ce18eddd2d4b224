// plotextreme.c: a world whose numbers are as large as they get, and move so little that a double hardly tells them apart.
#include "tickproof/world.h"

#define GAME_FIELDS(S, F, A, H)            \
    F(S, u64, rising, "points", TP_ANY)    \
    F(S, u64, falling, "points", TP_ANY)   \
    F(S, i64, deep, "points", TP_ANY)      \
    F(S, i64, wild, "units", TP_ANY)       \
    F(S, fx64, swing, "units", TP_ANY)     \
    F(S, u64, stamp, "ns", TP_ANY)         \
    F(S, i64, far_x, "units", TP_ANY)      \
    F(S, i64, far_y, "units", TP_ANY)
#define INPUT_FIELDS(S, F, A, H) F(S, i8, push, "stick", TP_RANGE(-127, 127))

TP_STRUCT(Game, GAME_FIELDS)
TP_STRUCT(Input, INPUT_FIELDS)
TP_TABLE(game_fields, Game, GAME_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)

static const tp_section     sections[] = { TP_SECTION("game", Game, game_fields, NULL, 1, TP_SIM) };
static const tp_record_type input = TP_RECORD("input", Input, input_fields, "nothing comes of it");

static void move(Game *game, uint64_t tick)
{
    game->wild = tick % 2 == 0 ? INT64_MIN : INT64_MAX;
    game->swing.raw = game->wild;
    game->far_x = (INT64_C(1) << 60) - (int64_t)(tick % 3);
    game->far_y = -(INT64_C(1) << 60) + (int64_t)(tick % 5) * 1000;
}

static void init(void *state, tp_context *context)
{
    Game *game = tp_section_at(context, state, 0);
    game->rising = UINT64_C(1) << 62;
    game->falling = (UINT64_C(1) << 63) + 20;
    game->deep = INT64_MIN;
    game->stamp = UINT64_C(1764513600000000000);
    move(game, 0);
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    Game *game = tp_section_at(context, state, 0);
    game->rising++;
    game->falling--;
    game->deep++;
    game->stamp += 3;
    move(game, tick->tick + 1);
    return TP_STEP_OK;
}

static const tp_world extreme = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "extreme", .revision = 1, .text = "numbers at the edge", .tick_rate_hz = 60,
    .players_min = 0, .players_max = 2, .players_standard = 1, .sections = sections, .section_count = 1, .input = &input, .init = init, .step = step,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &extreme;
}
