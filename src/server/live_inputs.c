// live_inputs.c: inputs of clients: what is taken, what is dropped and counted, and what a slot does without.
#include <string.h>

#include "room_live.h"

// Brings a foreign input into range: what goes into the queue is what the world will be stepped with and the log will keep.
static bool clean_input(const RoomLive *live, const uint8_t *foreign, uint8_t *clean)
{
    const tp_world *world = live->options.world;
    (void)tp_record_decode(world->input, foreign, live->native, NULL);
    tp_input_sanitise(world, live->native);
    tp_record_encode(world->input, live->native, clean);
    return tp_record_decode(world->input, clean, live->native, NULL);
}

// Among the stamps, and among the inputs.
static size_t place_of(uint32_t slot, uint64_t tick)
{
    return (size_t)slot * SERVER_INPUT_AHEAD + (size_t)(tick % SERVER_INPUT_AHEAD);
}

// Clients send again what is not confirmed to them yet: only the first that comes for a tick is late, and none for which one was there in time.
static void count_past(RoomLive *live, ServerLiveCounts *counts, uint32_t slot, uint64_t tick)
{
    LiveSlot *state = &live->slots[slot];
    uint64_t *stamp = &live->stamps[place_of(slot, tick)];
    if (*stamp == tick + 1) {
        counts->duplicate += 1;
        return;
    }
    *stamp = *stamp < tick + 1 ? tick + 1 : *stamp; // no input is taken for this tick any more
    counts->late += 1;
    state->late += state->late < UINT16_MAX ? 1 : 0;
}

static void queue_input(Room *room, uint32_t slot, uint64_t tick, const uint8_t *foreign)
{
    RoomLive         *live = room->live;
    ServerLiveCounts *counts = &room->result.live;
    uint64_t          next = tp_sim_tick(room->sim);
    LiveSlot *state = &live->slots[slot];
    state->newest = tick + 1 > state->newest && (tick < next || tick - next < SERVER_INPUT_AHEAD) ? tick + 1 : state->newest;
    if (tick < next) {
        count_past(live, counts, slot, tick);
        return;
    }
    if (tick - next >= SERVER_INPUT_AHEAD) {
        counts->early += 1;
        return;
    }
    size_t place = place_of(slot, tick);
    if (live->stamps[place] == tick + 1) {
        counts->duplicate += 1;
        return;
    }
    if (!clean_input(live, foreign, live->inputs + place * live->input_size)) {
        live->stamps[place] = 0;
        counts->bad_input += 1;
        return;
    }
    live->stamps[place] = tick + 1;
}

void live_input(Room *room, Member *member, const Message *message)
{
    RoomLive *live = room->live;
    uint32_t  slot = message->body.input.slot;
    uint32_t  count = message->body.input.count;
    if (message->epoch != live->epoch) {
        room->result.live.wrong_epoch += count;
        return;
    }
    if (slot >= live->players || !live_has_bit(member->slots, slot)) {
        room->result.live.wrong_slot += count;
        return;
    }
    if (message->body.input.size != live->input_size) {
        room->result.live.bad_input += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        queue_input(room, slot, message->tick + i, message->body.input.bytes + (size_t)i * live->input_size);
    }
}

static bool has_input(const RoomLive *live, uint32_t slot, uint64_t tick)
{
    return live->stamps[place_of(slot, tick)] == tick + 1;
}

static bool lacks_input(const Room *room)
{
    const RoomLive *live = room->live;
    uint64_t        tick = tp_sim_tick(room->sim);
    for (uint32_t slot = 0; slot < live->players; slot++) {
        const LiveSlot *state = &live->slots[slot];
        if (state->owner != NULL && state->is_awaited && state->missing < SERVER_STALL_TICKS && !has_input(live, slot, tick)) {
            return true;
        }
    }
    return false;
}

bool live_must_wait(Room *room, int64_t now_ns)
{
    RoomLive *live = room->live;
    if (live->options.missing != SERVER_MISSING_STALL) {
        return false;
    }
    bool is_over = live->stall_start_ns != 0 && now_ns >= live->stall_end_ns;
    if (is_over || !lacks_input(room)) {
        return false;
    }
    if (live->stall_start_ns == 0) {
        live->stall_start_ns = now_ns;
        live->stall_end_ns = now_ns + (int64_t)live->options.stall_ms * 1000000;
        room->result.live.stalls += 1;
    }
    return true;
}

bool live_is_ready(const Room *room)
{
    return room->live->stall_start_ns != 0 && !lacks_input(room);
}

static void predict(RoomLive *live, const uint8_t *last, uint8_t *bytes)
{
    const tp_world *world = live->options.world;
    (void)tp_record_decode(world->input, last, live->native, NULL);
    memset(live->predicted, 0, world->input->struct_size);
    tp_input_predict(world, live->native, live->predicted);
    tp_input_sanitise(world, live->predicted);
    tp_record_encode(world->input, live->predicted, bytes);
}

// By how many ticks the newest input was ahead of this tick: 0 is just in time, below 0 it was not there.
static int16_t lead_of(const LiveSlot *state, uint64_t tick)
{
    if (state->newest == 0) {
        return INT16_MIN;
    }
    int64_t lead = (int64_t)(state->newest - 1) - (int64_t)tick;
    return (int16_t)(lead > INT16_MAX - 1 ? INT16_MAX - 1 : lead < INT16_MIN ? INT16_MIN : lead);
}

tp_origin live_take_input(Room *room, uint32_t slot)
{
    RoomLive         *live = room->live;
    uint64_t          tick = tp_sim_tick(room->sim);
    LiveSlot         *state = &live->slots[slot];
    ServerLiveCounts *counts = &room->result.live;
    size_t            size = live->input_size;
    uint8_t          *bytes = live->row_inputs + slot * size;
    uint8_t          *last = live->last + slot * size;
    tp_origin         origin = TP_ORIGIN_RECEIVED;
    if (state->is_awaited) {
        int16_t lead = lead_of(state, tick);
        state->lead = lead < state->lead ? lead : state->lead;
    }
    if (has_input(live, slot, tick)) {
        memcpy(bytes, live->inputs + place_of(slot, tick) * size, size);
        state->missing = 0;
        counts->inputs += 1;
    } else if (live->options.missing == SERVER_MISSING_NEUTRAL || state->missing >= SERVER_REPEAT_TICKS) {
        memcpy(bytes, live->neutral, size);
        origin = TP_ORIGIN_NEUTRAL;
        counts->neutral += 1;
    } else {
        predict(live, last, bytes);
        origin = TP_ORIGIN_REPEATED;
        state->missing += 1;
        counts->repeated += 1;
    }
    memcpy(last, bytes, size);
    return origin;
}
