// What play must reach, by name: every action of every kind, every event, every phase, every way out. A new one fails the test until pads bring
// it about. The items of the config have their test in test_fighter_state.c.
#include <criterion/criterion.h>

#include <stdio.h>

#include "fighter_data.h"
#include "fighter_rig.h"

typedef struct Coverage {
    uint64_t actions[FIGHTER_KIND_COUNT][FIGHTER_ACTION_COUNT]; // ticks in it
    uint64_t begun[FIGHTER_ACTION_COUNT];
    uint64_t events[FIGHTER_EVENT_COUNT];
    uint64_t phases[FIGHTER_PHASE_COUNT];
    uint64_t ledges[FIGHTER_STAGE_COUNT][FIGHTER_LEDGES_MAX];
    uint64_t surfaces[FIGHTER_STAGE_COUNT][FIGHTER_SURFACES_MAX]; // ticks somebody stood on it
    uint64_t ticks;
} Coverage;

static void cover(Coverage *seen, const Rig *rig)
{
    int64_t stage = rig->config.items[FIGHTER_CONFIG_STAGE];
    for (uint32_t i = 0; i < rig->players; i++) {
        const Fighter *fighter = &rig->state.fighters[i];
        FighterKindName kind = fighter_data_kind_name(&tp_sim_layout(rig->sim)->setup, i);
        seen->actions[kind][fighter->action]++;
        seen->begun[fighter->action] += fighter->action_tick <= 1 && fighter->hitlag_ticks == 0;
        if (fighter->ledge != 0) {
            seen->ledges[stage][fighter->ledge - 1]++;
        }
        if (fighter->surface != 0) {
            seen->surfaces[stage][fighter->surface - 1]++;
        }
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        seen->events[i] += rig_event_count(rig, (FighterEvent)i);
    }
    seen->phases[rig->state.match->phase]++;
    seen->ticks++;
}

// Seats that empty and fill, now and then all of them.
static void change_seats(Rig *rig, uint64_t tick)
{
    for (uint32_t i = 0; i < rig->players; i++) {
        bool is_break = tick % 9000 >= 8990;
        rig_set_present(rig, i, !is_break && (tick / 900 + i) % 7 != 6);
    }
}

static void play(Coverage *seen, int64_t stage, uint64_t number, bool has_bots)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    config.items[FIGHTER_CONFIG_STOCKS] = 3;
    config.items[FIGHTER_CONFIG_TIME_S] = 120;
    rig_open_with(&rig, 6, number, config);
    if (has_bots) {
        rig_seat_bots(&rig, number, 3);
    }
    for (uint64_t tick = 0; tick < 18000; tick++) {
        change_seats(&rig, tick);
        if (!has_bots) {
            rig_play_lively(&rig, number, tick);
        }
        rig_step(&rig);
        cover(seen, &rig);
    }
    rig_close(&rig);
}

// Over the tower of the harbour and down its outer side: the one ledge that fights seldom come to.
static FighterInput over_the_tower(const Fighter *fighter, uint64_t tick)
{
    FighterInput pad = { .stick_x = fighter->x.raw > -FIGHTER_RAW(200) ? -127 : 127 };
    bool is_at_tower = fighter->x.raw < -FIGHTER_RAW(160) && fighter->y.raw < FIGHTER_RAW(80);
    if (is_at_tower && pad.stick_x < 0) {
        pad.buttons = tick % 16 < 8 ? FIGHTER_BUTTON_JUMP : 0;
    }
    if (fighter->y.raw >= FIGHTER_RAW(72) && fighter->surface != 0) {
        pad.stick_x = -60;
    }
    return pad;
}

static void climb_the_tower(Coverage *seen)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 2;
    rig_open_with(&rig, 1, 1, config);
    for (uint64_t tick = 0; tick < 1200; tick++) {
        rig.pads[0] = over_the_tower(&rig.state.fighters[0], tick);
        rig_step(&rig);
        cover(seen, &rig);
    }
    rig_close(&rig);
}

static void say(const Coverage *seen)
{
    for (uint32_t i = 0; i < FIGHTER_ACTION_COUNT; i++) {
        printf("fighter_coverage: %s: begun %llu times; ticks of vale %llu, wisp %llu, boar %llu\n", fighter_action_names[i],
               (unsigned long long)seen->begun[i], (unsigned long long)seen->actions[0][i], (unsigned long long)seen->actions[1][i],
               (unsigned long long)seen->actions[2][i]);
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        printf("fighter_coverage: event %s: %llu\n", fighter_world.events[i].name, (unsigned long long)seen->events[i]);
    }
}

// The first that was not reached, or NULL.
static const char *first_missing(const Coverage *seen, char *text, size_t size)
{
    for (uint32_t i = 0; i < FIGHTER_ACTION_COUNT; i++) {
        for (uint32_t kind = 0; kind < FIGHTER_KIND_COUNT; kind++) {
            if (seen->actions[kind][i] == 0) {
                snprintf(text, size, "action %s of %s", fighter_action_names[i], fighter_kind_names[kind]);
                return text;
            }
        }
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        if (seen->events[i] == 0) {
            snprintf(text, size, "event %s", fighter_world.events[i].name);
            return text;
        }
    }
    for (uint32_t i = 0; i < FIGHTER_PHASE_COUNT; i++) {
        if (seen->phases[i] == 0) {
            snprintf(text, size, "phase %s", fighter_phase_names[i]);
            return text;
        }
    }
    return NULL;
}

static const char *first_missing_place(const Coverage *seen, char *text, size_t size)
{
    for (uint32_t k = 0; k < FIGHTER_STAGE_COUNT; k++) {
        const FighterStage *stage = &fighter_stages[k];
        for (int32_t i = 0; i < stage->ledge_count; i++) {
            if (seen->ledges[k][i] == 0) {
                snprintf(text, size, "ledge %d of %s", (int)i, fighter_stage_names[k]);
                return text;
            }
        }
        for (int32_t i = 0; i < stage->surface_count; i++) {
            bool holds = fighter_data_holds_feet(&stage->surfaces[i]);
            if (holds && seen->surfaces[k][i] == 0) {
                snprintf(text, size, "surface %d of %s", (int)i, fighter_stage_names[k]);
                return text;
            }
        }
    }
    return NULL;
}

Test(fighter_coverage, play_reaches_everything, .timeout = 120)
{
    static Coverage seen;
    char text[128];
    for (int64_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        play(&seen, stage, 1 + (uint64_t)stage, false);
        play(&seen, stage, 11 + (uint64_t)stage, true);
    }
    climb_the_tower(&seen);
    say(&seen);
    const char *missing = first_missing(&seen, text, sizeof(text));
    cr_assert_null(missing, "%s was never reached", missing);
    missing = first_missing_place(&seen, text, sizeof(text));
    cr_assert_null(missing, "%s was never reached", missing);
    for (uint32_t i = 0; i < FIGHTER_ACTION_COUNT; i++) { // each can be missed, and is then named
        Coverage without = seen;
        without.actions[1][i] = 0;
        missing = first_missing(&without, text, sizeof(text));
        cr_assert(missing != NULL && strstr(missing, fighter_action_names[i]) != NULL);
    }
}

// Goal: bots alone bring about every rule that a match of two has.
Test(fighter_coverage, bots_fight)
{
    static Coverage seen;
    for (int64_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        play(&seen, stage, 21 + (uint64_t)stage, true);
    }
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        cr_assert_gt(seen.events[i], 0, "event %s", fighter_world.events[i].name);
    }
}
