// livesim_client.c: one client: the library as a game uses it, a bot for each player, a clock that is a little off, and what it is held against.
#include <stdlib.h>
#include <string.h>

#include "livesim.h"

enum { RETRY_US = 100000, PULSE_US = 10000, LEAD_STEPPED = 6, WANTED_LEAD = 2, MARGIN_US = 200000 };

static uint64_t period_us(const LivesimClient *client)
{
    const LivesimPlan *plan = client->sim->plan;
    int64_t            period = 1000000 / plan->world->tick_rate_hz;
    return (uint64_t)(period + period * plan->clients[client->number].drift_ppm / 1000000);
}

// Reports.

static void check_confirmed(LivesimClient *client, const tp_client_event *event)
{
    Livesim *sim = client->sim;
    uint64_t tick = event->tick;
    client->durable = event->durable > client->durable ? event->durable : client->durable;
    if (tick != client->next_tick) {
        livesim_fail(sim, "client %u: tick %llu is confirmed, %llu was next", client->number, (unsigned long long)tick, (unsigned long long)client->next_tick);
    } else if (tick >= LIVESIM_TICKS || !sim->is_known[tick]) {
        livesim_fail(sim, "client %u: tick %llu is confirmed, and the server has not stepped it", client->number, (unsigned long long)tick);
    } else if (!tp_hash128_equal(event->root, sim->roots[tick])) {
        livesim_fail(sim, "client %u: tick %llu: another root than the server's", client->number, (unsigned long long)tick);
    } else if (client->room != NULL && tp_client_room_session(client->room) != NULL && client->event_hashes[tick] != sim->event_hashes[tick]) {
        livesim_fail(sim, "client %u: tick %llu: other events were told as final than the server had", client->number, (unsigned long long)tick);
    }
    uint32_t behind = sim->plan->clients[client->number].behind;
    if (behind > 0 && tick + behind >= tp_sim_tick(sim->room.sim) && sim->room.result.state == SERVER_ROOM_RUNNING) {
        livesim_fail(sim, "client %u: tick %llu was told too early to who watches %u ticks behind", client->number, (unsigned long long)tick, behind);
    }
    client->next_tick = tick + 1;
    sim->outcome->confirmed += 1;
}

static void on_world_event(void *to, const tp_session_event *event)
{
    LivesimClient *client = to;
    uint64_t       tick = event->event.tick;
    if (tick >= LIVESIM_TICKS) {
        return;
    }
    switch (event->kind) {
    case TP_SESSION_PREDICTED: client->predicted += 1; break;
    case TP_SESSION_RETRACTED: client->retracted += 1; break;
    case TP_SESSION_CONFIRMED:
        client->confirmed_predicted += event->was_predicted ? 1 : 0;
        client->sim->outcome->events += 1;
        client->event_hashes[tick] = livesim_hash_event(client->event_hashes[tick], &event->event);
        if (client->sim->plan->plant == LIVESIM_PLANT_EVENT && client->sim->outcome->events % 10 == 5) {
            client->event_hashes[tick] = livesim_hash_event(client->event_hashes[tick], &event->event);
        }
        break;
    }
    if (client->retracted + client->confirmed_predicted > client->predicted) {
        livesim_fail(client->sim, "client %u: tick %llu: more events were taken back or made final than were told", client->number, (unsigned long long)tick);
    }
}

static void begin_playing(LivesimClient *client, uint64_t tick)
{
    client->next_tick = tick;
    client->is_live = true;
    client->is_desynced = false;
    client->next_us = client->sim->now_us;
    for (uint64_t at = tick; at < LIVESIM_TICKS; at++) {
        client->event_hashes[at] = 0;
    }
}

static void joined(LivesimClient *client, const tp_client_event *event)
{
    const LivesimPlan *plan = client->sim->plan;
    const tp_bot_type *bot = plan->world->bot;
    const uint8_t     *slots;
    const uint8_t     *token = tp_client_room_token(client->room);
    if (!client->has_been && event->tick > 0) {
        client->sim->outcome->joins_late += 1;
    }
    client->slot_count = tp_client_room_slots(client->room, &slots);
    if (client->has_been && client->has_token && (client->slot_count == 0 || memcmp(slots, client->slots, client->slot_count) != 0)) {
        livesim_fail(client->sim, "client %u came back by its token to other slots", client->number);
    }
    memcpy(client->slots, slots, client->slot_count);
    client->has_token = token != NULL;
    if (token != NULL) {
        memcpy(client->token, token, TP_CLIENT_TOKEN_SIZE);
    }
    size_t stride = (bot->size + 15) / 16 * 16;
    free(client->bots);
    free(client->input);
    client->bots = calloc(client->slot_count + 1, stride);
    client->input = calloc(1, plan->world->input->struct_size + 16);
    for (uint32_t i = 0; i < client->slot_count; i++) {
        tp_view view = tp_sim_view(tp_client_room_sim(client->room));
        bot->init(client->bots + i * stride, view.setup, client->slots[i], plan->seed * 131 + client->slots[i], 0);
    }
    client->has_been = true;
    begin_playing(client, event->tick);
    uint64_t plant_tick = plan->clients[client->number].plant_tick;
    if (plant_tick > event->tick && !client->has_planted && tp_client_room_plant(client->room, plant_tick, plan->seed)) {
        client->has_planted = true;
        client->sim->next_desync_tick = plant_tick;
    }
}

static void done(LivesimClient *client)
{
    client->is_done = true;
    client->is_live = false;
    client->room = NULL;
}

static void add_statistics(LivesimClient *client)
{
    tp_session_statistics statistics;
    LivesimOutcome       *outcome = client->sim->outcome;
    tp_session           *session = client->room != NULL && client->has_been ? tp_client_room_session(client->room) : NULL;
    if (session == NULL) {
        return;
    }
    tp_session_get_statistics(session, &statistics);
    outcome->rollbacks += statistics.rollbacks;
    outcome->rolled_back += statistics.rolled_back;
    outcome->stalls += statistics.stalls;
    outcome->late += statistics.late;
    outcome->frames += statistics.frames;
    outcome->mispredicted += statistics.mispredicted;
    outcome->depth_max = statistics.rollback_max > outcome->depth_max ? statistics.rollback_max : outcome->depth_max;
    for (uint32_t i = 0; i <= TP_SESSION_WINDOW_MAX; i++) {
        outcome->depths[i] += statistics.rollback_depths[i];
    }
}

static void left(LivesimClient *client, const tp_client_event *event)
{
    Livesim *sim = client->sim;
    bool     is_over = event->reason == MESSAGE_REASON_ENDED;
    add_statistics(client);
    if (is_over && client->is_live && !client->wants_leave && client->next_tick != sim->plan->ticks && sim->plan->clients[client->number].behind == 0 && !client->is_desynced) {
        livesim_fail(sim, "client %u: the room is over, but only ticks below %llu were confirmed", client->number, (unsigned long long)client->next_tick);
    }
    client->room = NULL;
    client->is_live = false;
    if (is_over || client->wants_leave || event->reason == MESSAGE_REASON_DESYNC) {
        done(client);
    } else if (event->reason != MESSAGE_REASON_BEHIND) {
        livesim_fail(sim, "client %u was put out: %s: %s", client->number, tp_client_reason_name(event->reason), event->text);
    } else {
        client->has_token = false;
        client->retry_us = sim->now_us + RETRY_US;
    }
}

static void refused(LivesimClient *client, const tp_client_event *event)
{
    client->room = NULL;
    client->retry_us = client->sim->now_us + RETRY_US;
    if (event->reason == MESSAGE_REASON_ENDED) {
        done(client);
    } else if (event->reason == MESSAGE_REASON_FULL) {
        client->retry_us = client->sim->now_us + RETRY_US; // somebody's slot is being kept for him
    } else if (event->reason == MESSAGE_REASON_TOKEN) {
        client->has_token = false;
    } else {
        livesim_fail(client->sim, "client %u was refused: %s: %s", client->number, tp_client_reason_name(event->reason), event->text);
    }
}

static void on_event(void *to, const tp_client_event *event)
{
    LivesimClient *client = to;
    Livesim       *sim = client->sim;
    if (sim->is_told && event->kind != TP_CLIENT_CONFIRMED && event->kind != TP_CLIENT_TIMING) {
        printf("  %llu ms, room at %llu: client %u: event %d, tick %llu, reason %u: %s\n", (unsigned long long)sim->now_us / 1000,
               (unsigned long long)(sim->room.sim != NULL ? tp_sim_tick(sim->room.sim) : 0), client->number, (int)event->kind, (unsigned long long)event->tick, event->reason, event->text);
    }
    switch (event->kind) {
    case TP_CLIENT_JOINED: joined(client, event); break;
    case TP_CLIENT_REWOUND:
        sim->outcome->rewinds += 1;
        begin_playing(client, event->tick);
        break;
    case TP_CLIENT_CONFIRMED: check_confirmed(client, event); break;
    case TP_CLIENT_REFUSED: refused(client, event); break;
    case TP_CLIENT_LEFT: left(client, event); break;
    case TP_CLIENT_PACE: client->is_paused = event->is_paused; break;
    case TP_CLIENT_DESYNC:
        client->is_desynced = true;
        if (!client->has_planted || event->tick != sim->plan->clients[client->number].plant_tick) {
            sim->outcome->false_alarms += 1;
            livesim_fail(sim, "client %u: tick %llu is a desync: %s", client->number, (unsigned long long)event->tick, event->text);
        }
        break;
    case TP_CLIENT_MALFORMED: livesim_fail(sim, "client %u: the server makes no sense: %s", client->number, event->text); break;
    case TP_CLIENT_BYE: livesim_fail(sim, "client %u: the server ends the connection: %s", client->number, event->text); break;
    case TP_CLIENT_WELCOME:
    case TP_CLIENT_LISTED:
    case TP_CLIENT_SAID:
    case TP_CLIENT_ADMINED:
    case TP_CLIENT_ASKED:
    case TP_CLIENT_TIMING: break;
    }
}

static void on_send(void *to, const uint8_t *bytes, size_t size)
{
    LivesimClient *client = to;
    if (client->line != NULL) {
        livesim_line_send(client->line, bytes, size);
    }
}

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    const Livesim *sim = to;
    (void)revision;
    return strcmp(name, sim->plan->world->name) == 0 ? sim->plan->world : NULL;
}

// Connecting.

static void ask(LivesimClient *client)
{
    const LivesimPlan *plan = client->sim->plan;
    tp_session_options session;
    tp_error           error;
    tp_session_options_standard(&session);
    session.window = plan->clients[client->number].window;
    session.delay = plan->clients[client->number].delay;
    session.event = on_world_event;
    session.event_to = client;
    tp_client_join_options options = {
        .name = "room", .slots = plan->clients[client->number].slots, .delay = plan->clients[client->number].behind,
        .token = client->has_token ? client->token : NULL, .session = plan->clients[client->number].is_stepped ? NULL : &session,
    };
    client->predicted = client->retracted = client->confirmed_predicted = 0;
    client->room = tp_client_join_with(client->client, &options, &error);
    if (client->room == NULL) {
        livesim_fail(client->sim, "client %u cannot join: %s", client->number, error.text);
    }
}

static void connect_to(LivesimClient *client)
{
    tp_error          error;
    tp_client_options options = { .build = "livesim", .find_world = find_world, .find_to = client->sim, .send = on_send, .send_to = client,
                                  .event = on_event, .event_to = client };
    client->connects += 1;
    client->line = livesim_line_open(client->sim, client->number);
    client->client = tp_client_create(&options, &error);
    if (client->client == NULL) {
        livesim_fail(client->sim, "making a client: %s", error.text);
        return;
    }
    ask(client);
}

void livesim_client_cut(LivesimClient *client)
{
    client->line = NULL; // the library's memory goes in the client's own turn
    client->retry_us = client->sim->now_us + RETRY_US;
}

// A token counts from the moment that it came, also when the state behind it never did.
static void keep_token(LivesimClient *client)
{
    const uint8_t *token = client->room != NULL ? tp_client_room_token(client->room) : NULL;
    if (token != NULL) {
        client->has_token = true;
        memcpy(client->token, token, TP_CLIENT_TOKEN_SIZE);
    }
}

static void forget(LivesimClient *client)
{
    keep_token(client);
    add_statistics(client);
    tp_client_destroy(client->client);
    client->client = NULL;
    client->room = NULL;
    client->is_live = false;
}

void livesim_client_finish(LivesimClient *client)
{
    forget(client);
    free(client->bots);
    free(client->input);
    client->bots = client->input = NULL;
}

void livesim_client_receive(LivesimClient *client, const uint8_t *bytes, size_t size)
{
    if (client->client != NULL) {
        tp_client_receive(client->client, bytes, size);
    }
}

// Playing.

static void play_slot(LivesimClient *client, uint32_t handle, tp_sim *world)
{
    const tp_world *type = client->sim->plan->world;
    size_t          stride = (type->bot->size + 15) / 16 * 16;
    tp_view         view = tp_sim_view(world);
    memset(client->input, 0, type->input->struct_size);
    type->bot->play(client->bots + handle * stride, &view, client->input);
}

static void frame_of_session(LivesimClient *client, tp_session *session)
{
    tp_session_result result;
    tp_error          error;
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        play_slot(client, handle, tp_session_sim(session));
        if (tp_session_input(session, handle, client->input, &error) != TP_SESSION_OK) {
            livesim_fail(client->sim, "client %u: its input is refused: %s", client->number, error.text);
        }
    }
    tp_session_status status = tp_client_advance(client->room, &result, &error);
    if (status != TP_SESSION_OK && status != TP_SESSION_DESYNCED) {
        livesim_fail(client->sim, "client %u: advancing: %s: %s", client->number, tp_session_status_name(status), error.text);
    }
}

// A client without a session sends for some ticks ahead of what it knows.
static void frame_stepped(LivesimClient *client)
{
    tp_error error;
    tp_sim  *world = tp_client_room_sim(client->room);
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        play_slot(client, handle, world);
        tp_client_input(client->room, client->slots[handle], tp_sim_tick(world) + LEAD_STEPPED, client->input, &error);
    }
}

static void one_frame(LivesimClient *client)
{
    if (!client->is_live || client->room == NULL || client->is_desynced || client->wants_leave) {
        return;
    }
    tp_session *session = tp_client_room_session(client->room);
    client->frame += 1;
    if (session != NULL) {
        frame_of_session(client, session);
    } else {
        frame_stepped(client);
    }
}

// Once a second: slower or faster, as the session advises.
static void take_advice(LivesimClient *client)
{
    tp_session *session = client->is_live && client->room != NULL ? tp_client_room_session(client->room) : NULL;
    if (session == NULL || client->slot_count == 0 || client->frame % 30 != 0) {
        return;
    }
    int32_t advice = tp_session_advice(session, WANTED_LEAD);
    if (advice > 0) {
        client->next_us += (uint64_t)advice * period_us(client);
    }
    for (; advice < 0 && client->is_live; advice++) {
        one_frame(client);
    }
}

static void cut_if_due(LivesimClient *client)
{
    const LivesimPlan *plan = client->sim->plan;
    uint64_t           now_us = client->sim->now_us;
    uint64_t           cut_us = plan->clients[client->number].cut_us;
    if (cut_us != 0 && now_us >= cut_us && client->connects == 1 && client->line != NULL) {
        livesim_line_cut(client->line);
        client->retry_us = plan->clients[client->number].back_us;
    }
    if (plan->clients[client->number].leave_us != 0 && now_us >= plan->clients[client->number].leave_us && client->is_live && !client->wants_leave) {
        client->wants_leave = true;
        tp_client_leave(client->room);
    }
}

void livesim_client_turn(LivesimClient *client)
{
    Livesim           *sim = client->sim;
    const LivesimPlan *plan = sim->plan;
    if (client->is_done || sim->now_us < plan->clients[client->number].join_us) {
        return;
    }
    cut_if_due(client);
    if (client->line == NULL && client->client != NULL) {
        forget(client);
        if (client->wants_leave) {
            done(client);
            return;
        }
    }
    if (client->line == NULL && sim->now_us >= client->retry_us) {
        connect_to(client);
    } else if (client->line != NULL && client->room == NULL && sim->now_us >= client->retry_us) {
        ask(client);
    }
    if (client->client != NULL && sim->now_us % PULSE_US < LIVESIM_STEP_US) {
        tp_client_pulse(client->client, sim->now_us / 1000);
    }
    while (client->is_live && client->next_us <= sim->now_us) {
        client->next_us += period_us(client);
        if (!client->is_paused) {
            one_frame(client);
            take_advice(client);
        }
    }
}
