// ws.c: see ws.h. libwslay's frame interface cuts and masks; what of it may come when is here, since its event interface allocates for every message.
#include "ws.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

#include "bytes.h"

enum { MASKS_SIZE = 256 };

struct Ws {
    wslay_frame_context_ptr context;
    bool           is_client, is_over, is_message; ///< `is_message`: one has begun, and is not whole
    uint16_t       code;
    const char    *wrong;
    const uint8_t *feed; ///< not taken by libwslay yet
    size_t         feed_size;
    const uint8_t *mark, *limit; ///< taken by it: from after the last frame on, in its own buffer
    uint32_t       fragments, controls;
    uint64_t       frame_done; ///< bytes of the frame under way that have come
    size_t         size;       ///< of `message`
    size_t         control_size;
    uint8_t        message[MESSAGE_SIZE_MAX];
    uint8_t        control[WS_CONTROL_MAX];
    uint8_t       *out;
    uint8_t        masks[MASKS_SIZE]; ///< random bytes in stock: a system call for each frame is too dear
    size_t         masks_left;
};

static ssize_t on_recv(uint8_t *buffer, size_t size, int flags, void *to)
{
    Ws    *ws = to;
    size_t count = size < ws->feed_size ? size : ws->feed_size;
    (void)flags;
    if (count > 0) {
        memcpy(buffer, ws->feed, count);
        ws->feed += count;
        ws->feed_size -= count;
    }
    ws->limit = buffer + count; // all that it has ends here
    return (ssize_t)count;
}

static ssize_t on_send(const uint8_t *bytes, size_t size, int flags, void *to)
{
    Ws *ws = to;
    (void)flags;
    memcpy(ws->out, bytes, size);
    ws->out += size;
    return (ssize_t)size;
}

static int on_mask(uint8_t *mask, size_t size, void *to)
{
    Ws *ws = to;
    if (ws->masks_left < size) {
        randombytes_buf(ws->masks, sizeof(ws->masks));
        ws->masks_left = sizeof(ws->masks);
    }
    ws->masks_left -= size;
    memcpy(mask, ws->masks + ws->masks_left, size);
    return 0;
}

Ws *ws_create(bool is_client)
{
    static const struct wslay_frame_callbacks callbacks = { .send_callback = on_send, .recv_callback = on_recv, .genmask_callback = on_mask };
    Ws *ws = calloc(1, sizeof(*ws));
    if (ws == NULL) {
        return NULL;
    }
    if (wslay_frame_context_init(&ws->context, &callbacks, ws) != 0) {
        free(ws);
        return NULL;
    }
    ws->is_client = is_client;
    return ws;
}

void ws_destroy(Ws *ws)
{
    if (ws != NULL) {
        wslay_frame_context_free(ws->context);
        free(ws);
    }
}

void ws_feed(Ws *ws, const uint8_t *bytes, size_t size)
{
    assert(ws->feed_size == 0 || ws->is_over);
    ws->feed = bytes;
    ws->feed_size = size;
}

static WsStatus go_wrong(Ws *ws, uint16_t code, const char *text)
{
    ws->is_over = true;
    ws->code = code;
    ws->wrong = text;
    return WS_WRONG;
}

// Closing.

static bool is_code(uint32_t code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

// Bytes of the character that begins here, 0 when it is none.
static size_t character_size(const uint8_t *bytes, size_t size)
{
    uint8_t  first = bytes[0];
    size_t   count = first < 0x80 ? 1 : first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
    uint32_t value = count == 0 ? 0 : count == 1 ? first : first & (0x7Fu >> count);
    if (count == 0 || count > size) {
        return 0;
    }
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    bool is_long = (count == 3 && value < 0x800) || (count == 4 && (value < 0x10000 || value > 0x10FFFF));
    return is_long || (value >= 0xD800 && value <= 0xDFFF) ? 0 : count;
}

static bool is_utf8(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t count = character_size(bytes + at, size - at);
        if (count == 0) {
            return false;
        }
        at += count;
    }
    return true;
}

static WsStatus take_close(Ws *ws)
{
    uint32_t code = ws->control_size >= 2 ? (uint32_t)ws->control[0] << 8 | ws->control[1] : 0;
    if (ws->control_size == 1) {
        return go_wrong(ws, WS_CLOSE_PROTOCOL, "a closing frame of one byte");
    }
    if (ws->control_size >= 2 && !is_code(code)) {
        return go_wrong(ws, WS_CLOSE_PROTOCOL, "a closing frame's code that nobody may say");
    }
    if (ws->control_size > 2 && !is_utf8(ws->control + 2, ws->control_size - 2)) {
        return go_wrong(ws, WS_CLOSE_BAD_DATA, "a closing frame's text is not UTF-8");
    }
    ws->is_over = true;
    ws->code = (uint16_t)code;
    return WS_CLOSED;
}

// Frames.

static bool is_control(uint8_t opcode)
{
    return (opcode & 8) != 0;
}

// What a frame's head says, looked at once, when the first of its bytes are there.
static WsStatus check_head(Ws *ws, const struct wslay_frame_iocb *frame)
{
    bool is_known = frame->opcode <= WS_OPCODE_BINARY || (frame->opcode >= WS_OPCODE_CLOSE && frame->opcode <= WS_OPCODE_PONG);
    if (frame->rsv != 0) {
        return go_wrong(ws, WS_CLOSE_PROTOCOL, "a reserved bit is set: no extension was agreed on");
    }
    if (!is_known) {
        return go_wrong(ws, WS_CLOSE_PROTOCOL, "an opcode that there is not");
    }
    if ((frame->mask != 0) == ws->is_client) {
        return go_wrong(ws, WS_CLOSE_PROTOCOL, ws->is_client ? "a masked frame of a server" : "a frame of a client that is not masked");
    }
    if (is_control(frame->opcode)) {
        ws->controls += 1;
        ws->control_size = 0;
        return ws->controls > WS_CONTROLS_MAX ? go_wrong(ws, WS_CLOSE_POLICY, "too many control frames and no message between them") : WS_PART;
    }
    if (frame->opcode == WS_OPCODE_TEXT) {
        return go_wrong(ws, WS_CLOSE_UNSUPPORTED, "a text: messages are binary");
    }
    if ((frame->opcode == WS_OPCODE_BINARY) == ws->is_message) {
        return go_wrong(ws, WS_CLOSE_PROTOCOL, ws->is_message ? "a message begins inside another" : "a message goes on that has not begun");
    }
    ws->fragments = ws->is_message ? ws->fragments + 1 : 1;
    ws->size = ws->is_message ? ws->size : 0;
    ws->is_message = true;
    if (frame->payload_length > MESSAGE_SIZE_MAX - ws->size) {
        return go_wrong(ws, WS_CLOSE_TOO_LARGE, "a message has 1 to 1200 bytes");
    }
    return ws->fragments > WS_FRAGMENTS_MAX ? go_wrong(ws, WS_CLOSE_POLICY, "a message in too many fragments") : WS_PART;
}

static WsStatus end_control(Ws *ws, uint8_t opcode, const uint8_t **bytes, size_t *size)
{
    if (opcode == WS_OPCODE_CLOSE) {
        return take_close(ws);
    }
    *bytes = ws->control;
    *size = ws->control_size;
    return opcode == WS_OPCODE_PING ? WS_PING : WS_PART;
}

static WsStatus end_message(Ws *ws, const uint8_t *whole, size_t whole_size, const uint8_t **bytes, size_t *size)
{
    ws->is_message = false;
    ws->controls = 0;
    *bytes = whole;
    *size = whole_size;
    return whole_size > 0 ? WS_MESSAGE : go_wrong(ws, WS_CLOSE_POLICY, "a message has 1 to 1200 bytes");
}

// A stretch of a frame's payload. PART: go on.
static WsStatus take(Ws *ws, const struct wslay_frame_iocb *frame, const uint8_t **bytes, size_t *size)
{
    if (ws->frame_done == 0 && check_head(ws, frame) == WS_WRONG) {
        return WS_WRONG;
    }
    bool   is_first = ws->frame_done == 0;
    size_t count = frame->data_length;
    ws->frame_done += count;
    bool is_whole = ws->frame_done == frame->payload_length;
    ws->frame_done = is_whole ? 0 : ws->frame_done;
    if (is_control(frame->opcode)) {
        memcpy(ws->control + ws->control_size, frame->data, count); // libwslay has refused longer ones
        ws->control_size += count;
        return is_whole ? end_control(ws, frame->opcode, bytes, size) : WS_PART;
    }
    if (is_first && is_whole && frame->fin && ws->size == 0) {
        return end_message(ws, frame->data, count, bytes, size); // as most are: where it lies
    }
    memcpy(ws->message + ws->size, frame->data, count);
    ws->size += count;
    return is_whole && frame->fin ? end_message(ws, ws->message, ws->size, bytes, size) : WS_PART;
}

WsStatus ws_next(Ws *ws, const uint8_t **bytes, size_t *size)
{
    struct wslay_frame_iocb frame;
    if (ws->is_over) {
        ws->feed_size = 0;
        return ws->wrong != NULL ? WS_WRONG : WS_CLOSED;
    }
    for (;;) {
        memset(&frame, 0, sizeof(frame));
        size_t  before = ws->feed_size;
        ssize_t count = wslay_frame_recv(ws->context, &frame);
        if (count == WSLAY_ERR_WANT_READ && before > 0 && ws->feed_size < before) {
            continue; // it took some and has looked no further
        }
        if (count == WSLAY_ERR_WANT_READ) {
            return WS_PART;
        }
        if (count < 0) {
            return go_wrong(ws, WS_CLOSE_PROTOCOL, "a frame's length that cannot be");
        }
        ws->mark = frame.data + frame.data_length;
        WsStatus status = take(ws, &frame, bytes, size);
        if (status != WS_PART) {
            return status;
        }
    }
}

uint16_t ws_code(const Ws *ws)
{
    return ws->code;
}

const char *ws_wrong(const Ws *ws)
{
    return ws->wrong;
}

bool ws_rest(const Ws *ws, uint8_t *out, size_t capacity, size_t *size)
{
    size_t taken = ws->mark != NULL ? (size_t)(ws->limit - ws->mark) : 0;
    if (taken + ws->feed_size > capacity) {
        return false;
    }
    if (taken > 0) {
        memcpy(out, ws->mark, taken);
    }
    if (ws->feed_size > 0) {
        memcpy(out + taken, ws->feed, ws->feed_size);
    }
    *size = taken + ws->feed_size;
    return true;
}

// Out.

size_t ws_frame_size(const Ws *ws, size_t size)
{
    return 2u + (size < 126 ? 0u : size < 65536 ? 2u : 8u) + (ws->is_client ? 4u : 0u) + size;
}

size_t ws_encode(Ws *ws, WsOpcode opcode, const uint8_t *bytes, size_t size, uint8_t *out)
{
    struct wslay_frame_iocb frame = { .fin = 1, .opcode = (uint8_t)opcode, .payload_length = size, .mask = ws->is_client ? 1 : 0,
                                      .data = bytes, .data_length = size };
    ws->out = out;
    ssize_t count = wslay_frame_send(ws->context, &frame);
    assert(count == (ssize_t)size);
    (void)count;
    return (size_t)(ws->out - out);
}

size_t ws_encode_close(Ws *ws, uint16_t code, uint8_t *out)
{
    uint8_t bytes[2] = { (uint8_t)(code >> 8), (uint8_t)code };
    return ws_encode(ws, WS_OPCODE_CLOSE, bytes, code != 0 ? sizeof(bytes) : 0, out);
}
