// realm_sweep.c: a moving sphere. The path is walked in REALM_PATH_END steps; each part finds the last free step before it meets something, and
// the earliest wins. Terrain, buildings and walls come first, in realm_sweep_way, since they decide where the path leads; owners then
// only shorten it.
#include "realm_sweep.h"

void realm_sweeper_meet(RealmSweeper *sweeper, int32_t k, RealmHitKind kind, uint32_t owner, RealmVector normal)
{
    bool is_earlier = k < sweeper->end;
    if (k == sweeper->end) {
        is_earlier = sweeper->kind == REALM_HIT_NONE || kind < sweeper->kind || 
                     (kind == sweeper->kind && realm_query_comes_first(sweeper->engine, owner, sweeper->owner));
    }
    if (is_earlier) {
        sweeper->end = k;
        sweeper->kind = kind;
        sweeper->owner = owner;
        sweeper->normal = normal;
    }
}

static void visit_owner(void *context, uint32_t owner)
{
    RealmSweeper     *sweeper = context;
    const RealmSweep *sweep = sweeper->sweep;
    if (owner == sweep->ignore ||
        (sweep->blocking != REALM_QUERY_ANY_STATE && (realm_owner_at(sweeper->engine, owner)->state & sweep->blocking) == 0)) {
        return;
    }
    RealmSolid solids[REALM_PARTS_MAX];
    uint32_t   count = realm_query_solids(sweeper->engine, sweeper->frame, owner, solids);
    for (uint32_t i = 0; i < count; i++) {
        int32_t k;
        int32_t to = sweeper->end < REALM_PATH_END ? sweeper->end + 1 : REALM_PATH_END;
        if (realm_solid_sweep(&solids[i], &sweeper->path, sweeper->radius + REALM_QUERY_SKIN, 0, to, &k)) {
            int64_t centre[3];
            realm_path_at(&sweeper->path, k, centre);
            realm_sweeper_meet(sweeper, k, REALM_HIT_OWNER, owner, realm_solid_normal(&solids[i], centre));
        }
    }
}

static void sweeper_open(RealmSweeper *sweeper, const RealmEngine *engine, RealmView view, const RealmSweep *sweep)
{
    const int64_t start[3] = { sweep->place.x.raw, sweep->place.y.raw, sweep->place.z.raw };
    const int64_t delta[3] = { sweep->delta.x.raw, sweep->delta.y.raw, sweep->delta.z.raw };
    *sweeper = (RealmSweeper){ .engine = engine, .view = view, .sweep = sweep, .frame = realm_prefix(sweep->place.cell),
                               .radius = sweep->radius.raw, .end = REALM_PATH_END };
    TP_ASSERT(sweeper->radius >= 0 && sweeper->radius <= REALM_QUERY_RADIUS_MAX);
    for (int i = 0; i < 3; i++) {
        TP_ASSERT(delta[i] >= -REALM_QUERY_STEP_MAX && delta[i] <= REALM_QUERY_STEP_MAX);
        sweeper->path.start[i] = start[i];
        sweeper->path.delta[i] = delta[i];
        int64_t reach = sweeper->radius + REALM_QUERY_SKIN;
        sweeper->bounds.low[i] = start[i] + (delta[i] < 0 ? delta[i] : 0) - reach;
        sweeper->bounds.high[i] = start[i] + (delta[i] > 0 ? delta[i] : 0) + reach;
    }
}

static RealmHit sweeper_close(const RealmSweeper *sweeper, bool is_outdoors)
{
    int64_t  centre[3];
    RealmHit hit = { .kind = sweeper->kind, .fraction = { sweeper->end }, .place = sweeper->sweep->place, .normal = sweeper->normal };
    if (sweeper->owner != 0) {
        hit.owner = realm_owner_handle(sweeper->engine, sweeper->owner);
    }
    realm_path_at(&sweeper->path, sweeper->end, centre);
    int64_t lift = is_outdoors ? realm_sweep_lift(sweeper, sweeper->end) : 0;
    // A path of no length stays to the bit where it is.
    if (sweeper->end > 0 || lift > 0) {
        bool is_inside = realm_place_at(sweeper->frame, centre[0], centre[1], centre[2] + lift, &hit.place);
        TP_ASSERT(is_inside); // the path was cut at the edge of what is loaded
    }
    return hit;
}

RealmHit realm_query_sweep(const RealmEngine *engine, RealmView view, const RealmSweep *sweep)
{
    RealmSweeper sweeper;
    RealmFlood   cells;
    uint32_t     home, indoor;
    bool         is_outdoors = false;
    sweeper_open(&sweeper, engine, view, sweep);
    if (realm_flood_cell(engine, view, sweep->place, &home, &indoor) == 0 || !realm_sweep_edge(&sweeper)) {
        return (RealmHit){ .kind = REALM_HIT_EDGE, .place = sweep->place };
    }
    realm_sweep_way(&sweeper, indoor, &is_outdoors);
    realm_flood_bounds(engine, view, sweep->place, &sweeper.bounds, 1, false, &cells);
    realm_query_visit(engine, view, &cells, visit_owner, &sweeper);
    return sweeper_close(&sweeper, is_outdoors);
}
