// worker.h: one thread with its loop and its rooms. Nothing here is shared while rooms tick: the main thread asks by two
// flags and a wake-up, and hears by the event queue and a wake-up.
#pragma once

#include <stdatomic.h>

#include "deadlines.h"
#include "event_queue.h"
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
    uv_async_t *main;    ///< wakes the main thread; borrowed
    RoomHost    host;
    int64_t     start_ns;
    Room      **rooms;   ///< borrowed; of the server, in its order
    uint32_t    room_count;
    uint32_t    unfinished;
    uint32_t    next_fast;  ///< fast rooms before it in `rooms` were opened
    Room       *fast[SERVER_FAST_OPEN_MAX];
    uint32_t    fast_count, fast_turn;
    Deadlines   deadlines;
    bool        is_stopping;
    bool        is_open, has_thread;
    atomic_bool stop_wanted, status_wanted, is_done;
} Worker;

/// On the main thread, before the thread starts. `rooms` is an array of room_count. False with the reason; then worker_close
/// still is due.
bool worker_open(Worker *worker, Room **rooms, uint32_t room_count, const ServerOptions *options, uv_async_t *main, int64_t start_ns,
                 tp_error *error);
bool worker_start(Worker *worker, tp_error *error);
/// From the main thread, while the worker is open.
void worker_stop(Worker *worker);
void worker_ask_status(Worker *worker);
bool worker_is_done(const Worker *worker);
/// Joins the thread (which must be done or never started) and frees everything but the rooms. Zeroed is fine.
void worker_close(Worker *worker);
