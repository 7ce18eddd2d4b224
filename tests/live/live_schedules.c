// live_schedules.c: runs schedules of whole live rooms in simulated time.
//
//   live_schedules DIRECTORY FIRST COUNT [--world NAME] [--verbose]   seeds FIRST to FIRST + COUNT - 1; the first that fails ends it, with its number
//   live_schedules DIRECTORY --planted                                wrong turns that the checks must notice
//   live_schedules DIRECTORY --far                                    eight clients, 150 ms and up to 50 more, 5 % loss, ten minutes of ticks
// DIRECTORY is made, and emptied after each schedule.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fighter.h"
#include "livesim.h"
#include "realm.h"
#include "runner.h"

static const tp_world *const worlds[] = { &runner_world, &fighter_world, &realm_world };

static void add(LivesimOutcome *sum, const LivesimOutcome *one)
{
    sum->ticks += one->ticks;
    sum->confirmed += one->confirmed;
    sum->rollbacks += one->rollbacks;
    sum->rolled_back += one->rolled_back;
    sum->stalls += one->stalls;
    sum->late += one->late;
    sum->mispredicted += one->mispredicted;
    sum->rejoins += one->rejoins;
    sum->rewinds += one->rewinds;
    sum->desyncs += one->desyncs;
    sum->bundles += one->bundles;
    sum->false_alarms += one->false_alarms;
    sum->crashes += one->crashes;
    sum->resumed += one->resumed;
    sum->joins_late += one->joins_late;
    sum->events += one->events;
    sum->frames += one->frames;
    sum->depth_max = one->depth_max > sum->depth_max ? one->depth_max : sum->depth_max;
    for (uint32_t i = 0; i <= TP_SESSION_WINDOW_MAX; i++) {
        sum->depths[i] += one->depths[i];
    }
}

static void print(const LivesimOutcome *outcome)
{
    printf("  %" PRIu64 " ticks of rooms, %" PRIu64 " confirmed to clients, %" PRIu64 " steps, %" PRIu64 " events\n"
           "  %" PRIu64 " rollbacks of %" PRIu64 " ticks (deepest %u), %" PRIu64 " guesses wrong, %" PRIu64 " stalls, %" PRIu64 " late inputs\n"
           "  %" PRIu64 " joined late, %" PRIu64 " came back by token, %" PRIu64 " rewound, %" PRIu64 " crashes (%" PRIu64 " taken up), %" PRIu64
           " planted desyncs with %" PRIu64 " bundles, %" PRIu64 " false alarms\n",
           outcome->ticks, outcome->confirmed, outcome->frames, outcome->events, outcome->rollbacks, outcome->rolled_back, outcome->depth_max,
           outcome->mispredicted, outcome->stalls, outcome->late, outcome->joins_late, outcome->rejoins, outcome->rewinds, outcome->crashes,
           outcome->resumed, outcome->desyncs, outcome->bundles, outcome->false_alarms);
}

static int run_seeds(const char *directory, uint64_t first, uint64_t count, const tp_world *world, bool is_verbose)
{
    LivesimOutcome sum = { .is_fine = true };
    uint64_t       by_world[3] = { 0 };
    for (uint64_t seed = first; seed < first + count; seed++) {
        LivesimPlan    plan;
        LivesimOutcome outcome;
        livesim_draw(&plan, seed, world);
        livesim_clean(directory);
        livesim_run(&plan, directory, &outcome);
        if (is_verbose || !outcome.is_fine) {
            printf("seed %" PRIu64 ": %s, %u players, %u watchers, %" PRIu64 " ticks, %s%s%s%s\n", seed, plan.world->name, plan.players, plan.watchers, plan.ticks,
                   plan.is_datagram ? "datagrams" : "stream", plan.crash_us != 0 ? ", crash" : "", plan.rotate_ticks != 0 ? ", rotated" : "",
                   outcome.is_fine ? "" : ": WRONG");
        }
        if (!outcome.is_fine) {
            for (uint32_t i = 0; i < plan.players + plan.watchers; i++) {
                printf("  client %u: joins %" PRIu64 " ms, cut %" PRIu64 ", back %" PRIu64 ", leaves %" PRIu64 ", window %u, delay %u, behind %u%s, plant %" PRIu64 "\n", i,
                       plan.clients[i].join_us / 1000, plan.clients[i].cut_us / 1000, plan.clients[i].back_us / 1000, plan.clients[i].leave_us / 1000,
                       plan.clients[i].window, plan.clients[i].delay, plan.clients[i].behind, plan.clients[i].is_stepped ? ", stepped" : "", plan.clients[i].plant_tick);
            }
            printf("  missing %d, start %u, join bytes %u, latency %u us, jitter %u, loss %u ppm, partitions %u, crash %" PRIu64 " ms\n", (int)plan.missing, plan.start_players,
                   plan.join_bytes_per_tick, plan.weather.latency_us, plan.weather.jitter_us, plan.weather.loss_ppm, plan.partitions, plan.crash_us / 1000);
            printf("  %s\n  again: live_schedules DIRECTORY %" PRIu64 " 1%s%s\n", outcome.text, seed, world != NULL ? " --world " : "", world != NULL ? world->name : "");
            return 1;
        }
        for (int i = 0; i < 3; i++) {
            by_world[i] += plan.world == worlds[i] ? 1 : 0;
        }
        add(&sum, &outcome);
        fflush(stdout);
    }
    livesim_clean(directory);
    printf("%" PRIu64 " schedules from seed %" PRIu64 " on (runner %" PRIu64 ", fighter %" PRIu64 ", realm %" PRIu64 "): all as the server said, logs verified\n", count, first,
           by_world[0], by_world[1], by_world[2]);
    print(&sum);
    return 0;
}

static void calm_plan(LivesimPlan *plan, const tp_world *world, uint32_t players, uint64_t ticks)
{
    memset(plan, 0, sizeof(*plan));
    plan->seed = 5;
    plan->world = world;
    plan->players = plan->room_players = players;
    plan->ticks = ticks;
    plan->report_ticks = 30;
    plan->rejoin_seconds = 30;
    plan->join_bytes_per_tick = 65536;
    for (uint32_t i = 0; i < players; i++) {
        plan->clients[i].slots = 1;
        plan->clients[i].window = 16;
        plan->clients[i].delay = 2;
    }
}

static int run_planted(const char *directory)
{
    static const struct { LivesimPlant plant; const char *what, *noticed; } plants[] = {
        { LIVESIM_PLANT_NONE, "nothing", NULL },
        { LIVESIM_PLANT_ROW, "a confirmed row with another input than was stepped", "desync" },
        { LIVESIM_PLANT_LOG, "one bit of the log", "log" },
        { LIVESIM_PLANT_LOSS, "a lost message on a line that keeps order", "makes no sense" },
        { LIVESIM_PLANT_EVENT, "an event told twice", "events" },
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
        LivesimPlan    plan;
        LivesimOutcome outcome;
        calm_plan(&plan, &fighter_world, 4, 600);
        plan.bad_until_us = 4000000;
        plan.weather.latency_us = 20000;
        plan.plant = plants[i].plant;
        livesim_clean(directory);
        livesim_run(&plan, directory, &outcome);
        bool is_right = plants[i].noticed == NULL ? outcome.is_fine : !outcome.is_fine && strstr(outcome.text, plants[i].noticed) != NULL;
        printf("planted: %s: %s%s%s\n", plants[i].what, outcome.is_fine ? "nothing was noticed" : outcome.text, is_right ? "" : ": WRONG",
               is_right && plants[i].noticed != NULL ? " (noticed)" : "");
        failures += is_right ? 0 : 1;
    }
    livesim_clean(directory);
    return failures > 0 ? 1 : 0;
}

static int run_far(const char *directory)
{
    enum { TICKS = LIVESIM_TICKS - 1, PIECES = 9 }; // 36,000 ticks in pieces, each a match of its own
    int failures = 0;
    for (int w = 0; w < 2; w++) {
        LivesimOutcome sum = { .is_fine = true };
        for (uint32_t piece = 0; piece < PIECES && sum.is_fine; piece++) {
            LivesimPlan    plan;
            LivesimOutcome outcome;
            calm_plan(&plan, worlds[w], 8, 4000);
            plan.seed = 100 + piece;
            plan.is_datagram = true;
            plan.weather = (WeatherOptions){ .seed = 9 + piece, .latency_us = 75000, .jitter_us = 25000, .loss_ppm = 50000 };
            plan.bad_until_us = 4000 * UINT64_C(1000000) / worlds[w]->tick_rate_hz;
            for (uint32_t i = 0; i < 8; i++) {
                plan.clients[i].window = 24;
                plan.clients[i].delay = 3;
                plan.clients[i].drift_ppm = (int32_t)i * 200 - 700;
            }
            livesim_clean(directory);
            livesim_run(&plan, directory, &outcome);
            if (!outcome.is_fine) {
                printf("%s, piece %u: WRONG: %s\n", worlds[w]->name, piece, outcome.text);
                sum.is_fine = false;
                failures += 1;
            }
            add(&sum, &outcome);
        }
        printf("%s, 8 clients, round trip 150 ms and up to 50 more, 5 %% of datagrams lost each way:\n", worlds[w]->name);
        print(&sum);
        printf("  depth of rollbacks:");
        for (uint32_t i = 1; i <= 24; i++) {
            printf(" %u:%" PRIu64, i, sum.depths[i]);
        }
        printf("\n");
    }
    livesim_clean(directory);
    return failures > 0 ? 1 : 0;
}

static const tp_world *world_of_name(const char *name)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(worlds[i]->name, name) == 0) {
            return worlds[i];
        }
    }
    fprintf(stderr, "live_schedules: no world '%s': runner, fighter or realm\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    const tp_world *world = NULL;
    bool            is_verbose = false;
    if (argc < 3) {
        fprintf(stderr, "usage: live_schedules DIRECTORY FIRST COUNT [--world NAME] [--verbose] | --planted | --far\n");
        return 2;
    }
    mkdir(argv[1], 0700);
    if (strcmp(argv[2], "--planted") == 0) {
        return run_planted(argv[1]);
    }
    if (strcmp(argv[2], "--far") == 0) {
        return run_far(argv[1]);
    }
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "--world") == 0 && i + 1 < argc) {
            world = world_of_name(argv[++i]);
        } else if (strcmp(argv[i], "--verbose") == 0) {
            is_verbose = true;
        }
    }
    return run_seeds(argv[1], strtoull(argv[2], NULL, 10), argc > 3 ? strtoull(argv[3], NULL, 10) : 1, world, is_verbose);
}
