// The bot: what it sees, that it knows the way, that it plays at all and comes back, and what its latency is made of. Its matches are also
// how every rule is known to come up in play.
#include <criterion/criterion.h>

#include <string.h>

#include "fighter_rig.h"

static RigConfig stage_config(int64_t stage)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    return config;
}

// ---- Seeing ----

// Goal: the nearest that somebody plays on the stage; of two as near the lower slot; nobody is nobody.
Test(fighter_bot, sees_the_nearest)
{
    Rig rig;
    rig_open(&rig, 5, 1);
    rig_step(&rig);
    tp_view view = tp_sim_view(rig.sim);
    cr_assert_eq(fighter_bot_nearest(&view, 2), 2, "slots 1 and 3 are as near");
    rig.state.fighters[3].x.raw -= 1;
    cr_assert_eq(fighter_bot_nearest(&view, 2), 4);
    rig.state.fighters[3].action = FIGHTER_ACTION_KO;
    cr_assert_eq(fighter_bot_nearest(&view, 2), 2);
    rig.state.fighters[1].action = FIGHTER_ACTION_OUT;
    rig.state.fighters[0].action = FIGHTER_ACTION_ABSENT;
    cr_assert_eq(fighter_bot_nearest(&view, 2), 5);
    rig.state.fighters[4].action = FIGHTER_ACTION_ABSENT;
    cr_assert_eq(fighter_bot_nearest(&view, 2), 0);
    rig_close(&rig);
}

Test(fighter_bot, look_is_of_both)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_step(&rig);
    Fighter *fighters = rig.state.fighters;
    fighters[0].velocity_x.raw = 100;
    fighters[0].launch_x.raw = 7;
    fighters[1].action = FIGHTER_ACTION_JAB;
    tp_view view = tp_sim_view(rig.sim);
    FighterLook look = fighter_bot_look(&view, 0, 2);
    cr_assert(look.x == fighters[0].x.raw && look.goal_x == fighters[1].x.raw && look.has_goal);
    cr_assert_eq(look.goal_action, FIGHTER_ACTION_JAB);
    cr_assert_eq(look.speed_x, 107);
    fighters[0].is_launched = 1;
    look = fighter_bot_look(&view, 0, 0);
    cr_assert_eq(look.speed_x, 100, "a launch that waits moves nobody");
    cr_assert(!look.has_goal);
    rig_close(&rig);
}

// ---- The way ----

Test(fighter_bot, knows_what_is_below)
{
    const FighterStage *terrace = &fighter_stages[1];
    int32_t y = 0;
    cr_assert(fighter_bot_ground(terrace, 0, FIGHTER_RAW(120), &y));
    cr_assert_eq(y, FIGHTER_RAW(92));
    cr_assert(fighter_bot_ground(terrace, 0, FIGHTER_RAW(91), &y));
    cr_assert_eq(y, 0);
    cr_assert(fighter_bot_ground(terrace, FIGHTER_RAW(150), 0, &y), "its very end is floor");
    cr_assert_not(fighter_bot_ground(terrace, FIGHTER_RAW(151), 0, &y));
    cr_assert_not(fighter_bot_ground(terrace, 0, FIGHTER_RAW(-1), &y));
}

// Goal: a platform's end is none, since the floor goes on below it; the floor's is.
Test(fighter_bot, knows_where_it_ends)
{
    const FighterStage *terrace = &fighter_stages[1];
    FighterLook look = { .x = FIGHTER_RAW(100), .surface = 1 };
    cr_assert_eq(fighter_bot_room(terrace, &look, 1), FIGHTER_RAW(50));
    cr_assert_eq(fighter_bot_room(terrace, &look, -1), FIGHTER_RAW(250));
    look = (FighterLook){ .x = FIGHTER_RAW(30), .y = FIGHTER_RAW(92), .surface = 7 };
    cr_assert_gt(fighter_bot_room(terrace, &look, 1), FIGHTER_RAW(200));
    look = (FighterLook){ .x = FIGHTER_RAW(145), .y = FIGHTER_RAW(30) };
    cr_assert_eq(fighter_bot_room(terrace, &look, 1), 0, "in the air over the end");
}

// Steps with one bot playing slot 0 until it stands or hangs, at most 6 s. -1: it was lost.
static int32_t ticks_to_return(Rig *rig)
{
    for (int32_t tick = 0; tick < 360; tick++) {
        rig_step(rig);
        const Fighter *fighter = &rig->state.fighters[0];
        if (fighter->falls > 0) {
            return -1;
        }
        if (fighter->surface != 0 || fighter->action == FIGHTER_ACTION_LEDGE_HANG) {
            return tick;
        }
    }
    return -1;
}

static void put_in_the_air(Fighter *fighter, int32_t x, int32_t y)
{
    fighter->action = FIGHTER_ACTION_AIR;
    fighter->surface = 0;
    fighter->x.raw = FIGHTER_RAW(x);
    fighter->y.raw = FIGHTER_RAW(y);
}

// Goal: thrown off to either side of a stage that has sides, each kind comes back, on time and late.
Test(fighter_bot, comes_back)
{
    static const int32_t places[][2] = { { 200, 40 }, { 240, 100 }, { 190, 0 }, { 180, -30 } };
    for (uint32_t i = 0; i < 2 * 3 * 4 * 2; i++) {
        RigConfig config = rig_config();
        config.items[FIGHTER_CONFIG_FIGHTER_1] = i / 8 % 3;
        config.items[FIGHTER_CONFIG_MIRROR] = i % 2;
        Rig rig;
        rig_open_with(&rig, 1, i, config);
        rig_seat_bots(&rig, i, i / 24 * 6);
        rig_step(&rig);
        int32_t side = i % 2 == 0 ? 1 : -1;
        put_in_the_air(&rig.state.fighters[0], side * places[i / 2 % 4][0], places[i / 2 % 4][1]);
        cr_assert_neq(ticks_to_return(&rig), -1, "kind %u, side %d, place %u, delay %u", i / 8 % 3, side, i / 2 % 4, i / 24 * 6);
        rig_close(&rig);
    }
}

// ---- Playing ----

static bool may_stand(const Rig *rig, uint32_t slot)
{
    const Fighter *fighter = &rig->state.fighters[slot];
    return rig->state.match->phase == FIGHTER_PHASE_PLAYING &&
           (fighter->action == FIGHTER_ACTION_IDLE || fighter->action == FIGHTER_ACTION_CROUCH);
}

// Goal: pads are always in range, nobody does nothing for longer than its latency and a moment, and everybody jumps and fights.
static void play_minutes(uint32_t players, uint64_t seed, uint32_t delay_ticks, int64_t stage)
{
    Rig rig;
    tp_fx last_x[FIGHTER_PLAYERS_MAX] = { 0 };
    uint32_t still[FIGHTER_PLAYERS_MAX] = { 0 };
    uint32_t jumps[FIGHTER_PLAYERS_MAX] = { 0 };
    uint32_t all_jumps = 0;
    rig_open_with(&rig, players, seed, stage_config(stage));
    rig_seat_bots(&rig, seed, delay_ticks);
    for (uint32_t tick = 0; tick < 3600; tick++) {
        rig_step(&rig); // refuses a pad out of range
        for (uint32_t i = 0; i < players; i++) {
            const Fighter *fighter = &rig.state.fighters[i];
            bool is_still = may_stand(&rig, i) && tp_fx_equal(fighter->x, last_x[i]);
            still[i] = is_still ? still[i] + 1 : 0;
            cr_assert_leq(still[i], 2 * delay_ticks + 150, "%u players, seed %llu, slot %u, tick %u", players, (unsigned long long)seed, i, tick);
            jumps[i] += fighter->action == FIGHTER_ACTION_JUMP_SQUAT && fighter->action_tick == 1;
            last_x[i] = fighter->x;
        }
    }
    for (uint32_t i = 0; i < players; i++) {
        cr_assert(jumps[i] > 0 || players > 4, "slot %u", i);
        all_jumps += jumps[i];
    }
    cr_assert_gt(all_jumps, players > 4 ? 20 : 3 * players, "%u jumps", all_jumps);
    cr_assert(players == 1 || rig.seen[FIGHTER_EVENT_HIT] > players * 3, "%llu hits", (unsigned long long)rig.seen[FIGHTER_EVENT_HIT]);
    rig_close(&rig);
}

Test(fighter_bot, keeps_moving_alone) { play_minutes(1, 5, 0, 1); }
Test(fighter_bot, keeps_moving_alone_in_the_harbour) { play_minutes(1, 6, 0, 2); }
Test(fighter_bot, keeps_moving_in_two) { play_minutes(2, 6, 0, 1); }
Test(fighter_bot, keeps_moving_in_the_hall) { play_minutes(2, 8, 0, 0); }
Test(fighter_bot, keeps_moving_late) { play_minutes(2, 7, 15, 1); }
Test(fighter_bot, keeps_moving_very_late) { play_minutes(4, 8, FIGHTER_BOT_DELAY_MAX, 2); }
Test(fighter_bot, keeps_moving_in_a_crowd) { play_minutes(100, 9, 6, 1); }

// Goal: two bots do meet: they spend much of their time close to each other.
Test(fighter_bot, meets_the_other)
{
    Rig rig;
    uint32_t close = 0;
    rig_open(&rig, 2, 3);
    rig_seat_bots(&rig, 3, 6);
    for (uint32_t tick = 0; tick < 3600; tick++) {
        rig_step(&rig);
        int32_t apart = rig.state.fighters[0].x.raw - rig.state.fighters[1].x.raw;
        close += apart < FIGHTER_RAW(60) && apart > FIGHTER_RAW(-60);
    }
    cr_assert_gt(close, 1800, "%u of 3600 ticks", close);
    rig_close(&rig);
}

// Goal: matches are decided, by blows: of all lives few are lost to the bots' own feet.
Test(fighter_bot, fights_matches_to_their_end)
{
    uint64_t falls = 0;
    uint64_t unforced = 0;
    for (uint32_t i = 0; i < 6; i++) {
        Rig rig;
        rig_open_with(&rig, 2 + i % 2 * 2, i, stage_config(i % 3));
        rig_seat_bots(&rig, i, i % 3 * 3);
        while (rig.seen[FIGHTER_EVENT_MATCH_ENDED] == 0) {
            rig_step(&rig);
            const FighterImpact *ko = rig_impact(&rig, FIGHTER_EVENT_KO);
            falls += ko != NULL;
            unforced += ko != NULL && ko->by == 0;
        }
        cr_assert_leq(tp_sim_tick(rig.sim), 480 * 60 + 1, "the clock ends it at the latest");
        cr_assert_neq(rig.state.match->winner, 0, "match %u", i);
        rig_close(&rig);
    }
    cr_assert_gt(falls, 30);
    cr_assert_lt(unforced * 10, falls, "%llu of %llu", (unsigned long long)unforced, (unsigned long long)falls);
}

// ---- Every rule comes up ----

typedef struct Coverage {
    bool     actions[FIGHTER_KIND_COUNT][FIGHTER_ACTION_COUNT];
    uint64_t events[FIGHTER_EVENT_COUNT];
} Coverage;

static void play_for_coverage(Coverage *coverage, int64_t stage, uint64_t seed, uint32_t ticks)
{
    Rig rig;
    rig_open_with(&rig, 9, seed, stage_config(stage));
    rig_seat_bots(&rig, seed, 3);
    for (uint32_t tick = 0; tick < ticks; tick++) {
        // Three come and go in the beginning; who comes back has all lives, so a match in which they went on would not end.
        for (uint32_t i = 5; i < 8; i++) {
            rig_set_present(&rig, i, tick >= 4800 || (tick / 400 + i) % 4 != 0);
        }
        rig_step(&rig);
        for (uint32_t i = 0; i < 9; i++) {
            coverage->actions[rig.config.items[FIGHTER_CONFIG_FIGHTER_1 + i % 8]][rig.state.fighters[i].action] = true;
        }
        if (tick % 64 == 0) {
            rig_check(&rig);
        }
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        coverage->events[i] += rig.seen[i];
    }
    tp_view view = tp_sim_view(rig.sim);
    cr_assert_eq(view.events_dropped, 0);
    rig_close(&rig);
}

static bool is_everything_seen(const Coverage *coverage)
{
    for (uint32_t i = 0; i < FIGHTER_KIND_COUNT * FIGHTER_ACTION_COUNT; i++) {
        if (!coverage->actions[i / FIGHTER_ACTION_COUNT][i % FIGHTER_ACTION_COUNT]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        if (coverage->events[i] == 0) {
            return false;
        }
    }
    return true;
}

// Goal: in at most five rounds of bots, each on all stages, every kind does everything there is and every event happens.
Test(fighter_bot, every_action_and_event, .timeout = 120)
{
    Coverage coverage = { 0 };
    for (uint32_t i = 0; i < 5 * FIGHTER_STAGE_COUNT && !is_everything_seen(&coverage); i++) {
        play_for_coverage(&coverage, i % FIGHTER_STAGE_COUNT, i, 24000);
    }
    for (uint32_t kind = 0; kind < FIGHTER_KIND_COUNT; kind++) {
        for (uint32_t action = 0; action < FIGHTER_ACTION_COUNT; action++) {
            cr_expect(coverage.actions[kind][action], "%s never: %s", fighter_kind_names[kind], fighter_action_names[action]);
        }
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        cr_expect_gt(coverage.events[i], 0, "event %s never happened", fighter_world.events[i].name);
    }
}

// ---- Latency ----

// Goal: for as long as its latency lasts the bot does nothing.
Test(fighter_bot, latency_begins_with_nothing)
{
    Rig rig;
    rig_open(&rig, 2, 3);
    rig_seat_bots(&rig, 3, 20);
    FighterInput nothing = { 0 };
    for (uint32_t tick = 0; tick < 20; tick++) {
        rig_step(&rig);
        cr_assert_eq(memcmp(&rig.pads[0], &nothing, sizeof(nothing)), 0);
    }
    uint32_t busy = 0;
    for (uint32_t tick = 0; tick < 60; tick++) {
        rig_step(&rig);
        busy += memcmp(&rig.pads[0], &nothing, sizeof(nothing)) != 0;
    }
    cr_assert_gt(busy, 30);
    rig_close(&rig);
}

// Goal: what happened in the last `delay_ticks` decides nothing. Twins see the same match until one of them is shown another; for as long
// as their latency they play the same, and not for much longer.
static uint32_t ticks_alike(uint32_t delay_ticks)
{
    static FighterBot twins[2];
    Rig rig;
    Rig other;
    FighterInput pads[2];
    rig_open(&rig, 2, 3);
    rig_open(&other, 2, 4);
    rig_seat_bots(&rig, 3, 6);
    rig_seat_bots(&other, 4, 6);
    rig_steps(&other, 900);
    for (uint32_t i = 0; i < 2; i++) {
        fighter_bot.init(&twins[i], &tp_sim_layout(rig.sim)->setup, 0, 7, delay_ticks);
    }
    uint32_t alike = 0;
    for (uint32_t tick = 0; tick < 900; tick++) {
        rig_step(&rig);
        rig_step(&other);
        tp_view view = tp_sim_view(rig.sim);
        tp_view view_of_other = tp_sim_view(other.sim);
        fighter_bot.play(&twins[0], &view, &pads[0]);
        fighter_bot.play(&twins[1], tick < 600 ? &view : &view_of_other, &pads[1]);
        bool is_alike = memcmp(&pads[0], &pads[1], sizeof(pads[0])) == 0;
        cr_assert(is_alike || tick >= 600 + delay_ticks, "delay %u, tick %u", delay_ticks, tick);
        if (!is_alike) {
            break;
        }
        alike += tick >= 600;
    }
    rig_close(&rig);
    rig_close(&other);
    return alike;
}

Test(fighter_bot, latency_is_pure)
{
    static const uint32_t delays[] = { 0, 1, 6, 20, FIGHTER_BOT_DELAY_MAX };
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t alike = ticks_alike(delays[i]);
        cr_assert(alike >= delays[i] && alike < delays[i] + 120, "delay %u: %u", delays[i], alike);
    }
}

Test(fighter_bot, latency_has_a_limit)
{
    Rig rig;
    rig_open(&rig, 2, 3);
    rig_seat_bots(&rig, 3, 1000000);
    cr_assert_eq(rig.bots[0].delay_ticks, FIGHTER_BOT_DELAY_MAX);
    rig_steps(&rig, FIGHTER_BOT_DELAY_MAX + 120);
    cr_assert_neq(rig.state.fighters[0].x.raw, fighter_stages[1].spawn_left);
    cr_assert_gt(rig.bots[0].looks, FIGHTER_BOT_DELAY_MAX);
    rig_close(&rig);
}

Test(fighter_bot, same_seed_same_match)
{
    tp_hash128 roots[3];
    for (uint32_t round = 0; round < 3; round++) {
        Rig rig;
        rig_open(&rig, 6, 3);
        rig_seat_bots(&rig, round == 2 ? 4 : 3, 6);
        rig_steps(&rig, 2000);
        roots[round] = tp_sim_root(rig.sim);
        rig_close(&rig);
    }
    cr_assert(tp_hash128_equal(roots[0], roots[1]));
    cr_assert(!tp_hash128_equal(roots[0], roots[2]), "another seed is another player");
}
