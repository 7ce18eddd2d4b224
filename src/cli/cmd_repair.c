// cmd_repair.c: `tickproof repair`: a whole copy of a log whose recorder never came to its end.
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "atomicfile.h"
#include "cli.h"
#include "files.h"
#include "machine.h"
#include "secretkey.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof repair FILE -o OUT [--cut-damage] [--sign-key F.key] [--force]\n"
    "Makes a whole log of one without END: a torn tail is cut off behind the last record that is good, RESUME says that it was\n"
    "repaired and how many bytes were cut, and END (stopped) closes it, so that 'tickproof verify' can say 0 again. FILE is never\n"
    "touched. What is kept and what is lost is printed. No world is needed: nothing is simulated.\n"
    "A log with its END needs nothing, and one without its first keyframe is lost. A server takes its rooms' torn logs up by\n"
    "itself when it starts again; it does not take up a repaired one, which has ended. FILE may be - for standard input.\n"
    "\n"
    "  -o, --output OUT  the repaired copy; OUT is there whole or not at all\n"
    "      --cut-damage  also cut at damage in the middle, which loses the good records behind it. Without it such a log is\n"
    "                    refused (3), with the offset; a chain or signature that does not hold is always refused (8)\n"
    "      --sign-key F  sign the new SEAL and END with a secret key. The recorder's signatures of what is kept stay, but none of\n"
    "                    them covers the new END\n"
    "      --force       replace OUT when it exists\n";

enum { FLAG_CUT_DAMAGE = ARGS_LONG, FLAG_SIGN_KEY, FLAG_FORCE };

static const struct option flags[] = {
    { "output", required_argument, NULL, 'o' },
    { "cut-damage", no_argument, NULL, FLAG_CUT_DAMAGE },
    { "sign-key", required_argument, NULL, FLAG_SIGN_KEY },
    { "force", no_argument, NULL, FLAG_FORCE },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    const char *output;
    const char *key_path;
    bool        cuts_damage, may_replace;
    uint8_t     secret[TP_SECRET_KEY_SIZE];
    uint8_t     public_key[TP_PUBLIC_KEY_SIZE];
} Repair;

static void print_ticks(const char *what, uint64_t first, uint64_t next)
{
    if (next == first) {
        printf("  %s no ticks", what);
    } else {
        printf("  %s ticks %llu to %llu", what, (unsigned long long)first, (unsigned long long)next - 1);
    }
}

static void print_lost(const tp_repair *found)
{
    const tp_recovery *kept = &found->recovery;
    if (kept->is_ended) {
        printf("  lost  nothing: %llu bytes behind END were no part of the log\n", (unsigned long long)kept->cut_bytes);
        return;
    }
    if (kept->cut_bytes == 0) {
        puts("  lost  nothing but the end: the file stops behind a whole record");
        return;
    }
    print_ticks("lost ", kept->next_tick, found->lost_next_tick);
    printf("%s, %llu bytes", found->lost_next_tick > kept->next_tick ? " at least" : " that could be told", (unsigned long long)kept->cut_bytes);
    if (found->is_damaged) {
        printf(", %llu records with a good head among them", (unsigned long long)found->lost_records);
    }
    fputc('\n', stdout);
    printf("        offset %llu: %s\n", (unsigned long long)kept->stop_offset, kept->stop_text);
}

static void print_authorship(const Repair *repair, const tp_repair *found)
{
    if (found->recovery.is_ended) {
        return; // END is the recorder's, signed or not
    }
    if (found->signed_seals > 0) {
        printf("  signed  %llu of %llu SEALs, the last by ", (unsigned long long)found->signed_seals, (unsigned long long)found->seals);
        textout_hex(stdout, found->public_key, sizeof(found->public_key));
        puts(", stay; nobody's signature covers what was cut");
    }
    if (repair->key_path != NULL) {
        fputs("  signed  the new END, by ", stdout);
        textout_hex(stdout, repair->public_key, sizeof(repair->public_key));
        fputc('\n', stdout);
    } else {
        puts("  not signed  the new END: the copy's authorship is not proven");
    }
}

static void tell(const Repair *repair, const tp_repair *found)
{
    const tp_recovery *kept = &found->recovery;
    printf("%s: repaired\n", repair->output);
    print_ticks("kept ", kept->first_tick, kept->next_tick);
    printf(", %llu bytes\n", (unsigned long long)kept->good_size);
    print_lost(found);
    if (!kept->is_ended) {
        printf("  end   %s%s\n", kept->has_fault ? "fault, as recorded" : "stopped",
               found->has_root ? "" : ", without the last tick's root, which only a run of its world could tell whole");
    }
    print_authorship(repair, found);
}

// Whether OUT is the file that is read, under whatever name.
static bool is_same_file(const LogFile *file, const char *output)
{
    struct stat in;
    struct stat out;
    return file->fd >= 0 && fstat(file->fd, &in) == 0 && stat(output, &out) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

static bool is_readable(AtomicFile *out, tp_error *error)
{
    tp_signing again;
    tp_source  source = tp_source_of_fd(&out->fd);
    return tp_log_sign_look(&source, &again, error) == TP_LOG_OK;
}

static int write_repaired(const Repair *repair, const char *path, const LogFile *file, const tp_repair *found)
{
    static const char   by[] = "tickproof repair";
    static const char   build[] = "tickproof " TP_VERSION;
    const char         *compiler = machine_compiler();
    const tp_provenance items[] = { { "repaired", 8, by, sizeof(by) - 1 }, { "build", 5, build, sizeof(build) - 1 }, { "compiler", 8, compiler, strlen(compiler) } };
    tp_repair_options   options = { sizeof(items) / sizeof(items[0]), items, repair->key_path != NULL ? repair->secret : NULL };
    tp_error            error;
    AtomicFile          out;
    if (!atomicfile_create(&out, repair->output, 0666, repair->may_replace, &error)) {
        return cli_fail(TP_USAGE, "%s: making the repaired log: %s", repair->output, error.text);
    }
    tp_sink       sink = tp_sink_of_fd(&out.fd);
    tp_log_status status = tp_log_repair_write(&file->source, found, &options, &sink, &error);
    if (status != TP_LOG_OK || !is_readable(&out, &error) || !atomicfile_commit(&out, &error)) {
        atomicfile_abandon(&out);
        return cli_fail(TP_USAGE, "%s: writing the repaired log %s: %s; nothing was made", path, repair->output, error.text);
    }
    tell(repair, found);
    return TP_VERIFIED;
}

static int repair_found(const Repair *repair, const char *path, const LogFile *file, const tp_repair *found)
{
    const tp_recovery *kept = &found->recovery;
    if (found->is_whole) {
        return cli_fail(TP_USAGE, "%s: repairing the log: it has its END and needs nothing; use it as it is", path);
    }
    if (found->is_damaged && !repair->cuts_damage && kept->is_ended) {
        return cli_fail(TP_CORRUPT, "%s: offset %llu: repairing the log: %s; give --cut-damage to cut off the %llu bytes there, which are no part of the log", path,
                        (unsigned long long)kept->stop_offset, kept->stop_text, (unsigned long long)kept->cut_bytes);
    }
    if (found->is_damaged && !repair->cuts_damage) {
        return cli_fail(TP_CORRUPT, "%s: offset %llu: repairing the log: %s; this is damage, not a torn tail: ticks before %llu are good, and %llu records behind it "
                        "may be: look for a better copy, or give --cut-damage to keep what stands before it", path, (unsigned long long)kept->stop_offset,
                        kept->stop_text, (unsigned long long)kept->next_tick, (unsigned long long)found->lost_records);
    }
    return write_repaired(repair, path, file, found);
}

static int repair_open(const Repair *repair, const char *path, const LogFile *file)
{
    tp_error  error;
    tp_repair found;
    if (is_same_file(file, repair->output)) {
        return cli_fail(TP_USAGE, "%s: making the repaired log: it is the file that is repaired, which stays as it is; give another name", repair->output);
    }
    tp_log_status status = tp_log_repair_look(&file->source, &found, &error);
    if (status != TP_LOG_OK) {
        return cli_fail(cli_code_of_status(status), "%s: repairing the log: %s%s", path, error.text,
                        status == TP_LOG_TRUNCATED ? "; without its first keyframe it is lost" : "");
    }
    int code = repair_found(repair, path, file, &found);
    tp_repair_finish(&found);
    return code;
}

static bool take_flag(Repair *repair, int flag)
{
    switch (flag) {
    case 'o': repair->output = optarg; return true;
    case FLAG_CUT_DAMAGE: repair->cuts_damage = true; return true;
    case FLAG_SIGN_KEY: repair->key_path = optarg; return true;
    case FLAG_FORCE: repair->may_replace = true; return true;
    default: return false;
    }
}

static int repair_file(const Repair *repair, const char *path)
{
    tp_error    error;
    LogFile     file;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (!files_open_log(&file, path, &error)) {
        return cli_fail(TP_USAGE, "%s: opening the log: %s", name, error.text);
    }
    int code = repair_open(repair, name, &file);
    files_close_log(&file);
    return code;
}

static int run_with(Repair *repair, int argc, char **argv)
{
    tp_error error;
    for (int flag = args_next("repair", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("repair", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(repair, flag)) {
            return TP_USAGE;
        }
    }
    if (repair->output == NULL) {
        return cli_usage("repair", "-o OUT is missing: the log itself is never touched");
    }
    if (argc - optind != 1) {
        return cli_usage("repair", argc == optind ? "FILE is missing" : "it takes one FILE");
    }
    if (repair->key_path != NULL) {
        if (!secretkey_read(repair->key_path, repair->secret, &error)) {
            return cli_fail(TP_USAGE, "%s: reading the secret key: %s", repair->key_path, error.text);
        }
        tp_keys_public(repair->secret, repair->public_key);
    }
    return repair_file(repair, argv[optind]);
}

static int run(int argc, char **argv)
{
    Repair repair = { 0 };
    int    code = run_with(&repair, argc, argv);
    tp_keys_wipe(&repair, sizeof(repair));
    return code;
}

const Command command_repair = { "repair", "give a torn log an end, in a copy", help, run };
