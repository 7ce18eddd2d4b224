// fighter_data.h: the tables of the rules: kinds of fighters, their actions' frame data, what strikes, and the stages. The numbers are written
// by scripts/fighter_tables.py from fighter_data.toml into fighter_data_table.c and committed; a test holds the two equal.
// Every number is an int32_t, so that the tables are one array of values for the content hashes of the rules.
// Lengths are Q16.16 units relative to the feet, for a fighter that looks right; speeds are Q16.16 units a tick.
#pragma once

#include "fighter_state.h"

enum {
    FIGHTER_HURTS        = 3,  ///< capsules of a fighter that can be hit
    FIGHTER_SURFACES_MAX = 16,
    FIGHTER_LEDGES_MAX   = 4,
    FIGHTER_STAGE_COUNT  = 3,
    FIGHTER_STRIKES_MAX  = 256,
};

/// A line with a thickness.
typedef struct FighterCapsule {
    int32_t x0, y0, x1, y1, radius;
} FighterCapsule;

/// One window in which something strikes: part of an action, or what a projectile does on touch.
typedef struct FighterStrike {
    int32_t        first_tick, last_tick; ///< of the action, both inclusive
    int32_t        part;                  ///< 1...: strikes of one part hit the same fighter once; a new part may hit it again
    FighterCapsule capsule;
    int32_t        damage;                ///< percent, Q16.16
    int32_t        angle;                 ///< degrees, 0 forward, 90 up, 270 down; 361: low when weak, 44 when strong
    int32_t        base;                  ///< knockback at no damage
    int32_t        growth;                ///< percent
    int32_t        shield_damage;         ///< on top of damage, Q16.16
    int32_t        is_grab;               ///< takes hold instead; the numbers above do not matter
} FighterStrike;

/// Frame data of one action of one kind.
typedef struct FighterFrames {
    int32_t ticks;                  ///< its length; 0: until something ends it
    int32_t free_tick;              ///< first tick in which the pad may end it; 0: none
    int32_t guard_first, guard_last;///< ticks in which nothing touches it; 0, 0: none
    int32_t land_ticks;             ///< A: lag of a landing in it; 0: the kind's
    int32_t move_first, move_last;  ///< ticks in which it moves by itself; 0, 0: none
    int32_t move_x, move_y;         ///< forward and up, units a tick, in those ticks
    int32_t first_strike, strike_count; ///< rows of fighter_strikes. Of THROW_*: one row, at the tick of the release
} FighterFrames;

/// What SHOOT lets go.
typedef struct FighterShot {
    int32_t       tick;             ///< of SHOOT
    int32_t       x, y;             ///< where it begins
    int32_t       speed_x, speed_y;
    int32_t       gravity;          ///< 0: flies straight
    int32_t       life_ticks;
    FighterStrike strike;           ///< its capsule lies relative to the projectile; its ticks do not matter
} FighterShot;

/// Everything about one kind.
typedef struct FighterKind {
    int32_t        weight;
    int32_t        half_width, height;      ///< of the body that meets the stage
    int32_t        walk_speed, dash_speed, run_speed;
    int32_t        ground_acceleration;     ///< toward what the stick asks for
    int32_t        friction;                ///< on the ground, when it asks for nothing or may not ask
    int32_t        air_speed, air_acceleration, air_friction;
    int32_t        gravity, fall_speed, fast_fall_speed;
    int32_t        stun_gravity, stun_fall_speed; ///< instead, in HITSTUN and TUMBLE while launched
    int32_t        jump_speed, short_hop_speed, air_jump_speed;
    int32_t        jump_squat_ticks;
    int32_t        air_jumps;
    int32_t        land_ticks;
    int32_t        shield_radius;
    int32_t        ledge_reach_x, ledge_reach_y; ///< how near a ledge must be to the middle of the body
    FighterCapsule hurts[FIGHTER_HURTS];
    FighterShot    shot;
    FighterFrames  actions[FIGHTER_ACTION_COUNT];
} FighterKind;

typedef enum FighterSurfaceKind {
    FIGHTER_SURFACE_FLOOR      = 0, ///< x0 < x1, y0 = y1: stops what comes from above
    FIGHTER_SURFACE_PLATFORM   = 1, ///< as a floor, unless a fighter lets itself through
    FIGHTER_SURFACE_CEILING    = 2, ///< stops what comes from below
    FIGHTER_SURFACE_WALL_RIGHT = 3, ///< x0 = x1, y0 < y1: stops what moves to the right (it stands on the right)
    FIGHTER_SURFACE_WALL_LEFT  = 4, ///< stops what moves to the left
} FighterSurfaceKind;

typedef struct FighterSurface {
    int32_t kind; ///< FighterSurfaceKind
    int32_t x0, y0, x1, y1;
} FighterSurface;

/// The corner of a floor to hold on to. `side` -1: the floor's left end, the fighter hangs left of it and looks right; 1: its right end.
typedef struct FighterLedge {
    int32_t x, y, side;
} FighterLedge;

typedef struct FighterStage {
    int32_t        blast_left, blast_right, blast_top, blast_bottom; ///< past one of them a fighter is out
    int32_t        spawn_left, spawn_right, spawn_y; ///< fighters begin evenly spread between the two, on a floor at spawn_y
    int32_t        respawn_x, respawn_y;             ///< middle of where they come back
    int32_t        surface_count;
    FighterSurface surfaces[FIGHTER_SURFACES_MAX];
    int32_t        ledge_count;
    FighterLedge   ledges[FIGHTER_LEDGES_MAX];
} FighterStage;

extern const FighterKind   fighter_kinds[FIGHTER_KIND_COUNT];
extern const FighterStrike fighter_strikes[FIGHTER_STRIKES_MAX]; ///< rows past the last one used are zero
/// [i] as it is, [FIGHTER_STAGE_COUNT + i] the same left to right: surfaces and ledges keep their order, so that index i is the
/// mirror image of index i.
extern const FighterStage  fighter_stages[2 * FIGHTER_STAGE_COUNT];
extern const char *const   fighter_stage_names[FIGHTER_STAGE_COUNT];

/// A floor or a platform: what is stood on.
bool                fighter_data_holds_feet(const FighterSurface *surface);
/// The stage of a match.
const FighterStage *fighter_data_stage(const tp_setup *setup);
/// The kind of a slot's fighter.
FighterKindName     fighter_data_kind_name(const tp_setup *setup, uint32_t slot);
const FighterKind  *fighter_data_kind(const tp_setup *setup, uint32_t slot);
