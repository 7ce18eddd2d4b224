// crc32c.h: CRC-32C (Castagnoli), which guards single records against torn and rotten bytes. Reflected, initial
// value and final xor all ones, as in iSCSI (RFC 3720) and ext4.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Start with crc 0. Pieces chain: crc32c(crc32c(0, a), b) is the value of a followed by b. `data` may be NULL
/// when `size` (bytes) is 0.
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

/// The two ways crc32c() chooses between, for tests. The second may only be called where it is available.
uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t size);
bool     crc32c_has_instruction(void);
uint32_t crc32c_by_instruction(uint32_t crc, const void *data, size_t size);
