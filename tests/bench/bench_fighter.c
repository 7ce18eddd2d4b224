// bench_fighter.c: what a tick of the fighter costs with nobody, 2, 4, 8 and 100 of them: the bare step, the step with checksum and record, and how much
// faster than real time a log of it verifies. All in one run over the same pads (bots', played beforehand), as ratios and as nanoseconds. Prints the
// last root with the times, so that speed is never bought with meaning.
//
//   bench_fighter [TICKS]    2,000 by default (with the tests); 36,000 for figures: ten minutes
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fighter.h"
#include "tickproof/verify.h"

enum { ROUNDS = 7, PARTS = 3, BOT_DELAY_TICKS = 8 };
enum { BARE, RECORDED, VERIFIED };

typedef struct {
    uint32_t        players;
    uint64_t        ticks;
    tp_setup        setup;
    FighterInput   *pads; // players per tick
    uint8_t         presence[(FIGHTER_PLAYERS_MAX + 7) / 8];
    tp_memory_sink  log;
    uint8_t        *state; // canonical, as the recorded run ended
    size_t          state_size;
    uint8_t         root[16];
    uint64_t        events;
} Bench;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void stop(const char *what, const char *why)
{
    printf("bench_fighter: %s: %s\n", what, why);
    exit(1);
}

static tp_sim *open_sim(const Bench *bench)
{
    tp_error error;
    tp_sim  *sim = tp_sim_create(&fighter_world, &bench->setup, NULL, &error);
    if (sim == NULL) {
        stop("no world", error.text);
    }
    return sim;
}

// A row as a host gives it, from the native pads that the bare step takes.
static tp_row row_of(const Bench *bench, uint64_t tick, const tp_sim *sim, uint8_t *bytes)
{
    uint32_t size = tp_sim_layout(sim)->input_size;
    for (uint32_t i = 0; i < bench->players; i++) {
        tp_record_encode(fighter_world.input, &bench->pads[tick * bench->players + i], bytes + (size_t)i * size);
    }
    return (tp_row){ .presence = bench->presence, .inputs = bytes };
}

static void play_bots(Bench *bench)
{
    const tp_bot_type *type = fighter_world.bot;
    tp_sim  *sim = open_sim(bench);
    size_t   size = (type->size + 15) / 16 * 16;
    uint8_t *bots = aligned_alloc(16, size * bench->players + 16);
    uint8_t  bytes[FIGHTER_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    tp_error error;
    memset(bots, 0, size * bench->players + 16);
    for (uint32_t i = 0; i < bench->players; i++) {
        type->init(bots + size * i, &tp_sim_layout(sim)->setup, i, 99, BOT_DELAY_TICKS);
    }
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_view view = tp_sim_view(sim);
        bench->events += view.event_count;
        for (uint32_t i = 0; i < bench->players; i++) {
            type->play(bots + size * i, &view, &bench->pads[tick * bench->players + i]);
        }
        tp_row row = row_of(bench, tick, sim, bytes);
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK) {
            stop("playing", error.text);
        }
    }
    free(bots);
    tp_sim_destroy(sim);
}

static bool count_event(tp_context *context, uint32_t type, const void *data)
{
    (void)type;
    (void)data;
    *(uint64_t *)context->host += 1;
    return true;
}

// The world's own function on a block, nothing of the host around it but an emit that counts.
static double run_bare(Bench *bench)
{
    tp_layout layout;
    tp_error  error;
    uint64_t  events = 0;
    if (!tp_layout_init(&layout, &fighter_world, &bench->setup, &error)) {
        stop("no layout", error.text);
    }
    void      *block = aligned_alloc(64, ((size_t)layout.block_size + 63) / 64 * 64);
    tp_context context = tp_layout_context(&layout);
    context.emit = count_event;
    context.host = &events;
    memset(block, 0, layout.block_size);
    fighter_world.init(block, &context);
    double start = now();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_tick row = { .tick = tick, .players = bench->players, .presence = bench->presence,
                        .inputs = bench->pads + tick * bench->players };
        fighter_world.step(block, &row, &context);
    }
    double took = now() - start;
    uint8_t *bytes = calloc(1, layout.canonical_size + 1);
    tp_layout_encode(&layout, block, bytes);
    if (bench->state_size != layout.canonical_size || memcmp(bytes, bench->state, bench->state_size) != 0) {
        stop("the bare step", "it came to another state than the recorded run");
    }
    free(bytes);
    free(block);
    return took / (double)bench->ticks;
}

// Step, root and record on this thread, chain and CRCs included: a log in memory.
static double run_recorded(Bench *bench)
{
    tp_sim  *sim = open_sim(bench);
    tp_sink  sink = tp_sink_of_memory(&bench->log);
    bench->state = realloc(bench->state, tp_sim_encoded_max(sim) + 1);
    uint8_t  bytes[FIGHTER_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    tp_error error;
    bench->log.size = 0;
    tp_writer *writer = tp_writer_create(&sink, sim, NULL, false, &error);
    if (writer == NULL) {
        stop("no log", error.text);
    }
    double start = now();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_row row = row_of(bench, tick, sim, bytes);
        (void)tp_sim_step(sim, &row, &error);
        (void)tp_sim_root(sim);
        tp_writer_tick(writer, sim, &row);
    }
    tp_writer_finish(writer, sim, TP_END_COMPLETED);
    double took = now() - start;
    tp_hash128_to_bytes(tp_sim_root(sim), bench->root);
    if (!tp_sim_encode(sim, bench->state, tp_sim_encoded_max(sim), &bench->state_size)) {
        stop("the recorded run", "its state does not fit");
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    return took / (double)bench->ticks;
}

static const tp_world *find_fighter(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return &fighter_world;
}

static double run_verified(Bench *bench)
{
    static tp_report  report;
    tp_verify_options options;
    tp_memory_source  memory = { bench->log.bytes, bench->log.size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options_standard(&options);
    options.find_world = find_fighter;
    double start = now();
    tp_verify_log(&source, &options, &report);
    double took = now() - start;
    if (report.verdict != TP_VERIFIED || report.checked != bench->ticks || memcmp(report.final_root, bench->root, 16) != 0) {
        stop("a log of this run does not verify", report.message);
    }
    return took / (double)bench->ticks;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

static void run_case(uint32_t players, uint64_t ticks)
{
    Bench bench = { .players = players, .ticks = ticks,
                    .setup = { .seed = 5, .players = players, .tick_rate_hz = FIGHTER_TICK_RATE_HZ } };
    double times[PARTS][ROUNDS];
    bench.pads = calloc(ticks * players + 1, sizeof(FighterInput));
    if (bench.pads == NULL) {
        stop("pads", "out of memory");
    }
    for (uint32_t i = 0; i < players; i++) {
        bench.presence[i / 8] |= (uint8_t)(1u << i % 8);
    }
    play_bots(&bench);
    for (int round = 0; round < ROUNDS; round++) {
        times[RECORDED][round] = run_recorded(&bench);
        times[BARE][round] = run_bare(&bench);
        times[VERIFIED][round] = run_verified(&bench);
    }
    for (int part = 0; part < PARTS; part++) {
        qsort(times[part], ROUNDS, sizeof(double), by_value);
    }
    double bare = times[BARE][ROUNDS / 2];
    double recorded = times[RECORDED][ROUNDS / 2];
    double verified = times[VERIFIED][ROUNDS / 2];
    printf("%7u %9.2f %12.1f %22.1f %7.2f %13.1f %16.0f   ", players, (double)bench.events / (double)ticks, bare, recorded, recorded / bare,
           verified, 1e9 / verified / FIGHTER_TICK_RATE_HZ);
    for (int i = 0; i < 8; i++) {
        printf("%02x", bench.root[i]);
    }
    printf("\n");
    free(bench.log.bytes);
    free(bench.state);
    free(bench.pads);
}

int main(int argc, char **argv)
{
    uint64_t       ticks = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    const uint32_t players[] = { 0, 2, 4, 8, 100 };
    if (ticks == 0) {
        stop("TICKS", "must be a number above 0");
    }
    printf("fighter, %" PRIu64 " ticks of bots, medians of %d, ns per tick\n", ticks, ROUNDS);
    printf("players  events/t    bare step  step+checksum+record   ratio        verify  x of real time   last root\n");
    for (size_t i = 0; i < sizeof(players) / sizeof(players[0]); i++) {
        run_case(players[i], ticks);
    }
    return 0;
}
