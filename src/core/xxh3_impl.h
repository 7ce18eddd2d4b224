// xxh3_impl.h: XXH3 comes from xxhash.h, compiled into two units: once with what the target always has, once with
// AVX2. This is what the two units and checksum.c, which chooses between them, share with the tests.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/checksum.h"

uint64_t    xxh3_base_hash64(const void *data, size_t size);
tp_hash128  xxh3_base_hash128(const void *data, size_t size);
const char *xxh3_base_name(void);

/// Only built where TP_HAVE_AVX2 is defined, only to be called where the processor has AVX2.
uint64_t   xxh3_avx2_hash64(const void *data, size_t size);
tp_hash128 xxh3_avx2_hash128(const void *data, size_t size);

typedef enum { CHECKSUM_PATH_BASE, CHECKSUM_PATH_AVX2 } ChecksumPath;

/// For tests and benches: one path whatever the dispatch prefers. False where this machine or build lacks it.
bool checksum_hash_by(ChecksumPath path, const void *data, size_t size, uint64_t *hash64, tp_hash128 *hash128);
