// testworld.c: the two test worlds and their script.
#include "testworld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "tickproof/rng.h"

const char *const testworld_modes[3] = { "calm", "windy", "storm" };

TP_TABLE(game_fields, TestGame, TESTWORLD_GAME_FIELDS)
TP_TABLE(player_fields, TestPlayer, TESTWORLD_PLAYER_FIELDS)
TP_POOL_HEAD_TABLE(ball_head_fields, "balls")
TP_POOL_TABLE(ball_fields, TestBall, TESTWORLD_BALL_FIELDS, "balls")
TP_TABLE(cache_fields, TestCache, TESTWORLD_CACHE_FIELDS)
TP_TABLE(input_fields, TestInput, TESTWORLD_INPUT_FIELDS)
TP_TABLE(kick_fields, TestKick, TESTWORLD_KICK_FIELDS)
TP_TABLE(bounce_fields, TestBounce, TESTWORLD_BOUNCE_FIELDS)

static const tp_section flat_sections[] = {
    TP_SECTION("game", TestGame, game_fields, NULL, 1, TP_SIM),
    TP_SECTION("players", TestPlayer, player_fields, TP_COUNT_PLAYERS, 0, TP_SIM),
    TP_SECTION("ball_head", tp_pool_head, ball_head_fields, NULL, 1, TP_SIM),
    TP_SECTION("balls", TestBall, ball_fields, "balls", 0, TP_SIM),
    TP_SECTION("cache", TestCache, cache_fields, NULL, 1, TP_DERIVED),
};

static const tp_config_item flat_config[] = {
    { "balls", "count", "slots of the ball pool", 8, 0, 4000 },
    { "spawn", "ticks", "a ball every so many ticks", 5, 1, 1000 },
};

static const tp_record_type input_type = TP_RECORD("input", TestInput, input_fields, "three buttons and a stick");
static const tp_record_type flat_commands[] = {
    TP_RECORD("kick", TestKick, kick_fields, "adds speed to a player"),
    TP_RECORD_BYTES("text", 64, "counted, else ignored"),
    TP_RECORD_EMPTY("fault", "stops the world"),
};
static const tp_record_type flat_events[] = {
    TP_RECORD("bounce", TestBounce, bounce_fields, "a player turned at the wall"),
    TP_RECORD_EMPTY("spawn", "a ball was made"),
};

static TestBallPool balls_of(const tp_context *context, void *state)
{
    return (TestBallPool){
        .head = tp_section_at(context, state, TESTWORLD_BALL_HEAD),
        .slots = tp_section_at(context, state, TESTWORLD_BALLS),
        .capacity = context->section_count[TESTWORLD_BALLS],
    };
}

static void flat_rebuild(void *state, tp_context *context)
{
    const TestPlayer *players = tp_section_at(context, state, TESTWORLD_PLAYERS);
    TestCache        *cache = tp_section_at(context, state, TESTWORLD_CACHE);
    cache->sum = 0;
    for (uint32_t i = 0; i < context->section_count[TESTWORLD_PLAYERS]; i++) {
        cache->sum += players[i].presses;
    }
}

static void flat_init(void *state, tp_context *context)
{
    TestGame    *game = tp_section_at(context, state, TESTWORLD_GAME);
    TestBallPool balls = balls_of(context, state);
    tp_pcg32     rng = tp_pcg32_make(context->setup->seed, 3);
    game->rng_state = rng.state;
    game->rng_increment = rng.increment;
    test_ball_pool_init(&balls);
}

static const char *flat_validate(const void *state, const tp_context *context)
{
    TestBallPool balls = balls_of(context, (void *)state);
    return test_ball_pool_validate(&balls);
}

static void apply_command(const tp_command *command, TestGame *game, TestPlayer *players, uint32_t count)
{
    if (command->type == TESTWORLD_COMMAND_KICK) {
        const TestKick *kick = command->data;
        if (kick->slot < count) {
            players[kick->slot].speed = tp_fx_add(players[kick->slot].speed, kick->power);
        }
        game->kicks += 1;
    } else if (command->type == TESTWORLD_COMMAND_TEXT) {
        game->kicks += command->size;
    } else {
        TP_FAULT(TP_FAULT_WORLD, "told to stop");
    }
}

static void step_player(uint32_t slot, TestPlayer *player, const TestInput *input, bool is_in, tp_context *context)
{
    player->is_in = is_in ? 1 : 0;
    if (!is_in) {
        return;
    }
    if ((input->buttons & 1) != 0) {
        player->presses += 1;
    }
    tp_fx push = { input->stick * 256 };
    player->speed = tp_fx_clamp(tp_fx_add(player->speed, push), (tp_fx){ -655360 }, (tp_fx){ 655360 });
    player->x = tp_fx_add(player->x, player->speed);
    if (player->x.raw > 6553600 || player->x.raw < -6553600) {
        player->x = tp_fx_clamp(player->x, (tp_fx){ -6553600 }, (tp_fx){ 6553600 });
        player->speed = tp_fx_neg(player->speed);
        TestBounce bounce = { .slot = slot, .x = player->x };
        tp_emit(context, TESTWORLD_EVENT_BOUNCE, &bounce);
    }
}

static tp_step_result flat_step(void *state, const tp_tick *tick, tp_context *context)
{
    TestGame        *game = tp_section_at(context, state, TESTWORLD_GAME);
    TestPlayer      *players = tp_section_at(context, state, TESTWORLD_PLAYERS);
    TestCache       *cache = tp_section_at(context, state, TESTWORLD_CACHE);
    TestBallPool     balls = balls_of(context, state);
    const TestInput *inputs = tick->inputs;
    for (uint32_t i = 0; i < tick->command_count; i++) {
        apply_command(&tick->commands[i], game, players, tick->players);
    }
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        step_player(slot, &players[slot], &inputs[slot], tp_tick_present(tick, slot), context);
        cache->sum += tp_tick_present(tick, slot) ? inputs[slot].buttons & 1 : 0;
    }
    tp_pcg32 rng = { game->rng_state, game->rng_increment };
    if (tick->tick % (uint64_t)context->setup->config[TESTWORLD_CONFIG_SPAWN] == 0) {
        uint32_t       raw = tp_pcg32_below(&rng, 65536);
        TestBallHandle ball = test_ball_create(&balls);
        TestBall      *value = test_ball_get(&balls, ball);
        if (value != NULL) {
            value->y = (tp_fx){ (int32_t)raw };
            value->owner = tick->players > 0 ? (uint32_t)(tick->tick % tick->players) : 0;
            game->newest = ball;
            tp_emit(context, TESTWORLD_EVENT_SPAWN, NULL);
        }
    }
    for (uint32_t i = test_ball_first(&balls); i < balls.capacity; i = test_ball_after(&balls, i)) {
        balls.slots[i].y = tp_fx_add(balls.slots[i].y, (tp_fx){ 4096 });
        if (balls.slots[i].y.raw > 4 * 65536) {
            test_ball_destroy(&balls, test_ball_handle_at(&balls, i));
        }
    }
    game->rng_state = rng.state;
    game->history[tick->tick % 4] = tick->players > 0 ? inputs[0].buttons : 0;
    game->mode = (uint8_t)(tick->tick / 100 % 3);
    return TP_STEP_OK;
}

static void flat_predict(const void *last, void *out)
{
    const TestInput *input = last;
    *(TestInput *)out = (TestInput){ .buttons = 0, .stick = input->stick };
}

static void flat_describe(const tp_view *view, char *text, size_t size)
{
    const TestGame *game = tp_view_section(view, TESTWORLD_GAME);
    snprintf(text, size, "%llu kicks", (unsigned long long)game->kicks);
}

const tp_world testworld_flat = {
    .struct_size = sizeof(tp_world),
    .abi = TP_WORLD_ABI,
    .name = "testflat",
    .revision = 1,
    .text = "a flat world for tests",
    .tick_rate_hz = 60,
    .players_min = 0,
    .players_max = 16,
    .players_standard = 2,
    .config = flat_config,
    .config_count = TP_COUNT_OF(flat_config),
    .sections = flat_sections,
    .section_count = TP_COUNT_OF(flat_sections),
    .input = &input_type,
    .commands = flat_commands,
    .command_count = TP_COUNT_OF(flat_commands),
    .events = flat_events,
    .event_count = TP_COUNT_OF(flat_events),
    .events_max = 8,
    .init = flat_init,
    .step = flat_step,
    .validate = flat_validate,
    .rebuild = flat_rebuild,
    .predict = flat_predict,
    .describe = flat_describe,
};

// The opaque world: a chain of masses on the heap that grows and shrinks, moved with floats. Only operations that IEEE 754
// rounds exactly are used, so it agrees wherever the compiler does not contract.
typedef struct Mass {
    struct Mass *next;
    double       x, speed;
} Mass;

typedef struct {
    uint64_t ticks;
    uint32_t count;
    Mass    *first;
} Chain;

enum { MASSES_MAX = 64, OPAQUE_SIZE_MAX = 12 + 16 * MASSES_MAX };

static size_t opaque_size_max(const tp_setup *setup)
{
    (void)setup;
    return OPAQUE_SIZE_MAX;
}

static void *opaque_create(const tp_setup *setup)
{
    (void)setup;
    return calloc(1, sizeof(Chain));
}

static void free_masses(Mass *mass)
{
    while (mass != NULL) {
        Mass *next = mass->next;
        free(mass);
        mass = next;
    }
}

static void opaque_destroy(void *instance)
{
    Chain *chain = instance;
    free_masses(chain->first);
    free(chain);
}

static bool opaque_save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    const Chain *chain = instance;
    BytesWriter  writer = bytes_writer(bytes, capacity);
    bytes_write_u64(&writer, chain->ticks);
    bytes_write_u32(&writer, chain->count);
    for (const Mass *mass = chain->first; mass != NULL; mass = mass->next) {
        uint64_t bits[2];
        memcpy(&bits[0], &mass->x, 8);
        memcpy(&bits[1], &mass->speed, 8);
        bytes_write_u64(&writer, bits[0]);
        bytes_write_u64(&writer, bits[1]);
    }
    *size = writer.size;
    return !writer.failed;
}

static bool opaque_load(void *instance, const void *bytes, size_t size)
{
    Chain      *chain = instance;
    BytesReader reader = bytes_reader(bytes, size);
    uint64_t    ticks = bytes_read_u64(&reader);
    uint32_t    count = bytes_read_u32(&reader);
    if (reader.failed || count > MASSES_MAX || size != 12 + (size_t)count * 16) {
        return false;
    }
    Mass  *first = NULL;
    Mass **end = &first;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits[2] = { bytes_read_u64(&reader), 0 };
        bits[1] = bytes_read_u64(&reader);
        Mass *mass = calloc(1, sizeof(*mass));
        if (mass == NULL) {
            free_masses(first);
            return false;
        }
        memcpy(&mass->x, &bits[0], 8);
        memcpy(&mass->speed, &bits[1], 8);
        *end = mass;
        end = &mass->next;
    }
    free_masses(chain->first);
    *chain = (Chain){ .ticks = ticks, .count = count, .first = first };
    return true;
}

static void opaque_init(void *state, tp_context *context)
{
    Chain *chain = state;
    chain->ticks = context->setup->seed % 7;
}

static tp_step_result opaque_step(void *state, const tp_tick *tick, tp_context *context)
{
    (void)context;
    Chain           *chain = state;
    const TestInput *inputs = tick->inputs;
    chain->ticks += 1;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        if ((inputs[slot].buttons & 1) != 0 && chain->count < MASSES_MAX) {
            Mass *mass = calloc(1, sizeof(*mass));
            if (mass == NULL) {
                return TP_STEP_FAULT;
            }
            mass->x = 0.1 * inputs[slot].stick;
            mass->next = chain->first;
            chain->first = mass;
            chain->count += 1;
        }
        if ((inputs[slot].buttons & 2) != 0 && chain->first != NULL) {
            Mass *mass = chain->first;
            chain->first = mass->next;
            free(mass);
            chain->count -= 1;
        }
        if (inputs[slot].buttons == 7) {
            return TP_STEP_FAULT;
        }
    }
    for (Mass *mass = chain->first; mass != NULL; mass = mass->next) {
        mass->speed += -mass->x * 0.01;
        mass->x += mass->speed;
    }
    return TP_STEP_OK;
}

static const tp_opaque opaque_functions = {
    .size_max = opaque_size_max,
    .create = opaque_create,
    .destroy = opaque_destroy,
    .save = opaque_save,
    .load = opaque_load,
};

const tp_world testworld_opaque = {
    .struct_size = sizeof(tp_world),
    .abi = TP_WORLD_ABI,
    .name = "testopaque",
    .revision = 1,
    .text = "an opaque world for tests",
    .tick_rate_hz = 60,
    .players_min = 0,
    .players_max = 16,
    .players_standard = 2,
    .input = &input_type,
    .opaque = &opaque_functions,
    .init = opaque_init,
    .step = opaque_step,
};

tp_setup testworld_setup(const tp_world *world, uint32_t players, uint64_t seed)
{
    return (tp_setup){ .seed = seed, .players = players, .tick_rate_hz = world->tick_rate_hz };
}

tp_row testworld_row(const tp_sim *sim, TestScript *script, uint64_t tick)
{
    const tp_layout *layout = tp_sim_layout(sim);
    uint32_t         players = layout->setup.players;
    memset(script, 0, sizeof(*script));
    for (uint32_t slot = 0; slot < players; slot++) {
        if ((tick + slot * 13) % 97 < 7) {
            continue; // away for a while
        }
        script->presence[slot / 8] |= (uint8_t)(1u << (slot % 8));
        script->origins[slot / 4] |= (uint8_t)((tick / 11 % 4) << (2 * (slot % 4)));
        script->inputs[slot * 2] = (uint8_t)((tick + 17 * slot) % 45 == 0 ? 1 : tick % 50 == 49 ? 2 : 0);
        script->inputs[slot * 2 + 1] = (uint8_t)(int8_t)((tick / 20 + slot) % 2 == 0 ? 90 : -90);
    }
    tp_row row = { .presence = script->presence, .origins = script->origins, .inputs = script->inputs };
    bool is_flat = layout->world->command_count > 0;
    if (is_flat && tick % 37 == 5) {
        script->command = (tp_command){ .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_TEXT, .size = (uint16_t)(tick % 60),
                                        .data = script->command_bytes };
        memset(script->command_bytes, (int)(tick & 0x7f), sizeof(script->command_bytes));
        row.command_count = 1;
        row.commands = &script->command;
    } else if (is_flat && tick % 37 == 20 && players > 0) {
        bytes_put_u32(script->command_bytes, 0);
        bytes_put_u32(script->command_bytes + 4, 4096);
        script->command = (tp_command){ .source = 0, .type = TESTWORLD_COMMAND_KICK, .size = 8, .data = script->command_bytes };
        row.command_count = 1;
        row.commands = &script->command;
    }
    return row;
}

tp_sim *testworld_run(const tp_world *world, uint32_t players, uint64_t seed, uint64_t ticks)
{
    tp_setup setup = testworld_setup(world, players, seed);
    tp_error error;
    tp_sim  *sim = tp_sim_create(world, &setup, NULL, &error);
    if (sim == NULL) {
        fprintf(stderr, "testworld: %s\n", error.text);
        abort();
    }
    for (uint64_t tick = 0; tick < ticks; tick++) {
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK) {
            fprintf(stderr, "testworld: tick %llu: %s\n", (unsigned long long)tick, error.text);
            abort();
        }
    }
    return sim;
}
