// worker_peers.c: the clients of a thread's rooms: how connections come to it, and what their messages do.
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "datagrams.h"
#include "phase.h"
#include "room_live.h"
#include "worker.h"

enum { LOOK_MS = 250 };

// However many rooms wake in this moment, each has its phase.
static void start_clock(const Worker *worker, Room *room)
{
    room_start_clock(room, phase_start_ns(ticker_now_ns(), live_rate_hz(room), room->number, worker->room_count));
}

static void resume_live(Worker *worker, Room *room)
{
    if (room_is_paused(room) && live_can_resume(room)) {
        room_resume(room);
        start_clock(worker, room);
        worker_schedule(worker, room);
    }
}

// A room that stands still ends at once; one with a clock at its next tick.
static void end_paused(Worker *worker, Room *room)
{
    room_end(room); // as an administrator asked: nobody stops the server
    if (room->result.state == SERVER_ROOM_DONE) {
        worker_finish_room(worker, room);
    }
}

// From inside a message: what ends now is ended by the next look, since others still use it.
void worker_clock_changed(void *to, Room *room)
{
    Worker *worker = to;
    if (room->result.state != SERVER_ROOM_RUNNING || room->live == NULL) {
        return;
    }
    if (room_is_paused(room)) {
        deadlines_remove(&worker->deadlines, room->number);
        resume_live(worker, room);
    } else if (room->clock.rate_hz != live_rate_hz(room)) {
        start_clock(worker, room);
        worker_schedule(worker, room);
    }
}

static void on_look(uv_timer_t *timer)
{
    Worker *worker = timer->data;
    for (uint32_t i = 0; i < worker->room_count; i++) {
        Room *room = worker->rooms[i];
        if (room->live == NULL || room->result.state != SERVER_ROOM_RUNNING) {
            continue;
        }
        live_look(room, ticker_now_ns());
        resume_live(worker, room);
        if (room_is_paused(room) && room->live->is_ending) {
            end_paused(worker, room);
        }
    }
    worker_leave_when_done(worker);
}

static void on_join(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Worker               *worker = to;
    const DirectoryEntry *entry = &worker->peers.directory->entries[number];
    (void)bytes;
    (void)size;
    if (entry->lane != worker->lane) {
        peer_refuse(peer, message->body.join.cookie, MESSAGE_REASON_OTHER_LANE, "another lane serves this room: open another connection for it");
    } else {
        live_join(worker->rooms[entry->place], peer, message);
    }
}

// NULL: nobody is an administrator.
static const char *key_of(const Worker *worker)
{
    const char *key = worker->host.options->admin_key;
    return key != NULL && key[0] != '\0' ? key : NULL;
}

static bool has_key(const Worker *worker, const Message *message)
{
    const char *key = key_of(worker);
    return key != NULL && strlen(key) == message->body.admin.key.size && sodium_memcmp(key, message->body.admin.key.text, message->body.admin.key.size) == 0;
}

static void on_admin(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Worker               *worker = to;
    const DirectoryEntry *entry = &worker->peers.directory->entries[number];
    uint32_t              cookie = message->body.admin.cookie;
    char                  text[MESSAGE_TEXT_MAX + 1] = "";
    (void)bytes;
    (void)size;
    if (entry->lane != worker->lane) {
        peer_answer_admin(peer, number, message->epoch, 0, cookie, false, "another lane serves this room: open another connection for it");
        return;
    }
    if (!has_key(worker, message)) {
        bool is_enough = ++peer->wrong_keys >= SERVER_WRONG_KEYS;
        peer_answer_admin(peer, number, message->epoch, 0, cookie, false,
                          key_of(worker) == NULL ? "this server has no administrators: it was given no key" : "this is not the administrators' key");
        if (is_enough) {
            peer_bye(peer, MESSAGE_REASON_FLOOD, "too many wrong keys");
        }
        return;
    }
    Room *room = worker->rooms[entry->place];
    bool  is_done = live_admin(room, message, text);
    peer_answer_admin(peer, number, room->live->epoch, room->sim != NULL ? tp_sim_tick(room->sim) : 0, cookie, is_done, text);
}

// A stalled tick that waits for nothing any more is done now, not when its time is over.
static void hurry(Worker *worker, Room *room)
{
    if (room->result.state == SERVER_ROOM_RUNNING && live_is_ready(room)) {
        worker_hurry(worker, room);
    }
}

// For a room that the client is not in, nothing happens: it may have been put out of it a moment ago.
static void on_room_message(void *to, Peer *peer, const Message *message)
{
    Member *member = live_member(peer, message->room);
    if (member == NULL) {
        return;
    }
    Room *room = member->room;
    live_message(room, member, message);
    hurry(to, room);
}

static void on_leave(void *to, Peer *peer, uint32_t reason)
{
    while (peer->member_count > 0) {
        Member *member = peer->members[peer->member_count - 1];
        Room   *room = member->room;
        live_lose(member, (MessageReason)reason);
        hurry(to, room);
    }
}

static void on_gone(void *to)
{
    worker_leave_when_done(to);
}

static void on_breathe(void *to)
{
    worker_run_due(to);
}

static PeerParcel *take_mail(Worker *worker)
{
    uv_mutex_lock(&worker->mailbox_mutex);
    PeerParcel *newest = worker->mailbox;
    worker->mailbox = NULL;
    uv_mutex_unlock(&worker->mailbox_mutex);
    PeerParcel *oldest = NULL;
    while (newest != NULL) {
        PeerParcel *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

void worker_return_mail(Worker *worker, PeerHost *lobby)
{
    for (PeerParcel *parcel = take_mail(worker); parcel != NULL;) {
        PeerParcel *next = parcel->next;
        if (lobby->is_open) {
            peer_return(lobby, parcel);
        } else {
            peer_parcel_drop(&worker->peers, parcel);
        }
        parcel = next;
    }
}

void worker_receive_peers(Worker *worker)
{
    for (PeerParcel *parcel = take_mail(worker); parcel != NULL;) {
        PeerParcel *next = parcel->next;
        Message     message;
        Peer       *peer = peer_adopt(&worker->peers, parcel);
        if (peer != NULL && message_decode(parcel->join, parcel->join_size, &message) == NULL) {
            if (worker->is_leaving) {
                peer_bye(peer, worker->is_stopping ? MESSAGE_REASON_STOPPING : MESSAGE_REASON_ENDED, "all rooms of this lane are over");
            } else if (message.type == MESSAGE_ADMIN) {
                on_admin(worker, peer, &message, parcel->number, NULL, 0);
                peer_heard(peer);
            } else {
                on_join(worker, peer, &message, parcel->number, NULL, 0);
                peer_heard(peer); // the JOIN was its word, and now it has a room or not
            }
        }
        free(parcel);
        parcel = next;
    }
}

void worker_give(Worker *worker, PeerParcel *parcel)
{
    uv_mutex_lock(&worker->mailbox_mutex);
    parcel->next = worker->mailbox;
    worker->mailbox = parcel;
    uv_mutex_unlock(&worker->mailbox_mutex);
    uv_async_send(&worker->wake);
}

static void on_arrived(void *to, UdpHost *host, const UdpArrival *arrival)
{
    Worker *worker = to;
    if (!worker->is_leaving && worker->unfinished > 0) {
        peer_accept_udp(&worker->peers, host, arrival);
    }
}

static bool open_udp(Worker *worker, const WorkerWorld *world, tp_error *error)
{
    if (world->udp_address == NULL) {
        return true;
    }
    worker->peers.udp = &worker->udp;
    bool is_open = datagrams_open(&worker->udp, &worker->loop, world->udp_address, world->lane + 1, on_arrived, worker, error);
    udp_host_secure(&worker->udp, world->identity, worker->udp_counts);
    return is_open;
}

bool worker_open_peers(Worker *worker, const WorkerWorld *world, tp_error *error)
{
    if (uv_mutex_init(&worker->mailbox_mutex) < 0) {
        return tp_error_set(error, "making a mailbox: out of memory");
    }
    worker->is_mailbox_open = true;
    uv_timer_init(&worker->loop, &worker->goodbye);
    uv_timer_init(&worker->loop, &worker->look);
    worker->goodbye.data = worker->look.data = worker;
    uv_timer_start(&worker->look, on_look, LOOK_MS, LOOK_MS);
    worker->peers = (PeerHost){
        .loop = &worker->loop,
        .limits = world->limits,
        .directory = world->directory,
        .addresses = world->addresses,
        .gate = world->gate,
        .to = worker,
        .join = on_join,
        .admin = on_admin,
        .room_message = on_room_message,
        .leave = on_leave,
        .gone = on_gone,
        .breathe = on_breathe,
    };
    int status = peer_host_open(&worker->peers);
    return status == 0 ? open_udp(worker, world, error) : tp_error_set(error, "preparing for clients: %s", uv_strerror(status));
}

void worker_close_peers(Worker *worker)
{
    if (!worker->is_mailbox_open) {
        return;
    }
    worker_return_mail(worker, &(PeerHost){ .is_open = false });
    worker->peers.gone = NULL; // nobody waits for them any more
    peer_host_drop(&worker->peers);
    peer_host_close(&worker->peers);
    udp_host_close(&worker->udp);
    uv_close((uv_handle_t *)&worker->goodbye, NULL);
    uv_close((uv_handle_t *)&worker->look, NULL);
    uv_mutex_destroy(&worker->mailbox_mutex);
}
