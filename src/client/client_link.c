// client_link.c: see client_link.h.
#include "client_link.h"

#include "udp_host.h"

#include <stdio.h>
#include <string.h>

// The first reason stands: what follows is only its consequence.
static void end_with(ClientLink *link, ClientLinkEnd end, const char *text)
{
    if (!link->is_closing) {
        link->is_closing = true;
        link->end = end;
        snprintf(link->text, sizeof(link->text), "%s", text);
        if (link->weather != NULL) {
            client_link_weather_flush_out(link->weather);
        }
    }
    carrier_close(&link->carrier);
}

static void send_now(void *to, const uint8_t *bytes, size_t size)
{
    ClientLink *link = to;
    if (!carrier_send(&link->carrier, bytes, size)) {
        return; // it is ending: `ended` tells
    }
    if (!link->is_unsent) {
        link->is_unsent = true;
        link->next_unsent = link->hub->unsent;
        link->hub->unsent = link;
    }
}

static void on_send(void *to, const uint8_t *bytes, size_t size)
{
    ClientLink *link = to;
    link->sent_ms = uv_now(link->hub->loop);
    if (link->weather != NULL) {
        client_link_weather_send(link->weather, bytes, size);
    } else {
        send_now(link, bytes, size);
    }
}

static size_t on_unsent(void *to)
{
    ClientLink *link = to;
    return link->carrier.is_open ? carrier_waiting(&link->carrier) : 0;
}

static void on_event(void *to, const tp_client_event *event)
{
    ClientLink *link = to;
    char        text[CLIENT_LINK_TEXT_SIZE];
    link->is_welcome = link->is_welcome || event->kind == TP_CLIENT_WELCOME;
    link->options.event(link->options.to, link, event);
    if (event->kind == TP_CLIENT_BYE) {
        snprintf(text, sizeof(text), "the server ended the connection: %s%s%s", tp_client_reason_name(event->reason),
                 event->text[0] == '\0' ? "" : ": ", event->text);
        link->reason = event->reason;
        end_with(link, CLIENT_LINK_BYE, text);
    } else if (event->kind == TP_CLIENT_MALFORMED) {
        snprintf(text, sizeof(text), "the server sent what makes no sense: %s", event->text);
        end_with(link, CLIENT_LINK_MALFORMED, text);
    }
}

static void receive_now(void *to, const uint8_t *bytes, size_t size)
{
    ClientLink *link = to;
    if (link->client != NULL && !link->is_closing) {
        tp_client_receive(link->client, bytes, size);
    }
}

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    ClientLink *link = to;
    link->heard_ms = uv_now(link->hub->loop);
    if (link->weather != NULL) {
        client_link_weather_receive(link->weather, bytes, size);
    } else {
        receive_now(link, bytes, size);
    }
}

// HELLO has been said, and JOIN has not.
static void show_token(ClientLink *link)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    Message token = { .type = MESSAGE_TOKEN, .room = MESSAGE_ROOM_NONE,
                      .body.join_token = { .size = (uint16_t)link->options.join_token_size, .bytes = link->options.join_token } };
    size_t  size = message_encode(&token, bytes);
    if (size > 0) {
        on_send(link, bytes, size);
    }
}

static void on_connected(void *to)
{
    ClientLink       *link = to;
    tp_error          error;
    tp_client_options options = {
        .build = link->options.build, .find_world = link->options.find_world, .find_to = link->options.find_to,
        .send = on_send, .send_to = link, .unsent = on_unsent, .event = on_event, .event_to = link,
    };
    link->client = tp_client_create(&options, &error);
    if (link->client == NULL) {
        end_with(link, CLIENT_LINK_LOST, error.text);
    } else if (link->options.join_token != NULL) {
        show_token(link);
    }
}

static void take_end(ClientLink *link, CarrierEnd end, int status)
{
    char     text[CLIENT_LINK_TEXT_SIZE];
    unsigned answer = carrier_ws_status(&link->carrier);
    if (link->is_closing) {
        return;
    }
    // How it learns that the other side closed depends on what was under way.
    if (link->is_welcome && end == CARRIER_FAILED && (status == UV_ECONNRESET || status == UV_EPIPE)) {
        end = CARRIER_GONE;
    }
    link->end = link->is_welcome ? CLIENT_LINK_LOST : CLIENT_LINK_UNREACHABLE;
    switch (end) {
    case CARRIER_CLOSED:
    case CARRIER_GONE: snprintf(text, sizeof(text), "the server closed the connection"); break;
    case CARRIER_FAILED:
        if (status == UV_EPROTO && answer != 0 && answer != 101) {
            snprintf(text, sizeof(text), "it answers HTTP status %u instead of a WebSocket", answer);
        } else if (status == UV_EPROTO) {
            snprintf(text, sizeof(text), "it answers with no WebSocket: it is no tickproofd's HTTP");
        } else {
            snprintf(text, sizeof(text), "%s", uv_strerror(status));
        }
        break;
    case CARRIER_MALFORMED:
        link->end = CLIENT_LINK_MALFORMED;
        snprintf(text, sizeof(text), "it sent what is no message: it is no tickproofd");
        break;
    case CARRIER_SLOW: snprintf(text, sizeof(text), "the server does not read what it is sent"); break;
    }
    snprintf(link->text, sizeof(link->text), "%s", text);
}

static void be_over(void *to)
{
    ClientLink *link = to;
    for (ClientLink **place = &link->hub->unsent; *place != NULL; place = &(*place)->next_unsent) {
        if (*place == link) {
            *place = link->next_unsent;
            break;
        }
    }
    if (link->next != NULL) {
        link->next->previous = link->previous;
    }
    if (link->previous != NULL) {
        link->previous->next = link->next;
    } else {
        link->hub->links = link->next;
    }
    tp_client *client = link->client;
    client_link_weather_destroy(link->weather);
    link->weather = NULL;
    carrier_finish(&link->carrier);
    link->options.ended(link->options.to, link);
    tp_client_destroy(client);
}

// What is still under way came before the end, and often says why.
static void on_ended(void *to, CarrierEnd end, int status)
{
    ClientLink *link = to;
    if (link->weather != NULL) {
        client_link_weather_flush_in(link->weather);
    }
    take_end(link, end, status);
    if (link->weather != NULL) {
        client_link_weather_close(link->weather);
    } else {
        be_over(link);
    }
}

static int open_carrier(ClientLink *link, const struct sockaddr *address)
{
    static const CarrierEvents events = { .message = on_message, .ended = on_ended, .connected = on_connected };
    const WeatherOptions      *weather = link->options.weather;
    if (link->options.is_udp) {
        int status = carrier_connect_udp(&link->carrier, link->hub->loop, address, weather, &events, link, CLIENT_LINK_OUT_MAX);
        if (status == 0 && link->options.server_key != NULL && !carrier_secure_udp(&link->carrier, link->options.own_keys, link->options.server_key)) {
            end_with(link, CLIENT_LINK_UNREACHABLE, uv_strerror(UV_ENOMEM));
        }
        return status;
    }
    int status = carrier_open(&link->carrier, link->hub->loop, &events, link, CLIENT_LINK_OUT_MAX);
    if (status != 0 || weather == NULL) {
        return status;
    }
    link->weather = client_link_weather_create(link->hub->loop, weather);
    if (link->weather == NULL) {
        end_with(link, CLIENT_LINK_UNREACHABLE, uv_strerror(UV_ENOMEM));
        return 0;
    }
    link->weather->send = send_now;
    link->weather->receive = receive_now;
    link->weather->closed = be_over;
    link->weather->to = link;
    return 0;
}

bool client_link_open(ClientLink *link, ClientHub *hub, const struct sockaddr *address, const ClientLinkOptions *options, tp_error *error)
{
    memset(link, 0, sizeof(*link));
    link->hub = hub;
    link->options = *options;
    uv_update_time(hub->loop); // the turn that opens hundreds is a long one
    link->opened_ms = link->sent_ms = link->heard_ms = uv_now(hub->loop);
    int status = open_carrier(link, address);
    link->options.weather = NULL; // it was copied, if anybody needs it
    if (status != 0) {
        return tp_error_set(error, "%s", uv_strerror(status));
    }
    link->next = hub->links;
    if (hub->links != NULL) {
        hub->links->previous = link;
    }
    hub->links = link;
    if (link->options.ws_path != NULL && !link->is_closing) {
        carrier_connect_ws(&link->carrier, address, link->options.ws_host, link->options.ws_path); // a failure comes as `ended`
    } else if (!link->options.is_udp && !link->is_closing) {
        carrier_connect(&link->carrier, address); // likewise
    }
    return true;
}

void client_link_close(ClientLink *link)
{
    end_with(link, CLIENT_LINK_CLOSED, "");
}

// The hub.

static void on_turn(uv_prepare_t *turn)
{
    ClientHub *hub = turn->data;
    while (hub->unsent != NULL) {
        ClientLink *link = hub->unsent;
        hub->unsent = link->next_unsent;
        link->is_unsent = false;
        carrier_flush(&link->carrier);
    }
}

// What keeps a quiet link alive must not be more than half of what the server takes.
static uint64_t quiet_ms(const ClientLink *link)
{
    uint32_t rate = tp_client_messages_per_second(link->client);
    uint64_t least_ms = 2000 / (rate > 0 ? rate : 1);
    return least_ms > CLIENT_LINK_QUIET_MS ? least_ms : CLIENT_LINK_QUIET_MS;
}

static void on_pulse(uv_timer_t *pulse)
{
    ClientHub *hub = pulse->data;
    uint64_t   now_ms = uv_now(hub->loop);
    for (ClientLink *link = hub->links; link != NULL; link = link->next) {
        if (!link->is_welcome && now_ms - link->opened_ms >= link->options.welcome_ms) {
            end_with(link, CLIENT_LINK_UNREACHABLE, link->client == NULL ? "connecting took too long" : "it does not answer");
        } else if (link->is_welcome && now_ms - link->heard_ms >= CLIENT_LINK_SILENCE_MS) {
            end_with(link, CLIENT_LINK_LOST, "the server fell silent");
        } else if (link->is_welcome && now_ms - link->sent_ms >= quiet_ms(link)) {
            tp_client_ping(link->client);
        }
    }
}

int client_hub_open(ClientHub *hub, uv_loop_t *loop)
{
    *hub = (ClientHub){ .loop = loop };
    int status = uv_prepare_init(loop, &hub->turn);
    if (status != 0) {
        return status;
    }
    hub->turn.data = hub;
    uv_timer_init(loop, &hub->pulse); // neither can fail on an open loop
    hub->pulse.data = hub;
    uv_prepare_start(&hub->turn, on_turn);
    return uv_timer_start(&hub->pulse, on_pulse, CLIENT_LINK_PULSE_MS, CLIENT_LINK_PULSE_MS);
}

void client_hub_close(ClientHub *hub)
{
    uv_close((uv_handle_t *)&hub->turn, NULL);
    uv_close((uv_handle_t *)&hub->pulse, NULL);
}
