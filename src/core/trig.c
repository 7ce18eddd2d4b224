// trig.c: look-up and linear interpolation over the tables of trig_table.c. One quadrant (sine) and one octant
// (arctangent) are stored; the rest is reflection of integers, so symmetry is exact and not a matter of rounding.
#include "tickproof/trig.h"

// Between two of 1024 nodes a line misses the sine by at most 0.02 steps of Q16.16 and the arctangent by 0.001
// angle units. The tables carry 11 and 16 bits more than the results, so there is only one rounding that counts.
enum {
    SINE_BITS        = 27, // 2^27 * 16 still fits 32 bits
    SINE_PART_BITS   = 4,  // of a quarter's 14 bits, 10 choose the node
    RATIO_BITS       = 32,
    RATIO_PART_BITS  = 22,
    ARCTANGENT_BITS  = 16,
};

tp_angle tp_angle_from_degrees(int32_t degrees)
{
    int32_t within = degrees % 360;
    if (within < 0) {
        within += 360;
    }
    return tp_angle_raw((uint16_t)((within * 65536 + 180) / 360));
}

tp_fx tp_sin(tp_angle angle)
{
    const uint32_t quarter = angle.raw / TP_ANGLE_QUARTER;
    const uint32_t past = angle.raw % TP_ANGLE_QUARTER;
    const uint32_t offset = quarter % 2 == 0 ? past : TP_ANGLE_QUARTER - past;
    const uint32_t node = offset >> SINE_PART_BITS;
    const uint32_t part = offset % (1u << SINE_PART_BITS);
    // The last node has no right neighbour and no part.
    const uint32_t blend = tp_sine_table[node] * ((1u << SINE_PART_BITS) - part)
                         + tp_sine_table[node + (part != 0)] * part;
    const unsigned drop = SINE_BITS + SINE_PART_BITS - 16;
    const int32_t  magnitude = (int32_t)((blend + (1u << (drop - 1))) >> drop);
    return tp_fx_raw(quarter < 2 ? magnitude : -magnitude);
}

tp_fx tp_cos(tp_angle angle)
{
    return tp_sin(tp_angle_add(angle, tp_angle_raw(TP_ANGLE_QUARTER)));
}

/// Angle of a direction in the first octant, 0 .. 8192. `larger` is not 0.
static uint32_t octant_angle(uint32_t smaller, uint32_t larger)
{
    const uint64_t ratio = ((uint64_t)smaller << RATIO_BITS) / larger; // 0 .. 2^32
    const uint32_t node = (uint32_t)(ratio >> RATIO_PART_BITS);
    const uint64_t part = ratio % (1u << RATIO_PART_BITS);
    const uint64_t blend = tp_arctangent_table[node] * ((UINT64_C(1) << RATIO_PART_BITS) - part)
                         + tp_arctangent_table[node + (part != 0)] * part;
    const unsigned drop = ARCTANGENT_BITS + RATIO_PART_BITS;
    return (uint32_t)((blend + (UINT64_C(1) << (drop - 1))) >> drop);
}

tp_angle tp_atan2(tp_fx y, tp_fx x)
{
    // Negated as unsigned, where INT32_MIN has its magnitude.
    const uint32_t rise = y.raw < 0 ? 0u - (uint32_t)y.raw : (uint32_t)y.raw;
    const uint32_t run = x.raw < 0 ? 0u - (uint32_t)x.raw : (uint32_t)x.raw;
    uint32_t       angle;

    if (rise == 0 && run == 0) {
        return tp_angle_raw(0);
    }
    angle = rise <= run ? octant_angle(rise, run) : TP_ANGLE_QUARTER - octant_angle(run, rise);
    angle = x.raw < 0 ? TP_ANGLE_HALF - angle : angle;
    angle = y.raw < 0 ? 0u - angle : angle;
    return tp_angle_raw((uint16_t)angle);
}
