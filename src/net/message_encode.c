// message_encode.c: a message to bytes, fields in the order of message.h.
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
    write_text(writer, message->body.join.name);
}

static void write_joined(BytesWriter *writer, const Message *message)
{
    bytes_write_u32(writer, message->body.joined.cookie);
    bytes_write_u16(writer, message->body.joined.ahead);
    bytes_write_u8(writer, message->body.joined.slot_count);
    bytes_write_span(writer, message->body.joined.slots, message->body.joined.slot_count);
    bytes_write_u32(writer, message->body.joined.rules_size);
    bytes_write_u32(writer, message->body.joined.state_size);
    write_hash(writer, message->body.joined.root);
    bytes_write_u64(writer, message->body.joined.input_leaf);
    bytes_write_u64(writer, message->body.joined.event_leaf);
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

static void write_body(BytesWriter *writer, const Message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO:
        write_hello(writer, message);
        break;
    case MESSAGE_LIST:
        bytes_write_u32(writer, message->body.list.first);
        break;
    case MESSAGE_JOIN:
        write_join(writer, message);
        break;
    case MESSAGE_LEAVE:
        break;
    case MESSAGE_INPUT:
        write_input(writer, message);
        break;
    case MESSAGE_PING:
        bytes_write_u64(writer, message->body.ping.token);
        break;
    case MESSAGE_WELCOME:
        write_welcome(writer, message);
        break;
    case MESSAGE_ROOMS:
        write_rooms(writer, message);
        break;
    case MESSAGE_JOINED:
        write_joined(writer, message);
        break;
    case MESSAGE_REFUSED:
        bytes_write_u32(writer, message->body.refused.cookie);
        bytes_write_u16(writer, message->body.refused.reason);
        write_text(writer, message->body.refused.text);
        break;
    case MESSAGE_PIECE:
        write_piece(writer, message);
        break;
    case MESSAGE_CONFIRMED:
        write_confirmed(writer, message);
        break;
    case MESSAGE_LEFT:
        bytes_write_u16(writer, message->body.left.reason);
        write_text(writer, message->body.left.text);
        break;
    case MESSAGE_PONG:
        bytes_write_u64(writer, message->body.pong.token);
        break;
    case MESSAGE_BYE:
        bytes_write_u16(writer, message->body.bye.reason);
        write_text(writer, message->body.bye.text);
        break;
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
