// realm_model_land.c: contents that look for trouble: generated land, and hand-made landblocks with shapes over every seam and corner, houses
// that stand on a seam, cellars without a house, rooms that overlap, and objects much larger than what they stand in.
#include "realm_model.h"

#include "realm_catalog.h"
#include "realm_generate.h"

#include <string.h>

enum { UNIT = REALM_UNIT, SIDE = REALM_BLOCK_RAW };

typedef enum { KIND_GENERATED, KIND_SCENERY, KIND_SEAMS, KIND_GIANTS, KIND_HOUSES, KIND_CELLARS, KIND_EMPTY, KIND_BROKEN, KIND_COUNT } Kind;
_Static_assert((int)KIND_BROKEN == (int)LAND_BROKEN && (int)KIND_COUNT == (int)LAND_VARIANTS, "a variant is a kind of content");

uint16_t land_prefix(const Land *land, uint32_t block)
{
    return realm_prefix_at(land->origin_x + block % land->width, land->origin_y + block / land->width);
}

uint32_t land_block(const Land *land, uint16_t prefix)
{
    uint32_t x = realm_prefix_x(prefix) - land->origin_x, y = realm_prefix_y(prefix) - land->origin_y;
    return x < land->width && y < land->height ? y * land->width + x : LAND_BLOCKS_MAX;
}

static tp_fx raw(int64_t value)
{
    return (tp_fx){ (int32_t)value };
}

static uint32_t below(tp_pcg32 *dice, uint32_t bound)
{
    return tp_pcg32_below(dice, bound);
}

// ---- Single things ----

// On or near an edge of the landblock, or somewhere.
static int64_t edge_coordinate(tp_pcg32 *dice)
{
    static const int32_t special[] = { 0, 1, 14, 6553, UNIT / 2, UNIT, 3 * UNIT, SIDE - 1, SIDE - 14, SIDE - 6553, SIDE - UNIT / 2, SIDE - UNIT,
                                       SIDE - 5 * UNIT, 24 * UNIT, 24 * UNIT - 1, 96 * UNIT };
    uint32_t k = below(dice, 24);
    int64_t  anywhere = below(dice, SIDE);
    return k < sizeof(special) / sizeof(special[0]) ? special[k] : anywhere;
}

uint16_t land_setup(tp_pcg32 *dice)
{
    static const uint16_t common[] = { REALM_SETUP_PLAYER, REALM_SETUP_CREATURE_SMALL, REALM_SETUP_CREATURE_LARGE, REALM_SETUP_BOLT,
                                       REALM_SETUP_CRATE, REALM_SETUP_BOULDER, REALM_SETUP_WALL, REALM_SETUP_TREE_LARGE };
    uint32_t k = below(dice, 20);
    if (k < 8) {
        return common[k];
    }
    if (k < 17) {
        return (uint16_t)(1 + below(dice, REALM_SETUP_RUIN));
    }
    return (uint16_t)(REALM_SETUP_RUIN + below(dice, 4));
}

static void add_static(LandContent *content, tp_pcg32 *dice, uint16_t setup, int64_t x, int64_t y, int64_t z)
{
    if (content->statics == LAND_STATICS_MAX) {
        return;
    }
    // Few numbers, the same in every landblock and variant: replacements reuse ids, and neighbours have them too.
    uint32_t id = 800 + below(dice, 30);
    uint32_t state = below(dice, 256);
    uint8_t  turn = (uint8_t)below(dice, 4);
    content->fixture[content->statics++] =
        (RealmStaticContent){ .id = id, .state = state, .setup = setup, .turn = turn, .x = raw(x), .y = raw(y), .z = raw(z) };
}

static void scatter(LandContent *content, tp_pcg32 *dice, uint32_t count, uint16_t setup)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t  x = edge_coordinate(dice);
        int64_t  y = edge_coordinate(dice);
        int64_t  z = (int64_t)below(dice, 30) * UNIT;
        uint16_t other = land_setup(dice);
        add_static(content, dice, setup != 0 ? setup : other, x, y, z);
    }
}

static void flat(LandContent *content, tp_pcg32 *dice)
{
    uint8_t level = (uint8_t)(1 + below(dice, 20));
    memset(content->terrain.heights, level, sizeof(content->terrain.heights));
    content->terrain.heights[below(dice, REALM_HEIGHTS)] = (uint8_t)(level + 3);
    content->terrain.water = (uint8_t)below(dice, 3);
}

static RealmCellContent *add_cell(LandContent *content, const int32_t low[3], const int32_t high[3], uint64_t visible)
{
    RealmCellContent *cell = &content->cell[content->cells++];
    for (int axis = 0; axis < 3; axis++) {
        cell->low[axis] = raw((int64_t)low[axis] * UNIT);
        cell->high[axis] = raw((int64_t)high[axis] * UNIT);
    }
    cell->visible = visible;
    return cell;
}

// A doorway two wide and three high in the plane `at` across `axis` (0, 1), or a hatch two by two in a floor (2). `p`, `q`: its low corner.
static void add_portal(RealmCellContent *cell, uint8_t axis, int32_t at, int32_t p, int32_t q, uint16_t other)
{
    uint32_t k = cell->portals++;
    cell->portal_axis[k] = axis;
    cell->portal_at[k] = raw((int64_t)at * UNIT);
    cell->portal_low_1[k] = raw((int64_t)p * UNIT);
    cell->portal_high_1[k] = raw((int64_t)(p + 2) * UNIT);
    cell->portal_low_2[k] = raw((int64_t)q * UNIT);
    cell->portal_high_2[k] = raw((int64_t)(q + (axis == 2 ? 2 : 3)) * UNIT);
    cell->portal_other[k] = other;
}

// ---- Houses ----

// A row of rooms of 8 x 8 x 6 along `axis` from (x, y, z) on. Outer doorways at both ends; a hatch from the first room up into a loft.
static void add_row_house(LandContent *content, tp_pcg32 *dice, uint32_t axis, int32_t x, int32_t y, int32_t z, bool has_building)
{
    uint32_t first = content->cells, rooms = 2 + below(dice, 2);
    uint64_t visible = below(dice, 2) != 0 ? ~UINT64_C(0) : UINT64_C(1) << first | UINT64_C(2) << first;
    visible &= (UINT64_C(1) << (first + rooms + 1)) - 1;
    if (content->cells + rooms + 1 > LAND_CELLS_MAX || content->buildings == LAND_BUILDINGS_MAX) {
        return;
    }
    for (uint32_t r = 0; r < rooms; r++) {
        int32_t           step_x = axis == 0 ? 8 * (int32_t)r : 0, step_y = axis == 1 ? 8 * (int32_t)r : 0;
        const int32_t     low[3] = { x + step_x, y + step_y, z }, high[3] = { low[0] + 8, low[1] + 8, z + 6 };
        RealmCellContent *cell = add_cell(content, low, high, visible);
        uint16_t          number = (uint16_t)(REALM_INDOOR_FIRST + first + r);
        int32_t           along = low[axis], across = low[1 - axis] + 3;
        add_portal(cell, (uint8_t)axis, along, across, z, r == 0 ? REALM_OUTSIDE : (uint16_t)(number - 1));
        add_portal(cell, (uint8_t)axis, along + 8, across, z, r == rooms - 1 ? REALM_OUTSIDE : (uint16_t)(number + 1));
        if (r == 0) {
            add_portal(cell, 2, z + 6, x + 3, y + 3, (uint16_t)(REALM_INDOOR_FIRST + first + rooms));
        }
    }
    const int32_t     loft_low[3] = { x, y, z + 6 }, loft_high[3] = { x + 8, y + 8, z + 10 };
    RealmCellContent *loft = add_cell(content, loft_low, loft_high, visible);
    add_portal(loft, 2, z + 6, x + 3, y + 3, (uint16_t)(REALM_INDOOR_FIRST + first));
    if (has_building) {
        RealmBuildingContent *building = &content->building[content->buildings++];
        int32_t               long_side = 8 * (int32_t)rooms;
        const int32_t         low[3] = { x, y, z - 1 };
        const int32_t         high[3] = { x + (axis == 0 ? long_side : 8), y + (axis == 1 ? long_side : 8), z + 11 };
        for (int i = 0; i < 3; i++) {
            building->low[i] = raw((int64_t)low[i] * UNIT);
            building->high[i] = raw((int64_t)high[i] * UNIT);
        }
        building->first_cell = (uint16_t)(REALM_INDOOR_FIRST + first);
        building->cells = (uint16_t)(rooms + 1);
        building->kind = 40 + below(dice, 8);
    }
}

static void furnish(LandContent *content, tp_pcg32 *dice, uint32_t count)
{
    for (uint32_t i = 0; i < count && content->cells > 0; i++) {
        const RealmCellContent *cell = &content->cell[below(dice, content->cells)];
        int64_t  at[3];
        for (int axis = 0; axis < 3; axis++) {
            // Also exactly on the low face, which is inside, and just past the high one.
            int64_t size = cell->high[axis].raw - cell->low[axis].raw;
            at[axis] = cell->low[axis].raw + (below(dice, 4) == 0 ? 0 : (int64_t)below(dice, (uint32_t)size + 1));
            at[axis] = axis < 2 && at[axis] >= SIDE ? SIDE - 1 : at[axis];
        }
        uint16_t setup = land_setup(dice);
        add_static(content, dice, setup, at[0], at[1], at[2]);
    }
}

static void houses(LandContent *content, tp_pcg32 *dice)
{
    flat(content, dice);
    const int32_t far = 192 - 8;
    int32_t       level = content->terrain.heights[1];
    switch (below(dice, 4)) { // on the low or the high seam of either axis, doorway in the seam itself
    case 0: add_row_house(content, dice, 0, 0, 80, level, true); break;
    case 1: add_row_house(content, dice, 1, 80, 0, level, true); break;
    case 2: add_row_house(content, dice, 1, far, 168, level, true); break;
    default: add_row_house(content, dice, 0, 168, far, level, true); break;
    }
    add_row_house(content, dice, below(dice, 2), 90, 100, level, true);
    furnish(content, dice, 4);
    scatter(content, dice, 1, 0);
}

static void cellars(LandContent *content, tp_pcg32 *dice)
{
    flat(content, dice);
    add_row_house(content, dice, 0, 40, 40, -30, false);
    add_row_house(content, dice, 1, 184, 100, 2, false); // outer doorways, but no building to enter by
    const int32_t low[3] = { 44, 36, -32 }, high[3] = { 60, 60, -20 }; // overlaps the row
    if (content->cells < LAND_CELLS_MAX) {
        add_cell(content, low, high, 0);
    }
    furnish(content, dice, 5);
}

// ---- Variants ----

static void generated(LandContent *content, const Land *land, uint16_t prefix, uint32_t variant)
{
    RealmPlan plan = realm_generate_plan(land->seed, prefix, (uint16_t)variant);
    realm_generate_terrain(&plan, &content->terrain);
    content->cells = plan.rooms < LAND_CELLS_MAX ? plan.rooms : LAND_CELLS_MAX;
    for (uint32_t k = 0; k < content->cells; k++) {
        realm_generate_cell(&plan, k, &content->cell[k]);
    }
    content->buildings = plan.houses;
    for (uint32_t k = 0; k < plan.houses; k++) {
        realm_generate_building(&plan, k, &content->building[k]);
    }
    content->statics = plan.statics < 7 ? plan.statics : 7;
    for (uint32_t k = 0; k < content->statics; k++) {
        realm_generate_static(&plan, k, &content->fixture[k]);
    }
}

// A house of whose first room a doorway leads nowhere.
static void broken(LandContent *content, tp_pcg32 *dice)
{
    houses(content, dice);
    content->cell[0].portal_other[0] = (uint16_t)(REALM_INDOOR_FIRST + content->cells);
}

static void giants(LandContent *content, tp_pcg32 *dice)
{
    flat(content, dice);
    scatter(content, dice, 1, REALM_SETUP_HILL_30);
    scatter(content, dice, 1, (uint16_t)(REALM_SETUP_HILL_100 + below(dice, 2)));
    scatter(content, dice, 1, REALM_SETUP_RUIN);
}

static void fill(LandContent *content, const Land *land, uint16_t prefix, uint32_t variant)
{
    tp_pcg32 dice = tp_pcg32_make(land->seed ^ (uint64_t)prefix << 32, variant);
    *content = (LandContent){ .cells = 0 };
    switch ((Kind)variant) {
    case KIND_GENERATED: generated(content, land, prefix, 0); break;
    case KIND_SCENERY:
        generated(content, land, prefix, 1);
        scatter(content, &dice, 3, 0);
        break;
    case KIND_SEAMS:
        flat(content, &dice);
        scatter(content, &dice, 4, 0);
        scatter(content, &dice, 2, REALM_SETUP_CRATE);
        break;
    case KIND_GIANTS: giants(content, &dice); break;
    case KIND_HOUSES: houses(content, &dice); break;
    case KIND_CELLARS: cellars(content, &dice); break;
    case KIND_EMPTY: flat(content, &dice); break;
    case KIND_BROKEN:
    case KIND_COUNT: broken(content, &dice); break;
    }
}

const LandContent *land_content(Land *land, uint32_t block, uint32_t variant)
{
    LandContent *content = &land->content[block][variant];
    if (!land->is_filled[block][variant]) {
        fill(content, land, land_prefix(land, block), variant);
        land->is_filled[block][variant] = true;
    }
    return content;
}

uint32_t land_items(const LandContent *content)
{
    return 2 + content->cells + content->buildings + content->statics;
}

RealmAnswer land_publish(RealmEngine *engine, RealmDraftHandle draft, const LandContent *content, uint32_t item)
{
    if (item == 0) {
        return realm_publish_terrain(engine, draft, &content->terrain);
    }
    item -= 1;
    if (item < content->cells) {
        return realm_publish_cell(engine, draft, &content->cell[item]);
    }
    item -= content->cells;
    if (item < content->buildings) {
        return realm_publish_building(engine, draft, &content->building[item]);
    }
    item -= content->buildings;
    return item < content->statics ? realm_publish_static(engine, draft, &content->fixture[item]) : realm_publish_close(engine, draft);
}

// In a room of one of the landblock's contents, now there or not.
static bool place_indoors(Land *land, tp_pcg32 *dice, uint32_t block, RealmPlace *place)
{
    static const uint8_t variants[] = { KIND_GENERATED, KIND_HOUSES, KIND_CELLARS };
    const LandContent   *content = land_content(land, block, variants[below(dice, 3)]);
    if (content->cells == 0) {
        return false;
    }
    const RealmCellContent *cell = &content->cell[below(dice, content->cells)];
    int64_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = cell->low[axis].raw + (int64_t)below(dice, (uint32_t)(cell->high[axis].raw - cell->low[axis].raw));
    }
    bool is_in_doorway = cell->portals > 0 && below(dice, 3) == 0;
    if (is_in_doorway) {
        uint32_t k = below(dice, cell->portals);
        int64_t  at_plane = cell->portal_at[k].raw;
        at[cell->portal_axis[k]] = at_plane - UNIT / 4 + (int64_t)below(dice, UNIT / 2);
        at[cell->portal_axis[k] == 0 ? 1 : 0] = (cell->portal_low_1[k].raw + cell->portal_high_1[k].raw) / 2;
        at[cell->portal_axis[k] == 2 ? 1 : 2] = cell->portal_low_2[k].raw + UNIT / 8;
    }
    return realm_place_at(land_prefix(land, block), at[0], at[1], at[2], place);
}

RealmPlace land_place(Land *land, tp_pcg32 *dice, uint32_t block)
{
    RealmPlace place;
    uint32_t   how = below(dice, 5);
    if (how < 2 && place_indoors(land, dice, block, &place)) {
        return place;
    }
    int64_t x = edge_coordinate(dice);
    int64_t y = edge_coordinate(dice);
    int64_t z = (int64_t)below(dice, 40) * UNIT;
    place = (RealmPlace){ realm_block_id(land_prefix(land, block)), raw(x), raw(y), raw(z) };
    return place;
}
