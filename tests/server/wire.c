// wire.c: blocking reads and writes; whatever goes wrong where nothing may is an assert.
#include "wire.h"

#include <criterion/criterion.h>
#include <criterion/assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
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
    setsockopt(wire->socket, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
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

enum { TURNS_MAX = 3000 };

// Bytes from the socket; 0: it ended, or nothing came for too long.
static size_t read_some(Wire *wire)
{
    uint8_t *to = wire->in + wire->have;
    size_t   size = sizeof(wire->in) - wire->have;
    ssize_t  got = recv(wire->socket, to, size, wire->turn != NULL ? MSG_DONTWAIT : 0);
    for (int turns = 0; got < 0 && wire->turn != NULL && errno == EAGAIN && turns < TURNS_MAX; turns++) {
        wire->turn(wire->to);
        got = recv(wire->socket, to, size, MSG_DONTWAIT);
    }
    return got > 0 ? (size_t)got : 0;
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
        size_t got = read_some(wire);
        if (got == 0) {
            return false;
        }
        wire->have += got;
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

void wire_ask_as(Wire *wire, const char *room, uint32_t slots, uint32_t delay, const uint8_t *token, Message *answer)
{
    Message message = {
        .type = MESSAGE_JOIN,
        .room = MESSAGE_ROOM_NONE,
        .body.join = { .cookie = 77, .slots = (uint8_t)slots, .delay = (uint16_t)delay, .name = message_text(room) },
    };
    if (token != NULL) {
        memcpy(message.body.join.token, token, MESSAGE_TOKEN_SIZE);
    }
    wire_send(wire, &message);
    do {
        cr_assert(wire_receive(wire, answer), "the connection ended before the answer to JOIN");
    } while (answer->type != MESSAGE_JOINED && answer->type != MESSAGE_REFUSED);
}

void wire_ask(Wire *wire, const char *room, uint32_t slots, Message *answer)
{
    wire_ask_as(wire, room, slots, 0, NULL, answer);
}

// The next message of the joined room; those of other rooms and of none are passed over.
static void take(Wire *wire, const Message *joined, Message *message)
{
    do {
        cr_assert(wire_receive(wire, message), "the connection ended while joining");
    } while (message->room != joined->room);
    cr_assert_eq(message->epoch, joined->epoch);
    cr_assert_neq(message->type, MESSAGE_LEFT, "left while joining: %s", message_reason_name(message->body.left.reason));
}

// One piece to its place: they come in order and without gaps.
static void take_piece(const Message *message, MessagePieceKind kind, uint8_t *bytes, uint32_t total, uint32_t *have)
{
    cr_assert_eq(message->type, MESSAGE_PIECE, "message of type %d between pieces", (int)message->type);
    cr_assert_eq(message->body.piece.kind, kind);
    cr_assert_eq(message->body.piece.total, total);
    cr_assert_eq(message->body.piece.offset, *have);
    memcpy(bytes + *have, message->body.piece.bytes, message->body.piece.size);
    *have += message->body.piece.size;
}

void wire_take_rules(Wire *wire, const Message *joined, WireWorld *world)
{
    Message  message;
    uint32_t have = 0;
    memset(world, 0, sizeof(*world));
    world->rules_size = joined->body.joined.rules_size;
    world->rules = malloc(world->rules_size);
    take(wire, joined, &message);
    cr_assert_eq(message.type, MESSAGE_PACE, "PACE comes after JOINED, not %d", (int)message.type);
    while (have < world->rules_size) {
        take(wire, joined, &message);
        take_piece(&message, MESSAGE_PIECE_RULES, world->rules, world->rules_size, &have);
    }
}

void wire_ready(Wire *wire, const Message *joined, tp_hash128 rules_id)
{
    Message message = { .type = MESSAGE_READY, .room = joined->room, .epoch = joined->epoch, .body.ready = { .rules_id = rules_id } };
    wire_send(wire, &message);
}

tp_hash128 wire_rules_id(const WireWorld *world)
{
    return tp_hash128_of(TP_HASH_XXH3, world->rules, world->rules_size);
}

static bool is_aside(MessageType type)
{
    return type == MESSAGE_PACE || type == MESSAGE_TIMING || type == MESSAGE_SAID;
}

void wire_take_state(Wire *wire, const Message *joined, WireWorld *world)
{
    uint32_t have = 0;
    do {
        take(wire, joined, &world->state);
    } while (is_aside(world->state.type));
    cr_assert_eq(world->state.type, MESSAGE_STATE, "STATE comes after READY, not %d", (int)world->state.type);
    uint32_t total = world->state.body.state.packed_size;
    free(world->packed);
    world->packed = malloc(total);
    world->pieces = 0;
    while (have < total) {
        Message message;
        take(wire, joined, &message);
        if (!is_aside(message.type)) {
            cr_assert_eq(message.tick, world->state.tick);
            take_piece(&message, MESSAGE_PIECE_STATE, world->packed, total, &have);
            world->pieces += 1;
        }
    }
}

void wire_drop(WireWorld *world)
{
    free(world->rules);
    free(world->packed);
    memset(world, 0, sizeof(*world));
}

void wire_join_world(Wire *wire, const char *room, uint32_t slots, Message *answer, WireWorld *world)
{
    memset(world, 0, sizeof(*world));
    wire_ask(wire, room, slots, answer);
    if (answer->type == MESSAGE_JOINED) {
        wire_take_rules(wire, answer, world);
        wire_ready(wire, answer, wire_rules_id(world));
        wire_take_state(wire, answer, world);
        answer->tick = world->state.tick;
    }
}

void wire_join(Wire *wire, const char *room, uint32_t slots, Message *answer)
{
    WireWorld world;
    wire_join_world(wire, room, slots, answer, &world);
    wire_drop(&world);
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
