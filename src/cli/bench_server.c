// bench_server.c: the server of a bench: a process of its own that runs live rooms until it is told to stop, and says then what was measured.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "server.h"

enum { WORD_MEASURE = 'm', WORD_STOP = 's' };

static bool write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t count = write(file, at, size);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t count = read(file, at, size);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

// In the server's process.

typedef struct {
    const BenchOptions *options;
    Server             *server;
    Web                *web;     ///< NULL: not over WebSockets
    WebOptions          web_options;
    int                 from, to; // of the other process
    BenchStarted        started;
    BenchServed         served;
} Side;

static void start_web(Side *side);

static void on_event(void *to, const ServerEvent *event)
{
    Side *side = to;
    if (event->kind == SERVER_EVENT_START) {
        side->started.is_fine = true;
        side->started.threads = (uint32_t)event->value;
        start_web(side);
        write_all(side->to, &side->started, sizeof(side->started));
    } else if (event->kind == SERVER_EVENT_RECORD_FAILED || event->kind == SERVER_EVENT_ROOM_FAULT || event->kind == SERVER_EVENT_ROOM_REFUSED) {
        snprintf(side->served.text, sizeof(side->served.text), "room '%s': %.400s", event->room, event->text);
    }
}

// The other process's words. When it is gone, there is nobody to measure for.
static void listen_to(void *argument)
{
    Side        *side = argument;
    BenchServed *served = &side->served;
    char         word = 0;
    while (read_all(side->from, &word, 1) && word == WORD_MEASURE) {
        server_measure(side->server);
        served->cpu_ns = -bench_process_cpu_ns();
        served->wall_ns = -ticker_now_ns();
    }
    served->cpu_ns += bench_process_cpu_ns();
    served->wall_ns += ticker_now_ns();
    served->memory_bytes = bench_process_memory();
    server_stop(side->server);
}

static bool add_rooms(const BenchOptions *options, Server *server, tp_error *error)
{
    for (uint32_t i = 0; i < options->rooms; i++) {
        ServerLiveOptions room;
        char              name[16];
        snprintf(name, sizeof(name), "b%u", i);
        server_live_options_standard(&room);
        room.name = name;
        room.world = options->world;
        room.seed = options->seed + i;
        room.players = options->clients;
        room.start_players = options->clients;
        room.tick_rate_hz = options->rate_hz;
        room.record_dir = options->record_dir;
        room.starts_anew = true; // a log of an earlier bench stays as it is
        if (!server_add_live(server, &room, error)) {
            return false;
        }
    }
    return true;
}

static void take_ws(void *to, int socket, const uint8_t *bytes, size_t size)
{
    (void)server_take_ws(to, socket, bytes, size);
}

// As tickproofd does it, without the bounds that keep one address from all of it.
static bool open_web(Side *side, tp_error *error)
{
    WebOptions wanted;
    web_options_standard(&wanted);
    wanted.limits = (WebLimits){ .connections = BENCH_WEB_MAX, .connections_per_address = BENCH_WEB_MAX, .requests_per_second = 1000000,
                                 .request_ms = BENCH_WELCOME_MS };
    wanted.play = (WebPlay){ take_ws, side->server };
    side->web = web_create(error);
    if (side->web == NULL || !web_listen(side->web, "127.0.0.1:0", error) ||
        !server_expect_ws(side->server, web_address(side->web, 0), web_port(side->web, 0), error)) {
        return false;
    }
    side->started.ws_port = web_port(side->web, 0);
    side->web_options = wanted;
    return true;
}

// WebSockets are taken once the server runs, so this comes from its first event.
static void start_web(Side *side)
{
    tp_error error;
    if (side->web != NULL && !web_start(side->web, &side->web_options, &error)) {
        snprintf(side->started.text, sizeof(side->started.text), "%s", error.text);
        side->started.is_fine = false;
    }
}

static bool make_server(Side *side, tp_error *error)
{
    const BenchOptions *options = side->options;
    ServerOptions       wanted;
    server_options_standard(&wanted);
    wanted.threads = options->threads;
    wanted.find_world = bench_find_world;
    wanted.find_to = (void *)options;
    wanted.event = on_event;
    wanted.event_to = side;
    wanted.build = "tickproof bench " TP_VERSION;
    wanted.net.connections_per_address = BENCH_MEMBERS_MAX + 1; // all clients are on this machine
    wanted.net.connections = BENCH_MEMBERS_MAX + 1;
    side->server = server_create(&wanted, error);
    if (side->server == NULL || !add_rooms(options, side->server, error) || !server_listen(side->server, "127.0.0.1:0", error) ||
        (options->carrier == CARRIER_UDP && !server_listen_udp(side->server, "127.0.0.1:0", error)) ||
        (options->carrier == CARRIER_WS && !open_web(side, error))) {
        return false;
    }
    side->started.port = server_port(side->server, 0);
    side->started.udp_port = options->carrier == CARRIER_UDP ? server_udp_port(side->server) : 0;
    return true;
}

static void sum_up(Side *side)
{
    BenchServed   *served = &side->served;
    ServerLateness lateness = server_lateness(side->server);
    served->ticks = lateness.ticks;
    served->on_time = lateness.on_time;
    served->p50_ns = lateness.p50_ns;
    served->p99_ns = lateness.p99_ns;
    served->max_ns = lateness.max_ns;
    for (uint32_t i = 0; i < server_room_count(side->server); i++) {
        const ServerRoomResult *room = server_room_result(side->server, i);
        served->held_ticks += room->held_ticks;
        served->running_ns += room->running_ns;
        served->late_ticks += room->late_ticks;
        served->dropped_ticks += room->dropped_ticks;
        served->ticks_cpu_ns += room->cpu_ns;
        served->recorder_cpu_ns += room->recorder_cpu_ns;
        served->inputs += room->live.inputs;
        served->made_up += room->live.repeated + room->live.neutral;
        served->late_inputs += room->live.late;
        served->desyncs += room->live.desyncs;
    }
    served->is_fine = served->text[0] == '\0' && server_verdict(side->server) == TP_VERIFIED;
}

// Never returns: what the other process had in its buffers is not this one's to print.
static void be_server(const BenchOptions *options, int from, int to)
{
    static Side side;
    uv_thread_t listener;
    tp_error    error = { "" };
    side = (Side){ .options = options, .from = from, .to = to };
    signal(SIGINT, SIG_IGN); // the other process hears it, and takes this one along
    if (!make_server(&side, &error) || uv_thread_create(&listener, listen_to, &side) != 0) {
        snprintf(side.started.text, sizeof(side.started.text), "%s", error.text[0] != '\0' ? error.text : "starting a thread failed");
        write_all(to, &side.started, sizeof(side.started));
        _exit(TP_INTERNAL);
    }
    ServerRun run = server_run(side.server, &error);
    if (run == SERVER_RUN_FAILED) {
        snprintf(side.started.text, sizeof(side.started.text), "%s", error.text);
        write_all(to, &side.started, sizeof(side.started));
        _exit(TP_INTERNAL);
    }
    if (run == SERVER_RUN_ENDED) {
        uv_thread_join(&listener);
        sum_up(&side);
        web_destroy(side.web);
        server_destroy(side.server);
    } else {
        snprintf(side.served.text, sizeof(side.served.text), "the rooms did not finish in time");
    }
    write_all(to, &side.served, sizeof(side.served));
    _exit(TP_VERIFIED);
}

// In this one.

static void close_pipe(int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static bool fork_server(BenchServer *server, const BenchOptions *options, tp_error *error)
{
    int down[2], up[2];
    if (pipe(down) != 0) {
        return tp_error_set(error, "making a pipe: %s", strerror(errno));
    }
    if (pipe(up) != 0) {
        close_pipe(down);
        return tp_error_set(error, "making a pipe: %s", strerror(errno));
    }
    fflush(stdout);
    server->pid = fork();
    if (server->pid == 0) {
        close(down[1]);
        close(up[0]);
        be_server(options, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    server->to = down[1];
    server->from = up[0];
    return server->pid > 0 || tp_error_set(error, "starting the server's process: %s", strerror(errno));
}

bool bench_server_start(BenchServer *server, const BenchOptions *options, tp_error *error)
{
    *server = (BenchServer){ 0 };
    if (!fork_server(server, options, error)) {
        return false;
    }
    if (!read_all(server->from, &server->started, sizeof(server->started))) {
        return tp_error_set(error, "the server's process is gone before it listened");
    }
    server->started.text[BENCH_TEXT_SIZE - 1] = '\0';
    return server->started.is_fine || tp_error_set(error, "starting the server: %.400s", server->started.text);
}

bool bench_server_measure(BenchServer *server)
{
    char word = WORD_MEASURE;
    return write_all(server->to, &word, 1);
}

bool bench_server_stop(BenchServer *server, BenchServed *served, tp_error *error)
{
    char word = WORD_STOP;
    if (!write_all(server->to, &word, 1) || !read_all(server->from, served, sizeof(*served))) {
        snprintf(served->text, sizeof(served->text), "its process is gone");
        served->is_fine = false;
    }
    server->started.is_fine = false; // it has said its last word
    served->text[BENCH_TEXT_SIZE - 1] = '\0';
    return served->is_fine || tp_error_set(error, "the server: %.400s", served->text[0] != '\0' ? served->text : "a room did not end as it should");
}

// Its pipe closes, and it ends by itself.
void bench_server_finish(BenchServer *server)
{
    if (server->to > 0) {
        close(server->to);
    }
    if (server->from > 0) {
        close(server->from);
    }
    while (server->pid > 0 && waitpid(server->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *server = (BenchServer){ 0 };
}

int64_t bench_process_cpu_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    int64_t micros = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000) + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    return micros * 1000;
}

uint64_t bench_process_memory(void)
{
    size_t bytes = 0;
    uv_resident_set_memory(&bytes);
    return bytes;
}

const tp_world *bench_find_world(void *to, const char *name, uint32_t revision)
{
    const BenchOptions *options = to;
    return worlds_search((void *)&options->worlds, name, revision);
}
