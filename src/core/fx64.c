// fx64.c: the Q32.32 operations that need more than 64 bits on the way. Everything works on magnitudes in
// two 64-bit limbs and applies the sign last, so each rounding is a decision that can be read here.
#include "tickproof/fx.h"

typedef struct {
    uint64_t high;
    uint64_t low;
} Wide;

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/// False where the signed value does not fit; INT64_MIN fits.
static bool signed_of(uint64_t magnitude, bool is_negative, tp_fx64 *out)
{
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return false;
    }
    // -1 - (m - 1): a magnitude of 2^63 has no positive int64_t to negate.
    out->raw = is_negative && magnitude != 0 ? -1 - (int64_t)(magnitude - 1) : (int64_t)magnitude;
    return true;
}

static Wide wide_multiply(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32;
    const uint64_t b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t bottom = a0 * b0;
    // Cannot carry out: (2^32 - 1)^2 + 2 (2^32 - 1) is 2^64 - 1, and each sum adds at most one such term.
    const uint64_t cross = a1 * b0 + (bottom >> 32);
    const uint64_t middle = a0 * b1 + (cross & UINT32_MAX);
    return (Wide){ .high = a1 * b1 + (cross >> 32) + (middle >> 32), .low = middle << 32 | (bottom & UINT32_MAX) };
}

/// One 32-bit digit of a long division: `*rest` * 2^32 + digit, divided by a divisor whose top bit is set;
/// `*rest` is below the divisor and stays so. The estimate by the divisor's upper half is at most 2 too large
/// (Knuth, The Art of Computer Programming, volume 2, 4.3.1, theorem B).
static uint64_t divide_digit(uint64_t *rest, uint64_t digit, uint64_t divisor)
{
    const uint64_t upper = divisor >> 32, lower = divisor & UINT32_MAX;
    uint64_t       estimate = *rest / upper;
    uint64_t       left = *rest % upper;

    // No product wraps: the estimate is at most 2^32 + 1, and (2^32 + 1)(2^32 - 1) is 2^64 - 1. One of 2^32 or more
    // always fails the test, since rest < divisor then puts `left` below `lower`.
    while (estimate * lower > (left << 32 | digit)) {
        estimate--;
        left += upper;
        if (left > UINT32_MAX) {
            break; // left * 2^32 now exceeds every estimate * lower
        }
    }
    // Wraps on purpose: the true difference is below the divisor, so 64 bits hold it.
    *rest = (*rest << 32 | digit) - estimate * divisor;
    return estimate;
}

/// floor(dividend / divisor). False for a zero divisor and where the quotient exceeds 64 bits.
static bool wide_divide(Wide dividend, uint64_t divisor, uint64_t *quotient)
{
    if (dividend.high >= divisor) {
        return false; // a divisor of 0 always ends here
    }
    if (dividend.high == 0) {
        *quotient = dividend.low / divisor;
        return true;
    }
    const unsigned shift = (unsigned)__builtin_clzll(divisor);
    if (shift > 0) {
        dividend.high = dividend.high << shift | dividend.low >> (64 - shift);
        dividend.low <<= shift;
        divisor <<= shift;
    }
    uint64_t       rest = dividend.high;
    const uint64_t upper = divide_digit(&rest, dividend.low >> 32, divisor);
    const uint64_t lower = divide_digit(&rest, dividend.low & UINT32_MAX, divisor);
    *quotient = upper << 32 | lower;
    return true;
}

/// |a * b| in Q32.32, rounded down. False where it exceeds 64 bits.
static bool multiply_magnitudes(tp_fx64 a, tp_fx64 b, uint64_t *magnitude, bool *has_rest)
{
    const Wide product = wide_multiply(magnitude_of(a.raw), magnitude_of(b.raw));
    *magnitude = product.high << 32 | product.low >> 32;
    *has_rest = (product.low & UINT32_MAX) != 0;
    return product.high >> 32 == 0;
}

bool tp_fx64_mul_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out)
{
    const bool is_negative = (a.raw < 0) != (b.raw < 0);
    uint64_t   magnitude;
    bool       has_rest;
    if (!multiply_magnitudes(a, b, &magnitude, &has_rest)) {
        return false;
    }
    // Floor of a negative is away from zero. UINT64_MAX would wrap to a valid 0, so refuse it first.
    if (is_negative && has_rest) {
        if (magnitude > (uint64_t)INT64_MAX) {
            return false;
        }
        magnitude++;
    }
    return signed_of(magnitude, is_negative, out);
}

bool tp_fx64_mul_sym_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out)
{
    uint64_t magnitude;
    bool     has_rest;
    if (!multiply_magnitudes(a, b, &magnitude, &has_rest) || magnitude > (uint64_t)INT64_MAX) {
        return false;
    }
    return signed_of(magnitude, (a.raw < 0) != (b.raw < 0), out);
}

bool tp_fx64_div_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out)
{
    const uint64_t dividend = magnitude_of(a.raw);
    uint64_t       quotient;
    if (!wide_divide((Wide){ .high = dividend >> 32, .low = dividend << 32 }, magnitude_of(b.raw), &quotient)) {
        return false;
    }
    return signed_of(quotient, (a.raw < 0) != (b.raw < 0), out);
}

bool tp_fx64_div_sym_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out)
{
    tp_fx64 quotient;
    if (!tp_fx64_div_checked(a, b, &quotient) || quotient.raw == INT64_MIN) {
        return false;
    }
    *out = quotient;
    return true;
}

bool tp_fx64_muldiv_checked(tp_fx64 a, tp_fx64 b, tp_fx64 c, tp_fx64 *out)
{
    const bool is_negative = ((a.raw < 0) != (b.raw < 0)) != (c.raw < 0);
    uint64_t   quotient;
    if (!wide_divide(wide_multiply(magnitude_of(a.raw), magnitude_of(b.raw)), magnitude_of(c.raw), &quotient)) {
        return false;
    }
    return signed_of(quotient, is_negative, out);
}

// The root of raw * 2^32, in three steps. (1) Scale raw by 4^k to at least 2^61: the root scales by 2^k, and a
// floor of a floor is the floor. (2) s = isqrt(raw), rest = raw - s^2 <= 2 s; then root = s * 2^16 + about
// rest * 2^15 / s. (3) What the linear step ignores, (2^16)^2 / (2^17 s) < 1, makes it at most one too large.
bool tp_fx64_sqrt_checked(tp_fx64 a, tp_fx64 *out)
{
    if (a.raw <= 0) {
        if (a.raw == 0) {
            out->raw = 0;
        }
        return a.raw == 0;
    }
    const unsigned half_shift = (unsigned)(__builtin_clzll((uint64_t)a.raw) - 1) / 2;
    const uint64_t scaled = (uint64_t)a.raw << (2 * half_shift);
    const uint64_t coarse = tp_isqrt_u64(scaled);
    const uint64_t rest = scaled - coarse * coarse;
    uint64_t       root = (coarse << 16) + (rest << 15) / coarse;
    const Wide     square = wide_multiply(root, root);
    const Wide     target = { .high = scaled >> 32, .low = scaled << 32 };
    if (square.high > target.high || (square.high == target.high && square.low > target.low)) {
        root--;
    }
    out->raw = (int64_t)(root >> half_shift);
    return true;
}
