// test_carrier_udp.c: carriers over real datagrams on loopback: many on one socket, over bad weather, and every one ends once. Nothing sleeps.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel_noise.h"
#include "udp_host.h"

// Built twice: as it is, and with every carrier secured.
#ifndef SECURE
#define SECURE 0
#endif

TestSuite(carrier_udp, .timeout = 60);

enum { ENDS_MAX = 140, OUT_MAX = 65536 };

typedef struct End End;

struct End {
    Carrier    carrier;
    void     (*heard)(End *self, const uint8_t *bytes, size_t size);
    uint32_t   messages, ended, connected, sent;
    uint64_t   digest, other_digest;
    CarrierEnd end;
    int        status;
};

typedef struct Rig {
    uv_loop_t          loop;
    UdpHost            host;
    struct sockaddr_in address;
    End                ends[ENDS_MAX]; // accepted ones from the front, those that connect from the back
    uint32_t           end_count, client_count;
    void             (*heard)(End *self, const uint8_t *bytes, size_t size);
    bool               is_deaf; // takes nobody
} Rig;

static Rig rig;
static ChannelNoisePair host_keys;

static uint64_t digest_of(uint64_t digest, const uint8_t *bytes, size_t size)
{
    digest = (digest ^ size) * UINT64_C(1099511628211);
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return digest;
}

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    End *end = to;
    cr_assert_eq(end->ended, 0, "a message after the end");
    end->messages += 1;
    end->digest = digest_of(end->digest, bytes, size);
    if (end->heard != NULL) {
        end->heard(end, bytes, size);
    }
}

static void on_ended(void *to, CarrierEnd how, int status)
{
    End *end = to;
    end->ended += 1;
    end->end = how;
    end->status = status;
    carrier_finish(&end->carrier);
}

static void on_connected(void *to)
{
    End *end = to;
    end->connected += 1;
}

static const CarrierEvents events = { .message = on_message, .ended = on_ended, .connected = on_connected };

static void on_arrived(void *to, UdpHost *host, const UdpArrival *arrival)
{
    Rig *self = to;
    if (!self->is_deaf) {
        cr_assert_lt(self->end_count + self->client_count, ENDS_MAX);
        End *end = &self->ends[self->end_count++];
        end->heard = self->heard;
        cr_assert_eq(carrier_open_udp(&end->carrier, host, arrival, &events, end, OUT_MAX), 0);
    }
}

static void open_rig(void)
{
    memset(&rig, 0, sizeof(rig));
    cr_assert_eq(uv_loop_init(&rig.loop), 0);
    cr_assert_eq(uv_ip4_addr("127.0.0.1", 0, &rig.address), 0);
    cr_assert_eq(udp_host_open(&rig.host, &rig.loop, (const struct sockaddr *)&rig.address, on_arrived, &rig), 0);
    rig.address.sin_port = htons((uint16_t)udp_host_port(&rig.host));
    if (SECURE) {
        channel_noise_make(&host_keys);
        udp_host_secure(&rig.host, &host_keys, NULL);
    }
}

static End *open_client(const WeatherOptions *weather)
{
    End *end = &rig.ends[ENDS_MAX - ++rig.client_count];
    cr_assert_eq(carrier_connect_udp(&end->carrier, &rig.loop, (const struct sockaddr *)&rig.address, weather, &events, end, OUT_MAX), 0);
    if (SECURE) {
        cr_assert(carrier_secure_udp(&end->carrier, NULL, host_keys.open));
    }
    return end;
}

static void turn_until_ended(End *end)
{
    while (end->ended == 0) {
        uv_run(&rig.loop, UV_RUN_ONCE);
    }
}

static void close_rig(void)
{
    for (uint32_t i = 0; i < ENDS_MAX; i++) {
        bool is_used = i < rig.end_count || i >= ENDS_MAX - rig.client_count;
        if (is_used) {
            carrier_close(&rig.ends[i].carrier);
            turn_until_ended(&rig.ends[i]);
            cr_assert_eq(rig.ends[i].ended, 1);
        }
    }
    udp_host_close(&rig.host);
    uv_run(&rig.loop, UV_RUN_DEFAULT);
    udp_host_finish(&rig.host);
    cr_assert_eq(uv_loop_close(&rig.loop), 0);
}

#define RUN_UNTIL(condition)                 \
    while (!(condition)) {                   \
        uv_run(&rig.loop, UV_RUN_ONCE);      \
    }

// The same for what nothing may follow: the loop does not wait.
#define POLL_UNTIL(condition)                \
    while (!(condition)) {                   \
        uv_run(&rig.loop, UV_RUN_NOWAIT);    \
    }

static void echo(End *self, const uint8_t *bytes, size_t size)
{
    cr_assert(carrier_send(&self->carrier, bytes, size));
    carrier_flush(&self->carrier);
}

static uint32_t echo_count;

static void send_next(End *self)
{
    uint8_t  bytes[MESSAGE_SIZE_MAX];
    uint32_t size = 1 + self->sent * 7919 % MESSAGE_SIZE_MAX;
    memset(bytes, (int)self->sent, size);
    self->other_digest = digest_of(self->other_digest, bytes, size);
    self->sent += 1;
    cr_assert(carrier_send(&self->carrier, bytes, size));
}

static void send_another(End *self, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    if (self->sent < echo_count) {
        send_next(self);
    }
    carrier_flush(&self->carrier);
}

static void run_echo(uint32_t clients, uint32_t count, uint32_t window, const WeatherOptions *weather)
{
    End *ends[64];
    open_rig();
    rig.heard = echo;
    echo_count = count;
    for (uint32_t i = 0; i < clients; i++) {
        WeatherOptions own = weather != NULL ? *weather : (WeatherOptions){ 0 };
        own.seed += i;
        ends[i] = open_client(weather != NULL ? &own : NULL);
        ends[i]->heard = send_another;
        for (uint32_t k = 0; k < window; k++) {
            send_next(ends[i]); // before it is connected
        }
        carrier_flush(&ends[i]->carrier);
    }
    for (uint32_t i = 0; i < clients; i++) {
        RUN_UNTIL(ends[i]->messages == count);
        cr_assert_eq(ends[i]->digest, ends[i]->other_digest);
        cr_assert_eq(ends[i]->connected, 1);
        cr_assert_eq(ends[i]->carrier.messages_in, count);
    }
    cr_assert_eq(rig.end_count, clients);
    for (uint32_t i = 0; i < clients; i++) {
        carrier_close(&ends[i]->carrier);
        cr_assert_not(carrier_send(&ends[i]->carrier, (const uint8_t *)"x", 1));
    }
    for (uint32_t i = 0; i < clients; i++) {
        turn_until_ended(&rig.ends[i]);
        cr_assert_eq(rig.ends[i].end, CARRIER_GONE);
        turn_until_ended(ends[i]);
        cr_assert_eq(ends[i]->end, CARRIER_CLOSED);
    }
    cr_assert_eq(rig.host.carrier_count, 0);
    close_rig();
}

Test(carrier_udp, thousands_come_back_in_order)
{
    run_echo(1, 6000, 40, NULL);
}

Test(carrier_udp, many_share_one_socket)
{
    run_echo(64, 200, 10, NULL);
}

Test(carrier_udp, bad_weather_loses_nothing)
{
    WeatherOptions weather = { .seed = 3, .latency_us = 2000, .jitter_us = 2000, .loss_ppm = 100000, .duplicate_ppm = 50000, .reorder_ppm = 50000 };
    run_echo(8, 300, 20, &weather);
}

Test(carrier_udp, nobody_is_there)
{
    open_rig();
    udp_host_close(&rig.host);
    uv_run(&rig.loop, UV_RUN_NOWAIT);
    End *client = open_client(NULL);
    turn_until_ended(client);
    cr_assert_eq(client->end, CARRIER_FAILED);
    cr_assert_eq(client->status, UV_ECONNREFUSED);
    cr_assert_eq(client->connected, 0);
    udp_host_finish(&rig.host);
    uv_run(&rig.loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(&rig.loop), 0);
}

// Goal: a process that is gone is noticed, not waited for.
Test(carrier_udp, a_server_that_goes_away_is_gone)
{
    open_rig();
    End *client = open_client(NULL);
    RUN_UNTIL(rig.end_count == 1 && carrier_channel(&client->carrier)->has_stood);
    // As when a process ends: nothing is said, the socket is closed.
    uv_os_fd_t descriptor;
    cr_assert_eq(uv_fileno((const uv_handle_t *)&rig.host.socket, &descriptor), 0);
    int other = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(dup2(other, descriptor), 0);
    close(other);
    cr_assert(carrier_send(&client->carrier, (const uint8_t *)"x", 1));
    carrier_flush(&client->carrier);
    turn_until_ended(client);
    cr_assert_eq(client->end, CARRIER_GONE);
    close_rig();
}

static void say_and_close(End *self, const uint8_t *bytes, size_t size)
{
    for (uint32_t i = 0; i < 30; i++) {
        cr_assert(carrier_send(&self->carrier, bytes, size));
    }
    carrier_close(&self->carrier);
    carrier_close(&self->carrier); // again is fine
    cr_assert_eq(self->ended, 0, "not from inside a call");
}

// Goal: what was said before the end comes before the end.
Test(carrier_udp, last_words_are_heard)
{
    WeatherOptions weather = { .seed = 8, .latency_us = 1000, .loss_ppm = 100000 };
    uint8_t        bytes[MESSAGE_SIZE_MAX] = { 0 };
    open_rig();
    rig.heard = say_and_close;
    End *client = open_client(&weather);
    cr_assert(carrier_send(&client->carrier, bytes, sizeof(bytes)));
    carrier_flush(&client->carrier);
    turn_until_ended(client);
    cr_assert_eq(client->end, CARRIER_GONE);
    cr_assert_eq(client->messages, 30);
    turn_until_ended(&rig.ends[0]);
    cr_assert_eq(rig.ends[0].end, CARRIER_CLOSED);
    close_rig();
}

// Goal: whoever acknowledges nothing costs out_max and then itself.
Test(carrier_udp, who_does_not_listen_ends_as_slow)
{
    uint8_t bytes[MESSAGE_SIZE_MAX] = { 0 };
    open_rig();
    End *client = open_client(NULL);
    RUN_UNTIL(rig.end_count == 1 && carrier_channel(&client->carrier)->has_stood);
    uv_udp_recv_stop(&rig.host.socket);
    uint32_t sent = 0;
    while (carrier_send(&client->carrier, bytes, sizeof(bytes))) {
        carrier_flush(&client->carrier);
        cr_assert_leq(carrier_waiting(&client->carrier), OUT_MAX);
        uv_run(&rig.loop, UV_RUN_NOWAIT);
        sent += 1;
    }
    cr_assert_leq(sent, OUT_MAX / MESSAGE_SIZE_MAX);
    cr_assert_eq(client->ended, 0, "not from inside a call");
    turn_until_ended(client);
    cr_assert_eq(client->end, CARRIER_SLOW);
    uv_run(&rig.loop, UV_RUN_NOWAIT);
    close_rig();
}

#if !SECURE
// Goal: whoever only asks leaves nothing behind, and gets less than he sent.
Test(carrier_udp, strangers_leave_nothing)
{
    uint8_t bytes[CHANNEL_DATAGRAM_MAX], got[2048];
    open_rig();
    int stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(stranger, (const struct sockaddr *)&rig.address, sizeof(rig.address)), 0);
    for (uint64_t i = 1; i <= 200; i++) {
        size_t size = channel_wire_open(bytes, i, 0);
        cr_assert_eq(send(stranger, bytes, size, 0), (ssize_t)size);
        uint64_t before = rig.host.datagrams_out;
        POLL_UNTIL(rig.host.datagrams_out > before);
        cr_assert_eq(recv(stranger, got, sizeof(got), 0), CHANNEL_COOKIE_SIZE);
    }
    // Data for nobody, then what is none at all, then an OPEN whose cookie is made up.
    memset(bytes, 0, sizeof(bytes));
    bytes[0] = CHANNEL_DATA;
    cr_assert_eq(send(stranger, bytes, CHANNEL_HEAD_SIZE, 0), CHANNEL_HEAD_SIZE);
    POLL_UNTIL(rig.host.strange == 1);
    POLL_UNTIL(rig.host.out_count == 0);
    cr_assert_eq(recv(stranger, got, sizeof(got), 0), CHANNEL_RESET_SIZE);
    memset(bytes, 0xFF, sizeof(bytes));
    cr_assert_eq(send(stranger, bytes, sizeof(bytes), 0), (ssize_t)sizeof(bytes));
    cr_assert_eq(send(stranger, bytes, channel_wire_open(bytes, 5, 5), 0), CHANNEL_REOPEN_SIZE);
    POLL_UNTIL(rig.host.strange == 3);
    uv_run(&rig.loop, UV_RUN_NOWAIT);
    cr_assert_eq(recv(stranger, got, sizeof(got), MSG_DONTWAIT), -1);
    cr_assert_eq(rig.host.carrier_count + rig.end_count, 0);
    cr_assert_eq(rig.host.carrier_capacity, 0);
    close(stranger);
    close_rig();
}

// Goal: the right id from another address is a stranger's.
Test(carrier_udp, an_id_counts_at_its_address_only)
{
    uint8_t bytes[64];
    open_rig();
    End *client = open_client(NULL);
    RUN_UNTIL(rig.end_count == 1 && carrier_channel(&client->carrier)->has_stood);
    int thief = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(thief, (const struct sockaddr *)&rig.address, sizeof(rig.address)), 0);
    ChannelDatagram fin = { .kind = CHANNEL_FIN, .id = carrier_channel(&client->carrier)->other_id, .number = 50, .fin_cuts = true };
    size_t          size = channel_wire_head(bytes, &fin);
    cr_assert_eq(send(thief, bytes, size, 0), (ssize_t)size);
    RUN_UNTIL(rig.host.strange == 1);
    cr_assert_eq(recv(thief, bytes, sizeof(bytes), MSG_DONTWAIT), -1, "a stranger does not hear that there is one");
    rig.ends[0].heard = echo;
    client->heard = NULL;
    cr_assert(carrier_send(&client->carrier, (const uint8_t *)"here", 4));
    carrier_flush(&client->carrier);
    RUN_UNTIL(client->messages == 1);
    close(thief);
    close_rig();
}

#endif

// Goal: who is not taken now is told of again, and comes in when there is a place.
Test(carrier_udp, who_is_not_taken_asks_again)
{
    open_rig();
    rig.is_deaf = true;
    End *client = open_client(NULL);
    RUN_UNTIL(rig.host.arrivals > 0 || client->connected == 1);
    rig.is_deaf = false;
    RUN_UNTIL(rig.end_count == 1);
    cr_assert_eq(client->ended, 0);
    close_rig();
}

static void discard(End *self, const uint8_t *bytes, size_t size)
{
    carrier_discard(&self->carrier);
    echo(self, bytes, size);
}

Test(carrier_udp, discards_what_comes_and_still_sees_the_end)
{
    open_rig();
    rig.heard = discard;
    End *client = open_client(NULL);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert(carrier_send(&client->carrier, (const uint8_t *)"word", 4));
    }
    carrier_flush(&client->carrier);
    RUN_UNTIL(client->messages == 1 && carrier_waiting(&client->carrier) == 0);
    cr_assert_eq(rig.ends[0].messages, 1);
    carrier_close(&client->carrier);
    turn_until_ended(&rig.ends[0]);
    cr_assert_eq(rig.ends[0].end, CARRIER_GONE);
    close_rig();
}

// Goal: a quiet carrier gives its buffers back, and takes new ones when it speaks again.
Test(carrier_udp, trimmed_buffers_lose_nothing)
{
    uint8_t bytes[1000] = { 0 };
    open_rig();
    End *client = open_client(NULL);
    for (uint32_t round = 1; round <= 3; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            cr_assert(carrier_send(&client->carrier, bytes, sizeof(bytes)));
        }
        carrier_trim(&client->carrier, 0);
        carrier_flush(&client->carrier);
        RUN_UNTIL(rig.end_count == 1 && rig.ends[0].messages == round * 20 && carrier_waiting(&client->carrier) == 0);
        carrier_trim(&client->carrier, 0);
        cr_assert_eq(carrier_channel(&client->carrier)->ring_capacity, 0);
    }
    close_rig();
}

#if SECURE
static unsigned long long counted(ChannelSecureCount count)
{
    return atomic_load(&rig.host.secure[count]);
}

static int open_stranger(void)
{
    int stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(stranger, (const struct sockaddr *)&rig.address, sizeof(rig.address)), 0);
    return stranger;
}

static void say(int stranger, const uint8_t *bytes, size_t size)
{
    uint64_t before = rig.host.datagrams_in;
    cr_assert_eq(send(stranger, bytes, size, 0), (ssize_t)size);
    POLL_UNTIL(rig.host.datagrams_in > before);
    uv_run(&rig.loop, UV_RUN_NOWAIT);
}

// Goal: handshakes of whoever forges addresses cost no memory, and nobody is sent more than came in his name: neither in all, nor for any one datagram.
Test(carrier_udp, a_flood_of_handshakes_leaves_nothing_and_grows_nothing)
{
    uint8_t          open[CHANNEL_DATAGRAM_MAX], bytes[CHANNEL_SEALED_MAX], got[2048];
    ChannelNoisePair own;
    ChannelSecure    client;
    open_rig();
    channel_noise_make(&own);
    channel_secure_init(&client, &own, host_keys.open);
    int stranger = open_stranger();
    for (uint64_t i = 1; i <= 300; i++) {
        uint64_t out = rig.host.bytes_out;
        size_t   size = channel_secure_out(&client, open, channel_wire_open(open, i, 0), bytes);
        say(stranger, bytes, size);
        cr_assert_leq(rig.host.bytes_out - out, size);
        cr_assert_eq(recv(stranger, got, sizeof(got), MSG_DONTWAIT), CHANNEL_COOKIE_SIZE);
        // What he cannot know he has to guess: the cookie went to whom he names.
        out = rig.host.bytes_out;
        size = channel_secure_out(&client, open, channel_wire_open(open, i, i * 977), bytes);
        say(stranger, bytes, size);
        cr_assert_eq(rig.host.bytes_out, out);
    }
    cr_assert_eq(counted(CHANNEL_COUNT_COOKIES), 300);
    cr_assert_eq(counted(CHANNEL_COUNT_BAD_COOKIE), 300);
    cr_assert_eq(rig.host.carrier_count + rig.end_count, 0);
    cr_assert_eq(rig.host.carrier_capacity, 0, "memory");
    cr_assert_leq(rig.host.bytes_out, rig.host.bytes_in);
    close(stranger);
    close_rig();
}

// Goal: each thing that a stranger may send is dropped, unanswered, and counted as what it is.
Test(carrier_udp, what_is_dropped_is_counted_by_its_reason)
{
    uint8_t            open[CHANNEL_DATAGRAM_MAX], bytes[CHANNEL_SEALED_MAX], got[2048], plain[CHANNEL_DATAGRAM_MAX];
    ChannelNoisePair   own, wrong;
    ChannelSecure      client;
    ChannelSecureCount count;
    open_rig();
    End *friend = open_client(NULL);
    RUN_UNTIL(rig.end_count == 1 && carrier_channel(&friend->carrier)->has_stood);
    RUN_UNTIL(rig.host.out_count == 0);
    int stranger = open_stranger();
    // Plain, and nothing at all.
    say(stranger, bytes, channel_wire_open(bytes, 9, 0));
    say(stranger, bytes, channel_wire_reset(bytes, 9, 1));
    cr_assert_eq(counted(CHANNEL_COUNT_PLAIN), 2);
    memset(bytes, 0xEE, sizeof(bytes));
    say(stranger, bytes, sizeof(bytes));
    say(stranger, bytes, 1);
    cr_assert_eq(counted(CHANNEL_COUNT_MALFORMED), 2);
    // A handshake for another key, with a cookie that is right.
    channel_noise_make(&own);
    channel_noise_make(&wrong);
    channel_secure_init(&client, &own, wrong.open);
    say(stranger, bytes, channel_secure_out(&client, open, channel_wire_open(open, 9, 0), bytes));
    cr_assert_eq(recv(stranger, got, sizeof(got), MSG_DONTWAIT), CHANNEL_COOKIE_SIZE);
    ChannelDatagram cookie;
    cr_assert(channel_wire_read(got, CHANNEL_COOKIE_SIZE, &cookie));
    say(stranger, bytes, channel_secure_out(&client, open, channel_wire_open(open, 9, cookie.cookie), bytes));
    cr_assert_eq(counted(CHANNEL_COUNT_BAD_HANDSHAKE), 1);
    cr_assert_eq(rig.end_count, 1, "nobody came in");
    // Sealed for nobody, and for somebody else's connection from elsewhere.
    memset(bytes, 0, sizeof(bytes));
    bytes[0] = CHANNEL_SEALED;
    say(stranger, bytes, 100);
    cr_assert_eq(counted(CHANNEL_COUNT_NO_CONNECTION), 1);
    uint64_t id = carrier_channel(&friend->carrier)->other_id;
    memcpy(bytes + 1, &id, sizeof(id));
    say(stranger, bytes, 100);
    cr_assert_eq(counted(CHANNEL_COUNT_ELSEWHERE), 1);
    cr_assert_eq(recv(stranger, got, sizeof(got), MSG_DONTWAIT), -1, "somebody was answered");
    // A genuine handshake; then one datagram changed, and one twice.
    channel_secure_init(&client, &own, host_keys.open);
    say(stranger, bytes, channel_secure_out(&client, open, channel_wire_open(open, 10, 0), bytes));
    cr_assert_eq(recv(stranger, got, sizeof(got), 0), CHANNEL_COOKIE_SIZE);
    cr_assert(channel_wire_read(got, CHANNEL_COOKIE_SIZE, &cookie));
    size_t init = channel_secure_out(&client, open, channel_wire_open(open, 10, cookie.cookie), bytes);
    say(stranger, bytes, init);
    cr_assert_eq(recv(stranger, got, sizeof(got), 0), CHANNEL_ACCEPT_SIZE);
    channel_secure_in(&client, got, CHANNEL_ACCEPT_SIZE, plain, &count);
    cr_assert_eq(count, CHANNEL_COUNT_ACCEPTED);
    say(stranger, bytes, init);
    cr_assert_eq(counted(CHANNEL_COUNT_ACCEPTED), 2);
    cr_assert_eq(counted(CHANNEL_COUNT_REACCEPTED), 1);
    ChannelDatagram data = { .kind = CHANNEL_DATA, .id = cookie.cookie, .number = 1 };
    size_t          size = channel_secure_out(&client, plain, channel_wire_head(plain, &data), bytes);
    bytes[size - 1] ^= 1;
    say(stranger, bytes, size);
    cr_assert_eq(counted(CHANNEL_COUNT_FORGED), 1);
    bytes[size - 1] ^= 1;
    unsigned long long sealed = counted(CHANNEL_COUNT_SEALED);
    say(stranger, bytes, size);
    say(stranger, bytes, size);
    cr_assert_geq(counted(CHANNEL_COUNT_SEALED), sealed + 1);
    cr_assert_eq(counted(CHANNEL_COUNT_REPLAYED), 1);
    cr_assert_eq(friend->ended, 0, "what strangers said ended a connection");
    channel_secure_finish(&client);
    close(stranger);
    close_rig();
}
#endif
