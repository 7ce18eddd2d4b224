#include "runner_rig.h"

#include <criterion/criterion.h>

#include "runner_plan.h"

void rig_open(Rig *rig, uint32_t players, uint64_t seed, const int64_t *config)
{
    tp_error error;
    tp_setup setup = { .seed = seed, .players = players, .tick_rate_hz = RUNNER_TICK_RATE_HZ, .config = config };
    *rig = (Rig){ .players = players, .presence = { (uint8_t)((1u << players) - 1) } };
    rig->sim = tp_sim_create(&runner_world, &setup, NULL, &error);
    cr_assert_not_null(rig->sim, "%s", error.text);
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    rig->state = runner_state_open(tp_sim_state(rig->sim), &context);
}

void rig_close(Rig *rig)
{
    tp_sim_destroy(rig->sim);
}

void rig_seat_bots(Rig *rig, uint64_t seed, uint32_t delay_ticks)
{
    rig->has_bots = true;
    for (uint32_t i = 0; i < rig->players; i++) {
        runner_bot.init(&rig->bots[i], &tp_sim_layout(rig->sim)->setup, i, seed, delay_ticks);
    }
}

void rig_command(Rig *rig, uint32_t source, RunnerCommand type, const void *data, uint16_t size)
{
    cr_assert_lt(rig->command_count, 4);
    rig->commands[rig->command_count] = (tp_command){ .source = source, .type = (uint16_t)type, .size = size, .data = data };
    rig->command_count++;
}

void rig_step(Rig *rig)
{
    if (rig->has_bots) {
        tp_view view = tp_sim_view(rig->sim);
        for (uint32_t i = 0; i < rig->players; i++) {
            RunnerInput input;
            runner_bot.play(&rig->bots[i], &view, &input);
            rig->inputs[i] = (rig->presence[0] >> i & 1) != 0 ? input.edges : 0;
        }
    }
    tp_error error = { "" };
    tp_row row = {
        .presence = rig->presence, .inputs = rig->inputs, .command_count = rig->command_count, .commands = rig->commands,
    };
    tp_sim_status status = tp_sim_step(rig->sim, &row, &error);
    cr_assert_eq(status, TP_SIM_OK, "tick %llu: %s", (unsigned long long)tp_sim_tick(rig->sim), error.text);
    memset(rig->inputs, 0, sizeof(rig->inputs));
    rig->command_count = 0;
}

void rig_steps(Rig *rig, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        rig_step(rig);
    }
}

uint32_t rig_event_count(const Rig *rig, RunnerEvent type)
{
    tp_view view = tp_sim_view(rig->sim);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.event_count; i++) {
        count += view.events[i].type == (uint32_t)type;
    }
    return count;
}

const void *rig_event(const Rig *rig, RunnerEvent type)
{
    tp_view view = tp_sim_view(rig->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        if (view.events[i].type == (uint32_t)type) {
            return view.events[i].data;
        }
    }
    return NULL;
}

void rig_clear_course(Rig *rig)
{
    runner_entity_clear(&rig->state.entities);
    rig->state.game->lead_ticks = 0;
    rig->state.game->row_countdown.raw = RUNNER_RAW(1024);
}

uint32_t rig_put(Rig *rig, RunnerKind kind, uint32_t lane, int32_t y_raw)
{
    RunnerEntityHandle handle = runner_entity_create(&rig->state.entities);
    RunnerEntity *entity = runner_entity_get(&rig->state.entities, handle);
    cr_assert_not_null(entity);
    entity->kind = (uint8_t)kind;
    entity->lane = (uint8_t)lane;
    entity->y.raw = y_raw;
    return handle.index;
}

int32_t rig_advance(const Rig *rig)
{
    const RunnerGame *game = rig->state.game;
    return runner_plan_advance(runner_plan_speed(game->course_tick, game->speed_percent));
}
