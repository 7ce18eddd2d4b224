// runner_world.c: the world as the host sees it: tables, init, what foreign bytes must satisfy, and the border for
// inputs.
//
// Events of one tick: one start; a turn, a crash and a near miss for each of 8 runners; a taken coin; a missed coin
// for each of 8. Rows lie over 130 units apart, so in one tick at most one row draws level, one leaves the runners'
// band and one leaves the field, each with at most one coin. A runner is paid for at most one block of a row: between
// two neighbouring blocks it is closer than 74 to one of them, which is a crash. That is 1 + 8 + 8 + 8 + 1 + 8 = 34, and
// 64 are kept. Only a forged state can have more; the newest are then dropped, and `events_dropped` says so.
#include "runner_state.h"

#include "runner_bot.h"
#include "runner_observe.h"
#include "runner_plan.h"
#include "runner_step.h"
#include "runner_table.h"
#include "runner_text.h"

const char *const runner_phase_names[RUNNER_PHASE_COUNT] = { "ready", "running", "over" };
const char *const runner_status_names[RUNNER_STATUS_COUNT] = { "absent", "waiting", "running", "crashed" };
const char *const runner_kind_names[RUNNER_KIND_COUNT] = { "block", "coin" };

TP_TABLE(game_fields, RunnerGame, RUNNER_GAME_FIELDS)
TP_TABLE(runner_fields, Runner, RUNNER_RUNNER_FIELDS)
TP_POOL_HEAD_TABLE(entity_pool_fields, "entities")
TP_POOL_TABLE(entity_fields, RunnerEntity, RUNNER_ENTITY_FIELDS, "entities")
TP_TABLE(script_fields, RunnerScript, RUNNER_SCRIPT_FIELDS)

TP_TABLE(input_fields, RunnerInput, RUNNER_INPUT_FIELDS)
TP_TABLE(speed_fields, RunnerSpeedCommand, RUNNER_SPEED_FIELDS)
TP_TABLE(bonus_fields, RunnerBonusCommand, RUNNER_BONUS_FIELDS)
TP_TABLE(started_fields, RunnerStarted, RUNNER_STARTED_FIELDS)
TP_TABLE(lane_changed_fields, RunnerLaneChanged, RUNNER_LANE_CHANGED_FIELDS)
TP_TABLE(coin_taken_fields, RunnerCoinTaken, RUNNER_COIN_TAKEN_FIELDS)
TP_TABLE(coin_missed_fields, RunnerCoinMissed, RUNNER_COIN_MISSED_FIELDS)
TP_TABLE(place_fields, RunnerPlace, RUNNER_PLACE_FIELDS)

static const tp_config_item config[RUNNER_CONFIG_COUNT] = {
    [RUNNER_CONFIG_ENTITIES] = { "entities", "slots", "blocks and coins the course can hold; what does not fit is not laid",
                                 48, 1, 4096 },
    [RUNNER_CONFIG_COIN_PERCENT] = { "coin_percent", "percent", "chance that a row has a coin", 55, 0, 100 },
    [RUNNER_CONFIG_GRACE_MS] = { "grace_ms", "ms", "course time before which a row blocks one lane only",
                                 7000, 0, 600000 },
    [RUNNER_CONFIG_LEAD_MS] = { "lead_ms", "ms", "course time at which the first row is laid", 1800, 250, 10000 },
};

static const tp_section sections[RUNNER_SECTION_COUNT] = {
    [RUNNER_SECTION_GAME] = TP_SECTION("game", RunnerGame, game_fields, NULL, 1, TP_SIM),
    [RUNNER_SECTION_RUNNERS] = TP_SECTION("runners", Runner, runner_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    [RUNNER_SECTION_ENTITY_POOL] = TP_SECTION("entity_pool", tp_pool_head, entity_pool_fields, NULL, 1, TP_SIM),
    [RUNNER_SECTION_ENTITIES] = TP_SECTION("entities", RunnerEntity, entity_fields, "entities", 0, TP_SIM),
    [RUNNER_SECTION_SCRIPT] = TP_SECTION("script", RunnerScript, script_fields, NULL, 1, TP_SIM),
};

static const tp_record_type input =
    TP_RECORD("edges", RunnerInput, input_fields, "presses of this tick: left 1, right 2, confirm 4");

static const tp_record_type commands[RUNNER_COMMAND_COUNT] = {
    [RUNNER_COMMAND_HALT] = TP_RECORD_EMPTY("halt", "stops the match by a fault"),
    [RUNNER_COMMAND_SPEED] = TP_RECORD("speed", RunnerSpeedCommand, speed_fields,
                                       "scales the speed of the course from now on"),
    [RUNNER_COMMAND_ROWS] = TP_RECORD_BYTES("rows", RUNNER_SCRIPT_ROWS_MAX,
                                            "contents of the next rows: blocked lanes + 8 * (coin lane + 1) each"),
    [RUNNER_COMMAND_BONUS] = TP_RECORD("bonus", RunnerBonusCommand, bonus_fields, "gives points to a living runner"),
};

static const tp_record_type events[RUNNER_EVENT_COUNT] = {
    [RUNNER_EVENT_STARTED] = TP_RECORD("started", RunnerStarted, started_fields, "a run began"),
    [RUNNER_EVENT_LANE_CHANGED] = TP_RECORD("lane_changed", RunnerLaneChanged, lane_changed_fields, "a runner turned"),
    [RUNNER_EVENT_COIN] = TP_RECORD("coin", RunnerCoinTaken, coin_taken_fields, "a runner took a coin"),
    [RUNNER_EVENT_COIN_MISSED] = TP_RECORD("coin_missed", RunnerCoinMissed, coin_missed_fields,
                                           "a coin left the field and ended a combo"),
    [RUNNER_EVENT_NEAR_MISS] = TP_RECORD("near_miss", RunnerPlace, place_fields, "a block passed a runner closely"),
    [RUNNER_EVENT_CRASHED] = TP_RECORD("crashed", RunnerPlace, place_fields, "a runner ran into a block"),
};

static const tp_content content[] = {
    { "decay", runner_decay_table, sizeof(runner_decay_table), sizeof(runner_decay_table[0]) },
};

static void init(void *block, tp_context *context)
{
    if (context->setup->tick_rate_hz != RUNNER_TICK_RATE_HZ) {
        TP_FAULT(TP_FAULT_WORLD, "the runner is made for 120 ticks a second: set the tick rate to 120");
    }
    RunnerState state = runner_state_open(block, context);
    state.game->speed_percent = 100;
    runner_plan_seed(state.game, context->setup->seed);
    runner_entity_pool_init(&state.entities);
    for (uint32_t i = 0; i < state.runner_count; i++) {
        runner_people_reset(&state.runners[i]);
    }
}

// A press happens once. The guess for a tick that has not come is therefore that nothing was pressed.
static void predict(const void *last, void *out)
{
    (void)last;
    *(RunnerInput *)out = (RunnerInput){ 0 };
}

static void sanitise(void *border)
{
    RunnerInput *edges = border;
    edges->edges &= RUNNER_EDGES;
}

static const char *validate_runner(const RunnerGame *game, const Runner *runner)
{
    if (runner->score > runner->best) {
        return "a runner's score is above its best";
    }
    if (runner->last_run > game->run) {
        return "a runner's last run has not been started";
    }
    bool is_fresh = runner->combo == 0 && runner->bonus == 0 && runner->score == 0 && runner->shield_ticks == 0 &&
                    runner->coins == 0 && runner->distance == 0 && runner->lane == RUNNER_LANE_MIDDLE &&
                    runner->x.raw == runner_lane_x(RUNNER_LANE_MIDDLE);
    switch ((RunnerStatus)runner->status) {
    case RUNNER_STATUS_ABSENT:
    case RUNNER_STATUS_WAITING:
        return is_fresh && runner->best == 0 ? NULL : "a runner that does not play has played";
    case RUNNER_STATUS_RUNNING:
        if (game->phase != RUNNER_PHASE_RUNNING || runner->last_run != game->run) {
            return "a runner lives outside of a run";
        }
        return NULL;
    case RUNNER_STATUS_CRASHED:
        if (game->phase == RUNNER_PHASE_READY || runner->last_run != game->run) {
            return "a runner crashed outside of a run";
        }
        return runner->combo == 0 && runner->shield_ticks == 0 ? NULL : "a crashed runner kept its combo or its shield";
    case RUNNER_STATUS_COUNT:
        break;
    }
    return "a runner has no status";
}

static const char *validate_game(const RunnerState *state, const tp_setup *setup)
{
    const RunnerGame *game = state->game;
    uint32_t here = 0;
    uint32_t living = 0;
    for (uint32_t i = 0; i < state->runner_count; i++) {
        here += state->runners[i].status != RUNNER_STATUS_ABSENT;
        living += state->runners[i].status == RUNNER_STATUS_RUNNING;
    }
    if ((game->rng_increment & 1) == 0) {
        return "the generator's increment is even";
    }
    bool is_clear = state->entities.head->live == 0 && game->course_tick == 0 && game->lead_ticks == 0 &&
                    game->row_countdown.raw == 0 && game->rows_laid == 0;
    if (game->phase == RUNNER_PHASE_READY && (here != 0 || !is_clear)) {
        return "a course without runners is not clear";
    }
    if (game->phase != RUNNER_PHASE_READY && (here == 0 || game->run == 0)) {
        return "a run nobody started";
    }
    if ((game->phase == RUNNER_PHASE_RUNNING) != (living != 0)) {
        return "a run goes on exactly while somebody lives";
    }
    if (game->phase != RUNNER_PHASE_OVER && game->over_ticks != 0) {
        return "a wait for a restart while the run goes on";
    }
    if (game->lead_ticks > runner_plan_ticks(setup->config[RUNNER_CONFIG_LEAD_MS]) ||
        (game->lead_ticks != 0 && (game->row_countdown.raw != 0 || game->rows_laid != 0))) {
        return "the opening lead does not fit the course";
    }
    if (game->phase != RUNNER_PHASE_READY && game->lead_ticks == 0 && game->row_countdown.raw == 0) {
        return "no next row";
    }
    return NULL;
}

static const char *validate_entities(const RunnerState *state)
{
    const char *fault = runner_entity_pool_validate(&state->entities);
    if (fault != NULL) {
        return fault;
    }
    const RunnerEntityPool *entities = &state->entities;
    for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
        const RunnerEntity *entity = &entities->slots[i];
        if (entity->grazed != 0 && (entity->kind == RUNNER_KIND_COIN || entity->grazed >> state->runner_count != 0)) {
            return "a near miss that no runner or no block can have";
        }
    }
    return NULL;
}

static const char *validate_script(const RunnerScript *script)
{
    for (uint32_t i = 0; i < RUNNER_SCRIPT_ROWS_MAX; i++) {
        if (i < script->count ? !runner_row_is_legal(script->rows[i]) : script->rows[i] != 0) {
            return "a scripted row that no command could have queued";
        }
    }
    return NULL;
}

static const char *validate(const void *block, const tp_context *context)
{
    // Opened for reading only: the view's pointers are not const, since the step shares it.
    const RunnerState state = runner_state_open((void *)(uintptr_t)block, context);
    const char *fault = validate_entities(&state);
    for (uint32_t i = 0; fault == NULL && i < state.runner_count; i++) {
        fault = validate_runner(state.game, &state.runners[i]);
    }
    if (fault == NULL) {
        fault = validate_game(&state, context->setup);
    }
    return fault != NULL ? fault : validate_script(state.script);
}

const tp_world runner_world = {
    .struct_size      = sizeof(tp_world),
    .abi              = TP_WORLD_ABI,
    .name             = "runner",
    .revision         = 1,
    .text             = "lane runner: one to eight runners, three lanes, blocks and coins",
    .tick_rate_hz     = RUNNER_TICK_RATE_HZ,
    .players_min      = 1,
    .players_max      = RUNNER_PLAYERS_MAX,
    .players_standard = 1,
    .config           = config,
    .config_count     = RUNNER_CONFIG_COUNT,
    .sections         = sections,
    .section_count    = RUNNER_SECTION_COUNT,
    .input            = &input,
    .commands         = commands,
    .command_count    = RUNNER_COMMAND_COUNT,
    .events           = events,
    .event_count      = RUNNER_EVENT_COUNT,
    .events_max       = RUNNER_EVENTS_MAX,
    .content          = content,
    .content_count    = TP_COUNT_OF(content),
    .init             = init,
    .step             = runner_step,
    .validate         = validate,
    .predict          = predict,
    .sanitise         = sanitise,
    .describe         = runner_text_describe,
    .observer         = &runner_observer,
    .bot              = &runner_bot,
};
