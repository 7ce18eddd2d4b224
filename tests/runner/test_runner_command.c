// What an administrator may do, and what happens to commands that are not right.
#include <criterion/criterion.h>

#include "runner_rig.h"
#include "runner_step.h"

static void open_clear(Rig *rig, uint32_t players)
{
    rig_open(rig, players, 1, NULL);
    rig_step(rig);
    rig_clear_course(rig);
}

Test(runner_command, halt_is_a_fault)
{
    Rig rig;
    open_clear(&rig, 1);
    tp_command halt = { .source = TP_SOURCE_HOST, .type = RUNNER_COMMAND_HALT };
    tp_row row = { .presence = rig.presence, .inputs = rig.inputs, .command_count = 1, .commands = &halt };
    tp_error error;
    cr_assert_eq(tp_sim_step(rig.sim, &row, &error), TP_SIM_FAULTED);
    cr_assert_eq(tp_sim_fault(rig.sim)->code, TP_FAULT_WORLD);
    cr_assert_str_eq(tp_sim_fault(rig.sim)->what, "halted by the administrator");
    cr_assert_eq(tp_sim_tick(rig.sim), 1);
    rig_close(&rig);
}

Test(runner_command, speed_counts_from_its_tick)
{
    Rig rig;
    open_clear(&rig, 1);
    int32_t normal = rig_advance(&rig);
    uint64_t before = rig.state.runners[0].distance;
    const uint8_t fast[2] = { 200, 0 };
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_SPEED, fast, 2);
    rig_step(&rig);
    cr_assert_eq(rig.state.game->speed_percent, 200);
    int64_t moved = (int64_t)(rig.state.runners[0].distance - before);
    cr_assert(moved >= 2 * normal && moved <= 2 * normal + 1);
    rig_close(&rig);
}

Test(runner_command, scripted_rows_come_next)
{
    Rig rig;
    rig_open(&rig, 1, 1, NULL);
    const uint8_t rows[3] = { 5 | 2 << 3, 0, 1 };
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, rows, 3);
    rig_steps(&rig, 216);
    cr_assert_eq(rig.state.script->count, 2);
    cr_assert_eq(rig.state.entities.head->live, 3);
    tp_view view = tp_sim_view(rig.sim);
    RunnerEye eye = runner_eye_look(&view, 0);
    cr_assert_eq(eye.rows[0].blocks, 5);
    cr_assert_eq(eye.rows[0].coins, 2);
    rig_close(&rig);
}

// Goal: a script replaces what is laid, never what is drawn.
Test(runner_command, scripted_rows_leave_the_stream_alone)
{
    Rig scripted;
    Rig plain;
    rig_open(&scripted, 1, 4, NULL);
    rig_open(&plain, 1, 4, NULL);
    rig_seat_bots(&scripted, 1, 0);
    rig_seat_bots(&plain, 1, 0);
    const uint8_t rows[4] = { 1, 2, 4, 0 };
    rig_command(&scripted, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, rows, 4);
    rig_steps(&scripted, 4000);
    rig_steps(&plain, 4000);
    cr_assert_eq(scripted.state.game->scripted_laid, 4);
    cr_assert_eq(plain.state.game->scripted_laid, 0);
    cr_assert_eq(scripted.state.game->rng_state, plain.state.game->rng_state);
    rig_close(&scripted);
    rig_close(&plain);
}

Test(runner_command, bonus_is_for_the_living)
{
    Rig rig;
    rig_open(&rig, 2, 1, NULL);
    rig.presence[0] = 1;
    rig_step(&rig);
    const uint8_t first[8] = { 0, 0, 0, 0, 44, 1, 0, 0 };
    const uint8_t second[8] = { 1, 0, 0, 0, 44, 1, 0, 0 };
    const uint8_t nobody[8] = { 5, 0, 0, 0, 44, 1, 0, 0 };
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_BONUS, first, 8);
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_BONUS, second, 8);
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_BONUS, nobody, 8);
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].bonus, 300);
    cr_assert_eq(rig.state.runners[1].bonus, 0);
    cr_assert_eq(rig.state.game->commands_ignored, 2);
    rig_close(&rig);
}

Test(runner_command, bonus_stops_at_its_limit)
{
    Rig rig;
    open_clear(&rig, 1);
    rig.state.runners[0].bonus = RUNNER_BONUS_MAX - 100;
    const uint8_t bonus[8] = { 0, 0, 0, 0, 44, 1, 0, 0 };
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_BONUS, bonus, 8);
    rig_step(&rig);
    cr_assert_eq(rig.state.runners[0].bonus, RUNNER_BONUS_MAX);
    rig_close(&rig);
}

Test(runner_command, slots_command_nothing)
{
    Rig rig;
    open_clear(&rig, 1);
    const uint8_t fast[2] = { 200, 0 };
    rig_command(&rig, 0, RUNNER_COMMAND_SPEED, fast, 2);
    rig_command(&rig, 0, RUNNER_COMMAND_HALT, NULL, 0);
    rig_step(&rig);
    cr_assert_eq(rig.state.game->speed_percent, 100);
    cr_assert_eq(rig.state.game->commands_ignored, 2);
    rig_close(&rig);
}

// Goal: one bad byte makes the whole command nothing.
Test(runner_command, rows_are_all_or_nothing)
{
    static const uint8_t bad[][2] = { { 1, 7 }, { 1, 32 }, { 1, 1 | 1 << 3 }, { 255, 1 } };
    Rig rig;
    open_clear(&rig, 1);
    for (uint32_t i = 0; i < 4; i++) {
        rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, bad[i], 2);
        rig_step(&rig);
        cr_assert_eq(rig.state.script->count, 0);
        cr_assert_eq(rig.state.game->commands_ignored, i + 1);
    }
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, NULL, 0);
    rig_step(&rig);
    cr_assert_eq(rig.state.game->commands_ignored, 5, "no row is no command");
    rig_close(&rig);
}

Test(runner_command, full_script_takes_no_more)
{
    Rig rig;
    open_clear(&rig, 1);
    uint8_t rows[RUNNER_SCRIPT_ROWS_MAX];
    memset(rows, 1, sizeof(rows));
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, rows, 63);
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, rows, 2);
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, rows, 1);
    rig_step(&rig);
    cr_assert_eq(rig.state.script->count, 64);
    cr_assert_eq(rig.state.game->commands_ignored, 1);
    rig_close(&rig);
}

Test(runner_command, rows_have_a_closed_form)
{
    uint32_t legal = 0;
    for (uint32_t row = 0; row < 256; row++) {
        legal += runner_row_is_legal((uint8_t)row);
    }
    cr_assert_eq(legal, 7 + 12, "seven sets of blocks, and a coin in each of their free lanes: 3 + 3 * 2 + 3 * 1");
}

static bool drop_event(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return false;
}

// Goal: the step itself holds when its host checks nothing: sizes, types and values of commands, and events that find
// no room are counted in the state.
Test(runner_command, unchecked_hosts_corrupt_nothing)
{
    Rig rig;
    open_clear(&rig, 1);
    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    context.emit = drop_event;
    const uint8_t data[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    tp_command commands[12];
    uint32_t count = 0;
    for (uint16_t type = 0; type < 6; type++) {
        commands[count++] = (tp_command){ TP_SOURCE_HOST, type, 3, data };
        commands[count++] = (tp_command){ TP_SOURCE_HOST, type, 2, type == RUNNER_COMMAND_SPEED ? data : NULL };
    }
    RunnerInput input = { RUNNER_EDGE_LEFT };
    tp_tick tick = {
        .players = 1, .presence = rig.presence, .inputs = &input, .command_count = count, .commands = commands,
    };
    runner_step(tp_sim_state(rig.sim), &tick, &context);
    cr_assert_eq(rig.state.game->commands_ignored, count);
    cr_assert_eq(rig.state.game->events_dropped, 1);
    cr_assert_eq(rig.state.game->speed_percent, 100);
    rig_close(&rig);
}
