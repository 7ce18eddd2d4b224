// cmd_cat.c: `tickproof cat`: a log's inputs as lines of JSON.
#include "args.h"
#include "cli.h"
#include "resim.h"
#include "rowjson.h"
#include "rulesline.h"

static const char help[] =
    "Usage: tickproof cat [--from T] [--to T] [--no-rules] [--world W]... FILE\n"
    "Prints the inputs and commands of every tick as a line of JSON, behind one with the rules. 'tickproof import jsonl' makes\n"
    "a log of the same ticks and roots of them again, 'tickproof run --inputs' of the same world the same rows. Match, names of\n"
    "slots and the spacing of keyframes are not in the lines. FILE may be - for standard input.\n"
    "\n"
    "  --from T    first tick; the log's first when not given\n"
    "  --to T      last tick; the log's last when not given\n"
    "  --no-rules  without the first line\n"
    "  --world W   a library with the log's world; may be repeated\n"
    "\n"
    "  {\"rules\":{\"world\":\"runner\",\"revision\":1,\"seed\":7,\"players\":2,\"tick_rate_hz\":120,\"hash\":\"xxh3\",\"config\":{...},...}}\n"
    "  {\"tick\":0,\"slots\":[{\"slot\":0,\"origin\":\"bot\",\"edges\":1}],\"commands\":[{\"source\":\"host\",\"type\":\"speed\",\n"
    "  \"fields\":{\"percent\":120}}],\"root\":\"...\"}\n"
    "\n"
    "A slot that is not listed is absent. Without the world, and for commands of raw bytes, values are one \"hex\". The tick\n"
    "whose step faulted has \"fault\" in place of \"root\". 'tickproof run' ignores root and fault; a field left out is neutral.\n";

enum { FLAG_FROM = ARGS_LONG, FLAG_TO, FLAG_NO_RULES, FLAG_WORLD };

static const struct option flags[] = {
    { "from", required_argument, NULL, FLAG_FROM },
    { "to", required_argument, NULL, FLAG_TO },
    { "no-rules", no_argument, NULL, FLAG_NO_RULES },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    uint64_t from, to;
    bool     has_no_rules;
} CatOptions;

// The line with the rules comes before the first row: that one says how much of its root there is.
static void print_rules(const Resim *resim, const tp_log_row *row)
{
    rulesline_print(stdout, resim->ident, row == NULL ? resim->ident->first_tick : row->tick, row == NULL ? 0 : row->root_size);
}

static int print_rows(Resim *resim, const CatOptions *options)
{
    tp_log_row row;
    bool       needs_rules = !options->has_no_rules;
    for (;;) {
        ResimResult result = resim_next(resim, &row);
        if (result == RESIM_FAILED || result == RESIM_END || row.tick > options->to) {
            if (needs_rules) {
                print_rules(resim, NULL);
            }
            return result == RESIM_FAILED ? resim->code : TP_VERIFIED;
        }
        if (row.tick < options->from) {
            continue;
        }
        if (needs_rules) {
            print_rules(resim, &row);
            needs_rules = false;
        }
        rowjson_print(stdout, resim->ident, resim->world, &row, result == RESIM_FAULT ? resim->rows.payload : NULL);
    }
}

static int cat(WorldSet *worlds, const char *path, const CatOptions *options)
{
    Resim    resim;
    tp_error error;
    bool     is_open = resim_open(&resim, path);
    if (is_open && !resim_find_world(&resim, worlds, &error)) {
        cli_fail(TP_VERIFIED, "%s: %s; printing hexadecimal", resim.path, error.text);
    }
    // The rows are shown as they were recorded: nothing has to be stepped for that.
    tp_sim_destroy(resim.sim);
    resim.sim = NULL;
    int code = is_open ? print_rows(&resim, options) : resim.code;
    resim_finish(&resim);
    return code;
}

static int run(int argc, char **argv)
{
    static WorldSet worlds;
    CatOptions      options = { .to = UINT64_MAX };
    for (int flag = args_next("cat", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("cat", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_FROM: is_fine = args_u64("--from", optarg, 0, UINT64_MAX, &options.from); break;
        case FLAG_TO: is_fine = args_u64("--to", optarg, 0, UINT64_MAX, &options.to); break;
        case FLAG_NO_RULES: is_fine = options.has_no_rules = true; break;
        case FLAG_WORLD: is_fine = worlds_add(&worlds, optarg) != NULL; break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("cat", "it takes one FILE");
    }
    if (options.from > options.to) {
        return cli_usage("cat", "--from is above --to");
    }
    return cat(&worlds, argv[optind], &options);
}

const Command command_cat = { "cat", "print a log's inputs as lines of JSON", help, run };
