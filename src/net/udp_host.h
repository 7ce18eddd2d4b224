// udp_host.h: one UDP socket on a libuv loop, and the carriers that share it: what comes is given to the carrier whose id it has, new clients are told
// to the owner once they have shown that they are where they say. What carriers send is collected and leaves with few system calls. A client's
// carrier has a host of its own, made by carrier_connect_udp.
//
// Memory: of those that only ask, nothing. What the system does not take is lost, as it would be on the way: the channels send it again.
#pragma once

#include <stdatomic.h>
#include <uv.h>

#include "carrier.h"
#include "channel.h"
#include "channel_secure.h"
#include "weather.h"

enum {
    UDP_HOST_CHUNK        = 65536, ///< what libuv wants for each datagram of one system call; only what is filled gets touched
    UDP_HOST_CHUNKS       = 8,
    UDP_HOST_OUT          = 64,    ///< datagrams that are collected before they leave in any case
    UDP_HOST_OUT_CLIENT   = 8,
    UDP_HOST_ARRIVALS     = 64,    ///< connections begun in one turn of the loop; others ask again
    UDP_HOST_SOCKET_BYTES = 4194304, ///< asked of the system in each direction; it gives what it is set to
    UDP_HOST_HELD         = 64,    ///< messages that one client may have here before their turn
    UDP_HOST_HELD_CLIENT  = 1024,
};

typedef struct UdpHost    UdpHost;
typedef struct CarrierUdp CarrierUdp;

/// Somebody who may come in: for carrier_open_udp from inside `arrived`. Whoever is not taken asks again, and is told of again.
typedef struct UdpArrival {
    struct sockaddr_storage address;
    uint64_t                client_id, cookie;
    const ChannelSecure    *secure; ///< the keys agreed on; NULL: the host has no identity. Borrowed for the call
} UdpArrival;

typedef struct UdpOut {
    struct sockaddr_storage address;
    uint16_t                size;
    uint8_t                 bytes[CHANNEL_SEALED_MAX];
} UdpOut;

/// Owned by the caller; must not move while it is open.
struct UdpHost {
    uv_loop_t   *loop;
    uv_udp_t     socket;
    uv_prepare_t turn;
    ChannelDoor  door;
    const ChannelNoisePair *identity; ///< a server's: only who knows its open half comes in, and everything is sealed; NULL: nothing is
    void       (*arrived)(void *to, UdpHost *host, const UdpArrival *arrival);
    void        *to;
    CarrierUdp **carriers; ///< by id: a table with free places, half full at most
    uint32_t     carrier_count, carrier_capacity;
    CarrierUdp  *dirty;    ///< have something to send since something came
    CarrierUdp  *only;     ///< a client's: all that comes is for it
    uint8_t     *in;
    size_t       in_size;
    UdpOut      *out;
    uint32_t     out_count, out_capacity;
    uint32_t     arrivals; ///< in this turn
    bool         is_open, is_corked;
    uint64_t     datagrams_in, datagrams_out, strange, unsent; ///< counts; `strange`: for nobody here, or no datagram of ours
    uint64_t     bytes_in, bytes_out;    ///< of datagrams, without the heads of UDP and IP
    atomic_ullong *secure;               ///< secured datagrams by ChannelSecureCount: the owner's, or the host's own
    atomic_ullong own_secure[CHANNEL_COUNTS];
};

/// Binds and listens. 0 or a libuv error; then udp_host_close and the loop's turn are due before udp_host_finish all the same.
int      udp_host_open(UdpHost *host, uv_loop_t *loop, const struct sockaddr *address,
                       void (*arrived)(void *to, UdpHost *host, const UdpArrival *arrival), void *to);
/// Secures it, from now on: right after opening. `identity` must outlive it, and so must `counts` (CHANNEL_COUNTS of them; NULL: the host's own), which
/// other threads may read. NULL: nothing is secured.
void     udp_host_secure(UdpHost *host, const ChannelNoisePair *identity, atomic_ullong *counts);
/// The port that it has.
uint32_t udp_host_port(const UdpHost *host);
/// Stops hearing. What its carriers have to say is said once, and they end: `ended` of each follows as the loop turns. Zeroed is fine.
void     udp_host_close(UdpHost *host);
/// Frees the memory, once the loop has closed the handles.
void     udp_host_finish(UdpHost *host);
/// While it is corked, flushes of its carriers collect; uncorking sends. For many flushes in a row.
void     udp_host_cork(UdpHost *host);
void     udp_host_uncork(UdpHost *host);

/// Makes a carrier of an arrival: connected, and nothing heard yet. The rest of its life is carrier.h's; `ended` may come CHANNEL_CLOSE_US after
/// carrier_close, since the other side has to hear of it. 0 or a libuv error, and then nothing is open.
int carrier_open_udp(Carrier *carrier, UdpHost *host, const UdpArrival *arrival, const CarrierEvents *events, void *to, size_t out_max);
/// A client's carrier: opens it and asks for a connection; `connected` or `ended` follows. `weather`: what is done to datagrams in both directions
/// (NULL: nothing; copied). 0 or a libuv error, and then nothing is open.
int carrier_connect_udp(Carrier *carrier, uv_loop_t *loop, const struct sockaddr *address, const WeatherOptions *weather, const CarrierEvents *events, void *to,
                        size_t out_max);
/// Secures a client's, right after carrier_connect_udp: with the server whose key this is, or none. `own` NULL: keys for this connection alone. False when
/// out of memory: close it.
bool carrier_secure_udp(Carrier *carrier, const ChannelNoisePair *own, const uint8_t server[CHANNEL_NOISE_KEY]);
/// The key that the other side has shown it has; NULL when it need not.
const uint8_t *carrier_other_key(const Carrier *carrier);
/// NULL for one over TCP.
const Channel *carrier_channel(const Carrier *carrier);
/// The other side's address; false when it is not known.
bool carrier_address(const Carrier *carrier, struct sockaddr_storage *address);
