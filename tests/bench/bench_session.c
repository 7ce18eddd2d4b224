// bench_session.c: what going back costs. First the book-keeping of the session for one tick that is stepped again, beyond the step and the snapshot
// themselves: a state of 64 bytes, two players, every tick a wrong guess. Then a fighter room: players times window, every tick going back
// as far as the window reaches, in ticks per second and as a share of a frame. Prints the last root, so that speed is never bought with meaning.
//
//   bench_session [TICKS]    2,000 by default (with the tests); 20,000 for figures
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fighter.h"
#include "tickproof/rng.h"
#include "tickproof/session.h"

enum { ROUNDS = 15, BYTES_MAX = 4096 };
#define BUDGET_NS 50.0

// The smallest world with a real state: 64 bytes, mixed by what the players do.
#define SMALL_FIELDS(S, F, A, H) A(S, u64, words, 8, "bits", TP_ANY)
#define SMALL_INPUT_FIELDS(S, F, A, H) \
    F(S, u8, buttons, "flags", TP_ANY) \
    F(S, i8, stick, "stick", TP_RANGE(-127, 127))
TP_STRUCT(SmallState, SMALL_FIELDS)
TP_STRUCT(SmallInput, SMALL_INPUT_FIELDS)
TP_TABLE(small_fields, SmallState, SMALL_FIELDS)
TP_TABLE(small_input_fields, SmallInput, SMALL_INPUT_FIELDS)
_Static_assert(sizeof(SmallState) == 64, "the budget is for a state of 64 bytes");

static const tp_section     small_sections[] = { TP_SECTION("words", SmallState, small_fields, NULL, 1, TP_SIM) };
static const tp_record_type small_input = TP_RECORD("input", SmallInput, small_input_fields, "buttons and a stick");

static void small_init(void *state, tp_context *context)
{
    ((SmallState *)state)->words[0] = context->setup->seed;
}

static tp_step_result small_step(void *state, const tp_tick *tick, tp_context *context)
{
    (void)context;
    uint64_t         *words = ((SmallState *)state)->words;
    const SmallInput *inputs = tick->inputs;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        words[slot % 8] = words[(slot + 1) % 8] * UINT64_C(6364136223846793005) + inputs[slot].buttons + (uint64_t)(int64_t)inputs[slot].stick;
    }
    return TP_STEP_OK;
}

static const tp_world small_world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "small", .revision = 1, .text = "64 bytes", .tick_rate_hz = 60,
    .players_min = 0, .players_max = 8, .players_standard = 2, .sections = small_sections, .section_count = 1, .input = &small_input,
    .init = small_init, .step = small_step,
};

typedef struct {
    const tp_world *world;
    uint32_t        players, window;
    uint64_t        ticks;
} Bench;

typedef struct {
    double     ns;     // of it all
    uint64_t   frames; // stepped
    uint64_t   deepest;
    tp_hash128 root;
} Run;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void stop(const char *what, const tp_error *error)
{
    printf("bench_session: %s: %s\n", what, error->text);
    exit(1);
}

static tp_sim *open_sim(const Bench *bench)
{
    tp_setup       setup = { .seed = 11, .players = bench->players, .tick_rate_hz = bench->world->tick_rate_hz };
    tp_sim_options options = { .ring_capacity = tp_session_ring(bench->window) };
    tp_error       error;
    tp_sim        *sim = tp_sim_create(bench->world, &setup, &options, &error);
    if (sim == NULL) {
        stop("no world", &error);
    }
    return sim;
}

typedef struct {
    uint8_t presence[TP_PLAYERS_MAX / 8];
    uint8_t inputs[TP_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
} Inputs;

// Inputs of a tick: everybody's first byte changes every tick, so no guess is ever right.
static tp_row make_row(const Bench *bench, const tp_sim *sim, uint64_t tick, Inputs *of)
{
    uint32_t size = tp_sim_layout(sim)->input_size;
    memset(of->presence, 0, sizeof(of->presence));
    memset(of->inputs, 0, (size_t)bench->players * size);
    for (uint32_t slot = 0; slot < bench->players; slot++) {
        of->presence[slot / 8] = (uint8_t)(of->presence[slot / 8] | 1u << (slot % 8));
        of->inputs[slot * size] = slot == 0 ? 0 : (uint8_t)(1 + tick % 2 + 2 * (slot % 2));
    }
    return (tp_row){ .presence = of->presence, .inputs = of->inputs };
}

// The same steps and snapshots as a session does them, by hand: restore, step the confirmed row, snapshot and step for each guess.
static Run run_bare(const Bench *bench)
{
    tp_sim  *sim = open_sim(bench);
    Inputs  *inputs = calloc(bench->window + 1, sizeof(*inputs));
    tp_row   rows[TP_SESSION_WINDOW_MAX + 1];
    tp_error error;
    Run      run = { 0 };
    for (uint32_t i = 0; i <= bench->window; i++) {
        rows[i] = make_row(bench, sim, i, &inputs[i]);
    }
    bool   is_good = true;
    double start = now();
    for (uint64_t tick = 0; tick < bench->ticks; tick++) {
        uint64_t confirmed = tp_sim_tick(sim) > bench->window ? tp_sim_tick(sim) - bench->window : 0;
        is_good = is_good && (tick == 0 || tp_sim_restore(sim, confirmed));
        for (uint32_t i = 0; i <= bench->window; i++) {
            is_good = is_good && (i == 0 || tp_sim_snapshot(sim)) && tp_sim_step(sim, &rows[i], &error) == TP_SIM_OK;
        }
    }
    run.ns = now() - start;
    if (!is_good) {
        stop("stepping by hand", &error);
    }
    free(inputs);
    tp_sim_destroy(sim);
    return run;
}

static Run run_session(const Bench *bench)
{
    static const uint8_t slots[] = { 0 };
    tp_sim              *sim = open_sim(bench);
    tp_session_options   options;
    tp_error             error;
    Run                  run = { 0 };
    uint8_t              bytes[BYTES_MAX];
    static Inputs        inputs;
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX] = { 0 };
    tp_session_options_standard(&options);
    options.window = bench->window;
    options.slots = slots;
    options.slot_count = 1;
    tp_session *session = tp_session_create(sim, &options, &error);
    if (session == NULL) {
        stop("no session", &error);
    }
    tp_session_status status = TP_SESSION_OK;
    double            start = now();
    for (uint64_t i = 0; i < bench->ticks + bench->window && status == TP_SESSION_OK; i++) {
        if (i >= bench->window) {
            uint64_t tick = i - bench->window;
            tp_row   row = make_row(bench, sim, tick, &inputs);
            size_t   size = tp_row_encode(tp_sim_layout(sim), &row, bytes, sizeof(bytes));
            status = tp_session_confirm(session, tick, bytes, size, NULL, &error);
        }
        status = status == TP_SESSION_OK ? tp_session_input(session, 0, native, &error) : status;
        status = status == TP_SESSION_OK ? tp_session_advance(session, NULL, &error) : status;
    }
    run.ns = now() - start;
    if (status != TP_SESSION_OK) {
        stop("playing", &error);
    }
    tp_session_statistics statistics;
    tp_session_get_statistics(session, &statistics);
    run.deepest = statistics.rollback_max;
    run.root = tp_sim_root(sim);
    tp_session_destroy(session);
    tp_sim_destroy(sim);
    return run;
}

// What one more tick to step again costs, from two windows: what is done once per advance falls out.
typedef struct {
    double shallow, deep; // best ns of an advance
} Slope;

enum { SHALLOW = 8, DEEP = 40 };

static void keep_best(double *best, double ns)
{
    *best = *best == 0 || ns < *best ? ns : *best;
}

static double per_tick(const Slope *slope)
{
    return (slope->deep - slope->shallow) / (DEEP - SHALLOW);
}

// All four in turn, so that what else this machine does hits them alike; the best of each is what the code itself takes.
static bool bench_small(uint64_t ticks)
{
    Bench shallow = { .world = &small_world, .players = 2, .window = SHALLOW, .ticks = ticks };
    Bench deep = { .world = &small_world, .players = 2, .window = DEEP, .ticks = ticks };
    Slope bare = { 0, 0 };
    Slope session = { 0, 0 };
    Run   last = { 0 };
    for (uint32_t i = 0; i < ROUNDS; i++) {
        keep_best(&bare.shallow, run_bare(&shallow).ns / (double)ticks);
        keep_best(&bare.deep, run_bare(&deep).ns / (double)ticks);
        keep_best(&session.shallow, run_session(&shallow).ns / (double)(ticks + SHALLOW));
        last = run_session(&deep);
        keep_best(&session.deep, last.ns / (double)(ticks + DEEP));
    }
    double more = per_tick(&session) - per_tick(&bare);
    printf("64 bytes, 2 players, %" PRIu64 " advances, each going back %d and %d ticks, best of %d\n", ticks, SHALLOW, DEEP, ROUNDS);
    printf("  step and snapshot by hand %7.1f ns a tick stepped again, %8.1f an advance of %d\n", per_tick(&bare), bare.shallow, SHALLOW);
    printf("  by the session            %7.1f ns a tick stepped again, %8.1f an advance of %d; ratio %.2f\n", per_tick(&session), session.shallow,
           SHALLOW, per_tick(&session) / per_tick(&bare));
    printf("  book-keeping              %7.1f ns a tick stepped again, budget %.0f\n", more, BUDGET_NS);
    printf("  root %016" PRIx64 "%016" PRIx64 "\n", last.root.hi, last.root.lo);
    return more <= BUDGET_NS && last.deepest == DEEP;
}

static void bench_fighters(uint64_t ticks)
{
    static const uint32_t players[] = { 2, 4, 8, 16 };
    static const uint32_t windows[] = { 1, 8, 16, 30 };
    printf("fighters x window: microseconds an advance, every one going back as far as it can (a frame has 16,667)\n  fighters");
    for (uint32_t w = 0; w < 4; w++) {
        printf("  window %2u", windows[w]);
    }
    printf("\n");
    for (uint32_t p = 0; p < 4; p++) {
        printf("  %8u", players[p]);
        for (uint32_t w = 0; w < 4; w++) {
            Bench bench = { .world = &fighter_world, .players = players[p], .window = windows[w], .ticks = ticks / 8 + 1 };
            Run   run = run_session(&bench);
            printf("  %9.1f", run.ns / 1e3 / (double)(bench.ticks + bench.window));
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    uint64_t ticks = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    bool     is_within = bench_small(ticks);
    bench_fighters(ticks);
    if (!is_within) {
        printf("bench_session: the book-keeping is above its budget, or nothing went back as far as it should\n");
    }
    return is_within ? 0 : 1;
}
