// plot_space.c: when a place lies outside of the grid, four cells become one and the grid reaches twice as far.
#include "plot_space.h"

#include <stdlib.h>
#include <string.h>

bool plot_space_init(PlotSpace *space, uint32_t layers, int shift)
{
    space->layers = layers;
    space->shift = shift;
    for (uint32_t i = 0; i < layers; i++) {
        space->counts[i] = calloc((size_t)PLOT_GRID * PLOT_GRID, sizeof(uint32_t));
        if (space->counts[i] == NULL) {
            return false;
        }
    }
    return true;
}

void plot_space_finish(PlotSpace *space)
{
    for (uint32_t i = 0; i < PLOT_LAYERS_MAX; i++) {
        free(space->counts[i]);
        space->counts[i] = NULL;
    }
}

static void halve_layer(uint32_t *counts, uint32_t from_x, uint32_t from_y)
{
    static uint32_t halved[PLOT_GRID * PLOT_GRID];
    memset(halved, 0, sizeof(halved));
    for (uint32_t y = 0; y < PLOT_GRID; y++) {
        for (uint32_t x = 0; x < PLOT_GRID; x++) {
            halved[(y + from_y) / 2 * PLOT_GRID + (x + from_x) / 2] += counts[y * PLOT_GRID + x];
        }
    }
    memcpy(counts, halved, sizeof(halved));
}

static void grow(PlotSpace *space, bool goes_left, bool goes_down)
{
    int64_t size = (int64_t)PLOT_GRID << space->shift;
    for (uint32_t i = 0; i < space->layers; i++) {
        halve_layer(space->counts[i], goes_left ? PLOT_GRID : 0, goes_down ? PLOT_GRID : 0);
    }
    space->left -= goes_left ? size : 0;
    space->bottom -= goes_down ? size : 0;
    space->shift++;
}

static bool is_far(int64_t value)
{
    return value > INT64_C(1) << 60 || value < -(INT64_C(1) << 60);
}

void plot_space_take(PlotSpace *space, uint32_t layer, int64_t x, int64_t y)
{
    if (is_far(x) || is_far(y)) {
        return;
    }
    if (!space->is_started) {
        space->is_started = true;
        space->left = x - ((int64_t)PLOT_GRID / 2 << space->shift);
        space->bottom = y - ((int64_t)PLOT_GRID / 2 << space->shift);
    }
    for (;;) {
        int64_t size = (int64_t)PLOT_GRID << space->shift;
        if (x >= space->left && x - space->left < size && y >= space->bottom && y - space->bottom < size) {
            break;
        }
        grow(space, x < space->left, y < space->bottom);
    }
    uint32_t column = (uint32_t)((x - space->left) >> space->shift);
    uint32_t row = (uint32_t)((y - space->bottom) >> space->shift);
    space->counts[layer][row * PLOT_GRID + column]++;
}

void plot_space_move(PlotSpace *space, uint32_t layer, int64_t from_x, int64_t from_y, int64_t x, int64_t y)
{
    if (is_far(from_x) || is_far(from_y) || is_far(x) || is_far(y)) {
        return;
    }
    plot_space_take(space, layer, x, y);
    int64_t across = (x - from_x) >> space->shift;
    int64_t up = (y - from_y) >> space->shift;
    int64_t steps = llabs(across) > llabs(up) ? llabs(across) : llabs(up);
    for (int64_t i = 1; i < steps && steps <= PLOT_GRID / 16; i++) {
        plot_space_take(space, layer, from_x + (x - from_x) / steps * i, from_y + (y - from_y) / steps * i);
    }
}

bool plot_space_box(const PlotSpace *space, uint32_t box[4])
{
    bool is_found = false;
    for (uint32_t i = 0; i < space->layers; i++) {
        for (uint32_t cell = 0; cell < PLOT_GRID * PLOT_GRID; cell++) {
            uint32_t x = cell % PLOT_GRID;
            uint32_t y = cell / PLOT_GRID;
            if (space->counts[i][cell] == 0) {
                continue;
            }
            box[0] = is_found && box[0] < x ? box[0] : x;
            box[1] = is_found && box[1] < y ? box[1] : y;
            box[2] = is_found && box[2] > x ? box[2] : x;
            box[3] = is_found && box[3] > y ? box[3] : y;
            is_found = true;
        }
    }
    return is_found;
}
