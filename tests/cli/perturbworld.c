// perturbworld.c: a world for the tests of `tickproof perturb`, in a shared library: it counts, and from tick 100 on does one thing that no world
// may do. Which one its config says; 0 is none. Every fault reaches the state through `spoil`, and nothing else does.
#include <ctype.h>
#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "tickproof/world.h"

enum { FIRST_TICK = 100 };

typedef enum Fault {
    NONE, STACK, HEAP, SLACK, BLOCK_ADDRESS, HEAP_ADDRESS, CODE_ADDRESS, LOCALE, ZONE, CLOCK, NANOSECONDS, ENTROPY, DIRECTORY, ENVIRONMENT, LEAK, SNAPSHOT,
    CACHE, UNTOLD, OBSERVER, THREAD_ORDER, SHARED, ROUNDING, DENORMALS, PROCESS, COUNTER, MEMORY, LETTER, FAULTS,
} Fault;

// 12 bytes, so that a gap of 4 lies behind the section.
#define COUNTER_FIELDS(S, F, A, H)         \
    F(S, u32, count, "ticks", TP_ANY)      \
    F(S, u32, spoilt, "units", TP_ANY)     \
    F(S, u32, other, "units", TP_ANY)
TP_STRUCT(Counter, COUNTER_FIELDS)
TP_TABLE(counter_fields, Counter, COUNTER_FIELDS)

#define CACHE_FIELDS(S, F, A, H) F(S, u64, sum, "units", TP_ANY)
TP_STRUCT(Cache, CACHE_FIELDS)
TP_TABLE(cache_fields, Cache, CACHE_FIELDS)

#define INPUT_FIELDS(S, F, A, H) F(S, u8, button, "presses", TP_RANGE(0, 1))
TP_STRUCT(Input, INPUT_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)

enum { SECTION_COUNTER, SECTION_CACHE };
static const tp_section sections[] = {
    TP_SECTION("counter", Counter, counter_fields, NULL, 1, TP_SIM),
    TP_SECTION("cache", Cache, cache_fields, NULL, 1, TP_DERIVED),
};
static const tp_record_type input = TP_RECORD("input", Input, input_fields, "a button");
static const tp_config_item config[] = { { "fault", "kind", "what is done wrong; 0 for nothing", 0, 0, FAULTS - 1 } };

static uint32_t runs, since_init, order[4];
static volatile uint32_t shared;
static _Atomic uint32_t order_count;

static void init(void *state, tp_context *context)
{
    Counter *counter = tp_section_at(context, state, SECTION_COUNTER);
    counter->other = 7;
    runs += 1;
    since_init = 0;
}

// An array that nobody has written to, as far as the compiler can tell.
static __attribute__((noinline)) uint32_t read_stack(void)
{
    volatile uint8_t unset[512];
    return (uint32_t)unset[40] + unset[400];
}

static __attribute__((noinline)) uint32_t read_heap(void)
{
    volatile uint8_t *unset = malloc(200);
    uint32_t          found = unset[100];
    free((void *)unset);
    return found;
}

static uint32_t of_address(const void *address)
{
    return (uint32_t)((uintptr_t)address >> 4);
}

static uint32_t read_heap_address(void)
{
    void    *memory = malloc(100000);
    uint32_t found = of_address(memory);
    free(memory);
    return found;
}

static uint32_t read_locale(uint32_t count)
{
    char text[32];
    snprintf(text, sizeof(text), "%.1f", count * 0.5);
    return (uint32_t)strlen(text) + (strchr(text, '.') != NULL ? 1 : 0);
}

static uint32_t read_zone(void)
{
    time_t    zero = 0;
    struct tm parts;
    localtime_r(&zero, &parts);
    return (uint32_t)parts.tm_hour;
}

static __attribute__((noinline)) uint32_t roll_dice(void)
{
    uint32_t number = 0;
    return getrandom(&number, sizeof(number), 0) == sizeof(number) ? number : 0;
}

static uint32_t read_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)now.tv_nsec;
}

static uint32_t read_directory(void)
{
    uint32_t count = 0;
    DIR     *folder = opendir(".");
    while (folder != NULL && readdir(folder) != NULL) {
        count += 1;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

static void *take_number(void *argument)
{
    order[order_count++ % 4] = *(const uint32_t *)argument;
    return NULL;
}

static uint32_t race(void)
{
    pthread_t             threads[4];
    static const uint32_t numbers[4] = { 1, 2, 3, 4 };
    order_count = 0;
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, take_number, (void *)&numbers[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    return order[0] + order[1] * 8 + order[2] * 64 + order[3] * 512;
}

// Right as long as nobody else in the process does the same.
static uint32_t use_shared(void)
{
    volatile uint32_t here = 0;
    uint32_t          own = of_address((const void *)&here);
    shared = own;
    sched_yield();
    return shared != own ? 1 : 0;
}

static uint32_t round_third(uint32_t count)
{
    volatile double third = (double)(count + 1);
    third /= 3.0;
    uint64_t bits = 0;
    memcpy(&bits, (const void *)&third, sizeof(bits));
    return (uint32_t)bits;
}

static uint32_t read_counter(void)
{
#if defined(__x86_64__)
    return (uint32_t)__builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

static uint32_t add_denormal(void)
{
    volatile float small = 1e-38f;
    small = small / 16;
    return small > 0 ? 1 : 0;
}

static uint32_t use_memory(void)
{
    void *volatile memory = calloc(1, 10);
    free(memory);
    return 0;
}

// As an optimised tolower has it, whatever this file is built with.
static uint32_t lower_letter(uint32_t count)
{
#if defined(__GLIBC__)
    return (uint32_t)(*__ctype_tolower_loc())[count % 128];
#else
    return (uint32_t)tolower((int)(count % 128));
#endif
}

static uint32_t spoil(const Counter *counter, const Cache *cache, Fault fault)
{
    switch (fault) {
    case STACK: return read_stack();
    case HEAP: return read_heap();
    case SLACK: return ((const uint8_t *)counter)[sizeof(*counter)];
    case BLOCK_ADDRESS: return of_address(counter);
    case HEAP_ADDRESS: return read_heap_address();
    case CODE_ADDRESS: return of_address(&runs);
    case LOCALE: return read_locale(counter->count);
    case ZONE: return read_zone();
    case CLOCK: return (uint32_t)(time(NULL) / 3600);
    case NANOSECONDS: return read_nanoseconds();
    case ENTROPY: return roll_dice();
    case DIRECTORY: return read_directory();
    case ENVIRONMENT: return getenv("TICKPROOF_TEST_VARIABLE") != NULL ? 1 : 0;
    case LEAK: return runs;
    case SNAPSHOT: return since_init;
    case CACHE: return (uint32_t)cache->sum;
    case THREAD_ORDER: return race();
    case SHARED: return use_shared();
    case ROUNDING: return round_third(counter->count);
    case DENORMALS: return add_denormal();
    case PROCESS: return (uint32_t)getpid();
    case COUNTER: return read_counter();
    case MEMORY: return use_memory();
    case LETTER: return lower_letter(counter->count);
    case NONE:
    case UNTOLD:
    case OBSERVER:
    case FAULTS: break;
    }
    return 0;
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    Counter *counter = tp_section_at(context, state, SECTION_COUNTER);
    Cache   *cache = tp_section_at(context, state, SECTION_CACHE);
    Fault    fault = (Fault)context->setup->config[0];
    counter->count += 1;
    since_init += 1;
    cache->sum += counter->count;
    if (tick->tick >= FIRST_TICK) {
        counter->spoilt = counter->spoilt * 31 + spoil(counter, cache, fault);
    }
    // Both lie in one page, so that telling of either tells of both.
    if (fault != UNTOLD || tick->tick % 2 == 0) {
        tp_touch(context, counter, sizeof(*counter));
        tp_touch(context, cache, sizeof(*cache));
    }
    return TP_STEP_OK;
}

// What the cache was is not in the state, so it cannot be made again.
static void rebuild(void *state, tp_context *context)
{
    Cache *cache = tp_section_at(context, state, SECTION_CACHE);
    cache->sum = 0;
}

static void look_init(void *observer, const tp_setup *setup)
{
    (void)observer;
    (void)setup;
}

static void look(void *observer, const tp_view *view, void (*sink)(void *to, const tp_cue *cue), void *to)
{
    (void)observer;
    (void)sink;
    (void)to;
    if (view->setup->config[0] == OBSERVER && view->tick > FIRST_TICK) {
        ((Counter *)(uintptr_t)tp_view_section(view, SECTION_COUNTER))->spoilt += 1;
    }
}

static const tp_observer_type observer = { "look", 16, look_init, look };

static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "perturbworld", .revision = 1, .text = "counts, and does one thing wrong",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 2, .players_standard = 1,
    .config = config, .config_count = 1, .sections = sections, .section_count = 2, .input = &input,
    .init = init, .step = step, .rebuild = rebuild, .observer = &observer, .flags = TP_WORLD_TRACKS_WRITES,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}
