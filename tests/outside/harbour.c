// harbour.c: a larger world than ferry.c, with everything a world may have: a pool with handles, commands, several events, configuration, content, a generator,
// validate, describe, an observer and a bot. Ships come in, cranes unload them, storms drive them against the quay.
#include <stdio.h>

#include <tickproof/pool.h>
#include <tickproof/rng.h>
#include <tickproof/world.h>

// State.

enum { SHIP_COMING = 0, SHIP_AT_QUAY = 1, SHIP_LEAVING = 2 };
static const char *const ship_phases[] = { "coming", "at_quay", "leaving" };

#define SHIP_FIELDS(S, F, A, H)                                      \
    F(S, fx, distance, "units", TP_RANGE(-10 * 65536, 200 * 65536))  \
    F(S, fx, speed, "units/tick", TP_RANGE(-2 * 65536, 2 * 65536))   \
    F(S, u16, cargo, "crates", TP_RANGE(0, 500))                     \
    F(S, u8, phase, "phase", TP_ENUM(3, ship_phases))                \
    F(S, u8, damage, "percent", TP_RANGE(0, 100))
TP_POOL_DECLARE(Ship, ship, SHIP_FIELDS, "ships")

#define HARBOUR_FIELDS(S, F, A, H)                                \
    F(S, u64, random, "bits", TP_ANY)                             \
    F(S, u64, random_stream, "bits", TP_ANY)                      \
    F(S, fx, wind, "units/tick", TP_RANGE(-65536, 65536))         \
    F(S, u32, arrivals, "count", TP_ANY)                          \
    F(S, u32, sunk, "count", TP_ANY)                              \
    F(S, u32, storm_ticks, "ticks", TP_RANGE(0, 600))             \
    F(S, u8, is_closed, "flag", TP_BOOL)                          \
    A(S, u8, reserved, 7, "zero", TP_ZERO)
#define CRANE_FIELDS(S, F, A, H)                                  \
    H(S, ShipHandle, ship, "ships")                               \
    F(S, u32, crates, "points", TP_ANY)                           \
    F(S, fx, arm, "units", TP_RANGE(0, 40 * 65536))
TP_STRUCT(Harbour, HARBOUR_FIELDS)
TP_STRUCT(Crane, CRANE_FIELDS)
TP_TABLE(harbour_fields, Harbour, HARBOUR_FIELDS)
TP_TABLE(crane_fields, Crane, CRANE_FIELDS)
TP_POOL_HEAD_TABLE(pool_fields, "ships")
TP_POOL_TABLE(ship_fields, Ship, SHIP_FIELDS, "ships")

enum { HARBOUR, CRANES, SHIP_HEAD, SHIPS };
static const tp_section sections[] = {
    TP_SECTION("harbour", Harbour, harbour_fields, NULL, 1, TP_SIM),
    TP_SECTION("cranes", Crane, crane_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    TP_SECTION("ship_pool", tp_pool_head, pool_fields, NULL, 1, TP_SIM),
    TP_SECTION("ships", Ship, ship_fields, "berths", 0, TP_SIM),
};

// Input, commands, events, configuration, content.

#define INPUT_FIELDS(S, F, A, H)                     \
    F(S, i8, swing, "stick", TP_RANGE(-100, 100))    \
    F(S, u8, grab, "flag", TP_BOOL)
#define STORM_FIELDS(S, F, A, H) F(S, u32, ticks, "ticks", TP_RANGE(1, 600))
#define DOCKED_FIELDS(S, F, A, H) F(S, u32, cargo, "crates", TP_ANY)
#define LIFTED_FIELDS(S, F, A, H)                    \
    F(S, u32, slot, "slot", TP_ANY)                  \
    F(S, u32, left, "crates", TP_ANY)
TP_STRUCT(Input, INPUT_FIELDS)
TP_STRUCT(Storm, STORM_FIELDS)
TP_STRUCT(Docked, DOCKED_FIELDS)
TP_STRUCT(Lifted, LIFTED_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)
TP_TABLE(storm_fields, Storm, STORM_FIELDS)
TP_TABLE(docked_fields, Docked, DOCKED_FIELDS)
TP_TABLE(lifted_fields, Lifted, LIFTED_FIELDS)

static const tp_record_type input = TP_RECORD("input", Input, input_fields, "a crane's arm");
enum { COMMAND_STORM, COMMAND_CLOSE, COMMAND_NOTE };
static const tp_record_type commands[] = {
    TP_RECORD("storm", Storm, storm_fields, "wind for a while"),
    TP_RECORD_EMPTY("close", "no ship comes in any more"),
    TP_RECORD_BYTES("note", 64, "a remark that changes nothing"),
};
enum { EVENT_DOCKED, EVENT_LIFTED, EVENT_SUNK };
static const tp_record_type events[] = {
    TP_RECORD("docked", Docked, docked_fields, "a ship is at the quay"),
    TP_RECORD("lifted", Lifted, lifted_fields, "a crate is ashore"),
    TP_RECORD_EMPTY("sunk", "a ship went down"),
};
static const tp_config_item config[] = {
    { "berths", "ships", "most ships at a time", 8, 1, 64 },
    { "traffic", "1/1000", "chance of a ship in each tick", 30, 0, 1000 },
};
static const uint16_t cargo_table[] = { 3, 5, 8, 13, 21, 34 };
static const tp_content content[] = { { "cargo", cargo_table, sizeof(cargo_table), 2 } };

// Rules.

static ShipPool pool_of(const tp_context *context, void *state)
{
    return (ShipPool){ tp_section_at(context, state, SHIP_HEAD), tp_section_at(context, state, SHIPS), context->section_count[SHIPS] };
}

static void harbour_init(void *state, tp_context *context)
{
    Harbour *harbour = tp_section_at(context, state, HARBOUR);
    ShipPool ships = pool_of(context, state);
    tp_pcg32 generator = tp_pcg32_make(context->setup->seed, 1);
    ship_pool_init(&ships);
    harbour->random = generator.state;
    harbour->random_stream = generator.increment;
}

static tp_pcg32 generator_of(const Harbour *harbour)
{
    return (tp_pcg32){ .state = harbour->random, .increment = harbour->random_stream };
}

static void take_commands(Harbour *harbour, const tp_tick *tick)
{
    for (uint32_t i = 0; i < tick->command_count; i++) {
        if (tick->commands[i].type == COMMAND_STORM) {
            const Storm *storm = tick->commands[i].data;
            harbour->storm_ticks = storm->ticks;
        } else if (tick->commands[i].type == COMMAND_CLOSE) {
            harbour->is_closed = 1;
        }
    }
}

static void blow(Harbour *harbour)
{
    tp_pcg32 generator = generator_of(harbour);
    uint32_t gust = tp_pcg32_below(&generator, 2001);
    harbour->random = generator.state;
    int32_t strength = harbour->storm_ticks > 0 ? 30 : 3;
    tp_fx   change = tp_fx_raw(((int32_t)gust - 1000) * strength / 10);
    tp_fx   most = tp_fx_from_int(1);
    harbour->wind = tp_fx_clamp(tp_fx_add(harbour->wind, change), tp_fx_neg(most), most);
    harbour->storm_ticks -= harbour->storm_ticks > 0 ? 1 : 0;
}

static void let_in(Harbour *harbour, ShipPool *ships, uint32_t traffic)
{
    tp_pcg32 generator = generator_of(harbour);
    bool     comes = tp_pcg32_chance(&generator, traffic, 1000);
    uint32_t kind = tp_pcg32_below(&generator, TP_COUNT_OF(cargo_table)); // drawn whether it is used or not
    harbour->random = generator.state;
    if (!comes || harbour->is_closed != 0) {
        return;
    }
    Ship *ship = ship_get(ships, ship_create(ships));
    if (ship != NULL) {
        ship->distance = tp_fx_from_int(100);
        ship->speed = tp_fx_neg(tp_fx_from_int(1));
        ship->cargo = cargo_table[kind];
        harbour->arrivals += 1;
    }
}

// False: it went down.
static bool sail(Ship *ship, const Harbour *harbour, tp_context *context)
{
    if (ship->phase == SHIP_AT_QUAY) {
        bool is_hit = harbour->storm_ticks > 0 && harbour->wind.raw < -32768;
        ship->damage = (uint8_t)(ship->damage + (is_hit && ship->damage < 100 ? 1 : 0));
        ship->phase = ship->cargo == 0 ? SHIP_LEAVING : SHIP_AT_QUAY;
        return ship->damage < 100;
    }
    tp_fx most = tp_fx_from_int(2);
    tp_fx pull = tp_fx_raw(ship->phase == SHIP_LEAVING ? 600 : -600);
    ship->speed = tp_fx_clamp(tp_fx_add(ship->speed, tp_fx_add(pull, tp_fx_raw(harbour->wind.raw / 64))), tp_fx_neg(most), most);
    ship->distance = tp_fx_clamp(tp_fx_add(ship->distance, ship->speed), tp_fx_neg(tp_fx_from_int(10)), tp_fx_from_int(200));
    if (ship->phase == SHIP_COMING && ship->distance.raw <= 0) {
        Docked docked = { ship->cargo };
        ship->phase = SHIP_AT_QUAY;
        ship->speed = tp_fx_raw(0);
        tp_emit(context, EVENT_DOCKED, &docked);
    }
    return true;
}

static void sail_all(Harbour *harbour, ShipPool *ships, tp_context *context)
{
    for (uint32_t i = ship_first(ships); i < ships->capacity; i = ship_after(ships, i)) {
        ShipHandle handle = ship_handle_at(ships, i);
        Ship      *ship = ship_get(ships, handle);
        bool       is_afloat = sail(ship, harbour, context);
        if (!is_afloat) {
            harbour->sunk += 1;
            tp_emit(context, EVENT_SUNK, NULL);
        }
        if (!is_afloat || (ship->phase == SHIP_LEAVING && ship->distance.raw >= 100 * 65536)) {
            ship_destroy(ships, handle); // cranes that hold on to it find nothing there any more
        }
    }
}

static ShipHandle first_at_quay(const ShipPool *ships)
{
    for (uint32_t i = ship_first(ships); i < ships->capacity; i = ship_after(ships, i)) {
        if (ships->slots[i].phase == SHIP_AT_QUAY && ships->slots[i].cargo > 0) {
            return ship_handle_at(ships, i);
        }
    }
    return ship_none();
}

static void work(Crane *crane, const Input *swing, uint32_t slot, ShipPool *ships, tp_context *context)
{
    crane->arm = tp_fx_clamp(tp_fx_add(crane->arm, tp_fx_raw(swing->swing * 300)), tp_fx_raw(0), tp_fx_from_int(40));
    Ship *ship = ship_get(ships, crane->ship);
    if (ship == NULL || ship->cargo == 0) {
        crane->ship = first_at_quay(ships);
        return;
    }
    if (swing->grab != 0 && crane->arm.raw > 20 * 65536) {
        ship->cargo -= 1;
        crane->crates += 1;
        crane->arm = tp_fx_raw(0);
        Lifted lifted = { slot, ship->cargo };
        tp_emit(context, EVENT_LIFTED, &lifted);
    }
}

static tp_step_result harbour_step(void *state, const tp_tick *tick, tp_context *context)
{
    Harbour     *harbour = tp_section_at(context, state, HARBOUR);
    Crane       *cranes = tp_section_at(context, state, CRANES);
    const Input *inputs = tick->inputs;
    ShipPool     ships = pool_of(context, state);
    take_commands(harbour, tick);
    blow(harbour);
    let_in(harbour, &ships, (uint32_t)context->setup->config[1]);
    sail_all(harbour, &ships, context);
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        if (tp_tick_present(tick, slot)) {
            work(&cranes[slot], &inputs[slot], slot, &ships, context);
        }
    }
    return TP_STEP_OK;
}

static const char *harbour_validate(const void *state, const tp_context *context)
{
    tp_pool_head   head = *(const tp_pool_head *)tp_section_at_const(context, state, SHIP_HEAD);
    const Ship    *slots = tp_section_at_const(context, state, SHIPS);
    return tp_pool_validate_raw(&head, slots, context->section_count[SHIPS], sizeof(Ship));
}

static void harbour_describe(const tp_view *view, char *text, size_t size)
{
    const Harbour      *harbour = tp_view_section(view, HARBOUR);
    const tp_pool_head *head = tp_view_section(view, SHIP_HEAD);
    snprintf(text, size, "%u ships in, %u came, %u sank", (unsigned)head->live, (unsigned)harbour->arrivals, (unsigned)harbour->sunk);
}

// An observer: what is heard, kept outside of the state.

typedef struct {
    uint32_t crates;
} Ear;

static void ear_init(void *observer, const tp_setup *setup)
{
    (void)setup;
    ((Ear *)observer)->crates = 0;
}

static void ear_tick(void *observer, const tp_view *view, void (*sink)(void *to, const tp_cue *cue), void *to)
{
    Ear *ear = observer;
    for (uint32_t i = 0; i < view->event_count; i++) {
        tp_cue cue = { .tick = view->tick, .kind = TP_CUE_SOUND, .slot = TP_SOURCE_HOST, .volume = tp_fx_from_int(1), .pitch = tp_fx_from_int(1) };
        ear->crates += view->events[i].type == EVENT_LIFTED ? 1 : 0;
        cue.name = view->events[i].type == EVENT_LIFTED ? "crate" : view->events[i].type == EVENT_SUNK ? "crash" : "bell";
        cue.voice = ear->crates % 4;
        sink(to, &cue);
    }
}

// A bot: swings out, and grabs when the arm is far enough.

typedef struct {
    uint32_t slot;
} Bot;

static void bot_init(void *bot, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    (void)setup, (void)seed, (void)delay_ticks;
    ((Bot *)bot)->slot = slot;
}

static void bot_play(void *bot, const tp_view *view, void *input_out)
{
    const Crane *cranes = tp_view_section(view, CRANES);
    Input       *swing = input_out;
    *swing = (Input){ .swing = 100, .grab = cranes[((Bot *)bot)->slot].arm.raw > 25 * 65536 ? 1 : 0 };
}

static const tp_observer_type observer = { .name = "ear", .size = sizeof(Ear), .init = ear_init, .tick = ear_tick };
static const tp_bot_type      bot = { .size = sizeof(Bot), .init = bot_init, .play = bot_play };
static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "harbour", .revision = 1, .text = "cranes, ships and weather",
    .tick_rate_hz = 30, .players_min = 1, .players_max = 16, .players_standard = 2,
    .config = config, .config_count = TP_COUNT_OF(config), .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &input,
    .commands = commands, .command_count = TP_COUNT_OF(commands), .events = events, .event_count = TP_COUNT_OF(events), .events_max = 64,
    .content = content, .content_count = TP_COUNT_OF(content), .init = harbour_init, .step = harbour_step,
    .validate = harbour_validate, .describe = harbour_describe, .observer = &observer, .bot = &bot,
};

const tp_world *tickproof_world(void)
{
    return &world;
}
