// fighter_world.c: the world as the host sees it: tables, init, what foreign bytes must satisfy, and the border for inputs.
//
// Events of one tick: each fighter joins or leaves, or neither; jumps or lands, or neither, since a jump ends its tick 8 units
// above the floor; and comes to a wall at most once. That is 3 for each of 100, whatever the state, so none is ever dropped.
//
// There is no `predict`: the host repeats the last input. Sticks and buttons are held for many ticks, and a jump held on is
// the same jump until the next landing, so that a repeated input is the best guess and never a second press.
#include "fighter_state.h"

#include "fighter_bot.h"
#include "fighter_observe.h"
#include "fighter_step.h"
#include "fighter_text.h"
#include "tickproof/rng.h"

_Static_assert(FIGHTER_EVENTS_MAX == 3 * FIGHTER_PLAYERS_MAX, "three events a fighter, see above");

const char *const fighter_label_names[FIGHTER_LABEL_COUNT] = { "idle", "walk", "airborne", "hitstun" };
const char *const fighter_facing_names[FIGHTER_FACING_COUNT] = { "left", "right" };
const char *const fighter_seat_names[FIGHTER_SEAT_COUNT] = { "empty", "joining", "playing" };

TP_TABLE(match_fields, FighterMatch, FIGHTER_MATCH_FIELDS)
TP_TABLE(stage_fields, FighterStage, FIGHTER_STAGE_FIELDS)
TP_TABLE(fighter_fields, Fighter, FIGHTER_FIGHTER_FIELDS)
TP_TABLE(input_fields, FighterInput, FIGHTER_INPUT_FIELDS)
TP_TABLE(place_fields, FighterPlace, FIGHTER_PLACE_FIELDS)

static const tp_section sections[FIGHTER_SECTION_COUNT] = {
    [FIGHTER_SECTION_MATCH] = TP_SECTION("match", FighterMatch, match_fields, NULL, 1, TP_SIM),
    [FIGHTER_SECTION_STAGE] = TP_SECTION("stage", FighterStage, stage_fields, NULL, 1, TP_SIM),
    [FIGHTER_SECTION_FIGHTERS] = TP_SECTION("fighters", Fighter, fighter_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
};

static const tp_record_type input =
    TP_RECORD("pad", FighterInput, input_fields, "held: jump 1, attack 2, shield 4, grab 8, special 16; sticks -127 to 127");

static const tp_record_type events[FIGHTER_EVENT_COUNT] = {
    [FIGHTER_EVENT_JOINED] = TP_RECORD("joined", FighterPlace, place_fields, "somebody took a slot after the first tick"),
    [FIGHTER_EVENT_LEFT] = TP_RECORD("left", FighterPlace, place_fields, "somebody left a slot; the fighter stays and falls"),
    [FIGHTER_EVENT_JUMPED] = TP_RECORD("jumped", FighterPlace, place_fields, "a fighter took off"),
    [FIGHTER_EVENT_LANDED] = TP_RECORD("landed", FighterPlace, place_fields, "a fighter came down to the floor"),
    [FIGHTER_EVENT_WALL] = TP_RECORD("wall", FighterPlace, place_fields, "a fighter came to a wall"),
};

static void init(void *block, tp_context *context)
{
    FighterState state = fighter_state_open(block, context);
    state.match->rng = tp_xorshift64s_from_seed(context->setup->seed).state;
    *state.stage = (FighterStage){
        .floor = { FIGHTER_RAW(FIGHTER_STAGE_FLOOR) },
        .left  = { FIGHTER_RAW(FIGHTER_STAGE_LEFT) },
        .right = { FIGHTER_RAW(FIGHTER_STAGE_RIGHT) },
    };
    for (uint32_t i = 0; i < state.fighter_count; i++) {
        state.fighters[i] = fighter_people_spawn(state.stage, i, state.fighter_count);
    }
}

static int8_t sanitise_stick(int8_t value)
{
    return value < -FIGHTER_STICK_MAX ? -FIGHTER_STICK_MAX : value;
}

// A button this world does not know is dropped. Clamping, as the host would do it, would press all those it does know.
static void sanitise(void *border)
{
    FighterInput *pad = border;
    pad->buttons &= FIGHTER_BUTTONS;
    pad->stick_x = sanitise_stick(pad->stick_x);
    pad->stick_y = sanitise_stick(pad->stick_y);
    pad->c_x = sanitise_stick(pad->c_x);
    pad->c_y = sanitise_stick(pad->c_y);
}

// All there is in the air is a jump, and a jump has one height for each of its velocities: after n ticks the velocity is
// 8 - (n - 1) / 2 and the height 8n - n(n - 1) / 4.
static bool is_on_a_jump(const FighterStage *stage, const Fighter *fighter)
{
    int32_t slowed = FIGHTER_JUMP_RAW - fighter->velocity_y.raw;
    int32_t ticks = slowed / FIGHTER_GRAVITY_RAW + 1;
    int32_t height = ticks * FIGHTER_JUMP_RAW - ticks * (ticks - 1) / 2 * FIGHTER_GRAVITY_RAW;
    return slowed % FIGHTER_GRAVITY_RAW == 0 && fighter->y.raw - stage->floor.raw == height;
}

static const char *validate_fighter(const FighterStage *stage, const Fighter *fighter)
{
    FighterLabel label = fighter_move_label(stage, fighter);
    bool is_at_a_wall = tp_fx_equal(fighter->x, stage->left) || tp_fx_equal(fighter->x, stage->right);
    if (fighter->label != label) {
        return "a fighter's label is not what it is doing";
    }
    if (label == FIGHTER_LABEL_AIRBORNE && !is_on_a_jump(stage, fighter)) {
        return "a fighter is in the air, and on no jump";
    }
    if (label != FIGHTER_LABEL_AIRBORNE && fighter->velocity_y.raw != 0) {
        return "a fighter rises or falls on the floor";
    }
    if (is_at_a_wall && fighter->velocity_x.raw != 0) {
        return "a fighter moves at a wall that ends its moves";
    }
    if (fighter->seat == FIGHTER_SEAT_EMPTY && fighter->velocity_x.raw != 0) {
        return "a fighter walks, and nobody has its slot";
    }
    return NULL;
}

static const char *validate(const void *block, const tp_context *context)
{
    // Opened for reading only: the view's pointers are not const, since the step shares it.
    const FighterState state = fighter_state_open((void *)(uintptr_t)block, context);
    const char *fault = state.match->rng == 0 ? "the generator's word is 0" : NULL;
    for (uint32_t i = 0; fault == NULL && i < state.fighter_count; i++) {
        fault = validate_fighter(state.stage, &state.fighters[i]);
    }
    return fault;
}

const tp_world fighter_world = {
    .struct_size      = sizeof(tp_world),
    .abi              = TP_WORLD_ABI,
    .name             = "fighter",
    .revision         = 1,
    .text             = "platform fighter: nobody to a hundred, one flat stage, walking and jumping",
    .tick_rate_hz     = FIGHTER_TICK_RATE_HZ,
    .players_min      = 0,
    .players_max      = FIGHTER_PLAYERS_MAX,
    .players_standard = 2,
    .sections         = sections,
    .section_count    = FIGHTER_SECTION_COUNT,
    .input            = &input,
    .events           = events,
    .event_count      = FIGHTER_EVENT_COUNT,
    .events_max       = FIGHTER_EVENTS_MAX,
    .init             = init,
    .step             = fighter_step,
    .validate         = validate,
    .sanitise         = sanitise,
    .describe         = fighter_text_describe,
    .observer         = &fighter_observer,
    .bot              = &fighter_bot,
};
