// Which cells a body overlaps, against a flood that asks every cell of every leaf until nothing changes any more.
#include <criterion/criterion.h>

#include <string.h>

#include "realm_land.h"
#include "tickproof/rng.h"

enum { BLOCK = REALM_BLOCK_RAW, CELL = REALM_CELL_RAW, CELLS_MAX = 640, U = REALM_UNIT };

static RealmBody body_at(uint16_t setup, RealmPlace place)
{
    return (RealmBody){ place, setup, 0, false };
}

static RealmFlood flood_of(const Rig *rig, const RealmBody *body)
{
    RealmFlood flood;
    realm_flood(&rig->engine, REALM_ACTIVE, body, &flood);
    return flood;
}

// ---- The oracle: world coordinates, every cell of every leaf, until nothing changes. ----

typedef struct Oracle {
    const RealmEngine *engine;
    RealmBody          body;
    RealmBounds        parts[REALM_PARTS_MAX]; // world coordinates
    int                part_count;
    int64_t            point[3];
    bool               is_outside;
    bool               reached[CELLS_MAX]; // by cell index
} Oracle;

static void world_origin(const RealmEngine *engine, uint32_t leaf, int64_t origin[3])
{
    uint16_t prefix = realm_block_at(engine, realm_leaf_at(engine, leaf)->block)->prefix;
    origin[0] = (int64_t)(prefix >> 8) * BLOCK;
    origin[1] = (int64_t)(prefix & 255) * BLOCK;
    origin[2] = 0;
}

static bool is_live_cell(const RealmEngine *engine, uint32_t i)
{
    return (engine->cells[i].generation & 1) != 0;
}

// Corners of the part turned one by one: another way than the engine's.
static RealmBounds part_box(const RealmPart *part, uint8_t turn, const int64_t point[3])
{
    int64_t x[2], y[2];
    bool    is_box = part->shape == REALM_SHAPE_BOX;
    x[0] = is_box ? part->x : part->x - part->a;
    x[1] = is_box ? part->a : part->x + part->a;
    y[0] = is_box ? part->y : part->y - part->a;
    y[1] = is_box ? part->b : part->y + part->a;
    RealmBounds box = { { INT64_MAX, INT64_MAX, 0 }, { INT64_MIN, INT64_MIN, 0 } };
    for (int corner = 0; corner < 4; corner++) {
        int64_t at[2] = { x[corner & 1], y[corner >> 1] };
        static const int rotation[4][4] = { { 1, 0, 0, 1 }, { 0, -1, 1, 0 }, { -1, 0, 0, -1 }, { 0, 1, -1, 0 } };
        const int       *m = rotation[turn & 3];
        int64_t          turned[2] = { m[0] * at[0] + m[1] * at[1], m[2] * at[0] + m[3] * at[1] };
        for (int i = 0; i < 2; i++) {
            int64_t value = point[i] + turned[i];
            box.low[i] = value < box.low[i] ? value : box.low[i];
            box.high[i] = value > box.high[i] ? value : box.high[i];
        }
    }
    box.low[2] = point[2] + (part->shape == REALM_SHAPE_SPHERE ? part->z - part->a : part->z);
    box.high[2] = point[2] + (part->shape == REALM_SHAPE_SPHERE ? part->z + part->a : is_box ? part->c : part->z + part->b);
    return box;
}

static bool near_box(const Oracle *oracle, const RealmBounds *part, const tp_fx low[3], const tp_fx high[3], uint32_t leaf)
{
    int64_t origin[3];
    world_origin(oracle->engine, leaf, origin);
    bool is_near = true;
    for (int i = 0; i < 3; i++) {
        is_near = is_near && part->low[i] - 13 <= origin[i] + high[i].raw && origin[i] + low[i].raw <= part->high[i] + 13;
    }
    return is_near;
}

static bool in_portal(const Oracle *oracle, const RealmBounds *part, const RealmCell *cell, int portal)
{
    int64_t origin[3];
    world_origin(oracle->engine, cell->leaf, origin);
    tp_fx low[3], high[3];
    int   axis = cell->portal_axis[portal];
    low[axis].raw = high[axis].raw = cell->portal_at[portal].raw;
    low[axis == 0].raw = cell->portal_low_1[portal].raw;
    high[axis == 0].raw = cell->portal_high_1[portal].raw;
    low[axis == 2 ? 1 : 2].raw = cell->portal_low_2[portal].raw;
    high[axis == 2 ? 1 : 2].raw = cell->portal_high_2[portal].raw;
    for (int i = 0; i < 3; i++) {
        int64_t from = origin[i] + low[i].raw, to = origin[i] + high[i].raw;
        if (i == axis ? part->low[i] - 13 > to || part->high[i] + 13 < from : part->low[i] >= to || part->high[i] <= from) {
            return false;
        }
    }
    return true;
}

static bool goes_through(const Oracle *oracle, const RealmCell *cell, int portal, const RealmCell *behind)
{
    for (int i = 0; i < oracle->part_count; i++) {
        if (in_portal(oracle, &oracle->parts[i], cell, portal) &&
            (behind == NULL || near_box(oracle, &oracle->parts[i], behind->low, behind->high, behind->leaf))) {
            return true;
        }
    }
    return false;
}

// Some part overlaps the landblock, or the body is in it.
static bool touches_leaf(const Oracle *oracle, uint32_t leaf)
{
    int64_t origin[3];
    world_origin(oracle->engine, leaf, origin);
    for (int i = 0; i < oracle->part_count; i++) {
        const RealmBounds *part = &oracle->parts[i];
        if (part->low[0] < origin[0] + BLOCK && part->high[0] > origin[0] && part->low[1] < origin[1] + BLOCK && part->high[1] > origin[1]) {
            return true;
        }
    }
    return oracle->point[0] >= origin[0] && oracle->point[0] < origin[0] + BLOCK && oracle->point[1] >= origin[1] &&
           oracle->point[1] < origin[1] + BLOCK;
}

static bool enters(const Oracle *oracle, const RealmCell *cell)
{
    const RealmEngine *engine = oracle->engine;
    if (!oracle->is_outside || !touches_leaf(oracle, cell->leaf)) {
        return false;
    }
    for (uint32_t b = 0; b < engine->building_count; b++) {
        const RealmBuilding *building = &engine->buildings[b];
        bool is_its = (building->generation & 1) != 0 && building->leaf == cell->leaf && cell->number >= building->first_cell &&
                      cell->number < building->first_cell + building->cells;
        bool is_touched = false;
        for (int i = 0; is_its && i < oracle->part_count; i++) {
            is_touched = is_touched || near_box(oracle, &oracle->parts[i], building->low, building->high, building->leaf);
        }
        for (int p = 0; is_touched && p < cell->portals; p++) {
            if (cell->portal_other[p] == REALM_OUTSIDE && goes_through(oracle, cell, p, cell)) {
                return true;
            }
        }
    }
    return false;
}

static bool follow_portals(Oracle *oracle, const RealmCell *cell)
{
    bool is_changed = false;
    for (int p = 0; p < cell->portals; p++) {
        if (cell->portal_other[p] == REALM_OUTSIDE) {
            if (!oracle->is_outside && goes_through(oracle, cell, p, NULL)) {
                oracle->is_outside = true;
                is_changed = true;
            }
            continue;
        }
        for (uint32_t i = 0; i < oracle->engine->cell_count; i++) {
            const RealmCell *other = &oracle->engine->cells[i];
            if (is_live_cell(oracle->engine, i) && !oracle->reached[i] && other->leaf == cell->leaf && other->number == cell->portal_other[p] &&
                goes_through(oracle, cell, p, other)) {
                oracle->reached[i] = true;
                is_changed = true;
            }
        }
    }
    return is_changed;
}

static bool is_serving(const RealmEngine *engine, uint32_t leaf)
{
    return realm_view_full_leaf(engine, REALM_ACTIVE, realm_block_at(engine, realm_leaf_at(engine, leaf)->block)->prefix) == leaf;
}

// Runs until nothing changes; returns the index + 1 of the own indoor cell.
static uint32_t oracle_run(Oracle *oracle, const RealmEngine *engine, const RealmBody *body)
{
    *oracle = (Oracle){ .engine = engine, .body = *body };
    uint16_t prefix = realm_prefix(body->place.cell);
    oracle->point[0] = (int64_t)(prefix >> 8) * BLOCK + body->place.x.raw;
    oracle->point[1] = (int64_t)(prefix & 255) * BLOCK + body->place.y.raw;
    oracle->point[2] = body->place.z.raw;
    const RealmSetup *setup = &realm_setups[body->setup];
    oracle->part_count = setup->parts;
    for (int i = 0; i < setup->parts; i++) {
        oracle->parts[i] = part_box(&setup->part[i], body->turn, oracle->point);
    }
    uint32_t own = 0;
    for (uint32_t i = 0; i < engine->cell_count && own == 0; i++) { // in order of creation, which is the order of numbers
        const RealmCell *cell = &engine->cells[i];
        int64_t          origin[3];
        if (!is_live_cell(engine, i) || realm_block_at(engine, realm_leaf_at(engine, cell->leaf)->block)->prefix != prefix) {
            continue;
        }
        world_origin(engine, cell->leaf, origin);
        bool is_inside = true;
        for (int axis = 0; axis < 3; axis++) {
            int64_t local = oracle->point[axis] - origin[axis];
            is_inside = is_inside && local >= cell->low[axis].raw && local < cell->high[axis].raw;
        }
        own = is_inside ? i + 1 : 0;
    }
    oracle->is_outside = own == 0;
    if (own != 0) {
        oracle->reached[own - 1] = true;
    }
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = 0; i < engine->cell_count; i++) {
            if (is_live_cell(engine, i) && is_serving(engine, engine->cells[i].leaf)) {
                if (!oracle->reached[i] && enters(oracle, &engine->cells[i])) {
                    oracle->reached[i] = true;
                    is_changed = true;
                }
                is_changed = (oracle->reached[i] && follow_portals(oracle, &engine->cells[i])) || is_changed;
            }
        }
    }
    return own;
}

static bool outdoor_is_touched(const Oracle *oracle, uint32_t leaf, uint32_t cell, uint32_t own)
{
    int64_t origin[3];
    world_origin(oracle->engine, leaf, origin);
    int64_t x = origin[0] + (int64_t)(cell / 8) * CELL, y = origin[1] + (int64_t)(cell % 8) * CELL;
    if (own == 0 && oracle->point[0] >= x && oracle->point[0] < x + CELL && oracle->point[1] >= y && oracle->point[1] < y + CELL) {
        return true;
    }
    for (int i = 0; oracle->is_outside && i < oracle->part_count; i++) {
        const RealmBounds *part = &oracle->parts[i];
        if (part->low[0] < x + CELL && part->high[0] > x && part->low[1] < y + CELL && part->high[1] > y) {
            return true;
        }
    }
    return false;
}

// The rows in their stated order: by prefix, first all outdoor ones.
static uint32_t oracle_rows(const Rig *rig, const RealmBody *body, RealmFloodRow *rows, uint32_t capacity)
{
    static Oracle oracle;
    const RealmEngine *engine = &rig->engine;
    uint32_t own = oracle_run(&oracle, engine, body), count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t prefix = 0; prefix < 65536; prefix++) {
            uint32_t leaf = realm_view_full_leaf(engine, REALM_ACTIVE, (uint16_t)prefix);
            for (uint32_t cell = 0; leaf != 0 && pass == 0 && cell < 64; cell++) {
                if (outdoor_is_touched(&oracle, leaf, cell, own) && count < capacity) {
                    rows[count++] = (RealmFloodRow){ leaf, 0, cell };
                }
            }
            for (uint32_t i = 0; leaf != 0 && pass == 1 && i < engine->cell_count; i++) {
                const RealmCell *cell = &engine->cells[i];
                bool is_kept = !body->is_static || own == 0 || i + 1 == own ||
                               (cell->leaf == engine->cells[own - 1].leaf && (engine->cells[own - 1].visible >> (cell->number - 256) & 1) != 0);
                if (is_live_cell(engine, i) && cell->leaf == leaf && oracle.reached[i] && is_kept && count < capacity) {
                    rows[count++] = (RealmFloodRow){ leaf, i + 1, 0 };
                }
            }
        }
    }
    return count;
}

static bool agrees(const Rig *rig, const RealmBody *body, const RealmFlood *flood)
{
    static RealmFloodRow rows[CELLS_MAX + 128];
    uint32_t count = oracle_rows(rig, body, rows, CELLS_MAX + 128);
    return flood->count == count && memcmp(flood->rows, rows, count * sizeof(rows[0])) == 0;
}

// Every landblock with a row is one that the bounds touch.
static void check_blocks(const Rig *rig, const RealmBody *body, const RealmFlood *flood)
{
    uint16_t prefixes[REALM_MEMBERS_PER_OWNER];
    uint32_t count = realm_body_blocks(body, prefixes);
    cr_assert(count >= 1 && count <= REALM_MEMBERS_PER_OWNER);
    for (uint32_t i = 1; i < count; i++) {
        cr_assert_lt(prefixes[i - 1], prefixes[i], "landblocks are in rising order");
    }
    for (uint32_t i = 0; i < flood->count; i++) {
        uint16_t prefix = realm_block_at(&rig->engine, realm_leaf_at(&rig->engine, flood->rows[i].leaf)->block)->prefix;
        bool     is_known = false;
        for (uint32_t k = 0; k < count; k++) {
            is_known = is_known || prefixes[k] == prefix;
        }
        cr_assert(is_known, "a row in landblock %04x, which the bounds do not touch", prefix);
    }
}

static void check_body(const Rig *rig, const RealmBody *body)
{
    RealmFlood flood = flood_of(rig, body);
    cr_assert(agrees(rig, body, &flood), "setup %u turn %u at %08x %d %d %d: %u rows", body->setup, body->turn, body->place.cell,
              body->place.x.raw, body->place.y.raw, body->place.z.raw, flood.count);
    check_blocks(rig, body, &flood);
}

// ---- Catalog ----

Test(realm_flood, catalog_holds_what_it_says)
{
    for (uint16_t i = 0; i < REALM_SETUP_COUNT; i++) {
        const RealmSetup *setup = realm_catalog_at(i);
        cr_assert_eq(setup == NULL, i == REALM_SETUP_NONE, "setup %u", i);
        for (int p = 0; setup != NULL && p < setup->parts; p++) {
            RealmSolid solid = realm_part_solid(&setup->part[p], 0, 0, 0, 0);
            for (int axis = 0; axis < 3; axis++) {
                cr_assert_lt(solid.low[axis], solid.high[axis], "setup %u part %d has no volume", i, p);
                cr_assert(solid.low[axis] >= setup->low[axis] && solid.high[axis] <= setup->high[axis], "setup %u part %d", i, p);
                cr_assert(axis == 2 || (setup->low[axis] >= -REALM_SETUP_REACH_MAX && setup->high[axis] <= REALM_SETUP_REACH_MAX));
            }
        }
        for (int axis = 0; setup != NULL && axis < 3; axis++) {
            bool is_low = false, is_high = false;
            for (int p = 0; p < setup->parts; p++) {
                RealmSolid solid = realm_part_solid(&setup->part[p], 0, 0, 0, 0);
                is_low = is_low || solid.low[axis] == setup->low[axis];
                is_high = is_high || solid.high[axis] == setup->high[axis];
            }
            cr_assert(is_low && is_high, "setup %u: bounds are wider than its parts", i);
        }
    }
    cr_assert_null(realm_catalog_at(REALM_SETUP_COUNT));
    cr_assert_null(realm_catalog_at(65535));
}

Test(realm_flood, four_quarters_are_a_whole_turn)
{
    const RealmPart box = { REALM_SHAPE_BOX, 1, 2, 3, 10, 20, 30 };
    RealmSolid      quarter = realm_part_solid(&box, 1, 100, 200, 300);
    cr_assert(quarter.low[0] == 80 && quarter.high[0] == 98 && quarter.low[1] == 201 && quarter.high[1] == 210);
    cr_assert(quarter.low[2] == 303 && quarter.high[2] == 330);
    const RealmPart ball = { REALM_SHAPE_SPHERE, 5, 7, 9, 4, 0, 0 };
    RealmSolid      half = realm_part_solid(&ball, 2, 0, 0, 0);
    cr_assert(half.centre[0] == -5 && half.centre[1] == -7 && half.centre[2] == 9 && half.low[0] == -9 && half.high[0] == -1);
}

// ---- Outdoors ----

static void load_around(Rig *rig)
{
    land_open(rig);
    for (uint32_t x = 9; x <= 11; x++) {
        for (uint32_t y = 9; y <= 11; y++) {
            land_leaf(rig, x, y);
        }
    }
}

// Goal: what ends exactly on an edge does not reach over it, one bit more does; and never past where it is.
Test(realm_flood, edges_are_half_open)
{
    Rig rig;
    load_around(&rig);
    int32_t   half = realm_setups[REALM_SETUP_CRATE].high[0];
    RealmBody body = body_at(REALM_SETUP_CRATE, land_place(10, 10, 2 * CELL + half, 3 * CELL + half, 0));
    RealmFlood flood = flood_of(&rig, &body);
    cr_assert(flood.count == 1 && flood.rows[0].outdoor == 2 * 8 + 3, "begins exactly on both edges");
    body.place = land_place(10, 10, 3 * CELL - half, 4 * CELL - half, 0);
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 1 && flood.rows[0].outdoor == 2 * 8 + 3, "ends exactly on both edges");
    body.place.x.raw++;
    cr_assert_eq(flood_of(&rig, &body).count, 2);
    body.place.y.raw++;
    cr_assert_eq(flood_of(&rig, &body).count, 4);
    body.place = land_place(10, 10, half, half, 0);
    cr_assert_eq(flood_of(&rig, &body).count, 1, "at the seam of landblocks as at any other edge");
    body.place.x.raw--;
    flood = flood_of(&rig, &body);
    cr_assert_eq(flood.count, 2);
    cr_assert_eq(realm_block_at(&rig.engine, realm_leaf_at(&rig.engine, flood.rows[0].leaf)->block)->prefix, 0x090A, "rising prefix");
    rig_close(&rig);
}

// Goal: the rows of the largest shapes there may be fit, wherever they are, and they are exactly the cells that they touch.
Test(realm_flood, radius_30_and_100)
{
    Rig rig;
    load_around(&rig);
    uint32_t most = 0;
    static const uint16_t setups[] = { REALM_SETUP_HILL_30, REALM_SETUP_HILL_100, REALM_SETUP_SLAB_100 };
    tp_pcg32 rng = tp_pcg32_make(3, 1);
    for (int i = 0; i < 150; i++) {
        int32_t   x = i < 40 ? (i % 9) * CELL : (int32_t)tp_pcg32_below(&rng, BLOCK);
        int32_t   y = i < 40 ? (i / 9) * CELL + i % 3 - 1 : (int32_t)tp_pcg32_below(&rng, BLOCK);
        RealmBody body = body_at(setups[i % 3], land_place(10, 10, x, y, 0));
        body.place.cell = realm_block_id(0x0A0A);
        body.place.x.raw = x >= BLOCK ? BLOCK - 1 : x;
        body.place.y.raw = y < 0 ? 0 : y;
        check_body(&rig, &body);
        uint32_t count = flood_of(&rig, &body).count;
        most = count > most ? count : most;
    }
    cr_assert_eq(most, 100, "the most rows outdoors: %u", most);
    cr_assert_lt(most, REALM_ROWS_PER_SET);
    RealmBody body = body_at(REALM_SETUP_HILL_30, land_place(10, 10, 72 * U, 72 * U, 0));
    cr_assert_eq(flood_of(&rig, &body).count, 16, "from 42 to 102: cells 1 to 4, not only the eight neighbours");
    rig_close(&rig);
}

Test(realm_flood, at_the_edge_of_the_world_and_of_what_is_loaded)
{
    Rig rig;
    land_open(&rig);
    land_leaf(&rig, 0, 0);
    land_leaf(&rig, 254, 254);
    uint16_t  prefixes[REALM_MEMBERS_PER_OWNER];
    RealmBody body = body_at(REALM_SETUP_HILL_100, land_place(0, 0, 0, 0, 0));
    cr_assert_eq(realm_body_blocks(&body, prefixes), 1);
    check_body(&rig, &body);
    cr_assert_eq(flood_of(&rig, &body).count, 25);
    body.place = land_place(254, 254, BLOCK - 14, BLOCK - 14, 0);
    cr_assert_eq(realm_body_blocks(&body, prefixes), 1);
    check_body(&rig, &body);
    body.place = land_place(1, 1, 0, 0, 0);
    RealmFlood flood = flood_of(&rig, &body);
    cr_assert(flood.is_lost && flood.count == 0 && flood.cell == 0 && flood.home == 0, "its own landblock is not there");
    cr_assert_eq(realm_body_blocks(&body, prefixes), 4);
    body.place.cell = 0xFF05FFFF; // in range, outside of the world
    flood = flood_of(&rig, &body);
    cr_assert(flood.is_lost && flood.count == 0);
    rig_close(&rig);
}

// Goal: a demoted leaf serves terrain only.
Test(realm_flood, demoted_leaves_have_no_rows)
{
    Rig rig;
    land_open(&rig);
    land_leaf(&rig, 10, 10);
    uint32_t  next = land_leaf(&rig, 11, 10);
    RealmBody body = body_at(REALM_SETUP_BOULDER, land_place(10, 10, BLOCK - 2 * U, 30 * U, 0));
    cr_assert_eq(flood_of(&rig, &body).count, 2);
    realm_leaf_edit(&rig.engine, next)->is_demoted = 1;
    cr_assert_eq(flood_of(&rig, &body).count, 1);
    body.place = land_place(11, 10, 2 * U, 30 * U, 0);
    cr_assert(flood_of(&rig, &body).is_lost);
    rig_close(&rig);
}

Test(realm_flood, an_unknown_setup_is_a_point)
{
    Rig rig;
    land_open(&rig);
    land_leaf(&rig, 10, 10);
    RealmBody  body = body_at(999, land_place(10, 10, 5 * CELL, CELL - 1, 0));
    RealmFlood flood = flood_of(&rig, &body);
    cr_assert(flood.count == 1 && flood.rows[0].outdoor == 5 * 8 + 0 && !flood.is_lost);
    rig_close(&rig);
}

// ---- Indoors ----

// Two rooms in a row, 48..60 and 60..72 in x, 48..60 in y, 0..4 high; a door between them and one outwards at low x.
typedef struct House {
    uint32_t leaf, first, second;
} House;

static House open_house(Rig *rig)
{
    House       house;
    RealmBounds all = land_box(48, 48, 0, 72, 60, 4), one = land_box(48, 48, 0, 60, 60, 4), two = land_box(60, 48, 0, 72, 60, 4);
    land_open(rig);
    house.leaf = land_leaf(rig, 10, 10);
    house.first = land_cell(rig, house.leaf, &one);
    house.second = land_cell(rig, house.leaf, &two);
    land_join(rig, house.first, house.second, 0, 60, 53, 0, 55, 3);
    land_join(rig, house.first, 0, 0, 48, 53, 0, 55, 3);
    land_building(rig, house.leaf, &all, REALM_INDOOR_FIRST, 2);
    return house;
}

static bool has_cell(const RealmFlood *flood, uint32_t cell)
{
    for (uint32_t i = 0; i < flood->count; i++) {
        if (flood->rows[i].cell == cell && cell != 0) {
            return true;
        }
    }
    return false;
}

static uint32_t outdoor_rows(const RealmFlood *flood)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < flood->count; i++) {
        count += flood->rows[i].cell == 0;
    }
    return count;
}

Test(realm_flood, indoor_cells_win_and_are_half_open)
{
    Rig        rig;
    House      house = open_house(&rig);
    RealmBody  body = body_at(REALM_SETUP_BOLT, land_place(10, 10, 60 * U - 1, 50 * U, U));
    RealmFlood flood = flood_of(&rig, &body);
    cr_assert_eq(flood.cell, 0x0A0A0100);
    cr_assert_eq(flood.home, house.leaf);
    body.place.x.raw = 60 * U;
    cr_assert_eq(flood_of(&rig, &body).cell, 0x0A0A0101);
    body.place.z.raw = 4 * U;
    cr_assert_eq(flood_of(&rig, &body).cell, 0x0A0A0000u + 1 + 2 * 8 + 2, "on the roof is outdoors");
    body.place.z.raw = -1;
    cr_assert_eq(flood_of(&rig, &body).cell, 0x0A0A0000u + 1 + 2 * 8 + 2);
    rig_close(&rig);
}

// Goal: through a portal within 0.0002 of its plane and over its rectangle, and not through the wall beside it.
Test(realm_flood, portals)
{
    Rig        rig;
    House      house = open_house(&rig);
    int32_t    reach = realm_setups[REALM_SETUP_BOLT].high[0];
    RealmBody  body = body_at(REALM_SETUP_BOLT, land_place(10, 10, 60 * U - reach - 13, 54 * U, U));
    RealmFlood flood = flood_of(&rig, &body);
    cr_assert(flood.count == 2 && has_cell(&flood, house.first) && has_cell(&flood, house.second));
    body.place.x.raw--;
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 1 && has_cell(&flood, house.first));
    body.place = land_place(10, 10, 60 * U - 1, 53 * U - reach + 1, U);
    cr_assert_eq(flood_of(&rig, &body).count, 2);
    body.place.y.raw--;
    cr_assert_eq(flood_of(&rig, &body).count, 1, "only touches the edge of the door");
    body.place = land_place(10, 10, 48 * U + 100, 54 * U, U);
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 3 && outdoor_rows(&flood) == 2 && has_cell(&flood, house.first), "an outer portal leads outdoors: both cells");
    body.place = land_place(10, 10, 48 * U - 100, 54 * U, U);
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 3 && outdoor_rows(&flood) == 2 && has_cell(&flood, house.first), "and from outdoors in");
    body.place = land_place(10, 10, 48 * U - 100, 50 * U, U);
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 2 && outdoor_rows(&flood) == 2, "no way in through the wall");
    rig_close(&rig);
}

// Goal: a static that begins indoors keeps what its first cell sees; a dynamic keeps all; one that begins outdoors has no first cell.
Test(realm_flood, static_visible_lists)
{
    Rig       rig;
    House     house = open_house(&rig);
    RealmBody body = body_at(REALM_SETUP_BOLT, land_place(10, 10, 60 * U - 100, 54 * U, U));
    body.is_static = true;
    RealmFlood flood = flood_of(&rig, &body);
    cr_assert(flood.count == 1 && has_cell(&flood, house.first));
    realm_cell_edit(&rig.engine, house.first)->visible = 2;
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 2 && has_cell(&flood, house.first) && has_cell(&flood, house.second), "itself without being in its list");
    body.place = land_place(10, 10, 60 * U + 100, 54 * U, U);
    flood = flood_of(&rig, &body);
    cr_assert(flood.count == 1 && has_cell(&flood, house.second), "the other's list is empty");
    body.is_static = false;
    cr_assert_eq(flood_of(&rig, &body).count, 2);
    body = body_at(REALM_SETUP_BOLT, land_place(10, 10, 48 * U - 100, 54 * U, U));
    body.is_static = true;
    cr_assert_eq(flood_of(&rig, &body).count, 3);
    rig_close(&rig);
}

// ---- Seeded ----

static int64_t draw(tp_pcg32 *rng, int64_t below)
{
    return tp_pcg32_below(rng, (uint32_t)below);
}

// Rooms on a grid of 8 units in one building, joined at random; some portals lead astray, as forged ones would.
static void random_house(Rig *rig, uint32_t leaf, tp_pcg32 *rng, uint32_t rooms)
{
    uint32_t    first = realm_leaf_at(&rig->engine, leaf)->cells;
    int32_t     x = (int32_t)draw(rng, 170);
    int32_t     y = (int32_t)draw(rng, 170);
    uint32_t    links[16];
    RealmBounds all = land_box(x, y, 0, x + 8 * 4, y + 8 * (int32_t)((rooms + 3) / 4), 4);
    for (uint32_t i = 0; i < rooms; i++) {
        int32_t     rx = x + 8 * (int32_t)(i % 4), ry = y + 8 * (int32_t)(i / 4);
        RealmBounds room = land_box(rx, ry, 0, rx + 8, ry + 8, 4);
        links[i] = land_cell(rig, leaf, &room);
    }
    for (uint32_t i = 0; i < rooms; i++) {
        int32_t rx = x + 8 * (int32_t)(i % 4), ry = y + 8 * (int32_t)(i / 4);
        if (i % 4 != 3 && i + 1 < rooms && draw(rng, 4) != 0) {
            land_join(rig, links[i], links[i + 1], 0, rx + 8, ry + 3, 0, ry + 5, 3);
        } else if (draw(rng, 2) != 0) {
            land_join(rig, links[i], 0, 0, i % 4 == 0 ? rx : rx + 8, ry + 1, 0, ry + 7, 3);
        }
        if (i + 4 < rooms && draw(rng, 3) != 0) {
            land_join(rig, links[i], links[i + 4], 1, ry + 8, rx + 3, 0, rx + 5, 3);
        }
        RealmCell *cell = realm_cell_edit(&rig->engine, links[i]);
        cell->visible = (uint64_t)tp_pcg32_next(rng) << 32;
        cell->visible |= tp_pcg32_next(rng);
        if (cell->portals < REALM_PORTALS && draw(rng, 5) == 0) {
            int64_t number[7];
            for (int k = 0; k < 7; k++) {
                static const int64_t below[7] = { BLOCK, 2 * U, BLOCK, 4 * U, 3, BLOCK, 70 };
                number[k] = draw(rng, below[k]);
            }
            land_portal(rig, links[i], (int)number[4], number[5], number, number + 2, REALM_INDOOR_FIRST + (uint32_t)number[6]);
        }
    }
    land_building(rig, leaf, &all, REALM_INDOOR_FIRST + first, rooms + (draw(rng, 4) == 0));
}

static void random_land(Rig *rig, tp_pcg32 *rng)
{
    land_open(rig);
    for (uint32_t i = 0; i < 9; i++) {
        if (i == 4 || draw(rng, 4) != 0) {
            uint32_t leaf = land_leaf(rig, 9 + i / 3, 9 + i % 3);
            uint32_t houses = (uint32_t)draw(rng, 4);
            for (uint32_t k = 0; k < houses; k++) {
                random_house(rig, leaf, rng, 1 + (uint32_t)draw(rng, 10));
            }
        }
    }
}

// Half of them where houses are: next to a corner of some room.
static RealmBody random_body(const Rig *rig, tp_pcg32 *rng)
{
    static const uint16_t setups[] = { REALM_SETUP_PLAYER, REALM_SETUP_BOLT, REALM_SETUP_TREE_LARGE, REALM_SETUP_WALL, REALM_SETUP_RUIN,
                                       REALM_SETUP_CRATE, REALM_SETUP_ARCH };
    RealmBody body = { .setup = setups[draw(rng, 7)] };
    body.turn = (uint8_t)draw(rng, 4);
    body.is_static = draw(rng, 3) == 0;
    int64_t at_x = draw(rng, BLOCK);
    int64_t at_y = draw(rng, BLOCK);
    body.place = land_place(10, 10, at_x, at_y, draw(rng, 5 * U) - U / 2);
    uint32_t cell = (uint32_t)draw(rng, CELLS_MAX);
    for (uint32_t i = 0; i < 40 && draw(rng, 2) != 0; i++) {
        cell = (cell + 1) % 60;
    }
    const RealmCell *value = &rig->engine.cells[cell % 60];
    if ((value->generation & 1) != 0 && draw(rng, 4) != 0) {
        uint16_t prefix = realm_block_at(&rig->engine, realm_leaf_at(&rig->engine, value->leaf)->block)->prefix;
        int64_t  x = draw(rng, 2) != 0 ? value->low[0].raw : value->high[0].raw;
        x += draw(rng, 4 * U) - 2 * U;
        int64_t  y = value->low[1].raw + draw(rng, 8 * U);
        body.place = land_place(prefix >> 8, prefix & 255, x, y, draw(rng, 3) * U / 2);
    }
    return body;
}

Test(realm_flood, equals_the_flood_that_asks_everybody)
{
    uint32_t indoors = 0, rows = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        Rig      rig;
        tp_pcg32 rng = tp_pcg32_make(seed, 1);
        random_land(&rig, &rng);
        for (int i = 0; i < 60; i++) {
            RealmBody  body = random_body(&rig, &rng);
            RealmFlood flood = flood_of(&rig, &body);
            if (!flood.is_lost) {
                check_body(&rig, &body);
            }
            indoors += (flood.cell & 0xFFFF) >= 0x100;
            rows += flood.count - outdoor_rows(&flood);
        }
        rig_close(&rig);
    }
    cr_assert(indoors > 200 && rows > 400, "the cases are worth asking: %u indoors, %u indoor rows", indoors, rows);
}

// Goal: the oracle sees a row too few, a row too many and a wrong order.
Test(realm_flood, the_oracle_can_fail)
{
    Rig        rig;
    open_house(&rig);
    RealmBody  body = body_at(REALM_SETUP_BOLT, land_place(10, 10, 48 * U + 100, 54 * U, U));
    RealmFlood flood = flood_of(&rig, &body), wrong = flood;
    cr_assert(agrees(&rig, &body, &flood) && flood.count == 3);
    wrong.count--;
    cr_assert_not(agrees(&rig, &body, &wrong));
    wrong = flood;
    wrong.rows[wrong.count++] = (RealmFloodRow){ flood.home, 0, 63 };
    cr_assert_not(agrees(&rig, &body, &wrong));
    wrong = flood;
    wrong.rows[0] = flood.rows[1];
    wrong.rows[1] = flood.rows[0];
    cr_assert_not(agrees(&rig, &body, &wrong));
    rig_close(&rig);
}

// Goal: as many cells as content can cram into what one body touches all have their rows, and nothing is written past the end.
Test(realm_flood, content_that_crams_cells_has_all_its_rows)
{
    Rig rig;
    land_open(&rig);
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t    leaf = land_leaf(&rig, 9 + i / 3, 9 + i % 3);
        RealmBounds all = land_box(0, 0, -100, 192, 192, 100);
        for (uint32_t k = 0; k < REALM_INDOOR_MAX; k++) {
            RealmBounds box = i == 4 && k < 63 ? land_box(0, 0, 60, 192, 192, 100) : all;
            uint32_t    cell = land_cell(&rig, leaf, &box);
            land_join(&rig, cell, 0, 2, 60, 0, 0, 192, 192);
        }
        land_building(&rig, leaf, &all, REALM_INDOOR_FIRST, REALM_INDOOR_MAX);
    }
    struct {
        RealmFlood flood;
        uint32_t   guard[4];
    } out;
    memset(&out, 0x5A, sizeof(out));
    RealmBody body = body_at(REALM_SETUP_HILL_100, land_place(10, 10, 90 * U, 90 * U, 0));
    realm_flood(&rig.engine, REALM_ACTIVE, &body, &out.flood);
    cr_assert_gt(out.flood.count, 100 + REALM_INDOOR_MAX, "%u rows", out.flood.count);
    cr_assert_leq(out.flood.count, REALM_ROWS_PER_SET);
    uint32_t own = 0;
    for (uint32_t i = 0; i < out.flood.count; i++) {
        own += out.flood.rows[i].leaf == out.flood.home && out.flood.rows[i].cell != 0 &&
               realm_cell_at(&rig.engine, out.flood.rows[i].cell)->number == REALM_INDOOR_FIRST + 63;
    }
    cr_assert_eq(out.guard[0], 0x5A5A5A5Au);
    cr_assert_eq(out.flood.cell, 0x0A0A0000u + REALM_INDOOR_FIRST + 63, "the last cell of its landblock");
    cr_assert_eq(own, 1);
    rig_close(&rig);
}

// Goal: links that lead in a circle end.
Test(realm_flood, circles_end)
{
    Rig       rig;
    House     house = open_house(&rig);
    uint32_t  building = realm_leaf_at(&rig.engine, house.leaf)->building_first;
    RealmBody body = body_at(REALM_SETUP_BOLT, land_place(10, 10, 48 * U - 100, 54 * U, U));
    realm_building_edit(&rig.engine, building)->next = building;
    realm_cell_edit(&rig.engine, house.second)->next = house.first;
    cr_assert_geq(flood_of(&rig, &body).count, 3);
    rig_close(&rig);
}
