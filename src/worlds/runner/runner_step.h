// runner_step.h: the parts of one tick, for the files of this room only. They run in the order in which they stand.
#pragma once

#include "runner_state.h"

/// One tick's view of everything: built by the step, borrowed by its parts.
typedef struct RunnerStep {
    RunnerState        state;
    tp_context        *context;
    const tp_tick     *tick;
    const RunnerInput *inputs;
    int32_t            advance; ///< how far the course moves in this tick, Q16.16 units
} RunnerStep;

/// Reports an event and counts it in the state when the tick is full.
void runner_report(RunnerStep *step, RunnerEvent type, const void *data);

/// A slot's record as it is while nobody has it.
void runner_people_reset(Runner *runner);
/// Leaves and joins since the tick before, by presence.
void runner_people_update(RunnerStep *step);

/// Commands in their order.
void runner_command_apply(RunnerStep *step);

/// Starts run number `run + 1` for everybody present.
void runner_course_start(RunnerStep *step);
/// No course and nobody on it.
void runner_course_clear(RunnerStep *step);
/// Moves every entity down; while somebody lives this marks and pays near misses and reports missed coins.
void runner_course_scroll(RunnerStep *step);
/// Lays the rows that are due.
void runner_course_lay(RunnerStep *step);

/// Turns and slides of the living.
void runner_lane_move(RunnerStep *step);

/// All coins of the tick, then the scores, then the crashes.
void runner_touch_take_coins(RunnerStep *step);
void runner_touch_score(RunnerStep *step);
void runner_touch_crash(RunnerStep *step);

/// The world's step.
tp_step_result runner_step(void *block, const tp_tick *tick, tp_context *context);
