// session_net.c: the network and the authority.
#include "session_net_internal.h"

#include <stdarg.h>

enum { REPORT_TICKS = 10, AHEAD_MAX = 200, CALM_TICKS = 30 }; // CALM_TICKS: at the end, in which nobody may be late

void net_fail(NetRun *run, const NetClient *client, const char *format, ...)
{
    if (!run->outcome.is_good) {
        return;
    }
    run->outcome.is_good = false;
    int used = snprintf(run->outcome.message, sizeof(run->outcome.message), "world %s, seed %llu, client %d: ", run->options.world->name,
                        (unsigned long long)run->options.seed, client != NULL ? (int)client->number : -1);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->outcome.message + used, sizeof(run->outcome.message) - (size_t)used, format, arguments);
    va_end(arguments);
}

void net_events_add(NetEvents *events, NetEvent event)
{
    if (events->count == events->capacity) {
        events->capacity = events->capacity * 2 + 64;
        events->events = realloc(events->events, events->capacity * sizeof(event));
    }
    events->events[events->count++] = event;
}

NetEvent net_event_of(const tp_event *event)
{
    return (NetEvent){ .tick = event->tick, .type = event->type, .hash = tp_hash64(TP_HASH_XXH3, event->data, event->size) };
}

static uint32_t draw(NetRun *run, uint32_t bound)
{
    return tp_pcg32_below(&run->random, bound);
}

static void put_packet(NetRun *run, uint32_t client, bool is_to_server, const uint8_t *bytes, size_t size)
{
    uint32_t delay = run->is_calm ? NET_PARTS / 2 : run->latency + draw(run, run->jitter + 1);
    if (run->packet_count == NET_PACKETS_MAX) {
        run->outcome.dropped += 1;
        return;
    }
    NetPacket *packet = &run->packets[run->packet_count++];
    packet->due = run->now + delay;
    packet->client = client;
    packet->is_to_server = is_to_server;
    packet->size = (uint32_t)size;
    memcpy(packet->bytes, bytes, size);
}

void net_send(NetRun *run, uint32_t client, bool is_to_server, const uint8_t *bytes, size_t size)
{
    const NetClient *end = &run->client[client];
    bool is_cut = run->now >= end->partition_from && run->now < end->partition_to;
    bool is_lost = draw(run, 100) < run->loss;
    bool is_twice = draw(run, 100) < run->duplicates;
    run->outcome.packets += 1;
    if (!run->is_calm && (is_cut || is_lost)) {
        run->outcome.dropped += 1;
        return;
    }
    put_packet(run, client, is_to_server, bytes, size);
    if (is_twice && !run->is_calm) {
        put_packet(run, client, is_to_server, bytes, size);
    }
}

static uint64_t get_u64(const uint8_t *bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, 8);
    return value;
}

// Of an input that comes for the first time, a late one included: without those, who is always late would never hear of it.
static void note_lead(NetClient *client, uint32_t slot, uint64_t of, uint64_t tick)
{
    if (of >= client->heard_end[slot]) {
        int32_t lead = (int32_t)((int64_t)of - (int64_t)tick);
        client->lead = lead < client->lead ? lead : client->lead;
        client->heard_end[slot] = of + 1;
    }
}

// A client's packet: what it knows, then per slot: slot, first tick, count, inputs.
static void server_receive(NetRun *run, NetClient *client, const uint8_t *bytes, size_t size)
{
    uint64_t tick = tp_sim_tick(run->sim);
    uint64_t acked = get_u64(bytes);
    client->acked = acked > client->acked ? acked : client->acked;
    for (size_t offset = 8; offset < size;) {
        uint32_t slot = bytes[offset];
        uint64_t first = get_u64(bytes + offset + 1);
        uint32_t count = bytes[offset + 9];
        offset += 10;
        for (uint32_t i = 0; i < count; i++, offset += run->input_size) {
            uint64_t of = first + i;
            note_lead(client, slot, of, tick);
            bool     is_wanted = of >= tick && of < tick + AHEAD_MAX && of < NET_TICKS_MAX;
            if (!is_wanted || run->has_input[slot * NET_TICKS_MAX + of]) {
                continue;
            }
            run->has_input[slot * NET_TICKS_MAX + of] = true;
            memcpy(run->inputs + (slot * NET_TICKS_MAX + of) * run->input_size, bytes + offset, run->input_size);
        }
    }
}

static void deliver(NetRun *run)
{
    for (uint32_t i = 0; i < run->packet_count;) {
        NetPacket *packet = &run->packets[i];
        if (packet->due > run->now) {
            i++;
            continue;
        }
        NetClient *client = &run->client[packet->client];
        if (packet->is_to_server) {
            server_receive(run, client, packet->bytes, packet->size);
        } else if (client->is_open) {
            net_client_receive(client, packet->bytes, packet->size);
        }
        run->packets[i] = run->packets[--run->packet_count]; // the order changes: one more reason that none may count
    }
}

static bool has_client(const NetRun *run, uint32_t slot)
{
    for (uint32_t i = 0; i < run->clients; i++) {
        for (uint32_t h = 0; h < run->client[i].slot_count; h++) {
            if (run->client[i].slots[h] == slot) {
                return true;
            }
        }
    }
    return false;
}

// The authority's own decisions: slots of nobody come and go, and play by themselves.
static void decide_slot(NetRun *run, uint32_t slot, uint64_t tick)
{
    uint8_t *bytes = run->last + slot * run->input_size;
    bool     is_due = run->has_input[slot * NET_TICKS_MAX + tick];
    if (!has_client(run, slot) && draw(run, 40) == 0) {
        run->present[slot] = !run->present[slot];
        tp_input_neutral(tp_sim_layout(run->sim), bytes);
    }
    if (is_due) {
        memcpy(bytes, run->inputs + (slot * NET_TICKS_MAX + tick) * run->input_size, run->input_size);
    } else if (!has_client(run, slot) && draw(run, 10) == 0) {
        _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX] = { 0 };
        rig_input(run->options.world, &run->random, native);
        rig_encode(run->options.world, native, bytes);
    } else {
        uint8_t next[TP_INPUT_SIZE_MAX];
        rig_predict(run->options.world, bytes, next);
        memcpy(bytes, next, run->input_size);
    }
}

// Two worlds fault on some inputs: two in danger at once, and all buttons of the opaque one. The authority does not let it come to that, so a
// client whose input is changed here is told otherwise by the row, and its guess was a fault.
static void keep_from_faults(NetRun *run)
{
    bool has_danger = false;
    bool is_noisy = strcmp(run->options.world->name, "noisy") == 0;
    bool is_opaque = strcmp(run->options.world->name, "testopaque") == 0;
    for (uint32_t slot = 0; slot < run->players; slot++) {
        uint8_t *first = run->last + slot * run->input_size;
        bool     is_danger = is_noisy && run->present[slot] && (*first & 128) != 0;
        *first = is_danger && has_danger ? *first & 127 : *first;
        *first = is_opaque && *first == 7 ? 6 : *first;
        has_danger = has_danger || is_danger;
    }
}

static void server_step(NetRun *run)
{
    static const uint8_t text[64] = { 't', 'e', 'x', 't' };
    uint64_t   tick = tp_sim_tick(run->sim);
    NetRow    *row = &run->rows[tick];
    tp_command command = { .source = TP_SOURCE_HOST, .type = 1, .size = (uint16_t)draw(run, 60), .data = text };
    bool       is_noisy = strcmp(run->options.world->name, "noisy") == 0;
    bool       has_command = draw(run, 25) == 0 && (is_noisy || strcmp(run->options.world->name, "testflat") == 0);
    command.type = is_noisy ? 0 : 1;
    for (uint32_t slot = 0; slot < run->players; slot++) {
        decide_slot(run, slot, tick);
    }
    keep_from_faults(run);
    row->size = rig_row(run->sim, run->present, run->last, has_command ? &command : NULL, row->bytes);
    row->root = rig_step(run->sim, row->bytes, row->size);
    tp_view view = tp_sim_view(run->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        net_events_add(&run->events, net_event_of(&view.events[i]));
    }
}

// A server's packet: lead, first tick, count, then per row: size, root, bytes.
static void server_send(NetRun *run, NetClient *client)
{
    uint8_t  bytes[NET_PACKET_SIZE];
    uint64_t tick = tp_sim_tick(run->sim);
    bool     is_report = tick % REPORT_TICKS == 0 && client->lead != INT32_MAX;
    int32_t  lead = is_report ? client->lead : INT32_MAX;
    uint64_t first = client->acked;
    uint8_t  count = 0;
    size_t   size = 13;
    for (uint64_t t = first; t < tick && count < NET_PACKET_ROWS && size + 18 + run->rows[t].size <= sizeof(bytes); t++, count++) {
        uint16_t row_size = (uint16_t)run->rows[t].size;
        memcpy(bytes + size, &row_size, 2);
        memcpy(bytes + size + 2, &run->rows[t].root, 16);
        memcpy(bytes + size + 18, run->rows[t].bytes, row_size);
        size += 18 + row_size;
    }
    memcpy(bytes, &lead, 4);
    memcpy(bytes + 4, &first, 8);
    bytes[12] = count;
    client->lead = is_report ? INT32_MAX : client->lead;
    net_send(run, client->number, false, bytes, size);
}

static void server_tick(NetRun *run)
{
    uint64_t tick = tp_sim_tick(run->sim);
    for (uint32_t i = 0; i < run->clients; i++) {
        NetClient *client = &run->client[i];
        if (!client->is_open && client->joins == tick) {
            net_client_open(client);
            for (uint32_t h = 0; h < client->slot_count; h++) {
                run->present[client->slots[h]] = true;
            }
        } else if (client->is_open && !run->is_calm && draw(run, 400) == 0) {
            net_client_reset(client);
        }
    }
    server_step(run);
    for (uint32_t i = 0; i < run->clients; i++) {
        if (run->client[i].is_open) {
            server_send(run, &run->client[i]);
        }
    }
}

static void run_part(NetRun *run, bool is_server_on)
{
    deliver(run);
    if (is_server_on && run->now % NET_PARTS == 0) {
        server_tick(run);
    }
    for (uint32_t i = 0; i < run->clients; i++) {
        NetClient *client = &run->client[i];
        if (client->is_open && run->now % NET_PARTS == client->phase) {
            net_client_tick(client);
        }
        if (!run->is_calm && draw(run, 300 * NET_PARTS) == 0) {
            client->partition_from = run->now;
            client->partition_to = run->now + draw(run, 60 * NET_PARTS);
        }
    }
    run->now += 1;
}

static bool all_confirmed(const NetRun *run)
{
    for (uint32_t i = 0; i < run->clients; i++) {
        if (tp_session_confirmed_tick(run->client[i].session) != tp_sim_tick(run->sim)) {
            return false;
        }
    }
    return true;
}

// The authority stands; what is under way arrives, and everybody comes to the same end.
static void finish_run(NetRun *run)
{
    uint64_t most = run->now + 600 * NET_PARTS;
    while (run->outcome.is_good && !all_confirmed(run) && run->now < most) {
        deliver(run);
        for (uint32_t i = 0; i < run->clients && run->now % NET_PARTS == 0; i++) {
            server_send(run, &run->client[i]);
            net_client_drain(&run->client[i]);
        }
        run->now += 1;
    }
    if (run->outcome.is_good && !all_confirmed(run)) {
        net_fail(run, NULL, "600 ticks after the last fault somebody is still not there");
    }
    for (uint32_t i = 0; i < run->clients; i++) {
        net_check_end(&run->client[i]);
    }
}

NetOptions net_options(const tp_world *world, uint64_t seed)
{
    return (NetOptions){ .world = world, .seed = seed, .ticks = 200, .calm_ticks = 120, .window = UINT32_MAX };
}

static void draw_client(NetRun *run, NetClient *client, uint32_t number, uint32_t *slot)
{
    static const uint32_t windows[] = { 8, 8, 8, 1, 3, 12, 30, 0 };
    uint32_t              left = run->players - *slot;
    uint32_t              others = run->clients - number - 1;
    uint32_t              most = left > others ? left - others : 1;
    client->run = run;
    client->number = number;
    client->random = tp_pcg32_make(run->options.seed, 100 + number);
    client->joins = number == 0 ? 0 : draw(run, 3) == 0 ? draw(run, 100) : 0;
    client->slot_count = left == 0 || draw(run, 6) == 0 ? 0 : 1 + draw(run, most < 3 ? most : 3);
    client->window = run->options.window != UINT32_MAX ? run->options.window : windows[draw(run, 8)];
    client->is_sent_roots = draw(run, 2) == 0;
    client->phase = draw(run, NET_PARTS);
    client->lead = INT32_MAX;
    for (uint32_t h = 0; h < client->slot_count; h++) {
        client->slots[h] = (uint8_t)(*slot)++;
    }
}

static void begin_run(NetRun *run)
{
    const tp_world *world = run->options.world;
    uint32_t        slot = 0;
    run->random = tp_pcg32_make(run->options.seed, 1);
    run->outcome.is_good = true;
    run->players = 2 + draw(run, NET_SLOTS_MAX - 1);
    run->clients = run->options.clients != 0 ? run->options.clients : 2 + draw(run, 3);
    run->latency = draw(run, 10 * NET_PARTS);
    run->jitter = draw(run, 2) * draw(run, 6 * NET_PARTS);
    run->loss = draw(run, 2) * draw(run, 40);
    run->duplicates = draw(run, 20);
    run->sim = rig_sim(world, run->players, run->options.seed, 0);
    run->input_size = tp_sim_layout(run->sim)->input_size;
    run->rows = calloc(NET_TICKS_MAX, sizeof(NetRow));
    run->inputs = calloc((size_t)run->players * NET_TICKS_MAX, run->input_size);
    run->has_input = calloc((size_t)run->players * NET_TICKS_MAX, sizeof(bool));
    run->packets = calloc(NET_PACKETS_MAX, sizeof(NetPacket));
    for (uint32_t s = 0; s < run->players; s++) {
        tp_input_neutral(tp_sim_layout(run->sim), run->last + s * run->input_size);
    }
    for (uint32_t i = 0; i < run->clients; i++) {
        draw_client(run, &run->client[i], i, &slot);
    }
}

static void end_run(NetRun *run)
{
    for (uint32_t i = 0; i < run->clients; i++) {
        net_client_close(&run->client[i]);
    }
    run->outcome.root = tp_sim_root(run->sim);
    tp_sim_destroy(run->sim);
    free(run->events.events);
    free(run->rows);
    free(run->inputs);
    free(run->has_input);
    free(run->packets);
}

NetOutcome net_run(const NetOptions *options)
{
    NetRun *run = calloc(1, sizeof(*run));
    run->options = *options;
    begin_run(run);
    uint64_t faulty = (uint64_t)options->ticks * NET_PARTS;
    uint64_t end = faulty + (uint64_t)options->calm_ticks * NET_PARTS;
    while (run->outcome.is_good && run->now < end) {
        run->is_calm = run->now >= faulty;
        for (uint32_t i = 0; i < run->clients && run->now + CALM_TICKS * NET_PARTS == end; i++) {
            tp_session_statistics statistics;
            tp_session_get_statistics(run->client[i].session, &statistics);
            run->client[i].late_before = statistics.late;
        }
        run_part(run, true);
    }
    run->is_calm = true;
    if (run->outcome.is_good) {
        finish_run(run);
    }
    end_run(run);
    NetOutcome outcome = run->outcome;
    free(run);
    return outcome;
}
