// fighter_observe.h: what a person hears and feels of a tick: sounds, particles, shake. It gets a const view, keeps its own
// memory, and changes nothing: roots are equal with and without it.
#pragma once

#include "fighter_state.h"

enum {
    FIGHTER_VOICES          = 4,          ///< copies of each recording that play in turn, so that quick repeats do not cut each other off
    FIGHTER_SPARKS_MAX      = 48,         ///< particles of one event
    FIGHTER_SHAKE_MAX       = 16,         ///< units
    FIGHTER_SHAKE_KEPT      = 1863823632, ///< e^(-8.5/60) in 2^-31: what a tick leaves of a shake
    FIGHTER_SHAKE_LEAST_RAW = 3277,       ///< 0.05: less is none
};

typedef struct FighterObserver {
    uint32_t next_voice[FIGHTER_EVENT_COUNT];
    uint32_t rejected; ///< events of a type that no step makes
    tp_fx    shake;    ///< strength, units
} FighterObserver;

extern const tp_observer_type fighter_observer;

/// Kick of a knockback: a twenty-fifth of it, at most FIGHTER_SHAKE_MAX.
tp_fx    fighter_observe_kick(tp_fx knockback);
/// Particles of a knockback on top of the least that the event makes.
uint32_t fighter_observe_sparks(uint32_t least, tp_fx knockback);
