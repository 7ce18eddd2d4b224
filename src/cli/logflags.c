// logflags.c: every wrong value is named with its flag.
#include "logflags.h"

#include <string.h>

#include "args.h"
#include "cli.h"
#include "rulesline.h"
#include "secretkey.h"

void logflags_standard(LogFlags *flags)
{
    memset(flags, 0, sizeof(*flags));
    tp_writer_options_standard(&flags->writer);
    flags->algorithm = TP_HASH_XXH3;
    flags->writer.durability = TP_DURABLE_NONE;
}

static bool take_root_bytes(LogFlags *flags)
{
    flags->has_root_size = true;
    if (!args_u32("--root-bytes", optarg, 0, 16, &flags->writer.root_size)) {
        return false;
    }
    if (flags->writer.root_size >= 1 && flags->writer.root_size <= 3) {
        cli_fail(TP_USAGE, "--root-bytes: %s is out of range; give 0 or 4 to 16", optarg);
        return false;
    }
    return true;
}

static bool take_hash(LogFlags *flags)
{
    flags->has_algorithm = true;
    if (rulesline_algorithm(optarg, &flags->algorithm)) {
        return true;
    }
    cli_fail(TP_USAGE, "--hash: '%s' is no algorithm; give xxh3 or fnv", optarg);
    return false;
}

static bool take_slot_name(LogFlags *flags)
{
    char        number[16];
    uint32_t    slot = 0;
    const char *equals = strchr(optarg, '=');
    if (equals == NULL || (size_t)(equals - optarg) >= sizeof(number)) {
        cli_fail(TP_USAGE, "--slot-name: '%s' is not SLOT=NAME", optarg);
        return false;
    }
    memcpy(number, optarg, (size_t)(equals - optarg));
    number[equals - optarg] = '\0';
    if (!args_u32("--slot-name", number, 0, TP_PLAYERS_MAX - 1, &slot)) {
        return false;
    }
    if (flags->slot_names[slot] != NULL) {
        cli_fail(TP_USAGE, "--slot-name: %s: slot %u has a name already, '%s'", optarg, slot, flags->slot_names[slot]);
        return false;
    }
    flags->slot_names[slot] = equals + 1;
    return true;
}

static bool take_sign_key(LogFlags *flags)
{
    tp_error error;
    if (!secretkey_read(optarg, flags->secret, &error)) {
        cli_fail(TP_USAGE, "--sign-key: %s: reading the secret key: %s", optarg, error.text);
        return false;
    }
    flags->writer.sign_key = flags->secret;
    return true;
}

bool logflags_take(LogFlags *flags, int flag)
{
    switch (flag) {
    case LOGFLAGS_OUTPUT: flags->output = optarg; return true;
    case LOGFLAGS_FORCE: flags->may_replace = true; return true;
    case LOGFLAGS_HASH: return take_hash(flags);
    case LOGFLAGS_RUN_TICKS: return args_u32("--run-ticks", optarg, 1, TP_LOG_ROWS_MAX, &flags->writer.run_ticks);
    case LOGFLAGS_ROOT_BYTES: return take_root_bytes(flags);
    case LOGFLAGS_LEAVES: return args_u32("--leaves", optarg, 0, UINT32_MAX, &flags->writer.leaves_ticks);
    case LOGFLAGS_KEYFRAMES: return args_u32("--keyframes", optarg, 0, UINT32_MAX, &flags->writer.key_ticks);
    case LOGFLAGS_SEAL: return args_u32("--seal", optarg, 0, UINT32_MAX, &flags->writer.seal_ticks);
    case LOGFLAGS_MATCH: flags->match = optarg; return true;
    case LOGFLAGS_SLOT_NAME: return take_slot_name(flags);
    case LOGFLAGS_SIGN_KEY: return take_sign_key(flags);
    default: return false;
    }
}

void logflags_finish(LogFlags *flags)
{
    flags->writer.sign_key = NULL;
    tp_keys_wipe(flags->secret, sizeof(flags->secret));
}

bool logflags_check(const LogFlags *flags, uint32_t players)
{
    for (uint32_t slot = players; slot < TP_PLAYERS_MAX; slot++) {
        if (flags->slot_names[slot] != NULL) {
            cli_fail(TP_USAGE, "--slot-name: %u=%s: there is no slot %u; the match has %u, counted from 0", slot, flags->slot_names[slot], slot, players);
            return false;
        }
    }
    return true;
}
