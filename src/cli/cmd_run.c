// cmd_run.c: `tickproof run`: plays a world and records it.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "logflags.h"
#include "machine.h"
#include "recording.h"
#include "tickproof/numerics.h"
#include "worldconfig.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof run --world W [FLAG]...\n"
    "Plays a world and, with -o, records every tick's inputs and checksum. Equal flags give equal files.\n"
    "\n"
    "  --world W          a built-in world's name, or a library (a path with a '/' or ending in .so)\n"
    "  --seed N           decimal or 0x hexadecimal; 0 when not given\n"
    "  --players N        slots; the world's usual number when not given\n"
    "  --ticks N          steps to do; 60 seconds when not given\n"
    "  --rate HZ          ticks per second; the world's usual rate when not given\n"
    "  --config F|JSON    the world's config: a file, - for standard input, or an object such as '{\"lead_ms\": 900}'\n"
    "  --bot              every slot is played by the world's bot\n"
    "  --bot-delay TICKS  its reaction time (implies --bot); 0 when not given\n"
    "  --inputs F         inputs as lines of JSON, as 'tickproof cat' prints them; - for standard input. Without --ticks\n"
    "                     the run ends with them\n"
    "                     Without --bot and --inputs every slot does nothing.\n"
    "  --hash NAME        checksums: xxh3 (usual) or fnv\n"
    "  -o, --output F     record into F; - for standard output. A new F has its name from the start: it can be followed while\n"
    "                     it grows, and when the run is cut off it stays, good up to its last whole record; only a run that\n"
    "                     fails before its first tick removes it. A pipe or device is written to and stays what it is\n"
    "      --force        replace F when it exists: the new log is written beside it under a hidden name and takes F's name\n"
    "                     and mode at the end; until then, and when the run fails, the old F stays\n"
    "\n"
    "How the log is written:\n"
    "  --run-ticks N      ticks per record, 1 to 256; 64\n"
    "  --root-bytes N     bytes of each tick's checksum, 0 (none) or 4 to 16; 8\n"
    "  --leaves N         ticks between section checksums, 0 for none; 64\n"
    "  --keyframes N      ticks between full states, 0 for the first only; 3600\n"
    "  --seal N           ticks between chain values, 0 for the end only; 600\n"
    "  --sign-key F       sign the log at each seal and at its end with the secret key F of 'tickproof keygen'\n"
    "  --durability WHEN  none (usual), interval, seal or tick: when bytes must be on the disk\n"
    "\n"
    "What is kept beside the rules, in no checksum of a tick:\n"
    "  --match ID         name of the match\n"
    "  --slot-name N=NAME who has slot N; may be repeated\n"
    "\n"
    "A world that faults ends its log with the fault: the log is valid, the exit code 0. Interrupted, the log ends there with\n"
    "reason 'stopped', and the exit code is 5.\n";

enum { PROVENANCE_MAX = 8 + TP_PLAYERS_MAX };

enum {
    FLAG_WORLD = ARGS_LONG, FLAG_SEED, FLAG_PLAYERS, FLAG_TICKS, FLAG_CONFIG, FLAG_RATE, FLAG_BOT, FLAG_BOT_DELAY, FLAG_INPUTS,
    FLAG_DURABILITY,
};

static const struct option flags[] = {
    { "world", required_argument, NULL, FLAG_WORLD },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "players", required_argument, NULL, FLAG_PLAYERS },
    { "ticks", required_argument, NULL, FLAG_TICKS },
    { "config", required_argument, NULL, FLAG_CONFIG },
    { "rate", required_argument, NULL, FLAG_RATE },
    { "bot", no_argument, NULL, FLAG_BOT },
    { "bot-delay", required_argument, NULL, FLAG_BOT_DELAY },
    { "inputs", required_argument, NULL, FLAG_INPUTS },
    { "durability", required_argument, NULL, FLAG_DURABILITY },
    LOGFLAGS_ROWS,
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    WorldSet          worlds;
    const tp_world   *world;
    uint64_t          seed;
    uint32_t          players, rate;
    bool              has_players, has_rate, has_ticks;
    uint64_t          ticks;
    const char       *config;
    int64_t           config_values[TP_CONFIG_ITEMS_MAX];
    bool              is_bot;
    uint32_t          bot_delay;
    const char       *inputs;
    LogFlags          log;
    tp_provenance     provenance[PROVENANCE_MAX];
    char              numerics[TP_NUMERICS_SIZE];
    char              slot_keys[TP_PLAYERS_MAX][20];
} RunOptions;

static bool take_durability(RunOptions *options, const char *name)
{
    static const char *const names[] = { "none", "interval", "seal", "tick" };
    for (int i = 0; i < 4; i++) {
        if (strcmp(names[i], name) == 0) {
            options->log.writer.durability = (tp_durability)i;
            return true;
        }
    }
    cli_fail(TP_USAGE, "--durability: '%s' is none; give none, interval, seal or tick", name);
    return false;
}

static bool take_flag(RunOptions *options, int flag)
{
    switch (flag) {
    case FLAG_WORLD: options->world = worlds_add(&options->worlds, optarg); return options->world != NULL;
    case FLAG_SEED: return args_u64("--seed", optarg, 0, UINT64_MAX, &options->seed);
    case FLAG_PLAYERS: options->has_players = true; return args_u32("--players", optarg, 0, TP_PLAYERS_MAX, &options->players);
    case FLAG_TICKS: options->has_ticks = true; return args_u64("--ticks", optarg, 0, UINT64_MAX - 1, &options->ticks);
    case FLAG_CONFIG: options->config = optarg; return true;
    case FLAG_RATE: options->has_rate = true; return args_u32("--rate", optarg, 1, 100000, &options->rate);
    case FLAG_BOT_DELAY: options->is_bot = true; return args_u32("--bot-delay", optarg, 0, 1000000, &options->bot_delay);
    case FLAG_BOT: options->is_bot = true; return true;
    case FLAG_INPUTS: options->inputs = optarg; return true;
    case FLAG_DURABILITY: return take_durability(options, optarg);
    default: return logflags_take(&options->log, flag);
    }
}

static bool is_wrong(RunOptions *options, int argc)
{
    const tp_world *world = options->world;
    if (optind < argc) {
        cli_usage("run", "it takes no operand");
    } else if (world == NULL) {
        cli_usage("run", "--world is missing");
    } else if (options->is_bot && options->inputs != NULL) {
        cli_usage("run", "--bot and --inputs exclude each other");
    } else if (options->is_bot && world->bot == NULL) {
        cli_fail(TP_USAGE, "--bot: world '%s' has none; give --inputs", world->name);
    } else if (options->inputs != NULL && options->config != NULL && strcmp(options->inputs, "-") == 0 && strcmp(options->config, "-") == 0) {
        cli_usage("run", "--inputs and --config cannot both be standard input");
    } else {
        return false;
    }
    return true;
}

static void complete(RunOptions *options)
{
    const tp_world *world = options->world;
    options->players = options->has_players ? options->players : world->players_standard;
    options->rate = options->has_rate ? options->rate : world->tick_rate_hz;
    if (!options->has_ticks) {
        options->ticks = options->inputs != NULL ? UINT64_MAX : (uint64_t)options->rate * 60;
    }
}

static void add_provenance(RunOptions *options, const char *key, const char *value)
{
    if (value != NULL && options->log.writer.provenance_count < PROVENANCE_MAX) {
        options->provenance[options->log.writer.provenance_count++] = (tp_provenance){ key, strlen(key), value, strlen(value) };
    }
}

// No clock and no host name, so that equal runs of one build give equal files.
static void fill_provenance(RunOptions *options)
{
    add_provenance(options, "compiler", machine_compiler());
    add_provenance(options, "build", "tickproof " TP_VERSION);
    add_provenance(options, "architecture", machine_architecture());
    tp_numerics(options->numerics);
    add_provenance(options, "numerics", options->numerics);
    add_provenance(options, "world.hash", worlds_hash(&options->worlds, options->world));
    add_provenance(options, "match", options->log.match);
    for (uint32_t slot = 0; slot < TP_PLAYERS_MAX; slot++) {
        snprintf(options->slot_keys[slot], sizeof(options->slot_keys[slot]), "slot.%u.name", slot);
        add_provenance(options, options->slot_keys[slot], options->log.slot_names[slot]);
    }
    options->log.writer.provenance = options->provenance;
}

static InputSource *open_inputs(const RunOptions *options, const tp_sim *sim)
{
    tp_error         error;
    const tp_layout *layout = tp_sim_layout(sim);
    if (options->inputs != NULL) {
        InputSource *lines = inputsource_lines(layout, options->inputs, &error);
        if (lines == NULL) {
            cli_fail(TP_USAGE, "%s: opening the inputs: %s", options->inputs, error.text);
        }
        return lines;
    }
    InputSource *source = options->is_bot ? inputsource_bots(layout, options->bot_delay) : inputsource_neutral(layout);
    if (source == NULL) {
        cli_fail(TP_INTERNAL, "out of memory");
    }
    return source;
}

// The last line alone has times, so that everything before it is the same for equal runs.
static void print_summary(const RunOptions *options, tp_sim *sim, uint64_t bytes, double seconds, FILE *out)
{
    recording_print(out, sim);
    if (options->log.output != NULL) {
        fprintf(out, ", %s %llu bytes", options->log.output, (unsigned long long)bytes);
    }
    fprintf(out, "\n%.3f s, %.0f ticks/s\n", seconds, (double)tp_sim_tick(sim) / (seconds + 1e-9));
}

// What a run that could not write its log leaves, and what can be done.
static const char *advice(NewFileKind kind)
{
    if (kind == NEW_FILE_IN_PLACE) {
        return "; what is there stays, good up to its last whole record ('tickproof verify' says which): make room, then record again";
    }
    return kind == NEW_FILE_BESIDE ? "; the old file stays as it was: make room, then record again" : "";
}

static int fail_writing(const RunOptions *options, const RecordingSink *sink, const char *what, NewFileKind kind)
{
    return cli_fail(sink->has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: writing the log: %s%s", options->log.output, what == NULL ? "out of space" : what,
                    sink->has_failed ? advice(kind) : "");
}

// Closes the file of a run that failed. Without a tick it is of no use to anybody.
static void leave(const RunOptions *options, NewFile *file, RecordingResult result, uint64_t ticks)
{
    if (ticks == 0) {
        files_abandon(file);
        return;
    }
    if (result == RECORDING_FAILED && file->kind == NEW_FILE_IN_PLACE) {
        cli_fail(TP_USAGE, "%s: the log stays as it is: its ticks end before tick %llu, and it has no END", options->log.output, (unsigned long long)ticks);
    }
    files_keep(file);
}

// Runs with everything open and `file` of kind NONE when nothing is recorded. Closes the file.
static int run_open(RunOptions *options, tp_sim *sim, InputSource *inputs, NewFile *file)
{
    tp_error   error;
    RecordingSink log_sink;
    tp_sink    sink = recording_sink(&log_sink, &file->fd);
    tp_writer *writer = NULL;
    FILE      *out = file->is_stdout ? stderr : stdout;
    double     start = cli_seconds();
    if (options->log.output != NULL) {
        writer = tp_writer_create(&sink, sim, &options->log.writer, false, &error);
        if (writer == NULL) {
            files_abandon(file);
            return cli_fail(log_sink.has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: starting the log: %s", options->log.output, error.text);
        }
    }
    Recording       recording = { sim, writer, inputs, options->ticks, !options->has_ticks && options->inputs != NULL, recording_stop_asked() };
    RecordingResult result = recording_run(&recording);
    uint64_t        bytes = writer == NULL ? 0 : tp_writer_bytes(writer);
    int             code = TP_USAGE;
    if (result == RECORDING_UNWRITTEN) {
        code = fail_writing(options, &log_sink, tp_writer_error(writer), tp_sim_tick(sim) == 0 ? NEW_FILE_NONE : file->kind);
    }
    tp_writer_destroy(writer);
    if (result == RECORDING_FAILED || result == RECORDING_UNWRITTEN) {
        leave(options, file, result, tp_sim_tick(sim));
        return code;
    }
    NewFileKind kind = file->kind;
    if (!files_commit(file, &error)) {
        return cli_fail(TP_INCOMPLETE, "%s: finishing the log: %s%s", options->log.output, error.text, advice(kind));
    }
    print_summary(options, sim, bytes, cli_seconds() - start, out);
    if (result == RECORDING_STOPPED) {
        return cli_fail(TP_INCOMPLETE, "interrupted before tick %llu; the log ends there", (unsigned long long)tp_sim_tick(sim));
    }
    return TP_VERIFIED;
}

static int run_world(RunOptions *options)
{
    tp_error error;
    tp_setup setup = { options->seed, options->players, options->rate, options->config_values };
    tp_sim_options sim_options = { .algorithm = options->log.algorithm };
    NewFile        file = { .fd = -1 };
    int            code = TP_USAGE;
    tp_sim        *sim = tp_sim_create(options->world, &setup, &sim_options, &error);
    if (sim == NULL) {
        return cli_fail(TP_USAGE, "making world '%s': %s", options->world->name, error.text);
    }
    InputSource *inputs = open_inputs(options, sim);
    if (inputs != NULL && options->log.output != NULL && !files_create(&file, options->log.output, options->log.may_replace, &error)) {
        cli_fail(TP_USAGE, "%s: making the log: %s", options->log.output, error.text);
    } else if (inputs != NULL) {
        // Not earlier: nothing else ends the wait for a pipe's reader.
        recording_catch_signals();
        code = run_open(options, sim, inputs, &file);
    }
    inputsource_destroy(inputs);
    tp_sim_destroy(sim);
    return code;
}

static int run_with(RunOptions *options, int argc, char **argv)
{
    logflags_standard(&options->log);
    for (int flag = args_next("run", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("run", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(options, flag)) {
            return TP_USAGE;
        }
    }
    if (is_wrong(options, argc)) {
        return TP_USAGE;
    }
    complete(options);
    if (!logflags_check(&options->log, options->players)) {
        return TP_USAGE;
    }
    worldconfig_standard(options->world, options->config_values);
    if (options->config != NULL && !worldconfig_read(options->world, options->config, options->config_values)) {
        return TP_USAGE;
    }
    fill_provenance(options);
    return run_world(options);
}

static int run(int argc, char **argv)
{
    RunOptions *options = calloc(1, sizeof(*options));
    if (options == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    int code = run_with(options, argc, argv);
    logflags_finish(&options->log);
    free(options);
    return code;
}

const Command command_run = { "run", "play a world and record it", help, run };
