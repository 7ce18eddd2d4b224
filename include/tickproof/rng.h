// rng.h: seeded generators whose whole state is plain fields, so a snapshot carries them. A draw changes the
// state: at most one draw per expression, and let it happen whether or not its result is used. Keep one
// generator for the rules and others for everything that players cannot be harmed by. Not for secrets.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tickproof/fx.h"

#ifdef __cplusplus
extern "C" {
#endif

/// splitmix64 (Steele, Lea, Flood 2014): a counter and a mixer. Any state is valid. Mostly to spread seeds.
uint64_t tp_splitmix64_next(uint64_t *state);

/// xorshift64* (Vigna 2016), shifts 12, 25, 27. State 0 would repeat for ever and faults (TP_FAULT_DOMAIN): it
/// comes from a forged snapshot or from a struct that nobody seeded.
typedef struct { uint64_t state; } tp_xorshift64s;

/// State = value | 1, as other implementations do it: 2k and 2k + 1 give the same numbers.
tp_xorshift64s tp_xorshift64s_from_state(uint64_t value);
/// Mixes with splitmix64 first, so neighbouring seeds have nothing in common. The one to use for new worlds.
tp_xorshift64s tp_xorshift64s_from_seed(uint64_t seed);
uint64_t       tp_xorshift64s_next_u64(tp_xorshift64s *generator);
/// The upper half of a 64-bit draw: the lowest bits are weak.
uint32_t       tp_xorshift64s_next_u32(tp_xorshift64s *generator);
/// 0 .. 65535/65536: the upper 16 bits of next_u32.
tp_fx          tp_xorshift64s_next_fx(tp_xorshift64s *generator);

/// PCG32 (O'Neill 2014; the variant XSH-RR): 2^63 streams of period 2^64. An even increment, which seeding
/// never makes, faults (TP_FAULT_DOMAIN): with one, a bounded draw might never end.
typedef struct {
    uint64_t state;
    uint64_t increment; ///< odd
} tp_pcg32;

tp_pcg32 tp_pcg32_make(uint64_t seed, uint64_t stream);
uint32_t tp_pcg32_next(tp_pcg32 *generator);

/// 0 .. bound - 1, each equally likely. Draws again, with a chance below 1/2 each time, while a draw falls
/// into the uneven rest. Bound 1 gives 0 and still draws once; bound 0 faults (TP_FAULT_DOMAIN).
uint32_t tp_pcg32_below(tp_pcg32 *generator, uint32_t bound);

/// True with probability numerator / denominator. Draws nothing when the answer is certain: 0 is never, numerator
/// >= denominator always. A rule that needs an even number of draws therefore asks below() itself. A
/// denominator of 0 faults (TP_FAULT_DIVIDE_BY_ZERO).
bool tp_pcg32_chance(tp_pcg32 *generator, uint32_t numerator, uint32_t denominator);

/// 0 .. 65535/65536: the upper 16 bits of a draw.
tp_fx tp_pcg32_fx(tp_pcg32 *generator);

/// Fisher and Yates' shuffle from the top: count - 1 bounded draws, none for 0 or 1 items.
void tp_pcg32_shuffle_u8(tp_pcg32 *generator, uint8_t *items, uint32_t count);
void tp_pcg32_shuffle_u32(tp_pcg32 *generator, uint32_t *items, uint32_t count);

/// What a thread's generators gave out since the watch was cleared. Each draw of tp_xorshift64s_next_u64 and tp_pcg32_next counts once, also those
/// that a bounded draw throws away; splitmix64 is a mixer and does not count.
typedef struct tp_rng_watch {
    uint64_t draws;
    uint64_t digest; ///< of the numbers in order; 0 before the first
} tp_rng_watch;

/// Has this thread's draws counted in `watch`, or no longer (NULL). Never changes what is drawn.
void tp_rng_watch_draws(tp_rng_watch *watch);

#ifdef __cplusplus
}
#endif
