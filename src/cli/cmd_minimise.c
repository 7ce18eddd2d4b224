// cmd_minimise.c: `tickproof minimise`: the fewest ticks and inputs on which two ways to run a log still come apart.
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "crash.h"
#include "files.h"
#include "minimise_work.h"

static const char help[] =
    "Usage: tickproof minimise LOG -o SMALL.tpr [FLAG]... with one of:\n"
    "  --with COMMAND              another build or machine: 'qemu-s390x ./tickproof', 'ssh host tickproof'; twice: both sides\n"
    "  --world A.so --world B.so   two builds of the log's world\n"
    "  --perturb AXIS[=VALUE]      this program, and this program with one thing changed (see 'tickproof trace --help')\n"
    "  --synctest                  one world that comes to other bits after going back, in the strengths copy and bytes\n"
    "  --against-record            what the log says of itself; it can only be cut, since nothing before may change\n"
    "Makes a log on which two sides come to other roots, or one faults, crashes or hangs and the other does not, as small as it can\n"
    "while they still do: cuts it behind the tick that shows it; makes inputs neutral in big blocks, then one by one; leaves out\n"
    "commands, absences and ticks; brings what is left nearer to neutral, field by field. Whatever differs counts, unless --same-field\n"
    "is given. Each trial is two processes that step the candidate from the start state, so a log that begins later is refused.\n"
    "\n"
    "  -o, --output F      the small log, recorded here; - for standard output\n"
    "      --fixture F.c   also write a test in C (Criterion) with rules, inputs and what the first side comes to: it fails where the\n"
    "                      world does what the second one did\n"
    "      --world W       a library with the log's world, for both sides; may be repeated. Two and no other side: one for each\n"
    "      --keep-ticks    take no ticks out: inputs stay at their ticks\n"
    "      --same-field    only what makes the same field differ first counts\n"
    "      --seconds N     no new trial after so many seconds; 60 when not given, 0 for no limit\n"
    "      --timeout N     seconds after which a side hangs; 60 when not given. A trial waits for less once the first was quick\n"
    "      --force         replace F and F.c when they exist\n"
    "      --format F      text (usual) or json (one object)\n"
    "\n"
    "The given inputs and the result are each tried twice; when they come apart once and once not, nothing is written.\n"
    "The exit code is 1 when the sides come apart and the small log is there, 0 when they agree (nothing is written), 5 when it does\n"
    "not reproduce reliably or was interrupted: Ctrl-C leaves the best so far.\n";

enum {
    FLAG_OUTPUT = 'o', FLAG_WITH = ARGS_LONG, FLAG_WORLD, FLAG_PERTURB, FLAG_SYNCTEST, FLAG_RECORD, FLAG_FIXTURE, FLAG_KEEP_TICKS, FLAG_SAME_FIELD, FLAG_SECONDS,
    FLAG_TIMEOUT, FLAG_FORCE, FLAG_FORMAT,
};
enum { STANDARD_SECONDS = 60, STANDARD_TIMEOUT_S = 60 };

static const struct option flags[] = {
    { "output", required_argument, NULL, FLAG_OUTPUT },     { "with", required_argument, NULL, FLAG_WITH },
    { "world", required_argument, NULL, FLAG_WORLD },       { "perturb", required_argument, NULL, FLAG_PERTURB },
    { "synctest", no_argument, NULL, FLAG_SYNCTEST },       { "against-record", no_argument, NULL, FLAG_RECORD },
    { "fixture", required_argument, NULL, FLAG_FIXTURE },   { "keep-ticks", no_argument, NULL, FLAG_KEEP_TICKS },
    { "same-field", no_argument, NULL, FLAG_SAME_FIELD },   { "seconds", required_argument, NULL, FLAG_SECONDS },
    { "timeout", required_argument, NULL, FLAG_TIMEOUT },   { "force", no_argument, NULL, FLAG_FORCE },
    { "format", required_argument, NULL, FLAG_FORMAT },     { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static bool take_with(MinimiseWork *work, const char *command)
{
    if (work->with_count == 2) {
        cli_usage("minimise", "--with: two are the most");
        return false;
    }
    work->with[work->with_count++] = command;
    return true;
}

static bool take_world(MinimiseWork *work, const char *argument)
{
    if (work->world_count == WORLDS_LOADED_MAX) {
        cli_usage("minimise", "--world: %d are the most", WORLDS_LOADED_MAX);
        return false;
    }
    work->worlds[work->world_count++] = argument;
    return true;
}

static bool take_flag(MinimiseWork *work, int flag)
{
    switch (flag) {
    case FLAG_OUTPUT: work->output = optarg; return true;
    case FLAG_WITH: return take_with(work, optarg);
    case FLAG_WORLD: return take_world(work, optarg);
    case FLAG_PERTURB: work->perturb = optarg; return true;
    case FLAG_SYNCTEST: return work->is_synctest = true;
    case FLAG_RECORD: return work->against_record = true;
    case FLAG_FIXTURE: work->fixture = optarg; return true;
    case FLAG_KEEP_TICKS: return work->keep_ticks = true;
    case FLAG_SAME_FIELD: return work->same_field = true;
    case FLAG_SECONDS: return args_u32("--seconds", optarg, 0, 1000000, &work->seconds);
    case FLAG_TIMEOUT: return args_u32("--timeout", optarg, 0, 86400, &work->timeout_s);
    case FLAG_FORCE: return work->may_replace = true;
    case FLAG_FORMAT: return args_is_json(optarg, &work->is_json);
    default: return false;
    }
}

static bool is_wrong(const MinimiseWork *work)
{
    if (work->output == NULL) {
        cli_usage("minimise", "-o is missing: where does the small log go?");
    } else if (work->fixture != NULL && work->against_record) {
        cli_usage("minimise", "--fixture needs a second side: what a log says of itself is for 'tickproof verify'");
    } else if (work->same_field && (work->is_synctest || work->against_record)) {
        cli_usage("minimise", "--same-field goes with --with, two --world, or --perturb");
    } else if (!work->may_replace && strcmp(work->output, "-") != 0 && access(work->output, F_OK) == 0) {
        cli_fail(TP_USAGE, "%s: it is there already; give --force to replace it", work->output);
    } else if (!work->may_replace && work->fixture != NULL && access(work->fixture, F_OK) == 0) {
        cli_fail(TP_USAGE, "%s: it is there already; give --force to replace it", work->fixture);
    } else {
        return false;
    }
    return true;
}

// What is said at the end, however it ended. Returns the exit code.
__attribute__((format(printf, 3, 4))) static int conclude(MinimiseWork *work, tp_verdict verdict, const char *format, ...)
{
    char    message[TP_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    minimisereport_hide(work);
    if (work->is_json) {
        minimisereport_json(work, verdict, message, cli_seconds() - work->start);
    } else if (verdict == TP_VERIFIED) {
        printf("%s: %s\n", work->path, message);
    } else {
        cli_fail(verdict, "%s: %s", work->path, message);
    }
    return (int)verdict;
}

// The log's bytes, its rules and its world. False: said so, `*code` is set.
static bool read_log(MinimiseWork *work, int *code)
{
    tp_error          error;
    tp_log_record     record;
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    work->log = files_read_all(work->path, LOG_PIPE_SIZE_MAX, &work->log_size, &error);
    if (work->log == NULL) {
        *code = cli_fail(TP_USAGE, "%s: opening the log: %s", work->path, error.text);
        return false;
    }
    tp_memory_source memory = { work->log, work->log_size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_log_status    status = tp_reader_open(&source, &options, &reader);
    status = status == TP_LOG_OK ? tp_reader_next(reader, &record) : status;
    work->ident = malloc(sizeof(*work->ident));
    if (reader == NULL || work->ident == NULL) {
        *code = cli_fail(TP_INTERNAL, "out of memory");
    } else if (status != TP_LOG_OK) {
        *code = cli_fail(cli_code_of_status(status), "%s: offset %" PRIu64 ": reading the log: %s", work->path, tp_reader_offset(reader), tp_reader_message(reader));
    } else {
        *work->ident = *tp_reader_ident(reader);
    }
    tp_reader_close(reader);
    return *code == TP_VERIFIED;
}

// Only the first side's world is loaded into this process: a library shares its names with no other.
static bool load_world(MinimiseWork *work, int *code)
{
    tp_error error;
    for (size_t i = 0; i < work->sides[0].world_count; i++) {
        if (worlds_add(&work->world_set, work->sides[0].worlds[i]) == NULL) {
            *code = TP_USAGE;
            return false;
        }
    }
    work->world = worlds_search(&work->world_set, work->ident->world, work->ident->revision);
    if (work->world == NULL) {
        *code = cli_fail(TP_INCOMPATIBLE, "%s: world '%s' (revision %u) is not here: give it with --world FILE.so", work->path, work->ident->world, work->ident->revision);
        return false;
    }
    if (!minimiselog_open(work, &error)) {
        *code = cli_fail(TP_INCOMPATIBLE, "%s: finding the world: %s", work->path, error.text);
        return false;
    }
    tp_setup setup = { work->ident->seed, work->ident->players, work->ident->tick_rate_hz, work->ident->config_values };
    if (!tp_layout_init(&work->layout, work->world, &setup, &error)) {
        *code = cli_fail(TP_INCOMPATIBLE, "%s: finding the world: %s", work->path, error.text);
    }
    return *code == TP_VERIFIED;
}

static bool take_inputs(MinimiseWork *work, int *code)
{
    tp_error         error = { "out of memory" };
    tp_memory_source memory = { work->log, work->log_size };
    tp_source        source = tp_source_of_memory(&memory);
    if (!tp_inputs_init(&work->inputs, &work->layout) || !tp_inputs_of_log(&work->inputs, &source, &work->is_whole_log, &error)) {
        *code = cli_fail(TP_USAGE, "%s: taking its inputs: %s", work->path, error.text);
    } else if (work->inputs.ticks == 0) {
        *code = cli_fail(TP_USAGE, "%s: it has no ticks, so there is nothing to make smaller", work->path);
    }
    return *code == TP_VERIFIED;
}

static void describe(MinimiseWork *work)
{
    MinimiseDifference *difference = &work->difference;
    if (work->is_synctest) {
        difference->has_tick = true;
        difference->tick = work->inputs.ticks - 1;
        snprintf(difference->text, sizeof(difference->text), "%s", work->synctest_text);
    } else if (work->is_interrupted) { // no side can be asked any more
        difference->has_tick = work->report.bad_tick != UINT64_MAX;
        difference->tick = work->report.bad_tick;
        snprintf(difference->text, sizeof(difference->text), "the sides come apart here");
    } else if (!minimisesides_describe(work, &work->inputs, difference)) {
        snprintf(difference->text, sizeof(difference->text), "they come apart, but what differs cannot be asked for");
    }
}

// The small log, the test, and what is to be said. Returns the exit code.
static int keep_result(MinimiseWork *work)
{
    uint8_t *bytes = NULL;
    size_t   size = 0;
    bool     has_roots = false;
    describe(work);
    if (!minimiselog_record(work, &work->inputs, &bytes, &size, &has_roots)) {
        return conclude(work, TP_INTERNAL, "the small log cannot be made: out of memory");
    }
    minimisereport_hide(work);
    bool is_written = minimiselog_write(work, work->output, bytes, size);
    free(bytes);
    if (work->fixture != NULL && !work->is_synctest && !work->difference.has_root) {
        cli_fail(TP_INCOMPLETE, "%s: not written: what the first side comes to is not known%s", work->fixture,
                 work->is_interrupted ? ", since this was interrupted; minimise the small log" : "");
    } else if (is_written && work->fixture != NULL) {
        is_written = minimisefixture_write(work);
    }
    if (!is_written) {
        return TP_USAGE;
    }
    tp_verdict verdict = work->is_interrupted ? TP_INCOMPLETE : TP_DIVERGED;
    if (work->is_json) {
        minimisereport_json(work, verdict, work->difference.text, cli_seconds() - work->start);
    } else {
        minimisereport_text(work, cli_seconds() - work->start);
    }
    if (!has_roots) {
        cli_fail(verdict, "%s: the world does not come back from it here, so the log has no roots", work->output);
    }
    return (int)verdict;
}

static int judge(MinimiseWork *work)
{
    const tp_minimise_report *report = &work->report;
    switch (report->end) {
    case TP_MINIMISE_SMALLEST:
    case TP_MINIMISE_STOPPED: break;
    case TP_MINIMISE_SAME:
        return conclude(work, work->is_whole_log ? TP_VERIFIED : TP_INCOMPLETE, "%s agree on %s%" PRIu64 " ticks: there is nothing to make smaller",
                        work->is_synctest ? "going back and straight on" : "the sides", work->is_whole_log ? "all " : "what is whole of it, ", report->before.ticks);
    case TP_MINIMISE_UNRELIABLE:
        return conclude(work, TP_INCOMPLETE, "does not reproduce reliably: %s come apart once and once not; 'tickproof perturb' says on what axis",
                        report->is_result_unreliable ? "the small inputs" : "the log's inputs");
    case TP_MINIMISE_FAILED:
        return conclude(work, work->failure_verdict != TP_VERIFIED ? work->failure_verdict : TP_INCOMPATIBLE, "a trial failed: %s", work->failure);
    case TP_MINIMISE_NO_MEMORY: return conclude(work, TP_INTERNAL, "out of memory");
    }
    if (!work->has_come_apart) { // stopped before that, so there is nothing to keep
        return conclude(work, TP_INCOMPLETE, "interrupted before anything was known");
    }
    return keep_result(work);
}

// Cuts the log's own bytes behind the record with that tick: its claims stay as they are.
static int cut_record(MinimiseWork *work)
{
    tp_reader_options options = { .skip_chain = true };
    tp_memory_source  memory = { work->log, work->log_size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader        *reader = NULL;
    tp_log_record     record;
    uint64_t          bad_tick = UINT64_MAX;
    if (!minimisesides_record(work, &bad_tick)) {
        return work->failure[0] != '\0' ? conclude(work, TP_INCOMPATIBLE, "%s", work->failure)
             : work->is_whole_log     ? conclude(work, TP_VERIFIED, "it comes to what it says of itself: there is nothing to cut")
                                      : conclude(work, TP_INCOMPLETE, "what is whole of it comes to what it says of itself: there is nothing to cut");
    }
    uint64_t end = work->log_size;
    if (tp_reader_open(&source, &options, &reader) == TP_LOG_OK) {
        while (tp_reader_next(reader, &record) == TP_LOG_OK && tp_reader_next_tick(reader) <= bad_tick) {
        }
        end = tp_reader_offset(reader);
    }
    tp_reader_close(reader);
    if (!minimiselog_write(work, work->output, work->log, (size_t)end)) {
        return TP_USAGE;
    }
    char ticks[64];
    work->difference = (MinimiseDifference){ .has_tick = true, .tick = bad_tick };
    return conclude(work, TP_DIVERGED, "tick %" PRIu64 " is the first that differs from the record; %s has %s up to it, without an END", bad_tick, work->output,
                    minimisereport_count(bad_tick + 1, "tick", "ticks", ticks));
}

static int search(MinimiseWork *work)
{
    tp_minimise_options options = { .layout = &work->layout, .trial = work->is_synctest ? minimisesync_trial : minimisesides_trial, .to = work,
                                    .keep_ticks = work->keep_ticks, .progress = minimisereport_progress, .progress_to = work };
    work->deadline = work->seconds == 0 ? 0 : work->start + work->seconds;
    tp_minimise(&work->inputs, &options, &work->report);
    return judge(work);
}

static int run_with(MinimiseWork *work, int argc, char **argv)
{
    int code = TP_VERIFIED;
    for (int flag = args_next("minimise", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("minimise", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(work, flag)) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("minimise", "it takes one LOG");
    }
    work->path = argv[optind];
    if (is_wrong(work) || !minimisesides_open(work)) {
        return TP_USAGE;
    }
    side_catch_signals();
    crash_guard();
    if (!read_log(work, &code) || (work->against_record && (code = cut_record(work)) >= 0) || !load_world(work, &code) || !take_inputs(work, &code)) {
        return code;
    }
    return search(work);
}

static int run(int argc, char **argv)
{
    MinimiseWork *work = calloc(1, sizeof(*work));
    if (work == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    work->start = cli_seconds();
    work->seconds = STANDARD_SECONDS;
    work->timeout_s = STANDARD_TIMEOUT_S;
    int code = run_with(work, argc, argv);
    minimiselog_close(work);
    tp_inputs_finish(&work->inputs);
    free(work->ident);
    free(work->log);
    free(work);
    return code;
}

const Command command_minimise = { "minimise", "make a log that comes apart as small as it can be", help, run };
