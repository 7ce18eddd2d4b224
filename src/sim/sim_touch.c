// sim_touch.c: what a world tells of its writes, as one map of pages for everything that was made from the block. The invariant that all of
// it serves stands at SimTouch.
#include "sim_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_PAGES = 64 };

static uint64_t *map_at(const tp_sim *sim, uint32_t map)
{
    return sim->touch.maps + (size_t)map * sim->touch.words;
}

bool sim_touch_take(tp_sim *sim, bool is_checked)
{
    SimTouch *touch = &sim->touch;
    if ((tp_world_flags(sim->world) & TP_WORLD_TRACKS_WRITES) == 0) {
        return true;
    }
    touch->pages = (sim->layout.block_size + TP_TOUCH_PAGE - 1) / TP_TOUCH_PAGE;
    touch->words = (touch->pages + WORD_PAGES - 1) / WORD_PAGES;
    touch->map_count = SIM_MAP_RING + sim->ring_capacity;
    touch->maps = calloc((size_t)touch->map_count * touch->words + 1, sizeof(*touch->maps));
    touch->before = is_checked ? malloc((size_t)sim->layout.block_size + 1) : NULL;
    return touch->maps != NULL && (!is_checked || touch->before != NULL);
}

void sim_touch_free(tp_sim *sim)
{
    free(sim->touch.maps);
    free(sim->touch.before);
}

void sim_touch_begin(tp_sim *sim)
{
    if (sim->touch.maps == NULL) {
        return;
    }
    sim->touch.is_on = true;
    sim->context.touched = (unsigned char *)map_at(sim, SIM_MAP_TOLD);
    sim->context.block = sim->state;
    sim->context.block_size = sim->layout.block_size;
    sim_touch_all(sim);
}

void sim_touch_all(tp_sim *sim)
{
    SimTouch *touch = &sim->touch;
    if (!touch->is_on) {
        return;
    }
    // Bits past the last page are set, too; nobody reads them.
    size_t told_size = touch->words * sizeof(*touch->maps);
    memset(map_at(sim, SIM_MAP_TOLD), 0, told_size);
    memset(map_at(sim, SIM_MAP_TOLD + 1), 0xFF, (touch->map_count - 1) * told_size);
    touch->is_pending = false;
}

// Adds one map to all the others but `told`, which is the world's to write. Words without a page cost one look.
static void add_to_others(const tp_sim *sim, uint32_t from)
{
    const SimTouch *touch = &sim->touch;
    const uint64_t *pages = map_at(sim, from);
    for (uint32_t word = 0; word < touch->words; word++) {
        if (pages[word] == 0) {
            continue;
        }
        for (uint32_t map = SIM_MAP_TOLD + 1; map < touch->map_count; map++) {
            map_at(sim, map)[word] |= pages[word];
        }
    }
}

static void clear_map(const tp_sim *sim, uint32_t map)
{
    memset(map_at(sim, map), 0, sim->touch.words * sizeof(*sim->touch.maps));
}

void sim_touch_spread(tp_sim *sim)
{
    SimTouch *touch = &sim->touch;
    if (touch->is_lent) {
        sim_touch_all(sim);
    }
    if (!touch->is_on || !touch->is_pending) {
        return;
    }
    add_to_others(sim, SIM_MAP_TOLD);
    clear_map(sim, SIM_MAP_TOLD);
    touch->is_pending = false;
}

enum { SET, CLEAR };

// The first page of `from` to `end` - 1 whose bit is as wanted, else `end`. The world sets bits in bytes, so a word is read as
// little-endian: its lowest bit is then its first page on every machine.
static uint32_t next_page(const tp_sim *sim, uint32_t map, uint32_t from, uint32_t end, int wanted)
{
    const uint8_t *bytes = (const uint8_t *)map_at(sim, map);
    uint64_t       flip = wanted == SET ? 0 : UINT64_MAX;
    uint64_t       mask = UINT64_MAX << (from % WORD_PAGES);
    for (uint32_t word = from / WORD_PAGES; word * WORD_PAGES < end; word++) {
        uint64_t bits = (bytes_get_u64(bytes + (size_t)word * 8) ^ flip) & mask;
        if (bits != 0) {
            uint32_t page = word * WORD_PAGES + (uint32_t)__builtin_ctzll(bits);
            return page < end ? page : end;
        }
        mask = UINT64_MAX;
    }
    return end;
}

bool sim_touch_is_clean(const tp_sim *sim, size_t offset, size_t size)
{
    if (!sim->touch.is_on) {
        return false;
    }
    uint32_t end = (uint32_t)((offset + size - 1) / TP_TOUCH_PAGE) + 1;
    return next_page(sim, SIM_MAP_LEAVES, (uint32_t)(offset / TP_TOUCH_PAGE), end, SET) == end;
}

void sim_touch_leaves_done(tp_sim *sim)
{
    if (sim->touch.is_on) {
        clear_map(sim, SIM_MAP_LEAVES);
    }
}

// Where a page begins; the one past the last at the block's end.
static size_t page_offset(const tp_sim *sim, uint32_t page)
{
    return page < sim->touch.pages ? (size_t)page * TP_TOUCH_PAGE : sim->layout.block_size;
}

// Runs of neighbouring pages in one piece, since a short copy costs more per byte.
static void copy_pages(const tp_sim *sim, uint32_t map, uint8_t *to, const uint8_t *from)
{
    uint32_t pages = sim->touch.pages;
    uint32_t end = 0;
    for (uint32_t page = next_page(sim, map, 0, pages, SET); page < pages; page = next_page(sim, map, end, pages, SET)) {
        end = next_page(sim, map, page, pages, CLEAR);
        size_t offset = page_offset(sim, page);
        memcpy(to + offset, from + offset, page_offset(sim, end) - offset);
    }
}

void sim_touch_save(tp_sim *sim, const SimSnapshot *snapshot)
{
    if (!sim->touch.is_on) {
        memcpy(snapshot->bytes, sim->state, sim->layout.block_size);
        return;
    }
    sim_touch_spread(sim);
    copy_pages(sim, snapshot->map, snapshot->bytes, sim->state);
    clear_map(sim, snapshot->map);
}

void sim_touch_load(tp_sim *sim, const SimSnapshot *snapshot)
{
    if (!sim->touch.is_on) {
        memcpy(sim->state, snapshot->bytes, sim->layout.block_size);
        return;
    }
    sim_touch_spread(sim);
    copy_pages(sim, snapshot->map, sim->state, snapshot->bytes);
    add_to_others(sim, snapshot->map);
    clear_map(sim, snapshot->map);
}

void sim_touch_before_step(tp_sim *sim)
{
    SimTouch *touch = &sim->touch;
    if (!touch->is_on) {
        return;
    }
    if (touch->before != NULL) {
        sim_touch_spread(sim); // so that `told` is of this step alone
        memcpy(touch->before, sim->state, sim->layout.block_size);
    }
    touch->is_pending = true;
}

// Words the fault about one byte of the block.
static void word_untold(tp_sim *sim, size_t at)
{
    const tp_layout *layout = &sim->layout;
    char            *text = sim->touch.untold;
    size_t           size = sizeof(sim->touch.untold);
    const char      *told = "the step changed it and did not tell: call tp_touch where it is written";
    snprintf(text, size, "byte %zu of the block, between two sections: %s", at, told);
    for (uint32_t i = 0; i < sim->world->section_count; i++) {
        const tp_section *section = &sim->world->sections[i];
        size_t            begin = layout->section_offset[i];
        if (at >= begin && at - begin < (size_t)layout->section_count[i] * section->element_size) {
            snprintf(text, size, "section '%.63s', element %zu, byte %zu: %s", section->name, (at - begin) / section->element_size,
                     (at - begin) % section->element_size, told);
        }
    }
    sim->fault = (tp_fault){ .code = TP_FAULT_ASSERT, .what = text, .file = sim->world->name };
}

// The first byte that differs in the pages that were not told of; false when none does.
static bool find_untold(const tp_sim *sim, size_t *at)
{
    const uint8_t *before = sim->touch.before;
    const uint8_t *after = sim->state;
    uint32_t       pages = sim->touch.pages;
    uint32_t       end = 0;
    for (uint32_t page = next_page(sim, SIM_MAP_TOLD, 0, pages, CLEAR); page < pages; page = next_page(sim, SIM_MAP_TOLD, end, pages, CLEAR)) {
        end = next_page(sim, SIM_MAP_TOLD, page, pages, SET);
        *at = page_offset(sim, page);
        if (memcmp(before + *at, after + *at, page_offset(sim, end) - *at) != 0) {
            while (before[*at] == after[*at]) {
                *at += 1;
            }
            return true;
        }
    }
    return false;
}

bool sim_touch_after_step(tp_sim *sim)
{
    size_t at;
    if (sim->touch.before == NULL || !find_untold(sim, &at)) {
        return true;
    }
    word_untold(sim, at);
    return false;
}
