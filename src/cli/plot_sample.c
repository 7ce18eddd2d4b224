// plot_sample.c: states and rows into columns.
#include "plot_sample.h"

#include <stdlib.h>
#include <string.h>

static const PlotCell empty_number = { INT64_MAX, INT64_MIN };
static const PlotCell empty_states = { -1, -1 };

static PlotCell *make_cells(uint32_t columns, PlotCell empty)
{
    PlotCell *cells = malloc(columns * sizeof(*cells));
    for (uint32_t i = 0; cells != NULL && i < columns; i++) {
        cells[i] = empty;
    }
    return cells;
}

static bool take_track_memory(PlotTrack *track, uint32_t columns)
{
    bool is_states = track->field.kind == PLOT_STATES;
    bool is_fine = true;
    track->low = INT64_MAX;
    track->high = INT64_MIN;
    track->previous_rest = empty_number;
    if (is_states) {
        track->totals = calloc(track->field.state_count, sizeof(*track->totals));
        is_fine = track->totals != NULL;
    } else if (track->has_rest) {
        track->rest = make_cells(columns, empty_number);
        is_fine = track->rest != NULL;
    }
    for (uint32_t i = 0; i < track->shown_count && is_fine; i++) {
        track->cells[i] = make_cells(columns, is_states ? empty_states : empty_number);
        track->counts[i] = is_states ? calloc(track->field.state_count, sizeof(uint32_t)) : NULL;
        is_fine = track->cells[i] != NULL && (!is_states || track->counts[i] != NULL);
    }
    return is_fine;
}

static bool take_input_memory(PlotSample *sample)
{
    const tp_world *world = sample->layout->world;
    uint32_t        players = sample->layout->setup.players;
    sample->input_slots = players < PLOT_SHOWN_MAX ? players : PLOT_SHOWN_MAX;
    sample->commands = calloc(sample->columns, sizeof(uint32_t));
    sample->events = calloc((size_t)world->event_count * sample->columns + 1, sizeof(uint32_t));
    sample->event_totals = calloc(world->event_count + 1, sizeof(uint64_t));
    bool is_fine = sample->commands != NULL && sample->events != NULL && sample->event_totals != NULL;
    for (uint32_t i = 0; i <= PLOT_SHOWN_MAX && is_fine; i++) {
        sample->inputs[i] = calloc(sample->columns, sizeof(PlotInputCell));
        is_fine = sample->inputs[i] != NULL;
    }
    if (players > 0) {
        tp_input_neutral(sample->layout, sample->neutral);
    }
    return is_fine;
}

static uint32_t find_track(const PlotSample *sample, const PlotField *field)
{
    for (uint32_t i = 0; i < sample->track_count; i++) {
        const PlotField *other = &sample->tracks[i].field;
        if (other->section == field->section && other->field == field->field && !other->is_rate) {
            return i;
        }
    }
    return UINT32_MAX;
}

// An eighth of a unit to begin with; it grows soon enough.
static bool take_space_memory(PlotSample *sample, const PlotPair *pair)
{
    PlotSpace *space = &sample->spaces[sample->space_count];
    space->track_x = find_track(sample, &pair->x);
    space->track_y = find_track(sample, &pair->y);
    if (space->track_x == UINT32_MAX || space->track_y == UINT32_MAX) {
        return true;
    }
    const PlotTrack *track = &sample->tracks[space->track_x];
    const PlotTrack *other = &sample->tracks[space->track_y];
    if (track->shown_count != other->shown_count || track->has_rest != other->has_rest || memcmp(track->shown, other->shown, sizeof(track->shown)) != 0) {
        return true; // --fields asked for other elements of x than of y
    }
    sample->space_count++;
    return plot_space_init(space, track->shown_count + (track->has_rest ? 1 : 0), pair->x.fraction_bits > 3 ? (int)pair->x.fraction_bits - 3 : 0);
}

bool plot_sample_init(PlotSample *sample, const tp_layout *layout, uint64_t first, uint64_t end, uint32_t columns_max,
                      const PlotTrack *tracks, uint32_t track_count, const PlotPair *pairs, uint32_t pair_count)
{
    *sample = (PlotSample){ .layout = layout, .first = first, .end = end };
    // Not the number of states, which may be 2^64.
    uint64_t span = end - first;
    sample->width = span / columns_max + 1;
    sample->columns = (uint32_t)(span / sample->width) + 1;
    sample->tracks = calloc(track_count + 1, sizeof(*sample->tracks));
    if (sample->tracks == NULL || !take_input_memory(sample)) {
        return false;
    }
    memcpy(sample->tracks, tracks, track_count * sizeof(*tracks));
    sample->track_count = track_count;
    bool is_fine = true;
    for (uint32_t i = 0; i < track_count && is_fine; i++) {
        is_fine = take_track_memory(&sample->tracks[i], sample->columns);
    }
    for (uint32_t i = 0; i < pair_count && i < PLOT_SPACES_MAX && is_fine; i++) {
        is_fine = take_space_memory(sample, &pairs[i]);
    }
    return is_fine;
}

void plot_sample_finish(PlotSample *sample)
{
    for (uint32_t i = 0; i < sample->track_count; i++) {
        PlotTrack *track = &sample->tracks[i];
        for (uint32_t k = 0; k < PLOT_SHOWN_MAX; k++) {
            free(track->cells[k]);
            free(track->counts[k]);
        }
        free(track->rest);
        free(track->totals);
    }
    for (uint32_t i = 0; i <= PLOT_SHOWN_MAX; i++) {
        free(sample->inputs[i]);
    }
    for (uint32_t i = 0; i < sample->space_count; i++) {
        plot_space_finish(&sample->spaces[i]);
    }
    free(sample->tracks);
    free(sample->events);
    free(sample->event_totals);
    free(sample->commands);
    *sample = (PlotSample){ 0 };
}

static uint32_t column_of(const PlotSample *sample, uint64_t tick)
{
    return (uint32_t)((tick - sample->first) / sample->width);
}

static void widen(PlotCell *cell, int64_t value)
{
    cell->low = value < cell->low ? value : cell->low;
    cell->high = value > cell->high ? value : cell->high;
}

// The open column's counts become its cell: the state of most ticks, and the one that would be lost most easily.
static void fold_states(PlotTrack *track, uint32_t i, uint32_t column)
{
    uint32_t *counts = track->counts[i];
    PlotCell  cell = empty_states;
    for (uint32_t state = 0; state < track->field.state_count; state++) {
        if (counts[state] > 0 && (cell.low < 0 || counts[state] > counts[cell.low])) {
            cell.low = state;
        }
    }
    for (uint32_t state = 0; state < track->field.state_count; state++) {
        if (counts[state] > 0 && state != cell.low && (cell.high < 0 || counts[state] < counts[cell.high])) {
            cell.high = state;
        }
    }
    if (cell.low >= 0) {
        track->cells[i][column] = cell;
        memset(counts, 0, track->field.state_count * sizeof(*counts));
    }
}

static void fold_all(PlotSample *sample, uint32_t column)
{
    for (uint32_t i = 0; i < sample->track_count; i++) {
        PlotTrack *track = &sample->tracks[i];
        for (uint32_t k = 0; k < track->shown_count && track->field.kind == PLOT_STATES; k++) {
            fold_states(track, k, column);
        }
    }
}

static void note_change(PlotTrack *track, uint32_t i, int64_t value)
{
    if (value != track->last[i]) {
        track->changes++;
        track->element_changes[i]++;
        track->rises += value > track->last[i] ? 1 : 0;
    }
}

// Of a rate: only what rose since the tick before is one.
static bool find_value(PlotTrack *track, uint32_t i, const tp_view *view, bool is_next, int64_t *value)
{
    *value = plot_table_value(&track->field, view, track->shown[i]);
    if (!track->field.is_rate) {
        return true;
    }
    int64_t before = track->previous[i];
    bool    is_rise = is_next && *value >= before && (before >= 0 || *value <= INT64_MAX + before);
    track->previous[i] = *value;
    *value = is_rise ? *value - before : 0;
    return is_rise;
}

static void take_shown(PlotTrack *track, uint32_t i, const tp_view *view, uint32_t column, bool is_next)
{
    int64_t  value = 0;
    uint32_t generation = plot_table_generation(&track->field, view, track->shown[i]);
    track->is_same[i] = generation != 0 && generation == track->generations[i];
    track->generations[i] = generation;
    if (generation == 0 || !find_value(track, i, view, is_next && track->is_same[i], &value)) {
        return;
    }
    if (track->is_same[i]) {
        note_change(track, i, value);
    }
    track->before[i] = track->last[i];
    track->last[i] = value;
    track->low = value < track->low ? value : track->low;
    track->high = value > track->high ? value : track->high;
    if (track->field.kind == PLOT_NUMBER) {
        widen(&track->cells[i][column], value);
    } else {
        track->totals[value]++;
        track->counts[i][value]++;
    }
}

// Elements that are shown have their own columns; of the rest only the ends are kept.
static void take_rest(PlotTrack *track, const tp_view *view, uint32_t column)
{
    PlotCell ends = empty_number;
    bool     is_pool = track->field.generation != NULL;
    for (uint32_t index = PLOT_SHOWN_MAX; index < track->field.elements; index++) {
        if (!is_pool || plot_table_generation(&track->field, view, index) != 0) {
            widen(&ends, plot_table_value(&track->field, view, index));
        }
    }
    if (ends.low > ends.high) { // of a pool none is live
        track->previous_rest = ends;
        return;
    }
    bool is_first = track->previous_rest.low > track->previous_rest.high;
    track->changes += !is_first && (ends.low != track->previous_rest.low || ends.high != track->previous_rest.high) ? 1 : 0;
    track->previous_rest = ends;
    track->low = ends.low < track->low ? ends.low : track->low;
    track->high = ends.high > track->high ? ends.high : track->high;
    if (track->rest != NULL) {
        widen(&track->rest[column], ends.low);
        widen(&track->rest[column], ends.high);
    }
}

static void take_space(PlotSample *sample, PlotSpace *space, const tp_view *view, bool is_next)
{
    const PlotTrack *x = &sample->tracks[space->track_x];
    const PlotTrack *y = &sample->tracks[space->track_y];
    for (uint32_t i = 0; i < x->shown_count; i++) {
        if (x->generations[i] == 0) {
            continue;
        }
        if (is_next && x->is_same[i]) {
            plot_space_move(space, i, x->before[i], y->before[i], x->last[i], y->last[i]);
        } else {
            plot_space_take(space, i, x->last[i], y->last[i]);
        }
    }
    for (uint32_t index = PLOT_SHOWN_MAX; x->has_rest && index < x->field.elements; index++) {
        if (plot_table_generation(&x->field, view, index) != 0) {
            plot_space_take(space, x->shown_count, plot_table_value(&x->field, view, index), plot_table_value(&y->field, view, index));
        }
    }
}

void plot_sample_state(PlotSample *sample, const tp_view *view)
{
    uint64_t tick = view->tick;
    if (tick < sample->first || tick > sample->end || (sample->has_states && tick <= sample->last_state)) {
        return;
    }
    uint32_t column = column_of(sample, tick);
    bool     is_next = sample->has_states && tick == sample->last_state + 1;
    if (sample->has_states && column != column_of(sample, sample->last_state)) {
        fold_all(sample, column_of(sample, sample->last_state));
    }
    for (uint32_t i = 0; i < sample->track_count; i++) {
        PlotTrack *track = &sample->tracks[i];
        for (uint32_t k = 0; k < track->shown_count; k++) {
            take_shown(track, k, view, column, is_next);
        }
        if (track->has_rest && !track->field.is_rate) {
            take_rest(track, view, column);
        }
    }
    for (uint32_t i = 0; i < sample->space_count; i++) {
        take_space(sample, &sample->spaces[i], view, is_next);
    }
    sample->has_states = true;
    sample->last_state = tick;
}

static void take_input(PlotSample *sample, const tp_log_row *row, uint32_t slot, uint32_t column, bool is_next)
{
    uint32_t       size = sample->layout->input_size;
    const uint8_t *input = row->inputs + (size_t)slot * size;
    uint8_t       *before = sample->last_inputs + (size_t)slot * size;
    uint32_t       lane = slot < sample->input_slots ? slot : PLOT_SHOWN_MAX;
    PlotInputCell *cell = &sample->inputs[lane][column];
    bool           is_changed = is_next && memcmp(input, before, size) != 0;
    if (((row->presence[slot / 8] >> (slot % 8)) & 1) != 0) {
        cell->present++;
        cell->active += memcmp(input, sample->neutral, size) != 0 ? 1 : 0;
    }
    cell->changes += is_changed ? 1 : 0;
    sample->input_changes[lane] += is_changed ? 1 : 0;
    memcpy(before, input, size);
}

void plot_sample_row(PlotSample *sample, const tp_log_row *row, const tp_view *view)
{
    if (row->tick < sample->first || row->tick >= sample->end) {
        return;
    }
    uint32_t column = column_of(sample, row->tick);
    bool     is_next = sample->has_inputs && row->tick == sample->last_input + 1;
    for (uint32_t slot = 0; slot < sample->layout->setup.players; slot++) {
        take_input(sample, row, slot, column, is_next);
    }
    sample->has_inputs = true;
    sample->last_input = row->tick;
    sample->commands[column] += row->command_count;
    sample->command_total += row->command_count;
    for (uint32_t i = 0; view != NULL && i < view->event_count; i++) {
        sample->events[(size_t)view->events[i].type * sample->columns + column]++;
        sample->event_totals[view->events[i].type]++;
    }
}

void plot_sample_close(PlotSample *sample)
{
    if (sample->has_states) {
        fold_all(sample, column_of(sample, sample->last_state));
    }
}
