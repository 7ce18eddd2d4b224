// runner_rig.h: one running match of the runner world for tests: inputs by slot, the state as typed pointers, the events
// of the last tick, bots in the seats.
#pragma once

#include "runner_bot.h"
#include "runner_observe.h"
#include "runner_state.h"

#include "tickproof/sim.h"

typedef struct Rig {
    tp_sim     *sim;
    uint32_t    players;
    uint8_t     presence[1];
    uint8_t     inputs[RUNNER_PLAYERS_MAX]; // of the next tick; cleared by it
    tp_command  commands[4];                // of the next tick; cleared by it
    uint32_t    command_count;
    bool        has_bots;
    RunnerBot   bots[RUNNER_PLAYERS_MAX];
    RunnerState state;
} Rig;

/// Everybody present, standard config where `config` is NULL. Fails the test when the world is refused.
void rig_open(Rig *rig, uint32_t players, uint64_t seed, const int64_t *config);
void rig_close(Rig *rig);
/// Seats bots in all slots, with a latency.
void rig_seat_bots(Rig *rig, uint64_t seed, uint32_t delay_ticks);
/// A command for the next tick; `data` (canonical bytes) must live until then.
void rig_command(Rig *rig, uint32_t source, RunnerCommand type, const void *data, uint16_t size);
/// One tick; fails the test when it is not done.
void rig_step(Rig *rig);
void rig_steps(Rig *rig, uint32_t ticks);

/// Events of this type in the last tick.
uint32_t rig_event_count(const Rig *rig, RunnerEvent type);
/// The first of them, or NULL.
const void *rig_event(const Rig *rig, RunnerEvent type);

/// Takes everything off the course and keeps rows from being laid for a long while.
void rig_clear_course(Rig *rig);
/// Puts a block or a coin on the course; returns its index in the pool.
uint32_t rig_put(Rig *rig, RunnerKind kind, uint32_t lane, int32_t y_raw);
/// How far the next tick will move the course, Q16.16 units.
int32_t rig_advance(const Rig *rig);
