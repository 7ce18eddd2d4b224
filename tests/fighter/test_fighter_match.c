// Matches: how they begin, who falls out, who wins, and what comes after.
#include <criterion/criterion.h>

#include "fighter_data.h"
#include "fighter_rig.h"

static const FighterInput neutral;

static RigConfig short_match(int64_t stocks, int64_t time_s, int64_t rematch_s)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STOCKS] = stocks;
    config.items[FIGHTER_CONFIG_TIME_S] = time_s;
    config.items[FIGHTER_CONFIG_REMATCH_S] = rematch_s;
    return config;
}

// Out of the stage in this tick's resolve, at the latest.
static void push_out(Rig *rig, uint32_t slot)
{
    Fighter *fighter = &rig->state.fighters[slot];
    const FighterStage *stage = fighter_data_stage(&tp_sim_layout(rig->sim)->setup);
    fighter->surface = 0;
    fighter->ledge = 0;
    fighter->action = FIGHTER_ACTION_AIR;
    fighter->x.raw = stage->blast_right + FIGHTER_RAW(1);
    fighter->y.raw = FIGHTER_RAW(10);
}

static const FighterResult *result(const Rig *rig, FighterEvent type)
{
    return (const FighterResult *)(const void *)rig_event(rig, type);
}

Test(fighter_match, begins_with_its_first_people)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_WAITING);
    rig_set_present(&rig, 0, false);
    rig_set_present(&rig, 1, false);
    rig_steps(&rig, 100);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_WAITING);
    cr_assert_eq(rig.state.match->number, 0);
    rig_set_present(&rig, 1, true);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
    cr_assert_eq(rig.state.match->clock_ticks, 0);
    cr_assert_eq(result(&rig, FIGHTER_EVENT_MATCH_BEGAN)->match, 1);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->clock_ticks, 1);
    rig_close(&rig);
}

Test(fighter_match, nobody_is_no_match)
{
    Rig rig;
    rig_open(&rig, 0, 1);
    rig_steps(&rig, 200);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_WAITING);
    rig_check(&rig);
    rig_close(&rig);
}

// Goal: a fall costs a life, takes everything but the record, and 60 ticks later the fighter hangs above the stage, guarded, until it moves or 180 ticks
// are over; then it is guarded for a while more.
Test(fighter_match, falls_and_comes_back)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_steps(&rig, 10);
    Fighter *fighter = &rig.state.fighters[0];
    fighter->damage.raw = FIGHTER_RAW(120);
    fighter->last_hit_by = 2;
    fighter->stale[3] = 5;
    push_out(&rig, 0);
    rig_step(&rig);
    const FighterImpact *impact = rig_impact(&rig, FIGHTER_EVENT_KO);
    cr_assert_eq(impact->slot, 0);
    cr_assert_eq(impact->by, 2);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_KO);
    cr_assert_eq(fighter->stocks, 3);
    cr_assert_eq(fighter->falls, 1);
    cr_assert_eq(fighter->damage.raw, 0);
    cr_assert_eq(fighter->stale[3], 0);
    cr_assert_eq(fighter->last_hit_by, 0);
    cr_assert_eq(rig.state.fighters[1].kos, 1);
    uint32_t ticks = 0;
    while (fighter->action == FIGHTER_ACTION_KO && ticks < 200) {
        rig_step(&rig);
        rig_check(&rig);
        ticks++;
    }
    cr_assert_eq(ticks, 61);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_RESPAWNED), 1);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_RESPAWN);
    int32_t y = fighter->y.raw;
    rig_steps(&rig, 100);
    cr_assert_eq(fighter->y.raw, y, "it hangs");
    rig.pads[0].stick_x = 127;
    rig_step(&rig);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_AIR);
    cr_assert_geq(fighter->guard_ticks, 119);
    rig_close(&rig);
}

// Goal: nobody gets the credit of a fall without a blow, nor for one who has left since.
Test(fighter_match, credit)
{
    Rig rig;
    rig_open(&rig, 3, 1);
    rig_steps(&rig, 2);
    push_out(&rig, 0);
    rig_step(&rig);
    cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_KO)->by, 0);
    rig.state.fighters[1].last_hit_by = 3;
    rig_set_present(&rig, 2, false);
    push_out(&rig, 1);
    rig_step(&rig);
    cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_KO)->by, 0);
    cr_assert_eq(rig.state.fighters[2].kos, 0);
    rig_check(&rig);
    rig_close(&rig);
}

// Goal: the last one with lives wins; pads do nothing until the next match begins, and what is held down then was not pressed.
Test(fighter_match, ends_and_begins_again)
{
    Rig rig;
    rig_open_with(&rig, 3, 1, short_match(1, 0, 2));
    rig_steps(&rig, 5);
    push_out(&rig, 0);
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_OUT);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
    push_out(&rig, 2);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER);
    cr_assert_eq(result(&rig, FIGHTER_EVENT_MATCH_ENDED)->winner, 2);
    cr_assert_eq(rig.state.match->winner, 2);
    int32_t x = rig.state.fighters[1].x.raw;
    rig.pads[1] = (FighterInput){ .buttons = FIGHTER_BUTTONS - FIGHTER_BUTTON_SHIELD, .stick_x = 127, .stick_y = 127, .c_x = 127 };
    uint32_t ticks = 0;
    while (rig.state.match->phase == FIGHTER_PHASE_OVER && ticks < 1000) {
        cr_assert_eq(rig.state.fighters[1].x.raw, x);
        cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_IDLE);
        rig_step(&rig);
        rig_check(&rig);
        ticks++;
    }
    cr_assert_eq(ticks, 120);
    cr_assert_eq(result(&rig, FIGHTER_EVENT_MATCH_BEGAN)->match, 2);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(rig.state.fighters[i].stocks, 1);
        cr_assert_eq(rig.state.fighters[i].falls, 0, "a record is of one match");
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_JUMPED], 0);
    cr_assert_neq(rig.state.fighters[1].action, FIGHTER_ACTION_SMASH_FORWARD);
    cr_assert_neq(rig.state.fighters[1].action, FIGHTER_ACTION_JUMP_SQUAT);
    rig.pads[1] = neutral;
    rig_step(&rig);
    rig.pads[1].buttons = FIGHTER_BUTTON_ATTACK;
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_JAB);
    rig_close(&rig);
}

Test(fighter_match, no_rematch)
{
    Rig rig;
    rig_open_with(&rig, 2, 1, short_match(1, 0, 0));
    rig_steps(&rig, 5);
    push_out(&rig, 0);
    rig_steps(&rig, 4000);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER);
    cr_assert_eq(rig.state.match->over_ticks, 3999);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_MATCH_BEGAN], 1);
    rig_close(&rig);
}

Test(fighter_match, both_fall_and_nobody_wins)
{
    Rig rig;
    rig_open_with(&rig, 2, 1, short_match(1, 0, 5));
    rig_steps(&rig, 5);
    push_out(&rig, 0);
    push_out(&rig, 1);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER);
    cr_assert_eq(rig.state.match->winner, 0);
    rig_close(&rig);
}

// Goal: alone one plays on after falling, until there is no life left.
Test(fighter_match, alone)
{
    Rig rig;
    rig_open_with(&rig, 2, 1, short_match(2, 0, 5));
    rig_set_present(&rig, 1, false);
    rig_steps(&rig, 300);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
    push_out(&rig, 0);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
    rig_steps(&rig, 100);
    push_out(&rig, 0);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER);
    cr_assert_eq(rig.state.match->winner, 0);
    rig_close(&rig);
}

// Goal: when the time is up: more lives, then less damage, then nobody. In exactly time_s * 60 ticks.
Test(fighter_match, time_is_up)
{
    static const struct { uint8_t stocks[3]; int32_t damage[3]; uint32_t winner; } cases[] = {
        { { 1, 2, 1 }, { 0, 99, 0 }, 2 }, { { 2, 2, 1 }, { 10, 9, 0 }, 2 }, { { 2, 2, 2 }, { 9, 10, 9 }, 0 },
        { { 2, 1, 2 }, { 9, 0, 8 }, 3 },  { { 2, 2, 1 }, { 7, 7, 0 }, 0 },  { { 1, 1, 2 }, { 7, 7, 50 }, 3 },
    };
    for (size_t k = 0; k < TP_COUNT_OF(cases); k++) {
        Rig rig;
        rig_open_with(&rig, 3, 1, short_match(4, 3, 5));
        rig_steps(&rig, 179);
        for (uint32_t i = 0; i < 3; i++) {
            rig.state.fighters[i].stocks = cases[k].stocks[i];
            rig.state.fighters[i].damage.raw = FIGHTER_RAW(cases[k].damage[i]);
        }
        cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
        rig_step(&rig);
        cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER);
        cr_assert_eq(rig.state.match->winner, cases[k].winner, "case %zu: %u", k, rig.state.match->winner);
        rig_close(&rig);
    }
}

// Goal: who comes while a match is over sees the next one; who leaves one is out of it; when all have gone the next begins anew.
Test(fighter_match, people_come_and_go)
{
    Rig rig;
    rig_open_with(&rig, 4, 1, short_match(1, 0, 2));
    rig_set_present(&rig, 3, false);
    rig_steps(&rig, 5);
    rig_set_present(&rig, 0, false);
    rig_set_present(&rig, 2, false);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER, "one is left");
    cr_assert_eq(rig.state.match->winner, 2);
    rig_set_present(&rig, 3, true);
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[3].action, FIGHTER_ACTION_OUT);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), 1);
    rig_check(&rig);
    rig_steps(&rig, 120);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
    cr_assert_eq(rig.state.fighters[3].action, FIGHTER_ACTION_IDLE);
    memset(rig.presence, 0, sizeof(rig.presence));
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_MATCH_ENDED), 1);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_WAITING);
    rig_check(&rig);
    rig_set_present(&rig, 0, true);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->number, 3);
    rig_close(&rig);
}

// Goal: past the edge in a match that is over is out, and no fall.
Test(fighter_match, falls_after_the_end_do_not_count)
{
    Rig rig;
    rig_open_with(&rig, 2, 1, short_match(1, 0, 5));
    rig_steps(&rig, 5);
    push_out(&rig, 0);
    rig_step(&rig);
    push_out(&rig, 1);
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_OUT);
    cr_assert_eq(rig.state.fighters[1].falls, 0);
    cr_assert_eq(rig.state.fighters[1].stocks, 1);
    cr_assert_eq(rig.state.match->winner, 2);
    rig_check(&rig);
    rig_close(&rig);
}

// Goal: a new match begins without the projectiles of the old one.
Test(fighter_match, projectiles_end_with_it)
{
    Rig rig;
    rig_open_with(&rig, 2, 1, short_match(1, 0, 1));
    rig_steps(&rig, 5);
    push_out(&rig, 0);
    rig_step(&rig);
    rig_steps(&rig, 59);
    rig.state.fighters[1].action = FIGHTER_ACTION_SHOOT;
    rig.state.fighters[1].action_tick = 0;
    FighterProjectileHandle handle = fighter_projectile_create(&rig.state.projectiles);
    FighterProjectile *shot = fighter_projectile_get(&rig.state.projectiles, handle);
    shot->life_ticks = 5;
    shot->velocity_x.raw = fighter_kinds[0].shot.speed_x;
    rig_check(&rig);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING);
    cr_assert_eq(rig.state.projectiles.head->live, 0);
    rig_close(&rig);
}

// Goal: lives and ends add up over many matches of bots: every match has at most one winner, and the falls of a fighter are the lives it lost.
Test(fighter_match, books_balance)
{
    Rig rig;
    rig_open_with(&rig, 4, 1, short_match(2, 40, 1));
    rig_seat_bots(&rig, 3, 2);
    for (uint64_t tick = 0; tick < 36000; tick++) {
        rig_step(&rig);
        uint32_t kos = 0;
        uint32_t falls = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const Fighter *fighter = &rig.state.fighters[i];
            kos += fighter->kos;
            falls += fighter->falls;
            cr_assert_eq(fighter->stocks + fighter->falls, 2, "tick %u, slot %u", (unsigned)tick, i);
        }
        cr_assert_leq(kos, falls);
    }
    cr_assert_gt(rig.seen[FIGHTER_EVENT_MATCH_ENDED], 10);
    cr_assert_leq(rig.seen[FIGHTER_EVENT_MATCH_BEGAN] - rig.seen[FIGHTER_EVENT_MATCH_ENDED], 1);
    rig_close(&rig);
}

// Goal: events stand in the order in which they came about: the fall before the end of the match that it makes.
Test(fighter_match, falls_before_it_ends)
{
    Rig rig;
    rig_open_with(&rig, 2, 1, short_match(1, 0, 2));
    rig_steps(&rig, 2);
    push_out(&rig, 0);
    rig_step(&rig);
    cr_assert_neq(rig_event_place(&rig, FIGHTER_EVENT_MATCH_ENDED), UINT32_MAX);
    cr_assert_lt(rig_event_place(&rig, FIGHTER_EVENT_KO), rig_event_place(&rig, FIGHTER_EVENT_MATCH_ENDED));
    rig_close(&rig);
}
