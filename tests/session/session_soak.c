// session_soak.c: sessions on a bad network, seed after seed: first faults on and everything confirmed must be the authority's, then faults off and
// everybody must come to the same end. A seed that fails is printed with the line that repeats it alone.
//
//   session_soak [--world NAME] [--first SEED] [--count SEEDS] [--scale PERCENT]   scale: of the seeds that each world has by itself
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fighter.h"
#include "noisyworld.h"
#include "realm.h"
#include "runner.h"
#include "session_net.h"
#include "testworld.h"

typedef struct {
    const tp_world *world;
    uint64_t        seeds;
} SoakWorld;

static const SoakWorld worlds[] = {
    { &testworld_flat, 150 }, { &noisyworld, 150 }, { &testworld_opaque, 30 }, { &runner_world, 60 }, { &fighter_world, 60 }, { &realm_world, 3 },
};
enum { WORLDS = sizeof(worlds) / sizeof(*worlds) };

typedef struct {
    const char *world;
    uint64_t    first, count, scale;
} SoakOptions;

static bool parse(int argc, char **argv, SoakOptions *options)
{
    *options = (SoakOptions){ .first = 1, .scale = 100 };
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--world") == 0) {
            options->world = argv[i + 1];
        } else if (strcmp(argv[i], "--first") == 0) {
            options->first = strtoull(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--count") == 0) {
            options->count = strtoull(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--scale") == 0) {
            options->scale = strtoull(argv[i + 1], NULL, 10);
        } else {
            return false;
        }
    }
    return argc % 2 == 1;
}

static void add(NetOutcome *sum, const NetOutcome *one)
{
    sum->confirmed += one->confirmed;
    sum->rollbacks += one->rollbacks;
    sum->rolled_back += one->rolled_back;
    sum->rollback_max = one->rollback_max > sum->rollback_max ? one->rollback_max : sum->rollback_max;
    sum->stalls += one->stalls;
    sum->predicted += one->predicted;
    sum->mispredicted += one->mispredicted;
    sum->late += one->late;
    sum->retracted += one->retracted;
    sum->lost += one->lost;
    sum->guess_faults += one->guess_faults;
    sum->packets += one->packets;
    sum->dropped += one->dropped;
    sum->root.lo ^= one->root.lo * 3 + one->root.hi;
}

static void print(const tp_world *world, uint64_t count, const NetOutcome *sum)
{
    printf("%-10s %4" PRIu64 " seeds: %" PRIu64 " confirmed ticks, %" PRIu64 " rollbacks of %.2f ticks (deepest %" PRIu64 "), %" PRIu64 " stalls, ",
           world->name, count, sum->confirmed, sum->rollbacks, sum->rollbacks > 0 ? (double)sum->rolled_back / (double)sum->rollbacks : 0.0,
           sum->rollback_max, sum->stalls);
    printf("%" PRIu64 " of %" PRIu64 " inputs mispredicted, %" PRIu64 " late, %" PRIu64 " events retracted, %" PRIu64 " not kept, %" PRIu64
           " guesses faulted, %" PRIu64 " of %" PRIu64 " packets dropped, mark %016" PRIx64 "\n",
           sum->mispredicted, sum->predicted, sum->late, sum->retracted, sum->lost, sum->guess_faults, sum->dropped, sum->packets, sum->root.lo);
}

static int soak_world(const SoakWorld *soak, const SoakOptions *options)
{
    uint64_t   count = options->count != 0 ? options->count : (soak->seeds * options->scale + 99) / 100;
    NetOutcome sum = { .is_good = true };
    for (uint64_t seed = options->first; seed < options->first + count; seed++) {
        NetOptions net = net_options(soak->world, seed);
        NetOutcome outcome = net_run(&net);
        if (!outcome.is_good) {
            printf("%s\nsession_soak: again by: session_soak --world %s --first %" PRIu64 " --count 1\n", outcome.message, soak->world->name, seed);
            return 1;
        }
        add(&sum, &outcome);
    }
    print(soak->world, count, &sum);
    // A network on which nothing went wrong has tested nothing.
    bool has_all = count < 20 || (sum.rollbacks > 0 && sum.stalls > 0 && sum.late > 0 && sum.dropped > 0 && sum.mispredicted > 0);
    if (!has_all) {
        printf("session_soak: %s: too little went wrong to show anything\n", soak->world->name);
    }
    return has_all ? 0 : 1;
}

int main(int argc, char **argv)
{
    SoakOptions options;
    int         failed = 0;
    if (!parse(argc, argv, &options)) {
        fprintf(stderr, "session_soak: [--world NAME] [--first SEED] [--count SEEDS] [--scale PERCENT]\n");
        return 2;
    }
    for (uint32_t i = 0; i < WORLDS; i++) {
        if (options.world == NULL || strcmp(options.world, worlds[i].world->name) == 0) {
            failed += soak_world(&worlds[i], &options);
        }
    }
    return failed > 0 ? 1 : 0;
}
