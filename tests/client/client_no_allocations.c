// client_no_allocations.c: a client takes 100,000 confirmed ticks, a good part of them in several parts, and sends an input for
// each, with a session and without, counting every call of the allocator: there must be none. The counting is itself checked by one allocation on
// purpose.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "alloccount.h"
#include "message.h"
#include "testworld.h"
#include "tickproof/client.h"

enum { TICKS = 100000, ROOM = 3 };

static uint64_t confirmed, inputs_sent, other_events;
static uint32_t cookie;

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return &testworld_flat;
}

static void on_send(void *to, const uint8_t *bytes, size_t size)
{
    Message message;
    (void)to;
    if (message_decode(bytes, size, &message) == NULL && message.type == MESSAGE_JOIN) {
        cookie = message.body.join.cookie;
    }
    inputs_sent += message.type == MESSAGE_INPUT ? 1 : 0;
}

static void on_event(void *to, const tp_client_event *event)
{
    TestInput input = { .buttons = 1 };
    (void)to;
    if (event->kind != TP_CLIENT_CONFIRMED) {
        other_events += 1;
        return;
    }
    confirmed += 1;
    tp_client_input(event->room, 1, event->tick + 2, &input, NULL); // refused with a session, which has its own
}

static bool give(tp_client *client, const Message *message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes);
    return size > 0 && tp_client_receive(client, bytes, size);
}

static bool give_piece(tp_client *client, MessagePieceKind kind, const uint8_t *bytes, size_t size)
{
    Message piece = { .type = MESSAGE_PIECE, .room = ROOM, .epoch = 1 };
    piece.body.piece.kind = (uint8_t)kind;
    piece.body.piece.total = (uint32_t)size;
    piece.body.piece.size = (uint16_t)size;
    piece.body.piece.bytes = bytes;
    return give(client, &piece);
}

static bool give_state(tp_client *client, tp_sim *sim)
{
    uint8_t state[4000], packed[MESSAGE_PIECE_MAX];
    size_t  size = 0;
    Message message = { .type = MESSAGE_STATE, .room = ROOM, .epoch = 1 };
    if (!tp_sim_encode(sim, state, sizeof(state), &size)) {
        return false;
    }
    size_t packed_size = ZSTD_compress(packed, sizeof(packed), state, size, 1);
    message.body.state.size = (uint32_t)size;
    message.body.state.packed_size = (uint32_t)packed_size;
    message.body.state.root = tp_sim_root(sim);
    return !ZSTD_isError(packed_size) && give(client, &message) && give_piece(client, MESSAGE_PIECE_STATE, packed, packed_size);
}

static tp_client_room *join(tp_client *client, tp_sim *sim, const tp_session_options *session)
{
    tp_error               error;
    Message                welcome = { .type = MESSAGE_WELCOME, .room = MESSAGE_ROOM_NONE };
    Message                joined = { .type = MESSAGE_JOINED, .room = ROOM, .epoch = 1 };
    tp_client_join_options options = { .name = "arena", .slots = 1, .session = session };
    welcome.body.welcome.version = MESSAGE_VERSION;
    welcome.body.welcome.build = message_text("");
    if (!give(client, &welcome)) {
        return NULL;
    }
    tp_client_room *room = tp_client_join_with(client, &options, &error);
    joined.body.joined.cookie = cookie;
    joined.body.joined.ahead = 8;
    joined.body.joined.report = 7;
    joined.body.joined.slot_count = 1;
    joined.body.joined.slots[0] = 1;
    joined.body.joined.rules_size = tp_sim_rules(sim)->size;
    bool is_on = room != NULL && give(client, &joined) &&
                 give_piece(client, MESSAGE_PIECE_RULES, tp_sim_rules(sim)->bytes, tp_sim_rules(sim)->size) && give_state(client, sim);
    return is_on ? room : NULL;
}

static bool confirm(tp_client *client, tp_sim *sim, uint64_t tick)
{
    uint8_t    bytes[512];
    TestScript script;
    tp_row     row = testworld_row(sim, &script, tick);
    size_t     size = tp_row_encode(tp_sim_layout(sim), &row, bytes, sizeof(bytes));
    size_t     parts = tick % 3 == 0 ? 2 : 1;
    bool       is_on = tp_sim_step(sim, &row, NULL) == TP_SIM_OK;
    for (size_t part = 0; part < parts && is_on; part++) {
        size_t  start = part * (size / 2);
        Message message = { .type = MESSAGE_CONFIRMED, .room = ROOM, .epoch = 1, .tick = tick };
        message.body.confirmed.root = tp_sim_root(sim);
        message.body.confirmed.part = (uint8_t)part;
        message.body.confirmed.parts = (uint8_t)parts;
        message.body.confirmed.size = (uint16_t)(part + 1 < parts ? size / 2 : size - start);
        message.body.confirmed.bytes = bytes + start;
        is_on = give(client, &message);
    }
    return is_on;
}

// One tick ahead of what is confirmed, three at the start.
static bool advance(tp_client_room *room)
{
    tp_session *session = tp_client_room_session(room);
    TestInput   input = { .stick = (int8_t)(tp_session_tick(session) % 50) };
    return tp_session_input(session, 0, &input, NULL) == TP_SESSION_OK && tp_client_advance(room, NULL, NULL) == TP_SESSION_OK;
}

static int run(const tp_session_options *session)
{
    tp_error          error = { "" };
    tp_client_options options = { .find_world = find_world, .send = on_send, .event = on_event };
    tp_sim           *sim = testworld_run(&testworld_flat, 2, 1, 0);
    tp_client        *client = tp_client_create(&options, &error);
    tp_client_room   *room = client == NULL ? NULL : join(client, sim, session);
    if (room == NULL) {
        printf("client_no_allocations: joining: %s\n", error.text);
        return 1;
    }
    uint64_t before = other_events;
    bool     is_on = true;
    confirmed = inputs_sent = 0;
    for (int i = 0; i < 3 && session != NULL; i++) {
        is_on = advance(room) && is_on;
    }
    uint64_t called = alloccount_calls;
    alloccount_is_on = true;
    for (uint64_t tick = 0; tick < TICKS && is_on; tick++) {
        is_on = confirm(client, sim, tick) && (session == NULL || advance(room));
        tp_client_pulse(client, tick * 16);
    }
    uint64_t found = alloccount_calls - called;
    void *volatile planted = malloc(1);
    free(planted);
    alloccount_is_on = false;
    uint64_t counted = alloccount_calls - called - found;
    tp_client_destroy(client);
    tp_sim_destroy(sim);
    printf("%s: %llu ticks confirmed, %llu messages of inputs sent, %llu calls of the allocator\n", session == NULL ? "plain" : "session",
           (unsigned long long)confirmed, (unsigned long long)inputs_sent, (unsigned long long)found);
    return is_on && confirmed == TICKS && inputs_sent >= TICKS && other_events == before && found == 0 && counted == 2 ? 0 : 1;
}

int main(void)
{
    tp_session_options session;
    tp_session_options_standard(&session);
    int plain = run(NULL);
    return run(&session) + plain;
}
