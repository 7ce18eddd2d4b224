// tickproofd.c: main of the server: flags, worlds, signals, the clock of its log, and what is printed where.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "clifail.h"
#include "files.h"
#include "logqueue.h"
#include "notify.h"
#include "serverconfig_files.h"
#include "signals.h"
#include "tickproofd_http.h"
#include "tickproofd_text.h"

static const char help_text[] =
    "Usage: tickproofd --config F.json [FLAG]...\n"
    "       tickproofd [--live NAME=WORLD]... [--recorded PATH...] [FLAG]...\n"
    "Hosts worlds, one room each. A live room is played by clients over the network. A recorded one steps a log again and holds\n"
    "every tick against the log's checksums. Both can record a log of their own while they run.\n"
    "\n"
    "Configuration:\n"
    "  --config F.json         rooms and settings from a file, - for standard input; tickproofd(8) has all its keys. Flags win over\n"
    "                          what it says for the whole server, and add rooms\n"
    "  --check-config          read and check everything, say what would run, and leave: no port is tried and no file made. Only\n"
    "                          the first thing that is wrong is named. Exit code 0 or 2\n"
    "\n"
    "Rooms:\n"
    "  --live NAME=WORLD[,KEY=VALUE]...\n"
    "                          a live room; keys as in the file: players, seed, tick_rate_hz, hash, missing, stall_ms, when_empty,\n"
    "                          start_players, ticks, on_desync, report_ticks, rejoin_seconds, desync_dir, rotate_ticks, resume, count,\n"
    "                          config.ITEM. May be given several times\n"
    "  --recorded PATH...      a log, or a directory of *.tpr files: one room each, named after the file. More paths may follow\n"
    "  --real-time             recorded: at the log's tick rate, on absolute deadlines (the default)\n"
    "  --as-fast-as-possible   recorded: without a clock\n"
    "  --loop-count N          recorded: run every log N times; a run that does not verify is the last of its room (1)\n"
    "  --world NAME|FILE.so    also know the world in this library; may be given several times\n"
    "  --threads N             threads that rooms are spread over (one per core)\n"
    "\n"
    "Network:\n"
    "  --listen ADDRESS:PORT   where clients come in: numbers, such as 0.0.0.0:7777 or [::1]:7777; may be given several times\n"
    "                          (127.0.0.1:7777 when there are live rooms)\n"
    "  --udp ADDRESS:PORT      take datagrams, too: lists at this port, rooms at one port for each thread from the next one on, or\n"
    "                          with port 0 where the system chooses; without --udp-key loopback addresses only\n"
    "  --udp-key F             secured datagrams only, for who knows the public key of the secret key F of 'tickproof keygen'\n"
    "  --token-issuer F        who joins shows a join token of 'tickproof token', signed by the secret key of the public key F\n"
    "  --token-server NAME     what this server is called in join tokens\n"
    "  --tokens HOW            required, or optional: who shows none joins all the same (required)\n"
    "  --http ADDRESS:PORT     speak HTTP, too, and take clients over WebSockets at /play there; numbers, and a loopback address\n"
    "                          unless others are meant to come in\n"
    "  --admin-key-file F      administrators show the key that is F's first line, 8 to 128 bytes; nobody else may read F\n"
    "  --max-connections N     at once (8192)\n"
    "  --max-per-address N     of these from one address (1024)\n"
    "  --messages-per-second N of one connection, on top of what its slots need (100)\n"
    "  --send-queue-bytes N    that may wait for one client to read them (262144)\n"
    "  --send-total-bytes N    that may wait for all clients of one thread (67108864)\n"
    "  --silence-ms N          without a message a connection is closed (30000)\n"
    "  --watchers N            of one room (64)\n"
    "  --join-bytes-per-tick N of states that a room sends in one tick to all who join (65536)\n"
    "\n"
    "Recording:\n"
    "  --record DIR            every room writes its own log DIR/ROOM.tpr, DIR/ROOM.2.tpr when that is there already, and so on. A live\n"
    "                          room whose last log has no end, since its server was killed, goes on where that log is safe\n"
    "  --sign-key F            sign every log as it is recorded, at each seal and at its end, with the secret key F of 'tickproof\n"
    "                          keygen'; 'tickproof verify --trusted-key' then tells whose logs they are. Nobody else may read F\n"
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
    "SIGTERM, SIGINT and SIGHUP end every log properly and leave; a second one leaves at once. The exit code is the most serious\n"
    "verdict of all rooms: 70, 8, 1, 3, 6, 7, 4, 5, 2, 0, as 'tickproof --help' lists them.\n";

typedef struct {
    const char   *config_path; ///< NULL: no file
    PathList      paths;       ///< of --recorded
    WorldSet      worlds;
    ServerConfig  config;
    ServerConfig  flags;       ///< what flags say, in the file's terms
    ServerPace    pace;
    uint32_t      loops;
    ServerOptions server;
    TickproofdHttp http;
    LogQueue     *log;         ///< while the server runs. Stays when its thread is stuck
    Notify        notify;      ///< the service manager, if there is one
    int64_t       event_ns;    ///< of the last event, since the start
    bool          is_json, is_check;
    bool          has_recorded, has_pace, has_loops;
    char          admin_key[KEYFILE_KEY_SIZE]; ///< empty: none
    uint8_t       sign_key[TP_SECRET_KEY_SIZE];
    bool          has_sign_key;
    uint8_t       udp_key[TP_SECRET_KEY_SIZE], token_issuer[TP_PUBLIC_KEY_SIZE];
    bool          has_udp_key, has_token_issuer;
} Settings;

enum { FLAG_CONFIG = ARGS_LONG, FLAG_CHECK, FLAG_LIVE, FLAG_RECORDED, FLAG_FAST, FLAG_REAL_TIME, FLAG_RECORD, FLAG_WORLD, FLAG_DURABILITY,
       FLAG_LOOPS, FLAG_JSON_LOG, FLAG_FORMAT, FLAG_VERSION, FLAG_LISTEN, FLAG_UDP, FLAG_HTTP, FLAG_ADMIN_KEY_FILE, FLAG_SIGN_KEY, FLAG_UDP_KEY, FLAG_TOKEN_ISSUER,
       FLAG_TOKEN_SERVER, FLAG_TOKENS,
       FLAG_KEY }; // with a ServerConfigKeyId added: a number that the file has, too

static const struct option flags[] = {
    { "config", required_argument, NULL, FLAG_CONFIG },
    { "check-config", no_argument, NULL, FLAG_CHECK },
    { "live", required_argument, NULL, FLAG_LIVE },
    { "recorded", required_argument, NULL, FLAG_RECORDED },
    { "as-fast-as-possible", no_argument, NULL, FLAG_FAST },
    { "real-time", no_argument, NULL, FLAG_REAL_TIME },
    { "record", required_argument, NULL, FLAG_RECORD },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "durability", required_argument, NULL, FLAG_DURABILITY },
    { "loop-count", required_argument, NULL, FLAG_LOOPS },
    { "json-log", no_argument, NULL, FLAG_JSON_LOG },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "listen", required_argument, NULL, FLAG_LISTEN },
    { "udp", required_argument, NULL, FLAG_UDP },
    { "udp-key", required_argument, NULL, FLAG_UDP_KEY },
    { "token-issuer", required_argument, NULL, FLAG_TOKEN_ISSUER },
    { "token-server", required_argument, NULL, FLAG_TOKEN_SERVER },
    { "tokens", required_argument, NULL, FLAG_TOKENS },
    { "http", required_argument, NULL, FLAG_HTTP },
    { "admin-key-file", required_argument, NULL, FLAG_ADMIN_KEY_FILE },
    { "sign-key", required_argument, NULL, FLAG_SIGN_KEY },
    { "threads", required_argument, NULL, FLAG_KEY + KEY_THREADS },
    { "status-every", required_argument, NULL, FLAG_KEY + KEY_STATUS_EVERY },
    { "max-connections", required_argument, NULL, FLAG_KEY + KEY_CONNECTIONS },
    { "max-per-address", required_argument, NULL, FLAG_KEY + KEY_PER_ADDRESS },
    { "messages-per-second", required_argument, NULL, FLAG_KEY + KEY_MESSAGES },
    { "send-queue-bytes", required_argument, NULL, FLAG_KEY + KEY_QUEUE },
    { "send-total-bytes", required_argument, NULL, FLAG_KEY + KEY_TOTAL },
    { "silence-ms", required_argument, NULL, FLAG_KEY + KEY_SILENCE },
    { "watchers", required_argument, NULL, FLAG_KEY + KEY_WATCHERS },
    { "join-bytes-per-tick", required_argument, NULL, FLAG_KEY + KEY_JOIN_BYTES },
    { "help", no_argument, NULL, ARGS_HELP },
    { "version", no_argument, NULL, FLAG_VERSION },
    { NULL, 0, NULL, 0 },
};

int cli_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    clifail_print("tickproofd", format, arguments);
    va_end(arguments);
    return code;
}

// The program is its own only command, so `command` is not said.
int cli_usage(const char *command, const char *format, ...)
{
    char    text[2048];
    va_list arguments;
    (void)command;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return cli_fail(TP_USAGE, "%s; see 'tickproofd --help'", text);
}

static bool refuse(const ServerConfigError *error)
{
    cli_fail(TP_USAGE, "%s", error->text);
    return false;
}

static bool take_durability(Settings *settings, const char *text)
{
    char wrong[256];
    settings->flags.lines[KEY_DURABILITY] = SERVERCONFIG_NO_LINE;
    if (!serverconfig_set(&serverconfig_keys[KEY_DURABILITY], &settings->flags.record, text, wrong, sizeof(wrong))) {
        cli_usage("", "--durability: '%s': %s", text, wrong);
        return false;
    }
    return true;
}

static bool take_pace(Settings *settings, ServerPace pace)
{
    if (settings->has_pace && settings->pace != pace) {
        cli_usage("", "--real-time and --as-fast-as-possible: give one of the two");
        return false;
    }
    settings->has_pace = true;
    settings->pace = pace;
    return true;
}

// A flag without its argument takes the next flag for it: such a slip must start no server.
static bool is_path(const char *flag, const char *text)
{
    if (strncmp(text, "--", 2) == 0) {
        cli_usage("", "%s needs a path; a file of that name is ./%s", flag, text);
        return false;
    }
    if (text[0] == '\0') {
        cli_usage("", "%s needs a path, and '' is none", flag);
        return false;
    }
    return true;
}

static bool take_config(Settings *settings, const char *path)
{
    if (!is_path("--config", path)) {
        return false;
    }
    if (settings->config_path != NULL) {
        cli_usage("", "--config: '%s' and '%s': give one file", settings->config_path, path);
        return false;
    }
    settings->config_path = path;
    return true;
}

static bool take_json_log(Settings *settings)
{
    settings->flags.log = 1;
    settings->flags.lines[KEY_LOG_FORMAT] = SERVERCONFIG_NO_LINE;
    return true;
}

// A number of the server or of its limits, with the range that the file has for it.
static bool take_number(Settings *settings, ServerConfigKeyId id, const char *text)
{
    const ServerConfigKey *key = &serverconfig_keys[id];
    void                  *to = key->places == PLACE_LIMITS ? (void *)&settings->flags.limits : (void *)&settings->flags;
    settings->flags.lines[id] = SERVERCONFIG_NO_LINE;
    return args_u32(key->flag, text, (uint32_t)key->min, (uint32_t)key->max, (uint32_t *)((char *)to + key->offset));
}

static bool take_recorded(Settings *settings, const char *path)
{
    settings->has_recorded = true;
    return is_path("--recorded", path) && files_expand(&settings->paths, path);
}

static bool take_record(Settings *settings, const char *path)
{
    settings->flags.record.directory = path;
    settings->flags.lines[KEY_DIRECTORY] = SERVERCONFIG_NO_LINE;
    return is_path("--record", path);
}

static bool take_admin_key_file(Settings *settings, const char *path)
{
    settings->flags.admin_key_file = path;
    settings->flags.lines[KEY_ADMIN_KEY_FILE] = SERVERCONFIG_NO_LINE;
    return is_path("--admin-key-file", path);
}

static bool take_udp_key(Settings *settings, const char *path)
{
    settings->flags.udp_key = path;
    settings->flags.lines[KEY_UDP_KEY] = SERVERCONFIG_NO_LINE;
    return is_path("--udp-key", path);
}

static bool take_token_issuer(Settings *settings, const char *path)
{
    settings->flags.token_issuer = path;
    settings->flags.lines[KEY_TOKEN_ISSUER] = SERVERCONFIG_NO_LINE;
    return is_path("--token-issuer", path);
}

static bool take_token_server(Settings *settings, const char *name)
{
    settings->flags.token_server = name;
    settings->flags.lines[KEY_TOKEN_SERVER] = SERVERCONFIG_NO_LINE;
    return is_path("--token-server", name);
}

static bool take_tokens(Settings *settings, const char *how)
{
    char wrong[256];
    if (!serverconfig_set(&serverconfig_keys[KEY_TOKENS], &settings->flags, how, wrong, sizeof(wrong))) {
        cli_usage("", "--tokens: '%s': %s", how, wrong);
        return false;
    }
    settings->flags.lines[KEY_TOKENS] = SERVERCONFIG_NO_LINE;
    return true;
}

static bool take_sign_key(Settings *settings, const char *path)
{
    settings->flags.sign_key = path;
    settings->flags.lines[KEY_SIGN_KEY] = SERVERCONFIG_NO_LINE;
    return is_path("--sign-key", path);
}

static bool take_flag(Settings *settings, int flag)
{
    ServerConfigError error;
    if (flag >= FLAG_KEY) {
        return take_number(settings, (ServerConfigKeyId)(flag - FLAG_KEY), optarg);
    }
    switch (flag) {
    case FLAG_CONFIG: return take_config(settings, optarg);
    case FLAG_CHECK: settings->is_check = true; return true;
    case FLAG_LIVE: return serverconfig_add_live(&settings->flags, optarg, &error) || refuse(&error);
    case FLAG_RECORDED: return take_recorded(settings, optarg);
    case FLAG_FAST: return take_pace(settings, SERVER_FAST);
    case FLAG_REAL_TIME: return take_pace(settings, SERVER_REAL_TIME);
    case FLAG_RECORD: return take_record(settings, optarg);
    case FLAG_WORLD: return worlds_add(&settings->worlds, optarg) != NULL;
    case FLAG_DURABILITY: return take_durability(settings, optarg);
    case FLAG_LOOPS: settings->has_loops = true; return args_u32("--loop-count", optarg, 1, SERVER_LOOPS_MAX, &settings->loops);
    case FLAG_LISTEN: return serverconfig_add_listen(&settings->flags, optarg, &error) || refuse(&error);
    case FLAG_UDP: return serverconfig_set_udp(&settings->flags, optarg, &error) || refuse(&error);
    case FLAG_HTTP: return serverconfig_set_http(&settings->flags, optarg, &error) || refuse(&error);
    case FLAG_ADMIN_KEY_FILE: return take_admin_key_file(settings, optarg);
    case FLAG_SIGN_KEY: return take_sign_key(settings, optarg);
    case FLAG_UDP_KEY: return take_udp_key(settings, optarg);
    case FLAG_TOKEN_ISSUER: return take_token_issuer(settings, optarg);
    case FLAG_TOKEN_SERVER: return take_token_server(settings, optarg);
    case FLAG_TOKENS: return take_tokens(settings, optarg);
    case FLAG_JSON_LOG: return take_json_log(settings);
    case FLAG_FORMAT: return args_is_json(optarg, &settings->is_json);
    default: return false; // ARGS_BAD: already said
    }
}

// Flags that say how rooms of --recorded run, without such a room: the file's rooms say it themselves. True: said so.
static bool is_for_nothing(const Settings *settings)
{
    if (settings->has_recorded || (!settings->has_pace && !settings->has_loops)) {
        return false;
    }
    bool is_pace = settings->has_pace;
    cli_usage("", "%s: it is for rooms of --recorded, and there is none; leave it out, or give \"%s\" in the file",
              !is_pace ? "--loop-count" : settings->pace == SERVER_FAST ? "--as-fast-as-possible" : "--real-time", is_pace ? "pace" : "loops");
    return true;
}

// Operands after --recorded are further paths. False: said so.
static bool take_operands(Settings *settings, int argc, char **argv)
{
    if (optind < argc && !settings->has_recorded) {
        cli_usage("", "%s: an operand without a flag: give --config F, --recorded PATH or --live NAME=WORLD", argv[optind]);
        return false;
    }
    if (!settings->has_recorded && settings->config_path == NULL && settings->flags.room_count == 0) {
        cli_usage("", "nothing to host: give --config F, --recorded PATH or --live NAME=WORLD");
        return false;
    }
    if (is_for_nothing(settings)) {
        return false;
    }
    for (int i = optind; i < argc; i++) {
        if (!take_recorded(settings, argv[i])) {
            return false;
        }
    }
    return true;
}

// The file, then what flags say, then what both mean. False: said so. Nothing was made.
static bool read_config(Settings *settings)
{
    ServerConfigError error;
    ServerConfig     *config = &settings->config;
    if (settings->config_path != NULL && (!serverconfig_load(config, settings->config_path) || !serverconfig_load_worlds(config, &settings->worlds))) {
        return false;
    }
    for (size_t i = 0; i < settings->paths.count; i++) {
        if (!serverconfig_add_recorded(&settings->flags, settings->paths.items[i], settings->pace, settings->loops, &error)) {
            return refuse(&error);
        }
    }
    if (!serverconfig_override(config, &settings->flags, &error) || !serverconfig_bind(config, worlds_search, &settings->worlds, &error)) {
        return refuse(&error);
    }
    if (!serverconfig_expand(config)) {
        return false;
    }
    if (config->room_count == 0) {
        cli_fail(TP_USAGE, "%s: it has no rooms; give some in \"rooms\", with --recorded or with --live", settings->config_path);
        return false;
    }
    return true;
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
    // A terminal that is closed ends logs properly, too; under nohup it is to end nothing.
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
    // A reader of our output that goes away must not cost the logs their END.
    signal(SIGPIPE, SIG_IGN);
}

static void release_signals(void)
{
    struct sigaction now;
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == on_signal) {
        signal(SIGHUP, SIG_DFL);
    }
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static TickproofdLog log_to(const Settings *settings, FILE *out)
{
    return (TickproofdLog){ .out = out, .is_json = settings->config.log != 0, .stop_ms = settings->server.stop_ms };
}

// Everything listens already when the server starts. One whose rooms are all over stops without having been asked to.
static void tell_manager(Settings *settings, const ServerEvent *event)
{
    if (event->kind == SERVER_EVENT_START) {
        notify_send(&settings->notify, "READY=1\nSTATUS=Rooms: %llu, threads: %llu.\n", (unsigned long long)event->tick,
                    (unsigned long long)event->value);
    } else if (event->kind == SERVER_EVENT_STOPPING) {
        notify_send(&settings->notify, "STOPPING=1\nSTATUS=Stopping: rooms finish their logs.\n");
    } else if (event->kind == SERVER_EVENT_STOP) {
        notify_send(&settings->notify, "STOPPING=1\nSTATUS=All rooms ended: %s.\n", tp_verdict_name(event->verdict));
    }
}

// The main thread's loop: it accepts, lists and stops, so it must not wait for whoever reads the log.
static void on_event(void *to, const ServerEvent *event)
{
    Settings     *settings = to;
    char         *text = NULL;
    size_t        size = 0;
    TickproofdLog log = log_to(settings, open_memstream(&text, &size));
    settings->event_ns = event->elapsed_ns;
    tell_manager(settings, event);
    if (log.out == NULL) {
        logqueue_put(settings->log, NULL, 0);
        return;
    }
    tickproofd_print_event(&log, event, now_ms());
    bool is_printed = fclose(log.out) == 0;
    if (!is_printed || size > 0) {
        logqueue_put(settings->log, is_printed ? text : NULL, size);
    }
    free(text);
}

static void on_missing(FILE *out, void *to, uint64_t count)
{
    const Settings *settings = to;
    TickproofdLog   log = log_to(settings, out);
    tickproofd_print_dropped(&log, count, settings->event_ns, now_ms());
}

static bool open_log(Settings *settings)
{
    LogQueueOptions options = { .fd = STDERR_FILENO, .missing = on_missing, .missing_to = settings };
    settings->log = logqueue_create(&options);
    return settings->log != NULL || (cli_fail(TP_INTERNAL, "starting: the log's thread cannot be made"), false);
}

static bool is_same_file(int one, int other)
{
    struct stat first, second;
    return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// What was said so far comes out before the results. Nothing that is written from here on gets stuck where the log did: standard error
// leads nowhere then, and so does standard output when the two are one. False: the results have no reader.
static bool close_log(Settings *settings)
{
    if (logqueue_finish(settings->log, LOGQUEUE_FINISH_MS)) {
        settings->log = NULL;
        return true;
    }
    bool is_one = is_same_file(STDOUT_FILENO, STDERR_FILENO);
    int  nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    if (is_one) {
        dup2(nowhere, STDOUT_FILENO);
    }
    close(nowhere);
    return !is_one;
}

static bool refuse_room(const ServerConfig *config, const ServerConfigRoom *room, const tp_error *error)
{
    ServerConfigError text;
    serverconfig_refuse(config, room, NULL, &text, "adding a room: %s", error->text);
    return refuse(&text);
}

static bool add_recorded(Server *server, const ServerConfig *config, const ServerConfigRoom *room)
{
    tp_error          error;
    ServerRoomOptions options;
    server_room_options_standard(&options);
    options.path = room->log;
    options.name = room->name;
    options.pace = (ServerPace)room->pace;
    options.loops = room->loops;
    options.record_dir = room->record_dir;
    options.durability = room->durability;
    return server_add_recorded(server, &options, &error) || refuse_room(config, room, &error);
}

static bool add_live(Server *server, const ServerConfig *config, const ServerConfigRoom *room)
{
    uint32_t count = room->lines[KEY_ROOM_COUNT] != 0 ? room->count : 1;
    for (uint32_t number = 0; number < count; number++) {
        char              name[SERVER_ROOM_NAME_SIZE];
        tp_error          error;
        ServerLiveOptions options;
        serverconfig_room_name(room, number, name);
        server_live_options_standard(&options);
        options.name = name;
        options.world = room->world;
        options.seed = room->seed + number;
        options.players = room->players;
        options.tick_rate_hz = room->tick_rate_hz;
        options.config = room->values;
        options.algorithm = (tp_hash_algorithm)room->algorithm;
        options.missing = (ServerMissing)room->missing;
        options.stall_ms = room->stall_ms;
        options.when_empty = (ServerEmpty)room->when_empty;
        options.start_players = room->start_players;
        options.ticks = room->ticks;
        options.on_desync = (ServerDesync)room->on_desync;
        options.report_ticks = room->report_ticks > 0 ? room->report_ticks : UINT32_MAX;
        options.rejoin_seconds = room->rejoin_seconds > 0 ? room->rejoin_seconds : UINT32_MAX;
        options.desync_dir = room->desync_dir;
        options.rotate_ticks = room->rotate_ticks;
        options.starts_anew = room->is_resumed == 0;
        options.record_dir = room->record_dir;
        options.durability = room->durability;
        if (!server_add_live(server, &options, &error)) {
            return refuse_room(config, room, &error);
        }
    }
    return true;
}

// Rooms that were given a name come first: the server makes up the others' around them.
static bool add_rooms(Server *server, const ServerConfig *config)
{
    for (int is_named = 1; is_named >= 0; is_named--) {
        for (uint32_t i = 0; i < config->room_count; i++) {
            const ServerConfigRoom *room = &config->rooms[i];
            if ((room->name != NULL) == is_named && !(room->source == SERVER_LIVE ? add_live(server, config, room) : add_recorded(server, config, room))) {
                return false;
            }
        }
    }
    return true;
}

static bool refuse_udp(const ServerConfig *config, const tp_error *error)
{
    ServerConfigError text;
    serverconfig_refuse(config, NULL, &serverconfig_keys[KEY_UDP], &text, "%s: %s", config->udp, error->text);
    return refuse(&text);
}

static bool listen_http(Settings *settings, Server *server)
{
    const ServerConfig *config = &settings->config;
    tp_error            error;
    ServerConfigError   text;
    if (config->http.listen[0] == '\0' || tickproofd_http_open(&settings->http, server, &config->http, &error)) {
        return true;
    }
    serverconfig_refuse(config, NULL, &serverconfig_keys[config->lines[KEY_HTTP] == SERVERCONFIG_NO_LINE ? KEY_HTTP : KEY_HTTP_LISTEN], &text, "%s: %s",
                        config->http.listen, error.text);
    return refuse(&text);
}

static bool listen_everywhere(Server *server, const ServerConfig *config)
{
    tp_error error;
    for (uint32_t i = 0; i < config->listen_count; i++) {
        ServerConfigError text;
        if (!server_listen(server, config->listen[i], &error)) {
            serverconfig_refuse(config, NULL, &serverconfig_keys[KEY_LISTEN], &text, "%s: %s", config->listen[i], error.text);
            return refuse(&text);
        }
    }
    return config->udp[0] == '\0' || server_listen_udp(server, config->udp, &error) || refuse_udp(config, &error);
}

static Server *make_server(Settings *settings, tp_error *error)
{
    const ServerConfig *config = &settings->config;
    ServerOptions      *options = &settings->server;
    server_options_standard(options);
    options->threads = config->threads;
    options->stop_ms = config->stop_ms > 0 ? config->stop_ms : SERVER_STOP_MS;
    options->status_seconds = config->status_every;
    options->net = config->limits;
    options->admin_key = settings->admin_key;
    options->sign_key = settings->has_sign_key ? settings->sign_key : NULL;
    options->udp_key = settings->has_udp_key ? settings->udp_key : NULL;
    options->token_issuer = settings->has_token_issuer ? settings->token_issuer : NULL;
    options->token_server = config->token_server;
    options->tokens_required = config->tokens == 0;
    options->find_world = worlds_search;
    options->find_to = &settings->worlds;
    options->event = on_event;
    options->event_to = settings;
    options->build = "tickproofd " TP_VERSION;
    return server_create(options, error);
}

static int run(Settings *settings, Server *server)
{
    tp_error error;
    catch_signals(server);
    if (!open_log(settings)) {
        return TP_INTERNAL;
    }
    if (!tickproofd_http_start(&settings->http, &error)) {
        close_log(settings);
        return cli_fail(TP_INTERNAL, "%s", error.text);
    }
    ServerRun run = server_run(server, &error);
    bool      is_read = close_log(settings);
    int       code = run == SERVER_RUN_FAILED ? cli_fail(TP_INTERNAL, "starting: %s", error.text) : (int)server_verdict(server);
    if (run != SERVER_RUN_FAILED) {
        tickproofd_print_results(stdout, server, settings->is_json);
        fflush(stdout);
    }
    if (run == SERVER_RUN_OVERDUE) {
        _exit(TP_INTERNAL); // threads still run in memory that nobody may free
    }
    release_signals();
    return is_read || code != TP_VERIFIED ? code : TP_USAGE; // as when standard output cannot be written
}

static int check(Settings *settings)
{
    const ServerConfig *config = &settings->config;
    if (!serverconfig_check_logs(config, &settings->worlds) || !serverconfig_record_dirs(config, true)) {
        return TP_USAGE;
    }
    tickproofd_print_plan(stdout, config);
    return TP_VERIFIED;
}

// Open files, above all: before a directory is made.
static bool is_granted(Server *server)
{
    tp_error error;
    return server_check(server, &error) || (cli_fail(TP_USAGE, "starting: %s", error.text), false);
}

static bool open_notify(Settings *settings)
{
    tp_error error;
    return notify_open(&settings->notify, &error) || (cli_fail(TP_USAGE, "%s", error.text), false);
}

static int host(Settings *settings)
{
    tp_error error;
    int      code = TP_USAGE;
    Server  *server = make_server(settings, &error);
    if (server == NULL) {
        return cli_fail(TP_INTERNAL, "starting: %s", error.text);
    }
    if (add_rooms(server, &settings->config)) {
        if (settings->is_check) {
            code = is_granted(server) ? check(settings) : TP_USAGE;
        } else if (listen_everywhere(server, &settings->config) && listen_http(settings, server) && is_granted(server) &&
                   open_notify(settings) && serverconfig_record_dirs(&settings->config, false)) {
            code = run(settings, server);
        }
    }
    notify_close(&settings->notify);
    tickproofd_http_close(&settings->http);
    server_destroy(server);
    return code;
}

// TP_VERIFIED to go on, else the exit code; `*is_over` when there is nothing left to do.
static int take_flags(Settings *settings, int argc, char **argv, bool *is_over)
{
    *is_over = true;
    for (int flag; (flag = args_next("", argc, argv, ":h", flags)) != ARGS_END;) {
        if (flag == ARGS_HELP) {
            fputs(help_text, stdout);
            return TP_VERIFIED;
        }
        if (flag == FLAG_VERSION) {
            printf("tickproofd %s (log format %d, world ABI %u)\n", TP_VERSION, TP_LOG_VERSION, TP_WORLD_ABI);
            return TP_VERIFIED;
        }
        if (!take_flag(settings, flag)) {
            return TP_USAGE;
        }
    }
    *is_over = false;
    return TP_VERIFIED;
}

int main(int argc, char **argv)
{
    static Settings settings = { .loops = 1 };
    bool            is_over = false;
    int             code = take_flags(&settings, argc, argv, &is_over);
    if (!is_over) {
        bool is_fine = take_operands(&settings, argc, argv) && read_config(&settings) &&
                       serverconfig_read_admin_key(&settings.config, settings.admin_key) &&
                       serverconfig_read_sign_key(&settings.config, settings.sign_key, &settings.has_sign_key) &&
                       serverconfig_read_udp_key(&settings.config, settings.udp_key, &settings.has_udp_key) &&
                       serverconfig_read_token_issuer(&settings.config, settings.token_issuer, &settings.has_token_issuer);
        code = is_fine ? TP_VERIFIED : TP_USAGE;
        if (code == TP_VERIFIED) {
            files_raise_limit();
            code = host(&settings);
        }
    }
    tp_keys_wipe(settings.sign_key, sizeof(settings.sign_key));
    tp_keys_wipe(settings.udp_key, sizeof(settings.udp_key));
    serverconfig_finish(&settings.config);
    serverconfig_finish(&settings.flags);
    files_finish(&settings.paths);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_fail(TP_USAGE, "standard output: writing: %s", strerror(errno));
        return code == TP_VERIFIED ? TP_USAGE : code;
    }
    return code;
}
