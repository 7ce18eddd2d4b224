// args.h: the command line's flags and numbers. Every refusal is one line that names the flag.
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ARGS_END  = -1,
    ARGS_BAD  = -2, ///< refused, and said so
    ARGS_LONG = 256, ///< first number free for a flag without a letter
    ARGS_HELP = 'h',
    ARGS_FLAGS_MAX = 96, ///< of one table
};

/// The next flag: its `val` (its argument is in optarg), ARGS_END when only operands are left (from optind on), or
/// ARGS_BAD. Starts anew for each argv. A table with "world" has "world-cmd", too: it comes as that flag, its argument with "cmd:" before it,
/// so that a world behind a pipe can be given wherever a library can.
int args_next(const char *command, int argc, char **argv, const char *letters, const struct option *flags);

/// Whole numbers, decimal or 0x hexadecimal, through no floating point. False: not such a number, or too large.
bool args_parse_u64(const char *text, uint64_t *out);
/// Decimal with an optional sign.
bool args_parse_i64(const char *text, int64_t *out);

/// The same for a flag's argument with its range. False: said so.
bool args_u64(const char *flag, const char *text, uint64_t min, uint64_t max, uint64_t *out);
bool args_u32(const char *flag, const char *text, uint32_t min, uint32_t max, uint32_t *out);
/// A decimal with at most three places behind the point, as thousandths: "0.5" is 500. False: said so.
bool args_thousandths(const char *flag, const char *text, uint32_t min, uint32_t max, uint32_t *out);
/// The argument of --format where it is text or json. False: said so.
bool args_is_json(const char *text, bool *is_json);
