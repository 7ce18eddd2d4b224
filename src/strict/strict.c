// strict.c: the threads that are inside a step, what they called, and the settings. A thread is inside from `enter` to `leave`; a thread that a
// step makes is inside for as long as it lives.
#include "strict_internal.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Loaded with the program, so that reading it needs no memory: malloc itself asks.
#define AT_ONCE __attribute__((tls_model("initial-exec")))

static AT_ONCE _Thread_local bool     is_inside, is_busy;
static AT_ONCE _Thread_local uint64_t inside_tick;

StrictSettings strict_settings;

static StrictCall  calls[STRICT_CALLS_MAX];
static size_t      call_count;
static atomic_flag is_taken = ATOMIC_FLAG_INIT;

bool strict_is_inside(void)
{
    return is_inside;
}

uint64_t strict_tick(void)
{
    return inside_tick;
}

void *strict_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        abort();
    }
    return found;
}

uint64_t strict_fixed_number(void)
{
    static _Atomic uint64_t state = 0x5449434B50524F46; // any would do
    uint64_t mixed = atomic_fetch_add(&state, UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

// The frames that are this library's own come first.
static void keep_frames(StrictCall *call)
{
    void   *frames[STRICT_FRAMES_MAX + 8];
    Dl_info own = { 0 };
    Dl_info info = { 0 };
    int     count = backtrace(frames, STRICT_FRAMES_MAX + 8);
    int     first = 0;
    dladdr(&strict_settings, &own);
    while (first < count && dladdr(frames[first], &info) != 0 && info.dli_fbase == own.dli_fbase) {
        first += 1;
    }
    for (int i = first; i < count && call->frame_count < STRICT_FRAMES_MAX; i++) {
        call->frames[call->frame_count++] = frames[i];
    }
}

static StrictCall *find_call(StrictKind kind, const char *function)
{
    for (size_t i = 0; i < call_count; i++) {
        if (calls[i].kind == kind && strcmp(calls[i].function, function) == 0) {
            return &calls[i];
        }
    }
    if (call_count == STRICT_CALLS_MAX) {
        return NULL;
    }
    StrictCall *call = &calls[call_count++];
    call->kind = kind;
    strncpy(call->function, function, sizeof(call->function) - 1);
    call->tick = inside_tick;
    return call;
}

// A detail is foreign text and goes into a line.
static void keep_detail(StrictCall *call, const char *detail)
{
    for (size_t i = 0; detail != NULL && detail[i] != '\0' && i + 1 < sizeof(call->detail); i++) {
        call->detail[i] = (unsigned char)detail[i] < 0x20 || detail[i] == 0x7F ? '?' : detail[i];
    }
}

void strict_note(StrictKind kind, const char *function, const char *detail)
{
    if (!is_inside || is_busy || !strict_settings.notes) {
        return;
    }
    is_busy = true; // what noting calls itself is not the world's
    while (atomic_flag_test_and_set(&is_taken)) {
    }
    StrictCall *call = find_call(kind, function);
    if (call != NULL && call->count++ == 0) {
        keep_detail(call, detail);
        keep_frames(call);
    }
    atomic_flag_clear(&is_taken);
    is_busy = false;
}

static void set(const StrictSettings *settings)
{
    void *frames[2];
    strict_settings = *settings;
    (void)backtrace(frames, 2); // the first one loads a library
}

static void enter(uint64_t tick)
{
    inside_tick = tick;
    if (strict_settings.traps_counter) {
        strict_counter_trap(); // tries itself out at first, which is not the world's reading
    }
    is_inside = true;
}

static void leave(void)
{
    is_inside = false;
    if (strict_settings.traps_counter) {
        strict_counter_release();
    }
}

static size_t give_calls(const StrictCall **out)
{
    *out = calls;
    return call_count;
}

__attribute__((visibility("default"))) extern const StrictInterface tickproof_strict_interface;
const StrictInterface tickproof_strict_interface = { STRICT_VERSION, set, enter, leave, give_calls, strict_counter_is_had };
