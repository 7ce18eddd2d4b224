// realm.h: a streaming world. Up to 64 players walk a land of 255 x 255 landblocks that exists around them only, fight
// creatures, enter buildings and score; every landblock comes and goes as one atomic generation of its collision.
//
// Positions are local to a landblock: a cell id, whose high half is the landblock (x, then y, one byte each), and x, y in [0, 192), z up, in
// units. Ticks are 1/30 s.
#pragma once

#include "tickproof/world.h"

enum {
    REALM_TICK_RATE_HZ = 30,
    REALM_PLAYERS_MAX = 64,
    REALM_BLOCK_SIZE = 192, ///< units
    REALM_CELL_SIZE = 24,   ///< units
    REALM_WORLD_MAX = 255,  ///< landblocks on a side
};

/// Buttons of one tick, held down.
typedef enum RealmButton {
    REALM_BUTTON_JUMP = 1,
    REALM_BUTTON_ATTACK = 2, ///< strikes what is close and in front
    REALM_BUTTON_SHOOT = 4,  ///< a bolt the way the player looks
    REALM_BUTTON_USE = 8,    ///< opens or closes the nearest door
    REALM_BUTTONS = 15,
} RealmButton;

#define REALM_INPUT_FIELDS(S, F, A, H)                              \
    F(S, i8, move_x, "1/127 of full", TP_RANGE(-127, 127))          \
    F(S, i8, move_y, "1/127 of full", TP_RANGE(-127, 127))          \
    F(S, angle, look, "turn", TP_ANY)                               \
    F(S, u8, buttons, "held", TP_RANGE(0, REALM_BUTTONS))           \
    F(S, u8, padding, "zero", TP_ZERO)
/// `move` is along the axes of the world, not of the player; longer than 127 together counts as 127.
TP_STRUCT(RealmInput, REALM_INPUT_FIELDS)

/// Config items, in the order of the world's table.
typedef enum RealmConfig {
    REALM_CONFIG_BLOCKS,        ///< landblocks that anything is known of
    REALM_CONFIG_RESIDENTS,     ///< landblocks that are active or being prepared for the first time
    REALM_CONFIG_LEAVES,        ///< generations in memory: active, staged, retiring
    REALM_CONFIG_CELLS,         ///< indoor cells
    REALM_CONFIG_BUILDINGS,
    REALM_CONFIG_OWNERS,        ///< dynamics and statics together
    REALM_CONFIG_DYNAMICS,      ///< of them, slots kept for dynamics
    REALM_CONFIG_MEMBERS,       ///< pairs of owner and landblock it touches
    REALM_CONFIG_SETS,
    REALM_CONFIG_ROWS,
    REALM_CONFIG_DRAFTS,        ///< drafts open at once
    REALM_CONFIG_JOURNAL,       ///< slots of the ring
    REALM_CONFIG_ABANDON_TICKS, ///< an admission that has not committed after so many ticks is cancelled
    REALM_CONFIG_WORK_UNITS,    ///< work units of one tick
    REALM_CONFIG_WIDTH,         ///< landblocks of the land in x
    REALM_CONFIG_HEIGHT,        ///< and in y
    REALM_CONFIG_RING,          ///< landblocks around a player that are brought in
    REALM_CONFIG_ARRIVAL,       ///< 1: a landblock is published only after a content command for it
    REALM_CONFIG_CREATURES,
    REALM_CONFIG_SHOTS,
    REALM_CONFIG_DOORS,
    REALM_CONFIG_DUELS,         ///< 1: players hurt each other
    REALM_CONFIG_COUNT,
} RealmConfig;

/// Commands.
typedef enum RealmCommand {
    REALM_COMMAND_CONTENT = 0, ///< the content of a landblock has arrived
    REALM_COMMAND_RELOAD = 1,  ///< an active landblock is prepared again, as its next variant
    REALM_COMMAND_FAIL = 2,    ///< the next publication fails: after admission, or after staging
    REALM_COMMAND_HALT = 3,    ///< stops the match by a fault
    REALM_COMMAND_COUNT = 4,
} RealmCommand;

#define REALM_PLACE_COMMAND_FIELDS(S, F, A, H) \
    F(S, u8, x, "landblock", TP_RANGE(0, 254)) \
    F(S, u8, y, "landblock", TP_RANGE(0, 254))
TP_STRUCT(RealmPlaceCommand, REALM_PLACE_COMMAND_FIELDS)

#define REALM_FAIL_COMMAND_FIELDS(S, F, A, H) F(S, u8, stage, "0 admission, 1 staging", TP_RANGE(0, 1))
TP_STRUCT(RealmFailCommand, REALM_FAIL_COMMAND_FIELDS)

/// Events. The first four are the collision engine's.
typedef enum RealmEvent {
    REALM_EVENT_COMMITTED = 0, ///< a generation became active: after the switch, once
    REALM_EVENT_CANCELLED = 1,
    REALM_EVENT_DEMOTED = 2,
    REALM_EVENT_WITHDRAWN = 3,
    REALM_EVENT_JOINED = 4,
    REALM_EVENT_LEFT = 5,
    REALM_EVENT_HIT = 6,      ///< `who` hurt `whom`
    REALM_EVENT_DIED = 7,     ///< `whom` died, `who` gets the score
    REALM_EVENT_RESPAWNED = 8,
    REALM_EVENT_SHOT = 9,
    REALM_EVENT_JUMPED = 10,
    REALM_EVENT_LANDED = 11,
    REALM_EVENT_ENTERED = 12, ///< a player came from outdoors into a building
    REALM_EVENT_DOOR = 13,    ///< a door opened (amount 1) or closed (0)
    REALM_EVENT_COUNT = 14,
} RealmEvent;

/// Why an admission ended without a commit.
typedef enum RealmReason {
    REALM_REASON_CALLER = 0,
    REALM_REASON_NEWER = 1,     ///< a newer admission of the same landblock
    REALM_REASON_DEMOTED = 2,
    REALM_REASON_WITHDRAWN = 3,
    REALM_REASON_RESET = 4,
    REALM_REASON_ABANDONED = 5, ///< its deadline passed
    REALM_REASON_LIMIT = 6,     ///< a pool was too full for it
    REALM_REASON_COUNT = 7,
} RealmReason;
extern const char *const realm_reason_names[REALM_REASON_COUNT];

#define REALM_BLOCK_EVENT_FIELDS(S, F, A, H)                                \
    F(S, u64, generation, "generation", TP_ANY)                             \
    F(S, u32, block, "landblock", TP_ANY)                                   \
    F(S, u32, owners, "count", TP_ANY)                                      \
    F(S, u8, reason, "reason", TP_ENUM(REALM_REASON_COUNT, realm_reason_names)) \
    A(S, u8, padding, 7, "zero", TP_ZERO)
/// `block` is prefix << 16 | 0xFFFF. `owners`: COMMITTED only, owners whose rows the draft brought. `reason`: CANCELLED only.
TP_STRUCT(RealmBlockEvent, REALM_BLOCK_EVENT_FIELDS)

#define REALM_GAME_EVENT_FIELDS(S, F, A, H)          \
    F(S, u32, who, "slot + 1 or creature", TP_ANY)   \
    F(S, u32, whom, "slot + 1 or creature", TP_ANY)  \
    F(S, u32, cell, "cell", TP_ANY)                  \
    F(S, fx, x, "units", TP_ANY)                     \
    F(S, fx, y, "units", TP_ANY)                     \
    F(S, fx, z, "units", TP_ANY)                     \
    F(S, i32, amount, "points", TP_ANY)
/// `who` and `whom`: a player's slot + 1; a creature's index + REALM_CREATURE_BASE; 0 nobody.
TP_STRUCT(RealmGameEvent, REALM_GAME_EVENT_FIELDS)
enum { REALM_CREATURE_BASE = 1000 };

extern const tp_world realm_world;
