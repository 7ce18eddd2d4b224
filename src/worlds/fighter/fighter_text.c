// fighter_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "fighter_text.h"

#include "fighter_data.h"

typedef struct Line {
    char  *text;
    size_t size;
    size_t used; // letters so far, always below size
} Line;

static void add_text(Line *line, const char *text)
{
    while (*text != '\0' && line->used + 1 < line->size) {
        line->text[line->used] = *text;
        line->used++;
        text++;
    }
    line->text[line->used] = '\0';
}

// With zeros in front up to `digits` of them.
static void add_number(Line *line, uint64_t number, uint32_t digits)
{
    char text[21] = { 0 };
    uint32_t first = 20;
    do {
        first--;
        text[first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || 20 - first < digits);
    add_text(line, text + first);
}

// One decimal, rounded down: what is shown as 100.0 is not less.
static void add_damage(Line *line, tp_fx damage)
{
    uint64_t tenths = (uint64_t)damage.raw * 10 / 65536;
    add_number(line, tenths / 10, 1);
    add_text(line, ".");
    add_number(line, tenths % 10, 1);
}

// Seconds of the match's clock, which has 60 ticks in each whatever the rate is.
static void add_match(Line *line, const FighterMatch *match)
{
    uint64_t seconds = match->clock_ticks / FIGHTER_TICK_RATE_HZ;
    add_text(line, "match ");
    add_number(line, match->number, 1);
    add_text(line, ", ");
    add_number(line, seconds / 60, 1);
    add_text(line, ":");
    add_number(line, seconds % 60, 2);
    if (match->phase != FIGHTER_PHASE_OVER) {
        return;
    }
    add_text(line, match->winner != 0 ? ", won by slot " : ", drawn");
    if (match->winner != 0) {
        add_number(line, match->winner - 1, 1);
    }
}

static void add_fighter(Line *line, const tp_setup *setup, uint32_t slot, const Fighter *fighter)
{
    add_text(line, "slot ");
    add_number(line, slot, 1);
    add_text(line, " ");
    add_text(line, fighter_kind_names[fighter_data_kind_name(setup, slot)]);
    if (fighter->stocks == 0) {
        add_text(line, " out");
        return;
    }
    add_text(line, " ");
    add_number(line, fighter->stocks, 1);
    add_text(line, " x ");
    add_damage(line, fighter->damage);
    add_text(line, " %");
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

static void add_everybody(Line *line, const tp_view *view, const Fighter *fighters)
{
    bool is_first = true;
    for (uint32_t i = 0; i < view->section_count[FIGHTER_SECTION_FIGHTERS]; i++) {
        if (fighters[i].action != FIGHTER_ACTION_ABSENT) {
            add_text(line, is_first ? "" : ", ");
            add_fighter(line, view->setup, i, &fighters[i]);
            is_first = false;
        }
    }
}

static void add_counts(Line *line, const Counts *counts)
{
    add_number(line, counts->here, 1);
    add_text(line, " here, ");
    add_number(line, counts->with_lives, 1);
    add_text(line, " with lives, ");
    add_number(line, counts->in_the_air, 1);
    add_text(line, " in the air");
}

void fighter_text_describe(const tp_view *view, char *text, size_t size)
{
    if (size == 0) {
        return;
    }
    const FighterMatch *match = tp_view_section(view, FIGHTER_SECTION_MATCH);
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    Counts counts = count_all(fighters, view->section_count[FIGHTER_SECTION_FIGHTERS]);
    Line line = { text, size, 0 };
    if (match->phase == FIGHTER_PHASE_WAITING) {
        add_text(&line, "waiting");
    } else {
        add_match(&line, match);
    }
    if (counts.here == 0) {
        add_text(&line, ", nobody here");
        return;
    }
    add_text(&line, ": ");
    if (counts.here <= FIGHTER_TEXT_FIGHTERS) {
        add_everybody(&line, view, fighters);
    } else {
        add_counts(&line, &counts);
    }
}
