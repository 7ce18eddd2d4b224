// client_room.c: one membership: the world is made from the server's rules and state, steps what the server confirms, and its roots
// are compared. All of it is foreign bytes: what makes no sense is refused with the reason.
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"
#include "tickproof/verify.h"

void client_room_finish(tp_client_room *room)
{
    tp_sim_destroy(room->sim);
    free(room->bytes);
    free(room->row);
    room->sim = NULL;
    room->bytes = room->row = NULL;
}

static void emit(tp_client_room *room, tp_client_event event)
{
    event.room = room;
    event.user = room->user;
    client_emit(room->client, &event);
}

void client_room_send_leave(tp_client_room *room)
{
    Message leave = { .type = MESSAGE_LEAVE, .room = room->number, .epoch = room->epoch };
    room->stage = CLIENT_LEAVING;
    free(room->bytes);
    room->bytes = NULL;
    client_send(room->client, &leave);
}

// This program cannot have the room: the server is told, the user gets the reason, and what is still on its way is dropped.
static void refuse_here(tp_client_room *room, const char *why)
{
    client_room_send_leave(room);
    room->is_told = true;
    emit(room, (tp_client_event){ .kind = TP_CLIENT_REFUSED, .reason = TP_CLIENT_REASON_HERE, .text = why });
}

// Joining.

bool client_room_joined(tp_client_room *room, const Message *message, tp_error *error)
{
    if (message->body.joined.slot_count != room->asked) {
        return tp_error_set(error, "%u slots came, %u were asked for", message->body.joined.slot_count, room->asked);
    }
    // Ticks are counted on from here.
    if (message->tick > INT64_MAX) {
        return tp_error_set(error, "no world gets to tick %llu", (unsigned long long)message->tick);
    }
    room->number = message->room;
    if (!client_add_number(room->client, room)) {
        return tp_error_set(error, "this client is in that room already");
    }
    room->epoch = message->epoch;
    room->tick = message->tick;
    room->ahead = message->body.joined.ahead;
    room->slot_count = message->body.joined.slot_count;
    memcpy(room->slots, message->body.joined.slots, room->slot_count);
    for (uint32_t i = 0; i < room->slot_count; i++) {
        room->mine[room->slots[i] / 64] |= UINT64_C(1) << (room->slots[i] % 64);
    }
    room->root = message->body.joined.root;
    room->input_leaf = message->body.joined.input_leaf;
    room->event_leaf = message->body.joined.event_leaf;
    room->state_size = message->body.joined.state_size;
    room->total = message->body.joined.rules_size; // bounded by the codec
    room->stage = CLIENT_RULES;
    if (room->is_unwanted) {
        client_room_send_leave(room);
        return true;
    }
    room->bytes = malloc(room->total);
    if (room->bytes == NULL) {
        refuse_here(room, "out of memory");
    }
    return true;
}

// The state is whole: from here on the world is this client's own.
static bool take_state(tp_client_room *room, tp_error *error)
{
    tp_error reason;
    if (!tp_sim_decode(room->sim, room->bytes, room->state_size, room->tick, room->input_leaf, room->event_leaf, &reason)) {
        return tp_error_set(error, "the state at tick %llu: %.180s", (unsigned long long)room->tick, reason.text);
    }
    free(room->bytes);
    room->bytes = NULL;
    tp_hash128 own = tp_sim_root(room->sim);
    if (!tp_sim_is_sound(room->sim) || !tp_hash128_equal(own, room->root)) {
        uint64_t last = room->tick == 0 ? TP_ROOT_TICK_START : room->tick - 1;
        room->stage = CLIENT_DESYNCED;
        emit(room, (tp_client_event){ .kind = TP_CLIENT_DESYNC, .tick = last, .root = room->root, .own_root = own,
                                      .text = "the state that the server sent has another root here" });
        return true;
    }
    room->stage = CLIENT_LIVE;
    emit(room, (tp_client_event){ .kind = TP_CLIENT_JOINED, .tick = room->tick, .root = room->root });
    return true;
}

static tp_sim *make_sim(tp_client_room *room, const tp_ident *ident, tp_error *why)
{
    const tp_client_options *options = &room->client->options;
    const tp_world          *world = NULL;
    if (options->find_world != NULL) {
        world = options->find_world(options->find_to, ident->world, ident->revision);
    }
    return tp_sim_of_ident(ident, world, NULL, why);
}

// A row of several parts needs a place; most worlds' rows fit one.
static bool take_row_memory(tp_client_room *room)
{
    const tp_layout *layout = tp_sim_layout(room->sim);
    size_t           largest = tp_row_size_fixed(layout->setup.players, layout->input_size);
    largest += layout->world->command_count > 0 ? TP_COMMAND_BYTES_MAX : 0;
    room->row_capacity = largest;
    room->row = malloc(largest);
    return room->row != NULL;
}

// The world is there: does what JOINED announced fit it?
static bool prepare_state(tp_client_room *room, tp_error *error)
{
    uint32_t players = tp_sim_layout(room->sim)->setup.players;
    size_t   largest = tp_sim_encoded_max(room->sim);
    if (room->slot_count > 0 && room->slots[room->slot_count - 1] >= players) {
        return tp_error_set(error, "slot %u was given, the rules have %u", room->slots[room->slot_count - 1], players);
    }
    if (room->state_size > largest) {
        return tp_error_set(error, "a state of %u bytes was announced, this world's have at most %zu", room->state_size, largest);
    }
    free(room->bytes);
    room->bytes = malloc((size_t)room->state_size + 1);
    room->total = room->state_size;
    room->taken = 0;
    room->stage = CLIENT_STATE;
    if (room->bytes == NULL || !take_row_memory(room)) {
        refuse_here(room, "out of memory");
        return true;
    }
    return room->state_size > 0 || take_state(room, error);
}

// The rules are whole: which world is it, and can it run here?
static bool take_rules(tp_client_room *room, tp_error *error)
{
    tp_error  why;
    tp_ident *ident = malloc(sizeof(*ident)); // too large for a stack
    if (ident == NULL) {
        refuse_here(room, "out of memory");
        return true;
    }
    bool is_fine = tp_ident_of_rules(room->bytes, room->total, ident, error);
    if (is_fine) {
        room->sim = make_sim(room, ident, &why);
        if (room->sim == NULL) {
            refuse_here(room, why.text);
        } else {
            is_fine = prepare_state(room, error);
        }
    }
    free(ident);
    return is_fine;
}

bool client_room_piece(tp_client_room *room, const Message *message, tp_error *error)
{
    if (room->stage == CLIENT_LEAVING) {
        return true;
    }
    bool is_due = message->body.piece.kind == MESSAGE_PIECE_RULES ? room->stage == CLIENT_RULES : room->stage == CLIENT_STATE;
    if (!is_due) {
        return tp_error_set(error, "a piece of the %s is not due", message->body.piece.kind == MESSAGE_PIECE_RULES ? "rules" : "state");
    }
    if (message->body.piece.total != room->total || message->body.piece.offset != room->taken) {
        return tp_error_set(error, "byte %u of %u came, %u of %u was due", message->body.piece.offset, message->body.piece.total, room->taken,
                            room->total);
    }
    // The codec holds offset + size to total.
    memcpy(room->bytes + room->taken, message->body.piece.bytes, message->body.piece.size);
    room->taken += message->body.piece.size;
    if (room->taken < room->total) {
        return true;
    }
    return room->stage == CLIENT_RULES ? take_rules(room, error) : take_state(room, error);
}

// Confirmed ticks.

typedef struct {
    const uint8_t *bytes;
    size_t         size;
} Row;

static bool check_part(const tp_client_room *room, const Message *message, tp_error *error)
{
    uint64_t next = tp_sim_tick(room->sim);
    uint32_t part = message->body.confirmed.part;
    uint32_t parts = message->body.confirmed.parts;
    if (message->tick != next) {
        return tp_error_set(error, "tick %llu came, %llu was due", (unsigned long long)message->tick, (unsigned long long)next);
    }
    if (part != room->part || (part > 0 && parts != room->parts)) {
        return tp_error_set(error, "part %u of %u of a row came, part %u was due", part, parts, room->part);
    }
    if (part > 0 && !tp_hash128_equal(message->body.confirmed.root, room->row_root)) {
        return tp_error_set(error, "the parts of a row have different roots");
    }
    return true;
}

// Collects a row. `row` has no bytes while parts are missing; a row of one part is not copied.
static bool take_part(tp_client_room *room, const Message *message, Row *row, tp_error *error)
{
    size_t size = message->body.confirmed.size;
    *row = (Row){ NULL, 0 };
    if (!check_part(room, message, error)) {
        return false;
    }
    if (message->body.confirmed.parts == 1) {
        *row = (Row){ message->body.confirmed.bytes, size };
        return true;
    }
    room->row_size = room->part == 0 ? 0 : room->row_size;
    if (size > room->row_capacity - room->row_size) {
        return tp_error_set(error, "a row is larger than this world's can be, %zu bytes", room->row_capacity);
    }
    memcpy(room->row + room->row_size, message->body.confirmed.bytes, size);
    room->row_size += size;
    room->row_root = message->body.confirmed.root;
    room->parts = message->body.confirmed.parts;
    room->part += 1;
    if (room->part == room->parts) {
        room->part = 0;
        *row = (Row){ room->row, room->row_size };
    }
    return true;
}

static void desync(tp_client_room *room, const Message *message, tp_hash128 own, const char *text)
{
    room->stage = CLIENT_DESYNCED;
    emit(room, (tp_client_event){ .kind = TP_CLIENT_DESYNC, .tick = message->tick, .durable = message->body.confirmed.durable,
                                  .root = message->body.confirmed.root, .own_root = own, .text = text });
}

static bool step(tp_client_room *room, const Message *message, Row row, tp_error *error)
{
    tp_error      reason;
    tp_sim       *sim = room->sim;
    tp_sim_status status = tp_sim_step_bytes(sim, row.bytes, row.size, &reason);
    if (status == TP_SIM_FAULTED) {
        // The server says LEFT (faulted) instead of confirming a tick that faulted there.
        desync(room, message, tp_sim_fault_root(sim), reason.text);
        return true;
    }
    if (status == TP_SIM_REFUSED && tp_sim_is_sound(sim)) {
        return tp_error_set(error, "tick %llu: %.200s", (unsigned long long)message->tick, reason.text);
    }
    tp_hash128 own = tp_sim_root(sim);
    if (!tp_sim_is_sound(sim)) {
        desync(room, message, own, "the world could not save or hash its state here");
    } else if (!tp_hash128_equal(own, message->body.confirmed.root)) {
        desync(room, message, own, NULL);
    } else {
        emit(room, (tp_client_event){ .kind = TP_CLIENT_CONFIRMED, .tick = message->tick, .durable = message->body.confirmed.durable,
                                      .root = own });
    }
    return true;
}

bool client_room_confirmed(tp_client_room *room, const Message *message, tp_error *error)
{
    Row row;
    if (room->stage == CLIENT_LEAVING || room->stage == CLIENT_DESYNCED) {
        return true;
    }
    if (room->stage != CLIENT_LIVE) {
        return tp_error_set(error, "it came before the whole state");
    }
    if (!take_part(room, message, &row, error)) {
        return false;
    }
    return row.bytes == NULL || step(room, message, row, error);
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

static bool check_input(const tp_client_room *room, uint32_t slot, uint64_t tick, tp_error *error)
{
    if (room->stage != CLIENT_LIVE || room->client->is_over) {
        return tp_error_set(error, "the room takes no inputs of this client");
    }
    if (slot >= MESSAGE_SLOTS_MAX || ((room->mine[slot / 64] >> (slot % 64)) & 1) == 0) {
        return tp_error_set(error, "slot %u is not this client's", slot);
    }
    uint64_t next = tp_sim_tick(room->sim);
    if (tick < next || tick - next >= room->ahead) {
        return tp_error_set(error, "inputs are taken for ticks %llu to %llu, not for %llu", (unsigned long long)next,
                            (unsigned long long)(next + room->ahead - 1), (unsigned long long)tick);
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
    Message message = { .type = MESSAGE_INPUT, .room = room->number, .epoch = room->epoch, .tick = tick };
    message.body.input.slot = (uint8_t)slot;
    message.body.input.size = (uint8_t)tp_record_size(world->input);
    message.body.input.count = 1;
    message.body.input.bytes = bytes;
    client_send(room->client, &message);
    return true;
}
