// fnv128.c: FNV-1a with 128 bits (Fowler, Noll, Vo) in two 64-bit limbs. The prime is 2^88 + 0x13b.
#include "tickproof/checksum.h"

tp_hash128 tp_fnv128_start(void)
{
    return (tp_hash128){ .lo = UINT64_C(0x62b821756295c58d), .hi = UINT64_C(0x6c62272e07bb0142) };
}

tp_hash128 tp_fnv128_add(tp_hash128 hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t       lo = hash.lo, hi = hash.hi;

    for (size_t i = 0; i < size; i++) {
        lo ^= bytes[i];
        // (hi, lo) * 2^88 is lo << 24 in the upper limb; what is shifted out exceeds 128 bits.
        const uint64_t shifted = lo << 24;
        const uint64_t bottom = (lo & UINT32_MAX) * 0x13b;
        const uint64_t middle = (lo >> 32) * 0x13b + (bottom >> 32);
        lo = middle << 32 | (bottom & UINT32_MAX);
        hi = hi * 0x13b + shifted + (middle >> 32);
    }
    return (tp_hash128){ .lo = lo, .hi = hi };
}
