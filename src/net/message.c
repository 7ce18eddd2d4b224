// message.c: names of types and reasons, texts, and the bounds that hold for a message on its way out as on its way in.
#include "message.h"

#include <string.h>

#include "message_check.h"

const char *message_reason_name(uint32_t reason)
{
    static const char *const names[] = {
        NULL,        "asked",    "no-room", "full",      "not-live", "other-lane", "too-large", "in-it", "ended",
        "faulted",   "stopping", "version", "malformed", "silent",   "flood",      "slow",      "crowded",
    };
    _Static_assert(sizeof(names) / sizeof(names[0]) == MESSAGE_REASON_CROWDED + 1, "a reason was added: name it here and in README.md");
    return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : NULL;
}

const char *message_type_name(uint32_t type)
{
    static const char *const clients[] = { NULL, "HELLO", "LIST", "JOIN", "LEAVE", "INPUT", "PING" };
    static const char *const servers[] = { "WELCOME", "ROOMS", "JOINED", "REFUSED", "PIECE", "CONFIRMED", "LEFT", "PONG", "BYE" };
    if (type <= MESSAGE_PING) {
        return clients[type];
    }
    return type >= MESSAGE_WELCOME && type <= MESSAGE_BYE ? servers[type - MESSAGE_WELCOME] : NULL;
}

MessageText message_text(const char *text)
{
    size_t size = strnlen(text, MESSAGE_TEXT_MAX + 1);
    if (size > MESSAGE_TEXT_MAX) {
        // Back from the middle of a character; a text that is no UTF-8 is just cut.
        size = MESSAGE_TEXT_MAX;
        for (int back = 0; back < 3 && ((uint8_t)text[size] & 0xC0) == 0x80; back++) {
            size -= 1;
        }
    }
    return (MessageText){ .text = text, .size = (uint8_t)size };
}

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

static const char *check_item(const MessageRoom *room)
{
    if (room->room == MESSAGE_ROOM_NONE) {
        return "a listed room has no number";
    }
    if (room->players > MESSAGE_SLOTS_MAX || room->taken > room->players) {
        return "a listed room has more slots, or more of them taken, than there can be";
    }
    if (room->is_live > 1 || room->is_over > 1) {
        return "a flag is neither 0 nor 1";
    }
    return is_name(room->name) && is_name(room->world) ? NULL : "a name is empty, too long or has a letter that is none of names";
}

static const char *check_rooms(const Message *message)
{
    uint32_t first = message->body.rooms.first, next = message->body.rooms.next, count = message->body.rooms.count;
    if (count > MESSAGE_ROOMS_MAX) {
        return "more rooms than one list may have";
    }
    // A client that asks on from `next` must come to the end.
    if (next > message->body.rooms.total || (count == 0 && next != message->body.rooms.total) ||
        (count > 0 && (next < first || next - first < count))) {
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
        return "more slots than a room can have";
    }
    return is_name(message->body.join.name) ? NULL : "a name is empty, too long or has a letter that is none of names";
}

static const char *check_joined(const Message *message)
{
    uint32_t count = message->body.joined.slot_count;
    if (count > MESSAGE_SLOTS_MAX) {
        return "more slots than a room can have";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t slot = message->body.joined.slots[i];
        if (slot >= MESSAGE_SLOTS_MAX || (i > 0 && slot <= message->body.joined.slots[i - 1])) {
            return "slots do not ascend or are out of range";
        }
    }
    if (message->body.joined.rules_size < 1 || message->body.joined.rules_size > MESSAGE_RULES_MAX) {
        return "a size of rules that is none";
    }
    return message->body.joined.state_size <= MESSAGE_STATE_MAX ? NULL : "a state larger than states may be";
}

static const char *check_piece(const Message *message)
{
    uint32_t kind = message->body.piece.kind, total = message->body.piece.total, size = message->body.piece.size;
    if (kind != MESSAGE_PIECE_RULES && kind != MESSAGE_PIECE_STATE) {
        return "a piece of nothing known";
    }
    if (total > (kind == MESSAGE_PIECE_RULES ? MESSAGE_RULES_MAX : MESSAGE_STATE_MAX)) {
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
        return "a slot out of range";
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

static const char *check_reason(uint32_t reason)
{
    return message_reason_name(reason) != NULL ? NULL : "a reason that is none";
}

static const char *check_body(const Message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO:
        if (message->body.hello.version_min < 1 || message->body.hello.version_max < message->body.hello.version_min) {
            return "versions that are no range";
        }
        return message->body.hello.build.size <= MESSAGE_BUILD_MAX ? NULL : "a build's name is too long";
    case MESSAGE_WELCOME:
        if (message->body.welcome.version < 1) {
            return "version 0";
        }
        return message->body.welcome.build.size <= MESSAGE_BUILD_MAX ? NULL : "a build's name is too long";
    case MESSAGE_ROOMS:
        return check_rooms(message);
    case MESSAGE_JOIN:
        return check_join(message);
    case MESSAGE_JOINED:
        return check_joined(message);
    case MESSAGE_REFUSED:
        return check_reason(message->body.refused.reason);
    case MESSAGE_PIECE:
        return check_piece(message);
    case MESSAGE_INPUT:
        return check_input(message);
    case MESSAGE_CONFIRMED:
        return check_confirmed(message);
    case MESSAGE_LEFT:
        return check_reason(message->body.left.reason);
    case MESSAGE_BYE:
        return check_reason(message->body.bye.reason);
    case MESSAGE_LIST:
    case MESSAGE_LEAVE:
    case MESSAGE_PING:
    case MESSAGE_PONG:
        return NULL;
    }
    return "a type that is none";
}

static bool is_about_room(MessageType type)
{
    return type == MESSAGE_LEAVE || type == MESSAGE_INPUT || type == MESSAGE_JOINED || type == MESSAGE_PIECE ||
           type == MESSAGE_CONFIRMED || type == MESSAGE_LEFT;
}

const char *message_check(const Message *message)
{
    if (is_about_room(message->type)) {
        if (message->room == MESSAGE_ROOM_NONE) {
            return "a message about a room names none";
        }
        if (message->tick == MESSAGE_TICK_NONE || (message->type == MESSAGE_LEAVE && message->tick != 0)) {
            return "a tick that is none";
        }
    } else if (message->room != MESSAGE_ROOM_NONE || message->epoch != 0 || message->tick != 0) {
        return message_type_name((uint32_t)message->type) == NULL ? "a type that is none"
                                                                  : "a message about no room names room, epoch or tick";
    }
    return check_body(message);
}
