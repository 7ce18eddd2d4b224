// fighter_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "fighter_text.h"

#include "fighter_state.h"

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

// At most three digits: a count of fighters.
static void add_count(Line *line, uint32_t count)
{
    char digits[4] = { 0 };
    uint32_t used = 0;
    for (uint32_t unit = count >= 100 ? 100 : count >= 10 ? 10 : 1; unit > 0; unit /= 10) {
        digits[used] = (char)('0' + count / unit % 10);
        used++;
    }
    add_text(line, digits);
}

void fighter_text_describe(const tp_view *view, char *text, size_t size)
{
    if (size == 0) {
        return;
    }
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    uint32_t count = view->section_count[FIGHTER_SECTION_FIGHTERS];
    uint32_t here = 0;
    uint32_t with_label[FIGHTER_LABEL_COUNT] = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        if (fighters[i].seat != FIGHTER_SEAT_EMPTY) {
            here++;
            with_label[fighters[i].label]++;
        }
    }
    Line line = { text, size, 0 };
    add_count(&line, here);
    add_text(&line, " of ");
    add_count(&line, count);
    add_text(&line, " here, ");
    add_count(&line, with_label[FIGHTER_LABEL_WALK]);
    add_text(&line, " walking, ");
    add_count(&line, with_label[FIGHTER_LABEL_AIRBORNE]);
    add_text(&line, " in the air");
}
