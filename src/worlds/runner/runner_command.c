// runner_command.c: what an administrator may do. A command that is not from the host, has the wrong size or a value
// out of its range changes nothing and is counted; it never takes effect in part.
#include "runner_step.h"

#include <string.h>

static bool set_speed(RunnerStep *step, const tp_command *command)
{
    RunnerSpeedCommand speed;
    if (command->size != sizeof(speed)) {
        return false;
    }
    memcpy(&speed, command->data, sizeof(speed));
    if (speed.percent < RUNNER_SPEED_PERCENT_MIN || speed.percent > RUNNER_SPEED_PERCENT_MAX) {
        return false;
    }
    step->state.game->speed_percent = speed.percent;
    return true;
}

static bool queue_rows(RunnerStep *step, const tp_command *command)
{
    RunnerScript *script = step->state.script;
    const uint8_t *rows = command->data;
    if (command->size == 0 || command->size > RUNNER_SCRIPT_ROWS_MAX - script->count) {
        return false;
    }
    for (uint32_t i = 0; i < command->size; i++) {
        if (!runner_row_is_legal(rows[i])) {
            return false;
        }
    }
    memcpy(script->rows + script->count, rows, command->size);
    script->count += command->size;
    return true;
}

static bool give_bonus(RunnerStep *step, const tp_command *command)
{
    RunnerBonusCommand bonus;
    if (command->size != sizeof(bonus)) {
        return false;
    }
    memcpy(&bonus, command->data, sizeof(bonus));
    if (bonus.slot >= step->state.runner_count || bonus.points > RUNNER_GRANT_MAX) {
        return false;
    }
    Runner *runner = &step->state.runners[bonus.slot];
    if (runner->status != RUNNER_STATUS_RUNNING) {
        return false;
    }
    uint32_t room = RUNNER_BONUS_MAX - runner->bonus;
    runner->bonus += bonus.points < room ? bonus.points : room;
    return true;
}

static bool apply(RunnerStep *step, const tp_command *command)
{
    if (command->source != TP_SOURCE_HOST || (command->data == NULL && command->size != 0)) {
        return false;
    }
    switch ((RunnerCommand)command->type) {
    case RUNNER_COMMAND_HALT:
        if (command->size == 0) {
            TP_FAULT(TP_FAULT_WORLD, "halted by the administrator");
        }
        return false;
    case RUNNER_COMMAND_SPEED:
        return set_speed(step, command);
    case RUNNER_COMMAND_ROWS:
        return queue_rows(step, command);
    case RUNNER_COMMAND_BONUS:
        return give_bonus(step, command);
    case RUNNER_COMMAND_COUNT:
        return false;
    }
    return false;
}

void runner_command_apply(RunnerStep *step)
{
    for (uint32_t i = 0; i < step->tick->command_count; i++) {
        bool is_applied = apply(step, &step->tick->commands[i]);
        if (!is_applied) {
            runner_count_up(&step->state.game->commands_ignored);
        }
    }
}
