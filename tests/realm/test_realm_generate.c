// The land: that it is a pure function, that landblocks meet, that houses hold together and can be entered, and that there is room to stand.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "realm_catalog.h"
#include "realm_generate.h"
#include "realm_offline.h"
#include "realm_terrain.h"

enum { SEEDS = 4, UNIT = 65536, FIRST = REALM_INDOOR_FIRST };

// Landblocks all over the land: every test looks at the same ones.
enum { SAMPLES = 400 };
static uint16_t sample(uint32_t k)
{
    return realm_prefix_at(k * 37 % 254, k * 101 % 253);
}

static uint64_t digest(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t digest_number(uint64_t hash, int64_t number)
{
    return digest(hash, &number, sizeof(number));
}

static uint64_t digest_static(uint64_t hash, const RealmStaticContent *content)
{
    hash = digest_number(hash, content->id);
    hash = digest_number(hash, content->setup * 4 + content->turn);
    hash = digest_number(hash, content->x.raw);
    hash = digest_number(hash, content->y.raw);
    return digest_number(hash, content->z.raw);
}

// Of everything a landblock holds, from the last piece to the first when `is_backwards`.
static uint64_t digest_block(uint64_t seed, uint16_t prefix, uint16_t variant, bool is_backwards)
{
    RealmPlan           plan = realm_generate_plan(seed, prefix, variant);
    RealmTerrainContent terrain;
    uint64_t            sum = 0;
    for (uint32_t i = 0; i < plan.statics; i++) {
        RealmStaticContent piece;
        realm_generate_static(&plan, is_backwards ? plan.statics - 1 - i : i, &piece);
        sum += digest_static(1, &piece);
    }
    for (uint32_t i = 0; i < plan.rooms; i++) {
        RealmCellContent cell;
        realm_generate_cell(&plan, is_backwards ? plan.rooms - 1 - i : i, &cell);
        sum += digest(2, &cell, sizeof(cell));
    }
    for (uint32_t i = 0; i < plan.houses; i++) {
        RealmBuildingContent building;
        realm_generate_building(&plan, i, &building);
        sum += digest(3, &building, sizeof(building));
    }
    realm_generate_terrain(&plan, &terrain);
    return sum + digest(4, terrain.heights, sizeof(terrain.heights)) + terrain.water;
}

Test(realm_generate, is_pure)
{
    for (uint32_t k = 0; k < SAMPLES; k++) {
        uint64_t first = digest_block(7, sample(k), 0, false);
        digest_block(8, sample(k + 1), 3, false);
        cr_assert_eq(digest_block(7, sample(k), 0, true), first, "landblock %04x", sample(k));
    }
}

// Goal: a land is part of every recording made in it: none changes unnoticed, with any compiler.
Test(realm_generate, golden)
{
    static const struct { uint64_t seed; uint16_t variant; uint64_t expected; } rows[] = {
        { 1, 0, UINT64_C(0x0990e568b91f0842) },
        { 2, 0, UINT64_C(0x9c12ee436a9a9f9b) },
        { 1, 1, UINT64_C(0x3f9effc9cadcfb1d) },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < SAMPLES; k++) {
            sum = sum * 31 + digest_block(rows[i].seed, sample(k), rows[i].variant, false);
        }
        cr_expect_eq(sum, rows[i].expected, "{ %llu, %u, UINT64_C(0x%016llx) },", (unsigned long long)rows[i].seed, rows[i].variant,
                     (unsigned long long)sum);
    }
}

Test(realm_generate, seeds_have_nothing_in_common)
{
    uint32_t equal = 0;
    for (uint32_t k = 0; k < 2000; k++) {
        equal += realm_generate_vertex(4, k, k * 3 % 2041) == realm_generate_vertex(5, k, k * 3 % 2041);
    }
    cr_assert_lt(equal, 2000 / 10);
}

// ---- The ground ----

// How many of the nine vertices of a seam differ: `b` is the neighbour of `a` in x, or in y.
static uint32_t seam_faults(const RealmTerrainContent *a, const RealmTerrainContent *b, bool is_in_x)
{
    uint32_t faults = 0;
    for (uint32_t i = 0; i < 9; i++) {
        faults += is_in_x ? a->heights[8 * 9 + i] != b->heights[i] : a->heights[i * 9 + 8] != b->heights[i * 9];
    }
    return faults;
}

static RealmTerrainContent terrain_of(uint64_t seed, uint16_t prefix, uint16_t variant)
{
    RealmPlan           plan = realm_generate_plan(seed, prefix, variant);
    RealmTerrainContent terrain;
    realm_generate_terrain(&plan, &terrain);
    return terrain;
}

Test(realm_generate, landblocks_meet)
{
    for (uint32_t k = 0; k < SAMPLES; k++) {
        uint16_t            prefix = sample(k);
        RealmTerrainContent here = terrain_of(3, prefix, 0), other = terrain_of(3, prefix, 5);
        RealmTerrainContent east = terrain_of(3, (uint16_t)(prefix + 0x100), 2), north = terrain_of(3, (uint16_t)(prefix + 1), 1);
        cr_assert_eq(seam_faults(&here, &east, true), 0, "landblock %04x, to the east", prefix);
        cr_assert_eq(seam_faults(&here, &north, false), 0, "landblock %04x, to the north", prefix);
        cr_assert_eq(seam_faults(&other, &east, true), 0, "landblock %04x, another variant", prefix);
        here.heights[8 * 9 + 4]++;
        cr_assert_eq(seam_faults(&here, &east, true), 1, "a planted step was not seen");
    }
}

Test(realm_generate, variants_raise_the_inside_only)
{
    uint32_t raised = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        RealmTerrainContent first = terrain_of(3, sample(k), 0), next = terrain_of(3, sample(k), 1);
        for (uint32_t i = 0; i < REALM_HEIGHTS; i++) {
            bool is_seam = i / 9 == 0 || i / 9 == 8 || i % 9 == 0 || i % 9 == 8;
            cr_assert(next.heights[i] >= first.heights[i] && (!is_seam || next.heights[i] == first.heights[i]));
            raised += next.heights[i] > first.heights[i];
        }
        cr_assert_eq(first.water, next.water);
    }
    cr_assert_gt(raised, SAMPLES * 10);
}

// Goal: a land to walk on, with hills in it: nearly all slopes can be climbed, heights differ, and neither water nor level ground is everywhere.
Test(realm_generate, can_be_walked)
{
    uint32_t slopes = 0, steep = 0, wet = 0, lowest = 255, highest = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        RealmTerrainContent terrain = terrain_of(11, sample(k), 0);
        wet += terrain.water == 2;
        if (terrain.water == 2) {
            continue;
        }
        for (uint32_t i = 0; i < 64 * 2; i++) {
            int64_t    x = (i / 16 * 24 + (i % 2 == 0 ? 4 : 20)) * UNIT, y = (i / 2 % 8 * 24 + (i % 2 == 0 ? 7 : 17)) * UNIT;
            RealmSlope slope = realm_terrain_slope(terrain.heights, sample(k), x, y);
            slopes++;
            steep += !realm_slope_is_walkable(slope);
        }
        for (uint32_t i = 0; i < REALM_HEIGHTS; i++) {
            lowest = terrain.heights[i] < lowest ? terrain.heights[i] : lowest;
            highest = terrain.heights[i] > highest ? terrain.heights[i] : highest;
        }
    }
    cr_assert_lt(steep * 100, slopes * 2, "%u of %u slopes are too steep", steep, slopes);
    cr_assert_gt(highest, lowest + 60);
    cr_assert(wet > 0 && wet < SAMPLES / 8, "%u of %u landblocks are water", wet, SAMPLES);
}

Test(realm_generate, water_never_touches_water)
{
    for (uint32_t x = 0; x < 60; x++) {
        for (uint32_t y = 0; y < 60; y++) {
            if (realm_generate_plan(9, realm_prefix_at(x, y), 0).water != 2) {
                continue;
            }
            for (uint32_t k = 0; k < 8; k++) {
                uint32_t place = k < 4 ? k : k + 1;
                uint16_t beside = realm_prefix_at(x + place % 3 - 1, y + place / 3 - 1);
                cr_assert_neq(realm_generate_plan(9, beside, 0).water, 2, "%u %u", x, y);
            }
        }
    }
}

// ---- Houses ----

static bool is_inside(const RealmCellContent *cell, const RealmBuildingContent *building)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (cell->low[axis].raw < building->low[axis].raw || cell->high[axis].raw > building->high[axis].raw ||
            cell->low[axis].raw >= cell->high[axis].raw) {
            return false;
        }
    }
    return true;
}

static bool is_on_face(const tp_fx low[3], const tp_fx high[3], uint32_t axis, int32_t at)
{
    return at == low[axis].raw || at == high[axis].raw;
}

// The portal's rectangle lies in the box, over the two axes it is not across.
static bool is_within_face(const RealmCellContent *cell, uint32_t portal, const RealmCellContent *of)
{
    uint32_t axis = cell->portal_axis[portal], first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    return cell->portal_low_1[portal].raw >= of->low[first].raw && cell->portal_high_1[portal].raw <= of->high[first].raw &&
           cell->portal_low_2[portal].raw >= of->low[second].raw && cell->portal_high_2[portal].raw <= of->high[second].raw &&
           cell->portal_low_1[portal].raw < cell->portal_high_1[portal].raw &&
           cell->portal_low_2[portal].raw < cell->portal_high_2[portal].raw;
}

static bool has_same_portal(const RealmCellContent *a, uint32_t portal, const RealmCellContent *b, uint32_t number_of_a)
{
    for (uint32_t i = 0; i < b->portals; i++) {
        if (b->portal_other[i] == number_of_a && b->portal_axis[i] == a->portal_axis[portal] &&
            b->portal_at[i].raw == a->portal_at[portal].raw && b->portal_low_1[i].raw == a->portal_low_1[portal].raw &&
            b->portal_high_2[i].raw == a->portal_high_2[portal].raw) {
            return true;
        }
    }
    return false;
}

static const char *portal_fault(const RealmOfflineBlock *content, const RealmBuildingContent *building, uint32_t k, uint32_t portal)
{
    const RealmCellContent *cell = &content->cells[k];
    int32_t                 at = cell->portal_at[portal].raw;
    uint32_t                axis = cell->portal_axis[portal], other = cell->portal_other[portal];
    if (!is_on_face(cell->low, cell->high, axis, at) || !is_within_face(cell, portal, cell)) {
        return "a portal is not in a face of its cell";
    }
    if (other == REALM_OUTSIDE) {
        return axis < 2 && is_on_face(building->low, building->high, axis, at) ? NULL : "an outer portal is not in a wall of the building";
    }
    if (other < building->first_cell || other >= (uint32_t)building->first_cell + building->cells) {
        return "a portal leads into another building";
    }
    const RealmCellContent *behind = &content->cells[other - FIRST];
    if (!is_on_face(behind->low, behind->high, axis, at) || !is_within_face(cell, portal, behind)) {
        return "a portal is not in a face of the cell behind it";
    }
    return has_same_portal(cell, portal, behind, FIRST + k) ? NULL : "a portal leads one way only";
}

static bool do_overlap(const RealmCellContent *a, const RealmCellContent *b)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (a->low[axis].raw >= b->high[axis].raw || b->low[axis].raw >= a->high[axis].raw) {
            return false;
        }
    }
    return true;
}

static const char *sight_fault(const RealmOfflineBlock *content, const RealmBuildingContent *building, uint32_t k)
{
    uint64_t own = (UINT64_C(1) << building->cells) - 1;
    if ((content->cells[k].visible & ~(own << (building->first_cell - FIRST))) != 0) {
        return "a cell sees into another building";
    }
    if ((content->cells[k].visible >> k & 1) == 0) {
        return "a cell does not see itself";
    }
    for (uint32_t i = 0; i < content->cell_count; i++) {
        if ((content->cells[k].visible >> i & 1) != (content->cells[i].visible >> k & 1)) {
            return "a cell is seen by one that it does not see";
        }
    }
    for (uint32_t i = 0; i < content->cells[k].portals; i++) {
        uint32_t other = content->cells[k].portal_other[i];
        if (other != REALM_OUTSIDE && (content->cells[k].visible >> (other - FIRST) & 1) == 0) {
            return "a cell does not see the one behind its portal";
        }
    }
    return NULL;
}

static const char *cell_fault(const RealmOfflineBlock *content, const RealmBuildingContent *building, uint32_t k)
{
    const char *fault = is_inside(&content->cells[k], building) ? NULL : "a cell is not inside its building";
    for (uint32_t i = 0; i < content->cells[k].portals && fault == NULL; i++) {
        fault = portal_fault(content, building, k, i);
    }
    for (uint32_t i = 0; i < k && fault == NULL; i++) {
        fault = do_overlap(&content->cells[i], &content->cells[k]) ? "two cells overlap" : NULL;
    }
    return fault != NULL ? fault : sight_fault(content, building, k);
}

// From the outer doorways one gets into every room.
static bool is_connected(const RealmOfflineBlock *content, const RealmBuildingContent *building)
{
    uint64_t reached = 0, before = 1;
    while (reached != before) {
        before = reached;
        for (uint32_t k = building->first_cell - FIRST; k < (uint32_t)building->first_cell - FIRST + building->cells; k++) {
            for (uint32_t i = 0; i < content->cells[k].portals; i++) {
                uint32_t other = content->cells[k].portal_other[i];
                bool     is_open = other == REALM_OUTSIDE || (reached >> (other - FIRST) & 1) != 0;
                reached |= is_open ? UINT64_C(1) << k : 0;
            }
        }
    }
    return reached == ((UINT64_C(1) << building->cells) - 1) << (building->first_cell - FIRST);
}

// NULL, or what is wrong with a landblock's buildings.
static const char *houses_fault(const RealmOfflineBlock *content)
{
    uint32_t cells = 0;
    for (uint32_t b = 0; b < content->building_count; b++) {
        const RealmBuildingContent *building = &content->buildings[b];
        if (building->first_cell != FIRST + cells) {
            return "cells are counted twice, or not at all";
        }
        for (uint32_t k = cells; k < cells + building->cells; k++) {
            const char *fault = cell_fault(content, building, k);
            if (fault != NULL) {
                return fault;
            }
        }
        if (!is_connected(content, building)) {
            return "a room cannot be reached";
        }
        cells += building->cells;
    }
    return cells == content->cell_count ? NULL : "a cell belongs to no building";
}

// A plot is level, and the ground around it nearly so: one can come to the house from every side.
static bool is_plot_level(const RealmHouse *house, const RealmTerrainContent *terrain)
{
    for (uint32_t x = house->vertex_x - 1u; x <= house->vertex_x + house->plot_cells + 1u; x++) {
        for (uint32_t y = house->vertex_y - 1u; y <= house->vertex_y + house->plot_cells + 1u; y++) {
            bool is_around = x < house->vertex_x || y < house->vertex_y || x > (uint32_t)house->vertex_x + house->plot_cells ||
                             y > (uint32_t)house->vertex_y + house->plot_cells;
            int32_t difference = terrain->heights[x * 9 + y] - house->level;
            if (abs(difference) > (is_around ? REALM_PLOT_RELIEF_MAX : 0)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_plot_walkable(const RealmPlan *plan, const RealmHouse *house, const RealmTerrainContent *terrain)
{
    for (uint32_t i = house->vertex_x - 1u; i <= (uint32_t)house->vertex_x + house->plot_cells; i++) {
        for (uint32_t k = house->vertex_y - 1u; k <= (uint32_t)house->vertex_y + house->plot_cells; k++) {
            for (uint32_t part = 0; part < 4; part++) {
                int64_t x = (int64_t)(i * 24 + (part % 2 == 0 ? 3 : 21)) * UNIT, y = (int64_t)(k * 24 + (part / 2 == 0 ? 4 : 20)) * UNIT;
                if (!realm_slope_is_walkable(realm_terrain_slope(terrain->heights, plan->prefix, x, y))) {
                    return false;
                }
            }
        }
    }
    return true;
}

// The ground under a building's box covers its foot, lies at the floor's height at each outer doorway, and can be walked from there.
static const char *ground_fault(const RealmPlan *plan, const RealmOfflineBlock *content)
{
    for (uint32_t b = 0; b < content->building_count; b++) {
        const RealmBuildingContent *building = &content->buildings[b];
        if (!is_plot_level(&plan->house[b], &content->terrain)) {
            return "a house stands on a slope";
        }
        if (!is_plot_walkable(plan, &plan->house[b], &content->terrain)) {
            return "the ground around a house is too steep";
        }
        for (uint32_t corner = 0; corner < 4; corner++) {
            tp_fx x = (corner & 1) != 0 ? building->high[0] : building->low[0], y = (corner & 2) != 0 ? building->high[1] : building->low[1];
            if (realm_generate_ground(plan, x, y).raw <= building->low[2].raw) {
                return "there is a gap under a wall";
            }
        }
    }
    for (uint32_t k = 0; k < content->cell_count; k++) {
        const RealmCellContent *cell = &content->cells[k];
        for (uint32_t i = 0; i < cell->portals; i++) {
            if (cell->portal_other[i] != REALM_OUTSIDE) {
                continue;
            }
            uint32_t axis = cell->portal_axis[i];
            int32_t  out = cell->portal_at[i].raw == cell->high[axis].raw ? 1 : -1;
            int32_t  middle = cell->portal_low_1[i].raw / 2 + cell->portal_high_1[i].raw / 2, at = cell->portal_at[i].raw;
            for (int32_t step = 0; step <= 20; step++) {
                int32_t    here = at + out * step * UNIT;
                int32_t    x = axis == 0 ? here : middle, y = axis == 0 ? middle : here;
                RealmSlope slope = realm_terrain_slope(content->terrain.heights, plan->prefix, x, y);
                if (step == 0 && realm_slope_height(slope).raw != cell->low[2].raw) {
                    return "the floor is not at the ground's height";
                }
                if (!realm_slope_is_walkable(slope)) {
                    return "the way to a doorway is too steep";
                }
            }
        }
    }
    return NULL;
}

static RealmOfflineBlock block;

Test(realm_generate, houses_are_sound)
{
    uint32_t with_houses = 0, pairs = 0, shapes[3] = { 0 }, rooms[REALM_ROOMS_MAX + 1] = { 0 }, two_doors = 0;
    for (uint32_t k = 0; k < SAMPLES * SEEDS; k++) {
        uint64_t  seed = k / SAMPLES;
        RealmPlan plan = realm_generate_plan(seed, sample(k), 0);
        realm_offline_from_seed(seed, sample(k), 0, &block);
        const char *fault = houses_fault(&block);
        cr_assert_null(fault, "seed %llu, landblock %04x: %s", (unsigned long long)seed, sample(k), fault);
        fault = ground_fault(&plan, &block);
        cr_assert_null(fault, "seed %llu, landblock %04x: %s", (unsigned long long)seed, sample(k), fault);
        with_houses += plan.houses > 0;
        pairs += plan.houses == 2;
        for (uint32_t i = 0; i < plan.houses; i++) {
            shapes[plan.house[i].shape]++;
            rooms[plan.house[i].rooms]++;
            two_doors += plan.house[i].outer == 2;
        }
    }
    cr_expect(with_houses * 4 > SAMPLES * SEEDS && with_houses * 2 < SAMPLES * SEEDS, "%u of %u landblocks have houses", with_houses,
              SAMPLES * SEEDS);
    cr_expect(pairs > 20 && two_doors > 20, "%u pairs, %u with two doors", pairs, two_doors);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_gt(shapes[i], 20, "shape %u: %u", i, shapes[i]);
    }
    for (uint32_t i = 1; i <= REALM_ROOMS_MAX; i++) {
        cr_expect_gt(rooms[i], 20, "%u rooms: %u", i, rooms[i]);
    }
}

// The first landblock whose house has at least three rooms in a row or an L.
static void find_house(void)
{
    for (uint32_t k = 0;; k++) {
        RealmPlan plan = realm_generate_plan(1, sample(k), 0);
        if (plan.houses == 1 && plan.rooms >= 4 && plan.house[0].shape != REALM_HOUSE_FLOORS) {
            realm_offline_from_seed(1, sample(k), 0, &block);
            return;
        }
    }
}

static void expect_fault(const char *expected)
{
    const char *fault = houses_fault(&block);
    cr_expect(fault != NULL && strcmp(fault, expected) == 0, "expected '%s', got '%s'", expected, fault != NULL ? fault : "nothing");
}

// Goal: the checker above finds what it is there for.
Test(realm_generate, planted_faults_are_found)
{
    find_house();
    block.cells[1].high[2].raw += 100 * UNIT;
    expect_fault("a cell is not inside its building");
    find_house();
    block.cells[0].portal_at[0].raw++;
    expect_fault("a portal is not in a face of its cell");
    find_house();
    block.cells[0].portal_other[0] = REALM_OUTSIDE;
    expect_fault("an outer portal is not in a wall of the building");
    find_house();
    block.cells[1].portals = 0;
    expect_fault("a portal leads one way only");
    find_house();
    block.cells[0].visible ^= UINT64_C(1) << (block.cell_count - 1);
    expect_fault("a cell is seen by one that it does not see");
    find_house();
    block.cells[0].visible = 0;
    expect_fault("a cell does not see itself");
    find_house();
    block.buildings[0].cells--;
    expect_fault("a cell sees into another building");
    find_house();
    block.cells[0].portal_other[0] = FIRST + 60;
    expect_fault("a portal leads into another building");
    find_house();
    memcpy(block.cells[1].low, block.cells[0].low, sizeof(block.cells[1].low));
    cr_expect_not_null(houses_fault(&block), "two rooms in one place");
}

Test(realm_generate, doors_hang_in_outer_doorways)
{
    uint32_t doors = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        RealmPlan    plan = realm_generate_plan(2, sample(k), 0);
        RealmDoorway door;
        for (uint32_t i = 0; realm_generate_door(&plan, i, &door); i++, doors++) {
            RealmCellContent cell;
            realm_generate_cell(&plan, door.cell - FIRST, &cell);
            cr_assert(door.portal < cell.portals && cell.portal_other[door.portal] == REALM_OUTSIDE);
            uint32_t axis = cell.portal_axis[door.portal];
            int32_t  across = axis == 0 ? door.place.x.raw : door.place.y.raw, along = axis == 0 ? door.place.y.raw : door.place.x.raw;
            cr_assert_eq(door.turn, axis == 0 ? 1 : 0);
            cr_assert_eq(across, cell.portal_at[door.portal].raw);
            cr_assert_eq(along - cell.portal_low_1[door.portal].raw, cell.portal_high_1[door.portal].raw - along, "not in the middle");
            cr_assert_eq(door.place.z.raw, cell.low[2].raw);
            cr_assert_eq(door.place.cell, (uint32_t)plan.prefix << 16 | door.cell);
        }
        cr_assert(!realm_generate_door(&plan, plan.houses, &door));
    }
    cr_assert_gt(doors, 100);
}

// ---- Scenery ----

typedef struct Bounds {
    int64_t low[3], high[3];
} Bounds;

static Bounds bounds_of(const RealmStaticContent *piece)
{
    const RealmSetup *setup = realm_catalog_at(piece->setup);
    Bounds            all = { { INT64_MAX, INT64_MAX, INT64_MAX }, { INT64_MIN, INT64_MIN, INT64_MIN } };
    for (int32_t i = 0; i < setup->parts; i++) {
        RealmSolid solid = realm_part_solid(&setup->part[i], piece->turn, piece->x.raw, piece->y.raw, piece->z.raw);
        for (uint32_t axis = 0; axis < 3; axis++) {
            all.low[axis] = solid.low[axis] < all.low[axis] ? solid.low[axis] : all.low[axis];
            all.high[axis] = solid.high[axis] > all.high[axis] ? solid.high[axis] : all.high[axis];
        }
    }
    return all;
}

static bool touch(const Bounds *a, const int64_t low[3], const int64_t high[3])
{
    return a->low[0] < high[0] && a->high[0] > low[0] && a->low[1] < high[1] && a->high[1] > low[1] && a->low[2] < high[2] &&
           a->high[2] > low[2];
}

// The piece reaches into the way through the portal: so many units outside, or inside of any.
static bool blocks_portal(const Bounds *bounds, const RealmCellContent *cell, uint32_t portal)
{
    uint32_t axis = cell->portal_axis[portal];
    if (axis == 2) {
        return false; // one climbs through a hatch by what stands under it
    }
    int64_t at = cell->portal_at[portal].raw, in = REALM_DOORWAY_CLEAR_INSIDE * UNIT, out = in;
    if (cell->portal_other[portal] == REALM_OUTSIDE) {
        out = REALM_DOORWAY_CLEAR * UNIT;
    }
    bool    is_high = at == cell->high[axis].raw;
    int64_t low[3], high[3];
    low[axis] = at - (is_high ? in : out);
    high[axis] = at + (is_high ? out : in);
    low[1 - axis] = cell->portal_low_1[portal].raw;
    high[1 - axis] = cell->portal_high_1[portal].raw;
    low[2] = cell->portal_low_2[portal].raw;
    high[2] = cell->portal_high_2[portal].raw;
    return touch(bounds, low, high);
}

static int64_t wide[3];
static const int64_t *widened(const tp_fx corner[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        wide[axis] = corner[axis].raw;
    }
    return wide;
}

// The cell that the piece stands in: number from FIRST on, 0 outdoors.
static uint32_t room_of(const RealmOfflineBlock *content, const RealmStaticContent *piece)
{
    for (uint32_t k = 0; k < content->cell_count; k++) {
        const RealmCellContent *cell = &content->cells[k];
        if (piece->x.raw >= cell->low[0].raw && piece->x.raw < cell->high[0].raw && piece->y.raw >= cell->low[1].raw &&
            piece->y.raw < cell->high[1].raw && piece->z.raw >= cell->low[2].raw && piece->z.raw < cell->high[2].raw) {
            return FIRST + k;
        }
    }
    return 0;
}

static const char *piece_fault(const RealmPlan *plan, const RealmOfflineBlock *content, uint32_t k)
{
    const RealmStaticContent *piece = &content->statics[k];
    Bounds                    bounds = bounds_of(piece);
    if (piece->x.raw < 0 || piece->x.raw >= REALM_BLOCK_RAW || piece->y.raw < 0 || piece->y.raw >= REALM_BLOCK_RAW) {
        return "outside of the landblock";
    }
    for (uint32_t i = 0; i < content->cell_count; i++) {
        for (uint32_t portal = 0; portal < content->cells[i].portals; portal++) {
            if (blocks_portal(&bounds, &content->cells[i], portal)) {
                return "blocks a doorway";
            }
        }
    }
    uint32_t room = room_of(content, piece);
    if (room != 0) {
        const RealmCellContent *cell = &content->cells[room - FIRST];
        for (uint32_t axis = 0; axis < 2; axis++) {
            if (bounds.low[axis] < cell->low[axis].raw || bounds.high[axis] > cell->high[axis].raw) {
                return "sticks through the wall of its room";
            }
        }
        return NULL;
    }
    if (piece->z.raw != realm_generate_ground(plan, piece->x, piece->y).raw) {
        return "does not stand on the ground";
    }
    for (uint32_t i = 0; i < content->building_count; i++) {
        int64_t low[3];
        memcpy(low, widened(content->buildings[i].low), sizeof(low));
        if (touch(&bounds, low, widened(content->buildings[i].high))) {
            return "stands in a wall";
        }
    }
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

Test(realm_generate, scenery_is_in_nobodys_way)
{
    static uint32_t ids[SAMPLES * 32];
    uint32_t        id_count = 0, crossing = 0, indoors = 0, fallback = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        RealmPlan plan = realm_generate_plan(6, sample(k), 0);
        realm_offline_from_seed(6, sample(k), 0, &block);
        uint32_t outdoors = 0;
        for (uint32_t i = 0; i < block.static_count; i++) {
            const char *fault = piece_fault(&plan, &block, i);
            cr_assert_null(fault, "landblock %04x, static %u (setup %u): %s", plan.prefix, i, block.statics[i].setup, fault);
            Bounds bounds = bounds_of(&block.statics[i]);
            bool   is_crossing = bounds.low[0] < 0 || bounds.low[1] < 0 || bounds.high[0] > REALM_BLOCK_RAW || bounds.high[1] > REALM_BLOCK_RAW;
            crossing += is_crossing;
            outdoors += room_of(&block, &block.statics[i]) == 0;
            ids[id_count++] = block.statics[i].id;
            fallback += block.statics[i].y.raw == 10 * UNIT;
        }
        indoors += block.static_count - outdoors;
        cr_assert(outdoors >= REALM_GENERATE_STATICS_MIN && outdoors <= REALM_GENERATE_STATICS_MAX, "%u", outdoors);
    }
    cr_expect_gt(crossing, SAMPLES / 4);
    cr_expect_gt(indoors, SAMPLES / 4);
    cr_expect_lt(fallback, SAMPLES / 10);
    qsort(ids, id_count, sizeof(ids[0]), compare_ids);
    for (uint32_t i = 1; i < id_count; i++) {
        cr_assert_neq(ids[i], ids[i - 1], "id %08x twice", ids[i]);
    }
    cr_assert(ids[0] >= REALM_STATIC_IDS && ids[id_count - 1] < REALM_STATIC_IDS + 0x10000000u);
}

Test(realm_generate, scenery_checker_sees_planted_faults)
{
    find_house();
    RealmPlan           plan = realm_generate_plan(1, (uint16_t)(block.statics[0].id >> 12), 0);
    RealmStaticContent *piece = &block.statics[plan.furniture];
    RealmDoorway        door;
    cr_assert(realm_generate_door(&plan, 0, &door));
    *piece = (RealmStaticContent){ .id = piece->id, .setup = REALM_SETUP_TREE, .x = door.place.x, .y = door.place.y, .z = door.place.z };
    cr_expect_str_eq(piece_fault(&plan, &block, plan.furniture), "blocks a doorway");
    find_house();
    piece->z.raw += UNIT;
    cr_expect_str_eq(piece_fault(&plan, &block, plan.furniture), "does not stand on the ground");
    find_house();
    block.statics[0].x.raw += UNIT * 3 / 2;
    cr_expect_str_eq(piece_fault(&plan, &block, 0), "sticks through the wall of its room");
}

// Goal: from floor to floor by steps that a jump of 1.5 units reaches, the last of them under the hatch and high enough for the upper floor.
Test(realm_generate, stairs_lead_through_the_hatch)
{
    uint32_t stairs = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        RealmPlan plan = realm_generate_plan(6, sample(k), 0);
        if (plan.houses != 1 || plan.house[0].shape != REALM_HOUSE_FLOORS) {
            continue;
        }
        realm_offline_from_seed(6, sample(k), 0, &block);
        const RealmCellContent *cell = &block.cells[0];
        uint32_t                hatch = 0;
        while (cell->portal_axis[hatch] != 2) {
            hatch++;
        }
        int64_t top = cell->low[2].raw, last_x = 0, last_y = 0;
        for (uint32_t i = 1; i < plan.furniture; i++) {
            Bounds bounds = bounds_of(&block.statics[i]);
            cr_assert_leq(bounds.high[2] - top, UNIT + UNIT / 2, "landblock %04x, step %u", plan.prefix, i);
            top = bounds.high[2] > top ? bounds.high[2] : top;
            last_x = block.statics[i].x.raw;
            last_y = block.statics[i].y.raw;
        }
        cr_assert_leq(cell->high[2].raw - top, UNIT);
        cr_assert(last_x > cell->portal_low_1[hatch].raw && last_x < cell->portal_high_1[hatch].raw);
        cr_assert(last_y > cell->portal_low_2[hatch].raw && last_y < cell->portal_high_2[hatch].raw);
        stairs++;
    }
    cr_assert_gt(stairs, 5);
}

// ---- Room to stand ----

static const char *stand_fault(uint64_t seed, RealmPlace place)
{
    uint16_t  prefix = realm_prefix(place.cell);
    RealmPlan plan = realm_generate_plan(seed, prefix, 0);
    realm_offline_from_seed(seed, prefix, 0, &block);
    RealmStaticContent player = { .setup = REALM_SETUP_PLAYER, .x = place.x, .y = place.y, .z = place.z };
    Bounds             bounds = bounds_of(&player);
    if (plan.water == 2) {
        return "in the water";
    }
    for (uint32_t i = 0; i < block.static_count; i++) {
        Bounds other = bounds_of(&block.statics[i]);
        if (touch(&bounds, other.low, other.high)) {
            return "in something";
        }
    }
    block.statics[0] = player; // in the way, on the ground and outside of walls are the same for whatever stands there
    return piece_fault(&plan, &block, 0);
}

Test(realm_generate, players_appear_on_free_ground)
{
    static const struct { uint32_t width, height; } lands[] = { { 1, 1 }, { 2, 1 }, { 3, 5 }, { 255, 255 } };
    for (uint64_t seed = 0; seed < 12; seed++) {
        for (uint32_t land = 0; land < 4; land++) {
            RealmPlace places[REALM_PLAYERS_MAX];
            for (uint32_t slot = 0; slot < REALM_PLAYERS_MAX; slot++) {
                RealmPlace  place = realm_generate_spawn(seed, lands[land].width, lands[land].height, slot);
                const char *fault = stand_fault(seed, place);
                cr_assert_null(fault, "seed %llu, land %u, slot %u: %s", (unsigned long long)seed, land, slot, fault);
                cr_assert(place.cell >> 24 < lands[land].width && (place.cell >> 16 & 255) < lands[land].height);
                for (uint32_t i = 0; i < slot; i++) {
                    bool is_same = places[i].cell >> 16 == place.cell >> 16 && places[i].x.raw == place.x.raw && places[i].y.raw == place.y.raw;
                    cr_assert(!is_same, "slots %u and %u", i, slot);
                }
                places[slot] = place;
            }
        }
    }
}

Test(realm_generate, the_middle_is_dry)
{
    for (uint32_t size = 1; size <= REALM_WORLD_MAX; size++) {
        uint16_t middle = realm_generate_middle(size, size), beside = (uint16_t)(middle + 0x100);
        uint32_t wet = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            cr_assert_neq(realm_generate_plan(seed, middle, 0).water, 2, "size %u, seed %llu", size, (unsigned long long)seed);
            wet += realm_generate_plan(seed, beside, 0).water == 2;
        }
        cr_assert_eq(wet > 0, (middle & 1) == 1, "beside it there may be water");
        cr_assert(realm_prefix_x(middle) < size && realm_prefix_y(middle) < size);
    }
}

Test(realm_generate, creatures_live_on_free_ground)
{
    uint32_t creatures = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        RealmPlan plan = realm_generate_plan(5, sample(k), 0);
        for (uint32_t i = 0; i < REALM_GENERATE_CREATURES_MAX; i++) {
            RealmPlace place;
            if (realm_generate_creature(&plan, i, &place)) {
                const char *fault = stand_fault(5, place);
                cr_assert_null(fault, "landblock %04x, creature %u: %s", plan.prefix, i, fault);
                creatures++;
            }
        }
    }
    cr_assert(creatures > SAMPLES && creatures < SAMPLES * 2, "%u", creatures);
}
