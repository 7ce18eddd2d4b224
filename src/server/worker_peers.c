// worker_peers.c: the clients of a thread's rooms: how connections come to it, and what their messages do.
#include <stdlib.h>

#include "room_live.h"
#include "worker.h"

// The clock of a room that wakes from a pause begins at a step of the phases, so that rooms share wake-ups.
static void resume_live(Worker *worker, Room *room)
{
    if (!room_is_paused(room) || !live_can_resume(room)) {
        return;
    }
    int64_t now_ns = ticker_now_ns();
    room_resume(room);
    bool is_slow = room->result.report.tick_rate_hz <= 1000000000 / SERVER_PHASE_NS;
    room_start_clock(room, is_slow ? now_ns - now_ns % SERVER_PHASE_NS : now_ns);
    worker_schedule(worker, room);
}

static void on_join(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Worker               *worker = to;
    const DirectoryEntry *entry = &worker->peers.directory->entries[number];
    (void)bytes;
    (void)size;
    if (entry->lane != worker->lane) {
        peer_refuse(peer, message->body.join.cookie, MESSAGE_REASON_OTHER_LANE, "another lane serves this room: open another connection for it");
    } else if (live_join(worker->rooms[entry->place], peer, message)) {
        resume_live(worker, worker->rooms[entry->place]);
    }
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
    if (message->type == MESSAGE_INPUT) {
        live_input(room, member, message);
    } else if (message->epoch == room->live->epoch) {
        live_leave(member, MESSAGE_REASON_ASKED);
    }
    hurry(to, room);
}

static void on_leave(void *to, Peer *peer, uint32_t reason)
{
    while (peer->member_count > 0) {
        Member *member = peer->members[peer->member_count - 1];
        Room   *room = member->room;
        live_leave(member, (MessageReason)reason);
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

bool worker_open_peers(Worker *worker, const WorkerWorld *world, tp_error *error)
{
    if (uv_mutex_init(&worker->mailbox_mutex) < 0) {
        return tp_error_set(error, "making a mailbox: out of memory");
    }
    worker->is_mailbox_open = true;
    uv_timer_init(&worker->loop, &worker->goodbye);
    worker->goodbye.data = worker;
    worker->peers = (PeerHost){
        .loop = &worker->loop,
        .limits = world->limits,
        .directory = world->directory,
        .addresses = world->addresses,
        .to = worker,
        .join = on_join,
        .room_message = on_room_message,
        .leave = on_leave,
        .gone = on_gone,
        .breathe = on_breathe,
    };
    int status = peer_host_open(&worker->peers);
    return status == 0 || tp_error_set(error, "preparing for clients: %s", uv_strerror(status));
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
    uv_close((uv_handle_t *)&worker->goodbye, NULL);
    uv_mutex_destroy(&worker->mailbox_mutex);
}
