// cmd_verify.c: `tickproof verify`: runs logs again and says whether this machine gets the same bits.
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "batch.h"
#include "cli.h"
#include "files.h"
#include "report.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof verify [FLAG]... PATH...\n"
    "Runs logs again and compares every recorded checksum. A PATH is a log, a directory (its *.tpr at any depth, in byte\n"
    "order), an @LIST of paths, one a line, or - for standard input. Files of one rotated series that are given together\n"
    "verify as a whole, in whatever order they are given.\n"
    "\n"
    "  -j, --jobs N           files at the same time; one per processor when not given\n"
    "      --world W          a library with the logs' world; may be repeated\n"
    "      --from T, --to T   check only these ticks; the verdict is then at best 'incomplete'\n"
    "      --follow           wait for logs that are still being written, up to their end\n"
    "      --step-timeout S   seconds that one step may take; 10, 0 for no limit\n"
    "      --prove[=ROUNDS]   after a log has verified, change it in every way ROUNDS times and expect to be caught; 200\n"
    "      --seed N           for --prove; 0 when not given\n"
    "      --trusted-key F    accept only logs signed up to their end by this Ed25519 public key: 32 bytes or 64 hex digits\n"
    "      --format F         text (usual), json (one object per file, one line each), junit, sarif or github\n"
    "  -q, --quiet            print only what is not verified, and no sums\n"
    "      --fail-fast        stop at the first log that is not verified\n"
    "\n"
    "Every file is verified in a process of its own: a world that crashes gives 70 for that file, a step that takes too long 5.\n"
    "The exit code is the most serious verdict; 'tickproof --help' lists them. No flag turns a mismatch into 0.\n";

enum {
    FLAG_WORLD = ARGS_LONG, FLAG_FROM, FLAG_TO, FLAG_FOLLOW, FLAG_STEP_TIMEOUT, FLAG_PROVE, FLAG_SEED, FLAG_TRUSTED_KEY, FLAG_FORMAT,
    FLAG_FAIL_FAST,
};
enum { PROCESSES_MAX = 256, PROVE_ROUNDS = 200, STEP_TIMEOUT_S = 10 };

static const struct option flags[] = {
    { "jobs", required_argument, NULL, 'j' },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "from", required_argument, NULL, FLAG_FROM },
    { "to", required_argument, NULL, FLAG_TO },
    { "follow", no_argument, NULL, FLAG_FOLLOW },
    { "step-timeout", required_argument, NULL, FLAG_STEP_TIMEOUT },
    { "prove", optional_argument, NULL, FLAG_PROVE },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "trusted-key", required_argument, NULL, FLAG_TRUSTED_KEY },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "quiet", no_argument, NULL, 'q' },
    { "fail-fast", no_argument, NULL, FLAG_FAIL_FAST },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    BatchOptions        batch;
    const char         *worlds[WORLDS_LOADED_MAX];
    uint8_t             trusted_key[32];
    const ReportFormat *format;
    bool                is_quiet;
    ReportTotals        totals;
    tp_verdict          worst;
} Verification;

static bool take_format(Verification *verification, const char *name)
{
    static const ReportFormat *const formats[] = { &report_text, &report_json, &report_junit, &report_sarif, &report_github };
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            verification->format = formats[i];
            return true;
        }
    }
    cli_fail(TP_USAGE, "--format: '%s' is none; give text, json, junit, sarif or github", name);
    return false;
}

static int hex_value(char letter)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = letter == '\0' ? NULL : strchr(digits, letter);
    return found == NULL ? -1 : (int)((found - digits) % 16);
}

static bool parse_key(const uint8_t *bytes, size_t size, uint8_t key[32])
{
    size_t used = 0;
    if (size == 32) {
        memcpy(key, bytes, 32);
        return true;
    }
    for (size_t i = 0; i < size; i++) {
        int digit = hex_value((char)bytes[i]);
        if (digit < 0 && strchr(" \t\r\n", bytes[i]) != NULL && bytes[i] != '\0') {
            continue;
        }
        if (digit < 0 || used == 64) {
            return false;
        }
        key[used / 2] = (uint8_t)(used % 2 == 0 ? digit << 4 : key[used / 2] | digit);
        used++;
    }
    return used == 64;
}

static bool take_trusted_key(Verification *verification, const char *path)
{
    tp_error error;
    size_t   size = 0;
    uint8_t *bytes = files_read_all(path, 4096, &size, &error);
    if (bytes == NULL) {
        cli_fail(TP_USAGE, "%s: reading the trusted key: %s", path, error.text);
        return false;
    }
    bool is_fine = parse_key(bytes, size, verification->trusted_key);
    free(bytes);
    if (!is_fine) {
        cli_fail(TP_USAGE, "%s: reading the trusted key: neither 32 bytes nor 64 hexadecimal digits", path);
        return false;
    }
    verification->batch.trusted_key = verification->trusted_key;
    return true;
}

static bool take_prove(BatchOptions *batch, const char *rounds)
{
    batch->proves = true;
    return rounds == NULL || args_u64("--prove", rounds, 1, 1000000000, &batch->prove_rounds);
}

static bool take_flag(Verification *verification, int flag)
{
    BatchOptions *batch = &verification->batch;
    switch (flag) {
    case 'j': return args_u32("--jobs", optarg, 1, PROCESSES_MAX, &batch->processes);
    case 'q': verification->is_quiet = true; return true;
    case FLAG_WORLD:
        if (batch->world_count == WORLDS_LOADED_MAX) {
            cli_usage("verify", "--world: %d are the most", WORLDS_LOADED_MAX);
            return false;
        }
        verification->worlds[batch->world_count++] = optarg;
        return true;
    case FLAG_FROM: return args_u64("--from", optarg, 0, UINT64_MAX, &batch->from);
    case FLAG_TO: return args_u64("--to", optarg, 0, UINT64_MAX, &batch->to);
    case FLAG_FOLLOW: batch->follow = true; return true;
    case FLAG_STEP_TIMEOUT: return args_u32("--step-timeout", optarg, 0, 86400, &batch->step_timeout_s);
    case FLAG_PROVE: return take_prove(batch, optarg);
    case FLAG_SEED: return args_u64("--seed", optarg, 0, UINT64_MAX, &batch->prove_seed);
    case FLAG_TRUSTED_KEY: return take_trusted_key(verification, optarg);
    case FLAG_FORMAT: return take_format(verification, optarg);
    case FLAG_FAIL_FAST: batch->fails_fast = true; return true;
    default: return false;
    }
}

static uint32_t processor_count(void)
{
    cpu_set_t set;
    int       count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > PROCESSES_MAX ? PROCESSES_MAX : (uint32_t)count;
}

static void take_report(void *to, const BatchFile *file)
{
    Verification *verification = to;
    report_count(&verification->totals, file);
    verification->worst = tp_verdict_worst(verification->worst, file->report.verdict);
    bool is_shown = !verification->is_quiet || file->report.verdict != TP_VERIFIED;
    if (verification->format->file != NULL && is_shown) {
        verification->format->file(stdout, file);
    }
}

static int verify_files(Verification *verification, const PathList *paths)
{
    BatchFile *files = calloc(paths->count, sizeof(*files));
    double     start = cli_seconds();
    if (files == NULL) {
        return cli_fail(TP_INTERNAL, "verify: out of memory");
    }
    for (size_t i = 0; i < paths->count; i++) {
        files[i].path = paths->items[i];
    }
    if (!batch_run(files, paths->count, &verification->batch, take_report, verification)) {
        free(files);
        return TP_INTERNAL;
    }
    verification->totals.seconds = cli_seconds() - start;
    bool is_text = verification->format == &report_text;
    if (verification->format->end != NULL && !(is_text && verification->is_quiet)) {
        verification->format->end(stdout, files, paths->count, &verification->totals);
    }
    free(files);
    return (int)verification->worst;
}

// The options that follow from others.
static void complete(Verification *verification, const PathList *paths)
{
    BatchOptions *batch = &verification->batch;
    if (batch->processes == 0) {
        batch->processes = processor_count();
    }
    if (batch->follow && batch->processes < paths->count) {
        batch->processes = paths->count > PROCESSES_MAX ? PROCESSES_MAX : (uint32_t)paths->count; // none may wait for another's end
    }
    batch->shows_progress = isatty(STDERR_FILENO) != 0 && !verification->is_quiet;
}

static int run(int argc, char **argv)
{
    static Verification verification;
    PathList            paths = { 0 };
    verification.format = &report_text;
    verification.batch = (BatchOptions){ .to = UINT64_MAX, .step_timeout_s = STEP_TIMEOUT_S, .prove_rounds = PROVE_ROUNDS };
    for (int flag = args_next("verify", argc, argv, ":j:qh", flags); flag != ARGS_END; flag = args_next("verify", argc, argv, ":j:qh", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(&verification, flag)) {
            return TP_USAGE;
        }
    }
    if (optind == argc) {
        return cli_usage("verify", "PATH is missing");
    }
    if (verification.batch.from > verification.batch.to) {
        return cli_usage("verify", "--from is above --to");
    }
    if (verification.batch.proves && verification.batch.follow) {
        return cli_usage("verify", "--prove and --follow exclude each other");
    }
    verification.batch.worlds = verification.worlds;
    if (!batch_try_worlds(&verification.batch)) {
        return TP_USAGE;
    }
    int code = TP_VERIFIED;
    for (int i = optind; i < argc; i++) {
        if (!files_expand(&paths, argv[i])) {
            code = TP_USAGE;
        }
    }
    if (paths.count > 0) {
        complete(&verification, &paths);
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)verify_files(&verification, &paths));
    }
    files_finish(&paths);
    return code;
}

const Command command_verify = { "verify", "run logs again and compare every tick", help, run };
