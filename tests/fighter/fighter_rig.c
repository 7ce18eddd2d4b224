#include "fighter_rig.h"

#include "fighter_data.h"

#include <criterion/criterion.h>

enum { PAD_SIZE = 6 };

RigConfig rig_config(void)
{
    RigConfig config;
    for (uint32_t i = 0; i < FIGHTER_CONFIG_COUNT; i++) {
        config.items[i] = fighter_world.config[i].standard;
    }
    return config;
}

void rig_open_with(Rig *rig, uint32_t players, uint64_t seed, RigConfig config)
{
    tp_error error = { "" };
    *rig = (Rig){ .players = players, .config = config };
    tp_setup setup = { .seed = seed, .players = players, .tick_rate_hz = FIGHTER_TICK_RATE_HZ, .config = config.items };
    for (uint32_t i = 0; i < players; i++) {
        rig_set_present(rig, i, true);
    }
    rig->sim = tp_sim_create(&fighter_world, &setup, NULL, &error);
    cr_assert_not_null(rig->sim, "%s", error.text);
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    rig->state = fighter_state_open(tp_sim_state(rig->sim), &context);
}

void rig_open(Rig *rig, uint32_t players, uint64_t seed)
{
    rig_open_with(rig, players, seed, rig_config());
}

void rig_close(Rig *rig)
{
    tp_sim_destroy(rig->sim);
}

void rig_seat_bots(Rig *rig, uint64_t seed, uint32_t delay_ticks)
{
    rig->has_bots = true;
    for (uint32_t i = 0; i < rig->players; i++) {
        fighter_bot.init(&rig->bots[i], &tp_sim_layout(rig->sim)->setup, i, seed, delay_ticks);
    }
}

void rig_set_present(Rig *rig, uint32_t slot, bool is_here)
{
    uint32_t bit = 1u << slot % 8;
    rig->presence[slot / 8] = (uint8_t)(is_here ? rig->presence[slot / 8] | bit : rig->presence[slot / 8] & ~bit);
}

bool rig_is_present(const Rig *rig, uint32_t slot)
{
    return (rig->presence[slot / 8] >> slot % 8 & 1) != 0;
}

static void encode_pads(const Rig *rig, uint8_t *bytes)
{
    memset(bytes, 0, (size_t)rig->players * PAD_SIZE);
    for (uint32_t i = 0; i < rig->players; i++) {
        if (rig_is_present(rig, i)) {
            tp_record_encode(fighter_world.input, &rig->pads[i], bytes + (size_t)i * PAD_SIZE);
        }
    }
}

size_t rig_row(const Rig *rig, uint8_t *bytes, size_t capacity)
{
    uint8_t inputs[FIGHTER_PLAYERS_MAX * PAD_SIZE];
    encode_pads(rig, inputs);
    tp_row row = { .presence = rig->presence, .inputs = inputs };
    return tp_row_encode(tp_sim_layout(rig->sim), &row, bytes, capacity);
}

void rig_step(Rig *rig)
{
    uint8_t inputs[FIGHTER_PLAYERS_MAX * PAD_SIZE];
    tp_view view = tp_sim_view(rig->sim);
    for (uint32_t i = 0; rig->has_bots && i < rig->players; i++) {
        fighter_bot.play(&rig->bots[i], &view, &rig->pads[i]);
    }
    encode_pads(rig, inputs);
    tp_error error = { "" };
    tp_row row = { .presence = rig->presence, .inputs = inputs };
    tp_sim_status status = tp_sim_step(rig->sim, &row, &error);
    cr_assert_eq(status, TP_SIM_OK, "tick %llu: %s", (unsigned long long)tp_sim_tick(rig->sim), error.text);
    view = tp_sim_view(rig->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        rig->seen[view.events[i].type]++;
    }
}

void rig_steps(Rig *rig, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        rig_step(rig);
    }
}

uint32_t rig_event_count(const Rig *rig, FighterEvent type)
{
    tp_view view = tp_sim_view(rig->sim);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.event_count; i++) {
        count += view.events[i].type == (uint32_t)type;
    }
    return count;
}

const FighterPlace *rig_event(const Rig *rig, FighterEvent type)
{
    tp_view view = tp_sim_view(rig->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        if (view.events[i].type == (uint32_t)type) {
            return view.events[i].data;
        }
    }
    return NULL;
}

const FighterImpact *rig_impact_of(const Rig *rig, FighterEvent type, uint32_t slot)
{
    tp_view view = tp_sim_view(rig->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        const FighterImpact *impact = view.events[i].data;
        if (view.events[i].type == (uint32_t)type && (slot == FIGHTER_PLAYERS_MAX || impact->slot == slot)) {
            return impact;
        }
    }
    return NULL;
}

const FighterImpact *rig_impact(const Rig *rig, FighterEvent type)
{
    return rig_impact_of(rig, type, FIGHTER_PLAYERS_MAX);
}

void rig_stand(Rig *rig, uint32_t slot, int32_t x_raw, int32_t y_raw, FighterFacing facing)
{
    Fighter *fighter = &rig->state.fighters[slot];
    const FighterStage *stage = fighter_data_stage(&tp_sim_layout(rig->sim)->setup);
    (void)tp_sim_state(rig->sim); // the root is stale from here on
    for (int32_t i = 0; i < stage->surface_count; i++) {
        const FighterSurface *surface = &stage->surfaces[i];
        if (fighter_data_holds_feet(surface) && surface->y0 == y_raw && surface->x0 <= x_raw && x_raw <= surface->x1) {
            fighter->x.raw = x_raw;
            fighter->y.raw = y_raw;
            fighter->velocity_x.raw = fighter->velocity_y.raw = fighter->launch_x.raw = fighter->launch_y.raw = 0;
            fighter->surface = (uint8_t)(i + 1);
            fighter->ledge = fighter->dropping = fighter->is_launched = fighter->partner = fighter->is_guard_spent = 0;
            fighter->hitlag_ticks = fighter->lag_ticks = fighter->guard_ticks = fighter->action_tick = 0;
            fighter->action = FIGHTER_ACTION_IDLE;
            fighter->facing = (uint8_t)facing;
            return;
        }
    }
    cr_assert_fail("nothing to stand on at %d, %d", (int)x_raw, (int)y_raw);
}

void rig_poise(Rig *rig, uint32_t slot, FighterAction action)
{
    const FighterKind *kind = fighter_data_kind(&tp_sim_layout(rig->sim)->setup, slot);
    Fighter *fighter = &rig->state.fighters[slot];
    fighter->action = (uint8_t)action;
    fighter->action_tick = (uint16_t)(fighter_strikes[kind->actions[action].first_strike].first_tick - 1);
    fighter->strike_part = 0;
    fighter->struck[0] = fighter->struck[1] = 0;
}

uint32_t rig_event_place(const Rig *rig, FighterEvent type)
{
    tp_view view = tp_sim_view(rig->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        if (view.events[i].type == (uint32_t)type) {
            return i;
        }
    }
    return UINT32_MAX;
}

void rig_check(const Rig *rig)
{
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    const char *wrong = fighter_world.validate(tp_sim_state(rig->sim), &context);
    cr_assert_null(wrong, "tick %llu: %s", (unsigned long long)tp_sim_tick(rig->sim), wrong);
}

FighterInput rig_mirrored_pad(FighterInput pad)
{
    pad.stick_x = (int8_t)-pad.stick_x;
    pad.c_x = (int8_t)-pad.c_x;
    return pad;
}

Fighter rig_mirrored_fighter(const Fighter *fighter)
{
    Fighter mirrored = *fighter;
    mirrored.x.raw = -fighter->x.raw;
    mirrored.velocity_x.raw = -fighter->velocity_x.raw;
    mirrored.launch_x.raw = -fighter->launch_x.raw;
    mirrored.last_stick_x = (int8_t)-fighter->last_stick_x;
    mirrored.last_c_x = (int8_t)-fighter->last_c_x;
    if (fighter->is_here != 0) {
        mirrored.facing = fighter->facing == FIGHTER_FACING_LEFT ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT;
    }
    return mirrored;
}

FighterProjectile rig_mirrored_shot(const FighterProjectile *shot)
{
    FighterProjectile mirrored = *shot;
    mirrored.x.raw = -shot->x.raw;
    mirrored.velocity_x.raw = -shot->velocity_x.raw;
    return mirrored;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t state = a * 1000003 + b;
    return tp_splitmix64_next(&state);
}

FighterInput rig_script(uint64_t number, uint64_t tick)
{
    static const int8_t sticks[8] = { -127, -127, 127, 127, 0, -64, 64, 110 };
    uint64_t way = mixed(number, tick / 20);
    uint64_t press = mixed(number + 77, tick / 5);
    return (FighterInput){
        .buttons = (uint16_t)((press % 6 == 0 ? FIGHTER_BUTTON_JUMP : 0) | (press / 8 % 16 << 1)),
        .stick_x = sticks[way % 8],
        .stick_y = (int8_t)(way / 8 % 255 - 127),
        .c_x     = (int8_t)(way / 4096 % 255 - 127),
        .c_y     = (int8_t)(press / 4096 % 255 - 127),
    };
}

void rig_play_script(Rig *rig, uint64_t tick)
{
    for (uint32_t i = 0; i < rig->players; i++) {
        rig->pads[i] = rig_script(i, tick);
        rig_set_present(rig, i, (tick / 150 + i) % 5 != 4);
    }
}

static const Fighter *nearest_other(const Rig *rig, uint32_t slot)
{
    const Fighter *self = &rig->state.fighters[slot];
    const Fighter *nearest = NULL;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < rig->players; i++) {
        const Fighter *other = &rig->state.fighters[i];
        int64_t x = (int64_t)other->x.raw - self->x.raw;
        int64_t y = (int64_t)other->y.raw - self->y.raw;
        bool is_there = i != slot && other->action > FIGHTER_ACTION_RESPAWN;
        if (is_there && x * x + y * y < least) {
            least = x * x + y * y;
            nearest = other;
        }
    }
    return nearest;
}

// Buttons by weight, far from the other one and near.
static uint16_t lively_buttons(uint64_t draw, bool is_near)
{
    enum { J = FIGHTER_BUTTON_JUMP, A = FIGHTER_BUTTON_ATTACK, S = FIGHTER_BUTTON_SHIELD, G = FIGHTER_BUTTON_GRAB, X = FIGHTER_BUTTON_SPECIAL };
    static const uint8_t far_buttons[16] = { 0, 0, 0, 0, 0, 0, J, J, J, A, A, S, G, X, X, X };
    static const uint8_t near_buttons[16] = { 0, A, A, A, A, A, A, A, A, J, S, S, G, G, X, X };
    return is_near ? near_buttons[draw % 16] : far_buttons[draw % 16];
}

FighterInput rig_lively(const Rig *rig, uint64_t number, uint32_t slot, uint64_t tick)
{
    static const int8_t sticks[8] = { -127, 127, 0, 0, -60, 60, -127, 127 };
    uint64_t who = number * 131 + slot;
    uint64_t way = mixed(who, tick / 12);
    uint64_t press = mixed(who + 7777, tick / 6);
    const Fighter *self = &rig->state.fighters[slot];
    const Fighter *other = nearest_other(rig, slot);
    FighterInput pad = { .stick_x = sticks[way % 8], .stick_y = sticks[way / 8 % 8] };
    bool is_far_out = self->x.raw > FIGHTER_RAW(190) || self->x.raw < -FIGHTER_RAW(190) || self->y.raw < -FIGHTER_RAW(10);
    int64_t way_x = other == NULL ? 0 : (int64_t)other->x.raw - self->x.raw;
    int64_t way_y = other == NULL ? 0 : (int64_t)other->y.raw - self->y.raw;
    bool is_near = other != NULL && way_x * way_x + way_y * way_y < (int64_t)FIGHTER_RAW(38) * FIGHTER_RAW(38);
    if (other != NULL && way / 64 % 4 != 0) {
        int8_t push = is_near && way / 1024 % 2 == 0 ? 50 : 127;
        pad.stick_x = (int8_t)(way_x < 0 ? -push : way_x > 0 ? push : 0);
        pad.stick_y = way / 256 % 3 == 0 ? pad.stick_y : 0;
    }
    if (tick % 6 < 3) {
        pad.buttons = lively_buttons(press, is_near);
        pad.c_x = press / 16 % 9 == 0 ? sticks[press / 256 % 2] : 0;
        pad.c_y = press / 16 % 9 == 1 ? sticks[press / 256 % 2] : 0;
    }
    if (mixed(who + 99, tick / 260) % 12 == 0 && self->surface != 0) { // for as long as a shield lasts
        pad = (FighterInput){ .buttons = FIGHTER_BUTTON_SHIELD };
    }
    if (is_far_out && self->surface == 0) {
        pad.stick_x = self->x.raw > 0 ? -127 : 127;
        pad.stick_y = tick % 40 < 20 ? 127 : 0;
        pad.buttons = tick % 10 < 5 ? FIGHTER_BUTTON_SPECIAL : FIGHTER_BUTTON_JUMP;
        pad.c_x = pad.c_y = 0;
    }
    return pad;
}

void rig_play_lively(Rig *rig, uint64_t number, uint64_t tick)
{
    for (uint32_t i = 0; i < rig->players; i++) {
        rig->pads[i] = rig_lively(rig, number, i, tick);
    }
}
