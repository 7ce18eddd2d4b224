// How one fighter moves, and that nothing depends on which way it looks or in which slot it is.
#include <criterion/criterion.h>

#include "fighter_rig.h"

static const FighterInput jump = { .buttons = FIGHTER_BUTTON_JUMP };

static FighterInput stick(int32_t x)
{
    return (FighterInput){ .stick_x = (int8_t)x };
}

// Goal: the arc of one tap, to the bit: apex 68.0 at ticks 16 and 17, back on the floor at tick 33.
Test(fighter_move, golden_arc)
{
    static const int32_t first[4] = { 524288, 1015808, 1474560, 1900544 };
    Rig rig;
    rig_open(&rig, 1, 1);
    const Fighter *fighter = &rig.state.fighters[0];
    rig.pads[0] = jump;
    int32_t before = 0;
    for (int32_t tick = 1; tick <= FIGHTER_JUMP_TICKS; tick++) {
        rig_step(&rig);
        rig.pads[0] = (FighterInput){ 0 };
        cr_assert(tick > 4 || fighter->y.raw == first[tick - 1], "tick %d: %d", tick, fighter->y.raw);
        cr_assert(tick > 16 || fighter->y.raw > before, "rises to tick 16");
        cr_assert(tick <= 17 || fighter->y.raw < before, "falls from tick 18 on");
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), tick == 1);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_LANDED), tick == FIGHTER_JUMP_TICKS);
        cr_assert_eq(fighter->label, tick < FIGHTER_JUMP_TICKS ? FIGHTER_LABEL_AIRBORNE : FIGHTER_LABEL_IDLE);
        cr_assert(tick != 16 || fighter->y.raw == FIGHTER_RAW(FIGHTER_JUMP_APEX), "apex");
        before = fighter->y.raw;
    }
    cr_assert_eq(fighter->y.raw, 0);
    cr_assert_eq(fighter->velocity_y.raw, 0);
    rig_step(&rig);
    cr_assert_eq(fighter->y.raw, 0);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_LANDED), 0);
    rig_close(&rig);
}

// Goal: every stick there is, from the middle of the stage: the speed is odd in the stick, and so are label and facing.
Test(fighter_move, all_sticks)
{
    int32_t speeds[255];
    Rig rig;
    for (int32_t x = -127; x <= 127; x++) {
        rig_open(&rig, 1, 1);
        const Fighter *fighter = &rig.state.fighters[0];
        rig.pads[0] = stick(x);
        rig_step(&rig);
        speeds[x + 127] = fighter->velocity_x.raw;
        cr_assert_eq(fighter->velocity_x.raw, x * 65536 / 127 * 3, "stick %d", x);
        cr_assert_eq(fighter->x.raw, fighter->velocity_x.raw);
        cr_assert_eq(fighter->label, x == 0 ? FIGHTER_LABEL_IDLE : FIGHTER_LABEL_WALK);
        cr_assert_eq(fighter->facing, x < 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT);
        rig_close(&rig);
    }
    for (int32_t x = 0; x <= 127; x++) {
        cr_assert_eq(speeds[127 + x], -speeds[127 - x], "left is as fast as right at %d", x);
    }
    cr_assert_eq(speeds[254], FIGHTER_RAW(3));
    cr_assert_eq(speeds[127 + 110], 170289);
    cr_assert_eq(speeds[127 - 110], -170289);
}

// Goal: the 256th stick is no stick: clamped at the border, refused in a row, and it would have been too fast.
Test(fighter_move, lowest_stick_is_refused)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    FighterInput pad = { .stick_x = -128 };
    uint8_t row[32];
    rig.pads[0] = pad;
    size_t size = rig_row(&rig, row, sizeof(row));
    tp_hash128 before = tp_sim_root(rig.sim);
    tp_error error = { "" };
    cr_assert_eq(tp_sim_step_bytes(rig.sim, row, size, &error), TP_SIM_REFUSED);
    cr_assert_not_null(strstr(error.text, "stick_x"), "%s", error.text);
    cr_assert_eq(tp_sim_tick(rig.sim), 0);
    cr_assert(tp_hash128_equal(before, tp_sim_root(rig.sim)));
    tp_input_sanitise(&fighter_world, &pad);
    rig.pads[0] = pad;
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[0].velocity_x.raw, -FIGHTER_RAW(3));
    rig_close(&rig);
}

// Goal: the border: buttons nobody knows are dropped, the lowest value of each stick becomes the lowest stick, all else stays.
Test(fighter_move, border_keeps_known_buttons_and_sticks)
{
    FighterInput wild = { .buttons = 0xfff2, .stick_x = -128, .stick_y = -128, .c_x = -128, .c_y = -128 };
    const FighterInput tame = { .buttons = FIGHTER_BUTTON_ATTACK | FIGHTER_BUTTON_SPECIAL, -127, -127, -127, -127 };
    tp_input_sanitise(&fighter_world, &wild);
    cr_assert_eq(memcmp(&wild, &tame, sizeof(wild)), 0);
    for (int32_t x = -127; x <= 127; x++) {
        const FighterInput pad = { FIGHTER_BUTTONS, (int8_t)x, (int8_t)-x, (int8_t)x, (int8_t)-x };
        FighterInput same = pad;
        tp_input_sanitise(&fighter_world, &same);
        cr_assert_eq(memcmp(&pad, &same, sizeof(pad)), 0);
    }
}

Test(fighter_move, unknown_buttons_are_refused)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    for (uint32_t bit = 5; bit < 16; bit++) {
        uint8_t row[32];
        tp_error error = { "" };
        rig.pads[0].buttons = (uint16_t)(1u << bit);
        size_t size = rig_row(&rig, row, sizeof(row));
        cr_assert_eq(tp_sim_step_bytes(rig.sim, row, size, &error), TP_SIM_REFUSED, "bit %u", bit);
    }
    rig_close(&rig);
}

// Goal: only the stick's x moves anybody so far.
Test(fighter_move, other_sticks_and_buttons_move_nobody)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    Fighter before[2] = { rig.state.fighters[0], rig.state.fighters[1] };
    before[0].seat = FIGHTER_SEAT_PLAYING;
    before[1].seat = FIGHTER_SEAT_PLAYING;
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTONS & ~FIGHTER_BUTTON_JUMP, .stick_y = 127, .c_x = -127, .c_y = 127 };
    rig_steps(&rig, 100);
    cr_assert_eq(memcmp(before, rig.state.fighters, sizeof(before)), 0);
    rig_close(&rig);
}

// Goal: at a wall the place is the wall, the velocity is 0 and the fighter is idle; it is said once, when it gets there.
static void walk_to_wall(int32_t way)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    const Fighter *fighter = &rig.state.fighters[0];
    uint32_t walls = 0;
    rig.pads[0] = stick(127 * way);
    for (uint32_t i = 0; i < 100; i++) {
        rig_step(&rig);
        walls += rig_event_count(&rig, FIGHTER_EVENT_WALL);
    }
    cr_assert_eq(fighter->x.raw, way * FIGHTER_RAW(200));
    cr_assert_eq(fighter->velocity_x.raw, 0);
    cr_assert_eq(fighter->label, FIGHTER_LABEL_IDLE);
    cr_assert_eq(fighter->facing, way < 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT);
    cr_assert_eq(walls, 1);
    rig.pads[0] = stick(0);
    rig_steps(&rig, 5);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_WALL), 0);
    rig.pads[0] = stick(-way);
    rig_step(&rig);
    cr_assert_eq(fighter->x.raw, way * (FIGHTER_RAW(200) - 65536 / 127 * 3));
    cr_assert_eq(fighter->label, FIGHTER_LABEL_WALK);
    rig.pads[0] = stick(127 * way);
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_WALL), 1, "came back to it");
    rig_close(&rig);
}

Test(fighter_move, left_wall) { walk_to_wall(-1); }
Test(fighter_move, right_wall) { walk_to_wall(1); }

// Goal: into a corner with jump held: wall and floor do not disturb each other.
Test(fighter_move, corner)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    const Fighter *fighter = &rig.state.fighters[0];
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = 127 };
    for (uint32_t tick = 1; tick <= 330; tick++) {
        rig_step(&rig);
        bool is_down = tick % FIGHTER_JUMP_TICKS == 0;
        cr_assert_eq(fighter->label == FIGHTER_LABEL_AIRBORNE, !is_down, "tick %u", tick);
        cr_assert_eq(fighter->x.raw, tick < 67 ? (int32_t)tick * FIGHTER_RAW(3) : FIGHTER_RAW(200), "tick %u", tick);
        cr_assert(tick < 67 || fighter->velocity_x.raw == 0);
    }
    rig_close(&rig);
}

// Goal: the landing and the wall in one tick: both are said, with the same place, on the stage.
Test(fighter_move, lands_at_the_wall)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    rig_step(&rig);
    rig.state.fighters[0].x.raw = FIGHTER_RAW(200) - FIGHTER_JUMP_TICKS * FIGHTER_RAW(3) + FIGHTER_RAW(1);
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = 127 };
    rig_steps(&rig, FIGHTER_JUMP_TICKS);
    const FighterPlace *wall = rig_event(&rig, FIGHTER_EVENT_WALL);
    const FighterPlace *landed = rig_event(&rig, FIGHTER_EVENT_LANDED);
    cr_assert_not_null(wall);
    cr_assert_not_null(landed);
    cr_assert_eq(wall->x.raw, FIGHTER_RAW(200));
    cr_assert_eq(wall->y.raw, 0);
    cr_assert_eq(memcmp(wall, landed, sizeof(*wall)), 0);
    rig_close(&rig);
}

// Goal: jump asks whether it is held, not whether it was pressed: who holds it jumps again in the tick after every landing.
Test(fighter_move, held_jump_goes_on)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    rig.pads[0] = jump;
    uint32_t jumps = 0;
    uint32_t landings = 0;
    for (uint32_t tick = 0; tick < 100; tick++) {
        rig_step(&rig);
        jumps += rig_event_count(&rig, FIGHTER_EVENT_JUMPED);
        landings += rig_event_count(&rig, FIGHTER_EVENT_LANDED);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), tick % FIGHTER_JUMP_TICKS == 0, "tick %u", tick);
    }
    cr_assert_eq(jumps, 4);
    cr_assert_eq(landings, 3);
    rig_close(&rig);
}

// Goal: no jump in the air.
Test(fighter_move, one_jump_only)
{
    Rig once;
    Rig twice;
    rig_open(&once, 1, 1);
    rig_open(&twice, 1, 1);
    for (uint32_t tick = 0; tick < FIGHTER_JUMP_TICKS; tick++) {
        once.pads[0] = tick == 0 ? jump : (FighterInput){ 0 };
        twice.pads[0] = tick % 7 < 3 ? jump : (FighterInput){ 0 };
        rig_step(&once);
        rig_step(&twice);
        cr_assert_eq(once.state.fighters[0].y.raw, twice.state.fighters[0].y.raw, "tick %u", tick);
    }
    rig_close(&once);
    rig_close(&twice);
}

static void check_mirrored(const Fighter *here, const Fighter *there, uint32_t tick)
{
    cr_assert_eq(here->x.raw, -there->x.raw, "tick %u", tick);
    cr_assert_eq(here->velocity_x.raw, -there->velocity_x.raw, "tick %u", tick);
    cr_assert_eq(here->y.raw, there->y.raw, "tick %u", tick);
    cr_assert_eq(here->velocity_y.raw, there->velocity_y.raw, "tick %u", tick);
    cr_assert_eq(here->label, there->label, "tick %u", tick);
    cr_assert_eq(here->seat, there->seat, "tick %u", tick);
    cr_assert_neq(here->facing, there->facing, "tick %u", tick);
}

// Goal: ten minutes of eight pads and the same ten minutes in a mirror: slot i there is slot 7 - i here, to the bit. Joins and
// leaves are mirrored, too, so that places to begin at are.
Test(fighter_move, mirror)
{
    Rig here;
    Rig there;
    rig_open(&here, 8, 3);
    rig_open(&there, 8, 3);
    uint32_t walks = 0;
    for (uint32_t tick = 0; tick < 36000; tick++) {
        rig_play_script(&here, tick);
        for (uint32_t i = 0; i < 8; i++) {
            FighterInput pad = rig_script(i, tick);
            pad.stick_x = (int8_t)(tick % 3 == 0 ? (int8_t)(tick % 255) / 2 : pad.stick_x);
            here.pads[i] = pad;
            pad.stick_x = (int8_t)-pad.stick_x;
            there.pads[7 - i] = pad;
            rig_set_present(&there, 7 - i, rig_is_present(&here, i));
        }
        rig_step(&here);
        rig_step(&there);
        for (uint32_t i = 0; i < 8; i++) {
            check_mirrored(&here.state.fighters[i], &there.state.fighters[7 - i], tick);
            walks += here.state.fighters[i].label == FIGHTER_LABEL_WALK;
        }
    }
    cr_assert_gt(walks, 50000);
    rig_close(&here);
    rig_close(&there);
}

// Goal: the order of slots decides nothing yet: the same bodies and pads in other slots end as the same bodies in those
// slots. When combat makes order a rule, this test says so by failing.
Test(fighter_move, order_of_slots_does_not_matter)
{
    enum { COUNT = 7 };
    Rig plain;
    Rig shuffled;
    uint32_t place[COUNT] = { 0, 1, 2, 3, 4, 5, 6 };
    tp_pcg32 noise = tp_pcg32_make(5, 5);
    tp_pcg32_shuffle_u32(&noise, place, COUNT);
    rig_open(&plain, COUNT, 9);
    rig_open(&shuffled, COUNT, 9);
    rig_step(&plain);
    rig_step(&shuffled);
    for (uint32_t i = 0; i < COUNT; i++) {
        shuffled.state.fighters[place[i]] = plain.state.fighters[i];
    }
    for (uint32_t tick = 0; tick < 3000; tick++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            plain.pads[i] = rig_script(i, tick);
            shuffled.pads[place[i]] = plain.pads[i];
        }
        rig_step(&plain);
        rig_step(&shuffled);
        for (uint32_t i = 0; i < COUNT; i++) {
            cr_assert_eq(memcmp(&shuffled.state.fighters[place[i]], &plain.state.fighters[i], sizeof(Fighter)), 0, "tick %u", tick);
        }
        for (uint32_t type = 0; type < FIGHTER_EVENT_COUNT; type++) {
            cr_assert_eq(rig_event_count(&plain, (FighterEvent)type), rig_event_count(&shuffled, (FighterEvent)type));
        }
    }
    rig_close(&plain);
    rig_close(&shuffled);
}
