// realm_rig_world.c: the engine's sections as a world of their own, so that the engine is laid out, encoded and decoded as in the realm but
// no game moves in it. Section and config numbers are those of the realm.
#include "realm_rig_world.h"

#include "realm_engine.h"
#include "realm_validate.h"

TP_TABLE(root_fields, RealmRoot, REALM_ROOT_FIELDS)
TP_TABLE(head_fields, RealmIndexHead, REALM_HEAD_FIELDS)
TP_TABLE(journal_fields, RealmJournalSlot, REALM_JOURNAL_FIELDS)
TP_TABLE(event_fields, RealmBlockEvent, REALM_BLOCK_EVENT_FIELDS)
TP_POOL_HEAD_TABLE(block_head_fields, "blocks")
TP_POOL_HEAD_TABLE(leaf_head_fields, "leaves")
TP_POOL_HEAD_TABLE(cell_head_fields, "cells")
TP_POOL_HEAD_TABLE(building_head_fields, "buildings")
TP_POOL_HEAD_TABLE(owner_head_fields, "owners")
TP_POOL_HEAD_TABLE(member_head_fields, "members")
TP_POOL_HEAD_TABLE(set_head_fields, "sets")
TP_POOL_HEAD_TABLE(row_head_fields, "rows")
TP_POOL_HEAD_TABLE(draft_head_fields, "drafts")
TP_POOL_TABLE(block_fields, RealmBlock, REALM_BLOCK_FIELDS, "blocks")
TP_POOL_TABLE(leaf_fields, RealmLeaf, REALM_LEAF_FIELDS, "leaves")
TP_POOL_TABLE(cell_fields, RealmCell, REALM_CELL_FIELDS, "cells")
TP_POOL_TABLE(building_fields, RealmBuilding, REALM_BUILDING_FIELDS, "buildings")
TP_POOL_TABLE(owner_fields, RealmOwner, REALM_OWNER_FIELDS, "owners")
TP_POOL_TABLE(member_fields, RealmMember, REALM_MEMBER_FIELDS, "members")
TP_POOL_TABLE(set_fields, RealmSet, REALM_SET_FIELDS, "sets")
TP_POOL_TABLE(row_fields, RealmRow, REALM_ROW_FIELDS, "rows")
TP_POOL_TABLE(draft_fields, RealmDraft, REALM_DRAFT_FIELDS, "drafts")

#define HEAD(name, fields) TP_SECTION(name, tp_pool_head, fields, NULL, 1, TP_SIM)

static const tp_section sections[REALM_SECTION_JOURNAL + 1] = {
    [REALM_SECTION_ROOT] = TP_SECTION("root", RealmRoot, root_fields, NULL, 1, TP_SIM),
    [REALM_SECTION_BLOCK_INDEX] = TP_SECTION("block_index", RealmIndexHead, head_fields, NULL, REALM_INDEX_HEADS, TP_SIM),
    [REALM_SECTION_BLOCK_POOL] = HEAD("block_pool", block_head_fields),
    [REALM_SECTION_BLOCKS] = TP_SECTION("blocks", RealmBlock, block_fields, "blocks", 0, TP_SIM),
    [REALM_SECTION_LEAF_POOL] = HEAD("leaf_pool", leaf_head_fields),
    [REALM_SECTION_LEAVES] = TP_SECTION("leaves", RealmLeaf, leaf_fields, "leaves", 0, TP_SIM),
    [REALM_SECTION_CELL_POOL] = HEAD("cell_pool", cell_head_fields),
    [REALM_SECTION_CELLS] = TP_SECTION("cells", RealmCell, cell_fields, "cells", 0, TP_SIM),
    [REALM_SECTION_BUILDING_POOL] = HEAD("building_pool", building_head_fields),
    [REALM_SECTION_BUILDINGS] = TP_SECTION("buildings", RealmBuilding, building_fields, "buildings", 0, TP_SIM),
    [REALM_SECTION_OWNER_POOLS] = TP_SECTION("owner_pools", tp_pool_head, owner_head_fields, NULL, 2, TP_SIM),
    [REALM_SECTION_OWNERS] = TP_SECTION("owners", RealmOwner, owner_fields, "owners", 0, TP_SIM),
    [REALM_SECTION_MEMBER_POOL] = HEAD("member_pool", member_head_fields),
    [REALM_SECTION_MEMBERS] = TP_SECTION("members", RealmMember, member_fields, "members", 0, TP_SIM),
    [REALM_SECTION_SET_POOL] = HEAD("set_pool", set_head_fields),
    [REALM_SECTION_SETS] = TP_SECTION("sets", RealmSet, set_fields, "sets", 0, TP_SIM),
    [REALM_SECTION_ROW_POOL] = HEAD("row_pool", row_head_fields),
    [REALM_SECTION_ROWS] = TP_SECTION("rows", RealmRow, row_fields, "rows", 0, TP_SIM),
    [REALM_SECTION_DRAFT_POOL] = HEAD("draft_pool", draft_head_fields),
    [REALM_SECTION_DRAFTS] = TP_SECTION("drafts", RealmDraft, draft_fields, "drafts", 0, TP_SIM),
    [REALM_SECTION_JOURNAL] = TP_SECTION("journal", RealmJournalSlot, journal_fields, "journal", 0, TP_SIM),
};

#define ITEM(name, standard) { name, "count", "as in the realm", (standard), 0, 100000 }

// The game's own numbers come after the engine's.
static const tp_config_item config[REALM_CONFIG_CREATURES] = {
    [REALM_CONFIG_BLOCKS] = ITEM("blocks", 48),
    [REALM_CONFIG_RESIDENTS] = ITEM("residents", 40),
    [REALM_CONFIG_LEAVES] = ITEM("leaves", 48),
    [REALM_CONFIG_CELLS] = ITEM("cells", 32),
    [REALM_CONFIG_BUILDINGS] = ITEM("buildings", 16),
    [REALM_CONFIG_OWNERS] = ITEM("owners", 96),
    [REALM_CONFIG_DYNAMICS] = ITEM("dynamics", 48),
    [REALM_CONFIG_MEMBERS] = ITEM("members", 256),
    [REALM_CONFIG_SETS] = ITEM("sets", 256),
    [REALM_CONFIG_ROWS] = ITEM("rows", 2048),
    [REALM_CONFIG_DRAFTS] = ITEM("drafts", 8),
    [REALM_CONFIG_JOURNAL] = ITEM("journal", 64),
    [REALM_CONFIG_ABANDON_TICKS] = ITEM("abandon_ticks", 100),
    [REALM_CONFIG_WORK_UNITS] = ITEM("work_units", 8),
    [REALM_CONFIG_WIDTH] = ITEM("width", 255),
    [REALM_CONFIG_HEIGHT] = ITEM("height", 255),
    [REALM_CONFIG_RING] = ITEM("ring", 1),
    [REALM_CONFIG_ARRIVAL] = ITEM("arrival", 0),
};

static const tp_record_type events[] = {
    TP_RECORD("committed", RealmBlockEvent, event_fields, "a generation became active"),
    TP_RECORD("cancelled", RealmBlockEvent, event_fields, "an admission ended without a commit"),
    TP_RECORD("demoted", RealmBlockEvent, event_fields, "a landblock kept its terrain only"),
    TP_RECORD("withdrawn", RealmBlockEvent, event_fields, "a landblock went"),
};

static void init(void *state, tp_context *context)
{
    RealmEngine engine = realm_engine_open(state, context);
    realm_engine_init(&engine, context->setup->seed);
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    RealmEngine engine = realm_engine_open(state, context);
    realm_engine_tick(&engine);
    return TP_STEP_OK;
}

const tp_world rig_world = {
    .struct_size = sizeof(tp_world),
    .abi = TP_WORLD_ABI,
    .name = "realm-rig",
    .revision = 1,
    .text = "the collision engine alone",
    .tick_rate_hz = REALM_TICK_RATE_HZ,
    .config = config,
    .config_count = TP_COUNT_OF(config),
    .sections = sections,
    .section_count = TP_COUNT_OF(sections),
    .events = events,
    .event_count = TP_COUNT_OF(events),
    .events_max = 64,
    .init = init,
    .step = step,
    .validate = realm_validate,
};
