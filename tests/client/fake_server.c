// fake_server.c: see fake_server.h.
#include "fake_server.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    const Fake *fake = to;
    (void)revision;
    return fake->world != NULL && strcmp(fake->world->name, name) == 0 ? fake->world : NULL;
}

static void take_own_piece(Fake *fake, const Message *message)
{
    cr_assert_eq(message->body.piece.kind, MESSAGE_PIECE_OWN);
    cr_assert_eq(message->tick, fake->own_state.tick);
    cr_assert_eq(message->body.piece.total, fake->own_total);
    cr_assert_eq(message->body.piece.offset, fake->own_size);
    memcpy(fake->own + fake->own_size, message->body.piece.bytes, message->body.piece.size);
    fake->own_size += message->body.piece.size;
}

static void take_inputs(Fake *fake, const Message *message)
{
    cr_assert(message->body.input.slot < 4 && message->body.input.size == 2);
    for (uint32_t i = 0; i < message->body.input.count; i++) {
        uint64_t next = tp_sim_tick(fake->sim);
        if (message->tick + i < next || message->tick + i >= next + FAKE_INPUTS) {
            continue; // late, or sent again
        }
        size_t place = (message->tick + i) % FAKE_INPUTS;
        fake->has_input[message->body.input.slot][place] = true;
        memcpy(fake->inputs[message->body.input.slot][place], message->body.input.bytes + 2 * (size_t)i, 2);
    }
}

static void take_sent(Fake *fake, const Message *message)
{
    if (message->type == MESSAGE_JOIN) {
        fake->cookie = message->body.join.cookie;
        fake->slot_count = message->body.join.slots;
    } else if (message->type == MESSAGE_REPORT) {
        fake->reports += 1;
        fake->reported = *message;
    } else if (message->type == MESSAGE_OWN_STATE) {
        fake->own_state = *message;
        fake->own_total = message->body.own_state.packed_size;
        fake->own_size = 0;
        free(fake->own);
        fake->own = malloc(fake->own_total);
    } else if (message->type == MESSAGE_PIECE) {
        take_own_piece(fake, message);
    } else if (message->type == MESSAGE_INPUT) {
        take_inputs(fake, message);
    }
}

static void on_send(void *to, const uint8_t *bytes, size_t size)
{
    Fake        *fake = to;
    Message      message;
    FakeMessage *sent = &fake->sent[fake->sent_count++ % FAKE_SENT_MAX];
    cr_assert_leq(size, sizeof(sent->bytes));
    memcpy(sent->bytes, bytes, size);
    sent->size = (uint16_t)size;
    cr_assert_null(message_decode(bytes, size, &message), "the client sends no message");
    take_sent(fake, &message);
}

static void on_event(void *to, const tp_client_event *event)
{
    Fake      *fake = to;
    FakeEvent *kept = &fake->events[fake->event_count++ % FAKE_EVENTS_MAX];
    kept->event = *event;
    fake->kinds[event->kind] += 1;
    if (event->kind == TP_CLIENT_LEFT || event->kind == TP_CLIENT_REFUSED) {
        fake->is_gone = fake->is_gone || event->room == fake->room;
    }
    if (event->kind == TP_CLIENT_JOINED || event->kind == TP_CLIENT_REWOUND) {
        fake->next_confirmed = event->tick;
    } else if (event->kind == TP_CLIENT_CONFIRMED) {
        cr_assert_eq(event->tick, fake->next_confirmed++);
    }
    snprintf(kept->text, sizeof(kept->text), "%s", event->text);
    kept->event.text = kept->text;
    if (event->listed != NULL) {
        kept->listed = *event->listed;
        kept->event.listed = &kept->listed;
    }
    if (fake->on_event != NULL) {
        fake->on_event(fake, event);
    }
}

tp_client_options fake_options(Fake *fake)
{
    return (tp_client_options){
        .build = "test 1", .find_world = find_world, .find_to = fake, .send = on_send, .send_to = fake, .event = on_event, .event_to = fake,
    };
}

void fake_open(Fake *fake, const tp_world *world, uint64_t ticks)
{
    tp_error error;
    memset(fake, 0, sizeof(*fake));
    fake->world = world;
    fake->sim = testworld_run(world, 2, 5, ticks);
    fake->slots[0] = 0;
    fake->slots[1] = 1;
    tp_client_options options = fake_options(fake);
    fake->client = tp_client_create(&options, &error);
    cr_assert_not_null(fake->client, "%s", error.text);
}

void fake_close(Fake *fake)
{
    tp_client_destroy(fake->client);
    tp_sim_destroy(fake->sim);
    free(fake->given);
    free(fake->packed);
    free(fake->own);
}

bool fake_give_bytes(Fake *fake, const uint8_t *bytes, size_t size)
{
    if (fake->given_count == fake->given_capacity) {
        fake->given_capacity = fake->given_capacity == 0 ? 256 : fake->given_capacity * 2;
        fake->given = realloc(fake->given, fake->given_capacity * sizeof(*fake->given));
        cr_assert_not_null(fake->given);
    }
    FakeMessage *given = &fake->given[fake->given_count++];
    given->size = (uint16_t)size;
    memcpy(given->bytes, bytes, size);
    if (fake->is_mute) {
        return true;
    }
    // A copy of exactly its size, so that a sanitizer sees every byte read past it.
    uint8_t *exact = malloc(size);
    memcpy(exact, bytes, size);
    bool is_on = tp_client_receive(fake->client, exact, size);
    free(exact);
    return is_on;
}

bool fake_give(Fake *fake, const Message *message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes);
    cr_assert_gt(size, 0, "the test's own message cannot be encoded");
    return fake_give_bytes(fake, bytes, size);
}

bool fake_welcome(Fake *fake)
{
    Message welcome = { .type = MESSAGE_WELCOME, .room = MESSAGE_ROOM_NONE };
    welcome.body.welcome.version = MESSAGE_VERSION;
    welcome.body.welcome.rooms = 1;
    welcome.body.welcome.messages_per_second = 100;
    welcome.body.welcome.build = message_text("fake 1");
    return fake_give(fake, &welcome);
}

void fake_ask(Fake *fake, uint32_t slots)
{
    tp_error error;
    tp_client_join_options options = { .name = "arena", .slots = slots, .session = fake->session, .user = fake };
    fake->room = tp_client_join_with(fake->client, &options, &error);
    cr_assert_not_null(fake->room, "%s", error.text);
}

static Message of_room(MessageType type, uint64_t tick)
{
    return (Message){ .type = type, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = tick };
}

// The state's canonical bytes, the caller's to free.
static uint8_t *encode_state(const Fake *fake, size_t *size)
{
    size_t   largest = tp_sim_encoded_max(fake->sim);
    uint8_t *bytes = malloc(largest);
    cr_assert(bytes != NULL && tp_sim_encode(fake->sim, bytes, largest, size));
    return bytes;
}

Message fake_joined(const Fake *fake)
{
    Message joined = of_room(MESSAGE_JOINED, tp_sim_tick(fake->sim));
    joined.body.joined.cookie = fake->cookie;
    joined.body.joined.ahead = FAKE_AHEAD;
    joined.body.joined.report = fake->report;
    joined.body.joined.slot_count = fake->slot_count;
    memcpy(joined.body.joined.slots, fake->slots, sizeof(fake->slots));
    if (fake->slot_count > 0) {
        memcpy(joined.body.joined.token, fake->token, sizeof(fake->token));
    }
    joined.body.joined.rules_size = tp_sim_rules(fake->sim)->size;
    return joined;
}

Message fake_state(Fake *fake)
{
    size_t   size = 0;
    uint8_t *state = encode_state(fake, &size);
    free(fake->packed);
    fake->packed = malloc(ZSTD_compressBound(size));
    fake->packed_size = ZSTD_compress(fake->packed, ZSTD_compressBound(size), state, size, 1);
    fake->state_tick = tp_sim_tick(fake->sim);
    free(state);
    Message message = of_room(MESSAGE_STATE, fake->state_tick);
    message.body.state.size = (uint32_t)size;
    message.body.state.packed_size = (uint32_t)fake->packed_size;
    message.body.state.root = tp_sim_root(fake->sim);
    message.body.state.input_leaf = tp_sim_input_leaf(fake->sim);
    message.body.state.event_leaf = tp_sim_event_leaf(fake->sim);
    return message;
}

bool fake_pieces(Fake *fake, MessagePieceKind kind, size_t from, size_t to, size_t piece)
{
    const tp_rules *rules = tp_sim_rules(fake->sim);
    bool            is_state = kind == MESSAGE_PIECE_STATE;
    bool            is_on = true;
    if (is_state && fake->packed == NULL) {
        fake_state(fake);
    }
    size_t         total = is_state ? fake->packed_size : rules->size;
    const uint8_t *bytes = is_state ? fake->packed : rules->bytes;
    to = to < total ? to : total;
    piece = piece == 0 ? MESSAGE_PIECE_MAX : piece;
    for (size_t offset = from; offset < to; offset += piece) {
        Message message = of_room(MESSAGE_PIECE, is_state ? fake->state_tick : tp_sim_tick(fake->sim));
        message.body.piece.kind = (uint8_t)kind;
        message.body.piece.total = (uint32_t)total;
        message.body.piece.offset = (uint32_t)offset;
        message.body.piece.size = (uint16_t)(to - offset < piece ? to - offset : piece);
        message.body.piece.bytes = bytes + offset;
        is_on = fake_give(fake, &message);
    }
    return is_on;
}

bool fake_give_state(Fake *fake)
{
    Message state = fake_state(fake);
    return fake_give(fake, &state) && fake_pieces(fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 0);
}

bool fake_join(Fake *fake, uint32_t slots)
{
    fake_welcome(fake);
    fake_ask(fake, slots);
    Message joined = fake_joined(fake);
    fake_give(fake, &joined);
    fake_pieces(fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    return fake_give_state(fake);
}

// The client's slots are there, and do what it sent for the tick, or nothing.
static void play(Fake *fake, TestScript *script, uint64_t tick)
{
    for (uint32_t i = 0; i < fake->slot_count; i++) {
        uint8_t slot = fake->slots[i];
        size_t  place = tick % FAKE_INPUTS;
        script->presence[slot / 8] |= (uint8_t)(1u << (slot % 8));
        memset(script->inputs + 2 * (size_t)slot, 0, 2);
        if (fake->has_input[slot][place]) {
            memcpy(script->inputs + 2 * (size_t)slot, fake->inputs[slot][place], 2);
        }
        fake->has_input[slot][place] = false;
    }
}

bool fake_confirm_changed(Fake *fake, void (*change)(uint8_t *row, size_t size, tp_hash128 *root))
{
    uint8_t    bytes[4096];
    TestScript script;
    uint64_t   tick = tp_sim_tick(fake->sim);
    tp_row     row = testworld_row(fake->sim, &script, tick);
    tp_error   error;
    if (fake->is_played) {
        play(fake, &script, tick);
    }
    size_t size = tp_row_encode(tp_sim_layout(fake->sim), &row, bytes, sizeof(bytes));
    cr_assert(size > 0 && tp_sim_step(fake->sim, &row, &error) == TP_SIM_OK);
    tp_hash128 root = tp_sim_root(fake->sim);
    if (change != NULL) {
        change(bytes, size, &root);
    }
    size_t part_size = fake->row_part == 0 ? MESSAGE_PART_MAX : fake->row_part;
    size_t parts = (size + part_size - 1) / part_size;
    bool   is_on = true;
    for (size_t part = 0; part < parts; part++) {
        Message message = of_room(MESSAGE_CONFIRMED, tick);
        message.body.confirmed.root = root;
        message.body.confirmed.durable = tick;
        message.body.confirmed.part = (uint8_t)part;
        message.body.confirmed.parts = (uint8_t)parts;
        message.body.confirmed.size = (uint16_t)(part + 1 < parts ? part_size : size - part * part_size);
        message.body.confirmed.bytes = bytes + part * part_size;
        is_on = fake_give(fake, &message);
    }
    return is_on;
}

bool fake_confirm(Fake *fake)
{
    return fake_confirm_changed(fake, NULL);
}

bool fake_left(Fake *fake, MessageReason reason)
{
    Message left = of_room(MESSAGE_LEFT, tp_sim_tick(fake->sim));
    left.body.left.reason = (uint16_t)reason;
    left.body.left.text = message_text("so\nit is");
    return fake_give(fake, &left);
}

const FakeEvent *fake_expect(const Fake *fake, tp_client_event_kind kind)
{
    cr_assert_gt(fake->event_count, 0, "no event");
    const FakeEvent *last = &fake->events[(fake->event_count - 1) % FAKE_EVENTS_MAX];
    cr_assert_eq(last->event.kind, kind, "event %d came, %d was expected: %s", (int)last->event.kind, (int)kind, last->text);
    return last;
}

void fake_expect_malformed(const Fake *fake, const char *text)
{
    const FakeEvent *last = fake_expect(fake, TP_CLIENT_MALFORMED);
    cr_assert_not_null(strstr(last->text, text), "\"%s\" does not have \"%s\"", last->text, text);
}

Message fake_sent(const Fake *fake, uint32_t back, MessageType type)
{
    Message message;
    cr_assert_lt(back, fake->sent_count);
    const FakeMessage *sent = &fake->sent[(fake->sent_count - 1 - back) % FAKE_SENT_MAX];
    cr_assert_null(message_decode(sent->bytes, sent->size, &message));
    cr_assert_eq(message.type, type, "%s was sent", message_type_name(message.type));
    return message;
}
