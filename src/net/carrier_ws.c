// carrier_ws.c: see carrier_ws.h.
#include "carrier_ws.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int carrier_ws_make(Carrier *carrier, bool is_client)
{
    carrier->ws = calloc(1, sizeof(*carrier->ws));
    if (carrier->ws == NULL) {
        return UV_ENOMEM;
    }
    carrier->ws->ws = ws_create(is_client);
    if (carrier->ws->ws == NULL) {
        free(carrier->ws);
        carrier->ws = NULL;
        return UV_ENOMEM;
    }
    return 0;
}

void carrier_ws_free(Carrier *carrier)
{
    ws_destroy(carrier->ws->ws);
    free(carrier->ws);
    carrier->ws = NULL;
}

// A client's handshake.

int carrier_connect_ws(Carrier *carrier, const struct sockaddr *address, const char *host, const char *path)
{
    assert(carrier->is_open && !carrier->is_connected && carrier->ws == NULL);
    int status = strlen(host) < WS_NAME_SIZE && strlen(path) < WS_NAME_SIZE ? carrier_ws_make(carrier, true) : UV_ENAMETOOLONG;
    if (status < 0) {
        carrier_end_as(carrier, CARRIER_FAILED, status);
        return status;
    }
    CarrierWs *over = carrier->ws;
    over->is_asking = true;
    memcpy(over->host, host, strlen(host) + 1);
    memcpy(over->path, path, strlen(path) + 1);
    ws_key_make(over->key);
    return carrier_connect(carrier, address);
}

void carrier_ws_ask(Carrier *carrier)
{
    CarrierWs *over = carrier->ws;
    char       request[WS_REQUEST_SIZE];
    size_t     size = ws_request(request, over->host, over->path, over->key);
    uint8_t   *out = carrier_collect(carrier, size);
    if (out != NULL) {
        memcpy(out, request, size);
        carrier_collected(carrier, size);
        carrier_flush(carrier);
    }
}

// False: there is nothing more to deliver.
static bool take_answer(Carrier *carrier)
{
    CarrierWs *over = carrier->ws;
    FrameReader *in = &carrier->in;
    size_t     head_size = 0;
    switch (ws_answer(in->bytes + in->start, in->end - in->start, over->key, &head_size, &over->status)) {
    case WS_ANSWER_PART:
        if (in->end - in->start == sizeof(in->bytes)) {
            carrier_end_as(carrier, CARRIER_FAILED, UV_EPROTO);
        }
        return false;
    case WS_ANSWER_FINE: break;
    case WS_ANSWER_REFUSED:
    case WS_ANSWER_WRONG:
        carrier_end_as(carrier, CARRIER_FAILED, UV_EPROTO);
        return false;
    }
    in->start += (uint32_t)head_size;
    over->is_asking = false;
    if (carrier->events.connected != NULL) {
        carrier->events.connected(carrier->to);
    }
    carrier_flush(carrier);
    return !carrier->is_ending;
}

unsigned carrier_ws_status(const Carrier *carrier)
{
    return carrier->ws != NULL ? carrier->ws->status : 0;
}

// Closing.

void carrier_say_code(Carrier *carrier, uint16_t code)
{
    if (carrier->ws != NULL && carrier->ws->code == 0) {
        carrier->ws->code = code;
    }
}

const char *carrier_wrong(const Carrier *carrier)
{
    const char *wrong = carrier->ws != NULL ? ws_wrong(carrier->ws->ws) : NULL;
    return wrong != NULL ? wrong : "a frame has 1 to 1200 bytes";
}

// What does not fit any more is left out: the other side does not read, and the connection's end says it, too.
static void say_close(Carrier *carrier, uint16_t code)
{
    CarrierWs *over = carrier->ws;
    size_t     size = WS_HEAD_MAX + 2;
    if (over->has_closed || over->is_asking || carrier->is_ending || !carrier->is_connected) {
        return;
    }
    over->has_closed = true;
    if (carrier->out_max - carrier_waiting(carrier) < size) {
        return;
    }
    uint8_t *out = carrier_collect(carrier, size);
    if (out != NULL) {
        carrier_collected(carrier, ws_encode_close(over->ws, code, out));
    }
}

void carrier_ws_say_close(Carrier *carrier)
{
    say_close(carrier, carrier->ws->code != 0 ? carrier->ws->code : WS_CLOSE_NORMAL);
}

// What comes.

static void go_wrong(Carrier *carrier)
{
    carrier_say_code(carrier, ws_code(carrier->ws->ws));
    if (!carrier->is_discarding && carrier->events.broken != NULL) {
        carrier->events.broken(carrier->to); // says why, then carrier_discard the closing frame
        return;
    }
    carrier_ws_say_close(carrier);
    carrier_flush(carrier);
    carrier_end_as(carrier, CARRIER_MALFORMED, 0);
}

static void answer_ping(Carrier *carrier, const uint8_t *bytes, size_t size)
{
    uint8_t *out = carrier->ws->has_closed ? NULL : carrier_collect(carrier, WS_HEAD_MAX + size);
    if (out != NULL) {
        carrier_collected(carrier, ws_encode(carrier->ws->ws, WS_OPCODE_PONG, bytes, size, out));
    }
}

static void deliver_frames(Carrier *carrier)
{
    const uint8_t *bytes = NULL;
    size_t         size = 0;
    bool           has_ponged = false;
    while (!carrier->is_ending) {
        switch (ws_next(carrier->ws->ws, &bytes, &size)) {
        case WS_PART:
            if (has_ponged) {
                carrier_flush(carrier);
            }
            return;
        case WS_MESSAGE:
            if (!carrier->is_discarding) {
                carrier->messages_in += 1;
                carrier->ws->is_giving = true;
                carrier->events.message(carrier->to, bytes, size);
                carrier->ws->is_giving = false;
            }
            break;
        case WS_PING:
            answer_ping(carrier, bytes, size);
            has_ponged = true;
            break;
        case WS_CLOSED:
            say_close(carrier, ws_code(carrier->ws->ws));
            carrier_flush(carrier);
            carrier_end_as(carrier, CARRIER_GONE, 0);
            return;
        case WS_WRONG: go_wrong(carrier); return;
        }
    }
}

void carrier_ws_deliver(Carrier *carrier)
{
    CarrierWs *over = carrier->ws;
    if (over->is_asking && !take_answer(carrier)) {
        return;
    }
    if (ws_wrong(over->ws) == NULL) {
        ws_feed(over->ws, carrier->in.bytes + carrier->in.start, carrier->in.end - carrier->in.start);
        deliver_frames(carrier);
    }
    carrier->in.start = carrier->in.end = 0;
}

int carrier_ws_rest(const Carrier *carrier, uint8_t *rest, size_t capacity, size_t *size)
{
    return !carrier->ws->is_giving ? UV_EBUSY : ws_rest(carrier->ws->ws, rest, capacity, size) ? 0 : UV_ENOBUFS;
}

// What goes.

size_t carrier_ws_frame_size(const Carrier *carrier, size_t size)
{
    return ws_frame_size(carrier->ws->ws, size);
}

void carrier_ws_encode(Carrier *carrier, const uint8_t *bytes, size_t size, uint8_t *out)
{
    ws_encode(carrier->ws->ws, WS_OPCODE_BINARY, bytes, size, out);
}
