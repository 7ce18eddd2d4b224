// realm_place.c: ids and coordinates.
#include "realm_place.h"

uint32_t realm_place_cell(int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= REALM_LAND_CELLS || y >= REALM_LAND_CELLS) {
        return 0;
    }
    uint16_t prefix = realm_prefix_at((uint32_t)x >> 3, (uint32_t)y >> 3);
    return (uint32_t)prefix << 16 | realm_outdoor_number((uint32_t)x, (uint32_t)y);
}

bool realm_place_cell_xy(uint32_t cell, uint32_t *x, uint32_t *y)
{
    uint16_t prefix = realm_prefix(cell);
    if (!realm_is_outdoor(cell) || !realm_prefix_is_inside(prefix)) {
        return false;
    }
    uint32_t number = (cell & 0xFFFF) - 1;
    *x = realm_prefix_x(prefix) * REALM_CELLS_ACROSS + number / REALM_CELLS_ACROSS;
    *y = realm_prefix_y(prefix) * REALM_CELLS_ACROSS + number % REALM_CELLS_ACROSS;
    return true;
}

int64_t realm_place_block(int64_t coordinate, int32_t *local)
{
    // An edge is the first coordinate of the landblock above it, so that a coordinate just below it goes up; one just above it goes
    // down onto it.
    int64_t block = tp_div_floor_i64(coordinate + REALM_EDGE_SNAP, REALM_BLOCK_RAW);
    int64_t rest = coordinate - block * REALM_BLOCK_RAW;
    *local = rest <= REALM_EDGE_SNAP ? 0 : (int32_t)rest;
    return block;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

bool realm_place_at(uint16_t prefix, int64_t x, int64_t y, int64_t z, RealmPlace *place)
{
    int32_t local_x, local_y;
    int64_t block_x = realm_place_block(x, &local_x) + realm_prefix_x(prefix);
    int64_t block_y = realm_place_block(y, &local_y) + realm_prefix_y(prefix);
    if (block_x < 0 || block_y < 0 || block_x >= REALM_WORLD_MAX || block_y >= REALM_WORLD_MAX) {
        return false;
    }
    uint16_t here = realm_prefix_at((uint32_t)block_x, (uint32_t)block_y);
    uint32_t number = realm_outdoor_number((uint32_t)(local_x / REALM_CELL_RAW), (uint32_t)(local_y / REALM_CELL_RAW));
    *place = (RealmPlace){ (uint32_t)here << 16 | number, { local_x }, { local_y },
                           { (int32_t)clamp(z, -REALM_Z_MAX, REALM_Z_MAX) } };
    return true;
}

bool realm_place_move(RealmPlace from, RealmVector delta, RealmPlace *to)
{
    return realm_place_at(realm_prefix(from.cell), (int64_t)from.x.raw + delta.x.raw, (int64_t)from.y.raw + delta.y.raw,
                          (int64_t)from.z.raw + delta.z.raw, to);
}

// Raw bits from `from` to `to`; below 2^33, since there are 256 landblocks at most.
static void difference_of(RealmPlace from, RealmPlace to, int64_t out[3])
{
    uint16_t a = realm_prefix(from.cell);
    uint16_t b = realm_prefix(to.cell);
    out[0] = ((int64_t)realm_prefix_x(b) - realm_prefix_x(a)) * REALM_BLOCK_RAW + to.x.raw - from.x.raw;
    out[1] = ((int64_t)realm_prefix_y(b) - realm_prefix_y(a)) * REALM_BLOCK_RAW + to.y.raw - from.y.raw;
    out[2] = (int64_t)to.z.raw - from.z.raw;
}

bool realm_place_difference(RealmPlace from, RealmPlace to, RealmVector *difference)
{
    int64_t way[3], fitting[3];
    difference_of(from, to, way);
    for (int i = 0; i < 3; i++) {
        // Not INT32_MIN: the way back must fit as well.
        fitting[i] = clamp(way[i], -INT32_MAX, INT32_MAX);
    }
    *difference = (RealmVector){ { (int32_t)fitting[0] }, { (int32_t)fitting[1] }, { (int32_t)fitting[2] } };
    return way[0] == fitting[0] && way[1] == fitting[1] && way[2] == fitting[2];
}

int64_t realm_place_distance2(RealmPlace from, RealmPlace to)
{
    int64_t way[3];
    difference_of(from, to, way);
    int64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        int64_t units = way[i] / REALM_UNIT;
        sum += units * units;
    }
    return sum;
}
