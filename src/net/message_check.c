// message_check.c: the bounds that hold for a message on its way out as on its way in.
#include "message_check.h"

#include <string.h>

static const char bad_name[] = "a name is empty, too long or has a letter that is none of names";
static const char bad_flag[] = "a flag is neither 0 nor 1";
static const char bad_slot[] = "a slot out of range";
static const char many_slots[] = "more slots than a room can have";
static const char long_build[] = "a build's name is too long";

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool is_name(MessageText name)
{
    for (uint32_t i = 0; i < name.size; i++) {
        if (!is_letter(name.text[i])) {
            return false;
        }
    }
    return name.size >= 1 && name.size <= MESSAGE_NAME_MAX;
}

static bool has_token(const uint8_t token[MESSAGE_TOKEN_SIZE])
{
    static const uint8_t none[MESSAGE_TOKEN_SIZE];
    return memcmp(token, none, MESSAGE_TOKEN_SIZE) != 0;
}

static const char *check_hello(const Message *message)
{
    if (message->body.hello.version_min < 1 || message->body.hello.version_max < message->body.hello.version_min) {
        return "versions that are no range";
    }
    return message->body.hello.build.size <= MESSAGE_BUILD_MAX ? NULL : long_build;
}

static const char *check_welcome(const Message *message)
{
    if (message->body.welcome.version < 1) {
        return "version 0";
    }
    return message->body.welcome.build.size <= MESSAGE_BUILD_MAX ? NULL : long_build;
}

static const char *check_item(const MessageRoom *room)
{
    if (room->room == MESSAGE_ROOM_NONE) {
        return "a listed room has no number";
    }
    if (room->players > MESSAGE_SLOTS_MAX || room->taken > room->players) {
        return "a listed room has more slots, or more of them taken, than there can be";
    }
    if (room->is_live > 1 || room->is_over > 1) {
        return bad_flag;
    }
    return is_name(room->name) && is_name(room->world) ? NULL : bad_name;
}

static const char *check_rooms(const Message *message)
{
    uint32_t first = message->body.rooms.first, next = message->body.rooms.next, count = message->body.rooms.count;
    if (count > MESSAGE_ROOMS_MAX) {
        return "more rooms than one list may have";
    }
    // A client that asks on from `next` must come to the end. Subtract: first + count could wrap.
    if (next > message->body.rooms.total || (count == 0 && next != message->body.rooms.total) || next < first || next - first < count) {
        return "a list of rooms does not lead on";
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *wrong = check_item(&message->body.rooms.items[i]);
        if (wrong != NULL) {
            return wrong;
        }
    }
    return NULL;
}

static const char *check_join(const Message *message)
{
    if (message->body.join.slots > MESSAGE_SLOTS_MAX) {
        return many_slots;
    }
    if (message->body.join.delay > MESSAGE_DELAY_MAX) {
        return "a delay that is longer than there may be";
    }
    // A token is of a membership with slots, also when it leaves their number to the server.
    if (message->body.join.delay > 0 && (message->body.join.slots > 0 || has_token(message->body.join.token))) {
        return "a delay of somebody who does not only watch";
    }
    return is_name(message->body.join.name) ? NULL : bad_name;
}

static const char *check_joined(const Message *message)
{
    uint32_t count = message->body.joined.slot_count;
    if (count > MESSAGE_SLOTS_MAX) {
        return many_slots;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t slot = message->body.joined.slots[i];
        if (slot >= MESSAGE_SLOTS_MAX || (i > 0 && slot <= message->body.joined.slots[i - 1])) {
            return "slots do not ascend or are out of range";
        }
    }
    if (message->body.joined.delay > MESSAGE_DELAY_MAX || (count > 0 && message->body.joined.delay > 0)) {
        return "a delay that is longer than there may be, or of somebody who does not only watch";
    }
    if (count == 0 && has_token(message->body.joined.token)) {
        return "a token for no slots";
    }
    return message->body.joined.rules_size >= 1 && message->body.joined.rules_size <= MESSAGE_RULES_MAX ? NULL
                                                                                                        : "a size of rules that is none";
}

// Of STATE and of OWN_STATE. A world may have no state at all; a frame has always bytes.
static const char *check_sizes(uint32_t size, uint32_t packed_size)
{
    if (size > MESSAGE_STATE_MAX) {
        return "a state larger than states may be";
    }
    return packed_size >= 1 && packed_size <= MESSAGE_PACKED_MAX ? NULL : "a compressed state of no size that there may be";
}

static const char *check_own_state(const Message *message)
{
    if (message->body.own_state.build.size > MESSAGE_BUILD_MAX) {
        return long_build;
    }
    return check_sizes(message->body.own_state.size, message->body.own_state.packed_size);
}

static const char *check_piece(const Message *message)
{
    uint32_t kind = message->body.piece.kind, total = message->body.piece.total, size = message->body.piece.size;
    if (kind < MESSAGE_PIECE_RULES || kind > MESSAGE_PIECE_OWN) {
        return "a piece of nothing known";
    }
    if (total > (kind == MESSAGE_PIECE_RULES ? MESSAGE_RULES_MAX : MESSAGE_PACKED_MAX)) {
        return "a piece of more than there may be";
    }
    if (size < 1 || size > MESSAGE_PIECE_MAX) {
        return "a piece is empty or too large";
    }
    // Subtract: offset + size could wrap.
    return size <= total && message->body.piece.offset <= total - size ? NULL : "a piece reaches past its whole";
}

static const char *check_input(const Message *message)
{
    uint32_t size = message->body.input.size, count = message->body.input.count;
    if (message->body.input.slot >= MESSAGE_SLOTS_MAX) {
        return bad_slot;
    }
    if (size < 1 || size > MESSAGE_INPUT_MAX) {
        return "an input is empty or too large";
    }
    if (count < 1 || count > MESSAGE_INPUTS_MAX) {
        return "no inputs or too many";
    }
    return message->tick <= UINT64_MAX - count ? NULL : "inputs for more ticks than there are";
}

static const char *check_confirmed(const Message *message)
{
    if (message->body.confirmed.part >= message->body.confirmed.parts) {
        return "a part of a row out of range";
    }
    uint32_t size = message->body.confirmed.size;
    return size >= 1 && size <= MESSAGE_PART_MAX ? NULL : "a part of a row is empty or too large";
}

static const char *check_timing(const Message *message)
{
    uint32_t count = message->body.timing.count;
    if (count < 1 || count > MESSAGE_SLOTS_MAX) {
        return "the timing of no slots or of too many";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t slot = message->body.timing.items[i].slot;
        if (slot >= MESSAGE_SLOTS_MAX || (i > 0 && slot <= message->body.timing.items[i - 1].slot)) {
            return "slots do not ascend or are out of range";
        }
    }
    return NULL;
}

static const char *check_chat(const Message *message)
{
    uint32_t size = message->body.chat.text.size;
    return size >= 1 && size <= MESSAGE_CHAT_MAX ? NULL : "a line is empty or too long";
}

// What the server says itself may be longer than a client's line, as every other text of its.
static const char *check_said(const Message *message)
{
    if (message->body.said.slot >= MESSAGE_SLOTS_MAX && message->body.said.slot != MESSAGE_SLOT_NOBODY) {
        return bad_slot;
    }
    return message->body.said.text.size >= 1 ? NULL : "a line is empty";
}

// What a verb may have; the least and most of a field that it does not use are zero.
typedef struct VerbBounds {
    uint8_t  slot_max;
    uint64_t value_min, value_max;
    uint16_t size_min, size_max;
} VerbBounds;

static const VerbBounds verb_bounds[] = {
    [MESSAGE_VERB_KICK] = { .slot_max = MESSAGE_SLOTS_MAX - 1 },
    [MESSAGE_VERB_STEP] = { .value_min = 1, .value_max = MESSAGE_STEP_MAX },
    [MESSAGE_VERB_SPEED] = { .value_min = 1, .value_max = MESSAGE_SPEED_MAX },
    [MESSAGE_VERB_NOTE] = { .size_min = 1, .size_max = MESSAGE_COMMAND_MAX },
    [MESSAGE_VERB_COMMAND] = { .value_max = UINT16_MAX, .size_max = MESSAGE_COMMAND_MAX },
    [MESSAGE_VERB_END] = { 0 },
};

static const char *check_admin(const Message *message)
{
    uint32_t verb = message->body.admin.verb;
    if (verb < MESSAGE_VERB_KICK || verb > MESSAGE_VERB_END) {
        return "a verb that is none";
    }
    if (message->body.admin.key.size > MESSAGE_KEY_MAX) {
        return "a key is too long";
    }
    const VerbBounds *bounds = &verb_bounds[verb];
    if (message->body.admin.slot > bounds->slot_max) {
        return bounds->slot_max > 0 ? bad_slot : "a slot where the verb has none";
    }
    uint64_t value = message->body.admin.value;
    if (value < bounds->value_min || value > bounds->value_max) {
        return bounds->value_max > 0 ? "a value that the verb cannot have" : "a value where the verb has none";
    }
    uint32_t size = message->body.admin.size;
    if (size < bounds->size_min || size > bounds->size_max) {
        return bounds->size_max > 0 ? "bytes that are more or less than the verb can have" : "bytes where the verb has none";
    }
    return NULL;
}

static const char *check_join_token(const Message *message)
{
    uint32_t size = message->body.join_token.size;
    return size >= 1 && size <= MESSAGE_JOIN_TOKEN_MAX ? NULL : "a join token is empty or too long";
}

static const char *check_pace(const Message *message)
{
    if (message->body.pace.is_paused > 1) {
        return bad_flag;
    }
    return message->body.pace.rate_mhz >= 1 ? NULL : "a pace of nothing";
}

static const char *check_reason(uint32_t reason)
{
    return message_reason_name(reason) != NULL ? NULL : "a reason that is none";
}

// Whoever gets LEFT has slots or a place in the room: what can only refuse a JOIN or end a connection is nothing to leave for.
static const char *check_left(const Message *message)
{
    switch (message->body.left.reason) {
    case MESSAGE_REASON_ASKED:
    case MESSAGE_REASON_ENDED:
    case MESSAGE_REASON_FAULTED:
    case MESSAGE_REASON_STOPPING:
    case MESSAGE_REASON_SILENT:
    case MESSAGE_REASON_INCOMPATIBLE:
    case MESSAGE_REASON_KICKED:
    case MESSAGE_REASON_DESYNC:
    case MESSAGE_REASON_REJOINED:
    case MESSAGE_REASON_BEHIND:
        return NULL;
    default:
        return "a reason that nobody is left for";
    }
}

static const char *check_leave(const Message *message)
{
    uint32_t reason = message->body.leave.reason;
    return reason == MESSAGE_REASON_ASKED || reason == MESSAGE_REASON_INCOMPATIBLE ? NULL : "a reason that nobody leaves for";
}

static const char *check_body(const Message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO: return check_hello(message);
    case MESSAGE_WELCOME: return check_welcome(message);
    case MESSAGE_ROOMS: return check_rooms(message);
    case MESSAGE_JOIN: return check_join(message);
    case MESSAGE_JOINED: return check_joined(message);
    case MESSAGE_REFUSED: return check_reason(message->body.refused.reason);
    case MESSAGE_PIECE: return check_piece(message);
    case MESSAGE_INPUT: return check_input(message);
    case MESSAGE_CONFIRMED: return check_confirmed(message);
    case MESSAGE_LEAVE: return check_leave(message);
    case MESSAGE_LEFT: return check_left(message);
    case MESSAGE_BYE: return check_reason(message->body.bye.reason);
    case MESSAGE_STATE: return check_sizes(message->body.state.size, message->body.state.packed_size);
    case MESSAGE_OWN_STATE: return check_own_state(message);
    case MESSAGE_TIMING: return check_timing(message);
    case MESSAGE_CHAT: return check_chat(message);
    case MESSAGE_SAID: return check_said(message);
    case MESSAGE_ADMIN: return check_admin(message);
    case MESSAGE_ADMINED: return message->body.admined.is_done <= 1 ? NULL : bad_flag;
    case MESSAGE_PACE: return check_pace(message);
    case MESSAGE_TOKEN: return check_join_token(message);
    case MESSAGE_LIST:
    case MESSAGE_READY:
    case MESSAGE_REPORT:
    case MESSAGE_WANTED:
    case MESSAGE_PING:
    case MESSAGE_PONG: return NULL;
    }
    return "a type that is none";
}

typedef enum HeadKind { HEAD_NONE, HEAD_ROOM, HEAD_TICK } HeadKind;

static HeadKind head_kind(MessageType type)
{
    switch (type) {
    case MESSAGE_LEAVE:
    case MESSAGE_READY:
    case MESSAGE_CHAT:
    case MESSAGE_ADMIN:
    case MESSAGE_PACE: return HEAD_ROOM;
    case MESSAGE_INPUT:
    case MESSAGE_REPORT:
    case MESSAGE_OWN_STATE:
    case MESSAGE_JOINED:
    case MESSAGE_PIECE:
    case MESSAGE_CONFIRMED:
    case MESSAGE_LEFT:
    case MESSAGE_STATE:
    case MESSAGE_WANTED:
    case MESSAGE_TIMING:
    case MESSAGE_SAID:
    case MESSAGE_ADMINED: return HEAD_TICK;
    case MESSAGE_HELLO:
    case MESSAGE_LIST:
    case MESSAGE_JOIN:
    case MESSAGE_TOKEN:
    case MESSAGE_PING:
    case MESSAGE_WELCOME:
    case MESSAGE_ROOMS:
    case MESSAGE_REFUSED:
    case MESSAGE_PONG:
    case MESSAGE_BYE: break;
    }
    return HEAD_NONE;
}

const char *message_check(const Message *message)
{
    if (message_type_name((uint32_t)message->type) == NULL) {
        return "a type that is none";
    }
    HeadKind kind = head_kind(message->type);
    if (kind == HEAD_NONE) {
        if (message->room != MESSAGE_ROOM_NONE || message->epoch != 0 || message->tick != 0) {
            return "a message about no room names room, epoch or tick";
        }
    } else if (message->room == MESSAGE_ROOM_NONE) {
        return "a message about a room names none";
    } else if (message->tick == MESSAGE_TICK_NONE || (kind == HEAD_ROOM && message->tick != 0)) {
        return "a tick that is none";
    }
    return check_body(message);
}
