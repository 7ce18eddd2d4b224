// fuzz_realm.c: forged and truncated states of the realm, taken in the middle of drafts. Whatever decoding and validation accept must be a state that
// the world can go on from: it may not fault, and what it steps to must be accepted again. A fault or a refusal later is a hole in the
// validation, and so is a state that encodes to other bytes than it was decoded from.
//
// Input: one byte chooses the state, one how much is cut off its end (0: nothing); then fours (u24 offset, u8 value) are written into it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "realm_state.h"
#include "tickproof/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STATES = 16, STEPS = 40, PLAYERS = 2 };

static const int64_t config[REALM_CONFIG_COUNT] = {
    [REALM_CONFIG_BLOCKS] = 64, [REALM_CONFIG_RESIDENTS] = 25, [REALM_CONFIG_LEAVES] = 40, [REALM_CONFIG_CELLS] = 48,
    [REALM_CONFIG_BUILDINGS] = 24, [REALM_CONFIG_OWNERS] = 256, [REALM_CONFIG_DYNAMICS] = 48, [REALM_CONFIG_MEMBERS] = 512,
    [REALM_CONFIG_SETS] = 384, [REALM_CONFIG_ROWS] = 1024, [REALM_CONFIG_DRAFTS] = 4, [REALM_CONFIG_JOURNAL] = 64,
    [REALM_CONFIG_ABANDON_TICKS] = 300, [REALM_CONFIG_WORK_UNITS] = 5, [REALM_CONFIG_WIDTH] = 255, [REALM_CONFIG_HEIGHT] = 255,
    [REALM_CONFIG_RING] = 1, [REALM_CONFIG_ARRIVAL] = 0, [REALM_CONFIG_CREATURES] = 12, [REALM_CONFIG_SHOTS] = 8, [REALM_CONFIG_DOORS] = 8,
};

static tp_sim  *sim;
static uint8_t *states[STATES]; // canonical
static uint64_t ticks[STATES];
static size_t   state_size;
static uint8_t *forged, *after;

static void step(uint64_t tick)
{
    // The second player leaves now and then; one landblock is reloaded without end, so that drafts are always open.
    static RealmPlaceCommand place = { 127, 127 };
    tp_command command = { .source = TP_SOURCE_HOST, .type = REALM_COMMAND_RELOAD, .size = sizeof(place), .data = &place };
    uint8_t    presence = (uint8_t)(tick % 50 > 35 ? 1 : 3), inputs[PLAYERS * TP_INPUT_SIZE_MAX] = { 0 };
    RealmInput input = { .move_x = 127, .move_y = (int8_t)(tick % 100), .look = { (uint16_t)(tick * 3000) },
                         .buttons = tick % 20 == 0 ? REALM_BUTTON_JUMP : tick % 3 == 0 ? REALM_BUTTON_SHOOT : REALM_BUTTON_ATTACK };
    tp_record_encode(realm_world.input, &input, inputs);
    place.x = (uint8_t)(126 + tick % 3);
    tp_row   row = { .presence = &presence, .inputs = inputs, .command_count = 1, .commands = &command };
    tp_error error;
    if (tp_sim_step(sim, &row, &error) != TP_SIM_OK) {
        fprintf(stderr, "tick %llu: %s: %s (%s:%d)\n", (unsigned long long)tick, error.text, tp_sim_fault(sim)->what, tp_sim_fault(sim)->file,
                tp_sim_fault(sim)->line);
        abort();
    }
}

static tp_sim *open_sim(void)
{
    tp_setup setup = { .seed = 9, .players = PLAYERS, .tick_rate_hz = realm_world.tick_rate_hz, .config = config };
    tp_error error;
    tp_sim  *opened = tp_sim_create(&realm_world, &setup, NULL, &error);
    if (opened == NULL) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    return opened;
}

static void prepare(void)
{
    sim = open_sim();
    size_t capacity = tp_sim_encoded_max(sim);
    forged = malloc(capacity);
    after = malloc(capacity);
    for (uint32_t i = 0; i < STATES; i++) {
        for (uint32_t k = 0; k < 3 + i * 5; k++) {
            step(tp_sim_tick(sim));
        }
        states[i] = malloc(capacity);
        ticks[i] = tp_sim_tick(sim);
        if (!tp_sim_encode(sim, states[i], capacity, &state_size)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (sim == NULL) {
        prepare();
    }
    if (size < 2) {
        return 0;
    }
    uint32_t which = data[0] % STATES;
    size_t   cut = data[1];
    memcpy(forged, states[which], state_size);
    for (size_t at = 2; at + 4 <= size; at += 4) {
        uint32_t offset = data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16;
        forged[offset % state_size] = data[at + 3];
    }
    tp_error error;
    bool     is_taken = tp_sim_decode(sim, forged, state_size - cut, ticks[which], 1, 2, &error);
    if (is_taken && cut != 0) {
        abort(); // a truncated state was taken
    }
    if (!is_taken) {
        return 0;
    }
    size_t after_size = 0;
    if (!tp_sim_encode(sim, after, state_size, &after_size) || after_size != state_size || memcmp(after, forged, state_size) != 0) {
        abort();
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        step(ticks[which] + i);
    }
    if (!tp_sim_encode(sim, after, state_size, &after_size) || !tp_sim_decode(sim, after, after_size, 1, 1, 2, &error)) {
        fprintf(stderr, "what an accepted state steps to is refused: %s\n", error.text);
        abort();
    }
    return 0;
}
