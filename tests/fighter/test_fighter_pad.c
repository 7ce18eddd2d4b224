// What a pad means: presses, pushes and flicks, each for as long as it should and no longer.
#include <criterion/criterion.h>

#include "fighter_solo.h"

static void open_solo(Solo *solo)
{
    solo_open(solo, 1, &fighter_stages[0], &fighter_kinds[FIGHTER_KIND_VALE]);
}

/// The wish of a tick with this pad, which is the last one after it.
static FighterWish wish_of(Solo *solo, FighterInput pad)
{
    solo->step.pads[0] = pad;
    fighter_pad_count(&solo->step);
    FighterWish wish = fighter_pad_wish(&solo->step, 0);
    fighter_pad_keep(&solo->step);
    return wish;
}

static FighterInput stick(int32_t x, int32_t y)
{
    return (FighterInput){ .stick_x = (int8_t)x, .stick_y = (int8_t)y };
}

// Goal: every button is pressed in one tick of however many it is held, and again once it was up.
Test(fighter_pad, presses_are_edges)
{
    for (uint32_t bit = 0; bit < 5; bit++) {
        Solo solo;
        open_solo(&solo);
        FighterInput held = { .buttons = (uint16_t)(1u << bit) };
        for (uint32_t tick = 0; tick < 12; tick++) {
            FighterWish wish = wish_of(&solo, tick % 6 < 4 ? held : (FighterInput){ 0 });
            bool pressed[5] = { wish.jump, wish.attack, wish.shield, wish.grab, wish.special };
            for (uint32_t i = 0; i < 5; i++) {
                cr_assert_eq(pressed[i], i == bit && tick % 6 == 0, "button %u, tick %u", i, tick);
            }
            cr_assert_eq(wish.jump_held, bit == 0 && tick % 6 < 4);
            cr_assert_eq(wish.shield_held, bit == 2 && tick % 6 < 4);
        }
    }
}

// Goal: all values of a stick, both ways and both axes: how long it has been past the tilt, and when that is a push.
Test(fighter_pad, pushes)
{
    for (int32_t value = -127; value <= 127; value++) {
        Solo solo;
        open_solo(&solo);
        bool is_tilted = value > 36 || value < -36;
        bool is_far = value > 84 || value < -84;
        for (uint32_t tick = 1; tick <= 300; tick++) {
            FighterWish wish = wish_of(&solo, stick(value, -value));
            const Fighter *fighter = &solo.fighters[0];
            cr_assert_eq(fighter->tilt_x_ticks, !is_tilted ? 0 : tick < 255 ? tick : 255, "%d at %u", value, tick);
            cr_assert_eq(fighter->tilt_y_ticks, fighter->tilt_x_ticks);
            cr_assert_eq(wish.push_x, is_far && tick <= 3, "%d at %u", value, tick);
            cr_assert_eq(wish.push_y, is_far && tick <= 3);
        }
    }
}

// Goal: a stick that creeps is no push; one that crosses to the other side is a new one at once; a rest in the middle begins anew.
Test(fighter_pad, slow_and_crossing_sticks)
{
    Solo solo;
    open_solo(&solo);
    for (int32_t x = 0; x <= 127; x += 12) {
        cr_assert_not(wish_of(&solo, stick(x, 0)).push_x, "%d", x);
    }
    cr_assert(wish_of(&solo, stick(-127, 0)).push_x);
    cr_assert_eq(solo.fighters[0].tilt_x_ticks, 1);
    (void)wish_of(&solo, stick(30, 0));
    cr_assert_eq(solo.fighters[0].tilt_x_ticks, 0);
    (void)wish_of(&solo, stick(60, 0));
    (void)wish_of(&solo, stick(60, 0));
    cr_assert(wish_of(&solo, stick(85, 0)).push_x, "the third tick past the tilt");
    (void)wish_of(&solo, stick(0, 0));
    (void)wish_of(&solo, stick(60, 0));
    (void)wish_of(&solo, stick(60, 0));
    (void)wish_of(&solo, stick(60, 0));
    cr_assert_not(wish_of(&solo, stick(127, 0)).push_x, "the fourth");
}

// Goal: a C-stick counts in the tick in which it gets there, the longer way only, the x of two equal ways.
Test(fighter_pad, flicks)
{
    static const struct {
        int8_t  x, y;
        int32_t c_x, c_y;
    } rows[] = {
        { 127, 0, 1, 0 },   { 127, 0, 0, 0 },  { -127, 0, -1, 0 }, { -127, 0, 0, 0 },  { 0, 0, 0, 0 },  { 0, 85, 0, 1 },  { 0, 127, 0, 0 },
        { 0, -85, 0, -1 },  { 0, 0, 0, 0 },    { 84, 0, 0, 0 },    { 85, 84, 1, 0 },   { 0, 0, 0, 0 },  { 100, 100, 1, 0 }, { 0, 0, 0, 0 },
        { -100, 101, 0, 1 }, { -100, 101, 0, 0 }, { 127, 101, 1, 0 },
    };
    Solo solo;
    open_solo(&solo);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        FighterWish wish = wish_of(&solo, (FighterInput){ .c_x = rows[i].x, .c_y = rows[i].y });
        cr_assert_eq(wish.c_x, rows[i].c_x, "row %zu", i);
        cr_assert_eq(wish.c_y, rows[i].c_y, "row %zu", i);
    }
}

// Goal: since when shield was pressed, 255 for ever after; held on it is no new press.
Test(fighter_pad, tech_ticks)
{
    const FighterInput shield = { .buttons = FIGHTER_BUTTON_SHIELD };
    Solo solo;
    open_solo(&solo);
    (void)wish_of(&solo, stick(0, 0));
    cr_assert_eq(solo.fighters[0].tech_ticks, 255);
    for (uint32_t tick = 0; tick < 300; tick++) {
        (void)wish_of(&solo, shield);
        cr_assert_eq(solo.fighters[0].tech_ticks, tick < 255 ? tick : 255);
    }
    (void)wish_of(&solo, stick(0, 0));
    (void)wish_of(&solo, shield);
    cr_assert_eq(solo.fighters[0].tech_ticks, 0);
}

// By field: between them lie bytes that nobody sets.
static bool is_same_wish(const FighterWish *a, const FighterWish *b)
{
    bool has_same_sticks = a->stick_x == b->stick_x && a->stick_y == b->stick_y && a->forward == b->forward && a->c_x == b->c_x && a->c_y == b->c_y;
    bool has_same_presses = a->jump == b->jump && a->attack == b->attack && a->shield == b->shield && a->grab == b->grab && a->special == b->special;
    return has_same_sticks && has_same_presses && a->jump_held == b->jump_held && a->shield_held == b->shield_held && a->push_x == b->push_x &&
           a->push_y == b->push_y;
}

// Goal: a mirrored pad is a mirrored wish, for whoever looks the mirrored way; forward does not change.
Test(fighter_pad, mirror)
{
    for (uint32_t i = 0; i < 4096; i++) {
        Solo here;
        open_solo(&here);
        Solo there;
        open_solo(&there);
        FighterInput pad = { .stick_x = (int8_t)(i * 37 % 255 - 127), .stick_y = (int8_t)(i * 101 % 255 - 127),
                             .c_x = (int8_t)(i * 53 % 255 - 127), .c_y = (int8_t)(i * 11 % 255 - 127) };
        FighterInput mirrored = pad;
        mirrored.stick_x = (int8_t)-pad.stick_x;
        mirrored.c_x = (int8_t)-pad.c_x;
        there.fighters[0].facing = FIGHTER_FACING_LEFT;
        FighterWish one = wish_of(&here, pad);
        FighterWish two = wish_of(&there, mirrored);
        two.stick_x = -two.stick_x;
        two.c_x = -two.c_x;
        cr_assert(is_same_wish(&one, &two), "pad %u", i);
    }
}

// Goal: an empty slot's fighter is left as it is, all zero.
Test(fighter_pad, empty_slots_count_nothing)
{
    static const Fighter nobody;
    Solo solo;
    open_solo(&solo);
    solo.fighters[0] = nobody;
    for (uint32_t i = 0; i < 5; i++) {
        (void)wish_of(&solo, (FighterInput){ 0 });
    }
    cr_assert_eq(memcmp(&solo.fighters[0], &nobody, sizeof(nobody)), 0);
}
