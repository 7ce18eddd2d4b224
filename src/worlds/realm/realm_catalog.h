// realm_catalog.h: the shapes that owners have. A setup is one kind of object: up to ten parts, each a sphere, an upright cylinder or an
// axis-aligned box, around the owner's place. Immutable content of the world, hashed into its rules; nothing of it is state.
//
// Every number is an int32_t, so that the table is one array of values for the hash. Lengths are raw bits.
#pragma once

#include "realm_place.h"

enum {
    REALM_PARTS_MAX = 10,
    REALM_SETUP_REACH_MAX = 100 * 65536, ///< raw: no part is further from the owner's place in x or y, however it is turned
};

/// What a setup is. A number is never reused.
typedef enum RealmSetupId {
    REALM_SETUP_NONE = 0,
    REALM_SETUP_PLAYER = 1,    ///< 0.4 wide, 1.8 high; stands on its place, as creatures do
    REALM_SETUP_CREATURE_SMALL = 2,
    REALM_SETUP_CREATURE_LARGE = 3,
    REALM_SETUP_BOLT = 4,      ///< around its place
    REALM_SETUP_DOOR = 5,      ///< 2 wide in x, 3 high, 0.2 deep; stands on the middle of its sill
    REALM_SETUP_TREE = 6,
    REALM_SETUP_TREE_LARGE = 7,
    REALM_SETUP_ROCK = 8,
    REALM_SETUP_BOULDER = 9,
    REALM_SETUP_WALL = 10,     ///< 12 long in x
    REALM_SETUP_CRATE = 11,
    REALM_SETUP_PILLAR = 12,
    REALM_SETUP_TABLE = 13,
    REALM_SETUP_ARCH = 14,     ///< two pillars and a beam: one walks through
    REALM_SETUP_RUIN = 15,     ///< ten parts
    REALM_SETUP_HILL_30 = 16,  ///< a sphere of radius 30
    REALM_SETUP_HILL_100 = 17, ///< and of 100: the largest there may be
    REALM_SETUP_SLAB_100 = 18, ///< a box of 200 x 200: touches the most cells there can be
    REALM_SETUP_COUNT = 19,
} RealmSetupId;

typedef enum RealmShape { REALM_SHAPE_SPHERE = 0, REALM_SHAPE_CYLINDER = 1, REALM_SHAPE_BOX = 2 } RealmShape;

/// (x, y, z) is a sphere's centre, the centre of a cylinder's base, a box's low corner. (a, b, c): a sphere's radius, 0, 0; a cylinder's radius,
/// height, 0; a box's high corner.
typedef struct RealmPart {
    int32_t shape;
    int32_t x, y, z;
    int32_t a, b, c;
} RealmPart;

typedef struct RealmSetup {
    int32_t   low[3], high[3]; ///< bounds of all parts, not turned
    int32_t   parts;
    RealmPart part[REALM_PARTS_MAX];
} RealmSetup;

/// Row 0 has no parts.
extern const RealmSetup realm_setups[REALM_SETUP_COUNT];

/// NULL when there is no such setup.
const RealmSetup *realm_catalog_at(uint16_t setup);

/// A part where its owner is: raw, in the axes of the landblock that x, y and z are local to.
typedef struct RealmSolid {
    int32_t shape;
    int64_t low[3], high[3]; ///< bounds; a box is just these
    int64_t centre[3];       ///< of a sphere; of a cylinder's base
    int64_t radius;
} RealmSolid;

/// Turned by quarters counter-clockwise about the owner's place, then moved there.
RealmSolid realm_part_solid(const RealmPart *part, uint8_t turn, int64_t x, int64_t y, int64_t z);
