// sim_probe.c: the block's memory, and what a probe does to it and around a world's own calls. A correct world notices nothing of this file.
#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, MARGIN = 64, OFFSET_ALIGNMENT = 16, OFFSET_MAX = 1 << 20 };

// Sections lie in table order; derived ones have no canonical size, so the size comes from the table.
static void fill_gaps(tp_sim *sim)
{
    const tp_layout *layout = &sim->layout;
    uint8_t         *block = sim->state;
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        size_t end = layout->section_offset[i] + (size_t)layout->section_count[i] * layout->world->sections[i].element_size;
        size_t next = i + 1 < layout->world->section_count ? layout->section_offset[i + 1] : layout->block_size;
        memset(block + end, sim->probe.fill, next - end);
    }
}

bool sim_probe_take_block(tp_sim *sim)
{
    const tp_sim_probe *probe = &sim->probe;
    if (probe->block_offset > OFFSET_MAX || probe->block_offset % OFFSET_ALIGNMENT != 0) {
        return false; // a block that is not aligned would be the host's own fault
    }
    // Rounded up so that aligned_alloc is content; zeroed so that no byte of a state is ever undefined.
    size_t begin = (probe->has_fill ? MARGIN : 0) + (size_t)probe->block_offset;
    size_t end = begin + sim->layout.block_size;
    size_t size = (end + (probe->has_fill ? MARGIN : 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    sim->state_memory = aligned_alloc(ALIGNMENT, size);
    if (sim->state_memory == NULL) {
        return false;
    }
    memset(sim->state_memory, probe->has_fill ? probe->fill : 0, size);
    sim->state = sim->state_memory + begin;
    memset(sim->state, 0, sim->layout.block_size);
    if (probe->has_fill) {
        fill_gaps(sim);
    }
    return true;
}

void sim_probe_fill(const tp_sim *sim, void *memory, size_t size)
{
    if (sim->probe.has_fill && memory != NULL) {
        memset(memory, sim->probe.fill, size);
    }
}
