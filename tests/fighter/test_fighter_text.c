// The line for people: match, clock, lives and damage.
#include <criterion/criterion.h>

#include <string.h>

#include "fighter_rig.h"
#include "fighter_text.h"

static const char *line_of(const Rig *rig)
{
    static char text[512];
    tp_view view = tp_sim_view(rig->sim);
    fighter_text_describe(&view, text, sizeof(text));
    return text;
}

// Sets what the line shows; the rest of the state is as it was.
static void set(Rig *rig, uint32_t slot, uint8_t stocks, int32_t damage_raw)
{
    rig->state.fighters[slot].stocks = stocks;
    rig->state.fighters[slot].damage.raw = damage_raw;
    rig->state.fighters[slot].action = stocks == 0 ? FIGHTER_ACTION_OUT : FIGHTER_ACTION_IDLE;
}

Test(fighter_text, nobody)
{
    Rig rig;
    rig_open(&rig, 2, 1);
    rig_set_present(&rig, 0, false);
    rig_set_present(&rig, 1, false);
    rig_step(&rig);
    cr_assert_str_eq(line_of(&rig), "waiting, nobody here");
    rig_close(&rig);
}

Test(fighter_text, duel)
{
    Rig rig;
    rig_open(&rig, 3, 1);
    rig_set_present(&rig, 2, false);
    rig_step(&rig);
    cr_assert_str_eq(line_of(&rig), "match 1, 0:00: slot 0 vale 4 x 0.0 %, slot 1 wisp 4 x 0.0 %");
    set(&rig, 0, 3, 42 * 65536 + 39321); // 42.59999: rounded down
    set(&rig, 1, 0, 0);
    rig.state.match->clock_ticks = 192 * 60 + 59;
    cr_assert_str_eq(line_of(&rig), "match 1, 3:12: slot 0 vale 3 x 42.5 %, slot 1 wisp out");
    rig.state.match->phase = FIGHTER_PHASE_OVER;
    cr_assert_str_eq(line_of(&rig), "match 1, 3:12, drawn: slot 0 vale 3 x 42.5 %, slot 1 wisp out");
    rig.state.match->winner = 1;
    rig.state.match->number = 12;
    cr_assert_str_eq(line_of(&rig), "match 12, 3:12, won by slot 0: slot 0 vale 3 x 42.5 %, slot 1 wisp out");
    rig_close(&rig);
}

// Goal: minutes past the hour, the largest damage and the largest counts are numbers like any other.
Test(fighter_text, large_numbers)
{
    Rig rig;
    rig_open(&rig, 1, 1);
    rig_step(&rig);
    set(&rig, 0, 99, FIGHTER_RAW(999));
    rig.state.match->clock_ticks = UINT64_C(60) * (60 * 100 + 1);
    rig.state.match->number = UINT32_MAX;
    cr_assert_str_eq(line_of(&rig), "match 4294967295, 100:01: slot 0 vale 99 x 999.0 %");
    rig_close(&rig);
}

// Goal: eight are named, nine are counted.
Test(fighter_text, crowd)
{
    Rig rig;
    rig_open(&rig, 9, 1);
    rig_set_present(&rig, 8, false);
    rig_step(&rig);
    cr_assert_not_null(strstr(line_of(&rig), "slot 7 wisp 4 x 0.0 %"));
    rig_close(&rig);
    rig_open(&rig, 9, 1);
    rig_step(&rig);
    set(&rig, 3, 0, 0);
    rig.state.fighters[4].surface = 0;
    rig.state.fighters[4].action = FIGHTER_ACTION_AIR;
    cr_assert_str_eq(line_of(&rig), "match 1, 0:00: 9 here, 8 with lives, 1 in the air");
    rig_close(&rig);
}

// Goal: cut at any size, always ended, never written past.
Test(fighter_text, every_size)
{
    Rig rig;
    char text[128];
    rig_open(&rig, 2, 1);
    rig_step(&rig);
    const char *whole = line_of(&rig);
    tp_view view = tp_sim_view(rig.sim);
    for (size_t size = 0; size < 100; size++) {
        memset(text, '#', sizeof(text));
        fighter_text_describe(&view, text, size);
        size_t length = strlen(whole) < size ? strlen(whole) : size - (size > 0);
        cr_assert(size == 0 || (strlen(text) == length && strncmp(text, whole, length) == 0), "size %zu", size);
        cr_assert_eq(text[size], '#');
    }
    rig_close(&rig);
}

// Goal: the clock counts seconds as the rules do, 60 ticks in each, at any rate.
Test(fighter_text, clock_at_other_rates)
{
    static const uint32_t rates[] = { 30, 60, 120 };
    Rig rig;
    char text[128];
    rig_open(&rig, 1, 1);
    rig_step(&rig);
    rig.state.match->clock_ticks = 75 * 60 + 59;
    for (size_t i = 0; i < TP_COUNT_OF(rates); i++) {
        tp_view view = tp_sim_view(rig.sim);
        tp_setup setup = *view.setup;
        setup.tick_rate_hz = rates[i];
        view.setup = &setup;
        fighter_text_describe(&view, text, sizeof(text));
        cr_assert_str_eq(text, "match 1, 1:15: slot 0 vale 4 x 0.0 %", "at %u", rates[i]);
    }
    rig_close(&rig);
}
