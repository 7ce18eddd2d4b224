// perturb.h: what the parts of `tickproof perturb` share: the axes, the runs along them, and what each came to.
#pragma once

#include "files.h"
#include "finding.h"
#include "side.h"
#include "worlds.h"

enum {
    PERTURB_RUNS_MAX     = 160,
    PERTURB_FLAGS_MAX    = 4,   ///< --perturb and its argument, twice
    PERTURB_WORLDS_MAX   = 16,
    PERTURB_MACHINES_MAX = 16,
    PERTURB_CALLS_MAX    = 64,
    PERTURB_TEXT_SIZE    = 640, ///< an argument of --perturb with a path in it, and its padding
};

/// What a flip is put down to. Of several the first here is the cause, and what comes after it may be no more than its consequence: what was never
/// set may be an address, and an address moves with much else.
typedef enum PerturbCause {
    PERTURB_CAUSE_ENTROPY, PERTURB_CAUSE_UNINITIALISED, PERTURB_CAUSE_ALLOCATOR, PERTURB_CAUSE_ADDRESSES, PERTURB_CAUSE_LAYOUT, PERTURB_CAUSE_CLOCK,
    PERTURB_CAUSE_LOCALE, PERTURB_CAUSE_ZONE, PERTURB_CAUSE_DIRECTORY, PERTURB_CAUSE_ENVIRONMENT, PERTURB_CAUSE_UNTOLD, PERTURB_CAUSE_LEAK,
    PERTURB_CAUSE_SNAPSHOT, PERTURB_CAUSE_CACHE, PERTURB_CAUSE_OBSERVER, PERTURB_CAUSE_THREADS, PERTURB_CAUSE_FLOAT, PERTURB_CAUSE_BUILD, PERTURB_CAUSE_MACHINE,
    PERTURB_CAUSE_RECORDED, PERTURB_CAUSE_NONE,
} PerturbCause;
const char *perturb_cause_name(PerturbCause cause);

typedef struct PerturbAxis {
    const char  *name;
    PerturbCause cause;
    const char  *values; ///< as --list shows them
    const char  *text;
} PerturbAxis;

/// NULL past the last.
const PerturbAxis *perturb_axis_at(size_t index);
const PerturbAxis *perturb_axis_find(const char *name, size_t length);

typedef enum PerturbResult { PERTURB_NOT_RUN, PERTURB_SAME, PERTURB_FLIPS, PERTURB_SKIPPED, PERTURB_FAILED } PerturbResult;

/// One run. It stays where it is: its side points into it.
typedef struct PerturbRun {
    const PerturbAxis *axis;
    char          value[64];
    char          name[96];    ///< of its side: "stack=0xA5"
    char          text[2][PERTURB_TEXT_SIZE];
    const char   *flags[PERTURB_FLAGS_MAX];
    const char  **environment; ///< owned; its strings are the work's or static
    Side          side;
    bool          is_other_log; ///< steps the second log
    SideAnswer    answer;
    PerturbResult result;
    PerturbCause  cause;   ///< of a flip; the axis' own unless something speaks for another
    bool          is_noise; ///< it flips, but so does a plain repeat
    bool          has_tick;
    uint64_t      tick;
    char          section[TP_NAME_SIZE_MAX + 1];
    char          why[TP_MESSAGE_SIZE];
} PerturbRun;

/// A call that a step made and must not make.
typedef struct PerturbCall {
    char     kind[24], function[40], detail[100];
    uint64_t tick, count;
    char     frames[1500]; ///< one a line, the caller first
} PerturbCall;

typedef struct PerturbLog {
    const char *path;
    uint8_t    *bytes;
    size_t      size;
    char        copy[200]; ///< path of a copy that other processes open
} PerturbLog;

typedef struct PerturbWork {
    // Flags.
    const char  *axes;          ///< of --axis; NULL: all local ones, and what other flags add
    const char  *worlds[PERTURB_WORLDS_MAX];
    char        *world_paths[PERTURB_WORLDS_MAX]; ///< absolute, where they are files
    size_t       world_count;
    const char  *machines[PERTURB_MACHINES_MAX];
    size_t       machine_count;
    bool         is_strict;
    uint32_t     repeats;
    uint64_t     seed;
    const char  *source_dir;
    uint32_t     timeout_s;     ///< 0: twenty times what the base run took, and half a minute
    FindingFormat format;
    bool         shows_progress;
    // The logs and what is known of them.
    PerturbLog   logs[2];
    size_t       log_count;
    WorldSet     world_set;
    const tp_world *world;      ///< the log's, when it is here
    tp_layout    layout;        ///< of it
    bool         has_layout;
    // What this machine has.
    bool         can_pin;       ///< addresses can be the same in every process
    char         strict_path[1024]; ///< libtickproof-strict.so; empty: not found
    const char  *no_strict;     ///< why not
    char         preload[2048]; ///< LD_PRELOAD=...
    char         scratch[160];
    char        *large[64];     ///< variables of a large environment
    PathList     names;         ///< of variables that are taken away
    // Runs.
    PerturbRun   bases[2];
    PerturbRun  *runs;
    size_t       run_count;
    PerturbRun  *strict_run;
    bool         repeat_flips;
    char         repeat_text[TP_MESSAGE_SIZE]; ///< what a world that does not repeat itself was found to depend on
    PerturbCause cause;         ///< of all; NONE: nothing flips
    size_t       cause_run;
    PerturbCall *calls;         ///< of the strict run
    size_t       call_count;
    bool         is_counter_watched;
    // The answer.
    Finding     *findings;      ///< one a run
    size_t       finding_count;
    double       seconds;
} PerturbWork;

// perturb_plan.c
/// Whether all names in the argument of --axis are some. False: said so.
bool perturb_plan_check(const char *list);
/// False: said so.
bool perturb_plan(PerturbWork *work);
/// A run with these arguments of --perturb (`second` may be NULL), of the first log.
void perturb_run_make(PerturbWork *work, PerturbRun *run, const PerturbAxis *axis, const char *value, const char *first, const char *second);
/// A run for the plan; `argument` may be NULL. NULL: there are too many, which perturb_plan says.
PerturbRun *perturb_plan_add(PerturbWork *work, const char *axis, const char *value, const char *argument);
void perturb_plan_skip(PerturbWork *work, const char *axis, const char *value, const char *why);

// perturb_here.c: what this machine and this process can do.
bool perturb_here_begin(PerturbWork *work); ///< false: said so
void perturb_here_finish(PerturbWork *work);
bool perturb_here_pin(const Side *side);    ///< prepare of a side: the same addresses in every process
bool perturb_here_shuffle(const Side *side);
bool perturb_here_one_processor(const Side *side);
/// An environment with these variables, ended by NULL, beside what every run has. Owned by the caller. NULL: out of memory.
const char **perturb_here_environment(PerturbWork *work, const char *const *more, bool is_emptied);

// perturb_run.c
/// The base runs. An exit code; anything but what a log's own condition gives (0, 3, 4, 5) ends the command.
int  perturb_run_bases(PerturbWork *work);
void perturb_run_all(PerturbWork *work);
void perturb_run_finish(PerturbRun *run);
/// Runs two and says whether they agree. False also when one did not come to its end.
bool perturb_run_agree(PerturbWork *work, PerturbRun *a, PerturbRun *b);

// perturb_cause.c
void perturb_conclude(PerturbWork *work);
// perturb_strict.c
/// A strict run for what its steps call, if there has been none and it can be had; then reads what it noted.
void perturb_strict_run(PerturbWork *work);
bool perturb_strict_is_wrong(const PerturbCall *call); ///< memory may be asked for
// perturb_report.c
bool perturb_find(PerturbWork *work); ///< fills the findings, and where the cause is; false: out of memory
void perturb_report(const PerturbWork *work);
void perturb_list(void);
