// session_rig.c: see session_rig.h.
#include "session_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const char *why)
{
    fprintf(stderr, "session_rig: %s: %s\n", what, why);
    abort();
}

tp_sim *rig_sim(const tp_world *world, uint32_t players, uint64_t seed, uint32_t ring)
{
    tp_setup       setup = { .seed = seed, .players = players, .tick_rate_hz = world->tick_rate_hz };
    tp_sim_options options = { .ring_capacity = ring };
    tp_error       error;
    tp_sim        *sim = tp_sim_create(world, &setup, &options, &error);
    if (sim == NULL) {
        die(world->name, error.text);
    }
    return sim;
}

void rig_input(const tp_world *world, tp_pcg32 *random, void *native)
{
    const tp_record_type *type = world->input;
    for (uint32_t f = 0; f < type->field_count; f++) {
        const tp_field *field = &type->fields[f];
        uint32_t        size = field->size / field->count;
        for (uint32_t i = 0; i < field->count; i++) {
            uint64_t bits = tp_pcg32_next(random);
            // Flags from 0 to a mask take any of them; what is still out of range is brought into it at the border.
            bits &= field->range.min == 0 && field->range.max > 0 ? (uint64_t)field->range.max : UINT64_MAX;
            uint8_t *place = (uint8_t *)native + field->offset + i * size;
            for (uint32_t k = 0; k < size; k++) {
                place[k] = (uint8_t)(bits >> (8 * k)); // of a random number any order of bytes is as good
            }
        }
    }
}

void rig_encode(const tp_world *world, const void *native, uint8_t *bytes)
{
    _Alignas(16) uint8_t copy[TP_INPUT_SIZE_MAX] = { 0 };
    memcpy(copy, native, world->input->struct_size);
    tp_input_sanitise(world, copy);
    tp_record_encode(world->input, copy, bytes);
}

void rig_predict(const tp_world *world, const uint8_t *last, uint8_t *bytes)
{
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX] = { 0 };
    _Alignas(16) uint8_t predicted[TP_INPUT_SIZE_MAX] = { 0 };
    (void)tp_record_decode(world->input, last, native, NULL);
    tp_input_predict(world, native, predicted);
    rig_encode(world, predicted, bytes);
}

size_t rig_row(const tp_sim *sim, const bool *present, const uint8_t *inputs, const tp_command *command, uint8_t *row)
{
    const tp_layout *layout = tp_sim_layout(sim);
    uint32_t         players = layout->setup.players;
    uint8_t          presence[TP_PLAYERS_MAX / 8] = { 0 };
    static uint8_t   clean[TP_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    memset(clean, 0, sizeof(clean));
    for (uint32_t slot = 0; slot < players; slot++) {
        if (present[slot]) {
            presence[slot / 8] = (uint8_t)(presence[slot / 8] | 1u << (slot % 8));
            memcpy(clean + slot * layout->input_size, inputs + slot * layout->input_size, layout->input_size);
        }
    }
    tp_row parts = { .presence = presence, .inputs = clean, .command_count = command != NULL ? 1 : 0, .commands = command };
    size_t size = tp_row_encode(layout, &parts, row, RIG_ROW_MAX);
    if (size == 0) {
        die("encoding a row", "it does not fit");
    }
    return size;
}

tp_hash128 rig_step(tp_sim *sim, const uint8_t *row, size_t size)
{
    tp_error error;
    if (tp_sim_step_bytes(sim, row, size, &error) != TP_SIM_OK) {
        die("stepping", error.text);
    }
    return tp_sim_root(sim);
}

RigClient rig_client(const tp_world *world, uint32_t players, uint64_t seed, const tp_session_options *options)
{
    tp_error  error;
    RigClient client = { .sim = rig_sim(world, players, seed, tp_session_ring(options->window)) };
    client.session = tp_session_create(client.sim, options, &error);
    if (client.session == NULL) {
        die("making a session", error.text);
    }
    return client;
}

void rig_close(RigClient *client)
{
    tp_session_destroy(client->session);
    tp_sim_destroy(client->sim);
}

void rig_give(RigClient *client, uint32_t handles, uint8_t value)
{
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX];
    tp_error             error;
    memset(native, value, sizeof(native));
    for (uint32_t handle = 0; handle < handles; handle++) {
        if (tp_session_input(client->session, handle, native, &error) != TP_SESSION_OK) {
            die("giving an input", error.text);
        }
    }
}

RigRow rig_decide(tp_sim *sim, const uint8_t *firsts, uint32_t away, const tp_command *command)
{
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t          inputs[RIG_SLOTS_MAX * TP_INPUT_SIZE_MAX] = { 0 };
    bool             present[RIG_SLOTS_MAX];
    RigRow           row = { .tick = tp_sim_tick(sim) };
    for (uint32_t slot = 0; slot < layout->setup.players; slot++) {
        present[slot] = (away >> slot & 1) == 0;
        inputs[slot * layout->input_size] = firsts[slot];
    }
    row.size = rig_row(sim, present, inputs, command, row.bytes);
    row.root = rig_step(sim, row.bytes, row.size);
    return row;
}

tp_session_status rig_confirm(RigClient *client, const RigRow *row)
{
    return tp_session_confirm(client->session, row->tick, row->bytes, row->size, &row->root, NULL);
}
