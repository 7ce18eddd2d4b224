// client_no_allocations.c: a client takes 100,000 confirmed ticks, a good part of them in several parts, and sends an input for
// each, counting every call of the allocator: there must be none. The counting is itself checked by one allocation on purpose.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloccount.h"
#include "message.h"
#include "testworld.h"
#include "tickproof/client.h"

enum { TICKS = 100000, ROOM = 3 };

static uint64_t  confirmed, inputs_sent, other_events;
static uint32_t  cookie;

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
    inputs_sent += tp_client_input(event->room, 1, event->tick + 2, &input, NULL) ? 1 : 0;
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

static bool join(tp_client *client, tp_sim *sim)
{
    tp_error error;
    uint8_t  state[MESSAGE_PIECE_MAX];
    size_t   size = 0;
    Message  welcome = { .type = MESSAGE_WELCOME, .room = MESSAGE_ROOM_NONE };
    Message  joined = { .type = MESSAGE_JOINED, .room = ROOM, .epoch = 1 };
    welcome.body.welcome.version = MESSAGE_VERSION;
    welcome.body.welcome.build = message_text("");
    if (!give(client, &welcome) || tp_client_join(client, "arena", 1, NULL, &error) == NULL || !tp_sim_encode(sim, state, sizeof(state), &size)) {
        return false;
    }
    joined.body.joined.cookie = cookie;
    joined.body.joined.ahead = 8;
    joined.body.joined.slot_count = 1;
    joined.body.joined.slots[0] = 1;
    joined.body.joined.rules_size = tp_sim_rules(sim)->size;
    joined.body.joined.state_size = (uint32_t)size;
    joined.body.joined.root = tp_sim_root(sim);
    return give(client, &joined) && give_piece(client, MESSAGE_PIECE_RULES, tp_sim_rules(sim)->bytes, tp_sim_rules(sim)->size) &&
           give_piece(client, MESSAGE_PIECE_STATE, state, size);
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

int main(void)
{
    tp_error          error = { "" };
    tp_client_options options = { .find_world = find_world, .send = on_send, .event = on_event };
    tp_sim           *sim = testworld_run(&testworld_flat, 2, 1, 0);
    tp_client        *client = tp_client_create(&options, &error);
    if (client == NULL || !join(client, sim)) {
        printf("client_no_allocations: joining: %s\n", error.text);
        return 1;
    }
    uint64_t before = other_events;
    bool     is_on = true;
    alloccount_is_on = true;
    for (uint64_t tick = 0; tick < TICKS && is_on; tick++) {
        is_on = confirm(client, sim, tick);
    }
    uint64_t found = alloccount_calls;
    void *volatile planted = malloc(1);
    free(planted);
    alloccount_is_on = false;
    uint64_t counted = alloccount_calls - found;
    tp_client_destroy(client);
    tp_sim_destroy(sim);
    printf("%llu ticks confirmed, %llu inputs sent, %llu calls of the allocator\n", (unsigned long long)confirmed, (unsigned long long)inputs_sent,
           (unsigned long long)found);
    return is_on && confirmed == TICKS && inputs_sent == TICKS && other_events == before && found == 0 && counted == 2 ? 0 : 1;
}
