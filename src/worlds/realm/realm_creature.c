// realm_creature.c: creatures. They rest, wander, notice a player who comes near, chase, wind up, strike. Each thinks in every tick and moves by
// the same walk as players; one in a landblock that is not served does nothing until it is. A creature everybody has left behind goes, and
// comes back near somebody.
#include "realm_step.h"

#include "realm_catalog.h"

enum {
    REST_TICKS_LEAST   = 20,
    REST_TICKS_MORE    = 60,
    WANDER_TICKS_LEAST = 40,
    WANDER_TICKS_MORE  = 80,
    DETOUR_TICKS       = 25, // walks elsewhere when it cannot get at whom it chases
    STUCK_JUMP_TICKS   = 6,
    STUCK_LEAVE_TICKS  = 30,
    GONE_TICKS         = 30, // until one that was left behind comes back elsewhere
    FIRST_TICKS        = 60, // until the first ones come, one after another
};

void realm_creature_init(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        realm_creature_edit(step, i)->wait_ticks = (uint16_t)(FIRST_TICKS + i % FIRST_TICKS);
    }
}

static void set_mode(RealmCreature *creature, RealmCreatureMode mode, uint32_t ticks)
{
    creature->mode = (uint8_t)mode;
    creature->wait_ticks = (uint16_t)ticks;
    creature->stuck_ticks = 0;
}

static void rest(RealmStep *step, RealmCreature *creature)
{
    uint32_t longer = realm_draw(step, REST_TICKS_MORE);
    creature->target = 0;
    set_mode(creature, REALM_CREATURE_REST, REST_TICKS_LEAST + longer);
}

static void wander(RealmStep *step, RealmCreature *creature)
{
    uint32_t heading = realm_draw(step, 65536);
    uint32_t longer = realm_draw(step, WANDER_TICKS_MORE);
    creature->heading.raw = (uint16_t)heading;
    creature->target = 0;
    set_mode(creature, REALM_CREATURE_WANDER, WANDER_TICKS_LEAST + longer);
}

// Slot + 1 of the nearest player within a radius; of two as near the lower slot; 0 for none.
static uint16_t nearest_player(const RealmStep *step, RealmPlace place, int32_t radius_raw)
{
    uint64_t best = (uint64_t)((int64_t)radius_raw * radius_raw) + 1;
    uint16_t found = 0;
    for (uint32_t i = 0; i < step->alive_count; i++) {
        uint64_t square = realm_way_square(realm_way(place, step->stands[step->alive[i]].place));
        if (square < best) {
            best = square;
            found = (uint16_t)(step->alive[i] + 1);
        }
    }
    return found;
}

static bool still_sees(const RealmStep *step, const RealmCreature *creature, RealmPlace place)
{
    if (creature->target == 0 || !step->stands[creature->target - 1].is_there) {
        return false;
    }
    return realm_way_is_within(realm_way(place, step->stands[creature->target - 1].place), REALM_LOSE_RAW);
}

static bool reaches(RealmWay way)
{
    return way.z <= REALM_REACH_HEIGHT_RAW && way.z >= -REALM_REACH_HEIGHT_RAW &&
           realm_way_is_within(way, REALM_STRIKE_REACH_RAW * 3 / 4);
}

static void think_calm(RealmStep *step, RealmCreature *creature, RealmPlace place)
{
    creature->target = nearest_player(step, place, REALM_NOTICE_RAW);
    if (creature->target != 0 && creature->stuck_ticks == 0) {
        set_mode(creature, REALM_CREATURE_CHASE, 0);
        return;
    }
    creature->target = 0;
    if (creature->wait_ticks > 0) {
        return;
    }
    creature->stuck_ticks = 0;
    if (creature->mode == REALM_CREATURE_REST) {
        wander(step, creature);
    } else {
        rest(step, creature);
    }
}

static void think_chase(RealmStep *step, RealmCreature *creature, RealmPlace place)
{
    if (!still_sees(step, creature, place)) {
        rest(step, creature);
        return;
    }
    RealmWay way = realm_way(place, step->stands[creature->target - 1].place);
    creature->heading = realm_way_angle(way);
    if (reaches(way) && creature->strike_ticks == 0) {
        set_mode(creature, REALM_CREATURE_STRIKE, REALM_STRIKE_WIND_UP);
    } else if (creature->stuck_ticks >= STUCK_LEAVE_TICKS) {
        wander(step, creature);
        creature->stuck_ticks = 1; // notices nobody until its detour is over
        creature->wait_ticks = DETOUR_TICKS;
    }
}

static void think_strike(RealmStep *step, RealmCreature *creature, uint32_t index)
{
    if (creature->wait_ticks > 0) {
        return;
    }
    step->creature_strikes[index] = true;
    creature->strike_ticks = REALM_STRIKE_TICKS;
    set_mode(creature, REALM_CREATURE_CHASE, 0);
}

static void think(RealmStep *step, RealmCreature *creature, uint32_t index, RealmPlace place)
{
    switch ((RealmCreatureMode)creature->mode) {
    case REALM_CREATURE_REST:
    case REALM_CREATURE_WANDER:
        think_calm(step, creature, place);
        return;
    case REALM_CREATURE_CHASE:
        think_chase(step, creature, place);
        return;
    case REALM_CREATURE_STRIKE:
        think_strike(step, creature, index);
        return;
    case REALM_CREATURE_NONE:
    case REALM_CREATURE_MODE_COUNT:
        break;
    }
    TP_FAULT(TP_FAULT_ASSERT, "a creature without a body thinks");
}

// How fast it walks the way it looks. In reach it stands, or it would push whom it chases.
static int32_t pace_of(const RealmStep *step, const RealmCreature *creature, RealmPlace place)
{
    if (creature->mode == REALM_CREATURE_WANDER) {
        return REALM_WANDER_SPEED;
    }
    if (creature->mode != REALM_CREATURE_CHASE || reaches(realm_way(place, step->stands[creature->target - 1].place))) {
        return 0;
    }
    return REALM_CHASE_SPEED;
}

// The catalog's creatures look along +y; shapes turn by quarters.
static void face(RealmStep *step, const RealmCreature *creature)
{
    const RealmOwner *owner = realm_owner_at(&step->engine, realm_owner_link(&step->engine, creature->owner));
    uint8_t           turn = (uint8_t)((((uint32_t)creature->heading.raw + 0x2000) / 0x4000 + 3) % 4);
    if (owner->turn != turn && realm_owner_set_setup(&step->engine, creature->owner, owner->setup, turn) != REALM_DONE) {
        realm_count_wait(step);
    }
}

static void note_blocked(RealmCreature *creature, bool is_blocked)
{
    if (creature->mode != REALM_CREATURE_CHASE) {
        if (is_blocked && creature->mode == REALM_CREATURE_WANDER) {
            creature->wait_ticks = 0; // turns elsewhere
        }
        return;
    }
    creature->stuck_ticks = is_blocked ? (uint16_t)(creature->stuck_ticks + 1) : 0;
}

static void move(RealmStep *step, RealmCreature *creature, RealmPlace place)
{
    int32_t     pace = pace_of(step, creature, place);
    tp_fx       forward_x = tp_cos(creature->heading);
    tp_fx       forward_y = tp_sin(creature->heading);
    RealmMotion motion = { creature->speed_x, creature->speed_y, creature->speed_z, creature->is_grounded != 0 };
    RealmWalked walked;
    motion.speed_x.raw = (int32_t)((int64_t)forward_x.raw * pace / 65536);
    motion.speed_y.raw = (int32_t)((int64_t)forward_y.raw * pace / 65536);
    if (motion.is_grounded && creature->mode == REALM_CREATURE_CHASE && creature->stuck_ticks == STUCK_JUMP_TICKS) {
        motion.speed_z.raw = REALM_JUMP_SPEED;
        motion.is_grounded = false;
    }
    if (!realm_walk(step, creature->owner, &motion, &walked)) {
        return;
    }
    creature->speed_x = motion.speed_x;
    creature->speed_y = motion.speed_y;
    creature->speed_z = motion.speed_z;
    creature->is_grounded = motion.is_grounded;
    note_blocked(creature, walked.is_blocked && pace > 0);
    face(step, creature);
}

void realm_creature_update(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        const RealmCreature *creature = &step->view.creatures[i];
        RealmPlace           place;
        if (creature->mode == REALM_CREATURE_NONE || !realm_owner_place(&step->engine, creature->owner, &place)) {
            continue;
        }
        RealmCreature *mind = realm_creature_edit(step, i);
        mind->strike_ticks = (uint16_t)(mind->strike_ticks - (mind->strike_ticks > 0));
        mind->wait_ticks = (uint16_t)(mind->wait_ticks - (mind->wait_ticks > 0));
        think(step, mind, i, place);
        move(step, mind, place);
    }
}

static void take_away(RealmStep *step, uint32_t index, uint32_t ticks)
{
    RealmCreature *creature = realm_creature_edit(step, index);
    RealmAnswer    answer = realm_owner_deregister(&step->engine, creature->owner);
    TP_ASSERT(answer == REALM_DONE);
    *creature = (RealmCreature){ .wait_ticks = (uint16_t)ticks, .kills = creature->kills };
}

void realm_creature_die(RealmStep *step, uint32_t index, uint32_t who)
{
    int32_t    points = realm_creature_is_large(index) ? REALM_LARGE_POINTS : REALM_CREATURE_POINTS;
    RealmPlace place = { 0 };
    bool       is_there = realm_owner_place(&step->engine, step->view.creatures[index].owner, &place);
    TP_ASSERT(is_there);
    realm_report(step, REALM_EVENT_DIED, who, REALM_CREATURE_BASE + index, place, points);
    take_away(step, index, REALM_CREATURE_TICKS);
    realm_count_up(&realm_game_edit(step)->kills);
    realm_player_score(step, who - 1, (uint32_t)points);
}

static uint32_t count_bodies(const RealmStep *step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        count += step->view.creatures[i].mode != REALM_CREATURE_NONE;
    }
    return count;
}

// Where it was put counts for one that is lost: its landblock may well have been withdrawn.
static void leave_behind(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        const RealmCreature *creature = &step->view.creatures[i];
        bool is_due = (step->engine.root->now + i) % REALM_CREATURE_CHECK_TICKS == 0;
        if (!is_due || creature->mode == REALM_CREATURE_NONE) {
            continue;
        }
        RealmPlace place;
        realm_owner_place(&step->engine, creature->owner, &place);
        if (nearest_player(step, place, REALM_CREATURE_FAR_RAW) == 0) {
            take_away(step, i, GONE_TICKS);
            realm_count_up(&realm_game_edit(step)->creatures_gone);
        }
    }
}

// All draws happen before it is known whether the place is any good.
static bool draw_place(RealmStep *step, uint16_t setup, RealmPlace *place)
{
    uint32_t    whose = realm_draw(step, step->alive_count);
    uint32_t    turn = realm_draw(step, 65536);
    uint32_t    distance = realm_draw(step, REALM_CREATURE_SPREAD - REALM_CREATURE_NEAR);
    tp_angle    angle = tp_angle_raw((uint16_t)turn);
    int32_t     units = (int32_t)(REALM_CREATURE_NEAR + distance);
    tp_fx       forward_x = tp_cos(angle);
    tp_fx       forward_y = tp_sin(angle);
    RealmVector away = { { forward_x.raw * units }, { forward_y.raw * units }, { 0 } };
    RealmPlace  there;
    if (!realm_place_move(step->stands[step->alive[whose]].place, away, &there)) {
        return false;
    }
    return nearest_player(step, there, REALM_RAW(REALM_CREATURE_NEAR) / 2) == 0 &&
           realm_walk_stand(step, there.cell, there.x, there.y, setup, place);
}

// False: nothing more can be born in this tick.
static bool bear(RealmStep *step, uint32_t index)
{
    bool              is_large = realm_creature_is_large(index);
    RealmOwnerContent content = {
        .id = REALM_ID_CREATURES + index, .setup = is_large ? REALM_SETUP_CREATURE_LARGE : REALM_SETUP_CREATURE_SMALL,
    };
    if (!draw_place(step, content.setup, &content.place)) {
        return true;
    }
    RealmCreature *creature = realm_creature_edit(step, index);
    if (realm_owner_register(&step->engine, &content, &creature->owner) != REALM_DONE) {
        realm_count_wait(step);
        return false;
    }
    creature->health = is_large ? REALM_LARGE_HEALTH : REALM_CREATURE_HEALTH;
    creature->is_grounded = 1;
    rest(step, creature);
    realm_count_up(&realm_game_edit(step)->creatures_born);
    return true;
}

static void come_back(RealmStep *step)
{
    uint32_t bodies = count_bodies(step);
    uint32_t tries = 0;
    bool     goes_on = step->alive_count > 0;
    for (uint32_t i = 0; goes_on && i < step->view.creature_count && tries < REALM_CREATURE_TRIES; i++) {
        const RealmCreature *creature = &step->view.creatures[i];
        if (creature->mode == REALM_CREATURE_NONE && creature->wait_ticks == 0 && bodies < step->alive_count * REALM_CREATURES_A_PLAYER) {
            tries++;
            goes_on = bear(step, i);
            bodies += creature->mode != REALM_CREATURE_NONE;
        }
    }
}

void realm_creature_respawn(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.creature_count; i++) {
        if (step->view.creatures[i].mode == REALM_CREATURE_NONE && step->view.creatures[i].wait_ticks > 0) {
            realm_creature_edit(step, i)->wait_ticks--;
        }
    }
    if (step->alive_count > 0) {
        leave_behind(step);
    }
    come_back(step);
}
