// fighter_people.c: who is on the stage and where they begin. Presence is an input of the tick like any other, so joins and
// leaves are as repeatable as jumps.
#include "fighter_step.h"

// The width is divided before it is multiplied, since 400 x 82 does not fit. That loses up to a bit a fighter; the right half
// is therefore measured from the right wall, so that both halves are mirror images.
Fighter fighter_people_spawn(const FighterStage *stage, uint32_t slot, uint32_t count)
{
    tp_fx width = tp_fx_sub(stage->right, stage->left);
    tp_fx gap = tp_fx_div_int(width, (int32_t)count + 1);
    Fighter fighter = { .y = stage->floor };
    if (slot * 2 + 1 < count) {
        tp_fx way = tp_fx_mul_int(gap, (int32_t)slot + 1);
        fighter.x = tp_fx_add(stage->left, way);
    } else if (slot * 2 + 1 > count) {
        tp_fx way = tp_fx_mul_int(gap, (int32_t)(count - slot));
        fighter.x = tp_fx_sub(stage->right, way);
    } else {
        tp_fx half = tp_fx_div_int(width, 2);
        fighter.x = tp_fx_add(stage->left, half);
    }
    bool is_on_the_right = slot * 2 + 1 > count;
    fighter.facing = is_on_the_right ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT;
    return fighter;
}

// Who has been here from the first tick on has not joined: it is where init put it, and a jump held in the first tick is
// a jump. Who comes later begins anew, and the press it came with must not become a jump: it counts again
// once it was released, however many ticks that takes.
static void join(FighterStep *step, uint32_t slot, bool is_jump_held)
{
    Fighter *fighter = &step->state.fighters[slot];
    if (step->tick->tick == 0) {
        fighter->seat = FIGHTER_SEAT_PLAYING;
        return;
    }
    *fighter = fighter_people_spawn(step->state.stage, slot, step->state.fighter_count);
    fighter->seat = is_jump_held ? FIGHTER_SEAT_JOINING : FIGHTER_SEAT_PLAYING;
    fighter_report(step, FIGHTER_EVENT_JOINED, slot);
}

void fighter_people_update(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        bool is_here = tp_tick_present(step->tick, i);
        bool was_here = fighter->seat != FIGHTER_SEAT_EMPTY;
        bool is_jump_held = (step->inputs[i].buttons & FIGHTER_BUTTON_JUMP) != 0;
        if (is_here && !was_here) {
            join(step, i, is_jump_held);
        } else if (was_here && !is_here) {
            fighter->seat = FIGHTER_SEAT_EMPTY;
            fighter_report(step, FIGHTER_EVENT_LEFT, i);
        } else if (fighter->seat == FIGHTER_SEAT_JOINING && !is_jump_held) {
            fighter->seat = FIGHTER_SEAT_PLAYING;
        }
    }
}
