// plot_page.h: a sampled run as a picture: what stands where. Panels below each other share one scale of time.
#pragma once

#include "plot_axis.h"
#include "plot_sample.h"
#include "plot_scan.h"
#include "plot_svg.h"
#include "tickproof/verify.h"

enum { PLOT_WIDTH_MIN = 480, PLOT_WIDTH_MAX = 4000, PLOT_HEIGHT_MAX = 20000 };

/// Everything that is drawn. Borrowed for the call.
typedef struct {
    const PlotScan   *scan;
    const PlotSample *sample;
    const tp_report  *report;
    const uint32_t   *chosen;     ///< tracks
    uint32_t          chosen_count;
    uint32_t          left_out;   ///< fields that could be drawn and are not
    const char       *described;  ///< the world's own line about the last state; empty: none
    uint32_t          width, height; ///< pixels; height 0: as high as it gets
    bool              is_dark;
} PlotPicture;

/// The SVG document; free it. Else INTERNAL (out of memory) or USAGE (a height that is too small for it), and `error` says so.
tp_verdict plot_page_make(const PlotPicture *picture, char **document, size_t *size, tp_error *error);

// What panels share. Lengths are tenths of a pixel.

enum {
    PLOT_MARGIN       = 240,
    PLOT_LABEL_WIDTH  = 1040, ///< left of a panel
    PLOT_VALUE_WIDTH  = 1330, ///< right of it
    PLOT_TITLE_HEIGHT = 190,
    PLOT_PANEL_GAP    = 110,
    PLOT_ROW          = 160,  ///< of text
    PLOT_FRAMES_MAX   = PLOT_TRACKS_MAX + PLOT_SPACES_MAX + 3,
};

typedef struct {
    FILE              *out;
    const PlotPicture *picture;
    uint32_t           stride;       ///< columns drawn as one, in this panel
    uint32_t           strides[PLOT_FRAMES_MAX];     ///< the same of each panel, in order
    size_t             panel_sizes[PLOT_FRAMES_MAX]; ///< bytes
    uint32_t           panel_count;
    long               panel_begin;
    int                left, width;  ///< of the scale of time
    int                taller;       ///< added to each panel with lines
    PlotBox            frames[PLOT_FRAMES_MAX]; ///< of the panels over time, for what is drawn across them
    uint32_t           frame_count;
    uint32_t           line_panels;  ///< counted while drawing
    uint64_t           step_ms;      ///< between marks of time; 0: one at each tick
} PlotPage;

/// Where the state with `tick` steps done stands.
int plot_page_x(const PlotPage *page, double tick);
/// Where the steps of `column` begin, and where the value of the columns from `column` on that are drawn as one stands.
int plot_page_column_x(const PlotPage *page, uint32_t column);
int plot_page_middle_x(const PlotPage *page, uint32_t column);
/// Milliseconds from tick 0 to `tick`, rounded down.
uint64_t plot_page_ms(const PlotPage *page, uint64_t tick);

/// Marks of time stand at round times, and in a log of few ticks at each of them.
typedef struct {
    int      x;
    uint64_t ms, tick;
    bool     is_tick; ///< it is at a whole tick, and `tick` is that
} PlotMark;
/// The k-th one. False: past the end.
bool plot_page_mark(const PlotPage *page, uint64_t k, PlotMark *mark);
/// Light lines at the marks of time, and a frame around them.
void plot_page_frame(PlotPage *page, PlotBox box);
/// Opens a panel: group, tooltip, title with unit. `data` is what it shows, for programs that read the picture.
void plot_page_title(const PlotPage *page, int y, const char *name, const char *unit, const char *tooltip);
/// A slot's name, or "slot 3".
void plot_page_slot(const PlotPage *page, uint32_t slot, char *text, size_t size);
/// What an element is called at a panel's side: a slot's name, "#3", or "" when there is but one.
void plot_page_element(const PlotPage *page, const PlotTrack *track, uint32_t i, char *text, size_t size);

// Across the panels.

/// Words above the panels about moments. Returns where the panels may begin.
int plot_flags_above(const PlotPage *page, int y);
/// Lines from the words down through every frame so far, and shades over what is another run or is missing.
void plot_flags_across(const PlotPage *page, int flag_top, int flag_bottom);
/// The scale of time, with keyframes. Returns where it ends.
int plot_flags_time(const PlotPage *page, int y);

// Panels. Each draws itself from `y` down and returns where it ends.

int plot_lines_panel(PlotPage *page, int y, const PlotTrack *track);
int plot_states_panel(PlotPage *page, int y, const PlotTrack *track);
int plot_inputs_panel(PlotPage *page, int y);
int plot_events_panel(PlotPage *page, int y);
int plot_where_panel(PlotPage *page, int y, const PlotSpace *space);
