// wire.h: a client that speaks the protocol by hand, over a blocking socket: for tests that must be able to say anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "message.h"

typedef struct Wire {
    int     socket;
    size_t  have;
    uint8_t in[2 + MESSAGE_SIZE_MAX];
    uint8_t message[MESSAGE_SIZE_MAX]; ///< what the last received one borrows from
} Wire;

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
void wire_join(Wire *wire, const char *room, uint32_t slots, Message *answer); ///< JOINED or REFUSED
void wire_input(Wire *wire, const Message *joined, uint8_t slot, uint64_t tick, const void *input, uint8_t size);
