// sim_no_allocations.c: steps, roots, snapshots and restores of a world that tells its writes, counting every call of the allocator: there
// must be none, with the check and without. The counting is itself checked by one allocation on purpose.
#include <stdio.h>
#include <stdlib.h>

#include "alloccount.h"
#include "touchworld.h"

static int run(bool is_checked)
{
    enum { TICKS = 2000 };
    tp_setup       setup = { .seed = 3, .players = TOUCHWORLD_PLAYERS, .tick_rate_hz = 60 };
    tp_sim_options options = { .ring_capacity = 8, .check_touched = is_checked };
    tp_error       error = { "" };
    tp_sim        *sim = tp_sim_create(&touchworld, &setup, &options, &error);
    if (sim == NULL) {
        printf("sim_no_allocations: %s\n", error.text);
        return 1;
    }
    bool     is_good = true;
    uint64_t before = alloccount_calls;
    alloccount_is_on = true;
    for (uint64_t i = 0; i < TICKS; i++) {
        uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS];
        tp_row  row = touchworld_row(bytes, i % 50 == 0 ? TOUCHWORLD_BURST : 0, (uint8_t)i);
        is_good = is_good && tp_sim_snapshot(sim) && tp_sim_step(sim, &row, &error) == TP_SIM_OK;
        (void)tp_sim_root(sim);
        is_good = is_good && (i % 10 != 9 || tp_sim_restore(sim, tp_sim_tick(sim) - 3));
    }
    alloccount_is_on = false;
    uint64_t calls = alloccount_calls - before;
    tp_sim_destroy(sim);
    if (!is_good || calls != 0) {
        printf("sim_no_allocations: %llu calls of the allocator, %s\n", (unsigned long long)calls, is_good ? "all went well" : error.text);
        return 1;
    }
    return 0;
}

int main(void)
{
    alloccount_is_on = true;
    void *volatile memory = malloc(1);
    free(memory);
    alloccount_is_on = false;
    if (alloccount_calls != 2) {
        printf("sim_no_allocations: the counting does not count\n");
        return 1;
    }
    return run(false) + run(true);
}
