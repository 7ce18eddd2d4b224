// fighter_rig.h: one running match of the fighter world for tests: pads by slot, the state as typed pointers, the events of the
// last tick, bots in the seats.
#pragma once

#include "fighter_bot.h"
#include "fighter_state.h"

#include "tickproof/sim.h"

/// The world's config, by FighterConfig.
typedef struct RigConfig {
    int64_t items[FIGHTER_CONFIG_COUNT];
} RigConfig;

typedef struct Rig {
    tp_sim      *sim;
    uint32_t     players;
    RigConfig    config;
    uint8_t      presence[(FIGHTER_PLAYERS_MAX + 7) / 8];
    FighterInput pads[FIGHTER_PLAYERS_MAX]; // held until changed; those of absent slots are not given to the world
    bool         has_bots;
    FighterBot   bots[FIGHTER_PLAYERS_MAX];
    FighterState state;
    uint64_t     seen[FIGHTER_EVENT_COUNT]; // events of all ticks so far
} Rig;

/// The standards of the world.
RigConfig rig_config(void);
/// Everybody present, config as it comes. Fails the test when the world is refused.
void rig_open(Rig *rig, uint32_t players, uint64_t seed);
void rig_open_with(Rig *rig, uint32_t players, uint64_t seed, RigConfig config);
void rig_close(Rig *rig);
/// Seats bots in all slots, with a latency; they fill the pads.
void rig_seat_bots(Rig *rig, uint64_t seed, uint32_t delay_ticks);
void rig_set_present(Rig *rig, uint32_t slot, bool is_here);
bool rig_is_present(const Rig *rig, uint32_t slot);
/// One tick; fails the test when it is not done.
void rig_step(Rig *rig);
void rig_steps(Rig *rig, uint32_t ticks);
/// The row of the next tick as a log keeps it; returns its size.
size_t rig_row(const Rig *rig, uint8_t *bytes, size_t capacity);

/// Events of this type in the last tick.
uint32_t rig_event_count(const Rig *rig, FighterEvent type);
/// The first of them, or NULL.
const FighterPlace *rig_event(const Rig *rig, FighterEvent type);
/// The same for HIT to KO.
const FighterImpact *rig_impact(const Rig *rig, FighterEvent type);
/// The first of them that happened to this slot, or NULL.
const FighterImpact *rig_impact_of(const Rig *rig, FighterEvent type, uint32_t slot);

/// Puts a fighter on the ground there, IDLE, at rest, looking that way. Fails the test where nothing is to stand on; `y` is the height of it.
void rig_stand(Rig *rig, uint32_t slot, int32_t x_raw, int32_t y_raw, FighterFacing facing);
/// Puts a fighter into this action, one tick before its first strike begins.
void rig_poise(Rig *rig, uint32_t slot, FighterAction action);
/// Where in the last tick's events the first of this type is; UINT32_MAX: nowhere.
uint32_t rig_event_place(const Rig *rig, FighterEvent type);
/// Fails the test when the state is not one that a decoder accepts.
void rig_check(const Rig *rig);

/// Left to right.
FighterInput rig_mirrored_pad(FighterInput pad);
Fighter rig_mirrored_fighter(const Fighter *fighter);
FighterProjectile rig_mirrored_shot(const FighterProjectile *shot);
/// A pad that plays: goes for the nearest other fighter more often than not, jumps, strikes, shields, grabs, dodges. A function of the state, the
/// number, the slot and the tick.
FighterInput rig_lively(const Rig *rig, uint64_t number, uint32_t slot, uint64_t tick);
void rig_play_lively(Rig *rig, uint64_t number, uint64_t tick);

/// A pad as people hold it: a way and a jump, each kept for a while; the same for the same number and tick.
FighterInput rig_script(uint64_t number, uint64_t tick);
/// Sets pads and presence of tick `tick` by script; slots leave and come back, all but one at the most.
void rig_play_script(Rig *rig, uint64_t tick);
