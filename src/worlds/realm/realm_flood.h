// realm_flood.h: what the queries share with the flood of owners: which cells a few boxes touch, from where on.
#pragma once

#include "realm_catalog.h"

enum {
    REALM_SIDE_BLOCKS = 3,                                     ///< landblocks on a side that a body can touch
    REALM_TOUCH_BLOCKS = REALM_SIDE_BLOCKS * REALM_SIDE_BLOCKS,
    REALM_PORTAL_SLACK = 13,                                   ///< raw: 0.0002 units around portals, cells and buildings
};

/// A box, raw, local to the landblock of the place it belongs to.
typedef struct RealmBounds {
    int64_t low[3], high[3];
} RealmBounds;

/// Cell that a place is in: the first indoor cell of the view's full leaf whose half-open box contains it, else the outdoor cell. `*home` is the
/// leaf and `*indoor` the cell's link, 0 outdoors. 0, and `*home` 0, when no full leaf serves the landblock.
uint32_t realm_flood_cell(const RealmEngine *engine, RealmView view, RealmPlace place, uint32_t *home, uint32_t *indoor);

/// Cells that boxes touch, from the cell that `place` is in, which is always among them. No box may reach more than REALM_BLOCK_RAW past the place's
/// landblock. A static that begins indoors keeps only what its first cell sees.
void realm_flood_bounds(const RealmEngine *engine, RealmView view, RealmPlace place, const RealmBounds *bounds, uint32_t count, bool is_static,
                        RealmFlood *flood);
