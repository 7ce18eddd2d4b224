// The bot, and the whole game by way of it: bots play for minutes, and everything the game has happens.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "realm_match.h"
#include "realm_observe.h"
#include "realm_query.h"

typedef struct Tally {
    uint32_t events[REALM_EVENT_COUNT];
    uint32_t creature_deaths, player_deaths;
} Tally;

static void count_events(const Match *match, Tally *tally)
{
    tp_view view = tp_sim_view(match->sim);
    cr_assert_eq(view.events_dropped, 0);
    for (uint32_t i = 0; i < view.event_count; i++) {
        const RealmGameEvent *event = view.events[i].data;
        tally->events[view.events[i].type]++;
        if (view.events[i].type == REALM_EVENT_DIED) {
            tally->creature_deaths += event->whom >= REALM_CREATURE_BASE;
            tally->player_deaths += event->whom < REALM_CREATURE_BASE;
        }
    }
}

// Nobody is ever under the land, and who stands stands on something.
static void check_bodies(const Match *match)
{
    tp_context    context = tp_layout_context(tp_sim_layout(match->sim));
    RealmEngine   engine = realm_engine_open_const(tp_sim_view(match->sim).state, &context);
    RealmGameView view = match_view(match);
    for (uint32_t i = 0; i < view.player_count; i++) {
        RealmPlace place;
        if (view.players[i].status != REALM_PLAYER_ALIVE || !realm_owner_place(&engine, view.players[i].owner, &place)) {
            continue;
        }
        RealmGround ground = realm_query_ground(&engine, REALM_ACTIVE, place);
        cr_assert(ground.is_known);
        cr_assert_geq(place.z.raw, ground.z.raw, "slot %u is in the ground at tick %llu", i, (unsigned long long)tp_sim_tick(match->sim));
        cr_assert_leq(place.z.raw - ground.z.raw, REALM_RAW(20), "slot %u is in the sky", i);
    }
}

static uint32_t count_lost(const Match *match)
{
    tp_context    context = tp_layout_context(tp_sim_layout(match->sim));
    RealmEngine   engine = realm_engine_open_const(tp_sim_view(match->sim).state, &context);
    RealmGameView view = match_view(match);
    uint32_t      lost = 0;
    for (uint32_t i = 0; i < view.player_count; i++) {
        RealmPlace place;
        lost += view.players[i].status == REALM_PLAYER_ALIVE && !realm_owner_place(&engine, view.players[i].owner, &place);
    }
    return lost;
}

static void check_counters(const Match *match, const Tally *tally)
{
    RealmGameView    view = match_view(match);
    tp_view          whole = tp_sim_view(match->sim);
    const RealmRoot *root = tp_view_section(&whole, REALM_SECTION_ROOT);
    uint32_t         kills = 0, deaths = 0, creature_kills = 0, bodies = 0;
    for (uint32_t i = 0; i < view.player_count; i++) {
        kills += view.players[i].kills;
        deaths += view.players[i].deaths;
    }
    for (uint32_t i = 0; i < view.creature_count; i++) {
        creature_kills += view.creatures[i].kills;
        bodies += view.creatures[i].mode != REALM_CREATURE_NONE;
    }
    cr_assert_eq(view.game->kills, tally->creature_deaths);
    cr_assert_eq(kills, tally->creature_deaths + view.game->duel_kills);
    cr_assert_eq(view.game->deaths, tally->player_deaths);
    cr_assert_eq(deaths, tally->player_deaths);
    cr_assert_eq(creature_kills + view.game->duel_kills, tally->player_deaths);
    cr_assert_eq(view.game->creatures_born, view.game->kills + view.game->creatures_gone + bodies);
    cr_assert_eq(view.game->respawns, tally->events[REALM_EVENT_RESPAWNED]);
    cr_assert_eq(view.game->entries, tally->events[REALM_EVENT_ENTERED]);
    cr_assert_eq(view.game->bolts, tally->events[REALM_EVENT_SHOT]);
    cr_assert_eq(view.game->events_dropped, 0);
    cr_assert_eq(root->commits, tally->events[REALM_EVENT_COMMITTED]);
    cr_assert_eq(root->cancels, tally->events[REALM_EVENT_CANCELLED]);
}

// Goal: four bots for eleven minutes: land comes and goes, creatures are met and killed, bots die and return, houses are entered, nobody
// is lost, nothing faults, and the counts of the state are those of the events.
Test(realm_bot, plays_the_whole_game)
{
    Match match;
    Tally tally = { 0 };
    match_open(&match, 4, 1, match_config(), false);
    match_seat_bots(&match, 1, 6);
    for (uint32_t tick = 0; tick < 20000; tick++) {
        match_step(&match);
        count_events(&match, &tally);
        if (tick % 16 == 0) {
            check_bodies(&match);
        }
    }
    cr_assert_geq(tally.events[REALM_EVENT_COMMITTED], 100);
    cr_assert_gt(tally.events[REALM_EVENT_DEMOTED], 0);
    cr_assert_gt(tally.events[REALM_EVENT_WITHDRAWN], 0);
    cr_assert_geq(tally.creature_deaths, 100);
    cr_assert_geq(tally.player_deaths, 1);
    cr_assert_geq(tally.events[REALM_EVENT_ENTERED], 5);
    cr_assert_geq(tally.events[REALM_EVENT_DOOR], 1);
    cr_assert_gt(tally.events[REALM_EVENT_JUMPED], 0);
    cr_assert_gt(tally.events[REALM_EVENT_LANDED], 0);
    cr_assert_eq(count_lost(&match), 0);
    check_counters(&match, &tally);
    match_close(&match);
}

// Goal: what the world tells of its writes is all that it writes; and what it plays through is always a state that it would read.
Test(realm_bot, tells_all_its_writes)
{
    Match match;
    MatchConfig config = match_config();
    config.items[REALM_CONFIG_DUELS] = 1;
    match_open(&match, 6, 2, config, true);
    match_seat_bots(&match, 2, 3);
    tp_context context = tp_layout_context(tp_sim_layout(match.sim));
    for (uint32_t tick = 0; tick < 2500; tick++) {
        if (tick % 500 == 200) {
            match.presence[0] = (uint8_t)(match.presence[0] ^ 0x14); // two leave and come
        }
        match_step(&match); // faults when a write was not told
        if (tick % 50 == 0) {
            const char *fault = realm_world.validate(tp_sim_view(match.sim).state, &context);
            cr_assert_null(fault, "tick %u: %s", tick, fault);
        }
    }
    cr_assert_gt(match_view(&match).game->deaths, 0);
    match_close(&match);
}

// Goal: a state that was encoded and decoded goes on the same.
Test(realm_bot, goes_on_from_bytes)
{
    Match match, other;
    match_open(&match, 4, 9, match_config(), false);
    match_open(&other, 4, 9, match_config(), false);
    match_seat_bots(&match, 9, 4);
    match_steps(&match, 700);
    size_t   capacity = tp_sim_encoded_max(match.sim);
    size_t   size;
    uint8_t *bytes = malloc(capacity);
    tp_error error;
    cr_assert(bytes != NULL && tp_sim_encode(match.sim, bytes, capacity, &size));
    uint64_t event_leaf = tp_sim_event_leaf(match.sim);
    cr_assert(tp_sim_decode(other.sim, bytes, size, tp_sim_tick(match.sim), tp_sim_input_leaf(match.sim), event_leaf, &error), "%s",
              error.text);
    for (uint32_t tick = 0; tick < 300; tick++) {
        match_step(&match);
        memcpy(other.inputs, match.inputs, sizeof(match.inputs));
        match_step(&other);
        tp_hash128 a = tp_sim_root(match.sim);
        tp_hash128 b = tp_sim_root(other.sim);
        cr_assert(a.hi == b.hi && a.lo == b.lo, "they part at tick %u", tick);
    }
    free(bytes);
    match_close(&match);
    match_close(&other);
}

static void take_cue(void *to, const tp_cue *cue)
{
    uint32_t *cues = to;
    cr_assert_not_null(cue->name);
    cues[cue->kind]++;
}

// Goal: with and without somebody who watches, every root is the same; and there is something of each kind to notice.
Test(realm_bot, observing_changes_nothing)
{
    Match          watched, alone;
    RealmObserver *observer = calloc(1, realm_observer.size);
    uint32_t       cues[3] = { 0 };
    match_open(&watched, 4, 2, match_config(), false);
    match_open(&alone, 4, 2, match_config(), false);
    match_seat_bots(&watched, 2, 0);
    match_seat_bots(&alone, 2, 0);
    realm_observer.init(observer, &tp_sim_layout(watched.sim)->setup);
    for (uint32_t tick = 0; tick < 1500; tick++) {
        match_step(&watched);
        match_step(&alone);
        tp_view view = tp_sim_view(watched.sim);
        realm_observer.tick(observer, &view, take_cue, cues);
        tp_hash128 a = tp_sim_root(watched.sim);
        tp_hash128 b = tp_sim_root(alone.sim);
        cr_assert(a.hi == b.hi && a.lo == b.lo, "they part at tick %u", tick);
    }
    cr_assert(cues[TP_CUE_SOUND] > 0 && cues[TP_CUE_SHAKE] > 0 && cues[TP_CUE_PARTICLES] > 0);
    cr_assert_eq(observer->rejected, 0);
    free(observer);
    match_close(&watched);
    match_close(&alone);
}

// Goal: latency is pure: with a delay of d the pad of tick t + d is the one that the view of tick t gives to a bot without delay, as long as
// neither has acted on anything since.
Test(realm_bot, delay_is_pure)
{
    enum { DELAY = 7 };
    Match    match;
    RealmBot quick, slow;
    match_open(&match, 1, 4, match_config_quiet(), false);
    realm_bot.init(&quick, &tp_sim_layout(match.sim)->setup, 0, 1, 0);
    realm_bot.init(&slow, &tp_sim_layout(match.sim)->setup, 0, 1, DELAY);
    RealmInput pads[200];
    uint32_t   walked = 0;
    for (uint32_t tick = 0; tick < 200; tick++) {
        RealmInput pad;
        tp_view    view = tp_sim_view(match.sim);
        realm_bot.play(&quick, &view, &pads[tick]);
        realm_bot.play(&slow, &view, &pad);
        if (tick >= DELAY) {
            pads[tick - DELAY].buttons = pad.buttons = 0; // presses are spaced by the delay
            cr_assert_eq(memcmp(&pad, &pads[tick - DELAY], sizeof(pad)), 0, "tick %u", tick);
            walked += pad.move_x != 0;
        } else {
            cr_assert(pad.move_x == 0 && pad.move_y == 0 && pad.buttons == 0);
        }
        match_step(&match);
    }
    cr_assert_gt(walked, 50);
    match_close(&match);
}

// Goal: when land is scarce the players at its edge wait, nothing faults, and nobody stays lost.
Test(realm_bot, plays_with_little_room)
{
    Match       match;
    MatchConfig config = match_config();
    config.items[REALM_CONFIG_RESIDENTS] = 12;
    config.items[REALM_CONFIG_LEAVES] = 16;
    config.items[REALM_CONFIG_DRAFTS] = 2;
    config.items[REALM_CONFIG_BLOCKS] = 64;
    config.items[REALM_CONFIG_WORK_UNITS] = 12;
    config.items[REALM_CONFIG_RING] = 1;
    config.items[REALM_CONFIG_OWNERS] = 400;
    config.items[REALM_CONFIG_DYNAMICS] = 60;
    config.items[REALM_CONFIG_SETS] = 460;
    config.items[REALM_CONFIG_ROWS] = 1200;
    config.items[REALM_CONFIG_MEMBERS] = 900;
    match_open(&match, 3, 6, config, true);
    match_seat_bots(&match, 6, 2);
    match_steps(&match, 4000);
    cr_assert_gt(match_view(&match).game->kills, 0);
    match_close(&match);
}
