// cmd_perturb.c: `tickproof perturb`: one log, run again along one axis at a time; which one flips it names the cause.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "perturb.h"

static const char help[] =
    "Usage: tickproof perturb LOG [OTHER] [--axis NAME,...] [--world W]... [--with COMMAND]... [--strict] [FLAG]...\n"
    "Steps a log once as it is and then again and again, each time in a process of its own in which one thing is another that a\n"
    "correct world cannot notice: addresses, what unused memory holds, locale, time zone, clock, environment, snapshots that are\n"
    "restored, and so on. What is changed when the world comes to something else (it flips) names the class of the cause; then the\n"
    "tick, section and field are looked up. OTHER is a second log, which is stepped in the same process before and after the first;\n"
    "without it LOG is, twice. Without --axis all axes of this machine are tried. Those that this system or this world does not have\n"
    "are listed as skipped, and never count as good; where that is all of an axis that was asked for by --axis, or a --world, --with or\n"
    "--strict, the exit code is 5 if nothing is worse. LOG may be - for standard input.\n"
    "\n"
    "      --axis NAME,...   only these axes; NAME=VALUE for one value of one, as 'tickproof trace --perturb' takes it\n"
    "      --list            the axes, their values and what a flip means\n"
    "      --world W         a library with the log's world; each further one is another build of it, and compared\n"
    "      --with COMMAND    another machine or program: a shell command that takes the place of 'tickproof', or in which {} stands\n"
    "                        for what follows it; may be repeated\n"
    "      --strict          note what a step asks of the system, with a backtrace; anything but memory counts as a difference\n"
    "      --repeat N        how often the base run is repeated unchanged, 2 when not given\n"
    "      --seed N          of what is done at random ticks, 1 when not given\n"
    "      --source DIR      look for the line that declares the field here\n"
    "      --timeout S       seconds that one run may take; 20 times the base run's and 30 more when not given; a run that\n"
    "                        takes longer is not known to differ, and makes the exit code 5 where nothing is worse\n"
    "      --format F        text (usual), json, junit, sarif or github\n"
    "\n"
    "Exit code 0: nothing flips; 1: something does; 2, 3, 4, 5, 6: as for 'tickproof trace', of the base run or of another one that\n"
    "failed; 70: a run failed otherwise.\n";

enum { FLAG_AXIS = ARGS_LONG, FLAG_LIST, FLAG_WORLD, FLAG_WITH, FLAG_STRICT, FLAG_REPEAT, FLAG_SEED, FLAG_SOURCE, FLAG_TIMEOUT, FLAG_FORMAT };

static const struct option flags[] = {
    { "axis", required_argument, NULL, FLAG_AXIS },       { "list", no_argument, NULL, FLAG_LIST },
    { "world", required_argument, NULL, FLAG_WORLD },     { "with", required_argument, NULL, FLAG_WITH },
    { "strict", no_argument, NULL, FLAG_STRICT },         { "repeat", required_argument, NULL, FLAG_REPEAT },
    { "seed", required_argument, NULL, FLAG_SEED },       { "source", required_argument, NULL, FLAG_SOURCE },
    { "timeout", required_argument, NULL, FLAG_TIMEOUT }, { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },             { NULL, 0, NULL, 0 },
};

// A run may start in another folder, so a file is named from the root.
static bool take_world(PerturbWork *work, const char *argument)
{
    if (work->world_count == PERTURB_WORLDS_MAX) {
        cli_usage("perturb", "--world: more than %d", PERTURB_WORLDS_MAX);
        return false;
    }
    char *path = realpath(argument, NULL);
    bool  is_name = strchr(argument, '/') == NULL && strstr(argument, ".so") == NULL;
    if (path == NULL || is_name) {
        free(path);
        path = strdup(argument);
    }
    work->worlds[work->world_count] = argument;
    work->world_paths[work->world_count++] = path;
    // For the names of fields; only the first, since both builds in one process could disturb each other.
    return path != NULL && (work->world_count > 1 || worlds_add(&work->world_set, argument) != NULL);
}

static bool take_with(PerturbWork *work, const char *argument)
{
    if (work->machine_count == PERTURB_MACHINES_MAX) {
        cli_usage("perturb", "--with: more than %d", PERTURB_MACHINES_MAX);
        return false;
    }
    work->machines[work->machine_count++] = argument;
    return true;
}

static bool take_format(PerturbWork *work, const char *argument)
{
    if (!finding_format_of(argument, &work->format)) {
        cli_usage("perturb", "--format: '%s' is none; give text, json, junit, sarif or github", argument);
        return false;
    }
    return true;
}

static bool take_flag(PerturbWork *work, int flag)
{
    switch (flag) {
    case FLAG_AXIS: work->axes = optarg; return perturb_plan_check(optarg);
    case FLAG_WORLD: return take_world(work, optarg);
    case FLAG_WITH: return take_with(work, optarg);
    case FLAG_STRICT: work->is_strict = true; return true;
    case FLAG_REPEAT: return args_u32("--repeat", optarg, 1, 100, &work->repeats);
    case FLAG_SEED: return args_u64("--seed", optarg, 0, UINT64_MAX, &work->seed);
    case FLAG_SOURCE: work->source_dir = optarg; return true;
    case FLAG_TIMEOUT: return args_u32("--timeout", optarg, 1, 1000000, &work->timeout_s);
    case FLAG_FORMAT: return take_format(work, optarg);
    default: return false;
    }
}

// -1: go on; else the exit code.
static int take_flags(PerturbWork *work, int argc, char **argv)
{
    for (int flag = args_next("perturb", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("perturb", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == FLAG_LIST) {
            perturb_list();
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(work, flag)) {
            return TP_USAGE;
        }
    }
    if (argc - optind < 1 || argc - optind > 2) {
        return cli_usage("perturb", "it takes one LOG, and at most one OTHER");
    }
    return -1;
}

static bool read_logs(PerturbWork *work, int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        tp_error    error;
        PerturbLog *log = &work->logs[work->log_count];
        log->path = strcmp(argv[i], "-") == 0 ? "standard input" : argv[i];
        log->bytes = files_read_all(argv[i], LOG_PIPE_SIZE_MAX, &log->size, &error);
        if (log->bytes == NULL) {
            cli_fail(TP_USAGE, "%s: reading the log: %s", log->path, error.text);
            return false;
        }
        work->log_count += 1;
    }
    return true;
}

// Without a checksum in the log there is nothing to hold the base run against.
static void compare_recorded(PerturbWork *work)
{
    tp_error             error = { "" };
    tp_memory_source     memory = { work->logs[0].bytes, work->logs[0].size };
    tp_source            source = tp_source_of_memory(&memory);
    tp_trace            *recorded = tp_trace_of_log(&source, &error);
    tp_trace_comparison *comparison = calloc(1, sizeof(*comparison));
    PerturbRun          *run = work->run_count < PERTURB_RUNS_MAX ? &work->runs[work->run_count++] : NULL;
    if (run != NULL) {
        perturb_run_make(work, run, perturb_axis_find("recorded", 8), "", NULL, NULL);
        run->result = PERTURB_SKIPPED;
        snprintf(run->why, sizeof(run->why), "%s", recorded == NULL ? error.text : "the log carries no checksums");
    }
    if (run != NULL && recorded != NULL && comparison != NULL && recorded->root_size > 0) {
        const tp_trace *traces[2] = { recorded, work->bases[0].answer.trace };
        tp_trace_compare(traces, 2, work->has_layout ? &work->layout : NULL, false, comparison);
        run->result = comparison->verdict == TP_DIVERGED ? PERTURB_FLIPS : comparison->verdict == TP_INCOMPATIBLE ? PERTURB_FAILED : PERTURB_SAME;
        run->has_tick = run->result == PERTURB_FLIPS;
        run->tick = comparison->bad_tick;
        snprintf(run->section, sizeof(run->section), "%s", comparison->section);
        snprintf(run->why, sizeof(run->why), "%s", comparison->message);
    }
    tp_trace_destroy(recorded);
    free(comparison);
}

static bool is_of_surroundings(PerturbCause cause)
{
    return cause == PERTURB_CAUSE_ENTROPY || cause == PERTURB_CAUSE_CLOCK || cause == PERTURB_CAUSE_LOCALE || cause == PERTURB_CAUSE_ZONE ||
           cause == PERTURB_CAUSE_DIRECTORY || cause == PERTURB_CAUSE_ENVIRONMENT || cause == PERTURB_CAUSE_THREADS;
}

static bool is_on_axis(const PerturbRun *run, const char *name, size_t length)
{
    return strlen(run->axis->name) == length && memcmp(run->axis->name, name, length) == 0;
}

// Whether the command line names this run's axis, or there would be none without its flags.
static bool is_asked_for(const PerturbWork *work, const PerturbRun *run)
{
    for (const char *item = work->axes; item != NULL; item = strchr(item, ',') != NULL ? strchr(item, ',') + 1 : NULL) {
        if (is_on_axis(run, item, strcspn(item, ",="))) {
            return true;
        }
    }
    return is_on_axis(run, "build", 5) || is_on_axis(run, "machine", 7) || (work->is_strict && is_on_axis(run, "strict", 6));
}

// Something of the axis was done; of builds, machines and strict each counts by itself.
static bool was_done(const PerturbWork *work, const PerturbRun *skipped)
{
    bool is_single = is_on_axis(skipped, "build", 5) || is_on_axis(skipped, "machine", 7) || is_on_axis(skipped, "strict", 6);
    for (size_t i = 0; i < work->run_count && !is_single; i++) {
        const PerturbRun *run = &work->runs[i];
        if (run->axis == skipped->axis && (run->result == PERTURB_SAME || run->result == PERTURB_FLIPS)) {
            return true;
        }
    }
    return false;
}

static int exit_code(const PerturbWork *work, int base_code)
{
    tp_verdict code = (tp_verdict)base_code;
    for (size_t i = 0; i < work->run_count; i++) {
        const PerturbRun *run = &work->runs[i];
        bool              is_missing = run->result == PERTURB_SKIPPED && is_asked_for(work, run) && !was_done(work, run);
        code = is_missing ? tp_verdict_worst(code, TP_INCOMPLETE) : code;
    }
    for (size_t i = 0; i < work->run_count; i++) {
        code = work->runs[i].result == PERTURB_FLIPS ? tp_verdict_worst(code, TP_DIVERGED) : code;
        code = work->runs[i].result == PERTURB_FAILED ? tp_verdict_worst(code, side_verdict(&work->runs[i].answer)) : code;
    }
    for (size_t i = 0; work->is_strict && i < work->call_count; i++) {
        code = perturb_strict_is_wrong(&work->calls[i]) ? tp_verdict_worst(code, TP_DIVERGED) : code;
    }
    return side_is_stopped() ? (int)tp_verdict_worst(code, TP_INCOMPLETE) : (int)code;
}

// A base run that was never begun looks done, so its trace decides.
static bool has_bases(const PerturbWork *work)
{
    for (size_t i = 0; i < work->log_count; i++) {
        if (work->bases[i].answer.result != SIDE_DONE || work->bases[i].answer.trace == NULL) {
            return false;
        }
    }
    return true;
}

static int perturb(PerturbWork *work, int argc, char **argv)
{
    if (!read_logs(work, argc, argv) || !perturb_here_begin(work)) {
        return TP_USAGE;
    }
    side_catch_signals();
    int code = perturb_run_bases(work);
    if (!has_bases(work)) {
        return code;
    }
    if (!perturb_plan(work)) {
        return TP_USAGE;
    }
    perturb_run_all(work);
    compare_recorded(work);
    perturb_conclude(work);
    // Which call it is that a flip comes from says a strict run, asked for or not.
    if (work->strict_run != NULL || is_of_surroundings(work->cause)) {
        perturb_strict_run(work);
    }
    if (!perturb_find(work)) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    perturb_report(work);
    return exit_code(work, code);
}

static void finish(PerturbWork *work)
{
    for (size_t i = 0; i < work->finding_count; i++) {
        free((char *)work->findings[i].aspect);
        finding_finish(&work->findings[i]);
    }
    for (size_t i = 0; i < work->run_count; i++) {
        perturb_run_finish(&work->runs[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        perturb_run_finish(&work->bases[i]);
        free(work->logs[i].bytes);
    }
    for (size_t i = 0; i < work->world_count; i++) {
        free(work->world_paths[i]);
    }
    perturb_here_finish(work);
    free(work->findings);
    free(work->calls);
    free(work->runs);
    free(work);
}

static int run(int argc, char **argv)
{
    PerturbWork *work = calloc(1, sizeof(*work));
    if (work == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    work->runs = calloc(PERTURB_RUNS_MAX, sizeof(*work->runs));
    work->seed = 1;
    work->shows_progress = isatty(STDERR_FILENO) != 0;
    int code = work->runs == NULL ? cli_fail(TP_INTERNAL, "out of memory") : take_flags(work, argc, argv);
    if (code < 0) {
        code = perturb(work, argc, argv);
    }
    finish(work);
    return code;
}

const Command command_perturb = { "perturb", "run a log along one axis at a time and say which one flips it", help, run };
