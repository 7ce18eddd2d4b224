// realm_generate.h: the land. What a landblock holds is a pure function of (seed, landblock, variant); whoever asks again gets the same again,
// item by item. Integers only, no memory.
//
// Heights are noise over the vertices of the whole land, so that landblocks meet exactly: a vertex on a seam depends on the seed and on where
// it is alone. Inside, the ground under a house is level and variants raise what is free of houses. Water landblocks never touch each
// other, not even at a corner, so no land is an island.
//
// A house is a row, an L or two floors of equal square rooms. Its rooms fill its box from wall to wall, and walls have no thickness: a doorway is a
// rectangle in the face that two rooms share, or in a face of the box. Floors lie at the ground's height.
#pragma once

#include "realm_engine.h"

enum {
    REALM_HOUSES_MAX            = 2,  ///< buildings of a landblock
    REALM_ROOMS_MAX             = 6,  ///< of a house
    REALM_PLOT_RELIEF_MAX       = 10, ///< height indices between a plot and the vertices around it: one walks up to a house
    REALM_ROOM_HEIGHT           = 4,  ///< units
    REALM_DOORWAY_WIDTH         = 2,  ///< units
    REALM_DOORWAY_HEIGHT        = 3,  ///< units
    REALM_DOORWAY_CLEAR         = 8,  ///< units in front of an outer doorway in which nothing stands
    REALM_DOORWAY_CLEAR_INSIDE  = 2,  ///< and inside, on both sides of any doorway
    REALM_GENERATE_STATICS_MIN  = 4,
    REALM_GENERATE_STATICS_MAX  = 10, ///< outside of houses; the furniture comes on top
    REALM_GENERATE_CREATURES_MAX = 3,
    REALM_STATIC_IDS            = 0x50000000, ///< ids of statics: this | landblock << 12 | number from 0
};

typedef enum RealmHouseShape { REALM_HOUSE_ROW = 0, REALM_HOUSE_ELL = 1, REALM_HOUSE_FLOORS = 2 } RealmHouseShape;

/// A house, in whole units local to the landblock. Room r is the cube of `room` units at grid place (realm_house_room).
typedef struct RealmHouse {
    uint8_t vertex_x, vertex_y; ///< corner of its plot of level ground
    uint8_t plot_cells;         ///< the plot's side, outdoor cells
    uint8_t level;              ///< the plot's height index
    uint8_t shape;
    uint8_t rooms;
    uint8_t is_turned;          ///< rows along y instead of x
    uint8_t outer;              ///< outer doorways: 1 or 2
    uint8_t room;               ///< side of a room
    uint8_t x, y;               ///< low corner of its box
    uint8_t first_room;         ///< rooms of the landblock before this one's
} RealmHouse;

/// What everything else is read from: made once, for as many items as one likes.
typedef struct RealmPlan {
    uint64_t   land;    ///< of the seed
    uint64_t   hash;    ///< of seed, landblock and variant
    uint16_t   prefix;
    uint16_t   variant;
    uint8_t    water;
    uint8_t    houses;
    uint8_t    rooms;
    uint8_t    statics; ///< all of them: furniture first
    uint8_t    furniture;
    RealmHouse house[REALM_HOUSES_MAX];
} RealmPlan;

RealmPlan realm_generate_plan(uint64_t seed, uint16_t prefix, uint16_t variant);
void      realm_generate_terrain(const RealmPlan *plan, RealmTerrainContent *terrain);
/// `k` below plan->rooms, ->houses, ->statics.
void      realm_generate_cell(const RealmPlan *plan, uint32_t k, RealmCellContent *cell);
void      realm_generate_building(const RealmPlan *plan, uint32_t k, RealmBuildingContent *building);
void      realm_generate_static(const RealmPlan *plan, uint32_t k, RealmStaticContent *content);

/// Height index of a vertex of the land, 0 .. 2040 in x and y, before houses and variants: what the seams have.
uint8_t   realm_generate_vertex(uint64_t seed, uint32_t x, uint32_t y);

/// An outer doorway and what hangs in it: at most REALM_HOUSES_MAX a landblock.
typedef struct RealmDoorway {
    RealmPlace place; ///< the middle of the sill
    uint16_t   cell;  ///< number of the room inside
    uint8_t    portal; ///< of that room
    uint8_t    turn;  ///< quarters: 0 when the wall runs along x, 1 along y
} RealmDoorway;
/// The first outer doorway of house `k`; false when there is no such house.
bool      realm_generate_door(const RealmPlan *plan, uint32_t k, RealmDoorway *door);

/// Height of the ground at a point of the landblock, in bits.
tp_fx     realm_generate_ground(const RealmPlan *plan, tp_fx x, tp_fx y);
/// Nothing that the landblock brings is nearer than `radius` units to the point, and no doorway's way is blocked by standing there.
bool      realm_generate_is_free(const RealmPlan *plan, int32_t x, int32_t y, int32_t radius);

/// The landblock in the middle of a land, or the one beside it: never water, whatever the seed.
uint16_t   realm_generate_middle(uint32_t width, uint32_t height);
/// Where player `slot` of a land of width x height landblocks appears: outdoors near the middle, on free ground, each slot elsewhere.
RealmPlace realm_generate_spawn(uint64_t seed, uint32_t width, uint32_t height, uint32_t slot);
/// Where creature `k`, below REALM_GENERATE_CREATURES_MAX, of a landblock lives; false when it has no such creature.
bool       realm_generate_creature(const RealmPlan *plan, uint32_t k, RealmPlace *place);
