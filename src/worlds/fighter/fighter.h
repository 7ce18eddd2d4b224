// fighter.h: the platform fighter, a built-in world. Nobody to a hundred fighters of three kinds on one of three stages: they walk, jump,
// strike, shield, grab, fall off and come back. This header is what a program around the world may use: what goes in (held sticks
// and buttons), what comes out (events), the numbers of the rules and the world itself. The state is in fighter_state.h, the
// tables of kinds and stages in fighter_data.h; the rules and the decisions behind them are in README.md. Which pad plays
// in which slot is in fighter_slots.h.
#pragma once

#include "tickproof/world.h"

/// The world. 60 ticks a second is usual; its rules count ticks, so another rate is the same match, faster or slower.
extern const tp_world fighter_world;

/// A length or a speed of whole units in Q16.16 bits.
#define FIGHTER_RAW(units) ((units) * 65536)

enum {
    FIGHTER_TICK_RATE_HZ      = 60,
    FIGHTER_PLAYERS_MAX       = 100,
    FIGHTER_PROJECTILES_MAX   = 128,
    FIGHTER_STICK_MAX         = 127,
    FIGHTER_SPACE             = 512, ///< units: no coordinate of a finished tick lies further from the middle
    FIGHTER_DAMAGE_MAX        = 999, ///< percent
    FIGHTER_KNOCKBACK_MAX     = 2500,
    FIGHTER_SPEED_MAX         = 80,  ///< units a tick, of any velocity in the state; a launch of 2500 is 75
    FIGHTER_SHIELD_MAX        = 60,
    FIGHTER_STALE_COUNT       = 9,   ///< last strikes that are remembered
    FIGHTER_STOCKS_MAX        = 99,
    FIGHTER_EVENTS_MAX        = 1802, ///< of one tick; the bound is proven in fighter_world.c
};

/// Config items, in the order of the world's table.
typedef enum FighterConfig {
    FIGHTER_CONFIG_STAGE          = 0, ///< 0 hall, 1 terrace, 2 harbour
    FIGHTER_CONFIG_MIRROR         = 1, ///< 1: the stage and the places to begin at, left to right
    FIGHTER_CONFIG_STOCKS         = 2, ///< lives of a match
    FIGHTER_CONFIG_TIME_S         = 3, ///< length of a match; 0: until one is left
    FIGHTER_CONFIG_REMATCH_S      = 4, ///< from the end of a match to the next; 0: there is none
    FIGHTER_CONFIG_LAUNCH_PERCENT = 5, ///< of every knockback
    FIGHTER_CONFIG_PROJECTILES    = 6, ///< slots of the pool
    FIGHTER_CONFIG_FIGHTER_1      = 7, ///< kind of slots 0, 8, 16, ...; the next seven items are for the slots after it
    FIGHTER_CONFIG_FIGHTERS       = 8,
    FIGHTER_CONFIG_COUNT          = 15,
} FighterConfig;

// Buttons, held ones: a bit is set in every tick in which the button is down. A press is a bit that was not set in the tick before.
enum {
    FIGHTER_BUTTON_JUMP    = 1,
    FIGHTER_BUTTON_ATTACK  = 2,
    FIGHTER_BUTTON_SHIELD  = 4,
    FIGHTER_BUTTON_GRAB    = 8,
    FIGHTER_BUTTON_SPECIAL = 16,
    FIGHTER_BUTTONS        = 31,
};

#define FIGHTER_STICK_RANGE TP_RANGE(-FIGHTER_STICK_MAX, FIGHTER_STICK_MAX)
#define FIGHTER_INPUT_FIELDS(S, F, A, H)                      \
    F(S, u16, buttons, "flags", TP_RANGE(0, FIGHTER_BUTTONS)) \
    F(S, i8, stick_x, "1/127", FIGHTER_STICK_RANGE)           \
    F(S, i8, stick_y, "1/127", FIGHTER_STICK_RANGE)           \
    F(S, i8, c_x, "1/127", FIGHTER_STICK_RANGE)               \
    F(S, i8, c_y, "1/127", FIGHTER_STICK_RANGE)
/// What a pad is doing. All zero is a pad that nobody touches, and what empty and absent slots give.
TP_STRUCT(FighterInput, FIGHTER_INPUT_FIELDS)

/// What a tick reports: a closed set, so that adding one breaks every switch until it is handled. Within a tick they stand by layer, in a layer by
/// slot (README.md): who is let go by a blow is RELEASED before its HIT, and KOs come before the MATCH_ENDED that they make.
typedef enum FighterEvent {
    FIGHTER_EVENT_JOINED       = 0,
    FIGHTER_EVENT_LEFT         = 1,
    FIGHTER_EVENT_JUMPED       = 2,  ///< from the floor, a ledge, or in the air
    FIGHTER_EVENT_LANDED       = 3,
    FIGHTER_EVENT_WALL         = 4,  ///< came to a wall or a ceiling; pressing on against it says nothing more
    FIGHTER_EVENT_LEDGE        = 5,  ///< took hold of a ledge
    FIGHTER_EVENT_TECHED       = 6,
    FIGHTER_EVENT_FIRED        = 7,  ///< a projectile left
    FIGHTER_EVENT_RESPAWNED    = 8,
    FIGHTER_EVENT_HIT          = 9,
    FIGHTER_EVENT_SHIELDED     = 10, ///< a hit met a shield
    FIGHTER_EVENT_SHIELD_BROKE = 11,
    FIGHTER_EVENT_GRABBED      = 12,
    FIGHTER_EVENT_RELEASED     = 13, ///< broke free, or the hold ended for another reason
    FIGHTER_EVENT_THROWN       = 14,
    FIGHTER_EVENT_KO           = 15,
    FIGHTER_EVENT_MATCH_BEGAN  = 16,
    FIGHTER_EVENT_MATCH_ENDED  = 17,
    FIGHTER_EVENT_COUNT        = 18,
} FighterEvent;

#define FIGHTER_PLACE_RANGE TP_RANGE(-FIGHTER_RAW(FIGHTER_SPACE), FIGHTER_RAW(FIGHTER_SPACE))
#define FIGHTER_SLOT_RANGE TP_RANGE(0, FIGHTER_PLAYERS_MAX - 1)
/// A slot plus one; 0 is nobody.
#define FIGHTER_WHO_RANGE TP_RANGE(0, FIGHTER_PLAYERS_MAX)

#define FIGHTER_PLACE_FIELDS(S, F, A, H)      \
    F(S, u32, slot, "slot", FIGHTER_SLOT_RANGE) \
    F(S, fx, x, "units", FIGHTER_PLACE_RANGE) \
    F(S, fx, y, "units", FIGHTER_PLACE_RANGE)
/// JOINED to RESPAWNED: who and where, so that nobody has to look at a later state for it.
TP_STRUCT(FighterPlace, FIGHTER_PLACE_FIELDS)

#define FIGHTER_IMPACT_FIELDS(S, F, A, H)                                       \
    F(S, u32, slot, "slot", FIGHTER_SLOT_RANGE)                                 \
    F(S, u32, by, "slot + 1", FIGHTER_WHO_RANGE)                                \
    F(S, fx, x, "units", FIGHTER_PLACE_RANGE)                                   \
    F(S, fx, y, "units", FIGHTER_PLACE_RANGE)                                   \
    F(S, fx, damage, "percent", TP_RANGE(0, FIGHTER_RAW(FIGHTER_DAMAGE_MAX)))   \
    F(S, fx, knockback, "knockback", TP_RANGE(0, FIGHTER_RAW(FIGHTER_KNOCKBACK_MAX)))
/// HIT to KO: whom it happened to (`slot`), through whom (`by`), where that fighter is, what the tick added to its damage and how hard the
/// strongest blow was; both 0 where there is no blow.
TP_STRUCT(FighterImpact, FIGHTER_IMPACT_FIELDS)

#define FIGHTER_RESULT_FIELDS(S, F, A, H)          \
    F(S, u32, match, "matches", TP_ANY)            \
    F(S, u32, winner, "slot + 1", FIGHTER_WHO_RANGE)
/// MATCH_BEGAN and MATCH_ENDED: its number from 1 on, and who won; 0: nobody, or not yet.
TP_STRUCT(FighterResult, FIGHTER_RESULT_FIELDS)
