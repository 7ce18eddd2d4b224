// fuzz_client.c: what a server sends to a client that has asked for two slots of a room: lists, rules, packed states, ticks, and what is said beside
// the game; to a client that steps what is confirmed, then to one with a session. Whatever comes, the client's world is in range, what it says it
// confirmed is what its world's root is, each tick once and in order, what it sends is a message, and after the end nothing more is said.
//
// Input: messages as frames: u16 size, little-endian, and so many bytes. Joins' cookies are 1024, 2048, 3072, ...: a join after
// the welcome, and another one after each end. A world that is joined at a tick of 4n + 3 is changed on purpose two ticks later.
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "message.h"
#include "runner.h"
#include "testworld.h"
#include "tickproof/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES_MAX = 400, JOINS_MAX = 8 }; // worlds are made and thrown away: a long input is slow, not interesting

typedef struct {
    tp_client                *client;
    tp_client_room           *room; // NULL: none, or not one to play in
    const tp_session_options *session;
    uint32_t                  joins;
    uint64_t                  next; // the tick that CONFIRMED has to tell
    bool                      is_over, wants_join;
} Target;

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    if (strcmp(name, testworld_opaque.name) == 0) {
        return &testworld_opaque;
    }
    return strcmp(name, runner_world.name) == 0 ? &runner_world : &testworld_flat;
}

static void drop(void *to, const uint8_t *bytes, size_t size)
{
    Message message;
    (void)to;
    if (bytes == NULL || size == 0 || size > TP_CLIENT_MESSAGE_MAX || message_decode(bytes, size, &message) != NULL) {
        abort();
    }
}

static void join(Target *target)
{
    tp_error error;
    tp_client_join_options options = { .name = "arena", .slots = 2, .session = target->session };
    if (target->joins < JOINS_MAX) {
        target->joins += 1;
        if (tp_client_join_with(target->client, &options, &error) == NULL) {
            abort();
        }
    }
}

// The state must be one that could be saved and read again.
static void check_state(tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    size_t           size = tp_sim_encoded_max(sim);
    uint8_t         *bytes = malloc(size + 1);
    void            *block = calloc(1, (size_t)layout->block_size + 1);
    tp_error         error;
    if (bytes == NULL || block == NULL || !tp_sim_encode(sim, bytes, size, &size)) {
        abort();
    }
    if (layout->world->opaque == NULL && !tp_layout_decode(layout, bytes, size, block, &error)) {
        abort();
    }
    free(bytes);
    free(block);
}

static void check_root(tp_client_room *room, const tp_client_event *event)
{
    tp_hash128  own;
    tp_session *session = tp_client_room_session(room);
    if (session == NULL || event->kind != TP_CLIENT_CONFIRMED) {
        own = tp_sim_root(tp_client_room_sim(room));
        check_state(tp_client_room_sim(room));
    } else if (!tp_session_root(session, event->tick, &own)) {
        abort();
    }
    if (!tp_hash128_equal(own, event->root)) {
        abort();
    }
}

static void take_tick(Target *target, const tp_client_event *event)
{
    uint8_t input[TP_INPUT_SIZE_MAX];
    memset(input, 0xA5, sizeof(input));
    check_root(event->room, event);
    if (event->kind == TP_CLIENT_JOINED && event->tick % 4 == 3) {
        tp_client_room_plant(event->room, event->tick + 2, event->tick);
    }
    if (event->kind != TP_CLIENT_CONFIRMED) {
        target->next = event->tick;
        target->room = event->room;
    } else if (event->tick != target->next++) {
        abort();
    }
    tp_client_input(event->room, 0, event->tick + 1, input, NULL);
}

static void on_event(void *to, const tp_client_event *event)
{
    Target *target = to;
    if (target->is_over) {
        abort();
    }
    switch (event->kind) {
    case TP_CLIENT_WELCOME:
        tp_client_list(target->client);
        tp_client_admin(target->client, 7, "key", TP_CLIENT_PAUSE, 0, 0, NULL, 0, 1);
        target->wants_join = true;
        break;
    case TP_CLIENT_JOINED:
    case TP_CLIENT_REWOUND:
    case TP_CLIENT_CONFIRMED: take_tick(target, event); break;
    case TP_CLIENT_REFUSED:
    case TP_CLIENT_LEFT:
        target->room = NULL;
        target->wants_join = true;
        break;
    case TP_CLIENT_BYE:
    case TP_CLIENT_MALFORMED: target->is_over = true; break;
    case TP_CLIENT_DESYNC: // stays: the server may ask for the state, or send another
    case TP_CLIENT_LISTED:
    case TP_CLIENT_SAID:
    case TP_CLIENT_PACE:
    case TP_CLIENT_ADMINED:
    case TP_CLIENT_ASKED:
    case TP_CLIENT_TIMING: break;
    }
}

static void play(Target *target, uint64_t now_ms)
{
    uint8_t input[TP_INPUT_SIZE_MAX];
    memset(input, (int)now_ms, sizeof(input));
    tp_client_pulse(target->client, now_ms);
    tp_session *session = target->room == NULL ? NULL : tp_client_room_session(target->room);
    if (session != NULL) {
        tp_session_input(session, 0, input, NULL);
        tp_session_input(session, 1, input, NULL);
        tp_client_advance(target->room, NULL, NULL);
    }
}

static void run(const uint8_t *data, size_t size, const tp_session_options *session)
{
    Target            target = { .session = session };
    tp_client_options options = {
        .find_world = find_world, .send = drop, .event = on_event, .event_to = &target,
    };
    target.client = tp_client_create(&options, NULL);
    for (uint64_t i = 0; i < MESSAGES_MAX && size >= 2; i++) {
        size_t length = bytes_get_u16(data);
        data += 2;
        size -= 2;
        length = length < size ? length : size;
        // A copy of exactly its size, so that a sanitizer sees every byte read past it.
        uint8_t *message = malloc(length + (length == 0));
        memcpy(message, data, length);
        bool is_on = tp_client_receive(target.client, message, length);
        free(message);
        if (is_on == target.is_over) {
            abort();
        }
        if (is_on && target.wants_join) {
            target.wants_join = false;
            join(&target);
        }
        play(&target, i * 10);
        data += length;
        size -= length;
    }
    tp_client_destroy(target.client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tp_session_options session;
    tp_session_options_standard(&session);
    session.window = 3;
    run(data, size, NULL);
    run(data, size, &session);
    return 0;
}
