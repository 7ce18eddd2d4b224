// realm_bot_look.c: what the bot sees: itself, the nearest foe, the nearest doorway of its landblock, a door in its way.
#include "realm_bot.h"

static bool reports_nothing(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return true;
}

static void see_foe(RealmLook *look, RealmPlace place, uint64_t *best)
{
    RealmWay way = realm_way(look->place, place);
    uint64_t square = realm_way_square(way);
    if (square < *best && way.z < REALM_RAW(4) && way.z > -REALM_RAW(4)) {
        *best = square;
        look->foe = way;
        look->has_foe = true;
    }
}

static void see_foes(RealmLook *look, const RealmEngine *engine, const RealmGameView *game, uint32_t slot, bool has_duels)
{
    uint64_t   best = (uint64_t)((int64_t)REALM_BOT_SIGHT_RAW * REALM_BOT_SIGHT_RAW);
    RealmPlace place;
    for (uint32_t i = 0; i < game->creature_count; i++) {
        const RealmCreature *creature = &game->creatures[i];
        if (creature->mode != REALM_CREATURE_NONE && realm_owner_place(engine, creature->owner, &place)) {
            see_foe(look, place, &best);
        }
    }
    for (uint32_t i = 0; has_duels && i < game->player_count; i++) {
        const RealmPlayer *player = &game->players[i];
        if (i != slot && player->status == REALM_PLAYER_ALIVE && realm_owner_place(engine, player->owner, &place)) {
            see_foe(look, place, &best);
        }
    }
}

static void see_portal(RealmLook *look, uint16_t prefix, const RealmCell *cell, uint32_t portal, uint64_t *best)
{
    uint8_t axis = cell->portal_axis[portal];
    if (cell->portal_other[portal] != REALM_OUTSIDE || axis > 1) {
        return;
    }
    int32_t    at = cell->portal_at[portal].raw;
    int32_t    middle = cell->portal_low_1[portal].raw / 2 + cell->portal_high_1[portal].raw / 2;
    int32_t    inside = cell->low[axis].raw / 2 + cell->high[axis].raw / 2 > at ? REALM_RAW(1) : -REALM_RAW(1);
    RealmPlace sill = { realm_block_id(prefix), { axis == 0 ? at : middle }, { axis == 0 ? middle : at }, cell->portal_low_2[portal] };
    RealmWay   way = realm_way(look->place, sill);
    uint64_t   square = realm_way_square(way);
    if (square < *best && way.z < REALM_RAW(3) && way.z > -REALM_RAW(3)) {
        *best = square;
        look->doorway = sill;
        look->inward = (RealmWay){ axis == 0 ? inside : 0, axis == 0 ? 0 : inside, 0 };
        look->room = realm_block_id(prefix) - REALM_OUTSIDE + cell->number;
        look->has_doorway = true;
    }
}

static void see_doorways(RealmLook *look, const RealmEngine *engine)
{
    uint64_t best = (uint64_t)((int64_t)REALM_BOT_DOORWAY_RAW * REALM_BOT_DOORWAY_RAW);
    uint16_t prefix = realm_prefix(look->place.cell);
    uint32_t leaf = realm_view_full_leaf(engine, REALM_ACTIVE, prefix);
    if (leaf == 0) {
        return;
    }
    for (uint32_t link = realm_leaf_at(engine, leaf)->cell_first; link != 0; link = realm_cell_at(engine, link)->next) {
        const RealmCell *cell = realm_cell_at(engine, link);
        for (uint32_t i = 0; i < cell->portals; i++) {
            see_portal(look, prefix, cell, i, &best);
        }
    }
}

static void see_doors(RealmLook *look, const RealmEngine *engine, const RealmGameView *game)
{
    for (uint32_t i = 0; i < game->door_count; i++) {
        RealmPlace place;
        if (game->doors[i].is_hung != 0 && game->doors[i].is_open == 0 && realm_owner_place(engine, game->doors[i].owner, &place) &&
            realm_way_is_within(realm_way(look->place, place), REALM_DOOR_REACH_RAW * 2 / 3)) {
            look->is_door_shut = true;
        }
    }
}

RealmLook realm_bot_look(const tp_view *view, uint32_t slot)
{
    tp_context context = {
        .setup = view->setup, .section_offset = view->section_offset, .section_count = view->section_count, .emit = reports_nothing,
    };
    RealmEngine        engine = realm_engine_open_const(view->state, &context);
    RealmGameView      game = realm_game_open(view->state, view->section_offset, view->section_count);
    const RealmPlayer *player = &game.players[slot];
    RealmLook          look = { .status = player->status, .is_indoors = player->is_indoors != 0 };
    if (player->status != REALM_PLAYER_ALIVE || !realm_owner_place(&engine, player->owner, &look.place)) {
        look.status = REALM_PLAYER_WAITING; // lost is no different to who is it
        return look;
    }
    see_foes(&look, &engine, &game, slot, view->setup->config[REALM_CONFIG_DUELS] != 0);
    see_doorways(&look, &engine);
    see_doors(&look, &engine, &game);
    return look;
}
