// realm_door.c: doors. One hangs in the first outer doorway of every building near a player, as long as there are slots: a dynamic owner that is
// suspended while the door is open, so that nothing meets it. It belongs to one generation of its landblock and goes with it.
#include "realm_step.h"

#include "realm_catalog.h"
#include "realm_place.h"

enum { LOOKS = 4 }; // landblocks looked at in a tick for buildings without a door

static bool is_near(RealmPlace from, RealmPlace to, int32_t radius_raw)
{
    RealmWay way = realm_way(from, to);
    return way.z <= REALM_RAW(4) && way.z >= -REALM_RAW(4) && realm_way_is_within(way, radius_raw);
}

// Nobody stands where the door would be when it is closed.
static bool is_clear(const RealmStep *step, RealmPlace place)
{
    for (uint32_t i = 0; i < step->alive_count; i++) {
        if (is_near(place, step->stands[step->alive[i]].place, REALM_DOOR_CLEAR_RAW)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        const RealmCreature *creature = &step->view.creatures[i];
        RealmPlace           there;
        if (creature->mode != REALM_CREATURE_NONE && realm_owner_place(&step->engine, creature->owner, &there) &&
            is_near(place, there, REALM_DOOR_CLEAR_RAW)) {
            return false;
        }
    }
    return true;
}

static void toggle(RealmStep *step, uint32_t index, uint32_t slot, RealmPlace place)
{
    const RealmDoor *door = &step->view.doors[index];
    bool             opens = door->is_open == 0;
    if (!opens && !is_clear(step, place)) {
        return;
    }
    if (realm_owner_suspend(&step->engine, door->owner, opens) != REALM_DONE) {
        realm_count_wait(step);
        return;
    }
    realm_door_edit(step, index)->is_open = opens;
    realm_report(step, REALM_EVENT_DOOR, slot + 1, 0, place, opens);
}

// Index of the nearest door in reach, of two as near the lower; door_count for none.
static uint32_t nearest_door(const RealmStep *step, RealmPlace from, RealmPlace *place)
{
    uint32_t found = step->view.door_count;
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < step->view.door_count; i++) {
        const RealmDoor *door = &step->view.doors[i];
        RealmPlace       there;
        if (door->is_hung == 0) {
            continue;
        }
        realm_owner_place(&step->engine, door->owner, &there); // of one that is open it is where it hangs
        if (!is_near(from, there, REALM_DOOR_REACH_RAW)) {
            continue;
        }
        uint64_t square = realm_way_square(realm_way(from, there));
        if (square < best) {
            best = square;
            found = i;
            *place = there;
        }
    }
    return found;
}

// Several who press at one door in one tick move it once.
static void use_doors(RealmStep *step)
{
    bool is_moved[REALM_DOORS_MAX] = { false };
    for (uint32_t i = 0; i < step->alive_count; i++) {
        uint32_t   slot = step->alive[i];
        RealmPlace place;
        uint32_t   index = step->uses[slot] ? nearest_door(step, step->stands[slot].place, &place) : step->view.door_count;
        if (index < step->view.door_count && !is_moved[index]) {
            is_moved[index] = true;
            toggle(step, index, slot, place);
        }
    }
}

static void take_down(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.door_count; i++) {
        const RealmDoor *door = &step->view.doors[i];
        if (door->is_hung == 0) {
            continue;
        }
        uint32_t leaf = realm_view_full_leaf(&step->engine, REALM_ACTIVE, door->prefix);
        if (leaf == 0 || realm_leaf_at(&step->engine, leaf)->number != door->generation) {
            RealmAnswer answer = realm_owner_deregister(&step->engine, door->owner);
            TP_ASSERT(answer == REALM_DONE);
            *realm_door_edit(step, i) = (RealmDoor){ 0 };
        }
    }
}

// A doorway, as a door's record names it.
typedef struct Doorway {
    uint64_t   generation;
    RealmPlace place; // the middle of the sill
    uint16_t   cell;
    uint8_t    portal;
    uint8_t    turn;
} Doorway;

// Content may say anything in range, so a doorway may turn out to be outside of its landblock.
static bool read_doorway(uint16_t prefix, const RealmCell *cell, uint32_t portal, Doorway *doorway)
{
    if (cell->portal_other[portal] != REALM_OUTSIDE || cell->portal_axis[portal] > 1) {
        return false;
    }
    int64_t at = cell->portal_at[portal].raw;
    int64_t middle = ((int64_t)cell->portal_low_1[portal].raw + cell->portal_high_1[portal].raw) / 2;
    int64_t sill = cell->portal_low_2[portal].raw;
    bool    is_across_x = cell->portal_axis[portal] == 0;
    doorway->cell = cell->number;
    doorway->portal = (uint8_t)portal;
    doorway->turn = is_across_x ? 1 : 0;
    bool is_inside = realm_place_at(prefix, is_across_x ? at : middle, is_across_x ? middle : at, sill, &doorway->place);
    return is_inside && realm_prefix(doorway->place.cell) == prefix;
}

static bool find_doorway(const RealmEngine *engine, uint32_t leaf, uint16_t prefix, const RealmBuilding *building, Doorway *doorway)
{
    doorway->generation = realm_leaf_at(engine, leaf)->number;
    for (uint32_t i = 0; i < building->cells; i++) {
        uint32_t link = realm_leaf_cell(engine, leaf, (uint16_t)(building->first_cell + i));
        if (link == 0) {
            return false;
        }
        const RealmCell *cell = realm_cell_at(engine, link);
        for (uint32_t portal = 0; portal < cell->portals; portal++) {
            if (read_doorway(prefix, cell, portal, doorway)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_door(const RealmStep *step, uint16_t prefix, const Doorway *doorway)
{
    for (uint32_t i = 0; i < step->view.door_count; i++) {
        const RealmDoor *door = &step->view.doors[i];
        if (door->is_hung != 0 && door->prefix == prefix && door->cell == doorway->cell && door->portal == doorway->portal) {
            return true;
        }
    }
    return false;
}

static uint32_t free_slot(const RealmStep *step)
{
    uint32_t i = 0;
    while (i < step->view.door_count && step->view.doors[i].is_hung != 0) {
        i++;
    }
    return i;
}

// Not while somebody stands there: a later look does it.
static void hang(RealmStep *step, uint16_t prefix, const Doorway *doorway)
{
    uint32_t index = free_slot(step);
    if (index == step->view.door_count) {
        return;
    }
    RealmOwnerHandle  owner;
    RealmOwnerContent content = {
        .id = REALM_ID_DOORS + index, .setup = REALM_SETUP_DOOR, .turn = doorway->turn, .place = doorway->place,
    };
    if (!is_clear(step, doorway->place)) {
        return;
    }
    if (realm_owner_register(&step->engine, &content, &owner) != REALM_DONE) {
        realm_count_wait(step);
        return;
    }
    *realm_door_edit(step, index) = (RealmDoor){
        .generation = doorway->generation, .owner = owner, .prefix = prefix, .cell = doorway->cell, .portal = doorway->portal,
        .is_hung = 1,
    };
    realm_count_up(&realm_game_edit(step)->doors_hung);
}

static void hang_in_landblock(RealmStep *step, uint16_t prefix)
{
    uint32_t leaf = realm_view_full_leaf(&step->engine, REALM_ACTIVE, prefix);
    if (leaf == 0) {
        return;
    }
    for (uint32_t link = realm_leaf_at(&step->engine, leaf)->building_first; link != 0;) {
        const RealmBuilding *building = realm_building_at(&step->engine, link);
        Doorway              doorway;
        if (find_doorway(&step->engine, leaf, prefix, building, &doorway) && !has_door(step, prefix, &doorway)) {
            hang(step, prefix, &doorway);
        }
        link = building->next;
    }
}

// Round the nine landblocks about one player after another, a few a tick.
static void look_for_buildings(RealmStep *step)
{
    for (uint32_t i = 0; i < LOOKS && step->alive_count > 0; i++) {
        RealmGame *game = realm_game_edit(step);
        uint32_t   look = game->door_cursor;
        game->door_cursor = look + 1;
        uint32_t   slot = step->alive[look / 9 % step->alive_count];
        RealmPlace place;
        int32_t    x = ((int32_t)(look % 9 / 3) - 1) * REALM_BLOCK_RAW;
        int32_t    y = ((int32_t)(look % 3) - 1) * REALM_BLOCK_RAW;
        if (realm_place_move(step->stands[slot].place, (RealmVector){ { x }, { y }, { 0 } }, &place)) {
            hang_in_landblock(step, realm_prefix(place.cell));
        }
    }
}

void realm_door_update(RealmStep *step)
{
    use_doors(step);
    take_down(step);
    look_for_buildings(step);
}
