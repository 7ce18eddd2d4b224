// cmd_admin.c: `tickproof admin`: asks a server, with its key, to do something with one of its rooms.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "join.h"
#include "keyfile.h"
#include "message.h"

static const char help[] =
    "Usage: tickproof admin HOST:PORT --key-file F VERB ROOM [ARGUMENT]...\n"
    "       tickproof admin HOST:PORT --list\n"
    "Has a tickproofd that was given a key for administrators do something with one of its rooms, and prints its answer in one line.\n"
    "HOST:PORT may be ws://HOST:PORT, as for 'tickproof join'.\n"
    "\n"
    "  kick ROOM SLOT       put out whoever has the slot, with all slots of that client\n"
    "  pause ROOM           no more ticks, until resume\n"
    "  resume ROOM          ticks again, also after the room halted over a desync\n"
    "  step ROOM N          do N ticks (1 to 10000) of a paused room, at its rate\n"
    "  speed ROOM FACTOR    how fast it goes: 0.001 to 1000 times its usual rate, at most three places\n"
    "  note ROOM TEXT       write a line into the room's log\n"
    "  command ROOM NAME [JSON]\n"
    "                       give the room's world a command at its next tick. JSON has its fields, such as '{\"percent\":120}', as in\n"
    "                       a line of 'tickproof cat'; fields that are left out are 0. Raw bytes stand in hexadecimal, as '\"00ff\"'.\n"
    "                       'tickproof worlds -v W' lists the commands of a world\n"
    "  end ROOM             end the room's log, and the room\n"
    "\n"
    "  --key-file F         its first line is the server's key, 8 to 128 bytes; nobody but its owner may have rights to it\n"
    "  --list               print the server's rooms and leave; needs no key\n"
    "  --world W            also know the world in this library, for its commands; may be repeated\n"
    "  --format F           text (usual) or json: room, verb, done, tick, text, exit\n"
    "  --connect-timeout SECONDS\n"
    "                       5\n"
    "\n"
    "Exit codes: 0 done; 2 wrong command line, no connection, no such room, refused; 5 the server did not answer; 6 the room's world\n"
    "is not here.\n";

enum { FLAG_KEY_FILE = ARGS_LONG, FLAG_LIST, FLAG_WORLD, FLAG_FORMAT, FLAG_CONNECT_TIMEOUT };

enum { SPEED_MAX = 1000000, STEP_MAX = 10000 }; // as the protocol has them

static const struct option flags[] = {
    { "key-file", required_argument, NULL, FLAG_KEY_FILE },
    { "list", no_argument, NULL, FLAG_LIST },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "connect-timeout", required_argument, NULL, FLAG_CONNECT_TIMEOUT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

/// What stands behind a room's name, at least and at most.
typedef struct {
    const char    *name;
    tp_client_verb verb;
    int            least, most;
    const char    *usage;
} Verb;

static const Verb verbs[] = {
    { "kick", TP_CLIENT_KICK, 1, 1, "ROOM SLOT" },
    { "pause", TP_CLIENT_PAUSE, 0, 0, "ROOM" },
    { "resume", TP_CLIENT_RESUME, 0, 0, "ROOM" },
    { "step", TP_CLIENT_STEP, 1, 1, "ROOM N" },
    { "speed", TP_CLIENT_SPEED, 1, 1, "ROOM FACTOR" },
    { "note", TP_CLIENT_NOTE, 1, 1, "ROOM TEXT" },
    { "command", TP_CLIENT_COMMAND, 1, 2, "ROOM NAME [JSON]" },
    { "end", TP_CLIENT_END, 0, 0, "ROOM" },
};
enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

typedef struct {
    JoinOptions join;
    JoinAdmin   admin;
    const char *key_path;
    char        key[KEYFILE_KEY_SIZE];
} Options;

static bool take_flag(Options *options, int flag)
{
    switch (flag) {
    case FLAG_KEY_FILE: options->key_path = optarg; return true;
    case FLAG_LIST: options->join.is_list = true; return true;
    case FLAG_WORLD: return worlds_add(&options->join.worlds, optarg) != NULL;
    case FLAG_FORMAT: return args_is_json(optarg, &options->join.is_json);
    case FLAG_CONNECT_TIMEOUT: return args_u32("--connect-timeout", optarg, 1, 3600, &options->join.connect_seconds);
    default: return false; // ARGS_BAD: already said
    }
}

static const Verb *find_verb(const char *name)
{
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    cli_usage("admin", "'%s': there is no such verb; give kick, pause, resume, step, speed, note, command or end", name);
    return NULL;
}

static bool take_note(JoinAdmin *admin, const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || size > MESSAGE_COMMAND_MAX) {
        cli_usage("admin", "note: the text has %zu bytes; give 1 to %d", size, MESSAGE_COMMAND_MAX);
        return false;
    }
    admin->note = text;
    return true;
}

static bool take_argument(JoinAdmin *admin, const char *text)
{
    uint32_t number = 0;
    bool     is_fine = true;
    switch (admin->verb) {
    case TP_CLIENT_KICK: return args_u32("kick: SLOT", text, 0, TP_PLAYERS_MAX - 1, &admin->slot);
    case TP_CLIENT_STEP: return args_u64("step: N", text, 1, STEP_MAX, &admin->value);
    case TP_CLIENT_SPEED:
        is_fine = args_thousandths("speed: FACTOR", text, 1, SPEED_MAX, &number);
        admin->value = number;
        return is_fine;
    case TP_CLIENT_NOTE: return take_note(admin, text);
    case TP_CLIENT_COMMAND: admin->command = text; return true;
    case TP_CLIENT_PAUSE:
    case TP_CLIENT_RESUME:
    case TP_CLIENT_END: return true;
    }
    return true;
}

// VERB ROOM [ARGUMENT]... False: said so.
static bool take_words(Options *options, int count, char **words)
{
    JoinAdmin *admin = &options->admin;
    if (count == 0) {
        cli_usage("admin", "no verb is given; give kick, pause, resume, step, speed, note, command or end, or --list");
        return false;
    }
    const Verb *verb = find_verb(words[0]);
    if (verb == NULL) {
        return false;
    }
    if (count < 2 + verb->least || count > 2 + verb->most) {
        cli_usage("admin", "%s: needs %s", verb->name, verb->usage);
        return false;
    }
    admin->verb = verb->verb;
    admin->verb_name = verb->name;
    admin->room = words[1];
    admin->fields = count > 3 ? words[3] : NULL;
    options->join.admin = admin;
    return count < 3 || take_argument(admin, words[2]);
}

static bool take_key(Options *options)
{
    tp_error error;
    if (options->key_path == NULL) {
        cli_usage("admin", "%s: no key is given; give --key-file", options->admin.verb_name);
        return false;
    }
    if (!keyfile_read(options->key_path, options->key, &error)) {
        cli_fail(TP_USAGE, "admin: --key-file: %s: %s", options->key_path, error.text);
        return false;
    }
    options->admin.key = options->key;
    return true;
}

static bool take_operands(Options *options, int count, char **words)
{
    if (count == 0) {
        cli_usage("admin", "no server is given");
        return false;
    }
    if (!join_take_place(&options->join, words[0])) {
        return false;
    }
    if (options->join.is_list && count > 1) {
        cli_usage("admin", "'%s': --list goes without a verb", words[1]);
        return false;
    }
    return options->join.is_list || (take_words(options, count - 1, words + 1) && take_key(options));
}

static int run_with(Options *options, int argc, char **argv)
{
    options->join.program = "admin";
    options->join.connect_seconds = 5;
    for (int flag = args_next("admin", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("admin", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (!take_flag(options, flag)) {
            return TP_USAGE;
        }
    }
    return take_operands(options, argc - optind, argv + optind) ? join_run(&options->join) : TP_USAGE;
}

static int run(int argc, char **argv)
{
    Options *options = calloc(1, sizeof(*options));
    int      code = options != NULL ? run_with(options, argc, argv) : cli_fail(TP_INTERNAL, "out of memory");
    if (options != NULL) {
        explicit_bzero(options->key, sizeof(options->key));
    }
    free(options);
    return code;
}

const Command command_admin = { "admin", "pause, step, kick and more in a room of a server", help, run };
