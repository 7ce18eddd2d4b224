// realm_flood.c: which cells an owner overlaps.
//
// Outdoors it is a range of cells for each part, half-open: what ends exactly on an edge does not reach over it. Indoors it spreads from
// cell to cell through portals that a part touches, breadth first, over a list of cells and a bitmap of those that are in it; from outdoors it
// enters buildings through their outer portals, and from indoors an outer portal leads to everything outdoors.
//
// Order of the rows: outdoor cells first, then indoor ones, each in rising order of (landblock prefix, cell number). A body's bounds touch at most
// 100 outdoor cells and nine landblocks with REALM_INDOOR_MAX indoor ones each, and REALM_ROWS_PER_SET is that: none is ever left out, so the rows
// in one landblock do not depend on whether another is there.
//
// Everything is bounded whatever the state says: lists of cells and buildings by their most, the spread by the bitmap. Coordinates stay below
// 2^27 raw: three landblocks, or 2048 units of height.
#include "realm_flood.h"

enum { OWN = 4 }; // slot of the own landblock among the nine

// The nine landblocks around the place's, slot (x + 1) * 3 + y + 1: rising prefix.
typedef struct Flood {
    const RealmEngine *engine;
    RealmView          view;
    uint16_t           prefix;
    const RealmBounds *bounds;
    uint32_t           count;
    uint32_t           touched;                      // bit per slot whose outdoor mask below is set up
    uint64_t           outdoor[REALM_TOUCH_BLOCKS];  // valid for slots in `touched`: bit number - 1
    uint32_t           indoor_slots;                 // bit per slot whose indoor mask is set up
    uint64_t           indoor[REALM_TOUCH_BLOCKS];   // bit number - REALM_INDOOR_FIRST
    bool               is_outside;                   // an outer portal was passed
} Flood;

// One landblock's cells by number, and the spread through them.
typedef struct Spread {
    Flood             *flood;
    int64_t            shift_x, shift_y; // from the landblock's coordinates to those of the bounds
    uint64_t           known;            // bits of cells that exist
    uint64_t           reached;
    uint32_t           queued;
    uint32_t           link[REALM_INDOOR_MAX]; // valid for bits of `known`
    uint8_t            queue[REALM_INDOOR_MAX];
} Spread;

static bool contains(const RealmCell *cell, RealmPlace place)
{
    return place.x.raw >= cell->low[0].raw && place.x.raw < cell->high[0].raw && place.y.raw >= cell->low[1].raw &&
           place.y.raw < cell->high[1].raw && place.z.raw >= cell->low[2].raw && place.z.raw < cell->high[2].raw;
}

uint32_t realm_flood_cell(const RealmEngine *engine, RealmView view, RealmPlace place, uint32_t *home, uint32_t *indoor)
{
    uint16_t prefix = realm_prefix(place.cell);
    *indoor = 0;
    *home = realm_prefix_is_inside(prefix) ? realm_view_full_leaf(engine, view, prefix) : 0;
    if (*home == 0) {
        return 0;
    }
    uint32_t link = realm_leaf_at(engine, *home)->cell_first; // in rising order of number
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmCell *cell = realm_cell_at(engine, link);
        if (contains(cell, place)) {
            *indoor = link;
            return (uint32_t)prefix << 16 | cell->number;
        }
        link = cell->next;
    }
    return (uint32_t)prefix << 16 |
           realm_outdoor_number((uint32_t)(place.x.raw / REALM_CELL_RAW), (uint32_t)(place.y.raw / REALM_CELL_RAW));
}

// ---- Outdoors ----

// First and last cell of a half-open range, counted from the own landblock's first and kept inside the nine landblocks.
static void cell_range(int64_t low, int64_t high, int32_t *first, int32_t *last)
{
    const int64_t offset = (int64_t)REALM_CELLS_ACROSS * REALM_CELL_RAW; // so that divisions are of positive numbers
    int64_t       least = low + offset;
    int64_t       most = high + offset - 1;
    *first = least < 0 ? 0 : (int32_t)(least / REALM_CELL_RAW);
    *last = most < 0 ? 0 : (int32_t)(most / REALM_CELL_RAW);
    *last = *last < *first ? *first : *last;
    *last = *last > 3 * REALM_CELLS_ACROSS - 1 ? 3 * REALM_CELLS_ACROSS - 1 : *last;
    *first -= REALM_CELLS_ACROSS;
    *last -= REALM_CELLS_ACROSS;
}

static void touch_slot(Flood *flood, uint32_t slot, uint64_t mask)
{
    if ((flood->touched >> slot & 1) == 0) {
        flood->touched |= 1u << slot;
        flood->outdoor[slot] = 0;
    }
    flood->outdoor[slot] |= mask;
}

// Bits of the cells [first, last] that lie in landblock `side` (-1, 0, 1) on one axis.
static uint32_t side_bits(int32_t first, int32_t last, int32_t side)
{
    int32_t from = first - side * REALM_CELLS_ACROSS;
    int32_t to = last - side * REALM_CELLS_ACROSS;
    from = from < 0 ? 0 : from;
    to = to > REALM_CELLS_ACROSS - 1 ? REALM_CELLS_ACROSS - 1 : to;
    return from > to ? 0 : (0xFFu >> (7 - (to - from))) << from;
}

static uint64_t block_mask(uint32_t bits_x, uint32_t bits_y)
{
    uint64_t mask = 0;
    for (uint32_t x = 0; x < REALM_CELLS_ACROSS; x++) {
        mask |= (bits_x >> x & 1) != 0 ? (uint64_t)bits_y << (REALM_CELLS_ACROSS * x) : 0;
    }
    return mask;
}

static void touch_outdoors(Flood *flood, const RealmBounds *bounds)
{
    int32_t first_x, last_x, first_y, last_y;
    cell_range(bounds->low[0], bounds->high[0], &first_x, &last_x);
    cell_range(bounds->low[1], bounds->high[1], &first_y, &last_y);
    for (int32_t x = -1; x <= 1; x++) {
        uint32_t bits_x = side_bits(first_x, last_x, x);
        for (int32_t y = -1; bits_x != 0 && y <= 1; y++) {
            uint32_t bits_y = side_bits(first_y, last_y, y);
            if (bits_y != 0) {
                touch_slot(flood, (uint32_t)((x + 1) * REALM_SIDE_BLOCKS + y + 1), block_mask(bits_x, bits_y));
            }
        }
    }
}

static uint64_t own_bit(RealmPlace place)
{
    return UINT64_C(1) << (realm_outdoor_number((uint32_t)(place.x.raw / REALM_CELL_RAW), (uint32_t)(place.y.raw / REALM_CELL_RAW)) - 1);
}

static bool slot_prefix(const Flood *flood, uint32_t slot, uint16_t *prefix)
{
    int32_t x = (int32_t)realm_prefix_x(flood->prefix) + (int32_t)(slot / REALM_SIDE_BLOCKS) - 1;
    int32_t y = (int32_t)realm_prefix_y(flood->prefix) + (int32_t)(slot % REALM_SIDE_BLOCKS) - 1;
    if (x < 0 || y < 0 || x >= REALM_WORLD_MAX || y >= REALM_WORLD_MAX) {
        return false;
    }
    *prefix = realm_prefix_at((uint32_t)x, (uint32_t)y);
    return true;
}

static uint32_t slot_leaf(const Flood *flood, uint32_t slot)
{
    uint16_t prefix;
    return slot_prefix(flood, slot, &prefix) ? realm_view_full_leaf(flood->engine, flood->view, prefix) : 0;
}

// ---- Indoors ----

// A box in the landblock's coordinates, grown by the slack, closed.
static bool touches_box(const Spread *spread, const RealmBounds *bounds, const tp_fx low[3], const tp_fx high[3])
{
    const int64_t shift[3] = { spread->shift_x, spread->shift_y, 0 };
    for (int i = 0; i < 3; i++) {
        if (bounds->low[i] > high[i].raw + shift[i] + REALM_PORTAL_SLACK || bounds->high[i] < low[i].raw + shift[i] - REALM_PORTAL_SLACK) {
            return false;
        }
    }
    return true;
}

// Within the slack of the plane, and overlapping the rectangle.
static bool touches_portal(const Spread *spread, const RealmBounds *bounds, const RealmCell *cell, uint32_t portal)
{
    const int64_t shift[3] = { spread->shift_x, spread->shift_y, 0 };
    int           axis = cell->portal_axis[portal];
    int           first = axis == 0 ? 1 : 0;
    int           second = axis == 2 ? 1 : 2;
    int64_t       at = cell->portal_at[portal].raw + shift[axis];
    return bounds->low[axis] <= at + REALM_PORTAL_SLACK && bounds->high[axis] >= at - REALM_PORTAL_SLACK &&
           bounds->low[first] < cell->portal_high_1[portal].raw + shift[first] &&
           bounds->high[first] > cell->portal_low_1[portal].raw + shift[first] &&
           bounds->low[second] < cell->portal_high_2[portal].raw + shift[second] &&
           bounds->high[second] > cell->portal_low_2[portal].raw + shift[second];
}

// Some part goes through the portal, into `behind` unless that is NULL.
static bool passes(const Spread *spread, const RealmCell *cell, uint32_t portal, const RealmCell *behind)
{
    for (uint32_t i = 0; i < spread->flood->count; i++) {
        const RealmBounds *bounds = &spread->flood->bounds[i];
        if (touches_portal(spread, bounds, cell, portal) && (behind == NULL || touches_box(spread, bounds, behind->low, behind->high))) {
            return true;
        }
    }
    return false;
}

// Enough to ask what is touched.
static void spread_place(Spread *spread, Flood *flood, uint32_t slot)
{
    spread->flood = flood;
    spread->shift_x = ((int64_t)(slot / REALM_SIDE_BLOCKS) - 1) * REALM_BLOCK_RAW;
    spread->shift_y = ((int64_t)(slot % REALM_SIDE_BLOCKS) - 1) * REALM_BLOCK_RAW;
}

static void spread_begin(Spread *spread, Flood *flood, uint32_t slot, uint32_t leaf)
{
    spread_place(spread, flood, slot);
    spread->known = 0;
    spread->queued = 0;
    spread->reached = (flood->indoor_slots >> slot & 1) != 0 ? flood->indoor[slot] : 0;
    uint32_t link = realm_leaf_at(flood->engine, leaf)->cell_first;
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmCell *cell = realm_cell_at(flood->engine, link);
        uint32_t         bit = (uint32_t)(cell->number - REALM_INDOOR_FIRST) & (REALM_INDOOR_MAX - 1);
        spread->known |= UINT64_C(1) << bit;
        spread->link[bit] = link;
        link = cell->next;
    }
}

static void spread_end(Spread *spread, uint32_t slot)
{
    spread->flood->indoor_slots |= 1u << slot;
    spread->flood->indoor[slot] = spread->reached;
}

static void reach(Spread *spread, uint32_t bit)
{
    if ((spread->reached >> bit & 1) == 0) {
        spread->reached |= UINT64_C(1) << bit;
        spread->queue[spread->queued++] = (uint8_t)bit; // each bit once: the queue holds them all
    }
}

static void spread_from(Spread *spread, const RealmCell *cell)
{
    for (uint32_t i = 0; i < cell->portals && i < REALM_PORTALS; i++) {
        uint32_t other = cell->portal_other[i];
        if (other == REALM_OUTSIDE) {
            spread->flood->is_outside = spread->flood->is_outside || passes(spread, cell, i, NULL);
            continue;
        }
        uint32_t bit = other - REALM_INDOOR_FIRST;
        if (bit >= REALM_INDOOR_MAX || (spread->known >> bit & 1) == 0 || (spread->reached >> bit & 1) != 0) {
            continue;
        }
        if (passes(spread, cell, i, realm_cell_at(spread->flood->engine, spread->link[bit]))) {
            reach(spread, bit);
        }
    }
}

static void spread_all(Spread *spread)
{
    for (uint32_t i = 0; i < spread->queued; i++) {
        spread_from(spread, realm_cell_at(spread->flood->engine, spread->link[spread->queue[i]]));
    }
}

static bool is_entered(const Spread *spread, const RealmCell *cell)
{
    for (uint32_t i = 0; i < cell->portals && i < REALM_PORTALS; i++) {
        if (cell->portal_other[i] == REALM_OUTSIDE && passes(spread, cell, i, cell)) {
            return true;
        }
    }
    return false;
}

static void enter_building(Spread *spread, const RealmBuilding *building)
{
    uint32_t first = (uint32_t)(building->first_cell - REALM_INDOOR_FIRST);
    for (uint32_t bit = first; bit < REALM_INDOOR_MAX && bit - first < building->cells; bit++) {
        if ((spread->known >> bit & 1) != 0 && (spread->reached >> bit & 1) == 0 &&
            is_entered(spread, realm_cell_at(spread->flood->engine, spread->link[bit]))) {
            reach(spread, bit);
        }
    }
}

static bool touches_building(const Spread *spread, const RealmBuilding *building)
{
    for (uint32_t i = 0; i < spread->flood->count; i++) {
        if (touches_box(spread, &spread->flood->bounds[i], building->low, building->high)) {
            return true;
        }
    }
    return false;
}

static void enter_buildings(Flood *flood, uint32_t slot, uint32_t leaf)
{
    uint32_t link = realm_leaf_at(flood->engine, leaf)->building_first;
    Spread   spread;
    bool     has_begun = false;
    spread_place(&spread, flood, slot);
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmBuilding *building = realm_building_at(flood->engine, link);
        if (touches_building(&spread, building)) {
            if (!has_begun) {
                spread_begin(&spread, flood, slot, leaf);
                has_begun = true;
            }
            enter_building(&spread, building);
        }
        link = building->next;
    }
    if (has_begun) {
        spread_all(&spread);
        spread_end(&spread, slot);
    }
}

// ---- Rows ----

// The cell the owner is in keeps a place to the end: `kept` is 1 until it has its row.
static void add_row(RealmFlood *out, uint32_t kept, RealmFloodRow row)
{
    if (out->count + kept < REALM_ROWS_PER_SET) {
        out->rows[out->count++] = row;
    }
}

static void emit_outdoors(RealmFlood *out, uint64_t mask, uint32_t leaf, uint32_t kept)
{
    for (uint32_t bit = 0; mask != 0; bit++, mask >>= 1) {
        if ((mask & 1) != 0) {
            add_row(out, kept, (RealmFloodRow){ leaf, 0, bit });
        }
    }
}

// The list of cells is in rising order of number.
static void emit_indoors(const Flood *flood, RealmFlood *out, uint64_t mask, uint32_t leaf, uint32_t own, uint32_t *kept)
{
    uint32_t link = realm_leaf_at(flood->engine, leaf)->cell_first;
    for (uint32_t i = 0; link != 0 && i < REALM_INDOOR_MAX; i++) {
        const RealmCell *cell = realm_cell_at(flood->engine, link);
        uint32_t         bit = (uint32_t)(cell->number - REALM_INDOOR_FIRST) & (REALM_INDOOR_MAX - 1);
        if (link == own) {
            *kept = 0;
        }
        if ((mask >> bit & 1) != 0) {
            add_row(out, *kept, (RealmFloodRow){ leaf, link, 0 });
        }
        link = cell->next;
    }
}

// A static that begins indoors keeps only what its first cell sees: cells of its own landblock.
static uint64_t seen_mask(const Flood *flood, uint32_t slot, uint32_t own, bool is_static)
{
    if (own == 0 || !is_static) {
        return ~UINT64_C(0);
    }
    const RealmCell *cell = realm_cell_at(flood->engine, own);
    uint64_t         bit = UINT64_C(1) << ((uint32_t)(cell->number - REALM_INDOOR_FIRST) & (REALM_INDOOR_MAX - 1));
    return slot == OWN ? cell->visible | bit : 0;
}

static void emit(const Flood *flood, RealmFlood *out, uint32_t own, bool is_static)
{
    uint32_t kept = own != 0;
    uint32_t leaf[REALM_TOUCH_BLOCKS];
    uint32_t slots = flood->touched | flood->indoor_slots;
    for (uint32_t slot = 0; slots >> slot != 0; slot++) {
        leaf[slot] = (slots >> slot & 1) != 0 ? slot_leaf(flood, slot) : 0;
        if ((flood->touched >> slot & 1) != 0 && leaf[slot] != 0) {
            emit_outdoors(out, flood->outdoor[slot], leaf[slot], kept);
        }
    }
    for (uint32_t slot = 0; flood->indoor_slots >> slot != 0; slot++) {
        if ((flood->indoor_slots >> slot & 1) != 0) {
            emit_indoors(flood, out, flood->indoor[slot] & seen_mask(flood, slot, own, is_static), leaf[slot], own, &kept);
        }
    }
}

// ---- All of it ----

static void start_indoors(Flood *flood, uint32_t home, uint32_t own)
{
    Spread spread;
    spread_begin(&spread, flood, OWN, home);
    reach(&spread, (uint32_t)(realm_cell_at(flood->engine, own)->number - REALM_INDOOR_FIRST) & (REALM_INDOOR_MAX - 1));
    spread_all(&spread);
    spread_end(&spread, OWN);
}

static void go_outside(Flood *flood)
{
    for (uint32_t i = 0; i < flood->count; i++) {
        touch_outdoors(flood, &flood->bounds[i]);
    }
    for (uint32_t slot = 0; flood->touched >> slot != 0; slot++) {
        uint32_t leaf = (flood->touched >> slot & 1) != 0 ? slot_leaf(flood, slot) : 0;
        if (leaf != 0 && realm_leaf_at(flood->engine, leaf)->building_first != 0) {
            enter_buildings(flood, slot, leaf);
        }
    }
}

void realm_flood_bounds(const RealmEngine *engine, RealmView view, RealmPlace place, const RealmBounds *bounds, uint32_t count, bool is_static,
                        RealmFlood *flood)
{
    uint32_t own;
    flood->count = 0;
    flood->cell = realm_flood_cell(engine, view, place, &flood->home, &own);
    flood->is_lost = flood->home == 0;
    if (flood->is_lost) {
        return;
    }
    // Not an initialiser: the masks need no clearing.
    Flood work;
    work.engine = engine;
    work.view = view;
    work.prefix = realm_prefix(place.cell);
    work.bounds = bounds;
    work.count = count;
    work.touched = 0;
    work.indoor_slots = 0;
    work.is_outside = own == 0;
    if (own != 0) {
        start_indoors(&work, flood->home, own);
    } else {
        touch_slot(&work, OWN, own_bit(place));
    }
    if (work.is_outside) {
        go_outside(&work);
    }
    emit(&work, flood, own, is_static);
}

RealmBody realm_owner_body(const RealmOwner *owner)
{
    return (RealmBody){ { owner->cell, owner->x, owner->y, owner->z }, owner->setup, owner->turn, owner->kind == REALM_STATIC };
}

static uint32_t body_bounds(const RealmBody *body, RealmBounds bounds[REALM_PARTS_MAX])
{
    const RealmSetup *setup = realm_catalog_at(body->setup);
    uint32_t          count = setup == NULL ? 0 : (uint32_t)setup->parts;
    for (uint32_t i = 0; i < count; i++) {
        RealmSolid solid = realm_part_solid(&setup->part[i], body->turn, body->place.x.raw, body->place.y.raw, body->place.z.raw);
        for (int axis = 0; axis < 3; axis++) {
            bounds[i].low[axis] = solid.low[axis];
            bounds[i].high[axis] = solid.high[axis];
        }
    }
    return count;
}

void realm_flood(const RealmEngine *engine, RealmView view, const RealmBody *body, RealmFlood *flood)
{
    RealmBounds bounds[REALM_PARTS_MAX];
    uint32_t    count = body_bounds(body, bounds);
    realm_flood_bounds(engine, view, body->place, bounds, count, body->is_static, flood);
}

uint32_t realm_body_blocks(const RealmBody *body, uint16_t prefixes[REALM_MEMBERS_PER_OWNER])
{
    RealmBounds bounds[REALM_PARTS_MAX];
    Flood       work;
    work.prefix = realm_prefix(body->place.cell);
    work.count = body_bounds(body, bounds);
    work.touched = 0;
    touch_slot(&work, OWN, 0);
    for (uint32_t i = 0; i < work.count; i++) {
        touch_outdoors(&work, &bounds[i]);
    }
    uint32_t found = 0;
    for (uint32_t slot = 0; work.touched >> slot != 0; slot++) {
        if ((work.touched >> slot & 1) != 0 && slot_prefix(&work, slot, &prefixes[found])) {
            found++;
        }
    }
    return found;
}
