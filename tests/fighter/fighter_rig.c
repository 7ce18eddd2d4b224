#include "fighter_rig.h"

#include <criterion/criterion.h>

enum { PAD_SIZE = 6 };

void rig_open(Rig *rig, uint32_t players, uint64_t seed)
{
    tp_error error = { "" };
    tp_setup setup = { .seed = seed, .players = players, .tick_rate_hz = FIGHTER_TICK_RATE_HZ };
    *rig = (Rig){ .players = players };
    for (uint32_t i = 0; i < players; i++) {
        rig_set_present(rig, i, true);
    }
    rig->sim = tp_sim_create(&fighter_world, &setup, NULL, &error);
    cr_assert_not_null(rig->sim, "%s", error.text);
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    rig->state = fighter_state_open(tp_sim_state(rig->sim), &context);
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
