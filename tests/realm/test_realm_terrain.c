// The ground: how cells are split, heights, seams, normals.
#include <criterion/criterion.h>

#include "realm_terrain.h"
#include "tickproof/rng.h"

enum { BLOCK = REALM_BLOCK_RAW, CELL = REALM_CELL_RAW };

static void fill(uint8_t heights[REALM_HEIGHTS], uint64_t seed)
{
    tp_pcg32 rng = tp_pcg32_make(seed, 1);
    for (int i = 0; i < REALM_HEIGHTS; i++) {
        heights[i] = (uint8_t)tp_pcg32_next(&rng);
    }
}

// Goal: the published checks of the formula in use; the other one in the original gives others.
Test(realm_terrain, split_hash)
{
    cr_assert_eq(realm_terrain_hash(0, 0), UINT32_C(2925818075));
    cr_assert_eq(realm_terrain_hash(1, 0), UINT32_C(1816694046));
    cr_assert_eq(realm_terrain_hash(0, 1), UINT32_C(444544610));
    cr_assert_eq(realm_terrain_hash(1, 1), UINT32_C(3845001944));
    cr_assert_not(realm_terrain_is_split_sideways(0, 0));
    cr_assert(realm_terrain_is_split_sideways(1, 0));
    cr_assert(realm_terrain_is_split_sideways(0, 1));
    cr_assert_not(realm_terrain_is_split_sideways(1, 1));
}

// Goal: the limit is 2147483681 and not the top bit. Cells whose hash lies between the two exist: find them all in the land.
Test(realm_terrain, split_limit_is_not_the_top_bit)
{
    uint32_t between = 0, sideways = 0;
    for (uint32_t x = 0; x < REALM_LAND_CELLS; x++) {
        for (uint32_t y = 0; y < REALM_LAND_CELLS; y++) {
            uint32_t hash = realm_terrain_hash(x, y);
            sideways += realm_terrain_is_split_sideways(x, y);
            if (hash >= UINT32_C(0x80000000) && hash <= UINT32_C(2147483681)) {
                between++;
                cr_assert(realm_terrain_is_split_sideways(x, y));
            }
        }
    }
    cr_log_info("%u cells between, %u sideways", between, sideways);
    cr_assert_gt(sideways, 2040u * 2040 * 49 / 100);
    cr_assert_lt(sideways, 2040u * 2040 * 51 / 100);
}

Test(realm_terrain, table_of_heights_rises)
{
    cr_assert_eq(realm_height_table[0], 0);
    for (int i = 1; i < 256; i++) {
        cr_assert_gt(realm_height_table[i], realm_height_table[i - 1]);
    }
    cr_assert_lt(realm_height_table[255], 1024);
}

Test(realm_terrain, vertices_are_exact)
{
    uint8_t heights[REALM_HEIGHTS];
    fill(heights, 3);
    for (uint32_t x = 0; x < 9; x++) {
        for (uint32_t y = 0; y < 9; y++) {
            RealmSlope slope = realm_terrain_slope(heights, 0x2345, (int64_t)x * CELL, (int64_t)y * CELL);
            cr_assert_eq(realm_slope_height(slope).raw, realm_height_table[heights[x * 9 + y]] * 65536, "vertex %u, %u", x, y);
        }
    }
}

// Height of a point of a cell by weights of the three corners of its triangle, with the corners in an order of their own.
static int64_t height24_by_corners(const uint8_t heights[REALM_HEIGHTS], uint16_t prefix, int64_t x, int64_t y)
{
    uint32_t cx = (uint32_t)(x / CELL), cy = (uint32_t)(y / CELL);
    int64_t  u = x % CELL, v = y % CELL;
    int64_t  h00 = realm_terrain_vertex(heights, cx, cy), h10 = realm_terrain_vertex(heights, cx + 1, cy);
    int64_t  h01 = realm_terrain_vertex(heights, cx, cy + 1), h11 = realm_terrain_vertex(heights, cx + 1, cy + 1);
    int64_t  w00, w10, w01, w11;
    if (realm_terrain_is_split_sideways(realm_prefix_x(prefix) * 8 + cx, realm_prefix_y(prefix) * 8 + cy)) {
        if (u + v <= CELL) {
            w00 = CELL - u - v, w10 = u, w01 = v, w11 = 0;
        } else {
            w00 = 0, w10 = CELL - v, w01 = CELL - u, w11 = u + v - CELL;
        }
    } else if (u >= v) {
        w00 = CELL - u, w10 = u - v, w01 = 0, w11 = v;
    } else {
        w00 = CELL - v, w10 = 0, w01 = v - u, w11 = u;
    }
    return w00 * h00 + w10 * h10 + w01 * h01 + w11 * h11; // CELL is 24 units, so this is 24 times the raw height
}

Test(realm_terrain, heights_equal_weighted_corners)
{
    tp_pcg32 rng = tp_pcg32_make(5, 1);
    for (int i = 0; i < 200000; i++) {
        uint8_t heights[REALM_HEIGHTS];
        fill(heights, tp_pcg32_next(&rng));
        uint32_t   block_x = tp_pcg32_below(&rng, 255);
        uint16_t   prefix = realm_prefix_at(block_x, tp_pcg32_below(&rng, 255));
        int64_t    x = tp_pcg32_below(&rng, BLOCK);
        int64_t    y = tp_pcg32_below(&rng, BLOCK);
        RealmSlope slope = realm_terrain_slope(heights, prefix, x, y);
        cr_assert_eq(slope.height24, height24_by_corners(heights, prefix, x, y), "at %lld, %lld", (long long)x, (long long)y);
    }
}

// Goal: along every edge of a cell and both diagonals a bit to either side changes the height by no more than the slopes allow.
Test(realm_terrain, ground_is_continuous)
{
    uint8_t heights[REALM_HEIGHTS];
    fill(heights, 9);
    for (int64_t line = 1; line < 8; line++) {
        for (int64_t along = 7; along < BLOCK; along += 65521) {
            for (int turn = 0; turn < 2; turn++) {
                int64_t    x = turn ? along : line * CELL, y = turn ? line * CELL : along;
                RealmSlope on = realm_terrain_slope(heights, 0x0102, x, y);
                RealmSlope before = realm_terrain_slope(heights, 0x0102, x - !turn, y - turn);
                int64_t    step = on.height24 - before.height24;
                cr_assert(step <= 508 && step >= -508, "a step of %lld at %lld, %lld", (long long)step, (long long)x, (long long)y);
            }
        }
    }
}

// Goal: two landblocks that have the same vertices on their seam have the same height on all of it, to the bit; each by its own copy.
Test(realm_terrain, seams_meet)
{
    uint8_t left[REALM_HEIGHTS], right[REALM_HEIGHTS];
    fill(left, 21);
    fill(right, 22);
    for (int i = 0; i < 9; i++) {
        right[0 * 9 + i] = left[8 * 9 + i];
    }
    for (int64_t along = 0; along <= BLOCK; along += 4099) {
        tp_fx a = realm_slope_height(realm_terrain_slope(left, 0x1010, BLOCK, along));
        tp_fx b = realm_slope_height(realm_terrain_slope(right, 0x1110, 0, along));
        cr_assert_eq(a.raw, b.raw, "at %lld", (long long)along);
    }
    right[4] = (uint8_t)(right[4] + 1); // the check can fail
    cr_assert_neq(realm_slope_height(realm_terrain_slope(left, 0x1010, BLOCK, 4 * CELL)).raw,
                  realm_slope_height(realm_terrain_slope(right, 0x1110, 0, 4 * CELL)).raw);
}

// Goal: exact on both sides of the limit, and the same for every mirror image.
Test(realm_terrain, walkable_and_normals_are_mirrored)
{
    uint32_t walkable = 0;
    for (int32_t x = 0; x < 64; x++) {
        for (int32_t y = 0; y < 64; y++) {
            RealmVector first = realm_slope_normal((RealmSlope){ 0, x, y });
            bool        is_walkable = realm_slope_is_walkable((RealmSlope){ 0, x, y });
            walkable += is_walkable;
            cr_assert_eq(is_walkable, first.z.raw >= REALM_WALKABLE_Z);
            for (int mirror = 1; mirror < 4; mirror++) {
                int32_t     sign_x = (mirror & 1) != 0 ? -1 : 1, sign_y = (mirror & 2) != 0 ? -1 : 1;
                RealmSlope  slope = { 0, sign_x * x, sign_y * y };
                RealmVector normal = realm_slope_normal(slope);
                cr_assert(normal.x.raw == sign_x * first.x.raw && normal.y.raw == sign_y * first.y.raw && normal.z.raw == first.z.raw);
                cr_assert_eq(realm_slope_is_walkable(slope), is_walkable);
            }
        }
    }
    cr_assert(realm_slope_is_walkable((RealmSlope){ 0, 27, 0 }), "27 units over 24 is the steepest along an axis");
    cr_assert_not(realm_slope_is_walkable((RealmSlope){ 0, 28, 0 }));
    cr_assert_eq(walkable, 600, "slopes in the quarter circle of that radius: %u", walkable);
}

Test(realm_terrain, normals_have_length_1)
{
    for (int32_t x = -508; x <= 508; x += 7) {
        for (int32_t y = -508; y <= 508; y += 11) {
            RealmVector n = realm_slope_normal((RealmSlope){ 0, x, y });
            int64_t     length2 = (int64_t)n.x.raw * n.x.raw + (int64_t)n.y.raw * n.y.raw + (int64_t)n.z.raw * n.z.raw;
            cr_assert(length2 <= INT64_C(65536) * 65536 && length2 >= INT64_C(65532) * 65532, "%d, %d", x, y);
        }
    }
}

Test(realm_terrain, water)
{
    cr_assert_eq(realm_water_depth(REALM_WATER_FULL).raw, 58982);
    cr_assert_eq(realm_water_depth(REALM_WATER_PARTIAL).raw, 29491);
    cr_assert_eq(realm_water_depth(REALM_WATER_NONE).raw, 6554);
}
