// cmd_seal.c: `tickproof seal`: a whole log in its small form, and back.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "atomicfile.h"
#include "cli.h"
#include "files.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof seal FILE... [-o OUT | --in-place] [FLAG]...\n"
    "       tickproof seal --unseal FILE... [-o OUT | --in-place]\n"
    "Makes whole logs small: a sealed log says the same, with the same chain and signatures, and every command reads it as it is. Where\n"
    "no -o and no --in-place is given, NAME.tpr becomes NAME.sealed.tpr beside it, and NAME.tpr stays. All of the log is read first: a\n"
    "damaged one is refused (3), one without END, too (4: 'tickproof repair' gives it one), and one whose chain does not hold (8). What\n"
    "was written is read back and compared with the raw bytes before it gets its name: the file is there whole or not at all.\n"
    "--unseal gives back the raw log, byte for byte. FILE may be - for standard input, with -o.\n"
    "\n"
    "  -o, --output OUT  the sealed log of one FILE\n"
    "      --in-place    FILE itself becomes the sealed one, in one step; until then it stays as it was\n"
    "      --unseal      the other way round: NAME.sealed.tpr becomes NAME.tpr, another NAME.tpr NAME.raw.tpr\n"
    "      --level N     1 (fast) to 22 (small) as of zstd; 19\n"
    "      --force       replace a file that is there already\n"
    "      --format F    text (usual) or json: one object per file, one line each\n";

enum { FLAG_IN_PLACE = ARGS_LONG, FLAG_UNSEAL, FLAG_LEVEL, FLAG_FORCE, FLAG_FORMAT };

static const struct option flags[] = {
    { "output", required_argument, NULL, 'o' },
    { "in-place", no_argument, NULL, FLAG_IN_PLACE },
    { "unseal", no_argument, NULL, FLAG_UNSEAL },
    { "level", required_argument, NULL, FLAG_LEVEL },
    { "force", no_argument, NULL, FLAG_FORCE },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    const char *output;
    bool        is_in_place, is_unsealing, may_replace, is_json;
    int         level;
} Seal;

static const char *const column_names[TP_SEAL_COLUMNS] = { "heads", "slots", "inputs", "commands", "roots", "leaves", "keys", "rest" };

static void print_tenths(uint64_t value, uint64_t of, uint64_t times)
{
    uint64_t tenths = of == 0 ? 0 : (value * 10 * times + of / 2) / of;
    printf("%llu.%llu", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
}

static void print_size(const char *what, uint64_t size, uint64_t ticks)
{
    printf("  %-8s %llu bytes, ", what, (unsigned long long)size);
    print_tenths(size, ticks, 1);
    fputs(" a tick", stdout);
}

static void tell_text(const char *out, const tp_seal_counts *counts)
{
    printf("%s: sealed: %llu ticks\n", out, (unsigned long long)counts->ticks);
    print_size("raw", counts->raw_size, counts->ticks);
    fputc('\n', stdout);
    print_size("sealed", counts->sealed_size, counts->ticks);
    fputs(", ", stdout);
    print_tenths(counts->sealed_size, counts->raw_size, 100);
    printf("%% of raw, %llu frames\n", (unsigned long long)counts->frames);
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        if (counts->raw[i] > 0) {
            printf("  %-8s %llu of %llu bytes\n", column_names[i], (unsigned long long)counts->packed[i], (unsigned long long)counts->raw[i]);
        }
    }
    printf("  compare  the inputs alone, packed by zstd -3, are %llu bytes\n", (unsigned long long)counts->inputs_zstd3);
}

static void tell_json(const char *path, const char *out, const tp_seal_counts *counts)
{
    fputc('{', stdout);
    textout_json_member(stdout, true, "file", path);
    textout_json_member(stdout, false, "output", out);
    textout_u64_member(stdout, false, "ticks", counts->ticks);
    textout_u64_member(stdout, false, "raw_size", counts->raw_size);
    textout_u64_member(stdout, false, "sealed_size", counts->sealed_size);
    textout_u64_member(stdout, false, "frames", counts->frames);
    fputs(",\"columns\":{", stdout);
    for (int i = 0; i < TP_SEAL_COLUMNS; i++) {
        printf("%s\"%s\":{\"raw\":%llu,\"packed\":%llu}", i == 0 ? "" : ",", column_names[i], (unsigned long long)counts->raw[i],
               (unsigned long long)counts->packed[i]);
    }
    fputc('}', stdout);
    textout_u64_member(stdout, false, "inputs_zstd3", counts->inputs_zstd3);
    fputs("}\n", stdout);
}

static void tell(const Seal *seal, const char *path, const char *out, const tp_seal_counts *counts)
{
    if (seal->is_json) {
        tell_json(path, out, counts);
    } else if (seal->is_unsealing) {
        printf("%s: unsealed: %llu bytes, chain and checks hold\n", out, (unsigned long long)counts->raw_size);
    } else {
        tell_text(out, counts);
    }
}

// Writes to the file without a name, then reads it back: what does not give the raw log again never gets one.
static tp_log_status seal_to(const Seal *seal, const LogFile *file, AtomicFile *out, tp_seal_counts *counts, tp_error *error)
{
    tp_sink         sink = tp_sink_of_fd(&out->fd);
    tp_source       written = tp_source_of_fd(&out->fd);
    tp_seal_options options = { .level = seal->level };
    tp_log_status   status = tp_seal_log(&file->source, &sink, &options, counts, error);
    return status == TP_LOG_OK ? tp_sealed_compare(&written, &file->source, error) : status;
}

static tp_log_status unseal_to(const LogFile *file, AtomicFile *out, tp_seal_counts *counts, tp_error *error)
{
    tp_signing    found;
    tp_sink       sink = tp_sink_of_fd(&out->fd);
    tp_source     written = tp_source_of_fd(&out->fd);
    tp_log_status status = tp_unseal_log(&file->source, &sink, error);
    status = status == TP_LOG_OK ? tp_sealed_compare(&file->source, &written, error) : status;
    // Whole, with its chain and signatures: a sealed file that somebody else made may hold anything.
    status = status == TP_LOG_OK ? tp_log_sign_look(&written, &found, error) : status;
    *counts = (tp_seal_counts){ .sealed_size = files_log_size(file) };
    if (status == TP_LOG_OK) {
        counts->raw_size = found.size;
        counts->ticks = found.ticks;
    }
    return status;
}

static int refuse(const Seal *seal, const char *path, tp_log_status status, const tp_error *error)
{
    const char *advice = status == TP_LOG_TRUNCATED ? "; 'tickproof repair' gives it an END" : "";
    int         code = status == TP_LOG_UNSUPPORTED || status == TP_LOG_IO ? TP_USAGE : cli_code_of_status(status);
    return cli_fail(code, "%s: %s the log: %s%s; nothing was made", path, seal->is_unsealing ? "unsealing" : "sealing", error->text, advice);
}

static int make(const Seal *seal, const char *path, const char *to, const LogFile *file)
{
    tp_error       error = { "" };
    AtomicFile     out;
    tp_seal_counts counts;
    if (!atomicfile_create(&out, to, 0666, seal->may_replace || seal->is_in_place, &error)) {
        return cli_fail(TP_USAGE, "%s: making the %s log: %s", to, seal->is_unsealing ? "raw" : "sealed", error.text);
    }
    tp_log_status status = seal->is_unsealing ? unseal_to(file, &out, &counts, &error) : seal_to(seal, file, &out, &counts, &error);
    if (status != TP_LOG_OK) {
        atomicfile_abandon(&out);
        return refuse(seal, path, status, &error);
    }
    if (!atomicfile_commit(&out, &error)) {
        return cli_fail(TP_USAGE, "%s: writing the %s log: %s", to, seal->is_unsealing ? "raw" : "sealed", error.text);
    }
    tell(seal, path, to, &counts);
    return TP_VERIFIED;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t size = strlen(path);
    size_t end = strlen(ending);
    return size > end && strcmp(path + size - end, ending) == 0;
}

// NULL: no memory. Free it.
static char *name_beside(const char *path, bool is_unsealing)
{
    static const char sealed[] = ".sealed.tpr";
    const char       *cut = ends_in(path, sealed) && is_unsealing ? sealed : ends_in(path, ".tpr") ? ".tpr" : "";
    const char       *put = !is_unsealing ? sealed : cut == sealed ? ".tpr" : ".raw.tpr";
    size_t            kept = strlen(path) - strlen(cut);
    char             *name = malloc(kept + sizeof(sealed));
    if (name != NULL) {
        memcpy(name, path, kept);
        strcpy(name + kept, put);
    }
    return name;
}

static int seal_file(const Seal *seal, const char *path)
{
    tp_error    error;
    LogFile     file;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char       *beside = seal->output == NULL && !seal->is_in_place ? name_beside(path, seal->is_unsealing) : NULL;
    const char *to = seal->is_in_place ? path : seal->output != NULL ? seal->output : beside;
    int         code = to == NULL ? cli_fail(TP_INTERNAL, "out of memory") : TP_VERIFIED;
    if (code == TP_VERIFIED && !files_open_log(&file, path, &error)) {
        code = cli_fail(TP_USAGE, "%s: opening the log: %s", name, error.text);
    } else if (code == TP_VERIFIED) {
        code = make(seal, name, to, &file);
        files_close_log(&file);
    }
    free(beside);
    return code;
}

static bool take_level(Seal *seal)
{
    char *end = NULL;
    long  level = strtol(optarg, &end, 10);
    if (*optarg == '\0' || *end != '\0' || level < 1 || level > TP_SEAL_LEVEL_MAX) {
        cli_usage("seal", "--level: give a number from 1 to 22");
        return false;
    }
    seal->level = (int)level;
    return true;
}

static bool take_flag(Seal *seal, int flag)
{
    switch (flag) {
    case 'o': seal->output = optarg; return true;
    case FLAG_IN_PLACE: seal->is_in_place = true; return true;
    case FLAG_UNSEAL: seal->is_unsealing = true; return true;
    case FLAG_LEVEL: return take_level(seal);
    case FLAG_FORCE: seal->may_replace = true; return true;
    case FLAG_FORMAT: return args_is_json(optarg, &seal->is_json);
    default: return false;
    }
}

static int check_operands(const Seal *seal, int argc, char **argv)
{
    if (optind == argc) {
        return cli_usage("seal", "FILE is missing");
    }
    if (seal->output != NULL && (seal->is_in_place || argc - optind > 1)) {
        return cli_usage("seal", seal->is_in_place ? "give either -o OUT or --in-place" : "-o takes one FILE; without it each gets a name of its own");
    }
    for (int i = optind; i < argc; i++) {
        if (strcmp(argv[i], "-") == 0 && seal->output == NULL) {
            return cli_usage("seal", "standard input has no name; give -o");
        }
    }
    return TP_VERIFIED;
}

static int run(int argc, char **argv)
{
    Seal seal = { 0 };
    for (int flag = args_next("seal", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("seal", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(&seal, flag)) {
            return TP_USAGE;
        }
    }
    int code = check_operands(&seal, argc, argv);
    for (int i = optind; i < argc && code != TP_USAGE; i++) {
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)seal_file(&seal, argv[i]));
    }
    return code;
}

const Command command_seal = { "seal", "make a whole log small, and back", help, run };
