// realm_place.h: where things are: ids of cells, and the one conversion between coordinates and landblocks. Arithmetic only, no state.
//
// An id names a landblock in its high half (x, then y, a byte each) and a cell in its low half: 1..64 outdoors, REALM_INDOOR_FIRST and
// on indoors, REALM_OUTSIDE for the landblock itself. Id 0 is nowhere: cell numbers start at 1.
//
// All edges are half-open: [0, 192) for a landblock, [0, 24) for an outdoor cell. A coordinate within REALM_EDGE_SNAP of a landblock's edge
// becomes that edge and belongs to the landblock that begins there.
#pragma once

#include "realm_engine.h"

enum {
    REALM_UNIT = 65536,                         ///< raw bits
    REALM_BLOCK_RAW = REALM_BLOCK_SIZE * 65536, ///< a landblock's side
    REALM_CELL_RAW = REALM_CELL_SIZE * 65536,   ///< an outdoor cell's side
    REALM_EDGE_SNAP = 13,                       ///< raw: 0.0002 units
    REALM_Z_MAX = 1024 * 65536,                 ///< raw: nothing is higher, nothing lower than its negative
    REALM_CELLS_ACROSS = 8,                     ///< outdoor cells along one side of a landblock
    REALM_LAND_CELLS = REALM_WORLD_MAX * 8,     ///< outdoor cells along one side of the largest land
};

/// A way, or a direction.
typedef struct RealmVector {
    tp_fx x, y, z;
} RealmVector;

static inline uint32_t realm_prefix_x(uint16_t prefix)
{
    return (uint32_t)prefix >> 8;
}
static inline uint32_t realm_prefix_y(uint16_t prefix)
{
    return (uint32_t)prefix & 255;
}
/// Landblock at (x, y), both below 256.
static inline uint16_t realm_prefix_at(uint32_t x, uint32_t y)
{
    return (uint16_t)(x << 8 | y);
}
static inline bool realm_prefix_is_inside(uint16_t prefix)
{
    return realm_prefix_x(prefix) < REALM_WORLD_MAX && realm_prefix_y(prefix) < REALM_WORLD_MAX;
}

/// Number of the outdoor cell at (x, y) of a landblock, or of the land: 1 + 8 * (x & 7) + (y & 7).
static inline uint32_t realm_outdoor_number(uint32_t x, uint32_t y)
{
    return 1 + REALM_CELLS_ACROSS * (x & 7) + (y & 7);
}
static inline bool realm_is_outdoor(uint32_t cell)
{
    return (cell & 0xFFFF) >= 1 && (cell & 0xFFFF) <= REALM_OUTDOOR_CELLS;
}
static inline bool realm_is_indoor(uint32_t cell)
{
    return (cell & 0xFFFF) >= REALM_INDOOR_FIRST && (cell & 0xFFFF) < REALM_INDOOR_FIRST + REALM_INDOOR_MAX;
}

/// Id of the outdoor cell at (x, y) of the land, counted in cells; 0 outside of it.
uint32_t realm_place_cell(int64_t x, int64_t y);
/// The cell of an outdoor id, counted in cells of the land. False: not the id of an outdoor cell of the land.
bool realm_place_cell_xy(uint32_t cell, uint32_t *x, uint32_t *y);

/// Which landblock, counted from the one that `coordinate` (raw) is local to, and where in it (0 to REALM_BLOCK_RAW - 1). The one
/// conversion: everything that asks in which landblock something is comes here.
int64_t realm_place_block(int64_t coordinate, int32_t *local);

/// The place at (x, y, z), raw and local to landblock `prefix`: with its own landblock, and the outdoor cell as the hint. z outside of REALM_Z_MAX
/// becomes the limit. False, and `*place` as it was: outside of the 255 x 255. |x| and |y| up to 2^40.
bool realm_place_at(uint16_t prefix, int64_t x, int64_t y, int64_t z, RealmPlace *place);
/// `from`, moved. False past the edge of the 255 x 255; `*to` is then as it was. A smaller land is the caller's to check.
bool realm_place_move(RealmPlace from, RealmVector delta, RealmPlace *to);
/// The way from `from` to `to`. False when a part is longer than 32767 units (landblocks up to 169 apart always fit): it is then the
/// longest that fits.
bool realm_place_difference(RealmPlace from, RealmPlace to, RealmVector *difference);
/// Squared length in whole units of the way: for choosing what is nearest; never overflows.
int64_t realm_place_distance2(RealmPlace from, RealmPlace to);
