// runner_lane.c: turning and sliding.
#include "runner_step.h"

// Left and right in one tick cancel; pushing into the wall is nothing.
static void turn(RunnerStep *step, uint32_t slot)
{
    Runner *runner = &step->state.runners[slot];
    uint8_t edges = step->inputs[slot].edges;
    bool goes_left = (edges & RUNNER_EDGE_LEFT) != 0;
    bool goes_right = (edges & RUNNER_EDGE_RIGHT) != 0;
    uint32_t from = runner->lane;
    uint32_t to = from;
    if (goes_left && !goes_right && from > 0) {
        to = from - 1;
    }
    if (goes_right && !goes_left && from + 1 < RUNNER_LANES) {
        to = from + 1;
    }
    if (to == from) {
        return;
    }
    runner->lane = (uint8_t)to;
    RunnerLaneChanged changed = { .slot = slot, .from = (uint16_t)from, .to = (uint16_t)to, .x = runner->x };
    runner_report(step, RUNNER_EVENT_LANE_CHANGED, &changed);
}

// Constant speed, and the last tick stops on the centre; a turn on the way takes effect at once.
static void slide(Runner *runner)
{
    int32_t goal = runner_lane_x(runner->lane);
    int32_t way = runner_distance(runner->x.raw, goal);
    int32_t part = way < RUNNER_SLIDE_RAW ? way : RUNNER_SLIDE_RAW;
    runner->x.raw += goal > runner->x.raw ? part : -part;
}

void runner_lane_move(RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        Runner *runner = &step->state.runners[i];
        if (runner->status != RUNNER_STATUS_RUNNING) {
            continue;
        }
        turn(step, i);
        slide(runner);
        if (runner->shield_ticks > 0) {
            runner->shield_ticks--;
        }
        if (runner->distance > (uint64_t)RUNNER_LONG_MAX - (uint64_t)step->advance) {
            TP_FAULT(TP_FAULT_OVERFLOW, "a runner's distance is at its end");
        }
        runner->distance += (uint64_t)step->advance;
    }
}
