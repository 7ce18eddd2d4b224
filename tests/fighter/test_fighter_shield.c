// Shields: they take blows, shrink, push back, let through what they no longer cover, and break.
#include <criterion/criterion.h>

#include "fighter_combat.h"
#include "fighter_rig.h"

static const FighterInput neutral;
static const FighterInput shield = { .buttons = FIGHTER_BUTTON_SHIELD };
static const FighterInput smash = { .c_x = 127 };

static void open_duel(Rig *rig)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    config.items[FIGHTER_CONFIG_FIGHTER_1 + 1] = FIGHTER_KIND_VALE;
    rig_open_with(rig, 2, 1, config);
    rig_step(rig);
    rig_stand(rig, 0, -FIGHTER_RAW(15), 0, FIGHTER_FACING_RIGHT);
    rig_stand(rig, 1, FIGHTER_RAW(15), 0, FIGHTER_FACING_LEFT);
}

static const FighterImpact *strike_shield(Rig *rig)
{
    rig->pads[0] = smash;
    rig->pads[1] = shield;
    rig_step(rig);
    rig->pads[0] = neutral;
    for (int i = 0; i < 40 && rig_event_count(rig, FIGHTER_EVENT_SHIELDED) == 0; i++) {
        rig_step(rig);
    }
    return rig_impact(rig, FIGHTER_EVENT_SHIELDED);
}

// Goal: no damage, both frozen, the shield smaller by the blow, its owner pushed away and stunned, then back in its shield or at rest.
Test(fighter_shield, takes_a_blow)
{
    Rig rig;
    open_duel(&rig);
    const Fighter *owner = &rig.state.fighters[1];
    const FighterImpact *impact = strike_shield(&rig);
    cr_assert_not_null(impact);
    cr_assert_eq(impact->by, 1);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 0);
    cr_assert_eq(owner->damage.raw, 0);
    cr_assert_eq(owner->action, FIGHTER_ACTION_SHIELD_STUN);
    cr_assert_eq(owner->hitlag_ticks, fighter_launch_hitlag(impact->damage));
    cr_assert_eq(rig.state.fighters[0].hitlag_ticks, fighter_launch_hitlag(impact->damage));
    cr_assert_lt(owner->shield.raw, FIGHTER_RAW(FIGHTER_SHIELD_MAX) - impact->damage.raw);
    cr_assert_eq(rig.state.fighters[0].stale[0], 0, "only bodies make a strike stale");
    int32_t x = owner->x.raw;
    rig.pads[1] = neutral;
    for (int i = 0; i < 60 && owner->action != FIGHTER_ACTION_IDLE; i++) {
        rig_step(&rig);
        cr_assert(owner->action == FIGHTER_ACTION_SHIELD_STUN || owner->action == FIGHTER_ACTION_SHIELD ||
                  owner->action == FIGHTER_ACTION_IDLE, "%s", fighter_action_names[owner->action]);
    }
    cr_assert_eq(owner->action, FIGHTER_ACTION_IDLE);
    cr_assert_gt(owner->x.raw, x, "pushed away");
    rig_close(&rig);
}

// Goal: a shield with little health is small: the same blow goes past it.
Test(fighter_shield, small_one_lets_through)
{
    Rig rig;
    open_duel(&rig);
    rig_stand(&rig, 0, -FIGHTER_RAW(12), 0, FIGHTER_FACING_RIGHT);
    rig.pads[1] = shield;
    rig_steps(&rig, 3);
    for (int i = 0; i < 60 && rig.seen[FIGHTER_EVENT_HIT] + rig.seen[FIGHTER_EVENT_SHIELDED] == 0; i++) {
        rig.state.fighters[1].shield.raw = FIGHTER_RAW(1);
        rig.pads[0] = i == 0 ? (FighterInput){ .c_y = -127 } : neutral; // at the feet
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 1);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_SHIELDED], 0);
    rig_close(&rig);
}

Test(fighter_shield, shrinks_with_its_health)
{
    const FighterKind *kind = &fighter_kinds[FIGHTER_KIND_BOAR];
    Fighter fighter = { .shield = { FIGHTER_RAW(FIGHTER_SHIELD_MAX) } };
    int32_t before = fighter_shield_capsule(kind, &fighter).radius;
    cr_assert_eq(before, kind->shield_radius);
    while (fighter.shield.raw > 0) {
        fighter.shield.raw -= FIGHTER_RAW(4);
        int32_t now = fighter_shield_capsule(kind, &fighter).radius;
        cr_assert_lt(now, before);
        before = now;
    }
    cr_assert_eq(before, kind->shield_radius / 4);
}

static void check_daze(Rig *rig)
{
    const Fighter *fighter = &rig->state.fighters[1];
    uint32_t ticks = 0;
    cr_assert_eq(fighter->action, FIGHTER_ACTION_SHIELD_BREAK);
    cr_assert_eq(fighter->surface, 0, "it hops");
    cr_assert_eq(fighter->shield.raw, FIGHTER_RAW(30));
    rig->pads[1] = neutral;
    while (fighter->action == FIGHTER_ACTION_SHIELD_BREAK && ticks < 400) {
        rig_step(rig);
        rig_check(rig);
        ticks++;
    }
    cr_assert_gt(ticks, 150);
    cr_assert_eq(fighter->shield.raw / 65536, 30);
    cr_assert_eq(fighter->action, FIGHTER_ACTION_IDLE);
}

static void hold_until_it_breaks(Rig *rig)
{
    rig->pads[1] = shield;
    for (int i = 0; i < 400 && rig->seen[FIGHTER_EVENT_SHIELD_BROKE] == 0; i++) {
        rig_step(rig);
    }
    cr_assert_eq(rig->seen[FIGHTER_EVENT_SHIELD_BROKE], 1);
}

// Goal: held for too long or struck too hard, it breaks: a hop, a long daze, and half a shield after it.
Test(fighter_shield, breaks_by_itself)
{
    Rig rig;
    open_duel(&rig);
    rig.state.fighters[1].last_hit_by = 1;
    hold_until_it_breaks(&rig);
    cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_SHIELD_BROKE)->by, 0, "a blow of before has no part in it");
    check_daze(&rig);
    rig_close(&rig);
}

Test(fighter_shield, breaks_by_a_blow)
{
    Rig rig;
    open_duel(&rig);
    rig.pads[1] = shield;
    rig_steps(&rig, 3);
    rig.pads[0] = smash;
    for (int i = 0; i < 60 && rig.seen[FIGHTER_EVENT_SHIELD_BROKE] == 0; i++) {
        rig.state.fighters[1].shield.raw = FIGHTER_RAW(15);
        rig_step(&rig);
        rig.pads[0] = neutral;
    }
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_SHIELD_BROKE), 1);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_SHIELDED), 1);
    cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_SHIELD_BROKE)->by, 1);
    check_daze(&rig);
    rig_close(&rig);
}

// Goal: two strikes meet one shield in one tick: one event, the damage of both, and the same whichever slot they have.
Test(fighter_shield, two_at_one)
{
    RigConfig config = rig_config();
    int32_t left[2];
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        config.items[FIGHTER_CONFIG_FIGHTER_1 + i] = FIGHTER_KIND_VALE;
    }
    for (uint32_t k = 0; k < 2; k++) {
        Rig rig;
        rig_open_with(&rig, 3, 1, config);
        rig_step(&rig);
        rig_stand(&rig, 2 * k, -FIGHTER_RAW(22), 0, FIGHTER_FACING_RIGHT);
        rig_stand(&rig, 1, 0, 0, FIGHTER_FACING_RIGHT);
        rig_stand(&rig, 2 - 2 * k, FIGHTER_RAW(22), 0, FIGHTER_FACING_LEFT);
        rig.pads[1] = shield;
        rig.pads[2 * k].c_x = 127;
        rig.pads[2 - 2 * k].c_x = -127;
        for (int i = 0; i < 60 && rig.seen[FIGHTER_EVENT_SHIELDED] == 0; i++) {
            rig_step(&rig);
            rig.pads[0] = rig.pads[2] = neutral;
        }
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_SHIELDED), 1);
        cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 0);
        left[k] = rig.state.fighters[1].shield.raw;
        rig_close(&rig);
    }
    cr_assert_eq(left[0], left[1]);
    cr_assert_lt(left[0], FIGHTER_RAW(60 - 2 * 16));
}

// Goal: a blow that ends the daze leaves half a shield: held at once it stands for as long as half a shield does.
Test(fighter_shield, struck_in_the_daze)
{
    Rig rig;
    open_duel(&rig);
    hold_until_it_breaks(&rig);
    rig.pads[1] = neutral;
    rig_steps(&rig, 100);
    cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_SHIELD_BREAK);
    rig_stand(&rig, 0, rig.state.fighters[1].x.raw - FIGHTER_RAW(20), 0, FIGHTER_FACING_RIGHT);
    rig_poise(&rig, 0, FIGHTER_ACTION_JAB);
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_HIT), 1);
    cr_assert_geq(rig.state.fighters[1].shield.raw, FIGHTER_RAW(30));
    rig_stand(&rig, 0, -FIGHTER_RAW(150), 0, FIGHTER_FACING_RIGHT);
    rig.pads[1] = shield;
    rig_steps(&rig, 90);
    cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_SHIELD);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_SHIELD_BROKE], 1);
    rig_close(&rig);
}

// Goal: out of the stun of a shield that is held only what a shield lets one do is open.
Test(fighter_shield, out_of_its_stun)
{
    enum { S = FIGHTER_BUTTON_SHIELD };
    static const struct { FighterInput pad; FighterAction action; } rows[] = {
        { { .buttons = S }, FIGHTER_ACTION_SHIELD },
        { { .buttons = S | FIGHTER_BUTTON_SPECIAL }, FIGHTER_ACTION_SHIELD },
        { { .buttons = S | FIGHTER_BUTTON_ATTACK }, FIGHTER_ACTION_GRAB },
        { { .buttons = S | FIGHTER_BUTTON_GRAB }, FIGHTER_ACTION_GRAB },
        { { .buttons = S | FIGHTER_BUTTON_JUMP }, FIGHTER_ACTION_JUMP_SQUAT },
        { { .buttons = S, .c_y = -127 }, FIGHTER_ACTION_SPOT_DODGE },
        { { .buttons = S, .c_x = -127 }, FIGHTER_ACTION_ROLL_FORWARD },
        { { .buttons = S, .c_y = 127 }, FIGHTER_ACTION_SHIELD },
        { { .buttons = FIGHTER_BUTTON_ATTACK }, FIGHTER_ACTION_JAB },
        { { .buttons = 0 }, FIGHTER_ACTION_IDLE },
    };
    for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
        Rig rig;
        open_duel(&rig);
        rig.pads[1] = shield;
        rig_steps(&rig, 6);
        rig.state.fighters[1].action = FIGHTER_ACTION_SHIELD_STUN;
        rig.state.fighters[1].lag_ticks = 2;
        rig_steps(&rig, 2);
        cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_SHIELD_STUN, "row %zu", i);
        rig.pads[1] = rows[i].pad;
        rig_step(&rig);
        cr_assert_eq(rig.state.fighters[1].action, rows[i].action, "row %zu: %s", i, fighter_action_names[rig.state.fighters[1].action]);
        rig_close(&rig);
    }
}

// Goal: a shield is up in its stun, too, and loses as much there.
Test(fighter_shield, drains_in_its_stun)
{
    Rig rig;
    open_duel(&rig);
    rig.state.fighters[1].action = FIGHTER_ACTION_SHIELD_STUN;
    rig.state.fighters[1].lag_ticks = 9;
    rig_steps(&rig, 5);
    cr_assert_eq(rig.state.fighters[1].shield.raw, FIGHTER_RAW(60) - 5 * 18350);
    rig_close(&rig);
}

static bool hear_nothing(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return true;
}

// Goal: a tenth of the damage is the push, up to 3 units, to the side of the blow.
Test(fighter_shield, push)
{
    static const struct { int32_t damage, push; } rows[] = { { 10, 10 }, { 29, 29 }, { 30, 30 }, { 31, 30 }, { 50, 30 } };
    for (size_t i = 0; i < 2 * TP_COUNT_OF(rows); i++) {
        Rig rig;
        open_duel(&rig);
        tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
        context.emit = hear_nothing;
        FighterStep step = { .state = rig.state, .context = &context };
        FighterBlow blow = { .by = 0, .facing = (uint8_t)(i % 2), .damage = { FIGHTER_RAW(rows[i / 2].damage) } };
        int32_t side = i % 2 == FIGHTER_FACING_LEFT ? -1 : 1;
        rig.state.fighters[1].action = FIGHTER_ACTION_SHIELD;
        fighter_shield_apply(&step, 1, &blow);
        cr_assert_eq(rig.state.fighters[1].velocity_x.raw, side * (FIGHTER_RAW(rows[i / 2].push) / 10), "row %zu", i);
        rig_close(&rig);
    }
}

// Goal: a part of two rows that meets a body with one and the shield with the other has met the shield, with the row that did.
Test(fighter_shield, row_that_meets_it_counts)
{
    const FighterStrike *rows = &fighter_strikes[fighter_kinds[0].actions[FIGHTER_ACTION_SMASH_FORWARD].first_strike];
    uint32_t both = 0;
    for (int32_t far = 30; far < 50; far++) {
        for (int32_t health = 1; health < 60; health += 6) {
            Rig rig;
            open_duel(&rig);
            rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
            rig_stand(&rig, 1, FIGHTER_RAW(far), 0, FIGHTER_FACING_LEFT);
            Fighter *owner = &rig.state.fighters[1];
            owner->action = FIGHTER_ACTION_SHIELD;
            owner->shield.raw = FIGHTER_RAW(health) + 18350; // what this tick drains
            rig_poise(&rig, 0, FIGHTER_ACTION_SMASH_FORWARD);
            rig.state.fighters[0].action_tick++; // both rows strike
            rig.pads[1] = shield;
            Fighter now = *owner;
            now.shield.raw = FIGHTER_RAW(health);
            FighterCapsule ball = fighter_shield_capsule(&fighter_kinds[0], &now);
            tp_fx at = { FIGHTER_RAW(far) };
            tp_fx zero = { 0 };
            bool first = fighter_reach_touch(&rows[0].capsule, zero, zero, false, &ball, at, zero, true);
            bool second = fighter_reach_touch(&rows[1].capsule, zero, zero, false, &ball, at, zero, true);
            bool body = false;
            for (uint32_t k = 0; k < FIGHTER_HURTS; k++) {
                body |= fighter_reach_touch(&rows[0].capsule, zero, zero, false, &fighter_kinds[0].hurts[k], at, zero, true);
            }
            rig_step(&rig);
            cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_SHIELDED), first || second, "%d away, health %d", (int)far, (int)health);
            if (body && !first && second) {
                cr_assert_eq(rig_impact(&rig, FIGHTER_EVENT_SHIELDED)->damage.raw, rows[1].damage);
                both++;
            }
            rig_close(&rig);
        }
    }
    cr_assert_gt(both, 0);
}
