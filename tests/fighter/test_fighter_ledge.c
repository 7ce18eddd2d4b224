// Ledges: who catches one, where it puts a fighter, how it is left.
#include <criterion/criterion.h>

#include "fighter_rig.h"
#include "fighter_solo.h"
#include "tickproof/rng.h"

enum { TERRACE = 1, HARBOUR = 2 };

static const FighterKind *const vale = &fighter_kinds[FIGHTER_KIND_VALE];

/// A fighter right of the terrace's right ledge (150, 0) that has moved from there by (dx, dy).
static void fall_past(Solo *solo, uint32_t count, int64_t x, int64_t y, int64_t dx, int64_t dy)
{
    solo_open(solo, count, &fighter_stages[TERRACE], vale);
    for (uint32_t i = 0; i < count; i++) {
        solo_throw(solo, i, FIGHTER_RAW(150) + x, y, dx, dy);
    }
}

static void move_and_catch(Solo *solo)
{
    solo_clear(solo);
    fighter_collide_move(&solo->step);
    fighter_ledge_catch(&solo->step);
}

// Goal: what a catch does: hangs under the corner, looks at the stage, is still, has its jumps and a guard.
Test(fighter_ledge, catch)
{
    for (uint32_t i = 0; i < 2; i++) {
        Solo solo;
        int64_t side = i == 0 ? -1 : 1;
        solo_open(&solo, 1, &fighter_stages[TERRACE], vale);
        solo_throw(&solo, 0, side * FIGHTER_RAW(160), -FIGHTER_RAW(5), -side * 1000, -FIGHTER_RAW(8));
        Fighter *fighter = &solo.fighters[0];
        fighter->jumps_left = 0;
        fighter->is_fast_falling = 1;
        move_and_catch(&solo);
        cr_assert_eq(fighter->action, FIGHTER_ACTION_LEDGE_HANG);
        cr_assert_eq(fighter->ledge, i + 1);
        cr_assert_eq(fighter->x.raw, side * FIGHTER_RAW(159), "a half width outside of the corner");
        cr_assert_eq(fighter->y.raw, -FIGHTER_RAW(32), "its height under it");
        cr_assert_eq(fighter->facing, i == 0 ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT);
        cr_assert(fighter->velocity_x.raw == 0 && fighter->velocity_y.raw == 0 && fighter->is_fast_falling == 0);
        cr_assert_eq(fighter->jumps_left, vale->air_jumps);
        cr_assert_eq(fighter->guard_ticks, 30);
        cr_assert_eq(solo.events[FIGHTER_EVENT_LEDGE], 1);
    }
}

// Goal: who does not catch: one row, one reason.
Test(fighter_ledge, no_catch)
{
    for (uint32_t row = 0; row < 11; row++) {
        Solo solo;
        fall_past(&solo, 1, FIGHTER_RAW(10), -FIGHTER_RAW(5), 0, -FIGHTER_RAW(2));
        Fighter *fighter = &solo.fighters[0];
        switch (row) {
        case 1: fighter->velocity_y.raw = 1; break;                     // rises
        case 2: fighter->ledge_wait_ticks = 1; break;                   // has just let go
        case 3: solo.step.pads[0].stick_y = -37; break;                 // pulls down
        case 4: fighter->action = FIGHTER_ACTION_AERIAL_BACK; break;    // strikes
        case 5: fighter->action = FIGHTER_ACTION_TUMBLE; break;         // has been struck
        case 6: fighter->action = FIGHTER_ACTION_AIR_DODGE; break;      // dodges
        case 7: fighter->x.raw += FIGHTER_RAW(11); break;               // too far out: 21 of 20
        case 8: fighter->y.raw -= FIGHTER_RAW(36); break;               // too far down
        case 9: fighter->y.raw = FIGHTER_RAW(3); break;                 // still above it
        case 10: solo.step.is_frozen[0] = true; break;                  // frozen
        default: break;
        }
        move_and_catch(&solo);
        cr_assert_eq(fighter->action == FIGHTER_ACTION_LEDGE_HANG, row == 0, "row %u", row);
    }
}

// Goal: falling fast does not fall past: the reach is 48 high, the way down up to 80, and where it passes it catches.
Test(fighter_ledge, catch_is_swept)
{
    uint32_t caught = 0;
    for (int64_t from = -60; from <= 120; from++) {
        for (int64_t speed = 1; speed <= 80; speed += 3) {
            Solo solo;
            fall_past(&solo, 1, FIGHTER_RAW(12), FIGHTER_RAW(from), 0, -FIGHTER_RAW(speed));
            move_and_catch(&solo);
            bool is_past = from - speed + 16 <= 24 && from + 16 >= -24 && from - speed < 0;
            cr_assert_eq(solo.fighters[0].action == FIGHTER_ACTION_LEDGE_HANG, is_past, "from %lld by %lld", (long long)from, (long long)speed);
            caught += is_past;
        }
    }
    cr_assert_gt(caught, 2000, "%u", caught);
}

// The middle's way in sixty-fourths, each of them looked at.
static bool walks_by(const Fighter *fighter, int64_t x, int64_t y, int64_t dx, int64_t dy)
{
    for (int64_t i = 0; i <= 4096; i++) {
        int64_t at_x = x * 4096 + dx * i - (int64_t)FIGHTER_RAW(150) * 4096;
        int64_t at_y = (y + vale->height / 2) * 4096 + dy * i;
        bool is_near_x = at_x <= (int64_t)vale->ledge_reach_x * 4096 && at_x >= -(int64_t)vale->ledge_reach_x * 4096;
        bool is_near_y = at_y <= (int64_t)vale->ledge_reach_y * 4096 && at_y >= -(int64_t)vale->ledge_reach_y * 4096;
        if (is_near_x && is_near_y) {
            return fighter->x.raw >= FIGHTER_RAW(150) && fighter->y.raw < 0;
        }
    }
    return false;
}

// Goal: slanting ways agree with a walk in 4096 steps; ways that differ only in less than one of its steps are few and may.
Test(fighter_ledge, slanting_ways)
{
    tp_pcg32 noise = tp_pcg32_make(3, 4);
    uint32_t caught = 0;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        int64_t x = FIGHTER_RAW(150) + (int64_t)tp_pcg32_below(&noise, FIGHTER_RAW(80));
        int64_t y = (int64_t)tp_pcg32_below(&noise, FIGHTER_RAW(120)) - FIGHTER_RAW(60);
        int64_t dx = (int64_t)tp_pcg32_below(&noise, FIGHTER_RAW(120)) - FIGHTER_RAW(60);
        int64_t dy = -(int64_t)tp_pcg32_below(&noise, FIGHTER_RAW(60));
        Solo solo;
        fall_past(&solo, 1, x - FIGHTER_RAW(150), y, dx, dy);
        fighter_collide_move(&solo.step);
        Fighter moved = solo.fighters[0];
        fighter_ledge_catch(&solo.step);
        if (moved.action != FIGHTER_ACTION_AIR || moved.x.raw != x + dx || moved.y.raw != y + dy) {
            continue; // the stage was in its way
        }
        bool has_caught = solo.fighters[0].action == FIGHTER_ACTION_LEDGE_HANG;
        bool is_by = walks_by(&moved, x, y, dx, dy);
        cr_assert(has_caught || !is_by, "way %u walks by and does not catch", i);
        differ += has_caught != is_by;
        caught += has_caught;
    }
    cr_assert_leq(differ, 2);
    cr_assert_gt(caught, 200, "%u", caught);
}

// Goal: one ledge has room for one. Two that come together both miss it, in whichever slots; one that holds it keeps it.
Test(fighter_ledge, taken)
{
    Solo solo;
    fall_past(&solo, 3, FIGHTER_RAW(10), -FIGHTER_RAW(5), 0, -FIGHTER_RAW(2));
    solo.fighters[1].x.raw = 0;
    solo.fighters[1].y.raw = FIGHTER_RAW(200);
    move_and_catch(&solo);
    cr_assert(solo.fighters[0].ledge == 0 && solo.fighters[2].ledge == 0);
    solo.fighters[2].ledge_wait_ticks = 9;
    move_and_catch(&solo);
    cr_assert_eq(solo.fighters[0].ledge, 2);
    solo.fighters[2].ledge_wait_ticks = 0;
    move_and_catch(&solo);
    cr_assert_eq(solo.fighters[2].ledge, 0);
    fighter_action_start(&solo.step, 0, FIGHTER_ACTION_AIR);
    solo.fighters[0].ledge_wait_ticks = 9;
    move_and_catch(&solo);
    cr_assert_eq(solo.fighters[2].ledge, 2, "free again");
}

// Goal: of two ledges the nearer; of two as near none, or a mirror image would have to choose the other one.
Test(fighter_ledge, two_in_reach)
{
    FighterStage stage = { .ledge_count = 2, .ledges = { { 0, 0, 1 }, { FIGHTER_RAW(20), 0, -1 } } };
    for (int32_t x = 1; x < 20; x++) {
        Solo solo;
        solo_open(&solo, 1, &stage, vale);
        solo_throw(&solo, 0, FIGHTER_RAW(x), -FIGHTER_RAW(20), 0, -1000);
        move_and_catch(&solo);
        cr_assert_eq(solo.fighters[0].ledge, x < 10 ? 1 : x > 10 ? 2 : 0, "at %d", x);
    }
}

// Goal: the climb goes up beside the wall and then over the corner: at no tick is the body in the block. Every kind, both stages, every ledge.
Test(fighter_ledge, climb)
{
    for (uint32_t i = 0; i < 2 * FIGHTER_STAGE_COUNT * FIGHTER_KIND_COUNT; i++) {
        const FighterStage *stage = &fighter_stages[i / FIGHTER_KIND_COUNT];
        const FighterKind *kind = &fighter_kinds[i % FIGHTER_KIND_COUNT];
        for (int32_t k = 0; k < stage->ledge_count; k++) {
            const FighterLedge *ledge = &stage->ledges[k];
            Solo solo;
            solo_open(&solo, 1, stage, kind);
            Fighter *fighter = &solo.fighters[0];
            solo_throw(&solo, 0, ledge->x + ledge->side * FIGHTER_RAW(5), ledge->y - FIGHTER_RAW(10), 0, -1);
            solo_tick(&solo);
            cr_assert_eq(fighter->ledge, k + 1);
            for (uint32_t tick = 0; tick < 9; tick++) {
                solo_tick(&solo);
            }
            solo.step.pads[0].stick_y = 60;
            solo_tick(&solo);
            cr_assert_eq(fighter->action, FIGHTER_ACTION_LEDGE_CLIMB);
            solo.step.pads[0].stick_y = 0;
            int32_t last_y = fighter->y.raw;
            while (fighter->action == FIGHTER_ACTION_LEDGE_CLIMB) {
                bool is_outside = ledge->side * (fighter->x.raw - ledge->x) >= 0;
                cr_assert(is_outside || fighter->y.raw == ledge->y, "in the corner");
                cr_assert_geq(fighter->y.raw, last_y);
                last_y = fighter->y.raw;
                solo_tick(&solo);
            }
            cr_assert_eq(fighter->action, FIGHTER_ACTION_IDLE);
            cr_assert_eq(fighter->y.raw, ledge->y);
            cr_assert_eq(fighter->x.raw, ledge->x - ledge->side * kind->half_width);
            cr_assert_neq(fighter->surface, 0);
            const FighterSurface *floor = &stage->surfaces[fighter->surface - 1];
            cr_assert(floor->x0 <= fighter->x.raw && floor->x1 >= fighter->x.raw && floor->y0 == ledge->y);
        }
    }
}

// Goal: the stick that caught a ledge does not leave it at once; after that each way does what it should.
Test(fighter_ledge, ways_to_leave)
{
    static const struct {
        FighterInput  pad;
        FighterAction action;
    } rows[] = {
        { { .stick_x = -60 }, FIGHTER_ACTION_LEDGE_CLIMB }, { { .stick_y = 60 }, FIGHTER_ACTION_LEDGE_CLIMB },
        { { .stick_x = 60 }, FIGHTER_ACTION_AIR },          { { .stick_y = -60 }, FIGHTER_ACTION_AIR },
        { { .buttons = FIGHTER_BUTTON_JUMP }, FIGHTER_ACTION_AIR },
        { { .buttons = FIGHTER_BUTTON_ATTACK }, FIGHTER_ACTION_LEDGE_HANG },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Solo solo;
        fall_past(&solo, 1, FIGHTER_RAW(10), -FIGHTER_RAW(5), 0, -FIGHTER_RAW(2));
        Fighter *fighter = &solo.fighters[0];
        solo_tick(&solo);
        uint32_t ticks = 0;
        for (; ticks < 20 && fighter->action == FIGHTER_ACTION_LEDGE_HANG; ticks++) {
            bool is_button = rows[i].pad.buttons != 0;
            solo.step.pads[0] = is_button && ticks < 10 ? (FighterInput){ 0 } : rows[i].pad;
            solo_tick(&solo);
        }
        cr_assert_eq(fighter->action, rows[i].action, "row %zu", i);
        cr_assert_geq(ticks, 9, "row %zu: %u", i, ticks);
        bool lets_go = rows[i].action == FIGHTER_ACTION_AIR;
        cr_assert_eq(fighter->ledge_wait_ticks, lets_go ? 29 : 0, "row %zu", i);
        cr_assert_eq(fighter->ledge == 0, lets_go);
    }
}

// Goal: of two that come to one ledge together the nearer takes it, in whichever slot: by a single bit, sideways or up; equally near, nobody.
Test(fighter_ledge, nearer_takes_it)
{
    static const struct { int32_t x, y; } aways[] = { { 1, 0 }, { FIGHTER_RAW(5), 0 }, { 0, -1 }, { 0, -FIGHTER_RAW(9) }, { 0, 0 } };
    for (uint32_t i = 0; i < 2 * TP_COUNT_OF(aways); i++) {
        Solo solo;
        uint32_t far = i % 2;
        fall_past(&solo, 2, FIGHTER_RAW(10), -FIGHTER_RAW(20), 0, -FIGHTER_RAW(2));
        solo.fighters[far].x.raw += aways[i / 2].x;
        solo.fighters[far].y.raw += aways[i / 2].y;
        move_and_catch(&solo);
        bool is_even = aways[i / 2].x == 0 && aways[i / 2].y == 0;
        cr_assert_eq(solo.fighters[far].ledge, 0, "row %u", i);
        cr_assert_eq(solo.fighters[1 - far].ledge, is_even ? 0 : 2, "row %u", i);
    }
}

// Goal: two equally near do not hand the ledge to a third one that is further away, and a nearer third one takes it.
Test(fighter_ledge, three_at_one)
{
    for (uint32_t third = 0; third < 3; third++) {
        for (int32_t more = -1; more <= 1; more += 2) {
            Solo solo;
            fall_past(&solo, 3, FIGHTER_RAW(10), -FIGHTER_RAW(20), 0, -FIGHTER_RAW(2));
            solo.fighters[third].x.raw += more;
            move_and_catch(&solo);
            for (uint32_t i = 0; i < 3; i++) {
                cr_assert_eq(solo.fighters[i].ledge, i == third && more < 0 ? 2 : 0, "slot %u of %u", i, third);
            }
        }
    }
}

// Goal: a catch does not shorten a guard.
Test(fighter_ledge, longer_guard_goes_on)
{
    Solo solo;
    fall_past(&solo, 1, FIGHTER_RAW(10), -FIGHTER_RAW(5), 0, -FIGHTER_RAW(2));
    solo.fighters[0].guard_ticks = 100;
    move_and_catch(&solo);
    cr_assert_eq(solo.fighters[0].action, FIGHTER_ACTION_LEDGE_HANG);
    cr_assert_eq(solo.fighters[0].guard_ticks, 100);
}

static void catch_again(Rig *rig)
{
    Fighter *fighter = &rig->state.fighters[0];
    for (int i = 0; i < 200; i++) {
        bool is_free = fighter->action == FIGHTER_ACTION_AIR;
        bool does_drop = fighter->action == FIGHTER_ACTION_LEDGE_HANG && fighter->action_tick >= 9;
        bool does_jump = is_free && fighter->jumps_left == fighter_kinds[0].air_jumps && fighter->y.raw < -FIGHTER_RAW(70);
        rig->pads[0] = (FighterInput){ .buttons = does_jump ? FIGHTER_BUTTON_JUMP : 0, .stick_y = does_drop ? -60 : 0 };
        rig_step(rig);
        rig_check(rig);
        if (rig_event_count(rig, FIGHTER_EVENT_LEDGE) > 0) {
            return;
        }
    }
    cr_assert_fail("it did not come back to the ledge");
}

static void put_beside_ledge(Rig *rig)
{
    Fighter *fighter = &rig->state.fighters[0];
    fighter->action = FIGHTER_ACTION_AIR;
    fighter->surface = 0;
    fighter->ledge = fighter->ledge_wait_ticks = 0;
    fighter->x.raw = FIGHTER_RAW(160);
    fighter->y.raw = -FIGHTER_RAW(10);
    fighter->velocity_y.raw = -1;
}

// Goal: who drops, jumps in the air and catches again and again is guarded the first time only; standing and being struck give the guard back.
Test(fighter_ledge, guards_once)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_step(&rig);
    const Fighter *fighter = &rig.state.fighters[0];
    put_beside_ledge(&rig);
    catch_again(&rig);
    cr_assert_eq(fighter->guard_ticks, FIGHTER_LEDGE_GUARD);
    for (int i = 0; i < 3; i++) {
        catch_again(&rig);
        cr_assert_eq(fighter->guard_ticks, 0, "catch %d", i + 2);
    }
    rig_steps(&rig, 9);
    rig.pads[0] = (FighterInput){ .stick_y = 60 };
    for (int i = 0; i < 60 && fighter->action != FIGHTER_ACTION_IDLE; i++) {
        rig_step(&rig);
        rig.pads[0] = (FighterInput){ 0 };
    }
    cr_assert_eq(fighter->action, FIGHTER_ACTION_IDLE);
    cr_assert_eq(fighter->is_guard_spent, 0, "it stands");
    put_beside_ledge(&rig);
    catch_again(&rig);
    cr_assert_eq(fighter->guard_ticks, FIGHTER_LEDGE_GUARD);
    rig_steps(&rig, 40);
    rig_stand(&rig, 1, FIGHTER_RAW(150) - FIGHTER_RAW(1), 0, FIGHTER_FACING_RIGHT);
    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    FighterStep step = { .state = rig.state, .context = &context };
    FighterStrike strike = { .angle = 45 };
    FighterBlow blow = { .strike = &strike, .by = 1, .damage = { FIGHTER_RAW(3) }, .knockback = { FIGHTER_RAW(10) } };
    fighter_launch_apply(&step, 0, &blow);
    cr_assert_eq(fighter->is_guard_spent, 0, "it was struck");
    rig_close(&rig);
}

// Goal: coming down to a floor gives the guard back as well.
Test(fighter_ledge, landing_gives_the_guard_back)
{
    Solo solo;
    solo_open(&solo, 1, &fighter_stages[TERRACE], vale);
    solo_throw(&solo, 0, 0, FIGHTER_RAW(1), 0, -FIGHTER_RAW(3));
    solo.fighters[0].is_guard_spent = 1;
    fighter_collide_move(&solo.step);
    cr_assert_neq(solo.fighters[0].surface, 0);
    cr_assert_eq(solo.fighters[0].is_guard_spent, 0);
}
