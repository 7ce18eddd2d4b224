// makeseries.c: records one run of the runner as a series of rotated files, NAME.0.tpr and on, of the given ticks each.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"
#include "tickproof/replay.h"

static int write_file(tp_sim *sim, const char *name, uint32_t sequence, bool is_last, int ticks, uint8_t chain[TP_LOG_CHAIN_SIZE])
{
    char              path[256];
    tp_error          error;
    tp_writer_options options;
    const uint8_t     presence = 1;
    const uint8_t     inputs = 0;
    snprintf(path, sizeof(path), "%s.%u.tpr", name, sequence);
    int     fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    tp_sink sink = tp_sink_of_fd(&fd);
    tp_writer_options_standard(&options);
    options.sequence = sequence;
    memcpy(options.predecessor, chain, TP_LOG_CHAIN_SIZE);
    tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
    if (writer == NULL) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        return 1;
    }
    for (int i = 0; i < ticks; i++) {
        tp_row row = { .presence = &presence, .inputs = &inputs };
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            return 1;
        }
    }
    if (!tp_writer_finish(writer, sim, is_last ? TP_END_COMPLETED : TP_END_ROTATED)) {
        return 1;
    }
    memcpy(chain, tp_writer_chain(writer), TP_LOG_CHAIN_SIZE);
    tp_writer_destroy(writer);
    close(fd);
    return 0;
}

int main(int argc, char **argv)
{
    tp_error error;
    tp_setup setup = { .seed = 5, .players = 1, .tick_rate_hz = RUNNER_TICK_RATE_HZ };
    tp_sim  *sim = tp_sim_create(&runner_world, &setup, NULL, &error);
    uint8_t  chain[TP_LOG_CHAIN_SIZE] = { 0 };
    int      files = argc == 4 ? atoi(argv[2]) : 0;
    int      code = sim == NULL || files < 1;
    for (int i = 0; code == 0 && i < files; i++) {
        code = write_file(sim, argv[1], (uint32_t)i, i == files - 1, atoi(argv[3]), chain);
    }
    tp_sim_destroy(sim);
    return code;
}
