// plot_space.h: where things were: ticks spent in each cell of a grid that grows with what it has to hold.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PLOT_GRID = 512, PLOT_LAYERS_MAX = 9 };

typedef struct {
    uint32_t  track_x, track_y;   ///< tracks whose shown elements are the layers
    int64_t   left, bottom;       ///< raw value at the corner of cell 0, 0
    int       shift;              ///< a cell is 2^shift raw units wide and high
    bool      is_started;
    uint32_t  layers;
    uint32_t *counts[PLOT_LAYERS_MAX]; ///< [y * PLOT_GRID + x]
} PlotSpace;

/// False: out of memory; finish it in any case. A cell starts as 2^shift.
bool plot_space_init(PlotSpace *space, uint32_t layers, int shift);
void plot_space_finish(PlotSpace *space);
/// Counts a tick at x, y (raw). Places beyond 2^60 are left out.
void plot_space_take(PlotSpace *space, uint32_t layer, int64_t x, int64_t y);
/// The same, and a pass through the cells on the way there from where the tick before was, unless that is too far for a move.
void plot_space_move(PlotSpace *space, uint32_t layer, int64_t from_x, int64_t from_y, int64_t x, int64_t y);
/// Smallest box of cells with anything in it. False: nothing.
bool plot_space_box(const PlotSpace *space, uint32_t box[4]);
