// runner_plan.h: how fast the course is, how far apart rows lie and what is in them. Times are seconds and speeds
// units per second, both Q16.16 bits; every rounding here is away from the runner's disadvantage.
#pragma once

#include "runner_state.h"

/// Course tick from which the decaying part of the gap is below one bit (1/65536 s) at 100 % speed: from here on
/// the gap is exactly floor + margin. 305.4 s into a run.
#define RUNNER_GAP_PLATEAU_TICK UINT64_C(36648)

enum {
    RUNNER_SPEED_START       = 260,  ///< units a second
    RUNNER_SPEED_END         = 620,
    RUNNER_SPEED_RAMP_TICKS  = 7200, ///< 60 s
    RUNNER_CROSS_RAW         = 14418, ///< 0.22 s: two lanes
    RUNNER_MARGIN_RAW        = 3933,  ///< 0.06 s
    RUNNER_START_GAP_RAW     = 55706, ///< 0.85 s
};

/// Speed of the course: 260 to 620 units a second over 60 s, then flat; scaled by `percent`.
int32_t runner_plan_speed(uint64_t course_tick, uint32_t percent);

/// How far the course moves in one tick at this speed. Floored: at most 1/65536 unit a tick is lost.
int32_t runner_plan_advance(int32_t speed);

/// Fairness floor: to cross the board takes 0.22 s, and a row covers the runner's band for 104 units.
int32_t runner_plan_floor(int32_t speed);

/// Time between two rows at a course tick: floor + 0.06 s + what is left of the excess over that at the start,
/// 0.85 s, falling with a time constant of 30 s. Never below floor + 0.06 s, also where that is above 0.85 s.
int32_t runner_plan_gap(uint64_t course_tick, uint32_t percent);

/// Distance from a row laid at this tick to the next one, Q16.16 units. Gap and speed are those of the tick at which
/// the row will reach the runners, since that is when it has to be played.
int32_t runner_plan_spacing(uint64_t course_tick, uint32_t percent);

/// Chance that a row blocks two lanes, in 1/2^24: .05 at the start to .55 after 60 s. Not asked in the grace time.
uint32_t runner_plan_second_block_chance(uint64_t course_tick);

/// Milliseconds of a config value to whole ticks, floored.
uint32_t runner_plan_ticks(int64_t milliseconds);

/// Contents of the next row in the form of RUNNER_ROW_...; draws from the game's generator. In order: two draws of
/// a shuffle from the top, one for the second block (none in the grace time), one for the coin (none at 0 or 100 %),
/// one for the coin's lane among the free ones (drawn even when only one is).
uint8_t runner_plan_row(RunnerGame *game, const tp_setup *setup);

/// First stream of a match; and the next one, whose number is the next draw of the present one.
void runner_plan_seed(RunnerGame *game, uint64_t seed);
void runner_plan_next_stream(RunnerGame *game, uint64_t seed);
