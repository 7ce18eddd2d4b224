// bench_clock.c: which rate real-time rooms hold, and how late their ticks begin.
//
// Usage: bench_clock [SECONDS [RATE_HZ [ROOMS [THREADS]]]]. Every room steps a recorded log of that many seconds, compares it
// and does not record. The last line's roots show that speed was not bought with meaning.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"
#include "testworld.h"

static uint32_t argument(int argc, char **argv, int index, uint32_t standard)
{
    return argc > index ? (uint32_t)strtoul(argv[index], NULL, 10) : standard;
}

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, testworld_flat.name) == 0 ? &testworld_flat : NULL;
}

static void write_log(const char *path, uint32_t rate_hz, uint64_t ticks)
{
    tp_error          error;
    TestScript        script;
    tp_writer_options options;
    tp_setup          setup = testworld_setup(&testworld_flat, 2, 1);
    setup.tick_rate_hz = rate_hz;
    tp_writer_options_standard(&options);
    int        file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    tp_sink    sink = tp_sink_of_fd(&file);
    tp_sim    *sim = tp_sim_create(&testworld_flat, &setup, NULL, &error);
    tp_writer *writer = sim != NULL ? tp_writer_create(&sink, sim, &options, false, &error) : NULL;
    if (file < 0 || writer == NULL) {
        fprintf(stderr, "bench_clock: %s: writing the log failed\n", path);
        exit(2);
    }
    for (uint64_t tick = 0; tick < ticks; tick++) {
        tp_row row = testworld_row(sim, &script, tick);
        if (tp_sim_step(sim, &row, &error) != TP_SIM_OK || !tp_writer_tick(writer, sim, &row)) {
            exit(70);
        }
    }
    tp_writer_finish(writer, sim, TP_END_COMPLETED);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    close(file);
}

static double held_hz(const ServerRoomResult *result)
{
    return result->running_ns > 0 ? (double)result->held_ticks * 1e9 / (double)result->running_ns : 0;
}

static void print_results(const Server *server, uint32_t rate_hz)
{
    double   low = 1e9;
    double   high = 0;
    int64_t  p50 = 0, p99 = 0, max = 0;
    uint64_t dropped = 0, late = 0;
    for (uint32_t i = 0; i < server_room_count(server); i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        low = held_hz(result) < low ? held_hz(result) : low;
        high = held_hz(result) > high ? held_hz(result) : high;
        p50 = result->late_p50_ns > p50 ? result->late_p50_ns : p50;
        p99 = result->late_p99_ns > p99 ? result->late_p99_ns : p99;
        max = result->late_max_ns > max ? result->late_max_ns : max;
        dropped += result->dropped_ticks;
        late += result->late_ticks;
    }
    printf("asked %u Hz, held %.4f to %.4f Hz; worst room: lateness p50 %.1f us, p99 %.1f us, max %.1f us", rate_hz, low, high,
           (double)p50 / 1e3, (double)p99 / 1e3, (double)max / 1e3);
    printf("; late %" PRIu64 ", dropped %" PRIu64 "\n", late, dropped);
    printf("verdict %s, root ", tp_verdict_name(server_verdict(server)));
    for (int i = 0; i < 16; i++) {
        printf("%02x", server_room_result(server, 0)->report.final_root[i]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    uint32_t          seconds = argument(argc, argv, 1, 5);
    uint32_t          rate_hz = argument(argc, argv, 2, 60);
    uint32_t          rooms = argument(argc, argv, 3, 1);
    char              path[] = "bench_clock.XXXXXX";
    tp_error          error = { "" };
    ServerOptions     options;
    ServerRoomOptions room_options;
    int               file = mkstemp(path);
    close(file);
    write_log(path, rate_hz, (uint64_t)seconds * rate_hz);
    server_options_standard(&options);
    options.find_world = find_world;
    options.threads = argument(argc, argv, 4, 0);
    server_room_options_standard(&room_options);
    room_options.path = path;
    Server *server = server_create(&options, &error);
    for (uint32_t i = 0; i < rooms && server != NULL; i++) {
        if (!server_add_recorded(server, &room_options, &error)) {
            break;
        }
    }
    printf("bench_clock: %u rooms for %u s\n", rooms, seconds);
    int code = 70;
    if (server != NULL && server_run(server, &error) == SERVER_RUN_ENDED) {
        print_results(server, rate_hz);
        code = (int)server_verdict(server);
    } else {
        fprintf(stderr, "bench_clock: %s\n", error.text);
    }
    server_destroy(server);
    unlink(path);
    return code;
}
