// realm_combat.c: who hits whom. Every blow of the tick is gathered from where everybody stands after moving, bolts included, and only then
// applied: two who kill each other both die, and no order of slots decides.
#include "realm_step.h"

void realm_combat_wound(RealmWound *wound, uint32_t damage, uint32_t who)
{
    if (damage > wound->most || (damage == wound->most && who < wound->who)) {
        wound->most = damage;
        wound->who = who;
    }
    wound->damage += damage; // at most some hundred blows of some points: cannot wrap
}

static bool is_in_reach(RealmWay way, int32_t reach_raw)
{
    return way.z <= REALM_REACH_HEIGHT_RAW && way.z >= -REALM_REACH_HEIGHT_RAW && realm_way_is_within(way, reach_raw);
}

static bool is_in_front(RealmWay way, tp_angle look)
{
    int32_t turn = tp_angle_difference(realm_way_angle(way), look);
    return turn <= REALM_ATTACK_HALF_TURN && turn >= -REALM_ATTACK_HALF_TURN;
}

static bool is_struck(const RealmStep *step, uint32_t slot, RealmPlace place)
{
    RealmWay way = realm_way(step->stands[slot].place, place);
    return is_in_reach(way, REALM_ATTACK_REACH_RAW) && is_in_front(way, step->view.players[slot].look);
}

static void gather_on_creatures(RealmStep *step, uint32_t slot)
{
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        const RealmCreature *creature = &step->view.creatures[i];
        RealmPlace           place;
        if (creature->mode == REALM_CREATURE_NONE || !realm_owner_place(&step->engine, creature->owner, &place)) {
            continue;
        }
        if (is_struck(step, slot, place)) {
            realm_combat_wound(&step->creature_wounds[i], REALM_ATTACK_DAMAGE, slot + 1);
        }
    }
}

static void gather_on_players(RealmStep *step, uint32_t slot)
{
    for (uint32_t i = 0; i < step->alive_count; i++) {
        uint32_t whom = step->alive[i];
        if (whom != slot && is_struck(step, slot, step->stands[whom].place)) {
            realm_combat_wound(&step->player_wounds[whom], REALM_ATTACK_DAMAGE, slot + 1);
        }
    }
}

static void gather_strike(RealmStep *step, uint32_t index)
{
    const RealmCreature *creature = &step->view.creatures[index];
    uint32_t             slot = creature->target - 1u;
    RealmPlace           place;
    bool is_there = creature->target != 0 && step->stands[slot].is_there && realm_owner_place(&step->engine, creature->owner, &place);
    if (is_there && is_in_reach(realm_way(place, step->stands[slot].place), REALM_STRIKE_REACH_RAW)) {
        uint32_t damage = realm_creature_is_large(index) ? REALM_LARGE_DAMAGE : REALM_STRIKE_DAMAGE;
        realm_combat_wound(&step->player_wounds[slot], damage, REALM_CREATURE_BASE + index);
    }
}

static void gather(RealmStep *step)
{
    bool has_duels = step->context->setup->config[REALM_CONFIG_DUELS] != 0;
    for (uint32_t i = 0; i < step->alive_count; i++) {
        uint32_t slot = step->alive[i];
        if (step->strikes[slot]) {
            gather_on_creatures(step, slot);
            if (has_duels) {
                gather_on_players(step, slot);
            }
        }
    }
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        if (step->creature_strikes[i]) {
            gather_strike(step, i);
        }
    }
}

static void apply_to_player(RealmStep *step, uint32_t slot)
{
    const RealmWound  *wound = &step->player_wounds[slot];
    const RealmPlayer *player = &step->view.players[slot];
    if (wound->damage == 0 || player->status != REALM_PLAYER_ALIVE || !step->stands[slot].is_there || player->guard_ticks > 0) {
        return;
    }
    RealmPlayer *hurt = realm_player_edit(step, slot);
    uint32_t     damage = wound->damage < hurt->health ? wound->damage : hurt->health;
    hurt->health = (uint16_t)(hurt->health - damage);
    hurt->heal_ticks = REALM_HEAL_TICKS;
    realm_report(step, REALM_EVENT_HIT, wound->who, slot + 1, step->stands[slot].place, (int32_t)damage);
    if (hurt->health == 0) {
        realm_player_die(step, slot, wound->who);
    }
}

static void apply_to_creature(RealmStep *step, uint32_t index)
{
    const RealmWound    *wound = &step->creature_wounds[index];
    const RealmCreature *creature = &step->view.creatures[index];
    RealmPlace           place;
    bool is_there = wound->damage != 0 && creature->mode != REALM_CREATURE_NONE;
    if (!is_there || !realm_owner_place(&step->engine, creature->owner, &place)) {
        return;
    }
    RealmCreature *hurt = realm_creature_edit(step, index);
    uint32_t       damage = wound->damage < hurt->health ? wound->damage : hurt->health;
    hurt->health = (uint16_t)(hurt->health - damage);
    realm_report(step, REALM_EVENT_HIT, wound->who, REALM_CREATURE_BASE + index, place, (int32_t)damage);
    if (hurt->health == 0) {
        realm_creature_die(step, index, wound->who);
    } else if (hurt->mode != REALM_CREATURE_STRIKE) {
        hurt->mode = REALM_CREATURE_CHASE;
        hurt->target = (uint16_t)wound->who;
    }
}

void realm_combat_update(RealmStep *step)
{
    gather(step);
    for (uint32_t i = 0; i < step->view.player_count; i++) {
        apply_to_player(step, i);
    }
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        apply_to_creature(step, i);
    }
}
