// cmd_compare.c: `tickproof compare`: sidecars of several machines against each other, and against what a log claims.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "cli.h"
#include "compare.h"
#include "crash.h"
#include "files.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof compare [FLAG]... SIDE SIDE [SIDE]...\n"
    "  or:  tickproof compare --show SIDE\n"
    "Holds what several machines came to against each other: the first tick on which not all agree, who agrees with whom there, who\n"
    "leaves later, whether inputs, events and draws of the generators were equal, and the section of the state. A SIDE is a sidecar of\n"
    "'tickproof trace' (.tpt), a log (.tpr; for what it claims: nothing is stepped), a directory (its *.tpt at any depth), an @LIST of\n"
    "paths, one a line, or - for standard input. Where no more than half agree, every side is called diverged.\n"
    "\n"
    "  --by-name      sides of one file name are compared with each other, and with no others: one directory for each machine\n"
    "  --logs-differ  the sides are of different logs of one match, such as two players' own\n"
    "  --world W      a library with the world, which names the sections; may be repeated\n"
    "  --format F     text (usual), json (one object for each side, one line each), junit, sarif or github\n"
    "  --show         print what is in one side as lines of JSON\n"
    "\n"
    "Exit code: 0 all agree on every recorded tick, 1 diverged, 2 usage, 3 a side is damaged, 5 they agree but not over all of the log\n"
    "(one is shorter or was cut off, or no tick was compared), 6 they are of different logs or rules.\n";

enum { FLAG_BY_NAME = ARGS_LONG, FLAG_LOGS_DIFFER, FLAG_WORLD, FLAG_FORMAT, FLAG_SHOW };
enum { OPERANDS_MAX = 65536 };

static const struct option flags[] = {
    { "by-name", no_argument, NULL, FLAG_BY_NAME },
    { "logs-differ", no_argument, NULL, FLAG_LOGS_DIFFER },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "show", no_argument, NULL, FLAG_SHOW },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    bool          by_name, logs_differ, is_show;
    FindingFormat format;
    WorldSet      worlds;
    PathList      paths;
    Finding      *findings; // of all comparisons; they borrow from votes
    size_t        finding_count;
    tp_verdict    worst;
} Comparison;

static bool take_format(Comparison *comparison, const char *name)
{
    if (!finding_format_of(name, &comparison->format)) {
        cli_fail(TP_USAGE, "--format: '%s' is none; give text, json, junit, sarif or github", name);
        return false;
    }
    return true;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

// Only a divergence needs the world: for the names of its sections.
static void compare_vote(Comparison *comparison, CompareVote *vote)
{
    const tp_trace *traces[TP_TRACE_SIDES_MAX];
    for (uint32_t i = 0; i < vote->count; i++) {
        traces[i] = vote->sides[i]->trace;
    }
    compare_label(vote);
    tp_trace_compare(traces, vote->count, NULL, comparison->logs_differ, &vote->result);
    if (vote->result.section[0] == '\0') {
        return;
    }
    const tp_ident *ident = &traces[0]->ident;
    const tp_world *world = worlds_search(&comparison->worlds, ident->world, ident->revision);
    tp_sim         *sim = world == NULL ? NULL : tp_sim_of_ident(ident, world, NULL, NULL);
    if (sim != NULL) {
        tp_trace_compare(traces, vote->count, tp_sim_layout(sim), comparison->logs_differ, &vote->result);
        tp_sim_destroy(sim);
    }
}

static void add_unread(Comparison *comparison, const CompareSide *side)
{
    Finding *finding = &comparison->findings[comparison->finding_count++];
    *finding = (Finding){ .subject = side->path, .verdict = side->verdict };
    snprintf(finding->message, sizeof(finding->message), "%s", side->message);
    comparison->worst = tp_verdict_worst(comparison->worst, side->verdict);
    if (comparison->format == FINDING_TEXT) {
        cli_fail(side->verdict, "%s: %s", side->path, side->message);
    }
}

// A side that nothing is held against was not compared, whatever it is worth.
static void add_alone(Comparison *comparison, const CompareVote *vote)
{
    Finding *finding = &comparison->findings[comparison->finding_count++];
    *finding = (Finding){ .subject = vote->sides[0]->path, .verdict = TP_INCOMPLETE };
    snprintf(finding->message, sizeof(finding->message), "no tick was compared: there is no other side to hold it against");
    comparison->worst = tp_verdict_worst(comparison->worst, TP_INCOMPLETE);
    if (comparison->format == FINDING_TEXT) {
        finding_text(stdout, finding);
    }
}

// The sides from `first` on that belong together, each of which is marked as done. False: said so.
static bool compare_group(Comparison *comparison, CompareSide *sides, size_t first, bool *is_done, CompareVote *vote)
{
    const char *name = name_of(sides[first].path);
    for (size_t i = first; i < comparison->paths.count; i++) {
        if (is_done[i] || (comparison->by_name && strcmp(name_of(sides[i].path), name) != 0)) {
            continue;
        }
        is_done[i] = true;
        if (sides[i].trace == NULL) {
            add_unread(comparison, &sides[i]);
        } else if (vote->count == TP_TRACE_SIDES_MAX) {
            cli_usage("compare", "at most %d sides are compared with each other; --by-name compares files of one name", TP_TRACE_SIDES_MAX);
            return false;
        } else {
            vote->sides[vote->count++] = &sides[i];
        }
    }
    if (vote->count == 1) {
        add_alone(comparison, vote);
    } else if (vote->count > 1) {
        compare_vote(comparison, vote);
        compare_findings(vote, comparison->findings + comparison->finding_count);
        comparison->finding_count += vote->count;
        comparison->worst = tp_verdict_worst(comparison->worst, vote->result.verdict);
        if (comparison->format == FINDING_TEXT) {
            compare_print(stdout, vote);
        }
    }
    return true;
}

static int compare_all(Comparison *comparison, CompareSide *sides, bool *is_done, CompareVote *votes)
{
    for (size_t i = 0; i < comparison->paths.count; i++) {
        compare_read(&sides[i], comparison->paths.items[i]);
    }
    for (size_t i = 0; i < comparison->paths.count; i++) {
        if (!is_done[i] && !compare_group(comparison, sides, i, is_done, &votes[i])) {
            return TP_USAGE;
        }
    }
    if (comparison->format != FINDING_TEXT) {
        finding_write(stdout, comparison->format, "tickproof compare", comparison->findings, comparison->finding_count);
    }
    return comparison->worst;
}

static int compare_paths(Comparison *comparison)
{
    size_t       count = comparison->paths.count;
    CompareSide *sides = calloc(count, sizeof(*sides));
    CompareVote *votes = calloc(count, sizeof(*votes));
    bool        *is_done = calloc(count, sizeof(*is_done));
    int          code = TP_INTERNAL;
    comparison->findings = calloc(count, sizeof(*comparison->findings));
    if (sides != NULL && votes != NULL && is_done != NULL && comparison->findings != NULL) {
        code = compare_all(comparison, sides, is_done, votes);
    } else {
        cli_fail(code, "compare: out of memory");
    }
    for (size_t i = 0; sides != NULL && i < count; i++) {
        tp_trace_destroy(sides[i].trace);
    }
    free(comparison->findings);
    free(is_done);
    free(votes);
    free(sides);
    return code;
}

static int show(const char *path)
{
    CompareSide side;
    compare_read(&side, path);
    if (side.trace == NULL) {
        return cli_fail(side.verdict, "%s: %s", side.path, side.message);
    }
    compare_show(stdout, side.trace);
    int code = side.trace->has_end ? TP_VERIFIED : TP_INCOMPLETE;
    tp_trace_destroy(side.trace);
    return code;
}

typedef struct {
    dev_t  device;
    ino_t  number;
    size_t index;
} FileId;

static int by_file(const void *a, const void *b)
{
    const FileId *left = a, *right = b;
    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    if (left->number != right->number) {
        return left->number < right->number ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

// A file agrees with itself, and would have two votes. What cannot be looked at is left to whoever opens it.
static bool are_all_others(const PathList *paths)
{
    struct stat about;
    FileId     *files = calloc(paths->count + 1, sizeof(*files));
    size_t      count = 0;
    bool        is_fine = files != NULL || cli_fail(TP_INTERNAL, "compare: out of memory") == TP_VERIFIED;
    for (size_t i = 0; is_fine && i < paths->count; i++) {
        if (stat(paths->items[i], &about) == 0 && S_ISREG(about.st_mode)) {
            files[count++] = (FileId){ about.st_dev, about.st_ino, i };
        }
    }
    if (is_fine) {
        qsort(files, count, sizeof(*files), by_file);
    }
    for (size_t i = 1; is_fine && i < count; i++) {
        if (files[i].device == files[i - 1].device && files[i].number == files[i - 1].number) {
            cli_usage("compare", "%s and %s are one file, which agrees with itself: give each side once", paths->items[files[i - 1].index], paths->items[files[i].index]);
            is_fine = false;
        }
    }
    free(files);
    return is_fine;
}

static int run_paths(Comparison *comparison, int argc, char **argv)
{
    int code = TP_VERIFIED;
    for (int i = optind; i < argc; i++) {
        if (!files_expand_ending(&comparison->paths, argv[i], ".tpt")) {
            code = TP_USAGE;
        }
    }
    if (code == TP_VERIFIED && (comparison->paths.count < 2 || comparison->paths.count > OPERANDS_MAX)) {
        code = cli_usage("compare", "it takes two sides or more, at most %d, and there are %zu", OPERANDS_MAX, comparison->paths.count);
    } else if (code == TP_VERIFIED) {
        code = are_all_others(&comparison->paths) ? compare_paths(comparison) : TP_USAGE;
    }
    files_finish(&comparison->paths);
    return code;
}

static int run(int argc, char **argv)
{
    static Comparison comparison;
    for (int flag = args_next("compare", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("compare", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_BY_NAME: is_fine = comparison.by_name = true; break;
        case FLAG_LOGS_DIFFER: is_fine = comparison.logs_differ = true; break;
        case FLAG_WORLD: crash_guard(); is_fine = worlds_add(&comparison.worlds, optarg) != NULL; break;
        case FLAG_FORMAT: is_fine = take_format(&comparison, optarg); break;
        case FLAG_SHOW: is_fine = comparison.is_show = true; break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (comparison.is_show) {
        return optind + 1 == argc ? show(argv[optind]) : cli_usage("compare", "--show takes one side");
    }
    return run_paths(&comparison, argc, argv);
}

const Command command_compare = { "compare", "hold what machines came to against each other", help, run };
