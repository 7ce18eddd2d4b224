// realm_world.c: the world as the host sees it: tables, init, what foreign bytes must satisfy, and the border for inputs.
//
// Events of one tick: for each of 64 players one of joined and left, and one each of hit, died, respawned, shot, jumped, landed, entered and
// door: 576. For each creature a hit and a death: 192 of the standard 96. Of the engine at most 64 commits and as many cancels of drafts, and 32
// landblocks that go: 160. That is 928, and 1,024 are kept. With far more creatures, or when many deadlines pass at once, a tick could have
// more; the newest are then dropped, and `events_dropped` counts the game's.
#include "realm_bot.h"
#include "realm_catalog.h"
#include "realm_observe.h"
#include "realm_step.h"
#include "realm_terrain.h"
#include "realm_text.h"
#include "realm_validate.h"

#include "tickproof/rng.h"

enum { EVENTS_MAX = 1024, GAME_STREAM = 0x7265616C };

const char *const realm_player_status_names[REALM_PLAYER_STATUS_COUNT] = { "absent", "waiting", "alive", "dead" };
const char *const realm_creature_mode_names[REALM_CREATURE_MODE_COUNT] = { "none", "rest", "wander", "chase", "strike" };

TP_TABLE(root_fields, RealmRoot, REALM_ROOT_FIELDS)
TP_TABLE(head_fields, RealmIndexHead, REALM_HEAD_FIELDS)
TP_POOL_HEAD_TABLE(block_pool_fields, "blocks")
TP_POOL_TABLE(block_fields, RealmBlock, REALM_BLOCK_FIELDS, "blocks")
TP_POOL_HEAD_TABLE(leaf_pool_fields, "leaves")
TP_POOL_TABLE(leaf_fields, RealmLeaf, REALM_LEAF_FIELDS, "leaves")
TP_POOL_HEAD_TABLE(cell_pool_fields, "cells")
TP_POOL_TABLE(cell_fields, RealmCell, REALM_CELL_FIELDS, "cells")
TP_POOL_HEAD_TABLE(building_pool_fields, "buildings")
TP_POOL_TABLE(building_fields, RealmBuilding, REALM_BUILDING_FIELDS, "buildings")
TP_POOL_HEAD_TABLE(owner_pool_fields, "owners")
TP_POOL_TABLE(owner_fields, RealmOwner, REALM_OWNER_FIELDS, "owners")
TP_POOL_HEAD_TABLE(member_pool_fields, "members")
TP_POOL_TABLE(member_fields, RealmMember, REALM_MEMBER_FIELDS, "members")
TP_POOL_HEAD_TABLE(set_pool_fields, "sets")
TP_POOL_TABLE(set_fields, RealmSet, REALM_SET_FIELDS, "sets")
TP_POOL_HEAD_TABLE(row_pool_fields, "rows")
TP_POOL_TABLE(row_fields, RealmRow, REALM_ROW_FIELDS, "rows")
TP_POOL_HEAD_TABLE(draft_pool_fields, "drafts")
TP_POOL_TABLE(draft_fields, RealmDraft, REALM_DRAFT_FIELDS, "drafts")
TP_TABLE(journal_fields, RealmJournalSlot, REALM_JOURNAL_FIELDS)
TP_TABLE(game_fields, RealmGame, REALM_GAME_FIELDS)
TP_TABLE(player_fields, RealmPlayer, REALM_PLAYER_FIELDS)
TP_TABLE(creature_fields, RealmCreature, REALM_CREATURE_FIELDS)
TP_TABLE(shot_fields, RealmShot, REALM_SHOT_FIELDS)
TP_TABLE(door_fields, RealmDoor, REALM_DOOR_FIELDS)
TP_TABLE(stream_fields, RealmStream, REALM_STREAM_FIELDS)

TP_TABLE(input_fields, RealmInput, REALM_INPUT_FIELDS)
TP_TABLE(place_command_fields, RealmPlaceCommand, REALM_PLACE_COMMAND_FIELDS)
TP_TABLE(fail_command_fields, RealmFailCommand, REALM_FAIL_COMMAND_FIELDS)
TP_TABLE(block_event_fields, RealmBlockEvent, REALM_BLOCK_EVENT_FIELDS)
TP_TABLE(game_event_fields, RealmGameEvent, REALM_GAME_EVENT_FIELDS)

static const tp_config_item config[REALM_CONFIG_COUNT] = {
    [REALM_CONFIG_BLOCKS] = { "blocks", "slots", "landblocks that anything is known of", 512, 9, 16384 },
    [REALM_CONFIG_RESIDENTS] = { "residents", "landblocks", "landblocks that are there or being prepared for the first time", 256, 1, 4096 },
    [REALM_CONFIG_LEAVES] = { "leaves", "slots", "generations of landblocks: active, staged and being taken down", 320, 2, 8192 },
    [REALM_CONFIG_CELLS] = { "cells", "slots", "indoor cells of all generations", 1024, 1, 32768 },
    [REALM_CONFIG_BUILDINGS] = { "buildings", "slots", "buildings of all generations", 512, 1, 16384 },
    [REALM_CONFIG_OWNERS] = { "owners", "slots", "things with a body: those that move, and those that belong to a landblock", 3072, 2, 65536 },
    [REALM_CONFIG_DYNAMICS] = { "dynamics", "slots", "slots of 'owners' kept for what moves", 512, 1, 32768 },
    [REALM_CONFIG_MEMBERS] = { "members", "slots", "pairs of a body and a landblock it touches", 6144, 16, 131072 },
    [REALM_CONFIG_SETS] = { "sets", "slots", "sets of rows: one a body, and one for each draft that knows it", 4096, 2, 131072 },
    [REALM_CONFIG_ROWS] = { "rows", "slots", "pairs of a body and a cell it overlaps", 8192, 256, 262144 },
    [REALM_CONFIG_DRAFTS] = { "drafts", "slots", "landblocks being prepared at once", 32, 1, 256 },
    [REALM_CONFIG_JOURNAL] = { "journal", "slots", "bodies that changed while landblocks are being prepared", 8192, 16, 262144 },
    [REALM_CONFIG_ABANDON_TICKS] = { "abandon_ticks", "ticks", "a landblock not ready after so long is given up", 900, 1, 1000000 },
    [REALM_CONFIG_WORK_UNITS] = { "work_units", "units", "work on landblocks in one tick", 96, 1, 100000 },
    [REALM_CONFIG_WIDTH] = { "width", "landblocks", "the land's size in x", 255, 1, REALM_WORLD_MAX },
    [REALM_CONFIG_HEIGHT] = { "height", "landblocks", "the land's size in y", 255, 1, REALM_WORLD_MAX },
    [REALM_CONFIG_RING] = { "ring", "landblocks", "how far around a player the land is brought in", 2, 0, 8 },
    [REALM_CONFIG_ARRIVAL] = { "arrival", "flag", "1: a landblock comes only after a content command for it", 0, 0, 1 },
    [REALM_CONFIG_CREATURES] = { "creatures", "slots", "creatures at once, at most ten a living player", 96, 0, REALM_CREATURES_MAX },
    [REALM_CONFIG_SHOTS] = { "shots", "slots", "bolts in the air; one more is not fired", 64, 0, REALM_SHOTS_MAX },
    [REALM_CONFIG_DOORS] = { "doors", "slots", "doors at once; buildings beyond that stand open", 64, 0, REALM_DOORS_MAX },
    [REALM_CONFIG_DUELS] = { "duels", "flag", "1: players hurt each other", 0, 0, 1 },
};

static const tp_section sections[REALM_SECTION_COUNT] = {
    [REALM_SECTION_ROOT] = TP_SECTION("root", RealmRoot, root_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_BLOCK_INDEX] = TP_SECTION("block_index", RealmIndexHead, head_fields, NULL, REALM_INDEX_HEADS, TP_SIM),
    [REALM_SECTION_BLOCK_POOL] = TP_SECTION("block_pool", tp_pool_head, block_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_BLOCKS] = TP_SECTION("blocks", RealmBlock, block_fields, "blocks", 0, TP_SIM),
    [REALM_SECTION_LEAF_POOL] = TP_SECTION("leaf_pool", tp_pool_head, leaf_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_LEAVES] = TP_SECTION("leaves", RealmLeaf, leaf_fields, "leaves", 0, TP_SIM),
    [REALM_SECTION_CELL_POOL] = TP_SECTION("cell_pool", tp_pool_head, cell_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_CELLS] = TP_SECTION("cells", RealmCell, cell_fields, "cells", 0, TP_SIM),
    [REALM_SECTION_BUILDING_POOL] = TP_SECTION("building_pool", tp_pool_head, building_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_BUILDINGS] = TP_SECTION("buildings", RealmBuilding, building_fields, "buildings", 0, TP_SIM),
    [REALM_SECTION_OWNER_POOLS] = TP_SECTION("owner_pools", tp_pool_head, owner_pool_fields, NULL, REALM_KIND_COUNT, TP_SIM),
    [REALM_SECTION_OWNERS] = TP_SECTION("owners", RealmOwner, owner_fields, "owners", 0, TP_SIM),
    [REALM_SECTION_MEMBER_POOL] = TP_SECTION("member_pool", tp_pool_head, member_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_MEMBERS] = TP_SECTION("members", RealmMember, member_fields, "members", 0, TP_SIM),
    [REALM_SECTION_SET_POOL] = TP_SECTION("set_pool", tp_pool_head, set_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_SETS] = TP_SECTION("sets", RealmSet, set_fields, "sets", 0, TP_SIM),
    [REALM_SECTION_ROW_POOL] = TP_SECTION("row_pool", tp_pool_head, row_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_ROWS] = TP_SECTION("rows", RealmRow, row_fields, "rows", 0, TP_SIM),
    [REALM_SECTION_DRAFT_POOL] = TP_SECTION("draft_pool", tp_pool_head, draft_pool_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_DRAFTS] = TP_SECTION("drafts", RealmDraft, draft_fields, "drafts", 0, TP_SIM),
    [REALM_SECTION_JOURNAL] = TP_SECTION("journal", RealmJournalSlot, journal_fields, "journal", 0, TP_SIM),
    [REALM_SECTION_GAME] = TP_SECTION("game", RealmGame, game_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_PLAYERS] = TP_SECTION("players", RealmPlayer, player_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    [REALM_SECTION_CREATURES] = TP_SECTION("creatures", RealmCreature, creature_fields, "creatures", 0, TP_SIM),
    [REALM_SECTION_SHOTS] = TP_SECTION("shots", RealmShot, shot_fields, "shots", 0, TP_SIM),
    [REALM_SECTION_DOORS] = TP_SECTION("doors", RealmDoor, door_fields, "doors", 0, TP_SIM),
    [REALM_SECTION_STREAM] = TP_SECTION("stream", RealmStream, stream_fields, NULL, 1, TP_SIM),
};

static const tp_record_type input =
    TP_RECORD("pad", RealmInput, input_fields, "where to walk and look; jump 1, attack 2, shoot 4, use 8");

static const tp_record_type commands[REALM_COMMAND_COUNT] = {
    [REALM_COMMAND_CONTENT] = TP_RECORD("content", RealmPlaceCommand, place_command_fields, "the content of a landblock has arrived"),
    [REALM_COMMAND_RELOAD] = TP_RECORD("reload", RealmPlaceCommand, place_command_fields, "prepares a landblock again, as its next variant"),
    [REALM_COMMAND_FAIL] = TP_RECORD("fail", RealmFailCommand, fail_command_fields, "the next publication fails"),
    [REALM_COMMAND_HALT] = TP_RECORD_EMPTY("halt", "stops the match by a fault"),
};

static const tp_record_type events[REALM_EVENT_COUNT] = {
    [REALM_EVENT_COMMITTED] = TP_RECORD("committed", RealmBlockEvent, block_event_fields, "a landblock became active"),
    [REALM_EVENT_CANCELLED] = TP_RECORD("cancelled", RealmBlockEvent, block_event_fields, "a landblock's preparation ended without that"),
    [REALM_EVENT_DEMOTED] = TP_RECORD("demoted", RealmBlockEvent, block_event_fields, "a landblock kept its ground only"),
    [REALM_EVENT_WITHDRAWN] = TP_RECORD("withdrawn", RealmBlockEvent, block_event_fields, "a landblock went"),
    [REALM_EVENT_JOINED] = TP_RECORD("joined", RealmGameEvent, game_event_fields, "a player came"),
    [REALM_EVENT_LEFT] = TP_RECORD("left", RealmGameEvent, game_event_fields, "a player left"),
    [REALM_EVENT_HIT] = TP_RECORD("hit", RealmGameEvent, game_event_fields, "who did most of it hurt whom, by so many points"),
    [REALM_EVENT_DIED] = TP_RECORD("died", RealmGameEvent, game_event_fields, "whom died; who got the points"),
    [REALM_EVENT_RESPAWNED] = TP_RECORD("respawned", RealmGameEvent, game_event_fields, "a player appeared"),
    [REALM_EVENT_SHOT] = TP_RECORD("shot", RealmGameEvent, game_event_fields, "a player fired a bolt"),
    [REALM_EVENT_JUMPED] = TP_RECORD("jumped", RealmGameEvent, game_event_fields, "a player jumped"),
    [REALM_EVENT_LANDED] = TP_RECORD("landed", RealmGameEvent, game_event_fields, "a player came down, so many units a second"),
    [REALM_EVENT_ENTERED] = TP_RECORD("entered", RealmGameEvent, game_event_fields, "a player went into a building"),
    [REALM_EVENT_DOOR] = TP_RECORD("door", RealmGameEvent, game_event_fields, "a player opened (1) or closed (0) a door"),
};

#define CONTENT(name, table, value_size) { (name), (table), sizeof(table), (value_size) }
static const tp_content content[] = {
    CONTENT("heights", realm_height_table, sizeof(realm_height_table[0])),
    CONTENT("setups", realm_setups, sizeof(int32_t)),
};
_Static_assert(sizeof(realm_setups[0]) % sizeof(int32_t) == 0, "setups are hashed as values of 4 bytes");

static void init(void *state, tp_context *context)
{
    if (context->setup->tick_rate_hz != REALM_TICK_RATE_HZ) {
        TP_FAULT(TP_FAULT_WORLD, "the realm is made for 30 ticks a second: set the tick rate to 30");
    }
    RealmStep step = {
        .engine = realm_engine_open(state, context), .context = context,
        .view = realm_game_open(state, context->section_offset, context->section_count),
    };
    tp_pcg32 generator = tp_pcg32_make(context->setup->seed, GAME_STREAM);
    realm_engine_init(&step.engine, context->setup->seed);
    RealmGame *game = realm_game_edit(&step);
    game->rng_state = generator.state;
    game->rng_increment = generator.increment;
    realm_creature_init(&step);
}

static const char *validate(const void *state, const tp_context *context)
{
    const char *fault = realm_validate(state, context);
    if (fault == NULL) {
        fault = realm_stream_validate(tp_section_at_const(context, state, REALM_SECTION_STREAM));
    }
    return fault != NULL ? fault : realm_game_validate(state, context);
}

// A button this world does not know is dropped: clamping, as the host would do it, would press all those it does know.
static void sanitise(void *border)
{
    RealmInput *pad = border;
    pad->buttons &= REALM_BUTTONS;
    pad->move_x = pad->move_x < -127 ? -127 : pad->move_x;
    pad->move_y = pad->move_y < -127 ? -127 : pad->move_y;
    pad->padding = 0;
}

// Everything on the pad is held: what was held in the last tick that is known is the best guess. Edges are found by the step, from the
// buttons that the state keeps, so that repeating a press does not press again.
static void predict(const void *last, void *out)
{
    *(RealmInput *)out = *(const RealmInput *)last;
}

const tp_world realm_world = {
    .struct_size      = sizeof(tp_world),
    .abi              = TP_WORLD_ABI,
    .name             = "realm",
    .revision         = 1,
    .text             = "streaming land: one to sixty-four players, creatures and buildings in landblocks that come and go as they walk",
    .tick_rate_hz     = REALM_TICK_RATE_HZ,
    .players_min      = 1,
    .players_max      = REALM_PLAYERS_MAX,
    .players_standard = 4,
    .config           = config,
    .config_count     = REALM_CONFIG_COUNT,
    .sections         = sections,
    .section_count    = REALM_SECTION_COUNT,
    .input            = &input,
    .commands         = commands,
    .command_count    = REALM_COMMAND_COUNT,
    .events           = events,
    .event_count      = REALM_EVENT_COUNT,
    .events_max       = EVENTS_MAX,
    .content          = content,
    .content_count    = TP_COUNT_OF(content),
    .init             = init,
    .step             = realm_step,
    .validate         = validate,
    .predict          = predict,
    .sanitise         = sanitise,
    .describe         = realm_text_describe,
    .observer         = &realm_observer,
    .bot              = &realm_bot,
    .flags            = TP_WORLD_TRACKS_WRITES,
};
