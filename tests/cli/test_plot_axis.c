// test_plot_axis.c: round numbers, exact digits, a grid that grows, and foreign text in XML.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "plot_axis.h"
#include "plot_space.h"
#include "plot_svg.h"

static void number_is(int64_t raw, unsigned bits, const char *wanted)
{
    char text[PLOT_TEXT_SIZE];
    plot_axis_number(raw, bits, text);
    cr_assert_str_eq(text, wanted);
}

Test(plot_axis, numbers_are_exact_to_two_digits)
{
    number_is(0, 16, "0.00");
    number_is(65536 + 32768, 16, "1.50");
    number_is(-65536 - 32768, 16, "-1.50");
    number_is(-1, 16, "0.00");
    number_is(327, 16, "0.00");
    number_is(328, 16, "0.01");
    number_is(65535, 16, "1.00");
    number_is(INT64_C(1234567) << 32, 32, "1,234,567.00");
    number_is((INT64_C(2) << 32) - (INT64_C(1) << 31), 32, "1.50");
    number_is(INT32_MIN, 16, "-32,768.00");
    number_is(INT64_MIN, 0, "-9,223,372,036,854,775,808");
    number_is(999, 0, "999");
    number_is(1000, 0, "1,000");
}

static void time_is(uint64_t ms, const char *wanted)
{
    char text[PLOT_TEXT_SIZE];
    plot_axis_time(ms, text);
    cr_assert_str_eq(text, wanted);
}

Test(plot_axis, times_leave_out_what_is_zero)
{
    time_is(0, "0:00");
    time_is(65250, "1:05.250");
    time_is(600000, "10:00");
    time_is(3600000, "1:00:00");
    time_is(3599999, "59:59.999");
}

// Goal: marks lie on the scale, are few enough, and their text is the number that they stand at.
Test(plot_axis, marks_are_round_and_inside)
{
    static const double ends[][2] = { { 0, 1 }, { -4, 4 }, { 0.001, 0.0023 }, { 60, 300 }, { -1e6, 5e6 }, { 0, 9.2e18 }, { 7, 7 }, { -5e-5, 5e-5 },
                                      { 0x1p62, 0x1p62 }, { 0x1p62, 0x1p62 + 1024 }, { 0x1p63, 0x1p63 }, { -0x1p63, -0x1p63 }, { -0x1p63, 0x1p63 }, { -0x1p63, -0x1p63 + 4096 } };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        PlotAxis axis = plot_axis_of(ends[i][0], ends[i][1], 5, false);
        cr_assert(axis.low < ends[i][0] && axis.high > ends[i][1]);
        cr_assert(axis.first <= axis.last && axis.last - axis.first <= 5, "scale %zu has %lld marks", i, (long long)(axis.last - axis.first + 1));
        for (int64_t k = axis.first; k <= axis.last; k++) {
            cr_assert(plot_axis_mark(&axis, k) >= axis.low && plot_axis_mark(&axis, k) <= axis.high);
        }
    }
}

static void label_is(double low, double high, int64_t k, const char *wanted)
{
    char     text[PLOT_TEXT_SIZE];
    PlotAxis axis = plot_axis_of(low, high, 5, false);
    plot_axis_label(&axis, k, text);
    cr_assert_str_eq(text, wanted);
}

Test(plot_axis, labels_name_their_marks)
{
    label_is(0, 1, 1, "0.5");
    label_is(0, 1, 2, "1");
    label_is(-4, 4, -1, "-2");
    label_is(0, 73000, 1, "20,000");
    label_is(0, 3000000, 1, "1M");
    label_is(0, 300000, 1, "100k");
    label_is(0, 300000, 0, "0");
    label_is(0, 9.2e18, 1, "5E");
}

Test(plot_axis, whole_numbers_have_no_marks_between)
{
    PlotAxis axis = plot_axis_of(0, 1, 5, true);
    cr_assert_eq(axis.mantissa, 1);
    cr_assert_eq(axis.exponent, 0);
}

Test(plot_axis, time_marks_are_not_too_many)
{
    for (uint64_t span = 0; span < UINT64_C(1) << 50; span = span * 3 + 1) {
        uint64_t step = plot_axis_time_step(span, 12);
        cr_assert_geq(step, 1);
        cr_assert_leq(span / step, 24, "%llu ms", (unsigned long long)span);
    }
}

static uint64_t ticks_of(const PlotSpace *space, uint32_t layer)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PLOT_GRID * PLOT_GRID; i++) {
        sum += space->counts[layer][i];
    }
    return sum;
}

// Goal: however far apart places are, and on whichever side, every one of them is counted and stays in its cell.
Test(plot_axis, a_grid_grows_on_all_sides)
{
    static const int64_t places[][2] = { { 0, 0 }, { 1000000, -3 }, { -5, 70000000 }, { -(INT64_C(1) << 59), 1 }, { INT64_C(1) << 59, INT64_C(1) << 59 } };
    PlotSpace space = { 0 };
    uint32_t  box[4];
    cr_assert(plot_space_init(&space, 2, 0));
    cr_assert(!plot_space_box(&space, box));
    for (uint32_t i = 0; i < 5; i++) {
        plot_space_take(&space, 1, places[i][0], places[i][1]);
        cr_assert_eq(ticks_of(&space, 1), i + 1);
        cr_assert_eq(ticks_of(&space, 0), 0);
    }
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t x = (uint32_t)((places[i][0] - space.left) >> space.shift);
        uint32_t y = (uint32_t)((places[i][1] - space.bottom) >> space.shift);
        cr_assert_gt(space.counts[1][y * PLOT_GRID + x], 0);
    }
    plot_space_take(&space, 0, INT64_MAX, 0); // beyond all maps
    cr_assert_eq(ticks_of(&space, 0), 0);
    plot_space_finish(&space);
}

// Goal: a move marks the cells between, a jump across the map does not.
Test(plot_axis, a_move_leaves_a_trail_and_a_jump_does_not)
{
    PlotSpace space = { 0 };
    cr_assert(plot_space_init(&space, 1, 0));
    plot_space_take(&space, 0, 0, 0);
    plot_space_move(&space, 0, 0, 0, 10, 5);
    cr_assert_eq(ticks_of(&space, 0), 11);
    plot_space_move(&space, 0, 10, 5, 200, 5);
    cr_assert_eq(ticks_of(&space, 0), 12);
    plot_space_finish(&space);
}

static void text_is(const char *text, const char *wanted)
{
    char  *written = NULL;
    size_t size = 0;
    FILE  *out = open_memstream(&written, &size);
    plot_svg_text(out, 1, 2, "m", PLOT_START, text);
    fclose(out);
    char whole[1024];
    snprintf(whole, sizeof(whole), "<text class=\"m\" x=\"1\" y=\"2\">%s</text>\n", wanted);
    cr_assert_str_eq(written, whole);
    free(written);
}

Test(plot_axis, what_xml_cannot_say_is_a_question_mark)
{
    char long_text[600];
    memset(long_text, 'a', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    text_is("<a href=\"x\">&", "&lt;a href=&quot;x&quot;&gt;&amp;");
    text_is("a\x01\x1f", "a??");
    text_is("\xff\xfe\xc3", "???");
    text_is("\xe6\x97", "??");
    text_is("\xef\xbf\xbe\xef\xbf\xbf!", "?" "?!");
    text_is("\xef\xbc\xa1", "\xef\xbc\xa1");
    text_is(long_text, long_text);
}

// Goal: a text is cut at a letter, fits, and says that it was cut.
Test(plot_axis, long_texts_are_cut_at_a_letter)
{
    char out[64];
    plot_svg_fit("short", 10000, 110, out, sizeof(out));
    cr_assert_str_eq(out, "short");
    for (int width = 0; width < 1200; width += 7) {
        plot_svg_fit("\xe6\x97\xa5\xe6\x9c\xac\xc3\xa9 name that is too long for it", width, 110, out, sizeof(out));
        size_t length = strlen(out);
        cr_assert(length >= 3 && strcmp(out + length - 3, "\xe2\x80\xa6") == 0);
        cr_assert(plot_svg_width(out, 110) <= width || length == 3);
        cr_assert(length == 3 || (unsigned char)out[length - 4] != 0xe6);
    }
    char tight[8];
    plot_svg_fit("0123456789", 100000, 110, tight, sizeof(tight));
    cr_assert_str_eq(tight, "0123\xe2\x80\xa6");
}
