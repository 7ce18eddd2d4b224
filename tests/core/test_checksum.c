// XXH3 and FNV-1a-128 against published values, the builds of XXH3 against each other, and what a hash is for.
#include "tickproof/checksum.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tickproof/fault.h"
#include "tickproof/rng.h"
#include "xxh3_impl.h"

/// The buffer that XXH3's own sanity check hashes prefixes of.
static void fill_sanity_buffer(uint8_t *data, size_t size)
{
    uint64_t generator = 2654435761u;
    for (size_t i = 0; i < size; i++) {
        data[i] = (uint8_t)(generator >> 56);
        generator *= UINT64_C(11400714785074694797);
    }
}

static void fill(uint8_t *data, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++) {
        data[i] = (uint8_t)tp_splitmix64_next(&seed);
    }
}

Test(checksum, xxh3_known_values)
{
    static const struct {
        size_t   size;
        uint64_t hash64, lo, hi;
    } rows[] = {
        { 0, UINT64_C(0x2d06800538d394c2), UINT64_C(0x6001c324468d497f), UINT64_C(0x99aa06d3014798d8) },
        { 1, UINT64_C(0xc44bdff4074eecdb), UINT64_C(0xc44bdff4074eecdb), UINT64_C(0xa6cd5e9392000f6a) },
        { 6, UINT64_C(0x27b56a84cd2d7325), UINT64_C(0x3e7039bdda43cfc6), UINT64_C(0x082afe0b8162d12a) },
        { 12, UINT64_C(0xa713daf0dfbb77e7), UINT64_C(0x061a192713f69ad9), UINT64_C(0x6e3efd8fc7802b18) },
        { 24, UINT64_C(0xa3fe70bf9d3510eb), UINT64_C(0x1e7044d28b1b901d), UINT64_C(0x0ce966e4678d3761) },
        { 48, UINT64_C(0x397da259ecba1f11), UINT64_C(0xf942219aed80f67b), UINT64_C(0xa002ac4e5478227e) },
        { 80, UINT64_C(0xbcdefbbb2c47c90a), UINT64_C(0x454ae6bf7a8a532d), UINT64_C(0xfdf2cefde9eaac8a) },
        { 195, UINT64_C(0xcd94217ee362ec3a), UINT64_C(0x3fb593c086a66075), UINT64_C(0x7729543a26b207ee) },
        { 240, UINT64_C(0x81c3c2b67f568ccf), UINT64_C(0x5c9aae94c8ebe5a0), UINT64_C(0xaa4202daa2769dc8) },
        { 241, UINT64_C(0xc5a639ecd2030e5e), UINT64_C(0xc5a639ecd2030e5e), UINT64_C(0x99a80ecf0ecfc647) },
        { 403, UINT64_C(0xcdeb804d65c6dea4), UINT64_C(0xcdeb804d65c6dea4), UINT64_C(0x1b6de21e332dd73d) },
        { 512, UINT64_C(0x617e49599013cb6b), UINT64_C(0x617e49599013cb6b), UINT64_C(0x18d2d110dcc9bca1) },
        { 1024, UINT64_C(0xdd85c9b5c1109c5c), UINT64_C(0xdd85c9b5c1109c5c), UINT64_C(0x0d30d24071c64c57) },
        { 2048, UINT64_C(0xdd59e2c3a5f038e0), UINT64_C(0xdd59e2c3a5f038e0), UINT64_C(0xf736557fd47073a5) },
        { 2240, UINT64_C(0x6e73a90539cf2948), UINT64_C(0x6e73a90539cf2948), UINT64_C(0xccb134fbfa7ce49d) },
        { 2367, UINT64_C(0xcb37aeb9e5d361ed), UINT64_C(0xcb37aeb9e5d361ed), UINT64_C(0xe89c0f6ff369b427) },
    };
    uint8_t data[2367];
    fill_sanity_buffer(data, sizeof(data));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const tp_hash128 expected = { .lo = rows[i].lo, .hi = rows[i].hi };
        cr_assert_eq(tp_hash64(TP_HASH_XXH3, data, rows[i].size), rows[i].hash64, "size %zu", rows[i].size);
        cr_assert(tp_hash128_equal(tp_hash128_of(TP_HASH_XXH3, data, rows[i].size), expected), "size %zu", rows[i].size);
        for (int path = CHECKSUM_PATH_BASE; path <= CHECKSUM_PATH_AVX2; path++) {
            uint64_t   hash64;
            tp_hash128 hash128;
            if (checksum_hash_by((ChecksumPath)path, data, rows[i].size, &hash64, &hash128)) {
                cr_assert_eq(hash64, rows[i].hash64, "path %d, size %zu", path, rows[i].size);
                cr_assert(tp_hash128_equal(hash128, expected), "path %d, size %zu", path, rows[i].size);
            }
        }
    }
}

Test(checksum, paths_agree_at_every_length_and_offset)
{
    uint64_t   other64;
    tp_hash128 other128;
    uint8_t    data[2048 + 32];
    fill(data, sizeof(data), 41);
    if (!checksum_hash_by(CHECKSUM_PATH_AVX2, data, 0, &other64, &other128)) {
        cr_skip_test("one path only");
    }
    for (size_t offset = 0; offset < 32; offset = offset < 9 ? offset + 1 : offset + 7) {
        for (size_t size = 0; size <= 2048; size++) {
            uint64_t   base64;
            tp_hash128 base128;
            (void)checksum_hash_by(CHECKSUM_PATH_BASE, data + offset, size, &base64, &base128);
            (void)checksum_hash_by(CHECKSUM_PATH_AVX2, data + offset, size, &other64, &other128);
            if (base64 != other64 || !tp_hash128_equal(base128, other128)
                || tp_hash64(TP_HASH_XXH3, data + offset, size) != base64
                || !tp_hash128_equal(tp_hash128_of(TP_HASH_XXH3, data + offset, size), base128)) {
                cr_assert_fail("offset %zu, size %zu", offset, size);
            }
        }
    }
}

Test(checksum, fnv_known_values)
{
    static const uint8_t zeros[16];
    const struct { const void *data; size_t size; uint64_t hi, lo; } rows[] = {
        { NULL, 0, UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d) },
        { "a", 1, UINT64_C(0xd228cb696f1a8caf), UINT64_C(0x78912b704e4a8964) },
        { "foobar", 6, UINT64_C(0x343e1662793c64bf), UINT64_C(0x6f0d3597ba446f18) },
        { zeros, 16, UINT64_C(0xf1f90b7bf705b5ef), UINT64_C(0x1517163834145e4d) },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const tp_hash128 hash = tp_hash128_of(TP_HASH_FNV1A128, rows[i].data, rows[i].size);
        cr_assert_eq(hash.hi, rows[i].hi, "row %zu", i);
        cr_assert_eq(hash.lo, rows[i].lo, "row %zu", i);
        cr_assert_eq(tp_hash64(TP_HASH_FNV1A128, rows[i].data, rows[i].size), hash.hi ^ hash.lo);
    }
}

Test(checksum, fnv_agrees_with_a_wide_oracle_and_in_pieces)
{
    uint8_t data[300];
    fill(data, sizeof(data), 42);
    unsigned __int128       wide = (unsigned __int128)UINT64_C(0x6c62272e07bb0142) << 64 | UINT64_C(0x62b821756295c58d);
    const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;
    tp_hash128              pieces = tp_fnv128_start();
    for (size_t size = 0; size < sizeof(data); size++) {
        const tp_hash128 hash = tp_hash128_of(TP_HASH_FNV1A128, data, size);
        cr_assert_eq(hash.lo, (uint64_t)wide);
        cr_assert_eq(hash.hi, (uint64_t)(wide >> 64));
        cr_assert(tp_hash128_equal(pieces, hash));
        wide = (wide ^ data[size]) * prime;
        pieces = tp_fnv128_add(pieces, data + size, 1);
    }
}

// Goal: a planted fault. Any one flipped bit changes the 64-bit and both halves of the 128-bit hash.
Test(checksum, one_flipped_bit_shows)
{
    static const size_t sizes[] = { 1, 3, 8, 16, 17, 64, 128, 200, 240, 241, 512, 1000 };
    uint8_t             data[1000];
    fill(data, sizeof(data), 43);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (tp_hash_algorithm algorithm = TP_HASH_XXH3; algorithm <= TP_HASH_FNV1A128; algorithm++) {
            const uint64_t   whole64 = tp_hash64(algorithm, data, sizes[s]);
            const tp_hash128 whole = tp_hash128_of(algorithm, data, sizes[s]);
            for (size_t bit = 0; bit < sizes[s] * 8; bit++) {
                data[bit / 8] ^= (uint8_t)(1 << bit % 8);
                const uint64_t   hash64 = tp_hash64(algorithm, data, sizes[s]);
                const tp_hash128 hash = tp_hash128_of(algorithm, data, sizes[s]);
                if (hash64 == whole64 || tp_hash128_equal(hash, whole) || hash.lo == whole.lo) {
                    cr_assert_fail("algorithm %d, size %zu, bit %zu", (int)algorithm, sizes[s], bit);
                }
                data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
            cr_assert_eq(tp_hash64(algorithm, data, sizes[s]), whole64);
        }
    }
}

Test(checksum, bytes_round_trip)
{
    const tp_hash128 hash = { .lo = UINT64_C(0x0706050403020100), .hi = UINT64_C(0x0f0e0d0c0b0a0908) };
    uint8_t          bytes[16];
    tp_hash128_to_bytes(hash, bytes);
    for (int i = 0; i < 16; i++) {
        cr_assert_eq(bytes[i], i);
    }
    cr_assert(tp_hash128_equal(tp_hash128_from_bytes(bytes), hash));
    bytes[15] ^= 1;
    cr_assert(!tp_hash128_equal(tp_hash128_from_bytes(bytes), hash));
}

static void hash_by_unknown(void *unused)
{
    (void)tp_hash64((tp_hash_algorithm)99, "x", 1);
}

Test(checksum, names_and_unknown_algorithms)
{
    tp_fault fault = { 0 };
    cr_assert_str_eq(tp_hash_algorithm_name(TP_HASH_XXH3), "xxh3");
    cr_assert_str_eq(tp_hash_algorithm_name(TP_HASH_FNV1A128), "fnv1a128");
    cr_assert_null(tp_hash_algorithm_name((tp_hash_algorithm)0));
    cr_assert(!tp_guard_run(hash_by_unknown, NULL, &fault));
    cr_assert_eq(fault.code, TP_FAULT_DOMAIN);
    cr_assert_gt(strlen(tp_checksum_path()), 0);
}
