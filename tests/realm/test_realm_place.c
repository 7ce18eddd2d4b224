// Ids of cells, and the one conversion between coordinates and landblocks: every edge to the bit.
#include <criterion/criterion.h>

#include "realm_place.h"
#include "tickproof/rng.h"

enum { BLOCK = REALM_BLOCK_RAW, CELL = REALM_CELL_RAW };

static RealmPlace at(uint32_t block_x, uint32_t block_y, int32_t x, int32_t y)
{
    return (RealmPlace){ realm_block_id(realm_prefix_at(block_x, block_y)), { x }, { y }, { 0 } };
}

// Goal: the published examples.
Test(realm_place, ids_of_cells)
{
    cr_assert_eq(realm_place_cell(0, 0), 0x00000001);
    cr_assert_eq(realm_place_cell(7, 7), 0x00000040);
    cr_assert_eq(realm_place_cell(8, 0), 0x01000001);
    cr_assert_eq(realm_place_cell(0, 8), 0x00010001);
    cr_assert_eq(realm_place_cell(2039, 2039), 0xFEFE0040);
}

Test(realm_place, outside_of_the_land_is_id_0)
{
    const int64_t outside[][2] = { { -1, 0 }, { 0, -1 }, { 2040, 0 }, { 0, 2040 }, { INT64_MIN, 5 }, { 5, INT64_MAX } };
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        cr_assert_eq(realm_place_cell(outside[i][0], outside[i][1]), 0, "row %zu", i);
    }
}

Test(realm_place, every_outdoor_id_leads_back)
{
    for (uint32_t x = 0; x < REALM_LAND_CELLS; x++) {
        for (uint32_t y = 0; y < REALM_LAND_CELLS; y++) {
            uint32_t back_x, back_y;
            uint32_t cell = realm_place_cell(x, y);
            cr_assert(realm_is_outdoor(cell) && !realm_is_indoor(cell));
            cr_assert(realm_place_cell_xy(cell, &back_x, &back_y) && back_x == x && back_y == y, "cell %08x", cell);
        }
    }
}

Test(realm_place, what_is_no_outdoor_cell_has_no_place)
{
    const uint32_t none[] = { 0, 0x00000041, 0x00000100, 0x0000013F, 0x0000FFFE, 0x0000FFFF, 0xFF000001, 0x00FF0001, 0xFFFF0040 };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        uint32_t x = 7, y = 7;
        cr_assert_not(realm_place_cell_xy(none[i], &x, &y), "%08x", none[i]);
    }
    cr_assert(realm_is_indoor(0x12340100) && realm_is_indoor(0x1234013F));
    cr_assert_not(realm_is_indoor(0x12340140));
    cr_assert_not(realm_is_indoor(0x1234FFFF));
}

// Goal: half-open edges, floor and not truncation, and the snap of 0.0002 on both sides.
Test(realm_place, edges_of_landblocks)
{
    static const struct {
        int64_t coordinate, block;
        int32_t local;
    } rows[] = {
        { 0, 0, 0 }, { 13, 0, 0 }, { 14, 0, 14 }, { -13, 0, 0 }, { -14, -1, BLOCK - 14 }, { -1, 0, 0 },
        { CELL - 1, 0, CELL - 1 }, { CELL, 0, CELL }, { BLOCK - 14, 0, BLOCK - 14 }, { BLOCK - 13, 1, 0 }, { BLOCK - 1, 1, 0 },
        { BLOCK, 1, 0 }, { BLOCK + 13, 1, 0 }, { BLOCK + 14, 1, 14 }, { 2 * (int64_t)BLOCK - 13, 2, 0 }, { -BLOCK, -1, 0 },
        { -BLOCK - 13, -1, 0 }, { -BLOCK - 14, -2, BLOCK - 14 }, { -BLOCK + 14, -1, 14 }, { 254 * (int64_t)BLOCK + 5 * CELL, 254, 5 * CELL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int32_t local = -1;
        int64_t block = realm_place_block(rows[i].coordinate, &local);
        cr_assert(block == rows[i].block && local == rows[i].local, "%lld: block %lld, local %d", (long long)rows[i].coordinate,
                  (long long)block, local);
    }
}

// Goal: only cells' edges inside a landblock are exact; no snap moves something into the next cell.
Test(realm_place, edges_of_cells)
{
    RealmPlace place;
    cr_assert(realm_place_at(0x1010, CELL - 1, 2 * CELL, 0, &place));
    cr_assert_eq(place.cell, 0x10100000u + 1 + 0 * 8 + 2);
    cr_assert(realm_place_at(0x1010, CELL, 2 * CELL - 1, 0, &place));
    cr_assert_eq(place.cell, 0x10100000u + 1 + 1 * 8 + 1);
    cr_assert(realm_place_at(0x1010, -14, BLOCK, 0, &place));
    cr_assert_eq(place.cell, 0x0F110000u + 1 + 7 * 8 + 0);
    cr_assert_eq(place.x.raw, BLOCK - 14);
    cr_assert_eq(place.y.raw, 0);
}

Test(realm_place, nothing_leaves_the_world)
{
    RealmPlace place = at(3, 4, 5, 6);
    RealmPlace kept = place;
    cr_assert_not(realm_place_at(realm_prefix_at(0, 7), -14, 0, 0, &place));
    cr_assert_not(realm_place_at(realm_prefix_at(7, 0), 0, -14, 0, &place));
    cr_assert_not(realm_place_at(realm_prefix_at(254, 7), BLOCK - 13, 0, 0, &place));
    cr_assert_not(realm_place_at(realm_prefix_at(7, 254), 0, BLOCK, 0, &place));
    cr_assert_not(realm_place_at(realm_prefix_at(255, 0), 5 * CELL, 5 * CELL, 0, &place), "255 is outside");
    cr_assert_eq(memcmp(&place, &kept, sizeof(place)), 0, "a refusal changes nothing");
    cr_assert(realm_place_at(realm_prefix_at(0, 0), -13, -13, 0, &place), "within the snap of the edge it is on it");
    cr_assert(realm_place_at(realm_prefix_at(254, 254), BLOCK - 14, BLOCK - 14, 0, &place));
    cr_assert_eq(place.cell, 0xFEFE0040);
}

Test(realm_place, height_is_kept_in_its_limits)
{
    RealmPlace place;
    cr_assert(realm_place_at(0, 0, 0, INT64_C(1) << 40, &place));
    cr_assert_eq(place.z.raw, REALM_Z_MAX);
    cr_assert(realm_place_at(0, 0, 0, -REALM_Z_MAX - 1, &place));
    cr_assert_eq(place.z.raw, -REALM_Z_MAX);
}

// Goal: a move and the way back, over many landblocks, come to the same place; the way between is what was moved.
Test(realm_place, moves_and_ways_agree)
{
    tp_pcg32 rng = tp_pcg32_make(11, 1);
    for (int i = 0; i < 20000; i++) {
        RealmPlace from, to, back;
        int64_t    x = 20 + (int64_t)tp_pcg32_below(&rng, BLOCK - 40);
        int64_t    y = 20 + (int64_t)tp_pcg32_below(&rng, BLOCK - 40);
        cr_assert(realm_place_at(realm_prefix_at(127, 127), x, y, 0, &from));
        RealmVector delta = { { (int32_t)tp_pcg32_next(&rng) / 2 }, { 0 }, { 1000 } };
        delta.y.raw = (int32_t)tp_pcg32_next(&rng) / 2;
        if (!realm_place_move(from, delta, &to)) {
            continue;
        }
        RealmVector way;
        cr_assert(realm_place_difference(from, to, &way));
        cr_assert(way.x.raw - delta.x.raw <= 13 && way.x.raw - delta.x.raw >= -13 && way.z.raw == 1000);
        cr_assert(realm_place_move(to, (RealmVector){ { -way.x.raw }, { -way.y.raw }, { -way.z.raw } }, &back));
        cr_assert(back.cell == from.cell && back.x.raw == from.x.raw && back.y.raw == from.y.raw && back.z.raw == from.z.raw);
    }
}

Test(realm_place, ways_that_do_not_fit_say_so)
{
    RealmVector way, back;
    cr_assert(realm_place_difference(at(0, 0, 0, 0), at(169, 0, BLOCK - 14, 0), &way));
    cr_assert_eq(way.x.raw, 169 * BLOCK + BLOCK - 14);
    cr_assert_not(realm_place_difference(at(0, 0, 0, 0), at(171, 3, 0, 0), &way));
    cr_assert_not(realm_place_difference(at(171, 3, 0, 0), at(0, 0, 0, 0), &back));
    cr_assert(way.x.raw == INT32_MAX && back.x.raw == -INT32_MAX && way.y.raw == 3 * BLOCK && back.y.raw == -3 * BLOCK);
}

Test(realm_place, distance_is_in_whole_units_and_never_overflows)
{
    cr_assert_eq(realm_place_distance2(at(1, 1, 0, 0), at(1, 1, 3 * 65536 + 40000, 4 * 65536)), 25);
    cr_assert_eq(realm_place_distance2(at(0, 0, 0, 0), at(254, 254, 0, 0)), INT64_C(2) * 254 * 192 * 254 * 192);
}
