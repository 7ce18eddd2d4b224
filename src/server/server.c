// server.c: rooms, threads, and the main thread's loop that hears what happens.
#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "server_internal.h"
#include "urgency.h"

static const struct {
    ServerEventKind kind;
    const char     *name;
} event_names[] = {
    { SERVER_EVENT_START, "server.start" },
    { SERVER_EVENT_LISTENING, "server.listening" },
    { SERVER_EVENT_CLIENTS, "server.clients" },
    { SERVER_EVENT_ROOM_OPEN, "room.open" },
    { SERVER_EVENT_ROOM_JOIN, "room.join" },
    { SERVER_EVENT_ROOM_LEAVE, "room.leave" },
    { SERVER_EVENT_ROOM_PAUSED, "room.paused" },
    { SERVER_EVENT_ROOM_RESUMED, "room.resumed" },
    { SERVER_EVENT_ROOM_LATE, "room.late" },
    { SERVER_EVENT_ROOM_STATUS, "room.status" },
    { SERVER_EVENT_RECORD_FAILED, "room.record_failed" },
    { SERVER_EVENT_RECORD_RESUMED, "room.record_resumed" },
    { SERVER_EVENT_RECORD_ROTATED, "room.record_rotated" },
    { SERVER_EVENT_RECORD_NOT_ROTATED, "room.record_not_rotated" },
    { SERVER_EVENT_ROOM_RECOVERED, "room.recovered" },
    { SERVER_EVENT_ROOM_ANEW, "room.anew" },
    { SERVER_EVENT_ROOM_REJOIN, "room.rejoin" },
    { SERVER_EVENT_ROOM_AWAY, "room.away" },
    { SERVER_EVENT_ROOM_DESYNC, "room.desync" },
    { SERVER_EVENT_ROOM_BUNDLE, "room.bundle" },
    { SERVER_EVENT_ROOM_CHAT, "room.chat" },
    { SERVER_EVENT_ROOM_ADMIN, "room.admin" },
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

static void emit(Server *server, ServerEvent *event)
{
    if (server->options.event != NULL) {
        server->options.event(server->options.event_to, event);
    }
}

static uint32_t usual(uint32_t value, uint32_t standard)
{
    return value > 0 ? value : standard;
}

static void emit_own(Server *server, ServerEventKind kind, uint64_t tick, uint64_t value)
{
    ServerEvent event = { .kind = kind, .tick = tick, .value = value, .elapsed_ns = ticker_now_ns() - server->start_ns };
    uint32_t wanted = usual(server->options.net.connections, SERVER_CONNECTIONS);
    if (kind == SERVER_EVENT_START && (server->lobby.count > 0 || server->lobby.has_arrivals) && server->limits.connections < wanted) {
        snprintf(event.text, sizeof(event.text), "at most %u connections instead of %u: the system allows no more open files",
                 server->limits.connections, wanted);
    }
    if (kind == SERVER_EVENT_STOP) {
        event.has_verdict = true;
        event.verdict = server_verdict(server);
    }
    emit(server, &event);
}

// At most so many. False when there may be more: whoever prints slowly must not keep the main thread from everything else.
static bool drain_events(Server *server, uint32_t most)
{
    ServerEvent event;
    for (uint32_t i = 0; i < server->worker_count; i++) {
        while (event_queue_pop(&server->workers[i].events, &event)) {
            emit(server, &event);
            if (--most == 0) {
                return false;
            }
        }
    }
    return true;
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

// Connections ended so far by reason, over all threads.
static uint64_t count_ends(const Server *server, uint32_t reason)
{
    uint64_t count = atomic_load_explicit(&server->lobby.peers.ends[reason], memory_order_relaxed);
    for (uint32_t i = 0; i < server->worker_count; i++) {
        count += atomic_load_explicit(&server->workers[i].peers.ends[reason], memory_order_relaxed);
    }
    return count;
}

static void report_clients(Server *server)
{
    ServerEvent event = { .kind = SERVER_EVENT_CLIENTS, .elapsed_ns = ticker_now_ns() - server->start_ns };
    size_t      size = 0;
    uint64_t    count_of_stop = 0; // nobody's fault
    for (uint32_t reason = 1; reason < PEER_ENDS; reason++) { // 0 went by itself
        uint64_t count = count_ends(server, reason);
        uint64_t fresh = count - server->ends[reason];
        if (fresh > 0 && size < sizeof(event.text)) {
            size += (size_t)snprintf(event.text + size, sizeof(event.text) - size, "%s%s %" PRIu64, size > 0 ? ", " : "",
                                     message_reason_name(reason), fresh);
            event.value += fresh;
            count_of_stop += reason == MESSAGE_REASON_STOPPING || reason == MESSAGE_REASON_ENDED ? fresh : 0;
        }
        server->ends[reason] = count;
    }
    if (event.value > count_of_stop && size < sizeof(event.text)) {
        char last[ADDRESS_TEXT_SIZE];
        addresses_last(&server->addresses, last, sizeof(last));
        size += (size_t)snprintf(event.text + size, sizeof(event.text) - size, ", the last %s", last);
    }
    uint64_t failures = server->lobby.accept_failures - server->accept_failures;
    server->accept_failures = server->lobby.accept_failures;
    if (failures > 0 && size < sizeof(event.text)) {
        snprintf(event.text + size, sizeof(event.text) - size, "%snot accepted by the system %" PRIu64, size > 0 ? ", " : "", failures);
        event.value += failures;
    }
    if (event.value > 0) {
        emit(server, &event);
    }
}

static void on_clients(uv_timer_t *timer)
{
    report_clients(timer->data);
}

static bool give_peer(void *to, uint32_t lane, PeerParcel *parcel)
{
    Server *server = to;
    if (worker_is_done(&server->workers[lane])) {
        return false;
    }
    worker_give(&server->workers[lane], parcel);
    return true;
}

static void begin_stop(Server *server)
{
    server->is_stopping = true;
    emit_own(server, SERVER_EVENT_STOPPING, 0, 0);
    lobby_bye(&server->lobby);
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
    if (atomic_load(&server->stop_wanted) && !server->is_stopping) {
        begin_stop(server);
    }
    lobby_take_ws(&server->lobby);
    if (!drain_events(server, SERVER_EVENTS_TURN)) {
        uv_async_send(&server->wake);
    }
    for (uint32_t i = 0; i < server->worker_count; i++) {
        if (worker_is_done(&server->workers[i])) {
            worker_return_mail(&server->workers[i], &server->lobby.peers);
        }
    }
    if (unfinished_workers(server) == 0) {
        uv_stop(&server->loop);
    }
}

static ServerNetLimits fill_limits(const ServerNetLimits *wanted)
{
    return (ServerNetLimits){
        .connections = usual(wanted->connections, SERVER_CONNECTIONS),
        .connections_per_address = usual(wanted->connections_per_address, SERVER_CONNECTIONS_PER_ADDRESS),
        .messages_per_second = usual(wanted->messages_per_second, SERVER_MESSAGES_PER_SECOND),
        .send_queue_bytes = usual(wanted->send_queue_bytes, SERVER_SEND_QUEUE_BYTES),
        .send_total_bytes = usual(wanted->send_total_bytes, SERVER_SEND_TOTAL_BYTES),
        .silence_ms = usual(wanted->silence_ms, SERVER_SILENCE_MS),
        .watchers = usual(wanted->watchers, SERVER_WATCHERS),
        .join_bytes_per_tick = usual(wanted->join_bytes_per_tick, SERVER_JOIN_BYTES_PER_TICK),
    };
}

// One kind of key for everything: datagrams use its Curve25519 half.
static bool take_keys(Server *server, tp_error *error)
{
    const ServerOptions *options = &server->options;
    if (options->udp_key != NULL) {
        if (sodium_init() < 0 || crypto_sign_ed25519_sk_to_curve25519(server->identity.secret, options->udp_key) != 0) {
            return tp_error_set(error, "the key of datagrams cannot be used: make another one");
        }
        channel_noise_open(&server->identity);
        server->lobby.identity = &server->identity;
    }
    if (options->token_issuer != NULL) {
        server->gate = gate_create(options->token_issuer, options->token_server, options->tokens_required, error);
    }
    return options->token_issuer == NULL || server->gate != NULL;
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
    server->limits = fill_limits(&options->net);
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
    uv_timer_init(&server->loop, &server->clients);
    server->wake.data = server->status.data = server->overdue.data = server->clients.data = server;
    if (!addresses_init(&server->addresses, server->limits.connections, server->limits.connections_per_address)) {
        tp_error_set(error, "making a lock failed");
        server_destroy(server);
        return NULL;
    }
    if (!take_keys(server, error)) {
        server_destroy(server);
        return NULL;
    }
    return server;

close_loop:
    uv_loop_close(&server->loop);
free_server:
    free(server);
    return NULL;
}

bool server_listen(Server *server, const char *address, tp_error *error)
{
    return lobby_listen(&server->lobby, &server->loop, address, error);
}

bool server_listen_udp(Server *server, const char *address, tp_error *error)
{
    return lobby_listen_udp(&server->lobby, &server->loop, address, error);
}

bool server_expect_ws(Server *server, const char *address, uint32_t port, tp_error *error)
{
    server->http_port = port;
    snprintf(server->http_address, sizeof(server->http_address), "%s", address);
    return lobby_expect_ws(&server->lobby, error);
}

bool server_take_ws(Server *server, int socket, const uint8_t *bytes, size_t size)
{
    bool is_taken = lobby_give_ws(&server->lobby, socket, bytes, size);
    if (is_taken) {
        uv_async_send(&server->wake);
    }
    return is_taken;
}

uint64_t server_udp_count(const Server *server, uint32_t count)
{
    if (count >= CHANNEL_COUNTS) {
        return 0;
    }
    uint64_t sum = atomic_load_explicit(&server->lobby.udp_counts[count], memory_order_relaxed) + server->udp_before[count];
    for (uint32_t i = 0; i < server->worker_count; i++) {
        sum += atomic_load_explicit(&server->workers[i].udp_counts[count], memory_order_relaxed);
    }
    return sum;
}

uint64_t server_token_count(const Server *server, uint32_t fault)
{
    return server->gate != NULL && fault < JOIN_TOKEN_FAULTS ? atomic_load_explicit(&server->gate->counts[fault], memory_order_relaxed) : 0;
}

uint32_t server_udp_port(const Server *server)
{
    return udp_host_port(&server->lobby.udp);
}

uint32_t server_port(const Server *server, uint32_t listener)
{
    assert(listener < server->lobby.count);
    return server->lobby.ports[listener];
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
    WorkerWorld world = {
        .options = &server->options,
        .limits = &server->limits,
        .directory = &server->directory,
        .addresses = &server->addresses,
        .identity = server->lobby.identity,
        .gate = server->gate,
        .main = &server->wake,
        .start_ns = server->start_ns,
        .udp_address = server->lobby.is_udp_open ? &server->lobby.udp_address : NULL,
    };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = at;
        for (uint32_t room = i; room < server->room_count; room += count) {
            server->shares[at++] = server->rooms[room];
        }
        server->worker_count += 1;
        world.lane = i;
        if (!worker_open(&server->workers[i], server->shares + first, at - first, &world, error)) {
            return false;
        }
    }
    return true;
}

static bool open_directory(Server *server, tp_error *error)
{
    uint32_t lanes = threads_to_use(server);
    if (!directory_init(&server->directory, server->room_count)) {
        return tp_error_set(error, "out of memory");
    }
    for (uint32_t i = 0; i < server->room_count; i++) {
        server->directory.entries[i] = (DirectoryEntry){
            .name = server->rooms[i]->result.name,
            .is_live = server->rooms[i]->live != NULL,
            .lane = i % lanes,
            .place = i / lanes,
            .listing = &server->rooms[i]->listing,
        };
    }
    directory_sort(&server->directory);
    return true;
}

// The threads' ports are known by now.
static void publish_udp_ports(Server *server)
{
    for (uint32_t i = 0; i < server->directory.count && server->lobby.is_udp_open; i++) {
        DirectoryEntry *entry = &server->directory.entries[i];
        entry->udp_port = (uint16_t)udp_host_port(&server->workers[entry->lane].udp);
    }
}

static bool open_lobby(Server *server, tp_error *error)
{
    publish_udp_ports(server);
    Lobby *lobby = &server->lobby;
    lobby->give = give_peer;
    lobby->to = server;
    lobby->peers.loop = &server->loop;
    lobby->peers.limits = &server->limits;
    lobby->peers.directory = &server->directory;
    lobby->peers.addresses = &server->addresses;
    lobby->peers.gate = server->gate;
    return (lobby->count == 0 && !lobby->is_udp_open && !lobby->has_arrivals) || lobby_open(lobby, error);
}

static void emit_listening(Server *server)
{
    for (uint32_t i = 0; i < server->lobby.count; i++) {
        ServerEvent event = { .kind = SERVER_EVENT_LISTENING, .value = server->lobby.ports[i], .elapsed_ns = ticker_now_ns() - server->start_ns };
        snprintf(event.text, sizeof(event.text), "%s", server->lobby.addresses[i]);
        emit(server, &event);
    }
    if (server->lobby.has_arrivals) {
        ServerEvent event = { .kind = SERVER_EVENT_LISTENING, .value = server->http_port, .elapsed_ns = ticker_now_ns() - server->start_ns };
        snprintf(event.text, sizeof(event.text), "http %s", server->http_address);
        emit(server, &event);
    }
    if (server->lobby.is_udp_open) {
        ServerEvent event = { .kind = SERVER_EVENT_LISTENING, .value = server_udp_port(server), .elapsed_ns = ticker_now_ns() - server->start_ns };
        memcpy(event.text, "udp ", 4);
        datagrams_text(&server->lobby.udp, event.text + 4);
        emit(server, &event);
    }
}

// What is left of the network once the rooms are over. The last ends of connections are counted by now.
static void close_lobby(Server *server)
{
    uv_timer_stop(&server->clients);
    uv_timer_stop(&server->status);
    uv_timer_stop(&server->overdue);
    lobby_close(&server->lobby);
    for (int turn = 0; turn < 8; turn++) {
        uv_run(&server->loop, UV_RUN_NOWAIT);
    }
    report_clients(server);
}

static void close_workers(Server *server)
{
    for (uint32_t i = 0; i < server->worker_count; i++) {
        worker_close(&server->workers[i]);
        for (uint32_t count = 0; count < CHANNEL_COUNTS; count++) {
            server->udp_before[count] += atomic_load_explicit(&server->workers[i].udp_counts[count], memory_order_relaxed);
        }
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

// Files that the rooms have open at once: those without a clock only so many of them.
static uint64_t files_needed(const Server *server)
{
    uint64_t files = SERVER_FILES_SPARE;
    uint64_t fast = 0;
    for (uint32_t i = 0; i < server->room_count; i++) {
        const Room *room = server->rooms[i];
        // A recorder that syncs has the log's directory open until the name in it is safe.
        uint64_t    log = room->record_dir == NULL ? 0 : room->durability == TP_DURABLE_NONE ? 1 : 2;
        uint64_t    own = (room->live == NULL ? 1 : 0) + log;
        files += room->result.pace == SERVER_FAST ? 0 : own;
        fast += room->result.pace == SERVER_FAST ? own : 0;
    }
    uint64_t fast_most = (uint64_t)threads_to_use(server) * SERVER_FAST_OPEN_MAX * 3;
    return files + (fast < fast_most ? fast : fast_most);
}

bool server_check(Server *server, tp_error *error)
{
    struct rlimit limit;
    uint64_t      needed = files_needed(server);
    uint64_t      wanted = needed + (server->lobby.count > 0 || server->lobby.has_arrivals ? SERVER_CONNECTIONS_LEAST : 0);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    if (wanted > limit.rlim_cur) {
        return tp_error_set(error, "%u rooms need %llu open files and the system allows %llu: raise it (ulimit -n), or run fewer rooms",
                            server->room_count, (unsigned long long)wanted, (unsigned long long)limit.rlim_cur);
    }
    uint64_t left = limit.rlim_cur - needed;
    if (server->limits.connections > left) {
        server->limits.connections = server->addresses.count_max = (uint32_t)left;
    }
    return true;
}

ServerRun server_run(Server *server, tp_error *error)
{
    server->start_ns = ticker_now_ns();
    if (server->room_count == 0) {
        tp_error_set(error, "there is no room to run");
        return SERVER_RUN_FAILED;
    }
    if (!server_check(server, error) || !open_directory(server, error) || !open_workers(server, error) || !open_lobby(server, error) || !start_workers(server, error)) {
        close_workers(server);
        return SERVER_RUN_FAILED;
    }
    emit_own(server, SERVER_EVENT_START, server->room_count, server->worker_count);
    emit_listening(server);
    uv_timer_start(&server->clients, on_clients, SERVER_CLIENTS_REPORT_MS, SERVER_CLIENTS_REPORT_MS);
    if (server->options.status_seconds > 0) {
        uint64_t every_ms = (uint64_t)server->options.status_seconds * 1000;
        uv_timer_start(&server->status, on_status, every_ms, every_ms);
    }
    uv_async_send(&server->wake);
    urgency_give_way(SERVER_LOBBY_NICE); // after the threads were started, which would be as patient
    uv_run(&server->loop, UV_RUN_DEFAULT);
    if (server->is_overdue) {
        return SERVER_RUN_OVERDUE;
    }
    wait_for_workers(server);
    drain_events(server, UINT32_MAX);
    close_lobby(server);
    emit_own(server, SERVER_EVENT_STOP, server->room_count, dropped_events(server));
    close_workers(server);
    return SERVER_RUN_ENDED;
}

void server_stop(Server *server)
{
    atomic_store(&server->stop_wanted, true);
    uv_async_send(&server->wake);
}

void server_measure(Server *server)
{
    for (uint32_t i = 0; i < server->worker_count; i++) {
        worker_measure(&server->workers[i]);
    }
}

ServerLateness server_lateness(const Server *server)
{
    Lateness all = { 0 };
    for (uint32_t i = 0; i < server->room_count; i++) {
        if (server_room_result(server, i) != NULL) {
            lateness_merge(&all, &server->rooms[i]->lateness);
        }
    }
    return (ServerLateness){ .ticks = all.count, .on_time = lateness_within(&all, SERVER_ON_TIME_NS), .p50_ns = lateness_percentile_ns(&all, 500), .p99_ns = lateness_percentile_ns(&all, 990), .max_ns = all.max_ns };
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
    uv_close((uv_handle_t *)&server->clients, NULL);
    lobby_close(&server->lobby);
    uv_run(&server->loop, UV_RUN_DEFAULT);
    lobby_finish(&server->lobby);
    gate_destroy(server->gate);
    sodium_memzero(&server->identity, sizeof(server->identity));
    uv_loop_close(&server->loop);
    directory_finish(&server->directory);
    addresses_finish(&server->addresses);
    for (uint32_t i = 0; i < server->room_count; i++) {
        room_finish(server->rooms[i]);
        live_destroy(server->rooms[i]);
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
