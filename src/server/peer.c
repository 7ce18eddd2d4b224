// peer.c: handshake, rate, silence, list, ping; and the end of a connection.
#include "peer.h"

#include "ws.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whatever its rate, a credit is full after REFILL_MS_MAX: the slowest has one message a second and the least burst.
enum { LOOK_MS = 250, CREDIT_OF_MESSAGE = 1000, BURST_SECONDS = 2, REFILL_MS_MAX = 1000 * SERVER_MESSAGES_BURST_MIN };

static void count_end(const Peer *peer, uint32_t reason)
{
    PeerHost *host = peer->host;
    atomic_fetch_add_explicit(&host->ends[reason < PEER_ENDS ? reason : 0], 1, memory_order_relaxed);
    if (reason != 0 && reason != MESSAGE_REASON_STOPPING && reason != MESSAGE_REASON_ENDED) {
        addresses_note(host->addresses, peer->address_text);
    }
}

static uint64_t silence_ms(const Peer *peer)
{
    uint64_t usual = peer->host->limits->silence_ms;
    return peer->has_hello && peer->member_count > 0 ? usual : usual < SERVER_HANDSHAKE_MS ? usual : SERVER_HANDSHAKE_MS;
}

static int64_t refilled(int64_t credit, uint64_t passed_ms, uint64_t rate, uint64_t most_rate)
{
    int64_t most = (int64_t)most_rate * BURST_SECONDS * CREDIT_OF_MESSAGE;
    int64_t grown = credit + (int64_t)(passed_ms * rate);
    return grown < most ? grown : credit > most ? credit : most;
}

static uint64_t base_rate(const PeerHost *host)
{
    uint64_t least = SERVER_MESSAGES_BURST_MIN / BURST_SECONDS;
    return host->limits->messages_per_second > least ? host->limits->messages_per_second : least;
}

static void refill(Peer *peer)
{
    uint64_t now_ms = uv_now(peer->host->loop);
    uint64_t passed_ms = now_ms - peer->credit_ms;
    passed_ms = passed_ms < REFILL_MS_MAX ? passed_ms : REFILL_MS_MAX;
    peer->credit_ms = now_ms;
    peer->credit = refilled(peer->credit, passed_ms, peer->host->limits->messages_per_second, base_rate(peer->host));
    peer->input_credit = refilled(peer->input_credit, passed_ms, peer->inputs_per_second, peer->inputs_most);
    peer->list_credit = refilled(peer->list_credit, passed_ms, SERVER_LISTS_PER_SECOND, SERVER_LISTS_PER_SECOND);
}

static bool take(int64_t *credit)
{
    if (*credit < CREDIT_OF_MESSAGE) {
        return false;
    }
    *credit -= CREDIT_OF_MESSAGE;
    return true;
}

// What a membership sends for every tick, or as often as it was told to.
static bool is_regular(MessageType type)
{
    return type == MESSAGE_INPUT || type == MESSAGE_REPORT;
}

// A message more: false when it is one too many. Inputs beyond what the slots need are messages like others: those for a room that has
// just ended, say. `message` NULL: it is none.
static bool take_credit(Peer *peer, const Message *message)
{
    if (message != NULL && message->type == MESSAGE_PIECE && peer->pieces_credit > 0) {
        peer->pieces_credit -= 1;
        return true;
    }
    refill(peer);
    return (message != NULL && is_regular(message->type) && take(&peer->input_credit)) || take(&peer->credit);
}

void peer_allow_pieces(Peer *peer, uint32_t count)
{
    peer->pieces_credit = count;
}

size_t peer_waiting(Peer *peer)
{
    size_t waiting = carrier_waiting(&peer->carrier);
    if (waiting >= peer->carrier.out_max / 4) {
        carrier_flush(&peer->carrier);
        waiting = carrier_waiting(&peer->carrier);
    }
    return waiting;
}

size_t peer_waiting_max(const Peer *peer)
{
    return peer->carrier.out_max;
}

void peer_add_room(Peer *peer, uint64_t inputs_per_second)
{
    peer->inputs_per_second += inputs_per_second;
    if (peer->inputs_per_second > peer->inputs_most) {
        // Two seconds' worth may come at once, so also at the start.
        peer->input_credit += (int64_t)(peer->inputs_per_second - peer->inputs_most) * BURST_SECONDS * CREDIT_OF_MESSAGE;
        peer->inputs_most = peer->inputs_per_second;
    }
    uint32_t rooms = peer->member_count < SERVER_SEND_QUEUE_ROOMS ? peer->member_count : SERVER_SEND_QUEUE_ROOMS;
    size_t   queue = (size_t)peer->host->limits->send_queue_bytes + (size_t)rooms * SERVER_SEND_QUEUE_ROOM_BYTES;
    // It only grows: what waits may not be more than what may wait.
    peer->carrier.out_max = queue > peer->carrier.out_max ? queue : peer->carrier.out_max;
}

void peer_drop_room(Peer *peer, uint64_t inputs_per_second)
{
    refill(peer); // the time until now counts with what was needed then
    peer->inputs_per_second -= inputs_per_second;
}

void peer_heard(Peer *peer)
{
    peer->deadline_ms = uv_now(peer->host->loop) + silence_ms(peer);
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

void peer_answer_admin(Peer *peer, uint32_t room, uint32_t epoch, uint64_t tick, uint32_t cookie, bool is_done, const char *text)
{
    Message message = {
        .type = MESSAGE_ADMINED,
        .room = room,
        .epoch = epoch,
        .tick = tick,
        .body.admined = { .cookie = cookie, .is_done = is_done ? 1 : 0, .text = message_text(text) },
    };
    peer_send(peer, &message);
}

// What a WebSocket's closing frame says; the BYE before it says more.
static uint16_t close_code(MessageReason reason)
{
    switch ((unsigned)reason) {
    case MESSAGE_REASON_MALFORMED: return WS_CLOSE_PROTOCOL;
    case MESSAGE_REASON_FLOOD:
    case MESSAGE_REASON_SLOW: return WS_CLOSE_POLICY;
    case MESSAGE_REASON_CROWDED: return WS_CLOSE_TRY_AGAIN;
    case MESSAGE_REASON_STOPPING: return WS_CLOSE_GOING_AWAY;
    default: return WS_CLOSE_NORMAL;
    }
}

void peer_bye(Peer *peer, MessageReason reason, const char *text)
{
    if (peer->is_leaving) {
        return;
    }
    peer->host->leave(peer->host->to, peer, reason);
    carrier_say_code(&peer->carrier, close_code(reason));
    Message message = { .type = MESSAGE_BYE, .room = MESSAGE_ROOM_NONE, .body.bye = { .reason = reason, .text = message_text(text) } };
    peer_send(peer, &message);
    carrier_discard(&peer->carrier);
    peer->is_leaving = true;
    peer->deadline_ms = uv_now(peer->host->loop) + SERVER_BYE_MS;
    count_end(peer, reason);
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

static void send_page(Peer *peer, uint32_t first)
{
    Message answer;
    directory_page(peer->host->directory, first, &answer);
    peer_send(peer, &answer);
}

static bool take_page(Peer *peer)
{
    PeerHost *host = peer->host;
    uint64_t  now_ms = uv_now(host->loop);
    uint64_t  passed_ms = now_ms - host->list_ms < 1000 ? now_ms - host->list_ms : 1000;
    host->list_ms = now_ms;
    host->list_credit = refilled(host->list_credit, passed_ms, SERVER_LISTS_PER_SECOND_THREAD, SERVER_LISTS_PER_SECOND_THREAD / BURST_SECONDS);
    return host->list_credit >= CREDIT_OF_MESSAGE && take(&peer->list_credit) && take(&host->list_credit);
}

// A page costs more than any other answer, so there are only so many a second; one may wait for its turn.
static void list(Peer *peer, uint32_t first)
{
    if (peer->has_list) {
        peer_bye(peer, MESSAGE_REASON_FLOOD, "asked for a page of the list before the last one came");
    } else if (take_page(peer)) {
        send_page(peer, first);
    } else {
        peer->has_list = true;
        peer->list_first = first;
    }
}

static void serve_list(Peer *peer)
{
    if (!peer->has_list || peer->is_leaving) {
        return;
    }
    refill(peer);
    if (take_page(peer)) {
        peer->has_list = false;
        send_page(peer, peer->list_first);
    }
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

static void admin(Peer *peer, const Message *message, const uint8_t *bytes, size_t size)
{
    const PeerHost *host = peer->host;
    uint32_t        number = message->room;
    if (number >= host->directory->count || !host->directory->entries[number].is_live) {
        peer_answer_admin(peer, number, message->epoch, 0, message->body.admin.cookie, false, "there is no live room of this number; LIST tells which there are");
    } else {
        host->admin(host->to, peer, message, number, bytes, size);
    }
}

// Whatever it is: what it is good for is asked when it joins.
static void keep_token(Peer *peer, const Message *message)
{
    uint16_t size = message->body.join_token.size;
    uint8_t *token = peer->host->gate != NULL ? malloc(size) : NULL;
    if (token != NULL) {
        memcpy(token, message->body.join_token.bytes, size);
        free(peer->token);
        peer->token = token;
        peer->token_size = size;
    }
}

static void answer_ping(Peer *peer, const Message *message)
{
    Message answer = *message;
    answer.type = MESSAGE_PONG;
    peer_send(peer, &answer);
}

static void take_piece(Peer *peer, const Message *message)
{
    if (message->body.piece.kind == MESSAGE_PIECE_OWN) {
        peer->host->room_message(peer->host->to, peer, message);
    } else {
        peer_bye(peer, MESSAGE_REASON_MALFORMED, "only a server may send this piece");
    }
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
    if (message->type == MESSAGE_PIECE && message->body.piece.kind != MESSAGE_PIECE_OWN) {
        peer_bye(peer, MESSAGE_REASON_MALFORMED, "only a server may send pieces of this kind");
        return;
    }
    switch (message->type) {
    case MESSAGE_LIST: list(peer, message->body.list.first); break;
    case MESSAGE_JOIN: join(peer, message, bytes, size); break;
    case MESSAGE_LEAVE:
    case MESSAGE_READY:
    case MESSAGE_REPORT:
    case MESSAGE_OWN_STATE:
    case MESSAGE_CHAT:
    case MESSAGE_INPUT: peer->host->room_message(peer->host->to, peer, message); break;
    case MESSAGE_PIECE: take_piece(peer, message); break;
    case MESSAGE_ADMIN: admin(peer, message, bytes, size); break;
    case MESSAGE_PING: answer_ping(peer, message); break;
    case MESSAGE_TOKEN: keep_token(peer, message); break;
    case MESSAGE_HELLO:
    case MESSAGE_WELCOME:
    case MESSAGE_ROOMS:
    case MESSAGE_JOINED:
    case MESSAGE_REFUSED:
    case MESSAGE_STATE:
    case MESSAGE_CONFIRMED:
    case MESSAGE_WANTED:
    case MESSAGE_TIMING:
    case MESSAGE_SAID:
    case MESSAGE_ADMINED:
    case MESSAGE_PACE:
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
    const char *wrong = message_decode(bytes, size, &message);
    if (!take_credit(peer, wrong == NULL ? &message : NULL)) {
        peer_bye(peer, MESSAGE_REASON_FLOOD, "more messages a second than this server takes");
    } else if (wrong != NULL) {
        peer_bye(peer, MESSAGE_REASON_MALFORMED, wrong);
    } else {
        dispatch(peer, &message, bytes, size);
    }
    if (!peer->is_leaving) {
        peer_heard(peer);
    }
    // Thousands of messages may wait to be read in one turn of the loop, and ticks fall due meanwhile.
    PeerHost *host = peer->host;
    if (++host->messages % SERVER_MESSAGES_PER_LOOK == 0 && host->breathe != NULL) {
        host->breathe(host->to);
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
    if (!peer->is_leaving) {
        host->leave(host->to, peer, reason_of(end));
        count_end(peer, reason_of(end));
    }
    unlink_peer(peer);
    if (peer->is_counted) {
        addresses_remove(host->addresses, &peer->address);
    }
    carrier_finish(&peer->carrier);
    free(peer->members);
    free(peer->token);
    free(peer);
    if (host->gone != NULL) {
        host->gone(host->to);
    }
}

static void on_broken(void *to)
{
    Peer *peer = to;
    peer_bye(peer, MESSAGE_REASON_MALFORMED, carrier_wrong(&peer->carrier));
}

static const CarrierEvents carrier_events = { .message = on_message, .ended = on_ended, .broken = on_broken };

// A peer with an open carrier that nothing flows through yet: over TCP, or of an arrival.
static Peer *make_peer(PeerHost *host, UdpHost *udp, const UdpArrival *arrival)
{
    Peer *peer = calloc(1, sizeof(*peer));
    if (peer == NULL) {
        return NULL;
    }
    peer->host = host;
    peer->credit_ms = uv_now(host->loop);
    peer->credit = (int64_t)base_rate(host) * BURST_SECONDS * CREDIT_OF_MESSAGE;
    peer->list_credit = (int64_t)SERVER_LISTS_PER_SECOND * BURST_SECONDS * CREDIT_OF_MESSAGE;
    peer_heard(peer);
    uint32_t most = host->limits->send_queue_bytes;
    int      status = arrival != NULL ? carrier_open_udp(&peer->carrier, udp, arrival, &carrier_events, peer, most) :
                                        carrier_open(&peer->carrier, host->loop, &carrier_events, peer, most);
    if (status < 0) {
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
    snprintf(peer->address_text, sizeof(peer->address_text), "unknown");
    if (!carrier_address(&peer->carrier, &storage)) {
        return; // gone already; the read will say so
    }
    peer->address = address_of((struct sockaddr *)&storage);
    address_text(&storage, peer->address_text);
}

// The system may refuse: then it is its own bounds that hold.
static void bound_socket(Peer *peer)
{
    int size = SERVER_SOCKET_BYTES;
    uv_send_buffer_size((uv_handle_t *)&peer->carrier.handle, &size);
    size = SERVER_SOCKET_BYTES;
    uv_recv_buffer_size((uv_handle_t *)&peer->carrier.handle, &size);
}

// Too many hear so, and are closed.
static void count_in(Peer *peer)
{
    learn_address(peer);
    peer->is_counted = addresses_add(peer->host->addresses, &peer->address);
    if (!peer->is_counted) {
        peer_bye(peer, MESSAGE_REASON_CROWDED, "too many connections, from here or in all: try again later");
        carrier_flush(&peer->carrier);
        carrier_close(&peer->carrier);
    }
}

int peer_accept_udp(PeerHost *host, UdpHost *udp, const UdpArrival *arrival)
{
    Peer *peer = make_peer(host, udp, arrival);
    if (peer == NULL) {
        return UV_ENOMEM;
    }
    count_in(peer);
    return 0;
}

int peer_accept(PeerHost *host, uv_stream_t *listener)
{
    Peer *peer = make_peer(host, NULL, NULL);
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
    count_in(peer);
    return 0;
}

static int adopt(Peer *peer, uv_os_sock_t socket, bool is_ws, const uint8_t *bytes, size_t size)
{
    return is_ws ? carrier_adopt_ws(&peer->carrier, socket, bytes, size) : carrier_adopt(&peer->carrier, socket, bytes, size);
}

void peer_take_ws(PeerHost *host, uv_os_sock_t socket, const uint8_t *bytes, size_t size)
{
    Peer *peer = make_peer(host, NULL, NULL);
    if (peer == NULL) {
        close(socket);
        return;
    }
    if (adopt(peer, socket, true, bytes, size) < 0) {
        close(socket);
        peer->is_leaving = true;
        carrier_close(&peer->carrier);
        return;
    }
    bound_socket(peer);
    count_in(peer);
}

Peer *peer_adopt(PeerHost *host, const PeerParcel *parcel)
{
    Peer *peer = make_peer(host, NULL, NULL);
    if (peer == NULL) {
        free(parcel->token);
        close(parcel->socket);
        addresses_remove(host->addresses, &parcel->address);
        return NULL;
    }
    peer->is_counted = true;
    peer->has_hello = true;
    peer->token = parcel->token;
    peer->token_size = parcel->token_size;
    peer->address = parcel->address;
    memcpy(peer->address_text, parcel->address_text, sizeof(peer->address_text));
    if (adopt(peer, parcel->socket, parcel->is_ws, parcel->rest, parcel->rest_size) < 0) {
        close(parcel->socket);
        carrier_close(&peer->carrier);
        return NULL;
    }
    return peer;
}

PeerParcel *peer_pack(Peer *peer, uint32_t number, const uint8_t *join_bytes, size_t join_size, int *status)
{
    PeerParcel *parcel = calloc(1, sizeof(*parcel) + SERVER_PARCEL_REST);
    carrier_flush(&peer->carrier); // the WELCOME of the same moment
    *status = parcel == NULL ? UV_ENOMEM
                             : carrier_release(&peer->carrier, &parcel->socket, parcel->rest, SERVER_PARCEL_REST, &parcel->rest_size);
    if (*status < 0) {
        free(parcel);
        return NULL;
    }
    parcel->is_ws = carrier_kind(&peer->carrier) == CARRIER_WS;
    parcel->address = peer->address;
    memcpy(parcel->address_text, peer->address_text, sizeof(parcel->address_text));
    parcel->number = number;
    parcel->token = peer->token;
    parcel->token_size = peer->token_size;
    peer->token = NULL;
    parcel->join_size = join_size;
    memcpy(parcel->join, join_bytes, join_size);
    peer->is_counted = false; // it goes with the parcel
    peer->is_leaving = true;
    return parcel;
}

void peer_return(PeerHost *host, PeerParcel *parcel)
{
    Peer *peer = peer_adopt(host, parcel);
    if (peer != NULL) {
        peer_bye(peer, MESSAGE_REASON_ENDED, "all rooms of this lane are over");
    }
    free(parcel);
}

void peer_parcel_drop(PeerHost *host, PeerParcel *parcel)
{
    free(parcel->token);
    close(parcel->socket);
    addresses_remove(host->addresses, &parcel->address);
    free(parcel);
}

// Sending can only mark carriers as ending; they are taken out of the lists later, from inside the loop.
void peer_host_flush(PeerHost *host)
{
    if (host->udp != NULL && host->dirty != NULL) {
        udp_host_cork(host->udp);
    }
    while (host->dirty != NULL) {
        Peer *peer = host->dirty;
        host->dirty = peer->next_dirty;
        peer->is_dirty = false;
        carrier_flush(&peer->carrier);
    }
    if (host->udp != NULL) {
        udp_host_uncork(host->udp);
    }
}

static void on_flush(uv_prepare_t *handle)
{
    peer_host_flush(handle->data);
}

static size_t held(const Peer *peer)
{
    return peer->carrier.is_ending ? 0 : carrier_waiting(&peer->carrier);
}

static bool is_stuck(const Peer *peer)
{
    return peer->carrier.bytes_out == peer->bytes_before;
}

// First those that took nothing since the last look, of each kind those with the most waiting.
static int compare_slow(const void *left, const void *right)
{
    const Peer *one = *(Peer *const *)left;
    const Peer *other = *(Peer *const *)right;
    if (is_stuck(one) != is_stuck(other)) {
        return is_stuck(one) ? -1 : 1;
    }
    return held(one) != held(other) ? (held(one) > held(other) ? -1 : 1) : 0;
}

static void drop_slowest(PeerHost *host, size_t total)
{
    Peer   **slow = calloc(host->count, sizeof(Peer *));
    uint32_t count = 0;
    for (Peer *peer = host->peers; peer != NULL && slow != NULL; peer = peer->next) {
        if (held(peer) > 0) {
            slow[count++] = peer;
        }
    }
    if (count > 0) {
        qsort(slow, count, sizeof(Peer *), compare_slow);
    }
    for (uint32_t i = 0; i < count && total > host->limits->send_total_bytes; i++) {
        total -= held(slow[i]);
        peer_bye(slow[i], MESSAGE_REASON_SLOW, "it does not read what it is sent");
        carrier_close(&slow[i]->carrier);
    }
    free(slow);
}

static void bound_memory(PeerHost *host)
{
    size_t total = 0;
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        carrier_trim(&peer->carrier, SERVER_SEND_KEEP);
        total += held(peer);
    }
    if (total > host->limits->send_total_bytes) {
        drop_slowest(host, total);
    }
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        peer->bytes_before = peer->carrier.bytes_out;
    }
}

static uint64_t look_ms(const PeerHost *host)
{
    uint64_t quarter = host->limits->silence_ms / 4;
    return quarter < 25 ? 25 : quarter < LOOK_MS ? quarter : LOOK_MS;
}

static void on_look(uv_timer_t *timer)
{
    PeerHost *host = timer->data;
    uint64_t  now_ms = uv_now(host->loop);
    // By so much the loop stood still: nobody could be heard, and what was sent meanwhile is read after this.
    uint64_t late_ms = host->look_due_ms != 0 && now_ms > host->look_due_ms ? now_ms - host->look_due_ms : 0;
    host->look_due_ms = now_ms + look_ms(host);
    bound_memory(host);
    for (Peer *peer = host->peers; peer != NULL; peer = peer->next) {
        serve_list(peer);
        peer->deadline_ms += late_ms;
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
