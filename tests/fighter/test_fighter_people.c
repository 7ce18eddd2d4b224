// Who is on the stage: where they begin, how they join, how they leave.
#include <criterion/criterion.h>

#include "fighter_data.h"
#include "fighter_rig.h"

static const FighterInput jump = { .buttons = FIGHTER_BUTTON_JUMP };
static const FighterInput rest;

static void check_spread(const Rig *rig, const FighterStage *stage)
{
    uint32_t count = rig->state.fighter_count;
    int32_t gap = (stage->spawn_right - stage->spawn_left) / (int32_t)(count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const Fighter *fighter = &rig->state.fighters[i];
        int32_t before = i == 0 ? stage->spawn_left : rig->state.fighters[i - 1].x.raw;
        int64_t across = (int64_t)fighter->x.raw + rig->state.fighters[count - 1 - i].x.raw;
        cr_assert_leq(llabs(across - ((int64_t)stage->spawn_left + stage->spawn_right)), 1, "%u of %u", i, count);
        cr_assert(fighter->x.raw - before >= gap - 1 && fighter->x.raw - before <= gap + 2, "%u of %u", i, count);
        cr_assert_eq(fighter->y.raw, stage->spawn_y);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_IDLE);
        cr_assert_neq(fighter->surface, 0);
        bool is_on_the_right = i * 2 + 1 > count;
        cr_assert_eq(fighter->facing, is_on_the_right ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT, "looks at the middle");
    }
}

// Goal: every number of fighters stands in order, evenly, on the ground of every stage; 400 x 82 does not fit 16 bits and need not.
Test(fighter_people, spread)
{
    static const uint32_t counts[] = { 0, 1, 2, 3, 8, 80, 81, 82, 99, 100 };
    for (int64_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        for (size_t k = 0; k < TP_COUNT_OF(counts); k++) {
            Rig rig;
            RigConfig config = rig_config();
            config.items[FIGHTER_CONFIG_STAGE] = stage;
            rig_open_with(&rig, counts[k], 1, config);
            rig_step(&rig);
            check_spread(&rig, &fighter_stages[stage]);
            rig_steps(&rig, 3);
            rig_check(&rig);
            rig_close(&rig);
        }
    }
}

// Goal: on a mirrored stage everybody begins at the exact mirror image, whatever the number.
Test(fighter_people, spread_in_the_mirror)
{
    for (uint32_t count = 1; count <= 100; count++) {
        Rig rig;
        Rig image;
        RigConfig config = rig_config();
        config.items[FIGHTER_CONFIG_STAGE] = count % FIGHTER_STAGE_COUNT;
        rig_open_with(&rig, count, 1, config);
        config.items[FIGHTER_CONFIG_MIRROR] = 1;
        rig_open_with(&image, count, 1, config);
        rig_step(&rig);
        rig_step(&image);
        for (uint32_t i = 0; i < count; i++) {
            Fighter expected = rig_mirrored_fighter(&rig.state.fighters[i]);
            cr_assert_eq(memcmp(&expected, &image.state.fighters[i], sizeof(expected)), 0, "%u of %u", i, count);
        }
        rig_close(&rig);
        rig_close(&image);
    }
}

Test(fighter_people, one_too_many)
{
    tp_error error = { "" };
    RigConfig config = rig_config();
    tp_setup setup = { .players = FIGHTER_PLAYERS_MAX + 1, .tick_rate_hz = 60, .config = config.items };
    cr_assert_null(tp_sim_create(&fighter_world, &setup, NULL, &error));
    cr_assert_not_null(strstr(error.text, "0 to 100"), "%s", error.text);
}

// Goal: before the first tick nobody is here: every slot is empty to the last byte.
Test(fighter_people, begins_empty)
{
    Rig rig;
    Fighter nobody = { 0 };
    rig_open(&rig, 3, 1);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(memcmp(&rig.state.fighters[i], &nobody, sizeof(nobody)), 0);
    }
    rig_check(&rig);
    rig_close(&rig);
}

// Goal: the roster of the first tick has not joined: no event, and a jump held from the start is a jump.
Test(fighter_people, first_roster_jumps_at_once)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig.pads[1] = jump;
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), 0);
    cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_JUMP_SQUAT);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_IDLE);
    rig_steps(&rig, 10);
    cr_assert_eq(rig.seen[FIGHTER_EVENT_JUMPED], 1);
    rig_close(&rig);
}

// Goal: a person joins by a press and holds it for as long as it takes. None of that acts; the next press does.
static void join_holding(uint32_t held_ticks, uint16_t buttons)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_set_present(&rig, 1, false);
    rig_steps(&rig, 10);
    rig_set_present(&rig, 1, true);
    rig.pads[1].buttons = buttons;
    for (uint32_t i = 0; i < held_ticks; i++) {
        rig_step(&rig);
        cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_JOINED), i == 0);
        cr_assert_eq(rig.state.fighters[1].action, FIGHTER_ACTION_IDLE, "tick %u of %u", i, held_ticks);
    }
    rig.pads[1] = rest;
    rig_step(&rig);
    rig.pads[1].buttons = buttons;
    rig_step(&rig);
    cr_assert_neq(rig.state.fighters[1].action, FIGHTER_ACTION_IDLE);
    rig_close(&rig);
}

Test(fighter_people, joining_press_is_no_press)
{
    join_holding(1, FIGHTER_BUTTON_JUMP);
    join_holding(5, FIGHTER_BUTTON_JUMP);
    join_holding(600, FIGHTER_BUTTON_JUMP);
    join_holding(5, FIGHTER_BUTTON_ATTACK);
    join_holding(5, FIGHTER_BUTTON_GRAB);
    join_holding(5, FIGHTER_BUTTON_SPECIAL);
}

// Goal: a stick that is held while joining walks, and does not push.
Test(fighter_people, joining_stick_walks)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    rig_set_present(&rig, 0, true);
    rig.pads[0] = (FighterInput){ .stick_x = 127, .c_x = 127, .stick_y = 30 };
    rig_steps(&rig, 2);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_WALK);
    cr_assert_gt(rig.state.fighters[0].velocity_x.raw, 0);
    rig_close(&rig);
}

// Goal: what is held is state: a match that is saved and loaded in the middle of the joining press takes the rest of it for no press.
Test(fighter_people, held_press_is_saved)
{
    Rig rig;
    Rig loaded;
    uint8_t bytes[4096];
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
    rig_steps(&loaded, 8);
    cr_assert_eq(loaded.seen[FIGHTER_EVENT_JUMPED], 0);
    rig_close(&rig);
    rig_close(&loaded);
}

// Goal: who leaves is gone at once, wherever it was: the event says where, the slot keeps the lives that are left and nothing else, and the only
// other one has won.
Test(fighter_people, leaves)
{
    Rig rig;
    Fighter nobody = { .last_match = 1, .stocks = 3 };
    rig_open(&rig, 2, 1);
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = 127 };
    rig_steps(&rig, 12);
    Fighter before = rig.state.fighters[0];
    cr_assert_gt(before.y.raw, 0);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    const FighterPlace *left = rig_event(&rig, FIGHTER_EVENT_LEFT);
    cr_assert_not_null(left);
    cr_assert_eq(left->slot, 0);
    cr_assert_eq(left->x.raw, before.x.raw);
    cr_assert_eq(left->y.raw, before.y.raw);
    cr_assert_eq(memcmp(&rig.state.fighters[0], &nobody, sizeof(nobody)), 0);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER, "one of two is left");
    rig_close(&rig);
}

Test(fighter_people, joins_at_the_beginning)
{
    Rig rig;
    rig_open(&rig, 3, 1);
    rig_step(&rig);
    Fighter begin = rig.state.fighters[0];
    rig.pads[0] = (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = -127 };
    rig_steps(&rig, 10);
    rig_set_present(&rig, 0, false);
    rig_step(&rig);
    rig_set_present(&rig, 0, true);
    rig.pads[0] = rest;
    rig_step(&rig);
    begin.stocks--;
    cr_assert_eq(memcmp(&rig.state.fighters[0], &begin, sizeof(begin)), 0);
    const FighterPlace *joined = rig_event(&rig, FIGHTER_EVENT_JOINED);
    cr_assert_not_null(joined);
    cr_assert_eq(joined->x.raw, begin.x.raw);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_LANDED), 0);
    rig_close(&rig);
}

static void go_and_come_back(Rig *rig, uint32_t slot)
{
    rig_set_present(rig, slot, false);
    rig_steps(rig, 3);
    rig_check(rig);
    rig_set_present(rig, slot, true);
    rig_step(rig);
    rig_check(rig);
}

// Goal: leaving a match costs a life, so that it never ends by coming back, and no match is over because of lives that wait for somebody.
Test(fighter_people, leaving_costs_a_life)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STOCKS] = 2;
    config.items[FIGHTER_CONFIG_REMATCH_S] = 1;
    rig_open_with(&rig, 3, 1, config);
    rig_steps(&rig, 5);
    go_and_come_back(&rig, 0);
    cr_assert_eq(rig.state.fighters[0].stocks, 1);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_IDLE);
    cr_assert_eq(rig.state.fighters[0].last_match, 0);
    go_and_come_back(&rig, 0);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_OUT);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_PLAYING, "two others have lives");
    go_and_come_back(&rig, 0);
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_OUT, "no life is left to lose");
    rig_set_present(&rig, 1, false);
    rig_step(&rig);
    cr_assert_eq(rig.state.match->phase, FIGHTER_PHASE_OVER, "the life that waits in slot 1 does not count");
    cr_assert_eq(rig.state.match->winner, 3);
    rig_steps(&rig, 60);
    cr_assert_eq(rig.state.match->number, 2);
    cr_assert_eq(rig.state.fighters[0].stocks, 2, "a new match is a new one");
    rig_set_present(&rig, 1, true);
    rig_step(&rig);
    cr_assert_eq(rig.state.fighters[1].stocks, 2, "it left the match before");
    rig_check(&rig);
    rig_close(&rig);
}

Test(fighter_people, slots_that_nobody_ever_takes_stay_empty)
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
    uint8_t bytes[4096];
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
    cr_assert_eq(rig.state.fighters[0].action, FIGHTER_ACTION_IDLE);
    rig_close(&rig);
}

// Goal: whoever takes a slot inherits nothing of who had it before: neither the credit for its blows nor what it has in the air.
Test(fighter_people, nothing_is_inherited)
{
    Rig rig;
    rig_open(&rig, 4, 1);
    rig_step(&rig);
    for (uint32_t i = 0; i < 4; i++) {
        FighterProjectileHandle handle = fighter_projectile_create(&rig.state.projectiles);
        FighterProjectile *shot = fighter_projectile_get(&rig.state.projectiles, handle);
        uint32_t owner = i == 1 ? 1 : 2;
        uint32_t kind = (uint32_t)fighter_data_kind_name(&tp_sim_layout(rig.sim)->setup, owner);
        *shot = (FighterProjectile){ .generation = shot->generation, .next_free = shot->next_free, .y = { FIGHTER_RAW(150) },
                                     .velocity_x = { fighter_kinds[kind].shot.speed_x }, .life_ticks = 20, .owner = (uint8_t)owner,
                                     .kind = (uint8_t)kind };
    }
    rig.state.fighters[0].last_hit_by = 3;
    rig.state.fighters[1].last_hit_by = 3;
    rig.state.fighters[3].last_hit_by = 2;
    rig.state.fighters[3].struck[0] = 6;
    rig_check(&rig);
    rig_set_present(&rig, 2, false);
    rig_step(&rig);
    rig_check(&rig);
    cr_assert_eq(rig.state.fighters[0].last_hit_by, 0);
    cr_assert_eq(rig.state.fighters[1].last_hit_by, 0);
    cr_assert_eq(rig.state.fighters[3].last_hit_by, 2, "that one is still here");
    cr_assert_eq(rig.state.fighters[3].struck[0], 2, "who comes next may be struck");
    cr_assert_eq(rig.state.projectiles.head->live, 1);
    cr_assert_eq(rig.state.projectiles.slots[1].owner, 1);
    rig_set_present(&rig, 2, true);
    rig_steps(&rig, 2);
    Fighter *falling = &rig.state.fighters[1];
    falling->surface = 0;
    falling->action = FIGHTER_ACTION_AIR;
    falling->x.raw = FIGHTER_RAW(400);
    rig_step(&rig);
    cr_assert_eq(rig_event_count(&rig, FIGHTER_EVENT_KO), 1);
    cr_assert_eq(rig.state.fighters[2].kos, 0);
    rig_close(&rig);
}
