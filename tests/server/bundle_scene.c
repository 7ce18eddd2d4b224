// bundle_scene.c: see bundle_scene.h.
#include "bundle_scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "layout_internal.h"
#include "testworld.h"
#include "tickproof/rng.h"

void (*bundle_scene_before)(tp_sim *sim, uint64_t tick);

enum { SLOTS_MAX = 8, ROW_MAX = 4096 };

static void need(bool is_good, const char *what, const char *why)
{
    if (!is_good) {
        fprintf(stderr, "scene: %s: %s\n", what, why);
        abort();
    }
}

typedef struct {
    uint8_t    *bots[SLOTS_MAX];
    TestScript  script;
    uint8_t     presence[1], origins[2], inputs[SLOTS_MAX * TP_INPUT_SIZE_MAX];
} Players;

static bool is_test_world(const tp_world *world)
{
    return world == &testworld_flat || world == &testworld_opaque;
}

static void start_bots(Players *players, const tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    uint64_t         seeds = layout->setup.seed;
    for (uint32_t slot = 0; slot < layout->setup.players; slot++) {
        size_t size = ((size_t)layout->world->bot->size + 16) / 16 * 16;
        players->bots[slot] = aligned_alloc(16, size);
        memset(players->bots[slot], 0, size);
        layout->world->bot->init(players->bots[slot], &layout->setup, slot, tp_splitmix64_next(&seeds), 0);
    }
}

static tp_row play(Players *players, const tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    if (is_test_world(layout->world)) {
        return testworld_row(sim, &players->script, tp_sim_tick(sim));
    }
    tp_view view = tp_sim_view(sim);
    memset(players->origins, 0, sizeof(players->origins));
    players->presence[0] = 0;
    for (uint32_t slot = 0; slot < layout->setup.players; slot++) {
        _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX * 2] = { 0 };
        layout->world->bot->play(players->bots[slot], &view, native);
        tp_input_sanitise(layout->world, native);
        tp_record_encode(layout->world->input, native, players->inputs + (size_t)slot * layout->input_size);
        players->presence[0] |= (uint8_t)(1u << slot);
        players->origins[slot / 4] |= (uint8_t)(TP_ORIGIN_BOT << (2 * (slot % 4)));
    }
    return (tp_row){ .presence = players->presence, .origins = players->origins, .inputs = players->inputs };
}

// Rows stand one after another in a ring of the last ones; the bytes of each at its own place.
static void keep_row(BundleScene *scene, const tp_row *row, uint64_t tick, uint64_t first)
{
    if (tick < first) {
        return;
    }
    BundleRow *kept = &scene->rows[tick - first];
    uint8_t   *bytes = scene->row_bytes + (tick - first) * ROW_MAX;
    kept->tick = tick;
    kept->size = tp_row_encode(tp_sim_layout(scene->sim), row, bytes, ROW_MAX);
    kept->bytes = bytes;
    kept->root = tp_sim_root(scene->sim);
    need(kept->size > 0, "keeping a row", "it does not fit");
}

static void run(BundleScene *scene, uint64_t ticks, uint64_t log_ticks, tp_writer *writer)
{
    Players  players = { 0 };
    tp_error error;
    uint64_t first = ticks > SCENE_ROWS ? ticks - SCENE_ROWS : 0;
    if (!is_test_world(scene->world)) {
        start_bots(&players, scene->sim);
    }
    for (uint64_t tick = 0; tick < ticks; tick++) {
        if (bundle_scene_before != NULL) {
            bundle_scene_before(scene->sim, tick);
        }
        tp_row row = play(&players, scene->sim);
        need(tp_sim_step(scene->sim, &row, &error) == TP_SIM_OK, "stepping", error.text);
        need(tick >= log_ticks || tp_writer_tick(writer, scene->sim, &row), "logging", "the disk");
        keep_row(scene, &row, tick, first);
    }
    for (uint32_t slot = 0; slot < SLOTS_MAX; slot++) {
        free(players.bots[slot]);
    }
    scene->options.row_count = (uint32_t)(ticks - first);
}

static BundleSide side_of(tp_sim *sim, uint8_t *state, const char *build)
{
    BundleSide side = { .state = state, .build = build, .root = tp_sim_root(sim), .input_leaf = tp_sim_input_leaf(sim), .event_leaf = tp_sim_event_leaf(sim) };
    need(tp_sim_encode(sim, state, tp_sim_encoded_max(sim), &side.size), "encoding", "the world");
    return side;
}

void bundle_scene_open(BundleScene *scene, const tp_world *world, uint32_t players, uint64_t seed, uint64_t ticks, uint64_t log_ticks,
                       const char *directory)
{
    tp_error          error;
    static char       bundles[256];
    tp_setup          setup = testworld_setup(world, players, seed);
    tp_writer_options writer_options;
    *scene = (BundleScene){ .world = world };
    snprintf(scene->log, sizeof(scene->log), "%.200s/room.tpr", directory);
    snprintf(bundles, sizeof(bundles), "%.200s/bundles", directory);
    int     fd = open(scene->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    tp_sink sink = tp_sink_of_fd(&fd);
    scene->sim = tp_sim_create(world, &setup, NULL, &error);
    scene->other = tp_sim_create(world, &setup, NULL, &error);
    need(fd >= 0 && scene->sim != NULL && scene->other != NULL, "making the world", error.text);
    tp_writer_options_standard(&writer_options);
    writer_options.run_ticks = 8;
    writer_options.durability = TP_DURABLE_NONE;
    tp_writer *writer = tp_writer_create(&sink, scene->sim, &writer_options, false, &error);
    need(writer != NULL, "starting the log", error.text);
    size_t capacity = tp_sim_encoded_max(scene->sim);
    scene->row_bytes = malloc((size_t)SCENE_ROWS * ROW_MAX);
    scene->server_state = malloc(capacity + 1);
    scene->client_state = malloc(capacity + 1);
    run(scene, ticks, log_ticks, writer);
    tp_writer_flush(writer);
    tp_writer_destroy(writer);
    close(fd);
    scene->options = (BundleOptions){
        .directory = bundles, .room = "duel", .world = world, .rules = tp_sim_rules(scene->sim), .tick = ticks - 1, .slot = 1,
        .address = "127.0.0.1:5000", .policy = "resync", .durable = log_ticks, .rows = scene->rows, .row_count = scene->options.row_count,
        .log_path = scene->log, .server = side_of(scene->sim, scene->server_state, "tickproofd 1 gcc"),
        .client = side_of(scene->sim, scene->client_state, "tickproof 1 clang"),
    };
}

void bundle_scene_close(BundleScene *scene)
{
    tp_sim_destroy(scene->sim);
    tp_sim_destroy(scene->other);
    free(scene->row_bytes);
    free(scene->server_state);
    free(scene->client_state);
}

// Where a value stands, counted from the tables alone.
static size_t offset_of(const tp_layout *layout, const char *section, uint32_t element, const char *field, uint32_t value, tp_field_type *type)
{
    size_t offset = 0;
    for (uint32_t s = 0; s < layout->world->section_count; s++) {
        const tp_section *table = &layout->world->sections[s];
        if (strcmp(table->name, section) != 0) {
            offset += layout->section_canonical_size[s];
            continue;
        }
        offset += (size_t)element * table->element_size;
        for (uint32_t f = 0; f < table->field_count; f++) {
            uint32_t size = layout_value_size(table->fields[f].type);
            if (strcmp(table->fields[f].name, field) == 0) {
                *type = table->fields[f].type;
                return offset + (size_t)value * size;
            }
            offset += (size_t)size * table->fields[f].count;
        }
    }
    need(false, section, field);
    return 0;
}

void bundle_scene_plant(BundleScene *scene, const char *section, uint32_t element, const char *field, uint32_t value, int by)
{
    if (scene->world->opaque != NULL) {
        scene->client_state[element] = (uint8_t)(scene->client_state[element] + by);
        return;
    }
    tp_field_type type = TP_TYPE_U8;
    uint8_t      *bytes = scene->client_state + offset_of(tp_sim_layout(scene->sim), section, element, field, value, &type);
    layout_value_put(type, bytes, layout_value_get(type, bytes) + (uint64_t)(int64_t)by);
}

bool bundle_scene_claim(BundleScene *scene)
{
    tp_error    error;
    BundleSide *client = &scene->options.client;
    if (!tp_sim_decode(scene->other, client->state, client->size, scene->options.tick + 1, client->input_leaf, client->event_leaf, &error)) {
        client->root.lo ^= 1;
        return false;
    }
    client->root = tp_sim_root(scene->other);
    return true;
}
