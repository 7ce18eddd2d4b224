// server.c: rooms, threads, and the main thread's loop that hears what happens.
#include "server.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

struct Server {
    ServerOptions options;
    uv_loop_t     loop;
    uv_async_t    wake;      ///< somebody has events, is done, or wants a stop
    uv_timer_t    status;
    uv_timer_t    overdue;
    Room        **rooms;     ///< in the order of adding
    char        **record_dirs;
    uint32_t      room_count, room_capacity;
    Room        **shares;    ///< the same rooms by worker
    Worker       *workers;
    uint32_t      worker_count;
    int64_t       start_ns;
    bool          is_stopping, is_overdue;
    atomic_bool   stop_wanted;
};

static const struct {
    ServerEventKind kind;
    const char     *name;
} event_names[] = {
    { SERVER_EVENT_START, "server.start" },
    { SERVER_EVENT_ROOM_OPEN, "room.open" },
    { SERVER_EVENT_ROOM_LATE, "room.late" },
    { SERVER_EVENT_ROOM_STATUS, "room.status" },
    { SERVER_EVENT_RECORD_FAILED, "room.record_failed" },
    { SERVER_EVENT_ROOM_DONE, "room.done" },
    { SERVER_EVENT_ROOM_DIVERGED, "room.diverged" },
    { SERVER_EVENT_ROOM_FAULT, "room.fault" },
    { SERVER_EVENT_ROOM_REFUSED, "room.refused" },
    { SERVER_EVENT_ROOM_STOPPED, "room.stopped" },
    { SERVER_EVENT_STOPPING, "server.stopping" },
    { SERVER_EVENT_OVERDUE, "server.overdue" },
    { SERVER_EVENT_STOP, "server.stop" },
};

const char *server_event_name(ServerEventKind kind)
{
    for (size_t i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++) {
        if (event_names[i].kind == kind) {
            return event_names[i].name;
        }
    }
    return "server.unknown";
}

void server_options_standard(ServerOptions *options)
{
    *options = (ServerOptions){ 0 };
}

void server_room_options_standard(ServerRoomOptions *options)
{
    *options = (ServerRoomOptions){ .loops = 1, .durability = TP_DURABLE_INTERVAL };
}

static void emit(Server *server, ServerEvent *event)
{
    if (server->options.event != NULL) {
        server->options.event(server->options.event_to, event);
    }
}

static void emit_own(Server *server, ServerEventKind kind, uint64_t tick, uint64_t value)
{
    ServerEvent event = { .kind = kind, .tick = tick, .value = value, .elapsed_ns = ticker_now_ns() - server->start_ns };
    if (kind == SERVER_EVENT_STOP) {
        event.has_verdict = true;
        event.verdict = server_verdict(server);
    }
    emit(server, &event);
}

static void drain_events(Server *server)
{
    ServerEvent event;
    for (uint32_t i = 0; i < server->worker_count; i++) {
        while (event_queue_pop(&server->workers[i].events, &event)) {
            emit(server, &event);
        }
    }
}

static uint32_t unfinished_workers(const Server *server)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < server->worker_count; i++) {
        count += worker_is_done(&server->workers[i]) ? 0 : 1;
    }
    return count;
}

static void on_overdue(uv_timer_t *timer)
{
    Server *server = timer->data;
    server->is_overdue = true;
    emit_own(server, SERVER_EVENT_OVERDUE, 0, unfinished_workers(server));
    uv_stop(&server->loop);
}

static void begin_stop(Server *server)
{
    server->is_stopping = true;
    emit_own(server, SERVER_EVENT_STOPPING, 0, 0);
    for (uint32_t i = 0; i < server->worker_count; i++) {
        worker_stop(&server->workers[i]);
    }
    uv_timer_start(&server->overdue, on_overdue, server->options.stop_ms > 0 ? server->options.stop_ms : SERVER_STOP_MS, 0);
}

static void on_status(uv_timer_t *timer)
{
    Server *server = timer->data;
    for (uint32_t i = 0; i < server->worker_count; i++) {
        worker_ask_status(&server->workers[i]);
    }
}

static void on_main_wake(uv_async_t *handle)
{
    Server *server = handle->data;
    drain_events(server);
    if (atomic_load(&server->stop_wanted) && !server->is_stopping) {
        begin_stop(server);
    }
    if (unfinished_workers(server) == 0) {
        uv_stop(&server->loop);
    }
}

Server *server_create(const ServerOptions *options, tp_error *error)
{
    if (options->threads > SERVER_THREADS_MAX) {
        tp_error_set(error, "%u threads are more than %d: ask for fewer", options->threads, SERVER_THREADS_MAX);
        return NULL;
    }
    assert(options->find_world != NULL);
    Server *server = calloc(1, sizeof(*server));
    if (server == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    server->options = *options;
    int status = uv_loop_init(&server->loop);
    if (status < 0) {
        tp_error_set(error, "making an event loop: %s", uv_strerror(status));
        goto free_server;
    }
    status = uv_async_init(&server->loop, &server->wake, on_main_wake);
    if (status < 0) {
        tp_error_set(error, "making a wake-up: %s", uv_strerror(status));
        goto close_loop;
    }
    uv_timer_init(&server->loop, &server->status);
    uv_timer_init(&server->loop, &server->overdue);
    server->wake.data = server->status.data = server->overdue.data = server;
    return server;

close_loop:
    uv_loop_close(&server->loop);
free_server:
    free(server);
    return NULL;
}

static bool has_name(const Server *server, const char *name)
{
    for (uint32_t i = 0; i < server->room_count; i++) {
        if (strcmp(server->rooms[i]->result.name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Rooms whose names begin like this: a number above them is most likely free at once.
static uint32_t count_names(const Server *server, const char *start)
{
    uint32_t count = 0;
    size_t   size = strlen(start);
    for (uint32_t i = 0; i < server->room_count; i++) {
        count += strncmp(server->rooms[i]->result.name, start, size) == 0 ? 1 : 0;
    }
    return count;
}

static bool is_name_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_' ||
           letter == '-' || letter == '.';
}

// A room's name names its own log, too, so it has only letters that are harmless in a path: the file's name without ".tpr",
// others as '_', and never a leading dot.
static void make_name(const Server *server, const char *wish, char name[SERVER_ROOM_NAME_SIZE])
{
    const char *slash = strrchr(wish, '/');
    const char *base = slash != NULL ? slash + 1 : wish;
    char        letters[SERVER_ROOM_NAME_SIZE - 8] = "room";
    size_t      size = strlen(base);
    size = size > 4 && strcmp(base + size - 4, ".tpr") == 0 ? size - 4 : size;
    size = size < sizeof(letters) ? size : sizeof(letters) - 1;
    for (size_t i = 0; i < size; i++) {
        letters[i] = is_name_letter(base[i]) && (i > 0 || base[i] != '.') ? base[i] : '_';
    }
    if (size > 0) {
        letters[size] = '\0';
    }
    snprintf(name, SERVER_ROOM_NAME_SIZE, "%s", letters);
    for (uint32_t number = count_names(server, letters) + 1; has_name(server, name); number++) {
        snprintf(name, SERVER_ROOM_NAME_SIZE, "%s-%u", letters, number);
    }
}

static bool grow(Server *server)
{
    if (server->room_count < server->room_capacity) {
        return true;
    }
    uint32_t capacity = server->room_capacity > 0 ? server->room_capacity * 2 : 16;
    Room   **rooms = realloc(server->rooms, capacity * sizeof(*rooms));
    if (rooms == NULL) {
        return false;
    }
    server->rooms = rooms;
    char **dirs = realloc(server->record_dirs, capacity * sizeof(*dirs));
    if (dirs == NULL) {
        return false;
    }
    server->record_dirs = dirs;
    server->room_capacity = capacity;
    return true;
}

static bool check_room(const Server *server, const ServerRoomOptions *options, tp_error *error)
{
    if (server->room_count >= SERVER_ROOMS_MAX) {
        return tp_error_set(error, "more than %d rooms: run several servers", SERVER_ROOMS_MAX);
    }
    if (strlen(options->path) >= SERVER_PATH_SIZE) {
        return tp_error_set(error, "the path is longer than %d bytes", SERVER_PATH_SIZE - 1);
    }
    if (options->loops == 0 || options->loops > SERVER_LOOPS_MAX) {
        return tp_error_set(error, "%u runs of a log: give 1 to %d", options->loops, SERVER_LOOPS_MAX);
    }
    return true;
}

bool server_add_recorded(Server *server, const ServerRoomOptions *options, tp_error *error)
{
    if (!check_room(server, options, error)) {
        return false;
    }
    Room *room = calloc(1, sizeof(*room));
    char *record_dir = options->record_dir != NULL ? strdup(options->record_dir) : NULL;
    if (room == NULL || (options->record_dir != NULL && record_dir == NULL) || !grow(server)) {
        free(room);
        free(record_dir);
        return tp_error_set(error, "out of memory");
    }
    make_name(server, options->name != NULL ? options->name : options->path, room->result.name);
    memcpy(room->result.path, options->path, strlen(options->path) + 1);
    room->result.pace = options->pace;
    room->loops_wanted = options->loops;
    room->record_dir = record_dir;
    room->durability = options->durability;
    room->source.file = -1;
    server->record_dirs[server->room_count] = record_dir;
    server->rooms[server->room_count++] = room;
    return true;
}

static uint32_t threads_to_use(const Server *server)
{
    uint32_t threads = server->options.threads > 0 ? server->options.threads : uv_available_parallelism();
    threads = threads < SERVER_THREADS_MAX ? threads : SERVER_THREADS_MAX;
    return threads < server->room_count ? threads : server->room_count;
}

// Room i belongs to worker i mod threads; each worker gets its rooms as one stretch of `shares`.
static bool open_workers(Server *server, tp_error *error)
{
    uint32_t count = threads_to_use(server);
    uint32_t at = 0;
    server->shares = calloc(server->room_count, sizeof(*server->shares));
    server->workers = calloc(count, sizeof(*server->workers));
    if (server->shares == NULL || server->workers == NULL) {
        return tp_error_set(error, "out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = at;
        for (uint32_t room = i; room < server->room_count; room += count) {
            server->shares[at++] = server->rooms[room];
        }
        server->worker_count += 1;
        if (!worker_open(&server->workers[i], server->shares + first, at - first, &server->options, &server->wake, server->start_ns, error)) {
            return false;
        }
    }
    return true;
}

static void close_workers(Server *server)
{
    for (uint32_t i = 0; i < server->worker_count; i++) {
        worker_close(&server->workers[i]);
    }
    free(server->workers);
    free(server->shares);
    server->workers = NULL;
    server->shares = NULL;
    server->worker_count = 0;
}

static bool start_workers(Server *server, tp_error *error)
{
    for (uint32_t i = 0; i < server->worker_count; i++) {
        if (!worker_start(&server->workers[i], error)) {
            for (uint32_t started = 0; started < i; started++) {
                worker_stop(&server->workers[started]);
            }
            return false;
        }
    }
    return true;
}

static uint64_t dropped_events(Server *server)
{
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < server->worker_count; i++) {
        dropped += event_queue_dropped(&server->workers[i].events);
    }
    return dropped;
}

static void wait_for_workers(Server *server)
{
    for (uint32_t i = 0; i < server->worker_count; i++) {
        Worker *worker = &server->workers[i];
        if (worker->has_thread) {
            uv_thread_join(&worker->thread);
            worker->has_thread = false;
        }
    }
}

ServerRun server_run(Server *server, tp_error *error)
{
    server->start_ns = ticker_now_ns();
    if (server->room_count == 0) {
        tp_error_set(error, "there is no room to run");
        return SERVER_RUN_FAILED;
    }
    if (!open_workers(server, error) || !start_workers(server, error)) {
        close_workers(server);
        return SERVER_RUN_FAILED;
    }
    emit_own(server, SERVER_EVENT_START, server->room_count, server->worker_count);
    if (server->options.status_seconds > 0) {
        uint64_t every_ms = (uint64_t)server->options.status_seconds * 1000;
        uv_timer_start(&server->status, on_status, every_ms, every_ms);
    }
    uv_async_send(&server->wake);
    uv_run(&server->loop, UV_RUN_DEFAULT);
    if (server->is_overdue) {
        return SERVER_RUN_OVERDUE;
    }
    wait_for_workers(server);
    drain_events(server);
    emit_own(server, SERVER_EVENT_STOP, server->room_count, dropped_events(server));
    close_workers(server);
    return SERVER_RUN_ENDED;
}

void server_stop(Server *server)
{
    atomic_store(&server->stop_wanted, true);
    uv_async_send(&server->wake);
}

void server_destroy(Server *server)
{
    if (server == NULL) {
        return;
    }
    assert(!server->is_overdue);
    uv_close((uv_handle_t *)&server->wake, NULL);
    uv_close((uv_handle_t *)&server->status, NULL);
    uv_close((uv_handle_t *)&server->overdue, NULL);
    uv_run(&server->loop, UV_RUN_DEFAULT);
    uv_loop_close(&server->loop);
    for (uint32_t i = 0; i < server->room_count; i++) {
        room_finish(server->rooms[i]);
        free(server->rooms[i]);
        free(server->record_dirs[i]);
    }
    free(server->rooms);
    free(server->record_dirs);
    free(server);
}

uint32_t server_room_count(const Server *server)
{
    return server->room_count;
}

const ServerRoomResult *server_room_result(const Server *server, uint32_t room)
{
    assert(room < server->room_count);
    // Once the stop is overdue threads may still write results: only finished threads' rooms can be read.
    if (server->is_overdue && !worker_is_done(&server->workers[room % server->worker_count])) {
        return NULL;
    }
    return &server->rooms[room]->result;
}

tp_verdict server_verdict(const Server *server)
{
    tp_verdict worst = server->room_count > 0 ? TP_VERIFIED : TP_INCOMPLETE;
    for (uint32_t i = 0; i < server->room_count; i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        worst = tp_verdict_worst(worst, result == NULL ? TP_INTERNAL : result->report.verdict);
        if (result != NULL && result->log_error[0] != '\0') {
            worst = tp_verdict_worst(worst, TP_INCOMPLETE);
        }
    }
    return worst;
}
