// perturb_plan.c: the axes, and the runs along them. One axis is changed at a time; all else is as in the base run, down to the length of the
// command line, so that what lies on the stack lies where it lay.
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "perturb.h"

enum { REPEATS_STANDARD = 2, LARGE_COUNT = 60, LARGE_SIZE = 1000 };

static const PerturbAxis axes[] = {
    { "repeat", PERTURB_CAUSE_ENTROPY, "1, 2, ...", "nothing is changed; --repeat says how often" },
    { "aslr", PERTURB_CAUSE_LAYOUT, "on", "addresses as the system shuffles them; they are fixed in all other runs" },
    { "block", PERTURB_CAUSE_ADDRESSES, "16, 64, 1040, 65552", "the state's block at other addresses and alignments" },
    { "place", PERTURB_CAUSE_ADDRESSES, "48, 4112, 1048576", "what comes from the heap at other addresses" },
    { "slack", PERTURB_CAUSE_UNINITIALISED, "0x00, 0xA5, 0xFF", "memory around and between what the world may read holds this" },
    { "stack", PERTURB_CAUSE_UNINITIALISED, "0x00, 0xA5, 0xFF", "the unused stack below each step holds this" },
    { "heap", PERTURB_CAUSE_ALLOCATOR, "0x00, 0xA5, 0xFF", "memory that the heap gives out holds this" },
    { "allocator", PERTURB_CAUSE_ALLOCATOR, "uncached", "the C library's heap keeps nothing for the thread (GLIBC_TUNABLES)" },
    { "locale", PERTURB_CAUSE_LOCALE, "comma, and installed ones", "another locale in the whole process" },
    { "tz", PERTURB_CAUSE_ZONE, "UTC, XXX+11, YYY-13:30", "another time zone" },
    { "clock", PERTURB_CAUSE_CLOCK, "+86400, -1000000000", "every clock is so many seconds off" },
    { "directory", PERTURB_CAUSE_DIRECTORY, "elsewhere", "another working directory, an empty one" },
    { "environment", PERTURB_CAUSE_ENVIRONMENT, "large, empty", "60 KiB more of variables; none but what a process needs to start" },
    { "workers", PERTURB_CAUSE_THREADS, "1", "one processor, and OMP_NUM_THREADS=1" },
    { "schedule", PERTURB_CAUSE_THREADS, "the seed", "threads that the world makes start with small delays" },
    { "threads", PERTURB_CAUSE_THREADS, "2, 4", "as many threads step the log at the same time in one process" },
    { "order", PERTURB_CAUSE_LEAK, "after ...", "another log, or the same, is stepped first in the same process" },
    { "restore", PERTURB_CAUSE_SNAPSHOT, "1, 64", "every so many ticks other inputs are tried, and a snapshot brought back" },
    { "carry", PERTURB_CAUSE_CACHE, "the seed", "the same at random ticks, and the state comes back from its encoding" },
    { "touch", PERTURB_CAUSE_UNTOLD, "all", "what the world tells of its writes is not used" },
    { "observer", PERTURB_CAUSE_OBSERVER, "on", "observer, bots and description look on; the state is encoded after every tick" },
    { "rounding", PERTURB_CAUSE_FLOAT, "up, down, zero", "floating point rounds another way" },
    { "denormals", PERTURB_CAUSE_FLOAT, "flush", "floating point takes denormal numbers for zero" },
    { "strict", PERTURB_CAUSE_NONE, "on", "what a step asks of the system is noted (--strict)" },
    { "build", PERTURB_CAUSE_BUILD, "each further --world", "the world from another library" },
    { "machine", PERTURB_CAUSE_MACHINE, "each --with", "the log under another command" },
    { "recorded", PERTURB_CAUSE_RECORDED, "", "the base run against the checksums in the log" },
    { "base", PERTURB_CAUSE_NONE, "", "what all are compared with" },
};
enum { AXIS_COUNT = sizeof(axes) / sizeof(axes[0]), AXIS_LOCAL_COUNT = 23 };

const PerturbAxis *perturb_axis_at(size_t index)
{
    return index < AXIS_COUNT - 2 ? &axes[index] : NULL;
}

const PerturbAxis *perturb_axis_find(const char *name, size_t length)
{
    for (size_t i = 0; i < AXIS_COUNT; i++) {
        if (strlen(axes[i].name) == length && memcmp(axes[i].name, name, length) == 0) {
            return &axes[i];
        }
    }
    return NULL;
}

// Every command line has two arguments of --perturb, together as long as any.
static void pad(PerturbRun *run)
{
    enum { TOTAL = PERTURB_TEXT_SIZE - 2 };
    size_t length = strlen(run->text[0]);
    char  *end = run->text[1] + strlen(run->text[1]);
    if (run->text[0][0] == '\0') {
        length = (size_t)snprintf(run->text[0], sizeof(run->text[0]), "pad=");
    }
    if (run->text[1][0] == '\0') {
        end += snprintf(run->text[1], sizeof(run->text[1]), "pad=");
        size_t used = length + strlen(run->text[1]);
        if (used < TOTAL) {
            memset(end, '.', TOTAL - used);
            end[TOTAL - used] = '\0';
        }
    }
}

void perturb_run_make(PerturbWork *work, PerturbRun *run, const PerturbAxis *axis, const char *value, const char *first, const char *second)
{
    *run = (PerturbRun){ .axis = axis, .cause = axis->cause };
    snprintf(run->value, sizeof(run->value), "%s", value);
    snprintf(run->text[0], sizeof(run->text[0]), "%s", first != NULL ? first : "");
    snprintf(run->text[1], sizeof(run->text[1]), "%s", second != NULL ? second : "");
    snprintf(run->name, sizeof(run->name), "%s%s%s", axis->name, value[0] != '\0' ? "=" : "", value);
    pad(run);
    for (size_t i = 0; i < 2; i++) {
        run->flags[2 * i] = "--perturb";
        run->flags[2 * i + 1] = run->text[i];
    }
    run->environment = perturb_here_environment(work, NULL, false);
    run->side = (Side){ .name = run->name, .flags = run->flags, .flag_count = PERTURB_FLAGS_MAX, .environment = run->environment,
                        .prepare = work->can_pin ? perturb_here_pin : NULL, .timeout_s = work->timeout_s };
    if (work->world_count > 0) {
        run->side.worlds = (const char *const *)work->world_paths;
        run->side.world_count = 1;
    }
}

PerturbRun *perturb_plan_add(PerturbWork *work, const char *axis, const char *value, const char *argument)
{
    if (work->run_count == PERTURB_RUNS_MAX) {
        return NULL; // said once, at the end of the plan
    }
    PerturbRun *run = &work->runs[work->run_count++];
    perturb_run_make(work, run, perturb_axis_find(axis, strlen(axis)), value, argument, NULL);
    return run;
}

void perturb_plan_skip(PerturbWork *work, const char *axis, const char *value, const char *why)
{
    PerturbRun *run = perturb_plan_add(work, axis, value, NULL);
    if (run != NULL) {
        run->result = PERTURB_SKIPPED;
        snprintf(run->why, sizeof(run->why), "%s", why);
    }
}

static void add_values(PerturbWork *work, const char *axis, const char *const *values)
{
    char argument[128];
    for (; *values != NULL; values++) {
        snprintf(argument, sizeof(argument), "%s=%s", axis, *values);
        perturb_plan_add(work, axis, *values, argument);
    }
}

#define VALUES(...) (const char *const[]){ __VA_ARGS__, NULL }

static bool is_opaque(const PerturbWork *work)
{
    return work->world != NULL && work->world->opaque != NULL;
}

static void plan_memory(PerturbWork *work, const char *axis)
{
    bool is_block = strcmp(axis, "block") == 0;
    if ((is_block || strcmp(axis, "slack") == 0) && is_opaque(work)) {
        perturb_plan_skip(work, axis, "", "the world keeps its own memory; 'place' and 'heap' move and fill it");
    } else if (is_block) {
        add_values(work, axis, VALUES("16", "64", "1040", "65552"));
    } else if (strcmp(axis, "place") == 0) {
        add_values(work, axis, VALUES("48", "4112", "1048576"));
    } else {
        add_values(work, axis, VALUES("0x00", "0xA5", "0xFF"));
    }
}

static void plan_with(PerturbWork *work, const char *axis, const char *value, const char *const *environment)
{
    PerturbRun *run = perturb_plan_add(work, axis, value, NULL);
    if (run != NULL) {
        free(run->environment);
        run->environment = perturb_here_environment(work, environment, false);
        run->side.environment = run->environment;
    }
}

static void plan_allocator(PerturbWork *work)
{
#if defined(__GLIBC__)
    plan_with(work, "allocator", "uncached", VALUES("GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=90"));
#else
    perturb_plan_skip(work, "allocator", "uncached", "not the GNU C library");
#endif
}

static void plan_workers(PerturbWork *work)
{
    plan_with(work, "workers", "1", VALUES("OMP_NUM_THREADS=1"));
    if (work->run_count > 0) {
        work->runs[work->run_count - 1].side.prepare = perturb_here_one_processor;
    }
}

static void plan_locale(PerturbWork *work)
{
    // Other decimal signs, other cases of letters, other orders and another way of writing digits.
    static const char *const wanted[] = { "de_DE.UTF-8", "tr_TR.UTF-8", "fr_FR.UTF-8", "ar_EG.UTF-8" };
    size_t                   found = 0;
    add_values(work, "locale", VALUES("comma"));
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        locale_t locale = newlocale(LC_ALL_MASK, wanted[i], (locale_t)0);
        if (locale != (locale_t)0) {
            freelocale(locale);
            add_values(work, "locale", VALUES(wanted[i]));
            found += 1;
        }
    }
    if (found == 0) {
        perturb_plan_skip(work, "locale", "installed ones", "none of de_DE, tr_TR, fr_FR and ar_EG with UTF-8 is installed");
    }
}

static void plan_preloaded(PerturbWork *work, const char *axis)
{
    char seed[24];
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)work->seed);
    if (work->no_strict != NULL) {
        perturb_plan_skip(work, axis, "", work->no_strict);
    } else if (strcmp(axis, "clock") == 0) {
        add_values(work, axis, VALUES("+86400", "-1000000000"));
    } else {
        add_values(work, axis, VALUES(seed));
    }
}

static void plan_directory(PerturbWork *work)
{
    static char path[sizeof(work->scratch) + 16];
    PerturbRun *run = perturb_plan_add(work, "directory", "elsewhere", NULL);
    snprintf(path, sizeof(path), "%s/elsewhere", work->scratch);
    if (run != NULL) {
        run->side.directory = path;
    }
}

static void plan_environment(PerturbWork *work)
{
    const char *list[LARGE_COUNT + 1] = { NULL };
    for (size_t i = 0; i < LARGE_COUNT; i++) {
        work->large[i] = work->large[i] != NULL ? work->large[i] : malloc(LARGE_SIZE);
        if (work->large[i] == NULL) {
            return perturb_plan_skip(work, "environment", "large", "out of memory");
        }
        size_t length = (size_t)snprintf(work->large[i], LARGE_SIZE, "TICKPROOF_LARGE_%zu=", i);
        memset(work->large[i] + length, 'x', LARGE_SIZE - 1 - length);
        work->large[i][LARGE_SIZE - 1] = '\0';
        list[i] = work->large[i];
    }
    plan_with(work, "environment", "large", list);
    PerturbRun *run = perturb_plan_add(work, "environment", "empty", NULL);
    if (run != NULL) {
        free(run->environment);
        run->environment = perturb_here_environment(work, NULL, true);
        run->side.environment = run->environment;
    }
}

static void plan_aslr(PerturbWork *work)
{
    if (!work->can_pin) {
        perturb_plan_skip(work, "aslr", "on", "this system lets no process fix its addresses, so they change in every run");
        return;
    }
    PerturbRun *run = perturb_plan_add(work, "aslr", "on", NULL);
    if (run != NULL) {
        run->side.prepare = perturb_here_shuffle;
    }
}

static void plan_threads(PerturbWork *work)
{
    char argument[PERTURB_TEXT_SIZE];
    for (int count = 2; count <= 4; count += 2) {
        char value[8];
        snprintf(value, sizeof(value), "%d", count);
        snprintf(argument, sizeof(argument), "threads=%d:%s", count, work->logs[0].copy);
        perturb_plan_add(work, "threads", value, argument);
    }
}

static void plan_order(PerturbWork *work)
{
    char argument[PERTURB_TEXT_SIZE];
    snprintf(argument, sizeof(argument), "before=%s", work->logs[work->log_count - 1].copy);
    perturb_plan_add(work, "order", work->log_count == 1 ? "after itself" : "after the other", argument);
    if (work->log_count == 2) {
        snprintf(argument, sizeof(argument), "before=%s", work->logs[0].copy);
        PerturbRun *run = perturb_plan_add(work, "order", "the other after it", argument);
        if (run != NULL) {
            run->is_other_log = true;
        }
    }
}

static void plan_carry(PerturbWork *work)
{
    char seed[24];
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)work->seed);
    add_values(work, "carry", VALUES(seed));
}

static void plan_touch(PerturbWork *work)
{
    if (work->world != NULL && (tp_world_flags(work->world) & TP_WORLD_TRACKS_WRITES) == 0) {
        perturb_plan_skip(work, "touch", "all", "the world does not tell of its writes, so that everything is hashed in any case");
    } else {
        add_values(work, "touch", VALUES("all"));
    }
}

static void plan_repeat(PerturbWork *work)
{
    uint32_t repeats = work->repeats > 0 ? work->repeats : REPEATS_STANDARD;
    for (uint32_t i = 1; i <= repeats; i++) {
        char value[16];
        snprintf(value, sizeof(value), "%u", i);
        perturb_plan_add(work, "repeat", value, NULL);
    }
}

static void plan_strict(PerturbWork *work)
{
    char argument[PERTURB_TEXT_SIZE];
    if (work->no_strict != NULL) {
        perturb_plan_skip(work, "strict", "on", work->no_strict);
        return;
    }
    snprintf(argument, sizeof(argument), "strict=%s/strict.txt", work->scratch);
    work->strict_run = perturb_plan_add(work, "strict", "on", argument);
}

static void plan_builds(PerturbWork *work)
{
    for (size_t i = 1; i < work->world_count; i++) {
        const char *path = work->worlds[i];
        PerturbRun *run = perturb_plan_add(work, "build", strlen(path) < 60 ? path : path + strlen(path) - 59, NULL);
        if (run != NULL) {
            run->side.worlds = (const char *const *)work->world_paths + i;
        }
    }
}

// What a command reaches has its own environment and its own addresses.
static void plan_machines(PerturbWork *work)
{
    for (size_t i = 0; i < work->machine_count; i++) {
        PerturbRun *run = perturb_plan_add(work, "machine", work->machines[i], NULL);
        if (run != NULL) {
            run->side.command = work->machines[i];
            run->side.name = work->machines[i];
            run->side.prepare = NULL;
            run->side.environment = NULL;
            run->side.flag_count = 0;
            run->side.worlds = NULL;
            run->side.world_count = 0;
        }
    }
}

// A world that is a process of its own is not reached by what is done inside the one that steps it. Environment, locale, time zone and folder are
// handed on.
static bool is_elsewhere(const PerturbWork *work, const PerturbAxis *axis)
{
    static const char *const inside[] = { "block", "place", "slack", "stack", "heap", "clock", "schedule", "rounding", "denormals", "strict", "touch" };
    bool is_process = work->world_count > 0 && strncmp(work->worlds[0], WORLDS_COMMAND, strlen(WORLDS_COMMAND)) == 0;
    for (size_t i = 0; is_process && i < sizeof(inside) / sizeof(inside[0]); i++) {
        if (strcmp(axis->name, inside[i]) == 0) {
            return true;
        }
    }
    return is_process && strcmp(axis->name, "directory") == 0; // its command may be named from here
}

static void plan_axis(PerturbWork *work, const PerturbAxis *axis)
{
    static const struct {
        const char *name;
        void      (*plan)(PerturbWork *work);
    } own[] = {
        { "repeat", plan_repeat },           { "aslr", plan_aslr },       { "allocator", plan_allocator }, { "locale", plan_locale },   { "directory", plan_directory },
        { "environment", plan_environment }, { "workers", plan_workers }, { "threads", plan_threads },     { "order", plan_order },     { "carry", plan_carry },
        { "touch", plan_touch },             { "strict", plan_strict },   { "build", plan_builds },        { "machine", plan_machines },
    };
    static const struct {
        const char *name;
        const char *values[4];
    } plain[] = {
        { "tz", { "UTC", "XXX+11", "YYY-13:30" } }, { "restore", { "1", "64" } },    { "observer", { "on" } },
        { "rounding", { "up", "down", "zero" } },   { "denormals", { "flush" } },
    };
    if (is_elsewhere(work, axis)) {
        perturb_plan_skip(work, axis->name, "", "the world is a process of its own, which this does not reach");
        return;
    }
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (strcmp(own[i].name, axis->name) == 0) {
            own[i].plan(work);
            return;
        }
    }
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (strcmp(plain[i].name, axis->name) == 0) {
            add_values(work, axis->name, plain[i].values);
            return;
        }
    }
    if (strcmp(axis->name, "clock") == 0 || strcmp(axis->name, "schedule") == 0) {
        plan_preloaded(work, axis->name);
    } else {
        plan_memory(work, axis->name);
    }
}

// "NAME" or, for what --perturb of 'trace' takes, "NAME=VALUE".
static bool plan_named(PerturbWork *work, const char *item, size_t length)
{
    const char        *sign = memchr(item, '=', length);
    size_t             name_length = sign != NULL ? (size_t)(sign - item) : length;
    const PerturbAxis *axis = perturb_axis_find(item, name_length);
    char               argument[64];
    if (sign == NULL) {
        plan_axis(work, axis);
        return true;
    }
    if (length >= sizeof(argument) || axis->cause == PERTURB_CAUSE_BUILD || axis->cause == PERTURB_CAUSE_MACHINE) {
        cli_fail(TP_USAGE, "perturb: --axis: '%.*s' is too long a value, or the axis takes none", (int)length, item);
        return false;
    }
    snprintf(argument, sizeof(argument), "%.*s", (int)length, item);
    perturb_plan_add(work, axis->name, argument + name_length + 1, argument);
    return true;
}

bool perturb_plan_check(const char *list)
{
    for (const char *item = list; item != NULL; item = strchr(item, ',') != NULL ? strchr(item, ',') + 1 : NULL) {
        size_t             length = strcspn(item, ",=");
        const PerturbAxis *axis = perturb_axis_find(item, length);
        if (axis == NULL || axis >= &axes[AXIS_COUNT - 2]) {
            cli_usage("perturb", "--axis: there is no axis '%.*s'; 'tickproof perturb --list' has them all", (int)length, item);
            return false;
        }
    }
    return true;
}

bool perturb_plan(PerturbWork *work)
{
    for (size_t i = 0; work->axes == NULL && i < AXIS_LOCAL_COUNT; i++) {
        plan_axis(work, &axes[i]);
    }
    for (const char *item = work->axes; item != NULL; item = strchr(item, ',') != NULL ? strchr(item, ',') + 1 : NULL) {
        if (!plan_named(work, item, strcspn(item, ","))) {
            return false;
        }
    }
    // What was asked for by a flag of its own is looked at whatever the axes.
    if (work->is_strict && work->strict_run == NULL) {
        plan_axis(work, perturb_axis_find("strict", 6));
    }
    plan_builds(work);
    plan_machines(work);
    // One place is left for the comparison with the record.
    if (work->run_count == PERTURB_RUNS_MAX) {
        cli_fail(TP_USAGE, "perturb: more than %d runs; leave some axes out with --axis, or give a smaller --repeat", PERTURB_RUNS_MAX - 1);
    }
    return work->run_count < PERTURB_RUNS_MAX;
}
