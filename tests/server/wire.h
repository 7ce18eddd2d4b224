// wire.h: a client that speaks the protocol by hand, over a blocking socket: for tests that must be able to say anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "message.h"
#include "tickproof/checksum.h"

typedef struct Wire {
    int     socket;
    void  (*turn)(void *to); ///< the server is on this thread: lets it do something, instead of waiting
    void   *to;
    size_t  have;
    uint8_t in[2 + MESSAGE_SIZE_MAX];
    uint8_t message[MESSAGE_SIZE_MAX]; ///< what the last received one borrows from
} Wire;

/// What JOINED was followed by: the rules, and the state as one frame. Zeroed: nothing. wire_drop frees it.
typedef struct WireWorld {
    uint8_t *rules, *packed;
    uint32_t rules_size;
    Message  state; ///< STATE
    uint32_t pieces;
} WireWorld;

/// To 127.0.0.1. Aborts when there is nobody. Gives up receiving after 10 s.
void wire_open(Wire *wire, uint32_t port);
void wire_close(Wire *wire);
void wire_send_bytes(Wire *wire, const void *bytes, size_t size); ///< as they are; a connection that is gone is fine
void wire_send(Wire *wire, const Message *message);
/// False: the connection ended.
bool wire_receive(Wire *wire, Message *message);
/// Reads on until one of this type comes; aborts when the connection ends before.
void wire_wait(Wire *wire, MessageType type, Message *message);
/// Reads on until the connection ends; the reason of a BYE, or 0 without one.
uint32_t wire_drain(Wire *wire);

void wire_hello(Wire *wire); ///< with the WELCOME

// Joining, step by step, and all at once.

/// Sends JOIN: JOINED or REFUSED.
void wire_ask(Wire *wire, const char *room, uint32_t slots, Message *answer);
/// The same with the token of an earlier JOINED (NULL: none), or to watch with a delay.
void wire_ask_as(Wire *wire, const char *room, uint32_t slots, uint32_t delay, const uint8_t *token, Message *answer);
/// PACE and the rules, as they come after JOINED. `world` is made anew.
void wire_take_rules(Wire *wire, const Message *joined, WireWorld *world);
void wire_ready(Wire *wire, const Message *joined, tp_hash128 rules_id);
/// The id that READY must have: of rules whose algorithm is the usual one.
tp_hash128 wire_rules_id(const WireWorld *world);
/// STATE and its pieces. What else comes of this room meanwhile may be PACE, TIMING or SAID only.
void wire_take_state(Wire *wire, const Message *joined, WireWorld *world);
void wire_drop(WireWorld *world);
/// JOIN, rules, READY and state; nothing is kept of them. JOINED, whose tick then is that of STATE (the first to be confirmed), or REFUSED.
void wire_join(Wire *wire, const char *room, uint32_t slots, Message *answer);
/// The same with what came.
void wire_join_world(Wire *wire, const char *room, uint32_t slots, Message *answer, WireWorld *world);
void wire_input(Wire *wire, const Message *joined, uint8_t slot, uint64_t tick, const void *input, uint8_t size);
