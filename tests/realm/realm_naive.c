// realm_naive.c: the active leaf is changed in place. The bookkeeping is done with the engine's own functions and is right at every moment: only
// what belongs together does not come together.
#include "realm_naive.h"

#include "realm_internal.h"

#include <string.h>

static uint32_t leaf_of(const Naive *naive)
{
    return realm_view_leaf(naive->engine, REALM_ACTIVE, naive->prefix);
}

// ---- The ground: from here on the landblock is there ----

static void terrain(Naive *naive)
{
    RealmEngine *engine = naive->engine;
    uint32_t     block = realm_block_need(engine, naive->prefix), leaf = leaf_of(naive);
    RealmRoot   *root = realm_root_edit(engine);
    TP_ASSERT(block != 0);
    if (leaf == 0) {
        leaf = realm_leaf_take(engine);
        TP_ASSERT(leaf != 0);
        realm_leaf_edit(engine, leaf)->block = block;
        realm_leaf_edit(engine, leaf)->was_active = 1;
        realm_block_edit(engine, block)->leaf = (RealmLeafHandle){ leaf - 1, realm_leaf_at(engine, leaf)->generation };
        root->residents++;
    }
    RealmLeaf *value = realm_leaf_edit(engine, leaf);
    root->generation_last++;
    root->version++;
    value->number = root->generation_last;
    value->has_terrain = 1;
    value->is_demoted = 0;
    value->water = naive->content->terrain.water;
    memcpy(value->heights, naive->content->terrain.heights, sizeof(value->heights));
}

// ---- Parts ----

// The last cell of the list goes, with the rows in it.
static bool cell_off(Naive *naive)
{
    RealmEngine *engine = naive->engine;
    RealmLeaf   *leaf = realm_leaf_edit(engine, leaf_of(naive));
    uint32_t     cell = leaf->cell_first, before = 0;
    if (cell == 0) {
        return false;
    }
    while (realm_cell_at(engine, cell)->next != 0) {
        before = cell;
        cell = realm_cell_at(engine, cell)->next;
    }
    while (realm_cell_at(engine, cell)->bucket != 0) {
        realm_row_remove(engine, realm_cell_at(engine, cell)->bucket);
    }
    if (before != 0) {
        realm_cell_edit(engine, before)->next = 0;
    } else {
        leaf->cell_first = 0;
    }
    leaf->cell_last = before;
    leaf->cells--;
    realm_cell_give(engine, cell);
    return true;
}

static bool cell_on(Naive *naive)
{
    if (naive->cursor == naive->content->cells) {
        return false;
    }
    const RealmCellContent *from = &naive->content->cell[naive->cursor];
    uint32_t                cell = realm_cell_take(naive->engine);
    TP_ASSERT(cell != 0);
    RealmCell *value = realm_cell_edit(naive->engine, cell);
    RealmLeaf *leaf = realm_leaf_edit(naive->engine, leaf_of(naive));
    value->leaf = leaf_of(naive);
    value->number = (uint16_t)(REALM_INDOOR_FIRST + naive->cursor);
    memcpy(&value->low, &from->low, sizeof(*from));
    if (leaf->cell_last != 0) {
        realm_cell_edit(naive->engine, leaf->cell_last)->next = cell;
    } else {
        leaf->cell_first = cell;
    }
    leaf->cell_last = cell;
    leaf->cells++;
    naive->cursor++;
    return true;
}
_Static_assert(sizeof(RealmCell) - offsetof(RealmCell, low) == sizeof(RealmCellContent), "a cell ends with its content");

static bool building_off(Naive *naive)
{
    RealmLeaf *leaf = realm_leaf_edit(naive->engine, leaf_of(naive));
    uint32_t   building = leaf->building_first;
    if (building == 0) {
        return false;
    }
    leaf->building_first = realm_building_at(naive->engine, building)->next;
    leaf->building_last = leaf->building_first == 0 ? 0 : leaf->building_last;
    leaf->buildings--;
    realm_building_give(naive->engine, building);
    return true;
}

static bool building_on(Naive *naive)
{
    if (naive->cursor == naive->content->buildings) {
        return false;
    }
    const RealmBuildingContent *from = &naive->content->building[naive->cursor];
    uint32_t                    building = realm_building_take(naive->engine);
    TP_ASSERT(building != 0);
    RealmBuilding *value = realm_building_edit(naive->engine, building);
    RealmLeaf     *leaf = realm_leaf_edit(naive->engine, leaf_of(naive));
    value->leaf = leaf_of(naive);
    memcpy(value->low, from->low, sizeof(value->low));
    memcpy(value->high, from->high, sizeof(value->high));
    value->first_cell = from->first_cell;
    value->cells = from->cells;
    value->kind = from->kind;
    if (leaf->building_last != 0) {
        realm_building_edit(naive->engine, leaf->building_last)->next = building;
    } else {
        leaf->building_first = building;
    }
    leaf->building_last = building;
    leaf->buildings++;
    naive->cursor++;
    return true;
}

static bool static_off(Naive *naive)
{
    uint32_t fixture = realm_leaf_at(naive->engine, leaf_of(naive))->static_first;
    if (fixture == 0) {
        return false;
    }
    realm_owner_remove(naive->engine, fixture);
    return true;
}

static bool static_on(Naive *naive)
{
    if (naive->cursor == naive->content->statics) {
        return false;
    }
    uint32_t fixture = realm_owner_new_static(naive->engine, leaf_of(naive), &naive->content->fixture[naive->cursor]);
    TP_ASSERT(fixture != 0);
    TP_ASSERT(realm_owner_reflood(naive->engine, fixture));
    naive->cursor++;
    return true;
}

// ---- Who was there before ----

// `rooted_only`: the mistake is to look at where owners are, not at what they touch.
static bool flood_next(Naive *naive, bool rooted_only)
{
    RealmEngine *engine = naive->engine;
    if (naive->cursor == 0) {
        return false;
    }
    const RealmMember *member = realm_member_at(engine, naive->cursor);
    const RealmOwner  *owner = realm_owner_at(engine, member->owner);
    bool               is_rooted = realm_prefix(owner->cell) == naive->prefix;
    naive->cursor = member->next;
    if (!owner->is_suspended && (is_rooted || !rooted_only)) {
        TP_ASSERT(realm_owner_reflood(engine, member->owner));
    }
    return true;
}

void naive_flood_owners(Naive *naive)
{
    naive->cursor = realm_block_at(naive->engine, realm_block_find(naive->engine, naive->prefix))->member_first;
    while (flood_next(naive, false)) {
    }
}

// ---- The order of it all ----

static bool stage_step(Naive *naive)
{
    switch (naive->stage) {
    case NAIVE_CELLS_OFF: return cell_off(naive);
    case NAIVE_CELLS_ON: return cell_on(naive);
    case NAIVE_BUILDINGS_OFF: return building_off(naive);
    case NAIVE_BUILDINGS_ON: return building_on(naive);
    case NAIVE_STATICS_OFF: return static_off(naive);
    case NAIVE_STATICS_ON: return static_on(naive);
    case NAIVE_OWNERS: return naive->way != NAIVE_CALLBACK && flood_next(naive, naive->way == NAIVE_ROOTED);
    case NAIVE_TERRAIN:
    case NAIVE_DONE: return false;
    }
    return false;
}

static void next_stage(Naive *naive)
{
    naive->stage++;
    naive->cursor = 0;
    if (naive->stage == NAIVE_OWNERS) {
        naive->cursor = realm_block_at(naive->engine, realm_block_find(naive->engine, naive->prefix))->member_first;
    }
}

void naive_begin(Naive *naive, RealmEngine *engine, NaiveWay way, uint16_t prefix, const LandContent *content)
{
    *naive = (Naive){ .engine = engine, .way = way, .prefix = prefix, .content = content };
}

static bool one_part(Naive *naive)
{
    if (naive->stage == NAIVE_TERRAIN) {
        terrain(naive);
        next_stage(naive);
        return true;
    }
    while (naive->stage != NAIVE_DONE && !stage_step(naive)) {
        next_stage(naive);
    }
    return naive->stage != NAIVE_DONE;
}

bool naive_step(Naive *naive)
{
    if (naive->way == NAIVE_PER_CELL || naive->stage == NAIVE_DONE) {
        return one_part(naive);
    }
    while (one_part(naive)) {
    }
    if (naive->ready != NULL) {
        naive->ready(naive);
    }
    return true;
}
