// side.h: one way to run a log: this program again in a process of its own, or a command that reaches another build or another
// machine. Whatever it is, it is asked with `tickproof trace - -o -`: the log on its standard input, a sidecar on its standard output.
#pragma once

#include "tickproof/trace.h"

typedef struct Side {
    const char        *name;      ///< as reports call it: "here", "qemu-aarch64 ...", "build-b.so", "aslr=off"
    const char        *command;   ///< of --with, for /bin/sh; NULL: this program. "{}" in it stands for the subcommand and its flags; without one they come at its end
    const char *const *worlds;    ///< arguments of --world for it
    size_t             world_count;
    const char *const *flags;     ///< further flags of trace, before the log
    size_t             flag_count;
    const char *const *environment; ///< NAME=VALUE to set, NAME alone to remove; ends with NULL; may be NULL
    const char        *directory;  ///< to start in; NULL: this one
    bool             (*prepare)(const struct Side *side); ///< in the child, just before it becomes the program; false: not to be had here (SIDE_SKIPPED). May be NULL
    const void        *prepare_with; ///< for `prepare`
    uint32_t           timeout_s;  ///< 0: none; else the process is ended after it, and is SIDE_STUCK
} Side;

/// What a side is asked for.
typedef struct SideAsk {
    const uint8_t  *log;
    size_t          log_size;
    uint64_t        to;           ///< last tick; UINT64_MAX: to the end
    uint32_t        leaves_ticks;
    const uint64_t *states;       ///< steps done, ascending
    uint32_t        state_count;
} SideAsk;

typedef enum SideResult {
    SIDE_DONE,    ///< `trace` is there
    SIDE_FAILED,  ///< it said something else: `message`
    SIDE_CRASHED, ///< ended by a signal that a world brings about, once it had begun to answer
    SIDE_STUCK,   ///< out of time
    SIDE_SKIPPED, ///< `prepare` said no, or this system does
    SIDE_STOPPED, ///< this program was interrupted
} SideResult;

typedef struct SideAnswer {
    SideResult result;
    tp_trace  *trace;   ///< with DONE always; with CRASHED and STUCK what had been written, or NULL
    int        code;    ///< exit code, or number of the signal; with FAILED 128 and the signal
    bool       has_spoken; ///< it had begun to answer
    char       message[TP_MESSAGE_SIZE]; ///< one line: what went wrong, its standard error's last line within
} SideAnswer;

/// Runs the side to its end. True when it is DONE. The answer is the caller's, who finishes it.
bool side_run(const Side *side, const SideAsk *ask, SideAnswer *answer);
void side_answer_finish(SideAnswer *answer);
/// What a side that is neither DONE nor STOPPED comes to by itself: the verdict that its exit code names, INCOMPLETE when it was STUCK, else INTERNAL.
tp_verdict side_verdict(const SideAnswer *answer);

/// The same for two sides at the same time.
bool side_run_two(const Side *const sides[2], const SideAsk *ask, SideAnswer answers[2]);

/// From here on SIGINT and SIGTERM end what runs, and side_run gives SIDE_STOPPED; a second one ends this program with 5.
void side_catch_signals(void);
bool side_is_stopped(void);
