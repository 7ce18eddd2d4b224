// test_carrier.c: messages over real sockets on loopback: nothing is lost, memory has its bounds, and every carrier ends once.
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bytes.h"
#include "carrier_fixture.h"

static CarrierRig rig;

TestSuite(carrier, .timeout = 60);

// A frame of `size` bytes that all are `value`; gives its whole size.
static size_t put_frame(uint8_t *out, uint8_t value, size_t size)
{
    bytes_put_u16(out, (uint16_t)size);
    memset(out + FRAME_HEAD_SIZE, value, size);
    return FRAME_HEAD_SIZE + size;
}

static void echo(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    cr_assert(carrier_send(&self->carrier, bytes, size));
    carrier_flush(&self->carrier);
}

enum { ECHO_MESSAGES = 6000, ECHO_WINDOW = 40 };

static uint32_t echo_sent;
static uint64_t echo_digest;

static void send_next(CarrierEndpoint *self)
{
    uint8_t  bytes[MESSAGE_SIZE_MAX];
    uint32_t size = 1 + echo_sent * 7919 % MESSAGE_SIZE_MAX;
    memset(bytes, (int)echo_sent, size);
    echo_digest = carrier_digest(echo_digest, bytes, size);
    echo_sent += 1;
    cr_assert(carrier_send(&self->carrier, bytes, size));
}

static void send_another(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    if (echo_sent < ECHO_MESSAGES) {
        send_next(self);
    }
    carrier_flush(&self->carrier);
}

Test(carrier, thousands_come_back_in_order)
{
    carrier_rig_open(&rig);
    rig.heard = echo;
    CarrierEndpoint *client = carrier_rig_end(&rig);
    client->heard = send_another;
    carrier_connect(&client->carrier, (const struct sockaddr *)&rig.address);
    for (uint32_t i = 0; i < ECHO_WINDOW; i++) {
        send_next(client); // before it is connected
    }
    carrier_flush(&client->carrier);
    RUN_UNTIL(&rig, client->messages == ECHO_MESSAGES);
    cr_assert_eq(client->connected, 1);
    cr_assert_eq(client->digest, echo_digest);
    cr_assert_eq(client->carrier.messages_in, ECHO_MESSAGES);
    cr_assert_eq(client->carrier.messages_out, ECHO_MESSAGES);
    cr_assert_eq(client->carrier.bytes_in, client->carrier.bytes_out);
    cr_assert_eq(client->carrier.bytes_in, rig.ends[1].carrier.bytes_in);
    cr_assert_eq(carrier_waiting(&client->carrier), 0);
    carrier_close(&client->carrier);
    RUN_UNTIL(&rig, client->ended == 1 && rig.ends[1].ended == 1);
    cr_assert_eq(client->end, CARRIER_CLOSED);
    cr_assert_eq(rig.ends[1].end, CARRIER_GONE);
    carrier_rig_close(&rig);
}

Test(carrier, frames_cut_at_every_byte)
{
    uint8_t stream[2048];
    size_t  size = 0;
    size += put_frame(stream + size, 1, 1);
    size += put_frame(stream + size, 2, 300);
    size += put_frame(stream + size, 3, 2);
    carrier_rig_open(&rig);
    int              socket = carrier_rig_socket(&rig);
    CarrierEndpoint *server = &rig.ends[0];
    for (size_t cut = 1; cut < size; cut++) {
        uint64_t before = server->carrier.bytes_in;
        uint32_t messages = server->messages;
        carrier_rig_write(socket, stream, cut);
        RUN_UNTIL(&rig, server->carrier.bytes_in == before + cut);
        cr_assert_eq(server->messages, messages + (cut >= 3) + (cut >= 305), "cut at %zu", cut);
        carrier_rig_write(socket, stream + cut, size - cut);
        RUN_UNTIL(&rig, server->carrier.bytes_in == before + size);
        cr_assert_eq(server->messages, messages + 3);
    }
    close(socket);
    RUN_UNTIL(&rig, server->ended == 1);
    cr_assert_eq(server->end, CARRIER_GONE);
    cr_assert_eq(server->status, 0);
    carrier_rig_close(&rig);
}

static void expect_malformed(uint16_t length)
{
    uint8_t stream[64];
    size_t  size = put_frame(stream, 7, 5);
    bytes_put_u16(stream + size, length);
    carrier_rig_open(&rig);
    int socket = carrier_rig_socket(&rig);
    carrier_rig_write(socket, stream, size + 2);
    RUN_UNTIL(&rig, rig.ends[0].ended == 1);
    cr_assert_eq(rig.ends[0].messages, 1, "what came before counts");
    cr_assert_eq(rig.ends[0].end, CARRIER_MALFORMED);
    cr_assert(carrier_rig_is_at_end(socket));
    close(socket);
    carrier_rig_close(&rig);
}

Test(carrier, no_length_is_malformed)
{
    expect_malformed(0);
}

Test(carrier, too_much_length_is_malformed)
{
    expect_malformed(MESSAGE_SIZE_MAX + 1);
}

// Goal: whoever does not read costs out_max and then itself.
Test(carrier, who_does_not_read_ends_as_slow)
{
    uint8_t bytes[MESSAGE_SIZE_MAX] = { 0 };
    carrier_rig_open(&rig);
    int              socket = carrier_rig_socket(&rig);
    CarrierEndpoint *server = &rig.ends[0];
    Carrier         *carrier = &server->carrier;
    while (carrier_send(carrier, bytes, sizeof(bytes))) {
        carrier_flush(carrier);
        cr_assert_leq(carrier->out_size + carrier->writing_size, END_OUT_MAX);
        cr_assert_leq(carrier_waiting(carrier), END_OUT_MAX);
        cr_assert_leq(carrier->out_capacity, END_OUT_MAX);
        cr_assert_leq(carrier->writing_capacity, END_OUT_MAX);
        uv_run(&rig.loop, UV_RUN_NOWAIT);
    }
    cr_assert_eq(server->ended, 0, "not from inside a call");
    cr_assert_not(carrier_send(carrier, bytes, 1));
    RUN_UNTIL(&rig, server->ended == 1);
    cr_assert_eq(server->end, CARRIER_SLOW);
    close(socket);
    carrier_rig_close(&rig);
}

// Goal: who sends without flushing is not taken for a slow reader.
Test(carrier, a_full_buffer_flushes_itself)
{
    uint8_t bytes[MESSAGE_SIZE_MAX] = { 0 };
    carrier_rig_open(&rig);
    CarrierEndpoint *client = carrier_rig_end(&rig);
    carrier_connect(&client->carrier, (const struct sockaddr *)&rig.address);
    RUN_UNTIL(&rig, client->connected == 1 && rig.end_count == 2);
    for (uint32_t i = 0; i < 100; i++) { // nearly twice out_max; loopback takes more
        cr_assert(carrier_send(&client->carrier, bytes, sizeof(bytes)));
    }
    cr_assert_gt(carrier_waiting(&client->carrier), 0);
    carrier_flush(&client->carrier);
    RUN_UNTIL(&rig, rig.ends[1].messages == 100);
    carrier_rig_close(&rig);
}

// Goal: a large heap of messages leaves in pieces as the reader takes it, and what was collected meanwhile follows by itself.
Test(carrier, the_rest_follows_as_it_is_read)
{
    enum { COUNT = 8000 };
    static uint8_t bytes[MESSAGE_SIZE_MAX], got[FRAME_SIZE_MAX];
    carrier_rig_open(&rig);
    rig.out_max = (size_t)COUNT * FRAME_SIZE_MAX;
    int      socket = carrier_rig_socket(&rig);
    Carrier *carrier = &rig.ends[0].carrier;
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(bytes, (int)i, sizeof(bytes));
        cr_assert(carrier_send(carrier, bytes, sizeof(bytes)));
        if (i == COUNT / 2) {
            carrier_flush(carrier);
        }
    }
    carrier_flush(carrier);
    cr_assert(carrier->is_writing, "loopback took %d bytes at once: raise COUNT", COUNT * FRAME_SIZE_MAX);
    for (uint32_t i = 0; i < COUNT; i++) {
        // The kernel holds less than what is missing, so the loop is turned before a read could wait for ever.
        uv_run(&rig.loop, UV_RUN_NOWAIT);
        carrier_rig_read(socket, got, sizeof(got));
        cr_assert_eq(bytes_get_u16(got), MESSAGE_SIZE_MAX);
        cr_assert_eq(got[2], (uint8_t)i);
        cr_assert_eq(got[FRAME_SIZE_MAX - 1], (uint8_t)i);
    }
    RUN_UNTIL(&rig, carrier_waiting(carrier) == 0);
    cr_assert_eq(carrier->bytes_out, (uint64_t)COUNT * FRAME_SIZE_MAX);
    close(socket);
    carrier_rig_close(&rig);
}

static void close_at(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    if (self->messages == self->act_at) {
        cr_assert(carrier_send(&self->carrier, bytes, size));
        carrier_close(&self->carrier);
        carrier_close(&self->carrier); // again is fine
        cr_assert_not(carrier_send(&self->carrier, bytes, size));
        carrier_flush(&self->carrier);
        cr_assert_eq(self->ended, 0, "not from inside a call");
    }
}

Test(carrier, closed_inside_message_is_silent_at_once)
{
    uint8_t stream[256], got[16];
    size_t  size = 0;
    for (uint8_t i = 1; i <= 5; i++) {
        size += put_frame(stream + size, i, 10);
    }
    carrier_rig_open(&rig);
    int socket = carrier_rig_socket(&rig);
    rig.ends[0].heard = close_at;
    rig.ends[0].act_at = 3;
    carrier_rig_write(socket, stream, size);
    RUN_UNTIL(&rig, rig.ends[0].ended == 1);
    cr_assert_eq(rig.ends[0].messages, 3);
    cr_assert_eq(rig.ends[0].end, CARRIER_CLOSED);
    // The last words were sent.
    carrier_rig_read(socket, got, 12);
    cr_assert_eq(got[2], 3);
    cr_assert(carrier_rig_is_at_end(socket));
    close(socket);
    carrier_rig_close(&rig);
}

static void hand_over(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    uint8_t          rest[FRAME_BUFFER_SIZE];
    uv_os_sock_t     socket;
    size_t           rest_size = 0;
    CarrierEndpoint *other = self->other;
    (void)bytes;
    (void)size;
    if (self->messages != self->act_at) {
        return;
    }
    cr_assert_eq(carrier_release(&self->carrier, &socket, rest, sizeof(rest), &rest_size), 0);
    cr_assert_eq(carrier_release(&self->carrier, &socket, rest, sizeof(rest), &rest_size), UV_ENOTCONN);
    cr_assert_eq(carrier_adopt(&other->carrier, socket, rest, rest_size), 0);
    cr_assert_eq(other->messages, 0, "not from inside the call");
}

// Goal: whichever message is the first one of another carrier, all come, once and in order.
Test(carrier, handed_over_loses_nothing)
{
    uint8_t  stream[8192], got[FRAME_SIZE_MAX];
    size_t   size = 0;
    uint64_t digest = 0;
    for (uint8_t i = 1; i <= 12; i++) {
        size_t frame = put_frame(stream + size, i, i * 40u);
        digest = carrier_digest(digest, stream + size + FRAME_HEAD_SIZE, frame - FRAME_HEAD_SIZE);
        size += frame;
    }
    for (uint32_t at = 1; at <= 11; at++) {
        carrier_rig_open(&rig);
        int              socket = carrier_rig_socket(&rig);
        CarrierEndpoint *first = &rig.ends[0];
        CarrierEndpoint *second = carrier_rig_end(&rig);
        first->heard = hand_over;
        first->act_at = at;
        first->other = second;
        second->heard = echo;
        carrier_rig_write(socket, stream, size - 100); // the last one is not whole
        RUN_UNTIL(&rig, first->messages + second->messages == 11 && first->ended == 1);
        cr_assert_eq(first->messages, at);
        cr_assert_eq(first->end, CARRIER_CLOSED);
        carrier_rig_write(socket, stream + size - 100, 100);
        RUN_UNTIL(&rig, second->messages == 12 - at);
        cr_assert_eq(second->ended, 0, "the connection stands");
        for (uint32_t i = at + 1; i <= 12; i++) {
            carrier_rig_read(socket, got, FRAME_HEAD_SIZE + i * 40u);
            cr_assert_eq(got[2], i);
        }
        // Digests of both halves, put together.
        uint64_t both = 0;
        const uint8_t *frame = stream;
        for (uint32_t i = 1; i <= 12; i++, frame += FRAME_HEAD_SIZE + bytes_get_u16(frame)) {
            if (i == at + 1) {
                cr_assert_eq(both, first->digest);
                both = 0;
            }
            both = carrier_digest(both, frame + FRAME_HEAD_SIZE, bytes_get_u16(frame));
        }
        cr_assert_eq(both, second->digest);
        close(socket);
        RUN_UNTIL(&rig, second->ended == 1);
        cr_assert_eq(second->end, CARRIER_GONE);
        carrier_rig_close(&rig);
    }
}

Test(carrier, released_outside_message_gives_the_half_frame)
{
    uint8_t          stream[64], rest[FRAME_BUFFER_SIZE];
    uv_os_sock_t     copy;
    size_t           rest_size = 0;
    size_t           size = put_frame(stream, 9, 20);
    carrier_rig_open(&rig);
    int              socket = carrier_rig_socket(&rig);
    CarrierEndpoint *first = &rig.ends[0];
    carrier_rig_write(socket, stream, 15);
    RUN_UNTIL(&rig, first->carrier.bytes_in == 15);
    // What cannot be done changes nothing.
    cr_assert_eq(carrier_release(&first->carrier, &copy, rest, 14, &rest_size), UV_ENOBUFS);
    cr_assert(carrier_send(&first->carrier, stream, 3));
    cr_assert_eq(carrier_release(&first->carrier, &copy, rest, sizeof(rest), &rest_size), UV_EBUSY);
    carrier_flush(&first->carrier);
    cr_assert_eq(carrier_release(&first->carrier, &copy, rest, sizeof(rest), &rest_size), 0);
    cr_assert_eq(rest_size, 15);
    RUN_UNTIL(&rig, first->ended == 1);
    CarrierEndpoint *second = carrier_rig_end(&rig);
    cr_assert_eq(carrier_adopt(&second->carrier, copy, rest, sizeof(second->carrier.in.bytes) + 1), UV_ENOBUFS);
    cr_assert_eq(carrier_adopt(&second->carrier, copy, rest, rest_size), 0);
    carrier_rig_write(socket, stream + 15, size - 15);
    RUN_UNTIL(&rig, second->messages == 1);
    cr_assert_eq(second->digest, carrier_digest(0, stream + FRAME_HEAD_SIZE, 20));
    close(socket);
    carrier_rig_close(&rig);
}

Test(carrier, adopted_and_closed_at_once_says_nothing)
{
    uint8_t stream[64];
    size_t  size = put_frame(stream, 9, 20);
    carrier_rig_open(&rig);
    int              socket = carrier_rig_socket(&rig);
    uv_os_sock_t     copy;
    size_t           rest_size = 0;
    CarrierEndpoint *second = carrier_rig_end(&rig);
    cr_assert_eq(carrier_release(&rig.ends[0].carrier, &copy, NULL, 0, &rest_size), 0);
    cr_assert_eq(carrier_adopt(&second->carrier, copy, stream, size), 0);
    carrier_close(&second->carrier);
    RUN_UNTIL(&rig, second->ended == 1);
    cr_assert_eq(second->messages, 0);
    cr_assert(carrier_rig_is_at_end(socket));
    close(socket);
    carrier_rig_close(&rig);
}

Test(carrier, refused_connection_ends)
{
    carrier_rig_open(&rig);
    struct sockaddr_in address = rig.address;
    int                closed = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t          size = sizeof(address);
    address.sin_port = 0; // bound and never listening: its port refuses
    cr_assert_eq(bind(closed, (const struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(getsockname(closed, (struct sockaddr *)&address, &size), 0);
    CarrierEndpoint *client = carrier_rig_end(&rig);
    carrier_connect(&client->carrier, (const struct sockaddr *)&address);
    cr_assert_eq(client->ended, 0);
    RUN_UNTIL(&rig, client->ended == 1);
    cr_assert_eq(client->end, CARRIER_FAILED);
    cr_assert_eq(client->status, UV_ECONNREFUSED);
    cr_assert_eq(client->connected, 0);
    close(closed);
    carrier_rig_close(&rig);
}

Test(carrier, an_address_that_cannot_be_ends_too)
{
    carrier_rig_open(&rig);
    struct sockaddr_in address = rig.address;
    address.sin_family = AF_UNSPEC;
    CarrierEndpoint *client = carrier_rig_end(&rig);
    cr_assert_lt(carrier_connect(&client->carrier, (const struct sockaddr *)&address), 0);
    cr_assert_eq(client->ended, 0, "not from inside a call");
    RUN_UNTIL(&rig, client->ended == 1);
    cr_assert_eq(client->end, CARRIER_FAILED);
    carrier_rig_close(&rig);
}

Test(carrier, closed_while_it_connects)
{
    carrier_rig_open(&rig);
    CarrierEndpoint *client = carrier_rig_end(&rig);
    carrier_connect(&client->carrier, (const struct sockaddr *)&rig.address);
    cr_assert(carrier_send(&client->carrier, (const uint8_t *)"x", 1));
    carrier_close(&client->carrier);
    RUN_UNTIL(&rig, client->ended == 1);
    cr_assert_eq(client->end, CARRIER_CLOSED);
    cr_assert_eq(client->connected, 0);
    carrier_rig_close(&rig);
}

Test(carrier, never_connected_is_closed_and_finished)
{
    Carrier zero;
    memset(&zero, 0, sizeof(zero));
    carrier_close(&zero);
    carrier_finish(&zero);
    carrier_rig_open(&rig);
    carrier_rig_end(&rig);
    carrier_rig_close(&rig);
}

Test(carrier, a_reset_is_a_failure)
{
    carrier_rig_open(&rig);
    int socket = carrier_rig_socket(&rig);
    carrier_rig_reset(socket);
    RUN_UNTIL(&rig, rig.ends[0].ended == 1);
    cr_assert_eq(rig.ends[0].end, CARRIER_FAILED);
    cr_assert_eq(rig.ends[0].status, UV_ECONNRESET);
    carrier_rig_close(&rig);
}

// Goal: a server that says why and closes is heard, also by a client that was just about to write and finds the connection reset.
Test(carrier, last_words_are_heard_by_who_cannot_write)
{
    uint8_t stream[64];
    size_t  size = put_frame(stream, 9, 20);
    carrier_rig_open(&rig);
    int      socket = carrier_rig_socket(&rig);
    Carrier *carrier = &rig.ends[0].carrier;
    carrier_rig_write(socket, stream, size);
    carrier_rig_reset(socket);
    while (carrier->write_status == 0) { // the first write may still be taken
        cr_assert(carrier_send(carrier, stream, 5));
        carrier_flush(carrier);
    }
    cr_assert_not(carrier_send(carrier, stream, 5));
    cr_assert_eq(rig.ends[0].ended, 0);
    RUN_UNTIL(&rig, rig.ends[0].ended == 1);
    cr_assert_eq(rig.ends[0].messages, 1);
    cr_assert_neq(rig.ends[0].end, CARRIER_CLOSED);
    carrier_rig_close(&rig);
}

static void discard_at(CarrierEndpoint *self, const uint8_t *bytes, size_t size)
{
    if (self->messages == self->act_at) {
        carrier_discard(&self->carrier);
        echo(self, bytes, size);
    }
}

// Goal: who has said its last word reads on, so that the connection is not reset, but hears nothing, malformed or not.
Test(carrier, discards_what_comes_and_still_sees_the_end)
{
    uint8_t stream[64], got[32];
    size_t  size = 0;
    for (uint8_t i = 1; i <= 3; i++) {
        size += put_frame(stream + size, i, 10);
    }
    carrier_rig_open(&rig);
    int              socket = carrier_rig_socket(&rig);
    CarrierEndpoint *server = &rig.ends[0];
    server->heard = discard_at;
    server->act_at = 2;
    carrier_rig_write(socket, stream, size);
    RUN_UNTIL(&rig, server->carrier.bytes_in == size);
    memset(stream, 0, sizeof(stream)); // a length of 0
    carrier_rig_write(socket, stream, sizeof(stream));
    RUN_UNTIL(&rig, server->carrier.bytes_in == size + sizeof(stream));
    cr_assert_eq(server->messages, 2);
    carrier_rig_read(socket, got, 12);
    cr_assert_eq(got[2], 2, "it can still speak");
    close(socket);
    RUN_UNTIL(&rig, server->ended == 1);
    cr_assert_eq(server->end, CARRIER_GONE);
    carrier_rig_close(&rig);
}

// Goal: once the buffers have their size nothing is allocated, however many messages there are.
Test(carrier, buffers_keep_their_size)
{
    uint8_t bytes[200] = { 0 };
    carrier_rig_open(&rig);
    CarrierEndpoint *client = carrier_rig_end(&rig);
    carrier_connect(&client->carrier, (const struct sockaddr *)&rig.address);
    RUN_UNTIL(&rig, client->connected == 1 && rig.end_count == 2);
    uint8_t *out = NULL;
    for (uint32_t round = 1; round <= 50; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            cr_assert(carrier_send(&client->carrier, bytes, sizeof(bytes)));
        }
        out = round == 1 ? client->carrier.out : out;
        carrier_flush(&client->carrier);
        RUN_UNTIL(&rig, rig.ends[1].messages == round * 100);
        cr_assert_eq(client->carrier.out, out);
    }
    carrier_rig_close(&rig);
}

// Goal: buffers that grew are given back when they are empty, never while something waits in them, and come back when needed.
Test(carrier, trimmed_buffers_lose_nothing)
{
    uint8_t bytes[1000] = { 0 };
    carrier_rig_open(&rig);
    CarrierEndpoint *client = carrier_rig_end(&rig);
    carrier_connect(&client->carrier, (const struct sockaddr *)&rig.address);
    RUN_UNTIL(&rig, client->connected == 1 && rig.end_count == 2);
    for (uint32_t round = 1; round <= 3; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            cr_assert(carrier_send(&client->carrier, bytes, sizeof(bytes)));
        }
        carrier_trim(&client->carrier, 4096);
        cr_assert_eq(client->carrier.out_size, 20u * (FRAME_HEAD_SIZE + sizeof(bytes)), "what waits is kept");
        carrier_flush(&client->carrier);
        RUN_UNTIL(&rig, rig.ends[1].messages == round * 20 && carrier_waiting(&client->carrier) == 0);
        carrier_trim(&client->carrier, SIZE_MAX);
        cr_assert_gt(client->carrier.out_capacity, 4096);
        carrier_trim(&client->carrier, 4096);
        cr_assert_leq(client->carrier.out_capacity + client->carrier.writing_capacity, 2 * 4096);
    }
    carrier_rig_close(&rig);
}
