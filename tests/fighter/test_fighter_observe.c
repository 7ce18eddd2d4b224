// What a player hears, and that hearing changes nothing.
#include <criterion/criterion.h>

#include "fighter_observe.h"
#include "fighter_rig.h"

typedef struct Heard {
    tp_cue   cues[FIGHTER_EVENTS_MAX];
    uint32_t count;
} Heard;

static void put(void *to, const tp_cue *cue)
{
    Heard *heard = to;
    cr_assert_lt(heard->count, FIGHTER_EVENTS_MAX);
    heard->cues[heard->count] = *cue;
    heard->count++;
}

static void listen(FighterObserver *observer, const Rig *rig, Heard *heard)
{
    tp_view view = tp_sim_view(rig->sim);
    heard->count = 0;
    fighter_observer.tick(observer, &view, put, heard);
}

Test(fighter_observe, jump_and_landing)
{
    Rig rig;
    Heard heard;
    FighterObserver observer;
    rig_open(&rig, 2, 1);
    fighter_observer.init(&observer, &tp_sim_layout(rig.sim)->setup);
    rig.pads[1].buttons = FIGHTER_BUTTON_JUMP;
    for (uint32_t tick = 0; tick < FIGHTER_JUMP_TICKS; tick++) {
        rig_step(&rig);
        rig.pads[1].buttons = 0;
        listen(&observer, &rig, &heard);
        bool is_something = tick == 0 || tick == FIGHTER_JUMP_TICKS - 1;
        cr_assert_eq(heard.count, is_something, "tick %u", tick);
        if (is_something) {
            cr_assert_str_eq(heard.cues[0].name, tick == 0 ? "jump" : "land");
            cr_assert_eq(heard.cues[0].slot, 1);
            cr_assert_eq(heard.cues[0].tick, tick);
            cr_assert_eq(heard.cues[0].x.raw, rig.state.fighters[1].x.raw);
        }
    }
    rig_close(&rig);
}

// Goal: a hundred jumps in one tick are a hundred sounds, on voices in turn.
Test(fighter_observe, voices_take_turns)
{
    Rig rig;
    Heard heard;
    FighterObserver observer;
    rig_open(&rig, 100, 1);
    fighter_observer.init(&observer, &tp_sim_layout(rig.sim)->setup);
    for (uint32_t i = 0; i < 100; i++) {
        rig.pads[i].buttons = FIGHTER_BUTTON_JUMP;
    }
    rig_step(&rig);
    listen(&observer, &rig, &heard);
    cr_assert_eq(heard.count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert_eq(heard.cues[i].slot, i);
        cr_assert_eq(heard.cues[i].voice, i % FIGHTER_VOICES);
    }
    rig_close(&rig);
}

// Goal: every event has a sound of its own; an event of no known type is counted and not heard.
Test(fighter_observe, all_events_and_no_others)
{
    FighterPlace place = { .slot = 3 };
    Heard heard = { .count = 0 };
    FighterObserver observer = { 0 };
    for (uint32_t type = 0; type <= FIGHTER_EVENT_COUNT; type++) {
        tp_event event = { .type = type, .data = &place };
        tp_view view = { .event_count = 1, .events = &event };
        fighter_observer.tick(&observer, &view, put, &heard);
    }
    cr_assert_eq(heard.count, FIGHTER_EVENT_COUNT);
    cr_assert_eq(observer.rejected, 1);
    for (uint32_t i = 0; i < heard.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            cr_assert_str_neq(heard.cues[i].name, heard.cues[k].name);
        }
    }
}

// Goal: with and without an ear, heard or not: the same roots.
Test(fighter_observe, changes_nothing)
{
    Rig alone;
    Rig heard_one;
    Heard heard;
    FighterObserver observer;
    rig_open(&alone, 8, 1);
    rig_open(&heard_one, 8, 1);
    fighter_observer.init(&observer, &tp_sim_layout(heard_one.sim)->setup);
    for (uint32_t tick = 0; tick < 2000; tick++) {
        rig_play_script(&alone, tick);
        rig_play_script(&heard_one, tick);
        rig_step(&alone);
        rig_step(&heard_one);
        if (tick % 2 == 0) {
            listen(&observer, &heard_one, &heard);
        } else {
            tp_view view = tp_sim_view(heard_one.sim);
            fighter_observer.tick(&observer, &view, NULL, NULL);
        }
        cr_assert(tp_hash128_equal(tp_sim_root(alone.sim), tp_sim_root(heard_one.sim)));
    }
    rig_close(&alone);
    rig_close(&heard_one);
}
