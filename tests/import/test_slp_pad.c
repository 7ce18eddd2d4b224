// Sticks from bits: against floating point, which the room itself must not use.
#include "slp_pad.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static int quantise(float value)
{
    int8_t out = 99;
    cr_assert(slp_pad_quantise(bits_of(value), &out));
    return out;
}

// The same rule said with doubles, in which the product is exact.
static int expected(float value)
{
    double product = fabs((double)value) * 127;
    int    magnitude = product >= 127 ? 127 : (int)floor(product + 0.5);
    return value < 0 ? -magnitude : magnitude;
}

Test(slp_pad, table)
{
    cr_assert_eq(quantise(0.0f), 0);
    cr_assert_eq(quantise(-0.0f), 0);
    cr_assert_eq(quantise(1.0f), 127);
    cr_assert_eq(quantise(-1.0f), -127);
    cr_assert_eq(quantise(0.5f), 64, "63.5 goes away from zero");
    cr_assert_eq(quantise(-0.5f), -64);
    cr_assert_eq(quantise(nextafterf(0.5f, 0)), 63);
    cr_assert_eq(quantise(0.28125f), 36);
    cr_assert_eq(quantise(0.9921875f), 126);
    cr_assert_eq(quantise(nextafterf(1.0f / 254, 1)), 1);
    cr_assert_eq(quantise(0.0039f), 0);
    cr_assert_eq(quantise(1.5f), 127);
    cr_assert_eq(quantise(-1e30f), -127);
    cr_assert_eq(quantise(INFINITY), 127);
    cr_assert_eq(quantise(-INFINITY), -127);
    cr_assert_eq(quantise(1e-45f), 0);
}

// Goal: every exponent and sign, with fractions that are spread over all bits.
Test(slp_pad, equals_floating_point)
{
    uint64_t checked = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 997) {
        int8_t out = 99;
        float  value = float_of((uint32_t)bits);
        if (isnan(value)) {
            cr_assert_not(slp_pad_quantise((uint32_t)bits, &out));
            continue;
        }
        cr_assert(slp_pad_quantise((uint32_t)bits, &out));
        cr_assert_eq(out, expected(value), "bits %08x: %d, not %d", (unsigned)bits, out, expected(value));
        checked++;
    }
    cr_assert_gt(checked, 4000000);
}

// Goal: every step of 1/254 on both sides, where the halves are.
Test(slp_pad, halves)
{
    for (int step = -254; step <= 254; step++) {
        float  at = (float)step / 254.0f;
        float  around[3] = { nextafterf(at, -2), at, nextafterf(at, 2) };
        for (int i = 0; i < 3; i++) {
            cr_assert_eq(quantise(around[i]), expected(around[i]), "%a", (double)around[i]);
        }
    }
}

Test(slp_pad, not_a_number_is_refused)
{
    static const uint32_t bits[] = { 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0xFF800001, 0xFFFFFFFF };
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        int8_t out = 99;
        cr_assert_not(slp_pad_quantise(bits[i], &out));
    }
}

Test(slp_pad, dead_zone_is_a_cross_up_to_its_edge)
{
    SlpPad pad = { .x = 35, .y = -36, .c_x = -35, .c_y = 127, .trigger = 10, .buttons = 0x100 };
    slp_pad_apply_dead_zone(&pad, 35);
    cr_assert_eq(pad.x, 0);
    cr_assert_eq(pad.y, -36);
    cr_assert_eq(pad.c_x, 0);
    cr_assert_eq(pad.c_y, 127);
    cr_assert_eq(pad.trigger, 10);
    cr_assert_eq(pad.buttons, 0x100);
    SlpPad all = { .x = 127, .y = -127, .c_x = 1, .c_y = -1 };
    SlpPad same = all;
    slp_pad_apply_dead_zone(&all, 0);
    cr_assert_eq(memcmp(&all, &same, sizeof(all)), 0);
    slp_pad_apply_dead_zone(&all, 127);
    cr_assert(all.x == 0 && all.y == 0 && all.c_x == 0 && all.c_y == 0);
}
