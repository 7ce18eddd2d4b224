// plot_svg.c: elements, escaping, and colours that people who see fewer of them can tell apart (Okabe and Ito's, the yellow darker on
// white).
#include "plot_svg.h"

#include <string.h>

#include "textout.h"

// Above every text that is written here.
enum { TEXT_MAX = 2048 };

typedef struct {
    const char *back, *frame, *grid, *text, *muted, *red, *green, *amber, *rest;
    const char *colours[PLOT_COLOURS];
    const char *states[PLOT_STATE_COLOURS]; // the most usual state is the palest, the last one stands for all others
} Theme;

static const Theme light = {
    "#ffffff", "#cfd5dc", "#eceff3", "#1a1f26", "#5b6570", "#c9211e", "#1a7f45", "#9a6200", "#98a2ad",
    { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8f8300", "#4a4f57" },
    { "#dde2e8", "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#cfc22a", "#4a4f57", "#9ad7c5", "#e8bcd4", "#a9c9e6",
      "#f2b48c", "#9aa3ad" },
};
static const Theme dark = {
    "#14181d", "#3a424c", "#232931", "#e8ebee", "#9aa5b1", "#ff6f66", "#4cc38a", "#f0b429", "#6d7782",
    { "#4aa8e8", "#f08a45", "#22c79b", "#e39bc4", "#8fd0f5", "#f2b632", "#e9dd4c", "#c3cad2" },
    { "#353d47", "#56b4e9", "#e69f00", "#1fb88c", "#cc79a7", "#2f8fd0", "#e0702a", "#e9dd4c", "#c3cad2", "#7fd9bd", "#f0c6dd", "#b9d6f2",
      "#f6bd96", "#6d7782" },
};

static void write_words(FILE *out, const Theme *theme)
{
    fputs("text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',Arial,sans-serif;"
          "font-variant-numeric:tabular-nums;font-size:110px}\n", out);
    fputs(".h{font-size:200px;font-weight:600}.b{font-weight:600;font-size:120px}.a{font-size:105px}.red,.green,.amber{font-weight:600}\n", out);
    fprintf(out, ".h,.b,.w{fill:%s}.m,.a{fill:%s}.red{fill:%s}.green{fill:%s}.amber{fill:%s}\n", theme->text, theme->muted, theme->red,
            theme->green, theme->amber);
}

static void write_shapes(FILE *out, const Theme *theme)
{
    fprintf(out, ".back{fill:%s}.frame,.grid,.mark,.line,.cut,.stop,.ribbon,.space{fill:none}\n", theme->back);
    fprintf(out, ".frame,.grid,.mark{stroke-width:10}.frame{stroke:%s}.grid{stroke:%s}.mark{stroke:%s}\n", theme->frame, theme->grid, theme->muted);
    fputs(".line{stroke-width:12.5;stroke-opacity:.9;stroke-linejoin:round;stroke-linecap:round}\n", out);
    fprintf(out, ".cut{stroke:%s;stroke-width:16}.stop{stroke:%s;stroke-width:14;stroke-dasharray:50 35}\n", theme->red, theme->amber);
    fprintf(out, ".past{fill:%s;fill-opacity:.09}.gap{fill:%s;fill-opacity:.18}\n", theme->red, theme->muted);
}

// An element's colour as a stroke and as a filling, and the same of states.
static void write_colours(FILE *out, const Theme *theme)
{
    for (int i = 0; i <= PLOT_COLOURS; i++) {
        const char *colour = i < PLOT_COLOURS ? theme->colours[i] : theme->text;
        fprintf(out, ".s%d{stroke:%s}.f%d{fill:%s}", i, colour, i, colour);
    }
    fputc('\n', out);
    for (int i = 0; i < PLOT_STATE_COLOURS; i++) {
        fprintf(out, ".q%d{stroke:%s}.p%d{fill:%s}", i, theme->states[i], i, theme->states[i]);
    }
    fprintf(out, "\n.r{stroke:%s}.rest{fill:%s;fill-opacity:.35}\n", theme->rest, theme->rest);
}

void plot_svg_begin(FILE *out, int width, int height, bool is_dark)
{
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %d %d\">\n", width / 10, height / 10, width, height);
    const Theme *theme = is_dark ? &dark : &light;
    fputs("<style>", out);
    write_words(out, theme);
    write_shapes(out, theme);
    write_colours(out, theme);
    fputs("</style>\n", out);
    plot_svg_rect(out, (PlotBox){ 0, 0, width, height }, "back");
}

void plot_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void plot_svg_text(FILE *out, int x, int y, const char *class, PlotAnchor anchor, const char *text)
{
    static const char *const anchors[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
    fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\"%s>", class, x, y, anchors[anchor]);
    textout_xml(out, text);
    fputs("</text>\n", out);
}

void plot_svg_rect(FILE *out, PlotBox box, const char *class)
{
    fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", class, box.x, box.y, box.width, box.height);
}

void plot_svg_tooltip(FILE *out, const char *text)
{
    fputs("<title>", out);
    textout_xml(out, text);
    fputs("</title>\n", out);
}

void plot_svg_swatch(FILE *out, int x, int y, char letter, unsigned number)
{
    fprintf(out, "<rect class=\"%c%u\" x=\"%d\" y=\"%d\" width=\"90\" height=\"90\" rx=\"20\"/>", letter, number, x, y);
}

// Widths of letters in hundredths of the font size, a little above those of the usual faces.
static int letter_width(unsigned char letter)
{
    if (letter >= 0xF0) {
        return 105;
    }
    if (letter >= 0x80) {
        return letter >= 0xE0 ? 100 : 62;
    }
    if (strchr("iljI.,:;|'!()[]/ ", letter) != NULL) {
        return 36;
    }
    if (strchr("mwMW@%", letter) != NULL) {
        return 92;
    }
    return letter >= '0' && letter <= '9' ? 65 : letter >= 'A' && letter <= 'Z' ? 70 : 60;
}

int plot_svg_width(const char *text, int font_size)
{
    int width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0' && width < 1000000; at++) {
        width += (*at & 0xC0) == 0x80 ? 0 : letter_width(*at);
    }
    return width * font_size / 100;
}

static size_t one_letter_less(const char *text, size_t length)
{
    do {
        length--;
    } while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80);
    return length;
}

void plot_svg_fit(const char *text, int width, int font_size, char *out, size_t size)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    size_t length = strlen(text);
    if (length < size && plot_svg_width(text, font_size) <= width) {
        memcpy(out, text, length + 1);
        return;
    }
    length = length < size - sizeof(ellipsis) ? length : size - sizeof(ellipsis) + 1;
    do {
        length = length > 0 ? one_letter_less(text, length) : 0;
        memcpy(out, text, length);
        memcpy(out + length, ellipsis, sizeof(ellipsis));
    } while (length > 0 && plot_svg_width(out, font_size) > width);
}

static void write_pair(FILE *out, char letter, int x, int y)
{
    fprintf(out, y < 0 ? "%c%d%d" : "%c%d %d", letter, x, y);
}

static void write_level(PlotPen *pen)
{
    if (pen->has_level && pen->level_x != pen->x) {
        fprintf(pen->out, "h%d", pen->level_x - pen->x);
        pen->x = pen->level_x;
    }
    pen->has_level = false;
}

void plot_pen_move(PlotPen *pen, int x, int y)
{
    write_level(pen);
    write_pair(pen->out, 'M', x, y);
    pen->is_down = true;
    pen->x = x;
    pen->y = y;
}

void plot_pen_line(PlotPen *pen, int x, int y)
{
    if (!pen->is_down) {
        plot_pen_move(pen, x, y);
        return;
    }
    if (y == pen->y) {
        // Back and forth on one level is two lines, not a shorter one.
        bool turns = pen->has_level && (x < pen->level_x) != (pen->level_x < pen->x);
        if (turns) {
            write_level(pen);
        }
        pen->has_level = true;
        pen->level_x = x;
        return;
    }
    write_level(pen);
    if (x == pen->x) {
        fprintf(pen->out, "v%d", y - pen->y);
    } else {
        write_pair(pen->out, 'l', x - pen->x, y - pen->y);
    }
    pen->x = x;
    pen->y = y;
}

void plot_pen_end(PlotPen *pen, bool closes)
{
    write_level(pen);
    if (closes && pen->is_down) {
        fputc('z', pen->out);
    }
    pen->is_down = false;
}
