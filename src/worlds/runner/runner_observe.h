// runner_observe.h: what a person hears and feels of a tick: sounds, particles, shake. It gets a const view, keeps its own
// memory and generators, and changes nothing: roots are equal with and without it.
#pragma once

#include "runner_particles.h"
#include "runner_state.h"

enum {
    RUNNER_SHAKE_STREAM     = 7,
    RUNNER_SHAKE_KEPT       = 2000632593, ///< e^(-8.5/120) in 2^-31: what a tick leaves of a shake
    RUNNER_SHAKE_LEAST_RAW  = 3277,       ///< 0.05: less is none
    RUNNER_MASTER_RAW       = 36045,      ///< 0.55, already in the volumes of all cues
};

typedef enum RunnerSound {
    RUNNER_SOUND_COIN      = 0,
    RUNNER_SOUND_NEAR_MISS = 1,
    RUNNER_SOUND_LANE      = 2,
    RUNNER_SOUND_CRASH     = 3,
    RUNNER_SOUND_START     = 4,
    RUNNER_SOUND_COUNT     = 5,
} RunnerSound;

typedef struct RunnerObserver {
    RunnerParticles particles;
    tp_pcg32        shake_generator;
    tp_fx           shake;              ///< strength, units
    tp_fx           offset_x, offset_y; ///< of the picture in this tick, each within +-shake
    uint32_t        next_voice[RUNNER_SOUND_COUNT];
    uint32_t        rejected;           ///< events with a payload that no step makes
} RunnerObserver;

extern const tp_observer_type runner_observer;

/// Rate of the one coin recording for a combo: 2^((combo - 1) / 14), so that eight coins in a row climb to 2^(7/14), half an
/// octave (a tritone). False, and *pitch as it was, for a combo outside 1 to 8: 0 - 1 must not wrap.
bool runner_observe_pitch(uint32_t combo, tp_fx *pitch);

/// Never adds: the stronger of the two shakes stays.
void runner_observe_kick(RunnerObserver *observer, tp_fx amount);
