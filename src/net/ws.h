// ws.h: the frames of one WebSocket (RFC 6455) after its handshake, by libwslay: bytes in, whole binary messages out, and the other way round. No
// sockets and no clock. What is allowed is narrow: binary messages of 1 to MESSAGE_SIZE_MAX bytes, in a bounded number of fragments, and a bounded
// number of control frames between two of them; anything else is wrong, with the code that the closing frame has to say.
//
// Memory: one block of about 1.4 KiB, and libwslay's of 4.3 KiB. Nothing is allocated after ws_create.
#pragma once

#include <stdbool.h>

#include "message.h"

enum {
    WS_HEAD_MAX      = 14, ///< bytes in front of a frame's payload at most
    WS_CONTROL_MAX   = 125, ///< of a control frame's payload
    WS_FRAGMENTS_MAX = 16, ///< of one message
    WS_CONTROLS_MAX  = 16, ///< control frames without a message between them
};

/// Codes of closing frames that we say.
enum {
    WS_CLOSE_NORMAL      = 1000,
    WS_CLOSE_GOING_AWAY  = 1001,
    WS_CLOSE_PROTOCOL    = 1002, ///< not what RFC 6455 allows
    WS_CLOSE_UNSUPPORTED = 1003, ///< text
    WS_CLOSE_BAD_DATA    = 1007, ///< a closing frame's text that is not UTF-8
    WS_CLOSE_POLICY      = 1008, ///< allowed there and not here
    WS_CLOSE_TOO_LARGE   = 1009,
    WS_CLOSE_TRY_AGAIN   = 1013,
};

typedef enum WsStatus {
    WS_MESSAGE = 0,
    WS_PART    = 1, ///< more bytes are needed
    WS_PING    = 2, ///< to be answered with a PONG of the same bytes
    WS_CLOSED  = 3, ///< the other side closes, with `code` (0: it gave none); so it stays
    WS_WRONG   = 4, ///< `wrong` says what, `code` is to be said; so it stays
} WsStatus;

typedef enum WsOpcode {
    WS_OPCODE_TEXT   = 1,
    WS_OPCODE_BINARY = 2,
    WS_OPCODE_CLOSE  = 8,
    WS_OPCODE_PING   = 9,
    WS_OPCODE_PONG   = 10,
} WsOpcode;

typedef struct Ws Ws;

/// A client masks what it sends, and takes only what is not masked; a server the other way round. NULL: out of memory.
Ws  *ws_create(bool is_client);
void ws_destroy(Ws *ws);
/// What has come. Borrowed until ws_next has returned PART, CLOSED or WRONG.
void ws_feed(Ws *ws, const uint8_t *bytes, size_t size);
/// The next thing. MESSAGE and PING have bytes, borrowed until the next call.
WsStatus ws_next(Ws *ws, const uint8_t **bytes, size_t *size);
uint16_t    ws_code(const Ws *ws);
const char *ws_wrong(const Ws *ws);
/// Bytes that were fed and are not part of what ws_next gave so far, from after a message that it just gave; copied to `out`. False when `capacity` is
/// too small.
bool ws_rest(const Ws *ws, uint8_t *out, size_t capacity, size_t *size);

/// Bytes that a frame with so many takes.
size_t ws_frame_size(const Ws *ws, size_t size);
/// Writes a whole frame to `out`, which has room for ws_frame_size. Its size.
size_t ws_encode(Ws *ws, WsOpcode opcode, const uint8_t *bytes, size_t size, uint8_t *out);
/// A closing frame; `code` 0: without one. `out` has room for WS_HEAD_MAX + 2.
size_t ws_encode_close(Ws *ws, uint16_t code, uint8_t *out);
