// cmd_synctest.c: `tickproof synctest`: goes back and steps again, and says whether that comes to the same bits.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "crash.h"
#include "files.h"
#include "signals.h"
#include "synctest_work.h"
#include "worldconfig.h"

static const char help[] =
    "Usage: tickproof synctest --world W [FLAG]...\n"
    "       tickproof synctest [--world W]... [FLAG]... PATH...\n"
    "Proves that a world which goes back to an earlier state and steps the same ticks again comes to the same bits: root, events, every\n"
    "byte of the state and of what is derived from it. A straight run is never put back; after each of its ticks, at each distance D,\n"
    "the state of D ticks ago comes back and those ticks are stepped again. So every tick is compared, the last one once, and all with\n"
    "D - 1 ticks behind them D times: N*D - D*(D-1)/2 comparisons in N ticks. One that is missing makes the verdict 'incomplete'.\n"
    "As a client that rolls back does, each distance also guesses: it steps ticks with other inputs than theirs (those of the tick\n"
    "before as the world predicts them; else nobody, else everybody doing something; no commands), goes back, and steps the true\n"
    "ones. An opaque world is also run once without ever being saved, and compared by its own hash, or at the end if it has none.\n"
    "The run is a new one, or that of each log: a PATH is what it is for 'tickproof verify', and the log's own checksums count, too.\n"
    "\n"
    "      --distance D       1 to 1000, or two with a '-' between them; 1-8 when not given. Memory: copy keeps D + 2 states for\n"
    "                         each distance, so 1-D takes about D*D/2 of them; above 2 GiB in all it is refused\n"
    "      --strength NAME    how a state comes back; may be repeated, all when not given:\n"
    "                           copy     the host's snapshot, in the same world\n"
    "                           bytes    its canonical bytes, in a world made anew whose memory held something else\n"
    "                           process  the same bytes, in a process that has stepped nothing so far\n"
    "                           all      all three\n"
    "      --respawn N        process: states that one started process brings back, each in a fork of its own; 256\n"
    "      --step-timeout S   process: seconds that one answer may take; 10, 0 for no limit\n"
    "      --format F         text (usual) or json (one object per run, one line each)\n"
    "\n"
    "A new run:\n"
    "      --world W          a built-in world's name, or a library (a path with a '/' or ending in .so); with logs: a library with\n"
    "                         their world, may be repeated\n"
    "      --seed N           decimal or 0x hexadecimal; 0 when not given\n"
    "      --players N        slots; the world's usual number when not given\n"
    "      --ticks N          steps to do; 10 seconds when not given\n"
    "      --rate HZ          ticks per second; the world's usual rate when not given\n"
    "      --config F|JSON    the world's config: a file, - for standard input, or an object\n"
    "      --bot              every slot is played by the world's bot\n"
    "      --bot-delay TICKS  its reaction time (implies --bot); 0 when not given\n"
    "      --inputs F         inputs as lines of JSON, as 'tickproof cat' prints them; - for standard input. Without --ticks the run\n"
    "                         ends with them. Seed, players, rate and config in a line of rules before them are taken where\n"
    "                         no flag gives them; a flag that says otherwise is refused\n"
    "\n"
    "The exit code is 0 when everything was compared and equal, 1 for a difference, 5 for a tick that was not compared, 70 for a world\n"
    "that crashes in another process; a log's own verdict counts as in 'tickproof verify'. The most serious one is given. Ctrl-C ends\n"
    "the test with what was compared until then (5), a second one at once.\n";

enum {
    FLAG_WORLD = ARGS_LONG, FLAG_SEED, FLAG_PLAYERS, FLAG_TICKS, FLAG_RATE, FLAG_CONFIG, FLAG_BOT, FLAG_BOT_DELAY, FLAG_INPUTS, FLAG_DISTANCE,
    FLAG_STRENGTH, FLAG_RESPAWN, FLAG_STEP_TIMEOUT, FLAG_FORMAT,
};
enum { STANDARD_SECONDS = 10, STANDARD_DISTANCE = 8, STANDARD_RESPAWN = 256, STANDARD_TIMEOUT_S = 10 };

static const struct option flags[] = {
    { "world", required_argument, NULL, FLAG_WORLD },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "players", required_argument, NULL, FLAG_PLAYERS },
    { "ticks", required_argument, NULL, FLAG_TICKS },
    { "rate", required_argument, NULL, FLAG_RATE },
    { "config", required_argument, NULL, FLAG_CONFIG },
    { "bot", no_argument, NULL, FLAG_BOT },
    { "bot-delay", required_argument, NULL, FLAG_BOT_DELAY },
    { "inputs", required_argument, NULL, FLAG_INPUTS },
    { "distance", required_argument, NULL, FLAG_DISTANCE },
    { "strength", required_argument, NULL, FLAG_STRENGTH },
    { "respawn", required_argument, NULL, FLAG_RESPAWN },
    { "step-timeout", required_argument, NULL, FLAG_STEP_TIMEOUT },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static volatile bool stop_asked;

static void on_signal(int number)
{
    if (signals_is_second()) {
        signal(number, SIG_DFL); // a step that hangs in this process ends no other way
        raise(number);
    }
    stop_asked = true;
}

static bool take_world(SynctestWork *work, const char *argument)
{
    if (work->world_count == WORLDS_LOADED_MAX) {
        cli_usage("synctest", "--world: %d are the most", WORLDS_LOADED_MAX);
        return false;
    }
    work->world = worlds_add(&work->worlds, argument);
    work->world_arguments[work->world_count++] = argument;
    return work->world != NULL;
}

static bool take_distance(SynctestWork *work, const char *text)
{
    char        first[24];
    const char *dash = strchr(text, '-');
    size_t      length = dash == NULL ? strlen(text) : (size_t)(dash - text);
    snprintf(first, sizeof(first), "%.*s", (int)(length < sizeof(first) ? length : sizeof(first) - 1), text);
    if (!args_u32("--distance", first, 1, TP_SYNCTEST_DISTANCE_MAX, &work->distance_first)) {
        return false;
    }
    work->distance_last = work->distance_first;
    if (dash != NULL && !args_u32("--distance", dash + 1, 1, TP_SYNCTEST_DISTANCE_MAX, &work->distance_last)) {
        return false;
    }
    if (work->distance_last < work->distance_first) {
        cli_fail(TP_USAGE, "--distance: '%s' ends before it begins; write the smaller one first", text);
        return false;
    }
    return true;
}

static bool take_strength(SynctestWork *work, const char *text)
{
    if (strcmp(text, "all") == 0) {
        work->strengths = (1u << TP_STRENGTH_COUNT) - 1;
        return true;
    }
    for (uint32_t i = 0; i < TP_STRENGTH_COUNT; i++) {
        if (strcmp(text, tp_strength_name(i)) == 0) {
            work->strengths |= 1u << i;
            return true;
        }
    }
    cli_fail(TP_USAGE, "--strength: '%s' is none; give copy, bytes, process or all", text);
    return false;
}

static bool take_flag(SynctestWork *work, int flag)
{
    switch (flag) {
    case FLAG_WORLD: return take_world(work, optarg);
    case FLAG_SEED: work->has_seed = true; return args_u64("--seed", optarg, 0, UINT64_MAX, &work->seed);
    case FLAG_PLAYERS: work->has_players = true; return args_u32("--players", optarg, 0, TP_PLAYERS_MAX, &work->players);
    case FLAG_TICKS: work->has_ticks = true; return args_u64("--ticks", optarg, 0, UINT64_MAX - 1, &work->ticks);
    case FLAG_RATE: work->has_rate = true; return args_u32("--rate", optarg, 1, 100000, &work->rate);
    case FLAG_CONFIG: work->config = optarg; return true;
    case FLAG_BOT: work->is_bot = true; return true;
    case FLAG_BOT_DELAY: work->is_bot = true; return args_u32("--bot-delay", optarg, 0, 1000000, &work->bot_delay);
    case FLAG_INPUTS: work->inputs = optarg; return true;
    case FLAG_DISTANCE: return take_distance(work, optarg);
    case FLAG_STRENGTH: return take_strength(work, optarg);
    case FLAG_RESPAWN: return args_u32("--respawn", optarg, 1, UINT32_MAX, &work->respawn);
    case FLAG_STEP_TIMEOUT: return args_u32("--step-timeout", optarg, 0, 86400, &work->step_timeout_s);
    case FLAG_FORMAT: return args_is_json(optarg, &work->is_json);
    default: return false;
    }
}

static bool is_wrong_new(const SynctestWork *work)
{
    if (work->world == NULL) {
        cli_usage("synctest", "--world or a PATH is missing");
    } else if (work->world_count > 1) {
        cli_usage("synctest", "--world: a new run has one");
    } else if (work->is_bot && work->inputs != NULL) {
        cli_usage("synctest", "--bot and --inputs exclude each other");
    } else if (work->is_bot && work->world->bot == NULL) {
        cli_fail(TP_USAGE, "--bot: world '%s' has none; give --inputs", work->world->name);
    } else if (work->inputs != NULL && work->config != NULL && strcmp(work->inputs, "-") == 0 && strcmp(work->config, "-") == 0) {
        cli_usage("synctest", "--inputs and --config cannot both be standard input");
    } else {
        return false;
    }
    return true;
}

static bool has_flag_of_new(const SynctestWork *work)
{
    return work->has_ticks || work->has_players || work->has_rate || work->is_bot || work->inputs != NULL || work->config != NULL || work->has_seed;
}

static void report(const SynctestWork *work, const SynctestResult *result)
{
    if (work->is_json) {
        synctestreport_json(stdout, result);
    } else {
        synctestreport_text(stdout, result);
    }
}

// False: said so. `*inputs` are the caller's in any case.
static bool complete_new(SynctestWork *work, InputSource **inputs, int *code)
{
    work->players = work->has_players ? work->players : work->world->players_standard;
    work->rate = work->has_rate ? work->rate : work->world->tick_rate_hz;
    if (!work->has_ticks) {
        work->ticks = work->inputs != NULL ? UINT64_MAX : (uint64_t)work->rate * STANDARD_SECONDS;
    }
    worldconfig_standard(work->world, work->config_values);
    if (work->config != NULL && !worldconfig_read(work->world, work->config, work->config_values)) {
        *code = TP_USAGE;
    } else if (work->inputs != NULL) {
        *code = synctestrules_take(work, inputs);
    }
    return *code == TP_VERIFIED;
}

static int test_new(SynctestWork *work)
{
    SynctestBench  bench = { 0 };
    SynctestResult result = { 0 };
    InputSource   *inputs = NULL;
    int            code = TP_VERIFIED;
    double         start = cli_seconds();
    bool           is_done = complete_new(work, &inputs, &code) && synctestrun_new(work, inputs, &bench, &result, &code);
    result.seconds = cli_seconds() - start;
    if (is_done) {
        report(work, &result);
        code = (int)result.verdict;
    }
    synctestbench_close(&bench);
    inputsource_destroy(inputs);
    return code;
}

static int test_log(const SynctestWork *work, const char *path)
{
    SynctestBench  bench = { 0 };
    SynctestResult result = { 0 };
    tp_report     *verified = calloc(1, sizeof(*verified));
    double         start = cli_seconds();
    if (verified == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    synctestrun_log(work, &bench, path, verified, &result);
    result.seconds = cli_seconds() - start;
    report(work, &result);
    synctestbench_close(&bench);
    free(verified);
    return (int)result.verdict;
}

static int test_logs(const SynctestWork *work, int count, char **operands)
{
    PathList paths = { 0 };
    int      code = TP_VERIFIED;
    for (int i = 0; i < count; i++) {
        code = files_expand(&paths, operands[i]) ? code : TP_USAGE;
    }
    for (size_t i = 0; i < paths.count && !stop_asked; i++) {
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)test_log(work, paths.items[i]));
    }
    files_finish(&paths);
    return stop_asked ? (int)tp_verdict_worst((tp_verdict)code, TP_INCOMPLETE) : code;
}

static int run_with(SynctestWork *work, int argc, char **argv)
{
    struct sigaction action = { .sa_handler = on_signal }; // no SA_RESTART: a wait for the next line of inputs must end, too
    for (int flag = args_next("synctest", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("synctest", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(work, flag)) {
            return TP_USAGE;
        }
    }
    work->strengths = work->strengths == 0 ? (1u << TP_STRENGTH_COUNT) - 1 : work->strengths;
    work->shows_progress = isatty(STDERR_FILENO) != 0;
    if (optind < argc && has_flag_of_new(work)) {
        return cli_usage("synctest", "a log has its own seed, players, ticks, rate, config and inputs: leave these flags out, or the PATH");
    }
    if (optind == argc && is_wrong_new(work)) {
        return TP_USAGE;
    }
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    crash_guard();
    return optind < argc ? test_logs(work, argc - optind, argv + optind) : test_new(work);
}

static int run(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--child") == 0) {
        return synctestchild_main(argv[2]);
    }
    SynctestWork *work = calloc(1, sizeof(*work));
    if (work == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    work->distance_first = 1;
    work->distance_last = STANDARD_DISTANCE;
    work->respawn = STANDARD_RESPAWN;
    work->step_timeout_s = STANDARD_TIMEOUT_S;
    work->algorithm = TP_HASH_XXH3;
    work->stop = &stop_asked;
    int code = run_with(work, argc, argv);
    free(work);
    return code;
}

const Command command_synctest = { "synctest", "go back, step again, and compare every tick", help, run };
