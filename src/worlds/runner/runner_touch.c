// runner_touch.c: coins, scores and crashes, one pass each over everybody. Coins come first, so a coin taken in the
// tick of the crash always counts; the crash comes last, so it never hides a coin that lies later in the pool.
#include "runner_step.h"

static bool touches(const Runner *runner, const RunnerEntity *entity, int32_t near_x, int32_t near_y)
{
    return runner_distance(runner->x.raw, runner_lane_x(entity->lane)) < RUNNER_RAW(near_x) &&
           runner_distance(entity->y.raw, RUNNER_RAW(RUNNER_PLAYER_Y)) < RUNNER_RAW(near_y);
}

// Whether `slot` has the better claim to a coin than `other`: closer in x, else the lower score at the start of the
// tick, else the one whose turn comes first; turns go round by one slot a tick, so no slot is favoured.
static bool has_better_claim(const RunnerStep *step, const RunnerEntity *coin, uint32_t slot, uint32_t other)
{
    const Runner *mine = &step->state.runners[slot];
    const Runner *theirs = &step->state.runners[other];
    int32_t my_way = runner_distance(mine->x.raw, runner_lane_x(coin->lane));
    int32_t their_way = runner_distance(theirs->x.raw, runner_lane_x(coin->lane));
    if (my_way != their_way) {
        return my_way < their_way;
    }
    if (mine->score != theirs->score) {
        return mine->score < theirs->score;
    }
    uint32_t count = step->state.runner_count;
    uint32_t first = (uint32_t)(step->state.game->course_tick % count);
    return (slot + count - first) % count < (other + count - first) % count;
}

static void pay_coin(RunnerStep *step, uint32_t slot, const RunnerEntity *coin)
{
    Runner *runner = &step->state.runners[slot];
    if (runner->combo < RUNNER_COMBO_MAX) {
        runner->combo++;
    }
    uint32_t points = (uint32_t)RUNNER_COIN_POINTS * runner->combo;
    uint32_t room = RUNNER_BONUS_MAX - runner->bonus;
    runner->bonus += points < room ? points : room;
    runner_count_up(&runner->coins);
    RunnerCoinTaken taken = {
        .slot = slot, .x = { runner_lane_x(coin->lane) }, .y = coin->y, .combo = runner->combo, .points = points,
    };
    runner_report(step, RUNNER_EVENT_COIN, &taken);
}

void runner_touch_take_coins(RunnerStep *step)
{
    RunnerEntityPool *entities = &step->state.entities;
    for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
        const RunnerEntity *entity = &entities->slots[i];
        if (entity->kind != RUNNER_KIND_COIN) {
            continue;
        }
        uint32_t taker = UINT32_MAX;
        for (uint32_t slot = 0; slot < step->state.runner_count; slot++) {
            const Runner *runner = &step->state.runners[slot];
            if (runner->status != RUNNER_STATUS_RUNNING || !touches(runner, entity, RUNNER_TAKE_X, RUNNER_TAKE_Y)) {
                continue;
            }
            if (taker == UINT32_MAX || has_better_claim(step, entity, slot, taker)) {
                taker = slot;
            }
        }
        if (taker != UINT32_MAX) {
            pay_coin(step, taker, entity);
            runner_entity_destroy(entities, runner_entity_handle_at(entities, i));
        }
    }
}

void runner_touch_score(RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        Runner *runner = &step->state.runners[i];
        if (runner->status != RUNNER_STATUS_RUNNING) {
            continue;
        }
        uint64_t score = (runner->distance >> 16) / RUNNER_UNITS_PER_POINT + runner->bonus;
        runner->score = score < RUNNER_SCORE_MAX ? (uint32_t)score : RUNNER_SCORE_MAX;
        if (runner->best < runner->score) {
            runner->best = runner->score;
        }
    }
}

static bool is_hit(const RunnerStep *step, const Runner *runner)
{
    const RunnerEntityPool *entities = &step->state.entities;
    for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
        const RunnerEntity *entity = &entities->slots[i];
        if (entity->kind == RUNNER_KIND_BLOCK && touches(runner, entity, RUNNER_HIT_X, RUNNER_HIT_Y)) {
            return true;
        }
    }
    return false;
}

void runner_touch_crash(RunnerStep *step)
{
    for (uint32_t i = 0; i < step->state.runner_count; i++) {
        Runner *runner = &step->state.runners[i];
        if (runner->status != RUNNER_STATUS_RUNNING || runner->shield_ticks > 0 || !is_hit(step, runner)) {
            continue;
        }
        runner->status = RUNNER_STATUS_CRASHED;
        runner->combo = 0;
        RunnerPlace place = { .slot = i, .x = runner->x, .y = { RUNNER_RAW(RUNNER_PLAYER_Y) } };
        runner_report(step, RUNNER_EVENT_CRASHED, &place);
    }
}
