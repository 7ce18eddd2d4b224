// axis_strict.c: this process' end of the preloaded library: settings, the way in and out of a step, and what it saw, said line by line.
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../strict/strict.h"
#include "args.h"
#include "axis_internal.h"
#include "cli.h"

static const StrictInterface *library; // NULL: not loaded, or of another version
static StrictSettings         settings;
static bool                   is_entered_always; // there is something to do around a step

static bool find_library(const char *argument)
{
    library = dlsym(RTLD_DEFAULT, STRICT_SYMBOL);
    if (library == NULL) {
        return axis_not_here(argument, "libtickproof-strict.so must be loaded before this program (LD_PRELOAD); 'tickproof perturb' does that where it finds it");
    }
    if (library->version != STRICT_VERSION) {
        library = NULL;
        return axis_not_here(argument, "libtickproof-strict.so is another version's; install the one of this program");
    }
    is_entered_always = true;
    return true;
}

bool axis_strict_clock(const char *argument, const char *value)
{
    const char *digits = value[0] == '+' ? value + 1 : value;
    if (strcmp(value, "frozen") == 0) {
        settings.is_clock_frozen = true;
    } else if (!args_parse_i64(digits, &settings.clock_shift_s) || settings.clock_shift_s > INT32_MAX || settings.clock_shift_s < -INT32_MAX) {
        cli_fail(TP_USAGE, "--perturb %s: give seconds, such as +86400 or -3600, or frozen", argument);
        return false;
    }
    if (!find_library(argument)) {
        return false;
    }
    library->set(&settings);
    return true;
}

bool axis_strict_entropy(const char *argument)
{
    settings.is_entropy_fixed = true;
    if (!find_library(argument)) {
        return false;
    }
    library->set(&settings);
    return true;
}

bool axis_strict_schedule(const char *argument, uint64_t seed)
{
    settings.delays_threads = true;
    settings.schedule_seed = seed;
    if (!find_library(argument)) {
        return false;
    }
    library->set(&settings);
    return true;
}

bool axis_strict_record(AxisState *state, const char *argument, const char *path)
{
    state->is_strict = true;
    state->strict_path = path;
    settings.notes = true;
    settings.traps_counter = true;
    if (!find_library(argument)) {
        return false;
    }
    library->set(&settings);
    return true;
}

void axis_strict_enter(uint64_t tick)
{
    if (is_entered_always) {
        library->enter(tick);
    }
}

void axis_strict_leave(void)
{
    if (is_entered_always) {
        library->leave();
    }
}

static const char *kind_name(StrictKind kind)
{
    switch (kind) {
    case STRICT_CLOCK: return "clock";
    case STRICT_ENTROPY: return "entropy";
    case STRICT_FILES: return "files";
    case STRICT_LOCALE: return "locale";
    case STRICT_ENVIRONMENT: return "environment";
    case STRICT_ZONE: return "time zone";
    case STRICT_THREADS: return "threads";
    case STRICT_PROCESS: return "process";
    case STRICT_MEMORY: return "memory";
    case STRICT_KINDS: break;
    }
    return "?";
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// "planted.so(roll_dice+0x1c) /path/planted.so 0x1139": for people, then what addr2line takes. A return address lies behind its call.
static void write_frame(FILE *out, const void *address)
{
    Dl_info     info = { 0 };
    const char *place = (const char *)address - 1;
    if (dladdr(place, &info) == 0 || info.dli_fname == NULL) {
        fprintf(out, "\t%p", address);
        return;
    }
    size_t offset = (size_t)(place - (const char *)info.dli_fbase);
    if (info.dli_sname != NULL) {
        fprintf(out, "\t%s(%s+0x%zx)", name_of(info.dli_fname), info.dli_sname, (size_t)(place - (const char *)info.dli_saddr));
    } else {
        fprintf(out, "\t%s(+0x%zx)", name_of(info.dli_fname), offset);
    }
    fprintf(out, "|%s|0x%zx", info.dli_fname, offset);
}

// From the host's step on it is not the world's any more.
static bool is_host(const void *address)
{
    static const char *const hosts[] = { "tp_sim_step", "tp_sim_step_bytes", "tp_guard_run", "tp_trace_log" };
    Dl_info                  info = { 0 };
    if (dladdr((const char *)address - 1, &info) == 0 || info.dli_sname == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        if (strcmp(info.dli_sname, hosts[i]) == 0) {
            return true;
        }
    }
    return false;
}

// One line a function: kind, function, tick, calls, detail, then the frames, with tabs between.
static void write_calls(FILE *out)
{
    const StrictCall *calls = NULL;
    size_t            count = library->calls(&calls);
    fprintf(out, "counter\t%s\n", library->traps_counter() ? "watched" : "not watched");
    for (size_t i = 0; i < count; i++) {
        const StrictCall *call = &calls[i];
        fprintf(out, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s", kind_name(call->kind), call->function, call->tick, call->count, call->detail);
        for (uint32_t k = 0; k < call->frame_count && !is_host(call->frames[k]); k++) {
            write_frame(out, call->frames[k]);
        }
        fputc('\n', out);
    }
}

void axis_strict_conclude(AxisState *state)
{
    if (!state->is_strict || library == NULL) {
        return;
    }
    FILE *out = state->strict_path != NULL ? fopen(state->strict_path, "w") : stderr;
    if (out == NULL) {
        axis_fail(state, "strict=%.150s: the file cannot be written", state->strict_path);
        return;
    }
    write_calls(out);
    bool is_written = fflush(out) == 0 && ferror(out) == 0;
    if ((out != stderr && fclose(out) != 0) || !is_written) {
        axis_fail(state, "strict=%.150s: the file cannot be written", state->strict_path);
    }
}
