// crc32c.c: eight bytes per step, through tables everywhere (slicing-by-8: Kounavis and Berry 2005) and through the
// processor's instruction where x86-64 has SSE 4.2. That instruction works on general registers, so this file passes
// the check that keeps floating point out of the room.
#include "crc32c.h"

#include "crc32c_table.h"

uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;

    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        // Assembled byte by byte: the same on either byte order, and compilers make one load of it.
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = crc32c_rows[7][crc & 0xff] ^ crc32c_rows[6][crc >> 8 & 0xff] ^ crc32c_rows[5][crc >> 16 & 0xff]
            ^ crc32c_rows[4][crc >> 24] ^ crc32c_rows[3][p[4]] ^ crc32c_rows[2][p[5]] ^ crc32c_rows[1][p[6]]
            ^ crc32c_rows[0][p[7]];
    }
    for (; size > 0; size--, p++) {
        crc = crc >> 8 ^ crc32c_rows[0][(crc ^ *p) & 0xff];
    }
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <string.h>

bool crc32c_has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

// The builtins and not the intrinsics' header, which wants vector types.
__attribute__((target("sse4.2")))
uint32_t crc32c_by_instruction(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;
    uint64_t       wide = ~crc;

    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof(word));
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; size > 0; size--, p++) {
        crc = __builtin_ia32_crc32qi(crc, *p);
    }
    return ~crc;
}

#else

bool crc32c_has_instruction(void)
{
    return false;
}

uint32_t crc32c_by_instruction(uint32_t crc, const void *data, size_t size)
{
    return crc32c_by_table(crc, data, size);
}

#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
    return crc32c_has_instruction() ? crc32c_by_instruction(crc, data, size) : crc32c_by_table(crc, data, size);
}
