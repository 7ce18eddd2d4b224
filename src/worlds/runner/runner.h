// runner.h: the lane runner, a built-in world. One to eight runners on one endless course of three lanes: slide
// past blocks, take coins, live. This header is what a program around the world may use: what goes in (edges and
// commands), what comes out (events), the numbers of the rules and the world itself. The state is in
// runner_state.h; the rules and the decisions behind them are in README.md.
#pragma once

#include "tickproof/world.h"

/// The world. 120 ticks a second and no other rate: speeds and tables are tied to it, so init refuses others.
extern const tp_world runner_world;

/// A length or a speed of whole units in Q16.16 bits.
#define RUNNER_RAW(units) ((units) * 65536)

// The board, in units; y grows downwards and the course comes from above.
enum {
    RUNNER_TICK_RATE_HZ   = 120,
    RUNNER_PLAYERS_MAX    = 8,
    RUNNER_LANES          = 3,
    RUNNER_LANE_MIDDLE    = 1,
    RUNNER_LANE_WIDTH     = 120,
    RUNNER_FIELD_WIDTH    = 360,
    RUNNER_FIELD_HEIGHT   = 640,
    RUNNER_PLAYER_Y       = 520,
    RUNNER_PLAYER_HALF_X  = 24,
    RUNNER_PLAYER_HALF_Y  = 26,
    RUNNER_BLOCK_HALF_X   = 50,
    RUNNER_BLOCK_HALF_Y   = 26,
    RUNNER_COIN_HALF      = 16,
    RUNNER_SPAWN_Y        = -60,
    RUNNER_DESPAWN_Y      = 720,
    RUNNER_HIT_X          = RUNNER_PLAYER_HALF_X + RUNNER_BLOCK_HALF_X, ///< closer than this in x and ...
    RUNNER_HIT_Y          = RUNNER_PLAYER_HALF_Y + RUNNER_BLOCK_HALF_Y, ///< ... closer than this in y is a crash
    RUNNER_TAKE_X         = RUNNER_PLAYER_HALF_X + RUNNER_COIN_HALF,
    RUNNER_TAKE_Y         = RUNNER_PLAYER_HALF_Y + RUNNER_COIN_HALF,
    RUNNER_NEAR_X         = 112, ///< a block passed closer than this in x is a near miss
};

// What play is worth and how long things take.
enum {
    RUNNER_SLIDE_RAW         = 595782, ///< units a tick in Q16.16: a lane in 0.11 s
    RUNNER_COMBO_MAX         = 8,
    RUNNER_COIN_POINTS       = 25,     ///< times the combo, this coin included
    RUNNER_NEAR_MISS_POINTS  = 5,
    RUNNER_UNITS_PER_POINT   = 10,     ///< distance behind one point
    RUNNER_CONFIRM_TICKS     = 72,     ///< 0.6 s between the last crash and a restart
    RUNNER_DRIFT_PERCENT     = 35,     ///< course speed when nobody lives
    RUNNER_SHIELD_TICKS      = 180,    ///< 1.5 s in which who joins a course under way cannot crash
    RUNNER_SPEED_PERCENT_MIN = 50,
    RUNNER_SPEED_PERCENT_MAX = 200,
    RUNNER_SCRIPT_ROWS_MAX   = 64,     ///< rows an administrator may have queued
    RUNNER_BONUS_MAX         = 1000000000,
    RUNNER_SCORE_MAX         = 2000000000,
    RUNNER_GRANT_MAX         = 1000000, ///< points of one bonus command
    RUNNER_EVENTS_MAX        = 64,      ///< of one tick; the bound is proven in runner_world.c
};

/// Centre of a lane, Q16.16 bits.
static inline int32_t runner_lane_x(uint32_t lane)
{
    return RUNNER_RAW(RUNNER_LANE_WIDTH / 2) + (int32_t)lane * RUNNER_RAW(RUNNER_LANE_WIDTH);
}

/// Config items, in the order of tp_setup.config.
typedef enum RunnerConfig {
    RUNNER_CONFIG_ENTITIES     = 0, ///< slots of the pool
    RUNNER_CONFIG_COIN_PERCENT = 1, ///< chance of a coin in a row
    RUNNER_CONFIG_GRACE_MS     = 2, ///< no row blocks two lanes before this course time
    RUNNER_CONFIG_LEAD_MS      = 3, ///< course time of the first row
    RUNNER_CONFIG_COUNT        = 4,
} RunnerConfig;

// Input: edges, never held keys. A press is one set bit in one tick, whatever the device does; who reads a device
// keeps the latch. Holding, repeating or predicting a press is the host's `predict`, which answers "no edge".
enum {
    RUNNER_EDGE_LEFT    = 1,
    RUNNER_EDGE_RIGHT   = 2,
    RUNNER_EDGE_CONFIRM = 4,
    RUNNER_EDGES        = 7,
};

#define RUNNER_INPUT_FIELDS(S, F, A, H) F(S, u8, edges, "flags", TP_RANGE(0, RUNNER_EDGES))
TP_STRUCT(RunnerInput, RUNNER_INPUT_FIELDS)

/// Commands, all from the host only. From a slot, out of range or of the wrong size they do nothing but count.
typedef enum RunnerCommand {
    RUNNER_COMMAND_HALT  = 0, ///< empty: the match stops by a fault
    RUNNER_COMMAND_SPEED = 1, ///< RunnerSpeedCommand: course speed from this tick on
    RUNNER_COMMAND_ROWS  = 2, ///< 1 to 64 bytes: contents of the next rows, see RUNNER_ROW_...
    RUNNER_COMMAND_BONUS = 3, ///< RunnerBonusCommand: points for one living runner
    RUNNER_COMMAND_COUNT = 4,
} RunnerCommand;

#define RUNNER_SPEED_FIELDS(S, F, A, H) \
    F(S, u16, percent, "percent", TP_RANGE(RUNNER_SPEED_PERCENT_MIN, RUNNER_SPEED_PERCENT_MAX))
TP_STRUCT(RunnerSpeedCommand, RUNNER_SPEED_FIELDS)

#define RUNNER_BONUS_FIELDS(S, F, A, H)                              \
    F(S, u32, slot, "slot", TP_RANGE(0, RUNNER_PLAYERS_MAX - 1))     \
    F(S, u32, points, "points", TP_RANGE(0, RUNNER_GRANT_MAX))
TP_STRUCT(RunnerBonusCommand, RUNNER_BONUS_FIELDS)

// One scripted row in a byte: bits 0-2 are the blocked lanes, never all; bits 3-4 are the coin's lane + 1, or 0 for
// no coin; the lane of the coin is free; the other bits are zero.
enum {
    RUNNER_ROW_BLOCKS     = 7,
    RUNNER_ROW_COIN_SHIFT = 3,
    RUNNER_ROW_COIN       = 3 << RUNNER_ROW_COIN_SHIFT,
};

/// Whether a byte is a scripted row.
bool runner_row_is_legal(uint8_t row);

/// What a tick reports: a closed set, so that adding one breaks every switch until it is handled.
typedef enum RunnerEvent {
    RUNNER_EVENT_STARTED      = 0,
    RUNNER_EVENT_LANE_CHANGED = 1,
    RUNNER_EVENT_COIN         = 2,
    RUNNER_EVENT_COIN_MISSED  = 3,
    RUNNER_EVENT_NEAR_MISS    = 4,
    RUNNER_EVENT_CRASHED      = 5,
    RUNNER_EVENT_COUNT        = 6,
} RunnerEvent;

#define RUNNER_X_RANGE TP_RANGE(RUNNER_RAW(60), RUNNER_RAW(300))
#define RUNNER_Y_RANGE TP_RANGE(RUNNER_RAW(RUNNER_SPAWN_Y), RUNNER_RAW(RUNNER_DESPAWN_Y))
#define RUNNER_SLOT_RANGE TP_RANGE(0, RUNNER_PLAYERS_MAX - 1)

#define RUNNER_STARTED_FIELDS(S, F, A, H) F(S, u32, run, "runs", TP_ANY)
TP_STRUCT(RunnerStarted, RUNNER_STARTED_FIELDS)

#define RUNNER_LANE_CHANGED_FIELDS(S, F, A, H)              \
    F(S, u32, slot, "slot", RUNNER_SLOT_RANGE)              \
    F(S, u16, from, "lane", TP_RANGE(0, RUNNER_LANES - 1))  \
    F(S, u16, to, "lane", TP_RANGE(0, RUNNER_LANES - 1))    \
    F(S, fx, x, "units", RUNNER_X_RANGE)
/// `x` is where the runner was when it turned, so that nobody has to look at a later state for it.
TP_STRUCT(RunnerLaneChanged, RUNNER_LANE_CHANGED_FIELDS)

#define RUNNER_COIN_TAKEN_FIELDS(S, F, A, H)                     \
    F(S, u32, slot, "slot", RUNNER_SLOT_RANGE)                   \
    F(S, fx, x, "units", RUNNER_X_RANGE)                         \
    F(S, fx, y, "units", RUNNER_Y_RANGE)                         \
    F(S, u32, combo, "count", TP_RANGE(1, RUNNER_COMBO_MAX))     \
    F(S, u32, points, "points", TP_RANGE(RUNNER_COIN_POINTS, RUNNER_COIN_POINTS *RUNNER_COMBO_MAX))
/// `x` is the centre of the coin's lane.
TP_STRUCT(RunnerCoinTaken, RUNNER_COIN_TAKEN_FIELDS)

#define RUNNER_COIN_MISSED_FIELDS(S, F, A, H) F(S, u32, slot, "slot", RUNNER_SLOT_RANGE)
TP_STRUCT(RunnerCoinMissed, RUNNER_COIN_MISSED_FIELDS)

#define RUNNER_PLACE_FIELDS(S, F, A, H)        \
    F(S, u32, slot, "slot", RUNNER_SLOT_RANGE) \
    F(S, fx, x, "units", RUNNER_X_RANGE)       \
    F(S, fx, y, "units", RUNNER_Y_RANGE)
/// Near misses and crashes: where the runner was.
TP_STRUCT(RunnerPlace, RUNNER_PLACE_FIELDS)
