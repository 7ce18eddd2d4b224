// planted_worlds.c: each bug in a function of its own, written as somebody would who did not know the contract.
#include "planted_worlds.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "tickproof/rng.h"

enum { SLOTS = 8, HASHED = 16, MEMOS = 64 };

#define GAME_FIELDS(S, F, A, H)                    \
    F(S, u64, ticks, "ticks", TP_ANY)              \
    F(S, u64, score, "points", TP_ANY)             \
    F(S, u64, stamp, "ns", TP_ANY)                 \
    F(S, u64, folded, "bits", TP_ANY)              \
    F(S, u32, drawn, "bits", TP_ANY)               \
    F(S, u32, place, "slot", TP_ANY)
#define SLOT_FIELDS(S, F, A, H) F(S, u32, is_used, "flag", TP_BOOL)
#define MARK_FIELDS(S, F, A, H) F(S, u32, is_on, "flag", TP_BOOL)
#define FREE_FIELDS(S, F, A, H)                    \
    A(S, u8, order, SLOTS, "slot", TP_ANY)         \
    F(S, u8, count, "count", TP_ANY)
#define CACHE_FIELDS(S, F, A, H) F(S, u32, gain, "points", TP_ANY)
#define INPUT_FIELDS(S, F, A, H) F(S, i8, push, "stick", TP_RANGE(-127, 127))
#define BEEP_FIELDS(S, F, A, H) F(S, u64, when, "ticks", TP_ANY)

TP_STRUCT(Game, GAME_FIELDS)
TP_STRUCT(Slot, SLOT_FIELDS)
TP_STRUCT(Mark, MARK_FIELDS)
TP_STRUCT(Free, FREE_FIELDS)
TP_STRUCT(Cache, CACHE_FIELDS)
TP_STRUCT(Input, INPUT_FIELDS)
TP_STRUCT(Beep, BEEP_FIELDS)
TP_TABLE(game_fields, Game, GAME_FIELDS)
TP_TABLE(slot_fields, Slot, SLOT_FIELDS)
TP_TABLE(mark_fields, Mark, MARK_FIELDS)
TP_TABLE(free_fields, Free, FREE_FIELDS)
TP_TABLE(cache_fields, Cache, CACHE_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)
TP_TABLE(beep_fields, Beep, BEEP_FIELDS)

enum { GAME, SLOTS_SECTION, MARK, FREE, CACHE };
// Each but the last is followed by what the next is aligned to: one of the gaps serves PLANTED_GAP.
static const tp_section sections[] = {
    TP_SECTION("game", Game, game_fields, NULL, 1, TP_SIM),
    TP_SECTION("slots", Slot, slot_fields, NULL, SLOTS, TP_SIM),
    TP_SECTION("mark", Mark, mark_fields, NULL, 1, TP_SIM),
    TP_SECTION("free", Free, free_fields, NULL, 1, TP_DERIVED),
    TP_SECTION("cache", Cache, cache_fields, NULL, 1, TP_DERIVED),
};
static const tp_record_type input_type = TP_RECORD("input", Input, input_fields, "a stick");
static const tp_record_type events[] = { TP_RECORD("beep", Beep, beep_fields, "once a tick") };

// What no world may have.
static uint64_t hidden_steps;
static uint64_t hidden_announced;
static uint64_t hidden_pending;
static uint64_t hidden_hash_seed;
static uint16_t hidden_free_head;
static bool     hidden_is_warm;
static uint64_t hidden_memo_tick[MEMOS]; // one more than it, so that none is nothing
static uint32_t hidden_memo[MEMOS];
static tp_pcg32 hidden_random = { 1, 1 };

void planted_forget(void)
{
    hidden_steps = hidden_announced = hidden_pending = hidden_hash_seed = 0;
    hidden_free_head = 0;
    hidden_is_warm = false;
    memset(hidden_memo_tick, 0, sizeof(hidden_memo_tick));
    hidden_random = (tp_pcg32){ 1, 1 };
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The free slots in the order in which they will be given out. By index: a function of the slots alone.
static void list_free(const Slot *slots, Free *list)
{
    memset(list, 0, sizeof(*list));
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (slots[i].is_used == 0) {
            list->order[list->count++] = (uint8_t)i;
        }
    }
}

static void init(void *state, tp_context *context)
{
    Game *game = tp_section_at(context, state, GAME);
    Slot *slots = tp_section_at(context, state, SLOTS_SECTION);
    hidden_random = tp_pcg32_make(context->setup->seed, 5); // as a world would that does not know that it is restored, too
    for (uint32_t i = 0; i < SLOTS / 2; i++) {
        slots[i].is_used = 1;
    }
    if (context->setup->config[0] == PLANTED_INIT) {
        game->stamp = clock_ns();
    }
}

static void rebuild(void *state, tp_context *context)
{
    const Mark *mark = tp_section_at(context, state, MARK);
    Cache      *cache = tp_section_at(context, state, CACHE);
    list_free(tp_section_at(context, state, SLOTS_SECTION), tp_section_at(context, state, FREE));
    if (context->setup->config[0] != PLANTED_UNBUILT) {
        cache->gain = mark->is_on != 0 ? 7 : 0;
    }
}

static uint64_t mix(uint64_t value)
{
    return tp_splitmix64_next(&value);
}

static void step_counter(Game *game, bool shows)
{
    hidden_steps += 1;
    game->score += shows ? hidden_steps : 0;
}

static void step_random(Game *game, bool shows)
{
    uint32_t drawn = tp_pcg32_next(&hidden_random);
    game->drawn = shows ? drawn : 0;
}

static void step_free_static(Game *game, bool shows)
{
    hidden_free_head = (uint16_t)(hidden_free_head * 5 + 3);
    game->place = shows ? hidden_free_head : 0;
}

// Last freed, first given out; two are freed at `from`, so that from then on the order has a history.
static void step_slots(Slot *slots, Free *list, bool is_from, bool has_history)
{
    static const uint32_t freed[] = { 0, 2 };
    for (int i = 0; is_from && i < 2; i++) {
        slots[freed[i]].is_used = 0;
        memmove(list->order + 1, list->order, list->count);
        list->order[0] = (uint8_t)freed[i];
        list->count += 1;
    }
    if (!has_history) {
        list_free(slots, list);
    }
}

static void step_address(Game *game, const void *state, bool shows)
{
    game->place = shows ? (uint32_t)((uintptr_t)state >> 4) : 0;
}

static void step_event(tp_context *context, PlantedBug bug, uint64_t tick, bool shows)
{
    Beep beep = { tick };
    bool is_new = tick >= hidden_announced;
    if (bug == PLANTED_EVENT_LATE) {
        beep.when = shows ? hidden_pending : 0;
        hidden_pending = tick;
    } else if (bug == PLANTED_EVENT_ONCE) {
        hidden_announced = is_new ? tick + 1 : hidden_announced;
        if (shows && !is_new) {
            return;
        }
    }
    tp_emit(context, 0, &beep);
}

// Sixteen things in the order of their hashes, each taking in the one before it.
static void step_order(Game *game, bool shows)
{
    uint64_t folded = 0;
    bool     is_done[HASHED] = { false };
    if (hidden_hash_seed == 0) {
        hidden_hash_seed = mix((uint64_t)getpid());
    }
    for (uint32_t round = 0; shows && round < HASHED; round++) {
        uint32_t next = HASHED;
        for (uint32_t i = 0; i < HASHED; i++) {
            if (!is_done[i] && (next == HASHED || mix(i ^ hidden_hash_seed) < mix(next ^ hidden_hash_seed))) {
                next = i;
            }
        }
        is_done[next] = true;
        folded = mix(folded + next);
    }
    game->folded = folded;
}

// Added up only once a tick, since that is so costly.
static void step_memo(Game *game, const tp_tick *tick, uint32_t memos, bool shows)
{
    const Input *inputs = tick->inputs;
    uint32_t     place = (uint32_t)(tick->tick % memos);
    if (hidden_memo_tick[place] != tick->tick + 1) {
        hidden_memo_tick[place] = tick->tick + 1;
        hidden_memo[place] = 1;
        for (uint32_t slot = 0; slot < tick->players; slot++) {
            hidden_memo[place] += (uint32_t)inputs[slot].push;
        }
    }
    game->place = shows ? hidden_memo[place] : 0;
}

static void step_gap(Mark *mark, bool shows)
{
    unsigned char *behind = (unsigned char *)(mark + 1);
    if (shows) {
        behind[0] += 1;
    }
}

static void step_first(PlantedBug bug, bool shows)
{
    hidden_steps += 1;
    if (shows && hidden_steps == 1 && bug == PLANTED_CRASH) {
        raise(SIGABRT); // not SIGSEGV, which a sanitizer's build takes for itself
    }
    if (shows && hidden_steps == 1 && bug == PLANTED_EXIT) {
        exit(0);
    }
    for (volatile int i = 1; shows && hidden_steps == 1 && i != 0;) {
    }
}

static void step_again(uint64_t tick, bool shows)
{
    if (shows && tick < hidden_announced) {
        TP_FAULT(TP_FAULT_WORLD, "stepped before");
    }
    hidden_announced = tick < hidden_announced ? hidden_announced : tick + 1;
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    PlantedBug   bug = (PlantedBug)context->setup->config[0];
    uint64_t     from = (uint64_t)context->setup->config[1];
    bool         shows = tick->tick >= from;
    const Input *inputs = tick->inputs;
    Game        *game = tp_section_at(context, state, GAME);
    Slot        *slots = tp_section_at(context, state, SLOTS_SECTION);
    Mark        *mark = tp_section_at(context, state, MARK);
    Cache       *cache = tp_section_at(context, state, CACHE);
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        game->score += (uint64_t)(int64_t)inputs[slot].push;
    }
    game->ticks += 1;
    game->score += cache->gain; // the last tick's
    mark->is_on = shows ? 1 : 0;
    cache->gain = shows ? 7 : 0;
    step_slots(slots, tp_section_at(context, state, FREE), tick->tick == from, bug == PLANTED_FREE_DERIVED);
    step_event(context, bug, tick->tick, shows);
    if (bug == PLANTED_COUNTER) {
        step_counter(game, shows);
    } else if (bug == PLANTED_RANDOM) {
        step_random(game, shows);
    } else if (bug == PLANTED_FREE_STATIC) {
        step_free_static(game, shows);
    } else if (bug == PLANTED_ADDRESS) {
        step_address(game, state, shows);
    } else if (bug == PLANTED_CLOCK) {
        game->stamp = shows ? clock_ns() : 0;
    } else if (bug == PLANTED_ORDER) {
        step_order(game, shows);
    } else if (bug == PLANTED_GAP) {
        step_gap(mark, shows);
    } else if (bug == PLANTED_FAULT) {
        step_again(tick->tick, shows);
    } else if (bug == PLANTED_CRASH || bug == PLANTED_HANG || bug == PLANTED_EXIT) {
        step_first(bug, shows);
    } else if (bug == PLANTED_MEMO || bug == PLANTED_MEMO_RING) {
        step_memo(game, tick, bug == PLANTED_MEMO ? 1 : MEMOS, shows);
    } else if (bug == PLANTED_STICKY) {
        hidden_is_warm = hidden_is_warm || tick->tick == from / 2;
        game->score += shows && hidden_is_warm ? 1 : 0;
    }
    return TP_STEP_OK;
}

static const tp_config_item config[] = {
    { "bug", "number", "which one", 0, 0, PLANTED_COUNT - 1 },
    { "from", "ticks", "where it begins to show", PLANTED_FROM, 0, 1000000 },
};

const tp_world planted_flat = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "planted", .revision = 1, .text = "breaks the contract when told to",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 8, .players_standard = 2,
    .config = config, .config_count = TP_COUNT_OF(config), .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &input_type,
    .events = events, .event_count = 1, .events_max = 4, .init = init, .step = step, .rebuild = rebuild,
};

// The opaque one.

typedef struct {
    uint64_t  ticks, score;
    uint64_t  unsaved;
    bool      is_warm;
    uint64_t  untidy;  // steps since it was tidied
    uint32_t *weight; // a heap of its own
    int64_t   bug, from;
} Heap;

static size_t opaque_size_max(const tp_setup *setup)
{
    (void)setup;
    return 24;
}

static void *opaque_create(const tp_setup *setup)
{
    Heap *heap = calloc(1, sizeof(*heap));
    if (heap != NULL) {
        heap->weight = calloc(8, sizeof(*heap->weight));
        heap->bug = setup->config[0];
        heap->from = setup->config[1];
    }
    if (heap != NULL && heap->weight == NULL) {
        free(heap);
        return NULL;
    }
    return heap;
}

static void opaque_destroy(void *instance)
{
    Heap *heap = instance;
    free(heap->weight);
    free(heap);
}

static bool opaque_save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    Heap       *heap = (Heap *)instance;
    BytesWriter writer = bytes_writer(bytes, capacity);
    bytes_write_u64(&writer, heap->ticks);
    bytes_write_u64(&writer, heap->score);
    bytes_write_u64(&writer, heap->bug == PLANTED_OPAQUE_UNSAVED ? 0 : heap->unsaved);
    *size = writer.size;
    heap->untidy = 0; // nothing that is saved: surely it does not matter
    return !writer.failed;
}

static bool opaque_load(void *instance, const void *bytes, size_t size)
{
    Heap       *heap = instance;
    BytesReader reader = bytes_reader(bytes, size);
    uint32_t   *weight = malloc(8 * sizeof(*weight));
    uint64_t    ticks = bytes_read_u64(&reader);
    uint64_t    score = bytes_read_u64(&reader);
    uint64_t    unsaved = bytes_read_u64(&reader);
    if (weight == NULL || !bytes_reader_is_done(&reader)) {
        free(weight);
        return false;
    }
    if (heap->bug != PLANTED_OPAQUE_UNWRITTEN) {
        memset(weight, 0, 8 * sizeof(*weight));
    }
    free(heap->weight);
    heap->weight = weight;
    heap->ticks = ticks;
    heap->untidy = 0;
    heap->score = score;
    heap->unsaved = heap->bug == PLANTED_OPAQUE_UNSAVED ? heap->unsaved : unsaved;
    return true;
}

static void opaque_init(void *state, tp_context *context)
{
    Heap *heap = state;
    heap->score = context->setup->seed;
}

static tp_step_result opaque_step(void *state, const tp_tick *tick, tp_context *context)
{
    Heap        *heap = state;
    const Input *inputs = tick->inputs;
    (void)context;
    heap->ticks += 1;
    heap->unsaved += 1;
    heap->untidy += 1;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        heap->score += (uint64_t)(int64_t)inputs[slot].push;
    }
    heap->is_warm = heap->is_warm || (heap->bug == PLANTED_OPAQUE_STICKY && (int64_t)tick->tick == heap->from / 2);
    if ((int64_t)tick->tick >= heap->from) {
        heap->score += heap->unsaved + heap->weight[5] + (heap->is_warm ? 1 : 0);
        heap->score += heap->bug == PLANTED_OPAQUE_TIDY && heap->untidy > 1 ? 1 : 0;
    }
    return TP_STEP_OK;
}

static const tp_opaque opaque = {
    .size_max = opaque_size_max, .create = opaque_create, .destroy = opaque_destroy, .save = opaque_save, .load = opaque_load,
};

static const tp_config_item opaque_config[] = {
    { "bug", "number", "which one", 0, 0, PLANTED_OPAQUE_COUNT - 1 },
    { "from", "ticks", "where it begins to show", PLANTED_FROM, 0, 1000000 },
};

const tp_world planted_opaque = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "planted_opaque", .revision = 1, .text = "breaks the contract when told to",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 8, .players_standard = 2, .config = opaque_config, .config_count = TP_COUNT_OF(opaque_config),
    .input = &input_type, .opaque = &opaque, .init = opaque_init, .step = opaque_step,
};

static uint64_t opaque_hash(const void *instance, tp_hash_algorithm algorithm)
{
    const Heap    *heap = instance;
    const uint64_t all[] = { heap->ticks, heap->score, heap->unsaved };
    return tp_hash64(algorithm, all, sizeof(all));
}

static const tp_opaque hashed = {
    .size_max = opaque_size_max, .create = opaque_create, .destroy = opaque_destroy, .save = opaque_save, .load = opaque_load, .hash = opaque_hash,
};

const tp_world planted_opaque_hashed = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "planted_hashed", .revision = 1, .text = "breaks the contract when told to",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 8, .players_standard = 2, .config = opaque_config, .config_count = TP_COUNT_OF(opaque_config),
    .input = &input_type, .opaque = &hashed, .init = opaque_init, .step = opaque_step,
};
