// Names to UTF-8.
#include "slp_text.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *jis(const char *bytes)
{
    static char out[64];
    slp_text_of_shift_jis((const uint8_t *)bytes, strlen(bytes), out, sizeof(out));
    return out;
}

static const char *utf8(const char *bytes)
{
    static char out[64];
    slp_text_of_utf8((const uint8_t *)bytes, strlen(bytes), out, sizeof(out));
    return out;
}

Test(slp_text, double_width_is_plain)
{
    cr_assert_str_eq(jis("\x82\x60\x82\x79\x82\x81\x82\x9A\x82\x4F\x82\x58"), "AZaz09");
    cr_assert_str_eq(jis("AB\x81\x94" "123"), "AB#123");
    cr_assert_str_eq(jis("\x81\x40\x81\x49\x81\x48\x81\x97"), " !?@");
}

Test(slp_text, kana)
{
    cr_assert_str_eq(jis("\x82\xA0\x82\xF1"), "あん");
    cr_assert_str_eq(jis("\x83\x41\x83\x7E\x83\x80\x83\x93\x81\x5B"), "アミムンー");
    cr_assert_str_eq(jis("\xB1\xDD"), "ｱﾝ");
}

Test(slp_text, what_is_not_known)
{
    cr_assert_str_eq(jis("a\x88\x9F" "b"), "a\xEF\xBF\xBD" "b"); // a kanji
    cr_assert_str_eq(jis("a\x82"), "a\xEF\xBF\xBD");             // half of a letter
    cr_assert_str_eq(jis("\x82\x20x"), "\xEF\xBF\xBD x");        // 20 is no second byte
    cr_assert_str_eq(jis("a\tb\x7F"), "a\xEF\xBF\xBD" "b\xEF\xBF\xBD");
}

Test(slp_text, ends_at_zero_and_at_the_capacity)
{
    char small[5];
    slp_text_of_shift_jis((const uint8_t *)"ab\0cd", 5, small, sizeof(small));
    cr_assert_str_eq(small, "ab");
    slp_text_of_shift_jis((const uint8_t *)"\xB1\xB1", 2, small, sizeof(small));
    cr_assert_str_eq(small, "ｱ");
    slp_text_of_utf8((const uint8_t *)"abc\xC3\xA9", 5, small, sizeof(small));
    cr_assert_str_eq(small, "abc");
}

Test(slp_text, utf8_is_checked)
{
    cr_assert_str_eq(utf8("Zoë ア 🎮"), "Zoë ア 🎮");
    cr_assert_str_eq(utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");             // longer than needed
    cr_assert_str_eq(utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // half of a pair
    cr_assert_str_eq(utf8("\xF5\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    cr_assert_str_eq(utf8("\xE3\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD"); // cut
    cr_assert_str_eq(utf8("a\nb"), "a\xEF\xBF\xBD" "b");
}
