// cmd_trace.c: `tickproof trace`: a log stepped on this machine, and what it came to as a sidecar for others to compare.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "args.h"
#include "axis.h"
#include "cli.h"
#include "crash.h"
#include "files.h"
#include "machine.h"
#include "signals.h"
#include "tickproof/numerics.h"
#include "tickproof/trace.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof trace FILE -o SIDECAR [--world W]... [--leaves N] [--to TICK] [--states STEPS,...] [--text KEY=VALUE]...\n"
    "Steps a log on this machine and writes what it came to, in hashes: the root of every tick, what went in and came out, how often a\n"
    "generator was drawn from, and the leaves of the state at intervals; some ten to thirty bytes a tick. 'tickproof compare' holds the\n"
    "sidecars of several machines against each other. What the log itself claims is not looked at: that is what 'verify' does.\n"
    "FILE and SIDECAR may be - for standard input and output. Exit code 0: the log was stepped to its end, or to where --to says.\n"
    "\n"
    "  -o, --output F      where the sidecar goes; an existing file is not replaced without --force\n"
    "      --force         replace F\n"
    "      --leaves N      leaves after every N steps, 64 when not given; 1: each tick's, 0: none\n"
    "      --to TICK       the last tick to step\n"
    "      --states S,...  keep the whole state after so many steps, at most 16 times\n"
    "      --text K=V      say more about this machine, such as host=build-7; may be repeated\n"
    "      --world W       a library with the log's world; may be repeated\n"
    "      --perturb A     change something that a correct world cannot notice; see below; may be repeated\n"
    "\n"
    "What --perturb takes ('tickproof perturb' tries them one after another):\n";

enum { FLAG_OUTPUT = 'o', FLAG_FORCE = ARGS_LONG, FLAG_LEAVES, FLAG_TO, FLAG_STATES, FLAG_TEXT, FLAG_WORLD, FLAG_PERTURB };

static const struct option flags[] = {
    { "output", required_argument, NULL, FLAG_OUTPUT },   { "force", no_argument, NULL, FLAG_FORCE },
    { "leaves", required_argument, NULL, FLAG_LEAVES },   { "to", required_argument, NULL, FLAG_TO },
    { "states", required_argument, NULL, FLAG_STATES },   { "text", required_argument, NULL, FLAG_TEXT },
    { "world", required_argument, NULL, FLAG_WORLD },     { "perturb", required_argument, NULL, FLAG_PERTURB },
    { "help", no_argument, NULL, ARGS_HELP },             { NULL, 0, NULL, 0 },
};

typedef struct {
    const char      *path, *output;
    bool             may_replace;
    tp_trace_options options;
    uint64_t         states[TP_TRACE_STATES_MAX];
    tp_trace_text    texts[TP_TRACE_TEXTS_MAX];
    const char      *worlds[WORLDS_LOADED_MAX];
    uint32_t         world_count;
    WorldSet         world_set;
    AxisSet          axes;
} Trace;

static volatile bool stop_wanted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = true;
    if (signals_is_second()) {
        _exit(TP_INCOMPLETE);
    }
}

static bool take_states(Trace *trace, const char *argument)
{
    char *text = strdup(argument);
    char *rest = text;
    bool  is_fine = text != NULL;
    trace->options.state_count = 0;
    for (char *part = is_fine ? strsep(&rest, ",") : NULL; is_fine && part != NULL; part = strsep(&rest, ",")) {
        uint32_t *count = &trace->options.state_count;
        is_fine = *count < TP_TRACE_STATES_MAX && args_parse_u64(part, &trace->states[*count]) && (*count == 0 || trace->states[*count] > trace->states[*count - 1]);
        *count += 1;
    }
    free(text);
    if (!is_fine) {
        cli_usage("trace", "--states: '%s' is not a list of at most %d numbers in ascending order, such as 100,101", argument, TP_TRACE_STATES_MAX);
    }
    return is_fine;
}

static bool add_text(Trace *trace, const char *key, size_t key_size, const char *value)
{
    if (trace->options.text_count == TP_TRACE_TEXTS_MAX) {
        return false;
    }
    tp_trace_text *text = &trace->texts[trace->options.text_count++];
    snprintf(text->key, sizeof(text->key), "%.*s", (int)key_size, key);
    snprintf(text->value, sizeof(text->value), "%s", value);
    for (char *letter = text->value; *letter != '\0'; letter++) {
        *letter = (unsigned char)*letter < 0x20 || *letter == 0x7f ? '?' : *letter;
    }
    return true;
}

static bool take_text(Trace *trace, const char *argument)
{
    const char *sign = strchr(argument, '=');
    size_t      key = sign == NULL ? 0 : (size_t)(sign - argument);
    bool        is_fine = key > 0 && key < sizeof(trace->texts[0].key) && strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == key;
    is_fine = is_fine && strlen(sign + 1) < sizeof(trace->texts[0].value);
    if (!is_fine || !add_text(trace, argument, key, sign + 1)) {
        cli_usage("trace", "--text: '%s' is not KEY=VALUE with a key of at most 31 of a-z, 0-9, '_', '.', '-' and a value of at most 223 bytes, or there are too many",
                  argument);
        return false;
    }
    return true;
}

static bool take_world(Trace *trace, const char *argument)
{
    if (trace->world_count == WORLDS_LOADED_MAX) {
        cli_usage("trace", "--world: more than %d", WORLDS_LOADED_MAX);
        return false;
    }
    trace->worlds[trace->world_count++] = argument;
    return true;
}

static void print_help(void)
{
    fputs(help, stdout);
    fputs(axis_help, stdout);
}

// TP_VERIFIED: go on. -1: help was given.
static int take_flags(Trace *trace, int argc, char **argv)
{
    for (int flag = args_next("trace", argc, argv, ":ho:", flags); flag != ARGS_END; flag = args_next("trace", argc, argv, ":ho:", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: print_help(); return -1;
        case FLAG_OUTPUT: trace->output = optarg; is_fine = true; break;
        case FLAG_FORCE: is_fine = trace->may_replace = true; break;
        case FLAG_LEAVES: is_fine = args_u32("--leaves", optarg, 0, UINT32_MAX, &trace->options.leaves_ticks); break;
        case FLAG_TO: is_fine = args_u64("--to", optarg, 0, UINT64_MAX - 1, &trace->options.to); break;
        case FLAG_STATES: is_fine = take_states(trace, optarg); break;
        case FLAG_TEXT: is_fine = take_text(trace, optarg); break;
        case FLAG_WORLD: is_fine = take_world(trace, optarg); break;
        case FLAG_PERTURB: is_fine = axis_add(&trace->axes, optarg); break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("trace", "it takes one FILE");
    }
    trace->path = argv[optind];
    return trace->output != NULL ? TP_VERIFIED : cli_usage("trace", "-o is missing: where does the sidecar go? - is standard output");
}

static void tell_machine(Trace *trace)
{
    struct utsname system;
    char           numerics[TP_NUMERICS_SIZE];
    add_text(trace, "program", 7, "tickproof " TP_VERSION);
    add_text(trace, "arch", 4, machine_architecture());
    add_text(trace, "compiler", 8, machine_compiler());
    tp_numerics(numerics);
    add_text(trace, "numerics", 8, numerics);
    if (uname(&system) == 0) {
        char text[sizeof(trace->texts[0].value)];
        snprintf(text, sizeof(text), "%.64s %.64s", system.sysname, system.release);
        add_text(trace, "system", 6, text);
    }
    for (size_t i = 0; i < trace->world_set.count; i++) {
        add_text(trace, "world.hash", 10, trace->world_set.hashes[i]);
    }
}

static bool load_worlds(Trace *trace)
{
    axis_before_world(&trace->axes);
    crash_guard();
    for (uint32_t i = 0; i < trace->world_count; i++) {
        if (worlds_add(&trace->world_set, trace->worlds[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static void each_tick(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)to;
    (void)sim;
    if (!is_finished) {
        crash_at_tick(tick);
    }
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

// A file descriptor, and why it took no more.
typedef struct {
    int fd, reason;
} Out;

static bool write_out(void *self, const uint8_t *bytes, size_t size)
{
    Out    *out = self;
    tp_sink sink = tp_sink_of_fd(&out->fd);
    errno = 0;
    bool is_taken = sink.write(sink.self, bytes, size);
    out->reason = is_taken || out->reason != 0 ? out->reason : errno;
    return is_taken;
}

static int trace_into(Trace *trace, LogFile *file, NewFile *out)
{
    char     message[TP_MESSAGE_SIZE];
    tp_error error;
    Out      end = { .fd = out->kind == NEW_FILE_STDOUT ? STDOUT_FILENO : out->fd };
    tp_sink  sink = { .self = &end, .write = write_out }; // at the end the file is synced as a whole
    tp_verdict verdict = tp_trace_log(&file->source, &trace->options, &sink, message);
    bool       is_kept = verdict == TP_VERIFIED || verdict == TP_INCOMPLETE || verdict == TP_TRUNCATED || verdict == TP_CORRUPT;
    if (!axis_conclude(&trace->axes)) {
        files_abandon(out);
        return TP_INTERNAL;
    }
    if (end.reason != 0) {
        files_abandon(out);
        return cli_fail(TP_USAGE, "%s: writing the sidecar: %s", trace->output, strerror(end.reason));
    }
    if (!is_kept) {
        files_abandon(out);
    } else if (!files_commit(out, &error)) {
        return cli_fail(TP_USAGE, "%s: writing the sidecar: %s", trace->output, error.text);
    }
    if (verdict != TP_VERIFIED) {
        cli_fail(verdict, "%s: %s", name_of(trace->path), message);
    }
    return verdict;
}

static int trace_log(Trace *trace)
{
    LogFile  file = { .fd = -1 };
    NewFile  out;
    tp_error error;
    if (!files_open_log(&file, trace->path, &error)) {
        return cli_fail(TP_USAGE, "%s: opening the log: %s", name_of(trace->path), error.text);
    }
    int code = TP_USAGE;
    if (!files_create(&out, trace->output, trace->may_replace, &error)) {
        cli_fail(TP_USAGE, "%s: making the sidecar: %s", trace->output, error.text);
    } else {
        code = trace_into(trace, &file, &out);
    }
    files_close_log(&file);
    return code;
}

static int run(int argc, char **argv)
{
    static Trace     trace;
    struct sigaction action = { .sa_handler = on_signal };
    tp_trace_options_standard(&trace.options);
    int code = take_flags(&trace, argc, argv);
    if (code != TP_VERIFIED) {
        axis_finish(&trace.axes);
        return code < 0 ? TP_VERIFIED : code;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (load_worlds(&trace)) {
        tell_machine(&trace);
        trace.options.find_world = worlds_search;
        trace.options.find_to = &trace.world_set;
        trace.options.states = trace.states;
        trace.options.texts = trace.texts;
        trace.options.stop = &stop_wanted;
        trace.options.each_tick = each_tick;
        axis_prepare(&trace.axes, &trace.options);
        code = trace_log(&trace);
    } else {
        code = TP_USAGE;
    }
    axis_finish(&trace.axes);
    return code;
}

const Command command_trace = { "trace", "step a log and write its hashes for other machines to compare", help, run };
