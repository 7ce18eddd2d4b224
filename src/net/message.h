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
    MESSAGE_VERSION     = 2,    ///< of this protocol; HELLO and WELCOME agree on one
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
    MESSAGE_PACKED_MAX  = 67633152, ///< bytes of a state once it is compressed: what cannot be made smaller grows a little
    MESSAGE_TOKEN_SIZE  = 16,       ///< bytes of what a client comes back with; all zero: none
    MESSAGE_KEY_MAX     = 128,      ///< bytes of an administrator's key
    MESSAGE_CHAT_MAX    = 200,      ///< bytes of what somebody says
    MESSAGE_JOIN_TOKEN_MAX = 1000, ///< bytes of a join token
    MESSAGE_DELAY_MAX   = 36000,    ///< ticks that a watcher may be behind
    MESSAGE_COMMAND_MAX = 1000,     ///< canonical bytes of a world's command from an administrator, or of a note
    MESSAGE_STEP_MAX    = 10000,    ///< ticks of one STEP
    MESSAGE_SPEED_MAX   = 1000000,  ///< thousandths of a room's usual rate
    MESSAGE_SLOT_NOBODY = 255,      ///< in SAID: somebody without a slot, or an administrator
};

#define MESSAGE_ROOM_NONE UINT32_C(0xFFFFFFFF)
#define MESSAGE_TICK_NONE UINT64_MAX ///< is no tick: refused in every head

// The head: LEAVE, READY, CHAT, ADMIN and PACE are about a room in an epoch, at tick 0; INPUT, REPORT, OWN_STATE, JOINED, PIECE, STATE,
// CONFIRMED, WANTED, TIMING, SAID, ADMINED and LEFT also at a tick; all others are about none: MESSAGE_ROOM_NONE, epoch 0, tick 0.

typedef enum MessageType {
    // From clients.
    MESSAGE_HELLO     = 1, ///< first, once: versions
    MESSAGE_LIST      = 2, ///< asks for ROOMS from an index on
    MESSAGE_JOIN      = 3, ///< takes slots in a room, or watches it
    MESSAGE_LEAVE     = 4, ///< gives up the room of the head, with all slots there
    MESSAGE_INPUT     = 5, ///< inputs of one slot for consecutive ticks, the head's is the first
    MESSAGE_PING      = 6,
    MESSAGE_READY     = 7,  ///< the client runs the world of the rules: it wants the state
    MESSAGE_REPORT    = 8,  ///< the client's own root of a confirmed tick
    MESSAGE_OWN_STATE = 9,  ///< the client's state after the head's tick, as WANTED asked; then PIECEs (own)
    MESSAGE_CHAT      = 10, ///< a line for everybody in the room, and for its log
    MESSAGE_ADMIN     = 11, ///< with the server's key: kick, pause, step, ...
    MESSAGE_TOKEN     = 12, ///< a join token, for the JOINs after it
    // From the server.
    MESSAGE_WELCOME   = 65,
    MESSAGE_ROOMS     = 66,
    MESSAGE_JOINED    = 67, ///< the slots are the client's; then PIECEs of the rules. READY is due
    MESSAGE_REFUSED   = 68, ///< the answer to a JOIN that was not granted; the connection stays
    MESSAGE_PIECE     = 69,
    MESSAGE_CONFIRMED = 70, ///< what the head's tick was stepped with, and its root
    MESSAGE_LEFT      = 71, ///< the client is no longer in the room of the head; its tick is the first that is not confirmed to it
    MESSAGE_PONG      = 72,
    MESSAGE_BYE       = 73, ///< the server closes the connection, and why
    MESSAGE_STATE     = 74, ///< forget what you have: PIECEs of the state before the head's tick follow, then CONFIRMED from that tick on
    MESSAGE_WANTED    = 75, ///< the roots of the head's tick differ: OWN_STATE is asked for
    MESSAGE_TIMING    = 76, ///< how early or late the client's inputs come; the head's tick is the next
    MESSAGE_SAID      = 77, ///< a line of somebody's; the head's tick is the next
    MESSAGE_ADMINED   = 78, ///< what came of an ADMIN; the head's tick is the next
    MESSAGE_PACE      = 79, ///< whether and how fast the room steps; after JOINED, and when it changes
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
    MESSAGE_REASON_INCOMPATIBLE = 17, ///< the client cannot run the room's world: LEAVE and LEFT name what differs
    MESSAGE_REASON_TOKEN       = 18, ///< JOIN with a token that the room does not know, or not any more
    MESSAGE_REASON_KICKED      = 19, ///< LEFT: an administrator put it out
    MESSAGE_REASON_DESYNC      = 20, ///< LEFT: its roots are not the room's
    MESSAGE_REASON_REJOINED    = 21, ///< LEFT: its token was used by another connection, which has the slots now
    MESSAGE_REASON_BEHIND      = 22, ///< LEFT: it does not keep up: the ticks that it lacks are not kept any more
    // REFUSED, for the join token that was shown with TOKEN:
    MESSAGE_REASON_TOKEN_NEEDED       = 23, ///< there is none
    MESSAGE_REASON_TOKEN_FORGED       = 24, ///< it is damaged, or not signed by whom the server trusts
    MESSAGE_REASON_TOKEN_EARLY        = 25, ///< not good yet
    MESSAGE_REASON_TOKEN_EXPIRED      = 26,
    MESSAGE_REASON_TOKEN_USED         = 27,
    MESSAGE_REASON_TOKEN_WRONG_SERVER = 28,
    MESSAGE_REASON_TOKEN_WRONG_CLIENT = 29, ///< for a client with another key
    MESSAGE_REASON_TOKEN_WRONG_ROOM   = 30, ///< for another room, or for other slots
    MESSAGE_REASON_COUNT,
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
    uint16_t    udp_port;       ///< where datagrams for this room go, at the server's address; 0: it takes none
    MessageText name, world;    ///< 1 to MESSAGE_NAME_MAX letters a-z A-Z 0-9 _ - .
} MessageRoom;

/// OWN comes from clients, the others from the server. STATE and OWN are one zstd frame.
typedef enum MessagePieceKind { MESSAGE_PIECE_RULES = 1, MESSAGE_PIECE_STATE = 2, MESSAGE_PIECE_OWN = 3 } MessagePieceKind;

typedef enum MessageVerb {
    MESSAGE_VERB_KICK    = 1, ///< `slot`: its client leaves (kicked)
    MESSAGE_VERB_PAUSE   = 2, ///< no ticks until resume
    MESSAGE_VERB_RESUME  = 3,
    MESSAGE_VERB_STEP    = 4, ///< `value` ticks (1 to 10,000) of a paused room, at its rate
    MESSAGE_VERB_SPEED   = 5, ///< `value` thousandths of the room's usual rate, 1 to 1,000,000
    MESSAGE_VERB_NOTE    = 6, ///< `bytes` as text, into the log only
    MESSAGE_VERB_COMMAND = 7, ///< command number `value` of the room's world with canonical `bytes`, at the next tick
    MESSAGE_VERB_END     = 8, ///< the room ends its log, and is over
} MessageVerb;

/// How the inputs of one slot come. `lead`: by how many ticks the newest input was ahead of the tick that was stepped, the least
/// since the last TIMING; below 0: it was missing, and so late when it came (or not at all: -32768). `late`: inputs dropped since, for that.
typedef struct MessageTiming {
    uint8_t  slot;
    int16_t  lead;
    uint16_t late;
} MessageTiming;

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
        /// `slots` 0: watches only, and then may be `delay` ticks behind (else 0). `cookie` comes back in the answer. A `token` that is not
        /// zero: the slots of the membership that it was given to, as many as there were.
        struct { uint32_t cookie; uint8_t slots; uint16_t delay; uint8_t token[MESSAGE_TOKEN_SIZE]; MessageText name; } join;
        struct {
            uint32_t   cookie;
            uint16_t   ahead;      ///< inputs are taken for this many ticks from the next one on
            uint8_t    slot_count;
            uint8_t    slots[MESSAGE_SLOTS_MAX]; ///< ascending
            uint16_t   delay;                    ///< ticks that what is confirmed is held back; of watchers
            uint16_t   report;                   ///< REPORT is due for ticks that this divides; 0: for none
            uint8_t    token[MESSAGE_TOKEN_SIZE]; ///< to come back with; zero: none
            uint32_t   rules_size;               ///< bytes to come in PIECEs
        } joined;
        struct { tp_hash128 rules_id; } ready;   ///< of the world that the client made of the rules
        struct {
            uint32_t   size, packed_size;        ///< bytes of the canonical state, and of the zstd frame that comes in PIECEs
            tp_hash128 root;                     ///< of the tick before the head's, with the two leaves that are not in the state
            uint64_t   input_leaf, event_leaf;
        } state;
        /// The same of the client's, after the head's tick. `build` is for people: program, version, compiler, machine.
        struct { uint32_t size, packed_size; tp_hash128 root; uint64_t input_leaf, event_leaf; MessageText build; } own_state;
        struct { tp_hash128 root; } report;
        struct { tp_hash128 root; } wanted;      ///< the server's root of the head's tick
        struct { uint8_t count; MessageTiming items[MESSAGE_SLOTS_MAX]; } timing; ///< ascending by slot, at least 1
        struct { MessageText text; } chat;       ///< 1 to MESSAGE_CHAT_MAX bytes
        struct { uint8_t slot; MessageText text; } said; ///< slot 255: somebody without a slot, or an administrator
        struct { uint32_t cookie; uint8_t verb, slot; uint64_t value; MessageText key; uint16_t size; const uint8_t *bytes; } admin;
        struct { uint32_t cookie; uint8_t is_done; MessageText text; } admined;
        struct { uint8_t is_paused; uint32_t rate_mhz; } pace; ///< thousandths of ticks a second, at least 1
        struct { uint32_t cookie; uint16_t reason; MessageText text; } refused;
        struct { uint8_t kind; uint32_t total, offset; uint16_t size; const uint8_t *bytes; } piece; ///< size: the rest, at least 1
        struct { uint8_t slot, size, count; const uint8_t *bytes; } input; ///< count inputs of size bytes
        /// Part `part` of `parts` of the row's canonical bytes (presence, origins, inputs, commands), as the log keeps them.
        struct { tp_hash128 root; uint64_t durable; uint8_t part, parts; uint16_t size; const uint8_t *bytes; } confirmed;
        struct { uint16_t reason; MessageText text; } leave, left, bye; ///< leave: ASKED, or INCOMPATIBLE with what differs
        struct { uint64_t token; } ping, pong;
        struct { uint16_t size; const uint8_t *bytes; } join_token; ///< 1 to MESSAGE_JOIN_TOKEN_MAX bytes, as join_token.h has them
    } body;
} Message;

/// Bytes written, or 0 when something is out of its bounds or does not fit.
size_t message_encode(const Message *message, uint8_t bytes[MESSAGE_SIZE_MAX]);
/// NULL, or what is wrong with the bytes: a static text, and then the message is worth nothing. It borrows from `bytes`.
const char *message_decode(const uint8_t *bytes, size_t size, Message *message);
