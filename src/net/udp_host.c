// udp_host.c: the socket: who gets what comes, and sending many datagrams at once.
#include "udp_host.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bytes.h"
#include "carrier_udp.h"

enum { TABLE_FIRST = 16 };

uint64_t udp_now_us(void)
{
    return uv_hrtime() / 1000;
}

socklen_t udp_address_size(const struct sockaddr *address)
{
    return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

// Family, port and address in one spelling: what a cookie is made of, and what two addresses are compared by. Gives its size.
static size_t spell(const struct sockaddr *address, uint8_t out[CHANNEL_DOOR_ADDRESS])
{
    const struct sockaddr_in  *four = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    bool                       is_six = address->sa_family == AF_INET6;
    bytes_put_u16(out, (uint16_t)address->sa_family);
    memcpy(out + 2, is_six ? &six->sin6_port : &four->sin_port, 2);
    memcpy(out + 4, is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr, is_six ? 16 : 4);
    return is_six ? 20 : 8;
}

static bool is_same(const struct sockaddr *left, const struct sockaddr *right)
{
    uint8_t one[CHANNEL_DOOR_ADDRESS], other[CHANNEL_DOOR_ADDRESS];
    size_t  size = spell(left, one);
    return size == spell(right, other) && memcmp(one, other, size) == 0;
}

// The table: ids are random, so their low bits are the place; the next free one when it is taken.

static uint32_t place_of(const UdpHost *host, uint64_t id)
{
    uint32_t at = (uint32_t)id & (host->carrier_capacity - 1);
    while (host->carriers[at] != NULL && host->carriers[at]->channel.own_id != id) {
        at = (at + 1) & (host->carrier_capacity - 1);
    }
    return at;
}

static CarrierUdp *find(const UdpHost *host, uint64_t id)
{
    return host->carrier_capacity > 0 ? host->carriers[place_of(host, id)] : NULL;
}

static bool grow_table(UdpHost *host)
{
    uint32_t     capacity = host->carrier_capacity > 0 ? host->carrier_capacity * 2 : TABLE_FIRST;
    CarrierUdp **before = host->carriers;
    uint32_t     before_capacity = host->carrier_capacity;
    CarrierUdp **table = calloc(capacity, sizeof(CarrierUdp *));
    if (table == NULL) {
        return false;
    }
    host->carriers = table;
    host->carrier_capacity = capacity;
    for (uint32_t i = 0; i < before_capacity; i++) {
        if (before[i] != NULL) {
            table[place_of(host, before[i]->channel.own_id)] = before[i];
        }
    }
    free(before);
    return true;
}

bool udp_host_add(UdpHost *host, CarrierUdp *udp)
{
    if (2 * (host->carrier_count + 1) > host->carrier_capacity && !grow_table(host)) {
        return false;
    }
    uint32_t at = place_of(host, udp->channel.own_id);
    assert(host->carriers[at] == NULL);
    host->carriers[at] = udp;
    host->carrier_count += 1;
    return true;
}

// Those behind it move up, so that none is behind a gap.
void udp_host_remove(UdpHost *host, CarrierUdp *udp)
{
    for (CarrierUdp **link = &host->dirty; udp->is_dirty && *link != NULL; link = &(*link)->next_dirty) {
        if (*link == udp) {
            *link = udp->next_dirty;
            udp->is_dirty = false;
            break;
        }
    }
    if (host->only != NULL) {
        return;
    }
    uint32_t at = place_of(host, udp->channel.own_id);
    assert(host->carriers[at] == udp);
    host->carriers[at] = NULL;
    host->carrier_count -= 1;
    for (uint32_t next = (at + 1) & (host->carrier_capacity - 1); host->carriers[next] != NULL; next = (next + 1) & (host->carrier_capacity - 1)) {
        CarrierUdp *moved = host->carriers[next];
        host->carriers[next] = NULL;
        host->carriers[place_of(host, moved->channel.own_id)] = moved;
    }
    channel_door_note_old(&host->door, udp->channel.own_id);
}

void udp_host_mark(UdpHost *host, CarrierUdp *udp)
{
    if (!udp->is_dirty) {
        udp->is_dirty = true;
        udp->next_dirty = host->dirty;
        host->dirty = udp;
    }
}

// Sending.

// Those that the system has no room for are lost. One that cannot be sent (nobody is there any more, say) does not hold up the others.
static void send_some(UdpHost *host, int descriptor)
{
    struct mmsghdr messages[UDP_HOST_OUT];
    struct iovec   parts[UDP_HOST_OUT];
    memset(messages, 0, sizeof(messages));
    for (uint32_t i = 0; i < host->out_count; i++) {
        UdpOut *out = &host->out[i];
        parts[i] = (struct iovec){ .iov_base = out->bytes, .iov_len = out->size };
        messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
        if (host->only == NULL) { // a client's socket is connected
            messages[i].msg_hdr.msg_name = &out->address;
            messages[i].msg_hdr.msg_namelen = udp_address_size((const struct sockaddr *)&out->address);
        }
    }
    for (uint32_t at = 0; at < host->out_count;) {
        int sent = sendmmsg(descriptor, messages + at, host->out_count - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            for (uint32_t i = at; i < at + (uint32_t)sent; i++) {
                host->bytes_out += host->out[i].size;
            }
            at += (uint32_t)sent;
            host->datagrams_out += (uint32_t)sent;
        } else if (errno == EAGAIN || errno == ENOBUFS) {
            host->unsent += host->out_count - at;
            return;
        } else if (errno != EINTR) {
            if (host->only != NULL) {
                carrier_udp_failed(host->only, uv_translate_sys_error(errno));
            }
            host->unsent += 1;
            at += 1;
        }
    }
}

void udp_host_send(UdpHost *host)
{
    uv_os_fd_t descriptor;
    if (host->out_count > 0 && uv_fileno((const uv_handle_t *)&host->socket, &descriptor) == 0) {
        send_some(host, descriptor);
    }
    host->out_count = 0;
}

void udp_host_collect(UdpHost *host, const struct sockaddr_storage *address, const uint8_t *bytes, size_t size)
{
    if (host->out_count == host->out_capacity) {
        udp_host_send(host);
    }
    UdpOut *out = &host->out[host->out_count++];
    out->address = *address;
    out->size = (uint16_t)size;
    memcpy(out->bytes, bytes, size);
}

void udp_host_cork(UdpHost *host)
{
    host->is_corked = true;
}

void udp_host_uncork(UdpHost *host)
{
    host->is_corked = false;
    udp_host_send(host);
}

void udp_host_count(UdpHost *host, ChannelSecureCount count)
{
    // One thread writes, so no more than a load and a store is needed.
    unsigned long long before = atomic_load_explicit(&host->secure[count], memory_order_relaxed);
    atomic_store_explicit(&host->secure[count], before + 1, memory_order_relaxed);
}

// What comes.

static void answer(UdpHost *host, const struct sockaddr *address, const uint8_t *bytes, size_t size)
{
    struct sockaddr_storage storage = { 0 };
    memcpy(&storage, address, udp_address_size(address));
    udp_host_collect(host, &storage, bytes, size);
}

static void at_the_door(UdpHost *host, const struct sockaddr *address, const uint8_t *bytes, size_t size)
{
    uint8_t    spelled[CHANNEL_DOOR_ADDRESS], back[CHANNEL_DATAGRAM_MAX];
    size_t     back_size = 0;
    UdpArrival arrival = { .client_id = 0 };
    size_t     spelled_size = spell(address, spelled);
    memcpy(&arrival.address, address, udp_address_size(address));
    switch (channel_door_knock(&host->door, udp_now_us(), spelled, spelled_size, bytes, size, &arrival.client_id, &arrival.cookie, back, &back_size)) {
    case CHANNEL_KNOCK_NOTHING: host->strange += 1; break;
    case CHANNEL_KNOCK_ANSWER: answer(host, address, back, back_size); break;
    case CHANNEL_KNOCK_OPEN: {
        CarrierUdp *udp = find(host, arrival.cookie);
        if (udp != NULL) {
            carrier_udp_greet(udp);
        } else if (host->arrived != NULL && host->arrivals < UDP_HOST_ARRIVALS) {
            host->arrivals += 1;
            host->arrived(host->to, host, &arrival);
        }
        break;
    }
    }
}

// The client's key is looked at only once its cookie was found good, and so many in one turn; memory comes after both.
static void let_in(UdpHost *host, UdpArrival *arrival, const uint8_t *init)
{
    ChannelSecure secure;
    if (host->arrived == NULL || host->arrivals >= UDP_HOST_ARRIVALS) {
        udp_host_count(host, CHANNEL_COUNT_NOT_TAKEN);
        return;
    }
    host->arrivals += 1;
    if (!channel_secure_accept(&secure, host->identity, init)) {
        udp_host_count(host, CHANNEL_COUNT_BAD_HANDSHAKE);
    } else {
        arrival->secure = &secure;
        host->arrived(host->to, host, arrival);
        udp_host_count(host, find(host, arrival->cookie) != NULL ? CHANNEL_COUNT_ACCEPTED : CHANNEL_COUNT_NOT_TAKEN);
    }
    channel_secure_finish(&secure);
}

static void take_init(UdpHost *host, UdpArrival *arrival, const uint8_t *init)
{
    CarrierUdp *udp = find(host, arrival->cookie);
    if (udp == NULL) {
        let_in(host, arrival, init);
    } else if (channel_secure_is_again(udp->secure, init)) {
        udp_host_count(host, CHANNEL_COUNT_REACCEPTED);
        udp_host_collect(host, &udp->address, udp->secure->message, CHANNEL_ACCEPT_SIZE);
        carrier_udp_greet(udp);
    } else {
        udp_host_count(host, CHANNEL_COUNT_BAD_HANDSHAKE);
    }
}

static void take_stranger(UdpHost *host, const struct sockaddr *address, const uint8_t *bytes, size_t size)
{
    uint8_t    open[CHANNEL_DATAGRAM_MAX], spelled[CHANNEL_DOOR_ADDRESS], back[CHANNEL_DATAGRAM_MAX];
    size_t     back_size = 0;
    UdpArrival arrival = { .client_id = 0 };
    size_t     open_size = channel_secure_knock(bytes, size, open);
    if (open_size == 0) {
        udp_host_count(host, bytes[0] >= CHANNEL_OPEN && bytes[0] <= CHANNEL_RESET ? CHANNEL_COUNT_PLAIN : CHANNEL_COUNT_MALFORMED);
        return;
    }
    size_t spelled_size = spell(address, spelled);
    memcpy(&arrival.address, address, udp_address_size(address));
    switch (channel_door_knock(&host->door, udp_now_us(), spelled, spelled_size, open, open_size, &arrival.client_id, &arrival.cookie, back, &back_size)) {
    case CHANNEL_KNOCK_NOTHING: udp_host_count(host, CHANNEL_COUNT_BAD_COOKIE); break;
    case CHANNEL_KNOCK_ANSWER:
        udp_host_count(host, CHANNEL_COUNT_COOKIES);
        answer(host, address, back, back_size);
        break;
    case CHANNEL_KNOCK_OPEN: take_init(host, &arrival, bytes); break;
    }
}

static void take_sealed(UdpHost *host, const struct sockaddr *address, const uint8_t *bytes, size_t size)
{
    CarrierUdp *udp = size > CHANNEL_SEAL_COST ? find(host, bytes_get_u64(bytes + 1)) : NULL;
    if (udp == NULL) {
        udp_host_count(host, size > CHANNEL_SEAL_COST ? CHANNEL_COUNT_NO_CONNECTION : CHANNEL_COUNT_MALFORMED);
    } else if (!is_same((const struct sockaddr *)&udp->address, address)) {
        udp_host_count(host, CHANNEL_COUNT_ELSEWHERE);
    } else {
        carrier_udp_take(udp, bytes, size);
    }
}

static void take(UdpHost *host, const struct sockaddr *address, const uint8_t *bytes, size_t size)
{
    ChannelKind kind;
    uint64_t    id = 0;
    uint8_t     reset[CHANNEL_RESET_SIZE];
    if (host->identity != NULL) {
        if (bytes[0] == CHANNEL_SEALED) {
            take_sealed(host, address, bytes, size);
        } else {
            take_stranger(host, address, bytes, size);
        }
        return;
    }
    if (!channel_wire_id(bytes, size, &kind, &id)) {
        host->strange += 1;
        return;
    }
    if (kind == CHANNEL_OPEN) {
        at_the_door(host, address, bytes, size);
        return;
    }
    CarrierUdp *udp = find(host, id);
    if (udp != NULL && is_same((const struct sockaddr *)&udp->address, address)) {
        carrier_udp_take(udp, bytes, size);
        return;
    }
    host->strange += 1;
    size_t reset_size = udp == NULL ? channel_wire_answer(reset, bytes, size) : 0;
    if (reset_size > 0) {
        answer(host, address, reset, reset_size);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    UdpHost *host = handle->data;
    *buffer = uv_buf_init((char *)host->in, (unsigned)host->in_size);
}

static void on_receive(uv_udp_t *socket, ssize_t count, const uv_buf_t *buffer, const struct sockaddr *address, unsigned flags)
{
    UdpHost *host = socket->data;
    if (count < 0 && host->only != NULL) {
        carrier_udp_failed(host->only, (int)count);
    }
    if (count <= 0 || address == NULL || (flags & UV_UDP_PARTIAL) != 0) {
        return;
    }
    host->datagrams_in += 1;
    host->bytes_in += (uint64_t)count;
    if (host->only != NULL) {
        carrier_udp_arrived(host->only, (const uint8_t *)buffer->base, (size_t)count);
    } else {
        take(host, address, (const uint8_t *)buffer->base, (size_t)count);
    }
}

// Before the loop waits: what came in this turn is acknowledged and answered together.
static void on_turn(uv_prepare_t *handle)
{
    UdpHost *host = handle->data;
    host->arrivals = 0;
    while (host->dirty != NULL) {
        CarrierUdp *udp = host->dirty;
        host->dirty = udp->next_dirty;
        udp->is_dirty = false;
        carrier_udp_run(udp);
    }
    udp_host_send(host);
}

int udp_host_init(UdpHost *host, uv_loop_t *loop, uint32_t out_capacity, size_t in_size)
{
    bool     is_many = in_size >= 2 * UDP_HOST_CHUNK;
    unsigned flags = AF_UNSPEC | (is_many ? (unsigned)UV_UDP_RECVMMSG : 0);
    *host = (UdpHost){ .loop = loop, .in_size = in_size, .out_capacity = out_capacity };
    host->secure = host->own_secure;
    host->in = malloc(in_size);
    host->out = malloc(out_capacity * sizeof(*host->out));
    if (host->in == NULL || host->out == NULL || !channel_door_init(&host->door)) {
        return UV_ENOMEM;
    }
    int status = uv_udp_init_ex(loop, &host->socket, flags);
    if (status < 0) {
        return status;
    }
    uv_prepare_init(loop, &host->turn); // cannot fail
    host->socket.data = host->turn.data = host;
    host->is_open = true;
    return 0;
}

int udp_host_listen(UdpHost *host)
{
    int bytes = UDP_HOST_SOCKET_BYTES;
    uv_recv_buffer_size((uv_handle_t *)&host->socket, &bytes); // what the system does not give is not there
    bytes = UDP_HOST_SOCKET_BYTES;
    uv_send_buffer_size((uv_handle_t *)&host->socket, &bytes);
    uv_prepare_start(&host->turn, on_turn);
    return uv_udp_recv_start(&host->socket, on_alloc, on_receive);
}

int udp_host_open(UdpHost *host, uv_loop_t *loop, const struct sockaddr *address,
                  void (*arrived)(void *to, UdpHost *host, const UdpArrival *arrival), void *to)
{
    int status = udp_host_init(host, loop, UDP_HOST_OUT, (size_t)UDP_HOST_CHUNK * UDP_HOST_CHUNKS);
    host->arrived = arrived;
    host->to = to;
    if (status == 0) {
        status = uv_udp_bind(&host->socket, address, address->sa_family == AF_INET6 ? UV_UDP_IPV6ONLY : 0);
    }
    return status == 0 ? udp_host_listen(host) : status;
}

void udp_host_secure(UdpHost *host, const ChannelNoisePair *identity, atomic_ullong *counts)
{
    host->identity = identity;
    host->secure = counts != NULL ? counts : host->own_secure;
}

uint32_t udp_host_port(const UdpHost *host)
{
    struct sockaddr_storage storage = { 0 };
    int                     size = sizeof(storage);
    if (uv_udp_getsockname(&host->socket, (struct sockaddr *)&storage, &size) < 0) {
        return 0;
    }
    bool is_six = storage.ss_family == AF_INET6;
    return ntohs(is_six ? ((const struct sockaddr_in6 *)&storage)->sin6_port : ((const struct sockaddr_in *)&storage)->sin_port);
}

void udp_host_close(UdpHost *host)
{
    if (!host->is_open) {
        return;
    }
    for (uint32_t at = 0; host->carrier_count > 0; at = (at + 1) & (host->carrier_capacity - 1)) {
        if (host->carriers[at] != NULL) {
            carrier_udp_abandon(host->carriers[at]);
        }
    }
    udp_host_send(host);
    uv_close((uv_handle_t *)&host->socket, NULL);
    uv_close((uv_handle_t *)&host->turn, NULL);
    host->is_open = false;
}

void udp_host_finish(UdpHost *host)
{
    assert(!host->is_open);
    free(host->carriers);
    free(host->in);
    free(host->out);
    *host = (UdpHost){ 0 };
}
