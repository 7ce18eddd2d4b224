// worker.c: which room runs when. Real-time rooms run when they are due, fast ones in slices between.
#include "worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "room_live.h"
#include "urgency.h"

// After so long in the ticks of one wake-up what was said so far leaves: the clients of the first of many rooms do not wait for the last.
enum { FLUSH_NS = 250000, COUNTED_ROOMS = 64 };

// What of a thread's time is whose: one look at the thread's clock, which costs as much as a small room's tick, for many rooms, and each has as
// much of it as of the time that went by. So it is exact over all, and the sending is in it.
typedef struct {
    int64_t  cpu_ns, wall_ns;
    uint32_t count;
    Room    *rooms[COUNTED_ROOMS];
    int64_t  took_ns[COUNTED_ROOMS];
} Account;

// Of each room at most one of either.
static bool is_kept_event(const ServerEvent *event)
{
    bool is_last = event->kind >= SERVER_EVENT_ROOM_DONE && event->kind <= SERVER_EVENT_ROOM_STOPPED;
    return is_last || (event->kind == SERVER_EVENT_RECORD_FAILED && event->value == 0);
}

static void post_event(void *to, ServerEvent *event)
{
    Worker *worker = to;
    event->elapsed_ns = ticker_now_ns() - worker->start_ns;
    event_queue_push(&worker->events, event, is_kept_event(event));
    uv_async_send(worker->main);
}

static bool may_chat(void *to, uint64_t *now_ms)
{
    Worker *worker = to;
    *now_ms = uv_now(&worker->loop);
    if (*now_ms - worker->chat_since_ms >= 1000) {
        worker->chat_since_ms = *now_ms;
        worker->chats = 0;
    }
    worker->chats += 1;
    return worker->chats <= SERVER_MEMBER_EVENTS_THREAD;
}

static int64_t host_now_ns(void *to)
{
    (void)to;
    return ticker_now_ns();
}

static void host_random(void *to, void *bytes, size_t size)
{
    (void)to;
    randombytes_buf(bytes, size);
}

typedef struct {
    uv_work_t request;
    Worker   *worker;
    RoomJob  *job;
} WorkerJob;

static void on_work(uv_work_t *request)
{
    WorkerJob *work = request->data;
    urgency_give_way(SERVER_JOB_NICE);
    work->job->run(work->job);
}

static void on_worked(uv_work_t *request, int status)
{
    WorkerJob *work = request->data;
    Worker    *worker = work->worker;
    RoomJob   *job = work->job;
    (void)status; // nobody cancels
    free(work);
    worker->jobs -= 1;
    job->done(job);
    worker_leave_when_done(worker);
}

// Without memory for that, the work is done here: late is better than never.
static void host_work(void *to, RoomJob *job)
{
    Worker    *worker = to;
    WorkerJob *work = calloc(1, sizeof(*work));
    if (work != NULL) {
        *work = (WorkerJob){ .worker = worker, .job = job };
        work->request.data = work;
        worker->jobs += 1;
        if (uv_queue_work(&worker->loop, &work->request, on_work, on_worked) == 0) {
            return;
        }
        worker->jobs -= 1;
        free(work);
    }
    job->run(job);
    job->done(job);
}

// On a recorder thread: the worker looks for itself whose log it is.
static void wake_for_log(void *to)
{
    Worker *worker = to;
    uv_async_send(&worker->wake);
}

void worker_finish_room(Worker *worker, Room *room)
{
    room_post_last(room);
    room_finish(room);
    atomic_store(&room->listing.is_over, true);
    worker->unfinished -= 1;
}

// A room has one deadline: what was paused a moment ago may still have that of before.
static void push_room(Worker *worker, Room *room)
{
    int64_t due_ns = room_next_due_ns(room);
    if (!deadlines_move(&worker->deadlines, room->number, due_ns)) {
        deadlines_push(&worker->deadlines, (Deadline){ .due_ns = due_ns, .room = room->number });
    }
}

static void arm(Worker *worker)
{
    if (worker->deadlines.count > 0) {
        ticker_arm(&worker->ticker, worker->deadlines.items[0].due_ns);
    } else {
        ticker_disarm(&worker->ticker);
    }
}

static void on_goodbye(uv_timer_t *timer)
{
    Worker *worker = timer->data;
    peer_host_drop(&worker->peers); // on_gone ends the loop with the last one
}

// All rooms are over: clients get a moment to read how it ended.
void worker_leave_when_done(Worker *worker)
{
    if (worker->unfinished > 0 || worker->jobs > 0) {
        return;
    }
    if (worker->peers.peers == NULL) {
        udp_host_close(&worker->udp); // whoever comes now hears at once that nobody is there
        uv_stop(&worker->loop);
    } else if (!worker->is_leaving) {
        worker->is_leaving = true;
        peer_host_bye(&worker->peers, worker->is_stopping ? MESSAGE_REASON_STOPPING : MESSAGE_REASON_ENDED);
        uv_timer_start(&worker->goodbye, on_goodbye, SERVER_GOODBYE_MS, 0);
    }
}

void worker_hurry(Worker *worker, Room *room)
{
    deadlines_move(&worker->deadlines, room->number, ticker_now_ns());
    arm(worker);
}

void worker_schedule(Worker *worker, Room *room)
{
    push_room(worker, room);
    arm(worker);
}

// A room that is DONE runs again or is finished. True when it runs again.
static bool run_again(Worker *worker, Room *room)
{
    while (room->result.state == SERVER_ROOM_DONE) {
        if (!room_wants_more(room)) {
            worker_finish_room(worker, room);
            return false;
        }
        room_open(room);
    }
    return room->result.state == SERVER_ROOM_RUNNING;
}

static void resume_real_time(Worker *worker, Room *room)
{
    room_start_clock(room, ticker_now_ns());
    push_room(worker, room);
}

static void settle(Account *account)
{
    int64_t now_ns = ticker_thread_cpu_ns();
    int64_t used_ns = now_ns - account->cpu_ns;
    int64_t wall_ns = account->wall_ns;
    for (uint32_t i = 0; i < account->count; i++) {
        int64_t took_ns = account->took_ns[i];
        int64_t share_ns = wall_ns > 0 ? (int64_t)((double)used_ns * (double)took_ns / (double)wall_ns) : used_ns;
        account->rooms[i]->result.cpu_ns += share_ns;
        used_ns -= share_ns;
        wall_ns -= took_ns;
    }
    account->count = 0;
    account->wall_ns = 0;
    account->cpu_ns = now_ns;
}

static void charge(Account *account, Room *room, int64_t took_ns)
{
    if (account->count == COUNTED_ROOMS) {
        settle(account);
    }
    account->rooms[account->count] = room;
    account->took_ns[account->count++] = took_ns;
    account->wall_ns += took_ns;
}

static void on_due(void *to)
{
    Worker *worker = to;
    Account account = { .cpu_ns = ticker_thread_cpu_ns() };
    // Each room at most once per call, so that the loop is served even when the thread cannot keep up.
    uint32_t turns = worker->deadlines.count;
    int64_t  now_ns = ticker_now_ns();
    int64_t  flushed_ns = now_ns;
    for (; turns > 0 && worker->deadlines.count > 0; turns--) {
        const Deadline *first = &worker->deadlines.items[0];
        if (first->due_ns > now_ns) {
            break;
        }
        Room *room = worker->rooms[first->room];
        room_wake(room, now_ns);
        int64_t start_ns = now_ns;
        now_ns = ticker_now_ns();
        charge(&account, room, now_ns - start_ns);
        if (now_ns - flushed_ns >= FLUSH_NS) {
            peer_host_flush(&worker->peers);
            flushed_ns = now_ns = ticker_now_ns();
        }
        if (room_is_paused(room)) {
            deadlines_remove(&worker->deadlines, room->number); // who is ready starts its clock again
            continue;
        }
        if (room->result.state == SERVER_ROOM_RUNNING) {
            deadlines_move(&worker->deadlines, room->number, room_next_due_ns(room));
            continue;
        }
        deadlines_remove(&worker->deadlines, room->number);
        if (run_again(worker, room)) {
            resume_real_time(worker, room);
        }
    }
    peer_host_flush(&worker->peers);
    settle(&account);
    arm(worker);
    worker_leave_when_done(worker);
}

void worker_run_due(Worker *worker)
{
    if (worker->deadlines.count > 0 && worker->deadlines.items[0].due_ns <= ticker_now_ns()) {
        on_due(worker);
    }
}

static Room *next_fast_room(Worker *worker)
{
    while (worker->next_fast < worker->room_count) {
        Room *room = worker->rooms[worker->next_fast++];
        if (room->result.pace == SERVER_FAST && room->result.state == SERVER_ROOM_WAITING) {
            return room;
        }
    }
    return NULL;
}

// One a turn: opening takes milliseconds, and rooms with a clock wait meanwhile.
static void open_fast_room(Worker *worker)
{
    Room *room = worker->fast_count < SERVER_FAST_OPEN_MAX ? next_fast_room(worker) : NULL;
    if (room == NULL) {
        return;
    }
    room_open(room);
    run_again(worker, room);
    if (room->result.state != SERVER_ROOM_DONE) {
        worker->fast[worker->fast_count++] = room;
    }
}

static void drop_fast_room(Worker *worker, uint32_t at)
{
    worker->fast_count -= 1;
    memmove(&worker->fast[at], &worker->fast[at + 1], (worker->fast_count - at) * sizeof(worker->fast[0]));
}

// The next fast room that has something to run, in turn; NULL when all wait for their logs.
static Room *take_turn(Worker *worker)
{
    for (uint32_t i = 0; i < worker->fast_count; i++) {
        Room *room = worker->fast[worker->fast_turn++ % worker->fast_count];
        if (room->result.state == SERVER_ROOM_RUNNING) {
            return room;
        }
    }
    return NULL;
}

static int64_t slice_end(const Worker *worker)
{
    int64_t until_ns = ticker_now_ns() + SERVER_SLICE_NS;
    if (worker->deadlines.count > 0 && worker->deadlines.items[0].due_ns < until_ns) {
        until_ns = worker->deadlines.items[0].due_ns;
    }
    return until_ns;
}

static void drop_done_fast_rooms(Worker *worker)
{
    for (uint32_t i = worker->fast_count; i-- > 0;) {
        Room *room = worker->fast[i];
        if (room->result.state == SERVER_ROOM_DONE && !run_again(worker, room) && room->result.state == SERVER_ROOM_DONE) {
            drop_fast_room(worker, i);
        }
    }
}

static void on_idle(uv_idle_t *handle)
{
    Worker *worker = handle->data;
    open_fast_room(worker);
    Room *room = take_turn(worker);
    if (room != NULL) {
        room_slice(room, slice_end(worker), ticker_now_ns);
        drop_done_fast_rooms(worker);
    } else if (worker->fast_count == SERVER_FAST_OPEN_MAX || worker->next_fast == worker->room_count) {
        uv_idle_stop(handle); // every open one waits for its log: on_wake starts this again
    }
    worker_leave_when_done(worker);
}

static void settle_logs(Worker *worker)
{
    for (uint32_t i = 0; i < worker->room_count; i++) {
        Room *room = worker->rooms[i];
        if (!room_settle(room) || room->result.pace == SERVER_FAST) {
            continue;
        }
        if (run_again(worker, room)) {
            resume_real_time(worker, room);
        }
    }
    drop_done_fast_rooms(worker);
    arm(worker);
}

static void stop_rooms(Worker *worker)
{
    worker->is_stopping = true;
    worker->deadlines.count = 0;
    worker->next_fast = worker->room_count;
    ticker_disarm(&worker->ticker);
    for (uint32_t i = 0; i < worker->room_count; i++) {
        Room *room = worker->rooms[i];
        if (room->result.state == SERVER_ROOM_DONE) {
            continue;
        }
        bool is_open_fast = room->result.pace == SERVER_FAST && room->result.state != SERVER_ROOM_WAITING;
        room_stop(room);
        if (room->result.state == SERVER_ROOM_DONE && !is_open_fast) {
            worker_finish_room(worker, room);
        }
    }
    drop_done_fast_rooms(worker);
}

static void on_wake(uv_async_t *handle)
{
    Worker *worker = handle->data;
    worker_receive_peers(worker);
    if (atomic_load(&worker->stop_wanted) && !worker->is_stopping) {
        stop_rooms(worker);
    }
    if (atomic_exchange(&worker->measure_wanted, false)) {
        for (uint32_t i = 0; i < worker->room_count; i++) {
            room_measure(worker->rooms[i]);
        }
    }
    if (atomic_exchange(&worker->status_wanted, false)) {
        for (uint32_t i = 0; i < worker->room_count; i++) {
            room_post_status(worker->rooms[i]);
        }
    }
    settle_logs(worker);
    if (worker->fast_count > 0 || worker->next_fast < worker->room_count) {
        uv_idle_start(&worker->idle, on_idle);
    }
    worker_leave_when_done(worker);
}

// All real-time rooms are opened before the first clock starts, since opening takes longer than a tick. Their phases are
// spread over one period, so that rooms of one rate do not all fall due at once, nor each on its own.
static void open_real_time_rooms(Worker *worker)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < worker->room_count; i++) {
        Room *room = worker->rooms[i];
        if (room->result.pace == SERVER_REAL_TIME) {
            room_open(room);
            run_again(worker, room);
            count += 1;
        }
    }
    int64_t now_ns = ticker_now_ns();
    for (uint32_t i = 0, place = 0; i < worker->room_count; i++) {
        Room *room = worker->rooms[i];
        if (room->result.pace == SERVER_REAL_TIME && room->result.state == SERVER_ROOM_RUNNING && !room_is_paused(room)) {
            int64_t period_ns = INT64_C(1000000000) / room->result.report.tick_rate_hz;
            int64_t phase_ns = period_ns * place++ / count / SERVER_PHASE_NS * SERVER_PHASE_NS;
            room_start_clock(room, now_ns + phase_ns);
            push_room(worker, room);
        }
    }
}

static void run(void *self)
{
    Worker *worker = self;
    urgency_of_ticks();
    if (!atomic_load(&worker->stop_wanted)) {
        open_real_time_rooms(worker);
        arm(worker);
    }
    uv_async_send(&worker->wake); // the rest of the start is what a wake-up does
    uv_run(&worker->loop, UV_RUN_DEFAULT);
    atomic_store(&worker->is_done, true);
    uv_async_send(worker->main);
}

static bool open_handles(Worker *worker, tp_error *error)
{
    int status = uv_loop_init(&worker->loop);
    if (status < 0) {
        return tp_error_set(error, "making an event loop: %s", uv_strerror(status));
    }
    status = ticker_open(&worker->ticker, &worker->loop, on_due, worker);
    if (status < 0) {
        uv_loop_close(&worker->loop);
        return tp_error_set(error, "making a timer: %s", uv_strerror(status));
    }
    worker->is_open = true;
    uv_idle_init(&worker->loop, &worker->idle);
    worker->idle.data = worker;
    status = uv_async_init(&worker->loop, &worker->wake, on_wake);
    worker->wake.data = worker;
    if (status < 0) {
        ticker_close(&worker->ticker);
        uv_run(&worker->loop, UV_RUN_NOWAIT);
        uv_loop_close(&worker->loop);
        worker->is_open = false;
        return tp_error_set(error, "making a wake-up: %s", uv_strerror(status));
    }
    return true;
}

bool worker_open(Worker *worker, Room **rooms, uint32_t room_count, const WorkerWorld *world, tp_error *error)
{
    memset(worker, 0, sizeof(*worker));
    worker->main = world->main;
    worker->start_ns = world->start_ns;
    worker->lane = world->lane;
    worker->rooms = rooms;
    worker->room_count = worker->unfinished = room_count;
    worker->host = (RoomHost){ .options = world->options, .post = post_event, .drained = wake_for_log, .may_chat = may_chat,
                                .now_ns = host_now_ns, .random = host_random, .work = host_work, .clock_changed = worker_clock_changed, .to = worker };
    for (uint32_t i = 0; i < room_count; i++) {
        rooms[i]->host = &worker->host;
        rooms[i]->number = i;
    }
    if (!deadlines_init(&worker->deadlines, room_count) || !event_queue_init(&worker->events, room_count > SERVER_EVENTS_MAX ? room_count : SERVER_EVENTS_MAX, 2 * room_count)) {
        return tp_error_set(error, "out of memory");
    }
    return open_handles(worker, error) && worker_open_peers(worker, world, error);
}

bool worker_start(Worker *worker, tp_error *error)
{
    int status = uv_thread_create(&worker->thread, run, worker);
    worker->has_thread = status == 0;
    return worker->has_thread || tp_error_set(error, "starting a thread: %s", uv_strerror(status));
}

void worker_stop(Worker *worker)
{
    atomic_store(&worker->stop_wanted, true);
    uv_async_send(&worker->wake);
}

void worker_measure(Worker *worker)
{
    atomic_store(&worker->measure_wanted, true);
    uv_async_send(&worker->wake);
}

void worker_ask_status(Worker *worker)
{
    atomic_store(&worker->status_wanted, true);
    uv_async_send(&worker->wake);
}

bool worker_is_done(const Worker *worker)
{
    return atomic_load(&worker->is_done);
}

void worker_close(Worker *worker)
{
    if (worker->has_thread) {
        uv_thread_join(&worker->thread);
        worker->has_thread = false;
    }
    if (worker->is_open) {
        worker_close_peers(worker);
        ticker_close(&worker->ticker);
        uv_close((uv_handle_t *)&worker->idle, NULL);
        uv_close((uv_handle_t *)&worker->wake, NULL);
        uv_run(&worker->loop, UV_RUN_DEFAULT);
        udp_host_finish(&worker->udp);
        int status = uv_loop_close(&worker->loop);
        assert(status == 0);
        (void)status;
        worker->is_open = false;
    }
    event_queue_finish(&worker->events);
    deadlines_finish(&worker->deadlines);
    worker->rooms = NULL;
}
