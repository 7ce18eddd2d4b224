// carrier_udp.c: a carrier whose messages go over a channel, and the channel's datagrams over its host's socket.
#include "carrier_udp.h"

#include <assert.h>
#include <sodium.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { IN_SIZE_CLIENT = 2048 };

// An idle carrier has only the fields before the reader's bytes: they are TCP's.
static void clear(Carrier *carrier)
{
    memset(carrier, 0, offsetof(Carrier, in));
    carrier->in.start = carrier->in.end = 0;
    memset((uint8_t *)carrier + offsetof(Carrier, out), 0, sizeof(*carrier) - offsetof(Carrier, out));
}

static void on_handle_closed(uv_handle_t *handle)
{
    CarrierUdp *udp = handle->data;
    Carrier    *carrier = udp->carrier;
    assert(carrier->handles_open > 0);
    carrier->handles_open -= 1;
    if (carrier->handles_open == 0) {
        if (udp->client != NULL) {
            udp->client->host.is_open = false;
        }
        carrier->is_open = false;
        carrier->events.ended(carrier->to, carrier->end, carrier->status); // the carrier may be gone now
    }
}

static void close_handle(CarrierUdp *udp, uv_handle_t *handle)
{
    handle->data = udp;
    uv_close(handle, on_handle_closed);
}

// The channel is over: nothing more of it comes or goes.
static void finish(CarrierUdp *udp)
{
    if (udp->is_finishing) {
        return;
    }
    udp->is_finishing = true;
    udp_host_remove(udp->host, udp);
    if (udp->client != NULL) {
        udp_host_send(udp->host);
        close_handle(udp, (uv_handle_t *)&udp->client->host.socket);
        close_handle(udp, (uv_handle_t *)&udp->client->host.turn);
        close_handle(udp, (uv_handle_t *)&udp->client->wind);
    }
    close_handle(udp, (uv_handle_t *)&udp->timer);
}

// The first end stands.
static void end_as(CarrierUdp *udp, CarrierEnd end, int status)
{
    Carrier *carrier = udp->carrier;
    if (!carrier->is_ending) {
        carrier->is_ending = true;
        carrier->end = end;
        carrier->status = status;
    }
}

static void on_timer(uv_timer_t *timer)
{
    CarrierUdp *udp = timer->data;
    udp->armed_ms = 0;
    carrier_udp_run(udp);
    if (!udp->host->is_corked) {
        udp_host_send(udp->host);
    }
}

// A timer that is armed already for an earlier time stays: when it is early, it is armed again then. Most are, by the next tick.
static void arm(CarrierUdp *udp, uint64_t now_us)
{
    uint64_t due_us = channel_due_us(&udp->channel, now_us);
    if (due_us == CHANNEL_NEVER || udp->is_finishing) {
        return;
    }
    uint64_t due_ms = due_us <= now_us ? now_us / 1000 + 1 : (due_us + 999) / 1000;
    if (udp->armed_ms != 0 && udp->armed_ms <= due_ms) {
        return;
    }
    uint64_t loop_ms = uv_now(udp->host->loop);
    udp->armed_ms = due_ms;
    uv_timer_start(&udp->timer, on_timer, due_ms > loop_ms ? due_ms - loop_ms : 0, 0);
}

// The weather of a client.

static void on_wind(uv_timer_t *timer);

static void arm_wind(CarrierUdp *udp)
{
    UdpClient *client = udp->client;
    uint64_t   there_us = weather_due_us(&client->there), back_us = weather_due_us(&client->back);
    uint64_t   due_us = there_us < back_us ? there_us : back_us;
    if (due_us == WEATHER_NEVER || udp->is_finishing) {
        return;
    }
    uint64_t due_ms = (due_us + 999) / 1000, loop_ms = uv_now(udp->host->loop);
    uv_timer_start(&client->wind, on_wind, due_ms > loop_ms ? due_ms - loop_ms : 0, 0);
}

static void on_wind(uv_timer_t *timer)
{
    CarrierUdp    *udp = timer->data;
    UdpClient     *client = udp->client;
    const uint8_t *bytes = NULL;
    size_t         size = 0;
    uint64_t       now_us = udp_now_us();
    while (weather_take(&client->there, now_us, &bytes, &size)) {
        udp_host_collect(udp->host, &udp->address, bytes, size);
    }
    udp_host_send(udp->host);
    while (!udp->is_finishing && weather_take(&client->back, now_us, &bytes, &size)) {
        carrier_udp_take(udp, bytes, size);
    }
    arm_wind(udp);
}

void carrier_udp_arrived(CarrierUdp *udp, const uint8_t *bytes, size_t size)
{
    if (!udp->client->has_weather) {
        carrier_udp_take(udp, bytes, size);
    } else if (size <= WEATHER_SIZE_MAX) {
        weather_put(&udp->client->back, udp_now_us(), bytes, size);
        arm_wind(udp);
    }
}

static void put(CarrierUdp *udp, uint64_t now_us, const uint8_t *bytes, size_t size)
{
    if (udp->client == NULL || !udp->client->has_weather) {
        udp_host_collect(udp->host, &udp->address, bytes, size);
        return;
    }
    weather_put(&udp->client->there, now_us, bytes, size);
    arm_wind(udp);
}

// How far the other side has read, which is what tells one that is slow from one that is stuck.
static uint64_t acknowledged(const Channel *channel)
{
    uint64_t count = channel->end_number - channel->first;
    return channel->place - (channel->waiting - count * CHANNEL_MESSAGE_COST);
}

void carrier_udp_run(CarrierUdp *udp)
{
    uint8_t  datagram[CHANNEL_DATAGRAM_MAX], sealed[CHANNEL_SEALED_MAX];
    size_t   size = 0;
    uint64_t now_us = udp_now_us();
    if (udp->is_finishing) {
        return;
    }
    while ((size = channel_next(&udp->channel, now_us, datagram)) > 0) {
        if (udp->secure == NULL) {
            put(udp, now_us, datagram, size);
        } else if ((size = channel_secure_out(udp->secure, datagram, size, sealed)) > 0) {
            put(udp, now_us, sealed, size);
        }
    }
    udp->carrier->bytes_out = acknowledged(&udp->channel);
    if (udp->channel.state == CHANNEL_OVER) {
        end_as(udp, CARRIER_GONE, 0);
        finish(udp);
    } else {
        arm(udp, now_us);
    }
}

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    Carrier *carrier = to;
    if (!carrier->is_ending && !carrier->is_discarding) {
        carrier->messages_in += 1;
        carrier->events.message(carrier->to, bytes, size);
    }
}

static size_t unseal(CarrierUdp *udp, const uint8_t *bytes, size_t size, uint8_t *plain)
{
    ChannelSecureCount count;
    size = channel_secure_in(udp->secure, bytes, size, plain, &count);
    udp_host_count(udp->host, count);
    return size;
}

void carrier_udp_take(CarrierUdp *udp, const uint8_t *bytes, size_t size)
{
    Carrier *carrier = udp->carrier;
    uint8_t  plain[CHANNEL_DATAGRAM_MAX];
    if (udp->secure != NULL) {
        size = unseal(udp, bytes, size, plain);
        bytes = plain;
        if (size == 0) {
            return;
        }
    }
    channel_receive(&udp->channel, udp_now_us(), bytes, size, on_message, carrier);
    carrier->bytes_in = udp->channel.bytes_in;
    carrier->bytes_out = acknowledged(&udp->channel);
    if (!carrier->is_connected && !carrier->is_ending && udp->channel.state != CHANNEL_ASKING) {
        carrier->is_connected = true;
        if (carrier->events.connected != NULL) {
            carrier->events.connected(carrier->to);
        }
    }
    if (!udp->is_finishing) {
        udp_host_mark(udp->host, udp);
    }
}

void carrier_udp_greet(CarrierUdp *udp)
{
    channel_greet_again(&udp->channel, udp_now_us());
    udp_host_mark(udp->host, udp);
}

// Nobody is there, as the system has heard. Once it has stood, that is how one learns that the server is gone.
void carrier_udp_failed(CarrierUdp *udp, int status)
{
    bool is_gone = udp->channel.has_stood && status == UV_ECONNREFUSED;
    if (udp->is_finishing || (udp->channel.has_stood && !is_gone)) {
        return; // a way that is gone for a while is a loss like others
    }
    end_as(udp, is_gone ? CARRIER_GONE : CARRIER_FAILED, is_gone ? 0 : status);
    finish(udp);
}

void carrier_udp_abandon(CarrierUdp *udp)
{
    end_as(udp, CARRIER_CLOSED, 0);
    channel_close(&udp->channel, false, udp_now_us());
    carrier_udp_run(udp);
    finish(udp);
}

// Beginning.

static CarrierUdp *make(Carrier *carrier, UdpHost *host, const CarrierEvents *events, void *to, size_t out_max)
{
    assert(events->message != NULL);
    assert(events->ended != NULL);
    assert(out_max >= FRAME_SIZE_MAX + CHANNEL_MESSAGE_COST);
    clear(carrier);
    CarrierUdp *udp = calloc(1, sizeof(*udp));
    if (udp == NULL) {
        return NULL;
    }
    udp->carrier = carrier;
    udp->host = host;
    carrier->udp = udp;
    carrier->events = *events;
    carrier->to = to;
    carrier->out_max = out_max;
    return udp;
}

static void open_timer(CarrierUdp *udp)
{
    uv_timer_init(udp->host->loop, &udp->timer); // cannot fail
    udp->timer.data = udp;
    udp->carrier->handles_open += 1;
    udp->carrier->is_open = true;
}

int carrier_open_udp(Carrier *carrier, UdpHost *host, const UdpArrival *arrival, const CarrierEvents *events, void *to, size_t out_max)
{
    ChannelOptions options = { .out_max = out_max, .held_max = UDP_HOST_HELD };
    CarrierUdp    *udp = make(carrier, host, events, to, out_max);
    if (udp == NULL) {
        return UV_ENOMEM;
    }
    udp->address = arrival->address;
    channel_init_server(&udp->channel, arrival->client_id, arrival->cookie, &options, udp_now_us());
    udp->secure = arrival->secure != NULL ? malloc(sizeof(*udp->secure)) : NULL;
    if ((arrival->secure != NULL && udp->secure == NULL) || !udp_host_add(host, udp)) {
        free(udp->secure);
        free(udp);
        carrier->udp = NULL;
        return UV_ENOMEM;
    }
    if (udp->secure != NULL) {
        *udp->secure = *arrival->secure;
        udp_host_collect(host, &udp->address, udp->secure->message, CHANNEL_ACCEPT_SIZE);
    }
    open_timer(udp);
    carrier->is_connected = true;
    udp_host_mark(host, udp);
    return 0;
}

static int open_client(CarrierUdp *udp, uv_loop_t *loop, const WeatherOptions *weather)
{
    UdpClient *client = udp->client;
    int        status = udp_host_init(&client->host, loop, UDP_HOST_OUT_CLIENT, IN_SIZE_CLIENT);
    if (status < 0) {
        udp_host_finish(&client->host);
        return status;
    }
    uv_timer_init(loop, &client->wind);
    client->wind.data = udp;
    client->host.only = udp;
    udp->carrier->handles_open = 3;
    if (weather != NULL) {
        client->has_weather = true;
        weather_init(&client->there, weather, 1);
        weather_init(&client->back, weather, 2);
    }
    return 0;
}

int carrier_connect_udp(Carrier *carrier, uv_loop_t *loop, const struct sockaddr *address, const WeatherOptions *weather, const CarrierEvents *events, void *to,
                        size_t out_max)
{
    ChannelOptions options = { .out_max = out_max, .held_max = UDP_HOST_HELD_CLIENT };
    UdpClient     *client = calloc(1, sizeof(*client));
    CarrierUdp    *udp = client != NULL ? make(carrier, &client->host, events, to, out_max) : NULL;
    if (udp == NULL) {
        free(client);
        return UV_ENOMEM;
    }
    udp->client = client;
    int status = open_client(udp, loop, weather);
    if (status < 0) {
        carrier->udp = NULL;
        free(udp);
        free(client);
        return status;
    }
    memcpy(&udp->address, address, udp_address_size(address));
    open_timer(udp);
    uint64_t id = 0;
    while (id == 0) {
        randombytes_buf(&id, sizeof(id));
    }
    channel_init_client(&udp->channel, id, &options, udp_now_us());
    status = uv_udp_connect(&client->host.socket, address);
    status = status == 0 ? udp_host_listen(&client->host) : status;
    if (status < 0) {
        carrier_udp_failed(udp, status);
    } else {
        udp_host_mark(&client->host, udp);
    }
    return 0;
}

bool carrier_secure_udp(Carrier *carrier, const ChannelNoisePair *own, const uint8_t server[CHANNEL_NOISE_KEY])
{
    ChannelNoisePair made;
    CarrierUdp      *udp = carrier->udp;
    udp->secure = calloc(1, sizeof(*udp->secure));
    if (udp->secure == NULL) {
        return false;
    }
    channel_noise_make(&made);
    channel_secure_init(udp->secure, own != NULL ? own : &made, server);
    sodium_memzero(&made, sizeof(made));
    return true;
}

const uint8_t *carrier_other_key(const Carrier *carrier)
{
    return carrier->udp != NULL && carrier->udp->secure != NULL ? carrier->udp->secure->other : NULL;
}

// For carrier.c.

bool carrier_udp_send(Carrier *carrier, const uint8_t *bytes, size_t size)
{
    CarrierUdp *udp = carrier->udp;
    if (!carrier->is_open || carrier->is_ending || udp->is_finishing || udp->channel.state == CHANNEL_OVER) {
        return false;
    }
    udp->channel.options.out_max = carrier->out_max;
    ChannelSend sent = channel_send(&udp->channel, bytes, size);
    if (sent == CHANNEL_SENT) {
        carrier->messages_out += 1;
        return true;
    }
    end_as(udp, sent == CHANNEL_FULL ? CARRIER_SLOW : CARRIER_FAILED, sent == CHANNEL_FULL ? 0 : UV_ENOMEM);
    channel_close(&udp->channel, true, udp_now_us());
    udp_host_mark(udp->host, udp);
    return false;
}

void carrier_udp_flush(Carrier *carrier)
{
    CarrierUdp *udp = carrier->udp;
    if (!carrier->is_open) {
        return;
    }
    carrier_udp_run(udp);
    if (!udp->host->is_corked) {
        udp_host_send(udp->host);
    }
}

void carrier_udp_close(Carrier *carrier)
{
    CarrierUdp *udp = carrier->udp;
    if (!carrier->is_open || carrier->is_ending) {
        return;
    }
    end_as(udp, CARRIER_CLOSED, 0);
    channel_close(&udp->channel, false, udp_now_us());
    udp_host_mark(udp->host, udp); // FIN leaves, and the rest goes on, in the loop
}

void carrier_udp_trim(Carrier *carrier, size_t keep)
{
    channel_trim(&carrier->udp->channel, keep);
}

size_t carrier_udp_waiting(const Carrier *carrier)
{
    return carrier->udp->channel.waiting;
}

void carrier_udp_free(Carrier *carrier)
{
    CarrierUdp *udp = carrier->udp;
    channel_finish(&udp->channel);
    if (udp->secure != NULL) {
        channel_secure_finish(udp->secure);
        free(udp->secure);
    }
    if (udp->client != NULL) {
        weather_finish(&udp->client->there);
        weather_finish(&udp->client->back);
        udp_host_finish(&udp->client->host);
        free(udp->client);
    }
    free(udp);
    carrier->udp = NULL;
}

const Channel *carrier_channel(const Carrier *carrier)
{
    return carrier->udp != NULL ? &carrier->udp->channel : NULL;
}
