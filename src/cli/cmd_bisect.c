// cmd_bisect.c: `tickproof bisect`: one log under two builds or machines, down to the field in which they come apart.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "bisect_report.h"
#include "cli.h"
#include "crash.h"
#include "files.h"

static const char help[] =
    "Usage: tickproof bisect FILE --with 'COMMAND' [--with 'COMMAND']... [--world W]... [FLAG]...\n"
    "       tickproof bisect FILE --world A.so --world B.so [FLAG]...\n"
    "Runs one log on two sides, each in a process of its own, and says where they come apart: the first tick whose bits\n"
    "differ, section, field and both values, the tick's inputs, who changed the field last before, and what each side says\n"
    "of its machine. Nothing has to be known before, and no root in the log is needed. FILE may be - for standard input.\n"
    "\n"
    "  --with C     the other side: a shell command that reaches another tickproof, such as './other-build/tickproof',\n"
    "               'qemu-s390x ./tickproof' or 'ssh host tickproof'. The subcommand and its flags come at the end, or\n"
    "               where {} stands. The log is on its standard input, and a sidecar of 'tickproof trace' comes back.\n"
    "               May be repeated: each C is held against this program\n"
    "  --world W    a library with the log's world, for every side; a C with --world in it brings its own. Of several W\n"
    "               whose world has the log's name each is a side, and the first is held against the others; may be\n"
    "               repeated\n"
    "  --source D   look under D for the line that declares the field\n"
    "  --format F   text (usual), json, junit, sarif or github\n"
    "  --limit N    differing fields to print, 0 for up to 1,024; 20 when not given\n"
    "  --timeout S  seconds for one run of a side, 0 for any number; 600 when not given\n"
    "\n"
    "Exit code: 0 equal on every tick, 1 they differ, or one side alone faults or crashes, 2 usage, 3, 4, 6 a side says so\n"
    "of the log, 5 equal as far as both went, or a side is out of time, 70 a side could not be run.\n";

enum { FLAG_WITH = ARGS_LONG, FLAG_WORLD, FLAG_SOURCE, FLAG_FORMAT, FLAG_LIMIT, FLAG_TIMEOUT };
enum { COMMANDS_MAX = 32, SIDES_MAX = COMMANDS_MAX + WORLDS_LOADED_MAX, TIMEOUT_MAX_S = 7 * 86400 };

static const struct option flags[] = {
    { "with", required_argument, NULL, FLAG_WITH },     { "world", required_argument, NULL, FLAG_WORLD },
    { "source", required_argument, NULL, FLAG_SOURCE }, { "format", required_argument, NULL, FLAG_FORMAT },
    { "limit", required_argument, NULL, FLAG_LIMIT },   { "timeout", required_argument, NULL, FLAG_TIMEOUT },
    { "help", no_argument, NULL, ARGS_HELP },           { NULL, 0, NULL, 0 },
};

typedef struct {
    const char    *commands[COMMANDS_MAX];
    size_t         command_count;
    const char    *worlds[WORLDS_LOADED_MAX];
    size_t         world_count;
    const char    *source_dir;
    FindingFormat  format;
    uint32_t       limit, timeout_s;
    WorldSet       world_set;
    const char    *path;
    uint8_t       *log;
    size_t         log_size;
    // sides[0] is what all others are held against.
    Side           sides[SIDES_MAX + 1];
    size_t         side_count;
    const char    *side_worlds[SIDES_MAX + 1][WORLDS_LOADED_MAX];
    Hunt           hunts[SIDES_MAX];
    char           aspects[SIDES_MAX][512];
    Finding        findings[SIDES_MAX];
} Bisect;

static bool add_text(const char **items, size_t *count, size_t max, const char *flag, const char *text)
{
    if (*count == max) {
        cli_usage("bisect", "%s: %zu are the most", flag, max);
        return false;
    }
    if (text[0] == '\0') {
        cli_usage("bisect", "%s: it is empty", flag);
        return false;
    }
    items[(*count)++] = text;
    return true;
}

static bool take_source(Bisect *bisect, const char *directory)
{
    struct stat status;
    bisect->source_dir = directory;
    if (stat(directory, &status) == 0 && S_ISDIR(status.st_mode)) {
        return true;
    }
    cli_usage("bisect", "--source: '%s' is not a directory", directory);
    return false;
}

static bool take_format(Bisect *bisect, const char *name)
{
    return finding_format_of(name, &bisect->format) || cli_fail(TP_USAGE, "--format: '%s' is none; give text, json, junit, sarif or github", name) < 0;
}

// -1: go on, else the exit code.
static int take_flags(Bisect *bisect, int argc, char **argv)
{
    for (int flag = args_next("bisect", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("bisect", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_WITH: is_fine = add_text(bisect->commands, &bisect->command_count, COMMANDS_MAX, "--with", optarg); break;
        case FLAG_WORLD: is_fine = add_text(bisect->worlds, &bisect->world_count, WORLDS_LOADED_MAX, "--world", optarg); break;
        case FLAG_SOURCE: is_fine = take_source(bisect, optarg); break;
        case FLAG_FORMAT: is_fine = take_format(bisect, optarg); break;
        case FLAG_LIMIT: is_fine = args_u32("--limit", optarg, 0, UINT32_MAX, &bisect->limit); break;
        case FLAG_TIMEOUT: is_fine = args_u32("--timeout", optarg, 0, TIMEOUT_MAX_S, &bisect->timeout_s); break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("bisect", "it takes one FILE");
    }
    bisect->path = argv[optind];
    return -1;
}

static const char *log_name(const Bisect *bisect)
{
    return strcmp(bisect->path, "-") == 0 ? "standard input" : bisect->path;
}

static bool read_world_name(const Bisect *bisect, char name[TP_NAME_SIZE_MAX + 1], int *code)
{
    tp_memory_source  memory = { bisect->log, bisect->log_size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    tp_log_status     status = tp_reader_open(&source, &options, &reader);
    if (status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
    }
    if (status == TP_LOG_OK) {
        snprintf(name, TP_NAME_SIZE_MAX + 1, "%s", tp_reader_ident(reader)->world);
    } else {
        *code = reader == NULL ? cli_fail(TP_INTERNAL, "%s: out of memory", log_name(bisect))
                               : cli_fail(cli_code_of_status(status), "%s: offset %llu: reading the log: %s", log_name(bisect),
                                          (unsigned long long)tp_reader_offset(reader), tp_reader_message(reader));
    }
    tp_reader_close(reader);
    return status == TP_LOG_OK;
}

static Side *add_side(Bisect *bisect, const char *name, const char *command)
{
    size_t at = bisect->side_count++;
    bisect->sides[at] = (Side){ .name = name, .command = command, .worlds = bisect->side_worlds[at], .timeout_s = bisect->timeout_s };
    return &bisect->sides[at];
}

static void give_world(Bisect *bisect, Side *side, const char *world)
{
    size_t at = (size_t)(side - bisect->sides);
    bisect->side_worlds[at][side->world_count++] = world;
}

// Worlds that are not the log's go to every side. Of those that are, each side of this program gets one. False: said so.
static bool add_own_sides(Bisect *bisect, const char *world_name, size_t *rival_count)
{
    bool is_rival[WORLDS_LOADED_MAX] = { 0 };
    *rival_count = 0;
    for (size_t i = 0; i < bisect->world_count; i++) {
        const tp_world *world = worlds_add(&bisect->world_set, bisect->worlds[i]);
        if (world == NULL) {
            return false;
        }
        is_rival[i] = strcmp(world->name, world_name) == 0;
        *rival_count += is_rival[i];
    }
    for (size_t i = 0; *rival_count > 1 && i < bisect->world_count; i++) {
        if (is_rival[i]) {
            give_world(bisect, add_side(bisect, bisect->worlds[i], NULL), bisect->worlds[i]);
        }
    }
    if (*rival_count <= 1) {
        add_side(bisect, "this program", NULL);
    }
    for (size_t i = 0; i < bisect->side_count; i++) {
        for (size_t k = 0; k < bisect->world_count; k++) {
            if (*rival_count <= 1 || !is_rival[k]) {
                give_world(bisect, &bisect->sides[i], bisect->worlds[k]);
            }
        }
    }
    return true;
}

static bool add_commands(Bisect *bisect, size_t rival_count)
{
    for (size_t i = 0; i < bisect->command_count; i++) {
        const char *command = bisect->commands[i];
        bool        brings_world = strstr(command, "--world") != NULL;
        if (!brings_world && rival_count > 1) {
            cli_usage("bisect", "--with '%s': which of the %zu worlds is it to load? Put --world into the command", command, rival_count);
            return false;
        }
        Side *side = add_side(bisect, command, command);
        for (size_t k = 0; !brings_world && k < bisect->world_count; k++) {
            give_world(bisect, side, bisect->worlds[k]);
        }
    }
    if (bisect->side_count < 2) {
        cli_usage("bisect", "there is nothing to hold this program against: give --with 'COMMAND', or two --world libraries of the log's world");
        return false;
    }
    return true;
}

static void hunt_pair(Bisect *bisect, size_t pair)
{
    Hunt   *hunt = &bisect->hunts[pair];
    HuntAsk ask = {
        .log = bisect->log,
        .log_size = bisect->log_size,
        .log_name = log_name(bisect),
        .sides = { &bisect->sides[0], &bisect->sides[pair + 1] },
        .worlds = &bisect->world_set,
        .source_dir = bisect->source_dir,
        .fields_max = bisect->limit == 0 || bisect->limit > HUNT_FIELDS_MAX ? HUNT_FIELDS_MAX : bisect->limit,
    };
    hunt_run(&ask, hunt);
    snprintf(bisect->aspects[pair], sizeof(bisect->aspects[pair]), "%.200s against %.300s", ask.sides[0]->name, ask.sides[1]->name);
    hunt->finding.aspect = bisect->aspects[pair];
    if (hunt->finding.is_skipped) { // what was asked for and cannot be had is no answer
        hunt->finding.is_skipped = false;
        hunt->finding.verdict = TP_INTERNAL;
    }
    if (bisect->format == FINDING_TEXT) {
        bisect_report(stdout, hunt, ask.sides, bisect->limit);
        fflush(stdout);
    }
}

static int bisect_all(Bisect *bisect)
{
    size_t count = bisect->side_count - 1;
    for (size_t i = 0; i < count; i++) {
        hunt_pair(bisect, i);
        bisect->findings[i] = bisect->hunts[i].finding;
    }
    if (bisect->format != FINDING_TEXT) {
        finding_write(stdout, bisect->format, "tickproof bisect", bisect->findings, count);
    }
    int code = (int)finding_worst(bisect->findings, count);
    for (size_t i = 0; i < count; i++) {
        hunt_finish(&bisect->hunts[i]);
    }
    return code;
}

static int bisect_log(Bisect *bisect)
{
    char     world_name[TP_NAME_SIZE_MAX + 1];
    size_t   rival_count = 0;
    tp_error error;
    int      code = TP_USAGE;
    bisect->log = files_read_all(bisect->path, LOG_PIPE_SIZE_MAX, &bisect->log_size, &error);
    if (bisect->log == NULL) {
        return cli_fail(TP_USAGE, "%s: opening the log: %s", log_name(bisect), error.text);
    }
    crash_guard();
    if (!read_world_name(bisect, world_name, &code)) {
        return code;
    }
    if (!add_own_sides(bisect, world_name, &rival_count) || !add_commands(bisect, rival_count)) {
        return TP_USAGE;
    }
    side_catch_signals();
    return bisect_all(bisect);
}

static int run(int argc, char **argv)
{
    Bisect *bisect = calloc(1, sizeof(*bisect));
    if (bisect == NULL) {
        return cli_fail(TP_INTERNAL, "bisect: out of memory");
    }
    bisect->limit = 20;
    bisect->timeout_s = 600;
    int code = take_flags(bisect, argc, argv);
    if (code < 0) {
        code = bisect_log(bisect);
    }
    free(bisect->log);
    free(bisect);
    return code;
}

const Command command_bisect = { "bisect", "find the field in which two builds or machines come apart", help, run };
