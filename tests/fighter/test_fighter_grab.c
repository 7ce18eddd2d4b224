// Grabs: taking hold, struggling free, throwing, and everything that may come between the two.
#include <criterion/criterion.h>

#include "fighter_combat.h"
#include "fighter_rig.h"

static const FighterInput neutral;
static const FighterInput grab = { .buttons = FIGHTER_BUTTON_GRAB };

static void open_hall(Rig *rig, uint32_t players)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    for (uint32_t i = 0; i < FIGHTER_CONFIG_FIGHTERS; i++) {
        config.items[FIGHTER_CONFIG_FIGHTER_1 + i] = FIGHTER_KIND_VALE;
    }
    rig_open_with(rig, players, 1, config);
    rig_step(rig);
    for (uint32_t i = 0; i < players; i++) {
        rig_stand(rig, i, FIGHTER_RAW(-190 + 20 * (int32_t)i), 0, FIGHTER_FACING_RIGHT);
    }
}

static void stand(Rig *rig, uint32_t slot, int32_t x, FighterFacing facing)
{
    rig_stand(rig, slot, FIGHTER_RAW(x), 0, facing);
}

static bool step_until(Rig *rig, FighterEvent type, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        rig_step(rig);
        rig_check(rig);
        for (uint32_t k = 0; k < rig->players; k++) {
            rig->pads[k] = neutral;
        }
        if (rig_event_count(rig, type) > 0) {
            return true;
        }
    }
    return false;
}

// Slot 0 holds slot 1, `damage` percent, in front of it.
static void open_hold(Rig *rig, int32_t damage, FighterFacing facing)
{
    int32_t side = facing == FIGHTER_FACING_LEFT ? -1 : 1;
    open_hall(rig, 2);
    stand(rig, 0, 0, facing);
    stand(rig, 1, 24 * side, FIGHTER_FACING_LEFT);
    rig->state.fighters[1].damage.raw = FIGHTER_RAW(damage);
    rig->pads[0] = grab;
    cr_assert(step_until(rig, FIGHTER_EVENT_GRABBED, 20), "nobody was grabbed");
}

// Goal: both sides know of it, the held one stands in front at the distance of two bodies and looks at the holder.
Test(fighter_grab, takes_hold)
{
    for (int facing = 0; facing < 2; facing++) {
        Rig rig;
        open_hold(&rig, 30, (FighterFacing)facing);
        const Fighter *holder = &rig.state.fighters[0];
        const Fighter *held = &rig.state.fighters[1];
        int32_t side = facing == FIGHTER_FACING_LEFT ? -1 : 1;
        const FighterImpact *impact = rig_impact(&rig, FIGHTER_EVENT_GRABBED);
        cr_assert_eq(impact->slot, 1);
        cr_assert_eq(impact->by, 1);
        cr_assert_eq(holder->action, FIGHTER_ACTION_GRAB_HOLD);
        cr_assert_eq(held->action, FIGHTER_ACTION_GRABBED);
        cr_assert_eq(holder->partner, 2);
        cr_assert_eq(held->partner, 1);
        cr_assert_eq(held->x.raw - holder->x.raw, side * 2 * fighter_kinds[0].half_width);
        cr_assert_neq(held->facing, holder->facing);
        cr_assert_eq(holder->lag_ticks, 90);
        rig_close(&rig);
    }
}

static uint32_t ticks_until_free(Rig *rig, bool does_struggle)
{
    for (uint32_t i = 1; i < 400; i++) {
        rig->pads[1].buttons = does_struggle && i % 2 == 0 ? FIGHTER_BUTTON_ATTACK : 0;
        rig_step(rig);
        if (rig_event_count(rig, FIGHTER_EVENT_RELEASED) > 0) {
            return i;
        }
    }
    return 0;
}

// Goal: a hold lasts 60 ticks and one more for each percent; every press takes six off; who was let go is safe for a moment, and both step apart.
Test(fighter_grab, struggles_free)
{
    Rig rig;
    open_hold(&rig, 30, FIGHTER_FACING_RIGHT);
    cr_assert_eq(ticks_until_free(&rig, false), 90);
    const Fighter *held = &rig.state.fighters[1];
    cr_assert_eq(held->action, FIGHTER_ACTION_IDLE);
    cr_assert_eq(held->partner, 0);
    cr_assert_eq(rig.state.fighters[0].partner, 0);
    cr_assert_eq(held->guard_ticks, FIGHTER_RELEASE_GUARD);
    cr_assert_gt(held->velocity_x.raw, 0);
    cr_assert_lt(rig.state.fighters[0].velocity_x.raw, 0);
    rig_close(&rig);
    open_hold(&rig, 30, FIGHTER_FACING_RIGHT);
    uint32_t ticks = ticks_until_free(&rig, true);
    cr_assert(ticks > 20 && ticks < 25, "%u", ticks); // one press in two ticks: 4 a tick
    rig_close(&rig);
}

// Goal: four throws, each the way it says for both facings, with damage, event and credit; the thrower goes on alone.
Test(fighter_grab, throws)
{
    static const struct { int8_t forward, up; FighterAction action; int side; } throws[] = {
        { 127, 0, FIGHTER_ACTION_THROW_FORWARD, 1 }, { -127, 0, FIGHTER_ACTION_THROW_BACK, -1 },
        { 0, 127, FIGHTER_ACTION_THROW_UP, 0 }, { 0, -127, FIGHTER_ACTION_THROW_DOWN, 1 },
    };
    for (int i = 0; i < 8; i++) {
        Rig rig;
        int side = i % 2 == 0 ? 1 : -1;
        open_hold(&rig, 0, side > 0 ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT);
        rig.pads[0] = (FighterInput){ .stick_x = (int8_t)(side * throws[i / 2].forward), .stick_y = throws[i / 2].up };
        rig_step(&rig);
        cr_assert_eq(rig.state.fighters[0].action, throws[i / 2].action);
        cr_assert(step_until(&rig, FIGHTER_EVENT_THROWN, 60));
        const FighterImpact *impact = rig_impact(&rig, FIGHTER_EVENT_THROWN);
        const Fighter *thrown = &rig.state.fighters[1];
        cr_assert_eq(impact->slot, 1);
        cr_assert_eq(impact->by, 1);
        cr_assert_eq(thrown->damage.raw, impact->damage.raw);
        cr_assert_gt(impact->knockback.raw, 0);
        cr_assert_eq(thrown->hitlag_ticks, 0, "a throw freezes nobody");
        cr_assert_eq(thrown->last_hit_by, 1);
        cr_assert_eq(thrown->partner, 0);
        cr_assert_eq(rig.state.fighters[0].partner, 0);
        cr_assert_eq(rig.state.fighters[0].action, throws[i / 2].action);
        cr_assert_gt(thrown->launch_y.raw, 0);
        if (throws[i / 2].side != 0) {
            cr_assert_gt(side * throws[i / 2].side * thrown->launch_x.raw, 0, "throw %d", i);
        }
        rig_close(&rig);
    }
}

// Goal: two that reach for each other in one tick: nobody holds, both step back, and the mirror image of one is the other.
Test(fighter_grab, clash)
{
    Rig rig;
    open_hall(&rig, 2);
    stand(&rig, 0, -11, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 11, FIGHTER_FACING_LEFT);
    rig.pads[0] = rig.pads[1] = grab;
    cr_assert(step_until(&rig, FIGHTER_EVENT_RELEASED, 20));
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_RELEASED), 2);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_GRABBED], 0);
    for (int i = 0; i < 20; i++) {
        rig_step(&rig);
        cr_assert_eq(rig.state.fighters[0].x.raw, -rig.state.fighters[1].x.raw);
    }
    cr_assert_lt(rig.state.fighters[0].x.raw, -FIGHTER_RAW(11));
    rig_close(&rig);
}

// Goal: nobody takes hold of one whose hands have just met another's, whatever the slots. A tick later a third one may: then it is a whole hold, which
// ends like any other.
Test(fighter_grab, clash_and_a_third_one)
{
    static const uint8_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (uint32_t k = 0; k < 6; k++) {
        Rig rig;
        open_hall(&rig, 3);
        stand(&rig, orders[k][0], 0, FIGHTER_FACING_RIGHT);
        stand(&rig, orders[k][1], 24, FIGHTER_FACING_LEFT);
        stand(&rig, orders[k][2], -20, FIGHTER_FACING_RIGHT); // reaches the first one, which does not reach it
        rig.pads[0] = rig.pads[1] = rig.pads[2] = grab;
        cr_assert(step_until(&rig, FIGHTER_EVENT_RELEASED, 20), "order %u", k);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_RELEASED), 2, "order %u", k);
        cr_assert_eq(rig.seen[FIGHTER_EVENT_GRABBED], 0, "order %u", k);
        rig_step(&rig);
        rig_check(&rig);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_GRABBED), 1, "order %u: the third one still reaches", k);
        cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_GRABBED)->slot, orders[k][0]);
        cr_assert(step_until(&rig, FIGHTER_EVENT_RELEASED, 70), "order %u", k);
        rig_steps(&rig, 20);
        for (uint32_t i = 0; i < 3; i++) {
            cr_assert_eq(rig.state.fighters[i].partner, 0);
            cr_assert_eq(rig.state.fighters[i].action, FIGHTER_ACTION_IDLE);
        }
        rig_close(&rig);
    }
}

// Goal: nobody takes hold of who is frozen by a blow.
Test(fighter_grab, not_while_frozen)
{
    for (uint16_t hitlag = 0; hitlag < 8; hitlag += 7) {
        Rig rig;
        open_hall(&rig, 2);
        stand(&rig, 0, 0, FIGHTER_FACING_RIGHT);
        stand(&rig, 1, 20, FIGHTER_FACING_LEFT);
        rig_poise(&rig, 0, FIGHTER_ACTION_GRAB);
        rig.state.fighters[1].hitlag_ticks = hitlag;
        rig_step(&rig);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_GRABBED), hitlag == 0);
        rig_close(&rig);
    }
}

// Goal: a throw leaves nothing of the hold's ticks behind, so that they are a hold's alone.
Test(fighter_grab, throwing_ends_the_count)
{
    Rig rig;
    open_hold(&rig, 900, FIGHTER_FACING_RIGHT);
    cr_assert_eq(rig.state.fighters[0].lag_ticks, 960);
    rig.pads[0].stick_y = 127;
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_THROW_UP);
    cr_assert_eq(rig.state.fighters[0].lag_ticks, 0);
    rig_close(&rig);
}

// Goal: of two that reach for one the nearer gets it whatever the slots, and nobody when they are as near.
Test(fighter_grab, two_reach_for_one)
{
    for (uint32_t left = 0; left < 3; left += 2) {
        for (int32_t right_x = 22; right_x < 25; right_x += 2) {
            Rig rig;
            open_hall(&rig, 3);
            stand(&rig, 1, 0, FIGHTER_FACING_LEFT);
            stand(&rig, left, -22, FIGHTER_FACING_RIGHT);
            stand(&rig, 2 - left, right_x, FIGHTER_FACING_LEFT);
            rig.pads[0] = rig.pads[2] = grab;
            bool is_held = step_until(&rig, FIGHTER_EVENT_GRABBED, 20);
            cr_assert_eq(is_held, right_x != 22, "left slot %u, right at %d", left, (int)right_x);
            if (is_held) {
                cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_GRABBED)->by, left + 1);
            }
            rig_close(&rig);
        }
    }
}

// Goal: of two in reach the nearer is taken.
Test(fighter_grab, takes_the_nearer)
{
    Rig rig;
    open_hall(&rig, 3);
    stand(&rig, 0, 0, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 25, FIGHTER_FACING_LEFT);
    stand(&rig, 2, 19, FIGHTER_FACING_LEFT);
    rig.pads[0] = grab;
    cr_assert(step_until(&rig, FIGHTER_EVENT_GRABBED, 20));
    cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_GRABBED)->slot, 2);
    rig_close(&rig);
}

// Goal: who is struck in the tick of its grab holds nobody.
Test(fighter_grab, loses_to_a_blow)
{
    Rig rig;
    open_hall(&rig, 2);
    stand(&rig, 0, -14, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 11, FIGHTER_FACING_LEFT);
    const FighterStrike *strike = &fighter_strikes[fighter_kinds[0].actions[FIGHTER_ACTION_GRAB].first_strike];
    const FighterStrike *jab = &fighter_strikes[fighter_kinds[0].actions[FIGHTER_ACTION_JAB].first_strike + 1];
    for (int i = 0; i < 40 && rig.seen[FIGHTER_EVENT_HIT] + rig.seen[FIGHTER_EVENT_GRABBED] == 0; i++) {
        stand(&rig, 0, -14, FIGHTER_FACING_RIGHT);
        stand(&rig, 1, 11, FIGHTER_FACING_LEFT);
        rig.state.fighters[0].action = FIGHTER_ACTION_GRAB;
        rig.state.fighters[0].action_tick = (uint16_t)(strike->first_tick - 1);
        rig.state.fighters[1].action = FIGHTER_ACTION_JAB;
        rig.state.fighters[1].action_tick = (uint16_t)(jab->first_tick - 1);
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 1);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_GRABBED], 0);
    rig_close(&rig);
}

Test(fighter_grab, shield_is_no_help)
{
    Rig rig;
    open_hall(&rig, 2);
    stand(&rig, 0, 0, FIGHTER_FACING_RIGHT);
    stand(&rig, 1, 24, FIGHTER_FACING_LEFT);
    rig.pads[0] = grab;
    for (int i = 0; i < 20 && rig.seen[FIGHTER_EVENT_GRABBED] == 0; i++) {
        rig.pads[1].buttons = FIGHTER_BUTTON_SHIELD;
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_GRABBED], 1);
    rig_close(&rig);
}

// Goal: a third one's blow ends a hold, whichever of the two it meets.
Test(fighter_grab, blow_ends_it)
{
    for (uint32_t target = 0; target < 2; target++) {
        Rig rig;
        open_hall(&rig, 3);
        stand(&rig, 0, 0, FIGHTER_FACING_RIGHT);
        stand(&rig, 1, 24, FIGHTER_FACING_LEFT);
        rig.pads[0] = grab;
        cr_assert(step_until(&rig, FIGHTER_EVENT_GRABBED, 20));
        stand(&rig, 2, target == 0 ? -24 : 42, target == 0 ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT);
        rig.pads[2].buttons = FIGHTER_BUTTON_ATTACK;
        cr_assert(step_until(&rig, FIGHTER_EVENT_HIT, 20));
        cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_HIT)->slot, target);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_RELEASED), 1);
        cr_assert_lt(rig_event_place(&rig, FIGHTER_EVENT_RELEASED), rig_event_place(&rig, FIGHTER_EVENT_HIT));
        cr_assert_eq(rig.state.fighters[0].partner, 0);
        cr_assert_eq(rig.state.fighters[1].partner, 0);
        cr_assert_eq(rig.state.fighters[target].guard_ticks, 0);
        cr_assert_eq(rig.state.fighters[1 - target].action, FIGHTER_ACTION_IDLE);
        rig_close(&rig);
    }
}

Test(fighter_grab, leaving_ends_it)
{
    for (uint32_t leaver = 0; leaver < 2; leaver++) {
        Rig rig;
        open_hold(&rig, 50, FIGHTER_FACING_RIGHT);
        rig_set_present(&rig, leaver, false);
        rig_step(&rig);
        rig_check(&rig);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_RELEASED), 1);
        cr_assert_eq(rig.state.fighters[leaver].action, FIGHTER_ACTION_ABSENT);
        cr_assert_eq(rig.state.fighters[1 - leaver].partner, 0);
        rig_close(&rig);
    }
}

// Goal: the held one is never put where it could not be: not into a wall beside it, not past the end of the ground.
Test(fighter_grab, stays_where_one_can_stand)
{
    Rig rig;
    open_hall(&rig, 2);
    const int32_t wall = FIGHTER_RAW(200) - fighter_kinds[0].half_width;
    rig_stand(&rig, 1, wall, 0, FIGHTER_FACING_LEFT);
    rig_stand(&rig, 0, wall - FIGHTER_RAW(8), 0, FIGHTER_FACING_RIGHT);
    rig.pads[0] = grab;
    cr_assert(step_until(&rig, FIGHTER_EVENT_GRABBED, 20));
    cr_assert_leq(rig.state.fighters[1].x.raw, wall);
    rig_close(&rig);

    open_hall(&rig, 2); // the right end of a platform
    rig_stand(&rig, 0, FIGHTER_RAW(126), FIGHTER_RAW(48), FIGHTER_FACING_RIGHT);
    Fighter *flyer = &rig.state.fighters[1];
    rig.pads[0] = grab;
    for (int i = 0; i < 20 && rig.seen[FIGHTER_EVENT_GRABBED] == 0; i++) {
        flyer->surface = 0;
        flyer->action = FIGHTER_ACTION_AIR;
        flyer->x.raw = FIGHTER_RAW(146);
        flyer->y.raw = FIGHTER_RAW(52);
        flyer->velocity_y.raw = 0;
        flyer->is_guard_spent = 1;
        rig_step(&rig);
        rig.pads[0] = neutral;
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_GRABBED], 1);
    cr_assert_eq(flyer->x.raw, FIGHTER_RAW(130));
    cr_assert_eq(flyer->surface, rig.state.fighters[0].surface);
    cr_assert_eq(flyer->is_guard_spent, 0, "it stands");
    for (int i = 0; i < 200; i++) {
        rig_step(&rig);
        rig_check(&rig);
    }
    rig_close(&rig);
}

// Goal: a holder that is taken hold of lets go first; chains of grabs never leave half a hold.
Test(fighter_grab, holds_are_always_whole)
{
    Rig rig;
    RigConfig config = rig_config();
    uint64_t grabs = 0;
    config.items[FIGHTER_CONFIG_STOCKS] = 99;
    rig_open_with(&rig, 24, 1, config);
    for (uint64_t tick = 0; tick < 6000; tick++) {
        rig_play_lively(&rig, 4, tick);
        for (uint32_t i = 0; i < 24; i++) {
            rig.pads[i].buttons = rig.pads[i].buttons == FIGHTER_BUTTON_ATTACK ? FIGHTER_BUTTON_GRAB : rig.pads[i].buttons;
        }
        rig_step(&rig);
        rig_check(&rig); // partners and actions of both sides
    }
    grabs = rig.seen[FIGHTER_EVENT_GRABBED];
    cr_assert_gt(grabs, 200, "%llu", (unsigned long long)grabs);
    rig_close(&rig);
}
