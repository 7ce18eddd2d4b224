// plot_where.c: a panel of space: where things were, stronger where they were longer. A place has the colour of who was there longest, since
// colours above each other are none's. Both ways have one scale, since they have one unit.
#include <string.h>

#include "plot_page.h"

// A few tens of thousands of runs are as much as a browser draws at once, and as much as an eye can tell apart.
enum { WHERE_HEIGHT = 2400, WHERE_WIDTH_LEAST = 4000, WHERE_LEVELS = 4, RUNS_MAX = 9000 };

typedef struct {
    const PlotPage  *page;
    const PlotSpace *space;
    PlotBox          box;
    uint32_t         merged;        // so many cells of the grid, in both ways, are drawn as one
    uint32_t         side;          // drawn cells in both ways
    uint8_t         *kinds;         // of drawn cells: 0 for nothing, then by layer and level
    double           cell;          // the side of a drawn cell in units
    double           left, bottom;  // of the box, in units from the grid's corner: far from zero a double would not tell its cells apart
    double           scale;         // tenths of a pixel in a unit
} Where;

static int x_of(const Where *where, double units)
{
    return where->box.x + (int)((units - where->left) * where->scale + 0.5);
}

static int y_of(const Where *where, double units)
{
    return where->box.y + where->box.height - (int)((units - where->bottom) * where->scale + 0.5);
}

static double fraction_of(const Where *where)
{
    const PlotTrack *track = &where->page->picture->sample->tracks[where->space->track_x];
    return (double)(UINT64_C(1) << track->field.fraction_bits);
}


// How strong a cell is drawn: by doublings below the busiest one's ticks.
static unsigned level_of(uint32_t count, uint32_t most)
{
    unsigned level = WHERE_LEVELS;
    for (uint64_t reach = count; reach < most && level > 1; reach *= 6) {
        level--;
    }
    return count == 0 ? 0 : level;
}

// Ticks in a drawn cell.
static uint32_t count_at(const Where *where, const uint32_t *counts, uint32_t x, uint32_t y)
{
    uint64_t sum = 0;
    for (uint32_t k = y * where->merged; k < (y + 1) * where->merged; k++) {
        for (uint32_t i = x * where->merged; i < (x + 1) * where->merged; i++) {
            sum += counts[k * PLOT_GRID + i];
        }
    }
    return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

static uint32_t most_of(const Where *where, const uint32_t *counts)
{
    uint32_t most = 0;
    for (uint32_t cell = 0; cell < where->side * where->side; cell++) {
        uint32_t count = count_at(where, counts, cell % where->side, cell / where->side);
        most = count > most ? count : most;
    }
    return most;
}

// Who was there longest, and how long for them; those who are not shown only where nobody else was.
static void mark_cells(Where *where)
{
    const PlotTrack *track = &where->page->picture->sample->tracks[where->space->track_x];
    uint32_t         most[PLOT_LAYERS_MAX];
    for (uint32_t layer = 0; layer < where->space->layers; layer++) {
        most[layer] = most_of(where, where->space->counts[layer]);
    }
    for (uint32_t cell = 0; cell < where->side * where->side; cell++) {
        uint32_t longest = 0;
        where->kinds[cell] = 0;
        for (uint32_t layer = 0; layer < where->space->layers; layer++) {
            uint32_t count = count_at(where, where->space->counts[layer], cell % where->side, cell / where->side);
            bool     is_shown = layer < track->shown_count;
            if (count > 0 && (is_shown ? count > longest : longest == 0)) {
                longest = count;
                where->kinds[cell] = (uint8_t)(layer * WHERE_LEVELS + level_of(count, most[layer]));
            }
        }
    }
}

// Level lines of cells of one kind, as one path.
static void draw_kind(const Where *where, uint8_t kind, int size)
{
    PlotPen pen = { .out = where->page->out };
    for (uint32_t y = 0; y < where->side; y++) {
        for (uint32_t x = 0; x < where->side; x++) {
            uint32_t first = x;
            while (x < where->side && where->kinds[y * where->side + x] == kind) {
                x++;
            }
            if (x > first) {
                int left = x_of(where, first * where->cell);
                int right = x_of(where, x * where->cell);
                plot_pen_move(&pen, left, y_of(where, y * where->cell) - size / 2);
                plot_pen_line(&pen, right - left < 12 ? left + 12 : right, pen.y);
            }
        }
    }
    plot_pen_end(&pen, false);
}

static void draw_cells(const Where *where)
{
    static const char *const opacities[] = { ".45", ".6", ".8", "1" };
    const PlotTrack *track = &where->page->picture->sample->tracks[where->space->track_x];
    bool             is_seen[PLOT_LAYERS_MAX * WHERE_LEVELS + 1] = { false };
    int              size = (int)(where->cell * where->scale + 0.999);
    size = size < 12 ? 12 : size;
    for (uint32_t cell = 0; cell < where->side * where->side; cell++) {
        is_seen[where->kinds[cell]] = true;
    }
    for (uint32_t layer = where->space->layers; layer > 0; layer--) {
        for (unsigned level = 1; level <= WHERE_LEVELS; level++) {
            uint8_t kind = (uint8_t)((layer - 1) * WHERE_LEVELS + level);
            char    class[16];
            snprintf(class, sizeof(class), layer - 1 < track->shown_count ? "s%u" : "r", layer - 1);
            if (is_seen[kind]) {
                fprintf(where->page->out, "<path class=\"space %s\" stroke-opacity=\"%s\" stroke-width=\"%d\" d=\"", class, opacities[level - 1], size);
                draw_kind(where, kind, size);
                fputs("\"/>\n", where->page->out);
            }
        }
    }
}

// Cells grow until the picture is not larger than it needs to be.
static void choose_cells(Where *where)
{
    uint32_t runs = RUNS_MAX + 1;
    for (where->merged = 1; runs > RUNS_MAX && where->merged <= 16; where->merged *= 2) {
        where->side = PLOT_GRID / where->merged;
        mark_cells(where);
        runs = 0;
        for (uint32_t cell = 1; cell < where->side * where->side; cell++) {
            runs += where->kinds[cell] != 0 && where->kinds[cell] != where->kinds[cell - 1] ? 1 : 0;
        }
    }
    where->merged /= 2;
}

static void draw_marks_across(const Where *where)
{
    const PlotBox *box = &where->box;
    char           text[PLOT_TEXT_SIZE];
    double         corner = (double)where->space->left / fraction_of(where);
    double         left = corner + where->left;
    double         right = left + box->width / where->scale;
    PlotAxis       axis = plot_axis_of(left, right, box->width / 1000 + 1, false);
    for (int64_t k = axis.first; k <= axis.last; k++) {
        double mark = plot_axis_mark(&axis, k);
        if (mark >= left && mark <= right) {
            int at = x_of(where, mark - corner);
            fprintf(where->page->out, "<path class=\"grid\" d=\"M%d %dv%d\"/>\n", at, box->y, box->height);
            plot_axis_label(&axis, k, text);
            plot_svg_text(where->page->out, at, box->y + box->height + 140, "a", PLOT_MIDDLE, text);
        }
    }
}

static void draw_marks_up(const Where *where)
{
    const PlotBox *box = &where->box;
    char           text[PLOT_TEXT_SIZE];
    double         corner = (double)where->space->bottom / fraction_of(where);
    double         bottom = corner + where->bottom;
    double         top = bottom + box->height / where->scale;
    PlotAxis       axis = plot_axis_of(bottom, top, box->height / 300 + 1, false);
    for (int64_t k = axis.first; k <= axis.last; k++) {
        double mark = plot_axis_mark(&axis, k);
        int    at = mark >= bottom && mark <= top ? y_of(where, mark - corner) : box->y;
        if (at >= box->y + 10 && at <= box->y + box->height - 10) {
            fprintf(where->page->out, "<path class=\"grid\" d=\"M%d %dh%d\"/>\n", box->x, at, box->width);
            plot_axis_label(&axis, k, text);
            plot_svg_text(where->page->out, box->x - 60, at + 38, "a", PLOT_END, text);
        }
    }
}

// What was reached fits in with a little room; the longer side decides the scale, and the frame is as high as it needs to be.
static bool place(Where *where, int y)
{
    uint32_t grid[4] = { 0 };
    if (!plot_space_box(where->space, grid)) {
        return false;
    }
    choose_cells(where);
    for (int i = 0; i < 4; i++) {
        grid[i] /= where->merged;
    }
    where->cell = (double)(UINT64_C(1) << where->space->shift) / fraction_of(where) * where->merged;
    double left = grid[0] * where->cell;
    double width = (grid[2] - grid[0] + 1) * where->cell * 1.06;
    double height = (grid[3] - grid[1] + 1) * where->cell * 1.12;
    double wide = where->page->width / width;
    double high = WHERE_HEIGHT / height;
    where->scale = wide < high ? wide : high;
    int pixels = (int)(height * where->scale + 0.5);
    int across = (int)(width * where->scale + 0.5);
    across = across < WHERE_WIDTH_LEAST ? WHERE_WIDTH_LEAST : across;
    where->box = (PlotBox){ where->page->left, y, across < where->page->width ? across : where->page->width, pixels < 500 ? 500 : pixels };
    where->left = left + width / 2.12 - where->box.width / where->scale / 2;
    where->bottom = grid[1] * where->cell + height / 2.24 - where->box.height / where->scale / 2;
    return true;
}

int plot_where_panel(PlotPage *page, int y, const PlotSpace *space)
{
    static uint8_t   kinds[PLOT_GRID * PLOT_GRID];
    const PlotTrack *x = &page->picture->sample->tracks[space->track_x];
    const PlotTrack *other = &page->picture->sample->tracks[space->track_y];
    Where            where = { .page = page, .space = space, .kinds = kinds };
    char             name[2 * PLOT_NAME_SIZE], unit[96];
    if (!place(&where, y + PLOT_TITLE_HEIGHT)) {
        return y;
    }
    snprintf(name, sizeof(name), "%s, %s", x->field.name, other->field.field->name);
    snprintf(unit, sizeof(unit), "%s; in the colour of who was there longest", x->field.unit);
    fprintf(page->out, "<g class=\"panel\" data-name=\"%s\">\n", name);
    plot_page_title(page, y, name, unit, "where each was, all the time together");
    draw_marks_across(&where);
    draw_marks_up(&where);
    draw_cells(&where);
    plot_svg_rect(page->out, where.box, "frame");
    fputs("</g>\n", page->out);
    return where.box.y + where.box.height + 160 + PLOT_PANEL_GAP;
}
