// packed.h: a state on its way, one zstd frame with its content size and a checksum: what STATE, OWN_STATE and the PIECEs behind them carry.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Compresses into memory of its own, which the caller frees. False: out of memory, and then *packed is NULL.
bool packed_make(const uint8_t *bytes, size_t size, uint8_t **packed, size_t *packed_size);
/// Whether foreign bytes are one frame of zstd's own format, all of them. What it says of its content is another question.
bool packed_is_frame(const uint8_t *packed, size_t packed_size);
