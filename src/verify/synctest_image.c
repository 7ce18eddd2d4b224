// synctest_image.c: one state as bytes: the canonical ones, the rest of the block, and the events that led to it.
#include "synctest_internal.h"

#include <stdlib.h>
#include <string.h>

// The block's bytes outside of the canonical encoding, in order: gaps, and derived sections. Copies them when `rest` is given.
static size_t walk_rest(const tp_layout *layout, const uint8_t *block, uint8_t *rest)
{
    const tp_world *world = layout->world;
    size_t          cursor = 0;
    size_t          used = 0;
    for (uint32_t i = 0; i <= world->section_count; i++) {
        size_t begin = i < world->section_count ? layout->section_offset[i] : layout->block_size;
        size_t end = begin;
        if (i < world->section_count) {
            end += (size_t)layout->section_count[i] * world->sections[i].element_size;
        }
        if (i < world->section_count && world->sections[i].membership == TP_SIM) {
            // Only the gap before it.
            if (rest != NULL && begin > cursor) {
                memcpy(rest + used, block + cursor, begin - cursor);
            }
            used += begin - cursor;
        } else {
            if (rest != NULL && end > cursor) {
                memcpy(rest + used, block + cursor, end - cursor);
            }
            used += end - cursor;
        }
        cursor = end;
    }
    return used;
}

SyncShape sync_shape_of(const tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    const tp_world  *world = layout->world;
    uint32_t         largest = 0;
    for (uint32_t i = 0; i < world->event_count; i++) {
        uint32_t size = tp_record_size(&world->events[i]);
        largest = size > largest ? size : largest;
    }
    return (SyncShape){
        .layout = layout,
        .state_max = tp_sim_encoded_max(sim),
        .rest_size = world->opaque != NULL ? 0 : walk_rest(layout, NULL, NULL),
        .event_max = 8 + (size_t)world->events_max * (4 + largest),
    };
}

bool sync_image_init(SyncImage *image, const SyncShape *shape)
{
    image->state = malloc(shape->state_max + 1);
    image->rest = malloc(shape->rest_size + 1);
    image->events = malloc(shape->event_max);
    return image->state != NULL && image->rest != NULL && image->events != NULL;
}

void sync_image_finish(SyncImage *image)
{
    free(image->state);
    free(image->rest);
    free(image->events);
    *image = (SyncImage){ 0 };
}

static size_t take_events(const tp_view *view, const tp_world *world, uint8_t *bytes)
{
    uint8_t *at = bytes + 8;
    bytes_put_u32(bytes, view->event_count);
    bytes_put_u32(bytes + 4, view->events_dropped);
    for (uint32_t i = 0; i < view->event_count; i++) {
        const tp_record_type *type = &world->events[view->events[i].type];
        uint32_t              size = tp_record_size(type);
        bytes_put_u16(at, (uint16_t)view->events[i].type);
        bytes_put_u16(at + 2, (uint16_t)size);
        tp_record_encode(type, view->events[i].data, at + 4);
        at += 4 + size;
    }
    return (size_t)(at - bytes);
}

bool sync_image_take(SyncImage *image, const SyncShape *shape, tp_sim *sim)
{
    const tp_layout *layout = shape->layout;
    tp_view          view = tp_sim_view(sim);
    bool             is_faulted = tp_sim_is_faulted(sim);
    image->tick = tp_sim_tick(sim);
    image->input_leaf = tp_sim_input_leaf(sim);
    image->event_leaf = tp_sim_event_leaf(sim);
    image->has_events = true;
    image->event_size = take_events(&view, layout->world, image->events);
    tp_hash128_to_bytes(is_faulted ? tp_sim_fault_root(sim) : tp_sim_root(sim), image->mark.root);
    image->mark.fault_code = is_faulted ? (uint32_t)tp_sim_fault(sim)->code : 0;
    if (layout->world->opaque == NULL) {
        walk_rest(layout, view.state, image->rest);
    }
    image->state_size = 0;
    bool is_saved = tp_sim_encode(sim, image->state, shape->state_max, &image->state_size);
    image->mark.rest_hash = tp_hash64(TP_HASH_XXH3, image->rest, shape->rest_size);
    image->mark.state_hash = tp_hash64(TP_HASH_XXH3, image->state, image->state_size);
    return is_saved && tp_sim_is_sound(sim);
}

bool sync_mark_equal(const SyncMark *a, const SyncMark *b)
{
    return memcmp(a->root, b->root, sizeof(a->root)) == 0 && a->state_hash == b->state_hash && a->rest_hash == b->rest_hash &&
           a->fault_code == b->fault_code;
}

bool sync_restore(tp_sim *sim, const SyncShape *shape, const uint8_t *state, size_t size, uint64_t tick, uint64_t input_leaf,
                  uint64_t event_leaf, tp_error *error)
{
    enum { POISON = 0xA5 };
    if (shape->layout->world->opaque == NULL) {
        memset(tp_sim_state(sim), POISON, shape->layout->block_size);
    } else {
        tp_synctest_dirty_heap();
    }
    return tp_sim_decode(sim, state, size, tick, input_leaf, event_leaf, error);
}

void tp_synctest_dirty_heap(void)
{
    // As many pieces of a size as an allocator usually keeps at hand.
    enum { PIECES = 7, STEP = 16, LARGEST = 512, DIRT = 0xA5 };
    for (size_t size = STEP; size <= LARGEST; size += STEP) {
        void *pieces[PIECES];
        for (int i = 0; i < PIECES; i++) {
            pieces[i] = malloc(size);
            if (pieces[i] != NULL) {
                memset(pieces[i], DIRT, size);
                __asm__ volatile("" : : "r"(pieces[i]) : "memory"); // what is freed next may be left unwritten otherwise
            }
        }
        for (int i = 0; i < PIECES; i++) {
            free(pieces[i]);
        }
    }
}

bool sync_buffer_reserve(SyncBuffer *buffer, size_t capacity)
{
    if (capacity <= buffer->capacity) {
        return true;
    }
    uint8_t *bytes = malloc(capacity);
    if (bytes == NULL) {
        return false;
    }
    free(buffer->bytes);
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}
