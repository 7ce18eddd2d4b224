// client_session.c: a room whose present is played: what is confirmed goes to the session, what became final is told, the inputs go out.
#include <stdlib.h>

#include "client_internal.h"

enum {
    INPUT_HEAD = 3,   // bytes of INPUT before the inputs: slot, size, count
    SETTLE_AT  = 128, // confirmed ticks that wait for an advance before they are taken in without one: half of the roots that a session keeps
};
_Static_assert((int)SETTLE_AT < (int)TP_SESSION_ROOTS && (int)SETTLE_AT < (int)TP_SESSION_CONFIRMED_MAX, "what is taken in at once must have roots");

typedef tp_session_status (*SessionCall)(tp_session *session, tp_session_result *result, tp_error *error);

bool client_session_make(tp_client_room *room, tp_error *error)
{
    tp_session_options options = room->session_options;
    options.is_local = false;
    options.slots = room->slots;
    options.slot_count = room->slot_count;
    options.catch_up = options.catch_up < TP_SESSION_ROOTS ? options.catch_up : TP_SESSION_ROOTS; // each tick is told with its root
    room->session = tp_session_create(room->sim, &options, error);
    if (room->session == NULL) {
        return false;
    }
    // Of every tick from the first that is not confirmed to the last that an input was given for.
    room->inputs_capacity = options.window + TP_SESSION_DELAY_MAX + 2;
    room->inputs = malloc((size_t)room->inputs_capacity * TP_INPUT_SIZE_MAX);
    return room->inputs != NULL || tp_error_set(error, "out of memory");
}

bool client_session_reset(tp_client_room *room, tp_error *error)
{
    room->is_inside = true;
    tp_session_status status = tp_session_reset(room->session, error);
    room->is_inside = false;
    return status == TP_SESSION_OK;
}

void client_session_timing(tp_client_room *room, int32_t lead)
{
    if (room->session != NULL) {
        tp_session_note_lead(room->session, lead);
    }
}

// After a call of the session: tells of every tick that became final, and then of a desync. Whoever hears of it may call this page again.
static void tell(tp_client_room *room)
{
    tp_session_desync bad;
    while (room->stage == CLIENT_LIVE && room->told < tp_session_confirmed_tick(room->session)) {
        uint64_t   tick = room->told;
        tp_hash128 root = { 0 };
        room->told += 1;
        tp_session_root(room->session, tick, &root);
        client_ticks_agreed(room, tick, root);
    }
    if (room->stage == CLIENT_LIVE && tp_session_get_desync(room->session, &bad)) {
        client_ticks_differ(room, &(ClientDesync){ .tick = bad.tick, .root = bad.root, .own_root = bad.own_root, .is_fault = bad.is_fault,
                                                   .text = bad.is_fault ? tp_sim_fault(room->sim)->what : NULL });
    }
}

static tp_session_status call_session(tp_client_room *room, SessionCall call, tp_session_result *result, tp_error *error)
{
    tp_session_result unwanted;
    room->is_inside = true;
    tp_session_status status = call(room->session, result != NULL ? result : &unwanted, error);
    room->is_inside = false;
    return status;
}

// What follows a call. A session that is broken ends the membership.
static void after_call(tp_client_room *room, tp_session_status status, const tp_error *error)
{
    tell(room);
    if (status == TP_SESSION_BROKEN && room->stage == CLIENT_LIVE) {
        client_room_refuse(room, error->text);
    }
}

// One call that nobody asked for. False: nothing of what waits was taken in, or the room is not live any more.
static bool call_unasked(tp_client_room *room, SessionCall call)
{
    tp_error error = { "" };
    uint64_t before = tp_session_waiting(room->session);
    after_call(room, call_session(room, call, NULL, &error), &error);
    return room->stage == CLIENT_LIVE && tp_session_waiting(room->session) < before;
}

static bool take_in(tp_client_room *room)
{
    return call_unasked(room, room->slot_count > 0 ? tp_session_settle : tp_session_advance);
}

// For the drill alone: players in lockstep go on without having been asked, and do nothing.
static bool play_on(tp_client_room *room)
{
    _Alignas(16) static const uint8_t nothing[TP_INPUT_SIZE_MAX];
    if (room->slot_count == 0 || room->session_options.window > 0) {
        return take_in(room);
    }
    for (uint32_t handle = 0; handle < room->slot_count; handle++) {
        tp_session_input(room->session, handle, nothing, NULL);
    }
    return call_unasked(room, tp_session_advance);
}

// What is confirmed and nobody has taken in yet is told before the room is over.
void client_session_drain(tp_client_room *room)
{
    tp_error error = { "" };
    uint64_t before = UINT64_MAX;
    while (room->stage == CLIENT_LIVE && !room->is_inside && tp_session_waiting(room->session) > 0 && tp_session_waiting(room->session) < before) {
        before = tp_session_waiting(room->session);
        after_call(room, call_session(room, tp_session_drain, NULL, &error), &error);
    }
}

// The drill: brings the world to the tick, steps and changes it without the session, which then stands still.
static bool step_planted(tp_client_room *room, const ClientTick *tick, tp_error *error)
{
    while (tp_session_confirmed_tick(room->session) < tick->tick && play_on(room)) {
    }
    if (room->stage != CLIENT_LIVE) {
        return true;
    }
    if (tp_session_confirmed_tick(room->session) != tick->tick || (tp_sim_tick(room->sim) != tick->tick && !tp_sim_restore(room->sim, tick->tick))) {
        room->is_planted = false; // it cannot be done here: the tick is an ordinary one
        return client_session_confirmed(room, tick, error);
    }
    if (!client_ticks_step(room, tick, error)) {
        return false;
    }
    // Nothing could be changed after all: the session goes on behind this tick.
    room->told = tick->tick + 1;
    if (room->stage == CLIENT_LIVE && !client_session_reset(room, error)) {
        client_room_refuse(room, error->text);
    }
    return true;
}

// Nothing that is confirmed may be lost because nobody advances. Players have it taken in long before there is no more place: they show no later
// tick by that. A spectator would, so it plays only as many early as there is no place for. In lockstep only the players can say what comes next.
bool client_session_confirmed(tp_client_room *room, const ClientTick *tick, tp_error *error)
{
    tp_error reason;
    if (client_plant_is_due(room, tick->tick)) {
        return step_planted(room, tick, error);
    }
    if (room->slot_count > 0 && tp_session_waiting(room->session) >= SETTLE_AT) {
        take_in(room);
    }
    while (room->stage == CLIENT_LIVE) {
        tp_session_status status = tp_session_confirm(room->session, tick->tick, tick->row, tick->size, &tick->root, &reason);
        if (status == TP_SESSION_OK) {
            return true;
        }
        if (status != TP_SESSION_REFUSED) {
            after_call(room, TP_SESSION_BROKEN, &reason); // or it differs, which is told first
        } else if (tp_session_waiting(room->session) == 0) {
            return tp_error_set(error, "%s", reason.text); // there is place: it is no row
        } else if (!take_in(room) && room->stage == CLIENT_LIVE) {
            client_room_refuse(room, reason.text);
        }
    }
    return true;
}

// Inputs.

static void send_some(tp_client_room *room, uint8_t slot, uint64_t tick, const uint8_t *bytes, uint32_t count)
{
    Message message = client_room_message(room, MESSAGE_INPUT, tick);
    message.body.input.slot = slot;
    message.body.input.size = (uint8_t)tp_sim_layout(room->sim)->input_size;
    message.body.input.count = (uint8_t)count;
    message.body.input.bytes = bytes;
    client_send(room->client, &message);
}

// All that is not confirmed goes out again, as far as one message carries it: the newest, which the server cannot have yet. When there is more,
// a second message has older ones, other ones each time. So an advance sends two messages for a slot at most, as many as a server takes.
static void send_inputs(tp_client_room *room)
{
    uint32_t size = tp_sim_layout(room->sim)->input_size;
    uint32_t fits = (MESSAGE_SIZE_MAX - MESSAGE_HEAD_SIZE - INPUT_HEAD) / (size > 0 ? size : 1);
    fits = fits < MESSAGE_INPUTS_MAX ? fits : MESSAGE_INPUTS_MAX;
    for (uint32_t handle = 0; handle < room->slot_count && room->stage == CLIENT_LIVE; handle++) {
        uint64_t first = 0;
        uint32_t count = tp_session_unconfirmed(room->session, handle, &first, room->inputs, room->inputs_capacity);
        uint32_t old = count > fits ? count - fits : 0;
        if (old > 0) {
            uint32_t begin = room->turn % ((old + fits - 1) / fits) * fits;
            send_some(room, room->slots[handle], first + begin, room->inputs + (size_t)begin * size, old - begin < fits ? old - begin : fits);
        }
        if (count > 0) {
            send_some(room, room->slots[handle], first + old, room->inputs + (size_t)old * size, count - old);
        }
    }
    room->turn += 1;
}

// What the user calls.

tp_session *tp_client_room_session(tp_client_room *room)
{
    return room->is_joined ? room->session : NULL;
}

static tp_session_status check_call(const tp_client_room *room, tp_error *error)
{
    if (room->session == NULL) {
        tp_error_set(error, "this room has no session");
    } else if (room->is_inside) {
        tp_error_set(error, "a call of the session is under way");
    } else if (room->stage == CLIENT_DESYNCED) {
        tp_error_set(error, "the roots differ at tick %llu: the world stands there", (unsigned long long)room->bad_tick);
        return TP_SESSION_DESYNCED;
    } else if (room->stage != CLIENT_LIVE || !room->is_joined || room->client->is_over) {
        tp_error_set(error, "the room is not live");
    } else {
        return TP_SESSION_OK;
    }
    return TP_SESSION_REFUSED;
}

static tp_session_status call_asked(tp_client_room *room, SessionCall call, tp_session_result *result, tp_error *error)
{
    tp_error          unwanted;
    error = error != NULL ? error : &unwanted;
    tp_session_status status = check_call(room, error);
    if (status != TP_SESSION_OK) {
        if (result != NULL) {
            *result = (tp_session_result){ 0 };
        }
        return status;
    }
    status = call_session(room, call, result, error);
    if (status == TP_SESSION_OK && call == tp_session_advance) {
        send_inputs(room);
    }
    after_call(room, status, error);
    return status;
}

tp_session_status tp_client_advance(tp_client_room *room, tp_session_result *result, tp_error *error)
{
    return call_asked(room, tp_session_advance, result, error);
}

tp_session_status tp_client_settle(tp_client_room *room, tp_session_result *result, tp_error *error)
{
    return call_asked(room, tp_session_settle, result, error);
}
