// plot_svg.h: writing SVG 1.1 without scripts, fonts or floating-point numbers. All lengths are tenths of a pixel, and the document's
// viewBox says so.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_COLOURS = 8, PLOT_STATE_COLOURS = 14 };

typedef struct {
    int x, y, width, height;
} PlotBox;

typedef enum { PLOT_START, PLOT_MIDDLE, PLOT_END } PlotAnchor;

/// The head of the document with its style sheet: classes s0.. (stroke) and f0.. (fill) of elements, q0.. of states (stroke), and words. Class s8 and f8
/// are for what is alone and nobody's.
void plot_svg_begin(FILE *out, int width, int height, bool is_dark);
void plot_svg_end(FILE *out);
/// Text in a class; it is escaped.
void plot_svg_text(FILE *out, int x, int y, const char *class, PlotAnchor anchor, const char *text);
void plot_svg_rect(FILE *out, PlotBox box, const char *class);
/// <title>...</title>: what shows when the pointer rests there.
void plot_svg_tooltip(FILE *out, const char *text);
/// A square of an element's (`letter` f) or a state's (q) colour.
void plot_svg_swatch(FILE *out, int x, int y, char letter, unsigned number);

/// About how wide a text is in a font of this size; no renderer is asked.
int plot_svg_width(const char *text, int font_size);
/// Cuts a text to a width, with an ellipsis, at a whole letter. `size` bytes at `out`.
void plot_svg_fit(const char *text, int width, int font_size, char *out, size_t size);

/// The pen of one path's data: relative, shortest form, and points on a straight level line are left out.
typedef struct {
    FILE *out;
    bool  is_down, has_level;
    int   x, y;     // what the reader of the path knows
    int   level_x;  // where the level line ends that is not written yet
} PlotPen;

void plot_pen_move(PlotPen *pen, int x, int y);
void plot_pen_line(PlotPen *pen, int x, int y);
/// Writes what is held back; with `closes`, z.
void plot_pen_end(PlotPen *pen, bool closes);
