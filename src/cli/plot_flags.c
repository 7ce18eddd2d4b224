// plot_flags.c: what befell a log, drawn across its panels (a divergence, gaps, the end), and the scale of time below them.
#include "plot_page.h"

// One line of the strip above the panels that is about a moment: beside it, on the side with more room.
static void draw_flag(const PlotPage *page, int x, int y, const char *class, const char *text)
{
    char fitted[512];
    bool is_left = x < page->left + page->width / 2;
    int  room = is_left ? page->left + page->width + PLOT_VALUE_WIDTH - PLOT_MARGIN - x : x - PLOT_MARGIN;
    plot_svg_fit(text, room - 60, 110, fitted, sizeof(fitted));
    plot_svg_text(page->out, is_left ? x + 60 : x - 60, y, class, is_left ? PLOT_START : PLOT_END, fitted);
}

static bool is_diverged_here(const PlotPage *page)
{
    const tp_report *report = page->picture->report;
    return report->verdict == TP_DIVERGED && report->bad_tick >= page->picture->sample->first && report->bad_tick <= page->picture->sample->end;
}

static int flag_divergence(const PlotPage *page, int y)
{
    const tp_report *report = page->picture->report;
    char             tick[PLOT_TEXT_SIZE], time[PLOT_TEXT_SIZE], text[512];
    int              x = plot_page_x(page, (double)report->bad_tick);
    plot_axis_count(report->bad_tick, tick);
    plot_axis_time(plot_page_ms(page, report->bad_tick), time);
    int used = snprintf(text, sizeof(text), "diverged at tick %s (%s): from here on it is another run", tick, time);
    if (page->picture->sample->last_state < page->picture->sample->end) {
        plot_axis_count(page->picture->sample->last_state, tick);
        snprintf(text + used, sizeof(text) - (size_t)used, ", followed to tick %s", tick);
    }
    draw_flag(page, x, y + 110, "red", text);
    y += PLOT_ROW;
    if (report->field[0] != '\0') {
        snprintf(text, sizeof(text), "%s: %s in the log, %s here", report->field, report->field_expected, report->field_actual);
        draw_flag(page, x, y + 110, "red", text);
        snprintf(text, sizeof(text), "seen before tick %llu; %llu field%s by then", (unsigned long long)report->field_tick,
                 (unsigned long long)report->differing_fields, report->differing_fields == 1 ? " differed" : "s differed");
        draw_flag(page, x, y + PLOT_ROW + 110, "m", text);
        return y + 2 * PLOT_ROW;
    }
    if (report->section[0] != '\0') {
        snprintf(text, sizeof(text), "section %s, seen at tick %llu", report->section, (unsigned long long)report->section_tick);
        draw_flag(page, x, y + 110, "red", text);
        return y + PLOT_ROW;
    }
    return y;
}

// Why the log ends where it does; NULL when that is just its end.
static const char *end_words(const PlotPage *page)
{
    const PlotScan *scan = page->picture->scan;
    if (page->picture->sample->end < scan->next_tick) {
        return NULL;
    }
    if (scan->has_end) {
        return scan->end_reason == TP_END_STOPPED   ? "the recorder was stopped here"
               : scan->end_reason == TP_END_FAULT   ? "the world faulted here"
               : scan->end_reason == TP_END_ROTATED ? "the run goes on in the next file"
                                                    : NULL;
    }
    return scan->status == TP_LOG_CORRUPT ? "the log is damaged from here on" : "the log breaks off here";
}

static int flag_end(const PlotPage *page, int y)
{
    const char *words = end_words(page);
    if (words == NULL) {
        return y;
    }
    char tick[PLOT_TEXT_SIZE], text[128];
    plot_axis_count(page->picture->sample->end, tick);
    snprintf(text, sizeof(text), "%s: tick %s", words, tick);
    draw_flag(page, page->left + page->width, y + 110, "amber", text);
    return y + PLOT_ROW;
}

static int flag_gaps(const PlotPage *page, int y)
{
    const PlotScan *scan = page->picture->scan;
    char            text[160];
    if (scan->gap_count == 0) {
        return y;
    }
    const tp_log_gap *gap = &scan->gaps[0];
    int used = snprintf(text, sizeof(text), "gap: ticks %llu to %llu are not in the log (%s)", (unsigned long long)gap->first, (unsigned long long)gap->last,
                        tp_gap_cause_name(gap->cause) == NULL ? "?" : tp_gap_cause_name(gap->cause));
    if (scan->gap_count > 1) {
        snprintf(text + used, sizeof(text) - (size_t)used, "; %llu more", (unsigned long long)scan->gap_count - 1);
    }
    draw_flag(page, plot_page_x(page, (double)gap->first), y + 110, "m", text);
    return y + PLOT_ROW;
}

int plot_flags_above(const PlotPage *page, int y)
{
    int begin = y;
    y = is_diverged_here(page) ? flag_divergence(page, y) : y;
    y = flag_gaps(page, y);
    y = flag_end(page, y);
    return y > begin ? y + 60 : y;
}

// Down from its flag, then through each panel, but not through the titles between them.
static void draw_vertical(const PlotPage *page, int x, int flag_top, int flag_bottom, const char *class)
{
    fprintf(page->out, "<path class=\"%s\" d=\"M%d %dV%d", class, x, flag_top, flag_bottom);
    for (uint32_t i = 0; i < page->frame_count; i++) {
        fprintf(page->out, "M%d %dv%d", x, page->frames[i].y, page->frames[i].height);
    }
    fputs("\"/>\n", page->out);
}

static void draw_past(const PlotPage *page, int x, int width, const char *class)
{
    fprintf(page->out, "<path class=\"%s\" d=\"", class);
    for (uint32_t i = 0; i < page->frame_count; i++) {
        fprintf(page->out, "M%d %dv%dh%dv-%dz", x, page->frames[i].y, page->frames[i].height, width, page->frames[i].height);
    }
    fputs("\"/>\n", page->out);
}

// Above everything else: what is past a divergence, what is missing, and where it ends.
void plot_flags_across(const PlotPage *page, int flag_top, int flag_bottom)
{
    const PlotScan *scan = page->picture->scan;
    for (uint64_t i = 0; i < scan->gap_count && i < PLOT_GAPS_MAX; i++) {
        int x = plot_page_x(page, (double)scan->gaps[i].first);
        int end = plot_page_x(page, (double)scan->gaps[i].last + 1);
        draw_past(page, x, end - x < 15 ? 15 : end - x, "gap");
    }
    if (end_words(page) != NULL) {
        draw_vertical(page, page->left + page->width, flag_top, flag_bottom, "stop");
    }
    if (is_diverged_here(page)) {
        int x = plot_page_x(page, (double)page->picture->report->bad_tick);
        fprintf(page->out, "<g class=\"divergence\" data-tick=\"%llu\">\n", (unsigned long long)page->picture->report->bad_tick);
        draw_past(page, x, page->left + page->width - x, "past");
        draw_vertical(page, x, flag_top, flag_bottom, "cut");
        fputs("</g>\n", page->out);
    }
}

static void draw_keys(const PlotPage *page, int y)
{
    const PlotScan *scan = page->picture->scan;
    PlotPen         pen = { .out = page->out };
    uint32_t        drawn = 0;
    fputs("<path class=\"mark\" data-name=\"keyframes\" d=\"", page->out);
    for (uint32_t i = 0; i < scan->kept_keys; i++) {
        if (scan->keys[i] >= page->picture->sample->first && scan->keys[i] <= page->picture->sample->end) {
            int x = plot_page_x(page, (double)scan->keys[i]);
            plot_pen_move(&pen, x - 25, y + 70);
            plot_pen_line(&pen, x, y + 20);
            plot_pen_line(&pen, x + 25, y + 70);
            drawn++;
        }
    }
    plot_pen_end(&pen, false);
    fputs("\"/>\n", page->out);
    if (drawn > 0) {
        const char *words = drawn == 1 ? "\xE2\x8C\x83 keyframe" : "\xE2\x8C\x83 keyframes";
        plot_svg_text(page->out, page->left + page->width + 110, y + 85, "a", PLOT_START, words);
    }
}

int plot_flags_time(const PlotPage *page, int y)
{
    char     text[PLOT_TEXT_SIZE];
    PlotMark mark;
    fprintf(page->out, "<g class=\"time\" data-first=\"%llu\" data-end=\"%llu\" data-left=\"%d\" data-right=\"%d\">\n",
            (unsigned long long)page->picture->sample->first, (unsigned long long)page->picture->sample->end, page->left, page->left + page->width);
    draw_keys(page, y);
    for (uint64_t k = 0; plot_page_mark(page, k, &mark); k++) {
        plot_axis_time(mark.ms, text);
        plot_svg_text(page->out, mark.x, y + 190, "w", PLOT_MIDDLE, text);
        if (mark.is_tick) {
            plot_axis_count(mark.tick, text);
            plot_svg_text(page->out, mark.x, y + 320, "a", PLOT_MIDDLE, text);
        }
    }
    plot_svg_text(page->out, PLOT_MARGIN, y + 190, "w", PLOT_START, "time");
    plot_svg_text(page->out, PLOT_MARGIN, y + 320, "a", PLOT_START, "tick");
    fputs("</g>\n", page->out);
    return y + 400;
}
