// Who is on the stage: where they begin, how they join, how they leave.
#include <criterion/criterion.h>

#include "fighter_rig.h"

static const FighterInput jump = { .buttons = FIGHTER_BUTTON_JUMP };
static const FighterInput rest;

// Goal: every number of fighters stands in order, evenly, on the stage and mirrored; also where 400 x count does not fit.
Test(fighter_people, spread)
{
    static const uint32_t counts[] = { 0, 1, 2, 3, 8, 80, 81, 82, 99, 100 };
    for (size_t k = 0; k < TP_COUNT_OF(counts); k++) {
        Rig rig;
        uint32_t count = counts[k];
        int32_t gap = FIGHTER_RAW(400) / (int32_t)(count + 1);
        rig_open(&rig, count, 1);
        cr_assert_eq(rig.state.fighter_count, count);
        for (uint32_t i = 0; i < count; i++) {
            const Fighter *fighter = &rig.state.fighters[i];
            int32_t before = i == 0 ? FIGHTER_RAW(-200) : rig.state.fighters[i - 1].x.raw;
            cr_assert_eq(fighter->x.raw, -rig.state.fighters[count - 1 - i].x.raw, "%u of %u", i, count);
            cr_assert(fighter->x.raw - before >= gap && fighter->x.raw - before <= gap + (int32_t)count, "%u of %u", i, count);
            cr_assert_eq(fighter->y.raw, 0);
            cr_assert_eq(fighter->label, FIGHTER_LABEL_IDLE);
            cr_assert_eq(fighter->facing, fighter->x.raw > 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT, "looks at the middle");
        }
        rig_steps(&rig, 3);
        rig_close(&rig);
    }
}

Test(fighter_people, spread_of_two)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    cr_assert_eq(rig.state.fighters[0].x.raw, -4369067); // -66.67
    cr_assert_eq(rig.state.fighters[1].x.raw, 4369067);
    rig_close(&rig);
}

Test(fighter_people, one_too_many)
{
    tp_error error = { "" };
    tp_setup setup = { .players = FIGHTER_PLAYERS_MAX + 1, .tick_rate_hz = 60 };
    cr_assert_null(tp_sim_create(&fighter_world, &setup, NULL, &error));
    cr_assert_not_null(strstr(error.text, "0 to 100"), "%s", error.text);
}

// Goal: the roster of the first tick has not joined: no event, and a jump held from the start is a jump.
Test(fighter_people, first_roster_jumps_at_once)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig.pads[1] = jump;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), 0);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), 1);
    cr_assert_eq(rig.state.fighters[1].y.raw, FIGHTER_JUMP_RAW);
    cr_assert_eq(rig.state.fighters[0].seat, FIGHTER_SEAT_PLAYING);
    rig_close(&rig);
}

// Goal: a person joins by jump and holds it for as long as it takes. None of that jumps; the next press does.
static void join_holding(uint32_t held_ticks)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_set_present(&rig, 1, false);
    rig_steps(&rig, 10);
    rig_set_present(&rig, 1, true);
    rig.pads[1] = jump;
    for (uint32_t i = 0; i < held_ticks; i++) {
        rig_step(&rig);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), i == 0);
        cr_assert_eq(rig.state.fighters[1].y.raw, 0, "tick %u of %u", i, held_ticks);
        cr_assert_eq(rig.state.fighters[1].seat, FIGHTER_SEAT_JOINING);
    }
    rig.pads[1] = rest;
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[1].seat, FIGHTER_SEAT_PLAYING);
    rig.pads[1] = jump;
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[1].y.raw, FIGHTER_JUMP_RAW);
    rig_close(&rig);
}

Test(fighter_people, joining_press_is_swallowed_until_released)
{
    join_holding(1);
    join_holding(5);
    join_holding(600);
}

Test(fighter_people, joins_without_a_press_and_jumps)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_set_present(&rig, 1, false);
    rig_step(&rig);
    rig_set_present(&rig, 1, true);
    rig_step(&rig);
    rig.pads[1] = jump;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), 1);
    rig_close(&rig);
}

// Goal: while jump is swallowed the stick is not.
Test(fighter_people, who_joins_may_walk)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    rig_set_present(&rig, 0, true);
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = 127 };
    rig_steps(&rig, 2);
    cr_assert_eq(rig.state.fighters[0].x.raw, FIGHTER_RAW(6));
    cr_assert_eq(rig.state.fighters[0].label, FIGHTER_LABEL_WALK);
    rig_close(&rig);
}

// Goal: the latch is state: a match that is saved and loaded in the middle of the joining press swallows the rest of it.
Test(fighter_people, latch_is_saved)
{
    Rig rig;
    Rig loaded;
    uint8_t bytes[256];
    size_t size = 0;
    tp_error error = { "" };
    rig_open(&rig, 1, 1);
    rig_open(&loaded, 1, 1);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    rig_set_present(&rig, 0, true);
    rig.pads[0] = jump;
    rig_step(&rig);
    cr_assert(tp_sim_encode(rig.sim, bytes, sizeof(bytes), &size));
    cr_assert(tp_sim_decode(loaded.sim, bytes, size, 2, 0, 0, &error), "%s", error.text);
    loaded.pads[0] = jump;
    rig_steps(&loaded, 3);
    cr_assert_eq(loaded.state.fighters[0].y.raw, 0);
    cr_assert_eq(loaded.state.fighters[0].seat, FIGHTER_SEAT_JOINING);
    rig_close(&rig);
    rig_close(&loaded);
}

// Goal: who leaves in the air leaves a body behind that falls, stands, and takes no input.
Test(fighter_people, left_behind_falls_and_stands)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = 127 };
    rig_steps(&rig, 10);
    int32_t x = rig.state.fighters[0].x.raw;
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    const FighterPlace *left = rig_event(&rig, FIGHTER_EVENT_LEFT);
    cr_assert_not_null(left);
    cr_assert_eq(left->slot, 0);
    cr_assert_eq(left->x.raw, x);
    cr_assert_gt(left->y.raw, 0);
    rig_steps(&rig, FIGHTER_JUMP_TICKS - 11);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_LANDED), 1);
    cr_assert_eq(rig.state.fighters[0].x.raw, x);
    cr_assert_eq(rig.state.fighters[0].label, FIGHTER_LABEL_IDLE);
    cr_assert_eq(rig.state.fighters[0].seat, FIGHTER_SEAT_EMPTY);
    rig_close(&rig);
}

// Goal: whoever takes the slot next begins anew, wherever the last one left its fighter, and without a landing.
Test(fighter_people, joins_at_the_beginning)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    const Fighter begin = rig.state.fighters[0];
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = -127 };
    rig_steps(&rig, 10);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[0].label, FIGHTER_LABEL_AIRBORNE);
    rig_set_present(&rig, 0, true);
    rig.pads[0] = rest;
    rig_step(&rig);
    Fighter expected = begin;
    expected.seat = FIGHTER_SEAT_PLAYING;
    cr_assert_eq(memcmp(&rig.state.fighters[0], &expected, sizeof(expected)), 0);
    const FighterPlace *joined = rig_event(&rig, FIGHTER_EVENT_JOINED);
    cr_assert_not_null(joined);
    cr_assert_eq(joined->x.raw, begin.x.raw);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_LANDED), 0);
    rig_close(&rig);
}

Test(fighter_people, slots_that_nobody_ever_takes_stand_where_they_begin)
{
    Rig rig;
    rig_open(&rig, 4, 1);
    memset(rig.presence, 0, sizeof(rig.presence));
    Fighter begin[4];
    memcpy(begin, rig.state.fighters, sizeof(begin));
    rig_steps(&rig, 200);
    cr_assert_eq(memcmp(begin, rig.state.fighters, sizeof(begin)), 0);
    rig_close(&rig);
}

// Goal: a first tick is the one with number 0 and not the one with 32 bits of 0.
Test(fighter_people, tick_two_to_the_32_is_not_the_first)
{
    Rig rig;
    uint8_t bytes[256];
    size_t size = 0;
    tp_error error = { "" };
    rig_open(&rig, 1, 1);
    rig_set_present(&rig, 0, false);
    cr_assert(tp_sim_encode(rig.sim, bytes, sizeof(bytes), &size));
    cr_assert(tp_sim_decode(rig.sim, bytes, size, UINT64_C(1) << 32, 0, 0, &error), "%s", error.text);
    rig_set_present(&rig, 0, true);
    rig.pads[0] = jump;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), 1);
    cr_assert_eq(rig.state.fighters[0].seat, FIGHTER_SEAT_JOINING);
    rig_close(&rig);
}
