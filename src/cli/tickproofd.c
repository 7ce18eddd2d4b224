// tickproofd.c: main of the server: flags, worlds, signals, and what is printed where.
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "signals.h"
#include "tickproofd_text.h"
#include "worlds.h"

static const char help_text[] =
    "Usage: tickproofd --recorded PATH... [FLAG]...\n"
    "Hosts worlds, one room each. A room steps a recorded log again, holds every tick against the log's checksums, and can\n"
    "record its own log while it runs.\n"
    "\n"
    "Rooms:\n"
    "  --recorded PATH...      a log, or a directory of *.tpr files: one room each, named after the file. More paths may follow\n"
    "  --real-time             at the log's tick rate, on absolute deadlines (the default)\n"
    "  --as-fast-as-possible   without a clock\n"
    "  --loop-count N          run every log N times; a run that does not verify is the last of its room (1)\n"
    "  --world NAME|FILE.so    also know the world in this library; may be given several times\n"
    "  --threads N             threads that rooms are spread over (one per core)\n"
    "\n"
    "Recording:\n"
    "  --record DIR            every room writes its own log DIR/ROOM.tpr; a file that is there already is refused\n"
    "  --durability HOW        when a tick counts as safe: none (the system decides), interval (synced every 60 ticks), seal\n"
    "                          (synced every 600), tick (synced every tick). Usually interval in real time, else none, since a\n"
    "                          room without a clock would only wait for the disk\n"
    "\n"
    "Output:\n"
    "  --json-log              events as JSON lines on standard error\n"
    "  --status-every SECONDS  a line per room every so often (0: none)\n"
    "  --format text|json      the results at the end, on standard output (text)\n"
    "  --help, --version\n"
    "\n"
    "SIGTERM and SIGINT end every log properly and leave; a second one leaves at once. The exit code is the most serious\n"
    "verdict of all rooms: 70, 8, 1, 3, 6, 7, 4, 5, 2, 0, as 'tickproof --help' lists them.\n";

typedef struct {
    PathList          paths;
    WorldSet          worlds;
    ServerOptions     server;
    ServerRoomOptions room;
    bool              is_json_log, is_json;
    bool              has_recorded, has_pace, has_durability;
} Settings;

enum { FLAG_RECORDED = ARGS_LONG, FLAG_FAST, FLAG_REAL_TIME, FLAG_RECORD, FLAG_WORLD, FLAG_DURABILITY, FLAG_THREADS, FLAG_LOOPS,
       FLAG_JSON_LOG, FLAG_STATUS, FLAG_FORMAT, FLAG_VERSION };

static const struct option flags[] = {
    { "recorded", required_argument, NULL, FLAG_RECORDED },
    { "as-fast-as-possible", no_argument, NULL, FLAG_FAST },
    { "real-time", no_argument, NULL, FLAG_REAL_TIME },
    { "record", required_argument, NULL, FLAG_RECORD },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "durability", required_argument, NULL, FLAG_DURABILITY },
    { "threads", required_argument, NULL, FLAG_THREADS },
    { "loop-count", required_argument, NULL, FLAG_LOOPS },
    { "json-log", no_argument, NULL, FLAG_JSON_LOG },
    { "status-every", required_argument, NULL, FLAG_STATUS },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { "version", no_argument, NULL, FLAG_VERSION },
    { NULL, 0, NULL, 0 },
};

int cli_fail(int code, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("tickproofd: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

// The program is its own only command, so `command` is not said.
int cli_usage(const char *command, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    (void)command;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return cli_fail(TP_USAGE, "%s; see 'tickproofd --help'", text);
}

static bool take_durability(Settings *settings, const char *text)
{
    static const char *const names[] = { "none", "interval", "seal", "tick" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            settings->room.durability = (tp_durability)i;
            settings->has_durability = true;
            return true;
        }
    }
    cli_usage("", "--durability: '%s' is none; give none, interval, seal or tick", text);
    return false;
}

static bool take_pace(Settings *settings, ServerPace pace)
{
    if (settings->has_pace && settings->room.pace != pace) {
        cli_usage("", "--real-time and --as-fast-as-possible: give one of the two");
        return false;
    }
    settings->has_pace = true;
    settings->room.pace = pace;
    return true;
}

static bool take_format(const char *text, bool *is_json)
{
    *is_json = strcmp(text, "json") == 0;
    if (*is_json || strcmp(text, "text") == 0) {
        return true;
    }
    cli_usage("", "--format: '%s' is none; give text or json", text);
    return false;
}

static bool take_flag(Settings *settings, int flag)
{
    switch (flag) {
    case FLAG_RECORDED: settings->has_recorded = true; return files_expand(&settings->paths, optarg);
    case FLAG_FAST: return take_pace(settings, SERVER_FAST);
    case FLAG_REAL_TIME: return take_pace(settings, SERVER_REAL_TIME);
    case FLAG_RECORD: settings->room.record_dir = optarg; return true;
    case FLAG_WORLD: return worlds_add(&settings->worlds, optarg) != NULL;
    case FLAG_DURABILITY: return take_durability(settings, optarg);
    case FLAG_THREADS: return args_u32("--threads", optarg, 1, SERVER_THREADS_MAX, &settings->server.threads);
    case FLAG_LOOPS: return args_u32("--loop-count", optarg, 1, SERVER_LOOPS_MAX, &settings->room.loops);
    case FLAG_JSON_LOG: settings->is_json_log = true; return true;
    case FLAG_STATUS: return args_u32("--status-every", optarg, 0, 86400, &settings->server.status_seconds);
    case FLAG_FORMAT: return take_format(optarg, &settings->is_json);
    default: return false; // ARGS_BAD: already said
    }
}

// Operands after --recorded are further paths. False: said so.
static bool take_operands(Settings *settings, int argc, char **argv)
{
    if (!settings->has_recorded) {
        cli_usage("", "nothing to host: give --recorded PATH");
        return false;
    }
    for (int i = optind; i < argc; i++) {
        if (!files_expand(&settings->paths, argv[i])) {
            return false;
        }
    }
    return true;
}

static bool make_record_dir(const char *path)
{
    struct stat about;
    if (path == NULL || (mkdir(path, 0755) == 0) || (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        return true;
    }
    cli_fail(TP_USAGE, "%s: making the directory of --record: %s: give one that can be written", path, strerror(errno));
    return false;
}

// Two files per room and a few per thread add up: take what the system grants anyway.
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static Server *volatile signalled;

static void on_signal(int number)
{
    if (signals_is_second()) {
        _exit(128 + number);
    }
    server_stop(signalled);
}

static void catch_signals(Server *server)
{
    struct sigaction action = { .sa_handler = on_signal };
    signalled = server;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    // A reader of our output that goes away must not cost the logs their END.
    signal(SIGPIPE, SIG_IGN);
}

static void release_signals(void)
{
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

static void on_event(void *to, const ServerEvent *event)
{
    const Settings *settings = to;
    tickproofd_print_event(stderr, event, settings->is_json_log);
}

static bool add_rooms(Server *server, Settings *settings)
{
    tp_error error;
    if (!settings->has_durability && settings->room.pace == SERVER_FAST) {
        settings->room.durability = TP_DURABLE_NONE;
    }
    for (size_t i = 0; i < settings->paths.count; i++) {
        settings->room.path = settings->paths.items[i];
        if (!server_add_recorded(server, &settings->room, &error)) {
            cli_fail(TP_USAGE, "%s: adding a room: %s", settings->paths.items[i], error.text);
            return false;
        }
    }
    return true;
}

static int host(Settings *settings)
{
    tp_error error;
    settings->server.find_world = worlds_search;
    settings->server.find_to = &settings->worlds;
    settings->server.event = on_event;
    settings->server.event_to = settings;
    settings->server.build = "tickproofd " TP_VERSION;
    Server *server = server_create(&settings->server, &error);
    if (server == NULL) {
        return cli_fail(TP_INTERNAL, "starting: %s", error.text);
    }
    if (!add_rooms(server, settings)) {
        server_destroy(server);
        return TP_USAGE;
    }
    catch_signals(server);
    ServerRun run = server_run(server, &error);
    int       code = run == SERVER_RUN_FAILED ? cli_fail(TP_INTERNAL, "starting: %s", error.text) : (int)server_verdict(server);
    if (run != SERVER_RUN_FAILED) {
        tickproofd_print_results(stdout, server, settings->is_json);
        fflush(stdout);
    }
    if (run == SERVER_RUN_OVERDUE) {
        _exit(TP_INTERNAL); // threads still run in memory that nobody may free
    }
    release_signals();
    server_destroy(server);
    return code;
}

int main(int argc, char **argv)
{
    static Settings settings;
    server_options_standard(&settings.server);
    server_room_options_standard(&settings.room);
    for (int flag; (flag = args_next("", argc, argv, ":h", flags)) != ARGS_END;) {
        if (flag == ARGS_HELP) {
            fputs(help_text, stdout);
            return TP_VERIFIED;
        }
        if (flag == FLAG_VERSION) {
            printf("tickproofd %s (log format %d, world ABI %u)\n", TP_VERSION, TP_LOG_VERSION, TP_WORLD_ABI);
            return TP_VERIFIED;
        }
        if (!take_flag(&settings, flag)) {
            return TP_USAGE;
        }
    }
    if (!take_operands(&settings, argc, argv) || !make_record_dir(settings.room.record_dir)) {
        return TP_USAGE;
    }
    raise_file_limit();
    int code = host(&settings);
    files_finish(&settings.paths);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_fail(TP_USAGE, "standard output: writing: %s", strerror(errno));
        return code == TP_VERIFIED ? TP_USAGE : code;
    }
    return code;
}
