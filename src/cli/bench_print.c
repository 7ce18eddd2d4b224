// bench_print.c: what a run came to: in words, a line of a table, or JSON.
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "bench.h"
#include "textout.h"

static double per(double value, double count)
{
    return count > 0 ? value / count : 0;
}

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static double held_hz(const BenchServed *served)
{
    return per((double)served->held_ticks * 1e9, (double)served->running_ns);
}

// What the server's process did beside ticks and recording was, nearly all of it, taking in what clients sent.
static double server_in_ns(const BenchResult *result)
{
    const BenchServed *served = &result->served;
    return per((double)(served->cpu_ns - served->ticks_cpu_ns - served->recorder_cpu_ns), (double)result->load.messages_out);
}

static double server_out_ns(const BenchResult *result)
{
    return per((double)result->served.ticks_cpu_ns, (double)result->load.messages_in);
}

static double load_ns(const BenchResult *result)
{
    return per((double)result->load.cpu_ns, (double)(result->load.messages_in + result->load.messages_out));
}

static double share(int64_t cpu_ns, int64_t wall_ns)
{
    return per(100 * (double)cpu_ns, (double)wall_ns);
}

static double cpu_us_of_tick(const BenchResult *result, int64_t cpu_ns)
{
    return per((double)cpu_ns / 1e3, (double)result->served.ticks);
}

static double rate(uint64_t count, int64_t wall_ns)
{
    return per((double)count * 1e9, (double)wall_ns);
}

const char *bench_carrier_name(CarrierKind carrier)
{
    return carrier == CARRIER_UDP ? "udp" : carrier == CARRIER_WS ? "ws" : "tcp";
}

static const char *title_of(CarrierKind carrier)
{
    return carrier == CARRIER_UDP ? "UDP" : carrier == CARRIER_WS ? "WebSockets" : "TCP";
}

static double on_time(const BenchServed *served)
{
    return per(100 * (double)served->on_time, (double)served->ticks);
}

// A row of the table of carriers, by client: what the server's CPU costs it for a tick, its own, and the bytes that it hears and says in a second, as its
// connection counts them, with all that the carrier adds above the system's own heads.
static void print_carrier(const BenchResult *result)
{
    const BenchServed *served = &result->served;
    const BenchCounts *load = &result->load;
    double             clients = (double)result->rooms * result->options->clients;
    printf("%-7s %9.3f %9.3f %9" PRIu64 " %9.3f %9.3f %9.3f %9.2f %9.2f %9.0f %9.0f %9.1f %9.1f\n", bench_carrier_name(result->options->carrier), held_hz(served),
           on_time(served), served->dropped_ticks, ms(served->p50_ns), ms(served->p99_ns), ms(served->max_ns), cpu_us_of_tick(result, served->cpu_ns) / result->options->clients,
           cpu_us_of_tick(result, load->cpu_ns) / result->options->clients, per(rate(load->bytes_in, load->wall_ns), clients), per(rate(load->bytes_out, load->wall_ns), clients),
           (double)served->memory_bytes / 1048576, (double)result->load_memory_bytes / 1048576);
}

static void print_text(const BenchResult *result)
{
    const BenchServed  *served = &result->served;
    const BenchCounts  *load = &result->load;
    const BenchOptions *options = result->options;
    printf("%u room%s of %s x %u client%s at %u Hz over %s%s: %.1f s after %u s\n", result->rooms, result->rooms == 1 ? "" : "s",
           options->world->name, options->clients, options->clients == 1 ? "" : "s", options->rate_hz, title_of(options->carrier),
           options->is_predict ? ", playing ahead" : "", (double)served->wall_ns / 1e9, options->warm_up_seconds);
    printf("  threads    server %u, clients %u, %" PRIu64 " connections\n", result->threads, result->load_threads, load->connections);
    printf("  ticks      %.3f Hz held, %" PRIu64 " ticks, %" PRIu64 " a period late, %" PRIu64 " dropped\n", held_hz(served), served->ticks,
           served->late_ticks, served->dropped_ticks);
    printf("  lateness   p50 %.3f ms, p99 %.3f ms, max %.3f ms; %.3f %% within 4 ms\n", ms(served->p50_ns), ms(served->p99_ns), ms(served->max_ns), on_time(served));
    printf("  inputs     %" PRIu64 " in time, %" PRIu64 " made up, %" PRIu64 " too late\n", served->inputs, served->made_up, served->late_inputs);
    printf("  CPU        server %.2f us a room's tick (%.0f %% of a core), clients %.2f us (%.0f %%)\n", cpu_us_of_tick(result, served->cpu_ns),
           share(served->cpu_ns, served->wall_ns), cpu_us_of_tick(result, load->cpu_ns), share(load->cpu_ns, load->wall_ns));
    printf("  messages   to clients %.0f/s, %.0f bytes each; from clients %.0f/s, %.0f bytes each\n", rate(load->messages_in, load->wall_ns),
           per((double)load->bytes_in, (double)load->messages_in), rate(load->messages_out, load->wall_ns),
           per((double)load->bytes_out, (double)load->messages_out));
    printf("  a message  server %.0f ns to a client (its tick in it), %.0f ns from one; clients %.0f ns either way\n", server_out_ns(result), server_in_ns(result),
           load_ns(result));
    printf("  memory     server %.1f MiB, clients %.1f MiB\n", (double)served->memory_bytes / 1048576, (double)result->load_memory_bytes / 1048576);
}

static void print_row(const BenchResult *result)
{
    const BenchServed *served = &result->served;
    printf("%7u %9.3f %9" PRIu64 " %8.2f%% %9.3f %9.3f %9.3f %9.2f %9.2f %8.0f%% %9.0f %9.0f %9.0f %9.1f\n", result->rooms, held_hz(served),
           served->dropped_ticks, per(100 * (double)served->made_up, (double)(served->inputs + served->made_up)), ms(served->p50_ns), ms(served->p99_ns),
           ms(served->max_ns), cpu_us_of_tick(result, served->cpu_ns), cpu_us_of_tick(result, result->load.cpu_ns),
           share(served->cpu_ns, served->wall_ns) + share(result->load.cpu_ns, result->load.wall_ns), server_out_ns(result), server_in_ns(result),
           load_ns(result), (double)served->memory_bytes / 1048576);
}

static void number(const char *key, double value)
{
    textout_key(stdout, false, key);
    printf("%.3f", value);
}

static void print_json(const BenchResult *result)
{
    const BenchServed  *served = &result->served;
    const BenchCounts  *load = &result->load;
    const BenchOptions *options = result->options;
    putchar('{');
    textout_json_member(stdout, true, "world", options->world->name);
    textout_u64_member(stdout, false, "rooms", result->rooms);
    textout_u64_member(stdout, false, "clients", options->clients);
    textout_u64_member(stdout, false, "rate_hz", options->rate_hz);
    textout_json_member(stdout, false, "carrier", bench_carrier_name(options->carrier));
    textout_bool_member(stdout, false, "udp", options->carrier == CARRIER_UDP);
    textout_bool_member(stdout, false, "predict", options->is_predict);
    textout_u64_member(stdout, false, "server_threads", result->threads);
    textout_u64_member(stdout, false, "load_threads", result->load_threads);
    textout_u64_member(stdout, false, "connections", load->connections);
    number("seconds", (double)served->wall_ns / 1e9);
    number("held_hz", held_hz(served));
    textout_u64_member(stdout, false, "ticks", served->ticks);
    textout_u64_member(stdout, false, "on_time_ticks", served->on_time);
    textout_u64_member(stdout, false, "late_ticks", served->late_ticks);
    textout_u64_member(stdout, false, "dropped_ticks", served->dropped_ticks);
    number("lateness_p50_us", (double)served->p50_ns / 1e3);
    number("lateness_p99_us", (double)served->p99_ns / 1e3);
    number("lateness_max_us", (double)served->max_ns / 1e3);
    textout_u64_member(stdout, false, "inputs", served->inputs);
    textout_u64_member(stdout, false, "inputs_made_up", served->made_up);
    textout_u64_member(stdout, false, "inputs_too_late", served->late_inputs);
    number("server_cpu_us_per_tick", cpu_us_of_tick(result, served->cpu_ns));
    number("load_cpu_us_per_tick", cpu_us_of_tick(result, load->cpu_ns));
    number("server_cpu_percent", share(served->cpu_ns, served->wall_ns));
    number("load_cpu_percent", share(load->cpu_ns, load->wall_ns));
    textout_u64_member(stdout, false, "messages_to_clients", load->messages_in);
    textout_u64_member(stdout, false, "messages_from_clients", load->messages_out);
    textout_u64_member(stdout, false, "bytes_to_clients", load->bytes_in);
    textout_u64_member(stdout, false, "bytes_from_clients", load->bytes_out);
    number("server_ns_per_message_to_client", server_out_ns(result));
    number("server_ns_per_message_from_client", server_in_ns(result));
    number("load_ns_per_message", load_ns(result));
    textout_u64_member(stdout, false, "server_memory_bytes", served->memory_bytes);
    textout_u64_member(stdout, false, "load_memory_bytes", result->load_memory_bytes);
    fputs("}\n", stdout);
}

static void print_carriers_head(const BenchOptions *options)
{
    printf("%u room%s of %s x %u client%s at %u Hz%s, %u s each: ticks within 4 ms in %%, lateness in ms; of a client: CPU in us a tick, bytes a second; MiB\n",
           options->rooms, options->rooms == 1 ? "" : "s", options->world->name, options->clients, options->clients == 1 ? "" : "s", options->rate_hz,
           options->is_predict ? ", playing ahead" : "", options->seconds);
    printf("%-7s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "carrier", "held Hz", "on time", "dropped", "p50", "p99", "max", "server", "clients", "heard", "said",
           "server", "clients");
}

void bench_print_head(const BenchOptions *options)
{
    if (options->carrier_count > 1 && !options->is_json) {
        print_carriers_head(options);
        return;
    }
    if (options->is_sweep && !options->is_json) {
        printf("%s, %u clients a room, %u Hz over %s%s, %u s each; lateness in ms; CPU in us a room's tick, and of one core; a message in ns of CPU\n",
               options->world->name, options->clients, options->rate_hz, title_of(options->carriers[0]), options->is_predict ? ", playing ahead" : "",
               options->seconds);
        printf("%7s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "rooms", "held Hz", "dropped", "made up", "p50", "p99", "max", "server", "clients", "of core",
               "out", "in", "client", "MiB");
    }
}

void bench_print(const BenchResult *result)
{
    if (result->options->is_json) {
        print_json(result);
    } else if (result->options->carrier_count > 1) {
        print_carrier(result);
    } else if (result->options->is_sweep) {
        print_row(result);
    } else {
        print_text(result);
    }
}
