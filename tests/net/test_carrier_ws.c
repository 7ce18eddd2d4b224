// test_carrier_ws.c: WebSockets over real sockets on loopback: the handshake of our client, messages both ways, a hand-over in the middle of a read,
// and how each kind of end looks from the other side.
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "carrier_fixture.h"
#include "ws.h"
#include "ws_handshake.h"

static CarrierRig rig;

TestSuite(carrier_ws, .timeout = 60);

static CarrierEndpoint *open_end(const CarrierEvents *events)
{
    cr_assert_lt(rig.end_count, ENDS_MAX);
    CarrierEndpoint *end = &rig.ends[rig.end_count++];
    cr_assert_eq(carrier_open(&end->carrier, &rig.loop, events, end, rig.out_max), 0);
    return end;
}

// A server's end of a WebSocket whose handshake is over, and the other side as a plain socket.
static CarrierEndpoint *adopt_pair(int *other, const CarrierEvents *events, const void *bytes, size_t size)
{
    int pair[2] = { -1, -1 }, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          address_size = sizeof(address);
    cr_assert_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(listen(listener, 1), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &address_size), 0);
    pair[0] = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(connect(pair[0], (struct sockaddr *)&address, sizeof(address)), 0);
    pair[1] = accept(listener, NULL, NULL);
    cr_assert_geq(pair[1], 0);
    close(listener);
    CarrierEndpoint *end = open_end(events);
    cr_assert_eq(carrier_adopt_ws(&end->carrier, pair[1], bytes, size), 0);
    *other = pair[0];
    return end;
}

static void echo(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    cr_assert(carrier_send(&self->carrier, bytes, size));
    carrier_flush(&self->carrier);
}

// A frame as our client writes it.
static size_t put(uint8_t *out, WsOpcode opcode, const void *bytes, size_t size)
{
    Ws    *ws = ws_create(true);
    size_t count = ws_encode(ws, opcode, bytes, size, out);
    ws_destroy(ws);
    return count;
}

// The server's side of a handshake by hand: reads the request, answers, and leaves the socket as a WebSocket.
static uint32_t answered;

static void on_request(CarrierRig *from, int socket, const char *answer)
{
    char   request[WS_REQUEST_SIZE] = "", key[WS_KEY_SIZE] = "", accept[WS_ACCEPT_SIZE], text[1024];
    size_t size = 0;
    while (strstr(request, "\r\n\r\n") == NULL) {
        uv_run(&from->loop, UV_RUN_NOWAIT);
        ssize_t count = recv(socket, request + size, sizeof(request) - 1 - size, MSG_DONTWAIT);
        size += count > 0 ? (size_t)count : 0;
    }
    cr_assert_eq(strncmp(request, "GET /play HTTP/1.1\r\nHost: here:1\r\n", 34), 0, "%s", request);
    const char *at = strstr(request, "Sec-WebSocket-Key: ");
    cr_assert_neq(at, NULL);
    memcpy(key, at + 19, WS_KEY_SIZE - 1);
    cr_assert(ws_key_is_valid(key));
    ws_accept(key, accept);
    int count = snprintf(text, sizeof(text), answer, accept);
    carrier_rig_write(socket, text, (size_t)count);
    answered += 1;
}

static int listen_plain(struct sockaddr_in *address)
{
    int       listener = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t size = sizeof(*address);
    *address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    cr_assert_eq(bind(listener, (struct sockaddr *)address, size), 0);
    cr_assert_eq(listen(listener, 1), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)address, &size), 0);
    return listener;
}

#define ANSWER "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: tickproof.2\r\n\r\n"

Test(carrier_ws, thousands_come_back)
{
    struct sockaddr_in address;
    carrier_rig_open(&rig);
    int              listener = listen_plain(&address);
    CarrierEndpoint *client = open_end(&carrier_rig_events);
    cr_assert_eq(carrier_connect_ws(&client->carrier, (struct sockaddr *)&address, "here:1", "/play"), 0);
    cr_assert_eq(carrier_kind(&client->carrier), CARRIER_WS);
    int socket = accept(listener, NULL, NULL);
    on_request(&rig, socket, ANSWER);
    RUN_UNTIL(&rig, client->connected == 1);
    CarrierEndpoint *server = open_end(&carrier_rig_events);
    cr_assert_eq(carrier_adopt_ws(&server->carrier, socket, NULL, 0), 0);
    server->heard = echo;
    uint64_t digest = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        uint8_t bytes[MESSAGE_SIZE_MAX];
        size_t  size = 1 + i * 7919 % MESSAGE_SIZE_MAX;
        memset(bytes, (int)i, size);
        digest = carrier_digest(digest, bytes, size);
        cr_assert(carrier_send(&client->carrier, bytes, size));
        carrier_flush(&client->carrier);
        RUN_UNTIL(&rig, client->messages + 20 > i);
    }
    RUN_UNTIL(&rig, client->messages == 4000);
    cr_assert_eq(client->digest, digest);
    cr_assert_eq(server->digest, digest);
    // The client closes: both know.
    carrier_close(&client->carrier);
    RUN_UNTIL(&rig, client->ended == 1 && server->ended == 1);
    cr_assert_eq(server->end, CARRIER_GONE);
    close(listener);
    carrier_rig_close(&rig);
}

static unsigned answer_status;

static void on_refused(void *to, CarrierEnd how, int status)
{
    CarrierEndpoint *end = to;
    answer_status = carrier_ws_status(&end->carrier);
    carrier_rig_events.ended(to, how, status);
}

Test(carrier_ws, other_answers_end_the_client)
{
    static const struct {
        const char *answer;
        unsigned    status;
    } cases[] = {
        { "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n%.0s", 403 },
        { "HTTP/1.1 200 OK\r\n\r\n%.0s", 200 },
        { "SSH-2.0-x\r\n\r\n%.0s", 0 },
        { "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: a%s\r\nSec-WebSocket-Protocol: tickproof.2\r\n\r\n", 101 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sockaddr_in address;
        carrier_rig_open(&rig);
        int              listener = listen_plain(&address);
        CarrierEvents    events = carrier_rig_events;
        events.ended = on_refused;
        CarrierEndpoint *client = open_end(&events);
        carrier_connect_ws(&client->carrier, (struct sockaddr *)&address, "here:1", "/play");
        int socket = accept(listener, NULL, NULL);
        on_request(&rig, socket, cases[i].answer);
        RUN_UNTIL(&rig, client->ended == 1);
        cr_assert_eq(answer_status, cases[i].status);
        cr_assert_eq(client->connected, 0);
        cr_assert_eq(client->end, CARRIER_FAILED);
        cr_assert_eq(client->status, UV_EPROTO);
        close(socket);
        close(listener);
        carrier_rig_close(&rig);
    }
}

// Goal: an answer that never ends is bounded.
Test(carrier_ws, an_answer_without_end)
{
    struct sockaddr_in address;
    static char        junk[FRAME_BUFFER_SIZE + 1];
    carrier_rig_open(&rig);
    int              listener = listen_plain(&address);
    CarrierEndpoint *client = open_end(&carrier_rig_events);
    carrier_connect_ws(&client->carrier, (struct sockaddr *)&address, "here:1", "/play");
    int socket = accept(listener, NULL, NULL);
    memset(junk, 'x', sizeof(junk));
    on_request(&rig, socket, "HTTP/1.1 101 %.0sx\r\n");
    carrier_rig_write(socket, junk, sizeof(junk));
    RUN_UNTIL(&rig, client->ended == 1);
    cr_assert_eq(client->status, UV_EPROTO);
    close(socket);
    close(listener);
    carrier_rig_close(&rig);
}

static void hand_over(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    uint8_t          rest[FRAME_BUFFER_SIZE];
    size_t           rest_size = 0;
    uv_os_sock_t     socket = -1;
    CarrierEndpoint *other = self->other;
    (void)bytes;
    (void)size;
    if (self->messages != self->act_at) {
        return;
    }
    cr_assert_eq(carrier_release(&self->carrier, &socket, rest, sizeof(rest), &rest_size), 0);
    cr_assert_eq(carrier_adopt_ws(&other->carrier, socket, rest, rest_size), 0);
}

// Goal: whichever message moves the connection, all come, once and in order, and no closing frame is said.
Test(carrier_ws, handed_over_loses_nothing)
{
    uint8_t  stream[8192], bytes[600], got[1024];
    size_t   size = 0;
    uint64_t digest = 0;
    for (uint8_t i = 1; i <= 12; i++) {
        memset(bytes, i, sizeof(bytes));
        digest = carrier_digest(digest, bytes, i * 25u);
        size += put(stream + size, WS_OPCODE_BINARY, bytes, i * 25u);
    }
    for (uint32_t at = 1; at <= 11; at++) {
        int socket = -1;
        carrier_rig_open(&rig);
        CarrierEndpoint *first = adopt_pair(&socket, &carrier_rig_events, NULL, 0);
        CarrierEndpoint *second = open_end(&carrier_rig_events);
        first->heard = hand_over;
        first->act_at = at;
        first->other = second;
        second->heard = echo;
        carrier_rig_write(socket, stream, size - 100);
        RUN_UNTIL(&rig, first->messages + second->messages == 11 && first->ended == 1);
        cr_assert_eq(first->messages, at);
        carrier_rig_write(socket, stream + size - 100, 100);
        RUN_UNTIL(&rig, second->messages == 12 - at);
        for (uint32_t i = at + 1; i <= 12; i++) {
            size_t head = i * 25u < 126 ? 2 : 4;
            carrier_rig_read(socket, got, head + i * 25u);
            cr_assert_eq(got[0], 0x82, "a whole binary message");
            cr_assert_eq(got[head], i);
        }
        close(socket);
        RUN_UNTIL(&rig, second->ended == 1);
        carrier_rig_close(&rig);
    }
}

// What is left of the handshake's read is the beginning.
Test(carrier_ws, begins_with_what_was_read)
{
    uint8_t stream[64];
    int     socket = -1;
    size_t  size = put(stream, WS_OPCODE_BINARY, "first", 5);
    carrier_rig_open(&rig);
    CarrierEndpoint *end = adopt_pair(&socket, &carrier_rig_events, stream, size - 2);
    uv_os_sock_t     copy;
    uint8_t          rest[FRAME_BUFFER_SIZE];
    size_t           rest_size = 0;
    RUN_UNTIL(&rig, end->carrier.is_reading);
    cr_assert_eq(carrier_release(&end->carrier, &copy, rest, sizeof(rest), &rest_size), UV_EBUSY, "in the middle of a frame");
    carrier_rig_write(socket, stream + size - 2, 2);
    RUN_UNTIL(&rig, end->messages == 1);
    cr_assert_eq(end->digest, carrier_digest(0, (const uint8_t *)"first", 5));
    close(socket);
    RUN_UNTIL(&rig, end->ended == 1);
    carrier_rig_close(&rig);
}

Test(carrier_ws, pings_are_answered_and_closing_is)
{
    uint8_t stream[256], got[64];
    int     socket = -1;
    size_t  size = put(stream, WS_OPCODE_PING, "are you there", 13);
    size += put(stream + size, WS_OPCODE_PING, "", 0);
    size += put(stream + size, WS_OPCODE_CLOSE, "\x0F\xA1", 2);
    carrier_rig_open(&rig);
    CarrierEndpoint *end = adopt_pair(&socket, &carrier_rig_events, NULL, 0);
    carrier_rig_write(socket, stream, size);
    RUN_UNTIL(&rig, end->ended == 1);
    cr_assert_eq(end->end, CARRIER_GONE);
    carrier_rig_read(socket, got, 15 + 2 + 4);
    cr_assert_eq(memcmp(got, "\x8A\x0D" "are you there" "\x8A\x00" "\x88\x02\x0F\xA1", 21), 0);
    cr_assert(carrier_rig_is_at_end(socket));
    close(socket);
    carrier_rig_close(&rig);
}

// Without a word for it, a client of ours just ends.
Test(carrier_ws, wrong_ends_with_the_code)
{
    int socket = -1;
    uint8_t got[4];
    carrier_rig_open(&rig);
    CarrierEndpoint *end = adopt_pair(&socket, &carrier_rig_events, "\x82\x01" "a", 3);
    RUN_UNTIL(&rig, end->ended == 1);
    cr_assert_eq(end->end, CARRIER_MALFORMED);
    carrier_rig_read(socket, got, 4);
    cr_assert_eq(memcmp(got, "\x88\x02\x03\xEA", 4), 0); // 1002
    cr_assert(carrier_rig_is_at_end(socket));
    close(socket);
    carrier_rig_close(&rig);
}

static uint32_t broken;

// As a server does it: a last message, then nothing more is read.
static void on_broken(void *to)
{
    CarrierEndpoint *end = to;
    broken += 1;
    cr_assert_str_eq(carrier_wrong(&end->carrier), "a text: messages are binary");
    cr_assert(carrier_send(&end->carrier, (const uint8_t *)"bye", 3));
    carrier_discard(&end->carrier);
    cr_assert_not(carrier_send(&end->carrier, (const uint8_t *)"more", 4), "nothing after the closing frame");
    carrier_flush(&end->carrier);
}

Test(carrier_ws, last_words_come_before_the_closing_frame)
{
    int     socket = -1;
    uint8_t got[9], stream[64];
    size_t  size = put(stream, WS_OPCODE_TEXT, "{}", 2);
    size += put(stream + size, WS_OPCODE_BINARY, "x", 1);
    carrier_rig_open(&rig);
    CarrierEvents    events = carrier_rig_events;
    events.broken = on_broken;
    CarrierEndpoint *end = adopt_pair(&socket, &events, stream, size);
    RUN_UNTIL(&rig, broken == 1);
    carrier_rig_read(socket, got, 9);
    cr_assert_eq(memcmp(got, "\x82\x03" "bye" "\x88\x02\x03\xEB", 9), 0); // 1003
    carrier_rig_write(socket, stream, size);
    close(socket);
    RUN_UNTIL(&rig, end->ended == 1);
    cr_assert_eq(broken, 1);
    cr_assert_eq(end->messages, 0);
    carrier_rig_close(&rig);
}

// Goal: who has said his last word hears the other side's closing frame, and is done at once.
Test(carrier_ws, the_closing_handshake_after_a_last_word)
{
    int     socket = -1;
    uint8_t got[4], stream[64];
    carrier_rig_open(&rig);
    CarrierEndpoint *end = adopt_pair(&socket, &carrier_rig_events, NULL, 0);
    carrier_say_code(&end->carrier, WS_CLOSE_GOING_AWAY);
    carrier_say_code(&end->carrier, WS_CLOSE_POLICY); // the first one stands
    carrier_discard(&end->carrier);
    carrier_flush(&end->carrier);
    carrier_rig_read(socket, got, 4);
    cr_assert_eq(memcmp(got, "\x88\x02\x03\xE9", 4), 0);
    size_t size = put(stream, WS_OPCODE_BINARY, "unread", 6);
    size += put(stream + size, WS_OPCODE_CLOSE, "\x03\xE9", 2);
    carrier_rig_write(socket, stream, size);
    RUN_UNTIL(&rig, end->ended == 1);
    cr_assert_eq(end->end, CARRIER_GONE);
    cr_assert_eq(end->messages, 0);
    cr_assert(carrier_rig_is_at_end(socket), "one closing frame, not two");
    close(socket);
    carrier_rig_close(&rig);
}

// Goal: in steady state nothing is allocated: the buffers have the size that they had.
Test(carrier_ws, buffers_keep_their_size)
{
    int     socket = -1;
    uint8_t stream[64], got[64];
    carrier_rig_open(&rig);
    CarrierEndpoint *end = adopt_pair(&socket, &carrier_rig_events, NULL, 0);
    end->heard = echo;
    const uint8_t *out = NULL;
    for (uint32_t i = 0; i < 300; i++) {
        size_t size = put(stream, WS_OPCODE_BINARY, "steady", 6);
        carrier_rig_write(socket, stream, size);
        RUN_UNTIL(&rig, end->messages == i + 1);
        carrier_rig_read(socket, got, 8);
        out = i == 0 ? end->carrier.out : out;
        cr_assert_eq(end->carrier.out, out);
    }
    close(socket);
    RUN_UNTIL(&rig, end->ended == 1);
    carrier_rig_close(&rig);
}
