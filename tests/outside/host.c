// host.c: a program outside the tree that embeds the library: runs a world, records it in memory, verifies the record.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickproof/verify.h>

const tp_world *tickproof_world(void);

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, tickproof_world()->name) == 0 ? tickproof_world() : NULL;
}

int main(void)
{
    tp_setup          setup = { .seed = 12, .players = 3, .tick_rate_hz = 60 };
    tp_error          error = { "" };
    tp_memory_sink    memory = { 0 };
    tp_sink           sink = tp_sink_of_memory(&memory);
    tp_writer_options options;
    tp_sim           *sim = tp_sim_create(tickproof_world(), &setup, NULL, &error);
    tp_writer_options_standard(&options);
    tp_writer *writer = sim != NULL ? tp_writer_create(&sink, sim, &options, false, &error) : NULL;
    if (writer == NULL) {
        printf("host: %s\n", error.text);
        return 1;
    }
    for (int tick = 0; tick < 1000; tick++) {
        uint8_t presence[1] = { 7 };
        uint8_t inputs[3] = { (uint8_t)(tick % 100), 0, (uint8_t)(256 - tick % 50) };
        inputs[2] = tick % 50 == 0 ? 0 : inputs[2];
        tp_row row = { .presence = presence, .inputs = inputs };
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            printf("host: tick %d: %s\n", tick, error.text);
            return 1;
        }
    }
    tp_writer_finish(writer, sim, TP_END_COMPLETED);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);

    tp_memory_source  bytes = { memory.bytes, memory.size };
    tp_source         source = tp_source_of_memory(&bytes);
    tp_verify_options verify;
    tp_report         report;
    tp_verify_options_standard(&verify);
    verify.find_world = find;
    tp_verify_log(&source, &verify, &report);
    printf("host: %s, %llu of %llu ticks\n", tp_verdict_name(report.verdict), (unsigned long long)report.checked,
           (unsigned long long)report.recorded);
    free(memory.bytes);
    return (int)report.verdict;
}
