// plot_axis.h: round numbers for a scale, and the exact text of numbers and times. Doubles only say where something is drawn; every
// text is made from whole numbers, the same on every machine and in every locale.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLOT_TEXT_SIZE = 40 };

/// A scale from `low` to `high` with marks at k * mantissa * 10^exponent for k from `first` to `last`.
typedef struct {
    double  low, high;
    int64_t first, last;
    int     mantissa; ///< 1, 2 or 5
    int     exponent;
    int     omitted;  ///< power of ten that the labels leave to a letter: 0, 3 (k), 6 (M), 9 (G), 12 (T), 15 (P), 18 (E)
} PlotAxis;

/// A scale for values from `low` to `high`, with some room on both sides and at most `marks_max` marks. `is_whole`: no mark between two
/// whole numbers.
PlotAxis plot_axis_of(double low, double high, int marks_max, bool is_whole);
double   plot_axis_mark(const PlotAxis *axis, int64_t k);
/// "1,200", "0.25", "12k".
void     plot_axis_label(const PlotAxis *axis, int64_t k, char text[PLOT_TEXT_SIZE]);

/// raw / 2^fraction_bits to two digits behind the point, rounded half away from zero; whole numbers without a point.
void plot_axis_number(int64_t raw, unsigned fraction_bits, char text[PLOT_TEXT_SIZE]);
void plot_axis_count(uint64_t count, char text[PLOT_TEXT_SIZE]);
/// "1:05", "1:05.250", "2:00:00".
void plot_axis_time(uint64_t ms, char text[PLOT_TEXT_SIZE]);
/// A distance of marks on a time scale: at most `marks_max` of them in `span_ms`. At least 1.
uint64_t plot_axis_time_step(uint64_t span_ms, uint32_t marks_max);
