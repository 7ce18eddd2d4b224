// carrier_ws.h: between carrier.c and carrier_ws.c: a carrier whose TCP connection is a WebSocket. What is TCP's stays carrier.c's; here are the
// handshake of a client, and the frames in place of lengths.
#pragma once

#include "carrier.h"
#include "ws.h"
#include "ws_handshake.h"

struct CarrierWs {
    Ws      *ws;
    bool     is_asking, has_closed; ///< the handshake's answer has not come; the closing frame was said
    bool     is_giving;             ///< a message is being delivered: nothing of another one is half taken
    uint16_t code;                  ///< to be said when it closes; 0: normal
    unsigned status;                ///< of an answer that refuses
    char     key[WS_KEY_SIZE];
    char     host[WS_NAME_SIZE], path[WS_NAME_SIZE];
};

// carrier_ws.c: for carrier.c

/// Gives an open carrier its WebSocket. 0 or UV_ENOMEM.
int    carrier_ws_make(Carrier *carrier, bool is_client);
/// The TCP connection stands: asks for the WebSocket.
void   carrier_ws_ask(Carrier *carrier);
/// What lies in `in` is taken, all of it.
void   carrier_ws_deliver(Carrier *carrier);
size_t carrier_ws_frame_size(const Carrier *carrier, size_t size);
/// Writes a message's frame to `out`.
void   carrier_ws_encode(Carrier *carrier, const uint8_t *bytes, size_t size, uint8_t *out);
/// Collects the closing frame, once.
void   carrier_ws_say_close(Carrier *carrier);
/// What was read beyond the message that is being delivered. 0, UV_EBUSY when none is, or UV_ENOBUFS.
int    carrier_ws_rest(const Carrier *carrier, uint8_t *rest, size_t capacity, size_t *size);
void   carrier_ws_free(Carrier *carrier);

// carrier.c: for carrier_ws.c

/// Ends it; the first end stands.
void     carrier_end_as(Carrier *carrier, CarrierEnd end, int status);
/// Room for `size` bytes among what is collected, or NULL: it has ended as SLOW or FAILED.
uint8_t *carrier_collect(Carrier *carrier, size_t size);
/// So many of them were written.
void     carrier_collected(Carrier *carrier, size_t size);
