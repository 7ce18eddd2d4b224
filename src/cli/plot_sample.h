// plot_sample.h: a run on its way into a bounded number of columns. Each column of a field keeps the lowest and the highest value of all
// its ticks, so that nothing that lasted one tick is lost, however long the log is. Memory depends on columns and fields, not on ticks.
#pragma once

#include "plot_space.h"
#include "plot_table.h"
#include "tickproof/replay.h"

enum { PLOT_SHOWN_MAX = 8, PLOT_TRACKS_MAX = 256, PLOT_SPACES_MAX = 2, PLOT_COLUMNS_MAX = 4000 };

/// NUMBER: lowest, highest and last value; empty when low is above high. STATES: `low` is the state of most ticks, `high` the one of
/// fewest, or -1 when there was but one; empty when low is below 0.
typedef struct {
    int64_t low, high;
} PlotCell;

/// A field on its way. The first few elements of those asked for have columns of their own; all others share one, which keeps what any
/// of them reached.
typedef struct {
    PlotField field;
    uint32_t  shown_count;
    uint32_t  shown[PLOT_SHOWN_MAX];  ///< elements, ascending
    PlotCell *cells[PLOT_SHOWN_MAX];
    int64_t   last[PLOT_SHOWN_MAX];   ///< after the last tick
    uint32_t  generations[PLOT_SHOWN_MAX]; ///< after the last tick; 0: it is a free slot of a pool, and `last` is none
    uint64_t  element_changes[PLOT_SHOWN_MAX];
    bool      has_rest;               ///< all elements were asked for, and there are more than are shown
    PlotCell *rest;                   ///< NULL: none, or STATES
    uint64_t  changes, rises;         ///< of the shown ones; `changes` also counts ticks after which the rest's ends moved
    int64_t   low, high;              ///< over all of them; low above high: nothing was sampled

    uint64_t *totals;                 ///< STATES: ticks by state
    int64_t   before[PLOT_SHOWN_MAX]; ///< after the tick before the last one
    bool      is_same[PLOT_SHOWN_MAX]; ///< `before` is of the same thing: its slot was not freed meanwhile
    uint32_t *counts[PLOT_SHOWN_MAX]; ///< STATES: ticks of the open column by state
    int64_t   previous[PLOT_SHOWN_MAX]; ///< raw, for rates
    PlotCell  previous_rest;
    bool      is_chosen;
} PlotTrack;

/// Of one slot in one column, in ticks.
typedef struct {
    uint32_t present, active, changes;
} PlotInputCell;

typedef struct {
    const tp_layout *layout;
    uint64_t         first, end;   ///< states first to end, by steps done
    uint64_t         width;        ///< ticks of a column
    uint32_t         columns;

    PlotTrack *tracks;
    uint32_t   track_count;
    PlotSpace  spaces[PLOT_SPACES_MAX];
    uint32_t   space_count;

    PlotInputCell *inputs[PLOT_SHOWN_MAX + 1]; ///< of the first slots; the last one sums all others
    uint64_t       input_changes[PLOT_SHOWN_MAX + 1];
    uint32_t       input_slots;    ///< with columns of their own
    uint32_t      *events;         ///< by type, then column
    uint64_t      *event_totals;
    uint32_t      *commands;       ///< by column
    uint64_t       command_total;

    uint8_t  neutral[TP_INPUT_SIZE_MAX];
    uint8_t  last_inputs[TP_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    bool     has_states, has_inputs;
    uint64_t last_state, last_input; ///< ticks
} PlotSample;

/// Takes all memory: columns for states `first` to `end`, at most `columns_max`. `tracks` have field, shown elements and has_rest
/// filled in, and are moved in. False: out of memory; finish it in any case.
bool plot_sample_init(PlotSample *sample, const tp_layout *layout, uint64_t first, uint64_t end, uint32_t columns_max,
                      const PlotTrack *tracks, uint32_t track_count, const PlotPair *pairs, uint32_t pair_count);
void plot_sample_finish(PlotSample *sample);

/// A state. One outside of the window, or not later than the last one, is left out.
void plot_sample_state(PlotSample *sample, const tp_view *view);
/// The row of a step, and the events of it (of `view` after that step; NULL: it faulted).
void plot_sample_row(PlotSample *sample, const tp_log_row *row, const tp_view *view);
/// Closes the last column.
void plot_sample_close(PlotSample *sample);
