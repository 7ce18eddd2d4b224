// cmd_cat.c: `tickproof cat`: a log's inputs as lines of JSON.
#include "args.h"
#include "cli.h"
#include "resim.h"
#include "rowjson.h"

static const char help[] =
    "Usage: tickproof cat [--from T] [--to T] [--world W]... FILE\n"
    "Prints the inputs and commands of every tick as a line of JSON. 'tickproof run --inputs' of the same world reads them\n"
    "and comes to the same rows and roots. FILE may be - for standard input.\n"
    "\n"
    "  --from T    first tick; the log's first when not given\n"
    "  --to T      last tick; the log's last when not given\n"
    "  --world W   a library with the log's world; may be repeated\n"
    "\n"
    "  {\"tick\":0,\"slots\":[{\"slot\":0,\"origin\":\"bot\",\"edges\":1}],\"commands\":[{\"source\":\"host\",\"type\":\"speed\",\n"
    "  \"fields\":{\"percent\":120}}],\"root\":\"...\"}\n"
    "\n"
    "A slot that is not listed is absent. Without the world, and for commands of raw bytes, values are one \"hex\". The tick\n"
    "whose step faulted has \"fault\" in place of \"root\". Reading ignores root and fault; a field left out is neutral.\n";

enum { FLAG_FROM = ARGS_LONG, FLAG_TO, FLAG_WORLD };

static const struct option flags[] = {
    { "from", required_argument, NULL, FLAG_FROM },
    { "to", required_argument, NULL, FLAG_TO },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static int print_rows(Resim *resim, uint64_t from, uint64_t to)
{
    tp_log_row row;
    for (;;) {
        ResimResult result = resim_next(resim, &row);
        if (result == RESIM_FAILED || result == RESIM_END || row.tick > to) {
            return result == RESIM_FAILED ? resim->code : TP_VERIFIED;
        }
        if (row.tick >= from) {
            rowjson_print(stdout, resim->ident, resim->world, &row, result == RESIM_FAULT ? resim->rows.payload : NULL);
        }
    }
}

static int cat(WorldSet *worlds, const char *path, uint64_t from, uint64_t to)
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
    int code = is_open ? print_rows(&resim, from, to) : resim.code;
    resim_finish(&resim);
    return code;
}

static int run(int argc, char **argv)
{
    static WorldSet worlds;
    uint64_t        from = 0;
    uint64_t        to = UINT64_MAX;
    for (int flag = args_next("cat", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("cat", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_FROM: is_fine = args_u64("--from", optarg, 0, UINT64_MAX, &from); break;
        case FLAG_TO: is_fine = args_u64("--to", optarg, 0, UINT64_MAX, &to); break;
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
    if (from > to) {
        return cli_usage("cat", "--from is above --to");
    }
    return cat(&worlds, argv[optind], from, to);
}

const Command command_cat = { "cat", "print a log's inputs as lines of JSON", help, run };
