#include "realm_match.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "realm_catalog.h"
#include "realm_query.h"

MatchConfig match_config(void)
{
    MatchConfig config;
    for (uint32_t i = 0; i < REALM_CONFIG_COUNT; i++) {
        config.items[i] = realm_world.config[i].standard;
    }
    return config;
}

MatchConfig match_config_quiet(void)
{
    MatchConfig config = match_config();
    config.items[REALM_CONFIG_WIDTH] = 3;
    config.items[REALM_CONFIG_HEIGHT] = 3;
    config.items[REALM_CONFIG_RING] = 2;
    config.items[REALM_CONFIG_WORK_UNITS] = 2000;
    config.items[REALM_CONFIG_CREATURES] = 0;
    config.items[REALM_CONFIG_DOORS] = 0;
    return config;
}

void match_open(Match *match, uint32_t players, uint64_t seed, MatchConfig config, bool is_checked)
{
    tp_error       error;
    tp_setup       setup = { .seed = seed, .players = players, .tick_rate_hz = REALM_TICK_RATE_HZ, .config = config.items };
    tp_sim_options options = { .check_touched = is_checked };
    *match = (Match){ .players = players };
    for (uint32_t i = 0; i < players; i++) {
        match->presence[i / 8] = (uint8_t)(match->presence[i / 8] | 1u << (i % 8));
    }
    match->sim = tp_sim_create(&realm_world, &setup, &options, &error);
    cr_assert_not_null(match->sim, "%s", error.text);
}

void match_close(Match *match)
{
    tp_sim_destroy(match->sim);
    free(match->bots);
}

void match_seat_bots(Match *match, uint64_t seed, uint32_t delay_ticks)
{
    match->bots = calloc(match->players, sizeof(*match->bots));
    cr_assert_not_null(match->bots);
    for (uint32_t i = 0; i < match->players; i++) {
        realm_bot.init(&match->bots[i], &tp_sim_layout(match->sim)->setup, i, seed, delay_ticks);
    }
}

void match_command(Match *match, uint32_t source, RealmCommand type, const void *data, uint16_t size)
{
    cr_assert_lt(match->command_count, MATCH_COMMANDS_MAX);
    match->commands[match->command_count++] =
        (tp_command){ .source = source, .type = (uint16_t)type, .size = size, .data = data };
}

static void put_input(uint8_t *bytes, const RealmInput *input)
{
    bytes[0] = (uint8_t)input->move_x;
    bytes[1] = (uint8_t)input->move_y;
    bytes[2] = (uint8_t)input->look.raw;
    bytes[3] = (uint8_t)(input->look.raw >> 8);
    bytes[4] = input->buttons;
    bytes[5] = 0;
}

tp_sim_status match_try_step(Match *match, tp_error *error)
{
    uint8_t bytes[REALM_PLAYERS_MAX * 6] = { 0 };
    tp_view view = tp_sim_view(match->sim);
    cr_assert_eq(tp_sim_layout(match->sim)->input_size, 6);
    for (uint32_t i = 0; i < match->players; i++) {
        bool is_here = (match->presence[i / 8] >> (i % 8) & 1) != 0;
        if (match->bots != NULL) {
            realm_bot.play(&match->bots[i], &view, &match->inputs[i]);
        }
        if (is_here) {
            put_input(bytes + 6 * i, &match->inputs[i]);
        }
    }
    tp_row row = {
        .presence = match->presence, .inputs = bytes, .command_count = match->command_count, .commands = match->commands,
    };
    match->command_count = 0;
    return tp_sim_step(match->sim, &row, error);
}

void match_step(Match *match)
{
    tp_error      error = { "" };
    tp_sim_status status = match_try_step(match, &error);
    const char   *what = status == TP_SIM_FAULTED ? tp_sim_fault(match->sim)->what : "";
    cr_assert_eq(status, TP_SIM_OK, "tick %llu: %s%s", (unsigned long long)tp_sim_tick(match->sim), error.text, what);
}

void match_steps(Match *match, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        match_step(match);
    }
}

void match_start(Match *match)
{
    for (uint32_t tick = 0; tick < 600; tick++) {
        match_step(match);
        RealmGameView view = match_view(match);
        uint32_t      missing = 0;
        for (uint32_t i = 0; i < match->players; i++) {
            bool is_here = (match->presence[i / 8] >> (i % 8) & 1) != 0;
            missing += is_here && view.players[i].status != REALM_PLAYER_ALIVE;
        }
        if (missing == 0) {
            return;
        }
    }
    cr_assert_fail("not everybody appeared in 600 ticks");
}

RealmGameView match_view(const Match *match)
{
    tp_view view = tp_sim_view(match->sim);
    return realm_game_open(view.state, view.section_offset, view.section_count);
}

static bool hears_nothing(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return true;
}

RealmEngine match_engine(Match *match, tp_context *context)
{
    *context = tp_layout_context(tp_sim_layout(match->sim));
    context->emit = hears_nothing;
    return realm_engine_open(tp_sim_state(match->sim), context);
}

RealmPlace match_place(const Match *match, uint32_t slot)
{
    tp_context  context = tp_layout_context(tp_sim_layout(match->sim));
    RealmEngine engine = realm_engine_open_const(tp_sim_view(match->sim).state, &context);
    RealmPlace  place;
    cr_assert(realm_owner_place(&engine, match_view(match).players[slot].owner, &place), "slot %u is nowhere", slot);
    return place;
}

RealmPlayer *match_player(Match *match, uint32_t slot)
{
    tp_context context = tp_layout_context(tp_sim_layout(match->sim));
    return (RealmPlayer *)tp_section_at(&context, tp_sim_state(match->sim), REALM_SECTION_PLAYERS) + slot;
}

RealmCreature *match_creature(Match *match, uint32_t index)
{
    tp_context context = tp_layout_context(tp_sim_layout(match->sim));
    return (RealmCreature *)tp_section_at(&context, tp_sim_state(match->sim), REALM_SECTION_CREATURES) + index;
}

static RealmPlace on_the_ground(const RealmEngine *engine, RealmPlace place)
{
    RealmPlace  above = place;
    above.z.raw += REALM_RAW(1);
    RealmGround ground = realm_query_ground(engine, REALM_ACTIVE, above);
    cr_assert(ground.is_known);
    place.z = ground.z;
    return place;
}

void match_put(Match *match, uint32_t slot, RealmPlace place)
{
    tp_context  context;
    RealmEngine engine = match_engine(match, &context);
    cr_assert_eq(realm_owner_move(&engine, match_player(match, slot)->owner, on_the_ground(&engine, place)), REALM_DONE);
    match_player(match, slot)->is_grounded = 1;
}

uint32_t match_put_creature(Match *match, RealmPlace place)
{
    tp_context  context;
    RealmEngine engine = match_engine(match, &context);
    uint32_t    index = 0;
    while (match_creature(match, index)->mode != REALM_CREATURE_NONE) {
        index++;
        cr_assert_lt(index, match_view(match).creature_count);
    }
    RealmCreature    *creature = match_creature(match, index);
    RealmOwnerContent content = { .id = REALM_ID_CREATURES + index, .setup = REALM_SETUP_CREATURE_SMALL, .place = on_the_ground(&engine, place) };
    cr_assert_eq(realm_owner_register(&engine, &content, &creature->owner), REALM_DONE);
    creature->mode = REALM_CREATURE_REST;
    creature->wait_ticks = 1000;
    creature->health = REALM_CREATURE_HEALTH;
    creature->is_grounded = 1;
    return index;
}

RealmPlace match_beside(const Match *match, uint32_t slot, int32_t x_raw, int32_t y_raw)
{
    RealmVector delta = { { x_raw }, { y_raw }, { 0 } };
    RealmPlace  place;
    cr_assert(realm_place_move(match_place(match, slot), delta, &place));
    return place;
}

uint32_t match_event_count(const Match *match, RealmEvent type)
{
    tp_view  view = tp_sim_view(match->sim);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.event_count; i++) {
        count += view.events[i].type == (uint32_t)type;
    }
    return count;
}

const RealmGameEvent *match_event(const Match *match, RealmEvent type)
{
    tp_view view = tp_sim_view(match->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        if (view.events[i].type == (uint32_t)type) {
            return view.events[i].data;
        }
    }
    return NULL;
}
