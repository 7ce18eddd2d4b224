// fighter_step.h: the parts of one tick, for the files of this room only. They run in the order in which they stand.
#pragma once

#include "fighter_state.h"

/// One tick's view of everything: built by the step, borrowed by its parts.
typedef struct FighterStep {
    FighterState        state;
    tp_context         *context;
    const tp_tick      *tick;
    const FighterInput *inputs;
    tp_fx               from_x[FIGHTER_PLAYERS_MAX]; ///< where each fighter stood before it moved
} FighterStep;

/// Reports what happened to a fighter, and where it is now.
void fighter_report(FighterStep *step, FighterEvent type, uint32_t slot);

/// Where the fighter of a slot begins: on the floor, evenly spread, looking at the middle. Seat and all else are zero.
Fighter fighter_people_spawn(const FighterStage *stage, uint32_t slot, uint32_t count);
/// Leaves and joins since the tick before, by presence.
void fighter_people_update(FighterStep *step);

/// Sticks to velocities, and jumps.
void fighter_move_steer(FighterStep *step);
/// Gravity, then velocities to places.
void fighter_move_integrate(FighterStep *step);
/// Floor and walls.
void fighter_move_collide(FighterStep *step);
/// Labels, from all the layers above.
void fighter_move_resolve(FighterStep *step);

/// What a fighter in this place and with these velocities is doing.
FighterLabel fighter_move_label(const FighterStage *stage, const Fighter *fighter);

/// The world's step.
tp_step_result fighter_step(void *block, const tp_tick *tick, tp_context *context);
