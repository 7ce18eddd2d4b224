// realm_terrain.h: the ground of one landblock: 9 x 9 heights, and each of its 8 x 8 cells two triangles. Exact: heights are whole units, so the
// height of the ground anywhere is a whole number of 1/24 raw bits, and what is returned is the floor of it.
//
// The way a cell is split, and the constants, are published facts about ACE, an open server for the game whose land has this shape.
#pragma once

#include "realm_place.h"

enum {
    REALM_VERTICES_ACROSS = 9,
    // Raw bits of units per second, or of a plain number. From ACE's physics globals.
    REALM_GRAVITY = -642253,        ///< -9.8 units/s^2
    REALM_SPEED_MAX = 50 * 65536,   ///< units/s
    REALM_WALKABLE_Z = 43527,       ///< 0.66417: z of the normal of the steepest ground one can walk on
    REALM_LANDING_Z = 5712,         ///< 0.0871557: and of the steepest that stops a fall
    REALM_FRICTION = 62259,         ///< 0.95
    REALM_ELASTICITY = 3277,        ///< 0.05
    REALM_ELASTICITY_MAX = 6554,    ///< 0.1
    REALM_STEP = 655,               ///< 0.01 units
    // Whole-water landblocks collide for walkers.
    REALM_WATER_DEPTH_NONE = 6554,     ///< 0.1 units
    REALM_WATER_DEPTH_PARTIAL = 29491, ///< 0.45
    REALM_WATER_DEPTH_FULL = 58982,    ///< 0.9
};

typedef enum RealmWater { REALM_WATER_NONE = 0, REALM_WATER_PARTIAL = 1, REALM_WATER_FULL = 2 } RealmWater;

/// Height of each height index, in whole units. Rising: 1 unit a step up to 128, then 2 up to 192, then 4. Content of the world.
extern const uint16_t realm_height_table[256];

/// What decides the split of the cell at (x, y) of the land, counted in cells.
static inline uint32_t realm_terrain_hash(uint32_t x, uint32_t y)
{
    return y * (x * UINT32_C(214614067) + UINT32_C(1813693831)) - x * UINT32_C(1109124029) - UINT32_C(1369149221);
}
/// True: the diagonal joins the corners at +x and at +y. False: it joins the origin and the far corner. The limit is not the top bit: the
/// original compares in floating point with a rounded constant.
static inline bool realm_terrain_is_split_sideways(uint32_t x, uint32_t y)
{
    return realm_terrain_hash(x, y) <= UINT32_C(2147483681);
}

/// The ground under a point: the plane of one triangle.
typedef struct RealmSlope {
    int64_t height24; ///< raw bits of the height under the point, times 24: exact
    int32_t rise_x;   ///< whole units that the plane rises over 24 units in x
    int32_t rise_y;
} RealmSlope;

/// At (x, y), raw and local to landblock `prefix`: 0 to REALM_BLOCK_RAW, both ends included. `heights` is indexed x * 9 + y.
RealmSlope realm_terrain_slope(const uint8_t heights[REALM_HEIGHTS], uint16_t prefix, int64_t x, int64_t y);
/// Floor of the height, so that two triangles, and two landblocks with equal vertices, agree on their common edge.
static inline tp_fx realm_slope_height(RealmSlope slope)
{
    return (tp_fx){ (int32_t)(slope.height24 / 24) }; // heights are never negative
}
/// Unit normal, each part toward zero: mirrored ground has the mirrored normal.
RealmVector realm_slope_normal(RealmSlope slope);
/// Exact: z of the normal is at least REALM_WALKABLE_Z.
bool realm_slope_is_walkable(RealmSlope slope);
/// Height of vertex (x, y), 0 to 8 each.
static inline int32_t realm_terrain_vertex(const uint8_t heights[REALM_HEIGHTS], uint32_t x, uint32_t y)
{
    return realm_height_table[heights[x * REALM_VERTICES_ACROSS + y]];
}
/// How deep one stands in it.
tp_fx realm_water_depth(uint8_t water);
