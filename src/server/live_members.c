// live_members.c: who is in a live room: joining, with everything a client needs to go on from there, and leaving.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room_live.h"

static bool is_free(const LiveSlot *slot)
{
    return slot->owner == NULL && !slot->was_present;
}

static uint32_t count_free(const RoomLive *live)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        count += is_free(&live->slots[slot]) ? 1 : 0;
    }
    return count;
}

static void publish_taken(Room *room)
{
    RoomLive         *live = room->live;
    ServerLiveCounts *counts = &room->result.live;
    counts->peak = live->taken > counts->peak ? live->taken : counts->peak;
    atomic_store_explicit(&room->listing.taken, live->taken, memory_order_relaxed);
}

// The lowest free slots, so that who comes first has the lowest.
static void take_slots(Room *room, Member *member, uint32_t wanted)
{
    RoomLive *live = room->live;
    for (uint32_t slot = 0; slot < live->players && member->slot_count < wanted; slot++) {
        if (!is_free(&live->slots[slot])) {
            continue;
        }
        live->slots[slot] = (LiveSlot){ .owner = member };
        memset(live->stamps + (size_t)slot * SERVER_INPUT_AHEAD, 0, SERVER_INPUT_AHEAD * sizeof(*live->stamps));
        memcpy(live->last + (size_t)slot * live->input_size, live->neutral, live->input_size);
        live_set_bit(member->slots, slot, true);
        member->slot_count += 1;
    }
    live->taken += member->slot_count;
    live->has_begun = live->has_begun || live->taken >= live->options.start_players;
    publish_taken(room);
}

// Inputs a second that a member may send, with as much again to spare. Who watches sends none.
static uint64_t inputs_needed(const Member *member)
{
    return UINT64_C(2) * member->slot_count * member->room->live->options.tick_rate_hz;
}

// Of the room, as clients know it.
static uint32_t number_of(const Member *member)
{
    return member->room->live->number;
}

// Where a membership of this room stands among the peer's, or would stand.
static uint32_t place_of(const Peer *peer, uint32_t room_number)
{
    uint32_t low = 0;
    uint32_t high = peer->member_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (number_of(peer->members[middle]) < room_number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

Member *live_member(const Peer *peer, uint32_t room_number)
{
    uint32_t place = place_of(peer, room_number);
    bool     is_there = place < peer->member_count && number_of(peer->members[place]) == room_number;
    return is_there ? peer->members[place] : NULL;
}

static bool grow_members(Peer *peer)
{
    if (peer->member_count < peer->member_capacity) {
        return true;
    }
    uint32_t capacity = peer->member_capacity > 0 ? peer->member_capacity * 2 : 4;
    Member **members = realloc(peer->members, capacity * sizeof(Member *));
    if (members == NULL) {
        return false;
    }
    peer->members = members;
    peer->member_capacity = capacity;
    return true;
}

static void link_member(Room *room, Peer *peer, Member *member)
{
    RoomLive *live = room->live;
    uint32_t  place = place_of(peer, number_of(member));
    memmove(peer->members + place + 1, peer->members + place, (peer->member_count - place) * sizeof(Member *));
    peer->members[place] = member;
    peer->member_count += 1;
    peer_add_room(peer, inputs_needed(member));
    member->next = live->members;
    if (live->members != NULL) {
        live->members->previous = member;
    }
    live->members = member;
    live->member_count += 1;
    live->watcher_count += member->slot_count == 0 ? 1 : 0;
}

static void unlink_member(Member *member)
{
    RoomLive *live = member->room->live;
    Peer     *peer = member->peer;
    uint32_t  place = place_of(peer, number_of(member));
    peer->member_count -= 1;
    memmove(peer->members + place, peer->members + place + 1, (peer->member_count - place) * sizeof(Member *));
    peer_drop_room(peer, inputs_needed(member));
    if (member->previous != NULL) {
        member->previous->next = member->next;
    } else {
        live->members = member->next;
    }
    if (member->next != NULL) {
        member->next->previous = member->previous;
    }
    live->member_count -= 1;
    live->watcher_count -= member->slot_count == 0 ? 1 : 0;
}

static void post_slots(const Member *member, ServerEventKind kind, const char *text)
{
    for (uint32_t slot = 0; slot < member->room->live->players; slot++) {
        if (live_has_bit(member->slots, slot)) {
            room_post_chat(member->room, kind, slot, text);
        }
    }
}

// LEFT is for rooms that are left. A connection that ends hears BYE.
static bool is_left_told(MessageReason reason)
{
    return reason == MESSAGE_REASON_ASKED || reason == MESSAGE_REASON_ENDED || reason == MESSAGE_REASON_FAULTED ||
           reason == MESSAGE_REASON_STOPPING;
}

static void send_left(const Member *member, MessageReason reason)
{
    const Room *room = member->room;
    Message     message = {
        .type = MESSAGE_LEFT,
        .room = number_of(member),
        .epoch = room->live->epoch,
        .tick = tp_sim_tick(room->sim),
        .body.left = { .reason = (uint16_t)reason, .text = message_text("") },
    };
    peer_send(member->peer, &message);
}

void live_leave(Member *member, MessageReason reason)
{
    Room       *room = member->room;
    RoomLive   *live = room->live;
    const char *name = message_reason_name(reason);
    if (is_left_told(reason)) {
        send_left(member, reason);
    }
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live_has_bit(member->slots, slot)) {
            live->slots[slot].owner = NULL;
            live->taken -= 1;
        }
    }
    unlink_member(member);
    publish_taken(room);
    room->result.live.leaves += 1;
    post_slots(member, SERVER_EVENT_ROOM_LEAVE, name != NULL ? name : "gone");
    free(member);
}

// Joining.

static bool is_refused(Room *room, Peer *peer, const Message *message)
{
    RoomLive     *live = room->live;
    uint32_t      slots = message->body.join.slots;
    MessageReason reason = MESSAGE_REASON_ASKED;
    char          text[MESSAGE_TEXT_MAX] = "";
    if (room->result.state != SERVER_ROOM_RUNNING) {
        reason = MESSAGE_REASON_ENDED;
        snprintf(text, sizeof(text), "the room is over");
    } else if (live_member(peer, live->number) != NULL) {
        reason = MESSAGE_REASON_IN_IT;
        snprintf(text, sizeof(text), "this connection is in the room already: leave it first, or open another connection");
    } else if (peer->member_count >= SERVER_MEMBERSHIPS_MAX) {
        reason = MESSAGE_REASON_FULL;
        snprintf(text, sizeof(text), "this connection is in %d rooms: open another one", SERVER_MEMBERSHIPS_MAX);
    } else if (slots > 0 && slots > count_free(live)) {
        reason = MESSAGE_REASON_FULL;
        snprintf(text, sizeof(text), "%u slot%s asked for, %u of %u free: watch, or try again later", slots, slots == 1 ? "" : "s",
                 count_free(live), live->players);
    } else if (slots == 0 && live->watcher_count >= peer->host->limits->watchers) {
        reason = MESSAGE_REASON_FULL;
        snprintf(text, sizeof(text), "%u watch already", live->watcher_count);
    }
    if (reason == MESSAGE_REASON_ASKED) {
        return false;
    }
    room->result.live.refused += 1;
    peer_refuse(peer, message->body.join.cookie, reason, text);
    return true;
}

static bool refuse_size(Peer *peer, uint32_t cookie, size_t size)
{
    char text[MESSAGE_TEXT_MAX];
    snprintf(text, sizeof(text), "the room's rules and state have %zu bytes, and this server sends at most %zu at once: its send_queue_bytes is too small", size,
             (size_t)peer->host->limits->send_queue_bytes / 2);
    peer_refuse(peer, cookie, MESSAGE_REASON_TOO_LARGE, text);
    return false;
}

// The canonical state into live->state: once a tick, however many join.
static bool encode_state(Room *room)
{
    RoomLive *live = room->live;
    if (live->state_tick == tp_sim_tick(room->sim)) {
        return true;
    }
    if (live->state == NULL) {
        live->state_capacity = tp_sim_encoded_max(room->sim);
        live->state = malloc(live->state_capacity + 1);
    }
    bool is_there = live->state != NULL && tp_sim_encode(room->sim, live->state, live->state_capacity, &live->state_size);
    live->state_tick = is_there ? tp_sim_tick(room->sim) : UINT64_MAX;
    return is_there;
}

// False with the peer refused. What is cheap to see comes first.
static bool take_state(Room *room, Peer *peer, uint32_t cookie)
{
    const RoomLive *live = room->live;
    size_t          rules_size = tp_sim_rules(room->sim)->size;
    size_t          most = peer->host->limits->send_queue_bytes / 2;
    size_t          wanted = live->options.world->opaque == NULL ? tp_sim_encoded_max(room->sim) + rules_size : most;
    if (wanted > most) {
        return refuse_size(peer, cookie, wanted);
    }
    carrier_flush(&peer->carrier); // what was sent for the room before is on its way
    // An eighth more for the heads of its pieces.
    if (carrier_waiting(&peer->carrier) + wanted + wanted / 8 > peer->carrier.out_max) {
        peer_refuse(peer, cookie, MESSAGE_REASON_FULL,
                    "too much waits to be read on this connection: read it, then join, or give the server a larger send_queue_bytes");
        return false;
    }
    if (!encode_state(room)) {
        peer_refuse(peer, cookie, MESSAGE_REASON_TOO_LARGE, "the room's state cannot be copied");
        return false;
    }
    return live->state_size + rules_size <= most || refuse_size(peer, cookie, live->state_size + rules_size);
}

static void send_pieces(const Member *member, MessagePieceKind kind, const uint8_t *bytes, size_t total)
{
    Message message = {
        .type = MESSAGE_PIECE,
        .room = number_of(member),
        .epoch = member->room->live->epoch,
        .tick = tp_sim_tick(member->room->sim),
        .body.piece = { .kind = (uint8_t)kind, .total = (uint32_t)total },
    };
    for (size_t offset = 0; offset < total; offset += message.body.piece.size) {
        size_t left = total - offset;
        message.body.piece.offset = (uint32_t)offset;
        message.body.piece.size = (uint16_t)(left < MESSAGE_PIECE_MAX ? left : MESSAGE_PIECE_MAX);
        message.body.piece.bytes = bytes + offset;
        peer_send(member->peer, &message);
    }
}

static void send_joined(const Member *member, uint32_t cookie, size_t state_size)
{
    Room           *room = member->room;
    const tp_rules *rules = tp_sim_rules(room->sim);
    Message         message = {
        .type = MESSAGE_JOINED,
        .room = number_of(member),
        .epoch = room->live->epoch,
        .tick = tp_sim_tick(room->sim),
        .body.joined = {
            .cookie = cookie,
            .ahead = SERVER_INPUT_AHEAD,
            .rules_size = rules->size,
            .state_size = (uint32_t)state_size,
            .root = tp_sim_root(room->sim),
            .input_leaf = tp_sim_input_leaf(room->sim),
            .event_leaf = tp_sim_event_leaf(room->sim),
        },
    };
    for (uint32_t slot = 0; slot < room->live->players; slot++) {
        if (live_has_bit(member->slots, slot)) {
            message.body.joined.slots[message.body.joined.slot_count++] = (uint8_t)slot;
        }
    }
    peer_send(member->peer, &message);
    send_pieces(member, MESSAGE_PIECE_RULES, rules->bytes, rules->size);
    send_pieces(member, MESSAGE_PIECE_STATE, room->live->state, state_size);
}

bool live_join(Room *room, Peer *peer, const Message *message)
{
    uint32_t cookie = message->body.join.cookie;
    if (is_refused(room, peer, message)) {
        return false;
    }
    Member *member = NULL;
    bool    has_state = take_state(room, peer, cookie);
    if (has_state) {
        member = calloc(1, sizeof(*member));
    }
    if (member == NULL || !grow_members(peer)) {
        free(member);
        room->result.live.refused += 1;
        if (has_state) {
            peer_refuse(peer, cookie, MESSAGE_REASON_CROWDED, "the server is out of memory");
        }
        return false;
    }
    *member = (Member){ .room = room, .peer = peer };
    take_slots(room, member, message->body.join.slots);
    link_member(room, peer, member);
    send_joined(member, cookie, room->live->state_size);
    room->result.live.joins += 1;
    post_slots(member, SERVER_EVENT_ROOM_JOIN, peer->address_text);
    return true;
}
