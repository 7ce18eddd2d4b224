// worker.h: one thread with its loop, its rooms and their clients' connections. Nothing here is shared while rooms tick: the main
// thread asks by two flags, hands connections over in a mailbox, and hears by the event queue; each with a wake-up.
#pragma once

#include <stdatomic.h>

#include "deadlines.h"
#include "event_queue.h"
#include "peer.h"
#include "room.h"
#include "ticker.h"

/// Must not move once opened.
typedef struct Worker {
    uv_loop_t   loop;
    uv_thread_t thread;
    uv_async_t  wake;
    uv_idle_t   idle;    ///< turns the loop while there are as-fast-as-possible rooms
    Ticker      ticker;  ///< armed for the earliest real-time room
    EventQueue  events;
    uv_timer_t  goodbye; ///< how long clients may take to go once all rooms are over
    uv_timer_t  look;    ///< after what live rooms wait for
    uint32_t    jobs;    ///< that run off the thread
    PeerHost    peers;
    UdpHost     udp;     ///< when datagrams are taken
    atomic_ullong udp_counts[CHANNEL_COUNTS]; ///< of secured ones; read by anybody
    uv_mutex_t  mailbox_mutex;
    PeerParcel *mailbox; ///< newest first
    bool        is_mailbox_open;
    uv_async_t *main;    ///< wakes the main thread; borrowed
    RoomHost    host;
    int64_t     start_ns;
    uint32_t    lane;
    Room      **rooms;   ///< borrowed; of the server, in its order
    uint32_t    room_count;
    uint32_t    unfinished;
    uint32_t    next_fast;  ///< fast rooms before it in `rooms` were opened
    Room       *fast[SERVER_FAST_OPEN_MAX];
    uint32_t    fast_count, fast_turn;
    Deadlines   deadlines;
    bool        is_stopping, is_leaving;
    uint64_t    chat_since_ms; ///< events that clients caused in this second: `chats`
    uint32_t    chats;
    bool        is_open, has_thread;
    atomic_bool stop_wanted, status_wanted, measure_wanted, is_done;
} Worker;

/// What all workers share, and do not change while they run.
typedef struct WorkerWorld {
    const ServerOptions   *options;
    const ServerNetLimits *limits;
    const Directory       *directory;
    Addresses             *addresses;
    uv_async_t            *main;
    int64_t                start_ns;
    uint32_t               lane; ///< of this one
    const ChannelNoisePair *identity; ///< of datagrams; NULL: they are not sealed
    Gate       *gate;       ///< NULL: join tokens mean nothing
    const struct sockaddr_storage *udp_address; ///< the lobby's; NULL: no datagrams
} WorkerWorld;

/// On the main thread, before the thread starts. `rooms` is an array of room_count. False with the reason; then worker_close
/// still is due.
bool worker_open(Worker *worker, Room **rooms, uint32_t room_count, const WorkerWorld *world, tp_error *error);
/// Hands a connection over, whatever becomes of it there. From the main thread, while the worker is open.
void worker_give(Worker *worker, PeerParcel *parcel);
bool worker_start(Worker *worker, tp_error *error);
/// Of a worker that is done: what was given too late to be received goes back to the main thread's peers.
void worker_return_mail(Worker *worker, PeerHost *lobby);
/// From the main thread, while the worker is open.
void worker_stop(Worker *worker);
void worker_ask_status(Worker *worker);
/// Its rooms forget what was measured so far.
void worker_measure(Worker *worker);
bool worker_is_done(const Worker *worker);
/// Joins the thread (which must be done or never started) and frees everything but the rooms. Zeroed is fine.
void worker_close(Worker *worker);

// Between worker.c and worker_peers.c.

bool worker_open_peers(Worker *worker, const WorkerWorld *world, tp_error *error);
void worker_close_peers(Worker *worker); ///< hands back what is left; the loop must turn
void worker_receive_peers(Worker *worker);
/// The room's clock was started.
void worker_schedule(Worker *worker, Room *room);
/// A room that is DONE without a log on its way.
void worker_finish_room(Worker *worker, Room *room);
/// RoomHost.clock_changed.
void worker_clock_changed(void *to, Room *room);
/// The room's stalled tick is due now.
void worker_hurry(Worker *worker, Room *room);
/// Ticks that are due, between two messages.
void worker_run_due(Worker *worker);
/// Ends the loop once all rooms are over and their clients gone.
void worker_leave_when_done(Worker *worker);
