// cmd_import.c: `tickproof import`: what was recorded elsewhere as a log.
#include <string.h>

#include "cli.h"
#include "import_kinds.h"

static const char help[] =
    "Usage: tickproof import slp FILE -o F.tpr [FLAG]...\n"
    "       tickproof import jsonl FILE -o F.tpr [FLAG]...\n"
    "Makes a log of inputs that were recorded elsewhere: steps a world with them and records every tick. FILE may be - for\n"
    "standard input. The same file and flags give the same log on every machine.\n"
    "\n"
    "slp: a .slp recording, versions 0.1 to 3.x, of 2 to 4 players, as a match of the built-in fighter: ports in ascending order\n"
    "are slots 0, 1, ...; A is attack, B special, X and Y jump, L, R and a trigger from 0.3 on shield, Z grab; start and d-pad do\n"
    "nothing. Tick 0 is frame -123. Of a frame that a rollback wrote again the last counts.\n"
    "  --dead-zone N      axes of both sticks of at most N of 127 are 0, each by itself, after rounding; 35, which the recorded\n"
    "                     game has cut off already\n"
    "  --pads F           also write the pads, a line of JSON for every frame; - for standard output. Ports count from 0 here;\n"
    "                     sticks are in 127ths, before the dead zone, buttons the file's bits, and triggers are left out\n"
    "  --allow-cut        exit with 0, not 4, when the recording ends early; what is whole is imported in both cases\n"
    "  --seed N           the recorded game's own when not given\n"
    "  --config F|JSON    items of the fighter's config that are to be others than the nearest to what was played: '{\"stage\": 0}'\n"
    "\n"
    "jsonl: lines of JSON as 'tickproof cat' prints them, of any world. The line with the rules that cat prints first says all\n"
    "that these flags say; they win over it:\n"
    "  --world W          a built-in world's name, or a library (a path with a '/' or ending in .so): needed without rules, or\n"
    "                     when the world is not built in\n"
    "  --seed N, --players N, --rate HZ, --config F|JSON\n"
    "                     as 'tickproof run' has them\n"
    "  --ignore-roots     do not compare the lines' roots with those that the world comes to. Without it a difference is said,\n"
    "                     and the exit code is 1; how many lines had roots is said when it was not all\n"
    "\n"
    "  --hash NAME        checksums: xxh3 or fnv; xxh3 when neither the flag nor the lines say\n"
    "  -o, --output F     the log; - for standard output\n"
    "      --force        replace F, and the F of --pads, when it exists\n"
    "  --run-ticks N, --root-bytes N, --leaves N, --keyframes N, --seal N, --match ID, --slot-name N=NAME, --sign-key F\n"
    "                     as 'tickproof run' has them; match and names are the recording's own when it has some\n"
    "\n"
    "A damaged file is refused with the offset, or the line, and leaves no log.\n";

static int run(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } kinds[] = { { "slp", import_slp }, { "jsonl", import_jsonl } };
    if (argc < 2) {
        return cli_usage("import", "what kind is it? Give slp or jsonl, then the FILE");
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return TP_VERIFIED;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(argv[1], kinds[i].name) == 0) {
            return kinds[i].run(argc - 1, argv + 1);
        }
    }
    if (argv[1][0] == '-') {
        return cli_usage("import", "%s: unknown flag before the kind; give slp or jsonl first", argv[1]);
    }
    return cli_usage("import", "'%s' is no kind of recording; give slp or jsonl", argv[1]);
}

const Command command_import = { "import", "make a log of what was recorded elsewhere", help, run };
