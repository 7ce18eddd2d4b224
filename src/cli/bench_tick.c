// bench_tick.c: times the parts of a hosted tick, all in one run: the same inputs through ever more of the host, round after round, so that a
// change of the machine's speed meets all parts alike.
#include "bench_tick.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inputsource.h"
#include "tickproof/replay.h"
#include "worldconfig.h"

enum { RING = 16, LIMIT_TIMES = 64, CLOCK_DWARFED_NS = 10000 };

typedef struct {
    const tp_world  *world;
    tp_setup         setup;
    tp_layout        layout;
    int64_t          config[TP_CONFIG_ITEMS_MAX];
    uint64_t         ticks, events, log_bytes;
    uint8_t         *inputs;  // canonical, of all ticks
    uint8_t         *structs; // the same as the world's structs
    uint8_t          presence[TP_PLAYERS_MAX / 8];
    double           behind_ns; // of the last recorded run
    tp_hash128       root;
    BenchTickResult *result;
} Bench;

static double thread_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static bool fail(Bench *bench, const char *what, const char *why)
{
    snprintf(bench->result->text, sizeof(bench->result->text), "%s: %.300s", what, why);
    return false;
}

static size_t inputs_of_tick(const Bench *bench)
{
    return (size_t)bench->layout.input_size * bench->setup.players;
}

static size_t structs_of_tick(const Bench *bench)
{
    return (bench->world->input != NULL ? bench->world->input->struct_size : 0) * (size_t)bench->setup.players;
}

static tp_row row_of(const Bench *bench, uint64_t tick)
{
    return (tp_row){ .presence = bench->presence, .inputs = bench->inputs + tick * inputs_of_tick(bench) };
}

// What the world's bots play, or nothing where it has none. Their own cost is in no run.
static bool gather_inputs(Bench *bench)
{
    static RowBuffer row;
    tp_error         error = { "" };
    tp_sim          *sim = tp_sim_create(bench->world, &bench->setup, NULL, &error);
    InputSource     *source = sim == NULL               ? NULL
                              : bench->world->bot != NULL ? inputsource_bots(tp_sim_layout(sim), 0)
                                                          : inputsource_neutral(tp_sim_layout(sim));
    bool is_fine = source != NULL;
    for (uint64_t tick = 0; is_fine && tick < bench->ticks; tick++) {
        is_fine = inputsource_next(source, sim, &row) == INPUT_ROW;
        if (is_fine) {
            row.command_count = 0;
            memcpy(bench->presence, row.presence, sizeof(bench->presence));
            memcpy(bench->inputs + tick * inputs_of_tick(bench), row.inputs, inputs_of_tick(bench));
            tp_row given = row_of(bench, tick);
            is_fine = tp_sim_step(sim, &given, &error) == TP_SIM_OK;
            bench->events += is_fine ? tp_sim_view(sim).event_count : 0;
        }
    }
    bench->root = is_fine ? tp_sim_root(sim) : bench->root;
    if (source != NULL) {
        inputsource_destroy(source);
    }
    tp_sim_destroy(sim);
    return is_fine || fail(bench, "playing it once", error.text[0] != '\0' ? error.text : "its bots do not play to the end");
}

static void decode_inputs(Bench *bench)
{
    const tp_record_type *type = bench->world->input;
    tp_error              error;
    for (uint64_t i = 0; type != NULL && i < bench->ticks * bench->setup.players; i++) {
        (void)tp_record_decode(type, bench->inputs + i * bench->layout.input_size, bench->structs + i * type->struct_size, &error);
    }
}

static bool drop_event(tp_context *context, uint32_t type, const void *data)
{
    (void)type;
    (void)data;
    *(uint64_t *)context->host += 1;
    return true;
}

static bool run_bare(Bench *bench, double *ns)
{
    uint64_t   events = 0;
    tp_context context = tp_layout_context(&bench->layout);
    void      *block = aligned_alloc(64, ((size_t)bench->layout.block_size + 127) / 64 * 64);
    if (block == NULL) {
        return fail(bench, "the bare step", "out of memory");
    }
    context.emit = drop_event;
    context.host = &events;
    memset(block, 0, bench->layout.block_size);
    bench->world->init(block, &context);
    double start = thread_ns();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_tick row = { .tick = tick, .players = bench->setup.players, .presence = bench->presence, .inputs = bench->structs + tick * structs_of_tick(bench) };
        bench->world->step(block, &row, &context);
    }
    *ns = (thread_ns() - start) / (double)bench->ticks;
    free(block);
    return true;
}

// The recorder's own thread, and what it used.
typedef struct {
    tp_writer *writer;
    double     ns;
} Behind;

static void *behind_main(void *self)
{
    Behind *behind = self;
    while (tp_writer_back(behind->writer)) {
    }
    behind->ns = thread_ns();
    return NULL;
}

static bool count_bytes(void *self, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)self += size;
    return true;
}

// The root is what every way of running must come to, or the times compare nothing.
static bool keep_root(Bench *bench, tp_sim *sim)
{
    if (!tp_hash128_equal(bench->root, tp_sim_root(sim))) {
        bench->result->is_diverged = true;
        return fail(bench, "running it again", "it came to another root: nothing that is measured of it would mean anything; 'tickproof perturb' says why");
    }
    return true;
}

static bool step_all(Bench *bench, tp_sim *sim, tp_writer *writer, BenchTickRun run)
{
    tp_error error;
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_row row = row_of(bench, tick);
        if (run == BENCH_TICK_SNAPSHOT) {
            tp_sim_snapshot(sim);
        }
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK) {
            return fail(bench, "running it again", error.text);
        }
        if (run >= BENCH_TICK_ROOT) {
            (void)tp_sim_root(sim);
        }
        if (writer != NULL) {
            tp_writer_tick(writer, sim, &row);
        }
    }
    return true;
}

// A tick is stepped, gone back from and stepped again, as a session does it whose guess was wrong. `clock` is asked around each call, or never
// (a constant): what lies between snapshot and going back but the steps is `*ns`.
static bool roll_all(Bench *bench, tp_sim *sim, double (*clock)(void), double *ns)
{
    tp_error error;
    *ns = 0;
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        tp_row row = row_of(bench, tick);
        double start = clock();
        tp_sim_snapshot(sim);
        double saved = clock();
        bool   is_fine = tp_sim_step(sim, &row, &error) == TP_SIM_OK;
        double stepped = clock();
        (void)tp_sim_root(sim);
        is_fine = is_fine && tp_sim_restore(sim, tick);
        *ns += saved - start + clock() - stepped;
        if (!is_fine || tp_sim_step(sim, &row, &error) != TP_SIM_OK) {
            return fail(bench, "going back", error.text);
        }
    }
    return true;
}

static double no_clock(void)
{
    return 0;
}

// What a reading of the clock costs, as the time between two of them has it.
static double clock_ns(void)
{
    enum { TIMES = 4096 };
    double start = thread_ns();
    for (int i = 1; i < TIMES; i++) {
        (void)thread_ns();
    }
    return (thread_ns() - start) / TIMES;
}

static bool run_recorded(Bench *bench, tp_sim *sim, BenchTickRun run, double *ns)
{
    tp_sink           sink = { .self = &bench->log_bytes, .write = count_bytes };
    tp_error          error;
    tp_writer_options options;
    Behind            behind = { NULL };
    pthread_t         thread;
    tp_writer_options_standard(&options);
    options.durability = TP_DURABLE_NONE;
    bench->log_bytes = 0;
    behind.writer = tp_writer_create(&sink, sim, &options, true, &error);
    if (behind.writer == NULL) {
        return fail(bench, "recording it", error.text);
    }
    bool is_threaded = pthread_create(&thread, NULL, behind_main, &behind) == 0;
    if (!is_threaded) {
        exit(TP_INTERNAL); // a writer whose other half never comes can be neither finished nor destroyed
    }
    double start = thread_ns();
    bool   is_fine = step_all(bench, sim, behind.writer, run);
    *ns = (thread_ns() - start) / (double)bench->ticks;
    tp_writer_finish(behind.writer, sim, TP_END_COMPLETED);
    pthread_join(thread, NULL);
    tp_writer_destroy(behind.writer);
    bench->behind_ns = behind.ns / (double)bench->ticks;
    return is_fine;
}

// Per tick. A world whose step dwarfs the clock is timed call by call; else all of it is, and two steps are taken off.
static bool run_rollback(Bench *bench, tp_sim *sim, double step_ns, double *ns)
{
    bool   is_by_call = step_ns > CLOCK_DWARFED_NS;
    double beside;
    double start = thread_ns();
    bool   is_fine = roll_all(bench, sim, is_by_call ? thread_ns : no_clock, &beside);
    double all = (thread_ns() - start) / (double)bench->ticks;
    *ns = is_by_call ? beside / (double)bench->ticks - 2 * clock_ns() : all - 2 * step_ns;
    return is_fine;
}

static bool run_hosted(Bench *bench, BenchTickRun run, double step_ns, double *ns)
{
    tp_error       error;
    tp_sim_options options = { .ring_capacity = run >= BENCH_TICK_SNAPSHOT ? RING : 0 };
    tp_sim        *sim = tp_sim_create(bench->world, &bench->setup, &options, &error);
    if (sim == NULL) {
        return fail(bench, "making it", error.text);
    }
    bool is_fine;
    if (run == BENCH_TICK_ROLLBACK) {
        is_fine = run_rollback(bench, sim, step_ns, ns);
    } else if (run >= BENCH_TICK_RECORD) {
        is_fine = run_recorded(bench, sim, run, ns);
    } else {
        double start = thread_ns();
        is_fine = step_all(bench, sim, NULL, run);
        *ns = (thread_ns() - start) / (double)bench->ticks;
    }
    is_fine = is_fine && keep_root(bench, sim);
    tp_sim_destroy(sim);
    return is_fine;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof(*values), by_value);
    return values[count / 2];
}

static bool run_rounds(Bench *bench, BenchTickResult *result)
{
    static double times[BENCH_TICK_RUNS + 1][BENCH_TICK_ROUNDS_MAX];
    for (uint32_t round = 0; round < result->rounds; round++) {
        for (int run = result->has_bare ? BENCH_TICK_BARE : BENCH_TICK_STEP; run < BENCH_TICK_RUNS; run++) {
            double *ns = &times[run][round];
            if (run == BENCH_TICK_BARE ? !run_bare(bench, ns) : !run_hosted(bench, (BenchTickRun)run, times[BENCH_TICK_STEP][round], ns)) {
                return false;
            }
        }
        times[BENCH_TICK_RUNS][round] = bench->behind_ns;
    }
    for (int run = 0; run < BENCH_TICK_RUNS; run++) {
        result->ns[run] = median(times[run], result->rounds);
    }
    result->behind_ns = median(times[BENCH_TICK_RUNS], result->rounds);
    return true;
}

// Copying and hashing as many bytes as the state has, once through the caches.
static bool time_limits(Bench *bench, BenchTickResult *result)
{
    double   copies[LIMIT_TIMES], hashes[LIMIT_TIMES];
    size_t   size = result->block_size;
    uint64_t sum = 0;
    uint32_t times = size < 65536 ? 65536 / ((uint32_t)size + 1) + 1 : 1; // so that the clock's own cost is small beside it
    uint8_t *from = calloc(2, size + 64);
    if (from == NULL) {
        return fail(bench, "the limits", "out of memory");
    }
    uint8_t *to = from + (size + 64) / 64 * 64;
    for (int i = 0; i < LIMIT_TIMES; i++) {
        double start = thread_ns();
        for (uint32_t k = 0; k < times; k++) {
            from[k % (size + 1)] += (uint8_t)i;
            memcpy(to, from, size);
            __asm__ volatile("" : : "r"(to) : "memory"); // a copy that nobody reads would be no copy
        }
        copies[i] = (thread_ns() - start) / times;
        start = thread_ns();
        for (uint32_t k = 0; k < times; k++) {
            from[k % (size + 1)] += (uint8_t)i;
            sum += tp_hash64(TP_HASH_XXH3, from, size);
        }
        hashes[i] = (thread_ns() - start) / times;
    }
    __asm__ volatile("" : : "r"(sum));
    result->memcpy_ns = median(copies, LIMIT_TIMES);
    result->hash_ns = median(hashes, LIMIT_TIMES);
    free(from);
    return true;
}

static bool take_setup(Bench *bench, const BenchTickOptions *options)
{
    tp_error error;
    worldconfig_standard(bench->world, bench->config);
    if (options->config != NULL && !worldconfig_read(bench->world, options->config, bench->config)) {
        return false; // said so
    }
    bench->setup = (tp_setup){ .seed = options->seed, .players = bench->result->players, .tick_rate_hz = bench->world->tick_rate_hz, .config = bench->config };
    if (!tp_layout_init(&bench->layout, bench->world, &bench->setup, &error)) {
        return fail(bench, "its setup", error.text);
    }
    bench->inputs = calloc(bench->ticks + 1, inputs_of_tick(bench) + 1);
    bench->structs = calloc(bench->ticks + 1, structs_of_tick(bench) + 1);
    return (bench->inputs != NULL && bench->structs != NULL) || fail(bench, "the inputs of all ticks", "out of memory; --ticks takes fewer");
}

bool bench_tick_measure(const BenchTickOptions *options, const tp_world *world, BenchTickResult *result)
{
    static Bench bench;
    bench = (Bench){ .world = world, .ticks = options->ticks, .result = result };
    *result = (BenchTickResult){ .world = world, .players = options->players > 0 ? options->players : world->players_standard, .rounds = options->rounds, .ticks = options->ticks, .has_bare = world->opaque == NULL };
    bool is_fine = take_setup(&bench, options) && gather_inputs(&bench);
    if (is_fine) {
        decode_inputs(&bench);
        result->block_size = world->opaque != NULL ? world->opaque->size_max(&bench.setup) : bench.layout.block_size;
        result->canonical_size = world->opaque != NULL ? result->block_size : bench.layout.canonical_size;
        is_fine = run_rounds(&bench, result) && time_limits(&bench, result);
    }
    result->events = bench.events;
    result->root = bench.root;
    result->log_bytes = (double)bench.log_bytes / (double)bench.ticks;
    free(bench.inputs);
    free(bench.structs);
    return is_fine;
}
