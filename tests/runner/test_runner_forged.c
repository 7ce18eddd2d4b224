// Foreign states: random ones, and real ones with a few bytes changed. What is refused is refused with a reason; what is
// accepted can be stepped, whatever it does.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "runner_rig.h"

static const int64_t tiny[RUNNER_CONFIG_COUNT] = { 6, 55, 7000, 1800 };

typedef struct Forger {
    Rig      rig;
    uint8_t *real;
    uint8_t *bytes;
    size_t   size;
    uint32_t accepted;
} Forger;

static void open_forger(Forger *forger, uint32_t ticks)
{
    rig_open(&forger->rig, 3, 4, tiny);
    rig_seat_bots(&forger->rig, 2, 24);
    rig_steps(&forger->rig, ticks);
    forger->rig.has_bots = false;
    size_t capacity = tp_sim_encoded_max(forger->rig.sim);
    forger->real = malloc(capacity);
    forger->bytes = malloc(capacity);
    cr_assert(tp_sim_encode(forger->rig.sim, forger->real, capacity, &forger->size));
}

static void close_forger(Forger *forger)
{
    free(forger->real);
    free(forger->bytes);
    rig_close(&forger->rig);
}

// A sim that faulted goes no further, so it is made anew.
static void try_state(Forger *forger)
{
    tp_error error = { "" };
    if (!tp_sim_decode(forger->rig.sim, forger->bytes, forger->size, 7, 0, 0, &error)) {
        cr_assert_neq(error.text[0], '\0');
        return;
    }
    forger->accepted++;
    for (uint32_t i = 0; i < 30; i++) {
        const uint8_t inputs[3] = { (uint8_t)(i % 8), (uint8_t)(i % 3), RUNNER_EDGE_CONFIRM };
        tp_row row = { .presence = forger->rig.presence, .inputs = inputs };
        if (tp_sim_step(forger->rig.sim, &row, &error) != TP_SIM_OK) {
            rig_close(&forger->rig);
            rig_open(&forger->rig, 3, 4, tiny);
            return;
        }
    }
}

Test(runner_forged, random_states)
{
    Forger forger = { 0 };
    open_forger(&forger, 500);
    tp_pcg32 noise = tp_pcg32_make(11, 1);
    for (uint32_t i = 0; i < 10000; i++) {
        for (size_t k = 0; k < forger.size; k++) {
            forger.bytes[k] = (uint8_t)tp_pcg32_next(&noise);
        }
        try_state(&forger);
    }
    cr_assert_eq(forger.accepted, 0);
    close_forger(&forger);
}

// Goal: changes that keep most of a state real, so that many get past the ranges and some past everything.
static void change_real_states(uint32_t ticks, uint64_t seed, uint32_t count)
{
    Forger forger = { 0 };
    open_forger(&forger, ticks);
    tp_pcg32 noise = tp_pcg32_make(seed, 2);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(forger.bytes, forger.real, forger.size);
        uint32_t changes = 1 + tp_pcg32_below(&noise, 4);
        for (uint32_t k = 0; k < changes; k++) {
            uint32_t at = tp_pcg32_below(&noise, (uint32_t)forger.size);
            uint32_t value = tp_pcg32_next(&noise);
            uint32_t how = tp_pcg32_below(&noise, 3);
            forger.bytes[at] = how == 0 ? (uint8_t)value : (uint8_t)(forger.bytes[at] ^ 1u << value % 8);
        }
        try_state(&forger);
    }
    cr_assert_gt(forger.accepted, count / 100, "only %u accepted: nothing was tried", forger.accepted);
    cr_assert_lt(forger.accepted, count, "nothing was refused");
    close_forger(&forger);
}

Test(runner_forged, changed_states_of_play) { change_real_states(900, 21, 6000); }
Test(runner_forged, changed_states_of_later_runs) { change_real_states(7777, 22, 6000); }
Test(runner_forged, changed_first_states) { change_real_states(0, 23, 2000); }

static int64_t between(tp_pcg32 *noise, int64_t low, int64_t high)
{
    uint64_t upper = tp_pcg32_next(noise);
    uint64_t lower = tp_pcg32_next(noise);
    return low + (int64_t)((upper << 32 | lower) % (uint64_t)(high - low + 1));
}

// Everything a range allows and no cross-check forbids, up to clocks and distances at their ends.
static void distort(RunnerState *state, tp_pcg32 *noise)
{
    state->game->course_tick = (uint64_t)between(noise, RUNNER_LONG_MAX - 20, RUNNER_LONG_MAX) >> between(noise, 0, 61);
    state->game->speed_percent = (uint16_t)between(noise, 50, 200);
    state->game->row_countdown.raw = (int32_t)between(noise, 1, RUNNER_RAW(1024));
    state->game->lead_ticks = 0;
    state->game->rows_laid = UINT32_MAX;
    state->game->events_dropped = UINT32_MAX;
    state->game->spawns_dropped = UINT32_MAX - 1;
    for (uint32_t i = 0; i < state->runner_count; i++) {
        Runner *runner = &state->runners[i];
        if (runner->status == RUNNER_STATUS_RUNNING) {
            runner->lane = (uint8_t)between(noise, 0, 2);
            runner->x.raw = (int32_t)between(noise, runner_lane_x(0), runner_lane_x(2));
            runner->combo = (uint8_t)between(noise, 0, 8);
            runner->bonus = (uint32_t)between(noise, RUNNER_BONUS_MAX - 300, RUNNER_BONUS_MAX);
            runner->best = RUNNER_SCORE_MAX;
            runner->score = (uint32_t)between(noise, 0, RUNNER_SCORE_MAX);
            runner->shield_ticks = (uint32_t)between(noise, 0, RUNNER_SHIELD_TICKS);
            runner->coins = UINT32_MAX;
            runner->distance = (uint64_t)between(noise, RUNNER_LONG_MAX - 5000000, RUNNER_LONG_MAX);
        }
    }
    RunnerEntityPool *entities = &state->entities;
    for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
        RunnerEntity *entity = &entities->slots[i];
        entity->kind = (uint8_t)between(noise, 0, 1);
        entity->lane = (uint8_t)between(noise, 0, 2);
        entity->y.raw = (int32_t)between(noise, RUNNER_RAW(RUNNER_SPAWN_Y), RUNNER_RAW(RUNNER_DESPAWN_Y));
        entity->grazed = entity->kind == RUNNER_KIND_BLOCK ? (uint8_t)between(noise, 0, 7) : 0;
    }
}

// Goal: states at the ends of every range are accepted, and stepped without harm: they play on, or fault.
Test(runner_forged, states_at_the_ends_of_their_ranges)
{
    Forger forger = { 0 };
    open_forger(&forger, 900);
    tp_pcg32 noise = tp_pcg32_make(24, 2);
    tp_error error = { "" };
    for (uint32_t i = 0; i < 2000; i++) {
        cr_assert(tp_sim_decode(forger.rig.sim, forger.real, forger.size, 7, 0, 0, &error), "%s", error.text);
        distort(&forger.rig.state, &noise);
        cr_assert(tp_sim_encode(forger.rig.sim, forger.bytes, tp_sim_encoded_max(forger.rig.sim), &forger.size));
        try_state(&forger);
    }
    cr_assert_eq(forger.accepted, 2000);
    close_forger(&forger);
}

// Goal: more events than a tick can keep: the state counts what was lost, and the step goes on.
Test(runner_forged, burst_of_events_is_counted)
{
    const int64_t large[RUNNER_CONFIG_COUNT] = { 200, 55, 7000, 1800 };
    Rig rig;
    rig_open(&rig, 1, 4, large);
    rig_step(&rig);
    rig_clear_course(&rig);
    for (uint32_t i = 0; i < 100; i++) {
        rig_put(&rig, RUNNER_KIND_COIN, 1, RUNNER_RAW(510));
    }
    rig_step(&rig);
    tp_view view = tp_sim_view(rig.sim);
    cr_assert_eq(view.event_count, RUNNER_EVENTS_MAX);
    cr_assert_eq(rig.state.game->events_dropped, 100 - RUNNER_EVENTS_MAX);
    cr_assert_eq(rig.state.runners[0].coins, 100, "what is not told is done all the same");
    rig_close(&rig);
}

static void refuse(Rig *rig, const char *why)
{
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    const char *text = runner_world.validate(tp_sim_state(rig->sim), &context);
    cr_assert_not_null(text, "expected: %s", why);
    cr_assert_str_eq(text, why);
}

Test(runner_forged, lies_across_fields)
{
    Rig rig;
    rig_open(&rig, 2, 4, NULL);
    rig_steps(&rig, 400);
    RunnerGame game = *rig.state.game;
    Runner runner = rig.state.runners[0];

    rig.state.game->rng_increment--;
    refuse(&rig, "the generator's increment is even");
    *rig.state.game = game;

    rig.state.runners[0].best = rig.state.runners[0].score - 1;
    refuse(&rig, "a runner's score is above its best");
    rig.state.runners[0] = runner;

    rig.state.game->phase = RUNNER_PHASE_OVER;
    refuse(&rig, "a runner lives outside of a run");
    *rig.state.game = game;

    rig.state.game->over_ticks = 1;
    refuse(&rig, "a wait for a restart while the run goes on");
    *rig.state.game = game;

    rig.state.game->row_countdown.raw = 0;
    refuse(&rig, "no next row");
    *rig.state.game = game;

    rig.state.entities.slots[runner_entity_first(&rig.state.entities)].grazed = 4;
    refuse(&rig, "a near miss that no runner or no block can have");
    rig.state.entities.slots[runner_entity_first(&rig.state.entities)].grazed = 0;

    rig.state.script->rows[0] = 1;
    refuse(&rig, "a scripted row that no command could have queued");
    rig.state.script->rows[0] = 0;

    rig.state.entities.head->live++;
    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    cr_assert_not_null(runner_world.validate(tp_sim_state(rig.sim), &context));
    rig.state.entities.head->live--;
    cr_assert_null(runner_world.validate(tp_sim_state(rig.sim), &context));
    rig_close(&rig);
}
