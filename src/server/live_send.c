// live_send.c: what members are sent. One that is live gets each tick as it is stepped. One that is new gets the pieces of a state, then the ticks
// since then from the history, at a pace that the room's ticks do not feel: so many bytes and ticks at a time, and only as fast as it reads.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "room_live.h"

typedef struct {
    uint64_t       tick;
    const uint8_t *row;
    size_t         size;
    tp_hash128     root;
} Confirmed;

typedef void (*Sender)(void *to, const uint8_t *bytes, size_t size);

static uint64_t durable_tick(const Room *room)
{
    return server_log_is_open(&room->log) && !room->is_log_failed ? server_log_durable_tick(&room->log) : 0;
}

// All parts of one tick.
static void send_confirmed(const Room *room, const Confirmed *confirmed, Sender send, void *to)
{
    size_t  parts = (confirmed->size + MESSAGE_PART_MAX - 1) / MESSAGE_PART_MAX;
    Message message = live_head(room, MESSAGE_CONFIRMED);
    assert(confirmed->size > 0 && parts <= UINT8_MAX);
    message.tick = confirmed->tick;
    message.body.confirmed.root = confirmed->root;
    message.body.confirmed.parts = (uint8_t)parts;
    message.body.confirmed.durable = durable_tick(room);
    for (size_t part = 0; part < parts; part++) {
        size_t  left = confirmed->size - part * MESSAGE_PART_MAX;
        uint8_t bytes[MESSAGE_SIZE_MAX];
        message.body.confirmed.part = (uint8_t)part;
        message.body.confirmed.size = (uint16_t)(left < MESSAGE_PART_MAX ? left : MESSAGE_PART_MAX);
        message.body.confirmed.bytes = confirmed->row + part * MESSAGE_PART_MAX;
        size_t size = message_encode(&message, bytes);
        assert(size > 0);
        send(to, bytes, size);
    }
}

static void send_to_member(void *to, const uint8_t *bytes, size_t size)
{
    const Member *member = to;
    peer_send_bytes(member->peer, bytes, size);
}

static bool is_current(const Room *room, const Member *member)
{
    return member->stage == MEMBER_LIVE && member->cursor + 1 == tp_sim_tick(room->sim);
}

static void send_to_current(void *to, const uint8_t *bytes, size_t size)
{
    const Room *room = to;
    for (const Member *member = room->live->members; member != NULL; member = member->next) {
        if (is_current(room, member)) {
            peer_send_bytes(member->peer, bytes, size);
        }
    }
}

// Timing.

static void send_timing(const Room *room, const Member *member)
{
    RoomLive *live = room->live;
    Message   message = live_head(room, MESSAGE_TIMING);
    for (uint32_t slot = 0; slot < live->players; slot++) {
        LiveSlot *state = &live->slots[slot];
        if (!live_has_bit(member->slots, slot) || state->lead == INT16_MAX) {
            continue;
        }
        message.body.timing.items[message.body.timing.count++] = (MessageTiming){ .slot = (uint8_t)slot, .lead = state->lead, .late = state->late };
        state->lead = INT16_MAX;
        state->late = 0;
    }
    if (message.body.timing.count > 0) {
        peer_send(member->peer, &message);
    }
}

static void send_timings(const Room *room)
{
    for (const Member *member = room->live->members; member != NULL; member = member->next) {
        if (member->slot_count > 0 && member->stage == MEMBER_LIVE) {
            send_timing(room, member);
        }
    }
}

// States and ticks of the past.

static size_t line_max(const Member *member)
{
    return peer_waiting_max(member->peer) / 2;
}

static void send_state_head(const Member *member)
{
    const LiveState *state = member->state;
    Message          message = live_head(member->room, MESSAGE_STATE);
    message.tick = state->tick;
    message.body.state.size = (uint32_t)state->size;
    message.body.state.packed_size = (uint32_t)state->packed_size;
    message.body.state.root = state->root;
    message.body.state.input_leaf = state->input_leaf;
    message.body.state.event_leaf = state->event_leaf;
    peer_send(member->peer, &message);
}

// Bytes that were sent, at most about `budget`.
static size_t send_pieces(Member *member, size_t budget)
{
    const LiveState *state = member->state;
    size_t           start = member->sent;
    Message          message = live_head(member->room, MESSAGE_PIECE);
    message.tick = state->tick;
    message.body.piece.kind = MESSAGE_PIECE_STATE;
    message.body.piece.total = (uint32_t)state->packed_size;
    while (member->sent < state->packed_size && member->sent - start < budget && peer_waiting(member->peer) < line_max(member)) {
        size_t left = state->packed_size - member->sent;
        message.body.piece.offset = (uint32_t)member->sent;
        message.body.piece.size = (uint16_t)(left < MESSAGE_PIECE_MAX ? left : MESSAGE_PIECE_MAX);
        message.body.piece.bytes = state->packed + member->sent;
        peer_send(member->peer, &message);
        member->sent += message.body.piece.size;
    }
    return member->sent - start;
}

static bool is_held_back(const Room *room, const Member *member, uint64_t tick)
{
    return tick + member->delay > tp_sim_tick(room->sim);
}

// The state is sent as a whole: what is due now are the ticks since. A stalling room waits for its inputs from here on.
static void begin_tail(Room *room, Member *member)
{
    live_drop_state(member);
    member->stage = MEMBER_TAIL;
    for (uint32_t slot = 0; slot < room->live->players; slot++) {
        LiveSlot *state = &room->live->slots[slot];
        if (live_has_bit(member->slots, slot) && !state->is_awaited) {
            state->is_awaited = true;
            state->missing = 0; // what it lacked before it could know the room is nothing that it was waited for
        }
    }
}

static size_t pump_state(Room *room, Member *member, size_t budget)
{
    if (!member->state->is_ready || is_held_back(room, member, member->state->tick)) {
        return 0;
    }
    if (member->sent == SIZE_MAX) {
        send_state_head(member);
        member->sent = 0;
    }
    size_t sent = send_pieces(member, budget);
    if (member->sent == member->state->packed_size) {
        begin_tail(room, member);
    }
    return sent;
}

// The tick that the member is at. False: it is not kept any more.
static bool send_past(const Room *room, Member *member)
{
    Confirmed confirmed = { .tick = member->cursor };
    if (!history_get(&room->live->history, member->cursor, &confirmed.row, &confirmed.size, &confirmed.root)) {
        return false;
    }
    send_confirmed(room, &confirmed, send_to_member, member);
    member->cursor += 1;
    return true;
}

static void put_out_behind(Room *room, Member *member, const char *text)
{
    room->result.live.behind += 1;
    live_leave(member, MESSAGE_REASON_BEHIND, text);
}

// The member may have to go.
static void pump_tail(Room *room, Member *member)
{
    uint64_t end = tp_sim_tick(room->sim);
    for (uint32_t ticks = 0; ticks < SERVER_TAIL_TICKS && member->cursor < end; ticks++) {
        if (is_held_back(room, member, member->cursor + 1) || peer_waiting(member->peer) >= line_max(member)) {
            return;
        }
        if (!send_past(room, member)) {
            put_out_behind(room, member, "the ticks that it lacks are not kept any more: join again");
            return;
        }
    }
    if (member->cursor == end && member->delay == 0) {
        member->stage = MEMBER_LIVE;
    }
}

static bool has_failed_state(const Member *member)
{
    return member->stage == MEMBER_STATE && member->state->has_failed && !member->state->is_running;
}

// A member further back in the list than `turn` has its turn later: with little to share, all get some.
static size_t pump_states(Room *room, size_t budget)
{
    RoomLive *live = room->live;
    uint32_t  waiting = 0;
    for (const Member *member = live->members; member != NULL; member = member->next) {
        waiting += member->stage == MEMBER_STATE ? 1 : 0;
    }
    if (waiting == 0) {
        return 0;
    }
    uint32_t turn = (uint32_t)(live->join_turn++ % waiting);
    size_t   sent = 0;
    for (uint32_t round = 0; round < 2; round++) { // from the turn on, then those before it
        uint32_t place = 0;
        for (Member *member = live->members; member != NULL && sent < budget; member = member->next) {
            if (member->stage != MEMBER_STATE) {
                continue;
            }
            bool is_mine = round == 0 ? place >= turn : place < turn;
            place += 1;
            sent += is_mine ? pump_state(room, member, budget - sent) : 0;
        }
    }
    return sent < budget ? sent : budget; // the last piece is whole
}

void live_pump(Room *room)
{
    RoomLive *live = room->live;
    for (Member *member = live->members; member != NULL;) {
        Member *next = member->next;
        if (has_failed_state(member)) {
            live_leave(member, MESSAGE_REASON_BEHIND, "the room's state could not be made: join again");
        } else if (member->stage == MEMBER_STATE && member->cursor < live->history.first) {
            put_out_behind(room, member, "the ticks since its state are not kept any more: join again, and read faster");
        } else if (member->stage == MEMBER_TAIL) {
            pump_tail(room, member);
        }
        member = next;
    }
    live->join_left -= pump_states(room, live->join_left);
}

void live_allow_states(Room *room, uint64_t ticks)
{
    RoomLive *live = room->live;
    if (live->members != NULL) {
        live->join_left = ticks * live->members->peer->host->limits->join_bytes_per_tick;
    }
}

void live_broadcast(Room *room, uint64_t tick, const tp_row *row)
{
    RoomLive *live = room->live;
    Confirmed confirmed = { .tick = tick, .row = live->row_bytes, .root = tp_sim_root(room->sim) };
    if (live->history.capacity == 0) {
        history_begin(&live->history, tick + 1); // nobody was here yet
        return;
    }
    confirmed.size = tp_row_encode(tp_sim_layout(room->sim), row, live->row_bytes, live->row_capacity);
    assert(confirmed.size > 0);
    history_add(&live->history, tick, live->row_bytes, confirmed.size, confirmed.root);
    if (live->members == NULL) {
        return;
    }
    send_confirmed(room, &confirmed, send_to_current, room);
    bool has_others = false;
    for (Member *member = live->members; member != NULL; member = member->next) {
        if (is_current(room, member)) {
            member->cursor += 1;
        } else {
            has_others = true;
        }
    }
    live_allow_states(room, 1);
    if (has_others) {
        live_pump(room);
    }
    if (tick % SERVER_TIMING_TICKS == 0) {
        send_timings(room);
    }
}

// The room is over: what was held back need not be any more. As far as the line takes it at once.
void live_send_rest(Room *room)
{
    for (Member *member = room->live->members; member != NULL; member = member->next) {
        while (member->stage == MEMBER_TAIL && peer_waiting(member->peer) < line_max(member) && send_past(room, member)) {
        }
    }
}

// What is said.

void live_say_pace(Room *room, Member *only)
{
    RoomLive *live = room->live;
    Message   message = live_head(room, MESSAGE_PACE);
    message.tick = 0;
    message.body.pace.is_paused = live->is_paused ? 1 : 0;
    message.body.pace.rate_mhz = live_rate_hz(room) * 1000;
    for (const Member *member = live->members; member != NULL && only == NULL; member = member->next) {
        peer_send(member->peer, &message);
    }
    if (only != NULL) {
        peer_send(only->peer, &message);
    }
}

void live_say(Room *room, uint8_t slot, const char *text)
{
    Message message = live_head(room, MESSAGE_SAID);
    message.body.said.slot = slot;
    message.body.said.text = message_text(text);
    for (const Member *member = room->live->members; member != NULL; member = member->next) {
        if (member->stage != MEMBER_RESERVED) {
            peer_send(member->peer, &message);
        }
    }
}
