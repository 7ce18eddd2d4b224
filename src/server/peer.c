// peer.c: handshake, rate, silence, list, ping; and the end of a connection.
#include "peer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 250, CREDIT_OF_MESSAGE = 1000, BURST_SECONDS = 2 };

static void count_end(PeerHost *host, uint32_t reason)
{
    atomic_fetch_add_explicit(&host->ends[reason < PEER_ENDS ? reason : 0], 1, memory_order_relaxed);
}

static uint64_t silence_ms(const Peer *peer)
{
    uint64_t usual = peer->host->limits->silence_ms;
    return peer->has_hello && peer->member_count > 0 ? usual : usual < SERVER_HANDSHAKE_MS ? usual : SERVER_HANDSHAKE_MS;
}

// A message more: false when it is one too many.
static bool take_credit(Peer *peer)
{
    uint64_t now_ms = uv_now(peer->host->loop);
    int64_t  rate = (int64_t)(peer->host->limits->messages_per_second + peer->need_per_second);
    int64_t  most = rate * BURST_SECONDS * CREDIT_OF_MESSAGE;
    uint64_t passed_ms = now_ms - peer->credit_ms;
    passed_ms = passed_ms < BURST_SECONDS * 1000 ? passed_ms : BURST_SECONDS * 1000;
    int64_t grown = peer->credit + (int64_t)passed_ms * rate;
    if (grown > most) {
        grown = peer->credit > most ? peer->credit : most; // who has left a room may still say what it saved up in it
    }
    peer->credit_ms = now_ms;
    peer->credit = grown - CREDIT_OF_MESSAGE;
    return peer->credit >= 0;
}

void peer_send_bytes(Peer *peer, const uint8_t *bytes, size_t size)
{
    if (peer->is_leaving || !carrier_send(&peer->carrier, bytes, size) || peer->is_dirty) {
        return;
    }
    peer->is_dirty = true;
    peer->next_dirty = peer->host->dirty;
    peer->host->dirty = peer;
}

void peer_send(Peer *peer, const Message *message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes);
    assert(size > 0);
    peer_send_bytes(peer, bytes, size);
}

void peer_refuse(Peer *peer, uint32_t cookie, MessageReason reason, const char *text)
{
    Message message = {
        .type = MESSAGE_REFUSED,
        .room = MESSAGE_ROOM_NONE,
        .body.refused = { .cookie = cookie, .reason = reason, .text = message_text(text) },
    };
    peer_send(peer, &message);
}

void peer_bye(Peer *peer, MessageReason reason, const char *text)
{
    if (peer->is_leaving || peer->is_dead) {
        return;
    }
    peer->host->leave(peer->host->to, peer, reason);
    Message message = { .type = MESSAGE_BYE, .room = MESSAGE_ROOM_NONE, .body.bye = { .reason = reason, .text = message_text(text) } };
    peer_send(peer, &message);
    carrier_discard(&peer->carrier);
    peer->is_leaving = true;
    peer->deadline_ms = uv_now(peer->host->loop) + SERVER_BYE_MS;
    count_end(peer->host, reason);
}

static void welcome(Peer *peer, const Message *message)
{
    if (peer->has_hello) {
        peer_bye(peer, MESSAGE_REASON_MALFORMED, "HELLO came twice");
        return;
    }
    if (message->body.hello.version_min > MESSAGE_VERSION || message->body.hello.version_max < MESSAGE_VERSION) {
        char text[MESSAGE_TEXT_MAX];
        snprintf(text, sizeof(text), "this server speaks version %d of the protocol, the client %u to %u", MESSAGE_VERSION,
                 message->body.hello.version_min, message->body.hello.version_max);
        peer_bye(peer, MESSAGE_REASON_VERSION, text);
        return;
    }
    peer->has_hello = true;
    const PeerHost *host = peer->host;
    Message         answer = {
        .type = MESSAGE_WELCOME,
        .room = MESSAGE_ROOM_NONE,
        .body.welcome = { .version = MESSAGE_VERSION, .rooms = host->directory->count, .messages_per_second = host->limits->messages_per_second,
                          .build = message_text("tickproofd") },
    };
    peer_send(peer, &answer);
}

static void list(Peer *peer, uint32_t first)
{
    Message answer;
    directory_page(peer->host->directory, first, &answer);
    peer_send(peer, &answer);
}

static void join(Peer *peer, const Message *message, const uint8_t *bytes, size_t size)
{
    const PeerHost *host = peer->host;
    uint32_t        number = directory_find(host->directory, message->body.join.name);
    uint32_t        cookie = message->body.join.cookie;
    if (number == MESSAGE_ROOM_NONE) {
        peer_refuse(peer, cookie, MESSAGE_REASON_NO_ROOM, "there is no room of this name here; LIST tells which there are");
    } else if (!host->directory->entries[number].is_live) {
        peer_refuse(peer, cookie, MESSAGE_REASON_NOT_LIVE, "this room steps a recorded log: nobody can join it");
    } else {
        host->join(host->to, peer, message, number, bytes, size);
    }
}

static void answer_ping(Peer *peer, const Message *message)
{
    Message answer = *message;
    answer.type = MESSAGE_PONG;
    peer_send(peer, &answer);
}

static void dispatch(Peer *peer, const Message *message, const uint8_t *bytes, size_t size)
{
    if (message->type == MESSAGE_HELLO) {
        welcome(peer, message);
        return;
    }
    if (!peer->has_hello) {
        peer_bye(peer, MESSAGE_REASON_MALFORMED, "the first message must be HELLO");
        return;
    }
    switch (message->type) {
    case MESSAGE_LIST: list(peer, message->body.list.first); break;
    case MESSAGE_JOIN: join(peer, message, bytes, size); break;
    case MESSAGE_LEAVE:
    case MESSAGE_INPUT: peer->host->room_message(peer->host->to, peer, message); break;
    case MESSAGE_PING: answer_ping(peer, message); break;
    case MESSAGE_HELLO:
    case MESSAGE_WELCOME:
    case MESSAGE_ROOMS:
    case MESSAGE_JOINED:
    case MESSAGE_REFUSED:
    case MESSAGE_PIECE:
    case MESSAGE_CONFIRMED:
    case MESSAGE_LEFT:
    case MESSAGE_PONG:
    case MESSAGE_BYE:
        peer_bye(peer, MESSAGE_REASON_MALFORMED, "only a server may send this message");
        break;
    }
}

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    Peer   *peer = to;
    Message message;
    if (!take_credit(peer)) {
        peer_bye(peer, MESSAGE_REASON_FLOOD, "more messages a second than this server takes");
        return;
    }
    const char *wrong = message_decode(bytes, size, &message);
    if (wrong != NULL) {
        peer_bye(peer, MESSAGE_REASON_MALFORMED, wrong);
        return;
    }
    dispatch(peer, &message, bytes, size);
    if (!peer->is_leaving) {
        peer->deadline_ms = uv_now(peer->host->loop) + silence_ms(peer);
    }
}

static void remove_dirty(Peer *peer)
{
    for (Peer **link = &peer->host->dirty; peer->is_dirty && *link != NULL; link = &(*link)->next_dirty) {
        if (*link == peer) {
            *link = peer->next_dirty;
            peer->is_dirty = false;
            return;
        }
    }
}

static void unlink_peer(Peer *peer)
{
    PeerHost *host = peer->host;
    remove_dirty(peer);
    if (peer->previous != NULL) {
        peer->previous->next = peer->next;
    } else {
        host->peers = peer->next;
    }
    if (peer->next != NULL) {
        peer->next->previous = peer->previous;
    }
    host->count -= 1;
}

static uint32_t reason_of(CarrierEnd end)
{
    switch (end) {
    case CARRIER_MALFORMED: return MESSAGE_REASON_MALFORMED;
    case CARRIER_SLOW: return MESSAGE_REASON_SLOW;
    case CARRIER_CLOSED:
    case CARRIER_GONE:
    case CARRIER_FAILED: break;
    }
    return 0;
}

static void on_ended(void *to, CarrierEnd end, int status)
{
    Peer     *peer = to;
    PeerHost *host = peer->host;
    (void)status;
    peer->is_dead = true;
    if (!peer->is_leaving) {
        host->leave(host->to, peer, reason_of(end));
        count_end(host, reason_of(end));
    }
    unlink_peer(peer);
    if (peer->is_counted) {
        addresses_remove(host->addresses, &peer->address);
    }
    carrier_finish(&peer->carrier);
    free(peer->members);
    free(peer);
    if (host->gone != NULL) {
        host->gone(host->to);
    }
}

static const CarrierEvents carrier_events = { .message = on_message, .ended = on_ended };

// A peer with an open carrier that nothing flows through yet.
static Peer *make_peer(PeerHost *host)
{
    Peer *peer = calloc(1, sizeof(*peer));
    if (peer == NULL) {
        return NULL;
    }
    peer->host = host;
    peer->credit_ms = uv_now(host->loop);
    peer->credit = (int64_t)host->limits->messages_per_second * BURST_SECONDS * CREDIT_OF_MESSAGE;
    peer->deadline_ms = uv_now(host->loop) + silence_ms(peer);
    if (carrier_open(&peer->carrier, host->loop, &carrier_events, peer, host->limits->send_queue_bytes) < 0) {
        free(peer);
        return NULL;
    }
    peer->next = host->peers;
    if (host->peers != NULL) {
        host->peers->previous = peer;
    }
    host->peers = peer;
    host->count += 1;
    return peer;
}

static void learn_address(Peer *peer)
{
    struct sockaddr_storage storage;
    int                     size = sizeof(storage);
    memset(&storage, 0, sizeof(storage));
    snprintf(peer->address_text, sizeof(peer->address_text), "unknown");
    if (uv_tcp_getpeername(&peer->carrier.handle, (struct sockaddr *)&storage, &size) < 0) {
        return; // gone already; the read will say so
    }
    char name[PEER_ADDRESS_SIZE - 16];
    bool is_six = storage.ss_family == AF_INET6;
    uint16_t port = is_six ? ((struct sockaddr_in6 *)&storage)->sin6_port : ((struct sockaddr_in *)&storage)->sin_port;
    peer->address = address_of((struct sockaddr *)&storage);
    if (uv_ip_name((struct sockaddr *)&storage, name, sizeof(name)) == 0) {
        snprintf(peer->address_text, sizeof(peer->address_text), is_six ? "[%s]:%u" : "%s:%u", name, (unsigned)ntohs(port));
    }
}

// The system may refuse: then it is its own bounds that hold.
static void bound_socket(Peer *peer)
{
    int size = SERVER_SOCKET_BYTES;
    uv_send_buffer_size((uv_handle_t *)&peer->carrier.handle, &size);
    size = SERVER_SOCKET_BYTES;
    uv_recv_buffer_size((uv_handle_t *)&peer->carrier.handle, &size);
}

int peer_accept(PeerHost *host, uv_stream_t *listener)
{
    Peer *peer = make_peer(host);
    if (peer == NULL) {
        return UV_ENOMEM;
    }
    int status = carrier_accept(&peer->carrier, listener);
    if (status < 0) {
        peer->is_leaving = true;
        carrier_close(&peer->carrier);
        return status;
    }
    bound_socket(peer);
    learn_address(peer);
    peer->is_counted = addresses_add(host->addresses, &peer->address);
    if (!peer->is_counted) {
        peer_bye(peer, MESSAGE_REASON_CROWDED, "too many connections, from here or in all: try again later");
        carrier_flush(&peer->carrier);
        carrier_close(&peer->carrier);
    }
    return 0;
}

Peer *peer_adopt(PeerHost *host, const PeerParcel *parcel)
{
    Peer *peer = make_peer(host);
    if (peer == NULL) {
        close(parcel->socket);
        addresses_remove(host->addresses, &parcel->address);
        return NULL;
    }
    peer->is_counted = true;
    peer->has_hello = true;
    peer->address = parcel->address;
    memcpy(peer->address_text, parcel->address_text, sizeof(peer->address_text));
    if (carrier_adopt(&peer->carrier, parcel->socket, parcel->rest, parcel->rest_size) < 0) {
        close(parcel->socket);
        carrier_close(&peer->carrier);
        return NULL;
    }
    return peer;
}

PeerParcel *peer_pack(Peer *peer, uint32_t number, const uint8_t *join_bytes, size_t join_size)
{
    PeerParcel *parcel = calloc(1, sizeof(*parcel) + SERVER_PARCEL_REST);
    carrier_flush(&peer->carrier); // the WELCOME of the same moment
    if (parcel == NULL || carrier_release(&peer->carrier, &parcel->socket, parcel->rest, SERVER_PARCEL_REST, &parcel->rest_size) < 0) {
        free(parcel);
        peer_bye(peer, MESSAGE_REASON_SLOW, "read the answers so far before you join");
        return NULL;
    }
    parcel->address = peer->address;
    memcpy(parcel->address_text, peer->address_text, sizeof(parcel->address_text));
    parcel->number = number;
    parcel->join_size = join_size;
    memcpy(parcel->join, join_bytes, join_size);
    peer->is_counted = false; // it goes with the parcel
    peer->is_leaving = true;
    return parcel;
}

void peer_parcel_drop(PeerHost *host, PeerParcel *parcel)
{
    close(parcel->socket);
    addresses_remove(host->addresses, &parcel->address);
    free(parcel);
}

// Sending can only mark carriers as ending; they are taken out of the lists later, from inside the loop.
void peer_host_flush(PeerHost *host)
{
    while (host->dirty != NULL) {
        Peer *peer = host->dirty;
        host->dirty = peer->next_dirty;
        peer->is_dirty = false;
        carrier_flush(&peer->carrier);
    }
}

static void on_flush(uv_prepare_t *handle)
{
    peer_host_flush(handle->data);
}

// The one with the most waiting goes; nobody who reads is among them. What was waiting there.
static size_t drop_slowest(PeerHost *host)
{
    Peer  *slowest = NULL;
    size_t most = 0;
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        size_t waiting = peer->carrier.is_ending ? 0 : carrier_waiting(&peer->carrier);
        if (waiting > most) {
            most = waiting;
            slowest = peer;
        }
    }
    if (slowest != NULL) {
        peer_bye(slowest, MESSAGE_REASON_SLOW, "it does not read what it is sent");
        carrier_close(&slowest->carrier);
    }
    return most;
}

static void bound_memory(PeerHost *host)
{
    size_t total = 0;
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        carrier_trim(&peer->carrier, SERVER_SEND_KEEP);
        total += peer->carrier.is_ending ? 0 : carrier_waiting(&peer->carrier);
    }
    while (total > host->limits->send_total_bytes) {
        size_t gone = drop_slowest(host);
        total = gone > 0 && gone < total ? total - gone : 0;
    }
}

static void on_look(uv_timer_t *timer)
{
    PeerHost *host = timer->data;
    uint64_t  now_ms = uv_now(host->loop);
    bound_memory(host);
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        if (now_ms < peer->deadline_ms) {
            continue;
        }
        if (peer->is_leaving) {
            carrier_close(&peer->carrier);
        } else {
            peer_bye(peer, MESSAGE_REASON_SILENT, peer->has_hello ? "nothing came for too long: PING keeps a connection" : "HELLO did not come");
        }
    }
}

static uint64_t look_ms(const PeerHost *host)
{
    uint64_t quarter = host->limits->silence_ms / 4;
    return quarter < 25 ? 25 : quarter < LOOK_MS ? quarter : LOOK_MS;
}

int peer_host_open(PeerHost *host)
{
    int status = uv_prepare_init(host->loop, &host->flush);
    if (status < 0) {
        return status;
    }
    uv_timer_init(host->loop, &host->look);
    host->flush.data = host->look.data = host;
    uv_prepare_start(&host->flush, on_flush);
    uv_timer_start(&host->look, on_look, look_ms(host), look_ms(host));
    host->is_open = true;
    return 0;
}

void peer_host_close(PeerHost *host)
{
    if (host->is_open) {
        uv_close((uv_handle_t *)&host->flush, NULL);
        uv_close((uv_handle_t *)&host->look, NULL);
        host->is_open = false;
    }
}

void peer_host_bye(PeerHost *host, MessageReason reason)
{
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        peer_bye(peer, reason, reason == MESSAGE_REASON_STOPPING ? "the server stops" : "all rooms here are over");
    }
}

void peer_host_drop(PeerHost *host)
{
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        carrier_close(&peer->carrier);
    }
}
