// fighter_world.c: the world as the host sees it: tables, config, init, and the border for inputs.
//
// Events of one tick: for each fighter at most one each of joined or left, landed, wall (said once a move), ledge, teched, fired, respawned, hit,
// shielded, shield broke, grabbed, thrown and knocked out: 13. It can take off and jump in the air at once: 2. It is let go at most three times:
// from the hold it was in, out of a clash of two grabs, and from the hold that began in this tick. That is 18 for each of 100, and a match
// that ends and one that begins: 1,802. None is ever dropped, and a report that were is a fault.
//
// There is no `predict`: the host repeats the last input. Sticks and buttons are held for many ticks, and a press is a button that was up in the
// tick before, which is state, so that a repeated input never presses twice.
#include "fighter_state.h"

#include "fighter_bot.h"
#include "fighter_observe.h"
#include "fighter_step.h"
#include "fighter_text.h"
#include "tickproof/rng.h"

_Static_assert(FIGHTER_EVENTS_MAX == 18 * FIGHTER_PLAYERS_MAX + 2, "see above");

TP_TABLE(match_fields, FighterMatch, FIGHTER_MATCH_FIELDS)
TP_TABLE(fighter_fields, Fighter, FIGHTER_FIGHTER_FIELDS)
TP_POOL_HEAD_TABLE(projectile_pool_fields, "projectiles")
TP_POOL_TABLE(projectile_fields, FighterProjectile, FIGHTER_PROJECTILE_FIELDS, "projectiles")
TP_TABLE(input_fields, FighterInput, FIGHTER_INPUT_FIELDS)
TP_TABLE(place_fields, FighterPlace, FIGHTER_PLACE_FIELDS)
TP_TABLE(impact_fields, FighterImpact, FIGHTER_IMPACT_FIELDS)
TP_TABLE(result_fields, FighterResult, FIGHTER_RESULT_FIELDS)

#define KIND_OF(number, first, standard) \
    { "fighter_" #number, "kind", "kind of slots " first ": 0 vale, 1 wisp, 2 boar", (standard), 0, FIGHTER_KIND_COUNT - 1 }

static const tp_config_item config[FIGHTER_CONFIG_COUNT] = {
    [FIGHTER_CONFIG_STAGE] = { "stage", "stage", "where: 0 hall, 1 terrace, 2 harbour", 1, 0, FIGHTER_STAGE_COUNT - 1 },
    [FIGHTER_CONFIG_MIRROR] = { "mirror", "flag", "1: stage and places to begin at left to right", 0, 0, 1 },
    [FIGHTER_CONFIG_STOCKS] = { "stocks", "lives", "lives of a match", 4, 1, FIGHTER_STOCKS_MAX },
    [FIGHTER_CONFIG_TIME_S] = { "time_s", "s", "length of a match at 60 ticks a second; 0: until one is left", 480, 0, 3600 },
    [FIGHTER_CONFIG_REMATCH_S] = { "rematch_s", "s", "from the end of a match to the next; 0: there is none", 5, 0, 60 },
    [FIGHTER_CONFIG_LAUNCH_PERCENT] = { "launch_percent", "percent", "of every knockback", 100, 1, 1000 },
    [FIGHTER_CONFIG_PROJECTILES] = { "projectiles", "slots", "most projectiles at once; more are dropped", 16, 1,
                                     FIGHTER_PROJECTILES_MAX },
    [FIGHTER_CONFIG_FIGHTER_1 + 0] = KIND_OF(1, "0, 8, 16, ...", 0),
    [FIGHTER_CONFIG_FIGHTER_1 + 1] = KIND_OF(2, "1, 9, 17, ...", 1),
    [FIGHTER_CONFIG_FIGHTER_1 + 2] = KIND_OF(3, "2, 10, 18, ...", 2),
    [FIGHTER_CONFIG_FIGHTER_1 + 3] = KIND_OF(4, "3, 11, 19, ...", 0),
    [FIGHTER_CONFIG_FIGHTER_1 + 4] = KIND_OF(5, "4, 12, 20, ...", 1),
    [FIGHTER_CONFIG_FIGHTER_1 + 5] = KIND_OF(6, "5, 13, 21, ...", 2),
    [FIGHTER_CONFIG_FIGHTER_1 + 6] = KIND_OF(7, "6, 14, 22, ...", 0),
    [FIGHTER_CONFIG_FIGHTER_1 + 7] = KIND_OF(8, "7, 15, 23, ...", 1),
};

static const tp_section sections[FIGHTER_SECTION_COUNT] = {
    [FIGHTER_SECTION_MATCH] = TP_SECTION("match", FighterMatch, match_fields, NULL, 1, TP_SIM),
    [FIGHTER_SECTION_FIGHTERS] = TP_SECTION("fighters", Fighter, fighter_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    [FIGHTER_SECTION_PROJECTILE_POOL] = TP_SECTION("projectile_pool", tp_pool_head, projectile_pool_fields, NULL, 1, TP_SIM),
    [FIGHTER_SECTION_PROJECTILES] = TP_SECTION("projectiles", FighterProjectile, projectile_fields, "projectiles", 0, TP_SIM),
};

static const tp_record_type input =
    TP_RECORD("pad", FighterInput, input_fields, "held: jump 1, attack 2, shield 4, grab 8, special 16; sticks -127 to 127");

#define PLACE(name, text) TP_RECORD(name, FighterPlace, place_fields, text)
#define IMPACT(name, text) TP_RECORD(name, FighterImpact, impact_fields, text)

static const tp_record_type events[FIGHTER_EVENT_COUNT] = {
    [FIGHTER_EVENT_JOINED] = PLACE("joined", "somebody took a slot after the first tick"),
    [FIGHTER_EVENT_LEFT] = PLACE("left", "somebody left a slot, and the stage"),
    [FIGHTER_EVENT_JUMPED] = PLACE("jumped", "a fighter took off, or jumped in the air"),
    [FIGHTER_EVENT_LANDED] = PLACE("landed", "a fighter came down on something"),
    [FIGHTER_EVENT_WALL] = PLACE("wall", "a fighter came to a wall or a ceiling"),
    [FIGHTER_EVENT_LEDGE] = PLACE("ledge", "a fighter took hold of a ledge"),
    [FIGHTER_EVENT_TECHED] = PLACE("teched", "a fighter that was hit hard landed on its feet"),
    [FIGHTER_EVENT_FIRED] = PLACE("fired", "a fighter fired a projectile"),
    [FIGHTER_EVENT_RESPAWNED] = PLACE("respawned", "a fighter came back"),
    [FIGHTER_EVENT_HIT] = IMPACT("hit", "a fighter was struck"),
    [FIGHTER_EVENT_SHIELDED] = IMPACT("shielded", "a blow met a shield"),
    [FIGHTER_EVENT_SHIELD_BROKE] = IMPACT("shield_broke", "a shield had no health left"),
    [FIGHTER_EVENT_GRABBED] = IMPACT("grabbed", "a fighter was taken hold of"),
    [FIGHTER_EVENT_RELEASED] = IMPACT("released", "a fighter was let go, or two grabs met"),
    [FIGHTER_EVENT_THROWN] = IMPACT("thrown", "a fighter was thrown"),
    [FIGHTER_EVENT_KO] = IMPACT("ko", "a fighter fell or flew out of the stage"),
    [FIGHTER_EVENT_MATCH_BEGAN] = TP_RECORD("match_began", FighterResult, result_fields, "a match began"),
    [FIGHTER_EVENT_MATCH_ENDED] = TP_RECORD("match_ended", FighterResult, result_fields, "a match was decided"),
};

// Every number of the tables is an int32_t, so that a table is one array of them.
#define CONTENT(name, table) { (name), (table), sizeof(table), sizeof(int32_t) }

static const tp_content content[] = {
    CONTENT("kinds", fighter_kinds),
    CONTENT("strikes", fighter_strikes),
    CONTENT("stages", fighter_stages),
};

// Nobody is here before the first tick: its presence says who is.
static void init(void *block, tp_context *context)
{
    FighterState state = fighter_state_open(block, context);
    state.match->rng = tp_xorshift64s_from_seed(context->setup->seed).state;
    fighter_projectile_pool_init(&state.projectiles);
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

const tp_world fighter_world = {
    .struct_size      = sizeof(tp_world),
    .abi              = TP_WORLD_ABI,
    .name             = "fighter",
    .revision         = 2,
    .text             = "platform fighter: nobody to a hundred fighters of three kinds on one of three stages",
    .tick_rate_hz     = FIGHTER_TICK_RATE_HZ,
    .players_min      = 0,
    .players_max      = FIGHTER_PLAYERS_MAX,
    .players_standard = 2,
    .config           = config,
    .config_count     = FIGHTER_CONFIG_COUNT,
    .sections         = sections,
    .section_count    = FIGHTER_SECTION_COUNT,
    .input            = &input,
    .events           = events,
    .event_count      = FIGHTER_EVENT_COUNT,
    .events_max       = FIGHTER_EVENTS_MAX,
    .content          = content,
    .content_count    = TP_COUNT_OF(content),
    .init             = init,
    .step             = fighter_step,
    .validate         = fighter_validate,
    .sanitise         = sanitise,
    .describe         = fighter_text_describe,
    .observer         = &fighter_observer,
    .bot              = &fighter_bot,
};
