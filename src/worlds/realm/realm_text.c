// realm_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "realm_text.h"

#include "realm_game.h"

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

static void add_number(Line *line, uint64_t number)
{
    char   digits[21];
    size_t first = sizeof(digits) - 1;
    digits[first] = '\0';
    do {
        first--;
        digits[first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    add_text(line, digits + first);
}

typedef struct Counts {
    uint32_t here, alive, best, creatures;
} Counts;

static Counts count(const RealmGameView *game)
{
    Counts counts = { 0 };
    for (uint32_t i = 0; i < game->player_count; i++) {
        const RealmPlayer *player = &game->players[i];
        counts.here += player->status != REALM_PLAYER_ABSENT;
        counts.alive += player->status == REALM_PLAYER_ALIVE;
        counts.best = player->best > counts.best ? player->best : counts.best;
    }
    for (uint32_t i = 0; i < game->creature_count; i++) {
        counts.creatures += game->creatures[i].mode != REALM_CREATURE_NONE;
    }
    return counts;
}

void realm_text_describe(const tp_view *view, char *text, size_t size)
{
    if (size == 0) {
        return;
    }
    RealmGameView    game = realm_game_open(view->state, view->section_offset, view->section_count);
    const RealmRoot *root = tp_view_section(view, REALM_SECTION_ROOT);
    Counts           counts = count(&game);
    Line             line = { text, size, 0 };
    add_text(&line, "tick ");
    add_number(&line, view->tick);
    add_text(&line, ", ");
    add_number(&line, counts.alive);
    add_text(&line, " of ");
    add_number(&line, counts.here);
    add_text(&line, counts.here == 1 ? " player alive, best score " : " players alive, best score ");
    add_number(&line, counts.best);
    add_text(&line, ", ");
    add_number(&line, root->residents);
    add_text(&line, root->residents == 1 ? " landblock, " : " landblocks, ");
    add_number(&line, root->admissions);
    add_text(&line, " preparing, ");
    add_number(&line, counts.creatures);
    add_text(&line, counts.creatures == 1 ? " creature" : " creatures");
}
