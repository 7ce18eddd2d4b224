// fighter_observe.h: what a person hears of a tick. It gets a const view, keeps its own memory, and changes nothing: roots are
// equal with and without it.
#pragma once

#include "fighter_state.h"

enum { FIGHTER_VOICES = 4 }; ///< copies of each recording that play in turn, so that quick repeats do not cut each other off

typedef struct FighterObserver {
    uint32_t next_voice[FIGHTER_EVENT_COUNT];
    uint32_t rejected; ///< events of a type that no step makes
} FighterObserver;

extern const tp_observer_type fighter_observer;
