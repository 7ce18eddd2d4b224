#include <criterion/criterion.h>
#include <string.h>

#include "textline.h"

Test(textline, pieces_follow_each_other)
{
    char     text[64];
    TextLine line = { text, sizeof(text), 0 };
    textline_add(&line, "tick ");
    textline_add_number(&line, 0, 1);
    textline_add(&line, ", ");
    textline_add_number(&line, 7, 2);
    textline_add(&line, ":");
    textline_add_number(&line, 1234, 2);
    cr_assert_str_eq(text, "tick 0, 07:1234");
    cr_assert_eq(line.used, 15);
}

Test(textline, the_longest_number_fits)
{
    char     text[64];
    TextLine line = { text, sizeof(text), 0 };
    textline_add_number(&line, UINT64_MAX, 1);
    cr_assert_str_eq(text, "18446744073709551615");
    line.used = 0;
    textline_add_number(&line, 5, 40);
    cr_assert_str_eq(text, "00000000000000000005", "no more zeros than a number has digits");
}

// Goal: what does not fit is cut, and the terminator always does.
Test(textline, what_does_not_fit_is_cut)
{
    for (size_t size = 1; size < 12; size++) {
        char     text[16] = "???????????????";
        TextLine line = { text, size, 0 };
        textline_add(&line, "score ");
        textline_add_number(&line, 1234, 1);
        textline_add(&line, "!");
        cr_assert_eq(strlen(text), size - 1 < 11 ? size - 1 : 11);
        cr_assert_eq(strncmp(text, "score 1234!", size - 1), 0);
        cr_assert_eq(text[size], '?', "nothing is written behind it");
    }
}
