// Pads to slots: taking one by a press, swallowing that press, giving it back.
#include <criterion/criterion.h>

#include "fighter_rig.h"
#include "fighter_slots.h"

enum { SLOTS = 4, SOURCES = 3, NONE = FIGHTER_SOURCES_MAX };

static const bool all_local[SLOTS] = { true, true, true, true };
static const FighterInput rest;

typedef struct Desk {
    FighterSlots  slots;
    FighterSource sources[SOURCES];
    FighterInput  inputs[SLOTS];
} Desk;

static Desk open_desk(const bool *is_local)
{
    Desk desk = { 0 };
    cr_assert(fighter_slots_init(&desk.slots, is_local, SLOTS, SOURCES));
    for (uint32_t i = 0; i < SOURCES; i++) {
        desk.sources[i].is_here = true;
    }
    return desk;
}

static void hold(Desk *desk, uint32_t source, uint16_t buttons, int8_t stick_x)
{
    desk->sources[source].input = (FighterInput){ .buttons = buttons, .stick_x = stick_x };
}

static void tick(Desk *desk)
{
    memset(desk->inputs, 0xee, sizeof(desk->inputs)); // every input must be written
    cr_assert(fighter_slots_tick(&desk->slots, desk->sources, SOURCES, desk->inputs, SLOTS));
}

static bool is_rest(const FighterInput *input)
{
    return memcmp(input, &rest, sizeof(rest)) == 0;
}

static uint32_t owner(const Desk *desk, uint32_t slot)
{
    return fighter_slots_source(&desk->slots, slot);
}

// Goal: slots start empty and give the default input, whatever sources do that is no jump.
Test(fighter_slots, start_empty)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 0, FIGHTER_BUTTONS & ~FIGHTER_BUTTON_JUMP, 127);
    tick(&desk);
    for (uint32_t i = 0; i < SLOTS; i++) {
        cr_assert_eq(owner(&desk, i), NONE);
        cr_assert(is_rest(&desk.inputs[i]));
    }
}

Test(fighter_slots, press_takes_the_lowest_slot)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 2, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), 2);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 1), 0);
}

Test(fighter_slots, lower_source_first_in_one_tick)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 2, FIGHTER_BUTTON_JUMP, 0);
    hold(&desk, 1, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), 1);
    cr_assert_eq(owner(&desk, 1), 2);
    cr_assert_eq(owner(&desk, 2), NONE);
}

// Goal: slots of other machines are never taken and always give the default input.
Test(fighter_slots, remote_slots_are_left_alone)
{
    const bool is_local[SLOTS] = { false, true, false, true };
    Desk desk = open_desk(is_local);
    for (uint32_t i = 0; i < SOURCES; i++) {
        hold(&desk, i, FIGHTER_BUTTON_JUMP, 50);
    }
    tick(&desk);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), NONE);
    cr_assert_eq(owner(&desk, 1), 0);
    cr_assert_eq(owner(&desk, 2), NONE);
    cr_assert_eq(owner(&desk, 3), 1);
    cr_assert(is_rest(&desk.inputs[0]));
    cr_assert(is_rest(&desk.inputs[2]));
    cr_assert_eq(desk.inputs[1].stick_x, 50);
}

// Goal: in the tick of joining nothing at all; then everything but jump, until the button was up once; then everything.
Test(fighter_slots, joining_press_is_swallowed_until_released)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP | FIGHTER_BUTTON_ATTACK, 127);
    tick(&desk);
    cr_assert(is_rest(&desk.inputs[0]));
    for (uint32_t i = 0; i < 5; i++) {
        tick(&desk);
        cr_assert_eq(desk.inputs[0].buttons, FIGHTER_BUTTON_ATTACK, "tick %u", i);
        cr_assert_eq(desk.inputs[0].stick_x, 127);
    }
    hold(&desk, 0, FIGHTER_BUTTON_ATTACK, 127);
    tick(&desk);
    cr_assert_eq(desk.inputs[0].buttons, FIGHTER_BUTTON_ATTACK);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 127);
    tick(&desk);
    cr_assert_eq(desk.inputs[0].buttons, FIGHTER_BUTTON_JUMP);
}

Test(fighter_slots, jump_of_who_has_a_slot_takes_no_second)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    hold(&desk, 0, 0, 0);
    tick(&desk);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(desk.inputs[0].buttons, FIGHTER_BUTTON_JUMP);
    cr_assert_eq(owner(&desk, 1), NONE);
}

// Goal: with nothing free a press does nothing, also not later when something is: it is no press any more.
Test(fighter_slots, full_roster_ignores_presses)
{
    const bool is_local[SLOTS] = { true, false, false, false };
    Desk desk = open_desk(is_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    hold(&desk, 1, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), 0);
    cr_assert(fighter_slots_leave(&desk.slots, 0));
    tick(&desk);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), NONE, "both are still held");
    hold(&desk, 1, 0, 0);
    tick(&desk);
    hold(&desk, 1, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), 1);
}

// Goal: a pad that goes away frees its slot at once; it comes back like any other.
Test(fighter_slots, going_away_frees_the_slot)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    hold(&desk, 1, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    hold(&desk, 0, 0, 90);
    hold(&desk, 1, 0, 90);
    tick(&desk);
    desk.sources[0].is_here = false;
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), NONE);
    cr_assert(is_rest(&desk.inputs[0]));
    cr_assert_eq(owner(&desk, 1), 1, "nobody moves up");
    cr_assert_eq(desk.inputs[1].stick_x, 90);
    desk.sources[0].is_here = true;
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), 0);
    cr_assert(is_rest(&desk.inputs[0]));
}

// Goal: between two owners a slot is empty for a tick, or the world would see one player where there were two.
Test(fighter_slots, freed_slot_rests_for_a_tick)
{
    const bool is_local[SLOTS] = { true, false, false, false };
    Desk desk = open_desk(is_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    desk.sources[0].is_here = false;
    hold(&desk, 1, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), NONE);
    hold(&desk, 2, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), 2);
    cr_assert(fighter_slots_leave(&desk.slots, 0));
    hold(&desk, 1, 0, 0);
    tick(&desk);
    cr_assert_eq(owner(&desk, 0), NONE, "leaving between two ticks rests, too");
}

// Goal: who leaves with the button down does not join again by it.
Test(fighter_slots, leaving_with_jump_held)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    tick(&desk);
    cr_assert(fighter_slots_leave(&desk.slots, 0));
    for (uint32_t i = 0; i < 10; i++) {
        tick(&desk);
        cr_assert_eq(owner(&desk, 0), NONE);
    }
}

Test(fighter_slots, leaving_what_nobody_has)
{
    Desk desk = open_desk(all_local);
    cr_assert(!fighter_slots_leave(&desk.slots, 0));
    cr_assert(!fighter_slots_leave(&desk.slots, SLOTS));
    cr_assert_eq(fighter_slots_source(&desk.slots, SLOTS), NONE);
}

// Goal: buffers of another size are an error that touches nothing: neither the slots nor the inputs.
Test(fighter_slots, wrong_counts_are_refused)
{
    Desk desk = open_desk(all_local);
    hold(&desk, 0, FIGHTER_BUTTON_JUMP, 0);
    FighterSlots before = desk.slots;
    FighterInput inputs[SLOTS + 1];
    FighterSource sources[SOURCES + 1] = { 0 };
    memset(inputs, 0xee, sizeof(inputs));
    cr_assert(!fighter_slots_tick(&desk.slots, desk.sources, SOURCES, inputs, SLOTS - 1));
    cr_assert(!fighter_slots_tick(&desk.slots, desk.sources, SOURCES, inputs, SLOTS + 1));
    cr_assert(!fighter_slots_tick(&desk.slots, desk.sources, SOURCES - 1, inputs, SLOTS));
    cr_assert(!fighter_slots_tick(&desk.slots, sources, SOURCES + 1, inputs, SLOTS));
    cr_assert_eq(memcmp(&before, &desk.slots, sizeof(before)), 0);
    for (size_t i = 0; i < sizeof(inputs); i++) {
        cr_assert_eq(((const uint8_t *)inputs)[i], 0xee);
    }
    cr_assert(!fighter_slots_init(&desk.slots, all_local, FIGHTER_PLAYERS_MAX + 1, 0));
    cr_assert(!fighter_slots_init(&desk.slots, all_local, SLOTS, FIGHTER_SOURCES_MAX + 1));
    cr_assert_eq(memcmp(&before, &desk.slots, sizeof(before)), 0);
}

Test(fighter_slots, nothing_to_share_out)
{
    FighterSlots slots;
    cr_assert(fighter_slots_init(&slots, NULL, 0, 0));
    cr_assert(fighter_slots_tick(&slots, NULL, 0, NULL, 0));
}

// Goal: all of it at once for a long while: no source has two slots, remote slots have none, inputs are those of the owners,
// and a slot never changes hands without an empty tick.
Test(fighter_slots, random_play)
{
    const bool is_local[SLOTS] = { true, false, true, true };
    Desk desk = open_desk(is_local);
    tp_pcg32 noise = tp_pcg32_make(4, 4);
    uint32_t last[SLOTS] = { NONE, NONE, NONE, NONE };
    uint32_t joins = 0;
    for (uint32_t k = 0; k < 100000; k++) {
        uint32_t which = tp_pcg32_below(&noise, SOURCES);
        uint32_t what = tp_pcg32_below(&noise, 40);
        uint32_t slot = tp_pcg32_below(&noise, SLOTS);
        desk.sources[which].is_here = what != 0;
        hold(&desk, which, what < 12 ? FIGHTER_BUTTON_JUMP : 0, (int8_t)(which + 1));
        if (what == 39) {
            (void)fighter_slots_leave(&desk.slots, slot);
        }
        tick(&desk);
        uint32_t seen = 0;
        for (uint32_t i = 0; i < SLOTS; i++) {
            uint32_t source = owner(&desk, i);
            cr_assert(source == NONE || last[i] == NONE || source == last[i], "slot %u changed hands in tick %u", i, k);
            joins += source != NONE && last[i] == NONE;
            last[i] = source;
            if (source == NONE) {
                cr_assert(is_rest(&desk.inputs[i]));
                continue;
            }
            cr_assert(is_local[i]);
            cr_assert(desk.sources[source].is_here);
            cr_assert_eq(seen & 1u << source, 0, "two slots");
            seen |= 1u << source;
            cr_assert(desk.inputs[i].stick_x == 0 || desk.inputs[i].stick_x == (int8_t)(source + 1));
        }
    }
    cr_assert_gt(joins, 1000);
}

// Goal: the module and the world together: a press of five ticks joins and does not jump, the next press jumps, after the four ticks of its squat.
Test(fighter_slots, into_the_world)
{
    Desk desk = open_desk(all_local);
    Rig rig;
    rig_open(&rig, SLOTS, 1);
    uint32_t jumps = 0;
    for (uint32_t k = 0; k < 30; k++) {
        bool is_down = (k >= 3 && k < 8) || k == 20;
        hold(&desk, 1, is_down ? FIGHTER_BUTTON_JUMP : 0, 0);
        tick(&desk);
        for (uint32_t i = 0; i < SLOTS; i++) {
            rig_set_present(&rig, i, owner(&desk, i) != NONE);
            rig.pads[i] = desk.inputs[i];
        }
        rig_step(&rig);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), k == 3);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), k == 24, "tick %u", k);
        jumps += rig_event_count(&rig, FIGHTER_EVENT_JUMPED);
    }
    cr_assert_eq(jumps, 1);
    rig_close(&rig);
}
