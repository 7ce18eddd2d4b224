// cmd_join.c: `tickproof join`: plays in rooms of a server, and holds every tick against what the server says it came to.
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "join.h"
#include "message.h"
#include "secretkey.h"

static const char help[] =
    "Usage: tickproof join HOST:PORT|ws://HOST:PORT [--room NAME]... [FLAG]...\n"
    "Joins rooms of a tickproofd, plays there, and steps each room's world itself with what the server confirms: every tick's\n"
    "checksum is compared. At the end a line for each membership says what came of it. With ws:// it comes over a WebSocket,\n"
    "where the server speaks HTTP, at /play unless a path follows.\n"
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
    "  --behind TICKS       with --watch: see the room as it was so many ticks ago, at most 36000; 0\n"
    "  --lead N             for how many ticks ahead of the last confirmed one it sends; 2, and at most what the server takes\n"
    "\n"
    "Ahead of the server:\n"
    "  --predict            play the present on a clock of its own: guess what others do until the server's word comes, and go back\n"
    "                       where the guess was wrong. The bots see the guessed present; --inputs has a line for each tick that is\n"
    "                       played; who watches plays evenly what is confirmed. Without it a tick is stepped when it is confirmed\n"
    "  --window N           ticks that may be guessed, 0 to 120; 8\n"
    "  --input-delay N      ticks from an input to its effect, 0 to 60; 0\n"
    "\n"
    "The line:\n"
    "  --udp                by datagrams: HOST:PORT is what the server was given with --udp\n"
    "  --rejoin             after a lost connection, also of a server that was killed and runs again, take the same slots up again\n"
    "  --rejoin-seconds N   for how long to try, 1 to 86400; 30\n"
    "  --lag MS             make the line worse: by so much in each direction, 0 to 10000; 0\n"
    "  --jitter MS          up to so much more, differently for each message, 0 to 10000; 0\n"
    "  --server-key F       with --udp: the server takes secured datagrams, and this is its public key\n"
    "  --client-key F       the secret key of 'tickproof keygen' that the join token is for\n"
    "  --token F            show the join token in F, of 'tickproof token'; '-' is standard input. It is good for one membership\n"
    "  --loss PERCENT       lose so many datagrams, 0 to 100 with three places; without --udp they come later instead; 0\n"
    "  --net-seed N         draws the jitter and losses; 0\n"
    "\n"
    "Drills:\n"
    "  --plant-desync TICK  change one bit of the world here after this confirmed tick, and see what the server does about it\n"
    "  --chat TEXT          say a line of 1 to 200 bytes to all in the room, when it has joined\n"
    "\n"
    "How long (without any: until the room ends, or an interrupt):\n"
    "  --ticks N            leave a room after N confirmed ticks\n"
    "  --seconds N          leave all after N seconds\n"
    "\n"
    "  --format F           text (usual) or json: one object per membership, one line each\n"
    "  --trace N            with json: a line when it has joined, and one for every N confirmed ticks, printed at once; and one when\n"
    "                       its connection is lost, the server sends its state anew, the roots differ or somebody says something\n"
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
    FLAG_LEAD, FLAG_TICKS, FLAG_SECONDS, FLAG_FORMAT, FLAG_TRACE, FLAG_PER_CONNECTION, FLAG_CONNECT_TIMEOUT, FLAG_BEHIND, FLAG_PREDICT, FLAG_WINDOW,
    FLAG_INPUT_DELAY, FLAG_UDP, FLAG_REJOIN, FLAG_REJOIN_SECONDS, FLAG_LAG, FLAG_JITTER, FLAG_LOSS, FLAG_NET_SEED, FLAG_PLANT, FLAG_CHAT,
    FLAG_SERVER_KEY, FLAG_CLIENT_KEY, FLAG_TOKEN,
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
    { "behind", required_argument, NULL, FLAG_BEHIND },
    { "predict", no_argument, NULL, FLAG_PREDICT },
    { "window", required_argument, NULL, FLAG_WINDOW },
    { "input-delay", required_argument, NULL, FLAG_INPUT_DELAY },
    { "udp", no_argument, NULL, FLAG_UDP },
    { "server-key", required_argument, NULL, FLAG_SERVER_KEY },
    { "client-key", required_argument, NULL, FLAG_CLIENT_KEY },
    { "token", required_argument, NULL, FLAG_TOKEN },
    { "rejoin", no_argument, NULL, FLAG_REJOIN },
    { "rejoin-seconds", required_argument, NULL, FLAG_REJOIN_SECONDS },
    { "lag", required_argument, NULL, FLAG_LAG },
    { "jitter", required_argument, NULL, FLAG_JITTER },
    { "loss", required_argument, NULL, FLAG_LOSS },
    { "net-seed", required_argument, NULL, FLAG_NET_SEED },
    { "plant-desync", required_argument, NULL, FLAG_PLANT },
    { "chat", required_argument, NULL, FLAG_CHAT },
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

static bool take_chat(JoinOptions *options, const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || size > TP_CLIENT_CHAT_MAX) {
        cli_usage("join", "--chat: the text has %zu bytes; give 1 to %d", size, TP_CLIENT_CHAT_MAX);
        return false;
    }
    options->chat = text;
    return true;
}

// Flags about how the line is and how the present is played.
static bool take_live_flag(JoinOptions *options, int flag)
{
    uint32_t thousandths = 0;
    switch (flag) {
    case FLAG_BEHIND: return args_u32("--behind", optarg, 0, MESSAGE_DELAY_MAX, &options->behind);
    case FLAG_PREDICT: options->is_predict = true; return true;
    case FLAG_WINDOW: options->has_session = true; return args_u32("--window", optarg, 0, TP_SESSION_WINDOW_MAX, &options->window);
    case FLAG_INPUT_DELAY: options->has_session = true; return args_u32("--input-delay", optarg, 0, TP_SESSION_DELAY_MAX, &options->input_delay);
    case FLAG_UDP: options->is_udp = true; return true;
    case FLAG_SERVER_KEY: options->server_key_file = optarg; return true;
    case FLAG_CLIENT_KEY: options->client_key_file = optarg; return true;
    case FLAG_TOKEN: options->token_file = optarg; return true;
    case FLAG_REJOIN: options->is_rejoin = true; return true;
    case FLAG_REJOIN_SECONDS: options->is_rejoin = true; return args_u32("--rejoin-seconds", optarg, 1, 86400, &options->rejoin_seconds);
    case FLAG_LAG: return args_u32("--lag", optarg, 0, JOIN_LAG_MAX, &options->lag_ms);
    case FLAG_JITTER: return args_u32("--jitter", optarg, 0, JOIN_LAG_MAX, &options->jitter_ms);
    case FLAG_NET_SEED: return args_u64("--net-seed", optarg, 0, UINT64_MAX, &options->net_seed);
    case FLAG_PLANT: options->is_planted = true; return args_u64("--plant-desync", optarg, 0, UINT64_MAX - 1, &options->plant_tick);
    case FLAG_CHAT: return take_chat(options, optarg);
    case FLAG_LOSS:
        if (!args_thousandths("--loss", optarg, 0, 100000, &thousandths)) {
            return false;
        }
        options->loss_ppm = thousandths * 10;
        return true;
    default: return false; // ARGS_BAD: already said
    }
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
    default: return take_live_flag(options, flag);
    }
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
    } else if (options->behind > 0 && !options->is_watch) {
        cli_usage("join", "--behind is for --watch: who plays is never behind");
    } else if (options->has_session && !options->is_predict) {
        cli_usage("join", "--window and --input-delay are for --predict");
    } else if ((options->server_key_file != NULL || options->client_key_file != NULL) && !options->is_udp) {
        cli_usage("join", "--server-key and --client-key are for --udp: over TCP nobody shows a key");
    } else if (options->client_key_file != NULL && options->server_key_file == NULL) {
        cli_usage("join", "--client-key goes with --server-key");
    } else if (options->trace > 0 && !options->is_json) {
        cli_usage("join", "--trace is for --format json");
    } else {
        return false;
    }
    return true;
}

static bool is_both(const JoinOptions *options)
{
    if (options->is_udp && options->ws_path[0] != '\0') {
        cli_usage("join", "--udp and ws:// exclude each other");
        return true;
    }
    return false;
}

// The keys are of Ed25519, as all of keygen's; datagrams want what Curve25519 makes of them.
static bool read_keys(JoinOptions *options)
{
    tp_error error;
    uint8_t  public_key[TP_PUBLIC_KEY_SIZE], secret[TP_SECRET_KEY_SIZE];
    if (options->server_key_file != NULL) {
        if (!secretkey_read_public(options->server_key_file, public_key, &error) ||
            crypto_sign_ed25519_pk_to_curve25519(options->server_key, public_key) != 0) {
            cli_usage("join", "--server-key: %s: it is no public key of 'tickproof keygen'", options->server_key_file);
            return false;
        }
        options->has_server_key = true;
    }
    if (options->client_key_file != NULL) {
        if (!secretkey_read(options->client_key_file, secret, &error)) {
            cli_usage("join", "--client-key: %s: %s", options->client_key_file, error.text);
            return false;
        }
        options->has_client_key = crypto_sign_ed25519_sk_to_curve25519(options->client_keys.secret, secret) == 0;
        tp_keys_wipe(secret, sizeof(secret));
        channel_noise_open(&options->client_keys);
    }
    if (options->token_file != NULL && !secretkey_read_token(options->token_file, options->token, &options->token_size, &error)) {
        cli_usage("join", "--token: %s: %s", options->token_file, error.text);
        return false;
    }
    return true;
}

static int run_with(JoinOptions *options, int argc, char **argv)
{
    options->program = "join";
    options->players = options->clients = 1;
    options->window = TP_SESSION_WINDOW;
    options->rejoin_seconds = JOIN_REJOIN_SECONDS;
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
    if (is_wrong(options, argc, argv) ||
        !join_take_place(options, argv[optind]) || is_both(options) || !read_keys(options) || (options->inputs != NULL && !read_inputs(options))) {
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
