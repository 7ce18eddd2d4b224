#include <criterion/criterion.h>

#include "bytes.h"

// Goal: one short read poisons the reader, so no later field can look valid.
Test(bytes, short_read_stays_failed)
{
    const uint8_t data[] = { 0x34, 0x12, 0xff };
    BytesReader   reader = bytes_reader(data, sizeof(data));

    cr_assert_eq(bytes_read_u16(&reader), 0x1234);
    cr_assert_eq(bytes_read_u16(&reader), 0);
    cr_assert(reader.failed);
    cr_assert_eq(reader.offset, 2, "a failed read must not move the cursor");
    cr_assert_eq(bytes_read_u8(&reader), 0, "one byte is left, but the reader has failed");
    cr_assert_not(bytes_reader_is_done(&reader));
}

Test(bytes, huge_span_does_not_wrap)
{
    const uint8_t data[4] = { 1, 2, 3, 4 };
    BytesReader   reader = bytes_reader(data, sizeof(data));
    bytes_read_u8(&reader);
    cr_assert_null(bytes_read_span(&reader, SIZE_MAX));
    cr_assert(reader.failed);
}

Test(bytes, writes_what_it_reads)
{
    uint8_t     data[64];
    BytesWriter writer = bytes_writer(data, sizeof(data));
    bytes_write_u8(&writer, 0xAB);
    bytes_write_u16(&writer, 0x1234);
    bytes_write_u32(&writer, 0x89ABCDEF);
    bytes_write_u64(&writer, UINT64_C(0x0123456789ABCDEF));
    bytes_write_i64(&writer, INT64_MIN);
    bytes_write_i64(&writer, -1);
    bytes_write_span(&writer, "xyz", 3);
    cr_assert_not(writer.failed);
    cr_assert_eq(data[3], 0xEF, "little-endian on every machine");

    BytesReader reader = bytes_reader(data, writer.size);
    cr_assert_eq(bytes_read_u8(&reader), 0xAB);
    cr_assert_eq(bytes_read_u16(&reader), 0x1234);
    cr_assert_eq(bytes_read_u32(&reader), 0x89ABCDEF);
    cr_assert_eq(bytes_read_u64(&reader), UINT64_C(0x0123456789ABCDEF));
    cr_assert_eq(bytes_read_i64(&reader), INT64_MIN);
    cr_assert_eq(bytes_read_i64(&reader), -1);
    cr_assert_arr_eq(bytes_read_span(&reader, 3), "xyz", 3);
    cr_assert(bytes_reader_is_done(&reader));
}

Test(bytes, full_writer_stays_failed)
{
    uint8_t     data[3] = { 9, 9, 9 };
    BytesWriter writer = bytes_writer(data, sizeof(data));
    bytes_write_u32(&writer, 1);
    bytes_write_u8(&writer, 1);
    cr_assert(writer.failed);
    cr_assert_eq(writer.size, 0);
    cr_assert_eq(data[0], 9, "nothing is written once a write did not fit");
}

Test(bytes, empty_span_is_not_a_failure)
{
    BytesReader reader = bytes_reader(NULL, 0);
    cr_assert_not_null(bytes_read_span(&reader, 0));
    cr_assert(bytes_reader_is_done(&reader));
}
