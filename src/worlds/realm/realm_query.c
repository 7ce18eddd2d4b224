// realm_query.c: what is where: cells, owners, ground. Sweeps are in realm_sweep.c.
#include "realm_query_visit.h"

uint32_t realm_query_cell(const RealmEngine *engine, RealmView view, RealmPlace place)
{
    uint32_t home, indoor;
    return realm_flood_cell(engine, view, place, &home, &indoor);
}

// ---- Owners ----

static uint32_t first_row(const RealmEngine *engine, const RealmFloodRow *cell)
{
    return cell->cell != 0 ? realm_cell_at(engine, cell->cell)->bucket : realm_outdoor_bucket(engine, cell->leaf, cell->outdoor);
}

static bool is_visited(const RealmFlood *cells, const RealmRow *row)
{
    for (uint32_t i = 0; i < cells->count; i++) {
        const RealmFloodRow *cell = &cells->rows[i];
        if (cell->leaf == row->leaf && cell->cell == row->cell && (row->cell != 0 || cell->outdoor == row->outdoor)) {
            return true;
        }
    }
    return false;
}

// An owner is visited in the first of its set's rows that lies in a visited cell, and there only.
static bool is_first_visit(const RealmEngine *engine, const RealmFlood *cells, uint32_t row, const RealmSet *set)
{
    uint32_t link = set->row_first;
    for (uint32_t i = 0; link != 0 && link != row && i < REALM_ROWS_PER_SET; i++) {
        const RealmRow *earlier = realm_row_at(engine, link);
        if (is_visited(cells, earlier)) {
            return false;
        }
        link = earlier->next_of_set;
    }
    return true;
}

void realm_query_visit(const RealmEngine *engine, RealmView view, const RealmFlood *cells, RealmVisitor *visitor, void *context)
{
    for (uint32_t i = 0; i < cells->count; i++) {
        uint32_t link = first_row(engine, &cells->rows[i]);
        for (uint32_t n = 0; link != 0 && n < engine->row_count; n++) {
            const RealmRow *row = realm_row_at(engine, link);
            const RealmSet *set = realm_set_at(engine, row->set);
            if (is_first_visit(engine, cells, link, set) && realm_view_sees_set(engine, view, row->set)) {
                visitor(context, set->owner);
            }
            link = row->next;
        }
    }
}

void realm_query_shift(uint16_t frame, uint16_t prefix, int64_t *x, int64_t *y)
{
    *x = ((int64_t)realm_prefix_x(prefix) - realm_prefix_x(frame)) * REALM_BLOCK_RAW;
    *y = ((int64_t)realm_prefix_y(prefix) - realm_prefix_y(frame)) * REALM_BLOCK_RAW;
}

uint32_t realm_query_solids(const RealmEngine *engine, uint16_t frame, uint32_t owner, RealmSolid solids[REALM_PARTS_MAX])
{
    const RealmOwner *value = realm_owner_at(engine, owner);
    const RealmSetup *setup = realm_catalog_at(value->setup);
    uint32_t          count = setup == NULL ? 0 : (uint32_t)setup->parts;
    int64_t           x, y;
    realm_query_shift(frame, realm_prefix(value->cell), &x, &y);
    // Nothing reaches further than into the next landblock, and a query no further either: a row that says so is forged.
    if (x < -2 * REALM_BLOCK_RAW || x > 2 * REALM_BLOCK_RAW || y < -2 * REALM_BLOCK_RAW || y > 2 * REALM_BLOCK_RAW) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        solids[i] = realm_part_solid(&setup->part[i], value->turn, x + value->x.raw, y + value->y.raw, value->z.raw);
    }
    return count;
}

typedef struct Overlaps {
    const RealmEngine *engine;
    uint16_t           frame;
    int64_t            centre[3];
    int64_t            radius;
    uint32_t          *owners;
    uint32_t           capacity;
    uint32_t           count;
} Overlaps;

// The lowest links, in order; the highest falls off the end.
bool realm_query_comes_first(const RealmEngine *engine, uint32_t a, uint32_t b)
{
    uint32_t id_a = a != 0 ? realm_owner_at(engine, a)->id : 0, id_b = b != 0 ? realm_owner_at(engine, b)->id : 0;
    return id_a != id_b ? id_a < id_b : a < b;
}

static void keep_lowest(Overlaps *overlaps, uint32_t owner)
{
    uint32_t kept = overlaps->count < overlaps->capacity ? overlaps->count : overlaps->capacity;
    overlaps->count++;
    uint32_t at = kept;
    while (at > 0 && realm_query_comes_first(overlaps->engine, owner, overlaps->owners[at - 1])) {
        at--;
    }
    for (uint32_t i = kept < overlaps->capacity ? kept : kept - (kept > 0); i > at; i--) {
        overlaps->owners[i] = overlaps->owners[i - 1];
    }
    if (at < overlaps->capacity) {
        overlaps->owners[at] = owner;
    }
}

static void visit_overlap(void *context, uint32_t owner)
{
    Overlaps  *overlaps = context;
    RealmSolid solids[REALM_PARTS_MAX];
    uint32_t   count = realm_query_solids(overlaps->engine, overlaps->frame, owner, solids);
    for (uint32_t i = 0; i < count; i++) {
        if (realm_solid_overlaps(&solids[i], overlaps->centre, overlaps->radius)) {
            keep_lowest(overlaps, owner);
            return;
        }
    }
}

uint32_t realm_query_overlaps(const RealmEngine *engine, RealmView view, RealmPlace centre, tp_fx radius, uint32_t *owners, uint32_t capacity)
{
    TP_ASSERT(radius.raw >= 0 && radius.raw <= REALM_SETUP_REACH_MAX);
    Overlaps overlaps = { .engine = engine, .frame = realm_prefix(centre.cell), .centre = { centre.x.raw, centre.y.raw, centre.z.raw },
                          .radius = radius.raw, .owners = owners, .capacity = capacity };
    RealmBounds bounds;
    RealmFlood  cells;
    for (int i = 0; i < 3; i++) {
        bounds.low[i] = overlaps.centre[i] - radius.raw;
        bounds.high[i] = overlaps.centre[i] + radius.raw;
    }
    realm_flood_bounds(engine, view, centre, &bounds, 1, false, &cells);
    realm_query_visit(engine, view, &cells, visit_overlap, &overlaps);
    return overlaps.count;
}

// ---- Ground ----

static RealmGround level_ground(tp_fx z)
{
    return (RealmGround){ .is_known = true, .is_walkable = true, .z = z, .normal = { { 0 }, { 0 }, { REALM_UNIT } } };
}

static RealmGround terrain_ground(const RealmLeaf *leaf, RealmPlace place)
{
    RealmSlope slope = realm_terrain_slope(leaf->heights, realm_prefix(place.cell), place.x.raw, place.y.raw);
    return (RealmGround){ .is_known = true, .is_walkable = realm_slope_is_walkable(slope) && leaf->water != REALM_WATER_FULL,
                          .is_terrain = true, .water = leaf->water, .z = realm_slope_height(slope), .normal = realm_slope_normal(slope) };
}

// The portal in a cell's floor under the place; the count of portals when there is none.
static uint32_t floor_portal(const RealmCell *cell, RealmPlace place)
{
    uint32_t i = 0;
    while (i < cell->portals &&
           !(cell->portal_axis[i] == 2 && cell->portal_at[i].raw <= cell->low[2].raw + REALM_PORTAL_SLACK &&
             place.x.raw >= cell->portal_low_1[i].raw && place.x.raw < cell->portal_high_1[i].raw &&
             place.y.raw >= cell->portal_low_2[i].raw && place.y.raw < cell->portal_high_2[i].raw)) {
        i++;
    }
    return i;
}

// The floor of the cell, or of what lies below it through holes. 0: the hole leads outdoors, or nowhere.
static uint32_t floor_cell(const RealmEngine *engine, uint32_t leaf, uint32_t cell, RealmPlace place)
{
    for (uint32_t i = 0; cell != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmCell *value = realm_cell_at(engine, cell);
        uint32_t         portal = floor_portal(value, place);
        if (portal == value->portals) {
            return cell;
        }
        uint16_t other = value->portal_other[portal];
        cell = other == REALM_OUTSIDE ? 0 : realm_leaf_cell(engine, leaf, other);
    }
    return cell; // content that leads in a circle: wherever that stops
}

static bool is_on_roof(const RealmBuilding *building, RealmPlace place, int64_t above)
{
    return place.x.raw >= building->low[0].raw && place.x.raw < building->high[0].raw && place.y.raw >= building->low[1].raw &&
           place.y.raw < building->high[1].raw && building->high[2].raw <= place.z.raw && building->high[2].raw > above;
}

static RealmGround outdoor_ground(const RealmEngine *engine, uint32_t leaf, RealmPlace place)
{
    const RealmLeaf *value = realm_leaf_at(engine, leaf);
    RealmGround      ground = terrain_ground(value, place);
    uint32_t         link = value->building_first;
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmBuilding *building = realm_building_at(engine, link);
        if (is_on_roof(building, place, ground.z.raw)) {
            ground = level_ground(building->high[2]);
        }
        link = building->next;
    }
    return ground;
}

RealmGround realm_query_ground(const RealmEngine *engine, RealmView view, RealmPlace place)
{
    uint32_t home, indoor;
    if (realm_flood_cell(engine, view, place, &home, &indoor) == 0) {
        return (RealmGround){ 0 };
    }
    uint32_t cell = floor_cell(engine, home, indoor, place);
    return cell != 0 ? level_ground(realm_cell_at(engine, cell)->low[2]) : outdoor_ground(engine, home, place);
}
