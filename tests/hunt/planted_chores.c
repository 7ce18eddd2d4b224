// planted_chores.c: the chores, each right and wrong. The wrong ones are what people write: nothing here looks at who is watching.
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "planted.h"

extern char **environ;

// How much is asked for when it matters that the memory has had no other use: more than an allocator keeps in its own heap, and a stack
// that nothing else reaches down to.
enum { SHELF_WORDS = 12 * 1024 * 1024, MANIFEST_WORDS = 6 * 1024, THREADS = 4, ROUNDS = 64, ITEMS = 64 };

static uint64_t matches_ever, note_left;

void chores_begin(void)
{
    matches_ever++;
}

void chores_note(uint64_t note)
{
    note_left = note;
}

static uint64_t fold(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 31);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// A way for a value that the compiler cannot see through.
static double seen(double value)
{
    volatile double kept = value;
    return kept;
}

// The same for memory: a compiler that sees that nobody has filled it says so, and may make of the read what it wants.
static uint64_t read_word(const uint32_t *word)
{
    const uint32_t *volatile place = word;
    return *place;
}

static uint64_t chore_stack(Scene *scene)
{
    uint32_t manifest[MANIFEST_WORDS];
    uint32_t *volatile all = manifest;
    if (!IS_PLANTED(STACK)) {
        memset(all, 0, sizeof(manifest));
    }
    return read_word(all);
}

static uint64_t chore_heap(Scene *scene)
{
    uint32_t *volatile shelf = malloc(SHELF_WORDS * sizeof(*shelf));
    if (shelf == NULL) {
        TP_FAULT(TP_FAULT_CAPACITY, "the yard has no memory for a shelf");
    }
    if (!IS_PLANTED(HEAP)) {
        shelf[SHELF_WORDS / 2] = 0;
    }
    const uint64_t found = read_word(&shelf[SHELF_WORDS / 2]);
    free(shelf);
    return found;
}

static uint64_t chore_slack(Scene *scene)
{
    const volatile uint32_t *counts = (const uint32_t *)(const void *)scene->tally;
    const uint32_t           count = IS_PLANTED(SLACK) ? 4 : 3;
    uint64_t                 sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += counts[i];
    }
    return sum;
}

// Carts in the order of a table of buckets, by address or by number.
static uint64_t chore_order(Scene *scene)
{
    uint64_t sum = 0;
    for (uint32_t bucket = 0; bucket < CARTS; bucket++) {
        for (uint32_t i = 0; i < CARTS; i++) {
            const uint64_t key = IS_PLANTED(ORDER) ? (uint64_t)(uintptr_t)&scene->carts[i] : i;
            sum = (fold(0, key >> 3) >> 40) % CARTS == bucket ? fold(sum, i) : sum;
        }
    }
    return sum;
}

__attribute__((noinline)) static double product(double a, double b)
{
    return a * b;
}

static uint64_t chore_contraction(Scene *scene)
{
    const double a = seen((double)(scene->tick + 1) / 3), b = seen((double)(scene->tick + 2) / 7);
    const double rounded = seen(product(a, b));
    return IS_PLANTED(CONTRACTION) ? bits_of(a * b - rounded) : (scene->tick + 1) * (scene->tick + 2);
}

// So many angles that two libraries do not round them all the same way.
static uint64_t chore_sine(Scene *scene)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4096; i++) {
        sum = fold(sum, IS_PLANTED(SINE) ? bits_of(sin(seen(0.37 * i))) : (uint64_t)tp_sin((tp_angle){ (uint16_t)(i * 16) }).raw);
    }
    return sum;
}

static uint64_t chore_precision(Scene *scene)
{
    double   sum = 0;
    uint64_t exact = 0;
    for (uint32_t i = 1; i <= 1000; i++) {
        sum += 1.0 / (double)(i + (uint32_t)scene->tick);
        exact += (UINT64_C(1) << 40) / (i + scene->tick);
    }
    return IS_PLANTED(PRECISION) ? bits_of(sum) : exact;
}

static uint64_t chore_long(Scene *scene)
{
    const unsigned long narrow = (unsigned long)scene->tick * 50000000ul;
    const uint64_t      wide = scene->tick * UINT64_C(50000000);
    return IS_PLANTED(LONG) ? narrow >> 4 : wide >> 4;
}

static uint64_t chore_endian(Scene *scene)
{
    const uint32_t word = (uint32_t)scene->tick * 0x01020304u;
    unsigned char  bytes[sizeof(word)];
    memcpy(bytes, &word, sizeof(word));
    return IS_PLANTED(ENDIAN) ? bytes[0] : word & 0xff;
}

// "Does it still fit?", asked when it is too late: a compiler may take it that a sum does not wrap.
enum { MORE = 16 };
__attribute__((noinline)) static bool has_wrapped(int32_t parcels)
{
    return parcels + MORE < parcels;
}

static uint64_t chore_overflow(Scene *scene)
{
    const int32_t parcels = INT32_MAX - (int32_t)(scene->tick & 7);
    const bool    is_full = IS_PLANTED(OVERFLOW) ? has_wrapped(parcels) : parcels > INT32_MAX - MORE;
    return is_full ? 1 : 2;
}

typedef struct Item {
    uint32_t weight, number;
} Item;

static int compare(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    const int   by_weight = (a->weight > b->weight) - (a->weight < b->weight);
    return by_weight != 0 || IS_PLANTED(SORT) ? by_weight : (a->number > b->number) - (a->number < b->number);
}

static uint64_t chore_sort(Scene *scene)
{
    Item     items[ITEMS];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        items[i] = (Item){ (i * 7 + (uint32_t)scene->tick) % 4, i };
    }
    qsort(items, ITEMS, sizeof(items[0]), compare);
    for (uint32_t i = 0; i < ITEMS; i++) {
        sum = fold(sum, items[i].number);
    }
    return sum;
}

static uint64_t chore_locale(Scene *scene)
{
    return IS_PLANTED(LOCALE) ? (uint64_t)(strtod("2.75", NULL) * 100) : 275;
}

static uint64_t chore_clock(Scene *scene)
{
    return IS_PLANTED(CLOCK) ? (uint64_t)time(NULL) / 86400 : scene->tick / 60;
}

static uint64_t chore_entropy(Scene *scene)
{
    uint64_t drawn = tp_pcg32_next(scene->dice);
    if (IS_PLANTED(ENTROPY) && getrandom(&drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn)) {
        TP_FAULT(TP_FAULT_WORLD, "the system has no random number");
    }
    return drawn;
}

static uint64_t chore_stale(Scene *scene)
{
    return scene->near->carts; // stale after a wrong rebuild
}

static uint64_t chore_global(Scene *scene)
{
    return IS_PLANTED(GLOBAL) ? matches_ever : 1;
}

// Threads that bring parcels to one heap.
typedef struct Heap {
    pthread_mutex_t lock;
    uint64_t        in_order; // of arrival
    uint64_t        brought[THREADS];
} Heap;

typedef struct Carrier {
    Heap    *heap;
    uint32_t number;
} Carrier;

static void *carry(void *argument)
{
    const Carrier *carrier = argument;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&carrier->heap->lock);
        carrier->heap->in_order = fold(carrier->heap->in_order, carrier->number);
        carrier->heap->brought[carrier->number]++;
        pthread_mutex_unlock(&carrier->heap->lock);
        sched_yield();
    }
    return NULL;
}

static uint64_t chore_threads(Scene *scene)
{
    Heap      heap = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[THREADS];
    Carrier   carriers[THREADS];
    uint64_t  sum = 0;
    uint32_t  count = 0;
    for (; count < THREADS; count++) {
        carriers[count] = (Carrier){ &heap, count };
        if (pthread_create(&threads[count], NULL, carry, &carriers[count]) != 0) {
            break;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum = fold(sum, heap.brought[i]);
    }
    if (count < THREADS) {
        TP_FAULT(TP_FAULT_CAPACITY, "the yard has no threads");
    }
    return IS_PLANTED(THREADS) ? heap.in_order : sum;
}

static uint64_t chore_zone(Scene *scene)
{
    const time_t then = 1000000000;
    struct tm    parts = { .tm_hour = 1 };
    if (IS_PLANTED(ZONE)) {
        localtime_r(&then, &parts);
    }
    return (uint64_t)parts.tm_hour * 60 + (uint64_t)parts.tm_min;
}

static uint64_t chore_environment(Scene *scene)
{
    uint64_t size = 0;
    for (char **item = environ; IS_PLANTED(ENVIRONMENT) && *item != NULL; item++) {
        size += strlen(*item) + 1;
    }
    return size;
}

static uint64_t chore_directory(Scene *scene)
{
    char     path[PATH_MAX] = "/";
    uint64_t sum = 0;
    if (IS_PLANTED(DIRECTORY) && getcwd(path, sizeof(path)) == NULL) {
        TP_FAULT(TP_FAULT_WORLD, "the yard has no working directory");
    }
    for (const char *letter = path; *letter != '\0'; letter++) {
        sum = fold(sum, (unsigned char)*letter);
    }
    return sum;
}

static uint64_t chore_rounding(Scene *scene)
{
    uint64_t sum = 0;
    for (uint32_t i = 3; IS_PLANTED(ROUNDING) && i < 100; i++) {
        sum = fold(sum, bits_of(seen(1.0) / seen(i)));
    }
    return sum;
}

static uint64_t chore_flush(Scene *scene)
{
    return IS_PLANTED(FLUSH) ? bits_of(seen(seen(DBL_MIN) * 0.5)) : 0;
}

static uint64_t chore_observer(Scene *scene)
{
    return IS_PLANTED(OBSERVER) ? note_left : scene->tick;
}

// The engine does those that are missing here.
static uint64_t (*const chores[CHORE_COUNT])(Scene *scene) = {
    [CHORE_STACK] = chore_stack, [CHORE_HEAP] = chore_heap, [CHORE_SLACK] = chore_slack, [CHORE_ORDER] = chore_order,
    [CHORE_CONTRACTION] = chore_contraction, [CHORE_SINE] = chore_sine, [CHORE_PRECISION] = chore_precision, [CHORE_LONG] = chore_long,
    [CHORE_ENDIAN] = chore_endian, [CHORE_OVERFLOW] = chore_overflow, [CHORE_SORT] = chore_sort, [CHORE_LOCALE] = chore_locale,
    [CHORE_CLOCK] = chore_clock, [CHORE_ENTROPY] = chore_entropy, [CHORE_STALE] = chore_stale, [CHORE_GLOBAL] = chore_global,
    [CHORE_THREADS] = chore_threads, [CHORE_ZONE] = chore_zone, [CHORE_ENVIRONMENT] = chore_environment, [CHORE_DIRECTORY] = chore_directory,
    [CHORE_ROUNDING] = chore_rounding, [CHORE_FLUSH] = chore_flush, [CHORE_OBSERVER] = chore_observer,
};

void chores_do(Scene *scene)
{
    const uint64_t chore = scene->tick - CHORE_TICK;
    if (scene->tick > CHORE_TICK && chore < CHORE_COUNT && chores[chore] != NULL) {
        scene->carts[chore].load = chores[chore](scene);
    }
}
