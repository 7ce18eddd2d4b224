// cmd_keygen.c: `tickproof keygen`: a pair of keys to sign logs with, and to tell by whom they are.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "atomicfile.h"
#include "cli.h"
#include "secretkey.h"

static const char help[] =
    "Usage: tickproof keygen -o NAME\n"
    "       tickproof keygen --public NAME.key\n"
    "Makes a new pair of Ed25519 keys: NAME.key signs logs ('tickproof sign', 'tickproof run --sign-key F', tickproofd) and is\n"
    "for its owner alone, mode 600; NAME.pub is for everybody: 'tickproof verify --trusted-key NAME.pub' accepts only logs signed\n"
    "with NAME.key. The public key is printed. Neither file may exist: a key that is overwritten is lost, and with it the\n"
    "means to sign as before.\n"
    "\n"
    "  -o, --output NAME  the files' name without their endings\n"
    "      --public F     print the public key of the secret key F, as it stands in NAME.pub; makes nothing\n";

enum { FLAG_PUBLIC = ARGS_LONG, NAME_SIZE = 4096 };

static const struct option flags[] = {
    { "output", required_argument, NULL, 'o' },
    { "public", required_argument, NULL, FLAG_PUBLIC },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static int print_public(const char *path)
{
    tp_error error;
    uint8_t  secret[TP_SECRET_KEY_SIZE];
    uint8_t  public_key[TP_PUBLIC_KEY_SIZE];
    char     line[SECRETKEY_PUBLIC_HEX_SIZE + 2];
    if (!secretkey_read(path, secret, &error)) {
        return cli_fail(TP_USAGE, "%s: reading the secret key: %s", path, error.text);
    }
    bool is_pair = tp_keys_public(secret, public_key);
    tp_keys_wipe(secret, sizeof(secret));
    if (!is_pair) {
        return cli_fail(TP_INTERNAL, "%s: making the public key: libsodium does not start", path);
    }
    secretkey_line(public_key, sizeof(public_key), line);
    fputs(line, stdout);
    return TP_VERIFIED;
}

// One of the two files, written and without its name.
static bool prepare(AtomicFile *file, const char *path, mode_t mode, const char *line, tp_error *error)
{
    return atomicfile_create(file, path, mode, false, error) && atomicfile_write(file, line, strlen(line), error);
}

static int refuse(const char *path, const tp_error *error)
{
    bool is_there = strstr(error->text, "--force") != NULL; // which keygen does not have
    return cli_fail(TP_USAGE, "%s: making the key: %s", path, is_there ? "it exists, and a key is never replaced; give another NAME or move it away" : error->text);
}

static int write_pair(const char *key_path, const char *pub_path, const char *key_line, const char *pub_line)
{
    tp_error   error;
    AtomicFile key = { .is_open = false };
    AtomicFile pub = { .is_open = false };
    int        code = TP_VERIFIED;
    if (!prepare(&key, key_path, 0600, key_line, &error)) {
        code = refuse(key_path, &error);
    } else if (!prepare(&pub, pub_path, 0666, pub_line, &error)) {
        code = refuse(pub_path, &error);
    } else if (!atomicfile_commit(&key, &error)) {
        code = refuse(key_path, &error);
    } else if (!atomicfile_commit(&pub, &error)) {
        code = cli_fail(TP_USAGE, "%s: making the key: %s; %s is there: 'tickproof keygen --public' tells its public key", pub_path, error.text, key_path);
    }
    atomicfile_abandon(&key);
    atomicfile_abandon(&pub);
    return code;
}

static int make(const char *name)
{
    char    key_path[NAME_SIZE], pub_path[NAME_SIZE];
    char    key_line[SECRETKEY_HEX_SIZE + 2], pub_line[SECRETKEY_PUBLIC_HEX_SIZE + 2];
    uint8_t secret[TP_SECRET_KEY_SIZE], public_key[TP_PUBLIC_KEY_SIZE];
    size_t  size = strlen(name);
    if (size == 0 || size + sizeof(".key") > NAME_SIZE || name[size - 1] == '/' || strcmp(name, "-") == 0) {
        return cli_usage("keygen", "--output: '%s' is no name for two files", name);
    }
    snprintf(key_path, sizeof(key_path), "%s.key", name);
    snprintf(pub_path, sizeof(pub_path), "%s.pub", name);
    if (!tp_keys_make(secret, public_key)) {
        return cli_fail(TP_INTERNAL, "making a key: libsodium does not start");
    }
    secretkey_line(secret, sizeof(secret), key_line);
    secretkey_line(public_key, sizeof(public_key), pub_line);
    int code = write_pair(key_path, pub_path, key_line, pub_line);
    tp_keys_wipe(secret, sizeof(secret));
    tp_keys_wipe(key_line, sizeof(key_line));
    if (code == TP_VERIFIED) {
        printf("%s: the secret key: keep it, and keep it to yourself\n%s: the public key: %s", key_path, pub_path, pub_line);
    }
    return code;
}

static int run(int argc, char **argv)
{
    const char *name = NULL;
    const char *secret = NULL;
    for (int flag = args_next("keygen", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("keygen", argc, argv, ":o:h", flags)) {
        switch (flag) {
        case 'o': name = optarg; break;
        case FLAG_PUBLIC: secret = optarg; break;
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        default: return TP_USAGE;
        }
    }
    if (optind < argc) {
        return cli_usage("keygen", "it takes no operand; the files' name goes behind -o");
    }
    if ((name == NULL) == (secret == NULL)) {
        return cli_usage("keygen", "give either -o NAME or --public NAME.key");
    }
    return name != NULL ? make(name) : print_public(secret);
}

const Command command_keygen = { "keygen", "make a pair of keys to sign logs with", help, run };
