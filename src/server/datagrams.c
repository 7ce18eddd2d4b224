// datagrams.c: see datagrams.h.
#include "datagrams.h"

#include <netinet/in.h>
#include <string.h>

#include "addresses.h"

static bool is_loopback(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET6) {
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    }
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

static in_port_t *port_of(struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port : &((struct sockaddr_in *)address)->sin_port;
}

bool datagrams_parse(const char *text, bool is_sealed, struct sockaddr_storage *address, tp_error *error)
{
    memset(address, 0, sizeof(*address));
    if (!address_parse(text, address)) {
        return tp_error_set(error, "it is no address to take datagrams at: give numbers and a port, like 127.0.0.1:7777 or [::1]:7777");
    }
    if (!is_sealed && !is_loopback(address)) {
        return tp_error_set(error, "without a key datagrams are not encrypted, so they are taken on loopback addresses only: give 127.0.0.1 or [::1], or a key");
    }
    return true;
}

bool datagrams_open(UdpHost *host, uv_loop_t *loop, const struct sockaddr_storage *address, uint32_t lane,
                    void (*arrived)(void *to, UdpHost *host, const UdpArrival *arrival), void *to, tp_error *error)
{
    struct sockaddr_storage own = *address;
    uint32_t                port = ntohs(*port_of(&own));
    if (port != 0 && port + lane > UINT16_MAX) {
        return tp_error_set(error, "taking datagrams: each thread needs a port of its own, and there is none behind %u: give a lower one", UINT16_MAX);
    }
    port += port != 0 ? lane : 0;
    *port_of(&own) = htons((uint16_t)port);
    int status = udp_host_open(host, loop, (const struct sockaddr *)&own, arrived, to);
    if (status < 0) {
        return tp_error_set(error, "taking datagrams at port %u: %s%s", port, uv_strerror(status),
                            status == UV_EADDRINUSE ? ": stop who has it, or give another port" : "");
    }
    return true;
}

void datagrams_text(const UdpHost *host, char *text)
{
    struct sockaddr_storage storage;
    int                     size = sizeof(storage);
    memset(&storage, 0, sizeof(storage));
    uv_udp_getsockname(&host->socket, (struct sockaddr *)&storage, &size);
    address_text(&storage, text);
}
