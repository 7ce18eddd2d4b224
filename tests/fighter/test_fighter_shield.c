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
    cr_assert_eq(fighter->shield.raw, 0);
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

// Goal: held for too long or struck too hard, it breaks: a hop, a long daze, and half a shield after it.
Test(fighter_shield, breaks_by_itself)
{
    Rig rig;
    open_duel(&rig);
    rig.pads[1] = shield;
    for (int i = 0; i < 400 && rig.seen[FIGHTER_EVENT_SHIELD_BROKE] == 0; i++) {
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_SHIELD_BROKE], 1);
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
        if (rig.state.fighters[1].shield.raw > FIGHTER_RAW(17)) {
            rig.state.fighters[1].shield.raw = FIGHTER_RAW(17);
        }
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
