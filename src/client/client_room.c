// client_room.c: one membership: JOINED, the world made of the server's rules, READY; and the end of it. All that comes is foreign
// bytes: what makes no sense is refused with the reason.
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"
#include "tickproof/verify.h"

void client_room_finish(tp_client_room *room)
{
    client_own_drop(room);
    tp_session_destroy(room->session);
    tp_sim_destroy(room->sim);
    free(room->bytes);
    free(room->row);
    free(room->inputs);
    room->session = NULL;
    room->sim = NULL;
    room->bytes = room->row = room->inputs = NULL;
}

Message client_room_message(const tp_client_room *room, MessageType type, uint64_t tick)
{
    return (Message){ .type = type, .room = room->number, .epoch = room->epoch, .tick = tick };
}

void client_room_emit(tp_client_room *room, tp_client_event event)
{
    event.room = room;
    event.user = room->user;
    client_emit(room->client, &event);
}

void client_room_send_leave(tp_client_room *room, MessageReason reason, const char *text)
{
    Message leave = client_room_message(room, MESSAGE_LEAVE, 0);
    leave.body.leave.reason = (uint16_t)reason;
    leave.body.leave.text = message_text(text);
    room->stage = CLIENT_LEAVING;
    client_own_drop(room);
    free(room->bytes);
    room->bytes = NULL;
    client_send(room->client, &leave);
}

void client_room_refuse(tp_client_room *room, const char *why)
{
    client_room_send_leave(room, MESSAGE_REASON_INCOMPATIBLE, why);
    room->is_told = true;
    client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_REFUSED, .reason = TP_CLIENT_REASON_HERE, .text = why });
}

bool client_room_is_mine(const tp_client_room *room, uint32_t slot)
{
    return slot < MESSAGE_SLOTS_MAX && ((room->mine[slot / 64] >> (slot % 64)) & 1) != 0;
}

// Joining.

static bool check_joined(const tp_client_room *room, const Message *message, tp_error *error)
{
    uint32_t count = message->body.joined.slot_count;
    if (room->is_rejoining && room->asked == 0) {
        return count > 0 || tp_error_set(error, "no slots came for a token");
    }
    return count == room->asked || tp_error_set(error, "%u slots came, %u were asked for", count, room->asked);
}

bool client_room_joined(tp_client_room *room, const Message *message, tp_error *error)
{
    if (!check_joined(room, message, error)) {
        return false;
    }
    room->number = message->room;
    if (!client_rooms_add_number(room->client, room)) {
        return tp_error_set(error, "this client is in that room already");
    }
    room->epoch = message->epoch;
    room->ahead = message->body.joined.ahead;
    room->report = message->body.joined.report;
    room->slot_count = message->body.joined.slot_count;
    memcpy(room->slots, message->body.joined.slots, room->slot_count);
    memcpy(room->token, message->body.joined.token, sizeof(room->token));
    for (uint32_t i = 0; i < room->slot_count; i++) {
        room->mine[room->slots[i] / 64] |= UINT64_C(1) << (room->slots[i] % 64);
    }
    room->total = message->body.joined.rules_size; // bounded by the codec
    room->stage = CLIENT_RULES;
    if (room->is_unwanted) {
        client_room_send_leave(room, MESSAGE_REASON_ASKED, "");
        return true;
    }
    room->bytes = malloc(room->total);
    if (room->bytes == NULL) {
        client_room_refuse(room, "out of memory");
    }
    return true;
}

static tp_sim *make_sim(tp_client_room *room, const tp_ident *ident, tp_error *why)
{
    const tp_client_options *options = &room->client->options;
    bool                     goes_back = room->wants_session && room->slot_count > 0; // who only watches never does
    tp_sim_options           sim_options = { .ring_capacity = goes_back ? tp_session_ring(room->session_options.window) : 0 };
    const tp_world          *world = NULL;
    if (options->find_world != NULL) {
        world = options->find_world(options->find_to, ident->world, ident->revision);
    }
    return tp_sim_of_ident(ident, world, &sim_options, why);
}

// The world is there: takes all memory that its ticks need, and asks for its state.
static bool get_ready(tp_client_room *room, tp_error *error)
{
    tp_error why;
    uint32_t players = tp_sim_layout(room->sim)->setup.players;
    if (room->slot_count > 0 && room->slots[room->slot_count - 1] >= players) {
        return tp_error_set(error, "slot %u was given, the rules have %u", room->slots[room->slot_count - 1], players);
    }
    free(room->bytes);
    room->bytes = NULL;
    if (!client_ticks_memory(room)) {
        client_room_refuse(room, "out of memory");
        return true;
    }
    if (room->wants_session && !client_session_make(room, &why)) {
        client_room_refuse(room, why.text);
        return true;
    }
    Message ready = client_room_message(room, MESSAGE_READY, 0);
    ready.body.ready.rules_id = tp_sim_rules(room->sim)->id;
    room->stage = CLIENT_READY;
    client_send(room->client, &ready);
    return true;
}

// The rules are whole: which world is it, and can it run here?
static bool take_rules(tp_client_room *room, tp_error *error)
{
    tp_error  why;
    tp_ident *ident = malloc(sizeof(*ident)); // too large for a stack
    if (ident == NULL) {
        client_room_refuse(room, "out of memory");
        return true;
    }
    bool is_fine = tp_ident_of_rules(room->bytes, room->total, ident, error);
    if (is_fine) {
        room->sim = make_sim(room, ident, &why);
        if (room->sim == NULL) {
            client_room_refuse(room, why.text);
        } else {
            is_fine = get_ready(room, error);
        }
    }
    free(ident);
    return is_fine;
}

static bool check_piece(const tp_client_room *room, const Message *message, tp_error *error)
{
    uint32_t kind = message->body.piece.kind;
    bool     is_of_rules = kind == MESSAGE_PIECE_RULES;
    if (kind == MESSAGE_PIECE_OWN) {
        return tp_error_set(error, "only clients send their own state");
    }
    if (room->stage != (is_of_rules ? CLIENT_RULES : CLIENT_STATE)) {
        return tp_error_set(error, "a piece of the %s is not due", is_of_rules ? "rules" : "state");
    }
    if (!is_of_rules && message->tick != room->state_tick) {
        return tp_error_set(error, "a piece of the state at tick %llu came, of that at tick %llu was due", (unsigned long long)message->tick,
                            (unsigned long long)room->state_tick);
    }
    return (message->body.piece.total == room->total && message->body.piece.offset == room->taken) ||
           tp_error_set(error, "byte %u of %u came, %u of %u was due", message->body.piece.offset, message->body.piece.total, room->taken, room->total);
}

bool client_room_piece(tp_client_room *room, const Message *message, tp_error *error)
{
    if (!check_piece(room, message, error)) {
        return false;
    }
    // The codec holds offset + size to total.
    memcpy(room->bytes + room->taken, message->body.piece.bytes, message->body.piece.size);
    room->taken += message->body.piece.size;
    if (room->taken < room->total) {
        return true;
    }
    return room->stage == CLIENT_RULES ? take_rules(room, error) : client_state_whole(room, error);
}

// What the user sees and sends.

uint32_t tp_client_room_slots(const tp_client_room *room, const uint8_t **slots)
{
    *slots = room->slots;
    return room->slot_count;
}

tp_sim *tp_client_room_sim(tp_client_room *room)
{
    return room->sim;
}

uint32_t tp_client_room_number(const tp_client_room *room)
{
    return room->number;
}

uint32_t tp_client_room_epoch(const tp_client_room *room)
{
    return room->epoch;
}

uint32_t tp_client_room_ahead(const tp_client_room *room)
{
    return room->ahead;
}

const uint8_t *tp_client_room_token(const tp_client_room *room)
{
    static const uint8_t none[MESSAGE_TOKEN_SIZE];
    bool                 has_one = memcmp(room->token, none, sizeof(none)) != 0;
    return has_one ? room->token : NULL;
}

static bool check_input(const tp_client_room *room, uint32_t slot, uint64_t tick, tp_error *error)
{
    if (room->stage != CLIENT_LIVE || room->client->is_over) {
        return tp_error_set(error, "the room takes no inputs of this client");
    }
    if (room->session != NULL) {
        return tp_error_set(error, "this room has a session: inputs are given to it");
    }
    if (!client_room_is_mine(room, slot)) {
        return tp_error_set(error, "slot %u is not this client's", slot);
    }
    if (tick < room->due || tick - room->due >= room->ahead) {
        return tp_error_set(error, "inputs are taken for ticks %llu to %llu, not for %llu", (unsigned long long)room->due,
                            (unsigned long long)(room->due + room->ahead - 1), (unsigned long long)tick);
    }
    return true;
}

bool tp_client_input(tp_client_room *room, uint32_t slot, uint64_t tick, const void *input, tp_error *error)
{
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX]; // a struct has no gaps, so it is not larger than its encoding
    uint8_t              bytes[TP_INPUT_SIZE_MAX];
    if (!check_input(room, slot, tick, error)) {
        return false;
    }
    const tp_world *world = tp_sim_layout(room->sim)->world;
    if (world->input == NULL || world->input->struct_size > sizeof(native)) {
        return tp_error_set(error, "world '%s' takes no inputs", world->name);
    }
    memcpy(native, input, world->input->struct_size);
    tp_input_sanitise(world, native);
    tp_record_encode(world->input, native, bytes);
    Message message = client_room_message(room, MESSAGE_INPUT, tick);
    message.body.input.slot = (uint8_t)slot;
    message.body.input.size = (uint8_t)tp_record_size(world->input);
    message.body.input.count = 1;
    message.body.input.bytes = bytes;
    client_send(room->client, &message);
    return true;
}
