// plot_strips.c: panels of strips: states of elements, how busy inputs were, and when which events came.
#include <string.h>

#include "plot_page.h"

enum { ROW_HEIGHT = 110, ROW_STEP = 150, BAR_HEIGHT = 140, BAR_STEP = 190, EVENT_ROWS_MAX = 8, LEGEND_STEP = 150, NAMED_STATES_MAX = PLOT_STATE_COLOURS - 1 };

// States by how long they lasted: the colour of each.
typedef struct {
    uint32_t ranks[PLOT_STATES_MAX];
    uint32_t by_rank[PLOT_STATES_MAX];
    uint32_t seen;
} Ranking;

static Ranking rank_states(const PlotTrack *track)
{
    Ranking ranking = { .seen = 0 };
    for (uint32_t state = 0; state < track->field.state_count; state++) {
        if (track->totals[state] == 0) {
            continue;
        }
        uint32_t k = ranking.seen++;
        for (; k > 0 && track->totals[ranking.by_rank[k - 1]] < track->totals[state]; k--) {
            ranking.by_rank[k] = ranking.by_rank[k - 1];
        }
        ranking.by_rank[k] = state;
    }
    for (uint32_t k = 0; k < ranking.seen; k++) {
        ranking.ranks[ranking.by_rank[k]] = k < NAMED_STATES_MAX ? k : NAMED_STATES_MAX;
    }
    return ranking;
}

// Of the columns drawn as one: the state of the first with any, and another one that came, too.
static bool merge(const PlotPage *page, const PlotCell *cells, uint32_t column, PlotCell *merged)
{
    *merged = (PlotCell){ -1, -1 };
    for (uint32_t i = column; i < column + page->stride && i < page->picture->sample->columns; i++) {
        merged->low = merged->low < 0 ? cells[i].low : merged->low;
        int64_t other = cells[i].high >= 0 ? cells[i].high : cells[i].low;
        merged->high = other >= 0 && other != merged->low ? other : merged->high;
    }
    return merged->low >= 0;
}

// A change from one state to the next needs no mark; a state that no column beside it has would be lost without one.
static int64_t brief_state(const PlotPage *page, const PlotCell *cells, uint32_t column, const PlotCell *cell)
{
    PlotCell before = { -1, -1 }, after = { -1, -1 };
    if (column >= page->stride) {
        merge(page, cells, column - page->stride, &before);
    }
    merge(page, cells, column + page->stride, &after);
    return cell->high == before.low || cell->high == after.low ? -1 : cell->high;
}

// All runs of one colour in one strip, as one path of level lines as wide as the strip is high.
static void draw_colour(const PlotPage *page, const PlotTrack *track, const Ranking *ranking, const PlotCell *cells, uint32_t rank, bool is_brief, int y)
{
    PlotPen  pen = { .out = page->out };
    PlotCell cell;
    bool     is_begun = false;
    int      end = -1;
    for (uint32_t column = 0; column < page->picture->sample->columns; column += page->stride) {
        if (!merge(page, cells, column, &cell)) {
            continue;
        }
        int64_t state = is_brief ? brief_state(page, cells, column, &cell) : cell.low;
        if (state < 0 || state >= (int64_t)track->field.state_count || ranking->ranks[state] != rank) {
            continue;
        }
        if (!is_begun) {
            fprintf(page->out, "<path class=\"ribbon q%u\" stroke-width=\"%d\" d=\"", rank, is_brief ? 40 : ROW_HEIGHT);
            is_begun = true;
        }
        int x = plot_page_column_x(page, column);
        if (x != end) {
            plot_pen_move(&pen, x, y + (is_brief ? 20 : ROW_HEIGHT / 2));
        }
        end = plot_page_column_x(page, column + page->stride);
        end = end - x < 8 ? x + 8 : end;
        plot_pen_line(&pen, end, pen.y);
    }
    plot_pen_end(&pen, false);
    fputs(is_begun ? "\"/>\n" : "", page->out);
}

static void draw_strip(const PlotPage *page, const PlotTrack *track, const Ranking *ranking, uint32_t i, int y)
{
    char name[PLOT_SLOT_NAME_SIZE], fitted[PLOT_SLOT_NAME_SIZE], element[PLOT_NAME_SIZE];
    plot_table_element_name(&track->field, page->picture->sample->layout, track->shown[i], element);
    fprintf(page->out, "<g data-element=\"%s\">\n", element);
    for (uint32_t k = 0; k < ranking->seen && k <= NAMED_STATES_MAX; k++) {
        draw_colour(page, track, ranking, track->cells[i], k, false, y);
    }
    for (uint32_t k = 0; k < ranking->seen && k <= NAMED_STATES_MAX; k++) {
        draw_colour(page, track, ranking, track->cells[i], k, true, y);
    }
    fputs("</g>\n", page->out);
    plot_page_element(page, track, i, name, sizeof(name));
    plot_svg_fit(name, PLOT_LABEL_WIDTH - 200, 110, fitted, sizeof(fitted));
    plot_svg_text(page->out, page->left - 60, y + 92, "m", PLOT_END, fitted);
    if (track->low <= track->high && track->generations[i] != 0) {
        plot_svg_fit(plot_table_state_name(&track->field, (uint32_t)track->last[i]), PLOT_VALUE_WIDTH - 100, 110, fitted, sizeof(fitted));
        plot_svg_text(page->out, page->left + page->width + 70, y + 92, "w", PLOT_START, fitted);
    }
}

// The names of the colours behind the title, on as many lines as they need. Returns where the strips may begin.
static int draw_legend(const PlotPage *page, const PlotTrack *track, const Ranking *ranking, int x, int y)
{
    int right = page->left + page->width + PLOT_VALUE_WIDTH - 60;
    for (uint32_t k = 0; k < ranking->seen && k <= NAMED_STATES_MAX; k++) {
        char text[TP_NAME_SIZE_MAX + 16];
        snprintf(text, sizeof(text), "%s", plot_table_state_name(&track->field, ranking->by_rank[k]));
        if (k == NAMED_STATES_MAX) {
            snprintf(text, sizeof(text), "%u others", ranking->seen - NAMED_STATES_MAX);
        }
        int width = 130 + plot_svg_width(text, 110) + 130;
        if (x + width > right) {
            x = page->left;
            y += LEGEND_STEP;
        }
        plot_svg_swatch(page->out, x, y + 35, 'p', k);
        plot_svg_text(page->out, x + 130, y + 115, "m", PLOT_START, text);
        x += width;
    }
    return y;
}

int plot_states_panel(PlotPage *page, int y, const PlotTrack *track)
{
    Ranking  ranking = rank_states(track);
    char     unit[64], tooltip[PLOT_NAME_SIZE + 64];
    unsigned others = track->field.elements - track->shown_count;
    snprintf(unit, sizeof(unit), others > 0 ? "%u others not shown" : " ", others);
    snprintf(tooltip, sizeof(tooltip), "%s: %u states were seen, %llu changes", track->field.name, ranking.seen, (unsigned long long)track->changes);
    fprintf(page->out, "<g class=\"panel\" data-name=\"%s\">\n", track->field.name);
    plot_page_title(page, y, track->field.name, unit, tooltip);
    y = draw_legend(page, track, &ranking, page->left + plot_svg_width(track->field.name, 120) + plot_svg_width(unit, 110) + 250, y) + PLOT_TITLE_HEIGHT;
    plot_page_frame(page, (PlotBox){ page->left, y, page->width, (int)track->shown_count * ROW_STEP + 40 });
    for (uint32_t i = 0; i < track->shown_count; i++) {
        draw_strip(page, track, &ranking, i, y + 40 + (int)i * ROW_STEP);
    }
    fputs("</g>\n", page->out);
    return y + (int)track->shown_count * ROW_STEP + 40 + PLOT_PANEL_GAP;
}

static PlotInputCell merge_inputs(const PlotPage *page, const PlotInputCell *cells, uint32_t column)
{
    PlotInputCell sum = { 0 };
    for (uint32_t i = column; i < column + page->stride && i < page->picture->sample->columns; i++) {
        sum.present += cells[i].present;
        sum.active += cells[i].active;
    }
    return sum;
}

// Where the slot was taken, and how much of that time its input was another than doing nothing.
static void draw_input_bars(const PlotPage *page, const PlotInputCell *cells, unsigned lane, unsigned full, int y)
{
    PlotPen  presence = { .out = page->out };
    PlotPen  bars = { .out = page->out };
    uint32_t columns = page->picture->sample->columns;
    char     colour[16] = "r", filling[16] = "rest";
    if (lane < PLOT_SHOWN_MAX) {
        snprintf(colour, sizeof(colour), "s%u", lane);
        snprintf(filling, sizeof(filling), "f%u", lane);
    }
    fprintf(page->out, "<path class=\"ribbon %s\" stroke-width=\"10\" stroke-opacity=\".6\" d=\"", colour);
    for (uint32_t column = 0; column < columns; column += page->stride) {
        if (merge_inputs(page, cells, column).present > 0) {
            int x = plot_page_column_x(page, column);
            if (!presence.is_down || presence.level_x != x) {
                plot_pen_move(&presence, x, y + BAR_HEIGHT);
            }
            plot_pen_line(&presence, plot_page_column_x(page, column + page->stride), y + BAR_HEIGHT);
        }
    }
    plot_pen_end(&presence, false);
    fprintf(page->out, "\"/>\n<path class=\"%s\" d=\"", filling);
    plot_pen_move(&bars, page->left, y + BAR_HEIGHT);
    for (uint32_t column = 0; column < columns; column += page->stride) {
        PlotInputCell cell = merge_inputs(page, cells, column);
        int           height = cell.active == 0 ? 0 : (int)((uint64_t)cell.active * 100 * BAR_HEIGHT / ((uint64_t)cell.present * full));
        height = cell.active > 0 && height < 12 ? 12 : height;
        plot_pen_line(&bars, plot_page_column_x(page, column), y + BAR_HEIGHT - height);
        plot_pen_line(&bars, plot_page_column_x(page, column + page->stride), y + BAR_HEIGHT - height);
    }
    plot_pen_line(&bars, page->left + page->width, y + BAR_HEIGHT);
    plot_pen_end(&bars, true);
    fputs("\"/>\n", page->out);
}

// What a bar of full height stands for: a round part of the time, in percent, that no column is above. Presses alone are few ticks. 0: nothing was done.
static unsigned full_percent(const PlotPage *page)
{
    static const unsigned rounds[] = { 1, 2, 5, 10, 20, 50, 100 };
    const PlotSample     *sample = page->picture->sample;
    unsigned              i = 0;
    bool                  is_used = false;
    for (uint32_t lane = 0; lane <= PLOT_SHOWN_MAX; lane++) {
        for (uint32_t column = 0; column < sample->columns; column += page->stride) {
            PlotInputCell cell = merge_inputs(page, sample->inputs[lane], column);
            is_used = is_used || cell.active > 0;
            while (i < 6 && (uint64_t)cell.active * 100 > (uint64_t)cell.present * rounds[i]) {
                i++;
            }
        }
    }
    return is_used ? rounds[i] : 0;
}

static void draw_input_row(const PlotPage *page, uint32_t lane, uint32_t others, unsigned full, int y)
{
    const PlotSample *sample = page->picture->sample;
    char              name[PLOT_SLOT_NAME_SIZE], fitted[PLOT_SLOT_NAME_SIZE], count[PLOT_TEXT_SIZE], text[PLOT_TEXT_SIZE + 16];
    if (lane < sample->input_slots) {
        plot_page_slot(page, lane, name, sizeof(name));
    } else {
        snprintf(name, sizeof(name), "%u others", others);
    }
    plot_svg_fit(name, PLOT_LABEL_WIDTH - 200, 110, fitted, sizeof(fitted));
    fprintf(page->out, "<g data-slot=\"%u\">\n", lane);
    draw_input_bars(page, sample->inputs[lane], lane, full, y);
    fputs("</g>\n", page->out);
    plot_svg_text(page->out, page->left - 60, y + 115, "m", PLOT_END, fitted);
    plot_axis_count(sample->input_changes[lane], count);
    snprintf(text, sizeof(text), "%s changes", count);
    plot_svg_text(page->out, page->left + page->width + 70, y + 115, "m", PLOT_START, text);
}

int plot_inputs_panel(PlotPage *page, int y)
{
    const PlotSample *sample = page->picture->sample;
    uint32_t          others = sample->layout->setup.players - sample->input_slots;
    uint32_t          rows = sample->input_slots + (others > 0 ? 1 : 0);
    int               top = y + PLOT_TITLE_HEIGHT;
    unsigned          full = full_percent(page);
    char              unit[96];
    if (rows == 0) {
        return y;
    }
    fputs("<g class=\"panel\" data-name=\"inputs\">\n", page->out);
    snprintf(unit, sizeof(unit), full == 0 ? "no slot ever gave any" : "part of the time that a slot's input was not neutral; a full bar is %u %%", full);
    plot_page_title(page, y, "inputs", unit, "inputs: how busy each slot was, where it was taken");
    plot_page_frame(page, (PlotBox){ page->left, top, page->width, (int)rows * BAR_STEP + 40 });
    for (uint32_t i = 0; i < rows; i++) {
        draw_input_row(page, i < sample->input_slots ? i : PLOT_SHOWN_MAX, others, full, top + 40 + (int)i * BAR_STEP);
    }
    fputs("</g>\n", page->out);
    return top + (int)rows * BAR_STEP + 40 + PLOT_PANEL_GAP;
}

// One row of marks: strong where many came in one column. In one colour, since colours are slots.
static void draw_marks(const PlotPage *page, const uint32_t *counts, int y)
{
    static const char *const opacities[] = { ".45", ".75", "1" };
    uint32_t columns = page->picture->sample->columns;
    for (uint32_t level = 0; level < 3; level++) {
        PlotPen pen = { .out = page->out };
        fprintf(page->out, "<path class=\"ribbon s7\" stroke-width=\"%d\" stroke-opacity=\"%s\" d=\"", ROW_HEIGHT - 20, opacities[level]);
        for (uint32_t column = 0; column < columns; column += page->stride) {
            uint64_t count = 0;
            for (uint32_t i = column; i < column + page->stride && i < columns; i++) {
                count += counts[i];
            }
            if (count > 0 && (count >= 4 ? 2u : count >= 2 ? 1u : 0u) == level) {
                int x = plot_page_column_x(page, column);
                int end = plot_page_column_x(page, column + page->stride);
                plot_pen_move(&pen, x, y + ROW_HEIGHT / 2);
                plot_pen_line(&pen, end - x < 14 ? x + 14 : end - x > 60 ? x + 60 : end, y + ROW_HEIGHT / 2);
            }
        }
        plot_pen_end(&pen, false);
        fputs("\"/>\n", page->out);
    }
}

static void draw_event_row(const PlotPage *page, const char *name, const uint32_t *counts, uint64_t total, int y)
{
    char fitted[PLOT_SLOT_NAME_SIZE], text[PLOT_TEXT_SIZE];
    fprintf(page->out, "<g data-event=\"%s\" data-count=\"%llu\">\n", name, (unsigned long long)total);
    draw_marks(page, counts, y);
    fputs("</g>\n", page->out);
    plot_svg_fit(name, PLOT_LABEL_WIDTH - 120, 110, fitted, sizeof(fitted));
    plot_svg_text(page->out, page->left - 60, y + 92, "m", PLOT_END, fitted);
    plot_axis_count(total, text);
    plot_svg_text(page->out, page->left + page->width + 70, y + 92, "m", PLOT_START, text);
}

// Types by how many there were. Returns how many types had any.
static uint32_t rank_events(const PlotSample *sample, uint32_t *types, uint32_t capacity)
{
    uint32_t seen = 0;
    for (uint32_t type = 0; type < sample->layout->world->event_count; type++) {
        if (sample->event_totals[type] == 0) {
            continue;
        }
        uint32_t k = seen < capacity ? seen : capacity;
        for (; k > 0 && sample->event_totals[types[k - 1]] < sample->event_totals[type]; k--) {
            if (k < capacity) {
                types[k] = types[k - 1];
            }
        }
        if (k < capacity) {
            types[k] = type;
        }
        seen++;
    }
    return seen;
}

int plot_events_panel(PlotPage *page, int y)
{
    const PlotSample *sample = page->picture->sample;
    uint32_t          types[EVENT_ROWS_MAX];
    uint32_t          seen = rank_events(sample, types, EVENT_ROWS_MAX);
    uint32_t          shown = seen < EVENT_ROWS_MAX ? seen : EVENT_ROWS_MAX;
    uint32_t          rows = shown + (sample->command_total > 0 ? 1 : 0);
    int               top = y + PLOT_TITLE_HEIGHT;
    char              unit[64] = "";
    if (rows == 0) {
        return y;
    }
    if (seen > shown) {
        snprintf(unit, sizeof(unit), "the most frequent of %u types", seen);
    }
    fputs("<g class=\"panel\" data-name=\"events\">\n", page->out);
    plot_page_title(page, y, sample->command_total > 0 ? "events and commands" : "events", unit, "events: when they came, and how many");
    plot_page_frame(page, (PlotBox){ page->left, top, page->width, (int)rows * ROW_STEP + 40 });
    for (uint32_t i = 0; i < shown; i++) {
        draw_event_row(page, sample->layout->world->events[types[i]].name, sample->events + (size_t)types[i] * sample->columns,
                       sample->event_totals[types[i]], top + 40 + (int)i * ROW_STEP);
    }
    if (sample->command_total > 0) {
        draw_event_row(page, "commands", sample->commands, sample->command_total, top + 40 + (int)shown * ROW_STEP);
    }
    fputs("</g>\n", page->out);
    return top + (int)rows * ROW_STEP + 40 + PLOT_PANEL_GAP;
}
