// How one fighter moves, and that nothing depends on which way it looks.
#include <criterion/criterion.h>

#include "fighter_rig.h"
#include "fighter_solo.h"
#include "tickproof/rng.h"

static const FighterKind *const vale = &fighter_kinds[FIGHTER_KIND_VALE];
static const FighterStage *const hall = &fighter_stages[0];

static FighterInput stick(int32_t x, int32_t y)
{
    return (FighterInput){ .stick_x = (int8_t)x, .stick_y = (int8_t)y };
}

/// A fighter alone on the hall's floor, at x.
static void stand(Solo *solo, const FighterKind *kind, int32_t x_units)
{
    solo_open(solo, 1, hall, kind);
    solo->fighters[0].x.raw = FIGHTER_RAW(x_units);
    solo->fighters[0].surface = 1;
    solo->fighters[0].action = FIGHTER_ACTION_IDLE;
}

static void tick_with(Solo *solo, FighterInput pad, uint32_t ticks)
{
    solo->step.pads[0] = pad;
    for (uint32_t i = 0; i < ticks; i++) {
        solo_tick(solo);
    }
}

// Goal: the arc of a full hop, to the bit, as it was in the first revision: apex 68 at ticks 16 and 17 of the flight, on the floor again at tick 33.
Test(fighter_move, golden_arc)
{
    enum { FLIGHT_TICKS = 33 };
    static const int32_t first[4] = { 524288, 1015808, 1474560, 1900544 };
    Solo solo;
    stand(&solo, vale, 0);
    const Fighter *fighter = &solo.fighters[0];
    tick_with(&solo, (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP }, 4);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_JUMP_SQUAT);
    cr_assert_eq(fighter->y.raw, 0);
    int32_t before = 0;
    for (int32_t tick = 1; tick <= FLIGHT_TICKS; tick++) {
        solo_tick(&solo);
        cr_assert(tick > 4 || fighter->y.raw == first[tick - 1], "tick %d: %d", tick, fighter->y.raw);
        cr_assert(tick > 16 || fighter->y.raw > before, "rises to tick 16");
        cr_assert(tick <= 17 || fighter->y.raw < before, "falls from tick 18 on");
        cr_assert_eq(solo.events[FIGHTER_EVENT_JUMPED], tick == 1);
        cr_assert_eq(solo.events[FIGHTER_EVENT_LANDED], tick == FLIGHT_TICKS);
        cr_assert_eq(fighter->action, tick < FLIGHT_TICKS ? FIGHTER_ACTION_AIR : FIGHTER_ACTION_LAND);
        cr_assert(tick < 16 || tick > 17 || fighter->y.raw == FIGHTER_RAW(68), "apex");
        before = fighter->y.raw;
    }
    cr_assert_eq(fighter->y.raw, 0);
    cr_assert_eq(fighter->velocity_y.raw, 0);
}

// Goal: jumps of all kinds and sorts leave with exactly their speed; who lets go in the squat makes the small one.
Test(fighter_move, first_ticks_of_jumps)
{
    for (uint32_t i = 0; i < FIGHTER_KIND_COUNT; i++) {
        const FighterKind *kind = &fighter_kinds[i];
        const FighterInput jump = { .buttons = FIGHTER_BUTTON_JUMP };
        for (uint32_t is_long = 0; is_long < 2; is_long++) {
            Solo solo;
            stand(&solo, kind, 0);
            const Fighter *fighter = &solo.fighters[0];
            tick_with(&solo, jump, 1);
            tick_with(&solo, is_long ? jump : stick(0, 0), (uint32_t)kind->jump_squat_ticks);
            cr_assert_eq(fighter->y.raw, is_long ? kind->jump_speed : kind->short_hop_speed, "kind %u", i);
            tick_with(&solo, stick(0, 0), 3);
            int32_t height = fighter->y.raw;
            tick_with(&solo, jump, 1);
            cr_assert_eq(fighter->y.raw, height + kind->air_jump_speed, "kind %u", i);
            for (int32_t k = 1; k < kind->air_jumps; k++) {
                tick_with(&solo, stick(0, 0), 1);
                tick_with(&solo, jump, 1);
                cr_assert_eq(solo.events[FIGHTER_EVENT_JUMPED], 1);
            }
            tick_with(&solo, stick(0, 0), 1);
            tick_with(&solo, jump, 1);
            cr_assert_eq(solo.events[FIGHTER_EVENT_JUMPED], 0, "none is left");
        }
    }
}

// Goal: a stick that is held up jumps once, though it counts as pushed for three ticks.
Test(fighter_move, one_jump_a_push)
{
    const FighterKind *kind = &fighter_kinds[FIGHTER_KIND_WISP];
    Solo solo;
    solo_open(&solo, 1, hall, kind);
    solo_throw(&solo, 0, 0, FIGHTER_RAW(100), 0, 0);
    tick_with(&solo, stick(0, 127), 5);
    cr_assert_eq(solo.fighters[0].jumps_left, kind->air_jumps - 1);
    tick_with(&solo, stick(0, 0), 1);
    tick_with(&solo, stick(0, 127), 1);
    cr_assert_eq(solo.fighters[0].jumps_left, kind->air_jumps - 2);
}

// Goal: every stick there is, walked with: at once the whole speed, odd in the stick, as in the first revision; up to the tilt nothing.
Test(fighter_move, all_sticks)
{
    int32_t speeds[255];
    for (int32_t x = -127; x <= 127; x++) {
        Solo solo;
        stand(&solo, vale, 0);
        const Fighter *fighter = &solo.fighters[0];
        tick_with(&solo, stick(x < 0 ? -40 : x > 0 ? 40 : 0, 0), 4); // slowly past the tilt, or it would be a dash
        int32_t from = fighter->x.raw;
        tick_with(&solo, stick(x, 0), 1);
        bool walks = x > FIGHTER_TILT || x < -FIGHTER_TILT;
        speeds[x + 127] = fighter->velocity_x.raw;
        cr_assert(!walks || fighter->velocity_x.raw == x * 65536 / 127 * 3, "stick %d", x);
        cr_assert_eq(fighter->x.raw - from, fighter->velocity_x.raw);
        cr_assert_eq(fighter->action, walks ? FIGHTER_ACTION_WALK : FIGHTER_ACTION_IDLE);
        cr_assert_eq(fighter->facing, x < 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT);
    }
    for (int32_t x = 0; x <= 127; x++) {
        cr_assert_eq(speeds[127 + x], -speeds[127 - x], "left is as fast as right at %d", x);
    }
    cr_assert_eq(speeds[254], FIGHTER_RAW(3));
    cr_assert_eq(speeds[127 + 110], 170289);
    cr_assert_eq(speeds[127 - 110], -170289);
}

// Goal: walking the other way is at once, too; letting go slides to a stop by friction.
Test(fighter_move, walks_back_and_stops)
{
    Solo solo;
    stand(&solo, vale, 0);
    const Fighter *fighter = &solo.fighters[0];
    tick_with(&solo, stick(80, 0), 3);
    tick_with(&solo, stick(-80, 0), 1);
    cr_assert_eq(fighter->velocity_x.raw, -(80 * 65536 / 127 * 3));
    cr_assert_eq(fighter->facing, FIGHTER_FACING_LEFT);
    int32_t speed = fighter->velocity_x.raw;
    while (speed != 0) {
        tick_with(&solo, stick(0, 0), 1);
        int32_t expected = speed + vale->friction > 0 ? 0 : speed + vale->friction;
        cr_assert_eq(fighter->velocity_x.raw, expected);
        speed = expected;
    }
}

// Goal: a dash has its speed from its first tick, a run comes to its own, and turning round slides.
Test(fighter_move, dash_and_run)
{
    for (uint32_t i = 0; i < FIGHTER_KIND_COUNT; i++) {
        const FighterKind *kind = &fighter_kinds[i];
        Solo solo;
        stand(&solo, kind, -150);
        const Fighter *fighter = &solo.fighters[0];
        int32_t dash_ticks = kind->actions[FIGHTER_ACTION_DASH].ticks;
        for (int32_t tick = 1; tick <= dash_ticks; tick++) {
            tick_with(&solo, stick(127, 0), 1);
            cr_assert_eq(fighter->action, FIGHTER_ACTION_DASH);
            cr_assert_eq(fighter->velocity_x.raw, kind->dash_speed);
        }
        tick_with(&solo, stick(50, 0), 5);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_RUN);
        cr_assert_eq(fighter->velocity_x.raw, kind->run_speed, "any stick past the tilt runs at full speed");
        tick_with(&solo, stick(-127, 0), 1);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_TURN);
        cr_assert_eq(fighter->velocity_x.raw, kind->run_speed - kind->friction);
        tick_with(&solo, stick(-127, 0), (uint32_t)kind->actions[FIGHTER_ACTION_TURN].ticks);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_DASH);
        cr_assert_eq(fighter->velocity_x.raw, -kind->dash_speed);
        tick_with(&solo, stick(0, 0), (uint32_t)dash_ticks);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_IDLE, "a dash that nobody holds on ends");
    }
}

// Goal: in the air the stick asks for a speed; with less than the air gives it comes there, faster than it only the air slows.
Test(fighter_move, drift)
{
    for (int32_t x = -127; x <= 127; x++) {
        Solo solo;
        solo_open(&solo, 1, hall, vale);
        solo_throw(&solo, 0, 0, FIGHTER_RAW(100), 0, 0);
        const Fighter *fighter = &solo.fighters[0];
        tick_with(&solo, stick(x, 0), 1);
        int32_t wanted = x * 65536 / 127 * 3;
        int32_t most = vale->air_acceleration;
        cr_assert_eq(fighter->velocity_x.raw, wanted > most ? most : wanted < -most ? -most : wanted, "stick %d", x);
        tick_with(&solo, stick(x, 0), 14);
        cr_assert_eq(fighter->velocity_x.raw, wanted, "stick %d", x);
        cr_assert_eq(fighter->facing, FIGHTER_FACING_RIGHT);
        solo_throw(&solo, 0, 0, FIGHTER_RAW(100), FIGHTER_RAW(5), 0);
        tick_with(&solo, stick(127, 0), 1);
        cr_assert_eq(fighter->velocity_x.raw, FIGHTER_RAW(5) - vale->air_friction);
        tick_with(&solo, stick(-127, 0), 1);
        cr_assert_eq(fighter->velocity_x.raw, FIGHTER_RAW(5) - vale->air_friction - vale->air_acceleration);
    }
}

// Goal: falling ends at its speed, falling fast at another, at once, and only when asked for on the way down.
Test(fighter_move, falls)
{
    for (uint32_t i = 0; i < FIGHTER_KIND_COUNT; i++) {
        const FighterKind *kind = &fighter_kinds[i];
        Solo solo;
        solo_open(&solo, 1, &fighter_stages[2], kind);
        solo_throw(&solo, 0, FIGHTER_RAW(110), FIGHTER_RAW(220), 0, FIGHTER_RAW(1));
        Fighter *fighter = &solo.fighters[0];
        fighter->ledge_wait_ticks = 255;
        tick_with(&solo, stick(0, -127), 1);
        cr_assert_eq(fighter->is_fast_falling, 0, "on the way up");
        tick_with(&solo, stick(0, 0), 40);
        cr_assert_eq(fighter->velocity_y.raw, -kind->fall_speed);
        tick_with(&solo, stick(0, -127), 1);
        cr_assert_eq(fighter->velocity_y.raw, -kind->fast_fall_speed);
        tick_with(&solo, stick(0, 0), 5);
        cr_assert_eq(fighter->velocity_y.raw, -kind->fast_fall_speed, "until something ends it");
    }
}

// Goal: air dodges go one of eight ways or none, as far each way, after their first ticks; helpless after them.
Test(fighter_move, air_dodge)
{
    const FighterFrames *frames = &vale->actions[FIGHTER_ACTION_AIR_DODGE];
    for (int32_t way = 0; way < 9; way++) {
        int32_t x = way % 3 - 1;
        int32_t y = way / 3 - 1;
        FighterInput pad = { .buttons = FIGHTER_BUTTON_SHIELD, .stick_x = (int8_t)(x * 100), .stick_y = (int8_t)(y * 70) };
        Solo solo;
        solo_open(&solo, 1, hall, vale);
        solo_throw(&solo, 0, 0, FIGHTER_RAW(300), FIGHTER_RAW(2), FIGHTER_RAW(3));
        const Fighter *fighter = &solo.fighters[0];
        tick_with(&solo, pad, (uint32_t)frames->move_first);
        tick_with(&solo, stick(-x * 127, 127), (uint32_t)(frames->move_last - frames->move_first)); // too late
        int32_t part = x != 0 && y != 0 ? (int32_t)((int64_t)frames->move_x * 46341 / 65536) : frames->move_x;
        int32_t ticks = frames->move_last - frames->move_first + 1;
        cr_assert_eq(fighter->x.raw, x * part * ticks, "way %d", way);
        cr_assert_eq(fighter->y.raw - FIGHTER_RAW(300), y * part * ticks, "way %d", way);
        tick_with(&solo, stick(0, 0), (uint32_t)(frames->ticks - frames->move_last + 1));
        cr_assert_eq(fighter->action, FIGHTER_ACTION_HELPLESS, "way %d", way);
    }
}

static int64_t length_of(const Fighter *fighter)
{
    int64_t x = fighter->launch_x.raw;
    int64_t y = fighter->launch_y.raw;
    return tp_isqrt_u64((uint64_t)(x * x + y * y));
}

// Goal: a launch loses 0.051 units a tick of its length, whichever way it goes, to the bit the same in the mirror, keeps its direction, and ends.
Test(fighter_move, launch_brakes)
{
    tp_pcg32 noise = tp_pcg32_make(8, 8);
    for (uint32_t i = 0; i < 200; i++) {
        Solo solo;
        solo_open(&solo, 2, hall, vale);
        for (uint32_t k = 0; k < 2; k++) {
            solo_throw(&solo, k, 0, FIGHTER_RAW(100), 0, 0);
            solo.fighters[k].action = FIGHTER_ACTION_TUMBLE;
            solo.fighters[k].lag_ticks = 1000;
        }
        int32_t x = (int32_t)tp_pcg32_below(&noise, FIGHTER_RAW(60)) - FIGHTER_RAW(30);
        int32_t y = (int32_t)tp_pcg32_below(&noise, FIGHTER_RAW(60)) - FIGHTER_RAW(30);
        solo.fighters[0].launch_x.raw = x;
        solo.fighters[1].launch_x.raw = -x;
        solo.fighters[0].launch_y.raw = solo.fighters[1].launch_y.raw = y;
        int64_t length = length_of(&solo.fighters[0]);
        for (uint32_t tick = 0; tick < 1000; tick++) {
            fighter_move_accelerate(&solo.step);
            int64_t now = length_of(&solo.fighters[0]);
            int64_t expected = length > 3342 ? length - 3342 : 0;
            cr_assert(now <= expected && now >= expected - 3, "way %u, tick %u: %lld after %lld", i, tick, (long long)now, (long long)length);
            cr_assert_eq(solo.fighters[0].launch_x.raw, -solo.fighters[1].launch_x.raw);
            cr_assert_eq(solo.fighters[0].launch_y.raw, solo.fighters[1].launch_y.raw);
            int64_t turned = (int64_t)solo.fighters[0].launch_x.raw * y - (int64_t)solo.fighters[0].launch_y.raw * x;
            cr_assert_leq(turned < 0 ? -turned : turned, (int64_t)1500 * FIGHTER_RAW(43), "way %u, tick %u", i, tick);
            length = now;
        }
        cr_assert_eq(length, 0);
    }
}

// Goal: who is flung falls by the numbers of the stun, and by its own ones when the launch is over.
Test(fighter_move, stun_gravity)
{
    Solo solo;
    solo_open(&solo, 1, hall, vale);
    solo_throw(&solo, 0, 0, FIGHTER_RAW(100), 0, 0);
    Fighter *fighter = &solo.fighters[0];
    fighter->action = FIGHTER_ACTION_HITSTUN;
    fighter->lag_ticks = 500;
    fighter->launch_x.raw = FIGHTER_RAW(9);
    fighter_move_accelerate(&solo.step);
    cr_assert_eq(fighter->velocity_y.raw, -vale->stun_gravity);
    for (uint32_t i = 0; i < 100; i++) {
        fighter_move_accelerate(&solo.step);
    }
    cr_assert_eq(fighter->velocity_y.raw, -vale->stun_fall_speed);
    fighter->launch_x.raw = 0;
    fighter_move_accelerate(&solo.step);
    cr_assert_eq(fighter->velocity_y.raw, -vale->stun_fall_speed - vale->gravity);
}

// Goal: at a wall the place is the wall's, the velocity is 0 and it is said once, when the fighter gets there; pressing on says nothing.
Test(fighter_move, walls)
{
    for (int32_t way = -1; way <= 1; way += 2) {
        Solo solo;
        stand(&solo, vale, way * 150);
        const Fighter *fighter = &solo.fighters[0];
        uint32_t walls = 0;
        for (uint32_t i = 0; i < 60; i++) {
            tick_with(&solo, stick(way * 127, 0), 1);
            walls += solo.events[FIGHTER_EVENT_WALL];
        }
        cr_assert_eq(fighter->x.raw, way * (FIGHTER_RAW(200) - vale->half_width));
        cr_assert_eq(fighter->velocity_x.raw, 0);
        cr_assert_eq(fighter->y.raw, 0);
        cr_assert_eq(walls, 1);
        tick_with(&solo, stick(-way * 50, 0), 20);
        tick_with(&solo, stick(way * 50, 0), 1);
        cr_assert_neq(fighter->velocity_x.raw, 0);
        for (uint32_t i = 0; i < 60; i++) {
            tick_with(&solo, stick(way * 50, 0), 1);
            walls += solo.events[FIGHTER_EVENT_WALL];
        }
        cr_assert_eq(walls, 2, "came back to it");
    }
}

// Goal: over an end go those that walk, run, slide or land; who strikes or shields stops on it.
Test(fighter_move, ends_of_surfaces)
{
    static const struct {
        FighterAction action;
        bool          goes_over;
    } rows[] = {
        { FIGHTER_ACTION_IDLE, true },   { FIGHTER_ACTION_WALK, true },  { FIGHTER_ACTION_DASH, true },          { FIGHTER_ACTION_RUN, true },
        { FIGHTER_ACTION_TURN, true },   { FIGHTER_ACTION_LAND, true },  { FIGHTER_ACTION_HITSTUN, true },       { FIGHTER_ACTION_CROUCH, false },
        { FIGHTER_ACTION_JAB, false },   { FIGHTER_ACTION_GRAB, false }, { FIGHTER_ACTION_ROLL_FORWARD, false }, { FIGHTER_ACTION_SHIELD, false },
        { FIGHTER_ACTION_SHOOT, false }, { FIGHTER_ACTION_DOWN, false }, { FIGHTER_ACTION_JUMP_SQUAT, false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Solo solo;
        solo_open(&solo, 1, &fighter_stages[1], vale);
        Fighter *fighter = &solo.fighters[0];
        fighter->x.raw = FIGHTER_RAW(149);
        fighter->surface = 1;
        fighter->velocity_x.raw = FIGHTER_RAW(4);
        fighter_action_start(&solo.step, 0, rows[i].action);
        fighter_collide_move(&solo.step);
        cr_assert_eq(fighter->surface == 0, rows[i].goes_over, "row %zu", i);
        cr_assert_eq(fighter->x.raw, FIGHTER_RAW(rows[i].goes_over ? 153 : 150), "row %zu", i);
        cr_assert_eq(fighter->velocity_x.raw, rows[i].goes_over ? FIGHTER_RAW(4) : 0);
        bool stays = !rows[i].goes_over || rows[i].action == FIGHTER_ACTION_HITSTUN;
        cr_assert_eq(fighter->action, stays ? rows[i].action : FIGHTER_ACTION_AIR, "row %zu", i);
    }
}

// Goal: surfaces that go on level with each other are one way; a whole row of them may be crossed in one tick.
Test(fighter_move, level_surfaces)
{
    FighterStage stage = { .surface_count = 3, .surfaces = {
        { FIGHTER_SURFACE_FLOOR, FIGHTER_RAW(-50), 0, 0, 0 }, { FIGHTER_SURFACE_PLATFORM, 0, 0, FIGHTER_RAW(5), 0 },
        { FIGHTER_SURFACE_FLOOR, FIGHTER_RAW(5), 0, FIGHTER_RAW(50), 0 } } };
    for (int32_t way = -1; way <= 1; way += 2) {
        Solo solo;
        solo_open(&solo, 1, &stage, vale);
        Fighter *fighter = &solo.fighters[0];
        fighter->surface = way > 0 ? 1 : 3;
        fighter->x.raw = FIGHTER_RAW(way > 0 ? -1 : 6);
        fighter->velocity_x.raw = way * FIGHTER_RAW(20);
        fighter_action_start(&solo.step, 0, FIGHTER_ACTION_JAB);
        fighter_collide_move(&solo.step);
        cr_assert_eq(fighter->surface, way > 0 ? 3 : 1);
        cr_assert_eq(fighter->x.raw, FIGHTER_RAW(way > 0 ? 19 : -14));
        fighter->velocity_x.raw = way * FIGHTER_RAW(80);
        fighter_collide_move(&solo.step);
        cr_assert_eq(fighter->x.raw, way * FIGHTER_RAW(50), "and a strike stops at the end of the last");
    }
}

// Goal: after its stun a tumble goes on until somebody does something about it; shield is for the landing only.
Test(fighter_move, tumble_goes_on)
{
    Solo solo;
    solo_open(&solo, 1, hall, vale);
    solo_throw(&solo, 0, 0, FIGHTER_RAW(150), 0, 0);
    Fighter *fighter = &solo.fighters[0];
    fighter_action_start(&solo.step, 0, FIGHTER_ACTION_TUMBLE);
    fighter->lag_ticks = 3;
    tick_with(&solo, stick(127, 0), 3);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_TUMBLE, "stunned");
    cr_assert_eq(fighter->velocity_x.raw, 0);
    tick_with(&solo, stick(127, 0), 1);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_TUMBLE, "a held stick was pushed before");
    cr_assert_gt(fighter->velocity_x.raw, 0, "but it drifts");
    tick_with(&solo, (FighterInput){ .buttons = FIGHTER_BUTTON_SHIELD }, 1);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_TUMBLE);
    tick_with(&solo, stick(127, 0), 1);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_AIR);
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
    cr_assert_eq(pad.stick_x, -127);
    rig.pads[0] = pad;
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[0].velocity_x.raw, -vale->dash_speed);
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
