// client_own.c: the state that goes out when the server asks for what differs: packed at once, since the world may be replaced any moment, sent
// bit by bit, since all at once would drown what else is said.
#include <stdio.h>
#include <stdlib.h>

#include "client_internal.h"
#include "packed.h"

enum {
    OWN_PER_MS     = 1638,  // bytes: 16 KiB in 10 ms
    OWN_AT_ONCE    = 16384, // bytes
    OWN_UNSENT_MAX = 65536, // bytes that may wait to leave before no more are added
};

#if defined(__clang__)
#define COMPILER "clang " TEXT_OF(__clang_major__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT_OF(__GNUC__)
#else
#define COMPILER "another compiler"
#endif
#define TEXT_OF(macro) TEXT_OF_VALUE(macro)
#define TEXT_OF_VALUE(value) #value
#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__s390x__)
#define MACHINE "s390x"
#else
#define MACHINE "another machine"
#endif

void client_own_build(char out[MESSAGE_BUILD_MAX + 1], const char *name)
{
    static const char what[] = ", " COMPILER ", " MACHINE;
    snprintf(out, MESSAGE_BUILD_MAX + 1, "%.*s%s", (int)(MESSAGE_BUILD_MAX - (sizeof(what) - 1)), name, what); // the name gives way
}

void client_own_drop(tp_client_room *room)
{
    if (room->own != NULL) {
        room->client->own_count -= 1;
        free(room->own);
        room->own = NULL;
    }
}

// Takes the state as it stands. False: there is no memory for it, or an opaque world does not save.
static bool pack(tp_client_room *room, uint32_t *size)
{
    size_t   capacity = tp_sim_encoded_max(room->sim);
    size_t   used = 0;
    uint8_t *state = malloc(capacity + 1);
    bool     is_good = state != NULL && tp_sim_encode(room->sim, state, capacity, &used);
    size_t   packed_size = 0;
    is_good = is_good && packed_make(state, used, &room->own, &packed_size);
    free(state);
    if (!is_good) {
        return false;
    }
    room->own_size = (uint32_t)packed_size;
    room->own_sent = 0;
    room->own_tick = room->bad_tick;
    room->client->own_count += 1;
    *size = (uint32_t)used;
    return true;
}

bool client_own_wanted(tp_client_room *room, const Message *message, tp_error *error)
{
    uint32_t size = 0;
    if (!room->is_bad || message->tick != room->bad_tick) {
        return tp_error_set(error, "the state after tick %llu was not said to differ", (unsigned long long)message->tick);
    }
    client_own_drop(room); // asked again: from the beginning
    if (!pack(room, &size)) {
        return true; // then the server has to do without
    }
    Message own = client_room_message(room, MESSAGE_OWN_STATE, room->own_tick);
    own.body.own_state.size = size;
    own.body.own_state.packed_size = room->own_size;
    own.body.own_state.root = room->own_root;
    // A world that faulted stands before the tick, so no leaves of the tick are there: the mark says so.
    own.body.own_state.input_leaf = room->is_bad_fault ? 0 : tp_sim_input_leaf(room->sim);
    own.body.own_state.event_leaf = room->is_bad_fault ? TP_FAULT_LEAF : tp_sim_event_leaf(room->sim);
    own.body.own_state.build = message_text(room->client->build);
    client_send(room->client, &own);
    client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_ASKED, .tick = message->tick, .root = message->body.wanted.root,
                                              .own_root = room->own_root });
    return true;
}

static void send_piece(tp_client_room *room)
{
    uint32_t left = room->own_size - room->own_sent;
    Message  piece = client_room_message(room, MESSAGE_PIECE, room->own_tick);
    piece.body.piece.kind = MESSAGE_PIECE_OWN;
    piece.body.piece.total = room->own_size;
    piece.body.piece.offset = room->own_sent;
    piece.body.piece.size = (uint16_t)(left < MESSAGE_PIECE_MAX ? left : MESSAGE_PIECE_MAX);
    piece.body.piece.bytes = room->own + room->own_sent;
    room->own_sent += piece.body.piece.size;
    client_send(room->client, &piece);
    if (room->own_sent == room->own_size) {
        client_own_drop(room);
    }
}

static bool may_send(const tp_client *client)
{
    return client->allowance >= MESSAGE_PIECE_MAX &&
           (client->options.unsent == NULL || client->options.unsent(client->options.send_to) <= OWN_UNSENT_MAX);
}

static void refill(tp_client *client, uint64_t now_ms)
{
    uint64_t elapsed_ms = client->has_pulse && now_ms > client->pulse_ms ? now_ms - client->pulse_ms : 0;
    uint64_t more = elapsed_ms < OWN_AT_ONCE / OWN_PER_MS ? elapsed_ms * OWN_PER_MS : OWN_AT_ONCE;
    more += client->allowance;
    client->allowance = !client->has_pulse || more > OWN_AT_ONCE ? OWN_AT_ONCE : (uint32_t)more;
    client->has_pulse = true;
    client->pulse_ms = now_ms;
}

void tp_client_pulse(tp_client *client, uint64_t now_ms)
{
    if (client->is_over) {
        return;
    }
    refill(client, now_ms);
    // Rooms take turns, so that one large state does not hold up the others.
    for (uint32_t i = 0; client->own_count > 0 && i < client->capacity && may_send(client);) {
        tp_client_room *room = client->rooms[client->own_turn % client->capacity];
        client->own_turn += 1;
        i += 1;
        if (room != NULL && room->own != NULL) {
            send_piece(room);
            client->allowance -= MESSAGE_PIECE_MAX;
            i = 0;
        }
    }
}
