// message_encode.c: a message to bytes, fields in the order of README.md.
#include "message.h"

#include <string.h>

#include "bytes.h"
#include "message_check.h"

static void write_text(BytesWriter *writer, MessageText text)
{
    bytes_write_u8(writer, text.size);
    bytes_write_span(writer, text.text, text.size);
}

static void write_hash(BytesWriter *writer, tp_hash128 hash)
{
    bytes_write_u64(writer, hash.lo);
    bytes_write_u64(writer, hash.hi);
}

static void write_hello(BytesWriter *writer, const Message *message)
{
    bytes_write_span(writer, MESSAGE_MAGIC, MESSAGE_MAGIC_SIZE);
    bytes_write_u16(writer, message->body.hello.version_min);
    bytes_write_u16(writer, message->body.hello.version_max);
    write_text(writer, message->body.hello.build);
}

static void write_welcome(BytesWriter *writer, const Message *message)
{
    bytes_write_u16(writer, message->body.welcome.version);
    bytes_write_u32(writer, message->body.welcome.rooms);
    bytes_write_u32(writer, message->body.welcome.messages_per_second);
    write_text(writer, message->body.welcome.build);
}

static void write_item(BytesWriter *writer, const MessageRoom *room)
{
    bytes_write_u32(writer, room->room);
    bytes_write_u32(writer, room->tick_rate_hz);
    bytes_write_u16(writer, room->lane);
    bytes_write_u16(writer, room->players);
    bytes_write_u16(writer, room->taken);
    bytes_write_u8(writer, room->is_live);
    bytes_write_u8(writer, room->is_over);
    bytes_write_u16(writer, room->udp_port);
    write_text(writer, room->name);
    write_text(writer, room->world);
}

static void write_rooms(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.rooms.first);
    bytes_write_u32(writer, message->body.rooms.next);
    bytes_write_u32(writer, message->body.rooms.total);
    bytes_write_u8(writer, message->body.rooms.count);
    for (uint32_t i = 0; i < message->body.rooms.count; i++) {
        write_item(writer, &message->body.rooms.items[i]);
    }
}

static void write_join(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.join.cookie);
    bytes_write_u8(writer, message->body.join.slots);
    bytes_write_u16(writer, message->body.join.delay);
    bytes_write_span(writer, message->body.join.token, MESSAGE_TOKEN_SIZE);
    write_text(writer, message->body.join.name);
}

static void write_joined(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.joined.cookie);
    bytes_write_u16(writer, message->body.joined.ahead);
    bytes_write_u16(writer, message->body.joined.delay);
    bytes_write_u16(writer, message->body.joined.report);
    bytes_write_u8(writer, message->body.joined.slot_count);
    bytes_write_span(writer, message->body.joined.slots, message->body.joined.slot_count);
    bytes_write_span(writer, message->body.joined.token, MESSAGE_TOKEN_SIZE);
    bytes_write_u32(writer, message->body.joined.rules_size);
}

static void write_state(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.state.size);
    bytes_write_u32(writer, message->body.state.packed_size);
    write_hash(writer, message->body.state.root);
    bytes_write_u64(writer, message->body.state.input_leaf);
    bytes_write_u64(writer, message->body.state.event_leaf);
}

static void write_own_state(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.own_state.size);
    bytes_write_u32(writer, message->body.own_state.packed_size);
    write_hash(writer, message->body.own_state.root);
    bytes_write_u64(writer, message->body.own_state.input_leaf);
    bytes_write_u64(writer, message->body.own_state.event_leaf);
    write_text(writer, message->body.own_state.build);
}

static void write_piece(BytesWriter *writer, const Message *message)
{
    bytes_write_u8(writer, message->body.piece.kind);
    bytes_write_u32(writer, message->body.piece.total);
    bytes_write_u32(writer, message->body.piece.offset);
    bytes_write_span(writer, message->body.piece.bytes, message->body.piece.size);
}

static void write_input(BytesWriter *writer, const Message *message)
{
    bytes_write_u8(writer, message->body.input.slot);
    bytes_write_u8(writer, message->body.input.size);
    bytes_write_u8(writer, message->body.input.count);
    bytes_write_span(writer, message->body.input.bytes, (size_t)message->body.input.size * message->body.input.count);
}

static void write_confirmed(BytesWriter *writer, const Message *message)
{
    write_hash(writer, message->body.confirmed.root);
    bytes_write_u64(writer, message->body.confirmed.durable);
    bytes_write_u8(writer, message->body.confirmed.part);
    bytes_write_u8(writer, message->body.confirmed.parts);
    bytes_write_span(writer, message->body.confirmed.bytes, message->body.confirmed.size);
}

static void write_timing(BytesWriter *writer, const Message *message)
{
    bytes_write_u8(writer, message->body.timing.count);
    for (uint32_t i = 0; i < message->body.timing.count; i++) {
        bytes_write_u8(writer, message->body.timing.items[i].slot);
        bytes_write_u16(writer, (uint16_t)message->body.timing.items[i].lead);
        bytes_write_u16(writer, message->body.timing.items[i].late);
    }
}

static void write_said(BytesWriter *writer, const Message *message)
{
    bytes_write_u8(writer, message->body.said.slot);
    write_text(writer, message->body.said.text);
}

static void write_admin(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.admin.cookie);
    bytes_write_u8(writer, message->body.admin.verb);
    bytes_write_u8(writer, message->body.admin.slot);
    bytes_write_u64(writer, message->body.admin.value);
    write_text(writer, message->body.admin.key);
    bytes_write_u16(writer, message->body.admin.size);
    bytes_write_span(writer, message->body.admin.bytes, message->body.admin.size);
}

static void write_admined(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.admined.cookie);
    bytes_write_u8(writer, message->body.admined.is_done);
    write_text(writer, message->body.admined.text);
}

static void write_pace(BytesWriter *writer, const Message *message)
{
    bytes_write_u8(writer, message->body.pace.is_paused);
    bytes_write_u32(writer, message->body.pace.rate_mhz);
}

static void write_refused(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.refused.cookie);
    bytes_write_u16(writer, message->body.refused.reason);
    write_text(writer, message->body.refused.text);
}

// LEAVE, LEFT and BYE: their bodies are one type.
static void write_left(BytesWriter *writer, const Message *message)
{
    bytes_write_u16(writer, message->body.left.reason);
    write_text(writer, message->body.left.text);
}

static void write_body(BytesWriter *writer, const Message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO: write_hello(writer, message); break;
    case MESSAGE_LIST: bytes_write_u32(writer, message->body.list.first); break;
    case MESSAGE_JOIN: write_join(writer, message); break;
    case MESSAGE_INPUT: write_input(writer, message); break;
    case MESSAGE_READY: write_hash(writer, message->body.ready.rules_id); break;
    case MESSAGE_REPORT: write_hash(writer, message->body.report.root); break;
    case MESSAGE_OWN_STATE: write_own_state(writer, message); break;
    case MESSAGE_CHAT: write_text(writer, message->body.chat.text); break;
    case MESSAGE_ADMIN: write_admin(writer, message); break;
    case MESSAGE_TOKEN:
        bytes_write_u16(writer, message->body.join_token.size);
        bytes_write_span(writer, message->body.join_token.bytes, message->body.join_token.size);
        break;
    case MESSAGE_WELCOME: write_welcome(writer, message); break;
    case MESSAGE_ROOMS: write_rooms(writer, message); break;
    case MESSAGE_JOINED: write_joined(writer, message); break;
    case MESSAGE_REFUSED: write_refused(writer, message); break;
    case MESSAGE_PIECE: write_piece(writer, message); break;
    case MESSAGE_CONFIRMED: write_confirmed(writer, message); break;
    case MESSAGE_STATE: write_state(writer, message); break;
    case MESSAGE_WANTED: write_hash(writer, message->body.wanted.root); break;
    case MESSAGE_TIMING: write_timing(writer, message); break;
    case MESSAGE_SAID: write_said(writer, message); break;
    case MESSAGE_ADMINED: write_admined(writer, message); break;
    case MESSAGE_PACE: write_pace(writer, message); break;
    case MESSAGE_PING:
    case MESSAGE_PONG: bytes_write_u64(writer, message->body.ping.token); break; // one type
    case MESSAGE_LEAVE:
    case MESSAGE_LEFT:
    case MESSAGE_BYE: write_left(writer, message); break;
    }
}

size_t message_encode(const Message *message, uint8_t bytes[MESSAGE_SIZE_MAX])
{
    if (message_check(message) != NULL) {
        return 0;
    }
    BytesWriter writer = bytes_writer(bytes, MESSAGE_SIZE_MAX);
    bytes_write_u8(&writer, (uint8_t)message->type);
    bytes_write_u8(&writer, 0);
    bytes_write_u32(&writer, message->room);
    bytes_write_u32(&writer, message->epoch);
    bytes_write_u64(&writer, message->tick);
    write_body(&writer, message);
    return writer.failed ? 0 : writer.size;
}
