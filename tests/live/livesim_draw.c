// livesim_draw.c: a schedule from a seed.
#include <string.h>

#include "fighter.h"
#include "livesim.h"
#include "realm.h"
#include "runner.h"

enum { SECOND_US = 1000000 };

static uint32_t below(tp_pcg32 *dice, uint32_t bound)
{
    return tp_pcg32_below(dice, bound);
}

static bool chance(tp_pcg32 *dice, uint32_t numerator, uint32_t denominator)
{
    return below(dice, denominator) < numerator;
}

// The land is costly to step; a game of people is not.
static uint64_t draw_ticks(tp_pcg32 *dice, const tp_world *world)
{
    return world == &realm_world ? 60 + below(dice, 90) : 150 + below(dice, 350);
}

static void draw_weather(LivesimPlan *plan, tp_pcg32 *dice)
{
    WeatherOptions *weather = &plan->weather;
    weather->seed = below(dice, UINT32_MAX);
    weather->latency_us = below(dice, 120000);
    weather->jitter_us = chance(dice, 3, 4) ? below(dice, 60000) : 0;
    weather->loss_ppm = chance(dice, 2, 3) ? below(dice, 150000) : 0;
    weather->duplicate_ppm = chance(dice, 1, 3) ? below(dice, 100000) : 0;
    weather->reorder_ppm = chance(dice, 1, 3) ? below(dice, 100000) : 0;
    plan->partitions = chance(dice, 1, 3) ? 1 + below(dice, 2) : 0;
    plan->is_datagram = chance(dice, 1, 2);
}

static void draw_room(LivesimPlan *plan, tp_pcg32 *dice)
{
    static const uint32_t windows_of_reports[] = { 1, 7, 30 };
    plan->missing = (ServerMissing)below(dice, 3);
    plan->on_desync = SERVER_DESYNC_RESYNC;
    plan->report_ticks = windows_of_reports[below(dice, 3)];
    plan->rejoin_seconds = 30;
    plan->start_players = chance(dice, 1, 3) ? 1 + below(dice, plan->players) : 0;
    plan->join_bytes_per_tick = chance(dice, 1, 2) ? 65536 : 4096 + below(dice, 16384);
    plan->rotate_ticks = chance(dice, 1, 4) ? 40 + below(dice, 100) : 0;
}

// Who plays stays; one may be cut and come back, one may leave.
static void draw_client(LivesimPlan *plan, tp_pcg32 *dice, uint32_t number, uint64_t length_us)
{
    bool is_watcher = number >= plan->players;
    plan->clients[number].slots = is_watcher ? 0 : 1;
    bool     joins_at_once = number < plan->start_players || chance(dice, 1, 2);
    uint64_t latest = length_us / 2;
    plan->clients[number].join_us = joins_at_once ? below(dice, 20000) : below(dice, (uint32_t)latest);
    plan->clients[number].window = is_watcher ? 0 : chance(dice, 1, 6) ? 0 : 2 + below(dice, 30);
    plan->clients[number].delay = is_watcher ? 0 : below(dice, 5);
    plan->clients[number].behind = is_watcher && chance(dice, 1, 2) ? 1 + below(dice, 60) : 0;
    plan->clients[number].drift_ppm = (int32_t)below(dice, 2001) - 1000;
    plan->clients[number].is_stepped = chance(dice, 1, 6);
    if (chance(dice, 1, 5)) {
        plan->clients[number].cut_us = 1 + length_us / 5 + below(dice, (uint32_t)(length_us / 2));
        plan->clients[number].back_us = plan->clients[number].cut_us + below(dice, SECOND_US);
    } else if (number >= plan->start_players && number > 0 && chance(dice, 1, 8)) {
        plan->clients[number].leave_us = length_us / 3 + below(dice, (uint32_t)(length_us / 2));
    }
}

// Some worlds go wrong at one client.
static void draw_plant(LivesimPlan *plan, tp_pcg32 *dice)
{
    uint32_t number = below(dice, plan->players);
    if (!chance(dice, 1, 8)) {
        return;
    }
    plan->clients[number].join_us = 0;
    plan->clients[number].cut_us = plan->clients[number].leave_us = 0;
    plan->clients[number].plant_tick = plan->ticks / 3 + below(dice, (uint32_t)(plan->ticks / 3));
}

void livesim_draw(LivesimPlan *plan, uint64_t seed, const tp_world *world)
{
    static const tp_world *const worlds[] = { &runner_world, &fighter_world, &realm_world };
    tp_pcg32                     dice = tp_pcg32_make(seed, 7);
    memset(plan, 0, sizeof(*plan));
    plan->seed = seed;
    plan->world = worlds[below(&dice, 3)];
    plan->world = world != NULL ? world : plan->world;
    plan->players = 2 + below(&dice, chance(&dice, 1, 3) ? 7 : 3);
    plan->players = plan->players > plan->world->players_max ? plan->world->players_max : plan->players;
    plan->watchers = below(&dice, 3);
    plan->room_players = plan->players;
    plan->ticks = draw_ticks(&dice, plan->world);
    uint64_t length_us = plan->ticks * SECOND_US / plan->world->tick_rate_hz;
    draw_weather(plan, &dice);
    draw_room(plan, &dice);
    plan->bad_until_us = length_us * 3 / 4;
    for (uint32_t i = 0; i < plan->players + plan->watchers; i++) {
        draw_client(plan, &dice, i, length_us);
    }
    draw_plant(plan, &dice);
    if (chance(&dice, 1, 6) && plan->rotate_ticks == 0) {
        plan->is_durable = chance(&dice, 1, 2);
        plan->crash_us = length_us / 4 + below(&dice, (uint32_t)(length_us / 2));
    }
}
