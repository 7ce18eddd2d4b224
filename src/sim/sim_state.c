// sim_state.c: the state as canonical bytes and as raw snapshots.
#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

bool sim_state_save(tp_sim *sim, SimSnapshot *snapshot)
{
    snapshot->is_set = false;
    snapshot->size = sim->layout.block_size;
    if (sim->world->opaque != NULL) {
        if (!sim_opaque_save(sim, snapshot->bytes, sim->state_capacity, &snapshot->size)) {
            return false;
        }
    } else {
        sim_touch_save(sim, snapshot);
    }
    snapshot->tick = sim->tick;
    snapshot->input_leaf = tp_sim_input_leaf(sim);
    snapshot->event_leaf = sim_event_leaf_now(sim);
    snapshot->is_set = true;
    return true;
}

// Puts tick and leaves in place after the state has changed under them.
static void settle(tp_sim *sim, uint64_t tick, uint64_t input_leaf, uint64_t event_leaf)
{
    sim->tick = tick;
    sim->input_leaf = input_leaf;
    sim->event_leaf = event_leaf;
    sim->is_input_leaf_known = true;
    sim->is_event_leaf_known = true;
    sim->event_count = 0; // the events themselves are gone; their leaf is kept
    sim->events_dropped = 0;
    sim_forget_roots(sim);
}

bool sim_state_load(tp_sim *sim, const SimSnapshot *snapshot)
{
    if (!snapshot->is_set) {
        return false;
    }
    if (sim->world->opaque != NULL) {
        if (!sim_opaque_load(sim, snapshot->bytes, snapshot->size)) {
            return false;
        }
    } else {
        sim_touch_load(sim, snapshot);
    }
    settle(sim, snapshot->tick, snapshot->input_leaf, snapshot->event_leaf);
    return true;
}

size_t tp_sim_encoded_max(const tp_sim *sim)
{
    return sim->world->opaque != NULL ? sim->state_capacity : sim->layout.canonical_size;
}

bool tp_sim_encode(const tp_sim *sim, uint8_t *bytes, size_t capacity, size_t *size)
{
    if (sim->world->opaque != NULL) {
        return sim_opaque_save((tp_sim *)sim, bytes, capacity, size);
    }
    if (capacity < sim->layout.canonical_size) {
        return false;
    }
    if (sim->layout.is_native_canonical) {
        const tp_layout *layout = &sim->layout;
        for (uint32_t i = 0; i < layout->world->section_count; i++) {
            memcpy(bytes, (const uint8_t *)sim->state + layout->section_offset[i], layout->section_canonical_size[i]);
            bytes += layout->section_canonical_size[i];
        }
    } else {
        tp_layout_encode(&sim->layout, sim->state, bytes);
    }
    *size = sim->layout.canonical_size;
    return true;
}

bool tp_sim_decode(tp_sim *sim, const uint8_t *bytes, size_t size, uint64_t tick, uint64_t input_leaf, uint64_t event_leaf,
                   tp_error *error)
{
    if (sim->world->opaque != NULL) {
        if (!sim_opaque_load(sim, bytes, size)) {
            return tp_error_set(error, "world '%s' refuses a state of %zu bytes", sim->world->name, size);
        }
    } else {
        void *block = aligned_alloc(64, ((size_t)sim->layout.block_size + 64) / 64 * 64);
        if (block == NULL) {
            return tp_error_set(error, "out of memory");
        }
        bool is_good = tp_layout_decode(&sim->layout, bytes, size, block, error);
        if (is_good) {
            memcpy(sim->state, block, sim->layout.block_size);
            sim_touch_all(sim);
        }
        free(block);
        if (!is_good) {
            return false;
        }
    }
    settle(sim, tick, input_leaf, event_leaf);
    sim->recover.is_set = false; // older copies belong to another past
    for (uint32_t i = 0; i < sim->ring_capacity; i++) {
        sim->ring[i].is_set = false;
    }
    sim->is_faulted = false;
    return true;
}

static SimSnapshot *find_snapshot(const tp_sim *sim, uint64_t tick)
{
    for (uint32_t i = 0; i < sim->ring_capacity; i++) {
        if (sim->ring[i].is_set && sim->ring[i].tick == tick) {
            return &sim->ring[i];
        }
    }
    return NULL;
}

bool tp_sim_snapshot(tp_sim *sim)
{
    if (sim->ring_capacity == 0) {
        return false;
    }
    SimSnapshot *place = find_snapshot(sim, sim->tick);
    if (place == NULL) {
        place = &sim->ring[sim->ring_next];
        sim->ring_next = (sim->ring_next + 1) % sim->ring_capacity;
    }
    return sim_state_save(sim, place);
}

bool tp_sim_restore(tp_sim *sim, uint64_t tick)
{
    SimSnapshot *snapshot = find_snapshot(sim, tick);
    if (snapshot == NULL || !sim_state_load(sim, snapshot)) {
        return false;
    }
    sim->recover.is_set = false;
    sim->is_faulted = false;
    return true;
}

size_t tp_sim_snapshot_size(const tp_sim *sim, uint64_t tick)
{
    const SimSnapshot *snapshot = find_snapshot(sim, tick);
    return snapshot == NULL ? 0 : snapshot->size;
}
