// realm_land.c: landblocks by hand.
#include "realm_land.h"

#include <criterion/criterion.h>

#include "realm_internal.h"

void land_open(Rig *rig)
{
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_CELLS] = 640;
    sizes.items[REALM_CONFIG_BUILDINGS] = 640;
    sizes.items[REALM_CONFIG_OWNERS] = 400;
    sizes.items[REALM_CONFIG_DYNAMICS] = 300;
    sizes.items[REALM_CONFIG_MEMBERS] = 4000;
    sizes.items[REALM_CONFIG_SETS] = 1000;
    sizes.items[REALM_CONFIG_ROWS] = 40000;
    rig_open(rig, sizes);
    rig->check_every = 0;
}

uint32_t land_leaf(Rig *rig, uint32_t x, uint32_t y)
{
    RealmEngine *engine = &rig->engine;
    uint32_t     block = realm_block_need(engine, realm_prefix_at(x, y));
    uint32_t     link = realm_leaf_take(engine);
    cr_assert(block != 0 && link != 0);
    RealmLeaf *leaf = realm_leaf_edit(engine, link);
    leaf->block = block;
    leaf->number = link;
    leaf->has_terrain = 1;
    leaf->was_active = 1;
    realm_block_edit(engine, block)->leaf = (RealmLeafHandle){ link - 1, leaf->generation };
    return link;
}

uint8_t *land_heights(Rig *rig, uint32_t leaf)
{
    return realm_leaf_edit(&rig->engine, leaf)->heights;
}

static void set_box(tp_fx low[3], tp_fx high[3], const RealmBounds *box)
{
    for (int i = 0; i < 3; i++) {
        low[i].raw = (int32_t)box->low[i];
        high[i].raw = (int32_t)box->high[i];
    }
}

uint32_t land_cell(Rig *rig, uint32_t leaf, const RealmBounds *box)
{
    RealmEngine *engine = &rig->engine;
    uint32_t     link = realm_cell_take(engine);
    cr_assert_neq(link, 0);
    RealmCell *cell = realm_cell_edit(engine, link);
    RealmLeaf *value = realm_leaf_edit(engine, leaf);
    cell->leaf = leaf;
    cell->number = (uint16_t)(REALM_INDOOR_FIRST + value->cells);
    set_box(cell->low, cell->high, box);
    if (value->cell_last != 0) {
        realm_cell_edit(engine, value->cell_last)->next = link;
    } else {
        value->cell_first = link;
    }
    value->cell_last = link;
    value->cells++;
    return link;
}

void land_portal(Rig *rig, uint32_t cell, int axis, int64_t at, const int64_t low[2], const int64_t high[2], uint32_t other)
{
    RealmCell *value = realm_cell_edit(&rig->engine, cell);
    cr_assert_lt(value->portals, REALM_PORTALS);
    uint32_t i = value->portals++;
    value->portal_axis[i] = (uint8_t)axis;
    value->portal_at[i].raw = (int32_t)at;
    value->portal_low_1[i].raw = (int32_t)low[0];
    value->portal_low_2[i].raw = (int32_t)low[1];
    value->portal_high_1[i].raw = (int32_t)high[0];
    value->portal_high_2[i].raw = (int32_t)high[1];
    value->portal_other[i] = (uint16_t)other;
}

uint32_t land_building(Rig *rig, uint32_t leaf, const RealmBounds *box, uint32_t first_cell, uint32_t cells)
{
    RealmEngine *engine = &rig->engine;
    uint32_t     link = realm_building_take(engine);
    cr_assert_neq(link, 0);
    RealmBuilding *building = realm_building_edit(engine, link);
    RealmLeaf     *value = realm_leaf_edit(engine, leaf);
    building->leaf = leaf;
    building->first_cell = (uint16_t)first_cell;
    building->cells = (uint16_t)cells;
    set_box(building->low, building->high, box);
    building->next = value->building_first; // the order of buildings must not matter
    value->building_first = link;
    value->building_last = value->building_last != 0 ? value->building_last : link;
    value->buildings++;
    return link;
}

RealmBounds land_box(int32_t x0, int32_t y0, int32_t z0, int32_t x1, int32_t y1, int32_t z1)
{
    return (RealmBounds){ { (int64_t)x0 * REALM_UNIT, (int64_t)y0 * REALM_UNIT, (int64_t)z0 * REALM_UNIT },
                          { (int64_t)x1 * REALM_UNIT, (int64_t)y1 * REALM_UNIT, (int64_t)z1 * REALM_UNIT } };
}

void land_join(Rig *rig, uint32_t cell, uint32_t other, int axis, int32_t at, int32_t low_1, int32_t low_2, int32_t high_1, int32_t high_2)
{
    const int64_t low[2] = { (int64_t)low_1 * REALM_UNIT, (int64_t)low_2 * REALM_UNIT };
    const int64_t high[2] = { (int64_t)high_1 * REALM_UNIT, (int64_t)high_2 * REALM_UNIT };
    uint32_t      behind = other != 0 ? realm_cell_at(&rig->engine, other)->number : REALM_OUTSIDE;
    land_portal(rig, cell, axis, (int64_t)at * REALM_UNIT, low, high, behind);
    if (other != 0) {
        land_portal(rig, other, axis, (int64_t)at * REALM_UNIT, low, high, realm_cell_at(&rig->engine, cell)->number);
    }
}

RealmPlace land_place(uint32_t x, uint32_t y, int64_t local_x, int64_t local_y, int64_t z)
{
    RealmPlace place;
    cr_assert(realm_place_at(realm_prefix_at(x, y), local_x, local_y, z, &place));
    return place;
}
