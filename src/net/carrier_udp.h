// carrier_udp.h: between carrier.c, carrier_udp.c and udp_host.c: a carrier over datagrams.
#pragma once

#include "udp_host.h"

/// What a client's carrier has on top.
typedef struct UdpClient {
    UdpHost    host;
    Weather    there, back;
    uv_timer_t wind; ///< the next arrival of either
    bool       has_weather;
} UdpClient;

struct CarrierUdp {
    Carrier                *carrier;
    UdpHost                *host;
    UdpClient              *client; ///< NULL on a server
    Channel                 channel;
    ChannelSecure          *secure; ///< NULL: its datagrams are not sealed
    uv_timer_t              timer;
    uint64_t                armed_ms; ///< 0: it is not
    struct sockaddr_storage address;
    CarrierUdp             *next_dirty;
    bool                    is_dirty, is_finishing;
};

uint64_t udp_now_us(void);

// udp_host.c

int         udp_host_init(UdpHost *host, uv_loop_t *loop, uint32_t out_capacity, size_t in_size);
int         udp_host_listen(UdpHost *host);
bool        udp_host_add(UdpHost *host, CarrierUdp *udp);
void        udp_host_remove(UdpHost *host, CarrierUdp *udp);
void        udp_host_mark(UdpHost *host, CarrierUdp *udp);
void        udp_host_collect(UdpHost *host, const struct sockaddr_storage *address, const uint8_t *bytes, size_t size);
void        udp_host_send(UdpHost *host);
void        udp_host_count(UdpHost *host, ChannelSecureCount count);
socklen_t   udp_address_size(const struct sockaddr *address);

// carrier_udp.c: for the host

/// One datagram with its id.
void carrier_udp_take(CarrierUdp *udp, const uint8_t *bytes, size_t size);
/// What is due leaves.
void carrier_udp_run(CarrierUdp *udp);
/// A datagram of its: into its weather, or the host.
void carrier_udp_arrived(CarrierUdp *udp, const uint8_t *bytes, size_t size);
void carrier_udp_failed(CarrierUdp *udp, int status);
void carrier_udp_greet(CarrierUdp *udp);
/// The host closes.
void carrier_udp_abandon(CarrierUdp *udp);

// carrier_udp.c: for carrier.c; each does what the function of carrier.h does

bool   carrier_udp_send(Carrier *carrier, const uint8_t *bytes, size_t size);
void   carrier_udp_flush(Carrier *carrier);
void   carrier_udp_close(Carrier *carrier);
void   carrier_udp_trim(Carrier *carrier, size_t keep);
size_t carrier_udp_waiting(const Carrier *carrier);
void   carrier_udp_free(Carrier *carrier);
