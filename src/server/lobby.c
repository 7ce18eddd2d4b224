// lobby.c: listeners, and handing connections over.
#include "lobby.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "127.0.0.1:7777" or "[::1]:7777".
static bool parse_address(const char *text, struct sockaddr_storage *out)
{
    char        host[PEER_ADDRESS_SIZE];
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
static void learn_name(Lobby *lobby, uint32_t at)
{
    struct sockaddr_storage storage;
    int                     size = sizeof(storage);
    char                    name[PEER_ADDRESS_SIZE - 16] = "";
    memset(&storage, 0, sizeof(storage));
    uv_tcp_getsockname(&lobby->listeners[at], (struct sockaddr *)&storage, &size);
    uv_ip_name((struct sockaddr *)&storage, name, sizeof(name));
    bool     is_six = storage.ss_family == AF_INET6;
    uint16_t port = is_six ? ((struct sockaddr_in6 *)&storage)->sin6_port : ((struct sockaddr_in *)&storage)->sin_port;
    lobby->ports[at] = ntohs(port);
    snprintf(lobby->addresses[at], sizeof(lobby->addresses[at]), is_six ? "[%s]:%u" : "%s:%u", name, lobby->ports[at]);
}

static void on_connection(uv_stream_t *listener, int status)
{
    Lobby *lobby = listener->data;
    if (status < 0 || peer_accept(&lobby->peers, listener) < 0) {
        lobby->accept_failures += 1; // the system is short of something, and that connection is lost: the others are not
    }
}

bool lobby_listen(Lobby *lobby, uv_loop_t *loop, const char *address, tp_error *error)
{
    struct sockaddr_storage storage;
    memset(&storage, 0, sizeof(storage));
    lobby->loop = loop;
    if (lobby->count >= SERVER_LISTENERS_MAX) {
        return tp_error_set(error, "more than %d addresses: give fewer, or 0.0.0.0 for all", SERVER_LISTENERS_MAX);
    }
    if (!parse_address(address, &storage)) {
        return tp_error_set(error, "it is no address to listen on: give numbers and a port, like 127.0.0.1:7777 or [::1]:7777");
    }
    uv_tcp_t *listener = &lobby->listeners[lobby->count];
    int       status = uv_tcp_init(loop, listener);
    if (status < 0) {
        return tp_error_set(error, "making a socket: %s", uv_strerror(status));
    }
    listener->data = lobby;
    status = uv_tcp_bind(listener, (struct sockaddr *)&storage, storage.ss_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0);
    // libuv tells of a port that is taken only when it listens; connections wait in the backlog until the loop turns.
    status = status == 0 ? uv_listen((uv_stream_t *)listener, SERVER_BACKLOG, on_connection) : status;
    if (status < 0) {
        uv_close((uv_handle_t *)listener, NULL);
        uv_run(loop, UV_RUN_NOWAIT);
        return tp_error_set(error, "listening: %s%s", uv_strerror(status),
                            status == UV_EADDRINUSE ? ": stop who has the port, or give another one" : "");
    }
    learn_name(lobby, lobby->count);
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
    PeerParcel *parcel = peer_pack(peer, number, bytes, size);
    if (parcel != NULL && !lobby->give(lobby->to, entry->lane, parcel)) {
        peer_parcel_drop(&lobby->peers, parcel);
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
    int status = peer_host_open(&lobby->peers);
    return status == 0 || tp_error_set(error, "preparing for clients: %s", uv_strerror(status));
}

static void close_listeners(Lobby *lobby)
{
    for (uint32_t i = 0; i < lobby->count && lobby->is_listening; i++) {
        uv_close((uv_handle_t *)&lobby->listeners[i], NULL);
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
    if (lobby->peers.is_open) {
        peer_host_drop(&lobby->peers);
        peer_host_close(&lobby->peers);
    }
}
