// The rules of the game on top of the engine: who is where, walking, fighting, doors, dying, being lost, commands, and that every write is told.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "realm_catalog.h"
#include "realm_match.h"
#include "realm_query.h"
#include "realm_step.h"

static const uint32_t middle = 0x0101FFFF; // the landblock in the middle of a land of 3 x 3

// A place in the middle landblock with nothing within 12 units but ground.
static RealmPlace open_place(Match *match)
{
    tp_context  context;
    RealmEngine engine = match_engine(match, &context);
    for (int32_t units = 24; units < 168; units += 4) {
        for (int32_t across = 24; across < 168; across += 4) {
            RealmPlace  place = { middle, { REALM_RAW(units) }, { REALM_RAW(across) }, { REALM_Z_MAX } };
            RealmGround ground = realm_query_ground(&engine, REALM_ACTIVE, place);
            uint32_t    owner;
            place.z = ground.z;
            bool is_empty = ground.is_terrain && realm_query_overlaps(&engine, REALM_ACTIVE, place, (tp_fx){ REALM_RAW(12) }, &owner, 1) == 0;
            bool is_far = true;
            for (uint32_t i = 0; i < engine.building_count; i++) {
                const RealmBuilding *building = &engine.buildings[i];
                bool is_beside = (building->generation & 1) == 0 || place.x.raw < building->low[0].raw - REALM_RAW(12) ||
                                 place.x.raw > building->high[0].raw + REALM_RAW(12) ||
                                 place.y.raw < building->low[1].raw - REALM_RAW(12) || place.y.raw > building->high[1].raw + REALM_RAW(12);
                is_far = is_far && is_beside;
            }
            if (is_empty && is_far) {
                return place;
            }
        }
    }
    cr_assert_fail("no open place");
    return (RealmPlace){ 0 };
}

// One player in the open; everybody else about it, four units apart along y.
static RealmPlace open_quiet(Match *match, uint32_t players, MatchConfig config)
{
    match_open(match, players, 1, config, false);
    match_start(match);
    RealmPlace place = open_place(match);
    for (uint32_t i = 0; i < players; i++) {
        RealmPlace there = place;
        there.y.raw += REALM_RAW(4) * (int32_t)i;
        match_put(match, i, there);
        match_player(match, i)->guard_ticks = 0;
    }
    return place;
}

// ---- Coming and going ----

Test(realm_game, appears_when_its_landblock_is_there)
{
    Match       match;
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_ARRIVAL] = 1;
    match_open(&match, 2, 1, config, true);
    match_step(&match);
    cr_assert_eq(match_event_count(&match, REALM_EVENT_JOINED), 2);
    match_steps(&match, 60);
    cr_assert_eq(match_view(&match).players[0].status, REALM_PLAYER_WAITING, "no content has arrived");
    uint32_t      cell = match_view(&match).players[1].cell;
    const uint8_t place[2] = { (uint8_t)(cell >> 24), (uint8_t)(cell >> 16) };
    match_command(&match, TP_SOURCE_HOST, REALM_COMMAND_CONTENT, place, 2);
    match_steps(&match, 60);
    RealmGameView view = match_view(&match);
    cr_assert_eq(view.players[1].status, REALM_PLAYER_ALIVE);
    cr_assert_eq(view.players[1].health, REALM_PLAYER_HEALTH);
    cr_assert_eq(realm_prefix(match_place(&match, 1).cell), realm_prefix(cell));
    bool is_same = realm_prefix(view.players[0].cell) == realm_prefix(cell);
    cr_assert_eq(view.players[0].status, is_same ? REALM_PLAYER_ALIVE : REALM_PLAYER_WAITING, "each waits for its own landblock");
    match_close(&match);
}

// Goal: in every land everybody finds a place to appear, deep water in the middle or not, however small it is.
Test(realm_game, appears_in_every_land)
{
    static const int64_t sides[] = { 1, 2, 3, 255 };
    for (uint32_t seed = 0; seed < 24; seed++) {
        Match       match;
        MatchConfig config = match_config_quiet();
        config.items[REALM_CONFIG_WIDTH] = sides[seed % 4];
        config.items[REALM_CONFIG_HEIGHT] = sides[seed / 4 % 4];
        config.items[REALM_CONFIG_RING] = 0;
        match_open(&match, 64, seed, config, false);
        match_start(&match);
        match_close(&match);
    }
}

Test(realm_game, leaving_takes_body_and_bolts_along)
{
    Match match;
    open_quiet(&match, 2, match_config_quiet());
    match.inputs[0].buttons = REALM_BUTTON_SHOOT;
    match_player(&match, 0)->best = 7;
    match_step(&match);
    cr_assert_eq(match_view(&match).shots[0].shooter, 1);
    RealmOwnerHandle body = match_player(&match, 0)->owner;
    match.presence[0] = 2;
    match_step(&match);
    cr_assert_eq(match_event_count(&match, REALM_EVENT_LEFT), 1);
    tp_context  context;
    RealmEngine engine = match_engine(&match, &context);
    RealmPlayer empty = { .best = 7 };
    cr_assert_eq(realm_owner_link(&engine, body), 0);
    cr_assert_eq(match_view(&match).shots[0].ticks, 0);
    cr_assert_eq(memcmp(match_player(&match, 0), &empty, sizeof(empty)), 0);
    cr_assert_null(realm_world.validate(tp_sim_view(match.sim).state, &context));
    match.presence[0] = 3;
    match.inputs[0].buttons = 0;
    match_start(&match);
    cr_assert_eq(match_view(&match).players[0].best, 7, "the slot's best stays");
    match_close(&match);
}

// ---- Walking ----

static RealmWay walk_for(Match *match, int8_t x, int8_t y, uint32_t ticks)
{
    RealmPlace from = match_place(match, 0);
    match->inputs[0].move_x = x;
    match->inputs[0].move_y = y;
    match_steps(match, ticks);
    match->inputs[0] = (RealmInput){ 0 };
    return realm_way(from, match_place(match, 0));
}

// Goal: four units a second, along both axes, no faster askew, and the mirrored pad gives the mirrored way to the bit.
Test(realm_game, walks)
{
    Match      match;
    RealmPlace place = open_quiet(&match, 1, match_config_quiet());
    static const int8_t pads[][2] = { { 127, 0 }, { 0, 127 }, { 127, 127 }, { 90, 90 }, { 31, 0 }, { 55, 13 } };
    for (uint32_t i = 0; i < 6; i++) {
        match_put(&match, 0, place);
        RealmWay way = walk_for(&match, pads[i][0], pads[i][1], 30);
        match_put(&match, 0, place);
        RealmWay back = walk_for(&match, (int8_t)-pads[i][0], (int8_t)-pads[i][1], 30);
        cr_assert(way.x == -back.x && way.y == -back.y, "pad %u: (%lld, %lld) and (%lld, %lld)", i, (long long)way.x, (long long)way.y,
                  (long long)back.x, (long long)back.y);
        int64_t length = tp_isqrt_u64(realm_way_square(way));
        int64_t full = 30 * REALM_RUN_SPEED;
        cr_assert_leq(length, full + 30, "pad %u is too fast", i);
        cr_assert(i > 2 || length > full - full / 100, "pad %u went %lld of %lld", i, (long long)length, (long long)full);
        cr_assert(match_view(&match).players[0].is_grounded);
    }
    match_close(&match);
}

// Goal: a press is one jump, however long it is held; it comes down where the ground is, and says so.
Test(realm_game, jumps_once_a_press)
{
    Match      match;
    RealmPlace place = open_quiet(&match, 1, match_config_quiet());
    uint32_t   jumped = 0;
    uint32_t   landed = 0;
    int32_t    top = 0;
    match.inputs[0].buttons = REALM_BUTTON_JUMP;
    int32_t ground = match_place(&match, 0).z.raw;
    for (uint32_t tick = 0; tick < 90; tick++) {
        match_step(&match);
        int32_t height = match_place(&match, 0).z.raw - ground;
        top = height > top ? height : top;
        jumped += match_event_count(&match, REALM_EVENT_JUMPED);
        landed += match_event_count(&match, REALM_EVENT_LANDED);
    }
    cr_assert_eq(jumped, 1);
    cr_assert_eq(landed, 1);
    cr_assert(top > REALM_RAW(1) && top < REALM_RAW(2), "it rose %d", top);
    cr_assert(match_view(&match).players[0].is_grounded);
    tp_context  context;
    RealmEngine engine = match_engine(&match, &context);
    RealmPlace  feet = match_place(&match, 0);
    cr_assert_leq(feet.z.raw - realm_query_ground(&engine, REALM_ACTIVE, feet).z.raw, REALM_QUERY_SKIN, "it stands on the ground");
    cr_assert(realm_way_is_within(realm_way(place, feet), REALM_RAW(1) / 4), "it came down where it went up");
    match_close(&match);
}

// Goal: whoever walks whichever way ends up in front of the last landblock's edge.
Test(realm_game, stays_in_the_land)
{
    Match match;
    open_quiet(&match, 1, match_config_quiet());
    for (int32_t side = -1; side <= 1; side += 2) {
        RealmPlace edge = { side < 0 ? 0x0001FFFFu : 0x0201FFFFu, { side < 0 ? REALM_RAW(2) : REALM_RAW(190) }, { REALM_RAW(90) }, { 0 } };
        match_put(&match, 0, edge);
        walk_for(&match, (int8_t)(side * 127), 0, 60);
        cr_assert_eq(realm_prefix(match_place(&match, 0).cell), realm_prefix(edge.cell));
    }
    match_close(&match);
}

// ---- Fighting ----

static void duel(Match *match, uint32_t a, uint32_t b, uint16_t health)
{
    RealmPlace place = match_beside(match, a, REALM_RAW(3) / 2, 0);
    match_put(match, b, place);
    match->inputs[a].look.raw = 0;
    match->inputs[b].look.raw = TP_ANGLE_HALF;
    match->inputs[a].buttons = match->inputs[b].buttons = REALM_BUTTON_ATTACK;
    match_player(match, a)->health = match_player(match, b)->health = health;
    match_player(match, a)->heal_ticks = match_player(match, b)->heal_ticks = REALM_HEAL_TICKS;
    match_step(match);
}

// Goal: two who kill each other in one tick both die and both score, whichever slots they have.
Test(realm_game, trades_do_not_depend_on_slots)
{
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        Match       match;
        MatchConfig config = match_config_quiet();
        config.items[REALM_CONFIG_DUELS] = 1;
        open_quiet(&match, 2, config);
        duel(&match, swapped, 1 - swapped, REALM_ATTACK_DAMAGE);
        RealmGameView view = match_view(&match);
        for (uint32_t i = 0; i < 2; i++) {
            cr_assert_eq(view.players[i].status, REALM_PLAYER_DEAD, "slot %u lives", i);
            cr_assert_eq(view.players[i].score, REALM_PLAYER_POINTS);
            cr_assert_eq(view.players[i].deaths, 1);
        }
        cr_assert_eq(view.game->deaths, 2);
        cr_assert_eq(view.game->duel_kills, 2);
        cr_assert_eq(match_event_count(&match, REALM_EVENT_DIED), 2);
        match_close(&match);
    }
}

Test(realm_game, friends_do_not_hurt)
{
    Match match;
    open_quiet(&match, 2, match_config_quiet());
    duel(&match, 0, 1, 1);
    cr_assert_eq(match_view(&match).players[0].status, REALM_PLAYER_ALIVE);
    cr_assert_eq(match_event_count(&match, REALM_EVENT_HIT), 0);
    match.inputs[0].buttons = match.inputs[1].buttons = REALM_BUTTON_SHOOT;
    match_steps(&match, 10);
    cr_assert_eq(match_view(&match).players[1].status, REALM_PLAYER_ALIVE);
    match_close(&match);
}

// Goal: reach, front, height, guard and the pause between blows are what they say.
Test(realm_game, blows_reach_so_far)
{
    Match       match;
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_DUELS] = 1;
    open_quiet(&match, 2, config);
    static const struct { int32_t x_tenths; uint16_t look; uint16_t guard; bool is_hit; } cases[] = {
        { 15, 0, 0, true },  { 22, 0, 0, true },  { 23, 0, 0, false },  { 15, 0x1F00, 0, true },
        { 15, 0x2100, 0, false }, { 15, 0xE100, 0, true }, { 15, 0x8000, 0, false }, { 15, 0, 2, false },
    };
    RealmPlace place = match_place(&match, 0);
    for (uint32_t i = 0; i < TP_COUNT_OF(cases); i++) {
        match_put(&match, 0, place);
        match_put(&match, 1, match_beside(&match, 0, REALM_RAW(cases[i].x_tenths) / 10, 0));
        match_player(&match, 0)->attack_ticks = 0;
        match_player(&match, 1)->guard_ticks = cases[i].guard;
        match.inputs[0].look.raw = cases[i].look;
        match.inputs[0].buttons = REALM_BUTTON_ATTACK;
        match_step(&match);
        cr_assert_eq(match_event_count(&match, REALM_EVENT_HIT), cases[i].is_hit, "case %u", i);
        match_step(&match);
        cr_assert_eq(match_event_count(&match, REALM_EVENT_HIT), 0, "case %u: it strikes again at once", i);
    }
    match_close(&match);
}

Test(realm_game, wound_remembers_the_hardest_then_the_lowest)
{
    static const uint32_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
    static const uint32_t damages[] = { 8, 12, 12 };
    static const uint32_t whos[] = { 1, 9, 4 };
    for (uint32_t i = 0; i < 3; i++) {
        RealmWound wound = { 0 };
        for (uint32_t k = 0; k < 3; k++) {
            realm_combat_wound(&wound, damages[orders[i][k]], whos[orders[i][k]]);
        }
        cr_assert_eq(wound.damage, 32);
        cr_assert_eq(wound.who, 4);
    }
}

Test(realm_game, bolts_fly_and_hit)
{
    Match       match;
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_DUELS] = 1;
    config.items[REALM_CONFIG_SHOTS] = 1;
    open_quiet(&match, 2, config);
    match_put(&match, 1, match_beside(&match, 0, REALM_RAW(8), 0));
    match.inputs[0].buttons = REALM_BUTTON_SHOOT;
    uint32_t hits = 0;
    for (uint32_t tick = 0; tick < REALM_SHOOT_TICKS; tick++) {
        match_step(&match);
        hits += match_event_count(&match, REALM_EVENT_HIT);
    }
    cr_assert_eq(hits, 1);
    cr_assert_eq(match_view(&match).players[1].health, REALM_PLAYER_HEALTH - REALM_BOLT_DAMAGE);
    match.inputs[0].look.raw = TP_ANGLE_HALF;
    match.inputs[1] = (RealmInput){ .look = { TP_ANGLE_QUARTER }, .buttons = REALM_BUTTON_SHOOT };
    match_steps(&match, 2);
    cr_assert_eq(match_view(&match).game->shots_refused, 1, "there is one slot for two bolts");
    match_steps(&match, REALM_BOLT_TICKS + 2);
    match.inputs[0].buttons = match.inputs[1].buttons = 0;
    match_steps(&match, REALM_BOLT_TICKS + 2);
    cr_assert_eq(match_view(&match).shots[0].ticks, 0, "a bolt's time ends");
    match_close(&match);
}

// Goal: the dead are gone for their time, then appear somewhere with all their health, guarded.
Test(realm_game, the_dead_come_back)
{
    Match       match;
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_DUELS] = 1;
    open_quiet(&match, 2, config);
    duel(&match, 0, 1, REALM_ATTACK_DAMAGE);
    match.inputs[0].buttons = match.inputs[1].buttons = 0;
    cr_assert_eq(match_event(&match, REALM_EVENT_DIED)->amount, REALM_PLAYER_POINTS);
    match_steps(&match, REALM_DEAD_TICKS - 2);
    cr_assert_eq(match_view(&match).players[0].status, REALM_PLAYER_DEAD);
    match_start(&match);
    cr_assert_eq(match_view(&match).players[0].health, REALM_PLAYER_HEALTH);
    cr_assert_gt(match_view(&match).players[0].guard_ticks, 0);
    cr_assert_eq(match_view(&match).players[0].score, REALM_PLAYER_POINTS, "dying takes no score");
    match_close(&match);
}

Test(realm_game, health_comes_back)
{
    Match match;
    open_quiet(&match, 1, match_config_quiet());
    match_player(&match, 0)->health = 50;
    match_player(&match, 0)->heal_ticks = 1;
    match_steps(&match, 1 + 3 * REALM_HEAL_TICKS);
    cr_assert_eq(match_view(&match).players[0].health, 54);
    match_close(&match);
}

// ---- Creatures ----

static MatchConfig with_creatures(void)
{
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_CREATURES] = 40;
    return config;
}

// Keeps the world's own creatures from coming.
static void keep_creatures_away(Match *match)
{
    for (uint32_t i = 0; i < match_view(match).creature_count; i++) {
        RealmCreature *creature = match_creature(match, i);
        creature->wait_ticks = creature->mode == REALM_CREATURE_NONE ? 1024 : creature->wait_ticks;
    }
}

// Goal: one that notices comes, winds up, and hits who stays; who steps away in time is not hit.
Test(realm_game, creatures_hunt)
{
    for (uint32_t evades = 0; evades < 2; evades++) {
        Match match;
        open_quiet(&match, 1, with_creatures());
        keep_creatures_away(&match);
        uint32_t index = match_put_creature(&match, match_beside(&match, 0, REALM_RAW(8), 0));
        uint32_t hits = 0;
        bool     has_wound_up = false;
        for (uint32_t tick = 0; tick < 120; tick++) {
            match_step(&match);
            has_wound_up = has_wound_up || match_view(&match).creatures[index].mode == REALM_CREATURE_STRIKE;
            match.inputs[0].move_x = evades != 0 && has_wound_up ? -127 : 0;
            hits += match_event_count(&match, REALM_EVENT_HIT);
        }
        cr_assert(has_wound_up);
        cr_assert_eq(hits > 0, evades == 0, "%u hits", hits);
        match_close(&match);
    }
}

Test(realm_game, killing_creatures_scores)
{
    Match match;
    open_quiet(&match, 1, with_creatures());
    keep_creatures_away(&match);
    uint32_t index = match_put_creature(&match, match_beside(&match, 0, REALM_RAW(3) / 2, 0));
    match_creature(&match, index)->health = REALM_ATTACK_DAMAGE;
    match_creature(&match, index)->kills = 3;
    match.inputs[0].buttons = REALM_BUTTON_ATTACK;
    match_step(&match);
    const RealmGameEvent *died = match_event(&match, REALM_EVENT_DIED);
    cr_assert_not_null(died);
    cr_assert(died->who == 1 && died->whom == REALM_CREATURE_BASE + index && died->amount == REALM_CREATURE_POINTS);
    RealmGameView view = match_view(&match);
    cr_assert(view.players[0].score == REALM_CREATURE_POINTS && view.players[0].best == REALM_CREATURE_POINTS);
    cr_assert_eq(view.players[0].kills, 1);
    cr_assert_eq(view.game->kills, 1);
    cr_assert_eq(view.creatures[index].mode, REALM_CREATURE_NONE);
    cr_assert_eq(view.creatures[index].kills, 3, "what it killed is remembered");
    match_close(&match);
}

Test(realm_game, creatures_keep_near_the_living)
{
    Match match;
    open_quiet(&match, 1, with_creatures());
    match_steps(&match, 300);
    uint32_t   count = 0;
    tp_context context;
    for (uint32_t i = 0; i < 40; i++) {
        if (match_view(&match).creatures[i].mode != REALM_CREATURE_NONE) {
            RealmEngine engine = match_engine(&match, &context);
            RealmPlace  place;
            cr_assert(realm_owner_place(&engine, match_view(&match).creatures[i].owner, &place));
            cr_assert(realm_way_is_within(realm_way(match_place(&match, 0), place), REALM_CREATURE_FAR_RAW));
            count++;
        }
    }
    cr_assert_eq(count, REALM_CREATURES_A_PLAYER);
    uint32_t far = match_put_creature(&match, (RealmPlace){ 0x0002FFFF, { REALM_RAW(10) }, { REALM_RAW(180) }, { 0 } });
    match_steps(&match, REALM_CREATURE_CHECK_TICKS + 1);
    cr_assert_eq(match_view(&match).creatures[far].mode, REALM_CREATURE_NONE);
    cr_assert_eq(match_view(&match).game->creatures_gone, 1);
    match_close(&match);
}

// ---- Lost ----

// Goal: what is in a landblock that is not served keeps its place and does nothing, and goes on by itself.
Test(realm_game, the_lost_wait_and_wake)
{
    Match match;
    open_quiet(&match, 1, with_creatures());
    keep_creatures_away(&match);
    uint32_t index = match_put_creature(&match, match_beside(&match, 0, REALM_RAW(6), 0));
    match_step(&match);
    RealmPlace  before = match_place(&match, 0);
    RealmPlace  place;
    tp_context  context;
    RealmEngine engine = match_engine(&match, &context);
    cr_assert_eq(realm_withdraw(&engine, middle), REALM_DONE);
    RealmCreature then = *match_creature(&match, index);
    match.inputs[0].move_x = 127;
    match_step(&match);
    cr_assert_not(realm_owner_place(&engine, match_player(&match, 0)->owner, &place));
    cr_assert(place.x.raw == before.x.raw && place.y.raw == before.y.raw && place.z.raw == before.z.raw);
    cr_assert_eq(memcmp(match_creature(&match, index), &then, sizeof(then)), 0, "a lost creature thinks");
    cr_assert_eq(match_view(&match).players[0].status, REALM_PLAYER_ALIVE);
    match.inputs[0].move_x = 0;
    uint32_t ticks = 0;
    while (!realm_owner_place(&engine, match_player(&match, 0)->owner, &place)) {
        match_step(&match);
        ticks++;
        cr_assert_lt(ticks, 300, "the landblock does not come back");
    }
    cr_assert(place.x.raw == before.x.raw && place.y.raw == before.y.raw);
    walk_for(&match, 0, 127, 5);
    cr_assert_neq(match_place(&match, 0).y.raw, before.y.raw, "it goes on");
    match_close(&match);
}

// ---- Doors ----

// Before the door, outside, so far from it along its wall's normal.
static RealmPlace before_door(const RealmLook *look, int32_t units)
{
    RealmPlace place = look->doorway;
    place.x.raw += (int32_t)look->inward.x * units;
    place.y.raw += (int32_t)look->inward.y * units;
    return place;
}

static void head_for_door(Match *match, const RealmLook *look)
{
    match->inputs[0].move_x = (int8_t)(look->inward.x / 65536 * 127);
    match->inputs[0].move_y = (int8_t)(look->inward.y / 65536 * 127);
}

// Finds a landblock with a door and puts the player before it. False: this land has none.
static bool go_to_a_door(Match *match, RealmLook *look)
{
    for (uint32_t prefix = 0; prefix < 9; prefix++) {
        uint32_t   block = realm_block_id((uint16_t)((prefix / 3) << 8 | prefix % 3));
        tp_context context;
        RealmEngine engine = match_engine(match, &context);
        RealmPlace  corner = { block, { REALM_RAW(4) }, { REALM_RAW(4) }, { REALM_Z_MAX } };
        corner.z = realm_query_ground(&engine, REALM_ACTIVE, corner).z;
        match_put(match, 0, corner);
        match_steps(match, 40);
        for (uint32_t i = 0; i < match_view(match).door_count; i++) {
            const RealmDoor *door = &match_view(match).doors[i];
            RealmPlace       place;
            engine = match_engine(match, &context);
            if (door->is_hung == 0 || door->prefix != realm_prefix(block) || !realm_owner_place(&engine, door->owner, &place)) {
                continue;
            }
            tp_view view = tp_sim_view(match->sim);
            match_put(match, 0, place); // nearest to its own doorway, whatever else is there
            *look = realm_bot_look(&view, 0);
            if (look->has_doorway) {
                match_put(match, 0, before_door(look, -3));
                return true;
            }
        }
    }
    return false;
}

// Goal: a closed door is a wall; one press opens it, however long it is held; behind it is a room; and it does not close on anybody.
Test(realm_game, doors)
{
    Match       match;
    RealmLook   look = { 0 };
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_DOORS] = 32;
    match_open(&match, 1, 3, config, false);
    match_start(&match);
    cr_assert(go_to_a_door(&match, &look));
    head_for_door(&match, &look);
    match_steps(&match, 60);
    cr_assert_not(match_view(&match).players[0].is_indoors, "it walked through a closed door");
    match.inputs[0].buttons = REALM_BUTTON_USE;
    match_step(&match);
    cr_assert_eq(match_event_count(&match, REALM_EVENT_DOOR), 1);
    cr_assert_eq(match_event(&match, REALM_EVENT_DOOR)->amount, 1);
    uint32_t entered = 0;
    uint32_t moved = 0;
    for (uint32_t tick = 0; tick < 20; tick++) {
        match_step(&match);
        entered += match_event_count(&match, REALM_EVENT_ENTERED);
        moved += match_event_count(&match, REALM_EVENT_DOOR);
    }
    cr_assert_eq(entered, 1);
    cr_assert_eq(moved, 0, "held is not pressed again");
    cr_assert_eq(match_view(&match).game->entries, 1);
    match.inputs[0] = (RealmInput){ 0 };
    match_put(&match, 0, before_door(&look, 0));
    match_step(&match);
    match.inputs[0].buttons = REALM_BUTTON_USE;
    match_step(&match);
    cr_assert_eq(match_event_count(&match, REALM_EVENT_DOOR), 0, "it closed on who stands in it");
    match.inputs[0].buttons = 0;
    match_put(&match, 0, before_door(&look, -2));
    match_step(&match);
    match.inputs[0].buttons = REALM_BUTTON_USE;
    match_step(&match);
    cr_assert_eq(match_event_count(&match, REALM_EVENT_DOOR), 1);
    cr_assert_eq(match_event(&match, REALM_EVENT_DOOR)->amount, 0);
    match_close(&match);
}

// Goal: a door goes with the generation it hangs in.
Test(realm_game, doors_go_with_their_landblock)
{
    Match       match;
    RealmLook   look = { 0 };
    MatchConfig config = match_config_quiet();
    config.items[REALM_CONFIG_DOORS] = 32;
    match_open(&match, 1, 3, config, false);
    match_start(&match);
    cr_assert(go_to_a_door(&match, &look));
    RealmDoor before[32];
    uint8_t   place[2] = { (uint8_t)(look.doorway.cell >> 24), (uint8_t)(look.doorway.cell >> 16) };
    memcpy(before, match_view(&match).doors, sizeof(before));
    match_command(&match, TP_SOURCE_HOST, REALM_COMMAND_RELOAD, place, 2);
    uint32_t ticks = 0;
    do {
        match_step(&match);
        ticks++;
        cr_assert_lt(ticks, 400, "the reload does not come");
    } while (match_event_count(&match, REALM_EVENT_COMMITTED) == 0);
    for (uint32_t i = 0; i < 32; i++) {
        const RealmDoor *door = &match_view(&match).doors[i];
        bool is_old = before[i].is_hung != 0 && before[i].prefix == realm_prefix(look.doorway.cell);
        cr_assert(!is_old || door->is_hung == 0 || door->generation != before[i].generation, "door %u is of a generation that is gone", i);
    }
    match_close(&match);
}

// ---- The border ----

Test(realm_game, commands_that_are_wrong_are_counted)
{
    Match         match;
    const uint8_t place[2] = { 1, 1 };
    const uint8_t outside[2] = { 200, 1 };
    open_quiet(&match, 1, match_config_quiet());
    match_command(&match, 0, REALM_COMMAND_RELOAD, place, 2);
    match_command(&match, TP_SOURCE_HOST, REALM_COMMAND_RELOAD, outside, 2);
    match_command(&match, TP_SOURCE_HOST, REALM_COMMAND_CONTENT, place, 2);
    match_step(&match);
    cr_assert_eq(match_view(&match).game->commands_ignored, 3);
    match_command(&match, TP_SOURCE_HOST, REALM_COMMAND_HALT, NULL, 0);
    tp_error error;
    cr_assert_eq(match_try_step(&match, &error), TP_SIM_FAULTED);
    cr_assert_str_eq(tp_sim_fault(match.sim)->what, "halted by the administrator");
    match_close(&match);
}

// Goal: a tick that writes nothing of the game but one counter tells of that, too. With a player the page is told of anyway.
Test(realm_game, a_lonely_write_is_told)
{
    Match         match;
    const uint8_t place[2] = { 1, 1 };
    match_open(&match, 1, 1, match_config_quiet(), true);
    match.presence[0] = 0;
    match_step(&match);
    match_command(&match, 0, REALM_COMMAND_RELOAD, place, 2);
    match_step(&match); // faults when it was not told
    cr_assert_eq(match_view(&match).game->commands_ignored, 1);
    match_close(&match);
}

Test(realm_game, pads_are_cleaned_and_held)
{
    RealmInput pad = { .move_x = -128, .move_y = -128, .buttons = 0xFF, .padding = 9, .look = { 77 } };
    realm_world.sanitise(&pad);
    cr_assert(pad.move_x == -127 && pad.move_y == -127 && pad.buttons == REALM_BUTTONS && pad.padding == 0 && pad.look.raw == 77);
    RealmInput guess;
    realm_world.predict(&pad, &guess);
    cr_assert_eq(memcmp(&guess, &pad, sizeof(pad)), 0);
}

Test(realm_game, other_rates_are_refused)
{
    tp_error    error;
    MatchConfig config = match_config();
    tp_setup    setup = { .seed = 1, .players = 1, .tick_rate_hz = 60, .config = config.items };
    cr_assert_null(tp_sim_create(&realm_world, &setup, NULL, &error));
    cr_assert_not_null(strstr(error.text, "set the tick rate to 30"), "%s", error.text);
}

Test(realm_game, says_what_is_going_on)
{
    Match match;
    char  text[128];
    match_open(&match, 2, 1, match_config(), false);
    match_step(&match);
    cr_assert(tp_sim_describe(match.sim, text, sizeof(text)));
    cr_assert_eq(strncmp(text, "tick 1, 0 of 2 players alive, best score 0, 0 landblocks, ", 57), 0, "%s", text);
    cr_assert(tp_sim_describe(match.sim, text, 9));
    cr_assert_str_eq(text, "tick 1, ");
    cr_assert_lt(tp_sim_layout(match.sim)->block_size, 2 * 1024 * 1024);
    match_close(&match);
}

// ---- Foreign states ----

typedef struct Forgery {
    const char *text; // what is said of it
    void (*plant)(Match *match);
} Forgery;

static void plant_absent(Match *match) { match_player(match, 2)->score = 1; match_player(match, 2)->best = 1; }
static void plant_best(Match *match) { match_player(match, 0)->score = match_player(match, 0)->best + 1; }
static void plant_far(Match *match) { match_player(match, 0)->cell = 0x0301FFFF; }
static void plant_health(Match *match) { match_player(match, 0)->health = 0; }
static void plant_body(Match *match) { match_player(match, 0)->owner = match_player(match, 1)->owner; }
static void plant_stale(Match *match) { match_player(match, 0)->owner.generation += 2; }
static void plant_dead(Match *match) { match_player(match, 0)->status = REALM_PLAYER_DEAD; }
static void plant_none(Match *match) { match_creature(match, 39)->health = 5; }
static void plant_strong(Match *match) { match_creature(match, 0)->health = REALM_LARGE_HEALTH; }
static void plant_target(Match *match) { match_creature(match, 0)->target = 3; }
static void plant_nobody(Match *match) { match_creature(match, 0)->mode = REALM_CREATURE_CHASE; match_creature(match, 0)->target = 0; }
static void plant_creature(Match *match) { match_creature(match, 0)->owner = match_player(match, 1)->owner; }

static RealmShot *shot_of(Match *match)
{
    return (RealmShot *)(uintptr_t)match_view(match).shots;
}

static void plant_shot(Match *match) { shot_of(match)->shooter = 1; }
static void plant_shooter(Match *match) { *shot_of(match) = (RealmShot){ .ticks = 5, .shooter = 3, .cell = middle }; }

static RealmDoor *door_of(Match *match)
{
    RealmDoor *door = (RealmDoor *)(uintptr_t)match_view(match).doors;
    while (door->is_hung == 0) {
        door++;
    }
    return door;
}

static void plant_door(Match *match) { door_of(match)->is_open ^= 1; }
static void plant_hung(Match *match) { door_of(match)->is_hung = 0; }
static void plant_prefix(Match *match) { door_of(match)->prefix ^= 1; }
static void plant_generator(Match *match) { ((RealmGame *)(uintptr_t)match_view(match).game)->rng_increment ^= 1; }

static const Forgery forgeries[] = {
    { "a slot nobody has holds a player", plant_absent },
    { "a player's score is above the slot's best", plant_best },
    { "a player appears outside of the land", plant_far },
    { "a living player without health", plant_health },
    { "a living player without its body", plant_body },
    { "a living player without its body", plant_stale },
    { "a player without a body acts", plant_dead },
    { "a creature without a body acts", plant_none },
    { "a creature has more health than it can, or none", plant_strong },
    { "a creature chases nobody, or chases while it rests", plant_nobody },
    { "a creature chases nobody, or chases while it rests", plant_target },
    { "a creature without its body", plant_creature },
    { "a free bolt is not empty", plant_shot },
    { "a bolt nobody here fired", plant_shooter },
    { "a door without its body", plant_door },
    { "a free door is not empty", plant_hung },
    { "a door hangs in another landblock than it says", plant_prefix },
    { "the game's generator has an even increment", plant_generator },
};

// Goal: what the game's own code counts on is asked of foreign bytes: each planted lie is named.
Test(realm_game, forged_states_are_refused)
{
    for (uint32_t i = 0; i < TP_COUNT_OF(forgeries); i++) {
        Match       match;
        MatchConfig config = with_creatures();
        config.items[REALM_CONFIG_DOORS] = 32;
        match_open(&match, 3, 3, config, false);
        match.presence[0] = 3;
        match_start(&match);
        match_steps(&match, 200);
        tp_context context = tp_layout_context(tp_sim_layout(match.sim));
        const char *fault = realm_game_validate(tp_sim_state(match.sim), &context);
        cr_assert_null(fault, "before the forgery: %s", fault);
        forgeries[i].plant(&match);
        fault = realm_game_validate(tp_sim_state(match.sim), &context);
        cr_assert_not_null(fault, "forgery %u passed: %s", i, forgeries[i].text);
        cr_assert_str_eq(fault, forgeries[i].text, "forgery %u: %s", i, fault);
        match_close(&match);
    }
}
