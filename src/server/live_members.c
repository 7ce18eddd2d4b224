// live_members.c: who is in a live room: joining, which slots are whose, leaving, and coming back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "room_live.h"

enum { LOOKS_PER_SECOND = 4 };

static bool is_free(const LiveSlot *slot)
{
    return slot->owner == NULL && slot->seat == NULL;
}

static uint32_t count_free(const RoomLive *live)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        count += is_free(&live->slots[slot]) ? 1 : 0;
    }
    return count;
}

void live_publish_taken(Room *room)
{
    RoomLive         *live = room->live;
    ServerLiveCounts *counts = &room->result.live;
    counts->peak = live->taken > counts->peak ? live->taken : counts->peak;
    atomic_store_explicit(&room->listing.taken, live->taken, memory_order_relaxed);
}

static int64_t now_of(const Room *room)
{
    return room->host->now_ns(room->host->to);
}

uint32_t live_first_slot(const Member *member)
{
    for (uint32_t slot = 0; slot < member->room->live->players; slot++) {
        if (live_has_bit(member->slots, slot)) {
            return slot;
        }
    }
    return TP_SOURCE_HOST;
}

// Slots.

static void take_slot(RoomLive *live, Member *member, uint32_t slot)
{
    LiveSlot *state = &live->slots[slot];
    state->owner = member; // nobody's seat is here: what was in the last tick, and what the log was told, stays known
    state->owes_absence = state->was_present;
    state->is_awaited = false;
    state->missing = 0;
    state->newest = 0;
    state->lead = INT16_MAX;
    state->late = 0;
    memset(live->stamps + (size_t)slot * SERVER_INPUT_AHEAD, 0, SERVER_INPUT_AHEAD * sizeof(*live->stamps));
    live_set_bit(member->slots, slot, true);
    member->slot_count += 1;
    live->taken += 1;
}

static bool is_exact(const JoinToken *token, uint32_t slot)
{
    bool is_there = token == NULL || token->exact_count == 0;
    for (uint32_t i = 0; !is_there && i < token->exact_count; i++) {
        is_there = token->slots[i] == slot;
    }
    return is_there;
}

// The lowest free slots, so that who comes first has the lowest; or those that the token names, which are free.
static void take_free_slots(Room *room, Member *member, uint32_t wanted, const JoinToken *token)
{
    RoomLive *live = room->live;
    for (uint32_t slot = 0; slot < live->players && member->slot_count < wanted; slot++) {
        if (is_free(&live->slots[slot]) && is_exact(token, slot)) {
            take_slot(live, member, slot);
            memcpy(live->last + (size_t)slot * live->input_size, live->neutral, live->input_size);
        }
    }
    live_publish_taken(room);
}

// The log knows who is in the world, for a server that is started again. It is told at the next tick: whoever comes and goes between two
// ticks leaves no trace.
static void note_members(Room *room, const uint8_t *slots, const uint8_t *token_hash)
{
    for (uint32_t slot = 0; slot < room->live->players; slot++) {
        LiveSlot *state = &room->live->slots[slot];
        if (live_has_bit(slots, slot)) {
            state->has_note = token_hash != NULL;
            memcpy(state->note, token_hash != NULL ? token_hash : (const uint8_t[SERVER_TOKEN_HASH]){ 0 }, SERVER_TOKEN_HASH);
            room->live->has_notes = true;
        }
    }
}

void live_write_notes(Room *room)
{
    RoomLive *live = room->live;
    if (!live->has_notes) {
        return;
    }
    live->has_notes = false;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        LiveSlot *state = &live->slots[slot];
        if (state->has_note == state->was_noted && memcmp(state->note, state->noted, SERVER_TOKEN_HASH) == 0) {
            continue;
        }
        state->was_noted = state->has_note;
        memcpy(state->noted, state->note, SERVER_TOKEN_HASH);
        if (server_log_is_open(&room->log)) { // also while it is down: it keeps its own books
            server_log_member(&room->log, slot, state->has_note ? state->note : NULL);
        }
    }
}

static void note_member(Member *member)
{
    uint8_t hash[SERVER_TOKEN_HASH];
    live_token_hash(member->token, hash);
    note_members(member->room, member->slots, hash);
}

// Seats.

void live_token_hash(const uint8_t token[MESSAGE_TOKEN_SIZE], uint8_t hash[SERVER_TOKEN_HASH])
{
    crypto_generichash(hash, SERVER_TOKEN_HASH, token, MESSAGE_TOKEN_SIZE, NULL, 0);
}

static Seat *seat_of_token(const RoomLive *live, const uint8_t token[MESSAGE_TOKEN_SIZE])
{
    uint8_t hash[SERVER_TOKEN_HASH];
    live_token_hash(token, hash);
    Seat *seat = live->seats;
    while (seat != NULL && sodium_memcmp(seat->token_hash, hash, SERVER_TOKEN_HASH) != 0) {
        seat = seat->next;
    }
    return seat;
}

// Nobody is awaited there any more. Its slots stay as they are: whoever calls gives or frees them.
static void unlink_seat(RoomLive *live, const Seat *seat)
{
    Seat **place = &live->seats;
    while (*place != seat) {
        place = &(*place)->next;
    }
    *place = seat->next;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live->slots[slot].seat == seat) {
            live->slots[slot].seat = NULL;
            live->taken -= 1;
        }
    }
}

static void drop_seat(Room *room, Seat *seat, const char *why)
{
    unlink_seat(room->live, seat);
    note_members(room, seat->slots, NULL);
    for (uint32_t slot = 0; slot < room->live->players; slot++) {
        if (live_has_bit(seat->slots, slot)) {
            room_post_chat(room, SERVER_EVENT_ROOM_LEAVE, slot, why);
        }
    }
    room->result.live.leaves += 1;
    free(seat);
    live_publish_taken(room);
}

void live_drop_seats(Room *room)
{
    while (room->live->seats != NULL) {
        Seat *seat = room->live->seats;
        unlink_seat(room->live, seat);
        free(seat);
    }
    live_publish_taken(room);
}

static void drop_old_seats(Room *room, int64_t now_ns)
{
    for (Seat *seat = room->live->seats; seat != NULL;) {
        Seat *next = seat->next;
        if (now_ns >= seat->until_ns) {
            drop_seat(room, seat, "did not come back");
        }
        seat = next;
    }
    if (room->live->awaits_return && room->live->seats == NULL) {
        room->live->awaits_return = false; // nobody will
    }
}

void live_drop_seat_of(Room *room, uint32_t slot, const char *why)
{
    drop_seat(room, room->live->slots[slot].seat, why);
}

// Inputs and reports a second that a member may send, with as much again to spare. Who watches only reports. A room that was made faster
// needs more, and its members may have joined before.
static uint64_t inputs_needed(const Member *member)
{
    const ServerLiveOptions *options = &member->room->live->options;
    uint64_t rate_hz = live_rate_hz(member->room);
    rate_hz = rate_hz > options->tick_rate_hz ? rate_hz : options->tick_rate_hz;
    uint64_t reports = options->report_ticks > 0 ? rate_hz / options->report_ticks + 1 : 1;
    return 2 * (member->slot_count * rate_hz + reports);
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
    member->needs = inputs_needed(member);
    peer_add_room(peer, member->needs);
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
    peer_drop_room(peer, member->needs);
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

void live_fit_needs(Room *room)
{
    for (Member *member = room->live->members; member != NULL; member = member->next) {
        peer_drop_room(member->peer, member->needs);
        member->needs = inputs_needed(member);
        peer_add_room(member->peer, member->needs);
    }
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
    switch ((uint32_t)reason) {
    case MESSAGE_REASON_ASKED:
    case MESSAGE_REASON_ENDED:
    case MESSAGE_REASON_FAULTED:
    case MESSAGE_REASON_STOPPING:
    case MESSAGE_REASON_INCOMPATIBLE:
    case MESSAGE_REASON_KICKED:
    case MESSAGE_REASON_DESYNC:
    case MESSAGE_REASON_REJOINED:
    case MESSAGE_REASON_BEHIND: return true;
    default: return false;
    }
}

Message live_head(const Room *room, MessageType type)
{
    return (Message){ .type = type, .room = room->live->number, .epoch = room->live->epoch, .tick = tp_sim_tick(room->sim) };
}

static void send_left(const Member *member, MessageReason reason, const char *text)
{
    Message message = live_head(member->room, MESSAGE_LEFT);
    message.tick = member->stage == MEMBER_RESERVED ? message.tick : member->cursor; // the first that is not confirmed to it
    message.body.left.reason = (uint16_t)reason;
    message.body.left.text = message_text(text);
    peer_send(member->peer, &message);
}

// Out of the room's and the peer's lists, without a word. Its slots have no owner any more.
static void detach(Member *member)
{
    Room     *room = member->room;
    RoomLive *live = room->live;
    live_drop_state(member);
    live_desync_left(room, member);
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live_has_bit(member->slots, slot)) {
            live->slots[slot].owner = NULL;
            live->taken -= 1;
        }
    }
    unlink_member(member);
}

// `text` is for the client, `why` for the server's people.
static void remove_member(Member *member, MessageReason reason, const char *text, const char *why)
{
    Room *room = member->room;
    if (is_left_told(reason)) {
        send_left(member, reason, text);
    }
    detach(member);
    live_publish_taken(room);
    if (member->is_present) {
        note_members(room, member->slots, NULL);
    }
    room->result.live.leaves += 1;
    post_slots(member, SERVER_EVENT_ROOM_LEAVE, why);
    free(member);
}

void live_leave(Member *member, MessageReason reason, const char *text)
{
    const char *name = message_reason_name(reason);
    remove_member(member, reason, text, name != NULL ? name : "gone");
}

// Who cannot run the world says what differs.
static void leave_as_asked(Member *member, const Message *message)
{
    MessageReason reason = (MessageReason)message->body.leave.reason;
    MessageText   said = message->body.leave.text;
    char          line[MESSAGE_TEXT_MAX + 1];
    char          why[MESSAGE_TEXT_MAX + 32];
    live_line_of((const uint8_t *)said.text, said.size, line, sizeof(line));
    snprintf(why, sizeof(why), "%s%s%s", message_reason_name(reason), line[0] != '\0' ? ": " : "", line);
    remove_member(member, reason, "", why);
}

// A seat for who was in the world and may come back. NULL: none is kept.
static Seat *make_seat(const Member *member)
{
    const RoomLive *live = member->room->live;
    if (!member->is_present || member->slot_count == 0 || live->options.rejoin_seconds == 0) {
        return NULL;
    }
    Seat *seat = calloc(1, sizeof(*seat));
    if (seat != NULL) {
        seat->until_ns = now_of(member->room) + (int64_t)live->options.rejoin_seconds * 1000000000;
        seat->slot_count = member->slot_count;
        memcpy(seat->slots, member->slots, sizeof(seat->slots));
        live_token_hash(member->token, seat->token_hash);
    }
    return seat;
}

static void give_seat(RoomLive *live, Seat *seat)
{
    seat->next = live->seats;
    live->seats = seat;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live_has_bit(seat->slots, slot)) {
            live->slots[slot].seat = seat;
            live->taken += 1;
        }
    }
}

void live_lose(Member *member, MessageReason reason)
{
    Room *room = member->room;
    Seat *seat = make_seat(member);
    if (seat == NULL) {
        live_leave(member, reason, "");
        return;
    }
    const char *name = message_reason_name(reason);
    detach(member);
    give_seat(room->live, seat);
    live_publish_taken(room);
    room->result.live.aways += 1;
    post_slots(member, SERVER_EVENT_ROOM_AWAY, name != NULL ? name : "the connection was lost");
    free(member);
}

// Joining.

static bool is_zero_token(const uint8_t token[MESSAGE_TOKEN_SIZE])
{
    return sodium_is_zero(token, MESSAGE_TOKEN_SIZE) == 1;
}

// What a token is of: a seat, or a member whose connection is still thought to be there.
typedef struct {
    Seat    *seat;
    Member  *member;
    uint32_t slot_count;
    uint8_t  slots[TP_PLAYERS_MAX / 8];
} Claim;

static bool find_claim(const RoomLive *live, const uint8_t token[MESSAGE_TOKEN_SIZE], Claim *claim)
{
    *claim = (Claim){ .seat = seat_of_token(live, token) };
    for (Member *member = live->members; member != NULL && claim->seat == NULL && claim->member == NULL; member = member->next) {
        if (member->slot_count > 0 && sodium_memcmp(member->token, token, MESSAGE_TOKEN_SIZE) == 0) {
            claim->member = member;
        }
    }
    const uint8_t *slots = claim->seat != NULL ? claim->seat->slots : claim->member != NULL ? claim->member->slots : NULL;
    if (slots == NULL) {
        return false;
    }
    memcpy(claim->slots, slots, sizeof(claim->slots));
    claim->slot_count = claim->seat != NULL ? claim->seat->slot_count : claim->member->slot_count;
    return true;
}

// What is kept for who watches with a delay has a bound in bytes.
static uint32_t longest_delay(const RoomLive *live)
{
    size_t ticks = SERVER_HISTORY_BYTES / (tp_row_size_fixed(live->players, live->input_size) + sizeof(HistoryTick));
    size_t delay = ticks > SERVER_HISTORY_TICKS ? ticks - SERVER_HISTORY_TICKS : 0;
    return (uint32_t)(delay < MESSAGE_DELAY_MAX ? delay : MESSAGE_DELAY_MAX);
}

typedef struct {
    MessageReason reason; ///< ASKED: there is none
    char          text[MESSAGE_TEXT_MAX + 1];
} Refusal;

static void judge(Room *room, Peer *peer, const Message *message, Claim *claim, Refusal *refusal)
{
    RoomLive      *live = room->live;
    uint32_t       slots = message->body.join.slots;
    const uint8_t *token = message->body.join.token;
    bool           is_back = !is_zero_token(token);
    *refusal = (Refusal){ .reason = MESSAGE_REASON_ASKED };
    if (room->result.state != SERVER_ROOM_RUNNING) {
        refusal->reason = MESSAGE_REASON_ENDED;
        snprintf(refusal->text, sizeof(refusal->text), "the room is over");
    } else if (is_back && !find_claim(live, token, claim)) {
        refusal->reason = MESSAGE_REASON_TOKEN;
        snprintf(refusal->text, sizeof(refusal->text), "nobody is awaited with this token, or not any more: join without one");
    } else if (is_back && slots != 0 && slots != claim->slot_count) {
        refusal->reason = MESSAGE_REASON_TOKEN;
        snprintf(refusal->text, sizeof(refusal->text), "the token is for %u slot%s, not for %u", claim->slot_count, claim->slot_count == 1 ? "" : "s", slots);
    } else if (live_member(peer, live->number) != NULL) {
        refusal->reason = MESSAGE_REASON_IN_IT;
        snprintf(refusal->text, sizeof(refusal->text), "this connection is in the room already: leave it first, or open another connection");
    } else if (peer->member_count >= SERVER_MEMBERSHIPS_MAX) {
        refusal->reason = MESSAGE_REASON_FULL;
        snprintf(refusal->text, sizeof(refusal->text), "this connection is in %d rooms: open another one", SERVER_MEMBERSHIPS_MAX);
    } else if (!is_back && slots > 0 && slots > count_free(live)) {
        refusal->reason = MESSAGE_REASON_FULL;
        snprintf(refusal->text, sizeof(refusal->text), "%u slot%s asked for, %u of %u free: watch, or try again later", slots, slots == 1 ? "" : "s",
                 count_free(live), live->players);
    } else if (slots == 0 && message->body.join.delay > longest_delay(live)) {
        // Less than was asked for would tell what was to be kept from somebody.
        refusal->reason = MESSAGE_REASON_FULL;
        snprintf(refusal->text, sizeof(refusal->text), "this room keeps as many ticks as a delay of %u needs: ask for no more", longest_delay(live));
    } else if (!is_back && slots == 0 && live->watcher_count >= peer->host->limits->watchers) {
        refusal->reason = MESSAGE_REASON_FULL;
        snprintf(refusal->text, sizeof(refusal->text), "%u watch already", live->watcher_count);
    }
}

// Rows are kept from the first member on, and for as long as who watches with a delay needs them.
static bool reserve_history(Room *room, uint32_t delay)
{
    RoomLive *live = room->live;
    uint32_t  ticks = SERVER_HISTORY_TICKS + delay;
    size_t    row_size = tp_row_size_fixed(live->players, live->input_size);
    size_t    most = SERVER_HISTORY_BYTES / row_size;
    size_t    spare = live->options.world->command_count > 0 ? live->row_capacity * 4 : row_size;
    if (delay == 0 && most < ticks) {
        ticks = most < SERVER_INPUT_AHEAD ? SERVER_INPUT_AHEAD : (uint32_t)most;
    }
    return history_reserve(&live->history, ticks, row_size, spare);
}

static Member *make_member(Room *room, Peer *peer, const Message *message)
{
    uint32_t delay = message->body.join.slots == 0 ? message->body.join.delay : 0;
    if (!reserve_history(room, delay) || !grow_members(peer)) {
        return NULL;
    }
    Member *member = calloc(1, sizeof(*member));
    if (member != NULL) {
        *member = (Member){ .room = room, .peer = peer, .cookie = message->body.join.cookie, .delay = delay, .since_ns = now_of(room),
                             .chat_ns = INT64_MIN };
    }
    return member;
}

// The slots of who comes back are present all the time: to the world he was never away.
static void take_claim(Room *room, Member *member, const Claim *claim)
{
    RoomLive *live = room->live;
    if (claim->member != NULL) {
        Member *before = claim->member;
        send_left(before, MESSAGE_REASON_REJOINED, "the token was used by another connection");
        member->is_present = before->is_present;
        detach(before);
        free(before);
    } else {
        member->is_present = true;
        unlink_seat(live, claim->seat);
        free(claim->seat);
    }
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live_has_bit(claim->slots, slot)) {
            take_slot(live, member, slot);
            live->slots[slot].owes_absence = false;
        }
    }
    live_publish_taken(room);
    room->result.live.rejoins += 1;
}

static void send_rules(const Member *member)
{
    const tp_rules *rules = tp_sim_rules(member->room->sim);
    Message         message = live_head(member->room, MESSAGE_PIECE);
    message.body.piece.kind = MESSAGE_PIECE_RULES;
    message.body.piece.total = rules->size;
    for (uint32_t offset = 0; offset < rules->size; offset += message.body.piece.size) {
        uint32_t left = rules->size - offset;
        message.body.piece.offset = offset;
        message.body.piece.size = (uint16_t)(left < MESSAGE_PIECE_MAX ? left : MESSAGE_PIECE_MAX);
        message.body.piece.bytes = rules->bytes + offset;
        peer_send(member->peer, &message);
    }
}

static void send_joined(Member *member)
{
    Room   *room = member->room;
    Message message = live_head(room, MESSAGE_JOINED);
    message.body.joined.cookie = member->cookie;
    message.body.joined.ahead = SERVER_INPUT_AHEAD;
    message.body.joined.delay = (uint16_t)member->delay;
    message.body.joined.report = (uint16_t)room->live->options.report_ticks;
    message.body.joined.rules_size = tp_sim_rules(room->sim)->size;
    memcpy(message.body.joined.token, member->token, MESSAGE_TOKEN_SIZE);
    for (uint32_t slot = 0; slot < room->live->players; slot++) {
        if (live_has_bit(member->slots, slot)) {
            message.body.joined.slots[message.body.joined.slot_count++] = (uint8_t)slot;
        }
    }
    peer_send(member->peer, &message);
    live_say_pace(room, member);
    send_rules(member);
}

// Those that the token names, or as many as were asked for.
static bool has_exact_slots(const RoomLive *live, const JoinToken *token)
{
    bool is_there = true;
    for (uint32_t i = 0; i < token->exact_count; i++) {
        is_there = is_there && token->slots[i] < live->players && is_free(&live->slots[token->slots[i]]);
    }
    return is_there;
}

// Whoever comes back was let in before: the token of his membership is enough.
static bool pass_gate(Room *room, Peer *peer, const Message *message, JoinToken *token, Refusal *refusal)
{
    Gate   *gate = peer->host->gate;
    bool    has_token = false;
    GateAsk ask = { .bytes = peer->token, .size = peer->token_size, .client = carrier_other_key(&peer->carrier), .room = message->body.join.name.text,
                    .room_size = message->body.join.name.size, .slots = message->body.join.slots };
    if (gate == NULL || refusal->reason != MESSAGE_REASON_ASKED || !is_zero_token(message->body.join.token)) {
        return false;
    }
    gate_pass(gate, &ask, gate_now_s(), token, &has_token, &refusal->reason, refusal->text);
    if (has_token && !has_exact_slots(room->live, token)) {
        gate_return(gate, token);
        has_token = false;
        refusal->reason = MESSAGE_REASON_FULL;
        snprintf(refusal->text, sizeof(refusal->text), "a slot that the join token is for is not free: try again later");
    }
    return has_token;
}

void live_join(Room *room, Peer *peer, const Message *message)
{
    Claim     claim = { .seat = NULL };
    Refusal   refusal;
    JoinToken token;
    judge(room, peer, message, &claim, &refusal);
    bool has_token = pass_gate(room, peer, message, &token, &refusal);
    Member *member = refusal.reason == MESSAGE_REASON_ASKED ? make_member(room, peer, message) : NULL;
    if (refusal.reason == MESSAGE_REASON_ASKED && member == NULL) {
        refusal.reason = MESSAGE_REASON_CROWDED;
        snprintf(refusal.text, sizeof(refusal.text), "the server is out of memory");
    }
    if (member == NULL && has_token) {
        gate_return(peer->host->gate, &token);
    }
    if (member == NULL) {
        room->result.live.refused += 1;
        peer_refuse(peer, message->body.join.cookie, refusal.reason, refusal.text);
        return;
    }
    bool is_back = claim.slot_count > 0;
    if (is_back) {
        // The same token for as long as somebody has the slots: another one could be lost on its way to the client, or to the disk.
        take_claim(room, member, &claim);
        memcpy(member->token, message->body.join.token, MESSAGE_TOKEN_SIZE);
    } else {
        take_free_slots(room, member, message->body.join.slots, has_token ? &token : NULL);
    }
    if (!is_back && member->slot_count > 0) {
        room->host->random(room->host->to, member->token, MESSAGE_TOKEN_SIZE);
        member->token[0] |= is_zero_token(member->token) ? 1 : 0;
    }
    link_member(room, peer, member);
    if (room->live->member_count == 1) {
        live_allow_states(room, 1); // a room without ticks may have been looked after before there was anybody
    }
    send_joined(member);
    room->result.live.joins += 1;
    post_slots(member, is_back ? SERVER_EVENT_ROOM_REJOIN : SERVER_EVENT_ROOM_JOIN, peer->address_text);
}

static uint32_t count_present(const RoomLive *live)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        count += live_is_present(live, slot) ? 1 : 0;
    }
    return count;
}

// The client has made the world of the rules: it is in.
static void ready(Room *room, Member *member, const Message *message)
{
    RoomLive *live = room->live;
    if (member->stage != MEMBER_RESERVED) {
        return;
    }
    if (!tp_hash128_equal(message->body.ready.rules_id, tp_sim_rules(room->sim)->id)) {
        live_leave(member, MESSAGE_REASON_INCOMPATIBLE, "READY has another hash of the rules than they have here: world, revision, layout or content differ");
        return;
    }
    if (!member->is_present) {
        member->is_present = true;
        note_member(member);
    }
    live->awaits_return = live->awaits_return && member->slot_count == 0;
    live->has_begun = live->has_begun || count_present(live) >= live->options.start_players;
    live_keep_first(room);
    live_begin_state(member);
    room->host->clock_changed(room->host->to, room);
}

void live_message(Room *room, Member *member, const Message *message)
{
    if (message->epoch != room->live->epoch) {
        room->result.live.wrong_epoch += message->type == MESSAGE_INPUT ? message->body.input.count : 0;
        return;
    }
    switch ((uint32_t)message->type) {
    case MESSAGE_READY: ready(room, member, message); break;
    case MESSAGE_INPUT: live_input(room, member, message); break;
    case MESSAGE_REPORT: live_report(room, member, message); break;
    case MESSAGE_OWN_STATE: live_own_state(room, member, message); break;
    case MESSAGE_PIECE: live_own_piece(room, member, message); break;
    case MESSAGE_CHAT: live_chat(room, member, message); break;
    case MESSAGE_LEAVE: leave_as_asked(member, message); break;
    default: break; // peer.c lets nothing else through
    }
}

// Who has not answered JOINED keeps slots that others might want.
static void drop_unready(Room *room, int64_t now_ns)
{
    for (Member *member = room->live->members; member != NULL;) {
        Member *next = member->next;
        if (member->stage == MEMBER_RESERVED && now_ns - member->since_ns >= (int64_t)SERVER_READY_MS * 1000000) {
            send_left(member, MESSAGE_REASON_SILENT, "READY did not come");
            live_lose(member, MESSAGE_REASON_SILENT);
        }
        member = next;
    }
}

void live_look(Room *room, int64_t now_ns)
{
    if (room->result.state != SERVER_ROOM_RUNNING) {
        return;
    }
    drop_old_seats(room, now_ns);
    drop_unready(room, now_ns);
    live_desync_look(room, now_ns);
    live_forget_state(room);
    if (room_is_paused(room)) {
        live_allow_states(room, 1 + live_rate_hz(room) / LOOKS_PER_SECOND);
        live_pump(room);
        if (room->is_log_failed && server_log_is_open(&room->log)) {
            room_retry_log(room);
        }
    }
}
