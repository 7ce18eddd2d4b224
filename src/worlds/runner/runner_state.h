// runner_state.h: the state as field tables. Four things steer the next tick: the game (course clock, run, speed,
// generator), the runners, the pool of blocks and coins, and rows queued by an administrator.
#pragma once

#include "runner.h"

#include "tickproof/pool.h"

/// Sections, in the order of the world's table.
typedef enum RunnerSection {
    RUNNER_SECTION_GAME        = 0,
    RUNNER_SECTION_RUNNERS     = 1,
    RUNNER_SECTION_ENTITY_POOL = 2,
    RUNNER_SECTION_ENTITIES    = 3,
    RUNNER_SECTION_SCRIPT      = 4,
    RUNNER_SECTION_COUNT       = 5,
} RunnerSection;

/// READY: nobody is here and there is no course. RUNNING: at least one runner lives. OVER: none does; the course
/// drifts until somebody confirms.
typedef enum RunnerPhase {
    RUNNER_PHASE_READY   = 0,
    RUNNER_PHASE_RUNNING = 1,
    RUNNER_PHASE_OVER    = 2,
    RUNNER_PHASE_COUNT   = 3,
} RunnerPhase;
extern const char *const runner_phase_names[RUNNER_PHASE_COUNT];

/// ABSENT: the slot is free. WAITING: here, and plays from the next run on. RUNNING: lives. CRASHED: was in this run.
typedef enum RunnerStatus {
    RUNNER_STATUS_ABSENT  = 0,
    RUNNER_STATUS_WAITING = 1,
    RUNNER_STATUS_RUNNING = 2,
    RUNNER_STATUS_CRASHED = 3,
    RUNNER_STATUS_COUNT   = 4,
} RunnerStatus;
extern const char *const runner_status_names[RUNNER_STATUS_COUNT];

typedef enum RunnerKind { RUNNER_KIND_BLOCK = 0, RUNNER_KIND_COIN = 1, RUNNER_KIND_COUNT = 2 } RunnerKind;
extern const char *const runner_kind_names[RUNNER_KIND_COUNT];

// Half of what 64 bits hold: far beyond any course, and sums with a tick's worth on top cannot wrap.
#define RUNNER_LONG_MAX (INT64_C(1) << 62)
#define RUNNER_LEAD_TICKS_MAX 1200

#define RUNNER_GAME_FIELDS(S, F, A, H)                                                                    \
    F(S, u8, phase, "phase", TP_ENUM(RUNNER_PHASE_COUNT, runner_phase_names))                             \
    F(S, u8, padding, "zero", TP_ZERO)                                                                    \
    F(S, u16, speed_percent, "percent", TP_RANGE(RUNNER_SPEED_PERCENT_MIN, RUNNER_SPEED_PERCENT_MAX))     \
    F(S, u32, run, "runs", TP_ANY)                                                                        \
    F(S, u64, course_tick, "ticks", TP_RANGE(0, RUNNER_LONG_MAX))                                         \
    F(S, u64, rng_state, "bits", TP_ANY)                                                                  \
    F(S, u64, rng_increment, "bits", TP_ANY)                                                              \
    F(S, u32, lead_ticks, "ticks", TP_RANGE(0, RUNNER_LEAD_TICKS_MAX))                                    \
    F(S, fx, row_countdown, "units", TP_RANGE(0, RUNNER_RAW(1024)))                                       \
    F(S, u32, rows_laid, "rows", TP_ANY)                                                                  \
    F(S, u32, over_ticks, "ticks", TP_RANGE(0, RUNNER_CONFIRM_TICKS))                                     \
    F(S, u32, spawns_dropped, "count", TP_ANY)                                                            \
    F(S, u32, events_dropped, "count", TP_ANY)                                                            \
    F(S, u32, commands_ignored, "count", TP_ANY)                                                          \
    F(S, u32, scripted_laid, "rows", TP_ANY)
/// `run` is the number of runs started. `course_tick` counts ticks of this run while somebody lived. Counters stop
/// at their largest value.
TP_STRUCT(RunnerGame, RUNNER_GAME_FIELDS)

#define RUNNER_RUNNER_FIELDS(S, F, A, H)                                                                  \
    F(S, u8, status, "status", TP_ENUM(RUNNER_STATUS_COUNT, runner_status_names))                         \
    F(S, u8, lane, "lane", TP_RANGE(0, RUNNER_LANES - 1))                                                 \
    F(S, u8, combo, "count", TP_RANGE(0, RUNNER_COMBO_MAX))                                               \
    F(S, u8, padding, "zero", TP_ZERO)                                                                    \
    F(S, fx, x, "units", RUNNER_X_RANGE)                                                                  \
    F(S, u32, bonus, "points", TP_RANGE(0, RUNNER_BONUS_MAX))                                             \
    F(S, u32, score, "points", TP_RANGE(0, RUNNER_SCORE_MAX))                                             \
    F(S, u32, best, "points", TP_RANGE(0, RUNNER_SCORE_MAX))                                              \
    F(S, u32, shield_ticks, "ticks", TP_RANGE(0, RUNNER_SHIELD_TICKS))                                    \
    F(S, u32, last_run, "runs", TP_ANY)                                                                   \
    F(S, u32, coins, "count", TP_ANY)                                                                     \
    F(S, u64, distance, "1/65536 units", TP_RANGE(0, RUNNER_LONG_MAX))
/// `lane` is where the runner is going, `x` where it is. `last_run` is the last run this slot took part in and
/// survives leaving: one life per slot and run.
TP_STRUCT(Runner, RUNNER_RUNNER_FIELDS)

#define RUNNER_ENTITY_FIELDS(S, F, A, H)                                                                  \
    F(S, u8, kind, "kind", TP_ENUM(RUNNER_KIND_COUNT, runner_kind_names))                                 \
    F(S, u8, lane, "lane", TP_RANGE(0, RUNNER_LANES - 1))                                                 \
    F(S, u8, grazed, "slots", TP_ANY)                                                                     \
    F(S, u8, padding, "zero", TP_ZERO)                                                                    \
    F(S, fx, y, "units", RUNNER_Y_RANGE)
/// `grazed` has a bit for every runner that was close when the block drew level and is paid once it has passed.
TP_POOL_DECLARE(RunnerEntity, runner_entity, RUNNER_ENTITY_FIELDS, "entities")

#define RUNNER_SCRIPT_FIELDS(S, F, A, H)                                    \
    F(S, u32, count, "rows", TP_RANGE(0, RUNNER_SCRIPT_ROWS_MAX))           \
    A(S, u8, rows, RUNNER_SCRIPT_ROWS_MAX, "row", TP_RANGE(0, 31))          \
    F(S, u32, padding, "zero", TP_ZERO)
/// Rows to lay before the planner's own, first at index 0; those past `count` are zero.
TP_STRUCT(RunnerScript, RUNNER_SCRIPT_FIELDS)

_Static_assert(sizeof(RunnerGame) == 64, "RunnerGame grew: raise the world's revision");
_Static_assert(sizeof(Runner) == 40, "Runner grew: raise the world's revision");
_Static_assert(sizeof(RunnerEntity) == 16, "RunnerEntity grew: raise the world's revision");
_Static_assert(sizeof(RunnerScript) == 72, "RunnerScript grew: raise the world's revision");

/// The block as typed pointers: a view of one step, never kept.
typedef struct RunnerState {
    RunnerGame      *game;
    Runner          *runners;
    uint32_t         runner_count;
    RunnerEntityPool entities;
    RunnerScript    *script;
} RunnerState;

static inline RunnerState runner_state_open(void *block, const tp_context *context)
{
    return (RunnerState){
        .game         = tp_section_at(context, block, RUNNER_SECTION_GAME),
        .runners      = tp_section_at(context, block, RUNNER_SECTION_RUNNERS),
        .runner_count = context->section_count[RUNNER_SECTION_RUNNERS],
        .entities     = { .head     = tp_section_at(context, block, RUNNER_SECTION_ENTITY_POOL),
                          .slots    = tp_section_at(context, block, RUNNER_SECTION_ENTITIES),
                          .capacity = context->section_count[RUNNER_SECTION_ENTITIES] },
        .script       = tp_section_at(context, block, RUNNER_SECTION_SCRIPT),
    };
}

/// |a - b| of two places on or near the board.
static inline int32_t runner_distance(int32_t a, int32_t b)
{
    return a > b ? a - b : b - a;
}

static inline void runner_count_up(uint32_t *counter)
{
    *counter += *counter != UINT32_MAX;
}
