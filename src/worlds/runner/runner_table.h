// runner_table.h: the one curve of the rules, as committed integers.
#pragma once

#include <stdint.h>

enum {
    RUNNER_DECAY_SECONDS        = 320, ///< past this the excess of a gap is below its last bit at any course speed
    RUNNER_DECAY_TICKS_A_SECOND = 120,
};

/// Part of the rules: the world lists it as content, so it is bound into every root.
extern const uint32_t runner_decay_table[RUNNER_DECAY_SECONDS + 1];

/// e^(-tick / 3600) in units of 2^-31, straight between the table's entries (at most 0.014 % too high), falling
/// from 2^31 at tick 0 and 0 from RUNNER_DECAY_SECONDS on.
uint32_t runner_decay_at(uint64_t tick);
