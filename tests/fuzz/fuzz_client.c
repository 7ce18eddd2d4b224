// fuzz_client.c: what a server sends to a client that has asked for two slots of a room: lists, rules, states, ticks. Whatever comes, the client's
// world is in range, what it says it confirmed is what its world's root is, and after the end nothing more is said.
//
// Input: messages as frames: u16 size, little-endian, and so many bytes. Joins' cookies are 1024, 2048, 3072, ...: a join after
// the welcome, and another one after each end.
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "runner.h"
#include "testworld.h"
#include "tickproof/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES_MAX = 400, JOINS_MAX = 8 }; // worlds are made and thrown away: a long input is slow, not interesting

typedef struct {
    tp_client *client;
    uint32_t   joins;
    bool       is_over, wants_join;
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
    (void)to;
    if (bytes == NULL || size == 0 || size > TP_CLIENT_MESSAGE_MAX) {
        abort();
    }
}

static void join(Target *target)
{
    tp_error error;
    if (target->joins < JOINS_MAX) {
        target->joins += 1;
        if (tp_client_join(target->client, "arena", 2, NULL, &error) == NULL) {
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

static void on_event(void *to, const tp_client_event *event)
{
    Target *target = to;
    uint8_t input[TP_INPUT_SIZE_MAX];
    if (target->is_over) {
        abort();
    }
    memset(input, 0xA5, sizeof(input));
    switch (event->kind) {
    case TP_CLIENT_WELCOME: tp_client_list(target->client); target->wants_join = true; break;
    case TP_CLIENT_JOINED:
    case TP_CLIENT_CONFIRMED:
        if (!tp_hash128_equal(tp_sim_root(tp_client_room_sim(event->room)), event->root)) {
            abort();
        }
        check_state(tp_client_room_sim(event->room));
        tp_client_input(event->room, 0, event->tick + 1, input, NULL);
        break;
    case TP_CLIENT_DESYNC: tp_client_leave(event->room); break;
    case TP_CLIENT_REFUSED:
    case TP_CLIENT_LEFT: target->wants_join = true; break;
    case TP_CLIENT_BYE:
    case TP_CLIENT_MALFORMED: target->is_over = true; break;
    case TP_CLIENT_LISTED: break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Target            target = { 0 };
    tp_client_options options = {
        .find_world = find_world, .send = drop, .event = on_event, .event_to = &target,
    };
    target.client = tp_client_create(&options, NULL);
    for (int i = 0; i < MESSAGES_MAX && size >= 2; i++) {
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
        data += length;
        size -= length;
    }
    tp_client_destroy(target.client);
    return 0;
}
