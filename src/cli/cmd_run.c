// cmd_run.c: `tickproof run`: plays a world and records it.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "recording.h"
#include "textout.h"
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
    FLAG_HASH, FLAG_FORCE, FLAG_RUN_TICKS, FLAG_ROOT_BYTES, FLAG_LEAVES, FLAG_KEYFRAMES, FLAG_SEAL, FLAG_DURABILITY, FLAG_MATCH,
    FLAG_SLOT_NAME,
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
    { "hash", required_argument, NULL, FLAG_HASH },
    { "output", required_argument, NULL, 'o' },
    { "force", no_argument, NULL, FLAG_FORCE },
    { "run-ticks", required_argument, NULL, FLAG_RUN_TICKS },
    { "root-bytes", required_argument, NULL, FLAG_ROOT_BYTES },
    { "leaves", required_argument, NULL, FLAG_LEAVES },
    { "keyframes", required_argument, NULL, FLAG_KEYFRAMES },
    { "seal", required_argument, NULL, FLAG_SEAL },
    { "durability", required_argument, NULL, FLAG_DURABILITY },
    { "match", required_argument, NULL, FLAG_MATCH },
    { "slot-name", required_argument, NULL, FLAG_SLOT_NAME },
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
    tp_hash_algorithm algorithm;
    const char       *output;
    bool              may_replace;
    tp_writer_options writer;
    tp_provenance     provenance[PROVENANCE_MAX];
    char              slot_keys[TP_PLAYERS_MAX][20];
    const char       *slot_names[TP_PLAYERS_MAX];
    const char       *match;
} RunOptions;

static volatile bool stop_asked;

static void on_signal(int number)
{
    (void)number;
    stop_asked = true;
}

static bool take_hash(RunOptions *options, const char *name)
{
    if (strcmp(name, "xxh3") == 0) {
        options->algorithm = TP_HASH_XXH3;
    } else if (strcmp(name, "fnv") == 0 || strcmp(name, "fnv1a128") == 0) {
        options->algorithm = TP_HASH_FNV1A128;
    } else {
        cli_fail(TP_USAGE, "--hash: '%s' is no algorithm; give xxh3 or fnv", name);
        return false;
    }
    return true;
}

static bool take_durability(RunOptions *options, const char *name)
{
    static const char *const names[] = { "none", "interval", "seal", "tick" };
    for (int i = 0; i < 4; i++) {
        if (strcmp(names[i], name) == 0) {
            options->writer.durability = (tp_durability)i;
            return true;
        }
    }
    cli_fail(TP_USAGE, "--durability: '%s' is none; give none, interval, seal or tick", name);
    return false;
}

static bool take_slot_name(RunOptions *options, const char *text)
{
    char        number[16];
    uint32_t    slot = 0;
    const char *equals = strchr(text, '=');
    if (equals == NULL || (size_t)(equals - text) >= sizeof(number)) {
        cli_fail(TP_USAGE, "--slot-name: '%s' is not SLOT=NAME", text);
        return false;
    }
    memcpy(number, text, (size_t)(equals - text));
    number[equals - text] = '\0';
    if (!args_u32("--slot-name", number, 0, TP_PLAYERS_MAX - 1, &slot)) {
        return false;
    }
    if (options->slot_names[slot] != NULL) {
        cli_fail(TP_USAGE, "--slot-name: %s: slot %u has a name already, '%s'", text, slot, options->slot_names[slot]);
        return false;
    }
    options->slot_names[slot] = equals + 1;
    return true;
}

static bool take_root_bytes(RunOptions *options, const char *text)
{
    if (!args_u32("--root-bytes", text, 0, 16, &options->writer.root_size)) {
        return false;
    }
    if (options->writer.root_size >= 1 && options->writer.root_size <= 3) {
        cli_fail(TP_USAGE, "--root-bytes: %s is out of range; give 0 or 4 to 16", text);
        return false;
    }
    return true;
}

static bool take_log_flag(RunOptions *options, int flag)
{
    tp_writer_options *writer = &options->writer;
    switch (flag) {
    case FLAG_RUN_TICKS: return args_u32("--run-ticks", optarg, 1, TP_LOG_ROWS_MAX, &writer->run_ticks);
    case FLAG_ROOT_BYTES: return take_root_bytes(options, optarg);
    case FLAG_LEAVES: return args_u32("--leaves", optarg, 0, UINT32_MAX, &writer->leaves_ticks);
    case FLAG_KEYFRAMES: return args_u32("--keyframes", optarg, 0, UINT32_MAX, &writer->key_ticks);
    case FLAG_SEAL: return args_u32("--seal", optarg, 0, UINT32_MAX, &writer->seal_ticks);
    case FLAG_DURABILITY: return take_durability(options, optarg);
    case FLAG_MATCH: options->match = optarg; return true;
    case FLAG_SLOT_NAME: return take_slot_name(options, optarg);
    default: return false;
    }
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
    case FLAG_HASH: return take_hash(options, optarg);
    case FLAG_FORCE: options->may_replace = true; return true;
    case 'o': options->output = optarg; return true;
    default: return take_log_flag(options, flag);
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

// Only now the number of slots is known.
static bool has_stray_name(const RunOptions *options)
{
    for (uint32_t slot = options->players; slot < TP_PLAYERS_MAX; slot++) {
        if (options->slot_names[slot] != NULL) {
            cli_fail(TP_USAGE, "--slot-name: %u=%s: there is no slot %u; the match has %u, counted from 0", slot, options->slot_names[slot], slot,
                     options->players);
            return true;
        }
    }
    return false;
}

static const char *architecture(void)
{
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__i386__)
    return "x86";
#elif defined(__powerpc64__)
    return "ppc64";
#elif defined(__riscv)
    return "riscv";
#elif defined(__s390x__)
    return "s390x";
#else
    return "unknown";
#endif
}

static void add_provenance(RunOptions *options, const char *key, const char *value)
{
    if (value != NULL && options->writer.provenance_count < PROVENANCE_MAX) {
        options->provenance[options->writer.provenance_count++] = (tp_provenance){ key, strlen(key), value, strlen(value) };
    }
}

// No clock and no host name, so that equal runs of one build give equal files.
static void fill_provenance(RunOptions *options)
{
#ifdef __clang__
    add_provenance(options, "compiler", "clang " __clang_version__);
#else
    add_provenance(options, "compiler", "gcc " __VERSION__);
#endif
    add_provenance(options, "build", "tickproof " TP_VERSION);
    add_provenance(options, "architecture", architecture());
    add_provenance(options, "world.hash", worlds_hash(&options->worlds, options->world));
    add_provenance(options, "match", options->match);
    for (uint32_t slot = 0; slot < TP_PLAYERS_MAX; slot++) {
        snprintf(options->slot_keys[slot], sizeof(options->slot_keys[slot]), "slot.%u.name", slot);
        add_provenance(options, options->slot_keys[slot], options->slot_names[slot]);
    }
    options->writer.provenance = options->provenance;
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
    uint64_t ticks = tp_sim_tick(sim);
    uint64_t ms = ticks / options->rate * 1000 + ticks % options->rate * 1000 / options->rate;
    uint8_t  root[16];
    tp_hash128_to_bytes(tp_sim_root(sim), root);
    fprintf(out, "%s revision %u, seed %llu, %u players: ", options->world->name, options->world->revision,
            (unsigned long long)options->seed, options->players);
    char text[512];
    if (tp_sim_describe(sim, text, sizeof(text))) {
        fprintf(out, "%s; ", text);
    }
    fprintf(out, "%llu ticks, %llu.%03llu s at %u ticks/s, root ", (unsigned long long)ticks, (unsigned long long)(ms / 1000),
            (unsigned long long)(ms % 1000), options->rate);
    textout_hex(out, root, sizeof(root));
    if (options->output != NULL) {
        fprintf(out, ", %s %llu bytes", options->output, (unsigned long long)bytes);
    }
    fprintf(out, "\n%.3f s, %.0f ticks/s\n", seconds, (double)ticks / (seconds + 1e-9));
}

// A sink that remembers that it failed: the writer has other reasons to stop, too.
typedef struct {
    tp_sink inner;
    bool    has_failed;
} LogSink;

static bool sink_write(void *self, const uint8_t *bytes, size_t size)
{
    LogSink *sink = self;
    bool     is_written = sink->inner.write(sink->inner.self, bytes, size);
    sink->has_failed = sink->has_failed || !is_written;
    return is_written;
}

static bool sink_sync(void *self)
{
    LogSink *sink = self;
    bool     is_durable = sink->inner.sync(sink->inner.self);
    sink->has_failed = sink->has_failed || !is_durable;
    return is_durable;
}

// What a run that could not write its log leaves, and what can be done.
static const char *advice(NewFileKind kind)
{
    if (kind == NEW_FILE_IN_PLACE) {
        return "; what is there stays, good up to its last whole record ('tickproof verify' says which): make room, then record again";
    }
    return kind == NEW_FILE_BESIDE ? "; the old file stays as it was: make room, then record again" : "";
}

static int fail_writing(const RunOptions *options, const LogSink *sink, const char *what, NewFileKind kind)
{
    return cli_fail(sink->has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: writing the log: %s%s", options->output, what == NULL ? "out of space" : what,
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
        cli_fail(TP_USAGE, "%s: the log stays as it is: its ticks end before tick %llu, and it has no END", options->output, (unsigned long long)ticks);
    }
    files_keep(file);
}

// Runs with everything open and `file` of kind NONE when nothing is recorded. Closes the file.
static int run_open(RunOptions *options, tp_sim *sim, InputSource *inputs, NewFile *file)
{
    tp_error   error;
    LogSink    log_sink = { .inner = tp_sink_of_fd(&file->fd) };
    tp_sink    sink = { &log_sink, sink_write, sink_sync };
    tp_writer *writer = NULL;
    FILE      *out = file->is_stdout ? stderr : stdout;
    double     start = cli_seconds();
    if (options->output != NULL) {
        writer = tp_writer_create(&sink, sim, &options->writer, false, &error);
        if (writer == NULL) {
            files_abandon(file);
            return cli_fail(log_sink.has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: starting the log: %s", options->output, error.text);
        }
    }
    Recording       recording = { sim, writer, inputs, options->ticks, !options->has_ticks && options->inputs != NULL, &stop_asked };
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
        return cli_fail(TP_INCOMPLETE, "%s: finishing the log: %s%s", options->output, error.text, advice(kind));
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
    tp_sim_options sim_options = { .algorithm = options->algorithm };
    NewFile        file = { .fd = -1 };
    int            code = TP_USAGE;
    tp_sim        *sim = tp_sim_create(options->world, &setup, &sim_options, &error);
    if (sim == NULL) {
        return cli_fail(TP_USAGE, "making world '%s': %s", options->world->name, error.text);
    }
    InputSource *inputs = open_inputs(options, sim);
    if (inputs != NULL && options->output != NULL && !files_create(&file, options->output, options->may_replace, &error)) {
        cli_fail(TP_USAGE, "%s: making the log: %s", options->output, error.text);
    } else if (inputs != NULL) {
        // Not earlier: nothing else ends the wait for a pipe's reader.
        struct sigaction action = { .sa_handler = on_signal }; // no SA_RESTART: a wait for the next line of inputs must end, too
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        code = run_open(options, sim, inputs, &file);
    }
    inputsource_destroy(inputs);
    tp_sim_destroy(sim);
    return code;
}

static int run_with(RunOptions *options, int argc, char **argv)
{
    options->algorithm = TP_HASH_XXH3;
    tp_writer_options_standard(&options->writer);
    // What survives a crash of this program needs no sync, and at its end the file is synced as a whole.
    options->writer.durability = TP_DURABLE_NONE;
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
    if (has_stray_name(options)) {
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
    free(options);
    return code;
}

const Command command_run = { "run", "play a world and record it", help, run };
