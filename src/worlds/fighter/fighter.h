// fighter.h: the platform fighter, a built-in world. Nobody to a hundred fighters on one flat stage: walk, jump, fall, land.
// This header is what a program around the world may use: what goes in (held sticks and buttons), what comes out
// (events), the numbers of the rules and the world itself. The state is in fighter_state.h; the rules and the decisions
// behind them are in README.md. Which pad plays in which slot is in fighter_slots.h.
#pragma once

#include "tickproof/world.h"

/// The world. 60 ticks a second is usual; its rules count ticks, so another rate is the same match, faster or slower.
extern const tp_world fighter_world;

/// A length or a speed of whole units in Q16.16 bits.
#define FIGHTER_RAW(units) ((units) * 65536)

// The stage in units, y growing upwards, and the numbers of the rules.
enum {
    FIGHTER_TICK_RATE_HZ  = 60,
    FIGHTER_PLAYERS_MAX   = 100,
    FIGHTER_STAGE_FLOOR   = 0,
    FIGHTER_STAGE_LEFT    = -200,
    FIGHTER_STAGE_RIGHT   = 200,
    FIGHTER_STICK_MAX     = 127,
    FIGHTER_GRAVITY_RAW   = 32768,  ///< units a tick and tick: 0.5
    FIGHTER_SPEED_RAW     = 196608, ///< units a tick at full stick: 3
    FIGHTER_JUMP_RAW      = 524288, ///< units a tick at take-off: 8
    FIGHTER_JUMP_TICKS    = 33,     ///< from take-off to the floor
    FIGHTER_JUMP_APEX     = 68,     ///< units, at tick 16 of a jump: as high as anybody gets
    FIGHTER_EVENTS_MAX    = 300,    ///< of one tick; the bound is proven in fighter_world.c
};

_Static_assert(FIGHTER_GRAVITY_RAW * 2 == FIGHTER_RAW(1), "gravity is 0.5");
_Static_assert(FIGHTER_SPEED_RAW == FIGHTER_RAW(3), "full stick is 3 units a tick");
_Static_assert(FIGHTER_JUMP_RAW == FIGHTER_RAW(8), "a jump begins with 8 units a tick");

// Buttons, held ones: a bit is set in every tick in which the button is down. Only jump does something so far.
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

/// What a tick reports: a closed set, so that adding one breaks every switch until it is handled.
typedef enum FighterEvent {
    FIGHTER_EVENT_JOINED = 0,
    FIGHTER_EVENT_LEFT   = 1,
    FIGHTER_EVENT_JUMPED = 2,
    FIGHTER_EVENT_LANDED = 3,
    FIGHTER_EVENT_WALL   = 4, ///< came to a wall; pressing on against it says nothing more
    FIGHTER_EVENT_COUNT  = 5,
} FighterEvent;

#define FIGHTER_X_RANGE TP_RANGE(FIGHTER_RAW(FIGHTER_STAGE_LEFT), FIGHTER_RAW(FIGHTER_STAGE_RIGHT))
#define FIGHTER_Y_RANGE TP_RANGE(FIGHTER_RAW(FIGHTER_STAGE_FLOOR), FIGHTER_RAW(FIGHTER_STAGE_FLOOR + FIGHTER_JUMP_APEX))

#define FIGHTER_PLACE_FIELDS(S, F, A, H)                              \
    F(S, u32, slot, "slot", TP_RANGE(0, FIGHTER_PLAYERS_MAX - 1))     \
    F(S, fx, x, "units", FIGHTER_X_RANGE)                             \
    F(S, fx, y, "units", FIGHTER_Y_RANGE)
/// Every event says who and where, so that nobody has to look at a later state for it.
TP_STRUCT(FighterPlace, FIGHTER_PLACE_FIELDS)
