// runnerlog.c: see runnerlog.h.
#include "runnerlog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "runner.h"

enum { SLOTS_MAX = 8 };

RunnerLog runnerlog_standard(void)
{
    RunnerLog wanted = { .players = 2, .seed = 41, .ticks = 400, .has_commands = true, .has_notes = true };
    tp_writer_options_standard(&wanted.writer);
    wanted.writer.run_ticks = 32;
    wanted.writer.key_ticks = 150;
    wanted.writer.seal_ticks = 128;
    return wanted;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "runnerlog: %s: %s\n", what, why);
    abort();
}

static uint16_t command_type(const char *name)
{
    for (uint32_t i = 0; i < runner_world.command_count; i++) {
        if (strcmp(runner_world.commands[i].name, name) == 0) {
            return (uint16_t)i;
        }
    }
    fail("no command", name);
    return 0;
}

typedef struct {
    tp_sim        *sim;
    unsigned char *bots;
    size_t         stride;
    uint8_t        presence[1], origins[2], inputs[SLOTS_MAX], data[16];
    tp_command     command;
} Players;

static tp_row make_row(Players *players, const RunnerLog *wanted, uint64_t tick)
{
    tp_view view = tp_sim_view(players->sim);
    memset(players->inputs, 0, sizeof(players->inputs));
    memset(players->origins, 0xFF, sizeof(players->origins));
    players->presence[0] = (uint8_t)((1u << wanted->players) - 1);
    for (uint32_t slot = 0; slot < wanted->players; slot++) {
        _Alignas(16) unsigned char input[64] = { 0 };
        runner_world.bot->play(players->bots + slot * players->stride, &view, input);
        tp_record_encode(runner_world.input, input, players->inputs + slot);
    }
    tp_row row = { .presence = players->presence, .origins = players->origins, .inputs = players->inputs };
    players->command = (tp_command){ .source = TP_SOURCE_HOST, .data = players->data };
    if (wanted->halts && tick + 1 == wanted->ticks) {
        players->command.type = command_type("halt");
        row.command_count = 1;
    } else if (wanted->has_commands && tick % 60 == 30) {
        players->command.type = command_type("rows");
        players->command.size = 3;
        memcpy(players->data, "\x01\x02\x04", 3);
        row.command_count = 1;
    } else if (wanted->has_commands && tick % 60 == 45) {
        players->command.type = command_type("bonus");
        players->command.size = 8;
        bytes_put_u32(players->data, 0);
        bytes_put_u32(players->data + 4, 7);
        row.command_count = 1;
    }
    row.commands = &players->command;
    return row;
}

uint8_t *runnerlog_make(const RunnerLog *wanted, size_t *size)
{
    tp_setup       setup = { .seed = wanted->seed, .players = wanted->players, .tick_rate_hz = runner_world.tick_rate_hz };
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_error       error = { "" };
    Players        players = { .sim = tp_sim_create(&runner_world, &setup, NULL, &error) };
    tp_writer     *writer = players.sim != NULL ? tp_writer_create(&sink, players.sim, &wanted->writer, false, &error) : NULL;
    if (writer == NULL) {
        fail("create", error.text);
    }
    players.stride = ((size_t)runner_world.bot->size + 15) / 16 * 16;
    players.bots = aligned_alloc(16, players.stride * SLOTS_MAX);
    memset(players.bots, 0, players.stride * SLOTS_MAX);
    for (uint32_t slot = 0; slot < wanted->players; slot++) {
        runner_world.bot->init(players.bots + slot * players.stride, &tp_sim_layout(players.sim)->setup, slot, wanted->seed, 0);
    }
    tp_end_reason reason = TP_END_COMPLETED;
    for (uint64_t tick = 0; tick < wanted->ticks; tick++) {
        tp_row        row = make_row(&players, wanted, tick);
        tp_sim_status status = tp_sim_step(players.sim, &row, &error);
        if (status == TP_SIM_FAULTED) {
            tp_writer_fault(writer, players.sim, &row);
            reason = TP_END_FAULT;
            break;
        }
        if (status != TP_SIM_OK || !tp_writer_tick(writer, players.sim, &row)) {
            fail("tick", error.text);
        }
        if (wanted->has_notes && tick % 170 == 100) {
            tp_writer_note(writer, TP_NOTE_TEXT, "a remark", 8);
        }
    }
    if (!tp_writer_finish(writer, players.sim, reason)) {
        fail("finish", tp_writer_error(writer));
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(players.sim);
    free(players.bots);
    *size = memory.size;
    return memory.bytes;
}

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, runner_world.name) == 0 ? &runner_world : NULL;
}

tp_verify_options runnerlog_verify_options(void)
{
    tp_verify_options options;
    tp_verify_options_standard(&options);
    options.find_world = find;
    return options;
}

tp_report runnerlog_verify(const uint8_t *bytes, size_t size)
{
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = runnerlog_verify_options();
    tp_report         report;
    tp_verify_log(&source, &options, &report);
    return report;
}
