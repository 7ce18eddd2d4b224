// xxh3_base.c: XXH3 with the vector unit that the build's target always has (SSE2 on x86-64), or none.
#include "xxh3_impl.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t xxh3_base_hash64(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

tp_hash128 xxh3_base_hash128(const void *data, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return (tp_hash128){ .lo = hash.low64, .hi = hash.high64 };
}

const char *xxh3_base_name(void)
{
    switch (XXH_VECTOR) {
    case XXH_SSE2: return "sse2";
    case XXH_AVX2: return "avx2";
    case XXH_AVX512: return "avx512";
    case XXH_NEON: return "neon";
    case XXH_VSX: return "vsx";
    default: return "scalar";
    }
}
