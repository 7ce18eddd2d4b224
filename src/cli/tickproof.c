// tickproof.c: main of the program: finds the command and runs it.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "clifail.h"

static const Command *const commands[] = {
    &command_run,    &command_verify, &command_synctest, &command_info, &command_cat,  &command_dump,
    &command_events, &command_cues,   &command_diff, &command_worlds, &command_join, &command_admin,
    &command_import, &command_plot, &command_bench,
    &command_trace,
    &command_bisect,
    &command_perturb,
    &command_compare,
    &command_lint,
    &command_minimise,
    &command_keygen, &command_token, &command_sign, &command_seal, &command_repair,
    &command_merge,
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

int cli_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    clifail_print("tickproof", format, arguments);
    va_end(arguments);
    return code;
}

int cli_usage(const char *command, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return cli_fail(TP_USAGE, "%s: %s; see 'tickproof %s --help'", command, text, command);
}

int cli_code_of_status(tp_log_status status)
{
    switch (status) {
    case TP_LOG_OK:
    case TP_LOG_DONE: return TP_VERIFIED;
    case TP_LOG_WAIT:
    case TP_LOG_TRUNCATED: return TP_TRUNCATED;
    case TP_LOG_CORRUPT: return TP_CORRUPT;
    case TP_LOG_UNSUPPORTED: return TP_INCOMPATIBLE;
    case TP_LOG_UNAUTHENTIC: return TP_UNAUTHENTIC;
    case TP_LOG_IO: return TP_USAGE;
    case TP_LOG_NO_MEMORY: return TP_INTERNAL;
    }
    return TP_INTERNAL;
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_help(FILE *out)
{
    fputs("Usage: tickproof COMMAND [FLAG]... [FILE]...\n"
          "Runs deterministic worlds, records them, and proves from a recording that the same inputs give the same bits.\n"
          "\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n"
          "'tickproof COMMAND --help' or 'tickproof help COMMAND' explains one; 'tickproof --version' names the build.\n"
          "Where a command takes --world W it takes --world-cmd 'COMMAND', too: a world that is a process and answers over its standard\n"
          "input and output; WORLDS.md is the protocol.\n"
          "\n"
          "Exit codes:\n"
          "   0 verified      every recorded tick was checked; any other command: done\n"
          "   1 diverged      another run than the recorded one; diff: the two differ\n"
          "   2 usage         bad flag, bad configuration, no such file, no file matched\n"
          "   3 corrupt       damaged or malformed\n"
          "   4 truncated     ends early\n"
          "   5 incomplete    not every recorded tick was checked\n"
          "   6 incompatible  the log's world or rules are not here\n"
          "   7 unverifiable  the log carries no checksums\n"
          "   8 unauthentic   chain or signature does not hold\n"
          "  70 internal      a fault of this program or of a world it loaded\n"
          "Of several files the most serious counts: 70, 8, 1, 3, 6, 7, 4, 5, 2, 0.\n", out);
}

static const Command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int run_help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return TP_VERIFIED;
    }
    const Command *command = find_command(argv[1]);
    if (command == NULL) {
        return cli_fail(TP_USAGE, "help: there is no command '%s'; see 'tickproof --help'", argv[1]);
    }
    // The command knows best: some of what it prints is not one text.
    char  flag[] = "--help";
    char *words[] = { argv[1], flag, NULL };
    return command->run(2, words);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        return cli_fail(TP_USAGE, "no command was given; see 'tickproof --help'");
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return TP_VERIFIED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tickproof %s (log format %d, world ABI %u)\n", TP_VERSION, TP_LOG_VERSION, TP_WORLD_ABI);
        return TP_VERIFIED;
    }
    if (strcmp(argv[1], "help") == 0) {
        return run_help(argc - 1, argv + 1);
    }
    const Command *command = find_command(argv[1]);
    if (command == NULL) {
        return cli_fail(TP_USAGE, "%s: no such command; see 'tickproof --help'", argv[1]);
    }
    return command->run(argc - 1, argv + 1);
}

// A log must never land in descriptor 1 because the caller closed it. Opened for reading, so that a result printed there
// is an error and not lost.
static void open_standard_descriptors(void)
{
    int opened;
    do {
        opened = open("/dev/null", O_RDONLY);
    } while (opened >= 0 && opened <= STDERR_FILENO);
    if (opened >= 0) {
        close(opened);
    }
}

int main(int argc, char **argv)
{
    open_standard_descriptors();
    signal(SIGPIPE, SIG_DFL); // a reader that has enough ends us without a word, also when the caller ignored it
    int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_fail(TP_USAGE, "standard output: writing: %s", strerror(errno));
        return code == TP_VERIFIED ? TP_USAGE : code;
    }
    return code;
}
