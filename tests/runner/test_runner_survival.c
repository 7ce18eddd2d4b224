// The course can be played, shown by play: a bot without latency lives, one with a person's latency dies in a person's
// time, and neither ever meets a limit of the pool or of a tick's events.
#include <criterion/criterion.h>

#include "runner_rig.h"

// Ticks of the first run, at most `ticks_max`.
static uint32_t live(uint64_t seed, uint32_t delay_ticks, uint32_t ticks_max)
{
    Rig rig;
    rig_open(&rig, 1, seed, NULL);
    rig_seat_bots(&rig, seed, delay_ticks);
    uint32_t ticks = 0;
    while (ticks < ticks_max && (ticks == 0 || rig.state.game->phase == RUNNER_PHASE_RUNNING)) {
        rig_step(&rig);
        ticks++;
    }
    rig_close(&rig);
    return ticks;
}

static uint32_t mean_of(uint32_t delay_ticks)
{
    uint64_t sum = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        sum += live(seed, delay_ticks, 240 * 120);
    }
    return (uint32_t)(sum / 24);
}

Test(runner_survival, bot_lives_four_minutes)
{
    for (uint64_t seed = 1; seed <= 24; seed++) {
        cr_assert_eq(live(seed, 0, 240 * 120), 240 * 120, "seed %llu", (unsigned long long)seed);
    }
}

Test(runner_survival, latency_is_what_kills)
{
    uint32_t slow = mean_of(30);
    uint32_t quick = mean_of(12);
    cr_assert(slow >= 12 * 120 && slow <= 70 * 120, "0.25 s of latency: %u ticks", slow);
    cr_assert(quick * 2 > slow * 3 && quick < 180 * 120, "0.10 s of latency: %u ticks", quick);
}

// Goal: eight courses of 40,000 ticks, deaths and restarts included, stay far inside every limit.
Test(runner_survival, peak_load)
{
    uint32_t most_entities = 0;
    uint32_t most_events = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        Rig rig;
        rig_open(&rig, seed < 4 ? 1 : 8, seed, NULL);
        rig_seat_bots(&rig, seed, seed % 2 == 0 ? 0 : 15);
        for (uint32_t tick = 0; tick < 40000; tick++) {
            rig_step(&rig);
            tp_view view = tp_sim_view(rig.sim);
            uint32_t live = rig.state.entities.head->live;
            most_entities = live > most_entities ? live : most_entities;
            most_events = view.event_count > most_events ? view.event_count : most_events;
        }
        cr_assert_eq(rig.state.game->events_dropped, 0);
        cr_assert_eq(rig.state.game->spawns_dropped, 0);
        rig_close(&rig);
    }
    cr_assert(most_entities >= 7 && most_entities <= 12, "%u entities", most_entities);
    cr_assert_leq(most_events, 34, "%u events in a tick", most_events);
}
