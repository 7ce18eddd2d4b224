// client_state.c: a state that the server sends: after READY, and whenever it starts the membership over. Foreign bytes twice: a zstd frame, and
// the canonical state in it.
#include <stdlib.h>
#include <zstd.h>

#include "client_internal.h"
#include "packed.h"

enum { PACKED_EXTRA = 128 }; // what a frame has beside what it holds, with room to spare

// Nothing can be so poor in pattern that it grows by more.
static uint32_t packed_max(uint32_t size)
{
    return size + size / 128 + PACKED_EXTRA;
}

static bool check_state(const tp_client_room *room, const Message *message, tp_error *error)
{
    uint32_t size = message->body.state.size;
    if (room->stage == CLIENT_RULES) {
        return tp_error_set(error, "it came before this client was ready");
    }
    // Ticks are counted on from here.
    if (message->tick > INT64_MAX) {
        return tp_error_set(error, "no world gets to tick %llu", (unsigned long long)message->tick);
    }
    size_t largest = tp_sim_encoded_max(room->sim);
    if (size > largest) {
        return tp_error_set(error, "a state of %u bytes was announced, this world's have at most %zu", size, largest);
    }
    return message->body.state.packed_size <= packed_max(size) ||
           tp_error_set(error, "%u bytes were announced for a state of %u", message->body.state.packed_size, size);
}

bool client_state_announced(tp_client_room *room, const Message *message, tp_error *error)
{
    if (!check_state(room, message, error)) {
        return false;
    }
    room->state_tick = message->tick;
    room->state_size = message->body.state.size;
    room->state_root = message->body.state.root;
    room->input_leaf = message->body.state.input_leaf;
    room->event_leaf = message->body.state.event_leaf;
    room->total = message->body.state.packed_size;
    room->taken = 0;
    room->part = 0; // the rest of a row that was begun does not come any more
    room->stage = CLIENT_STATE;
    free(room->bytes);
    room->bytes = malloc(room->total);
    if (room->bytes == NULL) {
        client_room_refuse(room, "out of memory");
    }
    return true;
}

// One frame of zstd's own format, all of the bytes, that says itself how much is in it: then nothing is taken but what STATE announced.
static bool check_frame(const tp_client_room *room, tp_error *error)
{
    const uint8_t *bytes = room->bytes;
    if (!packed_is_frame(bytes, room->total)) {
        return tp_error_set(error, "the state at tick %llu is not one frame of zstd", (unsigned long long)room->state_tick);
    }
    unsigned long long size = ZSTD_getFrameContentSize(bytes, room->total);
    return size == room->state_size ||
           tp_error_set(error, "the frame of the state at tick %llu is not one of %u bytes", (unsigned long long)room->state_tick, room->state_size);
}

// Into memory of the announced size, in one go: so the frame's window, whatever it says, takes none.
static bool unpack(const tp_client_room *room, uint8_t *state, tp_error *error)
{
    size_t size = ZSTD_decompress(state, room->state_size, room->bytes, room->total);
    if (ZSTD_isError(size)) {
        return tp_error_set(error, "the state at tick %llu: zstd: %s", (unsigned long long)room->state_tick, ZSTD_getErrorName(size));
    }
    return size == room->state_size ||
           tp_error_set(error, "the state at tick %llu has %zu bytes, %u were announced", (unsigned long long)room->state_tick, size, room->state_size);
}

static bool decode(tp_client_room *room, const uint8_t *state, tp_error *error)
{
    tp_error reason;
    return tp_sim_decode(room->sim, state, room->state_size, room->state_tick, room->input_leaf, room->event_leaf, &reason) ||
           tp_error_set(error, "the state at tick %llu: %.180s", (unsigned long long)room->state_tick, reason.text);
}

// The world stands at the state's tick: is it the server's?
static void begin(tp_client_room *room)
{
    uint64_t   tick = room->state_tick;
    uint64_t   from = room->due;
    tp_hash128 own = tp_sim_root(room->sim);
    room->due = room->told = tick;
    if (!tp_sim_is_sound(room->sim) || !tp_hash128_equal(own, room->state_root)) {
        client_ticks_differ(room, &(ClientDesync){ .tick = tick == 0 ? TP_ROOT_TICK_START : tick - 1, .root = room->state_root, .own_root = own,
                                                   .text = "the state that the server sent has another root here" });
        return;
    }
    room->stage = CLIENT_LIVE;
    if (room->is_joined) {
        client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_REWOUND, .tick = tick, .from = from, .root = own });
        return;
    }
    room->is_joined = true;
    client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_JOINED, .tick = tick, .root = own });
    client_notices_tell_pace(room);
}

bool client_state_whole(tp_client_room *room, tp_error *error)
{
    tp_error why;
    if (!check_frame(room, error)) {
        return false;
    }
    uint8_t *state = malloc((size_t)room->state_size + 1);
    if (state == NULL) {
        client_room_refuse(room, "out of memory");
        return true;
    }
    bool is_good = unpack(room, state, error) && decode(room, state, error);
    free(state);
    free(room->bytes);
    room->bytes = NULL;
    if (!is_good) {
        return false;
    }
    room->is_bad = false; // the state that differed is gone
    if (room->session != NULL && !client_session_reset(room, &why)) {
        client_room_refuse(room, why.text);
        return true;
    }
    begin(room);
    return true;
}
