// checksum.c: which hash, and which build of XXH3. The question whether this processor has AVX2 is answered from a
// word that the compiler's runtime fills before main, so there is nothing to initialise and no race.
#include "tickproof/checksum.h"

#include "tickproof/fault.h"
#include "bytes.h"
#include "xxh3_impl.h"

// Up to here XXH3 uses no vectors (its XXH3_MIDSIZE_MAX), so the base build is as fast and needs no question.
enum { SHORT_SIZE_MAX = 240 };

static bool has_avx2(void)
{
#ifdef TP_HAVE_AVX2
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

#ifndef TP_HAVE_AVX2
uint64_t xxh3_avx2_hash64(const void *data, size_t size)
{
    return xxh3_base_hash64(data, size);
}

tp_hash128 xxh3_avx2_hash128(const void *data, size_t size)
{
    return xxh3_base_hash128(data, size);
}
#endif

const char *tp_hash_algorithm_name(tp_hash_algorithm algorithm)
{
    switch (algorithm) {
    case TP_HASH_XXH3: return "xxh3";
    case TP_HASH_FNV1A128: return "fnv1a128";
    }
    return NULL;
}

uint64_t tp_hash64(tp_hash_algorithm algorithm, const void *data, size_t size)
{
    if (algorithm == TP_HASH_XXH3) {
        return size <= SHORT_SIZE_MAX || !has_avx2() ? xxh3_base_hash64(data, size) : xxh3_avx2_hash64(data, size);
    }
    const tp_hash128 hash = tp_hash128_of(algorithm, data, size);
    return hash.lo ^ hash.hi;
}

tp_hash128 tp_hash128_of(tp_hash_algorithm algorithm, const void *data, size_t size)
{
    if (algorithm == TP_HASH_XXH3) {
        return size <= SHORT_SIZE_MAX || !has_avx2() ? xxh3_base_hash128(data, size) : xxh3_avx2_hash128(data, size);
    }
    if (algorithm != TP_HASH_FNV1A128) {
        TP_FAULT(TP_FAULT_DOMAIN, "tp_hash: unknown algorithm");
    }
    return tp_fnv128_add(tp_fnv128_start(), data, size);
}

void tp_hash128_to_bytes(tp_hash128 hash, uint8_t out[16])
{
    bytes_put_u64(out, hash.lo);
    bytes_put_u64(out + 8, hash.hi);
}

tp_hash128 tp_hash128_from_bytes(const uint8_t bytes[16])
{
    return (tp_hash128){ .lo = bytes_get_u64(bytes), .hi = bytes_get_u64(bytes + 8) };
}

const char *tp_checksum_path(void)
{
    return has_avx2() ? "avx2" : xxh3_base_name();
}

bool checksum_hash_by(ChecksumPath path, const void *data, size_t size, uint64_t *hash64, tp_hash128 *hash128)
{
    if (path == CHECKSUM_PATH_AVX2) {
        if (!has_avx2()) {
            return false;
        }
        *hash64 = xxh3_avx2_hash64(data, size);
        *hash128 = xxh3_avx2_hash128(data, size);
        return true;
    }
    *hash64 = xxh3_base_hash64(data, size);
    *hash128 = xxh3_base_hash128(data, size);
    return true;
}
