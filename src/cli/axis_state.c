// axis_state.c: what is done with the sim between ticks: tried with other inputs and brought back, looked at, encoded and decoded.
#include <stdlib.h>
#include <string.h>

#include "axis_internal.h"
#include "tickproof/rng.h"

enum { TRIED_TICKS = 4, CARRY_ONE_IN = 16 };

typedef enum { TRY_EVERYBODY, TRY_NEUTRAL, TRY_NOBODY, TRY_KINDS } TryKind;

bool axis_state_prepare(AxisState *state, AxisSet *set)
{
    if (state->restore_ticks > 0 && set->sim.ring_capacity == 0) {
        set->sim.ring_capacity = 1;
    }
    return true;
}

static bool reserve(AxisState *state, tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    size_t           row_size = tp_row_size_fixed(layout->setup.players, layout->input_size);
    state->bytes_capacity = tp_sim_encoded_max(sim) + 1;
    state->bytes = state->bytes != NULL ? state->bytes : malloc(state->bytes_capacity);
    state->row = state->row != NULL ? state->row : malloc(row_size + 1);
    if (state->bytes == NULL || state->row == NULL) {
        axis_fail(state, "out of memory");
        return false;
    }
    return true;
}

// Something pressed and pushed that the world itself brings into range.
static void press(const tp_world *world, uint8_t *bytes)
{
    enum { PRESSED = 0x5A };
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX * 16];
    memset(native, PRESSED, sizeof(native));
    if (world->input->struct_size <= sizeof(native)) {
        tp_input_sanitise(world, native);
        tp_record_encode(world->input, native, bytes);
    }
}

static size_t make_row(AxisState *state, const tp_layout *layout, TryKind kind)
{
    uint32_t players = layout->setup.players;
    size_t   inputs_at = (players + 7) / 8 + (players + 3) / 4;
    size_t   size = tp_row_size_fixed(players, layout->input_size);
    memset(state->row, 0, size);
    for (uint32_t slot = 0; slot < players && kind != TRY_NOBODY; slot++) {
        uint8_t *input = state->row + inputs_at + (size_t)slot * layout->input_size;
        state->row[slot / 8] |= (uint8_t)(1u << (slot % 8));
        if (kind == TRY_EVERYBODY) {
            press(layout->world, input);
        } else {
            tp_input_neutral(layout, input);
        }
    }
    return size;
}

// Whatever the world keeps outside of its state is another thing after this. A fault ends the trying and is taken back like all the rest.
static void try_others(AxisState *state, tp_sim *sim)
{
    tp_error error;
    for (int i = 0; i < TRIED_TICKS && !tp_sim_is_faulted(sim); i++) {
        size_t size = make_row(state, tp_sim_layout(sim), (TryKind)(i % TRY_KINDS));
        (void)tp_sim_step_bytes(sim, state->row, size, &error);
    }
}

static void go_back(AxisState *state, tp_sim *sim, uint64_t tick)
{
    uint64_t steps = tp_sim_tick(sim);
    if (!tp_sim_snapshot(sim)) {
        axis_fail(state, "restore: tick %llu: the world cannot save its state", (unsigned long long)tick);
        return;
    }
    try_others(state, sim);
    if (!tp_sim_restore(sim, steps)) {
        axis_fail(state, "restore: tick %llu: the world does not take back the state that it saved", (unsigned long long)tick);
    }
}

static void carry(AxisState *state, tp_sim *sim, uint64_t tick)
{
    tp_error error;
    size_t   size = 0;
    uint64_t steps = tp_sim_tick(sim);
    uint64_t input_leaf = tp_sim_input_leaf(sim);
    uint64_t event_leaf = tp_sim_event_leaf(sim);
    if (!tp_sim_encode(sim, state->bytes, state->bytes_capacity, &size)) {
        axis_fail(state, "carry: tick %llu: the world cannot save its state", (unsigned long long)tick);
        return;
    }
    try_others(state, sim);
    if (!tp_sim_decode(sim, state->bytes, size, steps, input_leaf, event_leaf, &error)) {
        axis_fail(state, "carry: tick %llu: the world refuses the state that it encoded: %.150s", (unsigned long long)tick, error.text);
    }
}

static bool is_carried(const AxisState *state, uint64_t tick)
{
    uint64_t mixed = state->carry_seed ^ tick * UINT64_C(0x9e3779b97f4a7c15);
    return state->has_carry && tp_splitmix64_next(&mixed) % CARRY_ONE_IN == 0;
}

void axis_state_before(AxisState *state, tp_sim *sim, uint64_t tick)
{
    bool is_restored = state->restore_ticks > 0 && tick % state->restore_ticks == 0;
    bool carries = is_carried(state, tick);
    if (state->has_failed || ((is_restored || carries) && !reserve(state, sim))) {
        return;
    }
    if (is_restored) {
        go_back(state, sim, tick);
    }
    if (carries) {
        carry(state, sim, tick);
    }
    if (state->lends) {
        (void)tp_sim_state(sim);
    }
}

typedef struct {
    AxisState *state;
    tp_sim    *sim;
} Look;

static void ignore_cue(void *to, const tp_cue *cue)
{
    (void)to;
    (void)cue;
}

static size_t bot_size(const tp_world *world)
{
    return ((size_t)world->bot->size + 15) / 16 * 16;
}

static void start_body(void *argument)
{
    const Look     *look = argument;
    const tp_setup *setup = &tp_sim_layout(look->sim)->setup;
    const tp_world *world = tp_sim_layout(look->sim)->world;
    if (world->observer != NULL) {
        world->observer->init(look->state->observer, setup);
    }
    for (uint32_t slot = 0; world->bot != NULL && slot < setup->players; slot++) {
        world->bot->init((uint8_t *)look->state->bots + slot * bot_size(world), setup, slot, setup->seed + slot, 0);
    }
}

static void look_body(void *argument)
{
    _Alignas(16) uint8_t input[TP_INPUT_SIZE_MAX * 16];
    const Look          *look = argument;
    const tp_world      *world = tp_sim_layout(look->sim)->world;
    tp_view              view = tp_sim_view(look->sim);
    if (world->observer != NULL) {
        world->observer->tick(look->state->observer, &view, ignore_cue, NULL);
    }
    bool has_room = world->input != NULL && world->input->struct_size <= sizeof(input);
    for (uint32_t slot = 0; world->bot != NULL && has_room && slot < view.setup->players; slot++) {
        memset(input, 0, sizeof(input));
        world->bot->play((uint8_t *)look->state->bots + slot * bot_size(world), &view, input);
    }
}

static bool start_looking(AxisState *state, tp_sim *sim)
{
    const tp_world *world = tp_sim_layout(sim)->world;
    size_t          players = tp_sim_layout(sim)->setup.players;
    Look            look = { state, sim };
    state->observer = calloc(1, world->observer != NULL ? (size_t)world->observer->size + 16 : 16);
    state->bots = calloc(1, world->bot != NULL ? bot_size(world) * players + 16 : 16);
    if (state->observer == NULL || state->bots == NULL || !reserve(state, sim)) {
        axis_fail(state, "observer: out of memory");
        return false;
    }
    if (!tp_guard_run(start_body, &look, NULL)) {
        axis_fail(state, "observer: the world's observer or bot faults when it is made");
        return false;
    }
    return true;
}

void axis_state_after(AxisState *state, tp_sim *sim)
{
    char   text[256];
    size_t size = 0;
    Look   look = { state, sim };
    if (!state->observes || state->has_failed || tp_sim_is_faulted(sim) || (state->observed == 0 && !start_looking(state, sim))) {
        return;
    }
    state->observed += 1;
    // A root that is known would stay what it was, however an observer wrote into the state: lent out, it is hashed anew.
    (void)tp_sim_state(sim);
    (void)tp_sim_describe(sim, text, sizeof(text));
    if (!tp_guard_run(look_body, &look, NULL)) {
        axis_fail(state, "observer: tick %llu: the world's observer or bot faults", (unsigned long long)tp_sim_tick(sim) - 1);
    }
    (void)tp_sim_encode(sim, state->bytes, state->bytes_capacity, &size);
    (void)tp_sim_state(sim);
}

void axis_state_finish(AxisState *state)
{
    free(state->bytes);
    free(state->row);
    free(state->observer);
    free(state->bots);
}
