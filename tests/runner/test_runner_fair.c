// No row blocks every lane, over sixteen courses of 30,000 ticks.
#include <criterion/criterion.h>

#include "runner_rig.h"

// Goal: look at what lies on the board, not at what the planner says it laid: blocks of one height are one row.
Test(runner_fair, no_row_blocks_every_lane)
{
    uint64_t rows_of_two = 0;
    uint64_t rows_of_one = 0;
    for (uint64_t seed = 0; seed < 16; seed++) {
        Rig rig;
        rig_open(&rig, 1, seed, NULL);
        rig_seat_bots(&rig, seed, 0);
        uint32_t laid = 0;
        for (uint32_t tick = 0; tick < 30000; tick++) {
            rig_step(&rig);
            if (rig.state.game->rows_laid == laid) {
                continue;
            }
            laid = rig.state.game->rows_laid;
            uint32_t blocks = 0;
            uint32_t coins = 0;
            const RunnerEntityPool *entities = &rig.state.entities;
            for (uint32_t i = runner_entity_first(entities); i < entities->capacity; i = runner_entity_after(entities, i)) {
                const RunnerEntity *entity = &entities->slots[i];
                if (entity->y.raw < RUNNER_RAW(0)) {
                    uint32_t bit = 1u << entity->lane;
                    cr_assert_eq((blocks | coins) & bit, 0, "one thing in a lane");
                    blocks |= entity->kind == RUNNER_KIND_BLOCK ? bit : 0;
                    coins |= entity->kind == RUNNER_KIND_COIN ? bit : 0;
                }
            }
            bool is_double = blocks == 3 || blocks == 5 || blocks == 6;
            bool is_single = blocks == 1 || blocks == 2 || blocks == 4;
            cr_assert(is_double || is_single, "seed %llu tick %u: lanes %u", (unsigned long long)seed, tick, blocks);
            cr_assert(!is_double || rig.state.game->course_tick >= 840, "two blocks in the grace time");
            rows_of_two += is_double;
            rows_of_one += is_single;
        }
        cr_assert_eq(rig.state.game->spawns_dropped, 0);
        rig_close(&rig);
    }
    // At .05 to .55 over the first minute of 250 s, about 0.48 of all rows have two blocks.
    cr_assert(rows_of_two * 100 > rows_of_one * 80 && rows_of_two * 100 < rows_of_one * 110, "%llu and %llu",
              (unsigned long long)rows_of_two, (unsigned long long)rows_of_one);
}
