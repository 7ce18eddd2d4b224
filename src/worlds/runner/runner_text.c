// runner_text.c: text without the C library's formatting, so that the room stays free of locales.
#include "runner_text.h"

#include "runner_state.h"
#include "textline.h"

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
    TextLine line = { text, size, 0 };
    textline_add(&line, "run ");
    textline_add_number(&line, game->run, 1);
    textline_add(&line, " ");
    textline_add(&line, runner_phase_names[game->phase]);
    textline_add(&line, " ");
    textline_add_number(&line, game->course_tick / RUNNER_TICK_RATE_HZ, 1);
    textline_add(&line, ".");
    textline_add_number(&line, game->course_tick % RUNNER_TICK_RATE_HZ * 10 / RUNNER_TICK_RATE_HZ, 1);
    textline_add(&line, " s at ");
    textline_add_number(&line, game->speed_percent, 1);
    textline_add(&line, "%, ");
    textline_add_number(&line, living, 1);
    textline_add(&line, " of ");
    textline_add_number(&line, here, 1);
    textline_add(&line, here == 1 ? " alive, score" : " alive, scores");
    for (uint32_t i = 0; i < view->section_count[RUNNER_SECTION_RUNNERS]; i++) {
        if (runners[i].status != RUNNER_STATUS_ABSENT) {
            textline_add(&line, " ");
            textline_add_number(&line, runners[i].score, 1);
        }
    }
    textline_add(&line, ", best ");
    textline_add_number(&line, best, 1);
}
