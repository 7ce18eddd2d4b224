// fighter_state.h: the state as field tables. Four things steer the next tick: the match, the fighters, the pool of projectiles and its
// head. The number of the tick is the host's; stage and kinds are rules (fighter_data.h), chosen by the config.
#pragma once

#include "fighter.h"

#include "tickproof/pool.h"

/// Sections, in the order of the world's table.
typedef enum FighterSection {
    FIGHTER_SECTION_MATCH           = 0,
    FIGHTER_SECTION_FIGHTERS        = 1,
    FIGHTER_SECTION_PROJECTILE_POOL = 2,
    FIGHTER_SECTION_PROJECTILES     = 3,
    FIGHTER_SECTION_COUNT           = 4,
} FighterSection;

/// Who a fighter is. The config says so, slot by slot; it is not state.
typedef enum FighterKindName {
    FIGHTER_KIND_VALE  = 0, ///< middle: the numbers of the first revision
    FIGHTER_KIND_WISP  = 1, ///< light and quick, floats
    FIGHTER_KIND_BOAR  = 2, ///< heavy and slow, hits hard
    FIGHTER_KIND_COUNT = 3,
} FighterKindName;
extern const char *const fighter_kind_names[FIGHTER_KIND_COUNT];

/// What a fighter is doing. One list makes the enum, the names in dumps and the keys of the data file.
/// The last column: G stands on a surface, A is in the air, B either, N is not on the stage.
#define FIGHTER_ACTION_LIST(X)          \
    X(ABSENT,         "absent",         N) /* nobody has the slot */                             \
    X(OUT,            "out",            N) /* no lives left in this match */                     \
    X(KO,             "ko",             N) /* past a blast zone, comes back */                   \
    X(RESPAWN,        "respawn",        A) /* hangs above the stage until it moves */            \
    X(IDLE,           "idle",           G)                                                       \
    X(WALK,           "walk",           G)                                                       \
    X(DASH,           "dash",           G) /* first ticks of running; may turn back at once */   \
    X(RUN,            "run",            G)                                                       \
    X(TURN,           "turn",           G) /* out of a run */                                    \
    X(CROUCH,         "crouch",         G)                                                       \
    X(JUMP_SQUAT,     "jump-squat",     G)                                                       \
    X(AIR,            "air",            A)                                                       \
    X(HELPLESS,       "helpless",       A) /* after a recovery or an air dodge */                \
    X(LAND,           "land",           G) /* for `lag_ticks` */                                 \
    X(SHIELD,         "shield",         G)                                                       \
    X(SHIELD_STUN,    "shield-stun",    G) /* for `lag_ticks` */                                 \
    X(SHIELD_BREAK,   "shield-break",   B) /* the hop of a broken shield, and the daze after it */ \
    X(SPOT_DODGE,     "spot-dodge",     G)                                                       \
    X(ROLL_FORWARD,   "roll-forward",   G)                                                       \
    X(ROLL_BACK,      "roll-back",      G)                                                       \
    X(AIR_DODGE,      "air-dodge",      A)                                                       \
    X(LEDGE_HANG,     "ledge-hang",     A)                                                       \
    X(LEDGE_CLIMB,    "ledge-climb",    B)                                                       \
    X(JAB,            "jab",            G)                                                       \
    X(TILT_FORWARD,   "tilt-forward",   G)                                                       \
    X(TILT_UP,        "tilt-up",        G)                                                       \
    X(TILT_DOWN,      "tilt-down",      G)                                                       \
    X(SMASH_FORWARD,  "smash-forward",  G)                                                       \
    X(SMASH_UP,       "smash-up",       G)                                                       \
    X(SMASH_DOWN,     "smash-down",     G)                                                       \
    X(DASH_ATTACK,    "dash-attack",    G)                                                       \
    X(AERIAL_NEUTRAL, "aerial-neutral", A)                                                       \
    X(AERIAL_FORWARD, "aerial-forward", A)                                                       \
    X(AERIAL_BACK,    "aerial-back",    A)                                                       \
    X(AERIAL_UP,      "aerial-up",      A)                                                       \
    X(AERIAL_DOWN,    "aerial-down",    A)                                                       \
    X(SHOOT,          "shoot",          B) /* the projectile */                                  \
    X(RECOVERY,       "recovery",       A) /* special and up: rises, helpless after it */        \
    X(GRAB,           "grab",           G)                                                       \
    X(GRAB_HOLD,      "grab-hold",      G) /* holds `partner` */                                 \
    X(GRABBED,        "grabbed",        B) /* held by `partner`, or being thrown by it */        \
    X(THROW_FORWARD,  "throw-forward",  G)                                                       \
    X(THROW_BACK,     "throw-back",     G)                                                       \
    X(THROW_UP,       "throw-up",       G)                                                       \
    X(THROW_DOWN,     "throw-down",     G)                                                       \
    X(HITSTUN,        "hitstun",        B) /* for `lag_ticks`, as the next */                    \
    X(TUMBLE,         "tumble",         A) /* hard hit; lands lying */                           \
    X(DOWN,           "down",           G)                                                       \
    X(GET_UP,         "get-up",         G)                                                       \
    X(TECH,           "tech",           G)

typedef enum FighterAction {
#define FIGHTER_ACTION_VALUE(NAME, text, where) FIGHTER_ACTION_##NAME,
    FIGHTER_ACTION_LIST(FIGHTER_ACTION_VALUE)
#undef FIGHTER_ACTION_VALUE
    FIGHTER_ACTION_COUNT,
} FighterAction;
extern const char *const fighter_action_names[FIGHTER_ACTION_COUNT];

typedef enum FighterFacing { FIGHTER_FACING_LEFT = 0, FIGHTER_FACING_RIGHT = 1, FIGHTER_FACING_COUNT = 2 } FighterFacing;
extern const char *const fighter_facing_names[FIGHTER_FACING_COUNT];

/// WAITING: nobody has played yet. PLAYING: a match. OVER: it was decided; pads do nothing until the next one begins.
typedef enum FighterPhase {
    FIGHTER_PHASE_WAITING = 0,
    FIGHTER_PHASE_PLAYING = 1,
    FIGHTER_PHASE_OVER    = 2,
    FIGHTER_PHASE_COUNT   = 3,
} FighterPhase;
extern const char *const fighter_phase_names[FIGHTER_PHASE_COUNT];

#define FIGHTER_TICKS_MAX 65535

#define FIGHTER_MATCH_FIELDS(S, F, A, H)                                               \
    F(S, u64, rng, "bits", TP_ANY)                                                     \
    F(S, u64, clock_ticks, "ticks", TP_RANGE(0, INT64_MAX / 2))                        \
    F(S, u32, number, "matches", TP_ANY)                                               \
    F(S, u32, over_ticks, "ticks", TP_ANY)                                             \
    F(S, u32, winner, "slot + 1", FIGHTER_WHO_RANGE)                                   \
    F(S, u32, shots_dropped, "count", TP_ANY)                                          \
    F(S, u8, phase, "phase", TP_ENUM(FIGHTER_PHASE_COUNT, fighter_phase_names))        \
    F(S, u8, is_contested, "flag", TP_BOOL)                                            \
    A(S, u8, padding, 6, "zero", TP_ZERO)
/// `rng`: xorshift64*, never 0, stepped once a tick; no rule draws from it. `clock_ticks`: of this match, 0 in its first tick.
/// `number`: matches begun. `over_ticks`: since the end, in OVER only. `is_contested`: two or more had lives at once in this match,
/// so that it ends when one is left. `shots_dropped`: projectiles that found the pool full; stops at its largest value.
TP_STRUCT(FighterMatch, FIGHTER_MATCH_FIELDS)

#define FIGHTER_VELOCITY_RANGE TP_RANGE(-FIGHTER_RAW(FIGHTER_SPEED_MAX), FIGHTER_RAW(FIGHTER_SPEED_MAX))

#define FIGHTER_FIGHTER_FIELDS(S, F, A, H)                                                                   \
    F(S, fx, x, "units", FIGHTER_PLACE_RANGE)                                                                \
    F(S, fx, y, "units", FIGHTER_PLACE_RANGE)                                                                \
    F(S, fx, velocity_x, "units/tick", FIGHTER_VELOCITY_RANGE)                                               \
    F(S, fx, velocity_y, "units/tick", FIGHTER_VELOCITY_RANGE)                                               \
    F(S, fx, launch_x, "units/tick", FIGHTER_VELOCITY_RANGE)                                                 \
    F(S, fx, launch_y, "units/tick", FIGHTER_VELOCITY_RANGE)                                                 \
    F(S, fx, damage, "percent", TP_RANGE(0, FIGHTER_RAW(FIGHTER_DAMAGE_MAX)))                                \
    F(S, fx, shield, "health", TP_RANGE(0, FIGHTER_RAW(FIGHTER_SHIELD_MAX)))                                 \
    A(S, u64, struck, 2, "slots", TP_ANY)                                                                    \
    F(S, u16, action_tick, "ticks", TP_RANGE(0, FIGHTER_TICKS_MAX))                                          \
    F(S, u16, lag_ticks, "ticks", TP_RANGE(0, FIGHTER_TICKS_MAX))                                            \
    F(S, u16, hitlag_ticks, "ticks", TP_RANGE(0, FIGHTER_TICKS_MAX))                                         \
    F(S, u16, guard_ticks, "ticks", TP_RANGE(0, FIGHTER_TICKS_MAX))                                          \
    F(S, u16, last_buttons, "flags", TP_RANGE(0, FIGHTER_BUTTONS))                                           \
    F(S, i8, last_stick_x, "1/127", FIGHTER_STICK_RANGE)                                                     \
    F(S, i8, last_stick_y, "1/127", FIGHTER_STICK_RANGE)                                                     \
    F(S, i8, last_c_x, "1/127", FIGHTER_STICK_RANGE)                                                         \
    F(S, i8, last_c_y, "1/127", FIGHTER_STICK_RANGE)                                                         \
    F(S, u8, tilt_x_ticks, "ticks", TP_ANY)                                                                  \
    F(S, u8, tilt_y_ticks, "ticks", TP_ANY)                                                                  \
    F(S, u8, tech_ticks, "ticks", TP_ANY)                                                                    \
    F(S, u8, action, "action", TP_ENUM(FIGHTER_ACTION_COUNT, fighter_action_names))                          \
    F(S, u8, facing, "facing", TP_ENUM(FIGHTER_FACING_COUNT, fighter_facing_names))                          \
    F(S, u8, surface, "surface + 1", TP_RANGE(0, 16))                                                        \
    F(S, u8, ledge, "ledge + 1", TP_RANGE(0, 4))                                                             \
    F(S, u8, ledge_wait_ticks, "ticks", TP_ANY)                                                              \
    F(S, u8, dropping, "surface + 1", TP_RANGE(0, 16))                                                       \
    F(S, u8, jumps_left, "count", TP_RANGE(0, 8))                                                            \
    F(S, u8, is_fast_falling, "flag", TP_BOOL)                                                               \
    F(S, u8, is_launched, "flag", TP_BOOL)                                                                   \
    F(S, u8, stocks, "lives", TP_RANGE(0, FIGHTER_STOCKS_MAX))                                               \
    F(S, u8, strike_part, "part", TP_ANY)                                                                    \
    F(S, u8, partner, "slot + 1", FIGHTER_WHO_RANGE)                                                         \
    F(S, u8, last_hit_by, "slot + 1", FIGHTER_WHO_RANGE)                                                     \
    A(S, u8, stale, FIGHTER_STALE_COUNT, "action + 1", TP_RANGE(0, FIGHTER_ACTION_COUNT))                    \
    F(S, u8, is_here, "flag", TP_BOOL)                                                                       \
    F(S, u16, kos, "count", TP_ANY)                                                                          \
    F(S, u16, falls, "count", TP_ANY)                                                                        \
    F(S, u32, last_match, "matches", TP_ANY)                                                                 \
    F(S, u8, is_guard_spent, "flag", TP_BOOL)                                                                \
    A(S, u8, padding, 7, "zero", TP_ZERO)
/// `x`, `y`: the feet. `velocity_*`: own motion; `launch_*`: what the last blow still gives, added to it in every move and braked by
/// itself. `struck`: a bit for every slot that the present part (`strike_part`) of the present action has struck. `action_tick`: ticks
/// in this action, 1 in its first. `lag_ticks`: what is left of LAND, SHIELD_STUN, HITSTUN, the stun of TUMBLE and the hold of GRAB_HOLD. `hitlag_ticks`:
/// frozen for so long; the launch that waits meanwhile is in `launch_*` (`is_launched`: it has not begun, influence will bend it).
/// `guard_ticks`: nothing touches it. `tilt_*_ticks`: for how long the stick has been past FIGHTER_TILT that way, 255 at most, 0 when it
/// is not. `tech_ticks`: since shield was last pressed, 255 at most. `surface`: what it stands on; 0: in the air. `ledge`: which
/// it holds. `dropping`: the platform it let itself fall through, until it is below it. `jumps_left`: in the air. `partner`: whom it holds or is
/// held by. `is_guard_spent`: a ledge has guarded it since it last stood on something or was struck; the next one does not. `stale`: the actions of its last strikes, newest first. `is_here`: its slot was taken in the tick before.
/// `last_match`: of an empty slot only, the match that was left in it; `stocks` then are the lives that wait for who comes back, one less than it left
/// with, and everything else of an empty slot is zero.
TP_STRUCT(Fighter, FIGHTER_FIGHTER_FIELDS)

#define FIGHTER_PROJECTILE_FIELDS(S, F, A, H)                                    \
    F(S, fx, x, "units", FIGHTER_PLACE_RANGE)                                    \
    F(S, fx, y, "units", FIGHTER_PLACE_RANGE)                                    \
    F(S, fx, velocity_x, "units/tick", FIGHTER_VELOCITY_RANGE)                   \
    F(S, fx, velocity_y, "units/tick", FIGHTER_VELOCITY_RANGE)                   \
    F(S, u16, life_ticks, "ticks", TP_RANGE(0, FIGHTER_TICKS_MAX))               \
    F(S, u8, owner, "slot", FIGHTER_SLOT_RANGE)                                  \
    F(S, u8, kind, "kind", TP_ENUM(FIGHTER_KIND_COUNT, fighter_kind_names))      \
    F(S, u32, padding, "zero", TP_ZERO)
/// `life_ticks`: what is left. `kind`: of the fighter that fired it, whose table says what it does.
TP_POOL_DECLARE(FighterProjectile, fighter_projectile, FIGHTER_PROJECTILE_FIELDS, "projectiles")

_Static_assert(sizeof(FighterMatch) == 40, "FighterMatch changed: raise the world's revision");
_Static_assert(sizeof(Fighter) == 104, "Fighter changed: raise the world's revision");
_Static_assert(sizeof(FighterProjectile) == 32, "FighterProjectile changed: raise the world's revision");

/// The block as typed pointers: a view of one step, never kept.
typedef struct FighterState {
    FighterMatch         *match;
    Fighter              *fighters;
    uint32_t              fighter_count;
    FighterProjectilePool projectiles;
} FighterState;

static inline FighterState fighter_state_open(void *block, const tp_context *context)
{
    return (FighterState){
        .match         = tp_section_at(context, block, FIGHTER_SECTION_MATCH),
        .fighters      = tp_section_at(context, block, FIGHTER_SECTION_FIGHTERS),
        .fighter_count = context->section_count[FIGHTER_SECTION_FIGHTERS],
        .projectiles   = { .head     = tp_section_at(context, block, FIGHTER_SECTION_PROJECTILE_POOL),
                           .slots    = tp_section_at(context, block, FIGHTER_SECTION_PROJECTILES),
                           .capacity = context->section_count[FIGHTER_SECTION_PROJECTILES] },
    };
}
