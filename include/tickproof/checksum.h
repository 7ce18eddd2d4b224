// checksum.h: fast 64- and 128-bit hashes for roots and leaves. They find accidents, not attackers: integrity of
// a log is signed elsewhere. Values are equal on every machine, whatever its byte order or vector unit.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A 128-bit number.
typedef struct {
    uint64_t lo, hi;
} tp_hash128;

/// Numbers are written into logs and are never reused.
typedef enum tp_hash_algorithm {
    TP_HASH_XXH3     = 1, ///< XXH3 with seed 0 and the default secret; vector units are used where present
    TP_HASH_FNV1A128 = 2, ///< FNV-1a: trivial to write again in any language, and much slower
} tp_hash_algorithm;

/// "xxh3" or "fnv1a128"; NULL for a number outside the list. Whoever reads the number from foreign bytes asks here
/// first: the functions below fault (TP_FAULT_DOMAIN) on it.
const char *tp_hash_algorithm_name(tp_hash_algorithm algorithm);

/// `data` may be NULL when `size` (bytes) is 0. XXH3: XXH3_64bits. FNV-1a-128: low half xor high half.
uint64_t   tp_hash64(tp_hash_algorithm algorithm, const void *data, size_t size);
/// XXH3: XXH3_128bits. FNV-1a-128: the number itself.
tp_hash128 tp_hash128_of(tp_hash_algorithm algorithm, const void *data, size_t size);

/// FNV-1a-128 in pieces: start, then add as often as there are pieces; every value on the way is a hash.
tp_hash128 tp_fnv128_start(void);
tp_hash128 tp_fnv128_add(tp_hash128 hash, const void *data, size_t size);

static inline bool tp_hash128_equal(tp_hash128 a, tp_hash128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/// The number in little-endian order: the 8 bytes of `lo`, then those of `hi`. (XXH3's own "canonical" form and
/// FNV's printed form are the other way round: big-endian.)
void       tp_hash128_to_bytes(tp_hash128 hash, uint8_t out[16]);
tp_hash128 tp_hash128_from_bytes(const uint8_t bytes[16]);

/// What XXH3 runs on here for long inputs: "avx512", "avx2", "sse2", "neon", "vsx" or "scalar". For reports.
const char *tp_checksum_path(void);

#ifdef __cplusplus
}
#endif
