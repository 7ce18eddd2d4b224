// channel_queue.c: the messages of a channel that wait for an acknowledgement: their bytes in a ring, and what is known of each.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "channel_internal.h"

enum { RING_FIRST = 1024, ENTRIES_FIRST = 16 };

static void put(uint8_t *ring, size_t capacity, uint64_t place, const uint8_t *bytes, size_t size)
{
    size_t at = (size_t)(place % capacity);
    size_t head = size < capacity - at ? size : capacity - at;
    memcpy(ring + at, bytes, head);
    memcpy(ring, bytes + head, size - head);
}

void channel_queue_copy(const Channel *channel, const ChannelEntry *entry, uint8_t *out)
{
    size_t at = (size_t)(entry->place % channel->ring_capacity);
    size_t head = entry->size < channel->ring_capacity - at ? entry->size : channel->ring_capacity - at;
    memcpy(out, channel->ring + at, head);
    memcpy(out + head, channel->ring, entry->size - head);
}

static uint64_t first_place(const Channel *channel)
{
    return channel->first == channel->end_number ? channel->place : channel_entry(channel, channel->first)->place;
}

// Places count on and on, so every byte moves to where the larger ring has it.
static bool grow_ring(Channel *channel, size_t wanted)
{
    size_t capacity = channel->ring_capacity > 0 ? channel->ring_capacity : RING_FIRST;
    while (capacity < wanted) {
        capacity *= 2;
    }
    capacity = capacity < channel->options.out_max ? capacity : channel->options.out_max;
    if (capacity <= channel->ring_capacity) {
        return true;
    }
    uint8_t *ring = malloc(capacity);
    if (ring == NULL) {
        return false;
    }
    for (uint64_t place = first_place(channel); place < channel->place;) {
        size_t at = (size_t)(place % channel->ring_capacity);
        size_t size = channel->ring_capacity - at;
        size = size < channel->place - place ? size : (size_t)(channel->place - place);
        put(ring, capacity, place, channel->ring + at, size);
        place += size;
    }
    free(channel->ring);
    channel->ring = ring;
    channel->ring_capacity = capacity;
    return true;
}

static bool grow_entries(Channel *channel)
{
    uint32_t count = channel->end_number - channel->first;
    if (count < channel->entry_capacity) {
        return true;
    }
    uint32_t      capacity = channel->entry_capacity > 0 ? channel->entry_capacity * 2 : ENTRIES_FIRST;
    ChannelEntry *entries = malloc(capacity * sizeof(*entries));
    if (entries == NULL) {
        return false;
    }
    for (uint32_t number = channel->first; number != channel->end_number; number++) {
        entries[number & (capacity - 1)] = *channel_entry(channel, number);
    }
    free(channel->entries);
    channel->entries = entries;
    channel->entry_capacity = capacity;
    return true;
}

ChannelSend channel_queue_add(Channel *channel, const uint8_t *bytes, size_t size)
{
    size_t used = (size_t)(channel->place - first_place(channel));
    if (channel->waiting + size + CHANNEL_MESSAGE_COST > channel->options.out_max) {
        return CHANNEL_FULL;
    }
    if (!grow_ring(channel, used + size) || !grow_entries(channel)) {
        return CHANNEL_NO_MEMORY;
    }
    assert(used + size <= channel->ring_capacity);
    put(channel->ring, channel->ring_capacity, channel->place, bytes, size);
    *channel_entry(channel, channel->end_number) = (ChannelEntry){ .place = channel->place, .size = (uint16_t)size, .state = CHANNEL_ENTRY_FRESH };
    channel->place += size;
    channel->end_number += 1;
    channel->waiting += size + CHANNEL_MESSAGE_COST;
    return CHANNEL_SENT;
}

void channel_queue_drop(Channel *channel, uint32_t number)
{
    for (; channel->first != number; channel->first++) {
        const ChannelEntry *entry = channel_entry(channel, channel->first);
        channel->waiting -= entry->size + (size_t)CHANNEL_MESSAGE_COST;
        channel->flying -= entry->state == CHANNEL_ENTRY_FLYING ? channel_cost(entry) : 0;
        channel->lost_count -= entry->state == CHANNEL_ENTRY_LOST ? 1 : 0;
    }
    if (channel_after(channel->first, channel->fresh) > 0) {
        channel->fresh = channel->first;
    }
}

void channel_queue_trim(Channel *channel, size_t keep)
{
    if (channel->first != channel->end_number) {
        return;
    }
    if (channel->ring_capacity > keep) {
        free(channel->ring);
        channel->ring = NULL;
        channel->ring_capacity = 0;
    }
    if (channel->entry_capacity * sizeof(ChannelEntry) > keep) {
        free(channel->entries);
        channel->entries = NULL;
        channel->entry_capacity = 0;
    }
}
