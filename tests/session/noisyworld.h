// noisyworld.h: a world in which nearly everything that players do is an event, equal ones included, and in which two who do the wrong thing at
// the same tick fault it: so guesses make events that never happen, and faults that never come. `noisyworld_wrong` is the same world by name and
// rules, but from tick NOISYWORLD_WRONG_TICK on it counts otherwise.
#pragma once

#include "tickproof/sim.h"

enum { NOISYWORLD_PLAYERS = 8, NOISYWORLD_EVENTS_MAX = 64, NOISYWORLD_WRONG_TICK = 60 };
enum { NOISYWORLD_DANGER = 128, NOISYWORLD_COUNT = 7, NOISYWORLD_LOUD = 8 };
enum { NOISYWORLD_EVENT_SHOUT, NOISYWORLD_EVENT_TICK };

#define NOISYWORLD_INPUT_FIELDS(S, F, A, H) F(S, u8, bits, "flags", TP_ANY)
#define NOISYWORLD_TOTAL_FIELDS(S, F, A, H) F(S, u64, shouts, "count", TP_ANY)
#define NOISYWORLD_SHOUT_FIELDS(S, F, A, H)      \
    F(S, u32, slot, "slot", TP_ANY)              \
    F(S, u32, loud, "count", TP_ANY)

TP_STRUCT(NoisyInput, NOISYWORLD_INPUT_FIELDS)
TP_STRUCT(NoisyTotal, NOISYWORLD_TOTAL_FIELDS)
TP_STRUCT(NoisyShout, NOISYWORLD_SHOUT_FIELDS)

extern const tp_world noisyworld;
extern const tp_world noisyworld_wrong;
