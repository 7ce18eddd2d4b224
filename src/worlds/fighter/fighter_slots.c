// fighter_slots.c: joining by a press, leaving by going away.
#include "fighter_slots.h"

#include <string.h>

bool fighter_slots_init(FighterSlots *slots, const bool *is_local, uint32_t slot_count, uint32_t source_count)
{
    if (slot_count > FIGHTER_PLAYERS_MAX || source_count > FIGHTER_SOURCES_MAX) {
        return false;
    }
    *slots = (FighterSlots){ .slot_count = slot_count, .source_count = source_count };
    for (uint32_t i = 0; i < slot_count; i++) {
        slots->is_local[i] = is_local[i];
    }
    return true;
}

// FIGHTER_PLAYERS_MAX: none.
static uint32_t slot_of(const FighterSlots *slots, uint32_t source)
{
    for (uint32_t i = 0; i < slots->slot_count; i++) {
        if (slots->owner[i] == source + 1) {
            return i;
        }
    }
    return FIGHTER_PLAYERS_MAX;
}

static uint32_t lowest_free(const FighterSlots *slots)
{
    for (uint32_t i = 0; i < slots->slot_count; i++) {
        if (slots->is_local[i] && slots->owner[i] == 0 && !slots->is_resting[i]) {
            return i;
        }
    }
    return FIGHTER_PLAYERS_MAX;
}

// A slot that is freed stays empty for a whole tick. Without that tick the world would see one player where there were two,
// and the second would take over the first one's fighter in the middle of a jump.
static void free_slot(FighterSlots *slots, uint32_t slot)
{
    slots->owner[slot] = 0;
    slots->is_resting[slot] = true;
}

static bool is_jump_held(const FighterSource *source)
{
    return source->is_here && (source->input.buttons & FIGHTER_BUTTON_JUMP) != 0;
}

static void free_slots_of_absent(FighterSlots *slots, const FighterSource *sources)
{
    for (uint32_t i = 0; i < slots->source_count; i++) {
        uint32_t slot = slot_of(slots, i);
        if (!sources[i].is_here && slot != FIGHTER_PLAYERS_MAX) {
            free_slot(slots, slot);
        }
    }
}

static void write_inputs(const FighterSlots *slots, const FighterSource *sources, FighterInput *inputs)
{
    for (uint32_t i = 0; i < slots->slot_count; i++) {
        inputs[i] = (FighterInput){ 0 };
        if (slots->owner[i] == 0) {
            continue;
        }
        uint32_t source = slots->owner[i] - 1u;
        inputs[i] = sources[source].input;
        if (slots->is_swallowing[source]) {
            inputs[i].buttons = (uint16_t)(inputs[i].buttons & ~FIGHTER_BUTTON_JUMP);
        }
    }
}

// Returns whether the source took a slot, which is then *taken.
static bool join(FighterSlots *slots, uint32_t source, bool is_held, uint32_t *taken)
{
    bool is_pressed = is_held && !slots->held_jump[source];
    if (!is_pressed || slot_of(slots, source) != FIGHTER_PLAYERS_MAX) {
        return false;
    }
    *taken = lowest_free(slots);
    if (*taken == FIGHTER_PLAYERS_MAX) {
        return false;
    }
    slots->owner[*taken] = (uint8_t)(source + 1);
    slots->is_swallowing[source] = true;
    return true;
}

bool fighter_slots_tick(FighterSlots *slots, const FighterSource *sources, uint32_t source_count, FighterInput *inputs,
                        uint32_t input_count)
{
    if (source_count != slots->source_count || input_count != slots->slot_count) {
        return false;
    }
    bool is_new[FIGHTER_PLAYERS_MAX] = { false };
    free_slots_of_absent(slots, sources);
    for (uint32_t i = 0; i < source_count; i++) {
        bool is_held = is_jump_held(&sources[i]);
        uint32_t taken = 0;
        slots->is_swallowing[i] = slots->is_swallowing[i] && is_held;
        if (join(slots, i, is_held, &taken)) {
            is_new[taken] = true;
        }
        slots->held_jump[i] = is_held;
    }
    write_inputs(slots, sources, inputs);
    for (uint32_t i = 0; i < input_count; i++) {
        if (is_new[i]) {
            inputs[i] = (FighterInput){ 0 };
        }
    }
    memset(slots->is_resting, 0, sizeof(slots->is_resting));
    return true;
}

bool fighter_slots_leave(FighterSlots *slots, uint32_t slot)
{
    if (slot >= slots->slot_count || slots->owner[slot] == 0) {
        return false;
    }
    free_slot(slots, slot);
    return true;
}

uint32_t fighter_slots_source(const FighterSlots *slots, uint32_t slot)
{
    return slot < slots->slot_count && slots->owner[slot] != 0 ? slots->owner[slot] - 1u : FIGHTER_SOURCES_MAX;
}
