// fighter_pad.c: what a pad asks for. Everything is read from this tick's pad, the last one and two counters in the state, so that a
// held stick or button never means something twice.
#include "fighter_step.h"

static bool is_past(int32_t value, int32_t limit)
{
    return value > limit || value < -limit;
}

static bool is_same_side(int32_t a, int32_t b)
{
    return (a < 0) == (b < 0);
}

static uint8_t counted(uint8_t ticks)
{
    return ticks < UINT8_MAX ? (uint8_t)(ticks + 1) : UINT8_MAX;
}

// For how long the stick has been past FIGHTER_TILT on the side where it is now.
static uint8_t tilted(int32_t now, int32_t last, uint8_t ticks)
{
    if (!is_past(now, FIGHTER_TILT)) {
        return 0;
    }
    bool was_there = is_past(last, FIGHTER_TILT) && is_same_side(now, last);
    return was_there ? counted(ticks) : 1;
}

void fighter_pad_count(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        const FighterInput *pad = &step->pads[i];
        bool shield = (pad->buttons & ~fighter->last_buttons & FIGHTER_BUTTON_SHIELD) != 0;
        if (fighter->action == FIGHTER_ACTION_ABSENT) {
            continue; // a slot that nobody has stays as it was left
        }
        fighter->tilt_x_ticks = tilted(pad->stick_x, fighter->last_stick_x, fighter->tilt_x_ticks);
        fighter->tilt_y_ticks = tilted(pad->stick_y, fighter->last_stick_y, fighter->tilt_y_ticks);
        fighter->tech_ticks = shield ? 0 : counted(fighter->tech_ticks);
    }
}

static bool is_push(int32_t stick, uint8_t tilt_ticks)
{
    return is_past(stick, FIGHTER_PUSH) && tilt_ticks <= FIGHTER_PUSH_TICKS;
}

// -1, 0 or 1: which way the C-stick has just gone past FIGHTER_PUSH.
static int32_t flicked(int32_t now, int32_t last)
{
    bool was_there = is_past(last, FIGHTER_PUSH) && is_same_side(now, last);
    if (!is_past(now, FIGHTER_PUSH) || was_there) {
        return 0;
    }
    return now < 0 ? -1 : 1;
}

static int32_t magnitude(int32_t value)
{
    return value < 0 ? -value : value;
}

FighterWish fighter_pad_wish(const FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    const FighterInput *pad = &step->pads[slot];
    uint32_t pressed = pad->buttons & ~(uint32_t)fighter->last_buttons;
    bool c_is_upright = magnitude(pad->c_y) > magnitude(pad->c_x);
    return (FighterWish){
        .stick_x     = pad->stick_x,
        .stick_y     = pad->stick_y,
        .forward     = fighter->facing == FIGHTER_FACING_LEFT ? -pad->stick_x : pad->stick_x,
        .jump        = (pressed & FIGHTER_BUTTON_JUMP) != 0,
        .attack      = (pressed & FIGHTER_BUTTON_ATTACK) != 0,
        .shield      = (pressed & FIGHTER_BUTTON_SHIELD) != 0,
        .grab        = (pressed & FIGHTER_BUTTON_GRAB) != 0,
        .special     = (pressed & FIGHTER_BUTTON_SPECIAL) != 0,
        .jump_held   = (pad->buttons & FIGHTER_BUTTON_JUMP) != 0,
        .shield_held = (pad->buttons & FIGHTER_BUTTON_SHIELD) != 0,
        .push_x      = is_push(pad->stick_x, fighter->tilt_x_ticks),
        .push_y      = is_push(pad->stick_y, fighter->tilt_y_ticks),
        .c_x         = c_is_upright ? 0 : flicked(pad->c_x, fighter->last_c_x),
        .c_y         = c_is_upright ? flicked(pad->c_y, fighter->last_c_y) : 0,
    };
}

void fighter_pad_keep(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        const FighterInput *pad = &step->pads[i];
        fighter->last_buttons = pad->buttons;
        fighter->last_stick_x = pad->stick_x;
        fighter->last_stick_y = pad->stick_y;
        fighter->last_c_x = pad->c_x;
        fighter->last_c_y = pad->c_y;
    }
}
