// Projectiles: how they leave, fly, strike and end, and what a full pool does.
#include <criterion/criterion.h>

#include "fighter_combat.h"
#include "fighter_rig.h"

static const FighterInput neutral;
static const FighterInput special = { .buttons = FIGHTER_BUTTON_SPECIAL };

static void open_hall(Rig *rig, uint32_t players, FighterKindName kind, int64_t projectiles)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    config.items[FIGHTER_CONFIG_PROJECTILES] = projectiles;
    for (uint32_t i = 0; i < FIGHTER_CONFIG_FIGHTERS; i++) {
        config.items[FIGHTER_CONFIG_FIGHTER_1 + i] = kind;
    }
    rig_open_with(rig, players, 1, config);
    rig_step(rig);
    for (uint32_t i = 0; i < players; i++) {
        rig_stand(rig, i, FIGHTER_RAW(-190 + 3 * (int32_t)i), 0, FIGHTER_FACING_LEFT);
    }
}

static void fire(Rig *rig, uint32_t slot)
{
    rig->pads[slot] = special;
    for (int i = 0; i < 60; i++) {
        rig_step(rig);
        rig->pads[slot] = neutral;
        if (rig_event_count(rig, FIGHTER_EVENT_FIRED) > 0) {
            return;
        }
    }
    cr_assert_fail("nothing was fired");
}

static const FighterProjectile *only_shot(const Rig *rig)
{
    cr_assert_eq(rig->state.projectiles.head->live, 1);
    return &rig->state.projectiles.slots[fighter_projectile_first(&rig->state.projectiles)];
}

// Goal: the tick, place and speed of the table, mirrored for who looks left; one that is fired has not moved yet.
Test(fighter_shot, leaves)
{
    for (uint32_t kind = 0; kind < FIGHTER_KIND_COUNT; kind++) {
        for (int facing = 0; facing < 2; facing++) {
            Rig rig;
            int32_t side = facing == FIGHTER_FACING_LEFT ? -1 : 1;
            const FighterShot *table = &fighter_kinds[kind].shot;
            open_hall(&rig, 1, (FighterKindName)kind, 16);
            rig_stand(&rig, 0, 0, 0, (FighterFacing)facing);
            fire(&rig, 0);
            cr_assert_eq(rig.state.fighters[0].action_tick, table->tick);
            const FighterProjectile *shot = only_shot(&rig);
            cr_assert_eq(shot->x.raw, side * table->x);
            cr_assert_eq(shot->y.raw, table->y);
            cr_assert_eq(shot->velocity_x.raw, side * table->speed_x);
            cr_assert_eq(shot->life_ticks, table->life_ticks);
            cr_assert_eq(shot->kind, kind);
            rig_step(&rig);
            cr_assert_eq(shot->x.raw, side * (table->x + table->speed_x));
            cr_assert_eq(shot->y.raw, table->y + table->speed_y - table->gravity);
            rig_close(&rig);
        }
    }
}

// Goal: it lives as long as its table says, or until a wall or a floor.
Test(fighter_shot, ends)
{
    Rig rig;
    open_hall(&rig, 1, FIGHTER_KIND_VALE, 16);
    rig_stand(&rig, 0, -FIGHTER_RAW(150), 0, FIGHTER_FACING_RIGHT);
    fire(&rig, 0);
    uint32_t ticks = 0;
    while (rig.state.projectiles.head->live > 0) {
        rig_step(&rig);
        ticks++;
    }
    cr_assert_eq(ticks, (uint32_t)fighter_kinds[0].shot.life_ticks);
    rig_stand(&rig, 0, FIGHTER_RAW(150), 0, FIGHTER_FACING_RIGHT);
    fire(&rig, 0);
    for (ticks = 0; rig.state.projectiles.head->live > 0; ticks++) {
        cr_assert_leq(only_shot(&rig)->x.raw, FIGHTER_RAW(200));
        rig_step(&rig);
    }
    cr_assert_lt(ticks, 8);
    rig_close(&rig);
    open_hall(&rig, 1, FIGHTER_KIND_WISP, 16); // lobbed: comes down to the floor
    rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
    fire(&rig, 0);
    for (ticks = 0; rig.state.projectiles.head->live > 0; ticks++) {
        cr_assert_geq(only_shot(&rig)->y.raw, 0);
        rig_step(&rig);
    }
    cr_assert(ticks > 30 && ticks < (uint32_t)fighter_kinds[FIGHTER_KIND_WISP].shot.life_ticks, "%u", ticks);
    rig_close(&rig);
}

// Goal: it strikes once and is gone, freezes the victim and not its owner, and makes SHOOT stale.
Test(fighter_shot, strikes)
{
    Rig rig;
    open_hall(&rig, 2, FIGHTER_KIND_VALE, 16);
    rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
    rig_stand(&rig, 1, FIGHTER_RAW(120), 0, FIGHTER_FACING_LEFT);
    fire(&rig, 0);
    for (int i = 0; i < 30 && rig.seen[FIGHTER_EVENT_HIT] == 0; i++) {
        rig_step(&rig);
    }
    const FighterImpact *impact = rig_impact(&rig, FIGHTER_EVENT_HIT);
    cr_assert_not_null(impact);
    cr_assert_eq(impact->slot, 1);
    cr_assert_eq(impact->by, 1);
    cr_assert_eq(impact->damage.raw, fighter_kinds[0].shot.strike.damage);
    cr_assert_eq(rig.state.projectiles.head->live, 0);
    cr_assert_eq(rig.state.fighters[0].hitlag_ticks, 0);
    cr_assert_eq(rig.state.fighters[1].hitlag_ticks, fighter_launch_hitlag(impact->damage));
    cr_assert_eq(rig.state.fighters[0].stale[0], FIGHTER_ACTION_SHOOT + 1);
    cr_assert_gt(rig.state.fighters[1].launch_x.raw, 0);
    rig_close(&rig);
}

// Goal: a shield stops it; its owner it never strikes; guards it passes.
Test(fighter_shot, meets_shields_and_guards)
{
    Rig rig;
    open_hall(&rig, 2, FIGHTER_KIND_VALE, 16);
    rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
    rig_stand(&rig, 1, FIGHTER_RAW(120), 0, FIGHTER_FACING_LEFT);
    rig.state.fighters[1].guard_ticks = 200;
    fire(&rig, 0);
    for (int i = 0; i < 60; i++) {
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 0);
    rig.state.fighters[1].guard_ticks = 0;
    rig.pads[1].buttons = FIGHTER_BUTTON_SHIELD;
    fire(&rig, 0);
    for (int i = 0; i < 30; i++) {
        rig_step(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_SHIELDED], 1);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 0);
    cr_assert_eq(rig.state.projectiles.head->live, 0);
    rig_close(&rig);
}

// Goal: a full pool drops the shot, says nothing, counts it, and the lower slots are served first.
Test(fighter_shot, full_pool)
{
    Rig rig;
    open_hall(&rig, 8, FIGHTER_KIND_VALE, 3);
    for (uint32_t i = 0; i < 8; i++) {
        rig_stand(&rig, i, FIGHTER_RAW(-120 + 30 * (int32_t)i), i % 2 == 0 ? 0 : 0, FIGHTER_FACING_LEFT);
        rig.state.fighters[i].guard_ticks = 500;
        rig.pads[i] = special;
    }
    for (int i = 0; i < 20 && rig.seen[FIGHTER_EVENT_FIRED] == 0; i++) {
        rig_step(&rig);
    }
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_FIRED), 3);
    cr_assert_eq(rig.state.match->shots_dropped, 5);
    cr_assert_eq(rig.state.projectiles.head->live, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(rig.state.projectiles.slots[i].owner, i);
    }
    rig.state.match->shots_dropped = UINT32_MAX; // stops there
    for (uint32_t i = 0; i < 8; i++) {
        rig_stand(&rig, i, FIGHTER_RAW(-120 + 30 * (int32_t)i), 0, FIGHTER_FACING_LEFT);
        rig.state.fighters[i].action = FIGHTER_ACTION_SHOOT;
        rig.state.fighters[i].action_tick = (uint16_t)(fighter_kinds[0].shot.tick - 1);
    }
    rig_step(&rig);
    cr_assert_eq(rig.state.match->shots_dropped, UINT32_MAX);
    rig_close(&rig);
}

// Goal: who comes through a projectile's way faster than both are thick meets it, in the air and thrown.
Test(fighter_shot, nobody_is_too_fast)
{
    for (int32_t speed = 2; speed <= 72; speed += 5) {
        Rig rig;
        open_hall(&rig, 2, FIGHTER_KIND_VALE, 16);
        rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
        fire(&rig, 0);
        Fighter *flyer = &rig.state.fighters[1];
        flyer->surface = 0;
        flyer->action = FIGHTER_ACTION_AIR;
        flyer->x.raw = FIGHTER_RAW(120);
        flyer->y.raw = FIGHTER_RAW(4);
        flyer->launch_x.raw = -FIGHTER_RAW(speed);
        for (int i = 0; i < 40 && rig.seen[FIGHTER_EVENT_HIT] == 0; i++) {
            flyer->velocity_y.raw = 0;
            flyer->y.raw = FIGHTER_RAW(4);
            rig_step(&rig);
        }
        cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 1, "speed %d", (int)speed);
        rig_close(&rig);
    }
}

// Goal: it goes with its owner, at once, and strikes nobody any more; those of others fly on.
Test(fighter_shot, goes_with_its_owner)
{
    Rig rig;
    open_hall(&rig, 3, FIGHTER_KIND_VALE, 16);
    rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
    rig_stand(&rig, 1, FIGHTER_RAW(150), 0, FIGHTER_FACING_LEFT);
    rig_stand(&rig, 2, 0, FIGHTER_RAW(0), FIGHTER_FACING_LEFT);
    rig.pads[2] = special;
    fire(&rig, 0);
    rig.pads[2] = neutral;
    cr_assert_eq(rig.state.projectiles.head->live, 2);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    cr_assert_eq(only_shot(&rig)->owner, 2);
    for (int i = 0; i < 30; i++) {
        rig_step(&rig);
        rig_check(&rig);
    }
    cr_assert_eq(rig.seen[FIGHTER_EVENT_HIT], 0);
    rig_close(&rig);
}

// The tick of SHOOT that fires, by a fighter there, on the ground (y is its floor) or in the air. True: something was fired.
static bool does_fire(FighterKindName kind, int64_t mirror, int32_t x_raw, int32_t y_raw, bool is_standing, FighterFacing facing)
{
    Rig rig;
    RigConfig config = rig_config();
    int32_t side = mirror != 0 ? -1 : 1;
    bool looks_left = (facing == FIGHTER_FACING_LEFT) != (mirror != 0);
    config.items[FIGHTER_CONFIG_STAGE] = 2;
    config.items[FIGHTER_CONFIG_MIRROR] = mirror;
    config.items[FIGHTER_CONFIG_FIGHTER_1] = kind;
    rig_open_with(&rig, 1, 1, config);
    rig_step(&rig);
    Fighter *fighter = &rig.state.fighters[0];
    fighter->x.raw = side * x_raw;
    fighter->y.raw = y_raw;
    fighter->facing = looks_left ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT;
    if (is_standing) {
        rig_stand(&rig, 0, side * x_raw, y_raw, (FighterFacing)fighter->facing);
    } else {
        fighter->surface = 0;
    }
    fighter->action = FIGHTER_ACTION_SHOOT;
    fighter->action_tick = (uint16_t)(fighter_kinds[kind].shot.tick - 1);
    rig_step(&rig);
    uint32_t fired = rig_event_count(&rig, FIGHTER_EVENT_FIRED);
    cr_assert_eq(rig.state.projectiles.head->live, fired);
    cr_assert_eq(rig.state.match->shots_dropped, 0, "it was not dropped");
    rig_close(&rig);
    return fired != 0;
}

// Goal: nothing is fired into or through a wall that the muzzle is behind: both sides of the harbour's tower and the quay's side, every kind, both
// facings, and all of it mirrored.
Test(fighter_shot, not_from_behind_a_wall)
{
    for (uint32_t i = 0; i < 2 * FIGHTER_KIND_COUNT; i++) {
        FighterKindName kind = (FighterKindName)(i / 2);
        int64_t mirror = i % 2;
        int32_t half = fighter_kinds[kind].half_width;
        cr_assert_gt(fighter_kinds[kind].shot.x, half, "or the wall would stop nobody");
        cr_assert(!does_fire(kind, mirror, FIGHTER_RAW(-180) + half, 0, true, FIGHTER_FACING_LEFT), "%u: inside the tower", i);
        cr_assert(does_fire(kind, mirror, FIGHTER_RAW(-180) + half, 0, true, FIGHTER_FACING_RIGHT), "%u: away from it", i);
        cr_assert(does_fire(kind, mirror, FIGHTER_RAW(-150), 0, true, FIGHTER_FACING_LEFT), "%u: with room", i);
        cr_assert(!does_fire(kind, mirror, FIGHTER_RAW(-196) - half, FIGHTER_RAW(30), false, FIGHTER_FACING_RIGHT), "%u: from outside", i);
        cr_assert(does_fire(kind, mirror, FIGHTER_RAW(-196) - half, FIGHTER_RAW(30), false, FIGHTER_FACING_LEFT), "%u: outwards", i);
        cr_assert(!does_fire(kind, mirror, FIGHTER_RAW(80) + half, FIGHTER_RAW(-45), false, FIGHTER_FACING_LEFT), "%u: into the quay", i);
        cr_assert(does_fire(kind, mirror, FIGHTER_RAW(80) + half, FIGHTER_RAW(10), false, FIGHTER_FACING_LEFT), "%u: over the quay", i);
    }
}

// Goal: one that touches two in one tick strikes both.
Test(fighter_shot, strikes_all_it_touches)
{
    Rig rig;
    open_hall(&rig, 3, FIGHTER_KIND_VALE, 16);
    rig_stand(&rig, 0, 0, 0, FIGHTER_FACING_RIGHT);
    rig_stand(&rig, 1, FIGHTER_RAW(120), 0, FIGHTER_FACING_LEFT);
    rig_stand(&rig, 2, FIGHTER_RAW(120), 0, FIGHTER_FACING_LEFT);
    fire(&rig, 0);
    for (int i = 0; i < 30 && rig.seen[FIGHTER_EVENT_HIT] == 0; i++) {
        rig_step(&rig);
    }
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_HIT), 2);
    rig_close(&rig);
}
