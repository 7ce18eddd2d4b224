// pool.c: the policy behind every typed pool, written once over untyped slots.
#include "tickproof/pool.h"

// Every slot starts with these two, in this order; the rest is the value. Callers see the same bytes as their own slot type in the same
// expression, so the compiler must not take the two for strangers: without may_alias, inlining gave other results.
typedef struct __attribute__((may_alias)) {
    uint32_t generation;
    uint32_t next_free;
} SlotLinks;

static SlotLinks *slot_at(void *slots, uint32_t slot_size, uint32_t index)
{
    return (SlotLinks *)(void *)((unsigned char *)slots + (size_t)index * slot_size);
}

static const SlotLinks *slot_at_const(const void *slots, uint32_t slot_size, uint32_t index)
{
    return (const SlotLinks *)(const void *)((const unsigned char *)slots + (size_t)index * slot_size);
}

static bool is_live(const SlotLinks *slot)
{
    return (slot->generation & 1) != 0;
}

static bool is_retired(const SlotLinks *slot)
{
    return slot->generation == TP_POOL_GENERATION_LAST + 1;
}

void tp_pool_init_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size)
{
    *head = (tp_pool_head){ .free_head = 0 };
    memset(slots, 0, (size_t)capacity * slot_size);
    for (uint32_t i = 0; i < capacity; i++) {
        slot_at(slots, slot_size, i)->next_free = i + 1;
    }
}

uint32_t tp_pool_create_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size)
{
    if (head->free_head >= capacity) {
        return UINT32_MAX;
    }
    uint32_t   index = head->free_head;
    SlotLinks *slot = slot_at(slots, slot_size, index);
    TP_ASSERT(!is_live(slot));
    head->free_head = slot->next_free;
    slot->next_free = 0;
    slot->generation += 1; // even to odd: now live
    head->live += 1;
    return index;
}

bool tp_pool_resolves_raw(const void *slots, uint32_t capacity, uint32_t slot_size, tp_handle handle)
{
    if (handle.index >= capacity) {
        return false;
    }
    const SlotLinks *slot = slot_at_const(slots, slot_size, handle.index);
    return slot->generation == handle.generation && is_live(slot);
}

static void free_slot(tp_pool_head *head, void *slots, uint32_t slot_size, uint32_t index)
{
    SlotLinks *slot = slot_at(slots, slot_size, index);
    uint32_t   generation = slot->generation + 1; // odd to even: now free
    memset(slot, 0, slot_size);
    slot->generation = generation;
    head->live -= 1;
    if (is_retired(slot)) {
        // One more life would end in a generation that was handed out before, and an old handle would resolve.
        head->retired += 1;
        return;
    }
    slot->next_free = head->free_head;
    head->free_head = index;
}

bool tp_pool_destroy_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size, tp_handle handle)
{
    if (!tp_pool_resolves_raw(slots, capacity, slot_size, handle)) {
        return false;
    }
    free_slot(head, slots, slot_size, handle.index);
    return true;
}

void tp_pool_clear_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size)
{
    for (uint32_t i = 0; i < capacity; i++) {
        if (is_live(slot_at(slots, slot_size, i))) {
            free_slot(head, slots, slot_size, i);
        }
    }
}

uint32_t tp_pool_next_live_raw(const void *slots, uint32_t capacity, uint32_t slot_size, uint32_t index)
{
    while (index < capacity && !is_live(slot_at_const(slots, slot_size, index))) {
        index++;
    }
    return index;
}

static const char *validate_slot(const SlotLinks *slot, uint32_t slot_size)
{
    if (slot->generation == UINT32_MAX) {
        return "a slot's generation is past the last";
    }
    if (is_live(slot)) {
        return slot->next_free == 0 ? NULL : "a live slot has a link";
    }
    if (is_retired(slot) && slot->next_free != 0) {
        return "a retired slot has a link";
    }
    // Bytes that are all alike and begin with a zero are zero. A slot may have no value at all.
    const unsigned char *value = (const unsigned char *)slot + sizeof(SlotLinks);
    size_t               size = slot_size - sizeof(SlotLinks);
    bool                 is_zero = size == 0 || (value[0] == 0 && memcmp(value, value + 1, size - 1) == 0);
    return is_zero ? NULL : "a free slot's value is not zero";
}

const char *tp_pool_validate_raw(const tp_pool_head *head, const void *slots, uint32_t capacity, uint32_t slot_size)
{
    uint32_t live = 0;
    uint32_t retired = 0;
    for (uint32_t i = 0; i < capacity; i++) {
        const SlotLinks *slot = slot_at_const(slots, slot_size, i);
        const char      *wrong = validate_slot(slot, slot_size);
        if (wrong != NULL) {
            return wrong;
        }
        live += is_live(slot) ? 1 : 0;
        retired += is_retired(slot) ? 1 : 0;
    }
    if (live != head->live) {
        return "the count of live slots is wrong";
    }
    if (retired != head->retired) {
        return "the count of retired slots is wrong";
    }
    // Walking exactly as many links as there are free slots proves the list has no cycle without marking slots:
    // a cycle would either miss the end here or run past the count.
    uint32_t free_count = capacity - live - retired;
    uint32_t index = head->free_head;
    for (uint32_t steps = 0; steps < free_count; steps++) {
        if (index >= capacity) {
            return "the free list ends too early";
        }
        const SlotLinks *slot = slot_at_const(slots, slot_size, index);
        if (is_live(slot) || is_retired(slot)) {
            return "the free list holds a slot that is not free";
        }
        index = slot->next_free;
    }
    return index >= capacity ? NULL : "the free list does not end";
}
