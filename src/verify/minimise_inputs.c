// minimise_inputs.c: a run's inputs as plain arrays: made from a log, copied, cut, and counted.
#include "minimise_internal.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 1024, COMMANDS_FIRST = 64, DATA_FIRST = 4096 };

static size_t row_inputs_size(const tp_inputs *inputs)
{
    return (size_t)inputs->players * inputs->input_size;
}

bool tp_inputs_init(tp_inputs *inputs, const tp_layout *layout)
{
    *inputs = (tp_inputs){ .players = layout->setup.players, .input_size = layout->input_size, .presence_size = (layout->setup.players + 7) / 8 };
    inputs->neutral = calloc(1, (size_t)layout->input_size + 1);
    if (inputs->neutral != NULL && layout->input_size > 0) {
        tp_input_neutral(layout, inputs->neutral);
    }
    return inputs->neutral != NULL;
}

void tp_inputs_finish(tp_inputs *inputs)
{
    free(inputs->presence);
    free(inputs->inputs);
    free(inputs->commands);
    free(inputs->data);
    free(inputs->neutral);
    *inputs = (tp_inputs){ 0 };
}

// Room for `capacity` rows. Each array has a byte more, so that none is ever of size 0.
static bool reserve_rows(tp_inputs *inputs, uint64_t capacity)
{
    if (inputs->presence != NULL && capacity <= inputs->capacity) {
        return true;
    }
    uint8_t *presence = realloc(inputs->presence, (size_t)capacity * inputs->presence_size + 1);
    inputs->presence = presence != NULL ? presence : inputs->presence;
    uint8_t *rows = presence == NULL ? NULL : realloc(inputs->inputs, (size_t)capacity * row_inputs_size(inputs) + 1);
    inputs->inputs = rows != NULL ? rows : inputs->inputs;
    if (rows == NULL) {
        return false;
    }
    inputs->capacity = capacity;
    return true;
}

static bool reserve_commands(tp_inputs *inputs, uint32_t capacity, size_t data_capacity)
{
    if (inputs->commands == NULL || capacity > inputs->command_capacity) {
        uint32_t          wanted = capacity < COMMANDS_FIRST ? COMMANDS_FIRST : capacity * 2;
        tp_input_command *commands = realloc(inputs->commands, wanted * sizeof(*commands));
        if (commands == NULL) {
            return false;
        }
        inputs->commands = commands;
        inputs->command_capacity = wanted;
    }
    if (inputs->data == NULL || data_capacity > inputs->data_capacity) {
        size_t   wanted = data_capacity < DATA_FIRST ? DATA_FIRST : data_capacity * 2;
        uint8_t *data = realloc(inputs->data, wanted);
        if (data == NULL) {
            return false;
        }
        inputs->data = data;
        inputs->data_capacity = wanted;
    }
    return true;
}

bool tp_inputs_copy(tp_inputs *to, const tp_inputs *from)
{
    if (to->neutral == NULL) {
        *to = (tp_inputs){ .players = from->players, .input_size = from->input_size, .presence_size = from->presence_size };
        to->neutral = malloc((size_t)from->input_size + 1);
        if (to->neutral == NULL) {
            return false;
        }
        memcpy(to->neutral, from->neutral, (size_t)from->input_size + 1);
    }
    if (!reserve_rows(to, from->ticks) || !reserve_commands(to, from->command_count, from->data_size)) {
        return false;
    }
    to->ticks = from->ticks;
    to->command_count = from->command_count;
    to->data_size = from->data_size;
    if (from->ticks > 0) {
        memcpy(to->presence, from->presence, (size_t)from->ticks * from->presence_size);
        memcpy(to->inputs, from->inputs, (size_t)from->ticks * row_inputs_size(from));
    }
    if (from->command_count > 0) {
        memcpy(to->commands, from->commands, from->command_count * sizeof(*from->commands));
        memcpy(to->data, from->data, from->data_size);
    }
    return true;
}

bool tp_inputs_add_command(tp_inputs *inputs, uint64_t tick, const tp_command *command)
{
    if (!reserve_commands(inputs, inputs->command_count + 1, inputs->data_size + command->size + 1u)) {
        return false;
    }
    inputs->commands[inputs->command_count] = (tp_input_command){ .tick = tick, .id = inputs->command_count, .source = command->source, .type = command->type,
                                                                  .size = command->size, .data = inputs->data_size };
    if (command->size > 0) {
        memcpy(inputs->data + inputs->data_size, command->data, command->size);
    }
    inputs->data_size += command->size;
    inputs->command_count += 1;
    return true;
}

static void drop_commands(tp_inputs *inputs, uint32_t count)
{
    inputs->data_size = count < inputs->command_count ? inputs->commands[count].data : inputs->data_size;
    inputs->command_count = count;
}

bool tp_inputs_add(tp_inputs *inputs, const tp_row *row)
{
    uint32_t commands_before = inputs->command_count;
    size_t   size = row_inputs_size(inputs);
    if (!reserve_rows(inputs, inputs->ticks < inputs->capacity ? inputs->capacity : inputs->capacity < ROWS_FIRST ? ROWS_FIRST : inputs->capacity * 2)) {
        return false;
    }
    for (uint32_t i = 0; i < row->command_count; i++) {
        if (!tp_inputs_add_command(inputs, inputs->ticks, &row->commands[i])) {
            drop_commands(inputs, commands_before);
            return false;
        }
    }
    if (inputs->presence_size > 0) {
        memcpy(inputs->presence + inputs->ticks * inputs->presence_size, row->presence, inputs->presence_size);
    }
    if (size > 0) {
        memcpy(inputs->inputs + inputs->ticks * size, row->inputs, size);
    }
    inputs->ticks += 1;
    return true;
}

uint32_t minimise_first_command(const tp_inputs *inputs, uint64_t tick)
{
    uint32_t low = 0, high = inputs->command_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (inputs->commands[middle].tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void tp_inputs_row(const tp_inputs *inputs, uint64_t tick, tp_command *commands, tp_row *row)
{
    *row = (tp_row){ .presence = inputs->presence + tick * inputs->presence_size, .inputs = inputs->inputs + tick * row_inputs_size(inputs), .commands = commands };
    for (uint32_t i = minimise_first_command(inputs, tick); i < inputs->command_count && inputs->commands[i].tick == tick; i++) {
        const tp_input_command *from = &inputs->commands[i];
        commands[row->command_count++] = (tp_command){ .source = from->source, .type = from->type, .size = from->size, .data = inputs->data + from->data };
    }
}

void tp_inputs_cut(tp_inputs *inputs, uint64_t ticks)
{
    if (ticks < inputs->ticks) {
        inputs->command_count = minimise_first_command(inputs, ticks);
        inputs->ticks = ticks;
    }
}

void tp_inputs_remove(tp_inputs *inputs, uint64_t first, uint64_t count)
{
    size_t   size = row_inputs_size(inputs);
    uint64_t behind = inputs->ticks - first - count;
    memmove(inputs->presence + first * inputs->presence_size, inputs->presence + (first + count) * inputs->presence_size, behind * inputs->presence_size);
    memmove(inputs->inputs + first * size, inputs->inputs + (first + count) * size, behind * size);
    uint32_t kept = minimise_first_command(inputs, first);
    for (uint32_t i = minimise_first_command(inputs, first + count); i < inputs->command_count; i++) {
        inputs->commands[kept] = inputs->commands[i];
        inputs->commands[kept++].tick -= count;
    }
    inputs->command_count = kept;
    inputs->ticks -= count;
}

// Counting.

bool minimise_is_present(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    return (inputs->presence[tick * inputs->presence_size + slot / 8] >> (slot % 8) & 1) != 0;
}

uint8_t *minimise_cell(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    return inputs->inputs + (tick * inputs->players + slot) * inputs->input_size;
}

static bool is_something(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    return minimise_is_present(inputs, tick, slot) && memcmp(minimise_cell(inputs, tick, slot), inputs->neutral, inputs->input_size) != 0;
}

bool tp_inputs_next_record(const tp_inputs *inputs, uint32_t slot, uint64_t *tick, tp_input_record *record)
{
    uint64_t first = *tick;
    while (first < inputs->ticks && !is_something(inputs, first, slot)) {
        first++;
    }
    uint64_t end = first;
    while (end < inputs->ticks && minimise_is_present(inputs, end, slot) &&
           memcmp(minimise_cell(inputs, end, slot), minimise_cell(inputs, first, slot), inputs->input_size) == 0) {
        end++;
    }
    *tick = end;
    *record = (tp_input_record){ .slot = slot, .first = first, .ticks = end - first, .input = minimise_cell(inputs, first, slot) };
    return end > first;
}

bool minimise_next_absence(const tp_inputs *inputs, uint32_t slot, uint64_t *tick, uint64_t *first)
{
    *first = *tick;
    while (*first < inputs->ticks && minimise_is_present(inputs, *first, slot)) {
        *first += 1;
    }
    *tick = *first;
    while (*tick < inputs->ticks && !minimise_is_present(inputs, *tick, slot)) {
        *tick += 1;
    }
    return *tick > *first;
}

tp_inputs_counts tp_inputs_count(const tp_inputs *inputs)
{
    tp_inputs_counts counts = { .ticks = inputs->ticks, .commands = inputs->command_count };
    for (uint32_t slot = 0; slot < inputs->players; slot++) {
        tp_input_record record;
        uint64_t        first;
        for (uint64_t tick = 0; tp_inputs_next_record(inputs, slot, &tick, &record);) {
            counts.records += 1;
        }
        for (uint64_t tick = 0; minimise_next_absence(inputs, slot, &tick, &first);) {
            counts.absences += 1;
        }
    }
    return counts;
}
