// realm_sweep_ground.c: the edge of what is loaded, and the terrain under a path.
//
// The ground is made of planes, and within one plane the height of a path over it changes evenly: it is enough to look where the path crosses
// from one triangle into another, and at its end. Those places lie where x, y, x + y or x - y is a multiple of 24.
#include "realm_sweep.h"

enum {
    CROSSINGS_MAX = 2 * (2 + 2 + 3 + 3) + 1, // steps before and after: 24 units of x and of y, 48 of x + y and of x - y; and the end
};

// Full leaf of the landblock at so many landblocks from the frame, 0 for none.
static uint32_t leaf_at(const RealmSweeper *sweeper, int64_t x, int64_t y, uint16_t *prefix)
{
    x += realm_prefix_x(sweeper->frame);
    y += realm_prefix_y(sweeper->frame);
    if (x < 0 || y < 0 || x >= REALM_WORLD_MAX || y >= REALM_WORLD_MAX) {
        return 0;
    }
    *prefix = realm_prefix_at((uint32_t)x, (uint32_t)y);
    return realm_view_full_leaf(sweeper->engine, sweeper->view, *prefix);
}

// ---- Edge ----

static int64_t block_at(const RealmSweeper *sweeper, int axis, int32_t k)
{
    int32_t local;
    return realm_place_block(realm_path_part(&sweeper->path, axis, k), &local);
}

// First step in another landblock on this axis, past the end when there is none: a path is shorter than a landblock.
static int32_t block_change(const RealmSweeper *sweeper, int axis)
{
    int64_t first = block_at(sweeper, axis, 0);
    int32_t low = 0, high = REALM_PATH_END;
    if (block_at(sweeper, axis, high) == first) {
        return REALM_PATH_END + 1;
    }
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (block_at(sweeper, axis, middle) == first) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static bool is_loaded(const RealmSweeper *sweeper, int32_t k)
{
    uint16_t prefix;
    return leaf_at(sweeper, block_at(sweeper, 0, k), block_at(sweeper, 1, k), &prefix) != 0;
}

static void meet_edge(RealmSweeper *sweeper, int32_t step, int axis)
{
    int32_t     against = sweeper->path.delta[axis] < 0 ? REALM_UNIT : -REALM_UNIT;
    RealmVector normal = { { axis == 0 ? against : 0 }, { axis == 1 ? against : 0 }, { 0 } };
    realm_sweeper_meet(sweeper, step - 1, REALM_HIT_EDGE, 0, normal);
}

bool realm_sweep_edge(RealmSweeper *sweeper)
{
    const int32_t change[2] = { block_change(sweeper, 0), block_change(sweeper, 1) };
    if (!is_loaded(sweeper, 0)) {
        return false;
    }
    int first = change[1] < change[0];
    for (int i = 0; i < 2; i++) {
        int axis = i == 0 ? first : 1 - first;
        if (change[axis] <= REALM_PATH_END && !is_loaded(sweeper, change[axis])) {
            meet_edge(sweeper, change[axis], axis);
            return true;
        }
    }
    return true;
}

// ---- Terrain ----

// Raw bits between the ground and the sphere's lowest point, and the ground's slope. Where the sphere would be put: snapped to the edge of a
// landblock.
static int64_t clearance_put(const RealmSweeper *sweeper, int32_t k, RealmSlope *slope)
{
    uint16_t prefix;
    int32_t  x, y;
    int64_t  block_x = realm_place_block(realm_path_part(&sweeper->path, 0, k), &x);
    int64_t  block_y = realm_place_block(realm_path_part(&sweeper->path, 1, k), &y);
    uint32_t leaf = leaf_at(sweeper, block_x, block_y, &prefix);
    TP_ASSERT(leaf != 0); // the path was cut at the edge
    *slope = realm_terrain_slope(realm_leaf_at(sweeper->engine, leaf)->heights, prefix, x, y);
    return realm_path_part(&sweeper->path, 2, k) - sweeper->radius - realm_slope_height(*slope).raw;
}

// The same where the step is: a snap within the path would be a bump in it.
static int64_t clearance(const RealmSweeper *sweeper, int32_t k, RealmSlope *slope)
{
    uint16_t prefix;
    int64_t  x = realm_path_part(&sweeper->path, 0, k), y = realm_path_part(&sweeper->path, 1, k);
    int64_t  block_x = tp_div_floor_i64(x, REALM_BLOCK_RAW), block_y = tp_div_floor_i64(y, REALM_BLOCK_RAW);
    uint32_t leaf = leaf_at(sweeper, block_x, block_y, &prefix);
    if (leaf == 0) {
        return clearance_put(sweeper, k, slope); // just below an edge that it is snapped over
    }
    x -= block_x * REALM_BLOCK_RAW;
    y -= block_y * REALM_BLOCK_RAW;
    *slope = realm_terrain_slope(realm_leaf_at(sweeper->engine, leaf)->heights, prefix, x, y);
    return realm_path_part(&sweeper->path, 2, k) - sweeper->radius - realm_slope_height(*slope).raw;
}

// What slopes make of a horizontal error of so many raw bits.
static int64_t height_of(RealmSlope slope, int64_t error)
{
    int64_t x = slope.rise_x < 0 ? -slope.rise_x : slope.rise_x;
    int64_t y = slope.rise_y < 0 ? -slope.rise_y : slope.rise_y;
    return (x + y) * error / 24;
}

// Coordinates of a step are rounded by less than a raw bit each, and heights by one.
static int64_t rounding_of(RealmSlope slope)
{
    return height_of(slope, 1) + 3;
}

typedef struct Crossings {
    int32_t  step[CROSSINGS_MAX];
    uint32_t count;
} Crossings;

static void add_step(Crossings *crossings, int64_t step, int32_t from, int32_t to)
{
    if (step <= from || step >= to || crossings->count >= CROSSINGS_MAX - 1) {
        return;
    }
    uint32_t at = crossings->count++;
    while (at > 0 && crossings->step[at - 1] > step) {
        crossings->step[at] = crossings->step[at - 1];
        at--;
    }
    crossings->step[at] = (int32_t)step;
}

// Steps around every multiple of a cell's side that `start + delta * k` crosses.
static void add_crossings(Crossings *crossings, int64_t start, int64_t delta, int32_t from, int32_t to)
{
    int64_t end = start + delta;
    int64_t first = tp_div_floor_i64(start < end ? start : end, REALM_CELL_RAW) + 1;
    int64_t last = tp_div_floor_i64(start < end ? end : start, REALM_CELL_RAW);
    for (int64_t line = first; line <= last; line++) {
        int64_t step = (line * REALM_CELL_RAW - start) * REALM_PATH_END / delta; // delta is not 0: something was crossed
        add_step(crossings, step, from, to);
        add_step(crossings, step + 1, from, to);
    }
}

static void find_crossings(const RealmSweeper *sweeper, int32_t from, int32_t to, Crossings *crossings)
{
    const RealmPath *path = &sweeper->path;
    crossings->count = 0;
    add_crossings(crossings, path->start[0], path->delta[0], from, to);
    add_crossings(crossings, path->start[1], path->delta[1], from, to);
    add_crossings(crossings, path->start[0] + path->start[1], path->delta[0] + path->delta[1], from, to);
    add_crossings(crossings, path->start[0] - path->start[1], path->delta[0] - path->delta[1], from, to);
    crossings->step[crossings->count++] = to;
}

// Lower than it may be. What began in the ground may be as deep as it was.
static bool is_below(const RealmSweeper *sweeper, int32_t k, int64_t least, RealmSlope *slope)
{
    int64_t height = clearance(sweeper, k, slope);
    return height < least - rounding_of(*slope);
}

static void meet_terrain(RealmSweeper *sweeper, int32_t free, int32_t below, int64_t least)
{
    RealmSlope slope, met;
    while (below - free > 1) {
        int32_t middle = free + (below - free) / 2;
        if (is_below(sweeper, middle, least, &slope)) {
            below = middle;
        } else {
            free = middle;
        }
    }
    is_below(sweeper, below, least, &met);
    realm_sweeper_meet(sweeper, free, REALM_HIT_TERRAIN, 0, realm_slope_normal(met));
}

bool realm_sweep_terrain(RealmSweeper *sweeper, int32_t from, int32_t to)
{
    RealmSlope slope;
    Crossings  crossings;
    int64_t    height = clearance(sweeper, from, &slope);
    int64_t    least = height < 0 ? height : 0;
    find_crossings(sweeper, from, to, &crossings);
    int32_t free = from;
    for (uint32_t i = 0; i < crossings.count; i++) {
        if (is_below(sweeper, crossings.step[i], least, &slope)) {
            meet_terrain(sweeper, free, crossings.step[i], least);
            return true;
        }
        free = crossings.step[i];
    }
    return false;
}

int64_t realm_sweep_lift(const RealmSweeper *sweeper, int32_t k)
{
    RealmSlope slope;
    int64_t    height = clearance_put(sweeper, k, &slope);
    return height < 0 && height >= -rounding_of(slope) - height_of(slope, REALM_EDGE_SNAP) ? -height : 0;
}
