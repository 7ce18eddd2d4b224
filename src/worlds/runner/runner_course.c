// runner_course.c: the course and what lies on it: starting, scrolling, laying rows.
#include "runner_step.h"

#include <string.h>

#include "runner_plan.h"

// The pool is cleared and not made anew: handles of the last run stay dead, and the second run of a match uses its
// slots in another order than the first. That is why all of the pool is state.
void runner_course_clear(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    runner_entity_clear(&step->state.entities);
    game->phase = RUNNER_PHASE_READY;
    game->course_tick = 0;
    game->lead_ticks = 0;
    game->row_countdown = (tp_fx){ 0 };
    game->rows_laid = 0;
    game->over_ticks = 0;
}

static void start_runner(Runner *runner, uint32_t run)
{
    uint32_t best = runner->best;
    runner_people_reset(runner);
    runner->status = RUNNER_STATUS_RUNNING;
    runner->best = best;
    runner->last_run = run;
}

void runner_course_start(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    const tp_setup *setup = step->context->setup;
    if (game->run == UINT32_MAX) {
        TP_FAULT(TP_FAULT_CAPACITY, "the last run a match can count has been played");
    }
    if (game->run > 0) {
        runner_plan_next_stream(game, setup->seed);
    }
    runner_course_clear(step);
    game->run++;
    game->phase = RUNNER_PHASE_RUNNING;
    game->lead_ticks = runner_plan_ticks(setup->config[RUNNER_CONFIG_LEAD_MS]);
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        if (step->state.runners[i].status != RUNNER_STATUS_ABSENT) {
            start_runner(&step->state.runners[i], game->run);
        }
    }
    RunnerStarted started = { .run = game->run };
    runner_report(step, RUNNER_EVENT_STARTED, &started);
}

// A block draws level with the runners: those close enough are marked. They are paid only after the block has left
// their band, so nobody is paid for a block and then killed by it.
static void mark_grazes(RunnerStep *step, RunnerEntity *block)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        const Runner *runner = &step->state.runners[i];
        bool can_be_hit = runner->status == RUNNER_STATUS_RUNNING && runner->shield_ticks == 0;
        if (can_be_hit && runner_distance(runner->x.raw, runner_lane_x(block->lane)) < RUNNER_RAW(RUNNER_NEAR_X)) {
            block->grazed = (uint8_t)(block->grazed | 1u << i);
        }
    }
}

static void pay_grazes(RunnerStep *step, RunnerEntity *block)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        Runner *runner = &step->state.runners[i];
        if ((block->grazed & 1u << i) == 0 || runner->status != RUNNER_STATUS_RUNNING) {
            continue;
        }
        uint32_t room = RUNNER_BONUS_MAX - runner->bonus;
        runner->bonus += room < RUNNER_NEAR_MISS_POINTS ? room : RUNNER_NEAR_MISS_POINTS;
        RunnerPlace place = { .slot = i, .x = runner->x, .y = { RUNNER_RAW(RUNNER_PLAYER_Y) } };
        runner_report(step, RUNNER_EVENT_NEAR_MISS, &place);
    }
    block->grazed = 0;
}

// Nobody took it, so everybody who could have loses the combo.
static void miss_coin(RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        Runner *runner = &step->state.runners[i];
        if (runner->status == RUNNER_STATUS_RUNNING) {
            runner->combo = 0;
            RunnerCoinMissed missed = { .slot = i };
            runner_report(step, RUNNER_EVENT_COIN_MISSED, &missed);
        }
    }
}

static bool reaches(int32_t before, int32_t after, int32_t units)
{
    return before < RUNNER_RAW(units) && after >= RUNNER_RAW(units);
}

// Nobody lives while the course drifts, so marks, pay and misses find no one then.
void runner_course_scroll(RunnerStep *step)
{
    RunnerEntityPool *entities = &step->state.entities;
    for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
        RunnerEntity *entity = &entities->slots[i];
        int32_t before = entity->y.raw;
        int32_t after = before + step->advance;
        entity->y.raw = after;
        if (entity->kind == RUNNER_KIND_BLOCK && reaches(before, after, RUNNER_PLAYER_Y)) {
            mark_grazes(step, entity);
        }
        if (entity->kind == RUNNER_KIND_BLOCK && reaches(before, after, RUNNER_PLAYER_Y + RUNNER_HIT_Y)) {
            pay_grazes(step, entity);
        }
        if (after > RUNNER_RAW(RUNNER_DESPAWN_Y)) {
            if (entity->kind == RUNNER_KIND_COIN) {
                miss_coin(step);
            }
            runner_entity_destroy(entities, runner_entity_handle_at(entities, i));
        }
    }
}

// A full pool drops what does not fit and counts it. That is always fair: fewer blocks keep a course solvable.
static void spawn(RunnerStep *step, RunnerKind kind, uint32_t lane, int32_t y)
{
    RunnerEntityPool *entities = &step->state.entities;
    RunnerEntityHandle handle = runner_entity_create(entities);
    RunnerEntity *entity = runner_entity_get(entities, handle);
    if (entity == NULL) {
        runner_count_up(&step->state.game->spawns_dropped);
        return;
    }
    entity->kind = (uint8_t)kind;
    entity->lane = (uint8_t)lane;
    entity->y.raw = y;
}

static uint8_t take_scripted(RunnerScript *script)
{
    uint8_t row = script->rows[0];
    script->count--;
    memmove(script->rows, script->rows + 1, script->count);
    script->rows[script->count] = 0;
    return row;
}

// The planner draws before anything is created and also when a scripted row takes its place: the stream depends
// neither on how full the pool is nor on what an administrator does.
static void lay_row(RunnerStep *step, int32_t overshoot)
{
    RunnerGame *game = step->state.game;
    uint32_t row = runner_plan_row(game, step->context->setup);
    if (step->state.script->count > 0) {
        row = take_scripted(step->state.script);
        runner_count_up(&game->scripted_laid);
    }
    int32_t y = RUNNER_RAW(RUNNER_SPAWN_Y) + overshoot;
    for (uint32_t lane = 0; lane < RUNNER_LANES; lane++) {
        if ((row & 1u << lane) != 0) {
            spawn(step, RUNNER_KIND_BLOCK, lane, y);
        }
    }
    uint32_t coin = (row & RUNNER_ROW_COIN) >> RUNNER_ROW_COIN_SHIFT;
    if (coin != 0) {
        spawn(step, RUNNER_KIND_COIN, coin - 1, y);
    }
    game->row_countdown.raw = runner_plan_spacing(game->course_tick, game->speed_percent) - overshoot;
    TP_ASSERT(game->row_countdown.raw > 0);
    runner_count_up(&game->rows_laid);
}

// Rows keep their exact spacing: one that came due inside a tick is laid as far down as the course went past it.
// Spacings are over 130 units and a tick's advance under 11, so one row a tick is always enough.
void runner_course_lay(RunnerStep *step)
{
    RunnerGame *game = step->state.game;
    if (game->lead_ticks > 0) {
        game->lead_ticks--;
        if (game->lead_ticks == 0) {
            lay_row(step, 0);
        }
        return;
    }
    game->row_countdown.raw -= step->advance;
    if (game->row_countdown.raw <= 0) {
        lay_row(step, -game->row_countdown.raw);
    }
}
