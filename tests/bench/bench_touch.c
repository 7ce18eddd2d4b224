// bench_touch.c: what root and snapshot ring add to a bare step of a 2 MiB state, when the world tells its writes and when it does not, in one
// run, as nanoseconds per tick and as a ratio of both. Prints the last root, which must be the same for both, so that speed is never bought
// with meaning.
//
//   bench_touch [TICKS]    500 by default; 5,000 for figures
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "touchworld.h"

enum { ROUNDS = 7, PLACES = 16, CELLS = 2 * 1024 * 1024 / sizeof(TouchCell), PAGES = 2 * 1024 * 1024 / TP_TOUCH_PAGE, STREWN = 101 };

typedef enum { ROOT, ROOT_AND_RING } Part;

typedef struct {
    const char *name;
    int64_t     pages, stride; // written per tick; strewn, so that each is alone in its leaf as far as there are leaves
} Case;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void fail(const char *text)
{
    printf("bench_touch: %s\n", text);
    exit(1);
}

// The world's own function on a block, with nothing of the host around it.
static double run_bare(const tp_setup *setup, uint64_t ticks)
{
    tp_layout layout;
    tp_error  error;
    if (!tp_layout_init(&layout, &touchworld_whole, setup, &error)) {
        fail(error.text);
    }
    void      *block = aligned_alloc(64, (layout.block_size + 63) / 64 * 64);
    tp_context context = tp_layout_context(&layout);
    if (block == NULL) {
        fail("out of memory");
    }
    memset(block, 0, layout.block_size);
    touchworld_whole.init(block, &context);
    uint8_t presence = 3;
    uint8_t inputs[2 * TOUCHWORLD_PLAYERS] = { 0 };
    double  start = now();
    for (uint64_t tick = 0; tick < ticks; tick++) {
        tp_tick one = { .tick = tick, .players = TOUCHWORLD_PLAYERS, .presence = &presence, .inputs = inputs };
        touchworld_whole.step(block, &one, &context);
    }
    double took = (now() - start) / (double)ticks;
    free(block);
    return took;
}

static double run_host(const tp_world *world, const tp_setup *setup, uint64_t ticks, Part part, tp_hash128 *root)
{
    tp_sim_options options = { .ring_capacity = PLACES };
    tp_error       error;
    tp_sim        *sim = tp_sim_create(world, setup, &options, &error);
    uint8_t        bytes[1 + 2 * TOUCHWORLD_PLAYERS];
    tp_row         row = touchworld_row(bytes, 0, 0);
    if (sim == NULL) {
        fail(error.text);
    }
    double start = 0;
    for (uint64_t tick = 0; tick < ticks + PLACES; tick++) {
        if (tick == PLACES) {
            start = now(); // every place of the ring has been written once
        }
        if (part == ROOT_AND_RING) {
            (void)tp_sim_snapshot(sim);
        }
        (void)tp_sim_step(sim, &row, &error);
        *root = tp_sim_root(sim);
    }
    double took = (now() - start) / (double)ticks;
    tp_sim_destroy(sim);
    return took;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

static double median(double times[ROUNDS])
{
    qsort(times, ROUNDS, sizeof(double), by_value);
    return times[ROUNDS / 2];
}

static void run_case(const Case *bench, uint64_t ticks)
{
    const int64_t values[TOUCHWORLD_CONFIG_COUNT] = { CELLS, 0, bench->pages, bench->stride, 0 };
    tp_setup      setup = { .seed = 5, .players = TOUCHWORLD_PLAYERS, .tick_rate_hz = 60, .config = values };
    double        bare[ROUNDS], told[2][ROUNDS], whole[2][ROUNDS];
    tp_hash128    roots[2] = { { 0, 0 }, { 0, 0 } };
    for (int round = 0; round < ROUNDS; round++) {
        bare[round] = run_bare(&setup, ticks);
        for (int part = ROOT; part <= ROOT_AND_RING; part++) {
            told[part][round] = run_host(&touchworld, &setup, ticks, (Part)part, &roots[0]);
            whole[part][round] = run_host(&touchworld_whole, &setup, ticks, (Part)part, &roots[1]);
        }
    }
    if (!tp_hash128_equal(roots[0], roots[1])) {
        fail("told and whole come to different roots");
    }
    double  step = median(bare);
    uint8_t root[16];
    tp_hash128_to_bytes(roots[0], root);
    printf("%s (%" PRId64 " of %d pages), bare step %.0f ns, root ", bench->name, bench->pages, (int)PAGES, step);
    for (int i = 0; i < 8; i++) {
        printf("%02x", root[i]);
    }
    printf("\n");
    for (int part = ROOT; part <= ROOT_AND_RING; part++) {
        double less = median(told[part]) - step;
        double more = median(whole[part]) - step;
        printf("  %-22s whole %9.0f ns, told %9.0f ns   x%.3f\n", part == ROOT ? "+ root" : "+ root + snapshot", more, less, less / more);
    }
}

int main(int argc, char **argv)
{
    uint64_t   ticks = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    // But for the first, each tick writes other pages than the one before, so that a place of the ring has all of 16 ticks to catch up on.
    const Case cases[] = {
        { "32 KiB, the same pages each tick", 32, PAGES / 32 },
        { "1% in a row", PAGES / 100, 1 },
        { "1% strewn", PAGES / 100, STREWN },
        { "10% in a row", PAGES / 10, 1 },
        { "10% strewn", PAGES / 10, STREWN },
        { "100%", PAGES, 1 },
    };
    printf("2 MiB of state, ring of %d, %" PRIu64 " ticks, medians of %d: what the host adds to a bare step\n", PLACES, ticks, ROUNDS);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_case(&cases[i], ticks);
    }
    return 0;
}
