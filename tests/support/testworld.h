// testworld.h: two small worlds for the tests. `testworld_flat` uses everything a flat world can have (config-sized
// sections, a pool, a derived section, commands with and without rows, events, faults on demand);
// `testworld_opaque` has its own heap, a state of variable size, and floats.
#pragma once

#include "tickproof/pool.h"
#include "tickproof/sim.h"

#define TESTWORLD_GAME_FIELDS(S, F, A, H)                  \
    F(S, u64, rng_state, "bits", TP_ANY)                   \
    F(S, u64, rng_increment, "bits", TP_ANY)               \
    F(S, u64, kicks, "count", TP_ANY)                      \
    A(S, u16, history, 4, "buttons", TP_RANGE(0, 7))       \
    H(S, TestBallHandle, newest, "balls")                  \
    F(S, u32, fault_at, "ticks", TP_ANY)                   \
    F(S, u8, mode, "mode", TP_ENUM(3, testworld_modes))    \
    A(S, u8, reserved, 3, "zero", TP_ZERO)

#define TESTWORLD_PLAYER_FIELDS(S, F, A, H)                \
    F(S, fx, x, "units", TP_RANGE(-6553600, 6553600))      \
    F(S, fx, speed, "units/tick", TP_RANGE(-655360, 655360)) \
    F(S, u32, presses, "count", TP_ANY)                    \
    F(S, i16, balance, "count", TP_RANGE(-1000, 1000))     \
    F(S, u8, is_in, "flag", TP_BOOL)                       \
    F(S, u8, reserved, "zero", TP_ZERO)

#define TESTWORLD_BALL_FIELDS(S, F, A, H)                  \
    F(S, fx, y, "units", TP_RANGE(-6553600, 6553600))      \
    F(S, u32, owner, "slot", TP_ANY)

#define TESTWORLD_CACHE_FIELDS(S, F, A, H) F(S, u64, sum, "count", TP_ANY)

#define TESTWORLD_INPUT_FIELDS(S, F, A, H)                 \
    F(S, u8, buttons, "flags", TP_RANGE(0, 7))             \
    F(S, i8, stick, "stick", TP_RANGE(-127, 127))

#define TESTWORLD_KICK_FIELDS(S, F, A, H)                  \
    F(S, u32, slot, "slot", TP_RANGE(0, 127))              \
    F(S, fx, power, "units/tick", TP_RANGE(0, 65536))

#define TESTWORLD_BOUNCE_FIELDS(S, F, A, H)                \
    F(S, u32, slot, "slot", TP_ANY)                        \
    F(S, fx, x, "units", TP_ANY)

extern const char *const testworld_modes[3];

TP_POOL_DECLARE(TestBall, test_ball, TESTWORLD_BALL_FIELDS, "balls")
TP_STRUCT(TestGame, TESTWORLD_GAME_FIELDS)
TP_STRUCT(TestPlayer, TESTWORLD_PLAYER_FIELDS)
TP_STRUCT(TestCache, TESTWORLD_CACHE_FIELDS)
TP_STRUCT(TestInput, TESTWORLD_INPUT_FIELDS)
TP_STRUCT(TestKick, TESTWORLD_KICK_FIELDS)
TP_STRUCT(TestBounce, TESTWORLD_BOUNCE_FIELDS)

enum { TESTWORLD_GAME, TESTWORLD_PLAYERS, TESTWORLD_BALL_HEAD, TESTWORLD_BALLS, TESTWORLD_CACHE };
enum { TESTWORLD_COMMAND_KICK, TESTWORLD_COMMAND_TEXT, TESTWORLD_COMMAND_FAULT };
enum { TESTWORLD_EVENT_BOUNCE, TESTWORLD_EVENT_SPAWN };
enum { TESTWORLD_CONFIG_BALLS, TESTWORLD_CONFIG_SPAWN };

extern const tp_world testworld_flat;
extern const tp_world testworld_opaque;

/// A setup with standard values.
tp_setup testworld_setup(const tp_world *world, uint32_t players, uint64_t seed);
/// Row `tick` of a fixed script for any number of players: presence changes, sticks flip, presses, and a command now and
/// then (flat world only). Buffers are the caller's: presence 16, origins 32, inputs players * 2 bytes, one command.
typedef struct {
    uint8_t    presence[16];
    uint8_t    origins[32];
    uint8_t    inputs[256];
    tp_command command;
    uint8_t    command_bytes[64];
} TestScript;
tp_row testworld_row(const tp_sim *sim, TestScript *script, uint64_t tick);
/// Creates and steps `ticks` ticks of the script; aborts on anything unexpected.
tp_sim *testworld_run(const tp_world *world, uint32_t players, uint64_t seed, uint64_t ticks);
