// CRC-32C against the vectors of RFC 3720, and its two ways against each other.
#include "crc32c.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tickproof/rng.h"

Test(crc32c, known_values)
{
    uint8_t zeros[32], ones[32], up[32], down[32];
    memset(zeros, 0, sizeof(zeros));
    memset(ones, 0xFF, sizeof(ones));
    for (int i = 0; i < 32; i++) {
        up[i] = (uint8_t)i;
        down[i] = (uint8_t)(31 - i);
    }
    const struct { const void *data; size_t size; uint32_t crc; } rows[] = {
        { "123456789", 9, 0xE3069283 }, { zeros, 32, 0x8A9136AA }, { ones, 32, 0x62A8AB43 },
        { up, 32, 0x46DD794E },         { down, 32, 0x113FDB5C },  { NULL, 0, 0 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(crc32c(0, rows[i].data, rows[i].size), rows[i].crc, "row %zu", i);
        cr_assert_eq(crc32c_by_table(0, rows[i].data, rows[i].size), rows[i].crc, "row %zu by table", i);
    }
}

/// The definition, one bit at a time.
static uint32_t crc_by_bits(uint32_t crc, const uint8_t *data, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
        }
    }
    return ~crc;
}

Test(crc32c, all_ways_agree_at_every_length_and_offset)
{
    uint8_t  data[600];
    uint64_t state = 31;
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)tp_splitmix64_next(&state);
    }
    for (size_t offset = 0; offset < 9; offset++) {
        for (size_t size = 0; size + offset <= sizeof(data); size++) {
            const uint32_t start = (uint32_t)(size * 2654435761u);
            const uint32_t expected = crc_by_bits(start, data + offset, size);
            if (crc32c_by_table(start, data + offset, size) != expected) {
                cr_assert_fail("table at offset %zu, size %zu", offset, size);
            }
            if (crc32c_has_instruction() && crc32c_by_instruction(start, data + offset, size) != expected) {
                cr_assert_fail("instruction at offset %zu, size %zu", offset, size);
            }
        }
    }
}

Test(crc32c, pieces_chain)
{
    const char *text = "the quick brown fox jumps over the lazy dog";
    const size_t size = strlen(text);
    for (size_t cut = 0; cut <= size; cut++) {
        cr_assert_eq(crc32c(crc32c(0, text, cut), text + cut, size - cut), crc32c(0, text, size));
    }
}

// Goal: what it is for. Every single flipped bit and every burst of up to 32 bits shows.
Test(crc32c, damage_shows)
{
    uint8_t data[64];
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 7);
    }
    const uint32_t whole = crc32c(0, data, sizeof(data));
    for (size_t bit = 0; bit < sizeof(data) * 8; bit++) {
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_neq(crc32c(0, data, sizeof(data)), whole, "bit %zu", bit);
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t i = 0; i + 4 <= sizeof(data); i++) {
        for (int byte = 0; byte < 4; byte++) {
            data[i + (size_t)byte] ^= 0xA5;
        }
        cr_assert_neq(crc32c(0, data, sizeof(data)), whole, "burst at %zu", i);
        for (int byte = 0; byte < 4; byte++) {
            data[i + (size_t)byte] ^= 0xA5;
        }
    }
}
