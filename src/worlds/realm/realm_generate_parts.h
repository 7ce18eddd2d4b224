// realm_generate_parts.h: what the files of the generator share: hashes, the rooms of a house as boxes, doorways.
#pragma once

#include "realm_generate.h"
#include "realm_terrain.h"

#include "tickproof/rng.h"

enum {
    REALM_DOORWAYS_MAX = 2 * REALM_ROOMS_MAX, ///< of a house
};

/// A number from a number and a purpose: neighbours have nothing in common.
static inline uint64_t realm_generate_mix(uint64_t value, uint64_t purpose)
{
    uint64_t state = value ^ (purpose + 1) * UINT64_C(0xD1342543DE82EF95);
    return tp_splitmix64_next(&state);
}

static inline tp_fx realm_generate_units(int32_t units)
{
    return (tp_fx){ units * REALM_UNIT };
}

/// Height index of vertex 0..8, 0..8 of the landblock, as its terrain has it.
uint8_t realm_generate_height(const RealmPlan *plan, uint32_t x, uint32_t y);

/// A box in bits, local to the landblock.
typedef struct RealmBox {
    int32_t low[3], high[3];
} RealmBox;

/// A doorway: of which room, in which plane, where it leads.
typedef struct RealmOpening {
    uint8_t  room;  ///< of the house
    uint8_t  other; ///< room of the house behind it, or REALM_OPENING_OUTSIDE
    uint8_t  axis;
    int32_t  at;
    int32_t  low[2], high[2]; ///< over the other two axes in rising order
} RealmOpening;
enum { REALM_OPENING_OUTSIDE = 0xFF };

RealmBox realm_house_room(const RealmHouse *house, uint32_t room);
/// The solid box outdoors: all rooms, down into the ground, and a roof.
RealmBox realm_house_box(const RealmHouse *house);
/// All doorways, each once: between rooms in order of the lower room, then the outer ones. Returns how many.
uint32_t realm_house_openings(const RealmHouse *house, RealmOpening openings[REALM_DOORWAYS_MAX]);
/// Statics inside of it.
uint32_t realm_house_furniture(const RealmHouse *house);
/// Fills everything of a house but its place: `plot_cells` is given.
void     realm_house_choose(RealmHouse *house, uint64_t hash);
