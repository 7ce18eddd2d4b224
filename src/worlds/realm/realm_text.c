// realm_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "realm_text.h"

#include "realm_game.h"
#include "textline.h"

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
    TextLine             line = { text, size, 0 };
    textline_add(&line, "tick ");
    textline_add_number(&line, view->tick, 1);
    textline_add(&line, ", ");
    textline_add_number(&line, counts.alive, 1);
    textline_add(&line, " of ");
    textline_add_number(&line, counts.here, 1);
    textline_add(&line, counts.here == 1 ? " player alive, best score " : " players alive, best score ");
    textline_add_number(&line, counts.best, 1);
    textline_add(&line, ", ");
    textline_add_number(&line, root->residents, 1);
    textline_add(&line, root->residents == 1 ? " landblock, " : " landblocks, ");
    textline_add_number(&line, root->admissions, 1);
    textline_add(&line, " preparing, ");
    textline_add_number(&line, counts.creatures, 1);
    textline_add(&line, counts.creatures == 1 ? " creature" : " creatures");
}
