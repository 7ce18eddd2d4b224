// runner_people.c: who is on the course. Presence is an input of the tick like any other, so joins and leaves are as
// repeatable as turns.
#include "runner_step.h"

void runner_people_reset(Runner *runner)
{
    uint32_t last_run = runner->last_run;
    *runner = (Runner){
        .status   = RUNNER_STATUS_ABSENT,
        .lane     = RUNNER_LANE_MIDDLE,
        .x        = { runner_lane_x(RUNNER_LANE_MIDDLE) },
        .last_run = last_run,
    };
}

// Near misses that were not paid yet belong to who has left, not to who takes the slot next.
static void forget_grazes(RunnerStep *step, uint32_t slot)
{
    RunnerEntityPool *entities = &step->state.entities;
    for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
        entities->slots[i].grazed = (uint8_t)(entities->slots[i].grazed & ~(1u << slot));
    }
}

// A slot lives once in a run, or leaving and coming back would undo a crash. Who comes to a course under way gets a
// moment in which nothing hits, since the next row may be too close to have been seen.
static void join(const RunnerGame *game, Runner *runner)
{
    bool plays_now = game->phase == RUNNER_PHASE_RUNNING && runner->last_run != game->run;
    if (plays_now) {
        runner->status = RUNNER_STATUS_RUNNING;
        runner->last_run = game->run;
        runner->shield_ticks = RUNNER_SHIELD_TICKS;
    } else {
        runner->status = RUNNER_STATUS_WAITING;
    }
}

void runner_people_update(RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        Runner *runner = &step->state.runners[i];
        bool is_here = tp_tick_present(step->tick, i);
        bool was_here = runner->status != RUNNER_STATUS_ABSENT;
        if (was_here && !is_here) {
            runner_people_reset(runner);
            forget_grazes(step, i);
        }
        if (is_here && !was_here) {
            join(step->state.game, runner);
        }
    }
}
