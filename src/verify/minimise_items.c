// minimise_items.c: delta debugging of a list: leaving out as many of its items as possible, in ever smaller groups.
#include "minimise_internal.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_FIRST = 256 };

bool minimise_add_item(MinimiseSearch *search, MinimiseItems *list, MinimiseKind kind, uint32_t which, uint64_t first, uint64_t ticks)
{
    if (list->count == list->capacity) {
        size_t        capacity = list->capacity == 0 ? ITEMS_FIRST : list->capacity * 2;
        MinimiseItem *items = realloc(list->items, capacity * sizeof(*items));
        if (items == NULL) {
            minimise_over(search, TP_MINIMISE_NO_MEMORY);
            return false;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = (MinimiseItem){ kind, which, first, ticks };
    return true;
}

bool minimise_neutralise(tp_inputs *inputs, uint32_t slot, uint64_t first, uint64_t ticks)
{
    bool has_changed = false;
    for (uint64_t tick = first; tick < first + ticks && tick < inputs->ticks; tick++) {
        uint8_t *cell = minimise_cell(inputs, tick, slot);
        if (minimise_is_present(inputs, tick, slot) && memcmp(cell, inputs->neutral, inputs->input_size) != 0) {
            memcpy(cell, inputs->neutral, inputs->input_size);
            has_changed = true;
        }
    }
    return has_changed;
}

static void remove_command(tp_inputs *inputs, uint32_t id)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < inputs->command_count; i++) {
        if (inputs->commands[i].id != id) {
            inputs->commands[kept++] = inputs->commands[i];
        }
    }
    inputs->command_count = kept;
}

static void be_present(tp_inputs *inputs, uint32_t slot, uint64_t first, uint64_t ticks)
{
    for (uint64_t tick = first; tick < first + ticks && tick < inputs->ticks; tick++) {
        if (!minimise_is_present(inputs, tick, slot)) {
            inputs->presence[tick * inputs->presence_size + slot / 8] |= (uint8_t)(1u << (slot % 8));
            memcpy(minimise_cell(inputs, tick, slot), inputs->neutral, inputs->input_size);
        }
    }
}

static void leave_out(tp_inputs *inputs, const MinimiseItem *item)
{
    switch (item->kind) {
    case MINIMISE_SLOT: (void)minimise_neutralise(inputs, item->which, 0, inputs->ticks); break;
    case MINIMISE_RECORD: (void)minimise_neutralise(inputs, item->which, item->first, item->ticks); break;
    case MINIMISE_COMMAND: remove_command(inputs, item->which); break;
    case MINIMISE_ABSENCE: be_present(inputs, item->which, item->first, item->ticks); break;
    case MINIMISE_TICKS: tp_inputs_remove(inputs, item->first, item->ticks); break;
    }
}

// The group at `at` is gone from the best. So are items behind its end, and ticks that were taken out bring later ones forward.
static void forget(MinimiseItems *list, size_t at, size_t count, uint64_t ticks_left)
{
    uint64_t taken = 0;
    size_t   kept = at;
    for (size_t i = at; i < at + count; i++) {
        taken += list->items[i].kind == MINIMISE_TICKS ? list->items[i].ticks : 0;
    }
    for (size_t i = at + count; i < list->count; i++) {
        MinimiseItem item = list->items[i];
        item.first -= taken;
        if (item.first < ticks_left) {
            item.ticks = item.ticks < ticks_left - item.first ? item.ticks : ticks_left - item.first;
            list->items[kept++] = item;
        }
    }
    list->count = kept;
}

// Items before `at` that were kept may reach behind the new end, too.
static size_t clip(MinimiseItems *list, size_t at, uint64_t ticks_left)
{
    size_t kept = 0;
    size_t kept_before = 0;
    for (size_t i = 0; i < list->count; i++) {
        MinimiseItem item = list->items[i];
        if (item.first >= ticks_left) {
            continue;
        }
        item.ticks = item.ticks < ticks_left - item.first ? item.ticks : ticks_left - item.first;
        list->items[kept++] = item;
        kept_before += i < at;
    }
    list->count = kept;
    return kept_before;
}

// One group. True: it is gone.
static bool try_group(MinimiseSearch *search, MinimiseItems *list, size_t at, size_t count)
{
    if (!minimise_begin(search)) {
        return false;
    }
    for (size_t i = at + count; i > at; i--) { // from the end, so that places stay what they are
        leave_out(&search->work, &list->items[i - 1]);
    }
    return search->work.ticks > 0 && minimise_try(search);
}

bool minimise_leave_out(MinimiseSearch *search, MinimiseItems *list)
{
    bool has_changed = false;
    for (size_t group = list->count; group > 0 && !search->is_over; group = group == 1 ? 0 : (group + 1) / 2) {
        for (size_t at = 0; at < list->count && !search->is_over;) {
            size_t count = group < list->count - at ? group : list->count - at;
            if (try_group(search, list, at, count)) {
                forget(list, at, count, search->best->ticks);
                at = clip(list, at, search->best->ticks);
                has_changed = true;
            } else {
                at += count;
            }
        }
    }
    free(list->items);
    *list = (MinimiseItems){ 0 };
    return has_changed;
}

static bool starts_record(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    const uint8_t *cell = minimise_cell(inputs, tick, slot);
    return minimise_is_present(inputs, tick, slot) && memcmp(cell, inputs->neutral, inputs->input_size) != 0 &&
           (tick == 0 || !minimise_is_present(inputs, tick - 1, slot) || memcmp(cell, minimise_cell(inputs, tick - 1, slot), inputs->input_size) != 0);
}

static bool list_tick(MinimiseSearch *search, MinimiseItems *list, uint64_t tick)
{
    const tp_inputs *inputs = search->best;
    bool             is_good = true;
    for (uint32_t slot = 0; slot < inputs->players && is_good; slot++) {
        tp_input_record record;
        uint64_t        at = tick;
        if (starts_record(inputs, tick, slot) && tp_inputs_next_record(inputs, slot, &at, &record)) {
            is_good = minimise_add_item(search, list, MINIMISE_RECORD, slot, tick, record.ticks);
        }
    }
    return is_good;
}

bool minimise_list_records(MinimiseSearch *search, MinimiseItems *list)
{
    bool is_good = true;
    for (uint64_t tick = 0; tick < search->best->ticks && is_good; tick++) {
        is_good = list_tick(search, list, tick);
    }
    return is_good;
}

// Whole slots first: one trial may empty what are thousands of records.
static bool leave_out_slots(MinimiseSearch *search)
{
    MinimiseItems list = { 0 };
    for (uint32_t slot = 0; slot < search->best->players; slot++) {
        tp_input_record record;
        uint64_t        tick = 0;
        if (tp_inputs_next_record(search->best, slot, &tick, &record)) {
            (void)minimise_add_item(search, &list, MINIMISE_SLOT, slot, 0, search->best->ticks);
        }
    }
    return minimise_leave_out(search, &list);
}

bool minimise_items(MinimiseSearch *search)
{
    MinimiseItems list = { 0 };
    bool          has_changed = leave_out_slots(search);
    bool          is_good = !search->is_over;
    for (uint64_t tick = 0; tick < search->best->ticks && is_good; tick++) {
        is_good = list_tick(search, &list, tick);
        for (uint32_t i = minimise_first_command(search->best, tick); is_good && i < search->best->command_count && search->best->commands[i].tick == tick; i++) {
            is_good = minimise_add_item(search, &list, MINIMISE_COMMAND, search->best->commands[i].id, tick, 1);
        }
    }
    return minimise_leave_out(search, &list) || has_changed;
}

bool minimise_presence(MinimiseSearch *search)
{
    MinimiseItems list = { 0 };
    for (uint32_t slot = 0; slot < search->best->players && !search->is_over; slot++) {
        uint64_t first;
        for (uint64_t tick = 0; !search->is_over && minimise_next_absence(search->best, slot, &tick, &first);) {
            (void)minimise_add_item(search, &list, MINIMISE_ABSENCE, slot, first, tick - first);
        }
    }
    return minimise_leave_out(search, &list);
}
