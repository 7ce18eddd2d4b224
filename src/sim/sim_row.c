// sim_row.c: rows at the border of a step: checked, decoded, and kept as the bytes the input leaf is hashed over.
#include "sim_internal.h"

#include <string.h>

uint32_t tp_row_size_fixed(uint32_t players, uint32_t input_size)
{
    return (players + 7) / 8 + (players + 3) / 4 + players * input_size + 2;
}

static bool is_present(const uint8_t *presence, uint32_t slot)
{
    return ((presence[slot / 8] >> (slot % 8)) & 1) != 0;
}

// Bytes of the row's commands, without their count.
static size_t commands_size(const tp_row *row)
{
    size_t size = 0;
    for (uint32_t i = 0; i < row->command_count; i++) {
        size += 8 + (size_t)row->commands[i].size;
    }
    return size;
}

static void put_commands(const tp_row *row, uint8_t *bytes)
{
    for (uint32_t i = 0; i < row->command_count; i++) {
        const tp_command *command = &row->commands[i];
        bytes_put_u32(bytes, command->source);
        bytes_put_u16(bytes + 4, command->type);
        bytes_put_u16(bytes + 6, command->size);
        if (command->size > 0) {
            memcpy(bytes + 8, command->data, command->size);
        }
        bytes += 8 + (size_t)command->size;
    }
}

static void put_origins(const tp_row *row, uint32_t players, uint8_t *bytes)
{
    memset(bytes, 0, (players + 3) / 4);
    for (uint32_t slot = 0; row->origins != NULL && slot < players; slot++) {
        if (is_present(row->presence, slot)) {
            bytes[slot / 4] |= (uint8_t)(row->origins[slot / 4] & (3u << (2 * (slot % 4))));
        }
    }
}

size_t tp_row_encode(const tp_layout *layout, const tp_row *row, uint8_t *bytes, size_t capacity)
{
    uint32_t players = layout->setup.players;
    size_t   presence_size = (players + 7) / 8;
    size_t   origins_size = (players + 3) / 4;
    size_t   inputs_size = (size_t)players * layout->input_size;
    size_t   size = presence_size + origins_size + inputs_size + 2 + commands_size(row);
    if (size > capacity) {
        return 0;
    }
    if (players > 0) {
        memcpy(bytes, row->presence, presence_size);
        put_origins(row, players, bytes + presence_size);
        memcpy(bytes + presence_size + origins_size, row->inputs, inputs_size);
    }
    bytes += presence_size + origins_size + inputs_size;
    bytes_put_u16(bytes, (uint16_t)row->command_count);
    put_commands(row, bytes + 2);
    return size;
}

void sim_row_keep(tp_sim *sim, const tp_row *row)
{
    uint32_t players = sim->layout.setup.players;
    size_t   presence_size = (players + 7) / 8;
    size_t   inputs_size = (size_t)players * sim->layout.input_size;
    uint8_t *bytes = sim->input_bytes;
    if (players > 0) {
        memcpy(bytes, row->presence, presence_size);
        memcpy(bytes + presence_size, row->inputs, inputs_size);
    }
    bytes += presence_size + inputs_size;
    bytes_put_u16(bytes, (uint16_t)row->command_count);
    put_commands(row, bytes + 2);
    sim->input_bytes_size = presence_size + inputs_size + 2 + commands_size(row);
    sim->is_input_leaf_known = false;
}

static bool accept_inputs(tp_sim *sim, const tp_row *row, tp_error *error)
{
    const tp_world *world = sim->world;
    uint32_t        players = sim->layout.setup.players;
    uint32_t        size = sim->layout.input_size;
    if (players == 0) {
        return true;
    }
    if (players % 8 != 0 && (row->presence[players / 8] >> (players % 8)) != 0) {
        return tp_error_set(error, "presence has bits past slot %u", players - 1);
    }
    for (uint32_t slot = 0; slot < players; slot++) {
        const uint8_t *bytes = row->inputs + (size_t)slot * size;
        uint8_t       *native = sim->inputs + (size_t)slot * world->input->struct_size;
        if (is_present(row->presence, slot)) {
            tp_error reason;
            if (!tp_record_decode(world->input, bytes, native, &reason)) {
                return tp_error_set(error, "slot %u: %.200s", slot, reason.text);
            }
            continue;
        }
        for (uint32_t i = 0; i < size; i++) {
            if (bytes[i] != 0) {
                return tp_error_set(error, "slot %u is absent but has an input", slot);
            }
        }
        memset(native, 0, world->input->struct_size);
    }
    return true;
}

static bool accept_command(tp_sim *sim, const tp_command *command, size_t *used, tp_command *native, tp_error *error)
{
    const tp_world *world = sim->world;
    if (command->type >= world->command_count) {
        return tp_error_set(error, "command type %u: the world has %u", command->type, world->command_count);
    }
    if (command->source != TP_SOURCE_HOST && command->source >= sim->layout.setup.players) {
        return tp_error_set(error, "command '%s' from slot %u of %u", world->commands[command->type].name, command->source,
                            sim->layout.setup.players);
    }
    const tp_record_type *type = &world->commands[command->type];
    uint32_t              size = type->field_count > 0 ? tp_record_size(type) : 0;
    bool fits = type->field_count > 0 ? command->size == size : command->size <= type->size_max;
    if (!fits) {
        return tp_error_set(error, "command '%s' of %u bytes: %s%u", type->name, command->size,
                            type->field_count > 0 ? "" : "at most ", type->field_count > 0 ? size : type->size_max);
    }
    uint8_t *place = sim->command_bytes + *used;
    *native = (tp_command){ .source = command->source, .type = command->type, .size = command->size, .data = place };
    if (type->field_count > 0) {
        tp_error reason;
        if (!tp_record_decode(type, command->data, place, &reason)) {
            return tp_error_set(error, "command %.200s", reason.text);
        }
        native->size = (uint16_t)type->struct_size;
    } else if (command->size > 0) {
        memcpy(place, command->data, command->size);
    }
    *used += (native->size + (size_t)SIM_COMMAND_ALIGN - 1) / SIM_COMMAND_ALIGN * SIM_COMMAND_ALIGN;
    return true;
}

static bool accept_commands(tp_sim *sim, const tp_row *row, tp_error *error)
{
    size_t used = 0;
    size_t encoded = 0;
    if (row->command_count > TP_COMMANDS_MAX) {
        return tp_error_set(error, "%u commands in one tick, the limit is %d", row->command_count, TP_COMMANDS_MAX);
    }
    for (uint32_t i = 0; i < row->command_count; i++) {
        // Sizes first, so that the native forms below cannot outgrow their buffer.
        encoded += 8 + (size_t)row->commands[i].size;
        if (row->commands[i].size > TP_COMMAND_SIZE_MAX || encoded > TP_COMMAND_BYTES_MAX) {
            return tp_error_set(error, "commands of more than %d bytes in one tick", TP_COMMAND_BYTES_MAX);
        }
        if (!accept_command(sim, &row->commands[i], &used, &sim->commands[i], error)) {
            return false;
        }
    }
    return true;
}

bool sim_row_accept(tp_sim *sim, const tp_row *row, tp_error *error)
{
    return accept_inputs(sim, row, error) && accept_commands(sim, row, error);
}

bool sim_row_parse(tp_sim *sim, const uint8_t *bytes, size_t size, tp_row *row, tp_error *error)
{
    uint32_t    players = sim->layout.setup.players;
    BytesReader reader = bytes_reader(bytes, size);
    row->presence = bytes_read_span(&reader, (players + 7) / 8);
    row->origins = bytes_read_span(&reader, (players + 3) / 4);
    row->inputs = bytes_read_span(&reader, (size_t)players * sim->layout.input_size);
    row->command_count = bytes_read_u16(&reader);
    row->commands = sim->parsed;
    if (row->command_count > TP_COMMANDS_MAX) {
        return tp_error_set(error, "%u commands in one tick, the limit is %d", row->command_count, TP_COMMANDS_MAX);
    }
    for (uint32_t i = 0; i < row->command_count; i++) {
        tp_command *command = &sim->parsed[i];
        command->source = bytes_read_u32(&reader);
        command->type = bytes_read_u16(&reader);
        command->size = bytes_read_u16(&reader);
        command->data = bytes_read_span(&reader, command->size);
    }
    if (!bytes_reader_is_done(&reader)) {
        return tp_error_set(error, "a row of %zu bytes does not fit %u slots of %u bytes", size, players, sim->layout.input_size);
    }
    return true;
}
