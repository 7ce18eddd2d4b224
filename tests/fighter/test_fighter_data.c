// The tables as the rules find them: whole, mirrored, and three kinds that are three. What is in the file is the script's test.
#include <criterion/criterion.h>

#include <string.h>

#include "fighter_data.h"

static const int64_t standard_config[FIGHTER_CONFIG_COUNT] = { 1, 0, 4, 480, 5, 100, 16, 0, 1, 2, 0, 1, 2, 0, 1 };

Test(fighter_data, stage_by_config)
{
    int64_t config[FIGHTER_CONFIG_COUNT];
    memcpy(config, standard_config, sizeof(config));
    tp_setup setup = { .players = 2, .config = config };
    for (int64_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        for (int64_t mirror = 0; mirror < 2; mirror++) {
            config[FIGHTER_CONFIG_STAGE] = stage;
            config[FIGHTER_CONFIG_MIRROR] = mirror;
            cr_assert_eq(fighter_data_stage(&setup), &fighter_stages[stage + mirror * FIGHTER_STAGE_COUNT]);
        }
    }
}

// Goal: eight config items serve a hundred slots.
Test(fighter_data, kind_by_slot)
{
    tp_setup setup = { .players = 100, .config = standard_config };
    for (uint32_t slot = 0; slot < 100; slot++) {
        int64_t kind = standard_config[FIGHTER_CONFIG_FIGHTER_1 + slot % 8];
        cr_assert_eq(fighter_data_kind_name(&setup, slot), kind, "slot %u", slot);
        cr_assert_eq(fighter_data_kind(&setup, slot), &fighter_kinds[kind]);
    }
}

Test(fighter_data, names_are_there_and_differ)
{
    for (uint32_t i = 0; i < FIGHTER_ACTION_COUNT; i++) {
        cr_assert_not_null(fighter_action_names[i]);
        for (uint32_t k = 0; k < i; k++) {
            cr_assert_str_neq(fighter_action_names[i], fighter_action_names[k]);
        }
    }
    cr_assert_str_eq(fighter_action_names[FIGHTER_ACTION_TECH], "tech");
    cr_assert_str_eq(fighter_kind_names[FIGHTER_KIND_BOAR], "boar");
    cr_assert_str_eq(fighter_stage_names[2], "harbour");
    cr_assert_str_eq(fighter_facing_names[FIGHTER_FACING_LEFT], "left");
    cr_assert_str_eq(fighter_phase_names[FIGHTER_PHASE_OVER], "over");
}

static int32_t opposite(int32_t kind)
{
    if (kind == FIGHTER_SURFACE_WALL_LEFT) {
        return FIGHTER_SURFACE_WALL_RIGHT;
    }
    return kind == FIGHTER_SURFACE_WALL_RIGHT ? FIGHTER_SURFACE_WALL_LEFT : kind;
}

static void check_mirror(const FighterStage *a, const FighterStage *b)
{
    cr_assert(a->blast_left == -b->blast_right && a->blast_right == -b->blast_left);
    cr_assert(a->blast_top == b->blast_top && a->blast_bottom == b->blast_bottom);
    cr_assert(a->spawn_left == -b->spawn_right && a->spawn_right == -b->spawn_left && a->spawn_y == b->spawn_y);
    cr_assert(a->respawn_x == -b->respawn_x && a->respawn_y == b->respawn_y);
    cr_assert_eq(a->surface_count, b->surface_count);
    for (int32_t i = 0; i < a->surface_count; i++) {
        const FighterSurface *s = &a->surfaces[i];
        const FighterSurface *t = &b->surfaces[i];
        cr_assert(s->x0 == -t->x1 && s->x1 == -t->x0 && s->y0 == t->y0 && s->y1 == t->y1, "surface %d", i);
        cr_assert_eq(s->kind, opposite(t->kind), "surface %d", i);
    }
    cr_assert_eq(a->ledge_count, b->ledge_count);
    for (int32_t i = 0; i < a->ledge_count; i++) {
        cr_assert(a->ledges[i].x == -b->ledges[i].x && a->ledges[i].y == b->ledges[i].y && a->ledges[i].side == -b->ledges[i].side);
    }
}

Test(fighter_data, mirror_images)
{
    for (uint32_t i = 0; i < FIGHTER_STAGE_COUNT; i++) {
        check_mirror(&fighter_stages[i], &fighter_stages[FIGHTER_STAGE_COUNT + i]);
    }
}

// Goal: hall and terrace are their own mirror images but for the order of surfaces, and the harbour is not, so that a rule
// which forgets the mirror shows itself.
Test(fighter_data, harbour_is_lopsided)
{
    cr_assert_neq(fighter_stages[2].spawn_left, fighter_stages[5].spawn_left);
    cr_assert_eq(fighter_stages[0].spawn_left, fighter_stages[3].spawn_left);
    cr_assert_eq(fighter_stages[1].spawn_left, fighter_stages[4].spawn_left);
}

// Goal: strikes are one unbroken run of rows, each of one action, all of them inside the action and in use.
Test(fighter_data, every_strike_has_an_action)
{
    int32_t next = 0;
    for (uint32_t kind = 0; kind < FIGHTER_KIND_COUNT; kind++) {
        for (uint32_t action = 0; action < FIGHTER_ACTION_COUNT; action++) {
            const FighterFrames *frames = &fighter_kinds[kind].actions[action];
            cr_assert_eq(frames->first_strike, frames->strike_count > 0 ? next : 0, "%s", fighter_action_names[action]);
            for (int32_t i = 0; i < frames->strike_count; i++) {
                const FighterStrike *strike = &fighter_strikes[next];
                cr_assert(strike->first_tick >= 1 && strike->first_tick <= strike->last_tick && strike->last_tick <= frames->ticks);
                cr_assert(strike->capsule.radius > 0 && strike->part >= 1);
                next++;
            }
        }
    }
    cr_assert_lt(next, FIGHTER_STRIKES_MAX);
    for (uint32_t i = (uint32_t)next; i < FIGHTER_STRIKES_MAX; i++) {
        cr_assert_eq(fighter_strikes[i].last_tick, 0);
    }
}

// Goal: the full hop of the first kind is the first revision's jump: 68 units at tick 16, the floor again in tick 33.
Test(fighter_data, vale_jumps_as_ever)
{
    static const int32_t heights[4] = { 524288, 1015808, 1474560, 1900544 };
    const FighterKind *vale = &fighter_kinds[FIGHTER_KIND_VALE];
    int32_t y = 0;
    int32_t speed = vale->jump_speed;
    for (int32_t tick = 1; tick <= 33; tick++) {
        y += speed;
        speed = speed - vale->gravity > -vale->fall_speed ? speed - vale->gravity : -vale->fall_speed;
        cr_assert(tick > 4 || y == heights[tick - 1]);
        cr_assert(tick != 16 || y == FIGHTER_RAW(68));
        cr_assert_eq(y == 0, tick == 33, "tick %d", tick);
    }
    cr_assert_eq(vale->walk_speed, FIGHTER_RAW(3));
    cr_assert_geq(vale->ground_acceleration, 2 * vale->walk_speed, "at once, even from the other way");
}

// Goal: no two kinds share a number of the body, a length of an attack, or a strike.
Test(fighter_data, kinds_differ)
{
    for (uint32_t a = 0; a < FIGHTER_KIND_COUNT; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const FighterKind *one = &fighter_kinds[a];
            const FighterKind *other = &fighter_kinds[b];
            cr_assert(one->weight != other->weight && one->walk_speed != other->walk_speed && one->jump_speed != other->jump_speed);
            cr_assert(one->gravity != other->gravity && one->height != other->height && one->half_width != other->half_width);
            cr_assert(one->shot.speed_x != other->shot.speed_x && one->shot.strike.damage != other->shot.strike.damage);
            for (uint32_t action = FIGHTER_ACTION_JAB; action <= FIGHTER_ACTION_AERIAL_DOWN; action++) {
                const FighterStrike *strike = &fighter_strikes[one->actions[action].first_strike];
                const FighterStrike *against = &fighter_strikes[other->actions[action].first_strike];
                cr_assert_neq(one->actions[action].ticks, other->actions[action].ticks, "%s", fighter_action_names[action]);
                cr_assert_neq(memcmp(strike, against, sizeof(*strike)), 0, "%s", fighter_action_names[action]);
            }
        }
    }
}

// Goal: no speed of the tables alone leaves the range of the state, even with all of them at once.
Test(fighter_data, speeds_stay_in_the_state)
{
    const int32_t limit = FIGHTER_RAW(FIGHTER_SPEED_MAX) / 4;
    for (uint32_t kind = 0; kind < FIGHTER_KIND_COUNT; kind++) {
        const FighterKind *k = &fighter_kinds[kind];
        cr_assert(k->run_speed <= limit && k->dash_speed <= limit && k->air_speed <= limit && k->fast_fall_speed <= limit);
        for (uint32_t action = 0; action < FIGHTER_ACTION_COUNT; action++) {
            const FighterFrames *frames = &k->actions[action];
            cr_assert(frames->move_x <= limit && frames->move_x >= -limit && frames->move_y <= limit && frames->move_y >= -limit);
        }
    }
}
