// realm_shot.c: bolts. A bolt is a small sphere that flies straight until it meets something or its time is over; nothing meets it. It is aimed
// level, or, when a creature or an enemy stands about where the player looks, at the height of that one: a pad has no up and down.
#include "realm_step.h"

#include "realm_query.h"

enum {
    HIP_HEIGHT    = 39322,         // 0.6 units: where a bolt starts, and what it is aimed at
    AIM_RAW       = 24 * 65536,    // how far away it looks for somebody to aim at
    AIM_HALF_TURN = 0x0800,        // and how far to either side
};

static bool is_aimed_at(RealmWay way, tp_angle look, uint64_t *best)
{
    uint64_t square = realm_way_square(way);
    int32_t  turn = tp_angle_difference(realm_way_angle(way), look);
    if (square >= *best || turn > AIM_HALF_TURN || turn < -AIM_HALF_TURN) {
        return false;
    }
    *best = square;
    return true;
}

// Way to the nearest that it can be meant for; false for nobody.
static bool aim(const RealmStep *step, uint32_t slot, RealmPlace from, tp_angle look, RealmWay *way)
{
    uint64_t best = (uint64_t)((int64_t)AIM_RAW * AIM_RAW);
    bool     is_found = false;
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        const RealmCreature *creature = &step->view.creatures[i];
        RealmPlace           place;
        if (creature->mode != REALM_CREATURE_NONE && realm_owner_place(&step->engine, creature->owner, &place) &&
            is_aimed_at(realm_way(from, place), look, &best)) {
            *way = realm_way(from, place);
            is_found = true;
        }
    }
    bool has_duels = step->context->setup->config[REALM_CONFIG_DUELS] != 0;
    for (uint32_t i = 0; has_duels && i < step->alive_count; i++) {
        RealmPlace place = step->stands[step->alive[i]].place;
        if (step->alive[i] != slot && is_aimed_at(realm_way(from, place), look, &best)) {
            *way = realm_way(from, place);
            is_found = true;
        }
    }
    return is_found;
}

// Rise a tick of a bolt that shall have risen by way.z when it is there; no steeper than one in one.
static int32_t rise_of(RealmWay way)
{
    int64_t distance = tp_isqrt_u64(realm_way_square(way));
    int64_t rise = distance == 0 ? 0 : way.z * REALM_BOLT_SPEED / distance;
    return (int32_t)(rise > REALM_BOLT_SPEED ? REALM_BOLT_SPEED : rise < -REALM_BOLT_SPEED ? -REALM_BOLT_SPEED : rise);
}

void realm_shot_fire(RealmStep *step, uint32_t slot, RealmPlace from, tp_angle look)
{
    uint32_t index = 0;
    while (index < step->view.shot_count && step->view.shots[index].ticks != 0) {
        index++;
    }
    if (index == step->view.shot_count) {
        realm_count_up(&realm_game_edit(step)->shots_refused);
        return;
    }
    RealmWay way = { 0 };
    tp_fx    forward_x = tp_cos(look);
    tp_fx    forward_y = tp_sin(look);
    bool     is_aimed = aim(step, slot, from, look, &way);
    *realm_shot_edit(step, index) = (RealmShot){
        .ticks   = REALM_BOLT_TICKS,
        .shooter = (uint16_t)(slot + 1),
        .cell    = from.cell | REALM_OUTSIDE,
        .x       = from.x,
        .y       = from.y,
        .z       = { from.z.raw < REALM_Z_MAX - HIP_HEIGHT ? from.z.raw + HIP_HEIGHT : REALM_Z_MAX },
        .speed_x = { (int32_t)((int64_t)forward_x.raw * REALM_BOLT_SPEED / 65536) },
        .speed_y = { (int32_t)((int64_t)forward_y.raw * REALM_BOLT_SPEED / 65536) },
        .speed_z = { is_aimed ? rise_of(way) : 0 },
    };
    realm_count_up(&realm_game_edit(step)->bolts);
    realm_report(step, REALM_EVENT_SHOT, slot + 1, 0, from, 0);
}

static void strike(RealmStep *step, const RealmShot *shot, uint32_t owner)
{
    uint32_t who = realm_who_of(step, owner);
    bool     has_duels = step->context->setup->config[REALM_CONFIG_DUELS] != 0;
    if (who >= REALM_CREATURE_BASE) {
        realm_combat_wound(&step->creature_wounds[who - REALM_CREATURE_BASE], REALM_BOLT_DAMAGE, shot->shooter);
    } else if (who != 0 && has_duels) {
        realm_combat_wound(&step->player_wounds[who - 1], REALM_BOLT_DAMAGE, shot->shooter);
    }
}

static uint32_t body_of(const RealmStep *step, uint16_t shooter)
{
    const RealmPlayer *player = &step->view.players[shooter - 1];
    return player->status == REALM_PLAYER_ALIVE ? realm_owner_link(&step->engine, player->owner) : 0;
}

static void fly(RealmStep *step, uint32_t index)
{
    RealmShot *shot = realm_shot_edit(step, index);
    RealmSweep sweep = {
        .place    = { shot->cell, shot->x, shot->y, shot->z },
        .delta    = { shot->speed_x, shot->speed_y, shot->speed_z },
        .radius   = { realm_catalog_at(REALM_SETUP_BOLT)->part[0].a },
        .ignore   = body_of(step, shot->shooter),
        .blocking = REALM_QUERY_ANY_STATE,
    };
    RealmHit hit = realm_query_sweep(&step->engine, REALM_ACTIVE, &sweep);
    if (hit.kind == REALM_HIT_OWNER) {
        strike(step, shot, realm_owner_link(&step->engine, hit.owner));
    }
    if (hit.kind != REALM_HIT_NONE || shot->ticks == 1) {
        *shot = (RealmShot){ 0 };
        return;
    }
    shot->ticks--;
    shot->cell = hit.place.cell | REALM_OUTSIDE;
    shot->x = hit.place.x;
    shot->y = hit.place.y;
    shot->z = hit.place.z;
}

void realm_shot_update(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.shot_count; i++) {
        if (step->view.shots[i].ticks > 0) {
            fly(step, i);
        }
    }
}

void realm_shot_forget(RealmStep *step, uint32_t slot)
{
    for (uint32_t i = 0; i < step->view.shot_count; i++) {
        if (step->view.shots[i].shooter == slot + 1) {
            *realm_shot_edit(step, i) = (RealmShot){ 0 };
        }
    }
}
