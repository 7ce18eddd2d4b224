// The generators against published and recorded outputs, and what they do at the edges of their arguments.
#include "tickproof/rng.h"

#include <criterion/criterion.h>

Test(rng, splitmix64_outputs)
{
    static const uint64_t expected[] = { UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4), UINT64_C(0x06c45d188009454f) };
    uint64_t state = 0;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(tp_splitmix64_next(&state), expected[i]);
    }
    state = 1234567;
    cr_assert_eq(tp_splitmix64_next(&state), UINT64_C(6457827717110365317));
    cr_assert_eq(tp_splitmix64_next(&state), UINT64_C(3203168211198807973));
}

Test(rng, xorshift64s_outputs)
{
    static const struct { uint64_t value; uint32_t outputs[4]; } rows[] = {
        { 0, { 0x47e4ce4b, 0xabcfa6a8, 0xb9d10d8f, 0x4db418a0 } },
        { 1, { 0x47e4ce4b, 0xabcfa6a8, 0xb9d10d8f, 0x4db418a0 } },
        { UINT64_C(0x9e3779b97f4a7c15), { 0x0d83b3e2, 0x54c44c79, 0xa845f342, 0x7d6e0b87 } },
        { 12345, { 0x9857fb32, 0xc0ceba4b, 0x1399ce5b, 0xbc6f73fb } },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tp_xorshift64s generator = tp_xorshift64s_from_state(rows[i].value);
        tp_xorshift64s fractions = generator;
        for (int j = 0; j < 4; j++) {
            cr_assert_eq(tp_xorshift64s_next_u32(&generator), rows[i].outputs[j], "row %zu output %d", i, j);
            cr_assert_eq(tp_xorshift64s_next_fx(&fractions).raw, (int32_t)(rows[i].outputs[j] >> 16));
        }
        cr_assert_eq(generator.state, fractions.state);
    }
}

Test(rng, xorshift64s_seeds)
{
    cr_assert_eq(tp_xorshift64s_from_state(6).state, tp_xorshift64s_from_state(7).state, "aliasing is part of the format");
    cr_assert_eq(tp_xorshift64s_from_seed(0).state, UINT64_C(0xe220a8397b1dcdaf));
    for (uint64_t seed = 0; seed < 2000; seed += 2) {
        tp_xorshift64s even = tp_xorshift64s_from_seed(seed), odd = tp_xorshift64s_from_seed(seed + 1);
        const uint32_t a = tp_xorshift64s_next_u32(&even);
        const uint32_t b = tp_xorshift64s_next_u32(&odd);
        cr_assert_neq(a, b, "seed %d", (int)seed);
    }
    // The one seed whose mixed value is 0: the counter starts one step before 0, and 0 mixes to 0.
    cr_assert_neq(tp_xorshift64s_from_seed(0 - UINT64_C(0x9e3779b97f4a7c15)).state, 0);
}

Test(rng, pcg32_outputs)
{
    static const struct { uint64_t seed, stream; uint32_t outputs[4]; } rows[] = {
        { 42, 54, { 0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293 } },
        { 0, 0, { 0xe4c14788, 0x379c6516, 0x5c4ab3bb, 0x601d23e0 } },
        { 0xC0FFEE, 0, { 0xea2d62e7, 0x6eed06f8, 0xbe9d8133, 0xbc6924ca } },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tp_pcg32 generator = tp_pcg32_make(rows[i].seed, rows[i].stream);
        tp_pcg32 fractions = generator;
        for (int j = 0; j < 4; j++) {
            cr_assert_eq(tp_pcg32_next(&generator), rows[i].outputs[j], "row %zu output %d", i, j);
            cr_assert_eq(tp_pcg32_fx(&fractions).raw, (int32_t)(rows[i].outputs[j] >> 16));
        }
    }
}

// Goal: the bounded draw is exactly "redraw below (2^32 - b) mod b, then mod b", draw for draw.
Test(rng, below_rejects_by_the_rule)
{
    static const uint32_t bounds[] = { 1, 2, 3, 6, 100, 65536, 0x80000000, 0x80000001, 0xC0000000, 0xFFFFFFFF };
    int redraws = 0;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        tp_pcg32       generator = tp_pcg32_make(i, 1), plain = generator;
        const uint32_t threshold = (uint32_t)((UINT64_C(0x100000000) - bounds[i]) % bounds[i]);
        int            mismatches = 0;
        for (int j = 0; j < 5000; j++) {
            uint32_t word = tp_pcg32_next(&plain);
            while (word < threshold) {
                word = tp_pcg32_next(&plain);
                redraws++;
            }
            mismatches += tp_pcg32_below(&generator, bounds[i]) != word % bounds[i];
            mismatches += generator.state != plain.state;
        }
        cr_assert_eq(mismatches, 0, "bound %u", bounds[i]);
    }
    cr_assert_gt(redraws, 1000, "the bounds above 2^31 must have rejected");
}

Test(rng, below_one_still_draws)
{
    tp_pcg32       generator = tp_pcg32_make(1, 2);
    const uint64_t before = generator.state;
    cr_assert_eq(tp_pcg32_below(&generator, 1), 0);
    cr_assert_neq(generator.state, before);
}

Test(rng, certain_chances_draw_nothing)
{
    tp_pcg32       generator = tp_pcg32_make(1, 2);
    const tp_pcg32 before = generator;
    cr_assert(!tp_pcg32_chance(&generator, 0, 100));
    cr_assert(tp_pcg32_chance(&generator, 100, 100));
    cr_assert(tp_pcg32_chance(&generator, 101, 100));
    cr_assert_eq(generator.state, before.state);

    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        hits += tp_pcg32_chance(&generator, 55, 100);
    }
    cr_assert(hits > 10700 && hits < 11300, "%d of 20000 at 55 of 100", hits);
    cr_assert_neq(generator.state, before.state);
}

Test(rng, shuffle_is_a_permutation_from_the_top)
{
    uint8_t  small[20];
    uint32_t large[20];
    for (int i = 0; i < 20; i++) {
        small[i] = (uint8_t)i;
        large[i] = (uint32_t)i;
    }
    tp_pcg32 a = tp_pcg32_make(9, 0), b = a, c = a;
    tp_pcg32_shuffle_u8(&a, small, 20);
    tp_pcg32_shuffle_u32(&b, large, 20);
    uint32_t seen = 0;
    for (int i = 0; i < 20; i++) {
        cr_assert_eq(small[i], large[i]);
        seen |= UINT32_C(1) << small[i];
    }
    cr_assert_eq(seen, 0xFFFFF);
    cr_assert_eq(a.state, b.state);
    cr_assert_eq(small[19], tp_pcg32_below(&c, 20), "the first draw chooses the last place");

    const tp_pcg32 before = a;
    tp_pcg32_shuffle_u8(&a, small, 1);
    tp_pcg32_shuffle_u8(&a, NULL, 0);
    cr_assert_eq(a.state, before.state);
}

// Goal: every order of three items is equally likely, which swapping with any place (not only those left) is not.
Test(rng, shuffle_is_even)
{
    tp_pcg32 generator = tp_pcg32_make(3, 3);
    int      counts[27] = { 0 };
    for (int i = 0; i < 60000; i++) {
        uint8_t items[3] = { 0, 1, 2 };
        tp_pcg32_shuffle_u8(&generator, items, 3);
        counts[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
    int orders = 0;
    for (int i = 0; i < 27; i++) {
        cr_assert(counts[i] == 0 || (counts[i] > 9600 && counts[i] < 10400), "order %d: %d", i, counts[i]);
        orders += counts[i] > 0;
    }
    cr_assert_eq(orders, 6);
}

static void fault_below(void *generator) { (void)tp_pcg32_below(generator, 0); }
static void fault_chance(void *generator) { (void)tp_pcg32_chance(generator, 1, 0); }
static void fault_next(void *generator) { (void)tp_pcg32_below(generator, 6); }
static void fault_xorshift(void *generator) { (void)tp_xorshift64s_next_u64(generator); }

Test(rng, misuse_faults_and_never_hangs)
{
    tp_pcg32       good = tp_pcg32_make(0, 0), forged = { 0 };
    const tp_pcg32 before = good;
    tp_xorshift64s dead = { 0 };
    tp_fault       fault = { 0 };
    cr_assert(!tp_guard_run(fault_below, &good, &fault));
    cr_assert_eq(fault.code, TP_FAULT_DOMAIN);
    cr_assert(!tp_guard_run(fault_chance, &good, &fault));
    cr_assert_eq(fault.code, TP_FAULT_DIVIDE_BY_ZERO);
    cr_assert_eq(good.state, before.state, "a refused draw draws nothing");
    cr_assert(!tp_guard_run(fault_next, &forged, &fault), "an all-zero generator would redraw for ever");
    cr_assert_eq(fault.code, TP_FAULT_DOMAIN);
    cr_assert(!tp_guard_run(fault_xorshift, &dead, &fault));
    cr_assert_eq(fault.code, TP_FAULT_DOMAIN);
}
