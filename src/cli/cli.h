// cli.h: what every command of the program shares: how it is listed, how it says that something is wrong, and
// which exit code a log's condition has. Exit codes are the numbers of tp_verdict.
#pragma once

#include <stdio.h>

#include "tickproof/verify.h"

/// One command. `run` gets its own name as argv[0] and returns the exit code.
typedef struct {
    const char *name;
    const char *summary; // one line for the list
    const char *help;    // all of --help
    int (*run)(int argc, char **argv);
} Command;

extern const Command command_run;
extern const Command command_verify;
extern const Command command_merge;
extern const Command command_info;
extern const Command command_cat;
extern const Command command_dump;
extern const Command command_events;
extern const Command command_cues;
extern const Command command_diff;
extern const Command command_worlds;
extern const Command command_join;
extern const Command command_admin;
extern const Command command_synctest;
extern const Command command_import;
extern const Command command_plot;
extern const Command command_bench;
extern const Command command_trace;
extern const Command command_bisect;
extern const Command command_perturb;
extern const Command command_compare;
extern const Command command_lint;
extern const Command command_minimise;
extern const Command command_keygen;
extern const Command command_token;
extern const Command command_sign;
extern const Command command_repair;
extern const Command command_seal;

/// Prints one line to standard error: "tickproof: " and the text. Returns `code`, so that a command can end with it.
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The same for a wrong command line: names the command, points to its help, returns TP_USAGE.
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Exit code of a log that could be read so far.
int cli_code_of_status(tp_log_status status);

/// Seconds on a clock that never goes back: for progress, timeouts and the line with times, never for a result.
double cli_seconds(void);
