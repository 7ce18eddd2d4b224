// session_net_client.c: one client: it plays at random, sends its inputs until they are confirmed, and keeps its distance to the authority.
#include "session_net_internal.h"

enum { ADVICE_TICKS = 60, WANTED_LEAD = 2, SKIP_MAX = 40 };

static uint32_t draw(NetClient *client, uint32_t bound)
{
    return tp_pcg32_below(&client->random, bound);
}

// The state as it is at the authority, as foreign bytes.
static void copy_state(NetClient *client, tp_sim *from, tp_sim *to)
{
    size_t   size = 0;
    size_t   capacity = tp_sim_encoded_max(from);
    uint8_t *bytes = malloc(capacity + 1);
    tp_error error = { "it does not fit" };
    if (!tp_sim_encode(from, bytes, capacity, &size) ||
        !tp_sim_decode(to, bytes, size, tp_sim_tick(from), tp_sim_input_leaf(from), tp_sim_event_leaf(from), &error)) {
        net_fail(client->run, client, "taking over a state: %s", error.text);
    }
    free(bytes);
}

void net_client_open(NetClient *client)
{
    NetRun            *run = client->run;
    const tp_world    *world = run->options.world;
    tp_session_options options;
    tp_error           error;
    tp_session_options_standard(&options);
    options.window = client->window;
    options.delay = draw(client, 2) * draw(client, 6);
    options.slot_count = client->slot_count;
    options.slots = client->slots;
    options.keeps_roots = true;
    options.event = net_check_event;
    options.event_to = client;
    client->sim = rig_sim(world, run->players, run->options.seed, tp_session_ring(client->window));
    client->oracle = rig_sim(world, run->players, run->options.seed, 0);
    client->ahead = rig_sim(world, run->players, run->options.seed, 0);
    client->own = calloc((size_t)NET_SLOTS_MAX * NET_TICKS_MAX, run->input_size);
    client->is_own = calloc((size_t)NET_SLOTS_MAX * NET_TICKS_MAX, sizeof(bool));
    copy_state(client, run->sim, client->sim);
    copy_state(client, run->sim, client->oracle);
    client->session = tp_session_create(client->sim, &options, &error);
    if (client->session == NULL) {
        fprintf(stderr, "session_net: %s\n", error.text);
        abort();
    }
    client->first = client->acked = tp_sim_tick(run->sim);
    client->next_event = run->events.count;
    client->is_open = true;
}

void net_client_close(NetClient *client)
{
    tp_session_statistics statistics = { 0 };
    NetOutcome           *outcome = &client->run->outcome;
    if (client->session != NULL) {
        tp_session_get_statistics(client->session, &statistics);
    }
    outcome->rollbacks += statistics.rollbacks;
    outcome->rolled_back += statistics.rolled_back;
    outcome->rollback_max = statistics.rollback_max > outcome->rollback_max ? statistics.rollback_max : outcome->rollback_max;
    outcome->stalls += statistics.stalls;
    outcome->predicted += statistics.predicted;
    outcome->mispredicted += statistics.mispredicted;
    outcome->late += statistics.late;
    outcome->retracted += statistics.events_retracted;
    outcome->lost += statistics.events_lost;
    outcome->guess_faults += statistics.guess_faults;
    tp_session_destroy(client->session);
    tp_sim_destroy(client->sim);
    tp_sim_destroy(client->oracle);
    tp_sim_destroy(client->ahead);
    free(client->own);
    free(client->is_own);
    free(client->predicted.events);
    free(client->retracted.events);
}

void net_client_reset(NetClient *client)
{
    tp_error error;
    copy_state(client, client->run->sim, client->sim);
    copy_state(client, client->run->sim, client->oracle);
    if (tp_session_reset(client->session, &error) != TP_SESSION_OK) {
        net_fail(client->run, client, "reset: %s", error.text);
    }
    client->first = client->acked = tp_sim_tick(client->sim);
    client->next_event = client->run->events.count;
    client->last_confirmed = client->last_retracted = 0;
    client->retracted.count = 0;
    if (client->predicted.count != 0) {
        net_fail(client->run, client, "%zu predicted events outlive a reset", client->predicted.count);
    }
}

void net_client_receive(NetClient *client, const uint8_t *bytes, size_t size)
{
    int32_t  lead;
    uint64_t tick;
    memcpy(&lead, bytes, 4);
    memcpy(&tick, bytes + 4, 8);
    if (lead != INT32_MAX) {
        tp_session_note_lead(client->session, lead);
    }
    size_t offset = 13;
    for (uint32_t i = 0; i < bytes[12]; i++, tick++) {
        uint16_t   row_size;
        tp_hash128 root;
        tp_error   error;
        memcpy(&row_size, bytes + offset, 2);
        memcpy(&root, bytes + offset + 2, 16);
        uint64_t          next = tp_session_confirmed_tick(client->session) + tp_session_waiting(client->session);
        tp_session_status status =
            tp_session_confirm(client->session, tick, bytes + offset + 18, row_size, client->is_sent_roots ? &root : NULL, &error);
        bool is_full = tick == next && tp_session_waiting(client->session) == TP_SESSION_CONFIRMED_MAX;
        if (status != (tick > next || is_full ? TP_SESSION_REFUSED : TP_SESSION_OK)) {
            net_fail(client->run, client, "confirming tick %llu with %llu next: %s: %s", (unsigned long long)tick, (unsigned long long)next,
                     tp_session_status_name(status), error.text);
        }
        offset += 18 + (size_t)row_size;
    }
}

static void send_inputs(NetClient *client)
{
    uint8_t  bytes[NET_PACKET_SIZE];
    NetRun  *run = client->run;
    uint64_t known = tp_session_confirmed_tick(client->session) + tp_session_waiting(client->session);
    size_t   size = 8;
    memcpy(bytes, &known, 8);
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        uint64_t first;
        uint8_t  inputs[100 * TP_INPUT_SIZE_MAX];
        uint32_t count = tp_session_unconfirmed(client->session, handle, &first, inputs, 50);
        net_check_unconfirmed(client, handle, first, inputs, count);
        bytes[size] = client->slots[handle];
        memcpy(bytes + size + 1, &first, 8);
        bytes[size + 9] = (uint8_t)count;
        memcpy(bytes + size + 10, inputs, count * run->input_size);
        size += 10 + count * run->input_size;
    }
    net_send(run, client->number, true, bytes, size);
}

static void give_inputs(NetClient *client)
{
    tp_error error;
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        if (tp_session_input(client->session, handle, client->hold[handle], &error) != TP_SESSION_OK) {
            net_fail(client->run, client, "handle %u: %s", handle, error.text);
        }
    }
}

static void play(NetClient *client)
{
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        if (draw(client, 6) == 0) {
            memset(client->hold[handle], 0, sizeof(client->hold[handle]));
            rig_input(client->run->options.world, &client->random, client->hold[handle]);
        }
    }
}

static void advance(NetClient *client)
{
    tp_session_result result;
    tp_error          error;
    uint64_t          before = tp_session_confirmed_tick(client->session);
    uint64_t          present = tp_session_tick(client->session);
    give_inputs(client);
    tp_session_status status = tp_session_advance(client->session, &result, &error);
    if (status == TP_SESSION_OK && client->slot_count > 0) {
        net_check_taken(client, &result);
    }
    net_check_call(client, before, present, status, &result, &error);
    if (result.took_inputs) {
        play(client);
    }
}

static void settle(NetClient *client)
{
    tp_session_result result;
    tp_error          error;
    uint64_t          before = tp_session_confirmed_tick(client->session);
    uint64_t          present = tp_session_tick(client->session);
    tp_session_status status = tp_session_settle(client->session, &result, &error);
    net_check_call(client, before, present, status, &result, &error);
}

static void keep_time(NetClient *client)
{
    if (client->run->now / NET_PARTS % ADVICE_TICKS == 0) {
        int32_t advice = tp_session_advice(client->session, WANTED_LEAD);
        client->skip = advice > SKIP_MAX ? SKIP_MAX : advice < -SKIP_MAX ? -SKIP_MAX : advice;
    }
    if (client->run->is_calm) {
        return;
    }
    if (draw(client, 150) == 0) {
        (void)tp_session_set_delay(client->session, draw(client, 8));
    }
    if (draw(client, 100) == 0) {
        client->skip += (int32_t)draw(client, 5) - 2; // its clock is not the authority's
    }
}

void net_client_tick(NetClient *client)
{
    keep_time(client);
    if (client->skip > 0) {
        client->skip -= 1;
        settle(client);
    } else {
        advance(client);
        if (client->skip < 0) {
            client->skip += 1;
            advance(client);
        }
    }
    send_inputs(client);
}

void net_client_drain(NetClient *client)
{
    if (client->slot_count == 0 || client->window == 0) {
        advance(client);
    } else {
        settle(client);
    }
    send_inputs(client);
}
