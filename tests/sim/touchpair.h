// touchpair.h: two sims of the touch world that do the same things, one believing what it is told and one taking everything whole.
#pragma once

#include "sim_internal.h"
#include "touchworld.h"

typedef struct {
    tp_sim *told, *whole;
} TouchPair;

enum { TOUCHPAIR_RING = 5, TOUCHPAIR_RECOVER = 7 };

tp_setup  touchpair_setup(uint64_t seed);
/// Fails the test when a sim cannot be made.
TouchPair touchpair_make(uint64_t seed);
void      touchpair_finish(TouchPair *pair);
/// One tick of both; the same status is asserted and returned.
tp_sim_status touchpair_step(TouchPair *pair, uint8_t action, uint8_t place);
/// Blocks equal bit for bit, ring places equal in everything, roots and leaves equal when `is_hashed`.
void touchpair_check_equal(TouchPair *pair, bool is_hashed);
/// The invariant of SimTouch, over every page and every leaf.
void touchpair_check_maps(const tp_sim *sim);
