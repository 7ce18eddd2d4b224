// cmd_dump.c: `tickproof dump`: one state of a log as JSON.
#include <stdlib.h>

#include "args.h"
#include "cli.h"
#include "resim.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof dump --tick T [--pretty] [--world W]... FILE\n"
    "Prints the state with T steps done as JSON: 0 is the state before the first step. It is made from the nearest keyframe\n"
    "before it and checked only as far as decoding goes. An opaque state prints {\"hex\":\"...\"} unless a section table names its bytes.\n"
    "FILE may be - for standard input.\n"
    "\n"
    "  --tick T    the state, by steps done\n"
    "  --pretty    one value a line\n"
    "  --world W   a library with the log's world; may be repeated\n";

enum { FLAG_TICK = ARGS_LONG, FLAG_PRETTY, FLAG_WORLD };

static const struct option flags[] = {
    { "tick", required_argument, NULL, FLAG_TICK },
    { "pretty", no_argument, NULL, FLAG_PRETTY },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

// Breaks compact JSON into lines. What stands in quotes passes as it is.
typedef struct {
    int  depth;
    bool is_quoted, is_escaped, is_after_open;
} Pretty;

static void start_line(Pretty *pretty)
{
    fputc('\n', stdout);
    for (int i = 0; i < pretty->depth; i++) {
        fputs("  ", stdout);
    }
}

static void put_structure(Pretty *pretty, char letter)
{
    bool is_close = letter == '}' || letter == ']';
    if (is_close) {
        pretty->depth--;
        if (!pretty->is_after_open) {
            start_line(pretty);
        }
    } else if (pretty->is_after_open) {
        start_line(pretty);
    }
    pretty->is_after_open = letter == '{' || letter == '[';
    pretty->depth += pretty->is_after_open ? 1 : 0;
    fputc(letter, stdout);
    if (letter == ',') {
        start_line(pretty);
    } else if (letter == ':') {
        fputc(' ', stdout);
    }
    pretty->is_quoted = letter == '"';
}

static void put_pretty(void *to, const char *text, size_t size)
{
    Pretty *pretty = to;
    for (size_t i = 0; i < size; i++) {
        if (pretty->is_quoted) {
            fputc(text[i], stdout);
            pretty->is_quoted = text[i] != '"' || pretty->is_escaped;
            pretty->is_escaped = text[i] == '\\' && !pretty->is_escaped;
        } else {
            put_structure(pretty, text[i]);
        }
    }
}

static int print_state(Resim *resim, bool is_pretty)
{
    const tp_layout *layout = tp_sim_layout(resim->sim);
    size_t           capacity = tp_sim_encoded_max(resim->sim);
    size_t           size = 0;
    Pretty           pretty = { 0 };
    uint8_t         *bytes = malloc(capacity + 1);
    if (bytes == NULL || !tp_sim_encode(resim->sim, bytes, capacity, &size)) {
        free(bytes);
        return cli_fail(TP_INTERNAL, "%s: encoding the state: out of memory, or the world cannot save itself", resim->path);
    }
    if (!tp_layout_names(layout, size)) {
        fputs("{\"hex\":\"", stdout);
        textout_hex(stdout, bytes, size);
        fputs("\"}", stdout);
    } else if (is_pretty) {
        tp_layout_json(layout, bytes, put_pretty, &pretty);
    } else {
        tp_layout_json(layout, bytes, textout_sink, stdout);
    }
    fputc('\n', stdout);
    free(bytes);
    return TP_VERIFIED;
}

static int run(int argc, char **argv)
{
    static WorldSet worlds;
    Resim           resim;
    uint64_t        tick = UINT64_MAX;
    bool            is_pretty = false;
    for (int flag = args_next("dump", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("dump", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_TICK: is_fine = args_u64("--tick", optarg, 0, UINT64_MAX - 1, &tick); break;
        case FLAG_PRETTY: is_fine = is_pretty = true; break;
        case FLAG_WORLD: is_fine = worlds_add(&worlds, optarg) != NULL; break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc || tick == UINT64_MAX) {
        return cli_usage("dump", tick == UINT64_MAX ? "--tick is missing" : "it takes one FILE");
    }
    bool is_there = resim_open(&resim, argv[optind]) && resim_make_sim(&resim, &worlds) && resim_go_to(&resim, tick);
    int  code = is_there ? print_state(&resim, is_pretty) : resim.code;
    resim_finish(&resim);
    return code;
}

const Command command_dump = { "dump", "print one state as JSON", help, run };
