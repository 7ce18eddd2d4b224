// numerics.c: see numerics.h. Every operand is volatile, so that the machine does the arithmetic and not the compiler.
#include "tickproof/numerics.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "tickproof/checksum.h"

enum { POINTS = 48, SUM_BYTES = POINTS * 12 * 8 };

typedef struct {
    uint8_t bytes[SUM_BYTES];
    size_t  used;
} Sum;

static void add_double(Sum *sum, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    // What a NaN looks like is up to the machine and says nothing.
    bits = value != value ? UINT64_C(0x7FF8000000000000) : bits;
    if (sum->used + 8 <= sizeof(sum->bytes)) {
        bytes_put_u64(sum->bytes + sum->used, bits);
        sum->used += 8;
    }
}

static uint32_t close_sum(Sum *sum)
{
    uint64_t hash = tp_hash64(TP_HASH_XXH3, sum->bytes, sum->used);
    sum->used = 0;
    return (uint32_t)(hash ^ (hash >> 32));
}

// Points from tiny to large, both signs, with all bits of the fraction in use: from integers, so that they are the same everywhere.
static double point(uint32_t number)
{
    uint64_t bits = (uint64_t)(number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t exponent = 1023 - 20 + number % 28; // 2^-20 to 2^7
    bits = (bits & UINT64_C(0x800FFFFFFFFFFFFF)) | exponent << 52;
    double value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t sum_operations(Sum *sum)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        volatile double a = point(i), b = point(i + 7), r = 0;
        volatile float  x = (float)point(i), y = (float)point(i + 5), s = 0;
        r = a + b;
        add_double(sum, r);
        r = a * b;
        add_double(sum, r);
        r = a / b;
        add_double(sum, r);
        r = a * b + a; // contraction, and excess between the two
        add_double(sum, r);
        r = sqrt(a < 0 ? -a : a);
        add_double(sum, r);
        s = x * y + y;
        add_double(sum, (double)s);
        s = x / y;
        add_double(sum, (double)s);
        r = (double)(float)(a * 1e-40); // subnormal as a float
        add_double(sum, r);
    }
    return close_sum(sum);
}

static uint32_t sum_library(Sum *sum)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        volatile double a = point(i), b = point(i + 11), positive = a < 0 ? -a : a;
        add_double(sum, sin(a));
        add_double(sum, cos(a));
        add_double(sum, tan(a));
        add_double(sum, exp(a / 4));
        add_double(sum, log(positive));
        add_double(sum, pow(positive, b / 16));
        add_double(sum, atan2(a, b));
        add_double(sum, hypot(a, b));
        add_double(sum, cbrt(a));
        add_double(sum, sinh(a / 8));
    }
    return close_sum(sum);
}

static uint32_t sum_float_library(Sum *sum)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        volatile float a = (float)point(i), b = (float)point(i + 11), positive = a < 0 ? -a : a;
        add_double(sum, (double)sinf(a));
        add_double(sum, (double)cosf(a));
        add_double(sum, (double)expf(a / 4));
        add_double(sum, (double)logf(positive));
        add_double(sum, (double)powf(positive, b / 16));
        add_double(sum, (double)atan2f(a, b));
        add_double(sum, (double)hypotf(a, b));
    }
    return close_sum(sum);
}

// (1 + 2^-30)^2 - 1 loses its last term unless product and sum are rounded once.
static bool is_contracted(void)
{
    volatile double a = 1.0 + 0x1p-30, c = -1.0 - 0x1p-29, r = 0;
    r = a * a + c;
    return r != 0.0;
}

// A product too large for its type comes back when it is held in a wider one.
static bool has_excess(void)
{
    volatile double huge = DBL_MAX, r = 0;
    r = huge * huge / huge;
    return r == huge;
}

static const char *subnormals(void)
{
    volatile double least = DBL_MIN, half = 0.5, r = 0, given = 0x1p-1074, twice = 0x1p1000;
    bool            is_taken = given * twice != 0.0; // made by the compiler, so that only reading it can lose it
    r = least * half;
    double   result = r;
    uint64_t bits = 0;
    memcpy(&bits, &result, sizeof(bits)); // a comparison would read it as zero where operands are
    bool is_made = bits != 0;
    return is_made && is_taken ? "kept" : is_made ? "read-as-zero" : is_taken ? "made-zero" : "zero";
}

static const char *rounding(void)
{
    volatile double one = 1.0, little = 0x1p-60, up = 0, down = 0, mirrored = 0;
    up = one + little;
    down = one - little;
    mirrored = -one - little;
    if (up > 1.0) {
        return "up";
    }
    return down == 1.0 ? "near" : mirrored < -1.0 ? "down" : "to-zero";
}

void tp_numerics(char text[TP_NUMERICS_SIZE])
{
    Sum      sum = { .used = 0 };
    uint32_t operations = sum_operations(&sum);
    uint32_t library = sum_library(&sum);
    uint32_t floats = sum_float_library(&sum);
    snprintf(text, TP_NUMERICS_SIZE, "ops %08x libm %08x libmf %08x contract %s excess %s subnormal %s round %s long-double %d long %zu char %s", operations,
             library, floats, is_contracted() ? "yes" : "no", has_excess() ? "yes" : "no", subnormals(), rounding(), LDBL_MANT_DIG, sizeof(long),
             CHAR_MIN < 0 ? "signed" : "unsigned");
}

// The next word: its start, or NULL at the end. `*size` is its length.
static const char *next_word(const char **at, size_t *size)
{
    *at += strspn(*at, " ");
    const char *start = *at;
    *size = strcspn(start, " ");
    *at += *size;
    return *size > 0 ? start : NULL;
}

void tp_numerics_difference(const char *there, const char *here, char text[TP_NUMERICS_SIZE])
{
    size_t      key_size = 0, here_key_size = 0, size = 0, here_size = 0;
    const char *key = NULL;
    text[0] = '\0';
    while ((key = next_word(&there, &key_size)) != NULL) {
        const char *here_key = next_word(&here, &here_key_size);
        const char *value = next_word(&there, &size);
        const char *here_value = next_word(&here, &here_size);
        if (here_key == NULL || value == NULL || here_value == NULL || key_size != here_key_size || memcmp(key, here_key, key_size) != 0) {
            snprintf(text, TP_NUMERICS_SIZE, "it was described by another version");
            return;
        }
        if (size != here_size || memcmp(value, here_value, size) != 0) {
            snprintf(text, TP_NUMERICS_SIZE, "%.*s is %.*s there and %.*s here", (int)(key_size > 30 ? 30 : key_size), key, (int)(size > 30 ? 30 : size), value,
                     (int)(here_size > 30 ? 30 : here_size), here_value);
            return;
        }
    }
}
