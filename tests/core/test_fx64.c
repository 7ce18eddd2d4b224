// Q32.32 against a 128-bit oracle. The library has only two 64-bit limbs; here the compiler's own are allowed.
#include "tickproof/fx.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "tickproof/rng.h"

typedef __int128 Wide;

enum { FUZZ_ROUNDS = 400000 };

static const Wide ONE = (Wide)1 << 32;

static int64_t draw(uint64_t *state)
{
    const uint64_t word = tp_splitmix64_next(state);
    const uint64_t control = tp_splitmix64_next(state);
    const uint64_t length = control % 64;
    const uint64_t magnitude = control >> 8 & 1 ? word >> length : (UINT64_C(1) << length) + (word % 3) - 1;
    const uint64_t bits = control >> 9 & 1 ? 0 - magnitude : magnitude;
    int64_t        value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static Wide floor_div(Wide a, Wide b)
{
    const Wide quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static bool fits(Wide value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

#define EXPECT(condition, ...) \
    do {                       \
        if (!(condition)) {    \
            cr_assert_fail(__VA_ARGS__); \
        }                      \
    } while (0)

Test(fx64, agrees_with_a_wide_oracle)
{
    uint64_t state = 11;
    int      accepted_divisions = 0;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        const int64_t a = draw(&state), b = draw(&state), c = draw(&state);
        const tp_fx64 x = tp_fx64_raw(a), y = tp_fx64_raw(b), z = tp_fx64_raw(c);
        tp_fx64       out;
        bool          done, must;
        Wide          exact;

#define CHECK(call, value, condition)                                                                      \
    out.raw = 77;                                                                                          \
    done = (call);                                                                                         \
    exact = (value);                                                                                       \
    must = (condition) && fits(exact);                                                                     \
    EXPECT(done == must && out.raw == (must ? (int64_t)exact : 77),                                        \
           "%s with %" PRId64 " %" PRId64 " %" PRId64 " gave %d %" PRId64, #call, a, b, c, done, out.raw)

        CHECK(tp_fx64_add_checked(x, y, &out), (Wide)a + b, true);
        CHECK(tp_fx64_sub_checked(x, y, &out), (Wide)a - b, true);
        CHECK(tp_fx64_neg_checked(x, &out), -(Wide)a, true);
        CHECK(tp_fx64_abs_checked(x, &out), a < 0 ? -(Wide)a : a, true);
        CHECK(tp_fx64_mul_checked(x, y, &out), floor_div((Wide)a * b, ONE), true);
        CHECK(tp_fx64_mul_sym_checked(x, y, &out), (Wide)a * b / ONE, exact != INT64_MIN);
        CHECK(tp_fx64_div_checked(x, y, &out), b == 0 ? 0 : (Wide)a * ONE / b, b != 0);
        accepted_divisions += done;
        CHECK(tp_fx64_div_sym_checked(x, y, &out), b == 0 ? 0 : (Wide)a * ONE / b, b != 0 && exact != INT64_MIN);
        CHECK(tp_fx64_mul_int_checked(x, b, &out), (Wide)a * b, true);
        CHECK(tp_fx64_div_int_checked(x, b, &out), b == 0 ? 0 : (Wide)a / b, b != 0);
        CHECK(tp_fx64_muldiv_checked(x, y, z, &out), c == 0 ? 0 : (Wide)a * b / c, c != 0);
        CHECK(tp_fx64_clamp_checked(x, y, z, &out), a < b ? b : a > c ? c : a, b <= c);
#undef CHECK

        EXPECT(tp_fx64_floor(x) == (int64_t)floor_div(a, ONE), "floor of %" PRId64, a);
        EXPECT(tp_fx64_ceil(x) == (int64_t)-floor_div(-(Wide)a, ONE), "ceil of %" PRId64, a);
        EXPECT(tp_fx64_trunc(x) == (int64_t)(a / ONE), "trunc of %" PRId64, a);
        const Wide rounded = a < 0 ? -floor_div(-(Wide)a + ONE / 2, ONE) : floor_div((Wide)a + ONE / 2, ONE);
        EXPECT(tp_fx64_round(x) == (int64_t)rounded, "round of %" PRId64, a);
        EXPECT(tp_fx64_compare(x, y) == (a > b) - (a < b) && tp_fx64_less(x, y) == (a < b)
                   && tp_fx64_equal(x, y) == (a == b), "order of %" PRId64 " %" PRId64, a, b);
        EXPECT(tp_fx64_min(x, y).raw == (a < b ? a : b) && tp_fx64_max(x, y).raw == (a > b ? a : b), "ends");
    }
    cr_assert_gt(accepted_divisions, FUZZ_ROUNDS / 4, "the draws must reach the long division");
}

// Goal: the long division where its first estimate of a digit is too large, which random operands rarely reach.
Test(fx64, long_division_corrects_its_estimates)
{
    static const uint64_t divisors[] = {
        UINT64_C(0x8000000000000000), UINT64_C(0x80000000ffffffff), UINT64_C(0x8000000100000000), UINT64_C(0x7fffffffffffffff),
        UINT64_C(0x40000000ffffffff), UINT64_C(0x40000000fffffffe), UINT64_C(0x00000001ffffffff), UINT64_C(0x0000000100000001),
        UINT64_C(0x00000000ffffffff), UINT64_C(0x0000000080000000), 3, 2, 1,
    };
    uint64_t state = 12;
    for (size_t d = 0; d < sizeof(divisors) / sizeof(divisors[0]); d++) {
        for (int i = 0; i < 20000; i++) {
            const int64_t c = divisors[d] > (uint64_t)INT64_MAX ? INT64_MIN : (int64_t)divisors[d];
            // A dividend just below a multiple of the divisor: quotient digits of all ones.
            const int64_t a = i % 2 == 0 ? draw(&state) : (c == INT64_MIN ? INT64_MAX : c) - (int64_t)(i % 5);
            const int64_t b = i % 3 == 0 ? INT64_MAX - i : draw(&state);
            const Wide    exact = (Wide)a * b / c;
            tp_fx64       out = { 77 };
            const bool    done = tp_fx64_muldiv_checked(tp_fx64_raw(a), tp_fx64_raw(b), tp_fx64_raw(c), &out);
            EXPECT(done == fits(exact) && out.raw == (done ? (int64_t)exact : 77),
                   "%" PRId64 " * %" PRId64 " / %" PRId64, a, b, c);
        }
    }
}

Test(fx64, symmetric_twins_mirror)
{
    uint64_t state = 13;
    int      floor_misses = 0;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        const int64_t a = draw(&state), b = draw(&state);
        if (a == INT64_MIN) {
            continue;
        }
        const tp_fx64 x = tp_fx64_raw(a), mirrored = tp_fx64_raw(-a), y = tp_fx64_raw(b);
        tp_fx64       here = { 0 }, there = { 0 };
        bool          done = tp_fx64_mul_sym_checked(x, y, &here);
        EXPECT(done == tp_fx64_mul_sym_checked(mirrored, y, &there) && here.raw == -there.raw, "%" PRId64 " * %" PRId64, a, b);
        here = there = tp_fx64_raw(0);
        done = tp_fx64_div_sym_checked(x, y, &here);
        EXPECT(done == tp_fx64_div_sym_checked(mirrored, y, &there) && here.raw == -there.raw, "%" PRId64 " / %" PRId64, a, b);
        if (tp_fx64_mul_checked(x, y, &here) && tp_fx64_mul_checked(mirrored, y, &there)) {
            floor_misses += here.raw != -there.raw && here.raw != INT64_MIN;
        }
    }
    cr_assert_gt(floor_misses, 0, "the other family must fail this test, or it tests nothing");
}

Test(fx64, square_root_is_the_exact_floor)
{
    uint64_t state = 14;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        int64_t raw = i < 50000 ? i : draw(&state);
        if (i % 4 == 0 && i >= 50000) {
            // Just around the square of a Q32.32 number, where the floor turns.
            const Wide root = (Wide)(tp_splitmix64_next(&state) >> (17 + i % 30));
            raw = (int64_t)(root * root / ONE) + i / 4 % 2;
        }
        tp_fx64 out = { 77 };
        if (!tp_fx64_sqrt_checked(tp_fx64_raw(raw), &out)) {
            EXPECT(raw < 0 && out.raw == 77, "refused %" PRId64, raw);
            continue;
        }
        const Wide target = (Wide)raw * ONE, r = out.raw;
        EXPECT(raw >= 0 && r >= 0 && r * r <= target && (r + 1) * (r + 1) > target, "root of %" PRId64, raw);
    }
    cr_assert_eq(tp_fx64_sqrt(tp_fx64_from_int(2)).raw, 6074000999);
    cr_assert_eq(tp_fx64_sqrt(tp_fx64_raw(INT64_MAX)).raw, 199032864766430);
}

static void fault_mul(void *unused) { (void)tp_fx64_mul(tp_fx64_from_int(65536), tp_fx64_from_int(65536)); }
static void fault_div(void *unused) { (void)tp_fx64_div(tp_fx64_from_int(1), tp_fx64_raw(0)); }
static void fault_muldiv(void *unused) { (void)tp_fx64_muldiv(tp_fx64_raw(5), tp_fx64_raw(5), tp_fx64_raw(0)); }
static void fault_sqrt(void *unused) { (void)tp_fx64_sqrt(tp_fx64_raw(-1)); }
static void fault_narrow(void *unused) { (void)tp_fx_from_fx64(tp_fx64_from_int(32768)); }

Test(fx64, faults)
{
    static const struct {
        void (*body)(void *);
        tp_fault_code code;
    } rows[] = {
        { fault_mul, TP_FAULT_OVERFLOW },       { fault_div, TP_FAULT_DIVIDE_BY_ZERO }, { fault_muldiv, TP_FAULT_DIVIDE_BY_ZERO },
        { fault_sqrt, TP_FAULT_DOMAIN },        { fault_narrow, TP_FAULT_OVERFLOW },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tp_fault fault = { 0 };
        cr_assert(!tp_guard_run(rows[i].body, NULL, &fault), "row %zu did not fault", i);
        cr_assert_eq(fault.code, rows[i].code, "row %zu", i);
    }
}
