// bench_host.c: what the host adds to a bare step on the tick thread: root, record and snapshot ring, in one run, as ratios and as nanoseconds
// per tick. Prints the last root with the times, so that speed is never bought with meaning.
//
//   bench_host [TICKS]    20,000 by default (with the tests); 300,000 for figures
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner.h"
#include "testworld.h"
#include "tickproof/replay.h"

enum { ROUNDS = 9, SLOTS_MAX = 16, PARTS = 6 };
static const char *const part_names[PARTS] = { "step", "+ root", "+ root + record", "+ root + record + snapshot",
                                               "the same, durable / 60 ticks", "bare step alone" };

typedef struct {
    const char     *name;
    const tp_world *world;
    uint32_t        players;
    int64_t         config[4];
    bool            has_config;
} Case;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); // of the tick thread: what the back does elsewhere is not its cost
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static bool drop(void *self, const uint8_t *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return true;
}

static void *back_main(void *writer)
{
    while (tp_writer_back(writer)) {
    }
    return NULL;
}

#include <pthread.h>

// A step with nothing of the host around it: the world's own function on a block, with an emit that counts.
static bool count_event(tp_context *context, uint32_t type, const void *data)
{
    (void)type;
    (void)data;
    *(uint64_t *)context->host += 1;
    return true;
}

static double run_bare(const Case *bench, const tp_setup *setup, uint64_t ticks)
{
    tp_layout  layout;
    tp_error   error;
    uint64_t   events = 0;
    if (!tp_layout_init(&layout, bench->world, setup, &error)) {
        printf("bench_host: %s\n", error.text);
        exit(1);
    }
    void      *block = aligned_alloc(64, (layout.block_size + 63) / 64 * 64);
    tp_context context = tp_layout_context(&layout);
    context.emit = count_event;
    context.host = &events;
    memset(block, 0, layout.block_size);
    bench->world->init(block, &context);
    uint8_t presence[2] = { 0xFF, 0xFF };
    uint8_t inputs[SLOTS_MAX * 8] = { 0 };
    double  start = now();
    for (uint64_t tick = 0; tick < ticks; tick++) {
        inputs[0] = tick % 97 == 0 ? 1 : tick % 97 == 50 ? 2 : 0;
        tp_tick row = { .tick = tick, .players = bench->players, .presence = presence, .inputs = inputs };
        bench->world->step(block, &row, &context);
    }
    double took = (now() - start) / (double)ticks;
    free(block);
    return took;
}

static double run_host(const Case *bench, const tp_setup *setup, uint64_t ticks, int part, uint8_t root[16])
{
    tp_sim_options    options = { .ring_capacity = 16 };
    tp_writer_options writer_options;
    tp_sink           sink = { .write = drop };
    tp_error          error;
    tp_sim           *sim = tp_sim_create(bench->world, setup, &options, &error);
    tp_writer        *writer = NULL;
    pthread_t         back;
    tp_writer_options_standard(&writer_options);
    // Becoming durable wakes the thread behind, which costs what this machine's system calls cost: shown on a line of its own.
    writer_options.durability = part == 4 ? TP_DURABLE_INTERVAL : TP_DURABLE_NONE;
    if (part >= 2) {
        writer = tp_writer_create(&sink, sim, &writer_options, true, &error);
        pthread_create(&back, NULL, back_main, writer);
    }
    uint8_t presence[2] = { (uint8_t)((1u << (bench->players < 8 ? bench->players : 8)) - 1), bench->players > 8 ? (uint8_t)((1u << (bench->players - 8)) - 1) : 0 };
    uint8_t inputs[SLOTS_MAX * 8] = { 0 };
    tp_row  row = { .presence = presence, .inputs = inputs };
    double  start = now();
    for (uint64_t tick = 0; tick < ticks; tick++) {
        inputs[0] = tick % 97 == 0 ? 1 : tick % 97 == 50 ? 2 : 0;
        if (part >= 3) {
            tp_sim_snapshot(sim);
        }
        tp_sim_step(sim, &row, &error);
        if (part >= 1) {
            (void)tp_sim_root(sim);
        }
        if (part >= 2) {
            tp_writer_tick(writer, sim, &row);
        }
    }
    double took = (now() - start) / (double)ticks;
    if (writer != NULL) {
        tp_writer_finish(writer, sim, TP_END_COMPLETED);
        pthread_join(back, NULL);
        tp_writer_destroy(writer);
    }
    tp_hash128_to_bytes(tp_sim_root(sim), root);
    tp_sim_destroy(sim);
    return took;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

static void run_case(const Case *bench, uint64_t ticks)
{
    tp_setup  setup = { .seed = 5, .players = bench->players, .tick_rate_hz = bench->world->tick_rate_hz,
                        .config = bench->has_config ? bench->config : NULL };
    tp_layout layout;
    tp_error  error;
    double    times[PARTS][ROUNDS];
    uint8_t   root[16] = { 0 };
    if (!tp_layout_init(&layout, bench->world, &setup, &error)) {
        printf("bench_host: %s\n", error.text);
        exit(1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int part = 0; part < PARTS - 1; part++) {
            times[part][round] = run_host(bench, &setup, ticks, part, root);
        }
        times[PARTS - 1][round] = run_bare(bench, &setup, ticks);
    }
    for (int part = 0; part < PARTS; part++) {
        qsort(times[part], ROUNDS, sizeof(double), by_value);
    }
    double bare = times[PARTS - 1][ROUNDS / 2];
    printf("%s: state of %u bytes, %" PRIu64 " ticks, best and median of %d; root ", bench->name, layout.block_size, ticks, ROUNDS);
    for (int i = 0; i < 8; i++) {
        printf("%02x", root[i]);
    }
    printf("\n");
    for (int part = PARTS - 1; part >= 0; part = part == PARTS - 1 ? 0 : part == PARTS - 2 ? -1 : part + 1) {
        double median = times[part][ROUNDS / 2];
        printf("  %-28s %8.1f %8.1f ns/tick   x%.2f of bare, %+7.1f ns\n", part == 0 ? "hosted step" : part_names[part], times[part][0], median,
               median / bare, median - bare);
    }
    double host = times[3][ROUNDS / 2] - bare;
    printf("  host overhead: %.1f ns/tick", host);
    if (layout.block_size <= 1024) {
        printf(" (budget 250 ns: %s)", host <= 250 ? "kept" : "MISSED");
    }
    if (bare >= 1000) {
        printf(" (budget x1.25: %s)", host <= bare * 0.25 ? "kept" : "MISSED");
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    uint64_t   ticks = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    const Case cases[] = {
        { .name = "runner, 1 player", .world = &runner_world, .players = 1 },
        { .name = "runner, 2 players", .world = &runner_world, .players = 2 },
        { .name = "runner, 8 players", .world = &runner_world, .players = 8 },
        { .name = "testflat, 2 players", .world = &testworld_flat, .players = 2 },
        { .name = "testflat, 16 players, 1,000 balls", .world = &testworld_flat, .players = 16, .config = { 1000, 1 }, .has_config = true },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_case(&cases[i], ticks);
    }
    return 0;
}
