// bench_realm.c: what the realm costs, all in one run.
//   - a tick with 1, 8 and 64 bots, and with 1, 8 and 32 drafts in flight (landblocks around the middle are reloaded without end): the bare step, the step with root, record and snapshot, with
//     leaves that are known unchanged cached and with a full hash and copy, and the cost of verifying; drafts really open are counted
//   - a commit against the number of owners it brings, beside the seal that prepared it
//   - size of the state, of a snapshot, and what saving and restoring one takes
// Prints the last root with the times, so that speed is never bought with meaning.
//
//   bench_realm [TICKS]    300 by default (with the tests); 3,000 for figures
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "realm_catalog.h"
#include "realm_engine.h"
#include "tickproof/verify.h"

enum { ROUNDS = 5, BOT_DELAY_TICKS = 6, RING = 8, UNITS = 24, LAND_RING = 3 };
typedef enum { BARE, STEPPED, TRACKED, WHOLE, VERIFIED, PARTS } Part;

typedef struct {
    uint32_t       players;
    uint64_t       ticks;
    int64_t        config[REALM_CONFIG_COUNT];
    tp_setup       setup;
    RealmInput    *inputs;
    uint8_t        presence[(REALM_PLAYERS_MAX + 7) / 8];
    tp_memory_sink log;
    uint8_t        root[16];
    uint64_t       open_drafts, commits, units;
} Bench;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void stop(const char *what, const char *why)
{
    printf("bench_realm: %s: %s\n", what, why);
    exit(1);
}

// The same world without its word that it tells of every write: the host then hashes and copies everything.
static tp_world silent_world(void)
{
    tp_world world = realm_world;
    world.flags = 0;
    return world;
}

static tp_sim *open_sim(const tp_world *world, const tp_setup *setup, uint32_t ring)
{
    tp_error       error;
    tp_sim_options options = { .ring_capacity = ring };
    tp_sim        *sim = tp_sim_create(world, setup, &options, &error);
    if (sim == NULL) {
        stop("no world", error.text);
    }
    return sim;
}

// Every tick one landblock around the middle is to be prepared again, so that drafts are always in flight. One struct and its canonical bytes are alike:
// two numbers of a byte. `command` and `place` live as long as the row.
static void reload_at(uint64_t tick, tp_command *command, RealmPlaceCommand *place)
{
    const uint32_t side = 2 * LAND_RING + 1, at = (uint32_t)(tick * 5 % (side * side));
    place->x = (uint8_t)(REALM_WORLD_MAX / 2 - LAND_RING + at / side);
    place->y = (uint8_t)(REALM_WORLD_MAX / 2 - LAND_RING + at % side);
    *command = (tp_command){ .source = TP_SOURCE_HOST, .type = REALM_COMMAND_RELOAD, .size = sizeof(*place), .data = place };
}

static tp_row row_of(const Bench *bench, uint64_t tick, const tp_sim *sim, uint8_t *bytes)
{
    static RealmPlaceCommand place;
    static tp_command        command;
    reload_at(tick, &command, &place);
    uint32_t size = tp_sim_layout(sim)->input_size;
    for (uint32_t i = 0; i < bench->players; i++) {
        tp_record_encode(realm_world.input, &bench->inputs[tick * bench->players + i], bytes + (size_t)i * size);
    }
    return (tp_row){ .presence = bench->presence, .inputs = bytes, .command_count = 1, .commands = &command };
}

static void play_bots(Bench *bench)
{
    const tp_bot_type *type = realm_world.bot;
    tp_sim  *sim = open_sim(&realm_world, &bench->setup, 0);
    size_t   size = (type->size + 15) / 16 * 16;
    uint8_t *bots = aligned_alloc(16, size * bench->players + 16);
    uint8_t  bytes[REALM_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    tp_error error;
    memset(bots, 0, size * bench->players + 16);
    for (uint32_t i = 0; i < bench->players; i++) {
        type->init(bots + size * i, &tp_sim_layout(sim)->setup, i, 99, BOT_DELAY_TICKS);
    }
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_view view = tp_sim_view(sim);
        for (uint32_t i = 0; i < bench->players; i++) {
            type->play(bots + size * i, &view, &bench->inputs[tick * bench->players + i]);
        }
        tp_row row = row_of(bench, tick, sim, bytes);
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK) {
            stop("playing", error.text);
        }
        const RealmRoot *root = tp_view_section(&view, REALM_SECTION_ROOT);
        bench->open_drafts += root->drafts_live;
        bench->commits = root->commits;
        bench->units = root->units;
    }
    free(bots);
    tp_sim_destroy(sim);
}

static bool emit_nothing(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return true;
}

// The world's own function on a block, nothing of the host around it.
static double run_bare(const Bench *bench)
{
    tp_layout layout;
    tp_error  error;
    if (!tp_layout_init(&layout, &realm_world, &bench->setup, &error)) {
        stop("no layout", error.text);
    }
    void      *block = aligned_alloc(64, ((size_t)layout.block_size + 63) / 64 * 64);
    tp_context context = tp_layout_context(&layout);
    context.emit = emit_nothing;
    memset(block, 0, layout.block_size);
    realm_world.init(block, &context);
    double start = now();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        RealmPlaceCommand place;
        tp_command        command;
        reload_at(tick, &command, &place);
        tp_tick row = { .tick = tick, .players = bench->players, .presence = bench->presence,
                        .inputs = bench->inputs + tick * bench->players, .command_count = 1, .commands = &command };
        realm_world.step(block, &row, &context);
    }
    double took = now() - start;
    free(block);
    return took / (double)bench->ticks;
}

static double run_stepped(const Bench *bench)
{
    tp_sim  *sim = open_sim(&realm_world, &bench->setup, 0);
    uint8_t  bytes[REALM_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    tp_error error;
    double   start = now();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_row row = row_of(bench, tick, sim, bytes);
        (void)tp_sim_step(sim, &row, &error);
    }
    double took = now() - start;
    tp_sim_destroy(sim);
    return took / (double)bench->ticks;
}

static void *back_main(void *writer)
{
    while (tp_writer_back(writer)) {
    }
    return NULL;
}

// Step, root, record and snapshot on this thread, as a server's tick thread does it; chain, CRCs and the log's memory are the thread's behind it.
static double run_recorded(Bench *bench, const tp_world *world)
{
    tp_sim    *sim = open_sim(world, &bench->setup, RING);
    tp_sink    sink = tp_sink_of_memory(&bench->log);
    uint8_t    bytes[REALM_PLAYERS_MAX * TP_INPUT_SIZE_MAX], root[16];
    tp_error   error;
    tp_writer_options options;
    pthread_t         back;
    tp_writer_options_standard(&options);
    options.durability = TP_DURABLE_NONE;
    bench->log.size = 0;
    tp_writer *writer = tp_writer_create(&sink, sim, &options, true, &error);
    if (writer == NULL || pthread_create(&back, NULL, back_main, writer) != 0) {
        stop("no log", error.text);
    }
    double start = now();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_row row = row_of(bench, tick, sim, bytes);
        (void)tp_sim_step(sim, &row, &error);
        (void)tp_sim_root(sim);
        (void)tp_sim_snapshot(sim);
        tp_writer_tick(writer, sim, &row);
    }
    double took = now() - start;
    tp_writer_finish(writer, sim, TP_END_COMPLETED);
    pthread_join(back, NULL);
    tp_hash128_to_bytes(tp_sim_root(sim), root);
    static const uint8_t none[16];
    if (memcmp(bench->root, none, 16) != 0 && memcmp(bench->root, root, 16) != 0) {
        stop("two ways of hashing one run", "they came to different roots");
    }
    memcpy(bench->root, root, 16);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    return took / (double)bench->ticks;
}

static const tp_world *find_realm(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return &realm_world;
}

static double run_verified(Bench *bench)
{
    static tp_report  report;
    tp_verify_options options;
    tp_memory_source  memory = { bench->log.bytes, bench->log.size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options_standard(&options);
    options.find_world = find_realm;
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
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

static double median(double *times)
{
    qsort(times, ROUNDS, sizeof(*times), by_value);
    return times[ROUNDS / 2];
}

static void standard_config(int64_t *config)
{
    for (uint32_t i = 0; i < REALM_CONFIG_COUNT; i++) {
        config[i] = realm_world.config[i].standard;
    }
}

static void run_case(uint32_t players, int64_t drafts, uint64_t ticks)
{
    static Bench bench;
    double       times[PARTS][ROUNDS];
    tp_world     silent = silent_world();
    bench = (Bench){ .players = players, .ticks = ticks };
    standard_config(bench.config);
    bench.config[REALM_CONFIG_DRAFTS] = drafts;
    bench.config[REALM_CONFIG_WORK_UNITS] = UNITS;
    bench.config[REALM_CONFIG_RING] = LAND_RING;
    bench.setup = (tp_setup){ .seed = 5, .players = players, .tick_rate_hz = REALM_TICK_RATE_HZ, .config = bench.config };
    bench.inputs = calloc(ticks * players + 1, sizeof(RealmInput));
    if (bench.inputs == NULL) {
        stop("inputs", "out of memory");
    }
    for (uint32_t i = 0; i < players; i++) {
        bench.presence[i / 8] |= (uint8_t)(1u << i % 8);
    }
    play_bots(&bench);
    for (int round = 0; round < ROUNDS; round++) {
        times[BARE][round] = run_bare(&bench);
        times[STEPPED][round] = run_stepped(&bench);
        times[WHOLE][round] = run_recorded(&bench, &silent);
        times[TRACKED][round] = run_recorded(&bench, &realm_world);
        times[VERIFIED][round] = run_verified(&bench);
    }
    double bare = median(times[BARE]), tracked = median(times[TRACKED]), whole = median(times[WHOLE]);
    printf("%7u %6" PRId64 " %7.2f %7" PRIu64 " %9.1f %10.1f %10.1f %10.1f %8.3f %8.3f %10.0f %9.0f   ", players, drafts,
           (double)bench.open_drafts / (double)ticks, bench.commits, bare / 1e3, median(times[STEPPED]) / 1e3, tracked / 1e3, whole / 1e3,
           tracked / bare, whole / bare, 1e9 / bare, 1e9 / median(times[VERIFIED]));
    for (int i = 0; i < 8; i++) {
        printf("%02x", bench.root[i]);
    }
    printf("\n");
    free(bench.log.bytes);
    free(bench.inputs);
}

// An engine in a block of its own, for what is timed call by call.
typedef struct {
    tp_layout   layout;
    tp_context  context;
    void       *block;
    RealmEngine engine;
} Bare;

static void open_engine(Bare *bare, const tp_setup *setup)
{
    tp_error error;
    if (!tp_layout_init(&bare->layout, &realm_world, setup, &error)) {
        stop("no layout", error.text);
    }
    bare->block = aligned_alloc(64, ((size_t)bare->layout.block_size + 63) / 64 * 64);
    memset(bare->block, 0, bare->layout.block_size);
    bare->context = tp_layout_context(&bare->layout);
    bare->context.emit = emit_nothing;
    bare->engine = realm_engine_open(bare->block, &bare->context);
    realm_engine_init(&bare->engine, 1);
}

static void must(RealmAnswer answer, const RealmEngine *engine)
{
    if (answer != REALM_DONE) {
        stop("the transaction", engine->reason);
    }
}

// One generation of landblock (3, 3) with so many statics; what its seal (all of it) and its commit took, in ns.
static void time_commit(Bare *bare, uint32_t statics, double *seal, double *commit)
{
    static const RealmTerrainContent flat = { .heights = { 0 } };
    RealmEngine     *engine = &bare->engine;
    RealmTicket      ticket;
    RealmDraftHandle draft;
    must(realm_begin(engine, 0x03030000 | REALM_OUTSIDE, &ticket), engine);
    must(realm_prepare(engine, &ticket, &draft), engine);
    while (realm_materialise(engine, draft) == REALM_NOT_YET) {
    }
    must(realm_publish_terrain(engine, draft, &flat), engine);
    for (uint32_t i = 0; i < statics; i++) {
        RealmStaticContent content = { .id = i + 1, .setup = REALM_SETUP_ROCK, .x = { (int32_t)(i % 60 * 3 + 6) * 65536 },
                                       .y = { (int32_t)(i / 60 * 3 + 6) * 65536 } };
        must(realm_publish_static(engine, draft, &content), engine);
    }
    must(realm_publish_close(engine, draft), engine);
    double start = now();
    while (realm_seal(engine, draft) == REALM_NOT_YET) {
    }
    double sealed = now();
    must(realm_commit(engine, draft), engine);
    double done = now();
    *seal = sealed - start;
    *commit = done - sealed;
    while (realm_retire(engine) == REALM_NOT_YET) {
    }
}

static void run_commits(void)
{
    static const uint32_t counts[] = { 0, 16, 256, 1024 };
    int64_t  config[REALM_CONFIG_COUNT];
    tp_setup setup = { .seed = 1, .players = 1, .tick_rate_hz = REALM_TICK_RATE_HZ, .config = config };
    standard_config(config);
    printf("\ncommit of a landblock with so many owners (the clock itself takes some 50 ns)\n owners     seal us  commit ns\n");
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        enum { TIMES = 21 };
        double seals[TIMES], commits[TIMES];
        Bare   bare;
        open_engine(&bare, &setup);
        for (int i = 0; i < TIMES; i++) {
            time_commit(&bare, counts[k], &seals[i], &commits[i]);
        }
        qsort(seals, TIMES, sizeof(*seals), by_value);
        qsort(commits, TIMES, sizeof(*commits), by_value);
        printf("%7u %11.1f %10.0f\n", counts[k], seals[TIMES / 2] / 1e3, commits[TIMES / 2]);
        free(bare.block);
    }
}

static void run_snapshots(void)
{
    tp_setup setup = { .seed = 5, .players = 8, .tick_rate_hz = REALM_TICK_RATE_HZ };
    tp_sim  *sim = open_sim(&realm_world, &setup, RING);
    uint8_t  presence[1] = { 0xFF }, inputs[8 * TP_INPUT_SIZE_MAX] = { 0 };
    tp_row   row = { .presence = presence, .inputs = inputs };
    tp_error error;
    double   saves[64], loads[64];
    for (int i = 0; i < 64; i++) {
        (void)tp_sim_step(sim, &row, &error);
        double start = now();
        (void)tp_sim_snapshot(sim);
        saves[i] = now() - start;
        start = now();
        (void)tp_sim_restore(sim, tp_sim_tick(sim));
        loads[i] = now() - start;
    }
    const tp_layout *layout = tp_sim_layout(sim);
    qsort(saves, 64, sizeof(*saves), by_value);
    qsort(loads, 64, sizeof(*loads), by_value);
    printf("\nstate of 8 players: %u bytes, canonical %u; snapshot of a tick %.1f us, back to the one just taken %.1f us (medians of 64)\n",
           layout->block_size, layout->canonical_size, saves[32] / 1e3, loads[32] / 1e3);
    tp_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    uint64_t       ticks = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    const uint32_t players[] = { 1, 8, 64 };
    const int64_t  drafts[] = { 1, 8, 32 };
    if (ticks == 0) {
        stop("TICKS", "must be a number above 0");
    }
    printf("realm, %" PRIu64 " ticks of bots, medians of %d, us per tick; 'host' is step, root, record and snapshot\n", ticks, ROUNDS);
    printf("players drafts    open commits bare step   sim step       host  host, full    ratio    full    ticks/s  verify/s   last root\n");
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            run_case(players[i], drafts[k], ticks);
        }
    }
    run_commits();
    run_snapshots();
    return 0;
}
