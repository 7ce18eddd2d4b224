// channel_door.h: how a server lets connections in without keeping anything of those that only ask: an OPEN without a cookie is answered with one, a
// smaller datagram; an OPEN that has it proves that its sender receives what is sent to his address. The cookie is keyed BLAKE2b of address, client's
// id and time, and is the server's id of the connection: nobody else can know it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHANNEL_DOOR_KEY      = 32,
    CHANNEL_DOOR_ADDRESS  = 32,      ///< bytes of an address and port, at most
    CHANNEL_DOOR_US       = 8000000, ///< a cookie is good for so long at least, and for twice as long at most
    CHANNEL_DOOR_OLD_KEPT = 256,     ///< connections that have ended and do not begin again by an OPEN that was under way
};

typedef struct ChannelDoor {
    uint8_t  key[CHANNEL_DOOR_KEY];
    uint64_t old[CHANNEL_DOOR_OLD_KEPT];
    uint32_t old_count;
} ChannelDoor;

typedef enum ChannelKnock {
    CHANNEL_KNOCK_NOTHING = 0, ///< no OPEN, or one whose cookie is wrong, too old, or of a connection that has ended
    CHANNEL_KNOCK_ANSWER  = 1, ///< send the answer
    CHANNEL_KNOCK_OPEN    = 2, ///< *client_id, *cookie: make the connection, unless it stands already
} ChannelKnock;

/// With a random key; false when there is no randomness.
bool channel_door_init(ChannelDoor *door);
/// Looks at an OPEN from this address (family, address and port in one spelling).
ChannelKnock channel_door_knock(ChannelDoor *door, uint64_t now_us, const uint8_t *address, size_t address_size, const uint8_t *bytes, size_t size,
                                uint64_t *client_id, uint64_t *cookie, uint8_t *answer, size_t *answer_size);
/// The connection is over.
void channel_door_note_old(ChannelDoor *door, uint64_t cookie);
