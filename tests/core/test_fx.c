// Q16.16 and the integer helpers against a 128-bit oracle, and the rounding that recorded games rely on.
#include "tickproof/fx.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "tickproof/rng.h"

typedef __int128 Wide;

enum { FUZZ_ROUNDS = 400000 };

/// Numbers of every length, near every power of two, and the two ends.
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

static int32_t draw_i32(uint64_t *state)
{
    const uint32_t bits = (uint32_t)draw(state);
    int32_t        value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static Wide floor_div(Wide a, Wide b)
{
    const Wide quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static bool fits(Wide value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

/// Did the operation accept what it must, with the oracle's value, and leave `out` alone otherwise?
static bool agrees(bool accepted, int64_t out, int64_t before, bool must_accept, Wide expected)
{
    return accepted == must_accept && out == (must_accept ? (int64_t)expected : before);
}

#define EXPECT(condition, ...) \
    do {                       \
        if (!(condition)) {    \
            cr_assert_fail(__VA_ARGS__); \
        }                      \
    } while (0)

Test(fx, constants_initialise_static_tables)
{
    static const tp_fx   table[] = { TP_FX(0), TP_FX(3), TP_FX(-32768), TP_FX(32767), TP_FX_RAW(-1), TP_FX_RAW(INT32_MIN) };
    static const tp_fx64 wide[] = { TP_FX64(-3), TP_FX64(INT32_MIN), TP_FX64_RAW(INT64_MIN) };
    cr_assert_eq(table[1].raw, 196608);
    cr_assert_eq(table[2].raw, INT32_MIN);
    cr_assert_eq(table[3].raw, INT32_MAX - 65535);
    cr_assert_eq(table[4].raw, -1);
    cr_assert_eq(wide[0].raw, -12884901888);
    cr_assert_eq(wide[1].raw, INT64_MIN);
    cr_assert_eq(tp_fx_from_int(-32768).raw, table[2].raw);
    cr_assert_eq(tp_fx_raw(7).raw, 7);
}

Test(fx, multiply_and_divide_round_as_recorded)
{
    static const struct {
        char    operation;
        int32_t a, b, result;
        bool    fits;
    } rows[] = {
        { '*', -1, 1, -1, true },           { '*', 1, 1, 0, true },
        { '*', 98304, 1, 1, true },         { '*', -98304, 1, -2, true },
        { '*', 13107200, 13107200, 0, false },
        { '/', 65536, 196608, 21845, true }, { '/', -65536, 196608, -21845, true },
        { '/', -1, 131072, 0, true },       { '/', INT32_MIN, -65536, 0, false },
        { '/', 13107200, 1, 0, false },     { '/', 1, 0, 0, false },
        { '/', 110 * 65536, 127 * 65536, 56763, true },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tp_fx      out = { 12345 };
        const bool done = rows[i].operation == '*'
                              ? tp_fx_mul_checked(tp_fx_raw(rows[i].a), tp_fx_raw(rows[i].b), &out)
                              : tp_fx_div_checked(tp_fx_raw(rows[i].a), tp_fx_raw(rows[i].b), &out);
        cr_assert_eq(done, rows[i].fits, "row %zu", i);
        cr_assert_eq(out.raw, rows[i].fits ? rows[i].result : 12345, "row %zu gave %d", i, out.raw);
    }
}

// Goal: a stick times a speed, as the fighter does it, in both families.
Test(fx, stick_times_speed)
{
    static const struct { int stick, result; } rows[] = { { 110, 170289 }, { -110, -170289 }, { 127, 196608 }, { -128, -198156 } };
    const tp_fx full = tp_fx_from_int(127);
    for (size_t i = 0; i < 4; i++) {
        const tp_fx stick = tp_fx_div(tp_fx_from_int(rows[i].stick), full);
        cr_assert_eq(tp_fx_mul(stick, tp_fx_from_int(3)).raw, rows[i].result);
    }

    const tp_fx speed = tp_fx_raw(200000);
    const tp_fx right = tp_fx_div(tp_fx_from_int(110), full);
    const tp_fx left = tp_fx_div(tp_fx_from_int(-110), full);
    cr_assert_eq(tp_fx_mul(right, speed).raw, 173226);
    cr_assert_eq(tp_fx_mul(left, speed).raw, -173227, "the floor family is not symmetric");
    cr_assert_eq(tp_fx_mul_sym(right, speed).raw, 173226);
    cr_assert_eq(tp_fx_mul_sym(left, speed).raw, -173226);
}

Test(fx, jump_heights)
{
    static const int32_t heights[] = { 524288, 1015808, 1474560, 1900544 };
    tp_fx position = TP_FX(0), speed = TP_FX_RAW(524288);
    const tp_fx gravity = TP_FX_RAW(32768);
    int32_t apex = 0;
    int     tick = 0;
    do {
        position = tp_fx_add(position, speed);
        speed = tp_fx_sub(speed, gravity);
        if (tick < 4) {
            cr_assert_eq(position.raw, heights[tick]);
        }
        tick++;
        apex = position.raw > apex ? position.raw : apex;
    } while (position.raw > 0);
    cr_assert_eq(apex, 68 * 65536);
    cr_assert_eq(tick, 33);
}

Test(fx, agrees_with_a_wide_oracle)
{
    uint64_t state = 1;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        const int32_t a = draw_i32(&state), b = draw_i32(&state), c = draw_i32(&state);
        const tp_fx   x = tp_fx_raw(a), y = tp_fx_raw(b), z = tp_fx_raw(c);
        tp_fx         out;
        bool          done;
        Wide          exact;

#define CHECK(call, value, condition)                                                                        \
    out.raw = 77;                                                                                            \
    done = (call);                                                                                           \
    exact = (value);                                                                                         \
    EXPECT(agrees(done, out.raw, 77, (condition) && fits(exact, INT32_MIN, INT32_MAX), exact), "%s with %d %d %d", #call, a, b, c)

        CHECK(tp_fx_add_checked(x, y, &out), (Wide)a + b, true);
        CHECK(tp_fx_sub_checked(x, y, &out), (Wide)a - b, true);
        CHECK(tp_fx_neg_checked(x, &out), -(Wide)a, true);
        CHECK(tp_fx_abs_checked(x, &out), a < 0 ? -(Wide)a : a, true);
        CHECK(tp_fx_mul_checked(x, y, &out), floor_div((Wide)a * b, 65536), true);
        CHECK(tp_fx_mul_sym_checked(x, y, &out), (Wide)a * b / 65536, exact != INT32_MIN);
        CHECK(tp_fx_div_checked(x, y, &out), b == 0 ? 0 : (Wide)a * 65536 / b, b != 0);
        CHECK(tp_fx_div_sym_checked(x, y, &out), b == 0 ? 0 : (Wide)a * 65536 / b, b != 0 && exact != INT32_MIN);
        CHECK(tp_fx_mul_int_checked(x, b, &out), (Wide)a * b, true);
        CHECK(tp_fx_div_int_checked(x, b, &out), b == 0 ? 0 : (Wide)a / b, b != 0);
        CHECK(tp_fx_muldiv_checked(x, y, z, &out), c == 0 ? 0 : (Wide)a * b / c, c != 0);
        CHECK(tp_fx_from_int_checked(a, &out), (Wide)a * 65536, true);
        CHECK(tp_fx_from_fx64_checked(tp_fx64_raw((int64_t)a * b), &out), floor_div((Wide)a * b, 65536), true);
        CHECK(tp_fx_from_fx64_sym_checked(tp_fx64_raw((int64_t)a * b), &out), (Wide)a * b / 65536, exact != INT32_MIN);
        CHECK(tp_fx_clamp_checked(x, y, z, &out), a < b ? b : a > c ? c : a, b <= c);
#undef CHECK

        const int32_t floored = (int32_t)floor_div(a, 65536);
        EXPECT(tp_fx_floor(x) == floored, "floor of %d", a);
        EXPECT(tp_fx_ceil(x) == (int32_t)-floor_div(-(Wide)a, 65536), "ceil of %d", a);
        EXPECT(tp_fx_trunc(x) == (int32_t)((Wide)a / 65536), "trunc of %d", a);
        EXPECT(tp_fx_round(x) == (int32_t)(a < 0 ? -floor_div(-(Wide)a + 32768, 65536) : floor_div((Wide)a + 32768, 65536)),
               "round of %d", a);
        EXPECT(tp_fx_compare(x, y) == (a > b) - (a < b) && tp_fx_less(x, y) == (a < b) && tp_fx_equal(x, y) == (a == b),
               "order of %d %d", a, b);
        EXPECT(tp_fx_min(x, y).raw == (a < b ? a : b) && tp_fx_max(x, y).raw == (a > b ? a : b), "ends of %d %d", a, b);
        EXPECT(tp_fx64_from_fx(x).raw == (int64_t)((Wide)a * 65536), "widening %d", a);
    }
}

// Goal: f(-a, b) == -f(a, b), faults included; a symmetric world stays symmetric until both sides stop.
Test(fx, symmetric_twins_mirror)
{
    uint64_t state = 2;
    int      floor_misses = 0;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        const int32_t a = draw_i32(&state), b = draw_i32(&state);
        if (a == INT32_MIN || b == INT32_MIN) {
            continue;
        }
        tp_fx      here = { 0 }, there = { 0 };
        const bool done = tp_fx_mul_sym_checked(tp_fx_raw(a), tp_fx_raw(b), &here);
        EXPECT(done == tp_fx_mul_sym_checked(tp_fx_raw(-a), tp_fx_raw(b), &there) && here.raw == -there.raw, "%d * %d", a, b);
        EXPECT(done == tp_fx_mul_sym_checked(tp_fx_raw(a), tp_fx_raw(-b), &there) && here.raw == -there.raw, "%d * %d", a, b);
        here = there = tp_fx_raw(0);
        const bool divided = tp_fx_div_sym_checked(tp_fx_raw(a), tp_fx_raw(b), &here);
        EXPECT(divided == tp_fx_div_sym_checked(tp_fx_raw(-a), tp_fx_raw(b), &there) && here.raw == -there.raw, "%d / %d", a, b);
        if (tp_fx_mul_checked(tp_fx_raw(a), tp_fx_raw(b), &here) && tp_fx_mul_checked(tp_fx_raw(-a), tp_fx_raw(b), &there)) {
            floor_misses += here.raw != -there.raw;
        }
    }
    cr_assert_gt(floor_misses, 0, "the other family must fail this test, or it tests nothing");
}

Test(fx, rounding_to_integers)
{
    static const struct { int32_t raw, floor, ceil, round, trunc; } rows[] = {
        { -163840, -3, -2, -3, -2 }, { -114688, -2, -1, -2, -1 }, { -32768, -1, 0, -1, 0 }, { -32767, -1, 0, 0, 0 },
        { 0, 0, 0, 0, 0 },           { 32767, 0, 1, 0, 0 },       { 32768, 0, 1, 1, 0 },    { 81920, 1, 2, 1, 1 },
        { 163840, 2, 3, 3, 2 },      { INT32_MIN, -32768, -32768, -32768, -32768 },         { INT32_MAX, 32767, 32768, 32768, 32767 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const tp_fx value = tp_fx_raw(rows[i].raw);
        cr_assert_eq(tp_fx_floor(value), rows[i].floor, "row %zu", i);
        cr_assert_eq(tp_fx_ceil(value), rows[i].ceil, "row %zu", i);
        cr_assert_eq(tp_fx_round(value), rows[i].round, "row %zu", i);
        cr_assert_eq(tp_fx_trunc(value), rows[i].trunc, "row %zu", i);
    }
}

Test(fx, square_root_is_the_exact_floor)
{
    uint64_t state = 3;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        const int32_t raw = i < 70000 ? i : draw_i32(&state);
        tp_fx         root = { 77 };
        if (!tp_fx_sqrt_checked(tp_fx_raw(raw), &root)) {
            EXPECT(raw < 0 && root.raw == 77, "refused %d", raw);
            continue;
        }
        const Wide target = (Wide)raw * 65536, r = root.raw;
        EXPECT(raw >= 0 && r >= 0 && r * r <= target && (r + 1) * (r + 1) > target, "root of %d", raw);
    }
    cr_assert_eq(tp_fx_sqrt(tp_fx_from_int(2)).raw, 92681);
    cr_assert_eq(tp_fx_sqrt(tp_fx_from_int(16384)).raw, 128 * 65536);
}

Test(fx, integer_square_root)
{
    cr_assert_eq(tp_isqrt_u64(0), 0);
    cr_assert_eq(tp_isqrt_u64(UINT64_MAX), UINT32_MAX);
    uint64_t state = 4;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        // Squares and their neighbours, where a floor goes wrong first.
        const uint64_t near = (uint64_t)(uint32_t)draw(&state);
        const uint64_t value = i % 2 == 0 ? near * near - (uint64_t)(i / 2 % 2) : (uint64_t)draw(&state);
        const uint64_t root = tp_isqrt_u64(value);
        EXPECT(root * root <= value && (root == UINT32_MAX || (root + 1) * (root + 1) > value), "root of %" PRIu64, value);
    }
}

Test(fx, integer_helpers_agree_with_a_wide_oracle)
{
    cr_assert_eq(tp_shift_right_floor_i32(-5, 1), -3);
    cr_assert_eq(tp_shift_right_floor_i32(INT32_MIN, 31), -1);
    cr_assert_eq(tp_shift_right_floor_i32(INT32_MAX, 99), 0);
    cr_assert_eq(tp_shift_right_floor_i64(INT64_MIN, 200), -1);

    uint64_t state = 5;
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        const int64_t  a = draw(&state), b = draw(&state);
        const unsigned bits = (unsigned)(a & 63);
        int64_t        out;
        bool           done;
        Wide           exact;

#define CHECK(call, value, condition)                                                                         \
    out = 77;                                                                                                 \
    done = (call);                                                                                            \
    exact = (value);                                                                                          \
    EXPECT(agrees(done, out, 77, (condition) && fits(exact, INT64_MIN, INT64_MAX), exact), "%s with %" PRId64 " %" PRId64, #call, a, b)

        CHECK(tp_add_i64_checked(a, b, &out), (Wide)a + b, true);
        CHECK(tp_sub_i64_checked(a, b, &out), (Wide)a - b, true);
        CHECK(tp_mul_i64_checked(a, b, &out), (Wide)a * b, true);
        CHECK(tp_mul_i64_checked(a, (int32_t)(b % 100000), &out), (Wide)a * (b % 100000), true);
        CHECK(tp_div_trunc_i64_checked(a, b, &out), b == 0 ? 0 : (Wide)a / b, b != 0);
        CHECK(tp_div_floor_i64_checked(a, b, &out), b == 0 ? 0 : floor_div(a, b), b != 0);
        CHECK(tp_mod_floor_i64_checked(a, b, &out), b == 0 ? 0 : a - (Wide)b * floor_div(a, b), b != 0);
#undef CHECK
        EXPECT(tp_shift_right_floor_i64(b, bits) == (int64_t)floor_div(b, (Wide)1 << bits), "%" PRId64 " >> %u", b, bits);

        const int32_t c = (int32_t)(a % INT32_MAX), d = draw_i32(&state);
        EXPECT(tp_shift_right_floor_i32(d, bits % 32) == (int32_t)floor_div(d, (Wide)1 << (bits % 32)), "%d >> %u", d, bits % 32);
        // In two statements: as one call's arguments, result and `narrow` would be read in an open order.
        int32_t narrow = 77;
        done = tp_add_i32_checked(c, d, &narrow);
        EXPECT(agrees(done, narrow, 77, fits((Wide)c + d, INT32_MIN, INT32_MAX), (Wide)c + d), "%d + %d", c, d);
        narrow = 77;
        done = tp_sub_i32_checked(c, d, &narrow);
        EXPECT(agrees(done, narrow, 77, fits((Wide)c - d, INT32_MIN, INT32_MAX), (Wide)c - d), "%d - %d", c, d);
        narrow = 77;
        done = tp_mul_i32_checked(c, d, &narrow);
        EXPECT(agrees(done, narrow, 77, fits((Wide)c * d, INT32_MIN, INT32_MAX), (Wide)c * d), "%d * %d", c, d);
    }
}

// ---- Faults ----

static void fault_add(void *line)
{
    *(int *)line = __LINE__ + 1;
    (void)tp_fx_add(tp_fx_raw(INT32_MAX), tp_fx_raw(1));
}
static void fault_mul(void *unused) { (void)tp_fx_mul(tp_fx_from_int(200), tp_fx_from_int(200)); }
static void fault_neg(void *unused) { (void)tp_fx_neg(tp_fx_raw(INT32_MIN)); }
static void fault_from_int(void *unused) { (void)tp_fx_from_int(32768); }
static void fault_div(void *unused) { (void)tp_fx_div(tp_fx_from_int(1), tp_fx_raw(0)); }
static void fault_div_overflow(void *unused) { (void)tp_fx_div(tp_fx_from_int(200), tp_fx_raw(1)); }
static void fault_div_int(void *unused) { (void)tp_fx_div_int(tp_fx_raw(INT32_MIN), -1); }
static void fault_muldiv(void *unused) { (void)tp_fx_muldiv(tp_fx_from_int(1), tp_fx_from_int(1), tp_fx_raw(0)); }
static void fault_sqrt(void *unused) { (void)tp_fx_sqrt(tp_fx_raw(-1)); }
static void fault_clamp(void *unused) { (void)tp_fx_clamp(tp_fx_raw(0), tp_fx_raw(1), tp_fx_raw(0)); }
static void fault_mod(void *unused) { (void)tp_mod_floor_i64(5, 0); }
static void fault_mul_i64(void *unused) { (void)tp_mul_i64(INT64_MIN, -1); }

Test(fx, faults_name_the_operation)
{
    static const struct {
        void (*body)(void *);
        tp_fault_code code;
        const char   *what;
    } rows[] = {
        { fault_mul, TP_FAULT_OVERFLOW, "tp_fx_mul" },
        { fault_neg, TP_FAULT_OVERFLOW, "tp_fx_neg" },
        { fault_from_int, TP_FAULT_OVERFLOW, "tp_fx_from_int" },
        { fault_div, TP_FAULT_DIVIDE_BY_ZERO, "tp_fx_div" },
        { fault_div_overflow, TP_FAULT_OVERFLOW, "tp_fx_div" },
        { fault_div_int, TP_FAULT_OVERFLOW, "tp_fx_div_int" },
        { fault_muldiv, TP_FAULT_DIVIDE_BY_ZERO, "tp_fx_muldiv" },
        { fault_sqrt, TP_FAULT_DOMAIN, "tp_fx_sqrt" },
        { fault_clamp, TP_FAULT_DOMAIN, "tp_fx_clamp" },
        { fault_mod, TP_FAULT_DIVIDE_BY_ZERO, "tp_mod_floor_i64" },
        { fault_mul_i64, TP_FAULT_OVERFLOW, "tp_mul_i64" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tp_fault fault = { 0 };
        cr_assert(!tp_guard_run(rows[i].body, NULL, &fault), "row %zu did not fault", i);
        cr_assert_eq(fault.code, rows[i].code, "row %zu", i);
        cr_assert_str_eq(fault.what, rows[i].what);
    }
}

// Goal: the diagnosis points at the world's own line, not into a header.
Test(fx, faults_name_the_callers_line)
{
    int      line = 0;
    tp_fault fault = { 0 };
    cr_assert(!tp_guard_run(fault_add, &line, &fault));
    cr_assert_eq(fault.line, line);
    cr_assert_not_null(strstr(fault.file, "test_fx.c"));
}
