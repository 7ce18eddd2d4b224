// datagrams.h: where a server takes datagrams: the address that it was told is the lobby's, and each thread has the next port. Loopback only, unless
// everything is sealed.
#pragma once

#include "tickproof/layout.h"
#include "udp_host.h"

/// "127.0.0.1:7777" or "[::1]:0". False with the reason: no address, or not a loopback one where nothing is sealed.
bool datagrams_parse(const char *text, bool is_sealed, struct sockaddr_storage *address, tp_error *error);
/// The address that it has, as "127.0.0.1:7777": at least ADDRESS_TEXT_SIZE bytes.
void datagrams_text(const UdpHost *host, char *text);
/// Opens the socket of a lane (0: the lobby, 1: the first thread); port 0 of the address: one that the system chooses. False with the reason; then
/// udp_host_close and udp_host_finish are due all the same.
bool datagrams_open(UdpHost *host, uv_loop_t *loop, const struct sockaddr_storage *address, uint32_t lane,
                    void (*arrived)(void *to, UdpHost *host, const UdpArrival *arrival), void *to, tp_error *error);
