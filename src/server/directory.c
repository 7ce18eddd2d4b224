// directory.c: sorted names, and pages that fit a message.
#include "directory.h"

#include <stdlib.h>
#include <string.h>

enum { ROOMS_FIXED = MESSAGE_HEAD_SIZE + 13, ROOM_FIXED = 4 + 4 + 2 + 2 + 2 + 1 + 1 + 2 + 1 + 1 };

bool directory_init(Directory *directory, uint32_t count)
{
    *directory = (Directory){
        .entries = calloc(count + 1, sizeof(*directory->entries)),
        .by_name = calloc(count + 1, sizeof(*directory->by_name)),
        .count = count,
    };
    return directory->entries != NULL && directory->by_name != NULL;
}

static int compare_names(const void *left, const void *right, void *self)
{
    const Directory *directory = self;
    return strcmp(directory->entries[*(const uint32_t *)left].name, directory->entries[*(const uint32_t *)right].name);
}

void directory_sort(Directory *directory)
{
    for (uint32_t i = 0; i < directory->count; i++) {
        directory->by_name[i] = i;
    }
    qsort_r(directory->by_name, directory->count, sizeof(*directory->by_name), compare_names, directory);
}

void directory_finish(Directory *directory)
{
    free(directory->entries);
    free(directory->by_name);
    *directory = (Directory){ 0 };
}

uint32_t directory_find(const Directory *directory, MessageText name)
{
    uint32_t low = 0;
    uint32_t high = directory->count;
    while (low < high) {
        uint32_t    middle = low + (high - low) / 2;
        uint32_t    number = directory->by_name[middle];
        const char *other = directory->entries[number].name;
        int         order = strncmp(other, name.text, name.size);
        order = order != 0 ? order : (other[name.size] != '\0' ? 1 : 0);
        if (order == 0) {
            return number;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return MESSAGE_ROOM_NONE;
}

static bool describe(const Directory *directory, uint32_t number, MessageRoom *room)
{
    const DirectoryEntry *entry = &directory->entries[number];
    const RoomListing    *listing = entry->listing;
    if (!atomic_load_explicit(&listing->is_known, memory_order_acquire)) {
        return false;
    }
    *room = (MessageRoom){
        .room = number,
        .tick_rate_hz = listing->tick_rate_hz,
        .lane = (uint16_t)entry->lane,
        .players = (uint16_t)listing->players,
        .taken = (uint16_t)atomic_load_explicit(&listing->taken, memory_order_relaxed),
        .is_live = entry->is_live,
        .udp_port = entry->udp_port,
        .is_over = atomic_load_explicit(&listing->is_over, memory_order_relaxed),
        .name = message_text(entry->name),
        .world = message_text(listing->world),
    };
    return true;
}

void directory_page(const Directory *directory, uint32_t first, Message *message)
{
    *message = (Message){ .type = MESSAGE_ROOMS, .room = MESSAGE_ROOM_NONE };
    size_t   size = ROOMS_FIXED;
    uint32_t count = 0;
    uint32_t number = first < directory->count ? first : directory->count;
    message->body.rooms.first = number;
    for (; number < directory->count && count < MESSAGE_ROOMS_MAX; number++) {
        MessageRoom *room = &message->body.rooms.items[count];
        if (!describe(directory, number, room)) {
            continue;
        }
        size += ROOM_FIXED + (size_t)room->name.size + room->world.size;
        if (size > MESSAGE_SIZE_MAX) {
            break;
        }
        count += 1;
    }
    message->body.rooms.count = (uint8_t)count;
    message->body.rooms.next = number;
    message->body.rooms.total = directory->count;
}
