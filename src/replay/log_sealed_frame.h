// log_sealed_frame.h: what taking a frame apart and putting it together have to agree on.
#pragma once

#include "log_sealed.h"

/// Types by their code in the column of heads.
enum { SEALED_TYPES = 11 };
extern const uint32_t sealed_types[SEALED_TYPES];

/// The tick that a record of this type has unless it says otherwise, and what is expected behind it.
uint64_t sealed_tick_guess(uint64_t expected, uint32_t type);
uint64_t sealed_tick_after(uint64_t tick, uint32_t type, const uint8_t *payload, uint32_t size);

/// Remembers what an input leaf would hash of this row. False: no memory.
bool sealed_row_remember(SealedFrame *frame, const LogRowShape *shape, const uint8_t *row, size_t size);
/// XORs the input leaf that follows from the last row out of a LEAVES record's `leaves`, or back in.
void sealed_leaves_input(const SealedFrame *frame, const SealedShape *shape, uint8_t *leaves, uint32_t size);
/// The same for the root that follows from the leaves as they are in the raw log. `frame->leaves` has room for the largest record.
void sealed_leaves_root(SealedFrame *frame, const SealedShape *shape, uint64_t tick, const uint8_t *leaves, uint32_t size, uint8_t root[LOG_ROOT_SIZE]);
