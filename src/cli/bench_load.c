// bench_load.c: the clients of a bench: threads with a loop each, connections of one lane of the server, and on each as many rooms as one client has.
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

static const int64_t SECOND_NS = 1000000000;

void bench_load_fail(BenchLoad *load, const char *format, ...)
{
    va_list arguments;
    uv_mutex_lock(&load->mutex);
    if (load->text[0] == '\0') {
        va_start(arguments, format);
        vsnprintf(load->text, sizeof(load->text), format, arguments);
        va_end(arguments);
    }
    uv_mutex_unlock(&load->mutex);
    atomic_store(&load->has_failed, true);
}

// Connections.

static void add_counts(BenchCounts *counts, const ClientLink *link)
{
    counts->messages_in += link->carrier.messages_in;
    counts->messages_out += link->carrier.messages_out;
    counts->bytes_in += link->carrier.bytes_in;
    counts->bytes_out += link->carrier.bytes_out;
    counts->connections += 1;
}

// Only so many members at once: a world is made for each, and a server waits only so long for a client that makes hundreds.
static void join_next(BenchThread *thread)
{
    while (thread->asked < thread->count && thread->connections[thread->asked].is_welcome &&
           thread->wanted - atomic_load(&thread->joined) < BENCH_JOINING) {
        BenchConnection *connection = &thread->connections[thread->asked++];
        thread->wanted += connection->count;
        for (uint32_t i = 0; i < connection->count; i++) {
            bench_member_join(&connection->members[i]);
        }
    }
}

static void on_event(void *to, ClientLink *link, const tp_client_event *event)
{
    BenchConnection *connection = to;
    (void)link;
    if (event->kind == TP_CLIENT_WELCOME) {
        connection->is_welcome = true;
        join_next(connection->thread);
    } else if (event->room != NULL) {
        bench_member_event(event->user, event);
        join_next(connection->thread);
    }
}

static void end_thread(BenchThread *thread)
{
    if (thread->open > 0 || thread->is_over) {
        return;
    }
    thread->is_over = true;
    client_hub_close(&thread->hub);
    uv_close((uv_handle_t *)&thread->wake, NULL);
    ticker_close(&thread->ticker);
}

static void on_ended(void *to, ClientLink *link)
{
    BenchConnection *connection = to;
    BenchThread     *thread = connection->thread;
    add_counts(&thread->gone, link);
    connection->is_open = false;
    thread->open -= 1;
    if (!atomic_load(&thread->load->is_ending)) {
        bench_load_fail(thread->load, "a connection of client %u: %s", connection->client, link->text);
    }
    for (uint32_t i = 0; i < connection->count; i++) {
        connection->members[i].room = NULL;
    }
    end_thread(thread);
}

static void open_connection(BenchConnection *connection)
{
    BenchThread        *thread = connection->thread;
    const BenchOptions *options = thread->load->options;
    struct sockaddr_in  address;
    tp_error            error;
    char                host[32];
    ClientLinkOptions   wanted = { .build = "tickproof bench " TP_VERSION, .find_world = bench_find_world, .find_to = (void *)options,
                                   .welcome_ms = BENCH_WELCOME_MS, .is_udp = options->carrier == CARRIER_UDP, .event = on_event, .ended = on_ended, .to = connection };
    uv_ip4_addr("127.0.0.1", (int)connection->port, &address);
    if (options->carrier == CARRIER_WS) {
        snprintf(host, sizeof(host), "127.0.0.1:%u", connection->port);
        wanted.ws_host = host;
        wanted.ws_path = "/play";
    }
    connection->is_open = client_link_open(&connection->link, &thread->hub, (struct sockaddr *)&address, &wanted, &error);
    thread->open += connection->is_open ? 1 : 0;
    if (!connection->is_open) {
        bench_load_fail(thread->load, "connecting: %s", error.text);
    }
}

// The clock of clients that play ahead.

static void run_connection(BenchConnection *connection, int64_t now_ns, int64_t period_ns)
{
    bool takes_advice = now_ns >= connection->ask_ns;
    connection->ask_ns = takes_advice ? now_ns + SECOND_NS / 2 : connection->ask_ns;
    for (uint32_t i = 0; i < connection->count; i++) {
        bench_member_tick(&connection->members[i], takes_advice);
    }
    connection->due_ns += period_ns;
    connection->due_ns = connection->due_ns < now_ns - period_ns ? now_ns : connection->due_ns;
}

// Connections have phases of their own, spread over a period.
static void on_tick(void *to)
{
    BenchThread *thread = to;
    int64_t      now_ns = ticker_now_ns();
    int64_t      period_ns = SECOND_NS / thread->load->options->rate_hz;
    int64_t      next_ns = INT64_MAX;
    for (uint32_t i = 0; i < thread->count; i++) {
        BenchConnection *connection = &thread->connections[i];
        if (connection->due_ns == 0) {
            connection->due_ns = now_ns + period_ns * i / thread->count;
            connection->ask_ns = now_ns + SECOND_NS;
        }
        if (connection->due_ns <= now_ns) {
            run_connection(connection, now_ns, period_ns);
        }
        next_ns = connection->due_ns < next_ns ? connection->due_ns : next_ns;
    }
    ticker_arm(&thread->ticker, next_ns);
}

// Threads.

static void on_wake(uv_async_t *wake)
{
    BenchThread *thread = wake->data;
    atomic_store(&thread->beat_ns, ticker_now_ns());
    if (atomic_exchange(&thread->count_wanted, false)) {
        thread->counts = thread->gone;
        for (uint32_t i = 0; i < thread->count; i++) {
            if (thread->connections[i].is_open) {
                add_counts(&thread->counts, &thread->connections[i].link);
            }
        }
        uv_sem_post(&thread->counted);
    }
    if (atomic_load(&thread->stop_wanted)) {
        for (uint32_t i = 0; i < thread->count; i++) {
            if (thread->connections[i].is_open) {
                client_link_close(&thread->connections[i].link);
            }
        }
        end_thread(thread);
    }
}

// A thread is modest when it takes only what nobody else wants: the players of a real server have machines of their own, and it never waits until
// their turn is over. With others on the machine such a thread would starve.
static void set_modest(BenchThread *thread, bool is_modest)
{
#if defined(__linux__)
    struct sched_param none = { 0 };
    sched_setscheduler(thread->number, is_modest ? SCHED_IDLE : SCHED_OTHER, &none);
    setpriority(PRIO_PROCESS, (id_t)thread->number, thread->usual_nice + BENCH_LOAD_NICE);
#endif
    thread->is_modest = is_modest;
}

void bench_load_be_modest(BenchLoad *load)
{
    for (uint32_t i = 0; i < load->thread_count; i++) {
        atomic_store(&load->threads[i].beat_ns, ticker_now_ns());
        set_modest(&load->threads[i], true);
    }
}

void bench_load_watch(BenchLoad *load)
{
    for (uint32_t i = 0; i < load->thread_count; i++) {
        BenchThread *thread = &load->threads[i];
        if (thread->is_modest && ticker_now_ns() - atomic_load(&thread->beat_ns) > BENCH_STARVED_NS) {
            set_modest(thread, false);
        }
        uv_async_send(&thread->wake);
    }
}

static void run_thread(void *to)
{
    BenchThread *thread = to;
#if defined(__linux__)
    thread->number = gettid();
    thread->usual_nice = getpriority(PRIO_PROCESS, (id_t)thread->number);
    set_modest(thread, false);
#endif
    for (uint32_t i = 0; i < thread->count; i++) {
        open_connection(&thread->connections[i]);
    }
    if (thread->load->options->is_predict) {
        on_tick(thread);
    }
    uv_run(&thread->loop, UV_RUN_DEFAULT);
    atomic_fetch_add(&thread->load->over, 1);
}

static bool start_thread(BenchLoad *load, uint32_t number, tp_error *error)
{
    BenchThread *thread = &load->threads[number];
    uint32_t     first = (uint32_t)((uint64_t)load->connection_count * number / load->thread_count);
    uint32_t     end = (uint32_t)((uint64_t)load->connection_count * (number + 1) / load->thread_count);
    thread->load = load;
    thread->connections = load->connections + first;
    thread->count = end - first;
    for (uint32_t i = first; i < end; i++) {
        load->connections[i].thread = thread;
    }
    if (uv_loop_init(&thread->loop) != 0) {
        return tp_error_set(error, "making an event loop failed");
    }
    uv_sem_init(&thread->counted, 0);
    thread->has_loop = true;
    bool is_fine = client_hub_open(&thread->hub, &thread->loop) == 0 && uv_async_init(&thread->loop, &thread->wake, on_wake) == 0 &&
                   ticker_open(&thread->ticker, &thread->loop, on_tick, thread) == 0;
    thread->wake.data = thread;
    thread->has_thread = is_fine && uv_thread_create(&thread->thread, run_thread, thread) == 0;
    return thread->has_thread || tp_error_set(error, "starting a thread of clients failed");
}

// Who has which rooms.

typedef struct {
    uint32_t lane, room, udp_port;
} Place;

static int by_lane(const void *left, const void *right)
{
    const Place *a = left;
    const Place *b = right;
    return a->lane != b->lane ? (a->lane < b->lane ? -1 : 1) : a->room < b->room ? -1 : a->room > b->room;
}

// Members stand in the order of clients, and of each client in that of places: a connection has a stretch of them.
static void spread_client(BenchLoad *load, const Place *places, const BenchRoom *rooms, uint32_t client)
{
    const BenchOptions *options = load->options;
    BenchConnection    *connection = NULL;
    size_t              stride = (options->world->input->struct_size + 15u) / 16 * 16;
    for (uint32_t i = 0; i < options->rooms; i++) {
        if (connection == NULL || connection->count == options->rooms_per_connection || places[i].lane != places[i - 1].lane) {
            connection = &load->connections[load->connection_count++];
            connection->client = client;
            connection->members = &load->members[load->member_count];
            connection->port = options->carrier == CARRIER_UDP ? places[i].udp_port :
                               options->carrier == CARRIER_WS  ? load->server->started.ws_port : load->server->started.port;
        }
        uint64_t seed = options->seed ^ ((uint64_t)client << 32 | places[i].room);
        load->members[load->member_count] = (BenchMember){ .connection = connection, .name = rooms[places[i].room].name,
                                                           .random = tp_splitmix64_next(&seed), .native = load->natives + load->member_count * stride };
        load->member_count += 1;
        connection->count += 1;
    }
}

static bool make_members(BenchLoad *load, const BenchRoom *rooms)
{
    const BenchOptions *options = load->options;
    size_t              members = (size_t)options->rooms * options->clients;
    size_t              stride = (options->world->input->struct_size + 15u) / 16 * 16;
    Place              *places = calloc(options->rooms, sizeof(*places));
    load->connections = calloc(members, sizeof(*load->connections)); // as many as it could be
    load->members = calloc(members, sizeof(*load->members));
    load->natives = aligned_alloc(16, members * stride);
    bool is_fine = places != NULL && load->connections != NULL && load->members != NULL && load->natives != NULL;
    for (uint32_t i = 0; i < options->rooms && is_fine; i++) {
        places[i] = (Place){ .lane = rooms[i].lane, .room = i, .udp_port = rooms[i].udp_port };
    }
    if (is_fine) {
        memset(load->natives, 0, members * stride);
        qsort(places, options->rooms, sizeof(*places), by_lane);
        for (uint32_t client = 0; client < options->clients; client++) {
            spread_client(load, places, rooms, client);
        }
    }
    free(places);
    return is_fine;
}

// From the thread that measures.

static void sleep_a_moment(void)
{
    uv_sleep(5);
}

static uint32_t count_joined(const BenchLoad *load)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < load->thread_count; i++) {
        count += atomic_load(&load->threads[i].joined);
    }
    return count;
}

static bool wait_for_joins(BenchLoad *load, tp_error *error)
{
    int64_t end_ns = ticker_now_ns() + BENCH_JOIN_SECONDS * SECOND_NS;
    while (count_joined(load) < load->member_count) {
        if (atomic_load(&load->has_failed)) {
            return tp_error_set(error, "%s", load->text);
        }
        if (ticker_now_ns() > end_ns) {
            return tp_error_set(error, "%u of %u clients were in their rooms after %d s: run fewer rooms", count_joined(load), load->member_count,
                                BENCH_JOIN_SECONDS);
        }
        sleep_a_moment();
    }
    return true;
}

bool bench_load_start(BenchLoad *load, const BenchOptions *options, const BenchServer *server, tp_error *error)
{
    *load = (BenchLoad){ .options = options, .server = server, .thread_count = options->load_threads };
    BenchRoom *rooms = calloc(options->rooms, sizeof(*rooms));
    bool       is_fine = uv_mutex_init(&load->mutex) == 0 && rooms != NULL;
    if (!is_fine) {
        free(rooms);
        return tp_error_set(error, "out of memory");
    }
    is_fine = bench_list(options, server, rooms, error) && (make_members(load, rooms) || tp_error_set(error, "out of memory"));
    load->rooms = rooms; // the members' names stand there
    for (uint32_t i = 0; i < load->thread_count && is_fine; i++) {
        is_fine = start_thread(load, i, error);
    }
    return is_fine && wait_for_joins(load, error);
}

void bench_load_count(BenchLoad *load, BenchCounts *counts)
{
    *counts = (BenchCounts){ .cpu_ns = bench_process_cpu_ns(), .wall_ns = ticker_now_ns() };
    for (uint32_t i = 0; i < load->thread_count; i++) {
        BenchThread *thread = &load->threads[i];
        atomic_store(&thread->count_wanted, true);
        uv_async_send(&thread->wake);
        uv_sem_wait(&thread->counted);
        counts->messages_in += thread->counts.messages_in;
        counts->messages_out += thread->counts.messages_out;
        counts->bytes_in += thread->counts.bytes_in;
        counts->bytes_out += thread->counts.bytes_out;
        counts->connections += thread->counts.connections;
    }
}

void bench_load_expect_end(BenchLoad *load)
{
    atomic_store(&load->is_ending, true);
}

static void end_threads(BenchLoad *load)
{
    bool was_ending = atomic_load(&load->is_ending);
    bench_load_expect_end(load);
    int64_t end_ns = ticker_now_ns() + (was_ending ? BENCH_END_SECONDS * SECOND_NS : 0);
    while (atomic_load(&load->over) < load->thread_count && ticker_now_ns() < end_ns) {
        sleep_a_moment(); // the server says BYE to all
    }
    for (uint32_t i = 0; i < load->thread_count; i++) {
        BenchThread *thread = &load->threads[i];
        if (thread->has_thread) {
            atomic_store(&thread->stop_wanted, true);
            if (atomic_load(&load->over) < load->thread_count) {
                uv_async_send(&thread->wake);
            }
            uv_thread_join(&thread->thread);
        }
        if (thread->has_loop) {
            uv_sem_destroy(&thread->counted);
            uv_loop_close(&thread->loop);
        }
    }
}

bool bench_load_finish(BenchLoad *load, tp_error *error)
{
    end_threads(load);
    bool is_fine = !atomic_load(&load->has_failed) || tp_error_set(error, "%s", load->text);
    free(load->connections);
    free(load->members);
    free(load->natives);
    free(load->rooms);
    uv_mutex_destroy(&load->mutex);
    return is_fine;
}
