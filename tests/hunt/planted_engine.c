// planted_engine.c: the yard as an engine would have it: its own heap, floats, and a state that it saves itself, with a table of sections that
// names the saved bytes.
#include <stdlib.h>
#include <string.h>

#include "planted.h"

#define SAVED_CART_FIELDS(S, F, A, H)       \
    F(S, fx, x, "units", TP_ANY)            \
    F(S, fx, speed, "units/tick", TP_ANY)   \
    F(S, u64, load, "parcels", TP_ANY)      \
    F(S, u64, sway, "bits", TP_ANY)
#define SAVED_LABEL_FIELDS(S, F, A, H)      \
    F(S, u8, kind, "kind", TP_ANY)          \
    A(S, u8, unused, 3, "byte", TP_ANY)     \
    F(S, u32, weight, "grams", TP_ANY)
#define NOTES_FIELDS(S, F, A, H)            \
    F(S, u64, last_pusher, "driver", TP_ANY) \
    F(S, u64, pushes, "count", TP_ANY)
TP_STRUCT(SavedCart, SAVED_CART_FIELDS)
TP_STRUCT(SavedLabel, SAVED_LABEL_FIELDS)
TP_STRUCT(Notes, NOTES_FIELDS)
TP_TABLE(yard_fields, Yard, YARD_FIELDS)
TP_TABLE(cart_fields, SavedCart, SAVED_CART_FIELDS)
TP_TABLE(tally_fields, Tally, TALLY_FIELDS)
TP_TABLE(label_fields, SavedLabel, SAVED_LABEL_FIELDS)
TP_TABLE(driver_fields, Driver, DRIVER_FIELDS)
TP_TABLE(notes_fields, Notes, NOTES_FIELDS)

static const tp_section sections[] = {
    TP_SECTION("yard", Yard, yard_fields, NULL, 1, TP_SIM),
    TP_SECTION("carts", SavedCart, cart_fields, NULL, CARTS, TP_SIM),
    TP_SECTION("tally", Tally, tally_fields, NULL, 1, TP_SIM),
    TP_SECTION("label", SavedLabel, label_fields, NULL, 1, TP_SIM),
    TP_SECTION("drivers", Driver, driver_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    TP_SECTION("notes", Notes, notes_fields, NULL, 1, TP_SIM),
};

enum { SHELF_LABELS = 6 * 1024 * 1024 };

// Three bytes of it belong to nobody.
typedef struct Label {
    uint8_t  kind;
    uint32_t weight;
} Label;

typedef struct Engine {
    tp_setup setup;
    tp_pcg32 dice;
    Cart     carts[CARTS];
    double   sways[CARTS];
    Tally    tally;
    Label    label;
    Driver   drivers[4];
    Driver  *last_pusher; // of the drivers, or NULL
    uint64_t pushes;      // in the match
} Engine;

typedef struct Pen {
    unsigned char *bytes;
    size_t         size, capacity;
} Pen;

static void put(Pen *pen, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++, pen->size++) {
        if (pen->size < pen->capacity) {
            pen->bytes[pen->size] = (unsigned char)(value >> (8 * i));
        }
    }
}

static uint64_t take(Pen *pen, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++, pen->size++) {
        value |= (uint64_t)pen->bytes[pen->size] << (8 * i);
    }
    return value;
}

static size_t saved_size(const tp_setup *setup)
{
    return sizeof(Yard) + CARTS * sizeof(SavedCart) + sizeof(Tally) + sizeof(SavedLabel) + setup->players * sizeof(Driver) + sizeof(Notes);
}

static void *create(const tp_setup *setup)
{
    Engine *engine = calloc(1, sizeof(*engine));
    if (engine != NULL) {
        engine->setup = *setup;
    }
    return engine;
}

// Labels are written on a shelf of their own and come from there as a whole.
static void write_label(Engine *engine, uint32_t weight)
{
    Label *shelf = malloc(SHELF_LABELS * sizeof(*shelf));
    if (shelf == NULL) {
        TP_FAULT(TP_FAULT_CAPACITY, "the engine has no memory for a shelf");
    }
    shelf[SHELF_LABELS / 2].kind = 1;
    shelf[SHELF_LABELS / 2].weight = weight;
    memcpy(&engine->label, &shelf[SHELF_LABELS / 2], sizeof(engine->label));
    free(shelf);
}

static void put_label(Pen *pen, const Label *label)
{
    unsigned char raw[sizeof(SavedLabel)] = { label->kind };
    _Static_assert(sizeof(*label) == sizeof(SavedLabel), "a label is eight bytes with its padding");
    if (IS_PLANTED(PADDING)) {
        memcpy(raw, label, sizeof(raw));
    }
    for (uint32_t i = 0; i < 4; i++) {
        put(pen, raw[i], 1);
    }
    put(pen, label->weight, 4);
}

static uint64_t number_of_pusher(const Engine *engine)
{
    if (engine->last_pusher == NULL) {
        return 0;
    }
    return IS_PLANTED(POINTER) ? (uint64_t)(uintptr_t)engine->last_pusher : (uint64_t)(engine->last_pusher - engine->drivers) + 1;
}

static bool save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    const Engine *engine = instance;
    Pen           pen = { bytes, 0, capacity };
    put(&pen, engine->dice.state, 8);
    put(&pen, engine->dice.increment, 8);
    for (uint32_t i = 0; i < CARTS; i++) {
        uint64_t sway;
        memcpy(&sway, &engine->sways[i], sizeof(sway));
        put(&pen, (uint32_t)engine->carts[i].x.raw, 4);
        put(&pen, (uint32_t)engine->carts[i].speed.raw, 4);
        put(&pen, engine->carts[i].load, 8);
        put(&pen, sway, 8);
    }
    for (uint32_t i = 0; i < 3; i++) {
        put(&pen, engine->tally.counts[i], 4);
    }
    put_label(&pen, &engine->label);
    for (uint32_t slot = 0; slot < engine->setup.players; slot++) {
        put(&pen, engine->drivers[slot].cart, 4);
        put(&pen, engine->drivers[slot].pushes, 4);
    }
    put(&pen, number_of_pusher(engine), 8);
    put(&pen, IS_PLANTED(OMISSION) ? 0 : engine->pushes, 8);
    *size = pen.size;
    return pen.size <= capacity;
}

static void take_carts(Pen *pen, Engine *engine)
{
    for (uint32_t i = 0; i < CARTS; i++) {
        engine->carts[i].x.raw = (int32_t)(uint32_t)take(pen, 4);
        engine->carts[i].speed.raw = (int32_t)(uint32_t)take(pen, 4);
        engine->carts[i].load = take(pen, 8);
        const uint64_t sway = take(pen, 8);
        memcpy(&engine->sways[i], &sway, sizeof(sway));
    }
}

static bool is_legal(const Engine *engine)
{
    bool is_good = true;
    for (uint32_t slot = 0; slot < engine->setup.players; slot++) {
        is_good = is_good && engine->drivers[slot].cart < CARTS;
    }
    return is_good;
}

static bool load(void *instance, const void *bytes, size_t size)
{
    Engine *engine = instance;
    Engine  loaded = { .setup = engine->setup };
    Pen     pen = { (unsigned char *)(uintptr_t)bytes, 0, size };
    if (size != saved_size(&engine->setup)) {
        return false;
    }
    loaded.dice.state = take(&pen, 8);
    loaded.dice.increment = take(&pen, 8);
    take_carts(&pen, &loaded);
    for (uint32_t i = 0; i < 3; i++) {
        loaded.tally.counts[i] = (uint32_t)take(&pen, 4);
    }
    const uint64_t label = take(&pen, 8);
    loaded.label = (Label){ (uint8_t)label, (uint32_t)(label >> 32) };
    for (uint32_t slot = 0; slot < engine->setup.players; slot++) {
        loaded.drivers[slot].cart = (uint32_t)take(&pen, 4);
        loaded.drivers[slot].pushes = (uint32_t)take(&pen, 4);
    }
    const uint64_t pusher = take(&pen, 8);
    loaded.pushes = take(&pen, 8);
    if (!is_legal(&loaded) || (pusher > engine->setup.players && !IS_PLANTED(POINTER))) {
        return false;
    }
    loaded.last_pusher = pusher == 0 ? NULL : &engine->drivers[IS_PLANTED(POINTER) ? 0 : pusher - 1];
    *engine = loaded;
    return true;
}

static Scene scene_of(Engine *engine, uint64_t tick)
{
    static const Near near = { 0 };
    return (Scene){ .setup = &engine->setup, .dice = &engine->dice, .carts = engine->carts, .tally = &engine->tally, .near = &near, .tick = tick };
}

static void init(void *state, tp_context *context)
{
    Engine *engine = state;
    engine->dice = tp_pcg32_make(context->setup->seed, 9);
    Scene scene = scene_of(engine, 0);
    yard_start(&scene, engine->drivers, &engine->tally);
}

// A sum of short fractions that no register can round: the engine is right wherever its chores are.
static void sway(Engine *engine)
{
    for (uint32_t i = 0; i < CARTS; i++) {
        const int32_t kept = (int32_t)(engine->sways[i] * 32768.0);
        engine->sways[i] = (double)(kept + engine->carts[i].speed.raw) / 65536.0;
    }
}

static void note_pushes(Engine *engine, const tp_tick *tick)
{
    const Push *inputs = tick->inputs;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        if (inputs[slot].push != 0) {
            engine->pushes++;
        }
    }
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    Engine *engine = state;
    Scene   scene = scene_of(engine, tick->tick);
    yard_step(&scene, engine->drivers, &engine->tally, tick);
    note_pushes(engine, tick);
    sway(engine);
    if (tick->tick == CHORE_TICK + CHORE_PADDING) {
        write_label(engine, (uint32_t)engine->dice.state);
    } else if (tick->tick == CHORE_TICK + CHORE_POINTER) {
        engine->last_pusher = &engine->drivers[0];
    } else if (tick->tick == CHORE_TICK + CHORE_OMISSION) {
        engine->carts[CHORE_OMISSION].load = engine->pushes;
    }
    return TP_STEP_OK;
}

static const tp_opaque opaque = { .size_max = saved_size, .create = create, .destroy = free, .save = save, .load = load };

static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "engine", .revision = 1, .text = "the yard in an engine that saves itself",
    .tick_rate_hz = 60, .players_min = 1, .players_max = 4, .players_standard = 2,
    .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &yard_push, .opaque = &opaque, .init = init, .step = step, .observer = &yard_watcher, .bot = &yard_bot,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}
