// runner_particles.h: sparks and dust, in the observer's own memory. They use the same pool as the course does and a
// generator of their own; nothing here can reach the state.
#pragma once

#include "tickproof/pool.h"
#include "tickproof/rng.h"
#include "tickproof/trig.h"

enum { RUNNER_PARTICLES_MAX = 256, RUNNER_PARTICLES_STREAM = 0xBEEF };

#define RUNNER_PARTICLE_FIELDS(S, F, A, H)        \
    F(S, fx, x, "units", TP_ANY)                  \
    F(S, fx, y, "units", TP_ANY)                  \
    F(S, fx, speed_x, "units/s", TP_ANY)          \
    F(S, fx, speed_y, "units/s", TP_ANY)          \
    F(S, u16, life_ticks, "ticks", TP_ANY)        \
    F(S, u16, gravity, "units/s/s", TP_ANY)
TP_POOL_DECLARE(RunnerParticle, runner_particle, RUNNER_PARTICLE_FIELDS, "particles")

typedef struct RunnerParticles {
    tp_pcg32       generator;
    tp_pool_head   head;
    RunnerParticle slots[RUNNER_PARTICLES_MAX];
} RunnerParticles;

/// How one kind of burst looks. Angles are 1/65536 of a turn; y grows downwards.
typedef struct RunnerBurst {
    const char *name;
    uint16_t    count;
    uint16_t    speed;            ///< units a second; each particle has 3/4 to 5/4 of it
    uint16_t    gravity;          ///< units a second a second
    uint16_t    life_ticks_least;
    uint16_t    life_ticks_more;  ///< up to this much on top
    uint16_t    angle;            ///< middle of the fan
    uint16_t    spread;           ///< width of the fan; 65535: a whole ring
} RunnerBurst;

void runner_particles_init(RunnerParticles *particles, uint64_t seed);
/// Returns how many were made: a full pool drops the new ones and lets the old ones end.
uint32_t runner_particles_add(RunnerParticles *particles, const RunnerBurst *burst, tp_fx x, tp_fx y, bool is_mirrored);
/// One tick.
void runner_particles_update(RunnerParticles *particles);
