// no_allocations.c: a million ticks of a recorded runner, counting every call of the allocator: there must be none. The counting is itself
// checked by one allocation on purpose.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloccount.h"
#include "runner.h"
#include "tickproof/replay.h"

static uint64_t written;

static bool drop(void *self, const uint8_t *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    written += size;
    return true;
}

int main(void)
{
    enum { TICKS = 1000000, SLOTS = 4 };
    tp_setup          setup = { .seed = 3, .players = SLOTS, .tick_rate_hz = runner_world.tick_rate_hz };
    tp_sim_options    sim_options = { .ring_capacity = 16 };
    tp_writer_options options;
    tp_sink           sink = { .write = drop };
    tp_error          error = { "" };
    tp_sim           *sim = tp_sim_create(&runner_world, &setup, &sim_options, &error);
    tp_writer_options_standard(&options);
    options.no_index = true; // an index is a list of all keyframes: it grows with the log
    tp_writer *writer = sim != NULL ? tp_writer_create(&sink, sim, &options, false, &error) : NULL;
    if (writer == NULL) {
        printf("no_allocations: %s\n", error.text);
        return 1;
    }
    static _Alignas(16) unsigned char bots[SLOTS][65536];
    if (runner_world.bot->size > sizeof(bots[0])) {
        return 1;
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        runner_world.bot->init(bots[slot], &setup, slot, 3, 0);
    }
    alloccount_is_on = true;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        uint8_t presence[1] = { (1u << SLOTS) - 1 };
        uint8_t inputs[SLOTS];
        tp_view view = tp_sim_view(sim);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            runner_world.bot->play(bots[slot], &view, inputs + slot);
        }
        tp_row row = { .presence = presence, .inputs = inputs };
        if (!tp_sim_snapshot(sim) || tp_sim_step(sim, &row, &error) != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            printf("no_allocations: tick %llu: %s\n", (unsigned long long)tick, error.text);
            return 1;
        }
    }
    uint64_t counted = alloccount_calls;
    void *volatile block = malloc(1); // volatile: a compiler may leave out a pair that nobody looks at
    free(block);
    uint64_t planted = alloccount_calls - counted;
    alloccount_is_on = false;
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    printf("no_allocations: %d ticks, %llu bytes recorded, %llu allocator calls; the planted pair counted %llu\n", TICKS,
           (unsigned long long)written, (unsigned long long)counted, (unsigned long long)planted);
    return counted == 0 && planted == 2 ? 0 : 1;
}
