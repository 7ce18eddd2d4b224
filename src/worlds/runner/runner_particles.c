// runner_particles.c: particles by the tick, not by the frame, so that a log replayed twice looks the same twice.
#include "runner_particles.h"

#include "runner.h"

static RunnerParticlePool pool_of(RunnerParticles *particles)
{
    return (RunnerParticlePool){ &particles->head, particles->slots, RUNNER_PARTICLES_MAX };
}

void runner_particles_init(RunnerParticles *particles, uint64_t seed)
{
    RunnerParticlePool pool = pool_of(particles);
    particles->generator = tp_pcg32_make(seed, RUNNER_PARTICLES_STREAM);
    runner_particle_pool_init(&pool);
}

static tp_fx scaled(tp_fx unit, uint32_t speed)
{
    return (tp_fx){ (int32_t)((int64_t)unit.raw * speed) };
}

// All draws of a particle happen before it is known whether there is room for it.
uint32_t runner_particles_add(RunnerParticles *particles, const RunnerBurst *burst, tp_fx x, tp_fx y, bool is_mirrored)
{
    RunnerParticlePool pool = pool_of(particles);
    uint32_t step = (burst->spread + 1u) / burst->count;
    uint32_t made = 0;
    for (uint32_t i = 0; i < burst->count; i++) {
        uint32_t jitter = tp_pcg32_below(&particles->generator, step);
        uint32_t speed_part = tp_pcg32_below(&particles->generator, burst->speed / 2u + 1u);
        uint32_t more_life = tp_pcg32_below(&particles->generator, burst->life_ticks_more + 1u);
        uint32_t turn = burst->angle - burst->spread / 2u + i * step + jitter;
        tp_angle angle = { (uint16_t)turn };
        uint32_t speed = burst->speed * 3u / 4u + speed_part;
        RunnerParticle *particle = runner_particle_get(&pool, runner_particle_create(&pool));
        if (particle == NULL) {
            continue;
        }
        tp_fx speed_x = scaled(tp_cos(angle), speed);
        particle->x = x;
        particle->y = y;
        particle->speed_x.raw = is_mirrored ? -speed_x.raw : speed_x.raw;
        particle->speed_y = scaled(tp_sin(angle), speed);
        particle->life_ticks = (uint16_t)(burst->life_ticks_least + more_life);
        particle->gravity = burst->gravity;
        made++;
    }
    return made;
}

// The fastest particle covers under 500 units in its life and falls under 700, so sixteen bits of integer suffice.
void runner_particles_update(RunnerParticles *particles)
{
    RunnerParticlePool pool = pool_of(particles);
    for (uint32_t i = runner_particle_first(&pool); i < pool.capacity; i = runner_particle_after(&pool, i)) {
        RunnerParticle *particle = &pool.slots[i];
        if (particle->life_ticks <= 1) {
            runner_particle_destroy(&pool, runner_particle_handle_at(&pool, i));
            continue;
        }
        particle->life_ticks--;
        particle->speed_y.raw += RUNNER_RAW(particle->gravity) / RUNNER_TICK_RATE_HZ;
        particle->x.raw += particle->speed_x.raw / RUNNER_TICK_RATE_HZ;
        particle->y.raw += particle->speed_y.raw / RUNNER_TICK_RATE_HZ;
    }
}
