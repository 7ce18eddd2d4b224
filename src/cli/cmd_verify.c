// cmd_verify.c: `tickproof verify`: runs logs again and says whether this machine gets the same bits.
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "verify_batch.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof verify [FLAG]... PATH...\n"
    "Runs logs again and compares every recorded checksum. A PATH is a log, a directory (its *.tpr at any depth, in byte\n"
    "order), a pattern in quotes ('logs/*.tpr'), an @LIST of paths, one a line (@- for standard input), or - for one log from\n"
    "standard input. Files of one rotated series that are given together verify as a whole, in whatever order they are given.\n"
    "\n"
    "  -j, --jobs N           processes at the same time; one per processor when not given\n"
    "      --segment-ticks T  with -j 2 and more, a log that would keep one process busy while others have nothing to do is\n"
    "                         divided at keyframes into segments of at least T ticks; 8192, 0: never. The reports are the same\n"
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
    "      --budget S         stop after S seconds: what was not reached is incomplete\n"
    "      --resume F         keep in F what is done, and go on there next time; a log that has changed is verified again\n"
    "      --shard I/N        only part I of N of the files: everybody given the same files divides them alike, by size, and\n"
    "                         leaves a series together\n"
    "      --report F         write to F what 'tickproof merge' puts together from all shards\n"
    "\n"
    "Every file is verified in processes of its own: a world that crashes gives 70 for that file, a step that takes too long 5.\n"
    "The exit code is the most serious verdict; 'tickproof --help' lists them. No flag turns a mismatch into 0.\n";

enum {
    FLAG_WORLD = ARGS_LONG, FLAG_FROM, FLAG_TO, FLAG_FOLLOW, FLAG_STEP_TIMEOUT, FLAG_PROVE, FLAG_SEED, FLAG_TRUSTED_KEY, FLAG_FORMAT,
    FLAG_FAIL_FAST, FLAG_BUDGET, FLAG_RESUME, FLAG_SHARD, FLAG_REPORT, FLAG_SEGMENT_TICKS,
};
enum { PROCESSES_MAX = 256, PROVE_ROUNDS = 200, STEP_TIMEOUT_S = 10, SEGMENT_TICKS = 8192, BUDGET_MAX_S = 31536000 };

static const struct option flags[] = {
    { "jobs", required_argument, NULL, 'j' },
    { "segment-ticks", required_argument, NULL, FLAG_SEGMENT_TICKS },
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
    { "budget", required_argument, NULL, FLAG_BUDGET },
    { "resume", required_argument, NULL, FLAG_RESUME },
    { "shard", required_argument, NULL, FLAG_SHARD },
    { "report", required_argument, NULL, FLAG_REPORT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    VerifyBatch all;
    const char *worlds[WORLDS_LOADED_MAX];
    uint8_t     trusted_key[32];
} Verification;

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
    if (verification->all.batch.trusted_key != NULL) {
        cli_usage("verify", "--trusted-key: there is one key; verify the logs of another in a run of their own");
        return false;
    }
    uint8_t *bytes = files_read_all(path, 4096, &size, &error);
    if (bytes == NULL) {
        cli_fail(TP_USAGE, "%s: reading the trusted key: %s", path, error.text);
        return false;
    }
    bool is_fine = parse_key(bytes, size, verification->trusted_key);
    free(bytes);
    if (!is_fine) {
        cli_fail(TP_USAGE, "%s: reading the trusted key: neither 32 bytes nor 64 hexadecimal digits, as a public key of 'tickproof keygen' has: NAME.pub", path);
        return false;
    }
    verification->all.batch.trusted_key = verification->trusted_key;
    return true;
}

static bool take_prove(BatchOptions *batch, const char *rounds)
{
    batch->proves = true;
    return rounds == NULL || args_u64("--prove", rounds, 1, 1000000000, &batch->prove_rounds);
}

static bool take_flag(Verification *verification, int flag)
{
    BatchOptions *batch = &verification->all.batch;
    switch (flag) {
    case 'j': return args_u32("--jobs", optarg, 1, PROCESSES_MAX, &batch->processes);
    case 'q': verification->all.is_quiet = true; return true;
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
    case FLAG_FORMAT:
        verification->all.format = report_format(optarg);
        return verification->all.format != NULL;
    case FLAG_SEGMENT_TICKS: return args_u64("--segment-ticks", optarg, 0, UINT64_MAX / 16, &batch->segment_ticks);
    case FLAG_FAIL_FAST: batch->fails_fast = true; return true;
    case FLAG_BUDGET: return args_u32("--budget", optarg, 1, BUDGET_MAX_S, &batch->budget_s);
    case FLAG_RESUME: verification->all.resume_path = optarg; return true;
    case FLAG_SHARD: return shard_parse(optarg, &verification->all.shard);
    case FLAG_REPORT: verification->all.report_path = optarg; return true;
    default: return false;
    }
}

static uint32_t processor_count(void)
{
    cpu_set_t set;
    int       count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > PROCESSES_MAX ? PROCESSES_MAX : (uint32_t)count;
}

// The options that follow from others.
static void complete(Verification *verification, const PathList *paths)
{
    BatchOptions *batch = &verification->all.batch;
    if (batch->processes == 0) {
        batch->processes = processor_count();
    }
    if (batch->follow && batch->processes < paths->count) {
        batch->processes = paths->count > PROCESSES_MAX ? PROCESSES_MAX : (uint32_t)paths->count; // none may wait for another's end
    }
    batch->shows_progress = isatty(STDERR_FILENO) != 0 && !verification->all.is_quiet;
}

static bool has_piped_world(const Verification *verification)
{
    for (size_t i = 0; i < verification->all.batch.world_count; i++) {
        if (strncmp(verification->worlds[i], WORLDS_COMMAND, strlen(WORLDS_COMMAND)) == 0) {
            return true;
        }
    }
    return false;
}

// Flags that do not go together. VERIFIED: all do.
static int check_flags(const Verification *verification)
{
    const VerifyBatch *all = &verification->all;
    if (all->batch.from > all->batch.to) {
        return cli_usage("verify", "--from is above --to");
    }
    if (all->batch.proves && all->batch.follow) {
        return cli_usage("verify", "--prove and --follow exclude each other");
    }
    // What would be taken from the journal must be what verifying would come to, and nothing says whether a program behind a command is the same.
    if (all->resume_path != NULL && has_piped_world(verification)) {
        return cli_usage("verify", "--resume and --world-cmd exclude each other");
    }
    if (all->resume_path != NULL && all->batch.follow) {
        return cli_usage("verify", "--resume and --follow exclude each other");
    }
    if (all->shard.count > 0 && all->batch.follow) {
        return cli_usage("verify", "--shard and --follow exclude each other: a log that grows has no size to divide by");
    }
    if (all->resume_path != NULL && all->report_path != NULL && strcmp(all->resume_path, all->report_path) == 0) {
        return cli_usage("verify", "--resume and --report need a file each");
    }
    return TP_VERIFIED;
}

// Whoever shares a batch sees the same files, and this process's own input is nobody else's.
static int check_paths(const Verification *verification, const PathList *paths)
{
    bool is_shared = verification->all.shard.count > 1 || verification->all.report_path != NULL;
    for (size_t i = 0; i < paths->count && is_shared; i++) {
        if (strcmp(paths->items[i], "-") == 0) {
            return cli_usage("verify", "standard input cannot be part of a batch with --shard or --report: give a file");
        }
    }
    return TP_VERIFIED;
}

static int verify_paths(Verification *verification, char **operands, int count)
{
    PathList paths = { 0 };
    int      code = TP_VERIFIED;
    for (int i = 0; i < count; i++) {
        verification->all.operands_failed += files_expand(&paths, operands[i]) ? 0 : 1;
    }
    if (verification->all.operands_failed > 0) {
        code = TP_USAGE;
    }
    if (paths.count > 0) {
        complete(verification, &paths);
        int flaw = check_paths(verification, &paths);
        int verdict = flaw != TP_VERIFIED ? flaw : verify_batch(&verification->all, &paths);
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)verdict);
    }
    files_finish(&paths);
    return code;
}

static int run(int argc, char **argv)
{
    static Verification verification;
    verification.all.format = &report_text;
    verification.all.batch = (BatchOptions){ .to = UINT64_MAX, .step_timeout_s = STEP_TIMEOUT_S, .segment_ticks = SEGMENT_TICKS, .prove_rounds = PROVE_ROUNDS, .start = cli_seconds() };
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
    int flaw = check_flags(&verification);
    if (flaw != TP_VERIFIED) {
        return flaw;
    }
    verification.all.batch.worlds = verification.worlds;
    if (!batch_try_worlds(&verification.all.batch)) {
        return TP_USAGE;
    }
    return verify_paths(&verification, argv + optind, argc - optind);
}

const Command command_verify = { "verify", "run logs again and compare every tick", help, run };
