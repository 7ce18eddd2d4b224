// cmd_token.c: `tickproof token`: signs join tokens, and tells what one says.
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "join_token.h"
#include "secretkey.h"

static const char help[] =
    "Usage: tickproof token --key F.key --room ROOM --server NAME --client F.pub [--slots N | --slot N ... | --watch] [--expires TIME]\n"
    "       tickproof token --inspect FILE\n"
    "Signs a join token: it lets the client that has the secret key of F.pub into one room, once, on the servers that are named and know\n"
    "the issuer's public key (token_issuer of their configuration). The token is printed; 'tickproof join' shows it.\n"
    "\n"
    "      --key F          the issuer's secret key, of 'tickproof keygen'\n"
    "      --room ROOM      the room's name\n"
    "      --server NAME    a server, as it calls itself (its token_server); 1 to 8 times\n"
    "      --client F       the client's public key, of 'tickproof keygen'\n"
    "      --slots N        it plays N slots, whichever are free (1)\n"
    "      --slot N         it plays this slot, from 0 on; may be given several times\n"
    "      --watch          it watches\n"
    "      --expires TIME   for how long it is good: 90, 90s, 5m or 2h, at most 24h (5m)\n"
    "      --from TIME      it is good so long from now on only (0)\n"
    "      --inspect F      print what the token in F says ('-': standard input). Whether it is signed is for servers to know\n";

enum { FLAG_KEY = ARGS_LONG, FLAG_ROOM, FLAG_SERVER, FLAG_CLIENT, FLAG_SLOTS, FLAG_SLOT, FLAG_WATCH, FLAG_EXPIRES, FLAG_FROM, FLAG_INSPECT };

static const struct option flags[] = {
    { "key", required_argument, NULL, FLAG_KEY },         { "room", required_argument, NULL, FLAG_ROOM },
    { "server", required_argument, NULL, FLAG_SERVER },   { "client", required_argument, NULL, FLAG_CLIENT },
    { "slots", required_argument, NULL, FLAG_SLOTS },     { "slot", required_argument, NULL, FLAG_SLOT },
    { "watch", no_argument, NULL, FLAG_WATCH },           { "expires", required_argument, NULL, FLAG_EXPIRES },
    { "from", required_argument, NULL, FLAG_FROM },       { "inspect", required_argument, NULL, FLAG_INSPECT },
    { "help", no_argument, NULL, ARGS_HELP },             { NULL, 0, NULL, 0 },
};

typedef struct Wish {
    JoinToken   token;
    const char *key, *client, *inspect;
    uint32_t    slots, expires_s, from_s;
} Wish;

static bool take_time(const char *flag, const char *text, uint32_t *seconds)
{
    char     number[16] = "";
    size_t   size = strlen(text);
    uint64_t value = 0, unit = 1;
    if (size > 0 && size < sizeof(number)) {
        memcpy(number, text, size);
        const char last = text[size - 1];
        unit = last == 'm' ? 60 : last == 'h' ? 3600 : 1;
        number[size - 1] = last == 's' || last == 'm' || last == 'h' ? '\0' : last;
    }
    if (!args_parse_u64(number, &value) || value > JOIN_TOKEN_LIFE_MAX || value * unit > JOIN_TOKEN_LIFE_MAX) {
        cli_usage("token", "%s: '%s': give 90, 90s, 5m or 2h, at most 24h", flag, text);
        return false;
    }
    *seconds = (uint32_t)(value * unit);
    return true;
}

static bool take_name(const char *flag, const char *text, char name[JOIN_TOKEN_NAME_MAX + 1])
{
    if (strlen(text) == 0 || strlen(text) > JOIN_TOKEN_NAME_MAX) {
        cli_usage("token", "%s: a name has 1 to %d letters", flag, JOIN_TOKEN_NAME_MAX);
        return false;
    }
    memcpy(name, text, strlen(text) + 1);
    return true;
}

static bool take_server(JoinToken *token, const char *name)
{
    if (token->server_count == JOIN_TOKEN_SERVERS_MAX) {
        cli_usage("token", "--server: a token is for %d servers at most", JOIN_TOKEN_SERVERS_MAX);
        return false;
    }
    return take_name("--server", name, token->servers[token->server_count++]);
}

// Ascending, however they were given.
static bool take_slot(JoinToken *token, const char *text)
{
    uint32_t slot = 0, at = token->exact_count;
    if (!args_u32("--slot", text, 0, JOIN_TOKEN_SLOTS_MAX - 1, &slot)) {
        return false;
    }
    for (uint32_t i = 0; i < token->exact_count; i++) {
        if (token->slots[i] == slot) {
            cli_usage("token", "--slot: %u is given twice", slot);
            return false;
        }
    }
    for (; at > 0 && token->slots[at - 1] > slot; at--) {
        token->slots[at] = token->slots[at - 1];
    }
    token->slots[at] = (uint8_t)slot;
    token->exact_count += 1;
    return true;
}

static bool take_flag(Wish *wish, int flag)
{
    switch (flag) {
    case FLAG_KEY: wish->key = optarg; return true;
    case FLAG_ROOM: return take_name("--room", optarg, wish->token.room);
    case FLAG_SERVER: return take_server(&wish->token, optarg);
    case FLAG_CLIENT: wish->client = optarg; return true;
    case FLAG_SLOTS: return args_u32("--slots", optarg, 1, JOIN_TOKEN_SLOTS_MAX, &wish->slots);
    case FLAG_SLOT: return take_slot(&wish->token, optarg);
    case FLAG_WATCH: wish->token.role = JOIN_TOKEN_WATCH; return true;
    case FLAG_EXPIRES: return take_time("--expires", optarg, &wish->expires_s);
    case FLAG_FROM: return take_time("--from", optarg, &wish->from_s);
    case FLAG_INSPECT: wish->inspect = optarg; return true;
    default: return false;
    }
}

static void print_token(const JoinToken *token)
{
    char hex[2 * JOIN_TOKEN_KEY + 1];
    printf("role: %s\nroom: %s\n", token->role == JOIN_TOKEN_PLAY ? "plays" : "watches", token->room);
    if (token->role == JOIN_TOKEN_PLAY) {
        printf("slots: %u%s", token->slot_count, token->exact_count > 0 ? ":" : ", any");
        for (uint32_t i = 0; i < token->exact_count; i++) {
            printf(" %u", token->slots[i]);
        }
        printf("\n");
    }
    for (uint32_t i = 0; i < token->server_count; i++) {
        printf("server: %s\n", token->servers[i]);
    }
    printf("good from: %" PRIu64 "\ngood until: %" PRIu64 ", %" PRIu64 " s\n", token->not_before_s, token->expires_s, token->expires_s - token->not_before_s);
    printf("client: %s\n", sodium_bin2hex(hex, sizeof(hex), token->client, JOIN_TOKEN_KEY));
}

static int inspect(const char *path)
{
    uint8_t   bytes[JOIN_TOKEN_SIZE_MAX];
    size_t    size = 0;
    JoinToken token;
    tp_error  error;
    if (!secretkey_read_token(path, bytes, &size, &error)) {
        return cli_fail(TP_USAGE, "%s: reading the join token: %s", path, error.text);
    }
    const char *wrong = join_token_decode(bytes, size, &token);
    if (wrong != NULL) {
        return cli_fail(TP_USAGE, "%s: reading the join token: %s", path, wrong);
    }
    print_token(&token);
    return TP_VERIFIED;
}

static bool read_client(const char *path, uint8_t key[JOIN_TOKEN_KEY])
{
    tp_error error;
    uint8_t  public_key[TP_PUBLIC_KEY_SIZE];
    if (!secretkey_read_public(path, public_key, &error)) {
        cli_fail(TP_USAGE, "%s: reading the client's key: %s", path, error.text);
        return false;
    }
    if (sodium_init() < 0 || crypto_sign_ed25519_pk_to_curve25519(key, public_key) != 0) {
        cli_fail(TP_USAGE, "%s: reading the client's key: it is no public key", path);
        return false;
    }
    return true;
}

static int issue(Wish *wish)
{
    JoinToken *token = &wish->token;
    tp_error   error;
    uint8_t    secret[TP_SECRET_KEY_SIZE], bytes[JOIN_TOKEN_SIZE_MAX];
    char       text[JOIN_TOKEN_TEXT_SIZE];
    token->slot_count = token->role == JOIN_TOKEN_WATCH ? 0 : token->exact_count > 0 ? token->exact_count : (uint8_t)wish->slots;
    token->not_before_s = (uint64_t)time(NULL) + wish->from_s;
    token->expires_s = token->not_before_s + wish->expires_s;
    if (!read_client(wish->client, token->client)) {
        return TP_USAGE;
    }
    randombytes_buf(token->nonce, sizeof(token->nonce));
    const char *wrong = join_token_check(token);
    if (wrong != NULL) {
        return cli_usage("token", "there is no such token: %s", wrong);
    }
    if (!secretkey_read(wish->key, secret, &error)) {
        return cli_fail(TP_USAGE, "%s: reading the secret key: %s", wish->key, error.text);
    }
    size_t size = join_token_sign(token, secret, bytes);
    tp_keys_wipe(secret, sizeof(secret));
    join_token_to_text(bytes, size, text);
    printf("%s\n", text);
    return TP_VERIFIED;
}

static int run(int argc, char **argv)
{
    Wish wish = { .token = { .role = JOIN_TOKEN_PLAY }, .expires_s = 300 };
    for (int flag = args_next("token", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("token", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (!take_flag(&wish, flag)) {
            return TP_USAGE;
        }
    }
    bool is_watch = wish.token.role == JOIN_TOKEN_WATCH;
    if (optind < argc) {
        return cli_usage("token", "it takes no operand");
    }
    if (wish.inspect != NULL) {
        return inspect(wish.inspect);
    }
    if (wish.key == NULL || wish.client == NULL || wish.token.room[0] == '\0' || wish.token.server_count == 0) {
        return cli_usage("token", "--key, --room, --server and --client are needed");
    }
    if ((is_watch ? 1 : 0) + (wish.slots > 0 ? 1 : 0) + (wish.token.exact_count > 0 ? 1 : 0) > 1) {
        return cli_usage("token", "--slots, --slot and --watch exclude each other");
    }
    wish.slots = wish.slots > 0 ? wish.slots : 1;
    return issue(&wish);
}

const Command command_token = { "token", "sign a join token, or tell what one says", help, run };
