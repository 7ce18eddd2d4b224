// axis.h: what `trace --perturb NAME[=VALUE]` does to the process that steps a log: everything that a correct world cannot notice. A process
// has one value of each axis. What can only be done from outside (environment, directory, layout of addresses, other builds) is perturb's.
#pragma once

#include "tickproof/trace.h"

typedef struct AxisState AxisState;

/// All zero: nothing is perturbed.
typedef struct AxisSet {
    bool           is_used;
    AxisState     *state; ///< owned; NULL until the first axis_add
    tp_sim_options sim;   ///< what options->sim points to after axis_prepare
} AxisSet;

/// The names with their values, one a line, for --help.
extern const char axis_help[];

/// Takes one argument of --perturb. False: said so.
bool axis_add(AxisSet *set, const char *argument);
/// Right before a world's library is loaded, or the first built-in world is made: what its constructors and globals may already see (heap, locale,
/// rounding). Idempotent.
void axis_before_world(AxisSet *set);
/// Sets options->sim and options->each_tick. After `options` has everything else; an each_tick of the caller is called, too. The set must outlive
/// the tracing.
void axis_prepare(AxisSet *set, tp_trace_options *options);
/// After the tracing: takes everything back, says on standard error what a strict run saw. False: an axis could not do its work (a state that could not
/// be saved, say), and said so: the sidecar then proves nothing.
bool axis_conclude(AxisSet *set);
void axis_finish(AxisSet *set);
