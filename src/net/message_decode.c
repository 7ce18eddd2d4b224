// message_decode.c: foreign bytes to a message. Here only what is needed to find the fields is checked, and that they fill the
// bytes exactly; message_check does the rest.
#include "message.h"

#include <string.h>

#include "bytes.h"
#include "message_check.h"

static const char too_short[] = "a message ends too early";

static MessageText read_text(BytesReader *reader)
{
    uint8_t        size = bytes_read_u8(reader);
    const uint8_t *bytes = bytes_read_span(reader, size);
    return (MessageText){ .text = (const char *)bytes, .size = bytes == NULL ? 0 : size };
}

static void read_token(BytesReader *reader, uint8_t token[MESSAGE_TOKEN_SIZE])
{
    const uint8_t *bytes = bytes_read_span(reader, MESSAGE_TOKEN_SIZE);
    if (bytes != NULL) {
        memcpy(token, bytes, MESSAGE_TOKEN_SIZE);
    }
}

static tp_hash128 read_hash(BytesReader *reader)
{
    tp_hash128 hash;
    hash.lo = bytes_read_u64(reader);
    hash.hi = bytes_read_u64(reader);
    return hash;
}

static size_t left(const BytesReader *reader)
{
    return reader->failed ? 0 : reader->size - reader->offset;
}

static const char *read_hello(BytesReader *reader, Message *message)
{
    const uint8_t *magic = bytes_read_span(reader, MESSAGE_MAGIC_SIZE);
    if (magic != NULL && memcmp(magic, MESSAGE_MAGIC, MESSAGE_MAGIC_SIZE) != 0) {
        return "not a client of this protocol";
    }
    message->body.hello.version_min = bytes_read_u16(reader);
    message->body.hello.version_max = bytes_read_u16(reader);
    message->body.hello.build = read_text(reader);
    return NULL;
}

static const char *read_welcome(BytesReader *reader, Message *message)
{
    message->body.welcome.version = bytes_read_u16(reader);
    message->body.welcome.rooms = bytes_read_u32(reader);
    message->body.welcome.messages_per_second = bytes_read_u32(reader);
    message->body.welcome.build = read_text(reader);
    return NULL;
}

static void read_item(BytesReader *reader, MessageRoom *room)
{
    room->room = bytes_read_u32(reader);
    room->tick_rate_hz = bytes_read_u32(reader);
    room->lane = bytes_read_u16(reader);
    room->players = bytes_read_u16(reader);
    room->taken = bytes_read_u16(reader);
    room->is_live = bytes_read_u8(reader);
    room->is_over = bytes_read_u8(reader);
    room->udp_port = bytes_read_u16(reader);
    room->name = read_text(reader);
    room->world = read_text(reader);
}

static const char *read_rooms(BytesReader *reader, Message *message)
{
    message->body.rooms.first = bytes_read_u32(reader);
    message->body.rooms.next = bytes_read_u32(reader);
    message->body.rooms.total = bytes_read_u32(reader);
    message->body.rooms.count = bytes_read_u8(reader);
    if (message->body.rooms.count > MESSAGE_ROOMS_MAX) {
        return "more rooms than one list may have";
    }
    for (uint32_t i = 0; i < message->body.rooms.count && !reader->failed; i++) {
        read_item(reader, &message->body.rooms.items[i]);
    }
    return NULL;
}

static const char *read_join(BytesReader *reader, Message *message)
{
    message->body.join.cookie = bytes_read_u32(reader);
    message->body.join.slots = bytes_read_u8(reader);
    message->body.join.delay = bytes_read_u16(reader);
    read_token(reader, message->body.join.token);
    message->body.join.name = read_text(reader);
    return NULL;
}

static const char *read_joined(BytesReader *reader, Message *message)
{
    message->body.joined.cookie = bytes_read_u32(reader);
    message->body.joined.ahead = bytes_read_u16(reader);
    message->body.joined.delay = bytes_read_u16(reader);
    message->body.joined.report = bytes_read_u16(reader);
    message->body.joined.slot_count = bytes_read_u8(reader);
    if (message->body.joined.slot_count > MESSAGE_SLOTS_MAX) {
        return "more slots than a room can have";
    }
    const uint8_t *slots = bytes_read_span(reader, message->body.joined.slot_count);
    if (slots == NULL) {
        return too_short;
    }
    memcpy(message->body.joined.slots, slots, message->body.joined.slot_count);
    read_token(reader, message->body.joined.token);
    message->body.joined.rules_size = bytes_read_u32(reader);
    return NULL;
}

static const char *read_state(BytesReader *reader, Message *message)
{
    message->body.state.size = bytes_read_u32(reader);
    message->body.state.packed_size = bytes_read_u32(reader);
    message->body.state.root = read_hash(reader);
    message->body.state.input_leaf = bytes_read_u64(reader);
    message->body.state.event_leaf = bytes_read_u64(reader);
    return NULL;
}

static const char *read_own_state(BytesReader *reader, Message *message)
{
    message->body.own_state.size = bytes_read_u32(reader);
    message->body.own_state.packed_size = bytes_read_u32(reader);
    message->body.own_state.root = read_hash(reader);
    message->body.own_state.input_leaf = bytes_read_u64(reader);
    message->body.own_state.event_leaf = bytes_read_u64(reader);
    message->body.own_state.build = read_text(reader);
    return NULL;
}

static const char *read_refused(BytesReader *reader, Message *message)
{
    message->body.refused.cookie = bytes_read_u32(reader);
    message->body.refused.reason = bytes_read_u16(reader);
    message->body.refused.text = read_text(reader);
    return NULL;
}

static const char *read_piece(BytesReader *reader, Message *message)
{
    message->body.piece.kind = bytes_read_u8(reader);
    message->body.piece.total = bytes_read_u32(reader);
    message->body.piece.offset = bytes_read_u32(reader);
    message->body.piece.size = (uint16_t)left(reader);
    message->body.piece.bytes = bytes_read_span(reader, message->body.piece.size);
    return NULL;
}

static const char *read_input(BytesReader *reader, Message *message)
{
    message->body.input.slot = bytes_read_u8(reader);
    message->body.input.size = bytes_read_u8(reader);
    message->body.input.count = bytes_read_u8(reader);
    message->body.input.bytes = bytes_read_span(reader, (size_t)message->body.input.size * message->body.input.count);
    return NULL;
}

static const char *read_confirmed(BytesReader *reader, Message *message)
{
    message->body.confirmed.root = read_hash(reader);
    message->body.confirmed.durable = bytes_read_u64(reader);
    message->body.confirmed.part = bytes_read_u8(reader);
    message->body.confirmed.parts = bytes_read_u8(reader);
    message->body.confirmed.size = (uint16_t)left(reader);
    message->body.confirmed.bytes = bytes_read_span(reader, message->body.confirmed.size);
    return NULL;
}

// Two's complement, as everywhere on the wire.
static int16_t signed_of(uint16_t value)
{
    return (int16_t)(value < 0x8000 ? (int32_t)value : (int32_t)value - 0x10000);
}

static const char *read_timing(BytesReader *reader, Message *message)
{
    message->body.timing.count = bytes_read_u8(reader);
    if (message->body.timing.count > MESSAGE_SLOTS_MAX) {
        return "the timing of no slots or of too many";
    }
    for (uint32_t i = 0; i < message->body.timing.count && !reader->failed; i++) {
        MessageTiming *timing = &message->body.timing.items[i];
        timing->slot = bytes_read_u8(reader);
        timing->lead = signed_of(bytes_read_u16(reader));
        timing->late = bytes_read_u16(reader);
    }
    return NULL;
}

static const char *read_said(BytesReader *reader, Message *message)
{
    message->body.said.slot = bytes_read_u8(reader);
    message->body.said.text = read_text(reader);
    return NULL;
}

static const char *read_admin(BytesReader *reader, Message *message)
{
    message->body.admin.cookie = bytes_read_u32(reader);
    message->body.admin.verb = bytes_read_u8(reader);
    message->body.admin.slot = bytes_read_u8(reader);
    message->body.admin.value = bytes_read_u64(reader);
    message->body.admin.key = read_text(reader);
    message->body.admin.size = bytes_read_u16(reader);
    message->body.admin.bytes = bytes_read_span(reader, message->body.admin.size);
    return NULL;
}

static const char *read_admined(BytesReader *reader, Message *message)
{
    message->body.admined.cookie = bytes_read_u32(reader);
    message->body.admined.is_done = bytes_read_u8(reader);
    message->body.admined.text = read_text(reader);
    return NULL;
}

static const char *read_pace(BytesReader *reader, Message *message)
{
    message->body.pace.is_paused = bytes_read_u8(reader);
    message->body.pace.rate_mhz = bytes_read_u32(reader);
    return NULL;
}

// LEAVE, LEFT and BYE: their bodies are one type.
static const char *read_left(BytesReader *reader, Message *message)
{
    message->body.left.reason = bytes_read_u16(reader);
    message->body.left.text = read_text(reader);
    return NULL;
}

static const char *read_body(BytesReader *reader, Message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO: return read_hello(reader, message);
    case MESSAGE_LIST: message->body.list.first = bytes_read_u32(reader); return NULL;
    case MESSAGE_JOIN: return read_join(reader, message);
    case MESSAGE_INPUT: return read_input(reader, message);
    case MESSAGE_READY: message->body.ready.rules_id = read_hash(reader); return NULL;
    case MESSAGE_REPORT: message->body.report.root = read_hash(reader); return NULL;
    case MESSAGE_OWN_STATE: return read_own_state(reader, message);
    case MESSAGE_CHAT: message->body.chat.text = read_text(reader); return NULL;
    case MESSAGE_ADMIN: return read_admin(reader, message);
    case MESSAGE_TOKEN:
        message->body.join_token.size = bytes_read_u16(reader);
        message->body.join_token.bytes = bytes_read_span(reader, message->body.join_token.size);
        return NULL;
    case MESSAGE_WELCOME: return read_welcome(reader, message);
    case MESSAGE_ROOMS: return read_rooms(reader, message);
    case MESSAGE_JOINED: return read_joined(reader, message);
    case MESSAGE_REFUSED: return read_refused(reader, message);
    case MESSAGE_PIECE: return read_piece(reader, message);
    case MESSAGE_CONFIRMED: return read_confirmed(reader, message);
    case MESSAGE_STATE: return read_state(reader, message);
    case MESSAGE_WANTED: message->body.wanted.root = read_hash(reader); return NULL;
    case MESSAGE_TIMING: return read_timing(reader, message);
    case MESSAGE_SAID: return read_said(reader, message);
    case MESSAGE_ADMINED: return read_admined(reader, message);
    case MESSAGE_PACE: return read_pace(reader, message);
    case MESSAGE_PING:
    case MESSAGE_PONG: message->body.ping.token = bytes_read_u64(reader); return NULL; // one type
    case MESSAGE_LEAVE:
    case MESSAGE_LEFT:
    case MESSAGE_BYE: return read_left(reader, message);
    }
    return "a type that is none";
}

const char *message_decode(const uint8_t *bytes, size_t size, Message *message)
{
    if (size > MESSAGE_SIZE_MAX) {
        return "longer than a message may be";
    }
    BytesReader reader = bytes_reader(bytes, size);
    uint8_t     type = bytes_read_u8(&reader);
    uint8_t     zero = bytes_read_u8(&reader);
    message->room = bytes_read_u32(&reader);
    message->epoch = bytes_read_u32(&reader);
    message->tick = bytes_read_u64(&reader);
    if (reader.failed) {
        return too_short;
    }
    if (message_type_name(type) == NULL) {
        return "a type that is none";
    }
    if (zero != 0) {
        return "a byte that must be zero is not";
    }
    message->type = (MessageType)type;
    const char *wrong = read_body(&reader, message);
    if (wrong != NULL) {
        return wrong;
    }
    if (!bytes_reader_is_done(&reader)) {
        return reader.failed ? too_short : "bytes follow the end of a message";
    }
    return message_check(message);
}
