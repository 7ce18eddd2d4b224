// realm_walk.c: bodies that walk. A body is moved by the first part of its setup, a sphere that rests on its place; the other parts are there to
// be met by others. On the ground it follows the ground, uphill and down; off it, it falls until something holds it. What it may
// stand on is judged by REALM_LANDING_Z, so that nothing that stops a fall ever keeps a body from walking off again; where ground is
// too steep or under deep water it does not go in the first place.
#include "realm_step.h"

#include "realm_query.h"

enum {
    STEP_HEIGHT = 26214, // 0.4 units: higher is no step but an obstacle, deeper no step but a fall
    FEEL_DEPTH  = 2048,  // how far below it a body feels for something that holds it
    SKY         = REALM_Z_MAX,
};

typedef struct Walker {
    RealmEngine *engine;
    RealmPlace   place;
    uint32_t     owner;
    RealmPart    sphere;
    uint32_t     hit_count;
    RealmHit     hits[REALM_QUERY_SLIDE_SWEEPS];
} Walker;

static RealmPlace raised(RealmPlace place, int32_t raw)
{
    int64_t z = (int64_t)place.z.raw + raw;
    place.z.raw = (int32_t)(z > REALM_Z_MAX ? REALM_Z_MAX : z < -REALM_Z_MAX ? -REALM_Z_MAX : z);
    return place;
}

bool realm_walk_stand(const RealmStep *step, uint32_t cell, tp_fx x, tp_fx y, uint16_t setup, RealmPlace *place)
{
    RealmPlace  there = { realm_block_id(realm_prefix(cell)), x, y, { SKY } };
    RealmGround ground = realm_query_ground(&step->engine, REALM_ACTIVE, there);
    if (!ground.is_known || !ground.is_walkable || !ground.is_terrain) {
        return false;
    }
    const RealmPart *sphere = &realm_catalog_at(setup)->part[0];
    uint32_t         owner;
    there.z = ground.z;
    *place = there;
    tp_fx room = { sphere->a + sphere->a / 2 };
    return realm_query_overlaps(&step->engine, REALM_ACTIVE, raised(there, sphere->z), room, &owner, 1) == 0;
}

static void slide(Walker *walker, RealmVector delta)
{
    RealmSweep sweep = {
        .place = raised(walker->place, walker->sphere.z), .delta = delta, .radius = { walker->sphere.a }, .ignore = walker->owner,
        .blocking = REALM_QUERY_ANY_STATE,
    };
    RealmPlace end;
    walker->hit_count = realm_query_slide(walker->engine, REALM_ACTIVE, &sweep, &end, walker->hits);
    walker->place = raised(end, -walker->sphere.z);
}

static bool is_held(const Walker *walker)
{
    for (uint32_t i = 0; i < walker->hit_count; i++) {
        if (walker->hits[i].normal.z.raw >= REALM_LANDING_Z) {
            return true;
        }
    }
    return false;
}

static bool bumps_its_head(const Walker *walker)
{
    for (uint32_t i = 0; i < walker->hit_count; i++) {
        if (walker->hits[i].normal.z.raw <= -REALM_LANDING_Z) {
            return true;
        }
    }
    return false;
}

static RealmGround ground_at(const Walker *walker, RealmPlace place)
{
    return realm_query_ground(walker->engine, REALM_ACTIVE, raised(place, STEP_HEIGHT));
}

// Nobody walks onto ground that is no ground to walk on; who is there already, since the land has changed, may leave.
static bool may_enter(const Walker *walker, const RealmGround *there)
{
    return there->is_known && (there->is_walkable || !ground_at(walker, walker->place).is_walkable);
}

// How far up or down the ground takes a body that walks; 0 when it is no step.
static int32_t step_of(RealmPlace place, const RealmGround *ground)
{
    int64_t rise = (int64_t)ground->z.raw - place.z.raw;
    return ground->is_known && rise <= STEP_HEIGHT && rise >= -STEP_HEIGHT ? (int32_t)rise : 0;
}

// Down onto what is below within a step, or onto whatever else holds it; else it falls from here on.
static bool settle(Walker *walker)
{
    RealmGround ground = ground_at(walker, walker->place);
    int64_t     gap = (int64_t)walker->place.z.raw - ground.z.raw;
    if (ground.is_known && gap < 0) {
        if (ground.is_terrain) {
            walker->place.z = ground.z; // the land has risen over it
        }
        return true;
    }
    if (ground.is_known && gap == 0) {
        return true;
    }
    RealmPlace before = walker->place;
    bool       is_step = ground.is_known && gap <= STEP_HEIGHT;
    slide(walker, (RealmVector){ { 0 }, { 0 }, { is_step ? -(int32_t)gap : -FEEL_DEPTH } });
    if (is_held(walker)) {
        return true;
    }
    if (!is_step) {
        walker->place = before;
    }
    return is_step;
}

static void fall(Walker *walker, RealmMotion *motion, RealmWalked *walked)
{
    int32_t down = motion->speed_z.raw;
    slide(walker, (RealmVector){ motion->speed_x, motion->speed_y, motion->speed_z });
    if (down < 0 && is_held(walker)) {
        motion->is_grounded = true;
        motion->speed_z.raw = 0;
        walked->fall.raw = -down;
    } else if (down > 0 && bumps_its_head(walker)) {
        motion->speed_z.raw = 0;
    }
}

static void step_on(Walker *walker, RealmMotion *motion, const RealmGround *ground)
{
    RealmVector delta = { motion->speed_x, motion->speed_y, { step_of(walker->place, ground) } };
    if (delta.x.raw != 0 || delta.y.raw != 0) {
        slide(walker, delta);
    }
    motion->is_grounded = settle(walker);
}

static int32_t magnitude(int32_t raw)
{
    return raw < 0 ? -raw : raw;
}

static bool is_less_than_half(RealmVector way, const RealmMotion *wanted)
{
    return magnitude(way.x.raw) + magnitude(way.y.raw) < (magnitude(wanted->speed_x.raw) + magnitude(wanted->speed_y.raw)) / 2;
}

static bool is_same_place(RealmPlace a, RealmPlace b)
{
    return realm_prefix(a.cell) == realm_prefix(b.cell) && a.x.raw == b.x.raw && a.y.raw == b.y.raw && a.z.raw == b.z.raw;
}

// Off the ground what stopped it stops its speed, too; on the ground the pad makes the speed anew.
static void finish(Walker *walker, RealmPlace from, const RealmMotion *wanted, RealmMotion *motion, RealmWalked *walked)
{
    RealmVector way;
    realm_place_difference(from, walker->place, &way);
    walked->place = walker->place;
    walked->is_blocked = is_less_than_half(way, wanted);
    if (walker->hit_count > 0 && !motion->is_grounded) {
        motion->speed_x.raw = magnitude(way.x.raw) < magnitude(motion->speed_x.raw) ? way.x.raw : motion->speed_x.raw;
        motion->speed_y.raw = magnitude(way.y.raw) < magnitude(motion->speed_y.raw) ? way.y.raw : motion->speed_y.raw;
    }
}

static bool begin(RealmStep *step, RealmOwnerHandle owner, Walker *walker)
{
    *walker = (Walker){ .engine = &step->engine };
    if (!realm_owner_place(&step->engine, owner, &walker->place)) {
        return false;
    }
    walker->owner = realm_owner_link(&step->engine, owner);
    walker->sphere = realm_catalog_at(realm_owner_at(&step->engine, walker->owner)->setup)->part[0];
    return true;
}

// One tick of its speed, as far as it may go.
static void advance(Walker *walker, RealmMotion *motion, RealmWalked *walked)
{
    RealmPlace  target;
    RealmGround ground = { 0 };
    // A land smaller than all landblocks ends where nothing is served.
    bool is_inside = realm_place_move(walker->place, (RealmVector){ motion->speed_x, motion->speed_y, { 0 } }, &target);
    if (is_inside) {
        ground = ground_at(walker, target);
    }
    if (!is_inside || !may_enter(walker, &ground)) {
        motion->speed_x.raw = motion->speed_y.raw = 0;
    }
    if (motion->is_grounded) {
        step_on(walker, motion, &ground);
    } else {
        int32_t speed_z = motion->speed_z.raw - REALM_GRAVITY_TICK;
        motion->speed_z.raw = speed_z < -REALM_FALL_SPEED_MAX ? -REALM_FALL_SPEED_MAX : speed_z;
        fall(walker, motion, walked);
    }
}

bool realm_walk(RealmStep *step, RealmOwnerHandle owner, RealmMotion *motion, RealmWalked *walked)
{
    Walker walker;
    if (!begin(step, owner, &walker)) {
        return false;
    }
    RealmPlace  from = walker.place;
    RealmMotion going = *motion;
    *walked = (RealmWalked){ 0 };
    advance(&walker, &going, walked);
    finish(&walker, from, motion, &going, walked);
    if (!is_same_place(from, walker.place) && realm_owner_move(&step->engine, owner, walker.place) != REALM_DONE) {
        realm_count_wait(step);
        return false;
    }
    *motion = going;
    realm_owner_place(&step->engine, owner, &walked->place);
    return true;
}
