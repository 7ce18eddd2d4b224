// fx.h: the numbers a deterministic step may use. tp_fx is Q16.16 in 32 bits, tp_fx64 is Q32.32 in 64; both are
// structs, so `a * b` does not compile. Whatever does not fit stops the world (fault.h) instead of wrapping:
// a value that wraps the same way everywhere is wrong everywhere, and no checksum would ever see it.
//
// Operations that can fail come in two forms. `tp_fx_mul(a, b)` faults, and names the caller's file and line,
// which is why it is a macro. `bool tp_fx_mul_checked(a, b, &out)` returns false and leaves `out` alone; it is
// for tests, decoders and fuzzers. Call at most one faulting operation per expression: C leaves open which of
// two operands is computed first, hence which of two faults is reported.
//
// Two families of rounding, because each is right somewhere:
//     tp_fx_mul floors and tp_fx_div truncates. Recorded games and other implementations of this format do it.
//     tp_fx_mul_sym and tp_fx_div_sym work on magnitudes and then apply the sign: f(-a, b) == -f(a, b), always.
//     Physics uses these: with the first family a walk to the left ends one step off the mirrored walk right.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tickproof/fault.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct { int32_t raw; } tp_fx;   ///< value = raw / 65536; -32768 .. 32767.99998
typedef struct { int64_t raw; } tp_fx64; ///< value = raw / 2^32

/// Constant initialisers, good for static tables too: `static const tp_fx gravity = TP_FX_RAW(32768);`.
/// A constant out of range does not compile. In expressions use tp_fx_from_int and tp_fx_raw.
#define TP_FX(integer) { TP_FX_FITS_((integer), -32768, 32767) * (int32_t)(integer) * INT32_C(65536) }
#define TP_FX_RAW(bits) { TP_FX_FITS_((bits), INT32_MIN, INT32_MAX) * (int32_t)(bits) }
#define TP_FX64(integer) { TP_FX_FITS_((integer), INT32_MIN, INT32_MAX) * (int64_t)(integer) * INT64_C(4294967296) }
#define TP_FX64_RAW(bits) { (int64_t)(bits) }
/// 1, or an array of negative size.
#define TP_FX_FITS_(value, low, high) ((int32_t)sizeof(char[(value) >= (low) && (value) <= (high) ? 1 : -1]))

/// Defines NAME_at, the faulting form over NAME_checked. `code` sees the operands as a and b.
#define TP_FX_FAULTING_1_(type, name, A, code)                             \
    static inline type name##_at(A a, const char *file, int line)          \
    {                                                                      \
        type out;                                                          \
        if (!name##_checked(a, &out)) {                                    \
            tp_fault_raise((code), #name, file, line);                     \
        }                                                                  \
        return out;                                                        \
    }
#define TP_FX_FAULTING_2_(type, name, A, B, code)                          \
    static inline type name##_at(A a, B b, const char *file, int line)     \
    {                                                                      \
        type out;                                                          \
        if (!name##_checked(a, b, &out)) {                                 \
            tp_fault_raise((code), #name, file, line);                     \
        }                                                                  \
        return out;                                                        \
    }
#define TP_FX_FAULTING_3_(type, name, A, B, C, code)                       \
    static inline type name##_at(A a, B b, C c, const char *file, int line)\
    {                                                                      \
        type out;                                                          \
        if (!name##_checked(a, b, c, &out)) {                              \
            tp_fault_raise((code), #name, file, line);                     \
        }                                                                  \
        return out;                                                        \
    }
#define TP_FX_ZERO_OR_OVERFLOW_(divisor) ((divisor) == 0 ? TP_FAULT_DIVIDE_BY_ZERO : TP_FAULT_OVERFLOW)

// ---- Integers: what C leaves undefined or to the implementation, spelled out ----

/// floor(value / 2^bits); bits of the width or more give the limit, 0 or -1.
///     value  -5  -4  -1   0   4   5
///     >> 1   -3  -2  -1   0   2   2
static inline int32_t tp_shift_right_floor_i32(int32_t value, unsigned bits)
{
    if (bits > 31) {
        bits = 31;
    }
    return value < 0 ? ~(~value >> bits) : value >> bits;
}

static inline int64_t tp_shift_right_floor_i64(int64_t value, unsigned bits)
{
    if (bits > 63) {
        bits = 63;
    }
    return value < 0 ? ~(~value >> bits) : value >> bits;
}

static inline bool tp_add_i32_checked(int32_t a, int32_t b, int32_t *out)
{
    const int64_t sum = (int64_t)a + b;
    if (sum < INT32_MIN || sum > INT32_MAX) {
        return false;
    }
    *out = (int32_t)sum;
    return true;
}

static inline bool tp_sub_i32_checked(int32_t a, int32_t b, int32_t *out)
{
    const int64_t difference = (int64_t)a - b;
    if (difference < INT32_MIN || difference > INT32_MAX) {
        return false;
    }
    *out = (int32_t)difference;
    return true;
}

static inline bool tp_mul_i32_checked(int32_t a, int32_t b, int32_t *out)
{
    const int64_t product = (int64_t)a * b;
    if (product < INT32_MIN || product > INT32_MAX) {
        return false;
    }
    *out = (int32_t)product;
    return true;
}

static inline bool tp_add_i64_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b >= 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *out = a + b;
    return true;
}

static inline bool tp_sub_i64_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b >= 0 ? a < INT64_MIN + b : a > INT64_MAX + b) {
        return false;
    }
    *out = a - b;
    return true;
}

/// Not the compiler's builtin: for 64 bits on 32-bit machines that calls a library function some lack.
bool tp_mul_i64_checked(int64_t a, int64_t b, int64_t *out);

/// Division of integers. False for b = 0 and for INT64_MIN / -1 (its remainder is 0 and is given).
///     a, b     7,2   -7,2   7,-2   -7,-2   6,3   -6,3
///     trunc    3     -3     -3     3       2     -2
///     floor    3     -4     -4     3       2     -2
///     mod      1     1      -1     -1      0     0       a - b * floor: the sign of b
static inline bool tp_div_trunc_i64_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        return false;
    }
    *out = a / b;
    return true;
}

static inline bool tp_div_floor_i64_checked(int64_t a, int64_t b, int64_t *out)
{
    int64_t quotient;
    if (!tp_div_trunc_i64_checked(a, b, &quotient)) {
        return false;
    }
    *out = quotient - (a % b != 0 && (a < 0) != (b < 0));
    return true;
}

static inline bool tp_mod_floor_i64_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0) {
        return false;
    }
    const int64_t remainder = b == -1 ? 0 : a % b;
    *out = remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    return true;
}

TP_FX_FAULTING_2_(int32_t, tp_add_i32, int32_t, int32_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(int32_t, tp_sub_i32, int32_t, int32_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(int32_t, tp_mul_i32, int32_t, int32_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(int64_t, tp_add_i64, int64_t, int64_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(int64_t, tp_sub_i64, int64_t, int64_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(int64_t, tp_mul_i64, int64_t, int64_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(int64_t, tp_div_trunc_i64, int64_t, int64_t, TP_FX_ZERO_OR_OVERFLOW_(b))
TP_FX_FAULTING_2_(int64_t, tp_div_floor_i64, int64_t, int64_t, TP_FX_ZERO_OR_OVERFLOW_(b))
TP_FX_FAULTING_2_(int64_t, tp_mod_floor_i64, int64_t, int64_t, TP_FAULT_DIVIDE_BY_ZERO)
#define tp_add_i32(a, b) tp_add_i32_at((a), (b), __FILE__, __LINE__)
#define tp_sub_i32(a, b) tp_sub_i32_at((a), (b), __FILE__, __LINE__)
#define tp_mul_i32(a, b) tp_mul_i32_at((a), (b), __FILE__, __LINE__)
#define tp_add_i64(a, b) tp_add_i64_at((a), (b), __FILE__, __LINE__)
#define tp_sub_i64(a, b) tp_sub_i64_at((a), (b), __FILE__, __LINE__)
#define tp_mul_i64(a, b) tp_mul_i64_at((a), (b), __FILE__, __LINE__)
#define tp_div_trunc_i64(a, b) tp_div_trunc_i64_at((a), (b), __FILE__, __LINE__)
#define tp_div_floor_i64(a, b) tp_div_floor_i64_at((a), (b), __FILE__, __LINE__)
#define tp_mod_floor_i64(a, b) tp_mod_floor_i64_at((a), (b), __FILE__, __LINE__)

/// floor of the true root: 0 -> 0, 3 -> 1, 4 -> 2, 2^64 - 1 -> 2^32 - 1.
uint32_t tp_isqrt_u64(uint64_t value);

// ---- Q16.16 ----

static inline tp_fx tp_fx_raw(int32_t raw)
{
    tp_fx value = { raw };
    return value;
}

/// False where a 64-bit result leaves the 32 bits of tp_fx.
static inline bool tp_fx_narrow_checked(int64_t raw, tp_fx *out)
{
    if (raw < INT32_MIN || raw > INT32_MAX) {
        return false;
    }
    out->raw = (int32_t)raw;
    return true;
}

/// -32768 .. 32767.
static inline bool tp_fx_from_int_checked(int32_t integer, tp_fx *out)
{
    return tp_fx_narrow_checked((int64_t)integer * 65536, out);
}

static inline bool tp_fx_add_checked(tp_fx a, tp_fx b, tp_fx *out)
{
    return tp_add_i32_checked(a.raw, b.raw, &out->raw);
}

static inline bool tp_fx_sub_checked(tp_fx a, tp_fx b, tp_fx *out)
{
    return tp_sub_i32_checked(a.raw, b.raw, &out->raw);
}

static inline bool tp_fx_neg_checked(tp_fx a, tp_fx *out)
{
    return tp_sub_i32_checked(0, a.raw, &out->raw);
}

static inline bool tp_fx_abs_checked(tp_fx a, tp_fx *out)
{
    return tp_fx_narrow_checked(a.raw < 0 ? -(int64_t)a.raw : a.raw, out);
}

/// floor(a * b). In raw bits:
///     a, b     -1,1   1,1   98304,1   -98304,1   13107200,13107200
///     result   -1     0     1         -2         overflow
static inline bool tp_fx_mul_checked(tp_fx a, tp_fx b, tp_fx *out)
{
    return tp_fx_narrow_checked(tp_shift_right_floor_i64((int64_t)a.raw * b.raw, 16), out);
}

/// trunc(a / b), toward zero. In raw bits:
///     a, b     65536,196608   -65536,196608   -1,131072   INT32_MIN,-65536   13107200,1
///     result   21845          -21845          0           overflow           overflow
static inline bool tp_fx_div_checked(tp_fx a, tp_fx b, tp_fx *out)
{
    return b.raw != 0 && tp_fx_narrow_checked((int64_t)a.raw * 65536 / b.raw, out);
}

/// trunc(a * b), toward zero. A result of -32768 overflows as well: its mirror image does not fit.
///     a, b     -1,1   1,1   98304,1   -98304,1   INT32_MIN,65536
///     result   0      0     1         -1         overflow
static inline bool tp_fx_mul_sym_checked(tp_fx a, tp_fx b, tp_fx *out)
{
    const int64_t product = (int64_t)a.raw * b.raw / 65536;
    return product != INT32_MIN && tp_fx_narrow_checked(product, out);
}

/// The values of tp_fx_div, which truncates already; a result of -32768 overflows as in tp_fx_mul_sym.
static inline bool tp_fx_div_sym_checked(tp_fx a, tp_fx b, tp_fx *out)
{
    tp_fx quotient;
    if (!tp_fx_div_checked(a, b, &quotient) || quotient.raw == INT32_MIN) {
        return false;
    }
    *out = quotient;
    return true;
}

/// Exact.
static inline bool tp_fx_mul_int_checked(tp_fx a, int32_t b, tp_fx *out)
{
    return tp_mul_i32_checked(a.raw, b, &out->raw);
}

/// Toward zero.
static inline bool tp_fx_div_int_checked(tp_fx a, int32_t b, tp_fx *out)
{
    return b != 0 && tp_fx_narrow_checked((int64_t)a.raw / b, out);
}

/// trunc(a * b / c) over a 64-bit product, so a * b may leave the range of tp_fx as long as the result fits.
static inline bool tp_fx_muldiv_checked(tp_fx a, tp_fx b, tp_fx c, tp_fx *out)
{
    return c.raw != 0 && tp_fx_narrow_checked((int64_t)a.raw * b.raw / c.raw, out);
}

/// floor of the true root, exact to the last bit. False for a negative.
static inline bool tp_fx_sqrt_checked(tp_fx a, tp_fx *out)
{
    if (a.raw < 0) {
        return false;
    }
    out->raw = (int32_t)tp_isqrt_u64((uint64_t)a.raw << 16);
    return true;
}

/// False where low > high.
static inline bool tp_fx_clamp_checked(tp_fx a, tp_fx low, tp_fx high, tp_fx *out)
{
    if (low.raw > high.raw) {
        return false;
    }
    *out = a.raw < low.raw ? low : a.raw > high.raw ? high : a;
    return true;
}

TP_FX_FAULTING_1_(tp_fx, tp_fx_narrow, int64_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_1_(tp_fx, tp_fx_from_int, int32_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx, tp_fx_add, tp_fx, tp_fx, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx, tp_fx_sub, tp_fx, tp_fx, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_1_(tp_fx, tp_fx_neg, tp_fx, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_1_(tp_fx, tp_fx_abs, tp_fx, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx, tp_fx_mul, tp_fx, tp_fx, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx, tp_fx_div, tp_fx, tp_fx, TP_FX_ZERO_OR_OVERFLOW_(b.raw))
TP_FX_FAULTING_2_(tp_fx, tp_fx_mul_sym, tp_fx, tp_fx, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx, tp_fx_div_sym, tp_fx, tp_fx, TP_FX_ZERO_OR_OVERFLOW_(b.raw))
TP_FX_FAULTING_2_(tp_fx, tp_fx_mul_int, tp_fx, int32_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx, tp_fx_div_int, tp_fx, int32_t, TP_FX_ZERO_OR_OVERFLOW_(b))
TP_FX_FAULTING_3_(tp_fx, tp_fx_muldiv, tp_fx, tp_fx, tp_fx, TP_FX_ZERO_OR_OVERFLOW_(c.raw))
TP_FX_FAULTING_1_(tp_fx, tp_fx_sqrt, tp_fx, TP_FAULT_DOMAIN)
TP_FX_FAULTING_3_(tp_fx, tp_fx_clamp, tp_fx, tp_fx, tp_fx, TP_FAULT_DOMAIN)
#define tp_fx_narrow(raw) tp_fx_narrow_at((raw), __FILE__, __LINE__)
#define tp_fx_from_int(integer) tp_fx_from_int_at((integer), __FILE__, __LINE__)
#define tp_fx_add(a, b) tp_fx_add_at((a), (b), __FILE__, __LINE__)
#define tp_fx_sub(a, b) tp_fx_sub_at((a), (b), __FILE__, __LINE__)
#define tp_fx_neg(a) tp_fx_neg_at((a), __FILE__, __LINE__)
#define tp_fx_abs(a) tp_fx_abs_at((a), __FILE__, __LINE__)
#define tp_fx_mul(a, b) tp_fx_mul_at((a), (b), __FILE__, __LINE__)
#define tp_fx_div(a, b) tp_fx_div_at((a), (b), __FILE__, __LINE__)
#define tp_fx_mul_sym(a, b) tp_fx_mul_sym_at((a), (b), __FILE__, __LINE__)
#define tp_fx_div_sym(a, b) tp_fx_div_sym_at((a), (b), __FILE__, __LINE__)
#define tp_fx_mul_int(a, b) tp_fx_mul_int_at((a), (b), __FILE__, __LINE__)
#define tp_fx_div_int(a, b) tp_fx_div_int_at((a), (b), __FILE__, __LINE__)
#define tp_fx_muldiv(a, b, c) tp_fx_muldiv_at((a), (b), (c), __FILE__, __LINE__)
#define tp_fx_sqrt(a) tp_fx_sqrt_at((a), __FILE__, __LINE__)
#define tp_fx_clamp(a, low, high) tp_fx_clamp_at((a), (low), (high), __FILE__, __LINE__)

/// To integers; none of the four can overflow.
///     value   -2.5  -1.75  -0.5   0.5   1.25   2.5
///     floor   -3    -2     -1     0     1      2
///     ceil    -2    -1     0      1     2      3
///     round   -3    -2     -1     1     1      3        ties away from zero
///     trunc   -2    -1     0      0     1      2
static inline int32_t tp_fx_floor(tp_fx a)
{
    return tp_shift_right_floor_i32(a.raw, 16);
}

static inline int32_t tp_fx_ceil(tp_fx a)
{
    return tp_shift_right_floor_i32(a.raw, 16) + (a.raw % 65536 != 0);
}

static inline int32_t tp_fx_round(tp_fx a)
{
    const int64_t half = a.raw < 0 ? -32768 : 32768;
    return (int32_t)((a.raw + half) / 65536);
}

static inline int32_t tp_fx_trunc(tp_fx a)
{
    return a.raw / 65536;
}

/// -1, 0 or 1.
static inline int tp_fx_compare(tp_fx a, tp_fx b)
{
    return (a.raw > b.raw) - (a.raw < b.raw);
}

static inline bool tp_fx_less(tp_fx a, tp_fx b)
{
    return a.raw < b.raw;
}

static inline bool tp_fx_equal(tp_fx a, tp_fx b)
{
    return a.raw == b.raw;
}

static inline tp_fx tp_fx_min(tp_fx a, tp_fx b)
{
    return b.raw < a.raw ? b : a;
}

static inline tp_fx tp_fx_max(tp_fx a, tp_fx b)
{
    return b.raw > a.raw ? b : a;
}

// ---- Q32.32: the same set. Products and dividends are two 64-bit limbs, since 32-bit machines have no
//      128-bit integer. Integers are 64-bit here. ----

static inline tp_fx64 tp_fx64_raw(int64_t raw)
{
    tp_fx64 value = { raw };
    return value;
}

static inline tp_fx64 tp_fx64_from_int(int32_t integer)
{
    return tp_fx64_raw((int64_t)integer * INT64_C(4294967296));
}

static inline tp_fx64 tp_fx64_from_fx(tp_fx a)
{
    return tp_fx64_raw((int64_t)a.raw * 65536);
}

static inline bool tp_fx64_add_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out)
{
    return tp_add_i64_checked(a.raw, b.raw, &out->raw);
}

static inline bool tp_fx64_sub_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out)
{
    return tp_sub_i64_checked(a.raw, b.raw, &out->raw);
}

static inline bool tp_fx64_neg_checked(tp_fx64 a, tp_fx64 *out)
{
    return tp_sub_i64_checked(0, a.raw, &out->raw);
}

static inline bool tp_fx64_abs_checked(tp_fx64 a, tp_fx64 *out)
{
    return a.raw < 0 ? tp_sub_i64_checked(0, a.raw, &out->raw) : tp_sub_i64_checked(a.raw, 0, &out->raw);
}

bool tp_fx64_mul_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out);     ///< floor
bool tp_fx64_div_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out);     ///< toward zero
bool tp_fx64_mul_sym_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out); ///< toward zero; never INT64_MIN
bool tp_fx64_div_sym_checked(tp_fx64 a, tp_fx64 b, tp_fx64 *out); ///< toward zero; never INT64_MIN
bool tp_fx64_muldiv_checked(tp_fx64 a, tp_fx64 b, tp_fx64 c, tp_fx64 *out); ///< toward zero
bool tp_fx64_sqrt_checked(tp_fx64 a, tp_fx64 *out);               ///< floor of the true root

static inline bool tp_fx64_mul_int_checked(tp_fx64 a, int64_t b, tp_fx64 *out)
{
    return tp_mul_i64_checked(a.raw, b, &out->raw);
}

static inline bool tp_fx64_div_int_checked(tp_fx64 a, int64_t b, tp_fx64 *out)
{
    return tp_div_trunc_i64_checked(a.raw, b, &out->raw);
}

static inline bool tp_fx64_clamp_checked(tp_fx64 a, tp_fx64 low, tp_fx64 high, tp_fx64 *out)
{
    if (low.raw > high.raw) {
        return false;
    }
    *out = a.raw < low.raw ? low : a.raw > high.raw ? high : a;
    return true;
}

/// Back to Q16.16: drops 16 bits of fraction, by floor or (the symmetric twin) toward zero.
static inline bool tp_fx_from_fx64_checked(tp_fx64 a, tp_fx *out)
{
    return tp_fx_narrow_checked(tp_shift_right_floor_i64(a.raw, 16), out);
}

static inline bool tp_fx_from_fx64_sym_checked(tp_fx64 a, tp_fx *out)
{
    const int64_t raw = a.raw / 65536;
    return raw != INT32_MIN && tp_fx_narrow_checked(raw, out);
}

TP_FX_FAULTING_2_(tp_fx64, tp_fx64_add, tp_fx64, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_sub, tp_fx64, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_1_(tp_fx64, tp_fx64_neg, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_1_(tp_fx64, tp_fx64_abs, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_mul, tp_fx64, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_div, tp_fx64, tp_fx64, TP_FX_ZERO_OR_OVERFLOW_(b.raw))
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_mul_sym, tp_fx64, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_div_sym, tp_fx64, tp_fx64, TP_FX_ZERO_OR_OVERFLOW_(b.raw))
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_mul_int, tp_fx64, int64_t, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_2_(tp_fx64, tp_fx64_div_int, tp_fx64, int64_t, TP_FX_ZERO_OR_OVERFLOW_(b))
TP_FX_FAULTING_3_(tp_fx64, tp_fx64_muldiv, tp_fx64, tp_fx64, tp_fx64, TP_FX_ZERO_OR_OVERFLOW_(c.raw))
TP_FX_FAULTING_1_(tp_fx64, tp_fx64_sqrt, tp_fx64, TP_FAULT_DOMAIN)
TP_FX_FAULTING_3_(tp_fx64, tp_fx64_clamp, tp_fx64, tp_fx64, tp_fx64, TP_FAULT_DOMAIN)
TP_FX_FAULTING_1_(tp_fx, tp_fx_from_fx64, tp_fx64, TP_FAULT_OVERFLOW)
TP_FX_FAULTING_1_(tp_fx, tp_fx_from_fx64_sym, tp_fx64, TP_FAULT_OVERFLOW)
#define tp_fx64_add(a, b) tp_fx64_add_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_sub(a, b) tp_fx64_sub_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_neg(a) tp_fx64_neg_at((a), __FILE__, __LINE__)
#define tp_fx64_abs(a) tp_fx64_abs_at((a), __FILE__, __LINE__)
#define tp_fx64_mul(a, b) tp_fx64_mul_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_div(a, b) tp_fx64_div_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_mul_sym(a, b) tp_fx64_mul_sym_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_div_sym(a, b) tp_fx64_div_sym_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_mul_int(a, b) tp_fx64_mul_int_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_div_int(a, b) tp_fx64_div_int_at((a), (b), __FILE__, __LINE__)
#define tp_fx64_muldiv(a, b, c) tp_fx64_muldiv_at((a), (b), (c), __FILE__, __LINE__)
#define tp_fx64_sqrt(a) tp_fx64_sqrt_at((a), __FILE__, __LINE__)
#define tp_fx64_clamp(a, low, high) tp_fx64_clamp_at((a), (low), (high), __FILE__, __LINE__)
#define tp_fx_from_fx64(a) tp_fx_from_fx64_at((a), __FILE__, __LINE__)
#define tp_fx_from_fx64_sym(a) tp_fx_from_fx64_sym_at((a), __FILE__, __LINE__)

/// Rounded as the Q16.16 forms are.
static inline int64_t tp_fx64_floor(tp_fx64 a)
{
    return tp_shift_right_floor_i64(a.raw, 32);
}

static inline int64_t tp_fx64_ceil(tp_fx64 a)
{
    return tp_shift_right_floor_i64(a.raw, 32) + (a.raw % INT64_C(4294967296) != 0);
}

static inline int64_t tp_fx64_trunc(tp_fx64 a)
{
    return a.raw / INT64_C(4294967296);
}

static inline int64_t tp_fx64_round(tp_fx64 a)
{
    const int64_t whole = a.raw / INT64_C(4294967296);
    const int64_t fraction = a.raw % INT64_C(4294967296); // with the sign of a
    return whole + (fraction >= INT64_C(2147483648)) - (fraction <= -INT64_C(2147483648));
}

static inline int tp_fx64_compare(tp_fx64 a, tp_fx64 b)
{
    return (a.raw > b.raw) - (a.raw < b.raw);
}

static inline bool tp_fx64_less(tp_fx64 a, tp_fx64 b)
{
    return a.raw < b.raw;
}

static inline bool tp_fx64_equal(tp_fx64 a, tp_fx64 b)
{
    return a.raw == b.raw;
}

static inline tp_fx64 tp_fx64_min(tp_fx64 a, tp_fx64 b)
{
    return b.raw < a.raw ? b : a;
}

static inline tp_fx64 tp_fx64_max(tp_fx64 a, tp_fx64 b)
{
    return b.raw > a.raw ? b : a;
}

#undef TP_FX_FAULTING_1_
#undef TP_FX_FAULTING_2_
#undef TP_FX_FAULTING_3_

#ifdef __cplusplus
}
#endif
