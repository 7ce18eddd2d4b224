// The integer tables against libm, which is welcome as an oracle and nowhere else.
#include "tickproof/trig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tickproof/checksum.h"
#include "tickproof/rng.h"

static const double TURN = 6.283185307179586476925;

#define EXPECT(condition, ...) \
    do {                       \
        if (!(condition)) {    \
            cr_assert_fail(__VA_ARGS__); \
        }                      \
    } while (0)

static tp_angle angle_of(int32_t raw)
{
    return tp_angle_raw((uint16_t)raw);
}

static tp_hash128 hash_of_table(const uint32_t *table)
{
    tp_hash128 hash = tp_fnv128_start();
    for (int i = 0; i <= TP_TRIG_STEPS; i++) {
        const uint8_t bytes[4] = { (uint8_t)table[i], (uint8_t)(table[i] >> 8), (uint8_t)(table[i] >> 16), (uint8_t)(table[i] >> 24) };
        hash = tp_fnv128_add(hash, bytes, sizeof(bytes));
    }
    return hash;
}

Test(trig, tables_have_their_hashes)
{
    const tp_hash128 sine = { .lo = TP_SINE_TABLE_HASH_LOW, .hi = TP_SINE_TABLE_HASH_HIGH };
    const tp_hash128 arctangent = { .lo = TP_ARCTANGENT_TABLE_HASH_LOW, .hi = TP_ARCTANGENT_TABLE_HASH_HIGH };
    cr_assert(tp_hash128_equal(hash_of_table(tp_sine_table), sine));
    cr_assert(tp_hash128_equal(hash_of_table(tp_arctangent_table), arctangent));
}

Test(trig, sine_is_within_its_bound_everywhere)
{
    double worst = 0, worst_circle = 0;
    for (int32_t raw = 0; raw < 65536; raw++) {
        const double sine = tp_sin(angle_of(raw)).raw, cosine = tp_cos(angle_of(raw)).raw;
        worst = fmax(worst, fabs(sine - 65536 * sin(TURN * raw / 65536)));
        worst = fmax(worst, fabs(cosine - 65536 * cos(TURN * raw / 65536)));
        worst_circle = fmax(worst_circle, fabs((sine * sine + cosine * cosine) / 4294967296.0 - 1));
    }
    cr_log_info("largest error of sine: %.4f / 65536, of sin^2 + cos^2: %.3g\n", worst, worst_circle);
    cr_assert_lt(worst, 0.52);
    cr_assert_lt(worst_circle, 2.2e-5);
}

Test(trig, sine_is_exactly_symmetric_and_monotonic)
{
    for (int32_t raw = 0; raw < 65536; raw++) {
        const int32_t sine = tp_sin(angle_of(raw)).raw;
        EXPECT(tp_sin(angle_of(-raw)).raw == -sine, "-%d", raw);
        EXPECT(tp_sin(angle_of(raw + TP_ANGLE_HALF)).raw == -sine, "%d + half", raw);
        EXPECT(tp_sin(angle_of(TP_ANGLE_HALF - raw)).raw == sine, "half - %d", raw);
        EXPECT(tp_cos(angle_of(raw)).raw == tp_sin(angle_of(raw + TP_ANGLE_QUARTER)).raw, "cos %d", raw);
        EXPECT(tp_cos(angle_of(-raw)).raw == tp_cos(angle_of(raw)).raw, "cos -%d", raw);
        EXPECT(raw >= TP_ANGLE_QUARTER || tp_sin(angle_of(raw + 1)).raw >= sine, "falls after %d", raw);
    }
    cr_assert_eq(tp_sin(angle_of(0)).raw, 0);
    cr_assert_eq(tp_sin(angle_of(TP_ANGLE_QUARTER)).raw, 65536);
    cr_assert_eq(tp_sin(angle_of(TP_ANGLE_HALF)).raw, 0);
    cr_assert_eq(tp_cos(angle_of(TP_ANGLE_HALF)).raw, -65536);
}

Test(trig, degrees)
{
    static const struct { int32_t degrees, sine; } rows[] = {
        { 0, 0 }, { 1, 1144 }, { 30, 32768 }, { 45, 46341 }, { 60, 56756 }, { 89, 65526 }, { 90, 65536 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const int32_t sine = tp_sin(tp_angle_from_degrees(rows[i].degrees)).raw;
        cr_assert_leq(abs(sine - rows[i].sine), 4, "sin %d gave %d", rows[i].degrees, sine);
    }
    double worst = 0;
    for (int32_t degrees = -720; degrees <= 720; degrees++) {
        const tp_angle angle = tp_angle_from_degrees(degrees);
        worst = fmax(worst, fabs(tp_sin(angle).raw - 65536 * sin(TURN * degrees / 360)));
        EXPECT(tp_angle_from_degrees(-degrees).raw == (uint16_t)-angle.raw, "-%d", degrees);
        EXPECT(tp_angle_from_degrees(degrees + 360).raw == angle.raw, "%d + 360", degrees);
        EXPECT(degrees < 0 || degrees >= 360 || angle.raw == (uint16_t)lround(degrees * 65536.0 / 360), "%d", degrees);
    }
    cr_log_info("largest error of the sine of a whole degree: %.3f / 65536\n", worst);
    cr_assert_lt(worst, 4);
    cr_assert_eq(tp_angle_from_degrees(-90).raw, 0xC000);
    cr_assert_eq(tp_angle_from_degrees(INT32_MIN).raw, tp_angle_from_degrees(-128).raw);
    cr_assert_eq(tp_angle_from_degrees(INT32_MAX).raw, tp_angle_from_degrees(127).raw);
}

Test(trig, arctangent_undoes_sine_and_cosine)
{
    for (int32_t raw = 0; raw < 65536; raw++) {
        const tp_angle back = tp_atan2(tp_sin(angle_of(raw)), tp_cos(angle_of(raw)));
        EXPECT(back.raw == raw, "%d came back as %d", raw, back.raw);
    }
}

Test(trig, arctangent_is_within_its_bound_and_mirrors)
{
    uint64_t state = 21;
    double   worst = 0;
    for (int i = 0; i < 300000; i++) {
        const uint64_t word = tp_splitmix64_next(&state);
        const int32_t  x = (int32_t)((uint32_t)word >> 1 >> (i % 31)), y = (int32_t)((uint32_t)(word >> 33) >> (i / 31 % 31));
        const tp_angle angle = tp_atan2(tp_fx_raw(y), tp_fx_raw(x));
        if (x == 0 && y == 0) {
            continue;
        }
        worst = fmax(worst, fabs(angle.raw - atan2(y, x) * 65536 / TURN));
        EXPECT(tp_atan2(tp_fx_raw(-y), tp_fx_raw(x)).raw == (uint16_t)-angle.raw, "%d %d", y, x);
        EXPECT(tp_atan2(tp_fx_raw(y), tp_fx_raw(-x)).raw == (uint16_t)(TP_ANGLE_HALF - angle.raw), "%d %d", y, x);
        EXPECT(x == y || tp_atan2(tp_fx_raw(x), tp_fx_raw(y)).raw == (uint16_t)(TP_ANGLE_QUARTER - angle.raw), "%d %d", y, x);
    }
    cr_log_info("largest error of arctangent: %.4f\n", worst);
    cr_assert_lt(worst, 0.51);
}

Test(trig, arctangent_at_the_edges)
{
    static const struct { int32_t y, x; int angle; } rows[] = {
        { 0, 0, 0 },                 { 0, 1, 0 },                   { 1, 0, 0x4000 },         { 0, -1, 0x8000 },
        { -1, 0, 0xC000 },           { 5, 5, 0x2000 },              { 5, -5, 0x6000 },        { -5, -5, 0xA000 },
        { -5, 5, 0xE000 },           { INT32_MIN, INT32_MIN, 0xA000 }, { INT32_MIN, 0, 0xC000 }, { 0, INT32_MIN, 0x8000 },
        { 1, INT32_MAX, 0 },         { INT32_MAX, 1, 0x4000 },      { -1, INT32_MIN, 0x8000 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(tp_atan2(tp_fx_raw(rows[i].y), tp_fx_raw(rows[i].x)).raw, rows[i].angle, "row %zu", i);
    }
}

Test(trig, angles_wrap)
{
    cr_assert_eq(tp_angle_add(angle_of(0xF000), angle_of(0x2000)).raw, 0x1000);
    cr_assert_eq(tp_angle_sub(angle_of(0x1000), angle_of(0x2000)).raw, 0xF000);
    cr_assert_eq(tp_angle_difference(angle_of(0x1000), angle_of(0xF000)), 0x2000);
    cr_assert_eq(tp_angle_difference(angle_of(0xF000), angle_of(0x1000)), -0x2000);
    cr_assert_eq(tp_angle_difference(angle_of(0x8000), angle_of(0)), -0x8000);
}
