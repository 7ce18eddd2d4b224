// realm_generate_scenery.c: what stands around: trees, rocks, crates and walls, and where there is room for players and creatures to appear.
#include "realm_generate_parts.h"

#include "realm_catalog.h"

// What a hash is for, beside the purposes of realm_generate.c. Never renumber.
enum {
    PURPOSE_SCENERY = 32,
    PURPOSE_CREATURE = 33,
};

enum {
    PLACE_TRIES = 8,
    EDGE_FREE = 8,        // units: only what is meant to cross a seam stands nearer to it
    CROSSING_OF_4 = 2,    // landblocks in which the first piece stands on a seam
    ROW_STEP = 17,        // units between pieces that found no place: along a strip where houses and the ways to them never are
    ROW_AT = 10,
    FURNITURE_IN = 2,     // units from the walls
    SPAWN_GRID = 12,      // candidates on a side, and units between two
    SPAWN_GRID_STEP = 12,
    SPAWN_EDGE = 30,      // units from the seam to the first candidate: beyond whatever leans in from next door
    SPAWN_ORDER = 55,     // no factor in common with the number of candidates: slots that follow each other are spread
    SPAWN_RADIUS = 2,
    SPAWN_SPREAD = 3,     // landblocks on a side of the square that players appear in
    CREATURE_TRIES = 6,
    CREATURE_EDGE = 12,
};

// Outdoors, as often as they stand here.
static const uint8_t pieces[] = {
    REALM_SETUP_TREE, REALM_SETUP_TREE,    REALM_SETUP_TREE,       REALM_SETUP_TREE, REALM_SETUP_TREE,   REALM_SETUP_TREE,
    REALM_SETUP_ROCK, REALM_SETUP_ROCK,    REALM_SETUP_ROCK,       REALM_SETUP_WALL, REALM_SETUP_WALL,   REALM_SETUP_CRATE,
    REALM_SETUP_ARCH, REALM_SETUP_BOULDER, REALM_SETUP_TREE_LARGE, REALM_SETUP_RUIN, REALM_SETUP_PILLAR,
};

// Steps of one unit from the ground floor through the hatch, lengths in hundredths: along the row of rooms, and up.
static const struct { uint16_t setup, along, up; } stairs[] = {
    { REALM_SETUP_TABLE, 590, 0 }, { REALM_SETUP_TABLE, 380, 0 },   { REALM_SETUP_TABLE, 380, 100 },
    { REALM_SETUP_CRATE, 200, 0 }, { REALM_SETUP_CRATE, 200, 150 },
};
enum { STAIRS_ACROSS = 2 }; // units from the far wall

tp_fx realm_generate_ground(const RealmPlan *plan, tp_fx x, tp_fx y)
{
    // Only the corners of the point's cell are looked at, so only they are made.
    uint8_t  heights[REALM_HEIGHTS] = { 0 };
    uint32_t cell_x = (uint32_t)(x.raw / REALM_CELL_RAW), cell_y = (uint32_t)(y.raw / REALM_CELL_RAW);
    cell_x = cell_x < 8 ? cell_x : 7;
    cell_y = cell_y < 8 ? cell_y : 7;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            heights[(cell_x + i) * REALM_VERTICES_ACROSS + cell_y + k] = realm_generate_height(plan, cell_x + i, cell_y + k);
        }
    }
    return realm_slope_height(realm_terrain_slope(heights, plan->prefix, x.raw, y.raw));
}

// A box grown level by `radius` units holds the point.
static bool is_near(const int32_t low[2], const int32_t high[2], int32_t x, int32_t y, int32_t radius)
{
    int32_t grown = radius * REALM_UNIT;
    return x > low[0] - grown && x < high[0] + grown && y > low[1] - grown && y < high[1] + grown;
}

// The way to a doorway.
static bool blocks_opening(const RealmOpening *opening, int32_t x, int32_t y, int32_t radius)
{
    int32_t  low[2], high[2];
    uint32_t axis = opening->axis;
    low[axis] = opening->at - REALM_DOORWAY_CLEAR * REALM_UNIT;
    high[axis] = opening->at + REALM_DOORWAY_CLEAR * REALM_UNIT;
    low[1 - axis] = opening->low[0];
    high[1 - axis] = opening->high[0];
    return is_near(low, high, x, y, radius);
}

static bool is_free_of_houses(const RealmPlan *plan, int32_t x, int32_t y, int32_t radius)
{
    for (uint32_t k = 0; k < plan->houses; k++) {
        RealmBox box = realm_house_box(&plan->house[k]);
        if (is_near(box.low, box.high, x, y, radius)) {
            return false;
        }
        RealmOpening openings[REALM_DOORWAYS_MAX];
        uint32_t     count = realm_house_openings(&plan->house[k], openings);
        for (uint32_t i = 0; i < count; i++) {
            if (openings[i].other == REALM_OPENING_OUTSIDE && blocks_opening(&openings[i], x, y, radius)) {
                return false;
            }
        }
    }
    return true;
}

static tp_fx within(uint64_t bits, int32_t low, int32_t high)
{
    return (tp_fx){ low * REALM_UNIT + (int32_t)(bits % (uint64_t)((high - low) * REALM_UNIT)) };
}

// On a seam: half a unit from the edge that the hash names, so that the piece leans over it.
static void place_on_seam(uint64_t hash, RealmStaticContent *content)
{
    tp_fx along = within(hash >> 8, REALM_CELL_SIZE, REALM_BLOCK_SIZE - REALM_CELL_SIZE);
    tp_fx edge = { (hash & 1) != 0 ? REALM_UNIT / 2 : REALM_BLOCK_RAW - REALM_UNIT / 2 };
    content->x = (hash & 2) != 0 ? along : edge;
    content->y = (hash & 2) != 0 ? edge : along;
}

static void place_outdoors(const RealmPlan *plan, uint32_t number, int32_t radius, RealmStaticContent *content)
{
    for (uint32_t attempt = 0; attempt < PLACE_TRIES; attempt++) {
        uint64_t bits = realm_generate_mix(plan->hash, (uint64_t)PURPOSE_SCENERY << 32 | number << 8 | (attempt + 1));
        content->x = within(bits & UINT32_MAX, EDGE_FREE, REALM_BLOCK_SIZE - EDGE_FREE);
        content->y = within(bits >> 32, EDGE_FREE, REALM_BLOCK_SIZE - EDGE_FREE);
        if (is_free_of_houses(plan, content->x.raw, content->y.raw, radius)) {
            return;
        }
    }
    content->x = realm_generate_units((int32_t)(EDGE_FREE + number * ROW_STEP));
    content->y = realm_generate_units(ROW_AT);
}

// How far a setup reaches, level and however turned, in whole units.
static int32_t reach_of(uint16_t setup)
{
    const RealmSetup *shape = realm_catalog_at(setup);
    int32_t           reach = 0;
    for (uint32_t axis = 0; axis < 2; axis++) {
        reach = -shape->low[axis] > reach ? -shape->low[axis] : reach;
        reach = shape->high[axis] > reach ? shape->high[axis] : reach;
    }
    return (reach + REALM_UNIT - 1) / REALM_UNIT;
}

// In the high corner of the last room, where no doorway and no hatch is.
static void place_crate(const RealmHouse *house, RealmStaticContent *content)
{
    RealmBox box = realm_house_room(house, house->rooms - 1u);
    content->setup = REALM_SETUP_CRATE;
    content->x = (tp_fx){ box.high[0] - FURNITURE_IN * REALM_UNIT };
    content->y = (tp_fx){ box.high[1] - FURNITURE_IN * REALM_UNIT };
    content->z = (tp_fx){ box.low[2] };
}

static void place_stair(const RealmHouse *house, uint32_t step, RealmStaticContent *content)
{
    RealmBox box = realm_house_room(house, 0);
    int32_t  along = stairs[step].along * REALM_UNIT / 100;
    int32_t  across = (house->room - STAIRS_ACROSS) * REALM_UNIT;
    content->setup = stairs[step].setup;
    content->turn = house->is_turned;
    content->x = (tp_fx){ box.low[0] + (house->is_turned ? across : along) };
    content->y = (tp_fx){ box.low[1] + (house->is_turned ? along : across) };
    content->z = (tp_fx){ box.low[2] + stairs[step].up * REALM_UNIT / 100 };
}

uint32_t realm_house_furniture(const RealmHouse *house)
{
    return house->shape == REALM_HOUSE_FLOORS ? 1 + TP_COUNT_OF(stairs) : 1;
}

static void place_furniture(const RealmPlan *plan, uint32_t number, RealmStaticContent *content)
{
    const RealmHouse *house = plan->house;
    while (number >= realm_house_furniture(house)) {
        number -= realm_house_furniture(house);
        house++;
    }
    if (number == 0) {
        place_crate(house, content);
    } else {
        place_stair(house, number - 1, content);
    }
}

void realm_generate_static(const RealmPlan *plan, uint32_t k, RealmStaticContent *content)
{
    TP_ASSERT(k < plan->statics);
    *content = (RealmStaticContent){ .id = REALM_STATIC_IDS | (uint32_t)plan->prefix << 12 | k };
    if (k < plan->furniture) {
        place_furniture(plan, k, content);
        return;
    }
    uint32_t number = k - plan->furniture;
    uint64_t hash = realm_generate_mix(plan->hash, (uint64_t)PURPOSE_SCENERY << 32 | number << 8);
    content->setup = pieces[hash % TP_COUNT_OF(pieces)];
    content->turn = (uint8_t)(hash >> 8 & 3);
    if (number == 0 && (plan->hash >> 32) % 4 < CROSSING_OF_4) {
        place_on_seam(hash >> 16, content);
    } else {
        place_outdoors(plan, number, reach_of(content->setup), content);
    }
    content->z = realm_generate_ground(plan, content->x, content->y);
}

// What stands outdoors: made once for as many questions as there are.
typedef struct Obstacles {
    uint32_t count;
    struct {
        int32_t x, y, reach;
    } list[REALM_GENERATE_STATICS_MAX];
} Obstacles;

static Obstacles obstacles_of(const RealmPlan *plan)
{
    Obstacles obstacles = { .count = (uint32_t)plan->statics - plan->furniture };
    for (uint32_t k = 0; k < obstacles.count; k++) {
        RealmStaticContent piece;
        realm_generate_static(plan, plan->furniture + k, &piece);
        obstacles.list[k].x = piece.x.raw;
        obstacles.list[k].y = piece.y.raw;
        obstacles.list[k].reach = reach_of(piece.setup);
    }
    return obstacles;
}

static bool is_free(const RealmPlan *plan, const Obstacles *obstacles, int32_t x, int32_t y, int32_t radius)
{
    if (plan->water == 2 || !is_free_of_houses(plan, x, y, radius)) {
        return false;
    }
    for (uint32_t k = 0; k < obstacles->count; k++) {
        const int32_t at[2] = { obstacles->list[k].x, obstacles->list[k].y };
        if (is_near(at, at, x, y, radius + obstacles->list[k].reach)) {
            return false;
        }
    }
    return true;
}

bool realm_generate_is_free(const RealmPlan *plan, int32_t x, int32_t y, int32_t radius)
{
    Obstacles obstacles = obstacles_of(plan);
    return is_free(plan, &obstacles, x, y, radius);
}

static RealmPlace stand(const RealmPlan *plan, int32_t x, int32_t y)
{
    RealmPlace place = { 0 };
    tp_fx      z = realm_generate_ground(plan, (tp_fx){ x }, (tp_fx){ y });
    bool       is_inside = realm_place_at(plan->prefix, x, y, z.raw, &place);
    TP_ASSERT(is_inside);
    return place;
}

uint16_t realm_generate_middle(uint32_t width, uint32_t height)
{
    return realm_prefix_at((width - 1) / 2 & ~1u, (height - 1) / 2); // water has odd x and odd y
}

// Where a row or column of candidates is, in bits.
static int32_t candidate(uint32_t index)
{
    return (int32_t)(SPAWN_EDGE + index * SPAWN_GRID_STEP) * REALM_UNIT;
}

// The landblock that a slot appears in: one of a square around the middle, and dry, as above.
static uint16_t spawn_block(uint32_t width, uint32_t height, uint32_t slot)
{
    uint32_t across = width < SPAWN_SPREAD ? width : SPAWN_SPREAD, up = height < SPAWN_SPREAD ? height : SPAWN_SPREAD;
    uint32_t x = (width - across) / 2 + slot % across, y = (height - up) / 2 + slot / across % up;
    return realm_prefix_at(x & ~1u, y);
}

RealmPlace realm_generate_spawn(uint64_t seed, uint32_t width, uint32_t height, uint32_t slot)
{
    RealmPlan plan = realm_generate_plan(seed, spawn_block(width, height, slot), 0);
    Obstacles obstacles = obstacles_of(&plan);
    uint32_t  places[SPAWN_GRID * SPAWN_GRID], found = 0;
    for (uint32_t k = 0; k < SPAWN_GRID * SPAWN_GRID; k++) {
        uint32_t at = k * SPAWN_ORDER % (SPAWN_GRID * SPAWN_GRID);
        if (is_free(&plan, &obstacles, candidate(at / SPAWN_GRID), candidate(at % SPAWN_GRID), SPAWN_RADIUS)) {
            places[found++] = at;
        }
    }
    // A house with its ways takes less than half of the candidates, and ten pieces at most four each: some are left. Nearly always they are more than
    // there are slots, and each slot has its own.
    TP_ASSERT(found > 0);
    uint32_t at = places[slot % found];
    return stand(&plan, candidate(at / SPAWN_GRID), candidate(at % SPAWN_GRID));
}

bool realm_generate_creature(const RealmPlan *plan, uint32_t k, RealmPlace *place)
{
    uint64_t own = realm_generate_mix(plan->hash, (uint64_t)PURPOSE_CREATURE << 32 | k << 8);
    if (k >= own % (REALM_GENERATE_CREATURES_MAX + 1)) {
        return false;
    }
    Obstacles obstacles = obstacles_of(plan);
    for (uint32_t attempt = 0; attempt < CREATURE_TRIES; attempt++) {
        uint64_t bits = realm_generate_mix(own, attempt);
        int32_t  x = within(bits & UINT32_MAX, CREATURE_EDGE, REALM_BLOCK_SIZE - CREATURE_EDGE).raw;
        int32_t  y = within(bits >> 32, CREATURE_EDGE, REALM_BLOCK_SIZE - CREATURE_EDGE).raw;
        if (is_free(plan, &obstacles, x, y, SPAWN_RADIUS)) {
            *place = stand(plan, x, y);
            return true;
        }
    }
    return false;
}
