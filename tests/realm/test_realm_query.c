// What is where, and what a moving sphere meets: against walks that look at every one of the 65536 steps of a path, and asks everybody.
#include <criterion/criterion.h>

#include <string.h>

#include "realm_land.h"
#include "realm_query.h"
#include "realm_solid.h"
#include "tickproof/rng.h"

enum { BLOCK = REALM_BLOCK_RAW, U = REALM_UNIT, OWNERS_MAX = 400 };

static int64_t draw(tp_pcg32 *rng, int64_t below)
{
    return tp_pcg32_below(rng, (uint32_t)below);
}

static int64_t draw_around(tp_pcg32 *rng, int64_t size)
{
    return draw(rng, 2 * size + 1) - size;
}

// One draw after another: C leaves the order of arguments open.
static RealmVector draw_vector(tp_pcg32 *rng, int64_t x, int64_t y, int64_t z)
{
    int64_t part_x = draw_around(rng, x);
    int64_t part_y = draw_around(rng, y);
    int64_t part_z = draw_around(rng, z);
    return (RealmVector){ { (int32_t)part_x }, { (int32_t)part_y }, { (int32_t)part_z } };
}

// Raw coordinates local to the middle landblock, from `least` on, below `least + size`.
static RealmPlace draw_place(tp_pcg32 *rng, int64_t least, int64_t size, int64_t z, int64_t height)
{
    int64_t x = least + draw(rng, size);
    int64_t y = least + draw(rng, size);
    return land_place(10, 10, x, y, z + draw(rng, height));
}

static uint32_t put(Rig *rig, uint16_t setup, uint8_t turn, RealmPlace place)
{
    RealmOwnerContent content = { .id = rig->steps++, .setup = setup, .turn = turn, .place = place };
    RealmOwnerHandle  owner;
    cr_assert_eq(realm_owner_register(&rig->engine, &content, &owner), REALM_DONE, "%s", rig->engine.reason);
    return owner.index + 1;
}

static RealmVector vector(int64_t x, int64_t y, int64_t z)
{
    return (RealmVector){ { (int32_t)x }, { (int32_t)y }, { (int32_t)z } };
}

static RealmHit sweep_of(const Rig *rig, RealmPlace place, RealmVector delta, int32_t radius)
{
    RealmSweep sweep = { .place = place, .delta = delta, .radius = { radius } };
    return realm_query_sweep(&rig->engine, REALM_ACTIVE, &sweep);
}

static void load_around(Rig *rig)
{
    land_open(rig);
    for (uint32_t x = 9; x <= 11; x++) {
        for (uint32_t y = 9; y <= 11; y++) {
            land_leaf(rig, x, y);
        }
    }
}

// ---- Shapes ----

// Goal: exact: three whole sides of a right triangle touch and do not overlap; one bit nearer they do.
Test(realm_query, shapes_touch_to_the_bit)
{
    const RealmPart rod = { REALM_SHAPE_CYLINDER, 0, 0, 0, 700000, 100, 0 };
    RealmSolid      solid = realm_part_solid(&rod, 0, 0, 0, 0);
    const int64_t   rim[3] = { 700000 + 300000, 0, 100 + 400000 };
    cr_assert_not(realm_solid_overlaps(&solid, rim, 500000));
    cr_assert(realm_solid_overlaps(&solid, rim, 500001));
    const int64_t beside[3] = { 0, 1200000, 50 };
    cr_assert_not(realm_solid_overlaps(&solid, beside, 500000));
    cr_assert(realm_solid_overlaps(&solid, beside, 500001));
    const RealmPart box = { REALM_SHAPE_BOX, -10, -10, -10, 10, 10, 10 };
    solid = realm_part_solid(&box, 0, 0, 0, 0);
    const int64_t corner[3] = { 10 + 200000, 10 + 300000, -10 - 600000 };
    cr_assert_not(realm_solid_overlaps(&solid, corner, 700000));
    cr_assert(realm_solid_overlaps(&solid, corner, 700001));
    const RealmPart ball = { REALM_SHAPE_SPHERE, 0, 0, 0, 300000, 0, 0 };
    solid = realm_part_solid(&ball, 0, 0, 0, 0);
    const int64_t far[3] = { 200000, 300000, 600000 };
    cr_assert_not(realm_solid_overlaps(&solid, far, 400000));
    cr_assert(realm_solid_overlaps(&solid, far, 400001));
}

static RealmSolid random_solid(tp_pcg32 *rng)
{
    RealmPart part = { .shape = (int32_t)draw(rng, 3) };
    part.x = (int32_t)draw_around(rng, 3 * U);
    part.y = (int32_t)draw_around(rng, 3 * U);
    part.z = (int32_t)draw_around(rng, 3 * U);
    part.a = 1 + (int32_t)draw(rng, 4 * U);
    part.b = 1 + (int32_t)draw(rng, 4 * U);
    if (part.shape == REALM_SHAPE_BOX) {
        part.a += part.x;
        part.b += part.y;
        part.c = part.z + 1 + (int32_t)draw(rng, 4 * U);
    }
    return realm_part_solid(&part, (uint8_t)draw(rng, 4), 0, 0, 0);
}

// By Newton's steps, so that no library is needed.
static long double root(long double value)
{
    long double guess = value > 1 ? value : 1;
    for (int i = 0; i < 200; i++) {
        guess = (guess + value / guess) / 2;
    }
    return guess;
}

// In floating point, by the nearest point.
static long double distance_to(const RealmSolid *solid, const int64_t centre[3])
{
    long double away[3];
    for (int i = 0; i < 3; i++) {
        int64_t near = centre[i] < solid->low[i] ? solid->low[i] : centre[i] > solid->high[i] ? solid->high[i] : centre[i];
        away[i] = (long double)(centre[i] - near);
    }
    if (solid->shape != REALM_SHAPE_BOX) {
        long double x = (long double)(centre[0] - solid->centre[0]), y = (long double)(centre[1] - solid->centre[1]);
        long double z = solid->shape == REALM_SHAPE_SPHERE ? (long double)(centre[2] - solid->centre[2]) : 0;
        long double whole = root(x * x + y * y + z * z) - (long double)solid->radius;
        whole = whole < 0 ? 0 : whole;
        return solid->shape == REALM_SHAPE_SPHERE ? whole : root(whole * whole + away[2] * away[2]);
    }
    return root(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
}

Test(realm_query, overlap_is_distance_below_radius)
{
    tp_pcg32 rng = tp_pcg32_make(4, 1);
    uint32_t inside = 0;
    for (int i = 0; i < 300000; i++) {
        RealmSolid  solid = random_solid(&rng);
        RealmVector at = draw_vector(&rng, 8 * U, 8 * U, 8 * U);
        int64_t     centre[3] = { at.x.raw, at.y.raw, at.z.raw };
        long double distance = distance_to(&solid, centre);
        int64_t     radius = i % 2 == 0 ? 1 + draw(&rng, 4 * U) : (int64_t)distance + draw(&rng, 2);
        if (radius > 0 && (distance - (long double)radius > 1e-6L || distance - (long double)radius < -1e-6L)) {
            cr_assert_eq(realm_solid_overlaps(&solid, centre, radius), distance < (long double)radius, "shape %d", solid.shape);
            inside += distance < (long double)radius;
        }
    }
    cr_assert_gt(inside, 50000);
}

// Goal: the step that a sweep finds is the last before the first overlap of a walk that looks at every step.
Test(realm_query, sweep_of_one_shape_equals_every_step)
{
    tp_pcg32 rng = tp_pcg32_make(6, 1);
    uint32_t hits = 0, grazes = 0;
    for (int i = 0; i < 1500; i++) {
        RealmSolid solid = random_solid(&rng);
        RealmPath  path;
        int64_t    centre[3], radius = 1 + draw(&rng, U);
        for (int axis = 0; axis < 3; axis++) {
            path.start[axis] = draw_around(&rng, 8 * U);
            path.delta[axis] = draw(&rng, 4) == 0 ? 0 : draw(&rng, 3) == 0 ? draw_around(&rng, 24 * U) : -path.start[axis] * 2;
        }
        if (realm_solid_overlaps(&solid, path.start, radius)) {
            continue;
        }
        int32_t first = 0, found = -1;
        bool    is_hit = realm_solid_sweep(&solid, &path, radius, 0, REALM_PATH_END, &found);
        while (first <= REALM_PATH_END && (realm_path_at(&path, first, centre), !realm_solid_overlaps(&solid, centre, radius))) {
            first++;
        }
        if (is_hit) {
            cr_assert_eq(found, first - 1, "case %d", i);
            hits++;
        } else if (first <= REALM_PATH_END) {
            grazes++; // by a bit or two: what the skin is for
            cr_assert_not(realm_solid_overlaps(&solid, centre, radius - 3), "case %d was missed", i);
        }
    }
    cr_assert(hits > 150 && grazes < 3, "%u hits, %u grazes", hits, grazes);
}

// ---- Owners ----

static uint32_t brute_overlaps(const Rig *rig, RealmPlace centre, int64_t radius, uint32_t *owners)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->engine.owner_count; i++) {
        const RealmOwner *owner = &rig->engine.owners[i];
        RealmVector       way;
        if ((owner->generation & 1) == 0 || owner->is_suspended ||
            !realm_place_difference(centre, (RealmPlace){ owner->cell, owner->x, owner->y, owner->z }, &way)) {
            continue;
        }
        const RealmSetup *setup = realm_catalog_at(owner->setup);
        const int64_t     origin[3] = { 0, 0, 0 };
        bool              is_in = false;
        for (int p = 0; p < setup->parts; p++) {
            RealmSolid solid = realm_part_solid(&setup->part[p], owner->turn, way.x.raw, way.y.raw, way.z.raw);
            is_in = is_in || realm_solid_overlaps(&solid, origin, radius);
        }
        if (is_in) {
            owners[count++] = i + 1;
        }
    }
    return count;
}

static void scatter(Rig *rig, tp_pcg32 *rng, uint32_t count, int64_t size)
{
    static const uint16_t setups[] = { REALM_SETUP_PLAYER, REALM_SETUP_TREE, REALM_SETUP_ROCK, REALM_SETUP_CRATE, REALM_SETUP_PILLAR,
                                       REALM_SETUP_WALL, REALM_SETUP_TABLE, REALM_SETUP_RUIN, REALM_SETUP_BOULDER, REALM_SETUP_HILL_30 };
    for (uint32_t i = 0; i < count; i++) {
        uint16_t setup = setups[i % 40 == 7 ? 9 : (uint32_t)draw(rng, 9)];
        uint8_t  turn = (uint8_t)draw(rng, 4);
        put(rig, setup, turn, draw_place(rng, -size / 8, size, 0, 6 * U));
    }
}

Test(realm_query, overlaps_are_those_of_everybody)
{
    Rig      rig;
    tp_pcg32 rng = tp_pcg32_make(8, 1);
    uint32_t total = 0;
    load_around(&rig);
    scatter(&rig, &rng, 200, BLOCK + 40 * U);
    for (int i = 0; i < 3000; i++) {
        uint32_t   found[OWNERS_MAX], expected[OWNERS_MAX];
        RealmPlace centre = draw_place(&rng, -20 * U, BLOCK, 0, 8 * U);
        int32_t    radius = 1 + (int32_t)draw(&rng, i % 10 == 0 ? 60 * U : 4 * U);
        uint32_t   count = brute_overlaps(&rig, centre, radius, expected);
        cr_assert_eq(realm_query_overlaps(&rig.engine, REALM_ACTIVE, centre, (tp_fx){ radius }, found, OWNERS_MAX), count);
        cr_assert_eq(memcmp(found, expected, count * sizeof(found[0])), 0, "rising links, each once");
        memset(found, 0, sizeof(found));
        cr_assert_eq(realm_query_overlaps(&rig.engine, REALM_ACTIVE, centre, (tp_fx){ radius }, found, 2), count);
        cr_assert_eq(memcmp(found, expected, (count < 2 ? count : 2) * sizeof(found[0])), 0, "the lowest two");
        cr_assert_eq(found[2], 0);
        total += count;
    }
    cr_assert_gt(total, 3000);
    rig_close(&rig);
}

Test(realm_query, who_is_not_seen_is_not_there)
{
    Rig        rig;
    uint32_t   owner[1];
    land_open(&rig);
    land_leaf(&rig, 10, 10);
    RealmPlace place = land_place(10, 10, 50 * U, 50 * U, 0), centre = land_place(10, 10, 50 * U, 50 * U, U);
    uint32_t   link = put(&rig, REALM_SETUP_CRATE, 0, place);
    cr_assert_eq(realm_query_overlaps(&rig.engine, REALM_ACTIVE, centre, (tp_fx){ U }, owner, 1), 1);
    cr_assert_eq(owner[0], link);
    cr_assert_eq(realm_query_overlaps(&rig.engine, REALM_ACTIVE, centre, (tp_fx){ 0 }, owner, 1), 0, "a radius of 0 overlaps nothing");
    RealmOwnerHandle handle = realm_owner_handle(&rig.engine, link);
    cr_assert_eq(realm_owner_suspend(&rig.engine, handle, true), REALM_DONE);
    cr_assert_eq(realm_query_overlaps(&rig.engine, REALM_ACTIVE, centre, (tp_fx){ U }, owner, 1), 0);
    RealmHit hit = sweep_of(&rig, land_place(10, 10, 40 * U, 50 * U, U), vector(20 * U, 0, 0), U / 2);
    cr_assert_eq(hit.kind, REALM_HIT_NONE);
    rig_close(&rig);
}

Test(realm_query, sweeps_can_leave_owners_out)
{
    Rig rig;
    land_open(&rig);
    land_leaf(&rig, 10, 10);
    uint32_t   near = put(&rig, REALM_SETUP_CRATE, 0, land_place(10, 10, 50 * U, 50 * U, 0));
    uint32_t   far = put(&rig, REALM_SETUP_CRATE, 0, land_place(10, 10, 54 * U, 50 * U, 0));
    RealmSweep sweep = { .place = land_place(10, 10, 40 * U, 50 * U, U), .delta = vector(20 * U, 0, 0), .radius = { U / 2 } };
    RealmHit   hit = realm_query_sweep(&rig.engine, REALM_ACTIVE, &sweep);
    cr_assert(hit.kind == REALM_HIT_OWNER && hit.owner.index == near - 1 && hit.normal.x.raw == -U && hit.normal.y.raw == 0);
    cr_assert(hit.place.x.raw <= 50 * U - 3 * U / 4 - U / 2 - REALM_QUERY_SKIN && hit.place.x.raw > 50 * U - 3 * U / 4 - U / 2 - 60);
    sweep.ignore = near;
    hit = realm_query_sweep(&rig.engine, REALM_ACTIVE, &sweep);
    cr_assert(hit.kind == REALM_HIT_OWNER && hit.owner.index == far - 1);
    cr_assert_eq(realm_owner_set_state(&rig.engine, realm_owner_handle(&rig.engine, near), 4), REALM_DONE);
    sweep.ignore = 0;
    sweep.blocking = 4;
    hit = realm_query_sweep(&rig.engine, REALM_ACTIVE, &sweep);
    cr_assert(hit.kind == REALM_HIT_OWNER && hit.owner.index == near - 1);
    sweep.blocking = 8;
    cr_assert_eq(realm_query_sweep(&rig.engine, REALM_ACTIVE, &sweep).kind, REALM_HIT_NONE);
    rig_close(&rig);
}

// Goal: which of two is met first is a matter of their ids, not of the slots that history gave them.
Test(realm_query, of_two_at_once_the_lower_id)
{
    Rig rig;
    land_open(&rig);
    land_leaf(&rig, 10, 10);
    uint32_t first = put(&rig, REALM_SETUP_CRATE, 0, land_place(10, 10, 50 * U, 51 * U, 0));
    uint32_t second = put(&rig, REALM_SETUP_CRATE, 0, land_place(10, 10, 50 * U, 49 * U, 0));
    RealmHit hit = sweep_of(&rig, land_place(10, 10, 40 * U, 50 * U, U), vector(20 * U, 0, 0), U / 2);
    cr_assert(first < second && hit.owner.index == first - 1);
    cr_assert_eq(realm_owner_deregister(&rig.engine, realm_owner_handle(&rig.engine, first)), REALM_DONE);
    uint32_t again = put(&rig, REALM_SETUP_CRATE, 0, land_place(10, 10, 50 * U, 51 * U, 0));
    cr_assert_eq(again, first, "the slot comes back, with a higher id");
    cr_assert_gt(realm_owner_at(&rig.engine, again)->id, realm_owner_at(&rig.engine, second)->id);
    hit = sweep_of(&rig, land_place(10, 10, 40 * U, 50 * U, U), vector(20 * U, 0, 0), U / 2);
    cr_assert_eq(hit.owner.index, second - 1);
    rig_close(&rig);
}

// Goal: over open land with many owners, the place reached is free, and a step further with the skin is not.
Test(realm_query, sweeps_among_owners_equal_every_step)
{
    Rig      rig;
    tp_pcg32 rng = tp_pcg32_make(12, 1);
    uint32_t hits = 0, found[OWNERS_MAX];
    load_around(&rig);
    scatter(&rig, &rng, 160, BLOCK);
    for (int i = 0; i < 400; i++) {
        RealmPlace  place = draw_place(&rng, -10 * U, BLOCK, U, 6 * U);
        RealmVector delta = draw_vector(&rng, 24 * U, 24 * U, U);
        int32_t     radius = 1000 + (int32_t)draw(&rng, U / 2);
        if (brute_overlaps(&rig, place, radius + REALM_QUERY_SKIN, found) != 0) {
            continue;
        }
        RealmHit hit = sweep_of(&rig, place, delta, radius);
        for (int32_t k = 0; k <= hit.fraction.raw; k += i % 20 == 0 ? 1 : 97) {
            RealmPlace  between;
            RealmVector part = vector((int64_t)delta.x.raw * k / U, (int64_t)delta.y.raw * k / U, (int64_t)delta.z.raw * k / U);
            cr_assert(realm_place_move(place, part, &between));
            cr_assert_eq(brute_overlaps(&rig, between, radius, found), 0, "case %d: owner %u is passed through at %d", i, found[0], k);
        }
        cr_assert_eq(brute_overlaps(&rig, hit.place, radius, found), 0);
        if (hit.kind == REALM_HIT_OWNER) {
            RealmPlace next;
            int32_t    k = hit.fraction.raw + 1;
            cr_assert(realm_place_move(place, vector((int64_t)delta.x.raw * k / U, (int64_t)delta.y.raw * k / U, (int64_t)delta.z.raw * k / U), &next));
            uint32_t count = brute_overlaps(&rig, next, radius + REALM_QUERY_SKIN + 14, found);
            bool     is_its = false;
            for (uint32_t n = 0; n < count; n++) {
                is_its = is_its || found[n] == hit.owner.index + 1;
            }
            cr_assert(is_its, "case %d stopped at %d before owner %u", i, k - 1, hit.owner.index + 1);
            hits++;
        }
    }
    cr_assert_gt(hits, 60, "%u", hits);
    rig_close(&rig);
}

// ---- Terrain ----

static int64_t clearance_at(const Rig *rig, RealmPlace place, int32_t radius)
{
    RealmGround ground = realm_query_ground(&rig->engine, REALM_ACTIVE, place);
    cr_assert(ground.is_known);
    return (int64_t)place.z.raw - radius - ground.z.raw;
}

// Vertices of the nine landblocks as one land, so that they meet at the seams.
static void roughen(Rig *rig, tp_pcg32 *rng, int64_t steep)
{
    uint8_t vertex[25][25];
    for (uint32_t i = 0; i < 25 * 25; i++) {
        vertex[i / 25][i % 25] = (uint8_t)(20 + draw(rng, steep));
    }
    for (uint32_t leaf = 0; leaf < 9; leaf++) {
        for (uint32_t i = 0; i < REALM_HEIGHTS; i++) {
            land_heights(rig, leaf + 1)[i] = vertex[leaf / 3 * 8 + i / 9][leaf % 3 * 8 + i % 9];
        }
    }
}

Test(realm_query, terrain_equals_every_step)
{
    Rig      rig;
    tp_pcg32 rng = tp_pcg32_make(14, 1);
    uint32_t hits = 0;
    load_around(&rig);
    for (int i = 0; i < 400; i++) {
        if (i % 20 == 0) {
            roughen(&rig, &rng, i % 40 == 0 ? 12 : 200);
        }
        int32_t    radius = (int32_t)draw(&rng, U);
        RealmPlace place = draw_place(&rng, -5 * U, BLOCK, REALM_Z_MAX, 1);
        place.z.raw = realm_query_ground(&rig.engine, REALM_ACTIVE, place).z.raw + radius + (int32_t)draw(&rng, i % 3 == 0 ? 1 : 5 * U);
        RealmVector delta = draw_vector(&rng, 24 * U, 24 * U, 8 * U);
        RealmHit    hit = sweep_of(&rig, place, delta, radius);
        cr_assert(hit.kind == REALM_HIT_NONE || hit.kind == REALM_HIT_TERRAIN);
        cr_assert_geq(clearance_at(&rig, hit.place, radius), 0, "case %d ends in the ground", i);
        for (int32_t k = 0; k <= REALM_PATH_END; k += 13) {
            RealmPlace between;
            cr_assert(realm_place_move(place, vector((int64_t)delta.x.raw * k / U, (int64_t)delta.y.raw * k / U, (int64_t)delta.z.raw * k / U), &between));
            int64_t height = clearance_at(&rig, between, radius);
            if (k <= hit.fraction.raw) {
                cr_assert_geq(height, -60, "case %d goes through the ground at %d", i, k);
            } else if (k <= hit.fraction.raw + 13) {
                cr_assert_lt(height, 24 * U * 13 / 1000, "case %d stopped above the ground at %d", i, k);
            }
        }
        if (hit.kind == REALM_HIT_TERRAIN) {
            hits++;
            cr_assert_gt(hit.normal.z.raw, 0);
        }
    }
    cr_assert_gt(hits, 100);
    rig_close(&rig);
}

// Goal: a sphere on the ground that slides uphill and down stays on it or above, and gets on.
Test(realm_query, slides_follow_the_ground)
{
    Rig      rig;
    tp_pcg32 rng = tp_pcg32_make(15, 1);
    load_around(&rig);
    roughen(&rig, &rng, 14);
    for (int i = 0; i < 60; i++) {
        int32_t    radius = 26214;
        RealmSweep sweep = { .place = draw_place(&rng, 40 * U, 100 * U, REALM_Z_MAX, 1), .radius = { radius } };
        sweep.place.z.raw = realm_query_ground(&rig.engine, REALM_ACTIVE, sweep.place).z.raw + radius;
        sweep.delta = vector(draw_around(&rng, U / 4), U / 4, 0);
        int64_t start = sweep.place.y.raw;
        for (int step = 0; step < 60; step++) {
            RealmPlace place;
            realm_query_slide(&rig.engine, REALM_ACTIVE, &sweep, &place, NULL);
            cr_assert_geq(clearance_at(&rig, place, radius), 0);
            sweep.place = place;
        }
        RealmVector way;
        realm_place_difference(land_place(10, 10, 0, start, 0), sweep.place, &way);
        cr_assert_gt(way.y.raw, 60 * U / 4 / 3, "case %d came %d", i, way.y.raw);
    }
    rig_close(&rig);
}

Test(realm_query, what_is_in_the_ground_may_only_come_out)
{
    Rig rig;
    load_around(&rig);
    memset(land_heights(&rig, 5), 50, REALM_HEIGHTS);
    RealmPlace place = land_place(10, 10, 90 * U, 90 * U, 45 * U);
    RealmHit   down = sweep_of(&rig, place, vector(0, 0, -U), U / 2);
    cr_assert(down.kind == REALM_HIT_TERRAIN && down.fraction.raw < 20 && down.normal.z.raw == U);
    cr_assert_eq(sweep_of(&rig, place, vector(0, 0, 9 * U), U / 2).kind, REALM_HIT_NONE);
    cr_assert_eq(sweep_of(&rig, place, vector(5 * U, 0, 0), U / 2).kind, REALM_HIT_NONE);
    rig_close(&rig);
}

// ---- Edges ----

Test(realm_query, the_edge_of_what_is_loaded)
{
    Rig rig;
    land_open(&rig);
    uint32_t leaf = land_leaf(&rig, 10, 10);
    land_leaf(&rig, 11, 10);
    land_leaf(&rig, 10, 11);
    RealmHit hit = sweep_of(&rig, land_place(10, 10, U, 50 * U, U), vector(-5 * U, U, 0), U / 2);
    cr_assert(hit.kind == REALM_HIT_EDGE && hit.normal.x.raw == U && hit.normal.y.raw == 0 && hit.place.x.raw == 0);
    cr_assert_eq(realm_prefix(hit.place.cell), 0x0A0A);
    hit = sweep_of(&rig, land_place(10, 10, BLOCK - U, 50 * U, U), vector(5 * U, 0, 0), U / 2);
    cr_assert(hit.kind == REALM_HIT_NONE && realm_prefix(hit.place.cell) == 0x0B0A && hit.place.x.raw == 4 * U);
    hit = sweep_of(&rig, land_place(10, 10, BLOCK - U, BLOCK - 2 * U, U), vector(5 * U, 5 * U, 0), U / 2);
    cr_assert(hit.kind == REALM_HIT_EDGE && hit.normal.y.raw == -U && realm_prefix(hit.place.cell) == 0x0B0A, "past a corner");
    hit = sweep_of(&rig, land_place(12, 12, 50 * U, 50 * U, U), vector(U, 0, 0), U / 2);
    cr_assert(hit.kind == REALM_HIT_EDGE && hit.fraction.raw == 0);
    realm_leaf_edit(&rig.engine, leaf)->is_demoted = 1;
    hit = sweep_of(&rig, land_place(11, 10, U, 50 * U, U), vector(-5 * U, 0, 0), U / 2);
    cr_assert_eq(hit.kind, REALM_HIT_EDGE, "a demoted leaf carries nobody");
    rig_close(&rig);
}

Test(realm_query, the_edge_of_the_world)
{
    Rig rig;
    land_open(&rig);
    land_leaf(&rig, 0, 0);
    land_leaf(&rig, 254, 254);
    RealmHit hit = sweep_of(&rig, land_place(0, 0, U, U, U), vector(-5 * U, -7 * U, 0), U / 2);
    cr_assert(hit.kind == REALM_HIT_EDGE && hit.normal.y.raw == U);
    hit = sweep_of(&rig, land_place(254, 254, BLOCK - U, BLOCK - U, U), vector(5 * U, 3 * U, 0), U / 2);
    cr_assert(hit.kind == REALM_HIT_EDGE && hit.normal.x.raw == -U);
    cr_assert_eq(realm_query_cell(&rig.engine, REALM_ACTIVE, land_place(0, 0, 5, 5, 0)), 1);
    cr_assert_eq(realm_query_cell(&rig.engine, REALM_ACTIVE, land_place(1, 0, 5, 5, 0)), 0);
    rig_close(&rig);
}

static void sweep_too_far(void *context)
{
    sweep_of(context, land_place(10, 10, U, U, U), vector(0, 24 * U + 1, 0), U);
}

Test(realm_query, longer_deltas_are_refused)
{
    Rig      rig;
    tp_fault fault;
    load_around(&rig);
    cr_assert_not(tp_guard_run(sweep_too_far, &rig, &fault));
    cr_assert_eq(fault.code, TP_FAULT_ASSERT);
    rig_close(&rig);
}

// ---- Houses ----

// Two rooms, 48..60 and 60..72 in x, 48..60 in y, 0..4 high; doors 2 wide and 3 high at y 53..55; a cellar under the second room with a hole
// in its ceiling.
typedef struct House {
    uint32_t leaf, first, second, cellar;
} House;

static House open_house(Rig *rig)
{
    House       house;
    RealmBounds all = land_box(48, 48, 0, 72, 60, 4), one = land_box(48, 48, 0, 60, 60, 4), two = land_box(60, 48, 0, 72, 60, 4);
    RealmBounds under = land_box(60, 48, -5, 72, 60, 0);
    load_around(rig);
    house.leaf = 5;
    house.first = land_cell(rig, house.leaf, &one);
    house.second = land_cell(rig, house.leaf, &two);
    house.cellar = land_cell(rig, house.leaf, &under);
    land_join(rig, house.first, house.second, 0, 60, 53, 0, 55, 3);
    land_join(rig, house.first, 0, 0, 48, 53, 0, 55, 3);
    land_join(rig, house.second, house.cellar, 2, 0, 68, 50, 71, 58);
    land_building(rig, house.leaf, &all, REALM_INDOOR_FIRST, 3);
    return house;
}

Test(realm_query, ground_is_floor_roof_or_terrain)
{
    Rig         rig;
    House       house = open_house(&rig);
    RealmGround ground = realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(10, 10, 50 * U, 50 * U, U));
    cr_assert(ground.is_known && ground.z.raw == 0 && !ground.is_terrain && ground.is_walkable);
    ground = realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(10, 10, 50 * U, 50 * U, 4 * U));
    cr_assert(ground.z.raw == 4 * U && !ground.is_terrain, "on the roof");
    ground = realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(10, 10, 69 * U, 55 * U, U));
    cr_assert_eq(ground.z.raw, -5 * U, "through the hole");
    ground = realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(10, 10, 67 * U, 55 * U, U));
    cr_assert_eq(ground.z.raw, 0, "beside it");
    memset(land_heights(&rig, house.leaf), 7, REALM_HEIGHTS);
    ground = realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(10, 10, 20 * U, 20 * U, 0));
    cr_assert(ground.is_terrain && ground.z.raw == 7 * U && ground.is_walkable && ground.water == 0);
    realm_leaf_edit(&rig.engine, house.leaf)->water = REALM_WATER_FULL;
    ground = realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(10, 10, 20 * U, 20 * U, 0));
    cr_assert(!ground.is_walkable && ground.water == REALM_WATER_FULL);
    cr_assert_not(realm_query_ground(&rig.engine, REALM_ACTIVE, land_place(30, 10, 20 * U, 20 * U, 0)).is_known);
    rig_close(&rig);
}

// Goal: in through the outer door, on through the inner one, down the hole: three sweeps that meet nothing but what they should.
Test(realm_query, through_doors)
{
    Rig      rig;
    int32_t  radius = 26214;
    open_house(&rig);
    RealmHit hit = sweep_of(&rig, land_place(10, 10, 44 * U, 54 * U, radius), vector(22 * U, 0, 0), radius);
    cr_assert_eq(hit.kind, REALM_HIT_NONE, "kind %d at %d", hit.kind, hit.place.x.raw / U);
    cr_assert_eq(realm_query_cell(&rig.engine, REALM_ACTIVE, hit.place), 0x0A0A0101);
    hit = sweep_of(&rig, hit.place, vector(10 * U, 0, 0), radius);
    cr_assert(hit.kind == REALM_HIT_WALL && hit.normal.x.raw == -U && hit.place.x.raw <= 72 * U - radius && hit.place.x.raw > 72 * U - radius - 40);
    hit = sweep_of(&rig, land_place(10, 10, 69 * U, 54 * U, U), vector(0, 0, -10 * U), radius);
    cr_assert(hit.kind == REALM_HIT_WALL && hit.normal.z.raw == U && hit.place.z.raw < -4 * U);
    cr_assert_eq(realm_query_cell(&rig.engine, REALM_ACTIVE, hit.place), 0x0A0A0102);
    hit = sweep_of(&rig, land_place(10, 10, 65 * U, 54 * U, U), vector(-22 * U, 0, 0), radius);
    cr_assert(hit.kind == REALM_HIT_NONE && hit.place.x.raw == 43 * U, "and all the way out");
    rig_close(&rig);
}

Test(realm_query, walls_hold_from_both_sides)
{
    Rig     rig;
    int32_t radius = 26214;
    open_house(&rig);
    RealmHit hit = sweep_of(&rig, land_place(10, 10, 44 * U, 51 * U, U), vector(20 * U, 0, 0), radius);
    cr_assert(hit.kind == REALM_HIT_BUILDING && hit.normal.x.raw == -U && hit.place.x.raw < 48 * U - radius);
    hit = sweep_of(&rig, land_place(10, 10, 44 * U, 53 * U + radius - 1, U), vector(20 * U, 0, 0), radius);
    cr_assert_eq(hit.kind, REALM_HIT_BUILDING, "does not fit by one bit");
    hit = sweep_of(&rig, land_place(10, 10, 44 * U, 53 * U + radius, U), vector(10 * U, 0, 0), radius);
    cr_assert_eq(hit.kind, REALM_HIT_NONE, "just fits");
    hit = sweep_of(&rig, land_place(10, 10, 44 * U, 54 * U, 3 * U), vector(20 * U, 0, 0), radius);
    cr_assert_eq(hit.kind, REALM_HIT_BUILDING, "too high");
    hit = sweep_of(&rig, land_place(10, 10, 55 * U, 55 * U, U), vector(0, 9 * U, 0), radius);
    cr_assert(hit.kind == REALM_HIT_WALL && hit.normal.y.raw == -U);
    hit = sweep_of(&rig, land_place(10, 10, 47 * U + U / 2, 54 * U, U), vector(2 * U, 9 * U, 0), radius);
    cr_assert(hit.kind == REALM_HIT_BUILDING || hit.kind == REALM_HIT_WALL || hit.kind == REALM_HIT_NONE);
    hit = sweep_of(&rig, land_place(10, 10, 48 * U, 54 * U, U), vector(0, 9 * U, 0), radius);
    cr_assert(hit.kind == REALM_HIT_WALL && hit.normal.y.raw == -U, "the door's own side");
    hit = sweep_of(&rig, land_place(10, 10, 55 * U, 55 * U, 9 * U), vector(0, 0, -9 * U), radius);
    cr_assert(hit.kind == REALM_HIT_BUILDING && hit.normal.z.raw == U && hit.place.z.raw > 4 * U + radius, "lands on the roof");
    hit = sweep_of(&rig, land_place(10, 10, 48 * U - radius - 20, 50 * U, U), vector(0, 9 * U, 0), radius);
    cr_assert_eq(hit.kind, REALM_HIT_NONE, "along the wall, past the door");
    rig_close(&rig);
}

// Where a sphere may be: indoors every side that it crosses is a portal wide enough; outdoors it crosses the building only there.
static bool fits(const RealmCell *cell, int axis, int64_t plane, const int64_t centre[3], int64_t radius, bool is_outer_only)
{
    for (int i = 0; i < cell->portals; i++) {
        int first = axis == 0, second = axis == 2 ? 1 : 2;
        if (cell->portal_axis[i] == axis && cell->portal_at[i].raw == plane && (!is_outer_only || cell->portal_other[i] == REALM_OUTSIDE) &&
            centre[first] - radius >= cell->portal_low_1[i].raw && centre[first] + radius <= cell->portal_high_1[i].raw &&
            centre[second] - radius >= cell->portal_low_2[i].raw && centre[second] + radius <= cell->portal_high_2[i].raw) {
            return true;
        }
    }
    return false;
}

static bool may_be(const Rig *rig, const House *house, RealmPlace place, int64_t radius)
{
    RealmVector way;
    realm_place_difference(land_place(10, 10, 0, 0, 0), place, &way);
    const int64_t centre[3] = { way.x.raw, way.y.raw, way.z.raw };
    uint32_t      home, indoor;
    realm_flood_cell(&rig->engine, REALM_ACTIVE, place, &home, &indoor);
    if (indoor != 0) {
        const RealmCell *cell = realm_cell_at(&rig->engine, indoor);
        bool             is_good = true;
        for (int axis = 0; axis < 3; axis++) {
            is_good = is_good && (centre[axis] - radius >= cell->low[axis].raw || fits(cell, axis, cell->low[axis].raw, centre, radius, false));
            is_good = is_good && (centre[axis] + radius <= cell->high[axis].raw || fits(cell, axis, cell->high[axis].raw, centre, radius, false));
        }
        return is_good;
    }
    const RealmBuilding *building = realm_building_at(&rig->engine, realm_leaf_at(&rig->engine, house->leaf)->building_first);
    RealmSolid           solid = { .shape = REALM_SHAPE_BOX };
    for (int i = 0; i < 3; i++) {
        solid.low[i] = building->low[i].raw;
        solid.high[i] = building->high[i].raw;
    }
    return fits(realm_cell_at(&rig->engine, house->first), 0, 48 * U, centre, radius, true) ||
           !realm_solid_overlaps(&solid, centre, radius);
}

// Goal: whoever slides about in and around a house for long never is where a wall is, on any step of the way, and gets about.
Test(realm_query, nobody_walks_through_walls)
{
    Rig      rig;
    House    house = open_house(&rig);
    uint32_t rooms[4] = { 0 }, crossings = 0;
    tp_pcg32 rng = tp_pcg32_make(17, 1);
    for (int walk = 0; walk < 40; walk++) {
        int32_t     radius = 6553 + (int32_t)draw(&rng, U / 2);
        RealmSweep  sweep = { .place = land_place(10, 10, (walk % 2 ? 46 : 54) * U, 54 * U, U), .radius = { radius } };
        uint32_t    before = 0;
        RealmVector delta = { { 0 }, { 0 }, { 0 } };
        for (int step = 0; step < 400; step++) {
            RealmHit hits[REALM_QUERY_SLIDE_SWEEPS];
            if (step % 8 == 0) {
                delta = draw_vector(&rng, 3 * U, step % 16 == 0 ? 3 * U : U / 4, U / 2);
                delta.z.raw -= U / 6;
                if (step % 24 == 0) { // towards the door
                    delta.y.raw = (54 * U - sweep.place.y.raw) / 8;
                    delta.x.raw = (48 * U - sweep.place.x.raw) / 4;
                    delta.x.raw = delta.x.raw > 2 * U ? 2 * U : delta.x.raw < -2 * U ? -2 * U : delta.x.raw;
                }
            }
            sweep.delta = delta;
            RealmHit first = realm_query_sweep(&rig.engine, REALM_ACTIVE, &sweep);
            for (int32_t k = 0; k <= first.fraction.raw; k += 199) {
                RealmPlace between;
                cr_assert(realm_place_move(sweep.place, vector((int64_t)delta.x.raw * k / U, (int64_t)delta.y.raw * k / U, (int64_t)delta.z.raw * k / U), &between));
                cr_assert(may_be(&rig, &house, between, radius), "walk %d step %d: in a wall at %d: %d %d %d", walk, step, k, between.x.raw,
                          between.y.raw, between.z.raw);
            }
            realm_query_slide(&rig.engine, REALM_ACTIVE, &sweep, &sweep.place, hits);
            cr_assert(may_be(&rig, &house, sweep.place, radius), "walk %d step %d ends in a wall", walk, step);
            uint32_t cell = realm_query_cell(&rig.engine, REALM_ACTIVE, sweep.place) & 0xFFFF;
            uint32_t room = cell < 0x100 ? 3 : cell - 0x100;
            rooms[room]++;
            crossings += room != before;
            before = room;
        }
    }
    cr_assert(rooms[0] > 500 && rooms[1] > 100 && rooms[2] > 50 && rooms[3] > 500 && crossings > 100, "%u %u %u %u, %u", rooms[0], rooms[1], rooms[2],
              rooms[3], crossings);
    rig_close(&rig);
}

// Goal: the check of the test above sees a wall that is not there.
Test(realm_query, the_check_of_walls_can_fail)
{
    Rig   rig;
    House house = open_house(&rig);
    cr_assert(may_be(&rig, &house, land_place(10, 10, 54 * U, 54 * U, U), U / 2));
    cr_assert(may_be(&rig, &house, land_place(10, 10, 48 * U, 54 * U, U), U / 2));
    cr_assert(may_be(&rig, &house, land_place(10, 10, 60 * U - 5, 54 * U, U), U / 2));
    cr_assert_not(may_be(&rig, &house, land_place(10, 10, 60 * U - 5, 56 * U, U), U / 2));
    cr_assert_not(may_be(&rig, &house, land_place(10, 10, 48 * U - 5, 56 * U, U), U / 2));
    rig_close(&rig);
}

Test(realm_query, owners_behind_a_wall_are_not_in_the_way)
{
    Rig     rig;
    int32_t radius = 26214;
    open_house(&rig);
    uint32_t inside = put(&rig, REALM_SETUP_CRATE, 0, land_place(10, 10, 50 * U, 51 * U, 0));
    RealmHit hit = sweep_of(&rig, land_place(10, 10, 44 * U, 51 * U, U), vector(20 * U, 0, 0), radius);
    cr_assert_eq(hit.kind, REALM_HIT_BUILDING);
    hit = sweep_of(&rig, land_place(10, 10, 55 * U, 51 * U, U), vector(-6 * U, 0, 0), radius);
    cr_assert(hit.kind == REALM_HIT_OWNER && hit.owner.index == inside - 1);
    uint32_t door = put(&rig, REALM_SETUP_DOOR, 1, land_place(10, 10, 48 * U, 54 * U, 0));
    hit = sweep_of(&rig, land_place(10, 10, 44 * U, 54 * U, U), vector(20 * U, 0, 0), radius);
    cr_assert(hit.kind == REALM_HIT_OWNER && hit.owner.index == door - 1, "a closed door: kind %d", hit.kind);
    hit = sweep_of(&rig, land_place(10, 10, 52 * U, 54 * U, U), vector(-20 * U, 0, 0), radius);
    cr_assert(hit.kind == REALM_HIT_OWNER && hit.owner.index == door - 1, "from inside, too");
    rig_close(&rig);
}

// ---- Slides ----

Test(realm_query, slides_along_walls_and_into_corners)
{
    Rig        rig;
    RealmPlace place;
    RealmHit   hits[REALM_QUERY_SLIDE_SWEEPS];
    int32_t    radius = 26214;
    open_house(&rig);
    RealmSweep sweep = { .place = land_place(10, 10, 52 * U, 58 * U, U), .delta = vector(5 * U, 5 * U, 0), .radius = { radius } };
    cr_assert_eq(realm_query_slide(&rig.engine, REALM_ACTIVE, &sweep, &place, hits), 1);
    cr_assert(place.x.raw > 57 * U - 10 && place.y.raw <= 60 * U - radius && place.y.raw > 60 * U - radius - 40);
    sweep.delta = vector(20 * U, 20 * U, 0);
    cr_assert_eq(realm_query_slide(&rig.engine, REALM_ACTIVE, &sweep, &place, hits), 2);
    cr_assert(place.x.raw <= 60 * U - radius && place.x.raw > 60 * U - radius - 60 && place.y.raw > 60 * U - radius - 40);
    put(&rig, REALM_SETUP_PILLAR, 0, land_place(10, 10, 20 * U, 20 * U, 0));
    sweep.place = land_place(10, 10, 15 * U, 20 * U + 20000, U);
    sweep.delta = vector(8 * U, 0, 0);
    for (int i = 0; i < 3; i++) {
        realm_query_slide(&rig.engine, REALM_ACTIVE, &sweep, &sweep.place, hits);
    }
    cr_assert_gt(sweep.place.x.raw, 22 * U, "round the pillar: %d", sweep.place.x.raw / U);
    rig_close(&rig);
}

// Goal: a scene and its mirror image: every slide ends at the mirrored place, to the bit.
Test(realm_query, mirrored_slides_end_at_mirrored_places)
{
    static const uint16_t setups[] = { REALM_SETUP_TREE, REALM_SETUP_BOULDER, REALM_SETUP_CRATE, REALM_SETUP_PILLAR, REALM_SETUP_WALL, REALM_SETUP_PLAYER };
    Rig      right, left;
    tp_pcg32 rng = tp_pcg32_make(19, 1);
    uint32_t slid = 0;
    load_around(&right);
    load_around(&left);
    for (int i = 0; i < 80; i++) {
        uint16_t setup = setups[i % 6];
        int64_t  x = draw_around(&rng, 60 * U);
        int64_t  y = draw(&rng, BLOCK - U);
        int64_t  z = draw(&rng, U);
        put(&right, setup, 0, land_place(10, 10, BLOCK / 2 + x, y, z));
        put(&left, setup, 0, land_place(10, 10, BLOCK / 2 - x, y, z));
    }
    for (int i = 0; i < 3000; i++) {
        int64_t    x = draw_around(&rng, 60 * U);
        int64_t    y = 10 * U + draw(&rng, BLOCK - 20 * U);
        int64_t    z = U / 2 + draw(&rng, 3 * U);
        RealmSweep a = { .place = land_place(10, 10, BLOCK / 2 + x, y, z), .radius = { U / 2 } };
        RealmSweep b = { .place = land_place(10, 10, BLOCK / 2 - x, y, z), .radius = { U / 2 } };
        a.delta = draw_vector(&rng, 6 * U, 6 * U, U);
        b.delta = vector(-(int64_t)a.delta.x.raw, a.delta.y.raw, a.delta.z.raw);
        RealmPlace end_a, end_b;
        uint32_t   met_a = realm_query_slide(&right.engine, REALM_ACTIVE, &a, &end_a, NULL);
        uint32_t   met_b = realm_query_slide(&left.engine, REALM_ACTIVE, &b, &end_b, NULL);
        cr_assert_eq(met_a, met_b);
        cr_assert(end_a.x.raw - BLOCK / 2 == BLOCK / 2 - end_b.x.raw && end_a.y.raw == end_b.y.raw && end_a.z.raw == end_b.z.raw, "case %d", i);
        slid += met_a > 0;
    }
    cr_assert_gt(slid, 300);
    rig_close(&right);
    rig_close(&left);
}

// Goal: content in range but senseless: no fault, no endless loop, a place in the world.
Test(realm_query, senseless_content_is_survived)
{
    tp_pcg32 rng = tp_pcg32_make(23, 1);
    for (int scene = 0; scene < 30; scene++) {
        Rig rig;
        load_around(&rig);
        for (uint32_t i = 0; i < 60; i++) {
            RealmBounds box;
            for (int axis = 0; axis < 3; axis++) {
                box.low[axis] = draw_around(&rng, axis == 2 ? 20 * U : 220 * U);
                box.high[axis] = box.low[axis] + draw_around(&rng, 40 * U);
            }
            uint32_t leaf = 1 + (uint32_t)draw(&rng, 9);
            uint32_t cell = land_cell(&rig, leaf, &box);
            for (int p = 0; p < 4; p++) {
                RealmVector   a = draw_vector(&rng, BLOCK, BLOCK, U);
                RealmVector   b = draw_vector(&rng, BLOCK, BLOCK, U);
                const int64_t low[2] = { a.x.raw, a.y.raw }, high[2] = { b.x.raw, b.y.raw };
                int           axis = (int)draw(&rng, 3);
                uint32_t      other = (uint32_t)draw(&rng, 30);
                land_portal(&rig, cell, axis, box.low[axis] + a.z.raw, low, high, other < 10 ? REALM_OUTSIDE : REALM_INDOOR_FIRST + other);
            }
            uint32_t first = (uint32_t)draw(&rng, 320);
            uint32_t count = (uint32_t)draw(&rng, 65);
            land_building(&rig, leaf, &box, first, count);
        }
        scatter(&rig, &rng, 40, BLOCK);
        for (int i = 0; i < 300; i++) {
            RealmSweep sweep = { .ignore = 0 };
            RealmPlace place;
            sweep.place = draw_place(&rng, -60 * U, BLOCK, -20 * U, 40 * U);
            sweep.delta = draw_vector(&rng, 24 * U, 24 * U, 24 * U);
            sweep.radius.raw = (int32_t)draw(&rng, i % 9 == 0 ? 32 * U : U);
            realm_query_slide(&rig.engine, REALM_ACTIVE, &sweep, &place, NULL);
            cr_assert(realm_query_ground(&rig.engine, REALM_ACTIVE, place).is_known);
            cr_assert_neq(realm_query_cell(&rig.engine, REALM_ACTIVE, place), 0);
        }
        rig_close(&rig);
    }
}
