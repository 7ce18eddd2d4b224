// axis_internal.h: the axes of one process, as --perturb gave them, and the files that do the work.
#pragma once

#include <fenv.h>

#include "axis.h"

enum { AXIS_PLACES_MAX = 4, AXIS_THREADS_MAX = 16, AXIS_FAILURE_SIZE = 256 };

/// The words that every axis which this machine cannot give says so with: who started the process reads them.
#define AXIS_NOT_HERE "not to be had here"

typedef struct AxisRuns AxisRuns;

struct AxisState {
    // Memory.
    tp_sim_probe probe;
    bool     has_stack, has_heap;
    uint8_t  stack, heap;
    size_t   place; ///< bytes
    void    *placed[AXIS_PLACES_MAX];
    // Floating point, inside the world's calls only.
    bool     has_rounding, is_flushing;
    int      rounding;
    fenv_t   before_call;
    // What is done with the sim between ticks.
    uint32_t restore_ticks; ///< 0: never
    bool     has_carry;
    uint64_t carry_seed;
    bool     observes, lends;
    uint8_t *bytes; ///< a canonical state, or a row
    size_t   bytes_capacity;
    uint8_t *row;
    void    *observer, *bots;
    uint64_t observed; ///< ticks
    // Other runs in this process.
    const char *earlier; ///< path of a log that is stepped before
    uint32_t    threads;
    const char *beside;  ///< path of the log that the other threads step
    AxisRuns   *runs;
    // The preloaded library.
    bool        is_strict;
    const char *strict_path; ///< where the calls go; NULL: standard error

    void (*each_tick)(void *to, tp_sim *sim, uint64_t tick, bool is_finished); ///< the caller's
    void *each_to;
    bool  has_failed;
    char  failure[AXIS_FAILURE_SIZE]; ///< of the first that failed
};

/// Keeps the first failure; axis_conclude says it.
void axis_fail(AxisState *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Says that this machine has no such thing. Always false.
bool axis_not_here(const char *argument, const char *why);

// axis_memory.c
bool axis_memory_heap(AxisState *state, const char *argument, uint8_t fill);
void axis_memory_begin(AxisState *state);
void axis_memory_stir(const AxisState *state);
void axis_memory_finish(AxisState *state);

// axis_surround.c: locale and time zone of the whole process.
bool axis_locale_take(const char *argument, const char *name);
bool axis_zone_take(const char *zone);

// axis_float.c
bool axis_rounding_take(AxisState *state, const char *argument, const char *value);
bool axis_flush_take(AxisState *state, const char *argument);
void axis_float_enter(AxisState *state);
void axis_float_leave(AxisState *state);

// axis_state.c
bool axis_state_prepare(AxisState *state, AxisSet *set);
void axis_state_before(AxisState *state, tp_sim *sim, uint64_t tick);
void axis_state_after(AxisState *state, tp_sim *sim);
void axis_state_finish(AxisState *state);

// axis_runs.c
bool axis_runs_begin(AxisState *state, const tp_trace_options *options);
void axis_runs_tick(AxisState *state);
void axis_runs_conclude(AxisState *state);
void axis_runs_finish(AxisState *state);

// axis_strict.c
bool axis_strict_clock(const char *argument, const char *value);
bool axis_strict_entropy(const char *argument);
bool axis_strict_schedule(const char *argument, uint64_t seed);
bool axis_strict_record(AxisState *state, const char *argument, const char *path);
void axis_strict_enter(uint64_t tick);
void axis_strict_leave(void);
void axis_strict_conclude(AxisState *state);
