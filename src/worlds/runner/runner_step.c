// runner_step.c: the order of one tick. Everything that two runners could fight over is decided in passes over all
// of them (coins, then scores, then crashes), so no outcome depends on the order of slots or of the pool.
#include "runner_step.h"

#include "runner_plan.h"

void runner_report(RunnerStep *step, RunnerEvent type, const void *data)
{
    bool is_kept = tp_emit(step->context, (uint32_t)type, data);
    if (!is_kept) {
        runner_count_up(&step->state.game->events_dropped);
    }
}

static bool somebody_lives(const RunnerState *state)
{
    for (uint32_t i = 0; i < state->runner_count; i++) {
        if (state->runners[i].status == RUNNER_STATUS_RUNNING) {
            return true;
        }
    }
    return false;
}

static bool somebody_is_here(const RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        if (step->state.runners[i].status != RUNNER_STATUS_ABSENT) {
            return true;
        }
    }
    return false;
}

static bool somebody_confirms(const RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        bool is_here = step->state.runners[i].status != RUNNER_STATUS_ABSENT;
        if (is_here && (step->inputs[i].edges & RUNNER_EDGE_CONFIRM) != 0) {
            return true;
        }
    }
    return false;
}

static void end_run_when_all_crashed(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    if (game->phase == RUNNER_PHASE_RUNNING && !somebody_lives(&step->state)) {
        game->phase = RUNNER_PHASE_OVER;
        game->over_ticks = 0;
    }
}

// Changes of the phase that this tick begins with.
static void settle_phase(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    if (!somebody_is_here(step)) {
        if (game->phase != RUNNER_PHASE_READY) {
            runner_course_clear(step);
        }
        return;
    }
    end_run_when_all_crashed(step);
    bool may_confirm = game->phase == RUNNER_PHASE_OVER && game->over_ticks >= RUNNER_CONFIRM_TICKS;
    if (game->phase == RUNNER_PHASE_READY || (may_confirm && somebody_confirms(step))) {
        runner_course_start(step);
    }
}

static void run_tick(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    step->advance = runner_plan_advance(runner_plan_speed(game->course_tick, game->speed_percent));
    runner_lane_move(step);
    runner_course_scroll(step);
    runner_touch_take_coins(step);
    runner_touch_score(step);
    runner_touch_crash(step);
    runner_course_lay(step);
    if (game->course_tick >= (uint64_t)RUNNER_LONG_MAX) {
        TP_FAULT(TP_FAULT_OVERFLOW, "the course clock is at its end");
    }
    game->course_tick++;
    end_run_when_all_crashed(step);
}

// Nobody lives: the course slows down and runs empty. It lays no rows, since nobody is left to play them.
static void drift_tick(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    int32_t full = runner_plan_advance(runner_plan_speed(game->course_tick, game->speed_percent));
    step->advance = full * RUNNER_DRIFT_PERCENT / 100;
    runner_course_scroll(step);
    if (game->over_ticks < RUNNER_CONFIRM_TICKS) {
        game->over_ticks++;
    }
}

tp_step_result runner_step(void *block, const tp_tick *tick, tp_context *context)
{
    RunnerStep step = {
        .state = runner_state_open(block, context), .context = context, .tick = tick, .inputs = tick->inputs,
    };
    TP_ASSERT(tick->players == step.state.runner_count);
    runner_people_update(&step);
    runner_command_apply(&step);
    settle_phase(&step);
    switch ((RunnerPhase)step.state.game->phase) {
    case RUNNER_PHASE_READY:
        break;
    case RUNNER_PHASE_RUNNING:
        run_tick(&step);
        break;
    case RUNNER_PHASE_OVER:
        drift_tick(&step);
        break;
    case RUNNER_PHASE_COUNT:
        TP_FAULT(TP_FAULT_ASSERT, "no such phase");
    }
    return TP_STEP_OK;
}
