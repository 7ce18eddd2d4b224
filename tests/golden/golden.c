// golden.c: steps every row of the golden table and compares the last root. Needs core, sim and the worlds only, so that it also
// builds where the other rooms' libraries are missing. `golden TABLE` checks; `golden --print TABLE` prints the actual rows.
//
// A row: world players seed script ticks root. The world may be followed by its config: fighter:stage=2,stocks=1. Scripts: idle (nobody presses), mash (random legal inputs, slots leaving and
// coming back), bot (the world's own bot), pads (the fighter's: sticks and jumps held for a while, slots leaving and coming back).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fighter.h"
#include "realm.h"
#include "runner.h"
#include "testworld.h"
#include "tickproof/rng.h"

enum { SLOTS_MAX = TP_PLAYERS_MAX };

typedef struct {
    const tp_world *world;
    tp_sim         *sim;
    uint64_t        random;
    unsigned char  *bots; // one per slot
    uint8_t         presence[SLOTS_MAX / 8];
    uint8_t         inputs[SLOTS_MAX * TP_INPUT_SIZE_MAX];
} Run;

static const tp_world *const worlds[] = { &runner_world, &fighter_world, &realm_world, &testworld_flat, &testworld_opaque };

static const tp_world *find_world(const char *name)
{
    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        if (strcmp(worlds[i]->name, name) == 0) {
            return worlds[i];
        }
    }
    return NULL;
}

static size_t bot_stride(const tp_world *world)
{
    return ((size_t)world->bot->size + 15) / 16 * 16;
}

static void put_input(Run *run, uint32_t slot, void *native)
{
    uint32_t size = tp_record_size(run->world->input);
    tp_input_sanitise(run->world, native);
    if (run->world == &testworld_opaque && *(unsigned char *)native == 7) {
        *(unsigned char *)native = 3; // all buttons stop that world
    }
    tp_record_encode(run->world->input, native, run->inputs + (size_t)slot * size);
}

// What a person holds: a way for 20 ticks, buttons for 5. A function of seed, slot and tick.
static void hold_pad(const Run *run, uint32_t slot, uint64_t tick, FighterInput *pad)
{
    static const int8_t sticks[8] = { -127, -127, 127, 127, 0, -64, 64, 110 };
    uint64_t way_state = run->random * 1000003 + slot * 257 + tick / 20;
    uint64_t press_state = run->random * 1000033 + slot * 263 + tick / 5;
    uint64_t way = tp_splitmix64_next(&way_state);
    uint64_t press = tp_splitmix64_next(&press_state);
    *pad = (FighterInput){
        .buttons = (uint16_t)((press % 6 == 0 ? FIGHTER_BUTTON_JUMP : 0) | (press >> 8 & (FIGHTER_BUTTONS & ~FIGHTER_BUTTON_JUMP))),
        .stick_x = sticks[way % 8],
        .stick_y = (int8_t)(way / 8 % 255 - 127),
        .c_x     = (int8_t)(way / 4096 % 255 - 127),
        .c_y     = (int8_t)(press / 65536 % 255 - 127),
    };
}

static void play_slot(Run *run, const char *script, uint32_t slot, const tp_view *view)
{
    _Alignas(16) unsigned char native[256] = { 0 };
    if (strcmp(script, "bot") == 0) {
        run->world->bot->play(run->bots + slot * bot_stride(run->world), view, native);
    } else if (strcmp(script, "mash") == 0) {
        uint8_t bytes[TP_INPUT_SIZE_MAX];
        for (uint32_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)(tp_splitmix64_next(&run->random) >> 56);
        }
        bytes[0] = tp_splitmix64_next(&run->random) % 6 == 0 ? bytes[0] : 0; // presses are rare
        tp_error ignored;
        (void)tp_record_decode(run->world->input, bytes, native, &ignored);
    } else if (strcmp(script, "pads") == 0) {
        hold_pad(run, slot, view->tick, (FighterInput *)native);
    }
    put_input(run, slot, native);
}

static bool step_once(Run *run, const char *script, uint64_t tick)
{
    uint32_t players = tp_sim_layout(run->sim)->setup.players;
    tp_view  view = tp_sim_view(run->sim);
    memset(run->presence, 0, sizeof(run->presence));
    memset(run->inputs, 0, sizeof(run->inputs));
    for (uint32_t slot = 0; slot < players; slot++) {
        bool has_left = (strcmp(script, "mash") == 0 && (tick / 300 + slot) % 5 == 4) ||
                        (strcmp(script, "pads") == 0 && (tick / 150 + slot) % 5 == 4);
        if (has_left) {
            continue;
        }
        run->presence[slot / 8] |= (uint8_t)(1u << (slot % 8));
        play_slot(run, script, slot, &view);
    }
    tp_row   row = { .presence = run->presence, .inputs = run->inputs };
    tp_error error;
    if (tp_sim_step(run->sim, &row, &error) != TP_SIM_OK) {
        fprintf(stderr, "golden: tick %" PRIu64 ": %s\n", tick, error.text);
        return false;
    }
    (void)tp_sim_root(run->sim); // every tick's root is computed, as a host would
    return true;
}

// "name=value,name=value"; what is not named has its standard value. False for a name that the world does not have.
static bool read_config(const tp_world *world, const char *text, int64_t values[TP_CONFIG_ITEMS_MAX])
{
    for (uint32_t i = 0; i < world->config_count; i++) {
        values[i] = world->config[i].standard;
    }
    while (*text != '\0') {
        char     name[64];
        int64_t  value;
        int      used = 0;
        uint32_t item = 0;
        if (sscanf(text, "%63[a-z0-9_]=%" SCNd64 "%n", name, &value, &used) != 2) {
            return false;
        }
        while (item < world->config_count && strcmp(world->config[item].name, name) != 0) {
            item++;
        }
        if (item == world->config_count) {
            return false;
        }
        values[item] = value;
        text += used + (text[used] == ',');
    }
    return true;
}

static bool make_run(Run *run, const tp_world *world, uint32_t players, uint64_t seed, const char *config)
{
    int64_t  values[TP_CONFIG_ITEMS_MAX] = { 0 };
    tp_setup setup = { .seed = seed, .players = players, .tick_rate_hz = world->tick_rate_hz, .config = values };
    *run = (Run){ .world = world, .random = seed };
    if (!read_config(world, config, values)) {
        fprintf(stderr, "golden: %s has no config '%s'\n", world->name, config);
        return false;
    }
    tp_error error;
    run->sim = tp_sim_create(world, &setup, NULL, &error);
    if (run->sim == NULL) {
        fprintf(stderr, "golden: %s\n", error.text);
        return false;
    }
    if (world->bot != NULL) {
        run->bots = aligned_alloc(16, bot_stride(world) * SLOTS_MAX);
        memset(run->bots, 0, bot_stride(world) * SLOTS_MAX);
        for (uint32_t slot = 0; slot < players; slot++) {
            world->bot->init(run->bots + slot * bot_stride(world), &tp_sim_layout(run->sim)->setup, slot, seed, slot * 3);
        }
    }
    return true;
}

static bool run_row(const tp_world *world, const char *config, uint32_t players, uint64_t seed, const char *script, uint64_t ticks,
                    char root[33])
{
    static Run run;
    if (strcmp(script, "pads") == 0 && world != &fighter_world) {
        return false;
    }
    bool is_good = make_run(&run, world, players, seed, config);
    for (uint64_t tick = 0; is_good && tick < ticks; tick++) {
        is_good = step_once(&run, script, tick);
    }
    if (is_good) {
        uint8_t bytes[16];
        tp_hash128_to_bytes(tp_sim_root(run.sim), bytes);
        for (int i = 0; i < 16; i++) {
            snprintf(root + 2 * i, 3, "%02x", bytes[i]);
        }
    }
    tp_sim_destroy(run.sim);
    free(run.bots);
    return is_good;
}

int main(int argc, char **argv)
{
    bool        is_printing = argc > 1 && strcmp(argv[1], "--print") == 0;
    const char *path = argc > 1 + is_printing ? argv[1 + is_printing] : NULL;
    FILE       *table = path != NULL ? fopen(path, "r") : NULL;
    char        line[512];
    int         passed = 0;
    int         failed = 0;
    if (table == NULL) {
        fprintf(stderr, "usage: golden [--print] TABLE\n");
        return 2;
    }
    while (fgets(line, sizeof(line), table) != NULL) {
        char     name[320];
        char     bare_name[320];
        char     script[16];
        char     expected[40] = "";
        char     root[33] = "";
        unsigned players;
        uint64_t seed;
        uint64_t ticks;
        if (line[0] == '#' || line[0] == '\n') {
            if (is_printing) {
                fputs(line, stdout);
            }
            continue;
        }
        int fields = sscanf(line, "%319s %u %" SCNu64 " %15s %" SCNu64 " %39s", name, &players, &seed, script, &ticks, expected);
        char *colon = fields >= 5 ? strchr(strcpy(bare_name, name), ':') : NULL;
        const char *config = "";
        if (colon != NULL) {
            *colon = '\0';
            config = colon + 1;
        }
        const tp_world *world = fields >= 5 ? find_world(bare_name) : NULL;
        if (world == NULL || !run_row(world, config, players, seed, script, ticks, root)) {
            fprintf(stderr, "golden: cannot run: %s", line);
            return 2;
        }
        if (is_printing) {
            printf("%-10s %2u %6" PRIu64 " %-5s %6" PRIu64 " %s\n", name, players, seed, script, ticks, root);
        } else if (strcmp(root, expected) != 0) {
            printf("golden: differs; the row is now: %s %u %" PRIu64 " %s %" PRIu64 " %s\n", name, players, seed, script, ticks, root);
            failed++;
        } else {
            passed++;
        }
    }
    fclose(table);
    if (!is_printing) {
        printf("golden: %d passed, %d failed (%s)\n", passed, failed, tp_checksum_path());
    }
    return failed == 0 && (passed > 0 || is_printing) ? 0 : 1;
}
