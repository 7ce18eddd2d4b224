// cmd_bench.c: `tickproof bench`: what this machine holds.
#include <string.h>

#include "args.h"
#include "bench.h"
#include "bench_tick.h"
#include "cli.h"

static const char help[] =
    "Usage: tickproof bench [live|tick [FLAG]...]\n"
    "Measures what this machine holds. Without a name it lists what can be measured.\n"
    "\n"
    "tick: what a tick costs, part by part: the world's bare step, rows and events, the root, the record, the snapshot; what runs on the\n"
    "recorder's thread; save, restore and root, which a rollback costs; beside them what memcpy and XXH3 take for so many bytes. All in one\n"
    "run, in rounds, as nanoseconds of CPU and by the bare step; the roots of all runs must be the same, else the exit code is 1.\n"
    "\n"
    "  --world W            a world or a library with one; every built-in world when not given\n"
    "  --players N          the world's standard\n"
    "  --config F|JSON      of the world\n"
    "  --ticks N            of a round, 1 to 10000000; 2000\n"
    "  --rounds N           1 to 99, of which the medians count; 9\n"
    "  --seed N             5\n"
    "  --format F           text (usual) or json: an object for each world\n"
    "\n"
    "live: a server in a process of its own, and clients in this one, over the loopback: how many rooms keep their rate, how late their\n"
    "ticks begin, and what a tick and a message cost. Clients hold drawn inputs for some ticks each, step every confirmed tick\n"
    "themselves and compare its checksum. What is measured begins after a warm-up, and the server keeps no logs unless it is told to.\n"
    "\n"
    "  --rooms N            1 to 4096; 100\n"
    "  --clients N          of each room, with a slot each; 2\n"
    "  --world W            of the rooms, or a library with it; fighter\n"
    "  --rate HZ            ticks a second, 1 to 1000; the world's\n"
    "  --seconds N          that are measured, 1 to 86400; 10\n"
    "  --warm-up N          seconds before, once all clients are in, 0 to 3600; 3\n"
    "  --threads N          of the server, 1 to 64; one per core\n"
    "  --load-threads N     of the clients, 1 to 16; 1\n"
    "  --rooms-per-connection N\n"
    "                       of one client, 1 to 100; 32\n"
    "  --predict            clients play ahead of the server on clocks of their own, guess and go back\n"
    "  --carrier LIST       tcp, udp, ws, or several with commas between, such as tcp,udp,ws: a line of a table for each; tcp\n"
    "  --udp                --carrier udp\n"
    "  --record DIR         the server keeps a log of each room\n"
    "  --seed N             of worlds and inputs; 0\n"
    "  --sweep              begin with --rooms and double them until ticks are dropped, the 99th percentile of lateness passes 4 ms, or\n"
    "                       more than 1 % of the inputs come too late, so that they are made up: a line of a table for each\n"
    "  --format F           text (usual) or json: an object for each run\n"
    "\n"
    "A message to a client costs what the server's ticks cost with what they send, divided by all such messages; one from a client what\n"
    "is left of the server's CPU but for recording. Numbers are of a machine that does nothing else.\n"
    "Exit codes: 0 it was measured, however late ticks were; 1 a client's checksum was another; 2 wrong command line; 5 a connection\n"
    "or a room ended before the time was over.\n";

enum {
    FLAG_ROOMS = ARGS_LONG, FLAG_CLIENTS, FLAG_WORLD, FLAG_RATE, FLAG_SECONDS, FLAG_WARM_UP, FLAG_THREADS, FLAG_LOAD_THREADS, FLAG_PER_CONNECTION,
    FLAG_PREDICT, FLAG_UDP, FLAG_CARRIER, FLAG_RECORD, FLAG_SEED, FLAG_SWEEP, FLAG_FORMAT,
};

static const struct option flags[] = {
    { "rooms", required_argument, NULL, FLAG_ROOMS },
    { "clients", required_argument, NULL, FLAG_CLIENTS },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "rate", required_argument, NULL, FLAG_RATE },
    { "seconds", required_argument, NULL, FLAG_SECONDS },
    { "warm-up", required_argument, NULL, FLAG_WARM_UP },
    { "threads", required_argument, NULL, FLAG_THREADS },
    { "load-threads", required_argument, NULL, FLAG_LOAD_THREADS },
    { "rooms-per-connection", required_argument, NULL, FLAG_PER_CONNECTION },
    { "predict", no_argument, NULL, FLAG_PREDICT },
    { "udp", no_argument, NULL, FLAG_UDP },
    { "carrier", required_argument, NULL, FLAG_CARRIER },
    { "record", required_argument, NULL, FLAG_RECORD },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "sweep", no_argument, NULL, FLAG_SWEEP },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static bool take_world(BenchOptions *options, const char *name)
{
    options->world = worlds_add(&options->worlds, name);
    return options->world != NULL;
}

static bool take_carriers(BenchOptions *options, const char *list)
{
    options->carrier_count = 0;
    for (const char *at = list; at != NULL;) {
        size_t      size = strcspn(at, ",");
        CarrierKind kind = CARRIER_TCP;
        bool        is_known = false, is_given = false;
        for (int i = CARRIER_TCP; i <= CARRIER_WS && !is_known; i++) {
            kind = (CarrierKind)i;
            is_known = strlen(bench_carrier_name(kind)) == size && strncmp(bench_carrier_name(kind), at, size) == 0;
        }
        for (uint32_t i = 0; i < options->carrier_count; i++) {
            is_given = is_given || options->carriers[i] == kind;
        }
        if (!is_known || is_given) {
            cli_usage("bench", "--carrier: '%s': give tcp, udp and ws, each once, with commas between", list);
            return false;
        }
        options->carriers[options->carrier_count++] = kind;
        at = at[size] == ',' ? at + size + 1 : NULL;
    }
    return true;
}

static bool take_flag(BenchOptions *options, int flag)
{
    switch (flag) {
    case FLAG_ROOMS: return args_u32("--rooms", optarg, 1, BENCH_ROOMS_MAX, &options->rooms);
    case FLAG_CLIENTS: return args_u32("--clients", optarg, 1, TP_PLAYERS_MAX, &options->clients);
    case FLAG_WORLD: return take_world(options, optarg);
    case FLAG_RATE: return args_u32("--rate", optarg, 1, 1000, &options->rate_hz);
    case FLAG_SECONDS: return args_u32("--seconds", optarg, 1, 86400, &options->seconds);
    case FLAG_WARM_UP: return args_u32("--warm-up", optarg, 0, 3600, &options->warm_up_seconds);
    case FLAG_THREADS: return args_u32("--threads", optarg, 1, 64, &options->threads);
    case FLAG_LOAD_THREADS: return args_u32("--load-threads", optarg, 1, BENCH_LOAD_THREADS, &options->load_threads);
    case FLAG_PER_CONNECTION: return args_u32("--rooms-per-connection", optarg, 1, 100, &options->rooms_per_connection);
    case FLAG_PREDICT: options->is_predict = true; return true;
    case FLAG_UDP: return take_carriers(options, "udp");
    case FLAG_CARRIER: return take_carriers(options, optarg);
    case FLAG_RECORD: options->record_dir = optarg; return true;
    case FLAG_SEED: return args_u64("--seed", optarg, 0, UINT64_MAX, &options->seed);
    case FLAG_SWEEP: options->is_sweep = true; return true;
    case FLAG_FORMAT: return args_is_json(optarg, &options->is_json);
    default: return false; // refused, and said so
    }
}

static bool is_wrong(const BenchOptions *options)
{
    if ((uint64_t)options->rooms * options->clients > BENCH_MEMBERS_MAX) {
        cli_usage("bench", "%u rooms of %u clients: %d clients in all are the most", options->rooms, options->clients, BENCH_MEMBERS_MAX);
        return true;
    }
    if (options->carrier_count > 1 && options->is_sweep) {
        cli_usage("bench", "--sweep goes with one carrier: its table has a line for each number of rooms");
        return true;
    }
    return false;
}

static int run_live(BenchOptions *options)
{
    if (options->world == NULL && !take_world(options, "fighter")) {
        return TP_USAGE;
    }
    options->rate_hz = options->rate_hz > 0 ? options->rate_hz : options->world->tick_rate_hz;
    return is_wrong(options) ? TP_USAGE : bench_live(options);
}

static int run_tick(int argc, char **argv)
{
    int code = bench_tick(argc, argv);
    if (code != ARGS_HELP) {
        return code;
    }
    fputs(help, stdout);
    return TP_VERIFIED;
}

static int run(int argc, char **argv)
{
    static BenchOptions options;
    if (argc > 1 && strcmp(argv[1], "tick") == 0) {
        return run_tick(argc - 1, argv + 1);
    }
    options = (BenchOptions){ .rooms = 100, .clients = 2, .seconds = 10, .warm_up_seconds = 3, .load_threads = 1, .rooms_per_connection = 32, .carrier_count = 1 };
    bool has_flag = false;
    for (int flag = args_next("bench", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("bench", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (!take_flag(&options, flag)) {
            return TP_USAGE;
        }
        has_flag = true;
    }
    if (optind == argc && !has_flag) {
        puts("live     a server's rooms and their clients, sustained");
        puts("tick     what a tick costs, part by part");
        return TP_VERIFIED;
    }
    if (optind == argc) {
        return cli_usage("bench", "nothing is named to be measured; 'tickproof bench' lists what can be");
    }
    if (strcmp(argv[optind], "live") != 0) {
        return cli_usage("bench", "'%s' cannot be measured; 'tickproof bench' lists what can be", argv[optind]);
    }
    if (optind + 1 < argc) {
        return cli_usage("bench", "'%s': one thing at a time is measured", argv[optind + 1]);
    }
    return run_live(&options);
}

const Command command_bench = { "bench", "measure what this machine holds", help, run };
