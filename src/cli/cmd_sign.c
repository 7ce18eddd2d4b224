// cmd_sign.c: `tickproof sign`: puts a signature into the END of a log that is there already.
#include <errno.h>
#include <string.h>

#include "args.h"
#include "atomicfile.h"
#include "cli.h"
#include "files.h"
#include "secretkey.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof sign --key F.key FILE -o OUT\n"
    "       tickproof sign --key F.key --in-place FILE...\n"
    "Signs whole logs with a secret key that 'tickproof keygen' made. The signature stands in END and is over the chain, so over all of\n"
    "the file; no other byte changes, and neither does what the next file of a series says of this one. All of the log is read first:\n"
    "a damaged one is refused (3), one without END, too (4: 'tickproof repair' gives it one), and one whose chain does not\n"
    "hold (8). Whether its ticks are right is not looked at: 'tickproof verify' first. A sealed log is unsealed, signed, and sealed\n"
    "again. FILE may be - for standard input, with -o.\n"
    "\n"
    "      --key F          the secret key\n"
    "  -o, --output OUT     the signed copy; OUT is there whole or not at all\n"
    "      --in-place       FILE itself becomes the signed one, in one step; until then it stays as it was\n"
    "      --force          replace OUT when it exists\n"
    "      --replace        also sign what another key has signed: its signature in END is lost\n";

enum { FLAG_KEY = ARGS_LONG, FLAG_IN_PLACE, FLAG_FORCE, FLAG_REPLACE };

static const struct option flags[] = {
    { "key", required_argument, NULL, FLAG_KEY },
    { "output", required_argument, NULL, 'o' },
    { "in-place", no_argument, NULL, FLAG_IN_PLACE },
    { "force", no_argument, NULL, FLAG_FORCE },
    { "replace", no_argument, NULL, FLAG_REPLACE },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    const char *key_path;
    const char *output;
    bool        is_in_place, may_replace_file, may_replace_signature;
    uint8_t     secret[TP_SECRET_KEY_SIZE];
    uint8_t     public_key[TP_PUBLIC_KEY_SIZE];
} Signing;

static int refuse_log(const char *path, tp_log_status status, const tp_error *error)
{
    return cli_fail(cli_code_of_status(status), "%s: reading what is to be signed: %s%s", path, error->text,
                    status == TP_LOG_TRUNCATED ? "; 'tickproof repair' gives it an END" : "");
}

static bool is_ours(const Signing *signing, const tp_signing *found)
{
    return found->end.is_signed && memcmp(found->end.public_key, signing->public_key, TP_PUBLIC_KEY_SIZE) == 0;
}

static int refuse_other(const char *path, const tp_signing *found)
{
    char line[SECRETKEY_PUBLIC_HEX_SIZE + 2];
    secretkey_line(found->end.public_key, TP_PUBLIC_KEY_SIZE, line);
    line[SECRETKEY_PUBLIC_HEX_SIZE] = '\0';
    return cli_fail(TP_USAGE, "%s: signing it: it is signed by another key, %s; give --replace to put your signature in its place", path, line);
}

static void tell(const Signing *signing, const char *out, const tp_signing *found)
{
    printf("%s: signed by ", out);
    textout_hex(stdout, signing->public_key, TP_PUBLIC_KEY_SIZE);
    printf(": %llu ticks", (unsigned long long)found->ticks);
    if (found->signed_seals > 0) {
        printf(", %llu of %llu SEALs were signed before", (unsigned long long)found->signed_seals, (unsigned long long)found->seals);
    }
    fputc('\n', stdout);
}

// What was written is read back before it gets its name: all of it, with chain and signature.
static bool is_as_meant(const Signing *signing, int fd, const tp_signing *found, tp_error *error)
{
    tp_signing again;
    tp_source  source = tp_source_of_fd(&fd);
    if (tp_log_sign_look(&source, &again, error) != TP_LOG_OK) {
        return false;
    }
    bool is_equal = is_ours(signing, &again) && again.size == found->size && memcmp(again.end.chain, found->end.chain, TP_LOG_CHAIN_SIZE) == 0;
    return is_equal || tp_error_set(error, "what was written reads back as another log; it changed meanwhile");
}

static bool put_raw(const Signing *signing, const tp_source *raw, const tp_signing *found, int fd, tp_error *error)
{
    tp_sink sink = tp_sink_of_fd(&fd);
    return tp_log_sign_write(raw, found, signing->secret, &sink, error) == TP_LOG_OK && is_as_meant(signing, fd, found, error);
}

// A sealed log is signed in its raw form and sealed again: what is read back is held against the signed raw form, byte for byte.
static bool put_sealed(const Signing *signing, const tp_source *raw, const tp_signing *found, int fd, tp_error *error)
{
    FILE *scratch = tmpfile();
    if (scratch == NULL) {
        return tp_error_set(error, "making a temporary file for the raw log: %s", strerror(errno));
    }
    int            middle = fileno(scratch);
    tp_seal_counts counts;
    tp_source      signed_raw = tp_source_of_fd(&middle);
    tp_source      sealed = tp_source_of_fd(&fd);
    tp_sink        sink = tp_sink_of_fd(&fd);
    bool           is_fine = put_raw(signing, raw, found, middle, error) && tp_seal_log(&signed_raw, &sink, NULL, &counts, error) == TP_LOG_OK &&
                   tp_sealed_compare(&sealed, &signed_raw, error) == TP_LOG_OK;
    fclose(scratch);
    return is_fine;
}

static int write_signed(const Signing *signing, const char *path, const tp_source *raw, bool is_sealed, const tp_signing *found)
{
    tp_error    error;
    AtomicFile  out;
    const char *to = signing->is_in_place ? path : signing->output;
    if (!atomicfile_create(&out, to, 0666, signing->may_replace_file || signing->is_in_place, &error)) {
        return cli_fail(TP_USAGE, "%s: making the signed log: %s", to, error.text);
    }
    bool is_written = is_sealed ? put_sealed(signing, raw, found, out.fd, &error) : put_raw(signing, raw, found, out.fd, &error);
    if (!is_written || !atomicfile_commit(&out, &error)) {
        atomicfile_abandon(&out);
        return cli_fail(TP_USAGE, "%s: writing the signed log %s: %s; %s stays as it was", path, to, error.text, signing->is_in_place ? "it" : to);
    }
    tell(signing, to, found);
    return TP_VERIFIED;
}

static int sign_raw(const Signing *signing, const char *path, const tp_source *raw, bool is_sealed)
{
    tp_error      error;
    tp_signing    found;
    tp_log_status status = tp_log_sign_look(raw, &found, &error);
    if (status != TP_LOG_OK) {
        return refuse_log(path, status, &error);
    }
    if (found.end.is_signed && !is_ours(signing, &found) && !signing->may_replace_signature) {
        return refuse_other(path, &found);
    }
    if (signing->is_in_place && is_ours(signing, &found)) {
        printf("%s: is signed by this key already\n", path);
        return TP_VERIFIED;
    }
    return write_signed(signing, path, raw, is_sealed, &found);
}

static int sign_sealed(const Signing *signing, const char *path, const tp_source *sealed)
{
    tp_error error;
    FILE    *scratch = tmpfile();
    if (scratch == NULL) {
        return cli_fail(TP_USAGE, "%s: unsealing it: making a temporary file: %s", path, strerror(errno));
    }
    int           fd = fileno(scratch);
    tp_sink       sink = tp_sink_of_fd(&fd);
    tp_source     raw = tp_source_of_fd(&fd);
    tp_log_status status = tp_unseal_log(sealed, &sink, &error);
    int           code = status == TP_LOG_OK ? sign_raw(signing, path, &raw, true) : refuse_log(path, status, &error);
    fclose(scratch);
    return code;
}

static int sign_open(const Signing *signing, const char *path, const LogFile *file)
{
    return tp_log_container(&file->source) == 1 ? sign_sealed(signing, path, &file->source) : sign_raw(signing, path, &file->source, false);
}

static int sign_file(const Signing *signing, const char *path)
{
    tp_error    error;
    LogFile     file;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (!files_open_log(&file, path, &error)) {
        return cli_fail(TP_USAGE, "%s: opening the log: %s", name, error.text);
    }
    int code = sign_open(signing, name, &file);
    files_close_log(&file);
    return code;
}

static bool take_flag(Signing *signing, int flag)
{
    switch (flag) {
    case FLAG_KEY: signing->key_path = optarg; return true;
    case 'o': signing->output = optarg; return true;
    case FLAG_IN_PLACE: signing->is_in_place = true; return true;
    case FLAG_FORCE: signing->may_replace_file = true; return true;
    case FLAG_REPLACE: signing->may_replace_signature = true; return true;
    default: return false;
    }
}

static bool is_wrong(const Signing *signing, int argc, char **argv)
{
    if (signing->key_path == NULL) {
        cli_usage("sign", "--key is missing; 'tickproof keygen' makes one");
    } else if (optind == argc) {
        cli_usage("sign", "FILE is missing");
    } else if ((signing->output == NULL) != signing->is_in_place) {
        cli_usage("sign", "give either -o OUT or --in-place");
    } else if (!signing->is_in_place && argc - optind > 1) {
        cli_usage("sign", "-o takes one FILE; several are signed with --in-place");
    } else {
        for (int i = optind; i < argc; i++) {
            if (signing->is_in_place && strcmp(argv[i], "-") == 0) {
                cli_usage("sign", "--in-place: standard input has no place; give -o");
                return true;
            }
        }
        return false;
    }
    return true;
}

static int run_with(Signing *signing, int argc, char **argv)
{
    tp_error error;
    for (int flag = args_next("sign", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("sign", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(signing, flag)) {
            return TP_USAGE;
        }
    }
    if (is_wrong(signing, argc, argv)) {
        return TP_USAGE;
    }
    if (!secretkey_read(signing->key_path, signing->secret, &error)) {
        return cli_fail(TP_USAGE, "%s: reading the secret key: %s", signing->key_path, error.text);
    }
    tp_keys_public(signing->secret, signing->public_key);
    int code = TP_VERIFIED;
    for (int i = optind; i < argc; i++) {
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)sign_file(signing, argv[i]));
    }
    return code;
}

static int run(int argc, char **argv)
{
    Signing signing = { 0 };
    int     code = run_with(&signing, argc, argv);
    tp_keys_wipe(&signing, sizeof(signing));
    return code;
}

const Command command_sign = { "sign", "sign a whole log with a key", help, run };
