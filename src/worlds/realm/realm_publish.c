// realm_publish.c: content comes into a draft, piece by piece, and nowhere else: the active world does not change by a bit that a query can see.
#include "realm_internal.h"

#include "realm_catalog.h"

// The draft, when it takes content now.
static uint32_t open_for_content(RealmEngine *engine, RealmDraftHandle draft)
{
    uint32_t link = realm_draft_for_call(engine, draft);
    if (link == 0) {
        return 0;
    }
    if (realm_draft_at(engine, link)->phase != REALM_PHASE_PUBLISH) {
        bool is_early = realm_draft_at(engine, link)->phase == REALM_PHASE_MATERIALISE;
        realm_refuse(engine, REALM_ERROR, is_early ? "the draft has not noted its neighbours yet" : "the draft's content is closed");
        return 0;
    }
    return link;
}

static uint32_t leaf_of(const RealmEngine *engine, uint32_t draft)
{
    return realm_draft_at(engine, draft)->leaf;
}

RealmAnswer realm_publish_terrain(RealmEngine *engine, RealmDraftHandle draft, const RealmTerrainContent *terrain)
{
    uint32_t link = open_for_content(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (REALM_PLANT(S18)) {
        realm_leaf_edit(engine, leaf_of(engine, link))->has_terrain = 0;
    }
    if (realm_leaf_at(engine, leaf_of(engine, link))->has_terrain || terrain->water > 2) {
        return realm_refuse(engine, REALM_ERROR, "the terrain is there already, or its water is of no kind");
    }
    RealmLeaf *leaf = realm_leaf_edit(engine, leaf_of(engine, link));
    memcpy(leaf->heights, terrain->heights, sizeof(leaf->heights));
    if (REALM_PLANT(T01) && realm_block_at(engine, leaf->block)->leaf.generation != 0) {
        memcpy(realm_leaf_edit(engine, realm_block_at(engine, leaf->block)->leaf.index + 1)->heights, terrain->heights, sizeof(leaf->heights));
    }
    leaf->water = terrain->water;
    leaf->has_terrain = 1;
    realm_draft_count_unit(engine, link);
    return REALM_DONE;
}

static bool is_box_good(const tp_fx low[3], const tp_fx high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t least = axis < 2 ? 0 : -1024 * 65536, most = axis < 2 ? REALM_BLOCK_SIZE * 65536 : 1024 * 65536;
        if (low[axis].raw < least || high[axis].raw > most || low[axis].raw >= high[axis].raw) {
            return false;
        }
    }
    return true;
}

static bool is_indoor(uint32_t number)
{
    return number >= REALM_INDOOR_FIRST && number < REALM_INDOOR_FIRST + REALM_INDOOR_MAX;
}

static bool are_portals_good(const RealmCellContent *cell)
{
    for (uint32_t i = 0; i < cell->portals; i++) {
        bool leads_somewhere = cell->portal_other[i] == REALM_OUTSIDE || is_indoor(cell->portal_other[i]);
        if (!leads_somewhere || cell->portal_axis[i] > 2 || cell->portal_low_1[i].raw >= cell->portal_high_1[i].raw ||
            cell->portal_low_2[i].raw >= cell->portal_high_2[i].raw) {
            return false;
        }
    }
    return true;
}

RealmAnswer realm_publish_cell(RealmEngine *engine, RealmDraftHandle draft, const RealmCellContent *content)
{
    uint32_t link = open_for_content(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    uint32_t count = realm_leaf_at(engine, leaf_of(engine, link))->cells;
    if (count >= REALM_INDOOR_MAX || content->portals > REALM_PORTALS || !is_box_good(content->low, content->high) ||
        !are_portals_good(content)) {
        return realm_refuse(engine, REALM_ERROR, "the cell is no box in the landblock, has a bad portal, or is one too many");
    }
    uint32_t cell = realm_cell_take(engine);
    if (cell == 0) {
        return realm_refuse(engine, REALM_NOT_YET, "no cell is free");
    }
    RealmCell *value = realm_cell_edit(engine, cell);
    RealmLeaf *leaf = realm_leaf_edit(engine, leaf_of(engine, link));
    value->leaf = leaf_of(engine, link);
    value->number = (uint16_t)(REALM_INDOOR_FIRST + count);
    memcpy(value->low, content->low, sizeof(value->low));
    memcpy(value->high, content->high, sizeof(value->high));
    value->visible = content->visible;
    for (uint32_t i = 0; i < content->portals; i++) {
        value->portal_at[i] = content->portal_at[i];
        value->portal_low_1[i] = content->portal_low_1[i];
        value->portal_low_2[i] = content->portal_low_2[i];
        value->portal_high_1[i] = content->portal_high_1[i];
        value->portal_high_2[i] = content->portal_high_2[i];
        value->portal_other[i] = content->portal_other[i];
        value->portal_axis[i] = content->portal_axis[i];
    }
    value->portals = content->portals;
    if (leaf->cell_last != 0) {
        realm_cell_edit(engine, leaf->cell_last)->next = cell;
    } else {
        leaf->cell_first = cell;
    }
    leaf->cell_last = cell;
    leaf->cells++;
    realm_draft_count_unit(engine, link);
    return REALM_DONE;
}

RealmAnswer realm_publish_building(RealmEngine *engine, RealmDraftHandle draft, const RealmBuildingContent *content)
{
    uint32_t link = open_for_content(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    bool are_cells_good = is_indoor(content->first_cell) && content->cells > 0 && is_indoor(content->first_cell + content->cells - 1u);
    if (realm_leaf_at(engine, leaf_of(engine, link))->buildings >= REALM_INDOOR_MAX || !is_box_good(content->low, content->high) ||
        !are_cells_good) {
        return realm_refuse(engine, REALM_ERROR, "the building is no box in the landblock, names no cells, or is one too many");
    }
    uint32_t building = realm_building_take(engine);
    if (building == 0) {
        return realm_refuse(engine, REALM_NOT_YET, "no building is free");
    }
    RealmBuilding *value = realm_building_edit(engine, building);
    RealmLeaf     *leaf = realm_leaf_edit(engine, leaf_of(engine, link));
    value->leaf = leaf_of(engine, link);
    memcpy(value->low, content->low, sizeof(value->low));
    memcpy(value->high, content->high, sizeof(value->high));
    value->first_cell = content->first_cell;
    value->cells = content->cells;
    value->kind = content->kind;
    if (leaf->building_last != 0) {
        realm_building_edit(engine, leaf->building_last)->next = building;
    } else {
        leaf->building_first = building;
    }
    leaf->building_last = building;
    leaf->buildings++;
    realm_draft_count_unit(engine, link);
    return REALM_DONE;
}

RealmAnswer realm_publish_static(RealmEngine *engine, RealmDraftHandle draft, const RealmStaticContent *content)
{
    uint32_t link = open_for_content(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    const int32_t size = REALM_BLOCK_SIZE * 65536, tall = 1024 * 65536;
    if (realm_catalog_at(content->setup) == NULL || content->turn > 3 || content->x.raw < 0 || content->x.raw >= size ||
        content->y.raw < 0 || content->y.raw >= size || content->z.raw < -tall || content->z.raw > tall) {
        return realm_refuse(engine, REALM_ERROR, "the static is outside the landblock, or the catalog has no such setup");
    }
    if (REALM_PLANT(S17) && engine->owners[0].generation % 2 == 1) {
        realm_owner_edit(engine, 1)->state++;
    }
    if (REALM_PLANT(T35) && realm_plant_was_deleted(content->id)) {
        return REALM_DONE;
    }
    if (realm_owner_new_static(engine, leaf_of(engine, link), content) == 0) {
        return realm_refuse(engine, REALM_NOT_YET, "no room for one more static");
    }
    realm_draft_count_unit(engine, link);
    return REALM_DONE;
}

RealmAnswer realm_publish_close(RealmEngine *engine, RealmDraftHandle draft)
{
    uint32_t link = open_for_content(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (!realm_leaf_at(engine, leaf_of(engine, link))->has_terrain) {
        return realm_refuse(engine, REALM_ERROR, "the landblock has no terrain yet");
    }
    RealmDraft *value = realm_draft_edit(engine, link);
    value->phase = REALM_PHASE_CAPTURE;
    value->member_cursor = realm_block_at(engine, value->block)->member_first;
    value->capture_end = engine->root->stamp_last;
    return REALM_DONE;
}
