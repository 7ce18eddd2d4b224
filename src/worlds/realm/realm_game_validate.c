// realm_game_validate.c: what the game's sections of a foreign state must satisfy, once every range and the engine's sections hold: that bodies
// are the right ones, that what has none has nothing, and that free slots are empty. A state that is accepted steps without a fault of the
// game's own.
#include "realm_game.h"

#include "realm_place.h"

typedef struct Check {
    RealmEngine   engine;
    RealmGameView view;
    const int64_t *config;
} Check;

static bool is_zero(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

// The handle names a live dynamic with this id; only open doors are suspended.
static bool has_body(const Check *check, RealmOwnerHandle handle, uint32_t id, uint8_t is_suspended)
{
    uint32_t link = realm_owner_link(&check->engine, handle);
    return link != 0 && realm_owner_at(&check->engine, link)->kind == REALM_DYNAMIC && realm_owner_at(&check->engine, link)->id == id &&
           realm_owner_at(&check->engine, link)->is_suspended == is_suspended;
}

static bool is_none(RealmOwnerHandle handle)
{
    return handle.index == 0 && handle.generation == 0;
}

static bool is_still(tp_fx x, tp_fx y, tp_fx z)
{
    return x.raw == 0 && y.raw == 0 && z.raw == 0;
}

static bool is_in_land(const Check *check, uint32_t cell)
{
    uint16_t prefix = realm_prefix(cell);
    return realm_prefix_x(prefix) < check->config[REALM_CONFIG_WIDTH] && realm_prefix_y(prefix) < check->config[REALM_CONFIG_HEIGHT];
}

static const char *check_player(const Check *check, uint32_t slot)
{
    const RealmPlayer *player = &check->view.players[slot];
    if (player->status == REALM_PLAYER_ABSENT) {
        RealmPlayer rest = *player;
        rest.best = 0;
        return is_zero(&rest, sizeof(rest)) ? NULL : "a slot nobody has holds a player";
    }
    if (player->score > player->best) {
        return "a player's score is above the slot's best";
    }
    if (!is_in_land(check, player->cell)) {
        return "a player appears outside of the land";
    }
    if (player->status == REALM_PLAYER_ALIVE) {
        if (player->health == 0 || player->dead_ticks != 0) {
            return "a living player without health";
        }
        if (!has_body(check, player->owner, REALM_ID_PLAYERS + slot, 0)) {
            return "a living player without its body";
        }
        // Where it falls is where it waits, so its body must be in the land, too.
        return is_in_land(check, realm_owner_at(&check->engine, player->owner.index + 1)->cell) ? NULL : "a player is outside of the land";
    }
    bool is_at_rest = is_none(player->owner) && is_still(player->speed_x, player->speed_y, player->speed_z) && player->health == 0 &&
                      player->attack_ticks == 0 && player->shoot_ticks == 0 && player->guard_ticks == 0 && player->heal_ticks == 0 &&
                      player->is_grounded == 0 && player->is_indoors == 0;
    if (!is_at_rest) {
        return "a player without a body acts";
    }
    return (player->status == REALM_PLAYER_DEAD) == (player->dead_ticks != 0) ? NULL : "a player is dead exactly while its time runs";
}

static const char *check_creature(const Check *check, uint32_t index)
{
    const RealmCreature *creature = &check->view.creatures[index];
    if (creature->mode == REALM_CREATURE_NONE) {
        RealmCreature rest = *creature;
        rest.wait_ticks = 0;
        rest.kills = 0;
        return is_zero(&rest, sizeof(rest)) ? NULL : "a creature without a body acts";
    }
    uint32_t health_max = realm_creature_is_large(index) ? REALM_LARGE_HEALTH : REALM_CREATURE_HEALTH;
    if (creature->health == 0 || creature->health > health_max) {
        return "a creature has more health than it can, or none";
    }
    bool has_target = creature->mode == REALM_CREATURE_CHASE || creature->mode == REALM_CREATURE_STRIKE;
    if (has_target != (creature->target != 0) || creature->target > check->view.player_count) {
        return "a creature chases nobody, or chases while it rests";
    }
    return has_body(check, creature->owner, REALM_ID_CREATURES + index, 0) ? NULL : "a creature without its body";
}

static const char *check_shot(const Check *check, uint32_t index)
{
    const RealmShot *shot = &check->view.shots[index];
    if (shot->ticks == 0) {
        return is_zero(shot, sizeof(*shot)) ? NULL : "a free bolt is not empty";
    }
    bool is_owned = shot->shooter != 0 && shot->shooter <= check->view.player_count &&
                    check->view.players[shot->shooter - 1].status != REALM_PLAYER_ABSENT;
    return is_owned && realm_prefix_is_inside(realm_prefix(shot->cell)) ? NULL : "a bolt nobody here fired";
}

static const char *check_door(const Check *check, uint32_t index)
{
    const RealmDoor *door = &check->view.doors[index];
    if (door->is_hung == 0) {
        return is_zero(door, sizeof(*door)) ? NULL : "a free door is not empty";
    }
    if (!has_body(check, door->owner, REALM_ID_DOORS + index, door->is_open)) {
        return "a door without its body";
    }
    const RealmOwner *owner = realm_owner_at(&check->engine, door->owner.index + 1);
    return realm_prefix(owner->cell) == door->prefix ? NULL : "a door hangs in another landblock than it says";
}

const char *realm_game_validate(const void *state, const tp_context *context)
{
    // Nothing below writes or reports: the engine's reading half alone is used.
    Check check = {
        .engine = realm_engine_open_const(state, (tp_context *)(uintptr_t)context),
        .view = realm_game_open(state, context->section_offset, context->section_count),
        .config = context->setup->config,
    };
    const char *fault = (check.view.game->rng_increment & 1) == 0 ? "the game's generator has an even increment" : NULL;
    for (uint32_t i = 0; fault == NULL && i < check.view.player_count; i++) {
        fault = check_player(&check, i);
    }
    for (uint32_t i = 0; fault == NULL && i < check.view.creature_count; i++) {
        fault = check_creature(&check, i);
    }
    for (uint32_t i = 0; fault == NULL && i < check.view.shot_count; i++) {
        fault = check_shot(&check, i);
    }
    for (uint32_t i = 0; fault == NULL && i < check.view.door_count; i++) {
        fault = check_door(&check, i);
    }
    return fault;
}
