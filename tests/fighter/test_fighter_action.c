// What a fighter may do when. Every action is reached here by pads alone, from the first tick of a match.
#include <criterion/criterion.h>

#include "fighter_action.h"
#include "fighter_rig.h"

static bool seen[FIGHTER_ACTION_COUNT];

static void look(const Rig *rig)
{
    for (uint32_t i = 0; i < rig->players; i++) {
        seen[rig->state.fighters[i].action] = true;
    }
    rig_check(rig);
}

static void step(Rig *rig)
{
    rig_step(rig);
    look(rig);
}

static Fighter *fighter_of(Rig *rig, uint32_t slot)
{
    return &rig->state.fighters[slot];
}

static FighterInput pad(uint32_t buttons, int32_t x, int32_t y)
{
    return (FighterInput){ .buttons = (uint16_t)buttons, .stick_x = (int8_t)x, .stick_y = (int8_t)y };
}

static const FighterInput nothing;

static void hold(Rig *rig, uint32_t slot, FighterInput held, uint32_t ticks)
{
    rig->pads[slot] = held;
    for (uint32_t i = 0; i < ticks; i++) {
        step(rig);
    }
}

/// Holds a pad until the fighter does something; the number of ticks that took.
static uint32_t until(Rig *rig, uint32_t slot, FighterInput held, FighterAction action, uint32_t ticks_max)
{
    rig->pads[slot] = held;
    for (uint32_t i = 1; i <= ticks_max; i++) {
        step(rig);
        if (fighter_of(rig, slot)->action == action) {
            return i;
        }
    }
    cr_assert_fail("no %s within %u ticks, but %s", fighter_action_names[action], ticks_max,
                   fighter_action_names[fighter_of(rig, slot)->action]);
    return 0;
}

/// The pad in one tick must start that, and end in rest again.
static void start(Rig *rig, FighterInput press, FighterAction action)
{
    (void)until(rig, 0, press, action, 1);
    (void)until(rig, 0, nothing, FIGHTER_ACTION_IDLE, 400);
}

static Rig open_alone(int64_t stage)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    rig_open_with(&rig, 1, 1, config);
    return rig;
}

static void walk_to(Rig *rig, uint32_t slot, int32_t x_units)
{
    Fighter *fighter = fighter_of(rig, slot);
    int32_t way = fighter->x.raw < FIGHTER_RAW(x_units) ? 1 : -1;
    for (uint32_t i = 0; i < 300 && way * (FIGHTER_RAW(x_units) - fighter->x.raw) > 0; i++) {
        hold(rig, slot, pad(0, way * 80, 0), 1);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_WALK);
    }
    hold(rig, slot, nothing, 20);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_IDLE);
}

static void reach_on_feet(void)
{
    Rig rig = open_alone(0);
    Fighter *fighter = fighter_of(&rig, 0);
    (void)until(&rig, 0, pad(0, 60, 0), FIGHTER_ACTION_WALK, 1);
    hold(&rig, 0, nothing, 3);
    (void)until(&rig, 0, pad(0, 127, 0), FIGHTER_ACTION_DASH, 1);
    (void)until(&rig, 0, pad(0, -127, 0), FIGHTER_ACTION_DASH, 1);
    cr_assert_eq(fighter->facing, FIGHTER_FACING_LEFT, "a push to the other side turns a dash");
    cr_assert_eq(fighter->action_tick, 1, "and begins it anew");
    (void)until(&rig, 0, pad(0, -127, 0), FIGHTER_ACTION_RUN, 15);
    (void)until(&rig, 0, pad(0, 100, 0), FIGHTER_ACTION_TURN, 1);
    cr_assert_eq(fighter->facing, FIGHTER_FACING_RIGHT);
    (void)until(&rig, 0, pad(0, 100, 0), FIGHTER_ACTION_DASH, 12);
    (void)until(&rig, 0, pad(0, 100, 0), FIGHTER_ACTION_RUN, 15);
    (void)until(&rig, 0, pad(0, 0, -60), FIGHTER_ACTION_CROUCH, 1);
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 1);
    rig_close(&rig);
}

static void reach_jumps(void)
{
    Rig rig = open_alone(0);
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), FIGHTER_ACTION_JUMP_SQUAT, 1);
    cr_assert_eq(until(&rig, 0, nothing, FIGHTER_ACTION_AIR, 9), 4, "four ticks of squat");
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_LAND, 60);
    cr_assert_eq(until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 60), 5, "four ticks of lag after the landing");
    (void)until(&rig, 0, pad(0, 0, 127), FIGHTER_ACTION_JUMP_SQUAT, 1);
    (void)until(&rig, 0, pad(0, 0, 127), FIGHTER_ACTION_AIR, 5);
    cr_assert_eq(fighter_of(&rig, 0)->jumps_left, 1, "the stick that jumped does not jump again");
    hold(&rig, 0, nothing, 5);
    hold(&rig, 0, pad(0, 0, 127), 1);
    cr_assert_eq(fighter_of(&rig, 0)->jumps_left, 0);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), 1);
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_LAND, 120);
    cr_assert_eq(fighter_of(&rig, 0)->jumps_left, 1);
    rig_close(&rig);
}

// The hall's right platform is 48 high; a full jump is 68.
static void reach_a_platform(void)
{
    Rig rig = open_alone(0);
    Fighter *fighter = fighter_of(&rig, 0);
    walk_to(&rig, 0, 90);
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), FIGHTER_ACTION_AIR, 6);
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), FIGHTER_ACTION_LAND, 60);
    cr_assert_eq(fighter->y.raw, FIGHTER_RAW(48));
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 10);
    hold(&rig, 0, pad(0, 0, -60), 5);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_CROUCH, "only a push lets go of a platform");
    hold(&rig, 0, nothing, 2);
    (void)until(&rig, 0, pad(0, 0, -127), FIGHTER_ACTION_AIR, 1);
    cr_assert_lt(fighter->y.raw, FIGHTER_RAW(48));
    cr_assert_eq(fighter->dropping, 0, "below it, it is a platform again");
    hold(&rig, 0, pad(0, 0, -127), 2);
    cr_assert_eq(fighter->is_fast_falling, 0, "the push that let go does not fall fast as well");
    hold(&rig, 0, nothing, 2);
    hold(&rig, 0, pad(0, 0, -127), 1);
    cr_assert_eq(fighter->is_fast_falling, 1);
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_LAND, 20);
    cr_assert_eq(fighter->y.raw, 0);
    rig_close(&rig);
}

static void reach_strikes(void)
{
    static const struct {
        FighterInput  press;
        FighterAction action;
    } strikes[] = {
        { { .buttons = FIGHTER_BUTTON_ATTACK }, FIGHTER_ACTION_JAB },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_x = 60 }, FIGHTER_ACTION_TILT_FORWARD },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_y = 60 }, FIGHTER_ACTION_TILT_UP },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_y = -60 }, FIGHTER_ACTION_TILT_DOWN },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_x = -127 }, FIGHTER_ACTION_SMASH_FORWARD },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_y = 127 }, FIGHTER_ACTION_SMASH_UP },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_y = -127 }, FIGHTER_ACTION_SMASH_DOWN },
        { { .c_x = 127 }, FIGHTER_ACTION_SMASH_FORWARD },
        { { .c_y = 127 }, FIGHTER_ACTION_SMASH_UP },
        { { .c_y = -127 }, FIGHTER_ACTION_SMASH_DOWN },
        { { .buttons = FIGHTER_BUTTON_GRAB }, FIGHTER_ACTION_GRAB },
        { { .buttons = FIGHTER_BUTTON_SPECIAL }, FIGHTER_ACTION_SHOOT },
        { { .buttons = FIGHTER_BUTTON_SPECIAL, .stick_y = 60 }, FIGHTER_ACTION_RECOVERY },
    };
    Rig rig = open_alone(0);
    for (size_t i = 0; i < sizeof(strikes) / sizeof(strikes[0]); i++) {
        start(&rig, strikes[i].press, strikes[i].action);
        int32_t way = strikes[i].press.stick_x != 0 ? strikes[i].press.stick_x : strikes[i].press.c_x;
        cr_assert(way == 0 || (way < 0) == (fighter_of(&rig, 0)->facing == FIGHTER_FACING_LEFT), "strikes turn round, row %zu", i);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_FIRED], 1);
    hold(&rig, 0, pad(0, 127, 0), 5);
    start(&rig, pad(FIGHTER_BUTTON_ATTACK, 127, 0), FIGHTER_ACTION_DASH_ATTACK);
    rig_close(&rig);
}

static void reach_aerials(void)
{
    static const struct {
        FighterInput  press;
        FighterAction action;
    } aerials[] = {
        { { .buttons = FIGHTER_BUTTON_ATTACK }, FIGHTER_ACTION_AERIAL_NEUTRAL },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_x = 60 }, FIGHTER_ACTION_AERIAL_FORWARD },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_x = -60 }, FIGHTER_ACTION_AERIAL_BACK },
        { { .c_x = 127 }, FIGHTER_ACTION_AERIAL_FORWARD },
        { { .c_x = -127 }, FIGHTER_ACTION_AERIAL_BACK },
        { { .c_y = 127 }, FIGHTER_ACTION_AERIAL_UP },
        { { .c_y = -127 }, FIGHTER_ACTION_AERIAL_DOWN },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_y = 127 }, FIGHTER_ACTION_AERIAL_UP },
        { { .buttons = FIGHTER_BUTTON_ATTACK, .stick_y = -127 }, FIGHTER_ACTION_AERIAL_DOWN },
        { { .buttons = FIGHTER_BUTTON_SHIELD }, FIGHTER_ACTION_AIR_DODGE },
        { { .buttons = FIGHTER_BUTTON_SPECIAL, .stick_x = -60 }, FIGHTER_ACTION_SHOOT },
    };
    Rig rig = open_alone(0);
    for (size_t i = 0; i < sizeof(aerials) / sizeof(aerials[0]); i++) {
        (void)until(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), FIGHTER_ACTION_AIR, 6);
        start(&rig, aerials[i].press, aerials[i].action);
        cr_assert_eq(fighter_of(&rig, 0)->facing, FIGHTER_FACING_RIGHT, "nobody turns round in the air, row %zu", i);
    }
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), FIGHTER_ACTION_AIR, 6);
    hold(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), 8);
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_SHIELD, 0, 127), FIGHTER_ACTION_HELPLESS, 40);
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_LAND, 60);
    rig_close(&rig);
}

static void reach_shields(void)
{
    const FighterInput shield = { .buttons = FIGHTER_BUTTON_SHIELD };
    Rig rig = open_alone(0);
    Fighter *fighter = fighter_of(&rig, 0);
    (void)until(&rig, 0, shield, FIGHTER_ACTION_SHIELD, 1);
    cr_assert_eq(until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 9), 4, "up for four ticks at least");
    static const struct {
        FighterInput  press;
        FighterAction action;
    } ways[] = {
        { { .buttons = FIGHTER_BUTTON_SHIELD, .stick_x = 127 }, FIGHTER_ACTION_ROLL_FORWARD },
        { { .buttons = FIGHTER_BUTTON_SHIELD, .stick_x = -127 }, FIGHTER_ACTION_ROLL_BACK },
        { { .buttons = FIGHTER_BUTTON_SHIELD, .stick_y = -127 }, FIGHTER_ACTION_SPOT_DODGE },
        { { .buttons = FIGHTER_BUTTON_SHIELD, .c_x = 127 }, FIGHTER_ACTION_ROLL_FORWARD },
        { { .buttons = FIGHTER_BUTTON_SHIELD, .c_x = -127 }, FIGHTER_ACTION_ROLL_BACK },
        { { .buttons = FIGHTER_BUTTON_SHIELD, .c_y = -127 }, FIGHTER_ACTION_SPOT_DODGE },
        { { .buttons = FIGHTER_BUTTON_SHIELD | FIGHTER_BUTTON_ATTACK }, FIGHTER_ACTION_GRAB },
        { { .buttons = FIGHTER_BUTTON_SHIELD | FIGHTER_BUTTON_GRAB }, FIGHTER_ACTION_GRAB },
        { { .buttons = FIGHTER_BUTTON_SHIELD | FIGHTER_BUTTON_JUMP }, FIGHTER_ACTION_JUMP_SQUAT },
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        (void)until(&rig, 0, shield, FIGHTER_ACTION_SHIELD, 1);
        int32_t x = fighter->x.raw;
        start(&rig, ways[i].press, ways[i].action);
        int32_t moved = fighter->x.raw - x;
        bool is_forward = ways[i].action == FIGHTER_ACTION_ROLL_FORWARD;
        bool is_back = ways[i].action == FIGHTER_ACTION_ROLL_BACK;
        cr_assert(is_forward ? moved > FIGHTER_RAW(30) : is_back ? moved < -FIGHTER_RAW(30) : moved == 0, "row %zu: %d", i, moved);
    }
    uint32_t ticks = until(&rig, 0, shield, FIGHTER_ACTION_SHIELD_BREAK, 300);
    cr_assert(ticks > 200 && ticks < 230, "0.28 a tick of 60: %u", ticks);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_SHIELD_BROKE), 1);
    hold(&rig, 0, shield, 3);
    cr_assert_gt(fighter->y.raw, 0, "a broken shield throws its owner up");
    ticks = until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 400);
    cr_assert_eq(fighter->y.raw, 0);
    cr_assert(fighter->shield.raw >= FIGHTER_RAW(30) && fighter->shield.raw < FIGHTER_RAW(31));
    rig_close(&rig);
}

// The terrace's floor ends at 150 with a ledge.
static void hang(Rig *rig)
{
    *rig = open_alone(1);
    hold(rig, 0, pad(0, 127, 0), 20);
    (void)until(rig, 0, pad(0, 60, 0), FIGHTER_ACTION_LEDGE_HANG, 60);
    cr_assert_eq(rig_event_count(rig, FIGHTER_EVENT_LEDGE), 1);
    rig->pads[0] = nothing;
    hold(rig, 0, nothing, 10);
}

static void reach_ledges(void)
{
    Rig rig;
    hang(&rig);
    (void)until(&rig, 0, pad(0, 0, 60), FIGHTER_ACTION_LEDGE_CLIMB, 1);
    cr_assert_eq(until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 60), 32);
    cr_assert_eq(fighter_of(&rig, 0)->y.raw, 0);
    rig_close(&rig);
    hang(&rig);
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_JUMP, 0, 0), FIGHTER_ACTION_AIR, 1);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JUMPED), 1);
    (void)until(&rig, 0, pad(0, -127, 0), FIGHTER_ACTION_LAND, 60);
    rig_close(&rig);
    hang(&rig);
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_AIR, 300);
    rig_close(&rig);
}

// Down from the ledge with two lives: out, back, out for good.
static void reach_the_end(void)
{
    Rig rig;
    hang(&rig);
    Fighter *fighter = fighter_of(&rig, 0);
    (void)until(&rig, 0, pad(0, 0, -60), FIGHTER_ACTION_AIR, 1);
    (void)until(&rig, 0, pad(0, 60, 0), FIGHTER_ACTION_KO, 100);
    cr_assert_eq(until(&rig, 0, nothing, FIGHTER_ACTION_RESPAWN, 100), 61, "sixty ticks after the one of the fall");
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_RESPAWNED), 1);
    cr_assert_eq(until(&rig, 0, nothing, FIGHTER_ACTION_AIR, 200), 180, "nobody hangs there for ever");
    cr_assert_eq(fighter->guard_ticks, 119);
    fighter->stocks = 1;
    hold(&rig, 0, pad(0, 127, 0), 200);
    rig.pads[0] = pad(0, 127, -60);
    (void)until(&rig, 0, pad(0, 127, -60), FIGHTER_ACTION_OUT, 300);
    rig_set_present(&rig, 0, false);
    (void)until(&rig, 0, nothing, FIGHTER_ACTION_ABSENT, 1);
    rig_close(&rig);
}

/// Two VALEs on the floor of the hall, some 16 units apart, looking at each other.
static void face_each_other(Rig *rig, int64_t percent)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    config.items[FIGHTER_CONFIG_LAUNCH_PERCENT] = percent;
    config.items[FIGHTER_CONFIG_FIGHTER_1 + 1] = 0;
    rig_open_with(rig, 2, 1, config);
    step(rig); // they come with the first tick
    walk_to(rig, 0, -12);
    walk_to(rig, 1, 12);
}

static void reach_stuns(void)
{
    Rig rig;
    face_each_other(&rig, 100);
    rig.pads[0] = pad(FIGHTER_BUTTON_ATTACK, 0, 0);
    (void)until(&rig, 1, nothing, FIGHTER_ACTION_HITSTUN, 10);
    (void)until(&rig, 1, nothing, FIGHTER_ACTION_IDLE, 60);
    hold(&rig, 0, nothing, 30);
    walk_to(&rig, 1, 14);
    hold(&rig, 1, pad(FIGHTER_BUTTON_SHIELD, 0, 0), 3);
    rig.pads[0] = pad(FIGHTER_BUTTON_ATTACK, 0, 0);
    (void)until(&rig, 1, pad(FIGHTER_BUTTON_SHIELD, 0, 0), FIGHTER_ACTION_SHIELD_STUN, 10);
    rig_close(&rig);
    for (uint32_t i = 0; i < 2; i++) {
        face_each_other(&rig, 300);
        rig.pads[0] = pad(FIGHTER_BUTTON_ATTACK, 0, 60);
        (void)until(&rig, 1, nothing, FIGHTER_ACTION_TUMBLE, 20);
        rig.pads[0] = nothing;
        if (i == 0) {
            (void)until(&rig, 1, nothing, FIGHTER_ACTION_DOWN, 200);
            hold(&rig, 1, nothing, 5);
            cr_assert_eq(fighter_of(&rig, 1)->action, FIGHTER_ACTION_DOWN);
            (void)until(&rig, 1, pad(0, 60, 0), FIGHTER_ACTION_GET_UP, 1);
        } else {
            const Fighter *fighter = fighter_of(&rig, 1);
            for (uint32_t k = 0; k < 200 && (fighter->velocity_y.raw + fighter->launch_y.raw >= 0 || fighter->y.raw > FIGHTER_RAW(20)); k++) {
                hold(&rig, 1, nothing, 1);
            }
            (void)until(&rig, 1, pad(FIGHTER_BUTTON_SHIELD, 0, 0), FIGHTER_ACTION_TECH, 20);
            cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_TECHED), 1);
        }
        rig_close(&rig);
    }
}

static void reach_throws(void)
{
    static const struct {
        FighterInput  press;
        FighterAction action;
    } throws[] = {
        { { .stick_x = 60 }, FIGHTER_ACTION_THROW_FORWARD },
        { { .stick_x = -60 }, FIGHTER_ACTION_THROW_BACK },
        { { .stick_y = 60 }, FIGHTER_ACTION_THROW_UP },
        { { .stick_y = -60 }, FIGHTER_ACTION_THROW_DOWN },
        { { .c_x = -127 }, FIGHTER_ACTION_THROW_BACK },
        { { .c_y = 127 }, FIGHTER_ACTION_THROW_UP },
    };
    Rig rig;
    for (size_t i = 0; i < sizeof(throws) / sizeof(throws[0]); i++) {
        face_each_other(&rig, 100);
        (void)until(&rig, 0, pad(FIGHTER_BUTTON_GRAB, 0, 0), FIGHTER_ACTION_GRAB_HOLD, 12);
        cr_assert_eq(fighter_of(&rig, 1)->action, FIGHTER_ACTION_GRABBED);
        hold(&rig, 0, nothing, 3);
        (void)until(&rig, 0, throws[i].press, throws[i].action, 1);
        hold(&rig, 0, nothing, 30);
        cr_assert_eq(rig.seen[FIGHTER_EVENT_THROWN], 1);
        rig_close(&rig);
    }
}

// Goal: there is nothing in the list of actions that pads do not lead to.
Test(fighter_action, every_action_is_reached_by_pads)
{
    reach_on_feet();
    reach_jumps();
    reach_a_platform();
    reach_strikes();
    reach_aerials();
    reach_shields();
    reach_ledges();
    reach_the_end();
    reach_stuns();
    reach_throws();
    for (uint32_t i = 0; i < FIGHTER_ACTION_COUNT; i++) {
        cr_assert(seen[i], "nothing led to %s", fighter_action_names[i]);
    }
}

// Goal: a hold is over in 60 ticks, and sooner for every button the held one presses.
Test(fighter_action, holds_end)
{
    for (uint32_t presses = 0; presses < 2; presses++) {
        Rig rig;
        face_each_other(&rig, 100);
        (void)until(&rig, 0, pad(FIGHTER_BUTTON_GRAB, 0, 0), FIGHTER_ACTION_GRAB_HOLD, 12);
        rig.pads[0] = nothing;
        uint32_t ticks = 0;
        while (fighter_of(&rig, 0)->action == FIGHTER_ACTION_GRAB_HOLD && ticks < 100) {
            hold(&rig, 1, pad(presses != 0 && ticks % 2 == 0 ? FIGHTER_BUTTON_ATTACK : 0, 0, 0), 1);
            ticks++;
        }
        cr_assert_eq(ticks, presses == 0 ? 60 : 15, "%u", ticks);
        cr_assert_eq(rig.seen[FIGHTER_EVENT_RELEASED], 1);
        rig_close(&rig);
    }
}

// Goal: what the table of actions says fits the tables of the kinds: nothing that ends by its ticks goes on for ever.
Test(fighter_action, table_fits_the_kinds)
{
    for (uint32_t kind = 0; kind < FIGHTER_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < FIGHTER_ACTION_COUNT; i++) {
            const FighterFrames *frames = &fighter_kinds[kind].actions[i];
            bool has_ticks = fighter_action_rule((FighterAction)i)->length == FIGHTER_LENGTH_TICKS || i == FIGHTER_ACTION_JUMP_SQUAT;
            cr_assert_eq(frames->ticks > 0, has_ticks, "kind %u, %s", kind, fighter_action_names[i]);
            cr_assert_leq(frames->free_tick, frames->ticks);
            cr_assert_leq(frames->move_last, frames->ticks);
            cr_assert_leq(frames->guard_last, frames->ticks);
        }
        cr_assert_eq(fighter_kinds[kind].actions[FIGHTER_ACTION_JUMP_SQUAT].ticks, fighter_kinds[kind].jump_squat_ticks);
    }
}

// Goal: from its free tick on a strike gives way to the next, and not a tick before.
Test(fighter_action, free_tick)
{
    const FighterFrames *frames = &fighter_kinds[FIGHTER_KIND_VALE].actions[FIGHTER_ACTION_TILT_FORWARD];
    for (int32_t early = 1; early >= 0; early--) {
        Rig rig = open_alone(0);
        hold(&rig, 0, pad(FIGHTER_BUTTON_ATTACK, 60, 0), 1);
        hold(&rig, 0, nothing, (uint32_t)(frames->free_tick - 2 - early));
        hold(&rig, 0, pad(FIGHTER_BUTTON_ATTACK, 0, 0), 1);
        cr_assert_eq(fighter_of(&rig, 0)->action, early ? FIGHTER_ACTION_TILT_FORWARD : FIGHTER_ACTION_JAB);
        rig_close(&rig);
    }
}

// Goal: a strike whose pad is free goes on to its end when nobody wants anything else.
Test(fighter_action, free_strikes_end_by_themselves)
{
    Rig rig = open_alone(0);
    (void)until(&rig, 0, pad(FIGHTER_BUTTON_ATTACK, 0, 0), FIGHTER_ACTION_JAB, 1);
    uint32_t ticks = until(&rig, 0, nothing, FIGHTER_ACTION_IDLE, 60);
    cr_assert_eq(ticks, (uint32_t)fighter_kinds[FIGHTER_KIND_VALE].actions[FIGHTER_ACTION_JAB].ticks);
    rig_close(&rig);
}

// Goal: a shield loses 0.28 in every tick in which it is up and gets back 0.07 in every other, to what it was and no further.
Test(fighter_action, shield_health)
{
    Rig rig = open_alone(0);
    const Fighter *fighter = fighter_of(&rig, 0);
    hold(&rig, 0, pad(FIGHTER_BUTTON_SHIELD, 0, 0), 40);
    cr_assert_eq(fighter->shield.raw, FIGHTER_RAW(60) - 40 * 18350);
    hold(&rig, 0, nothing, 1);
    cr_assert_eq(fighter->shield.raw, FIGHTER_RAW(60) - 40 * 18350 + 4588);
    hold(&rig, 0, nothing, 99);
    cr_assert_eq(fighter->shield.raw, FIGHTER_RAW(60) - 40 * 18350 + 100 * 4588);
    hold(&rig, 0, nothing, 100);
    cr_assert_eq(fighter->shield.raw, FIGHTER_RAW(60));
    rig_close(&rig);
}

// Goal: guards: the action's own ticks, the counter, the actions that are one, and nobody off the stage.
Test(fighter_action, guards)
{
    Rig rig = open_alone(0);
    hold(&rig, 0, pad(FIGHTER_BUTTON_SHIELD, 0, 0), 1);
    hold(&rig, 0, pad(FIGHTER_BUTTON_SHIELD, 127, 0), 1);
    Fighter *fighter = fighter_of(&rig, 0);
    FighterStep step_of = { .state = rig.state, .kinds = { &fighter_kinds[FIGHTER_KIND_VALE] } };
    for (uint32_t tick = 1; tick <= 30; tick++) {
        cr_assert_eq(fighter->action, FIGHTER_ACTION_ROLL_FORWARD);
        cr_assert_eq(fighter->action_tick, tick);
        cr_assert_eq(fighter_action_is_guarded(&step_of, 0), tick >= 4 && tick <= 19, "tick %u", tick);
        hold(&rig, 0, nothing, 1);
    }
    cr_assert_not(fighter_action_is_guarded(&step_of, 0));
    fighter->guard_ticks = 1;
    cr_assert(fighter_action_is_guarded(&step_of, 0));
    fighter->guard_ticks = 0;
    static const FighterAction always[] = { FIGHTER_ACTION_ABSENT, FIGHTER_ACTION_OUT, FIGHTER_ACTION_KO, FIGHTER_ACTION_RESPAWN,
                                            FIGHTER_ACTION_LEDGE_CLIMB };
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
        fighter->action = (uint8_t)always[i];
        fighter->action_tick = 40;
        cr_assert(fighter_action_is_guarded(&step_of, 0));
    }
    rig_close(&rig);
}
