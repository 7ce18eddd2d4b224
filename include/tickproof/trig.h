// trig.h: sine, cosine and arctangent from committed integer tables, equal on every machine. Angles are binary:
// 65536 to the full turn, so they wrap by themselves and 0x4000 is exactly a quarter. No floats, no libm: the
// tables were computed once, in exact arithmetic, by scripts/tables.py, which also checks them.
#pragma once

#include <stdint.h>

#include "tickproof/fx.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct { uint16_t raw; } tp_angle; ///< 1/65536 of a turn, counter-clockwise from the x axis

#define TP_ANGLE_QUARTER 0x4000
#define TP_ANGLE_HALF 0x8000

static inline tp_angle tp_angle_raw(uint16_t raw)
{
    tp_angle angle = { raw };
    return angle;
}

static inline tp_angle tp_angle_add(tp_angle a, tp_angle b)
{
    return tp_angle_raw((uint16_t)(a.raw + b.raw));
}

static inline tp_angle tp_angle_sub(tp_angle a, tp_angle b)
{
    return tp_angle_raw((uint16_t)(a.raw - b.raw));
}

/// The shorter way from `from` to `to`, -32768 .. 32767; exactly half a turn counts as -32768.
static inline int32_t tp_angle_difference(tp_angle to, tp_angle from)
{
    const int32_t turn = tp_angle_sub(to, from).raw;
    return turn >= TP_ANGLE_HALF ? turn - 65536 : turn;
}

/// round(degrees * 65536 / 360), after a floor modulo 360: -90 is 270. No multiple of a degree lies halfway
/// between two angles, so the opposite of an angle is always the angle of the opposite.
tp_angle tp_angle_from_degrees(int32_t degrees);

/// Within 0.52 / 65536 of the true sine and cosine of the binary angle, for all 65536 of them. Exactly symmetric:
/// sin(-a) = -sin(a) = sin(a + half), sin(half - a) = sin(a), cos(a) = sin(a + quarter). sin(quarter) = 1. sin^2 + cos^2 is within 2.2e-5 of 1.
/// Through tp_angle_from_degrees, sin(d) is within 4 / 65536 of the true one, since a whole degree is rarely a
/// whole binary angle.
tp_fx tp_sin(tp_angle angle);
tp_fx tp_cos(tp_angle angle);

/// The direction of (x, y), within 0.51 of the true one in units of tp_angle; tp_atan2(0, 0) = 0. Mirrored
/// arguments give exactly mirrored angles. For every angle a: tp_atan2(tp_sin(a), tp_cos(a)) = a.
tp_angle tp_atan2(tp_fx y, tp_fx x);

// The tables are public so that a port (a browser, another language) can prove that it has the same ones.

#define TP_TRIG_STEPS 1024

extern const uint32_t tp_sine_table[TP_TRIG_STEPS + 1];       ///< sin(i / 1024 of a quarter turn) * 2^27
extern const uint32_t tp_arctangent_table[TP_TRIG_STEPS + 1]; ///< atan(i / 1024) in angle units * 2^16

/// FNV-1a-128 of each table's little-endian bytes. Moving one of these changes every recorded game.
#define TP_SINE_TABLE_HASH_HIGH UINT64_C(0x59eae6fce4539ea7)
#define TP_SINE_TABLE_HASH_LOW UINT64_C(0xd70e5ceaa860cbdc)
#define TP_ARCTANGENT_TABLE_HASH_HIGH UINT64_C(0xbe69e7ea0ebd0a7c)
#define TP_ARCTANGENT_TABLE_HASH_LOW UINT64_C(0x661f13b3c378f2d5)

#ifdef __cplusplus
}
#endif
