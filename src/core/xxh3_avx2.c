// xxh3_avx2.c: XXH3 once more, compiled with -mavx2. Everything of xxhash.h is file-local here (XXH_INLINE_ALL), so
// the linker cannot give AVX2 code to a caller on an older processor.
#ifndef __AVX2__
#error "compile this file with -mavx2, or leave it and TP_HAVE_AVX2 out"
#endif

#include "xxh3_impl.h"

#define XXH_INLINE_ALL
#define XXH_VECTOR 2 // XXH_AVX2: also where -march=native would choose AVX-512
#include <xxhash.h>

_Static_assert(XXH_VECTOR == XXH_AVX2, "xxhash.h renumbered its vector kinds: give XXH_VECTOR the new number");

uint64_t xxh3_avx2_hash64(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

tp_hash128 xxh3_avx2_hash128(const void *data, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return (tp_hash128){ .lo = hash.low64, .hi = hash.high64 };
}
