// realm_sweep_room.c: the way of a path through the outdoors, portals and rooms.
//
// Where the centre of a sphere may be indoors is a union of boxes: a room less the radius on every side, and a gate for each portal: the portal's
// rectangle less the radius, and as deep as the sphere reaches on both sides of its plane. The path goes from box to box; where it leaves one
// and is in no other, there is a wall. Outdoors it is free but for terrain and buildings; where it meets a building in front of one of its
// outer portals, it goes on in the gate.
#include "realm_sweep.h"

enum {
    GATE_DEPTH = 80,  // raw: past the reach of the sphere and its skin, and what one step of a path may be long
    ROOMS_MAX = 64,   // boxes of one path: more than a path of 24 units can need; a forged maze ends at a wall
};

// A portal with what it joins, in the frame's coordinates.
typedef struct Gate {
    RealmBounds free;
    uint32_t    inside;   // cell (link) whose portal it is
    uint32_t    other;    // cell behind it; 0: outdoors, or nothing
    bool        is_outer;
    RealmSolid  building; // of an outer one
} Gate;

typedef enum Where { OUTDOORS, ROOM, GATE, END } Where;

typedef struct Way {
    RealmSweeper *sweeper;
    Where         where;
    int32_t       k;
    RealmBounds   box;  // ROOM, GATE
    uint32_t      cell; // ROOM
    Gate          gate; // GATE
} Way;

static bool is_in(const RealmBounds *box, const int64_t centre[3])
{
    for (int i = 0; i < 3; i++) {
        if (centre[i] < box->low[i] || centre[i] > box->high[i]) {
            return false;
        }
    }
    return true;
}

static void shift_of(const RealmSweeper *sweeper, uint32_t leaf, int64_t shift[3])
{
    const RealmBlock *block = realm_block_at(sweeper->engine, realm_leaf_at(sweeper->engine, leaf)->block);
    realm_query_shift(sweeper->frame, block->prefix, &shift[0], &shift[1]);
    shift[2] = 0;
}

static RealmBounds box_of(const tp_fx low[3], const tp_fx high[3], const int64_t shift[3], int64_t less)
{
    RealmBounds box;
    for (int i = 0; i < 3; i++) {
        box.low[i] = low[i].raw + shift[i] + less;
        box.high[i] = high[i].raw + shift[i] - less;
    }
    return box;
}

static RealmBounds room_of(const RealmSweeper *sweeper, uint32_t cell, int64_t less)
{
    const RealmCell *value = realm_cell_at(sweeper->engine, cell);
    int64_t          shift[3];
    shift_of(sweeper, value->leaf, shift);
    return box_of(value->low, value->high, shift, less);
}

static bool is_in_room(const RealmSweeper *sweeper, uint32_t cell, const int64_t centre[3])
{
    RealmBounds room = room_of(sweeper, cell, sweeper->radius);
    return is_in(&room, centre);
}

static RealmSolid building_solid(const RealmSweeper *sweeper, const RealmBuilding *building)
{
    int64_t shift[3];
    shift_of(sweeper, building->leaf, shift);
    RealmBounds box = box_of(building->low, building->high, shift, 0);
    RealmSolid  solid = { .shape = REALM_SHAPE_BOX };
    for (int i = 0; i < 3; i++) {
        solid.low[i] = box.low[i];
        solid.high[i] = box.high[i];
    }
    return solid;
}

// The building that a cell belongs to; 0 for none.
static uint32_t building_of(const RealmSweeper *sweeper, const RealmCell *cell)
{
    uint32_t link = realm_leaf_at(sweeper->engine, cell->leaf)->building_first;
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmBuilding *building = realm_building_at(sweeper->engine, link);
        if (cell->number >= building->first_cell && cell->number - building->first_cell < building->cells) {
            return link;
        }
        link = building->next;
    }
    return 0;
}

// The gate's depth on the portal's axis. Inwards it does not reach to the far wall; outwards of an outer portal it reaches past the building.
static void deepen(const RealmSweeper *sweeper, Gate *gate, int axis, int64_t at)
{
    RealmBounds room = room_of(sweeper, gate->inside, 0);
    int64_t     reach = sweeper->radius + REALM_QUERY_SKIN;
    bool        is_up = at - room.low[axis] > room.high[axis] - at; // outwards is up
    int64_t     inner = is_up ? at - reach : at + reach;
    int64_t     outer = is_up ? at + reach : at - reach;
    int64_t     far = is_up ? room.low[axis] + sweeper->radius : room.high[axis] - sweeper->radius;
    if (is_up ? inner < far : inner > far) {
        inner = is_up ? (far < at ? far : at) : (far > at ? far : at);
    }
    if (gate->is_outer) {
        int64_t face = is_up ? gate->building.high[axis] : gate->building.low[axis];
        outer = is_up ? (face > at ? face : at) + reach + GATE_DEPTH : (face < at ? face : at) - reach - GATE_DEPTH;
    }
    gate->free.low[axis] = is_up ? inner : outer;
    gate->free.high[axis] = is_up ? outer : inner;
}

static void gate_of(const RealmSweeper *sweeper, uint32_t cell, uint32_t portal, Gate *gate)
{
    const RealmCell *value = realm_cell_at(sweeper->engine, cell);
    int              axis = value->portal_axis[portal];
    int              first = axis == 0 ? 1 : 0;
    int              second = axis == 2 ? 1 : 2;
    int64_t          shift[3];
    shift_of(sweeper, value->leaf, shift);
    gate->inside = cell;
    gate->is_outer = value->portal_other[portal] == REALM_OUTSIDE;
    gate->other = gate->is_outer ? 0 : realm_leaf_cell(sweeper->engine, value->leaf, value->portal_other[portal]);
    uint32_t building = gate->is_outer ? building_of(sweeper, value) : 0;
    gate->building = building != 0 ? building_solid(sweeper, realm_building_at(sweeper->engine, building)) : (RealmSolid){ 0 };
    if (gate->is_outer && building == 0) {
        gate->building.shape = REALM_SHAPE_BOX;
        RealmBounds room = room_of(sweeper, cell, 0);
        for (int i = 0; i < 3; i++) {
            gate->building.low[i] = room.low[i];
            gate->building.high[i] = room.high[i];
        }
    }
    gate->free.low[first] = value->portal_low_1[portal].raw + shift[first] + sweeper->radius;
    gate->free.high[first] = value->portal_high_1[portal].raw + shift[first] - sweeper->radius;
    gate->free.low[second] = value->portal_low_2[portal].raw + shift[second] + sweeper->radius;
    gate->free.high[second] = value->portal_high_2[portal].raw + shift[second] - sweeper->radius;
    deepen(sweeper, gate, axis, value->portal_at[portal].raw + shift[axis]);
}

// The first of a cell's gates that the centre is in.
static bool find_gate(const RealmSweeper *sweeper, uint32_t cell, bool is_outer_only, const int64_t centre[3], Gate *gate)
{
    const RealmCell *value = realm_cell_at(sweeper->engine, cell);
    for (uint32_t i = 0; i < value->portals && i < REALM_PORTALS; i++) {
        bool is_outer = value->portal_other[i] == REALM_OUTSIDE;
        if (is_outer || !is_outer_only) {
            gate_of(sweeper, cell, i, gate);
            if ((gate->is_outer || gate->other != 0) && is_in(&gate->free, centre)) {
                return true;
            }
        }
    }
    return false;
}

static bool find_building_gate(const RealmSweeper *sweeper, const RealmBuilding *building, const int64_t centre[3], Gate *gate)
{
    uint32_t link = realm_leaf_at(sweeper->engine, building->leaf)->cell_first;
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmCell *cell = realm_cell_at(sweeper->engine, link);
        if (cell->number >= building->first_cell && cell->number - building->first_cell < building->cells &&
            find_gate(sweeper, link, true, centre, gate)) {
            return true;
        }
        link = cell->next;
    }
    return false;
}

static void enter_gate(Way *way, const Gate *gate, int32_t k)
{
    way->where = GATE;
    way->gate = *gate;
    way->box = gate->free;
    way->k = k;
}

static void enter_room(Way *way, uint32_t cell, int32_t k)
{
    way->where = ROOM;
    way->cell = cell;
    way->box = room_of(way->sweeper, cell, way->sweeper->radius);
    way->k = k;
}

static void stop(Way *way, int32_t k, RealmHitKind kind, RealmVector normal)
{
    realm_sweeper_meet(way->sweeper, k, kind, 0, normal);
    way->where = END;
}

// ---- Buildings ----

typedef struct Meeting {
    int32_t              k; // past the end: none
    const RealmBuilding *building;
    RealmSolid           solid;
} Meeting;

static bool is_near(const RealmSweeper *sweeper, const RealmSolid *solid)
{
    for (int i = 0; i < 3; i++) {
        if (sweeper->bounds.low[i] - GATE_DEPTH > solid->high[i] || sweeper->bounds.high[i] + GATE_DEPTH < solid->low[i]) {
            return false;
        }
    }
    return true;
}

// Calls `visit` for each building near the path until it says true.
typedef bool BuildingVisitor(void *context, const RealmBuilding *building, const RealmSolid *solid);

static bool visit_leaf(const RealmSweeper *sweeper, uint32_t leaf, BuildingVisitor *visit, void *context)
{
    uint32_t link = realm_leaf_at(sweeper->engine, leaf)->building_first;
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmBuilding *building = realm_building_at(sweeper->engine, link);
        RealmSolid           solid = building_solid(sweeper, building);
        if (is_near(sweeper, &solid) && visit(context, building, &solid)) {
            return true;
        }
        link = building->next;
    }
    return false;
}

static bool visit_buildings(const RealmSweeper *sweeper, BuildingVisitor *visit, void *context)
{
    int64_t first[2], last[2];
    for (int axis = 0; axis < 2; axis++) {
        int64_t own = axis == 0 ? realm_prefix_x(sweeper->frame) : realm_prefix_y(sweeper->frame);
        first[axis] = own + tp_div_floor_i64(sweeper->bounds.low[axis] - GATE_DEPTH, REALM_BLOCK_RAW);
        last[axis] = own + tp_div_floor_i64(sweeper->bounds.high[axis] + GATE_DEPTH, REALM_BLOCK_RAW);
        first[axis] = first[axis] < 0 ? 0 : first[axis];
        last[axis] = last[axis] < REALM_WORLD_MAX ? last[axis] : REALM_WORLD_MAX - 1;
    }
    for (int64_t x = first[0]; x <= last[0]; x++) {
        for (int64_t y = first[1]; y <= last[1]; y++) {
            uint32_t leaf = realm_view_full_leaf(sweeper->engine, sweeper->view, realm_prefix_at((uint32_t)x, (uint32_t)y));
            if (leaf != 0 && visit_leaf(sweeper, leaf, visit, context)) {
                return true;
            }
        }
    }
    return false;
}

typedef struct Search {
    const Way *way;
    Meeting    met;
    int64_t    centre[3];
    Gate       gate;
} Search;

static bool visit_meeting(void *context, const RealmBuilding *building, const RealmSolid *solid)
{
    Search             *search = context;
    const RealmSweeper *sweeper = search->way->sweeper;
    int32_t             k;
    int32_t             to = sweeper->end < REALM_PATH_END ? sweeper->end + 1 : REALM_PATH_END;
    if (realm_solid_sweep(solid, &sweeper->path, sweeper->radius + REALM_QUERY_SKIN, search->way->k, to, &k) && k < search->met.k) {
        search->met = (Meeting){ k, building, *solid };
    }
    return false;
}

static bool visit_gate(void *context, const RealmBuilding *building, const RealmSolid *solid)
{
    Search *search = context;
    (void)solid;
    return find_building_gate(search->way->sweeper, building, search->centre, &search->gate);
}

static void walk_outdoors(Way *way)
{
    RealmSweeper *sweeper = way->sweeper;
    Search        search = { .way = way, .met = { .k = REALM_PATH_END + 1 } };
    visit_buildings(sweeper, visit_meeting, &search);
    int32_t to = search.met.k < sweeper->end ? search.met.k : sweeper->end;
    if (realm_sweep_terrain(sweeper, way->k, to) || search.met.k > sweeper->end) {
        way->where = END;
        return;
    }
    realm_path_at(&sweeper->path, search.met.k, search.centre);
    if (find_building_gate(sweeper, search.met.building, search.centre, &search.gate)) {
        enter_gate(way, &search.gate, search.met.k);
    } else {
        stop(way, search.met.k, REALM_HIT_BUILDING, realm_solid_normal(&search.met.solid, search.centre));
    }
}

// ---- Boxes ----

static bool is_in_box_at(const Way *way, int32_t k)
{
    int64_t centre[3];
    realm_path_at(&way->sweeper->path, k, centre);
    return is_in(&way->box, centre);
}

// The last step in the box; it is in it now. Each coordinate moves one way, so that a path that has left never comes back.
static int32_t last_inside(const Way *way)
{
    int32_t inside = way->k, outside = way->sweeper->end;
    if (is_in_box_at(way, outside)) {
        return outside;
    }
    while (outside - inside > 1) {
        int32_t middle = inside + (outside - inside) / 2;
        if (is_in_box_at(way, middle)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return inside;
}

static RealmVector side_normal(const RealmBounds *box, const int64_t centre[3])
{
    int32_t part[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; i++) {
        if (centre[i] < box->low[i] || centre[i] > box->high[i]) {
            part[i] = centre[i] < box->low[i] ? REALM_UNIT : -REALM_UNIT;
            break;
        }
    }
    return (RealmVector){ { part[0] }, { part[1] }, { part[2] } };
}

static bool leave_room(Way *way, const int64_t next[3], int32_t k)
{
    Gate gate;
    if (!find_gate(way->sweeper, way->cell, false, next, &gate)) {
        return false;
    }
    enter_gate(way, &gate, k);
    return true;
}

// In front of the building, and no part of the sphere in it any more.
static bool is_out(const Way *way, const int64_t next[3])
{
    int64_t radius = way->sweeper->radius > 0 ? way->sweeper->radius : 1;
    return way->gate.is_outer && !realm_solid_overlaps(&way->gate.building, next, radius);
}

static bool leave_gate(Way *way, const int64_t next[3], int32_t k)
{
    Gate old = way->gate, gate;
    if (is_in_room(way->sweeper, old.inside, next)) {
        enter_room(way, old.inside, k);
    } else if (old.other != 0 && is_in_room(way->sweeper, old.other, next)) {
        enter_room(way, old.other, k);
    } else if (is_out(way, next)) {
        way->where = OUTDOORS;
        way->k = k;
    } else if (find_gate(way->sweeper, old.inside, false, next, &gate) ||
               (old.other != 0 && find_gate(way->sweeper, old.other, false, next, &gate))) {
        enter_gate(way, &gate, k);
    } else {
        return false;
    }
    return true;
}

static void walk_box(Way *way)
{
    int64_t next[3];
    int32_t k = last_inside(way);
    if (k >= way->sweeper->end) {
        way->where = END;
        return;
    }
    realm_path_at(&way->sweeper->path, k + 1, next);
    if (way->where == ROOM ? !leave_room(way, next, k + 1) : !leave_gate(way, next, k + 1)) {
        stop(way, k, REALM_HIT_WALL, side_normal(&way->box, next));
    }
}

// A start too near to a wall, or in a room too small for the sphere: the room is as much larger as it takes.
static void start_in_room(Way *way, uint32_t cell, const int64_t centre[3])
{
    Gate gate;
    enter_room(way, cell, 0);
    if (is_in(&way->box, centre)) {
        return;
    }
    if (find_gate(way->sweeper, cell, false, centre, &gate)) {
        enter_gate(way, &gate, 0);
        return;
    }
    for (int i = 0; i < 3; i++) {
        int64_t middle = (way->box.low[i] + way->box.high[i]) / 2;
        int64_t low = way->box.low[i] < middle ? way->box.low[i] : middle;
        int64_t high = way->box.high[i] > middle ? way->box.high[i] : middle;
        way->box.low[i] = low < centre[i] ? low : centre[i];
        way->box.high[i] = high > centre[i] ? high : centre[i];
    }
}

void realm_sweep_way(RealmSweeper *sweeper, uint32_t indoor, bool *is_outdoors)
{
    Way way = { .sweeper = sweeper, .where = OUTDOORS };
    if (indoor != 0) {
        start_in_room(&way, indoor, sweeper->path.start);
    } else {
        Search search = { .way = &way, .centre = { sweeper->path.start[0], sweeper->path.start[1], sweeper->path.start[2] } };
        if (visit_buildings(sweeper, visit_gate, &search)) {
            enter_gate(&way, &search.gate, 0);
        }
    }
    for (int i = 0; way.where != END; i++) {
        *is_outdoors = way.where == OUTDOORS;
        if (i == ROOMS_MAX) {
            stop(&way, way.k, REALM_HIT_WALL, (RealmVector){ { 0 }, { 0 }, { REALM_UNIT } });
        } else if (way.where == OUTDOORS) {
            walk_outdoors(&way);
        } else {
            walk_box(&way);
        }
    }
}
