// lobby.c: listeners, and handing connections over.
#include "lobby.h"

#include <stdlib.h>
#include <string.h>

// "127.0.0.1:7777" or "[::1]:7777".
static bool parse_address(const char *text, struct sockaddr_storage *out)
{
    char        host[ADDRESS_TEXT_SIZE];
    const char *colon = strrchr(text, ':');
    bool        is_six = text[0] == '[';
    const char *start = is_six ? text + 1 : text;
    if (colon == NULL || colon == start || (is_six && colon[-1] != ']')) {
        return false;
    }
    size_t size = (size_t)(colon - start) - (is_six ? 1 : 0);
    char  *end = NULL;
    long   port = strtol(colon + 1, &end, 10);
    if (size >= sizeof(host) || colon[1] < '0' || colon[1] > '9' || *end != '\0' || port > 65535) {
        return false;
    }
    memcpy(host, start, size);
    host[size] = '\0';
    return is_six ? uv_ip6_addr(host, (int)port, (struct sockaddr_in6 *)out) == 0 : uv_ip4_addr(host, (int)port, (struct sockaddr_in *)out) == 0;
}

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
    if (!parse_address(address, &storage)) {
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

static void on_join(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Lobby                *lobby = to;
    const DirectoryEntry *entry = &lobby->peers.directory->entries[number];
    uint32_t              cookie = message->body.join.cookie;
    if (atomic_load(&entry->listing->is_over)) {
        peer_refuse(peer, cookie, MESSAGE_REASON_ENDED, "the room is over");
        return;
    }
    int         status = 0;
    PeerParcel *parcel = peer_pack(peer, number, bytes, size, &status);
    if (parcel == NULL && status == UV_EBUSY) {
        peer_refuse(peer, cookie, MESSAGE_REASON_FULL, "earlier answers wait to be read: read them, then join");
    } else if (parcel == NULL) {
        peer_refuse(peer, cookie, MESSAGE_REASON_CROWDED, "the server is short of what a connection needs: try again later");
    } else if (!lobby->give(lobby->to, entry->lane, parcel)) {
        peer_return(&lobby->peers, parcel);
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
    lobby->peers.room_message = on_room_message;
    lobby->peers.leave = on_leave;
    uv_prepare_init(lobby->loop, &lobby->turn); // cannot fail
    lobby->turn.data = lobby;
    uv_prepare_start(&lobby->turn, on_turn);
    int status = peer_host_open(&lobby->peers);
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
    if (lobby->peers.is_open) {
        peer_host_bye(&lobby->peers, MESSAGE_REASON_STOPPING);
    }
}

void lobby_close(Lobby *lobby)
{
    close_listeners(lobby);
    if (lobby->turn.data != NULL) {
        uv_close((uv_handle_t *)&lobby->turn, NULL);
        lobby->turn.data = NULL;
    }
    if (lobby->peers.is_open) {
        peer_host_drop(&lobby->peers);
        peer_host_close(&lobby->peers);
    }
}
