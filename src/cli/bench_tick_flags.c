// bench_tick_flags.c: the command line of `tickproof bench tick`.
#include "args.h"
#include "bench_tick.h"
#include "cli.h"

enum { FLAG_WORLD = ARGS_LONG, FLAG_PLAYERS, FLAG_TICKS, FLAG_ROUNDS, FLAG_SEED, FLAG_CONFIG, FLAG_FORMAT };
enum { TICKS_MAX = 10000000, TICKS_USUAL = 2000, ROUNDS_USUAL = 9 };

static const struct option flags[] = {
    { "world", required_argument, NULL, FLAG_WORLD },     { "players", required_argument, NULL, FLAG_PLAYERS }, { "ticks", required_argument, NULL, FLAG_TICKS },
    { "rounds", required_argument, NULL, FLAG_ROUNDS },   { "seed", required_argument, NULL, FLAG_SEED },       { "config", required_argument, NULL, FLAG_CONFIG },
    { "format", required_argument, NULL, FLAG_FORMAT },   { "help", no_argument, NULL, ARGS_HELP },             { NULL, 0, NULL, 0 },
};

static bool take_flag(BenchTickOptions *options, int flag)
{
    switch (flag) {
    case FLAG_WORLD: options->world = worlds_add(&options->worlds, optarg); return options->world != NULL;
    case FLAG_PLAYERS: return args_u32("--players", optarg, 1, TP_PLAYERS_MAX, &options->players);
    case FLAG_TICKS: return args_u64("--ticks", optarg, 1, TICKS_MAX, &options->ticks);
    case FLAG_ROUNDS: return args_u32("--rounds", optarg, 1, BENCH_TICK_ROUNDS_MAX, &options->rounds);
    case FLAG_SEED: return args_u64("--seed", optarg, 0, UINT64_MAX, &options->seed);
    case FLAG_CONFIG: options->config = optarg; return true;
    case FLAG_FORMAT: return args_is_json(optarg, &options->is_json);
    default: return false; // refused, and said so
    }
}

static int measure(const BenchTickOptions *options, const tp_world *world)
{
    static BenchTickResult result;
    if (!bench_tick_measure(options, world, &result)) {
        if (result.text[0] == '\0') {
            return TP_USAGE; // said already
        }
        return cli_fail(result.is_diverged ? TP_DIVERGED : TP_USAGE, "bench tick: world '%s': %s", world->name, result.text);
    }
    bench_tick_print(&result, options->is_json);
    return TP_VERIFIED;
}

static int measure_all(const BenchTickOptions *options)
{
    int code = TP_VERIFIED;
    for (size_t i = 0; code == TP_VERIFIED && worlds_at(i) != NULL; i++) {
        code = measure(options, worlds_at(i));
    }
    return code;
}

int bench_tick(int argc, char **argv)
{
    static BenchTickOptions options;
    options = (BenchTickOptions){ .ticks = TICKS_USUAL, .rounds = ROUNDS_USUAL, .seed = 5 };
    for (int flag = args_next("bench", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("bench", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            return ARGS_HELP; // one text for all that can be measured, which the caller has
        }
        if (!take_flag(&options, flag)) {
            return TP_USAGE;
        }
    }
    if (optind < argc) {
        return cli_usage("bench", "'%s': one thing at a time is measured", argv[optind]);
    }
    if (options.world == NULL && options.config != NULL) {
        return cli_usage("bench", "--config is of one world; name it with --world");
    }
    return options.world != NULL ? measure(&options, options.world) : measure_all(&options);
}
