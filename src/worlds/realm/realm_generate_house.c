// realm_generate_house.c: houses: rooms on a grid, the doorways between them, what one sees from where.
#include "realm_generate_parts.h"

enum {
    ROOM_SIDE_MIN = 8,
    ROOM_SIDE_MAX = 12,
    PLOT_MARGIN = 3, // units of level ground around a house
    HATCH_SIDE = 3,  // between two floors, in the corner away from the front door and the next room
    HATCH_IN = 1,    // units from the walls
    CELLAR = 4,      // units that the box reaches below its ground
    ROOF = 1,
    SIGHT = 2,       // doorways that a room sees through
};

typedef struct Grid {
    uint32_t x, y, z;
} Grid;

// Rooms on the ground of two floors, or on the first arm of an L.
static uint32_t arm_of(uint32_t shape, uint32_t rooms)
{
    return shape == REALM_HOUSE_ROW ? rooms : (rooms + 1) / 2;
}

// Where a room is on the grid of an unturned house.
static Grid grid_at(const RealmHouse *house, uint32_t room)
{
    uint32_t arm = arm_of(house->shape, house->rooms);
    if (room < arm) {
        return (Grid){ room, 0, 0 };
    }
    if (house->shape == REALM_HOUSE_ELL) {
        return (Grid){ arm - 1, room - arm + 1, 0 };
    }
    return (Grid){ room - arm, 0, 1 };
}

static Grid grid_size(const RealmHouse *house)
{
    uint32_t arm = arm_of(house->shape, house->rooms), rest = house->rooms - arm;
    return (Grid){ arm, house->shape == REALM_HOUSE_ELL ? 1 + rest : 1, house->shape == REALM_HOUSE_FLOORS ? 2 : 1 };
}

static bool shape_fits(uint32_t shape, uint32_t rooms, uint32_t plot_cells)
{
    uint32_t arm_max = plot_cells == 2 ? 3 : 6;
    switch (shape) {
    case REALM_HOUSE_ROW: return rooms <= arm_max;
    case REALM_HOUSE_ELL: return rooms >= 3 && arm_of(shape, rooms) <= arm_max;
    default: return rooms % 2 == 0 && rooms / 2 <= arm_max;
    }
}

void realm_house_choose(RealmHouse *house, uint64_t hash)
{
    house->rooms = (uint8_t)(1 + hash % REALM_ROOMS_MAX);
    // Every number of rooms fits some shape: up to three a row, three and five an L, even ones two floors.
    uint32_t shape = (uint32_t)(hash >> 8) % 3;
    while (!shape_fits(shape, house->rooms, house->plot_cells)) {
        shape = (shape + 1) % 3;
    }
    house->shape = (uint8_t)shape;
    house->is_turned = hash >> 16 & 1;
    house->outer = (uint8_t)(1 + (hash >> 17 & 1));
    Grid     size = grid_size(house);
    uint32_t longest = size.x > size.y ? size.x : size.y;
    uint32_t span = house->plot_cells * REALM_CELL_SIZE - 2 * PLOT_MARGIN;
    uint32_t fits = span / longest < ROOM_SIDE_MAX ? span / longest : ROOM_SIDE_MAX;
    house->room = (uint8_t)(ROOM_SIDE_MIN + (hash >> 20) % (fits - ROOM_SIDE_MIN + 1));
    uint32_t free_x = span - (house->is_turned ? size.y : size.x) * house->room;
    uint32_t free_y = span - (house->is_turned ? size.x : size.y) * house->room;
    house->x = (uint8_t)(house->vertex_x * REALM_CELL_SIZE + PLOT_MARGIN + (hash >> 28) % (free_x + 1));
    house->y = (uint8_t)(house->vertex_y * REALM_CELL_SIZE + PLOT_MARGIN + (hash >> 40) % (free_y + 1));
}

static RealmBox box_of(const RealmHouse *house, Grid first, Grid size)
{
    Grid    from = house->is_turned ? (Grid){ first.y, first.x, first.z } : first;
    Grid    span = house->is_turned ? (Grid){ size.y, size.x, size.z } : size;
    int32_t low_x = (int32_t)(house->x + from.x * house->room), low_y = (int32_t)(house->y + from.y * house->room);
    int32_t floor = (int32_t)realm_height_table[house->level] * REALM_UNIT + (int32_t)from.z * REALM_ROOM_HEIGHT * REALM_UNIT;
    return (RealmBox){
        .low = { low_x * REALM_UNIT, low_y * REALM_UNIT, floor },
        .high = { (low_x + (int32_t)(span.x * house->room)) * REALM_UNIT, (low_y + (int32_t)(span.y * house->room)) * REALM_UNIT,
                  floor + (int32_t)span.z * REALM_ROOM_HEIGHT * REALM_UNIT },
    };
}

RealmBox realm_house_room(const RealmHouse *house, uint32_t room)
{
    return box_of(house, grid_at(house, room), (Grid){ 1, 1, 1 });
}

RealmBox realm_house_box(const RealmHouse *house)
{
    RealmBox box = box_of(house, (Grid){ 0, 0, 0 }, grid_size(house));
    box.low[2] -= CELLAR * REALM_UNIT;
    box.high[2] += ROOF * REALM_UNIT;
    return box;
}

// In the middle of a face across x or y, from the floor up.
static RealmOpening doorway(const RealmBox *box, uint32_t room, uint32_t axis, bool is_high)
{
    uint32_t along = 1 - axis;
    int32_t  middle = box->low[along] + (box->high[along] - box->low[along]) / 2;
    int32_t  half = REALM_DOORWAY_WIDTH * REALM_UNIT / 2;
    return (RealmOpening){
        .room = (uint8_t)room,
        .other = REALM_OPENING_OUTSIDE,
        .axis = (uint8_t)axis,
        .at = is_high ? box->high[axis] : box->low[axis],
        .low = { middle - half, box->low[2] },
        .high = { middle + half, box->low[2] + REALM_DOORWAY_HEIGHT * REALM_UNIT },
    };
}

static RealmOpening hatch(const RealmHouse *house, uint32_t above)
{
    RealmBox box = realm_house_room(house, 0);
    int32_t  side = HATCH_SIDE * REALM_UNIT, in = HATCH_IN * REALM_UNIT;
    int32_t  low_x = house->is_turned ? box.high[0] - in - side : box.low[0] + in;
    int32_t  low_y = house->is_turned ? box.low[1] + in : box.high[1] - in - side;
    return (RealmOpening){
        .room = 0,
        .other = (uint8_t)above,
        .axis = 2,
        .at = box.high[2],
        .low = { low_x, low_y },
        .high = { low_x + side, low_y + side },
    };
}

// The axis across the face between two rooms that lie side by side.
static uint32_t axis_between(const RealmBox *a, const RealmBox *b)
{
    return a->low[0] != b->low[0] ? 0 : 1;
}

uint32_t realm_house_openings(const RealmHouse *house, RealmOpening openings[REALM_DOORWAYS_MAX])
{
    uint32_t arm = arm_of(house->shape, house->rooms), count = 0;
    for (uint32_t room = 0; room + 1 < house->rooms; room++) {
        RealmBox box = realm_house_room(house, room), next = realm_house_room(house, room + 1);
        if (house->shape == REALM_HOUSE_FLOORS && room + 1 == arm) {
            continue; // the end of the ground floor and the beginning of the upper one
        }
        openings[count] = doorway(&box, room, axis_between(&box, &next), true);
        openings[count].other = (uint8_t)(room + 1);
        count++;
    }
    RealmBox first = realm_house_room(house, 0);
    if (house->shape == REALM_HOUSE_FLOORS) {
        openings[count++] = hatch(house, arm);
    }
    uint32_t front = house->is_turned ? 0 : 1;
    openings[count++] = doorway(&first, 0, front, false);
    if (house->outer == 2) {
        // At the far end of the house: of the row, or of the second arm of the L.
        uint32_t last = house->shape == REALM_HOUSE_FLOORS ? arm - 1 : house->rooms - 1u;
        RealmBox box = realm_house_room(house, last);
        openings[count++] = doorway(&box, last, house->shape == REALM_HOUSE_ELL ? front : 1 - front, true);
    }
    return count;
}

// Rooms within SIGHT doorways of each, themselves included: the number of doorways is the same both ways, so the masks are symmetric.
static void sights(const RealmHouse *house, const RealmOpening *openings, uint32_t count, uint64_t seen[REALM_ROOMS_MAX])
{
    uint64_t beside[REALM_ROOMS_MAX] = { 0 };
    for (uint32_t k = 0; k < count; k++) {
        if (openings[k].other != REALM_OPENING_OUTSIDE) {
            beside[openings[k].room] |= UINT64_C(1) << openings[k].other;
            beside[openings[k].other] |= UINT64_C(1) << openings[k].room;
        }
    }
    for (uint32_t room = 0; room < house->rooms; room++) {
        seen[room] = UINT64_C(1) << room;
        for (uint32_t step = 0; step < SIGHT; step++) {
            uint64_t now = seen[room];
            for (uint32_t k = 0; k < house->rooms; k++) {
                seen[room] |= (now >> k & 1) != 0 ? beside[k] : 0;
            }
        }
    }
}

static void add_portal(RealmCellContent *cell, const RealmHouse *house, const RealmOpening *opening, uint32_t room)
{
    uint32_t at = cell->portals;
    uint8_t  other = opening->room == room ? opening->other : opening->room;
    cell->portal_at[at] = (tp_fx){ opening->at };
    cell->portal_low_1[at] = (tp_fx){ opening->low[0] };
    cell->portal_low_2[at] = (tp_fx){ opening->low[1] };
    cell->portal_high_1[at] = (tp_fx){ opening->high[0] };
    cell->portal_high_2[at] = (tp_fx){ opening->high[1] };
    cell->portal_axis[at] = opening->axis;
    cell->portal_other[at] = other == REALM_OPENING_OUTSIDE ? (uint16_t)REALM_OUTSIDE
                                                           : (uint16_t)(REALM_INDOOR_FIRST + house->first_room + other);
    cell->portals++;
}

static const RealmHouse *house_of_room(const RealmPlan *plan, uint32_t room)
{
    uint32_t k = plan->houses - 1u;
    while (plan->house[k].first_room > room) {
        k--;
    }
    return &plan->house[k];
}

void realm_generate_cell(const RealmPlan *plan, uint32_t k, RealmCellContent *cell)
{
    TP_ASSERT(k < plan->rooms);
    const RealmHouse *house = house_of_room(plan, k);
    uint32_t          room = k - house->first_room;
    RealmOpening      openings[REALM_DOORWAYS_MAX];
    uint32_t          count = realm_house_openings(house, openings);
    uint64_t          seen[REALM_ROOMS_MAX] = { 0 };
    sights(house, openings, count, seen);
    *cell = (RealmCellContent){ .visible = seen[room] << house->first_room };
    RealmBox box = realm_house_room(house, room);
    for (uint32_t axis = 0; axis < 3; axis++) {
        cell->low[axis] = (tp_fx){ box.low[axis] };
        cell->high[axis] = (tp_fx){ box.high[axis] };
    }
    for (uint32_t i = 0; i < count; i++) {
        if (openings[i].room == room || openings[i].other == room) {
            add_portal(cell, house, &openings[i], room);
        }
    }
}

void realm_generate_building(const RealmPlan *plan, uint32_t k, RealmBuildingContent *building)
{
    TP_ASSERT(k < plan->houses);
    const RealmHouse *house = &plan->house[k];
    RealmBox          box = realm_house_box(house);
    *building = (RealmBuildingContent){
        .first_cell = (uint16_t)(REALM_INDOOR_FIRST + house->first_room),
        .cells = house->rooms,
        .kind = house->shape,
    };
    for (uint32_t axis = 0; axis < 3; axis++) {
        building->low[axis] = (tp_fx){ box.low[axis] };
        building->high[axis] = (tp_fx){ box.high[axis] };
    }
}

bool realm_generate_door(const RealmPlan *plan, uint32_t k, RealmDoorway *door)
{
    if (k >= plan->houses) {
        return false;
    }
    const RealmHouse *house = &plan->house[k];
    RealmOpening      openings[REALM_DOORWAYS_MAX];
    uint32_t          count = realm_house_openings(house, openings), portal = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (openings[i].other == REALM_OPENING_OUTSIDE) {
            const RealmOpening *opening = &openings[i];
            int32_t             middle = opening->low[0] + (opening->high[0] - opening->low[0]) / 2;
            uint16_t            cell = (uint16_t)(REALM_INDOOR_FIRST + house->first_room + opening->room);
            *door = (RealmDoorway){
                .place = { (uint32_t)plan->prefix << 16 | cell, { opening->axis == 0 ? opening->at : middle },
                           { opening->axis == 0 ? middle : opening->at }, { opening->low[1] } },
                .cell = cell,
                .portal = (uint8_t)portal,
                .turn = opening->axis == 0 ? 1 : 0,
            };
            return true;
        }
        portal += openings[i].room == 0 || openings[i].other == 0;
    }
    return false;
}
