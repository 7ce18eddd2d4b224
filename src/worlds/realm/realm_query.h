// realm_query.h: what is where, and what a moving sphere meets. Reads one view and changes nothing; the same view and question give the same answer.
//
// What counts: terrain (of the view's full leaves), building boxes from outdoors, the walls of indoor cells from within, and the shapes of the
// owners whose rows are seen. A sphere touches terrain when its lowest point does. It goes through a portal when it fits between the portal's
// edges as a box would. Everything errs on the safe side: a sphere stops REALM_QUERY_SKIN short of shapes and boxes rather than in them.
//
// Landblocks are expected to meet at their seams. Where they do not, a place that is snapped over the seam may be in the other's ground.
//
// Something that already is where it should not be (in the ground, in a shape, in a wall) may move out, never further in.
#pragma once

#include "realm_flood.h"
#include "realm_terrain.h"

enum {
    REALM_QUERY_SKIN = 16,                 ///< raw
    REALM_QUERY_STEP_MAX = 24 * 65536,     ///< raw: longest delta of one sweep, each part; faster movers ask in steps
    REALM_QUERY_RADIUS_MAX = 32 * 65536,   ///< raw
    REALM_QUERY_SLIDE_SWEEPS = 3,
    REALM_QUERY_ANY_STATE = 0,             ///< as `blocking`: every owner blocks
};

/// What a sweep met. Of two met at once the lower number counts, of two owners the lower link.
typedef enum RealmHitKind {
    REALM_HIT_NONE = 0,
    REALM_HIT_TERRAIN = 1,
    REALM_HIT_WALL = 2,     ///< of an indoor cell, or the side of an outer portal
    REALM_HIT_BUILDING = 3, ///< from outdoors
    REALM_HIT_OWNER = 4,
    REALM_HIT_EDGE = 5,     ///< no full leaf there
} RealmHitKind;

typedef struct RealmSweep {
    RealmPlace place; ///< of the centre
    RealmVector delta;
    tp_fx       radius;
    uint32_t    ignore;   ///< owner (link) that is not there for this sweep, 0: none
    uint32_t    blocking; ///< owners block whose `state` has one of these flags; REALM_QUERY_ANY_STATE: all do
} RealmSweep;

typedef struct RealmHit {
    RealmHitKind     kind;
    tp_fx            fraction; ///< of the delta that is free: 0 to 1
    RealmPlace       place;    ///< of the centre then
    RealmOwnerHandle owner;    ///< OWNER; else {0, 0}
    RealmVector      normal;   ///< unit, away from what was met; zero without a hit
} RealmHit;

typedef struct RealmGround {
    bool        is_known;    ///< false: no full leaf
    bool        is_walkable; ///< not too steep, and not the water of a whole-water landblock
    bool        is_terrain;  ///< else a floor or a roof
    uint8_t     water;       ///< RealmWater of the landblock; 0 for a floor or a roof
    tp_fx       z;
    RealmVector normal;
} RealmGround;

/// Id of the cell at a place; 0: no full leaf.
uint32_t realm_query_cell(const RealmEngine *engine, RealmView view, RealmPlace place);

/// Owners whose shapes overlap a sphere, exactly and strictly: what only touches does not. Links in rising order of id,
/// then link; when there are more than `capacity`, the first. Returns how many there are. A radius of 0 overlaps nothing.
uint32_t realm_query_overlaps(const RealmEngine *engine, RealmView view, RealmPlace centre, tp_fx radius, uint32_t *owners, uint32_t capacity);

/// What is under a place, at its height or lower: a cell's floor when it is in one, else the highest of the terrain and the roofs of buildings. Of
/// a place under the terrain it is the terrain.
RealmGround realm_query_ground(const RealmEngine *engine, RealmView view, RealmPlace place);

/// Moves a sphere until it meets something. Asserts the limits above. A start that no full leaf serves is an EDGE at fraction 0.
RealmHit realm_query_sweep(const RealmEngine *engine, RealmView view, const RealmSweep *sweep);

/// Moves a sphere and lets it slide along what it meets: at most REALM_QUERY_SLIDE_SWEEPS sweeps. `hits` (may be NULL) gets what each sweep met, in
/// order; returns how many did. `*place` is where it ends. Nothing pushes it back against the way it wanted to go.
uint32_t realm_query_slide(const RealmEngine *engine, RealmView view, const RealmSweep *sweep, RealmPlace *place,
                           RealmHit hits[REALM_QUERY_SLIDE_SWEEPS]);
