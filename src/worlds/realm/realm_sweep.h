// realm_sweep.h: what the parts of a sweep share: the path, and the first thing met so far.
#pragma once

#include "realm_query_visit.h"

typedef struct RealmSweeper {
    const RealmEngine *engine;
    RealmView          view;
    const RealmSweep  *sweep;
    uint16_t           frame; ///< landblock whose coordinates everything is in
    RealmPath          path;
    int64_t            radius;
    RealmBounds        bounds; ///< of the whole path, with the skin
    int32_t            end;    ///< the last free step so far
    RealmHitKind       kind;   ///< what is at the step after
    uint32_t           owner;
    RealmVector        normal;
} RealmSweeper;

/// Something met after step k: kept when it comes before what was met so far.
void realm_sweeper_meet(RealmSweeper *sweeper, int32_t k, RealmHitKind kind, uint32_t owner, RealmVector normal);

// realm_sweep_ground.c

/// Cuts the path at the edge of what is loaded. False: it begins outside.
bool realm_sweep_edge(RealmSweeper *sweeper);
/// Meets the terrain between two steps. True: it did, and the sweep ends there or earlier.
bool realm_sweep_terrain(RealmSweeper *sweeper, int32_t from, int32_t to);
/// How far the ground is above the lowest point of the sphere at a step when that is within the rounding of slopes and of the
/// place it is put to; else 0.
int64_t realm_sweep_lift(const RealmSweeper *sweeper, int32_t k);

// realm_sweep_room.c

/// Walks the path through the outdoors, portals and rooms, up to `end`. `*is_outdoors`: that is where it is then.
void realm_sweep_way(RealmSweeper *sweeper, uint32_t indoor, bool *is_outdoors);
