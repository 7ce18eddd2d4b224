// plot_axis.c: the search for round numbers, and digits.
#include "plot_axis.h"

#include <stdio.h>
#include <string.h>

static double power_of_ten(int exponent)
{
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
        power *= 10;
    }
    return exponent < 0 ? 1 / power : power;
}

// Within what fits, whatever the value.
static int64_t floor_of(double value)
{
    value = value > 9e18 ? 9e18 : value < -9e18 ? -9e18 : value;
    int64_t whole = (int64_t)value;
    return (double)whole > value ? whole - 1 : whole;
}

static void choose_step(PlotAxis *axis, double least, bool is_whole)
{
    static const int mantissas[] = { 1, 2, 5 };
    for (axis->exponent = is_whole ? 0 : -9; axis->exponent < 19; axis->exponent++) {
        for (int i = 0; i < 3; i++) {
            axis->mantissa = mantissas[i];
            if (mantissas[i] * power_of_ten(axis->exponent) >= least) {
                return;
            }
        }
    }
}

// Values that are the same, or so close that a double far from zero hardly tells them apart, get a scale that it can divide.
static void widen(double *low, double *high)
{
    double far = -*low > *high ? -*low : *high;
    double least = far * 1e-11;
    if (*high - *low <= least) {
        double room = least > 1 ? least : 1;
        *low -= room;
        *high += room;
    }
}

PlotAxis plot_axis_of(double low, double high, int marks_max, bool is_whole)
{
    PlotAxis axis = { 0 };
    widen(&low, &high);
    // A scale that nearly reaches zero is easier to read when it does.
    low = low > 0 && low < high * 0.15 ? 0 : low;
    high = high < 0 && high > low * 0.15 ? 0 : high;
    double room = (high - low) * 0.05;
    axis.low = low - room;
    axis.high = high + room;
    choose_step(&axis, (axis.high - axis.low) / (marks_max > 0 ? marks_max : 1), is_whole);
    double step = axis.mantissa * power_of_ten(axis.exponent);
    axis.first = -floor_of(-(axis.low / step));
    axis.last = floor_of(axis.high / step);
    double most = -axis.low > axis.high ? -axis.low : axis.high;
    while (most >= 1e5 && power_of_ten(axis.omitted + 3) <= most && axis.omitted < 18) {
        axis.omitted += 3;
    }
    return axis;
}

double plot_axis_mark(const PlotAxis *axis, int64_t k)
{
    return (double)k * axis->mantissa * power_of_ten(axis->exponent);
}

// Digits in threes, then `decimals` of them behind a point.
static void print_digits(bool is_negative, uint64_t digits, int decimals, bool cuts_zeros, char *text, size_t size)
{
    char plain[24];
    char whole[PLOT_TEXT_SIZE];
    int  used = 0;
    int  length = snprintf(plain, sizeof(plain), "%0*llu", decimals + 1, (unsigned long long)digits);
    int  point = length - decimals;
    for (int i = 0; i < point; i++) {
        if (i > 0 && (point - i) % 3 == 0) {
            whole[used++] = ',';
        }
        whole[used++] = plain[i];
    }
    while (cuts_zeros && length > point && plain[length - 1] == '0') {
        length--;
    }
    snprintf(text, size, "%s%.*s%s%.*s", is_negative && digits > 0 ? "-" : "", used, whole, length > point ? "." : "", length - point, plain + point);
}

void plot_axis_label(const PlotAxis *axis, int64_t k, char text[PLOT_TEXT_SIZE])
{
    uint64_t digits = (k < 0 ? UINT64_C(0) - (uint64_t)k : (uint64_t)k) * (uint64_t)axis->mantissa;
    int      exponent = axis->exponent - axis->omitted;
    for (; exponent > 0 && digits < UINT64_MAX / 10; exponent--) {
        digits *= 10;
    }
    print_digits(k < 0, digits, exponent < 0 ? -exponent : 0, true, text, PLOT_TEXT_SIZE - 1);
    size_t      used = strlen(text);
    const char *letters = "kMGTPE";
    if (axis->omitted > 0 && k != 0) {
        snprintf(text + used, PLOT_TEXT_SIZE - used, "%c", letters[axis->omitted / 3 - 1]);
    }
}

void plot_axis_number(int64_t raw, unsigned fraction_bits, char text[PLOT_TEXT_SIZE])
{
    uint64_t magnitude = raw < 0 ? UINT64_C(0) - (uint64_t)raw : (uint64_t)raw;
    if (fraction_bits == 0 || magnitude >> fraction_bits > UINT64_MAX / 200) {
        print_digits(raw < 0, magnitude >> fraction_bits, 0, false, text, PLOT_TEXT_SIZE);
        return;
    }
    // Apart, since a hundred times a 64-bit number does not fit.
    uint64_t rest = magnitude & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t hundredths = (rest * 100 + (UINT64_C(1) << (fraction_bits - 1))) >> fraction_bits;
    print_digits(raw < 0, (magnitude >> fraction_bits) * 100 + hundredths, 2, false, text, PLOT_TEXT_SIZE);
}

void plot_axis_count(uint64_t count, char text[PLOT_TEXT_SIZE])
{
    print_digits(false, count, 0, false, text, PLOT_TEXT_SIZE);
}

void plot_axis_time(uint64_t ms, char text[PLOT_TEXT_SIZE])
{
    uint64_t seconds = ms / 1000;
    uint64_t hours = seconds / 3600;
    unsigned minute = (unsigned)(seconds / 60 % 60);
    unsigned second = (unsigned)(seconds % 60);
    int      used = hours > 0 ? snprintf(text, PLOT_TEXT_SIZE, "%llu:%02u:%02u", (unsigned long long)hours, minute, second)
                              : snprintf(text, PLOT_TEXT_SIZE, "%u:%02u", minute, second);
    if (ms % 1000 != 0) {
        snprintf(text + used, (size_t)(PLOT_TEXT_SIZE - used), ".%03u", (unsigned)(ms % 1000));
    }
}

uint64_t plot_axis_time_step(uint64_t span_ms, uint32_t marks_max)
{
    static const uint64_t steps[] = { 1,     2,     5,     10,     20,     50,     100,    200,     500,     1000,   2000,
                                      5000,  10000, 15000, 30000,  60000,  120000, 300000, 600000,  900000,  1800000, 3600000 };
    uint64_t least = span_ms / (marks_max > 0 ? marks_max : 1);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (steps[i] >= least) {
            return steps[i];
        }
    }
    uint64_t step = 3600000;
    while (step < least && step < UINT64_MAX / 2) {
        step *= 2;
    }
    return step;
}
