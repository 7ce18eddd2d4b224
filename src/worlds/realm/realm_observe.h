// realm_observe.h: what a person hears and feels of a tick: sounds, particles, shake. It gets a const view, keeps its own memory, and changes
// nothing: roots are equal with and without it.
#pragma once

#include "realm.h"

enum {
    REALM_VOICES          = 4,          ///< copies of each recording that play in turn, so that quick repeats do not cut each other off
    REALM_SPARKS_MAX      = 32,         ///< particles of one event
    REALM_SHAKE_MAX_RAW   = 8 * 65536,
    REALM_SHAKE_KEPT      = 1617632122, ///< e^(-8.5/30) in 2^-31: what a tick leaves of a shake
    REALM_SHAKE_LEAST_RAW = 3277,       ///< 0.05: less is none
};

typedef struct RealmObserver {
    uint32_t next_voice[REALM_EVENT_COUNT];
    uint32_t rejected; ///< events of a type that no step makes
    tp_fx    shake;    ///< strength, units
} RealmObserver;

extern const tp_observer_type realm_observer;
