// bytes.h: bounds-checked little-endian reading and writing of a borrowed span. No allocation, no files.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// On a little-endian machine these are one load or store each, which compilers do not always see in the spelled-out form.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTES_IS_LITTLE 1
#else
#define BYTES_IS_LITTLE 0
#endif

static inline uint16_t bytes_get_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | (p[1] << 8));
}

static inline uint32_t bytes_get_u32(const uint8_t *p)
{
#if BYTES_IS_LITTLE
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
#else
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
#endif
}

static inline uint64_t bytes_get_u64(const uint8_t *p)
{
#if BYTES_IS_LITTLE
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
#else
    return (uint64_t)bytes_get_u32(p) | (uint64_t)bytes_get_u32(p + 4) << 32;
#endif
}

static inline void bytes_put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void bytes_put_u32(uint8_t *p, uint32_t v)
{
#if BYTES_IS_LITTLE
    memcpy(p, &v, sizeof(v));
#else
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
#endif
}

static inline void bytes_put_u64(uint8_t *p, uint64_t v)
{
#if BYTES_IS_LITTLE
    memcpy(p, &v, sizeof(v));
#else
    bytes_put_u32(p, (uint32_t)v);
    bytes_put_u32(p + 4, (uint32_t)(v >> 32));
#endif
}

/// The first failed read sets `failed`; every later read returns 0 and moves nothing, so a caller reads a
/// whole record and checks once. The span must outlive the reader.
typedef struct {
    const uint8_t *data;
    size_t         size;   // bytes
    size_t         offset; // bytes read so far, never above size
    bool           failed;
} BytesReader;

BytesReader    bytes_reader(const void *data, size_t size);
uint8_t        bytes_read_u8(BytesReader *reader);
uint16_t       bytes_read_u16(BytesReader *reader);
uint32_t       bytes_read_u32(BytesReader *reader);
uint64_t       bytes_read_u64(BytesReader *reader);
int64_t        bytes_read_i64(BytesReader *reader);
/// NULL on failure; a span of 0 bytes is not NULL.
const uint8_t *bytes_read_span(BytesReader *reader, size_t size);
/// Nothing failed and nothing is left.
bool           bytes_reader_is_done(const BytesReader *reader);

/// The first write that does not fit sets `failed`; later writes do nothing.
typedef struct {
    uint8_t *data;
    size_t   capacity; // bytes
    size_t   size;     // bytes written so far
    bool     failed;
} BytesWriter;

BytesWriter bytes_writer(void *data, size_t capacity);
void        bytes_write_u8(BytesWriter *writer, uint8_t value);
void        bytes_write_u16(BytesWriter *writer, uint16_t value);
void        bytes_write_u32(BytesWriter *writer, uint32_t value);
void        bytes_write_u64(BytesWriter *writer, uint64_t value);
void        bytes_write_i64(BytesWriter *writer, int64_t value);
void        bytes_write_span(BytesWriter *writer, const void *data, size_t size);
