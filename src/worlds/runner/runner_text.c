// runner_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "runner_text.h"

#include "runner_state.h"

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
    char digits[21];
    size_t first = sizeof(digits) - 1;
    digits[first] = '\0';
    do {
        first--;
        digits[first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    add_text(line, digits + first);
}

void runner_text_describe(const tp_view *view, char *text, size_t size)
{
    if (size == 0) {
        return;
    }
    const RunnerGame *game = tp_view_section(view, RUNNER_SECTION_GAME);
    const Runner *runners = tp_view_section(view, RUNNER_SECTION_RUNNERS);
    uint32_t here = 0;
    uint32_t living = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < view->section_count[RUNNER_SECTION_RUNNERS]; i++) {
        here += runners[i].status != RUNNER_STATUS_ABSENT;
        living += runners[i].status == RUNNER_STATUS_RUNNING;
        best = runners[i].best > best ? runners[i].best : best;
    }
    Line line = { text, size, 0 };
    add_text(&line, "run ");
    add_number(&line, game->run);
    add_text(&line, " ");
    add_text(&line, runner_phase_names[game->phase]);
    add_text(&line, " ");
    add_number(&line, game->course_tick / RUNNER_TICK_RATE_HZ);
    add_text(&line, ".");
    add_number(&line, game->course_tick % RUNNER_TICK_RATE_HZ * 10 / RUNNER_TICK_RATE_HZ);
    add_text(&line, " s at ");
    add_number(&line, game->speed_percent);
    add_text(&line, "%, ");
    add_number(&line, living);
    add_text(&line, " of ");
    add_number(&line, here);
    add_text(&line, here == 1 ? " alive, score" : " alive, scores");
    for (uint32_t i = 0; i < view->section_count[RUNNER_SECTION_RUNNERS]; i++) {
        if (runners[i].status != RUNNER_STATUS_ABSENT) {
            add_text(&line, " ");
            add_number(&line, runners[i].score);
        }
    }
    add_text(&line, ", best ");
    add_number(&line, best);
}
