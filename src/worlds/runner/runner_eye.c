// runner_eye.c: entities of one height are one row.
#include "runner_eye.h"

#include "runner_plan.h"

// Finds the row of this height or makes room for it in order; NULL when it lies behind all that are kept.
static RunnerEyeRow *row_at(RunnerEye *eye, int32_t y)
{
    uint32_t place = 0;
    while (place < eye->row_count && eye->rows[place].y > y) {
        place++;
    }
    if (place < eye->row_count && eye->rows[place].y == y) {
        return &eye->rows[place];
    }
    if (place == RUNNER_EYE_ROWS) {
        return NULL;
    }
    if (eye->row_count < RUNNER_EYE_ROWS) {
        eye->row_count++;
    }
    for (uint32_t i = eye->row_count - 1; i > place; i--) {
        eye->rows[i] = eye->rows[i - 1];
    }
    eye->rows[place] = (RunnerEyeRow){ .y = y };
    return &eye->rows[place];
}

RunnerEye runner_eye_look(const tp_view *view, uint32_t slot)
{
    const RunnerGame *game = tp_view_section(view, RUNNER_SECTION_GAME);
    const Runner *runner = (const Runner *)tp_view_section(view, RUNNER_SECTION_RUNNERS) + slot;
    const RunnerEntity *entities = tp_view_section(view, RUNNER_SECTION_ENTITIES);
    RunnerEye eye = {
        .x       = runner->x.raw,
        .advance = runner_plan_advance(runner_plan_speed(game->course_tick, game->speed_percent)),
        .lane    = runner->lane,
        .phase   = game->phase,
        .status  = runner->status,
    };
    for (uint32_t i = 0; i < view->section_count[RUNNER_SECTION_ENTITIES]; i++) {
        bool is_live = entities[i].generation % 2 == 1;
        if (!is_live || entities[i].y.raw >= RUNNER_RAW(RUNNER_PLAYER_Y + RUNNER_HIT_Y)) {
            continue;
        }
        RunnerEyeRow *row = row_at(&eye, entities[i].y.raw);
        if (row == NULL) {
            continue;
        }
        uint32_t bit = 1u << entities[i].lane;
        if (entities[i].kind == RUNNER_KIND_BLOCK) {
            row->blocks = (uint8_t)(row->blocks | bit);
        } else {
            row->coins = (uint8_t)(row->coins | bit);
        }
    }
    return eye;
}
