// bytes.c: the sticky reader and writer of bytes.h.
#include "bytes.h"

BytesReader bytes_reader(const void *data, size_t size)
{
    return (BytesReader){ .data = data, .size = size };
}

const uint8_t *bytes_read_span(BytesReader *reader, size_t size)
{
    static const uint8_t nothing[1];
    // Compare what is left: offset + size could wrap.
    if (reader->failed || size > reader->size - reader->offset) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *span = reader->size == 0 ? nothing : reader->data + reader->offset;
    reader->offset += size;
    return span;
}

uint8_t bytes_read_u8(BytesReader *reader)
{
    const uint8_t *p = bytes_read_span(reader, 1);
    return p == NULL ? 0 : p[0];
}

uint16_t bytes_read_u16(BytesReader *reader)
{
    const uint8_t *p = bytes_read_span(reader, 2);
    return p == NULL ? 0 : bytes_get_u16(p);
}

uint32_t bytes_read_u32(BytesReader *reader)
{
    const uint8_t *p = bytes_read_span(reader, 4);
    return p == NULL ? 0 : bytes_get_u32(p);
}

uint64_t bytes_read_u64(BytesReader *reader)
{
    const uint8_t *p = bytes_read_span(reader, 8);
    return p == NULL ? 0 : bytes_get_u64(p);
}

int64_t bytes_read_i64(BytesReader *reader)
{
    uint64_t bits = bytes_read_u64(reader);
    // Two's complement without relying on how a conversion out of range behaves.
    return bits <= INT64_MAX ? (int64_t)bits : -(int64_t)(UINT64_MAX - bits) - 1;
}

bool bytes_reader_is_done(const BytesReader *reader)
{
    return !reader->failed && reader->offset == reader->size;
}

BytesWriter bytes_writer(void *data, size_t capacity)
{
    return (BytesWriter){ .data = data, .capacity = capacity };
}

static uint8_t *take(BytesWriter *writer, size_t size)
{
    if (writer->failed || size > writer->capacity - writer->size) {
        writer->failed = true;
        return NULL;
    }
    uint8_t *place = writer->data + writer->size;
    writer->size += size;
    return place;
}

void bytes_write_u8(BytesWriter *writer, uint8_t value)
{
    uint8_t *p = take(writer, 1);
    if (p != NULL) {
        p[0] = value;
    }
}

void bytes_write_u16(BytesWriter *writer, uint16_t value)
{
    uint8_t *p = take(writer, 2);
    if (p != NULL) {
        bytes_put_u16(p, value);
    }
}

void bytes_write_u32(BytesWriter *writer, uint32_t value)
{
    uint8_t *p = take(writer, 4);
    if (p != NULL) {
        bytes_put_u32(p, value);
    }
}

void bytes_write_u64(BytesWriter *writer, uint64_t value)
{
    uint8_t *p = take(writer, 8);
    if (p != NULL) {
        bytes_put_u64(p, value);
    }
}

void bytes_write_i64(BytesWriter *writer, int64_t value)
{
    bytes_write_u64(writer, (uint64_t)value);
}

void bytes_write_span(BytesWriter *writer, const void *data, size_t size)
{
    if (size == 0) {
        return;
    }
    uint8_t *p = take(writer, size);
    if (p != NULL) {
        memcpy(p, data, size);
    }
}
