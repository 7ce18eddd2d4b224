// fx.c: the integer helpers of fx.h that are too long to stand in line.
#include "tickproof/fx.h"

bool tp_mul_i64_checked(int64_t a, int64_t b, int64_t *out)
{
    const bool     is_negative = (a < 0) != (b < 0);
    // Negated as unsigned, where INT64_MIN has its magnitude.
    uint64_t       small = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t       large = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    const uint64_t limit = (uint64_t)INT64_MAX + (is_negative ? 1 : 0);

    if (small > large) {
        const uint64_t swapped = small;
        small = large;
        large = swapped;
    }
    if (small > UINT32_MAX) {
        return false; // both at least 2^32
    }
    const uint64_t upper = small * (large >> 32); // counts 2^32
    const uint64_t lower = small * (large & UINT32_MAX);
    if (upper > UINT32_MAX || lower > limit || upper << 32 > limit - lower) {
        return false;
    }
    const uint64_t magnitude = (upper << 32) + lower;
    // -1 - (m - 1): a magnitude of 2^63 has no positive int64_t to negate.
    *out = is_negative && magnitude != 0 ? -1 - (int64_t)(magnitude - 1) : (int64_t)magnitude;
    return true;
}

// Heron's iteration from above: started at a power of two not below the root it falls strictly until it meets
// the floor, and no estimate on the way is too small. At most 6 divisions for 64 bits.
uint32_t tp_isqrt_u64(uint64_t value)
{
    if (value < 2) {
        return (uint32_t)value;
    }
    const unsigned bit_count = 64u - (unsigned)__builtin_clzll(value);
    uint64_t       root = UINT64_C(1) << ((bit_count + 1) / 2);
    for (;;) {
        const uint64_t next = (root + value / root) / 2;
        if (next >= root) {
            return (uint32_t)root;
        }
        root = next;
    }
}
