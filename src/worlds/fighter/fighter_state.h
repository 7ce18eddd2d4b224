// fighter_state.h: the state as field tables. Three things steer the next tick: the generator, the stage and the fighters.
// The number of the tick is the host's.
#pragma once

#include "fighter.h"

/// Sections, in the order of the world's table.
typedef enum FighterSection {
    FIGHTER_SECTION_MATCH    = 0,
    FIGHTER_SECTION_STAGE    = 1,
    FIGHTER_SECTION_FIGHTERS = 2,
    FIGHTER_SECTION_COUNT    = 3,
} FighterSection;

/// What a fighter is doing. HITSTUN has no way in until there is combat.
typedef enum FighterLabel {
    FIGHTER_LABEL_IDLE     = 0,
    FIGHTER_LABEL_WALK     = 1,
    FIGHTER_LABEL_AIRBORNE = 2,
    FIGHTER_LABEL_HITSTUN  = 3,
    FIGHTER_LABEL_COUNT    = 4,
} FighterLabel;
extern const char *const fighter_label_names[FIGHTER_LABEL_COUNT];

typedef enum FighterFacing { FIGHTER_FACING_LEFT = 0, FIGHTER_FACING_RIGHT = 1, FIGHTER_FACING_COUNT = 2 } FighterFacing;
extern const char *const fighter_facing_names[FIGHTER_FACING_COUNT];

/// EMPTY: nobody has the slot; its fighter stands or falls. JOINING: here, and still holds the jump button it came
/// with. PLAYING: here, and jump jumps.
typedef enum FighterSeat {
    FIGHTER_SEAT_EMPTY   = 0,
    FIGHTER_SEAT_JOINING = 1,
    FIGHTER_SEAT_PLAYING = 2,
    FIGHTER_SEAT_COUNT   = 3,
} FighterSeat;
extern const char *const fighter_seat_names[FIGHTER_SEAT_COUNT];

#define FIGHTER_MATCH_FIELDS(S, F, A, H) F(S, u64, rng, "bits", TP_ANY)
/// xorshift64*, never 0. Stepped once a tick; no rule draws from it yet.
TP_STRUCT(FighterMatch, FIGHTER_MATCH_FIELDS)

#define FIGHTER_STAGE_FIELDS(S, F, A, H)                                                                          \
    F(S, fx, floor, "units", TP_RANGE(FIGHTER_RAW(FIGHTER_STAGE_FLOOR), FIGHTER_RAW(FIGHTER_STAGE_FLOOR)))        \
    F(S, fx, left, "units", TP_RANGE(FIGHTER_RAW(FIGHTER_STAGE_LEFT), FIGHTER_RAW(FIGHTER_STAGE_LEFT)))           \
    F(S, fx, right, "units", TP_RANGE(FIGHTER_RAW(FIGHTER_STAGE_RIGHT), FIGHTER_RAW(FIGHTER_STAGE_RIGHT)))
/// There is one stage, so its ranges have one value; the step reads it from here all the same.
TP_STRUCT(FighterStage, FIGHTER_STAGE_FIELDS)

#define FIGHTER_FIGHTER_FIELDS(S, F, A, H)                                                       \
    F(S, fx, x, "units", FIGHTER_X_RANGE)                                                        \
    F(S, fx, y, "units", FIGHTER_Y_RANGE)                                                        \
    F(S, fx, velocity_x, "units/tick", TP_RANGE(-FIGHTER_SPEED_RAW, FIGHTER_SPEED_RAW))          \
    F(S, fx, velocity_y, "units/tick", TP_RANGE(-FIGHTER_JUMP_RAW, FIGHTER_JUMP_RAW))            \
    F(S, u8, label, "label", TP_ENUM(FIGHTER_LABEL_COUNT, fighter_label_names))                  \
    F(S, u8, facing, "facing", TP_ENUM(FIGHTER_FACING_COUNT, fighter_facing_names))              \
    F(S, u8, seat, "seat", TP_ENUM(FIGHTER_SEAT_COUNT, fighter_seat_names))                      \
    F(S, u8, padding, "zero", TP_ZERO)
/// `x`, `y` are the feet. Velocities are those of the last move: 0 where the floor or a wall ended it.
TP_STRUCT(Fighter, FIGHTER_FIGHTER_FIELDS)

_Static_assert(sizeof(FighterMatch) == 8, "FighterMatch grew: raise the world's revision");
_Static_assert(sizeof(FighterStage) == 12, "FighterStage grew: raise the world's revision");
_Static_assert(sizeof(Fighter) == 20, "Fighter grew: raise the world's revision");

/// The block as typed pointers: a view of one step, never kept.
typedef struct FighterState {
    FighterMatch *match;
    FighterStage *stage;
    Fighter      *fighters;
    uint32_t      fighter_count;
} FighterState;

static inline FighterState fighter_state_open(void *block, const tp_context *context)
{
    return (FighterState){
        .match         = tp_section_at(context, block, FIGHTER_SECTION_MATCH),
        .stage         = tp_section_at(context, block, FIGHTER_SECTION_STAGE),
        .fighters      = tp_section_at(context, block, FIGHTER_SECTION_FIGHTERS),
        .fighter_count = context->section_count[FIGHTER_SECTION_FIGHTERS],
    };
}
