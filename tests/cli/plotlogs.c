// plotlogs.c: logs of the tests' flat world that are worth a picture: many.tpr (more players than colours), planted.tpr (another run
// from tick 150 on), fault.tpr (faults at tick 200), gap.tpr (ticks 100 to 149 are missing), gaps.tpr (200 to 219, too).
#include <stdio.h>
#include <stdlib.h>

#include "testrecording.h"

static int write_file(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

static int record(const char *folder, const char *name, const Recording *recording)
{
    size_t   size = 0;
    uint8_t *bytes = recording_make(recording, &size);
    int      code = write_file(folder, name, bytes, size);
    free(bytes);
    return code;
}

static void push_player(tp_sim *sim)
{
    tp_view     view = tp_sim_view(sim);
    TestPlayer *players = (TestPlayer *)((unsigned char *)tp_sim_state(sim) + view.section_offset[TESTWORLD_PLAYERS]);
    players[1].x.raw += 65536;
}

static bool is_missing(uint64_t tick, bool has_second)
{
    return (tick >= 100 && tick < 150) || (has_second && tick >= 200 && tick < 220);
}

static int record_gap(const char *folder, const char *name, bool has_second)
{
    tp_setup       setup = testworld_setup(&testworld_flat, 2, 9);
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    TestScript     script;
    tp_error       error;
    tp_sim        *sim = tp_sim_create(&testworld_flat, &setup, NULL, &error);
    tp_writer     *writer = sim == NULL ? NULL : tp_writer_create(&sink, sim, NULL, false, &error);
    bool           is_fine = writer != NULL;
    for (uint64_t tick = 0; tick < 300 && is_fine; tick++) {
        tp_row row = testworld_row(sim, &script, tick);
        is_fine = tp_sim_step(sim, &row, &error) == TP_SIM_OK;
        if (is_missing(tick, has_second) && !is_missing(tick + 1, has_second)) {
            is_fine = is_fine && tp_writer_gap(writer, sim, tick < 150 ? 100 : 200, TP_GAP_STORAGE_FULL);
        } else if (!is_missing(tick, has_second)) {
            is_fine = is_fine && tp_writer_tick(writer, sim, &row);
        }
    }
    is_fine = is_fine && tp_writer_finish(writer, sim, TP_END_STOPPED);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    int code = is_fine ? write_file(folder, name, memory.bytes, memory.size) : 1;
    free(memory.bytes);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: plotlogs FOLDER\n");
        return 2;
    }
    Recording many = recording_standard();
    many.players = 14;
    many.ticks = 700;
    Recording planted = recording_standard();
    planted.plant_tick = 150;
    planted.plant = push_player;
    Recording fault = recording_standard();
    fault.fault_tick = 200;
    return record(argv[1], "many.tpr", &many) | record(argv[1], "planted.tpr", &planted) | record(argv[1], "fault.tpr", &fault) |
           record_gap(argv[1], "gap.tpr", false) | record_gap(argv[1], "gaps.tpr", true);
}
