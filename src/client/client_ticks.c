// client_ticks.c: what the server confirms: rows put together of their parts, stepped here or given to the session, roots compared, reported.
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"

bool client_ticks_memory(tp_client_room *room)
{
    const tp_layout *layout = tp_sim_layout(room->sim);
    size_t           largest = tp_row_size_fixed(layout->setup.players, layout->input_size);
    largest += layout->world->command_count > 0 ? TP_COMMAND_BYTES_MAX : 0;
    room->row_capacity = largest;
    room->row = malloc(largest);
    return room->row != NULL;
}

// Agreeing and differing.

static void report(tp_client_room *room, uint64_t tick, tp_hash128 root)
{
    Message message = client_room_message(room, MESSAGE_REPORT, tick);
    message.body.report.root = root;
    client_send(room->client, &message);
}

// Reports go out before anybody hears of the tick: who leaves from inside the event has reported it.
void client_ticks_agreed(tp_client_room *room, uint64_t tick, tp_hash128 root)
{
    if (room->report > 0 && tick % room->report == 0) {
        report(room, tick, root);
    }
    client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_CONFIRMED, .tick = tick, .durable = room->durable, .root = root });
}

void client_ticks_differ(tp_client_room *room, const ClientDesync *desync)
{
    // First of all the world stands still: what is reported must be there when the server asks for it.
    room->stage = CLIENT_DESYNCED;
    room->is_bad = true;
    room->is_bad_fault = desync->is_fault;
    room->bad_tick = desync->tick;
    room->own_root = desync->own_root;
    if (desync->tick != TP_ROOT_TICK_START) {
        report(room, desync->tick, desync->own_root);
    }
    client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_DESYNC, .tick = desync->tick, .durable = room->durable, .root = desync->root,
                                              .own_root = desync->own_root, .text = desync->text });
}

// Confirmed ticks.

static bool check_part(const tp_client_room *room, const Message *message, tp_error *error)
{
    uint32_t part = message->body.confirmed.part;
    uint32_t parts = message->body.confirmed.parts;
    if (message->tick != room->due) {
        return tp_error_set(error, "tick %llu came, %llu was due", (unsigned long long)message->tick, (unsigned long long)room->due);
    }
    if (part != room->part || (part > 0 && parts != room->parts)) {
        return tp_error_set(error, "part %u of %u of a row came, part %u was due", part, parts, room->part);
    }
    if (part > 0 && !tp_hash128_equal(message->body.confirmed.root, room->row_root)) {
        return tp_error_set(error, "the parts of a row have different roots");
    }
    return true;
}

// Collects a row. It has no bytes while parts are missing; a row of one part is not copied.
static bool take_part(tp_client_room *room, const Message *message, ClientTick *tick, tp_error *error)
{
    size_t size = message->body.confirmed.size;
    *tick = (ClientTick){ .tick = message->tick, .root = message->body.confirmed.root };
    if (!check_part(room, message, error)) {
        return false;
    }
    if (message->body.confirmed.parts == 1) {
        tick->row = message->body.confirmed.bytes;
        tick->size = size;
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
        tick->row = room->row;
        tick->size = room->row_size;
    }
    return true;
}

bool client_ticks_step(tp_client_room *room, const ClientTick *tick, tp_error *error)
{
    tp_error      reason;
    tp_sim       *sim = room->sim;
    tp_sim_status status = tp_sim_step_bytes(sim, tick->row, tick->size, &reason);
    if (status == TP_SIM_FAULTED) {
        // The server says LEFT (faulted) instead of confirming a tick that faulted there.
        client_ticks_differ(room, &(ClientDesync){ .tick = tick->tick, .root = tick->root, .own_root = tp_sim_fault_root(sim), .is_fault = true,
                                                   .text = reason.text });
        return true;
    }
    if (status == TP_SIM_REFUSED && tp_sim_is_sound(sim)) {
        return tp_error_set(error, "tick %llu: %.200s", (unsigned long long)tick->tick, reason.text);
    }
    if (client_plant_is_due(room, tick->tick)) {
        client_plant(room);
    }
    tp_hash128 own = tp_sim_root(sim);
    if (!tp_sim_is_sound(sim) || !tp_hash128_equal(own, tick->root)) {
        const char *text = tp_sim_is_sound(sim) ? NULL : "the world could not save or hash its state here";
        client_ticks_differ(room, &(ClientDesync){ .tick = tick->tick, .root = tick->root, .own_root = own, .text = text });
    } else {
        client_ticks_agreed(room, tick->tick, own);
    }
    return true;
}

bool client_ticks_confirmed(tp_client_room *room, const Message *message, tp_error *error)
{
    ClientTick tick;
    if (room->stage == CLIENT_DESYNCED) {
        return true;
    }
    if (room->stage != CLIENT_LIVE) {
        return tp_error_set(error, "it came before the whole state");
    }
    if (!take_part(room, message, &tick, error)) {
        return false;
    }
    room->durable = message->body.confirmed.durable;
    if (tick.row == NULL) {
        return true;
    }
    room->due += 1;
    return room->session != NULL ? client_session_confirmed(room, &tick, error) : client_ticks_step(room, &tick, error);
}
