// bench_live.c: one run: a server, its clients, a warm-up, a time that is measured; and a sweep, which doubles the rooms until it is too much.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "bench.h"
#include "cli.h"

// Waits, but not longer than everything is fine.
static bool wait_seconds(BenchLoad *load, uint32_t seconds, tp_error *error)
{
    int64_t end_ns = ticker_now_ns() + (int64_t)seconds * 1000000000;
    while (ticker_now_ns() < end_ns) {
        if (atomic_load(&load->has_failed)) {
            return tp_error_set(error, "%s", load->text);
        }
        bench_load_watch(load);
        uv_sleep(BENCH_WATCH_MS);
    }
    return true;
}

static void subtract(BenchCounts *end, const BenchCounts *start)
{
    end->messages_in -= start->messages_in;
    end->messages_out -= start->messages_out;
    end->bytes_in -= start->bytes_in;
    end->bytes_out -= start->bytes_out;
    end->cpu_ns -= start->cpu_ns;
    end->wall_ns -= start->wall_ns;
}

static bool measure(BenchLoad *load, BenchServer *server, BenchResult *result, tp_error *error)
{
    BenchCounts before;
    bench_load_be_modest(load);
    if (!wait_seconds(load, load->options->warm_up_seconds, error)) {
        return false;
    }
    if (!bench_server_measure(server)) {
        return tp_error_set(error, "the server's process is gone");
    }
    bench_load_count(load, &before);
    if (!wait_seconds(load, load->options->seconds, error)) {
        return false;
    }
    bench_load_count(load, &result->load);
    subtract(&result->load, &before);
    result->load_memory_bytes = bench_process_memory();
    bench_load_expect_end(load);
    return bench_server_stop(server, &result->served, error);
}

// The exit code; with 0 there is a result.
static int run_once(const BenchOptions *options, BenchResult *result)
{
    BenchServer server = { 0 };
    BenchLoad  *load = calloc(1, sizeof(*load));
    tp_error    error = { "" }, later = { "" };
    if (load == NULL) {
        return cli_fail(TP_INTERNAL, "bench live: out of memory");
    }
    *result = (BenchResult){ .options = options, .rooms = options->rooms, .load_threads = options->load_threads };
    bool is_fine = bench_server_start(&server, options, &error);
    if (is_fine) {
        result->threads = server.started.threads;
        is_fine = bench_load_start(load, options, &server, &error) && measure(load, &server, result, &error);
        is_fine = bench_load_finish(load, is_fine ? &error : &later) && is_fine;
    }
    if (!is_fine && server.started.is_fine && !bench_server_stop(&server, &result->served, &later) && result->served.text[0] != '\0') {
        error = later; // what the server says is the cause of what its clients say
    }
    bool is_desync = atomic_load(&load->desyncs) > 0;
    bench_server_finish(&server);
    free(load);
    return is_fine ? TP_VERIFIED : cli_fail(is_desync ? TP_DIVERGED : TP_INCOMPLETE, "bench live: %u rooms: %s", options->rooms, error.text);
}

static bool is_too_much(const BenchServed *served)
{
    bool are_clients_behind = served->made_up > (served->inputs + served->made_up) / 100;
    return served->p99_ns > BENCH_LATE_LIMIT_NS || served->dropped_ticks > 0 || are_clients_behind;
}

// Both ends of every connection are on this machine, and most of the server's may be refused otherwise.
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

// Runs over one carrier: one, or a sweep's.
static int run_over(const BenchOptions *options, CarrierKind carrier)
{
    BenchOptions now = *options;
    BenchResult  result;
    int          code = TP_VERIFIED;
    now.carrier = carrier;
    for (bool goes_on = true; goes_on && code == TP_VERIFIED;) {
        code = run_once(&now, &result);
        if (code == TP_VERIFIED) {
            bench_print(&result);
            fflush(stdout);
        }
        goes_on = options->is_sweep && !is_too_much(&result.served) && now.rooms * 2 <= BENCH_ROOMS_MAX &&
                  (uint64_t)now.rooms * 2 * now.clients <= BENCH_MEMBERS_MAX && !ferror(stdout);
        now.rooms *= 2;
    }
    return code;
}

int bench_live(const BenchOptions *options)
{
    int code = TP_VERIFIED;
    if (options->record_dir != NULL && mkdir(options->record_dir, 0755) != 0 && errno != EEXIST) {
        return cli_fail(TP_USAGE, "bench live: --record: %s: making the directory: %s", options->record_dir, strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    bench_print_head(options);
    for (uint32_t i = 0; i < options->carrier_count && code == TP_VERIFIED; i++) {
        code = run_over(options, options->carriers[i]);
    }
    signal(SIGPIPE, SIG_DFL);
    return code;
}
