// realm_generate.c: the ground, and the plan of a landblock: which houses stand where, how much scenery there is.
#include "realm_generate_parts.h"

// What a hash is for. Never renumber: every land would change.
enum {
    PURPOSE_LAND = 1,
    PURPOSE_HILLS = 2, // and the next two
    PURPOSE_BLOCK = 8,
    PURPOSE_VARIANT = 9,
    PURPOSE_HOUSE = 10, // and the next one
    PURPOSE_RAISE = 12,
};

enum {
    OCTAVES = 3,
    HEIGHT_BASE = 12,
    WATER_EVERY = 4,      // of the landblocks that may be water
    HOUSES_TRIED_OF_8 = 4,
    PAIRS_OF_8 = 3,       // of the landblocks with houses
    SHORE_INDEX = 40,     // landblocks whose lowest ground is below have some water
    POND_DEPTH = 4,
};

// Spacing in vertices as a power of two, height in indices. A unit an index below 128: no slope is too steep there, some are above.
static const struct { uint32_t shift, height; } octaves[OCTAVES] = { { 5, 96 }, { 3, 32 }, { 1, 5 } };

static uint32_t lattice(uint64_t land, uint32_t octave, uint32_t x, uint32_t y)
{
    return (uint32_t)(realm_generate_mix(land, (uint64_t)(PURPOSE_HILLS + octave) << 32 | x << 16 | y) >> 56);
}

// 3t^2 - 2t^3 in 256ths: slopes come in and go out level at the lattice.
static uint32_t smooth(uint32_t part, uint32_t shift)
{
    uint32_t t = (part << 8) >> shift;
    return t * t * (768 - 2 * t) >> 16;
}

static uint32_t octave_at(uint64_t land, uint32_t octave, uint32_t x, uint32_t y)
{
    uint32_t shift = octaves[octave].shift, mask = (1u << shift) - 1;
    uint32_t lattice_x = x >> shift, lattice_y = y >> shift;
    uint32_t part_x = smooth(x & mask, shift), part_y = smooth(y & mask, shift);
    uint32_t near = lattice(land, octave, lattice_x, lattice_y) * (256 - part_x) +
                    lattice(land, octave, lattice_x + 1, lattice_y) * part_x;
    uint32_t far = lattice(land, octave, lattice_x, lattice_y + 1) * (256 - part_x) +
                   lattice(land, octave, lattice_x + 1, lattice_y + 1) * part_x;
    return (near * (256 - part_y) + far * part_y) >> 8; // in 65536ths of the octave's height
}

static uint8_t vertex(uint64_t land, uint32_t x, uint32_t y)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < OCTAVES; k++) {
        sum += octave_at(land, k, x, y) * octaves[k].height;
    }
    return (uint8_t)(HEIGHT_BASE + (sum >> 16));
}

static uint64_t land_of(uint64_t seed)
{
    return realm_generate_mix(seed, PURPOSE_LAND);
}

uint8_t realm_generate_vertex(uint64_t seed, uint32_t x, uint32_t y)
{
    return vertex(land_of(seed), x, y);
}

static uint8_t plan_vertex(const RealmPlan *plan, uint32_t x, uint32_t y)
{
    return vertex(plan->land, (uint32_t)(plan->prefix >> 8) * 8 + x, (uint32_t)(plan->prefix & 0xFF) * 8 + y);
}

// The plot's level is the mean of its corners. False: the ground around it is too steep.
static bool level_plot(const RealmPlan *plan, RealmHouse *house)
{
    uint32_t x = house->vertex_x, y = house->vertex_y, side = house->plot_cells;
    uint32_t sum = (uint32_t)plan_vertex(plan, x, y) + plan_vertex(plan, x + side, y) + plan_vertex(plan, x, y + side) +
                   plan_vertex(plan, x + side, y + side);
    house->level = (uint8_t)((sum + 2) / 4);
    for (uint32_t i = 0; i <= side + 2; i++) {
        const uint8_t around[4] = { plan_vertex(plan, x - 1 + i, y - 1), plan_vertex(plan, x - 1 + i, y + side + 1),
                                    plan_vertex(plan, x - 1, y - 1 + i), plan_vertex(plan, x + side + 1, y - 1 + i) };
        for (uint32_t k = 0; k < 4; k++) {
            int difference = around[k] - house->level;
            if (difference > REALM_PLOT_RELIEF_MAX || difference < -REALM_PLOT_RELIEF_MAX) {
                return false;
            }
        }
    }
    return true;
}

// One house has a plot of three cells somewhere inside; two have one of two cells each, in opposite corners.
static void plan_houses(RealmPlan *plan, uint64_t hash)
{
    bool     is_pair = (hash >> 8 & 7) < PAIRS_OF_8;
    uint32_t count = is_pair ? 2 : 1;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t   own = realm_generate_mix(plan->land, (uint64_t)(PURPOSE_HOUSE + k) << 32 | plan->prefix);
        RealmHouse house = { .plot_cells = is_pair ? 2 : 3, .first_room = plan->rooms };
        bool       is_far_x = k == 1, is_far_y = (hash >> 16 & 1) == k;
        house.vertex_x = is_pair ? (is_far_x ? 5 : 1) : (uint8_t)(1 + (hash >> 16) % 4);
        house.vertex_y = is_pair ? (is_far_y ? 5 : 1) : (uint8_t)(1 + (hash >> 24) % 4);
        realm_house_choose(&house, own);
        if (level_plot(plan, &house)) {
            plan->house[plan->houses] = house;
            plan->houses++;
            plan->rooms = (uint8_t)(plan->rooms + house.rooms);
        }
    }
}

// Only landblocks with odd x and odd y can be water, so two never touch.
static bool is_water(const RealmPlan *plan, uint64_t hash)
{
    return (plan->prefix & 0x0101) == 0x0101 && hash % WATER_EVERY == 0;
}

RealmPlan realm_generate_plan(uint64_t seed, uint16_t prefix, uint16_t variant)
{
    RealmPlan plan = { .land = land_of(seed), .prefix = prefix, .variant = variant };
    uint64_t  hash = realm_generate_mix(plan.land, (uint64_t)PURPOSE_BLOCK << 32 | prefix);
    plan.hash = realm_generate_mix(hash, (uint64_t)PURPOSE_VARIANT << 32 | variant);
    if (is_water(&plan, hash)) {
        plan.water = 2;
    } else if ((hash >> 40 & 7) < HOUSES_TRIED_OF_8) {
        plan_houses(&plan, hash);
    }
    for (uint32_t k = 0; k < plan.houses; k++) {
        plan.furniture = (uint8_t)(plan.furniture + realm_house_furniture(&plan.house[k]));
    }
    plan.statics = (uint8_t)(plan.furniture + REALM_GENERATE_STATICS_MIN +
                             plan.hash % (REALM_GENERATE_STATICS_MAX - REALM_GENERATE_STATICS_MIN + 1));
    return plan;
}

static bool is_in_plot(const RealmHouse *house, uint32_t x, uint32_t y)
{
    return x >= house->vertex_x && x <= (uint32_t)house->vertex_x + house->plot_cells && y >= house->vertex_y &&
           y <= (uint32_t)house->vertex_y + house->plot_cells;
}

uint8_t realm_generate_height(const RealmPlan *plan, uint32_t x, uint32_t y)
{
    uint8_t ground = plan_vertex(plan, x, y);
    if (x == 0 || x == 8 || y == 0 || y == 8) {
        return ground;
    }
    for (uint32_t k = 0; k < plan->houses; k++) {
        if (is_in_plot(&plan->house[k], x, y)) {
            return plan->house[k].level;
        }
    }
    if (plan->water == 2) {
        return (uint8_t)(ground - POND_DEPTH);
    }
    if (plan->variant != 0) {
        ground = (uint8_t)(ground + (realm_generate_mix(plan->hash, (uint64_t)PURPOSE_RAISE << 32 | (x * 9 + y)) & 1));
    }
    return ground;
}

void realm_generate_terrain(const RealmPlan *plan, RealmTerrainContent *terrain)
{
    uint8_t lowest = UINT8_MAX;
    for (uint32_t x = 0; x < 9; x++) {
        for (uint32_t y = 0; y < 9; y++) {
            uint8_t height = realm_generate_height(plan, x, y);
            terrain->heights[x * 9 + y] = height;
            lowest = height < lowest ? height : lowest;
        }
    }
    terrain->water = plan->water == 0 && lowest < SHORE_INDEX ? 1 : plan->water;
}
