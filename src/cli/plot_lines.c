// plot_lines.c: a panel of lines: what one number of each element did over time.
#include <stdlib.h>
#include <string.h>

#include "plot_page.h"

enum { LINES_HEIGHT = 860, LABEL_STEP = 118, STEP_WIDTH = 25 };

typedef struct {
    PlotPage        *page;
    const PlotTrack *track;
    PlotBox          box;
    PlotAxis         axis;
} Lines;

// What is alone belongs to no slot, and has none's colour.
static unsigned colour_of(const PlotTrack *track, uint32_t i)
{
    return track->field.elements == 1 && !track->field.is_of_slots ? PLOT_COLOURS : i;
}

static double unit_value(const PlotTrack *track, int64_t raw)
{
    return (double)raw / (double)(UINT64_C(1) << track->field.fraction_bits);
}

static int y_of(const Lines *lines, double value)
{
    double part = (value - lines->axis.low) / (lines->axis.high - lines->axis.low);
    return lines->box.y + lines->box.height - (int)(part * lines->box.height + 0.5);
}

static int y_of_raw(const Lines *lines, int64_t raw)
{
    return y_of(lines, unit_value(lines->track, raw));
}

// What the columns from `column` on that are drawn as one went through. False: nothing.
static bool merge(const Lines *lines, const PlotCell *cells, uint32_t column, PlotCell *merged)
{
    *merged = (PlotCell){ INT64_MAX, INT64_MIN };
    for (uint32_t i = column; i < column + lines->page->stride && i < lines->page->picture->sample->columns; i++) {
        merged->low = cells[i].low < merged->low ? cells[i].low : merged->low;
        merged->high = cells[i].high > merged->high ? cells[i].high : merged->high;
    }
    return merged->low <= merged->high;
}

// Whole numbers hold until they change, which shows where a tick is wide enough.
static bool draws_steps(const Lines *lines)
{
    const PlotSample *sample = lines->page->picture->sample;
    bool              is_whole = lines->track->field.fraction_bits == 0;
    return is_whole && sample->width == 1 && lines->page->stride == 1 && lines->page->width / (int)sample->columns >= STEP_WIDTH;
}

// One column: from where the line was before (`*before`) to its nearer end, then to the other one.
static void draw_column(const Lines *lines, PlotPen *pen, int x, const PlotCell *cell, int *before)
{
    int  low = y_of_raw(lines, cell->low);
    int  high = y_of_raw(lines, cell->high);
    bool is_from_above = pen->is_down && abs(*before - high) < abs(*before - low);
    int  near = is_from_above ? high : low;
    if (pen->is_down && draws_steps(lines)) {
        plot_pen_line(pen, x, *before);
    } else if (!pen->is_down) {
        plot_pen_move(pen, x, near);
        plot_pen_line(pen, x + 1, near); // a single state is a dot
    }
    plot_pen_line(pen, x, near);
    *before = is_from_above ? low : high;
    plot_pen_line(pen, x, *before);
}

static void draw_line(const Lines *lines, const PlotCell *cells, uint32_t i)
{
    const PlotSample *sample = lines->page->picture->sample;
    PlotPen           pen = { .out = lines->page->out };
    PlotCell          cell;
    int               before = 0;
    char              name[PLOT_NAME_SIZE];
    plot_table_element_name(&lines->track->field, sample->layout, lines->track->shown[i], name);
    fprintf(lines->page->out, "<path class=\"line s%u\" data-element=\"%s\" d=\"", colour_of(lines->track, i), name);
    for (uint32_t column = 0; column < sample->columns; column += lines->page->stride) {
        if (merge(lines, cells, column, &cell)) {
            draw_column(lines, &pen, plot_page_middle_x(lines->page, column), &cell, &before);
        } else {
            plot_pen_end(&pen, false);
        }
    }
    plot_pen_end(&pen, false);
    fputs("\"/>\n", lines->page->out);
}

// From `first` forwards along the highest values, then back along the lowest.
static void draw_band(const Lines *lines, PlotPen *pen, uint32_t first, uint32_t end)
{
    PlotCell cell;
    uint32_t stride = lines->page->stride;
    for (uint32_t column = first; column < end; column += stride) {
        merge(lines, lines->track->rest, column, &cell);
        plot_pen_line(pen, plot_page_middle_x(lines->page, column), y_of_raw(lines, cell.high));
    }
    for (uint32_t column = end; column > first; column -= stride) {
        merge(lines, lines->track->rest, column - stride, &cell);
        plot_pen_line(pen, plot_page_middle_x(lines->page, column - stride), y_of_raw(lines, cell.low) + 1);
    }
    plot_pen_end(pen, true);
}

static void draw_rest(const Lines *lines)
{
    PlotPen  pen = { .out = lines->page->out };
    PlotCell cell;
    uint32_t stride = lines->page->stride;
    uint32_t columns = lines->page->picture->sample->columns;
    fputs("<path class=\"rest\" data-element=\"rest\" d=\"", lines->page->out);
    for (uint32_t first = 0; first < columns; first += stride) {
        uint32_t end = first;
        while (end < columns && merge(lines, lines->track->rest, end, &cell)) {
            end += stride;
        }
        if (end > first) {
            draw_band(lines, &pen, first, end);
            first = end;
        }
    }
    fputs("\"/>\n", lines->page->out);
}

static void draw_scale(const Lines *lines)
{
    char    text[PLOT_TEXT_SIZE];
    PlotPen pen = { .out = lines->page->out };
    fputs("<path class=\"grid\" d=\"", lines->page->out);
    for (int64_t k = lines->axis.first; k <= lines->axis.last; k++) {
        int y = y_of(lines, plot_axis_mark(&lines->axis, k));
        plot_pen_move(&pen, lines->box.x, y);
        plot_pen_line(&pen, lines->box.x + lines->box.width, y);
    }
    plot_pen_end(&pen, false);
    fputs("\"/>\n", lines->page->out);
    for (int64_t k = lines->axis.first; k <= lines->axis.last; k++) {
        plot_axis_label(&lines->axis, k, text);
        plot_svg_text(lines->page->out, lines->box.x - 60, y_of(lines, plot_axis_mark(&lines->axis, k)) + 38, "a", PLOT_END, text);
    }
}

// A number of many digits is cut rather than let out of the picture.
static void last_value(const PlotTrack *track, uint32_t i, char text[PLOT_TEXT_SIZE])
{
    char whole[PLOT_TEXT_SIZE];
    plot_axis_number(track->last[i], track->field.fraction_bits, whole);
    plot_svg_fit(whole, PLOT_VALUE_WIDTH - 120, 110, text, PLOT_TEXT_SIZE);
}

// Where last values stand, so that none hides another: in order, each at least a line below the one before it, all inside.
static void spread(int *places, const uint32_t *order, uint32_t count, int top, int bottom)
{
    for (uint32_t i = 0; i < count; i++) {
        int least = i == 0 ? top : places[order[i - 1]] + LABEL_STEP;
        places[order[i]] = places[order[i]] < least ? least : places[order[i]];
    }
    for (uint32_t i = count; i > 0; i--) {
        int most = i == count ? bottom : places[order[i]] - LABEL_STEP;
        places[order[i - 1]] = places[order[i - 1]] > most ? most : places[order[i - 1]];
    }
}

static void sort_by_place(const int *places, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = i;
        for (; k > 0 && places[order[k - 1]] > places[i]; k--) {
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

static void draw_last_value(const Lines *lines, uint32_t i, int y, int value_width)
{
    const PlotTrack *track = lines->track;
    char             name[PLOT_SLOT_NAME_SIZE], fitted[PLOT_SLOT_NAME_SIZE], value[PLOT_TEXT_SIZE], class[16];
    int              x = lines->box.x + lines->box.width + 70 + value_width;
    last_value(track, i, value);
    plot_page_element(lines->page, track, i, name, sizeof(name));
    int room = PLOT_VALUE_WIDTH - 200 - value_width;
    fitted[0] = '\0';
    if (room > 0) {
        plot_svg_fit(name, room, 110, fitted, sizeof(fitted));
    }
    snprintf(class, sizeof(class), "f%u", colour_of(track, i));
    plot_svg_text(lines->page->out, x, y + 38, class, PLOT_END, value);
    if (fitted[0] != '\0') {
        plot_svg_text(lines->page->out, x + 60, y + 38, "m", PLOT_START, fitted);
    }
}

static void draw_last_values(const Lines *lines)
{
    const PlotTrack *track = lines->track;
    int              places[PLOT_SHOWN_MAX];
    uint32_t         order[PLOT_SHOWN_MAX], live[PLOT_SHOWN_MAX];
    uint32_t         room = (uint32_t)(lines->box.height / LABEL_STEP) + 1;
    uint32_t         count = 0;
    int              value_width = 0;
    for (uint32_t i = 0; i < track->shown_count && count < room; i++) {
        char value[PLOT_TEXT_SIZE];
        if (track->generations[i] == 0) {
            continue;
        }
        last_value(track, i, value);
        int width = plot_svg_width(value, 110);
        value_width = width > value_width ? width : value_width;
        places[count] = y_of_raw(lines, track->last[i]);
        live[count++] = i;
    }
    sort_by_place(places, order, count);
    spread(places, order, count, lines->box.y + 10, lines->box.y + lines->box.height - 10);
    for (uint32_t i = 0; i < count; i++) {
        draw_last_value(lines, live[i], places[i], value_width);
    }
}

static void draw_title(const Lines *lines, int y)
{
    const PlotTrack *track = lines->track;
    char             low[PLOT_TEXT_SIZE], high[PLOT_TEXT_SIZE], unit[160], tooltip[320];
    bool is_sampled = track->low <= track->high; // else all were free slots
    plot_axis_number(is_sampled ? track->low : 0, track->field.fraction_bits, low);
    plot_axis_number(is_sampled ? track->high : 0, track->field.fraction_bits, high);
    unsigned others = track->field.elements - track->shown_count;
    int      used = snprintf(unit, sizeof(unit), "%s", track->field.unit);
    if (others > 0 && track->rest != NULL) {
        snprintf(unit + used, sizeof(unit) - (size_t)used, ", %u others in grey", others);
    } else if (others > 0) {
        snprintf(unit + used, sizeof(unit) - (size_t)used, ", %u others not shown", others);
    }
    snprintf(tooltip, sizeof(tooltip), "%s: %s to %s %s, %llu changes", track->field.name, low, high, track->field.unit, (unsigned long long)track->changes);
    plot_page_title(lines->page, y, track->field.name, unit, tooltip);
}

int plot_lines_panel(PlotPage *page, int y, const PlotTrack *track)
{
    int least = (int)track->shown_count * LABEL_STEP + 20;
    int height = (least > LINES_HEIGHT ? least : LINES_HEIGHT) + page->taller;
    Lines lines = { page, track, { page->left, y + PLOT_TITLE_HEIGHT, page->width, height }, { 0 } };
    bool  is_sampled = track->low <= track->high;
    lines.axis = plot_axis_of(is_sampled ? unit_value(track, track->low) : 0, is_sampled ? unit_value(track, track->high) : 0, height / 190 + 1,
                              track->field.fraction_bits == 0);
    page->line_panels++;
    // For programs that read the picture: what top and bottom stand for, and how many ticks a drawn column has.
    fprintf(page->out, "<g class=\"panel\" data-name=\"%s\" data-low=\"%.17g\" data-high=\"%.17g\" ", track->field.name, lines.axis.low, lines.axis.high);
    fprintf(page->out, "data-top=\"%d\" data-bottom=\"%d\" data-ticks=\"%llu\">\n", lines.box.y, lines.box.y + lines.box.height,
            (unsigned long long)(page->picture->sample->width * page->stride));
    draw_title(&lines, y);
    draw_scale(&lines);
    plot_page_frame(page, lines.box);
    if (track->rest != NULL) {
        draw_rest(&lines);
    }
    for (uint32_t i = track->shown_count; i > 0; i--) {
        draw_line(&lines, track->cells[i - 1], i - 1);
    }
    if (is_sampled) {
        draw_last_values(&lines);
    }
    fputs("</g>\n", page->out);
    return y + PLOT_TITLE_HEIGHT + height + PLOT_PANEL_GAP;
}
