// slp_pad.h: sticks, triggers and buttons of one pre-frame event as whole numbers. A file keeps floating point; here it is read from its
// bits by integer arithmetic, so every machine and compiler comes to the same number.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SLP_STICK_MAX = 127 };

/// Physical buttons, as the file has them.
enum {
    SLP_BUTTON_DPAD  = 0x000F,
    SLP_BUTTON_Z     = 0x0010,
    SLP_BUTTON_R     = 0x0020,
    SLP_BUTTON_L     = 0x0040,
    SLP_BUTTON_A     = 0x0100,
    SLP_BUTTON_B     = 0x0200,
    SLP_BUTTON_X     = 0x0400,
    SLP_BUTTON_Y     = 0x0800,
    SLP_BUTTON_START = 0x1000,
};

/// What a pad did in one frame. All zero is a pad that nobody touches.
typedef struct {
    int8_t   x, y;     ///< stick, 1/127: right and up are positive
    int8_t   c_x, c_y; ///< the other stick
    uint8_t  trigger;  ///< the analog trigger that is pressed further, 1/127
    uint16_t buttons;
} SlpPad;

/// The nearest 127th of a single-precision number given by its bits; halves go away from zero, so that left equals right. Above 1 is 127
/// and below -1 is -127, infinities included. False: it is not a number.
bool slp_pad_quantise(uint32_t bits, int8_t *out);
/// Sets to 0 each axis of both sticks that is at most `zone` away from it. Each by itself: what a game cuts off is a cross, not a disc.
void slp_pad_apply_dead_zone(SlpPad *pad, uint8_t zone);
