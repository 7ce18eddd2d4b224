// directory.h: which rooms there are, for clients: made before the threads start and not changed afterwards, but for what a room
// publishes of itself. Any thread may read.
#pragma once

#include <stdatomic.h>

#include "message.h"
#include "server_limits.h"

/// What a room publishes: written by its thread, read by all. `is_known` comes last.
typedef struct RoomListing {
    char          world[MESSAGE_NAME_MAX + 1];
    uint32_t      tick_rate_hz, players;
    atomic_bool   is_known, is_over;
    atomic_uint   taken;
} RoomListing;

typedef struct DirectoryEntry {
    const char        *name;
    bool               is_live;
    uint32_t           lane, place; ///< which worker, and which of its rooms
    uint16_t           udp_port;    ///< of the worker; 0: it takes no datagrams
    const RoomListing *listing;
} DirectoryEntry;

typedef struct Directory {
    DirectoryEntry *entries; ///< a client's room number is the index
    uint32_t       *by_name; ///< the same numbers in the order of names
    uint32_t        count;
} Directory;

/// Room for `count` entries, to be filled before directory_sort. False when out of memory.
bool directory_init(Directory *directory, uint32_t count);
void directory_sort(Directory *directory);
void directory_finish(Directory *directory);
/// MESSAGE_ROOM_NONE when there is none.
uint32_t directory_find(const Directory *directory, MessageText name);
/// ROOMS from `first` on, as many as fit one message. Rooms whose world is not known yet are left out.
void directory_page(const Directory *directory, uint32_t first, Message *message);
