// sim_root.c: leaves and roots. Each is computed when asked for and at most once per tick.
#include "sim_internal.h"

#include <string.h>

uint64_t sim_input_leaf_now(tp_sim *sim)
{
    if (!sim->is_input_leaf_known) {
        sim->input_leaf = tp_hash64(sim->rules.algorithm, sim->input_bytes, sim->input_bytes_size);
        sim->is_input_leaf_known = true;
    }
    return sim->input_leaf;
}

uint64_t sim_event_leaf_now(tp_sim *sim)
{
    if (sim->is_event_leaf_known) {
        return sim->event_leaf;
    }
    uint8_t *bytes = sim->event_bytes;
    bytes_put_u32(bytes, sim->event_count);
    bytes_put_u32(bytes + 4, sim->events_dropped);
    bytes += 8;
    for (uint32_t i = 0; i < sim->event_count; i++) {
        const tp_record_type *type = &sim->world->events[sim->events[i].type];
        uint32_t              size = tp_record_size(type);
        bytes_put_u16(bytes, (uint16_t)sim->events[i].type);
        bytes_put_u16(bytes + 2, (uint16_t)size);
        tp_record_encode(type, sim->events[i].data, bytes + 4);
        bytes += 4 + size;
    }
    sim->event_leaf = tp_hash64(sim->rules.algorithm, sim->event_bytes, (size_t)(bytes - sim->event_bytes));
    sim->is_event_leaf_known = true;
    return sim->event_leaf;
}

uint64_t tp_sim_input_leaf(const tp_sim *sim)
{
    return sim_input_leaf_now((tp_sim *)sim); // a cache is filled; what is seen does not change
}

uint64_t tp_sim_event_leaf(tp_sim *sim)
{
    return sim_event_leaf_now(sim);
}

static uint32_t hash_pieces(const tp_sim *sim, const uint8_t *bytes, size_t size, uint64_t *leaves)
{
    uint32_t count = 0;
    for (size_t offset = 0; offset < size; offset += TP_LEAF_SIZE) {
        size_t piece = size - offset < TP_LEAF_SIZE ? size - offset : TP_LEAF_SIZE;
        leaves[count++] = tp_hash64(sim->rules.algorithm, bytes + offset, piece);
    }
    return count;
}

static void compute_opaque_leaves(tp_sim *sim)
{
    const tp_opaque *opaque = sim->world->opaque;
    if (opaque->hash != NULL) {
        sim->has_lost_state = !sim_opaque_hash(sim, &sim->leaves[0]) || sim->has_lost_state;
        sim->leaf_count = 1;
        return;
    }
    size_t size = 0;
    if (!sim_opaque_save(sim, sim->scratch, sim->scratch_capacity, &size)) {
        sim->has_lost_state = true; // no root of such a state may ever be believed: see tp_sim_is_sound
        size = 0;
    }
    sim->leaf_count = hash_pieces(sim, sim->scratch, size, sim->leaves);
}

// Hashes the leaves of one section again that may have changed. Returns its count.
static uint32_t hash_section(tp_sim *sim, uint32_t section, uint64_t *leaves)
{
    const tp_layout *layout = &sim->layout;
    size_t           first = layout->section_offset[section];
    size_t           size = layout->section_canonical_size[section];
    // The block's bytes are the canonical ones where the machine is little-endian; the encoder is the oracle. Elsewhere they differ in
    // order only, since no struct has gaps: a leaf is made from the same bytes of the block.
    const uint8_t *bytes = layout->is_native_canonical ? (const uint8_t *)sim->state + first : NULL;
    uint32_t       count = 0;
    for (size_t offset = 0; offset < size; offset += TP_LEAF_SIZE, count++) {
        size_t piece = size - offset < TP_LEAF_SIZE ? size - offset : TP_LEAF_SIZE;
        if (sim_touch_is_clean(sim, first + offset, piece)) {
            continue;
        }
        if (bytes == NULL) {
            tp_layout_encode_section(layout, section, sim->state, sim->scratch);
            bytes = sim->scratch;
        }
        leaves[count] = tp_hash64(sim->rules.algorithm, bytes + offset, piece);
    }
    return count;
}

static void compute_leaves(tp_sim *sim)
{
    if (sim->are_leaves_known) {
        return;
    }
    if (sim->world->opaque != NULL) {
        compute_opaque_leaves(sim);
    } else {
        sim_touch_spread(sim);
        sim->leaf_count = 0;
        for (uint32_t i = 0; i < sim->world->section_count; i++) {
            sim->leaf_count += hash_section(sim, i, sim->leaves + sim->leaf_count);
        }
        sim_touch_leaves_done(sim);
    }
    sim->are_leaves_known = true;
}

static tp_hash128 combine(tp_hash_algorithm algorithm, tp_hash128 rules_id, uint64_t tick, const uint64_t *state_leaves,
                          uint32_t count, uint64_t input_leaf, uint64_t event_leaf, uint8_t *bytes)
{
    tp_hash128_to_bytes(rules_id, bytes);
    bytes_put_u64(bytes + 16, tick);
    bytes_put_u32(bytes + 24, count);
    for (uint32_t i = 0; i < count; i++) {
        bytes_put_u64(bytes + 28 + (size_t)i * 8, state_leaves[i]);
    }
    size_t size = 28 + (size_t)count * 8;
    bytes_put_u64(bytes + size, input_leaf);
    bytes_put_u64(bytes + size + 8, event_leaf);
    return tp_hash128_of(algorithm, bytes, size + 16);
}

tp_hash128 tp_root_combine(tp_hash_algorithm algorithm, tp_hash128 rules_id, uint64_t tick, const uint64_t *state_leaves,
                           uint32_t count, uint64_t input_leaf, uint64_t event_leaf)
{
    uint8_t bytes[28 + 8 * (TP_ROOT_LEAVES_MAX + 2)];
    if (count > TP_ROOT_LEAVES_MAX) {
        return (tp_hash128){ 0, 0 };
    }
    return combine(algorithm, rules_id, tick, state_leaves, count, input_leaf, event_leaf, bytes);
}

tp_hash128 tp_sim_root(tp_sim *sim)
{
    if (!sim->is_root_known) {
        compute_leaves(sim);
        uint64_t tick = sim->tick == 0 ? TP_ROOT_TICK_START : sim->tick - 1;
        sim->root = combine(sim->rules.algorithm, sim->rules.id, tick, sim->leaves, sim->leaf_count, sim_input_leaf_now(sim),
                            sim_event_leaf_now(sim), sim->root_bytes);
        sim->is_root_known = true;
    }
    return sim->root;
}

tp_hash128 tp_sim_fault_root(tp_sim *sim)
{
    compute_leaves(sim);
    return combine(sim->rules.algorithm, sim->rules.id, sim->tick, sim->leaves, sim->leaf_count, sim->fault_input_leaf,
                   TP_FAULT_LEAF, sim->root_bytes);
}

uint32_t tp_sim_leaves(tp_sim *sim, uint64_t *leaves, uint32_t capacity)
{
    compute_leaves(sim);
    for (uint32_t i = 0; i < sim->leaf_count + 2 && i < capacity; i++) {
        leaves[i] = i < sim->leaf_count ? sim->leaves[i] : i == sim->leaf_count ? sim_input_leaf_now(sim) : sim_event_leaf_now(sim);
    }
    return sim->leaf_count;
}

const char *tp_sim_leaf_name(const tp_sim *sim, uint32_t leaf)
{
    if (sim->world->opaque != NULL) {
        return "state";
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < sim->world->section_count; i++) {
        first += (sim->layout.section_canonical_size[i] + TP_LEAF_SIZE - 1) / TP_LEAF_SIZE;
        if (leaf < first) {
            return sim->world->sections[i].name;
        }
    }
    return leaf == first ? "inputs" : leaf == first + 1 ? "events" : "no leaf";
}
