// rng.c: the generators of rng.h. Unsigned arithmetic only, which wraps by definition.
#include "tickproof/rng.h"

#include <stddef.h>

// 2^64 over the golden ratio, made odd.
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static _Thread_local tp_rng_watch *watched;

void tp_rng_watch_draws(tp_rng_watch *watch)
{
    watched = watch;
}

// The multiplier of xorshift64*, for no other reason than that it mixes well.
static inline void note_draw(uint64_t number)
{
    if (watched != NULL) {
        watched->draws++;
        watched->digest = (watched->digest ^ number ^ watched->draws) * UINT64_C(0x2545f4914f6cdd1d);
        watched->digest ^= watched->digest >> 29;
    }
}

uint64_t tp_splitmix64_next(uint64_t *state)
{
    *state += GOLDEN;
    uint64_t mixed = *state;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

tp_xorshift64s tp_xorshift64s_from_state(uint64_t value)
{
    return (tp_xorshift64s){ .state = value | 1 };
}

tp_xorshift64s tp_xorshift64s_from_seed(uint64_t seed)
{
    // The mixer is one-to-one, so exactly one seed arrives at the forbidden 0. `| 1` would pair up all of them.
    const uint64_t mixed = tp_splitmix64_next(&seed);
    return (tp_xorshift64s){ .state = mixed != 0 ? mixed : GOLDEN };
}

uint64_t tp_xorshift64s_next_u64(tp_xorshift64s *generator)
{
    uint64_t state = generator->state;
    if (state == 0) {
        TP_FAULT(TP_FAULT_DOMAIN, "tp_xorshift64s: a state of 0 was never seeded");
    }
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    generator->state = state;
    const uint64_t drawn = state * UINT64_C(0x2545f4914f6cdd1d);
    note_draw(drawn);
    return drawn;
}

uint32_t tp_xorshift64s_next_u32(tp_xorshift64s *generator)
{
    return (uint32_t)(tp_xorshift64s_next_u64(generator) >> 32);
}

tp_fx tp_xorshift64s_next_fx(tp_xorshift64s *generator)
{
    return tp_fx_raw((int32_t)(tp_xorshift64s_next_u32(generator) >> 16));
}

tp_pcg32 tp_pcg32_make(uint64_t seed, uint64_t stream)
{
    tp_pcg32 generator = { .state = 0, .increment = stream << 1 | 1 };
    (void)tp_pcg32_next(&generator);
    generator.state += seed;
    (void)tp_pcg32_next(&generator);
    return generator;
}

uint32_t tp_pcg32_next(tp_pcg32 *generator)
{
    const uint64_t before = generator->state;
    if (generator->increment % 2 == 0) {
        TP_FAULT(TP_FAULT_DOMAIN, "tp_pcg32: an even increment was never seeded");
    }
    generator->state = before * UINT64_C(6364136223846793005) + generator->increment;
    // The output is made of the state before the step: the multiplication then runs beside it.
    const uint32_t folded = (uint32_t)((before >> 18 ^ before) >> 27);
    const uint32_t turn = (uint32_t)(before >> 59);
    const uint32_t drawn = folded >> turn | folded << ((32 - turn) % 32);
    note_draw(drawn);
    return drawn;
}

uint32_t tp_pcg32_below(tp_pcg32 *generator, uint32_t bound)
{
    if (bound == 0) {
        TP_FAULT(TP_FAULT_DOMAIN, "tp_pcg32_below: bound 0");
    }
    // 2^32 mod bound. At and above it lie a whole number of runs of `bound` values.
    const uint32_t threshold = (0u - bound) % bound;
    for (;;) {
        const uint32_t drawn = tp_pcg32_next(generator);
        if (drawn >= threshold) {
            return drawn % bound;
        }
    }
}

bool tp_pcg32_chance(tp_pcg32 *generator, uint32_t numerator, uint32_t denominator)
{
    if (denominator == 0) {
        TP_FAULT(TP_FAULT_DIVIDE_BY_ZERO, "tp_pcg32_chance: denominator 0");
    }
    if (numerator == 0 || numerator >= denominator) {
        return numerator != 0;
    }
    return tp_pcg32_below(generator, denominator) < numerator;
}

tp_fx tp_pcg32_fx(tp_pcg32 *generator)
{
    return tp_fx_raw((int32_t)(tp_pcg32_next(generator) >> 16));
}

void tp_pcg32_shuffle_u8(tp_pcg32 *generator, uint8_t *items, uint32_t count)
{
    for (uint32_t left = count; left > 1; left--) {
        const uint32_t chosen = tp_pcg32_below(generator, left);
        const uint8_t  last = items[left - 1];
        items[left - 1] = items[chosen];
        items[chosen] = last;
    }
}

void tp_pcg32_shuffle_u32(tp_pcg32 *generator, uint32_t *items, uint32_t count)
{
    for (uint32_t left = count; left > 1; left--) {
        const uint32_t chosen = tp_pcg32_below(generator, left);
        const uint32_t last = items[left - 1];
        items[left - 1] = items[chosen];
        items[chosen] = last;
    }
}
