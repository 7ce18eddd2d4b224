// limits.c: our checksum beside the libraries that people would take, and beside a copy, over blocks of a state's sizes; in one run, as nanoseconds
// and by our XXH3. Medians. One line of JSON for each size.
//
//   limits [ROUNDS]    31
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xxhash.h>
#include <zlib.h>

#include "tickproof/checksum.h"

enum { ROUNDS_MAX = 1001, BYTES_A_ROUND = 4 << 20, WAYS = 7 };
static const char *const names[WAYS] = { "tp_hash64", "tp_hash128", "libxxhash64", "libxxhash128", "zlib_crc32", "zlib_adler32", "memcpy" };

static volatile uint64_t sum;

static void run(int way, const uint8_t *from, uint8_t *to, size_t size)
{
    switch (way) {
    case 0: sum += tp_hash64(TP_HASH_XXH3, from, size); return;
    case 1: sum += tp_hash128_of(TP_HASH_XXH3, from, size).lo; return;
    case 2: sum += XXH3_64bits(from, size); return;
    case 3: sum += XXH3_128bits(from, size).low64; return;
    case 4: sum += crc32(0, from, (uInt)size); return;
    case 5: sum += adler32(1, from, (uInt)size); return;
    default: memcpy(to, from, size); __asm__ volatile("" : : "r"(to) : "memory");
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

// The two hashes are the same function, or one of the two is not XXH3.
static void check(const uint8_t *bytes, size_t size)
{
    if (tp_hash64(TP_HASH_XXH3, bytes, size) != XXH3_64bits(bytes, size) || tp_hash128_of(TP_HASH_XXH3, bytes, size).lo != XXH3_128bits(bytes, size).low64) {
        fprintf(stderr, "limits: our XXH3 of %zu bytes is another than libxxhash's\n", size);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 64, 960, 16384, 1464816 };
    static double       times[WAYS][ROUNDS_MAX];
    long                rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 31;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "limits: ROUNDS must be 1 to %d\n", ROUNDS_MAX);
        return 2;
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t   size = sizes[i];
        uint8_t *from = malloc(size), *to = malloc(size);
        if (from == NULL || to == NULL) {
            return 1;
        }
        for (size_t k = 0; k < size; k++) {
            from[k] = (uint8_t)(k * 2654435761u >> 11);
        }
        check(from, size);
        size_t times_a_round = BYTES_A_ROUND / size + 1;
        for (long round = 0; round < rounds; round++) {
            for (int way = 0; way < WAYS; way++) {
                double start = now();
                for (size_t k = 0; k < times_a_round; k++) {
                    from[k % size] += 1;
                    run(way, from, to, size);
                }
                times[way][round] = (now() - start) / (double)times_a_round;
            }
        }
        printf("{\"what\":\"checksums\",\"bytes\":%zu,\"path\":\"%s\"", size, tp_checksum_path());
        for (int way = 0; way < WAYS; way++) {
            qsort(times[way], (size_t)rounds, sizeof(double), by_value);
            printf(",\"%s_ns\":%.1f", names[way], times[way][rounds / 2]);
        }
        printf("}\n");
        free(from);
        free(to);
    }
    return 0;
}
