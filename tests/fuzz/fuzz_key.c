// fuzz_key.c: forged keyframes. The input changes the state inside a KEY of a real log; every hash, the root, CRCs and chain are redone, so
// that nothing but ranges and validate stands between the bytes and the step. Then the log is verified from that KEY.
//
// Input: one byte chooses the log; then triples (u16 offset, u8 value) are written into the state. From 252 on it chooses the realm's log, whose state is
// larger, and 64 KiB of it that the offsets count from.
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "fighter.h"
#include "log_mutate.h"
#include "realm.h"
#include "runner.h"
#include "runnerlog.h"
#include "testrecording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    LogMutate  log;
    tp_layout  layout;
    tp_rules   rules;
    size_t     key; // record index of the second KEY
    uint64_t   tick;
} Target;

enum { SMALL_TARGETS = 3, REALM_TARGET = SMALL_TARGETS, REALM_FIRST = 252 };
static Target targets[SMALL_TARGETS + 1];

static void prepare(Target *target, uint8_t *bytes, size_t size, const tp_world *world, uint32_t players, uint64_t seed, const int64_t *config)
{
    tp_setup setup = { .seed = seed, .players = players, .tick_rate_hz = world->tick_rate_hz, .config = config };
    tp_error error;
    if (!log_mutate_load(&target->log, bytes, size) || !tp_layout_init(&target->layout, world, &setup, &error) ||
        !tp_rules_init(&target->rules, &target->layout, TP_HASH_XXH3, &error)) {
        abort();
    }
    target->key = log_mutate_find(&target->log, TP_LOG_KEY, 2);
    target->tick = target->log.records[target->key].tick;
    free(bytes);
}

// 200 ticks of three fighters: jumps, walls, one that leaves and comes back holding jump.
static uint8_t *make_fighter_log(uint64_t seed, uint32_t players, size_t *size)
{
    tp_setup          setup = { .seed = seed, .players = players, .tick_rate_hz = fighter_world.tick_rate_hz };
    tp_memory_sink    memory = { 0 };
    tp_sink           sink = tp_sink_of_memory(&memory);
    tp_error          error;
    tp_writer_options options;
    tp_writer_options_standard(&options);
    options.key_ticks = 100;
    tp_sim    *sim = tp_sim_create(&fighter_world, &setup, NULL, &error);
    tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
    for (uint32_t tick = 0; tick < 200; tick++) {
        uint8_t presence = (uint8_t)(tick / 33 % 3 == 2 ? 3 : 7);
        uint8_t inputs[3 * 6] = { 0 };
        for (uint32_t slot = 0; slot < 3 && (presence >> slot & 1) != 0; slot++) {
            FighterInput pad = { .buttons = tick % 90 > 60 ? FIGHTER_BUTTON_JUMP : 0, .stick_x = (int8_t)(slot * 127) };
            pad.stick_x = slot == 2 ? -100 : pad.stick_x;
            tp_record_encode(fighter_world.input, &pad, inputs + (size_t)slot * 6);
        }
        tp_row row = { .presence = &presence, .inputs = inputs };
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            abort();
        }
    }
    if (!tp_writer_finish(writer, sim, TP_END_COMPLETED)) {
        abort();
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    *size = memory.size;
    return memory.bytes;
}

// A small realm, its landblocks still coming in when the second KEY is written.
static const int64_t realm_config[REALM_CONFIG_COUNT] = {
    [REALM_CONFIG_BLOCKS] = 64, [REALM_CONFIG_RESIDENTS] = 25, [REALM_CONFIG_LEAVES] = 40, [REALM_CONFIG_CELLS] = 48,
    [REALM_CONFIG_BUILDINGS] = 24, [REALM_CONFIG_OWNERS] = 256, [REALM_CONFIG_DYNAMICS] = 48, [REALM_CONFIG_MEMBERS] = 512,
    [REALM_CONFIG_SETS] = 384, [REALM_CONFIG_ROWS] = 1024, [REALM_CONFIG_DRAFTS] = 4, [REALM_CONFIG_JOURNAL] = 64,
    [REALM_CONFIG_ABANDON_TICKS] = 300, [REALM_CONFIG_WORK_UNITS] = 7, [REALM_CONFIG_WIDTH] = 255, [REALM_CONFIG_HEIGHT] = 255,
    [REALM_CONFIG_RING] = 1, [REALM_CONFIG_ARRIVAL] = 0, [REALM_CONFIG_CREATURES] = 12, [REALM_CONFIG_SHOTS] = 8, [REALM_CONFIG_DOORS] = 8,
};

static uint8_t *make_realm_log(uint64_t seed, uint32_t players, size_t *size)
{
    tp_setup          setup = { .seed = seed, .players = players, .tick_rate_hz = realm_world.tick_rate_hz, .config = realm_config };
    tp_memory_sink    memory = { 0 };
    tp_sink           sink = tp_sink_of_memory(&memory);
    tp_error          error;
    tp_writer_options options;
    tp_writer_options_standard(&options);
    options.key_ticks = 60;
    tp_sim    *sim = tp_sim_create(&realm_world, &setup, NULL, &error);
    tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
    for (uint32_t tick = 0; tick < 100; tick++) {
        uint8_t    presence = (uint8_t)(tick > 40 ? 3 : 1), inputs[2 * TP_INPUT_SIZE_MAX] = { 0 };
        RealmInput input = { .move_x = 127, .buttons = tick % 20 == 0 ? REALM_BUTTON_JUMP : REALM_BUTTON_SHOOT };
        tp_record_encode(realm_world.input, &input, inputs);
        tp_row row = { .presence = &presence, .inputs = inputs };
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            abort();
        }
    }
    if (!tp_writer_finish(writer, sim, TP_END_COMPLETED)) {
        abort();
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    *size = memory.size;
    return memory.bytes;
}

static void prepare_all(void)
{
    RunnerLog wanted = runnerlog_standard();
    Recording recording = recording_standard();
    size_t    size = 0;
    wanted.ticks = 260;
    uint8_t *bytes = runnerlog_make(&wanted, &size);
    prepare(&targets[0], bytes, size, &runner_world, wanted.players, wanted.seed, NULL);
    recording.ticks = 200;
    bytes = recording_make(&recording, &size);
    prepare(&targets[1], bytes, size, &testworld_flat, recording.players, recording.seed, NULL);
    bytes = make_fighter_log(5, 3, &size);
    prepare(&targets[2], bytes, size, &fighter_world, 3, 5, NULL);
    bytes = make_realm_log(5, 2, &size);
    prepare(&targets[REALM_TARGET], bytes, size, &realm_world, 2, 5, realm_config);
}

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    if (strcmp(name, fighter_world.name) == 0) {
        return &fighter_world;
    }
    if (strcmp(name, realm_world.name) == 0) {
        return &realm_world;
    }
    return strcmp(name, runner_world.name) == 0 ? &runner_world : &testworld_flat;
}

// The KEY's root over its new state, by the documented formula.
static void redo_root(const Target *target, uint8_t *payload)
{
    uint64_t       leaves[64];
    uint32_t       count = 0;
    const uint8_t *bytes = payload + 48;
    for (uint32_t i = 0; i < target->layout.world->section_count; i++) {
        uint32_t size = target->layout.section_canonical_size[i];
        for (uint32_t offset = 0; offset < size; offset += TP_LEAF_SIZE) {
            leaves[count++] = tp_hash64(TP_HASH_XXH3, bytes + offset, size - offset < TP_LEAF_SIZE ? size - offset : TP_LEAF_SIZE);
        }
        bytes += size;
    }
    tp_hash128 root = tp_root_combine(TP_HASH_XXH3, target->rules.id, target->tick - 1, leaves, count, bytes_get_u64(payload + 24),
                                      bytes_get_u64(payload + 32));
    tp_hash128_to_bytes(root, payload + 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (targets[0].log.count == 0) {
        prepare_all();
    }
    if (size < 4) {
        return 0;
    }
    const Target          *target = &targets[data[0] >= REALM_FIRST ? REALM_TARGET : data[0] % SMALL_TARGETS];
    size_t                 base = data[0] >= REALM_FIRST ? (size_t)(data[0] - REALM_FIRST) << 16 : 0;
    const LogMutateRecord *record = &target->log.records[target->key];
    uint8_t               *kept = malloc(record->size);
    memcpy(kept, record->payload, record->size);
    for (size_t at = 1; at + 3 <= size; at += 3) {
        record->payload[48 + (base + bytes_get_u16(data + at)) % (record->size - 48)] = data[at + 2];
    }
    redo_root(target, record->payload);
    size_t            log_size = 0;
    uint8_t          *log = log_mutate_save((LogMutate *)&target->log, LOG_MUTATE_ALL, &log_size);
    record = &target->log.records[target->key]; // making INDEX anew may have moved the list
    tp_memory_source  memory = { log, log_size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options;
    tp_report         report;
    tp_verify_options_standard(&options);
    options.find_world = find;
    options.from = target->tick;
    tp_verify_log(&source, &options, &report);
    if (report.verdict == TP_VERIFIED || report.verdict == TP_INTERNAL) {
        abort(); // a range can be incomplete at best
    }
    options.from = 0;
    tp_verify_log(&source, &options, &report);
    if (report.verdict == TP_VERIFIED && memcmp(kept, record->payload, record->size) != 0) {
        abort(); // a forged keyframe verified
    }
    memcpy(record->payload, kept, record->size);
    free(kept);
    free(log);
    return 0;
}
