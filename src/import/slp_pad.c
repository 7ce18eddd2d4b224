// slp_pad.c: from the bits of a float to 127ths.
#include "slp_pad.h"

enum { FRACTION_BITS = 23, EXPONENT_ONE = 127, EXPONENT_SPECIAL = 255 };

bool slp_pad_quantise(uint32_t bits, int8_t *out)
{
    bool     is_negative = bits >> 31 != 0;
    uint32_t exponent = (bits >> FRACTION_BITS) & 0xFF;
    uint32_t fraction = bits & ((UINT32_C(1) << FRACTION_BITS) - 1);
    int      magnitude = SLP_STICK_MAX;
    if (exponent == EXPONENT_SPECIAL && fraction != 0) {
        return false;
    }
    if (exponent < EXPONENT_ONE) {
        // (1.fraction * 2^(exponent - 127)) * 127, with its point `shift` bits above the lowest one: at most 31 bits, of which a shift
        // of 32 or more leaves nothing, not even a half. That covers zero and the numbers without a leading one, too.
        uint32_t shift = FRACTION_BITS + EXPONENT_ONE - exponent;
        uint64_t product = (uint64_t)(fraction | UINT32_C(1) << FRACTION_BITS) * SLP_STICK_MAX;
        magnitude = shift >= 32 ? 0 : (int)((product + (UINT64_C(1) << (shift - 1))) >> shift);
    }
    *out = (int8_t)(is_negative ? -magnitude : magnitude);
    return true;
}

static int8_t outside(int8_t value, uint8_t zone)
{
    return value <= zone && value >= -(int)zone ? 0 : value;
}

void slp_pad_apply_dead_zone(SlpPad *pad, uint8_t zone)
{
    pad->x = outside(pad->x, zone);
    pad->y = outside(pad->y, zone);
    pad->c_x = outside(pad->c_x, zone);
    pad->c_y = outside(pad->c_y, zone);
}
