// The envelope's format, and what is wrong with it.
#include "ubjson.h"

#include <criterion/criterion.h>
#include <string.h>

#define READER(text) ubjson_reader((const uint8_t *)(text), sizeof(text) - 1, 0)

Test(ubjson, lengths_of_every_type)
{
    uint64_t length = 0;
    Ubjson   reader = READER("i\x7FU\xFFI\x01\x02l\x00\x01\x02\x03L\x00\x00\x00\x01\x00\x00\x00\x02");
    static const uint64_t expected[] = { 127, 255, 0x102, 0x10203, 0x100000002 };
    for (size_t i = 0; i < 5; i++) {
        cr_assert(ubjson_read_length(&reader, &length));
        cr_assert_eq(length, expected[i]);
    }
    cr_assert_eq(reader.offset, reader.size);
    cr_assert_not(ubjson_read_length(&reader, &length));
    cr_assert_eq(reader.status, UBJSON_CUT);
}

Test(ubjson, lengths_that_are_none)
{
    uint64_t length = 0;
    Ubjson   negative = READER("l\xFF\xFF\xFF\xFF");
    Ubjson   other = READER("S");
    Ubjson   zero = READER("\0");
    cr_assert_not(ubjson_read_length(&negative, &length));
    cr_assert_eq(negative.status, UBJSON_BAD);
    cr_assert_not(ubjson_read_length(&other, &length));
    cr_assert_eq(other.status, UBJSON_BAD);
    cr_assert_not(ubjson_read_length(&zero, &length));
    cr_assert_eq(zero.status, UBJSON_BAD);
}

// Goal: a text that claims more than there is takes nothing.
Test(ubjson, text_longer_than_the_bytes)
{
    UbjsonText text;
    Ubjson     reader = READER("L\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFFzz");
    cr_assert_not(ubjson_read_text(&reader, &text));
    cr_assert_eq(reader.status, UBJSON_CUT);
    cr_assert_eq(text.size, 0);
}

static UbjsonStatus skip(const char *bytes, size_t size, size_t *offset)
{
    Ubjson       reader = ubjson_reader((const uint8_t *)bytes, size, 0);
    UbjsonObject none = { 0 };
    uint8_t      type = ubjson_value_type(&reader, &none);
    if (type != 0) {
        ubjson_value_skip(&reader, type);
    }
    *offset = reader.offset;
    return reader.status;
}
#define SKIP(text, offset) skip((text), sizeof(text) - 1, (offset))

Test(ubjson, values_of_every_kind_are_passed_over)
{
    size_t offset = 0;
    static const char all[] = "[ZTFNi\x01U\x01I\x01\x01l\x01\x01\x01\x01L\x01\x01\x01\x01\x01\x01\x01\x01"
                              "d\x01\x01\x01\x01" "D\x01\x01\x01\x01\x01\x01\x01\x01" "CaSU\x02hiHU\x02" "10"
                              "{U\x01k[$U#U\x03" "abcU\x01m{$i#U\x02U\x01x\x01U\x01y\x02U\x01n[#U\x02TF}]";
    cr_assert_eq(SKIP(all, &offset), UBJSON_OK);
    cr_assert_eq(offset, sizeof(all) - 1);
    // Whatever is cut off is noticed.
    for (size_t size = 0; size < sizeof(all) - 1; size++) {
        cr_assert_eq(skip(all, size, &offset), UBJSON_CUT, "at %zu", size);
    }
}

Test(ubjson, a_count_of_nothing_costs_nothing)
{
    size_t offset = 0;
    cr_assert_eq(SKIP("[$Z#L\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", &offset), UBJSON_OK);
    cr_assert_eq(SKIP("[$D#L\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", &offset), UBJSON_CUT);
    cr_assert_eq(SKIP("[#L\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFFZZ", &offset), UBJSON_CUT);
}

Test(ubjson, depth_has_a_limit)
{
    char   nested[64];
    size_t offset = 0;
    memset(nested, '[', sizeof(nested));
    memset(nested + 16, ']', 16);
    cr_assert_eq(skip(nested, 32, &offset), UBJSON_OK);
    memset(nested, '[', sizeof(nested));
    cr_assert_eq(skip(nested, sizeof(nested), &offset), UBJSON_BAD);
}

Test(ubjson, what_is_no_type)
{
    size_t offset = 0;
    cr_assert_eq(SKIP("x", &offset), UBJSON_BAD);
    cr_assert_eq(SKIP("[$x#U\x01z", &offset), UBJSON_BAD);
    cr_assert_eq(SKIP("[$UU\x01z", &offset), UBJSON_BAD); // a type without a count
}

Test(ubjson, objects_are_walked)
{
    Ubjson       reader = READER("{U\x01" "aSU\x02hiU\x02" "bbi\x05}!");
    UbjsonObject object;
    UbjsonText   key, text;
    cr_assert(ubjson_enter(&reader, 0, &object));
    cr_assert(ubjson_next(&reader, &object, &key));
    cr_assert(ubjson_is(&key, "a") && !ubjson_is(&key, "b") && !ubjson_is(&key, "aa"));
    cr_assert(ubjson_value_text(&reader, ubjson_value_type(&reader, &object), &text));
    cr_assert(ubjson_is(&text, "hi"));
    cr_assert(ubjson_next(&reader, &object, &key));
    cr_assert(ubjson_value_text(&reader, ubjson_value_type(&reader, &object), &text));
    cr_assert_eq(text.size, 0);
    cr_assert_not(ubjson_next(&reader, &object, &key));
    cr_assert_eq(reader.status, UBJSON_OK);
    cr_assert_eq(ubjson_peek(&reader), '!');
}

// Goal: the first failure stays, and moves nothing any more.
Test(ubjson, failures_stay)
{
    Ubjson reader = READER("abc");
    cr_assert_not(ubjson_expect(&reader, "abd", 3, "that is not it"));
    cr_assert_str_eq(reader.wrong, "that is not it");
    cr_assert_not(ubjson_expect(&reader, "abc", 3, "nor this"));
    cr_assert_eq(reader.offset, 0);
    cr_assert_str_eq(reader.wrong, "that is not it");
    Ubjson cut = READER("ab");
    cr_assert_not(ubjson_expect(&cut, "abd", 3, "wrong"));
    cr_assert_eq(cut.status, UBJSON_CUT);
}
