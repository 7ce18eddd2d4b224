// bench.h: what the files of `tickproof bench` share. cmd_bench.c has the flags; bench_live.c one run, and a sweep of them; bench_server.c the
// server, in a process of its own; bench_list.c which of its threads has which room; bench_load.c the clients, bench_member.c what one of them
// plays; bench_print.c what is said.
//
// The server is a forked process, so that the system counts what it uses apart from what the clients do; both share the machine, as the budget says.
#pragma once

#include <stdatomic.h>

#include "client_link.h"
#include "ticker.h"
#include "web.h"
#include "worlds.h"

enum {
    BENCH_ROOMS_MAX       = 4096,
    BENCH_MEMBERS_MAX     = 65536,
    BENCH_LOAD_THREADS    = 16,
    BENCH_TEXT_SIZE       = 512,
    BENCH_WELCOME_MS      = 20000,
    BENCH_JOINING         = 128,  ///< clients of one thread that are on their way into their rooms at once, about
    BENCH_JOIN_SECONDS    = 60,   ///< so long all clients may take to be in their rooms
    BENCH_END_SECONDS     = 15,   ///< so long server and clients may take to be gone
    BENCH_LEAD            = 2,    ///< ticks behind the last confirmed one for which a client without --predict sends
    BENCH_HOLD_TICKS_MAX  = 16,   ///< an input is held for 1 to so many ticks
    BENCH_LOAD_NICE       = 5,       ///< by so much the clients' threads step back behind the server's where others want the machine, too
    BENCH_STARVED_NS      = 100000000, ///< a thread of clients that has not turned for so long is not modest any more
    BENCH_WATCH_MS        = 20,
    BENCH_WEB_MAX         = 4096, ///< WebSockets that are on their way at once
    BENCH_LATE_LIMIT_NS   = 4000000, ///< of --sweep: what the 99th percentile of lateness may be
};

typedef struct BenchOptions {
    WorldSet        worlds;
    const tp_world *world;
    uint32_t        rooms, clients, seconds, warm_up_seconds, rate_hz, threads, load_threads, rooms_per_connection;
    uint64_t        seed;
    const char     *record_dir; ///< NULL: no logs
    bool            is_predict, is_json, is_sweep;
    CarrierKind     carrier;      ///< of this run
    CarrierKind     carriers[3];  ///< one after another
    uint32_t        carrier_count;
} BenchOptions;

/// The first word of the server's process, once it listens. A plain struct in a pipe between two halves of one program.
typedef struct BenchStarted {
    bool     is_fine;
    uint32_t port, udp_port, ws_port, threads;
    char     text[BENCH_TEXT_SIZE]; ///< why it is not
} BenchStarted;

/// The last one: of the time that was measured.
typedef struct BenchServed {
    bool     is_fine;
    uint64_t ticks, on_time, held_ticks, late_ticks, dropped_ticks, inputs, made_up, late_inputs, desyncs;
    int64_t  running_ns;  ///< of all rooms
    int64_t  p50_ns, p99_ns, max_ns;
    int64_t  wall_ns, cpu_ns, ticks_cpu_ns, recorder_cpu_ns; ///< `cpu_ns`: of the process; `ticks_cpu_ns`: of ticks with what they send
    uint64_t memory_bytes;
    char     text[BENCH_TEXT_SIZE];
} BenchServed;

/// The server's process, seen from this one.
typedef struct BenchServer {
    int pid, from, to; ///< pipes; 0 or below: none
    BenchStarted started;
} BenchServer;

/// Counted by the clients; sums.
typedef struct BenchCounts {
    uint64_t messages_in, messages_out, bytes_in, bytes_out, connections;
    int64_t  cpu_ns, wall_ns; ///< of this process; of the clock
} BenchCounts;

typedef struct BenchRoom {
    char     name[16];
    uint32_t lane, udp_port;
} BenchRoom;

typedef struct BenchLoad       BenchLoad;
typedef struct BenchConnection BenchConnection;

/// One client in one room.
typedef struct BenchMember {
    BenchConnection *connection;
    tp_client_room  *room;     ///< NULL before and after
    const char      *name;
    uint64_t         random;
    uint32_t         hold;     ///< ticks for which `native` stays as it is
    int32_t          skip;     ///< --predict: ticks to leave out; below 0: to play on top
    bool             is_joined, is_paused;
    uint8_t         *native;
} BenchMember;

struct BenchConnection {
    ClientLink       link;
    struct BenchThread *thread;
    BenchMember     *members; ///< borrowed; `count` of them
    uint32_t         count, client, port;
    bool             is_open, is_welcome;
    int64_t          due_ns, ask_ns; ///< --predict: the next tick of its members; when the sessions are asked for advice
};

/// One thread of clients.
typedef struct BenchThread {
    BenchLoad       *load;
    uv_thread_t      thread;
    uv_loop_t        loop;
    ClientHub        hub;
    uv_async_t       wake;
    Ticker           ticker;      ///< --predict
    BenchConnection *connections; ///< borrowed
    uint32_t         count, open;
    BenchCounts      gone;        ///< of connections that are no more
    BenchCounts      counts;      ///< as asked for
    uv_sem_t         counted;
    bool             has_thread, has_loop, is_over;
    uint32_t            asked, wanted; ///< connections whose members have asked for their rooms; members of those
    atomic_uint         joined;        ///< members
    atomic_llong        beat_ns;       ///< when it last heard of the thread that measures
    int                 number, usual_nice; ///< as the system knows it
    bool                is_modest;     ///< of the thread that measures
    atomic_bool      count_wanted, stop_wanted;
} BenchThread;

struct BenchLoad {
    const BenchOptions *options;
    const BenchServer  *server;
    BenchThread         threads[BENCH_LOAD_THREADS];
    BenchConnection    *connections;
    BenchMember        *members;
    BenchRoom          *rooms;   ///< by number
    uint8_t            *natives; ///< an input of each member
    uint32_t            thread_count, connection_count, member_count;
    atomic_uint         over;          ///< threads
    atomic_bool         is_ending;     ///< the server stops: what ends now ends as it should
    atomic_bool         has_failed;
    atomic_uint         desyncs;
    uv_mutex_t          mutex;
    char                text[BENCH_TEXT_SIZE]; ///< the first failure
};

/// One run.
typedef struct BenchResult {
    const BenchOptions *options;
    uint32_t            rooms, threads, load_threads;
    BenchServed         served;
    BenchCounts         load;
    uint64_t            load_memory_bytes;
} BenchResult;

// bench_server.c

/// Forks the server. Before any thread is there. False with the reason.
bool bench_server_start(BenchServer *server, const BenchOptions *options, tp_error *error);
/// From now on counts what is measured.
bool bench_server_measure(BenchServer *server);
/// Ends it; what was measured.
bool bench_server_stop(BenchServer *server, BenchServed *served, tp_error *error);
/// Ends it whatever it does. Again is fine.
void bench_server_finish(BenchServer *server);

// bench_list.c

/// Asks the server for its rooms; `rooms` has options->rooms places, by number. False with the reason.
bool bench_list(const BenchOptions *options, const BenchServer *server, BenchRoom *rooms, tp_error *error);

// bench_load.c

/// Makes the clients and waits until all are in their rooms. False with the reason; bench_load_finish is due in any case.
bool bench_load_start(BenchLoad *load, const BenchOptions *options, const BenchServer *server, tp_error *error);
/// Sums up to now.
void bench_load_count(BenchLoad *load, BenchCounts *counts);
/// All are in: from now on the clients take only what the server and others leave, as long as that is enough to live on.
void bench_load_be_modest(BenchLoad *load);
/// Every BENCH_WATCH_MS then.
void bench_load_watch(BenchLoad *load);
/// From now on ends are as they should be: the server is about to stop.
void bench_load_expect_end(BenchLoad *load);
/// Waits for all clients to be gone. False: with the first failure of any of them.
bool bench_load_finish(BenchLoad *load, tp_error *error);
/// Keeps the first failure; the others are its consequences, most likely.
void bench_load_fail(BenchLoad *load, const char *format, ...) __attribute__((format(printf, 2, 3)));
const tp_world *bench_find_world(void *to, const char *name, uint32_t revision);
int64_t         bench_process_cpu_ns(void);
uint64_t        bench_process_memory(void);

// bench_member.c

void bench_member_join(BenchMember *member);
void bench_member_event(BenchMember *member, const tp_client_event *event);
/// --predict: one tick of its own clock.
void bench_member_tick(BenchMember *member, bool takes_advice);

// bench_live.c

/// All of it, said. The exit code.
int bench_live(const BenchOptions *options);

// bench_print.c

void bench_print_head(const BenchOptions *options);
void bench_print(const BenchResult *result);
/// "tcp", "udp", "ws".
const char *bench_carrier_name(CarrierKind carrier);
