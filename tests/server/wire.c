// wire.c: blocking reads and writes; whatever goes wrong where nothing may is an assert.
#include "wire.h"

#include <criterion/criterion.h>
#include <criterion/assert.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

void wire_open(Wire *wire, uint32_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct timeval     patience = { .tv_sec = 10 };
    memset(wire, 0, sizeof(*wire));
    wire->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(wire->socket, 0);
    setsockopt(wire->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(wire->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    cr_assert_eq(connect(wire->socket, (struct sockaddr *)&address, sizeof(address)), 0);
}

void wire_close(Wire *wire)
{
    if (wire->socket >= 0) {
        close(wire->socket);
        wire->socket = -1;
    }
}

void wire_send_bytes(Wire *wire, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t sent = send(wire->socket, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        at += sent;
        size -= (size_t)sent;
    }
}

void wire_send(Wire *wire, const Message *message)
{
    uint8_t bytes[2 + MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes + 2);
    cr_assert_gt(size, 0, "message of type %d does not encode", (int)message->type);
    bytes[0] = (uint8_t)size;
    bytes[1] = (uint8_t)(size >> 8);
    wire_send_bytes(wire, bytes, size + 2);
}

bool wire_receive(Wire *wire, Message *message)
{
    for (;;) {
        size_t size = wire->have >= 2 ? (size_t)wire->in[0] | (size_t)wire->in[1] << 8 : 0;
        if (wire->have >= 2 && wire->have >= 2 + size) {
            memcpy(wire->message, wire->in + 2, size);
            wire->have -= 2 + size;
            memmove(wire->in, wire->in + 2 + size, wire->have);
            const char *wrong = message_decode(wire->message, size, message);
            cr_assert_null(wrong, "the server sent no message: %s", wrong);
            return true;
        }
        ssize_t got = recv(wire->socket, wire->in + wire->have, sizeof(wire->in) - wire->have, 0);
        if (got <= 0) {
            return false;
        }
        wire->have += (size_t)got;
    }
}

void wire_wait(Wire *wire, MessageType type, Message *message)
{
    do {
        cr_assert(wire_receive(wire, message), "the connection ended before a message of type %d", (int)type);
    } while (message->type != type);
}

uint32_t wire_drain(Wire *wire)
{
    Message  message;
    uint32_t reason = 0;
    while (wire_receive(wire, &message)) {
        reason = message.type == MESSAGE_BYE ? message.body.bye.reason : reason;
        if (message.type == MESSAGE_BYE) {
            shutdown(wire->socket, SHUT_WR); // heard: the server need not wait for us
        }
    }
    return reason;
}

void wire_hello(Wire *wire)
{
    Message message = {
        .type = MESSAGE_HELLO,
        .room = MESSAGE_ROOM_NONE,
        .body.hello = { .version_min = MESSAGE_VERSION, .version_max = MESSAGE_VERSION, .build = message_text("a test") },
    };
    wire_send(wire, &message);
    wire_wait(wire, MESSAGE_WELCOME, &message);
}

void wire_join(Wire *wire, const char *room, uint32_t slots, Message *answer)
{
    Message message = {
        .type = MESSAGE_JOIN,
        .room = MESSAGE_ROOM_NONE,
        .body.join = { .cookie = 77, .slots = (uint8_t)slots, .name = message_text(room) },
    };
    wire_send(wire, &message);
    do {
        cr_assert(wire_receive(wire, answer), "the connection ended before the answer to JOIN");
    } while (answer->type != MESSAGE_JOINED && answer->type != MESSAGE_REFUSED);
}

void wire_input(Wire *wire, const Message *joined, uint8_t slot, uint64_t tick, const void *input, uint8_t size)
{
    Message message = {
        .type = MESSAGE_INPUT,
        .room = joined->room,
        .epoch = joined->epoch,
        .tick = tick,
        .body.input = { .slot = slot, .size = size, .count = 1, .bytes = input },
    };
    wire_send(wire, &message);
}
