// realm_terrain.c: heights, triangles and normals.
#include "realm_terrain.h"

const uint16_t realm_height_table[256] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
    80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
    96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
    112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
    128, 130, 132, 134, 136, 138, 140, 142, 144, 146, 148, 150, 152, 154, 156, 158,
    160, 162, 164, 166, 168, 170, 172, 174, 176, 178, 180, 182, 184, 186, 188, 190,
    192, 194, 196, 198, 200, 202, 204, 206, 208, 210, 212, 214, 216, 218, 220, 222,
    224, 226, 228, 230, 232, 234, 236, 238, 240, 242, 244, 246, 248, 250, 252, 254,
    256, 260, 264, 268, 272, 276, 280, 284, 288, 292, 296, 300, 304, 308, 312, 316,
    320, 324, 328, 332, 336, 340, 344, 348, 352, 356, 360, 364, 368, 372, 376, 380,
    384, 388, 392, 396, 400, 404, 408, 412, 416, 420, 424, 428, 432, 436, 440, 444,
    448, 452, 456, 460, 464, 468, 472, 476, 480, 484, 488, 492, 496, 500, 504, 508,
};

// Cell that the coordinate lies in; the far edge of the landblock belongs to its last cell here, since its vertices are this leaf's own.
static uint32_t cell_of(int64_t coordinate)
{
    int64_t cell = coordinate / REALM_CELL_RAW;
    return cell < 0 ? 0 : cell >= REALM_CELLS_ACROSS ? REALM_CELLS_ACROSS - 1 : (uint32_t)cell;
}

// Heights are at most 508 units and u, v at most 24 units: every product below is under 2^31.
RealmSlope realm_terrain_slope(const uint8_t heights[REALM_HEIGHTS], uint16_t prefix, int64_t x, int64_t y)
{
    uint32_t cell_x = cell_of(x);
    uint32_t cell_y = cell_of(y);
    int64_t u = x - (int64_t)cell_x * REALM_CELL_RAW;
    int64_t v = y - (int64_t)cell_y * REALM_CELL_RAW;
    int32_t origin = realm_terrain_vertex(heights, cell_x, cell_y);
    int32_t at_x = realm_terrain_vertex(heights, cell_x + 1, cell_y);
    int32_t at_y = realm_terrain_vertex(heights, cell_x, cell_y + 1);
    int32_t far = realm_terrain_vertex(heights, cell_x + 1, cell_y + 1);
    RealmSlope slope;
    int64_t height; // of the plane at the cell's origin
    if (realm_terrain_is_split_sideways(realm_prefix_x(prefix) * REALM_CELLS_ACROSS + cell_x,
                                        realm_prefix_y(prefix) * REALM_CELLS_ACROSS + cell_y)) {
        bool is_near = u + v <= REALM_CELL_RAW;
        slope.rise_x = is_near ? at_x - origin : far - at_y;
        slope.rise_y = is_near ? at_y - origin : far - at_x;
        height = is_near ? origin : (int64_t)at_x + at_y - far;
    } else {
        slope.rise_x = u >= v ? at_x - origin : far - at_y;
        slope.rise_y = u >= v ? far - at_x : at_y - origin;
        height = origin;
    }
    slope.height24 = height * REALM_UNIT * 24 + slope.rise_x * u + slope.rise_y * v;
    return slope;
}

// The normal is (-rise_x, -rise_y, 24) before it is made as long as 1.
static int64_t length2_of(RealmSlope slope)
{
    return (int64_t)slope.rise_x * slope.rise_x + (int64_t)slope.rise_y * slope.rise_y + 24 * 24;
}

// part / sqrt(length2), toward zero: the floor of the root of the quotient's square.
static tp_fx normal_part(int64_t part, int64_t length2)
{
    uint64_t square = (uint64_t)(part * part) << 32;
    int32_t size = (int32_t)tp_isqrt_u64(square / (uint64_t)length2);
    return (tp_fx){ part < 0 ? -size : size };
}

RealmVector realm_slope_normal(RealmSlope slope)
{
    int64_t length2 = length2_of(slope);
    return (RealmVector){ normal_part(-(int64_t)slope.rise_x, length2), normal_part(-(int64_t)slope.rise_y, length2),
                          normal_part(24, length2) };
}

bool realm_slope_is_walkable(RealmSlope slope)
{
    const int64_t up = INT64_C(24) * REALM_UNIT;
    return up * up >= (int64_t)REALM_WALKABLE_Z * REALM_WALKABLE_Z * length2_of(slope);
}

tp_fx realm_water_depth(uint8_t water)
{
    return (tp_fx){ water == REALM_WATER_FULL ? REALM_WATER_DEPTH_FULL : water == REALM_WATER_PARTIAL ? REALM_WATER_DEPTH_PARTIAL
                                                                                                        : REALM_WATER_DEPTH_NONE };
}
