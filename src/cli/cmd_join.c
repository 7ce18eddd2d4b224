// cmd_join.c: `tickproof join`: plays in rooms of a server, and holds every tick against what the server says it came to.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "join.h"

static const char help[] =
    "Usage: tickproof join HOST:PORT [--room NAME]... [FLAG]...\n"
    "Joins rooms of a tickproofd, plays there, and steps each room's world itself with what the server confirms: every tick's\n"
    "checksum is compared. At the end a line for each membership says what came of it.\n"
    "\n"
    "  --room NAME          a room; may be repeated. Without it all that are live and not over\n"
    "  --list               print the server's rooms and leave\n"
    "  --players N          slots that one client takes in a room; 1\n"
    "  --clients N          clients in each room, each with connections of its own; 1\n"
    "  --world W            also know the world in this library; may be repeated\n"
    "\n"
    "What is played:\n"
    "  --bot                the world's bot (usual)\n"
    "  --delay TICKS        its reaction time, also --bot-delay; 0\n"
    "  --seed N             of the bots: each room, client and slot gets a stream of its own from it; 0\n"
    "  --inputs F           lines of JSON as 'tickproof cat' prints them, at most 64 MiB, - for standard input: slot 0, 1, ... of the\n"
    "                       file on the slots of the client in their order, a line for each tick from the joined one on. All are\n"
    "                       read and checked before a room is joined. It leaves when the last one is confirmed\n"
    "  --watch              nothing: takes no slot\n"
    "  --lead N             for how many ticks ahead of the last confirmed one it sends; 2, and at most what the server takes\n"
    "\n"
    "How long (without any: until the room ends, or an interrupt):\n"
    "  --ticks N            leave a room after N confirmed ticks\n"
    "  --seconds N          leave all after N seconds\n"
    "\n"
    "  --format F           text (usual) or json: one object per membership, one line each\n"
    "  --trace N            with json: a line when it has joined, and one for every N confirmed ticks, printed at once\n"
    "  --rooms-per-connection N\n"
    "                       of one client, at most; 32. A connection has rooms of one lane (thread) of the server\n"
    "  --connect-timeout SECONDS\n"
    "                       5\n"
    "\n"
    "Interrupted, it leaves every room before it ends. Exit codes: 0 every root of every membership agreed; 1 one did not; 2 wrong\n"
    "command line, no connection, no such room, refused; 5 a connection was lost, or a room ended, before what was asked, or no tick\n"
    "was confirmed, so that nothing was compared; 6 a room's world cannot run here. Of several the most serious counts, as for other\n"
    "commands.\n";

enum {
    FLAG_ROOM = ARGS_LONG, FLAG_LIST, FLAG_PLAYERS, FLAG_CLIENTS, FLAG_WORLD, FLAG_BOT, FLAG_DELAY, FLAG_SEED, FLAG_INPUTS, FLAG_WATCH,
    FLAG_LEAD, FLAG_TICKS, FLAG_SECONDS, FLAG_FORMAT, FLAG_TRACE, FLAG_PER_CONNECTION, FLAG_CONNECT_TIMEOUT,
};

static const struct option flags[] = {
    { "room", required_argument, NULL, FLAG_ROOM },
    { "list", no_argument, NULL, FLAG_LIST },
    { "players", required_argument, NULL, FLAG_PLAYERS },
    { "clients", required_argument, NULL, FLAG_CLIENTS },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "bot", no_argument, NULL, FLAG_BOT },
    { "delay", required_argument, NULL, FLAG_DELAY },
    { "bot-delay", required_argument, NULL, FLAG_DELAY },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "inputs", required_argument, NULL, FLAG_INPUTS },
    { "watch", no_argument, NULL, FLAG_WATCH },
    { "lead", required_argument, NULL, FLAG_LEAD },
    { "ticks", required_argument, NULL, FLAG_TICKS },
    { "seconds", required_argument, NULL, FLAG_SECONDS },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "trace", required_argument, NULL, FLAG_TRACE },
    { "rooms-per-connection", required_argument, NULL, FLAG_PER_CONNECTION },
    { "connect-timeout", required_argument, NULL, FLAG_CONNECT_TIMEOUT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static bool take_room(JoinOptions *options, const char *name)
{
    for (uint32_t i = 0; i < options->room_count; i++) {
        if (strcmp(options->rooms[i], name) == 0) {
            cli_usage("join", "--room: '%s' is given twice; --clients is for more than one", name);
            return false;
        }
    }
    options->rooms[options->room_count++] = name;
    return true;
}

static bool take_flag(JoinOptions *options, int flag)
{
    switch (flag) {
    case FLAG_ROOM: return take_room(options, optarg);
    case FLAG_LIST: options->is_list = true; return true;
    case FLAG_PLAYERS: options->has_players = true; return args_u32("--players", optarg, 1, TP_PLAYERS_MAX, &options->players);
    case FLAG_CLIENTS: return args_u32("--clients", optarg, 1, JOIN_MEMBERS_MAX, &options->clients);
    case FLAG_WORLD: return worlds_add(&options->worlds, optarg) != NULL;
    case FLAG_BOT: options->is_bot = true; return true;
    case FLAG_DELAY: options->is_bot = true; return args_u32("--delay", optarg, 0, 1000000, &options->bot_delay);
    case FLAG_SEED: return args_u64("--seed", optarg, 0, UINT64_MAX, &options->seed);
    case FLAG_INPUTS: options->inputs = optarg; return true;
    case FLAG_WATCH: options->is_watch = true; return true;
    case FLAG_LEAD: return args_u32("--lead", optarg, 1, 65535, &options->lead);
    case FLAG_TICKS: return args_u64("--ticks", optarg, 1, UINT64_MAX, &options->ticks);
    case FLAG_SECONDS: return args_u32("--seconds", optarg, 1, 31536000, &options->seconds);
    case FLAG_FORMAT: return args_is_json(optarg, &options->is_json);
    case FLAG_TRACE: return args_u32("--trace", optarg, 1, UINT32_MAX, &options->trace);
    case FLAG_PER_CONNECTION: return args_u32("--rooms-per-connection", optarg, 1, TP_CLIENT_ROOMS_MAX, &options->rooms_per_connection);
    case FLAG_CONNECT_TIMEOUT: return args_u32("--connect-timeout", optarg, 1, 3600, &options->connect_seconds);
    default: return false; // ARGS_BAD: already said
    }
}

// "HOST:PORT", an IPv6 address in brackets.
static bool take_place(JoinOptions *options, const char *place)
{
    const char *host = place[0] == '[' ? place + 1 : place;
    const char *end = place[0] == '[' ? strchr(place, ']') : strchr(place, ':');
    const char *colon = end != NULL && *end == ']' ? end + 1 : end;
    uint32_t    port = 0;
    size_t      size = end == NULL ? 0 : (size_t)(end - host);
    if (end == NULL || *colon != ':' || size == 0 || size >= sizeof(options->host) || strlen(colon + 1) >= sizeof(options->port)) {
        cli_usage("join", "'%s' is not HOST:PORT; an IPv6 address stands in brackets, as in [::1]:7777", place);
        return false;
    }
    if (!args_u32(place, colon + 1, 1, 65535, &port)) {
        return false;
    }
    memcpy(options->host, host, size);
    snprintf(options->port, sizeof(options->port), "%u", port);
    options->place = place;
    return true;
}

// All of it, and all that can be said of it before the worlds are known. False: said so.
static bool read_inputs(JoinOptions *options)
{
    tp_error     error;
    bool         is_input = strcmp(options->inputs, "-") == 0;
    InputSource *lines = NULL;
    RowBuffer   *row = calloc(1, sizeof(*row));
    options->inputs_text = (char *)files_read_all(options->inputs, JOIN_INPUTS_MAX, &options->inputs_size, &error);
    options->inputs = is_input ? "standard input" : options->inputs;
    if (options->inputs_text == NULL) {
        cli_usage("join", "--inputs: %s: reading it: %s", options->inputs, error.text);
    } else if (strspn(options->inputs_text, " \t\r\n") == options->inputs_size) {
        cli_usage("join", "--inputs: %s: it has no line", options->inputs);
    } else {
        lines = row == NULL ? NULL : inputsource_text(NULL, options->inputs, options->inputs_text, options->inputs_size, &error);
        if (lines == NULL) {
            cli_fail(TP_INTERNAL, "join: out of memory");
        }
    }
    bool is_fine = lines != NULL && inputsource_check(lines, row);
    inputsource_destroy(lines);
    free(row);
    return is_fine;
}

static bool is_wrong(const JoinOptions *options, int argc, char **argv)
{
    if (optind >= argc) {
        cli_usage("join", "no server is given");
    } else if (optind + 1 < argc) {
        cli_usage("join", "'%s': one server, '%s', is given already", argv[optind + 1], argv[optind]);
    } else if (options->is_watch && (options->is_bot || options->inputs != NULL || options->has_players)) {
        cli_usage("join", "--watch takes no slot: it goes without --bot, --delay, --inputs and --players");
    } else if (options->is_bot && options->inputs != NULL) {
        cli_usage("join", "--bot and --inputs exclude each other");
    } else if (options->trace > 0 && !options->is_json) {
        cli_usage("join", "--trace is for --format json");
    } else {
        return false;
    }
    return true;
}

static int run_with(JoinOptions *options, int argc, char **argv)
{
    options->players = options->clients = 1;
    options->lead = 2;
    options->rooms_per_connection = 32;
    options->connect_seconds = 5;
    for (int flag = args_next("join", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("join", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (!take_flag(options, flag)) {
            return TP_USAGE;
        }
    }
    if (is_wrong(options, argc, argv) || !take_place(options, argv[optind]) || (options->inputs != NULL && !read_inputs(options))) {
        return TP_USAGE;
    }
    return join_run(options);
}

static int run(int argc, char **argv)
{
    JoinOptions *options = calloc(1, sizeof(*options));
    const char **rooms = calloc((size_t)argc, sizeof(*rooms));
    int          code = TP_INTERNAL;
    if (options == NULL || rooms == NULL) {
        cli_fail(TP_INTERNAL, "out of memory");
    } else {
        options->rooms = rooms;
        code = run_with(options, argc, argv);
    }
    free(rooms);
    free(options != NULL ? options->inputs_text : NULL);
    free(options);
    return code;
}

const Command command_join = { "join", "play on a server and compare every tick", help, run };
