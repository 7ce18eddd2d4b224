// plot_page.c: the page from top to bottom: what the log is, the panels, the scale of time, and what befell the log drawn across.
#include "plot_page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_WANTED = 380000, LINES_LEAST = 480, EMPTY_HEIGHT = 300, FEW_TICKS = 6, STRIDE_MAX = 64, ROUNDS_MAX = 12 };

#define DOT "\xC2\xB7 " // apart from what follows: a hexadecimal escape has no end of its own

int plot_page_x(const PlotPage *page, double tick)
{
    const PlotSample *sample = page->picture->sample;
    double            span = sample->end > sample->first ? (double)(sample->end - sample->first) : 1;
    double            part = (tick - (double)sample->first) / span;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return page->left + (int)(part * page->width + 0.5);
}

int plot_page_column_x(const PlotPage *page, uint32_t column)
{
    const PlotSample *sample = page->picture->sample;
    return plot_page_x(page, (double)sample->first + (double)column * (double)sample->width);
}

int plot_page_middle_x(const PlotPage *page, uint32_t column)
{
    const PlotSample *sample = page->picture->sample;
    double            ticks = (double)sample->width * page->stride;
    return plot_page_x(page, (double)sample->first + (double)column * (double)sample->width + (ticks - 1) / 2);
}

// 128 bits are not everywhere.
uint64_t plot_page_ms(const PlotPage *page, uint64_t tick)
{
    uint64_t rate = page->picture->scan->rate;
    return tick / rate > UINT64_MAX / 2000 ? UINT64_MAX / 2 : tick / rate * 1000 + tick % rate * 1000 / rate;
}

bool plot_page_mark(const PlotPage *page, uint64_t k, PlotMark *mark)
{
    const PlotSample *sample = page->picture->sample;
    uint64_t          rate = page->picture->scan->rate;
    if (page->step_ms == 0) {
        uint64_t tick = sample->first + k;
        *mark = (PlotMark){ plot_page_x(page, (double)tick), plot_page_ms(page, tick), tick, true };
        return k <= sample->end - sample->first;
    }
    uint64_t from = plot_page_ms(page, sample->first);
    uint64_t ms = (from + page->step_ms - 1) / page->step_ms * page->step_ms + k * page->step_ms;
    uint64_t tick = ms / 1000 * rate + ms % 1000 * rate / 1000;
    *mark = (PlotMark){ plot_page_x(page, (double)ms * (double)rate / 1000), ms, tick, ms % 1000 * rate % 1000 == 0 };
    return ms <= plot_page_ms(page, sample->end);
}

void plot_page_frame(PlotPage *page, PlotBox box)
{
    assert(page->frame_count < PLOT_FRAMES_MAX);
    page->frames[page->frame_count++] = box;
    PlotPen  pen = { .out = page->out };
    PlotMark mark;
    fputs("<path class=\"grid\" d=\"", page->out);
    for (uint64_t k = 0; plot_page_mark(page, k, &mark); k++) {
        plot_pen_move(&pen, mark.x, box.y);
        plot_pen_line(&pen, mark.x, box.y + box.height);
    }
    plot_pen_end(&pen, false);
    fputs("\"/>\n", page->out);
    plot_svg_rect(page->out, box, "frame");
}

void plot_page_title(const PlotPage *page, int y, const char *name, const char *unit, const char *tooltip)
{
    plot_svg_tooltip(page->out, tooltip);
    plot_svg_text(page->out, page->left, y + 120, "b", PLOT_START, name);
    char fitted[256];
    int  x = page->left + plot_svg_width(name, 125) + 120;
    if (unit[0] != '\0' && strcmp(unit, " ") != 0) {
        plot_svg_fit(unit, page->left + page->width + PLOT_VALUE_WIDTH - PLOT_MARGIN - x, 110, fitted, sizeof(fitted));
        plot_svg_text(page->out, x, y + 120, "m", PLOT_START, fitted);
    }
}

void plot_page_slot(const PlotPage *page, uint32_t slot, char *text, size_t size)
{
    const char *name = slot < TP_PLAYERS_MAX ? page->picture->scan->slot_names[slot] : "";
    if (name[0] != '\0') {
        snprintf(text, size, "%s", name);
    } else {
        snprintf(text, size, "slot %u", slot);
    }
}

void plot_page_element(const PlotPage *page, const PlotTrack *track, uint32_t i, char *text, size_t size)
{
    text[0] = '\0';
    if (track->field.is_of_slots) {
        plot_page_slot(page, track->shown[i], text, size);
    } else if (track->field.elements > 1) {
        snprintf(text, size, "#%u", track->shown[i]);
    }
}

static const char *verdict_class(tp_verdict verdict)
{
    return verdict == TP_VERIFIED ? "green" : verdict == TP_DIVERGED || verdict == TP_CORRUPT || verdict == TP_UNAUTHENTIC ? "red" : "amber";
}

static void draw_verdict(const PlotPage *page, int right)
{
    const tp_report *report = page->picture->report;
    char             checked[PLOT_TEXT_SIZE], recorded[PLOT_TEXT_SIZE], text[160];
    plot_axis_count(report->checked, checked);
    plot_axis_count(report->recorded, recorded);
    snprintf(text, sizeof(text), "%s", tp_verdict_name(report->verdict));
    plot_svg_text(page->out, right, 380, verdict_class(report->verdict), PLOT_END, text);
    snprintf(text, sizeof(text), "%s of %s tick%s checked", checked, recorded, report->recorded == 1 ? "" : "s");
    plot_svg_text(page->out, right, 380 + PLOT_ROW, "m", PLOT_END, text);
}

static void draw_facts(const PlotPage *page, int width)
{
    const PlotPicture *picture = page->picture;
    const tp_report   *report = picture->report;
    char               ticks[PLOT_TEXT_SIZE], time[PLOT_TEXT_SIZE], text[320], fitted[320];
    plot_axis_count(report->recorded, ticks);
    plot_axis_time(plot_page_ms(page, report->recorded), time);
    snprintf(text, sizeof(text), "%s revision %u " DOT "seed %llu " DOT "%u player%s " DOT "%u ticks/s " DOT "%s tick%s recorded (%s)",
             report->world, report->revision, (unsigned long long)report->seed, report->players, report->players == 1 ? "" : "s",
             report->tick_rate_hz, ticks, report->recorded == 1 ? "" : "s", time);
    plot_svg_fit(text, width, 110, fitted, sizeof(fitted));
    plot_svg_text(page->out, PLOT_MARGIN, 380 + PLOT_ROW, "m", PLOT_START, fitted);
}

// Colours of elements once for the whole page: slots by name where there are any.
static int draw_slots(const PlotPage *page, int y, int right)
{
    const PlotSample *sample = page->picture->sample;
    int               x = PLOT_MARGIN;
    uint32_t          others = sample->layout->setup.players - sample->input_slots;
    for (uint32_t slot = 0; slot < sample->input_slots; slot++) {
        char name[PLOT_SLOT_NAME_SIZE], text[PLOT_SLOT_NAME_SIZE];
        plot_page_slot(page, slot, name, sizeof(name));
        plot_svg_fit(name, 1800, 110, text, sizeof(text));
        int width = 130 + plot_svg_width(text, 110) + 170;
        if (x + width > right && x > PLOT_MARGIN) {
            x = PLOT_MARGIN;
            y += PLOT_ROW;
        }
        plot_svg_swatch(page->out, x, y - 85, 'f', slot);
        plot_svg_text(page->out, x + 130, y, "w", PLOT_START, text);
        x += width;
    }
    if (others > 0) {
        char text[48];
        snprintf(text, sizeof(text), "and %u others in grey", others);
        plot_svg_text(page->out, x, y, "m", PLOT_START, text);
    }
    return sample->input_slots > 0 ? y + PLOT_ROW : y;
}

static int draw_head(const PlotPage *page)
{
    const PlotPicture *picture = page->picture;
    int                right = (int)picture->width * 10 - PLOT_MARGIN;
    char               fitted[256];
    const char        *title = picture->scan->match[0] != '\0' ? picture->scan->match : picture->report->world;
    plot_svg_fit(title, right - PLOT_MARGIN - 2000, 205, fitted, sizeof(fitted));
    plot_svg_text(page->out, PLOT_MARGIN, 380, "h", PLOT_START, fitted);
    draw_facts(page, right - PLOT_MARGIN - 2200);
    draw_verdict(page, right);
    int y = 380 + 2 * PLOT_ROW;
    if (picture->described[0] != '\0') {
        char text[600];
        char tick[PLOT_TEXT_SIZE];
        plot_axis_count(picture->sample->last_state, tick);
        bool is_end = picture->sample->last_state == picture->scan->next_tick;
        snprintf(text, sizeof(text), "at %s%s: %s", is_end ? "the end" : "tick ", is_end ? "" : tick, picture->described);
        plot_svg_fit(text, right - PLOT_MARGIN, 110, fitted, sizeof(fitted));
        plot_svg_text(page->out, PLOT_MARGIN, y, "m", PLOT_START, fitted);
        y += PLOT_ROW;
    }
    return draw_slots(page, y + 40, right) + 60;
}

static int draw_notes(const PlotPage *page, int y)
{
    const PlotPicture *picture = page->picture;
    char               text[256] = "";
    if (picture->sample->layout->world->opaque != NULL) {
        snprintf(text, sizeof(text), "The state of this world is opaque: only its inputs and events can be drawn.");
    } else if (picture->chosen_count == 0) {
        snprintf(text, sizeof(text), "No field of the state that could be drawn ever changed.");
    } else if (picture->left_out > 0) {
        snprintf(text, sizeof(text), "%u more field%s changed: --list names them, --fields chooses, --panels makes room.", picture->left_out,
                 picture->left_out == 1 ? "" : "s");
    } else {
        return y;
    }
    char fitted[sizeof(text)];
    plot_svg_fit(text, page->width + PLOT_VALUE_WIDTH - PLOT_MARGIN, 110, fitted, sizeof(fitted));
    plot_svg_text(page->out, page->left, y + 110, "m", PLOT_START, fitted);
    return y + PLOT_ROW + 40;
}

static void begin_panel(PlotPage *page)
{
    assert(page->panel_count < PLOT_FRAMES_MAX);
    page->stride = page->strides[page->panel_count];
    page->panel_begin = ftell(page->out);
}

static int end_panel(PlotPage *page, int y)
{
    page->panel_sizes[page->panel_count++] = (size_t)(ftell(page->out) - page->panel_begin);
    return y;
}

// All between head and foot of the document. Returns its height.
static int draw_body(PlotPage *page)
{
    const PlotPicture *picture = page->picture;
    int                y = draw_head(page);
    page->line_panels = 0;
    page->frame_count = 0;
    page->panel_count = 0;
    for (uint32_t i = 0; i < picture->sample->space_count; i++) {
        begin_panel(page);
        y = end_panel(page, plot_where_panel(page, y, &picture->sample->spaces[i]));
    }
    int flag_top = y;
    y = plot_flags_above(page, y);
    int flag_bottom = y - (y > flag_top ? 50 : 0);
    for (uint32_t i = 0; i < picture->chosen_count; i++) {
        const PlotTrack *track = &picture->sample->tracks[picture->chosen[i]];
        begin_panel(page);
        y = end_panel(page, track->field.kind == PLOT_NUMBER ? plot_lines_panel(page, y, track) : plot_states_panel(page, y, track));
    }
    begin_panel(page);
    y = end_panel(page, plot_inputs_panel(page, y));
    begin_panel(page);
    y = end_panel(page, plot_events_panel(page, y));
    if (page->frame_count == 0) { // a scale of time needs something to stand under
        plot_page_frame(page, (PlotBox){ page->left, y, page->width, EMPTY_HEIGHT });
        y += EMPTY_HEIGHT + PLOT_PANEL_GAP;
    }
    plot_flags_across(page, flag_top, flag_bottom);
    y = plot_flags_time(page, y - PLOT_PANEL_GAP + 20);
    return draw_notes(page, y + 60) + 120;
}

// Panels with more than their share are drawn with columns twice as wide. Small ones leave their rest to the others.
static void thin(PlotPage *page)
{
    size_t share = SIZE_WANTED;
    size_t sum = SIZE_WANTED + 1;
    for (; sum > SIZE_WANTED && share > 1000; share -= share / 16) {
        sum = 0;
        for (uint32_t i = 0; i < page->panel_count; i++) {
            sum += page->panel_sizes[i] < share ? page->panel_sizes[i] : share;
        }
    }
    for (uint32_t i = 0; i < page->panel_count; i++) {
        page->strides[i] *= page->panel_sizes[i] > share && page->strides[i] < STRIDE_MAX ? 2 : 1;
    }
}

// The body in memory, thinned until it is of a size that a browser opens at once. NULL: out of memory.
static char *make_body(PlotPage *page, size_t *size, int *height)
{
    for (int round = 0;; round++) {
        char *body = NULL;
        page->out = open_memstream(&body, size);
        if (page->out == NULL) {
            return NULL;
        }
        *height = draw_body(page);
        bool is_fine = ferror(page->out) == 0;
        if (fclose(page->out) != 0 || !is_fine) {
            free(body);
            return NULL;
        }
        if (*size <= SIZE_WANTED || round == ROUNDS_MAX) {
            return body;
        }
        thin(page);
        free(body);
    }
}

// False: even the lowest panels do not fit the height that was asked for.
static bool fit_height(PlotPage *page, int height, tp_error *error)
{
    int wanted = (int)page->picture->height * 10;
    if (wanted == 0 || wanted == height) {
        return true;
    }
    int panels = (int)page->line_panels;
    if (panels > 0) {
        page->taller = (wanted - height - (wanted < height ? panels - 1 : 0)) / panels;
    }
    if (wanted < height && (panels == 0 || 860 + page->taller < LINES_LEAST)) {
        int least = height - panels * (860 - LINES_LEAST);
        return tp_error_set(error, "%u pixels are too low for it; give at least %d, or fewer panels", page->picture->height, (least + 9) / 10);
    }
    return true;
}

// How far apart marks of time are, and how wide columns are to begin with: more than one and a half to a pixel are not seen.
static void choose_scale(PlotPage *page)
{
    const PlotSample *sample = page->picture->sample;
    uint64_t          span_ms = plot_page_ms(page, sample->end) - plot_page_ms(page, sample->first);
    bool              is_short = sample->end - sample->first <= FEW_TICKS;
    page->step_ms = is_short ? 0 : plot_axis_time_step(span_ms, (uint32_t)page->width / 800 + 1);
    for (uint32_t i = 0; i < PLOT_FRAMES_MAX; i++) {
        page->strides[i] = sample->columns > (uint32_t)page->width / 10 * 3 / 2 ? 2 : 1;
    }
}

// NULL: out of memory.
static char *wrap(const PlotPicture *picture, const char *body, size_t body_size, int height, size_t *size)
{
    char *document = NULL;
    FILE *out = open_memstream(&document, size);
    if (out == NULL) {
        return NULL;
    }
    plot_svg_begin(out, (int)picture->width * 10, picture->height != 0 ? (int)picture->height * 10 : height, picture->is_dark);
    fwrite(body, 1, body_size, out);
    plot_svg_end(out);
    bool is_fine = ferror(out) == 0;
    if (fclose(out) != 0 || !is_fine) {
        free(document);
        return NULL;
    }
    return document;
}

tp_verdict plot_page_make(const PlotPicture *picture, char **document, size_t *size, tp_error *error)
{
    PlotPage page = { .picture = picture, .left = PLOT_LABEL_WIDTH, .width = (int)picture->width * 10 - PLOT_LABEL_WIDTH - PLOT_VALUE_WIDTH };
    int      height = 0;
    size_t   body_size = 0;
    choose_scale(&page);
    char *body = make_body(&page, &body_size, &height);
    if (body != NULL && !fit_height(&page, height, error)) {
        free(body);
        return TP_USAGE;
    }
    if (body != NULL && page.taller != 0) {
        free(body);
        body = make_body(&page, &body_size, &height);
    }
    *document = body == NULL ? NULL : wrap(picture, body, body_size, height, size);
    free(body);
    if (*document == NULL) {
        tp_error_set(error, "out of memory");
        return TP_INTERNAL;
    }
    return TP_VERIFIED;
}
