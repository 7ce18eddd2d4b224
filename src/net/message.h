// message.h: the messages between a server and its clients, as README.md of this room describes them byte by byte. Every
// message stands alone, is at most MESSAGE_SIZE_MAX bytes, and carries room, epoch and tick. No heap, no sockets.
//
// Decoding takes foreign bytes: whatever they are, the answer is a message whose every count and length is in its bounds, or the
// reason why not. An encoded message decodes to itself, and a decoded one encodes to the same bytes: there is one spelling.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/checksum.h"

enum {
    MESSAGE_VERSION     = 1,    ///< of this protocol; HELLO and WELCOME agree on one
    MESSAGE_SIZE_MAX    = 1200, ///< bytes: what a UDP datagram carries everywhere without being cut
    MESSAGE_HEAD_SIZE   = 18,   ///< type 1, zero 1, room 4, epoch 4, tick 8
    MESSAGE_NAME_MAX    = 63,   ///< letters of a room's or a world's name
    MESSAGE_BUILD_MAX   = 63,   ///< bytes of a program's name and version
    MESSAGE_TEXT_MAX    = 255,  ///< bytes of a reason for people
    MESSAGE_SLOTS_MAX   = 128,  ///< slots of one room, so of one JOIN
    MESSAGE_ROOMS_MAX   = 64,   ///< rooms in one ROOMS; fewer when names are long
    MESSAGE_INPUTS_MAX  = 64,   ///< consecutive ticks in one INPUT
    MESSAGE_PIECE_MAX   = MESSAGE_SIZE_MAX - MESSAGE_HEAD_SIZE - 9,  ///< bytes of one PIECE
    MESSAGE_PART_MAX    = MESSAGE_SIZE_MAX - MESSAGE_HEAD_SIZE - 26, ///< bytes of a row in one CONFIRMED
    MESSAGE_INPUT_MAX   = 64,       ///< bytes of one input
    MESSAGE_RULES_MAX   = 16384,    ///< bytes of a room's rules
    MESSAGE_STATE_MAX   = 67108864, ///< bytes of a room's state
};

#define MESSAGE_ROOM_NONE UINT32_C(0xFFFFFFFF)
#define MESSAGE_TICK_NONE UINT64_MAX ///< is no tick: refused in every head

// The head: LEAVE is about a room in an epoch, at tick 0; INPUT, JOINED, PIECE, CONFIRMED and LEFT also at a tick; all others are
// about none: MESSAGE_ROOM_NONE, epoch 0, tick 0.

typedef enum MessageType {
    // From clients.
    MESSAGE_HELLO     = 1, ///< first, once: versions
    MESSAGE_LIST      = 2, ///< asks for ROOMS from an index on
    MESSAGE_JOIN      = 3, ///< takes slots in a room, or watches it
    MESSAGE_LEAVE     = 4, ///< gives up the room of the head, with all slots there
    MESSAGE_INPUT     = 5, ///< inputs of one slot for consecutive ticks, the head's is the first
    MESSAGE_PING      = 6,
    // From the server.
    MESSAGE_WELCOME   = 65,
    MESSAGE_ROOMS     = 66,
    MESSAGE_JOINED    = 67, ///< then PIECEs of rules and of the state at the head's tick, then CONFIRMED from that tick on
    MESSAGE_REFUSED   = 68, ///< the answer to a JOIN that was not granted; the connection stays
    MESSAGE_PIECE     = 69,
    MESSAGE_CONFIRMED = 70, ///< what the head's tick was stepped with, and its root
    MESSAGE_LEFT      = 71, ///< the client is no longer in the room of the head; its tick is the first that is not confirmed to it
    MESSAGE_PONG      = 72,
    MESSAGE_BYE       = 73, ///< the server closes the connection, and why
} MessageType;

/// Why a JOIN was refused (REFUSED), a client is out of a room (LEFT) or a connection ends (BYE). Numbers are for ever.
typedef enum MessageReason {
    MESSAGE_REASON_ASKED       = 1,  ///< LEFT: as it asked
    MESSAGE_REASON_NO_ROOM     = 2,  ///< no room of this name
    MESSAGE_REASON_FULL        = 3,  ///< not enough free slots, or no place to watch
    MESSAGE_REASON_NOT_LIVE    = 4,  ///< the room steps a recorded log
    MESSAGE_REASON_OTHER_LANE  = 5,  ///< another lane serves it: open another connection for it
    MESSAGE_REASON_TOO_LARGE   = 6,  ///< the room's state is larger than what the server sends to a joiner
    MESSAGE_REASON_IN_IT       = 7,  ///< this connection is in that room already
    MESSAGE_REASON_ENDED       = 8,  ///< the room is over
    MESSAGE_REASON_FAULTED     = 9,  ///< the room's world faulted
    MESSAGE_REASON_STOPPING    = 10, ///< the server stops
    MESSAGE_REASON_VERSION     = 11, ///< no version in common
    MESSAGE_REASON_MALFORMED   = 12, ///< bytes that are no message, or one that has no business here
    MESSAGE_REASON_SILENT      = 13, ///< nothing came for too long
    MESSAGE_REASON_FLOOD       = 14, ///< more messages than the server takes
    MESSAGE_REASON_SLOW        = 15, ///< does not read what it is sent
    MESSAGE_REASON_CROWDED     = 16, ///< too many connections, all in all or from this address
} MessageReason;

/// "asked", "no-room", ...: stable names for machines; NULL for a number that is none.
const char *message_reason_name(uint32_t reason);
const char *message_type_name(uint32_t type);

/// Borrowed bytes, not terminated.
typedef struct MessageText {
    const char *text;
    uint8_t     size;
} MessageText;

MessageText message_text(const char *text); ///< of a terminated one, cut to 255 bytes, between characters of UTF-8

typedef struct MessageRoom {
    uint32_t    room;
    uint32_t    tick_rate_hz;   ///< 0 when not known yet
    uint16_t    lane;           ///< rooms of one lane can share a connection
    uint16_t    players, taken; ///< slots, and how many are taken
    uint8_t     is_live;        ///< 0: steps a recorded log, nobody can join
    uint8_t     is_over;
    MessageText name, world;    ///< 1 to MESSAGE_NAME_MAX letters a-z A-Z 0-9 _ - .
} MessageRoom;

typedef enum MessagePieceKind { MESSAGE_PIECE_RULES = 1, MESSAGE_PIECE_STATE = 2 } MessagePieceKind;

typedef struct Message {
    MessageType type;
    uint32_t    room;  ///< MESSAGE_ROOM_NONE where the message is about none
    uint32_t    epoch; ///< of the room: raised whenever confirmed ticks may have been taken back; 0 with no room
    uint64_t    tick;
    union {
        struct { uint16_t version_min, version_max; MessageText build; } hello;
        struct { uint16_t version; uint32_t rooms, messages_per_second; MessageText build; } welcome;
        struct { uint32_t first; } list;
        /// `next` is the index to ask for next, after every one of these; equal to total when these were the last or there are none.
        struct { uint32_t first, next, total; uint8_t count; MessageRoom items[MESSAGE_ROOMS_MAX]; } rooms;
        /// `slots` 0: watches only. `cookie` comes back in the answer.
        struct { uint32_t cookie; uint8_t slots; MessageText name; } join;
        struct {
            uint32_t   cookie;
            uint16_t   ahead;      ///< inputs are taken for this many ticks from the next one on
            uint8_t    slot_count;
            uint8_t    slots[MESSAGE_SLOTS_MAX]; ///< ascending
            uint32_t   rules_size, state_size;   ///< bytes to come in PIECEs; state_size at most 64 MiB
            tp_hash128 root;                     ///< of the state, with the two leaves that are not in it
            uint64_t   input_leaf, event_leaf;
        } joined;
        struct { uint32_t cookie; uint16_t reason; MessageText text; } refused;
        struct { uint8_t kind; uint32_t total, offset; uint16_t size; const uint8_t *bytes; } piece; ///< size: the rest, at least 1
        struct { uint8_t slot, size, count; const uint8_t *bytes; } input; ///< count inputs of size bytes
        /// Part `part` of `parts` of the row's canonical bytes (presence, origins, inputs, commands), as the log keeps them.
        struct { tp_hash128 root; uint64_t durable; uint8_t part, parts; uint16_t size; const uint8_t *bytes; } confirmed;
        struct { uint16_t reason; MessageText text; } left, bye;
        struct { uint64_t token; } ping, pong;
    } body;
} Message;

/// Bytes written, or 0 when something is out of its bounds or does not fit.
size_t message_encode(const Message *message, uint8_t bytes[MESSAGE_SIZE_MAX]);
/// NULL, or what is wrong with the bytes: a static text, and then the message is worth nothing. It borrows from `bytes`.
const char *message_decode(const uint8_t *bytes, size_t size, Message *message);
