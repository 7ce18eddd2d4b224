// carrier_fixture.c: see carrier_fixture.h.
#include "carrier_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

uint64_t carrier_digest(uint64_t digest, const uint8_t *bytes, size_t size)
{
    digest = (digest ^ size) * UINT64_C(1099511628211);
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return digest;
}

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    CarrierEndpoint *end = to;
    cr_assert_eq(end->ended, 0, "a message after the end");
    end->messages += 1;
    end->digest = carrier_digest(end->digest, bytes, size);
    if (end->heard != NULL) {
        end->heard(end, bytes, size);
    }
}

static void on_ended(void *to, CarrierEnd how, int status)
{
    CarrierEndpoint *end = to;
    end->ended += 1;
    end->end = how;
    end->status = status;
    carrier_finish(&end->carrier);
}

static void on_connected(void *to)
{
    CarrierEndpoint *end = to;
    end->connected += 1;
}

const CarrierEvents carrier_rig_events = { .message = on_message, .ended = on_ended, .connected = on_connected };

CarrierEndpoint *carrier_rig_end(CarrierRig *rig)
{
    cr_assert_lt(rig->end_count, ENDS_MAX);
    CarrierEndpoint *end = &rig->ends[rig->end_count++];
    cr_assert_eq(carrier_open(&end->carrier, &rig->loop, &carrier_rig_events, end, rig->out_max), 0);
    return end;
}

static void on_waiting(uv_stream_t *listener, int status)
{
    CarrierRig *rig = listener->data;
    cr_assert_eq(status, 0);
    CarrierEndpoint *end = carrier_rig_end(rig);
    end->heard = rig->heard;
    cr_assert_eq(carrier_accept(&end->carrier, listener), 0);
}

void carrier_rig_open(CarrierRig *rig)
{
    signal(SIGPIPE, SIG_IGN);
    memset(rig, 0, sizeof(*rig));
    rig->out_max = END_OUT_MAX;
    cr_assert_eq(uv_loop_init(&rig->loop), 0);
    cr_assert_eq(uv_tcp_init(&rig->loop, &rig->listener), 0);
    rig->listener.data = rig;
    cr_assert_eq(uv_ip4_addr("127.0.0.1", 0, &rig->address), 0);
    cr_assert_eq(uv_tcp_bind(&rig->listener, (const struct sockaddr *)&rig->address, 0), 0);
    cr_assert_eq(uv_listen((uv_stream_t *)&rig->listener, 16, on_waiting), 0);
    int size = sizeof(rig->address);
    cr_assert_eq(uv_tcp_getsockname(&rig->listener, (struct sockaddr *)&rig->address, &size), 0);
}

void carrier_rig_close(CarrierRig *rig)
{
    for (uint32_t i = 0; i < rig->end_count; i++) {
        carrier_close(&rig->ends[i].carrier);
    }
    uv_close((uv_handle_t *)&rig->listener, NULL);
    uv_run(&rig->loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(&rig->loop), 0);
    for (uint32_t i = 0; i < rig->end_count; i++) {
        cr_assert_eq(rig->ends[i].ended, 1, "end %u ended %u times", i, rig->ends[i].ended);
    }
}

int carrier_rig_socket(CarrierRig *rig)
{
    uint32_t before = rig->end_count;
    int      copy = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(copy, 0);
    cr_assert_eq(connect(copy, (const struct sockaddr *)&rig->address, sizeof(rig->address)), 0);
    RUN_UNTIL(rig, rig->end_count > before);
    return copy;
}

void carrier_rig_write(int socket, const void *bytes, size_t size)
{
    cr_assert_eq(send(socket, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

void carrier_rig_read(int socket, void *bytes, size_t size)
{
    cr_assert_eq(recv(socket, bytes, size, MSG_WAITALL), (ssize_t)size);
}

bool carrier_rig_is_at_end(int socket)
{
    uint8_t byte = 0;
    return recv(socket, &byte, 1, 0) == 0;
}

void carrier_rig_reset(int socket)
{
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };
    cr_assert_eq(setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
    close(socket);
}
