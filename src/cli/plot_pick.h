// plot_pick.h: which fields become panels: those that --fields names, or the best ones by a rule made from the tables and from how the
// fields moved.
#pragma once

#include "plot_sample.h"

enum { PLOT_PATTERNS_MAX = 64 };

/// "section[3].field[1]", "section.field", "field"; a * for section or field stands for all.
typedef struct {
    char    section[TP_NAME_SIZE_MAX + 1]; ///< empty: any
    char    field[TP_NAME_SIZE_MAX + 8];
    int64_t element, value;                ///< -1: all
    bool    is_used;
} PlotPattern;

/// Adds the patterns of a list with commas. False: `error` names the one that is none.
bool plot_pick_parse(const char *list, PlotPattern *patterns, uint32_t *count, tp_error *error);

/// Tracks to sample, before the first tick, at most PLOT_TRACKS_MAX: with patterns what they match, else what the rule may choose,
/// or with `takes_all` everything. `*left_out` counts fields that found no room. False: `error` names a pattern that matches nothing.
bool plot_pick_tracks(const tp_layout *layout, PlotPattern *patterns, uint32_t pattern_count, bool takes_all, PlotTrack *tracks, uint32_t *count,
                      uint32_t *left_out, tp_error *error);

/// After the last tick: fills `chosen` with tracks in the order of their panels, at most `panels_max`. `by_name`: all there are.
/// Returns how many; `*left_out` gets those that could have been.
uint32_t plot_pick_choose(PlotSample *sample, bool by_name, uint32_t panels_max, uint32_t *chosen, uint32_t *left_out);
