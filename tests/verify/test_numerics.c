// The text of what floating point does here: the same again, another one when something is other, and the difference by name.
#include <criterion/criterion.h>
#include <fenv.h>
#include <string.h>

#include "tickproof/numerics.h"

static void expect_difference(int mode, const char *word)
{
    char here[TP_NUMERICS_SIZE], other[TP_NUMERICS_SIZE], difference[TP_NUMERICS_SIZE];
    tp_numerics(here);
    fesetround(mode);
    tp_numerics(other);
    fesetround(FE_TONEAREST);
    tp_numerics_difference(here, other, difference);
    cr_assert_neq(difference[0], '\0', "'%s' and '%s'", here, other);
    cr_assert_not_null(strstr(other, word), "%s", other);
}

Test(numerics, is_the_same_again)
{
    char first[TP_NUMERICS_SIZE], second[TP_NUMERICS_SIZE], difference[TP_NUMERICS_SIZE];
    tp_numerics(first);
    tp_numerics(second);
    cr_assert_str_eq(first, second);
    tp_numerics_difference(first, second, difference);
    cr_assert_str_empty(difference);
    cr_assert_not_null(strstr(first, " contract no "), "this program is compiled without contraction: %s", first);
    cr_assert_not_null(strstr(first, " round near "), "%s", first);
    cr_assert_not_null(strstr(first, " subnormal kept "), "%s", first);
    cr_assert_lt(strlen(first), TP_NUMERICS_SIZE - 1, "cut off");
}

Test(numerics, rounding_shows)
{
    expect_difference(FE_UPWARD, " round up ");
    expect_difference(FE_DOWNWARD, " round down ");
    expect_difference(FE_TOWARDZERO, " round to-zero ");
}

#if defined(__SSE__)
Test(numerics, flushing_shows)
{
    static const struct {
        unsigned    bits;
        const char *word;
    } cases[] = { { 0x8000, " subnormal made-zero " }, { 0x0040, " subnormal read-as-zero " }, { 0x8040, " subnormal zero " } };
    for (size_t i = 0; i < 3; i++) {
        char     text[TP_NUMERICS_SIZE];
        unsigned before = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(before | cases[i].bits);
        tp_numerics(text);
        __builtin_ia32_ldmxcsr(before);
        cr_assert_not_null(strstr(text, cases[i].word), "%s", text);
    }
}
#endif

Test(numerics, difference_names_the_first_word)
{
    char text[TP_NUMERICS_SIZE];
    tp_numerics_difference("ops 1 libm 2 round near", "ops 1 libm 3 round up", text);
    cr_assert_str_eq(text, "libm is 2 there and 3 here");
    tp_numerics_difference("ops 1 libm 2", "ops 1 fancy 2", text);
    cr_assert_str_eq(text, "it was described by another version");
    tp_numerics_difference("ops 1 libm", "ops 1 libm 2", text);
    cr_assert_str_eq(text, "it was described by another version");
    tp_numerics_difference("", "ops 1", text);
    cr_assert_str_empty(text);
}
