// testrecording.c: see testrecording.h.
#include "testrecording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Recording recording_standard(void)
{
    Recording recording = { .world = &testworld_flat, .players = 2, .seed = 77, .ticks = 300 };
    tp_writer_options_standard(&recording.writer);
    recording.writer.run_ticks = 16;
    recording.writer.key_ticks = 100;
    recording.writer.seal_ticks = 128;
    return recording;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "recording: %s: %s\n", what, why);
    abort();
}

uint8_t *recording_make(const Recording *recording, size_t *size)
{
    tp_setup       setup = testworld_setup(recording->world, recording->players, recording->seed);
    tp_sim_options options = { .algorithm = recording->algorithm };
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_error       error = { "" };
    tp_sim        *sim = tp_sim_create(recording->world, &setup, &options, &error);
    tp_writer     *writer = sim != NULL ? tp_writer_create(&sink, sim, &recording->writer, false, &error) : NULL;
    tp_end_reason  reason = recording->reason != 0 ? recording->reason : TP_END_COMPLETED;
    if (writer == NULL) {
        fail("create", error.text);
    }
    for (uint64_t tick = 0; tick < recording->ticks; tick++) {
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        if (recording->fault_tick != 0 && tick == recording->fault_tick) {
            script.command = (tp_command){ .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
            row.command_count = 1;
            row.commands = &script.command;
        }
        if (recording->plant != NULL && tick == recording->plant_tick) {
            recording->plant(sim);
        }
        tp_sim_status status = tp_sim_step(sim, &row, &error);
        if (status == TP_SIM_FAULTED) {
            tp_writer_fault(writer, sim, &row);
            reason = TP_END_FAULT;
            break;
        }
        if (status != TP_SIM_OK) {
            fail("step", error.text);
        }
        if (!tp_writer_tick(writer, sim, &row)) {
            fail("write", tp_writer_error(writer));
        }
    }
    if (!tp_writer_finish(writer, sim, reason)) {
        fail("finish", tp_writer_error(writer));
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    *size = memory.size;
    return memory.bytes;
}

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, testworld_flat.name) == 0 ? &testworld_flat : strcmp(name, testworld_opaque.name) == 0 ? &testworld_opaque : NULL;
}

tp_verify_options recording_verify_options(void)
{
    tp_verify_options options;
    tp_verify_options_standard(&options);
    options.find_world = find;
    return options;
}

tp_report recording_verify(const uint8_t *bytes, size_t size)
{
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    tp_verify_log(&source, &options, &report);
    return report;
}
