// runner_eye.h: what a player sees of one tick: the rows that can still be met, its own place, the speed. Bots keep
// these instead of views, so they can act on what they saw a while ago.
#pragma once

#include "runner_state.h"

enum { RUNNER_EYE_ROWS = 4 };

typedef struct RunnerEyeRow {
    int32_t y;      ///< Q16.16 units
    uint8_t blocks; ///< bit per lane
    uint8_t coins;  ///< bit per lane
} RunnerEyeRow;

typedef struct RunnerEye {
    RunnerEyeRow rows[RUNNER_EYE_ROWS]; ///< nearest first; those that have passed the runners are left out
    uint32_t     row_count;
    int32_t      x;       ///< Q16.16 units
    int32_t      advance; ///< Q16.16 units a tick
    uint8_t      lane;
    uint8_t      phase;  ///< RunnerPhase
    uint8_t      status; ///< RunnerStatus
} RunnerEye;

/// What the runner in `slot` sees.
RunnerEye runner_eye_look(const tp_view *view, uint32_t slot);
