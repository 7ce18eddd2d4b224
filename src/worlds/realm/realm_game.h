// realm_game.h: the game's part of the state: the match, its players, creatures, bolts and doors. Bodies are owners of the collision engine,
// named by handle; where a body is stands there and nowhere else. A body whose landblock is not served is lost: it keeps its place, does
// nothing, and goes on by itself when the landblock comes.
//
// Lengths are Q16.16 units, speeds units a tick, heights grow upwards.
#pragma once

#include "realm_engine.h"

/// A length of whole units in Q16.16 bits.
#define REALM_RAW(units) ((int32_t)(units) * 65536)
/// A speed of tenths of a unit a second in Q16.16 units a tick, rounded down.
#define REALM_SPEED(tenths) ((int32_t)(tenths) * 65536 / (10 * REALM_TICK_RATE_HZ))

// How things move.
enum {
    REALM_RUN_SPEED      = REALM_SPEED(40),
    REALM_CHASE_SPEED    = REALM_SPEED(37),
    REALM_WANDER_SPEED   = REALM_SPEED(15),
    REALM_JUMP_SPEED     = REALM_SPEED(55),  ///< 1.5 units high
    REALM_BOLT_SPEED     = REALM_SPEED(250),
    REALM_FALL_SPEED_MAX = REALM_SPEED(500),
    REALM_AIR_STEER      = REALM_RUN_SPEED / 10, ///< what the pad changes of the speed in a tick off the ground
    REALM_GRAVITY_TICK   = 714,                  ///< 9.8 units/s/s: 9.8 * 65536 / 900, rounded
};

// Fighting.
enum {
    REALM_PLAYER_HEALTH    = 100,
    REALM_CREATURE_HEALTH  = 40,
    REALM_LARGE_HEALTH     = 90,
    REALM_ATTACK_DAMAGE    = 12,
    REALM_ATTACK_TICKS     = 12, ///< between two
    REALM_ATTACK_REACH_RAW = REALM_RAW(9) / 4,
    REALM_ATTACK_HALF_TURN = 0x2000, ///< an eighth of a turn to either side
    REALM_BOLT_DAMAGE      = 8,
    REALM_SHOOT_TICKS      = 15,
    REALM_BOLT_TICKS       = 60,
    REALM_STRIKE_DAMAGE    = 9,
    REALM_LARGE_DAMAGE     = 16,
    REALM_STRIKE_TICKS     = 27, ///< between two, wind-up included
    REALM_STRIKE_WIND_UP   = 9,  ///< ticks in which a player can step out of reach
    REALM_STRIKE_REACH_RAW = REALM_RAW(7) / 4,
    REALM_REACH_HEIGHT_RAW = REALM_RAW(2), ///< nobody reaches higher or lower
    REALM_DEAD_TICKS       = 90,
    REALM_GUARD_TICKS      = 60, ///< after coming back nothing hurts
    REALM_HEAL_TICKS       = 60, ///< between two points of health that come back by themselves
    REALM_CREATURE_POINTS  = 10, ///< score of a creature's death
    REALM_LARGE_POINTS     = 25,
    REALM_PLAYER_POINTS    = 25,
};

// Creatures.
enum {
    REALM_NOTICE_RAW        = REALM_RAW(18),
    REALM_LOSE_RAW          = REALM_RAW(28),
    REALM_CREATURE_NEAR     = 18,  ///< units: nearer to its player than this no creature appears
    REALM_CREATURE_SPREAD   = 44,  ///< units: nor farther
    REALM_CREATURE_FAR_RAW  = REALM_RAW(72),  ///< from everybody: it goes, to come back elsewhere
    REALM_CREATURE_TICKS    = 180, ///< from death to coming back
    REALM_CREATURE_CHECK_TICKS = 32, ///< between two looks at whether anybody is near
    REALM_CREATURES_A_PLAYER = 10,
    REALM_CREATURE_TRIES    = 4,   ///< places tried in one tick
    REALM_CREATURES_MAX     = 1024,
    REALM_SHOTS_MAX         = 1024,
    REALM_DOORS_MAX         = 1024,
};

// Doors.
enum {
    REALM_DOOR_REACH_RAW   = REALM_RAW(3),
    REALM_DOOR_CLEAR_RAW   = REALM_RAW(5) / 4, ///< a door does not close on who is nearer
};

/// Kinds of owner id: the byte on top.
enum {
    REALM_ID_PLAYERS   = 0x01000000,
    REALM_ID_CREATURES = 0x02000000,
    REALM_ID_SHOTS     = 0x03000000,
    REALM_ID_DOORS     = 0x04000000,
    REALM_ID_KIND      = 0x7F000000,
};

#define REALM_GAME_FIELDS(S, F, A, H)                          \
    F(S, u64, rng_state, "bits", TP_ANY)                       \
    F(S, u64, rng_increment, "bits", TP_ANY)                   \
    F(S, u32, kills, "count", TP_ANY)                          \
    F(S, u32, deaths, "count", TP_ANY)                         \
    F(S, u32, duel_kills, "count", TP_ANY)                     \
    F(S, u32, respawns, "count", TP_ANY)                       \
    F(S, u32, entries, "count", TP_ANY)                        \
    F(S, u32, bolts, "count", TP_ANY)                          \
    F(S, u32, creatures_born, "count", TP_ANY)                 \
    F(S, u32, creatures_gone, "count", TP_ANY)                 \
    F(S, u32, doors_hung, "count", TP_ANY)                     \
    F(S, u32, moves_waited, "count", TP_ANY)                   \
    F(S, u32, shots_refused, "count", TP_ANY)                  \
    F(S, u32, commands_ignored, "count", TP_ANY)               \
    F(S, u32, events_dropped, "count", TP_ANY)                 \
    F(S, u32, door_cursor, "looks", TP_ANY)
/// Counters stop at their largest value. `kills`: creatures that players killed. `deaths`: of players, whoever did it; `duel_kills` of them by
/// other players. `creatures_gone`: left behind by everybody. `moves_waited`: moves, births and doors that the engine had no room for.
TP_STRUCT(RealmGame, REALM_GAME_FIELDS)

/// ABSENT: the slot is free. WAITING: has a place and no body yet: its landblock is not ready. ALIVE: has a body, which may be lost. DEAD:
/// has none until its time is over.
typedef enum RealmPlayerStatus {
    REALM_PLAYER_ABSENT  = 0,
    REALM_PLAYER_WAITING = 1,
    REALM_PLAYER_ALIVE   = 2,
    REALM_PLAYER_DEAD    = 3,
    REALM_PLAYER_STATUS_COUNT = 4,
} RealmPlayerStatus;
extern const char *const realm_player_status_names[REALM_PLAYER_STATUS_COUNT];

#define REALM_SPEED_RANGE TP_RANGE(-REALM_RAW(4), REALM_RAW(4))

#define REALM_PLAYER_FIELDS(S, F, A, H)                                                             \
    F(S, u8, status, "status", TP_ENUM(REALM_PLAYER_STATUS_COUNT, realm_player_status_names))       \
    F(S, u8, buttons, "held", TP_RANGE(0, REALM_BUTTONS))                                           \
    F(S, u8, is_grounded, "flag", TP_BOOL)                                                          \
    F(S, u8, is_indoors, "flag", TP_BOOL)                                                           \
    H(S, RealmOwnerHandle, owner, "owners")                                                         \
    F(S, u32, cell, "cell", TP_ANY)                                                                 \
    F(S, fx, x, "units", REALM_LOCAL_RANGE)                                                         \
    F(S, fx, y, "units", REALM_LOCAL_RANGE)                                                         \
    F(S, fx, speed_x, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, fx, speed_y, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, fx, speed_z, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, angle, look, "turn", TP_ANY)                                                               \
    F(S, u16, health, "points", TP_RANGE(0, REALM_PLAYER_HEALTH))                                   \
    F(S, u16, attack_ticks, "ticks", TP_RANGE(0, REALM_ATTACK_TICKS))                               \
    F(S, u16, shoot_ticks, "ticks", TP_RANGE(0, REALM_SHOOT_TICKS))                                 \
    F(S, u16, dead_ticks, "ticks", TP_RANGE(0, REALM_DEAD_TICKS))                                   \
    F(S, u16, guard_ticks, "ticks", TP_RANGE(0, REALM_GUARD_TICKS))                                 \
    F(S, u16, heal_ticks, "ticks", TP_RANGE(0, REALM_HEAL_TICKS))                                   \
    F(S, u16, padding, "zero", TP_ZERO)                                                             \
    F(S, u32, kills, "count", TP_ANY)                                                               \
    F(S, u32, deaths, "count", TP_ANY)                                                              \
    F(S, u32, score, "points", TP_ANY)                                                              \
    F(S, u32, best, "points", TP_ANY)
/// `cell`, x and y: where it is to appear, or, with a body, where it last appeared. `buttons` are those of the tick before: USE acts as it is
/// pressed. `best` is the slot's best score of the match, whoever had it.
TP_STRUCT(RealmPlayer, REALM_PLAYER_FIELDS)

typedef enum RealmCreatureMode {
    REALM_CREATURE_NONE   = 0, ///< no body: comes back when `wait_ticks` are over and there is a place
    REALM_CREATURE_REST   = 1,
    REALM_CREATURE_WANDER = 2,
    REALM_CREATURE_CHASE  = 3,
    REALM_CREATURE_STRIKE = 4, ///< winds up
    REALM_CREATURE_MODE_COUNT = 5,
} RealmCreatureMode;
extern const char *const realm_creature_mode_names[REALM_CREATURE_MODE_COUNT];

#define REALM_CREATURE_FIELDS(S, F, A, H)                                                           \
    F(S, u8, mode, "mode", TP_ENUM(REALM_CREATURE_MODE_COUNT, realm_creature_mode_names))           \
    F(S, u8, is_grounded, "flag", TP_BOOL)                                                          \
    F(S, u16, health, "points", TP_RANGE(0, REALM_LARGE_HEALTH))                                    \
    H(S, RealmOwnerHandle, owner, "owners")                                                         \
    F(S, fx, speed_x, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, fx, speed_y, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, fx, speed_z, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, angle, heading, "turn", TP_ANY)                                                            \
    F(S, u16, target, "slot + 1", TP_RANGE(0, REALM_PLAYERS_MAX))                                   \
    F(S, u16, wait_ticks, "ticks", TP_RANGE(0, 1024))                                               \
    F(S, u16, strike_ticks, "ticks", TP_RANGE(0, REALM_STRIKE_TICKS))                               \
    F(S, u16, stuck_ticks, "ticks", TP_RANGE(0, 1024))                                              \
    F(S, u16, padding, "zero", TP_ZERO)                                                             \
    F(S, u32, kills, "count", TP_ANY)
/// `wait_ticks`: of the mode, until it ends by itself. `target`: whom it chases or strikes.
TP_STRUCT(RealmCreature, REALM_CREATURE_FIELDS)

/// Every fifth creature is a large one: slower to kill, harder to be hit by, worth more.
static inline bool realm_creature_is_large(uint32_t index)
{
    return index % 5 == 4;
}

#define REALM_SHOT_FIELDS(S, F, A, H)                                                               \
    F(S, u16, ticks, "ticks", TP_RANGE(0, REALM_BOLT_TICKS))                                        \
    F(S, u16, shooter, "slot + 1", TP_RANGE(0, REALM_PLAYERS_MAX))                                  \
    F(S, u32, cell, "cell", TP_ANY)                                                                 \
    F(S, fx, x, "units", REALM_LOCAL_RANGE)                                                         \
    F(S, fx, y, "units", REALM_LOCAL_RANGE)                                                         \
    F(S, fx, z, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                                     \
    F(S, fx, speed_x, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, fx, speed_y, "units/tick", REALM_SPEED_RANGE)                                              \
    F(S, fx, speed_z, "units/tick", REALM_SPEED_RANGE)
/// A bolt is no owner: it meets others, nobody meets it. `ticks` it still has; 0: the slot is free and all of it zero.
TP_STRUCT(RealmShot, REALM_SHOT_FIELDS)

#define REALM_DOOR_FIELDS(S, F, A, H)                                                               \
    F(S, u64, generation, "generation", REALM_NUMBER_RANGE)                                         \
    H(S, RealmOwnerHandle, owner, "owners")                                                         \
    F(S, u16, prefix, "landblock", TP_ANY)                                                          \
    F(S, u16, cell, "cell", TP_ANY)                                                                 \
    F(S, u8, portal, "portal", TP_RANGE(0, REALM_PORTALS - 1))                                      \
    F(S, u8, is_open, "flag", TP_BOOL)                                                              \
    F(S, u8, is_hung, "flag", TP_BOOL)                                                              \
    F(S, u8, padding, "zero", TP_ZERO)
/// A door hangs in an outer portal of an indoor cell of one generation of a landblock, and goes when that generation is not active any more.
/// Not `is_hung`: the slot is free and all of it zero.
TP_STRUCT(RealmDoor, REALM_DOOR_FIELDS)

_Static_assert(sizeof(RealmGame) == 72, "RealmGame grew: raise the world's revision");
_Static_assert(sizeof(RealmPlayer) == 68, "RealmPlayer grew: raise the world's revision");
_Static_assert(sizeof(RealmCreature) == 40, "RealmCreature grew: raise the world's revision");
_Static_assert(sizeof(RealmShot) == 32, "RealmShot grew: raise the world's revision");
_Static_assert(sizeof(RealmDoor) == 24, "RealmDoor grew: raise the world's revision");

static inline void realm_count_up(uint32_t *counter)
{
    *counter += *counter != UINT32_MAX;
}

/// From one place to another along the axes of the world, Q16.16 units; up to 255 landblocks, hence 64 bits.
typedef struct RealmWay {
    int64_t x, y, z;
} RealmWay;

static inline RealmWay realm_way(RealmPlace from, RealmPlace to)
{
    int64_t blocks_x = (int64_t)(to.cell >> 24) - (int64_t)(from.cell >> 24);
    int64_t blocks_y = (int64_t)(to.cell >> 16 & 0xFF) - (int64_t)(from.cell >> 16 & 0xFF);
    return (RealmWay){
        blocks_x * REALM_RAW(REALM_BLOCK_SIZE) + to.x.raw - from.x.raw,
        blocks_y * REALM_RAW(REALM_BLOCK_SIZE) + to.y.raw - from.y.raw,
        (int64_t)to.z.raw - from.z.raw,
    };
}

/// Level distance squared, or UINT64_MAX from 1,024 units on, where nobody asks how far it is.
static inline uint64_t realm_way_square(RealmWay way)
{
    int64_t limit = INT64_C(1024) * 65536;
    if (way.x >= limit || way.x <= -limit || way.y >= limit || way.y <= -limit) {
        return UINT64_MAX;
    }
    return (uint64_t)(way.x * way.x) + (uint64_t)(way.y * way.y);
}

static inline bool realm_way_is_within(RealmWay way, int32_t radius_raw)
{
    return realm_way_square(way) <= (uint64_t)((int64_t)radius_raw * radius_raw);
}

/// The direction of a way; its far ends are cut, which moves no direction by more than the table's own error.
static inline tp_angle realm_way_angle(RealmWay way)
{
    while (way.x > INT32_MAX || way.x < -INT32_MAX || way.y > INT32_MAX || way.y < -INT32_MAX) {
        way.x /= 2;
        way.y /= 2;
    }
    return tp_atan2((tp_fx){ (int32_t)way.y }, (tp_fx){ (int32_t)way.x });
}

/// The game's sections for reading.
typedef struct RealmGameView {
    const RealmGame     *game;
    const RealmPlayer   *players;
    const RealmCreature *creatures;
    const RealmShot     *shots;
    const RealmDoor     *doors;
    uint32_t player_count, creature_count, shot_count, door_count;
} RealmGameView;

static inline RealmGameView realm_game_open(const void *state, const uint32_t *section_offset, const uint32_t *section_count)
{
    const unsigned char *bytes = state;
    return (RealmGameView){
        .game           = (const void *)(bytes + section_offset[REALM_SECTION_GAME]),
        .players        = (const void *)(bytes + section_offset[REALM_SECTION_PLAYERS]),
        .creatures      = (const void *)(bytes + section_offset[REALM_SECTION_CREATURES]),
        .shots          = (const void *)(bytes + section_offset[REALM_SECTION_SHOTS]),
        .doors          = (const void *)(bytes + section_offset[REALM_SECTION_DOORS]),
        .player_count   = section_count[REALM_SECTION_PLAYERS],
        .creature_count = section_count[REALM_SECTION_CREATURES],
        .shot_count     = section_count[REALM_SECTION_SHOTS],
        .door_count     = section_count[REALM_SECTION_DOORS],
    };
}

/// NULL, or what is wrong with the game's sections of a state whose ranges and engine sections hold. realm_game_validate.c
const char *realm_game_validate(const void *state, const tp_context *context);
