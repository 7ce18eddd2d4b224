// realm_land.h: landblocks put into the engine by hand, past the transaction and its validation: what geometry has to cope with, forged content
// included. Owners are then registered as usual. The invariant checker does not apply.
#pragma once

#include "realm_rig.h"

#include "realm_flood.h"

/// Room for nine landblocks full of cells.
void land_open(Rig *rig);
/// An active leaf for the landblock, flat at height 0. Links.
uint32_t land_leaf(Rig *rig, uint32_t x, uint32_t y);
uint8_t *land_heights(Rig *rig, uint32_t leaf);
/// Raw, local to the landblock. Numbers rise from REALM_INDOOR_FIRST on.
uint32_t land_cell(Rig *rig, uint32_t leaf, const RealmBounds *box);
void     land_portal(Rig *rig, uint32_t cell, int axis, int64_t at, const int64_t low[2], const int64_t high[2], uint32_t other);
uint32_t land_building(Rig *rig, uint32_t leaf, const RealmBounds *box, uint32_t first_cell, uint32_t cells);

/// Whole units, for short tests.
RealmBounds land_box(int32_t x0, int32_t y0, int32_t z0, int32_t x1, int32_t y1, int32_t z1);
/// Both ways between two cells of a leaf, or outwards when `other` is 0. Whole units.
void        land_join(Rig *rig, uint32_t cell, uint32_t other, int axis, int32_t at, int32_t low_1, int32_t low_2, int32_t high_1, int32_t high_2);
/// Raw coordinates local to block (x, y), which may lie outside of it.
RealmPlace  land_place(uint32_t x, uint32_t y, int64_t local_x, int64_t local_y, int64_t z);
