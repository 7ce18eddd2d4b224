// args.c: getopt_long with our own words, since its messages name no command and point to no help.
#include "args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "worlds.h"

static int refuse(const char *command, char **argv, const struct option *flags)
{
    // A long flag that takes no argument but got one leaves its number in optopt; an unknown one leaves 0.
    const char *word = optind > 0 ? argv[optind - 1] : "";
    if (optopt != 0 && word[0] == '-' && word[1] == '-') {
        for (const struct option *flag = flags; flag->name != NULL; flag++) {
            if (flag->val == optopt) {
                cli_usage(command, "--%s: takes no argument", flag->name);
                return ARGS_BAD;
            }
        }
    }
    if (optopt > 0 && optopt < ARGS_LONG) {
        cli_usage(command, "-%c: unknown flag", optopt);
    } else {
        cli_usage(command, "%s: unknown or ambiguous flag", word);
    }
    return ARGS_BAD;
}

enum { ARGS_WORLD_CMD = 1 << 20 };

// The table with --world-cmd in it, made when a table has --world. Returns the number of --world, or 0.
static int extend(const struct option *flags, struct option extended[ARGS_FLAGS_MAX + 2])
{
    int    world = 0;
    size_t count = 0;
    for (; flags[count].name != NULL && count < ARGS_FLAGS_MAX; count++) {
        extended[count] = flags[count];
        world = strcmp(flags[count].name, "world") == 0 ? flags[count].val : world;
    }
    if (world != 0) {
        extended[count++] = (struct option){ "world-cmd", required_argument, NULL, ARGS_WORLD_CMD };
    }
    extended[count] = (struct option){ 0 };
    return world;
}

// Kept for the life of the process, as an argument itself is.
static char *as_world(const char *command)
{
    static struct Kept {
        struct Kept *before;
        char         text[];
    } *last;
    struct Kept *kept = malloc(sizeof(*kept) + strlen(WORLDS_COMMAND) + strlen(command) + 1);
    if (kept == NULL) {
        return NULL;
    }
    kept->before = last;
    last = kept;
    memcpy(kept->text, WORLDS_COMMAND, strlen(WORLDS_COMMAND));
    memcpy(kept->text + strlen(WORLDS_COMMAND), command, strlen(command) + 1);
    return kept->text;
}

int args_next(const char *command, int argc, char **argv, const char *letters, const struct option *flags)
{
    struct option extended[ARGS_FLAGS_MAX + 2];
    int           world = extend(flags, extended);
    static char **started;
    if (started != argv) {
        started = argv;
        optind = 0; // the C library's way to start over
    }
    opterr = 0;
    int found = getopt_long(argc, argv, letters, extended, NULL);
    if (found == ARGS_WORLD_CMD) {
        optarg = as_world(optarg);
        return optarg != NULL ? world : ARGS_BAD;
    }
    if (found == ':') {
        cli_usage(command, "%s: needs an argument", argv[optind - 1]);
        return ARGS_BAD;
    }
    if (found == '?') {
        return refuse(command, argv, flags);
    }
    return found;
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    if (letter >= 'a' && letter <= 'f') {
        return letter - 'a' + 10;
    }
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : 99;
}

bool args_parse_u64(const char *text, uint64_t *out)
{
    unsigned base = 10;
    uint64_t value = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        unsigned digit = (unsigned)digit_of(*text);
        if (digit >= base || value > (UINT64_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *out = value;
    return true;
}

bool args_parse_i64(const char *text, int64_t *out)
{
    bool     is_negative = text[0] == '-';
    uint64_t magnitude = 0;
    if (strchr(text, 'x') != NULL || strchr(text, 'X') != NULL || !args_parse_u64(text + (is_negative ? 1 : 0), &magnitude)) {
        return false;
    }
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return false;
    }
    *out = is_negative ? (int64_t)(UINT64_C(0) - magnitude) : (int64_t)magnitude;
    return true;
}

bool args_u64(const char *flag, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (!args_parse_u64(text, &value)) {
        cli_fail(TP_USAGE, "%s: '%s' is not a whole number of at most 64 bits; write it in decimal or as 0x hexadecimal", flag, text);
        return false;
    }
    if (value < min || value > max) {
        cli_fail(TP_USAGE, "%s: %s is out of range; give %llu to %llu", flag, text, (unsigned long long)min, (unsigned long long)max);
        return false;
    }
    *out = value;
    return true;
}

bool args_u32(const char *flag, const char *text, uint32_t min, uint32_t max, uint32_t *out)
{
    uint64_t value = 0;
    if (!args_u64(flag, text, min, max, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool parse_thousandths(const char *text, uint64_t *out)
{
    const char *point = strchr(text, '.');
    size_t      whole = point != NULL ? (size_t)(point - text) : strlen(text);
    size_t      places = point != NULL ? strlen(point + 1) : 0;
    uint64_t    value = 0;
    if (whole == 0 || whole > 9 || (point != NULL && (places == 0 || places > 3))) {
        return false;
    }
    for (size_t i = 0; i < whole + 3; i++) {
        char letter = i < whole ? text[i] : i - whole < places ? point[1 + i - whole] : '0';
        if (letter < '0' || letter > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(letter - '0');
    }
    *out = value;
    return true;
}

static void write_thousandths(uint32_t value, char *text, size_t size)
{
    snprintf(text, size, "%u.%03u", value / 1000, value % 1000);
    for (size_t end = strlen(text); text[end - 1] == '0' || text[end - 1] == '.'; end--) {
        bool is_point = text[end - 1] == '.';
        text[end - 1] = '\0';
        if (is_point) {
            break;
        }
    }
}

bool args_thousandths(const char *flag, const char *text, uint32_t min, uint32_t max, uint32_t *out)
{
    char     least[16], most[16];
    uint64_t value = 0;
    write_thousandths(min, least, sizeof(least));
    write_thousandths(max, most, sizeof(most));
    if (!parse_thousandths(text, &value)) {
        cli_fail(TP_USAGE, "%s: '%s' is no decimal with at most three places; give %s to %s", flag, text, least, most);
        return false;
    }
    if (value < min || value > max) {
        cli_fail(TP_USAGE, "%s: %s is out of range; give %s to %s", flag, text, least, most);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool args_is_json(const char *text, bool *is_json)
{
    *is_json = strcmp(text, "json") == 0;
    if (*is_json || strcmp(text, "text") == 0) {
        return true;
    }
    cli_fail(TP_USAGE, "--format: '%s' is none; give text or json", text);
    return false;
}
