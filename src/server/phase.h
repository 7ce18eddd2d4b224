// phase.h: when within a period the ticks of a room fall due. Rooms of a thread are spread over the period by their place, in steps of
// SERVER_PHASE_NS: they never fall due all at once, however they came to run, and neighbours, which one client with many rooms is likely to be in,
// share wake-ups and what is written in them.
#pragma once

#include <stdint.h>

/// The last moment at or before `now_ns` at which a room in this place of `count` may begin a period. Phases count from whole seconds of the
/// clock, since no period need be whole nanoseconds: rooms of one rate and phase fall due together whenever each began. rate_hz 1 to 100,000,
/// place below count, now_ns at least a second.
int64_t phase_start_ns(int64_t now_ns, uint32_t rate_hz, uint32_t place, uint32_t count);
