// lobby.c: listeners, and handing connections over.
#include "lobby.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the system made of it: the port, when 0 was asked for.
static void learn_name(Lobby *lobby, const uv_tcp_t *listener)
{
    struct sockaddr_storage storage;
    int                     size = sizeof(storage);
    memset(&storage, 0, sizeof(storage));
    uv_tcp_getsockname(listener, (struct sockaddr *)&storage, &size);
    lobby->ports[lobby->count] = address_text(&storage, lobby->addresses[lobby->count]);
}

// What the system is short of may be there in the next turn. Until then libuv asks this listener for no more.
static void take(Lobby *lobby, uv_stream_t *listener)
{
    lobby->taken_in_turn += 1;
    int status = peer_accept(&lobby->peers, listener);
    if (status < 0) {
        lobby->accept_failures += 1;
    }
    if (status == UV_ENOMEM) {
        lobby->is_left[(uv_tcp_t *)listener - lobby->listeners] = true;
    }
}

// libuv calls this again and again while connections come, without turning the loop: nothing would be freed, and nobody heard. It stops
// as soon as one is not taken.
static void on_connection(uv_stream_t *listener, int status)
{
    Lobby *lobby = listener->data;
    if (status < 0) {
        lobby->accept_failures += 1;
    } else if (!lobby->peers.is_open || lobby->taken_in_turn >= SERVER_ACCEPTS_PER_TURN) {
        lobby->is_left[(uv_tcp_t *)listener - lobby->listeners] = true;
    } else {
        take(lobby, listener);
    }
}

static void on_turn(uv_prepare_t *handle)
{
    Lobby *lobby = handle->data;
    lobby->taken_in_turn = 0;
    for (uint32_t i = 0; i < lobby->handle_count && lobby->is_listening; i++) {
        if (lobby->is_left[i]) {
            lobby->is_left[i] = false;
            take(lobby, (uv_stream_t *)&lobby->listeners[i]);
        }
    }
}

bool lobby_listen(Lobby *lobby, uv_loop_t *loop, const char *address, tp_error *error)
{
    struct sockaddr_storage storage;
    memset(&storage, 0, sizeof(storage));
    lobby->loop = loop;
    if (lobby->handle_count >= SERVER_LISTENERS_MAX) {
        return tp_error_set(error, "more than %d addresses: give fewer, or 0.0.0.0 for all", SERVER_LISTENERS_MAX);
    }
    if (!address_parse(address, &storage)) {
        return tp_error_set(error, "it is no address to listen on: give numbers and a port, like 127.0.0.1:7777 or [::1]:7777");
    }
    uv_tcp_t *listener = &lobby->listeners[lobby->handle_count];
    int       status = uv_tcp_init(loop, listener);
    if (status < 0) {
        return tp_error_set(error, "making a socket: %s", uv_strerror(status));
    }
    listener->data = lobby;
    lobby->handle_count += 1; // in use until the loop has turned, whatever becomes of it
    status = uv_tcp_bind(listener, (struct sockaddr *)&storage, storage.ss_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0);
    // libuv tells of a port that is taken only when it listens; connections wait in the backlog until the loop turns.
    status = status == 0 ? uv_listen((uv_stream_t *)listener, SERVER_BACKLOG, on_connection) : status;
    if (status < 0) {
        uv_close((uv_handle_t *)listener, NULL);
        return tp_error_set(error, "listening: %s%s", uv_strerror(status),
                            status == UV_EADDRINUSE ? ": stop who has the port, or give another one" : "");
    }
    learn_name(lobby, listener);
    lobby->count += 1;
    lobby->is_listening = true;
    return true;
}

static void on_arrived(void *to, UdpHost *host, const UdpArrival *arrival)
{
    Lobby *lobby = to;
    if (lobby->is_udp_open && peer_accept_udp(&lobby->peers, host, arrival) < 0) {
        lobby->accept_failures += 1;
    }
}

bool lobby_listen_udp(Lobby *lobby, uv_loop_t *loop, const char *address, tp_error *error)
{
    lobby->loop = loop;
    if (lobby->has_udp) {
        return tp_error_set(error, "datagrams are taken at one address: give one");
    }
    if (!datagrams_parse(address, lobby->identity != NULL, &lobby->udp_address, error)) {
        return false;
    }
    lobby->has_udp = true;
    if (!datagrams_open(&lobby->udp, loop, &lobby->udp_address, 0, on_arrived, lobby, error)) {
        udp_host_close(&lobby->udp);
        return false;
    }
    udp_host_secure(&lobby->udp, lobby->identity, lobby->udp_counts);
    lobby->is_udp_open = true;
    return true;
}

bool lobby_expect_ws(Lobby *lobby, tp_error *error)
{
    lobby->has_arrivals = lobby->has_arrivals || uv_mutex_init(&lobby->arrivals_mutex) == 0;
    return lobby->has_arrivals || tp_error_set(error, "taking WebSockets: making a lock failed");
}

bool lobby_give_ws(Lobby *lobby, uv_os_sock_t socket, const uint8_t *bytes, size_t size)
{
    LobbyArrival *arrival = size <= FRAME_BUFFER_SIZE ? malloc(sizeof(*arrival) + size) : NULL;
    bool          is_taken = false;
    if (arrival != NULL) {
        arrival->socket = socket;
        arrival->size = size;
        if (size > 0) {
            memcpy(arrival->bytes, bytes, size);
        }
        uv_mutex_lock(&lobby->arrivals_mutex);
        is_taken = lobby->takes_arrivals && lobby->arrival_count < SERVER_BACKLOG;
        if (is_taken) {
            arrival->next = lobby->arrivals;
            lobby->arrivals = arrival;
            lobby->arrival_count += 1;
        }
        uv_mutex_unlock(&lobby->arrivals_mutex);
    }
    if (!is_taken) {
        free(arrival);
        close(socket);
    }
    return is_taken;
}

void lobby_take_ws(Lobby *lobby)
{
    if (!lobby->has_arrivals) {
        return;
    }
    uv_mutex_lock(&lobby->arrivals_mutex);
    LobbyArrival *arrival = lobby->arrivals;
    lobby->arrivals = NULL;
    lobby->arrival_count = 0;
    uv_mutex_unlock(&lobby->arrivals_mutex);
    while (arrival != NULL) {
        LobbyArrival *next = arrival->next;
        if (lobby->peers.is_open) {
            peer_take_ws(&lobby->peers, arrival->socket, arrival->bytes, arrival->size);
        } else {
            close(arrival->socket);
        }
        free(arrival);
        arrival = next;
    }
}

static void set_arrivals(Lobby *lobby, bool are_taken)
{
    if (lobby->has_arrivals) {
        uv_mutex_lock(&lobby->arrivals_mutex);
        lobby->takes_arrivals = are_taken;
        uv_mutex_unlock(&lobby->arrivals_mutex);
    }
}

// A socket of datagrams is all clients', so nobody's connection moves to another.
static const char *refuse_udp(Lobby *lobby, uint32_t number, MessageReason *reason)
{
    *reason = MESSAGE_REASON_OTHER_LANE;
    snprintf(lobby->udp_refusal, sizeof(lobby->udp_refusal), "datagrams for this room go to port %u: connect there, and say HELLO",
             lobby->peers.directory->entries[number].udp_port);
    return lobby->udp_refusal;
}

// Takes the connection to the lane of a room, with the message that asked for it. NULL, or what the peer is to be told.
static const char *move(Lobby *lobby, Peer *peer, uint32_t number, const uint8_t *bytes, size_t size, MessageReason *reason)
{
    int status = 0;
    if (carrier_channel(&peer->carrier) != NULL) {
        return refuse_udp(lobby, number, reason);
    }
    PeerParcel *parcel = peer_pack(peer, number, bytes, size, &status);
    *reason = status == UV_EBUSY ? MESSAGE_REASON_FULL : MESSAGE_REASON_CROWDED;
    if (parcel == NULL) {
        return status == UV_EBUSY ? "earlier answers wait to be read: read them, then ask again" :
                                    "the server is short of what a connection needs: try again later";
    }
    if (!lobby->give(lobby->to, lobby->peers.directory->entries[number].lane, parcel)) {
        peer_return(&lobby->peers, parcel);
    }
    return NULL;
}

static void on_join(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Lobby        *lobby = to;
    MessageReason reason = MESSAGE_REASON_ENDED;
    const char   *why = "the room is over";
    if (!atomic_load(&lobby->peers.directory->entries[number].listing->is_over)) {
        why = move(lobby, peer, number, bytes, size, &reason);
    }
    if (why != NULL) {
        peer_refuse(peer, message->body.join.cookie, reason, why);
    }
}

static void on_admin(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Lobby        *lobby = to;
    MessageReason reason;
    const char   *why = "the room is over";
    if (!atomic_load(&lobby->peers.directory->entries[number].listing->is_over)) {
        why = move(lobby, peer, number, bytes, size, &reason);
    }
    if (why != NULL) {
        peer_answer_admin(peer, number, message->epoch, 0, message->body.admin.cookie, false, why);
    }
}

// Whoever is here is in no room.
static void on_room_message(void *to, Peer *peer, const Message *message)
{
    (void)to;
    (void)peer;
    (void)message;
}

static void on_leave(void *to, Peer *peer, uint32_t reason)
{
    (void)to;
    (void)peer;
    (void)reason;
}

bool lobby_open(Lobby *lobby, tp_error *error)
{
    lobby->peers.to = lobby;
    lobby->peers.join = on_join;
    lobby->peers.admin = on_admin;
    lobby->peers.room_message = on_room_message;
    lobby->peers.leave = on_leave;
    lobby->peers.udp = lobby->is_udp_open ? &lobby->udp : NULL;
    uv_prepare_init(lobby->loop, &lobby->turn); // cannot fail
    lobby->turn.data = lobby;
    uv_prepare_start(&lobby->turn, on_turn);
    int status = peer_host_open(&lobby->peers);
    set_arrivals(lobby, status == 0);
    return status == 0 || tp_error_set(error, "preparing for clients: %s", uv_strerror(status));
}

static void close_listeners(Lobby *lobby)
{
    for (uint32_t i = 0; i < lobby->handle_count && lobby->is_listening; i++) {
        if (!uv_is_closing((uv_handle_t *)&lobby->listeners[i])) {
            uv_close((uv_handle_t *)&lobby->listeners[i], NULL);
        }
    }
    lobby->is_listening = false;
}

void lobby_bye(Lobby *lobby)
{
    close_listeners(lobby);
    set_arrivals(lobby, false);
    lobby_take_ws(lobby); // those that have come hear it, too
    lobby->is_udp_open = false;
    if (lobby->peers.is_open) {
        peer_host_bye(&lobby->peers, MESSAGE_REASON_STOPPING);
    }
}

void lobby_close(Lobby *lobby)
{
    close_listeners(lobby);
    set_arrivals(lobby, false);
    lobby_take_ws(lobby);
    if (lobby->turn.data != NULL) {
        uv_close((uv_handle_t *)&lobby->turn, NULL);
        lobby->turn.data = NULL;
    }
    if (lobby->peers.is_open) {
        peer_host_drop(&lobby->peers);
        peer_host_close(&lobby->peers);
    }
    lobby->is_udp_open = false;
    udp_host_close(&lobby->udp);
}

void lobby_finish(Lobby *lobby)
{
    udp_host_finish(&lobby->udp);
    if (lobby->has_arrivals) {
        uv_mutex_destroy(&lobby->arrivals_mutex);
        lobby->has_arrivals = false;
    }
}
