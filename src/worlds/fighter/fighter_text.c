// fighter_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "fighter_text.h"

#include "fighter_data.h"
#include "textline.h"

// One decimal, rounded down: what is shown as 100.0 is not less.
static void add_damage(TextLine *line, tp_fx damage)
{
    uint64_t tenths = (uint64_t)damage.raw * 10 / 65536;
    textline_add_number(line, tenths / 10, 1);
    textline_add(line, ".");
    textline_add_number(line, tenths % 10, 1);
}

// Seconds of the match's clock, which has 60 ticks in each whatever the rate is.
static void add_match(TextLine *line, const FighterMatch *match)
{
    uint64_t seconds = match->clock_ticks / FIGHTER_TICK_RATE_HZ;
    textline_add(line, "match ");
    textline_add_number(line, match->number, 1);
    textline_add(line, ", ");
    textline_add_number(line, seconds / 60, 1);
    textline_add(line, ":");
    textline_add_number(line, seconds % 60, 2);
    if (match->phase != FIGHTER_PHASE_OVER) {
        return;
    }
    textline_add(line, match->winner != 0 ? ", won by slot " : ", drawn");
    if (match->winner != 0) {
        textline_add_number(line, match->winner - 1, 1);
    }
}

static void add_fighter(TextLine *line, const tp_setup *setup, uint32_t slot, const Fighter *fighter)
{
    textline_add(line, "slot ");
    textline_add_number(line, slot, 1);
    textline_add(line, " ");
    textline_add(line, fighter_kind_names[fighter_data_kind_name(setup, slot)]);
    if (fighter->stocks == 0) {
        textline_add(line, " out");
        return;
    }
    textline_add(line, " ");
    textline_add_number(line, fighter->stocks, 1);
    textline_add(line, " x ");
    add_damage(line, fighter->damage);
    textline_add(line, " %");
}

typedef struct Counts {
    uint32_t here;
    uint32_t with_lives;
    uint32_t in_the_air;
} Counts;

static Counts count_all(const Fighter *fighters, uint32_t count)
{
    Counts counts = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        const Fighter *fighter = &fighters[i];
        if (fighter->action == FIGHTER_ACTION_ABSENT) {
            continue;
        }
        bool is_off_stage = fighter->action == FIGHTER_ACTION_OUT || fighter->action == FIGHTER_ACTION_KO;
        counts.here++;
        counts.with_lives += fighter->stocks > 0;
        counts.in_the_air += !is_off_stage && fighter->surface == 0;
    }
    return counts;
}

static void add_everybody(TextLine *line, const tp_view *view, const Fighter *fighters)
{
    bool is_first = true;
    for (uint32_t i = 0; i < view->section_count[FIGHTER_SECTION_FIGHTERS]; i++) {
        if (fighters[i].action != FIGHTER_ACTION_ABSENT) {
            textline_add(line, is_first ? "" : ", ");
            add_fighter(line, view->setup, i, &fighters[i]);
            is_first = false;
        }
    }
}

static void add_counts(TextLine *line, const Counts *counts)
{
    textline_add_number(line, counts->here, 1);
    textline_add(line, " here, ");
    textline_add_number(line, counts->with_lives, 1);
    textline_add(line, " with lives, ");
    textline_add_number(line, counts->in_the_air, 1);
    textline_add(line, " in the air");
}

void fighter_text_describe(const tp_view *view, char *text, size_t size)
{
    if (size == 0) {
        return;
    }
    const FighterMatch *match = tp_view_section(view, FIGHTER_SECTION_MATCH);
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    Counts counts = count_all(fighters, view->section_count[FIGHTER_SECTION_FIGHTERS]);
    TextLine line = { text, size, 0 };
    if (match->phase == FIGHTER_PHASE_WAITING) {
        textline_add(&line, "waiting");
    } else {
        add_match(&line, match);
    }
    if (counts.here == 0) {
        textline_add(&line, ", nobody here");
        return;
    }
    textline_add(&line, ": ");
    if (counts.here <= FIGHTER_TEXT_FIGHTERS) {
        add_everybody(&line, view, fighters);
    } else {
        add_counts(&line, &counts);
    }
}
