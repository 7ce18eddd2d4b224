// addresses.h: how many connections there are, all in all and from each address. Touched when a connection begins and ends, from any
// thread; never while rooms tick.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

/// What connections are counted by: the first 64 bits of an IPv6 address, or an IPv4 one in IPv6's spelling, so that both ways of
/// reaching a server count as one.
typedef struct Address {
    uint8_t bytes[16];
} Address;

enum { ADDRESS_TEXT_SIZE = 64 };

typedef struct Addresses {
    uv_mutex_t mutex;
    void      *tree; ///< of the C library's tsearch
    uint32_t   count, count_max, per_address_max;
    char       last_ended[ADDRESS_TEXT_SIZE]; ///< whose connection was ended last
    bool       is_open;
} Addresses;

Address address_of(const struct sockaddr *socket_address);
/// "127.0.0.1:7777" or "[::1]:7777". The port.
uint32_t address_text(const struct sockaddr_storage *storage, char text[ADDRESS_TEXT_SIZE]);
/// The other way round; numbers only. `out` is zeroed by the caller.
bool address_parse(const char *text, struct sockaddr_storage *out);

bool addresses_init(Addresses *addresses, uint32_t count_max, uint32_t per_address_max);
void addresses_finish(Addresses *addresses);
/// Counts one more. False when that is one too many (or memory is out): nothing was counted.
bool addresses_add(Addresses *addresses, const Address *address);
void addresses_remove(Addresses *addresses, const Address *address);
/// Remembers who was put out last, for the people who read about it.
void addresses_note(Addresses *addresses, const char *text);
void addresses_last(Addresses *addresses, char *text, size_t size);
uint32_t addresses_count(Addresses *addresses);
